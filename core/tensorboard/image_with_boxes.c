/* core/tensorboard/image_with_boxes.c: add_image_with_boxes: red boxes as Pillow's ImageDraw draws them, with labels.
 */
#include <math.h>
#include <string.h>

#include "core/ops/creation.h"
#include "core/plot/raster/label.h"
#include "core/tensorboard/event_internal.h"
#include "core/vision/transforms/pil_internal.h"

/* Pixels of bytes in rows. */
typedef struct Canvas3 {
    uint8_t *pixels;
    int64_t height, width;
    int channels;
} Canvas3;

static void put_pixel(const Canvas3 *c, int64_t x, int64_t y, const uint8_t rgb[3]) {
    if (x < 0 || y < 0 || x >= c->width || y >= c->height) return;
    uint8_t *to = c->pixels + (y * c->width + x) * c->channels;
    memcpy(to, rgb, 3);
    if (c->channels == 4) to[3] = 255;
}

/* All pixels from (x0, y0) to (x1, y1), both included. */
static void fill(const Canvas3 *c, int64_t x0, int64_t y0, int64_t x1, int64_t y1, const uint8_t rgb[3]) {
    if (x0 < 0) x0 = 0;
    if (y0 < 0) y0 = 0;
    if (x1 >= c->width) x1 = c->width - 1;
    if (y1 >= c->height) y1 = c->height - 1;
    for (int64_t y = y0; y <= y1; y++)
        for (int64_t x = x0; x <= x1; x++) put_pixel(c, x, y, rgb);
}

/* A line of width 2 along an axis has the pixels of its coordinate and those at its left, seen in its direction. */
static void vertical(const Canvas3 *c, int64_t x, int64_t from, int64_t to, const uint8_t rgb[3]) {
    const int64_t first = from <= to ? x : x - 1;
    fill(c, first, from <= to ? from : to, first + 1, from <= to ? to : from, rgb);
}
static void horizontal(const Canvas3 *c, int64_t y, int64_t from, int64_t to, const uint8_t rgb[3]) {
    const int64_t first = from <= to ? y : y - 1;
    fill(c, from <= to ? from : to, first, from <= to ? to : from, first + 1, rgb);
}

static int64_t coordinate(double value) {
    const double most = 1 << 30;
    return isnan(value) ? 0 : (int64_t)fmax(-most, fmin(most, value));
}

static bool draw_label(const Canvas3 *c, const char *text, int64_t left, int64_t bottom, const uint8_t rgb[3]) {
    tg_Label label;
    if (!tg_label_begin(&label, text, 10)) return false;
    const int64_t margin = (int64_t)ceil(0.05 * (double)label.height), top = bottom - label.height - 2 * margin;
    fill(c, left, top, left + label.width, bottom, rgb);
    for (int64_t y = 0; y < label.height; y++)
        for (int64_t x = 0; x < label.width; x++) {
            const double ink = label.ink[y * label.width + x] / 255.0;
            const uint8_t mixed[3] = {(uint8_t)(rgb[0] * (1 - ink)), (uint8_t)(rgb[1] * (1 - ink)),
                                      (uint8_t)(rgb[2] * (1 - ink))};
            if (ink > 0) put_pixel(c, left + margin + x, top + margin + y, mixed);
        }
    tg_label_end(&label);
    return true;
}

static bool draw_boxes(const Canvas3 *c, const double *boxes, int64_t count, const char *const *labels) {
    static const uint8_t red[3] = {255, 0, 0};
    bool ok = true;
    for (int64_t i = 0; ok && i < count; i++) {
        const int64_t left = coordinate(boxes[4 * i]), top = coordinate(boxes[4 * i + 1]);
        const int64_t right = coordinate(boxes[4 * i + 2]), bottom = coordinate(boxes[4 * i + 3]);
        vertical(c, left, top, bottom, red);
        horizontal(c, bottom, left, right, red);
        vertical(c, right, bottom, top, red);
        horizontal(c, top, right, left, red);
        if (labels && labels[i] && *labels[i]) ok = draw_label(c, labels[i], left, bottom, red);
    }
    return ok;
}

