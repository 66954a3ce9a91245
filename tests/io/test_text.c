/* tests/io/test_text.c: numpy's loadtxt, genfromtxt and savetxt against what numpy made of the same texts and calls
 * (tests/golden/record_text.py), files, failing allocations; decimal numbers against strtod. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/io/text/decimal.h"
#include "core/tensor/tensor.h"
#include "tests/support/files/file_support.h"

/* ---- the recorded calls, in the order of record_text.py ---- */

#define CALL(f, type, defaults, ...)                                    \
    __extension__({                                                     \
        T_OPTIONS_(type, o, defaults, T_TAIL_(__VA_ARGS__))             \
        (f)(T_HEAD_(__VA_ARGS__), sizeof T_HEAD_(__VA_ARGS__) - 1, &o); \
    })
#define LOADTXT(...) CALL(np_loadtxt_bytes, np_LoadtxtOptions, NP_LOADTXT_DEFAULTS_, __VA_ARGS__)
#define GENFROMTXT(...) CALL(np_genfromtxt_bytes, np_GenfromtxtOptions, NP_GENFROMTXT_DEFAULTS_, __VA_ARGS__)

static Tensor *grid64(void) {
    return t_tensor("[[1.5, -2.25, 3e10], [0.1, 1e-5, nan]]", .dtype = t_float64);
}
static Tensor *grid32(void) {
    return t_float(grid64());
}

enum { LOADTXT_CASES = 78, GENFROMTXT_CASES = 37, SAVETXT_CASES = 27 };

#define LONG "abcdefghijklmnopqrstuvwxyz0123456789"

