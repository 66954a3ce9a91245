/* core/ops/linalg/matmul.c: matmul, mm, bmm, mv and dot: matrix products in all rank cases of PyTorch. matmul_checks.c
 * has their errors. */
#include "core/kernels/gemm/gemm.h"
#include "core/ops/linalg/addmm_internal.h"
#include "core/ops/pointwise/pointwise_internal.h"

/* ---- the product of two tensors of rank >= 2, whose batch dims broadcast ---- */

/* int64: the plain triple loop, over the matrices that start at these element offsets from those of p. */
static void integer_product(const tg_Product *p, int64_t from_a, int64_t from_b, int64_t from_c) {
    const int64_t *a = (const int64_t *)p->a.data + from_a, *b = (const int64_t *)p->b.data + from_b;
    int64_t *c = (int64_t *)p->c.data + from_c;
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) {
            uint64_t sum = 0; /* unsigned: an overflow wraps around, as in PyTorch */
            for (int64_t k = 0; k < p->k; k++)
                sum += (uint64_t)a[i * p->a.row + k * p->a.column] * (uint64_t)b[k * p->b.row + j * p->b.column];
            c[i * p->c.row + j * p->c.column] = (int64_t)sum;
        }
}

/* The stride of x along dim d of the batch, 0 where x is broadcast or has no such dim. */
static int64_t batch_stride(const Tensor *x, int batch_dims, int d) {
    int x_dim = d - (batch_dims - (x->ndim - 2));
    return x_dim < 0 || x->shape[x_dim] == 1 ? 0 : x->strides[x_dim];
}

static tg_Matrix matrix_of(const Tensor *x) {
    return (tg_Matrix){tg_data(x), x->strides[x->ndim - 2], x->strides[x->ndim - 1]};
}

/* Iterates over batch dims d and up, from the given element offsets on. */
static void integer_products(const tg_Product *p, const tg_Batch *batch, int d, int64_t a, int64_t b, int64_t c) {
    for (int64_t i = 0; d < batch->dims && i < batch->size[d]; i++)
        integer_products(p, batch, d + 1, a + i * batch->a[d], b + i * batch->b[d], c + i * batch->c[d]);
    if (d == batch->dims) integer_product(p, a, b, c);
}

/* Whether the next batch entry continues the n rows (columns) of x and c with the same stride. For n = 1 the stride
 * is free, and is set. */
static bool is_uniform(int64_t n, int64_t *x, int64_t *c, int64_t next_x, int64_t next_c) {
    if (n == 1) *x = next_x, *c = next_c;
    return *x * n == next_x && *c * n == next_c;
}

/* Merges the last batch dims with one matrix into one larger product: all rows with a shared b, or a shared a with
 * all columns, the latter only if a single column would give the same bits. */
static void merge_batch(tg_Product *p, tg_Batch *batch, bool columns) {
    for (; batch->dims > 0; batch->dims--) {
        const int d = batch->dims - 1;
        if (batch->size[d] == 1) continue;
        if (!batch->b[d] && is_uniform(p->m, &p->a.row, &p->c.row, batch->a[d], batch->c[d])) p->m *= batch->size[d];
        else if (columns && !batch->a[d] && is_uniform(p->n, &p->b.column, &p->c.column, batch->b[d], batch->c[d]))
            p->n *= batch->size[d];
        else return;
    }
}

/* c = a b + plus (NULL: nothing; else of c's shape) for the matrices in the last two dims, over the batch dims of c. Of
 * narrow dtypes only bfloat16, and only where tg_gemm_has_bfloat16. */
