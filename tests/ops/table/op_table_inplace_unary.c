/* tests/ops/table/op_table_inplace_unary.c: the in-place forms of the ops of one tensor. */
#include "tests/ops/table/op_table.h"

CALL1(neg_)
CALL1(abs_)
CALL1(sign_)
CALL1(sqrt_)
CALL1(rsqrt_)
CALL1(square_)
CALL1(reciprocal_)
CALL1(exp_)
CALL1(exp2_)
CALL1(expm1_)
CALL1(log_)
CALL1(log2_)
CALL1(log10_)
CALL1(log1p_)
CALL1(sigmoid_)
CALL1(erf_)
CALL1(erfc_)
CALL1(erfinv_)
CALL1(sin_)
CALL1(cos_)
CALL1(tan_)
CALL1(asin_)
CALL1(acos_)
CALL1(atan_)
CALL1(sinh_)
CALL1(cosh_)
CALL1(tanh_)
CALL1(asinh_)
CALL1(atanh_)
CALL1(sinc_)
CALL1(deg2rad_)
CALL1(rad2deg_)
CALL1(relu_)
CALL1(floor_)
CALL1(ceil_)
CALL1(trunc_)
CALL1(frac_)
CALL1(logical_not_)
CALL1(bitwise_not_)

/* acosh(x + 1): acosh has values from 1 on. */
static t_TensorList *call_acosh_(const Call *c) {
    return list_of(t_acosh_(c->x[0] ? t_add_(c->x[0], t_number(1)) : NULL));
}
static t_TensorList *call_round_(const Call *c) {
    return list_of(t_round_(c->x[0], c->n[0]));
}
static t_TensorList *call_logit_(const Call *c) {
    return list_of(t_logit_(c->x[0], (double)c->n[0] / 100));
}
/* 99 is Python's None. */
static t_TensorList *call_nan_to_num_(const Call *c) {
    double none = __builtin_nan("");
    return list_of(t_nan_to_num_(c->x[0], (double)c->n[0] / 4, c->n[1] == 99 ? none : (double)c->n[1] / 4,
                                 c->n[2] == 99 ? none : (double)c->n[2] / 4));
}

/* With a gradient, and without one, which is another way. */
#define RANKS(k, K) {k "()"}, {k "(2,3)"}, {k "(2,1,2)"}, {k "(1,2,1,2)"}, {k "(1,2,1,1,2)"}, {k "(0)"}, {K "(5)"}, \
    {K "(2,1,2)"}
static const OpCase smooth_cases[] = {RANKS("r", "R"), {"x(12)"}, {NULL}};
static const OpCase positive_cases[] = {RANKS("p", "P"), {"x(12)"}, {NULL}};
static const OpCase unit_cases[] = {RANKS("q", "Q"), {"x(12)"}, {NULL}};
static const OpCase separated_cases[] = {RANKS("s", "S"), {"x(12)"}, {NULL}};
static const OpCase whole_too_cases[] = {RANKS("s", "S"), {"x(12)"}, {"i(5)"}, {NULL}};
static const OpCase sign_cases[] = {RANKS("s", "S"), {"x(12)"}, {"i(5)"}, {"b(4)"}, {NULL}};
static const OpCase round_cases[] = {RANKS("s", "S"), {"x(12)"}, {"i(5)"}, {"s(5)", {1}}, {"S(5)", {-1}}, {NULL}};
static const OpCase logit_cases[] = {
    {"q()", {-100}}, {"q(2,3)", {20}}, {"s(2,1,2)", {10}}, {"Q(5)", {-100}}, {"Q(0)", {10}}, {"x(12)", {10}},
    {"q(2,1,3,2)", {20}}, {"q(2,1,1,2,1)", {20}}, {NULL}};
static const OpCase nan_to_num_cases[] = {
    {"s()", {0, 99, 99}}, {"s(2,3)", {1, 2, 3}}, {"x(12)", {0, 99, 99}}, {"x(12)", {3, 8, -9}}, {"S(0)", {0, 99, 99}},
    {"i(4)", {5, 5, 5}}, {"b(3)", {0, 99, 99}}, {"s(2,1,2)", {1, 2, 3}}, {"s(2,1,2,1)", {1, 2, 3}},
    {"s(1,2,1,1,2)", {1, 2, 3}}, {NULL},
};
static const OpCase logical_cases[] = {{"b()"}, {"b(5)"}, {"i(2,3)"}, {"T(2,1,3)"}, {"x(12)"}, {"b(0)"}, {"b(2,1,3,2)"},
    {"b(1,2,1,1,2)"}, {NULL}};
static const OpCase bit_cases[] = {{"b()"}, {"b(5)"}, {"i(2,3)"}, {"i(2,1,3,2)"}, {"b(0)"}, {"i(2,1,2)"},
    {"i(1,2,1,1,2)"}, {NULL}};

