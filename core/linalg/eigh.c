/* core/linalg/eigh.c: eigh, eigvalsh, matrix_sqrth. */
#include <string.h>

#include "core/linalg/linalg_internal.h"

Tensor *tg_quotient(Tensor *x, Tensor *y) {
    Tensor *zero = t_number(0), *both = t_logical_and(t_eq(x, zero), t_eq(y, zero));
    return both ? t_div(x, t_where(both, t_number(1), y)) : NULL;
}

/* With M = V^T dV, dA = V (M_ij / (L_j - L_i) + diag(dL)) V^T off the diagonal of M (M. Giles, "An extended collection
 * of matrix derivative results", 2008), for any A. A symmetric A has a symmetric gradient, which the skew part of M,
 * (M - M^T) / 2, gives. Of equal eigenvalues only a gradient of 0 of their vectors has a meaning, and gives 0. */
static void eigh_backward(Record *r, Tensor *dy, Tensor **dx) {
    const tg_Parts *parts = r->attributes;
    Tensor *y = tg_saved(r, 0);
    if (!y) return;
    Tensor *L = tg_part(y, parts, 0), *V = tg_part(y, parts, 1), *dL = tg_part(dy, parts, 0),
           *dV = tg_part(dy, parts, 1);
    Tensor *M = t_matmul(t_mT(V), dV), *E = t_sub(t_unsqueeze(L, -2), t_unsqueeze(L, -1));
    M = t_mul(t_sub(M, t_mT(M)), t_number(0.5));
    Tensor *K = t_add(tg_quotient(M, E), tg_diagonal_matrix(dL));
    dx[0] = t_matmul(V, t_matmul(K, t_mT(V)));
}
static const Op eigh_op = {"linalg_eigh", "LinalgEighBackward0", eigh_backward},
                eigh_part_op = {"linalg_eigh", "LinalgEighBackward0", tg_part_backward};

/* A copy, of which the upper or the lower triangle counts, with that triangle in both places. */
static Tensor *symmetric_copy(Tensor *A, bool upper) {
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *one = upper ? t_triu(A, 0) : t_tril(A, 0), *other = t_mT(upper ? t_triu(A, 1) : t_tril(A, -1));
    Tensor *copy = tg_matrix_copy(t_add(one, other));
    t_set_grad_enabled(grad_enabled);
    return copy;
}

/* Into y, where the eigenvalues and, with `vectors`, the eigenvectors are one after the other. */
static bool decompose(Tensor *A, bool upper, bool vectors, const tg_Parts *parts, Tensor *y) {
    const int64_t n = tg_rows(A);
    Tensor *a = symmetric_copy(A, upper), *info = a ? tg_empty_batch(A, T_NONE, T_NONE, t_int32) : NULL;
    Tensor *work = info ? tg_workspace(tg_eigh_work(n), A->dtype) : NULL;
    Tensor *index = work ? tg_workspace(tg_eigh_index(n), t_int64) : NULL;
    if (!index) return false;
    for (int64_t i = 0, count = tg_matrix_count(A); i < count; i++)
        ((int32_t *)tg_data(info))[i] = (int32_t)
            tg_syevd(tg_is_double(A), n, tg_matrix_data(a, i), tg_element(y, parts->start[0] + i * n),
                     vectors ? tg_element(y, parts->start[1] + i * n * n) : NULL, tg_data(work), tg_data(index));
    return tg_check_info(info, "linalg.eigh", "The algorithm failed to converge because the input matrix is "
                                              "ill-conditioned or has too many repeated eigenvalues (error code: "
                                              "%lld).");
}

static Tensor *eigenvalues(Tensor *A, bool upper, bool vectors, Tensor **V) {
    const int64_t n = tg_rows(A);
    tg_Parts parts = {.count = 0};
    tg_add_part(&parts, A, n, T_NONE);
    if (vectors) tg_add_part(&parts, A, n, n);
    Tensor *y = tg_empty(&parts.total, 1, A->dtype);
    if (!y || !decompose(A, upper, vectors, &parts, y)) return NULL;
    y = tg_record(&eigh_op, y, INPUTS(A), SAVED(y), ATTRIBUTES(parts));
    if (y && vectors && !(*V = tg_output(&eigh_part_op, y, &parts, 1))) return NULL;
    return y ? tg_output(&eigh_part_op, y, &parts, 0) : NULL;
}

static Tensor *eigh(Tensor *A, const char *UPLO, bool vectors, Tensor **eigenvectors) {
    if (!tg_check(A, 1) || !tg_check_square(A, "linalg.eigh")) return NULL;
    const bool lower = !UPLO || strcmp(UPLO, "L") == 0 || strcmp(UPLO, "l") == 0;
    if (!lower && strcmp(UPLO, "U") != 0 && strcmp(UPLO, "u") != 0)
        return tg_fail("Expected UPLO argument to be 'L' or 'U', but got %s", UPLO);
    if (!tg_is_floating(A->dtype)) return tg_not_implemented("linalg_eigh_cpu", A->dtype);
    int depth = t_scope_open();
    Tensor *V = NULL, *L = depth ? t_keep_object(eigenvalues(A, !lower, vectors, &V)) : NULL;
    if (L && eigenvectors) *eigenvectors = t_keep_object(V);
    t_scope_close(depth);
    return L;
}

