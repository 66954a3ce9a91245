/* tests/linalg/test_linalg_decompositions.c: what the op table does not show of qr, eigh, svd and what is made of them:
 * large matrices, whose blocks meet every branch, signs, accuracy, equal and clustered values, failures. */
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "tests/support/support.h"

static const double pi = 3.14159265358979323846;
static const int64_t sizes[] = {0, 1, 2, 3, 33, 150};
enum { SIZES = sizeof sizes / sizeof *sizes };

static double eps_of(t_DType dtype) {
    return dtype == t_float64 ? 0x1p-52 : 0x1p-23;
}

static double norm(Tensor *x) {
    return t_item(t_norm(x));
}

/* |error| / scale in units of eps: at most `most`. */
static void expect_small(const char *what, int64_t n, Tensor *error, double scale, double most) {
    const double relative = norm(error) / (scale > 0 ? scale : 1) / eps_of(t_dtype(error));
    if (!(relative <= most)) note("%s, n = %lld: %g eps, more than %g", what, (long long)n, relative, most);
}

/* The columns of Q: |Q^T Q - I| / sqrt(columns). */
static void expect_orthonormal(const char *what, Tensor *Q, double most) {
    const int64_t n = t_size(Q, -1);
    Tensor *error = t_sub(t_matmul(t_mT(Q), Q), t_eye(n, .dtype = t_dtype(Q)));
    expect_small(what, n, error, sqrt((double)n), most);
}

/* h_ij = 1 / (i + j + 1) */
static Tensor *hilbert(int64_t n) {
    Tensor *i = t_arange(n, .dtype = t_float64);
    return t_reciprocal(t_add(t_add(t_unsqueeze(i, 1), i), 1));
}

/* Each check in a scope of its own, for matrices of each size and dtype, square, tall and wide. */
typedef void MatrixCheck(Tensor *A);

static void for_matrices(MatrixCheck *check) {
    for (int i = 0; i < SIZES; i++)
        for (int is_double = 0; is_double < 2; is_double++)
            with_scope () {
                const t_DType dtype = is_double ? t_float64 : t_float32;
                const int64_t n = sizes[i];
                check(t_randn(n, n, .dtype = dtype));
                check(t_randn(n, n / 2, .dtype = dtype));
                check(t_randn(n / 3, n, .dtype = dtype));
                check(t_mT(t_randn(2, n, n + 1, .dtype = dtype)));
            }
    report_notes();
}

/* ---- qr ---- */

static void check_qr(Tensor *A) {
    const int64_t m = t_size(A, -2), k = m < t_size(A, -1) ? m : t_size(A, -1);
    Tensor *R, *full_R, *only_R, *Q = linalg_qr(A, .R = &R), *full_Q = linalg_qr(A, "complete", .R = &full_R);
    linalg_qr(A, "r", .R = &only_R);
    expect_small("Q R", m, t_sub(A, t_matmul(Q, R)), norm(A), 8);
    expect_small("Q R, complete", m, t_sub(A, t_matmul(full_Q, full_R)), norm(A), 8);
    expect_orthonormal("Q", Q, 12); /* of two matrices */
    expect_orthonormal("Q, complete", full_Q, 12);
    HOLDS(t_equal(R, t_triu(R)) && t_equal(R, only_R) && t_equal(t_narrow(full_R, -2, 0, k), R));
}

START_TEST(qr_reconstructs) {
    for_matrices(check_qr);
}
END_TEST

/* LAPACK's signs: the diagonal of R is of the sign opposite to that of what is reflected; the last element of a square
 * matrix is not reflected. PyTorch's values. */
START_TEST(qr_has_the_signs_of_lapack) {
    Tensor *A = t_tensor("[[12., -51, 4], [6, 167, -68], [-4, 24, -41]]"), *R, *Q = linalg_qr(A, .R = &R);
    HOLDS(t_allclose(R, t_tensor("[[-14., -21, 14], [0, -175, 70], [0, 0, -35]]"), .atol = 1e-4));
    HOLDS(t_allclose(t_at(Q, "0"), t_tensor("[-0.8571, 0.3943, 0.3314]"), .atol = 1e-4));
    linalg_qr(t_eye(2), .R = &R);
    expect_printed(R, "tensor([[1., 0.],\n        [0., 1.]])"); /* nothing to reflect */
}
END_TEST

