/* core/text/bpe.c: byte-pair encoding: tokens, merges, and the encoding of words. */
#include "core/text/bpe.h"

#include <stdlib.h>

#include "core/text/unicode.h"

/* ---- tables ---- */

typedef struct tg_CachedWord {
    uint32_t hash, at, length, ids_at, ids; /* ids 0: an empty slot */
} CachedWord;
enum { CACHE_SLOTS = 1 << 16, CACHED_WORDS = CACHE_SLOTS / 2, CACHED_LENGTH = 64, CACHE_BYTES = 1 << 22 };

void tg_bpe_init(tg_Bpe *self) {
    memset(self, 0, sizeof *self);
    for (int i = 0; i < 256; i++) self->byte_ids[i] = TG_NO_ID;
}

void tg_bpe_free(tg_Bpe *self) {
    tg_free(self->tokens, self->capacity * sizeof *self->tokens);
    tg_free(self->lookup, self->lookup_size * sizeof *self->lookup);
    tg_pairs_free(&self->merges, sizeof(tg_Merge));
    tg_free(self->specials, self->specials_capacity * sizeof *self->specials);
    tg_free(self->cache.table, CACHE_SLOTS * sizeof *self->cache.table);
    tg_buffer_free(&self->bytes);
    tg_buffer_free(&self->cache.bytes);
    tg_buffer_free(&self->cache.ids);
    tg_buffer_free(&self->symbols);
    tg_buffer_free(&self->prefixed);
    tg_bpe_init(self);
}

