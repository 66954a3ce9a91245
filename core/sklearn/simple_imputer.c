/* core/sklearn/simple_imputer.c: SimpleImputer: missing values become a statistic of their column. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/pandas/grouping.h"
#include "core/sklearn/encoders.h"
#include "core/sklearn/features.h"

static const char *const strategies[] = {"mean", "median", "most_frequent", "constant"};

static void imputer_destroy(void *object) {
    sklearn_SimpleImputer *s = object;
    tg_object_dispose(&s->object);
    if (s->statistics_) t_release(s->statistics_);
    free((char *)s->fill_text);
    tg_object_free(&s->object, sizeof *s);
}

static const t_Class imputer_class = {"SimpleImputer", imputer_destroy};

sklearn_SimpleImputer *sklearn_SimpleImputer_new(const sklearn_SimpleImputerOptions *options) {
    sklearn_SimpleImputerOptions o = {SKLEARN_SIMPLE_IMPUTER_DEFAULTS_};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    int i = 0;
    while (i < 4 && (!o.strategy || strcmp(strategies[i], o.strategy) != 0)) i++;
    if (i == 4)
        return tg_fail("The 'strategy' parameter of SimpleImputer must be a str among {'constant', 'mean', 'median', "
                       "'most_frequent'} or a callable. Got '%s' instead.",
                       o.strategy ? o.strategy : "None");
    char *fill_text = tg_copy_text(o.fill_text ? o.fill_text : "missing_value");
    sklearn_SimpleImputer *s = fill_text ? tg_alloc(sizeof *s) : NULL;
    if (!s) {
        free(fill_text);
        return NULL;
    }
    s->strategy = strategies[i];
    s->missing_values = o.missing_values;
    s->fill_value = o.fill_value;
    s->fill_text = fill_text;
    tg_object_init(&s->object, &imputer_class);
    return s;
}

static bool check_imputer(const sklearn_SimpleImputer *s) {
    return tg_check_given(s != NULL, 1, "an imputer") &&
           (s->object.is_a == &imputer_class || tg_fail("argument 1 is no SimpleImputer, or died with its scope"));
}

/* ---- missing values ---- */

static bool is_missing(const sklearn_SimpleImputer *s, const tg_Column *column, int64_t i) {
    if (s->missing_values != s->missing_values || column->kind == tg_column_text)
        return tg_column_is_missing(column, i);
    return tg_column_double(column, i) == s->missing_values;
}

/* NaN, unless it is what is missing, and infinity are refused. */
static bool check_values(const sklearn_SimpleImputer *s, const tg_Column *column) {
    if (column->kind == tg_column_datetime || column->kind == tg_column_category)
        return tg_fail("SimpleImputer does not support data with dtype %s. Please provide either a numeric array "
                       "(with a floating point or integer dtype) or categorical data represented either as an array "
                       "with integer dtype or an array of string values with an object dtype.",
                       tg_column_dtype(column));
    if (column->kind != tg_column_values || !tg_is_floating(column->values->dtype)) return true;
    const bool takes_nan = s->missing_values != s->missing_values;
    for (int64_t i = 0; i < column->len; i++) {
        const double value = tg_column_double(column, i);
        if (value != value && !takes_nan)
            return tg_fail(
                "Input X contains NaN.\nSimpleImputer does not accept missing values encoded as NaN natively.");
        if (isinf(value))
            return tg_fail("Input X contains infinity or a value too large for dtype('%s').",
                           tg_dtype_name(column->values->dtype));
    }
    return true;
}

/* ---- statistics ---- */

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Mean or median of the values that are there; NaN where there is none. */
static bool number_statistic(const sklearn_SimpleImputer *s, const tg_Column *column, double *statistic) {
    const size_t bytes = (size_t)(column->len + 1) * sizeof(double);
    double *values = tg_alloc(bytes), sum = 0;
    int64_t n = 0;
    if (!values) return false;
    for (int64_t i = 0; i < column->len; i++) {
        if (is_missing(s, column, i)) continue;
        values[n] = tg_column_double(column, i);
        sum += values[n++];
    }
    *statistic = sum / (double)n;
    if (n && strcmp(s->strategy, "median") == 0) {
        qsort(values, (size_t)n, sizeof *values, by_value);
        *statistic = n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
    }
    tg_free(values, bytes);
    return true;
}