static Tensor *loadtxt_case(int i) {
    switch (i) {
    case 0: return LOADTXT("1 2 3\n4 5 6\n");
    case 1: return LOADTXT("1 2 3\n4 5\n");
    case 2: return LOADTXT("1 2 3\n4 5 x\n");
    case 3: return LOADTXT("1,2,3\n4,5,\n", .delimiter = ",");
    case 4: return LOADTXT("# c\n\n1 2 # x\n\n3 4\n");
    case 5: return LOADTXT("a b\n1 2\n", .skiprows = 1);
    case 6: return LOADTXT("1 2\n3 4\n", .usecols = np_columns(1));
    case 7: return LOADTXT("1 2\n3 4\n", .usecols = np_columns(5));
    case 8: return LOADTXT("1 2\n3 4\n", .usecols = np_columns(-1, 0));
    case 9: return LOADTXT("1 2\n3 4\n", .usecols = np_columns(-3, 0));
    case 10: return LOADTXT("1 2\n3 4\n", .max_rows = 1);
    case 11: return LOADTXT("1 2\n3 4\n", .ndmin = 2, .usecols = np_columns(0));
    case 12: return LOADTXT("5\n");
    case 13: return LOADTXT("5\n", .ndmin = 1);
    case 14: return LOADTXT("5\n", .ndmin = 2);
    case 15: return LOADTXT("1 2\n3 4\n", .dtype = t_int64);
    case 16: return LOADTXT("1.5 2\n3 4\n", .dtype = t_int64);
    case 17: return LOADTXT("1e3 2\n3 4\n", .dtype = t_int64);
    case 18: return LOADTXT("1_000 2\n3 4\n");
    case 19: return LOADTXT("nan inf -inf infinity NaN -nan\n");
    case 20: return LOADTXT("1 0x10\n");
    case 21: return LOADTXT("1 1d5\n");
    case 22: return LOADTXT("");
    case 23: return LOADTXT("", .ndmin = 2);
    case 24: return LOADTXT("# only\n", .usecols = np_columns(0, 1), .ndmin = 2);
    case 25: return LOADTXT("  1  2 \n 3   4\n", .delimiter = " ");
    case 26: return LOADTXT("1;2\n", .delimiter = ";;");
    case 27: return LOADTXT("\"1\",\"2\"\n", .delimiter = ",", .quotechar = "\"");
    case 28: return LOADTXT("\"1\n\",\"2\"\n3,4\n", .delimiter = ",", .quotechar = "\"");
    case 29: return LOADTXT("\"1\"\"\",\"2\"\n", .delimiter = ",", .quotechar = "\"");
    case 30: return LOADTXT("\"1\"2 \"3\"\n", .quotechar = "\"");
    case 31: return LOADTXT("1 2\r\n3 4\r\n5 6");
    case 32: return LOADTXT("1\t2\v3\f4\n");
    case 33: return LOADTXT("True False\n", .dtype = t_bool);
    case 34: return LOADTXT("1 0 2\n", .dtype = t_bool);
    case 35: return LOADTXT("300 0\n", .dtype = t_uint8);
    case 36: return LOADTXT("-1 0\n", .dtype = t_uint8);
    case 37: return LOADTXT("255 0\n", .dtype = t_uint8);
    case 38: return LOADTXT("-128 127\n", .dtype = t_int8);
    case 39: return LOADTXT("32768\n", .dtype = t_int16);
    case 40: return LOADTXT("-2147483648 +5\n", .dtype = t_int32);
    case 41: return LOADTXT("99999999999999999999 0\n", .dtype = t_int64);
    case 42: return LOADTXT("9223372036854775807 -9223372036854775808\n", .dtype = t_int64);
    case 43: return LOADTXT("1 2.00048828125 1e5\n3 4 5\n", .dtype = t_float16);
    case 44: return LOADTXT("0.1 16777217 1e39\n", .dtype = t_float32);
    case 45: return LOADTXT("1e400 2\n3 1e-400\n");
    case 46: return LOADTXT("1 , 2\n 3,4 \n", .delimiter = ",");
    case 47: return LOADTXT("1 2 3\n", .unpack = true);
    case 48: return LOADTXT("1 2 3\n4 5 6", .unpack = true);
    case 49: return LOADTXT("%1 2\n3 4", .comments = {"%"});
    case 50: return LOADTXT("1 2 // a\n3 4 %b", .comments = {"%", "//"});
    case 51: return LOADTXT("1 2\n3 4", .comments = {NULL});
    case 52: return LOADTXT("1 #2\n", .comments = {NULL});
    case 53: return LOADTXT("1 2\n3 4", .skiprows = 5);
    case 54: return LOADTXT("1 2\n3 4", .skiprows = 1, .max_rows = 1);
    case 55: return LOADTXT("1 2\n3 4", .delimiter = "#");
    case 56: return LOADTXT("1 2\n3 4", .delimiter = "\n");
    case 57: return LOADTXT("1,2\n\n3,4", .delimiter = ",");
    case 58: return LOADTXT("1,2\n \n3,4", .delimiter = ",");
    case 59: return LOADTXT("+1 2.\n .5 1.e3");
    case 60: return LOADTXT("é 2\n");
    case 61: return LOADTXT("1 2\n3 4", .usecols = np_columns(1, 1));
    case 62: return LOADTXT("1,2,3\n4,5\n6,7,8\n", .delimiter = ",", .usecols = np_columns(0, 1));
    case 63: return LOADTXT("1,2,3\n4\n6,7,8\n", .delimiter = ",", .usecols = np_columns(0, 1));
    case 64: return LOADTXT("1,2\n3,a'b\n", .delimiter = ",");
    case 65: return LOADTXT("1,2\n3,a\tb\n", .delimiter = ",");
    case 66: return LOADTXT("1,2,3\n6,7," LONG LONG LONG "\n", .delimiter = ",");
    case 67: return LOADTXT("1 2\n3 4", .ndmin = 3);
    case 68: return LOADTXT("1 2\n", .skiprows = -1);
    case 69: return LOADTXT("1 2\n", .comments = {""});
    case 70: return LOADTXT("1,2\n", .delimiter = ",", .quotechar = ",");
    case 71: return LOADTXT("1,2\n", .quotechar = "\n");
    case 72: return LOADTXT("1,2\n", .comments = {"\n"});
    case 73: return LOADTXT("1,2\n", .comments = {"'"}, .quotechar = "'");
    case 74: return LOADTXT("1/2 3\n", .comments = {"//"});
    case 75: return LOADTXT("1,a\\b\n", .delimiter = ",");
    case 76: return LOADTXT("1,a\001b\177\n", .delimiter = ",");
    case 77: return LOADTXT("1 2\n", .comments = {"#", "//"}, .quotechar = "'");
    default: return NULL;
    }
}

