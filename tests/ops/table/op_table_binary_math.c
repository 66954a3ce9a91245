/* tests/ops/table/op_table_binary_math.c: more ops of two and three tensors (core/ops/pointwise/arithmetic.c,
 * binary_math.c, integer_division.c, clamp.c, comparison.c, bitwise.c, addcmul.c). */
#include "tests/ops/table/op_table.h"

CALL2(fmod)
static t_TensorList *call_floor_divide(const Call *c) {
    bool grad_enabled = t_set_grad_enabled(false); /* it has no derivative */
    Tensor *y = t_floor_divide(c->x[0], c->x[1]);
    t_set_grad_enabled(grad_enabled);
    return list_of(y);
}
CALL2(atan2)
CALL2(hypot)
CALL2(logaddexp)
CALL2(logaddexp2)
CALL2(float_power)
CALL2(xlogy)
CALL2(copysign)
CALL2(fmax)
CALL2(fmin)
CALL2(logical_xor)
CALL2(bitwise_xor)
CALL2(bitwise_left_shift)
CALL2(bitwise_right_shift)
CALL2(clamp_min)
CALL2(clamp_max)
CALL3(lerp)

static t_TensorList *call_add_alpha(const Call *c) {
    return list_of(t_add_alpha(c->x[0], c->x[1], (double)c->n[0] / 4));
}
static t_TensorList *call_sub_alpha(const Call *c) {
    return list_of(t_sub_alpha(c->x[0], c->x[1], (double)c->n[0] / 4));
}
static const char *const modes[] = {"trunc", "floor", "up", "None"};
static t_TensorList *call_div_mode(const Call *c) {
    return list_of(t_div_mode(c->x[0], c->x[1], c->n[0] == 3 ? NULL : modes[c->n[0]]));
}
static t_TensorList *call_isclose(const Call *c) {
    return list_of(t_isclose(c->x[0], c->x[1], (double)c->n[0] / 100, (double)c->n[1] / 100, c->n[2] != 0));
}
static t_TensorList *call_addcmul(const Call *c) {
    return list_of(t_addcmul(c->x[0], c->x[1], c->x[2], (double)c->n[0] / 4));
}
static t_TensorList *call_addcdiv(const Call *c) {
    return list_of(t_addcdiv(c->x[0], c->x[1], c->x[2], (double)c->n[0] / 4));
}

