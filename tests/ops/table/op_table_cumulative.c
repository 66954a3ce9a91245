/* tests/ops/table/op_table_cumulative.c: ops that go along a dim from each element to the next
 * (core/ops/reduction/cumulative.c, cummax.c), and softmax with a dtype. */
#include "nn/functional/functional.h"
#include "tests/ops/table/op_table.h"

/* Numbers: dim, dtype. */
#define IN_DTYPE(f)                                                                                               \
    static t_TensorList *call_##f(const Call *c) { return list_of(t_##f(c->x[0], c->n[0], (t_DType)c->n[1])); }
IN_DTYPE(cumsum)
IN_DTYPE(cumprod)
IN_DTYPE(softmax_as)
IN_DTYPE(log_softmax_as)

static t_TensorList *call_F_softmax_as(const Call *c) {
    return list_of(F_softmax_as(c->x[0], c->n[0], (t_DType)c->n[1]));
}
static t_TensorList *call_F_log_softmax_as(const Call *c) {
    return list_of(F_log_softmax_as(c->x[0], c->n[0], (t_DType)c->n[1]));
}

static t_TensorList *call_logcumsumexp(const Call *c) {
    return list_of(t_logcumsumexp(c->x[0], c->n[0]));
}
static t_TensorList *call_cummax(const Call *c) {
    Tensor *indices = NULL, *y = t_cummax(c->x[0], c->n[0], &indices);
    return y ? t_list_new((Tensor *[]){y, indices}, 2) : NULL;
}
static t_TensorList *call_cummin(const Call *c) {
    Tensor *indices = NULL, *y = t_cummin(c->x[0], c->n[0], &indices);
    return y ? t_list_new((Tensor *[]){y, indices}, 2) : NULL;
}
/* Numbers: n, dim. */
static t_TensorList *call_diff(const Call *c) {
    return list_of(t_diff(c->x[0], c->n[0], c->n[1], c->count > 1 ? c->x[1] : NULL, c->count > 2 ? c->x[2] : NULL));
}

/* Numbers: dim, and dx in quarters less one. */
#define TRAPEZOID(f)                                                                                      \
    static t_TensorList *call_##f(const Call *c) {                                                        \
        return list_of(t_##f(c->x[0], c->count > 1 ? c->x[1] : NULL, 1 + (double)c->n[1] / 4, c->n[0])); \
    }
TRAPEZOID(trapezoid)
TRAPEZOID(cumulative_trapezoid)

#define ALONG(kind)                                                                                         \
    {kind "()", {0}}, {kind "(7)", {-1}}, {kind "(3,4)", {0}}, {kind "(3,4)", {-1}}, {kind "(2,3,4)", {1}}, \
    {kind "(2,1,3,2)", {-2}}, {kind "(2,1,2,3,2)", {3}}, {kind "(1,3)", {0}}, {kind "(0)", {0}},            \
    {kind "(2,0,3)", {2}},                                                                                  \
    {kind "(2,0,3)", {1}}, {"x(12)", {0}}, {"x(3,4)", {1}}, {"x(4,3)", {0}}
static const OpCase sum_cases[] = {
    ALONG("r"), {"r(3,4)", {1, t_float64}}, {"r(3,4)", {0, t_float32}}, {"P(4)", {0, t_int64}}, {"i(6)"},
    {"i(2,3)", {1, t_float64}},
    {"b(5)"}, {"b(2,3)", {0, t_float32}}, {NULL},
};
static const OpCase product_cases[] = {
    ALONG("r"), {"t(9)"}, {"t(3,6)", {1}}, {"t(6,3)", {0, t_float64}}, {"r(3,4)", {1, t_float64}},
    {"P(4)", {0, t_int64}}, {"i(6)"},
    {"i(2,3)", {1, t_float64}}, {"b(5)"}, {"i(40)"}, {NULL},
};
static const OpCase log_sum_cases[] = {ALONG("r"), {"s(12)"}, {NULL}};
static const OpCase extreme_cases[] = {ALONG("s"), {"t(12)"}, {"t(3,6)", {1}}, {"i(9)"}, {"b(7)"}, {NULL}};
static const OpCase diff_cases[] = {
    {"r(7)", {1, -1}}, {"r(7)", {2, 0}}, {"r(3,4)", {1, 0}}, {"r(3,4)", {2, -1}}, {"r(2,3,4)", {1, 1}},
    {"r(2,1,3,2)", {1, -2}},
    {"r(2,1,2,3,2)", {2, 3}}, {"R(5)"}, {"r(3)", {7}}, {"r(3) r(2)", {1}}, {"r(2,3) r(2,1) r(2,2)", {2, 1}},
    {"r(4) - r(1)", {1}},
    {"x(12)", {1}}, {"i(6)", {1}}, {"b(6)", {1}}, {"b(2,6)", {2, 1}}, {"R(3) i(2)", {1}}, {"R(2,0)", {1}}, {NULL},
};
static const OpCase trapezoid_cases[] = {
    {"r(7)", {-1}}, {"r(7) r(7)", {0}}, {"r(3,4)", {0, 2}}, {"r(3,4) r(4)", {1}}, {"r(3,4) r(3)", {0}},
    {"r(2,3,4) r(3,4)", {1}}, {"r(2,3) R(2,3)", {1}}, {"r(2,1,3,2)", {2}}, {"r(2,1,2,3,2)", {3, -2}}, {"r(0)", {0}},
    {"r(2,0,3)", {1}}, {"r(2,0,3)", {0}}, {"i(6)", {0}}, {"i(5) i(5)", {0}}, {"r(1)", {0}}, {NULL},
};
static const OpCase softmax_cases[] = {
    ALONG("r"), {"r(3,4)", {1, t_float64}}, {"R(3,4)", {0, t_float32}}, {"i(2,3)", {1, t_float64}},
    {"b(5)", {0, t_float32}}, {NULL},
};

