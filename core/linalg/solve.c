/* core/linalg/solve.c: solve, solve_ex, inv, inv_ex, tensorsolve, tensorinv. */
#include <string.h>

#include "core/linalg/linalg_internal.h"
#include "core/tensor/size_arithmetic.h"

/* ---- solve ---- */

typedef struct Equation {
    bool left, vector; /* A X = B; B and X are vectors, (..., n) */
} Equation;

static Tensor *as_column(Tensor *x, const Equation *e) {
    return e->vector ? t_unsqueeze(x, -1) : x;
}

static Tensor *as_vector(Tensor *x, const Equation *e) {
    return e->vector ? t_squeeze(x, -1) : x;
}

/* A X = B: dB = inverse(A)^T dX, dA = -dB X^T; X A = B: dA = -X^T dB. With a graph A is factorised again. */
static void solve_backward(Record *r, Tensor *dX, Tensor **dx) {
    const Equation *e = r->attributes;
    Tensor *A = tg_saved(r, 0), *LU = tg_saved(r, 1), *pivots = tg_saved(r, 2), *X = tg_saved(r, 3);
    if (!A || !LU || !pivots || !X) return;
    dX = as_column(dX, e);
    X = as_column(X, e);
    Tensor *dB = t_is_grad_enabled() ? linalg_solve(t_mT(A), dX, e->left)
                                     : linalg_lu_solve(LU, pivots, dX, e->left, true);
    if (tg_needs(r, 0)) dx[0] = t_neg(e->left ? t_matmul(dB, t_mT(X)) : t_matmul(t_mT(X), dB));
    if (tg_needs(r, 1)) dx[1] = as_vector(dB, e);
}
static const Op solve_op = {"linalg_solve_ex", "LinalgSolveExBackward0", solve_backward};

/* B is a vector, or a batch of vectors that has the batch of A. */
static bool is_vector(const Tensor *A, const Tensor *B) {
    if (B->ndim == 1) return true;
    if (A->ndim - 1 != B->ndim) return false;
    for (int d = 0; d < B->ndim; d++)
        if (A->shape[d] != B->shape[d]) return false;
    return true;
}

static Tensor *solve(Tensor *A, Tensor *B, const Equation *e, bool check_errors, Tensor **info, const char *f) {
    Tensor *pivots, *zero, *LU = tg_lu(A, &pivots, &zero);
    if (!LU || (check_errors && !tg_check_info(zero, f, "The solver failed because the input matrix is singular.")))
        return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *X = tg_lu_solved(LU, pivots, as_column(B, e), e->left, false);
    X = X ? tg_detach_from_base(as_vector(X, e)) : NULL;
    t_set_grad_enabled(grad_enabled);
    *info = zero;
    return tg_record(&solve_op, X, INPUTS(A, B), SAVED(A, LU, pivots, X), e, sizeof *e);
}

static Tensor *checked_solve(Tensor *A, Tensor *B, bool left, bool check_errors, Tensor **info, const char *f) {
    static const char name[] = "linalg.solve";
    if (!tg_check_two(A, B) || !tg_check_matrices(A, name, "A") || !tg_check_is_floating(A, name) ||
        !tg_check_dtypes_of(A, B, name))
        return NULL;
    const Equation e = {.left = left, .vector = is_vector(A, B)};
    int depth = t_scope_open();
    Tensor *zero = NULL, *column = depth ? as_column(t_detach(B), &e) : NULL;
    bool fits = column && tg_check_equation(A, column, left, name);
    Tensor *X = fits ? t_keep_object(solve(A, B, &e, check_errors, &zero, f)) : NULL;
    if (X && info) *info = t_keep_object(zero);
    t_scope_close(depth);
    return X;
}

/* torch.linalg.solve(A, B, left=True): X of A X = B, or of X A = B without `left`, for square A (..., n, n) and B (...,
 * n, m) or (..., m, n), or a vector B (n), (..., n) with the batch of A; batch dims broadcast. By LU with partial
 * pivoting. Floating. dB = inverse(A)^T dX, dA = -dB X^T. Errors: shapes, dtypes, a singular A. */
Tensor *linalg_solve(Tensor *A, Tensor *B, bool left) {
    TG_COMPOSITE("linalg_solve");
    TG_AUTOCAST_FLOAT32(A);
    TG_AUTOCAST_FLOAT32(B);
    return checked_solve(A, B, left, true, NULL, "torch.linalg.solve");
}

/* torch.linalg.solve_ex(A, B, left=True, check_errors=False): the same; *info is 0, or the diagonal element of U, from
 * 1 on, that is 0: then X has infinities or NaN, and it is an error only with check_errors. */
Tensor *linalg_solve_ex(Tensor *A, Tensor *B, bool left, bool check_errors, Tensor **info) {
    tg_clear_output(info);
    TG_AUTOCAST_FLOAT32(A);
    TG_AUTOCAST_FLOAT32(B);
    return checked_solve(A, B, left, check_errors, info, "torch.linalg.solve_ex");
}

/* ---- inv ---- */

/* Y = inverse(A): dA = -Y^T dY Y^T */
static void inv_backward(Record *r, Tensor *dY, Tensor **dx) {
    Tensor *Y = tg_saved(r, 0);
    if (Y) dx[0] = t_neg(t_matmul(t_mT(Y), t_matmul(dY, t_mT(Y))));
}
static const Op inv_op = {"linalg_inv_ex", "LinalgInvExBackward0", inv_backward};

