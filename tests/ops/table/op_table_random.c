/* tests/ops/table/op_table_random.c: what a generator fills (core/ops/creation/random.c, rand.c, multinomial.c); the
 * other random ops are in op_table_creation.c and op_table_inplace.c. Bits must be PyTorch's. */
#include "tests/ops/table/op_table.h"

static t_TensorList *call_exponential_(const Call *c) {
    return list_of(t_exponential_(c->x[0], (double)c->n[0] / 4, NULL));
}
static t_TensorList *call_geometric_(const Call *c) {
    return list_of(t_geometric_(c->x[0], (double)c->n[0] / 8, NULL));
}
static t_TensorList *call_cauchy_(const Call *c) {
    return list_of(t_cauchy_(c->x[0], (double)c->n[0] / 4, (double)c->n[1] / 4, NULL));
}
static t_TensorList *call_log_normal_(const Call *c) {
    return list_of(t_log_normal_(c->x[0], (double)c->n[0] / 4, (double)c->n[1] / 4, NULL));
}
static t_TensorList *call_random_(const Call *c) {
    return list_of(t_random_(c->x[0], c->n[0], c->n[1], NULL));
}
static t_TensorList *call_randint_like(const Call *c) {
    return list_of(t_randint_like(c->x[0], c->n[0], c->n[1], NULL));
}
/* {1, rank, shape} for the form with a size. */
static t_TensorList *call_normal(const Call *c) {
    t_TensorOptions options = {.size = sizeof options, .dtype = c->real};
    return list_of(t_normal(c->x[0], c->x[1], c->n + 2, c->n[0] ? (int)c->n[1] : -1, &options));
}
static t_TensorList *call_multinomial(const Call *c) {
    return list_of(t_multinomial(c->x[0], c->n[0], c->n[1], NULL));
}
static t_TensorList *call_poisson(const Call *c) {
    return list_of(t_poisson(c->x[0], NULL));
}
static t_TensorList *call_binomial(const Call *c) {
    return list_of(t_binomial(c->x[0], c->x[1], NULL));
}

