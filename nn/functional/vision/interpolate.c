/* nn/functional/vision/interpolate.c: F.interpolate, nearest, linear and bilinear resizing. */
#include <math.h>
#include <string.h>

#include "core/kernels/parallel.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "nn/functional/vision/vision.h"

const F_InterpolateOptions F_InterpolateDefaults = {.size = sizeof(F_InterpolateOptions),
                                                    .output_size = {T_NONE, F_BOTH}, .scale_factor = {NAN, NAN},
                                                    .mode = "nearest"};

typedef enum Mode { NEAREST, LINEAR, BILINEAR } Mode;

/* Index 0 is the height, 1 the width; over one dim the height is 1. `step` is the distance in the source between two
 * neighbouring outputs. */
typedef struct Resize {
    int dims;
    Mode mode;
    bool align_corners;
    int64_t in[2], out[2];
    double step[2];
} Resize;

/* The output at a position is (1 - weight) x[low] + weight x[high] along one dim. */
typedef struct Interpolation {
    int64_t low, high;
    double weight;
} Interpolation;

/* PyTorch computes the source position in float for float32 (and for "nearest" always), which decides ties. A dim whose
 * size does not change is copied whatever the scale factor (4 * 1.2 gives 4 elements), except by "nearest" over one
 * dim, which uses the factor. */
static Interpolation interpolation(const Resize *r, int d, int64_t p, bool wide) {
    int64_t last = r->in[d] - 1;
    if (r->in[d] == r->out[d] && !(r->mode == NEAREST && r->dims == 1)) return (Interpolation){p, p, 0};
    float step = (float)r->step[d];
    if (r->mode == NEAREST) {
        int64_t low = (int64_t)floorf((float)p * step);
        low = low < last ? low : last;
        return (Interpolation){low, low, 0};
    }
    double position = r->align_corners ? (wide ? r->step[d] * (double)p : step * (float)p)
                                    : (wide ? r->step[d] * ((double)p + 0.5) - 0.5 : step * ((float)p + 0.5f) - 0.5f);
    if (position < 0) position = 0;
    int64_t low = (int64_t)position < last ? (int64_t)position : last;
    double weight = position - (double)low;
    return (Interpolation){low, low < last ? low + 1 : low, weight < 1 ? weight : 1};
}

/* ---- loops over dense planes: y from x, and the adjoint, which adds y's contributions to x ---- */

typedef struct Planes {
    const Resize *r;
    const Interpolation *rows, *columns; /* of each row and column of y */
    void *x, *y;
} Planes;

/* One row of y: a copy of the nearest element, or a linear interpolation within one row or between two. */
#define GATHER_ROW(T)                                                                                        \
    static void gather_row_##T(const Planes *z, const T *above, const T *below, T down, T *y) {              \
        const Interpolation *h = z->columns;                                                                 \
        const int64_t width = z->r->out[1];                                                                  \
        for (int64_t q = 0; q < width && z->r->mode == NEAREST; q++) y[q] = above[h[q].low];                 \
        for (int64_t q = 0; q < width && z->r->mode == LINEAR; q++)                                          \
            y[q] = (1 - (T)h[q].weight) * above[h[q].low] + (T)h[q].weight * above[h[q].high];               \
        for (int64_t q = 0; q < width && z->r->mode == BILINEAR; q++) {                                      \
            const T right = (T)h[q].weight, over = (1 - right) * above[h[q].low] + right * above[h[q].high]; \
            y[q] = (1 - down) * over + down * ((1 - right) * below[h[q].low] + right * below[h[q].high]);    \
        }                                                                                                    \
    }
/* x += scale times the contributions of a row of y. Contributions to one element are consecutive and are summed first.
 */
