/* optim/lr_scheduler/factor_schedules.c: the schedules that multiply the lr by a factor: LambdaLR, MultiplicativeLR,
 * StepLR, MultiStepLR, ExponentialLR, ConstantLR, LinearLR, PolynomialLR. Formulas in PyTorch's order of operations, so
 * that results agree bit for bit. */
#include <stdio.h>

#include "optim/lr_scheduler/lr_scheduler_internal.h"

static double lr_of(const optim_LRScheduler *s, int64_t g) {
    return s->optimizer->param_groups[g].lr;
}

static double base_lr(const optim_LRScheduler *s, int64_t g) {
    return s->base_lrs[g];
}

/* ---- LambdaLR, MultiplicativeLR: context is passed to lr_lambda ---- */

static double lambda_lr(const optim_LRScheduler *s, int64_t g) {
    return s->base_lrs[g] * s->lambda.f(s->last_epoch, s->lambda.context);
}

static double multiplicative_lr(const optim_LRScheduler *s, int64_t g) {
    return s->is_initial ? lr_of(s, g) : lr_of(s, g) * s->lambda.f(s->last_epoch, s->lambda.context);
}

/* PyTorch does not save functions: its list has a None for each group. */
static bool lambda_state(tg_StateIO *io, optim_LRScheduler *s) {
    char key[40];
    bool ok = true;
    for (int64_t g = 0; ok && io->mode == tg_writing && g < s->groups; g++) {
        snprintf(key, sizeof key, "lr_lambdas.%lld", (long long)g);
        ok = tg_io_put_text(io, key, "None");
    }
    return ok;
}

static const tg_Schedule lambda = {.name = "LambdaLR", .calls_user = true, .get_lr = lambda_lr, .state = lambda_state};
static const tg_Schedule multiplicative = {
    .name = "MultiplicativeLR", .calls_user = true, .get_lr = multiplicative_lr, .state = lambda_state};

const optim_LambdaLROptions optim_LambdaLRDefaults = {OPTIM_LAMBDA_LR_DEFAULTS_};

static optim_LRScheduler *with_function(const tg_Schedule *schedule, optim_Optimizer *optimizer, optim_LRLambda f,
                                        const optim_LambdaLROptions *options) {
    optim_LambdaLROptions o = optim_LambdaLRDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (!f) return tg_fail("argument 2 is NULL where a function is expected");
    return tg_scheduler_new(optimizer, (optim_LRScheduler){.schedule = schedule, .last_epoch = o.last_epoch,
                                                           .lambda = {f, o.context}});
}

optim_LRScheduler *optim_LambdaLR_new(optim_Optimizer *optimizer, optim_LRLambda lr_lambda,
                                      const optim_LambdaLROptions *options) {
    return with_function(&lambda, optimizer, lr_lambda, options);
}

optim_LRScheduler *optim_MultiplicativeLR_new(optim_Optimizer *optimizer, optim_LRLambda lr_lambda,
                                              const optim_LambdaLROptions *options) {
    return with_function(&multiplicative, optimizer, lr_lambda, options);
}

/* ---- StepLR. Error: step_size < 1 (PyTorch divides by it) ---- */

static double step_lr(const optim_LRScheduler *s, int64_t g) {
    return s->last_epoch == 0 || s->last_epoch % s->step.step_size != 0 ? lr_of(s, g) : lr_of(s, g) * s->step.gamma;
}

static bool step_state(tg_StateIO *io, optim_LRScheduler *s) {
    return tg_io_int64(io, "step_size", &s->step.step_size, 1) && tg_io_number(io, "gamma", &s->step.gamma);
}

static const tg_Schedule step_schedule = {
    .name = "StepLR", .get_lr = step_lr, .first_lr = base_lr, .state = step_state};

const optim_StepLROptions optim_StepLRDefaults = {OPTIM_STEP_LR_DEFAULTS_};

optim_LRScheduler *optim_StepLR_new(optim_Optimizer *optimizer, const optim_StepLROptions *options) {
    optim_StepLROptions o = optim_StepLRDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (o.step_size < 1) return tg_fail("Expected positive integer step_size, but got %lld", (long long)o.step_size);
    return tg_scheduler_new(optimizer, (optim_LRScheduler){.schedule = &step_schedule, .last_epoch = o.last_epoch,
                                                           .step = {o.gamma, o.step_size}});
}

