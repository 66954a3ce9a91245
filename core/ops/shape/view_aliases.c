/* core/ops/shape/view_aliases.c: view_as, reshape_as, ravel, unflatten, mT, swapaxes, movedim, broadcast_to,
 * atleast_nd, squeeze of several dims: composed of the ops in view.c. The result is a view if that op gives one, and
 * the gradient is that of the op. */
#include <string.h>

#include "core/ops/pointwise/pointwise_internal.h"

/* ---- shapes ---- */

/* x.view_as(other), x.reshape_as(other): in the shape of other. */
Tensor *t_view_as(Tensor *x, Tensor *other) {
    return tg_check_any_two(x, other) ? t_view(x, other->shape, other->ndim) : NULL;
}

Tensor *t_reshape_as(Tensor *x, Tensor *other) {
    return tg_check_any_two(x, other) ? t_reshape(x, other->shape, other->ndim) : NULL;
}

/* x.ravel(): flattened to one dim, a view if x is contiguous. */
Tensor *t_ravel(Tensor *x) {
    if (!tg_check_any(x, 1)) return NULL;
    int64_t all = tg_numel(x);
    Tensor *whole = t_contiguous(x);
    return whole ? t_view(whole, &all, 1) : NULL;
}

/* Infers a size of -1; false with an error if the sizes do not multiply to that of the dim. */
static bool complete_sizes(const Tensor *x, int dim, const int64_t *sizes, int count, int64_t *complete) {
    const char *prefix = "unflatten got an unexpected error:\n";
    int64_t known = 1, size = x->shape[dim];
    int unknown = -1;
    for (int i = 0; i < count; i++) {
        complete[i] = sizes[i];
        if (sizes[i] < -1)
            return tg_fail("%sinvalid shape dimension %lld at index %d of shape %s", prefix, (long long)sizes[i], i,
                           tg_shape_text(sizes, count));
        if (sizes[i] >= 0 && __builtin_mul_overflow(known, sizes[i], &known))
            return tg_fail("numel: integer multiplication overflow");
        if (sizes[i] >= 0) continue;
        if (unknown >= 0) return tg_fail("%sonly one dimension can be inferred", prefix);
        unknown = i;
    }
    if (unknown >= 0 && known == 0 && size == 0)
        return tg_fail("%scannot reshape tensor of 0 elements into shape %s because the unspecified dimension size -1 "
                       "can be any value and is ambiguous",
                       prefix, tg_shape_text(sizes, count));
    if (unknown >= 0 && known > 0) complete[unknown] = size / known;
    if (tg_shape_numel(complete, count) == size) return true;
    return tg_fail("unflatten: Provided sizes %s don't multiply up to the size of dim %d (%lld) in the input tensor",
                   tg_shape_text(sizes, count), dim, (long long)size);
}

/* x.unflatten(dim, sizes): splits a dim into several whose sizes multiply to its size; one may be -1. Errors: sizes
 * that do not, no sizes; -1 together with 0. */
Tensor *t_unflatten(Tensor *x, int64_t dim, const int64_t *sizes, int count) {
    int64_t shape[2 * T_MAX_DIMS];
    int d;
    if (!tg_check_any(x, 1)) return NULL;
    if (count < 1) return tg_fail("unflatten: sizes must be non-empty");
    if (x->ndim == 0)
        return tg_fail("unflatten got an unexpected error:\nDimension specified as %lld but tensor has no dimensions",
                       (long long)dim);
    if (!tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    if (!tg_check_array(sizes, count, 3, "sizes")) return NULL;
    if (count > T_MAX_DIMS + 1 - x->ndim)
        return tg_fail("a tensor has at most %d dims, not %d", T_MAX_DIMS, x->ndim - 1 + count);
    if (!complete_sizes(x, d, sizes, count, shape + d)) return NULL;
    memcpy(shape, x->shape, (size_t)d * sizeof *shape);
    memcpy(shape + d + count, x->shape + d + 1, (size_t)(x->ndim - d - 1) * sizeof *shape);
    return t_view(x, shape, x->ndim - 1 + count);
}

/* ---- permutations ---- */

/* x.mT: the matrices in the last two dims transposed; a 0-dim tensor unchanged. */
Tensor *t_mT(Tensor *x) {
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim == 1) return tg_fail("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.");
    return x->ndim ? t_transpose(x, -2, -1) : x;
}

