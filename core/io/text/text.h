/* core/io/text/text.h: numpy's tables in text files (public; part of core/io/io.h).
 *
 *     Tensor *x = np_loadtxt("x.csv", .delimiter = ",", .skiprows = 1);          numpy.loadtxt("x.csv", delimiter=",",
 *                                                                                    skiprows=1)
 *     Tensor *y = np_genfromtxt("y.csv", .delimiter = ",", .filling_values = np_values(-1));
 *     np_savetxt("z.txt", z, .fmt = "%.4f", .header = "a b c");                  numpy.savetxt(...)
 *
 * Readers: gzip files are unpacked; lines end in \n, \r\n or \r; a byte order mark is skipped. Numbers are rounded to
 * the nearest float64 as by Python's float, then to the dtype. Errors have numpy's texts, after the file's name and the
 * line. Tensors have no fields of their own dtypes, strings or complex numbers: names= with dtype=None gives a frame,
 * np_genfromtxt_names (core/pandas/io/genfromtxt.h). Structured dtypes and converters are not here. */
#ifndef TAPEGRAD_CORE_IO_TEXT_TEXT_H
#define TAPEGRAD_CORE_IO_TEXT_TEXT_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

/* A list of column numbers, np_columns(0, 2, -1) in a call; empty: all columns. */
typedef struct np_Columns {
    const int64_t *items;
    int64_t len;
} np_Columns;
/* A list of numbers, np_values(-1) in a call. */
typedef struct np_Values {
    const double *items;
    int64_t len;
} np_Values;
enum { NP_MOST_COMMENTS = 8, NP_MOST_FORMATS = 64, NP_MOST_VALUES = 64 };

/* numpy.loadtxt(fname, dtype=float, comments="#", delimiter=None, skiprows=0, usecols=None, unpack=False, ndmin=0,
 * max_rows=None, quotechar=None). dtype: any (bool, integers, floats; bfloat16 too). comments: one text or several,
 * {"#", "//"}; .comments = {NULL} is Python's None. delimiter: one character, NULL for white space. max_rows: T_NONE
 * for all. The result has as many rows as lines with values and as many columns as the first of them, squeezed to ndmin
 * dims; of a file without values, shape (0), with a warning. */
typedef struct np_LoadtxtOptions {
    uint32_t size;
    t_DType dtype;
    const char *comments[NP_MOST_COMMENTS];
    const char *delimiter;
    int64_t skiprows;
    np_Columns usecols;
    bool unpack; /* the transpose: a row for each column */
    int64_t ndmin, max_rows;
    const char *quotechar;
} np_LoadtxtOptions;
#define NP_LOADTXT_DEFAULTS_ .comments = {"#"}, .max_rows = T_NONE, .size = sizeof(np_LoadtxtOptions)
T_API Tensor *np_loadtxt(const char *fname, const np_LoadtxtOptions *options);
T_API Tensor *np_loadtxt_bytes(const void *bytes, size_t size, const np_LoadtxtOptions *options); /* of io.StringIO */

/* numpy.genfromtxt(fname, dtype=float, comments="#", delimiter=None, skip_header=0, skip_footer=0, missing_values=None,
 * filling_values=None, usecols=None, unpack=False, loose=True, invalid_raise=True, max_rows=None, ndmin=0). A field
 * that is no value of the dtype gives the filling value of its column: np_values(0) for all, np_values(0, 9) for the
 * first two columns; the dtype's own, nan, -1 or False, where none or NAN is given. loose = false: only a field that is
 * empty or in missing_values gives it, any other is an error. delimiter: any text; NULL for white space. widths: of the
 * fields, in place of a delimiter: np_columns(4) for all the same (Python's delimiter=4). Lines that have another
 * number of fields are an error that lists them, with invalid_raise = false they are left out, with a warning.
 * max_rows: T_NONE for all. */
typedef struct np_GenfromtxtOptions {
    uint32_t size;
    t_DType dtype;
    const char *comments, *delimiter;
    int64_t skip_header, skip_footer;
    const char *missing_values[NP_MOST_VALUES];
    np_Values filling_values;
    np_Columns usecols, widths;
    bool unpack, loose, invalid_raise;
    int64_t max_rows, ndmin;
} np_GenfromtxtOptions;
#define NP_GENFROMTXT_DEFAULTS_ \
    .comments = "#", .loose = true, .invalid_raise = true, .max_rows = T_NONE, .size = sizeof(np_GenfromtxtOptions)
T_API Tensor *np_genfromtxt(const char *fname, const np_GenfromtxtOptions *options);
T_API Tensor *np_genfromtxt_bytes(const void *bytes, size_t size, const np_GenfromtxtOptions *options);

/* numpy.savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# "). X has one or
 * two dims; a row of it is a line, an element of a vector too. fmt: one format for all, one for each column, or a text
 * with as many formats as there are columns ("%d: %.3f"), with the conversions d i u o x X c e E f F g G s of Python.
 * The file is written to a temporary one that is renamed, gzip-compressed if its name ends with ".gz". */
typedef struct np_SavetxtOptions {
    uint32_t size;
    const char *fmt[NP_MOST_FORMATS];
    const char *delimiter, *newline, *header, *footer, *comments;
} np_SavetxtOptions;
#define NP_SAVETXT_DEFAULTS_                                                                           \
    .fmt = {"%.18e"}, .delimiter = " ", .newline = "\n", .header = "", .footer = "", .comments = "# ", \
    .size = sizeof(np_SavetxtOptions)
T_API bool np_savetxt(const char *fname, Tensor *x, const np_SavetxtOptions *options);
/* The same into memory: a zero-terminated text that is freed with free(), its length in *size; NULL on error. */
T_API char *np_savetxt_bytes(Tensor *x, size_t *size, const np_SavetxtOptions *options);

T_END_DECLS
#endif
