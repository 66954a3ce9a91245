/* core/func/function_call.c: calls of a user's function of tensors, gradients and Jacobians of what it returned. */
#include <string.h>

#include "core/autograd/backward.h"
#include "core/func/func_internal.h"

/* ---- lists ---- */

t_TensorList *tg_detach_all(const t_TensorList *list) {
    t_TensorList *detached = list ? t_list_new(NULL, 0) : NULL;
    for (int64_t i = 0; detached && i < list->len; i++)
        if (!t_list_append(detached, t_detach(list->items[i]))) return NULL;
    return detached;
}

t_TensorList *tg_zeros_like_all(const t_TensorList *list, bool requires_grad) {
    t_TensorList *zeros = list ? t_list_new(NULL, 0) : NULL;
    for (int64_t i = 0; zeros && i < list->len; i++) {
        Tensor *zero = t_zeros_like(list->items[i]);
        if (zero && requires_grad && tg_is_floating(zero->dtype)) zero->requires_grad = true;
        if (!t_list_append(zeros, zero)) return NULL;
    }
    return zeros;
}

void tg_return_lists(int depth, t_TensorList **lists, int count) {
    for (int i = 0; i < count; i++) t_retain(lists[i]);
    tg_scope_close(depth);
    for (int i = 0; i < count; i++) {
        for (int64_t k = 0; lists[i] && k < lists[i]->len; k++) tg_add_to_scope(lists[i]->items[k]);
        tg_add_to_scope(lists[i]);
        t_release(lists[i]);
    }
}

/* ---- a call of the user's function ---- */

Tensor *tg_own_input(Tensor *x, bool keep_history, bool requires_grad) {
    if (keep_history && x->requires_grad) return t_view_as(x, x);
    x = t_detach(x);
    return x && requires_grad ? t_requires_grad_(x, true) : x;
}

t_TensorList *tg_own_inputs(const t_TensorList *inputs, bool keep_history, bool requires_grad) {
    t_TensorList *own = t_list_new(NULL, 0);
    for (int64_t i = 0; own && i < inputs->len; i++)
        if (!t_list_append(own, tg_own_input(inputs->items[i], keep_history, requires_grad))) return NULL;
    return own;
}

t_TensorList *tg_call_function(t_TensorFunction *func, const t_TensorList *inputs, void *context) {
    const int64_t failures = tg_thread.failures;
    if (!tg_check_given(func != NULL, 1, "a function")) return NULL;
    t_TensorList *copy = t_list_new(inputs->items, inputs->len), *outputs = copy ? func(copy, context) : NULL;
    if (tg_failed_since(failures)) return NULL;
    if (!outputs) return t_error() ? NULL : tg_fail("the function returned NULL instead of a tensor or a list");
    return tg_check_list(outputs, 1) ? t_list_new(outputs->items, outputs->len) : NULL;
}

/* ---- gradients ---- */

/* The items that require grad; *which, if not NULL, gets the item of `with` for each. */
static t_TensorList *requiring_grad(const t_TensorList *list, const t_TensorList *with, t_TensorList **which) {
    int64_t count = 0, n = 0;
    for (int64_t i = 0; i < list->len; i++) count += list->items[i] && list->items[i]->requires_grad;
    t_TensorList *some = tg_list_of_nulls(count);
    if (which && !(*which = tg_list_of_nulls(count))) return NULL;
    for (int64_t i = 0; some && i < list->len; i++) {
        if (!list->items[i] || !list->items[i]->requires_grad) continue;
        if (which && with) (*which)->items[n] = t_retain(with->items[i]);
        some->items[n++] = t_retain(list->items[i]);
    }
    return some;
}

static t_TensorList *gradients(const t_TensorList *outputs, const t_TensorList *inputs,
                               const t_TensorList *grad_outputs, bool create_graph, bool retain_graph,
                               bool forward_mode) {
    t_TensorList *dys, *ys = requiring_grad(outputs, grad_outputs, &dys), *xs = requiring_grad(inputs, NULL, NULL);
    t_TensorList *all = ys && xs ? tg_list_of_nulls(inputs->len) : NULL;
    if (!all || ys->len == 0 || xs->len == 0) return all;
    const t_GradOptions options = {sizeof options, .grad_outputs = dys, .retain_graph = retain_graph,
                                   .create_graph = create_graph, .allow_unused = true};
    t_TensorList *dx = tg_autograd_grad(ys, xs, &options, forward_mode);
    for (int64_t i = 0, n = 0; dx && i < inputs->len; i++)
        if (inputs->items[i]->requires_grad) all->items[i] = t_retain(dx->items[n++]);
    return dx ? all : NULL;
}

