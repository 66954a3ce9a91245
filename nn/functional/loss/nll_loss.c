/* nn/functional/loss/nll_loss.c: F.nll_loss. Sums of float32 losses are accumulated in double and rounded once. */
#include <string.h>

#include "core/ops/indexing/gather_internal.h"
#include "nn/functional/loss/loss_internal.h"

/* ---- the loops ----
 * The iteration is over targets, losses and the input without its class dim; `step` is the class dim's stride in
 * bytes. */

typedef struct Nll {
    LossReduction reduction;
    int64_t ignore_index;
    double total; /* the sum of the weights of the targets that count: the divisor of the mean */
} Nll;

typedef struct NllLoop {
    int64_t step, ignore_index, weight_step;
    const char *weight; /* NULL: 1 for each class */
    double *sum, *total, divisor;
} NllLoop;

#define WEIGHT(T) (at->weight ? *(const T *)(at->weight + target * at->weight_step) : 1)

/* loss = -weight[target] x[target], 0 for ignore_index */
#define NLL_FORWARD(name, T)                                                             \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) { \
        const NllLoop *at = context;                                                     \
        double sum = *at->sum, total = *at->total;                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            int64_t target = *(const int64_t *)(p[1] + i * s[1]);                        \
            T *loss = (T *)(p[0] + i * s[0]);                                            \
            *loss = 0;                                                                   \
            if (target == at->ignore_index) continue;                                    \
            const T weight = WEIGHT(T);                                                  \
            *loss = -weight * *(const T *)(p[2] + i * s[2] + target * at->step);         \
            sum += (double)*loss;                                                        \
            total += (double)weight;                                                     \
        }                                                                                \
        *at->sum = sum;                                                                  \
        *at->total = total;                                                              \
    }
NLL_FORWARD(nll_forward_float32, float)
NLL_FORWARD(nll_forward_float64, double)

/* dx[target] = -weight[target] dy / divisor, except for ignore_index */
#define NLL_BACKWARD(name, T)                                                                         \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {              \
        const NllLoop *at = context;                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                             \
            int64_t target = *(const int64_t *)(p[1] + i * s[1]);                                     \
            if (target == at->ignore_index) continue;                                                 \
            double dy = (double)*(const T *)(p[2] + i * s[2]);                                        \
            *(T *)(p[0] + i * s[0] + target * at->step) = (T)(-(double)WEIGHT(T) * dy / at->divisor); \
        }                                                                                             \
    }
NLL_BACKWARD(nll_backward_float32, float)
NLL_BACKWARD(nll_backward_float64, double)

static Tensor without_classes(const Tensor *x) {
    Tensor over = *x;
    over.ndim--;
    for (int d = tg_class_dim(x); d < over.ndim; d++) {
        over.shape[d] = x->shape[d + 1];
        over.strides[d] = x->strides[d + 1];
    }
    return over;
}

/* The target of a single example may be a vector of one element; the loss is 0-dim all the same. */
static Tensor labels_of(const Tensor *target, int input_ndim) {
    Tensor labels = *target;
    if (input_ndim == 1) labels.ndim = 0;
    return labels;
}

static NllLoop nll_loop(const Tensor *x, const Tensor *weight, const Nll *nll) {
    int64_t itemsize = (int64_t)tg_itemsize(x->dtype);
    return (NllLoop){.step = x->strides[tg_class_dim(x)] * itemsize, .ignore_index = nll->ignore_index,
                     .weight_step = weight ? weight->strides[0] * itemsize : 0,
                     .weight = weight ? tg_data(weight) : NULL, .divisor = nll->reduction == TO_MEAN ? nll->total : 1};
}

static Tensor *scalar(double value, t_DType dtype) {
    Tensor *y = tg_empty(NULL, 0, dtype);
    if (!y) return NULL;
    if (dtype == t_float32) *(float *)tg_data(y) = (float)value;
    else *(double *)tg_data(y) = value;
    return y;
}

/* ---- nll_loss and its gradient, which is linear in dy: nll_loss of ddx is the gradient's gradient ---- */

static Tensor *nll_loss(Tensor *x, Tensor *target, Tensor *weight, Nll *nll);

