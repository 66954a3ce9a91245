/* nn/functional/activation/gelu.c: F.gelu, x Phi(x) with the normal distribution function Phi, and its tanh
 * approximation. */
#include <string.h>

#include "core/kernels/elementwise/elementwise.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "nn/functional/activation/gelu_internal.h"

#define SQRT_HALF 0.70710678118654752440      /* 1 / sqrt(2) */
#define DENSITY_AT_0 0.39894228040143267794   /* 1 / sqrt(2 pi) */
#define SQRT_2_OVER_PI 0.79788456080286535588
#define CUBIC 0.044715

/* y = x Phi(x), dx = dy (Phi(x) + x phi(x)), where Phi(x) = (1 + erf(x / sqrt(2))) / 2 is the normal distribution
 * function and phi(x) = exp(-x^2 / 2) / sqrt(2 pi) its density. */
static Tensor *gelu_derivative(Tensor *x) {
    Tensor *distribution = t_mul(N(0.5), t_add(N(1), t_erf(t_mul(x, N(SQRT_HALF)))));
    Tensor *density = t_mul(N(DENSITY_AT_0), t_exp(t_mul(N(-0.5), t_square(x))));
    return t_add(distribution, t_mul(x, density));
}

static void gelu_backward(Record *r, Tensor *dy, Tensor **dx) {
    static LoopTable loops = {FLOAT_LOOPS(gelu_gradient)};
    Tensor *x = tg_saved(r, 0);
    if (!x) return;
    dx[0] = t_is_grad_enabled() ? t_mul(tg_widened(dy), gelu_derivative(tg_widened(x)))
                                : tg_pointwise("GeluBackwardKernelImpl", (Tensor *[]){dy, x}, 2, loops, false, 0);
}

/* The tanh form: y = x (1 + t) / 2 with t = tanh(u), u = sqrt(2 / pi) (x + 0.044715 x^3);
 * dx = dy ((1 + t) / 2 + x (1 - t^2) u' / 2), u' = sqrt(2 / pi) (1 + 3 * 0.044715 x^2). */
static Tensor *gelu_tanh_derivative(Tensor *x) {
    Tensor *square = t_square(x);
    Tensor *u = t_mul(N(SQRT_2_OVER_PI), t_mul(x, t_add(N(1), t_mul(N(CUBIC), square))));
    Tensor *du = t_mul(N(SQRT_2_OVER_PI), t_add(N(1), t_mul(N(3 * CUBIC), square)));
    Tensor *t = t_tanh(u);
    Tensor *tanh_term = t_mul(t_mul(x, t_sub(N(1), t_square(t))), du);
    return t_mul(N(0.5), t_add(t_add(N(1), t), tanh_term));
}

static void gelu_tanh_backward(Record *r, Tensor *dy, Tensor **dx) {
    static LoopTable loops = {FLOAT_LOOPS(gelu_tanh_gradient)};
    Tensor *x = tg_saved(r, 0);
    if (!x) return;
    dx[0] = t_is_grad_enabled() ? t_mul(tg_widened(dy), gelu_tanh_derivative(tg_widened(x)))
                                : tg_pointwise("GeluBackwardKernelImpl", (Tensor *[]){dy, x}, 2, loops, false, 0);
}

Tensor *tg_gelu_derivative(Tensor *x, bool is_tanh) {
    return is_tanh ? gelu_tanh_derivative(x) : gelu_derivative(x);
}

static const Op gelu_op = {"gelu", "GeluBackward0", gelu_backward, .takes_half = true};
static const Op gelu_tanh_op = {"gelu", "GeluBackward0", gelu_tanh_backward, .takes_half = true};

/* F.gelu(x, approximate): x Phi(x); "tanh" is the approximation above, "none" or NULL the exact form.
 * x: any shape, floating; returns the same shape. Errors: another approximate, integer dtype. */
Tensor *F_gelu(Tensor *x, const char *approximate) {
    static LoopTable exact = {FLOAT_LOOPS(gelu)};
    static LoopTable with_tanh = {FLOAT_LOOPS(gelu_tanh)};
    if (!tg_check_any(x, 1)) return NULL;
    bool is_tanh = approximate && strcmp(approximate, "tanh") == 0;
    if (approximate && !is_tanh && strcmp(approximate, "none") != 0)
        return tg_fail("approximate argument must be either none or tanh.");
    Tensor *y = tg_pointwise("GeluKernelImpl", &x, 1, is_tanh ? with_tanh : exact, false, 0);
    return tg_record(is_tanh ? &gelu_tanh_op : &gelu_op, y, INPUTS(x), SAVED(x), ATTRIBUTES(is_tanh));
}
