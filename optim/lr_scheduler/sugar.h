/* optim/lr_scheduler/sugar.h: keyword-argument macros of the schedulers (public; gcc and clang, C only).
 * core/sugar/sugar.h explains the macros. All arguments after the optimizer may be keywords, as in Python. */
#ifndef TAPEGRAD_OPTIM_LR_SCHEDULER_SUGAR_H
#define TAPEGRAD_OPTIM_LR_SCHEDULER_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "optim/lr_scheduler/lr_scheduler.h"

/* optim_scheduler_step(scheduler), optim_scheduler_step(scheduler, val_loss): of a number or a tensor of one */
#define optim_scheduler_step(...) T_TENTH_(__VA_ARGS__, OPTIM_STEP_, OPTIM_STEP_, OPTIM_STEP_, OPTIM_STEP_, \
    OPTIM_STEP_, OPTIM_STEP_, OPTIM_STEP_, OPTIM_STEP2_, OPTIM_STEP1_, 0) \
    ("optim_scheduler_step(" #__VA_ARGS__ ")", __VA_ARGS__)
#define OPTIM_STEP_(text, ...) T_BEGIN_(text) \
    _Static_assert(0, "optim_scheduler_step takes a scheduler and, for some, one value"); T_END_(bool, false)
#define OPTIM_STEP1_(text, scheduler) T_BEGIN_(text) optim_LRScheduler *t__a = (scheduler); \
    T_END_(bool, (optim_scheduler_step)(t__a))
#define OPTIM_STEP2_(text, scheduler, value) T_BEGIN_(text) optim_LRScheduler *t__a = (scheduler); \
    Tensor *t__b = T_OPERAND(value); T_END_(bool, (optim_scheduler_step_on)(t__a, t__b))
#define optim_scheduler_state_dict(scheduler) T_BEGIN_("optim_scheduler_state_dict(" #scheduler ")") \
    optim_LRScheduler *t__a = (scheduler); T_END_(t_TensorDict *, (optim_scheduler_state_dict)(t__a))
#define optim_scheduler_load_state_dict(scheduler, dict) \
    T_BEGIN_("optim_scheduler_load_state_dict(" #scheduler ", " #dict ")") \
    optim_LRScheduler *t__a = (scheduler); t_TensorDict *t__d = (dict); \
    T_END_(bool, (optim_scheduler_load_state_dict)(t__a, t__d))
#define optim_last_epoch(scheduler) T_BEGIN_("optim_last_epoch(" #scheduler ")") \
    optim_LRScheduler *t__a = (scheduler); T_END_(int64_t, (optim_last_epoch)(t__a))
#define optim_get_last_lr(scheduler) T_BEGIN_("optim_get_last_lr(" #scheduler ")") \
    optim_LRScheduler *t__a = (scheduler); T_END_(const double *, (optim_get_last_lr)(t__a))

/* optim_LambdaLR(optimizer, f), optim_LambdaLR(optimizer, .lr_lambda = f, .context = &schedule) */
typedef struct optim_LambdaLRArguments_ {
    int first_; optim_LRLambda lr_lambda; int64_t last_epoch; void *context;
} optim_LambdaLRArguments_;
#define OPTIM_LAMBDA_(f, text, optimizer, ...) T_BEGIN_(text) optim_Optimizer *t__a = (optimizer); \
    T_OPTIONS_(optim_LambdaLRArguments_, t__l, .last_epoch = -1, .first_ = 0, __VA_ARGS__) \
    const optim_LambdaLROptions t__o = {sizeof t__o, t__l.last_epoch, t__l.context}; \
    T_END_(optim_LRScheduler *, f(t__a, t__l.lr_lambda, &t__o))
#define optim_LambdaLR(optimizer, ...) OPTIM_LAMBDA_(optim_LambdaLR_new, \
    "optim_LambdaLR(" #optimizer ", " #__VA_ARGS__ ")", optimizer, __VA_ARGS__)
#define optim_MultiplicativeLR(optimizer, ...) \
    OPTIM_LAMBDA_(optim_MultiplicativeLR_new, "optim_MultiplicativeLR(" #optimizer ", " #__VA_ARGS__ ")", optimizer, \
    __VA_ARGS__)

/* optim_StepLR(optimizer, 30, 0.1), optim_StepLR(optimizer, .step_size = 30, .gamma = 0.1) */
#define OPTIM_SCHEDULE_(name, text, optimizer, defaults, ...) T_BEGIN_(text) optim_Optimizer *t__a = (optimizer); \
    T_OPTIONS_(name##Options, t__o, defaults, __VA_ARGS__) T_END_(optim_LRScheduler *, name##_new(t__a, &t__o))
#define OPTIM_WITH_(...) __VA_ARGS__
#define optim_StepLR(...) OPTIM_SCHEDULE_(optim_StepLR, "optim_StepLR(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), \
    OPTIM_WITH_(OPTIM_STEP_LR_DEFAULTS_), T_TAIL_(__VA_ARGS__))
#define optim_ExponentialLR(...) OPTIM_SCHEDULE_(optim_ExponentialLR, "optim_ExponentialLR(" #__VA_ARGS__ ")", \
    T_HEAD_(__VA_ARGS__), OPTIM_WITH_(OPTIM_EXPONENTIAL_LR_DEFAULTS_), T_TAIL_(__VA_ARGS__))
#define optim_ConstantLR(...) OPTIM_SCHEDULE_(optim_ConstantLR, "optim_ConstantLR(" #__VA_ARGS__ ")", \
    T_HEAD_(__VA_ARGS__), OPTIM_WITH_(OPTIM_CONSTANT_LR_DEFAULTS_), T_TAIL_(__VA_ARGS__))
