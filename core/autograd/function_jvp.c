/* core/autograd/function_jvp.c: user-defined ops with a rule for forward mode, t_Function.jvp.
 *
 * Forward mode is here the derivative of u^T J, which is linear in u, along u, at u = 0: what is asked of a record is a
 * linear function from dy to dx that can be differentiated. Its value is 0 where dy is 0, and its derivative, from v, a
 * tangent for each input, to a tangent of the output, is jvp itself. */
#include "core/autograd/arithmetic.h"
#include "core/autograd/backward.h"

typedef struct Transposed {
    Record *of; /* alive as long as a forward mode through it can be evaluated: the output's graph holds it */
} Transposed;

static void transposed_backward(Record *r, Tensor *const *v, Tensor **dx) {
    Record *of = ((const Transposed *)r->attributes)->of;
    dx[0] = of->op->jvp(of, v);
}

static const t_Function transposed_function = {
    .name = "jvp", .grad_fn = "JvpBackward0", .backward_outputs = transposed_backward};

void tg_transpose_jvp(Record *r, Tensor *dy, Tensor **dx) {
    const Transposed transposed = {r};
    const t_ApplyOptions options = {
        .size = sizeof options, .attributes = &transposed, .attribute_bytes = sizeof transposed};
    t_TensorList *zeros = t_list_new(NULL, 0), *u = t_list_new(&dy, 1);
    for (int i = 0; zeros && i < r->inputs; i++)
        if (!t_list_append(zeros, tg_zeros_like_input(r, i))) return;
    t_TensorList *all = zeros && u ? t_apply_outputs(&transposed_function, zeros, u, &options) : NULL;
    for (int i = 0; all && i < r->inputs; i++)
        if (tg_needs(r, i)) dx[i] = all->items[i];
}
