/* core/pandas/groupby.c: groupby(by).agg(...): the rows with equal keys are listed group after group, and each
 * aggregation reads them in that order. Sums are Kahan's and variances Welford's, as in pandas. */
#include "core/pandas/groupby.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/pandas/grouping.h"
#include "core/pandas/statistics.h"

/* ---- rows by their keys ---- */

typedef struct Grouped {
    tg_Keys keys;
    int64_t *begin; /* rows of group g: rows[begin[g]] .. rows[begin[g + 1] - 1] */
    int64_t *rows;
} Grouped;

static size_t rows_bytes(const Grouped *k) {
    return (size_t)(k->keys.len + 2) * sizeof(int64_t);
}

static void free_grouped(Grouped *k) {
    tg_keys_free(&k->keys);
    tg_free(k->begin, rows_bytes(k));
    tg_free(k->rows, rows_bytes(k));
}

/* Numbers the groups in the order of appearance. begin: a workspace. */
static void order_by_appearance(Grouped *k) {
    int64_t n = 0;
    for (int64_t g = 0; g < k->keys.count; g++) k->begin[g] = -1;
    for (int64_t i = 0; i < k->keys.len; i++) {
        if (k->keys.codes[i] < 0) continue;
        int64_t *number = &k->begin[k->keys.codes[i]];
        if (*number < 0) *number = n++;
        k->keys.codes[i] = *number;
    }
}

static bool group(Grouped *k, const pd_DataFrame *df, const pd_GroupbyAggOptions *o) {
    const tg_MissingKeys missing = o->dropna ? tg_missing_dropped : tg_missing_last;
    bool ok = tg_keys_begin(&k->keys, df->len);
    for (int64_t i = 0; ok && i < PD_MOST_NAMES && o->by[i]; i++)
        ok = tg_keys_add(&k->keys, df->items[tg_frame_find(df, o->by[i])].column, missing);
    k->begin = ok ? tg_alloc_raw(rows_bytes(k)) : NULL;
    k->rows = k->begin ? tg_alloc_raw(rows_bytes(k)) : NULL;
    if (!k->rows) return false;
    if (!o->sort) order_by_appearance(k);
    tg_list_rows(k->keys.codes, k->keys.len, k->keys.count, k->begin, k->rows);
    return true;
}

/* ---- one number of a group ---- */

typedef enum How {
    how_mean,
    how_sum,
    how_std,
    how_var,
    how_median,
    how_count,
    how_size,
    how_nunique,
    how_min,
    how_max,
    how_first,
    how_last
} How;
static const char *const how_names[] = {"mean", "sum",     "std", "var", "median", "count",
                                        "size", "nunique", "min", "max", "first",  "last"};
enum { HOWS = sizeof how_names / sizeof *how_names };

static double sum_of(const tg_Column *column, const int64_t *rows, int64_t n, int64_t *given) {
    tg_KahanSum sum = {0};
    *given = 0;
    for (int64_t i = 0; i < n; i++) {
        const double x = tg_column_double(column, rows[i]);
        if (x != x) continue;
        tg_kahan_add(&sum, x);
        ++*given;
    }
    return sum.sum;
}

static double variance_of(const tg_Column *column, const int64_t *rows, int64_t n) {
    double mean = 0, squares = 0, given = 0;
    for (int64_t i = 0; i < n; i++) {
        const double x = tg_column_double(column, rows[i]);
        if (x != x) continue;
        const double before = mean;
        mean += (x - before) / ++given;
        squares += (x - mean) * (x - before);
    }
    return given > 1 ? squares / (given - 1) : NAN;
}

/* values: a workspace of n numbers */
static double median_of(const tg_Column *column, const int64_t *rows, int64_t n, double *values) {
    int64_t given = 0;
    for (int64_t i = 0; i < n; i++) {
        const double x = tg_column_double(column, rows[i]);
        if (x == x) values[given++] = x;
    }
    return tg_median(values, given);
}

/* ---- columns of results ---- */

/* mean, std, var, median, and sums of floats. float32 stays float32. */
static tg_Column *reduce_floats(const tg_Column *column, const Grouped *k, How how) {
    const int depth = t_scope_open();
    const size_t bytes = (size_t)(k->keys.len + 1) * sizeof(double);
    double *values = depth ? tg_alloc_raw(bytes) : NULL;
    Tensor *x = values ? tg_empty(&k->keys.count, 1, t_float64) : NULL;
    for (int64_t g = 0; x && g < k->keys.count; g++) {
        const int64_t *rows = k->rows + k->begin[g], n = k->begin[g + 1] - k->begin[g];
        int64_t given;
        double *to = (double *)tg_data(x) + g;
        if (how == how_mean || how == how_sum) {
            *to = sum_of(column, rows, n, &given);
            if (how == how_mean) *to = given ? *to / (double)given : NAN;
        } else if (how == how_median) {
            *to = median_of(column, rows, n, values);
        } else {
            *to = variance_of(column, rows, n);
            if (how == how_std) *to = sqrt(*to);
        }
    }
    tg_free(values, bytes);
    tg_Column *made = tg_column_of_results(x, column);
    t_scope_close(depth);
    return made;
}

