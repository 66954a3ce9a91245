/* core/pandas/io/read_csv.c: pandas.read_csv.
 *
 * The text is read once: each field is converted to its column's type so far, which begins as unknown and becomes more
 * general where a field does not fit: int64, float64 (from int64, in place), bool, object (bool with missing values),
 * str. Numbers are parsed where they are in the text, without looking for the end of the field first. Only a column
 * that has numbers or bools and then a text is read again, as texts, in a second pass. */
#include "core/pandas/io/read_csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/text/decimal.h"
#include "core/io/utf8.h"
#include "core/pandas/column.h"
#include "core/pandas/io/encoding.h"
#include "core/pandas/io/tokenizer.h"

typedef enum Type { type_skipped, type_unknown, type_int, type_float, type_bool, type_object, type_text } Type;

/* A column that is being read. Numbers and bools have 8 bytes each, so that int64 becomes float64 in place. */
typedef struct Builder {
    char *name;
    Type type;
    bool is_index, rereads;       /* rereads: it is a str column, but its first rows were read as numbers */
    bool has_large, has_fraction; /* an integer beyond int64; a number that is no integer */
    const char *dtype;            /* the user's; NULL: none */
    bool is_time;                 /* of parse_dates: read as texts */
    bool is_unnamed;              /* the header has no name for it */
    union CsvCell {
        int64_t integer;
        double real;
    } * cells;
    tg_TextBuilder texts;
} Builder;

typedef struct Reader {
    tg_Tokenizer tokens;
    pd_ReadCsvOptions options;
    Builder *builders;
    int64_t columns, builders_capacity, rows, capacity;
    const char *first;  /* where the text begins */
    bool is_plain;      /* numbers need no look at na_values or thousands */
    bool na_first[256]; /* the first bytes of the missing values */
    bool has_header;
    tg_Output warnings; /* of on_bad_lines = "warn" */
    bool has_warnings;
} Reader;

/* ---- options ---- */

static bool check_options(const pd_ReadCsvOptions *o) {
    if (!o->sep || !*o->sep) return tg_fail("sep must be a character, but is %s", o->sep ? "empty" : "NULL");
    char literal[TG_LONGEST_SEP + 1];
    if (tg_is_long_sep(o->sep) && !tg_literal_sep(o->sep, literal))
        return tg_fail("sep '%s' is a regular expression: a text of up to %d characters and '\\s+' are supported",
                       o->sep, TG_LONGEST_SEP);
    if (!tg_is_encoding(o->encoding))
        return tg_fail("unknown encoding: %s (\"utf-8\", \"latin-1\" and \"cp1252\" are supported)", o->encoding);
    if (o->sep[0] == '\n' || o->sep[0] == '\r') return tg_fail("sep must not be the end of a line");
    if (o->header < PD_INFER && o->header != T_NONE)
        return tg_fail("Passing negative integer to header is invalid. For no header, use header=None instead");
    if (o->skiprows < 0) return tg_fail("skiprows must not be negative, but is %" PRId64, o->skiprows);
    if (o->nrows < 0 && o->nrows != T_NONE) return tg_fail("'nrows' must be an integer >=0");
    if (!o->on_bad_lines || (strcmp(o->on_bad_lines, "error") != 0 && strcmp(o->on_bad_lines, "skip") != 0 &&
                             strcmp(o->on_bad_lines, "warn") != 0))
        return tg_fail("Argument %s is invalid for on_bad_lines", o->on_bad_lines ? o->on_bad_lines : "NULL");
    if (!o->decimal) return tg_fail("decimal must be a character");
    const char marks[] = {o->sep[1] ? '\0' : o->sep[0], o->quotechar, o->escapechar, o->comment};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            if (marks[i] && marks[i] == marks[j])
                return tg_fail("sep, quotechar, escapechar and comment must differ, but two are '%c'", marks[i]);
    return true;
}

static const char *const default_na[] = {"",     "#N/A",   "#N/A N/A", "#NA",  "-1.#IND", "-1.#QNAN", "-NaN",
                                         "-nan", "1.#IND", "1.#QNAN",  "<NA>", "N/A",     "NA",       "NULL",
                                         "NaN",  "None",   "n/a",      "nan",  "null"};
enum { DEFAULT_NA = sizeof default_na / sizeof *default_na };

