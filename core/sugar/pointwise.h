/* core/sugar/pointwise.h: the macros for elementwise functions (public; part of core/sugar/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_POINTWISE_H
#define TAPEGRAD_CORE_SUGAR_POINTWISE_H
#pragma GCC system_header

#include "core/sugar/sugar_macros.h"

/* ---- one tensor ---- */
#define t_neg(x) T_OP1_(t_neg, "t_neg(" #x ")", x)
#define t_positive(x) T_OP1_(t_positive, "t_positive(" #x ")", x)
#define t_abs(x) T_OP1_(t_abs, "t_abs(" #x ")", x)
#define t_sign(x) T_OP1_(t_sign, "t_sign(" #x ")", x)
#define t_sgn(x) T_OP1_(t_sgn, "t_sgn(" #x ")", x)
#define t_sqrt(x) T_OP1_(t_sqrt, "t_sqrt(" #x ")", x)
#define t_rsqrt(x) T_OP1_(t_rsqrt, "t_rsqrt(" #x ")", x)
#define t_square(x) T_OP1_(t_square, "t_square(" #x ")", x)
#define t_reciprocal(x) T_OP1_(t_reciprocal, "t_reciprocal(" #x ")", x)
#define t_exp(x) T_OP1_(t_exp, "t_exp(" #x ")", x)
#define t_exp2(x) T_OP1_(t_exp2, "t_exp2(" #x ")", x)
#define t_expm1(x) T_OP1_(t_expm1, "t_expm1(" #x ")", x)
#define t_log(x) T_OP1_(t_log, "t_log(" #x ")", x)
#define t_log2(x) T_OP1_(t_log2, "t_log2(" #x ")", x)
#define t_log10(x) T_OP1_(t_log10, "t_log10(" #x ")", x)
#define t_log1p(x) T_OP1_(t_log1p, "t_log1p(" #x ")", x)
#define t_sigmoid(x) T_OP1_(t_sigmoid, "t_sigmoid(" #x ")", x)
#define t_erf(x) T_OP1_(t_erf, "t_erf(" #x ")", x)
#define t_erfc(x) T_OP1_(t_erfc, "t_erfc(" #x ")", x)
#define t_erfinv(x) T_OP1_(t_erfinv, "t_erfinv(" #x ")", x)
#define t_sin(x) T_OP1_(t_sin, "t_sin(" #x ")", x)
#define t_cos(x) T_OP1_(t_cos, "t_cos(" #x ")", x)
#define t_tan(x) T_OP1_(t_tan, "t_tan(" #x ")", x)
#define t_asin(x) T_OP1_(t_asin, "t_asin(" #x ")", x)
#define t_acos(x) T_OP1_(t_acos, "t_acos(" #x ")", x)
#define t_atan(x) T_OP1_(t_atan, "t_atan(" #x ")", x)
#define t_sinh(x) T_OP1_(t_sinh, "t_sinh(" #x ")", x)
#define t_cosh(x) T_OP1_(t_cosh, "t_cosh(" #x ")", x)
#define t_tanh(x) T_OP1_(t_tanh, "t_tanh(" #x ")", x)
#define t_asinh(x) T_OP1_(t_asinh, "t_asinh(" #x ")", x)
#define t_acosh(x) T_OP1_(t_acosh, "t_acosh(" #x ")", x)
#define t_atanh(x) T_OP1_(t_atanh, "t_atanh(" #x ")", x)
#define t_sinc(x) T_OP1_(t_sinc, "t_sinc(" #x ")", x)
#define t_deg2rad(x) T_OP1_(t_deg2rad, "t_deg2rad(" #x ")", x)
#define t_rad2deg(x) T_OP1_(t_rad2deg, "t_rad2deg(" #x ")", x)
#define t_relu(x) T_OP1_(t_relu, "t_relu(" #x ")", x)
#define t_floor(x) T_OP1_(t_floor, "t_floor(" #x ")", x)
#define t_ceil(x) T_OP1_(t_ceil, "t_ceil(" #x ")", x)
#define t_trunc(x) T_OP1_(t_trunc, "t_trunc(" #x ")", x)
#define t_frac(x) T_OP1_(t_frac, "t_frac(" #x ")", x)
#define t_logical_not(x) T_NO_CONDITION_(T_OP1_(t_logical_not, "t_logical_not(" #x ")", x))
#define t_bitwise_not(x) T_OP1_(t_bitwise_not, "t_bitwise_not(" #x ")", x)
#define t_isnan(x) T_NO_CONDITION_(T_OP1_(t_isnan, "t_isnan(" #x ")", x))
#define t_isinf(x) T_NO_CONDITION_(T_OP1_(t_isinf, "t_isinf(" #x ")", x))
#define t_isposinf(x) T_NO_CONDITION_(T_OP1_(t_isposinf, "t_isposinf(" #x ")", x))
#define t_isneginf(x) T_NO_CONDITION_(T_OP1_(t_isneginf, "t_isneginf(" #x ")", x))
#define t_isfinite(x) T_NO_CONDITION_(T_OP1_(t_isfinite, "t_isfinite(" #x ")", x))
#define t_signbit(x) T_NO_CONDITION_(T_OP1_(t_signbit, "t_signbit(" #x ")", x))
/* t_round(x), t_round(x, .decimals = 2); t_logit(x, 1e-6); t_nan_to_num(x, 0.0, .posinf = 1e4) */
typedef struct t_RoundArguments_ { int64_t decimals; int first_; struct t_keyword_only_ *rest_; } t_RoundArguments_;
typedef struct t_LogitArguments_ { int first_; double eps; } t_LogitArguments_;
typedef struct t_NanToNumArguments_ { int first_; double nan, posinf, neginf; } t_NanToNumArguments_;
#define T_ROUND_(f, text, A, ...) \
    T_BEGIN_(text) T_TENSOR_(t__a, (A)) T_OPTIONS_(t_RoundArguments_, t__o, .decimals = 0, .first_ = 0, __VA_ARGS__) \
    T_END_(Tensor *, (f)(t__a, t__o.decimals))
