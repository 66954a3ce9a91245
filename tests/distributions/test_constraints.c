/* tests/distributions/test_constraints.c: constraints on their own: what they accept, their texts and dims, and what is
 * refused; PyTorch's answers. The other suites have them as supports and of parameters. */
#include "core/distributions/distributions.h"
#include "core/tensor/tensor.h"
#include "tests/support/support.h"

START_TEST(of_matrices) {
    Tensor *identity = t_eye(2), *rotation = t_tensor("[[1., 0], [0.6, 0.8]]"), *wide = t_ones(2, 3);
    Tensor *singular = t_tensor("[[1., 1], [1, 1]]"), *negative = t_tensor("[[1., 2], [2, 1]]");
    struct { distributions_Constraint *constraint; const char *name; Tensor *in, *out; } rows[] = {
        {distributions_constraints_lower_triangular(), "LowerTriangular()", rotation, singular},
        {distributions_constraints_lower_cholesky(), "LowerCholesky()", rotation, t_neg(rotation)},
        {distributions_constraints_corr_cholesky(), "CorrCholesky()", rotation, t_mul(rotation, 2)},
        {distributions_constraints_square(), "Square()", negative, wide},
        {distributions_constraints_symmetric(), "Symmetric()", negative, rotation},
        {distributions_constraints_positive_semidefinite(), "PositiveSemidefinite()", singular, negative},
        {distributions_constraints_positive_semidefinite(), "PositiveSemidefinite()", identity, wide},
        {distributions_constraints_positive_definite(), "PositiveDefinite()", identity, negative},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_str_eq(distributions_constraints_str(rows[i].constraint), rows[i].name);
        ck_assert_int_eq(distributions_constraints_event_dim(rows[i].constraint), 2);
        HOLDS(t_item(distributions_constraints_check(rows[i].constraint, rows[i].in)));
        HOLDS(!t_item(distributions_constraints_check(rows[i].constraint, rows[i].out)));
    }
    Tensor *x = t_tensor("[0., 1, 0.5, 2]");
    distributions_Constraint *half_open = distributions_constraints_half_open_interval(t_number(0), t_number(1));
    Tensor *integer = distributions_constraints_check(distributions_constraints_positive_integer(), x);
    HOLDS(t_equal(distributions_constraints_check(half_open, x), t_to(t_tensor("[1, 0, 1, 0]"), t_bool)));
    HOLDS(t_equal(integer, t_to(t_tensor("[0, 1, 0, 1]"), t_bool)));
}
END_TEST

/* Whether they are of discrete values, and the dims of an event; PyTorch's answers. */
START_TEST(discrete_ones_and_dims_of_events) {
    distributions_Constraint *real = distributions_constraints_real(), *boolean = distributions_constraints_boolean();
    distributions_Constraint *mixed[] = {real, boolean}, *reals[] = {real, distributions_constraints_positive()};
    distributions_Distribution *weights = distributions_Categorical(t_ones(2));
    distributions_Distribution *counts = distributions_MixtureSameFamily(weights, distributions_Poisson(t_ones(2)));
    distributions_Distribution *vectors = distributions_MixtureSameFamily(
        weights, distributions_MultivariateNormal(t_zeros(2, 3), t_eye(3)));
    struct { distributions_Constraint *constraint; bool is_discrete; int event_dim; } rows[] = {
        {boolean, true, 0},
        {distributions_constraints_positive(), false, 0},
        {distributions_constraints_nonnegative_integer(), true, 0},
        {distributions_constraints_integer_interval(t_integer(0), t_integer(3)), true, 0},
        {distributions_constraints_one_hot(), true, 1},
        {distributions_constraints_multinomial(t_integer(3)), true, 1},
        {distributions_constraints_simplex(), false, 1},
        {distributions_constraints_real_vector(), false, 1},
        {distributions_constraints_independent(boolean, 2), true, 2},
        {distributions_constraints_cat(mixed, 2, 0, NULL), true, 0},
        {distributions_constraints_stack(reals, 2, 0), false, 0},
        {distributions_constraints_stack(reals, 2, -1), false, 1}, /* the dim of the stack is one of the event */
        {distributions_support(counts), true, 0},
        {distributions_support(vectors), false, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (distributions_constraints_is_discrete(rows[i].constraint) != rows[i].is_discrete ||
            distributions_constraints_event_dim(rows[i].constraint) != rows[i].event_dim)
            note("row %d: %s", (int)i, distributions_constraints_str(rows[i].constraint));
    }
    expect_refusal(!distributions_constraints_is_discrete(NULL), "argument 1 is NULL where a constraint is expected");
    expect_refusal(!distributions_constraints_independent(real, -1), "reinterpreted_batch_ndims must be >= 0, got -1");
    expect_refusal(!distributions_constraints_cat(mixed, 2, 0, (int64_t[]){1, -2}),
                   "lengths[1] is -2, which is negative");
    expect_refusal(!distributions_constraints_check(distributions_constraints_independent(real, 2), t_ones(3)),
                   "Expected value.dim() >= 2 but got 1");
    expect_refusal(!distributions_constraints_check(distributions_support(vectors), t_tensor(1.0)),
                   "Expected value.dim() >= 1 but got 0");
    distributions_Constraint *events[][2] = {{distributions_constraints_real_vector(), real},
                                             {distributions_support(vectors), real}};
    for (int i = 0; i < 2; i++) /* a vector has room for the stack, its elements have none for the events */
        expect_refusal(!distributions_constraints_check(distributions_constraints_stack(events[i], 2, 0), t_ones(2)),
                       "Expected value.dim() >= 1 but got 0");
    report_notes();
}
END_TEST

Suite *constraints_suite(void) {
    Suite *suite = suite_create("constraints");
    TCase *tests = tcase_create("constraints");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, of_matrices);
    tcase_add_test(tests, discrete_ones_and_dims_of_events);
    suite_add_tcase(suite, tests);
    return suite;
}
