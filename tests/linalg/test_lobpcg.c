/* tests/linalg/test_lobpcg.c: t_lobpcg: PyTorch's steps, values, draws and gradients (golden/lobpcg.txt, written by
 * record_lobpcg.py, which has the same calls), trackers, and errors. */
#include <math.h>
#include <string.h>

#include "tests/support/models/replay.h"
#include "tests/support/refusals.h"

enum { SEED = 7, MOST_STEPS = 128, MOST_COLUMNS = 12 };

/* ---- PyTorch's values ---- */

typedef struct Steps {
    int64_t count, columns;
    double values[MOST_STEPS * MOST_COLUMNS];
} Steps;

static void tracker(t_LOBPCG *worker, void *context) {
    Steps *s = context;
    double *row = s->values + s->count * (4 + worker->n);
    const int64_t counts[] = {worker->istep, worker->iterations_left, worker->converged_count, worker->converged_end};
    if (s->count == MOST_STEPS || worker->n + 4 > MOST_COLUMNS) return;
    for (int i = 0; i < 4; i++) row[i] = (double)counts[i];
    for (int64_t i = 0; i < worker->n; i++) row[4 + i] = t_item(t_select(worker->E, 0, i));
    s->columns = 4 + worker->n;
    s->count++;
}

static Tensor *symmetric(Tensor *x) {
    return t_add(x, t_mT(x));
}

#define TIGHT .tol = 1e-13
#define RECORDED .tracker = tracker, .context = steps, .eigenvectors = X
/* A is symmetric; x are the inputs of the case, of which the first one made it. */
#define CASES(CASE)                                                                                                  \
    CASE(default, t_lobpcg(A, RECORDED))                                                                             \
    CASE(tight, t_lobpcg(A, 1, TIGHT, RECORDED))                                                                     \
    CASE(three, t_lobpcg(A, 3, TIGHT, RECORDED))                                                                     \
    CASE(smallest, t_lobpcg(A, 2, .largest = false, TIGHT, RECORDED))                                                \
    CASE(basic, t_lobpcg(A, 2, .method = "basic", .tol = 1e-9, RECORDED))                                            \
    CASE(basic_smallest, t_lobpcg(A, 3, .method = "basic", .largest = false, .tol = 1e-9, RECORDED))                 \
    CASE(B, t_lobpcg(A, 2, symmetric(x[1]), RECORDED))                                                               \
    CASE(basic_B_iK, t_lobpcg(A, 2, symmetric(x[1]), .iK = x[2], .method = "basic", RECORDED))                       \
    CASE(X, t_lobpcg(A, .X = x[1], TIGHT, RECORDED))                                                                 \
    CASE(k_of_X, t_lobpcg(A, 2, NULL, x[1], TIGHT, RECORDED))                                                        \
    CASE(more_columns, t_lobpcg(A, .k = 2, .n = 3, TIGHT, RECORDED))                                                 \
    CASE(fewer_columns, t_lobpcg(A, .k = 3, .n = 2, .niter = 9, RECORDED))                                           \
    CASE(two_steps, t_lobpcg(A, 2, .niter = 2, RECORDED))                                                            \
    CASE(batch, t_lobpcg(A, 2, TIGHT, RECORDED))                                                                     \
    CASE(batches, t_lobpcg(A, 1, TIGHT, RECORDED))                                                                   \
    CASE(batch_X_B, t_lobpcg(A, .B = symmetric(x[1]), .X = x[2], TIGHT, RECORDED))                                   \
    CASE(empty_batch, t_lobpcg(A, 2, RECORDED))                                                                      \
    CASE(use_drop, t_lobpcg(A, 2, .ortho_use_drop = true, RECORDED))                                                 \
    CASE(parameters,                                                                                                 \
         t_lobpcg(A, 3, .ortho_i_max = 1, .ortho_j_max = 2, .ortho_tol = 1e-3, .ortho_tol_replace = 1e-5, RECORDED)) \
    CASE(clustered, t_lobpcg(t_matmul(A, A), 3, .largest = false, RECORDED))                                         \
    CASE(large, t_lobpcg(A, 4, RECORDED))

#define FUNCTION(label, call)                                                           \
    static Tensor *run_##label(Tensor *A, Tensor *const *x, Steps *steps, Tensor **X) { \
        (void)x;                                                                        \
        return call;                                                                    \
    }