/* Image.resize(size, LANCZOS), plane by plane. */
static bool resize(const Canvas3 *from, const Canvas3 *to) {
    const size_t n = (size_t)(from->height * from->width), m = (size_t)(to->height * to->width);
    uint8_t *planes = tg_alloc_raw(n * (size_t)from->channels);
    uint8_t *resized = planes ? tg_alloc_raw(m * (size_t)from->channels) : NULL;
    bool ok = resized != NULL;
    if (ok) {
        for (size_t i = 0; i < n; i++)
            for (int c = 0; c < from->channels; c++)
                planes[(size_t)c * n + i] = from->pixels[i * (size_t)from->channels + (size_t)c];
        if (from->channels == 4) tg_pil_premultiply(planes, 4, (int64_t)n);
        const tg_Planes source = {planes, from->channels, from->height, from->width};
        const tg_Planes target = {resized, from->channels, to->height, to->width};
        ok = tg_pil_resize(&source, &target, InterpolationMode_LANCZOS);
        if (from->channels == 4) tg_pil_unpremultiply(resized, 4, (int64_t)m);
        for (size_t i = 0; i < m; i++)
            for (int c = 0; c < from->channels; c++)
                to->pixels[i * (size_t)from->channels + (size_t)c] = resized[(size_t)c * m + i];
    }
    if (resized) tg_free(resized, m * (size_t)from->channels);
    if (planes) tg_free(planes, n * (size_t)from->channels);
    return ok;
}

static bool add_image(tg_EventFile *file, const char *tag, Tensor *x, bool is_bytes, Tensor *boxes,
                      const tensorboard_BoxesOptions *o) {
    uint8_t *pixels = tg_bytes_of_pixels(tag, x, is_bytes);
    if (!pixels) return false;
    const Canvas3 image = {pixels, x->shape[0], x->shape[1], (int)x->shape[2]};
    const double height = (double)image.height * o->rescale, width = (double)image.width * o->rescale;
    Canvas3 scaled = {NULL, 0, 0, image.channels};
    size_t bytes = 0;
    bool ok = draw_boxes(&image, tg_data(boxes), boxes->shape[0], o->labels);
    if (ok && !(height >= 1 && width >= 1 && height <= 65535 && width <= 65535))
        ok = tg_fail("an image of %g rows of %g pixels cannot be written", height, width);
    if (ok) {
        scaled.height = (int64_t)height;
        scaled.width = (int64_t)width;
        bytes = (size_t)(scaled.height * scaled.width * scaled.channels);
        const bool same = scaled.height == image.height && scaled.width == image.width;
        if (!same) scaled.pixels = tg_alloc_raw(bytes);
        ok = same || (scaled.pixels && resize(&image, &scaled));
        /* PyTorch states the size before it was scaled */
        const tg_Picture picture = {tag, image.height, image.width, image.channels, o->walltime, o->global_step};
        tg_Bytes png = {0};
        ok = ok && tg_png_bytes(same ? pixels : scaled.pixels, scaled.height, scaled.width, image.channels, &png) &&
             tg_add_picture(file, &picture, &png);
        tg_bytes_free(&png);
    }
    if (scaled.pixels) tg_free(scaled.pixels, bytes);
    tg_free(pixels, (size_t)tg_numel(x));
    return ok;
}

bool tensorboard_add_image_with_boxes(tensorboard_SummaryWriter *self, const char *tag, Tensor *x, Tensor *box_tensor,
                                      const tensorboard_BoxesOptions *options) {
    tensorboard_BoxesOptions o = {TENSORBOARD_BOXES_DEFAULTS_};
    tg_EventFile *file = tg_writer_file(self);
    if (!file || !tg_check_given(tag != NULL, 2, "a text") || !tg_check_any(x, 3) || !tg_check_any(box_tensor, 4) ||
        !tg_take_options(&o, options, sizeof o))
        return false;
    if (box_tensor->ndim != 2 || box_tensor->shape[1] != 4)
        return tg_fail("boxes have the shape (N, 4), but it is %s", tg_shape_of(box_tensor));
    const int depth = t_scope_open();
    if (!depth) return false;
    const bool is_bytes = x->dtype == t_uint8;
    Tensor *values = is_bytes ? t_detach(x) : tg_values_as(x, t_float32);
    Tensor *pixels = values ? tg_rows_of_pixels(values, o.dataformats ? o.dataformats : "CHW") : NULL;
    Tensor *boxes = pixels ? tg_values_as(box_tensor, t_float64) : NULL;
    const bool ok = boxes && add_image(file, tag, pixels, is_bytes, boxes, &o);
    t_scope_close(depth);
    return ok;
}
