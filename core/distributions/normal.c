/* core/distributions/normal.c: Normal, LogNormal and HalfNormal. */
#include "core/distributions/distribution_internal.h"

#define LOC(m) (m)->parameters[0]
#define SCALE(m) (m)->parameters[1]

/* ---- Normal(loc, scale): density exp(-(x - loc)^2 / (2 scale^2)) / (scale sqrt(2 pi)) ---- */

static Tensor *normal_sample(Distribution *m, const t_Tuple *shape, int samples) {
    (void)samples;
    return t_normal(tg_expand_to(LOC(m), shape), tg_expand_to(SCALE(m), shape), NULL, -1, NULL);
}

static Tensor *normal_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    (void)samples;
    return t_add(LOC(m), t_mul(tg_standard_normal(shape, LOC(m)->dtype), SCALE(m)));
}

static Tensor *square(Tensor *x) {
    return t_pow(x, t_integer(2));
}

static Tensor *normal_log_prob(Distribution *m, Tensor *value) {
    Tensor *distance = t_neg(square(t_sub(value, LOC(m))));
    Tensor *exponent = t_div(distance, t_mul(t_integer(2), square(SCALE(m))));
    return t_sub(t_sub(exponent, t_log(SCALE(m))), N(log(sqrt(2 * M_PI))));
}

static Tensor *normal_cdf(Distribution *m, Tensor *value) {
    Tensor *z = t_div(t_mul(t_sub(value, LOC(m)), t_reciprocal(SCALE(m))), N(sqrt(2)));
    return t_mul(N(0.5), t_add(t_integer(1), t_erf(z)));
}

static Tensor *normal_icdf(Distribution *m, Tensor *value) {
    Tensor *z = t_erfinv(t_sub(t_mul(t_integer(2), value), t_integer(1)));
    return t_add(LOC(m), t_mul(t_mul(SCALE(m), z), N(sqrt(2))));
}

static Tensor *normal_entropy(Distribution *m) {
    return t_add(N(0.5 + 0.5 * log(2 * M_PI)), t_log(SCALE(m)));
}

static Tensor *normal_loc(Distribution *m) {
    return LOC(m);
}

static Tensor *normal_variance(Distribution *m) {
    return square(SCALE(m));
}

static Tensor *normal_stddev(Distribution *m) {
    return SCALE(m);
}

const Family tg_normal = {
    .name = "Normal", .parameters = {{"loc", REAL}, {"scale", POSITIVE}}, .support = REAL,
    .sample = normal_sample, .rsample = normal_rsample, .log_prob = normal_log_prob, .cdf = normal_cdf,
    .icdf = normal_icdf, .entropy = normal_entropy, .mean = normal_loc, .mode = normal_loc,
    .variance = normal_variance, .stddev = normal_stddev};

/* torch.distributions.Normal(loc, scale). Errors: loc is NaN, scale is not above 0; shapes that do not broadcast. */
Distribution *distributions_Normal_new(Tensor *loc, Tensor *scale, int validate_args) {
    return tg_new_broadcast(&tg_normal, (Tensor *[]){loc, scale}, 2, validate_args);
}

/* ---- LogNormal(loc, scale): e^x of a normal x ---- */

static Tensor *log_normal_mean(Distribution *m) {
    return t_exp(t_add(LOC(m->base), t_div(square(SCALE(m->base)), t_integer(2))));
}

static Tensor *log_normal_mode(Distribution *m) {
    return t_exp(t_sub(LOC(m->base), t_square(SCALE(m->base))));
}

static Tensor *log_normal_variance(Distribution *m) {
    Tensor *variance = square(SCALE(m->base));
    return t_mul(t_expm1(variance), t_exp(t_add(t_mul(t_integer(2), LOC(m->base)), variance)));
}

static Tensor *log_normal_entropy(Distribution *m) {
    return t_add(tg_entropy(m->base), LOC(m->base));
}

static const Family log_normal = {
    .name = "LogNormal", TRANSFORMED_FUNCTIONS, TRANSFORMED_VALUES, .support = POSITIVE,
    .entropy = log_normal_entropy, .mean = log_normal_mean, .mode = log_normal_mode, .variance = log_normal_variance};

/* A family on a base, by one transform; the base and the transform are made in the scope of the call. */
static Distribution *of_normal(const Family *family, Distribution *base, Transform *transform, int validate_args) {
    return base && transform ? tg_transformed_new(family, base, &transform, 1, validate_args) : NULL;
}

/* torch.distributions.LogNormal(loc, scale): loc and scale are those of the logarithm. Errors as Normal. */
Distribution *distributions_LogNormal_new(Tensor *loc, Tensor *scale, int validate_args) {
    int depth = t_scope_open();
    Distribution *base = depth ? distributions_Normal_new(loc, scale, validate_args) : NULL;
    Distribution *m = base ? of_normal(&log_normal, base, distributions_ExpTransform_new(), validate_args) : NULL;
    return tg_scope_return(depth, m);
}

/* ---- HalfNormal(scale): |x| of a normal x with mean 0 ---- */

static bool half_normal_validate(Distribution *m) {
    return tg_validate_parameter(m, "scale", SCALE(m->base), tg_constraint(POSITIVE));
}

static Tensor *half_normal_mean(Distribution *m) {
    return t_mul(SCALE(m->base), N(sqrt(2 / M_PI)));
}

static Tensor *half_normal_mode(Distribution *m) {
    return t_zeros_like(SCALE(m->base));
}

static Tensor *half_normal_variance(Distribution *m) {
    return t_mul(square(SCALE(m->base)), N(1 - 2 / M_PI));
}

static Tensor *half_normal_log_prob(Distribution *m, Tensor *value) {
    Tensor *log_prob = t_add(tg_log_prob(m->base, value), N(log(2)));
    return t_where(t_ge(value, t_integer(0)), log_prob, N(-INFINITY));
}

static Tensor *half_normal_cdf(Distribution *m, Tensor *value) {
    return t_sub(t_mul(t_integer(2), tg_cdf(m->base, value)), t_integer(1));
}

static Tensor *half_normal_icdf(Distribution *m, Tensor *prob) {
    return tg_icdf(m->base, t_div(t_add(prob, t_integer(1)), t_integer(2)));
}

static Tensor *half_normal_entropy(Distribution *m) {
    return t_sub(tg_entropy(m->base), N(log(2)));
}

const Family tg_half_normal = {
    .name = "HalfNormal", TRANSFORMED_FUNCTIONS, .support = NONNEGATIVE, .validate = half_normal_validate,
    .log_prob = half_normal_log_prob, .cdf = half_normal_cdf, .icdf = half_normal_icdf,
    .entropy = half_normal_entropy, .mean = half_normal_mean, .mode = half_normal_mode,
    .variance = half_normal_variance};

/* torch.distributions.HalfNormal(scale). Error: scale is not above 0. */
Distribution *distributions_HalfNormal_new(Tensor *scale, int validate_args) {
    int depth = t_scope_open();
    Distribution *base = depth ? distributions_Normal_new(t_integer(0), scale, 0) : NULL;
    Distribution *m = base ? of_normal(&tg_half_normal, base, distributions_AbsTransform_new(), validate_args) : NULL;
    return tg_scope_return(depth, m);
}
