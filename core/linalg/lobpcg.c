/* core/linalg/lobpcg.c: torch.lobpcg: a few of the largest or smallest eigenvalues of large symmetric matrices.
 *
 * A. Knyazev, "Toward the optimal preconditioned eigensolver: locally optimal block preconditioned conjugate gradient
 * method", 2001 (method "basic"); J. Duersch, M. Shao, C. Yang and M. Gu, "A robust and efficient implementation of
 * LOBPCG", 2018 (method "ortho").
 *
 * Each step is a Rayleigh-Ritz procedure in the space that the columns of S = [X P W] span: X, (m, n), approximates the
 * eigenvectors, P is the last change of X, and W is made of the residuals R = A X - B X diag(E). The first
 * converged_count columns are not changed any more. */
#include <math.h>
#include <string.h>

#include "core/linalg/linalg_internal.h"
#include "core/ops/creation/random_internal.h"

const t_LobpcgOptions t_LobpcgDefaults = {.size = sizeof(t_LobpcgOptions),
                                          .k = T_NONE,
                                          .n = T_NONE,
                                          .niter = 1000,
                                          .tol = NAN,
                                          .largest = true,
                                          .ortho_i_max = 3,
                                          .ortho_j_max = 3,
                                          .ortho_tol = NAN,
                                          .ortho_tol_drop = NAN,
                                          .ortho_tol_replace = NAN};

/* ---- small parts ---- */

/* NAN with an error set on failure. */
static double norm_of(Tensor *x) {
    Tensor *norm = linalg_vector_norm(x, 2, NULL, 0, false, 0);
    return norm ? t_item(norm) : NAN;
}

/* A X, or X where A is None, the identity. */
static Tensor *product(Tensor *A, Tensor *X) {
    return A ? t_matmul(A, X) : X;
}

/* S^T A S */
static Tensor *quadratic_form(Tensor *A, Tensor *S) {
    return t_matmul(t_mT(S), product(A, S));
}

/* x[:, from:to] */
static Tensor *columns(Tensor *x, int64_t from, int64_t to) {
    return t_slice(x, 1, from, to, 1);
}

static bool set_columns(Tensor *x, int64_t from, int64_t to, Tensor *values) {
    return t_copy_(columns(x, from, to), values) != NULL;
}

/* The eigenvalues and eigenvectors (columns of *Z) of a symmetric M, from the largest one down or from the smallest one
 * up. */
static Tensor *eigenpairs(Tensor *M, bool largest, Tensor **Z) {
    static const int64_t last = -1;
    Tensor *vectors = NULL, *values = linalg_eigh(M, "U", &vectors);
    if (!values) return NULL;
    *Z = largest ? t_flip(vectors, &last, 1) : vectors;
    return largest ? t_flip(values, &last, 1) : values;
}

/* The indices at which a vector's condition holds. */
static Tensor *indices_where(Tensor *condition) {
    Tensor *rows = t_nonzero(condition);
    return rows ? t_squeeze(rows, 1) : NULL;
}

/* The upper triangular Ri that makes S Ri B-orthonormal: of SBS = S^T B S, with D = diag(SBS)^-1/2 and the Cholesky
 * factor R^T R of D SBS D, Ri = D R^-1 (Duersch et al., algorithm 1). */
static Tensor *rayleigh_ritz_transform(Tensor *B, Tensor *S) {
    Tensor *SBS = quadratic_form(B, S), *d = SBS ? t_rsqrt(t_diagonal(SBS, 0, -2, -1)) : NULL;
    Tensor *scaled = d ? t_mul(t_mul(SBS, d), t_unsqueeze(d, 1)) : NULL;
    Tensor *R = scaled ? linalg_cholesky(scaled, true) : NULL;
    return R ? linalg_solve_triangular(R, tg_diagonal_matrix(d), true, false, false) : NULL;
}

/* ---- the orthogonal basis (A. Stathopoulos and K. Wu, "A block orthogonalization procedure with constant
 * synchronization requirements", 2002, and J. Duersch's thesis, 2015, algorithms 3, 4 and 6) ---- */

/* U with B-orthonormal columns, by the eigenvectors of U^T B U. Eigenvalues below tau times the largest are raised to
 * it, or, with `drops`, left out. */
