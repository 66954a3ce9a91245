/* core/pandas/frame.c: frames, series and their row labels: made, found, kept and dropped. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/pandas/column.h"

char *tg_copy_text(const char *text) {
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy) tg_fail("out of memory: %zu bytes were asked for", strlen(text) + 1);
    return copy;
}

/* ---- row labels ---- */

tg_Index *tg_index_range(int64_t start, int64_t step) {
    tg_Index *index = tg_alloc(sizeof *index);
    if (index) *index = (tg_Index){.refs = 1, .start = start, .step = step};
    return index;
}

tg_Index *tg_index_of(tg_Column *labels, const char *name) {
    tg_Index *index = labels ? tg_index_range(0, 1) : NULL;
    if (index && name && !(index->name = tg_copy_text(name))) {
        tg_index_drop(index);
        index = NULL;
    }
    if (index)
        index->labels = labels;
    else
        tg_column_drop(labels);
    return index;
}

tg_Index *tg_index_keep(tg_Index *index) {
    index->refs++;
    return index;
}

void tg_index_drop(tg_Index *index) {
    if (!index || --index->refs > 0) return;
    tg_column_drop(index->labels);
    free(index->name);
    tg_free(index, sizeof *index);
}

tg_Index *tg_index_take(const tg_Index *index, const int64_t *rows, int64_t count) {
    if (index->labels) return tg_index_of(tg_column_take(index->labels, rows, count), index->name);
    bool is_range = true; /* evenly spaced labels stay a range */
    for (int64_t i = 2; i < count && is_range; i++) is_range = rows[i] - rows[i - 1] == rows[1] - rows[0];
    if (count > 1) is_range = is_range && rows[1] != rows[0];
    if (is_range)
        return tg_index_range(count ? index->start + rows[0] * index->step : 0,
                              count > 1 ? (rows[1] - rows[0]) * index->step : 1);
    const int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(&count, 1, t_int64) : NULL;
    for (int64_t i = 0; x && i < count; i++) ((int64_t *)tg_data(x))[i] = index->start + rows[i] * index->step;
    tg_Index *taken = tg_index_of(tg_column_of_tensor(x, tg_column_values), index->name);
    t_scope_close(depth);
    return taken;
}

bool tg_index_same(const tg_Index *a, const tg_Index *b, int64_t len) {
    if (a == b || len == 0) return true;
    if (!a->labels && !b->labels) return a->start == b->start && (a->step == b->step || len == 1);
    if (!a->labels || !b->labels || a->labels->kind != b->labels->kind) return false;
    char first[400], second[400];
    for (int64_t i = 0; i < len; i++) {
        const char *x = tg_column_item(a->labels, i, first), *y = tg_column_item(b->labels, i, second);
        if (!x != !y || (x && strcmp(x, y) != 0)) return false;
    }
    return true;
}

/* ---- frames ---- */

static void frame_destroy(void *object) {
    pd_DataFrame *df = object;
    tg_object_dispose(&df->object);
    for (int64_t i = 0; i < df->width; i++) {
        free(df->items[i].name);
        tg_column_drop(df->items[i].column);
    }
    tg_free(df->items, (size_t)df->capacity * sizeof *df->items);
    tg_index_drop(df->index);
    tg_object_free(&df->object, sizeof *df);
}

static const t_Class frame_class = {"DataFrame", frame_destroy};

pd_DataFrame *tg_frame_new(int64_t len, tg_Index *index) {
    pd_DataFrame *df = index ? tg_alloc(sizeof *df) : NULL;
    if (!df) {
        tg_index_drop(index);
        return NULL;
    }
    df->len = len;
    df->index = index;
    tg_object_init(&df->object, &frame_class);
    return df;
}

int64_t tg_frame_find(const pd_DataFrame *df, const char *name) {
    for (int64_t i = 0; i < df->width; i++)
        if (strcmp(df->items[i].name, name) == 0) return i;
    return -1;
}

bool tg_frame_append(pd_DataFrame *df, const char *name, tg_Column *column) {
    char *copy = column ? tg_copy_text(name) : NULL;
    if (!copy) {
        tg_column_drop(column);
        return false;
    }
    if (df->width == df->capacity) {
        const int64_t capacity = df->capacity ? 2 * df->capacity : 16;
        tg_FrameItem *larger = tg_alloc_raw((size_t)capacity * sizeof *larger);
        if (!larger) {
            free(copy);
            tg_column_drop(column);
            return false;
        }
        if (df->width) memcpy(larger, df->items, (size_t)df->width * sizeof *larger);
        tg_free(df->items, (size_t)df->capacity * sizeof *larger);
        df->items = larger;
        df->capacity = capacity;
    }
    df->items[df->width++] = (tg_FrameItem){copy, column};
    return true;
}

