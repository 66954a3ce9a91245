/* core/linalg/lu.c: lu_factor, lu_factor_ex, lu, lu_unpack, lu_solve. */
#include <string.h>

#include "core/linalg/linalg_internal.h"

/* ---- on raw memory ---- */

Tensor *tg_lu(Tensor *A, Tensor **pivots, Tensor **info) {
    const int64_t m = tg_rows(A), n = tg_columns(A), k = m < n ? m : n;
    Tensor *LU = tg_matrix_copy(A), *work = LU ? tg_workspace(m * n, A->dtype) : NULL;
    *pivots = work ? tg_empty_batch(A, k, T_NONE, t_int32) : NULL;
    Tensor *zero = *pivots ? tg_empty_batch(A, T_NONE, T_NONE, t_int32) : NULL;
    Tensor *rows = zero ? tg_workspace(k, t_int64) : NULL;
    if (!rows) return NULL;
    int64_t *row = tg_data(rows);
    for (int64_t i = 0, count = tg_matrix_count(A); i < count; i++) {
        int32_t *p = tg_element(*pivots, i * k), *first = tg_element(zero, i);
        tg_getrf(tg_is_double(LU), m, n, tg_matrix_data(LU, i), n, row, tg_data(work));
        *first = 0;
        for (int64_t j = 0; j < k; j++) {
            p[j] = (int32_t)row[j] + 1;
            if (!*first && tg_real_at(LU, i * m * n + j * n + j) == 0) *first = (int32_t)j + 1;
        }
    }
    if (info) *info = zero;
    return LU;
}

/* Exchanges rows k and pivots[k] - 1 of x, n rows of m columns, from the first k to the last or the other way round. */
static void exchange_rows(size_t size, int64_t n, int64_t m, tg_Matrix x, const int32_t *pivots, bool forward) {
    char swapped[8];
    for (int64_t step = 0; step < n; step++) {
        const int64_t k = forward ? step : n - 1 - step;
        if (pivots[k] - 1 == k) continue;
        for (int64_t j = 0; j < m; j++) {
            char *a = (char *)x.data + (size_t)(k * x.row + j * x.column) * size;
            char *b = (char *)x.data + (size_t)((pivots[k] - 1) * x.row + j * x.column) * size;
            memcpy(swapped, a, size);
            memcpy(a, b, size);
            memcpy(b, swapped, size);
        }
    }
}

/* x = inverse(P L U) x, or of its transpose U^T L^T P^T. */
static void solve_matrix(const Tensor *LU, void *lu, const int32_t *pivots, int64_t m, tg_Matrix x, bool adjoint,
                         void *work) {
    const int64_t n = tg_rows(LU);
    const tg_Matrix a = {lu, adjoint ? 1 : n, adjoint ? n : 1};
    const tg_Trsm L = {.upper = adjoint, .unit = true, .n = n, .m = m, .a = a, .b = x};
    const tg_Trsm U = {.upper = !adjoint, .unit = false, .n = n, .m = m, .a = a, .b = x};
    if (!adjoint) exchange_rows(tg_itemsize(LU->dtype), n, m, x, pivots, true);
    tg_trsm(tg_is_double(LU), adjoint ? &U : &L, work);
    tg_trsm(tg_is_double(LU), adjoint ? &L : &U, work);
    if (adjoint) exchange_rows(tg_itemsize(LU->dtype), n, m, x, pivots, false);
}