static Tensor *svqb(Tensor *B, Tensor *U, bool drops, double tau) {
    if (tg_numel(U) == 0) return U;
    Tensor *UBU = quadratic_form(B, U), *d = UBU ? t_diagonal(UBU, 0, -2, -1) : NULL, *zero = t_number(0), *Z = NULL;
    Tensor *index = d ? indices_where(t_ne(d, zero)) : NULL;
    if (!index) return NULL;
    if (tg_numel(index) < tg_numel(d)) { /* columns of zeros */
        U = t_index_select(U, 1, index);
        if (!U || tg_numel(U) == 0) return U;
        UBU = quadratic_form(B, U);
        d = UBU ? t_diagonal(UBU, 0, -2, -1) : NULL;
    }
    Tensor *scale = d ? t_rsqrt(d) : NULL, *scaled = scale ? t_mul(t_mul(UBU, t_unsqueeze(scale, 1)), scale) : NULL;
    Tensor *E = scaled ? eigenpairs(scaled, false, &Z) : NULL;
    Tensor *least = E ? t_mul(t_amax(t_abs(E), NULL, 0, false), t_number(tau)) : NULL;
    if (!least) return NULL;
    if (drops) {
        Tensor *kept = indices_where(t_gt(E, least));
        E = kept ? t_index_select(E, 0, kept) : NULL;
        Z = kept ? t_index_select(Z, 1, kept) : NULL;
    } else {
        E = t_where(t_lt(E, least), least, E);
    }
    return E ? t_matmul(t_mul(U, scale), t_mul(Z, t_rsqrt(E))) : NULL;
}

/* U with B-orthonormal columns that are B-orthogonal to those of V, which has such columns; without columns if all of
 * them are combinations of V's. */
static Tensor *orthogonalized(t_LOBPCG *w, const t_LobpcgOptions *o, Tensor *U, Tensor *V) {
    Tensor *Vt = t_mT(V);
    const double BV_norm = norm_of(product(w->B, V));
    Tensor *VBU = t_matmul(Vt, product(w->B, U));
    w->ortho_i = w->ortho_j = 0;
    for (int64_t i = 0; VBU && i < o->ortho_i_max; i++) {
        w->ortho_i = i;
        U = t_sub(U, t_matmul(V, VBU));
        for (int64_t j = 0; U && j < o->ortho_j_max; j++) {
            const bool drops = o->ortho_use_drop && j > 0;
            w->ortho_j = j;
            U = svqb(w->B, U, drops, o->ortho_use_drop && j == 0 ? o->ortho_tol_drop : o->ortho_tol_replace);
            if (!U || tg_numel(U) == 0) return U;
            Tensor *BU = product(w->B, U), *UBU = t_matmul(t_mT(U), BU);
            Tensor *error = UBU ? t_sub(UBU, tg_eye_like(U, tg_columns(U), tg_columns(U))) : NULL;
            if (!error) return NULL;
            if (norm_of(error) / (norm_of(BU) * norm_of(U)) < o->ortho_tol) break;
        }
        if (!U) return NULL;
        VBU = t_matmul(Vt, product(w->B, U));
        if (norm_of(VBU) / (BV_norm * norm_of(U)) < o->ortho_tol) break;
    }
    return VBU ? U : NULL;
}

/* ---- steps ---- */

/* R, and how many of the first columns have converged: |R_i| < tol |X_i| (|A| + |E_i| |B|), where |A| is estimated by
 * |A X| / |X| of the first X (Duersch et al., section 4.3). */
static bool update_residual(t_LOBPCG *w) {
    static const int64_t rows = 0;
    Tensor *R = t_sub(t_matmul(w->A, w->X), t_mul(product(w->B, w->X), w->E));
    if (!R || !t_copy_(w->R, R)) return false;
    Tensor *scale = t_add(t_mul(t_abs(w->E), t_number(w->B_norm)), t_number(w->A_norm));
    Tensor *length = t_mul(linalg_vector_norm(w->X, 2, &rows, 1, false, 0), scale);
    if (!t_copy_(w->rerr, t_div(linalg_vector_norm(w->R, 2, &rows, 1, false, 0), length))) return false;
    int64_t count = 0;
    for (const void *rerr = tg_data(w->rerr); count < w->n; count++)
        if (tg_is_double(w->X) ? !(((const double *)rerr)[count] < w->tol)
                               : !(((const float *)rerr)[count] < (float)w->tol))
            break;
    if (count < w->converged_count)
        return tg_fail("the number of converged eigenpairs (was %lld, got %lld) cannot decrease",
                       (long long)w->converged_count, (long long)count);
    w->converged_count = count;
    return true;
}

