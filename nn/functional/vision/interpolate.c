/* nn/functional/vision/interpolate.c: F.interpolate over one to three dims.
 *
 * Each output is a weighted sum of elements of the input, and the weights are products of one weight a dim: a dim is
 * described by its taps, the elements that each position takes and their weights. One loop over rows serves all modes.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/kernels/parallel.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "nn/functional/convolution/sliding_window_internal.h"
#include "nn/functional/pooling/pooling.h"
#include "nn/functional/vision/interpolate_internal.h"

const F_InterpolateOptions F_InterpolateDefaults = {.size = sizeof(F_InterpolateOptions),
                                                    .output_size = {T_NONE, F_BOTH},
                                                    .scale_factor = {NAN, NAN, NAN},
                                                    .mode = "nearest"};

/* ---- the taps of one dim ---- */

/* Position p is the sum of weights[p count + t] x[indices[p count + t]], t < count; with antialias only t < used[p],
 * the others being 0. */
typedef struct Taps {
    int64_t count, *indices, *used;
    void *weights; /* of the tensor's dtype */
    size_t bytes;
} Taps;

static double keys_cubic(double x, double a) {
    x = fabs(x);
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}
static double sinc(double x) {
    return x == 0 ? 1 : sin(M_PI * x) / (M_PI * x);
}

/* The antialiasing filters, at a distance from their centre in pixels of the smaller of both images. */
static double antialias_weight(Filter filter, double x) {
    if (filter == LINEAR) return fabs(x) < 1 ? 1 - fabs(x) : 0;
    if (filter == CUBIC) return keys_cubic(x, -0.5);
    return x > -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0;
}
/* How far they reach to each side, in pixels of the input. */
static double antialias_support(const Resize *r, int d) {
    const double radius = r->filter == LINEAR ? 1 : r->filter == CUBIC ? 2 : 3;
    return r->step[d] >= 1 ? radius * r->step[d] : radius;
}

/* The pixels below the filter around the output's centre, weighted by it; the weights add up to 1. In float for a
 * float32 image, as in PyTorch: resized bytes, rounded, then come out the same. */
static int64_t antialias_taps(const Resize *r, int d, int64_t p, bool wide, int64_t count, int64_t *indices,
                              double *weights) {
    if (r->in[d] == r->out[d]) {
        indices[0] = p;
        weights[0] = 1;
        return 1;
    }
    const double support = antialias_support(r, d), step = r->step[d];
    const float step32 = (float)step, support32 = (float)support, centre32 = step32 * ((float)p + 0.5f),
                shrink32 = step32 >= 1 ? 1 / step32 : 1;
    const double centre = wide ? step * ((double)p + 0.5) : (double)centre32,
                 shrink = wide ? (step >= 1 ? 1 / step : 1) : (double)shrink32;
    int64_t first = wide ? (int64_t)(centre - support + 0.5) : (int64_t)(centre32 - support32 + 0.5f);
    int64_t last = wide ? (int64_t)(centre + support + 0.5) : (int64_t)(centre32 + support32 + 0.5f);
    if (first < 0) first = 0;
    if (last > r->in[d]) last = r->in[d];
    int64_t used = last - first < count ? last - first : count;
    double sum = 0;
    for (int64_t t = 0; t < used; t++) {
        indices[t] = first + t;
        const double x = wide ? ((double)(first + t) - centre + 0.5) * shrink
                              : (double)(((float)(first + t) - centre32 + 0.5f) * shrink32);
        weights[t] = antialias_weight(r->filter, x);
        if (!wide) weights[t] = (double)(float)weights[t];
        sum = wide ? sum + weights[t] : (double)((float)sum + (float)weights[t]);
    }
    for (int64_t t = 0; t < used && sum != 0; t++)
        weights[t] = wide ? weights[t] / sum : (double)((float)weights[t] / (float)sum);
    return used;
}

/* PyTorch computes the source position in float for float32 (and for the nearest element always), which decides ties.
 */
static double source_position(const Resize *r, int d, int64_t p, bool wide) {
    const float step = (float)r->step[d];
    if (r->align_corners) return wide ? r->step[d] * (double)p : step * (float)p;
    return wide ? r->step[d] * ((double)p + 0.5) - 0.5 : step * ((float)p + 0.5f) - 0.5f;
}

