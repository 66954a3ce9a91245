/* core/autograd/gradcheck_jacobian.c: Jacobians by backward and by central differences. */
#include "core/autograd/gradcheck_jacobian.h"

#include <string.h>

#include "core/autograd/arithmetic.h"
#include "core/autograd/backward.h"
#include "core/tensor/dtype_convert.h"

/* ---- memory ---- */

double *tg_scope_array(int64_t n) {
    return tg_scope_alloc((size_t)n * sizeof(double));
}

/* An input whose values are changed for a difference. It belongs to the scope of the check, whose end, also by an error
 * or t_unwind, puts them back. */
typedef struct Disturbed {
    t_Object object;
    Tensor *x;        /* NULL: none */
    double *original; /* all of its values */
    size_t bytes;
} Disturbed;

static void put_back(Disturbed *disturbed) {
    Tensor *x = disturbed->x;
    disturbed->x = NULL;
    for (int64_t e = 0, n = x ? tg_numel(x) : 0; e < n; e++) tg_write_element(x, e, disturbed->original[e]);
    t_release(x);
}

static void disturbed_destroy(void *object) {
    Disturbed *disturbed = object;
    tg_object_dispose(&disturbed->object);
    put_back(disturbed);
    tg_free(disturbed->original, disturbed->bytes);
    tg_object_free(&disturbed->object, sizeof *disturbed);
}

static const t_Class disturbed_class = {"Disturbed", disturbed_destroy};

static Disturbed *disturbed_new(int64_t largest) {
    Disturbed *disturbed = tg_alloc(sizeof *disturbed);
    if (!disturbed) return NULL;
    tg_object_init(&disturbed->object, &disturbed_class);
    disturbed->bytes = (size_t)(largest + 1) * sizeof(double);
    disturbed->original = tg_alloc_raw(disturbed->bytes);
    return disturbed->original ? disturbed : NULL;
}

/* ---- the outputs ---- */

static int64_t elements_of(const t_TensorList *list) {
    int64_t count = 0;
    for (int64_t i = 0; i < list->len; i++) count += tg_numel(list->items[i]);
    return count;
}

t_TensorList *tg_call_checked(t_GradcheckFunction *f, t_TensorList *inputs, void *context) {
    const int64_t failures = tg_thread.failures;
    const bool grad_enabled = tg_thread.grad_enabled;
    t_TensorList *ys = f(inputs, context);
    tg_thread.grad_enabled = grad_enabled;
    if (tg_failed_since(failures)) return NULL;
    if (!ys) return t_error() ? NULL : tg_fail("the function returned NULL");
    if (!tg_check_list(ys, 1)) return NULL;
    for (int64_t k = 0; k < ys->len; k++)
        if (!tg_check_any(ys->items[k], 1)) return NULL;
    return ys;
}

static bool find_outputs(GradCheck *check) {
    t_TensorList *all = tg_call_checked(check->f, check->inputs, check->context);
    check->ys = all ? t_list_new(NULL, 0) : NULL;
    if (!check->ys) return false;
    check->outputs = all->len;
    check->output_index = tg_scope_alloc((size_t)all->len * sizeof *check->output_index);
    if (!check->output_index) return false;
    for (int64_t k = 0; k < all->len; k++) check->differentiable |= all->items[k]->requires_grad;
    for (int64_t k = 0; k < all->len; k++) {
        Tensor *y = all->items[k];
        if (check->differentiable ? !y->requires_grad : !tg_is_floating(y->dtype)) continue;
        check->output_index[check->ys->len] = k;
        if (!t_list_append(check->ys, y)) return false;
    }
    return true;
}

static bool find_inputs(GradCheck *check) {
    check->xs = t_list_new(NULL, 0);
    for (int64_t i = 0; check->xs && i < check->inputs->len; i++)
        if (check->inputs->items[i]->requires_grad && !t_list_append(check->xs, check->inputs->items[i])) return false;
    return check->xs != NULL;
}