/* S = [X P W]; W of the new residuals. P may be NULL. */
static bool update_basis(t_LOBPCG *w, const t_LobpcgOptions *o, bool ortho, Tensor *P) {
    const int64_t with_P = w->n + (P ? tg_columns(P) : 0), from = w->istep ? w->converged_count : 0;
    if (!set_columns(w->S, 0, w->n, w->X) || (P && !set_columns(w->S, w->n, with_P, P))) return false;
    Tensor *R = columns(w->R, from, w->n);
    Tensor *W = ortho ? orthogonalized(w, o, R, columns(w->S, 0, with_P)) : product(w->iK, R);
    if (!W) return false;
    w->converged_end = with_P + W->shape[W->ndim - 1];
    return set_columns(w->S, with_P, w->converged_end, W);
}

/* The Rayleigh-Ritz procedure in the space of X. PyTorch's "ortho" sets E after the second step only. */
static bool first_step(t_LOBPCG *w, const t_LobpcgOptions *o, bool ortho) {
    Tensor *Z = NULL, *Ri = rayleigh_ritz_transform(w->B, w->X);
    Tensor *M = Ri ? quadratic_form(quadratic_form(w->A, w->X), Ri) : NULL;
    Tensor *E = M ? eigenpairs(M, w->largest, &Z) : NULL;
    if (!E || !t_copy_(w->X, t_matmul(w->X, t_matmul(Ri, Z))) || (!ortho && !t_copy_(w->E, E))) return false;
    return update_residual(w) && update_basis(w, o, ortho, NULL);
}

static bool basic_step(t_LOBPCG *w, const t_LobpcgOptions *o) {
    const int64_t n = w->n, nc = w->converged_count, active = n - nc;
    Tensor *Z = NULL, *S = columns(w->S, nc, w->converged_end), *Ri = rayleigh_ritz_transform(w->B, S);
    Tensor *M = Ri ? quadratic_form(quadratic_form(w->A, S), Ri) : NULL, *E = M ? eigenpairs(M, w->largest, &Z) : NULL;
    if (!E || !set_columns(w->X, nc, n, t_matmul(S, t_matmul(Ri, columns(Z, 0, active)))) ||
        !t_copy_(t_slice(w->E, 0, nc, n, 1), t_slice(E, 0, 0, active, 1)))
        return false;
    Tensor *P = t_matmul(S, t_matmul(Ri, columns(Z, n, n + active)));
    return P && update_residual(w) && update_basis(w, o, false, P);
}

/* S is orthonormal; P is made so by the QR decomposition of a part of Z (Duersch et al., section 4.2). */
static bool ortho_step(t_LOBPCG *w, const t_LobpcgOptions *o) {
    const int64_t n = w->n, nc = w->converged_count, active = n - nc;
    Tensor *Z = NULL, *S = columns(w->S, nc, w->converged_end), *M = quadratic_form(w->A, S);
    Tensor *E = M ? eigenpairs(M, w->largest, &Z) : NULL;
    if (!E || !set_columns(w->X, nc, n, t_matmul(S, columns(Z, 0, active))) ||
        !t_copy_(t_slice(w->E, 0, nc, n, 1), t_slice(E, 0, 0, active, 1)))
        return false;
    Tensor *rest = columns(Z, active, tg_columns(Z)), *top = t_slice(rest, 0, 0, active, 1);
    Tensor *Q = top ? linalg_qr(t_mT(top), NULL, NULL) : NULL, *P = Q ? t_matmul(S, t_matmul(rest, Q)) : NULL;
    return P && update_residual(w) && update_basis(w, o, true, P);
}

static bool step(t_LOBPCG *w, const t_LobpcgOptions *o, bool ortho) {
    const int64_t failures = tg_thread.failures; /* of a norm, too */
    const int depth = t_scope_open();
    const bool ok = depth && (w->istep == 0 ? first_step(w, o, ortho) : ortho ? ortho_step(w, o) : basic_step(w, o));
    t_scope_close(depth);
    w->iterations_left--;
    w->istep++;
    return ok && !tg_failed_since(failures);
}

static bool call_tracker(t_LOBPCG *w, const t_LobpcgOptions *o) {
    const int64_t failures = tg_thread.failures;
    if (!o->tracker) return true;
    const int depth = tg_scope_open_around_callback();
    if (depth) o->tracker(w, o->context);
    tg_scope_close(depth);
    return depth && !tg_failed_since(failures);
}