/* x.swapaxes(axis0, axis1), x.swapdims(dim0, dim1): x.transpose. */
Tensor *t_swapaxes(Tensor *x, int64_t axis0, int64_t axis1) {
    return t_transpose(x, axis0, axis1);
}

Tensor *t_swapdims(Tensor *x, int64_t dim0, int64_t dim1) {
    return t_transpose(x, dim0, dim1);
}

/* Wraps the dims and checks that each occurs once. */
static bool read_dims(const Tensor *x, const int64_t *dims, int count, const char *name, int *wrapped) {
    bool seen[T_MAX_DIMS + 1] = {false};
    for (int i = 0; i < count; i++)
        if (!tg_wrap_dim(dims[i], x->ndim, &wrapped[i])) return false;
    for (int i = 0; i < count; i++) {
        if (seen[wrapped[i]]) return tg_fail("movedim: repeated dim in `%s` (%s)", name, tg_shape_text(dims, count));
        seen[wrapped[i]] = true;
    }
    return true;
}

/* torch.movedim(x, source, destination): dim source[i] of x becomes dim destination[i]; the others keep their order. */
Tensor *t_movedim(Tensor *x, const int64_t *source, int sources, const int64_t *destination, int destinations) {
    int from[T_MAX_DIMS], to[T_MAX_DIMS];
    int64_t order[T_MAX_DIMS];
    bool taken[T_MAX_DIMS] = {false}, moved[T_MAX_DIMS] = {false};
    if (!tg_check_any(x, 1)) return NULL;
    if (!tg_check_array(source, sources, 2, "dims") || !tg_check_array(destination, destinations, 4, "dims"))
        return NULL;
    if (sources != destinations || sources > T_MAX_DIMS)
        return tg_fail("movedim: Invalid source or destination dims: source (%s dims) should contain the same number "
                       "of dims as destination (%s dims)",
                       tg_shape_text(source, sources), tg_shape_text(destination, destinations));
    if (!read_dims(x, source, sources, "source", from) || !read_dims(x, destination, sources, "destination", to))
        return NULL;
    if (x->ndim == 0) return tg_recorded_alias(x);
    for (int i = 0; i < sources; i++) {
        order[to[i]] = from[i];
        taken[to[i]] = moved[from[i]] = true;
    }
    for (int d = 0, next = 0; d < x->ndim; d++) {
        if (taken[d]) continue;
        while (moved[next]) next++;
        order[d] = next++;
    }
    return t_permute(x, order, x->ndim);
}

/* ---- broadcasting ---- */

/* torch.broadcast_to(x, shape): x.expand(shape). */
Tensor *t_broadcast_to(Tensor *x, const int64_t *size, int ndim) {
    return t_expand(x, size, ndim);
}

/* torch.broadcast_tensors(*tensors): each as a view in the common broadcast shape; a tensor that has it is returned
 * itself. */
t_TensorList *t_broadcast_tensors(const t_TensorList *tensors) {
    int64_t shape[T_MAX_DIMS];
    int ndim = 0;
    if (!tg_check_list(tensors, 1)) return NULL;
    if (!tg_broadcast_shape(tensors->items, (int)tensors->len, shape, &ndim)) return NULL;
    t_TensorList *list = t_list_new(NULL, 0);
    for (int64_t i = 0; list && i < tensors->len; i++) {
        Tensor *x = tensors->items[i];
        bool has_shape = x->ndim == ndim && memcmp(x->shape, shape, (size_t)ndim * sizeof *shape) == 0;
        if (!t_list_append(list, has_shape ? x : t_expand(x, shape, ndim))) return NULL;
    }
    return list;
}