bool tg_jacobian_begin(GradCheck *check) {
    if (!find_inputs(check) || !find_outputs(check)) return false;
    check->rows = elements_of(check->ys);
    check->columns = elements_of(check->xs);
    check->plus = tg_scope_array(check->rows);
    check->minus = tg_scope_array(check->rows);
    int64_t largest = 0;
    for (int64_t i = 0; i < check->xs->len; i++)
        if (tg_numel(check->xs->items[i]) > largest) largest = tg_numel(check->xs->items[i]);
    check->disturbed = disturbed_new(largest);
    return check->plus && check->minus && check->disturbed;
}

/* ---- differences ---- */

static void *element_of(Tensor *x, int64_t element) {
    int64_t at = x->offset;
    for (int d = x->ndim - 1; d >= 0; d--) {
        at += element % x->shape[d] * x->strides[d];
        element /= x->shape[d];
    }
    return x->storage->data + (size_t)at * tg_itemsize(x->dtype);
}

void tg_write_element(Tensor *x, int64_t element, double value) {
    tg_set_element(x->dtype, element_of(x, element), value);
}

/* f of the current inputs: the elements of all checked outputs, concatenated. */
static bool evaluate(const GradCheck *check, double *to) {
    const int depth = tg_scope_open_around_callback();
    t_TensorList *ys = depth ? tg_call_checked(check->f, check->inputs, check->context) : NULL;
    bool ok = ys != NULL;
    for (int64_t k = 0; ok && k < check->ys->len; k++) {
        Tensor *y = check->output_index[k] < ys->len ? ys->items[check->output_index[k]] : NULL;
        if (!y || !tg_same_shape(y, check->ys->items[k]))
            ok = tg_fail("the function returned outputs of different shapes in different calls");
        else ok = t_tolist(y, to, tg_numel(y)) >= 0;
        to += tg_numel(check->ys->items[k]);
    }
    tg_scope_close(depth);
    return ok;
}

bool tg_central_difference(GradCheck *check, Tensor *x, const double *original, const double *u, int64_t element,
                           double *values) {
    int64_t from = u ? 0 : element, to = u ? tg_numel(x) : element + 1;
    double eps = check->o.eps;
    memcpy(check->disturbed->original, original, (size_t)tg_numel(x) * sizeof *original);
    check->disturbed->x = t_retain(x);
    for (int64_t e = from; e < to; e++) tg_write_element(x, e, original[e] + eps * (u ? u[e] : 1));
    bool ok = evaluate(check, check->plus);
    for (int64_t e = from; e < to; e++) tg_write_element(x, e, original[e] - eps * (u ? u[e] : 1));
    ok = ok && evaluate(check, check->minus);
    put_back(check->disturbed);
    for (int64_t j = 0; ok && j < check->rows; j++) values[j] = (check->plus[j] - check->minus[j]) / (2 * eps);
    return ok;
}

static bool columns_of(GradCheck *check, Tensor *x, double *column, double *values) {
    const int64_t n = tg_numel(x);
    double *original = tg_scope_array(n);
    bool ok = original && t_tolist(x, original, n) >= 0;
    for (int64_t e = 0; ok && e < n; e++) {
        ok = tg_central_difference(check, x, original, NULL, e, values);
        for (int64_t j = 0; ok && j < check->rows; j++) column[j * check->columns + e] = values[j];
    }
    return ok;
}

bool tg_numerical_jacobian(GradCheck *check, double *J) {
    double *values = tg_scope_array(check->rows);
    bool ok = values != NULL;
    for (int64_t i = 0; ok && i < check->xs->len; J += tg_numel(check->xs->items[i++]))
        ok = columns_of(check, check->xs->items[i], J, values);
    return ok;
}

/* ---- rows by backward ---- */

t_TensorList *tg_jacobian_row(const GradCheck *check, int64_t k, Tensor *seed) {
    t_TensorList *y = t_list_new(&check->ys->items[k], 1), *dy = t_list_new(&seed, 1);
    t_GradOptions options = {sizeof options, .grad_outputs = dy, .retain_graph = true, .allow_unused = true};
    return y && dy ? t_autograd_grad(y, check->xs, &options) : NULL;
}

