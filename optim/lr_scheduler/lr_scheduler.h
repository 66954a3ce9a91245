/* optim/lr_scheduler/lr_scheduler.h: torch.optim.lr_scheduler as plain functions (public).
 *
 *     optim_LRScheduler *scheduler = optim_StepLR(optimizer, .step_size = 30, .gamma = 0.1);
 *     for_range (epoch, 0, 100) {
 *         train(model, optimizer);
 *         optim_scheduler_step(scheduler);
 *     }
 *
 * A scheduler counts epochs and sets the lr of every parameter group. It belongs to the scope in which it was
 * constructed, and keeps its optimizer alive. Formulas that are recursive in PyTorch, from the lr of the epoch before,
 * are so here, so that an lr set in between has an effect, and schedulers can be chained. last_epoch = -1 starts a new
 * schedule, which sets initial_lr in each group; a larger one continues a schedule whose initial_lr is set. */
#ifndef TAPEGRAD_OPTIM_LR_SCHEDULER_LR_SCHEDULER_H
#define TAPEGRAD_OPTIM_LR_SCHEDULER_LR_SCHEDULER_H

#include "optim/optimizer.h"

T_BEGIN_DECLS

typedef struct optim_LRScheduler optim_LRScheduler;

T_API bool optim_scheduler_step(optim_LRScheduler *scheduler);                   /* scheduler.step() */
T_API bool optim_scheduler_step_on(optim_LRScheduler *scheduler,
                                   Tensor *value); /* step(metrics), step(epoch); a scalar */
T_API const double *optim_get_last_lr(const optim_LRScheduler *scheduler);       /* scheduler.get_last_lr() */
T_API int64_t optim_last_epoch(const optim_LRScheduler *scheduler);              /* scheduler.last_epoch; -1 on error */

/* scheduler.state_dict(), load_state_dict(state_dict): PyTorch's names, lists as "base_lrs.0"; the parts of a composed
 * scheduler are "_schedulers.0....". A user's function (LambdaLR) is not saved: the loading scheduler has its own.
 * Learning rates are saved by the optimizer, as in PyTorch. Errors: a missing name (a dict of another kind), values
 * that the constructor refuses, another number of groups or parts. Then nothing has changed. */
T_API t_TensorDict *optim_scheduler_state_dict(const optim_LRScheduler *scheduler);
T_API bool optim_scheduler_load_state_dict(optim_LRScheduler *scheduler, const t_TensorDict *state_dict);

/* ---- lr times a factor (factor_schedules.c) ---- */

/* LambdaLR(optimizer, lr_lambda, last_epoch=-1): lr = initial lr * lr_lambda(epoch).
 * MultiplicativeLR(optimizer, lr_lambda, last_epoch=-1): lr = lr * lr_lambda(epoch), from epoch 1 on. */
typedef double (*optim_LRLambda)(int64_t epoch, void *context);
typedef struct optim_LambdaLROptions {
    uint32_t size;
    int64_t last_epoch;
    void *context; /* passed to the function */
} optim_LambdaLROptions;
#define OPTIM_LAMBDA_LR_DEFAULTS_ .last_epoch = -1, .size = sizeof(optim_LambdaLROptions)
T_API optim_LRScheduler *optim_LambdaLR_new(optim_Optimizer *optimizer, optim_LRLambda lr_lambda,
                                            const optim_LambdaLROptions *options);
T_API optim_LRScheduler *optim_MultiplicativeLR_new(optim_Optimizer *optimizer, optim_LRLambda lr_lambda,
                                                    const optim_LambdaLROptions *options);

/* StepLR(optimizer, step_size, gamma=0.1, last_epoch=-1): lr = lr * gamma every step_size epochs. */
typedef struct optim_StepLROptions {
    uint32_t size;
    int64_t step_size; /* required */
    double gamma;
    int64_t last_epoch;
} optim_StepLROptions;
#define OPTIM_STEP_LR_DEFAULTS_ .gamma = 0.1, .last_epoch = -1, .size = sizeof(optim_StepLROptions)
T_API optim_LRScheduler *optim_StepLR_new(optim_Optimizer *optimizer, const optim_StepLROptions *options);

