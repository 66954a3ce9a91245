/* tests/ops/test_pointwise.c: the macros over the pointwise ops: keywords, their defaults, and numbers where PyTorch
 * takes numbers. */
#include "core/core.h"
#include "tests/support/support.h"

START_TEST(bounds_have_names) {
    Tensor *x = t_tensor("[-1.5, 0.5, 2.5]"), *n = t_tensor("[-2, 0, 3]");
    expect_printed(t_clamp(x, .min = 0), "tensor([0.0000, 0.5000, 2.5000])");
    expect_printed(t_clamp(x, .max = 1), "tensor([-1.5000,  0.5000,  1.0000])");
    expect_printed(t_clamp(x, 1), "tensor([1.0000, 1.0000, 2.5000])");
    expect_printed(t_clamp(x, -1, 2), "tensor([-1.0000,  0.5000,  2.0000])");
    expect_printed(t_clamp(x, NULL, t_tensor(2.0)), "tensor([-1.5000,  0.5000,  2.0000])");
    expect_printed(t_clamp(x, t_zeros(3), 1.5), "tensor([0.0000, 0.5000, 1.5000])");
    expect_printed(t_clamp(n, .min = 0), "tensor([0, 0, 3])");
    expect_printed(t_clamp(n, .max = 1.5), "tensor([-2.0000,  0.0000,  1.5000])");
    expect_printed(t_clamp_min(n, 1), "tensor([1, 1, 3])");
    expect_printed(t_clamp_max_(t_clone(x), 0), "tensor([-1.5000,  0.0000,  0.0000])");
    expect_printed(t_clamp_(x, .min = 1), "tensor([1.0000, 1.0000, 2.5000])");
}
END_TEST

START_TEST(sums_and_quotients_have_keywords) {
    Tensor *x = t_tensor("[1.0, -2.0]"), *y = t_tensor("[3.0, 4.0]"), *n = t_tensor("[7, -7]");
    expect_printed(t_add(x, y, .alpha = 0.5), "tensor([2.5000, 0.0000])");
    expect_printed(t_sub(10, x, .alpha = 2), "tensor([ 8., 14.])");
    expect_printed(t_add(n, 1, .alpha = 3), "tensor([10, -4])");
    expect_printed(t_sub_(t_clone(x), y, .alpha = 2), "tensor([ -5., -10.])");
    expect_printed(t_add_(t_clone(x), 1), "tensor([ 2., -1.])");
    expect_printed(t_div(n, 2), "tensor([ 3.5000, -3.5000])");
    expect_printed(t_div(n, 2, .rounding_mode = "floor"), "tensor([ 3, -4])");
    expect_printed(t_div(n, 2, .rounding_mode = "trunc"), "tensor([ 3, -3])");
    expect_printed(t_div_(t_clone(y), 2, .rounding_mode = "floor"), "tensor([1., 2.])");
    expect_printed(t_floor_divide(7.5, n), "tensor([ 1., -2.])");
    expect_printed(t_addcmul(x, y, y), "tensor([10., 14.])");
    expect_printed(t_addcmul(x, y, y, .value = 0.5), "tensor([5.5000, 6.0000])");
    expect_printed(t_addcdiv_(x, y, t_tensor("[1.5, 2.0]"), .value = -1), "tensor([-1., -4.])");
}
END_TEST

START_TEST(rounding_and_repair_have_keywords) {
    Tensor *x = t_tensor("[1.2345, -0.5, 2.5]"), *bad = t_tensor("[nan, inf, -inf, 0.5]");
    expect_printed(t_round(x), "tensor([1., -0., 2.])");
    expect_printed(t_round(x, .decimals = 2), "tensor([ 1.2300, -0.5000,  2.5000])");
    expect_printed(t_nan_to_num(bad, 1, .posinf = 2, .neginf = -3), "tensor([ 1.0000,  2.0000, -3.0000,  0.5000])");
    expect_printed(t_nan_to_num(bad, .neginf = 0), "tensor([0.0000e+00, 3.4028e+38, 0.0000e+00, 5.0000e-01])");
    expect_printed(t_logit(t_tensor("[0.5, 1.0]"), 0.25), "tensor([0.0000, 1.0986])");
    expect_printed(t_logit(t_tensor("[0.5, 1.0]")), "tensor([0., inf])");
    expect_printed(t_isclose(bad, bad), "tensor([False,  True,  True,  True])");
    expect_printed(t_isclose(bad, bad, .equal_nan = true), "tensor([True, True, True, True])");
    expect_printed(t_isclose(x, t_add(x, 0.1), 0, .atol = 0.2), "tensor([True, True, True])");
    ck_assert(!t_allclose(bad, bad) && t_allclose(bad, bad, .equal_nan = true));
}
END_TEST

