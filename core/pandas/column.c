/* core/pandas/column.c: columns of numbers, bools and texts. */
#include "core/pandas/column.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/text/decimal.h"
#include "core/pandas/datetime/datetime.h"
#include "core/tensor/c_locale.h"
#include "core/tensor/dtype_convert.h"

/* ---- life ---- */

tg_Column *tg_column_of_tensor(Tensor *x, tg_ColumnKind kind) {
    tg_Column *column = x ? tg_alloc(sizeof *column) : NULL;
    if (!column) return NULL;
    *column = (tg_Column){.refs = 1, .len = x->shape[0], .kind = kind, .values = x};
    t_retain(x);
    return column;
}

tg_Column *tg_column_of_datetimes(Tensor *x, int64_t per_second) {
    tg_Column *column = tg_column_of_tensor(x, tg_column_datetime);
    if (!column) return NULL;
    column->per_second = per_second;
    column->digits = tg_datetime_digits(tg_data(x), column->len, per_second);
    return column;
}

tg_Column *tg_column_like(Tensor *x, const tg_Column *column) {
    if (column->kind == tg_column_category) return tg_column_of_codes(x, column->categories, column->is_ordered);
    return column->kind == tg_column_datetime ? tg_column_of_datetimes(x, column->per_second)
                                              : tg_column_of_tensor(x, column->kind);
}

tg_Column *tg_column_keep(tg_Column *column) {
    column->refs++;
    return column;
}

void tg_column_drop(tg_Column *column) {
    if (!column || --column->refs > 0) return;
    if (column->values) t_release(column->values);
    tg_column_drop(column->categories);
    if (column->offsets) tg_free(column->offsets, (size_t)(column->len + 1) * sizeof(int64_t));
    tg_free(column->chars, column->chars_size);
    tg_free(column, sizeof *column);
}

/* ---- texts ---- */

bool tg_text_begin(tg_TextBuilder *builder, int64_t capacity) {
    *builder = (tg_TextBuilder){.capacity = capacity < 1 ? 1 : capacity};
    tg_Column *column = tg_alloc(sizeof *column);
    if (!column) return false;
    *column = (tg_Column){.refs = 1, .kind = tg_column_text};
    column->offsets = tg_alloc_raw((size_t)(builder->capacity + 1) * sizeof(int64_t));
    if (!column->offsets) {
        tg_free(column, sizeof *column);
        return false;
    }
    column->offsets[0] = 0;
    builder->column = column;
    return true;
}

static bool grow_offsets(tg_TextBuilder *builder) {
    tg_Column *column = builder->column;
    int64_t *larger = tg_alloc_raw((size_t)(2 * builder->capacity + 1) * sizeof *larger);
    if (!larger) return false;
    memcpy(larger, column->offsets, (size_t)(column->len + 1) * sizeof *larger);
    tg_free(column->offsets, (size_t)(builder->capacity + 1) * sizeof *larger);
    column->offsets = larger;
    builder->capacity *= 2;
    return true;
}

static bool grow_chars(tg_TextBuilder *builder, size_t more) {
    tg_Column *column = builder->column;
    size_t size = column->chars_size ? column->chars_size : 1024;
    while (size - builder->used < more) size *= 2;
    char *larger = tg_alloc_raw(size);
    if (!larger) return false;
    if (builder->used) memcpy(larger, column->chars, builder->used);
    tg_free(column->chars, column->chars_size);
    column->chars = larger;
    column->chars_size = size;
    return true;
}

bool tg_text_add(tg_TextBuilder *builder, const char *text, size_t length) {
    tg_Column *column = builder->column;
    if (column->len == builder->capacity && !grow_offsets(builder)) return false;
    if (text) {
        if (column->chars_size - builder->used < length + 1 && !grow_chars(builder, length + 1)) return false;
        memcpy(column->chars + builder->used, text, length);
        column->chars[builder->used + length] = '\0';
        builder->used += length + 1;
    }
    column->offsets[++column->len] = (int64_t)builder->used;
    return true;
}

tg_Column *tg_text_end(tg_TextBuilder *builder, bool ok) {
    tg_Column *column = builder->column;
    builder->column = NULL;
    if (!column) return NULL;
    const size_t capacity = (size_t)(builder->capacity + 1) * sizeof(int64_t);
    const size_t wanted = (size_t)(column->len + 1) * sizeof(int64_t);
    int64_t *exact = ok ? tg_alloc_raw(wanted) : NULL; /* tg_column_drop frees by the length */
    if (exact) memcpy(exact, column->offsets, wanted);
    tg_free(column->offsets, capacity);
    column->offsets = exact;
    if (exact) return column;
    tg_free(column->chars, column->chars_size);
    tg_free(column, sizeof *column);
    return NULL;
}

