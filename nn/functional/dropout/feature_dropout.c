/* nn/functional/dropout/feature_dropout.c: dropout of whole channels (F.dropout1d, dropout2d, dropout3d),
 * F.alpha_dropout and feature_alpha_dropout. */
#include <math.h>

#include "core/autograd/teach.h"
#include "core/ops/creation/random_internal.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "nn/functional/dropout/dropout_internal.h"

static bool check_probability(double p) {
    return (p >= 0 && p <= 1) || tg_fail("dropout probability has to be between 0 and 1, but got %.15g", p) != NULL;
}

/* One for each channel of each sample: (N, C, 1, ...). */
static Tensor *channel_mask(const Tensor *x, double p) {
    int64_t shape[T_MAX_DIMS];
    if (x->ndim < 2) return tg_fail("Feature dropout requires at least 2 dimensions in the input");
    for (int d = 0; d < x->ndim; d++) shape[d] = d < 2 ? x->shape[d] : 1;
    return tg_bernoulli_mask(tg_empty(shape, x->ndim, x->dtype), p);
}

static Tensor *feature_dropout(Tensor *x, double p, bool inplace) {
    return tg_multiply_by_noise(x, p == 1 ? NULL : channel_mask(x, p), p, inplace);
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

/* F.dropout2d(x, p, training, inplace): each channel of each sample becomes 0 with probability p, the others are scaled
 * by 1 / (1 - p). x: (N, C, ...), floating; returns the same shape; in evaluation and for p = 0 x itself. dx = dy times
 * the same mask. inplace, as of all functions here: the result is written to x, with the same random numbers. Random
 * numbers as in PyTorch: one double uniform per channel. Errors: p outside [0, 1], less than two dims. */
Tensor *F_dropout2d(Tensor *x, double p, bool training, bool inplace) {
    TG_COMPOSITE("dropout2d");
    if (!inplace && tg_is_narrow_tensor(x)) return tg_dropout_widened(x, p, training, F_dropout2d);
    if (!tg_check(x, 1) || !check_probability(p)) return NULL;
    if (!is_dropped(x, p, training)) return x;
    if (x->ndim < 2) return tg_fail("Feature dropout requires at least 2 dimensions in the input");
    return check_floating(x, p) ? tg_run_dropout(x, p, inplace, feature_dropout) : NULL;
}

/* A sample without batch dim. */
static Tensor *dropout_unbatched(Tensor *x, double p, bool inplace) {
    Tensor *one = t_unsqueeze(x, 0), *y = one ? F_dropout2d(one, p, true, inplace) : NULL;
    return y && !inplace ? t_squeeze(y, 0) : y ? x : NULL;
}

static Tensor *copy_unbatched(Tensor *x, double p, bool inplace) {
    (void)p;
    if (inplace) return x;
    Tensor *one = t_unsqueeze(x, 0);
    return one ? t_squeeze(one, 0) : NULL;
}

/* F.dropout1d(x, p, training, inplace): the same for (N, C, L) or (C, L); two dims are one sample without batch dim. */
Tensor *F_dropout1d(Tensor *x, double p, bool training, bool inplace) {
    TG_COMPOSITE("dropout1d");
    if (!inplace && tg_is_narrow_tensor(x)) return tg_dropout_widened(x, p, training, F_dropout1d);
    if (!tg_check(x, 1) || !check_probability(p)) return NULL;
    if (x->ndim != 2 && x->ndim != 3)
        return tg_fail(
            "dropout1d: Expected 2D or 3D input, but received a %dD input. Note that dropout1d exists to provide "
            "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch "
            "dimension (i.e. 2D or 3D inputs).",
            x->ndim);
    if (x->ndim == 3) return F_dropout2d(x, p, training, inplace);
    return tg_run_dropout(x, p, inplace, training ? dropout_unbatched : copy_unbatched);
}

/* F.dropout3d(x, p, training, inplace): the same for (N, C, D, H, W), or without batch dim, as any input of another
 * rank is taken. (PyTorch warns about ranks below 4.) */
Tensor *F_dropout3d(Tensor *x, double p, bool training, bool inplace) {
    TG_COMPOSITE("dropout3d");
    if (!inplace && tg_is_narrow_tensor(x)) return tg_dropout_widened(x, p, training, F_dropout3d);
    if (!tg_check(x, 1) || !check_probability(p)) return NULL;
    if (x->ndim == 5) return F_dropout2d(x, p, training, inplace);
    return tg_run_dropout(x, p, inplace, training ? dropout_unbatched : copy_unbatched);
}

/* Klambauer et al. 2017: dropped elements get selu's limit at -infinity, -alpha; then the affine map a x + b restores
 * mean 0 and variance 1. */
static Tensor *alpha_dropout_of(Tensor *x, Tensor *noise, double p, bool inplace) {
    if (p == 1) return tg_multiply_by_noise(x, NULL, p, inplace);
    const double alpha = 1.7580993408473766, a = 1 / sqrt((alpha * alpha * p + 1) * (1 - p));
    Tensor *b = noise ? t_add(noise, t_number(-1)) : NULL;
    b = b ? t_add_(t_mul_(b, t_number(alpha * a)), t_number(alpha * a * p)) : NULL;
    Tensor *y = b ? (inplace ? t_mul_ : t_mul)(x, t_mul_(noise, t_number(a))) : NULL;
    return y ? (inplace ? t_add_ : t_add)(y, b) : NULL;
}

static Tensor *alpha_dropout(Tensor *x, double p, bool inplace) {
    return alpha_dropout_of(x, p == 1 ? NULL : tg_bernoulli_mask(tg_empty_as(x), p), p, inplace);
}

static Tensor *feature_alpha_dropout(Tensor *x, double p, bool inplace) {
    return alpha_dropout_of(x, p == 1 ? NULL : channel_mask(x, p), p, inplace);
}

/* F.alpha_dropout(x, p, training, inplace): dropout that preserves the mean and variance of selu activations. Any
 * shape, floating; in evaluation and for p = 0 x itself. dx = dy a where x is not dropped. Errors: p outside [0, 1]. */
Tensor *F_alpha_dropout(Tensor *x, double p, bool training, bool inplace) {
    TG_COMPOSITE("alpha_dropout");
    if (!inplace && tg_is_narrow_tensor(x)) return tg_dropout_widened(x, p, training, F_alpha_dropout);
    if (!tg_check(x, 1) || !check_probability(p)) return NULL;
    if (!is_dropped(x, p, training)) return x;
    return check_floating(x, p) ? tg_run_dropout(x, p, inplace, alpha_dropout) : NULL;
}

/* F.feature_alpha_dropout(x, p, training, inplace): the same for whole channels: one random number for each channel of
 * each sample. x: (N, C, ...). */
Tensor *F_feature_alpha_dropout(Tensor *x, double p, bool training, bool inplace) {
    TG_COMPOSITE("feature_alpha_dropout");
    if (!inplace && tg_is_narrow_tensor(x)) return tg_dropout_widened(x, p, training, F_feature_alpha_dropout);
    if (!tg_check(x, 1) || !check_probability(p)) return NULL;
    if (!is_dropped(x, p, training)) return x;
    return check_floating(x, p) ? tg_run_dropout(x, p, inplace, feature_alpha_dropout) : NULL;
}
