/* core/tensorboard/image.c: add_image and add_images: the order of the dims, a grid of several images, PNG. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ops/creation.h"
#include "core/ops/shape.h"
#include "core/tensorboard/event_internal.h"
#include "core/vision/io/image_internal.h"

/* ---- PNG ---- */

bool tg_png_bytes(const uint8_t *pixels, int64_t height, int64_t width, int channels, tg_Bytes *to) {
    const tg_Pixels image = {
        .at = pixels, .width = width, .height = height, .row_stride = width * channels, .channels = channels};
    return tg_png_pack(&image, TG_DEFLATE_DEFAULT, to);
}

/* ---- the order of the dims ---- */

/* x with the dims that dataformats names in the order of `letters`. */
static Tensor *reorder(Tensor *x, const char *dataformats, const char *letters) {
    int64_t order[4];
    const int ndim = (int)strlen(letters);
    for (int d = 0; d < ndim; d++) {
        const char *at = dataformats;
        while (*at && (*at & ~0x20) != letters[d]) at++;
        if (!*at) return tg_fail("dataformats \"%s\" has no %c", dataformats, letters[d]);
        order[d] = at - dataformats;
    }
    return t_permute(x, order, ndim);
}

Tensor *tg_image_grid(Tensor *images, int64_t ncols) {
    const int64_t n = images->shape[0], c = images->shape[1], h = images->shape[2], w = images->shape[3];
    const int64_t columns = n < ncols ? n : ncols, rows = columns ? (n + columns - 1) / columns : 0;
    Tensor *x = t_contiguous(images), *grid = x ? tg_empty((int64_t[]){3, rows * h, columns * w}, 3, x->dtype) : NULL;
    if (!grid) return NULL;
    const size_t item = tg_itemsize(x->dtype), row = (size_t)w * item, grid_row = row * (size_t)columns;
    memset(tg_data(grid), 0, (size_t)tg_numel(grid) * item);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < 3; k++)
            for (int64_t y = 0; y < h; y++) {
                const char *from = (const char *)tg_data(x) + (size_t)((i * c + (c == 3 ? k : 0)) * h + y) * row;
                const int64_t line = (k * rows + i / columns) * h + y;
                memcpy((char *)tg_data(grid) + (size_t)line * grid_row + (size_t)(i % columns) * row, from, row);
            }
    return grid;
}

Tensor *tg_rows_of_pixels(Tensor *x, const char *dataformats) {
    const size_t letters = strlen(dataformats);
    for (size_t i = 0; i < letters; i++)
        for (size_t k = 0; k < i; k++)
            if (dataformats[i] == dataformats[k])
                return tg_fail("You can not use the same dimension shorthand twice. input_format: %s", dataformats);
    if ((size_t)x->ndim != letters || letters < 2 || letters > 4)
        return tg_fail("size of input tensor and input format are different. tensor shape: %s, input_format: %s",
                       tg_shape_of(x), dataformats);
    if (letters == 4) {
        Tensor *images = reorder(x, dataformats, "NCHW");
        if (!images) return NULL;
        if (images->shape[1] != 1 && images->shape[1] != 3)
            return tg_fail("Input should be a 4D numpy array with 3 channels, but has %lld",
                           (long long)images->shape[1]);
        Tensor *grid = tg_image_grid(images, 8);
        return grid ? t_permute(grid, (int64_t[]){1, 2, 0}, 3) : NULL;
    }
    Tensor *y = reorder(x, dataformats, letters == 3 ? "HWC" : "HW");
    if (y && letters == 2) y = t_unsqueeze(y, 2);
    if (y && y->shape[2] == 1) y = t_expand(y, (int64_t[]){y->shape[0], y->shape[1], 3}, 3);
    return y;
}

