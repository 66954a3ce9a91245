/* tests/ops/table/op_table_elementwise.c: rarer elementwise functions and their in-place forms
 * (core/ops/pointwise/gcd.c, ldexp.c, heaviside.c, unary.c). */
#include "tests/ops/table/op_table.h"

CALL2(gcd)
CALL2(gcd_)
CALL2(lcm)
CALL2(lcm_)
CALL2(ldexp)
CALL2(ldexp_)
CALL2(nextafter)
CALL2(nextafter_)
CALL1(positive)
/* They have no derivative. */
static t_TensorList *call_heaviside(const Call *c) {
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = t_heaviside(c->x[0], c->x[1]);
    t_set_grad_enabled(grad_enabled);
    return list_of(y);
}
CALL2(heaviside_)
static t_TensorList *call_frexp(const Call *c) {
    Tensor *exponent, *mantissa = t_frexp(c->x[0], &exponent);
    return mantissa ? t_list_new((Tensor *[]){mantissa, exponent}, 2) : NULL;
}

#define RANKS(k) {k "()"}, {k "(7)"}, {k "(2,3)"}, {k "(2,1,3)"}, {k "(2,1,2,2)"}, {k "(1,2,1,2,2)"}, {k "(0)"}, \
    {k "(2,0,3)"}
static const OpCase integer_cases[] = {
    {"i() i()"}, {"i(9) i(9)"}, {"k90(20) k90(20)"}, {"i(2,3) k9(3)"}, {"i(2,1) i(1,3)"}, {"i(2,1,3) w(4,1)"},
    {"i(2,2,1,3) i(2,1)"}, {"i(1,2,3,1,2) i(3,2,2)"}, {"i(0) i(1)"}, {"i(2) b(2)"}, {"b(2) i(2)"}, {"i(2) i()"}, {NULL},
};
static const OpCase integer_inplace_cases[] = {
    {"i() i()"}, {"i(9) i(9)"}, {"i(2,3) k9(3)"}, {"i(2,1,3) w(3)"}, {"i(2,2,1,3) i(2,1,1)"}, {"i(1,2,3,1,2) i(3,1,2)"},
    {"i(0) i(1)"}, {"i(2) b(2)"}, {NULL},
};
static const OpCase ldexp_cases[] = {
    BROADCASTS("r", "r"), {"R(3) r(3)"}, {"r(3) R(3)"}, {"r(3) i(3)"}, {"i(3) r(3)"}, {"i(3) i(3)"}, {"b(3) i(3)"},
    {"f(2) d(2)"}, {"f(2) d()"}, {"d(2) i(2)"}, {"x(12) x(12)"}, {"x(12) k200(12)"}, {NULL},
};
static const OpCase ldexp_inplace_cases[] = {
    {"r() r()"}, {"r(2,3) r(3)"}, {"r(2,1,2) R(2)"}, {"r(1,2,1,2) r(2,1,1)"}, {"r(1,2,1,1,2) r()"}, {"r(0) r(1)"},
    {"R(3) r(3)"}, {"r(3) i(3)"}, {"f(2) D(2)"}, {NULL},
};
static const OpCase nextafter_cases[] = {
    BROADCASTS("S", "S"), {"f(2) D(2)"}, {"F(2) d()"}, {"F(2) i(2)"}, {"t(9) T(9)"}, {"x(12) x(12)"}, {NULL},
};
static const OpCase nextafter_inplace_cases[] = {
    {"S() S()"}, {"S(2,3) S(3)"}, {"S(2,1,2) S(2)"}, {"S(1,2,1,2) S(2,1,1)"}, {"S(1,2,1,1,2) S()"}, {"S(0) S(1)"},
    {"t(9) T(9)"}, {NULL},
};
static const OpCase heaviside_cases[] = {
    {"T() T()"}, {"T(9) T(9)"}, {"T(2,3) R(3)"}, {"T(2,1) R(1,3)"}, {"T(2,1,3) R(4,1)"}, {"T(2,2,1,3) R(2,1)"},
    {"T(1,2,3,1,2) R(3,2,2)"}, {"T(0) R(1)"}, {"i(9) i(9)"}, {"b(9) b(9)"}, {"x(12) x(12)"}, {NULL},
};
static const OpCase heaviside_inplace_cases[] = {
    {"T() R()"}, {"T(9) R(9)"}, {"T(2,3) R(3)"}, {"T(2,1,3) R(3)"}, {"T(2,2,1,3) R(2,1,1)"}, {"T(1,2,3,1,2) R(3,1,2)"},
    {"T(0) R(1)"}, {"i(9) i(9)"}, {"b(9) b(9)"}, {NULL},
};
static const OpCase frexp_cases[] = {RANKS("s"), {"R(3)"}, {"p(40)"}, {"x(12)"}, {NULL}};
static const OpCase positive_cases[] = {RANKS("r"), {"R(3)"}, {"i(3)"}, {"x(12)"}, {NULL}};