static Tensor *genfromtxt_case(int i) {
    switch (i) {
    case 0: return GENFROMTXT("1,2,3\n4,,6\n", .delimiter = ",");
    case 1: return GENFROMTXT("1,2,3\n4,N/A,6\n", .delimiter = ",");
    case 2: return GENFROMTXT("1,2,3\n4,5\n6,7,8,9\n", .delimiter = ",");
    case 3: return GENFROMTXT("1,2,3\n4,5\n6,7,8,9\n7,8,9\n", .delimiter = ",", .invalid_raise = false);
    case 4: return GENFROMTXT("1,2,3\n4,,6\n", .delimiter = ",", .filling_values = np_values(-1));
    case 5: return GENFROMTXT("1;2;3\n;;6\n", .delimiter = ";", .filling_values = np_values(7, 8));
    case 6:
        return GENFROMTXT("1,2,3\n4,N/A,6\n", .delimiter = ",", .missing_values = {"N/A"},
                          .filling_values = np_values(0), .loose = false);
    case 7:
        return GENFROMTXT("1,2,3\n4,xx,6\n", .delimiter = ",", .missing_values = {"N/A"},
                          .filling_values = np_values(0), .loose = false);
    case 8: return GENFROMTXT("a,b,c\n1,2,3\n4,5,6\n", .delimiter = ",", .skip_header = 1);
    case 9: return GENFROMTXT("a,b,c\n1,2,3\n4,5,6\nfoo\n", .delimiter = ",", .skip_header = 1, .skip_footer = 1);
    case 10: return GENFROMTXT("1,2,3\n4,,6\n", .delimiter = ",", .dtype = t_int64);
    case 11: return GENFROMTXT("1,2,3\n4,5.5,6\n", .delimiter = ",", .dtype = t_int64);
    case 12: return GENFROMTXT("1,2,3\n4,x,6\n", .delimiter = ",", .dtype = t_int32, .filling_values = np_values(3));
    case 13: return GENFROMTXT("1,2,3\n4,5,6\n", .delimiter = ",", .usecols = np_columns(0, -1));
    case 14: return GENFROMTXT("1,2,3\n4,5,6\n", .delimiter = ",", .usecols = np_columns(7));
    case 15: return GENFROMTXT("112233\n445566\n", .widths = np_columns(2));
    case 16: return GENFROMTXT("1 22333\n4 55666\n", .widths = np_columns(2, 2, 3));
    case 17: return GENFROMTXT("1 2 3\n\n# x\n4 5 6 # y\n");
    case 18: return GENFROMTXT("");
    case 19: return GENFROMTXT("1,2,3\n4,5,6\n", .delimiter = ",", .max_rows = 1);
    case 20: return GENFROMTXT("1,2,3\n4,5,6\n", .delimiter = ",", .unpack = true);
    case 21: return GENFROMTXT("tRUe,1,x,0,False,\n", .delimiter = ",", .dtype = t_bool);
    case 22: return GENFROMTXT(" 1 , 2\n", .delimiter = ",");
    case 23: return GENFROMTXT("1_0,2_,_2,1__0\n", .delimiter = ",");
    case 24: return GENFROMTXT("1,2\n", .delimiter = ",", .ndmin = 2);
    case 25: return GENFROMTXT("inf,1e5,-nan,+Inf\n", .delimiter = ",");
    case 26: return GENFROMTXT("5\n6\n");
    case 27: return GENFROMTXT("5\n");
    case 28: return GENFROMTXT("1,2,3\n4,5\n", .delimiter = ",", .usecols = np_columns(0, 1));
    case 29: return GENFROMTXT("1\t\t3\n4\t5\t6\n", .delimiter = "\t");
    case 30: return GENFROMTXT("1,2,3\n4,5,6\n", .delimiter = ",", .max_rows = 1, .skip_footer = 1);
    case 31: return GENFROMTXT("1,2,3\n4,5,6\n", .delimiter = ",", .max_rows = 0);
    case 32: return GENFROMTXT("1::2::3\n4::5::\n", .delimiter = "::");
    case 33: return GENFROMTXT("1,2,3\n4,5,6\n7,8,9\n", .delimiter = ",", .skip_footer = 2);
    case 34: return GENFROMTXT("% c\n1,2%x\n", .delimiter = ",", .comments = "%");
    case 35: return GENFROMTXT("1,2\r\n3,4\r\n", .delimiter = ",");
    case 36: return GENFROMTXT("1,300\n", .delimiter = ",", .dtype = t_int8);
    default: return NULL;
    }
}

