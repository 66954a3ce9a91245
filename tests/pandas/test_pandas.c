/* tests/pandas/test_pandas.c: what pandas reads from CSV texts, computes, prints and writes
 * (tests/golden/record_pandas.py), errors, files, failing allocations. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pandas/pandas.h"
#include "core/tensor/tensor.h"
#include "tests/support/files/file_support.h"
#include "tests/support/refusals.h"

/* ---- the recorded calls, in the order of record_pandas.py ---- */

#define READ(...)                                                                       \
    __extension__({                                                                     \
        T_OPTIONS_(pd_ReadCsvOptions, o, PD_READ_CSV_DEFAULTS_, T_TAIL_(__VA_ARGS__))   \
        (pd_read_csv_bytes)(T_HEAD_(__VA_ARGS__), sizeof T_HEAD_(__VA_ARGS__) - 1, &o); \
    })

enum { READ_CASES = 87 };

static pd_DataFrame *read_case(int i) {
    switch (i) {
    case 0: return READ("a,b,c\n1,2.5,x\n3,,y\n");
    case 1: return READ("a,b,c\n1,2,3\n4,5,6,7\n");
    case 2: return READ("a,b,c\n1,2,3\n4,5\n");
    case 3: return READ("a,b,c\n1,2,3,9\n4,5,6,8\n");
    case 4: return READ("a,b\n1,2\n3,4,5\n");
    case 5: return READ("1,2\n3,4\n", .header = T_NONE);
    case 6: return READ("1,2\n3,4,5\n", .header = T_NONE);
    case 7: return READ("1,2\n3,4\n", .names = {"x", "y"});
    case 8: return READ("1,2\n3,4\n", .header = T_NONE, .names = {"x", "y", "z"});
    case 9: return READ("1,2,3\n3,4,3\n", .header = T_NONE, .names = {"x", "y"});
    case 10: return READ("a,b\n1,2\n3,4\n", .names = {"x", "y"}, .header = 0);
    case 11: return READ("a,a,b,a\n1,2,3,4\n");
    case 12: return READ("a,,b\n1,2,3\n");
    case 13: return READ("a,b\nTrue,false\nFALSE,TRUE\n");
    case 14: return READ("a,b\nTrue,1\nFALSE,\n");
    case 15: return READ("a,b\nTrue,\nFALSE,x\n,y\n");
    case 16: return READ("a,b\n,1\nTrue,2\n");
    case 17: return READ("a,b\nTrue,1\n1,2\n");
    case 18: return READ("a,b\n\"x\ny\",\"he said \"\"hi\"\"\"\n1,2\n");
    case 19: return READ("a,b\n\"x,1\n");
    case 20: return READ("a,b\r\n1,2\r\n3,4\r\n");
    case 21: return READ("a,b\r1,2\r3,4");
    case 22:
        return READ("\xef\xbb\xbf"
                    "a,b\n1,2\n");
    case 23: return READ("a b\n1 2\n", .sep = " ");
    case 24: return READ("a  b\n1   2\n 3 4 \n", .sep = "\\s+");
    case 25: return READ("a;b\n1;2\n", .sep = ";");
    case 26: return READ("a\tb\n1\t\n", .sep = "\t");
    case 27: return READ("a,b\n0x10,1e5\n2,inf\n3,-Infinity\n");
    case 28: return READ("a,b\n 1, x\n2 ,y \n");
    case 29: return READ("a,b\n1,NA\n2,n/a\n3,null\n4,None\n5,nan\n6,<NA>\n7,-\n");
    case 30: return READ("a,b\n1,NaN\n2,#N/A\n3,NULL\n4,-1.#IND\n5,2\n");
    case 31: return READ("a,b\n1,?\n2,3\n", .na_values = {"?"});
    case 32: return READ("a,b\n-999,?\n2,3\n", .na_values = {"?", "-999"});
    case 33: return READ("a,b\n1,?\n2,3\n", .na_values = {"?"}, .usecols = {"b"});
    case 34: return READ("a,b\n1,NA\n2,\n", .keep_default_na = false);
    case 35: return READ("a,b\n1,NA\n2,x\n", .na_filter = false);
    case 36: return READ("a,b,c\n1,2,3\n4,5,6,7\n", .usecols = {"c", "a"});
    case 37: return READ("a,b,c\n1,2,3\n", .usecols = {"z"});
    case 38: return READ("a,b,c\n1,2,3\n", .dtype = {{"a", "float64"}, {"b", "str"}});
    case 39: return READ("a,b\n1,1\n0,2\n", .dtype = {{NULL, "float32"}});
    case 40: return READ("a,b\n1,1\n0,0\n", .dtype = {{NULL, "bool"}});
    case 41: return READ("a,b,c\n1,,3\n", .dtype = {{"b", "int64"}});
    case 42: return READ("a,b,c\n1,x,3\n", .dtype = {{"b", "int64"}});
    case 43: return READ("a,b,c\n1,1.5,3\n", .dtype = {{"b", "int64"}});
    case 44: return READ("");
    case 45: return READ("a,b\n");
    case 46: return READ("\n\n");
    case 47: return READ("a,b\n1,2\n\n3,4\n  \n");
    case 48: return READ("a,b\n1,2\n\n3,4\n", .skip_blank_lines = false);
    case 49: return READ("x\na,b\n1,2\n", .skiprows = 1);
    case 50: return READ("a,b\n1,2\n3,4\n5,6\n", .nrows = 2);
    case 51: return READ("a,b\n1,2\n3,4\n6,6\n", .index_col = "b");
    case 52: return READ("a,b\nx,2\ny,4\n", .index_col = "a");
    case 53: return READ("#c\na,b\n1,2 #x\n3,4\n", .comment = '#');
    case 54: return READ("a,b\n1,2\n3,4,5\n6,7\n", .on_bad_lines = "skip");
    case 55: return READ("a,b\n1,2\nx,4,5\ny,7\n", .on_bad_lines = "skip");
    case 56: return READ("a,b\n'x,y',2\n", .quotechar = '\'');
    case 57: return READ("a,b\nx\\,y,2\n", .escapechar = '\\');
    case 58: return READ("a,b\n\"1\",\"2\"\n");
    case 59: return READ("a,b\n1_000,\"2\"\n");
    case 60: return READ("a,b\n\"1,000\",2\n\"12,345.5\",3\n", .thousands = ',');
    case 61: return READ("a;b\n1,5;2\n", .sep = ";", .decimal = ',');
    case 62: return READ("a,b\n1,2");
    case 63: return READ("a,b\n1.0,2.0\n3.0,1e-7\n");
    case 64: return READ("a,b\n1.0,123456789.123\n3.0,1e-7\n");
    case 65: return READ("a,b\n2020-01-01,x\n");
    case 66: return READ("a,b\n+1,-0\n");
    case 67: return READ("a,b\n1,2,\n3,4,\n");
    case 68: return READ("a,b\n1,2,\n3,4,\n", .index_col = PD_NO_INDEX);
    case 69: return READ("a,b\nyes,no\n", .true_values = {"yes"}, .false_values = {"no"});
    case 70: return READ("  a, b\n1, 2\n", .skipinitialspace = true);
    case 71: return READ("a,b\n,\n,\n");
    case 72: return READ("a,b\n1,\"x\"\"y\"z\n");
    case 73: return READ("a,b\n1,x\"y\"z\n");
    case 74: return READ("a\n1\n\"2\"3\n");
    case 75: return READ("a,b\n1e,.\n1e5e,.5\n");
    case 76: return READ("a,b\n1,2\n3\n");
    case 77: return READ("a,b\n1,2\n3,4\n", .header = 1);
    case 78: return READ("a,b\n1,2\n3,4\n", .header = 5);
    case 79: return READ("a\n1\n2\nx\n");
    case 80: return READ("a,b\n1.50,x\nTrue,y\n007,z\n");
    case 81: return READ("stadt,größe\nKöln,1.5\n東京,2\n");
    case 82: return READ("a\n\"\"\n\" \"\nx\n");
    case 83: return READ("a,b\n9223372036854775807,-9223372036854775808\n1,2\n");
    case 84: return READ("a,b\n9223372036854775808,1.5\n0.5,2\n");
    case 85: return READ("a,b\n\"x\n1,2\n");
    case 86: return READ("a,b\n1,2\n3,\"4\"\n5,NAN\n");
    default: return NULL;
    }
}

