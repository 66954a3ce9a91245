/* Functions of one, two and three numbers on raw memory, and gradients of those of one. */
#ifndef TG_KERNELS_CURVES_H
#define TG_KERNELS_CURVES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Up to three numbers that shape a curve. */
typedef struct Knobs {
    double a, b, c;
} Knobs;

/* tg_exp_float32(n, p, s, knobs): n numbers from p[1] on, s[1] bytes apart, give n numbers from p[0] on, s[0] bytes apart;
 * those of a gradient read dy from p[1] and x from p[2] (of tanh, sigmoid and relu y, of bent what bent itself does). An output
 * may be an input, element for element. Knobs are read by those that have some, and may be NULL for the others. A number's result
 * does not depend on its place or on the steps. */
#define TG_LOOP(f) void tg_##f(int64_t n, char *const *p, const int64_t *s, const void *knobs);
#define TG_CURVE_LOOP(f) TG_LOOP(f##_float32) TG_LOOP(f##_float64)

/* The lists are what elementwise.inc and binary.inc have, in the words of vmath.inc; those apart that wait for memory (or are used most)
 * and have loops of their own also for doubles. Those of the C library are made in vectors of floats; beside them stands who makes
 * them of doubles, the rare ones always, and else where there is no multiply-add. */
#define TG_ALL_VALUES(_)                                                                         \
    _(expm1) _(log1p) _(log2) _(log10) _(logit) _(tanh) _(erf) _(elu) _(gelu) _(gelu_tanh) _(mish) _(softplus)
#define TG_ALL_LIGHT_VALUES(_)                                                                   \
    _(exp) _(exp2) _(log) _(sigmoid) _(silu)                                                             \
    _(sqrt) _(rsqrt) _(reciprocal) _(square) _(cube) _(inverse_square) _(deg2rad) _(rad2deg)     \
    _(floor) _(ceil) _(trunc) _(round) _(round_decimals) _(frac) _(neg) _(abs) _(sign)           \
    _(nan_to_num) _(relu) _(leaky_relu) _(hardtanh) _(hardsigmoid) _(hardswish) _(softshrink)    \
    _(hardshrink) _(threshold)
#define TG_ALL_LIBRARY_VALUES(_)                                                                 \
    _(sin, sin) _(cos, cos) _(tan, tan) _(asin, asin) _(acos, acos) _(atan, atan)                \
    _(sinh, sinh) _(cosh, cosh) _(atanh, atanh) _(sinc, cardinal_sine) _(erfc, erfc)
#define TG_ALL_RARE_LIBRARY_VALUES(_) _(asinh, asinh) _(acosh, acosh) _(erfinv, inverse_erf)
#define TG_ALL_GRADIENTS(_)                                                                      \
    _(logit_gradient) _(elu_gradient) _(gelu_gradient) _(gelu_tanh_gradient) _(silu_gradient)    \
    _(mish_gradient) _(softplus_gradient) _(log_sigmoid_gradient) _(hardswish_gradient)
#define TG_ALL_LIGHT_GRADIENTS(_)                                                                \
    _(tanh_gradient) _(sigmoid_gradient) _(relu_gradient) _(bent_gradient) _(abs_gradient)       \
    _(leaky_relu_gradient) _(hardtanh_gradient) _(hardsigmoid_gradient) _(hardshrink_gradient) _(threshold_gradient)
#define TG_ALL_ARITHMETIC(_) _(plus) _(minus) _(times) _(over)
/* With u from p[1] and v from p[2]: plus_scaled is u + a v, and gated u sigmoid(v); the others are named after their op. */
#define TG_ALL_PAIRS(_)                                                                          \
    _(fmax) _(fmin) _(copysign) _(div_trunc) _(gated) _(logaddexp) _(xlogy) _(cross_entropy)
#define TG_ALL_LIGHT_PAIRS(_) _(maximum) _(minimum) _(plus_scaled) _(squares) _(bent) _(prelu)
#define TG_ALL_LIBRARY_PAIRS(_)                                                                  \
    _(hypot, hypot) _(atan2, atan2) _(fmod, fmod) _(remainder, modulo) _(floor_divide, floored_quotient) _(pow, pow)
#define TG_LIBRARY_LOOP(f, of_doubles) TG_CURVE_LOOP(f)
#define TG_ALL_TRIPLES(_) _(addcmul) _(addcdiv) _(clamp) _(lerp) _(cross_entropy_gradient)
TG_ALL_VALUES(TG_CURVE_LOOP)
TG_ALL_LIGHT_VALUES(TG_CURVE_LOOP)
TG_ALL_LIBRARY_VALUES(TG_LIBRARY_LOOP)
TG_ALL_RARE_LIBRARY_VALUES(TG_LIBRARY_LOOP)
TG_ALL_GRADIENTS(TG_CURVE_LOOP)
TG_ALL_LIGHT_GRADIENTS(TG_CURVE_LOOP)
TG_ALL_ARITHMETIC(TG_CURVE_LOOP)
TG_ALL_PAIRS(TG_CURVE_LOOP)
TG_ALL_LIGHT_PAIRS(TG_CURVE_LOOP)
TG_ALL_LIBRARY_PAIRS(TG_LIBRARY_LOOP)
TG_ALL_TRIPLES(TG_CURVE_LOOP)

/* Questions, whose answers are bools: of one floating number (holds: is it not 0?), and of two numbers of one dtype. */
#define TG_ALL_QUESTIONS(_) _(isnan) _(isinf) _(isfinite) _(signbit) _(holds)
#define TG_ALL_COMPARISONS(_) _(lt) _(le) _(eq) _(ne) _(logical_and) _(logical_or) _(logical_xor)
#define TG_COMPARISON_LOOP(f) TG_CURVE_LOOP(f) TG_LOOP(f##_int64)
TG_ALL_QUESTIONS(TG_CURVE_LOOP)
TG_ALL_COMPARISONS(TG_COMPARISON_LOOP)
TG_LOOP(holds_int64)
TG_LOOP(clamp_int64)

typedef void tg_CurveLoop(int64_t n, char *const *p, const int64_t *s, const void *knobs);

/* The second operand of log_sigmoid_and_slope is a second output: the numbers by which the gradient is multiplied. */
TG_CURVE_LOOP(log_sigmoid)
TG_CURVE_LOOP(log_sigmoid_and_slope)

/* Of one and two int64, and of two bools. */
#define TG_ALL_WHOLE_VALUES(_) _(neg) _(abs) _(sign) _(relu) _(square) _(not)
#define TG_ALL_WHOLE(_) _(plus) _(minus) _(times) _(maximum) _(minimum) _(and) _(or) _(xor)
#define TG_WHOLE_LOOP(f) TG_LOOP(f##_int64)
#define TG_ALL_OF_BOOLS(_) _(and) _(or) _(xor) _(same_bools)
#define TG_BOOL_LOOP(f) TG_LOOP(f##_bool)
TG_ALL_WHOLE_VALUES(TG_WHOLE_LOOP)
TG_ALL_WHOLE(TG_WHOLE_LOOP)
TG_LOOP(left_shift_int64)  /* 0 where b is below 0 or above 63 */
TG_LOOP(right_shift_int64) /* there 0, or -1 where a is negative */
TG_ALL_OF_BOOLS(TG_BOOL_LOOP)

/* Quotients of int64, rounded down or towards 0, or what these leave. The knobs are a tg_Division; a divisor of 0 is noted there. */
typedef struct tg_Division {
    bool down, rest;
    atomic_bool *by_zero;
} tg_Division;
TG_LOOP(divide_int64)

#endif
