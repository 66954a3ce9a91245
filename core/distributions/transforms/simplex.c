/* core/distributions/transforms/simplex.c: from vectors to the simplex, n values >= 0 with the sum 1. */
#include "core/distributions/transforms/transform_internal.h"

/* ---- SoftmaxTransform: not bijective ---- */

static Tensor *softmax_call(Transform *t, Tensor *x) {
    (void)t;
    return t_softmax(x, -1);
}
static Tensor *softmax_inverse(Transform *t, Tensor *y) {
    (void)t;
    return t_log(y);
}
static const TransformKind softmax_kind = {"SoftmaxTransform", REAL_VECTOR, SIMPLEX, 0, softmax_call,
                                           softmax_inverse,    NULL};

Transform *distributions_SoftmaxTransform_new(void) {
    return tg_transform_new(&softmax_kind, NULL, NULL);
}

/* ---- StickBreakingTransform: n - 1 values to n. Each takes the share z_i of what the ones before it have left:
 * y_i = z_i (1 - z_1) ... (1 - z_{i-1}), z_i = sigmoid(x_i - log(n - i)); the last one takes the rest. ---- */

static int64_t last_size(const Tensor *x) {
    return x->shape[x->ndim - 1];
}

/* log(n - 1), ..., log(1), of the dtype of x */
static Tensor *log_offset(const Tensor *x, int64_t count) {
    Tensor *offset = t_arange_int64(count, 0, -1, NULL);
    return t_log(t_to(offset, x->dtype));
}

/* x with one more element along the last dim */
static Tensor *pad_last(Tensor *x, double value, bool before) {
    if (!x) return NULL;
    t_Tuple shape = tg_shape_tuple(x, 0, x->ndim);
    shape.items[shape.len - 1] = 1;
    Tensor *one = tg_full_tensor(&shape, value, x->dtype);
    t_TensorList *both = one ? t_list_new(before ? (Tensor *[]){one, x} : (Tensor *[]){x, one}, 2) : NULL;
    return both ? t_cat(both, -1) : NULL;
}

static Tensor *stick_breaking_call(Transform *t, Tensor *x) {
    (void)t;
    Tensor *z = tg_open_interval(t_sigmoid(t_sub(x, log_offset(x, last_size(x)))));
    Tensor *left = t_cumprod(t_sub(t_integer(1), z), -1, 0);
    return t_mul(pad_last(z, 1, false), pad_last(left, 1, true));
}

static Tensor *without_last(Tensor *y) {
    return t_narrow(y, -1, 0, last_size(y) - 1);
}

static Tensor *stick_breaking_inverse(Transform *t, Tensor *y) {
    (void)t;
    if (last_size(y) < 1) return tg_fail("a simplex has at least one element, got a last dim of size 0");
    Tensor *first = without_last(y), *left = t_sub(t_integer(1), t_cumsum(first, -1, 0));
    left = t_clamp_min(left, N(tg_tiny(y->dtype)));
    return t_add(t_sub(t_log(first), t_log(left)), log_offset(y, last_size(y) - 1));
}

/* the sum of log(y_i (1 - z_i)), with 1 - sigmoid(x) = e^-x sigmoid(x) */
static Tensor *stick_breaking_jacobian(Transform *t, Tensor *x, Tensor *y) {
    (void)t;
    if (last_size(y) < 1) return tg_fail("a simplex has at least one element, got a last dim of size 0");
    Tensor *shifted = t_sub(x, log_offset(x, last_size(x))), *log_sigmoid = t_neg(tg_softplus(t_neg(shifted)));
    Tensor *terms = t_add(t_add(t_neg(shifted), log_sigmoid), t_log(without_last(y)));
    return tg_sum_rightmost(terms, 1);
}

static bool stick_breaking_shape(const Transform *t, const t_Tuple *shape, bool forward, t_Tuple *to) {
    (void)t;
    *to = *shape;
    to->items[to->len - 1] += forward ? 1 : -1;
    return to->items[to->len - 1] >= 0 || tg_fail("a simplex has at least one element, got a last dim of size 0");
}

static const TransformKind stick_breaking_kind = {
    "StickBreakingTransform", REAL_VECTOR, SIMPLEX, 0, stick_breaking_call, stick_breaking_inverse,
    stick_breaking_jacobian, .shape = stick_breaking_shape};

/* StickBreakingTransform(): (..., n - 1) to (..., n) */
Transform *distributions_StickBreakingTransform_new(void) {
    return tg_transform_new(&stick_breaking_kind, NULL, NULL);
}
