/* core/autograd/autograd.h: torch.autograd (public). */
#ifndef TAPEGRAD_CORE_AUTOGRAD_AUTOGRAD_H
#define TAPEGRAD_CORE_AUTOGRAD_AUTOGRAD_H

#include <stdio.h>

#include "core/tensor/list.h"

T_BEGIN_DECLS

/* loss.backward(gradient, retain_graph, create_graph, inputs): adds d loss / d leaf to the grad of every leaf that
 * requires grad and on which loss depends, by traversing the tape backwards from loss. gradient: same shape as loss,
 * the initial gradient; NULL: 1, and loss must then have one element. retain_graph keeps the saved tensors for another
 * backward. create_graph records the backward itself (and retains the graph); such a grad is part of a reference cycle
 * (grad, graph, leaf) that t_set_grad(x, NULL) breaks, as in PyTorch. inputs: only these tensors get a gradient, also
 * non-leaves (which then retain their grad); only the rules that they need are run. Errors (PyTorch's): loss does not
 * require grad; not a scalar; a second backward through a freed graph; a saved tensor was modified in place. On an
 * error no leaf's grad changes. Returns false on error.
 *
 * Not in PyTorch: with TAPEGRAD_STEP=1 in the environment each backward stops in the terminal at every record and
 * prints it with its gradients, as t_backward_print does (TAPEGRAD_STEP=always: also if stdin is not a terminal). */
typedef struct t_BackwardOptions {
    uint32_t size;
    Tensor *gradient;
    bool retain_graph, create_graph;
    const t_TensorList *inputs;
} t_BackwardOptions;
T_API bool t_backward(Tensor *loss, const t_BackwardOptions *options);

/* torch.autograd.backward(tensors, grad_tensors, ...): t_backward for several tensors at once. grad_tensors, and an
 * item of it, may be NULL. */
T_API bool t_autograd_backward(const t_TensorList *tensors, const t_TensorList *grad_tensors,
                               const t_BackwardOptions *options);

/* torch.autograd.grad(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads): the
 * gradients of sum(outputs * grad_outputs) with respect to the inputs, leaves or not, as a list; no leaf's grad
 * changes. With create_graph (which also retains the graph) they can be differentiated again. An input that the outputs
 * do not depend on is an error; with allow_unused its gradient is NULL, with materialize_grads zeros. Hooks of the
 * inputs are called; only the rules that the inputs need are run. */
typedef struct t_GradOptions {
    uint32_t size;
    const t_TensorList *grad_outputs; /* NULL, or a NULL item: 1, for an output of one element */
    bool retain_graph, create_graph, allow_unused, materialize_grads;
} t_GradOptions;
T_API t_TensorList *t_autograd_grad(const t_TensorList *outputs, const t_TensorList *inputs,
                                    const t_GradOptions *options);

/* x.grad: the accumulated gradient, or NULL if there is none. For an x that is not a leaf and does not retain its grad
 * PyTorch's UserWarning is printed to stderr, once per call site (TAPEGRAD_WARNINGS=off disables it). */
T_API Tensor *t_grad(Tensor *x);
/* x.grad = gradient (NULL clears it). A gradient that is a view of x, or that depends on x, is part of a reference
 * cycle that t_set_grad(x, NULL) breaks, as in PyTorch. Errors: another shape or dtype. */
T_API bool t_set_grad(Tensor *x, Tensor *gradient);

/* x.requires_grad; x.requires_grad_(on), for leaves of floating dtype only; returns x. */
T_API bool t_requires_grad(Tensor *x);
T_API Tensor *t_requires_grad_(Tensor *x, bool requires_grad);
/* x.detach_(): removes x from the graph; x does not require grad then. Error: x is a view. Returns x. */
T_API Tensor *t_detach_(Tensor *x);
/* x.is_leaf: x is not the result of a recorded op. */
T_API bool t_is_leaf(Tensor *x);
/* x.grad_fn's name ("MulBackward0"), or NULL for a leaf. */
T_API const char *t_grad_fn(Tensor *x);

/* torch.is_grad_enabled(), torch.set_grad_enabled(on); the latter returns the previous mode. */
T_API bool t_is_grad_enabled(void);
T_API bool t_set_grad_enabled(bool mode);

/* Prints the graph of x, its records oldest first: number, op, output shape, inputs, saved tensors and their bytes,
 * source line and expression. An input is the number of the record that made it, "#1", or its name: from t_watch, else
 * the variable or number in the call ("w" in "t_mul(w, x)"), else "leaf", or "-" if it needs no gradient. The output of
 * a record that is watched is named before its op: "s = add". to: NULL means stdout. */
