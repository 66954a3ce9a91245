/* core/ops/linalg/addmm.c: addmm, addmv, baddbmm, addbmm, addr: beta input + alpha (a b). */
#include "core/kernels/gemm/gemm.h"
#include "core/ops/linalg/addmm_internal.h"
#include "core/ops/pointwise/pointwise_internal.h"

#include <math.h>

/* ---- y = beta input + alpha (a b) ----
 * d input = beta dy, summed over broadcast dims; da = alpha dy b^T, db = alpha a^T dy. */

static Tensor *scale(Tensor *x, double factor) {
    if (factor == 1 || !x) return x;
    return t_mul(x, tg_is_floating(x->dtype) ? t_number(factor) : t_integer((int64_t)factor));
}

static void addmm_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Factors *f = r->attributes;
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1);
    if (tg_needs(r, 0)) dx[0] = scale(dy, f->beta);
    if (tg_needs(r, 1) && b) dx[1] = scale(t_matmul(dy, t_transpose(b, -2, -1)), f->alpha);
    if (tg_needs(r, 2) && a) dx[2] = scale(t_matmul(t_transpose(a, -2, -1), dy), f->alpha);
}

static void addmv_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Factors *f = r->attributes;
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1);
    if (tg_needs(r, 0)) dx[0] = scale(dy, f->beta);
    if (tg_needs(r, 1) && b) dx[1] = scale(t_mul(t_unsqueeze(dy, 1), b), f->alpha);
    if (tg_needs(r, 2) && a) dx[2] = scale(t_matmul(t_t(a), dy), f->alpha);
}
static const Op addmm_op = {"addmm", "AddmmBackward0", addmm_backward};
static const Op addmv_op = {"addmv", "AddmvBackward0", addmv_backward};
static const Op baddbmm_op = {"baddbmm", "BaddbmmBackward0", addmm_backward};
/* of bfloat16 and factors of 1: the products of the gradients are of bfloat16, too */
static const Op addmm_half_op = {"addmm", "AddmmBackward0", addmm_backward, .takes_half = true};
static const Op baddbmm_half_op = {"baddbmm", "BaddbmmBackward0", addmm_backward, .takes_half = true};

/* With beta 0 the input is ignored, even if it is NaN. */
static Tensor *scaled_sum(Tensor *input, Tensor *product, Factors f) {
    Tensor *y = scale(product, f.alpha);
    if (!y) return NULL;
    Tensor *expanded = t_expand(input, y->shape, y->ndim);
    if (!expanded) return NULL;
    double beta = tg_is_floating(y->dtype) ? f.beta : (double)(int64_t)f.beta;
    return beta == 0 ? y : t_add(y, scale(expanded, beta));
}

/* Of narrow dtypes the result is rounded once, as in PyTorch, not the product and the sum each. */
typedef Tensor *Product(Tensor *a, Tensor *b);

/* Whether the bfloat16 kernels add the input to the product: where the processor has them, and without factors. All
 * else of narrow dtypes is computed in float32. */
static bool is_half_product(const Tensor *input, const Tensor *a, const Tensor *b, Factors f) {
    return input->dtype == t_bfloat16 && a->dtype == t_bfloat16 && b->dtype == t_bfloat16 && f.beta == 1 &&
           f.alpha == 1 && tg_gemm_has_bfloat16();
}

static Tensor *half_product(Tensor *input, Tensor *a, Tensor *b, const Op *op) {
    const Factors f = {1, 1};
    const int depth = t_scope_open();
    if (!depth) return NULL;
    const bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = t_keep_object(tg_bfloat16_product(a, b, input));
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return y ? tg_record(op, y, INPUTS(input, a, b), SAVED(b->requires_grad ? a : NULL, a->requires_grad ? b : NULL),
                         ATTRIBUTES(f))
             : NULL;
}

