/* core/ops/shape/view.c: view, reshape, flatten, transpose, permute, unsqueeze, squeeze and expand: other shapes and
 * strides over the same storage. view_aliases.c has the functions composed of these, view_inplace.c the in-place
 * forms. */
#include <string.h>

#include "core/ops/pointwise/pointwise_internal.h"
#include "core/ops/shape/shape_internal.h"
#include "core/tensor/size_arithmetic.h"

/* ---- alias ---- */

static void alias_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)r;
    dx[0] = dy;
}
static const Op alias_op = {"alias", "AliasBackward0", alias_backward};

Tensor *tg_recorded_alias(Tensor *x) {
    return tg_record(&alias_op, tg_view(x, x->shape, x->strides, x->ndim, x->offset), INPUTS(x), NONE, NONE);
}

/* ---- view, reshape, flatten ---- */

/* Infers a size of -1. Errors: two of them, or sizes that do not multiply to the number of elements. */
static bool complete_shape(const Tensor *x, const int64_t *shape, int ndim, int64_t *complete) {
    int64_t known = 1, numel = tg_numel(x);
    int unknown = -1;
    bool overflows = false;
    if (!tg_check_array(shape, ndim, 2, "sizes")) return false;
    if (ndim > T_MAX_DIMS) return tg_fail("a tensor has at most %d dims, not %d", T_MAX_DIMS, ndim);
    for (int d = 0; d < ndim; d++) {
        complete[d] = shape[d];
        if (shape[d] < -1)
            return tg_fail("invalid shape dimension %lld at index %d of shape %s", (long long)shape[d], d,
                           tg_shape_text(shape, ndim));
        if (shape[d] >= 0) {
            overflows = overflows || __builtin_mul_overflow(known, shape[d], &known);
        } else if (unknown >= 0) {
            return tg_fail("only one dimension can be inferred");
        } else {
            unknown = d;
        }
    }
    if (overflows && numel == 0) return tg_fail("numel: integer multiplication overflow");
    if (unknown >= 0 && known == 0 && numel == 0 && !overflows)
        return tg_fail("cannot reshape tensor of 0 elements into shape %s because the unspecified dimension size -1 "
                       "can be any value and is ambiguous",
                       tg_shape_text(shape, ndim));
    if (overflows || (unknown >= 0 ? known == 0 || numel % known : numel != known))
        return tg_fail("shape '%s' is invalid for input of size %lld", tg_shape_text(shape, ndim), (long long)numel);
    if (unknown >= 0) complete[unknown] = numel / known;
    return true;
}

/* The strides with which x has the given shape without a copy; false if there are none. Iterates over both shapes
 * from the end: a run of dims of x with contiguous strides relative to each other can be split arbitrarily. */
static bool view_strides(const Tensor *x, const int64_t *shape, int ndim, int64_t *strides) {
    if (tg_numel(x) == 0) {
        if (ndim == x->ndim && memcmp(shape, x->shape, (size_t)ndim * sizeof *shape) == 0)
            memcpy(strides, x->strides, (size_t)ndim * sizeof *strides);
        else tg_contiguous_strides(shape, ndim, strides);
        return true;
    }
    int to = ndim - 1;
    int64_t base = x->ndim ? x->strides[x->ndim - 1] : 1, run = 1, covered = 1;
    for (int d = x->ndim - 1; d >= 0; d--) {
        run *= x->shape[d];
        if (d > 0 && (x->shape[d - 1] == 1 || x->strides[d - 1] == run * base)) continue;
        for (; to >= 0 && (covered < run || shape[to] == 1); to--) {
            strides[to] = covered * base;
            covered *= shape[to];
        }
        if (covered != run) return false;
        if (d > 0) {
            base = x->strides[d - 1];
            run = covered = 1;
        }
    }
    for (; to >= 0; to--) strides[to] = covered * base; /* leading sizes of 1; all sizes of a 0-dim x */
    return true;
}

/* Without create_graph the result is cut from its base, so that it may become a grad itself: dy is released by then. */
static void view_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = t_reshape(dy, r->edges[0].shape, r->edges[0].ndim);
    if (!t_is_grad_enabled()) tg_detach_from_base(dx[0]);
}
static const Op view_op = {"view", "ViewBackward0", view_backward};
static const Op unsafe_view_op = {"view", "UnsafeViewBackward0", view_backward};

/* x.view(shape): the same elements in another shape, one size may be -1. dx = dy in x's shape. Errors: the wrong
 * number of elements; strides that need a copy for that shape. */
Tensor *t_view(Tensor *x, const int64_t *shape, int ndim) {
    int64_t complete[T_MAX_DIMS], strides[T_MAX_DIMS];
    if (!tg_check_any(x, 1) || !complete_shape(x, shape, ndim, complete)) return NULL;
    if (!view_strides(x, complete, ndim, strides))
        return tg_fail("view size is not compatible with input tensor's size and stride (at least one dimension spans "
                       "across two contiguous subspaces). Use .reshape(...) instead.");
    return tg_record(&view_op, tg_view(x, complete, strides, ndim, x->offset), INPUTS(x), NONE, NONE);
}

