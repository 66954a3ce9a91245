/* tests/ops/table/op_table_binary.c: ops of two and three tensors, which broadcast (core/ops/pointwise/arithmetic.c,
 * integer_division.c, comparison.c, bitwise.c, where.c). */
#include "tests/ops/table/op_table.h"

CALL2(add)
CALL2(sub)
CALL2(mul)
CALL2(div)
CALL2(pow)
CALL2(remainder)
CALL2(maximum)
CALL2(minimum)
CALL2(eq)
CALL2(ne)
CALL2(lt)
CALL2(le)
CALL2(gt)
CALL2(ge)
CALL2(logical_and)
CALL2(logical_or)
CALL2(bitwise_and)
CALL2(bitwise_or)
CALL3(clamp)
CALL3(where)
CALL3(masked_fill)

static t_TensorList *truth(bool answer) {
    return t_error() ? NULL : list_of(t_boolean(answer));
}

static t_TensorList *call_equal(const Call *c) {
    return truth(t_equal(c->x[0], c->x[1]));
}

static t_TensorList *call_allclose(const Call *c) {
    return truth(t_allclose(c->x[0], c->x[1], (double)c->n[0] / 100, (double)c->n[1] / 100, c->n[2] != 0));
}

#define NUMBERS(a, b) {a "(2,3) N"}, {"N " b "(2,3)"}

