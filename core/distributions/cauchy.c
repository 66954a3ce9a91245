/* core/distributions/cauchy.c: Cauchy and HalfCauchy. */
#include "core/distributions/distribution_internal.h"

#define LOC(m) (m)->parameters[0]
#define SCALE(m) (m)->parameters[1]

/* ---- Cauchy(loc, scale): density 1 / (pi scale (1 + ((x - loc) / scale)^2)); no mean (NaN), variance infinity ---- */

static Tensor *cauchy_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    (void)samples;
    Tensor *eps = t_cauchy_(tg_empty_tensor(shape, LOC(m)->dtype), 0, 1, NULL);
    return t_add(LOC(m), t_mul(eps, SCALE(m)));
}

static Tensor *standardized(Distribution *m, Tensor *value) {
    return t_div(t_sub(value, LOC(m)), SCALE(m));
}

static Tensor *cauchy_log_prob(Distribution *m, Tensor *value) {
    Tensor *square = t_pow(standardized(m, value), t_integer(2));
    return t_sub(t_sub(N(-log(M_PI)), t_log(SCALE(m))), t_log1p(square));
}

static Tensor *cauchy_cdf(Distribution *m, Tensor *value) {
    return t_add(t_div(t_atan(standardized(m, value)), N(M_PI)), N(0.5));
}

static Tensor *cauchy_icdf(Distribution *m, Tensor *value) {
    return t_add(t_mul(t_tan(t_mul(N(M_PI), t_sub(value, N(0.5)))), SCALE(m)), LOC(m));
}

static Tensor *cauchy_entropy(Distribution *m) {
    return t_add(N(log(4 * M_PI)), t_log(SCALE(m)));
}

static Tensor *cauchy_mean(Distribution *m) {
    return tg_full_tensor(&m->batch_shape, NAN, LOC(m)->dtype);
}

static Tensor *cauchy_mode(Distribution *m) {
    return LOC(m);
}

static Tensor *cauchy_variance(Distribution *m) {
    return tg_full_tensor(&m->batch_shape, INFINITY, LOC(m)->dtype);
}

const Family tg_cauchy = {
    .name = "Cauchy", .parameters = {{"loc", REAL}, {"scale", POSITIVE}}, .support = REAL,
    .rsample = cauchy_rsample, .log_prob = cauchy_log_prob, .cdf = cauchy_cdf, .icdf = cauchy_icdf,
    .entropy = cauchy_entropy, .mean = cauchy_mean, .mode = cauchy_mode, .variance = cauchy_variance};

/* torch.distributions.Cauchy(loc, scale). Errors: loc is NaN, scale is not above 0. */
Distribution *distributions_Cauchy_new(Tensor *loc, Tensor *scale, int validate_args) {
    return tg_new_broadcast(&tg_cauchy, (Tensor *[]){loc, scale}, 2, validate_args);
}

/* ---- HalfCauchy(scale): |x| of a Cauchy x with loc 0 ---- */

static bool half_cauchy_validate(Distribution *m) {
    return tg_validate_parameter(m, "scale", SCALE(m->base), tg_constraint(POSITIVE));
}

static Tensor *half_cauchy_log_prob(Distribution *m, Tensor *value) {
    Tensor *log_prob = t_add(tg_log_prob(m->base, value), N(log(2)));
    return t_where(t_ge(value, t_integer(0)), log_prob, N(-INFINITY));
}

static Tensor *half_cauchy_cdf(Distribution *m, Tensor *value) {
    return t_sub(t_mul(t_integer(2), tg_cdf(m->base, value)), t_integer(1));
}

static Tensor *half_cauchy_icdf(Distribution *m, Tensor *prob) {
    return tg_icdf(m->base, t_div(t_add(prob, t_integer(1)), t_integer(2)));
}

static Tensor *half_cauchy_entropy(Distribution *m) {
    return t_sub(tg_entropy(m->base), N(log(2)));
}

static Tensor *half_cauchy_mean(Distribution *m) {
    return tg_full_tensor(&m->batch_shape, INFINITY, SCALE(m->base)->dtype);
}

static Tensor *half_cauchy_mode(Distribution *m) {
    return t_zeros_like(SCALE(m->base));
}

static Tensor *half_cauchy_variance(Distribution *m) {
    return tg_variance(m->base);
}

static const Family half_cauchy = {
    .name = "HalfCauchy", TRANSFORMED_FUNCTIONS, .support = NONNEGATIVE, .validate = half_cauchy_validate,
    .log_prob = half_cauchy_log_prob, .cdf = half_cauchy_cdf, .icdf = half_cauchy_icdf,
    .entropy = half_cauchy_entropy, .mean = half_cauchy_mean, .mode = half_cauchy_mode,
    .variance = half_cauchy_variance};

/* torch.distributions.HalfCauchy(scale). Error: scale is not above 0. */
Distribution *distributions_HalfCauchy_new(Tensor *scale, int validate_args) {
    int depth = t_scope_open();
    Distribution *base = depth ? distributions_Cauchy_new(t_integer(0), scale, 0) : NULL;
    Transform *absolute = base ? distributions_AbsTransform_new() : NULL;
    Distribution *m = absolute ? tg_transformed_new(&half_cauchy, base, &absolute, 1, validate_args) : NULL;
    return tg_scope_return(depth, m);
}
