/* tests/pandas/test_missing_values.c: missing values of frames and series, columns that are set, rows that are dropped
 * by label, and conversions of what is missing. */
#include <math.h>
#include <string.h>

#include "core/pandas/pandas.h"
#include "tests/support/support.h"

static pd_DataFrame *frame(void) {
    return pd_read_csv_bytes("a,t,b\n1,x,True\n,,\n3,z,False\n", 28);
}

START_TEST(missing_values_are_filled_or_dropped) {
    pd_DataFrame *df = frame();
    pd_Series *a = pd_getitem(df, "a"), *t = pd_getitem(df, "t"), *mask = pd_isna(a);
    ck_assert_str_eq(pd_Series_dtype(mask), "bool");
    HOLDS(pd_iat(mask, 0) == 0 && pd_iat(mask, 1) == 1 && pd_iat(mask, 2) == 0);
    pd_Series *left = pd_Series_dropna(a);
    HOLDS(left && pd_iat(left, 0) == 1 && pd_iat(left, 1) == 3);
    expect_refusal(isnan(pd_iat(left, 2)), "index 2 is out of bounds for axis 0 with size 2");
    pd_DataFrame *filled = pd_fillna(df, 9.0), *texts = pd_fillna(df, "none");
    HOLDS(pd_iat(pd_getitem(filled, "a"), 1) == 9 && !pd_iat_text(pd_getitem(filled, "t"), 1));
    HOLDS(pd_iat(pd_getitem(filled, "b"), 0) == 1 && pd_iat(pd_getitem(filled, "b"), 1) == 9);
    ck_assert_str_eq(pd_iat_text(pd_getitem(texts, "t"), 1), "none");
    HOLDS(isnan(pd_iat(pd_getitem(texts, "a"), 1)));
    ck_assert_str_eq(pd_Series_dtype(pd_fillna(pd_getitem(df, "b"), 0.0)), "bool");
    expect_refusal(!pd_fillna(t, 1.0), "Invalid value '1' for dtype 'str'. Value should be a string or missing value, "
                                       "got 'float' instead.");
    expect_refusal(!pd_fillna(a, "x"), "Invalid value 'x' for dtype 'float64'");
}
END_TEST

START_TEST(missing_values_are_converted) {
    pd_DataFrame *df = frame();
    HOLDS(pd_iat(pd_astype(pd_getitem(df, "a"), "bool"), 1) == 1); /* bool(nan) */
    const char *non_finite = "Cannot convert non-finite values (NA or inf) to integer. Replace or remove non-finite "
                             "values or cast to an integer type that supports these values (e.g. 'Int64')";
    expect_refusal(!pd_astype(pd_getitem(df, "a"), "int64"), non_finite);
    pd_Series *texts = pd_Series_of_texts((const char *const[]){"x", "", "17"}, 3, "t"),
              *bools = pd_astype(texts, "bool");
    HOLDS(pd_iat(bools, 0) == 1 && pd_iat(bools, 1) == 0 && pd_iat(bools, 2) == 1);
    pd_Series *numbers = pd_astype(pd_Series_of_texts((const char *const[]){"-4", "17"}, 2, "t"), "int32");
    HOLDS(pd_iat(numbers, 0) == -4 && pd_iat(numbers, 1) == 17);
    expect_refusal(!pd_astype(pd_Series(t_tensor("[1.0, inf]"), "s"), "int64"), non_finite);
}
END_TEST

START_TEST(columns_are_set) {
    pd_DataFrame *df = frame();
    HOLDS(pd_has_column(df, "t") && !pd_has_column(df, "c"));
    HOLDS(pd_setitem(df, "n", 7) && pd_setitem(df, "column", t_tensor("[[1.5], [2.5], [3.5]]")));
    ck_assert_str_eq(pd_Series_dtype(pd_getitem(df, "n")), "int64");
    HOLDS(pd_iat(pd_getitem(df, "n"), 2) == 7 && pd_iat(pd_getitem(df, "column"), 1) == 2.5);
    ck_assert(!pd_setitem(df, "c", t_ones(3, 2)) && strstr(t_error_message(), "Expected a 1D array"));
    t_clear_error();
    pd_DataFrame *others = pd_take(df, t_tensor("[2, 1, 0]"));
    ck_assert(!pd_setitem(df, "c", pd_getitem(others, "a")) && strstr(t_error_message(), "other row labels"));
    t_clear_error();
    pd_DataFrame *numbers = pd_describe(df), *again = pd_describe(df); /* with texts as row labels */
    HOLDS(pd_setitem(numbers, "again", pd_getitem(again, "a")));
    HOLDS(pd_iat(pd_getitem(numbers, "again"), 1) == 2);
    ck_assert(!pd_setitem(numbers, "c", pd_getitem(pd_take(again, t_tensor("[7, 6, 5, 4, 3, 2, 1, 0]")), "a")) &&
              strstr(t_error_message(), "other row labels"));
    t_clear_error();
}
END_TEST

START_TEST(rows_are_dropped_by_label) {
    pd_DataFrame *df = frame(), *left = pd_drop(df, .index = t_tensor("[0, 2]"));
    HOLDS(left && left->len == 1 && isnan(pd_iat(pd_getitem(left, "a"), 0)));
    pd_DataFrame *turned = pd_take(df, t_tensor("[2, 0]"));
    left = pd_drop(turned, .index = t_tensor("[2]"));
    HOLDS(left->len == 1 && pd_iat(pd_getitem(left, "a"), 0) == 1);
    expect_refusal(!pd_drop(df, .index = t_tensor("[5]")), "[5] not found in axis");
    HOLDS(pd_drop(df, .index = t_tensor("[5, 1]"), .ignore_errors = true)->len == 2);
    expect_refusal(!pd_drop(df, .index = t_tensor("[0.5]")), "index must be a contiguous int64 tensor of row labels");
    expect_refusal(!pd_drop(pd_describe(df), .index = t_tensor("[0]")), "the frame's row labels are no integers");
}
END_TEST

Suite *pandas_missing_suite(void);
Suite *pandas_missing_suite(void) {
    Suite *suite = suite_create("pandas_missing");
    TCase *tests = tcase_create("missing");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, missing_values_are_filled_or_dropped);
    tcase_add_test(tests, missing_values_are_converted);
    tcase_add_test(tests, columns_are_set);
    tcase_add_test(tests, rows_are_dropped_by_label);
    suite_add_tcase(suite, tests);
    return suite;
}
