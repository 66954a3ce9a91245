/* core/distributions/bernoulli.c: Bernoulli(probs) or Bernoulli(logits=...): 1 with probability p, else 0. */
#include "core/distributions/distribution_internal.h"

static Tensor *probs(Distribution *m) {
    return m->parameters[0] ? m->parameters[0] : tg_logits_to_probs(m->parameters[1], true);
}

static Tensor *logits(Distribution *m) {
    return m->parameters[1] ? m->parameters[1] : tg_probs_to_logits(m->parameters[0], true);
}

static Tensor *bernoulli_parameter(Distribution *m, const char *name) {
    return name[0] == 'p' ? probs(m) : name[0] == 'l' ? logits(m) : NULL;
}

static Tensor *bernoulli_sample(Distribution *m, const t_Tuple *shape, int samples) {
    (void)samples;
    return t_bernoulli(tg_expand_to(probs(m), shape), NAN, NULL);
}

static Tensor *bernoulli_log_prob(Distribution *m, Tensor *value) {
    return t_neg(tg_binary_cross_entropy(logits(m), value));
}

static Tensor *bernoulli_entropy(Distribution *m) {
    return tg_binary_cross_entropy(logits(m), probs(m));
}

static Tensor *bernoulli_mode(Distribution *m) {
    Tensor *p = probs(m);
    return t_masked_fill(t_type_as(t_ge(p, N(0.5)), p), t_eq(p, N(0.5)), N(NAN));
}

static Tensor *bernoulli_variance(Distribution *m) {
    Tensor *p = probs(m);
    return t_mul(p, t_sub(t_integer(1), p));
}

static Tensor *bernoulli_enumerate_support(Distribution *m, bool expand) {
    t_Tuple shape = {{2}, 1}, ones = m->batch_shape, ends = {{2}, 1};
    for (int d = 0; d < ones.len; d++) ones.items[d] = 1;
    if (!tg_concat(&shape, &ones, &shape) || !tg_concat(&ends, &m->batch_shape, &ends)) return NULL;
    Tensor *values = t_type_as(t_arange_int64(0, 2, 1, NULL), probs(m));
    values = t_view(values, shape.items, shape.len);
    return expand ? tg_expand_to(values, &ends) : values;
}

const Family tg_bernoulli = {
    .name = "Bernoulli", .parameters = {{"probs", UNIT_INTERVAL}, {"logits", REAL}}, .support = BOOLEAN,
    .parameter = bernoulli_parameter, .sample = bernoulli_sample, .log_prob = bernoulli_log_prob,
    .entropy = bernoulli_entropy, .mean = probs, .mode = bernoulli_mode, .variance = bernoulli_variance,
    .enumerate_support = bernoulli_enumerate_support};

/* torch.distributions.Bernoulli(probs, logits): one of the two. Errors: both or neither; probs outside of [0, 1]. */
Distribution *distributions_Bernoulli_new(Tensor *p, Tensor *l, int validate_args) {
    return tg_new_probs_or_logits(&tg_bernoulli, NULL, 0, p, l, validate_args);
}
