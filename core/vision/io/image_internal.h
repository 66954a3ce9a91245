/* core/vision/io/image_internal.h: the image formats, and what they share (internal). */
#ifndef TAPEGRAD_CORE_VISION_IO_IMAGE_INTERNAL_H
#define TAPEGRAD_CORE_VISION_IO_IMAGE_INTERNAL_H

#include "core/io/file.h"
#include "core/tensor/tensor.h"
#include "core/vision/io/image.h"

/* A file's bytes. */
typedef struct tg_ImageFile {
    const uint8_t *bytes;
    size_t size;
    const char *name; /* for messages */
} tg_ImageFile;

/* A format: one row of the table in image.c. */
typedef struct tg_ImageFormat {
    const char *name;
    bool (*is)(const uint8_t *bytes, size_t size); /* by the first bytes */
    /* (channels, height, width); NULL on an error, which names the file, the byte and the reason */
    Tensor *(*decode)(const tg_ImageFile *file, const io_ImageOptions *options);
} tg_ImageFormat;

bool tg_png_is(const uint8_t *bytes, size_t size);
Tensor *tg_png_decode(const tg_ImageFile *file, const io_ImageOptions *options);
bool tg_jpeg_is(const uint8_t *bytes, size_t size);
Tensor *tg_jpeg_decode(const tg_ImageFile *file, const io_ImageOptions *options);
bool tg_pnm_is(const uint8_t *bytes, size_t size);
Tensor *tg_pnm_decode(const tg_ImageFile *file, const io_ImageOptions *options);

/* ---- the image that a decoder fills (image_pixels.c) ---- */

/* Pixels of `in` channels (1 gray, 2 gray and alpha, 3 RGB, 4 RGBA) become those of the mode. In memory a pixel's
 * channels are next to each other. */
typedef struct tg_Image {
    Tensor *pixels; /* (height, width, out), uint8 or int32 */
    int64_t width, height;
    int in, out, top; /* top: 255 or 65535 */
} tg_Image;

bool tg_image_begin(tg_Image *c, int64_t width, int64_t height, int in, int top, ImageReadMode mode);
/* n pixels of row y, at x, x + step, ...: n * in samples. */
void tg_image_put(const tg_Image *c, int64_t y, int64_t x, int64_t step, int64_t n, const uint16_t *samples);
/* Where row y is to be written directly: bytes, if the pixels are as they should be (in == out, top == 255). */
static inline uint8_t *tg_image_row(const tg_Image *c, int64_t y) {
    return (uint8_t *)(c->pixels->storage->data) + y * c->width * c->out;
}
static inline bool tg_image_is_direct(const tg_Image *c) {
    return c->in == c->out && c->top == 255;
}
/* The tensor of shape (channels, height, width); not ok: releases it, NULL. */
Tensor *tg_image_end(tg_Image *c, bool ok);

/* ---- orientation (exif.c) ---- */

/* The Orientation (1 to 8) in a TIFF header, as the eXIf chunk of PNG and the APP1 segment of JPEG after "Exif\0\0"
 * have it; 1 where there is none. */
int tg_exif_orientation(const uint8_t *tiff, size_t size);
/* The image turned so that it is upright; NULL in, NULL out. */
Tensor *tg_exif_orient(Tensor *image, int orientation);

/* ---- writing ---- */

/* Rows of pixels of bytes: 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA channels; or with a palette one index. */
typedef struct tg_Pixels {
    const uint8_t *at;
    int64_t width, height, row_stride; /* the stride in bytes */
    int channels;
    double dots_per_inch;        /* 0: not said */
    const uint8_t (*palette)[4]; /* 256 colours, RGBA; NULL: none */
} tg_Pixels;

/* Appends the file to `to`, which the caller frees, also after an error. Levels as in zlib.h. */
bool tg_png_pack(const tg_Pixels *pixels, int level, tg_Bytes *to);
/* P5 or P6 of a tensor of shape (1 or 3, height, width). */
bool tg_pnm_write(tg_Output *out, const Tensor *image);
/* The image as bytes in rows of pixels: (height, width, channels). NULL on an error: it must have shape (1 or 3,
 * height, width). */
Tensor *tg_image_rows(Tensor *image);

#endif
