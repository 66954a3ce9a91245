/* core/vision/io/gif_encode.c: animated GIF files, by the GIF89a specification (CompuServe, 1990); colours by median
 * cut (Heckbert, "Color image quantization for frame buffer display", 1982). */
#include "core/vision/io/gif_encode.h"

#include <math.h>
#include <string.h>

#include "core/tensor/tensor.h"

/* ---- bytes ---- */

static bool put(tg_Bytes *to, const void *bytes, size_t count) {
    if (to->capacity - to->count < count && !tg_bytes_reserve(to, 2 * to->capacity + count)) return false;
    memcpy(to->at + to->count, bytes, count);
    to->count += count;
    return true;
}
static bool put_byte(tg_Bytes *to, int byte) {
    const uint8_t value = (uint8_t)byte;
    return put(to, &value, 1);
}
static bool put_uint16(tg_Bytes *to, int64_t value) {
    return put_byte(to, (int)(value & 255)) && put_byte(to, (int)(value >> 8));
}

/* ---- colours ---- */

enum { MOST_COLORS = 256, EXACT_SLOTS = 1024, LEVELS = 32, BINS = LEVELS * LEVELS * LEVELS };

typedef struct Palette {
    int count;
    uint8_t colors[MOST_COLORS][3];
    uint8_t *indices; /* of the pixels of a frame */
    /* exact: a hash table of colours, 0: none, else the colour's 24 bits + 1 */
    uint32_t slots[EXACT_SLOTS];
    uint8_t slot_index[EXACT_SLOTS];
    /* by median cut: for each bin of 5 bits a channel, the number of pixels, their sums, and the colour */
    uint32_t bin_count[BINS];
    uint64_t bin_sum[BINS][3];
    uint8_t bin_color[BINS];
    uint16_t order[BINS], sorted[BINS]; /* the bins that have pixels, those of a box one after the other */
} Palette;

static const uint8_t *pixel_of(const uint8_t *frame, int channels, int64_t i, uint8_t rgb[3]) {
    if (channels == 3) return frame + 3 * i;
    rgb[0] = rgb[1] = rgb[2] = frame[i];
    return rgb;
}

/* False: there are more than 256 colours. */
static bool exact_colors(Palette *p, const uint8_t *frame, int64_t count, int channels) {
    uint8_t rgb[3];
    memset(p->slots, 0, sizeof p->slots);
    p->count = 0;
    for (int64_t i = 0; i < count; i++) {
        const uint8_t *c = pixel_of(frame, channels, i, rgb);
        const uint32_t key = ((uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2]) + 1;
        uint32_t slot = (key * 2654435761u) >> 22;
        while (p->slots[slot] && p->slots[slot] != key) slot = (slot + 1) % EXACT_SLOTS;
        if (!p->slots[slot]) {
            if (p->count == MOST_COLORS) return false;
            p->slots[slot] = key;
            p->slot_index[slot] = (uint8_t)p->count;
            memcpy(p->colors[p->count++], c, 3);
        }
        p->indices[i] = p->slot_index[slot];
    }
    return true;
}

/* Bins order[first] to order[end - 1]. */
typedef struct ColorBox {
    int first, end, channel, range; /* range: of the longest channel */
    uint64_t pixels;
} ColorBox;

static int level(uint16_t bin, int channel) {
    return bin >> (10 - 5 * channel) & (LEVELS - 1);
}

static void measure(const Palette *p, ColorBox *box) {
    box->range = -1;
    box->pixels = 0;
    for (int k = 0; k < 3; k++) {
        int low = LEVELS, high = -1;
        for (int i = box->first; i < box->end; i++) {
            const int at = level(p->order[i], k);
            if (at < low) low = at;
            if (at > high) high = at;
        }
        if (high - low > box->range) {
            box->range = high - low;
            box->channel = k;
        }
    }
    for (int i = box->first; i < box->end; i++) box->pixels += p->bin_count[p->order[i]];
}

/* Sorts the bins of the box by its longest channel and cuts it where half of the pixels are: it keeps the first part,
 * and the other one is returned. */
