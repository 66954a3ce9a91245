/* nn/functional/pooling/max_unpool.c: max unpooling: the values back at the indices of max pooling, zeros elsewhere.
 * Composed of ops. */
#include "core/ops/indexing/gather_internal.h"
#include "core/tensor/size_arithmetic.h"
#include "nn/functional/pooling/pool_internal.h"

/* The size of the input of a max pooling that gave x: (n - 1) stride + kernel - 2 padding, or the given size, which may
 * differ from that by less than a stride. */
static bool output_size_of(const Tensor *x, const F_PoolOptions *options, int dims, const int64_t *given,
                           int64_t size[2]) {
    F_PoolOptions o;
    Pool pool;
    int64_t wanted[2];
    if (!tg_read_pool(options, dims, &o, &pool)) return false;
    const Window *w = &pool.window;
    const bool is_given = given && given[0] != T_NONE;
    if (is_given) tg_pair(given, dims, 1, wanted);
    for (int i = 0; i < dims; i++) {
        const int d = 2 - dims + i; /* over one dim: the width */
        const int64_t n = x->ndim >= dims ? x->shape[x->ndim - dims + i] : 1;
        const int64_t end = tg_size_sub(w->kernel[d], tg_size_mul(2, w->padding[d]));
        size[i] = tg_size_add(tg_size_mul(n - 1, w->stride[d]), end);
        const int64_t least = tg_size_sub(size[i], w->stride[d]), most = tg_size_add(size[i], w->stride[d]);
        if (is_given && !(least < wanted[d] && wanted[d] < most))
            return tg_fail("invalid output_size \"%s\" (dim %d must be between %lld and %lld)",
                           tg_tuple_repr(wanted + 2 - dims, dims).text, i, (long long)least, (long long)most);
        if (is_given) size[i] = wanted[d];
    }
    for (int i = 0; i < dims; i++)
        if (size[i] < 0)
            return tg_fail("max_unpooling: output_size must contain non-negative spatial dimensions, but got "
                           "output_size[%d]=%lld", i, (long long)size[i]);
    return true;
}

static bool check_indices(const Tensor *x, Tensor *indices, const int64_t size[2]) {
    int64_t bad;
    if (indices->dtype != t_int64)
        return tg_fail("elements in indices should be type int64 but got: %s", tg_scalar_name(indices->dtype));
    if (x->ndim != 3 && x->ndim != 4)
        return tg_fail("Input to max_unpooling2d should be a 3d or 4d Tensor, but got a tensor with %d dimensions.",
                       x->ndim);
    if (!tg_same_shape(x, indices))
        return tg_fail("Expected shape of indices to be same as that of the input tensor (%s) but got indices tensor "
                       "with shape: %s", tg_shape_of(x), tg_shape_of(indices));
    for (int d = x->ndim - 3; d < x->ndim; d++)
        if (x->shape[d] == 0)
            return tg_fail("max_unpooling2d_forward_out_cpu(): Expected input to have non-zero size for non-batch "
                           "dimensions, but input has sizes %s with dimension %d being empty", tg_shape_of(x), d);
    if (!tg_is_floating(x->dtype)) return tg_not_implemented("max_unpool2d", x->dtype) != NULL;
    return !tg_find_bad_index(indices, tg_size_mul(size[0], size[1]), NULL, &bad) ||
           tg_fail("Found an invalid max index: %lld (output volumes are of size %lldx%lld)", (long long)bad,
                   (long long)size[0], (long long)size[1]) != NULL;
}

/* In the caller's scope. */
static Tensor *max_unpool(Tensor *x, Tensor *indices, const int64_t size[2]) {
    if (!x || !indices || !check_indices(x, indices, size)) return NULL;
    const int last = x->ndim - 2;
    int64_t flat[T_MAX_DIMS], rows[T_MAX_DIMS], shape[T_MAX_DIMS];
    for (int d = 0; d < last; d++) flat[d] = rows[d] = shape[d] = x->shape[d];
    rows[last] = x->shape[last] * x->shape[last + 1];
    flat[last] = tg_size_mul(size[0], size[1]);
    shape[last] = size[0];
    shape[last + 1] = size[1];
    const t_TensorOptions options = {.size = sizeof options, .dtype = x->dtype};
    Tensor *zeros = t_zeros(flat, last + 1, &options);
    Tensor *y = zeros ? t_scatter(zeros, last, t_reshape(indices, rows, last + 1), t_reshape(x, rows, last + 1)) : NULL;
    return t_reshape(y, shape, x->ndim);
}

/* F.max_unpool2d(x, indices, kernel_size, stride, padding, output_size): zeros but for x at the indices that
 * F_max_pool2d gave; of two values for one index the last counts. x: (N, C, H, W) or (C, H, W), floating; indices: the
 * same shape, int64; returns (N, C, H', W') or (C, H', W'). output_size: {H', W'}, NULL or T_NONE for the default. dx =
 * dy at the indices. Errors: an index outside of the plane, other shapes, a size that max pooling cannot have had. */
Tensor *F_max_unpool2d(Tensor *x, Tensor *indices, const F_PoolOptions *options, const int64_t *output_size) {
    TG_AUTOCAST_FLOAT32(x);
    if (tg_is_narrow_tensor(x))
        return tg_narrowed(F_max_unpool2d(tg_widened(x), tg_widened_optional(indices), options, output_size), x->dtype);
    int64_t size[2];
    if (!tg_check_two(x, indices) || !output_size_of(x, options, 2, output_size, size)) return NULL;
    int depth = t_scope_open();
    return depth ? tg_scope_return(depth, max_unpool(x, indices, size)) : NULL;
}

/* F.max_unpool1d(x, indices, kernel_size, stride, padding, output_size): the same over one dim. x: (N, C, L) or
 * (C, L). */
Tensor *F_max_unpool1d(Tensor *x, Tensor *indices, const F_PoolOptions *options, const int64_t *output_size) {
    TG_COMPOSITE("max_unpool1d");
    if (tg_is_narrow_tensor(x))
        return tg_narrowed(F_max_unpool1d(tg_widened(x), tg_widened_optional(indices), options, output_size), x->dtype);
    int64_t size[2] = {0, 1};
    if (!tg_check_two(x, indices) || !output_size_of(x, options, 1, output_size, size)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = max_unpool(t_unsqueeze(x, -1), t_unsqueeze(indices, -1), (int64_t[]){size[0], 1});
    return tg_scope_return(depth, t_squeeze(y, -1));
}
