/* core/ops/shape/diagonal.c: diagonal, diag_embed, diag, diagflat and trace. */
#include <string.h>

#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/size_arithmetic.h"

/* Which diagonal, and the rank and shape of the tensor with it. */
typedef struct Diagonal {
    int dim1, dim2, ndim;
    int64_t offset, shape[T_MAX_DIMS];
} Diagonal;

/* The view of the elements (i, i + offset) of the two dims, or (i - offset, i) below the main diagonal. */
static Tensor *diagonal_view(Tensor *x, const Diagonal *d) {
    int64_t shape[T_MAX_DIMS], strides[T_MAX_DIMS], stride1 = x->strides[d->dim1], stride2 = x->strides[d->dim2];
    int64_t right = d->offset > 0 ? d->offset : 0, down = d->offset < 0 ? tg_size_sub(0, d->offset) : 0;
    int64_t rows = x->shape[d->dim1] - down, columns = x->shape[d->dim2] - right,
            length = rows < columns ? rows : columns;
    int ndim = 0;
    for (int i = 0; i < x->ndim; i++) {
        if (i == d->dim1 || i == d->dim2) continue;
        shape[ndim] = x->shape[i];
        strides[ndim++] = x->strides[i];
    }
    shape[ndim] = length > 0 ? length : 0;
    strides[ndim++] = tg_size_add(stride1, stride2);
    int64_t offset = x->offset;
    if (length > 0) offset = right ? tg_offset_at(x, d->dim2, right) : tg_offset_at(x, d->dim1, down);
    return tg_view(x, shape, strides, ndim, offset);
}

/* ---- backward: dy on the diagonal of zeros; its own backward: the diagonal again ---- */

static Tensor *take_diagonal(Tensor *x, const Diagonal *d);

static void embed_gradient_backward(Record *r, Tensor *ddy, Tensor **dx) {
    dx[0] = take_diagonal(ddy, r->attributes);
}
static const Op embed_gradient_op = {"diagonal_backward", "DiagonalBackward0Backward0", embed_gradient_backward};

static Tensor *embed_gradient(Tensor *dy, const Diagonal *d) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dy ? dy->dtype : 0};
    Tensor *matrix = dy ? t_zeros(d->shape, d->ndim, &options) : NULL, *view = matrix ? diagonal_view(matrix, d) : NULL;
    if (!view) return NULL;
    tg_copy_into(view, dy);
    return tg_record(&embed_gradient_op, matrix, INPUTS(dy), NONE, d, sizeof *d);
}

static void diagonal_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = embed_gradient(dy, r->attributes);
}
static const Op diagonal_op = {"diagonal", "DiagonalBackward0", diagonal_backward};

static Tensor *take_diagonal(Tensor *x, const Diagonal *d) {
    return tg_record(&diagonal_op, diagonal_view(x, d), INPUTS(x), NONE, d, sizeof *d);
}

/* torch.diagonal(x, offset, dim1, dim2): the elements x[..., i, ..., i + offset, ...] as a view without dim1 and
 * dim2, whose last dim is i; a negative offset is below the main diagonal, one outside x gives no elements. dx = dy
 * on the diagonal, 0 elsewhere. Errors: dims out of range or identical. */
Tensor *t_diagonal(Tensor *x, int64_t offset, int64_t dim1, int64_t dim2) {
    Diagonal d;
    if (!tg_check_any(x, 1)) return NULL;
    if (!tg_wrap_dim(dim1, x->ndim, &d.dim1) || !tg_wrap_dim(dim2, x->ndim, &d.dim2)) return NULL;
    if (d.dim1 == d.dim2)
        return tg_fail("diagonal dimensions cannot be identical %lld, %lld", (long long)dim1, (long long)dim2);
    int64_t rows = x->shape[d.dim1], columns = x->shape[d.dim2];
    d.offset = offset > columns ? columns : offset < -rows ? -rows : offset;
    d.ndim = x->ndim;
    memcpy(d.shape, x->shape, sizeof d.shape);
    return take_diagonal(x, &d);
}

/* ---- diag_embed, diag, diagflat, trace ---- */

static void diag_embed_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Diagonal *d = r->attributes;
    dx[0] = t_diagonal(dy, d->offset, d->dim1, d->dim2);
}
static const Op diag_embed_op = {"diag_embed", "DiagEmbedBackward0", diag_embed_backward};

static Tensor *diag_embed(Tensor *x, const Diagonal *d) {
    t_TensorOptions options = {.size = sizeof options, .dtype = x->dtype};
    Tensor *y = t_zeros(d->shape, d->ndim, &options);
    int depth = y ? t_scope_open() : 0;
    Tensor *view = depth ? diagonal_view(y, d) : NULL;
    if (view) tg_copy_into(view, x);
    t_scope_close(depth);
    if (y && !view) t_release(tg_take_from_scope(y));
    return tg_record(&diag_embed_op, view ? y : NULL, INPUTS(x), NONE, d, sizeof *d);
}

/* torch.diag_embed(x, offset, dim1, dim2): the last dim of x as the diagonal of two dims of the result, 0 elsewhere;
 * the inverse of diagonal. The two dims have size x.size(-1) + |offset|. dx = the diagonal of dy. Errors: those of
 * diagonal. */
