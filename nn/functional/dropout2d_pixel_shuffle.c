/* nn/functional/dropout2d_pixel_shuffle.c: dropout1d, dropout2d, alpha_dropout, pixel_shuffle and pixel_unshuffle. */
#include <math.h>

#include "core/ops/pointwise_internal.h"
#include "core/ops/random_internal.h"
#include "nn/functional/layers.h"

/* ---- dropout ---- */

static bool check_probability(double p) {
    return (p >= 0 && p <= 1) || tg_fail("dropout probability has to be between 0 and 1, but got %.15g", p) != NULL;
}

/* 0 with probability p, else 1: one random number per element, in the order of memory. */
static Tensor *bernoulli_mask(const int64_t *shape, int ndim, t_DType dtype, double p) {
    Tensor *noise = tg_empty(shape, ndim, dtype);
    return noise ? t_bernoulli_(noise, 1 - p, NULL) : NULL;
}

static Tensor *feature_dropout(Tensor *x, double p) {
    if (p == 1) return t_mul(x, t_number(0));
    int64_t shape[T_MAX_DIMS];
    for (int d = 0; d < x->ndim; d++) shape[d] = d < 2 ? x->shape[d] : 1;
    Tensor *noise = bernoulli_mask(shape, x->ndim, x->dtype, p);
    return noise ? t_mul(x, t_div_(noise, t_number(1 - p))) : NULL;
}

/* y = fn(x, p); on failure the generator is restored. */
static Tensor *run_dropout(Tensor *x, double p, Tensor *(*fn)(Tensor *x, double p)) {
    tg_Draws draws;
    Tensor *y = NULL;
    int depth = t_scope_open();
    if (depth && tg_draws_begin(&draws, NULL)) tg_draws_end(&draws, (y = fn(x, p)) != NULL);
    return tg_close_keeping(depth, y);
}

static bool is_dropped(const Tensor *x, double p, bool training) {
    return training && p > 0 && tg_numel(x) > 0;
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

/* Klambauer et al. 2017: dropped elements get selu's limit at -infinity, -alpha; then the affine map a x + b restores
 * mean 0 and variance 1. */
static Tensor *alpha_dropout(Tensor *x, double p) {
    if (p == 1) return t_mul(x, t_number(0));
    const double alpha = 1.7580993408473766, a = 1 / sqrt((alpha * alpha * p + 1) * (1 - p));
    Tensor *noise = bernoulli_mask(x->shape, x->ndim, x->dtype, p), *b = noise ? t_add(noise, t_number(-1)) : NULL;
    b = b ? t_add_(t_mul_(b, t_number(alpha * a)), t_number(alpha * a * p)) : NULL;
    return b ? t_add(t_mul(x, t_mul_(noise, t_number(a))), b) : NULL;
}

/* F.alpha_dropout(x, p, training): dropout that preserves the mean and variance of selu activations. Any shape,
 * floating; in evaluation and for p = 0 x itself. dx = dy a where x is not dropped. Errors: p outside [0, 1]. */
Tensor *F_alpha_dropout(Tensor *x, double p, bool training) {
    if (!tg_check(x, 1) || !check_probability(p)) return NULL;
    if (!is_dropped(x, p, training)) return x;
    return check_floating(x, p) ? run_dropout(x, p, alpha_dropout) : NULL;
}

/* ---- pixel_shuffle ---- */

/* The last three dims of x are split into five of the sizes `split`, which are permuted by `order` and reshaped to the
 * three sizes `to`. */
static Tensor *permute_blocks(Tensor *x, const int64_t split[5], const int order[5], const int64_t to[3]) {
    int64_t shape[T_MAX_DIMS + 2], dims[T_MAX_DIMS + 2];
    int outer = x->ndim - 3;
    if (outer + 5 > T_MAX_DIMS) return tg_fail("a tensor of more than %d dims cannot be shuffled", T_MAX_DIMS - 2);
    for (int d = 0; d < outer; d++) {
        shape[d] = x->shape[d];
        dims[d] = d;
    }
    for (int i = 0; i < 5; i++) {
        shape[outer + i] = split[i];
        dims[outer + i] = outer + order[i];
    }
    Tensor *parts = t_reshape(x, shape, outer + 5), *y = parts ? t_permute(parts, dims, outer + 5) : NULL;
    for (int i = 0; i < 3; i++) shape[outer + i] = to[i];
    y = y ? t_reshape(y, shape, outer + 3) : NULL;
    return y && y->storage == x->storage ? t_clone(y) : y;
}

static Tensor *shuffle(Tensor *x, int64_t factor, const Op *op);
static Tensor *unshuffle(Tensor *x, int64_t factor, const Op *op);

/* Each is the other's gradient. */
static const Op shuffle_op, unshuffle_op;
static void shuffle_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = dy ? unshuffle(dy, *(int64_t *)r->attributes, &unshuffle_op) : NULL;
}
static void unshuffle_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = dy ? shuffle(dy, *(int64_t *)r->attributes, &shuffle_op) : NULL;
}
static const Op shuffle_op = {"pixel_shuffle", "PixelShuffleBackward0", shuffle_backward};
static const Op unshuffle_op = {"pixel_unshuffle", "PixelUnshuffleBackward0", unshuffle_backward};