static bool rows_of(const GradCheck *check, int64_t k, double *J) {
    Tensor *y = check->ys->items[k];
    for (int64_t j = 0; j < tg_numel(y); j++) {
        int depth = t_scope_open();
        Tensor *seed = depth ? tg_empty(y->shape, y->ndim, y->dtype) : NULL;
        if (seed) tg_fill_into(seed, 0);
        if (seed) tg_write_element(seed, j, 1);
        t_TensorList *dx = seed ? tg_jacobian_row(check, k, seed) : NULL;
        bool ok = dx != NULL;
        double *to = J + j * check->columns;
        for (int64_t i = 0; ok && i < check->xs->len; i++) {
            int64_t n = tg_numel(check->xs->items[i]);
            if (dx->items[i]) ok = t_tolist(dx->items[i], to, n) >= 0;
            else memset(to, 0, (size_t)n * sizeof *to);
            to += n;
        }
        t_scope_close(depth);
        if (!ok) return false;
    }
    return true;
}

bool tg_backward_jacobian(const GradCheck *check, double *J) {
    for (int64_t k = 0; k < check->ys->len; k++) {
        if (!rows_of(check, k, J)) return false;
        J += tg_numel(check->ys->items[k]) * check->columns;
    }
    return true;
}

/* ---- columns by forward mode: the derivative of u^T J along u ---- */

static t_TensorList *transposed_gradients(const GradCheck *check, t_TensorList *u) {
    for (int64_t k = 0; u && k < check->ys->len; k++) {
        Tensor *y = check->ys->items[k], *zero = tg_empty(y->shape, y->ndim, y->dtype);
        if (zero) tg_fill_into(zero, 0);
        if (!zero || !t_list_append(u, t_requires_grad_(zero, true))) return NULL;
    }
    const t_GradOptions options = {sizeof options, .grad_outputs = u, .retain_graph = true, .create_graph = true,
                                   .allow_unused = true};
    return u ? tg_autograd_grad(check->ys, check->xs, &options, true) : NULL;
}

/* Column e of x, to column[j * check->columns]. uJ: of x, NULL for 0. */
static bool column_of(const GradCheck *check, Tensor *x, int64_t e, const t_TensorList *u, Tensor *uJ, double *column,
                      double *values) {
    const bool depends = uJ && uJ->requires_grad;
    Tensor *seed = tg_empty(x->shape, x->ndim, x->dtype);
    if (!seed) return false;
    tg_fill_into(seed, 0);
    tg_write_element(seed, e, 1);
    t_TensorList *v = t_list_new(&seed, 1), *y = depends ? t_list_new(&uJ, 1) : NULL;
    const t_GradOptions options = {sizeof options, .grad_outputs = v, .retain_graph = true, .allow_unused = true};
    t_TensorList *dy = y && v ? t_autograd_grad(y, u, &options) : NULL;
    if (depends && !dy) return false;
    for (int64_t k = 0; k < check->ys->len; k++) {
        const int64_t n = tg_numel(check->ys->items[k]);
        Tensor *part = dy ? dy->items[k] : NULL;
        if (part && t_tolist(part, values, n) < 0) return false;
        for (int64_t j = 0; j < n; j++, column += check->columns) *column = part ? values[j] : 0;
    }
    return true;
}

bool tg_forward_jacobian(const GradCheck *check, double *J) {
    double *values = tg_scope_array(check->rows);
    t_TensorList *u = t_list_new(NULL, 0), *uJ = values ? transposed_gradients(check, u) : NULL;
    bool ok = uJ != NULL;
    for (int64_t i = 0; ok && i < check->xs->len; i++)
        for (int64_t e = 0, n = tg_numel(check->xs->items[i]); ok && e < n; e++, J++) {
            const int depth = t_scope_open();
            ok = depth && column_of(check, check->xs->items[i], e, u, uJ->items[i], J, values);
            t_scope_close(depth);
        }
    return ok;
}
