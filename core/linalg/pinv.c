/* core/linalg/pinv.c: pinv, matrix_rank, lstsq: what the singular values above a tolerance give. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/linalg/linalg_internal.h"

/* The tolerance max(atol, rtol * the largest value): NAN is None; rtol is then max(m, n) eps, but 0 with an atol. */
typedef struct Tolerance {
    double atol, rtol;
} Tolerance;

static Tolerance tolerance_of(const Tensor *A, double atol, double rtol) {
    const int64_t larger = tg_rows(A) > tg_columns(A) ? tg_rows(A) : tg_columns(A);
    if (isnan(rtol)) rtol = atol > 0 ? 0 : (double)larger * (tg_is_double(A) ? 0x1p-52 : 0x1p-23);
    return (Tolerance){isnan(atol) ? 0 : atol, rtol};
}

/* Which of the values S (..., k) are above it. */
static Tensor *is_above(Tensor *S, const Tolerance *t) {
    static const int64_t last = -1;
    Tensor *limit = t_clamp(t_mul(t_amax(S, &last, 1, true), t_number(t->rtol)), t_number(t->atol), NULL);
    return limit ? t_gt(S, limit) : NULL;
}

/* ---- pinv ---- */

/* Y = pinv(A) (G. Golub and V. Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems
 * whose variables separate", 1973):
 * dA = -Y^T dY Y^T + (I - A Y) dY^T Y Y^T + Y^T Y dY^T (I - Y A) */
static Tensor *pinv_gradient(Tensor *A, Tensor *Y, Tensor *dY) {
    Tensor *Yt = t_mT(Y), *dYt = t_mT(dY);
    Tensor *one = t_matmul(t_matmul(Yt, dY), Yt), *two = t_matmul(t_matmul(dYt, Y), Yt),
           *three = t_matmul(t_matmul(Yt, Y), dYt);
    two = t_sub(two, t_matmul(A, t_matmul(Y, two)));
    three = t_sub(three, t_matmul(t_matmul(three, Y), A));
    return t_add(t_sub(two, one), three);
}

static void pinv_backward(Record *r, Tensor *dY, Tensor **dx) {
    Tensor *A = tg_saved(r, 0), *Y = tg_saved(r, 1);
    if (A && Y) dx[0] = pinv_gradient(A, Y, dY);
}
static const Op pinv_op = {"linalg_pinv", "LinalgPinvBackward0", pinv_backward};

/* V S^+ U^T, where S^+ has the reciprocals of the values above the tolerance. */
static Tensor *pseudoinverse(Tensor *A, const Tolerance *t, bool hermitian) {
    if (tg_numel(A) == 0) {
        Tensor *y = tg_empty_batch(A, tg_columns(A), tg_rows(A), A->dtype);
        return y ? t_zero_(y) : NULL;
    }
    Tensor *S, *V, *U;
    if (hermitian) {
        S = linalg_eigh(A, "L", &V);
        U = V;
    } else {
        U = linalg_svd(A, false, &S, &V);
        V = U ? t_mT(V) : NULL;
    }
    if (!U || !S) return NULL;
    Tensor *used = is_above(hermitian ? t_abs(S) : S, t);
    Tensor *reciprocals = used ? t_where(used, t_reciprocal(S), t_number(0)) : NULL;
    return reciprocals ? t_matmul(t_mul(V, t_unsqueeze(reciprocals, -2)), t_mT(U)) : NULL;
}

/* torch.linalg.pinv(A, atol=None, rtol=None, hermitian=False): the pseudoinverse (..., n, m) of matrices (..., m, n):
 * singular values up to max(atol, rtol * the largest) count as 0. NAN is None. `hermitian`: A is symmetric, and eigh of
 * its lower triangle takes the place of svd. The tolerances are numbers, not tensors. dA is above. Errors: rank, dtype.
 */
