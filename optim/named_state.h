/* optim/named_state.h: for algorithms whose step is written in ops, one parameter at a time, and whose state tensors
 * are found by name (internal). */
#ifndef TAPEGRAD_OPTIM_NAMED_STATE_H
#define TAPEGRAD_OPTIM_NAMED_STATE_H

#include "optim/optimizer_internal.h"

/* optimizer.state[p] of one parameter. */
typedef struct tg_NamedState {
    t_TensorDict **dict;
} tg_NamedState;
Tensor *tg_state_get(const tg_NamedState *state, const char *name); /* NULL without an error where there is none */
Tensor *tg_state_set(const tg_NamedState *state, const char *name, Tensor *x); /* x; NULL on error */

/* Updates p by its gradient; runs without recording and in a scope of its own. */
typedef bool tg_UpdateByOps(const optim_ParamGroup *group, Tensor *p, Tensor *grad, tg_NamedState *state);
/* The step of such an algorithm: the closure if there is one, then all parameters with a gradient. An error in the
 * update of one leaves those before it updated. */
bool tg_step_by_ops(optim_Optimizer *optimizer, const tg_Closure *closure, Tensor **loss, tg_UpdateByOps *update);

int tg_no_states(const optim_ParamGroup *group);                          /* 0 */
double tg_own_or_nan(const optim_ParamGroup *group, const char *name);    /* a value in group->own */
Tensor *tg_float32_scalar(double value);

#endif
