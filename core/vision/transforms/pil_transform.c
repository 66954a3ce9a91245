/* core/vision/transforms/pil_transform.c: Image.transform and Image.rotate of Pillow: an affine map from the pixels of
 * the result to those of the image. */
#include <math.h>

#include "core/tensor/tensor.h"
#include "core/vision/transforms/pil_internal.h"

/* ---- nearest ---- */

/* A map without rotation: columns and rows are looked up by themselves; positions add up step by step, as Pillow's. */
static void scale_nearest(const tg_Planes *from, const tg_Planes *to, const double a[6]) {
    double v = a[5] + a[4] * 0.5;
    for (int64_t y = 0; y < to->height; y++, v += a[4]) {
        const int64_t row = v < 0 ? -1 : (int64_t)v;
        if (row < 0 || row >= from->height) continue;
        double u = a[2] + a[0] * 0.5;
        for (int64_t x = 0; x < to->width; x++, u += a[0]) {
            const int64_t column = u < 0 ? -1 : (int64_t)u;
            if (column < 0 || column >= from->width) continue;
            for (int64_t i = 0; i < from->count; i++)
                to->data[(i * to->height + y) * to->width + x] =
                    from->data[(i * from->height + row) * from->width + column];
        }
    }
}

/* Positions in 16.16 fixed point, kept in 64 bits. */
static int64_t fixed(double x) {
    return (int64_t)floor(x * 65536 + 0.5);
}

static void affine_nearest(const tg_Planes *from, const tg_Planes *to, const double a[6]) {
    const int64_t a0 = fixed(a[0]), a1 = fixed(a[1]), a3 = fixed(a[3]), a4 = fixed(a[4]);
    int64_t u0 = fixed(a[2] + a[0] * 0.5 + a[1] * 0.5), v0 = fixed(a[5] + a[3] * 0.5 + a[4] * 0.5);
    for (int64_t y = 0; y < to->height; y++, u0 += a1, v0 += a4) {
        int64_t u = u0, v = v0;
        for (int64_t x = 0; x < to->width; x++, u += a0, v += a3) {
            const int64_t column = u >> 16, row = v >> 16;
            if (column < 0 || column >= from->width || row < 0 || row >= from->height) continue;
            for (int64_t i = 0; i < from->count; i++)
                to->data[(i * to->height + y) * to->width + x] =
                    from->data[(i * from->height + row) * from->width + column];
        }
    }
}

/* ---- bilinear and bicubic ---- */

static int64_t clamped(int64_t i, int64_t n) {
    return i < 0 ? 0 : i < n ? i : n - 1;
}

static double bilinear_row(const uint8_t *row, int64_t width, int64_t x, double d) {
    const double a = row[clamped(x, width)], b = row[clamped(x + 1, width)];
    return a + (b - a) * d;
}

static double cubic(double v1, double v2, double v3, double v4, double d) {
    const double p1 = v2, p2 = -v1 + v3, p3 = 2 * (v1 - v2) + v3 - v4, p4 = -v1 + v2 - v3 + v4;
    return p1 + d * (p2 + d * (p3 + d * p4));
}

static double cubic_row(const uint8_t *row, int64_t width, int64_t x, double d) {
    return cubic(row[clamped(x - 1, width)], row[clamped(x, width)], row[clamped(x + 1, width)],
                 row[clamped(x + 2, width)], d);
}

/* The value at (u, v), where (0.5, 0.5) is the centre of the first pixel. Rows below the image repeat the value so
 * far. */
static uint8_t sample(const uint8_t *plane, int64_t height, int64_t width, double u, double v, bool is_cubic) {
    const int64_t x = (int64_t)floor(u - 0.5), y = (int64_t)floor(v - 0.5);
    const double dx = u - 0.5 - (double)x, dy = v - 0.5 - (double)y;
    if (!is_cubic) {
        const double first = bilinear_row(plane + clamped(y, height) * width, width, x, dx);
        const double second =
            y + 1 >= 0 && y + 1 < height ? bilinear_row(plane + (y + 1) * width, width, x, dx) : first;
        return (uint8_t)(first + (second - first) * dy);
    }
    double rows[4];
    rows[0] = cubic_row(plane + clamped(y - 1, height) * width, width, x, dx);
    for (int i = 1; i < 4; i++)
        rows[i] =
            y - 1 + i >= 0 && y - 1 + i < height ? cubic_row(plane + (y - 1 + i) * width, width, x, dx) : rows[i - 1];
    const double value = cubic(rows[0], rows[1], rows[2], rows[3], dy);
    return (uint8_t)(value <= 0 ? 0 : value >= 255 ? 255 : value);
}

