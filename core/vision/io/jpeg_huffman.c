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

/* F.2.2.1: the value of `count` bits: the upper half is positive. */
static inline int32_t extend(uint32_t value, int count) {
    return count && value < 1u << (count - 1) ? (int32_t)value - (1 << count) + 1 : (int32_t)value;
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
            for (int k = 0; k < 1 << spare; k++)
                table->lookup[(code << spare) + k] = (uint16_t)(length << 8 | values[index]);
        }
        table->largest[length] = counts[length - 1] ? code - 1 : -1;
        code <<= 1;
    }
    table->largest[17] = INT32_MAX;
    return true;
}

void tg_jpeg_make_ac_lookup(tg_JpegTable *table) {
    for (int i = 0; i < 1 << JPEG_LOOKAHEAD; i++) {
        const int length = table->lookup[i] >> 8, run = table->lookup[i] >> 4 & 15, count = table->lookup[i] & 15;
        table->ac[i] = 0;
        if (!length || !count || length + count > JPEG_LOOKAHEAD) continue;
        const uint32_t bits = (uint32_t)i >> (JPEG_LOOKAHEAD - length - count) & ((1u << count) - 1);
        const int32_t value = extend(bits, count);
        if (value >= -128 && value <= 127) table->ac[i] = (int16_t)(value * 256 + run * 16 + length + count);
    }
}

/* ---- bits ---- */

/* Puts bytes into the buffer until it has more than 48 bits, or a marker or the end of the file comes: the bits behind
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
}

/* Eight bytes at once where none of them is 0xff. Those that are put in only in part are put in again later, which sets
 * the same bits. */
static inline void fill(tg_JpegBits *b) {
    uint64_t x;
    if (b->marker) return;
    if (b->end - b->at < 8) {
        fill_slowly(b);
        return;
    }
    memcpy(&x, b->at, 8);
    if ((~x - UINT64_C(0x0101010101010101)) & x & UINT64_C(0x8080808080808080)) { /* a byte of ~x is 0 */
        fill_slowly(b);
        return;
    }
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    b->bits |= x >> b->count;
    b->at += (63 - b->count) >> 3;
    b->count |= 56;
}

static inline uint32_t peek(tg_JpegBits *b, int count) {
    if (b->count < count) fill(b);
    return (uint32_t)(b->bits >> (64 - count));
}
static inline void drop(tg_JpegBits *b, int count) {
    b->bits <<= count;
    b->count -= count;
}
static inline uint32_t take(tg_JpegBits *b, int count) {
    if (count == 0) return 0;
    const uint32_t value = peek(b, count);
    drop(b, count);
    return value;
}

static inline int decode(tg_JpegBits *b, const tg_JpegTable *table) {
    const uint32_t code = peek(b, 16);
    const uint16_t found = table->lookup[code >> (16 - JPEG_LOOKAHEAD)];
    if (found) {
        drop(b, found >> 8);
        return found & 255;
    }
    int length = JPEG_LOOKAHEAD + 1;
    while (length <= 16 && (int32_t)(code >> (16 - length)) > table->largest[length]) length++;
    if (length > 16) { /* no such code: libjpeg takes 0 */
        drop(b, 16);
        return 0;
    }
    drop(b, length);
    return table->values[(uint8_t)((int32_t)(code >> (16 - length)) + table->offset[length])];
}

/* ---- blocks ---- */

/* Returns whether the block has more than its DC value. */
static inline bool decode_sequential(tg_JpegBits *bits, tg_JpegComponent *c, const tg_JpegTable *dc,
                                     const tg_JpegTable *ac, int16_t block[64]) {
    tg_JpegBits b = *bits; /* in registers */
    const int size = decode(&b, dc) & 15;
    c->predicted = (int)((unsigned)c->predicted + (unsigned)extend(take(&b, size), size));
    block[0] = (int16_t)c->predicted;
    bool has_ac = false;
    for (int k = 1; k < 64; k++) {
        const int found = ac->ac[peek(&b, JPEG_LOOKAHEAD)];
        if (found) {
            drop(&b, found & 15);
            k += found >> 4 & 15;
            block[tg_jpeg_zigzag[k]] = (int16_t)(found >> 8);
            has_ac = true;
            continue;
        }
        const int symbol = decode(&b, ac), count = symbol & 15;
        if (count) {
            k += symbol >> 4;
            block[tg_jpeg_zigzag[k]] = (int16_t)extend(take(&b, count), count);
            has_ac = true;
        } else {
            if (symbol != 0xf0) break;
            k += 15;
        }
    }
    *bits = b;
    return has_ac;
}

