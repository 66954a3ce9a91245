/* tests/ops/test_apply.c: apply_, map_ and map2_, and the macros of functions that have rows in the op tables but other
 * arguments there: lists, shapes, addresses. */
#include "core/core.h"
#include "tests/support/support.h"

static double power(const double *value, void *context) {
    return pow(value[0], *(double *)context);
}
static double difference(const double *value, void *context) {
    (void)context;
    return value[0] - value[1];
}
static double weighted(const double *value, void *context) {
    (void)context;
    return value[0] * value[1] + value[2];
}

START_TEST(functions_of_elements) {
    double exponent = 2;
    Tensor *x = t_arange(6), *matrix = t_reshape(x, 2, 3);
    HOLDS(t_apply_(t_t(matrix), power, &exponent) != NULL);
    expect_printed(x, "tensor([ 0,  1,  4,  9, 16, 25])");
    t_map_(matrix, t_tensor("[1, 2, 3]"), difference);
    expect_printed(matrix, "tensor([[-1, -1,  1],\n        [ 8, 14, 22]])");
    t_map2_(matrix, t_tensor("[[2], [3]]"), t_tensor("1"), weighted);
    expect_printed(matrix, "tensor([[-1, -1,  3],\n        [25, 43, 67]])");
}
END_TEST

START_TEST(functions_of_elements_refuse) {
    Tensor *leaf = t_zeros(2, .requires_grad = true), *x = t_zeros(2);
    expect_refusal(!(t_apply_)(leaf, difference, NULL),
                   "Can't call apply_() on Variable that requires grad. Use var.detach().apply_() instead.");
    expect_refusal(!(t_map_)(x, leaf, difference, NULL),
                   "Can't call map_() on Variable that requires grad. Use var.detach().map_() instead.");
    expect_refusal(!(t_map_)(x, t_zeros(2, .dtype = t_float64), difference, NULL),
                   "map_: expected torch.float32 for 'other' (got torch.float64)");
    HOLDS(!(t_map_)(x, t_zeros(3), difference, NULL));
    t_clear_error();
    HOLDS(!(t_apply_)(x, NULL, NULL));
    t_clear_error();
}
END_TEST

START_TEST(macros_take_lists_and_shapes) {
    t_Tuple shape = t_broadcast_shapes(t_tuple(2), t_tuple(3, 1), t_tuple(1, 1, 1));
    HOLDS(shape.len == 3 && shape.items[0] == 1 && shape.items[1] == 3 && shape.items[2] == 2);
    Tensor *edges, *x = t_tensor("[1., 2., 1.]"), *m = t_zeros(3, 3);
    expect_printed(t_histogram(x, 4, .range = {{0, 3}}, .weight = t_tensor("[1., 2., 4.]"), .bin_edges = &edges),
                   "tensor([0., 5., 2., 0.])");
    expect_printed(edges, "tensor([0.0000, 0.7500, 1.5000, 2.2500, 3.0000])");
    t_TensorList *list;
    Tensor *points = t_tensor("[[0., 1.], [1., 0.], [2., 0.], [2., 2.]]");
    expect_printed(t_histogramdd(points, t_list(t_integer(3), t_integer(3)), .bin_edges = &list),
                   "tensor([[0., 1., 0.],\n        [1., 0., 0.],\n        [1., 0., 1.]])");
    ck_assert_int_eq(list->len, 2);
    list = t_unravel_index(t_tensor("[4, 1]"), (3, 2));
    expect_printed(t_list_get(list, 0), "tensor([2, 0])");
    list = t_gradient(t_tensor("[1., 4., 9., 16.]"), .spacing = 2);
    expect_printed(t_list_get(list, 0), "tensor([1.5000, 2.0000, 3.0000, 3.5000])");
    list = t_gradient(t_ones(2, 3), .dim = t_tuple(1), .spacings = t_list(t_tensor("[0., 1., 2.]")));
    expect_printed(t_list_get(list, 0), "tensor([[0., 0., 0.],\n        [0., 0., 0.]])");
    t_fill_diagonal_(m, 5);
    t_tril_(t_cumsum_(m, 1));
    expect_printed(m, "tensor([[5., 0., 0.],\n        [0., 5., 0.],\n        [0., 0., 5.]])");
    expect_printed(t_sum_to_size(t_ones(2, 3), (1, 3)), "tensor([[2., 2., 2.]])");
    expect_printed(t_resize_(t_arange(6), 2, 2), "tensor([[0, 1],\n        [2, 3]])");
    expect_printed(t_resize_as_(t_arange(6), t_zeros(2)), "tensor([0, 1])");
    expect_printed(t_as_strided_(t_arange(9), (2, 2), (1, 2)), "tensor([[0, 2],\n        [1, 3]])");
    expect_printed(t_as_strided_scatter(t_zeros(3), t_ones(2), (2), (1), 1), "tensor([0., 1., 1.])");
    ck_assert_int_eq(t_stride(t_empty_permuted((2, 3, 5), (1, 0, 2)), 1), 10);
    expect_printed(t_fill(t_zeros(2), 3.5), "tensor([3.5000, 3.5000])");
    expect_printed(t_nonzero_static(t_tensor("[0, 3]"), .size = 2), "tensor([[ 1],\n        [-1]])");
    Tensor *index = t_tensor("[0, 0]");
    expect_printed(t_index_reduce(t_tensor("[2., 3.]"), 0, index, t_tensor("[4., 5.]"), "prod"), "tensor([40.,  3.])");
    expect_printed(t_segment_reduce(t_tensor("[1., 2., 3.]"), "max", .lengths = t_tensor("[1, 2]")),
                   "tensor([1., 3.])");
    expect_printed(t_hann_window(5, false), "tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])");
    expect_printed(t_kaiser_window(3, false, .beta = 1), "tensor([0.7898, 1.0000, 0.7898])");
    with_inference_mode() ck_assert(!t_is_grad_enabled());
}
END_TEST

