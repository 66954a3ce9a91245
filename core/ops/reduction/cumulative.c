/* core/ops/reduction/cumulative.c: cumsum, cumprod and logcumsumexp: scans along a dim.
 *
 * The gradients of the products and of logcumsumexp are a linear recurrence in the reverse direction. The recurrence
 * is an op of its own, and its gradient is the recurrence in the other direction: so they are differentiable any
 * number of times, need one pass, and never divide by an element that may be 0. Values are accumulated in double and
 * rounded once each. */
#include <math.h>

#include "core/ops/reduction/along_dim_internal.h"

/* ---- one row: p[0] is y, p[1] is x, s their strides in bytes ---- */

typedef struct Scan {
    int64_t n;
    bool reverse; /* from the last element to the first */
} Scan;

/* `next` is the accumulator of type A after the element x of type T, from the accumulator a. */
#define SCAN(name, T, A, first, next)                                                            \
    static void name(char *const *p, const int64_t *s, const void *context) {                    \
        const Scan scan = *(const Scan *)context;                                                \
        A a = first;                                                                             \
        for (int64_t k = 0; k < scan.n; k++) {                                                   \
            const int64_t i = scan.reverse ? scan.n - 1 - k : k;                                 \
            const A x = (A) * (const T *)(p[1] + i * s[1]);                                      \
            a = next;                                                                            \
            *(T *)(p[0] + i * s[0]) = (T)a;                                                      \
        }                                                                                        \
    }
SCAN(cumsum_int64, int64_t, uint64_t, 0, a + x)
SCAN(cumsum_float32, float, double, 0, a + x)
SCAN(cumsum_float64, double, double, 0, a + x)
SCAN(cumprod_int64, int64_t, uint64_t, 1, a *x)
SCAN(cumprod_float32, float, double, 1, a *x)
SCAN(cumprod_float64, double, double, 1, a *x)

/* log(exp(a) + exp(b)) */
static double log_add_exp(double a, double b) {
    double larger = a > b || a != a ? a : b, smaller = a > b || a != a ? b : a;
    return isinf(larger) ? larger : larger + log1p(exp(smaller - larger));
}
SCAN(logcumsumexp_float32, float, double, -INFINITY, log_add_exp(a, x))
SCAN(logcumsumexp_float64, double, double, -INFINITY, log_add_exp(a, x))

typedef RowFunction *const RowTable[T_DTYPES];

/* A scan of x into a new y of the same dtype, not recorded. */
static Tensor *scanned(Tensor *x, int64_t dim, bool reverse, RowTable rows) {
    if (tg_is_narrow(x->dtype)) {
        bool grad_enabled = t_set_grad_enabled(false);
        Tensor *wide = tg_widened(x), *y = wide ? tg_narrowed(scanned(wide, dim, reverse, rows), x->dtype) : NULL;
        t_set_grad_enabled(grad_enabled);
        return y;
    }
    const Scan scan = {tg_row_size(x, (int)dim), reverse};
    Tensor *y = tg_empty_rows(x, (int)dim, scan.n, x->dtype);
    if (y) tg_each_row(rows[x->dtype], (int)dim, (Tensor *[]){y, x}, 2, &scan);
    return y;
}

/* f(x, dim) in the given dtype; by default that of x, int64 for integers and bools. */
static Tensor *cumulative(Tensor *x, int64_t dim, t_DType dtype, RowTable rows, Tensor *(*f)(Tensor *, int64_t),
                          const char *name) {
    int d;
    if (!tg_check_any(x, 1) || !tg_wrap_dim(dim, x->ndim, &d) || !tg_check_dtype(dtype)) return NULL;
    if (!dtype) dtype = !tg_is_floating(x->dtype) && rows[t_int64] ? t_int64 : x->dtype;
    if (!rows[tg_wide(dtype)]) return tg_not_implemented(name, dtype);
    int depth = t_scope_open();
    Tensor *in = depth ? t_to(x, dtype) : NULL, *y = in ? f(in, d) : NULL;
    return tg_scope_return(depth, y);
}

/* ---- linear recurrence ----
 * y_k = b_k + c_k y_(k-1), or reversed y_k = b_k + c_(k+1) y_(k+1); in both c_k links k - 1 and k.
 * db = the recurrence of dy in the other direction; dc_k = (the forward one)_(k-1) (the reversed one)_k. */

#define RECURRENCE_ROW(name, T)                                                                    \
    static void name(char *const *p, const int64_t *s, const void *context) {                      \
        const Scan *scan = context;                                                                \
        double y = 0;                                                                              \
        for (int64_t k = 0; k < scan->n; k++) {                                                    \
            int64_t i = scan->reverse ? scan->n - 1 - k : k, coupling = scan->reverse ? i + 1 : i; \
            double b = *(const T *)(p[2] + i * s[2]);                                              \
            y = k ? b + *(const T *)(p[1] + coupling * s[1]) * y : b;                              \
            *(T *)(p[0] + i * s[0]) = (T)y;                                                        \
        }                                                                                          \
    }