#define CAST(kind, from, to) {kind "(2)", {0}, "result type " from " can't be cast to the desired output type " to}
static const OpError floating_errors[] = {CAST("i", "Float", "Long"), CAST("b", "Float", "Bool"), {NULL}};
static const OpError logit_errors[] = {CAST("i", "Float", "Long"), {NULL}};
static const OpError square_errors[] = {CAST("b", "Long", "Bool"), {NULL}};
#define KERNEL(kernel, inputs, dtype) {inputs, {0}, "\"" kernel "\" not implemented for '" dtype "'"}
static const OpError neg_errors[] = {
    {"b(2)", {0}, "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
                  "mask, use the `~` or `logical_not()` operator instead."},
    {NULL},
};
static const OpError abs_errors[] = {KERNEL("abs_cpu", "b(2)", "Bool"), {NULL}};
static const OpError relu_errors[] = {{"b(2)", {0}, "Boolean inputs not supported for relu"}, {NULL}};
static const OpError floor_errors[] = {KERNEL("floor_vml_cpu", "b(2)", "Bool"), {NULL}};
static const OpError ceil_errors[] = {KERNEL("ceil_vml_cpu", "b(2)", "Bool"), {NULL}};
static const OpError trunc_errors[] = {KERNEL("trunc_vml_cpu", "b(2)", "Bool"), {NULL}};
static const OpError round_errors[] = {
    KERNEL("round_vml_cpu", "b(2)", "Bool"), {"i(2)", {1}, "\"round_cpu\" not implemented for 'Long'"}, {NULL}};
static const OpError frac_errors[] = {KERNEL("frac_cpu", "i(2)", "Long"), {NULL}};
static const OpError bitwise_not_errors[] = {KERNEL("bitwise_not_cpu", "r(2)", "Float"), {NULL}};
static const OpError none[] = {{NULL}};

static const OpRow rows[] = {
    {"t_neg_", call_neg_, whole_too_cases, neg_errors, INPLACE},
    {"t_abs_", call_abs_, whole_too_cases, abs_errors, INPLACE},
    {"t_sign_", call_sign_, sign_cases, none, INPLACE},
    {"t_sqrt_", call_sqrt_, positive_cases, floating_errors, INPLACE},
    {"t_rsqrt_", call_rsqrt_, positive_cases, floating_errors, INPLACE},
    {"t_square_", call_square_, whole_too_cases, square_errors, INPLACE},
    {"t_reciprocal_", call_reciprocal_, positive_cases, floating_errors, INPLACE},
    {"t_exp_", call_exp_, smooth_cases, floating_errors, INPLACE},
    {"t_exp2_", call_exp2_, smooth_cases, floating_errors, INPLACE},
    {"t_expm1_", call_expm1_, smooth_cases, floating_errors, INPLACE},
    {"t_log_", call_log_, positive_cases, floating_errors, INPLACE},
    {"t_log2_", call_log2_, positive_cases, floating_errors, INPLACE},
    {"t_log10_", call_log10_, positive_cases, floating_errors, INPLACE},
    {"t_log1p_", call_log1p_, positive_cases, floating_errors, INPLACE},
    {"t_sigmoid_", call_sigmoid_, smooth_cases, floating_errors, INPLACE},
    {"t_erf_", call_erf_, smooth_cases, floating_errors, INPLACE},
    {"t_erfc_", call_erfc_, smooth_cases, floating_errors, INPLACE},
    {"t_erfinv_", call_erfinv_, unit_cases, floating_errors, INPLACE},
    {"t_sin_", call_sin_, smooth_cases, floating_errors, INPLACE},
    {"t_cos_", call_cos_, smooth_cases, floating_errors, INPLACE},
    {"t_tan_", call_tan_, unit_cases, floating_errors, INPLACE},
    {"t_asin_", call_asin_, unit_cases, floating_errors, INPLACE},
    {"t_acos_", call_acos_, unit_cases, floating_errors, INPLACE},
    {"t_atan_", call_atan_, smooth_cases, floating_errors, INPLACE},
    {"t_sinh_", call_sinh_, smooth_cases, floating_errors, INPLACE},
    {"t_cosh_", call_cosh_, smooth_cases, floating_errors, INPLACE},
    {"t_tanh_", call_tanh_, smooth_cases, floating_errors, INPLACE},
    {"t_asinh_", call_asinh_, smooth_cases, floating_errors, INPLACE},
    {"t_acosh_", call_acosh_, positive_cases, none, INPLACE},
    {"t_atanh_", call_atanh_, unit_cases, floating_errors, INPLACE},
    {"t_sinc_", call_sinc_, separated_cases, floating_errors, INPLACE},
    {"t_deg2rad_", call_deg2rad_, smooth_cases, floating_errors, INPLACE},
    {"t_rad2deg_", call_rad2deg_, smooth_cases, floating_errors, INPLACE},
    {"t_relu_", call_relu_, whole_too_cases, relu_errors, INPLACE},
    {"t_floor_", call_floor_, whole_too_cases, floor_errors, INPLACE},
    {"t_ceil_", call_ceil_, whole_too_cases, ceil_errors, INPLACE},
    {"t_trunc_", call_trunc_, whole_too_cases, trunc_errors, INPLACE},
    {"t_frac_", call_frac_, separated_cases, frac_errors, INPLACE},
    {"t_round_", call_round_, round_cases, round_errors, INPLACE},
    {"t_logit_", call_logit_, logit_cases, logit_errors, INPLACE},
    {"t_nan_to_num_", call_nan_to_num_, nan_to_num_cases, none, INPLACE},
    {"t_logical_not_", call_logical_not_, logical_cases, none, INPLACE | NO_GRADIENT},
    {"t_bitwise_not_", call_bitwise_not_, bit_cases, bitwise_not_errors, INPLACE | NO_GRADIENT},
};
TABLE(inplace_unary_table, "ops_inplace_unary.txt", rows);