static char *savetxt_case(int i, size_t *n) {
    switch (i) {
    case 0: return np_savetxt_bytes(grid64(), n);
    case 1: return np_savetxt_bytes(grid64(), n, .fmt = {"%.3f"}, .delimiter = ",");
    case 2: return np_savetxt_bytes(grid64(), n, .fmt = {"%g"});
    case 3: return np_savetxt_bytes(grid64(), n, .fmt = {"%10.5e|"}, .newline = "\r\n");
    case 4: return np_savetxt_bytes(grid64(), n, .fmt = {"%.1f", "%5.2f", "%G"}, .delimiter = ";");
    case 5: return np_savetxt_bytes(grid64(), n, .fmt = {"%.1f: %+5.2f (%e)"});
    case 6: return np_savetxt_bytes(grid64(), n, .fmt = {"%s"}, .header = "a\nb", .footer = "end");
    case 7: return np_savetxt_bytes(grid64(), n, .fmt = {"%s"}, .header = "a,b,c", .comments = "");
    case 8: return np_savetxt_bytes(grid32(), n, .fmt = {"%s"});
    case 9: return np_savetxt_bytes(grid64(), n, .fmt = {"%d", "%d"});
    case 10: return np_savetxt_bytes(grid64(), n, .fmt = {"%d %d"});
    case 11: return np_savetxt_bytes(t_tensor("[1, -2, 30]", .dtype = t_int64), n, .fmt = {"%d"});
    case 12: return np_savetxt_bytes(t_tensor("[1, -2, 30]", .dtype = t_int64), n, .fmt = {"%05d"});
    case 13: return np_savetxt_bytes(t_tensor("[1, -2, 30]", .dtype = t_int64), n, .fmt = {"%-6i|"});
    case 14: return np_savetxt_bytes(t_tensor("[1, 2, 30]", .dtype = t_int64), n, .fmt = {"%x"});
    case 15: return np_savetxt_bytes(t_tensor("[-1, 2, 30]", .dtype = t_int64), n, .fmt = {"%o"});
    case 16: return np_savetxt_bytes(t_tensor("[1, 2, 30]", .dtype = t_int64), n);
    case 17: return np_savetxt_bytes(t_tensor("[1.9, -1.9, 1e+20]", .dtype = t_float64), n, .fmt = {"%d"});
    case 18: return np_savetxt_bytes(t_tensor("[1.9, 2]", .dtype = t_float64), n, .fmt = {"%x"});
    case 19: return np_savetxt_bytes(t_tensor("[[1, 0]]", .dtype = t_bool), n, .fmt = {"%d"});
    case 20: return np_savetxt_bytes(t_tensor("[[1, 0]]", .dtype = t_bool), n, .fmt = {"%s"});
    case 21: return np_savetxt_bytes(t_tensor("[[65, 66]]", .dtype = t_int64), n, .fmt = {"%c"}, .delimiter = "");
    case 22: return np_savetxt_bytes(t_tensor("[inf, -inf, nan]", .dtype = t_float64), n, .fmt = {"%8.3f"});
    case 23: return np_savetxt_bytes(t_tensor("[[1, 2]]", .dtype = t_int64), n, .fmt = {"%d%%x"}, .delimiter = "");
    case 24: return np_savetxt_bytes(t_tensor("[[1, -2]]", .dtype = t_int64), n, .fmt = {"%d%%", "%d"});
    case 25: return np_savetxt_bytes(t_tensor("[1, -2]", .dtype = t_int64), n, .fmt = {"%s"});
    case 26: return np_savetxt_bytes(t_tensor("[1, -2]", .dtype = t_int64), n, .fmt = {"a %q"});
    default: return NULL;
    }
}

