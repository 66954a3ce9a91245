/* tests/linalg/test_linalg_solve.c: what the op table does not show of LU, Cholesky and the solvers: large matrices,
 * whose blocks meet every branch, accuracy, singular matrices. */
#include <math.h>

#include "core/core.h"
#include "tests/support/support.h"

static const int64_t sizes[] = {0, 1, 2, 3, 33, 150};
enum { SIZES = sizeof sizes / sizeof *sizes };

static double eps_of(t_DType dtype) {
    return dtype == t_float64 ? 0x1p-52 : 0x1p-23;
}

/* |error| / |scale| in units of eps: below `most`, which is 0 for empty matrices, too. */
static void expect_small(const char *what, int64_t n, Tensor *error, double scale, double most) {
    const double relative = t_item(t_norm(error)) / (scale > 0 ? scale : 1) / eps_of(t_dtype(error));
    if (!(relative <= most)) note("%s, n = %lld: %g eps, more than %g", what, (long long)n, relative, most);
}

static double norm(Tensor *x) {
    return t_item(t_norm(x));
}

static Tensor *random_matrix(int64_t m, int64_t n, t_DType dtype) {
    return t_randn(m, n, .dtype = dtype);
}

/* |A - P L U| <= c n eps |A| with a small c for random matrices (Higham, "Accuracy and Stability of Numerical
 * Algorithms", 9.3); measured: 16 eps at n = 1000. */
static void check_lu(int64_t m, int64_t n, t_DType dtype) {
    Tensor *A = random_matrix(m, n, dtype), *L, *U, *P = linalg_lu(A, .L = &L, .U = &U);
    expect_small("P L U", m, t_sub(A, t_matmul(P, t_matmul(L, U))), norm(A), 10);
    HOLDS(t_equal(L, t_tril(L)) && t_equal(U, t_triu(U)));
    if (m && n) HOLDS(t_item(t_max(t_abs(L))) <= 1);
}

START_TEST(lu_reconstructs) {
    for (int i = 0; i < SIZES; i++) {
        const int64_t n = sizes[i];
        check_lu(n, n, t_float32);
        check_lu(n, n, t_float64);
        check_lu(n, n / 2, t_float64);
        check_lu(n / 3, n, t_float64);
    }
    report_notes();
}
END_TEST

/* The residual of a solution: |B - A X| <= c n eps |A| |X|, however ill-conditioned A is. */
START_TEST(solutions_have_small_residuals) {
    for (int i = 0; i < SIZES; i++)
        for (int is_double = 0; is_double < 2; is_double++) {
            const t_DType dtype = is_double ? t_float64 : t_float32;
            const int64_t n = sizes[i];
            Tensor *A = random_matrix(n, n, dtype), *B = random_matrix(n, 70, dtype);
            Tensor *X = linalg_solve(A, B), *Y = linalg_solve(A, t_t(B), .left = false), *Z = linalg_inv(A);
            Tensor *pivots, *LU = linalg_lu_factor(A, .pivots = &pivots);
            Tensor *W = linalg_lu_solve(LU, pivots, B, .adjoint = true);
            Tensor *R = t_add(t_triu(A), t_mul(t_eye(n, .dtype = dtype), 12)); /* else X grows as 2^n */
            Tensor *T = linalg_solve_triangular(R, B, .upper = true);
            expect_small("solve", n, t_sub(B, t_matmul(A, X)), norm(A) * norm(X), 4);
            expect_small("solve from the right", n, t_sub(t_t(B), t_matmul(Y, A)), norm(A) * norm(Y), 4);
            expect_small("lu_solve of the adjoint", n, t_sub(B, t_matmul(t_t(A), W)), norm(A) * norm(W), 4);
            expect_small("inv", n, t_sub(t_matmul(A, Z), t_eye(n, .dtype = dtype)), norm(A) * norm(Z), 4);
            expect_small("solve_triangular", n, t_sub(B, t_matmul(R, T)), norm(R) * norm(T), 4);
        }
    report_notes();
}
END_TEST

static Tensor *positive_definite(int64_t n, t_DType dtype) {
    Tensor *A = random_matrix(n, n, dtype);
    return t_add(t_matmul(A, t_t(A)), t_eye(n, .dtype = dtype));
}

