/* nn/functional/loss/loss_regression.c: mse, l1, smooth_l1, huber, and the negative log-likelihoods of the Poisson and
 * the normal distribution.
 *
 * input and target broadcast, with PyTorch's warning on stderr where their sizes differ; floating, or promoted to it.
 * reduction: "mean" (also for NULL), "sum" or "none", which keeps the shape. */
#include <math.h>
#include <string.h>

#include "core/kernels/elementwise/elementwise.h"
#include "nn/functional/loss/loss_internal.h"

/* ---- losses of d = input - target, element by element ---- */

typedef struct ElementLoss {
    Op op;
    const char *kernel; /* PyTorch's name for it, in the error for integers */
    Tensor *(*value)(Tensor *const *x, double parameter); /* x: input and target; parameter: delta or beta */
} ElementLoss;

/* The derivative of each element's loss by d: scale clamp(d, -bound, bound). */
typedef struct Derivative {
    double bound, scale;
} Derivative;

/* The same in one pass, with a scalar dy included in the scale. */
static Tensor *fused_derivative(Tensor *const *x, const Derivative *derivative, Tensor *dy) {
    static LoopTable loops = {FLOAT_LOOPS(huber_gradient)};
    const bool one = dy->ndim == 0;
    const tg_Parameters parameters = {derivative->bound, derivative->scale * (one ? tg_read_double(dy) : 1), 0};
    Tensor *y = tg_pointwise_in("mse_backward_cpu", tg_result_type(x, 2), x, 2, loops, 0, &parameters);
    return y && !one ? t_mul_(y, dy) : y;
}

static Tensor *composed_derivative(Tensor *d, const Derivative *derivative) {
    return t_mul(derivative->bound < HUGE_VAL ? t_clamp(d, N(-derivative->bound), N(derivative->bound)) : d,
                 N(derivative->scale));
}

/* dinput = slope dy, dtarget = -dinput. */
static void element_loss_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Derivative *derivative = r->attributes;
    Tensor *x[] = {tg_saved(r, 0), tg_saved(r, 1)};
    if (!x[0] || !x[1]) return;
    dx[0] = t_is_grad_enabled() ? t_mul(composed_derivative(t_sub(x[0], x[1]), derivative), dy)
                                : fused_derivative(x, derivative, dy);
    if (tg_needs(r, 1)) dx[1] = t_neg(dx[0]);
}

/* Only the reduced loss gets a record. */
static Tensor *element_loss(const ElementLoss *of, Tensor *input, Tensor *target, double parameter,
                            Derivative derivative, LossReduction reduction) {
    Tensor *both[] = {input, target};
    if (!tg_is_floating(tg_result_type(both, 2))) return tg_not_implemented(of->kernel, tg_result_type(both, 2));
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *each = of->value(both, parameter), *y = tg_reduce(each, reduction);
    t_set_grad_enabled(grad_enabled);
    if (!y) return NULL;
    if (reduction == TO_MEAN) derivative.scale /= (double)tg_numel(each);
    return tg_record(&of->op, y, INPUTS(input, target), SAVED(input, target), ATTRIBUTES(derivative));
}

static bool check(Tensor *input, Tensor *target, Tensor *weight) {
    if (!tg_check_two(input, target) || !tg_check_optional(weight, 3)) return false;
    tg_warn_about_sizes(input, target);
    if (!weight || tg_same_shape(weight, input)) return true;
    return tg_fail("Weights and input must have the same size.");
}

/* As tg_parse_reduction, with PyTorch's message where weights are given. */
static bool parse(const char *word, const Tensor *weight, LossReduction *reduction) {
    if (!weight || !word || strcmp(word, "mean") == 0 || strcmp(word, "sum") == 0 || strcmp(word, "none") == 0)
        return tg_parse_reduction(word, reduction);
    return tg_fail("Invalid reduction mode: %s. Expected one of 'none', 'mean', 'sum'.", word);
}

/* The weighted errors, their sum, or that sum over the weights' own. */
static Tensor *weighted(Tensor *each, Tensor *weight, LossReduction reduction) {
    Tensor *y = t_mul(each, weight);
    if (reduction != NO_REDUCTION) y = t_sum(y, NULL, 0, false);
    return reduction == TO_MEAN ? t_div(y, t_sum(weight, NULL, 0, false)) : y;
}

/* ---- mse: d^2 ---- */

static Tensor *squares(Tensor *const *x, double parameter) {
    static LoopTable loops = {FLOAT_LOOPS(mse)};
    (void)parameter;
    return tg_pointwise("mse_cpu", x, 2, loops, false, 0);
}
static const ElementLoss mse = {{"mse_loss", "MseLossBackward0", element_loss_backward}, "mse_cpu", squares};

/* F.mse_loss(input, target, reduction, weight): (input - target)^2, its mean, or its sum. weight, of input's shape, is
 * a factor of each square, and the mean divides by the sum of the weights. */
