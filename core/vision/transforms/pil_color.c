/* core/vision/transforms/pil_color.c: ImageEnhance and the conversions between colour spaces of Pillow. */
#include <math.h>
#include <string.h>

#include "core/vision/transforms/pil_internal.h"

static uint8_t clip(double x) {
    return (uint8_t)(x <= 0 ? 0 : x >= 255 ? 255 : (int)x);
}

void tg_pil_blend(const uint8_t *degenerate, const uint8_t *image, uint8_t *to, int64_t n, double factor) {
    const float alpha = (float)factor;
    if (alpha == 0.0f || alpha == 1.0f) {
        memcpy(to, alpha == 0.0f ? degenerate : image, (size_t)n);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const float value = (float)degenerate[i] + alpha * (float)(image[i] - degenerate[i]);
        to[i] = (uint8_t)(value <= 0 ? 0 : value >= 255 ? 255 : value);
    }
}

void tg_pil_smooth(const tg_Planes *from, const tg_Planes *to) {
    const int64_t h = from->height, w = from->width;
    const float side = 1.0f / 13, middle = 5.0f / 13;
    memcpy(to->data, from->data, (size_t)(from->count * h * w));
    for (int64_t i = 0; i < from->count * h; i++) {
        if (i % h == 0 || i % h == h - 1) continue;
        const uint8_t *row = from->data + i * w;
        for (int64_t x = 1; x + 1 < w; x++) {
            float sum = 0.5f; /* the rows from below, as Pillow adds them */
            for (int d = 1; d >= -1; d--) {
                const uint8_t *at = row + d * w + x;
                sum += (float)at[-1] * side + (float)at[0] * (d ? side : middle) + (float)at[1] * side;
            }
            to->data[i * w + x] = clip(sum);
        }
    }
}

/* ITU-R 601-2 luma, in 16.16 fixed point. */
void tg_pil_luma(const uint8_t *rgb, uint8_t *to, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        to[i] = (uint8_t)((rgb[i] * 19595u + rgb[n + i] * 38470u + rgb[2 * n + i] * 7471u + 0x8000u) >> 16);
}

/* ---- hue, saturation, value, each 0 to 255 ---- */

static void to_hsv(const uint8_t rgb[3], uint8_t hsv[3]) {
    const uint8_t r = rgb[0], g = rgb[1], b = rgb[2];
    const uint8_t max = r > g ? (r > b ? r : b) : (g > b ? g : b), min = r < g ? (r < b ? r : b) : (g < b ? g : b);
    hsv[0] = hsv[1] = 0;
    hsv[2] = max;
    if (min == max) return;
    const float range = (float)(max - min), s = range / (float)max;
    const float rc = (float)(max - r) / range, gc = (float)(max - g) / range, bc = (float)(max - b) / range;
    float h = r == max ? bc - gc : g == max ? (float)(2.0 + rc - bc) : (float)(4.0 + gc - rc);
    h = (float)fmod(h / 6.0 + 1.0, 1.0);
    hsv[0] = clip(h * 255.0);
    hsv[1] = clip(s * 255.0);
}

static void to_rgb(const uint8_t hsv[3], uint8_t rgb[3]) {
    const float h = hsv[0], v = hsv[2], s = (float)(hsv[1] / 255.0);
    const int i = (int)floor(h * 6.0 / 255.0);
    const float f = (float)(h * 6.0 / 255.0 - (float)i);
    const uint8_t p = clip(round(v * (1.0 - s))), q = clip(round(v * (1.0 - s * f))),
                  t = clip(round(v * (1.0 - s * (1.0 - f)))), u = hsv[2];
    const uint8_t all[6][3] = {{u, t, p}, {q, u, p}, {p, u, t}, {p, q, u}, {t, p, u}, {u, p, q}};
    memcpy(rgb, all[i % 6], 3);
}

void tg_pil_shift_hue(const uint8_t *rgb, uint8_t *to, int64_t n, uint8_t shift) {
    for (int64_t i = 0; i < n; i++) {
        uint8_t pixel[3] = {rgb[i], rgb[n + i], rgb[2 * n + i]}, hsv[3];
        to_hsv(pixel, hsv);
        hsv[0] = (uint8_t)(hsv[0] + shift);
        to_rgb(hsv, pixel);
        for (int c = 0; c < 3; c++) to[c * n + i] = pixel[c];
    }
}

/* ---- alpha ---- */

/* a b / 255, rounded. */
static uint8_t scaled(unsigned a, unsigned b) {
    const unsigned x = a * b + 128;
    return (uint8_t)(((x >> 8) + x) >> 8);
}

void tg_pil_premultiply(uint8_t *image, int channels, int64_t n) {
    const uint8_t *alpha = image + (channels - 1) * n;
    for (int c = 0; c + 1 < channels; c++)
        for (int64_t i = 0; i < n; i++) image[c * n + i] = scaled(image[c * n + i], alpha[i]);
}

void tg_pil_unpremultiply(uint8_t *image, int channels, int64_t n) {
    const uint8_t *alpha = image + (channels - 1) * n;
    for (int c = 0; c + 1 < channels; c++)
        for (int64_t i = 0; i < n; i++)
            if (alpha[i] != 0 && alpha[i] != 255) {
                const int x = 255 * image[c * n + i] / alpha[i];
                image[c * n + i] = (uint8_t)(x > 255 ? 255 : x);
            }
}