static int64_t clamped(int64_t i, int64_t n) {
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* A dim whose size does not change is copied whatever the scale factor (4 * 1.2 gives 4 elements), except by "nearest"
 * over one or three dims, "nearest-exact" and "bicubic", which use the factor. */
static void taps_at(const Resize *r, int d, int64_t p, bool wide, int64_t *indices, double *weights) {
    const int64_t n = r->in[d];
    const bool same = n == r->out[d];
    weights[0] = 1;
    if (r->filter == NEAREST) {
        indices[0] = same && r->dims == 2 ? p : clamped((int64_t)floorf((float)p * (float)r->step[d]), n);
    } else if (r->filter == NEAREST_EXACT) {
        indices[0] = clamped((int64_t)floorf((float)(((double)p + 0.5) * (double)(float)r->step[d])), n);
    } else if (r->filter == LINEAR) {
        double position = same ? (double)p : source_position(r, d, p, wide);
        if (position < 0) position = 0;
        const int64_t low = clamped((int64_t)position, n);
        const double weight = position - (double)low;
        indices[0] = low;
        indices[1] = same ? low : clamped(low + 1, n);
        weights[1] = weight < 1 ? weight : 1;
        weights[0] = 1 - weights[1];
    } else {
        const double position = source_position(r, d, p, wide), low = floor(position), t = position - low;
        for (int i = 0; i < 4; i++) {
            indices[i] = clamped((int64_t)low - 1 + i, n);
            weights[i] = keys_cubic(t + 1 - i, -0.75);
        }
    }
}

static int64_t taps_count(const Resize *r, int d) {
    if (r->antialias) return (int64_t)ceil(antialias_support(r, d)) * 2 + 1;
    return r->filter == LINEAR ? 2 : r->filter == CUBIC ? 4 : 1;
}

/* False where there is no memory. Dims that x does not have get one tap of weight 1. */
static bool begin_taps(const Resize *r, int d, bool wide, Taps *taps) {
    const bool is_real = d >= 3 - r->dims;
    const int64_t P = r->out[d], K = taps->count = is_real ? taps_count(r, d) : 1;
    if (K > (INT64_MAX >> 8) / P) return false;
    taps->bytes = (size_t)(P * K) * 2 * sizeof(int64_t) + (size_t)P * sizeof(int64_t) + (size_t)K * sizeof(double);
    taps->indices = tg_alloc_raw(taps->bytes);
    if (!taps->indices) return false;
    taps->used = taps->indices + P * K;
    taps->weights = taps->used + P;
    double *exact = (double *)taps->weights + P * K;
    for (int64_t p = 0; p < P; p++) {
        int64_t *indices = taps->indices + p * K;
        exact[0] = 1;
        indices[0] = 0;
        taps->used[p] = K;
        if (is_real && r->antialias)
            taps->used[p] = antialias_taps(r, d, p, wide, K, indices, exact);
        else if (is_real)
            taps_at(r, d, p, wide, indices, exact);
        for (int64_t t = 0; t < taps->used[p]; t++)
            if (wide)
                ((double *)taps->weights)[p * K + t] = exact[t];
            else
                ((float *)taps->weights)[p * K + t] = (float)exact[t];
    }
    return true;
}

/* ---- loops over dense rows: y from x, and the adjoint, which adds y's contributions to x ---- */

typedef struct Rows {
    const Resize *r;
    const Taps *taps; /* of the three dims */
    void *x, *y;
    void *work; /* of the adjoint: a row of x for each volume */
} Rows;

/* One row of the input, interpolated along its width and weighted, is written to a row of y, or is added to it; and the
 * adjoint of the interpolation, which adds a row of y to a row of x. K: the taps, 0 for as many as are used. */
#define ROW(T)                                                                                                     \
    static inline void gather_##T(const Taps *h, int64_t K, int64_t width, const T *x, T weight, bool add, T *y) { \
        const int64_t *indices = h->indices;                                                                       \
        const T *w = h->weights;                                                                                   \
        for (int64_t q = 0; q < width; q++, indices += h->count, w += h->count) {                                  \
            T sum = w[0] * x[indices[0]];                                                                          \
            for (int64_t t = 1, last = K ? K : h->used[q]; t < last; t++) sum += w[t] * x[indices[t]];             \
            y[q] = add ? y[q] + weight * sum : weight * sum;                                                       \
        }                                                                                                          \
    }                                                                                                              \
    static inline void scatter_##T(const Taps *h, int64_t K, int64_t width, T *x, const T *y) {                    \
        const int64_t *indices = h->indices;                                                                       \
        const T *w = h->weights;                                                                                   \
        for (int64_t q = 0; q < width; q++, indices += h->count, w += h->count)                                    \
            for (int64_t t = 0, last = K ? K : h->used[q]; t < last; t++) x[indices[t]] += w[t] * y[q];            \
    }                                                                                                              \
    static void gather_row_##T(const Rows *z, const T *x, T weight, bool add, T *y) {                              \
        const Taps *h = &z->taps[2];                                                                               \
        const int64_t width = z->r->out[2];                                                                        \
        if (z->r->antialias)                                                                                       \
            gather_##T(h, 0, width, x, weight, add, y);                                                            \
        else if (h->count == 1)                                                                                    \
            gather_##T(h, 1, width, x, weight, add, y);                                                            \
        else if (h->count == 2)                                                                                    \
            gather_##T(h, 2, width, x, weight, add, y);                                                            \
        else                                                                                                       \
            gather_##T(h, 4, width, x, weight, add, y);                                                            \
    }                                                                                                              \
    static void scatter_row_##T(const Rows *z, T *x, const T *y) {                                                 \
        const Taps *h = &z->taps[2];                                                                               \
        const int64_t width = z->r->out[2];                                                                        \
        if (z->r->antialias)                                                                                       \
            scatter_##T(h, 0, width, x, y);                                                                        \
        else if (h->count == 1)                                                                                    \
            scatter_##T(h, 1, width, x, y);                                                                        \
        else if (h->count == 2)                                                                                    \
            scatter_##T(h, 2, width, x, y);                                                                        \
        else                                                                                                       \
            scatter_##T(h, 4, width, x, y);                                                                        \
    }
