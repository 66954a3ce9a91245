/* core/linalg/svd.c: svd, svdvals, and torch.svd. */
#include "core/linalg/linalg_internal.h"

typedef struct SVD {
    tg_Parts parts; /* S, U and Vh, or S alone */
    int64_t m, n;
} SVD;

/* ---- gradient ---- */

static Tensor *minus_transposed(Tensor *x) {
    return t_sub(x, t_mT(x));
}

/* x - Q Q^T x: the part of x that is orthogonal to the columns of Q. */
static Tensor *orthogonal_part(Tensor *Q, Tensor *x) {
    return t_sub(x, t_matmul(Q, t_matmul(t_mT(Q), x)));
}

/* With k = min(m, n) columns of U and V, and E_ij = s_j^2 - s_i^2 (J. Townsend, "Differentiating the singular value
 * decomposition", 2016):
 *     dA = U (skew(U^T dU) / E S + S skew(V^T dV) / E + diag(dS)) V^T
 *          + (I - U U^T) dU inverse(S) V^T + U inverse(S) dV^T (I - V V^T)
 * Of equal singular values only a gradient of 0 of their vectors has a meaning, and gives 0. */
static void svd_backward(Record *r, Tensor *dy, Tensor **dx) {
    const SVD *svd = r->attributes;
    const int64_t k = svd->m < svd->n ? svd->m : svd->n;
    Tensor *y = tg_saved(r, 0);
    if (!y) return;
    Tensor *S = tg_part(y, &svd->parts, 0), *dS = tg_part(dy, &svd->parts, 0);
    Tensor *U = t_narrow(tg_part(y, &svd->parts, 1), -1, 0, k), *dU = t_narrow(tg_part(dy, &svd->parts, 1), -1, 0, k);
    Tensor *V = t_mT(t_narrow(tg_part(y, &svd->parts, 2), -2, 0, k)),
           *dV = t_mT(t_narrow(tg_part(dy, &svd->parts, 2), -2, 0, k));
    Tensor *row = t_unsqueeze(S, -2), *column = t_unsqueeze(S, -1), *E = t_sub(t_square(row), t_square(column));
    Tensor *u = tg_quotient(minus_transposed(t_matmul(t_mT(U), dU)), E),
           *v = tg_quotient(minus_transposed(t_matmul(t_mT(V), dV)), E);
    Tensor *K = t_add(t_add(t_mul(u, row), t_mul(column, v)), tg_diagonal_matrix(dS));
    Tensor *dA = t_matmul(U, t_matmul(K, t_mT(V)));
    if (svd->m > k) dA = t_add(dA, t_matmul(tg_quotient(orthogonal_part(U, dU), row), t_mT(V)));
    if (svd->n > k) dA = t_add(dA, t_matmul(U, t_mT(tg_quotient(orthogonal_part(V, dV), row))));
    dx[0] = dA;
}
static const Op svd_op = {"linalg_svd", "LinalgSvdBackward0", svd_backward},
                svd_part_op = {"linalg_svd", "LinalgSvdBackward0", tg_part_backward};

/* ---- svd ---- */

/* Whether each matrix of x is finite. */
static bool check_finite(Tensor *x) {
    static const int64_t last[] = {-2, -1};
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *broken = t_logical_not(t_isfinite(x)), *any = broken ? t_any(broken, last, 2, false) : NULL;
    Tensor *info = any ? t_contiguous(t_to(any, t_int32)) : NULL;
    t_set_grad_enabled(grad_enabled);
    return info && tg_check_info(info, "linalg.svd", "The algorithm failed to converge because the input matrix "
                                                     "contained non-finite values.");
}

/* Part i of y, not recorded. */
static Tensor *unrecorded_part(Tensor *y, const tg_Parts *parts, int i) {
    int64_t strides[T_MAX_DIMS];
    tg_contiguous_strides(parts->shape[i], parts->ndim[i], strides);
    return tg_view(y, parts->shape[i], strides, parts->ndim[i], y->offset + parts->start[i]);
}

