/* core/linalg/norm.c: norm, matrix_norm, cond, torch.norm. */
#include <math.h>
#include <string.h>

#include "core/linalg/linalg_internal.h"

/* ---- matrix_norm ---- */

/* "2", "inf", "fro": an order as PyTorch's errors name it; good until the next call. */
static const char *order_text(double ord) {
    static _Thread_local char text[32];
    if (ord == T_FRO) return "fro";
    if (ord == T_NUC) return "nuc";
    snprintf(text, sizeof text, "%g", ord);
    return text;
}

/* The maximum, or the minimum, over one dim; a maximum of no elements is 0. */
static Tensor *extreme(Tensor *x, int64_t dim, bool keepdim, bool largest) {
    if (!x || !largest) return t_amin(x, &dim, 1, keepdim);
    return x->shape[dim < 0 ? dim + x->ndim : dim] ? t_amax(x, &dim, 1, keepdim) : t_sum(x, &dim, 1, keepdim);
}

/* The sums of |A| along one dim, of which the other one is searched. */
static Tensor *largest_sum(Tensor *A, int64_t summed, int64_t searched, bool keepdim, bool largest) {
    Tensor *sums = t_sum(t_abs(A), &summed, 1, keepdim);
    return extreme(sums, !keepdim && searched > summed ? searched - 1 : searched, keepdim, largest);
}

/* Of the singular values: their sum, the largest or the smallest. */
static Tensor *of_singular_values(Tensor *A, double ord, const int64_t *dim, bool keepdim) {
    static const int64_t last = -1, ends[] = {-2, -1};
    Tensor *moved = t_movedim(A, dim, 2, ends, 2), *S = moved ? linalg_svdvals(moved) : NULL;
    Tensor *y = !S ? NULL : ord == T_NUC ? t_sum(S, &last, 1, false) : extreme(S, -1, false, ord > 0);
    if (!y || !keepdim) return y;
    const int64_t first = dim[0] < dim[1] ? dim[0] : dim[1], second = dim[0] + dim[1] - first;
    return t_unsqueeze(t_unsqueeze(y, first), second);
}

static Tensor *matrix_norm(Tensor *A, double ord, const int64_t *dim, bool keepdim) {
    if (ord == T_FRO) return linalg_vector_norm(A, 2, dim, 2, keepdim, 0);
    if (fabs(ord) == 2 || ord == T_NUC) return of_singular_values(A, ord, dim, keepdim);
    const bool rows = fabs(ord) == 1;
    return largest_sum(A, dim[rows ? 0 : 1], dim[rows ? 1 : 0], keepdim, ord > 0);
}

/* torch.linalg.matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, dtype=None): of the matrices in two dims: T_FRO:
 * the root of the sum of squares; T_NUC: the sum of the singular values, 2 and -2 the largest and the smallest; 1 and
 * -1: the largest and the smallest sum of absolute values of a column, INFINITY and -INFINITY of a row. Composed: it
 * has the gradients of its ops. Floating; dtype: a floating one, not narrower. Errors: rank, dims, order, dtype. */
Tensor *linalg_matrix_norm(Tensor *A, double ord, const int64_t *dim, int count, bool keepdim, t_DType dtype) {
    TG_COMPOSITE("linalg_matrix_norm");
    static const char f[] = "linalg.matrix_norm";
    static const int64_t last[] = {-2, -1};
    int wrapped[2];
    if (!tg_check_any(A, 1) || !tg_check_array(dim, count, 3, "dim") || !tg_check_dtype(dtype)) return NULL;
    if (count == 0) dim = last;
    const double size = fabs(ord);
    if (!tg_check_matrices(A, f, "A")) return NULL;
    if (ord != T_FRO && ord != T_NUC && size != 1 && size != 2 && !isinf(ord))
        return tg_fail("%s: Order %s not supported.", f, order_text(ord));
    if (!tg_check_is_floating(A, f)) return NULL;
    if (count != 0 && count != 2) {
        const char *text = tg_shape_text(dim, count); /* "[0, 1, 2]", of which PyTorch says what is within */
        return tg_fail("%s: dim must be a 2-tuple. Got %.*s", f, (int)strlen(text) - 2, text + 1);
    }
    if (!tg_wrap_dim(dim[0], A->ndim, &wrapped[0]) || !tg_wrap_dim(dim[1], A->ndim, &wrapped[1])) return NULL;
    if (wrapped[0] == wrapped[1])
        return tg_fail("%s: dims must be different. Got (%lld, %lld)", f, (long long)dim[0], (long long)dim[1]);
    if (dtype && !tg_is_floating(dtype))
        return tg_fail("%s: dtype should be floating point or complex, but got %s", f, tg_scalar_name(dtype));
    if (dtype && t_promote_types(A->dtype, dtype) != dtype)
        return tg_fail("%s: the dtype of the input (%s) should be convertible without narrowing to the specified dtype "
                       "(%s)", f, tg_scalar_name(A->dtype), tg_scalar_name(dtype));
    if (tg_is_half(A->dtype) && (ord == T_NUC || size == 2))
        return tg_fail("%s: Low precision dtypes not supported. Got %s", f, tg_scalar_name(A->dtype));
    if (tg_is_half(A->dtype))
        return t_to(linalg_matrix_norm(tg_widened(A), ord, dim, 2, keepdim, dtype == t_float64 ? dtype : 0),
                    dtype ? dtype : A->dtype);
    const int64_t dims[] = {wrapped[0], wrapped[1]};
    int depth = t_scope_open();
    Tensor *x = depth && dtype && dtype != A->dtype ? t_to(A, dtype) : A;
    Tensor *y = depth && x ? matrix_norm(x, ord, dims, keepdim) : NULL;
    return tg_scope_return(depth, y);
}

