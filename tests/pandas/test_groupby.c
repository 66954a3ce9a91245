/* tests/pandas/test_groupby.c: groupby and agg against pandas (tests/golden/record_pandas.py, groups), and failing
 * allocations. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>

#include "core/pandas/pandas.h"
#include "core/tensor/tensor.h"
#include "tests/pandas/recorded_tables.h"
#include "tests/support/files/file_support.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

static pd_DataFrame *table(void) {
    static const char text[] = "k,j,x,y,t,b,d\nb,1,1,0.5,u,True,2020-01-05\na,2,2,,v,False,2020-01-02\n"
                               "b,1,3,2.5,w,True,\n,1,4,3.5,x,False,2020-01-03\na,1,5,4.25,,True,2020-01-01\n"
                               "b,2,6,-1,y,False,2020-02-01\nc,,7,,z,True,\n";
    return pd_read_csv_bytes(text, sizeof text - 1, .parse_dates = {"d"});
}

/* ---- the recorded calls, in the order of record_pandas.py ---- */

static const char *const hows[] = {"mean", "sum",    "count", "min",  "max",    "std",
                                   "var",  "median", "first", "last", "nunique"},
                         *const of_any[] = {"count", "min", "max", "first", "last", "nunique"};
enum { GROUP_CASES = 42 };

static pd_DataFrame *group_case(int i) {
    pd_DataFrame *df = table();
    if (i < 22 && i % 2 == 0) return pd_groupby_agg(df, .by = {"k"}, .agg = {{"x", hows[i / 2]}, {"y", hows[i / 2]}});
    if (i < 22) return pd_groupby_agg(df, .by = {"k", "j"}, .agg = {{"x", hows[i / 2]}, {"y", hows[i / 2]}});
    i -= 22;
    if (i < 6) return pd_groupby_agg(df, .by = {"j"}, .agg = {{"t", of_any[i]}, {"d", of_any[i]}, {"b", of_any[i]}});
    switch (i - 6) {
    case 0:
        return pd_groupby_agg(df, .by = {"k"},
                              .agg = {{NULL, "size", "n"}, {"b", "mean", "share"}, {"b", "sum", "total"}});
    case 1: return pd_groupby_agg(df, .by = {"k"}, .as_index = false, .agg = {{"x", "mean", "x"}, {"x", "max"}});
    case 2: return pd_groupby_agg(df, .by = {"k"}, .dropna = false, .agg = {{"x", "sum"}});
    case 3: return pd_groupby_agg(df, .by = {"k", "j"}, .dropna = false, .agg = {{"x", "sum"}});
    case 4: return pd_groupby_agg(df, .by = {"k"}, .sort = false, .agg = {{"x", "sum"}});
    case 5: return pd_groupby_agg(df, .by = {"j", "k"}, .sort = false, .agg = {{"x", "sum"}, {NULL, "size", "n"}});
    case 6: return pd_groupby_agg(df, .by = {"d"}, .agg = {{"x", "mean"}});
    case 7: return pd_groupby_agg(df, .by = {"b", "k"}, .agg = {{"x", "median"}});
    case 8: return pd_groupby_agg(df, .by = {"z"}, .agg = {{"x", "mean"}});
    case 9: return pd_groupby_agg(df, .by = {"k"}, .agg = {{"z", "mean"}});
    case 10: return pd_groupby_agg(df, .by = {"k"}, .agg = {{"x", "other"}});
    case 11: return pd_groupby_agg(df, .by = {"k"}, .agg = {{"t", "mean"}});
    case 12:
        pd_setitem(df, "y", pd_astype(pd_getitem(df, "y"), "float32"));
        return pd_groupby_agg(df, .by = {"k"}, .agg = {{"y", "mean", "y"}, {"y", "sum", "z"}, {"y", "std", "s"}});
    default: return pd_groupby_agg(pd_head(df, 0), .by = {"k"}, .agg = {{"x", "sum"}});
    }
}