/* X A = B is A^T X^T = B^T: the same with X transposed. */
Tensor *tg_lu_solved(Tensor *LU, Tensor *pivots, Tensor *B, bool left, bool adjoint) {
    Tensor *factors = t_contiguous(LU), *column = t_unsqueeze(t_contiguous(pivots), -1), *rhs = B;
    if (!factors || !column || !tg_broadcast_batches(&factors, &rhs)) return NULL;
    rhs = B;
    if (!tg_broadcast_batches(&column, &rhs)) return NULL;
    Tensor *X = tg_matrix_copy(rhs), *work = X ? tg_workspace(tg_rows(LU) * tg_rows(LU), X->dtype) : NULL;
    if (!work) return NULL;
    for (int64_t i = 0, count = tg_matrix_count(X); i < count; i++) {
        const tg_Matrix x = {tg_matrix_data(X, i), left ? tg_columns(X) : 1, left ? 1 : tg_columns(X)};
        char *lu = factors->storage->data + (size_t)tg_batch_offset(factors, 2, i) * tg_itemsize(X->dtype);
        const int32_t *p = (int32_t *)column->storage->data + tg_batch_offset(column, 2, i);
        solve_matrix(LU, lu, p, left ? tg_columns(X) : tg_rows(X), x, adjoint == left, tg_data(work));
    }
    return X;
}

/* P of A = P L U, m x m: row k was exchanged with row pivots[k] - 1. */
static Tensor *permutation(Tensor *pivots, int64_t m, t_DType dtype) {
    int64_t shape[T_MAX_DIMS];
    memcpy(shape, pivots->shape, sizeof shape);
    shape[pivots->ndim - 1] = shape[pivots->ndim] = m;
    t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
    Tensor *P = t_zeros(shape, pivots->ndim + 1, &options), *p = P ? t_contiguous(pivots) : NULL,
           *rows = p ? tg_workspace(m, t_int64) : NULL;
    if (!rows) return NULL;
    const int64_t k = pivots->shape[pivots->ndim - 1];
    int64_t *row = tg_data(rows);
    for (int64_t b = 0, count = tg_matrix_count(P); b < count; b++) {
        const int32_t *from = tg_element(p, b * k);
        for (int64_t i = 0; i < m; i++) row[i] = i;
        exchange_rows(sizeof *row, k, 1, (tg_Matrix){row, 1, 1}, from, true);
        for (int64_t i = 0; i < m; i++) tg_set_element(dtype, tg_element(P, b * m * m + row[i] * m + i), 1);
    }
    return P;
}

/* Whether the pivots are from 1 to `rows`; else the error for one that is smaller or larger. */
static bool check_pivots(Tensor *pivots, int64_t rows, const char *smaller, const char *larger) {
    Tensor *contiguous = t_contiguous(pivots);
    if (!contiguous) return false;
    const int32_t *p = tg_data(contiguous);
    const int64_t count = tg_numel(contiguous);
    for (int64_t i = 0; i < count; i++)
        if (p[i] < 1) return tg_fail("%s", smaller);
    for (int64_t i = 0; i < count; i++)
        if (p[i] > rows) return tg_fail("%s", larger);
    return true;
}

/* ---- lu_factor ---- */

/* L^-T G */
static Tensor *solve_L_transposed(Tensor *L, Tensor *G) {
    return linalg_solve_triangular(t_mT(L), G, true, true, true);
}

/* G U^-T */
static Tensor *solve_U_transposed(Tensor *U, Tensor *G) {
    return linalg_solve_triangular(t_mT(U), G, false, false, false);
}

/* L with its ones, and U, both with k = min(m, n) columns and rows. */
static Tensor *lower_of(Tensor *LU, int64_t k) {
    Tensor *L = t_tril(t_narrow(LU, -1, 0, k), -1);
    return L ? t_add(L, tg_eye_like(L, tg_rows(L), tg_columns(L))) : NULL;
}

static Tensor *upper_of(Tensor *LU, int64_t k) {
    return t_triu(t_narrow(LU, -2, 0, k), 0);
}

/* dA of square matrices, without P: L^-T (tril(M, -1) + triu(N)) U^-T, where M = L^T dL and N = dU U^T. */
static Tensor *square_part(Tensor *L, Tensor *U, Tensor *M, Tensor *N) {
    return solve_U_transposed(U, solve_L_transposed(L, t_add(t_tril(M, -1), t_triu(N, 0))));
}

/* A = P L U. With more rows than columns, L = [L1; L2], and L2 = A2 inverse(U) gives dA2 = dL2 U^-T and takes L2^T dL2
 * off N; with more columns, U = [U1 U2], and U2 = inverse(L) A2 gives dA2 = L^-T dU2 and takes dU2 U2^T off M. */
