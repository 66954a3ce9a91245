/* core/ops/copy.c: to, float, double, long, clone, contiguous and detach. copy_, fill_ and zero_ are in
 * core/autograd/inplace.c. */
#include "core/ops/pointwise_internal.h"

/* x.to(dtype): the values in another dtype; x itself if it has that dtype. Floating to integer truncates. dx = dy in
 * x's dtype. */
static void to_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = t_to(dy, r->edges[0].dtype);
}
static const Op to_op = {"to", "ToCopyBackward0", to_backward};

Tensor *t_to(Tensor *x, t_DType dtype) {
    if (!tg_check(x, 1)) return NULL;
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

/* x.type_as(other), x.to(other): x in the dtype of other. */
Tensor *t_type_as(Tensor *x, Tensor *other) {
    return tg_check_two(x, other) ? t_to(x, other->dtype) : NULL;
}

/* x.clone(): a copy in the memory format of x. dx = dy. */
static void clone_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)r;
    dx[0] = dy;
}
static const Op clone_op = {"clone", "CloneBackward0", clone_backward};

Tensor *t_clone(Tensor *x) {
    Tensor *y = tg_check(x, 1) ? tg_empty_like(x, x->dtype) : NULL;
    if (y) tg_copy_into(y, x);
    return tg_record(&clone_op, y, INPUTS(x), NONE, NONE);
}

/* x.contiguous(): x itself if it is contiguous, else a contiguous copy. dx = dy. */
Tensor *t_contiguous(Tensor *x) {
    if (!tg_check(x, 1) || tg_is_contiguous(x)) return tg_check(x, 1) ? x : NULL;
    Tensor *y = tg_empty(x->shape, x->ndim, x->dtype);
    if (y) tg_copy_into(y, x);
    return tg_record(&clone_op, y, INPUTS(x), NONE, NONE);
}

/* x.detach(): the same data as a leaf outside the graph. An in-place write to either is visible in both. */
Tensor *t_detach(Tensor *x) {
    Tensor *y = tg_check(x, 1) ? tg_alias(x) : NULL;
    if (y) y->wrapped_number = x->wrapped_number;
    return y;
}
