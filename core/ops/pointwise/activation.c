/* core/ops/pointwise/activation.c: celu, selu, threshold, hardshrink, prelu (the activations of torch.*; the others are
 * in nn/functional), and how all activations run. */
#include "core/ops/pointwise/activation_internal.h"

/* ---- forward, backward, in place ---- */

void tg_activation_backward(Record *r, Tensor *dy, Tensor **dx) {
    const ActivationAttributes *attributes = r->attributes;
    Tensor *x = tg_saved(r, 0), *in[] = {dy, x};
    if (!x) return;
    if (t_is_grad_enabled()) {
        dx[0] = attributes->f->rule(dy, x, &attributes->parameters);
    } else if ((dx[0] = tg_empty_elementwise(in, 2, x->shape, x->ndim, x->dtype))) {
        tg_run_shared(attributes->f->gradient[x->dtype], dx[0], in, 2, x->dtype, &attributes->parameters);
    }
}

static Tensor *activate(const Activation *f, const Op *op, Tensor *x, const tg_Parameters *parameters) {
    ActivationAttributes attributes = {f, *parameters};
    Tensor *y = x ? tg_empty_elementwise(&x, 1, x->shape, x->ndim, x->dtype) : NULL;
    if (y) tg_run_shared(f->value[tg_wide(x->dtype)], y, &x, 1, x->dtype, parameters);
    return tg_record(op, y, INPUTS(x), SAVED(x), ATTRIBUTES(attributes));
}

/* The backward needs the old x: the record saves a copy of it. */
static Tensor *activate_inplace(const Activation *f, Tensor *x, const tg_Parameters *parameters) {
    if (!tg_check_inplace(x)) return NULL;
    if (tg_run_inplace(&x, 1, f->value, parameters)) return x;
    int depth = tg_open_write(x);
    return tg_close_write(depth, x, depth ? activate(f, &f->into, t_clone(x), parameters) : NULL);
}

Tensor *tg_activate(const Activation *f, Tensor *x, tg_Parameters parameters, bool inplace) {
    if (!tg_check_any(x, 1)) return NULL;
    if (!f->value[tg_wide(x->dtype)]) return tg_not_implemented(f->kernel, x->dtype);
    if (!tg_check_scalar_fits(parameters.a, x->dtype) || !tg_check_scalar_fits(parameters.b, x->dtype)) return NULL;
    return inplace ? activate_inplace(f, x, &parameters) : activate(f, &f->op, x, &parameters);
}

/* ---- elu, celu, selu: y = scale x where x > 0, else scale alpha (exp(x input_scale) - 1) ---- */

/* Parameters: a = scale alpha, b = scale, c = input_scale. dx = dy scale where x > 0, else dy scale alpha
 * input_scale exp(x input_scale). The exp is of min(x, 0), so that no infinity is multiplied by 0. */
static Tensor *elu_rule(Tensor *dy, Tensor *x, const tg_Parameters *p) {
    Tensor *slope = t_mul(N(p->a * p->c), t_exp(t_mul(t_clamp(x, NULL, N(0)), N(p->c))));
    return t_where(t_le(x, N(0)), t_mul(dy, slope), t_mul(dy, N(p->b)));
}
static const Activation elu = {TG_ACTIVATION("elu", "EluBackward0", "EluBackward1"), "elu_cpu",
                               TG_ACTIVATION_LOOPS(elu), elu_rule};
static const Activation celu = {TG_ACTIVATION("celu", "CeluBackward0", "CeluBackward1"), "elu_cpu",
                                TG_ACTIVATION_LOOPS(elu), elu_rule};
static const Activation selu = {TG_ACTIVATION("selu", "EluBackward0", "EluBackward1"), "elu_cpu",
                                TG_ACTIVATION_LOOPS(elu), elu_rule};

Tensor *tg_elu(Tensor *x, double alpha, bool inplace) {
    return tg_activate(&elu, x, (tg_Parameters){alpha, 1, 1}, inplace);
}

static Tensor *apply_celu(Tensor *x, double alpha, bool inplace) {
    if (!tg_check_any(x, 1)) return NULL;
    if (alpha == 0) return tg_fail("ZeroDivisionError: alpha cannot be 0 for CELU");
    return tg_activate(&celu, x, (tg_Parameters){alpha, 1, 1 / alpha}, inplace);
}

/* torch.celu(x, alpha): x where x > 0, else alpha (exp(x / alpha) - 1): its derivative is continuous at 0. x:
 * floating. Error: alpha of 0. */
Tensor *t_celu(Tensor *x, double alpha) {
    return apply_celu(x, alpha, false);
}
Tensor *t_celu_(Tensor *x, double alpha) {
    return apply_celu(x, alpha, true);
}

/* torch.selu(x): scale (x where x > 0, else alpha (exp(x) - 1)), with constants that keep mean 0 and variance 1 from
 * layer to layer (Klambauer and others, Self-Normalizing Neural Networks, 2017). x: floating. */
