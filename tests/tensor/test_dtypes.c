/* tests/tensor/test_dtypes.c: promotion, limits and rounding of dtypes; conversions between them. */
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "tests/support/output.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

/* The table of torch.promote_types, a row for each dtype in the order of t_DType: the numbers of the results. */
START_TEST(promotion) {
    static const char *const table[] = {"1 2 3 4 5 6 7 8 9 10", "2 2 4 4 5 6 7 8 9 10", "3 4 3 4 5 6 7 8 9 10",
                                        "4 4 4 4 5 6 7 8 9 10", "5 5 5 5 5 6 7 8 9 10", "6 6 6 6 6 6 7 8 9 10",
                                        "7 7 7 7 7 7 7 9 9 10", "8 8 8 8 8 8 9 8 9 10", "9 9 9 9 9 9 9 9 9 10",
                                        "10 10 10 10 10 10 10 10 10 10"};
    for (int a = 1; a < T_DTYPES; a++) {
        const char *at = table[a - 1];
        for (int b = 1; b < T_DTYPES; b++) {
            char *end;
            const t_DType want = (t_DType)strtol(at, &end, 10);
            ck_assert_int_eq(t_promote_types((t_DType)a, (t_DType)b), want);
            Tensor *x = t_to(t_ones(2), (t_DType)a), *y = t_to(t_ones(2), (t_DType)b);
            ck_assert_int_eq(t_result_type(x, y), want);
            ck_assert_int_eq(t_dtype(t_mul(x, y)), want);
            at = end;
        }
    }
    ck_assert_int_eq(t_result_type(t_bfloat16(t_ones(2)), 2.5), t_bfloat16);
    ck_assert_int_eq(t_result_type(t_byte(t_ones(2)), 2.5), t_float32);
    ck_assert_int_eq(t_result_type(t_byte(t_ones(2)), t_tensor("-1")), t_uint8);
    ck_assert(t_can_cast(t_int64, t_int8) && !t_can_cast(t_float32, t_int32) && !t_can_cast(t_int8, t_bool));
    expect_refusal(!(t_promote_types)(t_bool, (t_DType)77), "77 is not a dtype");
}
END_TEST

START_TEST(limits_of_dtypes) {
    const t_FInfo *half = t_finfo(t_float16), *brain = t_finfo(t_bfloat16), *single = t_finfo(t_float32);
    ck_assert(half->max == 65504 && half->eps == 0.0009765625 && half->tiny == 6.103515625e-05);
    ck_assert(brain->max == 3.3895313892515355e+38 && brain->eps == 0.0078125 && brain->bits == 16);
    ck_assert(single->eps == 1.1920928955078125e-07 && single->resolution == 1e-06 && single->min == -single->max);
    ck_assert(t_finfo(t_float64)->tiny == 2.2250738585072014e-308);
    ck_assert(t_iinfo(t_uint8)->max == 255 && t_iinfo(t_uint8)->min == 0 && t_iinfo(t_int32)->min == INT32_MIN);
    expect_refusal(!(t_finfo)(t_int32), "torch.finfo() requires a floating point input type. Use torch.iinfo to "
                                        "handle 'torch.int32'");
    expect_refusal(!(t_iinfo)(t_bool), "torch.iinfo() requires an integer input type. Use torch.finfo to handle "
                                       "'torch.bool'");
    Tensor *x = t_short(t_ones(3, 2));
    ck_assert(t_element_size(x) == 2 && t_nbytes(x) == 12 && t_is_signed(x) && !t_is_signed(t_byte(x)));
}
END_TEST

/* Ties to even, subnormals, overflow, and NaN. */
START_TEST(rounding_to_half_precision) {
    expect_printed(t_half(t_tensor("[1.00048828125, 1.00146484375, 65519.0, 65520.0, 2.9802322387695312e-08]")),
                   "tensor([1.0000e+00, 1.0020e+00, 6.5504e+04,        inf, 0.0000e+00],\n       dtype=torch.float16)");
    expect_printed(t_half(t_tensor("[5.960464477539063e-08, 8.940696716308594e-08, -0.0, nan]")),
                   "tensor([5.9605e-08, 1.1921e-07, -0.0000e+00,        nan], dtype=torch.float16)");
    expect_printed(t_bfloat16(t_tensor("[1.00390625, 1.01171875, -3.4e38, 1e-40]")),
                   "tensor([1.0000e+00, 1.0156e+00,       -inf, 9.1835e-41], dtype=torch.bfloat16)");
    expect_printed(t_byte(t_tensor("[-1., 256.5, 3.9]")), "tensor([255,   0,   3], dtype=torch.uint8)");
    expect_printed(t_add(t_tensor("[200, 100]", .dtype = t_uint8), 100), "tensor([ 44, 200], dtype=torch.uint8)");
    expect_printed(t_floor_divide(t_tensor("[-7, 7]", .dtype = t_int8), 2), "tensor([-4,  3], dtype=torch.int8)");
}
END_TEST