/* Sums of integers, which wrap around, and of bools; count and size. */
static tg_Column *reduce_integers(const tg_Column *column, const Grouped *k, How how) {
    const int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(&k->keys.count, 1, t_int64) : NULL;
    for (int64_t g = 0; x && g < k->keys.count; g++) {
        uint64_t sum = 0;
        for (int64_t i = k->begin[g]; i < k->begin[g + 1]; i++)
            sum += how == how_size    ? 1
                   : how == how_count ? !tg_column_is_missing(column, k->rows[i])
                                      : (uint64_t)tg_column_int64(column, k->rows[i]);
        ((int64_t *)tg_data(x))[g] = (int64_t)sum;
    }
    tg_Column *made = tg_column_of_tensor(x, tg_column_values);
    t_scope_close(depth);
    return made;
}

static tg_Column *count_unique(const tg_Column *column, const Grouped *k) {
    tg_Groups values;
    const int depth = t_scope_open();
    const size_t bytes = (size_t)(column->len + 1) * sizeof(int64_t);
    bool ok = depth && tg_groups_make(&values, column, false);
    int64_t *seen = ok ? tg_alloc_raw(bytes) : NULL; /* of each value: the last group that has it, plus one */
    Tensor *x = seen ? tg_empty(&k->keys.count, 1, t_int64) : NULL;
    if (seen) memset(seen, 0, bytes);
    for (int64_t g = 0; x && g < k->keys.count; g++) {
        int64_t count = 0;
        for (int64_t i = k->begin[g]; i < k->begin[g + 1]; i++) {
            const int64_t value = values.codes[k->rows[i]];
            count += value >= 0 && seen[value] != g + 1;
            if (value >= 0) seen[value] = g + 1;
        }
        ((int64_t *)tg_data(x))[g] = count;
    }
    tg_free(seen, bytes);
    if (depth) tg_groups_free(&values);
    tg_Column *made = tg_column_of_tensor(x, tg_column_values);
    t_scope_close(depth);
    return made;
}

/* min, max, first and last are values of rows. */
static tg_Column *choose_values(tg_Column *column, const Grouped *k, How how) {
    const size_t bytes = (size_t)(k->keys.count + 1) * sizeof(int64_t);
    int64_t *chosen = tg_alloc_raw(bytes);
    if (!chosen) return NULL;
    for (int64_t g = 0; g < k->keys.count; g++) {
        chosen[g] = -1;
        for (int64_t i = k->begin[g]; i < k->begin[g + 1]; i++) {
            const int64_t row = k->rows[i];
            if (tg_column_is_missing(column, row)) continue;
            const int by = chosen[g] < 0 || how >= how_first ? 0 : tg_column_compare(column, row, chosen[g]);
            if (chosen[g] < 0 || how == how_last || (how == how_min && by < 0) || (how == how_max && by > 0))
                chosen[g] = row;
        }
    }
    tg_Column *made = tg_column_take_missing(column, chosen, k->keys.count);
    tg_free(chosen, bytes);
    return made;
}

static tg_Column *aggregate(tg_Column *column, const Grouped *k, How how) {
    const bool is_extreme = how == how_min || how == how_max;
    if (is_extreme && column->kind == tg_column_category && !column->is_ordered)
        return tg_fail("Cannot perform %s with non-ordered Categorical", how_names[how]);
    if (how >= how_min) return choose_values(column, k, how);
    if (how == how_count || how == how_size) return reduce_integers(column, k, how);
    if (how == how_nunique) return count_unique(column, k);
    if (column->kind != tg_column_values && column->kind != tg_column_object)
        return tg_fail("dtype '%s' does not support operation '%s'", tg_column_dtype(column), how_names[how]);
    const bool is_integer = column->kind == tg_column_values && !tg_is_floating(column->values->dtype);
    return how == how_sum && is_integer ? reduce_integers(column, k, how) : reduce_floats(column, k, how);
}

/* ---- the frame ---- */

static bool find_how(const char *name, How *how) {
    for (int i = 0; i < HOWS; i++)
        if (strcmp(how_names[i], name) == 0) return *how = (How)i, true;
    return tg_fail("'SeriesGroupBy' object has no attribute '%s'", name);
}

static int64_t count_aggregations(const pd_GroupbyAggOptions *o) {
    int64_t n = 0;
    while (n < PD_MOST_NAMES && o->agg[n].how) n++;
    return n;
}

