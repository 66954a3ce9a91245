/* core/text/bpe_train.c: training a byte-pair encoding, with the merges of the package tokenizers.
 *
 * The most frequent pair of neighbours becomes a token, of several the one with the smallest ids, and so on. A pair's
 * count changes only in the words that it is in, so that these are listed for each pair; a heap has the pairs by count.
 * Counts in the heap may be too large: the topmost is put back with its count if it has changed.
 *
 * Two pairs can give the same token ("ab" "c" and "a" "bc"). A pair whose second token existed before can then come
 * into the heap once more, with a list of the new words only, and be a merge twice. tokenizers does so, and this does.
 */
#include "core/text/bpe_train.h"

#include <stdlib.h>

/* ---- words ---- */

typedef struct tg_CountedWord {
    size_t at;
    uint32_t length;
    int64_t count;
} CountedWord;

static uint32_t hash_of(const char *bytes, size_t length) {
    uint64_t hash = 1469598103934665603u; /* FNV-1a */
    for (size_t i = 0; i < length; i++) hash = (hash ^ (uint8_t)bytes[i]) * 1099511628211u;
    return (uint32_t)(hash ^ hash >> 32);
}

static CountedWord *counted(const tg_WordCounts *self) {
    return (CountedWord *)(void *)self->words.data;
}

static size_t word_slot(const tg_WordCounts *self, const char *bytes, size_t length) {
    size_t slot = hash_of(bytes, length) & (self->size - 1);
    for (; self->table[slot] != UINT32_MAX; slot = (slot + 1) & (self->size - 1)) {
        const CountedWord *word = &counted(self)[self->table[slot]];
        if (word->length == length && memcmp(self->bytes.data + word->at, bytes, length) == 0) break;
    }
    return slot;
}

static bool grow_table(tg_WordCounts *self) {
    const size_t count = self->words.size / sizeof(CountedWord), old = self->size;
    if (2 * (count + 1) <= old) return true;
    const size_t size = old ? 2 * old : 1024;
    uint32_t *table = tg_alloc_raw(size * sizeof *table);
    if (!table) return false;
    memset(table, 0xff, size * sizeof *table);
    tg_free(self->table, old * sizeof *table);
    self->table = table;
    self->size = size;
    for (size_t i = 0; i < count; i++)
        table[word_slot(self, self->bytes.data + counted(self)[i].at, counted(self)[i].length)] = (uint32_t)i;
    return true;
}

static bool count_word(tg_WordCounts *self, const char *bytes, size_t length) {
    if (!grow_table(self)) return false;
    const size_t slot = word_slot(self, bytes, length), index = self->words.size / sizeof(CountedWord);
    if (self->table[slot] != UINT32_MAX) {
        counted(self)[self->table[slot]].count++;
        return true;
    }
    const CountedWord word = {self->bytes.size, (uint32_t)length, 1};
    if (!tg_buffer_reserve(&self->words, sizeof word) || !tg_buffer_append(&self->bytes, bytes, length)) return false;
    tg_buffer_append(&self->words, &word, sizeof word);
    self->table[slot] = (uint32_t)index;
    return true;
}

bool tg_count_words(tg_WordCounts *self, const tg_Bpe *bpe, const char *text, size_t size) {
    if (size == 0) return true;
    const uint8_t *at = (const uint8_t *)text, *end = at + size;
    if (size >= UINT32_MAX) return tg_fail("a text of %zu bytes is too long", size);
    while (at < end) {
        const uint8_t *next = tg_word_end(bpe->pattern, at, end);
        if (!count_word(self, (const char *)at, (size_t)(next - at))) return false;
        at = next;
    }
    return true;
}

void tg_word_counts_free(tg_WordCounts *self) {
    tg_free(self->table, self->size * sizeof *self->table);
    tg_buffer_free(&self->bytes);
    tg_buffer_free(&self->words);
    *self = (tg_WordCounts){0};
}

/* ---- pairs ---- */

/* A pair, its count, and words that were found to have it since its last entry in the heap. */
typedef struct Pair {
    uint32_t left, right;
    int64_t count;
    uint32_t found;  /* the newest Found; TG_NO_ID: none */
    bool is_changed; /* it is in the list of pairs that get an entry */
} Pair;
typedef struct Found {
    uint32_t word, older;
} Found;
typedef struct Entry {
    int64_t count;
    uint32_t left, right, found;
} Entry;

