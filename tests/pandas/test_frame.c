/* tests/pandas/test_frame.c: frames and series beyond the recorded calls: what has no row there, and each error. What
 * pandas 3.1 returns and says, unless the error is of C alone. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/pandas/pandas.h"
#include "core/tensor/tensor.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

#define CSV(text, ...) pd_read_csv_bytes(text, strlen(text), __VA_ARGS__)
#define COLUMN(text) pd_getitem(CSV(text, .skip_blank_lines = false), "a")

static pd_Series *times_of(const char *first, const char *second) {
    return pd_to_datetime(pd_Series_of_texts((const char *const[]){first, second}, 2, NULL), .format = "ISO8601");
}

static pd_Series *integers(int64_t a, int64_t b) {
    return pd_Series(t_stack((t_integer(a), t_integer(b))), NULL);
}

/* ---- values ---- */

START_TEST(csv_corner_cases) {
    static const char spaces[] = "a,b\n1,2\n  ";
    ck_assert_str_eq(pd_str(CSV(spaces, .sep = ",")), "   a  b\n0  1  2");
    ck_assert_str_eq(pd_str(CSV(spaces, .skip_blank_lines = false)), "    a    b\n0   1  2.0\n1      NaN");
    ck_assert_str_eq(pd_str(CSV("a b\n1 2 #x\n3 4\n", .sep = "\\s+", .comment = '#')), "   a  b\n0  1  2\n1  3  4");
    ck_assert_str_eq(pd_str(CSV("a,b\n-999.0,1\n-9.99e2,2\n3,4\n", .na_values = {"-999"})),
                     "     a  b\n0  NaN  1\n1  NaN  2\n2  3.0  4");
    const pd_DataFrame *large = CSV("a,b\n9223372036854775808,1\n5,2\n", .sep = ","); /* beyond int64 */
    ck_assert_str_eq(pd_str(large), "                     a  b\n0  9223372036854775808  1\n1                    5  2");
    ck_assert_str_eq(pd_Series_dtype(pd_getitem(large, "a")), "str");
}
END_TEST

START_TEST(columns_of_any_strides) {
    Tensor *x = t_at(t_t(t_view(t_arange(24), 4, 6)), "1::2"); /* rows 1, 3 and 5 of the transposed */
    pd_DataFrame *df = pd_DataFrame(x, .columns = {"a", "b", "c", "d"});
    HOLDS(t_equal(pd_to_numpy(df), x));
    expect_printed(pd_to_numpy(pd_getitem(df, "c")), "tensor([13, 15, 17])");
}
END_TEST

START_TEST(lines_that_are_left_out_are_named) {
    static const char text[] = "a,b\n4,5\n1,2,3\n4,5\n6,7,8,9\n";
    catch_warnings();
    const pd_DataFrame *df = CSV(text, .on_bad_lines = "warn");
    char *warned = caught_warnings();
    ck_assert_str_eq(pd_str(df), "   a  b\n0  4  5\n1  4  5");
    ck_assert_msg(strstr(warned, "Skipping line 3: expected 2 fields, saw 3\n"
                                 "Skipping line 5: expected 2 fields, saw 4\n"),
                  "%s", warned);
    free(warned);
}
END_TEST

START_TEST(uniques_keep_their_order) {
    const char *const items[] = {"b", NULL, "a", "b", NULL}, *const late[] = {"b", "a", "b", NULL};
    const pd_Series *s = pd_unique(pd_Series_of_texts(items, 5, NULL));
    ck_assert(s->len == 3 && !pd_iat_text(s, 1) && !t_error());
    ck_assert_str_eq(pd_iat_text(s, 0), "b");
    ck_assert_str_eq(pd_iat_text(s, 2), "a");
    s = pd_unique(pd_Series_of_texts(late, 4, NULL));
    ck_assert(s->len == 3 && !pd_iat_text(s, 2) && !t_error());
}
END_TEST