static void prepare(Reader *r) {
    const pd_ReadCsvOptions *o = &r->options;
    r->is_plain = !o->thousands;
    for (int i = 0; i < DEFAULT_NA && o->keep_default_na; i++) r->na_first[(unsigned char)default_na[i][0]] = true;
    for (int i = 0; i < PD_MOST_NAMES && o->na_values[i]; i++) {
        r->na_first[(unsigned char)o->na_values[i][0]] = true;
        double value; /* "-999" hides numbers */
        const char *end = o->na_values[i] + strlen(o->na_values[i]);
        if (tg_parse_double(o->na_values[i], end, o->decimal, &value)) r->is_plain = false;
    }
    if (!o->na_filter) memset(r->na_first, 0, sizeof r->na_first);
}

static bool is_text(const tg_Field *field, const char *text) {
    const size_t length = (size_t)(field->end - field->begin);
    return strlen(text) == length && memcmp(text, field->begin, length) == 0;
}

static bool is_missing(const Reader *r, const tg_Field *field) {
    const pd_ReadCsvOptions *o = &r->options;
    if (!r->na_first[field->begin == field->end ? 0 : (unsigned char)*field->begin]) return false;
    for (int i = 0; i < DEFAULT_NA && o->keep_default_na; i++)
        if (is_text(field, default_na[i])) return true;
    for (int i = 0; i < PD_MOST_NAMES && o->na_values[i]; i++) {
        if (is_text(field, o->na_values[i])) return true;
        double value, wanted; /* "-999" is -999.0 too, as in pandas */
        const char *end = o->na_values[i] + strlen(o->na_values[i]);
        if (tg_parse_double(o->na_values[i], end, o->decimal, &wanted) == end &&
            tg_parse_double(field->begin, field->end, o->decimal, &value) == field->end && value == wanted)
            return true;
    }
    return false;
}

/* ---- cells ---- */

/* -1: neither */
static int bool_value(const Reader *r, const tg_Field *field) {
    static const char *const words[2][3] = {{"False", "FALSE", "false"}, {"True", "TRUE", "true"}};
    for (int value = 0; value < 2; value++) {
        const char *const *more = value ? r->options.true_values : r->options.false_values;
        for (int i = 0; i < 3; i++)
            if (is_text(field, words[value][i])) return value;
        for (int i = 0; i < 8 && more[i]; i++)
            if (is_text(field, more[i])) return value;
    }
    return -1;
}

typedef enum Number { no_number, an_integer, a_large_integer, a_real } Number;

/* The field as a number; white space around it does not count. */
static Number number_of(const Reader *r, const tg_Field *field, int64_t *integer, double *real) {
    enum { LONGEST = 64 };
    char digits[LONGEST];
    const char *begin = field->begin, *end = field->end;
    tg_strip(&begin, &end);
    if (r->options.thousands && memchr(begin, r->options.thousands, (size_t)(end - begin))) {
        size_t n = 0;
        for (; begin < end && n < LONGEST; begin++)
            if (*begin != r->options.thousands) digits[n++] = *begin;
        if (begin < end) return no_number;
        begin = digits;
        end = digits + n;
    }
    const tg_Parsed parsed = tg_parse_int64(begin, end, integer);
    if (parsed == tg_parsed) return an_integer;
    if (tg_parse_double(begin, end, r->options.decimal, real) != end || isnan(*real)) return no_number;
    return parsed == tg_too_large ? a_large_integer : a_real;
}

static bool add_text(Reader *r, Builder *b, const tg_Field *field) {
    const size_t length = (size_t)(field->end - field->begin);
    for (const char *at = field->begin; at < field->end; at++)
        if ((signed char)*at <= 0) { /* not ASCII, or a zero */
            char *copy = tg_alloc_raw(length + 1);
            if (!copy) return false;
            memcpy(copy, field->begin, length);
            copy[length] = '\0';
            const size_t valid = tg_utf8_valid(copy, length);
            const bool has_zero = memchr(copy, 0, length) != NULL;
            tg_free(copy, length + 1);
            if (valid < length)
                return tg_fail(
                    "%s, line %" PRId64 ": 'utf-8' codec can't decode byte 0x%02x in position %zu of a field",
                    r->tokens.text.name, r->tokens.line - field->ends_line, (unsigned char)field->begin[valid], valid);
            if (has_zero)
                return tg_fail("%s, line %" PRId64 ": a field has a zero byte", r->tokens.text.name,
                               r->tokens.line - field->ends_line);
            break;
        }
    return tg_text_add(&b->texts, field->begin, length);
}

static void free_cells(Builder *b, int64_t capacity) {
    tg_free(b->cells, (size_t)capacity * sizeof *b->cells);
    b->cells = NULL;
}

