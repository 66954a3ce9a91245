/* core/distributions/negative_binomial.c: NegativeBinomial(total_count, probs): the number of successes before
 * total_count failures; a Poisson whose rate is drawn from Gamma(total_count, (1 - p) / p). */
#include "core/distributions/distribution_internal.h"

#define TOTAL_COUNT(m) (m)->parameters[0]

static Tensor *probs(Distribution *m) {
    return m->parameters[1] ? m->parameters[1] : tg_logits_to_probs(m->parameters[2], true);
}

static Tensor *logits(Distribution *m) {
    return m->parameters[2] ? m->parameters[2] : tg_probs_to_logits(m->parameters[1], true);
}

static Tensor *negative_binomial_parameter(Distribution *m, const char *name) {
    return name[0] == 'p' ? probs(m) : name[0] == 'l' ? logits(m) : NULL;
}

static bool negative_binomial_validate(Distribution *m) {
    return tg_validate_parameter(m, "total_count", TOTAL_COUNT(m),
                                 distributions_constraints_greater_than_eq(t_integer(0))) &&
           (!m->parameters[1] || tg_validate_parameter(m, "probs", m->parameters[1],
                                                       distributions_constraints_half_open_interval(N(0), N(1)))) &&
           (!m->parameters[2] || tg_validate_parameter(m, "logits", m->parameters[2], tg_constraint(REAL)));
}

static Tensor *negative_binomial_sample(Distribution *m, const t_Tuple *shape, int samples) {
    t_Tuple sample_shape = tg_slice_tuple(shape, 0, samples);
    Distribution *gamma = distributions_Gamma_new(TOTAL_COUNT(m), t_exp(t_neg(logits(m))), 0);
    return gamma ? t_poisson(tg_draw(gamma, &sample_shape, false), NULL) : NULL;
}

static Tensor *log_of_sigmoid(Tensor *x) {
    return t_neg(tg_softplus(t_neg(x)));
}

/* r log(1 - p) + k log(p) + lgamma(r + k) - lgamma(1 + k) - lgamma(r); the last three are 0 for r + k = 0 */
static Tensor *negative_binomial_log_prob(Distribution *m, Tensor *value) {
    Tensor *r = TOTAL_COUNT(m), *x = logits(m), *sum = t_add(r, value);
    Tensor *of_probs = t_add(t_mul(r, log_of_sigmoid(t_neg(x))), t_mul(value, log_of_sigmoid(x)));
    Tensor *normalizer = t_add(t_sub(t_lgamma(t_add(N(1), value)), t_lgamma(sum)), t_lgamma(r));
    return t_sub(of_probs, t_masked_fill(normalizer, t_eq(sum, N(0)), N(0)));
}

static Tensor *negative_binomial_mean(Distribution *m) {
    return t_mul(TOTAL_COUNT(m), t_exp(logits(m)));
}

static Tensor *negative_binomial_mode(Distribution *m) {
    Tensor *product = t_mul(t_sub(TOTAL_COUNT(m), t_integer(1)), t_exp(logits(m)));
    return t_clamp_min(t_floor(product), N(0));
}

static Tensor *negative_binomial_variance(Distribution *m) {
    return t_div(negative_binomial_mean(m), t_sigmoid(t_neg(logits(m))));
}

static const Family negative_binomial = {
    .name = "NegativeBinomial", .parameters = {{"total_count", DEPENDENT}, {"probs", DEPENDENT}, {"logits", DEPENDENT}},
    .support = NONNEGATIVE_INTEGER, .parameter = negative_binomial_parameter, .validate = negative_binomial_validate,
    .sample = negative_binomial_sample, .log_prob = negative_binomial_log_prob, .mean = negative_binomial_mean,
    .mode = negative_binomial_mode, .variance = negative_binomial_variance};

/* torch.distributions.NegativeBinomial(total_count, probs, logits): one of the two; total_count need not be an integer.
 * Errors: both or neither; total_count negative; probs outside of [0, 1). */
Distribution *distributions_NegativeBinomial_new(Tensor *total_count, Tensor *p, Tensor *l, int validate_args) {
    return tg_new_probs_or_logits(&negative_binomial, &total_count, 1, p, l, validate_args);
}
