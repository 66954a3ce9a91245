/* core/autograd/gradcheck.c: torch.autograd.gradcheck and gradgradcheck. */
#include <math.h>
#include <stdarg.h>

#include "core/autograd/arithmetic.h"
#include "core/autograd/gradcheck_jacobian.h"
#include "core/tensor/c_locale.h"
#include "core/tensor/generator.h"

/* ---- errors ---- */

static bool T_PRINTF(2, 3) fail_check(const t_GradcheckOptions *o, const char *format, ...) {
    char text[700];
    va_list arguments;
    va_start(arguments, format);
    tg_c_vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return o->raise_exception ? tg_fail("%s", text) != NULL : false;
}

/* The multi-dimensional index of an element as text, "[1, 2]". */
static const char *index_text(const Tensor *x, int64_t element) {
    int64_t index[T_MAX_DIMS];
    for (int d = x->ndim - 1; d >= 0; d--) {
        index[d] = element % x->shape[d];
        element /= x->shape[d];
    }
    return tg_shape_text(index, x->ndim);
}

/* ---- the arguments ---- */

static bool check_inputs(const t_TensorList *inputs, const t_GradcheckOptions *o) {
    static _Thread_local bool warned;
    bool any = false;
    if (!tg_check_list(inputs, 2)) return false;
    for (int64_t i = 0; i < inputs->len; i++) {
        Tensor *x = inputs->items[i];
        if (!x->requires_grad) continue;
        any = true;
        if (x->dtype != t_float64)
            tg_warn(&warned, "Input #%lld requires gradient and is not a double precision floating point. This check "
                             "will likely fail if all the inputs are not of double precision floating point.",
                    (long long)i);
        if (tg_overlaps_itself(x))
            return fail_check(o, "The %lldth input has a dimension with stride 0. gradcheck only supports inputs that "
                                 "are non-overlapping to be able to compute the numerical gradients correctly. You "
                                 "should call t_contiguous on the input before passing it to gradcheck.", (long long)i);
    }
    if (any) return true;
    return tg_fail("gradcheck expects at least one input tensor to require gradient, but none of them have "
                   "requires_grad=True.");
}

/* ---- comparison ---- */

static bool is_close(double a, double n, double atol, double rtol) {
    return a == n || fabs(a - n) <= atol + rtol * fabs(n) || (isnan(a) && isnan(n));
}

/* The index of input x in the caller's list. */
static long long input_number(const GradCheck *check, const Tensor *x) {
    int64_t i = 0;
    while (check->inputs->items[i] != x) i++;
    return (long long)i;
}

static bool compare_block(const GradCheck *check, int64_t k, int64_t i, const double *N, const double *A,
                          const char *mode) {
    Tensor *y = check->ys->items[k], *x = check->xs->items[i];
    for (int64_t j = 0; j < tg_numel(y); j++)
        for (int64_t e = 0; e < tg_numel(x); e++) {
            double n = N[j * check->columns + e], a = A[j * check->columns + e];
            if (is_close(a, n, check->o.atol, check->o.rtol)) continue;
            return fail_check(&check->o,
                              "Jacobian %smismatch for output %lld with respect to input %lld, first at d "
                              "output%s / d input%s: numerical: %.10g analytical: %.10g",
                              mode, (long long)k, input_number(check, x), index_text(y, j), index_text(x, e), n, a);
        }
    return true;
}

static bool compare(const GradCheck *check, const double *N, const double *A, const char *mode) {
    for (int64_t k = 0, row = 0; k < check->ys->len; row += tg_numel(check->ys->items[k++]))
        for (int64_t i = 0, column = 0; i < check->xs->len; column += tg_numel(check->xs->items[i++]))
            if (!compare_block(check, k, i, N + row * check->columns + column, A + row * check->columns + column, mode))
                return false;
    return true;
}

static bool is_reentrant(const GradCheck *check, const double *first, const double *second, int64_t count) {
    for (int64_t n = 0; n < count; n++)
        if (!is_close(first[n], second[n], check->o.nondet_tol, 0))
            return fail_check(&check->o, "Backward is not reentrant, i.e., running backward with same input and "
                                         "grad_output multiple times gives different values, although analytical "
                                         "gradient matches numerical gradient. The tolerance for nondeterminism "
                                         "was %s.",
                              tg_number_text(check->o.nondet_tol));
    return true;
}

