/* nn/functional/activation/softmax_softplus.c: softmax and the smooth activations (silu, mish, softplus, glu, ...).
 *
 * x: any shape, floating unless said otherwise; returns the same shape and dtype. */
#include "core/ops/activation_internal.h"
#include "nn/functional/activation/activation.h"

#define N(value) t_number(value)

/* ---- the same as in torch.* ---- */

/* F.sigmoid(x): 1 / (1 + exp(-x)). */
Tensor *F_sigmoid(Tensor *x) {
    return t_sigmoid(x);
}

/* F.tanh(x). */
Tensor *F_tanh(Tensor *x) {
    return t_tanh(x);
}

/* F.softmax(x, dim, dtype): exp(x) / sum(exp(x)) along dim. PyTorch guesses a missing dim, with a warning; here it is
 * an error. */
Tensor *F_softmax_as(Tensor *x, int64_t dim, t_DType dtype) {
    if (x && dim == T_NONE) return tg_fail("softmax(): missing the argument dim");
    return t_softmax_as(x, dim, dtype);
}

Tensor *F_softmax(Tensor *x, int64_t dim) {
    return F_softmax_as(x, dim, 0);
}

/* F.log_softmax(x, dim, dtype): the logarithm of softmax along dim. */
Tensor *F_log_softmax_as(Tensor *x, int64_t dim, t_DType dtype) {
    if (x && dim == T_NONE) return tg_fail("log_softmax(): missing the argument dim");
    return t_log_softmax_as(x, dim, dtype);
}

Tensor *F_log_softmax(Tensor *x, int64_t dim) {
    return F_log_softmax_as(x, dim, 0);
}

/* ---- composed of other ops, which also give the gradient ---- */

/* F.softmin(x, dim): softmax of -x along dim. */
Tensor *F_softmin(Tensor *x, int64_t dim) {
    if (!tg_check(x, 1)) return NULL;
    if (dim == T_NONE) return tg_fail("softmin(): missing the argument dim");
    int depth = t_scope_open();
    return depth ? tg_scope_return(depth, t_softmax(t_neg(x), dim)) : NULL;
}

/* F.softsign(x): x / (1 + |x|); integers give floats. */
Tensor *F_softsign(Tensor *x) {
    if (!tg_check(x, 1)) return NULL;
    int depth = t_scope_open();
    return depth ? tg_scope_return(depth, t_div(x, t_add(t_abs(x), t_integer(1)))) : NULL;
}

/* F.tanhshrink(x): x - tanh(x); integers give floats. */
Tensor *F_tanhshrink(Tensor *x) {
    if (!tg_check(x, 1)) return NULL;
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
    int d;
    if (!tg_check(x, 1)) return NULL;
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
