/* core/distributions/relaxed_categorical.c: RelaxedOneHotCategorical(temperature, probs): n positive values with the
 * sum 1 and a gradient, which are one-hot for a temperature near 0 (Jang, Gu and Poole, "Categorical reparameterization
 * with Gumbel-softmax", 2017). It is e^x of an ExpRelaxedCategorical, whose m->base is the Categorical. */
#include "core/distributions/distribution_internal.h"

#define TEMPERATURE(m) (m)->parameters[0]

static const int64_t last_dim[] = {-1};

static Tensor *log_normalized(Tensor *x) {
    return t_sub(x, t_logsumexp(x, last_dim, 1, true));
}

static Tensor *exp_relaxed_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    Tensor *x = tg_param(m->base, "logits");
    Tensor *u = x ? tg_clamp_probs(t_uniform_(tg_empty_tensor(shape, x->dtype), 0, 1, NULL)) : NULL;
    (void)samples;
    Tensor *gumbels = t_neg(t_log(t_neg(t_log(u))));
    return log_normalized(t_div(t_add(x, gumbels), TEMPERATURE(m)));
}

static Tensor *exp_relaxed_log_prob(Distribution *m, Tensor *value) {
    const double K = (double)m->event_shape.items[0];
    Tensor *x = tg_param(m->base, "logits"), *temperature = TEMPERATURE(m);
    Tensor *log_scale = t_add(t_lgamma(t_full_like(temperature, K)), t_mul(t_log(temperature), N(K - 1)));
    Tensor *score = log_normalized(t_sub(x, t_mul(value, temperature)));
    return t_add(t_sum(score, last_dim, 1, false), log_scale);
}

static Distribution *exp_relaxed_expand(Distribution *m, const t_Tuple *batch_shape) {
    Distribution *base = distributions_expand(m->base, batch_shape->items, batch_shape->len);
    Distribution *new = base ? tg_expanded(m, batch_shape) : NULL;
    tg_set_base(new, base);
    tg_set_distribution_parameter(new, 0, TEMPERATURE(m));
    return new;
}

static const Family exp_relaxed_categorical = {
    .name = "ExpRelaxedCategorical", .parameters = {{"temperature", NO_CONSTRAINT}}, .support = REAL_VECTOR,
    .rsample = exp_relaxed_rsample, .log_prob = exp_relaxed_log_prob, .expand = exp_relaxed_expand};

static const Family relaxed_one_hot_categorical = {
    .name = "RelaxedOneHotCategorical", TRANSFORMED_FUNCTIONS, .support = SIMPLEX,
    .log_prob = tg_transformed_log_prob, .cdf = tg_transformed_cdf, .base_validates_cdf = true,
    .icdf = tg_transformed_icdf};

static Distribution *relaxed_new(Tensor *temperature, Tensor *p, Tensor *l, int validate_args) {
    Distribution *categorical = distributions_Categorical_new(p, l, -1);
    if (!categorical || !tg_broadcast_all(&temperature, 1)) return NULL;
    Tensor *given = p ? p : l;
    t_Tuple event_shape = tg_shape_tuple(given, given->ndim - 1, given->ndim);
    Distribution *base = tg_distribution_new(&exp_relaxed_categorical, &categorical->batch_shape, &event_shape,
                                             validate_args);
    Transform *exponential = base ? distributions_ExpTransform_new() : NULL;
    if (!exponential) return NULL;
    tg_set_base(base, categorical);
    tg_set_distribution_parameter(base, 0, temperature);
    return tg_transformed_new(&relaxed_one_hot_categorical, base, &exponential, 1, validate_args);
}

/* torch.distributions.RelaxedOneHotCategorical(temperature, probs, logits): one of the two, (..., n). Errors as
 * Categorical. */
Distribution *distributions_RelaxedOneHotCategorical_new(Tensor *temperature, Tensor *p, Tensor *l, int validate_args) {
    int depth = tg_check(temperature, 1) ? t_scope_open() : 0;
    return tg_scope_return(depth, depth ? relaxed_new(temperature, p, l, validate_args) : NULL);
}
