/* nn/functional/linear/linear.c: F.linear, y = x W^T + b, and F.bilinear, y = a W b + bias. */
#include <string.h>

#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/packed_weight.h"
#include "nn/functional/linear/linear.h"
#include "nn/functional/linear/linear_internal.h"

/* ---- forward ---- */

/* x as a matrix (rows, columns) on the stack: a vector is one row; a non-contiguous x of more than 2 dims is copied. */
static bool as_rows(Tensor *x, Tensor *rows) {
    if (x->ndim > 2 && !tg_is_contiguous(x) && !(x = t_contiguous(t_detach(x)))) return false;
    int64_t columns = x->shape[x->ndim - 1];
    *rows = *x;
    rows->ndim = 2;
    rows->shape[0] = tg_shape_numel(x->shape, x->ndim - 1);
    rows->shape[1] = columns;
    rows->strides[0] = x->ndim == 2 ? x->strides[0] : columns;
    rows->strides[1] = x->strides[x->ndim - 1];
    return true;
}

static tg_Matrix matrix_of(const Tensor *x) {
    return (tg_Matrix){tg_data(x), x->strides[0], x->strides[1]};
}

/* The bias as a matrix that is added to the rows. A vector of the right length is used as it is; anything else goes
 * through t_expand, which also sets the error. */
static bool bias_matrix(Tensor *bias, const Tensor *rows, tg_Matrix *plus) {
    Tensor *x = bias->ndim == 1 && bias->shape[0] == rows->shape[1] ? bias : t_expand(t_detach(bias), rows->shape, 2);
    if (x) *plus = (tg_Matrix){tg_data(x), x->ndim == 2 ? x->strides[0] : 0, x->strides[x->ndim - 1]};
    return x != NULL;
}

/* W^T has W's strides, exchanged. */
Tensor *tg_linear_product(Tensor *x, Tensor *weight, Tensor *bias, tg_Product *p) {
    int64_t shape[T_MAX_DIMS];
    memcpy(shape, x->shape, sizeof shape);
    shape[x->ndim - 1] = weight->shape[0];
    Tensor *y = tg_empty(shape, x->ndim, x->dtype), from, to;
    if (!y || !as_rows(x, &from) || !as_rows(y, &to)) return NULL;
    *p = (tg_Product){
        .m = to.shape[0], .n = to.shape[1], .k = from.shape[1], .a = matrix_of(&from), .c = matrix_of(&to)};
    p->b = (tg_Matrix){tg_data(weight), weight->strides[1], weight->strides[0]};
    if (!t_is_grad_enabled() && !tg_is_half(x->dtype)) p->packed = tg_packed_weight(weight, p);
    return !bias || bias_matrix(bias, &to, &p->plus) ? y : NULL;
}

static Tensor *fused_linear(Tensor *x, Tensor *weight, Tensor *bias) {
    tg_Product p;
    Tensor *y = tg_linear_product(x, weight, bias, &p);
    if (y && tg_is_half(x->dtype))
        return tg_gemm_bfloat16(&p, NULL) ? y : tg_fail("out of memory: the buffers of a matrix product");
    if (y) tg_gemm(y->dtype == t_float64, &p);
    return y;
}

/* float16, and bfloat16 where the processor has no products of it: computed in float32, rounded once. */
static Tensor *widened_linear(Tensor *x, Tensor *weight, Tensor *bias) {
    const bool grad_enabled = t_set_grad_enabled(false);
    Tensor *wide[] = {tg_widened(x), tg_widened(weight), tg_widened_optional(bias)};
    Tensor *y = wide[0] && wide[1] && (!bias || wide[2]) ? fused_linear(wide[0], wide[1], wide[2]) : NULL;
    y = tg_narrowed(y, x->dtype);
    t_set_grad_enabled(grad_enabled);
    return y;
}