static const OpCase exponential_cases[] = {
    {"r()", {4}}, {"r(17)", {4}}, {"r(2,3)", {2}}, {"r(2,1,3)", {9}}, {"r(2,1,3,2)", {4}}, {"R(2,1,2,3,2)", {4}},
    {"r(0)", {4}}, {NULL},
};
static const OpCase geometric_cases[] = {
    {"r()", {4}}, {"r(17)", {4}}, {"r(2,3)", {1}}, {"R(2,1,3)", {3}}, {"r(2,1,3,2)", {4}}, {"R(2,1,2,3,2)", {7}},
    {"i(9)", {2}}, {"r(0)", {4}}, {NULL},
};
static const OpCase two_numbers_cases[] = {
    {"r()", {0, 4}}, {"r(17)", {0, 4}}, {"r(2,3)", {2, 3}}, {"R(2,1,3)", {1, 4}}, {"r(2,1,3,2)", {0, 4}},
    {"R(2,1,2,3,2)", {-5, 9}}, {"r(0)", {0, 4}}, {NULL},
};
static const OpCase random_cases[] = {
    {"r(9)", {T_NONE, T_NONE}}, {"i(9)", {T_NONE, T_NONE}}, {"b(9)", {T_NONE, T_NONE}}, {"r()", {T_NONE, 9}},
    {"r(2,3)", {T_NONE, 100}},
    {"r(5)", {-3, 4}}, {"i(2,1,3)", {0, 9}}, {"r(2,1,3,2)", {0, 9}}, {"i(2,1,2,3,2)", {-7, 9}}, {"b(9)", {0, 2}},
    {"b(2)", {1, 2}}, {"i(6)", {-4611686018427387904, 4611686018427387904}},
    {"i(5)", {0, 268435456}}, {"i(5)", {0, 268435455}}, {"r(9)", {0, 1152921504606846976}},
    {"r(9)", {-1073741825, 1073741825}}, {"r(0)", {0, 3}},
    {NULL},
};
static const OpCase randint_like_cases[] = {
    {"R(5)", {0, 9}}, {"r(2,3)", {-3, 4}}, {"i(4)", {0, 100}}, {"b(5)", {0, 2}}, {"R()", {0, 5}}, {"i(2,1,3)", {0, 9}},
    {"R(2,1,3,2)", {0, 9}}, {"R(2,1,2,3,2)", {1, 9}}, {"R(0)", {0, 1}}, {NULL},
};
static const OpCase normal_cases[] = {
    {"r(4) p(4)"}, {"r(20) p(20)"}, {"r(2,3) p(3)"}, {"r(3,1) p(2,1,4)"}, {"r() p()"}, {"r(2,1,3) p(1)"},
    {"r(2,1,1,2) p(3,1)"}, {"r(2,1,2,3,2) P(2)"}, {"r(6) N"}, {"r(20) P()"}, {"N p(20)"},
    {"R(3) R()"}, {"f(3) p(3)"}, {"N N", {1, 1, 20}}, {"I N", {1, 2, 2, 18}}, {"r(0) p(0)"}, {"f(4) P(1)"}, {NULL},
};
static const OpCase multinomial_cases[] = {
    {"P(5)", {1}}, {"P(5)", {5}}, {"P(9)", {4}}, {"P(4)", {20, 1}}, {"P(3,4)", {1}}, {"P(3,4)", {3}},
    {"P(3,4)", {9, 1}}, {"p(6)", {2}}, {"P(1)", {1}},
    {"P(0,3)", {2}}, {"P(40)", {30, 1}}, {NULL},
};
static const OpCase poisson_cases[] = {
    {"p()"}, {"p(17)"}, {"p(2,3)"}, {"P(2,1,3)"}, {"p(2,1,3,2)"}, {"P(2,1,2,3,2)"}, {"P(40)"}, {"p(0)"}, {NULL},
};
static const OpCase binomial_cases[] = {
    {"P() Q()"}, {"P(17) Q(17)"}, {"P(2,3) Q(3)"}, {"P(2,1,3) Q()"}, {"P(2,1,3,2) Q(3,1)"}, {"P(2,1,2,3,2) Q(2)"},
    {"P(40) Q(40)"}, {"P(3) Q(2,3)"}, {"P(0) Q(0)"}, {NULL},
};