#define ROW(label, call) {#label, run_##label},
CASES(FUNCTION)
static const struct {
    const char *label;
    Tensor *(*run)(Tensor *A, Tensor *const *x, Steps *steps, Tensor **X);
} cases[] = {CASES(ROW)};

static Tensor *hashed_like(Tensor *x, const char *key, int which) {
    return hashed_tensor("R", t_shape(x), (int)t_dim(x), seed_of(key), which, t_float64);
}

static void replay(const char *key, const char *section, void *count) {
    static Steps steps;
    size_t i = 0;
    while (strncmp(key, cases[i].label, strcspn(key, " ")) != 0 || strlen(cases[i].label) != strcspn(key, " ")) i++;
    Inputs in = make_inputs(strchr(key, ' ') + 1, seed_of(key), t_float64);
    Tensor *A = in.x[0], *X = NULL;
    steps.count = 0;
    t_manual_seed(SEED);
    Tensor *E = cases[i].run(symmetric(A), in.x, &steps, &X);
    ck_assert_msg(E != NULL, "%s: %s", key, t_error());
    if (strstr(section, "steps ")) {
        const int64_t shape[] = {steps.count, steps.columns};
        Tensor *recorded = (t_tensor_from_data)(steps.values, t_float64, shape, 2, NULL);
        matches_recorded(key, recorded, section, "steps", VALUE);
    }
    matches_recorded(key, t_detach(E), section, "E", VALUE);
    matches_recorded(key, t_abs(t_detach(X)), section, "X", VALUE);
    matches_recorded(key, t_rand(2, .dtype = t_float64), section, "next", EXACT);
    if (strstr(section, "\nA ")) {
        Tensor *of_E = t_sum(t_mul(E, hashed_like(E, key, 100))), *of_X = t_mul(t_abs(X), hashed_like(X, key, 101));
        t_backward(t_add(of_E, t_sum(of_X)));
        matches_recorded(key, t_grad(A), section, "A", GRADIENT);
    }
    ++*(int *)count;
}

START_TEST(steps_values_draws_and_gradients_are_pytorchs) {
    int count = 0;
    each_case("lobpcg.txt", replay, &count);
    ck_assert_int_eq(count, (int)(sizeof cases / sizeof *cases));
    report_notes();
}
END_TEST

/* ---- accuracy ---- */

/* The second difference of n points, with the eigenvalues 2 - 2 cos(j pi / (n + 1)). */
static Tensor *second_difference(int64_t n, t_DType dtype) {
    Tensor *off = t_diag(t_ones(n - 1, .dtype = dtype), 1);
    return t_sub(t_mul(t_eye(n, .dtype = dtype), 2), t_add(off, t_mT(off)));
}

START_TEST(eigenvalues_of_the_second_difference) {
    static const t_DType dtypes[] = {t_float32, t_float64};
    for (int i = 0; i < 2; i++)
        for (int is_largest = 0; is_largest < 2; is_largest++) {
            const int64_t n = 60, k = 4;
            Tensor *A = second_difference(n, dtypes[i]), *X;
            Tensor *E = t_lobpcg(A, k, .largest = is_largest, .tol = i ? 1e-8 : 1e-4, .eigenvectors = &X);
            ck_assert_ptr_nonnull(E);
            HOLDS(t_dtype(E) == dtypes[i] && t_dtype(X) == dtypes[i]);
            for (int64_t j = 0; j < k; j++) {
                const double angle = 3.14159265358979323846 * (double)(is_largest ? n - j : j + 1) / (double)(n + 1);
                const double error = t_item(t_select(E, 0, j)) - (2 - 2 * cos(angle));
                if (fabs(error) > (i ? 1e-9 : 1e-3)) note("dtype %d, eigenvalue %lld: %g off", i, (long long)j, error);
            }
        }
    report_notes();
}
END_TEST

