/* core/vision/transforms/pil_resize.c: Image.resize of Pillow: a separable filter whose support grows with the
 * reduction, in fixed point, along the rows and along the columns: first along the columns if that makes the image
 * smaller sooner, as from Pillow 13 on. */
#include <math.h>
#include <string.h>

#include "core/tensor/context.h"
#include "core/vision/transforms/pil_internal.h"

enum { BITS = 32 - 8 - 2 }; /* of the weights' fractions: a sum of 255 times weights fits an int32 */

/* ---- filters, with their supports ---- */

static double sinc(double x) {
    return x == 0 ? 1 : sin(x * M_PI) / (x * M_PI);
}

static double filter_at(transforms_InterpolationMode mode, double x) {
    const double a = -0.5;
    const double d = fabs(x);
    switch (mode) {
    case InterpolationMode_BOX: return x > -0.5 && x <= 0.5 ? 1 : 0;
    case InterpolationMode_HAMMING:
        return d == 0 ? 1 : d >= 1 ? 0 : sin(d * M_PI) / (d * M_PI) * (0.54 + 0.46 * cos(d * M_PI));
    case InterpolationMode_BICUBIC: /* Keys' kernel */
        if (d < 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
        return d < 2 ? (((d - 5) * d + 8) * d - 4) * a : 0;
    case InterpolationMode_LANCZOS: return -3 <= x && x < 3 ? sinc(x) * sinc(x / 3) : 0;
    default: return d < 1 ? 1 - d : 0;
    }
}

static double support_of(transforms_InterpolationMode mode) {
    return mode == InterpolationMode_BOX       ? 0.5
           : mode == InterpolationMode_BICUBIC ? 2
           : mode == InterpolationMode_LANCZOS ? 3
                                               : 1;
}

/* ---- weights: output i is the sum of weights[i * taps + t] times the input first[i] + t, t < used[i] ---- */

typedef struct Weights {
    int64_t taps, *first, *used;
    int32_t *weights;
    size_t bytes;
} Weights;

static bool make_weights(Weights *w, int64_t in, int64_t out, transforms_InterpolationMode mode) {
    const double scale = (double)in / (double)out, filter_scale = scale < 1 ? 1 : scale;
    const double support = support_of(mode) * filter_scale;
    w->taps = (int64_t)ceil(support) * 2 + 1;
    w->bytes =
        (size_t)out * (2 * sizeof(int64_t) + (size_t)w->taps * sizeof(int32_t)) + (size_t)w->taps * sizeof(double) + 8;
    w->first = tg_alloc_raw(w->bytes);
    if (!w->first) return false;
    w->used = w->first + out;
    double *exact = (double *)(w->used + out);
    w->weights = (int32_t *)(exact + w->taps);
    for (int64_t i = 0; i < out; i++) {
        const double center = ((double)i + 0.5) * scale;
        int64_t from = (int64_t)(center - support + 0.5), to = (int64_t)(center + support + 0.5);
        if (from < 0) from = 0;
        if (to > in) to = in;
        double sum = 0;
        for (int64_t t = 0; t < to - from; t++)
            sum += exact[t] = filter_at(mode, ((double)(t + from) - center + 0.5) * (1 / filter_scale));
        w->first[i] = from;
        w->used[i] = to - from;
        for (int64_t t = 0; t < to - from; t++) {
            const double k = (sum != 0 ? exact[t] / sum : exact[t]) * (1 << BITS);
            w->weights[i * w->taps + t] = (int32_t)(k < 0 ? k - 0.5 : k + 0.5);
        }
    }
    return true;
}

static inline uint8_t clip(int32_t sum) {
    const int32_t x = sum >> BITS;
    return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x);
}

static void resize_rows(const uint8_t *in, int64_t rows, int64_t width, uint8_t *out, int64_t out_width,
                        const Weights *w) {
    for (int64_t y = 0; y < rows; y++)
        for (int64_t x = 0; x < out_width; x++) {
            const uint8_t *p = in + y * width + w->first[x];
            const int32_t *k = w->weights + x * w->taps;
            int32_t sum = 1 << (BITS - 1);
            for (int64_t t = 0; t < w->used[x]; t++) sum += p[t] * k[t];
            out[y * out_width + x] = clip(sum);
        }
}

static void resize_columns(const uint8_t *in, int64_t width, uint8_t *out, int64_t out_height, const Weights *w,
                           int32_t *sums) {
    for (int64_t y = 0; y < out_height; y++) {
        const int32_t *k = w->weights + y * w->taps;
        for (int64_t x = 0; x < width; x++) sums[x] = 1 << (BITS - 1);
        for (int64_t t = 0; t < w->used[y]; t++) {
            const uint8_t *p = in + (w->first[y] + t) * width;
            for (int64_t x = 0; x < width; x++) sums[x] += p[x] * k[t];
        }
        for (int64_t x = 0; x < width; x++) out[y * width + x] = clip(sums[x]);
    }
}

bool tg_pil_resize(const tg_Planes *from, const tg_Planes *to, transforms_InterpolationMode mode) {
    const int64_t H = from->height, W = from->width, h = to->height, w = to->width;
    if (mode == InterpolationMode_NEAREST || mode == InterpolationMode_NEAREST_EXACT) {
        tg_pil_transform(from, to, (double[]){(double)W / (double)w, 0, 0, 0, (double)H / (double)h, 0},
                         InterpolationMode_NEAREST);
        return true;
    }
    Weights rows = {.first = NULL}, columns = {.first = NULL};
    const bool columns_first = H > h && H - h > 2 * (W - w);
    const int64_t widest = W > w ? W : w, pixels = columns_first ? h * W : H * w;
    const size_t bytes = (size_t)pixels + (size_t)widest * sizeof(int32_t) + sizeof(int32_t);
    int32_t *sums = tg_alloc_raw(bytes);
    uint8_t *between = sums ? (uint8_t *)(sums + widest) : NULL;
    const bool ok = sums && make_weights(&rows, W, w, mode) && make_weights(&columns, H, h, mode);
    for (int64_t i = 0; ok && i < from->count; i++) {
        const uint8_t *in = from->data + i * H * W;
        uint8_t *out = to->data + i * h * w;
        if (columns_first) {
            resize_columns(in, W, W == w ? out : between, h, &columns, sums);
            if (W != w) resize_rows(between, h, W, out, w, &rows);
            continue;
        }
        if (W != w) resize_rows(in, H, W, H == h ? out : between, w, &rows);
        if (H != h) resize_columns(W != w ? between : in, w, out, h, &columns, sums);
        if (W == w && H == h) memcpy(out, in, (size_t)(h * w));
    }
    tg_free(rows.first, rows.bytes);
    tg_free(columns.first, columns.bytes);
    tg_free(sums, bytes);
    return ok;
}
