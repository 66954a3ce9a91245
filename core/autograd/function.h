/* core/autograd/function.h: an op of one's own, what torch.autograd.Function is for (public).
 *
 * The forward is a plain function of the user's, which computes with grad mode off and hands its result to t_apply; the
 * gradient rule is a second one. A constant ties the two. y = factor * x:
 *
 *     static void scale_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
 *         dx[0] = t_mul(dy, *(const double *)t_attributes(ctx));
 *     }
 *     static const t_Function scale_function = {.name = "scale", .grad_fn = "ScaleBackward", .backward = scale_backward};
 *
 *     Tensor *scale(Tensor *x, double factor) {
 *         Tensor *y;
 *         with_no_grad() y = t_mul(x, factor);
 *         return t_apply(&scale_function, y, t_list(x), .attributes = &factor, .attribute_bytes = sizeof factor);
 *     }
 *
 * The library's own ops are made of nothing else (core/autograd/tape.h). Left out, beside PyTorch's Function: several outputs,
 * mark_dirty (an op in place), setup_context, vmap and jvp. */
#ifndef TAPEGRAD_CORE_AUTOGRAD_FUNCTION_H
#define TAPEGRAD_CORE_AUTOGRAD_FUNCTION_H

#include "core/tensor/list.h"

T_BEGIN_DECLS

typedef struct Record t_Context; /* ctx: what the tape recorded of one call */

typedef struct t_Function {
    const char *name;    /* "scale": what t_tape_print shows */
    const char *grad_fn; /* "ScaleBackward": what t_print shows */
    /* Sets dx[i], the gradient of input i, from dy, the gradient of the output; a dx[i] left NULL means zero. Written in
     * ops of tensors it can be differentiated itself (.create_graph). */
    void (*backward)(t_Context *ctx, Tensor *dy, Tensor **dx);
    bool once_differentiable; /* the rule computes otherwise (t_data_ptr_mut, say): a second backward through it is refused */
} t_Function;

/* y, with a record that `function` made it from the inputs, where grad mode is on and one of them requires grad. y is a copy
 * where it is an input or a view. The options list the tensors that the rule needs (an input or y among them; they must not
 * be written to before the backward) and what else it needs, copied. Errors: y is not floating.
 * The constant must outlive the graph. */
typedef struct t_ApplyOptions {
    uint32_t size;
    const t_TensorList *saved; /* ctx.save_for_backward(...); items may not be NULL */
    const void *attributes;    /* a struct of the caller's */
    size_t attribute_bytes;
} t_ApplyOptions;
T_API Tensor *t_apply(const t_Function *function, Tensor *y, const t_TensorList *inputs, const t_ApplyOptions *options);

/* For rules: ctx.saved_tensors[i] (NULL with PyTorch's error set where it was written to since, or freed by an earlier
 * backward), ctx.needs_input_grad[i], and the caller's struct. */
T_API Tensor *t_saved_tensor(t_Context *ctx, int i);
T_API bool t_needs_input_grad(const t_Context *ctx, int i);
T_API const void *t_attributes(const t_Context *ctx);

T_END_DECLS
#endif
