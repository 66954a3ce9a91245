/* core/ops/shape/as_strided.c: unfold and as_strided: views whose elements may overlap in memory. */
#include <string.h>

#include "core/ops/shape/scatter_internal.h"
#include "core/ops/shape/view_inplace_internal.h"
#include "core/tensor/size_arithmetic.h"

/* ---- unfold ---- */

typedef struct Windows {
    int dim, ndim;
    int64_t size, step, shape[T_MAX_DIMS]; /* shape: of x */
} Windows;

static Tensor *windows(Tensor *x, const Windows *w) {
    int64_t shape[T_MAX_DIMS + 1], strides[T_MAX_DIMS + 1], length = x->ndim ? x->shape[w->dim] : 1;
    int64_t stride = x->ndim ? x->strides[w->dim] : 1;
    memcpy(shape, x->shape, sizeof x->shape);
    memcpy(strides, x->strides, sizeof x->strides);
    if (x->ndim) {
        shape[w->dim] = (length - w->size) / w->step + 1;
        /* may overflow for a single window, where it is unused */
        strides[w->dim] = (int64_t)((uint64_t)stride * (uint64_t)w->step);
    }
    shape[x->ndim] = w->size;
    strides[x->ndim] = stride;
    return tg_view(x, shape, strides, x->ndim + 1, x->offset);
}

static Tensor *unfold(Tensor *x, const Windows *w);

/* dx: each element gets the sum of dy over the windows that contain it. Its own backward: unfold. */
static void unfold_backward_backward(Record *r, Tensor *ddy, Tensor **dx) {
    dx[0] = unfold(ddy, r->attributes);
}
static const Op unfold_backward_op = {"unfold_backward", "UnfoldBackward0Backward0", unfold_backward_backward};

static void unfold_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Windows *w = r->attributes;
    t_TensorOptions options = {.size = sizeof options, .dtype = dy->dtype};
    Tensor *base = t_zeros(w->shape, w->ndim, &options), *view = base ? windows(base, w) : NULL;
    if (!view) return;
    tg_add_into(view, dy);
    dx[0] = tg_record(&unfold_backward_op, base, INPUTS(dy), NONE, w, sizeof *w);
}
static const Op unfold_op = {"unfold", "UnfoldBackward0", unfold_backward};

static Tensor *unfold(Tensor *x, const Windows *w) {
    return tg_record(&unfold_op, windows(x, w), INPUTS(x), NONE, w, sizeof *w);
}

/* x.unfold(dim, size, step): all windows of that size along dim, `step` apart, as a view: y[..., i, ..., j] = x[...,
 * i step + j, ...], where j is a new last dim. Errors: size larger than the dim or negative, step below 1. */
Tensor *t_unfold(Tensor *x, int64_t dimension, int64_t size, int64_t step) {
    Windows w = {.size = size, .step = step};
    if (!tg_check_any(x, 1) || !tg_wrap_dim(dimension, x->ndim, &w.dim)) return NULL;
    int64_t length = x->ndim ? x->shape[w.dim] : 1;
    if (size < 0) return tg_fail("size is %lld but must be >= 0", (long long)size);
    if (size > length)
        return tg_fail("maximum size for tensor at dimension %d is %lld but size is %lld", w.dim, (long long)length,
                       (long long)size);
    if (step < 1) return tg_fail("step is %lld but must be > 0", (long long)step);
    if (step == 1 && length - size == INT64_MAX) return tg_fail("invalid size, possible overflow?");
    w.ndim = x->ndim;
    memcpy(w.shape, x->shape, sizeof w.shape);
    return unfold(x, &w);
}

/* ---- as_strided ----
 * x and y are two layouts of one storage; gradients go from one to the other through the shared elements. */

typedef struct Layout {
    int ndim;
    int64_t offset, shape[T_MAX_DIMS], strides[T_MAX_DIMS];
} Layout;
typedef struct Transfer {
    Layout from, to;
} Transfer;

static Layout layout_of(const Tensor *x) {
    Layout g = {.ndim = x->ndim, .offset = x->offset};
    memcpy(g.shape, x->shape, sizeof g.shape);
    memcpy(g.strides, x->strides, sizeof g.strides);
    return g;
}

/* The index after the last storage element of g. */
static int64_t storage_end(const Layout *g) {
    int64_t last = g->offset;
    for (int d = 0; d < g->ndim; d++) {
        if (g->shape[d] == 0) return g->offset;
        last += (g->shape[d] - 1) * g->strides[d];
    }
    return last + 1;
}

/* Adds the elements of x to a zeroed buffer at layout `from` and copies it out at layout `to`. Linear: its adjoint
 * swaps the two. */
static Tensor *transfer(Tensor *x, const Transfer *t);