static Tensor *multiply(Tensor *x, Tensor *weight, Tensor *bias) {
    const bool widens = tg_is_half(x->dtype) && !(x->dtype == t_bfloat16 && tg_gemm_has_bfloat16());
    return widens ? widened_linear(x, weight, bias) : fused_linear(x, weight, bias);
}

/* ---- gradient ---- */

Tensor *tg_flatten_rows(Tensor *x) {
    if (!x || x->ndim == 2) return x;
    return t_reshape(x, (int64_t[]){tg_shape_numel(x->shape, x->ndim - 1), x->shape[x->ndim - 1]}, 2);
}

/* dx[i] = a b in the shape of input i, or a b is added to the gradient that input i has so far. */
static void gemm_into(Record *r, int i, Tensor *a, Tensor *b, Tensor **dx) {
    Tensor *sum = tg_accumulated_gradient(r, i), rows;
    if (sum && (sum->dtype != a->dtype || !tg_is_contiguous(sum))) sum = NULL;
    Tensor *to = sum ? sum : tg_empty_gradient(r, i, a->dtype);
    if (!to || !as_rows(to, &rows)) return;
    tg_Product p = {.m = rows.shape[0], .n = rows.shape[1], .k = a->shape[1], .a = matrix_of(a), .b = matrix_of(b),
                    .c = matrix_of(&rows)};
    if (sum) p.plus = p.c;
    tg_gemm(to->dtype == t_float64, &p);
    if (!sum) dx[i] = to;
}

void tg_linear_gradients(Record *r, int i, Tensor *dy, Tensor *x, Tensor *weight, Tensor **dx) {
    Tensor *rows = tg_flatten_rows(dy);
    bool composed = t_is_grad_enabled() || tg_is_half(dy->dtype);
    if (weight && composed) dx[i] = t_matmul(dy, weight);
    else if (weight && rows) gemm_into(r, i, rows, weight, dx);
    Tensor *transposed = x ? t_t(rows) : NULL, *from = tg_flatten_rows(x);
    if (transposed && from && composed) dx[i + 1] = t_mm(transposed, from);
    else if (transposed && from) gemm_into(r, i + 1, transposed, from, dx);
}

Tensor *tg_epilogue_gradient(tg_Epilogue *f, Tensor *dy) {
    if (!dy) return NULL;
    f->f64 = dy->dtype == t_float64;
    f->rows = dy->shape[0];
    f->n = dy->shape[1];
    f->dy = tg_data(dy);
    const int64_t count = tg_epilogue_workspace(f);
    Tensor *db = tg_empty(&f->n, 1, dy->dtype), *workspace = db && count ? tg_empty(&count, 1, dy->dtype) : NULL;
    if (!db || (count && !workspace)) return NULL;
    f->db = tg_data(db);
    f->workspace = workspace ? tg_data(workspace) : NULL;
    tg_epilogue_backward(f);
    return db;
}

/* (Of float16 and bfloat16 the sums are of float32, and rounded by the tape.) */
Tensor *tg_bias_gradient(const Record *r, int i, Tensor *rows) {
    const Edge *bias = &r->edges[i];
    if (tg_is_half(rows->dtype) && !t_is_grad_enabled() && !(rows = tg_widened(rows))) return NULL;
    bool fused = !t_is_grad_enabled() && bias->ndim == 1 && bias->shape[0] == rows->shape[1] && tg_is_contiguous(rows);
    return fused ? tg_epilogue_gradient(&(tg_Epilogue){.activation = TG_NO_ACTIVATION}, rows) : rows;
}

/* dx = dy W, dW = dy^T x over all rows; db = the sum of dy over the rows. */
static void linear_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *weight = tg_saved(r, 1), *rows = tg_flatten_rows(dy);
    if (!rows) return;
    tg_linear_gradients(r, 0, dy, tg_needs(r, 1) ? x : NULL, tg_needs(r, 0) ? weight : NULL, dx);
    if (tg_needs(r, 2)) dx[2] = tg_bias_gradient(r, 2, rows);
}