/* Smooth away from the origin, from 0 and from ties. */
static const OpCase angle_cases[] = {
    BROADCASTS("s", "p"), {"S(3) p(3)"}, {"p(3) P(3)"}, {"w(4) w(4)"}, {"b(4) b(4)"}, FLOATING_MIXES("w"),
    INTEGER_MIXES("w"),
    {"w(2) b(2)"}, {"d(2) b()"}, {"x(12) x(12)"}, {NULL},
};
static const OpCase floating_cases[] = {
    BROADCASTS("s", "p"), {"S(3) p(3)"}, {"p(3) P(3)"}, FLOATING_MIXES("w"), {"x(12) x(12)"}, {NULL},
};
static const OpCase float_power_cases[] = {
    {"p() r()"}, {"p(5) r(5)"}, {"p(2,3) r(3)"}, {"p(2,1,3) r(4,1)"}, {"p(2,2,1,3) r(2,1)"}, {"p(1,2,3,1,2) r(3,2,2)"},
    {"p(0) r(1)"}, {"p(2,3) N"}, {"p(2,3) I"}, {"N r(3)"}, {"P(3) r(3)"}, {"i(6) k4(6)"}, {"f(2) d(2)"}, {"b(2) k4(2)"},
    {"x(12) x(12)"}, {NULL},
};
static const OpCase xlogy_cases[] = {
    BROADCASTS("r", "p"), {"R(3) p(3)"}, {"r(3) P(3)"}, {"N p(2,3)"}, {"r(6) I"}, {"k9(4) k9(4)"}, {"b(4) b(4)"},
    FLOATING_MIXES("w"), INTEGER_MIXES("w"), BOOL_MIXES("w"), NUMBER_MIXES("w"), NUMBER_FIRST("w"), {"t(9) t(9)"},
    {"x(12) x(12)"}, {NULL},
};
static const OpCase copysign_cases[] = {
    BROADCASTS("s", "s"), {"S(3) s(3)"}, {"s(3) S(3)"}, {"s(2,3) N"}, {"i(4) i(4)"}, {"b(4) b(4)"}, FLOATING_MIXES("w"),
    INTEGER_MIXES("w"), BOOL_MIXES("w"), NUMBER_MIXES("w"), {"t(9) s(9)"}, {"x(12) x(12)"}, {NULL},
};
static const OpCase fmod_cases[] = {
    BROADCASTS("s", "s"), {"r(2,3) N"}, {"R(3) s(3)"}, {"r(3) S(3)"}, {"k9(5) w(5)"}, {"i(6) w(6)"}, {"i(5) N"},
    FLOATING_MIXES("w"), INTEGER_MIXES("w"), {"b(2) s(2)"}, {"b(2) N"}, {"d(2) N"}, {"i(12) I"}, {"x(12) x(12)"},
    {NULL},
};
static const OpCase floor_divide_cases[] = {
    BROADCASTS("s", "s"), {"r(2,3) N"}, {"N s(2,3)"}, {"k9(5) w(5)"}, {"i(6) w(6)"}, {"I w(4)"}, {"i(5) N"},
    {"I k2(0)"},
    FLOATING_MIXES("w"), INTEGER_MIXES("w"), {"b(2) s(2)"}, {"b(2) N"}, {"d(2) N"}, {"i(12) I"}, {"N w(2)"},
    {"x(12) x(12)"},
    {NULL},
};
static const OpCase div_mode_cases[] = {
    {"s() s()", {0}}, {"s(5) s(5)", {1}}, {"s(2,3) s(3)", {0}}, {"s(2,1) s(1,3)", {1}}, {"s(2,1,3) s(4,1)", {0}},
    {"s(2,2,1,3) s(2,1)", {1}}, {"s(1,2,3,1,2) s(3,2,2)", {0}}, {"s(0) s(1)", {1}}, {"s(3) s(3)", {3}},
    {"r(2,3) N", {0}},
    {"N s(2,3)", {0}}, {"i(6) w(6)", {0}}, {"i(6) w(6)", {1}}, {"i(6) w(6)", {3}}, {"i(5) N", {0}}, {"b(2) w(2)", {0}},
    {"f(2) d(2)", {0}}, {"f(2) D()", {0}}, {"w(2) f()", {0}}, {"x(12) x(12)", {0}}, {"x(12) x(12)", {1}}, {NULL},
};
static const OpCase extreme_cases[] = {
    BROADCASTS("s", "s"), {"t(12) t(12)"}, {"i(4) i(4)"}, {"b(4) b(4)"}, FLOATING_MIXES("i"), INTEGER_MIXES("i"),
    BOOL_MIXES("i"), {"x(12) x(12)"}, {NULL},
};
static const OpCase bound_cases[] = {
    BROADCASTS("s", "s"), {"s(2,3) N"}, {"t(6) I"}, {"t(8) I"}, {"t(12) t(12)"}, {"i(4) i(4)"}, {"b(4) b(4)"},
    FLOATING_MIXES("i"), INTEGER_MIXES("i"), BOOL_MIXES("i"), NUMBER_MIXES("i"), {"x(12) N"}, {"x(12) x(12)"}, {NULL},
};
static const OpCase logical_cases[] = {
    {"b() b()"}, {"b(6) b(6)"}, {"b(2,1) b(1,3)"}, {"i(6) t(6)"}, {"t(2,3) b(3)"}, {"b(0) b(1)"}, {"x(12) x(12)"},
    {"b(2,2,1,3) b(2,1)"}, {"b(1,2,3,1,2) b(3,2,2)"}, {"f(2) d(2)"}, {"i(2) b(2)"}, {"b(2,1,3) b(3)"}, {NULL},
};
static const OpCase bitwise_cases[] = {
    {"b() b()"}, {"b(6) b(6)"}, {"b(2,1) b(1,3)"}, {"i(6) i(6)"}, {"i(2,3) b(3)"}, {"b(4) i()"}, {"i(5) I"}, {"I i(5)"},
    {"b(5) I"}, {"b(5) B"}, {"B i(3)"}, {"b(0) b(1)"}, {"b(2,2,1,3) b(2,1)"}, {"b(1,2,3,1,2) i(3,2,2)"},
    {"b(2,1,3) b(3)"}, {NULL},
};
static const OpCase shift_cases[] = {
    {"i() k4()"}, {"i(6) k4(6)"}, {"i(6) k80(6)"}, {"i(9) i(9)"}, {"i(2,1) k9(1,3)"}, {"b(4) k9(4)"}, {"i(4) b(4)"},
    {"i(5) I"}, {"I k9(5)"}, {"b(5) I"}, {"i(0) i(1)"}, {"i(2,2,1,3) k4(2,1)"}, {"i(1,2,3,1,2) k4(3,2,2)"},
    {"i(2,1,3) k4(3)"}, {NULL},
};
static const OpCase isclose_cases[] = {
    {"t() t()"}, {"r(6) r(6)", {50, 40}}, {"r(6) r(6)", {1, 1}}, {"r(2,3) r(3)", {0, 100}}, {"r(2,1) r(1,3)", {100}},
    {"r(0) r(1)"}, {"t(6) t(6)", {0, 100}}, {"p(2,2,1,3) p(2,1)", {30}}, {"r(1,2,3,1,2) r(3,2,2)", {10, 10}},
    {"x(12) x(12)"}, {"x(12) x(12)", {10, 10}}, {"x(12) x(12)", {0, 0, 1}}, {"i(6) i(6)", {50, 100}}, {"i(6) i()"},
    {"b(4) b(4)"}, {"b(4) b(4)", {0, 100, 1}}, {"r(2,1,3) r(3)", {50, 40}}, {NULL},
};
static const OpCase alpha_cases[] = {
    {"r() r()", {2}}, {"r(5) r(5)", {-6}}, {"r(2,3) r(3)", {1}}, {"r(2,1) r(1,3)", {3}}, {"r(2,1,3) r(4,1)", {4}},
    {"r(2,2,1,3) r(2,1)", {10}}, {"r(1,2,3,1,2) r(3,2,2)", {0}}, {"r(0) r(1)", {2}}, {"r(2,3) N", {2}}, {"N r(3)", {6}},
    {"R(3) r(3)", {2}}, {"r(3) R(3)", {2}}, {"i(4) i(4)", {8}}, {"i(4) i(4)", {-12}}, {"i(3) r(3)", {2}},
    {"f(3) d(3)", {2}},
    {"f(3) d()", {2}}, {"i(3) N", {2}}, {"i(3) I", {8}}, {"x(12) x(12)", {2}}, {NULL},
};
static const OpCase add_alpha_cases[] = {
    {"r() r()", {2}}, {"r(5) r(5)", {-6}}, {"r(2,3) r(3)", {1}}, {"r(2,1) r(1,3)", {3}}, {"r(2,1,3) r(4,1)", {4}},
    {"r(2,2,1,3) r(2,1)", {10}}, {"r(1,2,3,1,2) r(3,2,2)", {0}}, {"r(0) r(1)", {2}}, {"r(2,3) N", {2}}, {"N r(3)", {6}},
    {"R(3) r(3)", {2}}, {"r(3) R(3)", {2}}, {"i(4) i(4)", {8}}, {"i(3) r(3)", {2}}, {"f(3) d(3)", {2}},
    {"f(3) d()", {2}},
    {"i(3) N", {2}}, {"b(4) b(4)", {8}}, {"b(4) b(4)", {0}}, {"b(3) i(3)", {8}}, {"b(3) r(3)", {2}},
    {"x(12) x(12)", {2}},
    {NULL},
};
static const OpCase lerp_cases[] = {
    {"r() r() N"}, {"r(5) r(5) N"}, {"r(2,3) r(3) r()"}, {"r(2,1) r(3) q(2,3)"}, {"r(2,1,3) r(4,1) I"},
    {"r(2,2,1,3) r(2,1) q(3)"}, {"r(1,2,3,1,2) r(3,2,2) q(2)"}, {"r(0) r(1) N"}, {"R(3) r(3) q(3)"}, {"r(3) R(3) Q(3)"},
    {"f(3) f(3) d()"}, {"d(3) d() f()"}, {"f() f() d()"}, {"r(3) r(3) i()"}, {"i(3) i(3) q()"}, {"x(12) x(12) N"},
    {"x(12) x(12) x(12)"}, {NULL},
};
#define TERMS(a, b, c)                                                                                   \
    {a "() " b "() " c "()", {4}}, {a "(5) " b "(5) " c "(5)", {2}}, {a "(2,3) " b "(3) " c "()", {-6}}, \
    {a "(2,1) " b "(3) " c "(2,3)", {4}}, {a "(2,1,3) " b "(4,1) " c "(3)", {3}},                        \
    {a "(2,2,1,3) " b "(2,1) " c "(1)", {4}}, {a "(1,2,3,1,2) " b "(3,2,2) " c "(2)", {1}},              \
    {a "(0) " b "(1) " c "(0)", {4}}, {a "(3) R(3) " c "(3)", {4}}, {"R(3) " b "(3) S(3)", {0}},         \
    {"i(3) " b "(3) " c "(3)", {2}}, {a "(3) i(3) " c "(3)", {2}}, {"b(3) b(3) " c "(3)", {2}},          \
    {"f(3) d(3) f(3)", {2}}, {"f(3) D() f(3)", {2}}, {"x(12) x(12) x(12)", {2}}
