/* tests/ops/table/op_table_creation.c: tensors from nothing, from text, from numbers and from the generator
 * (core/ops/creation/creation.c, tensor_literal.c, random.c). Shapes among the numbers are written rank first: {2, 3,
 * 4} is (3, 4). */
#include <math.h>

#include "tests/ops/table/op_table.h"

static t_TensorOptions options_of(const Call *c) {
    return (t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = c->real};
}

/* Functions of (shape, options), and of another tensor. */
#define OF_SHAPE(f)                                                                                               \
    static t_TensorList *call_##f(const Call *c) {                                                                \
        t_TensorOptions options = options_of(c);                                                                  \
        return list_of(t_##f(c->n + 1, (int)c->n[0], &options));                                                  \
    }
OF_SHAPE(empty)
OF_SHAPE(zeros)
OF_SHAPE(ones)
OF_SHAPE(rand)
OF_SHAPE(randn)
CALL1(empty_like)
CALL1(zeros_like)
CALL1(ones_like)
CALL1(rand_like)
CALL1(randn_like)

static t_TensorList *call_full(const Call *c) {
    t_TensorOptions options = options_of(c);
    return list_of(t_full(c->n + 2, (int)c->n[1], (double)c->n[0] / 4, &options));
}
static t_TensorList *call_full_like(const Call *c) {
    return list_of(t_full_like(c->x[0], (double)c->n[0] / 4));
}
static t_TensorList *call_eye(const Call *c) {
    t_TensorOptions options = options_of(c);
    return list_of(t_eye(c->n[0], c->n[1], &options));
}
static t_TensorList *call_arange(const Call *c) {
    t_TensorOptions options = options_of(c);
    return list_of(t_arange((double)c->n[0] / 4, (double)c->n[1] / 4, (double)c->n[2] / 4, &options));
}
static t_TensorList *call_arange_int64(const Call *c) {
    return list_of(t_arange_int64(c->n[0], c->n[1], c->n[2], NULL));
}
static t_TensorList *call_linspace(const Call *c) {
    t_TensorOptions options = options_of(c);
    return list_of(t_linspace((double)c->n[0] / 4, (double)c->n[1] / 4, c->n[2], &options));
}
static t_TensorList *call_logspace(const Call *c) {
    t_TensorOptions options = options_of(c);
    return list_of(t_logspace((double)c->n[0] / 4, (double)c->n[1] / 4, c->n[2], (double)c->n[3], &options));
}
static t_TensorList *call_tril_indices(const Call *c) {
    return list_of(t_tril_indices(c->n[0], c->n[1], c->n[2], NULL));
}
static t_TensorList *call_triu_indices(const Call *c) {
    return list_of(t_triu_indices(c->n[0], c->n[1], c->n[2], NULL));
}
static const char *const indexings[] = {"ij", "xy", "yx"};
static t_TensorList *call_meshgrid(const Call *c) {
    return t_meshgrid(t_list_new(c->x, c->count), indexings[c->n[0]]);
}
#define OF_ANOTHER(f) \
    static t_TensorList *call_##f(const Call *c) { return list_of(t_##f(c->x[0], c->n + 1, (int)c->n[0], NULL)); }
OF_ANOTHER(new_empty)
OF_ANOTHER(new_zeros)
OF_ANOTHER(new_ones)
static t_TensorList *call_new_full(const Call *c) {
    return list_of(t_new_full(c->x[0], c->n + 2, (int)c->n[1], (double)c->n[0] / 4, NULL));
}
CALL2(type_as)
static t_TensorList *call_number(const Call *c) {
    return list_of(t_number((double)c->n[0] / 4));
}
static t_TensorList *call_integer(const Call *c) {
    return list_of(t_integer(c->n[0]));
}
static t_TensorList *call_boolean(const Call *c) {
    return list_of(t_boolean(c->n[0]));
}
static t_TensorList *call_randint(const Call *c) {
    return list_of(t_randint(c->n[0], c->n[1], c->n + 3, (int)c->n[2], NULL));
}
static t_TensorList *call_randperm(const Call *c) {
    return list_of(t_randperm(c->n[0], NULL));
}
static t_TensorList *call_bernoulli(const Call *c) {
    return list_of(t_bernoulli(c->x[0], c->n[0] ? (double)(c->n[0] - 1) / 4 : (double)NAN, NULL));
}

