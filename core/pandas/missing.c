/* core/pandas/missing.c: isna, fillna and dropna. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/pandas/column.h"
#include "core/tensor/dtype_convert.h"

static tg_Column *isna(const tg_Column *column) {
    const int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(&column->len, 1, t_bool) : NULL;
    for (int64_t i = 0; x && i < column->len; i++) ((bool *)tg_data(x))[i] = tg_column_is_missing(column, i);
    tg_Column *made = tg_column_of_tensor(x, tg_column_values);
    t_scope_close(depth);
    return made;
}

static bool has_missing(const tg_Column *column) {
    for (int64_t i = 0; i < column->len; i++)
        if (tg_column_is_missing(column, i)) return true;
    return false;
}

/* With the number in place of missing values; an object column becomes bool for 0 and 1, else float64. */
static tg_Column *fill_number(tg_Column *column, double value) {
    if (!has_missing(column)) return tg_column_keep(column);
    if (column->kind == tg_column_category) return tg_category_fill(column, NULL, value);
    if (column->kind == tg_column_text)
        return tg_fail(
            "Invalid value '%g' for dtype 'str'. Value should be a string or missing value, got 'float' instead.",
            value);
    if (column->kind == tg_column_datetime)
        return tg_fail(
            "Invalid value '%g' for dtype '%s'. Value should be a 'Timestamp' or 'NaT', got 'float' instead.", value,
            tg_column_dtype(column));
    const bool to_bool = column->kind == tg_column_object && (value == 0 || value == 1);
    const int depth = t_scope_open();
    const t_DType dtype = to_bool ? t_bool : column->kind == tg_column_object ? t_float64 : column->values->dtype;
    Tensor *x = depth ? tg_empty(&column->len, 1, dtype) : NULL;
    for (int64_t i = 0; x && i < column->len; i++)
        tg_set_element(dtype, (char *)tg_data(x) + (size_t)i * tg_itemsize(dtype),
                       tg_column_is_missing(column, i) ? value : tg_column_double(column, i));
    tg_Column *made = tg_column_of_tensor(x, tg_column_values);
    t_scope_close(depth);
    return made;
}

/* With the time that a text is. */
static tg_Column *fill_time(tg_Column *column, const char *value) {
    const pd_ToDatetimeOptions o = {PD_TO_DATETIME_DEFAULTS_};
    const int depth = t_scope_open();
    pd_Series *one = depth ? pd_Series_of_texts(&value, 1, NULL) : NULL;
    tg_Column *time = one ? tg_column_to_datetime(one->column, &o, NULL) : NULL;
    tg_Column *filling = time ? tg_column_astype(time, tg_column_dtype(column)) : NULL;
    Tensor *x = filling ? tg_empty(&column->len, 1, t_int64) : NULL;
    for (int64_t i = 0; x && i < column->len; i++)
        ((int64_t *)tg_data(x))[i] =
            tg_column_is_missing(column, i) ? tg_column_int64(filling, 0) : tg_column_int64(column, i);
    tg_Column *made = x ? tg_column_of_datetimes(x, column->per_second) : NULL;
    tg_column_drop(filling);
    tg_column_drop(time);
    t_scope_close(depth);
    return made;
}

static tg_Column *fill_text(tg_Column *column, const char *value) {
    if (!has_missing(column)) return tg_column_keep(column);
    if (column->kind == tg_column_datetime) return fill_time(column, value);
    if (column->kind == tg_column_category) return tg_category_fill(column, value, 0);
    if (column->kind != tg_column_text)
        return tg_fail("Invalid value '%s' for dtype '%s'", value, tg_column_dtype(column));
    tg_TextBuilder builder;
    bool ok = tg_text_begin(&builder, column->len);
    for (int64_t i = 0; ok && i < column->len; i++) {
        const char *text = tg_column_text_at(column, i);
        if (!text) text = value;
        ok = tg_text_add(&builder, text, strlen(text));
    }
    return tg_text_end(&builder, ok);
}

