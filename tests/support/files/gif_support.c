/* tests/support/files/gif_support.c: reads what gif_encode.c writes, and nothing else. */
#include "tests/support/files/gif_support.h"

#include <stdlib.h>
#include <string.h>

typedef struct Reader {
    const uint8_t *at, *end;
    const char *wrong; /* NULL: nothing yet */
} Reader;

static void demand(Reader *r, bool holds, const char *what) {
    if (!holds && !r->wrong) r->wrong = what;
}

static int get(Reader *r) {
    demand(r, r->at < r->end, "the file has ended");
    return r->wrong ? 0 : *r->at++;
}
static int get16(Reader *r) {
    const int low = get(r);
    return low | get(r) << 8;
}

static bool skip(Reader *r, size_t count) {
    demand(r, (size_t)(r->end - r->at) >= count, "the file has ended");
    if (!r->wrong) r->at += count;
    return !r->wrong;
}

/* The bytes of sub-blocks, up to the empty one, to `to`, which has room for the whole file. */
static size_t get_blocks(Reader *r, uint8_t *to) {
    size_t count = 0;
    for (int size; (size = get(r)) != 0;)
        while (size--) to[count++] = (uint8_t)get(r);
    return count;
}

/* GIF89a, appendix F: each code adds the code before it with the first index of this one to the table. */
static void get_indices(Reader *r, const uint8_t *codes, size_t bytes, int depth, uint8_t *to, size_t count) {
    enum { MOST = 4096 };
    static uint16_t before[MOST], length[MOST];
    static uint8_t last[MOST];
    const int clear = 1 << depth;
    int size = depth + 1, next = clear + 2, previous = -1;
    size_t done = 0, bit = 0;
    while (!r->wrong) {
        int code = 0;
        demand(r, bit + (size_t)size <= 8 * bytes, "the codes have ended");
        for (int i = 0; !r->wrong && i < size; i++, bit++) code |= (codes[bit / 8] >> bit % 8 & 1) << i;
        if (r->wrong || code == clear + 1) break;
        if (code == clear) {
            size = depth + 1;
            next = clear + 2;
            previous = -1;
            continue;
        }
        for (int i = 0; i < clear && previous < 0; i++) length[i] = 1, last[i] = (uint8_t)i;
        demand(r, code < clear || (code > clear + 1 && (code < next || (code == next && previous >= 0))),
               "a code that is none");
        int of = code == next ? previous : code;
        const size_t n = r->wrong ? 0 : length[of] + (size_t)(code == next);
        demand(r, done + n <= count, "more pixels than the frame has");
        if (r->wrong) break;
        for (size_t k = length[of]; k-- > 0; of = before[of]) to[done + k] = last[of];
        if (code == next) to[done + n - 1] = to[done];
        if (previous >= 0 && next < MOST) {
            before[next] = (uint16_t)previous;
            length[next] = (uint16_t)(length[previous] + 1);
            last[next++] = to[done];
            if (next == 1 << size && size < 12) size++;
        }
        previous = code;
        done += n;
    }
    demand(r, done == count, "fewer pixels than the frame has");
    demand(r, 8 * bytes - bit < 8, "a byte is left after the codes");
}

static void get_frame(Reader *r, const tg_GifFrames *f, uint8_t *codes, uint8_t *indices, uint8_t *rgb) {
    const size_t count = (size_t)(f->width * f->height);
    demand(r, get16(r) == 0 && get16(r) == 0 && get16(r) == f->width && get16(r) == f->height, "another frame's size");
    const int flags = get(r);
    const uint8_t *colors = r->at;
    demand(r, (flags & 0xf8) == 0x80, "no colours of the frame");
    skip(r, (size_t)3 << ((flags & 7) + 1));
    const int depth = get(r);
    demand(r, depth == (flags & 7) + 1, "codes of another size than the colours'");
    const size_t bytes = get_blocks(r, codes);
    if (!r->wrong) get_indices(r, codes, bytes, depth, indices, count);
    for (size_t i = 0; !r->wrong && i < count; i++) memcpy(rgb + 3 * i, colors + 3 * indices[i], 3);
}

static void get_extension(Reader *r, int hundredths, uint8_t *codes) {
    if (get(r) == 0xf9) {
        demand(r, get(r) == 4, "another size of a graphic control");
        get(r);
        demand(r, get16(r) == hundredths, "another time between frames");
        get(r);
    } else {
        demand(r, get(r) == 11 && r->end - r->at >= 11 && memcmp(r->at, "NETSCAPE2.0", 11) == 0, "not repeated");
        skip(r, 11);
    }
    get_blocks(r, codes);
}

uint8_t *gif_decode(const tg_Bytes *file, const tg_GifFrames *f, int hundredths, const char **wrong) {
    const size_t count = (size_t)(f->width * f->height);
    uint8_t *rgb = malloc(3 * count * (size_t)f->count), *indices = malloc(count), *codes = malloc(file->count);
    Reader reader = {file->at, file->at + file->count, NULL}, *r = &reader;
    demand(r, rgb && indices && codes, "out of memory");
    demand(r, file->count >= 6 && memcmp(r->at, "GIF89a", 6) == 0, "another header");
    skip(r, 6);
    demand(r, get16(r) == f->width && get16(r) == f->height, "another size");
    demand(r, (get(r) & 0x80) == 0, "there is a table of all frames");
    skip(r, 2);
    int64_t frame = 0;
    for (int kind; !r->wrong && (kind = get(r)) != 0x3b;) {
        demand(r, kind == 0x21 || kind == 0x2c, "another kind of block");
        demand(r, kind == 0x21 || frame < f->count, "more frames");
        if (r->wrong) break;
        if (kind == 0x21)
            get_extension(r, hundredths, codes);
        else
            get_frame(r, f, codes, indices, rgb + 3 * count * (size_t)frame++);
    }
    demand(r, frame == f->count, "fewer frames");
    demand(r, r->at == r->end, "bytes after the end");
    free(indices);
    free(codes);
    if (r->wrong) free(rgb);
    *wrong = r->wrong;
    return r->wrong ? NULL : rgb;
}
