/* core/autograd/function.c: user-defined ops (torch.autograd.Function). */
#include "core/autograd/function.h"

#include "core/autograd/arithmetic.h"
#include "core/autograd/function_outputs.h"
#include "core/autograd/tape.h"
#include "core/autograd/trace.h"

/* ---- the results ---- */

static bool is_in(const Tensor *y, const t_TensorList *list) {
    for (int64_t i = 0; list && i < list->len; i++)
        if (list->items[i] == y) return true;
    return false;
}

/* What gets the record for y: y itself if it has no history and nothing else refers to it, else a copy without history;
 * of a dirty input an alias, whose history the input takes over afterwards. */
static Tensor *result_for(Tensor *y, const t_TensorList *inputs, const t_ApplyOptions *o) {
    if (is_in(y, o->dirty)) return tg_check_new_history(y) ? tg_alias(y) : NULL;
    if (!y->base && !y->requires_grad && !is_in(y, inputs)) return y;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *copy = t_clone(y);
    t_set_grad_enabled(grad_enabled);
    return copy;
}

/* The saved tensors, with the results in place of the outputs. The caller frees the array. */
static Tensor **saved_tensors(const t_TensorList *saved, const t_TensorList *outputs, Tensor *const *results) {
    Tensor **list = tg_alloc((size_t)(saved ? saved->len : 0) * sizeof *list + 1);
    for (int64_t i = 0; list && saved && i < saved->len; i++) {
        list[i] = saved->items[i];
        for (int64_t k = 0; k < outputs->len; k++)
            if (list[i] == outputs->items[k] && results[k]) list[i] = results[k];
    }
    return list;
}

static bool check_dirty(const t_TensorList *outputs, const t_TensorList *inputs, const t_ApplyOptions *o) {
    for (int64_t i = 0; o->dirty && i < o->dirty->len; i++) {
        if (!is_in(o->dirty->items[i], inputs))
            return tg_fail("Only input Tensors should be given to .dirty: item %lld is not an input", (long long)i);
        if (!is_in(o->dirty->items[i], outputs))
            return tg_fail("Some elements marked as dirty during the forward method were not returned as output. The "
                           "inputs that are modified inplace must all be outputs of the Function.");
    }
    for (int64_t i = 0; o->non_differentiable && i < o->non_differentiable->len; i++)
        if (!is_in(o->non_differentiable->items[i], outputs))
            return tg_fail("Only outputs should be given to .non_differentiable: item %lld is not an output",
                           (long long)i);
    return true;
}

static bool make_results(const t_TensorList *outputs, const t_TensorList *inputs, const t_ApplyOptions *o,
                         Tensor **results) {
    for (int64_t k = 0; k < outputs->len; k++) {
        Tensor *y = outputs->items[k];
        if (is_in(y, o->non_differentiable) || !tg_is_floating(y->dtype)) continue;
        if (!(results[k] = result_for(y, inputs, o))) return false;
    }
    return true;
}

/* ---- apply ---- */

/* Gives the results their records; one output has an ordinary one. */
static bool attach(const t_Function *function, Tensor **results, const t_TensorList *outputs,
                   const t_TensorList *inputs, const t_ApplyOptions *o) {
    const int count = o->saved ? (int)o->saved->len : 0;
    Tensor **saved = saved_tensors(o->saved, outputs, results);
    bool ok = saved != NULL;
    if (ok && function->backward_outputs)
        ok = tg_attach_outputs(function, results, outputs, inputs, saved, count, o);
    else if (ok)
        ok = tg_attach_record(function, results[0], inputs->items, (int)inputs->len, saved, count, o->attributes,
                              o->attributes ? o->attribute_bytes : 0);
    tg_free(saved, (size_t)count * sizeof *saved + 1);
    return ok;
}

/* The list that the call returns: of a result of a dirty input the input, which takes over its history; of what is not
 * differentiable the output, detached if it has a history. */
static t_TensorList *results_of(const t_TensorList *outputs, Tensor *const *results, const t_ApplyOptions *o) {
    t_TensorList *list = tg_list_of_nulls(outputs->len);
    for (int64_t k = 0; list && k < outputs->len; k++) {
        Tensor *y = outputs->items[k], *result = results[k];
        if (!result) result = y->requires_grad ? t_detach(y) : y;
        else if (is_in(y, o->dirty)) continue;
        if (!result) return NULL;
        list->items[k] = t_retain(result);
    }
    for (int64_t k = 0; list && k < outputs->len; k++) { /* last, since it changes an input */
        if (list->items[k]) continue;
        if (!tg_rebase_history(outputs->items[k], results[k], NULL)) return NULL;
        list->items[k] = t_retain(outputs->items[k]);
    }
    return list;
}