/* x.reshape(shape): a view if the strides allow it, else a contiguous copy. dx = dy in x's shape. */
Tensor *t_reshape(Tensor *x, const int64_t *shape, int ndim) {
    int64_t complete[T_MAX_DIMS], strides[T_MAX_DIMS];
    if (!tg_check_any(x, 1) || !complete_shape(x, shape, ndim, complete)) return NULL;
    if (view_strides(x, complete, ndim, strides)) return t_view(x, complete, ndim);
    Tensor *y = tg_empty(x->shape, x->ndim, x->dtype);
    if (!y) return NULL;
    tg_copy_into(y, x);
    memcpy(y->shape, complete, sizeof complete); /* new and contiguous: its shape can be changed directly */
    y->ndim = ndim;
    tg_contiguous_strides(complete, ndim, y->strides);
    return tg_record(&unsafe_view_op, y, INPUTS(x), NONE, NONE);
}

/* x.flatten(start_dim, end_dim): merges those dims into one. */
Tensor *t_flatten(Tensor *x, int64_t start_dim, int64_t end_dim) {
    int64_t shape[T_MAX_DIMS];
    int start, end, ndim = 0;
    if (!tg_check_any(x, 1) || !tg_wrap_dim(start_dim, x->ndim, &start) || !tg_wrap_dim(end_dim, x->ndim, &end))
        return NULL;
    if (start > end) return tg_fail("flatten() has invalid args: start_dim cannot come after end_dim");
    if (x->ndim == 0) return t_reshape(x, (int64_t[]){1}, 1);
    if (start == end) return x;
    for (int d = 0; d < x->ndim; d++)
        if (d > start && d <= end) shape[ndim - 1] *= x->shape[d];
        else shape[ndim++] = x->shape[d];
    return t_reshape(x, shape, ndim);
}

/* ---- transpose, permute ---- */

static Tensor *permuted(Tensor *x, const Dims *dims) {
    int64_t shape[T_MAX_DIMS], strides[T_MAX_DIMS];
    for (int d = 0; d < dims->count; d++) {
        shape[d] = x->shape[dims->dim[d]];
        strides[d] = x->strides[dims->dim[d]];
    }
    return tg_view(x, shape, strides, dims->count, x->offset);
}

static void transpose_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Dims *swapped = r->attributes;
    dx[0] = t_transpose(dy, swapped->dim[0], swapped->dim[1]);
}
static const Op transpose_op = {"transpose", "TransposeBackward0", transpose_backward};
static const Op t_op = {"t", "TBackward0", transpose_backward};

static Tensor *swap_dims(Tensor *x, int dim0, int dim1, const Op *op) {
    Dims dims = {.count = x->ndim}, swapped = {2, {dim0, dim1}};
    for (int d = 0; d < x->ndim; d++) dims.dim[d] = d == dim0 ? dim1 : d == dim1 ? dim0 : d;
    return tg_record(op, permuted(x, &dims), INPUTS(x), NONE, ATTRIBUTES(swapped));
}

/* x.transpose(dim0, dim1): a view with the two dims swapped. dx = dy with them swapped. */
Tensor *t_transpose(Tensor *x, int64_t dim0, int64_t dim1) {
    int a, b;
    if (!tg_check_any(x, 1) || !tg_wrap_dim(dim0, x->ndim, &a) || !tg_wrap_dim(dim1, x->ndim, &b)) return NULL;
    return swap_dims(x, a, b, &transpose_op);
}

/* x.t(): a matrix transposed; a vector or a 0-dim tensor unchanged. */
Tensor *t_t(Tensor *x) {
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim > 2) return tg_fail("t() expects a tensor with <= 2 dimensions, but self is %dD", x->ndim);
    return swap_dims(x, 0, x->ndim > 1, &t_op);
}

/* x.permute(dims): dim i of the view is dims[i] of x. dx = dy with the inverse permutation. Errors: the wrong number
 * of dims, one out of range or twice. */
static void permute_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Dims *dims = r->attributes;
    int64_t inverse[T_MAX_DIMS];
    for (int d = 0; d < dims->count; d++) inverse[dims->dim[d]] = d;
    dx[0] = t_permute(dy, inverse, dims->count);
}
static const Op permute_op = {"permute", "PermuteBackward0", permute_backward};

Tensor *t_permute(Tensor *x, const int64_t *dims, int ndim) {
    Dims order = {.count = ndim};
    bool seen[T_MAX_DIMS] = {false};
    if (!tg_check_any(x, 1) || !tg_check_array(dims, ndim, 2, "dims")) return NULL;
    if (ndim != x->ndim)
        return tg_fail("permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
                       "desired ordering of dimensions i.e. input.dim() = %d is not equal to len(dims) = %d",
                       x->ndim, ndim);
    for (int d = 0; d < ndim; d++) {
        if (!tg_wrap_dim(dims[d], x->ndim, &order.dim[d])) return NULL;
        if (seen[order.dim[d]]) return tg_fail("permute(): duplicate dims are not allowed.");
        seen[order.dim[d]] = true;
    }
    return tg_record(&permute_op, permuted(x, &order), INPUTS(x), NONE, ATTRIBUTES(order));
}

