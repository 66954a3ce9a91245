/* nn/functional/loss/linear_cross_entropy.c: F.linear_cross_entropy: a linear layer and the cross entropy of its
 * outputs. */
#include "core/ops/ops.h"
#include "nn/functional/linear/linear.h"
#include "nn/functional/loss/loss_internal.h"

static t_Tuple middle_of(const Tensor *linear_weight) {
    t_Tuple out_features = {.len = 0};
    for (int d = 1; d < linear_weight->ndim - 1; d++) out_features.items[out_features.len++] = linear_weight->shape[d];
    return out_features;
}

/* The shape of a bias: (C, *out_features). */
static bool has_shape_of_classes(const Tensor *x, const Tensor *linear_weight) {
    bool same = x->ndim == linear_weight->ndim - 1;
    for (int d = 0; same && d < x->ndim; d++) same = x->shape[d] == linear_weight->shape[d];
    return same;
}

static bool check(const Tensor *input, const Tensor *linear_weight, const Tensor *linear_bias) {
    if (input->ndim < 1 || input->ndim > 2)
        return tg_fail("expected input with dimensionality 1 or 2, got %d", input->ndim);
    if (linear_weight->ndim < 2)
        return tg_fail("expected linear_weight with dimensionality at least 2, got %d", linear_weight->ndim);
    const int64_t in_features = input->shape[input->ndim - 1];
    const int64_t expected = linear_weight->shape[linear_weight->ndim - 1];
    if (in_features != expected)
        return tg_fail("expected equal input and linear_weight last dimensions (in_features), got %lld and %lld, "
                       "respectively", (long long)in_features, (long long)expected);
    if (linear_bias && !has_shape_of_classes(linear_bias, linear_weight))
        return tg_fail("expected linear_bias shape %s, got %s",
                       tg_shape_text(linear_weight->shape, linear_weight->ndim - 1), tg_shape_of(linear_bias));
    if (linear_weight->ndim > 2 && input->ndim == 1)
        return tg_fail("K-dimensional loss defined by linear_weight shape %s requires batched input, (N, %lld), got "
                       "unbatched input with shape %s", tg_shape_of(linear_weight), (long long)in_features,
                       tg_shape_of(input));
    return true;
}

/* The logits (N, C, *out_features), or (C) for one input. */
static Tensor *logits_of(Tensor *input, Tensor *linear_weight, Tensor *linear_bias) {
    const int64_t in_features = input->shape[input->ndim - 1];
    t_Tuple shape = {.len = 0}, out_features = middle_of(linear_weight);
    Tensor *flat = t_reshape(linear_weight, (int64_t[]){tg_numel(linear_weight) / (in_features ? in_features : 1),
                                                        in_features}, 2);
    Tensor *bias = linear_bias ? t_reshape(linear_bias, (int64_t[]){-1}, 1) : NULL;
    if (!flat || (linear_bias && !bias)) return NULL;
    if (input->ndim == 2) shape.items[shape.len++] = input->shape[0];
    shape.items[shape.len++] = linear_weight->shape[0];
    for (int d = 0; d < out_features.len; d++) shape.items[shape.len++] = out_features.items[d];
    return t_reshape(F_linear(input, flat, bias), shape.items, shape.len);
}

/* F.linear_cross_entropy(input, linear_weight, target, linear_bias=None): F.cross_entropy(F.linear(input,
 * linear_weight, linear_bias), target). input: (in_features) or (N, in_features); linear_weight: (C, in_features), or
 * (C, *out_features, in_features) with a loss for each of the out_features; target: class indices (N, *out_features) or
 * probabilities (N, C, *out_features); linear_bias: (C, *out_features). PyTorch's options, which save memory by
 * computing the batch in chunks, do not exist here. Errors: shapes that do not fit; those of F_cross_entropy. */
Tensor *F_linear_cross_entropy(Tensor *input, Tensor *linear_weight, Tensor *target, Tensor *linear_bias,
                               const F_LossOptions *options) {
    TG_COMPOSITE("linear_cross_entropy");
    if (!tg_check_any_three(input, linear_weight, target) || !tg_check_any_optional(linear_bias, 4)) return NULL;
    if (!check(input, linear_weight, linear_bias)) return NULL;
    int depth = t_scope_open();
    Tensor *logits = depth ? logits_of(input, linear_weight, linear_bias) : NULL;
    return tg_scope_return(depth, logits ? F_cross_entropy(logits, target, options) : NULL);
}