static void lu_factor_backward(Record *r, Tensor *dLU, Tensor **dx) {
    Tensor *LU = tg_saved(r, 0), *pivots = tg_saved(r, 1);
    if (!LU || !pivots) return;
    const int64_t m = tg_rows(LU), n = tg_columns(LU), k = m < n ? m : n;
    Tensor *L = lower_of(LU, k), *U = upper_of(LU, k), *dL = t_tril(t_narrow(dLU, -1, 0, k), -1),
           *dU = upper_of(dLU, k);
    Tensor *L1 = t_narrow(L, -2, 0, k), *U1 = t_narrow(U, -1, 0, k);
    Tensor *M = t_matmul(t_mT(L1), t_narrow(dL, -2, 0, k)), *N = t_matmul(t_narrow(dU, -1, 0, k), t_mT(U1));
    Tensor *dA;
    if (m > n) {
        Tensor *L2 = t_narrow(L, -2, k, m - k), *dL2 = t_narrow(dL, -2, k, m - k);
        Tensor *dA1 = square_part(L1, U, M, t_sub(N, t_matmul(t_mT(L2), dL2)));
        dA = t_cat(t_list_new((Tensor *[]){dA1, solve_U_transposed(U, dL2)}, 2), -2);
    } else if (m < n) {
        Tensor *U2 = t_narrow(U, -1, k, n - k), *dU2 = t_narrow(dU, -1, k, n - k);
        Tensor *dA1 = square_part(L, U1, t_sub(M, t_matmul(dU2, t_mT(U2))), N);
        dA = t_cat(t_list_new((Tensor *[]){dA1, solve_L_transposed(L, dU2)}, 2), -1);
    } else {
        dA = square_part(L, U, M, N);
    }
    dx[0] = t_matmul(permutation(pivots, m, LU->dtype), dA);
}
static const Op lu_factor_op = {"linalg_lu_factor_ex", "LinalgLuFactorExBackward0", lu_factor_backward};

static Tensor *lu_factor(Tensor *A, bool pivot, bool check_errors, Tensor **pivots, Tensor **info, const char *f) {
    if (!tg_check(A, 1)) return NULL;
    if (A->ndim < 2)
        return tg_fail("torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: %s instead",
                       tg_shape_of(A));
    if (!tg_is_floating(A->dtype)) return tg_not_implemented("lu_cpu", A->dtype);
    if (!pivot) return tg_fail("linalg.lu_factor: LU without pivoting is not implemented on the CPU");
    int depth = t_scope_open();
    Tensor *P = NULL, *zero = NULL, *LU = depth ? tg_lu(A, &P, &zero) : NULL;
    if (LU && check_errors &&
        !tg_check_info(zero, f, "U[%1$lld,%1$lld] is zero and using it on lu_solve would result in a division by zero. "
                                "If you still want to perform the factorization, consider calling linalg.lu(A, pivot) "
                                "or linalg.lu_factor_ex(A, pivot)"))
        LU = NULL;
    LU = t_keep_object(tg_record(&lu_factor_op, LU, INPUTS(A), SAVED(LU, P), NONE));
    if (LU && pivots) *pivots = t_keep_object(P);
    if (LU && info) *info = t_keep_object(zero);
    t_scope_close(depth);
    return LU;
}

/* torch.linalg.lu_factor(A, pivot=True): L and U of A = P L U in one matrix (..., m, n), without the ones of L, by
 * Gaussian elimination with partial pivoting; *pivots (..., min(m, n)), int32, from 1 on. Floating.
 * The gradient is that of L and U (formula above). Errors: a 0 on the diagonal of U; pivot false, as on PyTorch's CPU.
 * Backward error |A - P L U| / |A| of a random A: 3.3 eps at n = 150 (LAPACK's getrf: 3.5 to 5), 15 eps at n = 1000. */