START_TEST(householder_product_is_q) {
    Tensor *A = t_tensor("[[3., 1], [4, 2], [0, 2]]"), *tau = t_tensor("[1.6, 1]");
    Tensor *v = t_tensor("[[3., 1], [0.5, 2], [0, 2]]"), *Q = linalg_householder_product(v, tau);
    Tensor *I = t_eye(3), *one = t_tensor("[[1.], [0.5], [0]]"), *two = t_tensor("[[0.], [1], [2]]");
    Tensor *first = t_sub(I, t_mul(t_matmul(one, t_t(one)), 1.6)), *second = t_sub(I, t_matmul(two, t_t(two)));
    HOLDS(t_allclose(Q, t_narrow(t_matmul(first, second), 1, 0, 2), .atol = 1e-6));
    ck_assert_int_eq(t_numel(A), 6);
}
END_TEST

/* ---- eigh ---- */

static void check_eigh(Tensor *A) {
    const int64_t n = t_size(A, -1);
    if (t_size(A, -2) != n) return;
    Tensor *S = t_add(A, t_mT(A)), *V, *L = linalg_eigh(S, .eigenvectors = &V);
    Tensor *junk = t_add(t_tril(S), t_triu(A, 1)), *other = t_add(t_triu(S), t_tril(A, -1));
    expect_small("V L V^T", n, t_sub(S, t_matmul(t_mul(V, t_unsqueeze(L, -2)), t_mT(V))), norm(S), 40);
    expect_orthonormal("V", V, 30);
    expect_small("eigvalsh", n, t_sub(linalg_eigvalsh(S), L), norm(S), 4);
    HOLDS(t_equal(linalg_eigvalsh(junk), linalg_eigvalsh(S)));
    HOLDS(t_equal(linalg_eigvalsh(other, "U"), linalg_eigvalsh(S)));
    if (n > 1) HOLDS(t_item(t_min(t_diff(L))) >= 0);
}

START_TEST(eigh_reconstructs) {
    for_matrices(check_eigh);
}
END_TEST

/* The gradient of a symmetric matrix is symmetric, also the second one. The sum of V_ij^2 (i + j) is the same for all
 * matrices: its gradient is 0. */
START_TEST(gradients_of_eigh_are_symmetric) {
    t_manual_seed(4);
    Tensor *B = t_randn(2, 4, 4, .dtype = t_float64), *S = t_add(B, t_mT(B));
    t_requires_grad_(S);
    Tensor *i = t_arange(4, .dtype = t_float64), *sums = t_add(t_unsqueeze(i, 0), t_unsqueeze(i, 1)), *V;
    linalg_eigh(S, .eigenvectors = &V);
    Tensor *squares = t_square(V), *zero = t_grad(t_sum(t_mul(squares, sums)), S, .retain_graph = true);
    HOLDS(t_allclose(zero, t_zeros_like(zero), .atol = 1e-12));
    Tensor *first = t_grad(t_sum(t_mul(squares, t_square(sums))), S, .create_graph = true);
    HOLDS(t_item(t_max(t_abs(first))) > 0.1 && t_allclose(first, t_mT(first), .atol = 1e-12));
    Tensor *second = t_grad(t_sum(t_mul(first, B)), S);
    HOLDS(t_item(t_max(t_abs(second))) > 0.1 && t_allclose(second, t_mT(second), .atol = 1e-9));
}
END_TEST

/* The second difference, with the eigenvalues 2 - 2 cos(k pi / (n + 1)). */
START_TEST(eigenvalues_of_the_second_difference) {
    const int64_t n = 100;
    Tensor *ones = t_ones(n - 1, .dtype = t_float64), *off = t_add(t_diag(ones, 1), t_diag(ones, -1));
    Tensor *L = linalg_eigvalsh(t_sub(t_mul(t_eye(n, .dtype = t_float64), 2), off));
    Tensor *k = t_arange(1, n + 1, .dtype = t_float64);
    Tensor *want = t_sub(2, t_mul(t_cos(t_mul(k, pi / (double)(n + 1))), 2));
    expect_small("the second difference", n, t_sub(L, want), 4, 40);
    report_notes();
}
END_TEST