/* (x * 255).clip(0, 255).astype(uint8); of NaN 0. */
uint8_t *tg_bytes_of_pixels(const char *tag, Tensor *x, bool is_bytes) {
    const int64_t height = x->shape[0], width = x->shape[1], channels = x->shape[2], count = tg_numel(x);
    if (channels != 3 && channels != 4)
        return tg_fail("an image has 1, 3 or 4 channels, but \"%s\" has %lld", tag, (long long)channels);
    if (count == 0 || height > INT32_MAX || width > INT32_MAX || count > INT32_MAX)
        return tg_fail("an image of %lld rows of %lld pixels cannot be written", (long long)height, (long long)width);
    Tensor *y = t_contiguous(is_bytes ? x : t_to(x, t_float32));
    uint8_t *pixels = y ? tg_alloc((size_t)count) : NULL;
    if (!pixels) return NULL;
    if (is_bytes) memcpy(pixels, tg_data(y), (size_t)count);
    for (int64_t i = 0; !is_bytes && i < count; i++) {
        const float value = ((const float *)tg_data(y))[i] * 255;
        pixels[i] = (uint8_t)(value > 255 ? 255 : value > 0 ? value : 0);
    }
    return pixels;
}

bool tg_add_picture(tg_EventFile *file, const tg_Picture *picture, const tg_Bytes *encoded) {
    tg_SummaryEvent event;
    tg_summary_begin(&event, picture->tag, picture->walltime, picture->step);
    const size_t image = tg_proto_begin(&event.out, VALUE_IMAGE);
    tg_proto_varint(&event.out, 1, (uint64_t)picture->height);
    tg_proto_varint(&event.out, 2, (uint64_t)picture->width);
    tg_proto_varint(&event.out, 3, (uint64_t)picture->channels);
    tg_proto_bytes(&event.out, 4, encoded->at, encoded->count);
    tg_proto_end(&event.out, image);
    return tg_summary_add(file, &event);
}

bool tg_add_pixels(tg_EventFile *file, const tg_Picture *picture, const uint8_t *pixels) {
    tg_Bytes png = {0};
    const bool ok = tg_png_bytes(pixels, picture->height, picture->width, picture->channels, &png) &&
                    tg_add_picture(file, picture, &png);
    tg_bytes_free(&png);
    return ok;
}

static bool add_pixels(tg_EventFile *file, const char *tag, Tensor *x, bool is_bytes,
                       const tensorboard_ImageOptions *o) {
    const size_t count = (size_t)tg_numel(x);
    uint8_t *pixels = tg_bytes_of_pixels(tag, x, is_bytes);
    const tg_Picture picture = {tag, x->shape[0], x->shape[1], (int)x->shape[2], o->walltime, o->global_step};
    const bool ok = pixels && tg_add_pixels(file, &picture, pixels);
    if (pixels) tg_free(pixels, count);
    return ok;
}

static bool add_image(tensorboard_SummaryWriter *self, const char *tag, Tensor *x,
                      const tensorboard_ImageOptions *options, const char *dataformats) {
    tensorboard_ImageOptions o = {TENSORBOARD_IMAGE_DEFAULTS_};
    tg_EventFile *file = tg_writer_file(self);
    if (!file || !tg_check_given(tag != NULL, 2, "a text") || !tg_check_any(x, 3) ||
        !tg_take_options(&o, options, sizeof o))
        return false;
    const int depth = t_scope_open();
    if (!depth) return false;
    const bool is_bytes = x->dtype == t_uint8;
    Tensor *values = is_bytes ? t_detach(x) : tg_values_as(x, t_float32);
    Tensor *pixels = values ? tg_rows_of_pixels(values, o.dataformats ? o.dataformats : dataformats) : NULL;
    const bool ok = pixels && add_pixels(file, tag, pixels, is_bytes, &o);
    t_scope_close(depth);
    return ok;
}

bool tensorboard_add_image(tensorboard_SummaryWriter *self, const char *tag, Tensor *x,
                           const tensorboard_ImageOptions *options) {
    return add_image(self, tag, x, options, "CHW");
}

bool tensorboard_add_images(tensorboard_SummaryWriter *self, const char *tag, Tensor *x,
                            const tensorboard_ImageOptions *options) {
    return add_image(self, tag, x, options, "NCHW");
}