START_TEST(cholesky_reconstructs) {
    for (int i = 0; i <= SIZES; i++) /* and one whose parts are divided again */
        for (int is_double = 0; is_double < 2; is_double++) {
            const t_DType dtype = is_double ? t_float64 : t_float32;
            const int64_t n = i < SIZES ? sizes[i] : 300;
            Tensor *A = positive_definite(n, dtype), *L = linalg_cholesky(A), *U = linalg_cholesky(A, .upper = true);
            Tensor *B = random_matrix(n, 5, dtype), *X = t_cholesky_solve(B, L);
            expect_small("L L^T", n, t_sub(A, t_matmul(L, t_t(L))), norm(A), 4);
            HOLDS(t_allclose(U, t_t(L), .rtol = 1e-3, .atol = 1e-3));
            expect_small("cholesky_solve", n, t_sub(B, t_matmul(A, X)), norm(A) * norm(X), 4);
        }
    report_notes();
}
END_TEST

/* h_ij = 1 / (i + j + 1), whose condition number is e^(3.5 n): the residual stays small, and the determinant of order 8
 * is 2.73705e-33. */
static Tensor *hilbert(int64_t n) {
    Tensor *i = t_arange(n, .dtype = t_float64);
    return t_reciprocal(t_add(t_add(t_unsqueeze(i, 1), i), 1));
}

START_TEST(hilbert_matrices) {
    Tensor *H = hilbert(12), *ones = t_ones(12, 1, .dtype = t_float64), *X = linalg_solve(H, ones);
    expect_small("solve", 12, t_sub(ones, t_matmul(H, X)), norm(H) * norm(X), 1);
    ck_assert_double_lt(fabs(t_item(linalg_det(hilbert(8))) / 2.73705011379154e-33 - 1), 1e-6);
    ck_assert_double_lt(fabs(t_item(t_logdet(hilbert(8))) - -74.97842732), 1e-6);
    report_notes();
}
END_TEST

START_TEST(singular_matrices) {
    Tensor *A = t_tensor("[[1., 2], [2, 4]]"), *b = t_ones(2), *info, *x;
    Tensor *both = t_stack(t_list(t_eye(2), A)), *sign, *log_of_abs;
    expect_refusal(!(linalg_inv)(A), "linalg.inv: The diagonal element 2 is zero, the inversion could not be completed "
                                     "because the input matrix is singular.");
    expect_refusal(!(linalg_inv)(both), "linalg.inv: (Batch element 1): The diagonal element 2 is zero, the inversion "
                                        "could not be completed because the input matrix is singular.");
    expect_refusal(!(linalg_inv_ex)(A, true, NULL),
                   "linalg.inv_ex: The diagonal element 2 is zero, the inversion could not be completed because the "
                   "input matrix is singular.");
    expect_refusal(!(linalg_solve)(A, b, true),
                   "torch.linalg.solve: The solver failed because the input matrix is singular.");
    expect_refusal(!(linalg_solve)(both, t_ones(2, 2), true),
                   "torch.linalg.solve: (Batch element 1): The solver failed because the input matrix is singular.");
    expect_refusal(!(linalg_lu_factor)(A, true, NULL),
                   "torch.linalg.lu_factor: U[2,2] is zero and using it on lu_solve would result in a division by "
                   "zero. If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
                   "linalg.lu_factor_ex(A, pivot)");
    expect_refusal(!(t_cholesky_inverse)(t_zeros(2, 2), false),
                   "cholesky_inverse: The diagonal element 1 is zero, the inversion could not be completed because the "
                   "input matrix is singular.");
    expect_refusal(!(linalg_cholesky)(t_tensor("[[1., 2], [2, 1]]"), false),
                   "linalg.cholesky: The factorization could not be completed because the input is not "
                   "positive-definite (the leading minor of order 2 is not positive-definite).");
    x = linalg_solve_ex(both, b, .info = &info);
    expect_printed(info, "tensor([0, 2], dtype=torch.int32)");
    HOLDS(t_equal(t_at(x, "0"), b));
    linalg_cholesky_ex(t_stack(t_list(t_eye(2), t_neg(t_eye(2)))), .info = &info);
    expect_printed(info, "tensor([0, 1], dtype=torch.int32)");
    expect_printed(linalg_det(both), "tensor([1., -0.])");
    sign = linalg_slogdet(both, .logabsdet = &log_of_abs);
    expect_printed(sign, "tensor([1., -0.])");
    expect_printed(log_of_abs, "tensor([0., -inf])");
    expect_printed(t_logdet(t_neg(t_eye(3))), "tensor(nan)");
}
END_TEST