static const OpCase few_softmax_cases[] = {
    {"r()"}, {"r(7)", {-1}}, {"r(2,0,3)", {1}}, {"r(3,4)", {1}}, {"r(2,3,4)", {1, t_float64}}, {"r(2,1,3,2)", {-2}},
    {"r(2,1,2,3,2)", {3}}, {"i(2,3)", {1, t_float64}},
    {NULL},
};

#define RANGE1 "Dimension out of range (expected to be in range of [-1, 0], but got 1)"
#define RANGE2 "Dimension out of range (expected to be in range of [-2, 1], but got 2)"
static const OpError cumsum_errors[] = {
    {"r(3)", {1}, RANGE1}, {"r()", {1}, RANGE1}, {"r(2,3)", {2}, RANGE2},
    {"b(3)", {0, t_bool}, "\"cumsum_out_cpu\" not implemented for 'Bool'"}, {NULL},
};
static const OpError cumprod_errors[] = {
    {"r(3)", {1}, RANGE1}, {"r(2,3)", {2}, RANGE2},
    {"b(3)", {0, t_bool}, "\"cumprod_out_cpu\" not implemented for 'Bool'"}, {NULL},
};
static const OpError logcumsumexp_errors[] = {
    {"r(3)", {1}, RANGE1},
    {"i(3)", {0}, "\"logcumsumexp_out_cpu\" not implemented for 'Long'"},
    {"b(3)", {0}, "\"logcumsumexp_out_cpu\" not implemented for 'Bool'"},
    {NULL},
};
static const OpError extreme_errors[] = {{"r(3)", {1}, RANGE1}, {"r(2,0)", {2}, RANGE2}, {NULL}};
static const OpError diff_errors[] = {
    {"r()", {1}, "diff expects input to be at least one-dimensional"},
    {"r(3)", {1, 1}, RANGE1},
    {"r(3)", {-1}, "order must be non-negative but got -1"},
    {"r(3,2) r(3)", {1}, "diff expects prepend or append to be the same dimension as input"},
    {"r(3,2) - r(2,2,2)", {1}, "diff expects prepend or append to be the same dimension as input"},
    {"r(3,2) r(2,2)", {1, 1},
        "diff expects the shape of tensor to prepend or append to match that of input except along the "
                              "differencing dimension; input.size(0) = 3, but got tensor.size(0) = 2"},
    {NULL},
};
static const OpError trapezoid_errors[] = {
    {"r(3)", {1}, RANGE1},
    {"b(3)", {0}, "trapezoid: received a bool input for `y`, but bool is not supported"},
    {"r(3) b(3)", {0}, "trapezoid: received a bool input for `x` or `y`, but bool is not supported"},
    {"r(3) r(2)", {0}, "trapezoid: There must be one `x` value for each sample point"},
    {NULL},
};
static const OpError cumulative_trapezoid_errors[] = {
    {"r(3)", {1}, RANGE1},
    {"b(3)", {0}, "cumulative_trapezoid: received a bool input for `y`, but bool is not supported"},
    {"r(3) r(2)", {0}, "cumulative_trapezoid: There must be one `x` value for each sample point"},
    {NULL},
};
static const OpError softmax_errors[] = {
    {"r(3)", {1}, RANGE1},
    {"i(3)", {0}, "\"softmax_lastdim_kernel_impl\" not implemented for 'Long'"},
    {"r(3)", {0, t_int64}, "\"softmax_lastdim_kernel_impl\" not implemented for 'Long'"},
    {NULL},
};
static const OpError log_softmax_errors[] = {
    {"r(3)", {1}, RANGE1},
    {"b(3)", {0}, "\"log_softmax_lastdim_kernel_impl\" not implemented for 'Bool'"},
    {"r(3)", {0, t_int64}, "\"log_softmax_lastdim_kernel_impl\" not implemented for 'Long'"},
    {NULL},
};

static const OpError F_softmax_errors[] = {{"r(3)", {1}, RANGE1}, {"r(2,3)", {2}, RANGE2}, {NULL}};

static const OpRow rows[] = {
    {"t_cumsum", call_cumsum, sum_cases, cumsum_errors, SUMS},
    {"t_cumprod", call_cumprod, product_cases, cumprod_errors, SUMS},
    {"t_logcumsumexp", call_logcumsumexp, log_sum_cases, logcumsumexp_errors, SUMS},
    {"t_cummax", call_cummax, extreme_cases, extreme_errors},
    {"t_cummin", call_cummin, extreme_cases, extreme_errors},
    {"t_diff", call_diff, diff_cases, diff_errors, 0, "1??", .ranks = "12345z: PyTorch refuses a 0-dim tensor"},
    {"t_trapezoid", call_trapezoid, trapezoid_cases, trapezoid_errors, SUMS | OWN_GRAD_FN, "1?",
        .ranks = "12345z: PyTorch refuses a 0-dim tensor"},
    {"t_cumulative_trapezoid", call_cumulative_trapezoid, trapezoid_cases, cumulative_trapezoid_errors,
        SUMS | OWN_GRAD_FN, "1?", .ranks = "12345z: PyTorch refuses a 0-dim tensor"},
    {"t_softmax_as", call_softmax_as, softmax_cases, softmax_errors, SUMS},
    {"t_log_softmax_as", call_log_softmax_as, softmax_cases, log_softmax_errors, SUMS},
    {"F_softmax_as", call_F_softmax_as, few_softmax_cases, F_softmax_errors, SUMS},
    {"F_log_softmax_as", call_F_log_softmax_as, few_softmax_cases, F_softmax_errors, SUMS},
};
TABLE(cumulative_table, "ops_cumulative.txt", rows);