static const OpError exponential_errors[] = {
    {"R(2)", {0}, "exponential_ expects lambda > 0.0, but found lambda=0"},
    {"R(2)", {-6}, "exponential_ expects lambda > 0.0, but found lambda=-1.5"},
    {"i(2)", {4}, "Exponential distribution is a continuous probability distribution. dtype must be a floating point "
                  "but you specified Long"},
    {NULL},
};
static const OpError geometric_errors[] = {
    {"R(2)", {0}, "geometric_ expects p to be in (0, 1), but got p=0"},
    {"R(2)", {8}, "geometric_ expects p to be in (0, 1), but got p=1"}, {NULL},
};
static const OpError cauchy_errors[] = {
    {"R(2)", {0, 0}, "cauchy_ expects sigma > 0.0, but found sigma=0"},
    {"i(2)", {0, 4}, "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but "
                     "you specified long int"},
    {NULL},
};
static const OpError log_normal_errors[] = {
    {"R(2)", {0, 0}, "log_normal_ expects std > 0.0, but found std=0"},
    {"i(2)", {0, 4}, "\"log_normal_cpu\" not implemented for 'Long'"}, {NULL},
};
static const OpError random_errors[] = {
    {"R(2)", {3, 3}, "random_ expects 'from' to be less than 'to', but got from=3 >= to=3"},
    {"R(2)", {T_NONE, 0}, "random_ expects 'from' to be less than 'to', but got from=0 >= to=0"},
    {"b(2)", {0, 5}, "to - 1 is out of bounds for bool"},
    {"b(2)", {-1, 1}, "from is out of bounds for bool"},
    {NULL},
};
static const OpError randint_like_errors[] = {
    {"R(2)", {3, 3}, "random_ expects 'from' to be less than 'to', but got from=3 >= to=3"},
    {"b(2)", {0, 3}, "to - 1 is out of bounds for bool"}, {NULL},
};
static const OpError normal_errors[] = {
    {"R(4) R(4)", {0}, "normal expects all elements of std >= 0.0"},
    {"R(4) P(3)", {0}, "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 0"},
    {"r(5) N", {0}, "normal expects std >= 0.0, but found std -0.767491"},
    {"N N", {1, 0}, "normal expects std >= 0.0, but found std -0.496099"},
    {"i(3) P(3)", {0}, "\"normal_kernel_cpu\" not implemented for 'Long'"},
    {"N k4(3)", {0}, "\"normal_kernel_cpu\" not implemented for 'Long'"},
    {NULL},
};
static const OpError multinomial_errors[] = {
    {"R(9)", {1}, "probability tensor contains either `inf`, `nan` or element < 0"},
    {"x(5)", {1}, "probability tensor contains either `inf`, `nan` or element < 0"},
    {"R(9)", {2, 1}, "invalid multinomial distribution (encountering probability entry < 0)"},
    {"P(2)", {3}, "cannot sample n_sample > prob_dist.size(-1) samples without replacement"},
    {"P(2)", {0}, "cannot sample n_sample <= 0 samples"},
    {"i(2)", {1}, "multinomial only supports floating-point dtypes for input, got: Long"},
    {"P(2,2,2)", {1}, "prob_dist must be 1 or 2 dim"},
    {"P()", {1}, "prob_dist must be 1 or 2 dim"},
    {"x(2)", {1}, "invalid multinomial distribution (sum of probabilities <= 0)"},
    {"x(2)", {2, 1}, "invalid multinomial distribution (sum of probabilities <= 0)"},
    {"P(0)", {1, 1}, "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."},
    {NULL},
};
static const OpError poisson_errors[] = {
    {"R(9)", {0}, "invalid Poisson rate, expected rate to be non-negative"},
    {"i(2)", {0}, "\"poisson_cpu\" not implemented for 'Long'"}, {NULL},
};
static const OpError binomial_errors[] = {
    {"P(2) i(2)", {0}, "binomial only supports floating-point dtypes for prob, got: Long"},
    {"F(2) D(2)", {0}, "Found dtype Double but expected Float"},
    {"P(2) Q(3)", {0}, "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"},
    {NULL},
};

static const OpRow rows[] = {
    {"t_exponential_", call_exponential_, exponential_cases, exponential_errors, INPLACE | RANDOM},
    {"t_geometric_", call_geometric_, geometric_cases, geometric_errors, INPLACE | RANDOM},
    {"t_cauchy_", call_cauchy_, two_numbers_cases, cauchy_errors, INPLACE | RANDOM},
    {"t_log_normal_", call_log_normal_, two_numbers_cases, log_normal_errors, INPLACE | RANDOM},
    {"t_random_", call_random_, random_cases, random_errors, INPLACE | RANDOM},
    {"t_randint_like", call_randint_like, randint_like_cases, randint_like_errors, RANDOM | NO_GRADIENT},
    {"t_normal", call_normal, normal_cases, normal_errors, RANDOM},
    {"t_poisson", call_poisson, poisson_cases, poisson_errors, RANDOM},
    {"t_binomial", call_binomial, binomial_cases, binomial_errors, RANDOM | NO_GRADIENT},
    {"t_multinomial", call_multinomial, multinomial_cases, multinomial_errors, RANDOM | NO_GRADIENT,
     .ranks = "12z: one row of weights or several"},
};
TABLE(random_table, "ops_random.txt", rows);
