/* nn/functional/loss/loss_margin.c: the classification losses with a margin: soft_margin, multi_margin,
 * multilabel_margin and multilabel_soft_margin. Composed of ops, so that each can be differentiated twice (in PyTorch
 * multi_margin_loss and multilabel_margin_loss cannot).
 *
 * reduction: "mean" (also for NULL), "sum" or "none". */
#include <string.h>

#include "core/ops/indexing/gather_internal.h"
#include "nn/functional/activation/activation.h"
#include "nn/functional/loss/loss_internal.h"

static bool check_constant(const char *op, const char *name, const Tensor *x) {
    if (!x || !x->requires_grad || !t_is_grad_enabled()) return true;
    return tg_fail("The function '%s' is not differentiable with respect to argument '%s'. This input cannot have "
                   "requires_grad True.", op, name);
}

/* ---- soft_margin_loss ---- */

static Tensor *soft_margin(Tensor *input, Tensor *target) {
    Tensor *both[] = {input, target};
    int64_t shape[T_MAX_DIMS];
    int ndim;
    if (!tg_broadcast_shape(both, 2, shape, &ndim)) return NULL;
    if (ndim != input->ndim || memcmp(shape, input->shape, (size_t)ndim * sizeof *shape) != 0)
        return tg_fail("output with shape %s doesn't match the broadcast shape %s", tg_shape_of(input),
                       tg_shape_text(shape, ndim));
    return t_log1p(t_exp(t_mul(t_neg(t_to(target, input->dtype)), input)));
}

/* F.soft_margin_loss(input, target, reduction): log(1 + exp(-target input)), where target is 1 or -1. input: any shape,
 * floating; target broadcasts to it. "none" returns input's shape. dinput = -target dy / (1 + exp(target input)).
 * Errors: an integer input, a target of more elements or that requires grad. */
Tensor *F_soft_margin_loss(Tensor *input, Tensor *target, const char *reduction_word) {
    TG_COMPOSITE("soft_margin_loss");
    TG_AUTOCAST_FLOAT32(input);
    TG_AUTOCAST_FLOAT32(target);
    const t_DType narrow = TG_WIDEN(&input, &target);
    if (narrow) return tg_narrowed(F_soft_margin_loss(input, target, reduction_word), narrow);
    LossReduction reduction = TO_MEAN;
    if (!tg_check_two(input, target) || !tg_parse_reduction(reduction_word, &reduction)) return NULL;
    if (!check_constant("soft_margin_loss", "target", target)) return NULL;
    if (!tg_is_floating(input->dtype))
        return tg_fail("result type Float can't be cast to the desired output type %s", tg_scalar_name(input->dtype));
    int depth = t_scope_open();
    return depth ? tg_scope_return(depth, tg_reduce(soft_margin(input, target), reduction)) : NULL;
}

/* ---- multi_margin_loss ---- */

/* x: (C) or (N, C), also (), which is one sample of one class. */
static bool check_samples(const Tensor *x) {
    if (x->ndim == 0 || (x->ndim <= 2 && x->shape[x->ndim - 1] != 0)) return true;
    return tg_fail("Expected non-empty vector or matrix with optional 0-dim batch size, but got: %s", tg_shape_of(x));
}

static bool check_class_indices(const Tensor *target) {
    return target->dtype == t_int64 ||
           tg_fail("expected scalar type Long but found %s", tg_scalar_name(target->dtype)) != NULL;
}

