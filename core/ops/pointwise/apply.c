/* core/ops/pointwise/apply.c: apply_, map_ and map2_: a function of the user's for each element. */
#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/dtype_convert.h"

/* Calls f for each element in logical order. */
static void each(const Tensor *x, Tensor *const *others, int count, t_ElementFunction *f, void *context, int dim,
                 const int64_t *at) {
    const size_t item = tg_itemsize(x->dtype);
    if (dim == x->ndim) {
        char *element = x->storage->data + (size_t)at[0] * item;
        double value[3] = {tg_element_as_double(x->dtype, element)};
        for (int i = 0; i < count; i++)
            value[i + 1] = tg_element_as_double(x->dtype, others[i]->storage->data + (size_t)at[i + 1] * item);
        tg_set_element(x->dtype, element, f(value, context));
        return;
    }
    for (int64_t i = 0; i < x->shape[dim]; i++) {
        int64_t next[3] = {at[0] + i * x->strides[dim]};
        for (int k = 0; k < count; k++) next[k + 1] = at[k + 1] + i * others[k]->strides[dim];
        each(x, others, count, f, context, dim + 1, next);
    }
}

static Tensor *map(const char *name, Tensor *x, Tensor *const *others, int count, t_ElementFunction *f, void *context) {
    Tensor *expanded[2] = {NULL, NULL};
    bool grad = x->requires_grad;
    if (!tg_check_given(f != NULL, count + 2, "a function")) return NULL;
    for (int i = 0; i < count; i++) {
        grad |= others[i]->requires_grad;
        if (others[i]->dtype != x->dtype)
            return tg_fail("%s: expected torch.%s for '%s' (got torch.%s)", name, tg_dtype_name(x->dtype),
                           count == 1 ? "other"
                           : i        ? "y"
                                      : "x",
                           tg_dtype_name(others[i]->dtype));
    }
    if (grad)
        return tg_fail("Can't call %s() on Variable that requires grad. Use var.detach().%s() instead.", name, name);
    if (!tg_check_inplace(x)) return NULL;
    const int depth = tg_scope_open_around_callback();
    bool ok = depth != 0;
    for (int i = 0; ok && i < count; i++) ok = (expanded[i] = t_expand(others[i], x->shape, x->ndim)) != NULL;
    if (ok) {
        const int64_t at[3] = {x->offset, count > 0 ? expanded[0]->offset : 0, count > 1 ? expanded[1]->offset : 0};
        const int64_t failures = tg_thread.failures;
        each(x, expanded, count, f, context, 0, at);
        tg_bump_version(x);
        ok = !tg_failed_since(failures);
    }
    tg_scope_close(depth);
    return ok ? x : NULL;
}

/* x.apply_(f): each element becomes f of it, in order. Python's f takes one number; here it takes an array of one and
 * the context. Errors: x requires grad; those that f sets, after which x has what f gave before and after them. */
Tensor *t_apply_(Tensor *x, t_ElementFunction *f, void *context) {
    return tg_check_any(x, 1) ? map("apply_", x, NULL, 0, f, context) : NULL;
}

/* x.map_(other, f), x.map2_(other1, other2, f): f of x's element and of those of the others, which broadcast to x and
 * have its dtype. */
Tensor *t_map_(Tensor *x, Tensor *other, t_ElementFunction *f, void *context) {
    return tg_check_any_two(x, other) ? map("map_", x, &other, 1, f, context) : NULL;
}

Tensor *t_map2_(Tensor *x, Tensor *other1, Tensor *other2, t_ElementFunction *f, void *context) {
    return tg_check_any_three(x, other1, other2) ? map("map2_", x, (Tensor *[]){other1, other2}, 2, f, context) : NULL;
}
