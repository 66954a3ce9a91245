/* core/io/zlib/huffman.c: writes the blocks of DEFLATE (RFC 1951, 3.2): stored, in the fixed code, or in the block's
 * own Huffman code, whichever is the shortest. */
#include "core/io/zlib/huffman.h"

#include <stdlib.h>
#include <string.h>

enum {
    LITERALS = 286,
    DISTANCES = 30,
    LENGTH_CODES = 19,
    LONGEST_CODE = 15,
    LONGEST_LENGTH_CODE = 7,
    END_OF_BLOCK = 256,
    LONGEST_STORED = 65535,
};

typedef struct Code {
    uint32_t frequency[LITERALS + 2];
    uint8_t length[LITERALS + 2];
    uint16_t code[LITERALS + 2]; /* its first bit lowest */
    int count;
} Code;

/* ---- symbols ---- */

/* The code of a length (0 for 257) or a distance, and its extra bits: four (two) codes for each number of extra bits.
 */
static int code_of(uint32_t offset, int low_bits, int *extra) {
    const uint32_t codes = 1u << low_bits;
    if (offset < 2 * codes) {
        *extra = 0;
        return (int)offset;
    }
    const int top = 31 - __builtin_clz(offset);
    *extra = top - low_bits;
    return (int)(((uint32_t)*extra << low_bits) + (offset >> *extra));
}

static int length_code(int length, int *extra) {
    if (length < 258) return 257 + code_of((uint32_t)length - 3, 2, extra);
    *extra = 0;
    return 285;
}

static int distance_code(int distance, int *extra) {
    return code_of((uint32_t)distance - 1, 1, extra);
}

/* ---- bits ---- */

/* At most 48 bits; there is room for them. */
static inline void put(BitWriter *w, uint64_t bits, int count) {
    w->bits |= bits << w->count;
    w->count += count;
    for (; w->count >= 8; w->count -= 8, w->bits >>= 8) w->to->at[w->to->count++] = (uint8_t)w->bits;
}

static bool reserve(BitWriter *w, uint64_t bits) {
    const size_t needed = w->to->count + (size_t)(bits / 8) + 64;
    return needed <= w->to->capacity || tg_bytes_reserve(w->to, needed + needed / 2);
}

/* ---- Huffman codes ---- */

typedef struct Leaf {
    uint32_t frequency;
    int symbol;
} Leaf;

static int by_frequency(const void *a, const void *b) {
    const Leaf *x = a, *y = b;
    if (x->frequency != y->frequency) return x->frequency < y->frequency ? -1 : 1;
    return x->symbol - y->symbol;
}

/* How many of the n leaves, sorted by frequency, have which depth in Huffman's tree. Nodes are made in the order of
 * their frequencies, so the two rarest are at the front of the leaves or of the nodes. */
static void count_depths(const Leaf *leaves, int n, int counts[], int longest) {
    uint32_t frequency[LITERALS];
    int parent[2 * LITERALS], depth[2 * LITERALS]; /* leaves first, then nodes */
    int leaf = 0, node = 0;
    for (int made = 0; made < n - 1; made++) {
        frequency[made] = 0;
        for (int child = 0; child < 2; child++) {
            const bool is_leaf = leaf < n && (node == made || leaves[leaf].frequency <= frequency[node]);
            frequency[made] += is_leaf ? leaves[leaf].frequency : frequency[node];
            parent[is_leaf ? leaf++ : n + node++] = n + made;
        }
    }
    for (int i = 2 * n - 2; i >= 0; i--) {
        depth[i] = i == 2 * n - 2 ? 0 : depth[parent[i]] + 1;
        if (i < n) counts[depth[i] < longest ? depth[i] : longest]++;
    }
}

/* Lengths of at most `longest` bits. Where Huffman's are longer, leaves that were moved up to the limit take more codes
 * than there are; one of a smaller depth gets a sister, until there are enough. */