static bool check_multi_margin(Tensor *x, Tensor *target, int64_t p, const Tensor *weight) {
    const int64_t samples = x->ndim == 2 ? x->shape[0] : 1, classes = x->ndim ? x->shape[x->ndim - 1] : 1;
    int64_t bad;
    if (p != 1 && p != 2) return tg_fail("only p == 1 and p == 2 supported");
    if (weight && weight->ndim != 1) return tg_fail("weight must be one-dimensional");
    if (!check_constant("multi_margin_loss", "weight", weight) || !check_samples(x)) return false;
    if (target->ndim > 1 || tg_numel(target) != samples)
        return tg_fail("multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples "
                       "(batch size). Expected target size [%lld], but got %s. Input has shape %s.",
                       (long long)samples, tg_shape_of(target), tg_shape_of(x));
    if (weight && tg_numel(weight) != classes)
        return tg_fail("inconsistent weight size, expected %lld but got %s", (long long)classes, tg_shape_of(weight));
    if (!tg_is_floating(x->dtype)) return tg_not_implemented("multi_margin_loss_cpu_kernel", x->dtype) != NULL;
    if (!check_class_indices(target)) return false;
    if (weight && weight->dtype != x->dtype)
        return tg_fail("expected scalar type %s but found %s", tg_scalar_name(x->dtype), tg_scalar_name(weight->dtype));
    return !tg_find_bad_index(target, classes, NULL, &bad) || tg_fail("target out of range") != NULL;
}

/* The losses of the samples, each the mean over the classes. */
static Tensor *multi_margin(Tensor *x, Tensor *target, int64_t p, double margin, Tensor *weight) {
    const int64_t samples = x->ndim == 2 ? x->shape[0] : 1, classes = x->ndim ? x->shape[x->ndim - 1] : 1, dim = 1;
    Tensor *index = t_reshape(target, (int64_t[]){samples, 1}, 2);
    Tensor *rows = t_reshape(x, (int64_t[]){samples, classes}, 2);
    Tensor *each = t_relu(t_add(t_sub(N(margin), t_gather(rows, 1, index)), rows));
    if (p == 2) each = t_square(each);
    if (weight) each = t_mul(each, t_reshape(t_gather(weight, 0, t_flatten(index, 0, 1)), index->shape, 2));
    each = t_where(t_eq(index, t_arange(0, (double)classes, 1, NULL)), N(0), each);
    return t_div(t_sum(each, &dim, 1, false), t_integer(classes));
}

/* F.multi_margin_loss(input, target, p, margin, weight, reduction): with the score s = input[target] of a sample's
 * class, the sum over the other classes i of max(0, weight[target] (margin - s + input[i]))^p / C, where weight is
 * outside of the power. input: (N, C) or (C), floating; target: (N) or (), int64; weight: (C) or NULL; p: 1 or 2.
 * "none" returns target's shape. Errors: sizes, a target out of range, a weight that requires grad. */