/* t_tensor_from_text, t_tensor_from_data: the first number says which of these. */
static const char *const literals[] = {"[[1, 2], [3, 4]]", "2.5", "[True, False]", "[1, 2.5, -3e-2]", "[[], []]",
                                       "[1, [2]]"};
static t_TensorList *call_tensor_from_text(const Call *c) {
    return list_of(t_tensor_from_text(literals[c->n[0]], NULL));
}
static t_TensorList *call_tensor_from_data(const Call *c) {
    static const float floats[] = {0.1f, -2.0f, 3.25f, 4.0f, 0.0f, -0.5f};
    static const double doubles[] = {0.1, -2, 3.25, 4, 0, -0.5};
    static const int64_t integers[] = {1, -2, 3, 4, 0, 1L << 40};
    static const bool bools[] = {true, false, true, true, false, false};
    static const void *const arrays[T_DTYPES] = {
        [t_bool] = bools, [t_int64] = integers, [t_float32] = floats, [t_float64] = doubles};
    t_TensorOptions options = {.size = sizeof options, .dtype = (t_DType)c->n[1]};
    return list_of(t_tensor_from_data(arrays[c->n[0]], (t_DType)c->n[0], c->n + 3, (int)c->n[2], &options));
}

static const OpCase shape_cases[] = {
    {"", {0}}, {"", {1, 5}}, {"", {2, 3, 4}}, {"", {3, 2, 1, 3}}, {"", {4, 2, 1, 2, 2}}, {"", {5, 1, 2, 1, 3, 2}},
    {"", {1, 0}}, {"", {2, 3, 0}}, {NULL},
};
static const OpCase random_cases[] = {
    {"", {0}}, {"", {1, 5}}, {"", {1, 16}}, {"", {1, 17}}, {"", {2, 3, 4}}, {"", {2, 5, 7}}, {"", {5, 1, 2, 1, 3, 2}},
    {"", {1, 0}}, {NULL},
};
static const OpCase full_cases[] = {
    {"", {6, 0}}, {"", {-1, 1, 3}}, {"", {4, 2, 2, 3}}, {"", {2, 5, 1, 2, 1, 3, 2}}, {"", {1, 1, 0}}, {NULL},
};
static const OpCase like_cases[] = {
    {"R()"}, {"R(5)"}, {"R(2,3)"}, {"R(2,0)"}, {"i(3)"}, {"b(3)"}, {"r(3)"}, {"R(2,1,2,3,2)"}, {"R(2,1,2)"},
    {"R(1,2,1,2)"}, {NULL},
};
static const OpCase full_like_cases[] = {
    {"R()", {2}}, {"R(5)", {-3}}, {"R(2,0)", {1}}, {"i(3)", {8}}, {"b(3)", {4}}, {"r(2,1,2,3,2)", {5}},
    {"R(2,1,2)", {1}},
    {"R(1,2,1,2)", {1}}, {NULL},
};
static const OpCase random_like_cases[] = {{"R()"}, {"R(5)"}, {"R(17)"}, {"R(2,3)"}, {"R(2,0)"}, {"r(3)"}, {"R(2,1,2)"},
    {"R(1,2,1,2)"}, {"R(1,2,1,2,1)"}, {NULL}};
static const OpCase eye_cases[] = {{"", {0, T_NONE}}, {"", {1, T_NONE}}, {"", {3, T_NONE}}, {"", {2, 4}}, {"", {4,
    2}}, {"", {3, 0}}, {NULL}};