static const OpCase addcmul_cases[] = {
    TERMS("r", "r", "r"), {"i(4) i(4) i(4)", {4}}, {"i(4) i(4) i(4)", {8}}, {"i(4) i(4) i(4)", {2}},
    {"b(3) i(3) i(3)", {4}},
    {"r(3) i(3) i(3)", {4}}, {NULL},
};
static const OpCase addcdiv_cases[] = {TERMS("r", "r", "s"), {NULL}};

static const OpError fits_errors[] = {MISFITS("s"), {NULL}};
#define KERNEL(kernel, inputs, dtype) {inputs, {0}, "\"" kernel "\" not implemented for '" dtype "'"}
static const OpError hypot_errors[] = {
    MISFITS("s"), KERNEL("hypot_cpu", "i(2) i(2)", "Long"), KERNEL("hypot_cpu", "b(2) b(2)", "Bool"), {NULL}};
static const OpError logaddexp_errors[] = {
    MISFITS("s"), KERNEL("logaddexp_cpu", "i(2) i(2)", "Long"), KERNEL("logaddexp_cpu", "b(2) b(2)", "Bool"), {NULL}};
static const OpError logaddexp2_errors[] = {
    MISFITS("s"), KERNEL("logaddexp2_cpu", "i(2) i(2)", "Long"), KERNEL("logaddexp2_cpu", "b(2) b(2)", "Bool"), {NULL}};
