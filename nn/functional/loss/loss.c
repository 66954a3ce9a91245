/* nn/functional/loss/loss.c: F.cross_entropy, and helpers that all losses share. */
#include "nn/functional/loss/loss_internal.h"

#include <string.h>

const F_LossOptions F_LossDefaults = {.size = sizeof F_LossDefaults, .ignore_index = -100, .reduction = "mean"};

bool tg_parse_reduction(const char *word, LossReduction *reduction) {
    if (!word || strcmp(word, "mean") == 0) *reduction = TO_MEAN;
    else if (strcmp(word, "sum") == 0) *reduction = TO_SUM;
    else if (strcmp(word, "none") == 0) *reduction = NO_REDUCTION;
    else return tg_fail("%s is not a valid value for reduction", word);
    return true;
}

Tensor *tg_reduce(Tensor *each, LossReduction reduction) {
    return reduction == NO_REDUCTION ? each : (reduction == TO_MEAN ? t_mean : t_sum)(each, NULL, 0, false);
}

/* ---- warnings ---- */

void tg_warn_about_sizes(Tensor *input, Tensor *target) {
    static _Thread_local bool warned;
    if (tg_same_shape(input, target)) return;
    char sizes[2][TG_SHAPE_TEXT];
    tg_write_shape(sizes[0], TG_SHAPE_TEXT, target->shape, target->ndim);
    tg_write_shape(sizes[1], TG_SHAPE_TEXT, input->shape, input->ndim);
    tg_warn(&warned, "Using a target size (torch.Size(%s)) that is different to the input size (torch.Size(%s)). This "
                     "will likely lead to incorrect results due to broadcasting. Please ensure they have the same "
                     "size.",
            sizes[0], sizes[1]);
}

void tg_warn_about_kl_mean(void) {
    static _Thread_local bool warned;
    tg_warn(&warned, "reduction: 'mean' divides the total loss by both the batch size and the support "
                     "size.'batchmean' divides only by the batch size, and aligns with the KL div math "
                     "definition.'mean' will be changed to behave the same as 'batchmean' in the next major release.");
}

/* ---- cross_entropy: log_softmax, then nll_loss ---- */

static bool check_smoothing(double label_smoothing) {
    if (!(label_smoothing > 1)) return true;
    return tg_fail("label_smoothing must be between 0.0 and 1.0. Got: %.15g", label_smoothing);
}

/* logp times the class weights, broadcast along all dims but the class dim. */
static Tensor *weighted_classes(Tensor *logp, Tensor *weight) {
    int64_t shape[T_MAX_DIMS];
    if (!weight || !logp) return logp;
    for (int d = 0; d < logp->ndim; d++) shape[d] = d == tg_class_dim(logp) ? tg_numel(weight) : 1;
    return t_mul(logp, t_reshape(weight, shape, logp->ndim));
}

static Tensor *sum_of_classes(Tensor *x) {
    int64_t dim = x ? tg_class_dim(x) : 0;
    return t_sum(x, &dim, 1, false);
}

/* Class indices with smoothing s: (1 - s) nll_loss + s / C times the sum of the losses of all C classes. */
static Tensor *smoothed_nll(Tensor *logp, Tensor *target, const F_LossOptions *options) {
    LossReduction reduction = TO_MEAN;
    double total, smoothing = options->label_smoothing;
    if (!check_smoothing(smoothing) || !tg_parse_reduction(options->reduction, &reduction)) return NULL;
    Tensor *nll = tg_nll_loss(logp, target, options, &total);
    Tensor *all = nll ? weighted_classes(logp, options->weight) : NULL;
    if (!all) return NULL;
    Tensor *ignored = t_eq(target, t_integer(options->ignore_index));
    if (logp->ndim == 1) ignored = t_reshape(ignored, NULL, 0);
    Tensor *each = t_masked_fill(t_neg(sum_of_classes(all)), ignored, N(0)), *uniform = each;
    if (reduction != NO_REDUCTION) uniform = t_sum(each, NULL, 0, false);
    if (reduction == TO_MEAN) uniform = t_div(uniform, N(total));
    double classes = (double)logp->shape[tg_class_dim(logp)];
    return t_add(t_mul(uniform, N(smoothing / classes)), t_mul(nll, N(1 - smoothing)));
}

