/* core/ops/sum.c: sum and mean, and what all reductions share (reduce_internal.h).
 *
 * Sums of float32 are accumulated in double, four values at a time (for a float64 result one at a time), and rounded
 * once. */
#include <string.h>

#include "core/ops/reduce_internal.h"

/* ---- dims and shapes of a reduction ---- */

bool tg_reduction(const Tensor *x, const int64_t *dims, int count, bool keepdim, Reduction *out) {
    int wrapped[T_MAX_DIMS];
    *out = (Reduction){.keepdim = keepdim, .count = 1};
    if (count > T_MAX_DIMS)
        return tg_fail("more than %d dims; a list of them has no keyword: t_sum(x, (0, 1))", T_MAX_DIMS);
    if (!tg_wrap_dims(dims, count, x->ndim, wrapped)) return false;
    for (int i = 0; i < count; i++) out->reduced[wrapped[i]] = true;
    for (int d = 0; d < x->ndim; d++) {
        if (count == 0) out->reduced[d] = true;
        /* The product may wrap around only if a kept size is 0; then nothing is divided by it. */
        if (out->reduced[d]) out->count = (int64_t)((uint64_t)out->count * (uint64_t)x->shape[d]);
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

Tensor *tg_with_kept_dims(Tensor *dy, const Edge *x, const Reduction *r) {
    int64_t shape[T_MAX_DIMS];
    for (int d = 0; d < x->ndim; d++) shape[d] = r->reduced[d] ? 1 : x->shape[d];
    return t_reshape(dy, shape, x->ndim);
}

/* ---- sum ---- */

Tensor *tg_reduced(ReduceArgs args, const Reduction *r, t_DType dtype) {
    int64_t shape[T_MAX_DIMS];
    Tensor *y = args.x ? tg_empty(shape, tg_reduced_shape(args.x, r, r->keepdim, shape), dtype) : NULL;
    if (!y || tg_reduce_into(&args, y, r)) return y;
    t_release(tg_take_from_scope(y));
    return NULL;
}

/* The sum divided by divisor. x is floating; or x and dtype are integers. */
static Tensor *reduced_sum(Tensor *x, const Reduction *r, double divisor, t_DType dtype) {
    return tg_reduced((ReduceArgs){.kind = TG_SUM, .x = x, .divisor = divisor}, r, dtype);
}

/* x.sum(dim, keepdim, dtype): integers and bools give int64; with a dtype x is converted before the sum. dx = dy,
 * broadcast over the reduced dims. Errors: a dim out of range or twice. */
static void sum_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Edge *x = &r->edges[0];
    dx[0] = t_expand(tg_with_kept_dims(dy, x, r->attributes), x->shape, x->ndim);
}
static const Op sum_op = {"sum", "SumBackward0", sum_backward}, sum_dims_op = {"sum", "SumBackward1", sum_backward};

static Tensor *sum(Tensor *x, const Reduction *r, const Op *op, t_DType dtype) {
    return tg_record(op, reduced_sum(x, r, 1, dtype), INPUTS(x), NONE, r, sizeof *r);
}

Tensor *t_sum_as(Tensor *x, const int64_t *dim, int count, bool keepdim, t_DType dtype) {
    Reduction r;
    if (!tg_check(x, 1) || !tg_reduction(x, dim, count, keepdim, &r) || !tg_check_dtype(dtype)) return NULL;
    const Op *op = count || keepdim ? &sum_dims_op : &sum_op;
    if (!dtype) dtype = tg_is_floating(x->dtype) ? x->dtype : t_int64;
    bool wide_enough = dtype == t_int64 ? !tg_is_floating(x->dtype) : tg_is_floating(dtype) && tg_is_floating(x->dtype);
    if (wide_enough) return sum(x, &r, op, dtype);
    int depth = t_scope_open();
    Tensor *in = depth ? t_to(x, dtype) : NULL, *y = in ? sum(in, &r, op, dtype) : NULL;
    return tg_scope_return(depth, y);
}

Tensor *t_sum(Tensor *x, const int64_t *dim, int count, bool keepdim) {
    return t_sum_as(x, dim, count, keepdim, 0);
}

/* x.mean(dim, keepdim, dtype): the sum divided by the count; x or dtype is floating. dx = dy / count, broadcast. NaN
 * for no elements. Errors: as for sum; a dtype that is not floating. */
static void mean_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Edge *x = &r->edges[0];
    const Reduction *reduction = r->attributes;
    Tensor *each = t_div(tg_with_kept_dims(dy, x, reduction), t_number((double)reduction->count));
    dx[0] = t_expand(each, x->shape, x->ndim);
}
static const Op mean_op = {"mean", "MeanBackward0", mean_backward},
                mean_dims_op = {"mean", "MeanBackward1", mean_backward};

static Tensor *mean(Tensor *x, const Reduction *r, const Op *op, t_DType dtype) {
    return tg_record(op, reduced_sum(x, r, (double)r->count, dtype), INPUTS(x), NONE, r, sizeof *r);
}

Tensor *t_mean_as(Tensor *x, const int64_t *dim, int count, bool keepdim, t_DType dtype) {
    Reduction r;
    if (!tg_check(x, 1) || !tg_reduction(x, dim, count, keepdim, &r) || !tg_check_dtype(dtype)) return NULL;
    t_DType result = dtype ? dtype : x->dtype;
    if (!tg_is_floating(result))
        return tg_fail("mean(): could not infer output dtype. %s dtype must be either a floating point or complex "
                       "dtype. Got: %s", dtype ? "Optional" : "Input", tg_scalar_name(result));
    const Op *op = count || keepdim ? &mean_dims_op : &mean_op;
    if (tg_is_floating(x->dtype)) return mean(x, &r, op, result);
    int depth = t_scope_open();
    Tensor *in = depth ? t_to(x, dtype) : NULL, *y = in ? mean(in, &r, op, dtype) : NULL;
    return tg_scope_return(depth, y);
}

Tensor *t_mean(Tensor *x, const int64_t *dim, int count, bool keepdim) {
    return t_mean_as(x, dim, count, keepdim, 0);
}