static const OpError float_power_errors[] = {MISFITS("p"), {NULL}};
static const OpError fmod_errors[] = {
    MISFITS("s"), KERNEL("fmod_cpu", "b(2) b(2)", "Bool"), {"i(3) k1()", {0}, "ZeroDivisionError"}, {NULL}};
static const OpError floor_divide_errors[] = {
    MISFITS("s"), KERNEL("div_floor_cpu", "b(2) b(2)", "Bool"), {"i(3) k1()", {0}, "ZeroDivisionError"}, {NULL}};
static const OpError div_mode_errors[] = {
    MISFITS("s"),
    KERNEL("div_trunc_cpu", "b(2) b(2)", "Bool"),
    {"i(40) k2(40)", {1}, "ZeroDivisionError"},
    {"r(3) r(3)", {2}, "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'"},
    {NULL},
};
static const OpError bitwise_xor_errors[] = {
    MISFITS("i"), KERNEL("bitwise_xor_cpu", "r(2) i(2)", "Float"), KERNEL("bitwise_xor_cpu", "i(2) N", "Float"),
    {NULL}};
#define SHIFT_ERRORS(f)                                                                                           \
    MISFITS("i"), KERNEL(f, "r(2) i(2)", "Float"), KERNEL(f, "b(2) b(2)", "Bool"), KERNEL(f, "b(2) B", "Bool")