static const char titanic[] = "PassengerId,Survived,Pclass,Name,Sex,Age,SibSp,Fare,Embarked\n"
                              "1,0,3,\"Braund, Mr. Owen\",male,22,1,7.25,S\n"
                              "2,1,1,\"Cumings, Mrs. John\",female,38,1,71.2833,C\n"
                              "3,1,3,\"Heikkinen, Miss. Laina\",female,26,0,7.925,S\n"
                              "4,1,1,\"Futrelle, Mrs. Jacques\",female,35,1,53.1,\n"
                              "5,0,3,\"Allen, Mr. William\",male,,0,8.05,S\n"
                              "6,0,3,\"Moran, Mr. James\",male,,0,8.4583,Q\n"
                              "7,0,1,\"McCarthy, Mr. Timothy\",male,54,0,51.8625,S\n";

static pd_DataFrame *large(void) {
    Tensor *i = t_arange(100);
    t_TensorDict *d = t_dict();
    t_dict_set(d, "i", i);
    t_dict_set(d, "x", t_div(t_to(i, t_float64), 7));
    pd_DataFrame *df = pd_DataFrame(d);
    const char *texts[100];
    for (int n = 0; n < 100; n++) texts[n] = t_format("row %d", n);
    pd_setitem(df, "t", pd_Series_of_texts(texts, 100, "t"));
    pd_setitem(df, "y", t_mul(t_to(t_sub(i, 50), t_float64), 1e5));
    return df;
}

static pd_DataFrame *wide(void) {
    pd_DataFrame *df = pd_DataFrame(t_dict());
    for (int i = 0; i < 30; i++) pd_setitem(df, t_format("column%d", i), t_mul(t_arange(3.0, .dtype = t_float64), 1.5));
    return df;
}

static pd_DataFrame *numbers(const char *a, const char *b, const char *c) {
    pd_DataFrame *df = pd_DataFrame(t_dict());
    const char *const texts[] = {a, b, c}, *const names[] = {"v", "w", "z"};
    for (int i = 0; i < 3; i++)
        if (texts[i]) pd_setitem(df, names[i], t_tensor(texts[i], .dtype = t_float64));
    return df;
}