START_TEST(numbers_are_operands) {
    Tensor *x = t_tensor("[1.0, -2.0]"), *n = t_tensor("[1, 2]"), *mask = t_tensor("[True, False]");
    expect_printed(t_pow(2, n), "tensor([2, 4])");
    expect_printed(t_pow(x, 2), "tensor([1., 4.])");
    expect_printed(t_pow(x, 3), "tensor([ 1., -8.])");
    expect_printed(t_pow(2, 0.5), "tensor(1.4142)");
    expect_printed(t_pow(t_tensor("[-3, 3037000500]"), 2), "tensor([                   9, -9223372036709301616])");
    expect_printed(t_pow(t_tensor("[-3, 4]"), 2.0), "tensor([ 9., 16.])");
    expect_printed(t_pow(t_tensor("[-3, 4]"), 3), "tensor([-27,  64])");
    expect_printed(t_sub(1, x), "tensor([0., 3.])");
    expect_printed(t_lerp(x, t_float(n), 0.5), "tensor([1., 0.])");
    expect_printed(t_where(mask, 1.0, x), "tensor([ 1., -2.])");
    expect_printed(t_where(mask, 1, 0), "tensor([1, 0])");
    expect_printed(t_bitwise_xor(n, 3), "tensor([2, 1])");
    expect_printed(t_bitwise_left_shift(1, n), "tensor([2, 4])");
    expect_printed(t_xlogy(2, t_ones(2)), "tensor([0., 0.])");
    expect_printed(t_copysign(x, -1), "tensor([-1., -2.])");
    expect_printed(t_fmod(t_tensor("[-3, 5]"), 2), "tensor([-1,  1])");
    expect_printed(t_pow_(t_clone(x), 2), "tensor([1., 4.])");
    expect_printed(t_gt_(t_clone(x), 0), "tensor([1., 0.])");
    expect_printed(t_remainder_(t_clone(n), 2), "tensor([1, 0])");
}
END_TEST

/* The inverse of erf composed with erf, from 1e-300 to the last number before 1, where half a unit of y's last place is
 * 5e-15 of erfc(y). */
START_TEST(erfinv_inverts_erf) {
    static const double values[] = {1e-300, 1e-9, 1e-3, 0.1,      0.4999,         0.5,
                                    0.7,    0.9,  0.99, 0.999999, 0.999999999999, 1 - 0x1p-53};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        double x = values[i], y = t_item(t_erfinv(t_tensor(x, .dtype = t_float64)));
        double back = x < 0.5 ? t_item(t_erf(t_tensor(y, .dtype = t_float64))) - x
                              : (1 - x) - t_item(t_erfc(t_tensor(y, .dtype = t_float64)));
        double scale = x < 0.5 ? x : 1 - x;
        ck_assert_msg(back <= 6e-15 * scale && -back <= 6e-15 * scale, "erfinv(%.17g) is %.17g, off by %g", x, y,
                      back / scale);
    }
}
END_TEST

/* Integers, also near 2^51: multiples of seven, and their neighbours; `wide`: also some up to 2^63, and the least
 * int64. */
static Tensor *numerators(int64_t n, bool wide) {
    Tensor *x = t_add(t_mul(t_randint(-(INT64_C(1) << 48), INT64_C(1) << 48, n), 7), t_randint(-1, 2, n));
    Tensor *small = t_where(t_lt(t_rand(n), 0.5), t_remainder(x, 100), x);
    if (!wide) return small;
    Tensor *shifted = t_bitwise_left_shift(x, t_randint(0, 13, n)), *least = t_bitwise_left_shift(t_ones_like(x), 63);
    return t_where(t_lt(t_rand(n), 0.9), small, t_where(t_lt(t_rand(n), 0.7), shifted, least));
}

