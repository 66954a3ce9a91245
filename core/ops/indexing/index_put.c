/* core/ops/indexing/index_put.c: x[i, j] and x[i, j] = value with index tensors, and index_put, on top of
 * advanced_indexing_internal.h. */
#include "core/ops/indexing/advanced_indexing_internal.h"

static const Op masked_put_op = {"masked_fill", "MaskedFillBackward0", tg_index_put_backward};

/* A number cast to the given dtype, with a check that it fits. */
static Tensor *cast_number(Tensor *number, t_DType dtype) {
    return tg_check_tensor_fits(number, dtype) ? t_to(number, dtype) : NULL;
}

/* ---- x[indices], x[indices] = value ---- */

static const Op *write_op(const Indices *at, const Tensor *value) {
    if (at->count != 1 || !value->wrapped_number) return &tg_index_put_op;
    return at->index[0]->dtype == t_bool ? &masked_put_op : &tg_index_fill_op;
}

static bool check_value(const Tensor *x, const Tensor *linear, const IndexedDims *indexed, const Tensor *value) {
    int64_t shape[T_MAX_DIMS];
    int ndim = tg_index_shape(indexed, linear, shape), extra = ndim - value->ndim;
    bool fits = extra >= 0;
    if (value->dtype != x->dtype)
        return tg_fail("Index put requires the source and destination dtypes match, got %s for the destination and %s "
                       "for the source.",
                       tg_scalar_name(x->dtype), tg_scalar_name(value->dtype));
    for (int d = 0; fits && d < value->ndim; d++) fits = value->shape[d] == 1 || value->shape[d] == shape[d + extra];
    return fits ||
           tg_fail("shape mismatch: value tensor of shape %s cannot be broadcast to indexing result of shape %s",
                   tg_shape_of(value), tg_shape_text(shape, ndim));
}

/* x[mask] = value with one element, in setitem and in index_put_ without accumulate: PyTorch then calls
 * masked_fill_, which accepts a value of any dtype and any rank. */
static bool is_masked_fill(const Indices *at, const Tensor *value) {
    return at->count == 1 && at->index[0]->dtype == t_bool && tg_numel(value) == 1;
}

/* A Python number, or the one element of a masked fill, cast to x's dtype; NULL if it does not fit. */
static Tensor *cast_value(const Tensor *x, const Indices *at, Tensor *value) {
    if (!value->wrapped_number && !is_masked_fill(at, value)) return value;
    if (value->ndim) value = t_reshape(value, NULL, 0);
    return value ? cast_number(value, x->dtype) : NULL;
}

bool tg_set_indices(Tensor *x, const Indices *at, Tensor *value) {
    IndexedDims indexed;
    Tensor *linear = tg_linear_index(x, at, &indexed);
    const Op *op = write_op(at, value);
    /* in PyTorch x[True] = value is not a masked fill */
    if (linear && (value->wrapped_number || at->index[0]->ndim)) value = cast_value(x, at, value);
    if (linear && value) value = tg_without_leading_ones(value);
    return linear && value && check_value(x, linear, &indexed, value) &&
           tg_index_put_(x, linear, &indexed, value, false, op);
}

Tensor *tg_get_indices(Tensor *x, const Indices *at) {
    IndexedDims indexed;
    Tensor *linear = tg_linear_index(x, at, &indexed);
    return linear ? tg_index(x, linear, &indexed, &tg_index_op) : NULL;
}

/* ---- index_put ---- */

/* Each index tensor indexes the next dims of x. */
static bool read_indices(const Tensor *x, const t_TensorList *indices, Indices *at) {
    int dim = 0;
    if (indices->len == 0) return tg_fail("index_put_ needs at least one index");
    for (int64_t i = 0; i < indices->len; i++) {
        Tensor *index = tg_index_tensor(indices->items[i]);
        if (!index) return false;
        if (at->count < T_MAX_DIMS) {
            at->dim[at->count] = dim;
            at->index[at->count++] = index;
        }
        dim += index->dtype == t_bool && index->ndim ? index->ndim : 1;
    }
    if (dim <= x->ndim) return true;
    return tg_fail("too many indices for tensor of dimension %d (got %d)", x->ndim, dim);
}

static Tensor *index_put(Tensor *x, const t_TensorList *indices, Tensor *values, bool accumulate, bool inplace) {
    Indices at = {.count = 0};
    IndexedDims indexed;
    if (!tg_check_any(x, 1) || !tg_check_list(indices, 2) || !tg_check_any(values, 3) || !read_indices(x, indices, &at))
        return NULL;
    int depth = t_scope_open();
    Tensor *linear = depth ? tg_linear_index(x, &at, &indexed) : NULL, *y = NULL;
    if (linear && !accumulate) values = cast_value(x, &at, values);
    else if (linear && values->wrapped_number) values = cast_number(values, x->dtype);
    if (linear && values && check_value(x, linear, &indexed, values))
        y = (inplace ? tg_index_put_ : tg_index_put)(x, linear, &indexed, values, accumulate, &tg_index_put_op);
    if (!inplace) t_keep_object(y);
    t_scope_close(depth);
    return y;
}

/* x.index_put(indices, values, accumulate): x with x[indices] = values, or += values; one index tensor for each of
 * the first dims of x, as in x[i, j]: int64, or bool for as many dims as it has. values has x's dtype and broadcasts
 * to x[indices]; one element with a single bool index may have any dtype, as in masked_fill_, unless it is
 * accumulated. dx = dy, without accumulate 0 at the indices; dvalues = dy[indices], also if an index occurs twice. */
Tensor *t_index_put(Tensor *x, const t_TensorList *indices, Tensor *values, bool accumulate) {
    TG_COMPOSITE("index_put");
    return index_put(x, indices, values, accumulate, false);
}

/* x.index_put_(indices, values, accumulate): the same in place. */
Tensor *t_index_put_(Tensor *x, const t_TensorList *indices, Tensor *values, bool accumulate) {
    TG_COMPOSITE("index_put_");
    return index_put(x, indices, values, accumulate, true);
}
