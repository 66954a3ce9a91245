/* tests/ops/table/op_table_unary_math.c: functions of one number (core/ops/pointwise/unary.c, exp_log.c,
 * trigonometric.c, round.c, signbit). */
#include "tests/ops/table/op_table.h"

CALL1(exp2)
CALL1(expm1)
CALL1(log2)
CALL1(log10)
CALL1(log1p)
CALL1(erfc)
CALL1(erfinv)
CALL1(tan)
CALL1(asin)
CALL1(acos)
CALL1(atan)
CALL1(sinh)
CALL1(cosh)
CALL1(asinh)
CALL1(atanh)
CALL1(sinc)
CALL1(deg2rad)
CALL1(rad2deg)
CALL1(floor)
CALL1(ceil)
CALL1(trunc)
CALL1(frac)
CALL1(signbit)
CALL1_WITH_INPLACE(sgn)

/* acosh(x + 1): acosh has values from 1 on. */
static t_TensorList *call_acosh(const Call *c) {
    return list_of(t_acosh(c->x[0] ? t_add(c->x[0], t_number(1)) : NULL));
}
static t_TensorList *call_round(const Call *c) {
    return list_of(t_round(c->x[0], c->n[0]));
}
static t_TensorList *call_logit(const Call *c) {
    return list_of(t_logit(c->x[0], (double)c->n[0] / 100));
}
/* 99 is Python's None. */
static t_TensorList *call_nan_to_num(const Call *c) {
    double none = __builtin_nan("");
    return list_of(t_nan_to_num(c->x[0], (double)c->n[0] / 4, c->n[1] == 99 ? none : (double)c->n[1] / 4,
                                c->n[2] == 99 ? none : (double)c->n[2] / 4));
}

#define RANKS(k) {k "()"}, {k "(7)"}, {k "(2,3)"}, {k "(2,1,3)"}, {k "(2,1,2,2)"}, {k "(1,2,1,2,2)"}, {k "(0)"}, \
    {k "(2,0,3)"}
static const OpCase smooth_cases[] = {RANKS("r"), {"i(6)"}, {"x(12)"}, {"R(3)"}, {"b(4)"}, {NULL}};
static const OpCase positive_cases[] = {RANKS("p"), {"k9(6)"}, {"x(12)"}, {"P(3)"}, {"b(4)"}, {NULL}};
static const OpCase unit_cases[] = {RANKS("q"), {"i(6)"}, {"x(12)"}, {"Q(3)"}, {"b(4)"}, {NULL}};
static const OpCase separated_cases[] = {RANKS("s"), {"i(6)"}, {"x(12)"}, {"S(3)"}, {"b(4)"}, {NULL}};
static const OpCase rounding_cases[] = {RANKS("s"), {"i(6)"}, {"x(12)"}, {"S(3)"}, {NULL}};
static const OpCase frac_cases[] = {RANKS("s"), {"x(12)"}, {"S(3)"}, {NULL}};
static const OpCase round_cases[] = {
    RANKS("s"), {"i(6)"}, {"x(12)"}, {"S(3)"}, {"s(5)", {1}}, {"s(2,3)", {2}}, {"s(12)", {-1}}, {"x(12)", {3}},
    {"t(5)", {1}}, {NULL},
};
static const OpCase logit_cases[] = {
    {"q()", {-100}}, {"q(7)", {-100}}, {"q(2,3)", {20}}, {"s(2,1,3)", {10}}, {"q(2,1,2,2)", {-100}},
    {"q(1,2,1,2,2)", {30}},
    {"q(0)", {-100}}, {"i(4)", {25}}, {"b(3)", {-100}}, {"x(12)", {-100}}, {"x(12)", {10}}, {"Q(3)", {0}},
    {"q(3,5)", {60}}, {"s(2,6)", {70}}, {"S(3,5)", {100}}, {NULL},
};
static const OpCase nan_to_num_cases[] = {
    {"s()", {0, 99, 99}}, {"s(7)", {1, 2, 3}}, {"s(2,3)", {0, 99, 99}}, {"s(2,1,3)", {0, 1, 99}},
    {"s(2,1,2,2)", {0, 99, 1}},
    {"s(1,2,1,2,2)", {0, 99, 99}}, {"s(0)", {0, 99, 99}}, {"x(12)", {0, 99, 99}}, {"x(12)", {3, 8, -9}},
    {"i(4)", {5, 5, 5}},
    {"b(3)", {0, 99, 99}}, {NULL},
};

static const OpError none[] = {{NULL}};
#define REFUSES(kernel, kind, dtype) {kind "(2)", {0}, "\"" kernel "\" not implemented for '" dtype "'"}
static const OpError floor_errors[] = {REFUSES("floor_vml_cpu", "b", "Bool"), {NULL}};
static const OpError ceil_errors[] = {REFUSES("ceil_vml_cpu", "b", "Bool"), {NULL}};
static const OpError trunc_errors[] = {REFUSES("trunc_vml_cpu", "b", "Bool"), {NULL}};
static const OpError frac_errors[] = {REFUSES("frac_cpu", "b", "Bool"), REFUSES("frac_cpu", "i", "Long"), {NULL}};
static const OpError round_errors[] = {
    REFUSES("round_vml_cpu", "b", "Bool"),
    {"i(2)", {1}, "\"round_cpu\" not implemented for 'Long'"},
    {"b(2)", {-1}, "\"round_cpu\" not implemented for 'Bool'"},
    {NULL},
};

static const OpRow rows[] = {
    {"t_exp2", call_exp2, smooth_cases, none},
    {"t_expm1", call_expm1, smooth_cases, none},
    {"t_log2", call_log2, positive_cases, none},
    {"t_log10", call_log10, positive_cases, none},
    {"t_log1p", call_log1p, positive_cases, none},
    {"t_erfc", call_erfc, smooth_cases, none},
    {"t_erfinv", call_erfinv, unit_cases, none},
    {"t_tan", call_tan, unit_cases, none},
    {"t_asin", call_asin, unit_cases, none},
    {"t_acos", call_acos, unit_cases, none},
    {"t_atan", call_atan, smooth_cases, none},
    {"t_sinh", call_sinh, smooth_cases, none},
    {"t_cosh", call_cosh, smooth_cases, none},
    {"t_asinh", call_asinh, smooth_cases, none},
    {"t_acosh", call_acosh, positive_cases, none},
    {"t_atanh", call_atanh, unit_cases, none},
    {"t_sinc", call_sinc, separated_cases, none},
    {"t_deg2rad", call_deg2rad, smooth_cases, none},
    {"t_rad2deg", call_rad2deg, smooth_cases, none},
    {"t_floor", call_floor, rounding_cases, floor_errors},
    {"t_ceil", call_ceil, rounding_cases, ceil_errors},
    {"t_trunc", call_trunc, rounding_cases, trunc_errors},
    {"t_frac", call_frac, frac_cases, frac_errors},
    {"t_round", call_round, round_cases, round_errors},
    {"t_logit", call_logit, logit_cases, none},
    {"t_nan_to_num", call_nan_to_num, nan_to_num_cases, none},
    WITH_INPLACE(sgn, separated_cases, none, none),
    {"t_signbit", call_signbit, separated_cases, none, NO_GRADIENT},
};
TABLE(unary_math_table, "ops_unary_math.txt", rows);
