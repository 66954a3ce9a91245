/* nn/functional/pooling/max_pool.c: max pooling, over a sliding window and adaptive, with indices. */
#include "core/ops/indexing/gather_internal.h"
#include "nn/functional/pooling/pool_internal.h"

/* Each element of dy is added to dx at the index of the maximum. */
static void max_pool_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *indices_of_y = tg_saved(r, 0);
    const Edge *x = &r->edges[0];
    if (!indices_of_y || !dy) return;
    if (!t_is_grad_enabled() && (dy = tg_dense_tensor(dy))) {
        if ((dx[0] = tg_empty(x->shape, x->ndim, dy->dtype)))
            tg_run_pool(r->attributes, TG_POOL_MAX_BACKWARD, dx[0], dy, indices_of_y);
        return;
    }
    int64_t flat[T_MAX_DIMS], rows[T_MAX_DIMS];
    int last = x->ndim - 2;
    for (int d = 0; d < last; d++) flat[d] = rows[d] = x->shape[d];
    flat[last] = x->shape[last] * x->shape[last + 1];
    rows[last] = indices_of_y->shape[last] * indices_of_y->shape[last + 1];
    Tensor *index = t_reshape(indices_of_y, rows, last + 1), *values = t_reshape(dy, rows, last + 1);
    Tensor *sum = index && values ? tg_scatter_add(values, last, index, flat, last + 1) : NULL;
    dx[0] = sum ? t_reshape(sum, x->shape, x->ndim) : NULL;
}
static const Op max_pool_op = {"max_pool2d", "MaxPool2DWithIndicesBackward0", max_pool_backward};
static const Op adaptive_max_pool_op = {"adaptive_max_pool2d", "AdaptiveMaxPool2DBackward0", max_pool_backward};

/* In the caller's scope; *indices_of_y gets the indices where they are asked for or the gradient needs them. */
static Tensor *max_pool(Tensor *x, const Pool *pool, const Op *op, Tensor **indices_of_y, bool return_indices) {
    const bool with_indices = return_indices || tg_will_record(&x, 1);
    Tensor *dense = tg_dense_tensor(x), *y = tg_pooled(x, pool->window.out, x->dtype);
    Tensor *at = y && with_indices ? tg_pooled(x, pool->window.out, t_int64) : NULL;
    if (!dense || !y || (with_indices && !at)) return NULL;
    tg_run_pool(pool, TG_POOL_MAX, dense, y, at);
    *indices_of_y = at;
    return tg_record(op, y, INPUTS(x), SAVED(at), ATTRIBUTES(*pool));
}

/* Closes the scope; y and, where asked for, the indices are moved to the caller's. */
static Tensor *close_scope(int depth, Tensor *y, Tensor *indices_of_y, Tensor **indices) {
    if (y && indices && !indices_of_y) y = NULL;
    y = y ? t_keep_object(y) : NULL;
    if (indices) *indices = y ? t_keep_object(tg_detach_from_base(indices_of_y)) : NULL;
    t_scope_close(depth);
    return y;
}

/* Pooling over one dim, of x with a height of 1, which is removed from y and the indices. */
static Tensor *max_pool_1d(Tensor *with_height, const Pool *pool, const Op *op, Tensor **indices_of_y,
                           bool return_indices) {
    Tensor *y = max_pool(with_height, pool, op, indices_of_y, return_indices);
    if (!y || (*indices_of_y && !(*indices_of_y = t_squeeze(*indices_of_y, -2)))) return NULL;
    return t_squeeze(y, -2);
}

/* ---- F.max_pool ---- */

/* F.max_pool2d(x, kernel_size, stride, padding, dilation, ceil_mode, return_indices): the maximum of each window;
 * *indices gets its flat index in its plane of x, row * width + column. A stride that is not given is the kernel's
 * size; ceil_mode adds windows that reach beyond the end. x: (N, C, H, W) or (C, H, W), any dtype but bool; returns (N,
 * C, H', W') or (C, H', W'). dx = dy at that element. Errors: sizes below 1, padding over half the kernel, an x smaller
 * than the window. */
Tensor *F_max_pool2d(Tensor *x, const F_PoolOptions *options) {
    TG_CLEAR_INDICES(options);
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_max_pool2d(tg_widened(x), options), x->dtype);
    F_PoolOptions o;
    Pool pool;
    if (!tg_check(x, 1) || !tg_read_pool(options, 2, &o, &pool)) return NULL;
    if (x->ndim != 3 && x->ndim != 4) return tg_fail("non-empty 3D or 4D (batch mode) tensor expected for input");
    if (!tg_check_pool(x, o.ceil_mode, &pool)) return NULL;
    if (x->dtype == t_bool) return tg_not_implemented("max_pool2d", t_bool);
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *indices_of_y = NULL, *y = max_pool(x, &pool, &max_pool_op, &indices_of_y, o.indices);
    return close_scope(depth, y, indices_of_y, o.indices);
}

