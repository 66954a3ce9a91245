/* core/pandas/to_numpy.c: the values of frames and series as tensors. */
#include <inttypes.h>
#include <math.h>

#include "core/pandas/column.h"
#include "core/tensor/dtype_convert.h"

/* numpy's common dtype of the columns; 0, with an error, if it is object. */
static t_DType common_dtype(const pd_DataFrame *df) {
    t_DType dtype = 0;
    for (int64_t i = 0; i < df->width; i++) {
        const tg_Column *column = df->items[i].column;
        if (column->kind != tg_column_values)
            return tg_fail("column '%s' is of dtype %s: drop it, or turn it into numbers (pd_get_dummies, pd_map, "
                           "pd_codes)",
                           df->items[i].name, tg_column_dtype(column)),
                   0;
        const t_DType other = column->values->dtype;
        if (dtype && (dtype == t_bool) != (other == t_bool))
            return tg_fail("the columns are of bools and numbers, which numpy keeps as objects: give a dtype, "
                           "pd_to_numpy(df, t_float32)"),
                   0;
        if (!dtype)
            dtype = other;
        else if (dtype != other && (tg_is_floating(dtype) || tg_is_floating(other))) {
            const bool wide = tg_itemsize(dtype) > 2 && !tg_is_floating(dtype) ? true : dtype == t_float64;
            const bool other_wide = tg_itemsize(other) > 2 && !tg_is_floating(other) ? true : other == t_float64;
            dtype = wide || other_wide ? t_float64 : t_float32;
        } else if (dtype != other) {
            dtype = tg_itemsize(dtype) > tg_itemsize(other)   ? dtype
                    : tg_itemsize(dtype) < tg_itemsize(other) ? other
                                                              : t_int16; /* uint8 and int8 */
        }
    }
    return dtype ? dtype : t_float64;
}

/* Writes a column to every `width`-th element from `to` on. */
static bool put_column(const tg_Column *column, const char *name, t_DType dtype, char *to, int64_t width) {
    if (column->kind == tg_column_category) {
        tg_Column *decoded = tg_column_decoded(column);
        const bool ok = decoded && put_column(decoded, name, dtype, to, width);
        tg_column_drop(decoded);
        return ok;
    }
    const int64_t stride = width * (int64_t)tg_itemsize(dtype);
    if (column->kind == tg_column_datetime && dtype != t_int64)
        return tg_fail("could not convert column '%s' of times to %s: drop it, or take numbers of it (pd_dt_year, ...)",
                       name, tg_dtype_name(dtype));
    if (column->kind == tg_column_text)
        return tg_fail(
            "could not convert column '%s' of texts to numbers: drop it, or encode it (pd_get_dummies, pd_map, "
            "pd_codes)",
            name);
    const bool may_miss = tg_is_floating(dtype) || column->kind == tg_column_datetime;
    for (int64_t i = 0; i < column->len && !may_miss; i++)
        if (tg_column_is_missing(column, i) && dtype != t_bool)
            return tg_fail("cannot convert column '%s' to %s: row %" PRId64 " is missing", name, tg_dtype_name(dtype),
                           i);
    const t_DType from = column->values->dtype;
    tg_convert_elements(column->len, (Elements){dtype, to, stride},
                        (Elements){from, tg_data(column->values), (int64_t)tg_itemsize(from)});
    for (int64_t i = 0; i < column->len && column->kind == tg_column_object; i++)
        if (tg_column_is_missing(column, i)) tg_set_element(dtype, to + i * stride, tg_is_floating(dtype) ? NAN : 1);
    return true;
}

Tensor *pd_DataFrame_to_numpy(const pd_DataFrame *df, t_DType dtype) {
    if (!tg_check_frame(df, 1) || !tg_check_dtype(dtype)) return NULL;
    if (!dtype) dtype = common_dtype(df);
    const int depth = t_scope_open();
    const int64_t shape[] = {df->len, df->width};
    Tensor *x = dtype && depth ? tg_empty(shape, 2, dtype) : NULL;
    bool ok = x != NULL;
    for (int64_t i = 0; ok && i < df->width; i++)
        ok = put_column(df->items[i].column, df->items[i].name, dtype,
                        (char *)tg_data(x) + (size_t)i * tg_itemsize(dtype), df->width);
    return tg_scope_return(depth, ok ? x : NULL);
}

Tensor *pd_Series_to_numpy(const pd_Series *s, t_DType dtype) {
    if (!tg_check_series(s, 1) || !tg_check_dtype(dtype)) return NULL;
    if (!dtype && s->column->kind == tg_column_object)
        return tg_fail("the series has bools and missing values, which numpy keeps as objects: give a dtype");
    if (!dtype && s->column->kind == tg_column_category && s->column->categories->kind == tg_column_values)
        dtype = s->column->categories->values->dtype;
    const bool has_dtype = s->column->kind == tg_column_values || s->column->kind == tg_column_datetime;
    if (!dtype && has_dtype) dtype = s->column->values->dtype;
    const int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(&s->len, 1, dtype ? dtype : t_float64) : NULL;
    const bool ok = x && put_column(s->column, s->name ? s->name : "", x->dtype, tg_data(x), 1);
    return tg_scope_return(depth, ok ? x : NULL);
}
