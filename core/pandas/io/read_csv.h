/* core/pandas/io/read_csv.h: pandas.read_csv (public; part of core/pandas/pandas.h). */
#ifndef TAPEGRAD_CORE_PANDAS_IO_READ_CSV_H
#define TAPEGRAD_CORE_PANDAS_IO_READ_CSV_H

#include "core/pandas/dataframe.h"

T_BEGIN_DECLS

/* The dtype of a column, {"Age", "float32"}; the column NULL: of all columns. */
typedef struct pd_ColumnDType {
    const char *column, *dtype;
} pd_ColumnDType;
enum { PD_INFER = -1 };

/* pd.read_csv(path, sep=",", header="infer", names=None, index_col=None, usecols=None, dtype=None, na_values=None, ...)
 * with pandas' C engine: a column is int64, else float64, else bool, else str; of integers with missing values float64;
 * an integer beyond int64 makes a str column (pandas: object, uint64). Floats are rounded to nearest
 * (float_precision="round_trip"; pandas' default may be off by one unit in the last place). Missing are "", "NA",
 * "NaN", "nan", "null", "None", "n/a", "N/A", "#N/A" and the rest of pandas' list, and na_values. If the first data
 * line has more fields than the header, the first columns are the row labels, unless index_col = PD_NO_INDEX (Python's
 * False). Lines with too few fields end in missing values; with too many they are an error, or left out with
 * on_bad_lines "skip" or "warn". With a sep of several characters (in Python a regular expression; here it may only
 * have escaped characters, "\\|\\|") quotes count as text. The columns of parse_dates become times, as by
 * pd_to_datetime with date_format and dayfirst, or remain str if one of their texts is none. gzip files are unpacked.
 * index_col, usecols and parse_dates are names, or numbers of columns, as texts: index_col=0 is "0"; with usecols the
 * other two count the columns in it. An integer or bool dtype may not change a value.
 * Errors have pandas' texts after the file's name; lines count all lines of the file. */
typedef struct pd_ReadCsvOptions {
    uint32_t size;
    const char *sep; /* one character, or "\\s+" for white space, or a text like "::" */
    int64_t header;  /* the line with the names, from 0; T_NONE: none; PD_INFER: 0, or none with names */
    const char *names[PD_MOST_NAMES];
    const char *index_col;              /* the column of the row labels; PD_NO_INDEX: the first column is none */
    const char *usecols[PD_MOST_NAMES]; /* in the file's order; "0", "1" are names where there is no header */
    pd_ColumnDType dtype[PD_MOST_NAMES];
    const char *na_values[PD_MOST_NAMES];
    bool keep_default_na, na_filter;
    const char *true_values[8], *false_values[8];
    int64_t skiprows, nrows; /* nrows: T_NONE for all */
    bool skipinitialspace, skip_blank_lines;
    char thousands, decimal, quotechar, escapechar, comment; /* '\0': none */
    bool doublequote;
    const char *on_bad_lines; /* "error", "skip" or "warn" */
    const char *parse_dates[PD_MOST_NAMES];
    const char *date_format;
    bool dayfirst;
    const char *encoding; /* NULL: "utf-8"; "latin-1" (iso-8859-1), "cp1252" (windows-1252) */
} pd_ReadCsvOptions;
#define PD_READ_CSV_DEFAULTS_                                                                                 \
    .sep = ",", .header = PD_INFER, .keep_default_na = true, .na_filter = true, .nrows = T_NONE,              \
    .skip_blank_lines = true, .decimal = '.', .quotechar = '"', .doublequote = true, .on_bad_lines = "error", \
    .size = sizeof(pd_ReadCsvOptions)
#define PD_NO_INDEX ""
T_API pd_DataFrame *pd_read_csv(const char *path, const pd_ReadCsvOptions *options);
/* of io.StringIO(text) */
T_API pd_DataFrame *pd_read_csv_bytes(const void *bytes, size_t size, const pd_ReadCsvOptions *options);

T_END_DECLS
#endif