RECURRENCE_ROW(recur_float32, float)
RECURRENCE_ROW(recur_float64, double)

/* y shifted by one along dim, with first(...) (zeros or ones) at index 0. */
static Tensor *shifted(Tensor *y, int64_t dim, Tensor *(*first)(Tensor *)) {
    if (!y || tg_row_size(y, (int)dim) < 2) return y ? first(y) : NULL;
    Tensor *front = t_narrow(y, dim, 0, 1), *rest = t_narrow(y, dim, 0, y->shape[dim] - 1);
    t_TensorList *both = front && rest ? t_list_new((Tensor *[]){first(front), rest}, 2) : NULL;
    return both ? t_cat(both, dim) : NULL;
}

static Tensor *recurrence(Tensor *c, Tensor *b, int64_t dim, bool reverse);

static void recurrence_backward(Record *r, Tensor *dy, Tensor **dx) {
    const ScanDirection *along = r->attributes;
    Tensor *c = tg_saved(r, 0), *y = tg_saved(r, 1);
    if (!c || !y) return;
    Tensor *back = dx[1] = recurrence(c, dy, along->dim, !along->reverse);
    if (tg_needs(r, 0))
        dx[0] = t_mul(shifted(along->reverse ? back : y, along->dim, t_zeros_like), along->reverse ? y : back);
}
static const Op recurrence_op = {"recurrence", "RecurrenceBackward", recurrence_backward};

static Tensor *recurrence(Tensor *c, Tensor *b, int64_t dim, bool reverse) {
    ScanDirection along = {dim, reverse};
    Scan scan = {.n = b ? tg_row_size(b, (int)dim) : 0, .reverse = reverse};
    Tensor *y = b && c ? tg_empty_rows(b, (int)dim, scan.n, b->dtype) : NULL;
    if (y)
        tg_each_row(b->dtype == t_float64 ? recur_float64 : recur_float32, (int)dim, (Tensor *[]){y, c, b}, 3, &scan);
    return tg_record(&recurrence_op, y, INPUTS(c, b), SAVED(c, y), ATTRIBUTES(along));
}

/* ---- cumsum ---- */

static RowTable sums = {[t_int64] = cumsum_int64, [t_float32] = cumsum_float32, [t_float64] = cumsum_float64};
static Tensor *sums_along(Tensor *x, int64_t dim, bool reverse);

static void cumsum_backward(Record *r, Tensor *dy, Tensor **dx) {
    const ScanDirection *along = r->attributes;
    dx[0] = sums_along(dy, along->dim, !along->reverse);
}
static const Op cumsum_op = {"cumsum", "CumsumBackward0", cumsum_backward};

static Tensor *sums_along(Tensor *x, int64_t dim, bool reverse) {
    ScanDirection along = {dim, reverse};
    return tg_record(&cumsum_op, scanned(x, dim, reverse, sums), INPUTS(x), NONE, ATTRIBUTES(along));
}
static Tensor *cumsum(Tensor *x, int64_t dim) {
    return sums_along(x, dim, false);
}

/* torch.cumsum(x, dim, dtype): y_i = x_0 + ... + x_i along dim. Any dtype; integers and bools give int64. dx = the
 * reversed cumsum of dy. Errors: dim out of range. */
Tensor *t_cumsum(Tensor *x, int64_t dim, t_DType dtype) {
    return cumulative(x, dim, dtype, sums, cumsum, "cumsum_out_cpu");
}

/* x.f_(dim, dtype): dtype may only be x's own. */
static Tensor *cumulative_inplace(Tensor *x, int64_t dim, t_DType dtype, const char *kernel,
                                  Tensor *(*f)(Tensor *, int64_t, t_DType)) {
    if (!tg_check_any(x, 1) || !tg_check_dtype(dtype)) return NULL;
    if (dtype && dtype != x->dtype)
        return tg_fail("Bad in-place call: input tensor dtype %s and output tensor dtype %s should match",
                       tg_c_type_name(x->dtype), tg_c_type_name(dtype));
    if (x->dtype == t_bool) return tg_not_implemented(kernel, t_bool);
    int depth = tg_open_write(x);
    return tg_close_write(depth, x, depth ? f(x, dim, x->dtype) : NULL);
}

/* x.cumsum_(dim): in place, in x's own dtype. Errors: another dtype, bool. */
Tensor *t_cumsum_(Tensor *x, int64_t dim, t_DType dtype) {
    return cumulative_inplace(x, dim, dtype, "cumsum_out_cpu", t_cumsum);
}

/* ---- cumprod ---- */

static RowTable products = {[t_int64] = cumprod_int64, [t_float32] = cumprod_float32, [t_float64] = cumprod_float64};

/* The gradient with infinities or NaN, as in PyTorch. Before the first 0: the sum of y_j dy_j over j from k up to
 * that 0, divided by x_k. At the first 0: y_(k-1) times the sum, up to the next 0, of dy_j times the product of the
 * x after the first 0. After it: 0. */