/* Rows of y from .. to - 1, of all volumes; each is a weighted sum of rows of x. */
#define FOR_EACH_ROW(T, gather, scatter)                                                                         \
    static void gather(int64_t from, int64_t to, void *context) {                                                \
        const Rows *z = context;                                                                                 \
        const Resize *r = z->r;                                                                                  \
        const Taps *front = &z->taps[0], *down = &z->taps[1];                                                    \
        const int64_t rows = r->out[0] * r->out[1];                                                              \
        for (int64_t n = from; n < to; n++) {                                                                    \
            const int64_t d = n % rows / r->out[1], h = n % r->out[1];                                           \
            const T *x = (const T *)z->x + n / rows * (r->in[0] * r->in[1] * r->in[2]);                          \
            for (int64_t i = d * front->count, to_add = 0; i < d * front->count + front->used[d]; i++)           \
                for (int64_t j = h * down->count; j < h * down->count + down->used[h]; j++, to_add++)            \
                    gather_row_##T(z, x + (front->indices[i] * r->in[1] + down->indices[j]) * r->in[2],          \
                                   ((T *)front->weights)[i] * ((T *)down->weights)[j], to_add,                   \
                                   (T *)z->y + n * r->out[2]);                                                   \
        }                                                                                                        \
    }                                                                                                            \
    static void scatter(int64_t from, int64_t to, void *context) {                                               \
        const Rows *z = context;                                                                                 \
        const Resize *r = z->r;                                                                                  \
        const Taps *front = &z->taps[0], *down = &z->taps[1];                                                    \
        const int64_t rows = r->out[0] * r->out[1], width = r->in[2];                                            \
        for (int64_t n = from; n < to; n++) {                                                                    \
            const int64_t d = n % rows / r->out[1], h = n % r->out[1];                                           \
            T *x = (T *)z->x + n / rows * (r->in[0] * r->in[1] * width), *row = (T *)z->work + n / rows * width; \
            memset(row, 0, (size_t)width * sizeof *row);                                                         \
            scatter_row_##T(z, row, (const T *)z->y + n * r->out[2]);                                            \
            for (int64_t i = d * front->count; i < d * front->count + front->used[d]; i++)                       \
                for (int64_t j = h * down->count; j < h * down->count + down->used[h]; j++) {                    \
                    const T weight = ((T *)front->weights)[i] * ((T *)down->weights)[j];                         \
                    T *to_row = x + (front->indices[i] * r->in[1] + down->indices[j]) * width;                   \
                    for (int64_t q = 0; q < width; q++) to_row[q] += weight * row[q];                            \
                }                                                                                                \
        }                                                                                                        \
    }