bool tg_frame_set(pd_DataFrame *df, const char *name, tg_Column *column) {
    const int64_t i = tg_frame_find(df, name);
    if (!column || i < 0) return tg_frame_append(df, name, column);
    tg_column_drop(df->items[i].column);
    df->items[i].column = column;
    return true;
}

bool tg_frame_rename(pd_DataFrame *df, int64_t i, const char *name) {
    char *copy = tg_copy_text(name);
    if (!copy) return false;
    free(df->items[i].name);
    df->items[i].name = copy;
    return true;
}

bool tg_frame_key_error(const char *name) {
    return tg_fail("KeyError: '%s'", name);
}

bool tg_check_frame(const pd_DataFrame *df, int position) {
    if (!tg_check_given(df != NULL, position, "a DataFrame")) return false;
    return df->object.is_a == &frame_class ||
           tg_fail("argument %d is no DataFrame, or one that died with its scope: t_keep() carries it out", position);
}

/* ---- series ---- */

static void series_destroy(void *object) {
    pd_Series *s = object;
    tg_object_dispose(&s->object);
    free(s->name);
    tg_column_drop(s->column);
    tg_index_drop(s->index);
    tg_object_free(&s->object, sizeof *s);
}

static const t_Class series_class = {"Series", series_destroy};

pd_Series *tg_series_new(tg_Column *column, tg_Index *index, const char *name) {
    pd_Series *s = column && index ? tg_alloc(sizeof *s) : NULL;
    if (s && name && !(s->name = tg_copy_text(name))) {
        tg_free(s, sizeof *s);
        s = NULL;
    }
    if (!s) {
        tg_column_drop(column);
        tg_index_drop(index);
        return NULL;
    }
    s->len = column->len;
    s->column = column;
    s->index = index;
    tg_object_init(&s->object, &series_class);
    return s;
}

bool tg_check_series(const pd_Series *s, int position) {
    if (!tg_check_given(s != NULL, position, "a Series")) return false;
    return s->object.is_a == &series_class ||
           tg_fail("argument %d is no Series, or one that died with its scope: t_keep() carries it out", position);
}

/* ---- from tensors and texts ---- */

/* A column of one dim; bfloat16 becomes float32, which pandas has. */
static tg_Column *column_of(Tensor *x) {
    const int depth = t_scope_open();
    Tensor *y = depth ? t_detach(x) : NULL;
    if (y && tg_is_half(y->dtype)) y = t_to(y, t_float32);
    y = y ? t_clone(t_contiguous(y)) : NULL;
    tg_Column *column = tg_column_of_tensor(y, tg_column_values);
    t_scope_close(depth);
    return column;
}

pd_DataFrame *pd_DataFrame_new(const t_TensorDict *data) {
    if (!tg_check_dict(data, 1)) return NULL;
    const int depth = t_scope_open();
    pd_DataFrame *df = depth ? tg_frame_new(0, tg_index_range(0, 1)) : NULL;
    bool ok = df != NULL;
    for (int64_t i = 0; ok && i < data->len; i++) {
        Tensor *x = data->items[i].tensor;
        if (!x || x->ndim != 1)
            ok = tg_fail("Per-column arrays must each be 1-dimensional");
        else if (i > 0 && x->shape[0] != df->len)
            ok = tg_fail("All arrays must be of the same length");
        if (!ok) break;
        df->len = x->shape[0];
        ok = tg_frame_append(df, data->items[i].name, column_of(x));
    }
    return tg_scope_return(depth, ok ? df : NULL);
}

pd_DataFrame *pd_DataFrame_of_tensor(Tensor *x, const char *const *names, int64_t count) {
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim != 2) return tg_fail("Must pass 2-d input. shape=%s", tg_shape_of(x));
    const int64_t rows = x->shape[0], columns = x->shape[1];
    if (names && count != columns)
        return tg_fail("Shape of passed values is (%" PRId64 ", %" PRId64 "), indices imply (%" PRId64 ", %" PRId64 ")",
                       rows, columns, rows, count);
    for (int64_t i = 0; names && i < count; i++)
        if (!names[i]) return tg_fail("the name of column %" PRId64 " is NULL", i);
    const int depth = t_scope_open();
    pd_DataFrame *df = depth ? tg_frame_new(rows, tg_index_range(0, 1)) : NULL;
    bool ok = df != NULL;
    for (int64_t i = 0; ok && i < columns; i++) {
        char number[24];
        snprintf(number, sizeof number, "%" PRId64, i);
        Tensor *column = tg_view(x, &rows, &x->strides[0], 1, x->offset + i * x->strides[1]);
        ok = column && tg_frame_append(df, names ? names[i] : number, column_of(column));
    }
    return tg_scope_return(depth, ok ? df : NULL);
}