Tensor *t_diag_embed(Tensor *x, int64_t offset, int64_t dim1, int64_t dim2) {
    Diagonal d = {.offset = offset};
    if (!tg_check_any(x, 1)) return NULL;
    d.ndim = x->ndim + 1;
    if (!tg_wrap_dim(dim1, d.ndim, &d.dim1) || !tg_wrap_dim(dim2, d.ndim, &d.dim2)) return NULL;
    if (d.dim1 == d.dim2)
        return tg_fail("diagonal dimensions cannot be identical %lld, %lld", (long long)dim1, (long long)dim2);
    if (d.ndim > T_MAX_DIMS) return tg_fail("a tensor has at most %d dims, not %d", T_MAX_DIMS, d.ndim);
    int64_t size;
    if (offset == INT64_MIN || __builtin_add_overflow(x->shape[x->ndim - 1], offset < 0 ? -offset : offset, &size))
        return tg_fail("the diagonal offset %lld is too large", (long long)offset);
    for (int i = 0, next = 0; i < d.ndim; i++) d.shape[i] = i == d.dim1 || i == d.dim2 ? size : x->shape[next++];
    return diag_embed(x, &d);
}

/* torch.diag(x, diagonal): for a vector the matrix with it on that diagonal, for a matrix a copy of the diagonal. */
static const Op diag_op = {"diag", "DiagonalBackward0_copy", diagonal_backward};

Tensor *t_diag(Tensor *x, int64_t diagonal) {
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim == 1) return t_diag_embed(x, diagonal, -2, -1);
    if (x->ndim != 2) return tg_fail("diag(): Supports 1D or 2D tensors. Got %dD", x->ndim);
    int64_t rows = x->shape[0], columns = x->shape[1];
    Diagonal d = {.dim2 = 1, .ndim = 2, .offset = diagonal > columns ? columns : diagonal < -rows ? -rows : diagonal};
    memcpy(d.shape, x->shape, sizeof d.shape);
    int depth = t_scope_open();
    Tensor *view = depth ? diagonal_view(x, &d) : NULL,
           *y = view ? t_keep_object(tg_empty(view->shape, 1, x->dtype)) : NULL;
    if (y) tg_copy_into(y, view);
    t_scope_close(depth);
    return tg_record(&diag_op, y, INPUTS(x), NONE, ATTRIBUTES(d));
}

/* torch.diagflat(x, offset): the matrix with the flattened x on its diagonal. */
Tensor *t_diagflat(Tensor *x, int64_t offset) {
    if (!tg_check_any(x, 1)) return NULL;
    int depth = t_scope_open();
    Tensor *flat = depth ? t_ravel(x) : NULL, *y = flat ? t_diag_embed(flat, offset, -2, -1) : NULL;
    return tg_scope_return(depth, y);
}

/* torch.trace(x): the sum of the main diagonal of a matrix; not for bools. dx = dy on the diagonal, 0 elsewhere. */
static void trace_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Edge *x = &r->edges[0];
    int64_t length = x->shape[0] < x->shape[1] ? x->shape[0] : x->shape[1];
    Diagonal d = {.dim1 = 0, .dim2 = 1, .ndim = 2};
    memcpy(d.shape, x->shape, sizeof d.shape);
    dx[0] = embed_gradient(t_expand(dy, &length, 1), &d);
}
static const Op trace_op = {"trace", "TraceBackward0", trace_backward};

Tensor *t_trace(Tensor *x) {
    TG_COMPOSITE("trace");
    TG_AUTOCAST_FLOAT32(x);
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim != 2) return tg_fail("trace: expected a matrix, but got tensor with dim %d", x->ndim);
    if (x->dtype == t_bool) return tg_not_implemented("trace", x->dtype);
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *row = depth ? t_diagonal(x, 0, 0, 1) : NULL, *y = row ? t_keep_object(t_sum(row, NULL, 0, false)) : NULL;
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return tg_record(&trace_op, y, INPUTS(x), NONE, NONE);
}

/* ---- fill_diagonal_ ---- */

/* The main diagonal of a matrix, or x[i, i, i, ...], as a view. */
static Tensor *main_diagonal(Tensor *x) {
    if (x->ndim == 2) return t_diagonal(x, 0, 0, 1);
    int64_t stride = 0;
    for (int d = 0; d < x->ndim; d++) stride += x->strides[d];
    return t_as_strided(x, x->shape, 1, &stride, 1, x->offset);
}

/* Of a matrix with several diagonals, in one write: an element is on one of them if the index that it has in row-major
 * order is a multiple of the number of columns + 1. */
static Tensor *fill_wrapped(Tensor *x, double fill_value) {
    Tensor *mask = tg_empty(x->shape, 2, t_bool);
    if (!mask) return NULL;
    bool *on = tg_data(mask);
    for (int64_t i = 0, count = tg_numel(mask); i < count; i++) on[i] = i % (x->shape[1] + 1) == 0;
    return t_masked_fill_(x, mask, tg_is_floating(x->dtype) ? t_number(fill_value) : t_integer((int64_t)fill_value));
}

/* x.fill_diagonal_(fill_value, wrap): writes the value to x[i, i, ...]. wrap: in a matrix with more rows than columns
 * the diagonal begins again below a row that is left out. Errors: fewer than 2 dims; of more than 2 dims, sizes that
 * differ. */
Tensor *t_fill_diagonal_(Tensor *x, double fill_value, bool wrap) {
    TG_COMPOSITE("fill_diagonal_");
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim < 2) return tg_fail("dimensions must larger than 1");
    for (int d = 1; d < x->ndim; d++)
        if (x->ndim > 2 && x->shape[d] != x->shape[0])
            return tg_fail("all dimensions of input must be of equal length");
    const bool wraps = wrap && x->ndim == 2 && x->shape[0] > x->shape[1] + 1;
    int depth = t_scope_open();
    Tensor *written = !depth ? NULL : wraps ? fill_wrapped(x, fill_value) : t_fill_(main_diagonal(x), fill_value);
    t_scope_close(depth);
    return written ? x : NULL;
}
