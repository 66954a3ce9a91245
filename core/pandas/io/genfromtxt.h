/* core/pandas/io/genfromtxt.h: numpy.genfromtxt with names and dtype=None (public; part of core/pandas/pandas.h).
 *
 *     pd_DataFrame *a = np_genfromtxt_names("x.csv", .delimiter = ",");    a = np.genfromtxt("x.csv", delimiter=",",
 *                                                                                            names=True, dtype=None)
 *     pd_Series *height = pd_getitem(a, "height");                         height = a["height"] */
#ifndef TAPEGRAD_CORE_PANDAS_IO_GENFROMTXT_H
#define TAPEGRAD_CORE_PANDAS_IO_GENFROMTXT_H

#include "core/io/text/text.h"
#include "core/pandas/dataframe.h"

T_BEGIN_DECLS

/* numpy.genfromtxt(fname, dtype=None, names=True, ...): a frame with a column for each field of numpy's structured
 * array. names: empty for True, the first line with fields, also behind comments; else a list. has_names = false is
 * names=None: "f0", "f1", ... A column is bool, else int64, else float64, else str: the first that all its fields are,
 * also those of skip_footer, where a field that is empty or in missing_values is any but str, in which it stays what it
 * is. In place of it comes the filling value of the column, as in np_genfromtxt, or False, -1, nan. Names lose white
 * space around them and the characters of deletechars and '"'; spaces become replace_space; an empty name is "f0",
 * "f1", ...; "return", "file" and "print" get a "_", repeated ones "_1", "_2". case_sensitive: NULL (True), "upper" or
 * "lower", of ASCII. usecols: numbers; use_names: names, as they are in the end. autostrip: str fields lose white space
 * around them. The other options are those of np_genfromtxt; unpack is pd_getitem here. Different: a column of complex
 * numbers is str. Errors have numpy's texts, after the file's name. */
typedef struct np_GenfromtxtNamesOptions {
    uint32_t size;
    const char *comments, *delimiter;
    int64_t skip_header, skip_footer;
    const char *names[PD_MOST_NAMES];
    bool has_names;
    const char *missing_values[NP_MOST_VALUES];
    np_Values filling_values;
    np_Columns usecols, widths;
    const char *use_names[PD_MOST_NAMES];
    const char *deletechars, *replace_space, *case_sensitive;
    bool autostrip, invalid_raise;
    int64_t max_rows;
} np_GenfromtxtNamesOptions;
#define NP_GENFROMTXT_NAMES_DEFAULTS_                                                                           \
    .comments = "#", .has_names = true, .deletechars = " !#$%&'()*+,-./:;<=>?@[\\]^{|}~", .replace_space = "_", \
    .invalid_raise = true, .max_rows = T_NONE, .size = sizeof(np_GenfromtxtNamesOptions)
T_API pd_DataFrame *np_genfromtxt_names(const char *fname, const np_GenfromtxtNamesOptions *options);
/* of io.StringIO(text) */
T_API pd_DataFrame *np_genfromtxt_names_bytes(const void *bytes, size_t size, const np_GenfromtxtNamesOptions *options);

T_END_DECLS
#endif