/* Clusters of eigenvalues: half are 1, some 1 + 1e-10; the vectors must be orthonormal nevertheless. */
START_TEST(clustered_eigenvalues) {
    const int64_t n = 60;
    Tensor *Q = linalg_qr(t_randn(n, n, .dtype = t_float64));
    Tensor *want = t_cat(t_list(t_ones(n / 2, .dtype = t_float64), t_full((n / 4, ), 1 + 1e-10, .dtype = t_float64),
                                t_arange(2, n / 4 + 2, .dtype = t_float64)));
    Tensor *A = t_matmul(t_mul(Q, want), t_t(Q)), *V, *L = linalg_eigh(A, .eigenvectors = &V);
    expect_small("clustered values", n, t_sub(L, want), norm(A), 10);
    expect_orthonormal("clustered vectors", V, 20);
    expect_small("V L V^T", n, t_sub(A, t_matmul(t_mul(V, L), t_t(V))), norm(A), 20);
    report_notes();
}
END_TEST

/* The gradient of the eigenvalues alone is V diag(dL) V^T, finite where they are equal, too; so is the second one. */
START_TEST(values_of_equal_eigenvalues_have_gradients) {
    Tensor *A = t_eye(3, .dtype = t_float64, .requires_grad = true);
    t_backward(t_sum(t_square(linalg_eigvalsh(A))));
    HOLDS(t_allclose(t_grad(A), t_mul(t_eye(3, .dtype = t_float64), 2)));
    Tensor *B = t_ones(3, 2, .dtype = t_float64, .requires_grad = true);
    t_backward(linalg_matrix_norm(B, T_NUC));
    HOLDS(t_item(t_all(t_isfinite(t_grad(B)))) == 1 && fabs(t_item(t_sum(t_grad(B))) - sqrt(6)) < 1e-12);
}
END_TEST

/* ---- svd ---- */

static void check_svd(Tensor *A) {
    const int64_t m = t_size(A, -2), n = t_size(A, -1), k = m < n ? m : n;
    Tensor *S, *Vh, *U = linalg_svd(A, .S = &S, .Vh = &Vh), *s, *vh, *u = linalg_svd(A, false, .S = &s, .Vh = &vh);
    expect_small("u s vh", m, t_sub(A, t_matmul(t_mul(u, t_unsqueeze(s, -2)), vh)), norm(A), 40);
    expect_orthonormal("U", U, 30);
    expect_orthonormal("V", t_mT(Vh), 30);
    HOLDS(t_equal(S, s) && t_size(U, -1) == m && t_size(Vh, -2) == n);
    HOLDS(t_equal(t_narrow(U, -1, 0, k), u) && t_equal(t_narrow(Vh, -2, 0, k), vh));
    expect_small("svdvals", m, t_sub(linalg_svdvals(A), s), norm(A), 4);
    if (k > 1) HOLDS(t_item(t_max(t_diff(s))) <= 0);
    if (k > 0 && m) HOLDS(t_item(t_min(s)) >= 0);
}

START_TEST(svd_reconstructs) {
    for_matrices(check_svd);
}
END_TEST

/* The singular values of the Hilbert matrix of order 12 fall from 1.8 to 2.6e-17, which is below eps; those of a
 * bidiagonal matrix of ones are 2 cos(k pi / (2 n + 1)). */
START_TEST(singular_values_of_known_matrices) {
    Tensor *S = linalg_svdvals(hilbert(12)), *ones = t_ones(39, .dtype = t_float64);
    Tensor *U = t_add(t_eye(40, .dtype = t_float64), t_diag(ones, 1));
    HOLDS(fabs(t_item(t_at(S, "0")) - 1.7953720595619973) < 1e-14);
    HOLDS(fabs(t_item(t_at(S, "5")) / 1.1163357483232843e-05 - 1) < 1e-10 && t_item(t_at(S, "11")) < 1e-15);
    Tensor *k = t_arange(1, 41, .dtype = t_float64), *want = t_mul(t_cos(t_mul(k, pi / 81)), 2);
    expect_small("a bidiagonal matrix", 40, t_sub(linalg_svdvals(U), want), 2, 20);
    expect_printed(linalg_matrix_rank(hilbert(4)), "tensor(4)");
    report_notes();
}
END_TEST

