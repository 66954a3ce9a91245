/* tests/nn/utils/test_clip_grad.c: nn.utils: clipping gradients, parameters as one vector, padded sequences. Recorded
 * with PyTorch 2.15. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "nn/nn.h"
#include "tests/support/support.h"

/* p = [1, -2, 0.5], q = [[3, -1]], loss = sum(p^3) + 2 sum(q^3), r without a gradient. */
static const struct {
    double max_norm, p[3], q[2];
} clipped[] = {
    {1, {0.0538333132546, 0.215333253019, 0.0134583283137}, {0.968999638583, 0.107666626509}},
    {100, {3, 12, 0.75}, {54, 6}},
    {0.25, {0.0134583283137, 0.0538333132546, 0.00336458207841}, {0.242249909646, 0.0269166566273}},
};

static void compare(const char *what, Tensor *x, const double *want, t_DType dtype) {
    double *got = values_of(x);
    compare_values(what, got, want, t_numel(x), dtype, VALUE);
    free(got);
}

START_TEST(scales_all_gradients_by_one_factor) {
    const double norm = 55.7275739648;
    for (t_DType dtype = t_float32; dtype <= t_float64; dtype++) {
        Tensor *p = t_tensor("[1., -2., 0.5]", .dtype = dtype, .requires_grad = true);
        Tensor *q = t_tensor("[[3., -1.]]", .dtype = dtype, .requires_grad = true);
        Tensor *r = t_zeros(2, .requires_grad = true);
        t_backward(t_add(t_sum(t_pow(p, 3)), t_sum(t_mul(t_pow(q, 3), 2))));
        Tensor *before = nn_utils_clip_grad_norm_(t_list(p, q, r), clipped[_i].max_norm);
        ck_assert(t_dim(before) == 0 && t_dtype(before) == dtype && !t_requires_grad(before) && !t_grad(r));
        compare("norm", before, &norm, dtype);
        compare("p", t_grad(p), clipped[_i].p, dtype);
        compare("q", t_grad(q), clipped[_i].q, dtype);
    }
    report_notes();
}
END_TEST

static const struct {
    double norm_type, norm, p[3], q[2];
} by_type[] = {
    {1, 75.75, {0.0396039598732, 0.158415839493, 0.0099009899683}, {0.712871277718, 0.0792079197464}},
    {(double)INFINITY, 54, {0.0555555545267, 0.222222218107, 0.0138888886317}, {0.999999981481, 0.111111109053}},
    {3, 54.2244228784, {0.0553256223935, 0.221302489574, 0.0138314055984}, {0.995861203083, 0.110651244787}},
    {0.5, 251.543939239, {0.0119263457396, 0.0477053829585, 0.0029815864349}, {0.214674223313, 0.0238526914792}},
    {(double)-INFINITY, 0.75, {3, 12, 0.75}, {54, 6}},
    {0, 2, {1.49999925, 5.999997, 0.3749998125}, {26.9999865, 2.9999985}},
};

START_TEST(takes_every_norm) {
    for (t_DType dtype = t_float32; dtype <= t_float64; dtype++) {
        Tensor *p = t_tensor("[1., -2., 0.5]", .dtype = dtype, .requires_grad = true);
        Tensor *q = t_tensor("[[3., -1.]]", .dtype = dtype, .requires_grad = true);
        t_backward(t_add(t_sum(t_pow(p, 3)), t_sum(t_mul(t_pow(q, 3), 2))));
        Tensor *total = nn_utils_get_total_norm(t_list(t_grad(p), t_grad(q)), by_type[_i].norm_type);
        compare("total", total, &by_type[_i].norm, dtype);
        compare("norm", nn_utils_clip_grad_norm_(t_list(p, q), 1, .norm_type = by_type[_i].norm_type),
                &by_type[_i].norm, dtype);
        compare("p", t_grad(p), by_type[_i].p, dtype);
        compare("q", t_grad(q), by_type[_i].q, dtype);
    }
    report_notes();
}
END_TEST

