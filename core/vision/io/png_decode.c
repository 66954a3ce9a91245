/* core/vision/io/png_decode.c: reads PNG files (RFC 2083): chunks, filtered rows, Adam7, palettes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/autograd/autograd.h"
#include "core/io/zlib/zlib.h"
#include "core/vision/io/image_internal.h"
#include "core/vision/io/png_filter.h"

enum { GRAY = 0, RGB = 2, PALETTE = 3, GRAY_ALPHA = 4, RGBA = 6, HAS_COLOR = 2, HAS_ALPHA = 4, COLORS = 256 };
enum { SIGNATURE = 8, LARGEST = 0x7fffffff };

typedef struct Png {
    const tg_ImageFile *file;
    uint32_t width, height;
    int depth, type; /* bits of a sample; colour type */
    bool interlaced;
    int channels; /* samples of a pixel in the file */
    size_t step;  /* bytes of a pixel, at least 1 */
    int colors;   /* in the palette */
    bool has_transparency;
    uint8_t palette[COLORS][4];
    size_t data_at;   /* position of the first IDAT chunk's data, */
    size_t data_size; /* and size of all chunks' data */
    tg_Bytes joined;  /* the data, if there are several chunks */
    int orientation;
} Png;

static bool broken(const Png *png, size_t at, const char *reason) {
    return tg_fail("%s, byte %zu: %s", png->file->name, at, reason);
}

static uint32_t u32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* ---- chunks ---- */

typedef struct Chunk {
    size_t at, size; /* of its data */
    char name[5];
} Chunk;

static bool is_named(const Chunk *chunk, const char *name) {
    return strcmp(chunk->name, name) == 0;
}

static bool is_critical(const Chunk *chunk) {
    return (chunk->name[0] & 32) == 0;
}

