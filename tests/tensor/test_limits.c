/* tests/tensor/test_limits.c: arguments at the end of their range: rank 8, numbers that overflow, lists that are long.
 */
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "nn/nn.h"
#include "tests/support/support.h"

/* ---- rank 8 ---- */

static Tensor *of_rank_8(void) {
    return t_reshape(t_arange(6.0), 2, 1, 1, 1, 1, 1, 1, 3);
}

START_TEST(unique_and_repeats_take_rank_8) {
    Tensor *where, *x = of_rank_8();
    ck_assert_int_eq(t_numel(t_unique(x, .inverse = &where)), 6);
    ck_assert_int_eq(t_dim(where), 8);
    ck_assert_int_eq(t_size(t_unique(x, .dim = 7), 7), 3);
    expect_printed(t_flatten(t_repeat_interleave(x, 2, 7)), "tensor([0., 0., 1., 1., 2., 2., 3., 3., 4., 4., 5., 5.])");
    expect_printed(t_flatten(t_repeat_interleave(x, 2, 0)), "tensor([0., 1., 2., 0., 1., 2., 3., 4., 5., 3., 4., 5.])");
}
END_TEST

START_TEST(quantiles_of_rank_8_have_no_dim_left) {
    Tensor *x = of_rank_8(), *q = t_tensor("[0, 1]", .dtype = t_float32);
    expect_printed(t_flatten(t_quantile(x, q, 7)), "tensor([0., 3., 2., 5.])");
    expect_refusal((t_quantile)(x, q, 7, true, NULL) == NULL, "a tensor has at most 8 dims, not 9");
    expect_refusal((t_quantile)(x, q, T_NONE, true, NULL) == NULL, "a tensor has at most 8 dims, not 9");
}
END_TEST

START_TEST(distances_of_rank_8_have_gradients) {
    Tensor *dx[2], *a = t_randn(2, 1, 1, 1, 1, 2, 3, 2, .dtype = t_float64);
    Tensor *b = t_randn(1, 1, 1, 1, 1, 2, 4, 2, .dtype = t_float64);
    for (int i = 0; i < 2; i++) {
        Tensor *x = t_requires_grad_(i ? t_clone(t_reshape(a, 2, 2, 3, 2)) : t_clone(a), true),
               *z = i ? t_reshape(b, 1, 2, 4, 2) : b;
        t_backward(t_sum(t_cdist(x, z)));
        dx[i] = t_flatten(t_grad(x));
    }
    ck_assert(t_allclose(dx[0], dx[1]));
}
END_TEST

/* ---- numbers ---- */

START_TEST(a_range_that_no_float_holds_is_counted) {
    Tensor *x = t_tensor("[-3e38, 0, 3e38]", .dtype = t_float32);
    ck_assert_double_eq(t_item(t_sum(t_histc(x, 4))), 3);
    ck_assert_double_eq(t_item(t_sum(t_histc(x, 4, -1e300, 1e300))), 3);
    ck_assert_double_eq(t_item(t_sum(t_histc(t_double(x), 4, -1.7e308, 1.7e308))), 3);
}
END_TEST

START_TEST(windows_at_the_end_of_the_range) {
    const int64_t most = INT64_MAX;
    expect_refusal((t_unfold)(t_expand(t_zeros(1), most), 0, 0, 1) == NULL, "invalid size, possible overflow?");
    expect_refusal((t_unfold)(t_expand(t_zeros(0, 1), 0, most), 1, 0, 1) == NULL, "invalid size, possible overflow?");
    ck_assert_int_eq(t_size(t_unfold(t_expand(t_zeros(1), most), 0, 1, 1), 0), most);
    ck_assert_int_eq(t_size(t_unfold(t_zeros(3, 4), 0, 1, most / 2 + 1), 0),
                     1); /* times the stride it overflows, but is never taken */
}
END_TEST