/* From X on, which is a copy; sets w->E and w->X. As in PyTorch a niter of 0 or less is no bound. */
static bool iterate(t_LOBPCG *w, const t_LobpcgOptions *o, bool ortho) {
    t_TensorOptions options = {.size = sizeof options, .dtype = w->X->dtype};
    w->E = t_zeros(&w->n, 1, &options);
    w->R = t_zeros((int64_t[]){w->m, w->n}, 2, &options);
    w->S = t_zeros((int64_t[]){w->m, 3 * w->n}, 2, &options);
    w->rerr = t_zeros(&w->n, 1, &options);
    if (!w->E || !w->R || !w->S || !w->rerr) return false;
    Tensor *AX = t_matmul(w->A, w->X), *BX = product(w->B, w->X);
    if (!AX || !BX) return false;
    w->X_norm = norm_of(w->X);
    if (w->X_norm == 0) return tg_fail("0.0 cannot be raised to a negative power");
    w->A_norm = norm_of(AX) / w->X_norm;
    w->B_norm = norm_of(BX) / w->X_norm;
    if (isnan(w->X_norm + w->A_norm + w->B_norm) && t_error()) return false;
    w->iterations_left = o->niter;
    do
        if (!step(w, o, ortho) || !call_tracker(w, o)) return false;
    while (!w->force_stop && w->iterations_left != 0 && w->converged_count < w->k);
    return true;
}

/* ---- the gradient ---- */

typedef struct Attributes {
    tg_Parts parts;
    bool has_B;
} Attributes;

/* The part of dA outside of the span of U: the perturbation of U_i in it is (d_i - A)^-1 dA U_i, so that dA = Y U^T,
 * where (d_i - A) Y_i = dU_i, both projected by P = I - U U^T. The matrices P (d_i - A) P + U U^T are regular where d_i
 * is not an eigenvalue of A in that space. */
static Tensor *outside_of_span(Tensor *A, Tensor *D, Tensor *U, Tensor *dU) {
    Tensor *UUt = t_matmul(U, t_mT(U)), *P = UUt ? t_sub(tg_eye_like(A, tg_rows(A), tg_rows(A)), UUt) : NULL;
    Tensor *PAP = P ? t_matmul(P, t_matmul(A, P)) : NULL, *right = P ? t_matmul(P, dU) : NULL;
    t_TensorList *Y = right ? t_list_new(NULL, 0) : NULL;
    for (int64_t i = 0; Y && i < tg_columns(U); i++) {
        Tensor *d = t_unsqueeze(t_narrow(D, -1, i, 1), -1);
        Tensor *matrix = t_add(t_sub(t_mul(P, d), PAP), UUt);
        if (!t_list_append(Y, linalg_solve(matrix, t_narrow(right, -1, i, 1), true))) return NULL;
    }
    return Y ? t_matmul(t_cat(Y, -1), t_mT(U)) : NULL;
}

/* As of eigh, with M = U^T dU off the diagonal: U (M_ij / (D_j - D_i) + diag(dD)) U^T, and what is outside. */
static void lobpcg_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Attributes *a = r->attributes;
    Tensor *A = tg_saved(r, 0), *y = A ? tg_saved(r, 1) : NULL;
    if (y && a->has_B) tg_fail("lobpcg.backward does not support backward with B != I yet.");
    if (!y || a->has_B) return;
    Tensor *D = tg_part(y, &a->parts, 0), *U = tg_part(y, &a->parts, 1), *dD = tg_part(dy, &a->parts, 0),
           *dU = tg_part(dy, &a->parts, 1);
    Tensor *M = t_matmul(t_mT(U), dU), *E = t_sub(t_unsqueeze(D, -2), t_unsqueeze(D, -1));
    if (!M || !E) return;
    M = t_sub(M, tg_diagonal_matrix(t_diagonal(M, 0, -2, -1)));
    Tensor *K = t_add(tg_quotient(M, E), tg_diagonal_matrix(dD)), *inside = t_matmul(U, t_matmul(K, t_mT(U)));
    dx[0] = tg_columns(U) == tg_rows(U) ? inside : t_add(inside, outside_of_span(A, D, U, dU));
}
static const Op lobpcg_op = {"lobpcg", "LOBPCGAutogradFunctionBackward", lobpcg_backward},
                lobpcg_part_op = {"lobpcg", "LOBPCGAutogradFunctionBackward", tg_part_backward};