static inline uint64_t load8(const uint8_t *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static inline uint64_t mixed(uint64_t x) {
    x *= 0x9e3779b97f4a7c15u;
    return x ^ x >> 32;
}

static inline uint32_t hash_bytes(const uint8_t *bytes, size_t length) {
    uint64_t hash = length;
    size_t at = 0;
    for (; length - at >= 8; at += 8) hash = mixed(hash ^ load8(bytes + at));
    uint64_t rest = 0;
    for (size_t i = 0; at + i < length; i++) rest |= (uint64_t)bytes[at + i] << 8 * i;
    return (uint32_t)mixed(hash ^ rest);
}

static inline const uint8_t *token_bytes(const tg_Bpe *self, uint32_t id) {
    return (const uint8_t *)self->bytes.data + self->tokens[id].at;
}

/* The slot of those bytes, or the empty one where they would be; the table is not full. */
static size_t lookup_slot(const tg_Bpe *self, const uint8_t *bytes, size_t length) {
    size_t slot = hash_bytes(bytes, length) & (self->lookup_size - 1);
    for (; self->lookup[slot] != TG_NO_ID; slot = (slot + 1) & (self->lookup_size - 1)) {
        const tg_Token *token = &self->tokens[self->lookup[slot]];
        if (token->length == length && memcmp(token_bytes(self, self->lookup[slot]), bytes, length) == 0) break;
    }
    return slot;
}

uint32_t tg_bpe_id(const tg_Bpe *self, const void *bytes, size_t length) {
    return self->lookup_size ? self->lookup[lookup_slot(self, bytes, length)] : (uint32_t)TG_NO_ID;
}

static bool grow_lookup(tg_Bpe *self) {
    if (2 * (self->lookup_used + 1) <= self->lookup_size) return true;
    const size_t size = self->lookup_size ? 2 * self->lookup_size : 512;
    uint32_t *table = tg_alloc_raw(size * sizeof *table), *old = self->lookup;
    if (!table) return false;
    memset(table, 0xff, size * sizeof *table);
    const size_t old_size = self->lookup_size;
    self->lookup = table;
    self->lookup_size = size;
    for (size_t i = 0; i < old_size; i++)
        if (old[i] != TG_NO_ID)
            table[lookup_slot(self, token_bytes(self, old[i]), self->tokens[old[i]].length)] = old[i];
    tg_free(old, old_size * sizeof *old);
    return true;
}

static bool grow_tokens(tg_Bpe *self, size_t count) {
    if (count > self->capacity) {
        const size_t capacity = count > 2 * self->capacity ? count + 256 : 2 * self->capacity;
        tg_Token *tokens = tg_alloc_raw(capacity * sizeof *tokens);
        if (!tokens) return false;
        if (self->count) memcpy(tokens, self->tokens, self->count * sizeof *tokens);
        tg_free(self->tokens, self->capacity * sizeof *tokens);
        self->tokens = tokens;
        self->capacity = capacity;
    }
    for (; self->count < count; self->count++) self->tokens[self->count] = (tg_Token){0};
    return true;
}

bool tg_bpe_add_token(tg_Bpe *self, uint32_t id, const void *bytes, size_t length) {
    const size_t at = self->bytes.size;
    if (!grow_lookup(self) || !grow_tokens(self, (size_t)id + 1) || !tg_buffer_append(&self->bytes, bytes, length))
        return false;
    self->tokens[id] = (tg_Token){.at = (uint32_t)at, .length = (uint32_t)length, .exists = true};
    self->lookup[lookup_slot(self, bytes, length)] = id;
    self->lookup_used++;
    return true;
}

const tg_Merge *tg_bpe_merge(const tg_Bpe *self, uint32_t left, uint32_t right) {
    if (!self->merges.size) return NULL;
    const tg_Merge *found = tg_pair_slot(&self->merges, sizeof *found, left, right);
    return found->left == TG_NO_ID ? NULL : found;
}

bool tg_bpe_add_merge(tg_Bpe *self, uint32_t left, uint32_t right, uint32_t rank, uint32_t id) {
    enum { SMALLEST = 512 };
    if (!tg_pairs_reserve(&self->merges, sizeof(tg_Merge), SMALLEST)) return false;
    tg_Merge *slot = tg_pair_slot(&self->merges, sizeof *slot, left, right);
    self->merges.used += slot->left == TG_NO_ID;
    *slot = (tg_Merge){left, right, rank, id};
    return true;
}

bool tg_bpe_add_special(tg_Bpe *self, uint32_t id) {
    if (self->tokens[id].special) return true;
    if (self->specials_count == self->specials_capacity) {
        const size_t old = self->specials_capacity, capacity = old ? 2 * old : 8;
        uint32_t *specials = tg_alloc_raw(capacity * sizeof *specials);
        if (!specials) return false;
        if (old) memcpy(specials, self->specials, old * sizeof *specials);
        tg_free(self->specials, old * sizeof *specials);
        self->specials = specials;
        self->specials_capacity = capacity;
    }
    self->specials[self->specials_count++] = id;
    self->tokens[id].special = true;
    return true;
}

bool tg_bpe_merges_of_tokens(tg_Bpe *self) {
    for (uint32_t id = 0; id < self->count; id++) {
        const tg_Token token = self->tokens[id];
        if (!token.exists || token.special) continue;
        for (uint32_t first = 1; first < token.length; first++) {
            const uint32_t left = tg_bpe_id(self, token_bytes(self, id), first);
            if (left == TG_NO_ID || self->tokens[left].special) continue;
            const uint32_t right = tg_bpe_id(self, token_bytes(self, id) + first, token.length - first);
            if (right == TG_NO_ID || self->tokens[right].special) continue;
            if (!tg_bpe_add_merge(self, left, right, id, id)) return false;
        }
    }
    return true;
}

int tg_bpe_finish(tg_Bpe *self) {
    int missing = -1;
    for (int i = 255; i >= 0; i--) {
        const uint8_t byte = (uint8_t)i;
        self->byte_ids[i] = tg_bpe_id(self, &byte, 1);
        if (self->byte_ids[i] == TG_NO_ID) missing = i;
    }
    return missing;
}

/* ---- merging a word ---- */

/* Symbols of a short word are moved together after each merge, and all ranks are looked at for the next one. */
typedef struct Symbol {
    uint32_t id, rank, merged; /* rank and result of the merge with the next symbol */
} Symbol;
enum { SHORT_WORD = 48 };

static inline void find_rank(const tg_Bpe *self, Symbol *s, uint32_t next) {
    const tg_Merge *merge = tg_bpe_merge(self, s->id, next);
    s->rank = merge ? merge->rank : (uint32_t)TG_NO_ID;
    s->merged = merge ? merge->id : (uint32_t)TG_NO_ID;
}

static size_t merge_short(const tg_Bpe *self, Symbol *s, size_t n) {
    for (size_t i = 0; i + 1 < n; i++) find_rank(self, &s[i], s[i + 1].id);
    s[n - 1].rank = TG_NO_ID;
    for (;;) {
        size_t best = 0;
        for (size_t i = 1; i < n; i++)
            if (s[i].rank < s[best].rank) best = i;
        if (s[best].rank == TG_NO_ID) return n;
        s[best].id = s[best].merged;
        n--;
        memmove(&s[best + 1], &s[best + 2], (n - best - 1) * sizeof *s);
        s[best].rank = TG_NO_ID;
        if (best + 1 < n) find_rank(self, &s[best], s[best + 1].id);
        if (best > 0) find_rank(self, &s[best - 1], s[best].id);
    }
}

/* Symbols of a long word are a linked list, and the merges a heap by rank and position; one whose symbols have changed
 * since is passed over. */
typedef struct Link {
    uint32_t id, previous, next; /* TG_NO_ID: none; id TG_NO_ID: merged into the one before */
} Link;
typedef struct Candidate {
    uint32_t rank, at;
} Candidate;

static inline bool is_before(const Candidate *a, const Candidate *b) {
    return a->rank != b->rank ? a->rank < b->rank : a->at < b->at;
}

static void sift_up(Candidate *heap, size_t i) {
    const Candidate moved = heap[i];
    for (; i > 0 && is_before(&moved, &heap[(i - 1) / 2]); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    heap[i] = moved;
}

static void sift_down(Candidate *heap, size_t n, size_t i) {
    const Candidate moved = heap[i];
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && is_before(&heap[child + 1], &heap[child])) child++;
        if (!is_before(&heap[child], &moved)) break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

/* The merge of the symbol there with the next one, and its result. */
static bool candidate(const tg_Bpe *self, const Link *links, uint32_t at, Candidate *to, uint32_t *merged) {
    if (at == TG_NO_ID || links[at].id == TG_NO_ID || links[at].next == TG_NO_ID) return false;
    const tg_Merge *merge = tg_bpe_merge(self, links[at].id, links[links[at].next].id);
    if (!merge) return false;
    *to = (Candidate){merge->rank, at};
    *merged = merge->id;
    return true;
}

static void merge_long(const tg_Bpe *self, Link *links, uint32_t n, Candidate *heap) {
    uint32_t merged;
    size_t count = 0;
    for (uint32_t i = 0; i + 1 < n; i++) count += candidate(self, links, i, &heap[count], &merged);
    for (size_t i = count / 2; i-- > 0;) sift_down(heap, count, i);
    while (count > 0) {
        const Candidate top = heap[0];
        Candidate now;
        heap[0] = heap[--count];
        if (count) sift_down(heap, count, 0);
        if (!candidate(self, links, top.at, &now, &merged) || now.rank != top.rank) continue;
        Link *left = &links[top.at], *right = &links[left->next];
        left->id = merged;
        left->next = right->next;
        right->id = TG_NO_ID;
        if (left->next != TG_NO_ID) links[left->next].previous = top.at;
        if (candidate(self, links, left->previous, &heap[count], &merged)) sift_up(heap, count++);
        if (candidate(self, links, top.at, &heap[count], &merged)) sift_up(heap, count++);
    }
}

/* n links, and at most 2 n candidates: each of n - 1 merges takes one away and adds two. */
static bool encode_long(tg_Bpe *self, const uint8_t *word, size_t length, tg_Buffer *ids) {
    self->symbols.size = 0;
    if (length >= UINT32_MAX / 4) return tg_fail("a word of %zu bytes is too long to be encoded", length);
    if (!tg_buffer_reserve(&self->symbols, length * (sizeof(Link) + 2 * sizeof(Candidate)))) return false;
    Link *links = (Link *)(void *)self->symbols.data;
    for (uint32_t i = 0; i < length; i++)
        links[i] = (Link){self->byte_ids[word[i]], i ? i - 1 : (uint32_t)TG_NO_ID,
                          i + 1 < length ? i + 1 : (uint32_t)TG_NO_ID};
    merge_long(self, links, (uint32_t)length, (Candidate *)(void *)(links + length));
    for (uint32_t i = 0; i != TG_NO_ID; i = links[i].next) {
        const int64_t id = links[i].id;
        if (!tg_buffer_append(ids, &id, sizeof id)) return false;
    }
    return true;
}

static bool encode_word(tg_Bpe *self, const uint8_t *word, size_t length, tg_Buffer *ids) {
    const uint32_t whole = self->whole_words || length == 1 ? tg_bpe_id(self, word, length) : (uint32_t)TG_NO_ID;
    if (whole != TG_NO_ID && !self->tokens[whole].special) {
        const int64_t id = whole;
        return tg_buffer_append(ids, &id, sizeof id);
    }
    if (length > SHORT_WORD) return encode_long(self, word, length, ids);
    Symbol symbols[SHORT_WORD];
    for (size_t i = 0; i < length; i++) symbols[i].id = self->byte_ids[word[i]];
    const size_t n = merge_short(self, symbols, length);
    if (!tg_buffer_reserve(ids, n * sizeof(int64_t))) return false;
    for (size_t i = 0; i < n; i++) {
        const int64_t id = symbols[i].id;
        tg_buffer_append(ids, &id, sizeof id);
    }
    return true;
}

/* ---- the cache of words ---- */

static bool open_cache(tg_WordCache *cache) {
    if (!cache->table) cache->table = tg_alloc(CACHE_SLOTS * sizeof *cache->table);
    return cache->table != NULL;
}

static void empty_cache(tg_WordCache *cache) {
    memset(cache->table, 0, CACHE_SLOTS * sizeof *cache->table);
    cache->bytes.size = cache->ids.size = cache->count = 0;
}

static bool remember(tg_WordCache *cache, const uint8_t *word, size_t length, uint32_t hash, const int64_t *ids,
                     size_t count) {
    if (cache->count == CACHED_WORDS || cache->bytes.size > CACHE_BYTES) empty_cache(cache);
    size_t slot = hash % CACHE_SLOTS;
    while (cache->table[slot].ids) slot = (slot + 1) % CACHE_SLOTS;
    const size_t at = cache->bytes.size, ids_at = cache->ids.size / sizeof *ids;
    if (!tg_buffer_reserve(&cache->bytes, length) || !tg_buffer_append(&cache->ids, ids, count * sizeof *ids))
        return false;
    tg_buffer_append(&cache->bytes, word, length);
    cache->table[slot] = (CachedWord){hash, (uint32_t)at, (uint32_t)length, (uint32_t)ids_at, (uint32_t)count};
    cache->count++;
    return true;
}

static const CachedWord *recall(const tg_WordCache *cache, const uint8_t *word, size_t length, uint32_t hash) {
    for (size_t slot = hash % CACHE_SLOTS; cache->table[slot].ids; slot = (slot + 1) % CACHE_SLOTS) {
        const CachedWord *found = &cache->table[slot];
        if (found->hash == hash && found->length == length && memcmp(cache->bytes.data + found->at, word, length) == 0)
            return found;
    }
    return NULL;
}

static bool encode_cached(tg_Bpe *self, const uint8_t *word, size_t length, tg_Buffer *ids) {
    if (length > CACHED_LENGTH) return encode_word(self, word, length, ids);
    const uint32_t hash = hash_bytes(word, length);
    const CachedWord *known = recall(&self->cache, word, length, hash);
    if (known) {
        const int64_t *from = (const int64_t *)(const void *)self->cache.ids.data + known->ids_at;
        if (!tg_buffer_reserve(ids, known->ids * sizeof *from)) return false;
        int64_t *to = (int64_t *)(void *)(ids->data + ids->size);
        for (uint32_t i = 0; i < known->ids; i++) to[i] = from[i];
        ids->size += known->ids * sizeof *from;
        return true;
    }
    const size_t before = ids->size;
    if (!encode_word(self, word, length, ids)) return false;
    return remember(&self->cache, word, length, hash, (const int64_t *)(const void *)(ids->data + before),
                    (ids->size - before) / sizeof(int64_t));
}

/* ---- texts ---- */

static bool encode_words(tg_Bpe *self, const uint8_t *at, const uint8_t *end, tg_Buffer *ids) {
    if (!open_cache(&self->cache)) return false;
    while (at < end) {
        const uint8_t *next = tg_word_end(self->pattern, at, end);
        if (!encode_cached(self, at, (size_t)(next - at), ids)) return false;
        at = next;
    }
    return true;
}

bool tg_bpe_encode_ordinary(tg_Bpe *self, const uint8_t *at, const uint8_t *end, tg_Buffer *ids) {
    if (at == end) return true;
    if (!self->add_prefix_space || *at == ' ') return encode_words(self, at, end, ids);
    tg_Buffer *text = &self->prefixed;
    text->size = 0;
    if (!tg_buffer_append(text, " ", 1) || !tg_buffer_append(text, at, (size_t)(end - at))) return false;
    return encode_words(self, (const uint8_t *)text->data, (const uint8_t *)text->data + text->size, ids);
}

const uint8_t *tg_bpe_find_special(const tg_Bpe *self, const uint8_t *at, const uint8_t *end, const bool *flags,
                                   uint32_t *id) {
    const uint8_t *found = NULL;
    for (size_t i = 0; i < self->specials_count; i++) {
        const tg_Token *token = &self->tokens[self->specials[i]];
        if ((flags && !flags[i]) || token->length == 0) continue;
        const uint8_t *bytes = token_bytes(self, self->specials[i]), *p = at;
        while ((size_t)(end - p) >= token->length &&
               (p = memchr(p, bytes[0], (size_t)(end - p) - token->length + 1)) != NULL) {
            if (found && p > found) break;
            if (memcmp(p, bytes, token->length) == 0) {
                if (!found || p < found || token->length > self->tokens[*id].length) *id = self->specials[i];
                found = p;
                break;
            }
            p++;
        }
    }
    return found;
}

bool tg_bpe_encode(tg_Bpe *self, const uint8_t *at, const uint8_t *end, const bool *flags, tg_Buffer *ids) {
    for (;;) {
        uint32_t special = 0;
        const uint8_t *found = tg_bpe_find_special(self, at, end, flags, &special);
        if (!tg_bpe_encode_ordinary(self, at, found ? found : end, ids)) return false;
        if (!found) return true;
        const int64_t id = special;
        if (!tg_buffer_append(ids, &id, sizeof id)) return false;
        at = found + self->tokens[special].length;
    }
}

/* ---- bytes as characters ---- */

static bool is_printable(int byte) {
    return (byte > ' ' && byte < 0x7f) || (byte > 0xa0 && byte != 0xad);
}

uint32_t tg_char_of_byte(uint8_t byte) {
    if (is_printable(byte)) return byte;
    /* the others, in their order: 0 to 32, 127 to 160, 173 */
    return 256u + (byte <= ' ' ? byte : byte == 0xad ? 67u : byte - 0x7fu + 33u);
}

int tg_byte_of_char(uint32_t c) {
    if (c < 256) return is_printable((int)c) ? (int)c : -1;
    if (c < 256 + 33) return (int)(c - 256);
    if (c < 256 + 67) return (int)(c - 256 - 33 + 0x7f);
    return c == 256 + 67 ? 0xad : -1;
}
