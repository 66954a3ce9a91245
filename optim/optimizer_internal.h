/* optim/optimizer_internal.h: the interface between the optimizer and its algorithms (internal).
 *
 * A new algorithm is one file: a tg_Algorithm, a constructor that sets a group's hyperparameters, and the loops. */
#ifndef TAPEGRAD_OPTIM_OPTIMIZER_INTERNAL_H
#define TAPEGRAD_OPTIM_OPTIMIZER_INTERNAL_H

#include "core/ops/pointwise_internal.h"
#include "core/autograd/tape.h"
#include "optim/optimizer.h"

enum { TG_MAX_STATES = TG_OPERANDS - 2 }; /* the other two operands of a pass: the parameter and its gradient */

/* The hyperparameters of one parameter's update, for the loops. */
typedef struct tg_Update {
    double lr, weight_decay, momentum, dampening, beta1, beta2, eps, alpha, lr_decay; /* the group's */
    bool nesterov, amsgrad, centered, maximize;
    double step_size, bias_correction2_sqrt; /* Adam: lr / (1 - beta1^t), sqrt(1 - beta2^t) */
    bool decoupled;                          /* the group's decoupled_weight_decay */
    bool first;                              /* this parameter's first step */
} tg_Update;

/* optimizer.state[p]. The tensors have the parameter's shape, dtype and layout, and are initialised to zeros, or to the
 * algorithm's start value. */
typedef struct tg_ParamState {
    int64_t step; /* number of updates of the parameter */
    Tensor *x[TG_MAX_STATES];
    t_TensorDict *own; /* the state tensors of a user's optimizer; NULL while there are none */
    /* for the current step (fused_step.c): the parameter's n elements start at offset `from` of the group's array */
    int64_t from, n, itemsize;
    char *data[TG_OPERANDS];
    Loop loop;
    tg_Update update;
} tg_ParamState;

/* The hyperparameter that a scheduler cycles as momentum. */
typedef enum tg_Momentum { tg_no_momentum, tg_momentum, tg_beta1 } tg_Momentum;

/* Bits of tg_Hyperparameter.used_by. TG_ADAM: AdamW, too; TG_CUSTOM: a user's optimizer. */
typedef enum tg_AlgorithmKind {
    TG_SGD = 1,
    TG_ADAM = 2,
    TG_RMSPROP = 4,
    TG_ADAGRAD = 8,
    TG_CUSTOM = 16
} tg_AlgorithmKind;

typedef struct tg_Algorithm {
    const char *name;
    tg_Momentum momentum;
    bool (*check)(const optim_ParamGroup *group); /* checks the hyperparameters; false with PyTorch's error set */
    int (*states)(const optim_ParamGroup *group); /* number of state tensors per parameter */
    double (*start)(const optim_ParamGroup *group); /* initial value of the state; NULL: 0 */
    Loop (*loop)(t_DType dtype); /* updates elements: data[0] is the parameter, then its gradient, then its state */
    /* computes the members that depend on the step, which counts from 1. May be NULL */
    void (*set_step)(int64_t step, tg_Update *update);
    /* The operands after the gradient, if not just the state tensors; returns their number. */
    int (*operands)(const optim_ParamGroup *group, Tensor *const *state, Tensor **x);
    tg_AlgorithmKind kind; /* selects the hyperparameters that a state dict has (optimizer_state.c) */
    const char *(*state_name)(const optim_ParamGroup *group, int k); /* of a state tensor in a state dict */
    bool is_decoupled; /* AdamW: its groups' decoupled_weight_decay is always true */
} tg_Algorithm;

/* An optimizer with one group: `defaults` with the given parameters. */
optim_Optimizer *tg_optimizer_new(const tg_Algorithm *algorithm, const t_TensorList *params,
                                  const optim_ParamGroup *defaults);
/* optimizer.defaults, overridden by the given options. */
optim_ParamGroup tg_group_of(const optim_ParamGroup *defaults, const optim_GroupOptions *given);
bool tg_check_optimizer(const optim_Optimizer *optimizer);
Tensor *tg_optimizer_state(Tensor *p, double start); /* a state tensor of p, which the caller owns */
void tg_optimizer_free_state(optim_ParamGroup *group);

/* Updates the parameters of a group that have a gradient; cannot fail after the checks (fused_step.c). */
void tg_update_group(const tg_Algorithm *algorithm, optim_ParamGroup *group);

/* value >= 0, or the error "Invalid {name}: {value}" with the value as Python prints it. */
bool tg_check_not_negative(double value, const char *name);

/* One of a group's hyperparameters, in PyTorch's order; used_by: the kinds of algorithms that have it. */
typedef struct tg_Hyperparameter {
    const char *name;
    unsigned used_by; /* bits of tg_AlgorithmKind */
    size_t offset;
    bool is_flag;
} tg_Hyperparameter;
enum { TG_HYPERPARAMETERS = 15 };
extern const tg_Hyperparameter tg_hyperparameters[TG_HYPERPARAMETERS];

/* Teaching mode (teach.c), before a step: reports parameters without a gradient. After it: marks the gradients as used.
 */
void tg_teach_before_step(const optim_Optimizer *optimizer);
void tg_teach_after_step(const optim_Optimizer *optimizer);

#endif
