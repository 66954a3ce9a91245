/* core/ops/fold.c: reductions over any dims that keep one of each two: the largest (amax), the smallest (amin), all,
 * any. */
#include <string.h>

#include "core/kernels/fold.h"
#include "core/ops/reduce.h"

/* ---- the walk ----
 * The loop brings each x into the y it belongs to: y has step 0 along a reduced dim. `expression` is the new y. */

#define FOLD(name, R, T, expression)                                                             \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {         \
        (void)context;                                                                           \
        if (s[0] == 0) {                                                                         \
            R y = *(R *)p[0];                                                                    \
            for (int64_t i = 0; i < n; i++) {                                                    \
                T x = *(const T *)(p[1] + i * s[1]);                                             \
                y = expression;                                                                  \
            }                                                                                    \
            *(R *)p[0] = y;                                                                      \
        } else {                                                                                 \
            TG_INDEPENDENT                                                                       \
            for (int64_t i = 0; i < n; i++) {                                                    \
                R y = *(R *)(p[0] + i * s[0]);                                                   \
                T x = *(const T *)(p[1] + i * s[1]);                                             \
                *(R *)(p[0] + i * s[0]) = expression;                                            \
            }                                                                                    \
        }                                                                                        \
    }

/* The same of reals where x is contiguous. */
#define FOLD_REALS(name, T, bits, largest)                                                       \
    FOLD(name##_strided, T, T, (largest ? x > y : x < y) || x != x ? x : y)                      \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {         \
        const bool together = s[1] == sizeof(T);                                                 \
        if (together && s[0] == 0) *(T *)p[0] = tg_extreme_row_f##bits(n, *(T *)p[0], (const T *)p[1], largest); \
        else if (together && s[0] == sizeof(T)) tg_extreme_run_f##bits(n, (T *)p[0], (const T *)p[1], largest); \
        else name##_strided(n, p, s, context);                                                   \
    }

/* Folds x into y, which holds what to begin with in x's shape with every reduced dim kept, and gives y its final shape. */
static Tensor *fold(Tensor *y, Tensor *x, const Reduction *r, LoopTable loops) {
    tg_fold(loops[x->dtype], loops[y->dtype], y, r, x);
    y->ndim = tg_reduced_shape(x, r, r->keepdim, y->shape); /* fresh and contiguous: it may change its shape itself */
    tg_contiguous_strides(y->shape, y->ndim, y->strides);
    return y;
}

static Tensor *empty_with_kept_dims(const Tensor *x, const Reduction *r, t_DType dtype) {
    int64_t shape[T_MAX_DIMS];
    int ndim = tg_reduced_shape(x, r, true, shape);
    return tg_empty(shape, ndim, dtype);
}

/* ---- amax, amin ---- */

/* x.amax(dims, keepdim): the largest over dims, NaN if there is one; any dtype, which is kept.
 * dx = dy shared evenly among the elements that equal the largest, 0 elsewhere. Errors: a dim without elements. */
static void extreme_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Reduction *over = r->attributes;
    int64_t dims[T_MAX_DIMS];
    Tensor *x = tg_saved(r, 0), *y = tg_saved(r, 1);
    if (!x || !y) return;
    int count = tg_reduced_dims(over, x->ndim, dims);
    Tensor *ties = t_to(t_eq(x, tg_with_kept_dims(y, &r->edges[0], over)), x->dtype);
    Tensor *share = t_mul(tg_with_kept_dims(dy, &r->edges[0], over), ties);
    dx[0] = t_div(share, t_sum(ties, dims, count, true));
}
static const Op amax_op = {"amax", "AmaxBackward0", extreme_backward}, amin_op = {"amin", "AminBackward0", extreme_backward};

FOLD(largest_bool, bool, bool, x || y)
FOLD(largest_int64, int64_t, int64_t, x > y ? x : y)
FOLD_REALS(largest_float32, float, 32, true)
FOLD_REALS(largest_float64, double, 64, true)
FOLD(smallest_bool, bool, bool, x && y)
FOLD(smallest_int64, int64_t, int64_t, x < y ? x : y)
FOLD_REALS(smallest_float32, float, 32, false)
FOLD_REALS(smallest_float64, double, 64, false)
static LoopTable largest_loops = {
    [t_bool] = largest_bool, [t_int64] = largest_int64, [t_float32] = largest_float32, [t_float64] = largest_float64};
static LoopTable smallest_loops = {
    [t_bool] = smallest_bool, [t_int64] = smallest_int64, [t_float32] = smallest_float32, [t_float64] = smallest_float64};

