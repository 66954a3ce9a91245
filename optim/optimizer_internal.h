/* optim/optimizer_internal.h: what an algorithm tells the optimizer of itself (internal).
 *
 * A new algorithm is one file: a tg_Algorithm, a constructor that puts its numbers into a group, and the arithmetic. */
#ifndef TAPEGRAD_OPTIM_OPTIMIZER_INTERNAL_H
#define TAPEGRAD_OPTIM_OPTIMIZER_INTERNAL_H

#include "core/ops/pointwise_internal.h"
#include "core/autograd/tape.h"
#include "optim/optimizer.h"

enum { TG_MOST_STATES = TG_OPERANDS - 2 }; /* the other two operands of a pass: the parameter and its gradient */

/* The numbers of one parameter's update, for the loops. */
typedef struct tg_Update {
    double lr, weight_decay, momentum, dampening, beta1, beta2, eps, alpha, lr_decay; /* the group's */
    bool nesterov, amsgrad, centered, maximize;
    double step_size, root; /* Adam: lr / (1 - beta1^t), sqrt(1 - beta2^t) */
    bool decoupled;         /* the group's decoupled_weight_decay */
    bool first;             /* this parameter's first step */
} tg_Update;

/* optimizer.state[p]. The tensors have the parameter's shape, dtype and layout, and start as zeros, or as
 * the algorithm says. */
typedef struct tg_ParamState {
    int64_t step; /* how often the parameter was updated */
    Tensor *x[TG_MOST_STATES];
    t_TensorDict *own; /* of an optimizer of one's own: all that it keeps of the parameter; NULL before there is any */
    /* of the step that runs (fused_step.c): the parameter's n elements are those from `from` on among all of the
     * group's */
    int64_t from, n, itemsize;
    char *data[TG_OPERANDS];
    Loop loop;
    tg_Update numbers;
} tg_ParamState;

/* What a scheduler that cycles the momentum has to turn. */
typedef enum tg_Momentum { tg_no_momentum, tg_momentum, tg_beta1 } tg_Momentum;

typedef struct tg_Algorithm {
    const char *name;
    tg_Momentum momentum;
    bool (*check)(const optim_ParamGroup *group); /* the group's numbers; false with PyTorch's error set */
    int (*states)(const optim_ParamGroup *group); /* how many state tensors a parameter needs */
    double (*start)(const optim_ParamGroup *group); /* what the state starts as; NULL: 0 */
    Loop (*loop)(t_DType dtype); /* updates elements: data[0] is the parameter, then its gradient, then its state */
    /* completes those of the group; step counts from 1. May be NULL */
    void (*numbers)(int64_t step, tg_Update *numbers);
    /* What follows the gradient, if not just the state tensors; returns how many there are. */
    int (*arrange)(const optim_ParamGroup *group, Tensor *const *state, Tensor **x);
    /* S, A, R, G, or U, the user's: optimizer_state.c */
    char letter;
    const char *(*state_name)(const optim_ParamGroup *group, int k); /* of a state tensor in a state dict */
    /* AdamW: its groups' decoupled_weight_decay is always true */
    bool is_decoupled;
} tg_Algorithm;

/* An optimizer with one group: `defaults` with the given parameters. */
optim_Optimizer *tg_optimizer_new(const tg_Algorithm *algorithm, const t_TensorList *params,
                                  const optim_ParamGroup *defaults);
/* optimizer.defaults with what is given put over it. */
optim_ParamGroup tg_group_of(const optim_ParamGroup *defaults, const optim_GroupOptions *given);
bool tg_check_optimizer(const optim_Optimizer *optimizer);
Tensor *tg_optimizer_state(Tensor *p, double start); /* a state tensor of p, which the caller owns */
void tg_optimizer_free_state(optim_ParamGroup *group);

/* Updates the parameters of a group that have a gradient; all that can fail has been seen to (fused_step.c). */
void tg_update_group(const tg_Algorithm *algorithm, optim_ParamGroup *group);

/* value >= 0, or the error "Invalid {name}: {value}" with the number as Python shows it. */
bool tg_check_not_negative(double value, const char *name);

/* One of a group's numbers: in PyTorch's order; `who` has the letters of those algorithms that know the name. */
typedef struct tg_GroupNumber {
    const char *name, *who;
    size_t offset;
    bool is_flag;
} tg_GroupNumber;
enum { TG_GROUP_NUMBERS = 15 };
extern const tg_GroupNumber tg_group_numbers[TG_GROUP_NUMBERS];

#endif