/* ---- against numpy ---- */

/* The third line of a case, its result. */
static void result_of(const char *name, int i, char *to, size_t size) {
    char key[40];
    snprintf(key, sizeof key, "%s %d", name, i);
    const char *at = golden_case(golden_file("text.txt"), key);
    ck_assert_msg(at != NULL, "%s is not recorded", key);
    for (int line = 0; line < 2; line++) at = strchr(at, '\n') + 1;
    snprintf(to, size, "%.*s", (int)strcspn(at, "\n"), at);
}

/* "\n" in a recorded error or text becomes a newline. */
static void unescape(char *text) {
    char *to = text;
    for (const char *at = text; *at; at++) {
        if (*at != '\\')
            *to++ = *at;
        else if (*++at == 'n')
            *to++ = '\n';
        else if (*at == 'r')
            *to++ = '\r';
        else
            *to++ = *at;
    }
    *to = '\0';
}

static void describe(Tensor *x, char *to, size_t size) {
    size_t n = (size_t)snprintf(to, size, "[");
    for (int d = 0; d < x->ndim; d++) n += (size_t)snprintf(to + n, size - n, "%s%d", d ? ", " : "", (int)x->shape[d]);
    n += (size_t)snprintf(to + n, size - n, "] %s: ", tg_dtype_name(x->dtype));
    double *values = values_of(x);
    for (int64_t i = 0; i < tg_numel(x); i++)
        n += (size_t)snprintf(to + n, size - n, "%s%.17g", i ? " " : "", isnan(values[i]) ? NAN : values[i]);
    free(values);
}

/* numpy's text stands at the end of ours, which begins with the text's name and the line. */
static void expect_case(const char *name, int i, Tensor *x) {
    char want[2000], got[2000];
    result_of(name, i, want, sizeof want);
    if (strncmp(want, "error: ", 7) != 0) {
        if (x) describe(x, got, sizeof got);
        if (!x || strcmp(got, want) != 0) note("%s %d: %s instead of %s", name, i, x ? got : t_error(), want);
        return;
    }
    unescape(want);
    const char *error = t_error_message();
    const size_t length = error ? strlen(error) : 0, wanted = strlen(want + 7);
    if (x || length < wanted || strcmp(error + length - wanted, want + 7) != 0)
        note("%s %d: \"%s\" instead of the error \"%s\"", name, i, x ? "a tensor" : error, want + 7);
    t_clear_error();
}

START_TEST(loadtxt_reads_as_numpy) {
    for (int i = 0; i < LOADTXT_CASES; i++)
        with_scope () expect_case("loadtxt", i, loadtxt_case(i));
    report_notes();
}
END_TEST

START_TEST(genfromtxt_reads_as_numpy) {
    for (int i = 0; i < GENFROMTXT_CASES; i++)
        with_scope () expect_case("genfromtxt", i, genfromtxt_case(i));
    report_notes();
}
END_TEST

START_TEST(savetxt_writes_as_numpy) {
    for (int i = 0; i < SAVETXT_CASES; i++) {
        char want[2000];
        size_t size = 0;
        char *got = savetxt_case(i, &size);
        result_of("savetxt", i, want, sizeof want);
        unescape(want);
        if (want[0] == '"') {
            want[strlen(want) - 1] = '\0';
            if (!got || size != strlen(got) || strcmp(got, want + 1) != 0)
                note("savetxt %d: %s instead of %s", i, got ? got : t_error(), want + 1);
        } else {
            /* numpy shows a list of formats as Python's */
            const char *error = t_error_message(), *text = want + strlen("error: ");
            const size_t same = strstr(text, "['") ? strcspn(text, "[") : strlen(text);
            if (got || !error || strncmp(error, text, same) != 0)
                note("savetxt %d: %s instead of %s", i, got ? got : error, text);
        }
        free(got);
        t_clear_error();
    }
    report_notes();
}
END_TEST