static ColorBox cut(Palette *p, ColorBox *box) {
    int starts[LEVELS + 1] = {0};
    for (int i = box->first; i < box->end; i++) starts[level(p->order[i], box->channel) + 1]++;
    for (int l = 0; l < LEVELS; l++) starts[l + 1] += starts[l];
    for (int i = box->first; i < box->end; i++)
        p->sorted[box->first + starts[level(p->order[i], box->channel)]++] = p->order[i];
    memcpy(p->order + box->first, p->sorted + box->first, (size_t)(box->end - box->first) * sizeof *p->order);
    uint64_t before = 0;
    int middle = box->first;
    while (middle < box->end - 1 && (middle == box->first || 2 * before < box->pixels))
        before += p->bin_count[p->order[middle++]];
    ColorBox rest = {.first = middle, .end = box->end};
    box->end = middle;
    measure(p, box);
    measure(p, &rest);
    return rest;
}

static uint16_t bin_of(const uint8_t c[3]) {
    return (uint16_t)((c[0] >> 3) << 10 | (c[1] >> 3) << 5 | c[2] >> 3);
}

static void cut_colors(Palette *p, const uint8_t *frame, int64_t count, int channels) {
    uint8_t rgb[3];
    ColorBox boxes[MOST_COLORS];
    memset(p->bin_count, 0, sizeof p->bin_count);
    memset(p->bin_sum, 0, sizeof p->bin_sum);
    for (int64_t i = 0; i < count; i++) {
        const uint8_t *c = pixel_of(frame, channels, i, rgb);
        const uint16_t bin = bin_of(c);
        p->bin_count[bin]++;
        for (int k = 0; k < 3; k++) p->bin_sum[bin][k] += c[k];
    }
    boxes[0] = (ColorBox){0};
    for (int bin = 0; bin < BINS; bin++)
        if (p->bin_count[bin]) p->order[boxes[0].end++] = (uint16_t)bin;
    measure(p, &boxes[0]);
    for (p->count = 1; p->count < MOST_COLORS; p->count++) {
        ColorBox *most = NULL; /* of those that can be cut, the one with the most pixels times its range */
        for (int i = 0; i < p->count; i++)
            if (boxes[i].end - boxes[i].first > 1 &&
                (!most || boxes[i].pixels * (uint64_t)boxes[i].range > most->pixels * (uint64_t)most->range))
                most = &boxes[i];
        if (!most) break;
        boxes[p->count] = cut(p, most);
    }
    for (int b = 0; b < p->count; b++) {
        uint64_t sums[3] = {0};
        for (int i = boxes[b].first; i < boxes[b].end; i++) {
            p->bin_color[p->order[i]] = (uint8_t)b;
            for (int k = 0; k < 3; k++) sums[k] += p->bin_sum[p->order[i]][k];
        }
        for (int k = 0; k < 3; k++) p->colors[b][k] = (uint8_t)((sums[k] + boxes[b].pixels / 2) / boxes[b].pixels);
    }
    for (int64_t i = 0; i < count; i++) p->indices[i] = p->bin_color[bin_of(pixel_of(frame, channels, i, rgb))];
}

/* ---- LZW with codes of variable size ---- */

enum { MOST_CODES = 4096, CODE_SLOTS = 8192, BLOCK = 255 };

typedef struct CodeWriter {
    tg_Bytes *to;
    uint32_t bits;
    int bit_count, size; /* size of a code */
    uint8_t block[BLOCK];
    int used;
    uint32_t keys[CODE_SLOTS]; /* the code before and the next index, plus 1; 0: none */
    uint16_t codes[CODE_SLOTS];
} CodeWriter;

static bool put_block(CodeWriter *w) {
    const bool ok = w->used == 0 || (put_byte(w->to, w->used) && put(w->to, w->block, (size_t)w->used));
    w->used = 0;
    return ok;
}

static bool put_code(CodeWriter *w, int code) {
    w->bits |= (uint32_t)code << w->bit_count;
    for (w->bit_count += w->size; w->bit_count >= 8; w->bit_count -= 8, w->bits >>= 8) {
        w->block[w->used++] = (uint8_t)w->bits;
        if (w->used == BLOCK && !put_block(w)) return false;
    }
    return true;
}

