/* core/plot/png.c: an image as PNG, with a palette and without compression (RFC 2083, 1950, 1951). */
#include <string.h>

#include "core/plot/svg.h"

typedef struct Writer {
    uint8_t *at;
    uint32_t crc, sum_a, sum_b; /* CRC-32 of the chunk, Adler-32 of the data */
} Writer;

static void put(Writer *w, uint8_t byte) {
    w->crc ^= byte;
    for (int bit = 0; bit < 8; bit++) w->crc = w->crc >> 1 ^ (w->crc & 1 ? 0xEDB88320u : 0);
    *w->at++ = byte;
}

static void put32(Writer *w, uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) put(w, (uint8_t)(value >> shift));
}

static void put_data(Writer *w, uint8_t byte) {
    put(w, byte);
    w->sum_a = (w->sum_a + byte) % 65521;
    w->sum_b = (w->sum_b + w->sum_a) % 65521;
}

static void begin_chunk(Writer *w, const char *name, size_t bytes) {
    put32(w, (uint32_t)bytes);
    w->crc = 0xFFFFFFFFu;
    for (int i = 0; i < 4; i++) put(w, (uint8_t)name[i]);
}

static void end_chunk(Writer *w) {
    put32(w, ~w->crc);
}

enum { STORED = 65535 }; /* the most bytes of a stored block */

/* Each row begins with the number of its filter, 0 for none. */
static void put_pixels(Writer *w, const uint8_t *pixels, int64_t columns, int64_t rows) {
    size_t left = (size_t)rows * ((size_t)columns + 1), block = 0;
    w->sum_a = 1;
    w->sum_b = 0;
    put(w, 0x78);
    put(w, 0x01);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = -1; c < columns; c++, left--, block--) {
            if (block == 0) {
                block = left < STORED ? left : STORED;
                put(w, left <= STORED);
                put(w, (uint8_t)block), put(w, (uint8_t)(block >> 8));
                put(w, (uint8_t)~block), put(w, (uint8_t)(~block >> 8));
            }
            put_data(w, c < 0 ? 0 : pixels[r * columns + c]);
        }
    put32(w, w->sum_b << 16 | w->sum_a);
}

uint8_t *tg_png(const uint8_t *pixels, int64_t columns, int64_t rows, const uint8_t palette[256][4], size_t *bytes, size_t *room) {
    enum { CHUNK = 12, HEADER = 13, COLORS = 256 };
    size_t data = (size_t)rows * ((size_t)columns + 1), idat = 2 + data + 5 * ((data + STORED - 1) / STORED) + 4;
    *room = 8 + 5 * CHUNK + HEADER + 4 * COLORS + idat;
    if (idat > INT32_MAX) return tg_fail("an image of %lld x %lld is too large", (long long)rows, (long long)columns);
    uint8_t *png = tg_alloc_raw(*room);
    if (!png) return NULL;
    Writer w = {.at = png};
    for (int i = 0; i < 8; i++) put(&w, (uint8_t)"\x89PNG\r\n\x1a\n"[i]);
    begin_chunk(&w, "IHDR", HEADER);
    put32(&w, (uint32_t)columns);
    put32(&w, (uint32_t)rows);
    for (int i = 0; i < 5; i++) put(&w, (uint8_t)"\x08\x03\0\0\0"[i]); /* 8 bits, palette */
    end_chunk(&w);
    begin_chunk(&w, "PLTE", 3 * COLORS);
    for (int i = 0; i < COLORS; i++)
        for (int k = 0; k < 3; k++) put(&w, palette[i][k]);
    end_chunk(&w);
    begin_chunk(&w, "tRNS", COLORS);
    for (int i = 0; i < COLORS; i++) put(&w, palette[i][3]);
    end_chunk(&w);
    begin_chunk(&w, "IDAT", idat);
    put_pixels(&w, pixels, columns, rows);
    end_chunk(&w);
    begin_chunk(&w, "IEND", 0);
    end_chunk(&w);
    *bytes = (size_t)(w.at - png);
    return png;
}