/* Python's integers, which C writes in another way: signs, prefixes and precision. Expected: numpy 2. */
START_TEST(savetxt_writes_integers_as_python) {
    static const struct {
        const char *format, *text;
        double value;
        bool is_real;
    } of[] = {
        {"%05x", "-00ff", -255, false},
        {"%#x", "-0xff", -255, false},
        {"%#o", "0o10", 8, false},
        {"%+x", "+ff", 255, false},
        {"%10.5d", "     00042", 42, false},
        {"%010.5d", "-000000042", -42, false},
        {"%-10.5d|", "00042     |", 42, false},
        {"%#d", "4", 4, false},
        {"% x", " a", 10, false},
        {"%.4X", "-00FF", -255, false},
        {"%#010x", "-0x00000ff", -255, false},
        {"%+5c", "    A", 65, false},
        {"%05c", "    A", 65, false},
        {"%-4c|", "A   |", 65, false},
        {"%c", "\0", 0, false},
        {"%+ d", "+5", 5, false},
        {"%.0d", "0", 0, false},
        {"%#o", "0o0", 0, false},
        {"%hd", "-3", -3, false},
        {"%-08x|", "a       |", 10, false},
        {"%.5d", "100000000000000000000", 1e20, true},
        {"%.30d", "-000000000100000000000000000000", -1e20, true},
        {"%+d", "+100000000000000000000", 1e20, true},
        {"%030d", "-00000000100000000000000000000", -1e20, true},
        {"%d", "0", -0.5, true},
        {"%.3i", "002", 2.9, true},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const size_t length = strcmp(of[i].format, "%c") == 0 ? 1 : strlen(of[i].text);
        size_t n = 0;
        Tensor *x = t_tensor("[0]", .dtype = of[i].is_real ? t_float64 : t_int64);
        char *text = np_savetxt_bytes(t_fill_(x, of[i].value), &n, .fmt = {of[i].format});
        ck_assert_ptr_nonnull(text);
        ck_assert_uint_eq(n, length + 1);
        ck_assert_msg(memcmp(text, of[i].text, length) == 0 && text[length] == '\n', "%s: %s", of[i].format, text);
        free(text);
    }
}
END_TEST

/* ---- files ---- */

START_TEST(an_error_names_file_and_line) {
    char path[100], want[200];
    in_folder(path, "x.csv");
    put_file(path, "a,b\n# comment\n1,2\n\n3,x\n");
    ck_assert(!np_loadtxt(path, .delimiter = ",", .skiprows = 1));
    snprintf(want, sizeof want, "%s, line 5: could not convert string 'x' to float64 at row 1, column 2.", path);
    ck_assert_str_eq(t_error_message(), want);
    t_clear_error();
    put_file(path, "1,2\n3\n");
    ck_assert(!np_genfromtxt(path, .delimiter = ","));
    snprintf(want, sizeof want, "%s: Some errors were detected !\n    Line #2 (got 1 columns instead of 2)", path);
    ck_assert_str_eq(t_error_message(), want);
    t_clear_error();
    in_folder(path, "none.csv");
    ck_assert(!np_loadtxt(path) && strstr(t_error_message(), "cannot open"));
    t_clear_error();
}
END_TEST

/* What Python's callers cannot write. */
START_TEST(arguments_without_items_are_refused) {
    size_t n;
    expect_refusal(!GENFROMTXT("12\n", .widths = np_columns(2, 0)), "widths[1] is 0, but must be positive");
    expect_refusal(!GENFROMTXT("12\n", .filling_values = {.len = 1}), "filling_values has no items");
    expect_refusal(!np_savetxt_bytes(t_ones(2), &n, .delimiter = NULL),
                   "delimiter, newline, header, footer and comments must be texts, but one is NULL");
}
END_TEST