#define optim_LinearLR(...) OPTIM_SCHEDULE_(optim_LinearLR, "optim_LinearLR(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), \
    OPTIM_WITH_(OPTIM_LINEAR_LR_DEFAULTS_), T_TAIL_(__VA_ARGS__))
#define optim_PolynomialLR(...) OPTIM_SCHEDULE_(optim_PolynomialLR, "optim_PolynomialLR(" #__VA_ARGS__ ")", \
    T_HEAD_(__VA_ARGS__), OPTIM_WITH_(OPTIM_POLYNOMIAL_LR_DEFAULTS_), T_TAIL_(__VA_ARGS__))
#define optim_CosineAnnealingLR(...) OPTIM_SCHEDULE_(optim_CosineAnnealingLR, \
    "optim_CosineAnnealingLR(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), OPTIM_WITH_(OPTIM_COSINE_LR_DEFAULTS_), \
    T_TAIL_(__VA_ARGS__))
#define optim_CosineAnnealingWarmRestarts(...) \
    OPTIM_SCHEDULE_(optim_CosineAnnealingWarmRestarts, "optim_CosineAnnealingWarmRestarts(" #__VA_ARGS__ ")", \
    T_HEAD_(__VA_ARGS__), OPTIM_WITH_(OPTIM_WARM_RESTARTS_DEFAULTS_), T_TAIL_(__VA_ARGS__))
#define optim_OneCycleLR(...) OPTIM_SCHEDULE_(optim_OneCycleLR, "optim_OneCycleLR(" #__VA_ARGS__ ")", \
    T_HEAD_(__VA_ARGS__), OPTIM_WITH_(OPTIM_ONE_CYCLE_LR_DEFAULTS_), T_TAIL_(__VA_ARGS__))
#define optim_CyclicLR(...) OPTIM_SCHEDULE_(optim_CyclicLR, "optim_CyclicLR(" #__VA_ARGS__ ")", \
    T_HEAD_(__VA_ARGS__), OPTIM_WITH_(OPTIM_CYCLIC_LR_DEFAULTS_), T_TAIL_(__VA_ARGS__))
#define optim_SWALR(...) OPTIM_SCHEDULE_(optim_SWALR, "optim_SWALR(" #__VA_ARGS__ ")", \
    T_HEAD_(__VA_ARGS__), OPTIM_WITH_(OPTIM_SWALR_DEFAULTS_), T_TAIL_(__VA_ARGS__))
#define optim_ReduceLROnPlateau(...) OPTIM_SCHEDULE_(optim_ReduceLROnPlateau, \
    "optim_ReduceLROnPlateau(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), OPTIM_WITH_(OPTIM_PLATEAU_DEFAULTS_), \
    T_TAIL_(__VA_ARGS__))

/* Lists are written in braces, up to 32 milestones and 16 schedulers, which end at the first that is 0 or NULL:
 * optim_MultiStepLR(optimizer, .milestones = {30, 80}, .gamma = 0.1), optim_SequentialLR(optimizer, {warmup, decay},
 * {20}) */
typedef struct optim_MultiStepLRArguments_ {
    int first_; int64_t milestones[32]; double gamma; int64_t last_epoch;
} optim_MultiStepLRArguments_;
typedef struct optim_SequentialLRArguments_ {
    int first_; optim_LRScheduler *schedulers[16]; int64_t milestones[32];
} optim_SequentialLRArguments_;
static inline int64_t optim_count_milestones_(const int64_t *list, int64_t capacity) {
    int64_t count = 0;
    while (count < capacity && list[count]) count++;
    return count;
}
static inline int64_t optim_count_schedulers_(optim_LRScheduler *const *list, int64_t capacity) {
    int64_t count = 0;
    while (count < capacity && list[count]) count++;
    return count;
}
#define optim_MultiStepLR(optimizer, ...) T_BEGIN_("optim_MultiStepLR(" #optimizer ", " #__VA_ARGS__ ")") \
    optim_Optimizer *t__a = (optimizer); \
    T_OPTIONS_(optim_MultiStepLRArguments_, t__m, .gamma = 0.1, .last_epoch = -1, .first_ = 0, __VA_ARGS__) \
    const optim_MultiStepLROptions t__o = {sizeof t__o, t__m.gamma, t__m.last_epoch}; \
    T_END_(optim_LRScheduler *, optim_MultiStepLR_new(t__a, t__m.milestones, \
    optim_count_milestones_(t__m.milestones, 32), &t__o))
#define optim_SequentialLR(optimizer, ...) T_BEGIN_("optim_SequentialLR(" #optimizer ", " #__VA_ARGS__ ")") \
    optim_Optimizer *t__a = (optimizer); \
    T_OPTIONS_(optim_SequentialLRArguments_, t__s, .first_ = 0, __VA_ARGS__) \
    T_END_(optim_LRScheduler *, optim_SequentialLR_new(t__a, t__s.schedulers, \
    optim_count_schedulers_(t__s.schedulers, 16), t__s.milestones, optim_count_milestones_(t__s.milestones, 32)))
/* optim_ChainedScheduler(a, b): ChainedScheduler([a, b]) */
#define optim_ChainedScheduler(...) T_BEGIN_("optim_ChainedScheduler(" #__VA_ARGS__ ")") \
    optim_LRScheduler *const t__l[] = {NULL, __VA_ARGS__}; \
    T_END_(optim_LRScheduler *, optim_ChainedScheduler_new(t__l + 1, (int64_t)(sizeof t__l / sizeof *t__l) - 1))

#endif
#endif