START_TEST(refuses_a_norm_that_is_no_number_if_asked) {
    Tensor *p = t_ones(2, .requires_grad = true);
    t_set_grad(p, t_tensor("[inf, 1]"));
    ck_assert_ptr_null(nn_utils_clip_grad_norm_(t_list(p), 1, .error_if_nonfinite = true));
    expect_error("The total norm of order 2.0 for gradients from `parameters` is non-finite, so it cannot be clipped. "
                 "To disable "
                 "this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`");
    ck_assert_ptr_null(nn_utils_get_total_norm(t_list(t_grad(p)), (double)INFINITY, true));
    expect_error("The total norm of order inf for gradients from `parameters` is non-finite, so it cannot be clipped. "
                 "To disable "
                 "this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`");
    expect_printed(t_grad(p), "tensor([inf, 1.])");
}
END_TEST

START_TEST(clips_by_value) {
    Tensor *p = t_ones(4, .requires_grad = true), *q = t_ones(2, .requires_grad = true);
    t_set_grad(p, t_tensor("[nan, 3, -0.25, -inf]"));
    ck_assert(nn_utils_clip_grad_value_(t_list(p, q), 0.5) && !t_grad(q));
    expect_printed(t_grad(p), "tensor([    nan,  0.5000, -0.2500, -0.5000])");
    ck_assert(t_is_grad_enabled());
}
END_TEST

/* ---- one vector, padded sequences ---- */

START_TEST(parameters_as_one_vector) {
    nn_Linear *layer = nn_Linear(3, 2);
    t_TensorList *parameters = nn_parameters(layer);
    Tensor *vec = nn_utils_parameters_to_vector(parameters);
    ck_assert(t_numel(vec) == 8 && t_requires_grad(vec));
    t_backward(t_sum(t_mul(vec, t_arange(8))));
    expect_printed(t_grad(layer->weight), "tensor([[0., 1., 2.],\n        [3., 4., 5.]])");
    expect_printed(t_grad(layer->bias), "tensor([6., 7.])");
    Tensor *values = t_mul(t_arange(9), 0.5);
    ck_assert(nn_utils_vector_to_parameters(values, parameters));
    expect_printed(t_detach(layer->weight), "tensor([[0.0000, 0.5000, 1.0000],\n        [1.5000, 2.0000, 2.5000]])");
    t_fill_(values, 4); /* they are views of it */
    expect_printed(t_detach(layer->bias), "tensor([4., 4.])");
    ck_assert(t_requires_grad(layer->bias) && t_is_leaf(layer->bias));
    ck_assert(!nn_utils_vector_to_parameters(t_ones(7), parameters));
    expect_error("shape '[2]' is invalid for input of size 1");
    ck_assert(!nn_utils_vector_to_parameters(t_ones(8, .dtype = t_float64), parameters));
    expect_error("parameter 0 is float32, but the vector is float64");
    expect_printed(t_detach(layer->bias), "tensor([4., 4.])");
}
END_TEST

START_TEST(pads_sequences) {
    Tensor *a = t_tensor("[1, 2]"), *b = t_tensor("[3]");
    expect_printed(nn_utils_rnn_pad_sequence(t_list(a, b), .padding_value = -1),
                   "tensor([[ 1,  3],\n        [ 2, -1]])");
    expect_printed(nn_utils_rnn_pad_sequence(t_list(a, b), true, -1), "tensor([[ 1,  2],\n        [ 3, -1]])");
    Tensor *x = t_ones(2, 3, .requires_grad = true), *y = t_ones(1, 3, .requires_grad = true);
    Tensor *padded = nn_utils_rnn_pad_sequence(t_list(x, y));
    ck_assert_str_eq(t_size_repr(padded), "torch.Size([2, 2, 3])");
    t_backward(t_sum(t_mul(padded, t_view(t_arange(12), 2, 2, 3))));
    expect_printed(t_grad(x), "tensor([[0., 1., 2.],\n        [6., 7., 8.]])");
    expect_printed(t_grad(y), "tensor([[3., 4., 5.]])");
    ck_assert_ptr_null(nn_utils_rnn_pad_sequence(t_list(t_ones(2, 3), t_ones(3, 2))));
    expect_error("The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1");
    ck_assert_ptr_null(nn_utils_rnn_pad_sequence(t_list(t_tensor(3.0))));
    expect_error("pad_sequence takes sequences of 1 dim or more, but sequence 0 has none");
    ck_assert_ptr_null(nn_utils_rnn_pad_sequence((t_list_new)(NULL, 0)));
    expect_error("received an empty list of sequences");
}
END_TEST

