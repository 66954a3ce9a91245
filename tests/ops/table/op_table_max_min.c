/* tests/ops/table/op_table_max_min.c: the largest, the smallest, all, any, and counting (core/ops/reduction/max_min.c,
 * amax.c, histogram.c). */
#include <math.h>

#include "tests/ops/table/op_table.h"

/* Numbers: keepdim, then how many dims and which. */
#define OF_DIMS(f)                                                                                                \
    static t_TensorList *call_##f(const Call *c) { return list_of(t_##f(c->x[0], c->n + 2, (int)c->n[1], c->n[0])); }
OF_DIMS(amax)
OF_DIMS(amin)
OF_DIMS(all)
OF_DIMS(any)

/* Numbers: how many dims and which. */
static t_TensorList *call_count_nonzero(const Call *c) {
    return list_of(t_count_nonzero(c->x[0], c->n + 1, (int)c->n[0]));
}

/* Numbers: dim, keepdim. */
/* The values and, where a dim is given, the indices. */
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
static t_TensorList *call_aminmax(const Call *c) {
    Tensor *max = NULL, *y = t_aminmax(c->x[0], c->n[0], c->n[1], &max);
    return both(y, max);
}

/* Numbers: minlength. */
static t_TensorList *call_bincount(const Call *c) {
    return list_of(t_bincount(c->x[0], c->count > 1 ? c->x[1] : NULL, c->n[0]));
}
static double half(int64_t n) {
    return n == 99 ? INFINITY : n == -99 ? -INFINITY : (double)n / 2;
}
/* Numbers: bins, twice min, twice max (99: infinite). */
static t_TensorList *call_histc(const Call *c) {
    return list_of(t_histc(c->x[0], c->n[0], half(c->n[1]), half(c->n[2])));
}

static const OpCase amax_cases[] = {
    {"s()"}, {"s()", {0, 1, 0}}, {"s(7)"}, {"s(7)", {1, 1, 0}}, {"s(3,4)"}, {"s(3,4)", {1}}, {"s(3,4)", {0, 1, 0}},
    {"s(3,4)", {1, 1, -1}}, {"s(2,3,4)", {0, 2, 0, 2}}, {"s(2,3,4)", {1, 1, 1}}, {"s(2,1,3,2)", {0, 2, -1, 1}},
    {"s(2,1,2,3,2)", {0, 3, 0, 2, 4}}, {"s(2,0,3)", {0, 1, 0}}, {"s(0,3)", {1, 1, 1}}, {"t(12)"}, {"t(3,4)", {0, 1, 1}},
    {"t(2,3,4)", {1, 2, 2, 0}}, {"S(5)"}, {"i(6)"}, {"i(2,3)", {0, 1, 1}}, {"b(4)"}, {"b(3,2)", {0, 1, 0}},
    {"x(12)"}, {"x(3,4)", {0, 1, 1}}, {"x(3,4)", {1, 1, 0}}, {NULL},
};
#define ALONG                                                                                               \
    {"s()", {0}}, {"s(7)", {0}}, {"s(7)", {0, 1}}, {"s(3,4)", {0}}, {"s(3,4)", {-1, 1}}, {"s(2,3,4)", {1}}, \
    {"s(2,1,3,2)", {1}}, {"s(2,1,2,3,2)", {-2}}, {"s(0,3)", {1}}, {"i(6)", {0}}, {"t(3,4)", {1}},           \
    {"x(3,4)", {1}}, {"x(4)", {0}}
