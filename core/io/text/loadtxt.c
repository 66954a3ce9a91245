/* core/io/text/loadtxt.c: numpy.loadtxt. Splits lines into fields as numpy's tokenizer does, and converts each field.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/io/text/decimal.h"
#include "core/io/text/table_internal.h"
#include "core/tensor/tensor.h"

/* A field of the current row: in the text, or (if quotes were removed) in the scratch buffer. */
typedef struct Field {
    const char *begin, *end;
    bool is_quoted;
} Field;

typedef struct Reader {
    tg_Text text;
    const np_LoadtxtOptions *options;
    char delimiter, quote; /* '\0': white space; none */
    bool is_special[256];  /* bytes that may end a field: delimiter, white space, ends of lines, comments */
    int64_t line;          /* of the current row's first line, from 1 */
    int64_t lines;         /* read so far */
    Field *fields;
    int64_t count, capacity;
    char *scratch; /* as long as the text, for unquoted fields of one row */
    size_t scratch_size, scratch_used;
} Reader;

/* ---- options ---- */

static bool check_control(const char *text, const char *name) {
    if (!text) return true;
    if (!text[0] || text[1])
        return tg_fail("Text reading control character must be a single unicode character or None; but got: '%s'",
                       text);
    if (*text == '\n' || *text == '\r')
        return tg_fail("control character '%s' cannot be a newline (`\\r` or `\\n`).", name);
    return true;
}

static bool check_options(const np_LoadtxtOptions *o) {
    if (!tg_check_dtype(o->dtype) || !check_control(o->delimiter, "delimiter") ||
        !check_control(o->quotechar, "quotechar"))
        return false;
    if (o->ndmin < 0 || o->ndmin > 2) return tg_fail("Illegal value of ndmin keyword: %" PRId64, o->ndmin);
    if (o->skiprows < 0) return tg_fail("argument must be nonnegative");
    if (o->max_rows != T_NONE && o->max_rows < 0) return tg_fail("argument must be nonnegative");
    if (o->usecols.len < 0 || (o->usecols.len && !o->usecols.items)) return tg_fail("usecols has no items");
    if (o->delimiter && o->quotechar && *o->delimiter == *o->quotechar)
        return tg_fail("The values for control characters 'quotechar' and 'delimiter' are incompatible");
    int comments = 0;
    bool is_long = false;
    for (; comments < NP_MOST_COMMENTS && o->comments[comments]; comments++) {
        const char *comment = o->comments[comments];
        if (!*comment) return tg_fail("comments cannot be an empty string. Use comments=None to disable comments.");
        is_long = is_long || comment[1] != '\0';
        if (!comment[1] && !check_control(comment, "comment")) return false;
        if (o->quotechar && strcmp(comment, o->quotechar) == 0)
            return tg_fail("The values for control characters 'comment' and 'quotechar' are incompatible");
        if (o->delimiter && strcmp(comment, o->delimiter) == 0)
            return tg_fail("The values for control characters 'comment' and 'delimiter' are incompatible");
    }
    if (o->quotechar && (comments > 1 || is_long))
        return tg_fail(
            "when multiple comments or a multi-character comment is given, quotes are not supported.  In this "
            "case quotechar must be set to None.");
    return true;
}

static bool begin(Reader *r, const np_LoadtxtOptions *o) {
    r->options = o;
    r->delimiter = o->delimiter ? *o->delimiter : '\0';
    r->quote = o->quotechar ? *o->quotechar : '\0';
    r->is_special['\n'] = r->is_special['\r'] = true;
    if (r->delimiter)
        r->is_special[(unsigned char)r->delimiter] = true;
    else
        for (int c = 0; c < 128; c++) r->is_special[c] = r->is_special[c] || tg_is_space((char)c);
    for (int i = 0; i < NP_MOST_COMMENTS && o->comments[i]; i++) r->is_special[(unsigned char)*o->comments[i]] = true;
    const char *line_begin, *line_end;
    for (int64_t i = 0; i < o->skiprows && tg_text_line(&r->text, &line_begin, &line_end); i++) r->lines++;
    return true;
}

/* ---- one row ---- */

static bool is_comment(const Reader *r, const char *at) {
    for (int i = 0; i < NP_MOST_COMMENTS && r->options->comments[i]; i++) {
        const size_t length = strlen(r->options->comments[i]);
        if ((size_t)(r->text.end - at) >= length && memcmp(at, r->options->comments[i], length) == 0) return true;
    }
    return false;
}