#define T_LOGIT_(f, text, A, ...) \
    T_BEGIN_(text) T_TENSOR_(t__a, (A)) T_OPTIONS_(t_LogitArguments_, t__o, .eps = -1, .first_ = 0, __VA_ARGS__) \
    T_END_(Tensor *, (f)(t__a, t__o.eps))
#define T_NAN_TO_NUM_(f, text, A, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) \
    T_OPTIONS_(t_NanToNumArguments_, t__o, .posinf = __builtin_nan(""), .neginf = __builtin_nan(""), .first_ = 0, \
        __VA_ARGS__) \
    T_END_(Tensor *, (f)(t__a, t__o.nan, t__o.posinf, t__o.neginf))
#define t_round(...) T_ROUND_(t_round, "t_round(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_round_(...) T_ROUND_(t_round_, "t_round_(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_logit(...) T_LOGIT_(t_logit, "t_logit(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_logit_(...) T_LOGIT_(t_logit_, "t_logit_(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_nan_to_num(...) T_NAN_TO_NUM_(t_nan_to_num, "t_nan_to_num(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define t_nan_to_num_(...) T_NAN_TO_NUM_(t_nan_to_num_, "t_nan_to_num_(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))

/* mantissa = t_frexp(x, .exponent = &exponent) */
typedef struct t_FrexpArguments_ { int first_; Tensor **exponent; } t_FrexpArguments_;
#define t_frexp(...) T_OP_KEYS_((t_frexp)(t__a, t__o.exponent), "t_frexp(" #__VA_ARGS__ ")", t_FrexpArguments_, \
    (.exponent = 0), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

/* ---- activations that torch has besides torch.nn.functional ---- */
#define t_prelu(x, weight) T_OP2_(t_prelu, "t_prelu(" #x ", " #weight ")", x, weight)
/* t_celu(x), t_celu(x, 1.5), t_celu(x, .alpha = 1.5) */
typedef struct t_CeluArguments_ { int first_; double alpha; bool inplace; } t_CeluArguments_;
typedef struct t_LambdArguments_ { int first_; double lambd; } t_LambdArguments_;
#define t_celu(...) T_OP_KEYS_((t_celu)(t__a, t__o.alpha), "t_celu(" #__VA_ARGS__ ")", t_CeluArguments_, (.alpha = 1), \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_celu_(...) T_OP_KEYS_((t_celu_)(t__a, t__o.alpha), "t_celu_(" #__VA_ARGS__ ")", t_CeluArguments_, \
    (.alpha = 1), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_selu(x) T_OP1_(t_selu, "t_selu(" #x ")", x)
#define t_selu_(x) T_OP1_(t_selu_, "t_selu_(" #x ")", x)
#define t_hardshrink(...) T_OP_KEYS_((t_hardshrink)(t__a, t__o.lambd), "t_hardshrink(" #__VA_ARGS__ ")", \
    t_LambdArguments_, (.lambd = 0.5), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
typedef struct t_ThresholdArguments_ { int first_; double threshold, value; } t_ThresholdArguments_;
#define t_threshold(...) T_OP_ARGUMENTS_((input, threshold, value), (t_threshold)(t__a, t__o.threshold, t__o.value), \
    "t_threshold(" #__VA_ARGS__ ")", t_ThresholdArguments_, (.value = 0), __VA_ARGS__)
#define t_threshold_(...) T_OP_ARGUMENTS_((input, threshold, value), (t_threshold_)(t__a, t__o.threshold, t__o.value), \
    "t_threshold_(" #__VA_ARGS__ ")", t_ThresholdArguments_, (.value = 0), __VA_ARGS__)

/* ---- two tensors ---- */
/* t_add(a, b) is a + b; t_add(a, b, c), with up to nine operands, is a + b + c from left to right, with one record for
 * each +. t_mul works in the same way. A keyword is possible with two operands, t_add(a, b, .alpha = 2). The last of
 * three arguments is a tensor or a keyword and cannot be a number, because C would not distinguish them; write t_add(a,
 * 1, b). */
#define T_CHAINED_(two, three, ...) T_TENTH_(__VA_ARGS__, T_CHAIN_9_, T_CHAIN_8_, T_CHAIN_7_, T_CHAIN_6_, T_CHAIN_5_, \
    T_CHAIN_4_, three, two, T_CHAIN_1_, 0)
