/* tests/tensor/test_tensor_info.c: sizes, strides, dtypes, and the values as C numbers. */
#include <math.h>

#include "tests/support/support.h"

static Tensor *from(const char *text, t_DType dtype) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
    return t_tensor_from_text(text, &options);
}

START_TEST(sizes_and_strides) {
    Tensor *x = t_transpose(t_zeros(SHAPE(2, 3, 4), NULL), 0, 2);
    ck_assert_int_eq(t_dim(x), 3);
    ck_assert_int_eq(t_numel(x), 24);
    ck_assert_int_eq(t_size(x, 0), 4);
    ck_assert_int_eq(t_size(x, -1), 2);
    ck_assert_int_eq(t_stride(x, 0), 1);
    ck_assert_int_eq(t_stride(x, -1), 12);
    ck_assert_int_eq(t_shape(x)[1], 3);
    ck_assert(!t_is_contiguous(x) && t_is_contiguous(t_contiguous(x)));
    ck_assert_int_eq(t_storage_offset(t_select(x, 0, 2)), 2);
    ck_assert_int_eq(t_numel(t_zeros(SHAPE(2, 0), NULL)), 0);
    ck_assert_int_eq(t_dim(t_zeros(NULL, 0, NULL)), 0);
    ck_assert_int_eq(t_size(x, 3), -1);
    expect_error("Dimension out of range (expected to be in range of [-3, 2], but got 3)");
    ck_assert_int_eq(t_stride(x, -4), -1);
    expect_error("Dimension out of range (expected to be in range of [-3, 2], but got -4)");
    ck_assert_int_eq(t_size(t_zeros(NULL, 0, NULL), 0), -1);
    expect_error("Dimension specified as 0 but tensor has no dimensions");
}
END_TEST

START_TEST(dtypes) {
    ck_assert_int_eq(t_dtype(from("[1, 2]", 0)), t_int64);
    ck_assert_int_eq(t_dtype(from("[1.5]", 0)), t_float32);
    ck_assert_int_eq(t_dtype(from("[True]", 0)), t_bool);
    ck_assert(t_is_floating_point(from("1", t_float64)) && !t_is_floating_point(from("1", 0)));
}
END_TEST

START_TEST(one_element_as_a_number) {
    ck_assert_double_eq(t_item(from("[[2.5]]", 0)), 2.5);
    ck_assert_double_eq(t_item(from("-7", 0)), -7);
    ck_assert_double_eq(t_item(from("True", 0)), 1);
    ck_assert_int_eq(t_item_int64(from("9007199254740993", 0)), 9007199254740993);
    ck_assert(t_is_true(from("[0.5]", 0)) && !t_is_true(from("0", 0)));
    ck_assert(isnan(t_item(from("[1, 2]", 0))));
    expect_error("a Tensor with 2 elements cannot be converted to Scalar");
    t_item_int64(from("[1.5]", 0));
    expect_error("t_item_int64 takes an integer or bool tensor, not float32");
    ck_assert(!t_is_true(from("[1, 1]", 0)));
    expect_error("Boolean value of Tensor with more than one value is ambiguous");
    ck_assert(!t_is_true(from("[]", 0)));
    expect_error("Boolean value of Tensor with no values is ambiguous");
}
END_TEST

START_TEST(elements_as_an_array) {
    double values[6] = {0};
    Tensor *x = t_t(from("[[1, 2, 3], [4, 5, 6]]", 0));
    ck_assert_int_eq(t_tolist(x, values, 6), 6);
    const double expected[] = {1, 4, 2, 5, 3, 6};
    for (int i = 0; i < 6; i++) ck_assert_double_eq(values[i], expected[i]);
    values[0] = -1;
    ck_assert_int_eq(t_tolist(x, values, 5), 6); /* no capacity: how many there are */
    ck_assert_double_eq(values[0], -1);
    ck_assert_int_eq(t_tolist(t_zeros(SHAPE(0), NULL), values, 6), 0);
}
END_TEST

START_TEST(memory) {
    Tensor *x = from("[1.0, 2.0, 3.0]", 0), *v = t_slice(x, 0, 1, 3, 1);
    ck_assert_double_eq((double)((const float *)t_data_ptr(v))[0], 2);
    ck_assert_int_eq(t_data_version(x), 0);
    ((float *)t_data_ptr_mut(v))[1] = 7;
    ck_assert_int_eq(t_data_version(x), 1);
    ck_assert_double_eq(t_item(t_select(x, 0, 2)), 7);
}
END_TEST

START_TEST(null_is_an_error_for_every_accessor) {
    ck_assert_int_eq(t_dim(NULL), -1);
    expect_error("argument 1 is NULL where a tensor is expected");
    ck_assert_ptr_null(t_shape(NULL));
    ck_assert_int_eq(t_numel(NULL), -1); /* an error is pending: this one passes on */
    ck_assert_int_eq(t_dtype(NULL), 0);
    ck_assert_ptr_null(t_data_ptr(NULL));
    ck_assert_ptr_null(t_data_ptr_mut(NULL));
    ck_assert_int_eq(t_tolist(NULL, NULL, 0), -1);
    expect_error("argument 1 is NULL where a tensor is expected");
}
END_TEST

Suite *tensor_info_suite(void);
Suite *tensor_info_suite(void) {
    Suite *suite = suite_create("tensor_info");
    TCase *tests = tcase_create("tensor_info");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, sizes_and_strides);
    tcase_add_test(tests, dtypes);
    tcase_add_test(tests, one_element_as_a_number);
    tcase_add_test(tests, elements_as_an_array);
    tcase_add_test(tests, memory);
    tcase_add_test(tests, null_is_an_error_for_every_accessor);
    suite_add_tcase(suite, tests);
    return suite;
}