/* Matrices with zeros where an iteration could divide by them. */
START_TEST(svd_of_degenerate_matrices) {
    Tensor *zeros = t_zeros(5, 3, .dtype = t_float64), *ones = t_ones(40, 30, .dtype = t_float64);
    Tensor *shift = t_diag(t_ones(5, .dtype = t_float64), 1);
    check_svd(zeros);
    check_svd(shift);
    check_svd(ones);
    check_svd(t_tensor("[[0., 1], [0, 0]]", .dtype = t_float64));
    Tensor *large = t_tensor("[[1e200, 1e200], [1e200, 1e-200]]", .dtype = t_float64);
    HOLDS(t_allclose(linalg_svdvals(large),
                     t_tensor("[1.618033988749895e200, 6.18033988749895e199]", .dtype = t_float64)));
    expect_printed(linalg_matrix_rank(t_stack(t_list(t_zeros(3, 3), t_ones(3, 3), t_eye(3)))), "tensor([0, 1, 3])");
    report_notes();
}
END_TEST

START_TEST(polar_factors) {
    Tensor *A = t_randn(200, 150), *H, *U = linalg_polar(A, .H = &H);
    expect_small("A - U H", 150, t_sub(A, t_matmul(U, H)), norm(A), 60);
    expect_orthonormal("polar's U", U, 40);
    HOLDS(t_equal(H, t_mT(H)));
}
END_TEST

/* Denormal matrices have the eigenvalues and singular values of their multiples; and the iteration also ends where some
 * elements are denormal and the others are not. */
START_TEST(values_of_tiny_matrices) {
    const t_DType dtypes[] = {t_float32, t_float64};
    const double scales[] = {0x1p-135, 0x1p-1050}; /* 14 and 24 bits are left */
    for (int i = 0; i < 2; i++) {
        Tensor *S = t_tensor("[[2., 1, -3], [1, 5, 4], [-3, 4, -1]]", .dtype = dtypes[i]);
        Tensor *A = t_tensor("[[2., 1, -3, 4], [1, 5, 4, 0], [-3, 4, -1, 2]]", .dtype = dtypes[i]);
        Tensor *scale = t_full((), scales[i], .dtype = dtypes[i]), *s, *vh, *vectors = NULL;
        Tensor *tiny = t_mul(S, scale), *w = linalg_eigh(tiny, .eigenvectors = &vectors);
        HOLDS(t_allclose(t_div(w, scale), linalg_eigvalsh(S), .rtol = 0, .atol = 1e-3));
        HOLDS(t_allclose(t_matmul(S, vectors), t_mul(vectors, t_div(w, scale)), .rtol = 0, .atol = 1e-3));
        HOLDS(t_allclose(t_div(linalg_svdvals(t_mul(A, scale)), scale), linalg_svdvals(A), .rtol = 0, .atol = 1e-3));
        Tensor *u = linalg_svd(t_mul(A, scale), false, .S = &s, .Vh = &vh);
        HOLDS(t_allclose(t_matmul(t_mul(u, t_div(s, scale)), vh), A, .rtol = 0, .atol = 1e-3));
    }
    Tensor *mixed = t_zeros(5, 5, .dtype = t_float64);
    const struct { int row, column; double value; } elements[] = {
        {1, 0, -0.875}, {3, 0, -0x1.9p-1026}, {4, 0, -0x1.375p-533}, {1, 1, -0x1.aep-533}, {2, 1, -0x1.c3p-1025},
        {3, 1, -0.625}, {4, 1, -0.25}, {3, 2, -0x1.87p-1025}, {4, 2, 0x1.61p-1024}, {3, 3, 0x1.9ep-536},
        {4, 3, 0x1.2bp-532}};
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        t_set(mixed, "{}, {}", elements[i].row, elements[i].column, elements[i].value);
    const double length = sqrt(0.875 * 0.875 + 0.625 * 0.625 + 0.25 * 0.25);
    Tensor *w = linalg_eigvalsh(mixed);
    HOLDS(w && fabs(t_item(t_at(w, "0")) + length) < 1e-15 && fabs(t_item(t_at(w, "4")) - length) < 1e-15);
    HOLDS(t_item(t_max(t_abs(t_slice(w, 0, 1, 4, 1)))) < 1e-15);
}
END_TEST