ROW(float)
ROW(double)
FOR_EACH_ROW(float, gather_float32, scatter_float32)
FOR_EACH_ROW(double, gather_float64, scatter_float64)
#undef ROW
#undef FOR_EACH_ROW

/* Threads divide the rows of y, or where they are added to x the volumes, by grains. False where there is no memory. */
static bool resize_volumes(const Resize *r, int64_t volumes, Tensor *x, Tensor *y, bool is_adjoint) {
    const bool wide = x->dtype == t_float64;
    const int64_t rows = r->out[0] * r->out[1], least = 1 + 16384 / r->out[2];
    const size_t work = is_adjoint ? (size_t)(volumes * r->in[2]) * tg_itemsize(x->dtype) : 0;
    Taps taps[3] = {{0}};
    Rows z = {r, taps, tg_data(x), tg_data(y), work ? tg_alloc_raw(work) : NULL};
    bool ok = !work || z.work;
    for (int d = 0; d < 3 && ok && volumes; d++) ok = begin_taps(r, d, wide, &taps[d]);
    if (ok && is_adjoint)
        tg_parallel(volumes * rows, (least + rows - 1) / rows * rows, wide ? scatter_float64 : scatter_float32, &z);
    else if (ok)
        tg_parallel(volumes * rows, least, wide ? gather_float64 : gather_float32, &z);
    if (z.work) tg_free(z.work, work);
    for (int d = 0; d < 3; d++)
        if (taps[d].indices) tg_free(taps[d].indices, taps[d].bytes);
    return ok;
}

/* ---- the forward and its adjoint; each is the other's gradient ---- */

static Tensor *resized(Tensor *x, const Resize *r);
static Tensor *resized_backward(Tensor *y, const Resize *r);

static void resize_backward(Record *record, Tensor *dy, Tensor **dx) {
    dx[0] = dy ? resized_backward(dy, record->attributes) : NULL;
}
static void resize_backward_backward(Record *record, Tensor *dy, Tensor **dx) {
    dx[0] = dy ? resized(dy, record->attributes) : NULL;
}
static const Op resize_ops[][3] = {
    /* by filter and dims */
    [NEAREST] = {{"interpolate", "UpsampleNearest1DBackward0", resize_backward},
                 {"interpolate", "UpsampleNearest2DBackward0", resize_backward},
                 {"interpolate", "UpsampleNearest3DBackward0", resize_backward}},
    [NEAREST_EXACT] = {{"interpolate", "UpsampleNearestExact1DBackward0", resize_backward},
                       {"interpolate", "UpsampleNearestExact2DBackward0", resize_backward},
                       {"interpolate", "UpsampleNearestExact3DBackward0", resize_backward}},
    [LINEAR] = {{"interpolate", "UpsampleLinear1DBackward0", resize_backward},
                {"interpolate", "UpsampleBilinear2DBackward0", resize_backward},
                {"interpolate", "UpsampleTrilinear3DBackward0", resize_backward}},
    [CUBIC] = {[1] = {"interpolate", "UpsampleBicubic2DBackward0", resize_backward}},
};
static const Op antialias_ops[] = {
    [LINEAR] = {"interpolate", "UpsampleBilinear2DAaBackward0", resize_backward},
    [CUBIC] = {"interpolate", "UpsampleBicubic2DAaBackward0", resize_backward},
    [LANCZOS] = {"interpolate", "UpsampleLanczos2DAaBackward0", resize_backward},
};
static const Op resize_backward_op = {"interpolate_backward", "UpsampleBackwardBackward0", resize_backward_backward};

/* An empty tensor with x's batch and channels, and volumes of that size. */
static Tensor *with_volumes(const Tensor *x, const int64_t size[3], int dims) {
    int64_t shape[5] = {x->shape[0], x->shape[1]};
    for (int d = 0; d < dims; d++) shape[2 + d] = size[3 - dims + d];
    return tg_empty(shape, 2 + dims, x->dtype);
}