/* Python's lines for these errors name a tuple; here it is written as sizes are. */
START_TEST(shapes_that_do_not_broadcast) {
    t_Tuple shape;
    expect_refusal(
        !(t_broadcast_shapes)((t_Tuple[]){t_tuple(2), t_tuple(3)}, 2, &shape),
        "Attempting to broadcast a dimension of length 3 at -1! Mismatching argument at index 1 had [3]; but "
        "expected shape should be broadcastable to [2]");
    expect_refusal(!(t_broadcast_shapes)((t_Tuple[]){t_tuple(-2), t_tuple(3)}, 2, &shape),
                   "Attempting to broadcast a dimension with negative length!");
    expect_refusal(!(t_unravel_index)(t_integer(4), (int64_t[]){3, -2}, 2),
                   "'shape' cannot have negative values, but got [3, -2]");
    expect_refusal(!(t_unravel_index)(t_integer(4), (int64_t[]){0, 2}, 2),
                   "'shape' cannot have zero dimensions when 'indices' is non-empty, but got [0, 2]");
}
END_TEST

/* A view keeps the old storage. */
/* Shapes with more than 8 dims, sizes that are negative or overflow. */
START_TEST(shapes_that_cannot_be) {
    Tensor *one = t_ones(1), *deep = t_ones(1, 1, 1, 1, 1), *x = t_ones(1, 1, 1, 1, 1, 1, 1, 2);
    t_TensorList *nine = t_list();
    for (int i = 0; i < 9; i++) t_list_append(nine, one);
    expect_refusal(!(t_meshgrid)(nine, "ij"), "a tensor has at most 8 dims, not 9");
    expect_refusal(!(t_tensordot)(deep, deep, NULL, 0, NULL, 0), "a tensor has at most 8 dims, not 10");
    expect_refusal(!t_at(x, "{}", t_zeros(1, 1, 1, .dtype = t_int64)), "a tensor has at most 8 dims, not 10");
    expect_refusal(!(t_sum)(one, (int64_t[9]){0}, 9, false),
                   "more than 8 dims; a list of them has no keyword: t_sum(x, (0, 1))");
    expect_refusal(!t_resize_(t_ones(2), -1, 2), "Trying to create tensor with negative dimension -1: [-1, 2]");
    const int64_t huge = (int64_t)1 << 40, sizes[] = {huge, huge}, strides[] = {huge, 1};
    expect_refusal(!(t_as_strided)(t_ones(2), sizes, 2, strides, 2, 0),
                   "Storage size calculation overflowed with sizes=[1099511627776, 1099511627776] and "
                   "strides=[1099511627776, 1]");
    Tensor *times = t_full((3,), (double)((int64_t)1 << 62), .dtype = t_int64);
    expect_refusal(!t_repeat_interleave(t_ones(3), times), "the sum of the repeats does not fit int64");
    expect_refusal(!(t_broadcast_shapes)(NULL, 2, &(t_Tuple){.len = 0}),
                   "argument 1 is NULL where shapes are expected");
}
END_TEST

/* The old values get the gradient where nothing was written to; PyTorch gives them that of the others. */
START_TEST(as_strided_scatter_cuts_a_gradient) {
    Tensor *x = t_ones(4, .requires_grad = true), *y = t_as_strided_scatter(x, t_ones(2), (2,), (2,), 1);
    t_backward(t_sum(t_mul(y, t_tensor("[1., 2, 3, 4]"))));
    HOLDS(t_equal(y, t_ones(4)) && t_equal(t_grad(x), t_tensor("[1., 0, 3, 0]")));
}
END_TEST

START_TEST(resize_to_more_memory) {
    Tensor *x = t_arange(4), *view = t_narrow(x, 0, 0, 2);
    t_resize_(x, 3, 3);
    HOLDS(t_equal(t_flatten(t_narrow(x, 0, 0, 1)), t_arange(3)) && t_equal(view, t_arange(2)));
    t_resize_(x, 4);
    HOLDS(t_equal(x, t_arange(4)));
    HOLDS((t_resize_)(x, NULL, 0) == x && t_dim(x) == 0 && t_item(x) == 0);
    HOLDS((t_resize_)(x, NULL, 0) == x);
}
END_TEST

Suite *apply_suite(void);
Suite *apply_suite(void) {
    Suite *suite = suite_create("apply");
    TCase *tests = tcase_create("apply");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, functions_of_elements);
    tcase_add_test(tests, functions_of_elements_refuse);
    tcase_add_test(tests, macros_take_lists_and_shapes);
    tcase_add_test(tests, shapes_that_do_not_broadcast);
    tcase_add_test(tests, resize_to_more_memory);
    tcase_add_test(tests, shapes_that_cannot_be);
    tcase_add_test(tests, as_strided_scatter_cuts_a_gradient);
    suite_add_tcase(suite, tests);
    return suite;
}