static Tensor *combine(Tensor *input, Tensor *a, Tensor *b, Factors f, Product *product, const Op *op) {
    if (!tg_check_scalar_fits(f.beta, input->dtype) || !tg_check_scalar_fits(f.alpha, input->dtype)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y;
    TG_WITHOUT_AUTOCAST(y, scaled_sum(tg_widened(input), product(tg_widened(a), tg_widened(b)), f));
    y = t_keep_object(tg_narrowed(y, input->dtype));
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return y ? tg_record(op, y, INPUTS(input, a, b), SAVED(b->requires_grad ? a : NULL, a->requires_grad ? b : NULL),
                         ATTRIBUTES(f))
             : NULL;
}

static bool check_three(Tensor *input, Tensor *a, Tensor *b) {
    return tg_check_any_three(input, a, b);
}

static bool check_dtype(const char *name, const Tensor *x, const Tensor *b) {
    return x->dtype == b->dtype || tg_fail("%s and mat2 must have the same dtype, but got %s and %s", name,
                                           tg_scalar_name(x->dtype), tg_scalar_name(b->dtype));
}

/* torch.addmm(input, a, b, beta, alpha): a matrix product; input broadcasts to its shape. Floating or int64 (beta
 * and alpha are then truncated), all operands of one dtype. Errors: those of mm, an input that does not broadcast.
 *
 * Of bfloat16 with beta and alpha 1 the products, here, in baddbmm and in the gradients, are of bfloat16 where the
 * processor has them (AVX512-BF16). Other factors, float16, addmv, addbmm and addr are computed in float32, between
 * conversions: three times as long at 128 x 768 x 3072. */
Tensor *t_addmm(Tensor *x, Tensor *mat1, Tensor *mat2, double beta, double alpha) {
    TG_COMPOSITE("addmm");
    TG_AUTOCAST(x);
    TG_AUTOCAST(mat1);
    TG_AUTOCAST(mat2);
    if (!check_three(x, mat1, mat2)) return NULL;
    if (!check_dtype("self", x, mat2) || !check_dtype("mat1", mat1, mat2)) return NULL;
    if (mat1->ndim != 2) return tg_fail("addmm: self must be a matrix, got %d-D tensor", mat1->ndim);
    if (mat2->ndim != 2) return tg_fail("addmm: mat2 must be a matrix, got %d-D tensor", mat2->ndim);
    if (mat1->shape[1] != mat2->shape[0])
        return tg_fail("addmm: mat1 and mat2 shapes cannot be multiplied (%lldx%lld and %lldx%lld)",
                       (long long)mat1->shape[0], (long long)mat1->shape[1], (long long)mat2->shape[0],
                       (long long)mat2->shape[1]);
    const Factors f = {beta, alpha};
    if (is_half_product(x, mat1, mat2, f)) return half_product(x, mat1, mat2, &addmm_half_op);
    return combine(x, mat1, mat2, f, t_mm, &addmm_op);
}

/* torch.addmv(input, a, b, beta, alpha): the same of a matrix and a vector. */
Tensor *t_addmv(Tensor *x, Tensor *mat, Tensor *vec, double beta, double alpha) {
    TG_COMPOSITE("addmv");
    if (!check_three(x, mat, vec)) return NULL;
    if (x->ndim > 1 || mat->ndim != 2 || vec->ndim != 1)
        return tg_fail("vector + matrix @ vector expected, got %d, %d, %d", x->ndim, mat->ndim, vec->ndim);
    int64_t size = x->ndim ? x->shape[0] : 1;
    if (mat->shape[1] != vec->shape[0] || (size != 1 && size != mat->shape[0]))
        return tg_fail("size mismatch, got input (%lld), mat (%lldx%lld), vec (%lld)", (long long)size,
                       (long long)mat->shape[0], (long long)mat->shape[1], (long long)vec->shape[0]);
    if (x->dtype != mat->dtype || mat->dtype != vec->dtype)
        return tg_fail("addmv input tensors must have the same dtype, but got %s, %s, and %s", tg_scalar_name(x->dtype),
                       tg_scalar_name(mat->dtype), tg_scalar_name(vec->dtype));
    return combine(x, mat, vec, (Factors){beta, alpha}, t_mv, &addmv_op);
}

/* torch.baddbmm(input, a, b, beta, alpha): the same of two batches of matrices. */
Tensor *t_baddbmm(Tensor *x, Tensor *batch1, Tensor *batch2, double beta, double alpha) {
    TG_COMPOSITE("baddbmm");
    TG_AUTOCAST(x);
    TG_AUTOCAST(batch1);
    TG_AUTOCAST(batch2);
    if (!check_three(x, batch1, batch2)) return NULL;
    if (batch1->ndim == 3 && batch2->ndim == 3 && x->dtype != batch1->dtype)
        return tg_fail("Input dtypes must be the same, got: input %s, batch1: %s, batch2: %s", tg_c_type_name(x->dtype),
                       tg_c_type_name(batch1->dtype), tg_c_type_name(batch2->dtype));
    if (batch1->ndim == 3 && batch2->ndim == 3 && batch1->dtype == t_bool && batch2->dtype == t_bool)
        return tg_not_implemented("baddbmm", t_bool);
    const Factors f = {beta, alpha};
    if (batch1->ndim == 3 && batch2->ndim == 3 && is_half_product(x, batch1, batch2, f))
        return tg_check_bmm(batch1, batch2, batch1->shape[0], batch2->shape[0])
                   ? half_product(x, batch1, batch2, &baddbmm_half_op)
                   : NULL;
    return combine(x, batch1, batch2, f, t_bmm, &baddbmm_op);
}

/* torch.addbmm(input, a, b, beta, alpha): beta input + alpha (a_1 b_1 + a_2 b_2 + ...), of two batches of matrices;
 * composed. */
Tensor *t_addbmm(Tensor *x, Tensor *batch1, Tensor *batch2, double beta, double alpha) {
    TG_COMPOSITE("addbmm");
    TG_AUTOCAST(x);
    TG_AUTOCAST(batch1);
    TG_AUTOCAST(batch2);
    if (!check_three(x, batch1, batch2)) return NULL;
    if (batch1->ndim != 3) return tg_fail("batch1 must be a 3D tensor");
    if (batch2->ndim != 3) return tg_fail("batch2 must be a 3D tensor");
    if (batch1->shape[0] != batch2->shape[0])
        return tg_fail("batch1 and batch2 must have same number of batches, got %lld and %lld",
                       (long long)batch1->shape[0], (long long)batch2->shape[0]);
    if (batch1->shape[2] != batch2->shape[1])
        return tg_fail("Incompatible matrix sizes for bmm (%lldx%lld and %lldx%lld)", (long long)batch1->shape[1],
                       (long long)batch1->shape[2], (long long)batch2->shape[1], (long long)batch2->shape[2]);
    if (tg_is_narrow_tensor(x)) {
        Tensor *y;
        TG_WITHOUT_AUTOCAST(y, t_addbmm(tg_widened(x), tg_widened(batch1), tg_widened(batch2), beta, alpha));
        return tg_narrowed(y, x->dtype);
    }
    const int64_t batch = 0;
    const int depth = t_scope_open();
    Tensor *product = depth ? t_sum_as(t_bmm(batch1, batch2), &batch, 1, false, x->dtype) : NULL;
    return tg_scope_return(depth, product ? scaled_sum(x, product, (Factors){beta, alpha}) : NULL);
}

/* Whether integers can have these factors; 2.0 is as good as 2. */
static bool check_factors(t_DType dtype, Factors f) {
    if (tg_is_floating(dtype)) return true;
    const char *name = f.beta != trunc(f.beta) ? "beta" : f.alpha != trunc(f.alpha) ? "alpha" : NULL;
    return !name || tg_fail("For integral input tensors, argument %s must not be a floating point number.", name);
}

/* torch.addr(input, a, b, beta, alpha): beta input + alpha a b^T, of two vectors; composed. Of integers, beta and alpha
 * are integers; of bools, the sum is "or" and the product "and". */
Tensor *t_addr(Tensor *x, Tensor *vec1, Tensor *vec2, double beta, double alpha) {
    TG_COMPOSITE("addr");
    if (!check_three(x, vec1, vec2)) return NULL;
    if (vec1->ndim != 1) return tg_fail("addr: Expected 1-D argument vec1, but got %d-D", vec1->ndim);
    if (vec2->ndim != 1) return tg_fail("addr: Expected 1-D argument vec2, but got %d-D", vec2->ndim);
    if (!check_factors(tg_result_type((Tensor *[]){x, vec1, vec2}, 3), (Factors){beta, alpha})) return NULL;
    if (tg_is_half(x->dtype) && vec1->dtype == x->dtype && vec2->dtype == x->dtype)
        return tg_narrowed(t_addr(tg_widened(x), tg_widened(vec1), tg_widened(vec2), beta, alpha), x->dtype);
    const int depth = t_scope_open();
    Tensor *product = depth ? t_outer(vec1, vec2) : NULL;
    if (product && product->dtype == t_bool && x->dtype == t_bool) {
        Tensor *y = t_logical_and(product, t_boolean(alpha != 0));
        if (y && beta != 0) y = t_logical_or(t_expand(x, y->shape, y->ndim), y);
        return tg_scope_return(depth, y);
    }
    return tg_scope_return(depth, product ? scaled_sum(x, product, (Factors){beta, alpha}) : NULL);
}

/* input.addmm_(a, b, beta, alpha) and its kind: in place; input must have the shape of the result. */
static Tensor *write_sum(Tensor *input, Tensor *y) {
    if (!y || tg_same_shape(input, y)) return tg_write_inplace(input, y);
    return tg_fail("Bad in-place call: input tensor size %s and output tensor size %s should match",
                   tg_shape_of(input), tg_shape_of(y));
}

typedef Tensor *Sum(Tensor *input, Tensor *a, Tensor *b, double beta, double alpha);

static Tensor *inplace(Tensor *input, Tensor *a, Tensor *b, double beta, double alpha, Sum *sum) {
    if (!check_three(input, a, b) || !tg_check_inplace(input)) return NULL;
    int depth = t_scope_open();
    Tensor *written = depth ? write_sum(input, sum(input, a, b, beta, alpha)) : NULL;
    t_scope_close(depth);
    return written;
}

Tensor *t_addmm_(Tensor *x, Tensor *mat1, Tensor *mat2, double beta, double alpha) {
    TG_COMPOSITE("addmm_");
    return inplace(x, mat1, mat2, beta, alpha, t_addmm);
}

Tensor *t_baddbmm_(Tensor *x, Tensor *batch1, Tensor *batch2, double beta, double alpha) {
    TG_COMPOSITE("baddbmm_");
    return inplace(x, batch1, batch2, beta, alpha, t_baddbmm);
}

Tensor *t_addmv_(Tensor *x, Tensor *mat, Tensor *vec, double beta, double alpha) {
    TG_COMPOSITE("addmv_");
    return inplace(x, mat, vec, beta, alpha, t_addmv);
}

Tensor *t_addbmm_(Tensor *x, Tensor *batch1, Tensor *batch2, double beta, double alpha) {
    TG_COMPOSITE("addbmm_");
    return inplace(x, batch1, batch2, beta, alpha, t_addbmm);
}

Tensor *t_addr_(Tensor *x, Tensor *vec1, Tensor *vec2, double beta, double alpha) {
    TG_COMPOSITE("addr_");
    return inplace(x, vec1, vec2, beta, alpha, t_addr);
}
