/* tests/fuzz/table_parsers.c: the readers of tables of text. The first bytes of an input choose the options. */
#include "tests/fuzz/table_parsers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/io.h"
#include "core/ops/ops.h"
#include "core/pandas/dataframe.h"
#include "core/pandas/io/genfromtxt.h"
#include "core/pandas/io/read_csv.h"
#include "core/tensor/error.h"
#include "tests/fuzz/support.h"

/* ---- options of the first bytes ---- */

static const t_DType dtypes[] = {t_float64, t_int64, t_float32, t_uint8, t_bool,
                                 t_float16, t_int8,  t_int16,   t_int32, t_bfloat16};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* Columns for usecols and widths; one list is empty. */
static const int64_t few[] = {0, -1}, far[] = {5}, sizes[] = {2, 3}, none[] = {0};
static const np_Columns columns[] = {{NULL, 0}, {few, 2}, {far, 1}, {NULL, 1}},
                        widths[] = {{NULL, 0}, {sizes, 1}, {sizes, 2}, {none, 1}};

/* A reader that refuses names the file, unless it refuses the options, which an empty file shows as well. */
static bool names_file(void) {
    return t_error_message() && strstr(t_error_message(), "memory");
}

static char refusal[400];

static bool is_about_options(bool read) {
    if (read || names_file()) return false;
    snprintf(refusal, sizeof refusal, "%s", t_error_message() ? t_error_message() : "none");
    return true;
}

static void check_refusal(const void *empty) {
    if (!empty && (names_file() || strncmp(refusal, t_error_message(), sizeof refusal - 1) == 0)) return;
    fprintf(stderr, "the message does not name the file: %s\n", refusal);
    abort();
}

enum { LOADTXT_OPTIONS = 6 };

t_TensorDict *fuzz_loadtxt(const uint8_t *data, size_t size) {
    static const char *const delimiters[] = {NULL, ",", "\t", ";", "ab", "\n", "#"};
    static const char *const quotes[] = {NULL, "\"", "'", ","};
    static const char *const comments[][2] = {{"#"}, {"#", "//"}, {NULL}, {"//"}, {"%"}, {""}};
    Choices c = {data, size < LOADTXT_OPTIONS ? size : LOADTXT_OPTIONS};
    np_LoadtxtOptions o = {NP_LOADTXT_DEFAULTS_};
    o.dtype = dtypes[choose(&c, DTYPES)];
    o.delimiter = delimiters[choose(&c, 7)];
    const int marks = choose(&c, 24);
    o.quotechar = quotes[marks % 4];
    memcpy(o.comments, comments[marks / 4], sizeof comments[0]);
    const int rows = choose(&c, 16);
    o.skiprows = rows % 4 == 3 ? -1 : rows % 4;
    o.max_rows = rows / 4 ? rows / 4 - 2 : T_NONE;
    o.usecols = columns[choose(&c, 4)];
    const int shape = choose(&c, 8);
    o.unpack = shape % 2;
    o.ndmin = shape / 2;
    Tensor *x = np_loadtxt_bytes(c.at, size - (size_t)(c.at - data), &o);
    if (is_about_options(x != NULL)) check_refusal(np_loadtxt_bytes("", 0, &o));
    return dict_of(x);
}

enum { GENFROMTXT_OPTIONS = 7 };

