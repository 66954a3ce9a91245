/* core/pandas/merge.c: merge: rows of two frames with equal keys. The keys of both frames become numbers in the order
 * of the sorted keys, and the rows of a key are listed; the result is a pair of row numbers for each of its rows. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pandas/column.h"
#include "core/pandas/grouping.h"

enum { THE_INDEX = -1 }; /* a key that is the row labels */

typedef enum How { inner, left_join, right_join, outer, cross } How;

typedef struct Merge {
    const pd_DataFrame *left, *right;
    pd_MergeOptions options;
    How how;
    int64_t keys, left_keys[PD_MOST_NAMES], right_keys[PD_MOST_NAMES]; /* columns */
    tg_Keys codes;                                                     /* of the left rows, then of the right ones */
    int64_t *begin[2], *listed[2]; /* rows of key k of a side: listed[begin[k]] .. listed[begin[k + 1] - 1] */
    int64_t *pairs[2], count;      /* rows of the result; -1: none */
} Merge;

/* ---- keys ---- */

static int64_t count_names(const char *const *names) {
    int64_t count = 0;
    while (count < PD_MOST_NAMES && names[count]) count++;
    return count;
}

static bool find_keys(const pd_DataFrame *df, const char *const *names, int64_t count, int64_t *columns) {
    for (int64_t i = 0; i < count; i++)
        if ((columns[i] = tg_frame_find(df, names[i])) < 0) return tg_frame_key_error(names[i]);
    return true;
}

/* A key that is one column of the result: of the same name in both frames, or the row labels of one of them. */
static bool is_shared(const Merge *m, int64_t key) {
    if (m->left_keys[key] == THE_INDEX || m->right_keys[key] == THE_INDEX) return true;
    return strcmp(m->left->items[m->left_keys[key]].name, m->right->items[m->right_keys[key]].name) == 0;
}

/* left_index and right_index: the row labels of one side are a key. */
static bool choose_labels(Merge *m, int64_t left_on, int64_t right_on) {
    const pd_MergeOptions *o = &m->options;
    if (o->left_index && left_on) return tg_fail("Can only pass argument \"left_on\" OR \"left_index\" not both.");
    if (o->right_index && right_on) return tg_fail("Can only pass argument \"right_on\" OR \"right_index\" not both.");
    if (!o->right_index && !right_on) return tg_fail("Must pass right_on or right_index=True");
    if (!o->left_index && !left_on) return tg_fail("Must pass left_on or left_index=True");
    if (left_on > 1 || right_on > 1)
        return tg_fail("len(%s_on) must equal the number of levels in the index of \"%s\"", left_on ? "left" : "right",
                       left_on ? "right" : "left");
    m->keys = 1;
    m->left_keys[0] = m->right_keys[0] = THE_INDEX;
    return (!left_on || find_keys(m->left, o->left_on, 1, m->left_keys)) &&
           (!right_on || find_keys(m->right, o->right_on, 1, m->right_keys));
}

static bool choose_keys(Merge *m) {
    pd_MergeOptions *o = &m->options;
    const int64_t on = count_names(o->on);
    int64_t left_on = count_names(o->left_on), right_on = count_names(o->right_on);
    if (on && (o->left_index || o->right_index))
        return tg_fail(
            "Can only pass argument \"on\" OR \"left_index\" and \"right_index\", not a combination of both.");
    if (on && (left_on || right_on))
        return tg_fail("Can only pass argument \"on\" OR \"left_on\" and \"right_on\", not a combination of both.");
    if (m->how == cross) {
        if (on || left_on || right_on || o->left_index || o->right_index)
            return tg_fail("Can not pass on, right_on, left_on or set right_index=True or left_index=True");
        return true;
    }
    if (o->left_index || o->right_index) return choose_labels(m, left_on, right_on);
    if (left_on && !right_on) return tg_fail("Must pass \"right_on\" OR \"right_index\".");
    if (right_on && !left_on) return tg_fail("Must pass \"left_on\" OR \"left_index\".");
    if (left_on != right_on) return tg_fail("len(right_on) must equal len(left_on)");
    if (on || left_on) {
        m->keys = on ? on : left_on;
        return find_keys(m->left, on ? o->on : o->left_on, m->keys, m->left_keys) &&
               find_keys(m->right, on ? o->on : o->right_on, m->keys, m->right_keys);
    }
    for (int64_t i = 0; i < m->left->width && m->keys < PD_MOST_NAMES; i++) {
        const int64_t other = tg_frame_find(m->right, m->left->items[i].name);
        if (other < 0) continue;
        m->left_keys[m->keys] = i;
        m->right_keys[m->keys++] = other;
    }
    return m->keys > 0 || tg_fail("No common columns to perform merge on. Merge options: left_on=None, right_on=None, "
                                  "left_index=False, right_index=False");
}

