/* tests/pandas/test_genfromtxt_names.c: numpy.genfromtxt with names and dtype=None, against what numpy made of the same
 * texts and calls (tests/golden/genfromtxt_names.txt, record_genfromtxt_names.py). */
#include <stdio.h>
#include <string.h>

#include "core/pandas/column.h"
#include "core/pandas/pandas.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

static void ignore_error(const char *text, void *context) {
    (void)text;
    (void)context;
}

/* "a:int64 b:str / 1|x / 2|y", or the error. */
static const char *shown(const pd_DataFrame *df) {
    if (!df) {
        static const char memory[] = "the text in memory: ";
        const char *error = t_error_message(), *after = strstr(error, memory);
        const char *text = t_format("error: %s", after ? after + strlen(memory) : error);
        for (char *at = (char *)text; (at = strchr(at, '\n'));) *at = ';';
        t_clear_error();
        return text;
    }
    const char *text = "";
    for (int64_t i = 0; i < df->width; i++)
        text = t_format("%s%s%s:%s", text, i ? " " : "", df->items[i].name, tg_column_dtype(df->items[i].column));
    for (int64_t row = 0; row < df->len; row++)
        for (int64_t i = 0; i < df->width; i++) {
            const tg_Column *column = df->items[i].column;
            const char *between = i ? "|" : " / ";
            if (column->kind == tg_column_text)
                text = t_format("%s%s%s", text, between, tg_column_text_at(column, row));
            else if (column->values->dtype == t_float64)
                text = t_format("%s%s%.17g", text, between, tg_column_double(column, row));
            else
                text = t_format("%s%s%lld", text, between, (long long)tg_column_int64(column, row));
        }
    return text;
}

static FILE *recorded;
static int calls;
static void check(const char *call, const pd_DataFrame *df) {
    char line[1000] = "";
    ck_assert_ptr_nonnull(fgets(line, sizeof line, recorded));
    line[strcspn(line, "\n")] = '\0';
    const char *got = shown(df);
    if (strcmp(got, line) != 0) note("call %d, %s:\n    %s, not\n    %s", calls, call, got, line);
    calls++;
}
#define CHECK(text, ...) check(#text ", " #__VA_ARGS__, np_genfromtxt_names_bytes(text, sizeof text - 1, __VA_ARGS__))

START_TEST(frames_are_numpy_s) {
    recorded = fopen("tests/golden/genfromtxt_names.txt", "r");
    ck_assert_ptr_nonnull(recorded);
    t_set_error_handler(ignore_error, NULL);
    CHECK("a,b,c,d\n1,2.5,x,True\n-3,4,y z,false\n", .delimiter = ",");
    CHECK("# a b c\n1 2 3\n4 5 6\n", .comments = "#");
    CHECK("#a b#c d\n1 2 3\n", .comments = "#");
    CHECK("\n  # \n# x, y y ,x\n1,2,3 # note\n\n4,5,6\n", .delimiter = ",");
    CHECK("a,a,b,a,b\n1,2,3,4,5\n", .delimiter = ",");
    CHECK("return,file,print,Print\n1,2,3,4\n", .delimiter = ",");
    CHECK("x,,f0,,!?\n1,2,3,4,5\n", .delimiter = ",");
    CHECK("\"a b\",c-d,e.f,(g),h_1,é\n1,2,3,4,5,6\n", .delimiter = ",");
    CHECK("1 a\n2 b\n", .names = {"n", "s"});
    CHECK("1 a\n2 b\n", .names = {"a b", "a b", "more"});
    CHECK("1 a 2\n2 b 3\n", .has_names = false);
    CHECK("a,b\n1,\n,x\n", .delimiter = ",");
    CHECK("a,b,c\n1,,N\nN,x,True\n,-,\n", .delimiter = ",", .missing_values = {"N", "-"});
    CHECK("a,b,c\n1,,N\nN,2.5,True\n,-,\n", .delimiter = ",", .missing_values = {"N", "-"},
          .filling_values = np_values(7));
    CHECK("a,b,c\n1,,N\nN,2.5,True\n,-,\n", .delimiter = ",", .missing_values = {"N", "-"},
          .filling_values = np_values(5, 6.5));
    CHECK("a,b\n1,99999999999999999999\n9223372036854775807,-9223372036854775808\n", .delimiter = ",");
    CHECK("a,b,c\n1_000,1e3,inf\n+2, 7 ,nan\n", .delimiter = ",");
    CHECK("a,b\n x , y\nz,\n", .delimiter = ",");
    CHECK("a,b\n x , y\nz,\n", .delimiter = ",", .autostrip = true);
    CHECK("a b c\n1 a 3\n2 b 4\n", .use_names = {"c", "a"});
    CHECK("a b c\n1 a 3\n2 b 4\n", .usecols = np_columns(-1, 1));
    CHECK("1 a 3\n2 b 4\n", .names = {"p", "q"}, .usecols = np_columns(2, 0));
    CHECK("A b\n1 2\n", .case_sensitive = "upper");
    CHECK("A B b\n1 2 3\n", .case_sensitive = "lower");
    CHECK("a b_c\n1 2\n", .deletechars = "_");
    CHECK("a,b c\n1,2\n", .delimiter = ",", .replace_space = "::");
    CHECK("title\na b\n1 2\n3 4\n0.5 7\n", .skip_header = 1, .skip_footer = 1);
    CHECK("a b\n1 2\n3 4\n5 6\n", .max_rows = 2);
    CHECK("aabbb\n11222\n33444\n", .widths = np_columns(2, 3));
    CHECK("a b\n", .comments = "#");
    CHECK("a b\n1 2 3\n1 2\n1\n", .invalid_raise = false);
    CHECK("a b\n1 2 3\n1 2\n1\n", .comments = "#");
    CHECK(",a\n1\n2\n", .delimiter = ",");
    CHECK("a;b\nyes;x\nno;1\n", .delimiter = ";");
    CHECK("1,2\n", .delimiter = ",", .names = {"x"});
    CHECK("a,a_1,a\n1,2,3\n", .delimiter = ",");
    CHECK("a,b\n1,2\n", .delimiter = ",", .use_names = {"z"});
    CHECK("a,b\n1,2\n", .delimiter = ",", .usecols = np_columns(5));
    CHECK("", .comments = "#");
    CHECK("a b\n1 2\n", .case_sensitive = "x");
    CHECK("a b\n1 2\n", .max_rows = 0);
    CHECK("a b\n1 2\n", .max_rows = 1, .skip_footer = 1);
    t_set_error_handler(NULL, NULL);
    ck_assert_str_eq(shown(np_genfromtxt_names_bytes("a\n1\nx", 5, .comments = "#")), "a:str / 1 / x");
    ck_assert_int_eq(fgetc(recorded), EOF);
    fclose(recorded);
    report_notes();
}
END_TEST

