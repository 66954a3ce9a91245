/* nn/functional/activation/activations.c: the activations of torch.nn.functional but for gelu and softmax: those of
 * torch.* under their names here, the piecewise linear ones, and the smooth ones (silu, mish, softplus, glu, ...).
 *
 * x: any shape, floating unless said otherwise; returns the same shape and dtype. With inplace the result is written
 * to x, which is returned; the rules for in-place operations (t_..._) apply. */
#include <float.h>

#include "core/ops/pointwise/activation_internal.h"

#include "nn/functional/activation/activation.h"

/* ---- the same as in torch.* ---- */

/* F.relu(x): max(x, 0); integers too. */
Tensor *F_relu(Tensor *x, bool inplace) {
    return inplace ? t_relu_(x) : t_relu(x);
}
Tensor *F_relu_(Tensor *x) {
    return t_relu_(x);
}

/* F.sigmoid(x): 1 / (1 + exp(-x)). */
Tensor *F_sigmoid(Tensor *x) {
    return t_sigmoid(x);
}

/* F.tanh(x). */
Tensor *F_tanh(Tensor *x) {
    return t_tanh(x);
}

/* F.prelu(x, weight): t_prelu. */
Tensor *F_prelu(Tensor *x, Tensor *weight) {
    return t_prelu(x, weight);
}

/* F.celu(x, alpha), F.selu(x), F.threshold(x, threshold, value), F.hardshrink(x, lambd): t_celu and so on. */
Tensor *F_celu(Tensor *x, double alpha, bool inplace) {
    return inplace ? t_celu_(x, alpha) : t_celu(x, alpha);
}
Tensor *F_celu_(Tensor *x, double alpha) {
    return t_celu_(x, alpha);
}
Tensor *F_selu(Tensor *x, bool inplace) {
    return inplace ? t_selu_(x) : t_selu(x);
}
Tensor *F_selu_(Tensor *x) {
    return t_selu_(x);
}
Tensor *F_threshold(Tensor *x, double threshold, double value, bool inplace) {
    return inplace ? t_threshold_(x, threshold, value) : t_threshold(x, threshold, value);
}
Tensor *F_threshold_(Tensor *x, double threshold, double value) {
    return t_threshold_(x, threshold, value);
}
Tensor *F_hardshrink(Tensor *x, double lambd) {
    return t_hardshrink(x, lambd);
}

/* F.elu(x, alpha): x where x > 0, else alpha (exp(x) - 1). */
Tensor *F_elu(Tensor *x, double alpha, bool inplace) {
    return tg_elu(x, alpha, inplace);
}
Tensor *F_elu_(Tensor *x, double alpha) {
    return tg_elu(x, alpha, true);
}

/* ---- leaky_relu ---- */

/* F.leaky_relu(x, negative_slope): x where x > 0, else negative_slope x. dx = dy where x > 0, else negative_slope dy.
 * In-place also with a negative slope, where PyTorch's backward raises an error. */
static Tensor *leaky_relu_rule(Tensor *dy, Tensor *x, const tg_Parameters *p) {
    return t_where(t_gt(x, N(0)), dy, t_mul(dy, N(p->a)));
}
static const Activation leaky_relu = {TG_ACTIVATION("leaky_relu", "LeakyReluBackward0", "LeakyReluBackward1"),
                                      "leaky_relu_cpu", TG_ACTIVATION_LOOPS(leaky_relu), leaky_relu_rule};

Tensor *F_leaky_relu(Tensor *x, double negative_slope, bool inplace) {
    return tg_activate(&leaky_relu, x, (tg_Parameters){negative_slope, 0, 0}, inplace);
}
Tensor *F_leaky_relu_(Tensor *x, double negative_slope) {
    return F_leaky_relu(x, negative_slope, true);
}

/* ---- hardtanh, relu6 ---- */

/* F.hardtanh(x, min_val, max_val): x clamped to [min_val, max_val]; NaN stays. dx = dy where min_val < x < max_val,
 * else 0. Integers too: both bounds are then truncated to integers. Errors: min_val above max_val, bool. */
TG_ACTIVATION_LOOP(hardtanh_int64, int64_t, x < a ? a : x > b ? b : x)
static Tensor *hardtanh_rule(Tensor *dy, Tensor *x, const tg_Parameters *p) {
    return t_where(t_logical_or(t_le(x, N(p->a)), t_ge(x, N(p->b))), N(0), dy);
}
static const Activation hardtanh = {
    TG_ACTIVATION("hardtanh", "HardtanhBackward0", "HardtanhBackward0"), "hardtanh_cpu",
    {NUMBER_LOOPS(hardtanh)},
    {FLOAT_LOOPS(hardtanh_gradient)}, hardtanh_rule};

Tensor *F_hardtanh(Tensor *x, double min_val, double max_val, bool inplace) {
    if (!tg_check_any(x, 1)) return NULL;
    if (min_val > max_val) return tg_fail("min_val cannot be greater than max_val");
    if (x->dtype == t_bool) return tg_fail("Bool inputs not supported for hardtanh");
    return tg_activate(&hardtanh, x, (tg_Parameters){min_val, max_val, 0}, inplace);
}
Tensor *F_hardtanh_(Tensor *x, double min_val, double max_val) {
    return F_hardtanh(x, min_val, max_val, true);
}