static bool add_field(Reader *r, const char *begin, const char *end, bool is_quoted) {
    if (r->count == r->capacity) {
        const int64_t capacity = r->capacity ? 2 * r->capacity : 32;
        Field *larger = tg_alloc_raw((size_t)capacity * sizeof *larger);
        if (!larger) return false;
        if (r->count) memcpy(larger, r->fields, (size_t)r->count * sizeof *larger);
        tg_free(r->fields, (size_t)r->capacity * sizeof *larger);
        r->fields = larger;
        r->capacity = capacity;
    }
    r->fields[r->count++] = (Field){begin, end, is_quoted};
    return true;
}

/* Skips the end of a line at `at`. */
static const char *after_newline(Reader *r, const char *at) {
    r->lines++;
    return at + (*at == '\r' && at + 1 < r->text.end && at[1] == '\n' ? 2 : 1);
}

/* A field that begins with the quote, which is at `at`: copied without quotes. Returns its end in the text. */
static const char *read_quoted(Reader *r, const char *at) {
    if (!r->scratch) {
        r->scratch_size = (size_t)(r->text.end - r->text.at) + 1;
        r->scratch = tg_alloc_raw(r->scratch_size);
        if (!r->scratch) return NULL;
    }
    char *to = r->scratch + r->scratch_used, *const first = to;
    const char *const end = r->text.end;
    for (at++; at < end; at++) {
        if (*at == r->quote && at + 1 < end && at[1] == r->quote)
            at++; /* "" is one quote */
        else if (*at == r->quote)
            break;
        else if (*at == '\n')
            r->lines++;
        *to++ = *at;
    }
    if (at < end) at++;
    while (at < end && (!r->is_special[(unsigned char)*at] || /* as numpy, what follows the quotes is added */
                        !(*at == '\n' || *at == '\r' || is_comment(r, at) ||
                          (r->delimiter ? *at == r->delimiter : tg_is_space(*at)))))
        *to++ = *at++;
    r->scratch_used = (size_t)(to - r->scratch);
    return add_field(r, first, to, true) ? at : NULL;
}

/* Reads the fields of the next row that is not empty; false at the end of the text, and on an error. */
static bool read_row(Reader *r) {
    const char *at = r->text.at, *const end = r->text.end;
    for (r->count = 0; at < end && r->count == 0;) {
        r->line = r->lines + 1;
        r->scratch_used = 0;
        bool in_line = true;
        while (in_line) {
            if (!r->delimiter)
                while (at < end && tg_is_space(*at) && *at != '\n' && *at != '\r') at++;
            const char *first = at;
            if (r->quote && at < end && *at == r->quote) {
                at = read_quoted(r, at);
                if (!at) return false;
            } else {
                for (;; at++) {
                    while (at < end && !r->is_special[(unsigned char)*at]) at++;
                    if (at == end || *at == '\n' || *at == '\r' || is_comment(r, at)) break;
                    if (r->delimiter ? *at == r->delimiter : tg_is_space(*at)) break;
                }
                if ((r->delimiter || at > first) && !add_field(r, first, at, false)) return false;
            }
            const bool is_delimited =
                at < end && (r->delimiter ? *at == r->delimiter : tg_is_space(*at) && *at != '\n' && *at != '\r');
            if (is_delimited) {
                at++;
                continue;
            }
            while (at < end && *at != '\n' && *at != '\r') at++; /* a comment */
            if (at < end) at = after_newline(r, at);
            in_line = false;
        }
        if (r->count == 1 && r->fields[0].begin == r->fields[0].end && !r->fields[0].is_quoted) r->count = 0;
    }
    r->text.at = at;
    return r->count > 0;
}

/* ---- values ---- */

/* Python's repr of the field, as numpy cuts it after 100 characters. */
static const char *repr(const Field *f, char to[420]) {
    const bool has_single = memchr(f->begin, '\'', (size_t)(f->end - f->begin)) != NULL;
    const char quote = has_single && !memchr(f->begin, '"', (size_t)(f->end - f->begin)) ? '"' : '\'';
    size_t n = 0;
    int characters = 1;
    to[n++] = quote;
    for (const char *at = f->begin; at < f->end && characters < 100 && n < 400; at++, characters++) {
        const unsigned char c = (unsigned char)*at;
        if (c == (unsigned char)quote || c == '\\')
            n += (size_t)sprintf(to + n, "\\%c", c);
        else if (c == '\t' || c == '\n' || c == '\r')
            n += (size_t)sprintf(to + n, "\\%c", c == '\t' ? 't' : c == '\n' ? 'n' : 'r');
        else if (c < 0x20 || c == 0x7f)
            n += (size_t)sprintf(to + n, "\\x%02x", c);
        else
            to[n++] = (char)c;
        while (at + 1 < f->end && ((unsigned char)at[1] & 0xc0) == 0x80 && n < 400)
            to[n++] = *++at; /* of one character */
    }
    if (characters < 100) to[n++] = quote;
    to[n] = '\0';
    return to;
}

