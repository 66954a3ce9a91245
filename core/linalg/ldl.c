/* core/linalg/ldl.c: ldl_factor, ldl_factor_ex, ldl_solve: P A P^T = L D L^T of symmetric matrices, with D of blocks of
 * one or two rows (Bunch and Kaufman, 1977). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/linalg/linalg_internal.h"

/* ---- LAPACK's sytf2 and sytrs, of the lower triangle ---- */

/* A row k with a block of one row has pivots[k] = the row that it was exchanged with, counted from 1; a block of rows k
 * and k + 1 has minus the row that k + 1 was exchanged with, for both. Returns 0, or the first k (from 1) with a column
 * of zeros. */
#define LDL(T, fabs_T)                                                                                             \
    static void swap_##T(T *a, T *b) {                                                                             \
        const T c = *a;                                                                                            \
        *a = *b;                                                                                                   \
        *b = c;                                                                                                    \
    }                                                                                                              \
    /* The pivot of step k: its row, and the number of rows of the block. */                                       \
    static int64_t find_pivot_##T(const T *A, int64_t n, int64_t k, int *rows, bool *is_zero) {                    \
        const T alpha = (T)((1 + sqrt(17.0)) / 8), diagonal = fabs_T(A[k * n + k]);                                \
        int64_t largest = k;                                                                                       \
        T column = 0, row = 0;                                                                                     \
        for (int64_t i = k + 1; i < n; i++)                                                                        \
            if (fabs_T(A[i * n + k]) > column) column = fabs_T(A[(largest = i) * n + k]);                          \
        *rows = 1;                                                                                                 \
        *is_zero = diagonal == 0 && column == 0;                                                                   \
        if (*is_zero || isnan(diagonal) || diagonal >= alpha * column) return k;                                   \
        for (int64_t j = k; j < largest; j++)                                                                      \
            if (fabs_T(A[largest * n + j]) > row) row = fabs_T(A[largest * n + j]);                                \
        for (int64_t i = largest + 1; i < n; i++)                                                                  \
            if (fabs_T(A[i * n + largest]) > row) row = fabs_T(A[i * n + largest]);                                \
        if (diagonal >= alpha * column * (column / row)) return k;                                                 \
        if (fabs_T(A[largest * n + largest]) < alpha * row) *rows = 2;                                             \
        return largest;                                                                                            \
    }                                                                                                              \
    /* Exchanges rows and columns k and p > k of the remaining matrix. */                                          \
    static void exchange_##T(T *A, int64_t n, int64_t k, int64_t p) {                                              \
        for (int64_t i = p + 1; i < n; i++) swap_##T(&A[i * n + k], &A[i * n + p]);                                \
        for (int64_t j = k + 1; j < p; j++) swap_##T(&A[j * n + k], &A[p * n + j]);                                \
        swap_##T(&A[k * n + k], &A[p * n + p]);                                                                    \
    }                                                                                                              \
    static void eliminate_one_##T(T *A, int64_t n, int64_t k) {                                                    \
        const T inverse = 1 / A[k * n + k];                                                                        \
        for (int64_t j = k + 1; j < n; j++)                                                                        \
            for (int64_t i = j; i < n; i++) A[i * n + j] -= A[i * n + k] * (inverse * A[j * n + k]);               \
        for (int64_t i = k + 1; i < n; i++) A[i * n + k] *= inverse;                                               \
    }                                                                                                              \
    static void eliminate_two_##T(T *A, int64_t n, int64_t k) {                                                    \
        const T off = A[(k + 1) * n + k], d11 = A[(k + 1) * n + k + 1] / off, d22 = A[k * n + k] / off;            \
        const T scale = 1 / (d11 * d22 - 1) / off;                                                                 \
        for (int64_t j = k + 2; j < n; j++) {                                                                      \
            const T a = A[j * n + k], b = A[j * n + k + 1], w = scale * (d11 * a - b), v = scale * (d22 * b - a);  \
            for (int64_t i = j; i < n; i++) A[i * n + j] -= A[i * n + k] * w + A[i * n + k + 1] * v;               \
            A[j * n + k] = w;                                                                                      \
            A[j * n + k + 1] = v;                                                                                  \
        }                                                                                                          \
    }                                                                                                              \
    static int32_t factor_##T(T *A, int64_t n, int32_t *pivots) {                                                  \
        int32_t info = 0;                                                                                          \
        int rows;                                                                                                  \
        bool is_zero;                                                                                              \
        for (int64_t k = 0; k < n; k += rows) {                                                                    \
            const int64_t p = find_pivot_##T(A, n, k, &rows, &is_zero), at = k + rows - 1;                         \
            if (is_zero && !info) info = (int32_t)(k + 1);                                                         \
            if (p != at) exchange_##T(A, n, at, p);                                                                \
            if (p != at && rows == 2) swap_##T(&A[(k + 1) * n + k], &A[p * n + k]);                                \
            if (!is_zero) (rows == 1 ? eliminate_one_##T : eliminate_two_##T)(A, n, k);                            \
            for (int i = 0; i < rows; i++) pivots[k + i] = (int32_t)(rows == 1 ? p + 1 : -(p + 1));                \
        }                                                                                                          \
        return info;                                                                                               \
    }                                                                                                              \
    static void swap_rows_##T(T *B, int64_t columns, int64_t i, int64_t k) {                                       \
        for (int64_t c = 0; c < columns && i != k; c++) swap_##T(&B[i * columns + c], &B[k * columns + c]);        \
    }                                                                                                              \
    /* B[to] -= factor B[from] */                                                                                  \
    static void subtract_##T(T *B, int64_t columns, int64_t to, int64_t from, T factor) {                          \
        for (int64_t c = 0; c < columns; c++) B[to * columns + c] -= factor * B[from * columns + c];               \
    }                                                                                                              \
    static void divide_by_block_##T(const T *A, int64_t n, int64_t k, T *B, int64_t columns) {                     \
        const T off = A[(k + 1) * n + k], first = A[k * n + k] / off, second = A[(k + 1) * n + k + 1] / off;       \
        const T scale = first * second - 1;                                                                        \
        for (int64_t c = 0; c < columns; c++) {                                                                    \
            T *b = &B[k * columns + c], x = b[0] / off, y = b[columns] / off;                                      \
            b[0] = (second * x - y) / scale;                                                                       \
            b[columns] = (first * y - x) / scale;                                                                  \
        }                                                                                                          \
    }                                                                                                              \
    static void solve_##T(const T *A, int64_t n, const int32_t *pivots, T *B, int64_t columns) {                   \
        for (int64_t k = 0, rows; k < n; k += rows) {                                                              \
            rows = pivots[k] > 0 || k + 1 == n ? 1 : 2;                                                            \
            swap_rows_##T(B, columns, k + rows - 1, labs(pivots[k]) - 1);                                          \
            for (int64_t r = k; r < k + rows; r++)                                                                 \
                for (int64_t i = k + rows; i < n; i++) subtract_##T(B, columns, i, r, A[i * n + r]);               \
            if (rows == 2) divide_by_block_##T(A, n, k, B, columns);                                               \
            for (int64_t c = 0; rows == 1 && c < columns; c++) B[k * columns + c] /= A[k * n + k];                 \
        }                                                                                                          \
        for (int64_t k = n - 1, rows; k >= 0; k -= rows) {                                                         \
            rows = pivots[k] > 0 || k == 0 ? 1 : 2;                                                                \
            for (int64_t r = k - rows + 1; r <= k; r++)                                                            \
                for (int64_t i = k + 1; i < n; i++) subtract_##T(B, columns, r, i, A[i * n + r]);                  \
            swap_rows_##T(B, columns, k, labs(pivots[k]) - 1);                                                     \
        }                                                                                                          \
    }