static void check_quotients(Tensor *a, Tensor *b) {
    Tensor *down = t_floor_divide(a, b), *cut = t_div_mode(a, b, "trunc"), *modulo = t_remainder(a, b),
           *rest = t_fmod(a, b);
    ck_assert(down && cut && modulo && rest);
    a = t_contiguous(t_expand_as(a, down)), b = t_contiguous(t_expand_as(b, down));
    for (int64_t i = 0; i < t_numel(down); i++) {
        const int64_t p = ((const int64_t *)t_data_ptr(a))[i], q = ((const int64_t *)t_data_ptr(b))[i];
        const int64_t quotient = q == -1 ? (int64_t)(0 - (uint64_t)p) : p / q, left = q == -1 ? 0 : p % q;
        const bool lower = left && (left < 0) != (q < 0);
        const int64_t should[] = {quotient - lower, quotient, left + (lower ? q : 0), left};
        Tensor *const all[] = {down, cut, modulo, rest};
        for (int k = 0; k < 4; k++) {
            const int64_t is = ((const int64_t *)t_data_ptr(all[k]))[i];
            ck_assert_msg(is == should[k], "%lld by %lld (%d): %lld", (long long)p, (long long)q, k, (long long)is);
        }
    }
}

START_TEST(quotients_of_integers_of_any_size) {
    t_manual_seed(12);
    for (int64_t n = 1; n < 300; n += n < 40 ? 1 : 37)
        for (int wide = 0; wide < 2; wide++) with_scope() {
            Tensor *a = numerators(n, wide), *b = numerators(n, wide), *two = t_view(numerators(3 * n, wide), 3, n);
            b = t_where(t_eq(b, 0), t_integer(wide ? -1 : 7), b);
            check_quotients(a, b);
            check_quotients(a, t_integer(7));
            check_quotients(a, t_integer(-1));
            check_quotients(t_integer(INT64_C(1) << (wide ? 62 : 50)), b);
            check_quotients(two, b);
            check_quotients(t_narrow(two, 1, 0, (n + 1) / 2), t_narrow(b, 0, 0, 1));
            Tensor *strided =
                t_cat(t_list(t_view(b, n, 1), t_zeros_like(t_view(b, n, 1))), 1); /* zeros that divide nothing */
            check_quotients(t_view(a, n, 1), t_narrow(strided, 1, 0, 1));
            check_quotients(two,
                            t_narrow(t_cat(t_list(t_expand(b, 3, n), t_zeros(3, 9, .dtype = t_int64)), 1), 1, 0, n));
            HOLDS(t_equal(t_floor_divide_(t_clone(a), b), t_floor_divide(a, b)));
            t_copy_(t_narrow(b, 0, n - 1, 1), 0);
            expect_refusal(!t_remainder(a, b), "ZeroDivisionError");
        }
}
END_TEST

/* Bools are taken eight at a time, from any byte on; what is added to them stays 0 or 1. */
START_TEST(bools_are_bools_anywhere) {
    Tensor *a = t_gt(t_rand(100), 0.5), *b = t_gt(t_rand(100), 0.5);
    for (int64_t i = 0; i < 9; i++) {
        Tensor *p = t_narrow(a, 0, i, 90), *q = t_narrow(b, 0, 2 * i % 9, 90);
        bool same = t_equal(t_logical_xor(p, q), t_ne(t_long(p), t_long(q)));
        ck_assert(same);
        same = t_equal(t_long(t_bitwise_and(p, q)), t_mul(t_long(p), t_long(q)));
        ck_assert(same);
    }
    Tensor *none = t_zeros(4, .dtype = t_bool), *yes = t_tensor("[True, True]");
    expect_printed(t_long(t_index_add(none, 0, t_tensor("[0, 1]"), yes, .alpha = 2)), "tensor([1, 1, 0, 0])");
    expect_printed(t_long(t_index_add(none, 0, t_tensor("[0, 3]"), yes, .alpha = 0)), "tensor([0, 0, 0, 0])");
}
END_TEST

/* ---- one value, or one row, for each row ---- */

