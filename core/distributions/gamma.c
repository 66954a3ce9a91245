/* core/distributions/gamma.c: Gamma(concentration, rate), density x^(a - 1) e^(-rate x) rate^a / gamma(a); Chi2(df),
 * which is Gamma(df / 2, 1/2); InverseGamma(concentration, rate), 1 / x of a Gamma x. */
#include "core/distributions/distribution_internal.h"
#include "core/ops/creation/gamma_internal.h"

#define CONCENTRATION(m) (m)->parameters[0]
#define RATE(m) (m)->parameters[1]

static Tensor *gamma_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    (void)samples;
    Tensor *standard = tg_standard_gamma(tg_expand_to(CONCENTRATION(m), shape), NULL);
    Tensor *x = t_div(standard, tg_expand_to(RATE(m), shape));
    /* the values are above 0 even where they are rounded to it; the gradient stays */
    return t_clamp_min_(t_detach(x), N(tg_tiny(RATE(m)->dtype))) ? x : NULL;
}

static Tensor *gamma_log_prob(Distribution *m, Tensor *value) {
    Tensor *a = CONCENTRATION(m), *rate = RATE(m);
    Tensor *of_value = t_add(t_xlogy(a, rate), t_xlogy(t_sub(a, t_integer(1)), value));
    return t_sub(t_sub(of_value, t_mul(rate, value)), t_lgamma(a));
}

static Tensor *gamma_cdf(Distribution *m, Tensor *value) {
    return t_igamma(CONCENTRATION(m), t_mul(RATE(m), value));
}

static Tensor *gamma_entropy(Distribution *m) {
    Tensor *a = CONCENTRATION(m), *rest = t_mul(t_sub(N(1), a), t_digamma(a));
    return t_add(t_add(t_sub(a, t_log(RATE(m))), t_lgamma(a)), rest);
}

static Tensor *gamma_mean(Distribution *m) {
    return t_div(CONCENTRATION(m), RATE(m));
}

static Tensor *gamma_mode(Distribution *m) {
    return t_clamp_min(t_div(t_sub(CONCENTRATION(m), t_integer(1)), RATE(m)), t_integer(0));
}

static Tensor *gamma_variance(Distribution *m) {
    return t_div(CONCENTRATION(m), t_pow(RATE(m), t_integer(2)));
}

#define GAMMA_FUNCTIONS                                                                                             \
    .support = NONNEGATIVE, .rsample = gamma_rsample, .log_prob = gamma_log_prob, .takes_numbers = true,            \
    .cdf = gamma_cdf, .entropy = gamma_entropy, .mean = gamma_mean, .mode = gamma_mode, .variance = gamma_variance
const Family tg_gamma = {
    .name = "Gamma", .parameters = {{"concentration", POSITIVE}, {"rate", POSITIVE}}, GAMMA_FUNCTIONS};

/* torch.distributions.Gamma(concentration, rate). The gradient of rsample with respect to the concentration is the
 * implicit one. Error: a parameter is not above 0. */
Distribution *distributions_Gamma_new(Tensor *concentration, Tensor *rate, int validate_args) {
    return tg_new_broadcast(&tg_gamma, (Tensor *[]){concentration, rate}, 2, validate_args);
}

/* ---- Chi2(df) ---- */

static Tensor *chi2_parameter(Distribution *m, const char *name) {
    return name[0] == 'd' ? t_mul(CONCENTRATION(m), t_integer(2)) : NULL;
}

static bool chi2_validate(Distribution *m) {
    return tg_validate_parameter(m, "df", chi2_parameter(m, "df"), tg_constraint(POSITIVE));
}

static const Family chi2 = {
    .name = "Chi2", .parent = &tg_gamma, .parameters = {{"concentration", NO_CONSTRAINT}, {"rate", NO_CONSTRAINT}},
    .parameter = chi2_parameter, .validate = chi2_validate, GAMMA_FUNCTIONS};

/* torch.distributions.Chi2(df). Error: df is not above 0. */
Distribution *distributions_Chi2_new(Tensor *df, int validate_args) {
    if (!tg_check(df, 1)) return NULL;
    int depth = t_scope_open();
    Tensor *half = df->wrapped_number ? N(0.5 * tg_read_double(df)) : t_mul(N(0.5), df);
    Distribution *m = depth && half ? tg_new_broadcast(&chi2, (Tensor *[]){half, N(0.5)}, 2, validate_args) : NULL;
    return tg_scope_return(depth, m);
}

/* ---- InverseGamma(concentration, rate) ---- */

static Tensor *inverse_gamma_entropy(Distribution *m) {
    Tensor *a = CONCENTRATION(m->base), *slope = t_mul(t_add(t_integer(1), a), t_digamma(a));
    return t_sub(t_add(t_add(a, t_log(RATE(m->base))), t_lgamma(a)), slope);
}

static Tensor *inverse_gamma_mean(Distribution *m) {
    Tensor *a = CONCENTRATION(m->base), *mean = t_div(RATE(m->base), t_sub(a, t_integer(1)));
    return t_where(t_gt(a, t_integer(1)), mean, N(INFINITY));
}

static Tensor *inverse_gamma_mode(Distribution *m) {
    return t_div(RATE(m->base), t_add(CONCENTRATION(m->base), t_integer(1)));
}

/* rate^2 / ((a - 1)^2 (a - 2)) for a > 2, else infinity */
static Tensor *inverse_gamma_variance(Distribution *m) {
    Tensor *a = CONCENTRATION(m->base), *two = t_integer(2);
    Tensor *divisor = t_mul(t_square(t_sub(a, t_integer(1))), t_sub(a, two));
    return t_where(t_gt(a, two), t_div(t_square(RATE(m->base)), divisor), N(INFINITY));
}

static const Family inverse_gamma = {
    .name = "InverseGamma", TRANSFORMED_FUNCTIONS, TRANSFORMED_VALUES, .support = POSITIVE,
    .entropy = inverse_gamma_entropy, .mean = inverse_gamma_mean, .mode = inverse_gamma_mode,
    .variance = inverse_gamma_variance};

/* torch.distributions.InverseGamma(concentration, rate). Error: a parameter is not above 0. */
Distribution *distributions_InverseGamma_new(Tensor *concentration, Tensor *rate, int validate_args) {
    int depth = t_scope_open();
    Distribution *base = depth ? distributions_Gamma_new(concentration, rate, validate_args) : NULL;
    Tensor *minus_one = base ? tg_full_tensor(&(t_Tuple){.len = 0}, -1, RATE(base)->dtype) : NULL;
    Transform *reciprocal = minus_one ? distributions_PowerTransform_new(minus_one) : NULL;
    Distribution *m = reciprocal ? tg_transformed_new(&inverse_gamma, base, &reciprocal, 1, validate_args) : NULL;
    return tg_scope_return(depth, m);
}
