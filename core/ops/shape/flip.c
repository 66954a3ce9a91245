/* core/ops/shape/flip.c: flip, fliplr, flipud, rot90 and roll: copies with the elements in another order along some
 * dims. */
#include <string.h>

#include "core/ops/pointwise/pointwise_internal.h"
#include "core/ops/shape/shape_internal.h"
#include "core/tensor/size_arithmetic.h"

/* ---- flip ---- */

static void flip_backward(Record *r, Tensor *dy, Tensor **dx) {
    const DimSet *dims = r->attributes;
    dx[0] = t_flip(dy, dims->of, dims->count);
}
static const Op flip_op = {"flip", "FlipBackward0", flip_backward};

/* torch.flip(x, dims): reverses the order along those dims, as a copy. dx = dy flipped. Errors: a dim out of range
 * or twice. */
Tensor *t_flip(Tensor *x, const int64_t *dims, int count) {
    DimSet set = {.count = 0};
    int wrapped[T_MAX_DIMS];
    if (!tg_check_any(x, 1) || !tg_wrap_dims(dims, count, x->ndim, wrapped)) return NULL;
    /* a view on the stack with negative strides, which PyTorch's tensors do not have */
    Tensor *y = tg_empty_like(x, x->dtype), reversed = *x;
    if (!y) return NULL;
    for (int i = 0; x->ndim && i < count; i++) {
        int d = wrapped[i];
        set.of[set.count++] = d;
        reversed.offset = tg_offset_at(&reversed, d, x->shape[d] - 1);
        reversed.strides[d] = -x->strides[d];
    }
    tg_copy_into(y, &reversed);
    return tg_record(&flip_op, y, INPUTS(x), NONE, ATTRIBUTES(set));
}

/* torch.fliplr(x), torch.flipud(x): flip along the second, the first dim. */
Tensor *t_fliplr(Tensor *x) {
    if (!tg_check_any(x, 1)) return NULL;
    return x->ndim < 2 ? tg_fail("Input must be >= 2-d.") : t_flip(x, (int64_t[]){1}, 1);
}

Tensor *t_flipud(Tensor *x) {
    if (!tg_check_any(x, 1)) return NULL;
    return x->ndim < 1 ? tg_fail("Input must be >= 1-d.") : t_flip(x, (int64_t[]){0}, 1);
}

/* ---- rot90 ---- */

typedef struct Rotation {
    int64_t quarters, dims[2];
} Rotation;

static void rot90_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Rotation *rotation = r->attributes;
    dx[0] = t_rot90(dy, -rotation->quarters, rotation->dims, 2);
}
static const Op rot90_op = {"rot90", "Rot90Backward0", rot90_backward};

static Tensor *rotate(Tensor *x, const Rotation *rotation) {
    const int64_t *dims = rotation->dims;
    if (rotation->quarters == 0) return t_clone(t_contiguous(x));
    if (rotation->quarters == 2) return t_flip(x, dims, 2);
    Tensor *flipped = t_flip(x, dims + (rotation->quarters == 1), 1);
    return flipped ? tg_detach_from_base(t_transpose(flipped, dims[0], dims[1])) : NULL;
}

/* torch.rot90(x, k, dims): rotates the plane of two dims k times by 90 degrees from the first towards the second, as
 * a copy. dx = dy rotated back. */
Tensor *t_rot90(Tensor *x, int64_t k, const int64_t *dims, int count) {
    Rotation rotation = {.quarters = (k % 4 + 4) % 4};
    if (!tg_check_any(x, 1) || !tg_check_array(dims, count, 3, "dims")) return NULL;
    if (count != 2) return tg_fail("expected total rotation dims == 2, but got dims = %d", count);
    if (x->ndim < 2) return tg_fail("expected total dims >= 2, but got total dims = %d", x->ndim);
    int64_t distance = dims[0] > dims[1] ? tg_size_sub(dims[0], dims[1]) : tg_size_sub(dims[1], dims[0]);
    if (distance == 0 || distance == x->ndim)
        return tg_fail("expected rotation dims to be different, but got dim0 = %lld and dim1 = %lld",
                       (long long)dims[0], (long long)dims[1]);
    for (int i = 0, d; i < 2; i++) {
        if (!tg_wrap_dim(dims[i], x->ndim, &d)) return NULL;
        rotation.dims[i] = d;
    }
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = t_keep_object(rotate(x, &rotation));
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return tg_record(&rot90_op, y, INPUTS(x), NONE, ATTRIBUTES(rotation));
}