/* One backward under several names: grad_fn is named after the ops of which PyTorch composes linear. */
static const Op mm_op = {"linear", "MmBackward0", linear_backward, .takes_half = true};
static const Op addmm_op = {"linear", "AddmmBackward0", linear_backward, .takes_half = true};
static const Op view_op = {"linear", "UnsafeViewBackward0", linear_backward, .takes_half = true};
static const Op squeeze_op = {"linear", "SqueezeBackward4", linear_backward, .takes_half = true};
static const Op add_op = {"linear", "AddBackward0", linear_backward, .takes_half = true};

static const Op *op_for(const Tensor *x, const Tensor *bias) {
    if (x->ndim == 2) return bias ? &addmm_op : &mm_op;
    if (!bias) return x->ndim == 1 ? &squeeze_op : &view_op;
    return tg_is_contiguous(x) && tg_is_contiguous(bias) ? &view_op : &add_op;
}

/* ---- F.linear ---- */

/* True where PyTorch calls addmm; otherwise it adds the bias to the product. */
static bool is_addmm(const Tensor *x, const Tensor *bias) {
    return bias && (x->ndim == 2 || (bias->ndim == 1 && tg_is_contiguous(x) && tg_is_contiguous(bias)));
}

/* The fused path: floating dtypes, a matrix for weight, a bias that is a vector (or broadcasts to the rows of a
 * matrix), sizes that match. */
static bool is_plain(const Tensor *x, const Tensor *weight, const Tensor *bias) {
    return tg_is_floating(x->dtype) && weight->dtype == x->dtype && weight->ndim == 2 && x->ndim > 0 &&
           x->shape[x->ndim - 1] == weight->shape[1] &&
           (!bias || (bias->dtype == x->dtype &&
                      (is_addmm(x, bias) || (bias->ndim == 1 && bias->shape[0] == weight->shape[0]))));
}

/* All other calls, and all errors, which the ops set. */
static Tensor *composed_linear(Tensor *x, Tensor *weight, Tensor *bias) {
    TG_COMPOSITE("linear");
    if (x->ndim == 0 || weight->ndim == 0)
        return tg_fail("both arguments to linear need to be at least 1D, but they are %dD and %dD", x->ndim,
                       weight->ndim);
    Tensor *transposed = t_t(weight);
    if (!transposed) return NULL;
    if (!is_addmm(x, bias)) {
        Tensor *product = t_matmul(x, transposed);
        return bias && product ? t_add_(product, bias) : product;
    }
    int64_t shape[T_MAX_DIMS];
    memcpy(shape, x->shape, sizeof shape);
    Tensor *rows = tg_flatten_rows(x), *y = rows ? t_addmm(bias, rows, transposed, 1, 1) : NULL;
    if (y) shape[x->ndim - 1] = y->shape[1];
    return y && x->ndim != 2 ? t_view(y, shape, x->ndim) : y;
}

/* F.linear(x, weight, bias): y = x W^T + b. x: (..., in), weight: (out, in), bias: (out) or NULL; returns (..., out).
 * Floating dtypes, all the same; integers too, without a gradient. dx = dy W, dW = dy^T x, db = dy summed over the
 * rows. Errors: sizes that do not match, dtypes that differ. */
Tensor *F_linear(Tensor *x, Tensor *weight, Tensor *bias) {
    TG_AUTOCAST(x);
    TG_AUTOCAST(weight);
    TG_AUTOCAST(bias);
    if (!tg_check_any_two(x, weight) || !tg_check_any_optional(bias, 3)) return NULL;
    bool fused = is_plain(x, weight, bias);
    if (!fused && tg_is_narrow(x->dtype) && x->dtype == weight->dtype && (!bias || x->dtype == bias->dtype)) {
        Tensor *y;
        TG_WITHOUT_AUTOCAST(y, F_linear(tg_widened(x), tg_widened(weight), tg_widened_optional(bias)));
        return tg_narrowed(y, x->dtype);
    }
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = t_keep_object(fused ? multiply(x, weight, bias) : composed_linear(x, weight, bias));
    t_scope_close(depth);
    if (!fused || !y) return y;
    return tg_record(op_for(x, bias), y, INPUTS(x, weight, bias),
                     SAVED(weight->requires_grad ? x : NULL, x->requires_grad ? weight : NULL), NONE);
}