START_TEST(values_that_are_not_finite) {
    Tensor *A = t_stack(t_list(t_eye(3), t_full((3, 3), NAN)));
    expect_refusal(!(linalg_svd)(A, true, NULL, NULL),
                   "linalg.svd: (Batch element 1): The algorithm failed to converge because the input matrix contained "
                   "non-finite values.");
    expect_refusal(!(linalg_eigh)(A, "L", NULL),
                   "linalg.eigh: (Batch element 1): The algorithm failed to converge because the input matrix is "
                   "ill-conditioned or has too many repeated eigenvalues (error code: 2).");
    expect_refusal(!(linalg_eigh)(A, "x", NULL), "Expected UPLO argument to be 'L' or 'U', but got x");
}
END_TEST

START_TEST(gradients_that_qr_has_not) {
    Tensor *A = t_randn(4, 3, .requires_grad = true), *R;
    linalg_qr(A, "r", .R = &R);
    expect_refusal(!(t_backward)(t_sum(R), NULL),
                   "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
                   "linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr.");
    linalg_qr(A, "complete", .R = &R);
    expect_refusal(!(t_backward)(t_sum(R), NULL),
                   "The QR decomposition is not differentiable when mode='complete' and nrows > ncols.");
}
END_TEST

/* ---- pinv, lstsq, cond, norms, matrix_exp ---- */

/* Penrose's conditions, for a matrix of rank 5, too. */
static void check_pinv(Tensor *A) {
    Tensor *Y = linalg_pinv(A, .rtol = 1e-4);
    const double scale = norm(A) * norm(A) * norm(Y);
    expect_small("A Y A", t_size(A, -1), t_sub(t_matmul(t_matmul(A, Y), A), A), scale, 40);
    expect_small("A Y", t_size(A, -1), t_sub(t_matmul(A, Y), t_mT(t_matmul(A, Y))), scale, 40);
}

START_TEST(pinv_is_a_pseudoinverse) {
    check_pinv(t_matmul(t_randn(40, 5, .dtype = t_float64), t_randn(5, 33, .dtype = t_float64)));
    for_matrices(check_pinv);
}
END_TEST

START_TEST(lstsq_solves_the_normal_equations) {
    static const char *const drivers[] = {NULL, "gels", "gelsy", "gelsd", "gelss"};
    Tensor *A = t_randn(50, 40, .dtype = t_float64), *B = t_randn(50, 3, .dtype = t_float64);
    for (int i = 0; i < 5; i++) {
        Tensor *residuals, *rank, *S,
            *X =
                linalg_lstsq(A, B, .driver = drivers[i], .residuals = &residuals, .rank = &rank, .singular_values = &S);
        expect_small("A^T (B - A X)", 50, t_matmul(t_t(A), t_sub(B, t_matmul(A, X))), norm(A) * norm(B), 40);
        Tensor *wide = linalg_lstsq(t_t(A), t_randn(40, .dtype = t_float64), .driver = drivers[i]);
        ck_assert_int_eq(t_numel(wide), 50);
        HOLDS(t_numel(residuals) == (i == 1 || i > 2 ? 3 : 0) && t_numel(rank) == (i != 1));
        HOLDS(t_numel(S) == (i > 2 ? 40 : 0));
    }
    Tensor *low = t_matmul(t_randn(20, 3), t_randn(3, 10)), *rank;
    linalg_lstsq(low, t_randn(20), .rank = &rank);
    expect_printed(rank, "tensor(3)");
    /* gels as LAPACK: an error for a column of zeros, 0 for a matrix of zeros */
    Tensor *flat = t_tensor("[[1., 0], [2, 0], [3, 0]]"), *both = t_stack(t_list(t_eye(3, 2), t_zeros(3, 2)));
    ck_assert_ptr_null((linalg_lstsq)(flat, t_ones(3, 1), NAN, "gels", NULL, NULL, NULL));
    expect_error("torch.linalg.lstsq: The least squares solution could not be computed because the input matrix does "
                 "not have full rank (error code: 2).");
    ck_assert_ptr_null(
        (linalg_lstsq)(t_stack(t_list(t_eye(3, 2), t_flip(flat, 1))), t_ones(2, 3, 1), NAN, "gels", NULL, NULL, NULL));
    expect_error("torch.linalg.lstsq: (Batch element 1): The least squares solution could not be computed because the "
                 "input matrix does not have full rank (error code: 1).");
    HOLDS(t_equal(linalg_lstsq(both, t_ones(2, 3, 1), .driver = "gels"), t_tensor("[[[1.], [1]], [[0], [0]]]")));
    HOLDS(t_equal(linalg_lstsq(t_zeros(2, 3), t_ones(2, 1), .driver = "gels"), t_zeros(3, 1)));
    report_notes();
}
END_TEST