t_TensorDict *fuzz_genfromtxt(const uint8_t *data, size_t size) {
    static const double filling[] = {-1, 1e300};
    static const char *const delimiters[] = {NULL, ",", "::", "\t", ";"};
    static const char *const comments[] = {"#", "//", NULL, ""};
    static const np_Values values[] = {{NULL, 0}, {filling, 1}, {filling, 2}, {NULL, 1}};
    Choices c = {data, size < GENFROMTXT_OPTIONS ? size : GENFROMTXT_OPTIONS};
    np_GenfromtxtOptions o = {NP_GENFROMTXT_DEFAULTS_};
    o.dtype = dtypes[choose(&c, DTYPES)];
    o.delimiter = delimiters[choose(&c, 5)];
    o.comments = comments[choose(&c, 4)];
    o.usecols = columns[choose(&c, 4)];
    const int lists = choose(&c, 32);
    o.widths = widths[lists % 4];
    o.filling_values = values[lists / 4 % 4];
    if (lists / 16) o.missing_values[0] = "N/A";
    const int rows = choose(&c, 36);
    o.skip_header = rows % 3;
    o.skip_footer = rows / 3 % 3;
    o.max_rows = rows / 9 ? rows / 9 : T_NONE;
    const int flags = choose(&c, 24);
    o.loose = flags & 1;
    o.invalid_raise = flags & 2;
    o.unpack = flags & 4;
    o.ndmin = flags / 8;
    np_GenfromtxtNamesOptions names = {NP_GENFROMTXT_NAMES_DEFAULTS_};
    names.delimiter = o.delimiter;
    names.comments = o.comments;
    names.usecols = o.usecols;
    names.widths = o.widths;
    names.filling_values = o.filling_values;
    names.missing_values[0] = o.missing_values[0];
    names.skip_header = o.skip_header;
    names.skip_footer = o.skip_footer;
    names.max_rows = o.max_rows;
    names.has_names = o.loose;
    names.invalid_raise = o.invalid_raise;
    names.autostrip = o.unpack;
    if (o.ndmin == 1 && names.has_names) names.names[0] = "a";
    if (o.ndmin == 2 && names.has_names) names.use_names[0] = "b";
    np_genfromtxt_names_bytes(c.at, size - (size_t)(c.at - data), &names);
    t_clear_error();
    Tensor *x = np_genfromtxt_bytes(c.at, size - (size_t)(c.at - data), &o);
    if (is_about_options(x != NULL)) check_refusal(np_genfromtxt_bytes("", 0, &o));
    return dict_of(x);
}

/* ---- CSV ---- */

enum { CSV_OPTIONS = 8 };

static void choose_dates(Choices *c, pd_ReadCsvOptions *o) {
    static const char *const formats[] = {NULL, NULL, NULL, "%d.%m.%Y %H", "mixed", "ISO8601", "%q", "%j%y%f%z"};
    const int which = choose(c, 8);
    if (which) o->parse_dates[0] = "a";
    o->dayfirst = which == 2;
    o->date_format = formats[which];
}

static void choose_csv_options(Choices *c, pd_ReadCsvOptions *o) {
    static const char *const separators[] = {",", ";", "\\s+", "\t", "||", "", "\n", " "};
    static const int64_t headers[] = {PD_INFER, T_NONE, 0, 1, 5, -3};
    static const char *const actions[] = {"error", "skip", "warn", "other"};
    static const char *const dtype_names[] = {NULL, "int64", "str", "float32", "bool", "category", "uint8", "complex"};
    o->sep = separators[choose(c, 8)];
    o->header = headers[choose(c, 6)];
    o->on_bad_lines = actions[choose(c, 4)];
    const int flags = choose(c, 256);
    o->skipinitialspace = flags & 1;
    o->skip_blank_lines = !(flags & 2);
    o->keep_default_na = !(flags & 4);
    o->na_filter = !(flags & 8);
    o->doublequote = !(flags & 16);
    if (flags & 32) o->quotechar = '\0';
    if (flags & 64) o->na_values[0] = "-1", o->na_values[1] = "x";
    if (flags & 128) o->true_values[0] = "yes", o->false_values[0] = "no";
    const int marks = choose(c, 256);
    if (marks & 1) o->escapechar = '\\';
    if (marks & 2) o->comment = '#';
    if (marks & 4) o->thousands = '_';
    if (marks & 8) o->decimal = ',';
    if (marks & 16) o->comment = ',';
    if (marks & 32) o->skiprows = 1;
    if (marks & 64) o->nrows = 2;
    if (marks & 128) o->skiprows = -1;
    const int labels = choose(c, 64);
    o->index_col = labels % 4 == 0 ? NULL : labels % 4 == 1 ? PD_NO_INDEX : labels % 4 == 2 ? "a" : "z";
    if (labels / 4 % 4 == 1) o->names[0] = "a", o->names[1] = "b";
    if (labels / 4 % 4 == 2) o->names[0] = "a", o->names[1] = "a";
    if (labels / 16 % 4 == 1) o->usecols[0] = "a";
    if (labels / 16 % 4 == 2) o->usecols[0] = "b", o->usecols[1] = "c";
    const int types = choose(c, 128);
    o->dtype[0] = (pd_ColumnDType){NULL, dtype_names[types % 8]};
    if (types / 8 % 4 == 1) o->parse_dates[0] = "a";
    if (types / 8 % 4 == 2) o->parse_dates[0] = "b", o->parse_dates[1] = "a";
    if (types / 8 % 4 == 3) o->parse_dates[0] = "a", o->date_format = "%d.%m.%Y %H:%M";
    o->dayfirst = types / 32 % 2;
    if (o->dtype[0].dtype)
        o->dtype[1] = (pd_ColumnDType){"a", dtype_names[choose(c, 8)]};
    else
        choose_dates(c, o);
}