/* The column becomes str: at once if all rows so far are missing, else in the second pass. */
static bool become_text(Reader *r, Builder *b) {
    const bool has_values = b->type != type_unknown;
    free_cells(b, r->capacity);
    b->type = type_text;
    b->rereads = has_values;
    if (has_values) return true;
    bool ok = tg_text_begin(&b->texts, r->capacity);
    for (int64_t i = 0; ok && i < r->rows; i++) ok = tg_text_add(&b->texts, NULL, 0);
    return ok;
}

static void become_float(Builder *b, int64_t rows) {
    for (int64_t i = 0; i < rows && b->type == type_int; i++) b->cells[i].real = (double)b->cells[i].integer;
    b->type = type_float;
}

static void set_missing(Builder *b, int64_t row) {
    if (b->type == type_int) become_float(b, row);
    if (b->type == type_bool) b->type = type_object;
    if (b->type == type_object)
        b->cells[row].integer = TG_MISSING_BOOL;
    else
        b->cells[row].real = NAN;
}

/* Stores a field of a column of any type, making the type more general where needed. */
static bool store(Reader *r, Builder *b, const tg_Field *field) {
    const int64_t row = r->rows;
    int64_t integer;
    double real;
    if (b->type == type_skipped || b->rereads) return true;
    if (is_missing(r, field)) {
        if (b->type == type_text) return tg_text_add(&b->texts, NULL, 0);
        set_missing(b, row);
        return true;
    }
    if (b->type == type_text) return add_text(r, b, field);
    if (b->type == type_unknown || b->type == type_int || b->type == type_float) {
        const Number kind = number_of(r, field, &integer, &real);
        if (kind == an_integer) {
            if (b->type == type_unknown) b->type = row ? type_float : type_int; /* the rows before are missing */
            if (b->type == type_int)
                b->cells[row].integer = integer;
            else
                b->cells[row].real = (double)integer;
            return true;
        }
        if (kind != no_number) {
            become_float(b, row);
            b->has_large = b->has_large || kind == a_large_integer;
            b->has_fraction = b->has_fraction || kind == a_real;
            b->cells[row].real = real;
            return true;
        }
    }
    if (b->type != type_int && b->type != type_float) {
        const int value = bool_value(r, field);
        if (value >= 0) {
            if (b->type == type_unknown) {
                for (int64_t i = 0; i < row; i++) b->cells[i].integer = TG_MISSING_BOOL;
                b->type = row ? type_object : type_bool;
            }
            b->cells[row].integer = value;
            return true;
        }
    }
    if (!become_text(r, b)) return false;
    return b->rereads || add_text(r, b, field);
}

/* ---- rows ---- */

static bool grow(Reader *r) {
    enum { FIRST = 256 };
    int64_t capacity = FIRST;
    if (r->capacity) { /* as many rows as the rest of the text has, if they are as long as those so far */
        const tg_Text *text = &r->tokens.text;
        const double read = (double)(text->at - r->first), rest = (double)(text->end - text->at);
        const double rows = (double)r->rows * (1 + 1.02 * rest / read);
        capacity = rows > 2 * (double)r->capacity ? (int64_t)rows : 2 * r->capacity;
    }
    for (int64_t i = 0; i < r->columns; i++) {
        Builder *b = &r->builders[i];
        if (b->type == type_skipped || b->type == type_text) continue;
        union CsvCell *larger = tg_alloc_raw((size_t)capacity * sizeof *larger);
        if (!larger) { /* those before are larger than r->capacity says */
            while (i-- > 0) {
                Builder *done = &r->builders[i];
                if (done->type != type_skipped && done->type != type_text) free_cells(done, capacity);
            }
            return false;
        }
        if (r->rows) memcpy(larger, b->cells, (size_t)r->rows * sizeof *larger);
        free_cells(b, r->capacity);
        b->cells = larger;
    }
    r->capacity = capacity;
    return true;
}