static const OpCase arange_cases[] = {
    {"", {0, 20, 4}}, {"", {1, 9, 2}}, {"", {9, -3, -5}}, {"", {0, 0, 1}}, {"", {-1, 1, 7}}, {NULL},
};
static const OpCase linspace_cases[] = {
    {"", {0, 4, 5}}, {"", {-3, 9, 10}}, {"", {9, -3, 6}}, {"", {1, 5, 1}}, {"", {1, 1, 3}}, {"", {0, 4, 0}},
    {"", {0, 7, 2}}, {NULL},
};
static const OpCase logspace_cases[] = {
    {"", {0, 8, 5, 10}}, {"", {-4, 4, 6, 2}}, {"", {1, 5, 1, 3}}, {"", {0, 4, 0, 10}}, {NULL},
};
static const OpCase triangle_cases[] = {
    {"", {3, 3, 0}}, {"", {3, 4, 1}}, {"", {4, 3, -1}}, {"", {2, 5, 9}}, {"", {2, 5, -9}}, {"", {0, 3, 0}},
    {"", {3, 0, 0}}, {"", {5, 2, -2}},
    {NULL},
};
static const OpCase meshgrid_cases[] = {
    {"r(2) r(3)", {0}}, {"r(2) r(3)", {1}}, {"r(2) r() r(3)", {1}}, {"r()", {0}}, {"r(3)", {1}},
    {"r(2) r(1) r(2) r(3) r(1)", {0}},
    {"r(2) r(0)", {0}}, {"r(0) r(2)", {1}}, {"i(2) i(2)", {1}}, {"b(2) b(1)", {0}}, {NULL},
};
static const OpCase new_cases[] = {
    {"R(2)", {0}}, {"R(2)", {2, 2, 3}}, {"i(2)", {1, 4}}, {"b(2)", {1, 2}}, {"r(2)", {5, 1, 2, 1, 3, 1}},
    {"R()", {1, 0}}, {"R(2,3)", {1, 2}}, {"i(2,1,2)", {1, 2}},
    {"b(1,2,1,1)", {1, 2}}, {"r(1,1,2,1,1)", {0}}, {"R(0)", {1, 2}}, {NULL},
};
static const OpCase new_full_cases[] = {
    {"R(2)", {6, 0}}, {"R(2)", {-5, 2, 2, 3}}, {"i(2)", {11, 1, 4}}, {"b(2)", {4, 1, 2}}, {"r(2)", {1, 3, 1, 2, 1}},
    {"R()", {1, 1, 0}}, {"i(2,3)", {6, 1, 2}}, {"R(2,1,2)", {6, 1, 2}},
    {"b(1,2,1,1)", {6, 1, 2}}, {"r(1,1,2,1,1)", {6, 0}}, {"R(0)", {6, 1, 2}}, {NULL},
};
static const OpCase type_as_cases[] = {
    {"r() i(2)"}, {"r(3) D(1)"}, {"r(2,3) F()"}, {"r(2,1,2) b(1)"}, {"r(2,1,2,1) i(1)"}, {"d(2,1,2,3,2) F(1)"},
    {"f(2,0) D(1)"}, {"i(3) R(1)"}, {"b(2) i(1)"}, {NULL},
};
static const OpCase number_cases[] = {{"", {0}}, {"", {-3}}, {"", {1}}, {"", {50}}, {NULL}};
static const OpCase randint_cases[] = {
    {"", {0, 10, 1, 20}}, {"", {-3, 4, 2, 3, 4}}, {"", {5, 6, 0}}, {"", {0, 2, 1, 0}}, {"", {0, 8589934592, 1, 9}},
    {NULL},
};
static const OpCase randperm_cases[] = {{"", {0}}, {"", {1}}, {"", {7}}, {"", {32}}, {NULL}};
static const OpCase bernoulli_cases[] = {
    {"Q()"}, {"Q(20)"}, {"Q(3,4)"}, {"q(5)"}, {"Q(0)"}, {"Q(2,1,2,3,2)"}, {"R()", {3}}, {"R(20)", {2}},
    {"R(3,4)", {4}}, {"i(9)", {3}},
    {"b(3)", {5}}, {"R(3)", {1}}, {"R(2,0)", {2}}, {"Q(2,3,2)"}, {"Q(2,1,3,2)"}, {NULL},
};
static const OpCase text_cases[] = {{"", {0}}, {"", {1}}, {"", {2}}, {"", {3}}, {"", {4}}, {NULL}};
static const OpCase data_cases[] = {
    {"", {t_float32, 0, 2, 2, 3}}, {"", {t_float64, 0, 1, 6}}, {"", {t_int64, 0, 1, 5}},
    {"", {t_bool, 0, 3, 1, 2, 3}}, {"", {t_float32, t_float64, 1, 4}}, {"", {t_int64, t_float32, 0}},
    {"", {t_float64, t_bool, 1, 6}}, {"", {t_float32, 0, 1, 0}}, {NULL},
};

