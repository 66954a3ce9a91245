/* tests/ops/table/op_table_scatter.c: elements and slices written along one dim, and parts replaced
 * (core/ops/indexing/scatter.c, scatter_reduce.c, index_add.c, slice_scatter.c, gather.c).
 *
 * Where the last one written stays, either an index has one element along its dim, or the inputs are of a kind
 * without gradients (t). */
#include "tests/ops/table/op_table.h"

static t_TensorList *call_take_along_dim(const Call *c) {
    return list_of(t_take_along_dim(c->x[0], c->x[1], c->n[0]));
}
#define CALL_ALONG(f)                                                             \
    static t_TensorList *call_##f(const Call *c) {                                \
        return list_of(t_##f(c->x[0], c->n[0], c->x[1], c->x[2]));                \
    }                                                                             \
    static t_TensorList *call_##f##_(const Call *c) {                             \
        return list_of(t_##f##_(c->x[0], c->n[0], c->x[1], c->x[2]));             \
    }
CALL_ALONG(scatter)
CALL_ALONG(scatter_add)
CALL_ALONG(index_copy)
CALL_ALONG(index_fill)

/* alpha is in quarters, and 1 for 0 */
static double alpha_of(const Call *c) {
    return c->n[1] ? (double)c->n[1] / 4 : 1;
}
static t_TensorList *call_index_add(const Call *c) {
    return list_of(t_index_add(c->x[0], c->n[0], c->x[1], c->x[2], alpha_of(c)));
}
static t_TensorList *call_index_add_(const Call *c) {
    return list_of(t_index_add_(c->x[0], c->n[0], c->x[1], c->x[2], alpha_of(c)));
}

static const char *const reduce_texts[] = {"sum", "prod", "mean", "amax", "amin", "most"};
static t_TensorList *call_scatter_reduce(const Call *c) {
    return list_of(t_scatter_reduce(c->x[0], c->n[0], c->x[1], c->x[2], reduce_texts[c->n[1]], !c->n[2]));
}
static t_TensorList *call_scatter_reduce_(const Call *c) {
    return list_of(t_scatter_reduce_(c->x[0], c->n[0], c->x[1], c->x[2], reduce_texts[c->n[1]], !c->n[2]));
}

static t_TensorList *call_select_scatter(const Call *c) {
    return list_of(t_select_scatter(c->x[0], c->x[1], c->n[0], c->n[1]));
}
static t_TensorList *call_slice_scatter(const Call *c) {
    return list_of(t_slice_scatter(c->x[0], c->x[1], c->n[0], c->n[1], c->n[2], c->n[3]));
}
static t_TensorList *call_diagonal_scatter(const Call *c) {
    return list_of(t_diagonal_scatter(c->x[0], c->x[1], c->n[0], c->n[1], c->n[2]));
}

/* ---- cases ---- */

static const OpCase take_along_cases[] = {
    {"r(2,1,3,2) k3(2,1,4,2)", {2}}, {"r(0,3) k3(0,2)", {1}},
    {"r(3,4) k4(3,2)", {1}}, {"r(3,4) k3(1,4)", {0}}, {"r(3,4) i(3,2)", {-1}}, {"r(1,4) k4(3,2)", {1}},
    {"r(3,4) k12(5)", {T_NONE}},
    {"r(2,3,2) k3(1,4,2)", {-2}}, {"r(2,1,2,3,2) k3(1,1,2,2,2)", {3}}, {"r(5) k5(3)", {0}}, {"r() k1()", {T_NONE}},
    {"i(3,2) k2(3,1)", {1}},
    {"r(3) k3(0)", {0}}, {NULL},
};
#define PLACED(x, src)                                                                                                \
    {x "() k1() " src "()", {0}}, {x "(5) k5(1) " src "(1)", {0}}, {x "(3,4) k3(1,4) " src "(1,4)", {0}},             \
    {x "(3,4) k4(3,1) " src "(3,1)", {-1}}, {x "(2,3,2) k3(2,1,1) " src "(2,1,1)", {1}},                              \
    {x "(2,1,2,3,2) k3(2,1,2,1,2) " src "(2,1,2,1,2)", {3}}, {x "(3) k3(0) " src "(0)", {0}},                         \
    {x "(2,1,3,2) k3(2,1,1,2) " src "(2,1,1,2)", {2}}, {x "(0,3) k3(0,1) " src "(0,1)", {1}}