/* Compiler error: a second operand is missing. */
#define T_CHAIN_1_(f, chain, text, A) T_BEGIN_(text) T_AT_LEAST_((input, other), text, A) \
    T_END_(Tensor *, (f)(T_OPERAND(A), NULL))
#define T_CHAIN_2_(f, chain, text, A, B) \
    T_BEGIN_(text) Tensor *t__a = T_OPERAND(A); Tensor *t__b = T_OPERAND(B); T_END_(Tensor *, (f)(t__a, t__b))
#define T_CHAIN_OF_(f, text, ...) \
    T_BEGIN_(text) Tensor *const t__x[] = {__VA_ARGS__}; T_END_(Tensor *, f(t__x, (int)(sizeof t__x / sizeof *t__x)))
#define T_OPERANDS_3_(a, b, c) T_OPERAND(a), T_OPERAND(b), T_OPERAND(c)
#define T_OPERANDS_4_(a, ...) T_OPERAND(a), T_OPERANDS_3_(__VA_ARGS__)
#define T_OPERANDS_5_(a, ...) T_OPERAND(a), T_OPERANDS_4_(__VA_ARGS__)
#define T_OPERANDS_6_(a, ...) T_OPERAND(a), T_OPERANDS_5_(__VA_ARGS__)
#define T_OPERANDS_7_(a, ...) T_OPERAND(a), T_OPERANDS_6_(__VA_ARGS__)
#define T_OPERANDS_8_(a, ...) T_OPERAND(a), T_OPERANDS_7_(__VA_ARGS__)
#define T_OPERANDS_9_(a, ...) T_OPERAND(a), T_OPERANDS_8_(__VA_ARGS__)
#define T_CHAIN_3_(f, chain, text, ...) T_CHAIN_OF_(chain, text, T_OPERANDS_3_(__VA_ARGS__))
#define T_CHAIN_4_(f, chain, text, ...) T_CHAIN_OF_(chain, text, T_OPERANDS_4_(__VA_ARGS__))
#define T_CHAIN_5_(f, chain, text, ...) T_CHAIN_OF_(chain, text, T_OPERANDS_5_(__VA_ARGS__))
#define T_CHAIN_6_(f, chain, text, ...) T_CHAIN_OF_(chain, text, T_OPERANDS_6_(__VA_ARGS__))
#define T_CHAIN_7_(f, chain, text, ...) T_CHAIN_OF_(chain, text, T_OPERANDS_7_(__VA_ARGS__))
#define T_CHAIN_8_(f, chain, text, ...) T_CHAIN_OF_(chain, text, T_OPERANDS_8_(__VA_ARGS__))
#define T_CHAIN_9_(f, chain, text, ...) T_CHAIN_OF_(chain, text, T_OPERANDS_9_(__VA_ARGS__))
typedef struct t_AddArguments_ {
    double alpha;
    int first_;
    Tensor *third;
    struct t_keyword_only_ *rest_;
} t_AddArguments_;
#define T_ADD_3_(f, chain, text, A, B, ...) T_BEGIN_(text) Tensor *t__a = T_OPERAND(A); Tensor *t__b = T_OPERAND(B); \
    T_OPTIONS_(t_AddArguments_, t__o, .alpha = 1, .third = T_NO_MORE_, .first_ = 0, __VA_ARGS__) \
    T_END_(Tensor *, t__o.third == T_NO_MORE_ ? (t_add_alpha)(t__a, t__b, t__o.alpha) \
        : chain((Tensor *[]){t__a, t__b, t__o.third}, 3))