/* ---- elements ---- */

const char *tg_column_dtype(const tg_Column *column) {
    if (column->kind == tg_column_category) return "category";
    return column->kind == tg_column_text     ? column->is_object ? "object" : "str"
           : column->kind == tg_column_object ? "object"
           : column->kind == tg_column_datetime
               ? column->per_second == TG_NANOSECONDS ? "datetime64[ns]" : "datetime64[us]"
               : tg_dtype_name(column->values->dtype);
}

bool tg_column_is_number(const tg_Column *column) {
    return column->kind == tg_column_values;
}

static const void *element(const tg_Column *column, int64_t i) {
    return (const char *)tg_data(column->values) + (size_t)i * tg_itemsize(column->values->dtype);
}

bool tg_column_is_missing(const tg_Column *column, int64_t i) {
    if (column->kind == tg_column_text) return column->offsets[i + 1] == column->offsets[i];
    if (column->kind == tg_column_object) return *(const uint8_t *)element(column, i) == TG_MISSING_BOOL;
    if (column->kind == tg_column_datetime) return *(const int64_t *)element(column, i) == TG_NAT;
    if (column->kind == tg_column_category) return *(const int64_t *)element(column, i) < 0;
    return tg_is_floating(column->values->dtype) && isnan(tg_column_double(column, i));
}

double tg_column_double(const tg_Column *column, int64_t i) {
    const t_DType dtype = column->values->dtype;
    if (column->kind == tg_column_category) {
        const int64_t code = *(const int64_t *)element(column, i);
        return code < 0 || column->categories->kind == tg_column_text ? NAN
                                                                      : tg_column_double(column->categories, code);
    }
    if (dtype == t_float64) return *(const double *)element(column, i);
    if (column->kind == tg_column_datetime && tg_column_is_missing(column, i)) return NAN;
    if (dtype == t_int64) return (double)*(const int64_t *)element(column, i);
    if (column->kind == tg_column_object && tg_column_is_missing(column, i)) return NAN;
    return tg_element_as_double(dtype, element(column, i));
}

int64_t tg_column_int64(const tg_Column *column, int64_t i) {
    return tg_element_as_int64(column->values->dtype, element(column, i));
}

tg_Column *tg_column_take(const tg_Column *column, const int64_t *rows, int64_t count) {
    if (column->kind == tg_column_text) {
        tg_TextBuilder builder;
        bool ok = tg_text_begin(&builder, count);
        for (int64_t i = 0; ok && i < count; i++) {
            const char *text = rows[i] < 0 ? NULL : tg_column_text_at(column, rows[i]);
            const int64_t *at = column->offsets + (rows[i] < 0 ? 0 : rows[i]);
            ok = tg_text_add(&builder, text, text ? (size_t)(at[1] - at[0] - 1) : 0);
        }
        return tg_text_end(&builder, ok);
    }
    const int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(&count, 1, column->values->dtype) : NULL;
    const size_t size = tg_itemsize(column->values->dtype);
    for (int64_t i = 0; x && i < count; i++) {
        char *to = (char *)tg_data(x) + (size_t)i * size;
        if (rows[i] < 0 && (column->kind == tg_column_datetime || column->kind == tg_column_category))
            *(int64_t *)(void *)to = column->kind == tg_column_datetime ? TG_NAT : -1;
        else if (rows[i] < 0)
            tg_set_element(x->dtype, to, column->kind == tg_column_object ? TG_MISSING_BOOL : NAN);
        else if (size == 8)
            memcpy(to, element(column, rows[i]), 8);
        else
            memcpy(to, element(column, rows[i]), size);
    }
    tg_Column *taken = tg_column_like(x, column);
    t_scope_close(depth);
    return taken;
}

/* ---- numbers as texts ---- */

