/* core/linalg/det.c: det, slogdet, logdet. */
#include <math.h>

#include "core/linalg/linalg_internal.h"

/* 1 or -1: the determinant of P, for a pivot that is not its own row changes the sign. */
static Tensor *sign_of(Tensor *pivots, t_DType dtype) {
    const int64_t k = pivots->shape[pivots->ndim - 1];
    Tensor *sign = tg_empty(pivots->shape, pivots->ndim - 1, dtype);
    for (int64_t i = 0, count = sign ? tg_numel(sign) : 0; i < count; i++) {
        int exchanges = 0;
        for (int64_t j = 0; j < k; j++) exchanges += ((int32_t *)tg_data(pivots))[i * k + j] != j + 1;
        tg_set_element(dtype, tg_element(sign, i), exchanges % 2 ? -1 : 1);
    }
    return sign;
}

static Tensor *diagonal_of(Tensor *LU) {
    return t_diagonal(LU, 0, -2, -1);
}

/* inverse(A)^T times c on the diagonal. */
static Tensor *inverse_transposed(Tensor *LU, Tensor *pivots, Tensor *c) {
    int64_t shape[T_MAX_DIMS];
    for (int d = 0; LU && d < LU->ndim; d++) shape[d] = LU->shape[d];
    Tensor *column = LU && c ? t_expand(t_unsqueeze(c, -1), shape, LU->ndim - 1) : NULL;
    return column ? linalg_lu_solve(LU, pivots, tg_diagonal_matrix(column), true, true) : NULL;
}

/* With a graph, A is factorised again, so that the factors have a history. */
static Tensor *factors(Record *r, Tensor **pivots) {
    Tensor *A = tg_saved(r, 0), *LU = tg_saved(r, 1);
    *pivots = tg_saved(r, 2);
    if (!A || !LU || !*pivots) return NULL;
    return t_is_grad_enabled() ? linalg_lu_factor_ex(A, true, false, pivots, NULL) : LU;
}

/* ---- det ---- */

/* dA = dy det(A) inverse(A)^T. For a singular A, zeros on the diagonal of U become the smallest number whose reciprocal
 * is safe: that changes A by nothing that matters and gives the cofactors. */
static void det_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *pivots, *LU = factors(r, &pivots), *zero = t_number(0);
    if (!LU || !zero) return;
    Tensor *tiny = t_mul(t_to(t_eq(diagonal_of(LU), zero), LU->dtype),
                         t_number(tg_is_double(LU) ? 0x1p-52 : (double)0x1p-23f));
    LU = t_add(LU, tg_diagonal_matrix(tiny));
    Tensor *det = t_mul(t_prod(diagonal_of(LU), -1, false, 0), sign_of(pivots, dy->dtype));
    dx[0] = inverse_transposed(LU, pivots, t_mul(dy, det));
}
static const Op det_op = {"linalg_det", "LinalgDetBackward0", det_backward};

static Tensor *determinant(Tensor *A) {
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *pivots, *LU = tg_lu(A, &pivots, NULL);
    Tensor *y = LU ? t_mul(t_prod(diagonal_of(LU), -1, false, 0), sign_of(pivots, A->dtype)) : NULL;
    t_set_grad_enabled(grad_enabled);
    return tg_record(&det_op, y, INPUTS(A), SAVED(A, LU, pivots), NONE);
}

/* torch.linalg.det(A), torch.det(A): the determinant of square matrices (..., n, n), the product of the diagonal of U
 * of P L U; 1 for n = 0. Floating. dA = dy det(A) inverse(A)^T. Errors: not square. */
Tensor *linalg_det(Tensor *A) {
    TG_COMPOSITE("linalg_det");
    if (!tg_check(A, 1) || !tg_check_square(A, "linalg.det") || !tg_check_is_floating(A, "linalg.det")) return NULL;
    int depth = t_scope_open();
    Tensor *y = depth ? determinant(A) : NULL;
    return tg_scope_return(depth, y);
}

/* ---- slogdet ---- */

/* dA = dy inverse(A)^T; not finite for a singular A */
static void slogdet_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *pivots, *LU = factors(r, &pivots);
    if (LU) dx[0] = inverse_transposed(LU, pivots, dy);
}
static const Op slogdet_op = {"linalg_slogdet", "LinalgSlogdetBackward0", slogdet_backward};

static Tensor *sign_and_log(Tensor *A, Tensor **logabsdet) {
    static const int64_t last = -1;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *pivots, *LU = tg_lu(A, &pivots, NULL), *d = LU ? diagonal_of(LU) : NULL;
    Tensor *sign = d ? t_mul(t_prod(t_sign(d), -1, false, 0), sign_of(pivots, A->dtype)) : NULL;
    Tensor *y = sign ? t_sum(t_log(t_abs(d)), &last, 1, false) : NULL;
    t_set_grad_enabled(grad_enabled);
    *logabsdet = tg_record(&slogdet_op, y, INPUTS(A), SAVED(A, LU, pivots), NONE);
    return *logabsdet ? sign : NULL;
}

static Tensor *slogdet(Tensor *A, Tensor **logabsdet, const char *f) {
    if (!tg_check(A, 1) || !tg_check_square(A, f) || !tg_check_is_floating(A, f)) return NULL;
    int depth = t_scope_open();
    Tensor *log_of_abs = NULL, *sign = depth ? t_keep_object(sign_and_log(A, &log_of_abs)) : NULL;
    if (sign && logabsdet) *logabsdet = t_keep_object(log_of_abs);
    t_scope_close(depth);
    return sign;
}

/* torch.linalg.slogdet(A), torch.slogdet(A): the sign of the determinant, which has no gradient, and the logarithm of
 * its absolute value in *logabsdet; 0 and -inf for a singular A. dA = dy inverse(A)^T. Errors: not square. */
Tensor *linalg_slogdet(Tensor *A, Tensor **logabsdet) {
    TG_COMPOSITE("linalg_slogdet");
    tg_clear_output(logabsdet);
    return slogdet(A, logabsdet, "linalg.slogdet");
}

/* torch.logdet(A): the logarithm of the determinant; NaN where that is negative. Composed of slogdet. */
Tensor *t_logdet(Tensor *A) {
    TG_COMPOSITE("logdet");
    int depth = t_scope_open();
    Tensor *log_of_abs, *sign = depth ? slogdet(A, &log_of_abs, "logdet") : NULL;
    Tensor *is_negative = sign ? t_eq(sign, t_number(-1)) : NULL;
    Tensor *y = is_negative ? t_where(is_negative, t_number(NAN), log_of_abs) : NULL;
    return tg_scope_return(depth, y);
}