/* A preconditioner near the inverse: fewer steps. */
START_TEST(a_preconditioner_saves_steps) {
    Tensor *A = second_difference(40, t_float64), *inverse = linalg_inv(A);
    static Steps plain, fast;
    plain.count = fast.count = 0;
    t_manual_seed(1);
    t_lobpcg(A, 2, .largest = false, .method = "basic", .tracker = tracker, .context = &plain);
    t_manual_seed(1);
    t_lobpcg(A, 2, .largest = false, .method = "basic", .iK = inverse, .tracker = tracker, .context = &fast);
    HOLDS(fast.count > 0 && 2 * fast.count < plain.count);
}
END_TEST

/* ---- gradients ---- */

/* |X|, since the sign of a vector is free. */
static t_TensorList *eigenpairs(t_TensorList *inputs, void *k) {
    Tensor *X, *A = inputs->items[0];
    t_manual_seed(3);
    Tensor *E = t_lobpcg(symmetric(A), *(const int64_t *)k, .tol = 1e-14, .niter = 30, .eigenvectors = &X);
    return t_list(E, t_abs(X));
}

START_TEST(gradients_are_those_of_differences) {
    for (int64_t k = 1; k <= 2; k++) {
        Tensor *A = make_inputs("m(2,6,6)", 1, t_float64).x[0];
        ck_assert_msg(t_gradcheck(eigenpairs, A, .context = &k), "%s", t_error());
        ck_assert_msg(t_gradgradcheck(eigenpairs, A, .context = &k), "%s", t_error());
    }
}
END_TEST

START_TEST(gradients_of_generalized_problems_are_refused) {
    Tensor *A = t_eye(6), *B = t_requires_grad_(t_eye(6), true), *E = t_lobpcg(A, .B = B, .niter = 3);
    ck_assert_str_eq(t_grad_fn(E), "LOBPCGAutogradFunctionBackward");
    t_backward(t_sum(E));
    expect_error("lobpcg.backward does not support backward with B != I yet.");
}
END_TEST

/* ---- trackers ---- */

static void stopping(t_LOBPCG *worker, void *context) {
    ++*(int *)context;
    ck_assert(worker->m == 12 && worker->n == 2 && worker->k == 2 && worker->batch_index == T_NONE);
    ck_assert(t_size(worker->S, 1) == 6 && t_size(worker->R, 0) == 12 && t_size(worker->rerr, 0) == 2);
    ck_assert(worker->X_norm > 0 && worker->A_norm > 0 && fabs(worker->B_norm - 1) < 1e-6);
    worker->force_stop = worker->istep == 3;
}

static void failing(t_LOBPCG *worker, void *context) {
    (void)context;
    if (worker->batch_index == 1) t_fail("no more");
}

START_TEST(a_tracker_can_stop) {
    int calls = 0;
    ck_assert_ptr_nonnull(t_lobpcg(symmetric(t_randn(12, 12)), 2, .tracker = stopping, .context = &calls));
    ck_assert_int_eq(calls, 3);
    Tensor *before = t_get_rng_state();
    ck_assert_ptr_null(t_lobpcg(symmetric(t_randn(2, 6, 6)), 1, .tracker = failing));
    expect_error("no more");
    t_set_rng_state(before);
}
END_TEST

/* A column of the residuals that is all zeros, of an eigenvector among the first X, is left out of the basis; with
 * ortho_use_drop also what is nearly a combination of others. */
START_TEST(columns_are_left_out_of_the_basis) {
    Tensor *values = t_tensor("[20., 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]", .dtype = t_float64), *A = t_diag(values);
    Tensor *X = t_zeros(12, 2, .dtype = t_float64), *three = t_tensor("[20., 11, 10]", .dtype = t_float64);
    t_set(X, "1, 0", 1);
    t_set(X, "0, 1", sqrt(0.5));
    t_set(X, "2, 1", sqrt(0.5));
    Tensor *E = t_lobpcg(A, .X = X, .niter = 5, .tol = 1e-8);
    HOLDS(t_allclose(E, t_slice(three, 0, 0, 2, 1), .rtol = 1e-10));
    t_manual_seed(1);
    E = t_lobpcg(A, 3, .ortho_use_drop = true, .ortho_tol = 1e-17, .niter = 30, .tol = 1e-9);
    HOLDS(t_allclose(E, three, .rtol = 1e-10));
}
END_TEST

static void narrows(t_LOBPCG *worker, void *context) {
    (void)context;
    if (worker->converged_count > 0) worker->tol = 0;
}

/* ---- errors ---- */