static const tg_Parameters selu_parameters = {1.0507009873554804934193349852946 * 1.6732632423543772848170429916717,
                                 1.0507009873554804934193349852946, 1};
Tensor *t_selu(Tensor *x) {
    return tg_activate(&selu, x, selu_parameters, false);
}
Tensor *t_selu_(Tensor *x) {
    return tg_activate(&selu, x, selu_parameters, true);
}

/* ---- threshold, hardshrink ---- */

/* torch.threshold(x, threshold, value): x where x > threshold, else value; NaN is kept. dx = dy where x > threshold,
 * else 0. Also for integers; threshold and value are then truncated. */
TG_ACTIVATION_LOOP(threshold_int64, int64_t, x <= a ? b : x)
static Tensor *threshold_rule(Tensor *dy, Tensor *x, const tg_Parameters *p) {
    return t_where(t_le(x, N(p->a)), N(0), dy);
}
static const Activation threshold_ = {
    TG_ACTIVATION("threshold", "ThresholdBackward0", "ThresholdBackward1"), "threshold_cpu",
    {NUMBER_LOOPS(threshold)},
    {FLOAT_LOOPS(threshold_gradient)}, threshold_rule};

Tensor *t_threshold(Tensor *x, double threshold, double value) {
    return tg_activate(&threshold_, x, (tg_Parameters){threshold, value, 0}, false);
}
Tensor *t_threshold_(Tensor *x, double threshold, double value) {
    return tg_activate(&threshold_, x, (tg_Parameters){threshold, value, 0}, true);
}

/* torch.hardshrink(x, lambd): 0 where -lambd <= x <= lambd, else x; NaN is kept. dx = dy where y is x, else 0. */
static Tensor *hardshrink_rule(Tensor *dy, Tensor *x, const tg_Parameters *p) {
    return t_where(t_logical_and(t_ge(x, N(-p->a)), t_le(x, N(p->a))), N(0), dy);
}
static const Activation hardshrink = {TG_ACTIVATION("hardshrink", "HardshrinkBackward0", "HardshrinkBackward0"),
                                      "hardshrink_cpu", TG_ACTIVATION_LOOPS(hardshrink), hardshrink_rule};

Tensor *t_hardshrink(Tensor *x, double lambd) {
    return tg_activate(&hardshrink, x, (tg_Parameters){lambd, 0, 0}, false);
}

/* ---- prelu ---- */

/* y = x where x > 0, else w x: dx = dy or w dy, dw = 0 or x dy (summed over the elements that share a weight). */
static void prelu_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *w = tg_saved(r, 1), *positive = x && w ? t_gt(x, N(0)) : NULL;
    if (!positive) return;
    if (tg_needs(r, 0)) dx[0] = t_where(positive, dy, t_mul(w, dy));
    if (tg_needs(r, 1)) dx[1] = t_where(positive, N(0), t_mul(x, dy));
}
static const Op prelu_op = {"prelu", "PreluKernelBackward0", prelu_backward};

/* The weights as a tensor of x's rank with size 1 except along the channels, dim 1. */
static Tensor *per_channel(Tensor *weight, const Tensor *x) {
    int64_t shape[T_MAX_DIMS], channels = x->ndim > 1 ? x->shape[1] : 1, count = tg_numel(weight);
    if (count != 1 && x->ndim == 0) return tg_fail("Not allow zero-dim input tensor.");
    if (count != 1 && count != channels)
        return tg_fail("Mismatch of parameter numbers and input channel size. Found parameter numbers = %lld and "
                       "channel size = %lld.",
                       (long long)count, (long long)channels);
    for (int d = 0; d < x->ndim; d++) shape[d] = d == 1 ? count : 1;
    return t_reshape(weight, shape, x->ndim);
}

/* torch.prelu(x, weight): x where x > 0, else weight x. weight: one value, or one for each channel (dim 1 of x), of
 * x's dtype. Errors: another count, another dtype, weights of more than one dim. */
Tensor *t_prelu(Tensor *x, Tensor *weight) {
    TG_AUTOCAST(x);
    TG_AUTOCAST(weight);
    static LoopTable loops = {FLOAT_LOOPS(prelu)};
    if (!tg_check_any_two(x, weight)) return NULL;
    if (x->dtype != weight->dtype)
        return tg_fail("prelu: Type promoting not supported. Got %s and %s", tg_scalar_name(x->dtype),
                       tg_scalar_name(weight->dtype));
    if (weight->ndim > 1)
        return tg_fail("prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = %d", weight->ndim);
    int depth = t_scope_open();
    Tensor *w = depth ? per_channel(weight, x) : NULL;
    Tensor *y = w ? tg_pointwise("prelu_cpu", (Tensor *[]){x, w}, 2, loops, false, 0) : NULL;
    y = t_keep_object(tg_record(&prelu_op, y, INPUTS(x, w), SAVED(x, w), NONE));
    t_scope_close(depth);
    return y;
}
