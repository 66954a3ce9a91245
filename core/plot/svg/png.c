/* core/plot/svg/png.c: an image as PNG (RFC 2083) with a palette, each pixel repeated to a block.
 *
 * Blocks keep their sharp edges in viewers that smooth images. Filtering turns repeated pixels into zeros, and the
 * compression (RFC 1951, fixed Huffman codes, matches at distance 1 only) encodes runs of zeros. */
#include "core/plot/svg/svg.h"

typedef struct Writer {
    uint8_t *at;
    uint32_t crc;          /* CRC-32 of the chunk */
    uint32_t sum_a, sum_b; /* Adler-32 of the data */
    uint32_t bits;         /* bits of an incomplete byte, the first one lowest */
    int bit_count;
    int64_t run;           /* bytes equal to `last` that are not yet written */
    int last;              /* -1 at the start */
} Writer;

/* ---- chunks ---- */

static void put(Writer *w, uint8_t byte) {
    w->crc ^= byte;
    for (int bit = 0; bit < 8; bit++) w->crc = w->crc >> 1 ^ (w->crc & 1 ? 0xEDB88320u : 0);
    *w->at++ = byte;
}

static void put32(Writer *w, uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) put(w, (uint8_t)(value >> shift));
}

/* Returns the position of the chunk's length, which end_chunk sets. */
static uint8_t *begin_chunk(Writer *w, const char *name) {
    uint8_t *length = w->at;
    w->at += 4;
    w->crc = 0xFFFFFFFFu;
    for (int i = 0; i < 4; i++) put(w, (uint8_t)name[i]);
    return length;
}

static void end_chunk(Writer *w, uint8_t *length) {
    uint32_t bytes = (uint32_t)(w->at - length - 8);
    put32(w, ~w->crc);
    for (int i = 0; i < 4; i++) length[i] = (uint8_t)(bytes >> (24 - 8 * i));
}

/* ---- compression ---- */

static void put_bits(Writer *w, uint32_t value, int count) {
    w->bits |= value << w->bit_count;
    for (w->bit_count += count; w->bit_count >= 8; w->bit_count -= 8, w->bits >>= 8) put(w, (uint8_t)w->bits);
}

/* The fixed code of a literal or a length; its highest bit comes first. */
static void put_code(Writer *w, int symbol) {
    static const struct {
        int until, length, code; /* symbols below, bits of their codes, the first one's code less the first one */
    } ranges[] = {{144, 8, 0x30}, {256, 9, 0x190 - 144}, {280, 7, -256}, {288, 8, 0xC0 - 280}};
    int range = 0;
    while (symbol >= ranges[range].until) range++;
    uint32_t code = (uint32_t)(ranges[range].code + symbol);
    for (int bit = ranges[range].length - 1; bit >= 0; bit--) put_bits(w, code >> bit & 1, 1);
}

/* `length` (3 to 258) repetitions of the previous byte. */
static void put_match(Writer *w, int length) {
    enum { CODES = 29 };
    static const short bases[CODES] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                       31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    int which = CODES - 1, extra;
    while (bases[which] > length) which--;
    extra = which < 8 || which == CODES - 1 ? 0 : which / 4 - 1;
    put_code(w, 257 + which);
    put_bits(w, (uint32_t)(length - bases[which]), extra);
    put_bits(w, 0, 5); /* distance 1 */
}

static void end_run(Writer *w) {
    enum { LONGEST_RUN = 258, SHORTEST_RUN = 3 };
    while (w->run > 0) {
        int length = w->run > LONGEST_RUN ? LONGEST_RUN : (int)w->run;
        if (length >= SHORTEST_RUN) put_match(w, length);
        for (int i = 0; length < SHORTEST_RUN && i < length; i++) put_code(w, w->last);
        w->run -= length;
    }
}

static void put_data(Writer *w, uint8_t byte) {
    w->sum_a = (w->sum_a + byte) % 65521;
    w->sum_b = (w->sum_b + w->sum_a) % 65521;
    if (byte == w->last) {
        w->run++;
        return;
    }
    end_run(w);
    put_code(w, byte);
    w->last = byte;
}

/* ---- the image ---- */

/* A row has the differences to the left pixels (filter 1); its repetitions those to the row above (filter 2), all
 * zero. */
static void put_pixels(Writer *w, const PaletteImage *p) {
    w->sum_a = 1;
    w->last = -1;
    put(w, 0x78);
    put(w, 0x01);
    put_bits(w, 3, 3); /* the last block, in the fixed code */
    for (int64_t y = 0; y < p->rows * p->block_height; y++) {
        const uint8_t *row = p->pixels + y / p->block_height * p->columns;
        bool again = y % p->block_height != 0;
        put_data(w, again ? 2 : 1);
        for (int64_t c = 0; c < p->columns; c++)
            for (int64_t k = 0; k < p->block_width; k++)
                put_data(w, again || k > 0 ? 0 : (uint8_t)(row[c] - (c > 0 ? row[c - 1] : 0)));
    }
    end_run(w);
    put_code(w, 256);
    if (w->bit_count > 0) put_bits(w, 0, 8 - w->bit_count);
    put32(w, w->sum_b << 16 | w->sum_a);
}

uint8_t *tg_png_encode(const PaletteImage *p, size_t *bytes, size_t *capacity) {
    enum { COLORS = 256, OTHER_CHUNKS = 4 * COLORS + 200 };
    double width = (double)(p->columns * p->block_width), height = (double)(p->rows * p->block_height);
    if (width * height > 1e9)
        return tg_fail("an image of %lld x %lld is too large", (long long)p->rows, (long long)p->columns);
    *capacity = (size_t)((width + 1) * height * 9 / 8) + OTHER_CHUNKS; /* a byte takes at most 9 bits */
    uint8_t *png = tg_alloc_raw(*capacity), *chunk;
    if (!png) return NULL;
    Writer w = {.at = png};
    for (int i = 0; i < 8; i++) put(&w, (uint8_t)"\x89PNG\r\n\x1a\n"[i]);
    chunk = begin_chunk(&w, "IHDR");
    put32(&w, (uint32_t)width);
    put32(&w, (uint32_t)height);
    for (int i = 0; i < 5; i++) put(&w, (uint8_t)"\x08\x03\0\0\0"[i]); /* 8 bits a pixel, palette */
    end_chunk(&w, chunk);
    chunk = begin_chunk(&w, "PLTE");
    for (int i = 0; i < COLORS; i++)
        for (int k = 0; k < 3; k++) put(&w, p->palette[i][k]);
    end_chunk(&w, chunk);
    chunk = begin_chunk(&w, "tRNS");
    for (int i = 0; i < COLORS; i++) put(&w, p->palette[i][3]);
    end_chunk(&w, chunk);
    chunk = begin_chunk(&w, "IDAT");
    put_pixels(&w, p);
    end_chunk(&w, chunk);
    end_chunk(&w, begin_chunk(&w, "IEND"));
    *bytes = (size_t)(w.at - png);
    return png;
}