t_TensorList *tg_gradients(const t_TensorList *outputs, const t_TensorList *inputs, const t_TensorList *grad_outputs,
                           bool create_graph, bool retain_graph) {
    return gradients(outputs, inputs, grad_outputs, create_graph, retain_graph, false);
}

t_TensorList *tg_transposed_gradients(const t_TensorList *outputs, const t_TensorList *inputs, const t_TensorList *u) {
    return gradients(outputs, inputs, u, true, true, true);
}

/* ---- histories ---- */

static bool is_in(const Tensor *x, const t_TensorList *list) {
    for (int64_t i = 0; list && i < list->len; i++)
        if (list->items[i] == x) return true;
    return false;
}

bool tg_find_other_leaves(const t_TensorList *list, const t_TensorList *own, const t_TensorList *u, bool *others) {
    const size_t bytes = (size_t)(list->len + 1) * sizeof(Record *);
    Record **roots = tg_alloc(bytes), **reached = NULL;
    int64_t count = 0;
    *others = false;
    for (int64_t i = 0; roots && i < list->len; i++) {
        const Tensor *x = list->items[i];
        roots[i] = x ? x->record : NULL;
        if (x && x->requires_grad && !x->record) *others |= !is_in(x, own) && !is_in(x, u);
    }
    if (roots) reached = tg_reachable(roots, list->len, &count);
    for (int64_t n = 0; n < count && !*others; n++)
        for (int i = 0; i < reached[n]->inputs; i++) {
            const Tensor *leaf = reached[n]->edges[i].leaf;
            *others |= leaf && !is_in(leaf, own) && !is_in(leaf, u);
        }
    const bool ok = reached != NULL;
    if (reached) tg_free(reached, tg_reachable_bytes(count));
    tg_free(roots, bytes);
    return ok;
}

Tensor *tg_outer_result(Tensor *x, const t_TensorList *own, const t_TensorList *u, bool grad_enabled) {
    bool others = false;
    if (!x || !x->requires_grad) return x;
    t_TensorList *only = grad_enabled ? t_list_new(&x, 1) : NULL;
    if (grad_enabled && (!only || !tg_find_other_leaves(only, own, u, &others))) return NULL;
    return others ? x : t_detach(x);
}

/* ---- Jacobians ---- */

/* The i-th unit vector, in the shape of x. */
static Tensor *unit_like(Tensor *x, int64_t i) {
    Tensor *unit = tg_empty(x->shape, x->ndim, x->dtype);
    if (!unit) return NULL;
    memset(unit->storage->data, 0, (size_t)tg_numel(unit) * tg_itemsize(unit->dtype));
    if (unit->dtype == t_float64) ((double *)tg_data(unit))[i] = 1;
    else ((float *)tg_data(unit))[i] = 1;
    return unit;
}

/* The rows, one for each element of y, or the columns, one for each element of x, as a tensor of y's shape followed by
 * x's. */
static Tensor *stack_jacobian(const t_TensorList *parts, const Tensor *y, const Tensor *x, bool columns) {
    int64_t shape[2 * T_MAX_DIMS];
    memcpy(shape, y->shape, (size_t)y->ndim * sizeof *shape);
    memcpy(shape + y->ndim, x->shape, (size_t)x->ndim * sizeof *shape);
    const int ndim = y->ndim + x->ndim;
    if (ndim > T_MAX_DIMS)
        return tg_fail("a Jacobian of shape %s + %s has more than %d dims", tg_shape_of(y), tg_shape_of(x), T_MAX_DIMS);
    if (parts->len == 0) {
        const t_TensorOptions options = {.size = sizeof options, .dtype = y->dtype};
        return t_zeros(shape, ndim, &options);
    }
    Tensor *stacked = t_stack(parts, 0);
    if (columns && stacked) stacked = t_movedim(stacked, (int64_t[]){0}, 1, (int64_t[]){-1}, 1);
    return stacked ? t_reshape(stacked, shape, ndim) : NULL;
}

/* A list for each of `count`. */
static bool new_lists(t_TensorList **lists, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!(lists[i] = t_list_new(NULL, 0))) return false;
    return true;
}

/* PyTorch's errors of strict mode for a row of the Jacobian. */
static bool check_row(const Tensor *row, int64_t output, int64_t input, bool create_graph) {
    if (!row)
        return tg_fail("Output %lld of the user-provided function is independent of input %lld. This is not allowed in "
                       "strict mode.", (long long)output, (long long)input);
    if (create_graph && !row->requires_grad)
        return tg_fail("The jacobian of the user-provided function is independent of input %lld. This is not allowed "
                       "in strict mode when create_graph=True.", (long long)output);
    return true;
}