/* A number that begins at text.at and ends with its field, for a column of numbers; false: look closer. */
static bool store_number(Reader *r, Builder *b, tg_Field *field) {
    tg_Text *text = &r->tokens.text;
    const char *at = text->at, *const end = text->end;
    double real;
    if (b->has_large && !b->has_fraction) return false;
    if (b->type == type_int) {
        const char *digits = at + (at < end && *at == '-'), *stop = digits;
        uint64_t w = 0;
        while (stop < end && (unsigned char)(*stop - '0') < 10) w = w * 10 + (uint64_t)(*stop++ - '0');
        if (stop == digits || stop - digits > 18) return false;
        b->cells[r->rows].integer = digits > at ? -(int64_t)w : (int64_t)w;
        at = stop;
    } else {
        at = tg_parse_double(at, end, r->options.decimal, &real);
        if (!at || isnan(real)) return false;
        b->cells[r->rows].real = real;
    }
    if (at == end) {
        field->ends_line = true;
    } else if (*at == r->tokens.sep && r->tokens.sep) {
        at++;
        field->ends_line = false;
    } else if (*at == '\n' || (*at == '\r' && end - at > 1 && at[1] == '\n')) {
        at += *at == '\r' ? 2 : 1;
        r->tokens.line++;
        field->ends_line = true;
    } else {
        return false;
    }
    text->at = at;
    if (b->type == type_float) b->has_fraction = true;
    return true;
}

static bool bad_line(Reader *r, int64_t line, int64_t count) {
    const char *action = r->options.on_bad_lines;
    if (strcmp(action, "error") == 0)
        return tg_tokenizer_fail(&r->tokens, "Expected %" PRId64 " fields in line %" PRId64 ", saw %" PRId64,
                                 r->columns, line, count);
    if (strcmp(action, "warn") == 0) {
        if (!r->has_warnings) tg_output_memory(&r->warnings);
        tg_output_print(&r->warnings, "%sSkipping line %" PRId64 ": expected %" PRId64 " fields, saw %" PRId64,
                        r->has_warnings ? "\n" : "", line, r->columns, count);
        r->has_warnings = true;
    }
    return true;
}

/* Reads a line into row r->rows, and counts it unless it is bad. */
static bool read_row(Reader *r) {
    tg_Field field = {.ends_line = false};
    const int64_t line = r->tokens.line;
    const char *const begin = r->tokens.text.at;
    const bool may_skip = r->options.on_bad_lines[0] != 'e', checks = !r->options.usecols[0];
    if (r->rows == r->capacity && !grow(r)) return false;
    if (may_skip && checks && r->rows > 0) {
        const int64_t count = tg_tokenizer_count_fields(&r->tokens);
        if (count < 0) return false;
        if (count > r->columns) {
            while (!field.ends_line)
                if (!tg_tokenizer_field(&r->tokens, &field)) return false;
            return bad_line(r, line, count);
        }
    }
    int64_t i = 0;
    for (; i < r->columns && !field.ends_line; i++) {
        Builder *b = &r->builders[i];
        if ((b->type == type_float || b->type == type_int) && r->is_plain && store_number(r, b, &field)) continue;
        if (!tg_tokenizer_field(&r->tokens, &field) || !store(r, b, &field)) return false;
    }
    for (; i < r->columns; i++) { /* a short line */
        const tg_Field none = {.begin = begin, .end = begin, .ends_line = true};
        if (!store(r, &r->builders[i], &none)) return false;
    }
    if (!field.ends_line && checks && r->rows > 0) {
        int64_t count = r->columns;
        for (; !field.ends_line; count++)
            if (!tg_tokenizer_field(&r->tokens, &field)) return false;
        return bad_line(r, line, count);
    }
    while (!field.ends_line)
        if (!tg_tokenizer_field(&r->tokens, &field)) return false;
    r->rows++;
    return true;
}

static bool read_rows(Reader *r) {
    while (r->rows != r->options.nrows && tg_tokenizer_next_line(&r->tokens))
        if (!read_row(r)) return false;
    return true;
}

/* The columns that turned out to be str after some rows, as texts from the first data line on. */
static bool reread_texts(Reader *r, const char *data, int64_t line) {
    int64_t count = 0;
    for (int64_t i = 0; i < r->columns; i++) {
        Builder *b = &r->builders[i];
        if (b->type == type_float && b->has_large && !b->has_fraction) { /* integers beyond int64 */
            free_cells(b, r->capacity);
            b->type = type_text;
            b->rereads = true;
        }
        if (b->rereads) {
            if (!tg_text_begin(&b->texts, r->rows)) return false;
            count++;
        }
    }
    if (count == 0) return true;
    r->tokens.text.at = data;
    r->tokens.line = line;
    for (int64_t row = 0; row < r->rows && tg_tokenizer_next_line(&r->tokens);) {
        if (r->options.on_bad_lines[0] != 'e' && !r->options.usecols[0] && row > 0) {
            const int64_t fields = tg_tokenizer_count_fields(&r->tokens);
            if (fields < 0) return false;
            if (fields > r->columns) {
                tg_Field skipped = {.ends_line = false};
                while (!skipped.ends_line)
                    if (!tg_tokenizer_field(&r->tokens, &skipped)) return false;
                continue;
            }
        }
        tg_Field field = {.ends_line = false};
        for (int64_t i = 0; !field.ends_line; i++) {
            if (!tg_tokenizer_field(&r->tokens, &field)) return false;
            Builder *b = i < r->columns ? &r->builders[i] : NULL;
            if (!b || !b->rereads) continue;
            if (is_missing(r, &field) ? !tg_text_add(&b->texts, NULL, 0) : !add_text(r, b, &field)) return false;
        }
        row++;
        for (int64_t i = 0; i < r->columns; i++) { /* a short line */
            Builder *b = &r->builders[i];
            if (b->rereads && b->texts.column->len < row && !tg_text_add(&b->texts, NULL, 0)) return false;
        }
    }
    return true;
}