/* torch.broadcast_shapes(*shapes): the shape that tensors of these shapes broadcast to, in *shape. False on an error:
 * sizes that do not fit, a negative one. */
bool t_broadcast_shapes(const t_Tuple *shapes, int count, t_Tuple *shape) {
    t_Tuple common = {.len = 0};
    if (!tg_check_array(shapes, count, 1, "shapes") || !tg_check_given(shape != NULL, 3, "where to put the shape"))
        return false;
    for (int i = 0; i < count; i++) {
        const int len = t_tuple_len_of_(&shapes[i]);
        if (len < 0 || len > T_MAX_DIMS + 1) return tg_fail("shape %d has %d sizes", i, len);
        if (len > common.len) common.len = len;
    }
    for (int d = 0; d < common.len; d++) common.items[d] = 1;
    for (int i = 0; i < count; i++) {
        const int len = t_tuple_len_of_(&shapes[i]);
        for (int from_end = 1; from_end <= len; from_end++) {
            const int64_t size = shapes[i].items[len - from_end];
            int64_t *is = &common.items[common.len - from_end];
            if (size < 0) return tg_fail("Attempting to broadcast a dimension with negative length!");
            if (size == 1 || size == *is) continue;
            if (*is != 1)
                return tg_fail("Attempting to broadcast a dimension of length %lld at %d! Mismatching argument at "
                               "index %d had %s; but expected shape should be broadcastable to %s",
                               (long long)size, -from_end, i, tg_shape_text(shapes[i].items, len),
                               tg_shape_text(common.items, common.len));
            *is = size;
        }
    }
    *shape = common;
    return true;
}

/* torch.atleast_1d(x), 2d, 3d: adds dims of size 1 to an x of lower rank: (n) becomes (1, n) and (1, n, 1), (m, n)
 * becomes (m, n, 1). */
static Tensor *at_least(Tensor *x, int ndim) {
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim >= ndim) return x;
    int depth = t_scope_open();
    if (!depth) return NULL;
    static const int64_t ones[] = {1, 1, 1};
    Tensor *y = x->ndim == 0 ? t_reshape(x, ones, ndim) : t_unsqueeze(x, x->ndim == 1 ? 0 : -1);
    if (y && x->ndim == 1 && ndim == 3) y = t_unsqueeze(y, -1);
    t_keep_object(y);
    t_scope_close(depth);
    return y;
}

Tensor *t_atleast_1d(Tensor *x) {
    return at_least(x, 1);
}

Tensor *t_atleast_2d(Tensor *x) {
    return at_least(x, 2);
}

Tensor *t_atleast_3d(Tensor *x) {
    return at_least(x, 3);
}

/* ---- several dims of size 1 ---- */

static void squeeze_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = t_reshape(dy, r->edges[0].shape, r->edges[0].ndim);
}
static const Op squeeze_dims_op = {"squeeze", "SqueezeBackward2", squeeze_backward};

/* x.squeeze(dims): drops those of the dims that have size 1. Error: a dim twice. */
Tensor *t_squeeze_dims(Tensor *x, const int64_t *dim, int count) {
    int64_t shape[T_MAX_DIMS], strides[T_MAX_DIMS];
    bool listed[T_MAX_DIMS] = {false};
    int ndim = 0, wrapped[T_MAX_DIMS];
    if (!tg_check_any(x, 1) || !tg_wrap_dims(dim, count, x->ndim, wrapped)) return NULL;
    for (int i = 0; i < count; i++) listed[wrapped[i]] = true;
    for (int d = 0; d < x->ndim; d++) {
        if (listed[d] && x->shape[d] == 1) continue;
        shape[ndim] = x->shape[d];
        strides[ndim++] = x->strides[d];
    }
    return tg_record(&squeeze_dims_op, tg_view(x, shape, strides, ndim, x->offset), INPUTS(x), NONE, NONE);
}
