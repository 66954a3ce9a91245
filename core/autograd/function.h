/* core/autograd/function.h: user-defined ops, torch.autograd.Function (public).
 *
 * The forward is a plain C function that computes with grad mode off and passes its result to t_apply; the gradient
 * rule is a second function. A constant t_Function holds both names and the rule. y = factor * x:
 *
 *     static void scale_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
 *         dx[0] = t_mul(dy, *(const double *)t_attributes(ctx));
 *     }
 *     static const t_Function scale_function = {.name = "scale", .grad_fn = "ScaleBackward",
 *                                               .backward = scale_backward};
 *
 *     Tensor *scale(Tensor *x, double factor) {
 *         Tensor *y;
 *         with_no_grad() y = t_mul(x, factor);
 *         return t_apply(&scale_function, y, t_list(x), .attributes = &factor, .attribute_bytes = sizeof factor);
 *     }
 *
 * The library's own ops are defined in the same way (core/autograd/tape.h). An op with several outputs has the rule
 * backward_outputs, and passes a list of outputs to t_apply, which returns the list. Not supported, unlike in PyTorch's
 * Function: setup_context and vmap (t_func_vmap needs no rule of its own here). jvp, the rule for forward mode, is only
 * needed where there is no backward that can be differentiated. */
#ifndef TAPEGRAD_CORE_AUTOGRAD_FUNCTION_H
#define TAPEGRAD_CORE_AUTOGRAD_FUNCTION_H

#include "core/tensor/list.h"

T_BEGIN_DECLS

typedef struct Record t_Context; /* ctx: the record of one call */

typedef struct t_Function {
    const char *name;    /* "scale": what t_tape_print shows */
    const char *grad_fn; /* "ScaleBackward": what t_print shows */
    /* Sets dx[i], the gradient of input i, from dy, the gradient of the output; a dx[i] left NULL means zero. If it is
     * written in tensor ops it can be differentiated itself (.create_graph). */
    void (*backward)(t_Context *ctx, Tensor *dy, Tensor **dx);
    /* @once_differentiable: the rule does not use tensor ops only, so that a second backward through it is an error */
    bool once_differentiable;
    /* Of an op with several outputs, in place of backward: dy[k] is the gradient of output k; of one that got none, or
     * is not differentiable, zeros (see materialize_grads). */
    void (*backward_outputs)(t_Context *ctx, Tensor *const *dy, Tensor **dx);
    /* Of an op with one output: the tangent of the output, from dx[i], the tangent of input i (zeros where it has
     * none), used by forward mode (t_func_jvp, t_func_jacfwd, t_autograd_forward_ad_unpack_dual). Next to backward, or
     * in its place: then a backward is PyTorch's error. NULL: forward mode uses backward (in PyTorch it is an error).
     */
    Tensor *(*jvp)(t_Context *ctx, Tensor *const *dx);
    /* where the output is float16 or bfloat16, the rule gets dy and the saved tensors as they are, not in float32 */
    bool takes_half;
} t_Function;

/* Returns y, with a record of `function` and the inputs if grad mode is on and one of them requires grad; a copy of y
 * if y is an input or a view. The options are the tensors that the rule needs (inputs and y are allowed; they must not
 * be written to before the backward) and a struct of attributes, which is copied. Error: y is not floating. `function`
 * must outlive the graph.
 *
 * dirty: inputs that the forward has written to, with grad mode off; they are outputs, and are returned themselves,
 * with the function in their history as after any op in place. Errors: PyTorch's for a leaf that requires grad, and for
 * a dirty input that is no output. */
typedef struct t_ApplyOptions {
    uint32_t size;
    const t_TensorList *saved; /* ctx.save_for_backward(...); items may not be NULL */
    const void *attributes;    /* a struct of the caller's */
    size_t attribute_bytes;
    const t_TensorList *non_differentiable; /* ctx.mark_non_differentiable(...): outputs, which require no grad then */
    const t_TensorList *dirty;              /* ctx.mark_dirty(...) */
    bool undefined_grads; /* ctx.set_materialize_grads(False): dy[k] is NULL where it would be zeros */
} t_ApplyOptions;
T_API Tensor *t_apply(const t_Function *function, Tensor *y, const t_TensorList *inputs, const t_ApplyOptions *options);
/* The same for several outputs. Those that are not floating are not differentiable. */
T_API t_TensorList *t_apply_outputs(const t_Function *function, const t_TensorList *outputs,
                                    const t_TensorList *inputs, const t_ApplyOptions *options);

/* For rules: ctx.saved_tensors[i] (NULL with PyTorch's error set if it was written to since, or freed by an earlier
 * backward), ctx.needs_input_grad[i], and the copied attributes. */
T_API Tensor *t_saved_tensor(t_Context *ctx, int i);
T_API bool t_needs_input_grad(const t_Context *ctx, int i);
T_API const void *t_attributes(const t_Context *ctx);

T_END_DECLS
#endif