static void transfer_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Transfer *t = r->attributes;
    dx[0] = transfer(dy, &(Transfer){t->to, t->from});
}
static const Op transfer_op = {"as_strided_backward", "AsStridedBackward0Backward0", transfer_backward};

static Tensor *transfer(Tensor *x, const Transfer *t) {
    int64_t from_end = storage_end(&t->from), to_end = storage_end(&t->to),
            numel = from_end > to_end ? from_end : to_end;
    int depth = t_scope_open();
    t_TensorOptions options = {.size = sizeof options, .dtype = x->dtype};
    Tensor *buffer = depth ? t_zeros(&numel, 1, &options) : NULL, *y = NULL;
    if (buffer) {
        Tensor *in = tg_view(buffer, t->from.shape, t->from.strides, t->from.ndim, t->from.offset);
        Tensor *out = in ? tg_view(buffer, t->to.shape, t->to.strides, t->to.ndim, t->to.offset) : NULL;
        y = out ? t_keep_object(tg_empty(out->shape, out->ndim, x->dtype)) : NULL;
        if (y) {
            tg_add_into(in, x);
            tg_copy_into(y, out);
        }
    }
    t_scope_close(depth);
    return tg_record(&transfer_op, y, INPUTS(x), NONE, t, sizeof *t);
}

/* dx: dy transferred from y's layout to x's; where several elements of x share a storage element (expand), it is
 * divided evenly. */
static void as_strided_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Transfer *t = r->attributes;
    Tensor layout = {.ndim = t->from.ndim};
    memcpy(layout.shape, t->from.shape, sizeof layout.shape);
    memcpy(layout.strides, t->from.strides, sizeof layout.strides);
    dx[0] = transfer(dy, &(Transfer){t->to, t->from});
    if (!dx[0] || !tg_overlaps_itself(&layout)) return;
    t_TensorOptions options = {.size = sizeof options, .dtype = dy->dtype};
    Tensor *ones = t_ones(t->from.shape, t->from.ndim, &options);
    dx[0] = ones ? t_div(dx[0], transfer(ones, &(Transfer){t->from, t->from})) : NULL;
}
static const Op as_strided_op = {"as_strided", "AsStridedBackward0", as_strided_backward};

static bool check_strided(const Tensor *x, const Layout *g) {
    int64_t last = g->offset, span = 1;
    for (int d = 0; d < g->ndim; d++)
        if (g->strides[d] < 0)
            return tg_fail("as_strided: Negative strides are not supported at the moment, got strides: %s",
                           tg_shape_text(g->strides, g->ndim));
    for (int d = 0; d < g->ndim; d++)
        if (g->shape[d] < 0)
            return tg_fail("Storage size calculation overflowed with sizes=%s and strides=%s",
                           tg_shape_text(g->shape, g->ndim), tg_shape_text(g->strides, g->ndim));
    if (g->offset < 0) return tg_fail("Tensor: invalid storage offset %lld", (long long)g->offset);
    for (int d = 0; d < g->ndim; d++) { /* INT64_MAX if it overflows */
        if (g->shape[d] == 0) return true;
        span = tg_size_add(span, tg_size_mul(g->shape[d] - 1, g->strides[d]));
    }
    const int64_t item = (int64_t)tg_itemsize(x->dtype), bytes = (int64_t)x->storage->bytes;
    const int64_t needed = tg_size_mul(tg_size_add(last, span), item);
    if (needed == INT64_MAX)
        return tg_fail("Storage size calculation overflowed with sizes=%s and strides=%s",
                       tg_shape_text(g->shape, g->ndim), tg_shape_text(g->strides, g->ndim));
    if (last <= bytes / item && span <= bytes / item - last) return true;
    return tg_fail("setStorage: sizes %s, strides %s, storage offset %lld, and itemsize %lld requiring a storage size "
                   "of %lld are out of bounds for storage of size %lld",
                   tg_shape_text(g->shape, g->ndim), tg_shape_text(g->strides, g->ndim), (long long)last,
                   (long long)item, (long long)needed, (long long)bytes);
}

/* The layouts of x and of the view; false with an error set. */
static bool layouts_of(Transfer *t, Tensor *x, const int64_t *size, int ndim, const int64_t *stride, int strides,
                       int64_t storage_offset) {
    if (ndim != strides) return tg_fail("mismatch in length of strides and shape");
    if (ndim > T_MAX_DIMS) return tg_fail("a tensor has at most %d dims, not %d", T_MAX_DIMS, ndim);
    *t = (Transfer){.from = layout_of(x),
                    .to = {.ndim = ndim, .offset = storage_offset == T_NONE ? x->offset : storage_offset}};
    for (int d = 0; d < ndim; d++) {
        t->to.shape[d] = size[d];
        t->to.strides[d] = stride[d];
    }
    return check_strided(x, &t->to);
}

