/* core/io/text/genfromtxt_internal.h: the lines and fields of numpy.genfromtxt, for tensors (genfromtxt.c) and for
 * frames (core/pandas/io/genfromtxt.c) (internal). */
#ifndef TAPEGRAD_CORE_IO_TEXT_GENFROMTXT_INTERNAL_H
#define TAPEGRAD_CORE_IO_TEXT_GENFROMTXT_INTERNAL_H

#include "core/io/text/table_internal.h"

typedef struct tg_TableField {
    const char *begin, *end;
} tg_TableField;

/* Lines with another number of fields than the first. */
typedef struct tg_InvalidLine {
    int64_t line, count;
} tg_InvalidLine;

typedef struct tg_TableReader {
    tg_Text text;
    const np_GenfromtxtOptions *options;
    int64_t line;          /* the current one, from 1 */
    int64_t columns;       /* of the result */
    tg_TableField *fields; /* of the current line */
    int64_t count, capacity;
    tg_InvalidLine *invalid;
    int64_t invalid_count, invalid_capacity;
} tg_TableReader;

bool tg_table_check_options(const np_GenfromtxtOptions *o);
void tg_table_close(tg_TableReader *r);
/* numpy's LineSplitter: without the comment and the white space around it; no fields if nothing is left. */
bool tg_table_split(tg_TableReader *r, const char *begin, const char *end);
/* Notes the current line as invalid. And numpy's list of all of them: false if that is an error and not a warning. */
bool tg_table_add_invalid(tg_TableReader *r);
bool tg_table_report_invalid(tg_TableReader *r);

/* *last: how many lines with fields come before those of skip_footer, from the current one on. */
bool tg_table_last(tg_TableReader *r, int64_t *last);
/* Whether the current line has the columns of the result, and the i-th of them: columns[i], from the end if it is
 * negative, or of NULL i. */
bool tg_table_has_columns(const tg_TableReader *r, const int64_t *columns);
tg_TableField tg_table_column(const tg_TableReader *r, const int64_t *columns, int64_t i);
/* Doubles the capacity of an array of `count` items of that size; NULL on out of memory. */
void *tg_table_grow(void *items, int64_t count, int64_t *capacity, size_t size);

/* The first occurrence of a text in [at, end); end if there is none. */
const char *tg_table_find(const char *at, const char *end, const char *text);
/* Python's values: True and False in any case, int(field) within int64, float(field); false if it is none. */
bool tg_table_bool(tg_TableField field, bool *value);
bool tg_table_int64(tg_TableField field, int64_t *value);
bool tg_table_double(tg_TableField field, double *value);
bool tg_table_is_missing(const np_GenfromtxtOptions *o, tg_TableField field);
/* One value for all columns; of several, one for each of the first columns; NaN: none is given. */
double tg_table_filling_value(const np_GenfromtxtOptions *o, int64_t column);

#endif
