/* tests/op_table_reductions.c: ops that make fewer elements of many (core/ops/reduce.c, extrema.c, fold.c). */
#include "tests/op_table.h"

/* Numbers: keepdim, then how many dims and which. */
#define OF_DIMS(f)                                                                                                \
    static t_TensorList *call_##f(const Call *c) { return list_of(t_##f(c->x[0], c->n + 2, (int)c->n[1], c->n[0])); }
OF_DIMS(sum)
OF_DIMS(mean)
OF_DIMS(amax)
OF_DIMS(amin)
OF_DIMS(all)
OF_DIMS(any)

/* Numbers: twice the correction, keepdim, then how many dims and which. */
static t_TensorList *call_var(const Call *c) {
    return list_of(t_var(c->x[0], c->n + 3, (int)c->n[2], (double)c->n[0] / 2, c->n[1]));
}
/* Numbers: dim, keepdim. The values and, where a dim is given, the indices. */
static t_TensorList *both(Tensor *y, Tensor *indices) {
    return !y ? NULL : indices ? t_list_new((Tensor *[]){y, indices}, 2) : list_of(y);
}
static t_TensorList *call_max(const Call *c) {
    Tensor *indices = NULL;
    Tensor *y = t_max(c->x[0], c->n[0], c->n[1], c->n[0] == T_NONE ? NULL : &indices);
    return both(y, indices);
}
static t_TensorList *call_min(const Call *c) {
    Tensor *indices = NULL;
    Tensor *y = t_min(c->x[0], c->n[0], c->n[1], c->n[0] == T_NONE ? NULL : &indices);
    return both(y, indices);
}
static t_TensorList *call_argmax(const Call *c) {
    return list_of(t_argmax(c->x[0], c->n[0], c->n[1]));
}
static t_TensorList *call_argmin(const Call *c) {
    return list_of(t_argmin(c->x[0], c->n[0], c->n[1]));
}

#define OVER_DIMS                                                                                                 \
    {"r()", {0, 0}}, {"r()", {0, 1, 0}}, {"r(7)", {0, 0}}, {"r(7)", {1, 1, 0}}, {"r(3,4)", {0, 0}},                   \
    {"r(3,4)", {1, 0}}, {"r(3,4)", {0, 1, 0}}, {"r(3,4)", {1, 1, -1}}, {"r(2,3,4)", {0, 2, 0, 2}},                   \
    {"r(2,3,4)", {1, 1, 1}},                                                                                      \
    {"r(2,1,3,2)", {0, 2, -1, 1}}, {"r(2,1,2,3,2)", {0, 3, 0, 2, 4}}, {"r(0)", {0, 0}}, {"r(2,0,3)", {0, 1, 1}},  \
    {"r(2,0,3)", {1, 1, 0}}, {"x(12)", {0, 0}}