#define t_add(...) T_CHAINED_(T_CHAIN_2_, T_ADD_3_, __VA_ARGS__)(t_add, t_add_of_, \
    "t_add(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_mul(...) T_CHAINED_(T_CHAIN_2_, T_CHAIN_3_, __VA_ARGS__)(t_mul, t_mul_of_, \
    "t_mul(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_pow(a, b) T_OP2_(t_pow, "t_pow(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_remainder(a, b) T_OP2_(t_remainder, "t_remainder(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_fmod(a, b) T_OP2_(t_fmod, "t_fmod(" #a ", " #b ")", a, T_OPERAND(b))
#define t_floor_divide(a, b) T_OP2_(t_floor_divide, "t_floor_divide(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_atan2(a, b) T_OP2_(t_atan2, "t_atan2(" #a ", " #b ")", a, b)
#define t_hypot(a, b) T_OP2_(t_hypot, "t_hypot(" #a ", " #b ")", a, b)
#define t_logaddexp(a, b) T_OP2_(t_logaddexp, "t_logaddexp(" #a ", " #b ")", a, b)
#define t_logaddexp2(a, b) T_OP2_(t_logaddexp2, "t_logaddexp2(" #a ", " #b ")", a, b)
#define t_float_power(a, b) T_OP2_(t_float_power, "t_float_power(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_xlogy(a, b) T_OP2_(t_xlogy, "t_xlogy(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_copysign(a, b) T_OP2_(t_copysign, "t_copysign(" #a ", " #b ")", a, T_OPERAND(b))
#define t_gcd(a, b) T_OP2_(t_gcd, "t_gcd(" #a ", " #b ")", a, b)
#define t_lcm(a, b) T_OP2_(t_lcm, "t_lcm(" #a ", " #b ")", a, b)
#define t_ldexp(a, b) T_OP2_(t_ldexp, "t_ldexp(" #a ", " #b ")", a, b)
#define t_nextafter(a, b) T_OP2_(t_nextafter, "t_nextafter(" #a ", " #b ")", a, b)
#define t_heaviside(a, b) T_OP2_(t_heaviside, "t_heaviside(" #a ", " #b ")", a, b)
#define t_maximum(a, b) T_OP2_(t_maximum, "t_maximum(" #a ", " #b ")", a, b)
#define t_minimum(a, b) T_OP2_(t_minimum, "t_minimum(" #a ", " #b ")", a, b)
#define t_fmax(a, b) T_OP2_(t_fmax, "t_fmax(" #a ", " #b ")", a, b)
#define t_fmin(a, b) T_OP2_(t_fmin, "t_fmin(" #a ", " #b ")", a, b)
#define t_eq(a, b) T_NO_CONDITION_(T_OP2_(t_eq, "t_eq(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b)))
#define t_ne(a, b) T_NO_CONDITION_(T_OP2_(t_ne, "t_ne(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b)))
#define t_lt(a, b) T_NO_CONDITION_(T_OP2_(t_lt, "t_lt(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b)))
#define t_le(a, b) T_NO_CONDITION_(T_OP2_(t_le, "t_le(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b)))
#define t_gt(a, b) T_NO_CONDITION_(T_OP2_(t_gt, "t_gt(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b)))
#define t_ge(a, b) T_NO_CONDITION_(T_OP2_(t_ge, "t_ge(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b)))
#define t_logical_and(a, b) T_NO_CONDITION_(T_OP2_(t_logical_and, "t_logical_and(" #a ", " #b ")", a, b))
#define t_logical_or(a, b) T_NO_CONDITION_(T_OP2_(t_logical_or, "t_logical_or(" #a ", " #b ")", a, b))
#define t_logical_xor(a, b) T_NO_CONDITION_(T_OP2_(t_logical_xor, "t_logical_xor(" #a ", " #b ")", a, b))
#define t_bitwise_and(a, b) T_OP2_(t_bitwise_and, "t_bitwise_and(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_bitwise_or(a, b) T_OP2_(t_bitwise_or, "t_bitwise_or(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_bitwise_xor(a, b) T_OP2_(t_bitwise_xor, "t_bitwise_xor(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_bitwise_left_shift(a, b) T_OP2_(t_bitwise_left_shift, "t_bitwise_left_shift(" #a ", " #b ")", T_OPERAND(a), \
    T_OPERAND(b))
#define t_bitwise_right_shift(a, b) T_OP2_(t_bitwise_right_shift, "t_bitwise_right_shift(" #a ", " #b ")", \
    T_OPERAND(a), T_OPERAND(b))
/* t_sub(a, b), t_sub(a, b, .alpha = 2); t_div(a, b, .rounding_mode = "floor"): keyword-only arguments. */
typedef struct t_AlphaArguments_ { double alpha; int first_; struct t_keyword_only_ *rest_; } t_AlphaArguments_;
typedef struct t_RoundingArguments_ {
    const char *rounding_mode;
    int first_;
    struct t_keyword_only_ *rest_;
} t_RoundingArguments_;
#define T_ALPHA_(f, text, check, first, A, ...) \
    T_BEGIN_(text) check T_TENSOR_(t__a, first(A)) Tensor *t__b = T_OPERAND(T_HEAD_(__VA_ARGS__)); \
    T_OPTIONS_(t_AlphaArguments_, t__o, .alpha = 1, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (f)(t__a, t__b, t__o.alpha))
#define T_ROUNDING_(f, text, check, first, A, ...) \
    T_BEGIN_(text) check T_TENSOR_(t__a, first(A)) Tensor *t__b = T_OPERAND(T_HEAD_(__VA_ARGS__)); \
    T_OPTIONS_(t_RoundingArguments_, t__o, .rounding_mode = 0, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (f)(t__a, t__b, t__o.rounding_mode))
/* The check comes expanded, since only here the number of all arguments is known. */
#define T_TWO_OPERANDS_(form, f, text, first, ...) \
    form(f, text, T_AT_LEAST_((input, other), text, __VA_ARGS__), first, T_HEAD_(__VA_ARGS__), T_REST_(__VA_ARGS__))
#define T_ALPHA_OF_(...) T_ALPHA_(__VA_ARGS__)
#define T_ROUNDING_OF_(...) T_ROUNDING_(__VA_ARGS__)
#define t_add_(...) T_TWO_OPERANDS_(T_ALPHA_OF_, t_add_alpha_, "t_add_(" #__VA_ARGS__ ")", , __VA_ARGS__)
#define t_sub(...) T_TWO_OPERANDS_(T_ALPHA_OF_, t_sub_alpha, "t_sub(" #__VA_ARGS__ ")", T_OPERAND, __VA_ARGS__)
#define t_sub_(...) T_TWO_OPERANDS_(T_ALPHA_OF_, t_sub_alpha_, "t_sub_(" #__VA_ARGS__ ")", , __VA_ARGS__)
#define t_div(...) T_TWO_OPERANDS_(T_ROUNDING_OF_, t_div_mode, "t_div(" #__VA_ARGS__ ")", T_OPERAND, __VA_ARGS__)
#define t_div_(...) T_TWO_OPERANDS_(T_ROUNDING_OF_, t_div_mode_, "t_div_(" #__VA_ARGS__ ")", , __VA_ARGS__)
typedef struct t_IscloseArguments_ { int first_; double rtol, atol; bool equal_nan; } t_IscloseArguments_;
#define T_CLOSENESS_(type, f, text, A, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) T_TENSOR_(t__b, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(t_IscloseArguments_, t__o, .rtol = 1e-5, .atol = 1e-8, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(type, (f)(t__a, t__b, t__o.rtol, t__o.atol, t__o.equal_nan))
#define t_isclose(a, ...) T_NO_CONDITION_(T_CLOSENESS_(Tensor *, t_isclose, "t_isclose(" #a ", " #__VA_ARGS__ ")", a, \
    __VA_ARGS__))