static bool check_elements(GradCheck *check) {
    const int64_t count = check->rows * check->columns;
    double *N = tg_scope_array(count), *A = tg_scope_array(count), *again = tg_scope_array(count);
    bool ok = N && A && again && tg_numerical_jacobian(check, N);
    if (check->differentiable && check->o.check_backward_ad)
        ok = ok && tg_backward_jacobian(check, A) && compare(check, N, A, "") && tg_backward_jacobian(check, again) &&
             is_reentrant(check, A, again, count);
    if (check->differentiable && check->o.check_forward_ad)
        ok = ok && tg_forward_jacobian(check, A) && compare(check, N, A, "computed with forward mode ");
    for (int64_t n = 0; ok && !check->differentiable && n < count; n++)
        if (N[n] != 0) ok = fail_check(&check->o, "Numerical gradient for function expected to be zero");
    return ok;
}

/* ---- fast_mode: compares v^T J u, for fixed vectors u and v with distinct elements ---- */

/* A positive vector of length 1; returns the sum of its elements. */
static double direction(double *u, int64_t count, double start) {
    double squares = 0, sum = 0;
    for (int64_t n = 0; n < count; n++) {
        u[n] = 0.5 + fmod((double)(n + 1) * 0.6180339887498949 + start, 1.0);
        squares += u[n] * u[n];
    }
    for (int64_t n = 0; n < count; n++) sum += u[n] /= sqrt(squares);
    return sum;
}

static bool project_backward(const GradCheck *check, int64_t k, int64_t i, const double *u, const double *v,
                             double *result) {
    Tensor *y = check->ys->items[k], *x = check->xs->items[i];
    int64_t n = tg_numel(x);
    size_t bytes = (size_t)(n + 1) * sizeof(double);
    int depth = t_scope_open();
    Tensor *seed = depth ? tg_empty(y->shape, y->ndim, y->dtype) : NULL;
    for (int64_t j = 0; seed && j < tg_numel(y); j++) tg_write_element(seed, j, v[j]);
    t_TensorList *dx = seed ? tg_jacobian_row(check, k, seed) : NULL;
    double *values = dx ? tg_alloc(bytes) : NULL;
    bool ok = values && (!dx->items[i] || t_tolist(dx->items[i], values, n) >= 0);
    *result = 0;
    for (int64_t e = 0; ok && e < n; e++) *result += values[e] * u[e];
    tg_free(values, bytes);
    t_scope_close(depth);
    return ok;
}

/* All outputs with respect to input i. original and u have x's size, slopes and v one element per row. */
static bool check_projections(GradCheck *check, int64_t i, double *original, double *u, double *slopes, double *v) {
    Tensor *x = check->xs->items[i];
    double u_sum = direction(u, tg_numel(x), 0.1 * (double)i);
    if (t_tolist(x, original, tg_numel(x)) < 0 || !tg_central_difference(check, x, original, u, 0, slopes))
        return false;
    for (int64_t k = 0; k < check->ys->len; slopes += tg_numel(check->ys->items[k++])) {
        int64_t rows = tg_numel(check->ys->items[k]);
        double v_sum = direction(v, rows, 0.3 * (double)k), numerical = 0, analytical = 0;
        for (int64_t j = 0; j < rows; j++) numerical += v[j] * slopes[j];
        if (check->differentiable && !project_backward(check, k, i, u, v, &analytical)) return false;
        if (is_close(analytical, numerical, check->o.atol * u_sum * v_sum, check->o.rtol)) continue;
        return check_elements(check) &&
               fail_check(&check->o, "Jacobian mismatch for output %lld with respect to input %lld, in fast mode: "
                                     "numerical: %.10g analytical: %.10g (element by element they agree within the "
                                     "tolerance)",
                          (long long)k, input_number(check, x), numerical, analytical);
    }
    return true;
}

static bool check_fast(GradCheck *check) {
    double *original = tg_scope_array(check->columns), *u = tg_scope_array(check->columns),
           *slopes = tg_scope_array(check->rows), *v = tg_scope_array(check->rows);
    bool ok = original && u && slopes && v;
    for (int64_t i = 0; ok && i < check->xs->len; i++) ok = check_projections(check, i, original, u, slopes, v);
    return ok;
}

/* ---- public ---- */

static const t_GradcheckOptions defaults = {.size = sizeof defaults,
                                            .eps = 1e-6,
                                            .atol = 1e-5,
                                            .rtol = 1e-3,
                                            .raise_exception = true,
                                            .check_backward_ad = true};