pd_Series *pd_Series_new(Tensor *x, const char *name) {
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim != 1) return tg_fail("Data must be 1-dimensional, got ndarray of shape %s instead", tg_shape_of(x));
    return tg_series_new(column_of(x), tg_index_range(0, 1), name);
}

pd_Series *pd_Series_of_texts(const char *const *texts, int64_t count, const char *name) {
    tg_TextBuilder builder;
    if (!tg_check_array(texts, count, 1, "texts")) return NULL;
    bool ok = tg_text_begin(&builder, count);
    for (int64_t i = 0; ok && i < count; i++) ok = tg_text_add(&builder, texts[i], texts[i] ? strlen(texts[i]) : 0);
    return tg_series_new(tg_text_end(&builder, ok), tg_index_range(0, 1), name);
}

/* ---- columns ---- */

const char *pd_column_name(const pd_DataFrame *df, int64_t i) {
    if (!tg_check_frame(df, 1)) return NULL;
    if (i < -df->width || i >= df->width)
        return tg_fail("index %" PRId64 " is out of bounds for axis 0 with size %" PRId64, i, df->width);
    return df->items[i < 0 ? i + df->width : i].name;
}

bool pd_has_column(const pd_DataFrame *df, const char *name) {
    return tg_check_frame(df, 1) && tg_check_given(name != NULL, 2, "a name") && tg_frame_find(df, name) >= 0;
}

pd_Series *pd_DataFrame_getitem(const pd_DataFrame *df, const char *name) {
    if (!tg_check_frame(df, 1) || !tg_check_given(name != NULL, 2, "a name")) return NULL;
    const int64_t i = tg_frame_find(df, name);
    if (i < 0) return tg_frame_key_error(name) ? NULL : NULL;
    return tg_series_new(tg_column_keep(df->items[i].column), tg_index_keep(df->index), name);
}

pd_DataFrame *pd_DataFrame_select(const pd_DataFrame *df, const char *const *names, int64_t count) {
    if (!tg_check_frame(df, 1) || !tg_check_array(names, count, 2, "names")) return NULL;
    const int depth = t_scope_open();
    pd_DataFrame *part = depth ? tg_frame_new(df->len, tg_index_keep(df->index)) : NULL;
    bool ok = part != NULL;
    for (int64_t i = 0; ok && i < count && names[i]; i++) {
        const int64_t column = tg_frame_find(df, names[i]);
        ok = column < 0 ? tg_frame_key_error(names[i])
                        : tg_frame_append(part, names[i], tg_column_keep(df->items[column].column));
    }
    return tg_scope_return(depth, ok ? part : NULL);
}

static bool check_length(const pd_DataFrame *df, int64_t len) {
    if (df->width == 0 || len == df->len) return true;
    return tg_fail("Length of values (%" PRId64 ") does not match length of index (%" PRId64 ")", len, df->len);
}

/* A frame without columns gets the length of its first one. */
static bool set_column(pd_DataFrame *df, const char *name, tg_Column *column) {
    const int64_t len = column ? column->len : 0;
    const bool is_first = df->width == 0;
    if (!tg_frame_set(df, name, column)) return false;
    if (is_first) df->len = len;
    return true;
}

bool pd_setitem_series(pd_DataFrame *df, const char *name, const pd_Series *value) {
    if (!tg_check_frame(df, 1) || !tg_check_given(name != NULL, 2, "a name") || !tg_check_series(value, 3))
        return false;
    if (!check_length(df, value->len)) return false;
    if (df->width && !tg_index_same(df->index, value->index, df->len))
        return tg_fail(
            "the series for column '%s' has other row labels than the frame: pandas would align them, here reset "
            "one of them with pd_reset_index",
            name);
    return set_column(df, name, tg_column_keep(value->column));
}