/* F.relu6(x): hardtanh between 0 and 6. */
Tensor *F_relu6(Tensor *x, bool inplace) {
    return F_hardtanh(x, 0, 6, inplace);
}

/* ---- hardsigmoid, hardswish: piecewise linear approximations of sigmoid and silu ---- */

/* F.hardsigmoid(x): (x + 3) / 6, clamped to [0, 1]. dx = dy / 6 where -3 < x < 3, else 0. The factor 1 / 6 is rounded
 * to float32 also in float64, as in PyTorch. Twice differentiable, unlike PyTorch's. */
#define SIXTH (1.0f / 6.0f)
static Tensor *hardsigmoid_rule(Tensor *dy, Tensor *x, const tg_Parameters *p) {
    (void)p;
    return t_where(t_logical_and(t_gt(x, N(-3)), t_lt(x, N(3))), t_mul(dy, N((double)SIXTH)), N(0));
}
static const Activation hardsigmoid = {TG_ACTIVATION("hardsigmoid", "HardsigmoidBackward0", "HardsigmoidBackward0"),
                                       "hardsigmoid_cpu", TG_ACTIVATION_LOOPS(hardsigmoid), hardsigmoid_rule};

Tensor *F_hardsigmoid(Tensor *x, bool inplace) {
    return tg_activate(&hardsigmoid, x, (tg_Parameters){0, 0, 0}, inplace);
}

/* F.hardswish(x): x hardsigmoid(x). dx = 0 for x <= -3, dy for x >= 3, else dy (x / 3 + 1/2). */
static Tensor *hardswish_rule(Tensor *dy, Tensor *x, const tg_Parameters *p) {
    (void)p;
    Tensor *between = t_mul(dy, t_add(t_div(x, N(3)), N(0.5)));
    return t_where(t_le(x, N(-3)), N(0), t_where(t_lt(x, N(3)), between, dy));
}
static const Activation hardswish = {TG_ACTIVATION("hardswish", "HardswishBackward0", "HardswishBackward0"),
                                     "hardswish_cpu", TG_ACTIVATION_LOOPS(hardswish), hardswish_rule};

Tensor *F_hardswish(Tensor *x, bool inplace) {
    return tg_activate(&hardswish, x, (tg_Parameters){0, 0, 0}, inplace);
}

/* ---- softshrink ---- */

/* F.softshrink(x, lambd): x - lambd where x > lambd, x + lambd where x < -lambd, else 0; NaN stays. dx = dy where
 * |x| > lambd, else 0. Error: a negative lambd. */
static Tensor *softshrink_rule(Tensor *dy, Tensor *x, const tg_Parameters *p) {
    return t_where(t_logical_and(t_ge(x, N(-p->a)), t_le(x, N(p->a))), N(0), dy);
}
static const Activation softshrink = {TG_ACTIVATION("softshrink", "SoftshrinkBackward0", "SoftshrinkBackward0"),
                                      "softshrink_check", TG_VALUE_AND_GRADIENT(softshrink, hardshrink_gradient),
                                      softshrink_rule};

Tensor *F_softshrink(Tensor *x, double lambd) {
    if (!tg_check_any(x, 1)) return NULL;
    if (tg_is_floating(x->dtype) && !(lambd >= 0 && lambd <= (x->dtype == t_float32 ? FLT_MAX : DBL_MAX)))
        return tg_fail("lambda must be in range [0, %s] for input dtype %s, but found %g",
                       x->dtype == t_float32 ? "3.40282e+38" : "1.79769e+308", tg_scalar_name(x->dtype), lambd);
    return tg_activate(&softshrink, x, (tg_Parameters){lambd, 0, 0}, false);
}

/* ---- softsign, tanhshrink: composed of other ops, which also give the gradient ---- */

/* F.softsign(x): x / (1 + |x|); integers give floats. */
Tensor *F_softsign(Tensor *x) {
    TG_COMPOSITE("softsign");
    if (!tg_check_any(x, 1)) return NULL;
    int depth = t_scope_open();
    return depth ? tg_scope_return(depth, t_div(x, t_add(t_abs(x), t_integer(1)))) : NULL;
}

/* F.tanhshrink(x): x - tanh(x); integers give floats. */
Tensor *F_tanhshrink(Tensor *x) {
    TG_COMPOSITE("tanhshrink");
    if (!tg_check_any(x, 1)) return NULL;
    int depth = t_scope_open();
    return depth ? tg_scope_return(depth, t_sub(x, t_tanh(x))) : NULL;
}

/* ---- silu, mish ---- */

/* F.silu(x): x sigmoid(x), which is x / (1 + exp(-x)). dx = dy s (1 + x (1 - s)) with s = sigmoid(x). */
static Tensor *silu_rule(Tensor *dy, Tensor *x, const tg_Parameters *p) {
    (void)p;
    Tensor *s = t_sigmoid(x);
    return t_mul(dy, t_mul(s, t_add(t_mul(x, t_sub(N(1), s)), N(1))));
}
static const Activation silu = {TG_ACTIVATION("silu", "SiluBackward0", "SiluBackward0"), "silu_cpu",
                                TG_ACTIVATION_LOOPS(silu), silu_rule};

