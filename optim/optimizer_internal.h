/* optim/optimizer_internal.h: what an algorithm tells the optimizer of itself (internal).
 *
 * A new algorithm is one file: a tg_Algorithm, a constructor that puts its numbers into a group, and the arithmetic. */
#ifndef TAPEGRAD_OPTIM_OPTIMIZER_INTERNAL_H
#define TAPEGRAD_OPTIM_OPTIMIZER_INTERNAL_H

#include "core/ops/pointwise.h"
#include "core/tape.h"
#include "optim/optimizer.h"

enum { TG_MOST_STATES = TG_OPERANDS - 2 }; /* the other two operands of a pass: the parameter and its gradient */

/* optimizer.state[p]. The tensors have the parameter's shape, dtype and layout, and start as zeros, or as
 * the algorithm says. */
typedef struct tg_ParamState {
    int64_t step; /* how often the parameter was updated */
    Tensor *x[TG_MOST_STATES];
} tg_ParamState;

/* What a scheduler that cycles the momentum has to turn. */
typedef enum tg_Momentum { tg_no_momentum, tg_momentum, tg_beta1 } tg_Momentum;

typedef struct tg_Algorithm {
    const char *name;
    tg_Momentum momentum;
    bool (*check)(const optim_ParamGroup *group); /* the group's numbers; false with PyTorch's error set */
    int (*states)(const optim_ParamGroup *group); /* how many state tensors a parameter needs */
    double (*start)(const optim_ParamGroup *group); /* what the state starts as; NULL: 0 */
    /* Updates one parameter; step counts from 1. operands: its gradient, its state. Cannot fail. */
    void (*update)(const optim_ParamGroup *group, int64_t step, Tensor *param, Tensor *const *operands, int count);
} tg_Algorithm;

/* An optimizer with one group: `defaults` with the given parameters. */
optim_Optimizer *tg_optimizer_new(const tg_Algorithm *algorithm, const t_TensorList *params,
                                  const optim_ParamGroup *defaults);
bool tg_check_optimizer(const optim_Optimizer *optimizer);

/* value >= 0, or the error "Invalid {name}: {value}" with the number as Python shows it. */
bool tg_check_not_negative(double value, const char *name);

#endif
