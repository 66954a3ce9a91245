/* core/io/text/genfromtxt.c: numpy.genfromtxt: tables with missing values. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/text/decimal.h"
#include "core/io/text/genfromtxt_internal.h"
#include "core/tensor/tensor.h"

typedef tg_TableField Field;
typedef tg_TableReader Reader;

bool tg_table_check_options(const np_GenfromtxtOptions *o) {
    if (!tg_check_dtype(o->dtype)) return false;
    if (o->ndmin < 0 || o->ndmin > 2) return tg_fail("Illegal value of ndmin keyword: %" PRId64, o->ndmin);
    if (o->max_rows != T_NONE && o->skip_footer)
        return tg_fail("The keywords 'skip_footer' and 'max_rows' can not be specified at the same time.");
    if (o->max_rows != T_NONE && o->max_rows < 1) return tg_fail("'max_rows' must be at least 1.");
    if (o->usecols.len < 0 || (o->usecols.len && !o->usecols.items)) return tg_fail("usecols has no items");
    if (o->widths.len < 0 || (o->widths.len && !o->widths.items)) return tg_fail("widths has no items");
    for (int64_t i = 0; i < o->widths.len; i++)
        if (o->widths.items[i] < 1)
            return tg_fail("widths[%" PRId64 "] is %" PRId64 ", but must be positive", i, o->widths.items[i]);
    if (o->widths.len && o->delimiter) return tg_fail("delimiter and widths exclude each other");
    if (o->filling_values.len < 0 || (o->filling_values.len && !o->filling_values.items))
        return tg_fail("filling_values has no items");
    if (o->delimiter && !*o->delimiter) return tg_fail("empty separator");
    return true;
}

/* ---- fields of a line ---- */

void *tg_table_grow(void *items, int64_t count, int64_t *capacity, size_t size) {
    const int64_t larger = *capacity ? 2 * *capacity : 32;
    void *block = tg_alloc_raw((size_t)larger * size);
    if (!block) return NULL;
    if (count) memcpy(block, items, (size_t)count * size);
    tg_free(items, (size_t)*capacity * size);
    *capacity = larger;
    return block;
}

static bool add_field(Reader *r, const char *begin, const char *end) {
    if (r->count == r->capacity) {
        Field *larger = tg_table_grow(r->fields, r->count, &r->capacity, sizeof *larger);
        if (!larger) return false;
        r->fields = larger;
    }
    r->fields[r->count++] = (Field){begin, end};
    return true;
}

const char *tg_table_find(const char *at, const char *end, const char *text) {
    const size_t length = strlen(text);
    for (; length && (size_t)(end - at) >= length; at++) {
        at = memchr(at, *text, (size_t)(end - at) - length + 1);
        if (!at) return end;
        if (memcmp(at, text, length) == 0) return at;
    }
    return end;
}

static bool split_widths(Reader *r, const char *at, const char *end) {
    const np_Columns *widths = &r->options->widths;
    for (int64_t i = 0; widths->len == 1 ? at < end : i < widths->len; i++) {
        const int64_t width = widths->items[widths->len == 1 ? 0 : i], rest = end - at;
        const char *stop = at + (width < rest ? width : rest);
        if (!add_field(r, at, stop)) return false;
        at = stop;
    }
    return true;
}

bool tg_table_split(Reader *r, const char *begin, const char *end) {
    const np_GenfromtxtOptions *o = r->options;
    r->count = 0;
    if (o->comments) end = tg_table_find(begin, end, o->comments);
    if (o->widths.len) return begin == end || split_widths(r, begin, end);
    while (begin < end && *begin == ' ') begin++;
    while (begin < end && end[-1] == ' ') end--;
    if (begin == end) return true;
    for (const char *at = begin;;) {
        if (!o->delimiter)
            while (at < end && tg_is_space(*at)) at++;
        if (!o->delimiter && at == end) return true;
        const char *stop = at;
        if (o->delimiter)
            stop = tg_table_find(at, end, o->delimiter);
        else
            while (stop < end && !tg_is_space(*stop)) stop++;
        if (!add_field(r, at, stop)) return false;
        if (stop == end) return true;
        at = stop + (o->delimiter ? strlen(o->delimiter) : 1);
    }
}

/* ---- values ---- */

enum { MOST_DIGITS = 64 }; /* of a number with underscores */

/* A number without white space around it, and without the underscores that Python allows between two digits: "1_000";
 * false if there are others. digits: a workspace of MOST_DIGITS bytes. */
