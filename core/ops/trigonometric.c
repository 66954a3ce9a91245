/* core/ops/trigonometric.c: the trigonometric and hyperbolic functions and their inverses. Shapes: any, kept; integers and bools
 * are taken as float32. */
#include "core/ops/unary_internal.h"

#define SQUARE(x) t_mul(x, x)

GRADIENT_CURVE(tanh, y, t_mul(dy, t_sub(N(1), SQUARE(y))))

/*     saves   name   PyTorch's grad_fn dx */
UNARY_CURVE(X, sin,   "SinBackward0",   t_mul(dy, t_cos(x)))
UNARY_CURVE(X, cos,   "CosBackward0",   t_neg(t_mul(dy, t_sin(x))))
UNARY_CURVE(Y, tan,   "TanBackward0",   t_mul(dy, t_add(N(1), SQUARE(y))))
UNARY_CURVE(X, asin,  "AsinBackward0",  t_mul(dy, t_rsqrt(t_sub(N(1), SQUARE(x)))))
UNARY_CURVE(X, acos,  "AcosBackward0",  t_neg(t_mul(dy, t_rsqrt(t_sub(N(1), SQUARE(x))))))
UNARY_CURVE(X, atan,  "AtanBackward0",  t_div(dy, t_add(SQUARE(x), N(1))))
UNARY_CURVE(X, sinh,  "SinhBackward0",  t_mul(dy, t_cosh(x)))
UNARY_CURVE(X, cosh,  "CoshBackward0",  t_mul(dy, t_sinh(x)))
UNARY_CURVE(Y, tanh,  "TanhBackward0",  tanh_gradient(dy, y))
UNARY_CURVE(X, asinh, "AsinhBackward0", t_mul(dy, t_rsqrt(t_add(SQUARE(x), N(1)))))
UNARY_CURVE(X, acosh, "AcoshBackward0", t_mul(dy, t_rsqrt(t_sub(SQUARE(x), N(1)))))
UNARY_CURVE(X, atanh, "AtanhBackward0", t_div(dy, t_sub(N(1), SQUARE(x))))

/* torch.sinc(x): sin(pi x) / (pi x), 1 at 0. dx = dy (cos(pi x) - y) / x, 0 at 0. */
static Tensor *slope_of_sinc(Tensor *x, Tensor *dy) {
    Tensor *zero = t_eq(x, N(0)), *z = t_mul(x, N(PI));
    Tensor *slope = t_div(t_sub(t_cos(z), t_div(t_sin(z), z)), x);
    return t_where(zero, N(0), t_mul(dy, slope));
}
UNARY_CURVE(X, sinc,  "SincBackward0",  slope_of_sinc(x, dy))
