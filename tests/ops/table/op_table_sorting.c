/* tests/ops/table/op_table_sorting.c: ops that put a row in order or pick from it by order (core/ops/sorting/sort.c,
 * median.c, quantile.c, unique.c). */
#include "tests/ops/table/op_table.h"

static t_TensorList *both(Tensor *y, Tensor *indices) {
    return !y ? NULL : indices ? t_list_new((Tensor *[]){y, indices}, 2) : list_of(y);
}

/* Numbers: dim, descending, stable. */
static t_TensorList *call_sort(const Call *c) {
    Tensor *indices = NULL, *y = t_sort(c->x[0], c->n[0], c->n[1], c->n[2], &indices);
    return both(y, indices);
}
static t_TensorList *call_argsort(const Call *c) {
    return list_of(t_argsort(c->x[0], c->n[0], c->n[1], c->n[2]));
}
CALL1(msort)

/* Numbers: k, dim, smallest, unsorted. */
static t_TensorList *call_topk(const Call *c) {
    Tensor *indices = NULL, *y = t_topk(c->x[0], c->n[0], c->n[1], !c->n[2], !c->n[3], &indices);
    return both(y, indices);
}
/* Numbers: k, dim, keepdim. */
static t_TensorList *call_kthvalue(const Call *c) {
    Tensor *indices = NULL, *y = t_kthvalue(c->x[0], c->n[0], c->n[1], c->n[2], &indices);
    return both(y, indices);
}

/* Numbers: dim, keepdim. */
#define MIDDLE(f)                                                                                                 \
    static t_TensorList *call_##f(const Call *c) {                                                                \
        Tensor *indices = NULL, *y = t_##f(c->x[0], c->n[0], c->n[1], c->n[0] == T_NONE ? NULL : &indices);       \
        return both(y, indices);                                                                                  \
    }
MIDDLE(median)
MIDDLE(nanmedian)
MIDDLE(mode)

/* Numbers: dim, keepdim, the number of the interpolation; for -1 it is left out. */
static const char *const interpolations[] = {"linear", "lower", "higher", "midpoint", "nearest", "cubic"};
static t_TensorList *call_quantile(const Call *c) {
    return list_of(t_quantile(c->x[0], c->x[1], c->n[0], c->n[1], c->n[2] < 0 ? NULL : interpolations[c->n[2]]));
}
static t_TensorList *call_nanquantile(const Call *c) {
    return list_of(t_nanquantile(c->x[0], c->x[1], c->n[0], c->n[1], c->n[2] < 0 ? NULL : interpolations[c->n[2]]));
}

/* Numbers: dim. */
static t_TensorList *three(Tensor *y, Tensor *inverse, Tensor *counts) {
    return y ? t_list_new((Tensor *[]){y, inverse, counts}, 3) : NULL;
}
static t_TensorList *call_unique(const Call *c) {
    Tensor *inverse = NULL, *counts = NULL, *y = t_unique(c->x[0], true, &inverse, &counts, c->n[0]);
    return three(y, inverse, counts);
}
static t_TensorList *call_unique_consecutive(const Call *c) {
    Tensor *inverse = NULL, *counts = NULL, *y = t_unique_consecutive(c->x[0], &inverse, &counts, c->n[0]);
    return three(y, inverse, counts);
}

