/* core/ops/indexing/indexing.c: t_at and t_set: Python's indexing, written as text: t_at(x, "0, :10, ::2") is x[0, :10,
 * ::2].
 *
 * The text is parsed into a list of items (index_parser.c), which are applied from left to right with t_select,
 * t_slice and t_unsqueeze: so the result is a view, and the gradient is theirs. Masks and index tensors are
 * collected meanwhile; the view is then read or written at these indices (index_put.c). */
#include "core/ops/indexing/advanced_indexing_internal.h"
#include "core/ops/indexing/index_parser_internal.h"
#include "core/ops/ops.h"

/* ---- applying the items ---- */

/* Whether x has as many dims as the index needs. A 0-dim tensor has none: only "..." and None are valid for it. */
static bool check_dims(const Tensor *x, const Index *index) {
    if (index->dims <= x->ndim) return true;
    if (x->ndim > 0 || index->is_tuple) return tg_fail("too many indices for tensor of dimension %d", x->ndim);
    const Item *item = &index->items[0];
    if (item->kind == SLICE) return tg_fail("slice() cannot be applied to a 0-dim tensor.");
    if (item->start) return tg_fail("index %lld is out of bounds for dimension 0 with size 0", (long long)item->start);
    return tg_fail("invalid index of a 0-dim tensor. Use t_item(x) to convert a 0-dim tensor to a number");
}

/* position: the number of the item in the index, which PyTorch's errors call the dimension. */
static Tensor *apply_integer(Tensor *x, int dim, int64_t i, int position) {
    int64_t size = x->shape[dim];
    if (i >= -size && i < size) return t_select(x, dim, i);
    return tg_fail("index %lld is out of bounds for dimension %d with size %lld", (long long)i, position,
                   (long long)size);
}

static bool takes_all(const Item *item, int64_t size) {
    return item->start == 0 && item->stop >= size && item->step == 1;
}

static Tensor *apply_slice(Tensor *x, int dim, const Item *item) {
    int64_t stop = item->stop == T_NONE ? T_NONE + 1 : item->stop, step = item->step, unused;
    if (__builtin_mul_overflow(x->strides[dim], step, &unused)) step = x->shape[dim] + 1; /* one element at most */
    return t_slice(x, dim, item->start, stop, step);
}

/* Collects an index tensor and moves *dim past the dims that it indexes. A 0-dim bool indexes a new dim of size 1,
 * with the index 0 or with none. */
static Tensor *collect_index(Tensor *x, Indices *indices, int *dim, Tensor *index) {
    if (indices->count == T_MAX_DIMS) return tg_fail("an index has at most %d tensors", T_MAX_DIMS);
    if (index->dtype == t_bool && index->ndim == 0) {
        t_TensorOptions options = {.size = sizeof options, .dtype = t_int64};
        x = t_unsqueeze(x, *dim);
        index = t_zeros((int64_t[]){tg_read_int64(index)}, 1, &options);
    }
    if (!x || !index) return NULL;
    indices->dim[indices->count] = *dim;
    indices->index[indices->count++] = index;
    *dim += index->dtype == t_bool ? index->ndim : 1;
    return x;
}

/* The view of x that integers, slices and None give, with the index tensors collected; x itself if there is nothing
 * to apply. With `every_slice`, a slice over a whole dim is not skipped. */
static Tensor *apply_items(Tensor *x, const Index *index, bool every_slice, Indices *indices) {
    indices->count = 0;
    if (!check_dims(x, index)) return NULL;
    int dim = 0, free_dims = x->ndim - index->dims;
    for (int i = 0; x && i < index->len; i++) {
        const Item *item = &index->items[i];
        switch (item->kind) {
        case INTEGER: x = apply_integer(x, dim, item->start, i); break;
        case SLICE:
            if (every_slice || !takes_all(item, x->shape[dim])) x = apply_slice(x, dim, item);
            dim++;
            break;
        case ELLIPSIS: dim += free_dims; break;
        case NEW_DIM: x = t_unsqueeze(x, dim++); break;
        case TENSOR: x = collect_index(x, indices, &dim, item->tensor); break;
        }
    }
    return x;
}

/* ---- public ---- */

