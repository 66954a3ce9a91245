/* core/distributions/pareto.c: Pareto(scale, alpha) and GeneralizedPareto(loc, scale, concentration). */
#include "core/distributions/distribution_internal.h"

/* ---- Pareto(scale, alpha): scale e^x of an Exponential x; density alpha scale^alpha / x^(alpha + 1) ---- */

#define ALPHA(m) (m)->parameters[0]
#define PARETO_SCALE(m) (m)->parameters[1]

static Constraint *pareto_support(Distribution *m) {
    return distributions_constraints_greater_than_eq(PARETO_SCALE(m));
}

static Tensor *pareto_entropy(Distribution *m) {
    Tensor *rest = t_add(t_integer(1), t_reciprocal(ALPHA(m)));
    return t_add(t_log(t_div(PARETO_SCALE(m), ALPHA(m))), rest);
}

/* infinite for alpha <= 1 */
static Tensor *pareto_mean(Distribution *m) {
    Tensor *a = t_clamp_min(ALPHA(m), t_integer(1));
    return t_div(t_mul(a, PARETO_SCALE(m)), t_sub(a, t_integer(1)));
}

static Tensor *pareto_mode(Distribution *m) {
    return PARETO_SCALE(m);
}

/* infinite for alpha <= 2 */
static Tensor *pareto_variance(Distribution *m) {
    Tensor *two = t_integer(2), *a = t_clamp_min(ALPHA(m), two);
    Tensor *divisor = t_mul(t_pow(t_sub(a, t_integer(1)), two), t_sub(a, two));
    return t_div(t_mul(t_pow(PARETO_SCALE(m), two), a), divisor);
}

const Family tg_pareto = {
    .name = "Pareto", TRANSFORMED_FUNCTIONS, TRANSFORMED_VALUES,
    .parameters = {{"alpha", POSITIVE}, {"scale", POSITIVE}}, .dependent_support = pareto_support,
    .entropy = pareto_entropy, .mean = pareto_mean, .mode = pareto_mode, .variance = pareto_variance};

static Distribution *pareto_new(Tensor *scale, Tensor *alpha, int validate_args) {
    Tensor *x[] = {scale, alpha};
    if (!tg_broadcast_all(x, 2)) return NULL;
    Distribution *base = distributions_Exponential_new(x[1], validate_args);
    Transform *power = base ? distributions_ExpTransform_new() : NULL;
    Transform *scaled = power ? distributions_AffineTransform_new(t_integer(0), x[0], 0) : NULL;
    if (!scaled) return NULL;
    Transform *const transforms[] = {power, scaled};
    Tensor *const parameters[] = {x[1], x[0]};
    return tg_transformed_with_parameters(&tg_pareto, base, transforms, 2, parameters, validate_args);
}

/* torch.distributions.Pareto(scale, alpha). Error: a parameter is not above 0. */
Distribution *distributions_Pareto_new(Tensor *scale, Tensor *alpha, int validate_args) {
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? pareto_new(scale, alpha, validate_args) : NULL);
}

/* ---- GeneralizedPareto(loc, scale, concentration): with z = (x - loc) / scale and the concentration c, the density
 * (1 + c z)^(-1/c - 1) / scale, which is e^-z / scale for c near 0 ---- */

#define LOC(m) (m)->parameters[0]
#define SCALE(m) (m)->parameters[1]
#define CONCENTRATION(m) (m)->parameters[2]

static Tensor *is_near_zero(Tensor *c) {
    return t_isclose(c, c ? tg_full_tensor(&(t_Tuple){.len = 0}, 0, c->dtype) : NULL, 1e-5, 1e-8, false);
}

/* c, and 1 where the formula for c near 0 is taken */
static Tensor *safe(Tensor *c, Tensor *near_zero) {
    return t_where(near_zero, t_ones_like(c), c);
}

static Tensor *standardized(Distribution *m, Tensor *value) {
    return t_div(t_sub(value, LOC(m)), SCALE(m));
}

