/* core/ops/creation/copy.c: to, float, double, long, clone, contiguous and detach; copy_, fill_ and zero_. */
#include <string.h>

#include "core/ops/pointwise/pointwise_internal.h"

/* ---- a copy ---- */

/* x.to(dtype): the values in another dtype; x itself if it has that dtype. Floating to integer truncates. dx = dy in
 * x's dtype. */
static void to_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = t_to(dy, r->edges[0].dtype);
}
static const Op to_op = {"to", "ToCopyBackward0", to_backward};

Tensor *t_to(Tensor *x, t_DType dtype) {
    if (!tg_check_any(x, 1)) return NULL;
    if (dtype < t_bool || dtype > t_float64) return tg_fail("%d is not a dtype", (int)dtype);
    if (x->dtype == dtype) return x;
    Tensor *y = tg_empty_like(x, dtype);
    if (y) tg_copy_into(y, x);
    return tg_record(&to_op, y, INPUTS(x), NONE, NONE);
}

/* x.float(), x.double(), x.long(): x.to(float32), x.to(float64), x.to(int64). */
Tensor *t_float(Tensor *x) {
    return t_to(x, t_float32);
}

Tensor *t_double(Tensor *x) {
    return t_to(x, t_float64);
}

Tensor *t_long(Tensor *x) {
    return t_to(x, t_int64);
}

/* x.half(), x.int(), x.short(), x.char(), x.byte(): x.to(float16), to int32, int16, int8 and uint8. */
Tensor *t_half(Tensor *x) {
    return t_to(x, t_float16);
}

Tensor *t_int(Tensor *x) {
    return t_to(x, t_int32);
}

Tensor *t_short(Tensor *x) {
    return t_to(x, t_int16);
}

Tensor *t_char(Tensor *x) {
    return t_to(x, t_int8);
}

Tensor *t_byte(Tensor *x) {
    return t_to(x, t_uint8);
}

/* x.type_as(other), x.to(other): x in the dtype of other. */
Tensor *t_type_as(Tensor *x, Tensor *other) {
    return tg_check_any_two(x, other) ? t_to(x, other->dtype) : NULL;
}

/* x.clone(): a copy in the memory format of x. dx = dy. */
static void clone_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)r;
    dx[0] = dy;
}
static const Op clone_op = {"clone", "CloneBackward0", clone_backward};

Tensor *t_clone(Tensor *x) {
    Tensor *y = tg_check_any(x, 1) ? tg_empty_like(x, x->dtype) : NULL;
    if (y) tg_copy_into(y, x);
    return tg_record(&clone_op, y, INPUTS(x), NONE, NONE);
}

/* x.contiguous(): x itself if it is contiguous, else a contiguous copy. dx = dy. */
Tensor *t_contiguous(Tensor *x) {
    if (!tg_check_any(x, 1) || tg_is_contiguous(x)) return tg_check_any(x, 1) ? x : NULL;
    Tensor *y = tg_empty(x->shape, x->ndim, x->dtype);
    if (y) tg_copy_into(y, x);
    return tg_record(&clone_op, y, INPUTS(x), NONE, NONE);
}

/* x.detach(): the same data as a leaf outside the graph. An in-place write to either is visible in both. */
Tensor *t_detach(Tensor *x) {
    Tensor *y = tg_check_any(x, 1) ? tg_alias(x) : NULL;
    if (y) y->wrapped_number = x->wrapped_number;
    return y;
}

/* ---- copy_, fill_, zero_ ---- */

bool tg_check_fits(Tensor *x, Tensor *src) {
    Tensor *both[] = {x, src};
    int64_t shape[T_MAX_DIMS];
    int ndim;
    if (!tg_broadcast_shape(both, 2, shape, &ndim)) return false;
    if (ndim == x->ndim && memcmp(shape, x->shape, (size_t)ndim * sizeof *shape) == 0) return true;
    return tg_fail("output with shape %s doesn't match the broadcast shape %s", tg_shape_of(x),
                   tg_shape_text(shape, ndim));
}

static Tensor *overwrite(Tensor *x, Tensor *src, const Op *op) {
    if (!tg_check_any_two(x, src) || !tg_check_inplace(x) || !tg_check_fits(x, src)) return NULL;
    if (src->wrapped_number && !tg_check_tensor_fits(src, x->dtype)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *owner = x->base ? x->base : x;
    /* without a record the cast happens in the copy */
    Tensor *own = tg_will_record((Tensor *[]){owner, src}, 2) ? t_to(src, x->dtype) : src;
    Tensor *value = own ? t_expand(own, x->shape, x->ndim) : NULL;
    if (value && tg_shares_memory(x, value)) own = value = t_clone(value);
    bool ok = value && tg_rebase_history(x, value, op);
    if (ok) {
        tg_overwrite(x, own); /* broadcasts own; a scalar is cast once */
    }
    t_scope_close(depth);
    return ok ? x : NULL;
}

/* x.copy_(src): src is broadcast to x's shape and cast to x's dtype. dsrc = dx, summed over the broadcast dims. */
Tensor *t_copy_(Tensor *x, Tensor *src) {
    return overwrite(x, src, &tg_copy_op);
}

/* x.fill_(value), x.zero_(): the gradient of the old x is zero. */
static const Op fill_op = {"fill_", "FillBackward2", tg_copy_backward};
static const Op zero_op = {"zero_", "ZeroBackward0", tg_copy_backward};

static Tensor *overwrite_by_scalar(Tensor *x, double value, const Op *op) {
    if (!tg_check_any(x, 1)) return NULL;
    int depth = t_scope_open();
    Tensor *number = depth ? t_number(value) : NULL, *done = number ? overwrite(x, number, op) : NULL;
    t_scope_close(depth);
    return done;
}

Tensor *t_fill_(Tensor *x, double value) {
    return overwrite_by_scalar(x, value, &fill_op);
}

Tensor *t_zero_(Tensor *x) {
    return overwrite_by_scalar(x, 0, &zero_op);
}

/* ---- fill ---- */

static void fill_number_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)dy;
    if (tg_needs(r, 0)) dx[0] = tg_zeros_like_input(r, 0);
}
static void fill_tensor_backward(Record *r, Tensor *dy, Tensor **dx) {
    if (tg_needs(r, 0)) dx[0] = tg_zeros_like_input(r, 0);
    if (tg_needs(r, 1)) dx[1] = t_sum(dy, NULL, 0, false);
}
static const Op fill_number_op = {"fill", "FillBackward0", fill_number_backward};
static const Op fill_tensor_op = {"fill", "FillBackward1", fill_tensor_backward};

/* torch.fill(x, value): a tensor of x's shape and dtype with the value, a number or a 0-dim tensor, everywhere. dx = 0,
 * dvalue = the sum of dy. Errors: a value of more dims, or that overflows x's dtype. */
Tensor *t_fill(Tensor *x, Tensor *value) {
    if (!tg_check_any_two(x, value)) return NULL;
    if (value->ndim)
        return tg_fail("fill_ only supports 0-dimension value tensor but got tensor with %d dimensions.", value->ndim);
    if (!tg_check_tensor_fits(value, x->dtype)) return NULL;
    Tensor *y = tg_empty_like(x, x->dtype);
    if (!y) return NULL;
    tg_copy_into(y, value);
    return tg_record(value->wrapped_number ? &fill_number_op : &fill_tensor_op, y, INPUTS(x, value), NONE, NONE);
}
