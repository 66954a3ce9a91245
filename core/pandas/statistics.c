/* core/pandas/statistics.c: statistics of columns, over the values that are not missing. */
#include "core/pandas/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pandas/datetime/datetime.h"
#include "core/pandas/grouping.h"

/* The values of a column that are not missing. */
typedef struct Values {
    double *items; /* NULL on out of memory */
    int64_t count;
    size_t bytes;
} Values;

static Values values_of(const tg_Column *column) {
    Values v = {.bytes = (size_t)(column->len + 1) * sizeof(double)};
    v.items = tg_alloc_raw(v.bytes);
    for (int64_t i = 0; v.items && i < column->len; i++) {
        const double x = tg_column_double(column, i);
        if (x == x) v.items[v.count++] = x;
    }
    return v;
}

static void free_values(Values *v) {
    tg_free(v->items, v->bytes);
}

/* numpy's pairwise sum: blocks of up to 128 with eight sums, halves of longer ones. */
static double pairwise_sum(const double *x, int64_t n) {
    if (n < 8) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += x[i];
        return sum;
    }
    if (n <= 128) {
        double r[8];
        int64_t i;
        memcpy(r, x, sizeof r);
        for (i = 8; i < n - n % 8; i += 8)
            for (int k = 0; k < 8; k++) r[k] += x[i + k];
        double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
        for (; i < n; i++) sum += x[i];
        return sum;
    }
    const int64_t half = n / 2 - n / 2 % 8;
    return pairwise_sum(x, half) + pairwise_sum(x + half, n - half);
}

static double variance(Values *v, double mean) {
    for (int64_t i = 0; i < v->count; i++) v->items[i] = (mean - v->items[i]) * (mean - v->items[i]);
    return v->count > 1 ? pairwise_sum(v->items, v->count) / (double)(v->count - 1) : NAN;
}

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void tg_sort_doubles(double *values, int64_t count) {
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
}