Tensor *F_mse_loss(Tensor *input, Tensor *target, const F_LossOptions *options) {
    TG_COMPOSITE("mse_loss");
    TG_AUTOCAST_FLOAT32(input);
    TG_AUTOCAST_FLOAT32(target);
    LossReduction reduction = TO_MEAN;
    F_LossOptions o = F_LossDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    const t_DType narrow = TG_WIDEN(&input, &target, &o.weight);
    if (narrow) return tg_narrowed(F_mse_loss(input, target, &o), narrow);
    if (!check(input, target, o.weight)) return NULL;
    int depth = parse(o.reduction, o.weight, &reduction) ? t_scope_open() : 0;
    if (!depth) return NULL;
    return tg_scope_return(depth, o.weight
                                      ? weighted(t_square(t_sub(input, target)), o.weight, reduction)
                                      : element_loss(&mse, input, target, 0, (Derivative){HUGE_VAL, 2}, reduction));
}

/* ---- l1: |d| ---- */

/* F.l1_loss(input, target, reduction, weight): |input - target|, its mean, or its sum; weight as in F_mse_loss.
 * Composed of ops, as in PyTorch: dinput = sign(d) dy. */
Tensor *F_l1_loss(Tensor *input, Tensor *target, const char *reduction_word, Tensor *weight) {
    TG_COMPOSITE("l1_loss");
    TG_AUTOCAST_FLOAT32(input);
    TG_AUTOCAST_FLOAT32(target);
    const t_DType narrow = TG_WIDEN(&input, &target, &weight);
    if (narrow) return tg_narrowed(F_l1_loss(input, target, reduction_word, weight), narrow);
    LossReduction reduction = TO_MEAN;
    if (!check(input, target, weight)) return NULL;
    int depth = parse(reduction_word, weight, &reduction) ? t_scope_open() : 0;
    if (!depth) return NULL;
    Tensor *each = t_abs(t_sub(input, target));
    return tg_scope_return(depth, weight ? weighted(each, weight, reduction) : tg_reduce(each, reduction));
}

/* ---- huber and smooth_l1: quadratic near 0, linear beyond ---- */

/* With m = min(|d|, delta): m (|d| - m / 2) / divisor, where the numerator is d^2 / 2 up to delta and
 * delta (|d| - delta / 2) beyond. */
static Tensor *huber_elements(Tensor *const *x, double delta, double divisor) {
    static LoopTable loops = {FLOAT_LOOPS(huber)};
    return tg_pointwise_in("huber_cpu", tg_result_type(x, 2), x, 2, loops, 0, &(tg_Parameters){delta, divisor, 0});
}
static Tensor *huber_value(Tensor *const *x, double delta) { /* in input's dtype, as in PyTorch */
    t_DType dtype = x[0]->dtype, common = tg_result_type(x, 2);
    if (tg_is_floating(dtype)) return t_to(huber_elements(x, delta, 1), dtype);
    return tg_fail("result type %s can't be cast to the desired output type %s", tg_scalar_name(common),
                   tg_scalar_name(dtype));
}
static Tensor *smooth_l1_value(Tensor *const *x, double beta) {
    return huber_elements(x, beta, beta);
}
static const ElementLoss huber = {
    {"huber_loss", "HuberLossBackward0", element_loss_backward}, "huber_cpu", huber_value};
static const ElementLoss smooth_l1 = {
    {"smooth_l1_loss", "SmoothL1LossBackward0", element_loss_backward}, "smooth_l1_cpu", smooth_l1_value};

/* F.smooth_l1_loss(input, target, reduction, beta): d^2 / (2 beta) where |d| < beta, else |d| - beta / 2. beta of 0:
 * l1_loss. Error: a negative beta. */
Tensor *F_smooth_l1_loss(Tensor *input, Tensor *target, const char *reduction_word, double beta) {
    TG_COMPOSITE("smooth_l1_loss");
    TG_AUTOCAST_FLOAT32(input);
    TG_AUTOCAST_FLOAT32(target);
    const t_DType narrow = TG_WIDEN(&input, &target);
    if (narrow) return tg_narrowed(F_smooth_l1_loss(input, target, reduction_word, beta), narrow);
    LossReduction reduction = TO_MEAN;
    if (beta == 0) return F_l1_loss(input, target, reduction_word, NULL);
    if (!check(input, target, NULL) || !tg_parse_reduction(reduction_word, &reduction)) return NULL;
    if (!(beta > 0)) return tg_fail("smooth_l1_loss does not support negative values for beta.");
    int depth = t_scope_open();
    return depth ? tg_scope_return(
                       depth, element_loss(&smooth_l1, input, target, beta, (Derivative){beta, 1 / beta}, reduction))
                 : NULL;
}

/* F.huber_loss(input, target, reduction, delta, weight): d^2 / 2 where |d| <= delta, else delta (|d| - delta / 2).
 * weight, of input's shape, is a factor of each loss; the mean divides by the number of elements, not by the sum of the
 * weights, as in PyTorch. Errors: a delta that is not positive, an integer input. */