/* Categories of other frames are the same if their values are. */
START_TEST(categories_are_compared_by_value) {
    pd_DataFrame *frames[3];
    static const char *const texts[] = {"a\nx\ny\n", "a\ny\nx\n", "a\nx\nz\n"};
    for (int i = 0; i < 3; i++) frames[i] = CSV(texts[i], .dtype = {{"a", "category"}});
    ck_assert_str_eq(pd_Series_dtype(pd_getitem(pd_concat((frames[0], frames[1])), "a")), "category");
    ck_assert_str_eq(pd_Series_dtype(pd_getitem(pd_concat((frames[0], frames[2])), "a")), "str");
}
END_TEST

START_TEST(statistics_of_a_column) {
    const pd_Series *s = COLUMN("a\n3\n\n-1\n7.5\n");
    ck_assert(pd_max(s) == 7.5 && pd_min(s) == -1 && pd_count(s) == 3);
    ck_assert(pd_max(COLUMN("a\n-3\n-1\n")) == -1);
    s = pd_astype(pd_Series(t_tensor("[inf, -inf, nan, 1.5]", .dtype = t_float64), NULL), "str");
    ck_assert_str_eq(pd_iat_text(s, 0), "inf");
    ck_assert_str_eq(pd_iat_text(s, 1), "-inf");
    ck_assert(!pd_iat_text(s, 2) && !t_error());
    /* the times between the first and the last that there are do not fit into int64 */
    s = pd_describe(pd_to_datetime(integers(INT64_MIN + 1, INT64_MAX), .unit = "ns"));
    ck_assert_str_eq(pd_iat_text(s, 0), "2");
    ck_assert_str_eq(pd_iat_text(s, 2), "1677-09-21 00:12:43.145224193");
    ck_assert_str_eq(pd_iat_text(s, 6), "2262-04-11 23:47:16.854775807");
}
END_TEST

START_TEST(times_from_numbers) {
    const pd_Series *numbers = pd_Series(t_tensor("[20200102, nan, 20211231]", .dtype = t_float64), NULL);
    ck_assert_str_eq(pd_str(pd_to_datetime(numbers, .format = "%Y%m%d")),
                     "0   2020-01-02\n1          NaT\n2   2021-12-31\ndtype: datetime64[us]");
    const pd_Series *far = pd_Series(t_tensor("[1e30, 5]", .dtype = t_float64), NULL),
                    *days = integers(INT64_C(1) << 62, 5);
    expect_refusal(!pd_to_datetime(far, .unit = "s"), "cannot convert input with unit 's'");
    expect_refusal(!pd_to_datetime(days, .unit = "D"), "cannot convert input with unit 'D'");
    ck_assert_str_eq(pd_str(pd_to_datetime(far, .unit = "s", .errors = "coerce")),
                     "0                   NaT\n1   1970-01-01 00:00:05\ndtype: datetime64[us]");
    ck_assert_str_eq(pd_str(pd_to_datetime(days, .unit = "D", .errors = "coerce")),
                     "0          NaT\n1   1970-01-06\ndtype: datetime64[us]");
    const pd_Series *ns = pd_astype(pd_to_datetime(integers(-1, 1999), .unit = "ns"), "datetime64[us]");
    ck_assert_str_eq(pd_str(ns),
                     "0   1969-12-31 23:59:59.999999\n1   1970-01-01 00:00:00.000001\ndtype: datetime64[us]");
}
END_TEST

START_TEST(rare_directives_of_times) {
    const pd_Series *s = times_of("2020-01-02 10:11:12", "2021-12-31");
    ck_assert_str_eq(pd_iat_text(pd_dt_strftime(s, "%F %T|%z|%Z|%%"), 0), "2020-01-02 10:11:12|||%");
    s = pd_Series_of_texts((const char *const[]){"2020%03", "2021%11"}, 2, NULL);
    ck_assert_str_eq(pd_str(pd_to_datetime(s, .format = "%Y%%%m")),
                     "0   2020-03-01\n1   2021-11-01\ndtype: datetime64[us]");
    expect_refusal(!pd_to_datetime(s, .format = "%Y%m"),
                   "time data \"2020%03\" doesn't match format \"%Y%m\". You might want to try:\n"
                   "    - passing `format` if your strings have a consistent format;\n"
                   "    - passing `format='ISO8601'` if your strings are all ISO8601 but not necessarily in exactly "
                   "the same format;\n"
                   "    - passing `format='mixed'`, and the format will be inferred for each element individually. You "
                   "might want to use `dayfirst` alongside this.");
}
END_TEST