START_TEST(pivots_of_another_shape) {
    Tensor *two = t_to(t_tensor("[1, 2]"), t_int32), *A = t_eye(3), *many = t_stack(t_list(A, A));
    expect_refusal(!(linalg_lu_solve)(A, two, A, true, false),
                   "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix");
    expect_refusal(!(linalg_lu_solve)(many, t_to(t_ones(3), t_int32), many, true, false),
                   "linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
                   "[3] instead");
    expect_refusal(!(t_lu_unpack)(t_ones(2), two, true, true, NULL, NULL),
                   "torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: [2] instead");
    expect_refusal(!(linalg_lu_solve)(t_eye(2), two, t_double(t_ones(2, 1)), true, false),
                   "linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type Float and B of "
                   "type Double instead");
    expect_refusal(!(t_lu_unpack)(A, two, true, true, NULL, NULL),
                   "Expected LU_pivots to have shape [3] but got [2] instead.");
    expect_refusal(!(t_lu_unpack)(many, t_to(t_ones(5, 3), t_int32), true, true, NULL, NULL),
                   "Expected LU_pivots to have shape [2, 3] but got [5, 3] instead.");
}
END_TEST

START_TEST(pivots_that_are_no_rows) {
    static const char unpack[] = "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you "
                                 "properly pass the result of lu_factor?";
    Tensor *A = t_eye(3), *zero = t_tensor("[1, 0, 4]", .dtype = t_int32), *L, *U;
    Tensor *four = t_tensor("[1, 2, 4]", .dtype = t_int32);
    expect_refusal(!(t_lu_unpack)(A, zero, true, true, NULL, NULL), unpack);
    expect_refusal(!(t_lu_unpack)(A, four, true, true, NULL, NULL), unpack);
    for (int recorded = 0; recorded < 2; recorded++) {
        t_requires_grad_(A, recorded);
        expect_refusal(!(linalg_lu_solve)(A, zero, A, true, false),
                       "Pivots given to lu_solve must all be greater or equal to 1. Did you properly pass the result "
                       "of lu_factor?");
        expect_refusal(!(linalg_lu_solve)(A, four, A, true, false),
                       "Pivots given to lu_solve must all be smaller or equal to LU.size(-2). Did you properly pass "
                       "the result of lu_factor?");
    }
    expect_printed(t_lu_unpack(A, four, .unpack_pivots = false, .L = &L, .U = &U), "tensor([])");
    HOLDS(t_equal(L, t_eye(3)) && t_equal(U, t_eye(3)));
}
END_TEST

/* PyTorch's texts, but for a pivot 0, of which it says that it is unknown, and pivots out of range, which it reads. */
START_TEST(ldl_refuses) {
    static const char dtype[] = "Expected b and A to have the same dtype, but found b of type Double and A of type "
                                "Float instead.";
    Tensor *A = t_tensor("[[2., 1], [1, -3]]", .requires_grad = true), *b = t_ones(2, 1), *pivots, *info;
    Tensor *LD = linalg_ldl_factor(A, .pivots = &pivots);
    expect_refusal(!t_backward(t_sum(LD)), "derivative for aten::linalg_ldl_factor_ex is not implemented");
    LD = t_detach(LD);
    t_requires_grad_(b, true);
    expect_refusal(!t_backward(t_sum(linalg_ldl_solve(LD, pivots, b))),
                   "derivative for aten::linalg_ldl_solve is not implemented");
    b = t_detach(b);
    expect_refusal(!(linalg_ldl_solve)(LD, pivots, t_double(b)), dtype);
    expect_refusal(!(linalg_ldl_solve)(LD, t_float(pivots), b),
                   "torch.linalg.ldl_solve: Expected pivots to be integers. Got Float");
    expect_refusal(!(linalg_ldl_solve)(LD, t_to(t_tensor("[1, 2, 3]"), t_int32), b),
                   "torch.linalg.ldl_solve: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots "
                   "with shape [3] instead");
    const int wrong[] = {0, 3, -3};
    for (int i = 0; i < 3; i++)
        expect_refusal(!(linalg_ldl_solve)(LD, t_full((2,), wrong[i], .dtype = t_int32), b),
                       t_format("torch.linalg.ldl_solve: pivot %d does not name one of 2 rows", wrong[i]));
    expect_refusal(!(linalg_ldl_factor)(t_zeros(2, 2), &pivots),
                   "torch.linalg.ldl_factor: D[1,1] is zero and using it on ldl_solve would result in a division by "
                   "zero.");
    expect_refusal(!(linalg_ldl_factor_ex)(t_zeros(2, 2), true, &pivots, &info),
                   "torch.linalg.ldl_factor_ex: D[1,1] is zero and using it on ldl_solve would result in a division by "
                   "zero.");
    LD = linalg_ldl_factor_ex(t_zeros(2, 2), .pivots = &pivots, .info = &info);
    HOLDS(t_equal(LD, t_zeros(2, 2)) && t_item(info) == 1 && t_equal(pivots, t_to(t_tensor("[1, 2]"), t_int32)));
}
END_TEST