/* The values of {} as index values. */
static bool to_values(Tensor *const *tensors, int count, t_IndexValue_ *values) {
    if (count > 0 && !tensors) return tg_fail("argument 3 is NULL where the values of {} are expected");
    if (count > MAX_ITEMS) return tg_fail("at most %d values for {}, not %d", MAX_ITEMS, count);
    for (int i = 0; i < count; i++) values[i] = (t_IndexValue_){.tensor = tensors[i]};
    return true;
}

/* t_at with numbers among the values, as the macro t_at calls it. */
Tensor *t_at_of_(Tensor *x, const char *index, const t_IndexValue_ *values, int count) {
    Index items;
    Indices indices;
    int scope = tg_check_any(x, 1) ? t_scope_open() : 0;
    if (!scope) return NULL;
    bool parsed = tg_parse_index(index, values, count, &items);
    Tensor *y = parsed ? apply_items(x, &items, !items.is_tuple, &indices) : NULL;
    if (y) y = indices.count ? tg_get_indices(y, &indices) : y == x ? tg_recorded_alias(x) : y;
    t_keep_object(y);
    t_scope_close(scope);
    return y;
}

/* x[index].
 * index: items separated by commas, each for one dim of x: an integer (-1 is the last; the dim is dropped), a slice
 * start:stop:step with any part omitted, "..." for all dims in between, None for a new dim of size 1; a list "[0,
 * 2]" or a tensor of int64, whose dims replace the dim; a bool mask, for as many dims as it has; True, False. {}
 * takes the next of values[0..count-1], a tensor or a number (t_integer): t_at(pe, ":, :{}", &n, 1). Several
 * index tensors are broadcast together, and their dims are at the position of the first of them, or come first where
 * there are other dims between them.
 * Without lists and tensors the result is a view of x, and dx = dy in that view, 0 elsewhere; with them it is a
 * copy, and dx = dy added at the indices. A 0-dim tensor of int64 counts as an integer.
 * Errors: a syntax error, with a caret under it; too few or too many values; PyTorch's IndexErrors.
 * Differences from PyTorch: a list in a list is always an index of rank 2; a second "..." is refused; the rank must
 * not exceed 8, also of intermediate views. */
Tensor *t_at(Tensor *x, const char *index, Tensor *const *values, int count) {
    t_IndexValue_ given[MAX_ITEMS];
    return to_values(values, count, given) ? t_at_of_(x, index, given, count) : NULL;
}

/* value without its leading dims of size 1, which an assignment ignores. */
Tensor *tg_without_leading_ones(Tensor *value) {
    int ones = 0;
    while (ones < value->ndim && value->shape[ones] == 1) ones++;
    return ones ? t_view(value, value->shape + ones, value->ndim - ones) : value;
}

static bool set_view(Tensor *view, Tensor *value) {
    if (value->wrapped_number && !tg_check_tensor_fits(value, view->dtype)) return false;
    if (!tg_same_shape(view, value)) value = tg_without_leading_ones(value);
    Tensor *expanded = value ? t_expand(value, view->shape, view->ndim) : NULL;
    return expanded && t_copy_(view, expanded);
}

/* t_set with numbers among the values, as the macro t_set calls it. */
bool t_set_of_(Tensor *x, const char *index, const t_IndexValue_ *values, int count, Tensor *value) {
    Index items;
    Indices indices;
    int scope = tg_check_any(x, 1) && tg_check_any(value, 5) ? t_scope_open() : 0;
    if (!scope) return false;
    bool parsed = tg_parse_index(index, values, count, &items);
    Tensor *view = parsed ? apply_items(x, &items, false, &indices) : NULL;
    bool ok = view && (indices.count ? tg_set_indices(view, &indices, value) : set_view(view, value));
    t_scope_close(scope);
    return ok;
}

/* x[index] = value, with the index of t_at. value is broadcast to the shape of x[index] (if the shapes differ,
 * leading dims of size 1 are dropped first) and cast to x's dtype; with lists and tensors in the index it must have
 * x's dtype, unless it is a number, or has one element and the index is a bool mask. In place: the gradient at the
 * indices goes to value. If an index occurs twice the last value is kept (and each gets the gradient of that
 * element, as in PyTorch).
 * Errors: those of t_at and t_copy_. Returns false on error, with x unchanged. */
bool t_set(Tensor *x, const char *index, Tensor *const *values, int count, Tensor *value) {
    t_IndexValue_ given[MAX_ITEMS];
    return to_values(values, count, given) && t_set_of_(x, index, given, count, value);
}