T_API void t_tape_print(Tensor *x, FILE *to);

/* t_tape_html(loss, "tape.html"): writes the graph of x as one page for a browser, which needs nothing else: the source
 * with the line of the current record, the graph with values and gradients on its edges, and forward and backward in
 * steps, by buttons or the arrow keys. If there are many records, those of one call of a module are folded; of a graph
 * that is still too large the part around the current step is drawn. Not in PyTorch.
 *
 * Values are those that the tape has. While t_set_tape_values(true) is in force, each new record keeps its output, its
 * inputs that need no gradient and the path of the module that ran it, so that all values are shown (and memory is
 * held as if each of these was saved).
 *
 * Gradients are computed by a backward that retains the graph; the gradient of x is 1 in each element. That of a leaf
 * is what backward would add to its grad. Hooks on gradients run, post-accumulate hooks do not. No grad changes, also
 * none that a rule or a hook changes by a t_backward or t_set_grad of its own, and the default generator is put back;
 * other things that a rule or a hook writes to stay written. If the backward fails, the page shows the forward and the
 * error. Errors: x is a leaf; the file cannot be written (an old file is kept). */
T_API bool t_tape_html(Tensor *x, const char *path);
T_API bool t_set_tape_values(bool on); /* returns the previous setting */

/* Teaching mode, not in PyTorch: on if the environment has TAPEGRAD_TEACH=1 when the thread begins, or by
 * t_set_teach(true), which returns the previous setting. Mistakes that are no errors are reported to stderr, once per
 * call site: what was seen, why it matters, what to write. examples/PORTING.md lists the reports. */
T_API bool t_set_teach(bool on);

/* ---- watched tensors: not in PyTorch ---- */

/* t_watch(x, w, s, loss): gives tensors the names that they have in the source, for t_watch_print, t_tape_print and
 * t_tape_html. A watched non-leaf that requires grad retains its gradient, as by t_retain_grad. A name does not keep
 * its tensor alive: it leaves the table with it. Watching again replaces the name. Error: a NULL or dead tensor. */
T_API bool t_watch(Tensor *const *tensors, const char *const *names, int count);
/* Prints a table of the thread's watched tensors: name, shape, the op and line that made it, value, gradient ("-" if
 * there is none). Of a tensor with more than four elements the first four are shown. to: NULL means stdout. */
T_API void t_watch_print(FILE *to);
T_API void t_unwatch(void); /* forgets all names */

/* ---- hooks ---- */

/* x.register_hook(hook), for leaves and non-leaves: backward calls hook with the complete gradient of x and continues
 * with the returned tensor (NULL: the gradient is unchanged). Several hooks are called in the order of registration.
 * After a later in-place write to x a hook stays with the old value. The handle need not be kept. Errors: x does not
 * require grad; in backward: the hook returned another shape or dtype, or set an error. */
typedef struct t_Hook t_Hook;
typedef Tensor *t_HookFunction(Tensor *gradient, void *context);
T_API t_Hook *t_register_hook(Tensor *x, t_HookFunction *hook, void *context);
/* x.register_post_accumulate_grad_hook(hook): for a leaf; called after its grad was updated. (Difference: called at the
 * end of a successful backward, in the order in which the leaves' gradients were completed; in PyTorch during the
 * backward.) */
typedef void t_PostHookFunction(Tensor *x, void *context);
T_API t_Hook *t_register_post_accumulate_grad_hook(Tensor *x, t_PostHookFunction *hook, void *context);
T_API bool t_hook_remove(t_Hook *hook); /* handle.remove() */

/* x.retain_grad(), x.retains_grad: backward also sets the grad of x, a non-leaf, after its hooks. */
T_API bool t_retain_grad(Tensor *x);
T_API bool t_retains_grad(Tensor *x);

/* ---- anomaly mode ---- */

/* torch.autograd.set_detect_anomaly(mode, check_nan): while on, a backward fails if a rule returns a nan: "Function
 * 'LogBackward0' returned nan values in its 0th output.", with the op and source line of the forward, and with the op
 * that produced the first nan of the forward, if there was one. Not in PyTorch: with check_forward the first op of the
 * forward that produces a nan, or gets one as an input, fails; check_inf does the same for infinities. */