START_TEST(norms_and_condition_numbers) {
    Tensor *A = t_tensor("[[1., -2], [3, 4]]", .dtype = t_float64);
    HOLDS(t_allclose(linalg_norm(A), t_tensor("5.477225575051661", .dtype = t_float64)));
    HOLDS(t_item(linalg_norm(A, 1)) == 6 && t_item(linalg_norm(A, -INFINITY)) == 3);
    HOLDS(t_item(linalg_norm(A, INFINITY, (0, 1))) == 7 && t_item(linalg_matrix_norm(A, -1)) == 4);
    HOLDS(t_equal(linalg_norm(A, 1, 0), t_tensor("[4., 6]", .dtype = t_float64)));
    HOLDS(fabs(t_item(linalg_matrix_norm(A, 2)) * t_item(linalg_matrix_norm(A, -2)) - 10) < 1e-12);
    HOLDS(fabs(t_item(linalg_cond(A)) * t_item(linalg_cond(A, -2)) - 1) < 1e-12);
    HOLDS(fabs(t_item(linalg_cond(A, 1)) - 6 * 0.7) < 1e-12);
    Tensor *singular = t_ones(2, 2);
    HOLDS(isnan(t_item(linalg_cond(t_zeros(2, 2)))) && isinf(t_item(linalg_cond(singular, 1))));
    HOLDS(isnan(t_item(linalg_cond(t_zeros(2, 2), T_NUC))) && isinf(t_item(linalg_cond(t_zeros(2, 2), T_FRO))));
    HOLDS(isinf(t_item(linalg_cond(singular, T_NUC))) && t_item(linalg_cond(hilbert(8))) > 1e10);
}
END_TEST

/* The dtype of a norm: one that represents all values of the matrix's; PyTorch's errors. */
START_TEST(norms_have_a_dtype) {
    const t_DType dtypes[] = {t_float16, t_bfloat16, t_float32, t_float64};
    static const char *const names[] = {"Half", "BFloat16", "Float", "Double"};
    for (int i = 0; i < 32; i++) {
        const int from = i / 4 % 4, to = i % 4;
        const bool of_vectors = i / 16, is_wider = from == to || to > (from == 0 ? 1 : from);
        Tensor *A = t_tensor("[[1., -2], [3, 4]]", .dtype = dtypes[from]);
        Tensor *y = of_vectors ? (linalg_vector_norm)(A, 2, NULL, 0, false, dtypes[to])
                               : (linalg_matrix_norm)(A, 1, NULL, 0, false, dtypes[to]);
        const char *text = t_format("linalg.%s_norm: the dtype of the input (%s) should be convertible without "
                                    "narrowing to the specified dtype (%s)",
                                    of_vectors ? "vector" : "matrix", names[from], names[to]);
        const bool right = is_wider ? y && t_dtype(y) == dtypes[to] &&
                                          fabs(t_item(y) - (of_vectors ? sqrt(30) : 6)) < 0.01
                                    : !y && strcmp(t_error(), text) == 0;
        if (!right) note("%s as %s: %s", names[from], names[to], y ? t_str(y) : t_error());
        t_clear_error();
    }
    Tensor *A = t_tensor("[[1., -2], [3, 4]]"), *half = t_half(A);
    expect_refusal(!(linalg_matrix_norm)(A, 1, NULL, 0, false, t_int64),
                   "linalg.matrix_norm: dtype should be floating point or complex, but got Long");
    expect_refusal(!linalg_matrix_norm(half, 2), "linalg.matrix_norm: Low precision dtypes not supported. Got Half");
    expect_refusal(!linalg_matrix_norm(half, -2), "linalg.matrix_norm: Low precision dtypes not supported. Got Half");
    expect_refusal(!linalg_matrix_norm(t_to(A, t_bfloat16), T_NUC),
                   "linalg.matrix_norm: Low precision dtypes not supported. Got BFloat16");
    report_notes();
}
END_TEST