Tensor *linalg_pinv(Tensor *A, double atol, double rtol, bool hermitian) {
    TG_COMPOSITE("linalg_pinv");
    TG_AUTOCAST_FLOAT32(A);
    if (!tg_check(A, 1)) return NULL;
    if (!tg_is_floating(A->dtype) || A->ndim < 2) {
        const char *sizes = tg_shape_of(A);
        return tg_fail("linalg.pinv(%s{%s}): expected a tensor with 2 or more dimensions of float, double, cfloat or "
                       "cdouble types",
                       tg_scalar_name(A->dtype), sizes);
    }
    if (hermitian && !tg_check_square(A, "linalg.eigh")) return NULL;
    const Tolerance t = tolerance_of(A, atol, rtol);
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *Y = depth ? pseudoinverse(A, &t, hermitian) : NULL;
    t_set_grad_enabled(grad_enabled);
    Y = tg_record(&pinv_op, Y, INPUTS(A), SAVED(A, Y), NONE);
    return tg_scope_return(depth, Y);
}

/* torch.pinverse(A, rcond=1e-15): pinv with that rtol. */
Tensor *t_pinverse(Tensor *A, double rcond) {
    TG_COMPOSITE("pinverse");
    return linalg_pinv(A, NAN, rcond, false);
}

/* ---- matrix_rank ---- */

static Tensor *rank_of(Tensor *A, const Tolerance *t, bool hermitian) {
    static const int64_t last = -1;
    if (tg_numel(A) == 0) {
        Tensor *none = tg_empty_batch(A, T_NONE, T_NONE, t_int64);
        return none ? t_zero_(none) : NULL;
    }
    Tensor *S = hermitian ? t_abs(linalg_eigvalsh(A, "L")) : linalg_svdvals(A), *used = S ? is_above(S, t) : NULL;
    return used ? t_sum(used, &last, 1, false) : NULL;
}

/* torch.linalg.matrix_rank(A, atol=None, rtol=None, hermitian=False): how many singular values are above the tolerance
 * of pinv, int64, without a gradient; the older tol=x is atol=x. Errors: rank, dtype. */
Tensor *linalg_matrix_rank(Tensor *A, double atol, double rtol, bool hermitian) {
    TG_COMPOSITE("linalg_matrix_rank");
    TG_AUTOCAST_FLOAT32(A);
    if (!tg_check(A, 1) || !tg_check_matrices(A, "torch.linalg.matrix_rank", "input")) return NULL;
    if (!tg_is_floating(A->dtype)) return tg_fail("This function doesn't handle types other than float and double");
    if (hermitian && !tg_check_square(A, "linalg.eigh")) return NULL;
    const Tolerance t = tolerance_of(A, atol, rtol);
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *rank = depth ? rank_of(A, &t, hermitian) : NULL;
    t_set_grad_enabled(grad_enabled);
    return tg_scope_return(depth, rank);
}

/* ---- lstsq ---- */

typedef enum Driver { GELS, GELSY, GELSD, GELSS, NO_DRIVER } Driver;
static const char *const drivers[] = {"gels", "gelsy", "gelsd", "gelss"};

/* X = pinv(A) B: dB = pinv(A)^T dX, and the gradient of pinv for dX B^T. */
static void lstsq_backward(Record *r, Tensor *dX, Tensor **dx) {
    Tensor *A = tg_saved(r, 0), *B = tg_saved(r, 1), *Y = A && B ? linalg_pinv(A, NAN, NAN, false) : NULL;
    if (!Y) return;
    if (tg_needs(r, 0)) dx[0] = pinv_gradient(A, Y, t_matmul(dX, t_mT(B)));
    if (tg_needs(r, 1)) dx[1] = t_matmul(t_mT(Y), dX);
}
static const Op lstsq_op = {"linalg_lstsq", "LinalgLstsqBackward0", lstsq_backward};

