/* core/pandas/concat.c: concat: rows of several frames one below the other, or their columns side by side. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/pandas/column.h"
#include "core/pandas/grouping.h"

/* ---- columns ---- */

tg_Column *tg_index_labels(const tg_Index *index, int64_t len) {
    if (index->labels) return tg_column_keep(index->labels);
    int64_t *items;
    const int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(&len, 1, t_int64) : NULL;
    items = x ? tg_data(x) : NULL;
    for (int64_t i = 0; items && i < len; i++) items[i] = index->start + i * index->step;
    tg_Column *column = tg_column_of_tensor(x, tg_column_values);
    t_scope_close(depth);
    return column;
}

static bool all_times(tg_Column *const *columns, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (columns[i]->kind != tg_column_datetime) return false;
    return count > 0;
}

/* Of microseconds and nanoseconds nanoseconds. */
static tg_Column *join_times(tg_Column *const *columns, int64_t count, int64_t len) {
    const tg_Column *finest = columns[0];
    for (int64_t i = 1; i < count; i++)
        if (columns[i]->per_second > finest->per_second) finest = columns[i];
    const int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(&len, 1, t_int64) : NULL;
    int64_t *to = x ? tg_data(x) : NULL;
    bool ok = to != NULL;
    for (int64_t i = 0; ok && i < count; i++) {
        tg_Column *part = tg_column_astype(columns[i], tg_column_dtype(finest));
        ok = part != NULL;
        if (ok && part->len) memcpy(to, tg_data(part->values), (size_t)part->len * sizeof *to);
        if (ok) to += part->len;
        tg_column_drop(part);
    }
    tg_Column *made = ok ? tg_column_of_datetimes(x, finest->per_second) : NULL;
    t_scope_close(depth);
    return made;
}

tg_Column *tg_columns_join(tg_Column *const *columns, int64_t count, int64_t len) {
    bool all_values = true, same = true;
    for (int64_t i = 0; i < count; i++)
        if (columns[i]->kind == tg_column_category) return tg_categories_join(columns, count, len);
    for (int64_t i = 0; i < count; i++) {
        all_values = all_values && columns[i]->kind == tg_column_values;
        same = same && strcmp(tg_column_dtype(columns[i]), tg_column_dtype(columns[0])) == 0;
    }
    if (all_values || (same && columns[0]->kind == tg_column_object)) {
        t_TensorList *list = t_list_new(NULL, 0);
        bool ok = list != NULL;
        for (int64_t i = 0; ok && i < count; i++) {
            Tensor *x = columns[i]->values;
            if (!same && x->dtype == t_bool) x = t_to(x, t_int64);
            if (!same && tg_is_floating(x->dtype)) x = t_to(x, t_float64);
            ok = x && t_list_append(list, x);
        }
        Tensor *y = ok ? t_cat(list, 0) : NULL;
        return tg_column_of_tensor(y, columns[0]->kind);
    }
    if (all_times(columns, count)) return join_times(columns, count, len);
    tg_TextBuilder builder;
    char buffer[400];
    bool ok = tg_text_begin(&builder, len);
    for (int64_t i = 0; i < count; i++)
        for (int64_t row = 0; ok && row < columns[i]->len; row++) {
            const char *text = tg_column_item(columns[i], row, buffer);
            ok = tg_text_add(&builder, text, text ? strlen(text) : 0);
        }
    return tg_text_end(&builder, ok);
}

tg_Column *tg_column_with_missing(tg_Column *column) {
    if (column->kind != tg_column_values || tg_is_floating(column->values->dtype)) return tg_column_keep(column);
    if (column->values->dtype != t_bool) return tg_column_astype(column, "float64");
    const int depth = t_scope_open();
    Tensor *x = depth ? t_to(column->values, t_uint8) : NULL;
    tg_Column *object = tg_column_of_tensor(x, tg_column_object);
    t_scope_close(depth);
    return object;
}

tg_Column *tg_column_take_missing(tg_Column *column, const int64_t *rows, int64_t count) {
    bool any = false;
    for (int64_t i = 0; i < count && !any; i++) any = rows[i] < 0;
    tg_Column *wide = any ? tg_column_with_missing(column) : tg_column_keep(column);
    tg_Column *taken = wide ? tg_column_take(wide, rows, count) : NULL;
    tg_column_drop(wide);
    return taken;
}

/* ---- rows below each other ---- */