/* Row e of output k, appended to the list of each input. */
static bool append_row(const t_TensorList *outputs, int64_t k, int64_t e, const t_TensorList *inputs,
                       t_TensorList **rows, bool create_graph, bool strict) {
    Tensor *y = outputs->items[k], *unit = y->requires_grad ? unit_like(y, e) : t_zeros_like(y);
    t_TensorList *only = t_list_new(&y, 1), *dy = unit ? t_list_new(&unit, 1) : NULL;
    t_TensorList *dx = only && dy ? tg_gradients(only, inputs, dy, create_graph, true) : NULL;
    for (int64_t i = 0; i < inputs->len; i++) {
        if (!dx || (strict && !check_row(dx->items[i], k, i, create_graph))) return false;
        if (!t_list_append(rows[i], dx->items[i] ? dx->items[i] : t_zeros_like(inputs->items[i]))) return false;
    }
    return true;
}

/* The rows of output k, each in a scope of its own, since a unit vector is as large as the output. */
static bool append_rows(const t_TensorList *outputs, int64_t k, const t_TensorList *inputs, t_TensorList **rows,
                        bool create_graph, bool strict) {
    bool ok = true;
    for (int64_t e = 0, n = tg_numel(outputs->items[k]); ok && e < n; e++) {
        const int depth = tg_scope_open_around_callback();
        ok = depth && append_row(outputs, k, e, inputs, rows, create_graph, strict);
        if (depth) tg_scope_close(depth);
    }
    return ok;
}

t_TensorList *tg_jacobian_rows(const t_TensorList *outputs, const t_TensorList *inputs, bool create_graph,
                               bool strict) {
    t_TensorList **rows = tg_scope_alloc((size_t)inputs->len * sizeof *rows), *jacobians = t_list_new(NULL, 0);
    bool ok = rows && jacobians;
    for (int64_t k = 0; ok && k < outputs->len; k++) {
        ok = new_lists(rows, inputs->len) && append_rows(outputs, k, inputs, rows, create_graph, strict);
        for (int64_t i = 0; ok && i < inputs->len; i++)
            ok = t_list_append(jacobians, stack_jacobian(rows[i], outputs->items[k], inputs->items[i], false));
    }
    return ok ? jacobians : NULL;
}

/* Column e of input i, appended to the list of each output. */
static bool append_column(const t_TensorList *outputs, Tensor *x, int64_t e, const t_TensorList *u, Tensor *dx,
                          t_TensorList **columns, bool create_graph) {
    Tensor *unit = dx ? unit_like(x, e) : NULL;
    t_TensorList *v = unit ? t_list_new(&unit, 1) : NULL, *only = v ? t_list_new(&dx, 1) : NULL;
    t_TensorList *column = only ? tg_gradients(only, u, v, create_graph, true) : NULL;
    if (dx && !column) return false;
    for (int64_t k = 0; k < outputs->len; k++) {
        Tensor *part = column ? column->items[k] : NULL;
        if (!t_list_append(columns[k], part ? part : t_zeros_like(outputs->items[k]))) return false;
    }
    return true;
}

/* The columns of input x, each in a scope of its own. */
static bool append_columns(const t_TensorList *outputs, Tensor *x, const t_TensorList *u, Tensor *dx,
                           t_TensorList **columns, bool create_graph) {
    bool ok = true;
    for (int64_t e = 0, n = tg_numel(x); ok && e < n; e++) {
        const int depth = tg_scope_open_around_callback();
        ok = depth && append_column(outputs, x, e, u, dx, columns, create_graph);
        if (depth) tg_scope_close(depth);
    }
    return ok;
}

t_TensorList *tg_jacobian_columns(const t_TensorList *outputs, const t_TensorList *inputs, const t_TensorList *u,
                                  const t_TensorList *dx, bool create_graph) {
    t_TensorList **columns = tg_scope_alloc((size_t)(outputs->len * inputs->len) * sizeof *columns),
                 *jacobians = t_list_new(NULL, 0);
    bool ok = columns && jacobians && new_lists(columns, outputs->len * inputs->len);
    for (int64_t i = 0; ok && i < inputs->len; i++)
        ok = append_columns(outputs, inputs->items[i], u, dx->items[i], columns + i * outputs->len, create_graph);
    for (int64_t k = 0; ok && k < outputs->len; k++)
        for (int64_t i = 0; ok && i < inputs->len; i++)
            ok = t_list_append(jacobians, stack_jacobian(columns[i * outputs->len + k], outputs->items[k],
                                                         inputs->items[i], true));
    return ok ? jacobians : NULL;
}