/* MultiStepLR(optimizer, milestones, gamma=0.1, last_epoch=-1): lr = lr * gamma at each epoch of a list. */
typedef struct optim_MultiStepLROptions {
    uint32_t size;
    double gamma;
    int64_t last_epoch;
} optim_MultiStepLROptions;
#define OPTIM_MULTI_STEP_LR_DEFAULTS_ .gamma = 0.1, .last_epoch = -1, .size = sizeof(optim_MultiStepLROptions)
T_API optim_LRScheduler *optim_MultiStepLR_new(optim_Optimizer *optimizer, const int64_t *milestones, int64_t count,
                                               const optim_MultiStepLROptions *options);

/* ExponentialLR(optimizer, gamma, last_epoch=-1): lr = lr * gamma every epoch. */
typedef struct optim_ExponentialLROptions {
    uint32_t size;
    double gamma; /* required */
    int64_t last_epoch;
} optim_ExponentialLROptions;
#define OPTIM_EXPONENTIAL_LR_DEFAULTS_ \
    .gamma = (double)NAN, .last_epoch = -1, .size = sizeof(optim_ExponentialLROptions)
T_API optim_LRScheduler *optim_ExponentialLR_new(optim_Optimizer *optimizer, const optim_ExponentialLROptions *options);

/* ConstantLR(optimizer, factor=1/3, total_iters=5, last_epoch=-1): lr * factor for total_iters epochs, then lr. */
typedef struct optim_ConstantLROptions {
    uint32_t size;
    double factor;
    int64_t total_iters, last_epoch;
} optim_ConstantLROptions;
#define OPTIM_CONSTANT_LR_DEFAULTS_                                                                                    \
    .factor = 1.0 / 3, .total_iters = 5, .last_epoch = -1, .size = sizeof(optim_ConstantLROptions)
T_API optim_LRScheduler *optim_ConstantLR_new(optim_Optimizer *optimizer, const optim_ConstantLROptions *options);

/* LinearLR(optimizer, start_factor=1/3, end_factor=1, total_iters=5, last_epoch=-1): from lr * start_factor to
 * lr * end_factor in total_iters equal steps. */
typedef struct optim_LinearLROptions {
    uint32_t size;
    double start_factor, end_factor;
    int64_t total_iters, last_epoch;
} optim_LinearLROptions;
#define OPTIM_LINEAR_LR_DEFAULTS_                                                                                      \
    .start_factor = 1.0 / 3, .end_factor = 1, .total_iters = 5, .last_epoch = -1, .size = sizeof(optim_LinearLROptions)
T_API optim_LRScheduler *optim_LinearLR_new(optim_Optimizer *optimizer, const optim_LinearLROptions *options);

/* PolynomialLR(optimizer, total_iters=5, power=1, last_epoch=-1): lr * (1 - epoch / total_iters)^power. */
typedef struct optim_PolynomialLROptions {
    uint32_t size;
    int64_t total_iters;
    double power;
    int64_t last_epoch;
} optim_PolynomialLROptions;
#define OPTIM_POLYNOMIAL_LR_DEFAULTS_                                                                                  \
    .total_iters = 5, .power = 1, .last_epoch = -1, .size = sizeof(optim_PolynomialLROptions)
T_API optim_LRScheduler *optim_PolynomialLR_new(optim_Optimizer *optimizer, const optim_PolynomialLROptions *options);

/* ---- cosine annealing (cosine_annealing.c) ---- */

/* CosineAnnealingLR(optimizer, T_max, eta_min=0, last_epoch=-1): from lr down to eta_min in T_max epochs, and up again.
 */
typedef struct optim_CosineAnnealingLROptions {
    uint32_t size;
    int64_t T_max; /* required */
    double eta_min;
    int64_t last_epoch;
} optim_CosineAnnealingLROptions;
#define OPTIM_COSINE_LR_DEFAULTS_ .last_epoch = -1, .size = sizeof(optim_CosineAnnealingLROptions)
T_API optim_LRScheduler *optim_CosineAnnealingLR_new(optim_Optimizer *optimizer,
                                                     const optim_CosineAnnealingLROptions *options);

