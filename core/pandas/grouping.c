/* core/pandas/grouping.c: the rows of a column by equal values, with a hash table. */
#include "core/pandas/grouping.h"

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
