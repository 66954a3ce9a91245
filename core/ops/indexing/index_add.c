/* core/ops/indexing/index_add.c: index_add, index_copy, index_fill: whole slices of x along one dim, selected by a
 * vector of indices. */
#include "core/ops/indexing/advanced_indexing_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Op index_add_op = {"index_add", "IndexAddBackward0", tg_index_put_backward};
static const Op index_copy_op = {"index_copy", "IndexCopyBackward0", tg_index_put_backward};
static const Op index_fill_tensor_op = {"index_fill", "IndexFillBackward1", tg_index_put_backward};

/* The slices of x along d; a 0-dim x has one, itself. */
static IndexedDims slices_along(const Tensor *x, int d) {
    IndexedDims slices = {.count = x->ndim > 0, .dims = {d}, .dims_before = d, .ndim = x->ndim};
    memcpy(slices.shape, x->shape, sizeof slices.shape);
    return slices;
}

static int64_t size_along(const Tensor *x, int d) {
    return x->ndim ? x->shape[d] : 1;
}

/* index as a vector, or for a 0-dim x as a 0-dim tensor. */
static Tensor *index_for(const Tensor *x, Tensor *index) {
    return t_view(index, (int64_t[]){tg_numel(index)}, x->ndim > 0);
}

/* ---- index_add ---- */

static bool check_add_shapes(const Tensor *x, const Tensor *source, int d) {
    bool same = x->ndim == source->ndim;
    for (int i = 0; same && i < x->ndim; i++) same = i == d || x->shape[i] == source->shape[i];
    return same || tg_fail("source tensor shape must match self tensor shape, excluding the specified dimension. Got "
                           "self.shape = %s source.shape = %s",
                           tg_shape_of(x), tg_shape_of(source));
}

static bool check_add(Tensor *x, int64_t dim, Tensor **given, Tensor *source, int *d) {
    int64_t bad;
    if (!tg_check_any(x, 1) || !tg_check_any(*given, 3) || !tg_check_any(source, 4) || !tg_wrap_dim(dim, x->ndim, d))
        return false;
    Tensor *index = *given = tg_index_as_int64(*given);
    if (!index) return false;
    if (index->ndim > 1)
        return tg_fail("index_add_(): Index is supposed to be a vector, but got dim: %d with type: %s and size: %s",
                       index->ndim, tg_scalar_name(index->dtype), tg_shape_of(index));
    if (index->dtype != t_int64)
        return tg_fail("index_add_(): Expected dtype int32/int64 for index but got: %s", tg_scalar_name(index->dtype));
    if (x->dtype != source->dtype)
        return tg_fail("index_add_(): self (%s) and source (%s) must have the same scalar type",
                       tg_scalar_name(x->dtype), tg_scalar_name(source->dtype));
    int64_t slices = source->ndim ? *d < source->ndim ? source->shape[*d] : 0 : 1;
    if (source->ndim == x->ndim && tg_numel(index) != slices)
        return tg_fail("index_add_(): Number of indices (%lld) should be equal to source.size(dim): (%lld), for dim: "
                       "%d",
                       (long long)tg_numel(index), (long long)slices, *d);
    if (!check_add_shapes(x, source, *d)) return false;
    int64_t size = size_along(x, *d);
    if (!tg_find_bad_index(index, size, NULL, &bad)) return true;
    return x->ndim > 1 ? tg_fail_out_of_bounds(bad, *d, size) : !!tg_fail("index out of range in self");
}

