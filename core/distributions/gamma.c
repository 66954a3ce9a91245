/* core/distributions/gamma.c: Gamma(concentration, rate), density x^(a - 1) e^(-rate x) rate^a / gamma(a), and
 * Chi2(df), which is Gamma(df / 2, 1/2). */
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