/* ---- torch.lobpcg ---- */

static Tensor *symmetrized(Tensor *A) {
    return A ? t_mul(t_add(A, t_mT(A)), t_number(0.5)) : NULL;
}

/* Item i of a batch of matrices (count, rows, columns); of NULL NULL. */
static Tensor *matrix_at(Tensor *batch, int64_t i) {
    return batch ? t_select(batch, 0, i) : NULL;
}

/* E and X of each matrix of the batch into y. A, B, and o->X are three-dimensional. */
static bool solve_batch(Tensor *A, Tensor *B, const t_LobpcgOptions *o, t_LOBPCG *w, const tg_Parts *parts, Tensor *y,
                        bool is_batch) {
    const bool ortho = !o->method || strcmp(o->method, "ortho") == 0;
    t_TensorOptions options = {.size = sizeof options, .dtype = A->dtype};
    Tensor *values = tg_part(y, parts, 0), *vectors = tg_part(y, parts, 1);
    values = values ? t_reshape(values, (int64_t[]){A->shape[0], w->k < w->n ? w->k : w->n}, 2) : NULL;
    vectors = values ? t_reshape(vectors, (int64_t[]){A->shape[0], w->m, w->k < w->n ? w->k : w->n}, 3) : NULL;
    for (int64_t i = 0; vectors && i < A->shape[0]; i++) {
        const int depth = t_scope_open();
        t_LOBPCG item = *w;
        item.A = matrix_at(A, i);
        item.B = matrix_at(B, i);
        item.batch_index = is_batch ? i : T_NONE;
        item.X = o->X ? tg_matrix_copy(matrix_at(o->X, i)) : t_randn((int64_t[]){w->m, w->n}, 2, &options);
        const bool ok = depth && item.A && item.X && iterate(&item, o, ortho) &&
                        t_copy_(t_select(values, 0, i), t_slice(item.E, 0, 0, w->k, 1)) &&
                        t_copy_(t_select(vectors, 0, i), columns(item.X, 0, w->k));
        t_scope_close(depth);
        if (!ok) return false;
    }
    return vectors != NULL;
}

/* x of (..., rows, columns) as a batch of A's size; of NULL NULL. */
static Tensor *as_batch(Tensor *A, Tensor *x) {
    int64_t count = 1;
    for (int d = 0; d < A->ndim - 2; d++) count *= A->shape[d];
    return x ? t_reshape(x, (int64_t[]){count, tg_rows(x), tg_columns(x)}, 3) : NULL;
}

static Tensor *run(Tensor *A, t_LobpcgOptions o, t_LOBPCG *w) {
    Tensor *tracked[] = {A, o.B}, *B = o.B;
    if (A->requires_grad || (B && B->requires_grad)) {
        A = symmetrized(A);
        B = B ? symmetrized(B) : NULL;
        tracked[0] = A;
        tracked[1] = B;
        if (!A || (o.B && !B)) return NULL;
    }
    Attributes a = {.has_B = B != NULL};
    const int64_t kept = w->k < w->n ? w->k : w->n;
    tg_add_part(&a.parts, A, kept, T_NONE);
    tg_add_part(&a.parts, A, w->m, kept);
    const bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = tg_empty(&a.parts.total, 1, A->dtype), *matrices = as_batch(A, A), *Bs = B ? as_batch(A, B) : NULL;
    o.X = as_batch(A, o.X);
    bool ok = y && matrices && (!B || Bs) && solve_batch(matrices, Bs, &o, w, &a.parts, y, A->ndim > 2);
    t_set_grad_enabled(grad_enabled);
    if (!ok) return NULL;
    y = B ? tg_record(&lobpcg_op, y, tracked, 2, SAVED(A, y), ATTRIBUTES(a))
          : tg_record(&lobpcg_op, y, tracked, 1, SAVED(A, y), ATTRIBUTES(a));
    Tensor *E = y ? tg_output(&lobpcg_part_op, y, &a.parts, 0) : NULL;
    if (E && o.eigenvectors && !(*o.eigenvectors = tg_output(&lobpcg_part_op, y, &a.parts, 1))) return NULL;
    return E;
}

static void set_default(double *value, double other) {
    if (isnan(*value)) *value = other;
}

