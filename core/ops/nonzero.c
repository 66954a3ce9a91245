/* core/ops/nonzero.c: nonzero, argwhere, and the linear index of x[i, mask]. */
#include "core/ops/advanced_indexing_internal.h"

#include <stdio.h>
#include <string.h>

/* ---- nonzero ---- */

Tensor *tg_flat_nonzero(Tensor *x) {
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *truth = depth ? t_contiguous(t_to(x, t_bool)) : NULL, *y = NULL;
    Tensor *number = truth ? t_sum(truth, NULL, 0, false) : NULL;
    t_set_grad_enabled(grad_enabled);
    if (number) {
        const bool *at = tg_data(truth);
        int64_t count = tg_read_int64(number), found = 0;
        y = tg_empty(&count, 1, t_int64);
        for (int64_t i = 0, *out = y ? tg_data(y) : NULL; y && found < count; i++) {
            out[found] = i;
            found += at[i];
        }
    }
    t_keep_object(y);
    t_scope_close(depth);
    return y;
}

/* Linear indices to one row of indices each. */
static void unravel_index(const Tensor *x, const int64_t *linear, int64_t n, int64_t *row) {
    for (int64_t i = 0; i < n; i++, row += x->ndim)
        for (int64_t d = x->ndim - 1, rest = linear[i]; d >= 0; rest /= x->shape[d--]) row[d] = rest % x->shape[d];
}

/* torch.nonzero(x): (n, x.ndim) of int64, the indices of the n nonzero elements, in logical order. No gradient. */
Tensor *t_nonzero(Tensor *x) {
    if (!tg_check(x, 1)) return NULL;
    int depth = t_scope_open();
    Tensor *linear = depth ? tg_flat_nonzero(x) : NULL;
    Tensor *y = linear ? tg_empty((int64_t[]){linear->shape[0], x->ndim}, 2, t_int64) : NULL;
    if (y) unravel_index(x, tg_data(linear), linear->shape[0], tg_data(y));
    t_keep_object(y);
    t_scope_close(depth);
    return y;
}

/* torch.nonzero(x, as_tuple=True), torch.where(x): the same as a list of vectors, one for each dim (one for a 0-dim
 * x), which index x. */
t_TensorList *t_nonzero_tuple(Tensor *x) {
    if (!tg_check(x, 1)) return NULL;
    int depth = t_scope_open();
    Tensor *rows = depth ? t_nonzero(x->ndim ? x : t_unsqueeze(x, 0)) : NULL;
    t_TensorList *list = rows ? t_unbind(rows, 1) : NULL;
    return tg_scope_return(depth, list);
}

/* torch.argwhere(x): torch.nonzero(x). */
Tensor *t_argwhere(Tensor *x) {
    return t_nonzero(x);
}

/* ---- x[i, mask] ---- */

/* A mask as a vector of linear indices of its true elements; it must have the shape of the dims that it indexes. */
static Tensor *mask_to_index(const Tensor *x, Tensor *mask, int dim) {
    for (int d = 0; d < mask->ndim; d++)
        if (mask->shape[d] != x->shape[dim + d])
            return tg_fail("The shape of the mask %s at index %d does not match the shape of the indexed tensor %s at "
                           "index %d",
                           tg_shape_of(mask), d, tg_shape_of(x), dim + d);
    return tg_flat_nonzero(mask);
}

/* The number of index tensors that the i-th counts as in PyTorch's errors: a mask counts as one for each of its
 * dims. */
static int index_count(const Indices *at, int i) {
    return at->index[i]->dtype == t_bool && at->index[i]->ndim ? at->index[i]->ndim : 1;
}

/* The error lists the shapes of the index tensors: "[2], [3]". */
static Tensor *fail_broadcast(const Indices *at, Tensor *const *index) {
    char text[256] = "";
    size_t length = 0;
    for (int i = 0; i < at->count; i++)
        for (int times = index_count(at, i); times > 0 && length < sizeof text; times--)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", length ? ", " : "",
                                       tg_shape_of(index[i]));
    return tg_fail("shape mismatch: indexing tensors could not be broadcast together with shapes %s", text);
}