Tensor *linalg_lu_factor(Tensor *A, bool pivot, Tensor **pivots) {
    tg_clear_output(pivots);
    TG_AUTOCAST_FLOAT32(A);
    return lu_factor(A, pivot, true, pivots, NULL, "torch.linalg.lu_factor");
}

/* torch.linalg.lu_factor_ex(A, pivot=True, check_errors=False): the same; *info is 0, or the first diagonal element of
 * U that is 0, from 1 on, which is an error only with check_errors. */
Tensor *linalg_lu_factor_ex(Tensor *A, bool pivot, bool check_errors, Tensor **pivots, Tensor **info) {
    tg_clear_output(pivots);
    tg_clear_output(info);
    return lu_factor(A, pivot, check_errors, pivots, info, "torch.linalg.lu_factor_ex");
}

/* ---- lu, lu_unpack ---- */

static Tensor *unpack(Tensor *LU, Tensor *pivots, bool unpack_data, bool unpack_pivots, Tensor **L, Tensor **U) {
    const int64_t m = tg_rows(LU), n = tg_columns(LU), k = m < n ? m : n;
    Tensor *P = unpack_pivots ? permutation(pivots, m, LU->dtype) : tg_empty((int64_t[]){0}, 1, LU->dtype);
    *L = unpack_data ? lower_of(LU, k) : tg_empty((int64_t[]){0}, 1, LU->dtype);
    *U = unpack_data ? upper_of(LU, k) : tg_empty((int64_t[]){0}, 1, LU->dtype);
    return *L && *U ? P : NULL;
}

static bool check_unpack(Tensor *LU, Tensor *pivots, bool unpack_pivots) {
    if (LU->ndim < 2)
        return tg_fail("torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: %s instead",
                       tg_shape_of(LU));
    if (pivots->dtype != t_int32)
        return tg_fail("torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\nNote: "
                       "this function is intended to be used with the output produced by torch.linalg.lu_factor");
    Tensor expected = *LU;
    expected.ndim--;
    if (tg_columns(LU) < tg_rows(LU)) expected.shape[expected.ndim - 1] = tg_columns(LU);
    if (!tg_same_shape(&expected, pivots))
        return tg_fail("Expected LU_pivots to have shape %s but got %s instead.", tg_shape_of(&expected),
                       tg_shape_of(pivots));
    static const char range[] = "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
                                "Did you properly pass the result of lu_factor?";
    return !unpack_pivots || check_pivots(pivots, tg_rows(LU), range, range);
}

/* torch.lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True): P, and *L and *U, of A = P L U, composed;
 * what is not unpacked has no elements. Any dtype. Errors: shapes; pivots that are not int32, or are no rows of A. */
Tensor *t_lu_unpack(Tensor *LU_data, Tensor *LU_pivots, bool unpack_data, bool unpack_pivots, Tensor **L, Tensor **U) {
    TG_COMPOSITE("lu_unpack");
    tg_clear_output(L);
    tg_clear_output(U);
    Tensor *lower = NULL, *upper = NULL;
    if (!tg_check_any_two(LU_data, LU_pivots) || !check_unpack(LU_data, LU_pivots, unpack_pivots)) return NULL;
    int depth = t_scope_open();
    Tensor *P = depth ? t_keep_object(unpack(LU_data, LU_pivots, unpack_data, unpack_pivots, &lower, &upper)) : NULL;
    if (P && L) *L = t_keep_object(lower);
    if (P && U) *U = t_keep_object(upper);
    t_scope_close(depth);
    return P;
}

/* torch.linalg.lu(A, pivot=True): P, and *L and *U, with A = P L U: P (..., m, m), L (..., m, k), U (..., k, n), k =
 * min(m, n). A singular A is no error. Composed of lu_factor, which has the gradient. */
