/* core/pandas/info.c: df.info(). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/file.h"
#include "core/pandas/column.h"

static bool print_index(tg_Output *out, const pd_DataFrame *df) {
    const tg_Index *index = df->index;
    const char *kind = !index->labels                              ? "RangeIndex"
                       : index->labels->kind == tg_column_datetime ? "DatetimeIndex"
                       : index->labels->kind == tg_column_category ? "CategoricalIndex"
                                                                   : "Index";
    tg_output_print(out, "%s: %" PRId64 " entries", kind, df->len);
    if (df->len == 0) return tg_output_text(out, "\n");
    if (!index->labels)
        return tg_output_print(out, ", %" PRId64 " to %" PRId64 "\n", index->start,
                               index->start + (df->len - 1) * index->step);
    char first[400], last[400];
    const char *a = tg_column_item(index->labels, 0, first), *b = tg_column_item(index->labels, df->len - 1, last);
    return tg_output_print(out, ", %s to %s\n", a ? a : "NaN", b ? b : "NaN");
}

/* "bool(1), float64(2)": the dtypes in the order of their names. */
static bool print_dtypes(tg_Output *out, const pd_DataFrame *df) {
    static const char *const names[] = {"bool",    "category", "datetime64[ns]", "datetime64[us]", "float16", "float32",
                                        "float64", "int16",    "int32",          "int64",          "int8",    "object",
                                        "str",     "uint8"};
    const char *before = "dtypes: ";
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        int64_t count = 0;
        for (int64_t i = 0; i < df->width; i++) count += strcmp(tg_column_dtype(df->items[i].column), names[n]) == 0;
        if (count) tg_output_print(out, "%s%s(%" PRId64 ")", before, names[n], count);
        if (count) before = ", ";
    }
    return tg_output_text(out, "\n");
}

static int at_least(int width, int64_t other) {
    return other > width ? (int)other : width;
}

static bool print_columns(tg_Output *out, const pd_DataFrame *df) {
    static const char line[] = "------------------------------------------------------------------------------------";
    int number = 3, name = 6, count = 14, dtype = 5;
    char text[40];
    number = at_least(number, snprintf(text, sizeof text, " %" PRId64, df->width - 1));
    count = at_least(count, snprintf(text, sizeof text, "%" PRId64 " non-null", df->len));
    for (int64_t i = 0; i < df->width; i++) {
        name = at_least(name, (int64_t)strlen(df->items[i].name));
        dtype = at_least(dtype, (int64_t)strlen(tg_column_dtype(df->items[i].column)));
    }
    tg_output_print(out, "Data columns (total %" PRId64 " columns):\n", df->width);
    tg_output_print(out, "%-*s  %-*s  %-*s  %-*s\n", number, " # ", name, "Column", count, "Non-Null Count", dtype,
                    "Dtype");
    tg_output_print(out, "%-*.*s  %-*.*s  %-*.*s  %-*.*s\n", number, 3, line, name, 6, line, count, 14, line, dtype, 5,
                    line);
    for (int64_t i = 0; i < df->width; i++) {
        const tg_Column *column = df->items[i].column;
        int64_t given = 0;
        for (int64_t row = 0; row < df->len; row++) given += !tg_column_is_missing(column, row);
        snprintf(text, sizeof text, "%" PRId64 " non-null", given);
        char place[40];
        snprintf(place, sizeof place, " %" PRId64, i);
        tg_output_print(out, "%-*s  %-*s  %-*s  %-*s\n", number, place, name, df->items[i].name, count, text, dtype,
                        tg_column_dtype(column));
    }
    return print_dtypes(out, df);
}

bool pd_DataFrame_info(const pd_DataFrame *df) {
    tg_Output out;
    if (!tg_check_frame(df, 1)) return false;
    tg_output_memory(&out);
    tg_output_text(&out, "<class 'pandas.DataFrame'>\n");
    print_index(&out, df);
    char *text =
        tg_output_take_text(&out, df->width ? print_columns(&out, df) : tg_output_text(&out, "Empty DataFrame\n"));
    if (text) fputs(text, stdout);
    free(text);
    return text != NULL;
}