static const OpCase subtraction_cases[] = {
    BROADCASTS("r", "r"), NUMBERS("r", "r"), {"R(3) r(3)"}, {"r(3) R(3)"}, {"i(4) i(4)"}, {"i(4) r(4)"}, {"r(3) I"},
    {"i(3) N"}, {"i(3) I"}, {"f(3) d(3)"}, {"f(3) D()"}, {"d(2) f(3,1)"}, {"f(2,3) d(1)"}, {"f() i(3)"}, {"d() i(3)"},
    FLOATING_MIXES("i"), {"i(2) i()"}, {"f(2) N"}, {"d(2) N"}, {"f() I"}, NUMBER_FIRST("i"), {"x(12) x(12)"}, {NULL},
};
static const OpCase arithmetic_cases[] = {
    BROADCASTS("r", "r"), NUMBERS("r", "r"), {"R(3) r(3)"}, {"r(3) R(3)"}, {"i(4) i(4)"}, {"i(4) r(4)"}, {"r(3) I"},
    {"i(3) N"}, {"i(3) I"}, {"i(3) B"}, {"b(3) I"}, {"b(4) b(4)"}, {"b(3) B"}, {"b(4) i(4)"}, {"b(4) r(4)"},
    {"f(3) d(3)"}, {"f(3) D()"}, FLOATING_MIXES("i"), INTEGER_MIXES("i"), BOOL_MIXES("i"), NUMBER_MIXES("i"),
    NUMBER_FIRST("i"), {"x(12) x(12)"}, {NULL},
};
static const OpCase division_cases[] = {
    BROADCASTS("r", "s"), NUMBERS("r", "s"), {"R(3) s(3)"}, {"r(3) S(3)"}, {"i(4) i(4)"}, {"i(4) s(4)"}, {"r(3) I"},
    {"i(3) N"}, {"i(3) I"}, {"b(4) b(4)"}, {"f(3) d(3)"}, FLOATING_MIXES("w"), INTEGER_MIXES("w"), BOOL_MIXES("w"),
    NUMBER_MIXES("w"), NUMBER_FIRST("w"), {"x(12) x(12)"}, {NULL},
};
static const OpCase power_cases[] = {
    {"p() r()"}, {"p(5) r(5)"}, {"p(2,3) r(3)"}, {"p(3) r(2,3)"}, {"p(2,1,3) r(4,1)"}, {"p(2,2,1,3) r(2,1)"},
    {"p(1,2,3,1,2) r(3,2,2)"}, {"p(0) r(1)"}, {"p(2,3) N"}, {"p(2,3) I"}, {"r(2,3) I"}, {"N r(3)"}, {"P(3) r(3)"},
    {"p(3) R(3)"}, {"i(6) k4(6)"}, {"i(3) t(3)"}, {"k9(4) t(4)"}, {"p(4) k3(4)"}, {"x(12) x(12)"}, {"t(6) k3(6)"},
    {"f(2) d(2)"}, {"f(2) D()"}, {"D() f(2)"}, {"d() f()"}, {"k4(2) f(2)"}, {"f(2) k4(2)"}, {"k4(2) d()"},
    {"k4(2) k4()"},
    {"b(2) k4(2)"}, {"k4(2) b(2)"}, {"b(2) f(2)"}, {"b(2) N"}, {"b(2) I"}, {"b(4) B"}, {"b(5) B"}, {"k4(2) N"},
    {"k4(2) I"},
    {"I k4(2)"}, {"N k4(2)"}, {"I b(2)"},
    {"r(4) I"}, {"r(5) I"}, {"r(6) I"}, {"r(7) I"}, {"x(12) I"}, {NULL},
};
static const OpCase remainder_cases[] = {
    BROADCASTS("s", "s"), {"p(2,3) P()"}, {"r(2,3) N"}, {"N s(2,3)"}, {"R(3) s(3)"}, {"r(3) S(3)"}, {"r(3) I"},
    {"k9(4) I"},
    {"i(5) N"}, {"b(3) N"}, {"i(4) s(4)"}, {"b(4) s(4)"}, {"S(4) i(4)"}, {"i(9) I"}, {"i(10) I"}, {"i(11) I"},
    {"i(12) I"},
    {"I k2(0)"}, {"i(0) k1(1)"}, {"f(3) d(3)"}, FLOATING_MIXES("w"), INTEGER_MIXES("w"), {"b(2) s(2)"}, {"d(2) N"},
    {"N w(2)"}, {"I w(2)"}, {"x(12) x(12)"}, {NULL},
};
static const OpCase extreme_cases[] = {
    BROADCASTS("s", "s"), {"t(12) t(12)"}, {"i(4) i(4)"}, {"b(4) b(4)"}, {"i(4) s(4)"}, {"f(3) d(3)"},
    FLOATING_MIXES("i"), INTEGER_MIXES("i"), BOOL_MIXES("i"), {"x(12) x(12)"}, {NULL},
};
static const OpCase comparison_cases[] = {
    BROADCASTS("r", "r"), NUMBERS("r", "r"), {"t(12) t(12)"}, {"i(6) i(6)"}, {"b(4) b(4)"}, {"i(4) N"}, {"i(4) t(4)"},
    {"i(9) I"}, {"b(4) B"}, {"f(3) d(3)"}, FLOATING_MIXES("i"), INTEGER_MIXES("i"), BOOL_MIXES("i"), NUMBER_MIXES("i"),
    NUMBER_FIRST("i"), {"x(12) x(12)"}, {NULL},
};
static const OpCase logical_cases[] = {
    {"b() b()"}, {"b(6) b(6)"}, {"b(2,1) b(1,3)"}, {"i(6) t(6)"}, {"t(2,3) b(3)"}, {"b(0) b(1)"}, {"x(12) x(12)"},
    {"b(2,2,1,3) b(2,1)"}, {"b(1,2,3,1,2) b(3,2,2)"}, {"b(2,1,3) b(3)"}, {NULL},
};
static const OpCase bitwise_cases[] = {
    {"b() b()"}, {"b(6) b(6)"}, {"b(2,1) b(1,3)"}, {"i(6) i(6)"}, {"i(2,3) b(3)"}, {"b(4) i()"}, {"i(5) I"}, {"I i(5)"},
    {"b(5) I"}, {"b(5) B"}, {"B i(3)"}, {"b(0) b(1)"}, {"b(2,2,1,3) b(2,1)"}, {"b(1,2,3,1,2) i(3,2,2)"},
    {"b(2,1,3) b(3)"}, {NULL},
};
static const OpCase clamp_cases[] = {
    {"s() N N"}, {"s(5) R(5) -"}, {"s(5) - N"}, {"s(2,3) s(3) s(2,1)"}, {"s(2,1,3) S(4,1) S()"}, {"s(0) N N"},
    {"s(2,2,1,3) - s(2,1)"}, {"s(1,2,3,1,2) s(3,2,2) -"}, {"i(6) I -"}, {"i(6) - N"}, {"x(12) - N"}, {"x(12) N -"},
    {"t(6) T(6) -"}, {"s(4) I I"}, {"t(6) - T(6)"}, {"t(5) I I"}, {"t(9) - I"}, {"i(4) N -"}, {"f(2) d() -"},
    {"b(3) b(3) -"}, {"b(3) I I"}, {NULL},
};
static const OpCase where_cases[] = {
    {"b() r() r()"}, {"b(5) r(5) r(5)"}, {"b(2,1) r(3) r()"}, {"b(3) r(2,1) N"}, {"b(2,1,3) N r(4,1)"},
    {"b(0) r(1) r(0)"}, {"b(2,2,1,3) r(2,1) R(3)"}, {"b(1,2,3,1,2) r(1) r(3,2,2)"}, {"b(4) i(4) i(4)"},
    {"b(4) i(4) r(4)"}, {"b(3) I N"}, {"b(4) b(4) b(4)"}, {"b(3) f(3) d(3)"}, {"b(12) x(12) x(12)"},
    {"b() r(2,3) r(3)"}, {NULL},
};
static const OpCase masked_fill_cases[] = {
    {"r() b() N"}, {"r(5) b(5) N"}, {"r(2,3) b(3) r()"}, {"r(3) b(2,1) N"}, {"r(2,1,3) b(4,1) I"}, {"r(0) b(1) N"},
    {"r(2,2,1,3) b(2,1) r()"}, {"r(1,2,3,1,2) b(3,2,2) N"}, {"i(5) b(5) I"}, {"b(5) b(5) B"}, {"i(5) b(5) N"},
    {"i(5) b(5) R()"}, {"x(12) b(12) N"}, {NULL},
};
static const OpCase equal_cases[] = {
    {"t() t()"}, {"b(1) b(1)"}, {"i(2) i(2)"}, {"i(1) i(1)"}, {"r(2) r(3)"}, {"r(0) r(0)"}, {"x(12) x(12)"},
    {"i(1,2) i(1,2)"}, {"b(1,1,1) b(1,1,1)"}, {"i(1,1,2,1) i(1,1,2,1)"}, {"b(1,1,1,1,1) b(1,1,1,1,1)"}, {NULL},
};
static const OpCase allclose_cases[] = {
    {"t() t()"}, {"r(3) r(3)", {500, 400}}, {"r(3) r(3)", {1, 1}}, {"r(2,3) r(3)", {0, 400}}, {"r(0) r(0)"},
    {"t(2) t(2)", {0, 300}}, {"p(3) p(3)", {10000}}, {"x(12) x(12)"}, {"x(12) x(12)", {0, 0, 1}},
    {"b(1) b(1)"}, {"i(2) i(2)", {0, 9900}},
    {"r(2,1,2) r(2,1,2)", {0, 400}}, {"t(2,1,2,1) t(2,1,2,1)", {0, 300}}, {"t(1,1,2,1,1) t(2)", {0, 1}}, {NULL},
};

