/* core/autograd/autograd.h: torch.autograd (public). */
#ifndef TAPEGRAD_CORE_AUTOGRAD_AUTOGRAD_H
#define TAPEGRAD_CORE_AUTOGRAD_AUTOGRAD_H

#include <stdio.h>

#include "core/tensor/list.h"

T_BEGIN_DECLS

/* loss.backward(gradient, retain_graph, create_graph, inputs): adds d loss / d leaf into the grad of every leaf that requires
 * grad and that loss was made from, by walking the tape from loss back.
 * gradient: same shape as loss, d(final) / d loss; NULL: 1, which loss must then have one element for.
 * retain_graph keeps the saved tensors for another backward. create_graph records the backward itself (and retains);
 * such a grad holds its graph, which holds the leaf, which holds the grad: t_set_grad(x, NULL) lets them go, as in PyTorch.
 * inputs: only these get a gradient, others than leaves too (they then retain theirs); nothing that they do not need is run.
 * Errors (PyTorch's): loss does not require grad; not a scalar; a second backward through a freed graph; a saved
 * tensor modified in place. On an error no leaf's grad has changed. Returns false on error. */
typedef struct t_BackwardOptions {
    uint32_t size;
    Tensor *gradient;
    bool retain_graph, create_graph;
    const t_TensorList *inputs;
} t_BackwardOptions;
T_API bool t_backward(Tensor *loss, const t_BackwardOptions *options);

/* torch.autograd.backward(tensors, grad_tensors, ...): the same from several tensors at once. grad_tensors, and an item of
 * it, may be NULL. */
T_API bool t_autograd_backward(const t_TensorList *tensors, const t_TensorList *grad_tensors, const t_BackwardOptions *options);

/* torch.autograd.grad(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads): the
 * gradients of sum(outputs * grad_outputs) with respect to the inputs, leaves or not, as a list; no leaf's grad changes. With
 * create_graph (which retains the graph, too) they can be differentiated again.
 * An input that the outputs do not depend on is an error, or with allow_unused NULL in the list, or with materialize_grads
 * zeros. Hooks of the inputs run; nothing that the inputs do not need does. */
typedef struct t_GradOptions {
    uint32_t size;
    const t_TensorList *grad_outputs; /* NULL, or an item NULL: 1, for an output of one element */
    bool retain_graph, create_graph, allow_unused, materialize_grads;
} t_GradOptions;
T_API t_TensorList *t_autograd_grad(const t_TensorList *outputs, const t_TensorList *inputs, const t_GradOptions *options);

/* x.grad: the gradient that backward gathered, or NULL when there is none. */
T_API Tensor *t_grad(Tensor *x);
/* x.grad = gradient (NULL clears it). Errors: another shape or dtype. */
T_API bool t_set_grad(Tensor *x, Tensor *gradient);

/* x.requires_grad; x.requires_grad_(on), which only a leaf of floating dtype takes; returns x. */
T_API bool t_requires_grad(Tensor *x);
T_API Tensor *t_requires_grad_(Tensor *x, bool requires_grad);
/* x.detach_(): x forgets what made it, and requires no grad. Error: x is a view. Returns x. */
T_API Tensor *t_detach_(Tensor *x);
/* x.is_leaf: no op made it, or none that is recorded. */
T_API bool t_is_leaf(Tensor *x);
/* x.grad_fn's name ("MulBackward0"), or NULL for a leaf. */
T_API const char *t_grad_fn(Tensor *x);

/* torch.is_grad_enabled(), torch.set_grad_enabled(on); the latter returns what it was before. */
T_API bool t_is_grad_enabled(void);
T_API bool t_set_grad_enabled(bool mode);

/* Prints the records that x was made from, oldest first: number, op, output shape, saved tensors with the bytes they
 * hold, source line and expression. to: stdout where NULL. */
T_API void t_tape_print(Tensor *x, FILE *to);

/* ---- hooks ---- */

/* x.register_hook(hook): backward calls hook with the whole gradient of x, a leaf's or not, before it goes on; what the hook
 * returns takes the gradient's place (NULL: it stays). Several run in the order they were registered, and stay with the value
 * that x has now when x is written to later. The handle may be dropped. Errors: x does not require grad; in backward: the hook
 * returned another shape or dtype, or set an error. */
typedef struct t_Hook t_Hook;
typedef Tensor *t_HookFunction(Tensor *gradient, void *context);
T_API t_Hook *t_register_hook(Tensor *x, t_HookFunction *hook, void *context);
/* x.register_post_accumulate_grad_hook(hook): for a leaf; called when its grad has been added to. (Here at the end of a
 * backward that has succeeded, in the order the leaves' gradients were complete; in PyTorch on the way.) */
typedef void t_PostHookFunction(Tensor *x, void *context);
T_API t_Hook *t_register_post_accumulate_grad_hook(Tensor *x, t_PostHookFunction *hook, void *context);
T_API bool t_hook_remove(t_Hook *hook); /* handle.remove() */

