/* nn/functional/loss/loss_bce.c: binary_cross_entropy, of probabilities and of logits, and kl_div.
 * reduction: "mean" (also for NULL), "sum" or "none", which keeps the shape. */
#include <string.h>

#include "core/kernels/elementwise/elementwise.h"
#include "nn/functional/activation/activation.h"
#include "nn/functional/loss/loss_internal.h"

/* The attributes of both binary losses. */
typedef struct BinaryLoss {
    double count; /* the number of elements for a mean, else 1 */
} BinaryLoss;

/* The gradient of each element's loss: dy / count (in float64 where dy is a scalar), times the weights. */
static Tensor *element_gradient(const Record *r, Tensor *dy, Tensor *weight) {
    const BinaryLoss *at = r->attributes;
    const t_DType dtype = dy->dtype;
    Tensor *each = at->count == 1 ? dy : t_div(t_to(dy, t_float64), N(at->count));
    return weight ? t_mul(t_to(weight, dtype), each) : each;
}

/* The reduced loss, with one record for all of it; dtype and shape are those of `each`, whatever the weight's. */
static Tensor *reduce_and_record(const Op *op, Tensor *each, Tensor **inputs, Tensor *weight, Tensor *pos_weight,
                                 LossReduction reduction) {
    Tensor *y = each && weight ? t_mul(each, weight) : each;
    if (y && !tg_same_shape(y, each))
        return tg_fail("output with shape %s doesn't match the broadcast shape %s", tg_shape_of(each), tg_shape_of(y));
    if (y && y->dtype != each->dtype) y = t_to(y, each->dtype);
    BinaryLoss at = {y && reduction == TO_MEAN ? (double)tg_numel(y) : 1};
    y = tg_reduce(y, reduction);
    Tensor *saved[] = {inputs[0], inputs[1], weight, pos_weight};
    return y ? tg_record(op, y, inputs, 2, saved, 4, ATTRIBUTES(at)) : NULL;
}

static bool check_constant(const char *op, const char *name, const Tensor *weight) {
    if (!weight || !weight->requires_grad || !t_is_grad_enabled()) return true;
    return tg_fail(
        "The function '%s' is not differentiable with respect to argument '%s'. This input cannot have requires_grad "
        "True.",
        op, name);
}

/* ---- binary_cross_entropy ---- */

/* dinput = dy (input - target) / max(input (1 - input), 1e-12); dtarget = dy (log(1 - input) - log(input)). */
static void binary_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *t = tg_saved(r, 1), *weight = tg_saved(r, 2);
    if (!x || !t) return;
    static LoopTable loops = {
        FLOAT_LOOPS(binary_cross_entropy_gradient)};
    Tensor *rest = t_is_grad_enabled() || tg_needs(r, 1) ? t_sub(N(1), x) : NULL;
    dy = element_gradient(r, dy, weight);
    if (tg_needs(r, 0))
        dx[0] = t_is_grad_enabled()
                    ? t_mul(t_div(t_sub(x, t), t_clamp_min(t_mul(rest, x), N(1e-12))), dy)
                    : tg_pointwise("binary_cross_entropy_backward", (Tensor *[]){dy, x, t}, 3, loops, false, 0);
    if (tg_needs(r, 1)) dx[1] = t_mul(t_sub(t_log(rest), t_log(x)), dy);
}
static const Op binary_op = {"binary_cross_entropy", "BinaryCrossEntropyBackward0", binary_backward};

static bool is_probability(Tensor *x, const char *name) {
    Tensor *fine = t_all(t_logical_and(t_ge(x, N(0)), t_le(x, N(1))), NULL, 0, false);
    if (!fine || t_is_true(fine)) return fine != NULL;
    return tg_fail("all elements of %s should be between 0 and 1", name);
}