/* F.max_pool1d(x, kernel_size, ...): the same over one dim. x: (N, C, L) or (C, L). With indices the
 * errors are those of max_pool2d, as in PyTorch. */
Tensor *F_max_pool1d(Tensor *x, const F_PoolOptions *options) {
    TG_CLEAR_INDICES(options);
    TG_COMPOSITE("max_pool1d");
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_max_pool1d(tg_widened(x), options), x->dtype);
    F_PoolOptions o;
    Pool pool;
    if (!tg_check(x, 1) || !tg_read_pool(options, 1, &o, &pool)) return NULL;
    if (!(o.indices ? tg_check_pool1d(x, "max_pool1d") : tg_check_max_pool1d(x, o.ceil_mode, &pool))) return NULL;
    int depth = t_scope_open();
    Tensor *indices_of_y = NULL, *with_height = depth ? t_unsqueeze(x, -2) : NULL, *y = NULL;
    if (with_height && tg_check_pool(with_height, o.ceil_mode, &pool))
        y = x->dtype == t_bool ? tg_not_implemented("max_pool2d", t_bool)
                               : max_pool_1d(with_height, &pool, &max_pool_op, &indices_of_y, o.indices);
    return close_scope(depth, y, indices_of_y, o.indices);
}

/* ---- F.adaptive_max_pool ---- */

static bool check_adaptive(const Tensor *x, const Pool *pool) {
    if (x->ndim != 3 && x->ndim != 4)
        return tg_fail("adaptive_max_pool2d(): Expected 3D or 4D tensor, but got: %s", tg_shape_of(x));
    for (int d = x->ndim == 4; d < x->ndim; d++)
        if (x->shape[d] == 0)
            return tg_fail("adaptive_max_pool2d(): Expected input to have non-zero size for non-batch dimensions, but "
                           "input has sizes %s with dimension %d being empty",
                           tg_shape_of(x), d);
    const int64_t *out = pool->window.out;
    int64_t shape[T_MAX_DIMS];
    for (int d = 0; d < x->ndim; d++) shape[d] = d < x->ndim - 2 ? x->shape[d] : out[d - (x->ndim - 2)];
    if (out[0] < 0 || out[1] < 0)
        return tg_fail("Trying to create tensor with negative dimension %lld: %s",
                       (long long)(out[0] < 0 ? out[0] : out[1]), tg_shape_text(shape, x->ndim));
    return tg_is_floating(x->dtype) || tg_not_implemented("adaptive_max_pool2d", x->dtype) != NULL;
}

/* F.adaptive_max_pool2d(x, output_size, return_indices): the maximum of each of output_size regions of x, which overlap
 * by an element where the sizes do not divide: region p of P covers the elements from floor(p H / P) to ceil((p + 1) H
 * / P) - 1. x: (N, C, H, W) or (C, H, W), floating; a size of T_NONE is x's own. dx = dy at that element. */
Tensor *F_adaptive_max_pool2d(Tensor *x, const int64_t output_size[2], Tensor **indices) {
    tg_clear_output(indices);
    if (tg_is_narrow_tensor(x))
        return tg_narrowed(F_adaptive_max_pool2d(tg_widened(x), output_size, indices), x->dtype);
    Pool pool = {.adaptive = true};
    if (!tg_check(x, 1)) return NULL;
    if (!output_size) return t_error() ? NULL : tg_fail("output_size is NULL where two sizes are expected");
    if (!tg_check_adaptive_dims(x, output_size, 2)) return NULL;
    if (x->ndim >= 2) tg_adaptive_pool(x, output_size, &pool);
    if (!check_adaptive(x, &pool)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *indices_of_y = NULL, *y = max_pool(x, &pool, &adaptive_max_pool_op, &indices_of_y, indices);
    return close_scope(depth, y, indices_of_y, indices);
}

/* F.adaptive_max_pool1d(x, output_size, return_indices): the same over one dim. x: (N, C, L) or (C, L). */
Tensor *F_adaptive_max_pool1d(Tensor *x, int64_t output_size, Tensor **indices) {
    tg_clear_output(indices);
    TG_COMPOSITE("adaptive_max_pool1d");
    if (tg_is_narrow_tensor(x))
        return tg_narrowed(F_adaptive_max_pool1d(tg_widened(x), output_size, indices), x->dtype);
    if (!tg_check(x, 1) || !tg_check_pool1d(x, "adaptive_max_pool1d")) return NULL;
    int depth = t_scope_open();
    Pool pool;
    Tensor *indices_of_y = NULL, *y = NULL, *with_height = depth ? t_unsqueeze(x, -2) : NULL;
    if (with_height) {
        tg_adaptive_pool(with_height, (int64_t[]){1, output_size}, &pool);
        if (check_adaptive(with_height, &pool))
            y = max_pool_1d(with_height, &pool, &adaptive_max_pool_op, &indices_of_y, indices);
    }
    return close_scope(depth, y, indices_of_y, indices);
}