/* The first row with the most frequent value, of several the smallest; -1 where there is no value. */
static bool most_frequent(const sklearn_SimpleImputer *s, const tg_Column *column, int64_t *row) {
    tg_Groups groups;
    const bool ok = tg_groups_make(&groups, column, true);
    int64_t most = 0;
    *row = -1;
    for (int64_t g = 0; ok && g < groups.count; g++)
        if (groups.sizes[g] > most && !is_missing(s, column, groups.first[g])) {
            most = groups.sizes[g];
            *row = groups.first[g];
        }
    tg_groups_free(&groups);
    return ok;
}

static tg_Column *number_column(double value) {
    const int64_t one = 1;
    const int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(&one, 1, t_float64) : NULL;
    if (x) *(double *)tg_data(x) = value;
    tg_Column *column = tg_column_of_tensor(x, tg_column_values);
    t_scope_close(depth);
    return column;
}

static tg_Column *text_column(const char *text) {
    tg_TextBuilder builder;
    const bool ok = tg_text_begin(&builder, 1) && tg_text_add(&builder, text, strlen(text));
    return tg_text_end(&builder, ok);
}

/* A column of one row, the statistic. */
static tg_Column *statistic_of(const sklearn_SimpleImputer *s, const tg_Column *column) {
    const bool is_text = column->kind != tg_column_values;
    if (strcmp(s->strategy, "constant") == 0) return is_text ? text_column(s->fill_text) : number_column(s->fill_value);
    if (strcmp(s->strategy, "most_frequent") == 0) {
        int64_t row;
        if (!most_frequent(s, column, &row)) return NULL;
        if (!is_text) return number_column(row < 0 ? NAN : tg_column_double(column, row));
        return tg_column_take(column, &row, 1);
    }
    if (is_text) {
        int64_t i = 0;
        char buffer[400];
        while (i < column->len - 1 && tg_column_is_missing(column, i)) i++;
        const char *text = tg_column_item(column, i, buffer);
        return tg_fail("Cannot use %s strategy with non-numeric data:\ncould not convert string to float: '%.200s'",
                       s->strategy, text ? text : "nan");
    }
    double statistic = NAN;
    return number_statistic(s, column, &statistic) ? number_column(statistic) : NULL;
}

bool sklearn_SimpleImputer_fit(sklearn_SimpleImputer *s, const pd_DataFrame *x) {
    if (!check_imputer(s) || !tg_check_frame(x, 2) || !tg_check_rows(x, "SimpleImputer")) return false;
    const int depth = t_scope_open();
    pd_DataFrame *statistics = depth ? tg_frame_new(1, tg_index_range(0, 1)) : NULL;
    bool ok = statistics != NULL;
    for (int64_t i = 0; ok && i < x->width; i++)
        ok = check_values(s, x->items[i].column) &&
             tg_frame_append(statistics, x->items[i].name, statistic_of(s, x->items[i].column));
    if (ok) {
        t_retain(statistics);
        if (s->statistics_) t_release(s->statistics_);
        s->statistics_ = statistics;
        s->n_features_in_ = x->width;
    }
    t_scope_close(depth);
    return ok;
}

/* ---- filling ---- */

/* Numbers with missing ones: float32 stays, others become float64. */
static tg_Column *fill_numbers(const sklearn_SimpleImputer *s, const tg_Column *column, double value) {
    const int depth = t_scope_open();
    const t_DType dtype = column->values->dtype == t_float32 ? t_float32 : t_float64;
    Tensor *x = depth ? tg_empty(&column->len, 1, dtype) : NULL;
    for (int64_t i = 0; x && i < column->len; i++) {
        const double item = is_missing(s, column, i) ? value : tg_column_double(column, i);
        if (dtype == t_float32)
            ((float *)tg_data(x))[i] = (float)item;
        else
            ((double *)tg_data(x))[i] = item;
    }
    tg_Column *filled = tg_column_of_tensor(x, tg_column_values);
    t_scope_close(depth);
    return filled;
}

static tg_Column *fill_texts(const sklearn_SimpleImputer *s, const tg_Column *column, const char *value) {
    tg_TextBuilder builder;
    char buffer[400];
    bool ok = tg_text_begin(&builder, column->len);
    for (int64_t i = 0; ok && i < column->len; i++) {
        const char *text = is_missing(s, column, i) ? value : tg_column_item(column, i, buffer);
        ok = tg_text_add(&builder, text, strlen(text));
    }
    return tg_text_end(&builder, ok);
}

