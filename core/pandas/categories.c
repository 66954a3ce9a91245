/* core/pandas/categories.c: value_counts, unique, factorize, codes, map and get_dummies. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/pandas/column.h"
#include "core/pandas/grouping.h"

/* ---- counting ---- */

typedef struct Count {
    int64_t row, size, order; /* row: the first one of the group, -1 for missing values */
} Count;

static int by_size(const void *a, const void *b) {
    const Count *x = a, *y = b;
    return x->size != y->size ? (x->size < y->size ? 1 : -1) : (x->order > y->order) - (x->order < y->order);
}
static int by_size_ascending(const void *a, const void *b) {
    const Count *x = a, *y = b;
    return x->size != y->size ? (x->size > y->size ? 1 : -1) : (x->order > y->order) - (x->order < y->order);
}
static int by_order(const void *a, const void *b) {
    const Count *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* Of category: a row of each category; else the column itself. A new reference. */
static tg_Column *labels_of(tg_Column *column) {
    if (column->kind != tg_column_category) return tg_column_keep(column);
    const int depth = t_scope_open();
    Tensor *codes = depth ? t_arange_int64(0, column->categories->len, 1, NULL) : NULL;
    tg_Column *labels = codes ? tg_column_of_codes(codes, column->categories, column->is_ordered) : NULL;
    t_scope_close(depth);
    return labels;
}

/* A group for each category, also without rows; its first row is that of labels_of. */
static bool count_categories(tg_Groups *groups, const tg_Column *column, const tg_Column *labels) {
    const int64_t longest = column->len > labels->len ? column->len : labels->len;
    const size_t bytes = (size_t)(longest + 1) * sizeof(int64_t);
    *groups = (tg_Groups){.len = longest, .count = labels->len};
    groups->codes = tg_alloc(bytes);
    groups->first = groups->codes ? tg_alloc(bytes) : NULL;
    groups->sizes = groups->first ? tg_alloc(bytes) : NULL;
    if (!groups->sizes) return false;
    memset(groups->sizes, 0, bytes);
    for (int64_t g = 0; g < labels->len; g++) groups->first[g] = g;
    for (int64_t i = 0; i < column->len; i++) {
        const int64_t code = groups->codes[i] = tg_column_int64(column, i);
        if (code >= 0) groups->sizes[code]++;
    }
    return true;
}

pd_Series *pd_Series_value_counts(const pd_Series *s, const pd_ValueCountsOptions *options) {
    pd_ValueCountsOptions o = {PD_VALUE_COUNTS_DEFAULTS_};
    if (!tg_check_series(s, 1) || !tg_take_options(&o, options, sizeof o)) return NULL;
    const int depth = t_scope_open();
    tg_Groups groups = {0};
    tg_Column *labels = depth ? labels_of(s->column) : NULL; /* the result's row labels are of it */
    bool ok = labels && (labels == s->column ? tg_groups_make(&groups, labels, false)
                                             : count_categories(&groups, s->column, labels));
    const size_t bytes = (size_t)(groups.count + 1) * sizeof(Count),
                 rows_bytes = (size_t)(groups.count + 1) * sizeof(int64_t);
    Count *counts = ok ? tg_alloc(bytes) : NULL;
    int64_t *rows = counts ? tg_alloc(rows_bytes) : NULL, n = 0, total = 0;
    pd_Series *made = NULL;
    if (rows) {
        for (int64_t g = 0; g < groups.count; g++) {
            counts[n++] = (Count){groups.first[g], groups.sizes[g], groups.first[g]};
            total += groups.sizes[g];
        }
        if (!o.dropna && total < s->len) {
            int64_t first = 0;
            while (groups.codes[first] >= 0) first++;
            const int64_t row = labels == s->column ? first : -1;
            counts[n++] = (Count){row, s->len - total, row < 0 ? labels->len : first};
            total = s->len;
        }
        qsort(counts, (size_t)n, sizeof *counts, !o.sort ? by_order : o.ascending ? by_size_ascending : by_size);
        for (int64_t i = 0; i < n; i++) rows[i] = counts[i].row;
        Tensor *x = tg_empty(&n, 1, o.normalize ? t_float64 : t_int64);
        for (int64_t i = 0; x && i < n; i++) {
            if (o.normalize)
                ((double *)tg_data(x))[i] = (double)counts[i].size / (double)total;
            else
                ((int64_t *)tg_data(x))[i] = counts[i].size;
        }
        made =
            tg_series_new(tg_column_of_tensor(x, tg_column_values),
                          tg_index_of(tg_column_take(labels, rows, n), s->name), o.normalize ? "proportion" : "count");
    }
    tg_free(rows, rows_bytes);
    tg_free(counts, bytes);
    tg_groups_free(&groups);
    tg_column_drop(labels);
    return tg_scope_return(depth, made);
}

pd_Series *pd_Series_unique(const pd_Series *s) {
    if (!tg_check_series(s, 1)) return NULL;
    tg_Groups groups;
    pd_Series *made = NULL;
    if (tg_groups_make(&groups, s->column, false)) {
        int64_t missing = 0, n = groups.count;
        while (missing < s->len && groups.codes[missing] >= 0) missing++;
        if (missing < s->len) { /* the missing one at its place */
            int64_t at = n++;
            for (; at > 0 && groups.first[at - 1] > missing; at--) groups.first[at] = groups.first[at - 1];
            groups.first[at] = missing;
        }
        made = tg_series_new(tg_column_take(s->column, groups.first, n), tg_index_range(0, 1), s->name);
    }
    tg_groups_free(&groups);
    return made;
}

pd_Series *pd_Series_mode(const pd_Series *s) {
    if (!tg_check_series(s, 1)) return NULL;
    tg_Groups groups;
    pd_Series *made = NULL;
    if (tg_groups_make(&groups, s->column, true)) {
        int64_t most = 0, n = 0;
        for (int64_t g = 0; g < groups.count; g++) most = groups.sizes[g] > most ? groups.sizes[g] : most;
        for (int64_t g = 0; g < groups.count; g++)
            if (groups.sizes[g] == most) groups.first[n++] = groups.first[g];
        made = tg_series_new(tg_column_take(s->column, groups.first, n), tg_index_range(0, 1), s->name);
    }
    tg_groups_free(&groups);
    return made;
}

/* ---- codes ---- */

Tensor *pd_Series_factorize(const pd_Series *s, bool sort, pd_Series **uniques) {
    if (!tg_check_series(s, 1)) return NULL;
    tg_Groups groups;
    Tensor *codes = NULL;
    if (tg_groups_make(&groups, s->column, sort)) {
        codes = tg_empty(&s->len, 1, t_int64);
        if (codes && s->len) memcpy(tg_data(codes), groups.codes, (size_t)s->len * sizeof *groups.codes);
        if (codes && uniques) {
            *uniques =
                tg_series_new(tg_column_take(s->column, groups.first, groups.count), tg_index_range(0, 1), s->name);
            if (!*uniques) codes = NULL;
        }
    }
    tg_groups_free(&groups);
    return codes;
}

Tensor *pd_Series_codes(const pd_Series *s) {
    if (!tg_check_series(s, 1)) return NULL;
    if (s->column->kind == tg_column_category) return t_clone(s->column->values);
    return pd_Series_factorize(s, true, NULL);
}

/* The number of a 0-dim tensor, and whether it is an integer. */
static bool take_number(const t_DictItem *item, double *value, bool *is_integer) {
    if (!item->tensor || tg_numel(item->tensor) != 1) return tg_fail("the map has no number for '%s'", item->name);
    *value = tg_read_double(item->tensor);
    *is_integer = *is_integer && !tg_is_floating(item->tensor->dtype);
    return true;
}

pd_Series *pd_Series_map(const pd_Series *s, const t_TensorDict *map) {
    if (!tg_check_series(s, 1) || !tg_check_dict(map, 2)) return NULL;
    const int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(&s->len, 1, t_float64) : NULL;
    double *values = x ? tg_data(x) : NULL;
    bool ok = values != NULL, integers = true;
    for (int64_t i = 0; ok && i < s->len; i++) {
        char buffer[400];
        const char *text = tg_column_item(s->column, i, buffer);
        const t_DictItem *item = text ? tg_dict_find(map, text) : NULL;
        values[i] = NAN;
        if (item) ok = take_number(item, &values[i], &integers);
        integers = integers && item;
    }
    if (ok && integers) x = t_to(x, t_int64);
    return tg_scope_return(
        depth, ok ? tg_series_new(tg_column_of_tensor(x, tg_column_values), tg_index_keep(s->index), s->name) : NULL);
}

/* ---- comparisons ---- */

/* The text is read as a time; no time is equal to one that cannot be read. */
static Tensor *equal_times(const pd_Series *s, const char *value) {
    const int64_t failures = tg_context()->failures;
    const int depth = t_scope_open();
    const pd_ToDatetimeOptions o = {PD_TO_DATETIME_DEFAULTS_};
    bool is_other = false;
    pd_Series *one = depth ? pd_Series_of_texts(&value, 1, NULL) : NULL;
    tg_Column *time = one ? tg_column_to_datetime(one->column, &o, &is_other) : NULL;
    tg_Column *wanted = time ? tg_column_astype(time, tg_column_dtype(s->column)) : NULL;
    Tensor *mask = tg_failed_since(failures) ? NULL : tg_empty(&s->len, 1, t_bool);
    for (int64_t i = 0; mask && i < s->len; i++)
        ((bool *)tg_data(mask))[i] =
            wanted && !tg_column_is_missing(wanted, 0) && tg_column_int64(s->column, i) == tg_column_int64(wanted, 0);
    tg_column_drop(wanted);
    tg_column_drop(time);
    return tg_scope_return(depth, mask);
}

/* s == value by the values of the categories. */
static Tensor *equal_values(const pd_Series *s, const char *text, double number) {
    const int depth = t_scope_open();
    pd_Series *values = depth ? tg_series_new(tg_column_decoded(s->column), tg_index_keep(s->index), NULL) : NULL;
    Tensor *mask = !values ? NULL : text ? pd_Series_eq(values, text) : pd_Series_eq_number(values, number);
    return tg_scope_return(depth, mask);
}

Tensor *pd_Series_eq(const pd_Series *s, const char *value) {
    if (!tg_check_series(s, 1) || !tg_check_given(value != NULL, 2, "a text")) return NULL;
    if (s->column->kind == tg_column_category) return equal_values(s, value, 0);
    if (s->column->kind == tg_column_datetime) return equal_times(s, value);
    Tensor *mask = tg_empty(&s->len, 1, t_bool);
    for (int64_t i = 0; mask && i < s->len; i++) {
        const char *text = s->column->kind == tg_column_text ? tg_column_text_at(s->column, i) : NULL;
        ((bool *)tg_data(mask))[i] = text && strcmp(text, value) == 0;
    }
    return mask;
}

Tensor *pd_Series_eq_number(const pd_Series *s, double value) {
    if (!tg_check_series(s, 1)) return NULL;
    if (s->column->kind == tg_column_category) return equal_values(s, NULL, value);
    const bool is_number = s->column->kind == tg_column_values || s->column->kind == tg_column_object;
    Tensor *mask = tg_empty(&s->len, 1, t_bool);
    for (int64_t i = 0; mask && i < s->len; i++)
        ((bool *)tg_data(mask))[i] = is_number && tg_column_double(s->column, i) == value;
    return mask;
}

/* ---- get_dummies ---- */

/* Appends a column for each group: 1 where the row is in it. prefix NULL: the value alone is the name. */
static bool append_dummies(pd_DataFrame *df, const tg_Column *column, const char *prefix,
                           const pd_GetDummiesOptions *o) {
    tg_Groups groups;
    tg_Column *labels = labels_of((tg_Column *)column);
    const bool is_category = column->kind == tg_column_category;
    groups = (tg_Groups){0};
    bool ok =
        labels && (is_category ? count_categories(&groups, column, labels) : tg_groups_make(&groups, column, true));
    const int64_t count = ok ? groups.count + o->dummy_na : 0;
    for (int64_t g = o->drop_first; ok && g < count; g++) {
        char buffer[400];
        const bool is_missing = g == groups.count;
        const char *value = is_missing ? prefix ? "nan" : "NaN" : tg_column_item(labels, groups.first[g], buffer);
        const size_t size = strlen(value) + (prefix ? strlen(prefix) : 0) + 2;
        char *name = malloc(size);
        Tensor *x = tg_empty(&column->len, 1, t_bool);
        for (int64_t i = 0; x && i < column->len; i++)
            ((bool *)tg_data(x))[i] = groups.codes[i] == (is_missing ? -1 : g);
        tg_Column *bools = tg_column_of_tensor(x, tg_column_values);
        if (name)
            snprintf(name, size, "%s%s%s", prefix ? prefix : "", prefix ? "_" : "", value);
        else
            tg_fail("out of memory: %zu bytes were asked for", size);
        ok = name && bools && tg_frame_append(df, name, tg_column_astype(bools, o->dtype));
        tg_column_drop(bools);
        free(name);
    }
    tg_groups_free(&groups);
    tg_column_drop(labels);
    return ok;
}

static bool is_encoded(const pd_DataFrame *df, int64_t i, const pd_GetDummiesOptions *o) {
    const tg_ColumnKind kind = df->items[i].column->kind;
    if (!o->columns[0]) return kind != tg_column_values && kind != tg_column_datetime;
    for (int j = 0; j < PD_MOST_NAMES && o->columns[j]; j++)
        if (strcmp(o->columns[j], df->items[i].name) == 0) return true;
    return false;
}

pd_DataFrame *pd_DataFrame_get_dummies(const pd_DataFrame *df, const pd_GetDummiesOptions *options) {
    pd_GetDummiesOptions o = {PD_GET_DUMMIES_DEFAULTS_};
    if (!tg_check_frame(df, 1) || !tg_take_options(&o, options, sizeof o)) return NULL;
    for (int j = 0; j < PD_MOST_NAMES && o.columns[j]; j++)
        if (tg_frame_find(df, o.columns[j]) < 0) return tg_frame_key_error(o.columns[j]) ? NULL : NULL;
    const int depth = t_scope_open();
    pd_DataFrame *made = depth ? tg_frame_new(df->len, tg_index_keep(df->index)) : NULL;
    bool ok = made != NULL;
    for (int64_t i = 0; ok && i < df->width; i++)
        if (!is_encoded(df, i, &o)) ok = tg_frame_append(made, df->items[i].name, tg_column_keep(df->items[i].column));
    if (o.columns[0]) { /* in the order of columns= */
        for (int j = 0; ok && j < PD_MOST_NAMES && o.columns[j]; j++)
            ok = append_dummies(made, df->items[tg_frame_find(df, o.columns[j])].column, o.columns[j], &o);
    } else {
        for (int64_t i = 0; ok && i < df->width; i++)
            if (is_encoded(df, i, &o)) ok = append_dummies(made, df->items[i].column, df->items[i].name, &o);
    }
    return tg_scope_return(depth, ok ? made : NULL);
}

pd_DataFrame *pd_Series_get_dummies(const pd_Series *s, const pd_GetDummiesOptions *options) {
    pd_GetDummiesOptions o = {PD_GET_DUMMIES_DEFAULTS_};
    if (!tg_check_series(s, 1) || !tg_take_options(&o, options, sizeof o)) return NULL;
    const int depth = t_scope_open();
    pd_DataFrame *made = depth ? tg_frame_new(s->len, tg_index_keep(s->index)) : NULL;
    const bool ok = made && append_dummies(made, s->column, NULL, &o);
    return tg_scope_return(depth, ok ? made : NULL);
}
