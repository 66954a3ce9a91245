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

/* Errors of pools and convolutions, in PyTorch's order. */
START_TEST(pools_and_convolutions_refuse_as_pytorch_does) {
    Tensor *x = t_zeros(2, 3, 4), *plane = t_zeros(1, 1, 4, 4), *kernel = t_zeros(1, 1, 2, 2);
    expect_refusal(!F_max_pool1d(t_zeros(2, 0, 4), 2),
                   "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional "
                   "0 dim batch size for input, but got:[2, 0, 4]");
    expect_refusal(!F_max_pool1d(x, 0), "max_pool1d() kernel_size must be greater than zero, but got 0");
    expect_refusal(!F_max_pool1d(x, 2, 0), "max_pool1d() stride must be greater than zero, but got 0");
    expect_refusal(!F_max_pool1d(x, 2, 1, -1), "max_pool1d() padding must be non-negative, but got -1");
    expect_refusal(!F_max_pool1d(x, 2, 1, 2), "max_pool1d() padding should be at most half of kernel size, but got "
                                              "padding=2 and kernel_size=2");
    expect_refusal(!F_max_pool1d(x, 2, .stride = {1}, .dilation = {0}),
                   "max_pool1d() dilation must be greater than zero, but got 0");
    expect_refusal(!F_max_pool1d(x, 2, .stride = {1}, .dilation = {9}),
                   "max_pool1d() Invalid computed output size: -5");
    expect_refusal(!F_adaptive_avg_pool2d(t_zeros(2, 2), (2, 2)), "Input dimension should be at least 3");
    expect_refusal(!F_adaptive_avg_pool2d(t_zeros(2, 2), 2),
                   "adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got [2, 2]");
    expect_refusal(!F_adaptive_max_pool3d(t_zeros(2, 2, 2), (2, 2, 2)), "Input dimension should be at least 4");
    expect_refusal(!F_conv2d(plane, kernel, .dilation = {0, 1}),
                   "dilation should be greater than zero, but got [0, 1]");
    expect_refusal(!F_conv_transpose2d(plane, kernel, .dilation = {0, 1}),
                   "dilation should be greater than zero, but got dilation_height: 0, dilation_width: 1");
    expect_refusal(!F_conv2d(plane, t_zeros(1, 1)), "weight should have at least three dimensions");
    expect_refusal(!F_conv2d(plane, t_zeros(1, 2, 2)),
                   "expected stride to be a single integer value or a list of 1 values to match the convolution "
                   "dimensions, but got stride=[1, 1]");
    expect_refusal(
        !F_conv2d(plane, t_zeros(1, 2, 2), .padding = F_SAME),
        "Expected 3-dimensional input for 3-dimensional weight[1, 2, 2], but got 4-dimensional input of size "
        "[1, 1, 4, 4] instead");
    expect_refusal(!t_multinomial(t_zeros((1 << 24) + 1), 3), "number of categories cannot exceed 2^24");
}
END_TEST

/* Integers of any width; what PyTorch computes in uint8 overflows here, too. */
START_TEST(narrow_integers_stay_what_they_are) {
    Tensor *x = t_tensor("[1, 1, 2]", .dtype = t_uint8), *weights = t_ones(3, .dtype = t_bfloat16);
    HOLDS(t_equal(t_bincount(x), t_tensor("[0, 2, 1]")) && t_equal(t_bincount(t_int(x)), t_tensor("[0, 2, 1]")));
    HOLDS(t_dtype(t_bincount(x, weights)) == t_float64);
    expect_refusal(!t_bincount(t_half(x)), "\"bincount_cpu\" not implemented for 'Half'");
    expect_refusal(!t_mvlgamma(t_tensor("[True]"), 1), "The input tensor may not be a boolean tensor.");
    expect_refusal(!t_quantile(t_half(x), 0.5), "quantile() input tensor must be either float or double dtype");
    Tensor *a = t_ones((1, 1, 1), .dtype = t_int32), *b = t_ones((2, 1, 2), .dtype = t_int32);
    HOLDS(t_dtype((t_tensordot)(a, b, SHAPE(0, 1), SHAPE(2, 0))) == t_int32);
    Tensor *five = t_tensor("5", .dtype = t_uint8), *one = t_tensor("1", .dtype = t_uint8),
           *six = t_tensor("6", .dtype = t_uint8);
    HOLDS(t_item(F_margin_ranking_loss(five, one, t_tensor("6", .dtype = t_uint8), .reduction = "sum")) == 232);
    Tensor *far = F_pairwise_distance(t_reshape(five, 1), t_reshape(six, 1));
    HOLDS(fabs(t_item(far) - 255) < 1e-3);
}
END_TEST