/* ---- F.bilinear ---- */

static bool check_bilinear(const Tensor *a, const Tensor *b, const Tensor *weight, const Tensor *bias) {
    if (a->ndim != b->ndim)
        return tg_fail("bilinear(): input dimensions do not match: got %d and %d", a->ndim, b->ndim);
    for (int d = 0; d < a->ndim - 1; d++)
        if (a->shape[d] != b->shape[d])
            return tg_fail("bilinear(): input batch dimensions do not match at dim %d: got %lld and %lld", d,
                           (long long)a->shape[d], (long long)b->shape[d]);
    if (weight->ndim != 3) return tg_fail("bilinear(): weight must be 3-D, not %d-D", weight->ndim);
    if (a->ndim == 0) return tg_fail("bilinear(): inputs must be at least 1-D");
    for (int i = 1; i <= 2; i++) {
        const Tensor *x = i == 1 ? a : b;
        if (x->shape[x->ndim - 1] != weight->shape[i])
            return tg_fail("bilinear(): input%d size does not match weight size: got %lld but expected %lld", i,
                           (long long)x->shape[x->ndim - 1], (long long)weight->shape[i]);
    }
    if (!bias || (bias->ndim == 1 && bias->shape[0] == weight->shape[0])) return true;
    return tg_fail("bilinear(): bias size does not match weight size: got %lld but expected %lld",
                   (long long)(bias->ndim ? bias->shape[0] : 1), (long long)weight->shape[0]);
}

static Tensor *bilinear(Tensor *a, Tensor *b, Tensor *weight, Tensor *bias) {
    int64_t shape[T_MAX_DIMS];
    memcpy(shape, a->shape, sizeof shape);
    shape[a->ndim - 1] = weight->shape[0];
    Tensor *rows[3] = {tg_flatten_rows(a), weight, tg_flatten_rows(b)};
    t_TensorList *three = rows[0] && rows[2] ? t_list_new(rows, 3) : NULL;
    Tensor *y = three ? t_einsum("bi,oij,bj->bo", three) : NULL;
    if (!(y = y ? t_view(t_contiguous(y), shape, a->ndim) : NULL)) return NULL;
    return bias ? t_add(y, bias) : tg_detach_from_base(y);
}

/* F.bilinear(a, b, weight, bias): y[..., o] = sum over i and j of a[..., i] W[o, i, j] b[..., j] + bias[o].
 * a: (..., in1), b: (..., in2) with equal batch dims, W: (out, in1, in2), bias: (out) or NULL; floating, one dtype.
 * Computed and differentiated as an einsum. Errors: sizes that do not match. */
Tensor *F_bilinear(Tensor *input1, Tensor *input2, Tensor *weight, Tensor *bias) {
    TG_COMPOSITE("bilinear");
    if (tg_is_narrow_tensor(input1))
        return tg_narrowed(F_bilinear(tg_widened(input1), tg_widened_optional(input2), tg_widened_optional(weight),
                                      tg_widened_optional(bias)),
                           input1->dtype);
    if (!tg_check_three(input1, input2, weight) || !tg_check_optional(bias, 4)) return NULL;
    if (!check_bilinear(input1, input2, weight, bias)) return NULL;
    int depth = t_scope_open();
    Tensor *y = NULL;
    if (depth) TG_WITHOUT_AUTOCAST(y, bilinear(input1, input2, weight, bias)); /* PyTorch does not cast in it */
    return tg_scope_return(depth, y);
}