START_TEST(ranges_too_long_are_refused) {
    static const char text[] = "invalid size, possible overflow?";
    expect_refusal((t_arange)(0, 1e300, 1, NULL) == NULL, text);
    expect_refusal((t_arange)(-1.7e308, 1.7e308, 1, NULL) == NULL, text);
    expect_refusal((t_arange)(0, 0, NAN, NULL) == NULL, text);
    expect_refusal((t_arange_int64)(INT64_MIN, INT64_MAX, 1, NULL) == NULL, text);
    ck_assert_int_eq(t_numel((t_arange_int64)(INT64_MIN, INT64_MAX, INT64_MAX, NULL)), 3);
    ck_assert_int_eq(t_numel((t_tril_indices)(INT64_MAX, 0, 0, NULL)), 0);
}
END_TEST

START_TEST(a_factor_whose_square_is_0_divides_nothing) {
    Tensor *x = t_zeros(4, 2, 2);
    expect_refusal(
        (F_pixel_shuffle)(x, INT64_C(1) << 32) == NULL,
        "upscale factor is too large, (upscale_factor)^2 overflowed: upscale_factor=4294967296");
    expect_refusal(
        (F_pixel_shuffle)(x, 4) == NULL,
        "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but "
        "input.size(-3)=4 is not divisible by 16");
}
END_TEST

START_TEST(a_window_that_steps_over_everything_is_refused) {
    Tensor *x = t_ones(1, 1, 3);
    F_PoolOptions options = F_PoolDefaults;
    options.kernel_size[0] = 2;
    options.kernel_size[1] = F_BOTH;
    options.stride[0] = 1;
    options.padding[0] = 5;
    options.dilation[0] = 10;
    expect_refusal((F_max_pool1d)(x, &options) == NULL,
                   "max_pool1d() padding should be at most half of kernel size, but "
                   "got padding=5 and kernel_size=2");
    Tensor *indices;
    options.indices = &indices;
    expect_refusal((F_max_pool1d)(x, &options) == NULL,
                   "pad should be smaller than or equal to half of kernel size, but "
                   "got padW = 5, padH = 0, kW = 2, kH = 1");
}
END_TEST

/* ---- long lists, nothing at all ---- */

START_TEST(a_long_list_of_sizes_is_cut_in_the_error) {
    int64_t sizes[100];
    for (int i = 0; i < 100; i++) sizes[i] = INT64_MAX / 1000;
    Tensor *x = t_zeros(3);
    ck_assert_ptr_null((t_split_with_sizes)(x, sizes, 100, 0));
    ck_assert(strstr(t_error_message(), ", ...]") != NULL);
    t_clear_error();
    ck_assert_ptr_null((t_movedim)(x, sizes, 100, sizes, 100));
    ck_assert(strstr(t_error_message(), ", ...] dims)") != NULL);
    t_clear_error();
}
END_TEST

START_TEST(a_criterion_that_is_not_there_is_named) {
    Tensor *x = t_zeros(2, 2);
    expect_refusal(nn_MSELoss_call(NULL, x, x) == NULL, "argument 1 is NULL where a module is expected");
    expect_refusal(nn_CrossEntropyLoss_call(NULL, x, x) == NULL, "argument 1 is NULL where a module is expected");
}
END_TEST

Suite *limits_suite(void);
Suite *limits_suite(void) {
    Suite *suite = suite_create("limits");
    TCase *tests = tcase_create("limits");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, unique_and_repeats_take_rank_8);
    tcase_add_test(tests, quantiles_of_rank_8_have_no_dim_left);
    tcase_add_test(tests, distances_of_rank_8_have_gradients);
    tcase_add_test(tests, a_range_that_no_float_holds_is_counted);
    tcase_add_test(tests, windows_at_the_end_of_the_range);
    tcase_add_test(tests, ranges_too_long_are_refused);
    tcase_add_test(tests, a_factor_whose_square_is_0_divides_nothing);
    tcase_add_test(tests, a_window_that_steps_over_everything_is_refused);
    tcase_add_test(tests, a_long_list_of_sizes_is_cut_in_the_error);
    tcase_add_test(tests, a_criterion_that_is_not_there_is_named);
    suite_add_tcase(suite, tests);
    return suite;
}