static void make_lengths(Code *c, int longest) {
    Leaf leaves[LITERALS];
    int counts[LONGEST_CODE + 1] = {0}, n = 0;
    memset(c->length, 0, sizeof c->length);
    for (int i = 0; i < c->count; i++)
        if (c->frequency[i]) leaves[n++] = (Leaf){c->frequency[i], i};
    /* A code has at least two symbols, so that every decoder accepts it. */
    for (int i = 0; n < 2; i++)
        if (!c->frequency[i]) leaves[n++] = (Leaf){0, i};
    qsort(leaves, (size_t)n, sizeof *leaves, by_frequency);
    count_depths(leaves, n, counts, longest);
    int64_t taken = 0; /* in units of the longest codes */
    for (int i = 1; i <= longest; i++) taken += (int64_t)counts[i] << (longest - i);
    for (; taken > (int64_t)1 << longest; taken--) {
        int i = longest - 1;
        while (counts[i] == 0) i--;
        counts[i]--;
        counts[i + 1] += 2;
        counts[longest]--;
    }
    for (int length = longest, i = 0; length > 0; length--)
        for (int k = 0; k < counts[length]; k++) c->length[leaves[i++].symbol] = (uint8_t)length;
}

/* RFC 1951, 3.2.2: codes of one length count upwards in the order of the symbols. */
static void make_codes(Code *c) {
    uint32_t counts[LONGEST_CODE + 1] = {0}, next[LONGEST_CODE + 1] = {0};
    for (int i = 0; i < c->count; i++) counts[c->length[i]]++;
    counts[0] = 0;
    for (int n = 1; n <= LONGEST_CODE; n++) next[n] = (next[n - 1] + counts[n - 1]) << 1;
    for (int i = 0; i < c->count; i++) {
        const uint32_t code = next[c->length[i]]++;
        uint32_t reversed = 0;
        for (int bit = 0; bit < c->length[i]; bit++) reversed |= (code >> bit & 1) << (c->length[i] - 1 - bit);
        c->code[i] = (uint16_t)reversed;
    }
}

static uint64_t bits_of(const Code *c) {
    uint64_t bits = 0;
    for (int i = 0; i < c->count; i++) bits += (uint64_t)c->frequency[i] * c->length[i];
    return bits;
}

/* ---- the code of the codes: RFC 1951, 3.2.7 ---- */

static const uint8_t order[LENGTH_CODES] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

typedef struct Lengths {
    struct {
        uint8_t symbol, extra, bits;
    } items[LITERALS + DISTANCES];
    int count, literals, distances, codes; /* of items; of lengths that are written for each code */
    Code code;
} Lengths;

static void add_length(Lengths *l, int symbol, int extra, int bits) {
    l->items[l->count].symbol = (uint8_t)symbol;
    l->items[l->count].extra = (uint8_t)extra;
    l->items[l->count++].bits = (uint8_t)bits;
    l->code.frequency[symbol]++;
}

/* Runs of equal lengths in short: 16 repeats the last one 3 to 6 times, 17 and 18 are 3 to 10 and 11 to 138 zeros. */
static void add_run(Lengths *l, int length, int run) {
    while (run > 0) {
        int n = 1;
        if (length == 0 && run >= 3) {
            n = run < 138 ? run : 138;
            add_length(l, n < 11 ? 17 : 18, n < 11 ? n - 3 : n - 11, n < 11 ? 3 : 7);
        } else if (length != 0 && run >= 4) {
            n = run - 1 < 6 ? run - 1 : 6;
            add_length(l, length, 0, 0);
            add_length(l, 16, n - 3, 2);
            n++;
        } else {
            add_length(l, length, 0, 0);
        }
        run -= n;
    }
}

static void make_length_code(Lengths *l, const Code *literals, const Code *distances) {
    uint8_t all[LITERALS + DISTANCES];
    memset(l, 0, sizeof *l);
    l->code.count = LENGTH_CODES;
    l->literals = LITERALS;
    l->distances = DISTANCES;
    while (l->literals > 257 && !literals->length[l->literals - 1]) l->literals--;
    while (l->distances > 1 && !distances->length[l->distances - 1]) l->distances--;
    memcpy(all, literals->length, (size_t)l->literals);
    memcpy(all + l->literals, distances->length, (size_t)l->distances);
    const int n = l->literals + l->distances;
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && all[end] == all[i]; end++) {
        }
        add_run(l, all[i], end - i);
    }
    make_lengths(&l->code, LONGEST_LENGTH_CODE);
    make_codes(&l->code);
    l->codes = LENGTH_CODES;
    while (l->codes > 4 && !l->code.length[order[l->codes - 1]]) l->codes--;
}

static uint64_t length_bits(const Lengths *l) {
    uint64_t bits = 5 + 5 + 4 + 3 * (uint64_t)l->codes + bits_of(&l->code);
    for (int i = 0; i < l->count; i++) bits += l->items[i].bits;
    return bits;
}

