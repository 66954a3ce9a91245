/* core/ops/diagonal.c: the diagonal of two dims as a view, as a copy, its sum, and the way back: a diagonal with zeros around it. */
#include <string.h>

#include "core/ops/pointwise_internal.h"
#include "core/tensor/size_arithmetic.h"

/* Which diagonal, and what the whole looked like. */
typedef struct Diagonal {
    int dim1, dim2, ndim;
    int64_t offset, shape[T_MAX_DIMS];
} Diagonal;

/* Its elements stand at (i, i + offset) of the two dims, or at (i - offset, i) below the main diagonal. */
static Tensor *diagonal_view(Tensor *x, const Diagonal *d) {
    int64_t shape[T_MAX_DIMS], strides[T_MAX_DIMS], one = x->strides[d->dim1], two = x->strides[d->dim2];
    int64_t right = d->offset > 0 ? d->offset : 0, down = d->offset < 0 ? tg_size_sub(0, d->offset) : 0;
    int64_t rows = x->shape[d->dim1] - down, columns = x->shape[d->dim2] - right, length = rows < columns ? rows : columns;
    int ndim = 0;
    for (int i = 0; i < x->ndim; i++) {
        if (i == d->dim1 || i == d->dim2) continue;
        shape[ndim] = x->shape[i];
        strides[ndim++] = x->strides[i];
    }
    shape[ndim] = length > 0 ? length : 0;
    strides[ndim++] = tg_size_add(one, two);
    return tg_view(x, shape, strides, ndim, x->offset + (length > 0 ? right * two + down * one : 0));
}

/* ---- the rule: dy on the diagonal, zeros around it; and the rule of that: the diagonal again ---- */

static Tensor *take_diagonal(Tensor *x, const Diagonal *d);

static void place_diagonal_backward(Record *r, Tensor *ddy, Tensor **dx) {
    dx[0] = take_diagonal(ddy, r->attributes);
}
static const Op place_diagonal_op = {"diagonal_backward", "DiagonalBackward0Backward0", place_diagonal_backward};

static Tensor *placed(Tensor *dy, const Diagonal *d) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dy ? dy->dtype : 0};
    Tensor *whole = dy ? t_zeros(d->shape, d->ndim, &options) : NULL, *here = whole ? diagonal_view(whole, d) : NULL;
    if (!here) return NULL;
    tg_copy_into(here, dy);
    return tg_record(&place_diagonal_op, whole, INPUTS(dy), NONE, d, sizeof *d);
}

static void diagonal_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = placed(dy, r->attributes);
}
static const Op diagonal_op = {"diagonal", "DiagonalBackward0", diagonal_backward};

static Tensor *take_diagonal(Tensor *x, const Diagonal *d) {
    return tg_record(&diagonal_op, diagonal_view(x, d), INPUTS(x), NONE, d, sizeof *d);
}

/* torch.diagonal(x, offset, dim1, dim2): the elements x[..., i, ..., i + offset, ...] as a view, whose last dim is i and which
 * lacks dim1 and dim2; a negative offset lies below the main diagonal, one outside x gives no elements.
 * dx = dy in its place, 0 elsewhere. Errors: a dim out of range, the same dim twice. */
Tensor *t_diagonal(Tensor *x, int64_t offset, int64_t dim1, int64_t dim2) {
    Diagonal d;
    if (!tg_check(x, 1)) return NULL;
    if (!tg_wrap_dim(dim1, x->ndim, &d.dim1) || !tg_wrap_dim(dim2, x->ndim, &d.dim2)) return NULL;
    if (d.dim1 == d.dim2)
        return tg_fail("diagonal dimensions cannot be identical %lld, %lld", (long long)dim1, (long long)dim2);
    int64_t rows = x->shape[d.dim1], columns = x->shape[d.dim2];
    d.offset = offset > columns ? columns : offset < -rows ? -rows : offset;
    d.ndim = x->ndim;
    memcpy(d.shape, x->shape, sizeof d.shape);
    return take_diagonal(x, &d);
}

/* ---- a diagonal with zeros around it ---- */

static void diag_embed_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Diagonal *d = r->attributes;
    dx[0] = t_diagonal(dy, d->offset, d->dim1, d->dim2);
}
static const Op diag_embed_op = {"diag_embed", "DiagEmbedBackward0", diag_embed_backward};

