/* core/io/zlib/inflate.c: unpacks DEFLATE (RFC 1951): blocks that are stored, or coded with prefix codes, fixed ones or
 * the block's own.
 *
 * A code is decoded by a table that the next bits index; codes that are longer than the index of the first table
 * continue in a second one. While there is plenty of input and room for output, nothing is checked per byte. */
#include <inttypes.h>
#include <string.h>

#include "core/io/zlib/zlib.h"

enum {
    LONGEST_CODE = 15,
    LITERALS = 288,
    DISTANCES = 32,
    LENGTH_CODES = 19,
    LITERAL_BITS = 11,
    DISTANCE_BITS = 8,
    LENGTH_CODE_BITS = 7, /* that index the first table */
    /* Entries of both tables together, at most, for all codes of so many symbols (zlib's program enough.c counts
     * them). */
    LITERAL_ENTRIES = 2342,
    DISTANCE_ENTRIES = 402,
    LENGTH_CODE_ENTRIES = 128,
    LONGEST_MATCH = 258,
    END_OF_BLOCK = 256,
};

/* An entry of a table: bits of the code in this table (0 to 7), number of extra bits (8 to 12), what it is (13 to 15),
 * and from bit 16 on the literal, the base of a length or distance, or the index of the second table. */
enum { IS_LITERAL = 1 << 15, IS_OTHER = 1 << 14, IS_TABLE = 1 << 13 }; /* IS_OTHER: a table, the end, or invalid */
enum { INVALID = 0xffff };

typedef struct Stream {
    uint64_t bits;                /* the next bits of the input, the first one lowest */
    int count;                    /* how many of those are counted as read; there may be more above */
    int beyond;                   /* bytes of them that are beyond the input's end, 0 */
    const uint8_t *at, *end;      /* the input after them */
    uint8_t *to, *begin, *to_end; /* the output */
} Stream;

typedef struct Inflate {
    Stream x;
    const char *reason; /* of an error */
    bool is_full;       /* the limit is reached */
    tg_Bytes *out;
    size_t limit;
    uint32_t literals[LITERAL_ENTRIES], distances[DISTANCE_ENTRIES];
} Inflate;

static const char TRUNCATED[] = "incomplete or truncated stream";

static bool broken(Inflate *s, const char *reason) {
    s->reason = reason;
    return false;
}

/* ---- bits ---- */

static inline uint64_t load64(const uint8_t *from) {
    uint64_t bits;
    memcpy(&bits, from, sizeof bits);
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(bits) : bits;
}

/* At least 56 bits from then on; with is_safe, at least 8 bytes of input are left. */
static inline __attribute__((always_inline)) void refill(Stream *x, bool is_safe) {
    if (is_safe || x->end - x->at >= 8) {
        x->bits |= load64(x->at) << x->count;
        x->at += (63 - x->count) >> 3;
        x->count |= 56;
        return;
    }
    for (; x->count < 56; x->count += 8) {
        if (x->at < x->end)
            x->bits |= (uint64_t)*x->at++ << x->count;
        else
            x->beyond++;
    }
}

static inline uint32_t peek(const Stream *x, int bits) {
    return (uint32_t)x->bits & ((1u << bits) - 1);
}

static inline void drop(Stream *x, int bits) {
    x->bits >>= bits;
    x->count -= bits;
}

static inline uint32_t take(Stream *x, int bits) {
    const uint32_t taken = peek(x, bits);
    drop(x, bits);
    return taken;
}

/* Whether bits were taken that are beyond the end. */
static bool is_truncated(const Stream *x) {
    return x->beyond * 8 > x->count;
}

static bool truncated(Inflate *s) {
    return broken(s, TRUNCATED);
}

/* ---- tables ---- */

static uint32_t reversed(uint32_t code, int bits) {
    uint32_t r = 0;
    for (int i = 0; i < bits; i++) r |= (code >> i & 1) << (bits - 1 - i);
    return r;
}