/* A column without values, like one that has a dtype for missing values. */
static tg_Column *missing_like(const tg_Column *column, int64_t len) {
    const size_t bytes = (size_t)(len + 1) * sizeof(int64_t);
    int64_t *rows = tg_alloc_raw(bytes);
    if (!rows) return NULL;
    for (int64_t i = 0; i < len; i++) rows[i] = -1;
    tg_Column *made = tg_column_take(column, rows, len);
    tg_free(rows, bytes);
    return made;
}

/* The column of that name of all frames; missing values where a frame has none. */
static tg_Column *join_named(const pd_DataFrame *const *frames, int64_t count, const char *name, int64_t len) {
    const size_t bytes = (size_t)(count + 1) * sizeof(tg_Column *);
    tg_Column **columns = tg_alloc(bytes), *like = NULL;
    bool lacks = false, ok = columns != NULL;
    if (ok) memset(columns, 0, bytes);
    for (int64_t i = 0; i < count; i++) lacks = lacks || tg_frame_find(frames[i], name) < 0;
    for (int64_t i = 0; ok && i < count; i++) {
        const int64_t at = tg_frame_find(frames[i], name);
        if (at < 0) continue;
        columns[i] =
            lacks ? tg_column_with_missing(frames[i]->items[at].column) : tg_column_keep(frames[i]->items[at].column);
        ok = columns[i] != NULL;
        if (!like) like = columns[i];
    }
    for (int64_t i = 0; ok && i < count; i++)
        if (!columns[i]) ok = (columns[i] = missing_like(like, frames[i]->len)) != NULL;
    tg_Column *joined = ok ? tg_columns_join(columns, count, len) : NULL;
    for (int64_t i = 0; columns && i < count; i++) tg_column_drop(columns[i]);
    tg_free(columns, bytes);
    return joined;
}

static tg_Index *join_labels(const pd_DataFrame *const *frames, int64_t count, int64_t len) {
    const size_t bytes = (size_t)(count + 1) * sizeof(tg_Column *);
    tg_Column **columns = tg_alloc(bytes);
    bool ok = columns != NULL;
    if (ok) memset(columns, 0, bytes);
    for (int64_t i = 0; ok && i < count; i++)
        ok = (columns[i] = tg_index_labels(frames[i]->index, frames[i]->len)) != NULL;
    tg_Index *index = ok ? tg_index_of(tg_columns_join(columns, count, len), frames[0]->index->name) : NULL;
    for (int64_t i = 0; columns && i < count; i++) tg_column_drop(columns[i]);
    tg_free(columns, bytes);
    return index;
}

static bool is_in_all(const pd_DataFrame *const *frames, int64_t count, const char *name) {
    for (int64_t i = 0; i < count; i++)
        if (tg_frame_find(frames[i], name) < 0) return false;
    return true;
}

static pd_DataFrame *concat_rows(const pd_DataFrame *const *frames, int64_t count, bool ignore_index, bool inner) {
    int64_t len = 0;
    for (int64_t i = 0; i < count; i++) len += frames[i]->len;
    pd_DataFrame *df = tg_frame_new(len, ignore_index ? tg_index_range(0, 1) : join_labels(frames, count, len));
    bool ok = df != NULL;
    for (int64_t i = 0; ok && i < count; i++)
        for (int64_t j = 0; ok && j < frames[i]->width; j++) {
            const char *name = frames[i]->items[j].name;
            if (tg_frame_find(df, name) >= 0 || (inner && !is_in_all(frames, count, name))) continue;
            ok = tg_frame_append(df, name, join_named(frames, count, name, len));
        }
    return ok ? df : NULL;
}

/* ---- columns side by side ---- */

/* The labels of all frames as numbers: labels equal in two frames have the same one, in the order of appearance.
 * place: zeros, one for each label. */
static bool number_labels(const pd_DataFrame *const *frames, int64_t count, tg_Index *all, int64_t *place,
                          tg_Groups *groups) {
    const bool ok = tg_groups_make(groups, all->labels, false);
    for (int64_t i = 0, at = 0; ok && i < count; at += frames[i]->len, i++)
        for (int64_t row = 0; row < frames[i]->len; row++) {
            const int64_t code = groups->codes[at + row];
            if (code < 0) return tg_fail("pd_concat of columns has no place for missing row labels");
            if (place[code] == i + 1) return tg_fail("Reindexing only valid with uniquely valued Index objects");
            place[code] = i + 1; /* frame i has it */
        }
    return ok;
}