/* A word: its symbols are symbols[at .. at + length). */
typedef struct Word {
    size_t at;
    uint32_t length;
    int64_t count;
    uint32_t visited; /* the merge that changed it last, plus 1 */
} Word;

typedef struct Training {
    tg_Bpe *bpe;
    uint32_t *symbols;
    size_t symbols_count;
    Word *words;
    size_t words_count;
    tg_PairTable pairs; /* of Pair */
    tg_Buffer found, heap, changed; /* Found, Entry, and uint32_t[2] of pairs */
} Training;

static Pair *pair_of(const Training *t, uint32_t left, uint32_t right) {
    return tg_pair_slot(&t->pairs, sizeof(Pair), left, right);
}

/* The pair, which is new with count 0 if it was not there. Valid until the next call. NULL on out of memory. */
static Pair *find_pair(Training *t, uint32_t left, uint32_t right) {
    enum { SMALLEST = 4096 };
    if (!tg_pairs_reserve(&t->pairs, sizeof(Pair), SMALLEST)) return NULL;
    Pair *pair = pair_of(t, left, right);
    if (pair->left == TG_NO_ID) {
        *pair = (Pair){left, right, 0, TG_NO_ID, false};
        t->pairs.used++;
    }
    return pair;
}

/* The count changes; with_word: the pair is in that word now. */
static bool change_pair(Training *t, uint32_t left, uint32_t right, int64_t by, bool with_word, uint32_t word) {
    Pair *pair = find_pair(t, left, right);
    if (!pair) return false;
    pair->count += by;
    if (!with_word) return true;
    if (!pair->is_changed) {
        const uint32_t ids[2] = {left, right};
        if (!tg_buffer_append(&t->changed, ids, sizeof ids)) return false;
        pair->is_changed = true;
    }
    const Found found = {word, pair->found};
    const size_t index = t->found.size / sizeof found;
    if (index >= TG_NO_ID) return tg_fail("the texts are too long to train on") != NULL;
    if (!tg_buffer_append(&t->found, &found, sizeof found)) return false;
    pair->found = (uint32_t)index;
    return true;
}

/* ---- the heap ---- */

static Entry *entries(const Training *t) {
    return (Entry *)(void *)t->heap.data;
}

static bool is_before(const Entry *a, const Entry *b) {
    if (a->count != b->count) return a->count > b->count;
    return a->left != b->left ? a->left < b->left : a->right < b->right;
}

static bool push(Training *t, Entry entry) {
    if (!tg_buffer_append(&t->heap, &entry, sizeof entry)) return false;
    Entry *heap = entries(t);
    size_t i = t->heap.size / sizeof entry - 1;
    for (; i > 0 && is_before(&entry, &heap[(i - 1) / 2]); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    heap[i] = entry;
    return true;
}

static Entry pop(Training *t) {
    Entry *heap = entries(t);
    const Entry top = heap[0];
    const size_t n = t->heap.size / sizeof top - 1;
    t->heap.size -= sizeof top;
    if (n == 0) return top;
    const Entry moved = heap[n];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && is_before(&heap[child + 1], &heap[child])) child++;
        if (!is_before(&heap[child], &moved)) break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
    return top;
}

static bool push_changed(Training *t) {
    const uint32_t(*ids)[2] = (const uint32_t(*)[2])(void *)t->changed.data;
    for (size_t i = 0; i < t->changed.size / sizeof *ids; i++) {
        Pair *pair = pair_of(t, ids[i][0], ids[i][1]);
        const Entry entry = {pair->count, pair->left, pair->right, pair->found};
        pair->found = TG_NO_ID;
        pair->is_changed = false;
        if (entry.count > 0 && !push(t, entry)) return false;
    }
    t->changed.size = 0;
    return true;
}

/* ---- training ---- */

static bool begin(Training *t, const tg_WordCounts *words) {
    const CountedWord *counted_words = counted(words);
    t->words_count = words->words.size / sizeof *counted_words;
    t->symbols_count = words->bytes.size;
    t->symbols = tg_alloc_raw((t->symbols_count + 1) * sizeof *t->symbols);
    t->words = tg_alloc_raw((t->words_count + 1) * sizeof *t->words);
    if (!t->symbols || !t->words) return false;
    for (size_t i = 0; i < t->symbols_count; i++) t->symbols[i] = t->bpe->byte_ids[(uint8_t)words->bytes.data[i]];
    for (uint32_t w = 0; w < t->words_count; w++) {
        const CountedWord *word = &counted_words[w];
        const uint32_t *s = t->symbols + word->at;
        t->words[w] = (Word){word->at, word->length, word->count, 0};
        for (uint32_t i = 0; i + 1 < word->length; i++)
            if (!change_pair(t, s[i], s[i + 1], word->count, true, w)) return false;
    }
    return push_changed(t);
}