/* ---- three tensors ---- */
#define t_where(condition, a, b) T_OP3_(t_where, "t_where(" #condition ", " #a ", " #b ")", condition, T_OPERAND(a), \
    T_OPERAND(b))
#define t_lgamma(x) T_OP1_(t_lgamma, "t_lgamma(" #x ")", x)
#define t_digamma(x) T_OP1_(t_digamma, "t_digamma(" #x ")", x)
#define t_lgamma_(x) T_OP1_(t_lgamma_, "t_lgamma_(" #x ")", x)
#define t_digamma_(x) T_OP1_(t_digamma_, "t_digamma_(" #x ")", x)
#define T_ORDER_FIRST_(f, text, n, x) T_BEGIN_(text) const int64_t t__n = (n); T_TENSOR_(t__a, (x)) \
    T_END_(Tensor *, (f)(t__n, t__a))
#define T_ORDER_SECOND_(f, text, x, n) T_BEGIN_(text) T_TENSOR_(t__a, (x)) const int64_t t__n = (n); \
    T_END_(Tensor *, (f)(t__a, t__n))
#define t_polygamma(n, x) T_ORDER_FIRST_(t_polygamma, "t_polygamma(" #n ", " #x ")", n, x)
#define t_polygamma_(x, n) T_ORDER_SECOND_(t_polygamma_, "t_polygamma_(" #x ", " #n ")", x, n)
#define t_mvlgamma(x, p) T_ORDER_SECOND_(t_mvlgamma, "t_mvlgamma(" #x ", " #p ")", x, p)
#define t_mvlgamma_(x, p) T_ORDER_SECOND_(t_mvlgamma_, "t_mvlgamma_(" #x ", " #p ")", x, p)
#define t_igamma(x, other) T_OP2_(t_igamma, "t_igamma(" #x ", " #other ")", x, other)
#define t_igammac(x, other) T_OP2_(t_igammac, "t_igammac(" #x ", " #other ")", x, other)
#define t_igamma_(x, other) T_OP2_(t_igamma_, "t_igamma_(" #x ", " #other ")", x, other)
#define t_igammac_(x, other) T_OP2_(t_igammac_, "t_igammac_(" #x ", " #other ")", x, other)
#define t_masked_fill(x, mask, value) T_OP3_(t_masked_fill, "t_masked_fill(" #x ", " #mask ", " #value ")", x, mask, \
    T_OPERAND(value))
