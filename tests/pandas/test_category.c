/* tests/pandas/test_category.c: the dtype category against pandas (tests/golden/record_pandas.py, categories), its
 * values in tensors and in scikit-learn's encoders, and failing allocations. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sklearn/sklearn.h"
#include "core/tensor/tensor.h"
#include "tests/pandas/recorded_tables.h"
#include "tests/support/files/file_support.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

static pd_DataFrame *table(void) {
    static const char text[] = "k,n,f,x\nb,3,1.5,1\na,1,,2\n,2,2.0,3\nb,3,1.5,4\nc,10,-1,5\n";
    return pd_read_csv_bytes(text, sizeof text - 1, .dtype = {{"k", "category"}});
}

static pd_Series *column(const char *name) {
    return pd_astype(pd_getitem(table(), name), "category");
}

static pd_Series *levels(void) {
    return pd_cat_set_categories(column("k"), ("c", "b"), .ordered = true);
}

static pd_Series *letters(void) {
    const char *names[26];
    for (int i = 0; i < 26; i++) names[i] = t_format("%c", 'a' + i);
    return pd_astype(pd_Series_of_texts(names, 26, NULL), "category");
}

static pd_Series *long_names(void) {
    const char *names[8];
    for (int i = 0; i < 8; i++) names[i] = t_format("long category name %d", i);
    return pd_astype(pd_Series_of_texts(names, 8, NULL), "category");
}

static pd_Series *times(void) {
    const char *const texts[] = {"2020-01-02", "2020-01-01"};
    return pd_astype(pd_to_datetime(pd_Series_of_texts(texts, 2, NULL)), "category");
}

/* ---- the recorded calls, in the order of record_pandas.py ---- */

enum { CATEGORY_CASES = 54 };

static const char *series_case(int i) {
    pd_DataFrame *df = table();
    pd_Series *s = pd_getitem(df, "k");
    switch (i) {
    case 1: return series_text(s);
    case 2: return series_text(column("n"));
    case 3: return series_text(column("f"));
    case 4: return series_text(pd_astype(pd_Series(t_tensor("[1, 0]", .dtype = t_bool), NULL), "category"));
    case 5: return series_text(levels());
    case 6: return series_text(pd_tail(letters(), 3));
    case 7: return series_text(pd_tail(pd_cat_as_ordered(letters()), 2));
    case 8: return series_text(long_names());
    case 9: return series_text(times());
    case 10: return series_text(pd_head(s, 0));
    case 11: return series_text(pd_dtypes(df));
    case 12: return series_text(pd_cat_categories(s));
    case 13: return series_text(pd_cat_categories(column("n")));
    case 14: return series_text(pd_Series(pd_codes(s), NULL));
    case 15: return series_text(pd_Series(pd_codes(levels()), NULL));
    case 16: return series_text(pd_cat_categories(pd_getitem(df, "x")));
    case 17: return series_text(pd_value_counts(s));
    case 18: return series_text(pd_value_counts(pd_head(s, 2)));
    case 19: return series_text(pd_value_counts(s, .dropna = false));
    case 20: return series_text(pd_value_counts(pd_head(s, 2), .normalize = true));
    case 21: return series_text(pd_value_counts(column("n"), .sort = false));
    case 25: return series_text(pd_groupby(df, "k", "x", mean));
    case 26: return series_text(pd_groupby(pd_head(df, 2), "k", "x", sum));
    case 29: return series_text(pd_astype(s, "str"));
    case 30: return series_text(pd_astype(column("n"), "int64"));
    case 31: return series_text(pd_astype(column("f"), "float64"));
    case 32: return series_text(pd_fillna(s, "a"));
    case 33: return series_text(pd_fillna(s, "z"));
    case 34: return series_text(pd_fillna(column("f"), 2.0));
    case 35: return series_text(pd_isna(s));
    case 36: return series_text(pd_describe(s));
    case 38: return series_text(pd_mode(s));
    case 39: return series_text(pd_Series_sort_values(s, true));
    case 40: return series_text(pd_Series_sort_values(levels(), true));
    case 41: return series_text(pd_getitem(pd_concat((df, df)), "k"));
    case 42: return series_text(pd_getitem(pd_concat((df, pd_read_csv_bytes("k\na\nz\n", 6))), "k"));
    case 49: {
        t_TensorDict *map = t_dict();
        t_dict_set(map, "a", 1);
        t_dict_set(map, "b", 2);
        return series_text(pd_map(s, map));
    }
    case 50:
        return series_text(
            pd_getitem(pd_read_csv_bytes("k,x\n10,1\n2,2\n,3\n", 16, .dtype = {{"k", "category"}}), "k"));
    case 52: return series_text(pd_getitem(pd_iloc(df, "1:3"), "k"));
    default: return NULL;
    }
}