/* CosineAnnealingWarmRestarts(optimizer, T_0, T_mult=1, eta_min=0, last_epoch=-1): down to eta_min in T_0 epochs, then
 * again from lr in T_0 * T_mult, and so on. step(epoch) takes a fraction: epoch + i / batches. */
typedef struct optim_CosineAnnealingWarmRestartsOptions {
    uint32_t size;
    int64_t T_0; /* required */
    int64_t T_mult;
    double eta_min;
    int64_t last_epoch;
} optim_CosineAnnealingWarmRestartsOptions;
#define OPTIM_WARM_RESTARTS_DEFAULTS_ \
    .T_mult = 1, .last_epoch = -1, .size = sizeof(optim_CosineAnnealingWarmRestartsOptions)
T_API optim_LRScheduler *optim_CosineAnnealingWarmRestarts_new(optim_Optimizer *optimizer,
                                                               const optim_CosineAnnealingWarmRestartsOptions *options);

/* ---- one cycle (one_cycle.c) ---- */

/* OneCycleLR(optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3,
 * anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25,
 * final_div_factor=1e4, three_phase=False, last_epoch=-1). To be stepped after every batch. */
typedef struct optim_OneCycleLROptions {
    uint32_t size;
    double max_lr;                               /* required, unless max_lrs is given */
    int64_t total_steps, epochs, steps_per_epoch; /* T_NONE: not given; total_steps, or both of the others */
    double pct_start;
    const char *anneal_strategy; /* "cos" or "linear" */
    bool cycle_momentum;
    double base_momentum, max_momentum, div_factor, final_div_factor;
    bool three_phase;
    int64_t last_epoch;
    const double *max_lrs; /* one for each group, instead of max_lr; PyTorch's max_lr=[...] */
} optim_OneCycleLROptions;
#define OPTIM_ONE_CYCLE_LR_DEFAULTS_                                                                                   \
    .total_steps = T_NONE, .epochs = T_NONE, .steps_per_epoch = T_NONE, .pct_start = 0.3, .anneal_strategy = "cos",    \
    .cycle_momentum = true, .base_momentum = 0.85, .max_momentum = 0.95, .div_factor = 25, .final_div_factor = 1e4,    \
    .last_epoch = -1, .max_lr = (double)NAN, .size = sizeof(optim_OneCycleLROptions)
T_API optim_LRScheduler *optim_OneCycleLR_new(optim_Optimizer *optimizer, const optim_OneCycleLROptions *options);

/* ---- many cycles (cyclic.c), averaged weights (swa_lr.c) ---- */

/* CyclicLR(optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode="triangular", gamma=1.0,
 * scale_fn=None, scale_mode="cycle", cycle_momentum=True, base_momentum=0.8, max_momentum=0.9, last_epoch=-1). To be
 * stepped after every batch. */
typedef struct optim_CyclicLROptions {
    uint32_t size;
    double base_lr, max_lr;              /* required, unless base_lrs and max_lrs are given */
    int64_t step_size_up, step_size_down; /* T_NONE: as many down as up */
    const char *mode;                    /* "triangular", "triangular2" or "exp_range" */
    double gamma;
    double (*scale_fn)(double x, void *context); /* of the cycle or the iteration; NULL: by mode */
    const char *scale_mode;              /* "cycle" or "iterations" */
    bool cycle_momentum;
    double base_momentum, max_momentum;
    int64_t last_epoch;
    const double *base_lrs, *max_lrs;    /* one for each group */
    void *context;                       /* passed to scale_fn */
} optim_CyclicLROptions;
#define OPTIM_CYCLIC_LR_DEFAULTS_                                                                                      \
    .base_lr = (double)NAN, .max_lr = (double)NAN, .step_size_up = 2000, .step_size_down = T_NONE,                     \
    .mode = "triangular", .gamma = 1, .scale_mode = "cycle", .cycle_momentum = true, .base_momentum = 0.8,             \
    .max_momentum = 0.9, .last_epoch = -1, .size = sizeof(optim_CyclicLROptions)
