/* core/pandas/rows.c: rows of frames and series: head, masks, indices, samples, order. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/pandas/column.h"
#include "core/pandas/datetime/datetime.h"
#include "core/python/random_state.h"
#include "core/tensor/size_arithmetic.h"

/* ---- by row numbers ---- */

static pd_DataFrame *take_rows(const pd_DataFrame *df, const int64_t *rows, int64_t count) {
    const int depth = t_scope_open();
    pd_DataFrame *part = depth ? tg_frame_new(count, tg_index_take(df->index, rows, count)) : NULL;
    bool ok = part != NULL;
    for (int64_t i = 0; ok && i < df->width; i++)
        ok = tg_frame_append(part, df->items[i].name, tg_column_take(df->items[i].column, rows, count));
    return tg_scope_return(depth, ok ? part : NULL);
}

static pd_Series *take_series(const pd_Series *s, const int64_t *rows, int64_t count) {
    return tg_series_new(tg_column_take(s->column, rows, count), tg_index_take(s->index, rows, count), s->name);
}

/* The rows that are chosen: an int64 array, in a tensor of the current scope. */
typedef struct Rows {
    const int64_t *items; /* NULL on an error */
    int64_t count;
} Rows;

static Rows new_rows(int64_t count, int64_t **items) {
    Tensor *x = tg_empty(&count, 1, t_int64);
    *items = x ? tg_data(x) : NULL;
    return (Rows){*items, count};
}

static Rows rows_between(int64_t begin, int64_t end) {
    int64_t *items;
    const Rows rows = new_rows(end > begin ? end - begin : 0, &items);
    for (int64_t i = 0; items && i < rows.count; i++) items[i] = begin + i;
    return rows;
}

static Rows rows_of_mask(Tensor *mask, int64_t len) {
    if (!tg_check_any(mask, 2)) return (Rows){NULL, 0};
    if (mask->dtype != t_bool || mask->ndim != 1) {
        tg_fail("the mask must be a bool tensor of one dim, but is %s of shape %s", tg_dtype_name(mask->dtype),
                tg_shape_of(mask));
        return (Rows){NULL, 0};
    }
    if (mask->shape[0] != len) {
        tg_fail("Item wrong length %" PRId64 " instead of %" PRId64 ".", mask->shape[0], len);
        return (Rows){NULL, 0};
    }
    Tensor *dense = t_contiguous(mask);
    const bool *values = dense ? tg_data(dense) : NULL;
    int64_t count = 0, *items, n = 0;
    if (!values) return (Rows){NULL, 0};
    for (int64_t i = 0; i < len; i++) count += values[i];
    const Rows rows = new_rows(count, &items);
    for (int64_t i = 0; items && i < len; i++)
        if (values[i]) items[n++] = i;
    return rows;
}

static Rows rows_of_indices(Tensor *indices, int64_t len) {
    if (!tg_check_any(indices, 2)) return (Rows){NULL, 0};
    if (tg_is_floating(indices->dtype) || indices->dtype == t_bool || indices->ndim != 1) {
        tg_fail("the indices must be integers of one dim, but are %s of shape %s", tg_dtype_name(indices->dtype),
                tg_shape_of(indices));
        return (Rows){NULL, 0};
    }
    Tensor *dense = t_to(t_contiguous(indices), t_int64);
    const int64_t *values = dense ? tg_data(dense) : NULL;
    int64_t *items;
    if (!values) return (Rows){NULL, 0};
    const Rows rows = new_rows(indices->shape[0], &items);
    for (int64_t i = 0; items && i < rows.count; i++) {
        items[i] = values[i] < 0 ? values[i] + len : values[i];
        if (items[i] < 0 || items[i] >= len) {
            tg_fail("index %" PRId64 " is out of bounds for axis 0 with size %" PRId64, values[i], len);
            return (Rows){NULL, 0};
        }
    }
    return rows;
}

#define FRAME_OF_ROWS(expression)                                 \
    const int depth = tg_check_frame(df, 1) ? t_scope_open() : 0; \
    if (!depth) return NULL;                                      \
    const Rows rows = expression;                                 \
    return tg_scope_return(depth, rows.items ? take_rows(df, rows.items, rows.count) : NULL)
#define SERIES_OF_ROWS(expression)                                \
    const int depth = tg_check_series(s, 1) ? t_scope_open() : 0; \
    if (!depth) return NULL;                                      \
    const Rows rows = expression;                                 \
    return tg_scope_return(depth, rows.items ? take_series(s, rows.items, rows.count) : NULL)

/* As Python's slices [:n] and [-n:], also of negative n. */
static Rows first_rows(int64_t n, int64_t len) {
    const int64_t end = n < 0 ? len + n : n;
    return rows_between(0, end < len ? end : len);
}
static Rows last_rows(int64_t n, int64_t len) {
    const int64_t begin = n < 0 ? tg_size_sub(0, n) : len - n;
    return rows_between(begin < 0 ? 0 : begin, len);
}