Tensor *F_huber_loss(Tensor *input, Tensor *target, const char *reduction_word, double delta, Tensor *weight) {
    TG_COMPOSITE("huber_loss");
    TG_AUTOCAST_FLOAT32(input);
    TG_AUTOCAST_FLOAT32(target);
    const t_DType narrow = TG_WIDEN(&input, &target, &weight);
    if (narrow) return tg_narrowed(F_huber_loss(input, target, reduction_word, delta, weight), narrow);
    LossReduction reduction = TO_MEAN;
    if (!check(input, target, weight) || !parse(reduction_word, weight, &reduction)) return NULL;
    if (!(delta > 0)) return tg_fail("huber_loss does not support non-positive values for delta.");
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = element_loss(&huber, input, target, delta, (Derivative){delta, 1}, weight ? NO_REDUCTION : reduction);
    return tg_scope_return(depth, weight ? tg_reduce(t_mul(y, weight), reduction) : y);
}

/* ---- negative log-likelihoods; composed of ops ---- */

/* F.poisson_nll_loss(input, target, log_input, full, eps, reduction): exp(input) - target input with log_input, where
 * input is the log of the rate, else input - target log(input + eps). full adds Stirling's approximation of
 * log(target!) where target > 1. */
Tensor *F_poisson_nll_loss(Tensor *input, Tensor *target, bool log_input, bool full, double eps,
                           const char *reduction_word) {
    TG_COMPOSITE("poisson_nll_loss");
    TG_AUTOCAST_FLOAT32(input);
    TG_AUTOCAST_FLOAT32(target);
    const t_DType narrow = TG_WIDEN(&input, &target);
    if (narrow) return tg_narrowed(F_poisson_nll_loss(input, target, log_input, full, eps, reduction_word), narrow);
    LossReduction reduction = TO_MEAN;
    if (!tg_check_two(input, target) || !tg_parse_reduction(reduction_word, &reduction)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *each = log_input ? t_sub(t_exp(input), t_mul(target, input))
                             : t_sub(input, t_mul(target, t_log(t_add(input, N(eps)))));
    if (full) {
        Tensor *half_log = t_mul(N(0.5), t_log(t_mul(N(2 * M_PI), target)));
        Tensor *stirling = t_add(t_sub(t_mul(target, t_log(target)), target), half_log);
        each = t_add(each, t_masked_fill(stirling, t_le(target, N(1)), N(0)));
    }
    return tg_scope_return(depth, tg_reduce(each, reduction));
}

/* var checked and clamped to at least eps, which is not part of the gradient. var has input's shape, or a size of 1 in
 * one dim, or lacks the last dim. */
static Tensor *variances(Tensor *input, Tensor *var, double eps) {
    if (var->wrapped_number) var = t_mul(var, t_ones_like(input));
    Tensor *negative = var ? t_any(t_lt(var, N(0)), NULL, 0, false) : NULL;
    if (!negative) return NULL;
    if (t_is_true(negative)) return tg_fail("var has negative entry/entries");
    if (!tg_same_shape(var, input)) {
        int64_t odd = 0;
        for (int d = 0; var->ndim == input->ndim && d < var->ndim; d++)
            odd += var->shape[d] != input->shape[d] ? var->shape[d] : 0;
        bool shorter = var->ndim == input->ndim - 1 &&
                       memcmp(var->shape, input->shape, (size_t)var->ndim * sizeof *var->shape) == 0;
        if (!shorter && odd != 1) return tg_fail("var is of incorrect size");
        if (shorter && !(var = t_unsqueeze(var, -1))) return NULL;
    }
    return tg_clamp_detached(var, eps);
}

/* F.gaussian_nll_loss(input, target, var, full, eps, reduction): (log(var) + (input - target)^2 / var) / 2, with var of
 * at least eps; full adds log(2 pi) / 2. var: as variances() says, or a number. Error: an integer or bool var. */
Tensor *F_gaussian_nll_loss(Tensor *input, Tensor *target, Tensor *var, bool full, double eps,
                            const char *reduction_word) {
    TG_COMPOSITE("gaussian_nll_loss");
    const t_DType narrow = TG_WIDEN(&input, &target, &var);
    if (narrow) return tg_narrowed(F_gaussian_nll_loss(input, target, var, full, eps, reduction_word), narrow);
    LossReduction reduction = TO_MEAN;
    if (!tg_check_three(input, target, var)) return NULL;
    int depth = t_scope_open();
    Tensor *clamped = depth ? variances(input, var, eps) : NULL, *each = NULL;
    if (clamped && !tg_parse_reduction(reduction_word, &reduction)) {
        tg_fail("%s is not valid", reduction_word);
    } else if (clamped && !var->wrapped_number && !tg_is_floating(var->dtype)) { /* PyTorch's var.clamp_(min=eps) */
        tg_fail("result type Float can't be cast to the desired output type %s", tg_c_type_name(var->dtype));
    } else if (clamped) {
        each = t_mul(N(0.5), t_add(t_log(clamped), t_div(t_square(t_sub(input, target)), clamped)));
        if (full) each = t_add(each, N(0.91893853320467274178)); /* log(2 pi) / 2 */
    }
    return tg_scope_return(depth, tg_reduce(each, reduction));
}