static void nll_backward_backward(Record *r, Tensor *ddx, Tensor **dx) {
    Tensor *target = tg_saved(r, 0), *weight = tg_saved(r, 1);
    Nll nll = *(const Nll *)r->attributes;
    if (target) dx[0] = nll_loss(ddx, target, weight, &nll);
}
static const Op nll_backward_op = {"nll_loss_backward", "NllLossBackwardBackward0", nll_backward_backward};
static const Op nll_backward_2d_op = {"nll_loss_backward", "NllLoss2DBackwardBackward0", nll_backward_backward};

static void nll_loss_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *target = tg_saved(r, 0), *weight = tg_saved(r, 1);
    const Edge *x = &r->edges[0];
    const Nll *nll = r->attributes;
    t_TensorOptions options = {.size = sizeof options, .dtype = x->dtype};
    Tensor *grad = target ? t_zeros(x->shape, x->ndim, &options) : NULL;
    if (!grad) return;
    Tensor labels = labels_of(target, x->ndim), over = without_classes(grad), *in[] = {&labels, dy};
    NllLoop at = nll_loop(grad, weight, nll);
    tg_run(x->dtype == t_float64 ? nll_backward_float64 : nll_backward_float32, &over, in, 2, 0, &at);
    dx[0] = tg_record(x->ndim <= 2 ? &nll_backward_op : &nll_backward_2d_op, grad, INPUTS(dy), SAVED(target, weight),
                      ATTRIBUTES(*nll));
}
static const Op nll_op = {"nll_loss", "NllLossBackward0", nll_loss_backward};
static const Op nll_2d_op = {"nll_loss", "NllLoss2DBackward0", nll_loss_backward};
static const Op nll_view_op = {"nll_loss", "ViewBackward0", nll_loss_backward}; /* PyTorch's last step there */

static Tensor *nll_loss(Tensor *x, Tensor *target, Tensor *weight, Nll *nll) {
    double sum = 0;
    int depth = t_scope_open();
    Tensor labels = labels_of(target, x->ndim), over = without_classes(x), *in[] = {&labels, &over};
    Tensor *losses = depth ? tg_empty(labels.shape, labels.ndim, x->dtype) : NULL, *y = losses;
    if (losses) {
        NllLoop at = nll_loop(x, weight, nll);
        nll->total = 0;
        at.sum = &sum;
        at.total = &nll->total;
        tg_run(x->dtype == t_float64 ? nll_forward_float64 : nll_forward_float32, losses, in, 2, 0, &at);
        if (nll->reduction != NO_REDUCTION) y = scalar(nll->reduction == TO_MEAN ? sum / nll->total : sum, x->dtype);
    }
    y = t_keep_object(y);
    t_scope_close(depth);
    const Op *spatial_op = x->ndim == 4 || nll->reduction != NO_REDUCTION ? &nll_2d_op : &nll_view_op;
    return tg_record(x->ndim <= 2 ? &nll_op : spatial_op, y, INPUTS(x), SAVED(target, weight), ATTRIBUTES(*nll));
}

/* ---- checks of nll_loss ---- */

static bool check_spatial(const Tensor *x, const Tensor *target) {
    int64_t wanted[T_MAX_DIMS] = {x->shape[0]};
    int ndim = x->ndim - 1;
    memcpy(wanted + 1, x->shape + 2, (size_t)(ndim - 1) * sizeof *wanted);
    if (target->ndim == ndim && memcmp(target->shape, wanted, (size_t)ndim * sizeof *wanted) == 0) return true;
    const char *sizes = tg_shape_of(target);
    if (x->ndim != 4) return tg_fail("Expected target size %s, got %s", tg_shape_text(wanted, ndim), sizes);
    if (target->ndim == 3)
        return tg_fail("size mismatch (got input: %s , target: %s", tg_shape_of(x), sizes);
    return tg_fail("only batches of spatial targets supported (3D tensors) but got targets of dimension: %d",
                   target->ndim);
}

static bool check_target_sizes(const Tensor *x, const Tensor *target) {
    int64_t batch = target->ndim ? target->shape[0] : 0;
    if (x->ndim < 1) return tg_fail("Expected 1 or more dimensions (got 0)");
    if (x->ndim > 1 && (target->ndim == 0 || x->shape[0] != batch))
        return tg_fail("Expected input batch_size (%lld) to match target batch_size (%lld).", (long long)x->shape[0],
                       (long long)batch);
    if (x->ndim > 2) return check_spatial(x, target);
    if (target->ndim > 1) return tg_fail("0D or 1D target tensor expected, multi-target not supported");
    if (x->ndim == 1 && target->ndim == 1 && batch != 1)
        return tg_fail("For 1D input, 1D target must have size 1, but got target size: %lld", (long long)batch);
    return true;
}