START_TEST(columns_have_a_common_dtype) {
    pd_DataFrame *df = pd_DataFrame(t_dict());
    pd_setitem(df, "a", t_tensor("[1, -2]", .dtype = t_int8));
    pd_setitem(df, "b", t_tensor("[200, 2]", .dtype = t_uint8));
    const Tensor *x = pd_to_numpy(df);
    ck_assert(x->dtype == t_int16 && t_equal((Tensor *)x, t_tensor("[[1, 200], [-2, 2]]", .dtype = t_int16)));
    pd_setitem(df, "c", t_tensor("[70000, 2]", .dtype = t_int32));
    ck_assert(pd_to_numpy(df)->dtype == t_int32);
    pd_setitem(df, "d", t_tensor("[1, 2]", .dtype = t_int16));
    ck_assert(pd_to_numpy(df)->dtype == t_int32);
    const pd_Series *bools = COLUMN("a\nTrue\n\"\"\nFalse\n");
    ck_assert(t_allclose(pd_to_numpy(bools, t_float32), t_tensor("[1, nan, 0]"), .equal_nan = true));
    ck_assert(t_equal(pd_to_numpy(bools, t_bool), t_tensor("[1, 1, 0]", .dtype = t_bool))); /* bool(nan) is True */
}
END_TEST

START_TEST(a_list_of_one_frame_is_joined) {
    const pd_DataFrame *df = CSV("s,x,k\na,1.5,True\nb,,False\n", .index_col = NULL);
    ck_assert_str_eq(pd_str(pd_concat((df, ))), pd_str(df));
}
END_TEST

START_TEST(no_rows_have_no_groups) {
    const pd_DataFrame *df = CSV("s,x\na,1.5\n", .index_col = NULL);
    ck_assert_int_eq(pd_groupby(pd_head(df, 0), "s", "x", mean)->len, 0);
}
END_TEST

START_TEST(a_row_may_have_many_columns) {
    char text[1000] = "";
    for (int line = 0; line < 2; line++)
        for (int i = 0; i < 70; i++)
            snprintf(text + strlen(text), 20, "%s%d%c", line ? "" : "c", i, i < 69 ? ',' : '\n');
    const pd_DataFrame *df = CSV(text, .index_col = NULL);
    ck_assert_int_eq(df->width, 70);
    for (int i = 0; i < 70; i++) {
        char name[20];
        snprintf(name, sizeof name, "c%d", i);
        ck_assert(t_item(pd_to_numpy(pd_getitem((pd_DataFrame *)df, name))) == i);
    }
}
END_TEST

START_TEST(rows_are_dropped_by_their_labels) {
    const pd_DataFrame *df = CSV("k,x\n5,3\n7,1\n9,2\n", .index_col = "k");
    ck_assert_str_eq(pd_str(pd_drop(df, .index = t_tensor("[7]"))), "   x\nk   \n5  3\n9  2");
    expect_refusal(!pd_drop(df, .index = t_tensor("[8]")), "[8] not found in axis");
}
END_TEST

/* ---- printing ---- */

START_TEST(frames_and_series_are_printed) {
    const pd_DataFrame *df = CSV("a,b\n1,x\n", .sep = ",");
    unsetenv("COLUMNS"); /* a file has 80 columns */
    catch_output(STDOUT_FILENO);
    const bool ok = pd_print(df) && pd_print(pd_getitem(df, "a"));
    fflush(stdout);
    char *printed = caught_output();
    ck_assert(ok);
    ck_assert_str_eq(printed, "   a  b\n0  1  x\n0    1\nName: a, dtype: int64\n");
    free(printed);
    expect_refusal(!pd_DataFrame_print(NULL), "argument 1 is NULL where a DataFrame is expected");
    expect_refusal(!pd_Series_print(NULL), "argument 1 is NULL where a Series is expected");
}
END_TEST

