/* core/ops/reduction/sum.c: sum, mean, nansum and nanmean.
 *
 * Sums of float32 are accumulated in double, four values at a time (for a float64 result one at a time), and rounded
 * once. */
#include <math.h>

#include "core/ops/reduction/reduce_internal.h"

/* ---- sum ---- */

/* dx = dy, broadcast over the reduced dims */
static void sum_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Edge *x = &r->edges[0];
    dx[0] = t_expand(tg_with_kept_dims(dy, x, r->attributes), x->shape, x->ndim);
}
static const Op sum_op = {"sum", "SumBackward0", sum_backward}, sum_dims_op = {"sum", "SumBackward1", sum_backward};

static Tensor *sum(Tensor *x, const Reduction *r, const Op *op, t_DType dtype) {
    return tg_record(op, tg_reduced((ReduceArgs){.kind = TG_SUM, .x = x}, r, dtype), INPUTS(x), NONE, r, sizeof *r);
}

/* x.sum(dim, keepdim, dtype): the sum over dims. Integers and bools give int64; with a dtype x is converted before the
 * sum. 0 for no elements. dx = dy, broadcast over the reduced dims. Errors: a dim out of range or twice. */
Tensor *t_sum_as(Tensor *x, const int64_t *dim, int count, bool keepdim, t_DType dtype) {
    Reduction r;
    if (!tg_check_any(x, 1) || !tg_reduction(x, dim, count, keepdim, &r) || !tg_check_dtype(dtype)) return NULL;
    const Op *op = count || keepdim ? &sum_dims_op : &sum_op;
    if (!dtype) dtype = tg_is_floating(x->dtype) ? x->dtype : t_int64;
    bool wide_enough = dtype == t_int64 ? !tg_is_floating(x->dtype) : tg_is_floating(dtype) && tg_is_floating(x->dtype);
    if (wide_enough) return sum(x, &r, op, dtype);
    int depth = t_scope_open();
    Tensor *in = depth ? t_to(x, dtype) : NULL, *y = in ? sum(in, &r, op, dtype) : NULL;
    return tg_scope_return(depth, y);
}

/* x.sum(dim, keepdim): the same without a dtype. */
Tensor *t_sum(Tensor *x, const int64_t *dim, int count, bool keepdim) {
    return t_sum_as(x, dim, count, keepdim, 0);
}

/* ---- mean ---- */

static void mean_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Edge *x = &r->edges[0];
    const Reduction *reduction = r->attributes;
    Tensor *share = t_div(tg_with_kept_dims(dy, x, reduction), t_number((double)reduction->count));
    dx[0] = t_expand(share, x->shape, x->ndim);
}
static const Op mean_op = {"mean", "MeanBackward0", mean_backward},
                mean_dims_op = {"mean", "MeanBackward1", mean_backward};

static Tensor *mean(Tensor *x, const Reduction *r, const Op *op, t_DType dtype) {
    const ReduceArgs args = {.kind = TG_SUM, .x = x, .finish = TG_FINISH_DIVIDE, .divisor = (double)r->count};
    return tg_record(op, tg_reduced(args, r, dtype), INPUTS(x), NONE, r, sizeof *r);
}

/* x.mean(dim, keepdim, dtype): the sum divided by the number of elements; x or dtype is floating. NaN for no elements.
 * dx = dy / count, broadcast. Errors: as for sum; a dtype that is not floating. */
Tensor *t_mean_as(Tensor *x, const int64_t *dim, int count, bool keepdim, t_DType dtype) {
    Reduction r;
    if (!tg_check_any(x, 1) || !tg_reduction(x, dim, count, keepdim, &r) || !tg_check_dtype(dtype)) return NULL;
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

/* x.mean(dim, keepdim): the same without a dtype. */
Tensor *t_mean(Tensor *x, const int64_t *dim, int count, bool keepdim) {
    return t_mean_as(x, dim, count, keepdim, 0);
}

/* ---- nansum, nanmean ---- */

static void nansum_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0);
    if (!x) return;
    Tensor *is_number = t_logical_not(t_isnan(x));
    dx[0] = t_mul(tg_with_kept_dims(dy, &r->edges[0], r->attributes), is_number);
}

static const Op nansum_op = {"nansum", "NansumBackward0", nansum_backward};

/* torch.nansum(x, dim, keepdim, dtype): the sum with NaN counted as 0. dx = dy, broadcast, but 0 at a NaN. Otherwise as
 * sum. */
Tensor *t_nansum(Tensor *x, const int64_t *dim, int count, bool keepdim, t_DType dtype) {
    TG_COMPOSITE("nansum");
    Reduction r;
    if (!tg_check_any(x, 1) || !tg_reduction(x, dim, count, keepdim, &r)) return NULL;
    if (!tg_is_floating(x->dtype)) return t_sum_as(x, dim, count, keepdim, dtype);
    int depth = t_scope_open();
    Tensor *without_nan = depth ? t_nan_to_num(t_detach(x), 0, INFINITY, -INFINITY) : NULL;
    Tensor *y = without_nan ? t_sum_as(without_nan, dim, count, keepdim, dtype) : NULL;
    return tg_record(&nansum_op, tg_scope_return(depth, y), INPUTS(x), SAVED(x), ATTRIBUTES(r));
}

/* torch.nanmean(x, dim, keepdim, dtype): nansum divided by the number of elements that are not NaN; NaN if there are
 * none. Floating only. Composed: it has the gradients of its ops. */
Tensor *t_nanmean(Tensor *x, const int64_t *dim, int count, bool keepdim, t_DType dtype) {
    TG_COMPOSITE("nanmean");
    Reduction r;
    if (!tg_check_any(x, 1) || !tg_reduction(x, dim, count, keepdim, &r)) return NULL;
    if (!tg_is_floating(x->dtype))
        return tg_fail("nanmean(): expected input to have floating point or complex dtype but got %s",
                       tg_scalar_name(x->dtype));
    int depth = t_scope_open();
    Tensor *is_number = depth ? t_logical_not(t_isnan(t_detach(x))) : NULL;
    Tensor *found = t_sum(is_number, dim, count, keepdim);
    Tensor *y = found ? t_div(t_nansum(x, dim, count, keepdim, dtype), found) : NULL;
    return tg_scope_return(depth, y);
}

/* ---- sum_to_size ---- */

/* x.sum_to_size(size): the sum over the dims that broadcasting a tensor of that size to x's shape would repeat: the
 * inverse of expand. x itself if it has the size. Errors: a size that x's is no broadcast of. */
Tensor *t_sum_to_size(Tensor *x, const int64_t *size, int ndim) {
    int64_t dims[T_MAX_DIMS];
    int count = 0;
    if (!tg_check_any(x, 1) || !tg_check_array(size, ndim, 2, "sizes")) return NULL;
    const int extra = x->ndim - ndim;
    bool fits = extra >= 0;
    for (int d = 0; fits && d < x->ndim; d++) {
        if (d < extra || (size[d - extra] == 1 && x->shape[d] != 1))
            dims[count++] = d;
        else
            fits = size[d - extra] == x->shape[d];
    }
    if (!fits) return tg_fail("size {%s} is not expandable to size {%s}.", tg_shape_text(size, ndim), tg_shape_of(x));
    if (ndim == 0) return t_sum(x, NULL, 0, false);
    if (count == 0) return x;
    int depth = t_scope_open();
    Tensor *y = depth ? t_sum(x, dims, count, true) : NULL;
    if (y && extra) y = t_view(y, size, ndim);
    return tg_scope_return(depth, y);
}