static bool check_weight(const Tensor *weight, const Tensor *x) {
    int64_t classes = x->shape[tg_class_dim(x)];
    if (!weight) return true;
    if (weight->ndim != 1 || weight->shape[0] != classes)
        return x->ndim > 2 ? tg_fail("weight tensor should be defined either for all or no classes")
                           : tg_fail("weight tensor should be defined either for all %lld classes or no classes but "
                                     "got weight tensor of shape: %s", (long long)classes, tg_shape_of(weight));
    if (weight->dtype != x->dtype)
        return tg_fail("expected scalar type %s but found %s", tg_scalar_name(x->dtype), tg_scalar_name(weight->dtype));
    if (t_is_grad_enabled() && weight->requires_grad)
        return tg_fail("The function '%s' is not differentiable with respect to argument 'weight'. This input cannot "
                       "have requires_grad True.", x->ndim > 2 ? "nll_loss2d_forward" : "nll_loss_forward");
    return true;
}

static bool check_targets(const Tensor *x, Tensor *target, int64_t ignore_index) {
    int64_t bad;
    if (target->dtype != t_int64)
        return tg_fail("expected target dtype to be Long or Byte, but got %s", tg_scalar_name(target->dtype));
    return !tg_find_bad_index(target, x->shape[tg_class_dim(x)], &ignore_index, &bad) ||
           tg_fail("Target %lld is out of bounds.", (long long)bad);
}

Tensor *tg_wide_target(Tensor *target) {
    const bool is_taken = tg_is_narrow_tensor(target) && (target->dtype == t_uint8 || tg_is_half(target->dtype));
    return is_taken ? tg_widened(target) : target;
}

bool tg_check_narrow_weight(const Tensor *x, const Tensor *weight) {
    if (!(tg_is_narrow_tensor(weight) ? tg_check_any(x, 1) : weight && tg_is_narrow_tensor(x))) return true;
    if (!tg_check_any_optional(weight, 3)) return false;
    return weight->dtype == x->dtype || !tg_is_floating(x->dtype) ||
           tg_fail("expected scalar type %s but found %s", tg_scalar_name(x->dtype), tg_scalar_name(weight->dtype));
}

bool tg_check_nll(Tensor *x, Tensor *target, const F_LossOptions *options, LossReduction *reduction) {
    if (!tg_check(x, 1) || !tg_check_any(target, 2) || !tg_check_optional(options->weight, 3)) return false;
    if (!tg_parse_reduction(options->reduction, reduction) || !check_target_sizes(x, target)) return false;
    if (!tg_is_floating(x->dtype)) return tg_not_implemented("nll_loss_out_frame", x->dtype) != NULL;
    return check_weight(options->weight, x) && check_targets(x, target, options->ignore_index);
}

Tensor *tg_nll_loss(Tensor *x, Tensor *target, const F_LossOptions *options, double *total) {
    Nll nll = {.ignore_index = options->ignore_index};
    if (!tg_check_nll(x, target, options, &nll.reduction)) return NULL;
    Tensor *loss = nll_loss(x, target, options->weight, &nll);
    *total = nll.total;
    return loss;
}

/* F.nll_loss(input, target, weight, ignore_index, reduction): loss = -weight[target] input[target], where input holds
 * log-probabilities. input: (C), (N, C) or (N, C, d1, ...), floating; target: (), (N) or (N, d1, ...), int64, each
 * 0 to C - 1 or ignore_index; weight: (C) or NULL. "mean" divides by the sum of the weights that count (NaN if there
 * are none), "none" returns target's shape. dx = -weight[target] dy at the target, divided likewise. Errors: sizes, a
 * target out of range, a weight that requires grad. */
Tensor *F_nll_loss(Tensor *input, Tensor *target, const F_LossOptions *options) {
    TG_AUTOCAST_FLOAT32(input);
    double total;
    F_LossOptions o = F_LossDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    target = tg_wide_target(target);
    if (!tg_check_narrow_weight(input, o.weight)) return NULL;
    const t_DType narrow = TG_WIDEN(&input, &o.weight);
    return narrow ? tg_narrowed(F_nll_loss(input, target, &o), narrow) : tg_nll_loss(input, target, &o, &total);
}