static Tensor *resized(Tensor *x, const Resize *r) {
    int depth = t_scope_open();
    Tensor *dense = depth ? t_contiguous(t_detach(x)) : NULL, *y = dense ? with_volumes(x, r->out, r->dims) : NULL;
    y = y && resize_volumes(r, x->shape[0] * x->shape[1], dense, y, false) ? t_keep_object(y) : NULL;
    t_scope_close(depth);
    const Op *op = r->antialias ? &antialias_ops[r->filter] : &resize_ops[r->filter][r->dims - 1];
    return tg_record(op, y, INPUTS(x), NONE, ATTRIBUTES(*r));
}

static Tensor *resized_backward(Tensor *y, const Resize *r) {
    int depth = t_scope_open();
    Tensor *dense = depth ? t_contiguous(t_detach(y)) : NULL, *x = dense ? with_volumes(y, r->in, r->dims) : NULL;
    if (x) tg_fill_into(x, 0);
    x = x && resize_volumes(r, y->shape[0] * y->shape[1], x, dense, true) ? t_keep_object(x) : NULL;
    t_scope_close(depth);
    return tg_record(&resize_backward_op, x, INPUTS(y), NONE, ATTRIBUTES(*r));
}

/* ---- uint8 images: PyTorch's fixed-point numbers, which are Pillow's ----
 * One dim after the other, the width first, with uint8 in between: y = (2^(p - 1) + sum of w x) >> p, where a weight w
 * is an int16 in units of 2^-p, and p is as large as the largest weight permits. */

typedef struct FixedPass {
    const Taps *taps;
    int16_t *weights;
    int precision;
    int64_t inner, in, out; /* x: (outer, in, inner), y: (outer, out, inner) */
    const uint8_t *x;
    uint8_t *y;
} FixedPass;

/* Adds up the weights of taps at the same pixel, the one at a border. */
static void merge_taps(Taps *taps, int64_t positions) {
    for (int64_t p = 0; p < positions; p++) {
        int64_t *indices = taps->indices + p * taps->count, used = 1;
        double *weights = (double *)taps->weights + p * taps->count;
        for (int64_t t = 1; t < taps->used[p]; t++) {
            if (indices[t] == indices[used - 1]) {
                weights[used - 1] += weights[t];
            } else {
                indices[used] = indices[t];
                weights[used++] = weights[t];
            }
        }
        taps->used[p] = used;
    }
}

static void round_weights(FixedPass *pass) {
    const double *weights = pass->taps->weights;
    const int64_t K = pass->taps->count;
    double largest = 0;
    for (int64_t p = 0; p < pass->out; p++)
        for (int64_t t = 0; t < pass->taps->used[p]; t++) largest = fmax(largest, weights[p * K + t]);
    pass->precision = 0;
    while (pass->precision < 22 && (int)(0.5 + largest * (1 << (pass->precision + 1))) < 1 << 15) pass->precision++;
    for (int64_t i = 0; i < pass->out * K; i++) {
        const double weight = weights[i] * (1 << pass->precision);
        pass->weights[i] = i % K < pass->taps->used[i / K] ? (int16_t)(weight < 0 ? weight - 0.5 : weight + 0.5) : 0;
    }
}

static uint8_t fixed_to_uint8(int32_t sum, int precision) {
    sum >>= precision;
    return (uint8_t)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
}

/* Rows of y from .. to - 1: a row is of `inner` elements, or of the width where inner is 1. */
static void fixed_rows(int64_t from, int64_t to, void *context) {
    const FixedPass *z = context;
    const Taps *taps = z->taps;
    const int32_t half = 1 << (z->precision - 1);
    for (int64_t row = from; row < to; row++) {
        const int64_t first = z->inner == 1 ? 0 : row % z->out, last = z->inner == 1 ? z->out : first + 1;
        const uint8_t *x = z->x + (z->inner == 1 ? row : row / z->out) * z->in * z->inner;
        for (int64_t p = first; p < last; p++) {
            const int64_t *at = taps->indices + p * taps->count;
            const int16_t *w = z->weights + p * taps->count;
            uint8_t *y = z->y + (z->inner == 1 ? row * z->out + p : row * z->inner);
            for (int64_t i = 0; i < z->inner; i++) {
                int32_t sum = half;
                for (int64_t t = 0; t < taps->used[p]; t++) sum += w[t] * x[at[t] * z->inner + i];
                y[i] = fixed_to_uint8(sum, z->precision);
            }
        }
    }
}