/* More rows than the first array of fields holds, from a file. */
START_TEST(a_file_of_many_rows) {
    FILE *file = fopen("build/genfromtxt_names.txt", "w");
    fputs("# k half word\n", file);
    for (int i = 0; i < 1000; i++) fprintf(file, "%d %.1f w%d\n", i, i / 2.0, i);
    fclose(file);
    pd_DataFrame *df = np_genfromtxt_names("build/genfromtxt_names.txt");
    ck_assert_int_eq(df->len, 1000);
    ck_assert_int_eq(tg_column_int64(df->items[0].column, 999), 999);
    ck_assert(tg_column_double(df->items[1].column, 999) == 499.5);
    ck_assert_str_eq(tg_column_text_at(df->items[2].column, 999), "w999");
    remove("build/genfromtxt_names.txt");
}
END_TEST

START_TEST(what_is_no_text_is_refused) {
    expect_refusal(!(np_genfromtxt_names_bytes)("a b\n1 x\n2 \xff\n", 12, NULL),
                   "the text in memory: row 1: 'utf-8' codec can't decode byte 0xff in position 0 of a field");
    expect_refusal(!(np_genfromtxt_names_bytes)("a b\n1 x\n2 \0\n", 12, NULL),
                   "the text in memory: row 1: a field has a zero byte");
    expect_refusal(!(np_genfromtxt_names_bytes)("a \xff\n1 x\n", 8, NULL),
                   "the text in memory, line 1: the name of column 1 is not UTF-8");
    const pd_DataFrame *empty = np_genfromtxt_names_bytes("", 0, .names = {"a", "b"}); /* as numpy */
    ck_assert_msg(empty && empty->len == 0 && empty->width == 0, "%s", t_error());
    expect_refusal(!(np_genfromtxt_names_bytes)("", 0, NULL), "the text in memory: list index out of range");
    np_GenfromtxtNamesOptions o = {NP_GENFROMTXT_NAMES_DEFAULTS_, .names = {"a"}};
    o.has_names = false;
    expect_refusal(!(np_genfromtxt_names_bytes)("1", 1, &o), "names are given, but has_names is false");
}
END_TEST

static bool reads(void *with) {
    const char *text = with;
    const np_GenfromtxtNamesOptions o = {NP_GENFROMTXT_NAMES_DEFAULTS_, .use_names = {"c", "a", "b"}};
    return (np_genfromtxt_names_bytes)(text, strlen(text), &o) != NULL;
}

START_TEST(each_allocation_may_fail) {
    refuse_all("genfromtxt_names", reads, NULL, "# a b c d\n1 x 2.5 True\n2 y 3 False\n");
    report_notes();
}
END_TEST

Suite *genfromtxt_names_suite(void) {
    Suite *suite = suite_create("genfromtxt_names");
    TCase *test = tcase_create("genfromtxt_names");
    tcase_add_checked_fixture(test, support_setup, support_teardown);
    tcase_add_test(test, frames_are_numpy_s);
    tcase_add_test(test, a_file_of_many_rows);
    tcase_add_test(test, what_is_no_text_is_refused);
    tcase_add_test(test, each_allocation_may_fail);
    suite_add_tcase(suite, test);
    return suite;
}
