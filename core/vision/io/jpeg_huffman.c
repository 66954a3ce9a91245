/* core/vision/io/jpeg_huffman.c: entropy-coded segments, ITU-T T.81, annexes F.2 (sequential) and G.2 (progressive).
 *
 * Where a marker comes before the data are complete, missing bits are zeros and the blocks up to the next restart stay
 * empty, as in libjpeg; where the file ends, that is an error. */
#include <string.h>

#include "core/vision/io/jpeg_internal.h"

const uint8_t tg_jpeg_zigzag[64 + 16] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13,
    6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31,
    39, 46, 53, 60, 61, 54, 47, 55, 62, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63};

static inline uint16_t entry_of(int length, int symbol) {
    return (uint16_t)((length + (symbol & 15)) << 8 | symbol);
}

bool tg_jpeg_make_table(tg_JpegTable *table, const uint8_t counts[16], const uint8_t *values) {
    int32_t code = 0, index = 0;
    *table = (tg_JpegTable){.is_set = true};
    for (int length = 1; length <= 16; length++) {
        table->offset[length] = index - code;
        for (int i = 0; i < counts[length - 1]; i++, code++, index++) {
            if (index > 255 || code >= 1 << length) return false;
            table->values[index] = values[index];
            if (length > JPEG_LOOKAHEAD) continue;
            const int spare = JPEG_LOOKAHEAD - length;
            for (int k = 0; k < 1 << spare; k++) table->lookup[(code << spare) + k] = entry_of(length, values[index]);
        }
        table->largest[length] = counts[length - 1] ? code - 1 : -1;
        code <<= 1;
    }
    table->largest[17] = INT32_MAX;
    return true;
}

/* ---- bits ---- */

/* Puts bytes into the buffer until it has more than 56 bits, or a marker or the end of the file comes: the bits behind
 * are zeros, and `count` becomes negative when they are used. */
static __attribute__((noinline)) void fill_slowly(tg_JpegBits *b) {
    while (b->count <= 56 && !b->marker) {
        if (b->at == b->end) {
            b->marker = -1;
            return;
        }
        const uint8_t byte = *b->at;
        if (byte == 0xff) {
            const uint8_t *next = b->at + 1;
            while (next < b->end && *next == 0xff) next++; /* fill bytes */
            if (next == b->end)
                b->marker = -1;
            else if (*next)
                b->marker = *next;
            if (b->marker) return;
            b->at = next; /* 0xff 0x00 is a byte 0xff of the data */
        }
        b->at++;
        b->bits |= (uint64_t)byte << (56 - b->count);
        b->count += 8;
    }
    if (b->at > b->next_ff) {
        b->next_ff = memchr(b->at, 0xff, (size_t)(b->end - b->at));
        if (!b->next_ff) b->next_ff = b->end;
    }
}

/* At least 32 bits, as long as there are some: eight bytes at once and without a condition that depends on the data,
 * where none of them is 0xff. Those that are put in only in part are put in again later, which sets the same bits. */
