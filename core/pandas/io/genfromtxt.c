/* core/pandas/io/genfromtxt.c: numpy.genfromtxt with names and dtype=None: a frame of typed columns. */
#include "core/pandas/io/genfromtxt.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/text/genfromtxt_internal.h"
#include "core/io/utf8.h"
#include "core/pandas/column.h"

typedef struct Names {
    char **items;
    int64_t count;
} Names;

typedef struct Cells {
    tg_TableField *items; /* row by row, in the text */
    int64_t count, capacity;
} Cells;

typedef struct Reader {
    tg_TableReader table;
    const np_GenfromtxtNamesOptions *options;
    Names names;      /* none, if has_names is false */
    int64_t *columns; /* usecols or use_names as numbers, from 0; NULL: all */
    Cells cells;
    int64_t rows, kept; /* kept: without those of skip_footer */
} Reader;

/* ---- names ---- */

static void free_names(Names *names) {
    for (int64_t i = 0; i < names->count; i++) free(names->items[i]);
    free(names->items);
    *names = (Names){0};
}

/* length + more bytes, of which the first are the text. */
static char *copy_text(const char *text, size_t length, size_t more) {
    char *copy = malloc(length + more + 1);
    if (!copy) {
        tg_fail("out of memory: %zu bytes were asked for", length + more + 1);
        return NULL;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static bool has_name(const Names *names, const char *name) {
    for (int64_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0) return true;
    return false;
}

/* The name without what numpy's NameValidator deletes; NULL on out of memory. */
static char *clean_name(const char *name, const np_GenfromtxtNamesOptions *o) {
    const char *end = name + strlen(name), *space = o->replace_space ? o->replace_space : "_";
    tg_strip(&name, &end);
    char *clean = copy_text("", 0, (size_t)(end - name) * (strlen(space) + 1) + 1), *to = clean;
    if (!clean) return NULL;
    for (; name < end; name++) {
        const bool is_space = *name == ' ' && *space;
        for (const char *from = is_space ? space : name, *stop = from + (is_space ? strlen(space) : 1); from < stop;
             from++)
            if (*from != '"' && !strchr(o->deletechars ? o->deletechars : "", *from)) *to++ = *from;
    }
    *to = '\0';
    const char first = o->case_sensitive ? *o->case_sensitive : '\0';
    for (to = clean; *to; to++) {
        if (first == 'u' && *to >= 'a' && *to <= 'z') *to = (char)(*to - 'a' + 'A');
        if (first == 'l' && *to >= 'A' && *to <= 'Z') *to = (char)(*to - 'A' + 'a');
    }
    if (strcmp(clean, "return") == 0 || strcmp(clean, "file") == 0 || strcmp(clean, "print") == 0) strcat(clean, "_");
    return clean;
}

/* numpy's NameValidator: each name in turn becomes a valid one; given: them as they were. */
static bool validate_names(Names *names, const Names *given, const np_GenfromtxtNamesOptions *o) {
    enum { DIGITS = 24 };
    int64_t empty = 0;
    Names bare = {calloc((size_t)given->count + 1, sizeof *bare.items), 0}; /* without _1, _2 */
    names->items = calloc((size_t)given->count + 1, sizeof *names->items);
    bool ok = (bare.items && names->items) || tg_fail("out of memory: %" PRId64 " names", given->count);
    for (int64_t i = 0; ok && i < given->count; i++) {
        char *name = clean_name(given->items[i], o), number[DIGITS];
        if (name && !*name) {
            do snprintf(number, sizeof number, "f%" PRId64, empty++);
            while (has_name(given, number));
            free(name);
            name = copy_text(number, strlen(number), 0);
        }
        int64_t seen = 0;
        for (int64_t j = 0; name && j < bare.count; j++) seen += strcmp(bare.items[j], name) == 0;
        if (name) bare.items[bare.count++] = name;
        char *last = name ? copy_text(name, strlen(name), DIGITS) : NULL;
        if (last && seen) snprintf(last + strlen(last), DIGITS, "_%" PRId64, seen);
        if (last) names->items[names->count++] = last;
        ok = last != NULL;
    }
    free_names(&bare);
    return ok;
}

/* The names of the current line's fields. */
static bool names_of_line(Reader *r, int64_t first) {
    Names given = {calloc((size_t)r->table.count + 1, sizeof *given.items), 0};
    bool ok = given.items || tg_fail("out of memory: %" PRId64 " names", r->table.count);
    for (int64_t i = first; ok && i < r->table.count; i++) {
        const tg_TableField field = r->table.fields[i];
        const size_t length = (size_t)(field.end - field.begin);
        ok = (given.items[given.count] = copy_text(field.begin, length, 0)) != NULL;
        if (!ok) break;
        const char *name = given.items[given.count++];
        const size_t valid = strlen(name) < length ? strlen(name) : tg_utf8_valid(name, length);
        if (valid < length)
            ok = tg_fail_at_line(&r->table.text, r->table.line, "the name of column %" PRId64 " is not UTF-8",
                                 i - first);
    }
    ok = ok && validate_names(&r->names, &given, r->options);
    free_names(&given);
    return ok;
}

static bool given_names(Reader *r) {
    char *items[PD_MOST_NAMES]; /* not changed */
    Names given = {items, 0};
    for (; given.count < PD_MOST_NAMES && r->options->names[given.count]; given.count++)
        items[given.count] = (char *)r->options->names[given.count];
    return validate_names(&r->names, &given, r->options);
}

/* ---- the first line ---- */

/* The parts behind the first comment, without comments between them. */
static char *uncommented(const char *begin, const char *end, const char *comments) {
    char *line = copy_text("", 0, (size_t)(end - begin)), *to = line;
    if (!line) return NULL;
    const char *at = tg_table_find(begin, end, comments);
    if (at == end)
        at = begin;
    else
        at += strlen(comments);
    while (at < end) {
        const char *stop = tg_table_find(at, end, comments);
        memcpy(to, at, (size_t)(stop - at));
        to += stop - at;
        at = stop == end ? end : stop + strlen(comments);
    }
    *to = '\0';
    return line;
}

/* The first line with fields, and with names = True the names in it; *is_empty: there is none. */
static bool read_first(Reader *r, bool from_line, bool *is_empty) {
    tg_TableReader *t = &r->table;
    const char *comments = r->options->comments && *r->options->comments ? r->options->comments : NULL;
    while (true) {
        const tg_Text before = t->text;
        const char *begin, *end;
        *is_empty = !tg_text_line(&t->text, &begin, &end);
        if (*is_empty) return true;
        t->line++;
        char *line = NULL;
        if (from_line && comments) {
            line = uncommented(begin, end, comments);
            if (!line) return false;
            begin = line;
            end = line + strlen(line);
        }
        bool ok = tg_table_split(t, begin, end);
        const bool has_fields = ok && t->count > 0;
        if (has_fields && from_line) {
            tg_TableField first = t->fields[0];
            tg_strip(&first.begin, &first.end);
            const size_t length = (size_t)(first.end - first.begin);
            int64_t skipped = 0; /* numpy: a first name that is a part of the comment's text is none */
            for (const char *at = comments; at && !skipped && strlen(at) >= length; at++) {
                skipped = memcmp(at, first.begin, length) == 0;
            }
            ok = names_of_line(r, skipped);
            t->count -= skipped;
        }
        free(line);
        if (!ok) return false;
        if (!has_fields) continue;
        if (!from_line) { /* it is a line with values, too */
            t->text = before;
            t->line--;
        }
        return true;
    }
}

/* usecols as numbers of columns; names are then those of these columns. */
static bool choose_columns(Reader *r) {
    const np_GenfromtxtNamesOptions *o = r->options;
    tg_TableReader *t = &r->table;
    int64_t count = o->usecols.len;
    if (!count)
        while (count < PD_MOST_NAMES && o->use_names[count]) count++;
    t->columns = count ? count : t->count;
    if (!count) return true;
    r->columns = tg_alloc((size_t)count * sizeof *r->columns);
    if (!r->columns) return false;
    for (int64_t i = 0; i < count; i++) {
        int64_t column = 0;
        if (o->usecols.len) {
            column = o->usecols.items[i] + (o->usecols.items[i] < 0 ? t->count : 0);
        } else {
            while (column < r->names.count && strcmp(r->names.items[column], o->use_names[i]) != 0) column++;
            if (column == r->names.count) return tg_fail("%s: '%s' is not in list", t->text.name, o->use_names[i]);
        }
        r->columns[i] = column;
    }
    if (r->names.count <= count) return true;
    Names chosen = {calloc((size_t)count, sizeof *chosen.items), 0};
    bool ok = chosen.items || tg_fail("out of memory: %" PRId64 " names", count);
    for (int64_t i = 0; ok && i < count; i++) {
        const int64_t column = r->columns[i] + (r->columns[i] < 0 ? r->names.count : 0);
        ok = (column >= 0 && column < r->names.count) || tg_fail("%s: list index out of range", t->text.name);
        const char *name = ok ? r->names.items[column] : NULL;
        ok = ok && (chosen.items[i] = copy_text(name, strlen(name), 0)) != NULL;
        chosen.count += ok;
    }
    free_names(&r->names);
    r->names = chosen;
    return ok;
}

/* ---- rows ---- */

static bool add_row(Reader *r) {
    tg_TableReader *t = &r->table;
    Cells *c = &r->cells;
    while (t->columns > c->capacity - c->count) {
        tg_TableField *larger = tg_table_grow(c->items, c->count, &c->capacity, sizeof *larger);
        if (!larger) return false;
        c->items = larger;
    }
    for (int64_t i = 0; i < t->columns; i++) {
        tg_TableField field = tg_table_column(t, r->columns, i);
        if (r->options->autostrip) tg_strip(&field.begin, &field.end);
        c->items[c->count++] = field;
    }
    r->rows++;
    return true;
}

static bool read_rows(Reader *r) {
    tg_TableReader *t = &r->table;
    const np_GenfromtxtNamesOptions *o = r->options;
    const char *begin, *end;
    int64_t last, seen = 0;
    bool ok = tg_table_last(t, &last);
    while (ok && (o->max_rows == T_NONE || r->rows < o->max_rows) && tg_text_line(&t->text, &begin, &end)) {
        t->line++;
        ok = tg_table_split(t, begin, end);
        if (!ok || t->count == 0) continue;
        const bool is_valid = tg_table_has_columns(t, r->columns);
        if (is_valid)
            ok = add_row(r);
        else if (seen < last)
            ok = tg_table_add_invalid(t);
        r->kept += is_valid && seen < last;
        seen++;
    }
    return ok && (t->invalid_count == 0 || tg_table_report_invalid(t));
}

/* ---- columns ---- */

/* The first dtype that all fields of the column are, or are missing in; t_int8: text. */
static t_DType dtype_of(const Reader *r, int64_t column) {
    static const t_DType dtypes[] = {t_bool, t_int64, t_float64};
    for (int kind = 0; kind < 3; kind++) {
        bool fits = true;
        for (int64_t i = 0; i < r->rows && fits; i++) {
            const tg_TableField field = r->cells.items[i * r->table.columns + column];
            bool truth;
            int64_t integer;
            double real;
            fits = (kind == 0   ? tg_table_bool(field, &truth)
                    : kind == 1 ? tg_table_int64(field, &integer)
                                : tg_table_double(field, &real)) ||
                   tg_table_is_missing(r->table.options, field);
        }
        if (fits) return dtypes[kind];
    }
    return t_int8;
}

static tg_Column *text_column(const Reader *r, int64_t column) {
    tg_TextBuilder builder;
    bool ok = tg_text_begin(&builder, r->kept + 1);
    for (int64_t i = 0; ok && i < r->kept; i++) {
        const tg_TableField field = r->cells.items[i * r->table.columns + column];
        const size_t length = (size_t)(field.end - field.begin);
        ok = tg_text_add(&builder, field.begin, length);
        const char *text = ok ? builder.column->chars + builder.column->offsets[i] : "";
        const size_t valid = ok ? tg_utf8_valid(text, strlen(text)) : 0;
        if (ok && valid < length)
            ok = text[valid]
                     ? tg_fail("%s: row %" PRId64 ": 'utf-8' codec can't decode byte 0x%02x in position %zu of a field",
                               r->table.text.name, i, (unsigned char)text[valid], valid)
                     : tg_fail("%s: row %" PRId64 ": a field has a zero byte", r->table.text.name, i);
    }
    return tg_text_end(&builder, ok);
}

static tg_Column *column_of(const Reader *r, int64_t column) {
    const t_DType dtype = dtype_of(r, column);
    if (dtype == t_int8) return text_column(r, column);
    Tensor *x = tg_empty(&r->kept, 1, dtype);
    if (!x) return NULL;
    const double fill = tg_table_filling_value(r->table.options, column);
    void *data = tg_data(x);
    for (int64_t i = 0; i < r->kept; i++) {
        const tg_TableField field = r->cells.items[i * r->table.columns + column];
        if (dtype == t_bool && !tg_table_bool(field, (bool *)data + i))
            ((bool *)data)[i] = !isnan(fill) && fill != 0;
        else if (dtype == t_int64 && !tg_table_int64(field, (int64_t *)data + i))
            ((int64_t *)data)[i] = fill >= -0x1p63 && fill < 0x1p63 ? (int64_t)fill : -1;
        else if (dtype == t_float64 && !tg_table_double(field, (double *)data + i))
            ((double *)data)[i] = fill;
    }
    return tg_column_of_tensor(x, tg_column_values);
}

static pd_DataFrame *make_frame(const Reader *r) {
    const int64_t count = r->table.columns;
    const char *file = r->table.text.name;
    if (r->names.count && r->names.count < count && r->kept)
        return tg_fail("%s: could not assign tuple of length %" PRId64 " to structure with %" PRId64 " fields.", file,
                       count, r->names.count);
    const bool has_names = r->options->has_names;
    const Names used = {r->names.items, has_names && r->names.count < count ? r->names.count : count};
    for (int64_t i = 0; has_names && i < used.count; i++) {
        const Names before = {used.items, i};
        if (has_name(&before, used.items[i]))
            return tg_fail("%s: field '%s' occurs more than once", file, used.items[i]);
    }
    tg_Index *index = tg_index_range(0, 1);
    pd_DataFrame *df = index ? tg_frame_new(r->kept, index) : NULL;
    bool ok = df != NULL;
    for (int64_t i = 0; ok && i < used.count; i++) {
        char number[24];
        snprintf(number, sizeof number, "f%" PRId64, i);
        ok = tg_frame_append(df, has_names ? used.items[i] : number, column_of(r, i));
    }
    if (ok) return df;
    t_release(df);
    return NULL;
}

/* ---- public ---- */

static bool check_options(const np_GenfromtxtNamesOptions *o, const np_GenfromtxtOptions *base) {
    const char *c = o->case_sensitive;
    if (c && *c != 'u' && *c != 'l') return tg_fail("unrecognized case_sensitive value %s.", c);
    if (o->usecols.len && o->use_names[0]) return tg_fail("usecols and use_names exclude each other");
    if (!o->has_names && (o->names[0] || o->use_names[0])) return tg_fail("names are given, but has_names is false");
    return tg_table_check_options(base);
}

static pd_DataFrame *read(Reader *r) {
    static _Thread_local bool warned;
    const np_GenfromtxtNamesOptions *o = r->options;
    tg_TableReader *t = &r->table;
    const bool from_line = o->has_names && !o->names[0];
    const char *begin, *end;
    bool is_empty;
    while (t->line < o->skip_header && tg_text_line(&t->text, &begin, &end)) t->line++;
    if (!read_first(r, from_line, &is_empty)) return NULL;
    if (is_empty) {
        tg_warn(&warned, "genfromtxt: Empty input file: \"%s\"", t->text.name);
        if (from_line) return tg_fail("%s: list index out of range", t->text.name);
        t->count = 0;
    }
    if (o->names[0] && !given_names(r)) return NULL;
    return choose_columns(r) && read_rows(r) ? make_frame(r) : NULL;
}

static pd_DataFrame *load(const tg_Input *in, const np_GenfromtxtNamesOptions *options) {
    np_GenfromtxtNamesOptions o = {NP_GENFROMTXT_NAMES_DEFAULTS_};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    np_GenfromtxtOptions base = {NP_GENFROMTXT_DEFAULTS_};
    base.comments = o.comments;
    base.delimiter = o.delimiter;
    base.skip_header = o.skip_header;
    base.skip_footer = o.skip_footer;
    memcpy(base.missing_values, o.missing_values, sizeof base.missing_values);
    base.filling_values = o.filling_values;
    base.usecols = o.usecols;
    base.widths = o.widths;
    base.invalid_raise = o.invalid_raise;
    base.max_rows = o.max_rows;
    if (!check_options(&o, &base)) return NULL;
    Reader r = {.table = {.options = &base}, .options = &o};
    pd_DataFrame *df = tg_text_open(&r.table.text, in) ? read(&r) : NULL;
    free_names(&r.names);
    if (r.columns) tg_free(r.columns, (size_t)r.table.columns * sizeof *r.columns);
    tg_free(r.cells.items, (size_t)r.cells.capacity * sizeof *r.cells.items);
    tg_table_close(&r.table);
    return df;
}

pd_DataFrame *np_genfromtxt_names(const char *fname, const np_GenfromtxtNamesOptions *options) {
    tg_Input in;
    pd_DataFrame *df = tg_input_open(&in, fname) ? load(&in, options) : NULL;
    tg_input_close(&in);
    return df;
}

pd_DataFrame *np_genfromtxt_names_bytes(const void *bytes, size_t size, const np_GenfromtxtNamesOptions *options) {
    tg_Input in;
    return tg_input_memory(&in, bytes, size, "the text in memory") ? load(&in, options) : NULL;
}
