/* tests/pandas/test_window.c: shift, diff, pct_change, cumsum and rolling against pandas
 * (tests/golden/record_pandas.py, windows), and failing allocations. */
#define _DEFAULT_SOURCE
#include <stdlib.h>

#include "core/pandas/pandas.h"
#include "core/tensor/tensor.h"
#include "tests/pandas/recorded_tables.h"
#include "tests/support/files/file_support.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

static const char text[] = "i,f,t\n1,1.5,a\n2,2.5,b\n4,,\n8,-3,c\n5,0.25,a\n";

static pd_Series *column(const char *name) {
    return pd_getitem(pd_read_csv_bytes(text, sizeof text - 1), name);
}

/* ---- the recorded calls, in the order of record_pandas.py ---- */

enum { OF_SERIES = 22, SERIES = 3, WINDOW_CASES = SERIES * OF_SERIES + 8 };

static pd_Series *series_case(const pd_Series *s, int i) {
    static const pd_Statistic statistics[] = {pd_stat_count, pd_stat_sum, pd_stat_mean, pd_stat_std,
                                              pd_stat_var,   pd_stat_min, pd_stat_max,  pd_stat_median};
    switch (i) {
    case 0: return pd_shift(s);
    case 1: return pd_shift(s, -2);
    case 2: return pd_diff(s);
    case 3: return pd_diff(s, -1);
    case 4: return pd_pct_change(s, 2);
    case 5: return pd_cumsum(s);
    default: return pd_Series_rolling(s, 2 + i % 2, i % 2 ? 1 : T_NONE, statistics[(i - 6) / 2]);
    }
}

static pd_Series *window_case(int i) {
    if (i < SERIES * OF_SERIES) {
        pd_Series *s = column(i < OF_SERIES ? "i" : "f");
        return series_case(i < 2 * OF_SERIES ? s : pd_astype(s, "float32"), i % OF_SERIES);
    }
    pd_Series *s = column("i");
    switch (i - SERIES * OF_SERIES) {
    case 0: return pd_shift(column("t"));
    case 1: return pd_shift(s, 9);
    case 2: return pd_shift(s, 0);
    case 3: return pd_cumsum(pd_Series(t_gt(pd_to_numpy(s), 2), "i"));
    case 4: return pd_rolling(s, 9, sum);
    case 5: return pd_rolling(s, -1, sum);
    case 6: return pd_rolling(s, 2, sum, .min_periods = 3);
    default: return pd_rolling(pd_head(s, 0), 2, sum);
    }
}

START_TEST(windows_are_as_in_pandas) {
    for (int i = 0; i < WINDOW_CASES; i++)
        with_scope () expect_recorded("window", i, series_text(window_case(i)));
    report_notes();
}
END_TEST

START_TEST(only_numbers_have_windows) {
    expect_refusal(!pd_diff(column("t")), "dtype 'str' does not support operation 'diff'");
    expect_refusal(!pd_rolling(column("t"), 2, mean), "dtype 'str' does not support operation 'rolling'");
    expect_refusal(!pd_diff(pd_Series(t_ones(2, .dtype = t_bool), NULL)),
                   "diff of bools is not here: turn them into integers");
    expect_refusal(!pd_rolling(column("i"), 2, mean, .min_periods = -1), "min_periods must be >= 0");
    expect_refusal(!pd_rolling(column("i"), 2, nunique), "8 is no rolling statistic");
    ck_assert_int_eq(pd_shift(column("i"), INT64_MAX)->len, 5);
    ck_assert_int_eq(pd_shift(column("i"), INT64_MIN)->len, 5);
    ck_assert_int_eq(pd_diff(column("f"), INT64_MIN)->len, 5);
}
END_TEST

static bool work(void *which) {
    (void)which;
    pd_DataFrame *df = (pd_read_csv_bytes)(text, sizeof text - 1, NULL);
    pd_Series *s = df ? pd_DataFrame_getitem(df, "f") : NULL;
    return s && pd_Series_shift(s, 1) && pd_Series_diff(s, 1) && pd_Series_cumsum(s) &&
           pd_Series_rolling(s, 2, 1, pd_stat_median);
}

START_TEST(each_allocation_may_fail) {
    refuse_all("window", work, NULL, NULL);
    report_notes();
}
END_TEST

Suite *window_suite(void) {
    Suite *suite = suite_create("window");
    TCase *test = tcase_create("window");
    tcase_add_checked_fixture(test, support_setup, support_teardown);
    tcase_add_test(test, windows_are_as_in_pandas);
    tcase_add_test(test, only_numbers_have_windows);
    tcase_add_test(test, each_allocation_may_fail);
    suite_add_tcase(suite, test);
    return suite;
}
