/* nn/functional/pooling/avg_pool.c: average pooling, over a sliding window and adaptive. */
#include "nn/functional/pooling/pool_internal.h"

/* ---- the forward and its adjoint; each is the other's gradient ---- */

static Tensor *average(Tensor *x, const Pool *pool);
static Tensor *spread(Tensor *y, const Pool *pool);

static void average_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = dy ? spread(dy, r->attributes) : NULL;
}
static void spread_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = dy ? average(dy, r->attributes) : NULL;
}
static const Op average_ops[] = {{"avg_pool2d", "AvgPool2DBackward0", average_backward},
                                 {"adaptive_avg_pool2d", "AdaptiveAvgPool2DBackward0", average_backward}};
static const Op spread_ops[] = {
    {"avg_pool2d_backward", "AvgPool2DBackwardBackward0", spread_backward},
    {"adaptive_avg_pool2d_backward", "AdaptiveAvgPool2DBackwardBackward0", spread_backward}};

static Tensor *average(Tensor *x, const Pool *pool) {
    int depth = t_scope_open();
    Tensor *dense = depth ? tg_dense_tensor(x) : NULL, *y = dense ? tg_pooled(x, pool->window.out, x->dtype) : NULL;
    if (y) tg_run_pool(pool, TG_POOL_AVG, dense, y, NULL);
    y = y ? t_keep_object(y) : NULL;
    t_scope_close(depth);
    return tg_record(&average_ops[pool->adaptive], y, INPUTS(x), NONE, ATTRIBUTES(*pool));
}

static Tensor *spread(Tensor *y, const Pool *pool) {
    int depth = t_scope_open();
    Tensor *dense = depth ? tg_dense_tensor(y) : NULL, *x = dense ? tg_pooled(y, pool->window.in, y->dtype) : NULL;
    if (x) tg_run_pool(pool, TG_POOL_AVG_BACKWARD, x, dense, NULL);
    x = x ? t_keep_object(x) : NULL;
    t_scope_close(depth);
    return tg_record(&spread_ops[pool->adaptive], x, INPUTS(y), NONE, ATTRIBUTES(*pool));
}

/* ---- F.avg_pool ---- */

static Tensor *avg_pool(Tensor *x, Pool *pool, bool ceil_mode) {
    if (!tg_check_pool(x, ceil_mode, pool)) return NULL;
    return x->dtype == t_bool ? tg_not_implemented("avg_pool2d", t_bool) : average(x, pool);
}

/* Pooling over one dim runs with a height of 1, which is removed again here. */
static Tensor *without_height(int depth, Tensor *y) {
    y = y ? t_squeeze(y, -2) : NULL;
    return tg_scope_return(depth, y);
}

/* F.avg_pool2d(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override): the mean of each
 * window. The padding counts as zeros, or with count_include_pad = false not at all; divisor_override replaces the
 * count. x: (N, C, H, W) or (C, H, W), any dtype but bool (int64 rounds towards 0); returns (N, C, H', W') or (C, H',
 * W'). dx = dy / count at each element of the window. Errors: as F_max_pool2d's; a divisor of 0. */
Tensor *F_avg_pool2d(Tensor *x, const F_PoolOptions *options) {
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_avg_pool2d(tg_widened(x), options), x->dtype);
    F_PoolOptions o;
    Pool pool;
    int d;
    if (!tg_check(x, 1) || !tg_read_pool(options, 2, &o, &pool) || !tg_wrap_dim(-3, x->ndim, &d)) return NULL;
    if (x->ndim > 4) return tg_fail("non-empty 3D or 4D (batch mode) tensor expected for input");
    return avg_pool(x, &pool, o.ceil_mode);
}

/* F.avg_pool1d(x, kernel_size, stride, padding, ceil_mode, count_include_pad): the same over one dim. x: (N, C, L) or
 * (C, L). */
Tensor *F_avg_pool1d(Tensor *x, const F_PoolOptions *options) {
    TG_COMPOSITE("avg_pool1d");
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_avg_pool1d(tg_widened(x), options), x->dtype);
    F_PoolOptions o;
    Pool pool;
    if (!tg_check(x, 1) || !tg_read_pool(options, 1, &o, &pool) || !tg_check_pool1d(x, "avg_pool1d")) return NULL;
    int depth = t_scope_open();
    Tensor *with_height = depth ? t_unsqueeze(x, -2) : NULL;
    return without_height(depth, with_height ? avg_pool(with_height, &pool, o.ceil_mode) : NULL);
}

/* ---- F.adaptive_avg_pool ---- */

static Tensor *adaptive(Tensor *x, const int64_t *output_size) {
    Pool pool = {.adaptive = true};
    if (!tg_check_adaptive_dims(x, output_size, 2)) return NULL;
    if (x->ndim >= 2) tg_adaptive_pool(x, output_size, &pool);
    const int64_t *out = pool.window.out;
    if (out[0] < 0 || out[1] < 0)
        return tg_fail(
            "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received {%lld, %lld}",
            (long long)out[0], (long long)out[1]);
    if (x->ndim != 3 && x->ndim != 4)
        return tg_fail("adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got %s", tg_shape_of(x));
    if (out[0] == 1 && out[1] == 1) return t_mean(x, (int64_t[]){-1, -2}, 2, true);
    for (int d = x->ndim - 2; d < x->ndim; d++)
        if (x->shape[d] == 0)
            return tg_fail("adaptive_avg_pool2d(): Expected input to have non-zero size for non-batch dimensions, but "
                           "input has sizes %s with dimension %d being empty",
                           tg_shape_of(x), d);
    return tg_is_floating(x->dtype) ? average(x, &pool) : tg_not_implemented("adaptive_avg_pool2d", x->dtype);
}

/* F.adaptive_avg_pool2d(x, output_size): the mean of each of output_size regions of x (as in F_adaptive_max_pool2d).
 * x: (N, C, H, W) or (C, H, W), floating; a size of T_NONE is x's own. dx = dy / count at each element of a region. A
 * single region is computed by t_mean, as in PyTorch. */
Tensor *F_adaptive_avg_pool2d(Tensor *x, const int64_t output_size[2]) {
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_adaptive_avg_pool2d(tg_widened(x), output_size), x->dtype);
    if (!tg_check(x, 1)) return NULL;
    if (!output_size) return t_error() ? NULL : tg_fail("output_size is NULL where two sizes are expected");
    return adaptive(x, output_size);
}

/* F.adaptive_avg_pool1d(x, output_size): the same over one dim. x: (N, C, L) or (C, L). */
Tensor *F_adaptive_avg_pool1d(Tensor *x, int64_t output_size) {
    TG_COMPOSITE("adaptive_avg_pool1d");
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_adaptive_avg_pool1d(tg_widened(x), output_size), x->dtype);
    if (!tg_check(x, 1) || !tg_check_pool1d(x, "adaptive_avg_pool1d")) return NULL;
    int depth = t_scope_open();
    Tensor *with_height = depth ? t_unsqueeze(x, -2) : NULL;
    return without_height(depth, with_height ? adaptive(with_height, (int64_t[]){1, output_size}) : NULL);
}