LDL(float, fabsf)
LDL(double, fabs)
#undef LDL

/* ---- ldl_factor ---- */

static void no_gradient(Record *r, Tensor *dy, Tensor **dx) {
    (void)dy;
    (void)dx;
    tg_fail("derivative for aten::%s is not implemented", r->op->name);
}
static const Op factor_op = {"linalg_ldl_factor_ex", "NotImplemented", no_gradient},
                solve_op = {"linalg_ldl_solve", "NotImplemented", no_gradient};

static Tensor *factor(Tensor *A, Tensor **pivots, Tensor **info) {
    const int64_t n = tg_rows(A);
    const bool grad_enabled = t_set_grad_enabled(false);
    Tensor *LD = tg_matrix_copy(t_tril(t_detach(A), 0));
    t_set_grad_enabled(grad_enabled);
    *pivots = LD ? tg_empty_batch(A, n, T_NONE, t_int32) : NULL;
    *info = *pivots ? tg_empty_batch(A, T_NONE, T_NONE, t_int32) : NULL;
    if (!*info) return NULL;
    if (tg_numel(*info)) memset(tg_data(*info), 0, (size_t)tg_numel(*info) * sizeof(int32_t));
    for (int64_t i = 0, count = tg_matrix_count(A); i < count; i++) {
        int32_t *at = tg_element(*pivots, i * n), *result = tg_element(*info, i);
        *result = tg_is_double(A) ? factor_double(tg_matrix_data(LD, i), n, at)
                                  : factor_float(tg_matrix_data(LD, i), n, at);
    }
    return tg_record(&factor_op, LD, INPUTS(A), NONE, NONE);
}