/* The table for the code whose symbol i has lengths[i] bits, 0 if it does not occur, and the given entry. False if more
 * symbols have the lengths than a code can have, or fewer; as in zlib a single code of 1 bit, or none, is a code,
 * unless is_whole. */
static bool make_table(uint32_t *table, int table_bits, const uint8_t *lengths, const uint32_t *entries, int symbols,
                       bool is_whole) {
    int counts[LONGEST_CODE + 1] = {0}, longest = LONGEST_CODE, next = 1 << table_bits;
    uint16_t sorted[LITERALS], first[LONGEST_CODE + 2];
    for (int i = 0; i < symbols; i++) counts[lengths[i]]++;
    while (longest > 0 && counts[longest] == 0) longest--;
    int left = 1; /* codes of the length that are still free */
    for (int n = 1; n <= LONGEST_CODE; n++) {
        left = 2 * left - counts[n];
        if (left < 0) return false;
    }
    if (left > 0) {
        if (is_whole || longest > 1) return false;
        for (int i = 0; i < next; i++) table[i] = (uint32_t)INVALID << 16 | IS_OTHER | 1;
    }
    first[1] = 0;
    for (int n = 1; n <= LONGEST_CODE; n++) first[n + 1] = (uint16_t)(first[n] + counts[n]);
    for (int i = 0; i < symbols; i++)
        if (lengths[i]) sorted[first[lengths[i]]++] = (uint16_t)i;
    /* The codes count upwards, in the order of their lengths; they are read from their highest bit on. */
    uint32_t code = 0, prefix = UINT32_MAX;
    uint32_t *second = NULL;
    int second_bits = 0, done = 0;
    for (int n = 1; n <= longest; n++, code <<= 1) {
        for (int left_of_length = counts[n]; left_of_length > 0; left_of_length--, code++) {
            const int symbol = sorted[done++];
            const uint32_t r = reversed(code, n);
            if (n <= table_bits) {
                for (uint32_t i = r; i < 1u << table_bits; i += 1u << n) table[i] = entries[symbol] | (uint32_t)n;
                continue;
            }
            if ((r & ((1u << table_bits) - 1)) != prefix) { /* a new second table, as large as its longest code */
                prefix = r & ((1u << table_bits) - 1);
                second_bits = n - table_bits;
                int room = 1 << second_bits, of_length = left_of_length;
                while (second_bits + table_bits < longest && (room -= of_length) > 0) {
                    second_bits++;
                    room <<= 1;
                    of_length = counts[second_bits + table_bits];
                }
                second = table + next;
                table[prefix] =
                    (uint32_t)next << 16 | (uint32_t)second_bits << 8 | IS_OTHER | IS_TABLE | (uint32_t)table_bits;
                next += 1 << second_bits;
            }
            for (uint32_t i = r >> table_bits; i < 1u << second_bits; i += 1u << (n - table_bits))
                second[i] = entries[symbol] | (uint32_t)(n - table_bits);
        }
    }
    return true;
}

/* RFC 1951, 3.2.5: lengths 257 to 285 and distances 0 to 29, by formula: four (two) codes each with 1, 2, ... extra
 * bits. */
static void make_entries(uint32_t literals[LITERALS], uint32_t distances[DISTANCES]) {
    for (uint32_t i = 0; i < 256; i++) literals[i] = i << 16 | IS_LITERAL;
    literals[END_OF_BLOCK] = IS_OTHER;
    uint32_t base = 3;
    for (uint32_t i = 0; i < 28; i++) {
        const uint32_t extra = i < 8 ? 0 : i / 4 - 1;
        literals[257 + i] = base << 16 | extra << 8;
        base += 1u << extra;
    }
    literals[285] = (uint32_t)LONGEST_MATCH << 16;
    literals[286] = literals[287] = (uint32_t)INVALID << 16 | IS_OTHER;
    base = 1;
    for (uint32_t i = 0; i < 30; i++) {
        const uint32_t extra = i < 4 ? 0 : i / 2 - 1;
        distances[i] = base << 16 | extra << 8;
        base += 1u << extra;
    }
    distances[30] = distances[31] = (uint32_t)INVALID << 16 | IS_OTHER;
}

