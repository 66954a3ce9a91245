/* core/distributions/laplace.c: Laplace(loc, scale): density exp(-|x - loc| / scale) / (2 scale). */
#include "core/distributions/distribution_internal.h"

#define LOC(m) (m)->parameters[0]
#define SCALE(m) (m)->parameters[1]

/* loc - scale sign(u) log(1 - |u|): the inverse of the distribution function at u in (-1, 1). */
static Tensor *quantile(Distribution *m, Tensor *sign, Tensor *magnitude) {
    return t_sub(LOC(m), t_mul(t_mul(SCALE(m), sign), t_log1p(magnitude)));
}

static Tensor *laplace_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    (void)samples;
    Tensor *u = t_uniform_(tg_empty_tensor(shape, LOC(m)->dtype), tg_eps(LOC(m)->dtype) - 1, 1, NULL);
    return quantile(m, t_sign(u), t_neg(t_abs(u)));
}

static Tensor *laplace_log_prob(Distribution *m, Tensor *value) {
    return t_sub(t_neg(t_log(t_mul(t_integer(2), SCALE(m)))), t_div(t_abs(t_sub(value, LOC(m))), SCALE(m)));
}

static Tensor *laplace_cdf(Distribution *m, Tensor *value) {
    Tensor *distance = t_sub(value, LOC(m)), *tail = t_expm1(t_div(t_neg(t_abs(distance)), SCALE(m)));
    return t_sub(N(0.5), t_mul(t_mul(N(0.5), t_sign(distance)), tail));
}

static Tensor *laplace_icdf(Distribution *m, Tensor *value) {
    Tensor *term = t_sub(value, N(0.5));
    return quantile(m, t_sign(term), t_mul(t_integer(-2), t_abs(term)));
}

static Tensor *laplace_entropy(Distribution *m) {
    return t_add(t_integer(1), t_log(t_mul(t_integer(2), SCALE(m))));
}

static Tensor *laplace_loc(Distribution *m) {
    return LOC(m);
}

static Tensor *laplace_variance(Distribution *m) {
    return t_mul(t_integer(2), t_pow(SCALE(m), t_integer(2)));
}

static Tensor *laplace_stddev(Distribution *m) {
    return t_mul(N(sqrt(2)), SCALE(m));
}

const Family tg_laplace = {
    .name = "Laplace", .parameters = {{"loc", REAL}, {"scale", POSITIVE}}, .support = REAL,
    .rsample = laplace_rsample, .log_prob = laplace_log_prob, .cdf = laplace_cdf, .icdf = laplace_icdf,
    .entropy = laplace_entropy, .mean = laplace_loc, .mode = laplace_loc, .variance = laplace_variance,
    .stddev = laplace_stddev};

/* torch.distributions.Laplace(loc, scale). Errors: loc is NaN, scale is not above 0. */
Distribution *distributions_Laplace_new(Tensor *loc, Tensor *scale, int validate_args) {
    return tg_new_broadcast(&tg_laplace, (Tensor *[]){loc, scale}, 2, validate_args);
}
