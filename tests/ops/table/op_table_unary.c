/* tests/ops/table/op_table_unary.c: ops of one tensor, element by element (core/ops/pointwise/unary.c, copy.c,
 * comparison.c, bitwise.c). */
#include "tests/ops/table/op_table.h"

CALL1(neg)
CALL1(abs)
CALL1(sign)
CALL1(exp)
CALL1(log)
CALL1(sqrt)
CALL1(rsqrt)
CALL1(square)
CALL1(reciprocal)
CALL1(sin)
CALL1(cos)
CALL1(tanh)
CALL1(sigmoid)
CALL1(erf)
CALL1(relu)
CALL1(logical_not)
CALL1(bitwise_not)
CALL1(isnan)
CALL1(isinf)
CALL1(isposinf)
CALL1(isneginf)
CALL1(isfinite)
CALL1(float)
CALL1(double)
CALL1(long)
CALL1(half)
CALL1(int)
CALL1(short)
CALL1(char)
CALL1(byte)
CALL1(clone)
CALL1(contiguous)
CALL1(detach)

static t_TensorList *call_to(const Call *c) {
    return list_of(t_to(c->x[0], (t_DType)c->n[0]));
}

/* Everywhere smooth: any real input. */
static const OpCase smooth_cases[] = {
    {"r()"}, {"r(7)"}, {"r(3,5)"}, {"r(2,3,4)"}, {"r(2,1,3,4)"}, {"r(2,1,2,3,2)"}, {"r(0)"}, {"r(2,0,3)"}, {"i(6)"},
    {"x(12)"}, {"R(3)"}, {"b(4)"}, {NULL},
};
static const OpCase no_bool_cases[] = {
    {"r()"}, {"r(7)"}, {"r(3,5)"}, {"r(2,3,4)"}, {"r(2,1,3,4)"}, {"r(2,1,2,3,2)"}, {"r(0)"}, {"r(2,0,3)"}, {"i(6)"},
    {"x(12)"}, {NULL},
};

/* With a kink at 0, or a pole. */
static const OpCase separated_cases[] = {
    {"s()"}, {"s(7)"}, {"s(3,5)"}, {"s(2,3,4)"}, {"s(2,1,3,4)"}, {"s(2,1,2,3,2)"}, {"s(0)"}, {"s(2,0,3)"}, {"i(6)"},
    {"x(12)"}, {"t(9)"}, {NULL},
};
static const OpCase sign_cases[] = {
    {"s()"}, {"s(7)"}, {"s(3,5)"}, {"s(2,1,2,3,2)"}, {"s(0)"}, {"i(6)"}, {"b(4)"}, {"x(12)"}, {"t(9)"}, {"s(2,3,2)"},
    {"s(2,1,3,2)"}, {NULL},
};

/* For positive numbers only. */
static const OpCase positive_cases[] = {
    {"p()"}, {"p(7)"}, {"p(3,5)"}, {"p(2,3,4)"}, {"p(2,1,3,4)"}, {"p(2,1,2,3,2)"}, {"p(0)"}, {"p(2,0,3)"}, {"k9(6)"},
    {"b(4)"}, {"x(12)"}, {NULL},
};

static const OpCase bit_cases[] = {
    {"b()"}, {"b(5)"}, {"b(2,3)"}, {"i()"}, {"i(7)"}, {"i(2,1,3,2)"}, {"i(2,1,2,3,2)"}, {"b(0)"}, {"i(2,0)"},
    {"i(2,3,2)"}, {NULL},
};

static const OpCase dtype_cases[] = {
    {"r()", {t_int64}}, {"r(5)", {t_float32}}, {"r(5)", {t_float64}}, {"x(12)", {t_bool}}, {"r(2,3)", {t_bool}},
    {"i(4)", {t_bool}}, {"i(4)", {t_float64}}, {"b(4)", {t_int64}}, {"b(2,3)", {t_float32}}, {"r(0)", {t_int64}},
    {"r(2,1,3)", {t_float32}}, {"r(2,1,2,3,2)", {t_float64}}, {"r(2,1,3,2)", {t_float64}}, {NULL},
};