/* Replaces the pair in a word, from left to right. */
static bool merge_in_word(Training *t, uint32_t w, const Entry *e, uint32_t id) {
    Word *word = &t->words[w];
    uint32_t *s = t->symbols + word->at, to = 0;
    const int64_t count = word->count;
    bool ok = true;
    for (uint32_t i = 0; ok && i < word->length; i++) {
        if (s[i] != e->left || i + 1 == word->length || s[i + 1] != e->right) {
            s[to++] = s[i];
            continue;
        }
        if (to > 0)
            ok = change_pair(t, s[to - 1], e->left, -count, false, w) && change_pair(t, s[to - 1], id, count, true, w);
        if (ok && i + 2 < word->length)
            ok = change_pair(t, e->right, s[i + 2], -count, false, w) && change_pair(t, id, s[i + 2], count, true, w);
        s[to++] = id;
        i++;
    }
    word->length = to;
    return ok;
}

/* The token that the pair becomes: a new one, or an old one of the same bytes. */
static uint32_t merged_token(tg_Bpe *bpe, uint32_t left, uint32_t right) {
    tg_Buffer both = {0};
    const tg_Token a = bpe->tokens[left], b = bpe->tokens[right];
    uint32_t id = TG_NO_ID;
    if (tg_buffer_append(&both, bpe->bytes.data + a.at, a.length) &&
        tg_buffer_append(&both, bpe->bytes.data + b.at, b.length)) {
        id = tg_bpe_id(bpe, both.data, both.size);
        if (id == TG_NO_ID && tg_bpe_add_token(bpe, (uint32_t)bpe->count, both.data, both.size))
            id = (uint32_t)bpe->count - 1;
    }
    tg_buffer_free(&both);
    return id;
}

static bool merge_all(Training *t, size_t vocab_size, int64_t min_frequency) {
    for (uint32_t rank = 0; t->bpe->count < vocab_size && t->heap.size;) {
        Entry top = pop(t);
        const int64_t count = pair_of(t, top.left, top.right)->count;
        if (top.count != count) {
            top.count = count;
            if (!push(t, top)) return false;
            continue;
        }
        if (count < 1 || count < min_frequency) break;
        const uint32_t id = merged_token(t->bpe, top.left, top.right);
        if (id == TG_NO_ID || !tg_bpe_add_merge(t->bpe, top.left, top.right, rank++, id)) return false;
        for (uint32_t i = top.found, older; i != TG_NO_ID; i = older) {
            const Found found = ((const Found *)(const void *)t->found.data)[i];
            older = found.older;
            Word *word = &t->words[found.word];
            if (word->visited == rank) continue; /* the pair is in it more than once */
            word->visited = rank;
            if (!merge_in_word(t, found.word, &top, id)) return false;
        }
        if (!push_changed(t)) return false;
    }
    return true;
}

bool tg_bpe_train(tg_Bpe *bpe, const tg_WordCounts *words, size_t vocab_size, int64_t min_frequency) {
    Training t = {.bpe = bpe};
    bool ok = true;
    for (uint32_t c = 0, bytes = 0; ok && bytes < 256; c++) {
        const int value = tg_byte_of_char(c);
        const char byte = (char)value;
        if (value < 0) continue;
        bytes++;
        if (tg_bpe_id(bpe, &byte, 1) == TG_NO_ID) ok = tg_bpe_add_token(bpe, (uint32_t)bpe->count, &byte, 1);
    }
    ok = ok && tg_bpe_finish(bpe) < 0 && begin(&t, words) && merge_all(&t, vocab_size, min_frequency);
    tg_free(t.symbols, (t.symbols_count + 1) * sizeof *t.symbols);
    tg_free(t.words, (t.words_count + 1) * sizeof *t.words);
    tg_pairs_free(&t.pairs, sizeof(Pair));
    tg_buffer_free(&t.found);
    tg_buffer_free(&t.heap);
    tg_buffer_free(&t.changed);
    return ok;
}