static bool strip_number(Field *field, char *digits) {
    tg_strip(&field->begin, &field->end);
    const char *begin = field->begin, *end = field->end;
    if (!memchr(begin, '_', (size_t)(end - begin))) return true;
    size_t n = 0;
    for (const char *at = begin; at < end; at++) {
        const bool is_between =
            at > begin && at + 1 < end && at[-1] >= '0' && at[-1] <= '9' && at[1] >= '0' && at[1] <= '9';
        if (*at == '_' ? !is_between : n == MOST_DIGITS) return false;
        if (*at != '_') digits[n++] = *at;
    }
    *field = (Field){digits, digits + n};
    return true;
}

static bool is_word(const char *begin, const char *end, const char *word) {
    for (; begin < end && *word; begin++, word++)
        if ((*begin & ~0x20) != *word) return false;
    return begin == end && !*word;
}

bool tg_table_bool(Field field, bool *value) {
    *value = is_word(field.begin, field.end, "TRUE");
    return *value || is_word(field.begin, field.end, "FALSE");
}

bool tg_table_double(Field field, double *value) {
    char digits[MOST_DIGITS];
    return strip_number(&field, digits) && tg_parse_double(field.begin, field.end, '.', value) == field.end;
}

bool tg_table_int64(Field field, int64_t *value) {
    char digits[MOST_DIGITS];
    return strip_number(&field, digits) && tg_parse_int64(field.begin, field.end, value) == tg_parsed;
}

/* 1: the field has a value; 0: it has none; -1: an integer too large, with an error set. */
static int convert(Reader *r, tg_Elements *to, int64_t index, Field field) {
    char digits[MOST_DIGITS];
    double value;
    int64_t integer;
    if (to->dtype == t_bool) {
        bool is_true;
        const bool is_bool = tg_table_bool(field, &is_true);
        tg_elements_set_int64(to, index, is_true);
        return is_bool;
    }
    if (tg_is_floating(to->dtype)) {
        if (!tg_table_double(field, &value)) return 0;
        tg_elements_set_double(to, index, value);
        return 1;
    }
    if (!strip_number(&field, digits)) return 0;
    const tg_Parsed parsed = tg_parse_int64(field.begin, field.end, &integer);
    if (parsed == tg_not_a_number) return 0;
    if (parsed == tg_too_large || !tg_is_in_int64_range(integer, to->dtype)) {
        tg_fail_at_line(&r->text, r->line, "Python integer %.*s out of bounds for %s",
                        (int)(field.end - field.begin > 40 ? 40 : field.end - field.begin), field.begin,
                        tg_dtype_name(to->dtype));
        return -1;
    }
    tg_elements_set_int64(to, index, integer);
    return 1;
}

bool tg_table_is_missing(const np_GenfromtxtOptions *o, Field field) {
    tg_strip(&field.begin, &field.end);
    if (field.begin == field.end) return true;
    for (int i = 0; i < NP_MOST_VALUES && o->missing_values[i]; i++)
        if (strlen(o->missing_values[i]) == (size_t)(field.end - field.begin) &&
            memcmp(o->missing_values[i], field.begin, (size_t)(field.end - field.begin)) == 0)
            return true;
    return false;
}

double tg_table_filling_value(const np_GenfromtxtOptions *o, int64_t column) {
    const np_Values *values = &o->filling_values;
    return values->len == 1 ? values->items[0] : column < values->len ? values->items[column] : NAN;
}

static void fill(const np_GenfromtxtOptions *o, tg_Elements *to, int64_t index, int64_t column) {
    const double value = tg_table_filling_value(o, column);
    if (tg_is_floating(to->dtype))
        tg_elements_set_double(to, index, value);
    else if (value != value)
        tg_elements_set_int64(to, index, to->dtype == t_bool ? 0 : -1);
    else
        tg_elements_set_double(to, index, value);
}

static bool take_row(Reader *r, const int64_t *columns, tg_Elements *to) {
    const np_GenfromtxtOptions *o = r->options;
    for (int64_t i = 0; i < r->columns; i++) {
        const Field field = tg_table_column(r, columns, i);
        const int has_value = convert(r, to, to->count + i, field);
        if (has_value < 0) return false;
        if (has_value) continue;
        if (!o->loose && !tg_table_is_missing(o, field))
            return tg_fail_at_line(&r->text, r->line, "Cannot convert string '%.*s'",
                                   (int)(field.end - field.begin > 100 ? 100 : field.end - field.begin), field.begin);
        fill(o, to, to->count + i, i);
    }
    to->count += r->columns;
    return true;
}