static tg_Column *fill(const sklearn_SimpleImputer *s, tg_Column *column, const tg_Column *statistic) {
    bool any = false;
    char buffer[400];
    for (int64_t i = 0; i < column->len && !any; i++) any = is_missing(s, column, i);
    if (!any) return tg_column_keep(column);
    if (column->kind == tg_column_values && statistic->kind == tg_column_values)
        return fill_numbers(s, column, tg_column_double(statistic, 0));
    return fill_texts(s, column, tg_column_item(statistic, 0, buffer));
}

/* A column that had no value at the fit is left out. */
static bool is_left_out(const sklearn_SimpleImputer *s, int64_t i) {
    return strcmp(s->strategy, "constant") != 0 && tg_column_is_missing(s->statistics_->items[i].column, 0);
}

static void warn_of_empty(const sklearn_SimpleImputer *s) {
    char list[300] = "";
    bool warned = false;
    const bool unnamed = tg_has_number_names(s->statistics_);
    for (int64_t i = 0; i < s->n_features_in_; i++) {
        const size_t used = strlen(list);
        if (!is_left_out(s, i) || used > 200) continue;
        const char *quote = unnamed ? "" : "'";
        snprintf(list + used, sizeof list - used, "%s%s%.60s%s", used ? " " : "", quote, s->statistics_->items[i].name,
                 quote);
    }
    if (*list)
        tg_warn(&warned,
                "Skipping features without any observed values: [%s]. At least one non-missing value is needed for "
                "imputation with strategy='%s'.",
                list, s->strategy);
}

pd_DataFrame *sklearn_SimpleImputer_transform(const sklearn_SimpleImputer *s, const pd_DataFrame *x) {
    if (!check_imputer(s) || !tg_check_frame(x, 2)) return NULL;
    if (!s->statistics_) return tg_refuse_unfitted("SimpleImputer"), NULL;
    const size_t bytes = (size_t)(s->n_features_in_ + 1) * sizeof(char *);
    const char **names = tg_alloc(bytes);
    for (int64_t i = 0; names && i < s->n_features_in_; i++) names[i] = s->statistics_->items[i].name;
    bool ok = names && tg_check_features(names, s->n_features_in_, x, "SimpleImputer");
    tg_free(names, bytes);
    if (!ok) return NULL;
    const int depth = t_scope_open();
    pd_DataFrame *df = depth ? tg_frame_new(x->len, tg_index_keep(x->index)) : NULL;
    ok = df != NULL;
    for (int64_t i = 0; ok && i < x->width; i++) {
        ok = check_values(s, x->items[i].column);
        if (ok && !is_left_out(s, i))
            ok = tg_frame_append(df, x->items[i].name, fill(s, x->items[i].column, s->statistics_->items[i].column));
    }
    if (ok) warn_of_empty(s);
    return tg_scope_return(depth, ok ? df : NULL);
}

/* ---- of tensors ---- */

static pd_DataFrame *frame_of(Tensor *x) {
    if (!tg_check_any(x, 2)) return NULL;
    if (x->ndim != 2)
        return tg_fail(
            "Expected 2D array, got %s array instead: shape %s. Reshape your data either using "
            "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains a "
            "single sample.",
            x->ndim == 0   ? "scalar"
            : x->ndim == 1 ? "1D"
                           : "3D or larger",
            tg_shape_of(x));
    return pd_DataFrame_of_tensor(x, NULL, 0);
}

bool sklearn_SimpleImputer_fit_tensor(sklearn_SimpleImputer *s, Tensor *x) {
    const int depth = t_scope_open();
    pd_DataFrame *df = depth ? frame_of(x) : NULL;
    const bool ok = df && sklearn_SimpleImputer_fit(s, df);
    t_scope_close(depth);
    return ok;
}

Tensor *sklearn_SimpleImputer_transform_tensor(const sklearn_SimpleImputer *s, Tensor *x) {
    const int depth = t_scope_open();
    pd_DataFrame *df = depth ? frame_of(x) : NULL, *filled = df ? sklearn_SimpleImputer_transform(s, df) : NULL;
    Tensor *y = filled ? pd_DataFrame_to_numpy(filled, x->dtype == t_float32 ? t_float32 : t_float64) : NULL;
    return tg_scope_return(depth, y);
}