/* A number that meets half precision in +, -, * and / is not rounded to it; elsewhere it is. */
START_TEST(numbers_meet_half_precision) {
    Tensor *x = t_bfloat16(t_tensor("[3., 0.10009765625]"));
    expect_printed(t_mul(x, 0.1), "tensor([0.3008, 0.0100], dtype=torch.bfloat16)");
    ck_assert(t_equal(t_eq(x, 0.1), t_tensor("[False, True]")));
    x = t_requires_grad_(x, true);
    Tensor *y = t_sum(t_exp(x));
    t_backward(y);
    expect_printed(t_grad(x), "tensor([20.1250,  1.1016], dtype=torch.bfloat16)");
}
END_TEST

/* As in PyTorch: int32 is an index like int64, uint8 is a mask, a 0-dim integer is a number, others are refused. */
START_TEST(index_tensors) {
    Tensor *x = t_reshape(t_arange(12), 4, 3), *wide = t_tensor("[2, 0, -1]"), *mask = t_tensor("[1, 0, 2, 0]");
    ck_assert(t_equal(t_at(x, "{}", t_int(wide)), t_at(x, "{}", wide)));
    ck_assert(t_equal(t_at(x, "{}", t_byte(mask)), t_at(x, "[0, 2]")));
    ck_assert(t_equal(t_at(x, "{}", t_short(t_tensor("2"))), t_at(x, "2")));
    Tensor *y = t_clone(x), *z = t_clone(x);
    t_set(y, "{}, {}", t_int(wide), t_int(wide), 7);
    t_set(z, "{}, {}", wide, wide, 7);
    ck_assert(t_equal(y, z) && t_item(t_at(y, "3, 2")) == 7);
    y = t_clone(x);
    t_set(y, "{}", t_byte(mask), 7);
    ck_assert(t_equal(t_at(y, "[0, 2]"), t_full((2, 3), 7, .dtype = t_int64)));
    Tensor *wrong[] = {t_char(wide), t_short(wide), t_half(wide)};
    for (int i = 0; i < 3; i++)
        expect_refusal(!(t_at)(x, "{}", &wrong[i], 1),
                       "tensors used as indices must be long, int, byte or bool tensors");
    expect_refusal(!(t_gather)(x, 0, t_short(x)), "gather(): Expected dtype int32/int64 for index");
}
END_TEST

/* A draw that fails leaves x, its history and the generator as they were. */
static bool draw(void *x) {
    return (t_normal_)(x, 0, 1, NULL);
}

static bool is_all_ones(void *x) {
    Tensor *y = x;
    int depth = t_scope_open();
    const bool same = t_equal(t_detach(y), t_ones(40, .dtype = t_bfloat16));
    const bool own = strcmp(t_grad_fn(y), "CloneBackward0") == 0;
    t_scope_close(depth);
    return same && own;
}

START_TEST(failed_draws_of_half_precision) {
    Tensor *x = t_clone(t_ones(40, .dtype = t_bfloat16, .requires_grad = true));
    refuse_all("normal_", draw, is_all_ones, x);
    report_notes();
}
END_TEST

Suite *dtypes_suite(void);
Suite *dtypes_suite(void) {
    Suite *suite = suite_create("dtypes");
    TCase *tests = tcase_create("dtypes");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, promotion);
    tcase_add_test(tests, limits_of_dtypes);
    tcase_add_test(tests, rounding_to_half_precision);
    tcase_add_test(tests, numbers_meet_half_precision);
    tcase_add_test(tests, index_tensors);
    tcase_add_test(tests, failed_draws_of_half_precision);
    suite_add_tcase(suite, tests);
    return suite;
}
