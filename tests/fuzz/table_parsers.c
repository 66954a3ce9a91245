/* tests/fuzz/table_parsers.c: the readers of tables of text; the size chooses among their options. */
#include "tests/fuzz/table_parsers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/io.h"
#include "core/ops/ops.h"
#include "core/pandas/dataframe.h"
#include "core/pandas/read_csv.h"
#include "core/tensor/error.h"

static t_TensorDict *dict_of(Tensor *x) {
    t_TensorDict *dict = x ? t_dict_new() : NULL;
    return dict && (t_dict_set)(dict, "x", x) ? dict : NULL;
}

t_TensorDict *fuzz_loadtxt(const uint8_t *data, size_t size) {
    static const t_DType dtypes[] = {t_float64, t_int64, t_float32, t_uint8, t_bool, t_float16};
    np_LoadtxtOptions o = {NP_LOADTXT_DEFAULTS_};
    o.dtype = dtypes[size / 4 % 6];
    o.delimiter = size % 2 ? "," : NULL;
    o.quotechar = size % 4 < 2 ? "\"" : NULL;
    if (!o.quotechar) o.comments[1] = "//";
    o.skiprows = (int64_t)(size / 8 % 2);
    o.unpack = size / 16 % 2;
    static const int64_t ends[] = {0, -1};
    if (size % 3 == 0) o.usecols = (np_Columns){ends, 2};
    return dict_of(np_loadtxt_bytes(data, size, &o));
}

t_TensorDict *fuzz_genfromtxt(const uint8_t *data, size_t size) {
    static const t_DType dtypes[] = {t_float64, t_int64, t_float32, t_uint8, t_bool, t_float16};
    np_GenfromtxtOptions o = {NP_GENFROMTXT_DEFAULTS_};
    o.dtype = dtypes[size / 4 % 6];
    static const int64_t widths[] = {2, 3}, columns[] = {-1, 0};
    static const double filling[] = {-1, 1e300};
    if (size % 7 == 6)
        o.widths = (np_Columns){widths, 1 + (int64_t)(size / 8 % 2)};
    else
        o.delimiter = size % 3 == 0 ? "," : size % 3 == 1 ? "::" : NULL;
    o.loose = size / 2 % 2;
    o.invalid_raise = size / 8 % 2;
    o.skip_footer = (int64_t)(size / 16 % 3);
    o.missing_values[0] = "N/A";
    if (size % 5 == 0) o.filling_values = (np_Values){filling, 2};
    if (size % 11 == 0) o.usecols = (np_Columns){columns, 2};
    return dict_of(np_genfromtxt_bytes(data, size, &o));
}

/* The numbers of a CSV file as a tensor, which its text form gives again. */
t_TensorDict *fuzz_csv(const uint8_t *data, size_t size) {
    pd_ReadCsvOptions o = {PD_READ_CSV_DEFAULTS_};
    static const char *const separators[] = {",", ";", "\\s+", "\t"};
    o.sep = separators[size % 7 < 4 ? 0 : size % 7 - 3];
    o.header = size % 5 == 0 ? T_NONE : (int64_t)(size % 5 == 1);
    o.on_bad_lines = size % 3 ? "error" : "skip";
    o.escapechar = size % 11 == 0 ? '\\' : '\0';
    o.comment = size % 4 == 1 ? '#' : '\0';
    o.thousands = size % 13 == 0 ? '_' : '\0';
    o.skipinitialspace = size / 2 % 3 == 0;
    o.skip_blank_lines = size / 4 % 3 != 0;
    o.keep_default_na = size / 8 % 3 != 0;
    o.index_col = size / 16 % 3 == 0 ? PD_NO_INDEX : NULL;
    if (size % 17 == 0) o.na_values[0] = "-1";
    if (size % 19 == 0) o.dtype[0] = (pd_ColumnDType){NULL, size % 2 ? "str" : "float32"};
    pd_DataFrame *df = pd_read_csv_bytes(data, size, &o);
    if (!df) return NULL;
    size_t length;
    char *text = pd_to_csv_bytes(df, &length, NULL);
    const bool is_shown = text && pd_DataFrame_str(df) && (df->width == 0 || pd_DataFrame_describe(df));
    free(text);
    pd_DataFrame *numbers = is_shown ? pd_select_dtypes(df, "number") : NULL;
    t_TensorDict *dict = dict_of(numbers ? pd_DataFrame_to_numpy(numbers, t_float64) : NULL);
    if (!dict && !strstr(t_error_message(), "out of memory")) {
        fprintf(stderr, "a frame that cannot be shown or converted: %s\n", t_error_message());
        abort();
    }
    return dict;
}