static const OpError left_shift_errors[] = {SHIFT_ERRORS("lshift_cpu"), {NULL}};
static const OpError right_shift_errors[] = {SHIFT_ERRORS("rshift_cpu"), {NULL}};
static const OpError clamp_min_errors[] = {MISFITS("s"), KERNEL("clamp_min_scalar_cpu", "b(2) B", "Bool"), {NULL}};
static const OpError clamp_max_errors[] = {MISFITS("s"), KERNEL("clamp_max_scalar_cpu", "b(2) B", "Bool"), {NULL}};
static const OpError isclose_errors[] = {
    MISFITS("r"),
    {"f(2) d(2)", {0}, "Float did not match Double"},
    {"i(2) f(2)", {0}, "Long did not match Float"},
    {"r(2) r(2)", {-100}, "rtol must be greater than or equal to zero, but got -1"},
    {"r(2) r(2)", {0, -50}, "atol must be greater than or equal to zero, but got -0.5"},
    {NULL},
};
static const OpError alpha_errors[] = {
    {"r(3) r(4)", {2}, "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0"},
    {"i(2) i(2)", {2}, "For integral input tensors, argument alpha must not be a floating point number."},
    {NULL},
};
static const OpError sub_alpha_errors[] = {
    {"i(2) i(2)", {2}, "For integral input tensors, argument alpha must not be a floating point number."},
    {"b(2) b(2)", {8}, "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                       "`logical_xor()` operator instead."},
    {"i(2) b(2)", {8}, "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                       "invert a mask, use the `~` or `logical_not()` operator instead."},
    {NULL},
};
static const OpError lerp_errors[] = {
    {"r(2) r(3) N", {0}, "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"},
    {"r(2) r(2) r(3)", {0},
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"},
    {"f(2) d(2) N", {0}, "expected dtype float for `end` but got dtype double"},
    {"d(2) i(2) N", {0}, "expected dtype double for `end` but got dtype long int"},
    {"f(2) d() N", {0}, "expected dtype float for `end` but got dtype double"},
    {"f(2) f(2) d(2)", {0}, "expected dtype float for `weight` but got dtype double"},
    KERNEL("lerp_kernel_scalar", "i(2) i(2) N", "Long"),
    KERNEL("lerp_kernel_tensor", "i(2) i(2) i(2)", "Long"),
    KERNEL("lerp_kernel_tensor", "b(2) b(2) b()", "Bool"),
    {NULL},
};
static const OpError addcmul_errors[] = {
    {"r(2) r(3) r(2)", {4},
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"},
    {"b(2) b(2) b(2)", {4}, "\"addcmul_cpu_out\" not implemented for 'Bool'"},
    {NULL},
};
#define NO_DIVISION "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will " \
                    "perform a " \
                    "true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as " \
                    "(input + " \
                    "value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + " \
                    "value * " \
                    "tensor1 / tensor2) for float inputs. The future addcdiv behavior is just the latter " \
                    "implementation: " \
                    "(input + value * tensor1 / tensor2), for all dtypes."
static const OpError addcdiv_errors[] = {
    {"r(2) r(3) r(2)", {4},
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"},
    {"i(2) i(2) i(2)", {4}, NO_DIVISION},
    {"r(2) i(2) b(2)", {4}, NO_DIVISION},
    {NULL},
};
static const OpError logical_errors[] = {MISFITS("b"), {NULL}};

static const OpRow rows[] = {
    {"t_fmod", call_fmod, fmod_cases, fmod_errors},
    {"t_floor_divide", call_floor_divide, floor_divide_cases, floor_divide_errors, NO_GRADIENT},
    {"t_div_mode", call_div_mode, div_mode_cases, div_mode_errors},
    {"t_atan2", call_atan2, angle_cases, fits_errors},
    {"t_hypot", call_hypot, floating_cases, hypot_errors},
    {"t_logaddexp", call_logaddexp, floating_cases, logaddexp_errors},
    {"t_logaddexp2", call_logaddexp2, floating_cases, logaddexp2_errors},
    {"t_float_power", call_float_power, float_power_cases, float_power_errors},
    {"t_xlogy", call_xlogy, xlogy_cases, fits_errors},
    {"t_copysign", call_copysign, copysign_cases, fits_errors},
    {"t_fmax", call_fmax, extreme_cases, fits_errors},
    {"t_fmin", call_fmin, extreme_cases, fits_errors},
    {"t_clamp_min", call_clamp_min, bound_cases, clamp_min_errors},
    {"t_clamp_max", call_clamp_max, bound_cases, clamp_max_errors},
    {"t_logical_xor", call_logical_xor, logical_cases, logical_errors, NO_GRADIENT},
    {"t_bitwise_xor", call_bitwise_xor, bitwise_cases, bitwise_xor_errors, NO_GRADIENT},
    {"t_bitwise_left_shift", call_bitwise_left_shift, shift_cases, left_shift_errors, NO_GRADIENT},
    {"t_bitwise_right_shift", call_bitwise_right_shift, shift_cases, right_shift_errors, NO_GRADIENT},
    {"t_isclose", call_isclose, isclose_cases, isclose_errors, NO_GRADIENT},
    {"t_add_alpha", call_add_alpha, add_alpha_cases, alpha_errors},
    {"t_sub_alpha", call_sub_alpha, alpha_cases, sub_alpha_errors},
    {"t_lerp", call_lerp, lerp_cases, lerp_errors},
    {"t_addcmul", call_addcmul, addcmul_cases, addcmul_errors},
    {"t_addcdiv", call_addcdiv, addcdiv_cases, addcdiv_errors},
};
TABLE(binary_math_table, "ops_binary_math.txt", rows);