static Tensor *rearrange(Tensor *x, const int64_t split[5], const int order[5], const int64_t to[3], int64_t factor,
                        const Op *op) {
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = t_keep_object(tg_cut_from_base(permute_blocks(x, split, order, to)));
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return tg_record(op, y, INPUTS(x), NONE, ATTRIBUTES(factor));
}

static Tensor *shuffle(Tensor *x, int64_t r, const Op *op) {
    const int64_t *size = x->shape + x->ndim - 3, C = size[0] / r / r;
    return rearrange(x, (int64_t[]){C, r, r, size[1], size[2]}, (int[]){0, 3, 1, 4, 2},
                    (int64_t[]){C, size[1] * r, size[2] * r}, r, op);
}

static Tensor *unshuffle(Tensor *x, int64_t r, const Op *op) {
    const int64_t *size = x->shape + x->ndim - 3, H = size[1] / r, W = size[2] / r;
    return rearrange(x, (int64_t[]){size[0], H, r, W, r}, (int[]){0, 2, 4, 1, 3}, (int64_t[]){size[0] * r * r, H, W}, r,
                    op);
}

static bool check_shuffle(const Tensor *x, int64_t factor, const char *name, const char *word) {
    if (x->ndim < 3)
        return tg_fail("%s expects input to have at least 3 dimensions, but got input with %d dimension(s)", name,
                       x->ndim);
    return factor > 0 || tg_fail("%s expects a positive %s, but got %lld", name, word, (long long)factor) != NULL;
}

/* F.pixel_shuffle(x, upscale_factor): (..., C r^2, H, W) -> (..., C, H r, W r). Any dtype. dx = pixel_unshuffle(dy).
 * Errors: less than three dims, channels that r^2 does not divide. */
Tensor *F_pixel_shuffle(Tensor *x, int64_t upscale_factor) {
    int64_t r = upscale_factor;
    if (!tg_check(x, 1) || !check_shuffle(x, r, "pixel_shuffle", "upscale_factor")) return NULL;
    int64_t channels = x->shape[x->ndim - 3];
    if (channels % r || channels / r % r)
        return tg_fail("pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
                       "upscale_factor, but input.size(-3)=%lld is not divisible by %.0f",
                       (long long)channels, (double)r * (double)r);
    return shuffle(x, r, &shuffle_op);
}

/* F.pixel_unshuffle(x, downscale_factor): the inverse, (..., C, H r, W r) -> (..., C r^2, H, W). */
Tensor *F_pixel_unshuffle(Tensor *x, int64_t downscale_factor) {
    int64_t r = downscale_factor;
    if (!tg_check(x, 1) || !check_shuffle(x, r, "pixel_unshuffle", "downscale_factor")) return NULL;
    for (int d = 2; d >= 1; d--)
        if (x->shape[x->ndim - d] % r)
            return tg_fail("pixel_unshuffle expects %s to be divisible by downscale_factor, but input.size(-%d)=%lld "
                           "is not divisible by %lld",
                           d == 2 ? "height" : "width", d, (long long)x->shape[x->ndim - d], (long long)r);
    return unshuffle(x, r, &unshuffle_op);
}
