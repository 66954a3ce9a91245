/* core/pandas/grouping.c: the rows of a column by equal values, with a hash table. */
#include "core/pandas/grouping.h"

#include <stdlib.h>
#include <string.h>

void tg_groups_free(tg_Groups *groups) {
    const size_t bytes = (size_t)(groups->len + 1) * sizeof(int64_t);
    tg_free(groups->codes, bytes);
    tg_free(groups->first, bytes);
    tg_free(groups->sizes, bytes);
    groups->codes = groups->first = groups->sizes = NULL;
}

/* Numbers the groups by their values. */
static bool sort_groups(tg_Groups *groups, const tg_Column *column) {
    const size_t bytes = (size_t)(groups->count + 1) * sizeof(int64_t);
    tg_Column *values = tg_column_take(column, groups->first, groups->count);
    int64_t *order = values ? tg_alloc_raw(bytes) : NULL, *rank = order ? tg_alloc_raw(bytes) : NULL;
    int64_t *other = rank ? tg_alloc_raw(bytes) : NULL;
    const bool ok = other && tg_column_argsort(values, true, order);
    if (ok) {
        int64_t *const arrays[] = {groups->first, groups->sizes};
        for (int64_t g = 0; g < groups->count; g++) rank[order[g]] = g;
        for (int a = 0; a < 2; a++) {
            for (int64_t g = 0; g < groups->count; g++) other[g] = arrays[a][order[g]];
            memcpy(arrays[a], other, (size_t)groups->count * sizeof *other);
        }
        for (int64_t i = 0; i < groups->len; i++)
            if (groups->codes[i] >= 0) groups->codes[i] = rank[groups->codes[i]];
    }
    tg_free(order, bytes);
    tg_free(rank, bytes);
    tg_free(other, bytes);
    tg_column_drop(values);
    return ok;
}

bool tg_groups_make(tg_Groups *groups, const tg_Column *column, bool sorted) {
    const int64_t len = column->len;
    const size_t bytes = (size_t)(len + 1) * sizeof(int64_t);
    *groups = (tg_Groups){.len = len};
    int64_t slots = 16;
    while (slots < 2 * len) slots *= 2;
    int64_t *table = tg_alloc((size_t)slots * sizeof *table); /* group + 1; 0: free */
    groups->codes = table ? tg_alloc_raw(bytes) : NULL;
    groups->first = groups->codes ? tg_alloc_raw(bytes) : NULL;
    groups->sizes = groups->first ? tg_alloc(bytes) : NULL;
    bool ok = groups->sizes != NULL;
    for (int64_t i = 0; ok && i < len; i++) {
        groups->codes[i] = -1;
        if (tg_column_is_missing(column, i)) continue;
        int64_t slot = (int64_t)(tg_column_hash(column, i) & (uint64_t)(slots - 1));
        while (table[slot] && !tg_column_equal(column, groups->first[table[slot] - 1], i))
            slot = (slot + 1) & (slots - 1);
        if (!table[slot]) {
            groups->first[groups->count] = i;
            table[slot] = ++groups->count;
        }
        groups->codes[i] = table[slot] - 1;
        groups->sizes[groups->codes[i]]++;
    }
    tg_free(table, (size_t)slots * sizeof *table);
    return ok && (!sorted || sort_groups(groups, column));
}

/* ---- several keys ---- */

static size_t codes_bytes(const tg_Keys *keys) {
    return (size_t)(keys->len + 1) * sizeof *keys->codes;
}

bool tg_keys_begin(tg_Keys *keys, int64_t len) {
    *keys = (tg_Keys){.len = len, .count = len > 0};
    keys->codes = tg_alloc(codes_bytes(keys));
    return keys->codes != NULL;
}

void tg_keys_free(tg_Keys *keys) {
    tg_free(keys->codes, codes_bytes(keys));
    keys->codes = NULL;
}

/* Gives missing values a code of their own; the number of codes. */
static int64_t code_missing(const tg_Groups *groups, tg_MissingKeys missing) {
    const bool is_first = missing == tg_missing_first;
    bool any = is_first;
    for (int64_t i = 0; i < groups->len && missing != tg_missing_dropped; i++) {
        const int64_t code = groups->codes[i];
        groups->codes[i] = code >= 0 ? code + is_first : is_first ? 0 : groups->count;
        any = any || code < 0;
    }
    return groups->count + any;
}

typedef struct Pair {
    int64_t before, code, row;
} Pair;

static int by_codes(const void *a, const void *b) {
    const Pair *x = a, *y = b;
    if (x->before != y->before) return x->before < y->before ? -1 : 1;
    if (x->code != y->code) return x->code < y->code ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* codes[i] = the number of the pair codes[i], more[i] among the sorted pairs. */
static bool combine(tg_Keys *keys, const int64_t *more) {
    const size_t bytes = (size_t)(keys->len + 1) * sizeof(Pair);
    Pair *pairs = tg_alloc_raw(bytes);
    int64_t n = 0;
    if (!pairs) return false;
    for (int64_t i = 0; i < keys->len; i++) {
        if (keys->codes[i] >= 0 && more[i] >= 0) pairs[n++] = (Pair){keys->codes[i], more[i], i};
        keys->codes[i] = -1;
    }
    qsort(pairs, (size_t)n, sizeof *pairs, by_codes);
    keys->count = 0;
    for (int64_t i = 0; i < n; i++) {
        keys->count += i == 0 || pairs[i].before != pairs[i - 1].before || pairs[i].code != pairs[i - 1].code;
        keys->codes[pairs[i].row] = keys->count - 1;
    }
    tg_free(pairs, bytes);
    return true;
}

bool tg_keys_add(tg_Keys *keys, const tg_Column *column, tg_MissingKeys missing) {
    tg_Groups groups;
    bool ok = tg_groups_make(&groups, column, true);
    const int64_t count = ok ? code_missing(&groups, missing) : 0;
    if (ok && keys->keys++ > 0) {
        ok = combine(keys, groups.codes);
    } else if (ok) { /* the codes of a single key are those of its values */
        memcpy(keys->codes, groups.codes, (size_t)keys->len * sizeof *keys->codes);
        keys->count = count;
    }
    tg_groups_free(&groups);
    return ok;
}

void tg_list_rows(const int64_t *codes, int64_t len, int64_t count, int64_t *begin, int64_t *rows) {
    memset(begin, 0, (size_t)(count + 1) * sizeof *begin);
    for (int64_t i = 0; i < len; i++)
        if (codes[i] >= 0) begin[codes[i] + 1]++;
    for (int64_t c = 0; c < count; c++) begin[c + 1] += begin[c];
    for (int64_t i = 0; i < len; i++)
        if (codes[i] >= 0) rows[begin[codes[i]]++] = i;
    for (int64_t c = count; c > 0; c--) begin[c] = begin[c - 1]; /* each is at the end of its rows now */
    begin[0] = 0;
}