static bool batched_product(const Tensor *c, const Tensor *a, const Tensor *b, const Tensor *plus) {
    tg_Product p = {.m = c->shape[c->ndim - 2], .n = c->shape[c->ndim - 1], .k = a->shape[a->ndim - 1]};
    p.a = matrix_of(a);
    p.b = matrix_of(b);
    p.c = matrix_of(c);
    if (plus) p.plus = matrix_of(plus);
    tg_Batch batch = {.dims = c->ndim - 2};
    for (int d = 0; d < batch.dims; d++) {
        batch.size[d] = c->shape[d];
        batch.a[d] = batch_stride(a, batch.dims, d);
        batch.b[d] = batch_stride(b, batch.dims, d);
        batch.c[d] = c->strides[d];
        batch.plus[d] = plus ? plus->strides[d] : 0;
    }
    const bool is_half = c->dtype == t_bfloat16;
    if (!plus) merge_batch(&p, &batch, is_half || p.n > 1 || !tg_gemm_is_dot(c->dtype == t_float64, p.k));
    if (is_half) return tg_gemm_bfloat16(&p, &batch) || tg_fail("out of memory: the buffers of a matrix product");
    if (c->dtype == t_int64) integer_products(&p, &batch, 0, 0, 0, 0);
    else tg_gemm_batch(c->dtype == t_float64, &p, &batch);
    return true;
}

/* The product of two matrices of a narrow dtype: computed in wide, of the wide dtype, then rounded once. */
static Tensor *narrow_product(Tensor *wide, Tensor *a, Tensor *b) {
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *wide_a = depth ? tg_widened(a) : NULL, *wide_b = wide_a ? tg_widened(b) : NULL;
    if (wide_b) batched_product(wide, wide_a, wide_b, NULL);
    Tensor *c = wide_b ? tg_narrowed(wide, a->dtype) : NULL;
    t_set_grad_enabled(grad_enabled);
    return tg_scope_return(depth, c);
}

static Tensor *multiply(Tensor *a, Tensor *b, const int64_t *batch, int batch_dims) {
    int64_t shape[T_MAX_DIMS];
    for (int d = 0; d < batch_dims; d++) shape[d] = batch[d];
    shape[batch_dims] = a->shape[a->ndim - 2];
    shape[batch_dims + 1] = b->shape[b->ndim - 1];
    const bool widens = tg_is_narrow(a->dtype) && !(a->dtype == t_bfloat16 && tg_gemm_has_bfloat16());
    Tensor *c = tg_empty(shape, batch_dims + 2, widens ? tg_wide(a->dtype) : a->dtype);
    if (!c || widens) return c ? narrow_product(c, a, b) : NULL;
    return batched_product(c, a, b, NULL) ? c : NULL;
}

Tensor *tg_bfloat16_product(Tensor *a, Tensor *b, Tensor *plus) {
    int64_t shape[T_MAX_DIMS];
    for (int d = 0; d < a->ndim; d++) shape[d] = a->shape[d];
    shape[a->ndim - 1] = b->shape[b->ndim - 1];
    Tensor *expanded = t_expand(plus, shape, a->ndim), *c = expanded ? tg_empty(shape, a->ndim, t_bfloat16) : NULL;
    return c && batched_product(c, a, b, expanded) ? c : NULL;
}

/* ---- gradients ---- */

/* All rows of all matrices as one matrix. */
static Tensor *flatten_rows(Tensor *x) {
    return x ? t_reshape(x, (int64_t[]){tg_shape_numel(x->shape, x->ndim - 1), x->shape[x->ndim - 1]}, 2) : NULL;
}

static Tensor *transposed(Tensor *x) {
    return t_transpose(x, -2, -1);
}

/* y = a b: da = dy b^T, db = a^T dy. The tape sums over batch dims that were broadcast; for one matrix b and a batch
 * of a this sum is part of the product: all rows of a and dy form two matrices. The same for one a, with y^T = b^T
 * a^T. */
static void matmul_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1);
    if (tg_needs(r, 0) && b) {
        const bool one_a = r->edges[0].ndim == 2 && b->ndim > 2;
        dx[0] = one_a ? t_matmul(transposed(flatten_rows(transposed(dy))), flatten_rows(transposed(b)))
                      : t_matmul(dy, transposed(b));
    }
    if (tg_needs(r, 1) && a) {
        const bool one_b = r->edges[1].ndim == 2 && a->ndim > 2;
        dx[1] = t_matmul(transposed(one_b ? flatten_rows(a) : a), one_b ? flatten_rows(dy) : dy);
    }
}
static const Op mm_op = {"mm", "MmBackward0", matmul_backward, .takes_half = true};
static const Op bmm_op = {"bmm", "BmmBackward0", matmul_backward, .takes_half = true};
static const Op matmul_op = {"matmul", "UnsafeViewBackward0", matmul_backward, .takes_half = true};
/* one matrix with a batch */
static const Op matrix_matmul_op = {"matmul", "CloneBackward0", matmul_backward, .takes_half = true};

