/* nn/functional/dropout/feature_dropout.c: dropout of whole channels (F.dropout1d, dropout2d, dropout3d),
 * F.alpha_dropout and feature_alpha_dropout. */
#include <math.h>

#include "core/autograd/teach.h"
#include "core/ops/creation/random_internal.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "nn/functional/dropout/dropout.h"

static bool check_probability(double p) {
    return (p >= 0 && p <= 1) || tg_fail("dropout probability has to be between 0 and 1, but got %.15g", p) != NULL;
}

/* 0 with probability p, else 1: one random number per element, in the order of memory. */
static Tensor *bernoulli_mask(const int64_t *shape, int ndim, t_DType dtype, double p) {
    Tensor *noise = tg_empty(shape, ndim, dtype);
    return noise ? t_bernoulli_(noise, 1 - p, NULL) : NULL;
}

/* One for each channel of each sample: (N, C, 1, ...). */
static Tensor *channel_mask(const Tensor *x, double p) {
    int64_t shape[T_MAX_DIMS];
    if (x->ndim < 2) return tg_fail("Feature dropout requires at least 2 dimensions in the input");
    for (int d = 0; d < x->ndim; d++) shape[d] = d < 2 ? x->shape[d] : 1;
    return bernoulli_mask(shape, x->ndim, x->dtype, p);
}

static Tensor *feature_dropout(Tensor *x, double p) {
    if (p == 1) return t_mul(x, t_number(0));
    Tensor *noise = channel_mask(x, p);
    return noise ? t_mul(x, t_div_(noise, t_number(1 - p))) : NULL;
}

/* y = fn(x, p); on failure the generator is restored. */
static Tensor *run_dropout(Tensor *x, double p, Tensor *(*fn)(Tensor *x, double p)) {
    tg_Draws draws;
    Tensor *y = NULL;
    int depth = t_scope_open();
    if (depth && tg_draws_begin(&draws, NULL)) tg_draws_end(&draws, (y = fn(x, p)) != NULL);
    return tg_scope_return(depth, y);
}

static bool is_dropped(const Tensor *x, double p, bool training) {
    if (!training || p <= 0 || tg_numel(x) == 0) return false;
    if (tg_thread.teaching) tg_teach_dropout();
    return true;
}

static bool check_floating(const Tensor *x, double p) {
    if (p == 1 || tg_is_floating(x->dtype)) return true;
    return tg_fail("result type Float can't be cast to the desired output type %s", tg_scalar_name(x->dtype));
}

/* F.dropout2d(x, p, training): each channel of each sample becomes 0 with probability p, the others are scaled by 1 /
 * (1 - p). x: (N, C, ...), floating; returns the same shape; in evaluation and for p = 0 x itself. dx = dy times the
 * same mask. Random numbers as in PyTorch: one double uniform per channel. Errors: p outside [0, 1], less than two
 * dims. */
Tensor *F_dropout2d(Tensor *x, double p, bool training) {
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_dropout2d(tg_widened(x), p, training), x->dtype);
    if (!tg_check(x, 1) || !check_probability(p)) return NULL;
    if (!is_dropped(x, p, training)) return x;
    if (x->ndim < 2) return tg_fail("Feature dropout requires at least 2 dimensions in the input");
    return check_floating(x, p) ? run_dropout(x, p, feature_dropout) : NULL;
}

/* A sample without batch dim. */
static Tensor *dropout_unbatched(Tensor *x, double p) {
    Tensor *one = t_unsqueeze(x, 0), *y = one ? F_dropout2d(one, p, true) : NULL;
    return y ? t_squeeze(y, 0) : NULL;
}

static Tensor *copy_unbatched(Tensor *x, double p) {
    (void)p;
    Tensor *one = t_unsqueeze(x, 0);
    return one ? t_squeeze(one, 0) : NULL;
}

/* F.dropout1d(x, p, training): the same for (N, C, L) or (C, L); two dims are one sample without batch dim. */
Tensor *F_dropout1d(Tensor *x, double p, bool training) {
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_dropout1d(tg_widened(x), p, training), x->dtype);
    if (!tg_check(x, 1) || !check_probability(p)) return NULL;
    if (x->ndim != 2 && x->ndim != 3)
        return tg_fail(
            "dropout1d: Expected 2D or 3D input, but received a %dD input. Note that dropout1d exists to provide "
            "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch "
            "dimension (i.e. 2D or 3D inputs).",
            x->ndim);
    if (x->ndim == 3) return F_dropout2d(x, p, training);
    return run_dropout(x, p, training ? dropout_unbatched : copy_unbatched);
}

/* F.dropout3d(x, p, training): the same for (N, C, D, H, W), or without batch dim, as any input of another rank is
 * taken. (PyTorch warns about ranks below 4.) */
Tensor *F_dropout3d(Tensor *x, double p, bool training) {
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_dropout3d(tg_widened(x), p, training), x->dtype);
    if (!tg_check(x, 1) || !check_probability(p)) return NULL;
    if (x->ndim == 5) return F_dropout2d(x, p, training);
    return run_dropout(x, p, training ? dropout_unbatched : copy_unbatched);
}

/* Klambauer et al. 2017: dropped elements get selu's limit at -infinity, -alpha; then the affine map a x + b restores
 * mean 0 and variance 1. */
static Tensor *alpha_dropout_of(Tensor *x, Tensor *noise, double p) {
    const double alpha = 1.7580993408473766, a = 1 / sqrt((alpha * alpha * p + 1) * (1 - p));
    Tensor *b = noise ? t_add(noise, t_number(-1)) : NULL;
    b = b ? t_add_(t_mul_(b, t_number(alpha * a)), t_number(alpha * a * p)) : NULL;
    return b ? t_add(t_mul(x, t_mul_(noise, t_number(a))), b) : NULL;
}

static Tensor *alpha_dropout(Tensor *x, double p) {
    return p == 1 ? t_mul(x, t_number(0)) : alpha_dropout_of(x, bernoulli_mask(x->shape, x->ndim, x->dtype, p), p);
}

static Tensor *feature_alpha_dropout(Tensor *x, double p) {
    return p == 1 ? t_mul(x, t_number(0)) : alpha_dropout_of(x, channel_mask(x, p), p);
}

/* F.alpha_dropout(x, p, training): dropout that preserves the mean and variance of selu activations. Any shape,
 * floating; in evaluation and for p = 0 x itself. dx = dy a where x is not dropped. Errors: p outside [0, 1]. */
Tensor *F_alpha_dropout(Tensor *x, double p, bool training) {
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_alpha_dropout(tg_widened(x), p, training), x->dtype);
    if (!tg_check(x, 1) || !check_probability(p)) return NULL;
    if (!is_dropped(x, p, training)) return x;
    return check_floating(x, p) ? run_dropout(x, p, alpha_dropout) : NULL;
}

/* F.feature_alpha_dropout(x, p, training): the same for whole channels: one random number for each channel of each
 * sample. x: (N, C, ...). */
Tensor *F_feature_alpha_dropout(Tensor *x, double p, bool training) {
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_feature_alpha_dropout(tg_widened(x), p, training), x->dtype);
    if (!tg_check(x, 1) || !check_probability(p)) return NULL;
    if (!is_dropped(x, p, training)) return x;
    return check_floating(x, p) ? run_dropout(x, p, feature_alpha_dropout) : NULL;
}