/* ---- header ---- */

static bool add_builder(Reader *r, const char *name, size_t length) {
    if (r->columns == r->builders_capacity) {
        const int64_t capacity = r->columns ? 2 * r->columns : 16;
        Builder *larger = tg_alloc((size_t)capacity * sizeof *larger);
        if (!larger) return false;
        if (r->columns) memcpy(larger, r->builders, (size_t)r->columns * sizeof *larger);
        tg_free(r->builders, (size_t)r->builders_capacity * sizeof *larger);
        r->builders = larger;
        r->builders_capacity = capacity;
    }
    Builder *b = &r->builders[r->columns];
    *b = (Builder){.type = type_unknown, .name = malloc(length + 1)};
    if (!b->name) return tg_fail("out of memory: %zu bytes were asked for", length + 1);
    memcpy(b->name, name, length);
    b->name[length] = '\0';
    r->columns++;
    return true;
}

static bool has_name(const Reader *r, int64_t count, const char *name) {
    for (int64_t i = 0; i < count; i++)
        if (strcmp(r->builders[i].name, name) == 0) return true;
    return false;
}

/* The names of the header's line; empty ones are "Unnamed: 2", repeated ones "a.1". */
static bool read_header(Reader *r) {
    tg_Field field = {.ends_line = false};
    while (!field.ends_line) {
        char made[300];
        if (!tg_tokenizer_field(&r->tokens, &field)) return false;
        const bool is_unnamed = field.begin == field.end;
        if (is_unnamed) {
            const int length = snprintf(made, sizeof made, "Unnamed: %" PRId64, r->columns);
            field.begin = made;
            field.end = made + length;
        }
        const int64_t i = r->columns;
        if (!add_builder(r, field.begin, (size_t)(field.end - field.begin))) return false;
        r->builders[i].is_unnamed = is_unnamed;
        const size_t length = strlen(r->builders[i].name);
        if (tg_utf8_valid(r->builders[i].name, length) < length)
            return tg_fail("%s: the name of column %" PRId64 " is not UTF-8", r->tokens.text.name, i);
        for (int n = 1; has_name(r, i, r->builders[i].name); n++) {
            char *unique = malloc(length + 16);
            if (!unique) return tg_fail("out of memory: %zu bytes were asked for", length + 16);
            snprintf(unique, length + 16, "%.*s.%d", (int)length, r->builders[i].name, n);
            free(r->builders[i].name);
            r->builders[i].name = unique;
        }
    }
    return true;
}

/* Adds columns in front, which are row labels, or behind. */
static bool add_columns(Reader *r, int64_t count, bool in_front) {
    for (int64_t i = 0; i < count; i++) {
        if (!add_builder(r, "", 0)) return false;
        Builder last = r->builders[r->columns - 1];
        if (!in_front) continue;
        memmove(r->builders + 1, r->builders, (size_t)(r->columns - 1) * sizeof last);
        last.is_index = true;
        r->builders[0] = last;
    }
    return true;
}

static const char *dtype_of(const Reader *r, const char *name) {
    const char *dtype = NULL;
    for (int i = 0; i < PD_MOST_NAMES && r->options.dtype[i].dtype; i++) {
        const char *column = r->options.dtype[i].column;
        if (!column && !dtype) dtype = r->options.dtype[i].dtype;
        if (column && strcmp(column, name) == 0) return r->options.dtype[i].dtype;
    }
    return dtype;
}

/* The used column of that name; of a number that is no name: the n-th of those that are used. NULL: there is none. */
static Builder *find_column(Reader *r, const char *name) {
    int64_t n;
    for (int64_t i = 0; i < r->columns; i++)
        if (r->builders[i].type != type_skipped && strcmp(r->builders[i].name, name) == 0) return &r->builders[i];
    if (tg_parse_int64(name, name + strlen(name), &n) != tg_parsed || n < 0) return NULL;
    for (int64_t i = 0; i < r->columns; i++)
        if (r->builders[i].type != type_skipped && n-- == 0) return &r->builders[i];
    return NULL;
}

