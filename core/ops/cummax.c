/* core/ops/cummax.c: cummax, cummin and diff. */
#include "core/ops/along_dim_internal.h"

/* ---- cummax, cummin ---- */

typedef struct CumulativeMax {
    t_DType dtype;
    int64_t n;
    bool is_min;
} CumulativeMax;

/* One row. `better` compares the element x with the best so far; NaN is larger and smaller than everything, and of equal
 * elements or several NaNs the last is taken. */
#define CUMMAX(name, T, better)                                                                  \
    static void name(char *const *p, const int64_t *s, int64_t n) {                              \
        T best = n ? *(const T *)p[2] : 0;                                                       \
        for (int64_t i = 0, at = 0; i < n; i++) {                                                \
            const T x = *(const T *)(p[2] + i * s[2]);                                           \
            if (x != x || better) best = x, at = i;                                              \
            *(T *)(p[0] + i * s[0]) = best;                                                      \
            *(int64_t *)(p[1] + i * s[1]) = at;                                                  \
        }                                                                                        \
    }
CUMMAX(cummax_bool, uint8_t, x >= best)
CUMMAX(cummin_bool, uint8_t, x <= best)
CUMMAX(cummax_int64, int64_t, x >= best)
CUMMAX(cummin_int64, int64_t, x <= best)
CUMMAX(cummax_float32, float, x >= best)
CUMMAX(cummin_float32, float, x <= best)
CUMMAX(cummax_float64, double, x >= best)
CUMMAX(cummin_float64, double, x <= best)

static void cummax_row(char *const *p, const int64_t *s, const void *context) {
    static void (*const rows[][2])(char *const *, const int64_t *, int64_t) = {
        [t_bool] = {cummax_bool, cummin_bool},
        [t_int64] = {cummax_int64, cummin_int64},
        [t_float32] = {cummax_float32, cummin_float32},
        [t_float64] = {cummax_float64, cummin_float64},
    };
    const CumulativeMax *job = context;
    rows[job->dtype][job->is_min](p, s, job->n);
}

/* torch.cummax(x, dim): the maximum of x_0 ... x_i along dim, and its index, the last of equals, in *indices; NaN
 * from the first NaN on. Any shape and dtype. dx = dy added at those indices. Errors: dim out of range. */
static const Op cummax_op = {"cummax", "CummaxBackward0", tg_value_selecting_backward};
static const Op cummin_op = {"cummin", "CumminBackward0", tg_value_selecting_backward};

static Tensor *cummax_along(Tensor *x, int64_t dim, bool is_min, const Op *op, Tensor **indices) {
    int d;
    if (!tg_check(x, 1) || !tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    CumulativeMax job = {x->dtype, tg_row_size(x, d), is_min};
    int64_t along = d;
    int depth = t_scope_open();
    Tensor *y = depth ? tg_empty_rows(x, d, job.n, x->dtype) : NULL,
           *at = y ? tg_empty_rows(x, d, job.n, t_int64) : NULL;
    if (at) tg_each_row(cummax_row, d, (Tensor *[]){y, at, x}, 3, &job);
    y = at ? t_keep_object(tg_record(op, y, INPUTS(x), SAVED(at), ATTRIBUTES(along))) : NULL;
    if (y && indices) *indices = t_keep_object(at);
    t_scope_close(depth);
    return y;
}

Tensor *t_cummax(Tensor *x, int64_t dim, Tensor **indices) {
    return cummax_along(x, dim, false, &cummax_op, indices);
}

/* torch.cummin(x, dim): the minimum, with the same rules. */
Tensor *t_cummin(Tensor *x, int64_t dim, Tensor **indices) {
    return cummax_along(x, dim, true, &cummin_op, indices);
}

/* ---- diff ---- */

static bool check_ends(const Tensor *x, int d, const Tensor *end) {
    if (!end) return true;
    if (end->ndim != x->ndim) return tg_fail("diff expects prepend or append to be the same dimension as input");
    for (int i = 0; i < x->ndim; i++)
        if (i != d && end->shape[i] != x->shape[i])
            return tg_fail("diff expects the shape of tensor to prepend or append to match that of input except along "
                           "the differencing dimension; input.size(%d) = %lld, but got tensor.size(%d) = %lld",
                           i, (long long)x->shape[i], i, (long long)end->shape[i]);
    return true;
}

static Tensor *concatenate_ends(Tensor *x, int d, Tensor *prepend, Tensor *append) {
    t_TensorList *parts = t_list_new(NULL, 0);
    bool ok = parts && (!prepend || t_list_append(parts, prepend)) && t_list_append(parts, x) &&
              (!append || t_list_append(parts, append));
    return ok ? t_cat(parts, d) : NULL;
}

static Tensor *differences(Tensor *y, int d, int64_t times) {
    for (int64_t i = 0; y && i < times; i++) {
        int64_t last = y->shape[d] > 0 ? y->shape[d] - 1 : 0;
        Tensor *to = t_narrow(y, d, y->shape[d] - last, last), *from = t_narrow(y, d, 0, last);
        y = !to || !from ? NULL : y->dtype == t_bool ? t_ne(to, from) : t_sub(to, from);
    }
    return y;
}

/* torch.diff(x, n, dim, prepend, append): x_(i+1) - x_i along dim, n times; for bools x_(i+1) != x_i. prepend and
 * append (NULL: none) are concatenated with x first. Composed: it has the gradients of its ops. Errors: a 0-dim x,
 * dim out of range, n < 0, prepend or append of another shape. */
Tensor *t_diff(Tensor *x, int64_t n, int64_t dim, Tensor *prepend, Tensor *append) {
    int d;
    if (!tg_check(x, 1) || !tg_check_optional(prepend, 4) || !tg_check_optional(append, 5)) return NULL;
    if (x->ndim == 0) return tg_fail("diff expects input to be at least one-dimensional");
    if (!tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    if (n < 0) return tg_fail("order must be non-negative but got %lld", (long long)n);
    if (!check_ends(x, d, prepend) || !check_ends(x, d, append)) return NULL;
    int depth = t_scope_open();
    Tensor *y = !depth ? NULL : prepend || append ? concatenate_ends(x, d, prepend, append) : x;
    int64_t times = y && n > y->shape[d] ? y->shape[d] : n;
    if (y && times > 0 && tg_numel(y) == 0) { /* no elements, but the dim may be very long */
        Tensor *rest = t_narrow(y, d, 0, y->shape[d] - times);
        y = rest ? t_clone(rest) : NULL;
    } else if (y && times == 0) {
        y = t_clone(x);
    } else {
        y = differences(y, d, times);
    }
    t_keep_object(y);
    t_scope_close(depth);
    return y;
}