/* The fewest digits that read back as the same value; an exponent below 1e-4 and from 1e16. */
void tg_float_repr(double value, t_DType dtype, char *buffer) {
    char scientific[40];
    uint64_t want = 0, got = 0;
    if (value != value || isinf(value)) {
        sprintf(buffer, "%s", value != value ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    tg_set_element(dtype, &want, value);
    const bool is_normal =
        dtype == t_float64 && (value == 0 || fabs(value) >= DBL_MIN); /* 15 digits or more are kept */
    for (int digits = is_normal ? 14 : 0; digits < 17; digits++) {
        tg_c_snprintf(scientific, sizeof scientific, "%.*e", digits, value);
        double back = 0;
        tg_parse_double(scientific, scientific + strlen(scientific), '.', &back);
        tg_set_element(dtype, &got, back);
        if (got != want) continue;
        char *e = strchr(scientific, 'e');
        const int exponent = atoi(e + 1);
        char *last = e - 1; /* without the zeros at the end */
        while (last > scientific && *last == '0') last--;
        if (*last == '.') last--;
        const char *point = strchr(scientific, '.'); /* -3e+00 has none */
        const int kept = point && last > point ? (int)(last - point) : 0;
        if (value != 0 && (fabs(value) < 1e-4 || fabs(value) >= 1e16))
            sprintf(buffer, "%.*s%s", (int)(last - scientific + 1), scientific, e);
        else
            tg_c_snprintf(buffer, 400, "%.*f", kept > exponent ? kept - exponent : 1, back);
        return;
    }
}

const char *tg_column_item(const tg_Column *column, int64_t i, char *buffer) {
    if (tg_column_is_missing(column, i)) return NULL;
    if (column->kind == tg_column_text) return tg_column_text_at(column, i);
    if (column->kind == tg_column_category)
        return tg_column_item(column->categories, *(const int64_t *)element(column, i), buffer);
    const t_DType dtype = column->values->dtype;
    if (column->kind == tg_column_object || dtype == t_bool)
        return *(const uint8_t *)element(column, i) ? "True" : "False";
    if (column->kind == tg_column_datetime)
        tg_datetime_text(*(const int64_t *)element(column, i), column->per_second, column->digits, buffer);
    else if (tg_is_floating(dtype))
        tg_float_repr(tg_column_double(column, i), dtype, buffer);
    else
        sprintf(buffer, "%" PRId64, tg_element_as_int64(dtype, element(column, i)));
    return buffer;
}

/* ---- order and equality ---- */

int tg_column_compare(const tg_Column *column, int64_t i, int64_t j) {
    const bool missing = tg_column_is_missing(column, i), other_missing = tg_column_is_missing(column, j);
    if (missing || other_missing) return missing - other_missing;
    if (column->kind == tg_column_text) return strcmp(tg_column_text_at(column, i), tg_column_text_at(column, j));
    if (column->values->dtype == t_int64) {
        const int64_t *x = tg_data(column->values);
        return (x[i] > x[j]) - (x[i] < x[j]);
    }
    const double x = tg_column_double(column, i), y = tg_column_double(column, j);
    return (x > y) - (x < y);
}

bool tg_column_equal(const tg_Column *column, int64_t i, int64_t j) {
    if (column->kind == tg_column_text) {
        const int64_t *a = column->offsets + i, *b = column->offsets + j;
        return a[1] - a[0] == b[1] - b[0] &&
               memcmp(column->chars + a[0], column->chars + b[0], (size_t)(a[1] - a[0])) == 0;
    }
    return tg_column_compare(column, i, j) == 0;
}

uint64_t tg_column_hash(const tg_Column *column, int64_t i) {
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    if (column->kind == tg_column_text) {
        for (int64_t at = column->offsets[i]; at < column->offsets[i + 1]; at++)
            h = (h ^ (unsigned char)column->chars[at]) * 1099511628211u;
    } else if (column->kind == tg_column_datetime || column->kind == tg_column_category) {
        h = (h ^ *(const uint64_t *)element(column, i)) * UINT64_C(0x9e3779b97f4a7c15);
    } else {
        double x = tg_column_is_missing(column, i) ? 0.5 : tg_column_double(column, i) + 0.0; /* -0 is 0 */
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        h = (h ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return h ^ h >> 29;
}

/* Merges the sorted halves of order[0 .. n - 1], by way of `other`. */
static void merge_sort(const tg_Column *column, bool ascending, int64_t *order, int64_t *other, int64_t n) {
    if (n < 2) return;
    const int64_t half = n / 2;
    merge_sort(column, ascending, order, other, half);
    merge_sort(column, ascending, order + half, other + half, n - half);
    memcpy(other, order, (size_t)n * sizeof *order);
    for (int64_t i = 0, j = half, k = 0; k < n; k++) {
        bool first = j == n;
        if (!first && i < half) {
            const int64_t a = other[i], b = other[j];
            const int by = tg_column_compare(column, a, b);
            const bool any_missing = tg_column_is_missing(column, a) || tg_column_is_missing(column, b);
            first = ascending || any_missing ? by <= 0 : by >= 0;
        }
        order[k] = first ? other[i++] : other[j++];
    }
}

bool tg_column_argsort(const tg_Column *column, bool ascending, int64_t *order) {
    const size_t bytes = (size_t)column->len * sizeof *order;
    int64_t *other = tg_alloc_raw(bytes);
    if (!other) return false;
    for (int64_t i = 0; i < column->len; i++) order[i] = i;
    merge_sort(column, ascending, order, other, column->len);
    tg_free(other, bytes);
    return true;
}

/* ---- conversion ---- */

static t_DType dtype_of_name(const char *name) {
    if (strcmp(name, "int") == 0) return t_int64;
    if (strcmp(name, "float") == 0) return t_float64;
    for (int dtype = t_bool; dtype < T_DTYPES; dtype++)
        if (dtype != t_bfloat16 && strcmp(name, tg_dtype_name((t_DType)dtype)) == 0) return (t_DType)dtype;
    return 0;
}

static tg_Column *to_text(const tg_Column *column) {
    tg_TextBuilder builder;
    char buffer[400];
    bool ok = tg_text_begin(&builder, column->len);
    for (int64_t i = 0; ok && i < column->len; i++) {
        const char *text = tg_column_item(column, i, buffer);
        ok = tg_text_add(&builder, text, text ? strlen(text) : 0);
    }
    return tg_text_end(&builder, ok);
}

static bool fail_non_finite(void) {
    return tg_fail("Cannot convert non-finite values (NA or inf) to integer. Replace or remove non-finite values or "
                   "cast to an integer type that supports these values (e.g. 'Int64')");
}

/* An element in the dtype. */
static bool convert_item(const tg_Column *column, int64_t i, t_DType dtype, void *to) {
    const bool is_text = column->kind == tg_column_text, is_integer = dtype != t_bool && !tg_is_floating(dtype);
    double value = NAN;
    if (tg_column_is_missing(column, i)) {
        if (dtype == t_bool && !is_text)
            value = 1; /* bool(nan) */
        else if (!tg_is_floating(dtype))
            return column->kind == tg_column_values ? fail_non_finite()
                                                    : tg_fail("cannot convert float NaN to integer") != NULL;
    } else if (is_text) {
        const char *text = tg_column_text_at(column, i), *end = text + strlen(text);
        int64_t integer;
        if (dtype == t_bool)
            value = *text != '\0';
        else if (is_integer) {
            if (tg_parse_int64(text, end, &integer) != tg_parsed)
                return tg_fail("invalid literal for int() with base 10: '%.100s'", text);
            tg_convert_elements(1, (Elements){dtype, to, 0}, (Elements){t_int64, (char *)&integer, 0});
            return true;
        } else if (tg_parse_double(text, end, '.', &value) != end) {
            return tg_fail("could not convert string to float: '%.100s'", text);
        }
    } else {
        if (is_integer && isinf(tg_column_double(column, i)))
            return fail_non_finite();
        tg_convert_elements(1, (Elements){dtype, to, 0},
                            (Elements){column->values->dtype, (char *)element(column, i), 0});
        return true;
    }
    tg_set_element(dtype, to, value);
    return true;
}

tg_Column *tg_column_astype(const tg_Column *column, const char *name) {
    if (!name) return t_error() ? NULL : tg_fail("argument 2 is NULL where a dtype is expected");
    if (strcmp(name, "category") == 0) return tg_column_encoded(column);
    if (column->kind == tg_column_category) {
        tg_Column *decoded = tg_column_decoded(column), *made = decoded ? tg_column_astype(decoded, name) : NULL;
        tg_column_drop(decoded);
        return made;
    }
    if (strncmp(name, "datetime64", 10) == 0) return tg_column_as_datetime(column, name);
    if (strcmp(name, "str") == 0 || strcmp(name, "string") == 0 || strcmp(name, "object") == 0)
        return column->kind == tg_column_text ? tg_column_keep((tg_Column *)column) : to_text(column);
    const t_DType dtype = dtype_of_name(name);
    if (!dtype) return tg_fail("data type '%s' not understood", name);
    if (column->kind == tg_column_datetime) return tg_column_from_datetime(column, name, dtype);
    if (column->kind == tg_column_values && column->values->dtype == dtype) return tg_column_keep((tg_Column *)column);
    const int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(&column->len, 1, dtype) : NULL;
    bool ok = x != NULL;
    const bool may_fail =
        column->kind != tg_column_values || (tg_is_floating(column->values->dtype) && !tg_is_floating(dtype));
    if (ok && !may_fail)
        tg_convert_elements(
            column->len, (Elements){dtype, tg_data(x), (int64_t)tg_itemsize(dtype)},
            (Elements){column->values->dtype, tg_data(column->values), (int64_t)tg_itemsize(column->values->dtype)});
    for (int64_t i = 0; ok && may_fail && i < column->len; i++)
        ok = convert_item(column, i, dtype, (char *)tg_data(x) + (size_t)i * tg_itemsize(dtype));
    tg_Column *made = ok ? tg_column_of_tensor(x, tg_column_values) : NULL;
    t_scope_close(depth);
    return made;
}
