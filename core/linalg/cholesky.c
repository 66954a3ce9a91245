/* core/linalg/cholesky.c: cholesky, cholesky_ex, cholesky_solve, cholesky_inverse. */
#include "core/linalg/linalg_internal.h"

#define NOT_POSITIVE_DEFINITE                                                                                        \
    "The factorization could not be completed because the input is not positive-definite (the leading minor of " \
    "order %lld is not positive-definite)."

/* ---- cholesky ---- */

/* A = L L^T: with P = L^T dL, of which Phi takes the lower triangle with half of the diagonal,
 * dA = sym(inverse(L)^T Phi(P) inverse(L)) (I. Murray, "Differentiation of the Cholesky decomposition", 2016). */
static void cholesky_backward(Record *r, Tensor *dL, Tensor **dx) {
    const bool upper = *(bool *)r->attributes;
    Tensor *L = tg_saved(r, 0), *half = t_number(0.5);
    if (!L || !half) return;
    if (upper) L = t_mT(L), dL = t_mT(dL);
    Tensor *P = t_matmul(t_mT(L), dL);
    Tensor *Phi = t_mul(t_add(t_tril(P, 0), t_tril(P, -1)), half);
    Tensor *left = linalg_solve_triangular(t_mT(L), Phi, true, true, false);
    Tensor *S = linalg_solve_triangular(L, left, false, false, false);
    dx[0] = t_mul(t_add(S, t_mT(S)), half);
}
static const Op cholesky_op = {"linalg_cholesky_ex", "LinalgCholeskyExBackward0", cholesky_backward};

/* L of the lower triangle of A, or U = L^T of the upper one. */
static Tensor *factor(Tensor *A, bool upper, Tensor *info) {
    Tensor *L = info ? tg_matrix_copy(upper ? t_mT(A) : A) : NULL;
    Tensor *work = L ? tg_workspace(tg_rows(A) * tg_rows(A), A->dtype) : NULL;
    if (!work) return NULL;
    const int64_t n = tg_rows(A);
    for (int64_t i = 0, count = tg_matrix_count(A); i < count; i++)
        ((int32_t *)tg_data(info))[i] =
            (int32_t)tg_potrf(tg_is_double(L), n, tg_matrix_data(L, i), n, tg_data(work));
    L = t_tril(L, 0);
    return upper ? t_contiguous(t_mT(L)) : L;
}

static Tensor *cholesky(Tensor *A, bool upper, bool check_errors, Tensor **info, const char *f) {
    if (!tg_check(A, 1) || !tg_check_square(A, f) || !tg_check_is_floating(A, f)) return NULL;
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *failed = depth ? tg_empty_batch(A, T_NONE, T_NONE, t_int32) : NULL, *L = factor(A, upper, failed);
    t_set_grad_enabled(grad_enabled);
    if (L && check_errors && !tg_check_info(failed, f, NOT_POSITIVE_DEFINITE)) L = NULL;
    L = t_keep_object(tg_record(&cholesky_op, L, INPUTS(A), SAVED(L), ATTRIBUTES(upper)));
    if (L && info) *info = t_keep_object(failed);
    t_scope_close(depth);
    return L;
}

/* torch.linalg.cholesky(A, upper=False): the lower triangular L with A = L L^T, or with `upper` U = L^T, of symmetric
 * positive definite matrices (..., n, n), of which only that triangle is read. Floating. Errors: not square; not
 * positive definite, with the order of the leading minor. Backward error |A - L L^T| / |A| at n = 150: 0.8 eps, as
 * LAPACK's potrf (0.7 to 1). */
Tensor *linalg_cholesky(Tensor *A, bool upper) {
    TG_COMPOSITE("linalg_cholesky");
    TG_AUTOCAST_FLOAT32(A);
    return cholesky(A, upper, true, NULL, "linalg.cholesky");
}

/* torch.linalg.cholesky_ex(A, upper=False, check_errors=False): the same; *info, int32, is 0 or that
 * order, which is an error only with check_errors. */
Tensor *linalg_cholesky_ex(Tensor *A, bool upper, bool check_errors, Tensor **info) {
    TG_COMPOSITE("linalg_cholesky_ex");
    tg_clear_output(info);
    TG_AUTOCAST_FLOAT32(A);
    return cholesky(A, upper, check_errors, info, "linalg.cholesky_ex");
}