/* ---- errors ---- */

START_TEST(other_objects_are_refused) {
    void *x = t_ones(2);
    expect_refusal(!pd_DataFrame_head(x, 1),
                   "argument 1 is no DataFrame, or one that died with its scope: t_keep() carries it out");
    expect_refusal(!pd_Series_head(x, 1),
                   "argument 1 is no Series, or one that died with its scope: t_keep() carries it out");
    expect_refusal(!pd_setitem_series(NULL, "a", NULL), "argument 1 is NULL where a DataFrame is expected");
    expect_refusal(!pd_DataFrame_drop(NULL, NULL), "argument 1 is NULL where a DataFrame is expected");
    expect_refusal(!pd_DataFrame_rename(NULL, "a", "b"), "argument 1 is NULL where a DataFrame is expected");
    expect_refusal(!pd_groupby_stat(NULL, "a", "b", pd_stat_sum), "argument 1 is NULL where a DataFrame is expected");
}
END_TEST

START_TEST(what_makes_no_frame_is_refused) {
    t_TensorDict *d = t_dict();
    t_dict_set(d, "a", t_ones(2, 2));
    expect_refusal(!pd_DataFrame(d), "Per-column arrays must each be 1-dimensional");
    t_dict_set(d, "a", t_ones(2));
    t_dict_set(d, "b", t_ones(3));
    expect_refusal(!pd_DataFrame(d), "All arrays must be of the same length");
    expect_refusal(!pd_DataFrame(t_ones(2, 3), .columns = {"a", "b"}),
                   "Shape of passed values is (2, 3), indices imply (2, 2)");
    const pd_DataFrame *df = pd_DataFrame(t_ones(2, 3));
    expect_refusal(!pd_column_name(df, 3), "index 3 is out of bounds for axis 0 with size 3");
    expect_refusal(!pd_column_name(df, -4), "index -4 is out of bounds for axis 0 with size 3");
    ck_assert_str_eq(pd_column_name(df, -1), "2");
}
END_TEST

START_TEST(what_chooses_no_rows_is_refused) {
    const pd_DataFrame *df = pd_DataFrame(t_ones(2, 3));
    const pd_Series *s = pd_getitem(df, "0");
    expect_refusal(!pd_getitem(df, t_ones(2)),
                   "the mask must be a bool tensor of one dim, but is float32 of shape [2]");
    expect_refusal(!pd_getitem(s, t_ones(2, 1, .dtype = t_bool)),
                   "the mask must be a bool tensor of one dim, but is bool of shape [2, 1]");
    expect_refusal(!pd_take(df, t_ones(2)), "the indices must be integers of one dim, but are float32 of shape [2]");
    expect_refusal(!pd_take(s, t_zeros(1, 1, .dtype = t_int64)),
                   "the indices must be integers of one dim, but are int64 of shape [1, 1]");
    expect_refusal(
        !pd_iloc(df, "0000000000000000000000000000000000000000000000000000000000000001"),
        "the index is longer than 63 characters");
    expect_refusal(!pd_sample(df, -1), "A negative number of rows requested. Please provide `n` >= 0.");
    expect_refusal(!pd_sample(df, .frac = -0.5), "A negative number of rows requested. Please provide `frac` >= 0.");
    expect_refusal(!pd_sample(df, .frac = 1.5),
                   "Replace has to be set to `True` when upsampling the population `frac` > 1.");
}
END_TEST

START_TEST(what_has_no_statistic_is_refused) {
    const pd_Series *s = COLUMN("a\n1\n2\n"), *days = times_of("2020-01-01", "2020-01-02");
    expect_refusal(isnan(pd_quantile(s, 1.5)), "percentiles should all be in the interval [0, 1]");
    expect_refusal(isnan(pd_quantile(s, NAN)), "percentiles should all be in the interval [0, 1]");
    expect_refusal(isnan(pd_quantile(pd_astype(s, "category"), 0.5)),
                   "'Categorical' with dtype category does not support operation 'quantile'");
    expect_refusal(isnan(pd_quantile(days, 0.5)), "the series is of times, whose quantile is no number");
    expect_refusal(!pd_Series_dt(days, (pd_DatetimeField)99), "99 is no field of a time");
    expect_refusal(!pd_dt_floor(days, "zz"), "Invalid frequency: zz");
    expect_refusal(!pd_dt_floor(pd_astype(days, "datetime64[ns]"), "999999999D"),
                   "the frequency 999999999D is too long");
}
END_TEST

