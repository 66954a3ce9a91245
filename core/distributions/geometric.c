/* core/distributions/geometric.c: Geometric(probs): the number of failures before the first success, 0, 1, 2, ... */
#include "core/distributions/distribution_internal.h"

static Tensor *probs(Distribution *m) {
    return m->parameters[0] ? m->parameters[0] : tg_logits_to_probs(m->parameters[1], true);
}

static Tensor *logits(Distribution *m) {
    return m->parameters[1] ? m->parameters[1] : tg_probs_to_logits(m->parameters[0], true);
}

static Tensor *geometric_parameter(Distribution *m, const char *name) {
    return name[0] == 'p' ? probs(m) : name[0] == 'l' ? logits(m) : NULL;
}

/* probs = 0 is in the unit interval, but has no success. */
static bool geometric_validate(Distribution *m) {
    Tensor *p = m->parameters[0], *positive = p ? t_gt(p, t_integer(0)) : NULL;
    if (!p) return true;
    Tensor *all = t_all(positive, NULL, 0, false);
    if (!all || tg_read_int64(all)) return all != NULL;
    const char *text = tg_value_text(t_masked_select(p, t_logical_not(positive))), *of = distributions_str(m);
    t_Tuple shape = tg_shape_tuple(p, 0, p->ndim);
    const char *sizes = "";
    for (int d = 0; sizes && d < shape.len; d++)
        sizes = t_format("%s%lld%s", sizes, (long long)shape.items[d],
                         d + 1 < shape.len ? ", " : shape.len == 1 ? "," : "");
    return text && of && sizes &&
           tg_fail("Expected parameter probs (%s of shape (%s)) of distribution %s to be positive but found invalid "
                   "values:\n%s",
                   p->is_parameter ? "Parameter" : "Tensor", sizes, of, text);
}

/* floor(log u / log(1 - p)) of a uniform u in (0, 1) */
static Tensor *geometric_sample(Distribution *m, const t_Tuple *shape, int samples) {
    Tensor *p = probs(m);
    (void)samples;
    if (!p) return NULL;
    Tensor *u = t_uniform_(tg_empty_tensor(shape, p->dtype), tg_tiny(p->dtype), 1, NULL);
    return t_floor(t_div(t_log(u), t_log1p(t_neg(p))));
}

/* value log(1 - p) + log p; 0 log 0 is 0 */
static Tensor *geometric_log_prob(Distribution *m, Tensor *value) {
    Tensor *p = probs(m), *certain = t_logical_and(t_eq(p, t_integer(1)), t_eq(value, t_integer(0)));
    Tensor *of_failures = t_mul(value, t_log1p(t_neg(t_where(certain, N(0), p))));
    return t_add(of_failures, t_log(p));
}

static Tensor *geometric_entropy(Distribution *m) {
    return t_div(tg_binary_cross_entropy(logits(m), probs(m)), probs(m));
}

static Tensor *geometric_mean(Distribution *m) {
    return t_sub(t_div(N(1), probs(m)), N(1));
}

static Tensor *geometric_mode(Distribution *m) {
    return t_zeros_like(probs(m));
}

static Tensor *geometric_variance(Distribution *m) {
    return t_div(geometric_mean(m), probs(m));
}

const Family tg_geometric = {
    .name = "Geometric", .parameters = {{"probs", UNIT_INTERVAL}, {"logits", REAL}}, .support = NONNEGATIVE_INTEGER,
    .validate = geometric_validate, .parameter = geometric_parameter, .sample = geometric_sample,
    .log_prob = geometric_log_prob, .entropy = geometric_entropy, .mean = geometric_mean, .mode = geometric_mode,
    .variance = geometric_variance};

/* torch.distributions.Geometric(probs, logits): one of the two. Errors: both or neither; probs outside of (0, 1]. */
Distribution *distributions_Geometric_new(Tensor *p, Tensor *l, int validate_args) {
    return tg_new_probs_or_logits(&tg_geometric, NULL, 0, p, l, validate_args);
}
