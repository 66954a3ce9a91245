/* nn/functional/vision/pixel_shuffle.c: F.pixel_shuffle and F.pixel_unshuffle, permutations of blocks of channels, and
 * F.channel_shuffle. */
#include "core/ops/pointwise/pointwise_internal.h"
#include "nn/functional/vision/vision.h"

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

/* The forward is composed of views and one copy, which are not recorded; the result is recorded as one op. */
static Tensor *rearrange(Tensor *x, const int64_t split[5], const int order[5], const int64_t to[3], int64_t factor,
                         const Op *op) {
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = t_keep_object(tg_detach_from_base(permute_blocks(x, split, order, to)));
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return tg_record(op, y, INPUTS(x), NONE, ATTRIBUTES(factor));
}

static Tensor *shuffle(Tensor *x, int64_t r, const Op *op) {
    const int64_t *size = x->shape + x->ndim - 3, C = size[0] / (r * r);
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
    if (factor <= 0) return tg_fail("%s expects a positive %s_factor, but got %lld", name, word, (long long)factor);
    int64_t square;
    return !__builtin_mul_overflow(factor, factor, &square) ||
           tg_fail("%s factor is too large, (%s_factor)^2 overflowed: %s_factor=%lld", word, word, word,
                   (long long)factor);
}

static bool size_fits(int64_t size, int64_t factor, const char *name) {
    int64_t product;
    return !__builtin_mul_overflow(size, factor, &product) ||
           tg_fail("%s: a size of the result, %lld * %lld, is more than 2^63 - 1", name, (long long)size,
                   (long long)factor);
}

/* F.pixel_shuffle(x, upscale_factor): (..., C r^2, H, W) -> (..., C, H r, W r). Any dtype. dx = pixel_unshuffle(dy).
 * Errors: less than three dims, channels that r^2 does not divide, a size of the result above 2^63 - 1. */
Tensor *F_pixel_shuffle(Tensor *x, int64_t upscale_factor) {
    TG_COMPOSITE("pixel_shuffle");
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_pixel_shuffle(tg_widened(x), upscale_factor), x->dtype);
    int64_t r = upscale_factor;
    if (!tg_check(x, 1) || !check_shuffle(x, r, "pixel_shuffle", "upscale")) return NULL;
    int64_t channels = x->shape[x->ndim - 3];
    if (channels % (r * r))
        return tg_fail("pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
                       "upscale_factor, but input.size(-3)=%lld is not divisible by %lld",
                       (long long)channels, (long long)(r * r));
    if (!size_fits(x->shape[x->ndim - 2], r, "pixel_shuffle") || !size_fits(x->shape[x->ndim - 1], r, "pixel_shuffle"))
        return NULL;
    return shuffle(x, r, &shuffle_op);
}

/* F.pixel_unshuffle(x, downscale_factor): the inverse, (..., C, H r, W r) -> (..., C r^2, H, W). */
Tensor *F_pixel_unshuffle(Tensor *x, int64_t downscale_factor) {
    TG_COMPOSITE("pixel_unshuffle");
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_pixel_unshuffle(tg_widened(x), downscale_factor), x->dtype);
    int64_t r = downscale_factor;
    if (!tg_check(x, 1) || !check_shuffle(x, r, "pixel_unshuffle", "downscale")) return NULL;
    for (int d = 2; d >= 1; d--)
        if (x->shape[x->ndim - d] % r)
            return tg_fail("pixel_unshuffle expects %s to be divisible by downscale_factor, but input.size(-%d)=%lld "
                           "is not divisible by %lld",
                           d == 2 ? "height" : "width", d, (long long)x->shape[x->ndim - d], (long long)r);
    return size_fits(x->shape[x->ndim - 3], r * r, "pixel_unshuffle") ? unshuffle(x, r, &unshuffle_op) : NULL;
}

/* F.channel_shuffle(x, groups): the channels as a matrix of `groups` rows, transposed: channel i of group j becomes
 * channel i groups + j. x: (N, C, ...), at least three dims, any dtype; returns the same shape. Composed of ops.
 * Errors: groups below 1, or by which C is not divisible. */
Tensor *F_channel_shuffle(Tensor *x, int64_t groups) {
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_channel_shuffle(tg_widened(x), groups), x->dtype);
    if (!tg_check(x, 1)) return NULL;
    if (x->ndim < 3)
        return tg_fail("channel_shuffle expects input with > 2 dims, but got input with sizes %s", tg_shape_of(x));
    if (groups < 1)
        return tg_fail("Number of groups to divide channels in must be positive. Value of groups:%lld",
                       (long long)groups);
    if (x->shape[1] % groups)
        return tg_fail("Number of channels must be divisible by groups. Got %lld channels and %lld groups.",
                       (long long)x->shape[1], (long long)groups);
    const int64_t pixels = tg_shape_numel(x->shape + 2, x->ndim - 2),
                  rows[] = {x->shape[0], groups, x->shape[1] / groups, pixels};
    int depth = t_scope_open();
    Tensor *matrix = depth ? t_transpose(t_reshape(x, rows, 4), 1, 2) : NULL;
    return tg_scope_return(depth, matrix ? t_reshape(matrix, x->shape, x->ndim) : NULL);
}