/* ---- MultiStepLR: an epoch may be listed twice ---- */

static double multi_step_lr(const optim_LRScheduler *s, int64_t g) {
    int64_t here = tg_milestones_passed(s, s->last_epoch) - tg_milestones_passed(s, s->last_epoch - 1);
    return here ? lr_of(s, g) * pow(s->step.gamma, (double)here) : lr_of(s, g);
}

static double multi_step_first_lr(const optim_LRScheduler *s, int64_t g) {
    return s->base_lrs[g] * pow(s->step.gamma, (double)tg_milestones_passed(s, 0));
}

static bool multi_step_state(tg_StateIO *io, optim_LRScheduler *s) {
    return tg_io_milestones(io, s) && tg_io_number(io, "gamma", &s->step.gamma);
}

static const tg_Schedule multi_step = {.name = "MultiStepLR", .get_lr = multi_step_lr, .first_lr = multi_step_first_lr,
                                       .state = multi_step_state};

const optim_MultiStepLROptions optim_MultiStepLRDefaults = {OPTIM_MULTI_STEP_LR_DEFAULTS_};

optim_LRScheduler *optim_MultiStepLR_new(optim_Optimizer *optimizer, const int64_t *milestones, int64_t count,
                                         const optim_MultiStepLROptions *options) {
    optim_MultiStepLROptions o = optim_MultiStepLRDefaults;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_array(milestones, count, 2, "milestones")) return NULL;
    return tg_scheduler_new(optimizer, (optim_LRScheduler){.schedule = &multi_step, .last_epoch = o.last_epoch,
                                                           .step = {.gamma = o.gamma}, .milestone_count = count,
                                                           .milestones = (int64_t *)milestones});
}

/* ---- ExponentialLR ---- */

static double exponential_lr(const optim_LRScheduler *s, int64_t g) {
    return s->is_initial ? lr_of(s, g) : lr_of(s, g) * s->step.gamma;
}

static bool exponential_state(tg_StateIO *io, optim_LRScheduler *s) {
    return tg_io_number(io, "gamma", &s->step.gamma);
}

static const tg_Schedule exponential = {.name = "ExponentialLR", .get_lr = exponential_lr, .first_lr = base_lr,
                                        .state = exponential_state};

const optim_ExponentialLROptions optim_ExponentialLRDefaults = {OPTIM_EXPONENTIAL_LR_DEFAULTS_};

optim_LRScheduler *optim_ExponentialLR_new(optim_Optimizer *optimizer, const optim_ExponentialLROptions *options) {
    optim_ExponentialLROptions o = optim_ExponentialLRDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (isnan(o.gamma)) return tg_fail("ExponentialLR.__init__() missing 1 required positional argument: 'gamma'");
    return tg_scheduler_new(optimizer, (optim_LRScheduler){.schedule = &exponential, .last_epoch = o.last_epoch,
                                                           .step = {.gamma = o.gamma}});
}

/* ---- ConstantLR. Error: factor outside [0, 1] ---- */

static double constant_lr(const optim_LRScheduler *s, int64_t g) {
    if (s->last_epoch == 0) return lr_of(s, g) * s->ramp.start;
    return s->last_epoch == s->ramp.total_iters ? lr_of(s, g) * (1.0 / s->ramp.start) : lr_of(s, g);
}

static double constant_first_lr(const optim_LRScheduler *s, int64_t g) {
    return s->base_lrs[g] * (s->ramp.start + (0 >= s->ramp.total_iters ? 1 - s->ramp.start : 0));
}

static bool constant_state(tg_StateIO *io, optim_LRScheduler *s) {
    return tg_io_number(io, "factor", &s->ramp.start) &&
           tg_io_int64(io, "total_iters", &s->ramp.total_iters, INT64_MIN);
}

static const tg_Schedule constant = {.name = "ConstantLR", .get_lr = constant_lr, .first_lr = constant_first_lr,
                                     .state = constant_state};