static pd_DataFrame *long_texts(void) {
    static const char x80[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    pd_DataFrame *df = pd_DataFrame(t_dict());
    pd_setitem(df, "t", pd_Series_of_texts((const char *const[]){x80, "short", "tab\tline\n"}, 3, "t"));
    pd_setitem(df, "u", pd_Series_of_texts((const char *const[]){"é", "日本", NULL}, 3, "u"));
    return df;
}

static pd_DataFrame *filled(pd_DataFrame *df) {
    df = pd_head(df, 100);
    pd_setitem(df, "Age", pd_fillna(pd_getitem(df, "Age"), pd_median(pd_getitem(df, "Age"))));
    pd_Series *s = pd_getitem(df, "Embarked");
    pd_setitem(df, "Embarked", pd_fillna(s, pd_iat_text(pd_mode(s), 0)));
    return df;
}

static t_TensorDict *codes(const char *a, const char *b) {
    t_TensorDict *d = t_dict();
    t_dict_set(d, a, 0);
    t_dict_set(d, b, 1);
    return d;
}

static pd_DataFrame *int8_and_bool(void) {
    pd_DataFrame *df = pd_DataFrame(t_dict());
    pd_setitem(df, "a", t_tensor("[1, -2]", .dtype = t_int8));
    pd_setitem(df, "b", t_tensor("[1, 0]", .dtype = t_bool));
    return df;
}

enum { OP_CASES = 68 };

static const char *op_case(int i) {
    pd_DataFrame *df = pd_read_csv_bytes(titanic, sizeof titanic - 1);
    pd_Series *s = pd_getitem(df, "Embarked"), *age = pd_getitem(df, "Age");
    switch (i) {
    case 0: return pd_str(df);
    case 1: return pd_str(pd_head(df, 2));
    case 2: return pd_str(pd_head(df, -5));
    case 3: return pd_str(pd_tail(df, 3));
    case 4: return pd_str(pd_describe(df));
    case 5: return pd_str(pd_describe(pd_getitem(df, ("Sex", "Name"))));
    case 6: return pd_str(pd_sum(pd_isna(df)));
    case 7: return pd_str(pd_isna(pd_getitem(df, ("Age", "Embarked"))));
    case 8: return pd_str(pd_dtypes(df));
    case 9: return pd_str(age);
    case 10: return pd_str(pd_getitem(df, "Sex"));
    case 11: return pd_str(pd_value_counts(s));
    case 12: return pd_str(pd_value_counts(s, .dropna = false));
    case 13: return pd_str(pd_value_counts(pd_getitem(df, "Pclass"), .normalize = true));
    case 14: return pd_str(pd_value_counts(age, .ascending = true));
    case 15: return pd_str(pd_describe(age));
    case 16: return pd_str(pd_describe(s));
    case 17: return pd_str(pd_get_dummies(df, .columns = {"Sex", "Embarked"}));
    case 18: return pd_str(pd_get_dummies(pd_drop(df, .columns = {"Name"}), .drop_first = true, .dtype = "int64"));
    case 19: return pd_str(pd_get_dummies(s, .dummy_na = true, .dtype = "float32"));
    case 20: return pd_str(pd_getitem(df, t_gt(pd_to_numpy(age), 30)));
    case 21: return pd_str(pd_sample(df, 3, .random_state = 0));
    case 22: return pd_str(pd_getitem(pd_sample(df, .frac = 1, .random_state = 42), "PassengerId"));
    case 23: return pd_str(pd_getitem(pd_sample(df, 5, .replace = true, .random_state = 1), "PassengerId"));
    case 24: return pd_str(pd_dropna(df));
    case 25: return pd_str(pd_dropna(df, .subset = {"Age"}));
    case 26: return pd_str(filled(df));
    case 27: return pd_str(pd_sort_values(df, "Age"));
    case 28: return pd_str(pd_getitem(pd_sort_values(df, "Fare", .ascending = false), "Fare"));
    case 29: return pd_str(pd_getitem(pd_sort_values(df, "Name"), "Name"));
    case 30: return pd_str(pd_groupby(df, "Sex", "Survived", mean));
    case 31: return pd_str(pd_groupby(df, "Pclass", "Age", count));
    case 32: return pd_str(pd_corr(df));
    case 33: return pd_str(pd_nunique(df));
    case 34: return pd_str(pd_mean(df));
    case 35: return pd_str(pd_std(df));
    case 36: return pd_str(pd_min(pd_getitem(df, ("Survived", "Pclass"))));
    case 37: return pd_str(pd_median(df));
    case 38: return pd_str(pd_map(pd_getitem(df, "Sex"), codes("male", "female")));
    case 39: return pd_str(pd_map(s, codes("S", "C")));
    case 40: return pd_str(pd_iloc(df, "1:4, :-1"));
    case 41: return pd_str(pd_iloc(df, ":, -1"));
    case 42: return pd_str(pd_take(df, t_tensor("[2, 0, 5]")));
    case 43: return pd_str(pd_drop(df, .index = t_tensor("[1, 3]")));
    case 44: return pd_str(pd_getitem(df, ("Fare", "Age")));
    case 45: return pd_str(pd_reset_index(pd_getitem(df, t_gt(pd_to_numpy(age), 30))));
    case 46: return pd_str(pd_reset_index(pd_getitem(df, t_gt(pd_to_numpy(age), 30)), .drop = true));
    case 47: return pd_str(pd_concat((pd_head(df, 2), pd_tail(df, 1))));
    case 48:
        df = pd_getitem(df, ("Age", ));
        return pd_str(pd_concat((pd_head(df, 2), pd_tail(df, 1)), .ignore_index = true));
    case 49: return pd_str(pd_head(pd_rename(df, "SibSp", "siblings"), 1));
    case 50: return pd_str(pd_astype(pd_getitem(df, ("Survived", "Fare")), "float32"));
    case 51: return pd_str(pd_astype(pd_getitem(df, "Fare"), "str"));
    case 52: return pd_str(pd_head(pd_select_dtypes(df, "number"), 2));
    case 53: {
        const double quantiles[] = {pd_quantile(age, 0.1), pd_quantile(pd_getitem(df, "Fare"), 0.9)};
        return pd_str(pd_Series(t_tensor(quantiles), NULL));
    }
    case 54: return pd_str(large());
    case 55: return pd_str(pd_getitem(large(), "x"));
    case 56: return pd_str(pd_getitem(large(), "t"));
    case 57: return pd_str(wide());
    case 58: return pd_str(numbers("[1e-10, 1, nan]", NULL, NULL));
    case 59: return pd_str(numbers("[1e10, 1]", "[1e16, -2.5]", "[123456.789, 0.001]"));
    case 60: return pd_str(numbers("[1e6, 1e5, 123456789]", "[0.1, 0.25, 100]", NULL));
    case 61: return pd_str(numbers("[inf, -2.5, nan]", NULL, NULL));
    case 62: return pd_str(long_texts());
    case 63: return pd_str(pd_head(df, 0));
    case 64: return pd_str(pd_head(age, 0));
    case 65: return pd_str(pd_mode(s));
    case 66: return pd_str(pd_Series(pd_to_numpy(pd_unique(pd_getitem(df, "Pclass"))), NULL));
    case 67: return pd_str(int8_and_bool());
    default: return NULL;
    }
}

/* ---- against pandas ---- */

/* The third line of a case, its result, without the quotes of a JSON text. */
static bool result_of(const char *name, int i, char *to, size_t size) {
    char key[40];
    snprintf(key, sizeof key, "%s %d", name, i);
    const char *at = golden_case(golden_file("pandas.txt"), key);
    ck_assert_msg(at != NULL, "%s is not recorded", key);
    for (int line = 0; line < 2; line++) at = strchr(at, '\n') + 1;
    const bool is_text = *at == '"';
    const size_t length = strcspn(at, "\n") - (is_text ? 2 : 0);
    char *out = to;
    ck_assert(length < size);
    for (const char *from = at + is_text, *end = from + length; from < end; from++) {
        if (*from == '\\') {
            from++;
            *out++ = *from == 'n' ? '\n' : *from == 't' ? '\t' : *from == 'r' ? '\r' : *from;
        } else {
            *out++ = *from;
        }
    }
    *out = '\0';
    return is_text;
}

static const char *described(const pd_DataFrame *df) {
    char dtypes[200] = "";
    for (int64_t i = 0; i < df->width; i++) {
        const char *dtype = pd_Series_dtype(pd_getitem(df, pd_column_name(df, i)));
        snprintf(dtypes + strlen(dtypes), sizeof dtypes - strlen(dtypes), "%s%s", i ? " " : "", dtype);
    }
    return t_format("%s\n%s", pd_str(df), dtypes);
}

static void at_80_columns(void) {
    setenv("COLUMNS", "80", 1);
}

START_TEST(texts_are_read_as_by_pandas) {
    char want[8000];
    at_80_columns();
    for (int i = 0; i < READ_CASES; i++)
        with_scope () {
            pd_DataFrame *df = read_case(i);
            const bool is_text = result_of("read", i, want, sizeof want);
            const char *got = df ? described(df) : t_error_message(), *end = want;
            if (df && df->len == 0)
                end = strrchr(want, '\n'), *(char *)end = '\0', got = pd_str(df); /* pandas: object */
            if (is_text) {
                if (!df || strcmp(got, want) != 0) note("read %d:\n%s\ninstead of\n%s", i, got, want);
            } else {
                const char *error = want + strlen("error: ");
                const size_t length = strlen(got), wanted = strlen(error);
                if (df || length < wanted || strcmp(got + length - wanted, error) != 0)
                    note("read %d: \"%s\" instead of the error \"%s\"", i, got, error);
                t_clear_error();
            }
        }
    report_notes();
}
END_TEST

START_TEST(operations_print_as_in_pandas) {
    char want[8000];
    at_80_columns();
    for (int i = 0; i < OP_CASES; i++)
        with_scope () {
            const char *got = op_case(i);
            result_of("op", i, want, sizeof want);
            if (!got || strcmp(got, want) != 0) note("op %d:\n%s\ninstead of\n%s", i, got ? got : t_error(), want);
            t_clear_error();
        }
    report_notes();
}
END_TEST

static char *csv_of(const pd_DataFrame *df, int i, size_t *size) {
    switch (i) {
    case 0: return pd_to_csv_bytes(df, size);
    case 1: return pd_to_csv_bytes(df, size, .index = false);
    case 2: return pd_to_csv_bytes(df, size, .index = false, .na_rep = "NA", .float_format = "%.2f");
    default: return pd_to_csv_bytes(df, size, .header = false, .sep = ";");
    }
}

START_TEST(csv_is_written_as_by_pandas) {
    static const char quoted[] = "a,b\n\"x,y\",\"line\nend\"\n\"he said \"\"hi\"\"\",1\n,2\n",
                      single[] = "a\n1.5\n\"\"\n2e-7\n",
                      times[] = "day,when\n2020-01-02,2020-01-02 10:00:00.5\n,2020-01-05 11:30:15.25\n";
    pd_DataFrame *const frames[] = {pd_read_csv_bytes(titanic, sizeof titanic - 1),
                                    pd_read_csv_bytes(quoted, sizeof quoted - 1),
                                    pd_read_csv_bytes(single, sizeof single - 1, .skip_blank_lines = false),
                                    pd_read_csv_bytes(times, sizeof times - 1, .parse_dates = {"day", "when"})};
    char want[8000];
    for (int i = 0; i < 16; i++) {
        size_t size = 0;
        char *got = csv_of(frames[i / 4], i % 4, &size);
        result_of("csv", i, want, sizeof want);
        if (!got || size != strlen(got) || strcmp(got, want) != 0)
            note("csv %d:\n%s\ninstead of\n%s", i, got ? got : t_error(), want);
        free(got);
    }
    report_notes();
}
END_TEST

/* ---- files ---- */

START_TEST(a_file_comes_back) {
    char path[100];
    in_folder(path, "x.csv");
    pd_DataFrame *df = pd_read_csv_bytes(titanic, sizeof titanic - 1);
    ck_assert(pd_to_csv(df, path, .index = false));
    pd_DataFrame *back = pd_read_csv(path);
    ck_assert_str_eq(pd_str(df), pd_str(back));
    in_folder(path, "x.csv.gz");
    ck_assert(pd_to_csv(df, path, .index = false));
    FILE *packed = fopen(path, "rb");
    ck_assert(packed && fgetc(packed) == 0x1f);
    fclose(packed);
    ck_assert_str_eq(pd_str(df), pd_str(pd_read_csv(path)));
    ck_assert(pd_to_csv(df, path, .index = false, .compression = NULL));
    packed = fopen(path, "rb");
    ck_assert(packed && fgetc(packed) == 'P');
    fclose(packed);
    ck_assert(!pd_to_csv(df, "x.csv.zip") && strstr(t_error_message(), "the compression zip is not here, only gzip"));
    t_clear_error();
    ck_assert(!pd_to_csv(df, path, .compression = "x"));
    t_clear_error();
    in_folder(path, "x.csv");
    put_file(path, "a,b,c\n1,2,3\n\n4,5,6,7\n");
    ck_assert(!pd_read_csv(path));
    char want[200];
    snprintf(want, sizeof want, "%s: Error tokenizing data. C error: Expected 3 fields in line 4, saw 4", path);
    ck_assert_str_eq(t_error_message(), want);
    t_clear_error();
    put_file(path, "a,b\nx,caf\xe9\n");
    ck_assert(!pd_read_csv(path));
    snprintf(want, sizeof want, "%s, line 2: 'utf-8' codec can't decode byte 0xe9 in position 3 of a field", path);
    ck_assert_str_eq(t_error_message(), want);
    t_clear_error();
    for (int i = 1, failed = 1; failed; i++) {
        put_file(path, "old");
        set_faults((Faults){.fail_at = i, .reason = 28});
        const bool ok = pd_to_csv(df, path);
        failed = fault_reported(path);
        ck_assert(ok != (failed != 0));
        if (failed) expect_file(path, "old");
    }
}
END_TEST

/* More rows than the first block, types that change late, a column that is read again as texts. */
START_TEST(long_files_change_types_late) {
    enum { ROWS = 5000 };
    char *text = malloc(ROWS * 60), *at = text + sprintf(text, "i,x,late,flag,name\n");
    ck_assert(text != NULL);
    for (int i = 0; i < ROWS; i++)
        at += sprintf(at, "%d,%s%d.%d,%s%s,%s,\"n, %d\"\n", i - 7, i % 3 ? "" : "-", i, i % 10,
                      i == ROWS - 1 ? "x" : "0", i == ROWS - 1 ? "" : "07",
                      i == 4000 ? ""
                      : i % 2   ? "True"
                                : "False",
                      i);
    pd_DataFrame *df = pd_read_csv_bytes(text, (size_t)(at - text));
    ck_assert_msg(df && df->len == ROWS, "%s", t_error());
    ck_assert_str_eq(pd_Series_dtype(pd_getitem(df, "i")), "int64");
    ck_assert_str_eq(pd_Series_dtype(pd_getitem(df, "x")), "float64");
    ck_assert_str_eq(pd_Series_dtype(pd_getitem(df, "late")), "str");
    ck_assert_str_eq(pd_Series_dtype(pd_getitem(df, "flag")), "object");
    ck_assert_str_eq(pd_iat_text(pd_getitem(df, "late"), 5), "007");
    ck_assert_str_eq(pd_iat_text(pd_getitem(df, "name"), -1), "n, 4999");
    ck_assert(pd_iat(pd_getitem(df, "i"), 3000) == 2993 && pd_iat(pd_getitem(df, "x"), 3000) == -3000.0);
    ck_assert(isnan(pd_iat(pd_getitem(df, "flag"), 4000)) && pd_iat(pd_getitem(df, "flag"), 4001) == 1);
    free(text);
}
END_TEST

START_TEST(float32_is_written_shortest) {
    pd_DataFrame *df = pd_read_csv_bytes("a\n0\n-0.0\n0.1\n-3\n-40\n2e30\n", 25, .dtype = {{NULL, "float32"}});
    size_t length;
    char *text = pd_to_csv_bytes(df, &length, .index = false);
    ck_assert_msg(text != NULL, "%s", t_error());
    ck_assert_str_eq(text, "a\n0.0\n-0.0\n0.1\n-3.0\n-40.0\n2e+30\n");
    free(text);
}
END_TEST

/* ---- tensors ---- */

START_TEST(frames_become_tensors) {
    pd_DataFrame *df = pd_read_csv_bytes("a,b,c\n1,0.5,True\n2,,False\n", 26);
    Tensor *x = pd_to_numpy(pd_getitem(df, ("a", "b")));
    ck_assert(x && x->dtype == t_float64 && x->shape[0] == 2 && x->shape[1] == 2);
    ck_assert(t_item(t_at(x, "1, 0")) == 2 && isnan(t_item(t_at(x, "1, 1"))));
    x = pd_to_numpy(df, t_float32);
    ck_assert(x && x->dtype == t_float32 && t_item(t_at(x, "0, 2")) == 1);
    ck_assert(pd_to_numpy(pd_getitem(df, "a"))->dtype == t_int64);
    ck_assert(!pd_to_numpy(df) && strstr(t_error_message(), "objects"));
    t_clear_error();
    ck_assert(!pd_to_numpy(df, t_int64));
    ck_assert_str_eq(t_error_message(), "cannot convert column 'b' to int64: row 1 is missing");
    t_clear_error();
    const char *names[] = {"p", "q"};
    pd_DataFrame *made = pd_DataFrame(t_tensor("[[1, 2], [3, 4]]", .dtype = t_float16), .columns = {"p", "q"});
    ck_assert(t_equal(pd_to_numpy(made), t_tensor("[[1, 2], [3, 4]]", .dtype = t_float32)));
    ck_assert(t_equal(pd_to_numpy(pd_DataFrame_select(made, names, 2), t_bool), t_ones(2, 2, .dtype = t_bool)));
    ck_assert(t_equal(pd_codes(pd_Series_of_texts((const char *const[]){"b", NULL, "a", "b"}, 4, NULL)),
                      t_tensor("[1, -1, 0, 1]")));
    ck_assert(t_equal(pd_eq(pd_getitem(df, "a"), 2), t_tensor("[0, 1]", .dtype = t_bool)));
}
END_TEST

/* ---- errors ---- */

START_TEST(mistakes_have_pandas_texts) {
    pd_DataFrame *df = pd_read_csv_bytes("a,b\n1,x\n2,\n", 11);
    expect_refusal(!pd_getitem(df, "c"), "KeyError: 'c'");
    expect_refusal(!pd_getitem(df, ("a", "c")), "KeyError: 'c'");
    expect_refusal(!pd_drop(df, .columns = {"c"}), "\"['c'] not found in axis\"");
    expect_refusal(!pd_setitem(df, "c", t_ones(3)), "Length of values (3) does not match length of index (2)");
    expect_refusal(!pd_getitem(df, t_ones(3, .dtype = t_bool)), "Item wrong length 3 instead of 2.");
    expect_refusal(!pd_sample(df, 3), "Cannot take a larger sample than population when 'replace=False'");
    expect_refusal(!pd_astype(pd_getitem(df, "b"), "float64"), "could not convert string to float: 'x'");
    expect_refusal(!pd_astype(pd_getitem(df, "a"), "complex"), "data type 'complex' not understood");
    expect_refusal(!pd_take(df, t_tensor("[2]")), "index 2 is out of bounds for axis 0 with size 2");
    expect_refusal(isnan(pd_mean(pd_getitem(df, "b"))), "Cannot perform reduction 'mean' with string dtype");
    expect_refusal(!pd_sort_values(df, "z"), "KeyError: 'z'");
    ck_assert(!pd_read_csv("build/none.csv") && strstr(t_error_message(), "cannot open build/none.csv"));
    t_clear_error();
    expect_refusal(!pd_read_csv_bytes("a", 1, .sep = "a.b"),
                   "sep 'a.b' is a regular expression: a text of up to 15 characters and '\\s+' are supported");
    ck_assert(!pd_DataFrame_head(NULL, 1) && t_error());
    t_clear_error();
}
END_TEST

/* ---- failing allocations ---- */

static bool work(void *which) {
    static const char text[] = "i,x,t,b,l\n1,2.5,\"a,b\",True,1\n2,,c,False,2\n3,4,d,,x\n";
    pd_DataFrame *df = (pd_read_csv_bytes)(text, sizeof text - 1, NULL);
    if (!df) return false;
    switch (*(const int *)which) {
    case 0: return pd_DataFrame_str(df) != NULL;
    case 1: return pd_DataFrame_describe(df) != NULL;
    case 2: return pd_DataFrame_get_dummies(df, NULL) != NULL;
    case 3: return pd_DataFrame_dropna(df, NULL, 0) != NULL;
    case 4: return pd_DataFrame_sort_values(df, "t", false) != NULL;
    case 5: return pd_DataFrame_corr(df) != NULL;
    case 6: return pd_groupby_stat(df, "t", "x", pd_stat_mean) != NULL;
    case 7: return pd_setitem_number(df, "n", 1) && pd_setitem_text(df, "u", "v");
    default: {
        pd_Series *s = pd_DataFrame_getitem(df, "t");
        return s && pd_Series_value_counts(s, NULL) && pd_Series_factorize(s, true, NULL) && pd_Series_str(s);
    }
    }
}

START_TEST(each_allocation_may_fail) {
    for (int which = 0; which < 9; which++) refuse_all(t_format("pandas %d", which), work, NULL, &which);
    report_notes();
}
END_TEST

#define CSV(text, ...) pd_read_csv_bytes(text, strlen(text), __VA_ARGS__)

START_TEST(row_labels_lose_only_the_spaces_of_all) {
    ck_assert_str_eq(pd_str(CSV("k,v\n1,5\n10,6\n-4,7\n", .index_col = "k")), "     v\nk     \n 1   5\n 10  6\n-4   7");
    ck_assert_str_eq(pd_str(CSV("k,v\n1.5,5\n-2,6\n,7\n", .index_col = "k")),
                     "      v\nk      \n 1.5  5\n-2.0  6\n NaN  7");
    ck_assert_str_eq(pd_str(CSV("k,v\n1,5\n,6\n", .index_col = "k")), "     v\nk     \n1.0  5\nNaN  6");
    ck_assert_str_eq(pd_str(pd_getitem(CSV("k,v\n a,5\n  b,6\n", .index_col = "k"), "v")),
                     "k\na     5\n b    6\nName: v, dtype: int64");
    const pd_DataFrame *labels =
        pd_getitem(CSV("k,v\n1.5,5\n-2,6\n", .index_col = "k"), t_tensor("[1, 1]", .dtype = t_bool));
    ck_assert_str_eq(pd_str(pd_drop(labels, .columns = {"v"})), "Empty DataFrame\nColumns: []\nIndex: [1.5, -2.0]");
}
END_TEST

START_TEST(columns_are_chosen_by_number) {
    static const char text[] = ",a,b\n7,1,2\n8,3,4\n";
    ck_assert_str_eq(pd_str(CSV(text, .index_col = "0")), "   a  b\n7  1  2\n8  3  4");
    ck_assert_str_eq(pd_str(CSV(text, .usecols = {"2", "0"}, .index_col = "1")),
                     "   Unnamed: 0\nb            \n2           7\n4           8");
    ck_assert_str_eq(pd_str(CSV("1,0\n5,6\n", .usecols = {"1"})), "   1\n0  5"); /* a name comes first */
    expect_refusal(!CSV(text, .index_col = "3"), "the text in memory: Index 3 invalid");
    expect_refusal(!CSV(text, .usecols = {"a"}, .index_col = "b"), "the text in memory: Index b invalid");
    expect_refusal(!CSV(text, .usecols = {"a"}, .parse_dates = {"b"}),
                   "the text in memory: Missing column provided to 'parse_dates': 'b'");
}
END_TEST

/* Of the integers, bools and floats of a column a dtype takes those that it has. */
START_TEST(dtypes_change_no_value) {
    static const struct {
        const char *text, *dtype, *want;
    } cases[] = {
        {"a\n1\n0\n", "int8", "   a\n0  1\n1  0"},
        {"a\n1.0\n0.0\n", "int64", "   a\n0  1\n1  0"},
        {"a\nTrue\nFalse\n", "uint8", "   a\n0  1\n1  0"},
        {"a\n1\n0\n", "bool", "       a\n0   True\n1  False"},
        {"a\n300\n", "int8", "cannot safely convert passed user dtype of int8 for int64 dtyped data in column 0"},
        {"a\n-1\n", "uint8", "cannot safely convert passed user dtype of uint8 for int64 dtyped data in column 0"},
        {"a\n1.5\n", "int64", "cannot safely convert passed user dtype of int64 for float64 dtyped data in column 0"},
        {"a\n1e400\n", "int32", "cannot safely convert passed user dtype of int32 for float64 dtyped data in column 0"},
        {"a\n2\n", "bool", "cannot safely convert passed user dtype of bool for int64 dtyped data in column 0"},
        {"a,b\n1,2\n,3\n", "int64", "Integer column has NA values in column 0"},
        {"a,b\n1.5,2\n,3\n", "int64",
         "cannot safely convert passed user dtype of int64 for float64 dtyped data in column 0"},
        {"a,b\nTrue,2\n,3\n", "bool", "Bool column has NA values in column 0"},
        {"a,b\nTrue,2\n,3\n", "int8",
         "cannot safely convert passed user dtype of int8 for <class 'numpy.bool'> dtyped data in column 0 due to NA "
         "values"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const pd_DataFrame *df = CSV(cases[i].text, .usecols = {"a"}, .dtype = {{"a", cases[i].dtype}});
        if (df)
            ck_assert_str_eq(pd_str(df), cases[i].want);
        else
            expect_refusal(true, t_format("the text in memory: %s", cases[i].want));
    }
}
END_TEST

/* MovieLens' files, those of adult, and other separators of several characters. */
START_TEST(separators_of_several_characters) {
    ck_assert_str_eq(pd_str(CSV("1::1193::x y ::5\r\n\r\n 2::661::\"z\"::3 \r\n",
                                .sep = "::", .names = {"user", "movie", "t", "r"})),
                     "   user  movie     t  r\n0     1   1193  x y   5\n1     2    661   \"z\"  3");
    ck_assert_str_eq(pd_str(CSV("a:::b\n1::2\n3", .sep = "::")), "   a   :b\n0  1  2.0\n1  3  NaN");
    ck_assert_str_eq(pd_str(CSV("a, b\n 1, x \n", .sep = ", ")), "   a  b\n0  1  x");
    ck_assert_str_eq(pd_str(CSV("a||b\n1||\037\n", .sep = "\\|\\|")), "   a  b\n0  1  \037");
    expect_refusal(!CSV("a::b\n1::2\n1::2::3\n", .sep = "::"),
                   "the text in memory: Error tokenizing data. C error: Expected 2 fields in line 3, saw 3");
}
END_TEST

START_TEST(texts_in_other_encodings) {
    expect_refusal(!pd_read_csv_bytes("a\nx\0\n", 5, .encoding = "latin-1"),
                   "the text in memory, line 2: a field has a zero byte");
    ck_assert_str_eq(pd_str(CSV("a\n\xe4\xff\x80\n", .encoding = "latin-1")), "     a\n0  \303\244\303\277\302\200");
    ck_assert_str_eq(pd_str(CSV("\xe4::b\n\x93x\x94::\x80\n", .encoding = "Windows-1252", .sep = "::")),
                     "     \303\244  b\n0  \342\200\234x\342\200\235  \342\202\254");
    ck_assert_str_eq(pd_str(CSV("a\n\303\244\n", .encoding = "UTF_8")), "   a\n0  \303\244");
    expect_refusal(
        !CSV("a\n\x81\n", .encoding = "cp1252"),
        "the text in memory: 'cp1252' codec can't decode byte 0x81 in position 2: character maps to <undefined>");
    expect_refusal(!CSV("a\n1\n", .encoding = "utf-16"),
                   "unknown encoding: utf-16 (\"utf-8\", \"latin-1\" and \"cp1252\" are supported)");
}
END_TEST

START_TEST(str_and_object_columns) {
    const pd_DataFrame *none = CSV("a,b\n", .sep = ",");
    ck_assert_str_eq(pd_Series_dtype(pd_getitem(none, "a")), "object"); /* without rows */
    const pd_DataFrame *texts = pd_select_dtypes(CSV("a,b,c\n1,x,True\n", .sep = ","), "object");
    ck_assert(texts->width == 1 && strcmp(pd_column_name(texts, 0), "b") == 0);
}
END_TEST

START_TEST(statistics_of_infinite_and_smallest_values) {
    const pd_Series *s = pd_describe(pd_Series(t_tensor("[-inf, 1, 2, inf]", .dtype = t_float64), "s"));
    ck_assert(pd_iat(s, 3) == -INFINITY && pd_iat(s, 7) == INFINITY && isnan(pd_iat(s, 1)));
    ck_assert_str_eq(pd_iat_text(pd_astype(pd_Series(t_tensor("[5e-324]", .dtype = t_float64), "s"), "str"), 0),
                     "5e-324");
    const pd_DataFrame *df = CSV("x,y\n1,True\n2.5,False\n-3,True\n1000000,False\n0.001,True\n7,True\n", .sep = ","),
                       *corr = pd_corr(pd_astype(df, "float64"));
    ck_assert(pd_iat(pd_getitem(corr, "x"), 1) == pd_iat(pd_getitem(corr, "y"), 0));
}
END_TEST

Suite *pandas_suite(void) {
    Suite *suite = suite_create("pandas");
    TCase *test = tcase_create("pandas");
    tcase_add_checked_fixture(test, folder_setup, folder_teardown);
    tcase_add_test(test, texts_are_read_as_by_pandas);
    tcase_add_test(test, operations_print_as_in_pandas);
    tcase_add_test(test, csv_is_written_as_by_pandas);
    tcase_add_test(test, a_file_comes_back);
    tcase_add_test(test, long_files_change_types_late);
    tcase_add_test(test, float32_is_written_shortest);
    tcase_add_test(test, frames_become_tensors);
    tcase_add_test(test, mistakes_have_pandas_texts);
    tcase_add_test(test, row_labels_lose_only_the_spaces_of_all);
    tcase_add_test(test, columns_are_chosen_by_number);
    tcase_add_test(test, dtypes_change_no_value);
    tcase_add_test(test, separators_of_several_characters);
    tcase_add_test(test, texts_in_other_encodings);
    tcase_add_test(test, str_and_object_columns);
    tcase_add_test(test, statistics_of_infinite_and_smallest_values);
    tcase_add_test(test, each_allocation_may_fail);
    suite_add_tcase(suite, test);
    return suite;
}
