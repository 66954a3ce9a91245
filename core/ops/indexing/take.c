/* core/ops/indexing/take.c: take, put (elements of the flattened tensor by index), masked_select and masked_scatter. */
#include "core/ops/indexing/advanced_indexing_internal.h"

#include <string.h>

/* All dims of x are indexed at once: the linear index is the index into the flattened x. */
static IndexedDims all_dims(const Tensor *x) {
    IndexedDims indexed = {.count = x->ndim, .ndim = x->ndim};
    for (int d = 0; d < x->ndim; d++) indexed.dims[d] = d;
    memcpy(indexed.shape, x->shape, sizeof indexed.shape);
    return indexed;
}

/* ---- take, put ---- */

static const Op take_op = {"take", "TakeBackward0", tg_index_backward};
static const Op put_op = {"put", "PutBackward0", tg_index_put_backward};

static bool check_flat_index(const Tensor *x, Tensor *index, const char *op) {
    int64_t bad, size = tg_numel(x);
    if (index->dtype != t_int64)
        return tg_fail("%s(): Expected a long tensor for index, but got %s", op, tg_scalar_name(index->dtype));
    if (size == 0 && tg_numel(index))
        return tg_fail(*op == 't' ? "%s(): tried to take from an empty tensor"
                                  : "%s(): Tried to put elements into an empty tensor", op);
    if (!tg_find_bad_wrapped_index(index, size, &bad)) return true;
    return tg_fail("out of range: tried to access index %lld on a tensor of %lld elements.", (long long)bad,
                   (long long)size);
}

/* torch.take(x, index): the elements of the flattened x at index, in index's shape; negative indices count from the
 * end. dx = dy added at index. Errors: an index that is not int64, or out of range. */
Tensor *t_take(Tensor *x, Tensor *index) {
    if (!tg_check_any_two(x, index) || !check_flat_index(x, index, "take")) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    IndexedDims indexed = all_dims(x);
    Tensor *linear = tg_wrapped_index(index, tg_numel(x));
    Tensor *y = linear ? tg_index(x, linear, &indexed, &take_op) : NULL;
    return tg_scope_return(depth, y);
}

static Tensor *put_elements(Tensor *x, Tensor *index, Tensor *source, bool accumulate, IndexPutFunction *put) {
    if (!tg_check_any_three(x, index, source)) return NULL;
    if (index->dtype == t_int64 && x->dtype != source->dtype)
        return tg_fail("put_(): self and source expected to have the same dtype, but got self.dtype = %s and "
                       "source.dtype = %s",
                       tg_scalar_name(x->dtype), tg_scalar_name(source->dtype));
    if (index->dtype == t_int64 && tg_numel(index) != tg_numel(source))
        return tg_fail("put_(): Expected source and index to have the same number of elements, but got source.numel() "
                       "= %lld, index.numel() = %lld",
                       (long long)tg_numel(source), (long long)tg_numel(index));
    if (!check_flat_index(x, index, "put_")) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    IndexedDims indexed = all_dims(x);
    Tensor *linear = tg_wrapped_index(index, tg_numel(x)), *value = t_reshape(source, index->shape, index->ndim);
    Tensor *y = linear && value ? put(x, linear, &indexed, value, accumulate, &put_op) : NULL;
    return tg_scope_return(depth, y);
}

/* x.put(index, source, accumulate): x with the elements of source at index in the flattened x, or added there. dx =
 * dy, without accumulate 0 at index; dsource = dy at index. Errors: as for take; sizes or dtypes differ. */
Tensor *t_put(Tensor *x, Tensor *index, Tensor *source, bool accumulate) {
    return put_elements(x, index, source, accumulate, tg_index_put);
}

/* x.put_(index, source, accumulate): the same in place. */
Tensor *t_put_(Tensor *x, Tensor *index, Tensor *source, bool accumulate) {
    return put_elements(x, index, source, accumulate, tg_index_put_);
}

/* ---- masked_select, masked_scatter ---- */

