/* nn/functional/pooling/lp_pool.c: power-average pooling: the p-norm of each window. Composed of ops. */
#include <math.h>

#include "nn/functional/pooling/pool_internal.h"

typedef Tensor *PoolFunction(Tensor *x, const F_PoolOptions *options);

/* (k avg(x^p))^(1/p), with k elements in a window and 0 in place of a negative sum; of an infinite p the largest or
 * smallest |x|. */
static Tensor *lp_pool(Tensor *x, double p, const F_PoolOptions *options, double window, PoolFunction *avg_pool,
                       PoolFunction *max_pool) {
    if (isinf(p)) {
        Tensor *size = t_abs(x);
        return p > 0 ? max_pool(size, options) : t_neg(max_pool(t_neg(size), options));
    }
    Tensor *mean = avg_pool(t_pow(x, N(p)), options);
    return t_pow(t_mul(t_mul(t_sign(mean), t_relu(t_abs(mean))), N(window)), N(1 / p));
}

/* Only the kernel's size, the stride and ceil_mode are taken from the options. */
static bool read_options(Tensor *x, double p, const F_PoolOptions *options, F_PoolOptions *o) {
    *o = F_PoolDefaults;
    if (!tg_check(x, 1)) return false;
    if (!options)
        return t_error() ? false : tg_fail("a pooling layer needs options: kernel_size has no default") != NULL;
    if (!tg_take_options(o, options, sizeof *o)) return false;
    if (p == 0) return tg_fail("norm_type must be a non-zero value, but got %s", tg_number_text(p));
    for (int d = 0; d < 2; d++) {
        o->padding[d] = F_PoolDefaults.padding[d];
        o->dilation[d] = F_PoolDefaults.dilation[d];
    }
    o->count_include_pad = true;
    o->divisor_override = T_NONE;
    o->indices = NULL;
    return true;
}

/* F.lp_pool2d(x, norm_type, kernel_size, stride, ceil_mode): (the sum of x^p over a window)^(1/p), p = norm_type, not
 * 0. x, sizes and errors: as F_avg_pool2d's. As in PyTorch a negative sum gives NaN for most p, and a window that
 * ceil_mode cuts is weighted as a whole one. */
Tensor *F_lp_pool2d(Tensor *x, double norm_type, const F_PoolOptions *options) {
    TG_COMPOSITE("lp_pool2d");
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_lp_pool2d(tg_widened(x), norm_type, options), x->dtype);
    F_PoolOptions o;
    int64_t kernel[2];
    if (!read_options(x, norm_type, options, &o)) return NULL;
    tg_pair(o.kernel_size, 2, 1, kernel);
    int depth = t_scope_open();
    const double window = (double)kernel[0] * (double)kernel[1];
    return depth ? tg_scope_return(depth, lp_pool(x, norm_type, &o, window, F_avg_pool2d, F_max_pool2d)) : NULL;
}

/* F.lp_pool1d(x, norm_type, kernel_size, stride, ceil_mode): the same over one dim. */
Tensor *F_lp_pool1d(Tensor *x, double norm_type, const F_PoolOptions *options) {
    TG_COMPOSITE("lp_pool1d");
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_lp_pool1d(tg_widened(x), norm_type, options), x->dtype);
    F_PoolOptions o;
    if (!read_options(x, norm_type, options, &o)) return NULL;
    int depth = t_scope_open();
    const double window = (double)o.kernel_size[0];
    return depth ? tg_scope_return(depth, lp_pool(x, norm_type, &o, window, F_avg_pool1d, F_max_pool1d)) : NULL;
}
