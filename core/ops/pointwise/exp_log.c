/* core/ops/pointwise/exp_log.c: exponentials, logarithms, sigmoid, erf and logit. Shapes: any, kept; integers and bools
 * are converted to float32. */
#include "core/ops/pointwise/unary_internal.h"

#define LN2 0.6931471805599453
#define LN10 2.302585092994046
#define TWO_OVER_SQRT_PI 1.1283791670955126
#define MINUS_SQUARE(x) t_neg(t_mul(x, x))

FUSED_GRADIENT(sigmoid, y, t_mul(dy, t_mul(y, t_sub(N(1), y))))

/*     saves   name     PyTorch's grad_fn   dx */
UNARY_FLOAT(Y, exp,     "ExpBackward0",     t_mul(dy, y))
UNARY_FLOAT(Y, exp2,    "Exp2Backward0",    t_mul(dy, t_mul(y, N(LN2))))
UNARY_FLOAT(Y, expm1,   "Expm1Backward0",   t_mul(dy, t_add(y, N(1))))
UNARY_FLOAT(X, log,     "LogBackward0",     t_div(dy, x))
UNARY_FLOAT(X, log2,    "Log2Backward0",    t_div(dy, t_mul(x, N(LN2))))
UNARY_FLOAT(X, log10,   "Log10Backward0",   t_div(dy, t_mul(x, N(LN10))))
UNARY_FLOAT(X, log1p,   "Log1PBackward0",   t_div(dy, t_add(x, N(1))))
UNARY_FLOAT(Y, sigmoid, "SigmoidBackward0", sigmoid_gradient(dy, y))
UNARY_FLOAT(X, erf,     "ErfBackward0",     t_mul(dy, t_mul(N(TWO_OVER_SQRT_PI), t_exp(MINUS_SQUARE(x)))))
UNARY_FLOAT(X, erfc,    "ErfcBackward0",    t_mul(dy, t_mul(N(-TWO_OVER_SQRT_PI), t_exp(MINUS_SQUARE(x)))))
UNARY_FLOAT(X, erfinv,  "ErfinvBackward0",  t_mul(dy, t_mul(N(1 / TWO_OVER_SQRT_PI), t_exp(t_square(t_erfinv(x))))))

/* torch.logit(x, eps): y = log(z / (1 - z)), z = x clamped to [eps, 1 - eps], or x itself if eps is negative (None).
 * With eps above 0.5, where the bounds cross, z = eps for x < eps and 1 - eps for the others, as in PyTorch. dx = dy
 * / (x (1 - x)) inside these bounds (without eps: inside [0, 1]); outside 0 with eps and NaN without; NaN for NaN. */
static void logit_backward(Record *r, Tensor *dy, Tensor **dx) {
    const double *bounds = r->attributes;
    static LoopTable loops = {FLOAT_LOOPS(logit_gradient)};
    Tensor *x = tg_saved(r, 0), *both[] = {dy, x};
    if (!x) return;
    if (!t_is_grad_enabled() && x->dtype == dy->dtype) {
        dx[0] = tg_pointwise_in("logit_cpu", x->dtype, both, 2, loops, 0,
                                &(tg_Parameters){bounds[0], bounds[1], bounds[2]});
        return;
    }
    Tensor *outside = t_logical_or(t_lt(x, N(bounds[0])), t_gt(x, N(bounds[1])));
    dx[0] = t_where(outside, N(bounds[2]), t_div(dy, t_mul(x, t_sub(N(1), x))));
}
static const Op logit_op = {"logit", "LogitBackward0", logit_backward};

Tensor *t_logit(Tensor *x, double eps) {
    static LoopTable loops = {FLOAT_LOOPS(logit)};
    if (!tg_check_any(x, 1)) return NULL;
    t_DType dtype = tg_is_floating(x->dtype) ? x->dtype : tg_default_dtype();
    if (!tg_check_scalar_fits(eps, dtype)) return NULL;
    double low = eps < 0 ? 0 : eps, high = dtype == t_float64 ? 1 - low : 1 - (float)low;
    double bounds[] = {low, high, eps < 0 ? NAN : 0}; /* bounds[2]: the gradient outside the bounds */
    tg_Parameters parameters = {eps < 0 ? -INFINITY : low, eps < 0 ? INFINITY : high, 0};
    Tensor *y = tg_pointwise_in("logit", dtype, &x, 1, loops, 0, &parameters);
    return tg_record(&logit_op, y, INPUTS(x), SAVED(x), ATTRIBUTES(bounds));
}

Tensor *t_logit_(Tensor *x, double eps) {
    int depth = tg_open_write(x);
    return tg_close_write(depth, x, depth ? t_logit(x, eps) : NULL);
}