const optim_ConstantLROptions optim_ConstantLRDefaults = {OPTIM_CONSTANT_LR_DEFAULTS_};

optim_LRScheduler *optim_ConstantLR_new(optim_Optimizer *optimizer, const optim_ConstantLROptions *options) {
    optim_ConstantLROptions o = optim_ConstantLRDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (!(o.factor >= 0 && o.factor <= 1))
        return tg_fail("Constant multiplicative factor expected to be between 0 and 1.");
    return tg_scheduler_new(optimizer, (optim_LRScheduler){.schedule = &constant, .last_epoch = o.last_epoch,
                                                           .ramp = {.start = o.factor, .total_iters = o.total_iters}});
}

/* ---- LinearLR. Errors: start_factor outside (0, 1], end_factor outside [0, 1] ---- */

static double linear_lr(const optim_LRScheduler *s, int64_t g) {
    const double start = s->ramp.start, end = s->ramp.end, total = (double)s->ramp.total_iters;
    if (s->last_epoch == 0) return lr_of(s, g) * start;
    if (s->is_initial || s->last_epoch > s->ramp.total_iters) return lr_of(s, g);
    return lr_of(s, g) * (1.0 + (end - start) / (total * start + (double)(s->last_epoch - 1) * (end - start)));
}

static double linear_first_lr(const optim_LRScheduler *s, int64_t g) {
    return s->base_lrs[g] * s->ramp.start;
}

static bool linear_state(tg_StateIO *io, optim_LRScheduler *s) {
    return tg_io_number(io, "start_factor", &s->ramp.start) && tg_io_number(io, "end_factor", &s->ramp.end) &&
           tg_io_int64(io, "total_iters", &s->ramp.total_iters, INT64_MIN);
}

static const tg_Schedule linear = {
    .name = "LinearLR", .get_lr = linear_lr, .first_lr = linear_first_lr, .state = linear_state};

const optim_LinearLROptions optim_LinearLRDefaults = {OPTIM_LINEAR_LR_DEFAULTS_};

optim_LRScheduler *optim_LinearLR_new(optim_Optimizer *optimizer, const optim_LinearLROptions *options) {
    optim_LinearLROptions o = optim_LinearLRDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (!(o.start_factor > 0 && o.start_factor <= 1))
        return tg_fail("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.");
    if (!(o.end_factor >= 0 && o.end_factor <= 1))
        return tg_fail("Ending multiplicative factor expected to be between 0 and 1.");
    return tg_scheduler_new(optimizer, (optim_LRScheduler){.schedule = &linear, .last_epoch = o.last_epoch,
                                                           .ramp = {.start = o.start_factor, .end = o.end_factor,
                                                                    .total_iters = o.total_iters}});
}

/* ---- PolynomialLR ---- */

static double polynomial_lr(const optim_LRScheduler *s, int64_t g) {
    const double total = (double)s->ramp.total_iters, epoch = (double)s->last_epoch;
    if (s->is_initial || s->last_epoch > s->ramp.total_iters) return lr_of(s, g);
    return lr_of(s, g) * pow((1.0 - epoch / total) / (1.0 - (epoch - 1) / total), s->ramp.power);
}

static bool polynomial_state(tg_StateIO *io, optim_LRScheduler *s) {
    return tg_io_int64(io, "total_iters", &s->ramp.total_iters, INT64_MIN) && tg_io_number(io, "power", &s->ramp.power);
}

static const tg_Schedule polynomial = {.name = "PolynomialLR", .get_lr = polynomial_lr, .first_lr = base_lr,
                                       .state = polynomial_state};

const optim_PolynomialLROptions optim_PolynomialLRDefaults = {OPTIM_POLYNOMIAL_LR_DEFAULTS_};

optim_LRScheduler *optim_PolynomialLR_new(optim_Optimizer *optimizer, const optim_PolynomialLROptions *options) {
    optim_PolynomialLROptions o = optim_PolynomialLRDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    return tg_scheduler_new(optimizer, (optim_LRScheduler){.schedule = &polynomial, .last_epoch = o.last_epoch,
                                                           .ramp = {.power = o.power, .total_iters = o.total_iters}});
}