static Tensor *recorded(Tensor *a, Tensor *b, const int64_t *batch, int batch_dims, const Op *op) {
    Tensor *y = multiply(a, b, batch, batch_dims);
    return y ? tg_record(op, y, INPUTS(a, b), SAVED(b->requires_grad ? a : NULL, a->requires_grad ? b : NULL), NONE)
             : NULL;
}

/* ---- mm, bmm, dot, mv, matmul ---- */

/* torch.mm(a, b): (M, K) (K, N) -> (M, N). Floating or int64, both the same dtype. */
Tensor *t_mm(Tensor *x, Tensor *mat2) {
    TG_AUTOCAST(x);
    TG_AUTOCAST(mat2);
    if (!tg_check_any_two(x, mat2)) return NULL;
    if (x->ndim != 2) return tg_fail("mm: self must be a matrix, got %d-D tensor", x->ndim);
    if (mat2->ndim != 2) return tg_fail("mm: mat2 must be a matrix, got %d-D tensor", mat2->ndim);
    return tg_check_product(x, mat2) ? recorded(x, mat2, NULL, 0, &mm_op) : NULL;
}

/* torch.bmm(a, b): (B, M, K) (B, K, N) -> (B, M, N). Nothing broadcasts. */
Tensor *t_bmm(Tensor *x, Tensor *mat2) {
    TG_AUTOCAST(x);
    TG_AUTOCAST(mat2);
    if (!tg_check_any_two(x, mat2)) return NULL;
    if (x->ndim != 3) return tg_fail("batch1 must be a 3D tensor");
    if (mat2->ndim != 3) return tg_fail("batch2 must be a 3D tensor");
    return tg_check_bmm(x, mat2, x->shape[0], mat2->shape[0]) ? recorded(x, mat2, x->shape, 1, &bmm_op) : NULL;
}

/* y = a . b of two vectors: da = dy b, db = dy a. */
static void dot_backward(Record *r, Tensor *dy, Tensor **dx) {
    if (tg_needs(r, 0)) dx[0] = t_mul(dy, tg_saved(r, 1));
    if (tg_needs(r, 1)) dx[1] = t_mul(dy, tg_saved(r, 0));
}
static const Op dot_op = {"dot", "DotBackward0", dot_backward};

/* y = a b of a matrix and a vector: da = dy b^T (outer product), db = a^T dy. */
static void mv_backward(Record *r, Tensor *dy, Tensor **dx) {
    if (tg_needs(r, 0)) dx[0] = t_mul(t_unsqueeze(dy, 1), tg_saved(r, 1));
    if (tg_needs(r, 1)) dx[1] = t_matmul(t_t(tg_saved(r, 0)), dy);
}
static const Op mv_op = {"mv", "MvBackward0", mv_backward};

/* The product without the dims of size 1 that were added for a vector. */
static void squeeze_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = t_reshape(dy, r->edges[0].shape, r->edges[0].ndim);
}
static const Op squeeze_row_op = {"squeeze", "SqueezeBackward4", squeeze_backward};
static const Op squeeze_batched_op = {"squeeze", "UnsafeViewBackward0", squeeze_backward};

static Tensor *squeeze_vector_dims(Tensor *y, bool row, bool column) {
    int64_t shape[T_MAX_DIMS], strides[T_MAX_DIMS];
    int ndim = 0;
    for (int d = 0; y && d < y->ndim; d++) {
        if ((row && d == y->ndim - 2) || (column && d == y->ndim - 1)) continue;
        shape[ndim] = y->shape[d];
        strides[ndim++] = y->strides[d];
    }
    const Op *op = y && y->ndim == 2 ? &squeeze_row_op : &squeeze_batched_op;
    return y ? tg_record(op, tg_detach_from_base(tg_view(y, shape, strides, ndim, y->offset)), INPUTS(y), NONE, NONE)
             : NULL;
}

