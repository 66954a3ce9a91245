/* core/distributions/multivariate/dirichlet.c: Dirichlet(concentration): n positive values with the sum 1, density
 * proportional to the product of x_i^(a_i - 1); and Beta(concentration1, concentration0), the first of two such values.
 */
#include <string.h>

#include "core/distributions/distribution_internal.h"
#include "core/ops/creation/gamma_internal.h"

static const int64_t last_dim[] = {-1};

#define CONCENTRATION(m) (m)->parameters[0]

/* ---- Dirichlet ---- */

static Tensor *total(Tensor *x, bool keepdim) {
    return t_sum(x, last_dim, 1, keepdim);
}

static Tensor *dirichlet_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    (void)samples;
    return tg_sample_dirichlet(tg_expand_to(CONCENTRATION(m), shape), NULL);
}

static Tensor *dirichlet_log_prob(Distribution *m, Tensor *value) {
    Tensor *a = CONCENTRATION(m), *sum = total(t_xlogy(t_sub(a, N(1)), value), false);
    return t_sub(t_add(sum, t_lgamma(total(a, false))), total(t_lgamma(a), false));
}

static Tensor *dirichlet_entropy(Distribution *m) {
    Tensor *a = CONCENTRATION(m), *a0 = total(a, false), *k = t_integer(a->shape[a->ndim - 1]);
    Tensor *normalizer = t_sub(total(t_lgamma(a), false), t_lgamma(a0));
    Tensor *mean = t_sub(normalizer, t_mul(t_sub(k, a0), t_digamma(a0)));
    return t_sub(mean, total(t_mul(t_sub(a, N(1)), t_digamma(a)), false));
}

static Tensor *dirichlet_mean(Distribution *m) {
    return t_div(CONCENTRATION(m), total(CONCENTRATION(m), true));
}

/* (a - 1) / sum(a - 1), with 0 for a below 1; if all are below 1, one corner, as in PyTorch. */
static Tensor *dirichlet_mode(Distribution *m) {
    Tensor *a = CONCENTRATION(m), *above = t_clamp_min(t_sub(a, t_integer(1)), N(0));
    Tensor *mode = t_div(above, total(above, true)), *all_below = t_all(t_lt(a, t_integer(1)), last_dim, 1, true);
    Tensor *categories = mode ? t_arange_int64(0, a->shape[a->ndim - 1], 1, NULL) : NULL;
    Tensor *corner = t_eq(t_argmax(mode, -1, true), categories);
    return t_where(all_below, t_type_as(corner, a), mode);
}

static Tensor *dirichlet_variance(Distribution *m) {
    Tensor *a = CONCENTRATION(m), *sum = total(a, true);
    Tensor *numerator = t_mul(a, t_sub(sum, a));
    return t_div(numerator, t_mul(t_pow(sum, t_integer(2)), t_add(sum, t_integer(1))));
}

const Family tg_dirichlet = {
    .name = "Dirichlet", .parameters = {{"concentration", POSITIVE_VECTOR}}, .support = SIMPLEX,
    .rsample = dirichlet_rsample, .log_prob = dirichlet_log_prob, .entropy = dirichlet_entropy,
    .mean = dirichlet_mean, .mode = dirichlet_mode, .variance = dirichlet_variance};

/* torch.distributions.Dirichlet(concentration), (..., n). The gradient of rsample is the implicit one. Errors: 0-dim;
 * a concentration that is not above 0. */
Distribution *distributions_Dirichlet_new(Tensor *concentration, int validate_args) {
    if (!tg_check(concentration, 1)) return NULL;
    if (concentration->ndim < 1) return tg_fail("`concentration` parameter must be at least one-dimensional.");
    const int rank = concentration->ndim;
    t_Tuple batch_shape = tg_shape_tuple(concentration, 0, rank - 1);
    t_Tuple event_shape = tg_shape_tuple(concentration, rank - 1, rank);
    Distribution *m = tg_distribution_new(&tg_dirichlet, &batch_shape, &event_shape, validate_args);
    tg_set_distribution_parameter(m, 0, concentration);
    return tg_validated(m);
}

/* ---- Beta: m->base is a Dirichlet of two ---- */

static Tensor *beta_parameter(Distribution *m, const char *name) {
    Tensor *both = CONCENTRATION(m->base);
    return !strcmp(name, "concentration1") ? t_select(both, -1, 0)
           : !strcmp(name, "concentration0") ? t_select(both, -1, 1) : NULL;
}

#define CONCENTRATION1(m) beta_parameter(m, "concentration1")
#define CONCENTRATION0(m) beta_parameter(m, "concentration0")

static Tensor *beta_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    t_Tuple sample_shape = tg_slice_tuple(shape, 0, samples);
    return t_select(tg_draw(m->base, &sample_shape, true), -1, 0);
}

static Tensor *beta_log_prob(Distribution *m, Tensor *value) {
    Tensor *rest = t_sub(N(1), value);
    t_TensorList *pair = rest ? t_list_new((Tensor *[]){value, rest}, 2) : NULL;
    Tensor *both = pair ? t_stack(pair, -1) : NULL;
    return both ? tg_log_prob(m->base, both) : NULL;
}

static Tensor *beta_entropy(Distribution *m) {
    return tg_entropy(m->base);
}

static Tensor *beta_mean(Distribution *m) {
    return t_div(CONCENTRATION1(m), t_add(CONCENTRATION1(m), CONCENTRATION0(m)));
}

static Tensor *beta_mode(Distribution *m) {
    return t_select(dirichlet_mode(m->base), -1, 0);
}

static Tensor *beta_variance(Distribution *m) {
    Tensor *a = CONCENTRATION1(m), *b = CONCENTRATION0(m), *sum = t_add(a, b);
    return t_div(t_mul(a, b), t_mul(t_pow(sum, t_integer(2)), t_add(sum, t_integer(1))));
}

static Distribution *beta_expand(Distribution *m, const t_Tuple *batch_shape) {
    Distribution *base = distributions_expand(m->base, batch_shape->items, batch_shape->len);
    Distribution *new = base ? tg_expanded(m, batch_shape) : NULL;
    tg_set_base(new, base);
    return new;
}

const Family tg_beta = {
    .name = "Beta", .parameter = beta_parameter, .support = UNIT_INTERVAL, .rsample = beta_rsample,
    .log_prob = beta_log_prob, .entropy = beta_entropy, .mean = beta_mean, .mode = beta_mode,
    .variance = beta_variance, .expand = beta_expand};

static Distribution *beta_new(Tensor *concentration1, Tensor *concentration0, int validate_args) {
    static const t_Tuple scalar = {.len = 0};
    Tensor *x[] = {concentration1, concentration0};
    t_TensorList *pair = tg_broadcast_all(x, 2) ? t_list_new(x, 2) : NULL;
    Tensor *both = pair ? t_stack(pair, -1) : NULL;
    Distribution *base = both ? distributions_Dirichlet_new(both, validate_args) : NULL;
    Distribution *m = base ? tg_distribution_new(&tg_beta, &base->batch_shape, &scalar, validate_args) : NULL;
    tg_set_base(m, base);
    return m;
}

/* torch.distributions.Beta(concentration1, concentration0): density proportional to x^(a - 1) (1 - x)^(b - 1). Error:
 * a concentration is not above 0. */
Distribution *distributions_Beta_new(Tensor *concentration1, Tensor *concentration0, int validate_args) {
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? beta_new(concentration1, concentration0, validate_args) : NULL);
}
