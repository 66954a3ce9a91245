/* tests/ops/table/op_table_inplace_binary.c: the in-place forms of the ops of two and three tensors; those of the
 * four that Python has operators for are in op_table_inplace.c. */
#include "tests/ops/table/op_table.h"

CALL2(pow_)
CALL2(float_power_)
CALL2(remainder_)
CALL2(fmod_)
CALL2(floor_divide_)
CALL2(atan2_)
CALL2(hypot_)
CALL2(xlogy_)
CALL2(copysign_)
CALL2(eq_)
CALL2(ne_)
CALL2(lt_)
CALL2(le_)
CALL2(gt_)
CALL2(ge_)
CALL2(logical_and_)
CALL2(logical_or_)
CALL2(logical_xor_)
CALL2(bitwise_and_)
CALL2(bitwise_or_)
CALL2(bitwise_xor_)
CALL2(bitwise_left_shift_)
CALL2(bitwise_right_shift_)
CALL2(clamp_min_)
CALL2(clamp_max_)
CALL3(clamp_)
CALL3(lerp_)

static t_TensorList *call_add_alpha_(const Call *c) {
    return list_of(t_add_alpha_(c->x[0], c->x[1], (double)c->n[0] / 4));
}
static t_TensorList *call_sub_alpha_(const Call *c) {
    return list_of(t_sub_alpha_(c->x[0], c->x[1], (double)c->n[0] / 4));
}
static const char *const modes[] = {"trunc", "floor", "up", "None"};
static t_TensorList *call_div_mode_(const Call *c) {
    return list_of(t_div_mode_(c->x[0], c->x[1], c->n[0] == 3 ? NULL : modes[c->n[0]]));
}
static t_TensorList *call_addcmul_(const Call *c) {
    return list_of(t_addcmul_(c->x[0], c->x[1], c->x[2], (double)c->n[0] / 4));
}
static t_TensorList *call_addcdiv_(const Call *c) {
    return list_of(t_addcdiv_(c->x[0], c->x[1], c->x[2], (double)c->n[0] / 4));
}

/* x with a gradient, y with one, neither; x of lower case has one. */
#define INTO(x, X, y, Y)                                                                                        \
    {x "() " y "()"}, {x "(2,3) " y "(3)"}, {x "(2,1,2) " Y "(2)"}, {x "(1,2,1,2) " y "(2,1,1)"},               \
    {x "(1,2,1,1,2) " y "()"}, {x "(0) " y "(1)"}, {X "(3) " y "(3)"}, {X "(2,3) " Y "(3)"}, {"f(2) " Y "(2)"}, \
    {"d(2) f(2)"}, {"d(2) f()"}
#define WHOLE_INTO {"w(4) w(4)"}, {"w(2) b(2)"}, {"w(2) w()"}, {"w(7) I"}

static const OpCase pow_cases[] = {
    INTO("p", "P", "r", "R"), {"p(3) N"}, {"p(3) I"}, {"P(3) N"}, {"i(4) k4(4)"}, {"i(4) b(4)"}, {"x(12) x(12)"},
    {NULL}};
static const OpCase float_power_cases[] = {
    {"d() I"}, {"d(3) I"}, {"d(2,3) I"}, {"d(2,1,2) I"}, {"d(1,2,1,2) I"}, {"d(1,2,1,1,2) I"}, {"d(0) I"},
    {"d(2,3) k4(3)"}, {NULL}};
static const OpCase remainder_cases[] = {
    INTO("s", "S", "s", "S"), {"s(3) N"}, {"S(3) I"}, {"w(4) w(4)"}, {"w(2) w()"}, {"w(9) I"}, {"s(2) w(2)"},
    {"x(12) x(12)"}, {NULL}};
