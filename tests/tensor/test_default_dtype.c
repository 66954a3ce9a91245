/* tests/tensor/test_default_dtype.c: t_get_default_dtype, t_set_default_dtype, and where the default dtype counts; the
 * seed that the default generator began with. */
#include "core/core.h"
#include "nn/nn.h"
#include "tests/support/support.h"

static void restore(void) {
    t_set_default_dtype(t_float32);
    support_teardown();
}

START_TEST(new_tensors_and_parameters) {
    ck_assert_int_eq(t_get_default_dtype(), t_float32);
    HOLDS(t_set_default_dtype(t_float64));
    ck_assert_int_eq(t_get_default_dtype(), t_float64);
    Tensor *made[] = {t_zeros(2),
                      t_ones(2),
                      t_empty(2),
                      t_eye(2),
                      t_rand(2),
                      t_randn(2),
                      t_full((2), 1.5),
                      t_linspace(0, 1, 3),
                      t_arange(0, 1, 0.5),
                      t_tensor("[1.5, 2]"),
                      t_tensor("[]"),
                      t_tensor(2.5),
                      nn_Linear(2, 3)->weight,
                      nn_LayerNorm(2)->weight,
                      nn_BatchNorm1d(2)->running_mean,
                      nn_PReLU()->weight,
                      nn_Embedding(3, 2)->weight};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        ck_assert_msg(t_dtype(made[i]) == t_float64, "tensor %d is %s", (int)i, t_dtype_repr(t_dtype(made[i])));
    ck_assert_int_eq(t_dtype(t_tensor("[1, 2]")), t_int64);
    ck_assert_int_eq(t_dtype(t_zeros(2, .dtype = t_float16)), t_float16);
}
END_TEST

START_TEST(integers_with_floats) {
    Tensor *i = t_tensor("[1, 2]"), *f = t_zeros(2);
    t_set_default_dtype(t_float64);
    ck_assert_int_eq(t_dtype(t_add(i, 1.5)), t_float64);
    ck_assert_int_eq(t_dtype(t_div(i, 2)), t_float64);
    ck_assert_int_eq(t_dtype(t_sqrt(i)), t_float64);
    ck_assert_int_eq(t_dtype(t_polygamma(1, i)), t_float64);
    ck_assert_int_eq(t_dtype(t_where(t_gt(i, 1), 1.5, 2.5)), t_float64);
    ck_assert_int_eq(t_dtype(t_add(f, 1.5)), t_float32);
    ck_assert_int_eq(t_dtype(t_add(f, i)), t_float32);
    ck_assert_int_eq(t_dtype(t_float(i)), t_float32);
    t_set_default_dtype(t_bfloat16);
    ck_assert_int_eq(t_dtype(t_add(i, 1.5)), t_bfloat16);
}
END_TEST

START_TEST(is_not_printed) {
    Tensor *f = t_zeros(2);
    t_set_default_dtype(t_float64);
    expect_printed(t_tensor("[1.5]"), "tensor([1.5000])");
    expect_printed(t_zeros(0, 2), "tensor([], size=(0, 2))");
    expect_printed(f, "tensor([0., 0.], dtype=torch.float32)");
    t_manual_seed(0);
    expect_printed(t_rand(2), "tensor([0.9701, 0.7078])");
    expect_printed(t_randn(2), "tensor([-2.1788,  0.5684])");
}
END_TEST

START_TEST(refuses_integers) {
    expect_refusal(!(t_set_default_dtype)(t_int32), "only floating-point types are supported as the default type");
    ck_assert_int_eq(t_get_default_dtype(), t_float32);
}
END_TEST

START_TEST(initial_seed_is_the_last_seed) {
    t_manual_seed(-5);
    t_rand(3);
    ck_assert_int_eq(t_initial_seed(), -5);
    t_Generator *g = t_generator();
    ck_assert_int_eq(t_generator_initial_seed(g), 67280421310721);
    t_generator_manual_seed(g, 7);
    ck_assert_int_eq(t_generator_initial_seed(g), 7);
    expect_refusal((t_generator_initial_seed)(NULL) == -1, "argument 1 is NULL where a generator is expected");
}
END_TEST

Suite *default_dtype_suite(void);
Suite *default_dtype_suite(void) {
    Suite *suite = suite_create("default_dtype");
    TCase *tests = tcase_create("default_dtype");
    tcase_add_checked_fixture(tests, support_setup, restore);
    tcase_add_test(tests, new_tensors_and_parameters);
    tcase_add_test(tests, integers_with_floats);
    tcase_add_test(tests, is_not_printed);
    tcase_add_test(tests, refuses_integers);
    tcase_add_test(tests, initial_seed_is_the_last_seed);
    suite_add_tcase(suite, tests);
    return suite;
}