static const OpError shape_errors[] = {
    {"", {2, 2, -3}, "Trying to create tensor with negative dimension -3: [2, -3]"},
    {"", {9, 1, 1, 1, 1, 1, 1, 1, 1, 1}, "a tensor has at most 8 dims, not 9"},
    {"", {2, INT64_MAX, 2}, "Storage size calculation overflowed with sizes=[9223372036854775807, 2]"},
    {NULL},
};
static const OpError full_errors[] = {
    {"", {1, 1, -1}, "Trying to create tensor with negative dimension -1: [-1]"},
    {NULL},
};
static const OpError eye_errors[] = {
    {"", {-2, T_NONE}, "n must be greater or equal to 0, got -2"},
    {"", {2, -1}, "m must be greater or equal to 0, got -1"}, {NULL},
};
static const OpError arange_errors[] = {
    {"", {0, 4, 0}, "step must be nonzero"},
    {"", {0, 4, -1}, "upper bound and lower bound inconsistent with step sign"},
    {"", {4, 0, 1}, "upper bound and lower bound inconsistent with step sign"},
    {NULL},
};
static const OpError linspace_errors[] = {{"", {0, 4, -1}, "number of steps must be non-negative"}, {NULL}};
static const OpError logspace_errors[] = {{"", {0, 4, -1, 10}, "number of steps must be non-negative"}, {NULL}};
static const OpError triangle_errors[] = {
    {"", {-1, 3, 0}, "row must be non-negative, got-1"}, {"", {3, -1, 0}, "col must be non-negative, got-1"}, {NULL},
};
static const OpError meshgrid_errors[] = {
    {"", {0}, "meshgrid expects a non-empty TensorList"},
    {"r(2) r(3)", {2}, "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: yx"},
    {"r(2) i(3)", {0}, "meshgrid expects all tensors to have the same dtype"},
    /* ours: PyTorch prints the tensor's values */
    {"r(2) r(2,3)", {0}, "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got one of shape [2, 3]"},
    {NULL},
};
static const OpError new_errors[] = {
    {"R(2)", {1, -3}, "Trying to create tensor with negative dimension -3: [-3]"}, {NULL},
};
static const OpError new_full_errors[] = {
    {"R(2)", {0, 1, -3}, "Trying to create tensor with negative dimension -3: [-3]"}, {NULL},
};
static const OpError randint_errors[] = {
    {"", {3, 3, 1, 2}, "random_ expects 'from' to be less than 'to', but got from=3 >= to=3"},
    {NULL},
};
static const OpError randperm_errors[] = {
    {"", {-1}, "Trying to create tensor with negative dimension -1: [-1]"},
    {NULL},
};
static const OpError random_like_errors[] = {
    {"i(2)", {0}, "\"check_uniform_bounds\" not implemented for 'Long'"},
    {NULL},
};
static const OpError randn_like_errors[] = {
    {"i(2)", {0}, "\"normal_kernel_cpu\" not implemented for 'Long'"},
    {NULL},
};
static const OpError bernoulli_errors[] = {
    {"R(40)", {0}, "Expected p_in >= 0 && p_in <= 1 to be true, but got p=1.51934"},
    {"R(4)", {7}, "bernoulli_ expects p to be in [0, 1], but got p=1.5"},
    {NULL},
};
static const OpError text_errors[] = {{"", {5}, "'list' object cannot be interpreted as an integer"}, {NULL}};
static const OpError data_errors[] = {
    {"", {0, 0, 1, 2}, "0 is not a dtype"},
    {"", {t_bool, 0, 1, -2}, "Trying to create tensor with negative dimension -2: [-2]"},
    {NULL},
};
static const OpError none[] = {{NULL}};