/* (outer, in, inner) to (outer, out, inner), along dim d. */
static Tensor *resized_along(Tensor *x, const Resize *r, int d, int64_t outer, int64_t inner) {
    const int64_t count = outer * r->out[d] * inner, rows = inner == 1 ? outer : outer * r->out[d];
    Tensor *y = x ? tg_empty(&count, 1, t_uint8) : NULL;
    Taps taps = {0};
    if (!y || count == 0) return y;
    if (!begin_taps(r, d, true, &taps)) return NULL;
    merge_taps(&taps, r->out[d]);
    const size_t bytes = (size_t)(r->out[d] * taps.count) * sizeof(int16_t);
    FixedPass pass = {.taps = &taps,
                      .weights = tg_alloc_raw(bytes),
                      .inner = inner,
                      .in = r->in[d],
                      .out = r->out[d],
                      .x = tg_data(x),
                      .y = tg_data(y)};
    if (pass.weights) {
        round_weights(&pass);
        tg_parallel(rows, 1 + 16384 / (count / rows), fixed_rows, &pass);
        tg_free(pass.weights, bytes);
    }
    tg_free(taps.indices, taps.bytes);
    return pass.weights ? y : NULL;
}

static Tensor *resized_uint8(Tensor *x, const Resize *r) {
    const int64_t planes = x->shape[0] * x->shape[1], shape[] = {x->shape[0], x->shape[1], r->out[1], r->out[2]};
    int depth = t_scope_open();
    Tensor *y = depth ? t_contiguous(x) : NULL;
    if (r->in[2] != r->out[2]) y = resized_along(y, r, 2, planes * r->in[1], 1);
    if (r->in[1] != r->out[1]) y = resized_along(y, r, 1, planes, r->out[2]);
    return tg_scope_return(depth, y ? t_clone(t_reshape(y, shape, 4)) : NULL);
}

/* ---- F.interpolate ---- */

/* The modes, the rank that each takes (0: any from 3 to 5) and whether it takes align_corners. */
static const struct {
    const char *name;
    int rank;
    bool takes_align_corners;
    Filter filter;
} modes[] = {{"nearest", 0, false, NEAREST}, {"linear", 3, true, LINEAR},
             {"bilinear", 4, true, LINEAR},  {"bicubic", 4, true, CUBIC},
             {"trilinear", 5, true, LINEAR}, {"lanczos", 4, true, LANCZOS},
             {"area", 0, false, AREA},       {"nearest-exact", 0, false, NEAREST_EXACT}};

static int mode_named(const char *name) {
    for (int i = 0; i < (int)(sizeof modes / sizeof *modes); i++)
        if (strcmp(name, modes[i].name) == 0) return i;
    return -1;
}

const char *tg_interpolate_mode(const char *name) {
    const int i = mode_named(name);
    return i < 0 ? NULL : modes[i].name;
}

static bool read_mode(const Tensor *x, const char *name, Resize *r) {
    const int i = mode_named(name), rank = i < 0 ? 0 : modes[i].rank;
    const bool is_linear = i >= 0 && modes[i].filter == LINEAR;
    if (x->ndim < 3 || x->ndim > 5 || i < 0 || (rank && rank != x->ndim && !is_linear))
        return tg_fail("Input Error: Only 3D, 4D and 5D input Tensors supported (got %dD) for the modes: nearest | "
                       "linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got %s)",
                       x->ndim, name);
    if (rank && rank != x->ndim) return tg_fail("Got %dD input, but %s mode needs %dD input", x->ndim, name, rank);
    r->filter = modes[i].filter;
    if (r->filter != LANCZOS) return true;
    if (r->align_corners) return tg_fail("Lanczos mode does not support align_corners=True");
    return r->antialias || tg_fail("Lanczos mode requires antialias=True") != NULL;
}

/* A tuple shorter than three ends with T_NONE or NAN, or with 0 where a struct leaves it out. */
int tg_sizes_given(const F_InterpolateOptions *o, int dims) {
    if (o->output_size[0] == T_NONE) return 0;
    if (o->output_size[1] == F_BOTH) return -1;
    int count = 1;
    while (count < 3 && o->output_size[count] != T_NONE && (count < dims || o->output_size[count] != 0)) count++;
    return count;
}
int tg_factors_given(const F_InterpolateOptions *o) {
    if (isnan(o->scale_factor[0])) return 0;
    if (isnan(o->scale_factor[1])) return -1;
    return isnan(o->scale_factor[2]) || o->scale_factor[2] == 0 ? 2 : 3;
}

