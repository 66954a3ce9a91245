/* core/ops/reduce.c: sums over dims.
 *
 * Sums of float32 are gathered in double and rounded once. */
#include <string.h>

#include "core/kernels/fold.h"
#include "core/ops/reduce.h"

/* ---- which dims ---- */

bool tg_reduction(const Tensor *x, const int64_t *dims, int count, bool keepdim, Reduction *out) {
    int wrapped[T_MAX_DIMS];
    *out = (Reduction){.keepdim = keepdim, .count = 1};
    if (count > T_MAX_DIMS) return tg_fail("more than %d dims; a list of them has no keyword: t_sum(x, (0, 1))", T_MAX_DIMS);
    if (!tg_wrap_dims(dims, count, x->ndim, wrapped)) return false;
    for (int i = 0; i < count; i++) out->reduced[wrapped[i]] = true;
    for (int d = 0; d < x->ndim; d++) {
        if (count == 0) out->reduced[d] = true;
        if (out->reduced[d]) out->count *= x->shape[d];
    }
    return true;
}

int tg_reduced_dims(const Reduction *r, int ndim, int64_t *dims) {
    int count = 0;
    for (int d = 0; d < ndim; d++)
        if (r->reduced[d]) dims[count++] = d;
    return count;
}

int tg_reduced_shape(const Tensor *x, const Reduction *r, bool keepdim, int64_t *shape) {
    int ndim = 0;
    for (int d = 0; d < x->ndim; d++)
        if (!r->reduced[d]) shape[ndim++] = x->shape[d];
        else if (keepdim) shape[ndim++] = 1;
    return ndim;
}

Tensor tg_spread_under(const Tensor *y, const Tensor *x, const Reduction *r) {
    Tensor under = *y;
    memcpy(under.shape, x->shape, sizeof under.shape);
    for (int d = 0; d < x->ndim; d++)
        if (r->reduced[d]) under.strides[d] = 0;
    return under;
}

Tensor *tg_with_kept_dims(Tensor *dy, const Edge *x, const Reduction *r) {
    int64_t shape[T_MAX_DIMS];
    for (int d = 0; d < x->ndim; d++) shape[d] = r->reduced[d] ? 1 : x->shape[d];
    return t_reshape(dy, shape, x->ndim);
}

/* ---- sum ----
 * The loop adds x into accumulators: y has step 0 along a reduced dim. Accumulators are double (int64 for integers). */

#define SUM(name, A, T, row, run)                                                                \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {         \
        (void)context;                                                                           \
        A *y = (A *)p[0];                                                                        \
        const T *x = (const T *)p[1];                                                            \
        if (s[0] == 0 && s[1] == sizeof(T)) {                                                    \
            *y += row(n, x);                                                                     \
        } else if (s[0] == sizeof(A) && s[1] == sizeof(T)) {                                     \
            run(n, y, x);                                                                        \
        } else {                                                                                 \
            for (int64_t i = 0; i < n; i++) *(A *)(p[0] + i * s[0]) += (A) * (const T *)(p[1] + i * s[1]); \
        }                                                                                        \
    }
#define SUM_WHOLE(T)                                                                             \
    static uint64_t row_##T(int64_t n, const T *x) {                                             \
        uint64_t sum = 0;                                                                        \
        for (int64_t i = 0; i < n; i++) sum += (uint64_t)x[i];                                   \
        return sum;                                                                              \
    }                                                                                            \
    static void run_##T(int64_t n, uint64_t *y, const T *x) {                                    \
        TG_INDEPENDENT                                                                           \
        for (int64_t i = 0; i < n; i++) y[i] += (uint64_t)x[i];                                  \
    }
SUM_WHOLE(bool)
SUM_WHOLE(int64_t)
SUM(sum_bool, uint64_t, bool, row_bool, run_bool)
SUM(sum_int64, uint64_t, int64_t, row_int64_t, run_int64_t) /* wraps around, as PyTorch's does */
SUM(sum_float32, double, float, tg_sum_row_f32, tg_sum_run_f32)
SUM(sum_float64, double, double, tg_sum_row_f64, tg_sum_run_f64)

/* Sums x into a fresh tensor of accumulators with every reduced dim kept. */
static Tensor *accumulate(Tensor *x, const Reduction *r) {
    static LoopTable loops = {
        [t_bool] = sum_bool, [t_int64] = sum_int64, [t_float32] = sum_float32, [t_float64] = sum_float64};
    int64_t shape[T_MAX_DIMS];
    int ndim = tg_reduced_shape(x, r, true, shape);
    t_TensorOptions options = {.size = sizeof options, .dtype = tg_is_floating(x->dtype) ? t_float64 : t_int64};
    Tensor *sums = t_zeros(shape, ndim, &options);
    if (sums) tg_fold(loops[x->dtype], loops[sums->dtype], sums, r, x);
    return sums;
}