/* sum / examples, recorded under PyTorch's name for the division by a scalar. */
static void per_example_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = t_div(dy, N(*(double *)r->attributes));
}
static const Op per_example_op = {"div", "DivBackward1", per_example_backward};

static Tensor *per_example(Tensor *sum, double examples) {
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *mean = t_div(sum, N(examples));
    t_set_grad_enabled(grad_enabled);
    return tg_record(&per_example_op, mean, INPUTS(sum), NONE, ATTRIBUTES(examples));
}

/* Class probabilities: -sum(target logp) over the classes; "mean" divides by the number of examples. */
static Tensor *cross_entropy_of_probabilities(Tensor *logp, Tensor *target, const F_LossOptions *options) {
    LossReduction reduction = TO_MEAN;
    Tensor *weight = options->weight;
    double classes = (double)logp->shape[tg_class_dim(logp)], smoothing = options->label_smoothing;
    double examples = tg_numel(logp) ? (double)tg_numel(logp) / classes : 0;
    if (!tg_parse_reduction(options->reduction, &reduction) || !check_smoothing(smoothing)) return NULL;
    if (weight && (weight->ndim != 1 || weight->shape[0] != logp->shape[tg_class_dim(logp)]))
        return tg_fail("cross_entropy: weight tensor should be defined either for all %g classes or no classes but got "
                       "weight tensor of shape: %s", classes, tg_shape_of(weight));
    if (smoothing > 0) target = t_add(t_mul(target, N(1 - smoothing)), N(smoothing / classes));
    Tensor *product = weighted_classes(t_mul(logp, target), weight);
    if (reduction == NO_REDUCTION) return t_neg(sum_of_classes(product));
    Tensor *sum = t_neg(t_sum(product, NULL, 0, false));
    return reduction == TO_MEAN && sum ? per_example(sum, examples) : sum;
}

static Tensor *cross_entropy(Tensor *input, Tensor *target, const F_LossOptions *options) {
    bool probabilities = tg_same_shape(input, target);
    double total;
    if (probabilities && !tg_is_floating(target->dtype))
        return tg_fail("Expected floating point type for target with class probabilities, got %s",
                       tg_scalar_name(target->dtype));
    if (probabilities && options->ignore_index >= 0)
        return tg_fail("ignore_index is not supported for floating point target");
    if (input->ndim == 0) return tg_fail("Expected 1 or more dimensions (got 0)");
    if (!probabilities && input->ndim <= 2 && tg_is_floating(input->dtype) && tg_numel(input))
        return check_smoothing(options->label_smoothing) ? tg_cross_entropy_of_classes(input, target, options) : NULL;
    Tensor *logp = t_log_softmax(input, tg_class_dim(input));
    if (!logp) return NULL;
    if (probabilities) return cross_entropy_of_probabilities(logp, target, options);
    return options->label_smoothing > 0 ? smoothed_nll(logp, target, options)
                                        : tg_nll_loss(logp, target, options, &total);
}

/* F.cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing): the loss of logits input:
 * -weight[target] log_softmax(input)[target], reduced as in F_nll_loss, whose shapes and errors it shares.
 * A floating target of input's shape holds class probabilities instead: -sum over the classes of weight target
 * log_softmax(input). label_smoothing s: the target becomes (1 - s) target + s / C. */
Tensor *F_cross_entropy(Tensor *input, Tensor *target, const F_LossOptions *options) {
    TG_COMPOSITE("cross_entropy");
    TG_AUTOCAST_FLOAT32(input);
    F_LossOptions o = F_LossDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    options = &o;
    if (!tg_check_any(input, 1) || !tg_check_any(target, 2) || !(target = tg_wide_target(target))) return NULL;
    if (!tg_is_floating(target->dtype) && !tg_check_narrow_weight(input, o.weight)) return NULL;
    const t_DType narrow = TG_WIDEN(&input, &o.weight);
    if (narrow) return tg_narrowed(F_cross_entropy(input, target, &o), narrow);
    if (!tg_check(input, 1) || !tg_check_optional(options->weight, 3)) return NULL;
    int depth = t_scope_open();
    return depth ? tg_scope_return(depth, cross_entropy(input, target, options)) : NULL;
}
