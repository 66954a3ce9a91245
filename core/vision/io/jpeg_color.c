/* core/vision/io/jpeg_color.c: from the components' samples to pixels: upsampling by libjpeg's triangle filter ("fancy
 * upsampling": a sample is 3/4 of the nearer and 1/4 of the farther neighbour), then YCbCr to RGB (ITU-R BT.601, JFIF)
 * in 16-bit fixed point. */
#include <string.h>

#include "core/vision/io/jpeg_internal.h"

typedef enum Colors { GRAY, RGB, YCC, CMYK, YCCK } Colors;

/* What libjpeg takes the components for: JFIF says YCbCr, Adobe's segment which, else the components' names. */
static Colors colors_of(const tg_Jpeg *j) {
    if (j->components == 1) return GRAY;
    if (j->components == 4) return j->has_adobe && j->adobe_transform != 0 ? YCCK : CMYK;
    if (j->has_jfif) return YCC;
    if (j->has_adobe) return j->adobe_transform == 0 ? RGB : YCC;
    const tg_JpegComponent *c = j->component;
    return c[0].id == 'R' && c[1].id == 'G' && c[2].id == 'B' ? RGB : YCC;
}

/* ---- upsampling ---- */

static const uint8_t *samples_row(const tg_JpegComponent *c, int64_t y) {
    return c->samples + (y < 0 ? 0 : y < c->height ? y : c->height - 1) * c->stride * 8;
}

/* Row y of the image of one component; `out` has space for whole MCUs, `sums` for a row of samples. */
static const uint8_t *upsampled_row(const tg_Jpeg *j, const tg_JpegComponent *c, int64_t y, uint8_t *out,
                                    int16_t *sums) {
    const int h = j->h_max / c->h, v = j->v_max / c->v;
    const int64_t n = c->width, at = y / v;
    const uint8_t *near = samples_row(c, at);
    if (h == 1 && v == 1) return near;
    if (h == 2 && v == 1 && n > 2) {
        j->kernels->widen(near, n, out);
        return out;
    }
    if (v == 2 && (h == 1 || (h == 2 && n > 2))) {
        const uint8_t *far = samples_row(c, y % 2 ? at + 1 : at - 1);
        if (h == 1) {
            const int rounding = y % 2 ? 2 : 1;
            for (int64_t i = 0; i < n; i++) out[i] = (uint8_t)((3 * near[i] + far[i] + rounding) >> 2);
        } else {
            j->kernels->widen_rows(near, far, n, sums, out);
        }
        return out;
    }
    for (int64_t i = 0; i < n; i++) memset(out + i * h, near[i], (size_t)h);
    return out;
}

/* ---- colours ---- */

static inline uint8_t clamped(int32_t x) {
    return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x);
}

/* 0.299 R + 0.587 G + 0.114 B, as Pillow's and libjpeg's. */
static uint8_t luma(int r, int g, int b) {
    return (uint8_t)((19595 * r + 38470 * g + 7471 * b + (1 << 15)) >> 16);
}

/* torchvision's, after Pillow's: k - k (255 - c) / 255. */
static uint8_t without_ink(int k, int ink) {
    int v = k * ink + 128;
    v = ((v >> 8) + v) >> 8;
    return clamped(k - v);
}

/* A row of CMYK, which Adobe's files hold inverted. */
static void cmyk_row(const tg_Jpeg *j, Colors colors, const uint8_t *const in[4], int64_t n, uint8_t *out) {
    if (colors == YCCK) { /* as RGB in the last three quarters of the row, from where it is spread out */
        uint8_t *rgb = out + n;
        j->kernels->ycc(in[0], in[1], in[2], n, rgb);
        for (int64_t i = 0; i < n; i++) {
            const uint8_t pixel[3] = {rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]};
            for (int c = 0; c < 3; c++) out[4 * i + c] = (uint8_t)(255 - pixel[c]);
        }
    } else {
        for (int c = 0; c < 3; c++)
            for (int64_t i = 0; i < n; i++) out[4 * i + c] = in[c][i];
    }
    for (int64_t i = 0; i < n; i++) out[4 * i + 3] = in[3][i];
}

/* channels: of the result. work: 4 bytes a pixel. */
static void color_row(const tg_Jpeg *j, Colors colors, const uint8_t *const in[4], int64_t n, int channels,
                      uint8_t *out, uint8_t *work) {
    if (channels == 1 && (colors == GRAY || colors == YCC)) {
        memcpy(out, in[0], (size_t)n);
    } else if (colors == GRAY) {
        for (int64_t i = 0; i < n; i++) out[3 * i] = out[3 * i + 1] = out[3 * i + 2] = in[0][i];
    } else if (colors == YCC) {
        j->kernels->ycc(in[0], in[1], in[2], n, out);
    } else if (colors == RGB) {
        for (int64_t i = 0; i < n; i++)
            for (int c = 0; c < channels; c++)
                out[i * channels + c] = channels == 1 ? luma(in[0][i], in[1][i], in[2][i]) : in[c][i];
    } else if (channels == 4) {
        cmyk_row(j, colors, in, n, out);
    } else {
        cmyk_row(j, colors, in, n, work);
        for (int64_t i = 0; i < n; i++) {
            const int k = work[4 * i + 3];
            uint8_t rgb[3];
            for (int c = 0; c < 3; c++) rgb[c] = without_ink(k, 255 - work[4 * i + c]);
            if (channels == 1)
                out[i] = luma(rgb[0], rgb[1], rgb[2]);
            else
                memcpy(out + 3 * i, rgb, 3);
        }
    }
}

Tensor *tg_jpeg_pixels(tg_Jpeg *j, ImageReadMode mode) {
    const int channels = mode == ImageReadMode_GRAY ? 1 : mode == ImageReadMode_RGB ? 3 : j->components;
    const Colors colors = colors_of(j);
    tg_Image image;
    const size_t row = (size_t)(j->mcus * j->h_max * 8), bytes = row * (JPEG_COMPONENTS + 4 + sizeof(int16_t));
    int16_t *sums = tg_alloc_raw(bytes);
    uint8_t *buffers = sums ? (uint8_t *)(sums + row) : NULL, *work = sums ? buffers + JPEG_COMPONENTS * row : NULL;
    bool ok = sums && tg_image_begin(&image, j->width, j->height, channels, 255, ImageReadMode_UNCHANGED);
    for (int64_t y = 0; ok && y < j->height; y++) {
        const uint8_t *in[JPEG_COMPONENTS] = {NULL};
        for (int i = 0; i < j->components; i++)
            in[i] = upsampled_row(j, &j->component[i], y, buffers + (size_t)i * row, sums);
        color_row(j, colors, in, j->width, channels, tg_image_row(&image, y), work);
    }
    tg_free(sums, bytes);
    return ok ? tg_image_end(&image, true) : NULL;
}