/* As LAPACK's gels: a 0 on the diagonal of R is an error, but a matrix of zeros has the solution 0. *X is solved. */
static bool check_full_rank(Tensor *A, Tensor *R, Tensor **X) {
    static const int64_t last[] = {-2, -1};
    Tensor *is_zero = t_logical_not(t_any(A, last, 2, false));
    Tensor *singular = t_contiguous(t_eq(t_diagonal(R, 0, -2, -1), t_number(0)));
    Tensor *zeros = is_zero ? t_contiguous(is_zero) : NULL;
    if (!singular || !zeros) return false;
    const bool *is_singular = tg_data(singular), *is_of_zeros = tg_data(zeros);
    const int64_t n = singular->shape[singular->ndim - 1], matrices = tg_numel(zeros);
    bool has_zeros = false;
    for (int64_t k = 0; k < matrices * n; k++) {
        if (!is_singular[k]) continue;
        has_zeros = true;
        if (is_of_zeros[k / n]) continue;
        char element[48] = "";
        if (matrices > 1) snprintf(element, sizeof element, "(Batch element %lld): ", (long long)(k / n));
        return tg_fail("torch.linalg.lstsq: %sThe least squares solution could not be computed because the input "
                       "matrix does not have full rank (error code: %lld).",
                       element, (long long)(k % n + 1));
    }
    if (has_zeros) *X = t_where(t_unsqueeze(t_unsqueeze(zeros, -1), -1), t_number(0), *X);
    return *X != NULL;
}

/* For an A of full rank: A = Q R, X = inverse(R) Q^T B; with more columns A^T = Q R, X = Q inverse(R)^T B. */
static Tensor *by_qr(Tensor *A, Tensor *B) {
    Tensor *R, *Q = linalg_qr(tg_rows(A) < tg_columns(A) ? t_mT(A) : A, "reduced", &R);
    if (!Q) return NULL;
    Tensor *X = tg_rows(A) >= tg_columns(A) ? linalg_solve_triangular(R, t_matmul(t_mT(Q), B), true, true, false)
                                            : t_matmul(Q, linalg_solve_triangular(t_mT(R), B, false, true, false));
    return X && check_full_rank(A, R, &X) ? X : NULL;
}

/* X = V S^+ U^T B, the rank and the singular values. */
static Tensor *by_svd(Tensor *A, Tensor *B, double rcond, Tensor **rank, Tensor **S) {
    static const int64_t last = -1;
    Tensor *Vh, *U = linalg_svd(A, false, S, &Vh);
    const Tolerance t = tolerance_of(A, NAN, rcond);
    if (!U) return NULL;
    if (tg_numel(*S) == 0) {
        *rank = tg_empty_batch(A, T_NONE, T_NONE, t_int64);
        return *rank && t_zero_(*rank) ? t_matmul(t_mT(Vh), t_matmul(t_mT(U), B)) : NULL;
    }
    Tensor *used = is_above(*S, &t);
    *rank = used ? t_sum(used, &last, 1, false) : NULL;
    Tensor *reciprocals = *rank ? t_where(used, t_reciprocal(*S), t_number(0)) : NULL;
    Tensor *projected = reciprocals ? t_mul(t_unsqueeze(reciprocals, -1), t_matmul(t_mT(U), B)) : NULL;
    return projected ? t_matmul(t_mT(Vh), projected) : NULL;
}

typedef struct Solution {
    Tensor *X, *residuals, *rank, *S;
} Solution;

static Tensor *no_elements(t_DType dtype) {
    return tg_empty((int64_t[]){0}, 1, dtype);
}

/* Whether all ranks are n. */
static bool is_full_rank(const Tensor *rank, int64_t n) {
    Tensor *r = t_contiguous((Tensor *)rank);
    bool full = r != NULL;
    for (int64_t i = 0, count = r ? tg_numel(r) : 0; i < count; i++) full = full && ((int64_t *)tg_data(r))[i] == n;
    return full;
}

static bool solve(Tensor *A, Tensor *B, double rcond, Driver driver, Solution *y) {
    static const int64_t rows = -2;
    const int64_t m = tg_rows(A), n = tg_columns(A);
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *X = driver == GELS ? by_qr(A, B) : by_svd(A, B, rcond, &y->rank, &y->S);
    t_set_grad_enabled(grad_enabled);
    if (!(y->X = tg_record(&lstsq_op, X, INPUTS(A, B), SAVED(A, B), NONE))) return false;
    bool wanted = m > n && driver != GELSY && (driver == GELS || is_full_rank(y->rank, n));
    Tensor *error = wanted ? t_sub(t_matmul(A, y->X), B) : NULL;
    y->residuals = wanted ? error ? t_sum(t_square(error), &rows, 1, false) : NULL : no_elements(A->dtype);
    if (driver == GELS) y->rank = no_elements(t_int64);
    if (driver == GELS || driver == GELSY) y->S = no_elements(A->dtype);
    return y->residuals && y->rank && y->S;
}

