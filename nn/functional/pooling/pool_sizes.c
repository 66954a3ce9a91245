/* nn/functional/pooling/pool_sizes.c: options, output sizes and checks of pooling. */
#include "nn/functional/pooling/pool_internal.h"

#include <string.h>

#include "core/tensor/size_arithmetic.h"

const F_PoolOptions F_PoolDefaults = {.size = sizeof(F_PoolOptions), .stride = {T_NONE, F_BOTH}, .padding = {0, F_BOTH},
                                      .dilation = {1, F_BOTH}, .count_include_pad = true, .divisor_override = T_NONE};

bool tg_read_pool(const F_PoolOptions *options, int dims, F_PoolOptions *o, Pool *pool) {
    *o = F_PoolDefaults;
    if (!options)
        return t_error() ? false : tg_fail("a pooling layer needs options: kernel_size has no default") != NULL;
    if (!tg_take_options(o, options, sizeof *o)) return false;
    Window *w = &pool->window;
    *pool = (Pool){.window = {.dims = dims}, .count_include_pad = o->count_include_pad};
    if (o->divisor_override == 0) return tg_fail("divisor must be not zero");
    if (o->divisor_override != T_NONE) pool->divisor = o->divisor_override;
    tg_pair(o->kernel_size, dims, 1, w->kernel);
    tg_pair(o->stride[0] == T_NONE ? o->kernel_size : o->stride, dims, 1, w->stride);
    tg_pair(o->padding, dims, 0, w->padding);
    tg_pair(o->dilation, dims, 1, w->dilation);
    return true;
}

#define PAIR(pair) (long long)(pair)[0], (long long)(pair)[1]

static bool count_windows(Window *w, int d, bool ceil_mode) {
    return tg_pool_positions(w->in[d], w->kernel[d], w->stride[d], w->padding[d], w->dilation[d], ceil_mode,
                             &w->out[d]);
}

static tg_Pool kernel_of(const Pool *pool) {
    const Window *w = &pool->window;
    tg_Pool k = {.adaptive = pool->adaptive, .count_include_pad = pool->count_include_pad, .divisor = pool->divisor};
    memcpy(k.in, w->in, sizeof k.in);
    memcpy(k.out, w->out, sizeof k.out);
    memcpy(k.kernel, w->kernel, sizeof k.kernel);
    memcpy(k.stride, w->stride, sizeof k.stride);
    memcpy(k.padding, w->padding, sizeof k.padding);
    memcpy(k.dilation, w->dilation, sizeof k.dilation);
    return k;
}

void tg_run_pool(const Pool *pool, tg_PoolPass pass, Tensor *x, Tensor *y, Tensor *indices) {
    tg_Pool k = kernel_of(pool);
    k.x = tg_data(x);
    k.y = tg_data(y);
    k.indices = indices ? tg_data(indices) : NULL;
    const int64_t planes = tg_shape_numel(x->shape, x->ndim - 2);
    tg_pool(&k, pass, x->dtype == t_float32 ? TG_POOL_F32 : x->dtype == t_float64 ? TG_POOL_F64 : TG_POOL_I64, planes);
}

/* A dilated window may contain no element of x at all. (PyTorch then gives -inf, and an index outside of x.) */
static bool windows_not_empty(const Pool *pool, int d) {
    const Window *w = &pool->window;
    const tg_Pool k = kernel_of(pool);
    for (int64_t p = 0; w->dilation[d] > 1 && p < w->out[d]; p++) {
        const tg_PoolRange span = tg_pool_range(&k, d, p);
        if (span.from >= span.to)
            return tg_fail("a window of %lld elements with dilation %lld contains none of the input's %lld elements",
                           (long long)w->kernel[d], (long long)w->dilation[d], (long long)w->in[d]);
    }
    return true;
}

