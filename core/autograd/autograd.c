/* core/autograd/autograd.c: grad, requires_grad, detach_, is_leaf, grad_fn; grad mode. */
#include "core/autograd/autograd.h"

#include "core/autograd/arithmetic.h"

/* ---- a tensor's gradient ---- */

Tensor *t_grad(Tensor *x) {
    return tg_check(x, 1) && x->grad ? tg_add_to_scope(x->grad) : NULL;
}

bool t_set_grad(Tensor *x, Tensor *gradient) {
    if (!tg_check(x, 1) || !tg_check_optional(gradient, 2)) return false;
    if (gradient && !tg_same_shape(x, gradient))
        return tg_fail("attempting to assign a gradient of size '%s' to a tensor of size '%s'. Please ensure that the "
                       "gradient and the tensor are the same size", tg_shape_of(gradient), tg_shape_of(x));
    if (gradient && gradient->dtype != x->dtype)
        return tg_fail("assigned grad has data of a different type: %s instead of %s", tg_dtype_name(gradient->dtype),
                       tg_dtype_name(x->dtype));
    if (gradient == x) return tg_fail("can't assign Variable as its own grad");
    t_retain(gradient);
    t_release(x->grad);
    x->grad = gradient;
    return true;
}

bool t_requires_grad(Tensor *x) {
    return tg_check(x, 1) && x->requires_grad;
}

Tensor *t_requires_grad_(Tensor *x, bool requires_grad) {
    if (!tg_check(x, 1)) return NULL;
    if (requires_grad && !tg_is_floating(x->dtype))
        return tg_fail("only Tensors of floating point dtype can require gradients");
    if (!requires_grad && x->record)
        return tg_fail("you can only change requires_grad flags of leaf variables. If you want to use a computed "
                       "variable in a subgraph that doesn't require differentiation use t_detach(x).");
    x->requires_grad = requires_grad || x->record;
    return x;
}

Tensor *t_detach_(Tensor *x) {
    if (!tg_check(x, 1)) return NULL;
    if (x->base) return tg_fail("Can't detach views in-place. Use detach() instead.");
    tg_set_record(x, NULL);
    x->requires_grad = false;
    return x;
}

bool t_is_leaf(Tensor *x) {
    return tg_check(x, 1) && !x->record;
}

const char *t_grad_fn(Tensor *x) {
    return tg_check(x, 1) && x->record ? x->record->op->grad_fn : NULL;
}

/* ---- grad mode ---- */

bool t_is_grad_enabled(void) {
    return tg_context()->grad_enabled;
}

bool t_set_grad_enabled(bool mode) {
    Context *thread = tg_context();
    bool before = thread->grad_enabled;
    thread->grad_enabled = mode;
    return before;
}
