/* core/linalg/linalg_internal.c: checks with PyTorch's texts, batches of matrices. */
#include <string.h>

#include "core/linalg/linalg_internal.h"
#include "core/tensor/size_arithmetic.h"

/* ---- checks ---- */

bool tg_check_matrices(const Tensor *x, const char *f, const char *argument) {
    return x->ndim >= 2 || tg_fail("%s: The input tensor %s must have at least 2 dimensions.", f, argument);
}

bool tg_check_square(const Tensor *x, const char *f) {
    if (!tg_check_matrices(x, f, "A")) return false;
    return tg_rows(x) == tg_columns(x) ||
           tg_fail("%s: A must be batches of square matrices, but they are %lld by %lld matrices", f,
                   (long long)tg_rows(x), (long long)tg_columns(x));
}

bool tg_check_is_floating(const Tensor *x, const char *f) {
    return tg_is_floating(x->dtype) || tg_fail("%s: Expected a floating point or complex tensor as input. Got %s", f,
                                               tg_scalar_name(x->dtype));
}

bool tg_check_dtypes_of(const Tensor *A, const Tensor *B, const char *f) {
    return A->dtype == B->dtype || tg_fail("%s: Expected A and B to have the same dtype, but found A of type %s and B "
                                           "of type %s instead",
                                           f, tg_scalar_name(A->dtype), tg_scalar_name(B->dtype));
}

bool tg_check_equation(const Tensor *A, const Tensor *B, bool left, const char *f) {
    if (!tg_check_square(A, f) || !tg_check_matrices(B, f, "B")) return false;
    return tg_columns(A) == (left ? tg_rows(B) : tg_columns(B)) ||
           tg_fail("%s: Incompatible shapes of A and B for the equation %s = B (%lldx%lld and %lldx%lld)", f,
                   left ? "AX" : "XA", (long long)tg_rows(A), (long long)tg_columns(A), (long long)tg_rows(B),
                   (long long)tg_columns(B));
}

bool tg_check_info(const Tensor *info, const char *f, const char *text) {
    const int32_t *values = tg_data(info);
    const int64_t count = tg_numel(info);
    char where[64] = "", what[320];
    for (int64_t i = 0; i < count; i++) {
        if (!values[i]) continue;
        if (info->ndim) snprintf(where, sizeof where, "(Batch element %lld): ", (long long)i);
        snprintf(what, sizeof what, text, (long long)values[i]);
        return tg_fail("%s: %s%s", f, where, what);
    }
    return true;
}

/* ---- batches ---- */

int64_t tg_matrix_count(const Tensor *x) {
    return tg_shape_numel(x->shape, x->ndim - 2);
}

Tensor *tg_matrix_copy(Tensor *x) {
    if (!x) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = tg_empty(x->shape, x->ndim, x->dtype);
    if (y && !t_copy_(y, x)) y = NULL;
    t_set_grad_enabled(grad_enabled);
    return y;
}

Tensor *tg_empty_batch(const Tensor *x, int64_t rows, int64_t columns, t_DType dtype) {
    int64_t shape[T_MAX_DIMS];
    int ndim = x->ndim - 2;
    memcpy(shape, x->shape, sizeof shape);
    if (rows != T_NONE) shape[ndim++] = rows;
    if (columns != T_NONE) shape[ndim++] = columns;
    return tg_empty(shape, ndim, dtype);
}

Tensor *tg_workspace(int64_t elements, t_DType dtype) {
    return tg_empty((int64_t[]){elements > 0 ? elements : 1}, 1, dtype);
}

int64_t tg_batch_offset(const Tensor *x, int dims, int64_t i) {
    int64_t offset = x->offset;
    for (int d = x->ndim - dims - 1; d >= 0; d--) {
        offset += i % x->shape[d] * x->strides[d];
        i /= x->shape[d];
    }
    return offset;
}

static Tensor *with_batch(Tensor *x, const int64_t *batch, int batch_dims) {
    int64_t shape[T_MAX_DIMS];
    memcpy(shape, batch, sizeof shape);
    shape[batch_dims] = tg_rows(x);
    shape[batch_dims + 1] = tg_columns(x);
    return t_expand(x, shape, batch_dims + 2);
}

bool tg_broadcast_batches(Tensor **A, Tensor **B) {
    int64_t batch[T_MAX_DIMS];
    int batch_dims;
    Tensor batch_a = **A, batch_b = **B, *batches[] = {&batch_b, &batch_a};
    batch_a.ndim -= 2;
    batch_b.ndim -= 2;
    if (!tg_broadcast_shape(batches, 2, batch, &batch_dims)) return false;
    return (*A = with_batch(*A, batch, batch_dims)) && (*B = with_batch(*B, batch, batch_dims));
}

/* ---- composed values ---- */

Tensor *tg_eye_like(const Tensor *x, int64_t n, int64_t m) {
    t_TensorOptions options = {.size = sizeof options, .dtype = x->dtype};
    return t_eye(n, m, &options);
}

Tensor *tg_diagonal_matrix(Tensor *diagonal) {
    return diagonal ? t_diag_embed(diagonal, 0, -2, -1) : NULL;
}

/* ---- several outputs with gradients ---- */

void tg_add_part(tg_Parts *parts, const Tensor *x, int64_t rows, int64_t columns) {
    const int i = parts->count++;
    int ndim = x ? x->ndim - 2 : 0;
    if (x) memcpy(parts->shape[i], x->shape, sizeof x->shape);
    if (rows != T_NONE) parts->shape[i][ndim++] = rows;
    if (columns != T_NONE) parts->shape[i][ndim++] = columns;
    parts->ndim[i] = ndim;
    parts->start[i] = parts->total;
    parts->total += tg_shape_numel(parts->shape[i], ndim);
}

Tensor *tg_part(Tensor *all, const tg_Parts *parts, int i) {
    const int64_t length = tg_shape_numel(parts->shape[i], parts->ndim[i]);
    Tensor *part = t_narrow(all, 0, parts->start[i], length);
    return part ? t_reshape(part, parts->shape[i], parts->ndim[i]) : NULL;
}

typedef struct Part {
    int64_t start, length, total;
} Part;

Tensor *tg_output(const Op *op, Tensor *all, const tg_Parts *parts, int i) {
    int64_t strides[T_MAX_DIMS];
    const Part part = {parts->start[i], tg_shape_numel(parts->shape[i], parts->ndim[i]), parts->total};
    tg_contiguous_strides(parts->shape[i], parts->ndim[i], strides);
    Tensor *y = tg_view(all, parts->shape[i], strides, parts->ndim[i], all->offset + part.start);
    return y ? tg_record(op, tg_detach_from_base(y), INPUTS(all), NONE, ATTRIBUTES(part)) : NULL;
}

void tg_part_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Part *part = r->attributes;
    Tensor *zeros = t_new_zeros(dy, &part->total, 1, NULL), *row = t_reshape(dy, (int64_t[]){part->length}, 1);
    dx[0] = zeros && row ? t_slice_scatter(zeros, row, 0, part->start, part->start + part->length, 1) : NULL;
}