static const OpCase floor_divide_cases[] = { /* without a gradient, as it has no derivative */
    {"S() S()"}, {"S(2,3) S(3)"}, {"S(2,1,2) S(2)"}, {"S(1,2,1,2) S(2,1,1)"}, {"S(1,2,1,1,2) S()"}, {"S(0) S(1)"},
    {"F(2) S(2)"}, {"D(2) F(2)"}, {"D(2) F()"}, {"S(3) N"}, {"S(3) I"}, {"w(4) w(4)"}, {"w(2) w()"},
    {"w(9) I"}, {"S(2) w(2)"}, {"x(12) x(12)"}, {NULL}};
static const OpCase div_mode_cases[] = {
    {"s() s()", {1}}, {"s(2,3) s(3)", {0}}, {"S(2,3) S(3)", {1}}, {"s(2) N", {0}}, {"w(4) w(4)", {0}},
    {"w(4) w(4)", {1}},
    {"s(3) s(3)", {3}}, {"d(2) f(2)", {1}}, {"s(2,1,2) s(2)", {0}}, {"s(2,1,2,2) s(2)", {1}},
    {"s(1,2,1,1,2) s(2)", {0}},
    {"s(0) s(1)", {1}}, {NULL},
};
static const OpCase angle_cases[] = {INTO("s", "S", "p", "P"), {"s(2) w(2)"}, {"x(12) x(12)"}, {NULL}};
static const OpCase xlogy_cases[] = {INTO("r", "R", "p", "P"), {"r(3) I"}, {"R(3) I"}, {"x(12) x(12)"}, {NULL}};
static const OpCase copysign_cases[] = {INTO("s", "S", "s", "S"), {"s(3) N"}, {"S(3) N"}, {"x(12) x(12)"}, {NULL}};
static const OpCase comparison_cases[] = {
    {"t() T()"}, {"t(2,3) T(3)"}, {"T(2,3) T(3)"}, {"t(3) I"}, {"t(2,1,2,2) N"}, {"w(4) w(4)"}, {"b(4) b(4)"},
    {"b(3) i(3)"},
    {"i(3) T(3)"}, {"b(3) N"}, {"f(2) D(2)"}, {"x(12) x(12)"}, {"t(0) T(1)"}, {"t(2,1,2) T(2)"}, {"t(1,2,1,1,2) T(2)"},
    {NULL},
};
static const OpCase logical_cases[] = {
    {"b() b()"}, {"T(2,3) T(3)"}, {"i(4) b(4)"}, {"b(4) i(4)"}, {"b(3) T(3)"}, {"T(2,1,2,2) b(2)"}, {"b(0) b(1)"},
    {"x(12) x(12)"}, {"b(2,1,2) b(2)"}, {"b(1,2,1,1,2) b(2)"}, {NULL},
};
static const OpCase bitwise_cases[] = {
    {"b() b()"}, {"b(2,3) b(3)"}, {"i(4) i(4)"}, {"i(4) b(4)"}, {"i(5) I"}, {"b(3) B"}, {"i(2,1,2,2) i(2)"},
    {"i(0) i(1)"},
    {"i(2,1,2) i(2)"}, {"i(1,2,1,1,2) i(2)"}, {NULL},
};
static const OpCase shift_cases[] = {
    {"i() k4()"}, {"i(2,3) k9(3)"}, {"i(6) k80(6)"}, {"i(4) b(4)"}, {"i(5) I"}, {"i(2,1,2,2) k4(2)"}, {"i(0) k4(1)"},
    {"i(2,1,2) k4(2)"}, {"i(1,2,1,1,2) k4(2)"}, {NULL}};
static const OpCase bound_cases[] = {
    INTO("s", "S", "s", "S"), {"s(3) N"}, {"S(3) I"}, WHOLE_INTO, {"b(4) b(4)"}, {"x(12) N"}, {NULL}};
