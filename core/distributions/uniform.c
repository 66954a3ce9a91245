/* core/distributions/uniform.c: Uniform(low, high): density 1 / (high - low) in [low, high]. */
#include "core/distributions/distribution_internal.h"

#define LOW(m) (m)->parameters[0]
#define HIGH(m) (m)->parameters[1]

static Tensor *width(Distribution *m) {
    return t_sub(HIGH(m), LOW(m));
}

static bool uniform_validate(Distribution *m) {
    return tg_validate_parameter(m, "low", LOW(m), distributions_constraints_less_than(HIGH(m))) &&
           tg_validate_parameter(m, "high", HIGH(m), distributions_constraints_greater_than(LOW(m)));
}

static Constraint *uniform_support(Distribution *m) {
    return distributions_constraints_interval(LOW(m), HIGH(m));
}

static Tensor *uniform_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    (void)samples;
    Tensor *rand = t_uniform_(tg_empty_tensor(shape, LOW(m)->dtype), 0, 1, NULL);
    return t_add(LOW(m), t_mul(rand, width(m)));
}

static Tensor *uniform_log_prob(Distribution *m, Tensor *value) {
    Tensor *inside = t_mul(t_type_as(t_le(LOW(m), value), LOW(m)), t_type_as(t_gt(HIGH(m), value), LOW(m)));
    return t_sub(t_log(inside), t_log(width(m)));
}

static Tensor *uniform_cdf(Distribution *m, Tensor *value) {
    return t_clamp(t_div(t_sub(value, LOW(m)), width(m)), t_integer(0), t_integer(1));
}

static Tensor *uniform_icdf(Distribution *m, Tensor *value) {
    return t_add(t_mul(value, width(m)), LOW(m));
}

static Tensor *uniform_entropy(Distribution *m) {
    return t_log(width(m));
}

static Tensor *uniform_mean(Distribution *m) {
    return t_div(t_add(HIGH(m), LOW(m)), t_integer(2));
}

static Tensor *uniform_mode(Distribution *m) {
    return t_mul(N(NAN), HIGH(m));
}

static Tensor *uniform_variance(Distribution *m) {
    return t_div(t_pow(width(m), t_integer(2)), t_integer(12));
}

static Tensor *uniform_stddev(Distribution *m) {
    return t_div(width(m), N(sqrt(12)));
}

const Family tg_uniform = {
    .name = "Uniform", .parameters = {{"low", DEPENDENT}, {"high", DEPENDENT}}, .validate = uniform_validate,
    .dependent_support = uniform_support, .rsample = uniform_rsample, .log_prob = uniform_log_prob,
    .cdf = uniform_cdf, .icdf = uniform_icdf, .entropy = uniform_entropy, .mean = uniform_mean,
    .mode = uniform_mode, .variance = uniform_variance, .stddev = uniform_stddev};

/* torch.distributions.Uniform(low, high). Error: low is not below high. */
Distribution *distributions_Uniform_new(Tensor *low, Tensor *high, int validate_args) {
    return tg_new_broadcast(&tg_uniform, (Tensor *[]){low, high}, 2, validate_args);
}
