/* tests/ops/table/op_table_reductions.c: sums, products and norms (core/ops/reduction/sum.c, var.c, norm.c, prod.c,
 * logsumexp of softmax.c, trace of diagonal.c). */
#include <math.h>

#include "core/linalg/linalg.h"
#include "tests/ops/table/op_table.h"

/* Numbers: keepdim, then how many dims and which. */
#define OF_DIMS(f)                                                                                                \
    static t_TensorList *call_##f(const Call *c) { return list_of(t_##f(c->x[0], c->n + 2, (int)c->n[1], c->n[0])); }
OF_DIMS(sum)
OF_DIMS(mean)
OF_DIMS(logsumexp)

/* Numbers: dtype, keepdim, then how many dims and which. */
#define IN_DTYPE(f)                                                                                               \
    static t_TensorList *call_##f(const Call *c) {                                                                \
        return list_of(t_##f(c->x[0], c->n + 3, (int)c->n[2], c->n[1], (t_DType)c->n[0]));                        \
    }
IN_DTYPE(sum_as)
IN_DTYPE(mean_as)
IN_DTYPE(nansum)
IN_DTYPE(nanmean)

/* Numbers: twice p (+-99: infinite), dtype, keepdim, then how many dims and which. */
static double half(int64_t n) {
    return n == 99 ? INFINITY : n == -99 ? -INFINITY : (double)n / 2;
}
/* Numbers: the correction; weights may be missing. */
static t_TensorList *call_cov(const Call *c) {
    return list_of(t_cov(c->x[0], (double)c->n[0], c->count > 1 ? c->x[1] : NULL, c->count > 2 ? c->x[2] : NULL));
}
CALL1(corrcoef)
/* Numbers: p in halves, dim, maxnorm in quarters. */
#define RENORM(f)                                                                                         \
    static t_TensorList *call_##f(const Call *c) {                                                        \
        return list_of(t_##f(c->x[0], (double)c->n[0] / 2, c->n[1], (double)c->n[2] / 4)); \
    }
RENORM(renorm)
RENORM(renorm_)
static t_TensorList *call_norm(const Call *c) {
    return list_of(t_norm(c->x[0], half(c->n[0]), c->n + 4, (int)c->n[3], c->n[2], (t_DType)c->n[1]));
}
static t_TensorList *call_linalg_vector_norm(const Call *c) {
    return list_of(linalg_vector_norm(c->x[0], half(c->n[0]), c->n + 4, (int)c->n[3], c->n[2], (t_DType)c->n[1]));
}

/* Numbers: twice the correction, keepdim, then how many dims and which. */
#define SPREAD(f)                                                                                                 \
    static t_TensorList *call_##f(const Call *c) {                                                                \
        return list_of(t_##f(c->x[0], c->n + 3, (int)c->n[2], (double)c->n[0] / 2, c->n[1]));                     \
    }
SPREAD(var)
SPREAD(std)
#define SPREAD_AND_MEAN(f)                                                                                        \
    static t_TensorList *call_##f(const Call *c) {                                                                \
        Tensor *mean = NULL, *y = t_##f(c->x[0], c->n + 3, (int)c->n[2], (double)c->n[0] / 2, c->n[1], &mean);    \
        return y ? t_list_new((Tensor *[]){y, mean}, 2) : NULL;                                                   \
    }
SPREAD_AND_MEAN(var_mean)
SPREAD_AND_MEAN(std_mean)

/* Numbers: dim, keepdim, dtype. */
static t_TensorList *call_prod(const Call *c) {
    return list_of(t_prod(c->x[0], c->n[0], c->n[1], (t_DType)c->n[2]));
}
CALL1(trace)

#define OVER_DIMS                                                                                                \
    {"r()", {0, 0}}, {"r()", {0, 1, 0}}, {"r(7)", {0, 0}}, {"r(7)", {1, 1, 0}}, {"r(3,4)", {0, 0}},              \
    {"r(3,4)", {1, 0}}, {"r(3,4)", {0, 1, 0}}, {"r(3,4)", {1, 1, -1}}, {"r(2,3,4)", {0, 2, 0, 2}},               \
    {"r(2,3,4)", {1, 1, 1}},                                                                                     \
    {"r(2,1,3,2)", {0, 2, -1, 1}}, {"r(2,1,2,3,2)", {0, 3, 0, 2, 4}}, {"r(0)", {0, 0}}, {"r(2,0,3)", {0, 1, 1}}, \
    {"r(2,0,3)", {1, 1, 0}}, {"x(12)", {0, 0}}