Tensor *F_multi_margin_loss(Tensor *input, Tensor *target, int64_t p, double margin, Tensor *weight,
                            const char *reduction_word) {
    TG_COMPOSITE("multi_margin_loss");
    TG_AUTOCAST_FLOAT32(input);
    const t_DType narrow = TG_WIDEN(&input, &target, &weight);
    if (narrow) return tg_narrowed(F_multi_margin_loss(input, target, p, margin, weight, reduction_word), narrow);
    LossReduction reduction = TO_MEAN;
    if (!tg_check_two(input, target) || !tg_check_optional(weight, 5)) return NULL;
    if (!tg_parse_reduction(reduction_word, &reduction) || !check_multi_margin(input, target, p, weight)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *each = multi_margin(input, target, p, margin, weight);
    if (each && reduction == NO_REDUCTION) each = t_reshape(each, target->shape, target->ndim);
    return tg_scope_return(depth, tg_reduce(each, reduction));
}

/* ---- multilabel_margin_loss ---- */

static bool check_multilabel_margin(Tensor *x, Tensor *target) {
    const int64_t classes = x->ndim ? x->shape[x->ndim - 1] : 1, ignored = -1;
    int64_t bad;
    if (!check_samples(x)) return false;
    const bool fits = x->ndim == 0 ? target->ndim <= 1 && tg_numel(target) == 1
                                   : x->ndim == target->ndim ? tg_same_shape(x, target)
                                   : x->ndim == 1 && target->ndim == 0 && classes == 1;
    if (!fits)
        return tg_fail("inconsistent target size: %s for input of size: %s", tg_shape_of(target), tg_shape_of(x));
    if (!check_class_indices(target)) return false;
    if (tg_find_bad_index(target, classes, &ignored, &bad)) return tg_fail("argument #2 'target' is out of range");
    return tg_is_floating(x->dtype) ||
           tg_not_implemented("multilabel_margin_loss_forward_out_frame", x->dtype) != NULL;
}

/* is_label: (N, C), 1 for each entry of target before the first -1. */
static Tensor *multilabel_margin(Tensor *x, Tensor *target) {
    const int64_t classes = x->ndim ? x->shape[x->ndim - 1] : 1, samples = x->ndim == 2 ? x->shape[0] : 1,
                  shape[] = {samples, classes}, pairs[] = {1, 2};
    Tensor *rows = t_reshape(x, shape, 2), *labels = t_reshape(target, shape, 2);
    Tensor *is_label = t_cumprod(t_ge(labels, N(0)), 1, t_int64), *index = t_mul(labels, is_label);
    Tensor *zeros = t_zeros_like(is_label), *is_named = zeros ? t_scatter_add(zeros, 1, index, is_label) : NULL;
    Tensor *margins = t_add(t_sub(N(1), t_unsqueeze(t_gather(rows, 1, index), 2)), t_unsqueeze(rows, 1));
    Tensor *counts = t_logical_and(t_unsqueeze(is_label, 2), t_unsqueeze(t_logical_not(is_named), 1));
    Tensor *each = t_where(counts, t_relu(margins), N(0));
    return t_div(t_sum(each, pairs, 2, false), t_integer(classes));
}

/* F.multilabel_margin_loss(input, target, reduction): the sum over a sample's classes t and all other classes i of
 * max(0, 1 - input[t] + input[i]) / C. input: (N, C) or (C), floating; target: the same shape, int64: the sample's
 * classes and then -1; what follows the -1 does not count. "none" returns (N) or ().
 * Errors: sizes, a target below -1 or not below C. */
Tensor *F_multilabel_margin_loss(Tensor *input, Tensor *target, const char *reduction_word) {
    TG_COMPOSITE("multilabel_margin_loss");
    TG_AUTOCAST_FLOAT32(input);
    const t_DType narrow = TG_WIDEN(&input, &target);
    if (narrow) return tg_narrowed(F_multilabel_margin_loss(input, target, reduction_word), narrow);
    LossReduction reduction = TO_MEAN;
    if (!tg_check_two(input, target) || !tg_parse_reduction(reduction_word, &reduction)) return NULL;
    if (!check_multilabel_margin(input, target)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *each = multilabel_margin(input, target);
    if (each && reduction == NO_REDUCTION && input->ndim < 2) each = t_reshape(each, NULL, 0);
    return tg_scope_return(depth, tg_reduce(each, reduction));
}

/* ---- multilabel_soft_margin_loss ---- */

/* F.multilabel_soft_margin_loss(input, target, weight, reduction): the mean over the classes, the last dim, of
 * -weight (target log sigmoid(input) + (1 - target) log sigmoid(-input)). input: (..., C), floating; target: from 0 to
 * 1; weight: (C) or NULL; all broadcast. "none" returns (...). Errors: integers, no dims. */
Tensor *F_multilabel_soft_margin_loss(Tensor *input, Tensor *target, Tensor *weight, const char *reduction_word) {
    TG_COMPOSITE("multilabel_soft_margin_loss");
    const t_DType narrow = TG_WIDEN(&input, &target, &weight);
    if (narrow) return tg_narrowed(F_multilabel_soft_margin_loss(input, target, weight, reduction_word), narrow);
    LossReduction reduction = TO_MEAN;
    if (!tg_check_two(input, target) || !tg_check_optional(weight, 3)) return NULL;
    if (input->ndim == 0) return tg_fail("Dimension specified as -1 but tensor has no dimensions");
    const int64_t dim = input->ndim - 1;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *positive = t_mul(target, F_logsigmoid(input));
    Tensor *negative = t_mul(t_sub(t_integer(1), target), F_logsigmoid(t_neg(input)));
    Tensor *each = t_neg(t_add(positive, negative));
    if (weight) each = t_mul(each, weight);
    each = t_div(t_sum(each, &dim, 1, false), t_integer(input->shape[dim]));
    if (each && !tg_parse_reduction(reduction_word, &reduction)) each = tg_fail("%s is not valid", reduction_word);
    return tg_scope_return(depth, tg_reduce(each, reduction));
}