static Tensor *cumprod_gradient_by_quotients(Tensor *x, Tensor *y, Tensor *dy, int64_t dim) {
    Tensor *zero = t_number(0), *one = t_number(1), *is_zero = t_eq(x, zero), *zeros = t_cumsum(is_zero, dim, 0);
    Tensor *before = t_eq(zeros, t_integer(0)), *is_first = t_logical_and(is_zero, t_eq(zeros, t_integer(1)));
    Tensor *until_next = t_eq(zeros, t_integer(1)), *between = t_logical_and(until_next, t_logical_not(is_first));
    Tensor *sums_of_rest = sums_along(t_masked_fill(t_mul(y, dy), t_logical_not(before), zero), dim, true);
    Tensor *quotients = t_div(sums_of_rest, t_masked_fill(x, is_zero, one));
    Tensor *products_behind = t_cumprod(t_masked_fill(x, t_logical_not(between), one), dim, 0);
    Tensor *at_first = t_sum(t_mul(products_behind, t_masked_fill(dy, t_logical_not(until_next), zero)), &dim, 1, true);
    return t_where(before, quotients, t_where(is_first, t_mul(at_first, shifted(y, dim, t_ones_like)), zero));
}

static bool is_all_finite(Tensor *x) {
    Tensor *all = t_all(t_isfinite(x), NULL, 0, false);
    return all && t_is_true(all);
}

static void cumprod_backward(Record *r, Tensor *dy, Tensor **dx) {
    const ScanDirection *along = r->attributes;
    Tensor *x = tg_saved(r, 0), *y = tg_saved(r, 1);
    if (!x || !y) return;
    if (tg_numel(x) > 1 && !(is_all_finite(y) && is_all_finite(dy)))
        dx[0] = cumprod_gradient_by_quotients(x, y, dy, along->dim);
    else
        dx[0] = t_mul(shifted(y, along->dim, t_ones_like), recurrence(x, dy, along->dim, true));
}
static const Op cumprod_op = {"cumprod", "CumprodBackward0", cumprod_backward};

static Tensor *cumprod(Tensor *x, int64_t dim) {
    ScanDirection along = {dim, false};
    Tensor *y = scanned(x, dim, false, products);
    return tg_record(&cumprod_op, y, INPUTS(x), SAVED(x, y), ATTRIBUTES(along));
}

/* torch.cumprod(x, dim, dtype): y_i = x_0 ... x_i along dim. Dtypes as for cumsum. dx_k = y_(k-1) s_k with s_k = dy_k +
 * x_(k+1) s_(k+1); for non-finite values another formula, which gives PyTorch's infinities and NaNs. Errors: dim out of
 * range. */
Tensor *t_cumprod(Tensor *x, int64_t dim, t_DType dtype) {
    if (dtype == t_bool) return tg_check_any(x, 1) ? tg_not_implemented("cumprod_out_cpu", dtype) : NULL;
    return cumulative(x, dim, dtype, products, cumprod, "cumprod_out_cpu");
}

/* x.cumprod_(dim): in place, in x's own dtype. Errors: another dtype, bool. */
Tensor *t_cumprod_(Tensor *x, int64_t dim, t_DType dtype) {
    return cumulative_inplace(x, dim, dtype, "cumprod_out_cpu", t_cumprod);
}

/* ---- logcumsumexp ---- */

static RowTable log_sums = {[t_float32] = logcumsumexp_float32, [t_float64] = logcumsumexp_float64};

static void logcumsumexp_backward(Record *r, Tensor *dy, Tensor **dx) {
    const ScanDirection *along = r->attributes;
    Tensor *x = tg_saved(r, 0), *y = tg_saved(r, 1), *before = y ? shifted(y, along->dim, t_zeros_like) : NULL;
    if (!x || !before) return;
    Tensor *shares = t_masked_fill(t_exp(t_sub(before, y)), t_eq(y, t_number(INFINITY)), t_number(0));
    dx[0] = t_mul(t_exp(t_sub(x, y)), recurrence(shares, dy, along->dim, true));
}
static const Op logcumsumexp_op = {"logcumsumexp", "LogcumsumexpBackward0", logcumsumexp_backward};

static Tensor *logcumsumexp(Tensor *x, int64_t dim) {
    ScanDirection along = {dim, false};
    Tensor *y = scanned(x, dim, false, log_sums);
    return tg_record(&logcumsumexp_op, y, INPUTS(x), SAVED(x, y), ATTRIBUTES(along));
}

/* torch.logcumsumexp(x, dim): y_i = log(exp(x_0) + ... + exp(x_i)) along dim; floating. dx_k = exp(x_k - y_k) s_k with
 * s_k = dy_k + exp(y_k - y_(k+1)) s_(k+1), where an infinite y contributes nothing to a finite one. Errors: dim out of
 * range, integer dtype. */
Tensor *t_logcumsumexp(Tensor *x, int64_t dim) {
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_logcumsumexp(tg_widened(x), dim), x->dtype);
    return cumulative(x, dim, 0, log_sums, logcumsumexp, "logcumsumexp_out_cpu");
}