static bool check_binary(Tensor *input, Tensor *target, Tensor *weight) {
    if (!tg_same_shape(input, target))
        return tg_fail(
            "Using a target size (%s) that is different to the input size (%s) is deprecated. Please ensure they have "
            "the same size.",
            t_size_repr(target), t_size_repr(input));
    if (target->dtype != input->dtype)
        return tg_fail("Found dtype %s but expected %s", tg_scalar_name(target->dtype), tg_scalar_name(input->dtype));
    if (!tg_is_floating(input->dtype)) return tg_not_implemented("binary_cross_entropy", input->dtype);
    for (int d = 1; weight && d <= weight->ndim && d <= target->ndim; d++) {
        int64_t size = weight->shape[weight->ndim - d];
        if (size != 1 && target->shape[target->ndim - d] != 1 && size != target->shape[target->ndim - d])
            return tg_fail("Attempting to broadcast a dimension of length %lld at -%d! Mismatching argument at index 1 "
                           "had %s; but expected shape should be broadcastable to %s",
                           (long long)size, d, t_size_repr(weight), tg_shape_of(target));
    }
    return check_constant("binary_cross_entropy", "weight", weight);
}

/* F.binary_cross_entropy(input, target, weight, reduction): -weight (target log(input) + (1 - target) log(1 - input)).
 * input, target: one shape and one floating dtype, each value from 0 to 1; weight: broadcasts to that shape, or NULL.
 * Gradients: see binary_backward. Errors: other sizes or dtypes, values outside, a weight that requires grad. */
Tensor *F_binary_cross_entropy(Tensor *input, Tensor *target, Tensor *weight, const char *reduction_word) {
    TG_COMPOSITE("binary_cross_entropy");
    TG_AUTOCAST_FLOAT32(input);
    TG_AUTOCAST_FLOAT32(target);
    TG_AUTOCAST_FLOAT32(weight);
    const t_DType narrow = TG_WIDEN(&input, &target, &weight);
    if (narrow) return tg_narrowed(F_binary_cross_entropy(input, target, weight, reduction_word), narrow);
    static LoopTable loops = {FLOAT_LOOPS(binary_cross_entropy)};
    LossReduction reduction = TO_MEAN;
    Tensor *both[] = {input, target}, *y = NULL;
    if (!tg_check_two(input, target) || !tg_check_optional(weight, 3)) return NULL;
    if (!tg_parse_reduction(reduction_word, &reduction) || !check_binary(input, target, weight)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *each = is_probability(input, "input") && is_probability(target, "target")
                       ? tg_pointwise("binary_cross_entropy", both, 2, loops, false, 0) : NULL;
    t_set_grad_enabled(grad_enabled);
    y = reduce_and_record(&binary_op, each, both, weight, NULL, reduction);
    return tg_scope_return(depth, y);
}

/* ---- binary_cross_entropy_with_logits ---- */

/* With p = pos_weight, or 1: dinput = dy ((1 + (p - 1) target) sigmoid(input) - p target), dtarget = dy (-input - (p -
 * 1) log sigmoid(input)). */
static void with_logits_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *t = tg_saved(r, 1), *weight = tg_saved(r, 2), *p = tg_saved(r, 3);
    if (!x || !t) return;
    dy = element_gradient(r, dy, weight);
    if (tg_needs(r, 0)) {
        Tensor *s = t_sigmoid(x), *positive = p ? t_mul(p, t) : t;
        if (p) s = t_mul(s, t_sub(t_add(positive, N(1)), t));
        dx[0] = t_mul(t_sub(s, positive), dy);
    }
    if (tg_needs(r, 1)) {
        Tensor *derivative = t_neg(x);
        if (p) derivative = t_sub(derivative, t_mul(t_sub(p, N(1)), F_logsigmoid(x)));
        dx[1] = t_mul(derivative, dy);
    }
}
static const Op with_logits_op = {"binary_cross_entropy_with_logits", "BinaryCrossEntropyWithLogitsBackward0",
                                  with_logits_backward};