static const char *category_case(int i) {
    const char *text = series_case(i);
    pd_DataFrame *df = table(), *few = pd_getitem(pd_head(df, 2), ("k", "x"));
    pd_Series *s = pd_getitem(df, "k");
    if (text) return text;
    switch (i) {
    case 0: return frame_text(df);
    case 22: return frame_text(pd_get_dummies(df));
    case 23: return frame_text(pd_get_dummies(pd_head(s, 2)));
    case 24: return frame_text(pd_get_dummies(levels(), .drop_first = true, .dtype = "int64"));
    case 27:
        pd_setitem(df, "k", levels());
        return frame_text(pd_groupby_agg(df, .by = {"k"}, .agg = {{"x", "sum", "x"}, {"x", "size", "n"}}));
    case 28: return frame_text(pd_groupby_agg(df, .by = {"n"}, .agg = {{"k", "first", "k"}, {"k", "count", "m"}}));
    case 37: return frame_text(pd_describe(df));
    case 43: return frame_text(pd_set_index(df, "k"));
    case 44: return frame_text(pd_getitem(df, pd_eq(s, "b")));
    case 45: return frame_text(pd_getitem(df, pd_eq(column("n"), 3)));
    case 46: return frame_text(pd_merge(df, few, .on = {"k"}));
    case 47: return frame_text(pd_merge(df, few, .on = {"k"}, .how = "outer"));
    case 48: return frame_text(pd_merge(df, pd_read_csv_bytes("k,y\na,1\nb,2\n", 12), .on = {"k"}));
    case 51: return frame_text(pd_select_dtypes(df, "category"));
    default: return frame_text(pd_sort_values(df, "k"));
    }
}

START_TEST(categories_are_as_in_pandas) {
    setenv("COLUMNS", "80", 1);
    for (int i = 0; i < CATEGORY_CASES; i++)
        with_scope () expect_recorded("category", i, category_case(i));
    report_notes();
}
END_TEST

/* ---- values ---- */

START_TEST(categories_have_values) {
    pd_Series *s = column("k"), *n = column("n");
    ck_assert_str_eq(pd_iat_text(s, 0), "b");
    ck_assert(!pd_iat_text(s, 2) && !t_error_message());
    ck_assert(pd_iat(n, 4) == 10);
    Tensor *values = pd_to_numpy(n), *wanted = pd_to_numpy(pd_getitem(table(), "n"));
    ck_assert(values->dtype == t_int64);
    ck_assert(t_equal(values, wanted));
    expect_refusal(isnan(pd_iat(s, 0)), "the series is of texts: pd_iat_text reads them");
    expect_refusal(isnan(pd_mean(n)), "'Categorical' with dtype category does not support operation 'mean'");
    expect_refusal(!pd_groupby_agg(table(), .by = {"n"}, .agg = {{"k", "min"}}),
                   "Cannot perform min with non-ordered Categorical");
    expect_refusal(!pd_cat_set_categories(s, ("a", "a")), "Categorical categories must be unique");
    pd_DataFrame *df = table();
    pd_setitem(df, "k", levels());
    ck_assert_str_eq(pd_iat_text(pd_getitem(pd_groupby_agg(df, .by = {"n"}, .agg = {{"k", "max"}}), "k"), 2), "b");
    size_t size;
    char *text = pd_to_csv_bytes(pd_getitem(df, ("k", "x")), &size, .index = false);
    ck_assert_str_eq(text, "k,x\nb,1\n,2\n,3\nb,4\nc,5\n");
    free(text);
}
END_TEST