/* P of the rows 1, 3 and 2 in the dtype of LU, whatever the size of its elements is. */
START_TEST(lu_unpack_of_any_dtype) {
    static const t_DType dtypes[] = {t_bool, t_uint8, t_int16, t_int64, t_float16, t_bfloat16, t_float64};
    Tensor *pivots = t_tensor("[1, 3, 3]", .dtype = t_int32), *P = t_tensor("[[1, 0, 0], [0, 0, 1], [0, 1, 0]]");
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        HOLDS(t_equal(t_lu_unpack(t_ones(3, 3, .dtype = dtypes[i]), pivots, .unpack_data = false),
                      t_to(P, dtypes[i])));
}
END_TEST

/* The gradient of det is the matrix of cofactors, for a singular matrix, too. */
START_TEST(det_of_a_singular_matrix_has_a_gradient) {
    Tensor *A = t_tensor("[[1., 2], [2, 4]]", .dtype = t_float64, .requires_grad = true);
    t_backward(linalg_det(A));
    HOLDS(t_allclose(t_grad(A), t_tensor("[[4., -2], [-2, 1]]", .dtype = t_float64)));
}
END_TEST

/* From left to right a row, a column and a row have few multiplications, a column and a row many. */
START_TEST(multi_dot_takes_the_best_order) {
    Tensor *row = t_randn(1, 60), *column = t_randn(60, 1), *y = linalg_multi_dot(t_list(column, row, column, row));
    HOLDS(t_allclose(y, t_matmul(t_matmul(t_matmul(column, row), column), row), .rtol = 1e-4, .atol = 1e-4));
    const int64_t bytes = t_live_bytes();
    linalg_multi_dot(t_list(row, column, row, column));
    ck_assert_int_lt(t_live_bytes() - bytes, 60 * 60);
}
END_TEST

/* The same matrices in each run: a random one may be ill-conditioned. */
static void setup(void) {
    support_setup();
    t_manual_seed(1);
}

Suite *linalg_solve_suite(void);
Suite *linalg_solve_suite(void) {
    Suite *suite = suite_create("linalg_solve");
    TCase *tests = tcase_create("linalg_solve");
    tcase_add_checked_fixture(tests, setup, support_teardown);
    tcase_add_test(tests, lu_reconstructs);
    tcase_add_test(tests, solutions_have_small_residuals);
    tcase_add_test(tests, cholesky_reconstructs);
    tcase_add_test(tests, hilbert_matrices);
    tcase_add_test(tests, singular_matrices);
    tcase_add_test(tests, pivots_of_another_shape);
    tcase_add_test(tests, pivots_that_are_no_rows);
    tcase_add_test(tests, ldl_refuses);
    tcase_add_test(tests, lu_unpack_of_any_dtype);
    tcase_add_test(tests, det_of_a_singular_matrix_has_a_gradient);
    tcase_add_test(tests, multi_dot_takes_the_best_order);
    suite_add_tcase(suite, tests);
    return suite;
}