/* The accumulators in their final dtype and shape, without history. */
static Tensor *finished(Tensor *sums, const Tensor *x, const Reduction *r, double divisor, t_DType dtype) {
    int64_t shape[T_MAX_DIMS];
    int ndim = tg_reduced_shape(x, r, r->keepdim, shape);
    Tensor *y = sums ? tg_empty(shape, ndim, dtype) : NULL;
    if (!y) return NULL;
    if (divisor != 1)
        for (int64_t i = 0, n = tg_numel(sums); i < n; i++) ((double *)tg_data(sums))[i] /= divisor;
    Tensor flat = *sums, to = *y;
    flat.ndim = to.ndim = 1;
    flat.shape[0] = to.shape[0] = tg_numel(y);
    flat.strides[0] = to.strides[0] = 1;
    tg_copy_into(&to, &flat);
    return y;
}

Tensor *tg_reduce_sum(Tensor *x, const Reduction *r, double divisor, t_DType dtype) {
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = t_keep_object(finished(accumulate(x, r), x, r, divisor, dtype));
    t_scope_close(depth);
    return y;
}

/* x.sum(dims, keepdim, dtype): integers and bools give int64; another dtype is taken on before the sum.
 * dx = dy, broadcast over the reduced dims. Errors: a dim out of range or twice. */
static void sum_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Edge *x = &r->edges[0];
    dx[0] = t_expand(tg_with_kept_dims(dy, x, r->attributes), x->shape, x->ndim);
}
static const Op sum_op = {"sum", "SumBackward0", sum_backward}, sum_dims_op = {"sum", "SumBackward1", sum_backward};

static Tensor *sum(Tensor *x, const Reduction *r, const Op *op, t_DType dtype) {
    return tg_record(op, tg_reduce_sum(x, r, 1, dtype), INPUTS(x), NONE, r, sizeof *r);
}

Tensor *t_sum_as(Tensor *x, const int64_t *dims, int count, bool keepdim, t_DType dtype) {
    Reduction r;
    if (!tg_check(x, 1) || !tg_reduction(x, dims, count, keepdim, &r) || !tg_check_dtype(dtype)) return NULL;
    const Op *op = count || keepdim ? &sum_dims_op : &sum_op;
    if (!dtype) dtype = tg_is_floating(x->dtype) ? x->dtype : t_int64;
    bool wide_enough = dtype != t_bool && (tg_is_floating(dtype) || !tg_is_floating(x->dtype));
    if (wide_enough) return sum(x, &r, op, dtype);
    int depth = t_scope_open();
    Tensor *in = depth ? t_to(x, dtype) : NULL, *y = in ? t_keep_object(sum(in, &r, op, dtype)) : NULL;
    t_scope_close(depth);
    return y;
}

Tensor *t_sum(Tensor *x, const int64_t *dims, int count, bool keepdim) {
    return t_sum_as(x, dims, count, keepdim, 0);
}

/* x.mean(dims, keepdim, dtype): the sum over the count, floating, or made so by dtype. dx = dy / count, broadcast. No elements
 * give NaN. Errors: as sum's; a dtype that is not floating. */
static void mean_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Edge *x = &r->edges[0];
    const Reduction *reduction = r->attributes;
    Tensor *each = t_div(tg_with_kept_dims(dy, x, reduction), t_number((double)reduction->count));
    dx[0] = t_expand(each, x->shape, x->ndim);
}
static const Op mean_op = {"mean", "MeanBackward0", mean_backward}, mean_dims_op = {"mean", "MeanBackward1", mean_backward};

static Tensor *mean(Tensor *x, const Reduction *r, const Op *op, t_DType dtype) {
    return tg_record(op, tg_reduce_sum(x, r, (double)r->count, dtype), INPUTS(x), NONE, r, sizeof *r);
}

Tensor *t_mean_as(Tensor *x, const int64_t *dims, int count, bool keepdim, t_DType dtype) {
    Reduction r;
    if (!tg_check(x, 1) || !tg_reduction(x, dims, count, keepdim, &r) || !tg_check_dtype(dtype)) return NULL;
    t_DType result = dtype ? dtype : x->dtype;
    if (!tg_is_floating(result))
        return tg_fail("mean(): could not infer output dtype. %s dtype must be either a floating point or complex "
                       "dtype. Got: %s", dtype ? "Optional" : "Input", tg_scalar_name(result));
    const Op *op = count || keepdim ? &mean_dims_op : &mean_op;
    if (tg_is_floating(x->dtype)) return mean(x, &r, op, result);
    int depth = t_scope_open();
    Tensor *in = depth ? t_to(x, dtype) : NULL, *y = in ? t_keep_object(mean(in, &r, op, dtype)) : NULL;
    t_scope_close(depth);
    return y;
}

Tensor *t_mean(Tensor *x, const int64_t *dims, int count, bool keepdim) {
    return t_mean_as(x, dims, count, keepdim, 0);
}
