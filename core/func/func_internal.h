/* core/func/func_internal.h: what the functions of functions share (internal; function_call.c). */
#ifndef TAPEGRAD_CORE_FUNC_FUNC_INTERNAL_H
#define TAPEGRAD_CORE_FUNC_FUNC_INTERNAL_H

#include "core/autograd/tape.h"
#include "core/func/functional.h"
#include "core/ops/ops.h"

/* ---- lists: NULL passes on as NULL ---- */

t_TensorList *tg_detach_all(const t_TensorList *list);
t_TensorList *tg_zeros_like_all(const t_TensorList *list, bool requires_grad);
/* Closes the scope of a call; the lists (which may be NULL) and their items move to the scope around. */
void tg_return_lists(int depth, t_TensorList **lists, int count);

/* ---- a call of the user's function ---- */

/* Tensors of the function's own with the values of x: leaves, or with keep_history, for an x that requires grad, views,
 * so that results can be differentiated with respect to it. */
Tensor *tg_own_input(Tensor *x, bool keep_history, bool requires_grad);
t_TensorList *tg_own_inputs(const t_TensorList *inputs, bool keep_history, bool requires_grad);
/* func(inputs, context), with a copy of the list. NULL with an error if it returns NULL, or sets one. */
t_TensorList *tg_call_function(t_TensorFunction *func, const t_TensorList *inputs, void *context);

/* ---- gradients ---- */

/* torch.autograd.grad of those outputs that require grad (an output may be NULL); grad_outputs, or an item of it, may
 * be NULL for 1. An item of the result is NULL for an input on which they do not depend, or that requires no grad. */
t_TensorList *tg_gradients(const t_TensorList *outputs, const t_TensorList *inputs, const t_TensorList *grad_outputs,
                           bool create_graph, bool retain_graph);
/* u^T J with a graph, for its derivative along u, which is J v; u is 0. */
t_TensorList *tg_transposed_gradients(const t_TensorList *outputs, const t_TensorList *inputs, const t_TensorList *u);
/* *others: whether the history of the list's items (which may be NULL) ends at a leaf that is in neither own nor u. */
bool tg_find_other_leaves(const t_TensorList *list, const t_TensorList *own, const t_TensorList *u, bool *others);
/* x; or, if grad mode is off outside of the call, or the history of x ends at leaves of the call only, x detached. */
Tensor *tg_outer_result(Tensor *x, const t_TensorList *own, const t_TensorList *u, bool grad_enabled);
/* The Jacobian by rows, as functional.h describes it; of an output that does not depend on an input zeros, or with
 * strict PyTorch's error. */
t_TensorList *tg_jacobian_rows(const t_TensorList *outputs, const t_TensorList *inputs, bool create_graph, bool strict);
/* The same by columns, from the gradients dx = u^T J of the inputs, which depend on u, a tensor for each output. */
t_TensorList *tg_jacobian_columns(const t_TensorList *outputs, const t_TensorList *inputs, const t_TensorList *u,
                                  const t_TensorList *dx, bool create_graph);

/* ---- forward mode (forward_ad.c) ---- */

/* Whether the tangent fits the primal; both are floating. PyTorch's errors. */
bool tg_check_dual(const Tensor *primal, const Tensor *tangent);

#endif