static void decode_dc_first(tg_Jpeg *j, tg_JpegComponent *c, int16_t block[64]) {
    const int size = decode(&j->bits, &j->dc[c->dc]) & 15;
    c->predicted = (int)((unsigned)c->predicted + (unsigned)extend(take(&j->bits, size), size));
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
    for (int k = j->first; k <= j->last; k++) {
        const int symbol = decode(&j->bits, &j->ac[c->ac]), run = symbol >> 4, count = symbol & 15;
        if (count) {
            k += run;
            block[tg_jpeg_zigzag[k]] = (int16_t)(uint32_t)((uint32_t)extend(take(&j->bits, count), count) << j->low);
        } else {
            if (run != 15) {
                j->end_of_band = (1 << run) + (int64_t)take(&j->bits, run) - 1;
                return;
            }
            k += 15;
        }
    }
}

/* A coefficient that is not 0 gets its next bit. */
static void refine(tg_Jpeg *j, int16_t *x) {
    const int bit = 1 << j->low;
    if (take(&j->bits, 1) && !(*x & bit)) *x = (int16_t)(*x + (*x >= 0 ? bit : -bit));
}

static void decode_ac_refine(tg_Jpeg *j, tg_JpegComponent *c, int16_t block[64]) {
    const int bit = 1 << j->low;
    int k = j->first;
    if (j->end_of_band == 0) {
        for (; k <= j->last; k++) {
            const int symbol = decode(&j->bits, &j->ac[c->ac]);
            int run = symbol >> 4, value = 0;
            if (symbol & 15) {
                value = take(&j->bits, 1) ? bit : -bit;
            } else if (run != 15) {
                j->end_of_band = (1 << run) + (int64_t)take(&j->bits, run);
                break;
            }
            for (; k <= j->last; k++) { /* over `run` zeros; the others are refined */
                int16_t *x = &block[tg_jpeg_zigzag[k]];
                if (*x)
                    refine(j, x);
                else if (run-- == 0)
                    break;
            }
            if (value && k <= j->last) block[tg_jpeg_zigzag[k]] = (int16_t)value;
        }
    }
    if (j->end_of_band > 0) {
        for (; k <= j->last; k++)
            if (block[tg_jpeg_zigzag[k]]) refine(j, &block[tg_jpeg_zigzag[k]]);
        j->end_of_band--;
    }
}

void tg_jpeg_samples(const tg_Jpeg *j, const tg_JpegComponent *c, int64_t x, int64_t y, const int16_t block[64],
                     bool has_ac) {
    const int64_t stride = c->stride * 8;
    uint8_t *to = c->samples + (y * stride + x) * 8;
    if (has_ac) {
        j->kernels->idct(block, c->table, to, stride);
        return;
    }
    const int64_t dc = ((int64_t)block[0] * c->table[0] + 4) >> 3; /* one value, rounded as the transform does */
    const uint8_t value = (uint8_t)(dc < -128 ? 0 : dc > 127 ? 255 : dc + 128);
    for (int i = 0; i < 8; i++) memset(to + i * stride, value, 8);
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
    int16_t block[64] = {0};
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
    *b = (tg_JpegBits){.at = j->is_out_of_data ? at : at + 2, .end = end, .marker = j->is_out_of_data ? marker : 0};
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
    j->bits = (tg_JpegBits){.at = bytes + j->at, .end = bytes + j->file->size};
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
