/* core/io/zlib/deflate.c: packs bytes as DEFLATE (RFC 1951): repeated strings become matches, found by chains of
 * earlier positions with the same hash; from level 4 on a match is only taken if the next position has no longer one.
 */
#include <string.h>

#include "core/io/zlib/huffman.h"

enum {
    WINDOW = 1 << 15,
    HASH_BITS = 15,
    SHORTEST = 3,
    LONGEST = 258,
    FAR = 4096,    /* a match of 3 bytes that is farther away is longer than three literals */
    BLOCK = 16383, /* symbols */
};

/* What a level tries, the figures of zlib's levels. */
typedef struct Effort {
    int good;  /* the search is a quarter as long if the last match has this length */
    int lazy;  /* a match of this length is taken at once; in levels 1 to 3: longer ones are not entered into the chains
                */
    int nice;  /* the search ends with a match of this length */
    int chain; /* positions that are tried */
} Effort;

static const Effort efforts[10] = {
    {0, 0, 0, 0},    {4, 4, 8, 4},      {4, 5, 16, 8},     {4, 6, 32, 32},       {4, 4, 16, 16},
    {8, 16, 32, 32}, {8, 16, 128, 128}, {8, 32, 128, 256}, {32, 128, 258, 1024}, {32, 258, 258, 4096},
};

typedef struct Deflate {
    const uint8_t *bytes;
    size_t size;
    Effort effort;
    BitWriter writer;
    size_t block; /* where the block begins */
    int count;    /* symbols in it */
    /* Positions, modulo 2^32: the last one with that hash, and the one before with the same. A wrong one does no harm:
     * the bytes are compared. */
    uint32_t head[1 << HASH_BITS], previous[WINDOW];
    Symbol symbols[BLOCK + 1];
} Deflate;

static inline uint32_t hash(const uint8_t *p) {
    const uint32_t x = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
    return x * 0x9E3779B1u >> (32 - HASH_BITS);
}

/* Enters the position; returns the last one with the same hash. */
static inline uint32_t enter(Deflate *d, size_t at) {
    uint32_t *head = &d->head[hash(d->bytes + at)];
    const uint32_t last = *head;
    d->previous[at % WINDOW] = last;
    *head = (uint32_t)at;
    return last;
}

static inline int match_length(const uint8_t *a, const uint8_t *b, int most) {
    int n = 0;
    for (uint64_t x, y; n + 8 <= most; n += 8) {
        memcpy(&x, a + n, 8);
        memcpy(&y, b + n, 8);
        if (x == y) continue;
        x ^= y;
        return n + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_clzll(x) : __builtin_ctzll(x)) / 8;
    }
    while (n < most && a[n] == b[n]) n++;
    return n;
}

/* A match at `at` longer than `length`, from the chain on; its length, or `length` if there is none. */
static int longest_match(const Deflate *d, size_t at, uint32_t candidate, int length, uint32_t *distance) {
    const uint8_t *here = d->bytes + at;
    const int most = d->size - at < LONGEST ? (int)(d->size - at) : LONGEST;
    const int nice = d->effort.nice < most ? d->effort.nice : most;
    const uint32_t farthest = at < WINDOW ? (uint32_t)at : WINDOW;
    int chain = length >= d->effort.good ? d->effort.chain / 4 : d->effort.chain;
    if (length >= most) return length;
    for (uint32_t last = 0; chain > 0; chain--) {
        const uint32_t far = (uint32_t)at - candidate;
        if (far <= last || far > farthest) break; /* the positions of a chain go backwards */
        last = far;
        const uint8_t *there = here - far;
        if (there[length] == here[length] && (length < 1 || there[length - 1] == here[length - 1])) {
            const int n = match_length(here, there, most);
            if (n > length) {
                length = n;
                *distance = far;
                if (n >= nice) break;
            }
        }
        candidate = d->previous[candidate % WINDOW];
    }
    return length;
}