bool pd_setitem_tensor(pd_DataFrame *df, const char *name, Tensor *value) {
    if (!tg_check_frame(df, 1) || !tg_check_given(name != NULL, 2, "a name") || !tg_check_any(value, 3)) return false;
    if (value->ndim == 2 && value->shape[1] == 1) {
        const int depth = t_scope_open();
        Tensor *flat = depth ? tg_view(value, value->shape, value->strides, 1, value->offset) : NULL;
        const bool ok = flat && pd_setitem_tensor(df, name, flat);
        t_scope_close(depth);
        return ok;
    }
    if (value->ndim != 1) return tg_fail("Expected a 1D array, got an array with shape %s", tg_shape_of(value));
    return check_length(df, value->shape[0]) && set_column(df, name, column_of(value));
}

static bool set_scalar(pd_DataFrame *df, const char *name, Tensor *scalar) {
    Tensor *x = scalar ? t_expand(scalar, &df->len, 1) : NULL;
    return x && set_column(df, name, column_of(x));
}

bool pd_setitem_number(pd_DataFrame *df, const char *name, double value) {
    if (!tg_check_frame(df, 1) || !tg_check_given(name != NULL, 2, "a name")) return false;
    const int depth = t_scope_open();
    const bool ok =
        depth &&
        set_scalar(df, name,
                   t_full(NULL, 0, value, &(t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = t_float64}));
    t_scope_close(depth);
    return ok;
}

bool pd_setitem_integer(pd_DataFrame *df, const char *name, int64_t value) {
    if (!tg_check_frame(df, 1) || !tg_check_given(name != NULL, 2, "a name")) return false;
    const int depth = t_scope_open();
    const bool ok = depth && set_scalar(df, name, t_integer(value));
    t_scope_close(depth);
    return ok;
}

bool pd_setitem_text(pd_DataFrame *df, const char *name, const char *value) {
    tg_TextBuilder builder;
    if (!tg_check_frame(df, 1) || !tg_check_given(name != NULL, 2, "a name")) return false;
    bool ok = tg_text_begin(&builder, df->len);
    for (int64_t i = 0; ok && i < df->len; i++) ok = tg_text_add(&builder, value, value ? strlen(value) : 0);
    return set_column(df, name, tg_text_end(&builder, ok));
}