static void expect_clipped(const char *gradient, const char *norm, const char *after) {
    Tensor *p = t_ones(3, .requires_grad = true);
    t_set_grad(p, t_tensor(gradient));
    expect_printed(nn_utils_clip_grad_norm_(t_list(p), 1), norm);
    expect_printed(t_grad(p), after);
}

START_TEST(a_norm_that_is_no_number_goes_on_as_in_pytorch) {
    expect_clipped("[1e30, 0, 1]", "tensor(inf)", "tensor([0., 0., 0.])");
    expect_clipped("[inf, 0, 1]", "tensor(inf)", "tensor([nan, 0., 0.])");
    expect_clipped("[nan, 0, 1]", "tensor(nan)", "tensor([nan, nan, nan])");
    expect_clipped("[0., 0, 0]", "tensor(0.)", "tensor([0., 0., 0.])");
}
END_TEST

START_TEST(leaves_nothing_but_the_norm) {
    Tensor *p = t_ones(3, .requires_grad = true);
    t_TensorList *list = t_list(p);
    expect_printed(nn_utils_clip_grad_norm_(list, 1), "tensor(0.)");
    t_set_grad(p, t_ones(3));
    int64_t live = t_live_count();
    nn_utils_clip_grad_norm_(list, 1);
    ck_assert_int_eq(t_live_count(), live + 1);
    ck_assert(t_is_grad_enabled());
}
END_TEST

/* As in PyTorch, whose factor is then 1. */
START_TEST(gradients_that_are_small_enough_are_written_to) {
    Tensor *p = t_ones(2, .requires_grad = true), *q = t_ones(2, .requires_grad = true);
    t_backward(t_sum(p));
    Tensor *y = t_sum(t_mul(q, t_grad(p)));
    ck_assert_ptr_nonnull(nn_utils_clip_grad_norm_(t_list(p), 100));
    expect_printed(t_grad(p), "tensor([1., 1.])");
    (t_backward)(y, NULL);
    ck_assert_msg(strstr(t_error_message(), "modified by an inplace operation: [torch.FloatTensor [2]]"), "%s",
                  t_error_message());
    t_clear_error();
}
END_TEST

START_TEST(refuses_what_is_no_list) {
    nn_utils_clip_grad_norm_(NULL, 1);
    expect_error("argument 1 is NULL where a list of tensors is expected");
    nn_utils_clip_grad_norm_((void *)nn_Linear(3, 2), 1);
    expect_error("argument 1 is not a live list of tensors");
    ck_assert(t_is_grad_enabled());
}
END_TEST

Suite *clip_grad_suite(void) {
    Suite *suite = suite_create("clip_grad");
    TCase *tests = tcase_create("clip_grad");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, scales_all_gradients_by_one_factor, 0, 3);
    tcase_add_loop_test(tests, takes_every_norm, 0, (int)(sizeof by_type / sizeof *by_type));
    tcase_add_test(tests, refuses_a_norm_that_is_no_number_if_asked);
    tcase_add_test(tests, clips_by_value);
    tcase_add_test(tests, parameters_as_one_vector);
    tcase_add_test(tests, pads_sequences);
    tcase_add_test(tests, a_norm_that_is_no_number_goes_on_as_in_pytorch);
    tcase_add_test(tests, leaves_nothing_but_the_norm);
    tcase_add_test(tests, gradients_that_are_small_enough_are_written_to);
    tcase_add_test(tests, refuses_what_is_no_list);
    suite_add_tcase(suite, tests);
    return suite;
}