/* ---- roll ---- */

typedef struct Roll {
    int count; /* 0: the flattened x */
    int64_t shift[T_MAX_DIMS], dim[T_MAX_DIMS];
} Roll;

static void roll_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Roll *roll = r->attributes;
    int64_t back[T_MAX_DIMS];
    for (int i = 0; i < roll->count || i == 0; i++) back[i] = -roll->shift[i];
    dx[0] = t_roll(dy, back, roll->count ? roll->count : 1, roll->dim, roll->count);
}
static const Op roll_op = {"roll", "RollBackward0", roll_backward};

/* Copies x into y, shifted along its dims by less than their sizes: along each dim in two parts. */
static void copy_shifted(Tensor *y, Tensor *x, const int64_t *shifts, int dim) {
    if (dim == x->ndim) {
        tg_copy_into(y, x);
        return;
    }
    int64_t size = x->shape[dim], shift = shifts[dim];
    for (int part = 0; part < 2; part++) {
        Tensor from = *x, to = *y;
        from.shape[dim] = to.shape[dim] = part ? shift : size - shift;
        from.offset += part ? (size - shift) * x->strides[dim] : 0;
        to.offset += part ? 0 : shift * y->strides[dim];
        if (from.shape[dim]) copy_shifted(&to, &from, shifts, dim + 1);
    }
}

static Tensor *flat_view(Tensor *x, Tensor *view) {
    *view = *x;
    view->ndim = 1;
    view->shape[0] = tg_numel(x);
    view->strides[0] = 1;
    return view;
}

static Tensor *roll_copy(Tensor *x, const Roll *roll) {
    int64_t total[T_MAX_DIMS] = {0};
    Tensor *y = tg_empty(x->shape, x->ndim, x->dtype), flat_x, flat_y;
    if (!y || tg_numel(x) == 0) return y;
    if (roll->count == 0) {
        int64_t all = tg_numel(x);
        if (!(x = t_contiguous(t_detach(x)))) return NULL;
        total[0] = (roll->shift[0] % all + all) % all;
        copy_shifted(flat_view(y, &flat_y), flat_view(x, &flat_x), total, 0);
        return y;
    }
    for (int i = 0; i < roll->count; i++) {
        int64_t size = x->shape[roll->dim[i]], shift = roll->shift[i] % size;
        total[roll->dim[i]] = ((total[roll->dim[i]] + shift) % size + size) % size;
    }
    copy_shifted(y, x, total, 0);
    return y;
}

/* torch.roll(x, shifts, dims): elements move by shifts[i] along dims[i], cyclically; without dims the flattened x is
 * rolled. dx = dy rolled back. Errors: different numbers of shifts and dims. */
Tensor *t_roll(Tensor *x, const int64_t *shifts, int shift_count, const int64_t *dims, int dim_count) {
    Roll roll = {.count = dim_count};
    if (!tg_check_any(x, 1) || !tg_check_array(shifts, shift_count, 2, "shifts") ||
        !tg_check_array(dims, dim_count, 4, "dims"))
        return NULL;
    if (shift_count == 0) return tg_fail("`shifts` required");
    if (shift_count != (dim_count ? dim_count : 1) || shift_count > T_MAX_DIMS)
        return tg_fail("shifts and dimensions must align. shifts: %d, dims:%d", shift_count, dim_count);
    for (int i = 0, d; i < dim_count; i++) {
        if (x->ndim == 0)
            return tg_fail("Dimension specified as %lld but tensor has no dimensions", (long long)dims[i]);
        if (!tg_wrap_dim(dims[i], x->ndim, &d)) return NULL;
        roll.dim[i] = d;
    }
    for (int i = 0; i < shift_count; i++) { /* modulo the size, so that the backward can negate it */
        const int64_t size = dim_count ? x->shape[roll.dim[i]] : tg_numel(x);
        roll.shift[i] = size ? shifts[i] % size : 0;
    }
    int depth = t_scope_open();
    Tensor *y = depth ? t_keep_object(roll_copy(x, &roll)) : NULL;
    t_scope_close(depth);
    return tg_record(&roll_op, y, INPUTS(x), NONE, ATTRIBUTES(roll));
}
