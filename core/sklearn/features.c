/* core/sklearn/features.c: names of features, and the categories of columns. */
#include "core/sklearn/features.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/file.h"
#include "core/pandas/grouping.h"

bool tg_refuse_unfitted(const char *estimator) {
    return tg_fail("This %s instance is not fitted yet. Call 'fit' with appropriate arguments before using this "
                   "estimator.",
                   estimator);
}

bool tg_has_number_names(const pd_DataFrame *x) {
    char number[24];
    for (int64_t i = 0; i < x->width; i++) {
        snprintf(number, sizeof number, "%" PRId64, i);
        if (strcmp(number, x->items[i].name) != 0) return false;
    }
    return true;
}

static bool is_listed(const char *const *names, int64_t count, const char *name) {
    for (int64_t i = 0; i < count; i++)
        if (names[i] && strcmp(names[i], name) == 0) return true;
    return false;
}

/* At most five names, as scikit-learn lists them. */
static void list_names(char *to, size_t size, const char *title, const char *const *names, int64_t count) {
    snprintf(to + strlen(to), size - strlen(to), "%s", title);
    for (int64_t i = 0; i < count && i < 5; i++) snprintf(to + strlen(to), size - strlen(to), "- %.100s\n", names[i]);
    if (count > 5) snprintf(to + strlen(to), size - strlen(to), "- ...\n");
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool refuse_names(const char *const *names, int64_t count, const pd_DataFrame *x) {
    char text[1500] = "The feature names should match those that were passed during fit.\n";
    const size_t bytes = (size_t)(count + x->width) * sizeof(char *);
    const char **lost = tg_alloc(bytes);
    if (!lost) return false;
    int64_t n = 0;
    for (int64_t i = 0; i < x->width; i++)
        if (!is_listed(names, count, x->items[i].name)) lost[n++] = x->items[i].name;
    qsort(lost, (size_t)n, sizeof *lost, by_text);
    const int64_t unseen = n;
    if (unseen) list_names(text, sizeof text, "Feature names unseen at fit time:\n", lost, unseen);
    n = 0;
    for (int64_t i = 0; i < count; i++)
        if (tg_frame_find(x, names[i]) < 0) lost[n++] = names[i];
    qsort(lost, (size_t)n, sizeof *lost, by_text);
    if (n) list_names(text, sizeof text, "Feature names seen at fit time, yet now missing:\n", lost, n);
    tg_free(lost, bytes);
    if (!unseen && !n)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "Feature names must be in the same order as they were in fit.\n");
    return tg_fail("%s", text);
}

bool tg_check_features(const char *const *names, int64_t count, const pd_DataFrame *x, const char *estimator) {
    bool same = count == x->width;
    for (int64_t i = 0; i < count && same; i++) same = strcmp(names[i], x->items[i].name) == 0;
    if (same) return true;
    bool unnamed = tg_has_number_names(x);
    for (int64_t i = 0; i < count && !unnamed; i++) unnamed = names[i][0] >= '0' && names[i][0] <= '9';
    if (!unnamed) return refuse_names(names, count, x);
    return count == x->width ||
           tg_fail("X has %" PRId64 " features, but %s is expecting %" PRId64 " features as input.", x->width,
                   estimator, count);
}

bool tg_check_rows(const pd_DataFrame *x, const char *estimator) {
    return x->len > 0 ||
           tg_fail("Found array with 0 sample(s) (shape=(0, %" PRId64 ")) while a minimum of 1 is required by %s.",
                   x->width, estimator);
}

/* ---- categories ---- */

void tg_categories_free(pd_Series **categories, int64_t count) {
    for (int64_t i = 0; categories && i < count; i++)
        if (categories[i]) t_release(categories[i]);
    tg_free(categories, (size_t)(count + 1) * sizeof *categories);
}

static pd_Series *categories_of(const tg_Column *column, const char *name) {
    tg_Groups groups;
    pd_Series *made = NULL;
    if (tg_groups_make(&groups, column, true)) {
        int64_t n = groups.count, missing = 0;
        while (missing < column->len && groups.codes[missing] >= 0) missing++;
        if (missing < column->len) groups.first[n++] = missing;
        made = tg_series_new(tg_column_take(column, groups.first, n), tg_index_range(0, 1), name);
    }
    tg_groups_free(&groups);
    return made;
}

