/* core/autograd.h: torch.autograd (public). */
#ifndef TAPEGRAD_CORE_AUTOGRAD_H
#define TAPEGRAD_CORE_AUTOGRAD_H

#include <stdio.h>

#include "core/list.h"

T_BEGIN_DECLS

/* loss.backward(gradient, retain_graph, create_graph): adds d loss / d leaf into the grad of every leaf that requires
 * grad and that loss was made from, by walking the tape from loss back.
 * gradient: same shape as loss, d(final) / d loss; NULL: 1, which loss must then have one element for.
 * retain_graph keeps the saved tensors for another backward. create_graph records the backward itself (and retains);
 * such a grad holds its graph, which holds the leaf, which holds the grad: t_set_grad(x, NULL) lets them go, as in PyTorch.
 * Errors (PyTorch's): loss does not require grad; not a scalar; a second backward through a freed graph; a saved
 * tensor modified in place. On an error no leaf's grad has changed. Returns false on error. */
typedef struct t_BackwardOptions {
    uint32_t size;
    Tensor *gradient;
    bool retain_graph, create_graph;
} t_BackwardOptions;
T_API bool t_backward(Tensor *loss, const t_BackwardOptions *options);

/* x.grad: the gradient that backward gathered, or NULL when there is none. */
T_API Tensor *t_grad(Tensor *x);
/* x.grad = gradient (NULL clears it). Errors: another shape or dtype. */
T_API bool t_set_grad(Tensor *x, Tensor *gradient);

/* x.requires_grad; x.requires_grad_(on), which only a leaf of floating dtype takes; returns x. */
T_API bool t_requires_grad(Tensor *x);
T_API Tensor *t_requires_grad_(Tensor *x, bool on);
/* x.is_leaf: no op made it, or none that is recorded. */
T_API bool t_is_leaf(Tensor *x);
/* x.grad_fn's name ("MulBackward0"), or NULL for a leaf. */
T_API const char *t_grad_fn(Tensor *x);

/* torch.is_grad_enabled(), torch.set_grad_enabled(on); the latter returns what it was before. */
T_API bool t_is_grad_enabled(void);
T_API bool t_set_grad_enabled(bool on);

/* Prints the records that x was made from, oldest first: number, op, output shape, saved tensors with the bytes they
 * hold, source line and expression. to: stdout where NULL. */
T_API void t_tape_print(Tensor *x, FILE *to);

/* torch.autograd.gradcheck(f, inputs, eps, atol, rtol): compares backward with central differences. f gets the list
 * `inputs` of float64 tensors and returns one floating tensor; context is passed through. Output elements are weighted
 * unevenly, one weight an element, so that an op whose outputs sum to a constant (softmax) is seen. NULL options are
 * PyTorch's 1e-6, 1e-5, 1e-3. The inputs' grads are cleared first and hold the checked gradient afterwards. Returns true if every element agrees; else false, with an error that names the first
 * wrong element and both values. */
typedef struct t_GradcheckOptions {
    uint32_t size;
    double eps, atol, rtol;
} t_GradcheckOptions;
T_API bool t_gradcheck(Tensor *(*f)(t_TensorList *inputs, void *context), t_TensorList *inputs, void *context,
                       const t_GradcheckOptions *options);

T_END_DECLS
#endif