/* x.retain_grad(), x.retains_grad: an x that an op made gets a grad in backward as a leaf does, after its hooks. */
T_API bool t_retain_grad(Tensor *x);
T_API bool t_retains_grad(Tensor *x);

/* ---- anomaly mode ---- */

/* torch.autograd.set_detect_anomaly(mode, check_nan): while on, a backward whose rule returns a nan fails, "Function
 * 'LogBackward0' returned nan values in its 0th output.", with the op and source line of the forward, and with the op that made
 * the first nan of the forward, if one did. check_forward (PyTorch has none): already that op fails, or the one that was given
 * a nan from outside; check_inf: the same for infinities. */
typedef struct t_AnomalyOptions {
    uint32_t size;
    bool check_nan, check_forward, check_inf; /* true, false, false */
} t_AnomalyOptions;
T_API bool t_set_detect_anomaly(bool mode, const t_AnomalyOptions *options);
T_API bool t_is_anomaly_enabled(void);
T_API bool t_is_anomaly_check_nan_enabled(void);
T_API int t_swap_anomaly_(int mode); /* for with_detect_anomaly() */

/* ---- backward, one record at a time ---- */

/* t_backward as a loop: begin, then next until it gives false (the leaves have their grads by then, or t_error() says why
 * not), then end. Who ends earlier, or closes the scope, has changed nothing but what the tape had saved for the records run.
 *
 *     t_BackwardSteps *steps = t_backward_begin(loss, NULL);
 *     for (t_BackwardStep step; t_backward_next(steps, &step);) t_print(step.dy);
 *     t_backward_end(steps); */
typedef struct t_BackwardStep {
    int64_t number;      /* of the record in order of execution */
    const char *op, *grad_fn;
    const t_Site *site;  /* of the forward; NULL where no macro was involved */
    Tensor *dy;          /* the gradient of the record's output */
    int64_t inputs;
    Tensor *const *dx;   /* what it sends to each input, in the input's shape; NULL: zero, or not needed */
    const int64_t *to;   /* the number of the record that made the input; 0: none, */
    Tensor *const *leaf; /* it is this leaf, or NULL: it needs no gradient */
} t_BackwardStep;
typedef struct t_BackwardSteps t_BackwardSteps;
T_API t_BackwardSteps *t_backward_begin(Tensor *loss, const t_BackwardOptions *options);
T_API bool t_backward_next(t_BackwardSteps *steps, t_BackwardStep *step);
T_API void t_backward_end(t_BackwardSteps *steps);

/* Runs t_backward(loss) and prints each step: op, source line, the gradient that came in, those that went out, and where to. */
T_API bool t_backward_print(Tensor *loss, FILE *to);

/* ---- the graph as a picture ---- */

/* Writes the graph that x was made by in the language of Graphviz (dot -Tsvg): an op a box with its output's shape and source
 * line, leaves coloured, x itself at the bottom. Arrows go with the values, as torchviz draws them, and are listed in the order
 * in which backward walks them. A leaf is called by its name where params lists it. */
typedef struct t_GraphOptions {
    uint32_t size;
    const t_TensorList *params;
    const char *const *names; /* one for each of them */
} t_GraphOptions;
T_API bool t_graph_dot(Tensor *x, FILE *to, const t_GraphOptions *options);

/* ---- checking gradients ---- */

/* torch.autograd.gradcheck(func, inputs, eps, atol, rtol, raise_exception, nondet_tol, fast_mode): is backward's Jacobian, of each
 * output with respect to each input that requires grad, what central differences give? func gets the list `inputs` and
 * returns a list of outputs, of which the floating ones that require grad count; context is passed through. The inputs'
 * values are moved for the differences and put back; their grads stay as they are. fast_mode compares one random
 * projection instead of each element, and looks for the wrong one only then.
 * Returns true if every element agrees within atol + rtol * |numerical|. Else false, with an error that names the first wrong
 * element and both values; or without an error where raise_exception is false. Other errors (PyTorch's): no input requires
 * grad, an input with a stride of 0, two backwards that differ by more than nondet_tol. An input that is not float64 is only
 * warned of, on stderr. */
typedef t_TensorList *t_GradcheckFunction(t_TensorList *inputs, void *context);
typedef struct t_GradcheckOptions {
    uint32_t size;
    double eps, atol, rtol, nondet_tol; /* 1e-6, 1e-5, 1e-3, 0 */
    bool raise_exception, fast_mode;    /* true, false */
} t_GradcheckOptions;
T_API bool t_gradcheck(t_GradcheckFunction *func, t_TensorList *inputs, void *context, const t_GradcheckOptions *options);

/* torch.autograd.gradgradcheck: gradcheck of the gradients, with respect to the inputs and to grad_outputs (NULL: drawn
 * from the default generator, uniform in [-1, 1), as PyTorch does). Error: an op that is not twice differentiable. */
T_API bool t_gradgradcheck(t_GradcheckFunction *func, t_TensorList *inputs, void *context, const t_TensorList *grad_outputs,
                           const t_GradcheckOptions *options);

T_END_DECLS
#endif
