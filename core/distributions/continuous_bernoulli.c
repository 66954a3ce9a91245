/* core/distributions/continuous_bernoulli.c: ContinuousBernoulli(probs): density C(p) p^x (1 - p)^(1 - x) on [0, 1]
 * (Loaiza-Ganem and Cunningham, "The continuous Bernoulli", 2019). Near p = 1/2, where C and the moments are 0 / 0, a
 * Taylor series takes their place: for p between the two limits m->limits. */
#include "core/distributions/distribution_internal.h"

static Tensor *probs(Distribution *m) {
    return m->parameters[0] ? m->parameters[0] : tg_clamp_probs(tg_logits_to_probs(m->parameters[1], true));
}

static Tensor *logits(Distribution *m) {
    return m->parameters[1] ? m->parameters[1] : tg_probs_to_logits(m->parameters[0], true);
}

static Tensor *continuous_bernoulli_parameter(Distribution *m, const char *name) {
    return name[0] == 'p' ? probs(m) : name[0] == 'l' ? logits(m) : NULL;
}

static Tensor *outside_of_limits(Distribution *m, Tensor *p) {
    return t_logical_or(t_le(p, N(m->limits[0])), t_gt(p, N(m->limits[1])));
}

/* p, and the lower limit where the series is taken */
static Tensor *safe_probs(Distribution *m, Tensor *p) {
    return t_where(outside_of_limits(m, p), p, t_mul(N(m->limits[0]), t_ones_like(p)));
}

/* log(1 - p) - log(p) */
static Tensor *minus_logit(Tensor *p) {
    return t_sub(t_log1p(t_neg(p)), t_log(p));
}

static Tensor *square_from_half(Tensor *p) {
    return t_pow(t_sub(p, N(0.5)), t_integer(2));
}

Tensor *tg_continuous_bernoulli_log_norm(Distribution *m) {
    Tensor *p = probs(m), *safe = safe_probs(m, p), *below = t_le(safe, N(0.5));
    Tensor *low = t_where(below, safe, t_zeros_like(safe));
    Tensor *high = t_where(t_ge(safe, N(0.5)), safe, t_ones_like(safe));
    Tensor *divisor = t_where(below, t_log1p(t_mul(N(-2), low)), t_log(t_sub(t_mul(N(2), high), N(1))));
    Tensor *log_norm = t_sub(t_log(t_abs(minus_logit(safe))), divisor), *x = square_from_half(p);
    Tensor *series = t_add(N(log(2)), t_mul(t_add(N(4.0 / 3), t_mul(N(104.0 / 45), x)), x));
    return t_where(outside_of_limits(m, p), log_norm, series);
}

static Tensor *continuous_bernoulli_mean(Distribution *m) {
    Tensor *p = probs(m), *safe = safe_probs(m, p);
    Tensor *mean = t_add(t_div(safe, t_sub(t_mul(N(2), safe), N(1))), t_reciprocal(minus_logit(safe)));
    Tensor *slope = t_add(N(1.0 / 3), t_mul(N(16.0 / 45), square_from_half(p)));
    return t_where(outside_of_limits(m, p), mean, t_add(N(0.5), t_mul(slope, t_sub(p, N(0.5)))));
}

static Tensor *continuous_bernoulli_variance(Distribution *m) {
    Tensor *p = probs(m), *safe = safe_probs(m, p), *two = t_integer(2), *x = square_from_half(p);
    Tensor *first = t_div(t_mul(safe, t_sub(safe, N(1))), t_pow(t_sub(N(1), t_mul(N(2), safe)), two));
    Tensor *variance = t_add(first, t_reciprocal(t_pow(minus_logit(safe), two)));
    Tensor *series = t_sub(N(1.0 / 12), t_mul(t_sub(N(1.0 / 15), t_mul(N(128.0 / 945), x)), x));
    return t_where(outside_of_limits(m, p), variance, series);
}

static Tensor *continuous_bernoulli_icdf(Distribution *m, Tensor *value) {
    Tensor *p = probs(m), *safe = safe_probs(m, p), *rest = t_neg(safe);
    Tensor *of_value = t_log1p(t_add(rest, t_mul(value, t_sub(t_mul(N(2), safe), N(1)))));
    Tensor *inverse = t_div(t_sub(of_value, t_log1p(rest)), t_neg(minus_logit(safe)));
    return t_where(outside_of_limits(m, p), inverse, value);
}

