/* core/text/pair_table.h: a hash table from pairs of ids to items, with open addressing (internal): the merges of an
 * encoding, and the pairs of a training. */
#ifndef TAPEGRAD_CORE_TEXT_PAIR_TABLE_H
#define TAPEGRAD_CORE_TEXT_PAIR_TABLE_H

#include <stdint.h>
#include <string.h>

#include "core/tensor/context.h"

#define TG_NO_ID UINT32_MAX

/* Items of a size that each call states; an item begins with the pair. */
typedef struct tg_Pair {
    uint32_t left, right; /* left TG_NO_ID: an empty slot */
} tg_Pair;
typedef struct tg_PairTable {
    void *items;
    size_t size, used; /* size: a power of 2, or 0 */
} tg_PairTable;

/* The item of the pair, or the empty slot for it. The table is not empty. */
static inline void *tg_pair_slot(const tg_PairTable *table, size_t item, uint32_t left, uint32_t right) {
    const uint64_t hash = ((uint64_t)left << 32 | right) * 0x9e3779b97f4a7c15u;
    for (size_t slot = (size_t)(hash >> 32);; slot++) {
        tg_Pair *pair = (tg_Pair *)(void *)((char *)table->items + (slot & (table->size - 1)) * item);
        if (pair->left == TG_NO_ID || (pair->left == left && pair->right == right)) return pair;
    }
}

/* Makes room for one more item, so that at most half of the slots are used. Error: out of memory. */
static inline bool tg_pairs_reserve(tg_PairTable *table, size_t item, size_t smallest) {
    if (2 * (table->used + 1) <= table->size) return true;
    tg_PairTable larger = {NULL, table->size ? 2 * table->size : smallest, table->used};
    larger.items = tg_alloc_raw(larger.size * item);
    if (!larger.items) return false;
    memset(larger.items, 0xff, larger.size * item);
    for (size_t i = 0; i < table->size; i++) {
        const tg_Pair *pair = (const tg_Pair *)(const void *)((const char *)table->items + i * item);
        if (pair->left != TG_NO_ID) memcpy(tg_pair_slot(&larger, item, pair->left, pair->right), pair, item);
    }
    tg_free(table->items, table->size * item);
    *table = larger;
    return true;
}

static inline void tg_pairs_free(tg_PairTable *table, size_t item) {
    tg_free(table->items, table->size * item);
    *table = (tg_PairTable){NULL, 0, 0};
}

#endif