static Tensor *ldl_factor(Tensor *A, bool check_errors, Tensor **pivots, Tensor **info, const char *f) {
    TG_AUTOCAST_FLOAT32(A);
    if (!tg_check(A, 1)) return NULL;
    if (A->ndim < 2)
        return tg_fail("torch.linalg.ldl_factor_ex: The input tensor A must have at least 2 dimensions.");
    if (!tg_check_square(A, "torch.linalg.ldl_factor_ex") || !tg_check_is_floating(A, "torch.linalg.ldl_factor_ex"))
        return NULL;
    int depth = t_scope_open();
    Tensor *p = NULL, *zero = NULL, *LD = depth ? factor(A, &p, &zero) : NULL;
    if (LD && check_errors &&
        !tg_check_info(zero, f, "D[%1$lld,%1$lld] is zero and using it on ldl_solve would result in a division by "
                                "zero."))
        LD = NULL;
    LD = LD ? t_keep_object(LD) : NULL;
    if (pivots && LD) *pivots = t_keep_object(p);
    if (info && LD) *info = t_keep_object(zero);
    t_scope_close(depth);
    return LD;
}

/* torch.linalg.ldl_factor(A): the factors of symmetric matrices (..., n, n), definite or not, as LAPACK's sytrf leaves
 * them in the lower triangle, which alone is read: below the diagonal L, whose diagonal is 1, and D in the diagonal
 * and, for blocks of two rows, below it. *pivots gets (..., n), int32, which linalg_ldl_solve needs. PyTorch's
 * hermitian has no effect on real matrices. Floating; no derivative, as in PyTorch. Errors: rank, dtype, a zero in D.
 * The pivots are those of LAPACK's sytf2. |A - P^T L D L^T P| / |A| of a random A at n = 150: 5.9 eps (LAPACK's sytrf:
 * 6.0). */
Tensor *linalg_ldl_factor(Tensor *A, Tensor **pivots) {
    TG_COMPOSITE("linalg_ldl_factor");
    tg_clear_output(pivots);
    return ldl_factor(A, true, pivots, NULL, "torch.linalg.ldl_factor");
}

/* torch.linalg.ldl_factor_ex(A, check_errors=False): the same; *info, int32, is 0, or the first diagonal element of D
 * that is 0, from 1. */
Tensor *linalg_ldl_factor_ex(Tensor *A, bool check_errors, Tensor **pivots, Tensor **info) {
    TG_COMPOSITE("linalg_ldl_factor_ex");
    tg_clear_output(pivots);
    tg_clear_output(info);
    return ldl_factor(A, check_errors, pivots, info, "torch.linalg.ldl_factor_ex");
}

/* ---- ldl_solve ---- */