pd_DataFrame *pd_DataFrame_isna(const pd_DataFrame *df) {
    if (!tg_check_frame(df, 1)) return NULL;
    const int depth = t_scope_open();
    pd_DataFrame *made = depth ? tg_frame_new(df->len, tg_index_keep(df->index)) : NULL;
    bool ok = made != NULL;
    for (int64_t i = 0; ok && i < df->width; i++)
        ok = tg_frame_append(made, df->items[i].name, isna(df->items[i].column));
    return tg_scope_return(depth, ok ? made : NULL);
}

pd_Series *pd_Series_isna(const pd_Series *s) {
    return tg_check_series(s, 1) ? tg_series_new(isna(s->column), tg_index_keep(s->index), s->name) : NULL;
}

pd_Series *pd_Series_fillna(const pd_Series *s, double value) {
    return tg_check_series(s, 1) ? tg_series_new(fill_number(s->column, value), tg_index_keep(s->index), s->name)
                                 : NULL;
}

pd_Series *pd_Series_fillna_text(const pd_Series *s, const char *value) {
    if (!tg_check_series(s, 1) || !tg_check_given(value != NULL, 2, "a text")) return NULL;
    return tg_series_new(fill_text(s->column, value), tg_index_keep(s->index), s->name);
}

/* The other columns stay as they are. */
static pd_DataFrame *fill_frame(const pd_DataFrame *df, double number, const char *text) {
    const int depth = t_scope_open();
    pd_DataFrame *made = depth ? tg_frame_new(df->len, tg_index_keep(df->index)) : NULL;
    bool ok = made != NULL;
    for (int64_t i = 0; ok && i < df->width; i++) {
        tg_Column *column = df->items[i].column;
        const bool is_text = column->kind == tg_column_text, stays = column->kind >= tg_column_category;
        tg_Column *filled = stays || is_text != (text != NULL) ? tg_column_keep(column)
                            : text                             ? fill_text(column, text)
                                                               : fill_number(column, number);
        ok = tg_frame_append(made, df->items[i].name, filled);
    }
    return tg_scope_return(depth, ok ? made : NULL);
}

pd_DataFrame *pd_DataFrame_fillna(const pd_DataFrame *df, double value) {
    return tg_check_frame(df, 1) ? fill_frame(df, value, NULL) : NULL;
}

pd_DataFrame *pd_DataFrame_fillna_text(const pd_DataFrame *df, const char *value) {
    return tg_check_frame(df, 1) && tg_check_given(value != NULL, 2, "a text") ? fill_frame(df, 0, value) : NULL;
}

pd_Series *pd_Series_dropna(const pd_Series *s) {
    if (!tg_check_series(s, 1)) return NULL;
    const int depth = t_scope_open();
    Tensor *mask = depth ? tg_empty(&s->len, 1, t_bool) : NULL;
    for (int64_t i = 0; mask && i < s->len; i++) ((bool *)tg_data(mask))[i] = !tg_column_is_missing(s->column, i);
    return tg_scope_return(depth, mask ? pd_Series_filter(s, mask) : NULL);
}

pd_DataFrame *pd_DataFrame_dropna(const pd_DataFrame *df, const char *const *subset, int64_t count) {
    if (!tg_check_frame(df, 1) || !tg_check_array(subset, count, 2, "names")) return NULL;
    for (int64_t j = 0; j < count && subset[j]; j++)
        if (tg_frame_find(df, subset[j]) < 0) return tg_fail("KeyError: ['%s']", subset[j]);
    const int depth = t_scope_open();
    Tensor *mask = depth ? tg_empty(&df->len, 1, t_bool) : NULL;
    const bool names = count > 0 && subset[0];
    for (int64_t i = 0; mask && i < df->len; i++) {
        bool is_whole = true;
        for (int64_t j = 0; names ? j < count && subset[j] : j < df->width; j++) {
            const tg_Column *column = df->items[names ? tg_frame_find(df, subset[j]) : j].column;
            is_whole = is_whole && !tg_column_is_missing(column, i);
        }
        ((bool *)tg_data(mask))[i] = is_whole;
    }
    return tg_scope_return(depth, mask ? pd_DataFrame_filter(df, mask) : NULL);
}