/* The slot of the pair, which is empty if it has no code yet. */
static uint32_t *find_code(CodeWriter *w, uint32_t key) {
    uint32_t at = (key * 2654435761u) >> 19;
    while (w->keys[at] && w->keys[at] != key) at = (at + 1) % CODE_SLOTS;
    return &w->keys[at];
}

static bool put_indices(CodeWriter *w, const uint8_t *indices, int64_t count, int depth) {
    const int clear = 1 << depth;
    int next = clear + 2, code = indices[0];
    w->bits = 0;
    w->bit_count = w->used = 0;
    w->size = depth + 1;
    memset(w->keys, 0, sizeof w->keys);
    bool ok = put_byte(w->to, depth) && put_code(w, clear);
    for (int64_t i = 1; ok && i < count; i++) {
        const uint32_t key = ((uint32_t)code << 8 | indices[i]) + 1;
        uint32_t *slot = find_code(w, key);
        if (*slot) {
            code = w->codes[slot - w->keys];
            continue;
        }
        ok = put_code(w, code);
        code = indices[i];
        if (next < MOST_CODES) {
            *slot = key;
            w->codes[slot - w->keys] = (uint16_t)next;
            if (next++ == 1 << w->size) w->size++; /* a reader has the code one step later */
        } else {
            ok = ok && put_code(w, clear);
            memset(w->keys, 0, sizeof w->keys);
            next = clear + 2;
            w->size = depth + 1;
        }
    }
    ok = ok && put_code(w, code);
    if (next == 1 << w->size && w->size < 12) w->size++;
    ok = ok && put_code(w, clear + 1);
    if (ok && w->bit_count) w->block[w->used++] = (uint8_t)w->bits;
    return ok && put_block(w) && put_byte(w->to, 0);
}

/* ---- the file ---- */

static bool put_frame(const tg_GifFrames *f, int64_t i, int64_t delay, Palette *p, CodeWriter *w) {
    const int64_t count = f->height * f->width;
    const uint8_t *frame = f->pixels + i * count * f->channels;
    if (!exact_colors(p, frame, count, f->channels)) cut_colors(p, frame, count, f->channels);
    int depth = 2; /* of the table: 2^depth colours */
    while (1 << depth < p->count) depth++;
    memset(p->colors + p->count, 0, (size_t)(MOST_COLORS - p->count) * 3);
    tg_Bytes *to = w->to;
    return put(to, "\x21\xf9\x04\x04", 4) && put_uint16(to, delay) && put(to, "\0\0", 2) && /* graphic control */
           put_byte(to, 0x2c) && put(to, "\0\0\0\0", 4) && put_uint16(to, f->width) && put_uint16(to, f->height) &&
           put_byte(to, 0x80 | (depth - 1)) && put(to, p->colors, (size_t)3 << depth) &&
           put_indices(w, p->indices, count, depth);
}

bool tg_gif_pack(const tg_GifFrames *f, tg_Bytes *to) {
    enum { MOST = 65535 };
    if (f->count < 1 || f->height < 1 || f->width < 1 || f->height > MOST || f->width > MOST)
        return tg_fail("a GIF of %lld frames of %lld x %lld pixels cannot be written", (long long)f->count,
                       (long long)f->height, (long long)f->width);
    const double delay = floor(100 / f->fps + 0.5); /* in hundredths of a second */
    if (!(f->fps > 0) || delay > MOST) return tg_fail("%g frames a second are too few for a GIF", f->fps);
    const size_t count = (size_t)(f->height * f->width);
    Palette *palette = tg_alloc_raw(sizeof *palette);
    CodeWriter *writer = palette ? tg_alloc_raw(sizeof *writer) : NULL;
    uint8_t *indices = writer ? tg_alloc_raw(count) : NULL;
    bool ok = indices && put(to, "GIF89a", 6) && put_uint16(to, f->width) && put_uint16(to, f->height) &&
              put(to, "\x70\0\0", 3) && put(to, "\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 19);
    if (ok) {
        palette->indices = indices;
        writer->to = to;
    }
    for (int64_t i = 0; ok && i < f->count; i++) ok = put_frame(f, i, (int64_t)delay, palette, writer);
    ok = ok && put_byte(to, 0x3b);
    tg_free(indices, count);
    tg_free(writer, sizeof *writer);
    tg_free(palette, sizeof *palette);
    return ok;
}