#define CROWDED(x, src)                                                                                               \
    {x "(5) k5(7) " src "(7)", {0}}, {x "(3,4) k3(5,4) " src "(5,4)", {0}},                                           \
    {x "(3,4) k4(3,2) " src "(3,2)", {1}}, {x "(2,3,2) k3(2,5,1) " src "(2,5,1)", {1}}
#define REDUCED(x, reduce, without)                                                                                   \
    {x "() k1() " x "()", {0, reduce, without}}, {x "(5) k5(7) " x "(7)", {0, reduce, without}},                      \
    {x "(3,4) k3(5,4) " x "(5,4)", {0, reduce, without}},                                                             \
    {x "(2,3,2) k3(2,5,1) " x "(2,5,1)", {-2, reduce, without}}
static const OpCase scatter_cases[] = {
    PLACED("r", "r"), PLACED("R", "r"), PLACED("i", "i"), PLACED("b", "b"), {"r(3,4) k3(2,2) N", {0}},
    {"r(5) k5(7) N", {0}},
    {"i(3) k3(2) N", {0}}, {"r(3) k3(2) I", {0}}, {"b(3) k3(1) B", {0}}, {"r(3,4) k3(1,3) R(2,4)", {0}},
    {"r() k1(1) r(1)", {0}}, {NULL},
};
static const OpCase scatter_add_cases[] = {
    PLACED("r", "r"), CROWDED("r", "r"), {"R(5) k5(7) r(7)", {0}}, {"r(5) k5(7) R(9)", {0}}, CROWDED("i", "i"),
    {"b(3) k3(5) b(5)", {0}}, {NULL},
};
static const OpCase scatter_reduce_cases[] = {
    {"r(2,1,3,2) k3(2,1,4,2) r(2,1,4,2)", {2, 2, 0}}, {"r(0,3) k3(0,2) r(0,2)", {1, 0, 0}},
    REDUCED("r", 0, 0), REDUCED("r", 0, 1), REDUCED("p", 1, 0), REDUCED("p", 1, 1), REDUCED("t", 1, 0),
    REDUCED("t", 1, 1),
    REDUCED("r", 2, 0), REDUCED("r", 2, 1), REDUCED("s", 3, 0), REDUCED("s", 3, 1), REDUCED("s", 4, 0),
    REDUCED("s", 4, 1),
    REDUCED("t", 3, 0), REDUCED("t", 4, 0), REDUCED("i", 0, 0), REDUCED("i", 1, 0), REDUCED("i", 2, 0),
    REDUCED("i", 2, 1),
    REDUCED("i", 3, 1), REDUCED("i", 4, 1), REDUCED("x", 3, 0), REDUCED("x", 4, 0), {"b(4) k4(6) b(6)", {0, 0, 0}},
    {"b(4) k4(6) b(6)", {0, 1, 1}}, {"b(4) k4(6) b(6)", {0, 3, 1}}, {"b(4) k4(6) b(6)", {0, 4, 1}},
    {"r(2,1,2,3,2) k3(2,1,2,4,2) r(2,1,2,4,2)", {3, 2, 0}},
    {"r(3) k3(0) r(0)", {0, 2, 1}}, {NULL},
};
static const OpCase index_add_cases[] = {
    {"r(2,1,3,2) k3(2) r(2,1,2,2)", {2}},
    {"r() k1(1) r()", {0}}, {"r(5) k5(7) r(7)", {0}}, {"r(3,4) k3(5) r(5,4)", {0}}, {"r(3,4) k4(2) r(3,2)", {-1, 2}},
    {"r(2,3,2) k3(4) r(2,4,2)", {1, -6}},
    {"r(2,1,2,3,2) k3(2) r(2,1,2,2,2)", {3}}, {"R(3,4) k3(2) r(2,4)", {0}}, {"r(3,4) k3(2) R(2,4)", {0, 8}},
    {"i(3,2) k3(4) i(4,2)", {0, 8}}, {"b(3) k3(2) b(2)", {0}},
    {"r(3) k3(0) r(0)", {0}}, {"r(3) k3() r(1)", {0}}, {"r(3,0) k3(2) r(2,0)", {0}}, {NULL},
};
static const OpCase index_copy_cases[] = {
    {"r(2,1,3,2) k3(1) r(2,1,1,2)", {2}}, {"r(0,3) k3(1) r(0,1)", {1}},
    {"r() k1(1) r()", {0}}, {"r(5) k5(1) r(1)", {0}}, {"r(3,4) k3(1) r(1,4)", {0}}, {"r(3,4) k4(1) r(3,1)", {-1}},
    {"t(3,4) k3(5) t(5,4)", {0}},
    {"r(2,3,2) k3(1) r(2,1,2)", {1}}, {"r(2,1,2,3,2) k3(1) r(2,1,2,1,2)", {3}}, {"R(3,4) k3(1) r(1,4)", {0}},
    {"r(3) k3() r()", {0}}, {"i(3,2) k3(1) i(1,2)", {0}},
    {"b(3) k3(1) b(1)", {0}}, {"r(3) k3(0) r(0)", {0}}, {NULL},
};
static const OpCase index_fill_cases[] = {
    {"r(2,1,3,2) k3(2) r()", {2}}, {"r(0,3) k3(1) N", {1}},
    {"r() k1(1) N", {0}}, {"r(5) k5(3) N", {0}}, {"r(3,4) k3(2) r()", {0}}, {"r(3,4) k4(2) N", {-1}},
    {"r(2,3,2) k3(4) r()", {1}},
    {"r(2,1,2,3,2) k3(2) N", {3}}, {"R(3) k3(2) r()", {0}}, {"r(11) i(3) N", {0}}, {"r(3) k3() N", {0}},
    {"i(3) k3(2) N", {0}}, {"b(3) k3(2) B", {0}},
    {"r(3) k3(0) N", {0}}, {"f(3) k3(2) d()", {0}}, {"f(4,5) k4(3) N", {0}}, {"f(2,4,3) k4(3) N", {1}}, {NULL},
};
static const OpCase select_scatter_cases[] = {
    {"r(2,1,3,2) r(2,1,2)", {2, 1}},
    {"r(5) r()", {0, 2}}, {"r(2,4) r(4)", {0, -1}}, {"r(2,4) r(2)", {1, 0}}, {"r(2,3,4) r(2,4)", {-2, 1}},
    {"r(2,1,2,3,2) r(2,1,2,2)", {3, -2}}, {"R(3) r()", {0, 1}},
    {"r(3) R()", {0, 1}}, {"i(3) i()", {0, 1}}, {"b(3) b()", {0, 0}}, {"r(2,0) r(0)", {0, 1}}, {"f(3) d()", {0, 0}},
    {"i(3) R()", {0, 0}}, {NULL},
};
static const OpCase slice_scatter_cases[] = {
    {"r(2,1,3,2) r(2,1,2,2)", {2, 1, 3, 1}}, {"r(0,3) r(0,1)", {1, 0, 1, 1}},
    {"r(7) r(3)", {0, 1, 6, 2}}, {"r(2,6) r(2,2)", {1, 0, 99, 4}}, {"r(5) r(2)", {0, -3, -1, 1}},
    {"r(2,3,4) r(2,3,1)", {-1, 1, T_NONE, 3}},
    {"r(2,1,2,3,2) r(2,1,2,2,2)", {3, -2, T_NONE, 1}}, {"r(4) r(0)", {0, 3, 1, 1}},
    {"i(6) i(3)", {0, T_NONE, T_NONE, 2}},
    {"R(3) r(3)", {0, 0, 3, 1}}, {"f(3) d(3)", {0, 0, 3, 1}},
    {NULL},
};
static const OpCase diagonal_scatter_cases[] = {
    {"r(2,1,3,2) r(2,1,2)", {0, 2, 3}}, {"r(0,3) r(0)", {0, 0, 1}},
    {"r(3,3) r(3)", {0, 0, 1}}, {"r(3,4) r(3)", {1, 0, 1}}, {"r(3,4) r(3)", {-1, 1, 0}},
    {"r(2,3,4) r(2,3)", {0, -2, -1}},
    {"r(2,1,2,3,2) r(2,1,3,2)", {0, 2, 4}}, {"r(2,2) r(0)", {5, 0, 1}},
    {"i(2,3) i(2)", {0, 0, 1}}, {"R(2,2) r(2)", {0, 0, 1}}, {NULL},
};