double tg_median(double *values, int64_t count) {
    if (count == 0) return NAN;
    tg_sort_doubles(values, count);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

tg_Column *tg_column_of_results(Tensor *x, const tg_Column *of) {
    tg_Column *column = tg_column_of_tensor(x, tg_column_values);
    if (!column || of->values->dtype != t_float32) return column;
    tg_Column *narrow = tg_column_astype(column, "float32");
    tg_column_drop(column);
    return narrow;
}

/* numpy.quantile with linear interpolation, of sorted values. */
static double quantile(const Values *v, double q) {
    if (v->count == 0) return NAN;
    const double at = q * (double)(v->count - 1);
    const int64_t below = (int64_t)floor(at), above = below + 1 < v->count ? below + 1 : below;
    const double t = at - (double)below, a = v->items[below], b = v->items[above], difference = b - a;
    return t >= 0.5 ? b - difference * (1 - t) : a + difference * t;
}

static double extreme(const Values *v, bool smallest) {
    double best = NAN;
    for (int64_t i = 0; i < v->count; i++)
        if (i == 0 || (smallest ? v->items[i] < best : v->items[i] > best)) best = v->items[i];
    return best;
}

static double count_of(const tg_Column *column) {
    int64_t count = 0;
    for (int64_t i = 0; i < column->len; i++) count += !tg_column_is_missing(column, i);
    return (double)count;
}

static double statistic(const tg_Column *column, pd_Statistic which) {
    if (which == pd_stat_count) return count_of(column);
    if (which == pd_stat_nunique) {
        tg_Groups groups;
        const double count = tg_groups_make(&groups, column, false) ? (double)groups.count : NAN;
        tg_groups_free(&groups);
        return count;
    }
    Values v = values_of(column);
    double x = NAN;
    if (!v.items) return x;
    switch (which) {
    case pd_stat_sum: x = pairwise_sum(v.items, v.count); break;
    case pd_stat_mean: x = pairwise_sum(v.items, v.count) / (double)v.count; break;
    case pd_stat_var:
    case pd_stat_std:
        x = variance(&v, pairwise_sum(v.items, v.count) / (double)v.count);
        if (which == pd_stat_std) x = sqrt(x);
        break;
    case pd_stat_min: x = extreme(&v, true); break;
    case pd_stat_max: x = extreme(&v, false); break;
    default: x = tg_median(v.items, v.count);
    }
    free_values(&v);
    return x;
}

static bool takes_texts(pd_Statistic which) {
    return which == pd_stat_count || which == pd_stat_nunique;
}

static bool check_statistic(pd_Statistic which) {
    return ((int)which >= pd_stat_count && (int)which <= pd_stat_nunique) || tg_fail("%d is no statistic", (int)which);
}

double pd_Series_stat(const pd_Series *s, pd_Statistic which) {
    static const char *const names[] = {"count", "sum", "mean", "std", "var", "min", "max", "median", "nunique"};
    if (!tg_check_series(s, 1) || !check_statistic(which)) return NAN;
    if (s->column->kind == tg_column_text && !takes_texts(which))
        return tg_fail("Cannot perform reduction '%s' with string dtype", names[which]), NAN;
    if (s->column->kind == tg_column_category && !takes_texts(which))
        return tg_fail("'Categorical' with dtype category does not support operation '%s'", names[which]), NAN;
    if (s->column->kind == tg_column_datetime && !takes_texts(which))
        return tg_fail("'DatetimeArray' with dtype %s has no number for '%s': pd_groupby_agg gives times",
                       tg_column_dtype(s->column), names[which]),
               NAN;
    return statistic(s->column, which);
}

double pd_Series_quantile(const pd_Series *s, double q) {
    if (!tg_check_series(s, 1)) return NAN;
    if (s->column->kind == tg_column_text) return tg_fail("Cannot perform reduction 'quantile' with string dtype"), NAN;
    if (s->column->kind == tg_column_category)
        return tg_fail("'Categorical' with dtype category does not support operation 'quantile'"), NAN;
    if (s->column->kind == tg_column_datetime)
        return tg_fail("the series is of times, whose quantile is no number"), NAN;
    if (!(q >= 0 && q <= 1))
        return tg_fail("percentiles should all be in the interval [0, 1]"), NAN;
    Values v = values_of(s->column);
    if (!v.items) return NAN;
    tg_sort_doubles(v.items, v.count);
    const double x = quantile(&v, q);
    free_values(&v);
    return x;
}

/* ---- series of statistics ---- */

/* A float64 column of the current scope's new tensor, or int64 if `integers`. */
static tg_Column *column_of_doubles(const double *items, int64_t count, bool integers) {
    Tensor *x = tg_empty(&count, 1, integers ? t_int64 : t_float64);
    for (int64_t i = 0; x && i < count; i++) {
        if (integers)
            ((int64_t *)tg_data(x))[i] = (int64_t)items[i];
        else
            ((double *)tg_data(x))[i] = items[i];
    }
    return tg_column_of_tensor(x, tg_column_values);
}

static bool is_integral(const tg_Column *column) {
    return column->kind == tg_column_values && !tg_is_floating(column->values->dtype);
}

pd_Series *pd_DataFrame_stat(const pd_DataFrame *df, pd_Statistic which) {
    if (!tg_check_frame(df, 1) || !check_statistic(which)) return NULL;
    const int depth = t_scope_open();
    const size_t bytes = (size_t)(df->width + 1) * sizeof(double);
    double *items = depth ? tg_alloc(bytes) : NULL;
    tg_TextBuilder names;
    bool ok = items && tg_text_begin(&names, df->width);
    bool integers = takes_texts(which) || which == pd_stat_sum || which == pd_stat_min || which == pd_stat_max;
    int64_t count = 0;
    const int64_t failures = tg_context()->failures;
    for (int64_t i = 0; ok && i < df->width; i++) {
        const tg_Column *column = df->items[i].column;
        if (!takes_texts(which) && column->kind != tg_column_values) continue; /* numeric_only */
        integers = integers && (takes_texts(which) || is_integral(column));
        items[count++] = statistic(column, which);
        ok = !tg_failed_since(failures) && tg_text_add(&names, df->items[i].name, strlen(df->items[i].name));
    }
    pd_Series *s = NULL;
    if (items && names.column) {
        tg_Column *labels = tg_text_end(&names, ok);
        if (labels)
            s = tg_series_new(column_of_doubles(items, count, integers && count > 0), tg_index_of(labels, NULL), NULL);
    }
    tg_free(items, bytes);
    return tg_scope_return(depth, s);
}

/* ---- describe ---- */

/* std is the third row, or where there are times the last one, which a series of times has not. */
enum { DESCRIBED = 8, DESCRIBED_TIMES = 7 };
static const char *const described[DESCRIBED] = {"count", "mean", "std", "min", "25%", "50%", "75%", "max"},
                         *const described_times[DESCRIBED] = {"count", "mean", "min", "25%",
                                                              "50%",   "75%",  "max", "std"};

static tg_Index *texts_index(const char *const *texts, int64_t count) {
    tg_TextBuilder builder;
    bool ok = tg_text_begin(&builder, count);
    for (int64_t i = 0; ok && i < count; i++) ok = tg_text_add(&builder, texts[i], strlen(texts[i]));
    return tg_index_of(tg_text_end(&builder, ok), NULL);
}

static tg_Column *describe_numbers(const tg_Column *column, bool std_is_last) {
    const int64_t failures = tg_context()->failures;
    double rows[DESCRIBED] = {count_of(column), statistic(column, pd_stat_mean), statistic(column, pd_stat_std)};
    Values v = values_of(column);
    if (tg_failed_since(failures)) {
        free_values(&v);
        return NULL;
    }
    tg_sort_doubles(v.items, v.count);
    for (int i = 1; i < 4; i++) rows[3 + i] = quantile(&v, i / 4.0);
    rows[3] = extreme(&v, true); /* no quantile, which is NaN of infinite values */
    rows[7] = extreme(&v, false);
    free_values(&v);
    if (std_is_last) {
        const double std = rows[2];
        memmove(rows + 2, rows + 3, 5 * sizeof *rows);
        rows[7] = std;
    }
    return column_of_doubles(rows, DESCRIBED, false);
}

/* Of times, as texts: count, mean, smallest, quartiles, largest, and in a frame with numbers a missing std. */
static tg_Column *describe_times(const tg_Column *column, bool has_std) {
    tg_TextBuilder builder;
    char text[80];
    double rows[DESCRIBED_TIMES] = {count_of(column)};
    Values v = values_of(column);
    if (!v.items) return NULL;
    const int64_t n = v.count;
    int64_t first = 0, k = 0;
    for (int64_t i = 0; i < column->len; i++) { /* since the first time: exact in float64 */
        if (tg_column_is_missing(column, i)) continue;
        const int64_t time = tg_column_int64(column, i);
        int64_t since;
        if (k == 0) first = time;
        v.items[k++] = __builtin_sub_overflow(time, first, &since) ? (double)time - (double)first : (double)since;
    }
    rows[1] = pairwise_sum(v.items, n) / (double)n;
    tg_sort_doubles(v.items, n);
    for (int i = 0; i < 5; i++) rows[2 + i] = quantile(&v, i / 4.0);
    free_values(&v);
    bool ok = tg_text_begin(&builder, DESCRIBED);
    for (int i = 0; ok && i < DESCRIBED_TIMES; i++) {
        if (i == 0) {
            snprintf(text, sizeof text, "%.0f", rows[0]);
        } else if (n == 0) {
            strcpy(text, "NaT");
        } else {
            int64_t time;
            if (!(fabs(rows[i]) < 0x1p63) || __builtin_add_overflow(first, (int64_t)floor(rows[i]), &time))
                time = rows[i] < 0 ? INT64_MIN + 1 : INT64_MAX;
            const int digits = tg_datetime_digits(&time, 1, column->per_second);
            tg_datetime_text(time, column->per_second, digits <= 0 ? 0 : digits < 9 ? 6 : 9, text); /* str(Timestamp) */
        }
        ok = tg_text_add(&builder, text, strlen(text));
    }
    if (ok && has_std) ok = tg_text_add(&builder, NULL, 0);
    tg_Column *made = tg_text_end(&builder, ok);
    if (made) made->is_object = true;
    return made;
}

/* count, unique, top and freq of texts and bools. */
static tg_Column *describe_categories(const tg_Column *column) {
    tg_Groups groups;
    tg_TextBuilder builder;
    char number[32], item[400];
    bool ok = tg_groups_make(&groups, column, false);
    int64_t top = 0;
    for (int64_t g = 1; ok && g < groups.count; g++)
        if (groups.sizes[g] > groups.sizes[top]) top = g;
    ok = ok && tg_text_begin(&builder, 4);
    if (ok) {
        const bool any = groups.count > 0;
        const char *text = any ? tg_column_item(column, groups.first[top], item) : NULL;
        const double numbers[] = {count_of(column), (double)groups.count, 0, any ? (double)groups.sizes[top] : 0};
        for (int i = 0; ok && i < 4; i++) {
            snprintf(number, sizeof number, "%.0f", numbers[i]);
            const char *value = i == 2 ? text : i == 3 && !any ? NULL : number;
            ok = tg_text_add(&builder, value, value ? strlen(value) : 0);
        }
        tg_Column *made = tg_text_end(&builder, ok);
        if (made) made->is_object = true;
        tg_groups_free(&groups);
        return made;
    }
    tg_groups_free(&groups);
    return NULL;
}

static bool is_described_as_number(const tg_Column *column) {
    return column->kind == tg_column_values && column->values->dtype != t_bool;
}

/* The rows of a series' or a frame's describe(): how many, and their labels. */
static int64_t described_rows(bool has_numbers, bool has_times, const char *const **labels) {
    static const char *const categories[] = {"count", "unique", "top", "freq"};
    *labels = has_times ? described_times : has_numbers ? described : categories;
    return has_numbers ? DESCRIBED : has_times ? DESCRIBED_TIMES : 4;
}

static tg_Column *describe_column(const tg_Column *column, bool has_numbers, bool has_times) {
    if (column->kind == tg_column_datetime) return describe_times(column, has_numbers);
    return is_described_as_number(column) ? describe_numbers(column, has_times) : describe_categories(column);
}

pd_Series *pd_Series_describe(const pd_Series *s) {
    if (!tg_check_series(s, 1)) return NULL;
    const int depth = t_scope_open();
    pd_Series *made = NULL;
    const bool is_number = is_described_as_number(s->column), is_time = s->column->kind == tg_column_datetime;
    const char *const *labels;
    const int64_t rows = described_rows(is_number, is_time, &labels);
    if (depth) made = tg_series_new(describe_column(s->column, is_number, is_time), texts_index(labels, rows), s->name);
    return tg_scope_return(depth, made);
}

pd_DataFrame *pd_DataFrame_describe(const pd_DataFrame *df) {
    if (!tg_check_frame(df, 1)) return NULL;
    if (df->width == 0) return tg_fail("Cannot describe a DataFrame without columns");
    bool has_numbers = false, has_times = false;
    for (int64_t i = 0; i < df->width; i++) {
        has_times = has_times || df->items[i].column->kind == tg_column_datetime;
        has_numbers = has_numbers || is_described_as_number(df->items[i].column);
    }
    const char *const *labels;
    const int64_t rows = described_rows(has_numbers, has_times, &labels);
    const int depth = t_scope_open();
    pd_DataFrame *made = depth ? tg_frame_new(rows, texts_index(labels, rows)) : NULL;
    bool ok = made != NULL;
    for (int64_t i = 0; ok && i < df->width; i++) {
        const tg_Column *column = df->items[i].column;
        const bool is_left_out = !is_described_as_number(column) && column->kind != tg_column_datetime;
        if (is_left_out && (has_numbers || has_times)) continue;
        ok = tg_frame_append(made, df->items[i].name, describe_column(column, has_numbers, has_times));
    }
    return tg_scope_return(depth, ok ? made : NULL);
}

/* ---- corr ---- */

/* Pearson's correlation over the rows where both are given, by Welford's updates as in pandas. */
static double correlation(const tg_Column *x, const tg_Column *y) {
    double n = 0, mean_x = 0, mean_y = 0, var_x = 0, var_y = 0, cov = 0;
    for (int64_t i = 0; i < x->len; i++) {
        const double vx = tg_column_double(x, i), vy = tg_column_double(y, i);
        if (vx != vx || vy != vy) continue;
        n++;
        const double dx = vx - mean_x, dy = vy - mean_y;
        mean_x += 1 / n * dx;
        mean_y += 1 / n * dy;
        var_x += (vx - mean_x) * dx;
        var_y += (vy - mean_y) * dy;
        cov += (vx - mean_x) * dy;
    }
    const double divisor = sqrt(var_x * var_y);
    return n < 1 || divisor == 0 ? NAN : fmin(1, fmax(-1, cov / divisor));
}

pd_DataFrame *pd_DataFrame_corr(const pd_DataFrame *df) {
    if (!tg_check_frame(df, 1)) return NULL;
    const int depth = t_scope_open();
    const size_t bytes = (size_t)(df->width + 1) * sizeof(double);
    double *items = depth ? tg_alloc(bytes) : NULL;
    tg_TextBuilder names = {0};
    bool ok = items && tg_text_begin(&names, df->width);
    int64_t count = 0;
    for (int64_t i = 0; ok && i < df->width; i++) {
        if (df->items[i].column->kind != tg_column_values) continue;
        ok = tg_text_add(&names, df->items[i].name, strlen(df->items[i].name));
        count++;
    }
    tg_Index *index = tg_index_of(tg_text_end(&names, ok), NULL);
    pd_DataFrame *made = ok ? tg_frame_new(count, index) : NULL;
    if (!ok) tg_index_drop(index);
    ok = made != NULL;
    for (int64_t i = 0; ok && i < df->width; i++) {
        if (df->items[i].column->kind != tg_column_values) continue;
        int64_t n = 0;
        for (int64_t j = 0; j < df->width; j++)
            if (df->items[j].column->kind == tg_column_values)
                items[n++] = correlation(df->items[j < i ? i : j].column,
                                         df->items[j < i ? j : i].column); /* symmetric to the bit */
        ok = tg_frame_append(made, df->items[i].name, column_of_doubles(items, count, false));
    }
    tg_free(items, bytes);
    return tg_scope_return(depth, ok ? made : NULL);
}