static const OpCase sum_cases[] = {
    OVER_DIMS, {"i(2,3)", {0, 1, 1}}, {"b(5)", {0, 0}}, {"i(0)", {0, 0}}, {"r(29)", {0, 0}}, {NULL},
};
static const OpCase mean_cases[] = {OVER_DIMS, {NULL}};
static const OpCase var_cases[] = {
    {"r(7)", {2, 0, 0}}, {"r(7)", {0, 0, 0}}, {"r(7)", {2, 1, 1, 0}}, {"r(3,4)", {2, 0, 0}}, {"r(3,4)", {2, 0, 1, 0}},
    {"r(3,4)", {0, 1, 1, -1}}, {"r(2,3,4)", {2, 0, 2, 0, 2}}, {"r(2,1,3,2)", {0, 0, 2, -1, 2}},
    {"r(2,1,2,3,2)", {2, 1, 3, 0, 2, 4}}, {"r(3,4)", {3, 0, 1, 1}}, {"r()", {0, 0, 0}}, {"x(12)", {2, 0, 0}},
    {"R(3,1)", {2, 0, 1, 1}}, {"r(2,0)", {2, 0, 1, 1}}, {"r(0,2)", {2, 1, 1, 1}}, {NULL},
};
static const OpCase sum_as_cases[] = {
    {"r()"}, {"r(5)", {t_float64}}, {"r(3,4)", {t_float32, 1, 1, 1}}, {"r(2,3,2)", {t_float64, 0, 2, 0, -1}},
    {"r(2,1,2,3)", {t_float32, 0, 1, 2}}, {"r(2,1,2,3,2)", {t_float64, 1, 3, 0, 2, 4}}, {"P(5)", {t_int64}},
    {"i(5)", {t_float32}}, {"i(2,3)", {t_float64, 0, 1, 1}}, {"i(5)", {t_bool}}, {"b(5)", {t_float32}},
    {"b(3)", {t_bool}},
    {"r(0)", {t_float64}}, {"r(2,0)", {t_float32, 0, 1, 1}}, {"T(6)", {t_bool}}, {NULL},
};
static const OpCase mean_as_cases[] = {
    {"r()"}, {"r(5)", {t_float64}}, {"r(3,4)", {t_float32, 1, 1, 1}}, {"r(2,3,2)", {t_float64, 0, 2, 0, -1}},
    {"r(2,1,2,3)", {t_float32, 0, 1, 2}}, {"r(2,1,2,3,2)", {t_float64, 1, 3, 0, 2, 4}}, {"i(5)", {t_float32}},
    {"i(2,3)", {t_float64, 0, 1, 1}}, {"b(5)", {t_float32}}, {"r(0)", {t_float64}}, {NULL},
};
static const OpCase nansum_cases[] = {
    {"r()"}, {"r(7)"}, {"r(3,4)", {0, 0, 1, 0}}, {"r(3,4)", {t_float64, 1, 1, -1}}, {"r(2,3,4)", {0, 0, 2, 0, 2}},
    {"r(2,1,3,2)", {0, 0, 2, -1, 1}}, {"r(2,1,2,3,2)", {0, 0, 3, 0, 2, 4}}, {"r(0)"}, {"r(2,0,3)", {0, 0, 1, 1}},
    {"x(12)"}, {"x(3,4)", {0, 0, 1, 1}}, {"x(4,3)", {t_float64, 1, 1, 0}}, {"i(2,3)", {0, 0, 1, 1}}, {"b(5)"}, {NULL},
};
static const OpCase nanmean_cases[] = {
    {"r()"}, {"r(7)"}, {"r(3,4)", {0, 0, 1, 0}}, {"r(3,4)", {t_float64, 1, 1, -1}}, {"r(2,3,4)", {0, 0, 2, 0, 2}},
    {"r(2,1,3,2)", {0, 0, 2, -1, 1}}, {"r(2,1,2,3,2)", {0, 0, 3, 0, 2, 4}}, {"r(0)"}, {"x(12)"},
    {"x(3,4)", {0, 0, 1, 1}},
    {NULL},
};
static const OpCase logsumexp_cases[] = {
    {"r()", {0, 1, 0}}, {"r(7)", {0, 1, 0}}, {"r(3,4)", {0, 1, 1}}, {"r(3,4)", {1, 1, -2}}, {"r(3,4)", {0, 2, 0, 1}},
    {"r(2,3,4)", {1, 2, 0, 2}}, {"r(2,1,3,2)", {0, 2, -1, 1}}, {"r(2,1,2,3,2)", {0, 3, 0, 2, 4}}, {"r(0)", {0, 1, 0}},
    {"r(2,0,3)", {1, 1, 1}}, {"x(12)", {0, 1, 0}}, {"x(3,4)", {0, 1, 1}}, {"x(4,3)", {0, 1, 0}}, {"i(2,3)", {0, 1, 1}},
    {"b(5)", {0, 1, 0}}, {NULL},
};
#define NORMS(p)                                                                                   \
    {"s(7)", {p}}, {"s(3,4)", {p, 0, 0, 1, 1}}, {"s(2,3,4)", {p, 0, 1, 2, 0, -1}}, {"x(12)", {p}}, \
    {"x(4,3)", {p, 0, 0, 1, 0}}