static bool check_with_logits(Tensor *input, Tensor *target, Tensor *weight, Tensor *pos_weight) {
    static const char name[] = "binary_cross_entropy_with_logits";
    if (!tg_same_shape(input, target))
        return tg_fail("Target size (%s) must be the same as input size (%s)", t_size_repr(target), t_size_repr(input));
    if (!tg_is_floating(input->dtype)) return tg_not_implemented("log_sigmoid_cpu", input->dtype);
    if (target->dtype == t_bool)
        return tg_fail(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead.");
    if (!tg_is_floating(target->dtype))
        return tg_fail("result type %s can't be cast to the desired output type %s", tg_scalar_name(input->dtype),
                       tg_scalar_name(target->dtype));
    return check_constant(name, "weight", weight) && check_constant(name, "pos_weight", pos_weight);
}

/* F.binary_cross_entropy_with_logits(input, target, weight, reduction, pos_weight): binary_cross_entropy of
 * sigmoid(input), as (1 - target) input - (1 + (pos_weight - 1) target) log sigmoid(input), which cannot overflow.
 * input, target: one shape, floating; weight and pos_weight: broadcast to it, or NULL. Returns target's dtype, as
 * PyTorch does. Errors: other sizes, integer targets, weights that require grad. */
Tensor *F_binary_cross_entropy_with_logits(Tensor *input, Tensor *target, Tensor *weight, const char *reduction_word,
                                           Tensor *pos_weight) {
    TG_COMPOSITE("binary_cross_entropy_with_logits");
    TG_AUTOCAST_FLOAT32(input);
    TG_AUTOCAST_FLOAT32(target);
    TG_AUTOCAST_FLOAT32(weight);
    const t_DType narrow = TG_WIDEN(&input, &target, &weight, &pos_weight);
    if (narrow)
        return tg_narrowed(F_binary_cross_entropy_with_logits(input, target, weight, reduction_word, pos_weight),
                           narrow);
    LossReduction reduction = TO_MEAN;
    if (!tg_check_two(input, target) || !tg_check_optional(weight, 3) || !tg_check_optional(pos_weight, 5))
        return NULL;
    if (!check_with_logits(input, target, weight, pos_weight) || !tg_parse_reduction(reduction_word, &reduction))
        return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *log_sigmoid = F_logsigmoid(input), *each = NULL;
    if (pos_weight) log_sigmoid = t_mul(log_sigmoid, t_add(t_mul(t_sub(pos_weight, N(1)), target), N(1)));
    if (log_sigmoid) each = t_to(t_sub(t_mul(t_sub(N(1), target), input), log_sigmoid), target->dtype);
    t_set_grad_enabled(grad_enabled);
    if (each && !tg_same_shape(each, target)) /* a pos_weight of more dims */
        each = tg_fail("output with shape %s doesn't match the broadcast shape %s", tg_shape_of(target),
                       tg_shape_of(each));
    return tg_scope_return(
        depth, reduce_and_record(&with_logits_op, each, (Tensor *[]){input, target}, weight, pos_weight, reduction));
}

/* ---- kl_div ---- */

/* F.kl_div(input, target, reduction, log_target): target (log(target) - input), where input holds log-probabilities; 0
 * where target is 0. log_target: target holds log-probabilities too. "batchmean" is the sum over the size of input's
 * first dim, "mean" (with PyTorch's warning on stderr) over all elements. input and target broadcast. Composed of ops.
 * Error: integers. */
Tensor *F_kl_div(Tensor *input, Tensor *target, const char *reduction_word, bool log_target) {
    TG_COMPOSITE("kl_div");
    TG_AUTOCAST_FLOAT32(input);
    TG_AUTOCAST_FLOAT32(target);
    const t_DType narrow = TG_WIDEN(&input, &target);
    if (narrow) return tg_narrowed(F_kl_div(input, target, reduction_word, log_target), narrow);
    LossReduction reduction = TO_SUM;
    bool batchmean = reduction_word && strcmp(reduction_word, "batchmean") == 0;
    if (!tg_check_two(input, target)) return NULL;
    if (!batchmean && !tg_parse_reduction(reduction_word, &reduction)) return NULL;
    if (!tg_is_floating(input->dtype) || !tg_is_floating(target->dtype))
        return tg_fail("kl_div: Integral inputs not supported.");
    if (reduction == TO_MEAN) tg_warn_about_kl_mean();
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *each = log_target ? t_mul(t_exp(target), t_sub(target, input))
                              : t_sub(t_xlogy(target, target), t_mul(target, input));
    Tensor *y = tg_reduce(each, reduction);
    if (batchmean && y && input->ndim) y = t_div(y, t_integer(input->shape[0]));
    return tg_scope_return(depth, y);
}