/* The values of a key in a frame; a new reference. */
static tg_Column *values_of(const pd_DataFrame *df, int64_t column) {
    return column == THE_INDEX ? tg_index_labels(df->index, df->len) : tg_column_keep(df->items[column].column);
}

/* The values of a key in both frames, one below the other. */
static tg_Column *join_key(const Merge *m, int64_t key) {
    tg_Column *const columns[] = {values_of(m->left, m->left_keys[key]), values_of(m->right, m->right_keys[key])};
    tg_Column *joined = columns[0] && columns[1] ? tg_columns_join(columns, 2, m->left->len + m->right->len) : NULL;
    tg_column_drop(columns[0]);
    tg_column_drop(columns[1]);
    return joined;
}

static bool are_comparable(const tg_Column *a, const tg_Column *b) {
    if (a->kind == tg_column_category) a = a->categories;
    if (b->kind == tg_column_category) b = b->categories;
    return (a->kind == tg_column_text) == (b->kind == tg_column_text) &&
           (a->kind == tg_column_datetime) == (b->kind == tg_column_datetime);
}

static bool check_key(const Merge *m, int64_t key) {
    const int64_t left = m->left_keys[key], right = m->right_keys[key];
    tg_Column *a = values_of(m->left, left), *b = values_of(m->right, right);
    const bool ok = a && b && (a->len == 0 || b->len == 0 || are_comparable(a, b));
    const char *name = left != THE_INDEX ? m->left->items[left].name : m->left->index->name;
    if (a && b && !ok)
        tg_fail("You are trying to merge on %s and %s columns for key '%s'. If you wish to proceed you should use "
                "pd.concat",
                tg_column_dtype(a), tg_column_dtype(b), name ? name : "key_0");
    tg_column_drop(a);
    tg_column_drop(b);
    return ok;
}

/* A missing key is the last one, a missing time or category the first one. */
static bool number_keys(Merge *m) {
    bool ok = tg_keys_begin(&m->codes, m->left->len + m->right->len);
    for (int64_t key = 0; ok && key < m->keys; key++) {
        tg_Column *joined = check_key(m, key) ? join_key(m, key) : NULL;
        ok = joined &&
             tg_keys_add(&m->codes, joined, joined->kind >= tg_column_category ? tg_missing_first : tg_missing_last);
        tg_column_drop(joined);
    }
    return ok;
}

/* ---- pairs ---- */

static size_t bytes_of_begin(const Merge *m) {
    return (size_t)(m->codes.count + 1) * sizeof(int64_t);
}

static bool list_rows(Merge *m) {
    for (int side = 0; side < 2; side++) {
        const int64_t len = side ? m->right->len : m->left->len;
        m->begin[side] = tg_alloc_raw(bytes_of_begin(m));
        m->listed[side] = m->begin[side] ? tg_alloc_raw((size_t)(len + 1) * sizeof(int64_t)) : NULL;
        if (!m->listed[side]) return false;
        tg_list_rows(m->codes.codes + (side ? m->left->len : 0), len, m->codes.count, m->begin[side], m->listed[side]);
    }
    return true;
}

/* Adds a pair, or only counts it if there is no memory for pairs yet. */
static void add(Merge *m, int64_t left, int64_t right) {
    if (m->pairs[1]) {
        m->pairs[0][m->count] = left;
        m->pairs[1][m->count] = right;
    }
    m->count++;
}

/* A row of one side with all rows of the other side that have its key. */
static void add_matches(Merge *m, int64_t row, int64_t code, bool of_right, bool keeps) {
    const int64_t *begin = m->begin[!of_right], *listed = m->listed[!of_right];
    for (int64_t i = begin[code]; i < begin[code + 1]; i++)
        add(m, of_right ? listed[i] : row, of_right ? row : listed[i]);
    if (keeps && begin[code] == begin[code + 1]) add(m, of_right ? -1 : row, of_right ? row : -1);
}