START_TEST(linear_cross_entropy_takes_half_precision) {
    Tensor *x = t_ones((2, 3), .dtype = t_bfloat16), *w = t_ones((4, 3), .dtype = t_bfloat16);
    Tensor *loss = (F_linear_cross_entropy)(x, w, t_tensor("[0, 3]"), NULL, NULL);
    HOLDS(t_dtype(loss) == t_bfloat16 && t_item(loss) == 1.3828125); /* log 4 */
}
END_TEST

START_TEST(fro_is_an_order_of_norm) {
    Tensor *x = t_tensor("[[3., 4], [0, 0]]");
    HOLDS(t_item(t_norm(x, T_FRO)) == 5);
}
END_TEST

/* scatter and its kin leave a contiguous result, whatever the strides of x: it can be viewed. */
START_TEST(scatter_of_a_transposed_tensor_is_contiguous) {
    Tensor *x = t_t(t_ones(3, 2)), *index = t_tensor("[[1, 1, 0], [0, 0, 1]]"), *src = t_zeros(2, 3);
    HOLDS(t_is_contiguous(t_scatter(x, 0, index, src)) && t_is_contiguous(t_scatter(x, 0, index, 2)));
    HOLDS(t_is_contiguous(t_scatter_add(x, 0, index, src)));
    HOLDS(t_is_contiguous(t_scatter_reduce(x, 0, index, src, "sum")));
}
END_TEST

/* The strides of results for x of strides (1, 12, 4), as PyTorch gives them: index_add and index_copy are contiguous,
 * index_fill, sort and argsort keep the strides of x, topk does not. */
START_TEST(strides_of_results_of_a_permuted_tensor) {
    Tensor *x = t_permute(t_rand(2, 3, 4), 2, 0, 1), *index = t_tensor("[0, 1]"), *source = t_ones(2, 2, 3);
    Tensor *indices = NULL, *contiguous[] = {t_index_add(x, 0, index, source), t_index_copy(x, 0, index, source),
                                             t_topk(x, 4, 0)};
    for (int i = 0; i < 3; i++) HOLDS(t_is_contiguous(contiguous[i]));
    Tensor *sorted = t_sort(x, 0, false, false, &indices);
    Tensor *like_x[] = {t_index_fill(x, 0, index, 1), sorted, indices, t_argsort(x, 0), t_msort(x)};
    for (int i = 0; i < 5; i++)
        HOLDS(t_stride(like_x[i], 0) == 1 && t_stride(like_x[i], 1) == 12 && t_stride(like_x[i], 2) == 4);
    HOLDS(t_equal(sorted, t_sort(t_contiguous(x), 0, false, false, &indices)));
    HOLDS(t_equal(like_x[2], indices) && t_equal(t_gather(x, 0, indices), sorted));
}
END_TEST

/* The second derivatives of J1, I1 and i1e at 0, where the rule leaves a quotient out: PyTorch's zeros, not NaN. */
START_TEST(second_derivatives_of_bessel_functions_at_zero) {
    Tensor *(*functions[])(Tensor *) = {special_bessel_j1, special_i1, special_i1e};
    for (int i = 0; i < 3; i++) {
        Tensor *x = t_zeros(1, .dtype = t_float64, .requires_grad = true);
        Tensor *dx = t_autograd_grad(t_sum(functions[i](x)), x, .create_graph = true)->items[0];
        ck_assert(t_item(dx) == 0.5);
        ck_assert(t_item(t_autograd_grad(t_sum(dx), x)->items[0]) == 0);
    }
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
    tcase_add_test(tests, pools_and_convolutions_refuse_as_pytorch_does);
    tcase_add_test(tests, narrow_integers_stay_what_they_are);
    tcase_add_test(tests, linear_cross_entropy_takes_half_precision);
    tcase_add_test(tests, fro_is_an_order_of_norm);
    tcase_add_test(tests, scatter_of_a_transposed_tensor_is_contiguous);
    tcase_add_test(tests, strides_of_results_of_a_permuted_tensor);
    tcase_add_test(tests, second_derivatives_of_bessel_functions_at_zero);
    suite_add_tcase(suite, tests);
    return suite;
}