static const Op masked_select_op = {"masked_select", "MaskedSelectBackward0", tg_index_backward};
static const Op masked_scatter_op = {"masked_scatter", "MaskedScatterBackward0", tg_index_put_backward};

/* torch.masked_select(x, mask): a vector of the elements where the mask is true; x and mask broadcast. dx = dy
 * there. Error: a mask that is not bool. */
Tensor *t_masked_select(Tensor *x, Tensor *mask) {
    TG_COMPOSITE("masked_select");
    int64_t shape[T_MAX_DIMS];
    int ndim;
    if (!tg_check_any_two(x, mask)) return NULL;
    if (mask->dtype != t_bool) return tg_fail("masked_select: expected BoolTensor for mask");
    if (!tg_broadcast_shape((Tensor *[]){mask, x}, 2, shape, &ndim)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *wide = tg_same_shape(x, mask) ? x : t_expand(x, shape, ndim), *y = NULL;
    Tensor *linear = wide ? tg_flat_nonzero(t_expand(mask, shape, ndim)) : NULL;
    if (linear) {
        IndexedDims indexed = all_dims(wide);
        y = t_keep_object(tg_index(wide, linear, &indexed, &masked_select_op));
    }
    t_scope_close(depth);
    return y;
}

/* x, of the mask's shape, with the elements where the mask is true replaced by the first elements of source. */
static Tensor *scatter_masked(Tensor *x, Tensor *mask, Tensor *source, IndexPutFunction *put) {
    Tensor *linear = x ? tg_flat_nonzero(mask) : NULL;
    if (!linear) return NULL;
    if (tg_numel(source) < tg_numel(linear)) return tg_fail("Number of elements of source < number of ones in mask");
    IndexedDims indexed = all_dims(x);
    Tensor *row = t_reshape(source, (int64_t[]){-1}, 1);
    Tensor *value = row ? t_narrow(row, 0, 0, tg_numel(linear)) : NULL;
    return value ? t_keep_object(put(x, linear, &indexed, value, false, &masked_scatter_op)) : NULL;
}

static bool check_masked_scatter(Tensor *x, Tensor *mask, Tensor *source) {
    if (!tg_check_any_three(x, mask, source)) return false;
    if (mask->dtype != t_bool)
        return tg_fail("masked_scatter_ only supports boolean masks, but got mask with dtype %s",
                       tg_scalar_name(mask->dtype));
    return x->dtype == source->dtype ||
           tg_fail("masked_scatter: expected self and source to have same dtypes but got%s and %s",
                   tg_scalar_name(x->dtype), tg_scalar_name(source->dtype));
}

/* x.masked_scatter(mask, source): x with the first elements of source, in order, where the mask is true; x and mask
 * broadcast. dx = dy, 0 where the mask is true; dsource = dy there, 0 for elements that were not used. Errors: a
 * mask that is not bool, dtypes that differ, a source with too few elements. */
Tensor *t_masked_scatter(Tensor *x, Tensor *mask, Tensor *source) {
    TG_COMPOSITE("masked_scatter");
    int64_t shape[T_MAX_DIMS];
    int ndim;
    if (!check_masked_scatter(x, mask, source) || !tg_broadcast_shape((Tensor *[]){mask, x}, 2, shape, &ndim))
        return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *wide = tg_same_shape(x, mask) ? x : t_contiguous(t_expand(x, shape, ndim));
    Tensor *y = scatter_masked(wide, t_expand(mask, shape, ndim), source, tg_index_put);
    t_scope_close(depth);
    return y;
}

/* x.masked_scatter_(mask, source): the same in place; the mask broadcasts to x's shape. */
Tensor *t_masked_scatter_(Tensor *x, Tensor *mask, Tensor *source) {
    TG_COMPOSITE("masked_scatter_");
    if (!check_masked_scatter(x, mask, source)) return NULL;
    int depth = t_scope_open();
    Tensor *wide = depth ? t_expand(mask, x->shape, x->ndim) : NULL;
    Tensor *y = wide ? scatter_masked(x, wide, source, tg_index_put_) : NULL;
    t_scope_close(depth);
    return y;
}