/* ---- symbols ---- */

static bool end_block(Deflate *d, size_t at, bool is_last) {
    const bool ok = tg_write_block(&d->writer, d->symbols, d->count, at ? d->bytes + d->block : NULL, at - d->block,
                                   is_last);
    d->count = 0;
    d->block = at;
    return ok;
}

/* at: behind what the symbol stands for */
static inline bool add(Deflate *d, size_t at, uint32_t distance, int value) {
    d->symbols[d->count++] = (Symbol){(uint16_t)distance, (uint16_t)value};
    return d->count < BLOCK || end_block(d, at, false);
}

/* Levels 1 to 3: each match is taken. */
static bool deflate_fast(Deflate *d) {
    for (size_t at = 0; at < d->size;) {
        uint32_t distance = 0;
        int length = 0;
        if (d->size - at >= SHORTEST) {
            length = longest_match(d, at, enter(d, at), SHORTEST - 1, &distance);
            if (length == SHORTEST && distance > FAR) length = 0;
        }
        if (length < SHORTEST) {
            if (!add(d, at + 1, 0, d->bytes[at])) return false;
            at++;
            continue;
        }
        if (!add(d, at + (size_t)length, distance, length)) return false;
        if (length <= d->effort.lazy)
            for (int i = 1; i < length && d->size - at - (size_t)i >= SHORTEST; i++) enter(d, at + (size_t)i);
        at += (size_t)length;
    }
    return true;
}

/* Levels 4 to 9: the match at the position before, if there is one, gives way to a longer one here. */
static bool deflate_slow(Deflate *d) {
    int before = SHORTEST - 1; /* the length of the match at the position before */
    uint32_t before_distance = 0;
    bool is_pending = false; /* the byte before is not yet written */
    for (size_t at = 0; at < d->size;) {
        uint32_t distance = 0;
        int length = SHORTEST - 1;
        if (d->size - at >= SHORTEST) {
            const uint32_t candidate = enter(d, at);
            if (before < d->effort.lazy) {
                length = longest_match(d, at, candidate, before, &distance);
                if (length == before) length = SHORTEST - 1; /* none that is longer */
                if (length == SHORTEST && distance > FAR) length = SHORTEST - 1;
            }
        }
        if (is_pending && before >= SHORTEST && length <= before) { /* the one before, which began at at - 1 */
            const size_t end = at - 1 + (size_t)before;
            if (!add(d, end, before_distance, before)) return false;
            for (at++; at < end; at++)
                if (d->size - at >= SHORTEST) enter(d, at);
            before = SHORTEST - 1;
            is_pending = false;
            continue;
        }
        if (is_pending && !add(d, at, 0, d->bytes[at - 1])) return false;
        is_pending = true;
        before = length;
        before_distance = distance;
        at++;
    }
    return !is_pending || add(d, d->size, 0, d->bytes[d->size - 1]);
}

bool tg_deflate(const void *bytes, size_t size, int level, tg_Bytes *to) {
    const int effort = level < 0 ? TG_DEFLATE_DEFAULT : level > 9 ? 9 : level;
    if (effort == 0) return tg_write_stored(&(BitWriter){.to = to}, bytes, size, true);
    Deflate *d = tg_alloc_raw(sizeof *d);
    if (!d) return false;
    d->bytes = bytes;
    d->size = size;
    d->effort = efforts[effort];
    d->writer = (BitWriter){.to = to};
    d->block = 0;
    d->count = 0;
    memset(d->head, 0xff, sizeof d->head);
    memset(d->previous, 0xff, sizeof d->previous);
    bool ok = (effort < 4 ? deflate_fast(d) : deflate_slow(d)) && end_block(d, size, true);
    if (ok && d->writer.count > 0) to->at[to->count++] = (uint8_t)d->writer.bits; /* end_block left room for it */
    tg_free(d, sizeof *d);
    return ok;
}