static void make_pairs(Merge *m) {
    const int64_t left = m->left->len, right = m->right->len;
    m->count = 0;
    if (m->how == cross) {
        for (int64_t i = 0; i < left; i++)
            for (int64_t j = 0; j < right; j++) add(m, i, j);
    } else if (m->how == outer) {
        for (int64_t code = 0; code < m->codes.count; code++) {
            for (int64_t i = m->begin[0][code]; i < m->begin[0][code + 1]; i++)
                add_matches(m, m->listed[0][i], code, false, true);
            if (m->begin[0][code] < m->begin[0][code + 1]) continue;
            for (int64_t j = m->begin[1][code]; j < m->begin[1][code + 1]; j++) add(m, -1, m->listed[1][j]);
        }
    } else if (m->how == right_join) {
        for (int64_t j = 0; j < right; j++) add_matches(m, j, m->codes.codes[left + j], true, true);
    } else {
        for (int64_t i = 0; i < left; i++) add_matches(m, i, m->codes.codes[i], false, m->how == left_join);
    }
}

/* ---- the frame ---- */

/* The key that a column of a side is, if both sides call it the same; -1 */
static int64_t shared_key(const Merge *m, int side, int64_t column) {
    for (int64_t k = 0; k < m->keys; k++)
        if ((side ? m->right_keys[k] : m->left_keys[k]) == column && is_shared(m, k)) return k;
    return -1;
}

/* The values of a shared key: the left frame's, or the right one's where the left has no row. */
static tg_Column *key_column(const Merge *m, int64_t key) {
    bool any = false;
    for (int64_t i = 0; i < m->count && !any; i++) any = m->pairs[0][i] < 0;
    const bool is_left = !any && m->left_keys[key] != THE_INDEX;
    if (is_left && m->left->items[m->left_keys[key]].column->kind != tg_column_category)
        return tg_column_take(m->left->items[m->left_keys[key]].column, m->pairs[0], m->count);
    const size_t bytes = (size_t)(m->count + 1) * sizeof(int64_t);
    int64_t *rows = tg_alloc_raw(bytes);
    tg_Column *joined = rows ? join_key(m, key) : NULL;
    for (int64_t i = 0; joined && i < m->count; i++)
        rows[i] = m->pairs[0][i] >= 0 ? m->pairs[0][i] : m->left->len + m->pairs[1][i];
    tg_Column *taken = joined ? tg_column_take(joined, rows, m->count) : NULL;
    tg_column_drop(joined);
    tg_free(rows, bytes);
    return taken;
}

/* A name that the other frame has too gets a suffix. */
static bool append_named(const Merge *m, pd_DataFrame *df, int side, const char *name, tg_Column *column) {
    const pd_DataFrame *other = side ? m->left : m->right;
    const int64_t at = tg_frame_find(other, name);
    const bool overlaps = at >= 0 && shared_key(m, !side, at) < 0;
    const char *suffix = overlaps && m->options.suffixes[side] ? m->options.suffixes[side] : "";
    const size_t size = strlen(name) + strlen(suffix) + 1;
    char *whole = column ? malloc(size) : NULL;
    if (!whole) {
        tg_column_drop(column);
        return t_error() ? false : tg_fail("out of memory: %zu bytes were asked for", size);
    }
    snprintf(whole, size, "%s%s", name, suffix);
    const bool ok = tg_frame_append(df, whole, column);
    free(whole);
    return ok;
}

static bool check_suffixes(const Merge *m) {
    const char *const *suffixes = m->options.suffixes;
    if ((suffixes[0] && *suffixes[0]) || (suffixes[1] && *suffixes[1])) return true;
    char list[300] = "";
    for (int64_t i = 0; i < m->left->width; i++) {
        const size_t used = strlen(list);
        if (shared_key(m, 0, i) < 0 && tg_frame_find(m->right, m->left->items[i].name) >= 0 && used < 200)
            snprintf(list + used, sizeof list - used, "%s'%.60s'", used ? ", " : "", m->left->items[i].name);
    }
    return !*list || tg_fail("columns overlap but no suffix specified: Index([%s], dtype='str')", list);
}