/* usecols, index_col, parse_dates and dtype. */
static bool choose_columns(Reader *r) {
    const pd_ReadCsvOptions *o = &r->options;
    bool *is_used = tg_alloc((size_t)(r->columns + 1) * sizeof *is_used), ok = is_used != NULL;
    for (int i = 0; ok && i < PD_MOST_NAMES && o->usecols[i]; i++) {
        const Builder *b = find_column(r, o->usecols[i]);
        if (b)
            is_used[b - r->builders] = true;
        else
            ok = tg_fail("%s: Usecols do not match columns, columns expected but not found: ['%s']",
                         r->tokens.text.name, o->usecols[i]);
    }
    for (int64_t i = 0; ok && o->usecols[0] && i < r->columns; i++)
        if (!is_used[i] && !r->builders[i].is_index) r->builders[i].type = type_skipped;
    tg_free(is_used, (size_t)(r->columns + 1) * sizeof *is_used);
    for (int i = 0; ok && i < PD_MOST_NAMES && o->parse_dates[i]; i++) {
        Builder *b = find_column(r, o->parse_dates[i]);
        if (!b)
            return tg_fail("%s: Missing column provided to 'parse_dates': '%s'", r->tokens.text.name,
                           o->parse_dates[i]);
        b->is_time = true;
    }
    if (ok && o->index_col && *o->index_col) {
        Builder *b = find_column(r, o->index_col);
        if (!b) return tg_fail("%s: Index %s invalid", r->tokens.text.name, o->index_col);
        b->is_index = true;
    }
    for (int64_t i = 0; ok && i < r->columns; i++) {
        Builder *b = &r->builders[i];
        b->dtype = b->is_index ? NULL : dtype_of(r, b->name);
        if (b->type != type_skipped &&
            (b->is_time || (b->dtype && (strcmp(b->dtype, "str") == 0 || strcmp(b->dtype, "object") == 0)))) {
            b->type = type_text;
            ok = tg_text_begin(&b->texts, 256);
        }
    }
    return ok;
}

/* Reads the header, and finds how many fields the first data line has. */
static bool begin(Reader *r) {
    pd_ReadCsvOptions *o = &r->options;
    tg_Tokenizer *t = &r->tokens;
    int64_t given = 0;
    while (given < PD_MOST_NAMES && o->names[given]) given++;
    if (o->header == PD_INFER) o->header = given ? T_NONE : 0;
    r->has_header = o->header != T_NONE;
    r->first = t->text.at;
    for (int64_t i = 0; i < o->skiprows && t->text.at < t->text.end; i++) tg_tokenizer_skip_line(t);
    for (int64_t i = 0; r->has_header && i <= o->header; i++) {
        if (!tg_tokenizer_next_line(t)) {
            if (i == 0) return tg_fail("%s: No columns to parse from file", t->text.name);
            return tg_fail("%s: Passed header=%" PRId64 " but only %" PRId64 " lines in file", t->text.name, o->header,
                           i);
        }
        tg_Field field = {.ends_line = false};
        if (i == o->header && !given) return read_header(r);
        while (!field.ends_line)
            if (!tg_tokenizer_field(t, &field)) return false;
    }
    if (!r->has_header && !tg_tokenizer_next_line(t)) return tg_fail("%s: No columns to parse from file", t->text.name);
    for (int64_t i = 0; i < given; i++) {
        if (has_name(r, i, o->names[i])) return tg_fail("Duplicate names are not allowed.");
        if (!add_builder(r, o->names[i], strlen(o->names[i]))) return false;
    }
    return true;
}

static bool fit_columns(Reader *r) {
    tg_Tokenizer *t = &r->tokens;
    if (!tg_tokenizer_next_line(t)) return true;
    const int64_t count = tg_tokenizer_count_fields(t);
    if (count < 0) return false;
    if (r->columns == 0) { /* neither names nor a header: 0, 1, 2, ... */
        for (int64_t i = 0; i < count; i++) {
            char name[24];
            if (!add_builder(r, name, (size_t)snprintf(name, sizeof name, "%" PRId64, i))) return false;
        }
        return true;
    }
    if (count <= r->columns) return true;
    const bool no_index = r->options.index_col != NULL || r->options.usecols[0];
    const int64_t more = count - r->columns;
    if (!no_index && more > 1)
        return tg_fail("%s: the first data line has %" PRId64 " fields and the header %" PRId64
                       ": row labels of several columns "
                       "(MultiIndex) are not supported; index_col = PD_NO_INDEX leaves the last fields out",
                       t->text.name, count, r->columns);
    if (!no_index) return add_columns(r, more, true);
    if (!add_columns(r, more, false)) return false;
    for (int64_t i = r->columns - more; i < r->columns; i++) r->builders[i].type = type_skipped;
    return true;
}