/* Checks the arguments, and sets the defaults that depend on others. */
static bool prepare(Tensor *A, t_LobpcgOptions *o, t_LOBPCG *w) {
    static const char f[] = "torch.lobpcg";
    Tensor *B = o->B, *X = o->X;
    if (!tg_check(A, 1) || !tg_check_optional(B, 3) || !tg_check_optional(X, 4) || !tg_check_optional(o->iK, 6) ||
        !tg_check_matrices(A, f, "A"))
        return false;
    if (tg_rows(A) != tg_columns(A)) return tg_fail("A must be square, got shape torch.Size(%s)", tg_shape_of(A));
    if (B && !tg_same_shape(A, B))
        return tg_fail("A and B must have same shape, got torch.Size(%s) vs torch.Size(%s)", tg_shape_of(A),
                       tg_shape_of(B));
    if (!tg_check_is_floating(A, f) || (X && !tg_check_matrices(X, f, "X"))) return false;
    if (o->method && strcmp(o->method, "ortho") != 0 && strcmp(o->method, "basic") != 0)
        return tg_fail("torch.lobpcg: method is \"ortho\" or \"basic\", got \"%s\"", o->method);
    set_default(&o->tol, sqrt(tg_is_double(A) ? 2.23e-16 : 1.2e-07));
    set_default(&o->ortho_tol, o->tol);
    set_default(&o->ortho_tol_drop, o->tol);
    set_default(&o->ortho_tol_replace, o->tol);
    w->m = tg_rows(A);
    w->k = o->k != T_NONE ? o->k : X ? tg_columns(X) : 1;
    w->n = X ? tg_columns(X) : o->n != T_NONE ? o->n : w->k;
    if (w->n > w->m / 3)
        return tg_fail("LOBPCG algorithm is not applicable when the number of A rows (=%lld) is smaller than 3 x the "
                       "number of requested eigenpairs (=%lld)",
                       (long long)w->m, (long long)w->n);
    if (X && (tg_rows(X) != w->m || (A->ndim == 2 && X->ndim != 2)))
        return tg_fail("X shape mismatch: got torch.Size(%s), expected (%lld, %lld)", tg_shape_of(X), (long long)w->m,
                       (long long)w->n);
    if (w->k < 0 || w->n < 0) {
        const long long bad = w->n < 0 ? w->n : w->k;
        return tg_fail("Trying to create tensor with negative dimension %lld: [%lld, %lld]", bad, (long long)w->m, bad);
    }
    w->tol = o->tol;
    w->largest = o->largest;
    w->iK = o->iK;
    return true;
}

/* torch.lobpcg(A, k=None, B=None, X=None, n=None, iK=None, niter=None, tol=None, largest=None, method=None): the k
 * largest (.largest = false: smallest) eigenvalues E of A x = e B x, (..., k), and in *eigenvectors the B-orthonormal
 * columns X, (..., m, k); see t_LobpcgOptions. A, (..., m, m), is symmetric, and only its products are used. Without X
 * the first approximation is drawn by randn, for one matrix of a batch after another. E and X are as near as tol says:
 * |A x - e B x| < tol |x| (|A| + |e| |B|). The sign of a vector is arbitrary, and may differ from PyTorch's.
 *
 * If A or B requires grad it is replaced by its symmetric part, as in PyTorch; dA is that of eigh, exact where E and X
 * are. There is no gradient of B (an error in backward, as in PyTorch), X and iK. Errors: shapes, an m below 3 n, a
 * dtype but float32 and float64; a factor of "basic" that is singular, which linalg_cholesky reports. Differences from
 * PyTorch: X is not written to ("basic"), another method is an error, and .ortho_use_drop may drop columns (PyTorch's
 * sizes do not match then). */
Tensor *t_lobpcg(Tensor *A, const t_LobpcgOptions *options) {
    TG_AUTOCAST_FLOAT32(A);
    t_LobpcgOptions o = t_LobpcgDefaults;
    t_LOBPCG w = {.A = NULL};
    tg_Draws draws;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    tg_clear_output(o.eigenvectors);
    if (!prepare(A, &o, &w)) return NULL;
    const int depth = t_scope_open();
    Tensor *E = NULL;
    if (depth && tg_draws_begin(&draws, NULL)) {
        TG_WITHOUT_AUTOCAST(E, run(A, o, &w));
        tg_draws_end(&draws, E != NULL);
    }
    if (E && o.eigenvectors) t_keep_object(*o.eigenvectors);
    return tg_scope_return(depth, E);
}