static bool convert(Reader *r, tg_Elements *to, int64_t index, const Field *field, int64_t row, int64_t column) {
    const char *begin = field->begin, *end = field->end;
    double value;
    int64_t integer;
    tg_strip(&begin, &end);
    if (tg_is_floating(to->dtype)) {
        if (tg_parse_double(begin, end, '.', &value) == end) {
            tg_elements_set_double(to, index, value);
            return true;
        }
    } else if (tg_parse_int64(begin, end, &integer) == tg_parsed && tg_is_in_int64_range(integer, to->dtype)) {
        tg_elements_set_int64(to, index, integer);
        return true;
    }
    char text[420];
    return tg_fail_at_line(&r->text, r->line,
                           "could not convert string %s to %s at row %" PRId64 ", column %" PRId64 ".",
                           repr(field, text), tg_dtype_name(to->dtype), row, column + 1);
}

static bool take_row(Reader *r, tg_Elements *to, int64_t row, int64_t columns) {
    const np_Columns *usecols = &r->options->usecols;
    if (!usecols->len && r->count != columns)
        return tg_fail_at_line(&r->text, r->line,
                               "the number of columns changed from %" PRId64 " to %" PRId64 " at row %" PRId64
                               "; use `usecols` to select a subset and avoid this error",
                               columns, r->count, row + 1);
    if (!tg_elements_reserve(to, columns)) return false;
    for (int64_t i = 0; i < columns; i++) {
        const int64_t wanted = usecols->len ? usecols->items[i] : i, column = wanted < 0 ? wanted + r->count : wanted;
        if (column < 0 || column >= r->count)
            return tg_fail_at_line(&r->text, r->line,
                                   "invalid column index %" PRId64 " at row %" PRId64 " with %" PRId64 " columns",
                                   wanted, row + 1, r->count);
        if (!convert(r, to, to->count + i, &r->fields[column], row, column)) return false;
    }
    to->count += columns;
    return true;
}

static Tensor *read(Reader *r) {
    static _Thread_local bool warned;
    const np_LoadtxtOptions *o = r->options;
    const int64_t failures = tg_context()->failures;
    tg_Elements elements = {.dtype = o->dtype ? o->dtype : t_float64};
    int64_t rows = 0, columns = o->usecols.len;
    while (rows != o->max_rows && read_row(r)) {
        if (rows == 0 && !columns) columns = r->count;
        if (!take_row(r, &elements, rows, columns)) break;
        rows++;
    }
    if (tg_failed_since(failures)) {
        tg_elements_free(&elements);
        return NULL;
    }
    if (rows == 0) {
        tg_warn(&warned, "loadtxt: input contained no data: \"%s\"", r->text.name);
        if (columns == 0) columns = 1;
    }
    return tg_elements_take(&elements, rows, columns, o->ndmin, o->unpack);
}

static Tensor *load(const tg_Input *in, const np_LoadtxtOptions *options) {
    np_LoadtxtOptions o = {NP_LOADTXT_DEFAULTS_};
    if (!tg_take_options(&o, options, sizeof o) || !check_options(&o)) return NULL;
    Reader r = {.options = &o};
    Tensor *x = tg_text_open(&r.text, in) && begin(&r, &o) ? read(&r) : NULL;
    tg_free(r.fields, (size_t)r.capacity * sizeof *r.fields);
    tg_free(r.scratch, r.scratch_size);
    tg_text_close(&r.text);
    return x;
}

Tensor *np_loadtxt(const char *fname, const np_LoadtxtOptions *options) {
    tg_Input in;
    Tensor *x = tg_input_open(&in, fname) ? load(&in, options) : NULL;
    tg_input_close(&in);
    return x;
}

Tensor *np_loadtxt_bytes(const void *bytes, size_t size, const np_LoadtxtOptions *options) {
    tg_Input in;
    return tg_input_memory(&in, bytes, size, "the text in memory") ? load(&in, options) : NULL;
}