START_TEST(what_has_no_tensor_is_refused) {
    const pd_DataFrame *df = CSV("a,b\n1,x\n", .sep = ",");
    expect_refusal(!pd_to_numpy(df), "column 'b' is of dtype str: drop it, or turn it into numbers (pd_get_dummies, "
                                     "pd_map, pd_codes)");
    expect_refusal(!pd_to_numpy(df, t_float32), "could not convert column 'b' of texts to numbers: drop it, or encode "
                                                "it (pd_get_dummies, pd_map, pd_codes)");
    expect_refusal(!pd_to_numpy(COLUMN("a\nTrue\n\"\"\n")),
                   "the series has bools and missing values, which numpy keeps as objects: give a dtype");
}
END_TEST

START_TEST(options_of_read_csv_are_checked) {
    expect_refusal(!CSV("a\n1\n", .header = -3),
                   "Passing negative integer to header is invalid. For no header, use header=None instead");
    expect_refusal(!CSV("a\n1\n", .on_bad_lines = "no"), "Argument no is invalid for on_bad_lines");
    expect_refusal(!CSV("a\n1\n", .on_bad_lines = NULL), "Argument NULL is invalid for on_bad_lines");
    expect_refusal(!CSV("a\n1\n", .sep = ";", .comment = ';'),
                   "sep, quotechar, escapechar and comment must differ, but two are ';'");
    expect_refusal(!CSV("a,b\xff\n1,2\n", .sep = ","), "the text in memory: the name of column 1 is not UTF-8");
    expect_refusal(!CSV("a,b\n1,2,3,4\n", .sep = ","),
                   "the text in memory: the first data line has 4 fields and the header 2: row labels of several "
                   "columns (MultiIndex) are not supported; index_col = PD_NO_INDEX leaves the last fields out");
    char text[80] = "a::b\n1::";
    size_t n = strlen(text);
    for (char c = 1; c < 0x20; c++) text[n++] = c;
    expect_refusal(!pd_read_csv_bytes(text, n, .sep = "::"),
                   "the text in memory: the text has all control characters, one of which would take the place of "
                   "'::'");
}
END_TEST

Suite *frame_suite(void) {
    Suite *suite = suite_create("frame");
    TCase *test = tcase_create("frame");
    tcase_add_checked_fixture(test, support_setup, support_teardown);
    tcase_add_test(test, csv_corner_cases);
    tcase_add_test(test, columns_of_any_strides);
    tcase_add_test(test, lines_that_are_left_out_are_named);
    tcase_add_test(test, uniques_keep_their_order);
    tcase_add_test(test, categories_are_compared_by_value);
    tcase_add_test(test, statistics_of_a_column);
    tcase_add_test(test, times_from_numbers);
    tcase_add_test(test, rare_directives_of_times);
    tcase_add_test(test, columns_have_a_common_dtype);
    tcase_add_test(test, a_list_of_one_frame_is_joined);
    tcase_add_test(test, no_rows_have_no_groups);
    tcase_add_test(test, a_row_may_have_many_columns);
    tcase_add_test(test, rows_are_dropped_by_their_labels);
    tcase_add_test(test, frames_and_series_are_printed);
    tcase_add_test(test, other_objects_are_refused);
    tcase_add_test(test, what_makes_no_frame_is_refused);
    tcase_add_test(test, what_chooses_no_rows_is_refused);
    tcase_add_test(test, what_has_no_statistic_is_refused);
    tcase_add_test(test, what_has_no_tensor_is_refused);
    tcase_add_test(test, options_of_read_csv_are_checked);
    suite_add_tcase(suite, test);
    return suite;
}