pd_DataFrame *pd_DataFrame_head(const pd_DataFrame *df, int64_t n) {
    FRAME_OF_ROWS(first_rows(n, df->len));
}
pd_Series *pd_Series_head(const pd_Series *s, int64_t n) {
    SERIES_OF_ROWS(first_rows(n, s->len));
}
pd_DataFrame *pd_DataFrame_tail(const pd_DataFrame *df, int64_t n) {
    FRAME_OF_ROWS(last_rows(n, df->len));
}
pd_Series *pd_Series_tail(const pd_Series *s, int64_t n) {
    SERIES_OF_ROWS(last_rows(n, s->len));
}
pd_DataFrame *pd_DataFrame_filter(const pd_DataFrame *df, Tensor *mask) {
    FRAME_OF_ROWS(rows_of_mask(mask, df->len));
}
pd_Series *pd_Series_filter(const pd_Series *s, Tensor *mask) {
    SERIES_OF_ROWS(rows_of_mask(mask, s->len));
}
pd_DataFrame *pd_DataFrame_take(const pd_DataFrame *df, Tensor *indices) {
    FRAME_OF_ROWS(rows_of_indices(indices, df->len));
}
pd_Series *pd_Series_take(const pd_Series *s, Tensor *indices) {
    SERIES_OF_ROWS(rows_of_indices(indices, s->len));
}

/* ---- iloc ---- */

/* The numbers that an index like "1:" or "-2" chooses of 0 .. len - 1. */
static Rows numbers_of(const char *text, size_t length, int64_t len) {
    char part[64];
    if (length >= sizeof part) {
        tg_fail("the index is longer than %zu characters", sizeof part - 1);
        return (Rows){NULL, 0};
    }
    snprintf(part, sizeof part, "%.*s", (int)length, text);
    Tensor *all = t_arange_int64(0, len, 1, NULL), *chosen = all ? t_at(all, part, NULL, 0) : NULL;
    chosen = chosen ? t_contiguous(t_reshape(chosen, (const int64_t[]){-1}, 1)) : NULL;
    return chosen ? (Rows){tg_data(chosen), tg_numel(chosen)} : (Rows){NULL, 0};
}

pd_DataFrame *pd_DataFrame_iloc(const pd_DataFrame *df, const char *text) {
    if (!tg_check_frame(df, 1) || !tg_check_given(text != NULL, 2, "an index")) return NULL;
    const int depth = t_scope_open();
    const char *comma = strchr(text, ',');
    const size_t first = comma ? (size_t)(comma - text) : strlen(text);
    const Rows rows = depth ? numbers_of(text, first, df->len) : (Rows){NULL, 0};
    const Rows columns =
        comma && rows.items ? numbers_of(comma + 1, strlen(comma + 1), df->width) : rows_between(0, df->width);
    pd_DataFrame *part = rows.items && columns.items ? tg_frame_new(df->len, tg_index_keep(df->index)) : NULL;
    bool ok = part != NULL;
    for (int64_t i = 0; ok && i < columns.count; i++) {
        const tg_FrameItem *item = &df->items[columns.items[i]];
        ok = tg_frame_append(part, item->name, tg_column_keep(item->column));
    }
    return tg_scope_return(depth, ok ? take_rows(part, rows.items, rows.count) : NULL);
}

static bool check_row(const pd_Series *s, int64_t *i) {
    if (!tg_check_series(s, 1)) return false;
    if (*i < -s->len || *i >= s->len)
        return tg_fail("index %" PRId64 " is out of bounds for axis 0 with size %" PRId64, *i, s->len);
    if (*i < 0) *i += s->len;
    return true;
}

double pd_iat(const pd_Series *s, int64_t i) {
    if (!check_row(s, &i)) return NAN;
    if (s->column->kind == tg_column_text) return tg_fail("the series is of texts: pd_iat_text reads them"), NAN;
    if (s->column->kind == tg_column_category && s->column->categories->kind == tg_column_text)
        return tg_fail("the series is of texts: pd_iat_text reads them"), NAN;
    if (s->column->kind == tg_column_datetime) return tg_fail("the series is of times: pd_iat_text reads them"), NAN;
    return tg_column_double(s->column, i);
}

/* As str(Timestamp) writes it; of the scope. */
static const char *timestamp(const tg_Column *column, int64_t i) {
    if (tg_column_is_missing(column, i)) return NULL;
    const int64_t value = tg_column_int64(column, i);
    const int digits = tg_datetime_digits(&value, 1, column->per_second);
    char text[64];
    tg_datetime_text(value, column->per_second, digits < 0 ? 0 : digits == 3 ? 6 : digits, text);
    return tg_str_new(tg_copy_text(text));
}