/* A with more columns than rows is transposed: A^T = V S U^T. */
static bool decompose(Tensor *A, const SVD *svd, bool full, Tensor *y) {
    const bool wide = svd->m < svd->n, vectors = svd->parts.count > 1;
    tg_Svd p = {.m = wide ? svd->n : svd->m, .n = wide ? svd->m : svd->n};
    p.columns = full ? p.m : p.n;
    Tensor *a = tg_matrix_copy(wide ? t_mT(A) : A), *info = a ? tg_empty_batch(A, T_NONE, T_NONE, t_int32) : NULL;
    Tensor *u = vectors && info ? tg_empty_batch(A, p.m, p.columns, A->dtype) : NULL,
           *v = u ? tg_empty_batch(A, p.n, p.n, A->dtype) : NULL;
    Tensor *work = info && (v || !vectors) ? tg_workspace(tg_svd_work(&p), A->dtype) : NULL,
           *index = work ? tg_workspace(tg_svd_index(&p), t_int64) : NULL;
    if (!index) return false;
    for (int64_t i = 0, count = tg_matrix_count(A); i < count; i++) {
        p.a = tg_matrix_data(a, i);
        p.s = tg_element(y, svd->parts.start[0] + i * p.n);
        p.u = vectors ? tg_matrix_data(u, i) : NULL;
        p.v = vectors ? tg_matrix_data(v, i) : NULL;
        ((int32_t *)tg_data(info))[i] = (int32_t)tg_gesvd(tg_is_double(A), &p, tg_data(work), tg_data(index));
    }
    if (!tg_check_info(info, "linalg.svd", "The algorithm failed to converge because the input matrix is "
                                           "ill-conditioned or has too many repeated singular values (error code: "
                                           "%lld)."))
        return false;
    if (!vectors) return true;
    Tensor *U = unrecorded_part(y, &svd->parts, 1), *Vh = U ? unrecorded_part(y, &svd->parts, 2) : NULL;
    return Vh && t_copy_(U, wide ? t_mT(v) : u) && t_copy_(Vh, wide ? t_mT(u) : v);
}

/* S, and with `vectors` U and Vh. */
static Tensor *svd(Tensor *A, bool vectors, bool full, Tensor **U, Tensor **Vh) {
    SVD svd = {.m = tg_rows(A), .n = tg_columns(A)};
    const int64_t k = svd.m < svd.n ? svd.m : svd.n;
    tg_add_part(&svd.parts, A, k, T_NONE);
    if (vectors) {
        tg_add_part(&svd.parts, A, svd.m, full ? svd.m : k);
        tg_add_part(&svd.parts, A, full ? svd.n : k, svd.n);
    }
    Tensor *y = tg_empty(&svd.parts.total, 1, A->dtype);
    bool grad_enabled = t_set_grad_enabled(false);
    bool done = y && check_finite(A) && decompose(A, &svd, full, y);
    t_set_grad_enabled(grad_enabled);
    if (!done || !(y = tg_record(&svd_op, y, INPUTS(A), SAVED(y), ATTRIBUTES(svd)))) return NULL;
    if (vectors && !(*U = tg_output(&svd_part_op, y, &svd.parts, 1))) return NULL;
    if (vectors && !(*Vh = tg_output(&svd_part_op, y, &svd.parts, 2))) return NULL;
    return tg_output(&svd_part_op, y, &svd.parts, 0);
}

static bool check_svd(const Tensor *A) {
    return tg_check(A, 1) && tg_check_matrices(A, "linalg.svd", "A") && tg_check_is_floating(A, "linalg.svd");
}

/* torch.linalg.svd(A, full_matrices=True): A = U diag(S) Vh of matrices (..., m, n): U (..., m, m), in *S the singular
 * values (..., k), descending, k = min(m, n), and in *Vh (..., n, n), both orthogonal; without full_matrices U (..., m,
 * k) and Vh (..., k, n). Floating. The common sign of a column of U and a row of Vh is arbitrary, and may differ from
 * PyTorch's. dA is above: of full matrices the columns after the first k have none, as in PyTorch; not finite for a
 * gradient of the vectors of equal singular values. Errors: rank, dtype, values that are not finite. |A - U S Vh| / |A|
 * and |U^T U - I| / sqrt(n) at n = 150, of a random A: 16 eps and 11 eps; LAPACK's gesdd: 11 and 10. */
Tensor *linalg_svd(Tensor *A, bool full_matrices, Tensor **S, Tensor **Vh) {
    TG_COMPOSITE("linalg_svd");
    tg_clear_output(S);
    tg_clear_output(Vh);
    TG_AUTOCAST_FLOAT32(A);
    if (!check_svd(A)) return NULL;
    int depth = t_scope_open();
    Tensor *U = NULL, *rows = NULL, *values = depth ? svd(A, true, full_matrices, &U, &rows) : NULL;
    U = values ? t_keep_object(U) : NULL;
    if (U && S) *S = t_keep_object(values);
    if (U && Vh) *Vh = t_keep_object(rows);
    t_scope_close(depth);
    return U;
}

