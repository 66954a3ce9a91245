/* tests/ops/test_c_arrays.c: C arrays of every type as tensors, and elements of tensors as C arrays. */
#include <math.h>

#include "nn/nn.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

static bool same(Tensor *a, Tensor *b) {
    return (t_dtype)(a) == (t_dtype)(b) && (t_equal)(a, b);
}

#define TYPES(type, of) do {                                                                                        \
        const type fixed[] = {1, 2, 3};                                                                             \
        type array[3] = {1, 2, 3}, *pointer = array, number = 3;                                                    \
        HOLDS(same(t_tensor(array), t_tensor("[1, 2, 3]", .dtype = of)) && same(t_tensor(fixed), t_tensor(array))); \
        HOLDS(same(t_tensor(pointer, 3), t_tensor(array)) && same(t_tensor(array, 2), t_tensor("[1, 2]",            \
            .dtype = of)));                                                                                         \
        HOLDS(same(t_tensor(array, .dtype = t_float64), t_tensor("[1., 2, 3]", .dtype = t_float64)));               \
        HOLDS(same(t_new_tensor(t_ones(1), array), t_tensor("[1., 2, 3]")));                                        \
        Tensor *scalar = t_tensor(number);                                                                          \
        HOLDS(t_item(scalar) == 3 && t_dim(scalar) == 0 && t_dtype(scalar) == (of == t_float64 ? t_float32 : of));  \
    } while (0)

START_TEST(arrays_of_each_c_type) {
    TYPES(signed char, t_int64);
    TYPES(unsigned char, t_int64);
    TYPES(short, t_int64);
    TYPES(unsigned short, t_int64);
    TYPES(int, t_int64);
    TYPES(unsigned, t_int64);
    TYPES(long, t_int64);
    TYPES(unsigned long, t_int64);
    TYPES(long long, t_int64);
    TYPES(unsigned long long, t_int64);
    TYPES(size_t, t_int64);
    TYPES(float, t_float32);
    TYPES(double, t_float64);
    const bool yes[] = {true, false};
    const signed char low[] = {-128, 127};
    const unsigned high[] = {UINT32_MAX, 0};
    HOLDS(same(t_tensor(yes), t_tensor("[True, False]")) && same(t_tensor(low), t_tensor("[-128, 127]")));
    HOLDS(same(t_tensor(high), t_tensor("[4294967295, 0]")));
    unsigned long long large[] = {1, INT64_MAX, (unsigned long long)INT64_MAX + 1};
    HOLDS(t_item_int64(t_at(t_tensor(large, 2), "1")) == INT64_MAX);
    expect_refusal(!t_tensor(large), "element 2 is 9223372036854775808, which does not fit int64");
    expect_refusal(!t_tensor(UINT64_MAX), "element 0 is 18446744073709551615, which does not fit int64");
    const char text[] = "[1, 2]";
    HOLDS(same(t_tensor(text), t_tensor("[1, 2]")));
}
END_TEST

static Tensor *of_parameter(float rows[][2], const double *row) {
    return t_add(t_tensor(rows, 3, 2), t_tensor(row, 2));
}

START_TEST(arrays_have_the_shape_of_their_type) {
    float rows[3][2] = {{1, 2}, {3, 4}, {5, 6}}, row[4] = {1, 2, 3, 4}, one[1][1][1] = {{{7}}};
    const short cube[2][1][3] = {{{1, 2, 3}}, {{4, 5, 6}}};
    double two[2] = {10, 20};
    const int64_t n = 3;
    double variable[n];
    for (int i = 0; i < 3; i++) variable[i] = i;
    expect_printed(t_tensor(rows), "tensor([[1., 2.],\n        [3., 4.],\n        [5., 6.]])");
    expect_printed(t_tensor(row), "tensor([1., 2., 3., 4.])");
    expect_printed(t_tensor(one), "tensor([[[7.]]])");
    expect_printed(t_tensor(cube), "tensor([[[1, 2, 3]],\n\n        [[4, 5, 6]]])");
    expect_printed(t_tensor(rows[1]), "tensor([3., 4.])");
    expect_printed(t_tensor(&row[1], 3), "tensor([2., 3., 4.])");
    expect_printed(t_tensor(row, 2, 2), "tensor([[1., 2.],\n        [3., 4.]])");
    expect_printed(t_tensor(rows, (6,), .dtype = t_int64), "tensor([1, 2, 3, 4, 5, 6])");
    expect_printed(t_tensor(rows, .requires_grad = true),
                   "tensor([[1., 2.],\n        [3., 4.],\n        [5., 6.]], requires_grad=True)");
    expect_printed(t_tensor(variable), "tensor([0., 1., 2.], dtype=torch.float64)");
    expect_printed(t_tensor(((float[]){1, 2})), "tensor([1., 2.])");
    expect_printed(t_tensor(((int[2][2]){{1, 2}, {3, 4}})), "tensor([[1, 2],\n        [3, 4]])");
    expect_printed(t_new_tensor(t_ones(1), cube), "tensor([[[1., 2., 3.]],\n\n        [[4., 5., 6.]]])");
    expect_printed(t_new_tensor(t_ones(1), two, 1, 2), "tensor([[10., 20.]])");
    expect_printed(of_parameter(rows, two),
                   "tensor([[11., 22.],\n        [13., 24.],\n        [15., 26.]], dtype=torch.float64)");
    const float *start = row;
    ck_assert(t_equal(t_tensor("[3., 4.]"), t_tensor(rows[1]))); /* one string literal: below 4,095 characters */
    const char text[] = "x";
    expect_refusal(!t_tensor(start), "a pointer has no size: give the shape as well, t_tensor(p, 3)");
    expect_refusal(!t_tensor(row, 5), "the shape needs 5 elements, but the array has 4");
    expect_refusal(!t_tensor(cube, 3, 3), "the shape needs 9 elements, but the array has 6");
    expect_refusal(!t_tensor(text[0]), "a char is not a number: cast it to int");
    expect_refusal(!t_tensor(3.5, 2), "a tensor from a number takes no shape");
}
END_TEST

