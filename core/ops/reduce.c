/* core/ops/reduce.c: sums over dims.
 *
 * Sums of float32 are gathered in double and rounded once. */
#include <string.h>

#include "core/ops/reduce.h"

/* ---- which dims ---- */

bool tg_reduction(const Tensor *x, const int64_t *dims, int count, bool keepdim, Reduction *out) {
    *out = (Reduction){.keepdim = keepdim, .count = 1};
    for (int i = 0; i < count; i++) {
        int d;
        if (!tg_wrap_dim(dims[i], x->ndim, &d)) return false;
        if (out->reduced[d]) return tg_fail("dim %d appears multiple times in the list of dims", d);
        out->reduced[d] = true;
    }
    for (int d = 0; d < x->ndim; d++) {
        if (count == 0) out->reduced[d] = true;
        if (out->reduced[d]) out->count *= x->shape[d];
    }
    return true;
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

#define SUM(name, A, T)                                                                          \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {         \
        (void)context;                                                                           \
        A *y = (A *)p[0];                                                                        \
        const T *x = (const T *)p[1];                                                            \
        if (s[0] == 0 && s[1] == sizeof(T)) {                                                    \
            A lanes[8] = {0};                                                                    \
            int64_t i = 0;                                                                       \
            for (; i + 8 <= n; i += 8)                                                           \
                for (int lane = 0; lane < 8; lane++) lanes[lane] += (A)x[i + lane];              \
            for (; i < n; i++) lanes[0] += (A)x[i];                                              \
            *y += ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7])); \
        } else if (s[0] == sizeof(A) && s[1] == sizeof(T)) {                                     \
            TG_INDEPENDENT                                                                       \
            for (int64_t i = 0; i < n; i++) y[i] += (A)x[i];                                     \
        } else {                                                                                 \
            for (int64_t i = 0; i < n; i++) *(A *)(p[0] + i * s[0]) += (A) * (const T *)(p[1] + i * s[1]); \
        }                                                                                        \
    }
SUM(sum_bool, uint64_t, bool)
SUM(sum_int64, uint64_t, int64_t) /* wraps around, as PyTorch's does */
SUM(sum_float32, double, float)
SUM(sum_float64, double, double)

/* Sums x into a fresh tensor of accumulators with every reduced dim kept. */
static Tensor *accumulate(Tensor *x, const Reduction *r) {
    static LoopTable loops = {
        [t_bool] = sum_bool, [t_int64] = sum_int64, [t_float32] = sum_float32, [t_float64] = sum_float64};
    int64_t shape[T_MAX_DIMS];
    int ndim = tg_reduced_shape(x, r, true, shape);
    t_TensorOptions options = {.size = sizeof options, .dtype = tg_is_floating(x->dtype) ? t_float64 : t_int64};
    Tensor *sums = t_zeros(shape, ndim, &options);
    if (!sums || tg_numel(x) == 0) return sums;
    Tensor under = tg_spread_under(sums, x, r);
    tg_run(loops[x->dtype], &under, &x, 1, 0, NULL);
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

static Tensor *reduce(Tensor *x, const Reduction *r, double divisor, t_DType dtype) {
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = t_keep_object(finished(accumulate(x, r), x, r, divisor, dtype));
    t_scope_close(depth);
    return y;
}

/* x.sum(dims, keepdim): integers and bools give int64. dx = dy, broadcast over the reduced dims. */
static void sum_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Edge *x = &r->edges[0];
    dx[0] = t_expand(tg_with_kept_dims(dy, x, r->attributes), x->shape, x->ndim);
}
static const Op sum_op = {"sum", "SumBackward0", sum_backward}, sum_dims_op = {"sum", "SumBackward1", sum_backward};

Tensor *t_sum(Tensor *x, const int64_t *dims, int count, bool keepdim) {
    Reduction r;
    if (!tg_check(x, 1) || !tg_reduction(x, dims, count, keepdim, &r)) return NULL;
    Tensor *y = reduce(x, &r, 1, tg_is_floating(x->dtype) ? x->dtype : t_int64);
    return tg_record(count || keepdim ? &sum_dims_op : &sum_op, y, INPUTS(x), NONE, ATTRIBUTES(r));
}

/* x.mean(dims, keepdim): the sum over the count, floating only. dx = dy / count, broadcast. No elements give NaN. */
static void mean_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Edge *x = &r->edges[0];
    const Reduction *reduction = r->attributes;
    Tensor *each = t_div(tg_with_kept_dims(dy, x, reduction), t_number((double)reduction->count));
    dx[0] = t_expand(each, x->shape, x->ndim);
}
static const Op mean_op = {"mean", "MeanBackward0", mean_backward}, mean_dims_op = {"mean", "MeanBackward1", mean_backward};

Tensor *t_mean(Tensor *x, const int64_t *dims, int count, bool keepdim) {
    Reduction r;
    if (!tg_check(x, 1) || !tg_reduction(x, dims, count, keepdim, &r)) return NULL;
    if (!tg_is_floating(x->dtype))
        return tg_fail("mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
                       "dtype. Got: %s", tg_scalar_name(x->dtype));
    Tensor *y = reduce(x, &r, (double)r.count, x->dtype);
    return tg_record(count || keepdim ? &mean_dims_op : &mean_op, y, INPUTS(x), NONE, ATTRIBUTES(r));
}

/* x.var(dims, correction, keepdim): sum((x - mean)^2) / (count - correction), floating only.
 * dx = dy 2 (x - mean) / (count - correction). */
typedef struct Variance {
    Reduction over;
    double correction;
} Variance;

static int list_dims(const Reduction *r, int ndim, int64_t *dims) {
    int count = 0;
    for (int d = 0; d < ndim; d++)
        if (r->reduced[d]) dims[count++] = d;
    return count;
}

static void var_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Variance *v = r->attributes;
    int64_t dims[T_MAX_DIMS];
    Tensor *x = tg_saved(r, 0);
    if (!x) return;
    double divisor = (double)v->over.count - v->correction;
    Tensor *centred = t_sub(x, t_mean(x, dims, list_dims(&v->over, x->ndim, dims), true));
    Tensor *scaled = t_mul(tg_with_kept_dims(dy, &r->edges[0], &v->over), t_number(2 / (divisor > 0 ? divisor : 0)));
    dx[0] = t_mul(scaled, centred);
}
static const Op var_op = {"var", "VarBackward0", var_backward};

Tensor *t_var(Tensor *x, const int64_t *dims, int count, double correction, bool keepdim) {
    Variance v = {.correction = correction};
    int64_t all[T_MAX_DIMS];
    if (!tg_check(x, 1) || !tg_reduction(x, dims, count, keepdim, &v.over)) return NULL;
    if (!tg_is_floating(x->dtype))
        return tg_fail("std and var only support floating point and complex dtypes");
    double divisor = (double)v.over.count - correction;
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *wide = depth ? t_to(x, t_float64) : NULL;
    Tensor *mean = wide ? t_mean(wide, all, list_dims(&v.over, x->ndim, all), true) : NULL;
    Tensor *squares = mean ? t_square(t_sub(wide, mean)) : NULL;
    Tensor *y = squares ? reduce(squares, &v.over, divisor > 0 ? divisor : 0, x->dtype) : NULL;
    t_set_grad_enabled(grad_enabled);
    y = t_keep_object(y);
    t_scope_close(depth);
    return tg_record(&var_op, y, INPUTS(x), SAVED(x), ATTRIBUTES(v));
}
