/* core/pandas/category.c: columns of dtype category: codes of the values of another column, which are in order. */
#include "core/pandas/category.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/pandas/column.h"
#include "core/pandas/grouping.h"

tg_Column *tg_column_of_codes(Tensor *codes, tg_Column *categories, bool is_ordered) {
    tg_Column *column = tg_column_of_tensor(codes, tg_column_category);
    if (!column) return NULL;
    column->categories = tg_column_keep(categories);
    column->is_ordered = is_ordered;
    return column;
}

/* ---- conversion ---- */

tg_Column *tg_column_decoded(const tg_Column *column) {
    if (column->kind != tg_column_category) return tg_column_keep((tg_Column *)column);
    return tg_column_take_missing(column->categories, tg_data(column->values), column->len);
}

tg_Column *tg_column_encoded(const tg_Column *column) {
    if (column->kind == tg_column_category) return tg_column_keep((tg_Column *)column);
    const int depth = t_scope_open();
    tg_Groups groups = {0};
    Tensor *codes = depth && tg_groups_make(&groups, column, true) ? tg_empty(&column->len, 1, t_int64) : NULL;
    if (codes && column->len) memcpy(tg_data(codes), groups.codes, (size_t)column->len * sizeof(int64_t));
    tg_Column *categories = codes ? tg_column_take(column, groups.first, groups.count) : NULL;
    tg_Column *made = categories ? tg_column_of_codes(codes, categories, false) : NULL;
    tg_column_drop(categories);
    tg_groups_free(&groups);
    t_scope_close(depth);
    return made;
}

bool tg_categories_same(const tg_Column *a, const tg_Column *b) {
    char first[400], second[400];
    if (a->is_ordered != b->is_ordered) return false;
    const tg_Column *x = a->categories, *y = b->categories;
    bool same = x == y || (x->len == y->len && strcmp(tg_column_dtype(x), tg_column_dtype(y)) == 0);
    for (int64_t i = 0; same && x != y && i < x->len; i++)
        same = strcmp(tg_column_item(x, i, first), tg_column_item(y, i, second)) == 0;
    return same;
}

/* The same categories stay, other mixtures become their values. */
tg_Column *tg_categories_join(tg_Column *const *columns, int64_t count, int64_t len) {
    bool same = true;
    for (int64_t i = 0; i < count && same; i++)
        same = columns[i]->kind == tg_column_category && tg_categories_same(columns[0], columns[i]);
    const size_t bytes = (size_t)count * sizeof *columns;
    const int depth = t_scope_open();
    tg_Column *made = NULL;
    if (same && depth) {
        Tensor *codes = tg_empty(&len, 1, t_int64);
        int64_t *to = codes ? tg_data(codes) : NULL;
        for (int64_t i = 0; codes && i < count; i++) {
            if (columns[i]->len) memcpy(to, tg_data(columns[i]->values), (size_t)columns[i]->len * sizeof *to);
            to += columns[i]->len;
        }
        made = codes ? tg_column_of_codes(codes, columns[0]->categories, columns[0]->is_ordered) : NULL;
    } else if (depth) {
        tg_Column **decoded = tg_alloc(bytes);
        bool ok = decoded != NULL;
        for (int64_t i = 0; decoded && i < count; i++) {
            decoded[i] = ok ? tg_column_decoded(columns[i]) : NULL;
            ok = decoded[i] != NULL;
        }
        if (ok) made = tg_columns_join(decoded, count, len);
        for (int64_t i = 0; decoded && i < count; i++) tg_column_drop(decoded[i]);
        tg_free(decoded, bytes);
    }
    t_scope_close(depth);
    return made;
}

/* ---- missing values ---- */

/* The number of the category with that text, or the value of that number; -1 */
static int64_t find_category(const tg_Column *categories, const char *text, double number) {
    char buffer[400];
    const bool is_text = categories->kind == tg_column_text;
    for (int64_t i = 0; i < categories->len; i++) {
        if (text && strcmp(tg_column_item(categories, i, buffer), text) == 0) return i;
        if (!text && !is_text && tg_column_double(categories, i) == number) return i;
    }
    return -1;
}

tg_Column *tg_category_fill(const tg_Column *column, const char *text, double number) {
    const int64_t code = find_category(column->categories, text, number);
    char item[32];
    if (!text) snprintf(item, sizeof item, "%g", number);
    if (code < 0)
        return tg_fail("Cannot setitem on a Categorical with a new category (%.200s), set the categories first",
                       text ? text : item);
    const int depth = t_scope_open();
    Tensor *codes = depth ? tg_empty(&column->len, 1, t_int64) : NULL;
    for (int64_t i = 0; codes && i < column->len; i++) {
        const int64_t old = tg_column_int64(column, i);
        ((int64_t *)tg_data(codes))[i] = old < 0 ? code : old;
    }
    tg_Column *made = codes ? tg_column_of_codes(codes, column->categories, column->is_ordered) : NULL;
    t_scope_close(depth);
    return made;
}

/* ---- cat ---- */

static bool check_category(const pd_Series *s) {
    return tg_check_series(s, 1) &&
           (s->column->kind == tg_column_category || tg_fail("Can only use .cat accessor with a 'category' dtype"));
}

pd_Series *pd_cat_categories(const pd_Series *s) {
    return check_category(s) ? tg_series_new(tg_column_keep(s->column->categories), tg_index_range(0, 1), NULL) : NULL;
}

pd_Series *pd_cat_set_categories(const pd_Series *s, const char *const *names, int64_t count, bool ordered) {
    char buffer[400];
    if (!check_category(s) || !tg_check_array(names, count, 2, "categories")) return NULL;
    const tg_Column *old = s->column->categories;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j <= i; j++)
            if (!names[i] || (j < i && strcmp(names[i], names[j]) == 0))
                return tg_fail("Categorical categories %s", names[i] ? "must be unique" : "cannot be null");
    const int depth = t_scope_open();
    pd_Series *wanted = depth ? pd_Series_of_texts(names, count, NULL) : NULL;
    tg_Column *categories = !wanted                       ? NULL
                            : old->kind == tg_column_text ? tg_column_keep(wanted->column)
                                                          : tg_column_astype(wanted->column, tg_column_dtype(old));
    Tensor *codes = categories ? tg_empty(&s->len, 1, t_int64) : NULL;
    for (int64_t i = 0; codes && i < s->len; i++) {
        const char *item = tg_column_item(s->column, i, buffer);
        ((int64_t *)tg_data(codes))[i] = item ? find_category(wanted->column, item, 0) : -1;
    }
    pd_Series *made =
        codes ? tg_series_new(tg_column_of_codes(codes, categories, ordered), tg_index_keep(s->index), s->name) : NULL;
    tg_column_drop(categories);
    return tg_scope_return(depth, made);
}

pd_Series *pd_cat_as_ordered(const pd_Series *s) {
    if (!check_category(s)) return NULL;
    return tg_series_new(tg_column_of_codes(s->column->values, s->column->categories, true), tg_index_keep(s->index),
                         s->name);
}
