/* tests/support/models/schedule_cases.h: the schedules of golden/record_schedules.py, for the suites that run them. */
#ifndef TAPEGRAD_TESTS_SUPPORT_MODELS_SCHEDULE_CASES_H
#define TAPEGRAD_TESTS_SUPPORT_MODELS_SCHEDULE_CASES_H

#include <math.h>
#include <string.h>

#include "core/core.h"
#include "optim/optim.h"
#include "tests/support/support.h"

/* ---- the schedules: o is the optimizer, e last_epoch ---- */

static double hyperbola(int64_t epoch, void *context) {
    (void)context;
    return 1 / (double)(1 + epoch);
}

static double shrinking(int64_t epoch, void *context) {
    (void)context;
    return 1 - 1 / (double)(2 + epoch);
}

static optim_LRScheduler *cycle_of_two(optim_Optimizer *o, int64_t e) {
    const double max_lrs[] = {0.1, 0.3};
    return optim_OneCycleLR(o, .max_lrs = max_lrs, .total_steps = 110, .base_momentum = 0.7, .max_momentum = 0.9,
                            .div_factor = 10, .final_div_factor = 100, .last_epoch = e);
}

static double inverse(double x, void *context) {
    (void)context;
    return 1 / (1 + x);
}

#define SCHEDULES(X) \
    X(lambda, optim_LambdaLR(o, hyperbola, e)) \
    X(multiplicative, optim_MultiplicativeLR(o, shrinking, .last_epoch = e)) \
    X(step, optim_StepLR(o, 6, 0.7, e)) \
    X(step_of_one, optim_StepLR(o, .step_size = 1, .last_epoch = e)) \
    X(multi_step, optim_MultiStepLR(o, {30, 4, 18, 30, 75}, 0.3, e)) \
    X(exponential, optim_ExponentialLR(o, 0.93, e)) \
    X(constant, optim_ConstantLR(o, .last_epoch = e)) \
    X(constant_long, optim_ConstantLR(o, 0.3, 20, e)) \
    X(linear, optim_LinearLR(o, .last_epoch = e)) \
    X(linear_down, optim_LinearLR(o, 0.9, 0.1, 33, e)) \
    X(polynomial, optim_PolynomialLR(o, .last_epoch = e)) \
    X(polynomial_long, optim_PolynomialLR(o, 50, 1.7, e)) \
    X(cosine, optim_CosineAnnealingLR(o, 12, .last_epoch = e)) \
    X(cosine_min, optim_CosineAnnealingLR(o, .T_max = 100, .eta_min = 0.001, .last_epoch = e)) \
    X(restarts, optim_CosineAnnealingWarmRestarts(o, 10, .last_epoch = e)) \
    X(restarts_longer, optim_CosineAnnealingWarmRestarts(o, 5, 2, 0.01, e)) \
    X(one_cycle, optim_OneCycleLR(o, 0.1, .total_steps = 100, .last_epoch = e)) \
    X(one_cycle_three, optim_OneCycleLR(o, .max_lr = 2, .epochs = 20, .steps_per_epoch = 6, .pct_start = 0.25, \
                                        .anneal_strategy = "linear", .three_phase = true, .last_epoch = e)) \
    X(one_cycle_adam, cycle_of_two(o, e)) \
    X(one_cycle_still, optim_OneCycleLR(o, 0.1, 110, .cycle_momentum = false, .last_epoch = e)) \
    X(sequential, optim_SequentialLR(o, {optim_LinearLR(o, 0.1, .total_iters = 8), optim_CosineAnnealingLR(o, 30), \
                                         optim_ExponentialLR(o, 0.9), optim_StepLR(o, 5), optim_OneCycleLR(o, 0.2, \
                                             60)}, \
                                     .milestones = {8, 30, 40, 52})) \
    X(sequential_others, optim_SequentialLR(o, {optim_ConstantLR(o, 0.5, 3), optim_MultiStepLR(o, {2, 9}), \
                                                optim_CosineAnnealingWarmRestarts(o, 7), \
                                                optim_PolynomialLR(o, 9, 2.0), optim_LambdaLR(o, hyperbola)}, \
                                            {5, 17, 38, 50})) \
    X(cyclic, optim_CyclicLR(o, 0.01, 0.2, 7, .last_epoch = e)) \
    X(cyclic_down, optim_CyclicLR(o, 0.01, 0.2, 4, 9, "triangular2", .last_epoch = e)) \
    X(cyclic_power_adam, optim_CyclicLR(o, .base_lr = 0.01, .max_lr = 0.2, .step_size_up = 5, .mode = "exp_range", \
                                        .gamma = 0.95, .base_momentum = 0.7, .max_momentum = 0.95, \
                                        .last_epoch = e)) \
    X(cyclic_function, optim_CyclicLR(o, 0.01, 0.2, 5, .scale_fn = inverse, .scale_mode = "iterations", \
                                      .cycle_momentum = false, .last_epoch = e)) \
    X(swa, optim_SWALR(o, 0.05, .last_epoch = e)) \
    X(swa_linear, optim_SWALR(o, .swa_lr = 0.1, .anneal_epochs = 7, .anneal_strategy = "linear", .last_epoch = e)) \
    X(swa_at_once, optim_SWALR(o, 0.1, 0, .last_epoch = e)) \
    X(chained, optim_ChainedScheduler(optim_ConstantLR(o, 0.1, 4), optim_ExponentialLR(o, 0.9))) \
    X(plateau, optim_ReduceLROnPlateau(o)) \
    X(plateau_abs, optim_ReduceLROnPlateau(o, "min", 0.5, 3, 0.2, "abs", 4, 0.003, 1e-3)) \
    X(plateau_max, optim_ReduceLROnPlateau(o, .mode = "max", .factor = 0.8, .patience = 2, .threshold = 0.1)) \
    X(plateau_max_abs, optim_ReduceLROnPlateau(o, "max", 0.8, 5, 0.01, "abs"))

#define MAKE(name, call)                                                        \
    static optim_LRScheduler *make_##name(optim_Optimizer *o, int64_t e) {      \
        (void)e;                                                                \
        return call;                                                            \
    }
SCHEDULES(MAKE)
#define ROW(name, call) {#name, make_##name},
static const struct {
    const char *name;
    optim_LRScheduler *(*make)(optim_Optimizer *o, int64_t last_epoch);
} schedules[] = {SCHEDULES(ROW)};
enum { COUNT = sizeof schedules / sizeof *schedules, MOST_EPOCHS = 100 };

/* ---- parameters, optimizers and the metric ---- */

static Tensor *parameter(void) {
    return t_zeros(1, .requires_grad = true);
}

static optim_Optimizer *optimizer_for(const char *name) {
    const size_t n = strlen(name);
    optim_Optimizer *o = n > 4 && strcmp(name + n - 4, "adam") == 0 ? optim_Adam(t_list(parameter()), .lr = 0.5)
                                                                    : optim_SGD(t_list(parameter()), 0.5, 0.9);
    ck_assert(optim_add_param_group(o, t_list(parameter()), .lr = 0.02));
    return o;
}

/* Falls, is constant, and falls a little again. */
static double metric(int epoch) {
    return 4.0 - 0.25 * (epoch < 9 ? epoch : 9) - (epoch > 60 ? 0.125 : 0) + 0.0625 * (epoch % 3);
}

#endif