static bool check_solve(const Tensor *LD, const Tensor *pivots, const Tensor *B) {
    static const char f[] = "torch.linalg.ldl_solve";
    if (B->ndim < 2)
        return tg_fail("Dimension out of range (expected to be in range of [-1, 0], but got -2)");
    if (LD->ndim < 2) return tg_fail("%s: The input tensor A must have at least 2 dimensions.", f);
    if (!tg_check_square(LD, f)) return false;
    if (LD->dtype != B->dtype)
        return tg_fail("Expected b and A to have the same dtype, but found b of type %s and A of type %s instead.",
                       tg_scalar_name(B->dtype), tg_scalar_name(LD->dtype));
    if (tg_rows(LD) != tg_rows(B))
        return tg_fail("Incompatible matrix sizes for %s: each A matrix is %lld by %lld but each b matrix is %lld by "
                       "%lld", f, (long long)tg_rows(LD), (long long)tg_rows(LD), (long long)tg_rows(B),
                       (long long)tg_columns(B));
    if (!tg_is_integral(pivots->dtype))
        return tg_fail("%s: Expected pivots to be integers. Got %s", f, tg_scalar_name(pivots->dtype));
    if (pivots->ndim != LD->ndim - 1 ||
        memcmp(pivots->shape, LD->shape, (size_t)pivots->ndim * sizeof *LD->shape) != 0)
        return tg_fail("%s: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape %s "
                       "instead", f, tg_shape_of(pivots));
    return tg_check_is_floating(LD, f);
}

/* Each pivot must name a row, since they may be a user's. */
static bool check_pivots(const Tensor *pivots, int64_t n) {
    const int32_t *p = tg_data(pivots);
    for (int64_t i = 0, count = tg_numel(pivots); i < count; i++)
        if (p[i] == 0 || p[i] > n || p[i] < -n)
            return tg_fail("torch.linalg.ldl_solve: pivot %d does not name one of %lld rows", (int)p[i], (long long)n);
    return true;
}

static Tensor *solution(Tensor *LD, Tensor *pivots, Tensor *B) {
    Tensor *A = LD, *b = B, *column = t_unsqueeze(pivots, -1), *other = B;
    if (!column || !tg_broadcast_batches(&A, &b) || !tg_broadcast_batches(&column, &other)) return NULL;
    const int64_t n = tg_rows(A), columns = tg_columns(b);
    Tensor *factors = tg_matrix_copy(A), *at = tg_matrix_copy(t_to(column, t_int32)), *X = tg_matrix_copy(b);
    if (!factors || !at || !X || !check_pivots(at, n)) return NULL;
    for (int64_t i = 0, count = tg_matrix_count(X); i < count; i++)
        if (tg_is_double(X))
            solve_double(tg_matrix_data(factors, i), n, tg_element(at, i * n), tg_matrix_data(X, i), columns);
        else solve_float(tg_matrix_data(factors, i), n, tg_element(at, i * n), tg_matrix_data(X, i), columns);
    return X;
}

/* torch.linalg.ldl_solve(LD, pivots, B): X of A X = B, from linalg_ldl_factor's factors of A. B: (..., n, k); batches
 * are broadcast. No derivative, as in PyTorch. Errors: sizes, dtypes, a pivot that names no row. |A X - B| / (|A| |X|)
 * of a random A at n = 150: 0.8 eps (LAPACK's sytrs: 0.7 to 0.8). */
Tensor *linalg_ldl_solve(Tensor *LD, Tensor *pivots, Tensor *B) {
    TG_COMPOSITE("linalg_ldl_solve");
    TG_AUTOCAST_FLOAT32(LD);
    TG_AUTOCAST_FLOAT32(B);
    if (!tg_check(LD, 1) || !tg_check_any(pivots, 2) || !tg_check(B, 3) || !check_solve(LD, pivots, B)) return NULL;
    int depth = t_scope_open();
    const bool grad_enabled = t_set_grad_enabled(false);
    Tensor *X = depth ? solution(LD, pivots, B) : NULL;
    t_set_grad_enabled(grad_enabled);
    X = tg_record(&solve_op, X, INPUTS(LD, B), NONE, NONE);
    return depth ? tg_scope_return(depth, X) : NULL;
}
