/* core/vision/io/png_encode.c: writes PNG files (RFC 2083) of 8 bits a sample, or with a palette. */
#include <math.h>
#include <string.h>

#include "core/io/zlib/zlib.h"
#include "core/vision/io/image_internal.h"
#include "core/vision/io/png_filter.h"

static void put32(uint8_t *to, uint32_t x) {
    for (int i = 0; i < 4; i++) to[i] = (uint8_t)(x >> (24 - 8 * i));
}

/* A chunk's data are appended to `to` between begin_chunk and end_chunk. There is room for all but the image data. */
static size_t begin_chunk(tg_Bytes *to, const char *name) {
    memset(to->at + to->count, 0, 4);
    memcpy(to->at + to->count + 4, name, 4);
    to->count += 8;
    return to->count;
}

static void put_data(tg_Bytes *to, const void *data, size_t size) {
    memcpy(to->at + to->count, data, size);
    to->count += size;
}

static bool end_chunk(tg_Bytes *to, size_t begin) {
    const size_t size = to->count - begin;
    if (size > 0x7fffffff) return tg_fail("the image is too large for PNG: its data take %zu bytes", size);
    put32(to->at + begin - 8, (uint32_t)size);
    put32(to->at + to->count, tg_crc32(0, to->at + begin - 4, size + 4));
    to->count += 4;
    return true;
}

/* ---- rows ---- */

/* The sum of the bytes' absolute values as signed numbers: the smaller, the better the row can be packed. */
static uint64_t sum_of(const uint8_t *row, size_t n) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += (uint64_t)(row[i] < 128 ? row[i] : 256 - row[i]);
    return sum;
}

/* Each row with the filter whose sum is the smallest; indices of a palette are not filtered, but rows that repeat the
 * one above are. */
static void filter_rows(const tg_Pixels *p, uint8_t *to, uint8_t *tried, const uint8_t *zeros) {
    const size_t n = (size_t)(p->width * p->channels), step = (size_t)p->channels;
    const uint8_t *above = zeros;
    for (int64_t y = 0; y < p->height; y++, to += n + 1) {
        const uint8_t *row = p->at + y * p->row_stride;
        uint64_t least = UINT64_MAX;
        for (int filter = 0; filter < TG_PNG_FILTERS; filter++) {
            if (p->palette && filter != (y > 0 && memcmp(row, above, n) == 0 ? 2 : 0)) continue;
            tg_png_filter(filter, tried, row, above, n, step);
            const uint64_t sum = sum_of(tried, n);
            if (sum >= least) continue;
            least = sum;
            to[0] = (uint8_t)filter;
            memcpy(to + 1, tried, n);
        }
        above = row;
    }
}

static bool pack_rows(const tg_Pixels *p, int level, tg_Bytes *to) {
    const size_t n = (size_t)(p->width * p->channels), size = (n + 1) * (size_t)p->height;
    uint8_t *rows = tg_alloc_raw(size), *tried = rows ? tg_alloc_raw(n) : NULL, *zeros = tried ? tg_alloc(n) : NULL;
    if (zeros) filter_rows(p, rows, tried, zeros);
    const bool ok = zeros && tg_zlib_pack(rows, size, level, to);
    tg_free(rows, size);
    tg_free(tried, n);
    tg_free(zeros, n);
    return ok;
}

/* ---- chunks ---- */

static bool put_header(const tg_Pixels *p, tg_Bytes *to) {
    static const uint8_t types[] = {0, 0, 4, 2, 6};
    uint8_t header[13] = {[8] = 8, [9] = p->palette ? 3 : types[p->channels]};
    put32(header, (uint32_t)p->width);
    put32(header + 4, (uint32_t)p->height);
    put_data(to, "\x89PNG\r\n\x1a\n", 8);
    const size_t begin = begin_chunk(to, "IHDR");
    put_data(to, header, sizeof header);
    return end_chunk(to, begin);
}

enum { COLORS = 256 };

static bool put_palette(const tg_Pixels *p, tg_Bytes *to) {
    size_t begin = begin_chunk(to, "PLTE");
    for (int i = 0; i < COLORS; i++) put_data(to, p->palette[i], 3);
    if (!end_chunk(to, begin)) return false;
    begin = begin_chunk(to, "tRNS");
    for (int i = 0; i < COLORS; i++) put_data(to, &p->palette[i][3], 1);
    return end_chunk(to, begin);
}

static bool put_density(const tg_Pixels *p, tg_Bytes *to) {
    uint8_t density[9] = {[8] = 1}; /* pixels a metre */
    put32(density, (uint32_t)lround(p->dots_per_inch / 0.0254));
    memcpy(density + 4, density, 4);
    const size_t begin = begin_chunk(to, "pHYs");
    put_data(to, density, sizeof density);
    return end_chunk(to, begin);
}

bool tg_png_pack(const tg_Pixels *p, int level, tg_Bytes *to) {
    enum { HEAD = 8 + 25 + 2 * 12 + 4 * COLORS + 21 + 12, TAIL = 4 + 12, LARGEST = 0x7fffffff };
    if (p->width <= 0 || p->height <= 0 || p->width > LARGEST || p->height > LARGEST)
        return tg_fail("an image of %lld x %lld pixels cannot be written as PNG", (long long)p->width,
                       (long long)p->height);
    if (!tg_bytes_reserve(to, to->count + HEAD + TAIL)) return false;
    if (!put_header(p, to) || (p->palette && !put_palette(p, to)) || (p->dots_per_inch > 0 && !put_density(p, to)))
        return false;
    size_t begin = begin_chunk(to, "IDAT");
    if (!pack_rows(p, level, to) || !tg_bytes_reserve(to, to->count + TAIL) || !end_chunk(to, begin)) return false;
    begin = begin_chunk(to, "IEND");
    return end_chunk(to, begin);
}