#define t_clamp_min(x, min) T_OP2_(t_clamp_min, "t_clamp_min(" #x ", " #min ")", x, T_OPERAND(min))
#define t_clamp_max(x, max) T_OP2_(t_clamp_max, "t_clamp_max(" #x ", " #max ")", x, T_OPERAND(max))
#define t_lerp(start, end, weight) T_OP3_(t_lerp, "t_lerp(" #start ", " #end ", " #weight ")", start, end, \
    T_OPERAND(weight))
/* t_addcmul(x, a, b), t_addcmul(x, a, b, .value = 0.5) */
typedef struct t_ValueArguments_ { double value; int first_; struct t_keyword_only_ *rest_; } t_ValueArguments_;
#define T_ADDC_(f, text, A, B, ...) \
    T_BEGIN_(text) T_TENSOR_(t__a, (A)) T_TENSOR_(t__b, (B)) T_TENSOR_(t__c, (T_HEAD_(__VA_ARGS__))) \
    T_OPTIONS_(t_ValueArguments_, t__o, .value = 1, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (f)(t__a, t__b, t__c, t__o.value))
#define t_addcmul(x, a, ...) T_ADDC_(t_addcmul, "t_addcmul(" #x ", " #a ", " #__VA_ARGS__ ")", x, a, __VA_ARGS__)
#define t_addcdiv(x, a, ...) T_ADDC_(t_addcdiv, "t_addcdiv(" #x ", " #a ", " #__VA_ARGS__ ")", x, a, __VA_ARGS__)
#define t_addcmul_(x, a, ...) T_ADDC_(t_addcmul_, "t_addcmul_(" #x ", " #a ", " #__VA_ARGS__ ")", x, a, __VA_ARGS__)
#define t_addcdiv_(x, a, ...) T_ADDC_(t_addcdiv_, "t_addcdiv_(" #x ", " #a ", " #__VA_ARGS__ ")", x, a, __VA_ARGS__)
/* t_clamp(x, min, max) with numbers, tensors or NULL; with one bound, a number: t_clamp(x, .min = 0), t_clamp(x, .max =
 * 1). In that form a bound with an integer value is an integer if x has an integer dtype. */
typedef struct t_ClampArguments_ { int first_; double min, max; } t_ClampArguments_;
static inline Tensor *t_bound_(const Tensor *x, double bound, double none) {
    if (!x || bound == none) return 0;
    return !(t_is_floating_point)(x) && bound == (double)(int64_t)bound
        ? (t_integer)((int64_t)bound) : (t_number)(bound);
}
#define T_CLAMP1_(f, text, A, B) T_BEGIN_(text) T_TENSOR_(t__a, (A)) \
    T_OPTIONS_(t_ClampArguments_, t__o, .min = -__DBL_MAX__, .max = __DBL_MAX__, .first_ = 0, B) \
    T_END_(Tensor *, (f)(t__a, t_bound_(t__a, t__o.min, -__DBL_MAX__), t_bound_(t__a, t__o.max, __DBL_MAX__)))
#define T_CLAMP2_(f, text, A, B, C) T_OP3_(f, text, A, T_OPTIONAL_OPERAND_(B), T_OPTIONAL_OPERAND_(C))
#define T_CLAMP0_(f, text, A) (f)(A) /* a compiler error: too few arguments */
#define T_CLAMP_FORM_(a, b, c, form, ...) form
#define t_clamp(...) T_CLAMP_FORM_(__VA_ARGS__, T_CLAMP2_, T_CLAMP1_, T_CLAMP0_)(t_clamp, "t_clamp(" #__VA_ARGS__ ")", \
    __VA_ARGS__)
#define t_clamp_(...) T_CLAMP_FORM_(__VA_ARGS__, T_CLAMP2_, T_CLAMP1_, T_CLAMP0_)(t_clamp_, \
    "t_clamp_(" #__VA_ARGS__ ")", __VA_ARGS__)