static const OpCase clamp_cases[] = {
    {"s() N N"}, {"s(5) N -"}, {"S(5) - N"}, {"s(2,3) s(3) s(2,1)"}, {"s(2,1,2) - S()"}, {"s(1,2,1,2) R(2) -"},
    {"s(1,2,1,1,2) I I"}, {"s(0) N N"}, {"i(6) I -"}, {"f(2) d(2) -"}, {"b(3) b(3) -"}, {"x(12) - N"}, {NULL},
};
static const OpCase alpha_cases[] = {
    {"r() r()", {2}}, {"r(2,3) r(3)", {-6}}, {"R(2,3) R(3)", {2}}, {"r(3) R(3)", {4}}, {"R(3) r(3)", {2}},
    {"r(3) N", {2}},
    {"R(3) N", {2}}, {"i(4) i(4)", {8}}, {"r(2,1,2,2) i(2)", {2}}, {"f(3) d(3)", {2}}, {"r(0) r(1)", {2}},
    {"r(1,2,1,1,2) r(2)", {3}}, {"r(2,1,2) r(2)", {2}}, {NULL},
};
static const OpCase lerp_cases[] = {
    {"r() r() N"}, {"r(2,3) r(3) N"}, {"r(2,3) r(3) q(2,1)"}, {"R(2,3) R(3) N"}, {"r(3) R(3) q()"}, {"R(3) r(3) Q(3)"},
    {"r(1,2,1,2) r(2) q(2)"}, {"r(1,2,1,1,2) r(2) N"}, {"r(0) r(1) N"}, {"x(12) x(12) N"}, {"r(2,1,2) r(2) N"}, {NULL},
};
#define TERMS(c, C)                                                                                               \
    {"r() r() " c "()", {4}}, {"r(2,3) r(3) " c "(2,1)", {2}}, {"R(2,3) R(3) " C "(3)", {-6}},                    \
    {"r(3) r(3) " C "(3)", {4}}, {"R(3) r(3) " c "(3)", {4}}, {"r(1,2,1,2) r(2) " c "()", {3}},                   \
    {"r(1,2,1,1,2) r(2) " c "(2)", {4}}, {"r(0) r(1) " c "(0)", {4}}, {"f(2) d(2) f(2)", {2}}
static const OpCase addcmul_cases[] = {TERMS("r", "R"), {"i(4) i(4) i(4)", {8}}, {"r(2,1,2) r(2) r(2)", {2}}, {NULL}};
static const OpCase addcdiv_cases[] = {TERMS("s", "S"), {"s(2,1,2) s(2) s(2)", {2}}, {NULL}};

#define CAST(inputs, from, to) {inputs, {0}, "result type " from " can't be cast to the desired output type " to}
#define REFUSED                                                                                                      \
    {"r(3) r(4)", {0}, "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0"}, \
    {"r(3) r(2,3)", {0}, "output with shape [3] doesn't match the broadcast shape [2, 3]"},                          \
    {"R() R(2)", {0}, "output with shape [] doesn't match the broadcast shape [2]"},                                 \
    {"R(0,1) R(2)", {0}, "output with shape [0, 1] doesn't match the broadcast shape [0, 2]"}
#define KERNEL(kernel, inputs, dtype) {inputs, {0}, "\"" kernel "\" not implemented for '" dtype "'"}
static const OpError float_power_errors[] = {
    {"f(3) I", {0}, "the base given to float_power_ has dtype Float but the operation's result requires dtype Double"},
    {"i(3) I", {0}, "the base given to float_power_ has dtype Long but the operation's result requires dtype Double"},
    {NULL},
};
static const OpError pow_errors[] = {
    REFUSED, CAST("i(2) r(2)", "Float", "Long"), CAST("i(2) N", "Float", "Long"), CAST("b(2) i(2)", "Long", "Bool"),
    KERNEL("pow", "b(2) b(2)", "Bool"), {"i(5) I", {0}, "Integers to negative integer powers are not allowed."}, {NULL},
};
#define DIVISION(kernel)                                                                                             \
    REFUSED, CAST("i(2) r(2)", "Float", "Long"), CAST("i(2) N", "Float", "Long"), CAST("b(2) i(2)", "Long", "Bool"), \
    KERNEL(kernel, "b(2) b(2)", "Bool"), {"i(3) k1()", {0}, "ZeroDivisionError"}