typedef struct t_AnomalyOptions {
    uint32_t size;
    bool check_nan, check_forward, check_inf; /* true, false, false */
} t_AnomalyOptions;
T_API bool t_set_detect_anomaly(bool mode, const t_AnomalyOptions *options);
T_API bool t_is_anomaly_enabled(void);
T_API bool t_is_anomaly_check_nan_enabled(void);
T_API int t_swap_anomaly_(int mode); /* for with_detect_anomaly() */

/* ---- backward, one record at a time ---- */

/* t_backward as a loop: begin, then next until it returns false (then the leaves have their grads, or t_error() is
 * set), then end. Ending earlier, or closing the scope, changes no grad, but the saved tensors of the records that ran
 * are freed.
 *
 *     t_BackwardSteps *steps = t_backward_begin(loss, NULL);
 *     for (t_BackwardStep step; t_backward_next(steps, &step);) t_print(step.dy);
 *     t_backward_end(steps); */
typedef struct t_BackwardStep {
    int64_t number;      /* of the record in order of execution */
    const char *op, *grad_fn;
    const t_Site *site;  /* of the forward; NULL if it was not called through a macro */
    Tensor *dy;          /* the gradient of the record's output */
    int64_t inputs;
    Tensor *const *dx;   /* the gradient of each input, in the input's shape; NULL: zero, or not needed */
    const int64_t *to;   /* for each input the number of the record that computed it; 0: none */
    Tensor *const *leaf; /* for each input the leaf that it is, or NULL */
} t_BackwardStep;
typedef struct t_BackwardSteps t_BackwardSteps;
T_API t_BackwardSteps *t_backward_begin(Tensor *loss, const t_BackwardOptions *options);
T_API bool t_backward_next(t_BackwardSteps *steps, t_BackwardStep *step);
T_API void t_backward_end(t_BackwardSteps *steps);

/* Runs t_backward(loss) and prints each step: op, source line, output gradient, input gradients and their
 * destinations. */
T_API bool t_backward_print(Tensor *loss, FILE *to);

/* ---- the graph in Graphviz's format ---- */

/* Writes the graph of x in the DOT language (dot -Tsvg): one box per op with its output's shape and source line, leaves
 * coloured, x at the bottom. Arrows have the direction of the forward, as in torchviz, and are listed in the order of
 * backward. Leaves in params are labelled with their names. */
typedef struct t_GraphOptions {
    uint32_t size;
    const t_TensorList *params;
    const char *const *names; /* one for each of params */
} t_GraphOptions;
T_API bool t_graph_dot(Tensor *x, FILE *to, const t_GraphOptions *options);

/* ---- checking gradients ---- */

/* torch.autograd.gradcheck(func, inputs, eps, atol, rtol, raise_exception, nondet_tol, fast_mode): compares the
 * Jacobian of each output with respect to each input that requires grad, computed by backward and by central
 * differences. func gets the list `inputs` and returns a list of outputs, of which the floating ones that require grad
 * are checked; context is passed through. The inputs' values are changed for the differences and restored; their grads
 * do not change. fast_mode compares one projection of the Jacobian, and the elements only if that differs. Returns true
 * if every element agrees within atol + rtol * |numerical|. Otherwise false, with an error that names the first wrong
 * element and both values (no error if raise_exception is false). Other errors (PyTorch's): no input requires grad, an
 * input with a stride of 0, two backwards that differ by more than nondet_tol. For an input that is not float64 there
 * is only a warning, on stderr. */
typedef t_TensorList *t_GradcheckFunction(t_TensorList *inputs, void *context);
typedef struct t_GradcheckOptions {
    uint32_t size;
    double eps, atol, rtol, nondet_tol; /* 1e-6, 1e-5, 1e-3, 0 */
    bool raise_exception, fast_mode;    /* true, false */
    bool check_forward_ad;  /* false; compares J v of forward mode as well, element by element also in fast mode */
    bool check_backward_ad; /* true */
} t_GradcheckOptions;
T_API bool t_gradcheck(t_GradcheckFunction *func, t_TensorList *inputs, void *context,
                       const t_GradcheckOptions *options);

/* torch.autograd.gradgradcheck: gradcheck of the gradients, with respect to the inputs and to grad_outputs (NULL: drawn
 * from the default generator, uniform in [-1, 1), as in PyTorch). Error: an op that is not twice differentiable. */
T_API bool t_gradgradcheck(t_GradcheckFunction *func, t_TensorList *inputs, void *context,
                           const t_TensorList *grad_outputs, const t_GradcheckOptions *options);

T_END_DECLS
#endif