static Tensor *continuous_bernoulli_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    (void)samples;
    Tensor *given = m->parameters[0] ? m->parameters[0] : m->parameters[1];
    return continuous_bernoulli_icdf(m, t_uniform_(tg_empty_tensor(shape, given->dtype), 0, 1, NULL));
}

static Tensor *continuous_bernoulli_log_prob(Distribution *m, Tensor *value) {
    return t_sub(tg_continuous_bernoulli_log_norm(m), tg_binary_cross_entropy(logits(m), value));
}

/* (p^x (1 - p)^(1 - x) + p - 1) / (2 p - 1), 0 below the support and 1 above it */
static Tensor *continuous_bernoulli_cdf(Distribution *m, Tensor *value) {
    Tensor *p = probs(m), *safe = safe_probs(m, p), *one = N(1);
    Tensor *power = t_mul(t_pow(safe, value), t_pow(t_sub(one, safe), t_sub(one, value)));
    Tensor *cdf = t_div(t_sub(t_add(power, safe), one), t_sub(t_mul(N(2), safe), one));
    Tensor *inside = t_where(outside_of_limits(m, p), cdf, value);
    Tensor *up_to_one = t_where(t_ge(value, one), t_ones_like(value), inside);
    return t_where(t_le(value, N(0)), t_zeros_like(value), up_to_one);
}

static Tensor *continuous_bernoulli_entropy(Distribution *m) {
    Tensor *p = probs(m), *log_rest = t_log1p(t_neg(p));
    Tensor *of_mean = t_mul(continuous_bernoulli_mean(m), t_sub(log_rest, t_log(p)));
    return t_sub(t_sub(of_mean, tg_continuous_bernoulli_log_norm(m)), log_rest);
}

const Family tg_continuous_bernoulli = {
    .name = "ContinuousBernoulli", .parameters = {{"probs", UNIT_INTERVAL}, {"logits", REAL}},
    .support = UNIT_INTERVAL, .parameter = continuous_bernoulli_parameter, .rsample = continuous_bernoulli_rsample,
    .log_prob = continuous_bernoulli_log_prob, .cdf = continuous_bernoulli_cdf, .icdf = continuous_bernoulli_icdf,
    .entropy = continuous_bernoulli_entropy, .mean = continuous_bernoulli_mean,
    .variance = continuous_bernoulli_variance};

static Distribution *continuous_bernoulli_new(Tensor *p, Tensor *l, const double *limits, int validate_args) {
    Tensor *given = p ? p : l;
    if (!tg_broadcast_all(&given, 1)) return NULL;
    if (p && validate_args >= 0) {
        Tensor *valid = distributions_constraints_check(tg_constraint(UNIT_INTERVAL), given);
        Tensor *all = t_all(valid, NULL, 0, false);
        if (!all) return NULL;
        if (!tg_read_int64(all)) return tg_fail("The parameter probs has invalid values");
    }
    if (p) given = tg_clamp_probs(given);
    Distribution *m = tg_new_probs_or_logits(&tg_continuous_bernoulli, NULL, 0, p ? given : NULL, p ? NULL : given,
                                             validate_args);
    for (int i = 0; m && i < 2; i++) m->limits[i] = limits[i];
    return m;
}

/* torch.distributions.ContinuousBernoulli(probs, logits, lims=(lower, upper)): one of the two; probs are clamped into
 * (0, 1). PyTorch's limits are 0.499 and 0.501. Errors: both or neither; with validate_args given, probs outside of
 * [0, 1]. */
Distribution *distributions_ContinuousBernoulli_new(Tensor *p, Tensor *l, double lower, double upper,
                                                    int validate_args) {
    if (!tg_check_probs_or_logits(p, l)) return NULL;
    int depth = t_scope_open();
    const double limits[] = {lower, upper};
    return tg_scope_return(depth, depth ? continuous_bernoulli_new(p, l, limits, validate_args) : NULL);
}
