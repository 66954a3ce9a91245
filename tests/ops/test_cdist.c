/* tests/ops/test_cdist.c: torch.cdist by a matrix product, which many rows of many columns take, and gradients of
 * tensors with as many dims as there can be. */
#include "nn/nn.h"
#include "tests/support/support.h"

/* The distances as a sum over differences. */
static Tensor *composed(Tensor *a, Tensor *b) {
    return t_sqrt(t_sum(t_square(t_sub(t_unsqueeze(a, -2), t_unsqueeze(b, -3))), -1));
}

START_TEST(many_rows_are_one_product) {
    t_manual_seed(3);
    Tensor *a = t_randn(2, 30, 5, .dtype = t_float64, .requires_grad = true);
    Tensor *b = t_randn(2, 4, 5, .dtype = t_float64, .requires_grad = true);
    Tensor *y = t_cdist(a, b), *expected = composed(a, b), *dy = t_randn(2, 30, 4, .dtype = t_float64);
    HOLDS(t_allclose(y, expected, .rtol = 1e-9));
    t_TensorList *got = t_autograd_grad(t_list(y), t_list(a, b), .grad_outputs = t_list(dy), .create_graph = true);
    t_TensorList *want =
        t_autograd_grad(t_list(expected), t_list(a, b), .grad_outputs = t_list(dy), .create_graph = true);
    for (int i = 0; i < 2; i++) HOLDS(t_allclose(t_list_get(got, i), t_list_get(want, i), .rtol = 1e-8));
    Tensor *second = t_grad(t_sum(t_square(t_list_get(got, 0))), b),
           *other = t_grad(t_sum(t_square(t_list_get(want, 0))), b);
    HOLDS(t_allclose(second, other, .rtol = 1e-6));
    Tensor *same = t_cdist(a, a); /* a difference of large numbers: clamped at 0 before the root */
    HOLDS(t_item(t_min(same)) >= 0 && t_item(t_max(t_abs(t_diagonal(same, 0, -2, -1)))) < 1e-6);
}
END_TEST

/* Differences of rows have a dim more than the distances: with eight dims the batch becomes one dim for them. */
START_TEST(eight_dims_have_gradients) {
    t_manual_seed(5);
    Tensor *a = t_randn(1, 2, 1, 1, 2, 1, 3, 2, .dtype = t_float64, .requires_grad = true);
    Tensor *b = t_randn(2, 1, 1, 1, 2, 1, 2, 2, .dtype = t_float64, .requires_grad = true);
    Tensor *flat_a = t_reshape(t_expand(a, 2, 2, 1, 1, 2, 1, 3, 2), 8, 3, 2);
    Tensor *flat_b = t_reshape(t_expand(b, 2, 2, 1, 1, 2, 1, 2, 2), 8, 2, 2);
    t_TensorList *got = t_autograd_grad(t_sum(t_square(t_cdist(a, b, 3))), t_list(a, b), .create_graph = true);
    t_TensorList *want =
        t_autograd_grad(t_sum(t_square(t_cdist(flat_a, flat_b, 3))), t_list(a, b), .create_graph = true);
    for (int i = 0; i < 2; i++) HOLDS(t_allclose(t_list_get(got, i), t_list_get(want, i), .rtol = 1e-9));
}
END_TEST

Suite *cdist_suite(void);
Suite *cdist_suite(void) {
    Suite *suite = suite_create("cdist");
    TCase *tests = tcase_create("cdist");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, many_rows_are_one_product);
    tcase_add_test(tests, eight_dims_have_gradients);
    suite_add_tcase(suite, tests);
    return suite;
}