START_TEST(groups_are_aggregated_as_by_pandas) {
    setenv("COLUMNS", "80", 1);
    for (int i = 0; i < GROUP_CASES; i++)
        with_scope () expect_recorded("group", i, frame_text(group_case(i)));
    report_notes();
}
END_TEST

START_TEST(results_have_names_of_their_own) {
    pd_DataFrame *df = pd_groupby_agg(table(), .by = {"k"}, .agg = {{"x", "min"}, {"x", "max"}, {.how = "size"}});
    ck_assert_str_eq(pd_column_name(df, 0), "x_min");
    ck_assert_str_eq(pd_column_name(df, 1), "x_max");
    ck_assert_str_eq(pd_column_name(df, 2), "size");
    expect_refusal(!pd_groupby_agg(table(), .by = {"k"}, .agg = {{"x", "min", "n"}, {"x", "max", "n"}}),
                   "two columns of the result would be 'n': give one of them another name");
    expect_refusal(!pd_groupby_agg(table(), .by = {"k"}, .agg = {{NULL, "min"}}),
                   "the aggregation 'min' needs a column");
    expect_refusal(!pd_groupby_agg(table(), .agg = {{"x", "min"}}), "No group keys passed!");
    expect_refusal(!pd_groupby_agg(table(), .by = {"k"}), "Must provide 'func' or tuples of '**kwargs.");
}
END_TEST

/* Many groups, of two keys: the sums are those of the rows. */
START_TEST(large_tables_have_their_sums) {
    enum { ROWS = 20000 };
    Tensor *i = t_arange(ROWS);
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, "a", t_remainder(t_mul(i, 7919), 101));
    t_dict_set(dict, "b", t_remainder(t_mul(i, 104729), 53));
    t_dict_set(dict, "x", i);
    const pd_DataFrame *df =
        pd_groupby_agg(pd_DataFrame(dict), .by = {"a", "b"}, .agg = {{"x", "sum"}, {.how = "size"}});
    ck_assert_msg(df && df->len == 101 * 53, "%s", t_error());
    ck_assert(pd_sum(pd_getitem(df, "x")) == ROWS * (ROWS - 1.0) / 2 && pd_sum(pd_getitem(df, "size")) == ROWS);
    ck_assert(pd_iat(pd_getitem(df, "a"), 53) == 1 && pd_iat(pd_getitem(df, "b"), 53) == 0);
}
END_TEST

/* ---- failing allocations ---- */

static bool work(void *which) {
    static const char text[] = "k,j,x,t\nb,1,1.5,u\na,2,2,v\nb,1,,w\n,1,4,x\n";
    pd_GroupbyAggOptions o = {PD_GROUPBY_AGG_DEFAULTS_};
    const int i = *(const int *)which;
    o.by[0] = "k";
    o.by[1] = i % 2 ? "j" : NULL;
    o.sort = i < 2;
    o.agg[0] = (pd_Aggregation){"x", i < 2 ? "median" : "max", NULL};
    o.agg[1] = (pd_Aggregation){"t", i < 2 ? "nunique" : "first", NULL};
    o.agg[2] = (pd_Aggregation){"x", "count", NULL};
    pd_DataFrame *df = (pd_read_csv_bytes)(text, sizeof text - 1, NULL);
    return df && (pd_groupby_agg)(df, &o);
}

START_TEST(each_allocation_may_fail) {
    for (int which = 0; which < 4; which++) refuse_all(t_format("groupby %d", which), work, NULL, &which);
    report_notes();
}
END_TEST

Suite *groupby_suite(void) {
    Suite *suite = suite_create("groupby");
    TCase *test = tcase_create("groupby");
    tcase_add_checked_fixture(test, support_setup, support_teardown);
    tcase_add_test(test, groups_are_aggregated_as_by_pandas);
    tcase_add_test(test, results_have_names_of_their_own);
    tcase_add_test(test, large_tables_have_their_sums);
    tcase_add_test(test, each_allocation_may_fail);
    suite_add_tcase(suite, test);
    return suite;
}