/* t_apply_(x, twice), t_apply_(x, power, &exponent), t_map_(x, other, f), t_map2_(x, other1, other2, f) */
#define T_ELEMENT_FUNCTION_(...) t_ElementFunction *t__f = T_HEAD_(__VA_ARGS__); \
    void *t__c = T_HEAD_(T_TAIL_(__VA_ARGS__) 0);
#define t_apply_(x, ...) T_BEGIN_("t_apply_(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) \
    T_ELEMENT_FUNCTION_(__VA_ARGS__) T_END_(Tensor *, (t_apply_)(t__a, t__f, t__c))
#define t_map_(x, other, ...) T_BEGIN_("t_map_(" #x ", " #other ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) \
    T_TENSOR_(t__b, (other)) T_ELEMENT_FUNCTION_(__VA_ARGS__) T_END_(Tensor *, (t_map_)(t__a, t__b, t__f, t__c))
#define t_map2_(x, other1, other2, ...) T_BEGIN_("t_map2_(" #x ", " #other1 ", " #other2 ", " #__VA_ARGS__ ")") \
    T_TENSOR_(t__a, (x)) T_TENSOR_(t__b, (other1)) T_TENSOR_(t__d, (other2)) T_ELEMENT_FUNCTION_(__VA_ARGS__) \
    T_END_(Tensor *, (t_map2_)(t__a, t__b, t__d, t__f, t__c))

