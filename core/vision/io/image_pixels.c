/* core/vision/io/image_pixels.c: the image that a decoder fills: the channels of the file become those of the mode. */
#include "core/autograd/autograd.h"
#include "core/vision/io/image_internal.h"

bool tg_image_begin(tg_Image *c, int64_t width, int64_t height, int in, int top, ImageReadMode mode) {
    static const int channels[] = {
        [ImageReadMode_GRAY] = 1, [ImageReadMode_GRAY_ALPHA] = 2, [ImageReadMode_RGB] = 3, [ImageReadMode_RGBA] = 4};
    const int out = mode == ImageReadMode_UNCHANGED ? in : channels[mode];
    const int64_t shape[3] = {height, width, out};
    *c = (tg_Image){tg_empty(shape, 3, top > 255 ? t_int32 : t_uint8), width, height, in, out, top};
    return c->pixels != NULL;
}

/* libpng's png_set_rgb_to_gray with the weights of torchvision, 0.2989 and 0.587, in units of 1/32768. */
static inline uint32_t gray_of(uint32_t r, uint32_t g, uint32_t b, int top) {
    enum { RED = 29890 * 32768u / 100000, GREEN = 58700 * 32768u / 100000, BLUE = 32768 - RED - GREEN };
    if (r == g && r == b) return r;
    return (RED * r + GREEN * g + BLUE * b + (top > 255 ? 16384 : 0)) >> 15;
}

static inline void convert(const tg_Image *c, const uint16_t *from, uint32_t to[4]) {
    const bool has_color = c->in > 2, has_alpha = c->in == 2 || c->in == 4;
    const uint32_t r = from[0], g = has_color ? from[1] : r, b = has_color ? from[2] : r;
    const uint32_t alpha = has_alpha ? from[c->in - 1] : (uint32_t)c->top;
    if (c->out < 3) {
        to[0] = gray_of(r, g, b, c->top);
        to[1] = alpha;
    } else {
        to[0] = r;
        to[1] = g;
        to[2] = b;
        to[3] = alpha;
    }
}

void tg_image_put(const tg_Image *c, int64_t y, int64_t x, int64_t step, int64_t n, const uint16_t *samples) {
    const int64_t first = (y * c->width + x) * c->out, stride = step * c->out;
    uint8_t *bytes = (uint8_t *)c->pixels->storage->data + first;
    int32_t *words = (int32_t *)(void *)c->pixels->storage->data + first;
    for (int64_t i = 0; i < n; i++, samples += c->in) {
        uint32_t pixel[4];
        convert(c, samples, pixel);
        if (c->top > 255)
            for (int k = 0; k < c->out; k++) words[i * stride + k] = (int32_t)pixel[k];
        else
            for (int k = 0; k < c->out; k++) bytes[i * stride + k] = (uint8_t)pixel[k];
    }
}

Tensor *tg_image_end(tg_Image *c, bool ok) {
    const int64_t shape[3] = {c->out, c->height, c->width}, strides[3] = {1, c->width * c->out, c->out};
    Tensor *image = ok ? tg_detach_from_base(tg_view(c->pixels, shape, strides, 3, 0)) : NULL;
    if (c->pixels) t_release(tg_take_from_scope(c->pixels));
    return image;
}