/* torch.linalg.eigh(A, UPLO="L"): the eigenvalues of symmetric matrices (..., n, n), ascending, (..., n), and in
 * *eigenvectors the orthonormal columns V of A = V diag(L) V^T; only the lower (UPLO "U": upper) triangle is read.
 * Floating. The sign of a vector is arbitrary, and may differ from PyTorch's. dA is above: not finite for a gradient of
 * the vectors of equal eigenvalues. Errors: not square, no convergence (NaN). |A - V L V^T| / |A| and |V^T V - I| /
 * sqrt(n) at n = 150, of a random A: 18 eps and 12 eps; LAPACK's syevd: 11 and 10. */
Tensor *linalg_eigh(Tensor *A, const char *UPLO, Tensor **eigenvectors) {
    TG_COMPOSITE("linalg_eigh");
    tg_clear_output(eigenvectors);
    TG_AUTOCAST_FLOAT32(A);
    return eigh(A, UPLO, true, eigenvectors);
}

/* torch.linalg.eigvalsh(A, UPLO="L"): the eigenvalues of eigh. The vectors are computed only if a gradient needs them.
 */
Tensor *linalg_eigvalsh(Tensor *A, const char *UPLO) {
    TG_COMPOSITE("linalg_eigvalsh");
    TG_AUTOCAST_FLOAT32(A);
    if (!tg_check_any(A, 1)) return NULL;
    return eigh(A, UPLO, tg_will_record(&A, 1), NULL);
}

/* ---- matrix_sqrth ---- */

/* The solution G of X G + G X = B, of symmetric positive definite X = V diag(s) V^T: V (V^T B V / (s_i + s_j)) V^T
 * (Lyapunov's equation). dB solves it for dG, and dX = -(dB G^T + G^T dB). */
static Tensor *lyapunov(Tensor *X, Tensor *B);
static void lyapunov_backward(Record *r, Tensor *dG, Tensor **dx) {
    Tensor *X = tg_saved(r, 0), *G = tg_saved(r, 1), *dB = X && G ? lyapunov(X, dG) : NULL;
    if (!dB) return;
    dx[0] = t_neg(t_add(t_matmul(dB, t_mT(G)), t_matmul(t_mT(G), dB)));
    dx[1] = dB;
}
static const Op lyapunov_op = {"lyapunov", "LinalgMatrixSqrthBackwardBackward0", lyapunov_backward};

static Tensor *lyapunov(Tensor *X, Tensor *B) {
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *V, *s = eigenvalues(X, false, true, &V);
    Tensor *sums = s ? t_add(t_unsqueeze(s, -1), t_unsqueeze(s, -2)) : NULL;
    Tensor *G = sums ? t_matmul(t_matmul(V, t_div(t_matmul(t_mT(V), t_matmul(B, V)), sums)), t_mT(V)) : NULL;
    t_set_grad_enabled(grad_enabled);
    return G ? tg_record(&lyapunov_op, G, INPUTS(X, B), SAVED(X, G), NONE) : NULL;
}

/* X X = A, so dX X + X dX = dA: the gradient G of A solves X G + G X = dX, symmetrised, as X is for any A. */
static void matrix_sqrth_backward(Record *r, Tensor *dX, Tensor **dx) {
    Tensor *X = tg_saved(r, 0);
    if (X) dx[0] = lyapunov(X, t_mul(t_add(dX, t_mT(dX)), t_number(0.5)));
}
static const Op matrix_sqrth_op = {"linalg_matrix_sqrth", "LinalgMatrixSqrthBackward0", matrix_sqrth_backward};

static Tensor *square_root(Tensor *A) {
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *V, *L = eigenvalues(A, false, true, &V);
    Tensor *X = L ? t_matmul(t_mul(V, t_unsqueeze(t_sqrt(L), -2)), t_mT(V)) : NULL;
    t_set_grad_enabled(grad_enabled);
    return X ? tg_record(&matrix_sqrth_op, X, INPUTS(A), SAVED(X), NONE) : NULL;
}

/* torch.linalg.matrix_sqrth(A): the symmetric X with X X = A, of symmetric positive definite A, whose lower triangle is
 * read. dA is symmetric, and finite for equal eigenvalues, too. */
Tensor *linalg_matrix_sqrth(Tensor *A) {
    TG_COMPOSITE("linalg_matrix_sqrth");
    static const char f[] = "linalg.matrix_sqrth";
    if (!tg_check(A, 1) || !tg_check_square(A, f) || !tg_check_is_floating(A, f)) return NULL;
    int depth = t_scope_open();
    Tensor *X = depth ? square_root(A) : NULL;
    return tg_scope_return(depth, X);
}