static const OpError shape_errors[] = {MISFITS("r"), {NULL}};
static const OpError sub_errors[] = {
    MISFITS("r"),
    {"b(2) b(2)", {0}, "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                       "`logical_xor()` operator instead."},
    {"b(2) B", {0}, "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                    "`logical_xor()` operator instead."},
    {"b(2) r(2)", {0}, "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                       "invert a mask, use the `~` or `logical_not()` operator instead."},
    {"i(2) b(2)", {0}, "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                       "invert a mask, use the `~` or `logical_not()` operator instead."},
    {NULL},
};
static const OpError pow_errors[] = {
    MISFITS("p"),
    {"b(2) b(2)", {0}, "\"pow\" not implemented for 'Bool'"},
    {"i(6) I", {0}, "Integers to negative integer powers are not allowed."},
    {NULL},
};
static const OpError remainder_errors[] = {
    MISFITS("s"), MISFITS("i"),
    {"b(2) b(2)", {0}, "\"remainder_cpu\" not implemented for 'Bool'"},
    {"i(3) k1()", {0}, "ZeroDivisionError"},
    {"i(40) k2(40)", {0}, "ZeroDivisionError"},
    {"i(9) b(9)", {0}, "ZeroDivisionError"},
    {NULL},
};
#define BITWISE_ERRORS(f)                                                                                         \
    MISFITS("i"),                                                                                                 \
    {"r(2) i(2)", {0}, "\"" f "_cpu\" not implemented for 'Float'"},                                              \
    {"i(2) N", {0}, "\"" f "_cpu\" not implemented for 'Float'"}
static const OpError bitwise_and_errors[] = {BITWISE_ERRORS("bitwise_and"), {NULL}};
static const OpError bitwise_or_errors[] = {BITWISE_ERRORS("bitwise_or"), {NULL}};
static const OpError clamp_errors[] = {
    {"r(2) - -", {0}, "torch.clamp: At least one of 'min' or 'max' must not be None"},
    {"r(2) r(3) -", {0}, "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"},
    {"b(2) B B", {0}, "\"clamp_scalar_cpu\" not implemented for 'Bool'"},
    {"b(2) B -", {0}, "\"clamp_min_scalar_cpu\" not implemented for 'Bool'"},
    {"b(2) - B", {0}, "\"clamp_max_scalar_cpu\" not implemented for 'Bool'"},
    {"b(2) b(2) b(2)", {0}, "\"clamp_cpu\" not implemented for 'Bool'"},
    {NULL},
};
static const OpError where_errors[] = {
    {"r(2) r(2) r(2)", {0}, "where expected condition to be a boolean tensor, but got a tensor with dtype Float"},
    {"i(2) r(2) r(2)", {0}, "where expected condition to be a boolean tensor, but got a tensor with dtype Long"},
    {"b(2) r(3) r(3)", {0}, "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension "
                            "0"},
    {"b(2) r(2) r(3)", {0}, "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension "
                            "0"},
    {NULL},
};
static const OpError masked_fill_errors[] = {
    {"r(2) r(2) N", {0}, "masked_fill_ only supports boolean masks, but got mask with dtype float"},
    {"r(2) b(3) N", {0}, "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0"},
    {"r(2) b(2) r(1)", {0}, "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 "
                            "dimension(s)."},
    {NULL},
};
static const OpError allclose_errors[] = {
    MISFITS("r"),
    {"f(2) d(2)", {0}, "Float did not match Double"},
    {"r(2) r(2)", {-100}, "rtol must be greater than or equal to zero, but got -1"},
    {"r(2) r(2)", {0, -50}, "atol must be greater than or equal to zero, but got -0.5"},
    {NULL},
};
static const OpError none[] = {{NULL}};

static const OpRow rows[] = {
    {"t_add", call_add, arithmetic_cases, shape_errors},
    {"t_sub", call_sub, subtraction_cases, sub_errors},
    {"t_mul", call_mul, arithmetic_cases, shape_errors},
    {"t_div", call_div, division_cases, shape_errors},
    {"t_pow", call_pow, power_cases, pow_errors},
    {"t_remainder", call_remainder, remainder_cases, remainder_errors},
    {"t_maximum", call_maximum, extreme_cases, shape_errors},
    {"t_minimum", call_minimum, extreme_cases, shape_errors},
    {"t_clamp", call_clamp, clamp_cases, clamp_errors, 0, "1??"},
    {"t_eq", call_eq, comparison_cases, shape_errors, NO_GRADIENT},
    {"t_ne", call_ne, comparison_cases, shape_errors, NO_GRADIENT},
    {"t_lt", call_lt, comparison_cases, shape_errors, NO_GRADIENT},
    {"t_le", call_le, comparison_cases, shape_errors, NO_GRADIENT},
    {"t_gt", call_gt, comparison_cases, shape_errors, NO_GRADIENT},
    {"t_ge", call_ge, comparison_cases, shape_errors, NO_GRADIENT},
    {"t_logical_and", call_logical_and, logical_cases, shape_errors, NO_GRADIENT},
    {"t_logical_or", call_logical_or, logical_cases, shape_errors, NO_GRADIENT},
    {"t_bitwise_and", call_bitwise_and, bitwise_cases, bitwise_and_errors, NO_GRADIENT},
    {"t_bitwise_or", call_bitwise_or, bitwise_cases, bitwise_or_errors, NO_GRADIENT},
    {"t_where", call_where, where_cases, where_errors},
    {"t_masked_fill", call_masked_fill, masked_fill_cases, masked_fill_errors},
    {"t_equal", call_equal, equal_cases, none, NO_GRADIENT},
    {"t_allclose", call_allclose, allclose_cases, allclose_errors, NO_GRADIENT},
};
TABLE(binary_table, "ops_binary.txt", rows);