/* ---- in place ---- */
#define t_neg_(x) T_OP1_(t_neg_, "t_neg_(" #x ")", x)
#define t_abs_(x) T_OP1_(t_abs_, "t_abs_(" #x ")", x)
#define t_sign_(x) T_OP1_(t_sign_, "t_sign_(" #x ")", x)
#define t_sgn_(x) T_OP1_(t_sgn_, "t_sgn_(" #x ")", x)
#define t_sqrt_(x) T_OP1_(t_sqrt_, "t_sqrt_(" #x ")", x)
#define t_rsqrt_(x) T_OP1_(t_rsqrt_, "t_rsqrt_(" #x ")", x)
#define t_square_(x) T_OP1_(t_square_, "t_square_(" #x ")", x)
#define t_reciprocal_(x) T_OP1_(t_reciprocal_, "t_reciprocal_(" #x ")", x)
#define t_exp_(x) T_OP1_(t_exp_, "t_exp_(" #x ")", x)
#define t_exp2_(x) T_OP1_(t_exp2_, "t_exp2_(" #x ")", x)
#define t_expm1_(x) T_OP1_(t_expm1_, "t_expm1_(" #x ")", x)
#define t_log_(x) T_OP1_(t_log_, "t_log_(" #x ")", x)
#define t_log2_(x) T_OP1_(t_log2_, "t_log2_(" #x ")", x)
#define t_log10_(x) T_OP1_(t_log10_, "t_log10_(" #x ")", x)
#define t_log1p_(x) T_OP1_(t_log1p_, "t_log1p_(" #x ")", x)
#define t_sigmoid_(x) T_OP1_(t_sigmoid_, "t_sigmoid_(" #x ")", x)
#define t_erf_(x) T_OP1_(t_erf_, "t_erf_(" #x ")", x)
#define t_erfc_(x) T_OP1_(t_erfc_, "t_erfc_(" #x ")", x)
#define t_erfinv_(x) T_OP1_(t_erfinv_, "t_erfinv_(" #x ")", x)
#define t_sin_(x) T_OP1_(t_sin_, "t_sin_(" #x ")", x)
#define t_cos_(x) T_OP1_(t_cos_, "t_cos_(" #x ")", x)
#define t_tan_(x) T_OP1_(t_tan_, "t_tan_(" #x ")", x)
#define t_asin_(x) T_OP1_(t_asin_, "t_asin_(" #x ")", x)
#define t_acos_(x) T_OP1_(t_acos_, "t_acos_(" #x ")", x)
#define t_atan_(x) T_OP1_(t_atan_, "t_atan_(" #x ")", x)
#define t_sinh_(x) T_OP1_(t_sinh_, "t_sinh_(" #x ")", x)
#define t_cosh_(x) T_OP1_(t_cosh_, "t_cosh_(" #x ")", x)
#define t_tanh_(x) T_OP1_(t_tanh_, "t_tanh_(" #x ")", x)
#define t_asinh_(x) T_OP1_(t_asinh_, "t_asinh_(" #x ")", x)
#define t_acosh_(x) T_OP1_(t_acosh_, "t_acosh_(" #x ")", x)
#define t_atanh_(x) T_OP1_(t_atanh_, "t_atanh_(" #x ")", x)
#define t_sinc_(x) T_OP1_(t_sinc_, "t_sinc_(" #x ")", x)
#define t_deg2rad_(x) T_OP1_(t_deg2rad_, "t_deg2rad_(" #x ")", x)
#define t_rad2deg_(x) T_OP1_(t_rad2deg_, "t_rad2deg_(" #x ")", x)
#define t_relu_(x) T_OP1_(t_relu_, "t_relu_(" #x ")", x)
#define t_floor_(x) T_OP1_(t_floor_, "t_floor_(" #x ")", x)
#define t_ceil_(x) T_OP1_(t_ceil_, "t_ceil_(" #x ")", x)
#define t_trunc_(x) T_OP1_(t_trunc_, "t_trunc_(" #x ")", x)
#define t_frac_(x) T_OP1_(t_frac_, "t_frac_(" #x ")", x)
#define t_logical_not_(x) T_OP1_(t_logical_not_, "t_logical_not_(" #x ")", x)
#define t_bitwise_not_(x) T_OP1_(t_bitwise_not_, "t_bitwise_not_(" #x ")", x)
#define t_mul_(x, y) T_OP2_(t_mul_, "t_mul_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_pow_(x, y) T_OP2_(t_pow_, "t_pow_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_float_power_(x, y) T_OP2_(t_float_power_, "t_float_power_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_remainder_(x, y) T_OP2_(t_remainder_, "t_remainder_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_fmod_(x, y) T_OP2_(t_fmod_, "t_fmod_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_floor_divide_(x, y) T_OP2_(t_floor_divide_, "t_floor_divide_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_atan2_(x, y) T_OP2_(t_atan2_, "t_atan2_(" #x ", " #y ")", x, y)
#define t_hypot_(x, y) T_OP2_(t_hypot_, "t_hypot_(" #x ", " #y ")", x, y)
#define t_xlogy_(x, y) T_OP2_(t_xlogy_, "t_xlogy_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_gcd_(x, y) T_OP2_(t_gcd_, "t_gcd_(" #x ", " #y ")", x, y)
#define t_lcm_(x, y) T_OP2_(t_lcm_, "t_lcm_(" #x ", " #y ")", x, y)
#define t_ldexp_(x, y) T_OP2_(t_ldexp_, "t_ldexp_(" #x ", " #y ")", x, y)
#define t_nextafter_(x, y) T_OP2_(t_nextafter_, "t_nextafter_(" #x ", " #y ")", x, y)
#define t_heaviside_(x, y) T_OP2_(t_heaviside_, "t_heaviside_(" #x ", " #y ")", x, y)
#define t_copysign_(x, y) T_OP2_(t_copysign_, "t_copysign_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_eq_(x, y) T_OP2_(t_eq_, "t_eq_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_ne_(x, y) T_OP2_(t_ne_, "t_ne_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_lt_(x, y) T_OP2_(t_lt_, "t_lt_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_le_(x, y) T_OP2_(t_le_, "t_le_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_gt_(x, y) T_OP2_(t_gt_, "t_gt_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_ge_(x, y) T_OP2_(t_ge_, "t_ge_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_logical_and_(x, y) T_OP2_(t_logical_and_, "t_logical_and_(" #x ", " #y ")", x, y)
#define t_logical_or_(x, y) T_OP2_(t_logical_or_, "t_logical_or_(" #x ", " #y ")", x, y)
#define t_logical_xor_(x, y) T_OP2_(t_logical_xor_, "t_logical_xor_(" #x ", " #y ")", x, y)
#define t_bitwise_and_(x, y) T_OP2_(t_bitwise_and_, "t_bitwise_and_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_bitwise_or_(x, y) T_OP2_(t_bitwise_or_, "t_bitwise_or_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_bitwise_xor_(x, y) T_OP2_(t_bitwise_xor_, "t_bitwise_xor_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_bitwise_left_shift_(x, y) T_OP2_(t_bitwise_left_shift_, "t_bitwise_left_shift_(" #x ", " #y ")", x, \
    T_OPERAND(y))
#define t_bitwise_right_shift_(x, y) T_OP2_(t_bitwise_right_shift_, "t_bitwise_right_shift_(" #x ", " #y ")", x, \
    T_OPERAND(y))
#define t_masked_fill_(x, mask, value) T_OP3_(t_masked_fill_, "t_masked_fill_(" #x ", " #mask ", " #value ")", x, \
    mask, T_OPERAND(value))
#define t_clamp_min_(x, min) T_OP2_(t_clamp_min_, "t_clamp_min_(" #x ", " #min ")", x, T_OPERAND(min))
#define t_clamp_max_(x, max) T_OP2_(t_clamp_max_, "t_clamp_max_(" #x ", " #max ")", x, T_OPERAND(max))
#define t_lerp_(x, end, weight) T_OP3_(t_lerp_, "t_lerp_(" #x ", " #end ", " #weight ")", x, end, T_OPERAND(weight))

#endif
