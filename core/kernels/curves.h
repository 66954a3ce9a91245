/* Functions of one number on raw memory, and their gradients. */
#ifndef TG_KERNELS_CURVES_H
#define TG_KERNELS_CURVES_H

#include <stdint.h>

/* Up to three numbers that shape a curve. */
typedef struct Knobs {
    double a, b, c;
} Knobs;

/* tg_exp_float32(n, p, s, knobs): n numbers from p[1] on, s[1] bytes apart, give n numbers from p[0] on, s[0] bytes apart;
 * those of a gradient read dy from p[1] and x from p[2] (of tanh, sigmoid and relu y). An output may be an input, element for element. Knobs are read by
 * those that have some. A number's result does not depend on its place or on the steps. */
#define TG_CURVE_LOOP(f)                                                                         \
    void tg_##f##_float32(int64_t n, char *const *p, const int64_t *s, const void *knobs);       \
    void tg_##f##_float64(int64_t n, char *const *p, const int64_t *s, const void *knobs);

/* The lists are what curves.inc has, in the words of vmath.inc. */
#define TG_ALL_VALUES(_)                                                                         \
    _(exp) _(exp2) _(expm1) _(log) _(log1p) _(tanh) _(sigmoid) _(erf)                       \
    _(elu) _(gelu) _(gelu_tanh) _(silu) _(mish) _(softplus) _(log_sigmoid)                       \
    _(sqrt) _(rsqrt) _(floor) _(ceil) _(trunc) _(round) _(abs) _(sign) _(relu) _(leaky_relu)     \
    _(hardtanh) _(hardsigmoid) _(hardswish) _(softshrink) _(hardshrink) _(threshold)
#define TG_ALL_GRADIENTS(_)                                                                      \
    _(plus) _(minus) _(times) _(over)                                                            \
    _(elu_gradient) _(gelu_gradient) _(gelu_tanh_gradient) _(silu_gradient) _(mish_gradient)     \
    _(softplus_gradient) _(log_sigmoid_gradient) _(tanh_gradient) _(sigmoid_gradient)            \
    _(abs_gradient) _(relu_gradient) _(leaky_relu_gradient) _(hardtanh_gradient)                 \
    _(hardsigmoid_gradient) _(hardswish_gradient) _(softshrink_gradient) _(hardshrink_gradient)  \
    _(threshold_gradient)
TG_ALL_VALUES(TG_CURVE_LOOP)
TG_ALL_GRADIENTS(TG_CURVE_LOOP)

#endif