bool tg_check_pool(const Tensor *x, bool ceil_mode, Pool *pool) {
    Window *w = &pool->window;
    bool nonempty = true;
    tg_plane(x, 2, w->in);
    if (!count_windows(w, 0, ceil_mode) || !count_windows(w, 1, ceil_mode)) return false;
    if (w->kernel[0] < 1 || w->kernel[1] < 1)
        return tg_fail("kernel size should be greater than zero, but got kH: %lld kW: %lld", PAIR(w->kernel));
    if (w->stride[0] < 1 || w->stride[1] < 1)
        return tg_fail("stride should be greater than zero, but got dH: %lld dW: %lld", PAIR(w->stride));
    if (w->dilation[0] < 1 || w->dilation[1] < 1)
        return tg_fail("dilation should be greater than zero, but got dilationH: %lld dilationW: %lld",
                       PAIR(w->dilation));
    for (int d = x->ndim == 4; d < x->ndim; d++) nonempty = nonempty && x->shape[d] > 0;
    if (!nonempty)
        return tg_fail("Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:%s",
                       tg_shape_of(x));
    if (w->padding[0] > w->kernel[0] / 2 || w->padding[1] > w->kernel[1] / 2)
        return tg_fail("pad should be smaller than or equal to half of kernel size, but got padW = %lld, padH = %lld, "
                       "kW = %lld, kH = %lld",
                       (long long)w->padding[1], (long long)w->padding[0], (long long)w->kernel[1],
                       (long long)w->kernel[0]);
    long long C = (long long)x->shape[x->ndim - 3];
    if (w->out[0] < 1 || w->out[1] < 1)
        return tg_fail(
            "Given input size: (%lldx%lldx%lld). Calculated output size: (%lldx%lldx%lld). Output size is too small", C,
            PAIR(w->in), C, PAIR(w->out));
    if (!tg_normalize_window(w)) return false;
    for (int d = 0; d < 2; d++) /* the elements of a window are counted in int */
        if (tg_window_extent(w, d) > INT32_MAX)
            return tg_fail("value cannot be converted to type int without overflow");
    return windows_not_empty(pool, 0) && windows_not_empty(pool, 1);
}

bool tg_check_max_pool1d(const Tensor *x, bool ceil_mode, const Pool *pool) {
    Window w = pool->window;
    const int64_t kernel = w.kernel[1], dilation = w.dilation[1];
    const bool has_rank = x->ndim == 2 || x->ndim == 3;
    if (!has_rank || x->shape[x->ndim - 1] == 0 || x->shape[x->ndim - 2] == 0)
        return tg_fail("max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, "
                       "but got:%s",
                       tg_shape_of(x));
    if (kernel < 1)
        return tg_fail("max_pool1d() kernel_size must be greater than zero, but got %lld", (long long)kernel);
    if (w.stride[1] < 1)
        return tg_fail("max_pool1d() stride must be greater than zero, but got %lld", (long long)w.stride[1]);
    if (w.padding[1] < 0)
        return tg_fail("max_pool1d() padding must be non-negative, but got %lld", (long long)w.padding[1]);
    if (w.padding[1] > kernel / 2)
        return tg_fail("max_pool1d() padding should be at most half of kernel size, but got padding=%lld and "
                       "kernel_size=%lld",
                       (long long)w.padding[1], (long long)kernel);
    if (dilation < 1)
        return tg_fail("max_pool1d() dilation must be greater than zero, but got %lld", (long long)dilation);
    int64_t extent;
    if (__builtin_mul_overflow(dilation, kernel - 1, &extent))
        return tg_fail("effective kernel size overflows, but got kernel_size=%lld and dilation=%lld", (long long)kernel,
                       (long long)dilation);
    w.in[1] = x->shape[x->ndim - 1];
    return count_windows(&w, 1, ceil_mode) &&
           (w.out[1] > 0 || tg_fail("max_pool1d() Invalid computed output size: %lld", (long long)w.out[1]) != NULL);
}

bool tg_check_pool1d(const Tensor *x, const char *name) {
    if (x->ndim == 2 || x->ndim == 3) return true;
    return tg_fail("Expected 2 to 3 dimensions, but got %d-dimensional tensor for argument #1 'self' (while checking "
                   "arguments for %s)",
                   x->ndim, name);
}

bool tg_check_adaptive_dims(const Tensor *x, const int64_t *output_size, int dims) {
    return x->ndim > dims || output_size[1] == F_BOTH || tg_fail("Input dimension should be at least %d", dims + 1);
}

void tg_adaptive_pool(const Tensor *x, const int64_t *output_size, Pool *pool) {
    *pool = (Pool){.window = {.dims = 2}, .adaptive = true};
    tg_plane(x, 2, pool->window.in);
    tg_pair(output_size, 2, 1, pool->window.out);
    for (int d = 0; d < 2; d++)
        if (pool->window.out[d] == T_NONE) pool->window.out[d] = pool->window.in[d];
}

Tensor *tg_pooled(const Tensor *x, const int64_t plane[2], t_DType dtype) {
    int64_t shape[T_MAX_DIMS];
    memcpy(shape, x->shape, sizeof shape);
    memcpy(shape + x->ndim - 2, plane, 2 * sizeof *plane);
    return tg_empty(shape, x->ndim, dtype);
}
