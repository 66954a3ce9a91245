/* core/ops/cummax.c: cummax and cummin: the largest (smallest) so far along a dim; and diff, from one element to the next. */
#include "core/ops/along_dim_internal.h"

/* ---- cummax, cummin ---- */

typedef struct BestSoFar {
    t_DType dtype;
    int64_t n;
    bool smallest;
} BestSoFar;

/* A NaN beats everything but the next one. (Of floats most are no new best: a branch that is foreseen. Whole numbers are often as good
 * as the best, and cost no more where both are chosen without a branch.) */
#define PUT_BEST                                                                                 \
    *(int64_t *)places = at;                                                                     \
    places += at_step, y += y_step, from += x_step
#define BEST_SO_FAR(T, name, falls_behind)                                                       \
    static void name##_##T(char *const *p, const int64_t *s, int64_t n) {                        \
        const int64_t y_step = s[0], at_step = s[1], x_step = s[2];                              \
        char *y = p[0], *places = p[1];                                                          \
        const char *from = p[2];                                                                 \
        T best = n ? *(const T *)from : 0;                                                       \
        int64_t i = 0, at = 0;                                                                   \
        for (; i < n && best == best; i++) {                                                     \
            const T x = *(const T *)from;                                                        \
            if (!(x falls_behind best)) {                                                        \
                best = x;                                                                        \
                at = i;                                                                          \
            }                                                                                    \
            *(T *)y = best;                                                                      \
            PUT_BEST;                                                                            \
        }                                                                                        \
        for (; i < n; i++) {                                                                     \
            if (*(const T *)from != *(const T *)from) at = i;                                    \
            *(T *)y = best;                                                                      \
            PUT_BEST;                                                                            \
        }                                                                                        \
    }
#define BEST_WHOLE_SO_FAR(T, name, falls_behind)                                                 \
    static void name##_##T(char *const *p, const int64_t *s, int64_t n) {                        \
        const int64_t y_step = s[0], at_step = s[1], x_step = s[2];                              \
        char *y = p[0], *places = p[1];                                                          \
        const char *from = p[2];                                                                 \
        T best = n ? *(const T *)from : 0;                                                       \
        for (int64_t i = 0, at = 0; i < n; i++) {                                                \
            const T x = *(const T *)from;                                                        \
            at = x falls_behind best ? at : i;                                                   \
            best = x falls_behind best ? best : x;                                               \
            *(T *)y = best;                                                                      \
            PUT_BEST;                                                                            \
        }                                                                                        \
    }
#define LARGEST_AND_SMALLEST(of, T) of(T, largest_so_far, <) of(T, smallest_so_far, >)
LARGEST_AND_SMALLEST(BEST_WHOLE_SO_FAR, uint8_t)
LARGEST_AND_SMALLEST(BEST_WHOLE_SO_FAR, int64_t)
LARGEST_AND_SMALLEST(BEST_SO_FAR, float)
LARGEST_AND_SMALLEST(BEST_SO_FAR, double)

static void best_so_far_of_row(char *const *p, const int64_t *s, const void *context) {
    static void (*const of[][2])(char *const *, const int64_t *, int64_t) = {
        [t_bool] = {largest_so_far_uint8_t, smallest_so_far_uint8_t},
        [t_int64] = {largest_so_far_int64_t, smallest_so_far_int64_t},
        [t_float32] = {largest_so_far_float, smallest_so_far_float},
        [t_float64] = {largest_so_far_double, smallest_so_far_double},
    };
    const BestSoFar *job = context;
    of[job->dtype][job->smallest](p, s, job->n);
}

/* torch.cummax(x, dim): the largest of x_0 ... x_i along dim, and in *indices where it stands, the last of equals; NaN from the
 * first on. Any shape and dtype. dx = dy added at those places. Errors: dim out of range. */
static const Op cummax_op = {"cummax", "CummaxBackward0", tg_picked_backward};
static const Op cummin_op = {"cummin", "CumminBackward0", tg_picked_backward};

static Tensor *cumulative_extreme(Tensor *x, int64_t dim, bool smallest, const Op *op, Tensor **indices) {
    int d;
    if (!tg_check(x, 1) || !tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    BestSoFar job = {x->dtype, tg_row_size(x, d), smallest};
    int64_t along = d;
    int depth = t_scope_open();
    Tensor *y = depth ? tg_empty_rows(x, d, job.n, x->dtype) : NULL, *at = y ? tg_empty_rows(x, d, job.n, t_int64) : NULL;
    if (at) tg_each_row(best_so_far_of_row, d, (Tensor *[]){y, at, x}, 3, &job);
    y = at ? t_keep_object(tg_record(op, y, INPUTS(x), SAVED(at), ATTRIBUTES(along))) : NULL;
    if (y && indices) *indices = t_keep_object(at);
    t_scope_close(depth);
    return y;
}

Tensor *t_cummax(Tensor *x, int64_t dim, Tensor **indices) {
    return cumulative_extreme(x, dim, false, &cummax_op, indices);
}

/* torch.cummin(x, dim): the smallest, likewise. */
Tensor *t_cummin(Tensor *x, int64_t dim, Tensor **indices) {
    return cumulative_extreme(x, dim, true, &cummin_op, indices);
}

/* ---- diff ---- */

static bool check_ends(const Tensor *x, int d, const Tensor *end) {
    if (!end) return true;
    if (end->ndim != x->ndim) return tg_fail("diff expects prepend or append to be the same dimension as input");
    for (int i = 0; i < x->ndim; i++)
        if (i != d && end->shape[i] != x->shape[i])
            return tg_fail("diff expects the shape of tensor to prepend or append to match that of input except along the "
                           "differencing dimension; input.size(%d) = %lld, but got tensor.size(%d) = %lld", i,
                           (long long)x->shape[i], i, (long long)end->shape[i]);
    return true;
}

static Tensor *joined(Tensor *x, int d, Tensor *prepend, Tensor *append) {
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

/* torch.diff(x, n, dim, prepend, append): x_(i+1) - x_i along dim, n times over; of bools whether they differ. prepend and
 * append (NULL: none) are joined to x first. Gradients of the ops that it is made of. Errors: a 0-dim x, dim out of range,
 * n < 0, ends of another shape. */
Tensor *t_diff(Tensor *x, int64_t n, int64_t dim, Tensor *prepend, Tensor *append) {
    int d;
    if (!tg_check(x, 1) || !tg_check_optional(prepend, 4) || !tg_check_optional(append, 5)) return NULL;
    if (x->ndim == 0) return tg_fail("diff expects input to be at least one-dimensional");
    if (!tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    if (n < 0) return tg_fail("order must be non-negative but got %lld", (long long)n);
    if (!check_ends(x, d, prepend) || !check_ends(x, d, append)) return NULL;
    int depth = t_scope_open();
    Tensor *y = !depth ? NULL : prepend || append ? joined(x, d, prepend, append) : x;
    int64_t times = y && n > y->shape[d] ? y->shape[d] : n;
    if (y && times > 0 && tg_numel(y) == 0) { /* nothing to subtract, in a dim that may be very long */
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