static bool check_options(const pd_DataFrame *df, const pd_GroupbyAggOptions *o) {
    How how;
    if (!o->by[0]) return tg_fail("No group keys passed!");
    for (int64_t i = 0; i < PD_MOST_NAMES && o->by[i]; i++)
        if (tg_frame_find(df, o->by[i]) < 0) return tg_frame_key_error(o->by[i]);
    if (!o->agg[0].how) return tg_fail("Must provide 'func' or tuples of '**kwargs.");
    for (int64_t i = 0; i < count_aggregations(o); i++) {
        const pd_Aggregation *a = &o->agg[i];
        if (!find_how(a->how, &how)) return false;
        if (!a->column && how != how_size) return tg_fail("the aggregation '%s' needs a column", a->how);
        if (a->column && tg_frame_find(df, a->column) < 0)
            return tg_fail("KeyError: \"Label(s) ['%s'] do not exist\"", a->column);
    }
    return true;
}

/* The name of the i-th result. */
static const char *result_name(const pd_GroupbyAggOptions *o, int64_t i, char *buffer, size_t size) {
    const pd_Aggregation *a = &o->agg[i];
    int64_t uses = 0;
    if (a->name) return a->name;
    if (!a->column) return a->how;
    for (int64_t j = 0; j < count_aggregations(o); j++)
        uses += o->agg[j].column && strcmp(o->agg[j].column, a->column) == 0;
    if (uses < 2) return a->column;
    snprintf(buffer, size, "%s_%s", a->column, a->how);
    return buffer;
}

static bool append_result(pd_DataFrame *made, const pd_DataFrame *df, const pd_GroupbyAggOptions *o, int64_t i,
                          const Grouped *k) {
    char buffer[400];
    How how;
    const pd_Aggregation *a = &o->agg[i];
    const char *name = result_name(o, i, buffer, sizeof buffer);
    if (tg_frame_find(made, name) >= 0)
        return tg_fail("two columns of the result would be '%s': give one of them another name", name);
    const int64_t at = a->column ? tg_frame_find(df, a->column) : 0;
    return find_how(a->how, &how) && tg_frame_append(made, name, aggregate(df->items[at].column, k, how));
}

pd_DataFrame *pd_groupby_agg(const pd_DataFrame *df, const pd_GroupbyAggOptions *options) {
    pd_GroupbyAggOptions o = {PD_GROUPBY_AGG_DEFAULTS_};
    Grouped k = {0};
    if (!tg_check_frame(df, 1) || !tg_take_options(&o, options, sizeof o) || !check_options(df, &o)) return NULL;
    const int depth = t_scope_open();
    bool ok = depth && group(&k, df, &o);
    const bool labels = !o.by[1] && o.as_index;
    int64_t *first = ok ? tg_alloc_raw(rows_bytes(&k)) : NULL; /* a row of each group */
    for (int64_t g = 0; first && g < k.keys.count; g++) first[g] = k.rows[k.begin[g]];
    tg_Index *index =
        !first ? NULL
        : labels
            ? tg_index_of(tg_column_take(df->items[tg_frame_find(df, o.by[0])].column, first, k.keys.count), o.by[0])
            : tg_index_range(0, 1);
    pd_DataFrame *made = tg_frame_new(k.keys.count, index);
    ok = made != NULL;
    for (int64_t i = 0; ok && !labels && i < PD_MOST_NAMES && o.by[i]; i++)
        ok = tg_frame_append(made, o.by[i],
                             tg_column_take(df->items[tg_frame_find(df, o.by[i])].column, first, k.keys.count));
    for (int64_t i = 0; ok && i < count_aggregations(&o); i++) ok = append_result(made, df, &o, i, &k);
    tg_free(first, rows_bytes(&k));
    free_grouped(&k);
    return tg_scope_return(depth, ok ? made : NULL);
}

/* ---- one statistic ---- */

pd_Series *pd_groupby_stat(const pd_DataFrame *df, const char *by, const char *column, pd_Statistic which) {
    static const How hows[] = {how_count, how_sum, how_mean,   how_std,    how_var,
                               how_min,   how_max, how_median, how_nunique}; /* by pd_Statistic */
    if (!tg_check_frame(df, 1) || !tg_check_given(by != NULL, 2, "a name") ||
        !tg_check_given(column != NULL, 3, "a name"))
        return NULL;
    if ((int)which < pd_stat_count || (int)which > pd_stat_nunique) return tg_fail("%d is no statistic", (int)which);
    const int64_t key = tg_frame_find(df, by), of = tg_frame_find(df, column);
    if (key < 0 || of < 0) return tg_frame_key_error(key < 0 ? by : column) ? NULL : NULL;
    pd_GroupbyAggOptions o = {PD_GROUPBY_AGG_DEFAULTS_};
    o.by[0] = by;
    o.agg[0] = (pd_Aggregation){column, how_names[hows[which]], NULL};
    const int depth = t_scope_open();
    pd_DataFrame *made = depth ? pd_groupby_agg(df, &o) : NULL;
    pd_Series *s =
        made ? tg_series_new(tg_column_keep(made->items[0].column), tg_index_keep(made->index), column) : NULL;
    return tg_scope_return(depth, s);
}