/* RFC 1951, 3.2.6. */
static void make_fixed_tables(Inflate *s, const uint32_t *literals, const uint32_t *distances) {
    uint8_t lengths[LITERALS];
    for (int i = 0; i < LITERALS; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_table(s->literals, LITERAL_BITS, lengths, literals, LITERALS, true);
    memset(lengths, 5, DISTANCES);
    make_table(s->distances, DISTANCE_BITS, lengths, distances, DISTANCES, true);
}

/* RFC 1951, 3.2.7: the lengths of both codes, themselves in a code whose lengths come first. */
static bool read_tables(Inflate *s, const uint32_t *literals, const uint32_t *distances) {
    static const uint8_t order[LENGTH_CODES] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[LITERALS + DISTANCES] = {0}, code_lengths[LENGTH_CODES] = {0};
    uint32_t table[LENGTH_CODE_ENTRIES], symbols[LENGTH_CODES];
    refill(&s->x, false);
    const int count = 257 + (int)take(&s->x, 5), distance_count = 1 + (int)take(&s->x, 5),
              codes = 4 + (int)take(&s->x, 4);
    if (count > 286 || distance_count > 30) return broken(s, "too many length or distance symbols");
    for (int i = 0; i < codes; i++) {
        if (s->x.count < 3) refill(&s->x, false);
        code_lengths[order[i]] = (uint8_t)take(&s->x, 3);
    }
    if (is_truncated(&s->x)) return truncated(s);
    for (uint32_t i = 0; i < LENGTH_CODES; i++) symbols[i] = i << 16;
    if (!make_table(table, LENGTH_CODE_BITS, code_lengths, symbols, LENGTH_CODES, true))
        return broken(s, "invalid code lengths set");
    for (int i = 0; i < count + distance_count;) {
        refill(&s->x, false);
        const uint32_t entry = table[peek(&s->x, LENGTH_CODE_BITS)], symbol = entry >> 16;
        drop(&s->x, (int)(entry & 0xff));
        int times = 1;
        uint8_t length = (uint8_t)symbol;
        if (symbol >= 16) { /* the length before, 3 to 6 times; or 0, 3 to 10 or 11 to 138 times */
            if (symbol == 16 && i == 0) return broken(s, "invalid bit length repeat");
            length = symbol == 16 ? lengths[i - 1] : 0;
            times = symbol == 16   ? 3 + (int)take(&s->x, 2)
                    : symbol == 17 ? 3 + (int)take(&s->x, 3)
                                   : 11 + (int)take(&s->x, 7);
        }
        if (is_truncated(&s->x)) return truncated(s);
        if (times > count + distance_count - i) return broken(s, "invalid bit length repeat");
        memset(lengths + i, length, (size_t)times);
        i += times;
    }
    if (lengths[END_OF_BLOCK] == 0) return broken(s, "invalid code -- missing end-of-block");
    if (!make_table(s->literals, LITERAL_BITS, lengths, literals, count, false))
        return broken(s, "invalid literal/lengths set");
    return make_table(s->distances, DISTANCE_BITS, lengths + count, distances, distance_count, false) ||
           broken(s, "invalid distances set");
}

/* ---- output ---- */

/* More room, for at least one byte. */
static bool grow(Inflate *s) {
    tg_Bytes *out = s->out;
    out->count = (size_t)(s->x.to - out->at);
    if (out->count >= s->limit) {
        s->is_full = true;
        return broken(s, "the data are longer than they may be");
    }
    size_t capacity = out->capacity < 4096 ? 4096 : out->capacity;
    capacity = capacity > s->limit / 2 ? s->limit : 2 * capacity;
    const size_t begin = (size_t)(s->x.begin - out->at);
    if (!tg_bytes_reserve(out, capacity)) return false;
    s->x.begin = out->at + begin;
    s->x.to = out->at + out->count;
    s->x.to_end = out->at + (out->capacity < s->limit ? out->capacity : s->limit);
    return true;
}

/* Copies may write so many bytes more than their length. */
enum { SLACK = 32 };

/* The bytes from `distance` before on; they may overlap with the new ones. */
static inline void copy_match(uint8_t *to, size_t distance, size_t length) {
    const uint8_t *from = to - distance, *end = to + length;
    if (distance >= 16) {
        do {
            memcpy(to, from, 16);
            to += 16;
            from += 16;
        } while (to < end);
    } else if (distance == 1) {
        const uint64_t x = *from * 0x0101010101010101u;
        do {
            memcpy(to, &x, 8);
            to += 8;
        } while (to < end);
    } else if (distance >= 8) {
        do {
            memcpy(to, from, 8);
            to += 8;
            from += 8;
        } while (to < end);
    } else { /* of 8 bytes `distance` are right, the next ones overwrite the others */
        do {
            uint64_t x;
            memcpy(&x, from, 8);
            memcpy(to, &x, 8);
            to += distance;
            from += distance;
        } while (to < end);
    }
}

static bool copy_carefully(Inflate *s, size_t distance, size_t length) {
    for (; length > 0; length--, s->x.to++) {
        if (s->x.to == s->x.to_end && !grow(s)) return false;
        *s->x.to = *(s->x.to - distance);
    }
    return true;
}

/* ---- blocks ---- */

static bool stored_block(Inflate *s) {
    drop(&s->x, s->x.count & 7);
    refill(&s->x, false);
    const uint32_t length = take(&s->x, 16), check = take(&s->x, 16);
    if (is_truncated(&s->x)) return truncated(s);
    if (length != (check ^ 0xffff)) return broken(s, "invalid stored block lengths");
    s->x.at -= s->x.count / 8 - s->x.beyond; /* the bytes that are in s->x.bits */
    s->x.bits = 0;
    s->x.count = s->x.beyond = 0;
    for (size_t left = length, n; left > 0; left -= n) {
        if (s->x.at == s->x.end) return truncated(s);
        if (s->x.to == s->x.to_end && !grow(s)) return false;
        n = left;
        if (n > (size_t)(s->x.end - s->x.at)) n = (size_t)(s->x.end - s->x.at);
        if (n > (size_t)(s->x.to_end - s->x.to)) n = (size_t)(s->x.to_end - s->x.to);
        memcpy(s->x.to, s->x.at, n);
        s->x.to += n;
        s->x.at += n;
    }
    return true;
}

typedef enum Step { step_next, step_end, step_error } Step;

static inline __attribute__((always_inline)) uint32_t decode(Stream *x, const uint32_t *table, int table_bits) {
    uint32_t entry = table[peek(x, table_bits)];
    if (__builtin_expect(entry & IS_TABLE, 0)) {
        drop(x, table_bits);
        entry = table[(entry >> 16) + peek(x, (int)(entry >> 8 & 15))];
    }
    drop(x, (int)(entry & 0xff));
    return entry;
}

static inline __attribute__((always_inline)) Step fail(Inflate *s, const Stream *x, bool is_safe, const char *reason) {
    s->reason = !is_safe && is_truncated(x) ? TRUNCATED : reason;
    return step_error;
}

/* The next literal or match, or up to two literals and then one. x: s->x, or with is_safe a copy of it, with at least
 * 16 bytes of input, and room for three literals and the longest match. Of the 56 bits, three codes take at most 45, a
 * length with its extra bits 20 and a distance 28. */
static inline __attribute__((always_inline)) Step step(Inflate *s, Stream *x, bool is_safe) {
    refill(x, is_safe);
    uint32_t entry = decode(x, s->literals, LITERAL_BITS);
    for (int i = 0; is_safe && i < 2 && (entry & IS_LITERAL); i++) {
        *x->to++ = (uint8_t)(entry >> 16);
        entry = decode(x, s->literals, LITERAL_BITS);
    }
    if (!is_safe && is_truncated(x)) return fail(s, x, false, TRUNCATED);
    if (entry & IS_LITERAL) {
        if (!is_safe && x->to == x->to_end && !grow(s)) return step_error;
        *x->to++ = (uint8_t)(entry >> 16);
        return step_next;
    }
    if (entry & IS_OTHER) {
        if (entry >> 16 == INVALID) return fail(s, x, is_safe, "invalid literal/length code");
        return step_end;
    }
    refill(x, is_safe);
    const size_t length = (entry >> 16) + take(x, (int)(entry >> 8 & 31));
    entry = decode(x, s->distances, DISTANCE_BITS);
    if (entry & IS_OTHER) return fail(s, x, is_safe, "invalid distance code");
    const size_t distance = (entry >> 16) + take(x, (int)(entry >> 8 & 31));
    if (!is_safe && is_truncated(x)) return fail(s, x, false, TRUNCATED);
    if (distance > (size_t)(x->to - x->begin)) return fail(s, x, is_safe, "invalid distance too far back");
    if (!is_safe) return copy_carefully(s, distance, length) ? step_next : step_error;
    copy_match(x->to, distance, length);
    x->to += length;
    return step_next;
}

static bool coded_block(Inflate *s) {
    enum { INPUT = 16, ROOM = 3 + LONGEST_MATCH + SLACK };
    Step result = step_next;
    while (result == step_next) {
        Stream x = s->x; /* a copy, which the compiler keeps in registers */
        while (result == step_next && x.end - x.at >= INPUT && x.to_end - x.to >= ROOM) result = step(s, &x, true);
        s->x = x;
        if (result == step_next) result = step(s, &s->x, false);
    }
    return result == step_end;
}

static bool unpack_blocks(Inflate *s) {
    uint32_t literals[LITERALS], distances[DISTANCES];
    make_entries(literals, distances);
    for (bool is_last = false; !is_last;) {
        refill(&s->x, false);
        is_last = take(&s->x, 1);
        const uint32_t type = take(&s->x, 2);
        if (is_truncated(&s->x)) return truncated(s);
        if (type == 3) return broken(s, "invalid block type");
        if (type == 1) make_fixed_tables(s, literals, distances);
        if (type == 2 && !read_tables(s, literals, distances)) return false;
        if (type == 0 ? !stored_block(s) : !coded_block(s)) return false;
    }
    return true;
}

bool tg_inflate(tg_Compressed *from, tg_Bytes *to, size_t limit) {
    if (limit < to->count) limit = to->count;
    Inflate *s = to->at || tg_bytes_reserve(to, 1) ? tg_alloc_raw(sizeof *s) : NULL;
    if (!s) return false;
    s->x = (Stream){.at = from->bytes, .end = from->bytes + from->size, .to = to->at + to->count};
    s->x.begin = s->x.to;
    s->x.to_end = to->at + (to->capacity < limit ? to->capacity : limit);
    s->reason = NULL;
    s->is_full = false;
    s->out = to;
    s->limit = limit;
    const bool ok = unpack_blocks(s) || (s->is_full && from->is_prefix);
    from->is_cut = ok && s->is_full;
    const int unread = s->x.count / 8 - s->x.beyond; /* bytes in s->x.bits */
    from->used = (size_t)(s->x.at - from->bytes) - (size_t)(unread > 0 ? unread : 0);
    to->count = (size_t)(s->x.to - to->at);
    const char *reason = ok ? NULL : s->reason;
    tg_free(s, sizeof *s);
    if (reason) tg_fail("%s, byte %" PRIu64 ": %s", from->name, from->first + from->used, reason);
    return ok;
}