/* Whether both are contiguous floating vectors. */
static bool is_contiguous_dot(const Tensor *a, const Tensor *b) {
    return a->ndim == 1 && b->ndim == 1 && tg_is_floating(a->dtype) && !tg_is_half(a->dtype) && tg_is_contiguous(a) &&
           tg_is_contiguous(b);
}

static Tensor *contiguous_dot(Tensor *a, Tensor *b) {
    Tensor *y = tg_empty(NULL, 0, a->dtype);
    if (y) tg_fill_into(y, tg_dot(a->dtype == t_float64, a->shape[0], tg_data(a), tg_data(b)));
    return tg_record(&dot_op, y, INPUTS(a, b), SAVED(a, b), NONE);
}

static Tensor *product(Tensor *a, Tensor *b);

/* A vector as a matrix of one row (a) or one column (b), and the product without that dim. dot and mv have their own
 * records. */
static Tensor *vector_product(Tensor *a, Tensor *b) {
    bool row = a->ndim == 1, column = b->ndim == 1, recorded_here = column && a->ndim <= 2;
    if (!tg_check_product(a, b)) return NULL;
    if (is_contiguous_dot(a, b)) return contiguous_dot(a, b);
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(t_is_grad_enabled() && !recorded_here);
    Tensor *y = product(row ? t_unsqueeze(a, 0) : a, column ? t_unsqueeze(b, 1) : b);
    y = t_keep_object(squeeze_vector_dims(y, row, column));
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return recorded_here ? tg_record(row ? &dot_op : &mv_op, y, INPUTS(a, b), SAVED(a, b), NONE) : y;
}

/* torch.mv(a, b): (M, K) (K) -> (M). torch.dot(a, b): (K) (K) -> (). The gradients are those of matmul. */
Tensor *t_mv(Tensor *x, Tensor *vec) {
    TG_COMPOSITE("mv");
    if (!tg_check_any_two(x, vec)) return NULL;
    if (x->ndim != 2 || vec->ndim != 1)
        return tg_fail("vector + matrix @ vector expected, got 1, %d, %d", x->ndim, vec->ndim);
    return vector_product(x, vec);
}

Tensor *t_dot(Tensor *x, Tensor *tensor) {
    TG_COMPOSITE("dot");
    if (!tg_check_any_two(x, tensor)) return NULL;
    if (x->ndim != 1 || tensor->ndim != 1)
        return tg_fail("1D tensors expected, but got %dD and %dD tensors", x->ndim, tensor->ndim);
    return vector_product(x, tensor);
}

static Tensor *product(Tensor *x, Tensor *other) {
    int64_t batch[T_MAX_DIMS];
    int batch_dims;
    if (!tg_check_any_two(x, other)) return NULL;
    if (x->ndim == 0 || other->ndim == 0)
        return tg_fail("both arguments to matmul need to be at least 1D, but they are %dD and %dD",
                       x->ndim, other->ndim);
    if (x->ndim == 1 || other->ndim == 1) return vector_product(x, other);
    Tensor batch_a = *x, batch_b = *other, *batches[] = {&batch_a, &batch_b};
    batch_a.ndim -= 2;
    batch_b.ndim -= 2;
    if (!tg_broadcast_shape(batches, 2, batch, &batch_dims) || !tg_check_product(x, other)) return NULL;
    const Op *op = !batch_dims ? &mm_op : x->ndim == 2 ? &matrix_matmul_op : &matmul_op;
    return recorded(x, other, batch, batch_dims, op);
}

/* torch.matmul(a, b), a @ b: vectors, matrices, and batches of matrices whose batch dims broadcast: (B..., M, K)
 * (B..., K, N) -> (B..., M, N); (K) (K) -> (); (M, K) (K) -> (M); (K) (K, N) -> (N). Floating or int64, both the
 * same dtype. da = dy b^T, db = a^T dy. Errors: 0-dim, sizes that do not match, dtypes. */
Tensor *t_matmul(Tensor *x, Tensor *other) {
    TG_COMPOSITE("matmul");
    TG_AUTOCAST(x);
    TG_AUTOCAST(other);
    return product(x, other);
}