START_TEST(what_is_saved_is_loaded) {
    char path[100];
    in_folder(path, "x.txt");
    for (int dtype = t_bool; dtype <= t_float64; dtype++) {
        Tensor *x = t_to(t_mul(t_sub(t_rand(7, 3, .dtype = t_float64), 0.3), 100), (t_DType)dtype);
        if (dtype == t_bfloat16) continue;
        const bool is_real = dtype >= t_float16;
        ck_assert_msg(np_savetxt(path, x, .fmt = is_real ? "%.18e" : "%d", .header = "a b c"), "%s", t_error());
        Tensor *y = np_loadtxt(path, .dtype = (t_DType)dtype);
        ck_assert_msg(y && t_equal(x, y), "%s", tg_dtype_name((t_DType)dtype));
        ck_assert(t_equal(t_transpose(x, 0, 1), np_loadtxt(path, .dtype = (t_DType)dtype, .unpack = true)));
        ck_assert(np_savetxt(path, t_transpose(x, 0, 1), .fmt = is_real ? "%.18e" : "%d"));
        ck_assert(t_equal(t_transpose(x, 0, 1), np_genfromtxt(path, .comments = NULL, .dtype = t_float64)) || !is_real);
    }
    ck_assert(!np_savetxt(path, t_zeros(2, 2, 2)));
    ck_assert_str_eq(t_error_message(), "Expected 1D or 2D array, got 3D array instead");
    t_clear_error();
    ck_assert(np_savetxt(path, t_zeros(0, 3)) && np_savetxt(path, t_zeros(3, 0)));
}
END_TEST

/* A disk that fails leaves the old file. */
START_TEST(a_failing_write_leaves_the_file) {
    char path[100];
    in_folder(path, "x.txt");
    put_file(path, "old");
    for (int i = 1, failed = 1; failed; i++) {
        set_faults((Faults){.fail_at = i, .reason = 28});
        const bool ok = np_savetxt(path, t_ones(40, 3));
        failed = fault_reported(path);
        ck_assert(ok != (failed != 0));
        if (failed) expect_file(path, "old");
    }
    ck_assert_int_eq(files_but("x.txt"), 0);
}
END_TEST

static void expect_gzip(const char *path) {
    FILE *file = fopen(path, "rb");
    ck_assert(file && fgetc(file) == 0x1f && fgetc(file) == 0x8b);
    fclose(file);
}

/* The ending .gz compresses, also where the disk fails. */
START_TEST(gz_is_compressed) {
    char path[100];
    in_folder(path, "x.gz");
    Tensor *x = t_rand(40, 3, .dtype = t_float64);
    ck_assert(np_savetxt(path, x) && t_equal(x, np_loadtxt(path)));
    expect_gzip(path);
    put_file(path, "old");
    for (int i = 1, failed = 1; failed; i++) {
        set_faults((Faults){.fail_at = i, .reason = 28});
        const bool ok = np_savetxt(path, x);
        failed = fault_reported(path);
        ck_assert(ok != (failed != 0));
        if (failed) expect_file(path, "old");
    }
    expect_gzip(path);
    ck_assert_int_eq(files_but("x.gz"), 0);
}
END_TEST

/* ---- failing allocations ---- */

START_TEST(each_allocation_may_fail) {
    static const char text[] = "1,\"2\"\n3,\"4\"\n5,6\n";
    for (int which = 0; which < 3; which++)
        for (int64_t n = 1;; n++) {
            size_t size;
            char *saved = NULL;
            Tensor *ones = t_ones(3, 2);
            tg_alloc_fail(n, true);
            Tensor *x = which == 0   ? np_loadtxt_bytes(text, sizeof text - 1, .delimiter = ",", .quotechar = "\"")
                        : which == 1 ? np_genfromtxt_bytes(text, sizeof text - 1, .delimiter = ",", .skip_footer = 1)
                                     : NULL;
            if (which == 2) saved = np_savetxt_bytes(ones, &size, .fmt = {"%d", "%d"});
            tg_alloc_fail(0, false);
            const bool ok = x || saved;
            free(saved);
            ck_assert(ok == !t_error());
            t_clear_error();
            if (ok) break;
            ck_assert_int_lt(n, 100);
        }
}
END_TEST

/* ---- decimal numbers ---- */