/* rows[g]: the row of the label with number labels[g] in a frame whose labels are codes[0 .. len - 1]; -1: none */
static void find_rows(const int64_t *codes, int64_t len, const int64_t *labels, int64_t count, int64_t *place,
                      int64_t *rows) {
    for (int64_t row = 0; row < len; row++) place[codes[row]] = row + 1;
    for (int64_t g = 0; g < count; g++) rows[g] = place[labels[g]] - 1;
    for (int64_t row = 0; row < len; row++) place[codes[row]] = 0;
}

static bool append_columns(pd_DataFrame *df, const pd_DataFrame *part, const int64_t *rows) {
    bool ok = true;
    for (int64_t j = 0; ok && j < part->width; j++) {
        tg_Column *column = part->items[j].column;
        ok = tg_frame_append(df, part->items[j].name,
                             rows ? tg_column_take_missing(column, rows, df->len) : tg_column_keep(column));
    }
    return ok;
}

/* Frames with different row labels: those of any frame, or of all (inner). */
static pd_DataFrame *align_columns(const pd_DataFrame *const *frames, int64_t count, bool inner) {
    int64_t len = 0, n = 0;
    for (int64_t i = 0; i < count; i++) len += frames[i]->len;
    const size_t bytes = (size_t)(len + 1) * sizeof(int64_t);
    tg_Groups groups = {0};
    tg_Index *all = join_labels(frames, count, len);
    int64_t *labels = all ? tg_alloc(bytes) : NULL, *place = labels ? tg_alloc(bytes) : NULL;
    int64_t *rows = place ? tg_alloc(bytes) : NULL;
    pd_DataFrame *df = NULL;
    if (rows) memset(place, 0, bytes);
    bool ok = rows && number_labels(frames, count, all, place, &groups);
    if (ok) {
        memset(place, 0, bytes);
        for (int64_t g = 0; g < groups.count; g++)
            if (!inner || groups.sizes[g] == count) {
                rows[n] = groups.first[g];
                labels[n++] = g;
            }
        df = tg_frame_new(n, tg_index_of(tg_column_take(all->labels, rows, n), frames[0]->index->name));
        ok = df != NULL;
    }
    for (int64_t i = 0, at = 0; ok && i < count; at += frames[i]->len, i++) {
        find_rows(groups.codes + at, frames[i]->len, labels, n, place, rows);
        ok = append_columns(df, frames[i], rows);
    }
    tg_groups_free(&groups);
    tg_index_drop(all);
    tg_free(labels, bytes);
    tg_free(place, bytes);
    tg_free(rows, bytes);
    return ok ? df : NULL;
}

static pd_DataFrame *concat_columns(const pd_DataFrame *const *frames, int64_t count, bool ignore_index, bool inner) {
    bool same = true;
    for (int64_t i = 1; i < count && same; i++)
        same = frames[i]->len == frames[0]->len && tg_index_same(frames[0]->index, frames[i]->index, frames[0]->len);
    pd_DataFrame *df =
        same ? tg_frame_new(frames[0]->len, tg_index_keep(frames[0]->index)) : align_columns(frames, count, inner);
    bool ok = df != NULL;
    for (int64_t i = 0; ok && same && i < count; i++) ok = append_columns(df, frames[i], NULL);
    for (int64_t j = 0; ok && ignore_index && j < df->width; j++) {
        char number[24];
        snprintf(number, sizeof number, "%" PRId64, j);
        ok = tg_frame_rename(df, j, number);
    }
    return ok ? df : NULL;
}

pd_DataFrame *pd_concat_of(const pd_DataFrame *const *frames, int64_t count, const pd_ConcatOptions *options) {
    pd_ConcatOptions o = {PD_CONCAT_DEFAULTS_};
    if (!tg_check_array(frames, count, 1, "frames") || !tg_take_options(&o, options, sizeof o)) return NULL;
    if (count == 0) return tg_fail("No objects to concatenate");
    if (o.axis < 0 || o.axis > 1) return tg_fail("No axis named %" PRId64 " for object type DataFrame", o.axis);
    const bool inner = o.join && strcmp(o.join, "inner") == 0;
    if (!inner && (!o.join || strcmp(o.join, "outer") != 0))
        return tg_fail("Only can inner (intersect) or outer (union) join the other axis");
    for (int64_t i = 0; i < count; i++)
        if (!tg_check_frame(frames[i], 1)) return NULL;
    const int depth = t_scope_open();
    pd_DataFrame *df = !depth   ? NULL
                       : o.axis ? concat_columns(frames, count, o.ignore_index, inner)
                                : concat_rows(frames, count, o.ignore_index, inner);
    return tg_scope_return(depth, df);
}