/* Where equals end up matters: t and k are full of them, in rows of up to 16, 64 and more elements. */
static const OpCase sort_cases[] = {
    {"s()", {0}}, {"s()", {-1, 1}}, {"s(7)", {0}}, {"s(7)", {-1, 1}}, {"s(3,4)", {0}}, {"s(3,4)", {-1, 1, 1}},
    {"s(2,3,4)", {1}},
    {"s(2,1,3,2)", {-2, 1}}, {"s(2,1,2,3,2)", {3, 0, 1}}, {"s(0)", {0}}, {"s(2,0,3)", {2}}, {"s(2,0,3)", {1}},
    {"t(12)", {0}},
    {"t(12)", {0, 1}}, {"x(12)", {0}}, {"x(12)", {0, 1}}, {"t(40)", {0}}, {"t(40)", {0, 1}}, {"t(40)", {0, 0, 1}},
    {"k3(70)", {0, 1, 1}}, {"k1(20)", {0}}, {"k4(150)", {0}}, {"k9(300)", {0, 1}}, {"i(2,9)", {1}}, {"b(9)", {0}},
    {"b(30)", {0}},
    {"b(3,4)", {0, 1}}, {NULL},
};
static const OpCase msort_cases[] = {
    {"s()"}, {"s(7)"}, {"s(3,4)"}, {"s(2,3,4)"}, {"s(2,1,3,2)"}, {"s(2,1,2,3,2)"}, {"s(0,2)"}, {"i(9)"}, {"b(4)"},
    {NULL},
};
static const OpCase topk_cases[] = {
    {"s()", {1, 0}}, {"s(7)", {3, 0}}, {"s(7)", {7, -1, 1}}, {"s(3,4)", {2, 0}}, {"s(3,4)", {1, -1, 0, 1}},
    {"s(2,3,4)", {2, 1}},
    {"s(2,1,3,2)", {2, -2, 1}}, {"s(2,1,2,3,2)", {1, 3}}, {"s(0)", {0, 0}}, {"s(2,0,3)", {2, 2}}, {"s(5)", {0, 0}},
    {"t(12)", {5, 0}}, {"t(12)", {5, 0, 1}}, {"t(12)", {5, 0, 0, 1}}, {"x(12)", {8, 0}}, {"x(12)", {12, 0, 1}},
    {"t(70)", {1, 0}},
    {"k3(40)", {30, 0}}, {"k9(200)", {3, 0}}, {"k9(200)", {3, 0, 1, 1}}, {"k9(200)", {50, 0}}, {"k2(90)", {60, 0, 1}},
    {"i(3,4)", {2, 1}}, {NULL},
};
static const OpCase kthvalue_cases[] = {
    {"s()", {1, 0}}, {"s(7)", {3, 0}}, {"s(7)", {7, -1, 1}}, {"s(3,4)", {2, 0}}, {"s(3,4)", {1, -1, 1}},
    {"s(2,3,4)", {2, 1}},
    {"s(2,1,3,2)", {3, -2, 1}}, {"s(2,1,2,3,2)", {2, 3}}, {"s(0,3)", {2, 1}}, {"t(12)", {5, 0}}, {"t(3,9)", {4, 1}},
    {"x(12)", {11, 0}}, {"x(12)", {2, 0}}, {"k9(200)", {77, 0}}, {"i(3,4)", {2, 1}}, {NULL},
};
#define MIDDLES                                                                                                        \
    {"s()", {0}}, {"s(7)", {0}}, {"s(6)", {-1, 1}}, {"s(3,4)", {0}}, {"s(3,4)", {-1, 1}}, {"s(2,3,4)", {1}},           \
    {"s(2,1,3,2)", {-2}}, {"s(2,1,2,3,2)", {3, 1}}, {"s(0,3)", {1}}, {"t(12)", {0}}, {"t(3,9)", {1}}, {"k3(41)", {0}}, \
    {"k9(200)", {0}}, {"i(3,4)", {1}}
static const OpCase median_cases[] = {
    MIDDLES, {"x(12)", {0}}, {"x(3,4)", {1}}, {"x(4,3)", {0, 1}}, {"s()", {T_NONE}}, {"s(7)", {T_NONE}}, {"s(2,3,2)",
        {T_NONE}},
    {"t(3,4)", {T_NONE}}, {"x(12)", {T_NONE}}, {"x(3,4)", {T_NONE}}, {"i(6)", {T_NONE}}, {"s(0)", {T_NONE}}, {NULL},
};
static const OpCase mode_cases[] = {MIDDLES, {"b(9)", {0}}, {"b(3,4)", {1}}, {"k2(100)", {0}}, {NULL}};
#define QUANTILES                                                                                                \
    {"s() Q()", {T_NONE}}, {"s(7) q()", {T_NONE}}, {"s(7) Q(3)", {0, 0, -1}}, {"s(3,4) q(2)", {T_NONE, 1}},      \
    {"s(3,4) Q()", {0}},                                                                                         \
    {"s(3,4) q(3)", {-1, 1}}, {"s(2,3,4) q(2)", {1}}, {"s(2,3,4) q()", {1, 1}}, {"s(2,1,3,2) Q(2)", {-2}},       \
    {"s(2,1,2,3,2) q(1)", {3, 1}}, {"s(9) Q(4)", {0, 0, 1}}, {"s(9) Q(4)", {0, 0, 2}}, {"s(9) Q(4)", {0, 0, 3}}, \
    {"s(9) Q(4)", {0, 0, 4}}, {"s(3,4) q(2)", {1, 0, 3}}, {"x(12) Q(3)", {T_NONE}}, {"x(3,4) Q(2)", {1}},        \
    {"x(4,3) Q(2)", {0, 0, 4}}, {"x(4,3) Q(2)", {0, 0, 1}}
static const OpCase quantile_cases[] = {QUANTILES, {"s(9) N", {T_NONE}}, {"s(4,3) N"}, {"s(3,4) N", {1, 1, 4}}, {NULL}};
static const OpCase nanquantile_cases[] = {QUANTILES, {"s(8) N"}, {"s(2,5) N", {1, 1, 4}}, {NULL}};
static const OpCase unique_cases[] = {
    {"T()", {T_NONE}}, {"T(12)", {T_NONE}}, {"T(3,4)", {T_NONE}}, {"k4(2,3,2)", {T_NONE}}, {"i(2,1,3,2)", {T_NONE}},
    {"i(2,1,2,3,2)", {T_NONE}}, {"x(12)", {T_NONE}}, {"b(9)", {T_NONE}}, {"T(0)", {T_NONE}}, {"k3(0,2)", {0}},
    {"T(8)", {0}},
    {"k2(6,2)", {0}}, {"k2(2,6)", {1}}, {"k2(3,6,2)", {-2}}, {"b(2,1,2,2,5)", {-1}}, {"k30(200)", {T_NONE}}, {NULL},
};