/* The chunk at byte `at`: length, name, data and CRC-32. The CRC is checked of those that are used. */
static bool read_chunk(const Png *png, size_t at, Chunk *chunk) {
    enum { HEAD = 8, CRC = 4 };
    const uint8_t *bytes = png->file->bytes;
    const size_t size = png->file->size;
    if (size - at < HEAD) return broken(png, size, "the file is truncated: a chunk should begin here");
    const uint32_t length = u32(bytes + at);
    memcpy(chunk->name, bytes + at + 4, 4);
    chunk->name[4] = '\0';
    for (int i = 0; i < 4; i++) {
        const char c = chunk->name[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
            return broken(png, at + 4, "the name of a chunk must be four letters");
    }
    chunk->at = at + HEAD;
    chunk->size = length;
    if (length > LARGEST || size - chunk->at < CRC || length > size - chunk->at - CRC)
        return tg_fail("%s, byte %zu: the file is truncated, or the length of the %s chunk is wrong: %" PRIu32
                       " bytes, with %zu left",
                       png->file->name, at, chunk->name, length, size - chunk->at);
    return true;
}

static bool has_crc(const Png *png, const Chunk *chunk) {
    const uint8_t *data = png->file->bytes + chunk->at;
    return tg_crc32(0, data - 4, chunk->size + 4) == u32(data + chunk->size);
}

static bool check_crc(const Png *png, const Chunk *chunk) {
    return has_crc(png, chunk) || tg_fail("%s, byte %zu: the CRC-32 of the %s chunk is wrong", png->file->name,
                                          chunk->at + chunk->size, chunk->name);
}

static bool read_header(Png *png, const Chunk *chunk) {
    static const uint8_t depths[] = {
        [GRAY] = 1 | 2 | 4 | 8 | 16, [RGB] = 8 | 16, [PALETTE] = 1 | 2 | 4 | 8, [GRAY_ALPHA] = 8 | 16, [RGBA] = 8 | 16};
    static const uint8_t channels[] = {[GRAY] = 1, [RGB] = 3, [PALETTE] = 1, [GRAY_ALPHA] = 2, [RGBA] = 4};
    const uint8_t *data = png->file->bytes + chunk->at;
    if (!is_named(chunk, "IHDR") || chunk->size != 13)
        return broken(png, chunk->at - 4, "the first chunk must be IHDR, of 13 bytes");
    if (!check_crc(png, chunk)) return false;
    png->width = u32(data);
    png->height = u32(data + 4);
    png->depth = data[8];
    png->type = data[9];
    png->interlaced = data[12] == 1;
    if (png->width == 0 || png->width > LARGEST || png->height == 0 || png->height > LARGEST)
        return tg_fail("%s, byte %zu: the image has no size: %" PRIu32 " x %" PRIu32 " pixels", png->file->name,
                       chunk->at, png->width, png->height);
    if ((size_t)png->type >= sizeof depths || (png->depth & (png->depth - 1)) || !(depths[png->type] & png->depth))
        return tg_fail("%s, byte %zu: there is no colour type %d with %d bits", png->file->name, chunk->at + 8,
                       png->type, png->depth);
    if (data[10] != 0) return broken(png, chunk->at + 10, "unknown compression method");
    if (data[11] != 0) return broken(png, chunk->at + 11, "unknown filter method");
    if (data[12] > 1) return broken(png, chunk->at + 12, "unknown interlace method");
    png->channels = channels[png->type];
    png->step = (size_t)(png->channels * png->depth + 7) / 8;
    return true;
}

static bool read_palette(Png *png, const Chunk *chunk) {
    if (!check_crc(png, chunk)) return false;
    if (png->colors) return broken(png, chunk->at - 4, "a second PLTE chunk");
    if (chunk->size == 0 || chunk->size > 3 * COLORS || chunk->size % 3)
        return broken(png, chunk->at - 8, "the length of the PLTE chunk must be 3 bytes for each of 1 to 256 colours");
    png->colors = (int)(chunk->size / 3);
    for (int i = 0; i < COLORS; i++) {
        for (int k = 0; k < 3; k++)
            png->palette[i][k] = i < png->colors ? png->file->bytes[chunk->at + (size_t)(3 * i + k)] : 0;
        png->palette[i][3] = 255;
    }
    return true;
}

/* Only of a palette, as in torchvision; one that is damaged or too long is ignored, as in libpng. */
static void read_transparency(Png *png, const Chunk *chunk) {
    if (png->type != PALETTE || !png->colors || chunk->size > (size_t)png->colors || !has_crc(png, chunk)) return;
    png->has_transparency = true;
    for (size_t i = 0; i < chunk->size; i++) png->palette[i][3] = png->file->bytes[chunk->at + i];
}

/* The data of the IDAT chunks, which follow each other, in one piece. */
static bool read_data(Png *png, Chunk *chunk) {
    size_t chunks = 0, end = chunk->at - 8;
    png->data_at = chunk->at;
    for (; is_named(chunk, "IDAT"); chunks++) {
        if (!check_crc(png, chunk)) return false;
        png->data_size += chunk->size;
        end = chunk->at + chunk->size + 4;
        if (end == png->file->size) { /* nothing more is needed */
            chunks++;
            break;
        }
        if (!read_chunk(png, end, chunk)) return false;
    }
    if (chunks == 1) return true;
    if (!tg_bytes_reserve(&png->joined, png->data_size ? png->data_size : 1)) return false;
    for (size_t at = png->data_at - 8; at < end;) {
        const size_t size = u32(png->file->bytes + at);
        if (size) memcpy(png->joined.at + png->joined.count, png->file->bytes + at + 8, size);
        png->joined.count += size;
        at += size + 12;
    }
    return true;
}

static bool read_chunks(Png *png) {
    Chunk chunk;
    if (!tg_png_is(png->file->bytes, png->file->size)) return broken(png, 0, "it does not begin like a PNG file");
    if (!read_chunk(png, SIGNATURE, &chunk) || !read_header(png, &chunk)) return false;
    for (;;) {
        if (!read_chunk(png, chunk.at + chunk.size + 4, &chunk)) return false;
        if (is_named(&chunk, "IDAT")) break;
        if (is_named(&chunk, "IEND")) return broken(png, chunk.at - 4, "there is no IDAT chunk");
        if (is_named(&chunk, "PLTE")) {
            if (!read_palette(png, &chunk)) return false;
        } else if (is_named(&chunk, "tRNS")) {
            read_transparency(png, &chunk);
        } else if (is_named(&chunk, "eXIf")) {
            if (has_crc(png, &chunk)) png->orientation = tg_exif_orientation(png->file->bytes + chunk.at, chunk.size);
        } else if (is_critical(&chunk)) {
            return tg_fail("%s, byte %zu: a second, or an unknown, critical chunk: %s", png->file->name, chunk.at - 4,
                           chunk.name);
        }
    }
    if (png->type == PALETTE && !png->colors) return broken(png, chunk.at - 4, "there is no PLTE chunk before this");
    return read_data(png, &chunk);
}

/* ---- rows ---- */

/* A pass of Adam7 has the pixels (x + i dx, y + k dy); an image without interlacing is one pass. */
typedef struct Pass {
    int x, y, dx, dy;
} Pass;
enum { PASSES = 7 };
static const Pass whole = {0, 0, 1, 1};
static const Pass adam7[PASSES] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                   {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

static uint64_t pixels_of(uint32_t size, int first, int step) {
    return ((uint64_t)size + (uint64_t)(step - 1 - first)) / (uint64_t)step;
}

static uint64_t bytes_of(const Png *png, uint64_t pixels) {
    return (pixels * (uint64_t)(png->channels * png->depth) + 7) / 8;
}

/* The size of all rows, each with the number of its filter; false if it is too large for the file. */
static bool count_bytes(const Png *png, size_t *count) {
    enum { MOST_PER_BYTE = 1032 }; /* of DEFLATE */
    uint64_t sum = 0, bytes;
    for (int i = 0; i < (png->interlaced ? PASSES : 1); i++) {
        const Pass *pass = png->interlaced ? &adam7[i] : &whole;
        const uint64_t columns = pixels_of(png->width, pass->x, pass->dx);
        const uint64_t rows = pixels_of(png->height, pass->y, pass->dy);
        if (columns == 0) continue;
        if (__builtin_mul_overflow(rows, 1 + bytes_of(png, columns), &bytes) ||
            __builtin_add_overflow(sum, bytes, &sum)) {
            sum = UINT64_MAX;
            break;
        }
    }
    *count = (size_t)sum;
    return sum / MOST_PER_BYTE <= png->data_size ||
           tg_fail("%s, byte %zu: %zu bytes of image data cannot be %" PRIu32 " x %" PRIu32 " pixels", png->file->name,
                   png->data_at, png->data_size, png->width, png->height);
}

static bool unpack(Png *png, tg_Bytes *rows) {
    char name[300];
    size_t count;
    if (!count_bytes(png, &count) || !tg_bytes_reserve(rows, count)) return false;
    tg_Compressed packed = {
        png->file->bytes + png->data_at, png->data_size, png->file->name, png->data_at, 0, true, false};
    if (png->joined.at) {
        snprintf(name, sizeof name, "the joined IDAT chunks of %.260s", png->file->name);
        packed.bytes = png->joined.at;
        packed.name = name;
        packed.first = 0;
    }
    if (!tg_zlib_unpack(&packed, rows, count)) return false;
    return rows->count == count || tg_fail("%s, byte %zu: the image data end after %zu of %zu bytes", png->file->name,
                                           png->data_at, rows->count, count);
}

/* n pixels of a row as samples: gray of 8 bits, or what the image expects. */
static void read_samples(const Png *png, const tg_Image *c, const uint8_t *row, int64_t n, uint16_t *to) {
    const int64_t count = n * png->channels;
    const int depth = png->depth, mask = (1 << depth) - 1;
    const int scale = png->type == GRAY && depth < 8 ? 255 / mask : 1;
    if (depth == 16)
        for (int64_t i = 0; i < count; i++) to[i] = (uint16_t)(row[2 * i] << 8 | row[2 * i + 1]);
    else if (depth == 8 && png->type != PALETTE)
        for (int64_t i = 0; i < count; i++) to[i] = row[i];
    for (int64_t i = 0; (depth < 8 || png->type == PALETTE) && i < count; i++) {
        const int value = row[i * depth / 8] >> (8 - depth - i * depth % 8) & mask;
        if (png->type == PALETTE && c->in > 1)
            for (int k = 0; k < c->in; k++) to[i * c->in + k] = png->palette[value][k];
        else
            to[i] = (uint16_t)(value * scale);
    }
}

/* Rows are unfiltered in place, those of an image whose bytes need no conversion into the image. */
static bool read_pass(const Png *png, const tg_Image *c, const Pass *pass, uint8_t **at, const uint8_t *zeros,
                      uint16_t *samples) {
    const int64_t columns = (int64_t)pixels_of(png->width, pass->x, pass->dx);
    const int64_t rows = (int64_t)pixels_of(png->height, pass->y, pass->dy);
    const size_t bytes = (size_t)bytes_of(png, (uint64_t)columns);
    const bool is_direct = tg_image_is_direct(c) && png->depth == 8 && !png->interlaced && c->in == png->channels;
    const uint8_t *above = zeros;
    for (int64_t r = 0; columns > 0 && r < rows; r++, *at += bytes + 1) {
        const int filter = **at;
        uint8_t *row = is_direct ? tg_image_row(c, r) : *at + 1;
        if (filter >= TG_PNG_FILTERS)
            return tg_fail("%s: row %" PRId64 " of the image has filter %d, but there are only 0 to 4", png->file->name,
                           r, filter);
        tg_png_unfilter(filter, row, *at + 1, above, bytes, png->step);
        above = row;
        if (is_direct) continue;
        read_samples(png, c, row, columns, samples);
        tg_image_put(c, pass->y + r * pass->dy, pass->x, pass->dx, columns, samples);
    }
    return true;
}

static bool read_rows(Png *png, const tg_Image *c) {
    tg_Bytes rows = {0};
    const size_t bytes = (size_t)bytes_of(png, png->width), sample_bytes = 4 * sizeof(uint16_t) * (size_t)png->width;
    uint8_t *zeros = tg_alloc(bytes);
    uint16_t *samples = zeros ? tg_alloc_raw(sample_bytes) : NULL;
    bool ok = samples && unpack(png, &rows);
    uint8_t *at = rows.at;
    for (int i = 0; ok && i < (png->interlaced ? PASSES : 1); i++)
        ok = read_pass(png, c, png->interlaced ? &adam7[i] : &whole, &at, zeros, samples);
    tg_free(zeros, bytes);
    tg_free(samples, sample_bytes);
    tg_bytes_free(&rows);
    return ok;
}

/* ---- the image ---- */

bool tg_png_is(const uint8_t *bytes, size_t size) {
    return size >= SIGNATURE && memcmp(bytes, "\x89PNG\r\n\x1a\n", SIGNATURE) == 0;
}

/* Channels that rows have: a palette's colours, with alpha if there is any; without a mode the indices. */
static int channels_of(const Png *png, ImageReadMode mode) {
    if (png->type != PALETTE || mode == ImageReadMode_UNCHANGED) return png->channels;
    return png->has_transparency ? 4 : 3;
}

Tensor *tg_png_decode(const tg_ImageFile *file, const io_ImageOptions *options) {
    Png *png = tg_alloc(sizeof *png);
    tg_Image pixels = {0};
    Tensor *image = NULL;
    size_t count;
    if (!png) return NULL;
    png->file = file;
    png->orientation = 1;
    if (read_chunks(png) && count_bytes(png, &count) &&
        tg_image_begin(&pixels, png->width, png->height, channels_of(png, options->mode),
                       png->depth == 16 ? 65535 : 255, options->mode))
        image = tg_image_end(&pixels, read_rows(png, &pixels));
    if (options->apply_exif_orientation) image = tg_exif_orient(image, png->orientation);
    tg_bytes_free(&png->joined);
    tg_free(png, sizeof *png);
    return image;
}