/* ---- the frame ---- */

static tg_Column *finish_values(const Reader *r, Builder *b) {
    static const t_DType dtypes[] = {[type_unknown] = t_float64,
                                     [type_int] = t_int64,
                                     [type_float] = t_float64,
                                     [type_bool] = t_bool,
                                     [type_object] = t_uint8};
    const t_DType dtype = dtypes[b->type];
    Tensor *x = tg_empty(&r->rows, 1, dtype);
    if (!x) return NULL;
    if (tg_itemsize(dtype) == 8) {
        if (r->rows) memcpy(tg_data(x), b->cells, (size_t)r->rows * sizeof *b->cells);
    } else {
        for (int64_t i = 0; i < r->rows; i++) ((uint8_t *)tg_data(x))[i] = (uint8_t)b->cells[i].integer;
    }
    return tg_column_of_tensor(x, b->type == type_object ? tg_column_object : tg_column_values);
}

/* A column of texts as times, or as it is if one of them is none; takes over the reference. */
static tg_Column *times_of(const Reader *r, tg_Column *column) {
    const pd_ToDatetimeOptions o = {
        .format = r->options.date_format, .errors = "raise", .dayfirst = r->options.dayfirst, .size = sizeof o};
    bool is_other = false;
    tg_Column *times = tg_column_to_datetime(column, &o, &is_other);
    if (is_other) return column;
    tg_column_drop(column);
    char reason[300];
    snprintf(reason, sizeof reason, "%s", times || !t_error_message() ? "" : t_error_message());
    if (!times) tg_fail("%s, parse_dates: %s", r->tokens.text.name, reason);
    return times;
}

/* Categories of integers that became floats because of missing values. */
static tg_Column *integer_categories(const tg_Column *column) {
    tg_Column *floats = tg_column_encoded(column);
    tg_Column *integers = floats ? tg_column_astype(floats->categories, "int64") : NULL;
    tg_Column *made = integers ? tg_column_of_codes(floats->values, integers, false) : NULL;
    tg_column_drop(integers);
    tg_column_drop(floats);
    return made;
}

/* numpy's cast of a column of numbers that may not change a value; on an error NULL. */
static tg_Column *convert_safely(const Reader *r, const Builder *b, const tg_Column *column, int64_t number) {
    const char *const name = r->tokens.text.name;
    bool has_missing = false;
    for (int64_t i = 0; i < column->len && !has_missing; i++) has_missing = tg_column_is_missing(column, i);
    const bool to_bool = strcmp(b->dtype, "bool") == 0;
    if (has_missing && column->kind == tg_column_object) {
        if (to_bool) return tg_fail("%s: Bool column has NA values in column %" PRId64, name, number);
        return tg_fail(
            "%s: cannot safely convert passed user dtype of %s for <class 'numpy.bool'> dtyped data in column "
            "%" PRId64 " due to NA values",
            name, b->dtype, number);
    }
    const bool are_integers =
        b->type == type_int || b->type == type_unknown || (b->type == type_float && !b->has_fraction && !b->has_large);
    if (has_missing && are_integers && !to_bool)
        return tg_fail("%s: Integer column has NA values in column %" PRId64, name, number);
    bool is_same = !has_missing;
    for (int64_t i = 0; is_same && i < column->len; i++) is_same = !isinf(tg_column_double(column, i));
    tg_Column *converted = is_same ? tg_column_astype(column, b->dtype) : NULL;
    if (is_same && !converted) return NULL; /* out of memory */
    for (int64_t i = 0; is_same && i < column->len; i++)
        is_same = b->type == type_int && !to_bool ? tg_column_int64(converted, i) == tg_column_int64(column, i)
                                                  : tg_column_double(converted, i) == tg_column_double(column, i);
    if (is_same) return converted;
    tg_column_drop(converted);
    const char *of = b->type == type_bool ? "bool" : are_integers ? "int64" : "float64";
    return tg_fail("%s: cannot safely convert passed user dtype of %s for %s dtyped data in column %" PRId64, name,
                   b->dtype, of, number);
}