/* ---- errors ---- */

#define RANGE2 "Dimension out of range (expected to be in range of [-2, 1], but got 2)"
static const OpError take_along_errors[] = {
    {"r(3,2) R(3,2)", {0}, "torch.take_along_dim(): dtype of indices should be Long but got Float"},
    {"r(3,2) k2(3)", {0},
        "torch.take_along_dim(): input and indices should have the same number of dimensions, but got 2 "
                          "dimensions for input, and 1 dimensions for indices"},
    {"r(3,2) k2(3,3)", {0},
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1"},
    {"r(3,2) k2(3,2)", {2}, RANGE2},
    {"r(5) k6(40)", {T_NONE}, "index 5 is out of bounds for dimension 0 with size 5"},
    {"r() k1()", {0}, "Dimension specified as 0 but tensor has no dimensions"},
    {NULL},
};
#define SCATTER_ERRORS                                                                                 \
    {"r(5) k6(40) r(40)", {0}, "index 5 is out of bounds for dimension 0 with size 5"},                \
    {"r(3,2) k2(2) r(2)", {0}, "Index tensor must have the same number of dimensions as self tensor"}, \
    {"r(3,2) k2(1,2) i(1,2)", {0}, "scatter(): Expected self.dtype to be equal to src.dtype"},         \
    {"r(3,2) R(1,2) r(1,2)", {0}, "scatter(): Expected dtype int32/int64 for index"},                  \
    {"r(3,2) k2(1,3) r(1,3)", {0},                                                                     \
        "Expected index [1, 3] to be no larger than self [3, 2] apart from dimension 0 and to be no "  \
                                   "larger size than src [1, 3]"},                                     \
    {"r(3,2) k2(2,2) r(1,2)", {0},                                                                     \
        "Expected index [2, 2] to be no larger than self [3, 2] apart from dimension 0 and to be no "  \
                                   "larger size than src [1, 2]"},                                     \
    {"r(3,2) k2(1,2) r(1,2)", {2}, RANGE2}
static const OpError scatter_errors[] = {
    SCATTER_ERRORS,
    {"r(3,2) k2(1,2) r()", {0}, "Index tensor must have the same number of dimensions as src tensor"},
    {"r(3,2) k2(1,3) N", {0}, "Expected index [1, 3] to be no larger than self [3, 2] apart from dimension 0"},
    {NULL},
};
static const OpError scatter_add_errors[] = {SCATTER_ERRORS, {NULL}};
static const OpError scatter_reduce_errors[] = {
    SCATTER_ERRORS,
    {"r(3) k3(2) r(2)", {0, 5}, "reduce argument must be either sum, prod, mean, amax or amin, got most"},
    {"b(3) k3(2) b(2)", {0, 2}, "\"scatter_gather_tensor_cpu_reduce_mean\" not implemented for 'Bool'"},
    {NULL},
};
static const OpError index_add_errors[] = {
    {"r(5) k6(40) r(40)", {0}, "index out of range in self"},
    {"r(5,1) k6(40) r(40,1)", {0}, "index 5 is out of bounds for dimension 0 with size 5"},
    {"r(3) R(2) r(2)", {0}, "index_add_(): Expected dtype int32/int64 for index but got: Float"},
    {"r(3) k3(1,2) r(2)", {0},
        "index_add_(): Index is supposed to be a vector, but got dim: 2 with type: Long and size: [1, 2]"},
    {"r(3) k3(2) i(2)", {0}, "index_add_(): self (Float) and source (Long) must have the same scalar type"},
    {"r(3) k3(2) r(1)", {0},
        "index_add_(): Number of indices (2) should be equal to source.size(dim): (1), for dim: 0"},
    {"r(3,2) k3(2) r(2,3)", {0},
        "source tensor shape must match self tensor shape, excluding the specified dimension. Got "
                                 "self.shape = [3, 2] source.shape = [2, 3]"},
    {"r(3,2) k3(2) r(2,2)", {2}, RANGE2},
    {NULL},
};
static const OpError index_copy_errors[] = {
    {"r(5) k6(40) r(40)", {0}, "index_copy_(): index 5 is out of bounds for dimension 0 with size 5"},
    {"r(3) R(2) r(2)", {0}, "index_copy_(): Expected a long tensor for index, but got Float"},
    {"r(3) k3(1,2) r(2)", {0}, "index_copy_(): Index should have dimension 1 or 0 (got 2)"},
    {"r(3) k3(2) i(2)", {0},
        "index_copy_(): self and source expected to have the same dtype, but got (self) Float and (source) "
                              "Long"},
    {"r(3) k3(2) r(1)", {0}, "index_copy_(): Number of indices (2) should be equal to source.size(dim) (1)"},
    {"r(3) k3(2) r()", {0}, "index_copy_(): When source is scalar, index should have one element (got 2)"},
    {"r(3,2) k3(2) r(2)", {0},
        "index_copy_(): When source and destination are not scalars, their dimensionality must match. "
                               "Source dimensionality (1), destination dimensionality (2)"},
    {"r(3,2,4) k3(2) r(2,3,4)", {0},
        "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice "
                                     "shape: 2 4 at dimension 0 and source slice shape: 3 4 at dimension 0."},
    {"r(3,2) k3(2) r(2,2)", {2}, RANGE2},
    {NULL},
};
static const OpError index_fill_errors[] = {
    {"r(5) k6(40) N", {0}, "index 5 is out of bounds for dimension 0 with size 5"},
    {"r(3) R(2) N", {0}, "index_fill_(): Expected dtype int64 for index."},
    {"r(3) k3(1,2) N", {0}, "Index has to be a vector/scalar"},
    {"r(3) k3(2) r(2)", {0},
        "index_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s)."},
    {"r(3,2) k3(2) N", {2}, RANGE2},
    {NULL},
};
static const OpError select_scatter_errors[] = {
    {"r(2,3) r(2)", {0, 0}, "expected src to have a size equal to the slice of self. src size = [2], slice size = [3]"},
    {"r(2,3) r(3)", {0, 5}, "select(): index 5 out of range for tensor of size [2, 3] at dimension 0"},
    {"r(2,3) r(3)", {2, 0}, RANGE2},
    {"r() r()", {0, 0}, "select() cannot be applied to a 0-dim tensor."},
    {NULL},
};
static const OpError slice_scatter_errors[] = {
    {"r(2,3) r(2)", {0, 0, 1, 1},
        "expected src to have a size equal to the slice of self. src size = [2], slice size = [1, 3]"},
    {"r(2,3) r(1,3)", {0, 0, 1, 0}, "slice step must be positive"},
    {"r(2,3) r(1,3)", {2, 0, 1, 1}, RANGE2},
    {NULL},
};
static const OpError diagonal_scatter_errors[] = {
    {"r(2,3) r(3)", {0, 0, 1},
        "expected src to have a size equal to the slice of self. src size = [3], slice size = [2]"},
    {"r(2,3) r(2)", {0, 1, 1}, "diagonal dimensions cannot be identical 1, 1"},
    {NULL},
};

static const OpRow rows[] = {
    {"t_take_along_dim", call_take_along_dim, take_along_cases, take_along_errors},
    {"t_scatter", call_scatter, scatter_cases, scatter_errors, 0, "134"},
    {"t_scatter_", call_scatter_, scatter_cases, scatter_errors, INPLACE, "134"},
    {"t_scatter_add", call_scatter_add, scatter_add_cases, scatter_add_errors, SUMS, "134"},
    {"t_scatter_add_", call_scatter_add_, scatter_add_cases, scatter_add_errors, INPLACE | SUMS, "134"},
    {"t_scatter_reduce", call_scatter_reduce, scatter_reduce_cases, scatter_reduce_errors, SUMS, "134"},
    {"t_scatter_reduce_", call_scatter_reduce_, scatter_reduce_cases, scatter_reduce_errors, INPLACE | SUMS, "134"},
    {"t_index_add", call_index_add, index_add_cases, index_add_errors, SUMS, "134"},
    {"t_index_add_", call_index_add_, index_add_cases, index_add_errors, INPLACE | SUMS, "134"},
    {"t_index_copy", call_index_copy, index_copy_cases, index_copy_errors, 0, "134"},
    {"t_index_copy_", call_index_copy_, index_copy_cases, index_copy_errors, INPLACE, "134"},
    {"t_index_fill", call_index_fill, index_fill_cases, index_fill_errors, 0, "134"},
    {"t_index_fill_", call_index_fill_, index_fill_cases, index_fill_errors, INPLACE, "134"},
    {"t_select_scatter", call_select_scatter, select_scatter_cases, select_scatter_errors,
     .ranks = "12345z: a 0-dim tensor has nothing to select"},
    {"t_slice_scatter", call_slice_scatter, slice_scatter_cases, slice_scatter_errors,
     .ranks = "12345z: a 0-dim tensor has no slices"},
    {"t_diagonal_scatter", call_diagonal_scatter, diagonal_scatter_cases, diagonal_scatter_errors,
     .ranks = "2345z: a diagonal takes two dims"},
};
TABLE(scatter_table, "ops_scatter.txt", rows);