#define SCATTER_ROW(T)                                                              \
    static void spread_##T(const Planes *z, T *x, T scale, const T *y) {            \
        const Interpolation *h = z->columns;                                        \
        T low = 0, high = 0;                                                        \
        for (int64_t q = 0, width = z->r->out[1]; q < width; q++) {                 \
            const T right = (T)h[q].weight;                                         \
            low += scale * (1 - right) * y[q];                                      \
            high += scale * right * y[q];                                           \
            if (q + 1 < width && h[q + 1].low == h[q].low) continue;                \
            x[h[q].low] += low;                                                     \
            low = 0;                                                                \
            if (q + 1 < width && h[q + 1].low == h[q].high) low = high;             \
            else x[h[q].high] += high;                                              \
            high = 0;                                                               \
        }                                                                           \
    }                                                                               \
    static void spread_row_##T(const Planes *z, T *above, T *below, T down, T *y) { \
        const int64_t width = z->r->mode == NEAREST ? z->r->out[1] : 0;             \
        for (int64_t q = 0; q < width; q++) above[z->columns[q].low] += y[q];       \
        if (!width) spread_##T(z, above, 1 - down, y);                              \
        if (z->r->mode == BILINEAR) spread_##T(z, below, down, y);                  \
    }
#define FOR_EACH_PLANE(name, T, row)                                                                               \
    static void name(int64_t from, int64_t to, void *context) {                                                    \
        const Planes *z = context;                                                                                 \
        const int64_t height = z->r->out[0], width = z->r->out[1], step = z->r->in[1], plane = z->r->in[0] * step; \
        T *x = (T *)z->x + from * plane, *y = (T *)z->y + from * height * width;                                   \
        for (int64_t n = from; n < to; n++, x += plane)                                                            \
            for (int64_t p = 0; p < height; p++, y += width)                                                       \
                row(z, x + z->rows[p].low * step, x + z->rows[p].high * step, (T)z->rows[p].weight, y);            \
    }
GATHER_ROW(float)
GATHER_ROW(double)
SCATTER_ROW(float)
SCATTER_ROW(double)
FOR_EACH_PLANE(gather_float32, float, gather_row_float)
FOR_EACH_PLANE(gather_float64, double, gather_row_double)
FOR_EACH_PLANE(scatter_float32, float, spread_row_float)
FOR_EACH_PLANE(scatter_float64, double, spread_row_double)
#undef GATHER_ROW
#undef SCATTER_ROW
#undef FOR_EACH_PLANE

