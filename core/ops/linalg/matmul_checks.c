/* core/ops/linalg/matmul_checks.c: the errors of matrix products. PyTorch's error depends on which product (mm, mv, dot
 * or bmm) it would call, so these checks find that out. */
#include "core/ops/pointwise/pointwise_internal.h"

bool tg_check_dot(const Tensor *a, const Tensor *b) {
    if (a->dtype != b->dtype)
        return tg_fail("dot : expected both vectors to have same dtype, but found %s and %s", tg_scalar_name(a->dtype),
                       tg_scalar_name(b->dtype));
    const long long n = a->shape[0], m = b->shape[0];
    if (n != m)
        return tg_fail("inconsistent tensor size, expected tensor [%lld] and src [%lld] to have the same number of "
                       "elements, but got %lld and %lld elements respectively", n, m, n, m);
    return a->dtype != t_bool || tg_not_implemented("dot", t_bool);
}

/* The errors for a matrix of the given rows and columns with a vector, with a matrix, and for two batches of
 * matrices. */
static bool check_mv(const Tensor *a, int64_t rows, int64_t columns, const Tensor *b) {
    if (columns != b->shape[0])
        return tg_fail("size mismatch, got input (%lld), mat (%lldx%lld), vec (%lld)", (long long)rows, (long long)rows,
                       (long long)columns, (long long)b->shape[0]);
    if (a->dtype != b->dtype)
        return tg_fail("addmv input tensors must have the same dtype, but got %s, %s, and %s", tg_scalar_name(b->dtype),
                       tg_scalar_name(a->dtype), tg_scalar_name(b->dtype));
    return a->dtype != t_bool || tg_not_implemented("addmv_impl_cpu", t_bool);
}

static bool check_mm(const Tensor *a, int64_t rows, int64_t columns, const Tensor *b, int64_t b_rows,
                     int64_t b_columns) {
    if (columns != b_rows)
        return tg_fail("mm: mat1 and mat2 shapes cannot be multiplied (%lldx%lld and %lldx%lld)", (long long)rows,
                       (long long)columns, (long long)b_rows, (long long)b_columns);
    if (a->dtype != b->dtype)
        return tg_fail("expected m1 and m2 to have the same dtype, but got: %s != %s", tg_c_type_name(a->dtype),
                       tg_c_type_name(b->dtype));
    return a->dtype != t_bool || tg_not_implemented("addmm_impl_cpu_", t_bool);
}

bool tg_check_bmm_dtypes(const Tensor *a, const Tensor *b) {
    if (a->dtype == t_bool) return tg_not_implemented("bmm", t_bool) != NULL;
    if (a->dtype == b->dtype) return true;
    return tg_fail("expected scalar type %s but found %s", tg_scalar_name(a->dtype), tg_scalar_name(b->dtype));
}

bool tg_check_bmm(const Tensor *a, const Tensor *b, int64_t batch, int64_t b_batch) {
    const int64_t columns = a->shape[a->ndim - 1], rows = b->shape[b->ndim > 1 ? b->ndim - 2 : 0];
    if (columns != rows || batch != b_batch)
        return tg_fail("Expected size for first two dimensions of batch2 tensor to be: [%lld, %lld] but got: [%lld, "
                       "%lld].",
                       (long long)batch, (long long)columns, (long long)b_batch, (long long)rows);
    return tg_check_bmm_dtypes(a, b);
}

/* Whether PyTorch computes a batch times one matrix or vector as one product over all rows of the batch (with the
 * batch second: over its mT): if the rows have a uniform stride, or the other operand requires grad. */
static bool folds_batch(const Tensor *a, const Tensor *b) {
    const bool first = a->ndim > b->ndim;
    const Tensor *batch = first ? a : b, *other = first ? b : a;
    if (batch->ndim < 3 || other->ndim > 2) return false;
    if (other->requires_grad) return true;
    if (a->ndim == 2) return false;
    if (tg_shape_numel(batch->shape, batch->ndim) == 0) return true;
    const int rows = batch->ndim - (first ? 2 : 1);
    int64_t step = batch->strides[rows] * batch->shape[rows];
    for (int d = batch->ndim - 3; d >= 0; step *= batch->shape[d--])
        if (batch->strides[d] != step) return false;
    return true;
}

static int64_t batch_size(const Tensor *a, const Tensor *b) {
    int64_t batch = 1;
    for (int d = 3; d <= a->ndim || d <= b->ndim; d++) {
        const int64_t size = d <= a->ndim ? a->shape[a->ndim - d] : 1;
        batch *= size == 1 && d <= b->ndim ? b->shape[b->ndim - d] : size;
    }
    return batch;
}

static bool fail(const Tensor *a, const Tensor *b) {
    const int64_t K = a->shape[a->ndim - 1];
    if (a->ndim == 1 && b->ndim == 1) return tg_check_dot(a, b);
    if (b->ndim <= 2 && (a->ndim <= 2 || folds_batch(a, b))) {
        const int64_t rows = tg_shape_numel(a->shape, a->ndim - 1);
        return b->ndim == 1 ? check_mv(a, rows, K, b) : check_mm(a, rows, K, b, b->shape[0], b->shape[1]);
    }
    if (a->ndim > 2 || !folds_batch(a, b)) return tg_check_bmm(a, b, batch_size(a, b), batch_size(a, b));
    const int64_t columns = b->shape[b->ndim - 2], rows = tg_shape_numel(b->shape, b->ndim - 2) * b->shape[b->ndim - 1];
    return a->ndim == 1 ? check_mv(b, rows, columns, a) : check_mm(b, rows, columns, a, K, a->shape[0]);
}

bool tg_check_product(const Tensor *a, const Tensor *b) {
    const int64_t K = a->shape[a->ndim - 1], rows = b->shape[b->ndim > 1 ? b->ndim - 2 : 0];
    return (K == rows && a->dtype == b->dtype && a->dtype != t_bool) || fail(a, b);
}