bool tg_table_add_invalid(Reader *r) {
    if (r->invalid_count == r->invalid_capacity) {
        tg_InvalidLine *larger = tg_table_grow(r->invalid, r->invalid_count, &r->invalid_capacity, sizeof *larger);
        if (!larger) return false;
        r->invalid = larger;
    }
    r->invalid[r->invalid_count++] = (tg_InvalidLine){r->line, r->count};
    return true;
}

bool tg_table_report_invalid(Reader *r) {
    static _Thread_local bool warned;
    tg_Output out;
    tg_output_memory(&out);
    tg_output_print(&out, "%s: Some errors were detected !", r->text.name);
    for (int64_t i = 0; i < r->invalid_count; i++)
        tg_output_print(&out, "\n    Line #%" PRId64 " (got %" PRId64 " columns instead of %" PRId64 ")",
                        r->invalid[i].line, r->invalid[i].count, r->columns);
    char *text = tg_output_take_text(&out, true);
    if (!text) return false;
    if (r->options->invalid_raise)
        tg_fail("%s", text);
    else
        tg_warn(&warned, "%s", text);
    free(text);
    return !r->options->invalid_raise;
}

bool tg_table_last(Reader *r, int64_t *last) {
    tg_Text lines = r->text;
    const char *begin, *end;
    *last = INT64_MAX;
    if (r->options->skip_footer <= 0) return true;
    for (*last = -r->options->skip_footer; tg_text_line(&lines, &begin, &end); *last += r->count > 0)
        if (!tg_table_split(r, begin, end)) return false;
    return true;
}

bool tg_table_has_columns(const Reader *r, const int64_t *columns) {
    if (!columns) return r->count == r->columns;
    for (int64_t i = 0; i < r->columns; i++)
        if (columns[i] >= r->count || columns[i] < -r->count) return false;
    return true;
}

Field tg_table_column(const Reader *r, const int64_t *columns, int64_t i) {
    const int64_t column = columns ? columns[i] : i;
    return r->fields[column < 0 ? column + r->count : column];
}

static Tensor *read(Reader *r) {
    static _Thread_local bool warned;
    const np_GenfromtxtOptions *o = r->options;
    const int64_t *columns = o->usecols.len ? o->usecols.items : NULL;
    tg_Elements elements = {.dtype = o->dtype ? o->dtype : t_float64};
    const char *begin, *end;
    int64_t last, rows = 0, seen = 0;
    bool ok = tg_table_last(r, &last);
    while (ok && rows != o->max_rows && seen < last && tg_text_line(&r->text, &begin, &end)) {
        r->line++;
        ok = tg_table_split(r, begin, end);
        if (!ok || r->count == 0) continue;
        seen++;
        if (!r->columns) r->columns = columns ? o->usecols.len : r->count;
        if (!tg_table_has_columns(r, columns)) {
            ok = tg_table_add_invalid(r);
            continue;
        }
        ok = tg_elements_reserve(&elements, r->columns) && take_row(r, columns, &elements);
        rows++;
    }
    if (ok && r->invalid_count) ok = tg_table_report_invalid(r);
    if (ok && seen == 0) tg_warn(&warned, "genfromtxt: Empty input file: \"%s\"", r->text.name);
    if (ok) return tg_elements_take(&elements, rows, rows ? r->columns : 1, o->ndmin, o->unpack);
    tg_elements_free(&elements);
    return NULL;
}

void tg_table_close(Reader *r) {
    tg_free(r->fields, (size_t)r->capacity * sizeof *r->fields);
    tg_free(r->invalid, (size_t)r->invalid_capacity * sizeof *r->invalid);
    tg_text_close(&r->text);
}

static Tensor *load(const tg_Input *in, const np_GenfromtxtOptions *options) {
    np_GenfromtxtOptions o = {NP_GENFROMTXT_DEFAULTS_};
    if (!tg_take_options(&o, options, sizeof o) || !tg_table_check_options(&o)) return NULL;
    Reader r = {.options = &o};
    Tensor *x = NULL;
    if (tg_text_open(&r.text, in)) {
        const char *begin, *end;
        while (r.line < o.skip_header && tg_text_line(&r.text, &begin, &end)) r.line++;
        x = read(&r);
    }
    tg_table_close(&r);
    return x;
}

Tensor *np_genfromtxt(const char *fname, const np_GenfromtxtOptions *options) {
    tg_Input in;
    Tensor *x = tg_input_open(&in, fname) ? load(&in, options) : NULL;
    tg_input_close(&in);
    return x;
}

Tensor *np_genfromtxt_bytes(const void *bytes, size_t size, const np_GenfromtxtOptions *options) {
    tg_Input in;
    return tg_input_memory(&in, bytes, size, "the text in memory") ? load(&in, options) : NULL;
}