/* The indexed dims. If they are not adjacent, the dims of the index come first in the result. */
static void find_dims(const Tensor *x, const Indices *at, AdvancedIndex *how) {
    *how = (AdvancedIndex){.dims_before = at->dim[0], .ndim = x->ndim};
    memcpy(how->shape, x->shape, sizeof how->shape);
    for (int i = 0, next = at->dim[0]; i < at->count; i++) {
        if (at->dim[i] != next) how->dims_before = 0;
        next = at->dim[i] + (at->index[i]->dtype == t_bool ? at->index[i]->ndim : 1);
        for (int d = at->dim[i]; d < next; d++) how->dims[how->count++] = d;
    }
}

static bool check_bounds(const Tensor *x, const Indices *at, Tensor *const *index) {
    for (int i = 0, number = 0; i < at->count; i++) {
        bool is_mask = at->index[i]->dtype == t_bool;
        int64_t size = x->shape[at->dim[i]], bad;
        if (!is_mask && tg_find_bad_wrapped_index(index[i], size, &bad))
            return tg_fail_out_of_bounds(bad, number, size);
        number += index_count(at, i);
    }
    return true;
}

typedef struct IndexedDim {
    int64_t size, weight;
} IndexedDim;

static void add_index(int64_t n, char *const *p, const int64_t *s, const void *context) {
    const IndexedDim *indexed = context;
    for (int64_t i = 0; i < n; i++) {
        int64_t index = *(const int64_t *)(p[1] + i * s[1]);
        if (index < 0) index += indexed->size;
        *(uint64_t *)(p[0] + i * s[0]) += (uint64_t)index * (uint64_t)indexed->weight;
    }
}

Tensor *tg_wrapped_index(Tensor *index, int64_t size) {
    t_TensorOptions options = {.size = sizeof options, .dtype = t_int64};
    Tensor *linear = t_zeros(index->shape, index->ndim, &options);
    if (linear) tg_run(add_index, linear, &index, 1, 0, &(IndexedDim){size, 1});
    return linear;
}

/* The linear index: the sum of each index times the size of the indexed dims after it; a mask is one index over all
 * its dims. */
static void ravel_index(Tensor *linear, const Tensor *x, const Indices *at, Tensor *const *index) {
    int64_t weight = 1;
    for (int i = at->count - 1; i >= 0; i--) {
        int dims = at->index[i]->dtype == t_bool ? at->index[i]->ndim : 1;
        int64_t size = tg_shape_numel(x->shape + at->dim[i], dims);
        tg_run(add_index, linear, &index[i], 1, 0, &(IndexedDim){size, weight});
        weight *= size;
    }
}

Tensor *tg_linear_index(const Tensor *x, const Indices *at, AdvancedIndex *how) {
    Tensor *index[T_MAX_DIMS];
    int64_t shape[T_MAX_DIMS], result[T_MAX_DIMS];
    int ndim;
    for (int i = 0; i < at->count; i++) {
        index[i] = at->index[i]->dtype == t_bool ? mask_to_index(x, at->index[i], at->dim[i]) : at->index[i];
        if (!index[i]) return NULL;
    }
    if (!tg_broadcast_shape(index, at->count, shape, &ndim)) return fail_broadcast(at, index);
    find_dims(x, at, how);
    if (x->ndim - how->count + ndim > T_MAX_DIMS)
        return tg_fail("a tensor has at most %d dims, not %d", T_MAX_DIMS, x->ndim - how->count + ndim);
    t_TensorOptions options = {.size = sizeof options, .dtype = t_int64};
    Tensor *linear = t_zeros(shape, ndim, &options);
    for (int i = 0; linear && tg_numel(linear) && i < how->count; i++)
        if (x->shape[how->dims[i]] == 0) return tg_fail("index is out of bounds for dimension with size 0");
    /* nothing will be read: the bounds do not matter */
    if (!linear || tg_shape_numel(result, tg_index_shape(how, linear, result)) == 0) return linear;
    if (!check_bounds(x, at, index)) return NULL;
    ravel_index(linear, x, at, index);
    return linear;
}
