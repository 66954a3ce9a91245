/* core/ops/shape/view_inplace.c: unsqueeze_, squeeze_, transpose_ and t_: they change the shape and strides of x
 * itself. */
#include "core/ops/shape/view_inplace_internal.h"

static void reshape_inplace_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = t_reshape(dy, r->edges[0].shape, r->edges[0].ndim);
}
static void transpose_inplace_backward(Record *r, Tensor *dy, Tensor **dx) {
    const int *dims = r->attributes;
    dx[0] = t_transpose(dy, dims[0], dims[1]);
}
static const Op unsqueeze_inplace_op = {"unsqueeze_", "UnsqueezeBackward1", reshape_inplace_backward};
static const Op squeeze_inplace_op = {"squeeze_", "SqueezeBackward3", reshape_inplace_backward};
static const Op squeeze_dim_inplace_op = {"squeeze_", "SqueezeBackward4", reshape_inplace_backward};
static const Op transpose_inplace_op = {"transpose_", "TransposeBackward1", transpose_inplace_backward};
static const Op t_inplace_op = {"t_", "TBackward1", transpose_inplace_backward};

Tensor *tg_set_view(Tensor *x, Tensor *view, const Op *op, const void *attributes, size_t bytes) {
    if (!view || !tg_materialize_copies(x) || !tg_check_new_history(x)) return NULL;
    /* x with the new shape; tg_attach_record reads the output's shape from it and puts the record there */
    Tensor changed = *x;
    changed.ndim = view->ndim;
    for (int d = 0; d < T_MAX_DIMS; d++) {
        changed.shape[d] = view->shape[d];
        changed.strides[d] = view->strides[d];
    }
    if (tg_will_record(&x, 1)) {
        tg_record_retain(x->record); /* tg_attach_record takes one reference from `changed` */
        if (!tg_attach_record(op, &changed, INPUTS(x), NONE, attributes, bytes)) {
            tg_record_release(x->record);
            return NULL;
        }
        tg_set_record(x, changed.record);
    }
    x->ndim = changed.ndim;
    x->offset = view->offset;
    for (int d = 0; d < T_MAX_DIMS; d++) {
        x->shape[d] = changed.shape[d];
        x->strides[d] = changed.strides[d];
    }
    tg_bump_version(x);
    return x;
}

/* Only the shape of the view is used: it is not recorded, and is released with the scope. */
typedef Tensor *View(Tensor *x, int64_t one, int64_t two);

static Tensor *reshape_inplace(Tensor *x, View *view, int64_t one, int64_t two, const Op *op, const int *dims) {
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *shape = view(x, one, two);
    t_set_grad_enabled(grad_enabled);
    Tensor *y = tg_set_view(x, shape, op, dims, dims ? 2 * sizeof *dims : 0);
    t_scope_close(depth);
    return y;
}

static Tensor *squeezed(Tensor *x, int64_t dim, int64_t unused) {
    (void)unused;
    return t_squeeze(x, dim);
}

static Tensor *unsqueezed(Tensor *x, int64_t dim, int64_t unused) {
    (void)unused;
    return t_unsqueeze(x, dim);
}

/* x.unsqueeze_(dim), x.squeeze_(dim) (T_NONE: all dims of size 1), x.transpose_(dim0, dim1), x.t_(): x itself gets
 * the shape of the view, and its version is incremented, so that a backward that saved x reports an error. Errors:
 * those of the op, and those of every in-place op (a leaf that requires grad). */
Tensor *t_unsqueeze_(Tensor *x, int64_t dim) {
    return tg_check_any(x, 1) ? reshape_inplace(x, unsqueezed, dim, 0, &unsqueeze_inplace_op, NULL) : NULL;
}

Tensor *t_squeeze_(Tensor *x, int64_t dim) {
    const Op *op = dim == T_NONE ? &squeeze_inplace_op : &squeeze_dim_inplace_op;
    return tg_check_any(x, 1) ? reshape_inplace(x, squeezed, dim, 0, op, NULL) : NULL;
}

Tensor *t_transpose_(Tensor *x, int64_t dim0, int64_t dim1) {
    int dims[2];
    if (!tg_check_any(x, 1) || !tg_wrap_dim(dim0, x->ndim, &dims[0]) || !tg_wrap_dim(dim1, x->ndim, &dims[1]))
        return NULL;
    return reshape_inplace(x, t_transpose, dims[0], dims[1], &transpose_inplace_op, dims);
}

Tensor *t_t_(Tensor *x) {
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim > 2) return tg_fail("t_() expects a tensor with <= 2 dimensions, but self is %dD", x->ndim);
    const int dims[2] = {0, x->ndim > 1};
    return reshape_inplace(x, t_transpose, 0, x->ndim > 1, &t_inplace_op, dims);
}