/* After an error: outputs that became results are without history again. */
static void forget_histories(const t_TensorList *outputs, Tensor *const *results) {
    for (int64_t k = 0; k < outputs->len; k++) {
        Tensor *y = outputs->items[k];
        if (results[k] != y || !y->record) continue;
        tg_set_record(y, NULL);
        y->requires_grad = false;
    }
}

static t_TensorList *traced(t_TensorList *list, const t_Function *function, const t_TensorList *inputs) {
    for (int64_t k = 0; list && k < list->len; k++)
        tg_trace_op(function, list->items[k], inputs->items, (int)inputs->len, NONE);
    return list;
}

static t_TensorList *apply(const t_Function *function, const t_TensorList *outputs, const t_TensorList *inputs,
                           const t_ApplyOptions *o) {
    if (!check_dirty(outputs, inputs, o)) return NULL;
    if (!tg_will_record(inputs->items, (int)inputs->len))
        return traced(t_list_new(outputs->items, outputs->len), function, inputs);
    const size_t bytes = (size_t)outputs->len * sizeof(Tensor *);
    Tensor **results = tg_alloc(bytes + 1);
    bool ok = results && make_results(outputs, inputs, o, results), any = false;
    for (int64_t k = 0; ok && k < outputs->len; k++) any |= results[k] != NULL;
    if (ok && any) ok = attach(function, results, outputs, inputs, o);
    t_TensorList *list = ok ? results_of(outputs, results, o) : NULL;
    if (!list && results) forget_histories(outputs, results);
    tg_free(results, bytes + 1);
    return traced(list, function, inputs);
}

static bool check_options(t_ApplyOptions *o, const t_ApplyOptions *options, const t_TensorList *inputs) {
    if (!tg_take_options(o, options, sizeof *o) || !tg_check_list(inputs, 3)) return false;
    if ((!o->saved || !o->non_differentiable || !o->dirty) && t_error()) return false;
    return tg_check_optional_list(o->saved, 4) && tg_check_optional_list(o->non_differentiable, 4) &&
           tg_check_optional_list(o->dirty, 4);
}

Tensor *t_apply(const t_Function *function, Tensor *y, const t_TensorList *inputs, const t_ApplyOptions *options) {
    t_ApplyOptions o = {.size = sizeof o};
    if (!tg_check_any(y, 2) || !check_options(&o, options, inputs)) return NULL;
    if (!function || !function->name || !function->grad_fn || (!function->backward && !function->jvp))
        return tg_fail("a t_Function needs its name, grad_fn and backward");
    if (!tg_is_floating(y->dtype) && !is_in(y, o.non_differentiable) &&
        tg_will_record(inputs->items, (int)inputs->len))
        return tg_fail("%s: only a floating output can have a gradient, not %s", function->name,
                       tg_dtype_name(y->dtype));
    int depth = t_scope_open();
    t_TensorList *outputs = depth ? t_list_new(&y, 1) : NULL;
    t_TensorList *list = outputs ? apply(function, outputs, inputs, &o) : NULL;
    return tg_scope_return(depth, list ? list->items[0] : NULL);
}

t_TensorList *t_apply_outputs(const t_Function *function, const t_TensorList *outputs, const t_TensorList *inputs,
                              const t_ApplyOptions *options) {
    t_ApplyOptions o = {.size = sizeof o};
    if (!tg_check_list(outputs, 2) || !check_options(&o, options, inputs)) return NULL;
    if (!function || !function->name || !function->grad_fn || !function->backward_outputs)
        return tg_fail("a t_Function with several outputs needs its name, grad_fn and backward_outputs");
    int depth = t_scope_open();
    t_TensorList *list = depth ? apply(function, outputs, inputs, &o) : NULL;
    t_retain(list);
    t_scope_close(depth);
    for (int64_t k = 0; list && k < list->len; k++) tg_add_to_scope(list->items[k]);
    tg_add_to_scope(list);
    t_release(list);
    return list;
}

/* ---- for rules ---- */

Tensor *t_saved_tensor(t_Context *ctx, int i) {
    if (!tg_check_given(ctx != NULL, 1, "a context")) return NULL;
    if (i >= 0 && i < ctx->saves) return tg_saved_output(ctx, i, tg_saved(ctx, i));
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
