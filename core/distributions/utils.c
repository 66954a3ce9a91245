/* core/distributions/utils.c: torch.distributions.utils: what several distributions share: shapes, probabilities and
 * logits, tensors of a shape. */
#include <float.h>
#include <string.h>

#include "core/distributions/distribution_internal.h"

/* ---- shapes ---- */

t_Tuple tg_shape_tuple(const Tensor *x, int from, int to) {
    t_Tuple shape = {.len = to - from};
    for (int d = from; d < to; d++) shape.items[d - from] = x->shape[d];
    return shape;
}

t_Tuple tg_slice_tuple(const t_Tuple *a, int from, int to) {
    t_Tuple part = {.len = to - from};
    for (int d = from; d < to; d++) part.items[d - from] = a->items[d];
    return part;
}

bool tg_concat(const t_Tuple *a, const t_Tuple *b, t_Tuple *to) {
    t_Tuple sum = *a;
    if (a->len + b->len > T_MAX_DIMS) return tg_fail("a shape has at most %d dims", T_MAX_DIMS);
    for (int d = 0; d < b->len; d++) sum.items[sum.len++] = b->items[d];
    *to = sum;
    return true;
}

bool tg_same_tuple(const t_Tuple *a, const t_Tuple *b) {
    return a->len == b->len && memcmp(a->items, b->items, (size_t)a->len * sizeof *a->items) == 0;
}

bool tg_broadcast_tuples(const t_Tuple *a, const t_Tuple *b, t_Tuple *to) {
    const t_Tuple *longer = a->len >= b->len ? a : b, *shorter = a->len >= b->len ? b : a;
    t_Tuple shape = *longer;
    for (int d = 0; d < shorter->len; d++) {
        int64_t *size = &shape.items[longer->len - shorter->len + d], other = shorter->items[d];
        if (*size == 1) *size = other;
        else if (other != 1 && other != *size)
            return tg_fail("Shape mismatch: objects cannot be broadcast to a single shape: %s and %s",
                           tg_shape_text(a->items, a->len), tg_shape_text(b->items, b->len));
    }
    *to = shape;
    return true;
}

Tensor *tg_expand_to(Tensor *x, const t_Tuple *shape) {
    return t_expand(x, shape->items, shape->len);
}

/* The sum over the last `dims` dims. */
Tensor *tg_sum_rightmost(Tensor *x, int64_t dims) {
    static const int64_t last[] = {-1, -2, -3, -4, -5, -6, -7, -8};
    return dims == 0 ? x : t_sum(x, last, (int)dims, false);
}

/* ---- tensors ---- */

Tensor *tg_full_tensor(const t_Tuple *shape, double value, t_DType dtype) {
    return t_full(shape->items, shape->len, value, &(t_TensorOptions){sizeof(t_TensorOptions), .dtype = dtype});
}

Tensor *tg_empty_tensor(const t_Tuple *shape, t_DType dtype) {
    return tg_empty(shape->items, shape->len, dtype);
}

Tensor *tg_standard_normal(const t_Tuple *shape, t_DType dtype) {
    return t_normal_(tg_empty_tensor(shape, dtype), 0, 1, NULL);
}

/* ---- probabilities and logits ---- */

double tg_eps(t_DType dtype) {
    return dtype == t_float64 ? DBL_EPSILON : FLT_EPSILON;
}

double tg_tiny(t_DType dtype) {
    return dtype == t_float64 ? DBL_MIN : FLT_MIN;
}

Tensor *tg_clamp_probs(Tensor *probs) {
    const double eps = probs ? tg_eps(probs->dtype) : 0;
    return t_clamp(probs, N(eps), N(1 - eps));
}

Tensor *tg_probs_to_logits(Tensor *probs, bool is_binary) {
    Tensor *clamped = tg_clamp_probs(probs);
    return is_binary ? t_sub(t_log(clamped), t_log1p(t_neg(clamped))) : t_log(clamped);
}

Tensor *tg_logits_to_probs(Tensor *logits, bool is_binary) {
    return is_binary ? t_sigmoid(logits) : t_softmax(logits, -1);
}

Tensor *tg_softplus(Tensor *x) {
    return t_logaddexp(x, x ? tg_full_tensor(&(t_Tuple){.len = 0}, 0, x->dtype) : NULL);
}

/* F.binary_cross_entropy_with_logits(logits, target, reduction="none"): (1 - y) x + log(1 + e^-x). */
Tensor *tg_binary_cross_entropy(Tensor *logits, Tensor *target) {
    return t_add(t_mul(t_sub(N(1), target), logits), tg_softplus(t_neg(logits)));
}