/* ---- unsqueeze, squeeze ---- */

static void unsqueeze_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = t_squeeze(dy, *(int64_t *)r->attributes);
}
static const Op unsqueeze_op = {"unsqueeze", "UnsqueezeBackward0", unsqueeze_backward};

/* x.unsqueeze(dim): inserts a dim of size 1 before dim `dim` of x (-1: at the end). */
Tensor *t_unsqueeze(Tensor *x, int64_t dim) {
    int64_t shape[T_MAX_DIMS + 1], strides[T_MAX_DIMS + 1];
    int at;
    if (!tg_check_any(x, 1) || !tg_wrap_dim(dim, x->ndim + 1, &at)) return NULL;
    for (int d = 0; d < x->ndim; d++) {
        shape[d + (d >= at)] = x->shape[d];
        strides[d + (d >= at)] = x->strides[d];
    }
    shape[at] = 1;
    strides[at] = at < x->ndim ? tg_size_mul(x->shape[at], x->strides[at]) : 1;
    int64_t where = at;
    return tg_record(&unsqueeze_op, tg_view(x, shape, strides, x->ndim + 1, x->offset), INPUTS(x), NONE,
                     ATTRIBUTES(where));
}

static const Op squeeze_op = {"squeeze", "SqueezeBackward0", view_backward};
static const Op squeeze_dim_op = {"squeeze", "SqueezeBackward1", view_backward};

/* x.squeeze(dim): drops that dim if its size is 1; dim T_NONE: all dims of size 1. */
Tensor *t_squeeze(Tensor *x, int64_t dim) {
    int64_t shape[T_MAX_DIMS], strides[T_MAX_DIMS];
    int only = -1, ndim = 0;
    if (!tg_check_any(x, 1) || (dim != T_NONE && !tg_wrap_dim(dim, x->ndim, &only))) return NULL;
    for (int d = 0; d < x->ndim; d++) {
        if (x->shape[d] == 1 && (dim == T_NONE || d == only)) continue;
        shape[ndim] = x->shape[d];
        strides[ndim++] = x->strides[d];
    }
    Tensor *y = tg_view(x, shape, strides, ndim, x->offset);
    return tg_record(dim == T_NONE ? &squeeze_op : &squeeze_dim_op, y, INPUTS(x), NONE, NONE);
}

/* ---- expand ---- */

/* x.expand(shape): dims of size 1 expanded without a copy (stride 0), new leading dims; -1 keeps a size. dx = the
 * sum of dy over the expanded dims, which the tape computes. */
static void expand_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)r;
    dx[0] = dy;
}
static const Op expand_op = {"expand", "ExpandBackward0", expand_backward};

Tensor *t_expand(Tensor *x, const int64_t *size, int ndim) {
    int64_t sizes[T_MAX_DIMS], strides[T_MAX_DIMS];
    if (!tg_check_any(x, 1) || !tg_check_array(size, ndim, 2, "sizes")) return NULL;
    if (ndim > T_MAX_DIMS) return tg_fail("a tensor has at most %d dims, not %d", T_MAX_DIMS, ndim);
    if (ndim < x->ndim)
        return tg_fail("expand(torch.%sTensor{%s}, size=%s): the number of sizes provided (%d) must be greater or "
                       "equal to the number of dimensions in the tensor (%d)",
                       tg_scalar_name(x->dtype), tg_shape_of(x), tg_shape_text(size, ndim), ndim, x->ndim);
    for (int d = ndim - 1, extra = ndim - x->ndim; d >= 0; d--) { /* from the last dim, as PyTorch, for its errors */
        int64_t x_size = d < extra ? 1 : x->shape[d - extra];
        sizes[d] = size[d] == -1 && d >= extra ? x_size : size[d];
        if (sizes[d] < 0)
            return tg_fail("The expanded size of the tensor (%lld) isn't allowed in a leading, non-existing dimension "
                           "%d",
                           (long long)size[d], d);
        if (x_size != 1 && x_size != sizes[d])
            return tg_fail("The expanded size of the tensor (%lld) must match the existing size (%lld) at "
                           "non-singleton dimension %d.  Target sizes: %s.  Tensor sizes: %s",
                           (long long)sizes[d], (long long)x_size, d, tg_shape_text(size, ndim), tg_shape_of(x));
        strides[d] = x_size == 1 && sizes[d] != 1 ? 0 : d < extra ? 0 : x->strides[d - extra];
    }
    return tg_record(&expand_op, tg_view(x, sizes, strides, ndim, x->offset), INPUTS(x), NONE, NONE);
}

/* x.expand_as(other): x.expand(other.size()). */
Tensor *t_expand_as(Tensor *x, Tensor *other) {
    return tg_check_any(other, 2) ? t_expand(x, other->shape, other->ndim) : NULL;
}