static const OpCase extreme_cases[] = {
    ALONG, {"b(4)", {0}}, {"s()", {T_NONE}}, {"s(7)", {T_NONE}}, {"s(2,3,2)", {T_NONE}}, {"t(3,4)", {T_NONE}},
    {"i(6)", {T_NONE}}, {"x(12)", {T_NONE}}, {"b(4)", {T_NONE}}, {NULL},
};
static const OpCase arg_cases[] = {
    ALONG, {"s()", {T_NONE}}, {"s(7)", {T_NONE}}, {"s(2,3,2)", {T_NONE}}, {"s(2,3)", {T_NONE, 1}},
    {"t(3,4)", {T_NONE}}, {"i(6)", {T_NONE}}, {"x(12)", {T_NONE}}, {NULL},
};
static const OpCase aminmax_cases[] = {
    ALONG, {"b(4)", {0}}, {"s()", {T_NONE}}, {"s(7)", {T_NONE, 1}}, {"s(2,3,2)", {T_NONE, 1}}, {"t(3,4)", {T_NONE}},
    {"i(6)", {T_NONE}}, {"x(12)", {T_NONE}}, {"b(3,2)", {T_NONE}}, {NULL},
};
static const OpCase count_cases[] = {
    {"t()"}, {"t(7)"}, {"t(3,4)", {1, 1}}, {"t(3,4)", {2, 0, -1}}, {"i(2,3,2)", {2, 0, 2}}, {"b(2,1,3,2)", {1, -1}},
    {"b(2,1,2,3,2)", {3, 0, 2, 4}}, {"x(12)"}, {"t(0)"}, {"i(2,0)", {1, 1}}, {"i(5)"}, {NULL},
};
static const OpCase bincount_cases[] = {
    {"k5(12)"}, {"k5(12)", {9}}, {"k5(12)", {2}}, {"k5(12) R(12)"}, {"k5(12) D(12)"}, {"k5(12) i(12)", {7}},
    {"k5(6) b(6)"},
    {"k1(0)"}, {"k1(0)", {3}}, {"k1(0) R(0)", {2}}, {NULL},
};
static const OpCase histc_cases[] = {
    {"R(30)", {4}}, {"R(30)", {5, -2, 2}}, {"R(3,8)", {7, -3, 1}}, {"R(2,3,2)", {4}}, {"R(2,1,3,2)", {3}},
    {"R(2,1,2,3,2)", {2}}, {"R()", {3}},
    {"R(0)", {3}}, {"T(12)", {5}}, {"T(12)", {4, -2, 2}}, {"x(12)", {3, -2, 2}}, {"P(40)", {1}}, {NULL},
};
static const OpCase truth_cases[] = {
    {"b()"}, {"b(1)"}, {"b(5)"}, {"b(2,3)"}, {"b(0)"}, {"i(3)"}, {"t(2)"}, {"r(2,1,2,3,2)"}, {"x(2)"}, {"r(3)"},
    {"b()", {0, 1, -1}}, {"b(5)", {1}}, {"b(2,3)", {0, 1, 1}}, {"b(2,3)", {1, 1, -1}}, {"b(3,4)", {0, 1, 0}},
    {"t(3,2)", {1, 1, 1}},
    {"t(2,3,2)", {0, 2, 0, -1}}, {"i(4,2)", {0, 1, 0}}, {"b(2,1,3,2)", {0, 1, 2}}, {"b(2,1,2,2,2)", {0, 3, 0, 2, 4}},
    {"b(2,0)", {0, 1, 1}},
    {"b(2,0)", {1, 1, 0}}, {"b(0,3)", {0, 1, 0}}, {"x(6,2)", {0, 1, 1}}, {NULL},
};

#define RANGE2 "Dimension out of range (expected to be in range of [-2, 1], but got 2)"
#define NO_DIM(f)                                                                                                    \
    f "(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' " \
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
static const OpError count_errors[] = {
    {"b(2,3)", {1, 2}, RANGE2},
    {"b(2,3)", {2, 1, -1}, "dim 1 appears multiple times in the list of dims"},
    {NULL},
};
static const OpError aminmax_errors[] = {
    {"s(2,3)", {2}, RANGE2},
    {"r(0)", {T_NONE}, "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."},
    {"r(0,2)", {0}, "aminmax: Expected reduction dim 0 to have non-zero size."},
    {NULL},
};
static const OpError bincount_errors[] = {
    {"r(3)", {0}, "\"bincount_cpu\" not implemented for 'Float'"},
    {"b(3)", {0}, "\"bincount_cpu\" not implemented for 'Bool'"},
    {"k3(3)", {-1}, "minlength should be >= 0"},
    {"i(9)", {0}, "bincount only supports 1-d non-negative integral inputs."},
    {"k3()", {0}, "bincount only supports 1-d non-negative integral inputs."},
    {"k3(2,2)", {0}, "bincount only supports 1-d non-negative integral inputs."},
    {"k3(3) R(2)", {0}, "weights should be 1-d and have the same length as input"},
    {"k3(3) R(3,1)", {0}, "weights should be 1-d and have the same length as input"},
    {NULL},
};
static const OpError histc_errors[] = {
    {"i(3)", {2}, "\"histogram_cpu\" not implemented for 'Long'"},
    {"R(3)", {0}, "torch.histogram(): bins must be > 0, but got 0 for dimension 0"},
    {"R(3)", {2, 2, 1}, "torch.histc: max must be larger than min"},
    {"R(3)", {2, 0, 99}, "torch.histc: range of [0, inf] is not finite"},
    {NULL},
};

static const OpRow rows[] = {
    {"t_aminmax", call_aminmax, aminmax_cases, aminmax_errors},
    {"t_count_nonzero", call_count_nonzero, count_cases, count_errors, NO_GRADIENT},
    {"t_bincount", call_bincount, bincount_cases, bincount_errors, NO_GRADIENT | SUMS, "1?",
        .ranks = "1z: PyTorch counts vectors only"},
    {"t_histc", call_histc, histc_cases, histc_errors, NO_GRADIENT},
    {"t_max", call_max, extreme_cases, max_errors},
    {"t_min", call_min, extreme_cases, min_errors},
    {"t_argmax", call_argmax, arg_cases, argmax_errors, NO_GRADIENT},
    {"t_argmin", call_argmin, arg_cases, argmin_errors, NO_GRADIENT},
    {"t_amax", call_amax, amax_cases, amax_errors},
    {"t_amin", call_amin, amax_cases, amin_errors},
    {"t_all", call_all, truth_cases, truth_errors, NO_GRADIENT},
    {"t_any", call_any, truth_cases, truth_errors, NO_GRADIENT},
};
TABLE(max_min_table, "ops_max_min.txt", rows);