static const OpError remainder_errors[] = {DIVISION("remainder_cpu"), {NULL}};
static const OpError fmod_errors[] = {DIVISION("fmod_cpu"), {NULL}};
static const OpError floor_divide_errors[] = {DIVISION("div_floor_cpu"), {NULL}};
static const OpError div_mode_errors[] = {
    DIVISION("div_trunc_cpu"),
    {"i(2) i(2)", {3}, "result type Float can't be cast to the desired output type Long"},
    {"r(3) r(3)", {2}, "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'"},
    {NULL},
};
static const OpError math_errors[] = {
    REFUSED, CAST("i(2) i(2)", "Float", "Long"), CAST("i(2) r(2)", "Float", "Long"), CAST("b(2) b(2)", "Float",
        "Bool"), {NULL}};
static const OpError hypot_errors[] = {
    REFUSED, CAST("i(2) r(2)", "Float", "Long"), CAST("b(2) i(2)", "Long", "Bool"), KERNEL("hypot_cpu", "i(2) i(2)",
        "Long"),
    {NULL},
};
static const OpError shape_errors[] = {REFUSED, {NULL}};
#define BITS(kernel)                                                                                             \
    CAST("i(2) r(2)", "Float", "Long"), CAST("b(2) i(2)", "Long", "Bool"), KERNEL(kernel, "r(2) i(2)", "Float"), \
    {"i(3) i(2,3)", {0}, "output with shape [3] doesn't match the broadcast shape [2, 3]"}
static const OpError bitwise_and_errors[] = {BITS("bitwise_and_cpu"), {NULL}};
static const OpError bitwise_or_errors[] = {BITS("bitwise_or_cpu"), {NULL}};
static const OpError bitwise_xor_errors[] = {BITS("bitwise_xor_cpu"), {NULL}};
static const OpError left_shift_errors[] = {BITS("lshift_cpu"), KERNEL("lshift_cpu", "b(2) b(2)", "Bool"), {NULL}};
static const OpError right_shift_errors[] = {BITS("rshift_cpu"), KERNEL("rshift_cpu", "b(2) b(2)", "Bool"), {NULL}};
#define BOUNDS                                                                                                  \
    REFUSED, CAST("i(2) r(2)", "Float", "Long"), CAST("i(2) N", "Float", "long int"), CAST("b(2) i(2)", "Long", \
        "Bool"),                                                                                                \
    CAST("b(2) I", "Long", "bool")