static Tensor *inverse(Tensor *A, bool check_errors, Tensor **info, const char *f) {
    Tensor *pivots, *zero, *LU = tg_lu(A, &pivots, &zero);
    if (!LU || (check_errors &&
                !tg_check_info(zero, f, "The diagonal element %lld is zero, the inversion could not be completed "
                                        "because the input matrix is singular.")))
        return NULL;
    Tensor *eye = tg_eye_like(A, tg_rows(A), T_NONE), *Y = eye ? tg_lu_solved(LU, pivots, eye, true, false) : NULL;
    *info = zero;
    return tg_record(&inv_op, Y, INPUTS(A), SAVED(Y), NONE);
}

static Tensor *checked_inverse(Tensor *A, bool check_errors, Tensor **info, const char *f) {
    if (!tg_check(A, 1) || !tg_check_square(A, "linalg.inv") || !tg_check_is_floating(A, "linalg.inv")) return NULL;
    int depth = t_scope_open();
    Tensor *zero = NULL, *Y = depth ? t_keep_object(inverse(A, check_errors, &zero, f)) : NULL;
    if (Y && info) *info = t_keep_object(zero);
    t_scope_close(depth);
    return Y;
}

/* torch.linalg.inv(A): the inverse of square matrices (..., n, n), by LU. Floating. dA = -Y^T dY Y^T. Errors: not
 * square, singular. */
Tensor *linalg_inv(Tensor *A) {
    TG_COMPOSITE("linalg_inv");
    TG_AUTOCAST_FLOAT32(A);
    return checked_inverse(A, true, NULL, "linalg.inv");
}

/* torch.linalg.inv_ex(A, check_errors=False): the same; *info as in solve_ex. */
Tensor *linalg_inv_ex(Tensor *A, bool check_errors, Tensor **info) {
    tg_clear_output(info);
    TG_AUTOCAST_FLOAT32(A);
    return checked_inverse(A, check_errors, info, "linalg.inv_ex");
}

/* ---- tensorsolve, tensorinv ---- */

/* A with `dims` moved to its end. */
static Tensor *with_dims_last(Tensor *A, const int64_t *dims, int count) {
    int64_t last[T_MAX_DIMS];
    if (count > A->ndim) return tg_fail("there are %d dims, but the tensor has only %d", count, A->ndim);
    for (int i = 0; i < count; i++) last[i] = i - count;
    return count ? t_movedim(A, dims, count, last, count) : A;
}

static Tensor *tensorsolve(Tensor *A, Tensor *B, const int64_t *dims, int count) {
    A = with_dims_last(A, dims, count);
    if (!A) return NULL;
    const int rank = A->ndim - B->ndim;
    const int64_t *shape = A->shape + (rank < A->ndim ? B->ndim : 0);
    const int64_t rows = tg_shape_numel(A->shape, B->ndim < A->ndim ? B->ndim : A->ndim),
                  n = rank > 0 ? tg_shape_numel(shape, rank) : 1;
    if (rows != n)
        return tg_fail("Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
                       "prod(self.shape[:other.ndim]), but got %lld != %lld",
                       (long long)n, (long long)rows);
    Tensor *X = linalg_solve(t_reshape(A, (int64_t[]){n, n}, 2), t_reshape(B, (int64_t[]){-1}, 1), true);
    return X ? t_reshape(X, shape, rank > 0 ? rank : 0) : NULL;
}

/* torch.linalg.tensorsolve(A, B, dims=None): X of tensordot(A, X, X.ndim) = B: the last dims of A, after `dims` were
 * moved to its end, as one dim, and the first B.ndim dims as the other, form a square matrix. Composed of solve. */
Tensor *linalg_tensorsolve(Tensor *A, Tensor *B, const int64_t *dims, int count) {
    TG_COMPOSITE("linalg_tensorsolve");
    TG_AUTOCAST_FLOAT32(A);
    TG_AUTOCAST_FLOAT32(B);
    if (!tg_check_two(A, B) || !tg_check_array(dims, count, 3, "dims")) return NULL;
    int depth = t_scope_open();
    Tensor *X = depth ? tensorsolve(A, B, dims, count) : NULL;
    return tg_scope_return(depth, X);
}

static Tensor *tensorinv(Tensor *A, int ind) {
    int64_t shape[T_MAX_DIMS];
    const int rest = A->ndim - ind;
    const int64_t rows = tg_shape_numel(A->shape, ind), columns = tg_shape_numel(A->shape + ind, rest);
    if (rows != columns)
        return tg_fail("Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but "
                       "got %lld != %lld",
                       (long long)columns, (long long)rows);
    memcpy(shape, A->shape + ind, (size_t)rest * sizeof *shape);
    memcpy(shape + rest, A->shape, (size_t)ind * sizeof *shape);
    Tensor *matrix = t_reshape(A, (int64_t[]){rows, rows}, 2), *zero;
    Tensor *Y = matrix ? checked_inverse(matrix, true, &zero, "inv") : NULL;
    return Y ? t_reshape(Y, shape, A->ndim) : NULL;
}

/* torch.linalg.tensorinv(A, ind=2): the inverse of A as a matrix of its first `ind` dims by the others; the result has
 * the others first. Composed of inv. */
Tensor *linalg_tensorinv(Tensor *A, int64_t ind) {
    TG_COMPOSITE("linalg_tensorinv");
    TG_AUTOCAST_FLOAT32(A);
    if (!tg_check(A, 1)) return NULL;
    if (ind <= 0) return tg_fail("Expected a strictly positive integer for 'ind', but got %lld", (long long)ind);
    if (ind > A->ndim) return tg_fail("ArrayRef: invalid slice, N = %lld; size = %d", (long long)ind, A->ndim);
    int depth = t_scope_open();
    Tensor *Y = depth ? tensorinv(A, (int)ind) : NULL;
    return tg_scope_return(depth, Y);
}