static inline void fill(tg_JpegBits *b) {
    if (b->next_ff - b->at < 8) {
        if (b->count < 32) fill_slowly(b);
        return;
    }
    uint64_t x;
    memcpy(&x, b->at, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    b->bits |= x >> b->count;
    b->at += (63 - b->count) >> 3;
    b->count |= 56;
}

static inline void drop(tg_JpegBits *b, int count) {
    b->bits <<= count;
    b->count -= count;
}
/* The upper `count` < 64 bits, also none. */
static inline uint32_t upper(uint64_t bits, int count) {
    return (uint32_t)(bits >> 1 >> (63 - count));
}
static inline uint32_t take(tg_JpegBits *b, int count) {
    if (b->count < count) fill(b);
    const uint32_t value = upper(b->bits, count);
    drop(b, count);
    return value;
}

static __attribute__((noinline)) uint16_t find_long_code(uint64_t bits, const tg_JpegTable *table) {
    const uint32_t code = upper(bits, 16);
    int length = JPEG_LOOKAHEAD + 1;
    while (length <= 16 && (int32_t)(code >> (16 - length)) > table->largest[length]) length++;
    if (length > 16) return entry_of(16, 0); /* no such code: libjpeg takes 0 */
    return entry_of(length, table->values[(uint8_t)((int32_t)(code >> (16 - length)) + table->offset[length])]);
}

/* The table's entry for the next code, of 16 bits at most. */
static inline int next_entry(tg_JpegBits *b, const tg_JpegTable *table) {
    fill(b);
    const int entry = table->lookup[upper(b->bits, JPEG_LOOKAHEAD)];
    return entry ? entry : find_long_code(b->bits, table);
}

/* The next symbol, and the value of the bits behind it (F.2.2.1: the upper half is positive), 0 without such bits. */
static inline int decode(tg_JpegBits *b, const tg_JpegTable *table, int *value) {
    const int entry = next_entry(b, table), size = entry & 15, total = entry >> 8;
    const uint64_t rest = b->bits << (total - size);
    const int32_t is_negative = (int32_t)(~rest >> 63);
    drop(b, total);
    *value = (int32_t)upper(rest, size) - (is_negative << size) + is_negative;
    return entry & 255;
}

/* A symbol whose size says only that there is a coefficient. */
static inline int decode_symbol(tg_JpegBits *b, const tg_JpegTable *table) {
    const int entry = next_entry(b, table);
    drop(b, (entry >> 8) - (entry & 15));
    return entry & 255;
}

/* ---- blocks ---- */

static inline void decode_dc(tg_JpegBits *b, tg_JpegComponent *c, const tg_JpegTable *dc) {
    int difference;
    decode(b, dc, &difference);
    c->predicted = (int)((unsigned)c->predicted + (unsigned)difference);
}

/* Returns whether the block has more than its DC value. */
static inline bool decode_sequential(tg_JpegBits *bits, tg_JpegComponent *c, const tg_JpegTable *dc,
                                     const tg_JpegTable *ac, int16_t block[64]) {
    tg_JpegBits b = *bits; /* in registers */
    int sizes = 0;
    decode_dc(&b, c, dc);
    block[0] = (int16_t)c->predicted;
    for (int k = 1; k < 64; k++) {
        int value;
        const int symbol = decode(&b, ac, &value), size = symbol & 15;
        if (!size && symbol != 0xf0) break;
        k += symbol >> 4;
        block[tg_jpeg_zigzag[k]] = (int16_t)value; /* of 16 zeros the last one: 0 */
        sizes |= size;
    }
    *bits = b;
    return sizes != 0;
}

static void decode_dc_first(tg_Jpeg *j, tg_JpegComponent *c, int16_t block[64]) {
    decode_dc(&j->bits, c, &j->dc[c->dc]);
    block[0] = (int16_t)(uint32_t)((uint32_t)c->predicted << j->low);
}

static void decode_dc_refine(tg_Jpeg *j, int16_t block[64]) {
    if (take(&j->bits, 1)) block[0] = (int16_t)(block[0] | 1 << j->low);
}

static void decode_ac_first(tg_Jpeg *j, tg_JpegComponent *c, int16_t block[64]) {
    if (j->end_of_band > 0) {
        j->end_of_band--;
        return;
    }
    tg_JpegBits b = j->bits;
    const tg_JpegTable *ac = &j->ac[c->ac];
    for (int k = j->first; k <= j->last; k++) {
        int value;
        const int symbol = decode(&b, ac, &value), run = symbol >> 4;
        if (!(symbol & 15) && run != 15) {
            j->end_of_band = (1 << run) + (int64_t)take(&b, run) - 1;
            break;
        }
        k += run;
        if (value) block[tg_jpeg_zigzag[k]] = (int16_t)(uint32_t)((uint32_t)value << j->low);
    }
    j->bits = b;
}

/* A coefficient that is not 0 gets its next bit. */
static inline void refine(tg_JpegBits *b, int16_t *x, int bit) {
    if (take(b, 1) && !(*x & bit)) *x = (int16_t)(*x + (*x >= 0 ? bit : -bit));
}

static void decode_ac_refine(tg_Jpeg *j, tg_JpegComponent *c, int16_t block[64]) {
    const int bit = 1 << j->low, last = j->last;
    const tg_JpegTable *ac = &j->ac[c->ac];
    tg_JpegBits b = j->bits;
    int k = j->first;
    if (j->end_of_band == 0) {
        for (; k <= last; k++) {
            const int symbol = decode_symbol(&b, ac);
            int run = symbol >> 4, value = 0;
            if (symbol & 15) {
                value = take(&b, 1) ? bit : -bit;
            } else if (run != 15) {
                j->end_of_band = (1 << run) + (int64_t)take(&b, run);
                break;
            }
            for (; k <= last; k++) { /* over `run` zeros; the others are refined */
                int16_t *x = &block[tg_jpeg_zigzag[k]];
                if (*x)
                    refine(&b, x, bit);
                else if (run-- == 0)
                    break;
            }
            if (value && k <= last) block[tg_jpeg_zigzag[k]] = (int16_t)value;
        }
    }
    if (j->end_of_band > 0) {
        for (; k <= last; k++)
            if (block[tg_jpeg_zigzag[k]]) refine(&b, &block[tg_jpeg_zigzag[k]], bit);
        j->end_of_band--;
    }
    j->bits = b;
}

void tg_jpeg_samples(const tg_Jpeg *j, const tg_JpegComponent *c, int64_t x, int64_t y, const int16_t block[64],
                     bool has_ac) {
    const int64_t stride = c->stride * 8;
    uint8_t *to = c->samples + (y * stride + x) * 8;
    if (has_ac) {
        j->kernels->idct(block, c->table, to, stride);
        return;
    }
    /* one value, rounded and wrapped around as the transform does */
    const int dc = (int16_t)(uint16_t)(4u * (uint32_t)block[0] * c->table[0]), rounded = (dc + 16) >> 5;
    const uint8_t value = (uint8_t)(rounded < -128 ? 0 : rounded > 127 ? 255 : rounded + 128);
    for (int i = 0; i < 8; i++) memset(to + i * stride, value, 8);
}

/* In line, since compilers take slow string instructions for this size. */
static inline void clear(int16_t block[64]) {
    typedef int64_t Two __attribute__((vector_size(16), aligned(2), may_alias));
    _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++) ((Two *)block)[i] = (Two){0};
}

