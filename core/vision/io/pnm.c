/* core/vision/io/pnm.c: Netpbm's files: P1 to P3 in decimal numbers, P4 to P6 in bytes; bitmaps, gray and colours. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/autograd/autograd.h"
#include "core/vision/io/image_internal.h"

typedef struct Reader {
    const tg_ImageFile *file;
    size_t at;
} Reader;

static bool broken(const Reader *r, size_t at, const char *reason) {
    return tg_fail("%s, byte %zu: %s", r->file->name, at, reason);
}

static bool is_space(uint8_t c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* White space and comments, which begin with # and end with the line. */
static void skip_space(Reader *r) {
    const uint8_t *bytes = r->file->bytes;
    while (r->at < r->file->size && (is_space(bytes[r->at]) || bytes[r->at] == '#')) {
        if (bytes[r->at] == '#')
            while (r->at < r->file->size && bytes[r->at] != '\n' && bytes[r->at] != '\r') r->at++;
        else
            r->at++;
    }
}

static bool read_number(Reader *r, const char *what, int64_t most, int64_t *number) {
    skip_space(r);
    const size_t begin = r->at;
    for (*number = 0; r->at < r->file->size && r->file->bytes[r->at] >= '0' && r->file->bytes[r->at] <= '9'; r->at++) {
        *number = 10 * *number + (r->file->bytes[r->at] - '0');
        if (*number > most) return tg_fail("%s, byte %zu: %s is more than %" PRId64, r->file->name, begin, what, most);
    }
    if (r->at > begin) return true;
    return tg_fail("%s, byte %zu: %s is missing%s", r->file->name, begin, what,
                   begin == r->file->size ? ": the file is truncated" : "");
}

typedef struct Header {
    int kind; /* 1 to 6 */
    int64_t width, height, most;
} Header;

static bool read_header(Reader *r, Header *h) {
    enum { LARGEST = 0x7fffffff };
    h->kind = r->file->bytes[1] - '0';
    h->most = 1;
    r->at = 2;
    if (!read_number(r, "the width", LARGEST, &h->width) || !read_number(r, "the height", LARGEST, &h->height) ||
        (h->kind != 1 && h->kind != 4 && !read_number(r, "the largest value", 65535, &h->most)))
        return false;
    if (h->width == 0 || h->height == 0 || h->most == 0)
        return broken(r, 2, "the width, the height or the largest value is 0");
    if (h->kind < 4) return true;
    if (r->at == r->file->size || !is_space(r->file->bytes[r->at]))
        return broken(r, r->at, "white space must be between the header and the pixels");
    r->at++;
    return true;
}

/* A row of values as Pillow scales them, to 255 or 65535 as the largest. */
static bool read_row(Reader *r, const Header *h, int64_t count, int top, uint16_t *to) {
    const uint8_t *bytes = r->file->bytes + r->at;
    const double scale = top;
    for (int64_t i = 0; i < count; i++) {
        int64_t value;
        if (h->kind == 1) { /* a digit a pixel, with or without space between them */
            skip_space(r);
            if (r->at == r->file->size) return broken(r, r->at, "the file is truncated: a pixel is missing");
            value = r->file->bytes[r->at++] - '0';
            if (value != 0 && value != 1) return broken(r, r->at - 1, "a pixel of a bitmap must be 0 or 1");
        } else if (h->kind < 4) {
            if (!read_number(r, "a value", h->most, &value)) return false;
        } else {
            value = h->kind == 4    ? bytes[i / 8] >> (7 - i % 8) & 1
                    : h->most > 255 ? bytes[2 * i] << 8 | bytes[2 * i + 1]
                                    : bytes[i];
        }
        if (h->kind == 1 || h->kind == 4) value = 1 - value; /* 1 is black */
        if (value > h->most) value = h->most;
        to[i] = h->most == top ? (uint16_t)value : (uint16_t)nearbyint((double)value / (double)h->most * scale);
    }
    return true;
}

static size_t row_bytes(const Header *h, int64_t count) {
    return h->kind < 4 ? 0 : h->kind == 4 ? (size_t)(count + 7) / 8 : (size_t)count * (h->most > 255 ? 2 : 1);
}

bool tg_pnm_is(const uint8_t *bytes, size_t size) {
    return size >= 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
           (is_space(bytes[2]) || bytes[2] == '#');
}

/* The file must be as long as its pixels, so that it explains the memory they take: a value takes half a byte at least,
 * a pixel of P1 one, of P4 an eighth. */
static bool check_size(const Reader *r, const Header *h, int channels) {
    const uint64_t left = r->file->size - r->at, row = (uint64_t)h->width * (uint64_t)channels;
    const uint64_t bytes = h->kind < 4 ? row : row_bytes(h, (int64_t)row), rows = (uint64_t)h->height;
    return bytes <= left && rows <= left / bytes ? true
                                                 : tg_fail("%s, byte %zu: the file is truncated: %" PRId64 " x %" PRId64
                                                           " pixels do not fit into %" PRIu64 " bytes",
                                                           r->file->name, r->at, h->width, h->height, left) != NULL;
}

Tensor *tg_pnm_decode(const tg_ImageFile *file, const io_ImageOptions *options) {
    Reader r = {file, 0};
    Header h;
    tg_Image pixels;
    if (!tg_pnm_is(file->bytes, file->size)) return broken(&r, 0, "it does not begin like a Netpbm file"), NULL;
    if (!read_header(&r, &h)) return NULL;
    const int channels = h.kind % 3 == 0 ? 3 : 1, top = h.most > 255 ? 65535 : 255;
    if (!check_size(&r, &h, channels)) return NULL;
    const int64_t count = h.width * channels;
    const size_t bytes = row_bytes(&h, count), size = (size_t)count * sizeof(uint16_t);
    uint16_t *samples = tg_alloc_raw(size);
    if (!samples || !tg_image_begin(&pixels, h.width, h.height, channels, top, options->mode)) {
        tg_free(samples, size);
        return NULL;
    }
    bool ok = true;
    for (int64_t y = 0; ok && y < h.height; y++, r.at += bytes) {
        ok = read_row(&r, &h, count, top, samples);
        if (ok) tg_image_put(&pixels, y, 0, 1, h.width, samples);
    }
    tg_free(samples, size);
    return tg_image_end(&pixels, ok);
}

/* ---- writing ---- */

bool tg_pnm_write(tg_Output *out, const Tensor *image) {
    const int64_t channels = image->shape[0], height = image->shape[1], width = image->shape[2];
    const bool is_wide = image->dtype == t_int32;
    tg_output_print(out, "P%c\n%" PRId64 " %" PRId64 "\n%d\n", channels == 1 ? '5' : '6', width, height,
                    is_wide ? 65535 : 255);
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++)
            for (int64_t c = 0; c < channels; c++) {
                const int64_t at =
                    image->offset + c * image->strides[0] + y * image->strides[1] + x * image->strides[2];
                if (!is_wide) {
                    tg_output_write(out, image->storage->data + at, 1);
                    continue;
                }
                int32_t value = ((const int32_t *)(const void *)image->storage->data)[at];
                value = value < 0 ? 0 : value > 65535 ? 65535 : value;
                tg_output_write(out, (const uint8_t[]){(uint8_t)(value >> 8), (uint8_t)value}, 2);
            }
    return !out->failed;
}