T_API optim_LRScheduler *optim_CyclicLR_new(optim_Optimizer *optimizer, const optim_CyclicLROptions *options);

/* torch.optim.swa_utils.SWALR(optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1) */
typedef struct optim_SWALROptions {
    uint32_t size;
    double swa_lr;               /* required, unless swa_lrs is given */
    int64_t anneal_epochs;
    const char *anneal_strategy; /* "cos" or "linear" */
    int64_t last_epoch;
    const double *swa_lrs;       /* one for each group */
} optim_SWALROptions;
#define OPTIM_SWALR_DEFAULTS_                                                                                          \
    .swa_lr = (double)NAN, .anneal_epochs = 10, .anneal_strategy = "cos", .last_epoch = -1,                            \
    .size = sizeof(optim_SWALROptions)
T_API optim_LRScheduler *optim_SWALR_new(optim_Optimizer *optimizer, const optim_SWALROptions *options);

/* ---- by a metric (reduce_lr_on_plateau.c) ---- */

/* ReduceLROnPlateau(optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel", cooldown=0,
 *                   min_lr=0, eps=1e-8): lr * factor once `patience` epochs in a row were no better; step(metrics) */
typedef struct optim_ReduceLROnPlateauOptions {
    uint32_t size;
    const char *mode; /* "min" or "max": which values are better */
    double factor;
    int64_t patience;
    double threshold;
    const char *threshold_mode; /* "rel" or "abs" */
    int64_t cooldown;
    double min_lr, eps;
} optim_ReduceLROnPlateauOptions;
#define OPTIM_PLATEAU_DEFAULTS_                                                                                        \
    .mode = "min", .factor = 0.1, .patience = 10, .threshold = 1e-4, .threshold_mode = "rel", .eps = 1e-8,             \
    .size = sizeof(optim_ReduceLROnPlateauOptions)
T_API optim_LRScheduler *optim_ReduceLROnPlateau_new(optim_Optimizer *optimizer,
                                                     const optim_ReduceLROnPlateauOptions *options);

/* ---- composed schedulers (sequential.c) ---- */

/* SequentialLR(optimizer, schedulers, milestones): schedulers[0] until epoch milestones[0], schedulers[1] from there
 * on, ... ChainedScheduler(schedulers): all of them at every step. */
T_API optim_LRScheduler *optim_SequentialLR_new(optim_Optimizer *optimizer, optim_LRScheduler *const *schedulers,
                                                int64_t count, const int64_t *milestones, int64_t milestone_count);
T_API optim_LRScheduler *optim_ChainedScheduler_new(optim_LRScheduler *const *schedulers, int64_t count);

/* The defaults as values, to copy from where there are no macros. */
extern T_API const optim_LambdaLROptions optim_LambdaLRDefaults;
extern T_API const optim_StepLROptions optim_StepLRDefaults;
extern T_API const optim_CyclicLROptions optim_CyclicLRDefaults;
extern T_API const optim_SWALROptions optim_SWALRDefaults;
extern T_API const optim_MultiStepLROptions optim_MultiStepLRDefaults;
extern T_API const optim_ExponentialLROptions optim_ExponentialLRDefaults;
extern T_API const optim_ConstantLROptions optim_ConstantLRDefaults;
extern T_API const optim_LinearLROptions optim_LinearLRDefaults;
extern T_API const optim_PolynomialLROptions optim_PolynomialLRDefaults;
extern T_API const optim_CosineAnnealingLROptions optim_CosineAnnealingLRDefaults;
extern T_API const optim_CosineAnnealingWarmRestartsOptions optim_CosineAnnealingWarmRestartsDefaults;
extern T_API const optim_OneCycleLROptions optim_OneCycleLRDefaults;
extern T_API const optim_ReduceLROnPlateauOptions optim_ReduceLROnPlateauDefaults;

T_END_DECLS

#endif