START_TEST(elements_as_arrays_of_each_type) {
    Tensor *whole = t_tensor("[[9007199254740993, -2147483648], [2147483647, 1]]"),
           *x = t_tensor("[[1.5, -2.0], [0.1, 3e38]]");
    int64_t int64s[4] = {0};
    long long longs[4];
    int ints[4] = {7, 7, 7, 7};
    float floats[4] = {0};
    double doubles[4];
    bool bools[4] = {true, true, true, true};
    HOLDS(t_tolist(t_t(whole), int64s, 4) == 4 && int64s[0] == 9007199254740993 && int64s[1] == INT32_MAX &&
          int64s[2] == INT32_MIN);
    HOLDS(t_tolist(whole, longs, 4) == 4 && longs[0] == 9007199254740993 && longs[3] == 1);
    HOLDS(t_tolist(whole, doubles, 4) == 4 && doubles[0] == 9007199254740992.0); /* rounded, as before */
    HOLDS(t_tolist(t_select(whole, 0, 1), ints, 4) == 2 && ints[0] == INT32_MAX && ints[1] == 1 && ints[2] == 7);
    HOLDS(t_tolist(x, floats, 4) == 4 && floats[0] == 1.5f && floats[2] == 0.1f && floats[3] == 3e38f);
    HOLDS(t_tolist(t_tensor("[-3., 4.]"), ints, 4) == 2 && ints[0] == -3 && ints[1] == 4);
    HOLDS(t_tolist(t_gt(x, 1), bools, 4) == 4 && bools[0] && !bools[1] && !bools[2] && bools[3]);
    HOLDS(t_tolist(t_tensor("[0., 1.]"), bools, 4) == 2 && !bools[0] && bools[1]);
    HOLDS(t_tolist(t_tensor("[nan, -inf, 1e-320]", .dtype = t_float64), floats, 4) == 3 && isnan(floats[0]) &&
          isinf(floats[1]));
    HOLDS(t_tolist(x, NULL, 0) == 4 && t_tolist(x, ints, 3) == 4 && t_tolist(t_zeros(0), bools, 0) == 0);
}
END_TEST

START_TEST(values_that_an_array_does_not_hold) {
    int ints[3] = {7, 8, 9};
    int64_t int64s[3] = {7, 8, 9};
    float floats[3] = {7, 8, 9};
    bool bools[3] = {true, false, true};
    expect_refusal(t_tolist(t_tensor("[1, 2147483648]"), ints, 3) == -1,
                   "element 1 is 2147483648, which does not fit an int");
    expect_refusal(t_tolist(t_tensor("[1., 2.5]"), ints, 3) == -1, "element 1 is 2.5, which does not fit an int");
    expect_refusal(t_tolist(t_tensor("[1., 2., nan]"), int64s, 3) == -1,
                   "element 2 is nan, which does not fit an int64_t");
    expect_refusal(t_tolist(t_tensor("[1., 1e19]"), int64s, 3) == -1,
                   "element 1 is 1e+19, which does not fit an int64_t");
    expect_refusal(t_tolist(t_tensor("[1., 1e39]", .dtype = t_float64), floats, 3) == -1,
                   "element 1 is 1e+39, which does not fit a float");
    expect_refusal(t_tolist(t_tensor("[0, 1, 2]"), bools, 3) == -1, "element 2 is 2, which does not fit a bool");
    HOLDS(ints[0] == 7 && ints[1] == 8 && int64s[0] == 7 && floats[0] == 7 && bools[0] &&
          !bools[1]); /* nothing is written */
}
END_TEST

Suite *c_arrays_suite(void);
Suite *c_arrays_suite(void) {
    Suite *suite = suite_create("c_arrays");
    TCase *tests = tcase_create("arrays");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, arrays_of_each_c_type);
    tcase_add_test(tests, arrays_have_the_shape_of_their_type);
    tcase_add_test(tests, elements_as_arrays_of_each_type);
    tcase_add_test(tests, values_that_an_array_does_not_hold);
    suite_add_tcase(suite, tests);
    return suite;
}
