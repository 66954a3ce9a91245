/* nn/functional/pooling/fractional_max_pool.c: F.fractional_max_pool2d and 3d (Graham, "Fractional Max-Pooling", 2014):
 * max pooling to any output size, over windows that overlap and begin at random distances.
 *
 * A maximum is a gather at its index, which a loop finds; that gives the gradients of any order. */
#include <inttypes.h>
#include <math.h>

#include "core/kernels/narrow.h"
#include "core/kernels/parallel.h"
#include "core/ops/creation/random_internal.h"
#include "core/ops/indexing/gather_internal.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/size_arithmetic.h"
#include "nn/functional/pooling/pool_internal.h"

const F_FractionalMaxPoolOptions F_FractionalMaxPoolDefaults = {.size = sizeof(F_FractionalMaxPoolOptions),
                                                                .output_size = {T_NONE, F_BOTH, F_BOTH},
                                                                .output_ratio = {NAN, NAN, NAN}};

#define D64 "%" PRId64

/* Dims are {time, height, width}; over two dims the time is 1. */
typedef struct Fractional {
    int dims;
    const char *name;
    int64_t in[3], out[3], kernel[3], N, C;
    t_DType dtype; /* that the window's positions are computed in */
} Fractional;

/* ---- where the windows begin ---- */

/* x as a value of that dtype: PyTorch computes each step in the dtype of x. */
static double rounded(double x, t_DType dtype) {
    if (dtype == t_float64) return x;
    if (dtype == t_bfloat16) return (double)tg_float_from_bfloat16(tg_bfloat16_from_float((float)x));
    if (dtype == t_float16) return (double)tg_float_from_float16(tg_float16_from_float((float)x));
    return (double)(float)x;
}

/* starts[p] = floor((p + u) a) - floor(u a), a = (in - kernel) / (out - 1); the last window ends with the input. */
static void window_starts(const Fractional *f, int d, double u, int64_t *starts) {
    const int64_t rest = f->in[d] - f->kernel[d], last = f->out[d] - 1;
    const double a =
        last > 0 ? rounded(rounded((double)rest, f->dtype) / rounded((double)last, f->dtype), f->dtype) : 0;
    const int64_t first = (int64_t)rounded(u * a, f->dtype);
    for (int64_t p = 0; p < last; p++) {
        const double at = rounded(rounded((double)p, f->dtype) + u, f->dtype);
        starts[p] = (int64_t)rounded(at * a, f->dtype) - first;
        if (starts[p] < 0) starts[p] = 0;
        if (starts[p] > rest) starts[p] = rest; /* samples outside of [0, 1) */
    }
    if (last >= 0) starts[last] = rest;
}

/* ---- the maxima ---- */

typedef struct Maxima {
    const Fractional *f;
    const double *samples; /* (N, C, dims) */
    const void *x;
    int64_t *indices, *starts; /* room for the starts of each plane */
} Maxima;