/* A column without rows is object, as in pandas. */
static tg_Column *finish_column(const Reader *r, Builder *b, int64_t number) {
    tg_Column *column = NULL;
    if (b->type == type_text) {
        column = tg_text_end(&b->texts, true);
    } else if (r->rows == 0 && !b->dtype) {
        tg_TextBuilder none;
        column = tg_text_end(&none, tg_text_begin(&none, 1));
        if (column) column->is_object = true;
    } else {
        column = finish_values(r, b);
        free_cells(b, r->capacity);
    }
    if (column && b->is_time) return times_of(r, column);
    if (!column || !b->dtype) return column;
    const bool must_be_safe =
        strncmp(b->dtype, "int", 3) == 0 || strncmp(b->dtype, "uint", 4) == 0 || strcmp(b->dtype, "bool") == 0;
    tg_Column *converted = NULL;
    if (must_be_safe && column->kind != tg_column_text) {
        converted = convert_safely(r, b, column, number);
    } else {
        const bool integers = strcmp(b->dtype, "category") == 0 && b->type == type_float && !b->has_fraction;
        converted = integers ? integer_categories(column) : tg_column_astype(column, b->dtype);
        char reason[300];
        snprintf(reason, sizeof reason, "%s", converted || !t_error_message() ? "" : t_error_message());
        if (!converted) tg_fail("%s, column %" PRId64 ": %s", r->tokens.text.name, number, reason);
    }
    tg_column_drop(column);
    return converted;
}

static pd_DataFrame *finish(Reader *r) {
    tg_Index *index = NULL;
    for (int64_t i = 0; i < r->columns && !index; i++)
        if (r->builders[i].is_index) {
            index = tg_index_of(finish_column(r, &r->builders[i], i),
                                *r->builders[i].name && !r->builders[i].is_unnamed ? r->builders[i].name : NULL);
            if (!index) return NULL;
        }
    pd_DataFrame *df = tg_frame_new(r->rows, index ? index : tg_index_range(0, 1));
    bool ok = df != NULL;
    for (int64_t i = 0; ok && i < r->columns; i++) {
        Builder *b = &r->builders[i];
        if (b->type == type_skipped || b->is_index) continue;
        ok = tg_frame_append(df, b->name, finish_column(r, b, i));
    }
    return ok ? df : NULL;
}

static void close(Reader *r) {
    for (int64_t i = 0; i < r->columns; i++) {
        Builder *b = &r->builders[i];
        free_cells(b, r->capacity);
        tg_text_end(&b->texts, false);
        free(b->name);
    }
    tg_free(r->builders, (size_t)r->builders_capacity * sizeof *r->builders);
    tg_tokenizer_close(&r->tokens);
}

static bool read_data(Reader *r) {
    const char *const data = r->tokens.text.at;
    const int64_t line = r->tokens.line;
    return read_rows(r) && reread_texts(r, data, line);
}

static void print_warnings(Reader *r) {
    if (!r->has_warnings) return;
    bool warned = false;
    char *text = tg_output_take_text(&r->warnings, true);
    if (text) tg_warn(&warned, "%s", text);
    free(text);
}

static pd_DataFrame *read(const tg_Input *in, const pd_ReadCsvOptions *options) {
    Reader r = {.options = {PD_READ_CSV_DEFAULTS_}};
    if (!tg_take_options(&r.options, options, sizeof r.options) || !check_options(&r.options)) return NULL;
    if (tg_is_long_sep(r.options.sep)) r.options.quotechar = '\0'; /* as in pandas' Python engine, which reads these */
    prepare(&r);
    const int depth = t_scope_open();
    pd_DataFrame *df = NULL;
    if (depth && tg_tokenizer_open(&r.tokens, in, &r.options) && begin(&r) && fit_columns(&r) && choose_columns(&r) &&
        read_data(&r))
        df = finish(&r);
    print_warnings(&r);
    close(&r);
    return tg_scope_return(depth, df);
}

pd_DataFrame *pd_read_csv(const char *path, const pd_ReadCsvOptions *options) {
    tg_Input in;
    pd_DataFrame *df = tg_input_open(&in, path) ? read(&in, options) : NULL;
    tg_input_close(&in);
    return df;
}

pd_DataFrame *pd_read_csv_bytes(const void *bytes, size_t size, const pd_ReadCsvOptions *options) {
    tg_Input in;
    return tg_input_memory(&in, bytes, size, "the text in memory") ? read(&in, options) : NULL;
}