static Tensor *root_of_gram(Tensor *x) {
    return linalg_matrix_sqrth(t_add(t_matmul(x, t_mT(x)), t_eye(3, .dtype = t_float64)));
}

START_TEST(matrix_sqrth_is_differentiated_twice) {
    Tensor *x = t_tensor("[[0.5, -1, 0.25], [1, 0.75, -0.5], [0.25, 2, 1]]", .dtype = t_float64,
                         .requires_grad = true);
    HOLDS(t_gradcheck(root_of_gram, x) && t_gradgradcheck(root_of_gram, x));
}
END_TEST

START_TEST(exponentials) {
    Tensor *A = t_randn(2, 33, 33, .dtype = t_float64);
    Tensor *one = t_matmul(linalg_matrix_exp(A), linalg_matrix_exp(t_neg(A)));
    expect_small("exp(A) exp(-A)", 33, t_sub(one, t_eye(33, .dtype = t_float64)), 1e7, 40);
    HOLDS(t_allclose(linalg_matrix_exp(t_tensor("[[0., 1, 2], [0, 0, 3], [0, 0, 0]]")),
                     t_tensor("[[1., 1, 3.5], [0, 1, 3], [0, 0, 1]]")));
    HOLDS(t_allclose(linalg_matrix_exp(t_tensor("[[0., -20], [20, 0]]")),
                     t_tensor("[[0.40808206, -0.91294525], [0.91294525, 0.40808206]]"), .atol = 1e-5));
    HOLDS(isnan(t_item(t_at(linalg_matrix_exp(t_full((2, 2), NAN)), "0, 0"))));
    Tensor *S = t_tensor("[[2., 0], [0, 9]]"), *root = linalg_matrix_sqrth(S);
    HOLDS(t_allclose(t_matmul(root, root), S, .atol = 1e-5));
    report_notes();
}
END_TEST

/* Writing to an output changes what the backward needs, as in PyTorch. */
START_TEST(outputs_that_were_written_to) {
    Tensor *A = t_randn(3, 3, .requires_grad = true), *R, *Q = linalg_qr(A, .R = &R);
    Tensor *y = t_sum(Q);
    with_no_grad () t_zero_(R);
    HOLDS(!(t_backward)(y, NULL));
    ck_assert_ptr_nonnull(strstr(t_error(), "has been modified by an inplace operation"));
    t_clear_error();
}
END_TEST

/* The same matrices in each run: one in thirty random ones of 150 x 150 has singular values that rtol cuts off. */
static void setup(void) {
    support_setup();
    t_manual_seed(1);
}

Suite *linalg_decompositions_suite(void);
Suite *linalg_decompositions_suite(void) {
    Suite *suite = suite_create("linalg_decompositions");
    TCase *tests = tcase_create("linalg_decompositions");
    tcase_add_checked_fixture(tests, setup, support_teardown);
    tcase_add_test(tests, qr_reconstructs);
    tcase_add_test(tests, qr_has_the_signs_of_lapack);
    tcase_add_test(tests, householder_product_is_q);
    tcase_add_test(tests, eigh_reconstructs);
    tcase_add_test(tests, gradients_of_eigh_are_symmetric);
    tcase_add_test(tests, eigenvalues_of_the_second_difference);
    tcase_add_test(tests, clustered_eigenvalues);
    tcase_add_test(tests, values_of_equal_eigenvalues_have_gradients);
    tcase_add_test(tests, svd_reconstructs);
    tcase_add_test(tests, singular_values_of_known_matrices);
    tcase_add_test(tests, svd_of_degenerate_matrices);
    tcase_add_test(tests, polar_factors);
    tcase_add_test(tests, values_that_are_not_finite);
    tcase_add_test(tests, values_of_tiny_matrices);
    tcase_add_test(tests, gradients_that_qr_has_not);
    tcase_add_test(tests, pinv_is_a_pseudoinverse);
    tcase_add_test(tests, lstsq_solves_the_normal_equations);
    tcase_add_test(tests, norms_and_condition_numbers);
    tcase_add_test(tests, norms_have_a_dtype);
    tcase_add_test(tests, matrix_sqrth_is_differentiated_twice);
    tcase_add_test(tests, exponentials);
    tcase_add_test(tests, outputs_that_were_written_to);
    suite_add_tcase(suite, tests);
    return suite;
}