/* indices[p]: of the first maximum, or the last NaN, of window p; planes from .. to - 1. */
#define PLANES(name, T)                                                                                             \
    static void name(int64_t from, int64_t to, void *context) {                                                     \
        const Maxima *m = context;                                                                                  \
        const Fractional *f = m->f;                                                                                 \
        const int64_t elements = f->in[0] * f->in[1] * f->in[2], outputs = f->out[0] * f->out[1] * f->out[2];       \
        for (int64_t n = from; n < to; n++) {                                                                       \
            const T *x = (const T *)m->x + n * elements;                                                            \
            int64_t *indices = m->indices + n * outputs, *starts[3];                                                \
            starts[0] = m->starts + n * (f->out[0] + f->out[1] + f->out[2]);                                        \
            for (int d = 0; d < 3; d++) {                                                                           \
                if (d) starts[d] = starts[d - 1] + f->out[d - 1];                                                   \
                /* over two dims the first sample is the width's, over three the time's */                          \
                const int sample = f->dims == 2 ? 2 - d : d;                                                        \
                window_starts(f, d, f->dims == 2 && d == 0 ? 0 : m->samples[n * f->dims + sample], starts[d]);      \
            }                                                                                                       \
            for (int64_t p = 0; p < outputs; p++) {                                                                 \
                const int64_t at[] = {starts[0][p / (f->out[1] * f->out[2])], starts[1][p / f->out[2] % f->out[1]], \
                                      starts[2][p % f->out[2]]};                                                    \
                int64_t best = (at[0] * f->in[1] + at[1]) * f->in[2] + at[2];                                       \
                for (int64_t t = at[0]; t < at[0] + f->kernel[0]; t++)                                              \
                    for (int64_t h = at[1]; h < at[1] + f->kernel[1]; h++)                                          \
                        for (int64_t w = at[2]; w < at[2] + f->kernel[2]; w++) {                                    \
                            const int64_t i = (t * f->in[1] + h) * f->in[2] + w;                                    \
                            if (x[i] > x[best] || isnan(x[i])) best = i;                                            \
                        }                                                                                           \
                indices[p] = best;                                                                                  \
            }                                                                                                       \
        }                                                                                                           \
    }
PLANES(maxima_float32, float)
PLANES(maxima_float64, double)
#undef PLANES

/* (.., out), in the caller's scope. samples: (N', C, dims) of float64. */
static Tensor *indices_of_maxima(Tensor *x, Tensor *samples, const Fractional *f) {
    int64_t shape[T_MAX_DIMS];
    const int64_t planes = f->N * f->C, starts = tg_size_mul(planes, f->out[0] + f->out[1] + f->out[2]);
    for (int d = 0; d < x->ndim; d++) shape[d] = d < x->ndim - f->dims ? x->shape[d] : f->out[3 - x->ndim + d];
    Tensor *dense = t_contiguous(t_detach(x)), *u = t_contiguous(samples), *work = tg_empty(&starts, 1, t_int64);
    Tensor *indices = dense && u && work ? tg_empty(shape, x->ndim, t_int64) : NULL;
    if (!indices || tg_numel(indices) == 0) return indices;
    const int64_t outputs = f->out[0] * f->out[1] * f->out[2];
    tg_parallel(planes, 1 + 4096 / outputs, x->dtype == t_float32 ? maxima_float32 : maxima_float64,
                &(Maxima){f, tg_data(u), tg_data(dense), tg_data(indices), tg_data(work)});
    return indices;
}

/* ---- checks ---- */

static bool read_sizes(Tensor *x, const F_FractionalMaxPoolOptions *o, Fractional *f) {
    static const char *const tuples[] = {[2] = "tuple of Ints", [3] = "tuple of three Ints"};
    const bool by_size = o->output_size[0] != T_NONE;
    if (!by_size && isnan(o->output_ratio[0]))
        return tg_fail("%s requires specifying either an output_size or an output_ratio", f->name);
    if (o->kernel_size[1] != F_BOTH && f->dims == 3 && o->kernel_size[2] == T_NONE)
        return tg_fail("%s: kernel_size must either be a single Int or %s", f->name, tuples[f->dims]);
    if (by_size && o->output_size[1] != F_BOTH && f->dims == 3 && o->output_size[2] == T_NONE)
        return tg_fail("%s: output_size must either be a single Int or %s", f->name, tuples[f->dims]);
    if (x->ndim < f->dims + 1)
        return tg_fail("Dimension out of range (expected to be in range of [-%d, %d], but got -%d)",
                       x->ndim ? x->ndim : 1, x->ndim ? x->ndim - 1 : 0, f->dims + 1);
    if (x->ndim > f->dims + 2)
        return tg_fail("%s(): Expected %dD or %dD tensor, but got: %s", f->name, f->dims + 1, f->dims + 2,
                       tg_shape_of(x));
    for (int d = 3 - f->dims; d < 3; d++) {
        const int i = d - (3 - f->dims);
        f->in[d] = x->shape[x->ndim - f->dims + i];
        f->kernel[d] = o->kernel_size[o->kernel_size[1] == F_BOTH ? 0 : i];
        const double ratio = o->output_ratio[isnan(o->output_ratio[1]) ? 0 : i];
        f->out[d] = by_size ? o->output_size[o->output_size[1] == F_BOTH ? 0 : i] : (int64_t)((double)f->in[d] * ratio);
    }
    f->N = x->ndim == f->dims + 2 ? x->shape[0] : 1;
    f->C = x->shape[x->ndim - f->dims - 1];
    return true;
}

