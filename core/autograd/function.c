/* core/autograd/function.c: user-defined ops (torch.autograd.Function). */
#include "core/autograd/function.h"

#include "core/autograd/tape.h"
#include "core/autograd/arithmetic.h"

static bool is_input(const Tensor *y, const t_TensorList *inputs) {
    for (int64_t i = 0; i < inputs->len; i++)
        if (inputs->items[i] == y) return true;
    return false;
}

/* y itself if it has no history and nothing else refers to it, else a copy without history. */
static Tensor *detached_result(Tensor *y, const t_TensorList *inputs) {
    if (!y->base && !y->requires_grad && !is_input(y, inputs)) return y;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *copy = t_clone(y);
    t_set_grad_enabled(grad_enabled);
    return copy;
}

static Tensor *apply(const t_Function *function, Tensor *y, const t_TensorList *inputs, const t_ApplyOptions *o) {
    if (!tg_will_record(inputs->items, (int)inputs->len)) return y;
    if (!tg_is_floating(y->dtype))
        return tg_fail("%s: only a floating output can have a gradient, not %s", function->name,
                       tg_dtype_name(y->dtype));
    Tensor *result = detached_result(y, inputs);
    Tensor *saved[8], **saves = saved;
    int64_t count = o->saved ? o->saved->len : 0;
    if (!result) return NULL;
    size_t bytes = (size_t)count * sizeof *saves;
    if (count > 8 && !(saves = tg_alloc_raw(bytes))) return NULL;
    for (int64_t i = 0; i < count; i++) saves[i] = o->saved->items[i] == y ? result : o->saved->items[i];
    bool ok = tg_attach_record(function, result, inputs->items, (int)inputs->len, saves, (int)count, o->attributes,
                               o->attributes ? o->attribute_bytes : 0);
    if (saves != saved) tg_free(saves, bytes);
    return ok ? result : NULL;
}

Tensor *t_apply(const t_Function *function, Tensor *y, const t_TensorList *inputs, const t_ApplyOptions *options) {
    t_ApplyOptions o = {.size = sizeof o};
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_any(y, 2) || !tg_check_list(inputs, 3)) return NULL;
    if (o.saved && !tg_check_list(o.saved, 4)) return NULL;
    if (!o.saved && t_error()) return NULL;
    if (!function || !function->name || !function->grad_fn || !function->backward)
        return tg_fail("a t_Function needs its name, grad_fn and backward");
    int depth = t_scope_open();
    Tensor *result = depth ? apply(function, y, inputs, &o) : NULL;
    return tg_scope_return(depth, result);
}

Tensor *t_saved_tensor(t_Context *ctx, int i) {
    if (!tg_check_given(ctx != NULL, 1, "a context")) return NULL;
    if (i >= 0 && i < ctx->saves) return tg_saved(ctx, i);
    return tg_fail("%s saved %d tensors, so the index %d is out of range", ctx->op->name, ctx->saves, i);
}

bool t_needs_input_grad(const t_Context *ctx, int i) {
    if (!tg_check_given(ctx != NULL, 1, "a context")) return false;
    if (i >= 0 && i < ctx->inputs) return tg_needs(ctx, i);
    return tg_fail("%s has %d inputs, so the index %d is out of range", ctx->op->name, ctx->inputs, i);
}

const void *t_attributes(const t_Context *ctx) {
    return tg_check_given(ctx != NULL, 1, "a context") ? ctx->attributes : NULL;
}