static Driver driver_of(const char *name) {
    if (!name) return GELSY;
    int i = 0;
    while (i < NO_DRIVER && strcmp(name, drivers[i]) != 0) i++;
    return (Driver)i;
}

static bool check_lstsq(const Tensor *A, const Tensor *B, Driver driver) {
    static const char f[] = "torch.linalg.lstsq";
    if (A->ndim < 2) return tg_fail("%s: input must have at least 2 dimensions.", f);
    if (B->ndim < 1) return tg_fail("%s: other must have at least 1 dimension.", f);
    if (A->dtype != B->dtype)
        return tg_fail("%s: Expected input and other to have the same dtype, but got input's dtype %s and other's "
                       "dtype %s",
                       f, tg_scalar_name(A->dtype), tg_scalar_name(B->dtype));
    if (A->ndim < B->ndim || A->ndim - B->ndim > 1)
        return tg_fail("%s: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1",
                       f);
    if (!tg_is_floating(A->dtype)) return tg_fail("This function doesn't handle types other than float and double");
    if (driver == NO_DRIVER) return tg_fail("%s: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)", f);
    return true;
}

static bool lstsq(Tensor *A, Tensor *B, double rcond, Driver driver, Solution *y) {
    const bool vector = A->ndim - 1 == B->ndim;
    Tensor *a = A, *b = vector ? t_unsqueeze(B, -1) : B;
    if (!b) return false;
    if (tg_rows(a) != tg_rows(b)) return tg_fail("torch.linalg.lstsq: input.size(-2) should match other.size(-2)");
    Tensor *full_a = a, *full_b = b;
    if (!tg_broadcast_batches(&full_b, &full_a) || !solve(a, b, rcond, driver, y)) return false;
    if (vector) y->X = t_squeeze(y->X, -1);
    return y->X != NULL;
}

/* torch.linalg.lstsq(A, B, rcond=None, driver=None): the X of the smallest |A X - B|, and of these the smallest, for A
 * (..., m, n) and B (..., m, k) or a vector (..., m); batch dims broadcast. driver "gels": by QR, for A of full rank;
 * "gelsy" (NULL), "gelsd", "gelss": by SVD, where singular values up to rcond (NAN: max(m, n) eps) times the largest
 * count as 0. *residuals: the sums of squares (..., k) for m > n and full rank, but not with "gelsy"; *rank not with
 * "gels", *singular_values with "gelsd" and "gelss"; else without elements, as in PyTorch. X has the gradients of
 * pinv(A) B. Errors: shapes, dtypes, driver; with "gels" a matrix without full rank, as LAPACK finds it: a 0 on the
 * diagonal of R, and not all of the matrix 0. */
Tensor *linalg_lstsq(Tensor *A, Tensor *B, double rcond, const char *driver, Tensor **residuals, Tensor **rank,
                     Tensor **singular_values) {
    TG_COMPOSITE("linalg_lstsq");
    tg_clear_output(residuals);
    tg_clear_output(rank);
    tg_clear_output(singular_values);
    TG_AUTOCAST_FLOAT32(A);
    TG_AUTOCAST_FLOAT32(B);
    const Driver which = driver_of(driver);
    if (!tg_check_two(A, B) || !check_lstsq(A, B, which)) return NULL;
    int depth = t_scope_open();
    Solution y = {.X = NULL};
    Tensor *X = depth && lstsq(A, B, rcond, which, &y) ? t_keep_object(y.X) : NULL;
    if (X && residuals) *residuals = t_keep_object(y.residuals);
    if (X && rank) *rank = t_keep_object(y.rank);
    if (X && singular_values) *singular_values = t_keep_object(y.S);
    t_scope_close(depth);
    return X;
}