static const OpError none[] = {{NULL}};
#define KERNEL(kernel, inputs, dtype) {inputs, {0}, "\"" kernel "\" not implemented for '" dtype "'"}
static const OpError gcd_errors[] = {
    MISFITS("i"), KERNEL("gcd_cpu", "R(2) i(2)", "Float"), KERNEL("gcd_cpu", "b(2) b(2)", "Bool"), {NULL}};
static const OpError lcm_errors[] = {
    MISFITS("i"), KERNEL("lcm_cpu", "R(2) i(2)", "Float"), KERNEL("lcm_cpu", "b(2) b(2)", "Bool"), {NULL}};
static const OpError gcd_inplace_errors[] = {
    {"i(2) R(2)", {0}, "result type Float can't be cast to the desired output type Long"}, {NULL}};
static const OpError ldexp_errors[] = {MISFITS("r"), {NULL}};
static const OpError ldexp_inplace_errors[] = {
    {"i(2) R(2)", {0}, "ldexp can't be cast to the desired output type Long"},
    {"b(2) i(2)", {0}, "ldexp can't be cast to the desired output type Bool"},
    {NULL},
};
static const OpError nextafter_errors[] = {
    MISFITS("R"), KERNEL("nextafter_cpu", "i(2) i(2)", "Long"), KERNEL("nextafter_cpu", "b(2) b(2)", "Bool"), {NULL}};
static const OpError nextafter_inplace_errors[] = {
    {"i(2) R(2)", {0}, "result type Float can't be cast to the desired output type Long"}, {NULL}};
static const OpError heaviside_errors[] = {
    MISFITS("R"),
    {"F(2) D(2)", {0}, "heaviside is not yet implemented for tensors with different dtypes."},
    {"i(2) R(2)", {0}, "heaviside is not yet implemented for tensors with different dtypes."},
    {NULL},
};
static const OpError frexp_errors[] = {
    {"i(2)", {0}, "torch.frexp() only supports floating-point dtypes"},
    {"b(2)", {0}, "torch.frexp() only supports floating-point dtypes"},
    {NULL},
};
static const OpError positive_errors[] = {
    {"b(2)", {0}, "The `+` operator, on a bool tensor is not supported."}, {NULL}};

static const OpRow rows[] = {
    {"t_gcd", call_gcd, integer_cases, gcd_errors, NO_GRADIENT},
    {"t_gcd_", call_gcd_, integer_inplace_cases, gcd_inplace_errors, INPLACE | NO_GRADIENT},
    {"t_lcm", call_lcm, integer_cases, lcm_errors, NO_GRADIENT},
    {"t_lcm_", call_lcm_, integer_inplace_cases, gcd_inplace_errors, INPLACE | NO_GRADIENT},
    {"t_ldexp", call_ldexp, ldexp_cases, ldexp_errors},
    {"t_ldexp_", call_ldexp_, ldexp_inplace_cases, ldexp_inplace_errors, INPLACE},
    {"t_nextafter", call_nextafter, nextafter_cases, nextafter_errors},
    {"t_nextafter_", call_nextafter_, nextafter_inplace_cases, nextafter_inplace_errors, INPLACE},
    {"t_heaviside", call_heaviside, heaviside_cases, heaviside_errors, NO_GRADIENT},
    {"t_heaviside_", call_heaviside_, heaviside_inplace_cases, none, INPLACE | NO_GRADIENT},
    {"t_frexp", call_frexp, frexp_cases, frexp_errors},
    {"t_positive", call_positive, positive_cases, positive_errors, VIEW},
};
TABLE(elementwise_table, "ops_elementwise.txt", rows);
