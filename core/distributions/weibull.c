/* core/distributions/weibull.c: Weibull(scale, concentration): scale x^(1 / concentration) of an Exponential x with
 * rate 1. */
#include "core/distributions/distribution_internal.h"

#define SCALE(m) (m)->parameters[0]
#define CONCENTRATION(m) (m)->parameters[1]

static Tensor *weibull_entropy(Distribution *m) {
    Tensor *reciprocal = t_reciprocal(CONCENTRATION(m)), *rest = t_sub(t_integer(1), reciprocal);
    return t_add(t_add(t_mul(N(EULER_GAMMA), rest), t_log(t_mul(SCALE(m), reciprocal))), t_integer(1));
}

/* the logarithm of gamma(1 + n / concentration) */
static Tensor *log_moment(Distribution *m, int n) {
    return t_lgamma(t_add(t_integer(1), t_mul(t_integer(n), t_reciprocal(CONCENTRATION(m)))));
}

static Tensor *weibull_mean(Distribution *m) {
    return t_mul(SCALE(m), t_exp(log_moment(m, 1)));
}

static Tensor *weibull_mode(Distribution *m) {
    Tensor *k = CONCENTRATION(m), *ratio = t_div(t_sub(k, t_integer(1)), k);
    return t_mul(SCALE(m), t_pow(ratio, t_reciprocal(k)));
}

static Tensor *weibull_variance(Distribution *m) {
    Tensor *difference = t_sub(t_exp(log_moment(m, 2)), t_exp(t_mul(t_integer(2), log_moment(m, 1))));
    return t_mul(t_pow(SCALE(m), t_integer(2)), difference);
}

static const Family weibull = {
    .name = "Weibull", TRANSFORMED_FUNCTIONS, TRANSFORMED_VALUES,
    .parameters = {{"scale", POSITIVE}, {"concentration", POSITIVE}}, .support = POSITIVE,
    .entropy = weibull_entropy, .mean = weibull_mean, .mode = weibull_mode, .variance = weibull_variance};

static Distribution *weibull_new(Tensor *scale, Tensor *concentration, int validate_args) {
    Tensor *x[] = {scale, concentration};
    if (!tg_broadcast_all(x, 2)) return NULL;
    Distribution *base = distributions_Exponential_new(t_ones_like(x[0]), validate_args);
    Tensor *exponent = base ? t_reciprocal(x[1]) : NULL;
    Transform *power = exponent ? distributions_PowerTransform_new(exponent) : NULL;
    Transform *scaled = power ? distributions_AffineTransform_new(t_integer(0), x[0], 0) : NULL;
    if (!scaled) return NULL;
    Transform *const transforms[] = {power, scaled};
    return tg_transformed_with_parameters(&weibull, base, transforms, 2, x, validate_args);
}

/* torch.distributions.Weibull(scale, concentration). Error: a parameter is not above 0. */
Distribution *distributions_Weibull_new(Tensor *scale, Tensor *concentration, int validate_args) {
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? weibull_new(scale, concentration, validate_args) : NULL);
}