static const OpCase sum_cases[] = {
    OVER_DIMS, {"i(2,3)", {0, 1, 1}}, {"b(5)", {0, 0}}, {"i(0)", {0, 0}}, {"r(29)", {0, 0}}, {NULL},
};
static const OpCase mean_cases[] = {OVER_DIMS, {NULL}};
static const OpCase var_cases[] = {
    {"r(7)", {2, 0, 0}}, {"r(7)", {0, 0, 0}}, {"r(7)", {2, 1, 1, 0}}, {"r(3,4)", {2, 0, 0}}, {"r(3,4)", {2, 0, 1, 0}},
    {"r(3,4)", {0, 1, 1, -1}}, {"r(2,3,4)", {2, 0, 2, 0, 2}}, {"r(2,1,3,2)", {0, 0, 2, -1, 2}},
    {"r(2,1,2,3,2)", {2, 1, 3, 0, 2, 4}}, {"r(3,4)", {3, 0, 1, 1}}, {"r()", {0, 0, 0}}, {"x(12)", {2, 0, 0}},
    {"r(0,3)", {2, 0, 1, 1}}, {NULL},
};
static const OpCase amax_cases[] = {
    {"s()"}, {"s()", {0, 1, 0}}, {"s(7)"}, {"s(7)", {1, 1, 0}}, {"s(3,4)"}, {"s(3,4)", {1}}, {"s(3,4)", {0, 1, 0}},
    {"s(3,4)", {1, 1, -1}}, {"s(2,3,4)", {0, 2, 0, 2}}, {"s(2,3,4)", {1, 1, 1}}, {"s(2,1,3,2)", {0, 2, -1, 1}},
    {"s(2,1,2,3,2)", {0, 3, 0, 2, 4}}, {"s(2,0,3)", {0, 1, 0}}, {"s(0,3)", {1, 1, 1}}, {"t(12)"}, {"t(3,4)", {0, 1, 1}},
    {"t(2,3,4)", {1, 2, 2, 0}}, {"S(5)"}, {"i(6)"}, {"i(2,3)", {0, 1, 1}}, {"b(4)"}, {"b(3,2)", {0, 1, 0}},
    {"x(12)"}, {"x(3,4)", {0, 1, 1}}, {"x(3,4)", {1, 1, 0}}, {NULL},
};
#define ALONG                                                                                                     \
    {"s()", {0}}, {"s(7)", {0}}, {"s(7)", {0, 1}}, {"s(3,4)", {0}}, {"s(3,4)", {-1, 1}}, {"s(2,3,4)", {1}},           \
    {"s(2,1,3,2)", {1}}, {"s(2,1,2,3,2)", {-2}}, {"s(0,3)", {1}}, {"i(6)", {0}}, {"t(3,4)", {1}},                  \
    {"x(3,4)", {1}}, {"x(4)", {0}}
static const OpCase extreme_cases[] = {
    ALONG, {"b(4)", {0}}, {"s()", {T_NONE}}, {"s(7)", {T_NONE}}, {"s(2,3,2)", {T_NONE}}, {"t(3,4)", {T_NONE}},
    {"i(6)", {T_NONE}}, {"x(12)", {T_NONE}}, {"b(4)", {T_NONE}}, {NULL},
};
static const OpCase arg_cases[] = {
    ALONG, {"s()", {T_NONE}}, {"s(7)", {T_NONE}}, {"s(2,3,2)", {T_NONE}}, {"s(2,3)", {T_NONE, 1}},
    {"t(3,4)", {T_NONE}}, {"i(6)", {T_NONE}}, {"x(12)", {T_NONE}}, {NULL},
};
static const OpCase truth_cases[] = {
    {"b()"}, {"b(1)"}, {"b(5)"}, {"b(2,3)"}, {"b(0)"}, {"i(3)"}, {"t(2)"}, {"r(2,1,2,3,2)"}, {"x(2)"}, {"r(3)"},
    {"b()", {0, 1, -1}}, {"b(5)", {1}}, {"b(2,3)", {0, 1, 1}}, {"b(2,3)", {1, 1, -1}}, {"b(3,4)", {0, 1, 0}}, {"t(3,2)", {1, 1, 1}},
    {"t(2,3,2)", {0, 2, 0, -1}}, {"i(4,2)", {0, 1, 0}}, {"b(2,1,2,2,2)", {0, 3, 0, 2, 4}}, {"b(2,0)", {0, 1, 1}},
    {"b(2,0)", {1, 1, 0}}, {"b(0,3)", {0, 1, 0}}, {"x(6,2)", {0, 1, 1}}, {"b(2,1,2,2)", {0, 1, 3}}, {NULL},
};