/* Through a compressed file: the same text. */
static bool write_and_read_file(const pd_DataFrame *df) {
    size_t counts[2];
    bool is_same = false;
    fuzz_folder();
    const char *path = fuzz_path_of("a.csv.gz");
    pd_ReadCsvOptions read = {PD_READ_CSV_DEFAULTS_};
    read.dtype[0] = (pd_ColumnDType){NULL, "str"};
    read.keep_default_na = read.na_filter = read.skip_blank_lines = false;
    read.index_col = PD_NO_INDEX;
    pd_ToCsvOptions write = {PD_TO_CSV_DEFAULTS_};
    write.index = false;
    pd_DataFrame *again = pd_to_csv(df, path, &write) ? pd_read_csv(path, &read) : NULL;
    char *text = again ? pd_to_csv_bytes(df, &counts[0], &write) : NULL;
    char *second = text ? pd_to_csv_bytes(again, &counts[1], &write) : NULL;
    is_same = second && counts[0] == counts[1] && memcmp(text, second, counts[0]) == 0;
    demand(is_same, "another text in the file");
    free(text);
    free(second);
    fuzz_remove();
    return is_same;
}

/* The columns read as texts, without missing values, are written as the same text again. False without memory. */
static bool write_and_read(const pd_DataFrame *df) {
    pd_ReadCsvOptions read = {PD_READ_CSV_DEFAULTS_};
    pd_ToCsvOptions write = {PD_TO_CSV_DEFAULTS_};
    size_t bytes[2];
    read.dtype[0] = (pd_ColumnDType){NULL, "str"};
    read.keep_default_na = read.na_filter = read.skip_blank_lines = write.index = false;
    read.index_col = PD_NO_INDEX;
    for (int64_t i = 0; i < df->width; i++)
        if (!*pd_column_name(df, i)) return true; /* of a zero byte, which reads as "Unnamed: 0" */
    if (df->width && strncmp(pd_column_name(df, 0), "\xef\xbb\xbf", 3) == 0) return true; /* is skipped in a file */
    if (df->width == 0) return true;
    char *text = pd_to_csv_bytes(df, &bytes[0], &write);
    pd_DataFrame *again = text ? pd_read_csv_bytes(text, bytes[0], &read) : NULL;
    char *second = again ? pd_to_csv_bytes(again, &bytes[1], &write) : NULL;
    const bool is_same = second && bytes[0] == bytes[1] && memcmp(text, second, bytes[0]) == 0;
    if (!is_same && !(t_error_message() && strstr(t_error_message(), "out of memory"))) {
        fprintf(stderr, "another text than was written (%s):\n%s\n%s\n", t_error_message() ? t_error_message() : "",
                text ? text : "", second ? second : "");
        abort();
    }
    free(text);
    free(second);
    return is_same && (bytes[0] % 16 || write_and_read_file(df));
}

/* The numbers of a CSV file as a tensor, which its text form gives again. */
t_TensorDict *fuzz_csv(const uint8_t *data, size_t size) {
    Choices c = {data, size < CSV_OPTIONS ? size : CSV_OPTIONS};
    pd_ReadCsvOptions o = {PD_READ_CSV_DEFAULTS_};
    choose_csv_options(&c, &o);
    pd_DataFrame *df = pd_read_csv_bytes(c.at, size - (size_t)(c.at - data), &o);
    if (is_about_options(df != NULL)) check_refusal(pd_read_csv_bytes("", 0, &o));
    if (!df) return NULL;
    size_t length;
    static const char *const formats[] = {NULL, "%.3f", "%8.2e", "%G"};
    pd_ToCsvOptions write = {PD_TO_CSV_DEFAULTS_};
    write.float_format = formats[size % 4];
    if (size / 4 % 4 == 1) write.sep = "\t", write.na_rep = "NA", write.header = false;
    char *text = pd_to_csv_bytes(df, &length, &write);
    const bool is_shown = text && pd_DataFrame_str(df) && (df->width == 0 || pd_DataFrame_describe(df));
    free(text);
    pd_DataFrame *numbers = is_shown && write_and_read(df) ? pd_select_dtypes(df, "number") : NULL;
    t_TensorDict *dict = dict_of(numbers ? pd_DataFrame_to_numpy(numbers, t_float64) : NULL);
    if (!dict && !strstr(t_error_message(), "out of memory")) {
        fprintf(stderr, "a frame that cannot be shown or converted: %s\n", t_error_message());
        abort();
    }
    return dict;
}