bool t_gradcheck(t_GradcheckFunction *func, t_TensorList *inputs, void *context, const t_GradcheckOptions *options) {
    GradCheck check = {.f = func, .inputs = inputs, .context = context, .o = defaults};
    if (!tg_check_given(func != NULL, 1, "a function")) return false;
    if (!tg_take_options(&check.o, options, sizeof defaults)) return false;
    if (!check.o.check_forward_ad && !check.o.check_backward_ad)
        return tg_fail("Expected at least one of check_forward_ad or check_backward_ad to be True");
    if (!check_inputs(inputs, &check.o)) return false;
    const int depth = tg_scope_open_around_callback();
    const bool ok = depth && tg_jacobian_begin(&check) &&
                    (check.o.fast_mode && !check.o.check_forward_ad ? check_fast : check_elements)(&check);
    tg_scope_close(depth);
    return ok;
}

/* ---- the second order: the gradients as a function of inputs and grad_outputs ---- */

typedef struct Second {
    t_GradcheckFunction *f;
    void *context;
    int64_t inputs;
} Second;

static t_TensorList *floating_outputs(t_GradcheckFunction *f, t_TensorList *inputs, void *context) {
    t_TensorList *all = tg_call_checked(f, inputs, context), *ys = all ? t_list_new(NULL, 0) : NULL;
    for (int64_t k = 0; ys && k < all->len; k++)
        if (all->items[k]->requires_grad && !t_list_append(ys, all->items[k])) return NULL;
    return ys;
}

/* The function that gradgradcheck checks: inputs and grad_outputs to the gradients that exist. */
static t_TensorList *existing_gradients(t_TensorList *both, void *context) {
    const Second *second = context;
    t_TensorList *inputs = t_list_new(both->items, second->inputs);
    t_TensorList *dy = t_list_new(both->items + second->inputs, both->len - second->inputs), *xs = t_list_new(NULL, 0);
    t_TensorList *ys = inputs && dy && xs ? floating_outputs(second->f, inputs, second->context) : NULL;
    for (int64_t i = 0; ys && i < inputs->len; i++)
        if (inputs->items[i]->requires_grad && !t_list_append(xs, inputs->items[i])) return NULL;
    t_GradOptions options = {sizeof options, .grad_outputs = dy, .create_graph = true, .allow_unused = true};
    t_TensorList *all = ys ? t_autograd_grad(ys, xs, &options) : NULL, *some = all ? t_list_new(NULL, 0) : NULL;
    for (int64_t i = 0; some && i < all->len; i++)
        if (all->items[i] && !t_list_append(some, all->items[i])) return NULL;
    return some;
}

/* torch.testing.make_tensor(y.shape, low=-1, high=1, requires_grad=True) */
static Tensor *random_like(Tensor *y) {
    Tensor *v = t_uniform_(tg_empty(y->shape, y->ndim, y->dtype), -1, 1, NULL);
    return v ? t_requires_grad_(v, true) : NULL;
}

/* inputs + grad_outputs, which are the caller's or random. */
static t_TensorList *both_lists(t_GradcheckFunction *f, t_TensorList *inputs, void *context,
                                const t_TensorList *grad_outputs) {
    t_TensorList *both = t_list_new(inputs->items, inputs->len);
    t_TensorList *ys = both && !grad_outputs ? floating_outputs(f, inputs, context) : NULL;
    if (!both || (!grad_outputs && !ys)) return NULL;
    int64_t count = grad_outputs ? grad_outputs->len : ys->len;
    for (int64_t k = 0; k < count; k++)
        if (!t_list_append(both, grad_outputs ? grad_outputs->items[k] : random_like(ys->items[k]))) return NULL;
    return both;
}

bool t_gradgradcheck(t_GradcheckFunction *func, t_TensorList *inputs, void *context, const t_TensorList *grad_outputs,
                     const t_GradcheckOptions *options) {
    if (!tg_check_given(func != NULL, 1, "a function") || !tg_check_list(inputs, 2) ||
        (grad_outputs && !tg_check_list(grad_outputs, 4)))
        return false;
    Second second = {func, context, inputs->len};
    const int64_t failures = tg_thread.failures;
    const int depth = tg_scope_open_around_callback();
    Tensor *drawn_before = depth ? t_get_rng_state() : NULL;
    t_TensorList *both = drawn_before ? both_lists(func, inputs, context, grad_outputs) : NULL;
    const bool ok = both && t_gradcheck(existing_gradients, both, &second, options);
    if (both && !ok && tg_failed_since(failures)) t_set_rng_state(drawn_before);
    tg_scope_close(depth);
    return ok;
}