#define RANGE2 "Dimension out of range (expected to be in range of [-2, 1], but got 2)"
static const OpError sum_errors[] = {
    {"r(2,3)", {0, 1, 2}, RANGE2},
    {"r(2,3)", {0, 2, 1, -1}, "dim 1 appears multiple times in the list of dims"},
    {"r()", {0, 1, 1}, "Dimension out of range (expected to be in range of [-1, 0], but got 1)"},
    {NULL},
};
static const OpError mean_errors[] = {
    {"r(2,3)", {0, 1, 2}, RANGE2},
    {"r(2,3)", {0, 2, 1, -1}, "dim 1 appears multiple times in the list of dims"},
    {"i(3)", {0}, "mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
                  "dtype. Got: Long"},
    {NULL},
};
static const OpError var_errors[] = {
    {"r(2,3)", {2, 0, 1, 2}, RANGE2},
    {"r(2,3)", {2, 0, 2, 0, 0}, "dim 0 appears multiple times in the list of dims"},
    {"i(3)", {2, 0, 0}, "std and var only support floating point and complex dtypes"},
    {NULL},
};
#define NO_DIM(f)                                                                                                 \
    f "(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' "  \
      "argument."
#define NO_SIZE(f) f "(): Expected reduction dim 0 to have non-zero size."
static const OpError truth_errors[] = {
    {"b(2,3)", {0, 1, 2}, RANGE2},
    {"b(2,3)", {0, 2, 1, -1}, "dim 1 appears multiple times in the list of dims"},
    {NULL},
};
#define EXTREME_ERRORS(f)                                                                                         \
    {"s(2,3)", {0, 1, 2}, RANGE2},                                                                                \
    {"s(2,3)", {0, 2, 1, -1}, "dim 1 appears multiple times in the list of dims"},                                \
    {"r(0)", {0}, NO_DIM(f)},                                                                                     \
    {"r(2,0)", {0}, NO_DIM(f)},                                                                                   \
    {"r(0,2)", {0, 1, 0}, NO_SIZE(f)},                                                                            \
    {"r(2,0)", {0, 2, 0, -1}, f "(): Expected reduction dim -1 to have non-zero size."}
static const OpError amax_errors[] = {EXTREME_ERRORS("amax"), {NULL}};
static const OpError amin_errors[] = {EXTREME_ERRORS("amin"), {NULL}};
static const OpError max_errors[] = {
    {"s(2,3)", {2}, RANGE2},
    {"r(0)", {T_NONE}, NO_DIM("max")},
    {"r(0,2)", {0}, NO_SIZE("max")},
    {NULL},
};
static const OpError min_errors[] = {
    {"s(2,3)", {2}, RANGE2},
    {"r(0)", {T_NONE}, NO_DIM("min")},
    {"r(0,2)", {0}, NO_SIZE("min")},
    {NULL},
};
static const OpError argmax_errors[] = {
    {"s(2,3)", {2}, RANGE2},
    {"r(0)", {T_NONE}, "argmax(): Expected reduction dim to be specified for input.numel() == 0."},
    {"r(0,2)", {0}, NO_SIZE("argmax")},
    {"b(3)", {0}, "argmax(): does not support bool input"},
    {NULL},
};
static const OpError argmin_errors[] = {
    {"s(2,3)", {2}, RANGE2},
    {"r(0)", {T_NONE}, "argmin(): Expected reduction dim to be specified for input.numel() == 0."},
    {"r(0,2)", {0}, NO_SIZE("argmin")},
    {"b(3)", {0}, "argmin(): does not support bool input"},
    {NULL},
};
static const OpRow rows[] = {
    {"t_sum", call_sum, sum_cases, sum_errors, SUMS},
    {"t_mean", call_mean, mean_cases, mean_errors, SUMS},
    {"t_var", call_var, var_cases, var_errors, SUMS},
    {"t_max", call_max, extreme_cases, max_errors},
    {"t_min", call_min, extreme_cases, min_errors},
    {"t_argmax", call_argmax, arg_cases, argmax_errors, NO_GRADIENT},
    {"t_argmin", call_argmin, arg_cases, argmin_errors, NO_GRADIENT},
    {"t_amax", call_amax, amax_cases, amax_errors},
    {"t_amin", call_amin, amax_cases, amin_errors},
    {"t_all", call_all, truth_cases, truth_errors, NO_GRADIENT},
    {"t_any", call_any, truth_cases, truth_errors, NO_GRADIENT},
};
TABLE(reduction_table, "ops_reductions.txt", rows);