const char *pd_iat_text(const pd_Series *s, int64_t i) {
    if (!check_row(s, &i)) return NULL;
    if (s->column->kind == tg_column_datetime) return timestamp(s->column, i);
    if (s->column->kind == tg_column_category && s->column->categories->kind == tg_column_text)
        return tg_column_item(s->column, i, NULL);
    if (s->column->kind != tg_column_text) return tg_fail("the series is of numbers: pd_iat reads them");
    return tg_column_text_at(s->column, i);
}

/* ---- samples ---- */

static Rows sampled_rows(const pd_SampleOptions *options, int64_t len) {
    const Rows none = {NULL, 0};
    pd_SampleOptions o = {PD_SAMPLE_DEFAULTS_};
    if (!tg_take_options(&o, options, sizeof o)) return none;
    if (o.n && o.frac != 0) return tg_fail("Please enter a value for `frac` OR `n`, not both"), none;
    if (isnan(o.frac)) return tg_fail("cannot convert float NaN to integer"), none;
    if (o.n < 0 || o.frac < 0)
        return tg_fail("A negative number of rows requested. Please provide `%s` >= 0.", o.n < 0 ? "n" : "frac"), none;
    if (o.frac > 1 && !o.replace)
        return tg_fail("Replace has to be set to `True` when upsampling the population `frac` > 1."), none;
    if (o.frac * (double)len > 0x1p53) return tg_fail("Maximum allowed size exceeded"), none;
    const int64_t n = o.frac != 0 ? (int64_t)nearbyint(o.frac * (double)len) : o.n ? o.n : 1;
    if (n > len && !o.replace) return tg_fail("Cannot take a larger sample than population when 'replace=False'"), none;
    if (n > 0 && len == 0) return tg_fail("a must be greater than 0 unless no samples are taken"), none;
    tg_RandomState state;
    if (!tg_random_state_begin(&state, o.random_state)) return none;
    int64_t *items;
    Rows rows = new_rows(o.replace || n > len ? n : len, &items);
    if (!items) return none;
    if (o.replace) {
        for (int64_t i = 0; i < n; i++) items[i] = tg_random_state_below(&state, len);
    } else {
        tg_random_state_permutation(&state, items, len);
    }
    rows.count = n;
    tg_random_state_end(&state, o.random_state);
    return rows;
}

pd_DataFrame *pd_DataFrame_sample(const pd_DataFrame *df, const pd_SampleOptions *options) {
    FRAME_OF_ROWS(sampled_rows(options, df->len));
}
pd_Series *pd_Series_sample(const pd_Series *s, const pd_SampleOptions *options) {
    SERIES_OF_ROWS(sampled_rows(options, s->len));
}

/* ---- order ---- */

static Rows sorted_rows(const tg_Column *column, bool ascending) {
    int64_t *items;
    const Rows rows = new_rows(column->len, &items);
    return items && tg_column_argsort(column, ascending, items) ? rows : (Rows){NULL, 0};
}

pd_DataFrame *pd_DataFrame_sort_values(const pd_DataFrame *df, const char *by, bool ascending) {
    if (!tg_check_frame(df, 1) || !tg_check_given(by != NULL, 2, "a name")) return NULL;
    const int64_t i = tg_frame_find(df, by);
    if (i < 0) return tg_frame_key_error(by) ? NULL : NULL;
    FRAME_OF_ROWS(sorted_rows(df->items[i].column, ascending));
}
pd_Series *pd_Series_sort_values(const pd_Series *s, bool ascending) {
    SERIES_OF_ROWS(sorted_rows(s->column, ascending));
}

pd_DataFrame *pd_DataFrame_set_index(const pd_DataFrame *df, const char *name) {
    if (!tg_check_frame(df, 1) || !tg_check_given(name != NULL, 2, "a name")) return NULL;
    const int64_t labels = tg_frame_find(df, name);
    if (labels < 0) return tg_fail("KeyError: \"None of ['%s'] are in the columns\"", name);
    const int depth = t_scope_open();
    pd_DataFrame *copy =
        depth ? tg_frame_new(df->len, tg_index_of(tg_column_keep(df->items[labels].column), name)) : NULL;
    bool ok = copy != NULL;
    for (int64_t i = 0; ok && i < df->width; i++)
        if (i != labels) ok = tg_frame_append(copy, df->items[i].name, tg_column_keep(df->items[i].column));
    return tg_scope_return(depth, ok ? copy : NULL);
}

pd_DataFrame *pd_DataFrame_reset_index(const pd_DataFrame *df, bool drop) {
    if (!tg_check_frame(df, 1)) return NULL;
    const int depth = t_scope_open();
    pd_DataFrame *copy = depth ? tg_frame_new(df->len, tg_index_range(0, 1)) : NULL;
    bool ok = copy != NULL;
    if (ok && !drop)
        ok = tg_frame_append(copy, df->index->name ? df->index->name : "index", tg_index_labels(df->index, df->len));
    for (int64_t i = 0; ok && i < df->width; i++)
        ok = tg_frame_append(copy, df->items[i].name, tg_column_keep(df->items[i].column));
    return tg_scope_return(depth, ok ? copy : NULL);
}
