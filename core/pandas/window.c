/* core/pandas/window.c: a row and the rows before it: shift, diff, pct_change, cumsum, rolling. */
#include <inttypes.h>
#include <math.h>

#include "core/pandas/statistics.h"

static size_t rows_bytes(int64_t len) {
    return (size_t)(len + 1) * sizeof(int64_t);
}

static pd_Series *series_of(const pd_Series *s, tg_Column *column) {
    return tg_series_new(column, tg_index_keep(s->index), s->name);
}

/* Whether row i - periods is one of len rows. */
static bool has_before(int64_t i, int64_t periods, int64_t len) {
    return periods >= 0 ? i >= periods : i < len + periods;
}

pd_Series *pd_Series_shift(const pd_Series *s, int64_t periods) {
    if (!tg_check_series(s, 1)) return NULL;
    int64_t *rows = tg_alloc_raw(rows_bytes(s->len));
    for (int64_t i = 0; rows && i < s->len; i++) rows[i] = has_before(i, periods, s->len) ? i - periods : -1;
    tg_Column *column = rows ? tg_column_take_missing(s->column, rows, s->len) : NULL;
    tg_free(rows, rows_bytes(s->len));
    return series_of(s, column);
}

/* ---- floats of each row ---- */

static bool check_numbers(const pd_Series *s, const char *what) {
    if (!tg_check_series(s, 1)) return false;
    if (s->column->kind == tg_column_values) return true;
    return tg_fail("dtype '%s' does not support operation '%s'", tg_column_dtype(s->column), what);
}

static bool check_no_bools(const pd_Series *s, const char *what) {
    return s->column->values->dtype != t_bool || tg_fail("%s of bools is not here: turn them into integers", what);
}

/* x[i] - x[i - periods], or what it is of x[i - periods]. */
static pd_Series *change(const pd_Series *s, int64_t periods, bool is_share) {
    const int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(&s->len, 1, t_float64) : NULL;
    for (int64_t i = 0; x && i < s->len; i++) {
        const double now = tg_column_double(s->column, i);
        const double before = has_before(i, periods, s->len) ? tg_column_double(s->column, i - periods) : NAN;
        ((double *)tg_data(x))[i] = is_share ? now / before - 1 : now - before;
    }
    return tg_scope_return(depth, series_of(s, tg_column_of_results(x, s->column)));
}

pd_Series *pd_Series_diff(const pd_Series *s, int64_t periods) {
    return check_numbers(s, "diff") && check_no_bools(s, "diff") ? change(s, periods, false) : NULL;
}

pd_Series *pd_Series_pct_change(const pd_Series *s, int64_t periods) {
    return check_numbers(s, "pct_change") && check_no_bools(s, "pct_change") ? change(s, periods, true) : NULL;
}

/* Integers stay integers; missing values are passed over. */
pd_Series *pd_Series_cumsum(const pd_Series *s) {
    if (!check_numbers(s, "cumsum")) return NULL;
    const bool is_integer = !tg_is_floating(s->column->values->dtype);
    const int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(&s->len, 1, is_integer ? t_int64 : t_float64) : NULL;
    uint64_t whole = 0;
    tg_KahanSum sum = {0};
    for (int64_t i = 0; x && i < s->len; i++) {
        if (is_integer) {
            whole += (uint64_t)tg_column_int64(s->column, i);
            ((int64_t *)tg_data(x))[i] = (int64_t)whole;
            continue;
        }
        const double value = tg_column_double(s->column, i);
        if (value == value) tg_kahan_add(&sum, value);
        ((double *)tg_data(x))[i] = value == value ? sum.sum : NAN;
    }
    tg_Column *made = is_integer ? tg_column_of_tensor(x, tg_column_values) : tg_column_of_results(x, s->column);
    return tg_scope_return(depth, series_of(s, made));
}

/* ---- rolling ---- */

/* The statistic of n values; values is sorted for the median. */
static double statistic(double *values, int64_t n, pd_Statistic which) {
    double sum = 0, squares = 0, best = values[0];
    for (int64_t i = 0; i < n; i++) {
        sum += values[i];
        if (which == pd_stat_min ? values[i] < best : values[i] > best) best = values[i];
    }
    const double mean = sum / (double)n;
    switch (which) {
    case pd_stat_sum: return sum;
    case pd_stat_mean: return mean;
    case pd_stat_min:
    case pd_stat_max: return best;
    case pd_stat_median: return tg_median(values, n);
    default:
        for (int64_t i = 0; i < n; i++) squares += (values[i] - mean) * (values[i] - mean);
        squares = n > 1 ? squares / (double)(n - 1) : NAN;
        return which == pd_stat_std ? sqrt(squares) : squares;
    }
}

pd_Series *pd_Series_rolling(const pd_Series *s, int64_t window, int64_t min_periods, pd_Statistic which) {
    if (!check_numbers(s, "rolling")) return NULL;
    if ((int)which < pd_stat_count || (int)which >= pd_stat_nunique)
        return tg_fail("%d is no rolling statistic", (int)which);
    if (window < 0) return tg_fail("window must be an integer 0 or greater");
    if (min_periods < 0 && min_periods != T_NONE) return tg_fail("min_periods must be >= 0");
    const int64_t least = min_periods == T_NONE ? window : min_periods;
    if (least > window) return tg_fail("min_periods %" PRId64 " must be <= window %" PRId64, least, window);
    const int depth = t_scope_open();
    const int64_t longest = window < s->len ? window : s->len;
    const size_t bytes = (size_t)(longest + 1) * sizeof(double);
    double *values = depth ? tg_alloc_raw(bytes) : NULL;
    Tensor *x = values ? tg_empty(&s->len, 1, t_float64) : NULL;
    for (int64_t i = 0; x && i < s->len; i++) {
        int64_t n = 0;
        const int64_t rows = i + 1 < longest ? i + 1 : longest;
        for (int64_t j = i + 1 - rows; j <= i; j++) {
            const double value = tg_column_double(s->column, j);
            if (value == value) values[n++] = value;
        }
        const bool is_given =
            (which == pd_stat_count ? rows : n) >= least && (n > 0 || which == pd_stat_count || which == pd_stat_sum);
        ((double *)tg_data(x))[i] = !is_given                ? NAN
                                    : which == pd_stat_count ? (double)n
                                    : n == 0                 ? 0
                                                             : statistic(values, n, which);
    }
    tg_free(values, bytes);
    return tg_scope_return(depth, series_of(s, tg_column_of_tensor(x, tg_column_values)));
}