START_TEST(encoders_take_categories) {
    pd_DataFrame *df = pd_getitem(pd_dropna(table(), .subset = {"k"}), ("k", )), *texts = pd_astype(df, "str");
    sklearn_LabelEncoder *label = sklearn_LabelEncoder();
    Tensor *a = sklearn_fit_transform(label, pd_getitem(df, "k")),
           *b = sklearn_fit_transform(label, pd_getitem(texts, "k"));
    ck_assert_msg(a && b && t_equal(a, b), "%s", t_error());
    sklearn_OneHotEncoder *hot = sklearn_OneHotEncoder();
    a = sklearn_fit_transform(hot, df);
    b = sklearn_fit_transform(hot, texts);
    ck_assert_msg(a && b && t_equal(a, b), "%s", t_error());
    sklearn_OrdinalEncoder *ordinal = sklearn_OrdinalEncoder();
    a = sklearn_fit_transform(ordinal, df);
    b = sklearn_fit_transform(ordinal, texts);
    ck_assert_msg(a && b && t_equal(a, b), "%s", t_error());
    pd_DataFrame *fewer = pd_head(df, 1);
    sklearn_fit_transform(hot, fewer);
    sklearn_fit_transform(ordinal, fewer);
    expect_refusal(!sklearn_transform(hot, df), "Found unknown categories ['a', 'c'] in column 0 during transform");
    expect_refusal(!sklearn_transform(ordinal, df), "Found unknown categories ['a', 'c'] in column 0 during transform");
    pd_Series *n = column("n"), *gaps = pd_shift(n, 1);
    sklearn_fit_transform(label, n);
    expect_refusal(!sklearn_transform(label, gaps), "Input y contains NaN.");
    expect_refusal(!sklearn_transform(label, pd_Series(t_tensor("[3, nan]"), NULL)), "Input y contains NaN.");
    expect_refusal(!sklearn_transform(label, pd_date_range("2020-01-01", .periods = 2)),
                   "the series is of times: pd_iat_text reads them");
}
END_TEST

/* ---- failing allocations ---- */

static bool work(void *which) {
    static const char text[] = "k,x\nb,1\na,2\n,3\n", other[] = "k,y\na,1\n";
    pd_DataFrame *df = (pd_read_csv_bytes)(text, sizeof text - 1, NULL);
    pd_Series *s = df ? pd_Series_astype(pd_DataFrame_getitem(df, "k"), "category") : NULL;
    if (!s || !pd_setitem_series(df, "k", s)) return false;
    switch (*(const int *)which) {
    case 0: return pd_DataFrame_str(df) && pd_Series_str(s);
    case 1: return pd_Series_value_counts(s, NULL) && pd_DataFrame_get_dummies(df, NULL);
    case 2: return pd_Series_fillna_text(s, "a") && pd_Series_eq(s, "a") && pd_Series_astype(s, "str");
    case 3: {
        const pd_DataFrame *both[] = {df, df};
        return pd_concat_of(both, 2, NULL) && (pd_cat_as_ordered)(s);
    }
    case 4: {
        pd_DataFrame *right = (pd_read_csv_bytes)(other, sizeof other - 1, NULL);
        return right && (pd_merge)(df, right, NULL);
    }
    default: {
        static const char *const names[] = {"b", "z"};
        return (pd_cat_set_categories)(s, names, 2, true) && (pd_cat_categories)(s) && pd_Series_codes(s);
    }
    }
}

START_TEST(each_allocation_may_fail) {
    for (int which = 0; which < 6; which++) refuse_all(t_format("category %d", which), work, NULL, &which);
    report_notes();
}
END_TEST

Suite *category_suite(void) {
    Suite *suite = suite_create("category");
    TCase *test = tcase_create("category");
    tcase_add_checked_fixture(test, support_setup, support_teardown);
    tcase_add_test(test, categories_are_as_in_pandas);
    tcase_add_test(test, categories_have_values);
    tcase_add_test(test, encoders_take_categories);
    tcase_add_test(test, each_allocation_may_fail);
    suite_add_tcase(suite, test);
    return suite;
}