static const OpCase conversion_cases[] = {
    {"r()"}, {"r(5)"}, {"r(2,3)"}, {"i(4)"}, {"b(4)"}, {"r(2,0)"}, {"r(2,1,2,3,2)"}, {"r(2,3,2)"}, {"r(2,1,3,2)"},
    {NULL},
};

static const OpError none[] = {{NULL}};
static const OpError neg_errors[] = {
    {"b(2)", {0}, "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
                  "mask, use the `~` or `logical_not()` operator instead."},
    {NULL},
};
static const OpError abs_errors[] = {{"b(2)", {0}, "\"abs_cpu\" not implemented for 'Bool'"}, {NULL}};
static const OpError relu_errors[] = {{"b(2)", {0}, "Boolean inputs not supported for relu"}, {NULL}};
static const OpError bitwise_not_errors[] = {
    {"r(2)", {0}, "\"bitwise_not_cpu\" not implemented for 'Float'"}, {NULL}};
static const OpError to_errors[] = {{"r(2)", {0}, "0 is not a dtype"}, {"r(2)", {19}, "19 is not a dtype"}, {NULL}};

static const OpRow rows[] = {
    {"t_neg", call_neg, no_bool_cases, neg_errors},
    {"t_abs", call_abs, separated_cases, abs_errors},
    {"t_sign", call_sign, sign_cases, none},
    {"t_exp", call_exp, smooth_cases, none},
    {"t_log", call_log, positive_cases, none},
    {"t_sqrt", call_sqrt, positive_cases, none},
    {"t_rsqrt", call_rsqrt, positive_cases, none},
    {"t_square", call_square, smooth_cases, none},
    {"t_reciprocal", call_reciprocal, positive_cases, none},
    {"t_sin", call_sin, smooth_cases, none},
    {"t_cos", call_cos, smooth_cases, none},
    {"t_tanh", call_tanh, smooth_cases, none},
    {"t_sigmoid", call_sigmoid, smooth_cases, none},
    {"t_erf", call_erf, smooth_cases, none},
    {"t_relu", call_relu, separated_cases, relu_errors},
    {"t_logical_not", call_logical_not, smooth_cases, none, NO_GRADIENT},
    {"t_bitwise_not", call_bitwise_not, bit_cases, bitwise_not_errors, NO_GRADIENT},
    {"t_isnan", call_isnan, smooth_cases, none, NO_GRADIENT},
    {"t_isinf", call_isinf, smooth_cases, none, NO_GRADIENT},
    {"t_isposinf", call_isposinf, smooth_cases, none, NO_GRADIENT},
    {"t_isneginf", call_isneginf, smooth_cases, none, NO_GRADIENT},
    {"t_isfinite", call_isfinite, smooth_cases, none, NO_GRADIENT},
    {"t_to", call_to, dtype_cases, to_errors, MAYBE_VIEW},
    {"t_float", call_float, conversion_cases, none, MAYBE_VIEW},
    {"t_double", call_double, conversion_cases, none, MAYBE_VIEW},
    {"t_long", call_long, conversion_cases, none, NO_GRADIENT | MAYBE_VIEW},
    {"t_half", call_half, conversion_cases, none, MAYBE_VIEW | ROUNDED},
    {"t_int", call_int, conversion_cases, none, NO_GRADIENT | MAYBE_VIEW},
    {"t_short", call_short, conversion_cases, none, NO_GRADIENT | MAYBE_VIEW},
    {"t_char", call_char, conversion_cases, none, NO_GRADIENT | MAYBE_VIEW},
    {"t_byte", call_byte, conversion_cases, none, NO_GRADIENT | MAYBE_VIEW},
    {"t_clone", call_clone, conversion_cases, none},
    {"t_contiguous", call_contiguous, conversion_cases, none, MAYBE_VIEW},
    {"t_detach", call_detach, conversion_cases, none, NO_GRADIENT | VIEW},
};
TABLE(unary_table, "ops_unary.txt", rows);