/* torch.linalg.svdvals(A): the singular values of svd; the vectors are computed only if the gradient, U diag(dS) Vh,
 * needs them. */
Tensor *linalg_svdvals(Tensor *A) {
    TG_COMPOSITE("linalg_svdvals");
    TG_AUTOCAST_FLOAT32(A);
    if (!check_svd(A)) return NULL;
    int depth = t_scope_open();
    Tensor *U, *Vh, *S = depth ? svd(A, tg_will_record(&A, 1), false, &U, &Vh) : NULL;
    return tg_scope_return(depth, S);
}

static Tensor *zeros(Tensor *A, int64_t n) {
    Tensor *x = tg_empty_batch(A, n, n, A->dtype);
    return x ? t_zero_(x) : NULL;
}

/* torch.svd(A, some=True, compute_uv=True): U, *S and *V, not transposed; all columns of both without `some`; zeros
 * (..., m, m) and (..., n, n) without compute_uv. */
Tensor *t_svd(Tensor *A, bool some, bool compute_uv, Tensor **S, Tensor **V) {
    TG_COMPOSITE("svd");
    tg_clear_output(S);
    tg_clear_output(V);
    if (!tg_check(A, 1)) return NULL;
    if (A->ndim < 2)
        return tg_fail("linalg.svd: input should have at least 2 dimensions, but has %d dimensions instead", A->ndim);
    if (!tg_check_is_floating(A, "linalg.svd")) return NULL;
    int depth = t_scope_open();
    Tensor *U = NULL, *Vh = NULL, *values = depth ? svd(A, compute_uv, !some, &U, &Vh) : NULL;
    Tensor *left = !values ? NULL : compute_uv ? U : zeros(A, tg_rows(A)),
           *right = !left ? NULL : compute_uv ? t_mT(Vh) : zeros(A, tg_columns(A));
    left = right ? t_keep_object(left) : NULL;
    if (left && S) *S = t_keep_object(values);
    if (left && V) *V = t_keep_object(right);
    t_scope_close(depth);
    return left;
}

/* ---- polar ---- */

/* A = W S V^T = (W V^T)(V S V^T). The mean with its transpose makes H symmetric to the bit. */
static Tensor *polar(Tensor *A, Tensor **H) {
    Tensor *S = NULL, *Vh = NULL, *W = linalg_svd(A, false, &S, &Vh);
    Tensor *U = W ? t_matmul(W, Vh) : NULL;
    Tensor *VSV = U ? t_matmul(t_mul(t_mT(Vh), t_unsqueeze(S, -2)), Vh) : NULL;
    *H = VSV ? t_mul(t_add(VSV, t_mT(VSV)), t_number(0.5)) : NULL;
    return *H ? U : NULL;
}

/* torch.linalg.polar(A): A = U H of matrices (..., m, n), m >= n, U with orthonormal columns, the nearest such matrix,
 * and in *H a symmetric positive semidefinite one, (..., n, n). Composed of linalg_svd, so that equal singular values
 * have no gradient here. Errors: rank, dtype, m < n. |A - U H| / |A| and |U^T U - I| / sqrt(n) of a
 * random A of 200 rows at n = 150: 27 eps and 16 eps; PyTorch's, in LAPACK: 16 to 20 and 13 to 16. */
Tensor *linalg_polar(Tensor *A, Tensor **H) {
    TG_COMPOSITE("linalg_polar");
    tg_clear_output(H);
    TG_AUTOCAST_FLOAT32(A);
    static const char f[] = "linalg.polar";
    if (!tg_check(A, 1)) return NULL;
    if (A->ndim < 2) return tg_fail("%s: The input tensor A must have at least 2 dimensions.", f);
    if (!tg_check_is_floating(A, f)) return NULL;
    if (tg_rows(A) < tg_columns(A))
        return tg_fail("%s: input must have at least as many rows as columns, but got %lld by %lld matrices", f,
                       (long long)tg_rows(A), (long long)tg_columns(A));
    int depth = t_scope_open();
    Tensor *factor = NULL, *U = depth ? polar(A, &factor) : NULL;
    if (H && U) *H = t_keep_object(factor);
    return depth ? tg_scope_return(depth, U) : NULL;
}