/* ---- cholesky_solve, cholesky_inverse ---- */

/* (L L^T) X = B: L Y = B, L^T X = Y; with `upper` U^T Y = B, U X = Y. */
static Tensor *solved(Tensor *B, Tensor *L, bool upper) {
    Tensor *Y = linalg_solve_triangular(upper ? t_mT(L) : L, B, false, true, false);
    return Y ? linalg_solve_triangular(upper ? L : t_mT(L), Y, true, true, false) : NULL;
}

/* torch.cholesky_solve(B, L, upper=False): X of (L L^T) X = B, B (..., n, m), L (..., n, n) from cholesky. Composed of
 * two solve_triangular, which have the gradients: that of L is a triangle, while PyTorch's has values in the other one,
 * too. */
Tensor *t_cholesky_solve(Tensor *B, Tensor *L, bool upper) {
    TG_COMPOSITE("cholesky_solve");
    TG_AUTOCAST_FLOAT32(B);
    TG_AUTOCAST_FLOAT32(L);
    if (!tg_check_two(B, L)) return NULL;
    if (B->ndim < 2) return tg_fail("b should have at least 2 dimensions, but has %d dimensions instead", B->ndim);
    if (L->ndim < 2) return tg_fail("u should have at least 2 dimensions, but has %d dimensions instead", L->ndim);
    if (tg_rows(L) != tg_columns(L))
        return tg_fail("A must be batches of square matrices, but they are %lld by %lld matrices",
                       (long long)tg_rows(L), (long long)tg_columns(L));
    if (tg_rows(L) != tg_rows(B))
        return tg_fail("Incompatible matrix sizes for cholesky_solve: each A matrix is %lld by %lld but each b matrix "
                       "is %lld by %lld",
                       (long long)tg_rows(L), (long long)tg_rows(L), (long long)tg_rows(B), (long long)tg_columns(B));
    if (B->dtype != L->dtype)
        return tg_fail("Expected b and A to have the same dtype, but found b of type %s and A of type %s instead.",
                       tg_scalar_name(B->dtype), tg_scalar_name(L->dtype));
    if (!tg_is_floating(L->dtype)) return tg_not_implemented("cholesky_solve_cpu", L->dtype);
    int depth = t_scope_open();
    Tensor *X = depth ? solved(B, L, upper) : NULL;
    return tg_scope_return(depth, X);
}

static bool check_diagonal(Tensor *L) {
    Tensor *info = tg_empty_batch(L, T_NONE, T_NONE, t_int32);
    Tensor *values = info ? tg_matrix_copy(t_diagonal(L, 0, -2, -1)) : NULL;
    if (!values) return false;
    const int64_t n = tg_rows(L);
    for (int64_t i = 0, count = tg_matrix_count(L); i < count; i++) {
        int64_t k = 0;
        while (k < n && tg_real_at(values, i * n + k) != 0) k++;
        ((int32_t *)tg_data(info))[i] = k < n ? (int32_t)k + 1 : 0;
    }
    return tg_check_info(info, "cholesky_inverse", "The diagonal element %lld is zero, the inversion could not be "
                                                   "completed because the input matrix is singular.");
}

/* torch.cholesky_inverse(L, upper=False): the inverse of L L^T, as cholesky_solve of the identity. Errors: not square,
 * a 0 on the diagonal. */
Tensor *t_cholesky_inverse(Tensor *L, bool upper) {
    TG_COMPOSITE("cholesky_inverse");
    TG_AUTOCAST_FLOAT32(L);
    if (!tg_check(L, 1) || !tg_check_square(L, "cholesky_inverse")) return NULL;
    if (!tg_is_floating(L->dtype)) return tg_not_implemented("cholesky_inverse_out_cpu", L->dtype);
    int depth = t_scope_open();
    Tensor *eye = depth && check_diagonal(L) ? tg_eye_like(L, tg_rows(L), T_NONE) : NULL;
    Tensor *X = eye ? solved(eye, L, upper) : NULL;
    return tg_scope_return(depth, X);
}
