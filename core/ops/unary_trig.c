/* core/ops/unary_trig.c: the trigonometric and hyperbolic functions and their inverses. Shapes: any, kept; integers and bools
 * are taken as float32. */
#include "core/ops/unary.h"

#define SQUARE(x) t_mul(x, x)

GRADIENT_CURVE(tanh, y, t_mul(dy, t_sub(N(1), SQUARE(y))))

/*         name    PyTorch's grad_fn    y          dx */
TG_UNARY_FLOATING(TG_LOOP1, X, sin, "SinBackward0", sin(x), t_mul(dy, t_cos(x)))
TG_UNARY_FLOATING(TG_LOOP1, X, cos, "CosBackward0", cos(x), t_neg(t_mul(dy, t_sin(x))))
UNARY_OF_Y(tan,    "TanBackward0",      tan(x),    t_mul(dy, t_add(N(1), SQUARE(y))))
UNARY_OF_X(asin,   "AsinBackward0",     asin(x),   t_mul(dy, t_rsqrt(t_sub(N(1), SQUARE(x)))))
UNARY_OF_X(acos,   "AcosBackward0",     acos(x),   t_neg(t_mul(dy, t_rsqrt(t_sub(N(1), SQUARE(x))))))
UNARY_OF_X(atan,   "AtanBackward0",     atan(x),   t_div(dy, t_add(SQUARE(x), N(1))))
UNARY_OF_X(sinh,   "SinhBackward0",     sinh(x),   t_mul(dy, t_cosh(x)))
UNARY_OF_X(cosh,   "CoshBackward0",     cosh(x),   t_mul(dy, t_sinh(x)))
UNARY_CURVE(Y, tanh, "TanhBackward0",           tanh_gradient(dy, y))
UNARY_OF_X(asinh,  "AsinhBackward0",    asinh(x),  t_mul(dy, t_rsqrt(t_add(SQUARE(x), N(1)))))
UNARY_OF_X(acosh,  "AcoshBackward0",    acosh(x),  t_mul(dy, t_rsqrt(t_sub(SQUARE(x), N(1)))))
UNARY_OF_X(atanh,  "AtanhBackward0",    atanh(x),  t_div(dy, t_sub(N(1), SQUARE(x))))

/* torch.sinc(x): sin(pi x) / (pi x), 1 at 0. dx = dy (cos(pi x) - y) / x, 0 at 0. */
static double cardinal_sine(double x) {
    return x == 0 ? 1 : sin(PI * x) / (PI * x);
}

static Tensor *slope_of_sinc(Tensor *x, Tensor *dy) {
    Tensor *zero = t_eq(x, N(0)), *z = t_mul(x, N(PI));
    Tensor *slope = t_div(t_sub(t_cos(z), t_div(t_sin(z), z)), x);
    return t_where(zero, N(0), t_mul(dy, slope));
}
UNARY_OF_X(sinc,   "SincBackward0", cardinal_sine(x), slope_of_sinc(x, dy))
