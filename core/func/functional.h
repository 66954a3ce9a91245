/* core/func/functional.h: torch.autograd.functional (public). See func.h for torch.func.
 *
 * This folder has functions of functions: products with Jacobians, Jacobians, a function over a batch, forward mode. It
 * may include core/autograd and core/tensor, and the public headers of core/ops.
 *
 * func gets the inputs as a list, with the context that the caller gives, and returns a list of outputs:
 *
 *     static t_TensorList *energy(t_TensorList *inputs, void *context) {
 *         return t_as_list_(t_sum(t_mul(inputs->items[0], ((Spring *)context)->stiffness)));
 *     }
 *
 * The macros also take a function of one, two or three tensors that returns a tensor (t_sin itself), of a tensor and
 * the context, or of a list and the context, and return a tensor for a tensor:
 *
 *     Tensor *H = t_autograd_functional_hessian(energy, x, .context = &spring);
 *
 * As in PyTorch func gets tensors of its own, with the values of the inputs, and grad mode is on in it. Results have no
 * history, unless create_graph is given. What PyTorch returns as the first of two results is written to an address:
 * .output of a func that returns a tensor, .outputs of one that returns a list. If the call fails neither changes.
 * Errors, besides those below: an input that is not floating; func returned NULL or set an error. */
#ifndef TAPEGRAD_CORE_FUNC_FUNCTIONAL_H
#define TAPEGRAD_CORE_FUNC_FUNCTIONAL_H

#include "core/tensor/list.h"

T_BEGIN_DECLS

typedef t_TensorList *t_TensorFunction(t_TensorList *inputs, void *context);

typedef struct t_FunctionalOptions {
    uint32_t size;
    bool create_graph; /* outputs and result can be differentiated, with respect to inputs and v that require grad */
    bool strict;       /* a result that is zero because it does not depend on an input is an error */
    Tensor **output;
    t_TensorList **outputs;
} t_FunctionalOptions;

/* Products with the Jacobian J of the outputs with respect to the inputs, and with the Hessian H of one output of one
 * element. v: a tensor for each output (vjp) or input (others); NULL is 1, for a single one of one element. Errors:
 * PyTorch's for another number or size of v, and for what strict refuses. */
/* torch.autograd.functional.vjp(func, inputs, v, create_graph, strict)[1]: v^T J, a tensor for each input. */
T_API t_TensorList *t_autograd_functional_vjp(t_TensorFunction *func, t_TensorList *inputs, void *context,
                                              const t_TensorList *v, const t_FunctionalOptions *options);
/* torch.autograd.functional.jvp(...)[1]: J v, a tensor for each output, by the double-backward trick: v^T J is linear
 * in v, and its derivative along another vector is the product wanted. The price is two backwards. */
T_API t_TensorList *t_autograd_functional_jvp(t_TensorFunction *func, t_TensorList *inputs, void *context,
                                              const t_TensorList *v, const t_FunctionalOptions *options);
/* torch.autograd.functional.vhp(...)[1]: v^T H, a tensor for each input. */
T_API t_TensorList *t_autograd_functional_vhp(t_TensorFunction *func, t_TensorList *inputs, void *context,
                                              const t_TensorList *v, const t_FunctionalOptions *options);
/* torch.autograd.functional.hvp(...)[1]: H v, which equals vhp for a smooth function; vhp needs one backward less. */
T_API t_TensorList *t_autograd_functional_hvp(t_TensorFunction *func, t_TensorList *inputs, void *context,
                                              const t_TensorList *v, const t_FunctionalOptions *options);

typedef struct t_JacobianOptions {
    uint32_t size;
    bool create_graph, strict;
    bool vectorize;       /* a matter of PyTorch's speed, without an effect here; strategy "forward-mode" requires it */
    const char *strategy; /* "reverse-mode", a row for each output element; "forward-mode", a column an input element */
} t_JacobianOptions;

/* torch.autograd.functional.jacobian(func, inputs, create_graph, strict, vectorize, strategy): for output i and input j
 * a tensor of the output's shape followed by the input's, PyTorch's J[i][j], as item i * (number of inputs) + j. */
T_API t_TensorList *t_autograd_functional_jacobian(t_TensorFunction *func, t_TensorList *inputs, void *context,
                                                   const t_JacobianOptions *options);
/* torch.autograd.functional.hessian(func, inputs, create_graph, strict, vectorize, outer_jacobian_strategy): of a
 * function with one output of one element; item i * (number of inputs) + j is PyTorch's H[i][j]. */
T_API t_TensorList *t_autograd_functional_hessian(t_TensorFunction *func, t_TensorList *inputs, void *context,
                                                  const t_JacobianOptions *options);

T_END_DECLS
#endif