static Tensor *embedded(Tensor *x, const Diagonal *d) {
    t_TensorOptions options = {.size = sizeof options, .dtype = x->dtype};
    Tensor *y = t_zeros(d->shape, d->ndim, &options);
    int depth = y ? t_scope_open() : 0;
    Tensor *here = depth ? diagonal_view(y, d) : NULL;
    if (here) tg_copy_into(here, x);
    t_scope_close(depth);
    if (y && !here) t_release(tg_take(y));
    return tg_record(&diag_embed_op, here ? y : NULL, INPUTS(x), NONE, d, sizeof *d);
}

/* torch.diag_embed(x, offset, dim1, dim2): x's last dim as the diagonal of two dims of the result, 0 elsewhere; what diagonal
 * undoes. Each of the two has x.size(-1) + |offset|. dx = the diagonal of dy. Errors: those of diagonal. */
Tensor *t_diag_embed(Tensor *x, int64_t offset, int64_t dim1, int64_t dim2) {
    Diagonal d = {.offset = offset};
    if (!tg_check(x, 1)) return NULL;
    d.ndim = x->ndim + 1;
    if (!tg_wrap_dim(dim1, d.ndim, &d.dim1) || !tg_wrap_dim(dim2, d.ndim, &d.dim2)) return NULL;
    if (d.dim1 == d.dim2)
        return tg_fail("diagonal dimensions cannot be identical %lld, %lld", (long long)dim1, (long long)dim2);
    if (d.ndim > T_MAX_DIMS) return tg_fail("a tensor has at most %d dims, not %d", T_MAX_DIMS, d.ndim);
    int64_t size;
    if (offset == INT64_MIN || __builtin_add_overflow(x->shape[x->ndim - 1], offset < 0 ? -offset : offset, &size))
        return tg_fail("a diagonal that lies %lld places off is too far", (long long)offset);
    for (int i = 0, next = 0; i < d.ndim; i++) d.shape[i] = i == d.dim1 || i == d.dim2 ? size : x->shape[next++];
    return embedded(x, &d);
}

/* torch.diag(x, diagonal): of a vector the matrix with it on that diagonal, of a matrix the diagonal as a copy. */
static const Op diag_op = {"diag", "DiagonalBackward0_copy", diagonal_backward};

Tensor *t_diag(Tensor *x, int64_t diagonal) {
    if (!tg_check(x, 1)) return NULL;
    if (x->ndim == 1) return t_diag_embed(x, diagonal, -2, -1);
    if (x->ndim != 2) return tg_fail("diag(): Supports 1D or 2D tensors. Got %dD", x->ndim);
    int64_t rows = x->shape[0], columns = x->shape[1];
    Diagonal d = {.dim2 = 1, .ndim = 2, .offset = diagonal > columns ? columns : diagonal < -rows ? -rows : diagonal};
    memcpy(d.shape, x->shape, sizeof d.shape);
    int depth = t_scope_open();
    Tensor *here = depth ? diagonal_view(x, &d) : NULL, *y = here ? t_keep_object(tg_empty(here->shape, 1, x->dtype)) : NULL;
    if (y) tg_copy_into(y, here);
    t_scope_close(depth);
    return tg_record(&diag_op, y, INPUTS(x), NONE, ATTRIBUTES(d));
}

/* torch.diagflat(x, offset): x as one vector, as the diagonal of a matrix. */
Tensor *t_diagflat(Tensor *x, int64_t offset) {
    if (!tg_check(x, 1)) return NULL;
    int depth = t_scope_open();
    Tensor *flat = depth ? t_ravel(x) : NULL, *y = flat ? t_diag_embed(flat, offset, -2, -1) : NULL;
    return tg_close_keeping(depth, y);
}

/* torch.trace(x): the sum of the main diagonal of a matrix; not for bools. dx = dy on the diagonal, 0 elsewhere. */
static void trace_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Edge *x = &r->edges[0];
    int64_t length = x->shape[0] < x->shape[1] ? x->shape[0] : x->shape[1];
    Diagonal d = {.dim1 = 0, .dim2 = 1, .ndim = 2};
    memcpy(d.shape, x->shape, sizeof d.shape);
    dx[0] = placed(t_expand(dy, &length, 1), &d);
}
static const Op trace_op = {"trace", "TraceBackward0", trace_backward};

Tensor *t_trace(Tensor *x) {
    if (!tg_check(x, 1)) return NULL;
    if (x->ndim != 2) return tg_fail("trace: expected a matrix, but got tensor with dim %d", x->ndim);
    if (x->dtype == t_bool) return tg_not_implemented("trace", x->dtype);
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *row = depth ? t_diagonal(x, 0, 0, 1) : NULL, *y = row ? t_keep_object(t_sum(row, NULL, 0, false)) : NULL;
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return tg_record(&trace_op, y, INPUTS(x), NONE, NONE);
}