static const OpError clamp_min_errors[] = {BOUNDS, KERNEL("clamp_min_scalar_cpu", "b(2) B", "Bool"), {NULL}};
static const OpError clamp_max_errors[] = {BOUNDS, KERNEL("clamp_max_scalar_cpu", "b(2) B", "Bool"), {NULL}};
static const OpError clamp_errors[] = {
    {"r(2) - -", {0}, "torch.clamp: At least one of 'min' or 'max' must not be None"},
    {"r(2) r(3) -", {0}, "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"},
    {"R() R(2) -", {0}, "output with shape [] doesn't match the broadcast shape [2]"},
    CAST("i(2) r(2) -", "Float", "Long"), CAST("i(2) N I", "Float", "long int"), CAST("b(2) I I", "Long", "bool"),
    {NULL},
};
static const OpError alpha_errors[] = {
    {"r(3) r(4)", {2}, "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0"},
    {"r(3) r(2,3)", {2}, "output with shape [3] doesn't match the broadcast shape [2, 3]"},
    {"i(2) i(2)", {2}, "For integral input tensors, argument alpha must not be a floating point number."},
    {"i(2) r(2)", {2}, "result type Float can't be cast to the desired output type Long"},
    {NULL},
};
static const OpError lerp_errors[] = {
    {"R() R(2) N", {0}, "output with shape [] doesn't match the broadcast shape [2]"},
    {"f(2) d(2) N", {0}, "expected dtype float for `end` but got dtype double"},
    KERNEL("lerp_kernel_scalar", "i(2) i(2) N", "Long"),
    {NULL},
};
static const OpError term_errors[] = {
    {"R() R(2) R(2)", {4}, "output with shape [] doesn't match the broadcast shape [2]"},
    {"r(2) r(3) r(2)", {4},
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"},
    {"i(2) r(2) r(2)", {4}, "result type Float can't be cast to the desired output type Long"},
    {NULL},
};

static const OpRow rows[] = {
    {"t_pow_", call_pow_, pow_cases, pow_errors, INPLACE},
    {"t_float_power_", call_float_power_, float_power_cases, float_power_errors, INPLACE},
    {"t_remainder_", call_remainder_, remainder_cases, remainder_errors, INPLACE},
    {"t_fmod_", call_fmod_, remainder_cases, fmod_errors, INPLACE},
    {"t_floor_divide_", call_floor_divide_, floor_divide_cases, floor_divide_errors, INPLACE},
    {"t_div_mode_", call_div_mode_, div_mode_cases, div_mode_errors, INPLACE},
    {"t_atan2_", call_atan2_, angle_cases, math_errors, INPLACE},
    {"t_hypot_", call_hypot_, angle_cases, hypot_errors, INPLACE},
    {"t_xlogy_", call_xlogy_, xlogy_cases, math_errors, INPLACE},
    {"t_copysign_", call_copysign_, copysign_cases, math_errors, INPLACE},
    {"t_eq_", call_eq_, comparison_cases, shape_errors, INPLACE},
    {"t_ne_", call_ne_, comparison_cases, shape_errors, INPLACE},
    {"t_lt_", call_lt_, comparison_cases, shape_errors, INPLACE},
    {"t_le_", call_le_, comparison_cases, shape_errors, INPLACE},
    {"t_gt_", call_gt_, comparison_cases, shape_errors, INPLACE},
    {"t_ge_", call_ge_, comparison_cases, shape_errors, INPLACE},
    {"t_logical_and_", call_logical_and_, logical_cases, shape_errors, INPLACE | NO_GRADIENT},
    {"t_logical_or_", call_logical_or_, logical_cases, shape_errors, INPLACE | NO_GRADIENT},
    {"t_logical_xor_", call_logical_xor_, logical_cases, shape_errors, INPLACE | NO_GRADIENT},
    {"t_bitwise_and_", call_bitwise_and_, bitwise_cases, bitwise_and_errors, INPLACE | NO_GRADIENT},
    {"t_bitwise_or_", call_bitwise_or_, bitwise_cases, bitwise_or_errors, INPLACE | NO_GRADIENT},
    {"t_bitwise_xor_", call_bitwise_xor_, bitwise_cases, bitwise_xor_errors, INPLACE | NO_GRADIENT},
    {"t_bitwise_left_shift_", call_bitwise_left_shift_, shift_cases, left_shift_errors, INPLACE | NO_GRADIENT},
    {"t_bitwise_right_shift_", call_bitwise_right_shift_, shift_cases, right_shift_errors, INPLACE | NO_GRADIENT},
    {"t_clamp_min_", call_clamp_min_, bound_cases, clamp_min_errors, INPLACE},
    {"t_clamp_max_", call_clamp_max_, bound_cases, clamp_max_errors, INPLACE},
    {"t_clamp_", call_clamp_, clamp_cases, clamp_errors, INPLACE, "1??"},
    {"t_add_alpha_", call_add_alpha_, alpha_cases, alpha_errors, INPLACE},
    {"t_sub_alpha_", call_sub_alpha_, alpha_cases, alpha_errors, INPLACE},
    {"t_lerp_", call_lerp_, lerp_cases, lerp_errors, INPLACE},
    {"t_addcmul_", call_addcmul_, addcmul_cases, term_errors, INPLACE},
    {"t_addcdiv_", call_addcdiv_, addcdiv_cases, term_errors, INPLACE},
};
TABLE(inplace_binary_table, "ops_inplace_binary.txt", rows);
