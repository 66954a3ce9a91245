/* core/ops/take.c: elements of a tensor as if it were one vector, by their number (take, put) or by a mask (masked_select,
 * masked_scatter). */
#include "core/ops/advanced_indexing_internal.h"

#include <string.h>

/* Every dim of x indexed at once: a place is the number of an element in logical order. */
static Pick all_dims(const Tensor *x) {
    Pick how = {.count = x->ndim, .ndim = x->ndim};
    for (int d = 0; d < x->ndim; d++) how.dims[d] = d;
    memcpy(how.shape, x->shape, sizeof how.shape);
    return how;
}

/* ---- take, put ---- */

static const Op take_op = {"take", "TakeBackward0", tg_pick_backward};
static const Op put_op = {"put", "PutBackward0", tg_put_backward};

static bool check_numbers(const Tensor *x, Tensor *index, const char *op) {
    int64_t bad, size = tg_numel(x);
    if (index->dtype != t_int64)
        return tg_fail("%s(): Expected a long tensor for index, but got %s", op, tg_scalar_name(index->dtype));
    if (size == 0 && tg_numel(index))
        return tg_fail(*op == 't' ? "%s(): tried to take from an empty tensor"
                                  : "%s(): Tried to put elements into an empty tensor", op);
    if (!tg_find_bad_python_index(index, size, &bad)) return true;
    return tg_fail("out of range: tried to access index %lld on a tensor of %lld elements.", (long long)bad, (long long)size);
}

/* torch.take(x, index): the elements of x with those numbers, in index's shape; negative ones count from the end. dx = dy
 * added there. Errors: an index that is not int64, or out of range. */
Tensor *t_take(Tensor *x, Tensor *index) {
    if (!tg_check_two(x, index) || !check_numbers(x, index, "take")) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Pick how = all_dims(x);
    Tensor *places = tg_python_places(index, tg_numel(x));
    Tensor *y = places ? tg_pick(x, places, &how, &take_op) : NULL;
    return tg_close_keeping(depth, y);
}

static Tensor *put_elements(Tensor *x, Tensor *index, Tensor *source, bool accumulate, PutFunction *put) {
    if (!tg_check_three(x, index, source)) return NULL;
    if (index->dtype == t_int64 && x->dtype != source->dtype)
        return tg_fail("put_(): self and source expected to have the same dtype, but got self.dtype = %s and source.dtype = %s",
                       tg_scalar_name(x->dtype), tg_scalar_name(source->dtype));
    if (index->dtype == t_int64 && tg_numel(index) != tg_numel(source))
        return tg_fail("put_(): Expected source and index to have the same number of elements, but got source.numel() = %lld, "
                       "index.numel() = %lld", (long long)tg_numel(source), (long long)tg_numel(index));
    if (!check_numbers(x, index, "put_")) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Pick how = all_dims(x);
    Tensor *places = tg_python_places(index, tg_numel(x)), *value = t_reshape(source, index->shape, index->ndim);
    Tensor *y = places && value ? put(x, places, &how, value, accumulate, &put_op) : NULL;
    return tg_close_keeping(depth, y);
}

/* x.put(index, source, accumulate): x with source's elements at those numbers, or added to what stands there. dx = dy, without
 * accumulate 0 at them; dsource = dy there. Errors: as for take; sizes or dtypes differ. */
Tensor *t_put(Tensor *x, Tensor *index, Tensor *source, bool accumulate) {
    return put_elements(x, index, source, accumulate, tg_put);
}

/* x.put_(index, source, accumulate): the same in place. */
Tensor *t_put_(Tensor *x, Tensor *index, Tensor *source, bool accumulate) {
    return put_elements(x, index, source, accumulate, tg_put_);
}

/* ---- masked_select, masked_scatter ---- */

static const Op masked_select_op = {"masked_select", "MaskedSelectBackward0", tg_pick_backward};
static const Op masked_scatter_op = {"masked_scatter", "MaskedScatterBackward0", tg_put_backward};

/* torch.masked_select(x, mask): the elements where the mask holds, one behind the other; the two broadcast. dx = dy there.
 * Error: a mask that is not bool. */
Tensor *t_masked_select(Tensor *x, Tensor *mask) {
    int64_t shape[T_MAX_DIMS];
    int ndim;
    if (!tg_check_two(x, mask)) return NULL;
    if (mask->dtype != t_bool) return tg_fail("masked_select: expected BoolTensor for mask");
    if (!tg_broadcast_shape((Tensor *[]){mask, x}, 2, shape, &ndim)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *wide = tg_same_shape(x, mask) ? x : t_expand(x, shape, ndim), *y = NULL;
    Tensor *places = wide ? tg_true_places(t_expand(mask, shape, ndim)) : NULL;
    if (places) {
        Pick how = all_dims(wide);
        y = t_keep_object(tg_pick(wide, places, &how, &masked_select_op));
    }
    t_scope_close(depth);
    return y;
}

/* x at the true places of the mask, which has x's shape, replaced by the first elements of source. */
static Tensor *scatter_masked(Tensor *x, Tensor *mask, Tensor *source, PutFunction *put) {
    Tensor *places = x ? tg_true_places(mask) : NULL;
    if (!places) return NULL;
    if (tg_numel(source) < tg_numel(places)) return tg_fail("Number of elements of source < number of ones in mask");
    Pick how = all_dims(x);
    Tensor *row = t_reshape(source, (int64_t[]){-1}, 1);
    Tensor *value = row ? t_narrow(row, 0, 0, tg_numel(places)) : NULL;
    return value ? t_keep_object(put(x, places, &how, value, false, &masked_scatter_op)) : NULL;
}

static bool check_masked_scatter(Tensor *x, Tensor *mask, Tensor *source) {
    if (!tg_check_three(x, mask, source)) return false;
    if (mask->dtype != t_bool)
        return tg_fail("masked_scatter_ only supports boolean masks, but got mask with dtype %s", tg_scalar_name(mask->dtype));
    return x->dtype == source->dtype || tg_fail("masked_scatter: expected self and source to have same dtypes but got%s and %s",
                                                tg_scalar_name(x->dtype), tg_scalar_name(source->dtype));
}

/* x.masked_scatter(mask, source): x with the first elements of source, in order, where the mask holds; x and mask broadcast.
 * dx = dy, 0 where the mask holds; dsource = dy there, 0 for what was not used. Errors: a mask that is not bool, dtypes that
 * differ, a source with too few elements. */
Tensor *t_masked_scatter(Tensor *x, Tensor *mask, Tensor *source) {
    int64_t shape[T_MAX_DIMS];
    int ndim;
    if (!check_masked_scatter(x, mask, source) || !tg_broadcast_shape((Tensor *[]){mask, x}, 2, shape, &ndim)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *wide = tg_same_shape(x, mask) ? x : t_contiguous(t_expand(x, shape, ndim));
    Tensor *y = scatter_masked(wide, t_expand(mask, shape, ndim), source, tg_put);
    t_scope_close(depth);
    return y;
}

/* x.masked_scatter_(mask, source): the same in place; the mask broadcasts to x's shape. */
Tensor *t_masked_scatter_(Tensor *x, Tensor *mask, Tensor *source) {
    if (!check_masked_scatter(x, mask, source)) return NULL;
    int depth = t_scope_open();
    Tensor *wide = depth ? t_expand(mask, x->shape, x->ndim) : NULL;
    Tensor *y = wide ? scatter_masked(x, wide, source, tg_put_) : NULL;
    t_scope_close(depth);
    return y;
}