static void expect_double(const char *text) {
    double got = 0, want = strtod(text, NULL);
    const char *end = text + strlen(text);
    if (tg_parse_double(text, end, '.', &got) != end || memcmp(&got, &want, sizeof got) != 0)
        note("%.60s is %a instead of %a", text, got, want);
}

/* Next to ties, at both ends of the range, with many digits; then random ones. */
START_TEST(decimals_are_rounded_to_nearest) {
    static const char *const texts[] = {"0",
                                        "-0",
                                        "0e999",
                                        "1e400",
                                        "-1e400",
                                        "1e-400",
                                        "1e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "2.2250738585072011e-308",
                                        "2.2250738585072014e-308",
                                        "1.7976931348623157e308",
                                        "1.7976931348623158e308",
                                        "1.7976931348623159e308",
                                        "9007199254740993",
                                        "9007199254740992.99999999999999999999",
                                        "9007199254740993.0000000001",
                                        "000000000000000000000000000000001.5",
                                        "0.00000000000000000000000000000000000000000001",
                                        "1.",
                                        ".5",
                                        "+5e-1",
                                        "1E+5",
                                        "123456789012345678901234567890",
                                        "8.5e15",
                                        "4503599627370497.5",
                                        "1e23",
                                        "9.5367431640625e-7",
                                        "1e22",
                                        "1e-22",
                                        "2.2250738585072012e-308",
                                        "5e-324",
                                        "7.2057594037927933e16",
                                        "-1.5e-5",
                                        "0.00012345678901234567890123456789",
                                        "0009007199254740992999999999999999.5e-12"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) expect_double(texts[i]);
    char text[2200];
    memset(text, '1', 1200);
    text[1200] = '\0';
    expect_double(text);
    strcpy(text + 1200, "e-1190");
    expect_double(text);
    strcpy(text, "9007199254740993.");
    memset(text + 17, '0', 900);
    strcpy(text + 917, "1"); /* the 917th digit decides */
    expect_double(text);
    uint64_t state = 1;
    for (int i = 0; i < 20000; i++) {
        uint64_t bits;
        double x;
        state = state * 6364136223846793005u + 1442695040888963407u;
        bits = state ^ state >> 29;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) continue;
        snprintf(text, sizeof text, "%.*e", (int)(state >> 40) % 22, x);
        expect_double(text);
        snprintf(text, sizeof text, "%.*f", (int)(state >> 40) % 12, ldexp(x, -ilogb(x) % 60));
        if (strlen(text) < 300) expect_double(text);
    }
    report_notes();
    double value;
    const char letter[] = "x", minus[] = "-";
    ck_assert(!tg_parse_double(letter, letter + 1, '.', &value));
    ck_assert(!tg_parse_double(minus, minus + 1, '.', &value));
    const char word[] = "-Infinityx", other[] = "1e", comma[] = "1,5";
    ck_assert(tg_parse_double(word, word + 10, '.', &value) == word + 9 && value == -INFINITY);
    ck_assert(tg_parse_double(other, other + 2, '.', &value) == other + 1 && value == 1);
    ck_assert(tg_parse_double(comma, comma + 3, ',', &value) == comma + 3 && value == 1.5);
}
END_TEST

Suite *text_suite(void) {
    Suite *suite = suite_create("text");
    TCase *test = tcase_create("text");
    tcase_add_checked_fixture(test, folder_setup, folder_teardown);
    tcase_add_test(test, loadtxt_reads_as_numpy);
    tcase_add_test(test, genfromtxt_reads_as_numpy);
    tcase_add_test(test, savetxt_writes_as_numpy);
    tcase_add_test(test, savetxt_writes_integers_as_python);
    tcase_add_test(test, an_error_names_file_and_line);
    tcase_add_test(test, arguments_without_items_are_refused);
    tcase_add_test(test, what_is_saved_is_loaded);
    tcase_add_test(test, a_failing_write_leaves_the_file);
    tcase_add_test(test, gz_is_compressed);
    tcase_add_test(test, each_allocation_may_fail);
    tcase_add_test(test, decimals_are_rounded_to_nearest);
    suite_add_tcase(suite, test);
    return suite;
}
