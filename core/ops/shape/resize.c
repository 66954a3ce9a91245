/* core/ops/shape/resize.c: resize_ and resize_as_: another shape for x, with more memory if it needs that. */
#include <string.h>

#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/size_arithmetic.h"

/* A contiguous tensor of that shape at x's offset in a new storage, which begins with the bytes of x's. */
static Tensor *in_new_storage(Tensor *x, const int64_t *size, int ndim) {
    const int64_t count = tg_size_add(x->offset, tg_shape_numel(size, ndim));
    int64_t strides[T_MAX_DIMS];
    Tensor *buffer = tg_empty(&count, 1, x->dtype);
    if (!buffer) return NULL;
    const size_t bytes = (size_t)count * tg_itemsize(x->dtype), old = x->storage->bytes;
    memcpy(tg_data(buffer), x->storage->data, old < bytes ? old : bytes);
    tg_contiguous_strides(size, ndim, strides);
    return tg_view(buffer, size, strides, ndim, x->offset);
}

static bool is_in_storage(const Tensor *x, int64_t count) {
    const int64_t end = tg_size_add(x->offset, count);
    return end <= (int64_t)(x->storage->bytes / tg_itemsize(x->dtype));
}

/* x.resize_(size): x itself gets that shape, contiguous; the elements are those of its storage in order, and new ones
 * are not initialised. The same shape leaves x as it is. Where the storage is too small x gets a new one; unlike in
 * PyTorch other views of the old one keep that. Errors: x requires grad, a negative size. */
Tensor *t_resize_(Tensor *x, const int64_t *size, int ndim) {
    if (!tg_check_any(x, 1) || !tg_check_array(size, ndim, 2, "sizes")) return NULL;
    if (x->requires_grad) return tg_fail("cannot resize variables that require grad");
    if (ndim > T_MAX_DIMS) return tg_fail("a tensor has at most %d dims, not %d", T_MAX_DIMS, ndim);
    for (int d = 0; d < ndim; d++)
        if (size[d] < 0)
            return tg_fail("Trying to create tensor with negative dimension %lld: %s", (long long)size[d],
                           tg_shape_text(size, ndim));
    if (ndim == x->ndim && (ndim == 0 || memcmp(size, x->shape, (size_t)ndim * sizeof *size) == 0)) return x;
    int64_t shape[T_MAX_DIMS] = {0};
    for (int d = 0; d < ndim; d++) shape[d] = size[d];
    if (!tg_materialize_copies(x)) return NULL;
    int depth = t_scope_open();
    bool ok = depth != 0;
    if (ok && !is_in_storage(x, tg_shape_numel(shape, ndim))) {
        Tensor *grown = in_new_storage(x, shape, ndim);
        ok = grown != NULL;
        if (ok) tg_set_data(x, grown);
    } else if (ok) {
        x->ndim = ndim;
        memcpy(x->shape, shape, sizeof shape);
        tg_contiguous_strides(shape, ndim, x->strides);
    }
    if (ok) tg_bump_version(x);
    t_scope_close(depth);
    return ok ? x : NULL;
}

/* x.resize_as_(other): x.resize_(other.shape) */
Tensor *t_resize_as_(Tensor *x, Tensor *other) {
    return tg_check_any_two(x, other) ? t_resize_(x, other->shape, other->ndim) : NULL;
}