void tg_pil_transform(const tg_Planes *from, const tg_Planes *to, const double a[6],
                      transforms_InterpolationMode mode) {
    if (mode == InterpolationMode_NEAREST || mode == InterpolationMode_NEAREST_EXACT) {
        if (a[1] == 0 && a[3] == 0)
            scale_nearest(from, to, a);
        else
            affine_nearest(from, to, a);
        return;
    }
    for (int64_t y = 0; y < to->height; y++)
        for (int64_t x = 0; x < to->width; x++) {
            const double xin = (double)x + 0.5, yin = (double)y + 0.5;
            const double u = a[0] * xin + a[1] * yin + a[2], v = a[3] * xin + a[4] * yin + a[5];
            if (!(u >= 0 && u < (double)from->width && v >= 0 && v < (double)from->height)) continue;
            for (int64_t i = 0; i < from->count; i++)
                to->data[(i * to->height + y) * to->width + x] =
                    sample(from->data + i * from->height * from->width, from->height, from->width, u, v,
                           mode == InterpolationMode_BICUBIC);
        }
}

void tg_pil_perspective(const tg_Planes *from, const tg_Planes *to, const double a[8],
                        transforms_InterpolationMode mode) {
    const bool is_nearest = mode == InterpolationMode_NEAREST || mode == InterpolationMode_NEAREST_EXACT;
    for (int64_t y = 0; y < to->height; y++)
        for (int64_t x = 0; x < to->width; x++) {
            const double xin = (double)x + 0.5, yin = (double)y + 0.5, d = a[6] * xin + a[7] * yin + 1;
            const double u = (a[0] * xin + a[1] * yin + a[2]) / d, v = (a[3] * xin + a[4] * yin + a[5]) / d;
            if (!(u >= 0 && u < (double)from->width && v >= 0 && v < (double)from->height)) continue;
            for (int64_t i = 0; i < from->count; i++) {
                const uint8_t *plane = from->data + i * from->height * from->width;
                to->data[(i * to->height + y) * to->width + x] =
                    is_nearest ? plane[(int64_t)v * from->width + (int64_t)u]
                               : sample(plane, from->height, from->width, u, v, mode == InterpolationMode_BICUBIC);
            }
        }
}

/* ---- rotations ---- */

/* Python's round(x, 15). */
static double rounded(double x) {
    return rint(x * 1e15) / 1e15;
}

bool tg_pixels(double size, int64_t *pixels) {
    if (isnan(size)) return tg_fail("cannot convert float NaN to integer");
    if (isinf(size)) return tg_fail("cannot convert float infinity to integer");
    *pixels = size < 0x1p62 ? (int64_t)size : INT64_MAX; /* which no memory holds */
    return true;
}

bool tg_pil_rotation(double angle, bool expand, const double *center, int64_t *height, int64_t *width, double a[6],
                     int *quarters) {
    const double w = (double)*width, h = (double)*height;
    angle = fmod(angle, 360);
    if (angle < 0) angle += 360;
    *quarters = -1;
    if (!center && (angle == 0 || angle == 180 || ((angle == 90 || angle == 270) && (expand || w == h)))) {
        *quarters = (int)angle / 90;
        return true;
    }
    const double cx = center ? center[0] : w / 2, cy = center ? center[1] : h / 2, radians = -angle * (M_PI / 180);
    a[0] = a[4] = rounded(cos(radians));
    a[1] = rounded(sin(radians));
    a[3] = rounded(-sin(radians));
    a[2] = a[0] * -cx + a[1] * -cy + 0.0 + cx;
    a[5] = a[3] * -cx + a[4] * -cy + 0.0 + cy;
    if (!expand) return true;
    double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
    for (int corner = 0; corner < 4; corner++) {
        const double x = corner & 1 ? w : 0, y = corner & 2 ? h : 0;
        const double u = a[0] * x + a[1] * y + a[2], v = a[3] * x + a[4] * y + a[5];
        low_x = fmin(low_x, u), high_x = fmax(high_x, u);
        low_y = fmin(low_y, v), high_y = fmax(high_y, v);
    }
    const double not_a_number = 0 * (a[2] + a[5]); /* fmin and fmax leave a NaN out */
    const double nw = ceil(high_x) - floor(low_x) + not_a_number, nh = ceil(high_y) - floor(low_y) + not_a_number;
    const double x = -(nw - w) / 2, y = -(nh - h) / 2, c = a[2], f = a[5];
    a[2] = a[0] * x + a[1] * y + c;
    a[5] = a[3] * x + a[4] * y + f;
    return tg_pixels(nw, width) && tg_pixels(nh, height);
}