START_TEST(rows_with_a_broadcast_operand) {
    static const int64_t sizes[] = {1, 2, 5, 8, 9, 16, 31, 64, 100, 127, 511, 512, 513, 1100};
    static const t_DType dtypes[] = {t_int64, t_float32, t_float64};
    t_manual_seed(4);
    for (int i = 0; i < 14 * 3; i++)
        with_scope() {
            const int64_t n = sizes[i / 3], rows = n < 100 ? 1500 : 90;
            Tensor *x = t_to(t_mul(t_randn(2, rows, n), 100), dtypes[i % 3]),
                   *each = t_to(t_mul(t_randn(2, rows, 1), 100), dtypes[i % 3]);
            Tensor *row = t_to(t_mul(t_randn(1, 1, n), 100), dtypes[i % 3]), *wide = t_contiguous(t_expand_as(each, x));
            Tensor *rows_of = t_contiguous(t_expand_as(row, x)), *mask = t_gt(each, 0),
                   *wide_mask = t_contiguous(t_expand_as(mask, x));
            Tensor *inner = t_narrow(t_cat(t_list(t_expand(row, 2, 1, n), x), 1), 1, 1,
                                     rows); /* rows of other tensors lie between */
            ck_assert(t_equal(t_mul(x, each), t_mul(x, wide)));
            ck_assert(t_equal(t_add(each, x), t_add(wide, x)));
            ck_assert(t_equal(t_sub(inner, each), t_sub(x, wide)));
            ck_assert(t_equal(t_sub(each, x), t_sub(wide, x)));
            ck_assert(t_equal(t_add_(t_clone(x), each), t_add(x, wide)));
            if (t_is_floating_point(x))
                ck_assert(t_allclose(t_div_(t_clone(x), each), t_div(x, wide), 0, 0, .equal_nan = true));
            Tensor *two = t_cat(t_list(x, wide), 2), *left = t_narrow(two, 2, 0, n), *right = t_narrow(two, 2, n, n);
            ck_assert(t_equal(t_sub(left, right), t_sub(x, wide)));
            ck_assert(t_equal(t_mul(left, right), t_mul(x, wide)));
            ck_assert(t_equal(t_add_(t_clone(x), right), t_add(x, wide)));
            if (t_is_floating_point(x))
                ck_assert(t_allclose(t_div(left, right), t_div(x, wide), 0, 0, .equal_nan = true));
            ck_assert(t_equal(t_sub(each, row), t_sub(wide, rows_of)));
            ck_assert(t_equal(t_add(row, x), t_add(rows_of, x)));
            ck_assert(t_equal(t_lt(each, row), t_lt(wide, rows_of)));
            ck_assert(t_equal(t_where(mask, x, row), t_where(wide_mask, x, rows_of)));
            ck_assert(t_equal(t_logical_or(mask, t_gt(row, 0)), t_logical_or(wide_mask, t_gt(rows_of, 0))));
            Tensor *truths = t_gt(row, 0), *wide_truths = t_gt(rows_of, 0), *no_mask = t_logical_not(wide_mask);
            ck_assert(t_equal(t_lt(mask, truths), t_logical_and(no_mask, wide_truths)));
            ck_assert(t_equal(t_ge(mask, truths), t_logical_not(t_logical_and(no_mask, wide_truths))));
            ck_assert(t_equal(t_neg(t_expand_as(each, x)), t_neg(wide)));
            if (t_is_floating_point(x)) ck_assert(t_equal(t_erf(t_expand_as(each, x)), t_erf(wide)));
        }
}
END_TEST

Suite *pointwise_suite(void);
Suite *pointwise_suite(void) {
    Suite *suite = suite_create("pointwise");
    TCase *tests = tcase_create("sugar");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, bounds_have_names);
    tcase_add_test(tests, sums_and_quotients_have_keywords);
    tcase_add_test(tests, rounding_and_repair_have_keywords);
    tcase_add_test(tests, numbers_are_operands);
    tcase_add_test(tests, erfinv_inverts_erf);
    tcase_add_test(tests, quotients_of_integers_of_any_size);
    tcase_add_test(tests, bools_are_bools_anywhere);
    tcase_add_test(tests, rows_with_a_broadcast_operand);
    suite_add_tcase(suite, tests);
    return suite;
}