static bool check_windows(const Tensor *x, const Fractional *f) {
    static const char *const names[] = {"time", "height", "width"};
    const char *suffix = f->dims == 3 ? "_out" : "";
    const int order[] = {0, f->dims == 3 ? 2 : 1, f->dims == 3 ? 1 : 2};
    for (int d = 3 - f->dims; d < 3; d++)
        if (f->kernel[d] < 1) {
            char time[24] = "";
            if (f->dims == 3) snprintf(time, sizeof time, D64 "x", f->kernel[0]);
            return tg_fail("%s(): kernel size should be greater than zero, but got %s" D64 "x" D64, f->name, time,
                           f->kernel[1], f->kernel[2]);
        }
    for (int d = x->ndim - f->dims - 1; d < x->ndim; d++)
        if (x->shape[d] == 0)
            return tg_fail("%s%s(): Expected input to have non-zero size for non-batch dimensions, but got%s with "
                           "dimension %d being empty.",
                           f->name, suffix, tg_shape_of(x), d);
    for (int i = 3 - f->dims; i < 3; i++) { /* over three dims the input must be larger by one */
        const int d = order[i];
        const int64_t needed = tg_size_add(f->out[d], f->kernel[d] - (f->dims == 2));
        if (needed > f->in[d])
            return tg_fail("%s%s(): pool %s " D64 " too large relative to input %s " D64, f->name, suffix, names[d],
                           f->kernel[d], names[d], f->in[d]);
    }
    for (int d = 3 - f->dims; d < 3; d++)
        if (f->out[d] < 0) {
            int64_t shape[T_MAX_DIMS];
            for (int i = 0; i < x->ndim; i++) shape[i] = i < x->ndim - f->dims ? x->shape[i] : f->out[3 - x->ndim + i];
            return tg_fail("Trying to create tensor with negative dimension " D64 ": %s", f->out[d],
                           tg_shape_text(shape, x->ndim));
        }
    return true;
}

static bool check_samples(const Tensor *x, Tensor *u, const Fractional *f) {
    if (t_is_grad_enabled() && t_requires_grad(u))
        return tg_fail("The function '%s' is not differentiable with respect to argument 'random_samples'. This input "
                       "cannot have requires_grad True.",
                       f->name);
    if (u->dtype != x->dtype) return tg_fail("Expect _random_samples to have the same dtype as input");
    if (u->ndim != 3) return tg_fail("Expect _random_samples to have 3 dimensions, got %d", u->ndim);
    if (u->shape[0] < f->N) return tg_fail("Expect _random_samples.size(0) no less then input batch size.");
    if (u->shape[1] != f->C) return tg_fail("Expect _random_samples.size(1) equals to input channel size.");
    return u->shape[2] == f->dims ||
           tg_fail("Expect _random_samples.size(2) equals to %d; got " D64 ".", f->dims, u->shape[2]) != NULL;
}

/* ---- F.fractional_max_pool2d, F.fractional_max_pool3d ---- */

/* In the caller's scope. */
static Tensor *pooled(Tensor *x, Tensor *samples, const Fractional *f, Tensor **indices) {
    if (!x) return NULL;
    Tensor *at = indices_of_maxima(x, t_to(t_detach(samples), t_float64), f);
    if (!at) return NULL;
    *indices = at;
    Tensor *y = t_gather(t_flatten(x, -f->dims, -1), -1, t_flatten(at, -f->dims, -1));
    return t_reshape(y, at->shape, at->ndim);
}