/* Block (x, y) of a component: into its coefficients, or at once its samples. */
static void decode_block(tg_Jpeg *j, tg_JpegComponent *c, int64_t x, int64_t y) {
    if (j->is_progressive) {
        if (j->is_out_of_data) return;
        int16_t *block = c->coefficients + (y * c->stride + x) * 64;
        if (j->first == 0)
            j->high ? decode_dc_refine(j, block) : decode_dc_first(j, c, block);
        else
            j->high ? decode_ac_refine(j, c, block) : decode_ac_first(j, c, block);
        return;
    }
    int16_t block[64];
    clear(block);
    const bool has_ac = !j->is_out_of_data && decode_sequential(&j->bits, c, &j->dc[c->dc], &j->ac[c->ac], block);
    tg_jpeg_samples(j, c, x, y, block, has_ac);
}

/* ---- scans ---- */

/* Behind the last MCU of an interval: RSTn, where predictions start anew. */
static void restart(tg_Jpeg *j) {
    tg_JpegBits *b = &j->bits;
    const uint8_t *at = b->at, *end = b->end;
    for (int i = 0; i < j->scan_count; i++) j->component[j->scan[i]].predicted = 0;
    j->end_of_band = 0;
    while (end - at > 1 && !(at[0] == 0xff && at[1] != 0 && at[1] != 0xff)) at++;
    const int marker = end - at > 1 ? at[1] : -1;
    j->is_out_of_data = !(marker >= 0xd0 && marker <= 0xd7);
    if (!j->is_out_of_data) at += 2;
    *b = (tg_JpegBits){.at = at, .end = end, .next_ff = at, .marker = j->is_out_of_data ? marker : 0};
}

/* After each MCU. False with an error set if the file has ended before it. */
static bool check_data(tg_Jpeg *j) {
    tg_JpegBits *b = &j->bits;
    if (b->count >= 0) return true;
    if (b->marker < 0)
        return tg_fail("%s, byte %zu: the file ends within the image's data: Image is incomplete or truncated",
                       j->file->name, j->file->size);
    j->is_out_of_data = true;
    b->bits = 0;
    b->count = 0;
    return true;
}

bool tg_jpeg_scan(tg_Jpeg *j) {
    const uint8_t *bytes = j->file->bytes;
    j->bits = (tg_JpegBits){.at = bytes + j->at, .next_ff = bytes + j->at, .end = bytes + j->file->size};
    j->end_of_band = 0;
    j->is_out_of_data = false;
    for (int i = 0; i < j->scan_count; i++) j->component[j->scan[i]].predicted = 0;
    tg_JpegComponent *only = j->scan_count == 1 ? &j->component[j->scan[0]] : NULL;
    const int64_t columns = only ? only->blocks : j->mcus, rows = only ? only->block_rows : j->mcu_rows;
    int64_t left = j->restart_interval;
    for (int64_t y = 0; y < rows; y++)
        for (int64_t x = 0; x < columns; x++) {
            if (j->restart_interval && left-- == 0) {
                restart(j);
                left = j->restart_interval - 1;
            }
            if (only) {
                decode_block(j, only, x, y);
            } else {
                for (int i = 0; i < j->scan_count; i++) {
                    tg_JpegComponent *c = &j->component[j->scan[i]];
                    for (int v = 0; v < c->v; v++)
                        for (int h = 0; h < c->h; h++) decode_block(j, c, x * c->h + h, y * c->v + v);
                }
            }
            if (!check_data(j)) return false;
        }
    /* what follows the data is a marker: bytes that are already in the buffer are not looked at again, but for one */
    j->at = (size_t)(j->bits.at - bytes) - (j->bits.marker ? 0 : (size_t)(j->bits.count / 8));
    return true;
}