/* Nothing has no largest element: PyTorch's error for the first empty dim, or for a whole x without elements. */
static bool check_elements(const Tensor *x, const int64_t *dims, int count, const char *name) {
    if (count == 0 && tg_numel(x) == 0)
        return tg_fail("%s(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
                       "with the 'dim' argument.", name);
    for (int i = 0; i < count && x->ndim; i++)
        if (x->shape[dims[i] < 0 ? dims[i] + x->ndim : dims[i]] == 0)
            return tg_fail("%s(): Expected reduction dim %lld to have non-zero size.", name, (long long)dims[i]);
    return true;
}

static Tensor *extreme(Tensor *x, const int64_t *dims, int count, bool keepdim, LoopTable loops, const Op *op) {
    Reduction r;
    if (!tg_check(x, 1) || !tg_reduction(x, dims, count, keepdim, &r) || !check_elements(x, dims, count, op->name)) return NULL;
    Tensor *y = empty_with_kept_dims(x, &r, x->dtype);
    if (!y) return NULL;
    Tensor first = *x; /* on the stack: x's first element along each reduced dim, to begin with */
    memcpy(first.shape, y->shape, sizeof first.shape);
    tg_copy_into(y, &first);
    return tg_record(op, fold(y, x, &r, loops), INPUTS(x), SAVED(x, y), ATTRIBUTES(r));
}

Tensor *t_amax(Tensor *x, const int64_t *dims, int count, bool keepdim) {
    return extreme(x, dims, count, keepdim, largest_loops, &amax_op);
}

/* x.amin(dims, keepdim): the smallest, likewise. */
Tensor *t_amin(Tensor *x, const int64_t *dims, int count, bool keepdim) {
    return extreme(x, dims, count, keepdim, smallest_loops, &amin_op);
}

/* torch.aminmax(x, dim, keepdim): the smallest along dim (of all elements for T_NONE), and the largest in *max. Gradients as
 * amin's and amax's. Errors: dim out of range, no elements. */
static const Op aminmax_op = {"aminmax", "AminmaxBackward0", extreme_backward};

Tensor *t_aminmax(Tensor *x, int64_t dim, bool keepdim, Tensor **max) {
    int d;
    if (!tg_check(x, 1) || (dim != T_NONE && !tg_wrap_dim(dim, x->ndim, &d))) return NULL;
    if (dim == T_NONE && tg_numel(x) == 0)
        return tg_fail("aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.");
    if (dim != T_NONE && x->ndim && x->shape[d] == 0)
        return tg_fail("aminmax: Expected reduction dim %d to have non-zero size.", d);
    int depth = t_scope_open();
    Tensor *largest = depth ? extreme(x, &dim, dim != T_NONE, keepdim, largest_loops, &aminmax_op) : NULL;
    Tensor *y = largest ? t_keep_object(extreme(x, &dim, dim != T_NONE, keepdim, smallest_loops, &aminmax_op)) : NULL;
    if (y && max) *max = t_keep_object(largest);
    t_scope_close(depth);
    return y;
}

/* ---- all, any ---- */

FOLD(all_bool, bool, bool, y && x)
FOLD(all_int64, bool, int64_t, y && x != 0)
FOLD(all_float32, bool, float, y && x != 0)
FOLD(all_float64, bool, double, y && x != 0)
FOLD(any_bool, bool, bool, y || x)
FOLD(any_int64, bool, int64_t, y || x != 0)
FOLD(any_float32, bool, float, y || x != 0)
FOLD(any_float64, bool, double, y || x != 0)

static Tensor *quantify(Tensor *x, const int64_t *dims, int count, bool keepdim, LoopTable loops, bool of_none) {
    Reduction r;
    if (!tg_check(x, 1) || !tg_reduction(x, dims, count, keepdim, &r)) return NULL;
    Tensor *y = empty_with_kept_dims(x, &r, t_bool);
    if (!y) return NULL;
    tg_fill_into(y, of_none);
    return fold(y, x, &r, loops);
}

/* x.all(dims, keepdim): bool, whether every element over dims is other than 0 (NaN is); true of no elements. Any dtype; no
 * gradient. */
Tensor *t_all(Tensor *x, const int64_t *dims, int count, bool keepdim) {
    static LoopTable loops = {
        [t_bool] = all_bool, [t_int64] = all_int64, [t_float32] = all_float32, [t_float64] = all_float64};
    return quantify(x, dims, count, keepdim, loops, true);
}

/* x.any(dims, keepdim): whether some element is; false of no elements. */
Tensor *t_any(Tensor *x, const int64_t *dims, int count, bool keepdim) {
    static LoopTable loops = {
        [t_bool] = any_bool, [t_int64] = any_int64, [t_float32] = any_float32, [t_float64] = any_float64};
    return quantify(x, dims, count, keepdim, loops, false);
}