static const OpCase norm_cases[] = {
    NORMS(4), NORMS(2), NORMS(0), NORMS(99), NORMS(-99), NORMS(6), NORMS(1), NORMS(3), NORMS(-2), {"s()", {4}},
    {"s()", {99}},
    {"s()", {3, 0, 0, 1, -1}}, {"s(2,1,3,2)", {4, 0, 1, 2, 1, 3}}, {"s(2,1,2,3,2)", {4, t_float64, 1, 3, 0, 2, 4}},
    {"s(0)", {4}}, {"s(2,0)", {3, 0, 0, 1, 1}}, {"s(0,2)", {99, 0, 0, 1, 1}}, {"t(3,4)", {99, 0, 1, 1, 1}},
    {"t(2,3)", {4}},
    {NULL},
};
static const OpCase vector_norm_cases[] = {
    {"s()", {4}}, {"s(7)", {2}}, {"s(3,4)", {99, 0, 0, 1, 1}}, {"s(2,3,4)", {4, 0, 1, 2, 0, -1}},
    {"s(2,1,3,2)", {5, 0, 1, 2, 1, 3}}, {"s(2,1,2,3,2)", {4, t_float64, 1, 3, 0, 2, 4}}, {"s(0)", {4}}, {NULL},
};
static const OpCase prod_cases[] = {
    {"r()", {T_NONE}}, {"r()", {0}}, {"r(5)", {T_NONE}}, {"r(5)", {0, 1}}, {"r(3,4)", {T_NONE}}, {"r(3,4)", {1}},
    {"r(3,4)", {-2, 1}}, {"r(2,3,4)", {1}}, {"r(2,1,3,2)", {2, 0, t_float64}}, {"r(2,1,2,3,2)", {-2}},
    {"r(0)", {T_NONE}},
    {"r(2,0,3)", {1}}, {"r(2,0,3)", {0, 1}}, {"t(2,6)", {1}}, {"t(9)", {T_NONE}}, {"x(12)", {T_NONE}}, {"x(3,4)", {1}},
    {"i(6)", {T_NONE}}, {"i(2,3)", {1}}, {"b(4)", {T_NONE}}, {"b(2,3)", {1, 1}}, {"b(2,2)", {0, 0, t_bool}},
    {"i(4)", {0, 0, t_float32}}, {"P(4)", {0, 0, t_int64}}, {"i(40)", {T_NONE}}, {NULL},
};
static const OpCase trace_cases[] = {
    {"r(3,3)"}, {"r(2,4)"}, {"r(4,2)"}, {"r(1,1)"}, {"r(0,3)"}, {"r(2,0)"}, {"i(3,4)"}, {"x(3,4)"}, {NULL},
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
static const OpError var_mean_errors[] = {
    {"r(2,3)", {2, 0, 1, 2}, RANGE2},
    {"i(3)", {2, 0, 0}, "var_mean only support floating point and complex dtypes"},
    {NULL},
};
static const OpError std_mean_errors[] = {
    {"r(2,3)", {2, 0, 1, 2}, RANGE2},
    {"b(3)", {2, 0, 0}, "std_mean only support floating point and complex dtypes"},
    {NULL},
};
static const OpError sum_as_errors[] = {
    {"r(2,3)", {0, 0, 1, 2}, RANGE2},
    {"r(2,3)", {19}, "19 is not a dtype"}, /* Python has no such number */
    {NULL},
};
static const OpError mean_as_errors[] = {
    {"r(2,3)", {t_float64, 0, 1, 2}, RANGE2},
    {"r(3)", {t_int64}, "mean(): could not infer output dtype. Optional dtype must be either a floating point or "
                        "complex dtype. Got: Long"},
    {"i(3)", {t_bool}, "mean(): could not infer output dtype. Optional dtype must be either a floating point or "
                       "complex dtype. Got: Bool"},
    {NULL},
};
static const OpError nansum_errors[] = {
    {"r(2,3)", {0, 0, 1, 2}, RANGE2},
    {"r(2,3)", {0, 0, 2, 1, -1}, "dim 1 appears multiple times in the list of dims"},
    {NULL},
};
static const OpError nanmean_errors[] = {
    {"r(2,3)", {0, 0, 1, 2}, RANGE2},
    {"i(3)", {0}, "nanmean(): expected input to have floating point or complex dtype but got Long"},
    {NULL},
};
static const OpError logsumexp_errors[] = {
    {"r(2,3)", {0, 1, 2}, RANGE2},
    {"r(2,3)", {0, 2, 1, -1}, "dim 1 appears multiple times in the list of dims"},
    {NULL},
};
#define VECTOR_NORM "linalg.vector_norm"
static const OpError norm_errors[] = {
    {"r(2,3)", {4, 0, 0, 1, 2}, RANGE2},
    {"r(2,3)", {4, 0, 0, 2, 1, -1}, "dim 1 appears multiple times in the list of dims"},
    {"i(3)", {4}, VECTOR_NORM ": Expected a floating point or complex tensor as input. Got Long"},
    {"b(3)", {4}, VECTOR_NORM ": Expected a floating point or complex tensor as input. Got Bool"},
    {"r(3)", {4, t_int64}, VECTOR_NORM ": dtype should be floating point or complex, but got Long"},
    {"d(3)", {4, t_float32},
        VECTOR_NORM ": the dtype of the input (Double) should be convertible without narrowing to the "
                             "specified dtype (Float)"},
    {"r(0)", {99}, VECTOR_NORM
        " cannot compute the inf norm on an empty tensor because the operation does not have an identity"},
    {"r(0)", {-99}, VECTOR_NORM
        " cannot compute the -inf norm on an empty tensor because the operation does not have an identity"},
    {"r(0)", {-2}, VECTOR_NORM
        " cannot compute the -1 norm on an empty tensor because the operation does not have an identity"},
    {"r(2,0)", {99, 0, 0, 1, 1},
        VECTOR_NORM " cannot compute the inf norm on the dimension 1because this dimension is empty and "
                                 "the operation does not have an identity"},
    {NULL},
};
static const OpError prod_errors[] = {{"r(2,3)", {2}, RANGE2}, {"r(2,3)", {0, 0, 19}, "19 is not a dtype"}, {NULL}};
static const OpError trace_errors[] = {
    {"r(3)", {0}, "trace: expected a matrix, but got tensor with dim 1"},
    {"r(2,2,2)", {0}, "trace: expected a matrix, but got tensor with dim 3"},
    {"b(2,2)", {0}, "\"trace\" not implemented for 'Bool'"},
    {NULL},
};
static const OpCase cov_cases[] = {
    {"r(3,5)", {1}}, {"r(5)", {1}}, {"r()", {0}}, {"r(2,4)", {0}}, {"r(2,4) - P(4)", {1}}, {"r(2,5) k9(5)", {0}},
    {"r(2,6) k9(6) P(6)", {1}}, {"i(3,4)", {1}}, {"r(0,3)", {1}}, {NULL},
};
static const OpError cov_errors[] = {
    {"r(2,2,2)", {1}, "cov(): expected input to have two or fewer dimensions but got an input with 3 dimensions"},
    {"b(3)", {1}, "cov(): bool dtype is not supported for input"},
    {"r(3) R(3)", {1}, "cov(): expected fweights to have integral dtype but got fweights with Float dtype"},
    {"r(3) k4(2)", {1}, "cov(): expected fweights to have the same numel as there are observations in the input but "
                        "got 2 != 3"},
    {"r(3) k4(3,1)", {1},
        "cov(): expected fweights to have one or fewer dimensions but got fweights with 2 dimensions"},
    {"r(3) - k4(3)", {1}, "cov(): expected aweights to have floating point dtype but got aweights with Long dtype"},
    {"r(9) - R(9)", {1}, "cov(): aweights cannot be negative"},
    {"r(3) k1(3)", {1}, "cov(): weights sum to zero, can't be normalized"},
    {NULL},
};
static const OpCase corrcoef_cases[] = {{"r(3,5)"}, {"r(5)"}, {"r(0,3)"}, {"i(3,4)"}, {"R(2,6)"}, {NULL}};
static const OpError corrcoef_errors[] = {
    {"r(2,2,2)", {0}, "corrcoef(): expected input to have two or fewer dimensions but got an input with 3 dimensions"},
    {NULL},
};
static const OpCase renorm_cases[] = {
    {"r(3,4)", {4, 0, 2}}, {"r(3,4)", {2, 1, 4}}, {"r(2,3,2)", {3, -1, 1}}, {"r(2,1,3,2)", {4, 2, 2}},
    {"r(2,1,2,1,2)", {4, 0, 2}}, {"r(0,3)", {4, 0, 2}}, {"R(3,3)", {4, 1, 100}}, {NULL},
};
static const OpError renorm_errors[] = {
    {"r(3)", {4, 0, 4}, "renorm: input needs at least 2 dimensions, got 1 dimensions"},
    {"r(2,2)", {0, 0, 4}, "renorm: non-positive-norm not supported"},
    {"r(2,2)", {4, 0, -4}, "renorm: expected maxnorm to be >= 0 but got -1"},
    {NULL},
};

static const OpRow rows[] = {
    {"t_sum", call_sum, sum_cases, sum_errors, SUMS},
    {"t_mean", call_mean, mean_cases, mean_errors, SUMS},
    {"t_sum_as", call_sum_as, sum_as_cases, sum_as_errors, SUMS},
    {"t_mean_as", call_mean_as, mean_as_cases, mean_as_errors, SUMS},
    {"t_nansum", call_nansum, nansum_cases, nansum_errors, SUMS},
    {"t_nanmean", call_nanmean, nanmean_cases, nanmean_errors, SUMS},
    {"t_prod", call_prod, prod_cases, prod_errors, SUMS},
    {"t_var", call_var, var_cases, var_errors, SUMS},
    {"t_std", call_std, var_cases, var_errors, SUMS},
    {"t_var_mean", call_var_mean, var_cases, var_mean_errors, SUMS},
    {"t_std_mean", call_std_mean, var_cases, std_mean_errors, SUMS},
    {"t_cov", call_cov, cov_cases, cov_errors, SUMS, "1??", .ranks = "012z: variables in rows"},
    {"t_corrcoef", call_corrcoef, corrcoef_cases, corrcoef_errors, SUMS, .ranks = "12z: variables in rows"},
    {"t_renorm", call_renorm, renorm_cases, renorm_errors, SUMS | OWN_GRAD_FN, .ranks = "2345z: slices have norms"},
    {"t_renorm_", call_renorm_, renorm_cases, renorm_errors, SUMS | INPLACE | OWN_GRAD_FN,
        .ranks = "2345z: slices have norms"},
    {"t_norm", call_norm, norm_cases, norm_errors, SUMS},
    {"linalg_vector_norm", call_linalg_vector_norm, vector_norm_cases, norm_errors, SUMS},
    {"t_logsumexp", call_logsumexp, logsumexp_cases, logsumexp_errors, SUMS},
    {"t_trace", call_trace, trace_cases, trace_errors, SUMS, .ranks = "2z: PyTorch takes matrices only"},
};
TABLE(reduction_table, "ops_reductions.txt", rows);