#define RANGE1 "Dimension out of range (expected to be in range of [-1, 0], but got 1)"
#define RANGE2 "Dimension out of range (expected to be in range of [-2, 1], but got 2)"
#define NO_SIZE(f) f "(): Expected reduction dim 0 to have non-zero size."
static const OpError none[] = {{NULL}};
static const OpError sort_errors[] = {{"s(3)", {1}, RANGE1}, {"s()", {1}, RANGE1}, {"s(2,3)", {2}, RANGE2}, {NULL}};
static const OpError topk_errors[] = {
    {"s(3)", {1, 1}, RANGE1},
    {"s(3)", {4, 0}, "selected index k out of range"},
    {"s(3)", {-1, 0}, "selected index k out of range"},
    {"s()", {2, 0}, "selected index k out of range"},
    {"b(3)", {1, 0}, "topk does not support bool dtypes on CPU"},
    {NULL},
};
static const OpError kthvalue_errors[] = {
    {"s(3)", {1, 1}, RANGE1},
    {"s(3)", {4, 0}, "kthvalue(): selected number k out of range for dimension 0"},
    {"s(2,3)", {0, 1}, "kthvalue(): selected number k out of range for dimension 1"},
    {"s()", {2, 0}, "kthvalue(): selected number k out of range for dimension 0"},
    {"s(0)", {1, 0}, NO_SIZE("kthvalue")},
    {"b(3)", {1, 0}, "\"kthvalue_cpu\" not implemented for 'Bool'"},
    {NULL},
};
static const OpError median_errors[] = {
    {"s(3)", {1}, RANGE1},
    {"s(0)", {0}, NO_SIZE("median")},
    {"b(3)", {0}, "\"median_out\" not implemented for 'Bool'"},
    {"b(3)", {T_NONE}, "\"median_cpu\" not implemented for 'Bool'"},
    {NULL},
};
static const OpError mode_errors[] = {{"s(3)", {1}, RANGE1}, {"s(0)", {0}, NO_SIZE("mode")}, {NULL}};
static const OpError quantile_errors[] = {
    {"s(3) Q()", {1}, RANGE1},
    {"s(3) Q()", {0, 0, 5},
        "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got cubic"},
    {"s(0) Q()", {0}, "quantile() input tensor must be non-empty"},
    {"s(3) Q(2,2)", {0}, "quantile() q must be a scalar or 1D tensor"},
    {"i(3) Q()", {0}, "quantile() input tensor must be either float or double dtype"},
    {"s(3) D()", {0}, "quantile() q tensor must be same dtype as the input tensor"},
    {"s(3) k1()", {0}, "quantile() q tensor must be same dtype as the input tensor"},
    {"s(3) S(4)", {0}, "quantile() q values must be in the range [0, 1]"},
    {NULL},
};
static const OpError unique_errors[] = {
    {"T(3)", {1}, RANGE1},
    {"T()", {0}, "Dimension specified as 0 but tensor has no dimensions"},
    {"k3(0,2)", {1}, "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"},
    {NULL},
};

static const OpRow rows[] = {
    {"t_sort", call_sort, sort_cases, sort_errors},
    {"t_argsort", call_argsort, sort_cases, sort_errors, NO_GRADIENT},
    {"t_msort", call_msort, msort_cases, none},
    {"t_topk", call_topk, topk_cases, topk_errors},
    {"t_kthvalue", call_kthvalue, kthvalue_cases, kthvalue_errors},
    {"t_median", call_median, median_cases, median_errors},
    {"t_nanmedian", call_nanmedian, median_cases, median_errors},
    {"t_mode", call_mode, mode_cases, mode_errors},
    {"t_quantile", call_quantile, quantile_cases, quantile_errors, OWN_GRAD_FN,
        .ranks = "012345: PyTorch refuses a tensor without elements"},
    {"t_nanquantile", call_nanquantile, nanquantile_cases, quantile_errors, OWN_GRAD_FN,
        .ranks = "012345: PyTorch refuses a tensor without elements"},
    {"t_unique", call_unique, unique_cases, unique_errors, NO_GRADIENT},
    {"t_unique_consecutive", call_unique_consecutive, unique_cases, unique_errors, NO_GRADIENT},
};
TABLE(sorting_table, "ops_sorting.txt", rows);
