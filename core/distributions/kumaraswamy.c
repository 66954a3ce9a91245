/* core/distributions/kumaraswamy.c: Kumaraswamy(concentration1, concentration0), a and b here: (1 - u^(1/b))^(1/a) of a
 * uniform u; density a b x^(a - 1) (1 - x^a)^(b - 1). */
#include "core/distributions/distribution_internal.h"

#define CONCENTRATION1(m) (m)->parameters[0]
#define CONCENTRATION0(m) (m)->parameters[1]

/* the mean of x^n: b beta(1 + n / a, b) */
static Tensor *moment(Distribution *m, int n) {
    Tensor *b = CONCENTRATION0(m), *first = t_add(t_integer(1), t_div(t_integer(n), CONCENTRATION1(m)));
    Tensor *log_beta = t_sub(t_add(t_lgamma(first), t_lgamma(b)), t_lgamma(t_add(first, b)));
    return t_mul(b, t_exp(log_beta));
}

static Tensor *kumaraswamy_mean(Distribution *m) {
    return moment(m, 1);
}

/* ((1 - a) / (1 - a b))^(1/a) is what the density has; PyTorch computes log1p(-b) / b - log1p(-a b). */
static Tensor *kumaraswamy_mode(Distribution *m) {
    Tensor *a = CONCENTRATION1(m), *b = CONCENTRATION0(m), *one = t_integer(1);
    Tensor *log_mode = t_sub(t_mul(t_reciprocal(b), t_log1p(t_neg(b))), t_log1p(t_mul(t_neg(b), a)));
    return t_exp(t_masked_fill(log_mode, t_logical_or(t_lt(b, one), t_lt(a, one)), N(NAN)));
}

static Tensor *kumaraswamy_variance(Distribution *m) {
    return t_sub(moment(m, 2), t_pow(moment(m, 1), t_integer(2)));
}

static Tensor *kumaraswamy_entropy(Distribution *m) {
    Tensor *a = CONCENTRATION1(m), *b = CONCENTRATION0(m), *one = t_integer(1);
    Tensor *t1 = t_sub(one, t_reciprocal(a)), *t0 = t_sub(one, t_reciprocal(b));
    Tensor *harmonic = t_add(t_digamma(t_add(b, one)), N(EULER_GAMMA));
    return t_sub(t_sub(t_add(t0, t_mul(t1, harmonic)), t_log(a)), t_log(b));
}

static const Family kumaraswamy = {
    .name = "Kumaraswamy", TRANSFORMED_FUNCTIONS, TRANSFORMED_VALUES,
    .parameters = {{"concentration1", POSITIVE}, {"concentration0", POSITIVE}}, .support = UNIT_INTERVAL,
    .entropy = kumaraswamy_entropy, .mean = kumaraswamy_mean, .mode = kumaraswamy_mode,
    .variance = kumaraswamy_variance};

static Distribution *kumaraswamy_new(Tensor *a, Tensor *b, int validate_args) {
    Tensor *x[] = {a, b};
    if (!tg_broadcast_all(x, 2)) return NULL;
    Distribution *base = distributions_Uniform_new(t_zeros_like(x[1]), t_ones_like(x[1]), validate_args);
    Tensor *exponent0 = base ? t_reciprocal(x[1]) : NULL, *exponent1 = base ? t_reciprocal(x[0]) : NULL;
    if (!exponent0 || !exponent1) return NULL;
    Transform *first = distributions_PowerTransform_new(exponent0);
    Transform *rest = distributions_AffineTransform_new(N(1), N(-1), 0);
    Transform *last = distributions_PowerTransform_new(exponent1);
    if (!first || !rest || !last) return NULL;
    Transform *const transforms[] = {first, rest, last};
    return tg_transformed_with_parameters(&kumaraswamy, base, transforms, 3, x, validate_args);
}

/* torch.distributions.Kumaraswamy(concentration1, concentration0). Error: a parameter is not above 0. */
Distribution *distributions_Kumaraswamy_new(Tensor *concentration1, Tensor *concentration0, int validate_args) {
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? kumaraswamy_new(concentration1, concentration0, validate_args) : NULL);
}
