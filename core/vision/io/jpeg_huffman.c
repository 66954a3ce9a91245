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

/* Broken: more codes of a length than there are, or one that is all ones. */
void tg_jpeg_make_table(tg_JpegTable *table, const uint8_t counts[16], const uint8_t *values) {
    int32_t code = 0, index = 0;
    *table = (tg_JpegTable){.is_set = true};
    for (int length = 1; length <= 16; length++) {
        table->offset[length] = index - code;
        table->is_broken = index + counts[length - 1] > 256 || code + counts[length - 1] >= 1 << length;
        if (table->is_broken) return;
        for (int i = 0; i < counts[length - 1]; i++, code++, index++) {
            table->values[index] = values[index];
            if (values[index] > table->largest_value) table->largest_value = values[index];
            if (length > JPEG_LOOKAHEAD) continue;
            const int spare = JPEG_LOOKAHEAD - length;
            for (int k = 0; k < 1 << spare; k++) table->lookup[(code << spare) + k] = entry_of(length, values[index]);
        }
        table->largest[length] = counts[length - 1] ? code - 1 : -1;
        code <<= 1;
    }
    table->largest[17] = INT32_MAX;
}

/* ---- the tables of annex K.3, for samples of 8 bits: luminance, chrominance ---- */

static const uint8_t dc_values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
static const uint8_t dc_counts[2][16] = {{0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0},
                                         {0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0}};
static const uint8_t ac_counts[2][16] = {{0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125},
                                         {0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119}};
static const uint8_t ac_values[2][162] = {
    {0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
     0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72,
     0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x34, 0x35, 0x36, 0x37,
     0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59,
     0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x83,
     0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3,
     0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3,
     0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2,
     0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa},
    {0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22,
     0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33, 0x52, 0xf0, 0x15, 0x62, 0x72, 0xd1,
     0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1, 0x17, 0x18, 0x19, 0x1a, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x35, 0x36,
     0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58,
     0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a,
     0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a,
     0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba,
     0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda,
     0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa}};

void tg_jpeg_standard_tables(tg_Jpeg *j) {
    for (int i = 0; i < 2; i++) {
        if (!j->dc[i].is_set) tg_jpeg_make_table(&j->dc[i], dc_counts[i], dc_values);
        if (!j->ac[i].is_set) tg_jpeg_make_table(&j->ac[i], ac_counts[i], ac_values[i]);
    }
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
    if (length > 16) return entry_of(17, 0); /* no such code: libjpeg takes 0, behind 17 bits */
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
            if (value) block[tg_jpeg_zigzag[k]] = (int16_t)value; /* as in libjpeg also behind the band */
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
    _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++)((Two *)block)[i] = (Two){0};
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

static bool fail_at_end(const tg_Jpeg *j) {
    return tg_fail("%s, byte %zu: the file ends within the image's data: Image is incomplete or truncated",
                   j->file->name, j->file->size);
}

/* Moves to the next marker at or behind b->at: its second byte, or -1 where the file ends. */
static int find_marker(tg_JpegBits *b) {
    while (b->end - b->at > 1 && !(b->at[0] == 0xff && b->at[1] != 0 && b->at[1] != 0xff)) b->at++;
    return b->end - b->at > 1 ? b->at[1] : -1;
}

/* What libjpeg does with another marker than the RSTn that is expected: one that is none, or one of the two RSTn before
 * it, is passed over; one of the two behind it, or a marker that is no RSTn, stays, so that the interval is empty;
 * another RSTn is taken for the expected one. */
static int find_restart(tg_JpegBits *b, int expected) {
    enum { SOF0 = 0xc0, RST0 = 0xd0, RST7 = 0xd7 };
    for (;;) {
        const int marker = find_marker(b), distance = (marker - RST0 - expected) & 7;
        if (marker < 0) return marker;
        if (marker >= SOF0 && (marker < RST0 || marker > RST7)) return marker;
        if (marker >= RST0 && (distance == 1 || distance == 2)) return marker;
        b->at += 2;
        if (marker >= RST0 && distance != 6 && distance != 7) return 0;
    }
}

/* Behind the last MCU of an interval: RSTn, where predictions start anew. Error: the file ends. */
static bool restart(tg_Jpeg *j) {
    tg_JpegBits *b = &j->bits;
    for (int i = 0; i < j->scan_count; i++) j->component[j->scan[i]].predicted = 0;
    j->end_of_band = 0;
    const int marker = find_restart(b, j->next_restart);
    j->next_restart = (j->next_restart + 1) & 7;
    if (marker == 0) j->is_out_of_data = false;
    *b = (tg_JpegBits){.at = b->at, .end = b->end, .next_ff = b->at, .marker = marker};
    return marker >= 0 || fail_at_end(j);
}

/* After each MCU. False with an error set if the file has ended before it. */
static bool check_data(tg_Jpeg *j) {
    tg_JpegBits *b = &j->bits;
    if (b->count >= 0) return true;
    if (b->marker < 0) return fail_at_end(j);
    j->is_out_of_data = true;
    b->bits = 0;
    b->count = 0;
    return true;
}

bool tg_jpeg_scan(tg_Jpeg *j) {
    const uint8_t *bytes = j->file->bytes;
    j->bits = (tg_JpegBits){.at = bytes + j->at, .next_ff = bytes + j->at, .end = bytes + j->file->size};
    j->end_of_band = 0;
    j->next_restart = 0;
    j->is_out_of_data = false;
    for (int i = 0; i < j->scan_count; i++) j->component[j->scan[i]].predicted = 0;
    tg_JpegComponent *only = j->scan_count == 1 ? &j->component[j->scan[0]] : NULL;
    const int64_t columns = only ? only->blocks : j->mcus, rows = only ? only->block_rows : j->mcu_rows;
    int64_t left = j->restart_interval;
    for (int64_t y = 0; y < rows; y++)
        for (int64_t x = 0; x < columns; x++) {
            if (j->restart_interval && left-- == 0) {
                if (!restart(j)) return false;
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