static Tensor *fractional_max_pool(Tensor *x, const F_FractionalMaxPoolOptions *options, int dims, const char *name) {
    TG_CLEAR_INDICES(options);
    F_FractionalMaxPoolOptions o = F_FractionalMaxPoolDefaults;
    Fractional f = {.dims = dims, .name = name, .in = {1, 1, 1}, .out = {1, 1, 1}, .kernel = {1, 1, 1}};
    if (!tg_check_any(x, 1)) return NULL;
    if (!options) return t_error() ? NULL : tg_fail("a pooling layer needs options: kernel_size has no default");
    if (!tg_take_options(&o, options, sizeof o) || !read_sizes(x, &o, &f)) return NULL;
    if (o._random_samples && !tg_check_any(o._random_samples, 2)) return NULL;
    if (!tg_is_floating(x->dtype)) return tg_not_implemented("check_uniform_bounds", x->dtype);
    int depth = t_scope_open();
    if (!depth) return NULL;
    const t_TensorOptions like_x = {.size = sizeof like_x, .dtype = x->dtype};
    Tensor *samples = o._random_samples, *at = NULL, *y = NULL;
    const bool drawn = !samples;
    tg_Draws draws;
    if (drawn && !tg_draws_begin(&draws, NULL)) {
        t_scope_close(depth);
        return NULL;
    }
    if (!samples) samples = t_rand((int64_t[]){f.N, f.C, dims}, 3, &like_x);
    if (samples) {
        Tensor *wide = x;
        TG_AUTOCAST_FLOAT32(wide);
        TG_AUTOCAST_FLOAT32(samples);
        f.dtype = wide ? wide->dtype : x->dtype;
        if (wide && samples && check_windows(wide, &f) && check_samples(wide, samples, &f)) {
            y = tg_is_half(wide->dtype) ? pooled(tg_widened(wide), samples, &f, &at) : pooled(wide, samples, &f, &at);
            if (y && tg_is_half(wide->dtype)) y = tg_narrowed(y, wide->dtype);
        }
    }
    if (drawn) tg_draws_end(&draws, y != NULL);
    if (o.indices) *o.indices = y ? t_keep_object(at) : NULL;
    return tg_scope_return(depth, y);
}

/* F.fractional_max_pool2d(x, kernel_size, output_size, output_ratio, return_indices, _random_samples): the maximum of
 * windows of kernel_size, as many as output_size, or int(n output_ratio). With u = _random_samples[n, c] window p
 * begins at floor((p + u) a) - floor(u a), a = (n - kernel) / (P - 1), and the last one ends with the input.
 * x: (N, C, H, W) or (C, H, W), floating; _random_samples: (N, C, 2) in [0, 1), the width's first, of x's dtype, by
 * default t_rand; returns (N, C, H', W') or (C, H', W'). *indices gets the flat index of each maximum in its plane.
 * dx = dy at that element. Errors: neither output_size nor output_ratio, a window that is too large, samples of another
 * shape or dtype. */
Tensor *F_fractional_max_pool2d(Tensor *x, const F_FractionalMaxPoolOptions *options) {
    TG_COMPOSITE("fractional_max_pool2d");
    return fractional_max_pool(x, options, 2, "fractional_max_pool2d");
}

/* F.fractional_max_pool3d(...): the same over three dims. x: (N, C, T, H, W) or (C, T, H, W); _random_samples:
 * (N, C, 3), the time's first. As in PyTorch output_size + kernel_size - 1 must be less than x's size. */
Tensor *F_fractional_max_pool3d(Tensor *x, const F_FractionalMaxPoolOptions *options) {
    TG_COMPOSITE("fractional_max_pool3d");
    return fractional_max_pool(x, options, 3, "fractional_max_pool3d");
}