Tensor *F_silu(Tensor *x, bool inplace) {
    return tg_activate(&silu, x, (tg_Parameters){0, 0, 0}, inplace);
}

/* F.mish(x): x t with t = tanh(log(1 + exp(x))). dx = dy (t + x s (1 - t^2)) with s = sigmoid(x). */
static Tensor *mish_rule(Tensor *dy, Tensor *x, const tg_Parameters *p) {
    (void)p;
    Tensor *t = t_tanh(F_softplus(x, 1, 20));
    return t_mul(dy, t_add(t, t_mul(t_mul(x, t_sigmoid(x)), t_sub(N(1), t_square(t)))));
}
static const Activation mish = {TG_ACTIVATION("mish", "MishBackward0", "MishBackward0"), "mish_cpu",
                                TG_ACTIVATION_LOOPS(mish), mish_rule};

Tensor *F_mish(Tensor *x, bool inplace) {
    return tg_activate(&mish, x, (tg_Parameters){0, 0, 0}, inplace);
}

/* ---- softplus, logsigmoid ---- */

/* F.softplus(x, beta, threshold): log(1 + exp(beta x)) / beta, and x itself where beta x > threshold. dx = dy
 * sigmoid(beta x), and dy where beta x > threshold. */
static Tensor *softplus_rule(Tensor *dy, Tensor *x, const tg_Parameters *p) {
    Tensor *z = t_mul(x, N(p->a));
    return t_where(t_gt(z, N(p->b)), dy, t_mul(dy, t_sigmoid(z)));
}
static const Activation softplus = {TG_ACTIVATION("softplus", "SoftplusBackward0", "SoftplusBackward0"), "softplus_cpu",
                                    TG_ACTIVATION_LOOPS(softplus), softplus_rule};

Tensor *F_softplus(Tensor *x, double beta, double threshold) {
    return tg_activate(&softplus, x, (tg_Parameters){beta, threshold, 0}, false);
}

/* F.logsigmoid(x): log sigmoid(x), as min(x, 0) - log(1 + exp(-|x|)), which cannot overflow. dx = dy sigmoid(-x). */
static Tensor *log_sigmoid_rule(Tensor *dy, Tensor *x, const tg_Parameters *p) {
    (void)p;
    return t_mul(dy, t_sigmoid(t_neg(x)));
}
static const Activation log_sigmoid = {TG_ACTIVATION("log_sigmoid", "LogSigmoidBackward0", "LogSigmoidBackward0"),
                                       "log_sigmoid_cpu", TG_ACTIVATION_LOOPS(log_sigmoid), log_sigmoid_rule};

Tensor *F_logsigmoid(Tensor *x) {
    return tg_activate(&log_sigmoid, x, (tg_Parameters){0, 0, 0}, false);
}

/* ---- glu ---- */

static LoopTable glu_loops = {FLOAT_LOOPS(glu)};

/* y = a s with s = sigmoid(b), where a is the first half of x and b the second: da = dy s, db = dy a s (1 - s). */
static void glu_backward(Record *r, Tensor *dy, Tensor **dx) {
    int64_t dim = *(int64_t *)r->attributes;
    Tensor *x = tg_saved(r, 0);
    if (!x) return;
    int64_t half = x->shape[dim] / 2;
    Tensor *s = t_sigmoid(t_narrow(x, dim, half, half)), *da = t_mul(dy, s);
    Tensor *db = t_mul(da, t_mul(t_narrow(x, dim, 0, half), t_sub(N(1), s)));
    t_TensorList *both = db ? t_list_new((Tensor *[]){da, db}, 2) : NULL;
    if (both) dx[0] = t_cat(both, dim);
}
static const Op glu_op = {"glu", "GluBackward0", glu_backward};

/* F.glu(x, dim): the first half of x along dim times the sigmoid of the second. Errors: an odd size, no dims. */
Tensor *F_glu(Tensor *x, int64_t dim) {
    TG_COMPOSITE("glu");
    int d;
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim == 0) return tg_fail("glu does not support scalars because halving size must be even");
    if (!tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    int64_t where = d, half = x->shape[d] / 2;
    if (x->shape[d] % 2)
        return tg_fail("Halving dimension must be even, but dimension %d is size %lld", d, (long long)x->shape[d]);
    if (!tg_is_floating(x->dtype)) return tg_not_implemented("glu_cpu", x->dtype);
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *a = t_narrow(x, d, 0, half), *b = t_narrow(x, d, half, half);
    Tensor *y = a && b ? tg_pointwise("glu_cpu", (Tensor *[]){a, b}, 2, glu_loops, false, 0) : NULL;
    t_set_grad_enabled(grad_enabled);
    return tg_scope_return(depth, tg_record(&glu_op, y, INPUTS(x), SAVED(x), ATTRIBUTES(where)));
}