static bool is_listed(const char *const *names, int64_t most, const char *name) {
    for (int64_t i = 0; i < most && names[i]; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* The rows whose label is not in `labels`; each of these must be there. */
static pd_DataFrame *drop_rows(const pd_DataFrame *df, Tensor *labels, bool ignore_errors) {
    const int depth = t_scope_open();
    const size_t bytes = (size_t)(df->len ? df->len : 1);
    uint8_t *gone = depth ? tg_alloc(bytes) : NULL;
    bool ok = gone != NULL;
    const int64_t *wanted = ok ? tg_data(labels) : NULL;
    for (int64_t i = 0; ok && i < tg_numel(labels); i++) {
        bool found = false;
        for (int64_t row = 0; row < df->len; row++) {
            const int64_t label = df->index->labels ? ((const int64_t *)tg_data(df->index->labels->values))[row]
                                                    : df->index->start + row * df->index->step;
            if (label == wanted[i]) gone[row] = found = true;
        }
        if (!found && !ignore_errors) ok = tg_fail("[%" PRId64 "] not found in axis", wanted[i]);
    }
    Tensor *mask = ok ? tg_empty(&df->len, 1, t_bool) : NULL;
    for (int64_t i = 0; mask && i < df->len; i++) ((bool *)tg_data(mask))[i] = !gone[i];
    pd_DataFrame *part = mask ? pd_DataFrame_filter(df, mask) : NULL;
    tg_free(gone, bytes);
    return tg_scope_return(depth, part);
}

pd_DataFrame *pd_DataFrame_drop(const pd_DataFrame *df, const pd_DropOptions *options) {
    pd_DropOptions o = {.size = sizeof o};
    if (!tg_check_frame(df, 1) || !tg_take_options(&o, options, sizeof o) || !tg_check_any_optional(o.index, 2))
        return NULL;
    for (int64_t i = 0; i < PD_MOST_NAMES && o.columns[i] && !o.ignore_errors; i++)
        if (tg_frame_find(df, o.columns[i]) < 0) return tg_fail("\"['%s'] not found in axis\"", o.columns[i]);
    if (o.index && (o.index->dtype != t_int64 || !tg_is_contiguous(o.index)))
        return tg_fail("index must be a contiguous int64 tensor of row labels");
    const tg_Column *labels = df->index->labels;
    if (o.index && labels && (labels->kind != tg_column_values || labels->values->dtype != t_int64))
        return tg_fail("the frame's row labels are no integers");
    const int depth = t_scope_open();
    pd_DataFrame *part = depth ? tg_frame_new(df->len, tg_index_keep(df->index)) : NULL;
    bool ok = part != NULL;
    for (int64_t i = 0; ok && i < df->width; i++)
        if (!is_listed(o.columns, PD_MOST_NAMES, df->items[i].name))
            ok = tg_frame_append(part, df->items[i].name, tg_column_keep(df->items[i].column));
    if (ok && o.index) part = drop_rows(part, o.index, o.ignore_errors);
    return tg_scope_return(depth, ok ? part : NULL);
}

pd_DataFrame *pd_DataFrame_rename(const pd_DataFrame *df, const char *from, const char *to) {
    if (!tg_check_frame(df, 1) || !tg_check_given(from != NULL, 2, "a name") ||
        !tg_check_given(to != NULL, 3, "a name"))
        return NULL;
    const int depth = t_scope_open();
    pd_DataFrame *copy = depth ? tg_frame_new(df->len, tg_index_keep(df->index)) : NULL;
    bool ok = copy != NULL;
    for (int64_t i = 0; ok && i < df->width; i++) {
        const char *name = df->items[i].name;
        ok = tg_frame_append(copy, strcmp(name, from) == 0 ? to : name, tg_column_keep(df->items[i].column));
    }
    return tg_scope_return(depth, ok ? copy : NULL);
}

const char *pd_Series_dtype(const pd_Series *s) {
    return tg_check_series(s, 1) ? tg_column_dtype(s->column) : NULL;
}

/* A column of the frame's column names, as row labels. */
static tg_Index *names_index(const pd_DataFrame *df) {
    tg_TextBuilder builder;
    bool ok = tg_text_begin(&builder, df->width);
    for (int64_t i = 0; ok && i < df->width; i++)
        ok = tg_text_add(&builder, df->items[i].name, strlen(df->items[i].name));
    return tg_index_of(tg_text_end(&builder, ok), NULL);
}

pd_Series *pd_DataFrame_dtypes(const pd_DataFrame *df) {
    tg_TextBuilder builder;
    if (!tg_check_frame(df, 1)) return NULL;
    bool ok = tg_text_begin(&builder, df->width);
    for (int64_t i = 0; ok && i < df->width; i++) {
        const char *dtype = tg_column_dtype(df->items[i].column);
        ok = tg_text_add(&builder, dtype, strlen(dtype));
    }
    tg_Column *column = tg_text_end(&builder, ok);
    if (column) column->is_object = true;
    return tg_series_new(column, names_index(df), NULL);
}

pd_DataFrame *pd_select_dtypes(const pd_DataFrame *df, const char *include) {
    if (!tg_check_frame(df, 1) || !tg_check_given(include != NULL, 2, "a dtype")) return NULL;
    const int depth = t_scope_open();
    pd_DataFrame *part = depth ? tg_frame_new(df->len, tg_index_keep(df->index)) : NULL;
    bool ok = part != NULL;
    for (int64_t i = 0; ok && i < df->width; i++) {
        const char *dtype = tg_column_dtype(df->items[i].column);
        const bool is_number = tg_column_is_number(df->items[i].column) && strcmp(dtype, "bool") != 0;
        const bool is_text = df->items[i].column->kind == tg_column_text; /* pandas' "object" has str columns too */
        if (strcmp(include, "number") == 0   ? is_number
            : strcmp(include, "object") == 0 ? is_text || strcmp(dtype, "object") == 0
                                             : strcmp(include, dtype) == 0)
            ok = tg_frame_append(part, df->items[i].name, tg_column_keep(df->items[i].column));
    }
    return tg_scope_return(depth, ok ? part : NULL);
}

pd_Series *pd_Series_astype(const pd_Series *s, const char *dtype) {
    if (!tg_check_series(s, 1)) return NULL;
    return tg_series_new(tg_column_astype(s->column, dtype), tg_index_keep(s->index), s->name);
}

pd_DataFrame *pd_DataFrame_astype(const pd_DataFrame *df, const char *dtype) {
    if (!tg_check_frame(df, 1)) return NULL;
    const int depth = t_scope_open();
    pd_DataFrame *copy = depth ? tg_frame_new(df->len, tg_index_keep(df->index)) : NULL;
    bool ok = copy != NULL;
    for (int64_t i = 0; ok && i < df->width; i++)
        ok = tg_frame_append(copy, df->items[i].name, tg_column_astype(df->items[i].column, dtype));
    return tg_scope_return(depth, ok ? copy : NULL);
}
