/* core/distributions/binomial.c: Binomial(total_count, probs): the number of successes in total_count trials. */
#include "core/distributions/distribution_internal.h"

#define TOTAL_COUNT(m) (m)->parameters[0]

static Tensor *probs(Distribution *m) {
    return m->parameters[1] ? m->parameters[1] : tg_logits_to_probs(m->parameters[2], true);
}

static Tensor *logits(Distribution *m) {
    return m->parameters[2] ? m->parameters[2] : tg_probs_to_logits(m->parameters[1], true);
}

static Tensor *binomial_parameter(Distribution *m, const char *name) {
    return name[0] == 'p' ? probs(m) : name[0] == 'l' ? logits(m) : NULL;
}

static Constraint *binomial_support(Distribution *m) {
    return distributions_constraints_integer_interval(t_integer(0), TOTAL_COUNT(m));
}

static Tensor *binomial_sample(Distribution *m, const t_Tuple *shape, int samples) {
    (void)samples;
    return t_binomial(tg_expand_to(TOTAL_COUNT(m), shape), tg_expand_to(probs(m), shape), NULL);
}

static Tensor *log_factorial(Tensor *x) {
    return t_lgamma(t_add(x, t_integer(1)));
}

/* max(x, 0), with half of the gradient at 0 */
static Tensor *clamp_by_zero(Tensor *x) {
    return t_div(t_sub(t_add(t_clamp_min(x, t_integer(0)), x), t_clamp_max(x, t_integer(0))), t_integer(2));
}

/* log of n! / (k! (n - k)!) p^k (1 - p)^(n - k), the last two as k logit - n log(1 + e^logit) */
static Tensor *binomial_log_prob(Distribution *m, Tensor *value) {
    Tensor *n = TOTAL_COUNT(m), *x = logits(m), *tail = t_log1p(t_exp(t_neg(t_abs(x))));
    Tensor *normalizer = t_sub(t_add(t_mul(n, clamp_by_zero(x)), t_mul(n, tail)), log_factorial(n));
    Tensor *of_value = t_sub(t_sub(t_mul(value, x), log_factorial(value)), log_factorial(t_sub(n, value)));
    return t_sub(of_value, normalizer);
}

/* The total_count of all distributions of the batch; -1 with an error set if they differ. */
static int64_t one_count(Distribution *m, const char *by) {
    Tensor *max = t_max(TOTAL_COUNT(m), T_NONE, false, NULL), *min = t_min(TOTAL_COUNT(m), T_NONE, false, NULL);
    if (!max || !min) return -1;
    const int64_t count = (int64_t)tg_read_double(max);
    if ((double)count == tg_read_double(min)) return count;
    tg_fail("Inhomogeneous total count not supported by `%s`.", by);
    return -1;
}

static Tensor *enumerated(Distribution *m, int64_t count, bool expand) {
    t_Tuple shape = {{count + 1}, 1}, ones = m->batch_shape, full = {{count + 1}, 1};
    for (int d = 0; d < ones.len; d++) ones.items[d] = 1;
    if (!tg_concat(&shape, &ones, &shape) || !tg_concat(&full, &m->batch_shape, &full)) return NULL;
    Tensor *values = t_type_as(t_arange_int64(0, count + 1, 1, NULL), TOTAL_COUNT(m));
    values = t_view(values, shape.items, shape.len);
    return expand ? tg_expand_to(values, &full) : values;
}

static Tensor *binomial_enumerate_support(Distribution *m, bool expand) {
    const int64_t count = one_count(m, "enumerate_support");
    return count < 0 ? NULL : enumerated(m, count, expand);
}

static Tensor *binomial_entropy(Distribution *m) {
    const int64_t count = one_count(m, "entropy");
    Tensor *values = count < 0 ? NULL : enumerated(m, count, false), *log_prob = values ? tg_log_prob(m, values) : NULL;
    return t_neg(t_sum(t_mul(t_exp(log_prob), log_prob), (int64_t[]){0}, 1, false));
}

static Tensor *binomial_mean(Distribution *m) {
    return t_mul(TOTAL_COUNT(m), probs(m));
}

static Tensor *binomial_mode(Distribution *m) {
    return t_clamp_max(t_floor(t_mul(t_add(TOTAL_COUNT(m), t_integer(1)), probs(m))), TOTAL_COUNT(m));
}

static Tensor *binomial_variance(Distribution *m) {
    return t_mul(binomial_mean(m), t_sub(t_integer(1), probs(m)));
}

const Family tg_binomial = {
    .name = "Binomial",
    .parameters = {{"total_count", NONNEGATIVE_INTEGER}, {"probs", UNIT_INTERVAL}, {"logits", REAL}},
    .parameter = binomial_parameter, .dependent_support = binomial_support, .sample = binomial_sample,
    .log_prob = binomial_log_prob, .entropy = binomial_entropy, .mean = binomial_mean, .mode = binomial_mode,
    .variance = binomial_variance, .enumerate_support = binomial_enumerate_support};

/* torch.distributions.Binomial(total_count, probs, logits): one of the two. Its entropy and enumerate_support require
 * one total_count for all. Errors: both or neither; total_count negative or no integer; probs outside of [0, 1]. */
Distribution *distributions_Binomial_new(Tensor *total_count, Tensor *p, Tensor *l, int validate_args) {
    return tg_new_probs_or_logits(&tg_binomial, &total_count, 1, p, l, validate_args);
}