static const OpRow rows[] = {
    {"t_tensor_from_text", call_tensor_from_text, text_cases, text_errors},
    {"t_tensor_from_data", call_tensor_from_data, data_cases, data_errors},
    {"t_number", call_number, number_cases, none},
    {"t_integer", call_integer, number_cases, none},
    {"t_boolean", call_boolean, number_cases, none},
    {"t_empty", call_empty, shape_cases, shape_errors, UNDEFINED},
    {"t_zeros", call_zeros, shape_cases, shape_errors},
    {"t_ones", call_ones, shape_cases, shape_errors},
    {"t_full", call_full, full_cases, full_errors},
    {"t_eye", call_eye, eye_cases, eye_errors},
    {"t_arange", call_arange, arange_cases, arange_errors},
    {"t_arange_int64", call_arange_int64, arange_cases, arange_errors},
    {"t_linspace", call_linspace, linspace_cases, linspace_errors},
    {"t_logspace", call_logspace, logspace_cases, logspace_errors},
    {"t_tril_indices", call_tril_indices, triangle_cases, triangle_errors},
    {"t_triu_indices", call_triu_indices, triangle_cases, triangle_errors},
    {"t_meshgrid", call_meshgrid, meshgrid_cases, meshgrid_errors, MAYBE_VIEW,
        .ranks = "01z: vectors and numbers only"},
    {"t_new_empty", call_new_empty, new_cases, new_errors, UNDEFINED | NO_GRADIENT},
    {"t_new_zeros", call_new_zeros, new_cases, new_errors, NO_GRADIENT},
    {"t_new_ones", call_new_ones, new_cases, new_errors, NO_GRADIENT},
    {"t_new_full", call_new_full, new_full_cases, new_full_errors, NO_GRADIENT},
    {"t_type_as", call_type_as, type_as_cases, none, MAYBE_VIEW},
    {"t_empty_like", call_empty_like, like_cases, none, UNDEFINED | NO_GRADIENT},
    {"t_zeros_like", call_zeros_like, like_cases, none, NO_GRADIENT},
    {"t_ones_like", call_ones_like, like_cases, none, NO_GRADIENT},
    {"t_full_like", call_full_like, full_like_cases, none, NO_GRADIENT},
    {"t_rand", call_rand, random_cases, shape_errors, RANDOM},
    {"t_randn", call_randn, random_cases, shape_errors, RANDOM},
    {"t_randint", call_randint, randint_cases, randint_errors, RANDOM},
    {"t_randperm", call_randperm, randperm_cases, randperm_errors, RANDOM},
    {"t_rand_like", call_rand_like, random_like_cases, random_like_errors, RANDOM | NO_GRADIENT},
    {"t_randn_like", call_randn_like, random_like_cases, randn_like_errors, RANDOM | NO_GRADIENT},
    {"t_bernoulli", call_bernoulli, bernoulli_cases, bernoulli_errors, RANDOM},
};
TABLE(creation_table, "ops_creation.txt", rows);
