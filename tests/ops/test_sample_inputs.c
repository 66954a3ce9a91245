/* tests/ops/test_sample_inputs.c: what the comparison with PyTorch's own sample inputs found (make sample-inputs), one
 * test for each difference that was mended. Values are PyTorch's. */
#include <math.h>

#include "nn/nn.h"
#include "optim/optim.h"
#include "tests/support/support.h"

static bool near(Tensor *x, const char *text) {
    return t_allclose(x, from_text(text, t_dtype(x), false), 1e-12, 1e-12, true);
}

/* torch.lerp(x, end, 0.4): the number is a double in the gradient, and not rounded in half precision. */
START_TEST(the_weight_of_lerp_keeps_its_precision) {
    Tensor *x = t_zeros(2, .dtype = t_float64, .requires_grad = true);
    Tensor *end = t_ones(2, .dtype = t_float64, .requires_grad = true);
    t_backward(t_sum(t_lerp(x, end, 0.4)));
    HOLDS(near(t_grad(x), "[0.6, 0.6]") && near(t_grad(end), "[0.4, 0.4]"));
    Tensor *half = t_tensor("[4.5625]", .dtype = t_float16), *to = t_tensor("[-6.8477]", .dtype = t_float16);
    HOLDS(t_item(t_lerp(half, to, 0.4)) == -0.0015621185302734375);
}
END_TEST

/* gather and scatter take an index without elements in any dtype. */
START_TEST(an_empty_index_has_any_dtype) {
    Tensor *x = t_zeros(5), *index = t_empty(0, .dtype = t_uint8), *none = t_zeros(0);
    HOLDS(t_numel(t_gather(x, 0, index)) == 0 && t_dtype(t_gather(x, 0, t_empty(0))) == t_float32);
    HOLDS(t_equal(t_scatter(x, 0, index, none), x) && t_equal(t_scatter_add(x, 0, t_empty(0), none), x));
    expect_refusal(!t_gather(x, 0, t_zeros(1, .dtype = t_uint8)), "gather(): Expected dtype int32/int64 for index");
    expect_refusal(!t_take(x, index), "take(): Expected a long tensor for index, but got Byte");
}
END_TEST

/* torch.addr of bools is a bool; of half precision it is rounded once. */
START_TEST(addr_keeps_the_dtype) {
    Tensor *x = t_tensor("[[True, False], [False, False]]"), *a = t_tensor("[True, False]");
    HOLDS(t_equal(t_addr(x, a, t_tensor("[False, True]"), .beta = 3, .alpha = 2), t_tensor("[[True, True], [False, "
                                                                                           "False]]")));
    HOLDS(t_equal(t_addr(x, a, a, .beta = 0, .alpha = 0), t_zeros(2, 2, .dtype = t_bool)));
    HOLDS(t_addr_(x, a, a, .beta = 2, .alpha = 3) == x && t_dtype(x) == t_bool);
    Tensor *h = t_tensor("[[3.0]]", .dtype = t_bfloat16), *v = t_tensor("[3.0]", .dtype = t_bfloat16);
    Tensor *exact = t_addr(t_float(h), t_float(v), t_float(v), .beta = 0.6, .alpha = -0.2);
    HOLDS(t_equal(t_addr(h, v, v, .beta = 0.6, .alpha = -0.2), t_to(exact, t_bfloat16)));
}
END_TEST

START_TEST(a_size_of_minus_one_next_to_zero) {
    expect_refusal(!t_reshape(t_ones(1), 0, -1), "shape '[0, -1]' is invalid for input of size 1");
    expect_refusal(!t_view(t_empty(0), 0, -1), "cannot reshape tensor of 0 elements into shape [0, -1] because the "
                                               "unspecified dimension size -1 can be any value and is ambiguous");
}
END_TEST

/* torch.linalg.matrix_sqrth: the gradient is symmetric, and finite for equal eigenvalues. */
START_TEST(the_gradient_of_matrix_sqrth_is_symmetric) {
    Tensor *A = t_tensor("[[2., 0, 1], [0, 2, 0], [1, 0, 2]]", .dtype = t_float64, .requires_grad = true);
    Tensor *w = t_reshape(t_arange(9, .dtype = t_float64), 3, 3);
    t_backward(t_sum(t_mul(linalg_matrix_sqrth(A), w)));
    HOLDS(near(t_grad(A), "[[-0.309401076758503, 0.442921856036939, 1.15470053837925],"
                          " [0.442921856036939, 1.4142135623731, 2.09977610552932],"
                          " [1.15470053837925, 2.09977610552932, 2.61880215351701]]"));
    Tensor *eye = t_eye(3, .dtype = t_float64, .requires_grad = true);
    t_backward(t_sum(t_mul(linalg_matrix_sqrth(eye), w)));
    HOLDS(near(t_grad(eye), "[[0., 1, 2], [1, 2, 3], [2, 3, 4]]"));
}
END_TEST

/* Without reflections the result is the identity, and A has a gradient, of 0. */
START_TEST(a_householder_product_of_nothing_requires_grad) {
    Tensor *A = t_full((2, 2), NAN, .requires_grad = true), *Q = linalg_householder_product(A, t_zeros(0));
    HOLDS(t_equal(Q, t_eye(2)) && t_requires_grad(Q));
    t_backward(t_sum(Q));
    HOLDS(t_equal(t_grad(A), t_zeros(2, 2)));
}
END_TEST

START_TEST(class_weights_have_the_dtype_of_the_input) {
    Tensor *x = t_zeros(2, 3), *y = t_tensor("[0, 1]"), *half = t_ones(3, .dtype = t_float16);
    expect_refusal(!F_nll_loss(x, y, half), "expected scalar type Float but found Half");
    expect_refusal(!F_cross_entropy(x, y, half), "expected scalar type Float but found Half");
    expect_refusal(!F_nll_loss(t_half(x), y, t_ones(3)), "expected scalar type Half but found Float");
    HOLDS(t_dtype(F_cross_entropy(t_half(x), y, half)) == t_float16);
    HOLDS(t_dtype(F_cross_entropy(x, t_softmax(x, 1), half)) == t_float32);
}
END_TEST

Suite *sample_inputs_suite(void) {
    Suite *suite = suite_create("sample_inputs");
    TCase *tests = tcase_create("mended");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, the_weight_of_lerp_keeps_its_precision);
    tcase_add_test(tests, an_empty_index_has_any_dtype);
    tcase_add_test(tests, addr_keeps_the_dtype);
    tcase_add_test(tests, a_size_of_minus_one_next_to_zero);
    tcase_add_test(tests, the_gradient_of_matrix_sqrth_is_symmetric);
    tcase_add_test(tests, a_householder_product_of_nothing_requires_grad);
    tcase_add_test(tests, class_weights_have_the_dtype_of_the_input);
    suite_add_tcase(suite, tests);
    return suite;
}
