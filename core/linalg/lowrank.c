/* core/linalg/lowrank.c: svd_lowrank, pca_lowrank: the largest singular values of large matrices. */
#include "core/linalg/linalg_internal.h"
#include "core/ops/creation/random_internal.h"

static Tensor *randn(int64_t rows, int64_t columns, t_DType dtype) {
    const t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
    return t_randn((int64_t[]){rows, columns}, 2, &options);
}

/* ---- svd_lowrank (N. Halko, P.-G. Martinsson and J. Tropp, "Finding structure with randomness", 2011) ---- */

/* An orthonormal basis, (..., m, q), of what A does to q random vectors after niter power iterations (algorithm 4.4).
 */
static Tensor *approximate_basis(Tensor *A, int64_t q, int64_t niter) {
    Tensor *Q = linalg_qr(t_matmul(A, randn(tg_columns(A), q, A->dtype)), NULL, NULL);
    for (int64_t i = 0; i < niter && Q; i++) {
        Q = linalg_qr(t_matmul(t_mT(A), Q), NULL, NULL);
        Q = Q ? linalg_qr(t_matmul(A, Q), NULL, NULL) : NULL;
    }
    return Q;
}

/* Algorithm 5.1, of A or of its transpose, whichever is tall. */
static Tensor *lowrank(Tensor *A, int64_t q, int64_t niter, Tensor **S, Tensor **V) {
    const bool is_wide = A && tg_rows(A) < tg_columns(A);
    Tensor *tall = is_wide ? t_mT(A) : A, *Vh = NULL, *Q = tall ? approximate_basis(tall, q, niter) : NULL;
    Tensor *U = Q ? linalg_svd(t_matmul(t_mT(Q), tall), false, S, &Vh) : NULL;
    Tensor *left = U ? t_matmul(Q, U) : NULL, *right = Vh ? t_mT(Vh) : NULL;
    *V = is_wide ? left : right;
    return !left || !right ? NULL : is_wide ? right : left;
}

/* In a scope; on failure the generator is restored. */
static Tensor *run_lowrank(Tensor *A, Tensor *minus, int64_t q, int64_t niter, Tensor **S, Tensor **V) {
    tg_Draws draws;
    Tensor *U = NULL, *values = NULL, *right = NULL;
    const int depth = t_scope_open();
    if (depth && tg_draws_begin(&draws, NULL)) {
        U = t_keep_object(lowrank(minus ? t_sub(A, minus) : A, q, niter, &values, &right));
        tg_draws_end(&draws, U != NULL);
    }
    if (U && S) *S = t_keep_object(values);
    if (U && V) *V = t_keep_object(right);
    t_scope_close(depth);
    return U;
}

/* torch.svd_lowrank(A, q=6, niter=2, M=None): A - M is about U diag(S) V^T, of rank q: U (..., m, q), and in *S (...,
 * q) and *V (..., n, q). A: (..., m, n), floating; M, NULL or broadcast to it. q random vectors are drawn (randn), and
 * improved by niter power iterations. Composed: it has the gradients of its ops. Errors: rank, dtype. */
Tensor *t_svd_lowrank(Tensor *A, int64_t q, int64_t niter, Tensor *M, Tensor **S, Tensor **V) {
    TG_COMPOSITE("svd_lowrank");
    tg_clear_output(S);
    tg_clear_output(V);
    TG_AUTOCAST_FLOAT32(A);
    static const char f[] = "torch.svd_lowrank";
    if (!tg_check(A, 1) || !tg_check_optional(M, 4) || !tg_check_matrices(A, f, "A") || !tg_check_is_floating(A, f))
        return NULL;
    return run_lowrank(A, M, q, niter, S, V);
}

/* torch.pca_lowrank(A, q=None, center=True, niter=2): svd_lowrank of A, (..., m samples, n features), minus the means
 * of its columns: the columns of V are the principal directions, S^2 / (m - 1) their variances. q: T_NONE is min(6, m,
 * n). Errors: those, q outside of 0 to min(m, n), niter below 0. */
Tensor *t_pca_lowrank(Tensor *A, int64_t q, bool center, int64_t niter, Tensor **S, Tensor **V) {
    TG_COMPOSITE("pca_lowrank");
    tg_clear_output(S);
    tg_clear_output(V);
    TG_AUTOCAST_FLOAT32(A);
    static const char f[] = "torch.pca_lowrank";
    if (!tg_check(A, 1) || !tg_check_matrices(A, f, "A") || !tg_check_is_floating(A, f)) return NULL;
    const int64_t m = tg_rows(A), n = tg_columns(A), least = m < n ? m : n, rows = -2;
    if (q == T_NONE) q = least < 6 ? least : 6;
    if (q < 0 || q > least)
        return tg_fail("q(=%lld) must be non-negative integer and not greater than min(m, n)=%lld", (long long)q,
                       (long long)least);
    if (niter < 0) return tg_fail("niter(=%lld) must be non-negative integer", (long long)niter);
    const int depth = t_scope_open();
    Tensor *means = center && depth ? t_mean(A, &rows, 1, true) : NULL;
    Tensor *U = depth && (means || !center) ? run_lowrank(A, means, q, niter, S, V) : NULL;
    if (U && S) t_keep_object(*S);
    if (U && V) t_keep_object(*V);
    return tg_scope_return(depth, U);
}