/* ---- norm ---- */

/* torch.linalg.norm(A, ord=None, dim=None, keepdim=False, dtype=None): matrix_norm over two dims, vector_norm over one;
 * without dims of a matrix and a vector; ord NAN (None): the root of the sum of squares over the dims, or over all
 * elements. T_FRO and T_NUC are orders of matrices only. Errors: as of these; the number of dims. */
Tensor *linalg_norm(Tensor *A, double ord, const int64_t *dim, int count, bool keepdim, t_DType dtype) {
    TG_COMPOSITE("linalg_norm");
    if (!tg_check_any(A, 1) || !tg_check_array(dim, count, 3, "dim")) return NULL;
    const bool none = isnan(ord), named = ord == T_FRO || ord == T_NUC;
    if (count > 2)
        return tg_fail("linalg.norm: If dim is specified, it must be of length 1 or 2. Got %s",
                       tg_shape_text(dim, count));
    if (count == 0 && !none && A->ndim != 1 && A->ndim != 2)
        return tg_fail("linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got %dD.",
                       A->ndim);
    if (named || (!none && (count == 2 || (count == 0 && A->ndim == 2))))
        return linalg_matrix_norm(A, ord, dim, count, keepdim, dtype);
    return linalg_vector_norm(A, none ? 2 : ord, dim, count, keepdim, dtype);
}

/* ---- cond ---- */

/* The largest singular value divided by the smallest, for -2 the smallest by the largest. */
static Tensor *ratio_of_singular_values(Tensor *A, bool inverted) {
    Tensor *S = linalg_svdvals(A);
    if (!S) return NULL;
    const int64_t k = S->shape[S->ndim - 1];
    Tensor *first = t_narrow(S, -1, 0, 1), *last = t_narrow(S, -1, k - 1, 1);
    return t_squeeze(inverted ? t_div(last, first) : t_div(first, last), -1);
}

/* |A| |inverse(A)|, where the norm of an inverse that does not exist is infinite. A product that is then NaN, of A = 0,
 * is infinite too, but in PyTorch not for "nuc". */
static Tensor *product_of_norms(Tensor *A, double ord) {
    Tensor *info = NULL, *inverse = linalg_inv_ex(A, false, &info), *infinite = t_number(INFINITY);
    Tensor *singular = inverse && infinite ? t_ne(info, t_number(0)) : NULL;
    Tensor *finite = t_masked_fill(inverse, t_unsqueeze(t_unsqueeze(singular, -1), -1), t_number(0));
    Tensor *of_A = finite ? linalg_matrix_norm(A, ord, NULL, 0, false, 0) : NULL,
           *of_inverse = of_A ? linalg_matrix_norm(finite, ord, NULL, 0, false, 0) : NULL;
    Tensor *y = t_mul(of_A, t_masked_fill(of_inverse, singular, infinite));
    return ord == T_NUC ? y : t_masked_fill(y, singular, infinite);
}

/* torch.linalg.cond(A, p=None): the condition number of matrices (..., m, n): for p NAN (None) and 2 the largest
 * singular value divided by the smallest, for -2 the reciprocal; for the other orders of matrix_norm, of square
 * matrices, |A| |inverse(A)|, infinite where A is singular. Composed. Errors: rank, order, not square. */
Tensor *linalg_cond(Tensor *A, double p) {
    TG_COMPOSITE("linalg_cond");
    TG_AUTOCAST_FLOAT32(A);
    if (!tg_check(A, 1)) return NULL;
    if (A->ndim < 2) return tg_fail("linalg.cond: The input tensor must have at least 2 dimensions.");
    const bool singular_values = isnan(p) || fabs(p) == 2;
    if (!singular_values && p != T_FRO && p != T_NUC && fabs(p) != 1 && !isinf(p))
        return tg_fail("linalg.cond got an invalid norm type: %s", order_text(p));
    if (!singular_values && tg_rows(A) != tg_columns(A))
        return tg_fail("linalg.cond(ord=%s): A must be batches of square matrices, but they are %lld by %lld matrices",
                       order_text(p), (long long)tg_rows(A), (long long)tg_columns(A));
    if (!tg_check_is_floating(A, singular_values ? "linalg.svd" : "linalg.cond")) return NULL;
    int depth = t_scope_open();
    Tensor *y = NULL;
    if (depth && tg_numel(A) == 0) y = (y = tg_empty_batch(A, T_NONE, T_NONE, A->dtype)) ? t_zero_(y) : NULL;
    else if (depth) y = singular_values ? ratio_of_singular_values(A, p == -2) : product_of_norms(A, p);
    return tg_scope_return(depth, y);
}

/* torch.norm(x, p="fro", dim=None, keepdim=False, dtype=None): vector_norm, with T_FRO for 2, over all dims or those
 * given; T_NUC: matrix_norm over the two dims. */
Tensor *t_norm(Tensor *x, double p, const int64_t *dim, int count, bool keepdim, t_DType dtype) {
    TG_COMPOSITE("norm");
    static const int64_t all[T_MAX_DIMS] = {0, 1, 2, 3, 4, 5, 6, 7};
    if (p != T_NUC) return linalg_vector_norm(x, p == T_FRO ? 2 : p, dim, count, keepdim, dtype);
    if (!tg_check_any(x, 1) || !tg_check_array(dim, count, 3, "dim")) return NULL;
    return linalg_matrix_norm(x, p, count ? dim : all, count ? count : x->ndim, keepdim, dtype);
}
