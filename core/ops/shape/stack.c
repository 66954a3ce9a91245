/* core/ops/shape/stack.c: hstack, vstack, dstack, column_stack, tile and repeat_interleave, composed of the ops in
 * cat.c, view.c and gather.c. */
#include <string.h>

#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/size_arithmetic.h"

/* ---- hstack, vstack, dstack, column_stack ---- */

typedef Tensor *Reshaped(Tensor *x);

/* torch.cat of reshaped(tensor) for each tensor; dim -1: the second dim, or the only dim of vectors. */
static Tensor *concatenate_reshaped(const t_TensorList *tensors, Reshaped *reshaped, int64_t dim, const char *name) {
    if (!tg_check_list(tensors, 1)) return NULL;
    if (tensors->len == 0) return tg_fail("%s expects a non-empty TensorList", name);
    int depth = t_scope_open();
    t_TensorList *list = depth ? t_list_new(NULL, 0) : NULL;
    for (int64_t i = 0; list && i < tensors->len; i++)
        if (!t_list_append(list, reshaped(tensors->items[i]))) list = NULL;
    if (list && dim < 0) dim = list->items[0]->ndim == 1 ? 0 : 1;
    Tensor *y = list ? t_cat(list, dim) : NULL;
    return tg_scope_return(depth, y);
}

static Tensor *as_column(Tensor *x) {
    return x->ndim > 1 ? x : t_reshape(x, (int64_t[]){tg_numel(x), 1}, 2);
}

/* torch.hstack(tensors), vstack, dstack: concatenate along the second (vectors: the only), first and third dim,
 * after adding dims of size 1 as needed. torch.column_stack(tensors): hstack, with vectors as columns. */
Tensor *t_hstack(const t_TensorList *tensors) {
    return concatenate_reshaped(tensors, t_atleast_1d, -1, "hstack");
}

Tensor *t_vstack(const t_TensorList *tensors) {
    TG_COMPOSITE("vstack");
    return concatenate_reshaped(tensors, t_atleast_2d, 0, "vstack");
}

Tensor *t_dstack(const t_TensorList *tensors) {
    TG_COMPOSITE("dstack");
    return concatenate_reshaped(tensors, t_atleast_3d, 2, "dstack");
}

Tensor *t_column_stack(const t_TensorList *tensors) {
    return concatenate_reshaped(tensors, as_column, 1, "column_stack");
}

/* ---- tile, repeat_interleave ---- */

/* torch.tile(x, dims): x.repeat(dims), with missing leading repeats 1. */
Tensor *t_tile(Tensor *x, const int64_t *dims, int count) {
    int64_t repeats[T_MAX_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};
    if (!tg_check_any(x, 1) || !tg_check_array(dims, count, 2, "dims")) return NULL;
    if (count >= x->ndim) return t_repeat(x, dims, count);
    if (count) memcpy(repeats + x->ndim - count, dims, (size_t)count * sizeof *dims);
    return t_repeat(x, repeats, x->ndim);
}

/* Repeats each index of dim d, by expanding a new dim d + 1 of that size; x must have fewer than T_MAX_DIMS dims. */
static Tensor *repeat_each(Tensor *x, int64_t times, int d) {
    int64_t shape[T_MAX_DIMS];
    if (times < 0) return tg_fail("Repeats must be non-negative");
    memcpy(shape, x->shape, sizeof x->shape);
    memmove(shape + d + 2, shape + d + 1, (size_t)(x->ndim - d - 1) * sizeof *shape);
    shape[d + 1] = times;
    Tensor *y = t_contiguous(t_expand(t_unsqueeze(x, d + 1), shape, x->ndim + 1));
    shape[d] = tg_size_mul(shape[d], times);
    memmove(shape + d + 1, shape + d + 2, (size_t)(x->ndim - d - 1) * sizeof *shape);
    return y ? t_view(y, shape, x->ndim) : NULL;
}

/* The vector with index i repeats[i] times. */
static Tensor *repeated_indices(Tensor *repeats, int64_t size) {
    int64_t total = 0;
    Tensor *each = t_contiguous(t_expand(repeats, &size, 1));
    const int64_t *times = each ? tg_data(each) : NULL;
    if (!each) return NULL;
    for (int64_t i = 0; i < size; i++) {
        if (times[i] < 0) return tg_fail("repeats can not be negative");
        if (__builtin_add_overflow(total, times[i], &total))
            return tg_fail("the sum of the repeats does not fit int64");
    }
    Tensor *indices = tg_empty(&total, 1, t_int64);
    int64_t *to = indices ? tg_data(indices) : NULL;
    for (int64_t i = 0; to && i < size; i++)
        for (int64_t j = 0; j < times[i]; j++) *to++ = i;
    return indices;
}

static Tensor *repeat_interleave(Tensor *x, Tensor *repeats, int64_t dim) {
    int d;
    if (dim == T_NONE && !(x = t_flatten(x, 0, -1))) return NULL;
    if (dim == T_NONE) dim = 0;
    if (x->ndim == 0) return tg_fail("Dimension specified as %lld but tensor has no dimensions", (long long)dim);
    if (!tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    if (repeats->wrapped_number && x->ndim < T_MAX_DIMS) return repeat_each(x, tg_read_int64(repeats), d);
    if (repeats->ndim > 1) return tg_fail("repeats must be 0-dim or 1-dim tensor");
    if (repeats->dtype == t_int32 && !(repeats = t_to(repeats, t_int64))) return NULL;
    if (repeats->dtype != t_int64) return tg_not_implemented("repeat_interleave_cpu", repeats->dtype);
    if (repeats->ndim && repeats->shape[0] != 1 && repeats->shape[0] != x->shape[d])
        return tg_fail("repeats must have the same size as input along dim, but got repeats.size(0) = %lld and "
                       "input.size(%d) = %lld", (long long)repeats->shape[0], d, (long long)x->shape[d]);
    Tensor *indices = repeated_indices(repeats, x->shape[d]);
    return indices ? t_index_select(x, d, indices) : NULL;
}

/* torch.repeat_interleave(x, repeats, dim): each index of dim repeated `repeats` times (a number, t_integer) or
 * repeats[i] times (int64 or int32); dim T_NONE: of the flattened x. dx = dy summed over the copies. Errors:
 * negative repeats, a vector of them whose size differs from the dim's, another dtype. */
Tensor *t_repeat_interleave(Tensor *x, Tensor *repeats, int64_t dim) {
    if (!tg_check_any_two(x, repeats)) return NULL;
    int depth = t_scope_open();
    Tensor *y = depth ? repeat_interleave(x, repeats, dim) : NULL;
    return tg_scope_return(depth, y);
}