static Tensor *index_add(Tensor *x, int64_t dim, Tensor *index, Tensor *source, double alpha, IndexPutFunction *put) {
    int d;
    if (!check_add(x, dim, &index, source, &d) || !tg_check_scalar_fits(alpha, x->dtype)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    IndexedDims slices = slices_along(x, d);
    slices.makes_contiguous = true;
    Tensor *linear = index_for(x, index), *y = NULL;
    if (x->dtype == t_bool) source = alpha != 0 ? source : t_zeros_like(source);
    else if (alpha != 1) source = t_mul(source, tg_is_floating(x->dtype) ? t_number(alpha) : t_integer((int64_t)alpha));
    if (linear && source) y = put(x, linear, &slices, source, true, &index_add_op);
    return tg_scope_return(depth, y);
}

/* x.index_add(dim, index, source, alpha): x with alpha times the i-th slice of source added to slice index[i] along
 * dim, in order. index: a vector of int64 or int32. dx = dy; dsource = alpha times the slices of dy. Errors: sizes and
 * dtypes that do not match, an index out of range. */
Tensor *t_index_add(Tensor *x, int64_t dim, Tensor *index, Tensor *source, double alpha) {
    TG_COMPOSITE("index_add");
    return index_add(x, dim, index, source, alpha, tg_index_put);
}

/* x.index_add_(dim, index, source, alpha): the same in place. */
Tensor *t_index_add_(Tensor *x, int64_t dim, Tensor *index, Tensor *source, double alpha) {
    TG_COMPOSITE("index_add_");
    return index_add(x, dim, index, source, alpha, tg_index_put_);
}

/* ---- index_copy ---- */

/* The sizes of x except that of dim d, separated by spaces. */
static void slice_text(const Tensor *x, int d, char *text, size_t capacity) {
    size_t length = 0;
    *text = '\0';
    for (int i = 0; i < x->ndim && length < capacity; i++)
        if (i != d)
            length += (size_t)snprintf(text + length, capacity - length, length ? " %lld" : "%lld",
                                       (long long)x->shape[i]);
}

static bool check_copy_slices(const Tensor *x, const Tensor *source, int d) {
    char self_shape[T_MAX_DIMS * 21], source_shape[T_MAX_DIMS * 21];
    if (x->ndim && source->ndim && x->ndim != source->ndim)
        return tg_fail("index_copy_(): When source and destination are not scalars, their dimensionality must match. "
                       "Source dimensionality (%d), destination dimensionality (%d)",
                       source->ndim, x->ndim);
    slice_text(x, d, self_shape, sizeof self_shape);
    slice_text(source, d, source_shape, sizeof source_shape);
    return strcmp(self_shape, source_shape) == 0 ||
           tg_fail("index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: %s "
                   "at dimension %d and source slice shape: %s at dimension 0.",
                   self_shape, d, source_shape);
}

static bool check_copy(Tensor *x, int64_t dim, Tensor *index, Tensor *source, int *d) {
    int64_t bad, count;
    if (!tg_check_any(x, 1) || !tg_check_any(index, 3) || !tg_check_any(source, 4) || !tg_wrap_dim(dim, x->ndim, d))
        return false;
    count = tg_numel(index);
    if (index->ndim > 1) return tg_fail("index_copy_(): Index should have dimension 1 or 0 (got %d)", index->ndim);
    if (source->ndim == 0 && count != 1)
        return tg_fail("index_copy_(): When source is scalar, index should have one element (got %lld)",
                       (long long)count);
    if (index->dtype != t_int64)
        return tg_fail("index_copy_(): Expected a long tensor for index, but got %s", tg_scalar_name(index->dtype));
    if (x->dtype != source->dtype)
        return tg_fail("index_copy_(): self and source expected to have the same dtype, but got (self) %s and (source) "
                       "%s",
                       tg_scalar_name(x->dtype), tg_scalar_name(source->dtype));
    if (!check_copy_slices(x, source, *d)) return false;
    if (source->ndim && x->ndim && count != source->shape[*d])
        return tg_fail("index_copy_(): Number of indices (%lld) should be equal to source.size(dim) (%lld)",
                       (long long)count, (long long)source->shape[*d]);
    int64_t size = size_along(x, *d);
    return !tg_find_bad_index(index, size, NULL, &bad) ||
           tg_fail("index_copy_(): index %lld is out of bounds for dimension %d with size %lld", (long long)bad, *d,
                   (long long)size);
}

static Tensor *index_copy(Tensor *x, int64_t dim, Tensor *index, Tensor *source, IndexPutFunction *put) {
    int d;
    if (!check_copy(x, dim, index, source, &d)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    IndexedDims slices = slices_along(x, d);
    slices.makes_contiguous = true;
    Tensor *linear = index_for(x, index);
    if (x->ndim == 0 && source->ndim) source = t_reshape(source, NULL, 0);
    Tensor *y = linear && source ? put(x, linear, &slices, source, false, &index_copy_op) : NULL;
    return tg_scope_return(depth, y);
}

/* x.index_copy(dim, index, source): x with slice index[i] along dim replaced by the i-th of source; if an index
 * occurs twice the last slice is kept. dx = dy, 0 in those slices; dsource = the slices of dy. Errors: as for
 * index_add. */
Tensor *t_index_copy(Tensor *x, int64_t dim, Tensor *index, Tensor *source) {
    return index_copy(x, dim, index, source, tg_index_put);
}

/* x.index_copy_(dim, index, source): the same in place. */
Tensor *t_index_copy_(Tensor *x, int64_t dim, Tensor *index, Tensor *source) {
    return index_copy(x, dim, index, source, tg_index_put_);
}

/* ---- index_fill ---- */

static bool check_fill(Tensor *x, int64_t dim, Tensor *index, Tensor *value, int *d) {
    int64_t bad;
    if (!tg_check_any(x, 1) || !tg_check_any(index, 3) || !tg_check_any(value, 4) || !tg_wrap_dim(dim, x->ndim, d))
        return false;
    if (value->ndim)
        return tg_fail("index_fill_ only supports a 0-dimensional value tensor, but got tensor with %d dimension(s).",
                       value->ndim);
    if (index->dtype != t_int64) return tg_fail("index_fill_(): Expected dtype int64 for index.");
    if (index->ndim > 1) return tg_fail("Index has to be a vector/scalar");
    if (!tg_check_tensor_fits(value, x->dtype)) return false;
    int64_t size = size_along(x, *d);
    return !tg_find_bad_wrapped_index(index, size, &bad) || tg_fail_out_of_bounds(bad, *d, size);
}

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The indices as a vector without negative values. `unique`: each once, sorted; for a value with a gradient, so that
 * a slice whose index occurs twice contributes its gradient once. */
static Tensor *fill_index(Tensor *index, int64_t size, bool unique) {
    Tensor *linear = tg_wrapped_index(index, size);
    if (!linear) return NULL;
    int64_t *at = tg_data(linear), n = tg_numel(linear), count = unique ? 0 : n;
    if (unique) qsort(at, (size_t)n, sizeof *at, compare);
    for (int64_t i = count; i < n; i++)
        if (count == 0 || at[i] != at[count - 1]) at[count++] = at[i];
    Tensor *row = t_view(linear, (int64_t[]){n}, 1);
    return row ? t_narrow(row, 0, 0, count) : NULL;
}

static Tensor *index_fill(Tensor *x, int64_t dim, Tensor *index, Tensor *value, IndexPutFunction *put) {
    int d;
    if (!check_fill(x, dim, index, value, &d)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    IndexedDims slices = slices_along(x, d);
    const Op *op = value->wrapped_number ? &tg_index_fill_op : &index_fill_tensor_op;
    Tensor *linear = fill_index(index, size_along(x, d), value->requires_grad), *fitted = t_to(value, x->dtype);
    Tensor *y = linear && fitted ? put(x, linear, &slices, fitted, false, op) : NULL;
    return tg_scope_return(depth, y);
}

/* x.index_fill(dim, index, value): x with value in the slices along dim that the vector of indices selects; negative
 * ones count from the end. value: a number or a 0-dim tensor, cast to x's dtype. dx = dy, 0 in those slices; dvalue
 * = the sum of dy in them. */
Tensor *t_index_fill(Tensor *x, int64_t dim, Tensor *index, Tensor *value) {
    return index_fill(x, dim, index, value, tg_index_put);
}

/* x.index_fill_(dim, index, value): the same in place. */
Tensor *t_index_fill_(Tensor *x, int64_t dim, Tensor *index, Tensor *value) {
    return index_fill(x, dim, index, value, tg_index_put_);
}