static Tensor *generalized_pareto_log_prob(Distribution *m, Tensor *value) {
    Tensor *z = standardized(m, value), *near_zero = is_near_zero(CONCENTRATION(m));
    Tensor *c = safe(CONCENTRATION(m), near_zero);
    Tensor *y = t_add(t_reciprocal(c), t_ones_like(z));
    Tensor *power = t_where(t_eq(y, t_integer(0)), y, t_mul(y, t_log1p(t_mul(c, z))));
    return t_sub(t_neg(t_log(SCALE(m))), t_where(near_zero, z, power));
}

/* 1 - e to the logarithm of the survival function */
static Tensor *generalized_pareto_cdf(Distribution *m, Tensor *value) {
    Tensor *z = standardized(m, value), *near_zero = is_near_zero(CONCENTRATION(m));
    Tensor *c = safe(CONCENTRATION(m), near_zero);
    Tensor *power = t_div(t_neg(t_log1p(t_mul(c, z))), c);
    return t_exp(t_log1p(t_neg(t_exp(t_where(near_zero, t_neg(z), power)))));
}

static Tensor *generalized_pareto_icdf(Distribution *m, Tensor *value) {
    Tensor *near_zero = is_near_zero(CONCENTRATION(m)), *c = safe(CONCENTRATION(m), near_zero);
    Tensor *log_survival = t_log1p(t_neg(value));
    Tensor *power = t_mul(t_div(SCALE(m), c), t_expm1(t_mul(t_neg(c), log_survival)));
    return t_where(near_zero, t_sub(LOC(m), t_mul(SCALE(m), log_survival)), t_add(LOC(m), power));
}

static Tensor *generalized_pareto_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    (void)samples;
    return generalized_pareto_icdf(m, t_uniform_(tg_empty_tensor(shape, LOC(m)->dtype), 0, 1, NULL));
}

static Tensor *generalized_pareto_entropy(Distribution *m) {
    return t_add(t_add(t_log(SCALE(m)), CONCENTRATION(m)), t_integer(1));
}

static Tensor *generalized_pareto_mean(Distribution *m) {
    Tensor *valid = t_lt(CONCENTRATION(m), t_integer(1)), *c = t_where(valid, CONCENTRATION(m), N(0.5));
    return t_where(valid, t_add(LOC(m), t_div(SCALE(m), t_sub(t_integer(1), c))), N(NAN));
}

static Tensor *generalized_pareto_mode(Distribution *m) {
    return LOC(m);
}

static Tensor *generalized_pareto_variance(Distribution *m) {
    Tensor *valid = t_lt(CONCENTRATION(m), N(0.5)), *c = t_where(valid, CONCENTRATION(m), N(0.25));
    Tensor *one = t_integer(1), *two = t_integer(2);
    Tensor *divisor = t_mul(t_pow(t_sub(one, c), two), t_sub(one, t_mul(two, c)));
    return t_where(valid, t_div(t_pow(SCALE(m), two), divisor), N(NAN));
}

static Constraint *generalized_pareto_support(Distribution *m) {
    Tensor *end = t_sub(LOC(m), t_div(SCALE(m), CONCENTRATION(m)));
    Tensor *upper = t_where(t_lt(CONCENTRATION(m), t_integer(0)), end, N(INFINITY));
    return upper ? distributions_constraints_interval(LOC(m), upper) : NULL;
}

static const Family generalized_pareto = {
    .name = "GeneralizedPareto", .parameters = {{"loc", REAL}, {"scale", POSITIVE}, {"concentration", REAL}},
    .dependent_support = generalized_pareto_support, .rsample = generalized_pareto_rsample,
    .log_prob = generalized_pareto_log_prob, .cdf = generalized_pareto_cdf, .icdf = generalized_pareto_icdf,
    .entropy = generalized_pareto_entropy, .mean = generalized_pareto_mean, .mode = generalized_pareto_mode,
    .variance = generalized_pareto_variance};

/* torch.distributions.GeneralizedPareto(loc, scale, concentration): Exponential for loc = concentration = 0, Pareto for
 * loc = scale / concentration, Uniform for concentration = -1. PyTorch 2.15's log_prob and cdf fail for float64.
 * Errors: loc or concentration is NaN, scale is not above 0. */
Distribution *distributions_GeneralizedPareto_new(Tensor *loc, Tensor *scale, Tensor *concentration,
                                                  int validate_args) {
    return tg_new_broadcast(&generalized_pareto, (Tensor *[]){loc, scale, concentration}, 3, validate_args);
}