/* The row labels: a range, but with the labels as keys: those that are equal, or the other frame's. */
static tg_Index *make_index(const Merge *m) {
    const bool of_left = m->keys && m->left_keys[0] == THE_INDEX, of_right = m->keys && m->right_keys[0] == THE_INDEX;
    if (!of_left && !of_right) return tg_index_range(0, 1);
    if (of_left && of_right) return tg_index_of(key_column(m, 0), m->left->index->name);
    const pd_DataFrame *other = of_right ? m->left : m->right;
    const int64_t *rows = m->pairs[of_left];
    tg_Column *labels = tg_index_labels(other->index, other->len);
    tg_Index *index = labels ? tg_index_of(tg_column_take_missing(labels, rows, m->count), other->index->name) : NULL;
    tg_column_drop(labels);
    return index;
}

/* indicator: where the row is from. */
static bool append_indicator(const Merge *m, pd_DataFrame *df) {
    const char *name = m->options.indicator;
    tg_TextBuilder builder;
    if (!name) return true;
    bool ok = tg_text_begin(&builder, m->count);
    for (int64_t i = 0; ok && i < m->count; i++) {
        const char *text = m->pairs[1][i] < 0 ? "left_only" : m->pairs[0][i] < 0 ? "right_only" : "both";
        ok = tg_text_add(&builder, text, strlen(text));
    }
    return tg_frame_append(df, name, tg_text_end(&builder, ok));
}

static bool check_indicator(const Merge *m) {
    const char *name = m->options.indicator;
    return !name || (tg_frame_find(m->left, name) < 0 && tg_frame_find(m->right, name) < 0) ||
           tg_fail("Cannot use name of an existing column for indicator column");
}

static pd_DataFrame *make_frame(const Merge *m) {
    pd_DataFrame *df = tg_frame_new(m->count, make_index(m));
    bool ok = df != NULL;
    for (int side = 0; side < 2; side++) {
        const pd_DataFrame *from = side ? m->right : m->left;
        for (int64_t i = 0; ok && i < from->width; i++) {
            const int64_t key = shared_key(m, side, i);
            const bool has_labels = key >= 0 && (side ? m->left_keys : m->right_keys)[key] == THE_INDEX;
            if (key >= 0 && side && !has_labels) continue;
            ok = key >= 0 && !has_labels
                     ? tg_frame_append(df, from->items[i].name, key_column(m, key))
                     : append_named(m, df, side, from->items[i].name,
                                    key >= 0 ? key_column(m, key)
                                             : tg_column_take_missing(from->items[i].column, m->pairs[side], m->count));
        }
    }
    return ok && append_indicator(m, df) ? df : NULL;
}

static bool choose_how(Merge *m) {
    static const char *const names[] = {"inner", "left", "right", "outer", "cross"};
    const char *how = m->options.how ? m->options.how : "None";
    int i = 0;
    while (i < 5 && strcmp(names[i], how) != 0) i++;
    m->how = (How)i;
    return i < 5 || tg_fail("'%s' is not a valid Merge type: left, right, inner, outer, cross", how);
}

static void free_merge(Merge *m) {
    tg_keys_free(&m->codes);
    for (int side = 0; side < 2; side++) {
        tg_free(m->begin[side], bytes_of_begin(m));
        tg_free(m->listed[side], (size_t)((side ? m->right->len : m->left->len) + 1) * sizeof(int64_t));
    }
}

pd_DataFrame *pd_merge(const pd_DataFrame *left, const pd_DataFrame *right, const pd_MergeOptions *options) {
    Merge m = {.left = left, .right = right, .options = {PD_MERGE_DEFAULTS_}};
    if (!tg_check_frame(left, 1) || !tg_check_frame(right, 2) ||
        !tg_take_options(&m.options, options, sizeof m.options) || !choose_how(&m) || !choose_keys(&m) ||
        !check_suffixes(&m) || !check_indicator(&m))
        return NULL;
    const int depth = t_scope_open();
    pd_DataFrame *df = NULL;
    if (depth && (m.how == cross || (number_keys(&m) && list_rows(&m)))) {
        make_pairs(&m);
        const size_t bytes = (size_t)(m.count + 1) * sizeof(int64_t);
        m.pairs[0] = tg_alloc_raw(bytes);
        m.pairs[1] = m.pairs[0] ? tg_alloc_raw(bytes) : NULL;
        if (m.pairs[1]) {
            make_pairs(&m);
            df = make_frame(&m);
        }
        tg_free(m.pairs[0], bytes);
        tg_free(m.pairs[1], bytes);
    }
    free_merge(&m);
    return tg_scope_return(depth, df);
}
