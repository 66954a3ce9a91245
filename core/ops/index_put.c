/* core/ops/index_put.c: x[i, j] and x[i, j] = value with index tensors, by the places of advanced_indexing_internal.h. */
#include "core/ops/advanced_indexing_internal.h"

static const Op masked_put_op = {"masked_fill", "MaskedFillBackward0", tg_put_backward};

/* A number in x's dtype. */
static Tensor *fitted(Tensor *number, t_DType dtype) {
    return tg_check_value(number, dtype) ? t_to(number, dtype) : NULL;
}

/* ---- x[at], x[at] = value ---- */

static const Op *name_of_write(const Indices *at, const Tensor *value) {
    if (at->count != 1 || !value->wrapped_number) return &tg_index_put_op;
    return at->index[0]->dtype == t_bool ? &masked_put_op : &tg_index_fill_op;
}

static bool check_value(const Tensor *x, const Tensor *places, const Pick *how, const Tensor *value) {
    int64_t shape[T_MAX_DIMS];
    int ndim = tg_pick_shape(how, places, shape), extra = ndim - value->ndim;
    bool fits = extra >= 0;
    if (value->dtype != x->dtype)
        return tg_fail("Index put requires the source and destination dtypes match, got %s for the destination and %s for the "
                       "source.", tg_scalar_name(x->dtype), tg_scalar_name(value->dtype));
    for (int d = 0; fits && d < value->ndim; d++) fits = value->shape[d] == 1 || value->shape[d] == shape[d + extra];
    return fits || tg_fail("shape mismatch: value tensor of shape %s cannot be broadcast to indexing result of shape %s",
                           tg_shape_of(value), tg_shape_text(shape, ndim));
}

/* x[mask] = value with one element, in setitem and in index_put_ without accumulate: PyTorch then calls masked_fill_,
 * so that the value may have any dtype and any number of dims. */
static bool is_masked_fill(const Indices *at, const Tensor *value) {
    return at->count == 1 && at->index[0]->dtype == t_bool && tg_numel(value) == 1;
}

/* A Python number, or the one element of a masked fill, in x's dtype; NULL if it does not fit. */
static Tensor *fitted_value(const Tensor *x, const Indices *at, Tensor *value) {
    if (!value->wrapped_number && !is_masked_fill(at, value)) return value;
    if (value->ndim) value = t_reshape(value, NULL, 0);
    return value ? fitted(value, x->dtype) : NULL;
}

bool tg_set_indices(Tensor *x, const Indices *at, Tensor *value) {
    Pick how;
    Tensor *places = tg_places(x, at, &how);
    const Op *op = name_of_write(at, value);
    /* x[True] is no mask in PyTorch */
    if (places && (value->wrapped_number || at->index[0]->ndim)) value = fitted_value(x, at, value);
    if (places && value) value = tg_without_leading_ones(value);
    return places && value && check_value(x, places, &how, value) && tg_put_(x, places, &how, value, false, op);
}

Tensor *tg_at_indices(Tensor *x, const Indices *at) {
    Pick how;
    Tensor *places = tg_places(x, at, &how);
    return places ? tg_pick(x, places, &how, &tg_index_op) : NULL;
}

/* ---- index_put ---- */

/* Each index takes the next dims of x. */
static bool read_indices(const Tensor *x, const t_TensorList *indices, Indices *at) {
    int dim = 0;
    if (indices->len == 0) return tg_fail("index_put_ needs at least one index");
    for (int64_t i = 0; i < indices->len; i++) {
        Tensor *index = indices->items[i];
        if (tg_is_floating(index->dtype)) return tg_fail("tensors used as indices must be long, int, byte or bool tensors");
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
    Pick how;
    if (!tg_check(x, 1) || !tg_check_list(indices, 2) || !tg_check(values, 3) || !read_indices(x, indices, &at)) return NULL;
    int depth = t_scope_open();
    Tensor *places = depth ? tg_places(x, &at, &how) : NULL, *y = NULL;
    if (places && !accumulate) values = fitted_value(x, &at, values);
    else if (places && values->wrapped_number) values = fitted(values, x->dtype);
    if (places && values && check_value(x, places, &how, values))
        y = (inplace ? tg_put_ : tg_put)(x, places, &how, values, accumulate, &tg_index_put_op);
    if (!inplace) t_keep_object(y);
    t_scope_close(depth);
    return y;
}

/* x.index_put(indices, values, accumulate): x with x[indices] = values, or += values; one index tensor for each of x's first
 * dims, as in x[i, j], of int64 or (for as many dims as it has) bool. values has x's dtype and is broadcast to
 * x[indices]; one element at a single bool index may be of any dtype, as in masked_fill_, unless it is accumulated.
 * dx = dy, without accumulate 0 at the indices; dvalues = dy[indices], also where an index comes twice. */
Tensor *t_index_put(Tensor *x, const t_TensorList *indices, Tensor *values, bool accumulate) {
    return index_put(x, indices, values, accumulate, false);
}

/* x.index_put_(indices, values, accumulate): the same in place. */
Tensor *t_index_put_(Tensor *x, const t_TensorList *indices, Tensor *values, bool accumulate) {
    return index_put(x, indices, values, accumulate, true);
}