static void put_lengths(BitWriter *w, const Lengths *l) {
    put(w, (uint64_t)l->literals - 257, 5);
    put(w, (uint64_t)l->distances - 1, 5);
    put(w, (uint64_t)l->codes - 4, 4);
    for (int i = 0; i < l->codes; i++) put(w, l->code.length[order[i]], 3);
    for (int i = 0; i < l->count; i++) {
        const int symbol = l->items[i].symbol;
        put(w, l->code.code[symbol], l->code.length[symbol]);
        put(w, l->items[i].extra, l->items[i].bits);
    }
}

/* ---- blocks ---- */

static void put_symbols(BitWriter *w, const Symbol *symbols, int count, const Code *literals, const Code *distances) {
    for (int i = 0; i < count; i++) {
        const int value = symbols[i].value, distance = symbols[i].distance;
        if (!distance) {
            put(w, literals->code[value], literals->length[value]);
            continue;
        }
        int extra, code = length_code(value, &extra);
        uint64_t bits = literals->code[code];
        int n = literals->length[code];
        bits |= (uint64_t)((uint32_t)(value - 3) & ((1u << extra) - 1)) << n;
        n += extra;
        code = distance_code(distance, &extra);
        bits |= (uint64_t)distances->code[code] << n;
        n += distances->length[code];
        bits |= (uint64_t)((uint32_t)(distance - 1) & ((1u << extra) - 1)) << n;
        put(w, bits, n + extra);
    }
    put(w, literals->code[END_OF_BLOCK], literals->length[END_OF_BLOCK]);
}

bool tg_write_stored(BitWriter *w, const uint8_t *bytes, size_t size, bool is_last) {
    if (!reserve(w, 8 * ((uint64_t)size + 5 * (size / LONGEST_STORED + 1)))) return false;
    do {
        const size_t n = size < LONGEST_STORED ? size : LONGEST_STORED;
        put(w, is_last && n == size, 3);
        put(w, 0, (8 - w->count) & 7);
        put(w, n, 16);
        put(w, n ^ 0xffff, 16);
        if (n) memcpy(w->to->at + w->to->count, bytes, n);
        w->to->count += n;
        bytes += n;
        size -= n;
    } while (size > 0);
    return true;
}

static void fix_lengths(Code *literals, Code *distances) {
    for (int i = 0; i < LITERALS + 2; i++) literals->length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    literals->count = LITERALS + 2;
    memset(distances->length, 5, DISTANCES);
}

bool tg_write_block(BitWriter *w, const Symbol *symbols, int count, const uint8_t *bytes, size_t size, bool is_last) {
    Code literals = {.count = LITERALS}, distances = {.count = DISTANCES};
    Lengths lengths;
    uint64_t extra_bits = 0;
    int extra;
    literals.frequency[END_OF_BLOCK] = 1;
    for (int i = 0; i < count; i++) {
        if (!symbols[i].distance) {
            literals.frequency[symbols[i].value]++;
            continue;
        }
        literals.frequency[length_code(symbols[i].value, &extra)]++;
        extra_bits += (uint64_t)extra;
        distances.frequency[distance_code(symbols[i].distance, &extra)]++;
        extra_bits += (uint64_t)extra;
    }
    make_lengths(&literals, LONGEST_CODE);
    make_lengths(&distances, LONGEST_CODE);
    make_length_code(&lengths, &literals, &distances);
    const uint64_t own = length_bits(&lengths) + bits_of(&literals) + bits_of(&distances);
    Code fixed = literals, fixed_distances = distances;
    fix_lengths(&fixed, &fixed_distances);
    const uint64_t with_fixed = bits_of(&fixed) + bits_of(&fixed_distances),
                   coded = own < with_fixed ? own : with_fixed;
    const uint64_t stored = 8 * (uint64_t)size + 32 + 5 + 40 * (uint64_t)(size / LONGEST_STORED);
    if (stored <= coded + extra_bits) return tg_write_stored(w, bytes, size, is_last);
    if (!reserve(w, coded + extra_bits)) return false;
    const bool is_fixed = with_fixed <= own;
    put(w, (uint64_t)is_last | (is_fixed ? 1 : 2) << 1, 3);
    if (is_fixed) {
        literals = fixed;
        distances = fixed_distances;
    } else {
        put_lengths(w, &lengths);
    }
    make_codes(&literals);
    make_codes(&distances);
    put_symbols(w, symbols, count, &literals, &distances);
    return true;
}
