/* core/distributions/gumbel.c: Gumbel(loc, scale): loc - scale log(-log u) of a uniform u. */
#include "core/distributions/distribution_internal.h"

#define LOC(m) (m)->parameters[0]
#define SCALE(m) (m)->parameters[1]

static Tensor *gumbel_log_prob(Distribution *m, Tensor *value) {
    Tensor *y = t_div(t_sub(LOC(m), value), SCALE(m));
    return t_sub(t_sub(y, t_exp(y)), t_log(SCALE(m)));
}

static Tensor *gumbel_mean(Distribution *m) {
    return t_add(LOC(m), t_mul(SCALE(m), N(EULER_GAMMA)));
}

static Tensor *gumbel_mode(Distribution *m) {
    return LOC(m);
}

static Tensor *gumbel_stddev(Distribution *m) {
    return t_mul(N(M_PI / sqrt(6)), SCALE(m));
}

static Tensor *gumbel_variance(Distribution *m) {
    return t_pow(gumbel_stddev(m), t_integer(2));
}

static Tensor *gumbel_entropy(Distribution *m) {
    return t_add(t_log(SCALE(m)), N(1 + EULER_GAMMA));
}

const Family tg_gumbel = {
    .name = "Gumbel", TRANSFORMED_FUNCTIONS, .parameters = {{"loc", REAL}, {"scale", POSITIVE}}, .support = REAL,
    .log_prob = gumbel_log_prob, .cdf = tg_transformed_cdf, .base_validates_cdf = true, .icdf = tg_transformed_icdf,
    .entropy = gumbel_entropy, .mean = gumbel_mean, .mode = gumbel_mode, .variance = gumbel_variance,
    .stddev = gumbel_stddev};

/* x to log x, its negative, log of that, and loc - scale times it. */
static Distribution *gumbel_new(Tensor *loc, Tensor *scale, int validate_args) {
    Tensor *x[] = {loc, scale};
    if (!tg_broadcast_all(x, 2)) return NULL;
    const t_DType dtype = x[0]->dtype;
    Distribution *base = distributions_Uniform_new(t_full_like(x[0], tg_tiny(dtype)),
                                                   t_full_like(x[0], 1 - tg_eps(dtype)), validate_args);
    Transform *to_log = distributions_inv(distributions_ExpTransform_new());
    Transform *negative = distributions_AffineTransform_new(t_integer(0), t_neg(t_ones_like(x[1])), 0);
    Transform *scaled = distributions_AffineTransform_new(x[0], t_neg(x[1]), 0);
    if (!to_log || !negative || !scaled) return NULL;
    Transform *const transforms[] = {to_log, negative, to_log, scaled};
    return tg_transformed_with_parameters(&tg_gumbel, base, transforms, 4, x, validate_args);
}

/* torch.distributions.Gumbel(loc, scale). Errors: loc is NaN, scale is not above 0. */
Distribution *distributions_Gumbel_new(Tensor *loc, Tensor *scale, int validate_args) {
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? gumbel_new(loc, scale, validate_args) : NULL);
}