void tg_factors_repr(const double *factors, int count, char *text, size_t size) {
    int at = snprintf(text, size, count > 0 ? "(%s" : "%s", tg_number_text(factors[0]));
    for (int i = 1; i < count; i++) at += snprintf(text + at, size - (size_t)at, ", %s", tg_number_text(factors[i]));
    if (count > 0) snprintf(text + at, size - (size_t)at, ")");
}

static bool check_count(const Tensor *x, const F_InterpolateOptions *o, int sizes, int factors) {
    const int dims = x->ndim - 2;
    const char *in = tg_shape_text(x->shape + 2, dims);
    if (sizes > 0 && sizes != dims)
        return tg_fail("Input and output must have the same number of spatial dimensions, but got input with spatial "
                       "dimensions of %s and output size of %s. Please provide input tensor in (N, C, d1, d2, ...,dK) "
                       "format and output size in (o1, o2, ...,oK) format.",
                       in, tg_tuple_repr(o->output_size, sizes).text);
    char text[100];
    tg_factors_repr(o->scale_factor, factors, text, sizeof text);
    return factors <= 0 || factors == dims ||
           tg_fail("Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
                   "dimensions of %s and scale_factor of shape %s. Please provide input tensor in (N, C, d1, d2, "
                   "...,dK) format and scale_factor in (s1, s2, ...,sK) format.",
                   in, text) != NULL;
}

/* Size and step along dim d; `which` is the index of that dim in output_size and scale_factor. */
static bool read_size(const Tensor *x, const F_InterpolateOptions *o, int which, int d, Resize *r) {
    const int64_t in = r->in[d] = x->shape[2 + which];
    const double scale = o->scale_factor[isnan(o->scale_factor[1]) ? 0 : which], scaled = floor((double)in * scale);
    if (!isnan(scale) && !tg_check_scalar_fits(scaled, t_int64)) return false;
    const int64_t size = o->output_size[o->output_size[1] == F_BOTH ? 0 : which];
    const int64_t out = r->out[d] = isnan(scale) ? size : (int64_t)scaled;
    r->step[d] = scale > 0 && !o->recompute_scale_factor ? 1 / scale : (double)in / (double)out;
    if (r->align_corners) r->step[d] = out > 1 ? (double)(in - 1) / (double)(out - 1) : 0;
    return true;
}

static bool check_resize(const Tensor *x, const Resize *r) {
    bool positive = true;
    for (int d = 0; d < 3; d++) positive = positive && r->in[d] > 0 && r->out[d] > 0;
    if (positive)
        return x->shape[1] > 0 || tg_fail("Non-empty %dD data tensor expected but got a tensor with sizes %s", x->ndim,
                                          tg_shape_of(x)) != NULL;
    char in[100] = "", out[100] = "";
    for (int d = 3 - r->dims, at = 0, to = 0; d < 3; d++) {
        const char *comma = d > 3 - r->dims ? ", " : "";
        at += snprintf(in + at, sizeof in - (size_t)at, "%s%c: %lld", comma, "DHW"[d], (long long)r -> in[d]);
        to += snprintf(out + to, sizeof out - (size_t)to, "%s%c: %lld", comma, "DHW"[d], (long long)r -> out[d]);
    }
    return tg_fail("Input and output sizes should be greater than 0, but got input (%s)%s output (%s)", in,
                   r->dims == 1 ? " and" : "", out);
}