/* Threads divide the planes. False where there is no memory. */
static bool resize_planes(const Resize *r, int64_t planes, Tensor *x, Tensor *y, tg_ParallelBody f32,
                          tg_ParallelBody f64) {
    const bool wide = x->dtype == t_float64;
    const int64_t positions = r->out[0] + r->out[1], plane = r->out[0] * r->out[1],
                  grain = plane > 0 && plane < 16384 ? 16384 / plane : 1;
    const size_t bytes = (size_t)positions * sizeof(Interpolation);
    Interpolation *interpolations = positions ? tg_alloc_raw(bytes) : NULL;
    if (!interpolations) return positions == 0;
    for (int64_t p = 0; p < r->out[0] && plane; p++) interpolations[p] = interpolation(r, 0, p, wide);
    for (int64_t q = 0; q < r->out[1] && plane; q++) interpolations[r->out[0] + q] = interpolation(r, 1, q, wide);
    tg_parallel(plane ? planes : 0, grain, wide ? f64 : f32,
                &(Planes){r, interpolations, interpolations + r->out[0], tg_data(x), tg_data(y)});
    tg_free(interpolations, bytes);
    return true;
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
static const Op resize_ops[3][2] = { /* by mode, and over one dim or two */
    [NEAREST] = {{"interpolate", "UpsampleNearest1DBackward0", resize_backward},
                 {"interpolate", "UpsampleNearest2DBackward0", resize_backward}},
    [LINEAR] = {{"interpolate", "UpsampleLinear1DBackward0", resize_backward}},
    [BILINEAR] = {[1] = {"interpolate", "UpsampleBilinear2DBackward0", resize_backward}},
};
static const Op resize_backward_op = {"interpolate_backward", "UpsampleBackwardBackward0", resize_backward_backward};

/* An empty tensor with x's batch and channels, and planes of that size. */
static Tensor *with_planes(const Tensor *x, const int64_t plane[2], int dims) {
    int64_t shape[] = {x->shape[0], x->shape[1], plane[0], plane[1]};
    shape[1 + dims] = plane[1];
    return tg_empty(shape, 2 + dims, x->dtype);
}

static Tensor *resized(Tensor *x, const Resize *r) {
    int depth = t_scope_open();
    Tensor *dense = depth ? t_contiguous(t_detach(x)) : NULL, *y = dense ? with_planes(x, r->out, r->dims) : NULL;
    int64_t planes = x->shape[0] * x->shape[1];
    y = y && resize_planes(r, planes, dense, y, gather_float32, gather_float64) ? t_keep_object(y) : NULL;
    t_scope_close(depth);
    return tg_record(&resize_ops[r->mode][r->dims - 1], y, INPUTS(x), NONE, ATTRIBUTES(*r));
}

static Tensor *resized_backward(Tensor *y, const Resize *r) {
    int depth = t_scope_open();
    Tensor *dense = depth ? t_contiguous(t_detach(y)) : NULL, *x = dense ? with_planes(y, r->in, r->dims) : NULL;
    int64_t planes = y->shape[0] * y->shape[1];
    if (x) tg_fill_into(x, 0);
    x = x && resize_planes(r, planes, x, dense, scatter_float32, scatter_float64) ? t_keep_object(x) : NULL;
    t_scope_close(depth);
    return tg_record(&resize_backward_op, x, INPUTS(y), NONE, ATTRIBUTES(*r));
}

/* ---- F.interpolate ---- */

/* The modes, the rank that each takes (0: any from 3 to 5) and whether it takes align_corners; is_missing: modes that
 * only PyTorch has. */
static const struct {
    const char *name;
    int rank;
    bool takes_align_corners, is_missing;
    Mode mode;
} modes[] = {{"nearest", 0, false, false, NEAREST}, {"linear", 3, true, false, LINEAR},
             {"bilinear", 4, true, false, BILINEAR}, {"bicubic", 4, true, true, NEAREST},
             {"trilinear", 5, true, true, NEAREST}, {"lanczos", 4, true, true, NEAREST},
             {"area", 0, false, true, NEAREST}, {"nearest-exact", 0, false, true, NEAREST}};

static int mode_named(const char *name) {
    for (int i = 0; i < (int)(sizeof modes / sizeof *modes); i++)
        if (strcmp(name, modes[i].name) == 0) return i;
    return -1;
}

static bool read_mode(const Tensor *x, const char *name, Resize *r) {
    const int i = mode_named(name), rank = i < 0 ? 0 : modes[i].rank;
    const bool is_linear = i >= 0 && strstr(name, "linear") != NULL;
    if (x->ndim < 3 || x->ndim > 5 || i < 0 || (rank && rank != x->ndim && !is_linear))
        return tg_fail("Input Error: Only 3D, 4D and 5D input Tensors supported (got %dD) for the modes: nearest | "
                       "linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got %s)",
                       x->ndim, name);
    if (rank && rank != x->ndim) return tg_fail("Got %dD input, but %s mode needs %dD input", x->ndim, name, rank);
    r->mode = modes[i].mode;
    return (!modes[i].is_missing && x->ndim < 5) ||
           tg_fail("interpolate has the modes nearest, linear and bilinear for 3D and 4D inputs, not %s for a %dD "
                   "input", name, x->ndim);
}

/* Size and step along dim d; `which` is the index of that dim in output_size and scale_factor. */
static bool read_size(const Tensor *x, const F_InterpolateOptions *o, int which, int d, Resize *r) {
    int64_t size = which == 1 && o->output_size[1] == F_BOTH ? o->output_size[0] : o->output_size[which];
    double scale = which == 1 && isnan(o->scale_factor[1]) ? o->scale_factor[0] : o->scale_factor[which];
    const int64_t in = r->in[d] = x->shape[2 + which];
    const double scaled = floor((double)in * scale);
    if (!isnan(scale) && !tg_check_scalar_fits(scaled, t_int64)) return false;
    const int64_t out = r->out[d] = isnan(scale) ? size : (int64_t)scaled;
    r->step[d] = !isnan(scale) && scale > 0 ? 1 / scale : (double)in / (double)out;
    if (r->align_corners) r->step[d] = out > 1 ? (double)(in - 1) / (double)(out - 1) : 0;
    return true;
}

static bool check_resize(const Tensor *x, const Resize *r) {
    const long long in[] = {(long long)r->in[0], (long long)r->in[1]},
                    out[] = {(long long)r->out[0], (long long)r->out[1]};
    if (in[0] > 0 && in[1] > 0 && out[0] > 0 && out[1] > 0)
        return x->shape[1] > 0 || tg_fail("Non-empty %dD data tensor expected but got a tensor with sizes %s", x->ndim,
                                          tg_shape_of(x)) != NULL;
    if (r->dims == 1)
        return tg_fail("Input and output sizes should be greater than 0, but got input (W: %lld) and output (W: %lld)",
                       in[1], out[1]);
    return tg_fail(
        "Input and output sizes should be greater than 0, but got input (H: %lld, W: %lld) output (H: %lld, W: %lld)",
        in[0], in[1], out[0], out[1]);
}

static bool read_options(const Tensor *x, const F_InterpolateOptions *o, Resize *r) {
    const char *mode = o->mode ? o->mode : "nearest";
    bool by_size = o->output_size[0] != T_NONE, by_scale = !isnan(o->scale_factor[0]);
    *r = (Resize){.dims = x->ndim - 2, .align_corners = o->align_corners, .in = {1, 1}, .out = {1, 1}, .step = {1, 1}};
    const int named = mode_named(mode);
    if (o->align_corners && named >= 0 && !modes[named].takes_align_corners)
        return tg_fail("align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic "
                       "| trilinear");
    if (by_size && by_scale) return tg_fail("only one of size or scale_factor should be defined");
    if (!by_size && !by_scale) return tg_fail("either size or scale_factor should be defined");
    if (!read_mode(x, mode, r)) return false;
    for (int i = 0; i < r->dims; i++)
        if (!read_size(x, o, i, 2 - r->dims + i, r)) return false;
    return check_resize(x, r);
}

/* F.interpolate(x, size, scale_factor, mode, align_corners): resizes x's planes to `size`, or to floor(n scale_factor).
 * "nearest" takes the element at floor(p in / out); "linear" (one dim) and "bilinear" (two) interpolate between
 * neighbouring elements: with align_corners the first and last elements coincide, without it pixels are squares and
 * both images cover the same area. A dim whose size does not change is copied. In "nearest" over one dim PyTorch's
 * forward uses the scale factor even then (p / scale_factor) while its backward is that of a copy; here both use the
 * factor. x: (N, C, L) or (N, C, H, W), floating; returns (N, C, L') or (N, C, H', W'). dx sums the contributions of
 * dy. Errors: neither or both of size and scale_factor, sizes below 1, another mode (PyTorch has bicubic, area and
 * others). */
Tensor *F_interpolate(Tensor *x, const F_InterpolateOptions *options) {
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_interpolate(tg_widened(x), options), x->dtype);
    F_InterpolateOptions o = F_InterpolateDefaults;
    Resize r;
    if (!tg_check(x, 1) || !tg_take_options(&o, options, sizeof o) || !read_options(x, &o, &r)) return NULL;
    return tg_is_floating(x->dtype) ? resized(x, &r) : tg_not_implemented("compute_indices_weights_nearest", x->dtype);
}
