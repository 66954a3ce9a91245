/* core/distributions/relaxed_bernoulli.c: RelaxedBernoulli(temperature, probs): values in (0, 1) with a gradient, which
 * are those of Bernoulli for a temperature near 0 (Maddison, Mnih and Teh, "The concrete distribution", 2017). It is
 * the sigmoid of a LogitRelaxedBernoulli. */
#include "core/distributions/distribution_internal.h"

#define TEMPERATURE(m) (m)->parameters[2]

static Tensor *probs(Distribution *m) {
    return m->parameters[0] ? m->parameters[0] : tg_logits_to_probs(m->parameters[1], true);
}

static Tensor *logits(Distribution *m) {
    return m->parameters[1] ? m->parameters[1] : tg_probs_to_logits(m->parameters[0], true);
}

static Tensor *relaxed_parameter(Distribution *m, const char *name) {
    return name[0] == 'p' ? probs(m) : name[0] == 'l' ? logits(m) : NULL;
}

/* log(p / (1 - p)) */
static Tensor *logit(Tensor *p) {
    return t_sub(t_log(p), t_log1p(t_neg(p)));
}

static Tensor *logit_relaxed_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    Tensor *p = tg_clamp_probs(tg_expand_to(probs(m), shape));
    Tensor *u = p ? tg_clamp_probs(t_uniform_(tg_empty_tensor(shape, p->dtype), 0, 1, NULL)) : NULL;
    (void)samples;
    Tensor *sum = t_sub(t_add(logit(u), t_log(p)), t_log1p(t_neg(p)));
    return t_div(sum, TEMPERATURE(m));
}

static Tensor *logit_relaxed_log_prob(Distribution *m, Tensor *value) {
    Tensor *difference = t_sub(logits(m), t_mul(value, TEMPERATURE(m)));
    Tensor *normalizer = t_mul(t_integer(2), t_log1p(t_exp(difference)));
    return t_sub(t_add(t_log(TEMPERATURE(m)), difference), normalizer);
}

/* The temperature is one for all. */
static Distribution *logit_relaxed_expand(Distribution *m, const t_Tuple *batch_shape) {
    Distribution *new = tg_expanded(m, batch_shape);
    for (int i = 0; i < 2 && new; i++) {
        Tensor *x = m->parameters[i] ? tg_expand_to(m->parameters[i], batch_shape) : NULL;
        if (m->parameters[i] && !x) return NULL;
        tg_set_distribution_parameter(new, i, x);
    }
    tg_set_distribution_parameter(new, 2, TEMPERATURE(m));
    return new;
}

static const Family logit_relaxed_bernoulli = {
    .name = "LogitRelaxedBernoulli",
    .parameters = {{"probs", UNIT_INTERVAL}, {"logits", REAL}, {"temperature", NO_CONSTRAINT}}, .support = REAL,
    .parameter = relaxed_parameter, .rsample = logit_relaxed_rsample, .log_prob = logit_relaxed_log_prob,
    .expand = logit_relaxed_expand};

static const Family relaxed_bernoulli = {
    .name = "RelaxedBernoulli", TRANSFORMED_FUNCTIONS, TRANSFORMED_VALUES, .support = UNIT_INTERVAL};

static Distribution *relaxed_bernoulli_new(Tensor *temperature, Tensor *p, Tensor *l, int validate_args) {
    Distribution *base = tg_new_probs_or_logits(&logit_relaxed_bernoulli, NULL, 0, p, l, -1);
    if (!base || !tg_broadcast_all(&temperature, 1)) return NULL;
    tg_set_distribution_parameter(base, 2, temperature);
    Transform *sigmoid = distributions_SigmoidTransform_new();
    return sigmoid ? tg_transformed_new(&relaxed_bernoulli, base, &sigmoid, 1, validate_args) : NULL;
}

/* torch.distributions.RelaxedBernoulli(temperature, probs, logits): one of the two. Errors: both or neither; probs
 * outside of [0, 1]. */
Distribution *distributions_RelaxedBernoulli_new(Tensor *temperature, Tensor *p, Tensor *l, int validate_args) {
    int depth = tg_check(temperature, 1) ? t_scope_open() : 0;
    return tg_scope_return(depth, depth ? relaxed_bernoulli_new(temperature, p, l, validate_args) : NULL);
}