static bool read_options(const Tensor *x, const F_InterpolateOptions *o, Resize *r) {
    const char *mode = o->mode ? o->mode : "nearest";
    const int named = mode_named(mode), sizes = tg_sizes_given(o, x->ndim - 2), factors = tg_factors_given(o);
    *r = (Resize){.dims = x->ndim - 2,
                  .align_corners = o->align_corners,
                  .antialias = o->antialias,
                  .in = {1, 1, 1},
                  .out = {1, 1, 1},
                  .step = {1, 1, 1}};
    if (o->align_corners && named >= 0 && !modes[named].takes_align_corners)
        return tg_fail("align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic "
                       "| trilinear");
    if (sizes && factors) return tg_fail("only one of size or scale_factor should be defined");
    if (!sizes && !factors) return tg_fail("either size or scale_factor should be defined");
    if (x->ndim >= 3 && x->ndim <= 5 && !check_count(x, o, sizes, factors)) return false;
    if (o->recompute_scale_factor && sizes)
        return tg_fail("recompute_scale_factor is not meaningful with an explicit size.");
    if (o->antialias && (x->ndim != 4 || named < 0 || modes[named].rank != 4))
        return tg_fail("Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D "
                       "tensor as input");
    if (!read_mode(x, mode, r)) return false;
    for (int i = 0; i < r->dims; i++)
        if (!read_size(x, o, i, 3 - r->dims + i, r)) return false;
    return r->filter == AREA || check_resize(x, r);
}

static Tensor *averaged(Tensor *x, const Resize *r) {
    if (r->dims == 1) return F_adaptive_avg_pool1d(x, r->out[2]);
    return r->dims == 2 ? F_adaptive_avg_pool2d(x, r->out + 1) : F_adaptive_avg_pool3d(x, r->out);
}

static Tensor *nearest_of_uint8(Tensor *x, const Resize *r) {
    int depth = t_scope_open();
    Tensor *wide = depth ? t_to(x, t_float32) : NULL;
    return depth ? tg_scope_return(depth, wide ? t_to(resized(wide, r), t_uint8) : NULL) : NULL;
}

/* The loop that PyTorch has no form of for other dtypes. */
static const char *loop_name(const Resize *r) {
    if (r->antialias) return "compute_index_ranges_weights";
    return r->filter == CUBIC    ? "compute_indices_weights_cubic"
           : r->filter == LINEAR ? "compute_indices_weights_linear"
                                 : "compute_indices_weights_nearest";
}

/* F.interpolate(x, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias): resizes x's last dims
 * to `size`, or to floor(n scale_factor). Modes:
 *   nearest        the element at floor(p in / out);   nearest-exact: at floor((p + 1/2) in / out)
 *   linear, bilinear, trilinear (one, two, three dims)  between neighbouring elements
 *   bicubic        Keys' cubic kernel with a = -3/4, over 4 x 4 elements; borders are repeated
 *   area           the mean of the elements below each output: F.adaptive_avg_pool
 *   lanczos        sinc(x) sinc(x / 3), with antialias only
 * With align_corners the first and last elements coincide; without it elements are squares and both images cover the
 * same area. antialias (bilinear, bicubic, lanczos) widens the kernel by in / out where the image becomes smaller.
 * recompute_scale_factor: positions are computed from in / out in place of 1 / scale_factor. A dim whose size does not
 * change is copied, but "nearest" over one or three dims, "nearest-exact" and "bicubic" use the scale factor even then
 * (p / scale_factor). PyTorch's forward does the same, while its backward of "nearest" is that of a copy, and that of
 * antialias uses the factor; here both do the same. (With antialias, and of uint8, an output of width 1 whose height
 * changes may be wrong in PyTorch 2.15: all its rows are equal.) x: (N, C, L), (N, C, H, W) or (N, C, D, H, W),
 * floating; "nearest" and the modes of two dims but "area" take uint8 too, in fixed-point numbers. dx sums the
 * contributions of dy. Errors: neither or both of size and scale_factor, another number of them than x has dims, sizes
 * below 1, another mode. */
Tensor *F_interpolate(Tensor *x, const F_InterpolateOptions *options) {
    TG_COMPOSITE("interpolate");
    F_InterpolateOptions o = F_InterpolateDefaults;
    Resize r;
    if (!tg_check_any(x, 1) || !tg_take_options(&o, options, sizeof o) || !read_options(x, &o, &r)) return NULL;
    if (r.filter == AREA) return averaged(x, &r);
    if (x->dtype == t_uint8 && (r.filter == NEAREST || r.filter == NEAREST_EXACT)) return nearest_of_uint8(x, &r);
    if (x->dtype == t_uint8 && r.dims == 2) return resized_uint8(x, &r);
    if (!tg_is_floating(x->dtype) || (tg_is_half(x->dtype) && r.antialias))
        return tg_not_implemented(loop_name(&r), x->dtype);
    return tg_is_half(x->dtype) ? tg_narrowed(F_interpolate(tg_widened(x), options), x->dtype) : resized(x, &r);
}