Tensor *linalg_lu(Tensor *A, bool pivot, Tensor **L, Tensor **U) {
    TG_COMPOSITE("linalg_lu");
    tg_clear_output(L);
    tg_clear_output(U);
    Tensor *lower = NULL, *upper = NULL, *pivots;
    if (!tg_check(A, 1)) return NULL;
    if (A->ndim < 2)
        return tg_fail("linalg.lu: Expected tensor with 2 or more dimensions. Got size: %s instead", tg_shape_of(A));
    int depth = t_scope_open();
    Tensor *LU = depth ? lu_factor(A, pivot, false, &pivots, NULL, "linalg.lu") : NULL;
    Tensor *P = LU ? t_keep_object(unpack(LU, pivots, true, true, &lower, &upper)) : NULL;
    if (P && L) *L = t_keep_object(lower);
    if (P && U) *U = t_keep_object(upper);
    t_scope_close(depth);
    return P;
}

/* ---- lu_solve ---- */

/* A = P L U from solve_triangular, for the gradients. */
static Tensor *composed_solution(Tensor *LU, Tensor *pivots, Tensor *B, bool left, bool adjoint) {
    if (!left) return t_mT(composed_solution(LU, pivots, t_mT(B), true, !adjoint));
    Tensor *P = permutation(pivots, tg_rows(LU), LU->dtype);
    if (!P) return NULL;
    if (!adjoint) {
        Tensor *Y = linalg_solve_triangular(LU, t_matmul(t_mT(P), B), false, true, true);
        return linalg_solve_triangular(LU, Y, true, true, false);
    }
    Tensor *Y = linalg_solve_triangular(t_mT(LU), B, false, true, false);
    return t_matmul(P, linalg_solve_triangular(t_mT(LU), Y, true, true, true));
}

/* torch.linalg.lu_solve(LU, pivots, B, left=True, adjoint=False): X of A X = B, or of X A = B, from lu_factor of A;
 * with `adjoint` of A^T instead of A. B: (..., n, m) or (..., m, n); batch dims broadcast. The gradients are those of
 * the two solve_triangular. Errors: shapes, dtypes. */
Tensor *linalg_lu_solve(Tensor *LU, Tensor *pivots, Tensor *B, bool left, bool adjoint) {
    TG_COMPOSITE("linalg_lu_solve");
    TG_AUTOCAST_FLOAT32(LU);
    TG_AUTOCAST_FLOAT32(B);
    static const char f[] = "linalg.lu_solve";
    if (!tg_check(LU, 1) || !tg_check_any(pivots, 2) || !tg_check(B, 3) || !tg_check_is_floating(LU, f)) return NULL;
    if (LU->dtype != B->dtype)
        return tg_fail("%s: Expected LU and B to have the same dtype, but found LU of type %s and B of type %s "
                       "instead", f, tg_scalar_name(LU->dtype), tg_scalar_name(B->dtype));
    if (pivots->dtype != t_int32) return tg_fail("%s: pivots should be a Tensor of scalar type torch.int32", f);
    if (!tg_check_equation(LU, B, left, f)) return NULL;
    if (pivots->ndim < 1 || pivots->shape[pivots->ndim - 1] != tg_rows(LU))
        return tg_fail("%s: Number of pivots per batch should be same as the dimension of the matrix", f);
    Tensor batch = *LU;
    batch.ndim--;
    if (!tg_same_shape(&batch, pivots))
        return tg_fail("%s: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape %s "
                       "instead", f, tg_shape_of(pivots));
    if (!check_pivots(pivots, tg_rows(LU),
                      "Pivots given to lu_solve must all be greater or equal to 1. Did you properly pass the result of "
                      "lu_factor?",
                      "Pivots given to lu_solve must all be smaller or equal to LU.size(-2). Did you properly pass the "
                      "result of lu_factor?"))
        return NULL;
    int depth = t_scope_open();
    bool recorded = tg_will_record((Tensor *[]){LU, B}, 2);
    Tensor *a = LU, *b = B;
    bool broadcast = depth && tg_broadcast_batches(&a, &b);
    Tensor *X = broadcast ? (recorded ? composed_solution : tg_lu_solved)(LU, pivots, B, left, adjoint) : NULL;
    return tg_scope_return(depth, X);
}