pd_Series **tg_categories_fit(const pd_DataFrame *x) {
    const size_t bytes = (size_t)(x->width + 1) * sizeof(pd_Series *);
    const int depth = t_scope_open();
    pd_Series **categories = depth ? tg_alloc(bytes) : NULL;
    bool ok = categories != NULL;
    if (ok) memset(categories, 0, bytes);
    for (int64_t i = 0; ok && i < x->width; i++) {
        tg_Column *values = tg_column_decoded(x->items[i].column);
        categories[i] = values ? categories_of(values, x->items[i].name) : NULL;
        ok = categories[i] != NULL;
        if (ok) t_retain(categories[i]);
        tg_column_drop(values);
    }
    t_scope_close(depth);
    if (ok) return categories;
    tg_categories_free(categories, x->width);
    return NULL;
}

bool tg_check_categories(pd_Series *const *categories, int64_t count, const pd_DataFrame *x, const char *estimator) {
    if (!categories) return tg_refuse_unfitted(estimator);
    const size_t bytes = (size_t)(count + 1) * sizeof(char *);
    const char **names = tg_alloc(bytes);
    for (int64_t i = 0; names && i < count; i++) names[i] = categories[i]->name;
    const bool ok = names && tg_check_features(names, count, x, estimator);
    tg_free(names, bytes);
    return ok;
}

/* How the value of row i compares with a category: below, equal or above. */
static int compare(const tg_Column *categories, int64_t category, const tg_Column *column, int64_t i) {
    if (column->kind == tg_column_text)
        return strcmp(tg_column_text_at(column, i), tg_column_text_at(categories, category));
    if (column->values->dtype == t_int64 && categories->values->dtype == t_int64) {
        const int64_t x = ((const int64_t *)tg_data(column->values))[i],
                      y = ((const int64_t *)tg_data(categories->values))[category];
        return (x > y) - (x < y);
    }
    const double x = tg_column_double(column, i), y = tg_column_double(categories, category);
    return (x > y) - (x < y);
}

static bool find_codes(const pd_Series *categories, const tg_Column *column, int64_t *codes, bool *unknown) {
    const tg_Column *known = categories->column;
    if ((known->kind == tg_column_text) != (column->kind == tg_column_text))
        return tg_fail("the values of '%s' are of dtype %s, but the categories of dtype %s", categories->name,
                       tg_column_dtype(column), tg_column_dtype(known));
    const int64_t count = known->len - (known->len && tg_column_is_missing(known, known->len - 1));
    for (int64_t i = 0; i < column->len; i++) {
        int64_t low = 0, high = count;
        codes[i] = -1;
        if (tg_column_is_missing(column, i)) {
            if (count < known->len) codes[i] = count;
            low = high;
        }
        while (low < high) {
            const int64_t middle = (low + high) / 2;
            const int by = compare(known, middle, column, i);
            if (by == 0) codes[i] = low = high = middle;
            if (by > 0) low = middle + 1;
            if (by < 0) high = middle;
        }
        *unknown = *unknown || codes[i] < 0;
    }
    return true;
}

/* The error of the values without a code. */
static bool refuse_unknown(const tg_Column *column, const int64_t *codes, int64_t feature) {
    tg_Groups groups;
    char buffer[400];
    const bool is_text = column->kind == tg_column_text;
    if (!tg_groups_make(&groups, column, !is_text)) { /* texts in the order of appearance */
        tg_groups_free(&groups);
        return false;
    }
    tg_Output out;
    tg_output_memory(&out);
    bool first = true, has_missing = false;
    for (int64_t i = 0; i < column->len; i++) has_missing = has_missing || (groups.codes[i] < 0 && codes[i] < 0);
    for (int64_t g = 0; g < groups.count; g++) {
        if (codes[groups.first[g]] >= 0) continue;
        const char *item = tg_column_item(column, groups.first[g], buffer), *dtype = tg_column_dtype(column);
        const bool is_bool = column->kind == tg_column_values && column->values->dtype == t_bool;
        tg_output_print(&out,
                        is_text   ? "%s'%s'"
                        : is_bool ? "%snp.%s_"
                                  : "%snp.%s(%s)",
                        first ? "" : ", ", is_text || is_bool ? item : dtype, item);
        first = false;
    }
    if (has_missing) tg_output_print(&out, "%snan", first ? "" : ", ");
    tg_groups_free(&groups);
    char *list = tg_output_take_text(&out, true);
    if (list) tg_fail("Found unknown categories [%.1000s] in column %" PRId64 " during transform", list, feature);
    free(list);
    return false;
}

bool tg_categories_find(const pd_Series *categories, const pd_DataFrame *x, int64_t feature, bool refuses_unknown,
                        int64_t *codes, bool *unknown) {
    tg_Column *values = tg_column_decoded(x->items[feature].column);
    bool ok = values && find_codes(categories, values, codes, unknown);
    if (ok && *unknown && refuses_unknown) ok = refuse_unknown(values, codes, feature);
    tg_column_drop(values);
    return ok;
}
