/* core/distributions/exponential.c: Exponential(rate): density rate exp(-rate x), x >= 0. */
#include "core/distributions/distribution_internal.h"

#define RATE(m) (m)->parameters[0]

static Tensor *exponential_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    (void)samples;
    return t_div(t_exponential_(tg_empty_tensor(shape, RATE(m)->dtype), 1, NULL), RATE(m));
}

static Tensor *exponential_log_prob(Distribution *m, Tensor *value) {
    return t_sub(t_log(RATE(m)), t_mul(RATE(m), value));
}

static Tensor *exponential_cdf(Distribution *m, Tensor *value) {
    return t_sub(t_integer(1), t_exp(t_mul(t_neg(RATE(m)), value)));
}

static Tensor *exponential_icdf(Distribution *m, Tensor *value) {
    return t_div(t_neg(t_log1p(t_neg(value))), RATE(m));
}

static Tensor *exponential_entropy(Distribution *m) {
    return t_sub(N(1), t_log(RATE(m)));
}

static Tensor *exponential_mean(Distribution *m) {
    return t_reciprocal(RATE(m));
}

static Tensor *exponential_mode(Distribution *m) {
    return t_zeros_like(RATE(m));
}

static Tensor *exponential_variance(Distribution *m) {
    return t_pow(RATE(m), t_integer(-2));
}

const Family tg_exponential = {
    .name = "Exponential", .parameters = {{"rate", POSITIVE}}, .support = NONNEGATIVE,
    .rsample = exponential_rsample, .log_prob = exponential_log_prob, .cdf = exponential_cdf,
    .icdf = exponential_icdf, .entropy = exponential_entropy, .mean = exponential_mean, .mode = exponential_mode,
    .variance = exponential_variance, .stddev = exponential_mean};

/* torch.distributions.Exponential(rate). Error: rate is not above 0. */
Distribution *distributions_Exponential_new(Tensor *rate, int validate_args) {
    return tg_new_broadcast(&tg_exponential, &rate, 1, validate_args);
}
