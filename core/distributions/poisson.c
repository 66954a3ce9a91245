/* core/distributions/poisson.c: Poisson(rate): probability rate^k e^-rate / k! of k = 0, 1, 2, ... */
#include "core/distributions/distribution_internal.h"

#define RATE(m) (m)->parameters[0]

static Tensor *poisson_sample(Distribution *m, const t_Tuple *shape, int samples) {
    (void)samples;
    return t_poisson(tg_expand_to(RATE(m), shape), NULL);
}

static Tensor *poisson_log_prob(Distribution *m, Tensor *value) {
    return t_sub(t_sub(t_xlogy(value, RATE(m)), RATE(m)), t_lgamma(t_add(value, t_integer(1))));
}

static Tensor *poisson_mean(Distribution *m) {
    return RATE(m);
}

static Tensor *poisson_mode(Distribution *m) {
    return t_floor(RATE(m));
}

const Family tg_poisson = {
    .name = "Poisson", .parameters = {{"rate", NONNEGATIVE}}, .support = NONNEGATIVE_INTEGER,
    .sample = poisson_sample, .log_prob = poisson_log_prob, .mean = poisson_mean, .mode = poisson_mode,
    .variance = poisson_mean};

/* torch.distributions.Poisson(rate). As in PyTorch it has no entropy. Error: rate is negative. */
Distribution *distributions_Poisson_new(Tensor *rate, int validate_args) {
    return tg_new_broadcast(&tg_poisson, &rate, 1, validate_args);
}