START_TEST(what_has_converged_stays_so) {
    t_manual_seed(1);
    Tensor *A = t_diag(t_tensor("[1000., 20, 19, 18, 17, 16, 15, 14, 13]", .dtype = t_float64));
    ck_assert_ptr_null(t_lobpcg(A, 2, .tracker = narrows, .tol = 1e-3));
    expect_error("the number of converged eigenpairs (was 1, got 0) cannot decrease");
}
END_TEST

START_TEST(refusals) {
    Tensor *A = t_eye(9);
    REFUSES(t_lobpcg(t_ones(3, 4)), "A must be square, got shape torch.Size([3, 4])");
    REFUSES(t_lobpcg(t_ones(4)), "torch.lobpcg: The input tensor A must have at least 2 dimensions.");
    REFUSES(t_lobpcg(A, .B = t_eye(8)), "A and B must have same shape, got torch.Size([9, 9]) vs torch.Size([8, 8])");
    REFUSES(t_lobpcg(A, 4), "LOBPCG algorithm is not applicable when the number of A rows (=9) is smaller than 3 x the "
                            "number of requested eigenpairs (=4)");
    REFUSES(t_lobpcg(A, -1), "Trying to create tensor with negative dimension -1: [9, -1]");
    REFUSES(t_lobpcg(A, .n = -2), "Trying to create tensor with negative dimension -2: [9, -2]");
    REFUSES(t_lobpcg(A, INT64_MAX - 1), "LOBPCG algorithm is not applicable when the number of A rows (=9) is smaller "
                                        "than 3 x the number of requested eigenpairs (=9223372036854775806)");
    REFUSES(t_lobpcg(A, .X = t_ones(8, 2)), "X shape mismatch: got torch.Size([8, 2]), expected (9, 2)");
    REFUSES(t_lobpcg(A, .X = t_zeros(9, 2)), "0.0 cannot be raised to a negative power");
    REFUSES(t_lobpcg(A, .method = "other"), "torch.lobpcg: method is \"ortho\" or \"basic\", got \"other\"");
    REFUSES(t_lobpcg(A, .X = t_ones(9, 2), .method = "basic"),
            "linalg.cholesky: The factorization could not be completed because the input is not positive-definite (the "
            "leading minor of order 2 is not positive-definite).");
    REFUSES(t_lobpcg(A, .X = t_ones(9, 2, .dtype = t_float64)),
            "expected m1 and m2 to have the same dtype, but got: float != double");
    REFUSES(t_lobpcg(t_ones(3, 3, .dtype = t_int64)),
            "torch.lobpcg: Expected a floating point or complex tensor as input. Got Long");
}
END_TEST

static bool small(void *with) {
    Tensor *A = with;
    const int depth = t_scope_open();
    t_LobpcgOptions options = t_LobpcgDefaults;
    Tensor *X = NULL;
    options.niter = 3;
    options.eigenvectors = &X;
    const bool ok = depth && (t_lobpcg)(A, &options);
    t_scope_close(depth);
    return ok;
}

START_TEST(fails_without_memory) {
    refuse_all("lobpcg", small, NULL, make_inputs("m(3,3)", 1, t_float64).x[0]);
    report_notes();
}
END_TEST

Suite *lobpcg_suite(void) {
    Suite *s = suite_create("lobpcg");
    TCase *values = tcase_create("values");
    tcase_add_checked_fixture(values, support_setup, support_teardown);
    tcase_add_test(values, steps_values_draws_and_gradients_are_pytorchs);
    tcase_add_test(values, eigenvalues_of_the_second_difference);
    tcase_add_test(values, a_preconditioner_saves_steps);
    tcase_add_test(values, gradients_are_those_of_differences);
    tcase_add_test(values, gradients_of_generalized_problems_are_refused);
    suite_add_tcase(s, values);
    TCase *calls = tcase_create("calls");
    tcase_add_checked_fixture(calls, support_setup, support_teardown);
    tcase_add_test(calls, a_tracker_can_stop);
    tcase_add_test(calls, columns_are_left_out_of_the_basis);
    tcase_add_test(calls, what_has_converged_stays_so);
    tcase_add_test(calls, refusals);
    tcase_add_test(calls, fails_without_memory);
    suite_add_tcase(s, calls);
    return s;
}
