/* core/sugar_pointwise.h: the macros over ops_pointwise.h, one line each (public; part of core/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_POINTWISE_H
#define TAPEGRAD_CORE_SUGAR_POINTWISE_H
#pragma GCC system_header

#include "core/sugar_words.h"

/* ---- pointwise ---- */
#define t_neg(x) T_OP1_(t_neg, "t_neg(" #x ")", x)
#define t_abs(x) T_OP1_(t_abs, "t_abs(" #x ")", x)
#define t_sign(x) T_OP1_(t_sign, "t_sign(" #x ")", x)
#define t_exp(x) T_OP1_(t_exp, "t_exp(" #x ")", x)
#define t_log(x) T_OP1_(t_log, "t_log(" #x ")", x)
#define t_sqrt(x) T_OP1_(t_sqrt, "t_sqrt(" #x ")", x)
#define t_rsqrt(x) T_OP1_(t_rsqrt, "t_rsqrt(" #x ")", x)
#define t_square(x) T_OP1_(t_square, "t_square(" #x ")", x)
#define t_reciprocal(x) T_OP1_(t_reciprocal, "t_reciprocal(" #x ")", x)
#define t_sin(x) T_OP1_(t_sin, "t_sin(" #x ")", x)
#define t_cos(x) T_OP1_(t_cos, "t_cos(" #x ")", x)
#define t_tanh(x) T_OP1_(t_tanh, "t_tanh(" #x ")", x)
#define t_sigmoid(x) T_OP1_(t_sigmoid, "t_sigmoid(" #x ")", x)
#define t_erf(x) T_OP1_(t_erf, "t_erf(" #x ")", x)
#define t_relu(x) T_OP1_(t_relu, "t_relu(" #x ")", x)
#define t_relu_(x) T_OP1_(t_relu_, "t_relu_(" #x ")", x)
#define t_prelu(x, weight) T_OP2_(t_prelu, "t_prelu(" #x ", " #weight ")", x, weight)
/* t_celu(x), t_celu(x, 1.5), t_celu(x, .alpha = 1.5) */
typedef struct t_AlphaArguments_ { int first_; double alpha; bool inplace; } t_AlphaArguments_;
typedef struct t_LambdArguments_ { int first_; double lambd; } t_LambdArguments_;
#define t_celu(...) T_OP_KEYS_((t_celu)(t__a, t__o.alpha), "t_celu(" #__VA_ARGS__ ")", t_AlphaArguments_, (.alpha = 1), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_celu_(...) T_OP_KEYS_((t_celu_)(t__a, t__o.alpha), "t_celu_(" #__VA_ARGS__ ")", t_AlphaArguments_, (.alpha = 1), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_selu(x) T_OP1_(t_selu, "t_selu(" #x ")", x)
#define t_selu_(x) T_OP1_(t_selu_, "t_selu_(" #x ")", x)
#define t_hardshrink(...) T_OP_KEYS_((t_hardshrink)(t__a, t__o.lambd), "t_hardshrink(" #__VA_ARGS__ ")", t_LambdArguments_, (.lambd = 0.5), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_threshold(x, threshold, value) T_BEGIN_("t_threshold(" #x ", " #threshold ", " #value ")") Tensor *t__a = (x); const double t__t = (threshold), t__v = (value); T_END_(Tensor *, (t_threshold)(t__a, t__t, t__v))
#define t_threshold_(x, threshold, value) T_BEGIN_("t_threshold_(" #x ", " #threshold ", " #value ")") Tensor *t__a = (x); const double t__t = (threshold), t__v = (value); T_END_(Tensor *, (t_threshold_)(t__a, t__t, t__v))
#define t_logical_not(x) T_OP1_(t_logical_not, "t_logical_not(" #x ")", x)
#define t_add(a, b) T_OP2_(t_add, "t_add(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_sub(a, b) T_OP2_(t_sub, "t_sub(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_mul(a, b) T_OP2_(t_mul, "t_mul(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_div(a, b) T_OP2_(t_div, "t_div(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_pow(a, b) T_OP2_(t_pow, "t_pow(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_remainder(a, b) T_OP2_(t_remainder, "t_remainder(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_maximum(a, b) T_OP2_(t_maximum, "t_maximum(" #a ", " #b ")", a, b)
#define t_minimum(a, b) T_OP2_(t_minimum, "t_minimum(" #a ", " #b ")", a, b)
#define t_eq(a, b) T_OP2_(t_eq, "t_eq(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_ne(a, b) T_OP2_(t_ne, "t_ne(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_lt(a, b) T_OP2_(t_lt, "t_lt(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_le(a, b) T_OP2_(t_le, "t_le(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_gt(a, b) T_OP2_(t_gt, "t_gt(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_ge(a, b) T_OP2_(t_ge, "t_ge(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_logical_and(a, b) T_OP2_(t_logical_and, "t_logical_and(" #a ", " #b ")", a, b)
#define t_logical_or(a, b) T_OP2_(t_logical_or, "t_logical_or(" #a ", " #b ")", a, b)
#define t_bitwise_and(a, b) T_OP2_(t_bitwise_and, "t_bitwise_and(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_bitwise_or(a, b) T_OP2_(t_bitwise_or, "t_bitwise_or(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_bitwise_not(x) T_OP1_(t_bitwise_not, "t_bitwise_not(" #x ")", x)
#define t_isnan(x) T_OP1_(t_isnan, "t_isnan(" #x ")", x)
#define t_isinf(x) T_OP1_(t_isinf, "t_isinf(" #x ")", x)
#define t_isfinite(x) T_OP1_(t_isfinite, "t_isfinite(" #x ")", x)
#define t_where(condition, a, b) T_OP3_(t_where, "t_where(" #condition ", " #a ", " #b ")", condition, T_OPERAND(a), T_OPERAND(b))
#define t_masked_fill(x, mask, value) T_OP3_(t_masked_fill, "t_masked_fill(" #x ", " #mask ", " #value ")", x, mask, T_OPERAND(value))
#define t_masked_fill_(x, mask, value) T_OP3_(t_masked_fill_, "t_masked_fill_(" #x ", " #mask ", " #value ")", x, mask, T_OPERAND(value))
#define t_clamp(x, min, max) T_OP3_(t_clamp, "t_clamp(" #x ", " #min ", " #max ")", x, T_OPERAND(min), T_OPERAND(max))
#define t_add_(x, y) T_OP2_(t_add_, "t_add_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_sub_(x, y) T_OP2_(t_sub_, "t_sub_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_mul_(x, y) T_OP2_(t_mul_, "t_mul_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_div_(x, y) T_OP2_(t_div_, "t_div_(" #x ", " #y ")", x, T_OPERAND(y))

#endif
