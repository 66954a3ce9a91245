/* core/ops/pointwise/trigonometric.c: trigonometric and hyperbolic functions and their inverses, and sinc. Shapes: any,
 * kept; integers and bools are converted to float32. */
#include "core/ops/pointwise/unary_internal.h"

#define SQUARE(x) t_mul(x, x)

/* dy (1 - y^2), with 1 - y^2 rounded once: the same bits where it is to be differentiated, for which it has a rule
 * of its own. d dy = g (1 - y^2), d y = -2 g y dy. */
static Tensor *tanh_gradient(Tensor *dy, Tensor *y);
static void tanh_gradient_backward(Record *r, Tensor *g, Tensor **dx) {
    Tensor *y = tg_saved(r, 1);
    if (!y) return;
    if (tg_needs(r, 0)) dx[0] = tanh_gradient(g, y);
    if (tg_needs(r, 1)) dx[1] = t_mul(g, t_mul(t_mul(N(-2), y), tg_saved(r, 0)));
}
static Tensor *tanh_gradient(Tensor *dy, Tensor *y) {
    static const Op op = {"tanh_backward", "TanhBackwardBackward0", tanh_gradient_backward};
    static LoopTable loops = {FLOAT_LOOPS(tanh_gradient)};
    Tensor *dx = tg_pointwise("tanh_backward_cpu", (Tensor *[]){dy, y}, 2, loops, false, 0);
    return dx ? tg_record(&op, dx, INPUTS(dy, y), SAVED(y->requires_grad ? dy : NULL, y), NONE) : NULL;
}

/*     saves   name   PyTorch's grad_fn dx */
UNARY_FLOAT(X, sin,   "SinBackward0",   t_mul(dy, t_cos(x)))
UNARY_FLOAT(X, cos,   "CosBackward0",   t_neg(t_mul(dy, t_sin(x))))
UNARY_FLOAT(Y, tan,   "TanBackward0",   t_mul(dy, t_add(N(1), SQUARE(y))))
UNARY_FLOAT(X, asin,  "AsinBackward0",  t_mul(dy, t_rsqrt(t_sub(N(1), SQUARE(x)))))
UNARY_FLOAT(X, acos,  "AcosBackward0",  t_neg(t_mul(dy, t_rsqrt(t_sub(N(1), SQUARE(x))))))
UNARY_FLOAT(X, atan,  "AtanBackward0",  t_div(dy, t_add(SQUARE(x), N(1))))
UNARY_FLOAT(X, sinh,  "SinhBackward0",  t_mul(dy, t_cosh(x)))
UNARY_FLOAT(X, cosh,  "CoshBackward0",  t_mul(dy, t_sinh(x)))
UNARY_FLOAT(Y, tanh,  "TanhBackward0",  tanh_gradient(dy, y))
UNARY_FLOAT(X, asinh, "AsinhBackward0", t_mul(dy, t_rsqrt(t_add(SQUARE(x), N(1)))))
UNARY_FLOAT(X, acosh, "AcoshBackward0", t_mul(dy, t_rsqrt(t_sub(SQUARE(x), N(1)))))
UNARY_FLOAT(X, atanh, "AtanhBackward0", t_div(dy, t_sub(N(1), SQUARE(x))))

/* torch.sinc(x): sin(pi x) / (pi x), 1 at 0. dx = dy (cos(pi x) - y) / x, 0 at 0. */
static Tensor *sinc_gradient(Tensor *x, Tensor *dy) {
    Tensor *zero = t_eq(x, N(0)), *z = t_mul(x, N(M_PI));
    Tensor *slope = t_div(t_sub(t_cos(z), t_div(t_sin(z), z)), x);
    return t_where(zero, N(0), t_mul(dy, slope));
}
UNARY_FLOAT(X, sinc,  "SincBackward0",  sinc_gradient(x, dy))