/* torch.as_strided(x, size, stride, storage_offset): a view of x's storage with any sizes and strides;
 * storage_offset counts from the first element of the storage, T_NONE: that of x. dx = dy at the storage elements of
 * x. Errors: negative strides, elements outside the storage. */
Tensor *t_as_strided(Tensor *x, const int64_t *size, int ndim, const int64_t *stride, int strides,
                     int64_t storage_offset) {
    Transfer t;
    if (!tg_check_any(x, 1)) return NULL;
    if (!tg_check_array(size, ndim, 2, "sizes") || !tg_check_array(stride, strides, 4, "strides")) return NULL;
    if (!layouts_of(&t, x, size, ndim, stride, strides, storage_offset)) return NULL;
    Tensor *y = tg_view(x, t.to.shape, t.to.strides, ndim, t.to.offset);
    return tg_record(&as_strided_op, y, INPUTS(x), NONE, ATTRIBUTES(t));
}

static const Op as_strided_inplace_op = {"as_strided_", "AsStridedBackward1", as_strided_backward};

/* x.as_strided_(size, stride, storage_offset): x itself becomes that view. */
Tensor *t_as_strided_(Tensor *x, const int64_t *size, int ndim, const int64_t *stride, int strides,
                      int64_t storage_offset) {
    Transfer t;
    if (!tg_check_any(x, 1)) return NULL;
    if (!tg_check_array(size, ndim, 2, "sizes") || !tg_check_array(stride, strides, 4, "strides")) return NULL;
    if (!layouts_of(&t, x, size, ndim, stride, strides, storage_offset)) return NULL;
    int depth = t_scope_open();
    Tensor *view = depth ? tg_view(x, t.to.shape, t.to.strides, ndim, t.to.offset) : NULL;
    Tensor *y = tg_set_view(x, view, &as_strided_inplace_op, ATTRIBUTES(t));
    t_scope_close(depth);
    return y;
}

/* ---- as_strided_scatter ---- */

/* A copy of x's whole storage, seen with x's layout */
static Tensor *storage_copy(Tensor *x) {
    const int64_t count = (int64_t)(x->storage->bytes / tg_itemsize(x->dtype));
    Tensor *buffer = tg_empty(&count, 1, x->dtype);
    if (!buffer) return NULL;
    memcpy(tg_data(buffer), x->storage->data, (size_t)count * tg_itemsize(x->dtype));
    Tensor *y = tg_view(buffer, x->shape, x->strides, x->ndim, x->offset);
    return y ? tg_detach_from_base(y) : NULL;
}

/* dx = dy, 0 at the elements of the view; dsrc = dy at them. */
static void as_strided_scatter_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Transfer *t = r->attributes;
    if (tg_needs(r, 1)) dx[1] = transfer(dy, t);
    if (!tg_needs(r, 0)) return;
    t_TensorOptions options = {.size = sizeof options, .dtype = dy->dtype};
    Tensor *ones = t_ones(t->to.shape, t->to.ndim, &options);
    Tensor *hits = ones ? transfer(ones, &(Transfer){t->to, t->from}) : NULL;
    if (hits) dx[0] = t_masked_fill(dy, t_ne(hits, t_number(0)), t_number(0));
}
static const Op as_strided_scatter_op = {"as_strided_scatter", "AsStridedScatterBackward0",
                                         as_strided_scatter_backward};

/* torch.as_strided_scatter(x, src, size, stride, storage_offset): a copy of x with the elements of
 * x.as_strided(size, stride, storage_offset) replaced by src. (PyTorch 2.15 has dx exchanged: dy in the view, 0
 * elsewhere.) Errors: those of as_strided; a src of another shape. */
Tensor *t_as_strided_scatter(Tensor *x, Tensor *src, const int64_t *size, int ndim, const int64_t *stride, int strides,
                             int64_t storage_offset) {
    Transfer t;
    if (!tg_check_any_two(x, src)) return NULL;
    if (!tg_check_array(size, ndim, 3, "sizes") || !tg_check_array(stride, strides, 5, "strides")) return NULL;
    if (!layouts_of(&t, x, size, ndim, stride, strides, storage_offset)) return NULL;
    int depth = t_scope_open();
    Tensor *y = depth ? storage_copy(x) : NULL;
    Tensor *target = y ? tg_view(y, t.to.shape, t.to.strides, ndim, t.to.offset) : NULL;
    y = t_keep_object(tg_scatter_to_view(y, target, src));
    t_scope_close(depth);
    return y ? tg_record(&as_strided_scatter_op, y, INPUTS(x, src), NONE, ATTRIBUTES(t)) : NULL;
}
