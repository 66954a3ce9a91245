/* tests/ops/table/op_table_histogram.c: gradient, histograms, index_reduce, segment_reduce, nonzero_static and
 * unravel_index (core/ops/reduction/gradient.c, core/ops/sorting/histogramdd.c, core/ops/indexing/scatter_reduce.c,
 * segment_reduce.c, nonzero.c). */
#include "core/tensor/tensor.h"
#include "tests/ops/table/op_table.h"

/* Spacing in quarters (with tensors: from these), edge_order; the number of dims, and the dims. */
static t_TensorList *call_gradient(const Call *c) {
    t_TensorList *spacings = c->count > 1 ? t_list_new(c->x + 1, c->count - 1) : NULL;
    if (c->count > 1 && !spacings) return NULL;
    return t_gradient(c->x[0], (double)c->n[0] / 4, spacings, c->n + 3, (int)c->n[2], c->n[1]);
}
/* Sorted values as edges */
static Tensor *edges_of(Tensor *x) {
    return t_sort(t_detach(x), 0, false, false, NULL);
}
/* x, weight, edges: the number of bins (without edges), a range in quarters (none if both are 0), density */
static t_TensorList *call_histogram(const Call *c) {
    const int depth = t_scope_open();
    if (!depth) return NULL;
    const double range[] = {(double)c->n[1] / 4, (double)c->n[2] / 4};
    Tensor *bins = c->count > 2 ? edges_of(c->x[2]) : t_integer(c->n[0]), *edges;
    const bool ranged = c->n[1] || c->n[2];
    Tensor *y = t_histogram(c->x[0], bins, ranged ? range : NULL, c->x[1], c->n[3] != 0, &edges);
    return tg_scope_return(depth, y ? t_list_new((Tensor *[]){y, edges}, 2) : NULL);
}
/* x, weight, edges of two dims: the numbers of bins (the second 0: the first for all), a range in quarters for two dims
 * (none if the last is 0), density */
static t_TensorList *call_histogramdd(const Call *c) {
    const int depth = t_scope_open();
    if (!depth) return NULL;
    const double range[] = {(double)c->n[2] / 4, (double)c->n[3] / 4, (double)c->n[4] / 4, (double)c->n[5] / 4};
    Tensor *bins[2];
    for (int i = 0; i < 2; i++) bins[i] = c->count > 2 ? edges_of(c->x[i + 2]) : t_integer(c->n[i]);
    t_TensorList *list = t_list_new(bins, c->n[1] || c->count > 2 ? 2 : 1), *edges;
    Tensor *y = list ? t_histogramdd(c->x[0], list, range, c->n[5] ? 4 : 0, c->x[1], c->n[6] != 0, &edges) : NULL;
    t_TensorList *all = y ? t_list_new(&y, 1) : NULL;
    return tg_scope_return(depth, all && t_list_extend(all, edges) ? all : NULL);
}
static const char *const reduce_texts[] = {"prod", "mean", "amax", "amin", "sum", "max", "min", "other"};
static t_TensorList *call_index_reduce(const Call *c) {
    return list_of(t_index_reduce(c->x[0], c->n[0], c->x[1], c->x[2], reduce_texts[c->n[1]], !c->n[2]));
}
static t_TensorList *call_index_reduce_(const Call *c) {
    return list_of(t_index_reduce_(c->x[0], c->n[0], c->x[1], c->x[2], reduce_texts[c->n[1]], !c->n[2]));
}
/* reduce, axis, unsafe, initial in quarters (0: none), whether offsets, how many lengths or offsets, and these: the
 * same for all positions of the dims before axis */
static t_TensorList *call_segment_reduce(const Call *c) {
    const double initial = c->n[3] ? (double)c->n[3] / 4 : NAN;
    const int depth = t_scope_open();
    if (!depth) return NULL;
    int64_t shape[T_MAX_DIMS] = {0}, axis = c->n[1];
    for (int64_t d = 0; d < axis && c->x[0]; d++) shape[d] = t_size(c->x[0], d);
    shape[axis] = c->n[5];
    Tensor *parts = t_expand(t_tensor_from_data(c->n + 6, t_int64, &c->n[5], 1, NULL), shape, (int)axis + 1);
    return tg_scope_return(depth, list_of(t_segment_reduce(c->x[0], reduce_texts[c->n[0]], c->n[4] ? NULL : parts, NULL,
                                                           c->n[4] ? parts : NULL, axis, c->n[2] != 0, initial)));
}
static t_TensorList *call_nonzero_static(const Call *c) {
    return list_of(t_nonzero_static(c->x[0], c->n[0], c->n[1]));
}
static t_TensorList *call_unravel_index(const Call *c) {
    return t_unravel_index(c->x[0], c->n + 1, (int)c->n[0]);
}

static const OpCase gradient_cases[] = {
    {"r()", {4, 1}}, {"r(5)", {4, 1}}, {"r(5)", {8, 2}}, {"r(2,3)", {4, 1}}, {"r(3,4)", {3, 2}},
    {"r(3,4)", {4, 1, 1, 0}},
    {"r(3,4)", {4, 1, 2, 1, 0}}, {"r(3,4)", {4, 1, 1, -1}}, {"r(2,3,2)", {4, 1, 1, 1}}, {"r(2,2,3,2)", {4, 1}},
    {"r(2,2,3,2,2)", {4, 1, 1, 2}}, {"R(4)", {4, 1}}, {"i(6)", {4, 1}}, {"r(2) N", {4, 1}}, {"r(3,4) N N", {4, 2}},
    {"r(5) s(5)", {4, 1}}, {"r(5) s(5)", {4, 2}}, {"r(3,4) s(3) s(4)", {4, 1}}, {"r(3,4) s(4)", {4, 2, 1, 1}},
    {"r(0,2)", {4, 1, 1, 1}}, {NULL},
};
static const OpCase histogram_cases[] = {
    {"R() -", {2, 0, 4}}, {"R(20) -", {5}}, {"R(20) -", {3, -2, 6}}, {"R(20) R(20)", {4}},
    {"R(20) P(20)", {4, -4, 4, 1}},
    {"R(20) -", {6, 0, 0, 1}}, {"R(2,3) - S(4)", {0}}, {"R(40) P(40) S(5)", {0, 0, 0, 1}}, {"T(3,4,2) -", {4}},
    {"T(30) - T(4)", {0}}, {"R(2,1,3,2) -", {3}}, {"R(1,2,1,2,2) -", {3}}, {"R(0) -", {3}}, {"F(3) F(3)", {2, -4, 4}},
    {NULL},
};
static const OpCase histogramdd_cases[] = {
    {"R(9,2) -", {3, 4}}, {"R(9,2) -", {3}}, {"R(9,2) P(9)", {3, 2, -4, 4, -2, 8, 1}}, {"R(3,4,2) P(3,4)", {2, 3}},
    {"R(20,2) - S(3) S(4)", {0}}, {"R(20,2) P(20) S(3) S(4)", {0, 0, 0, 0, 0, 0, 1}}, {"R(2,1,3,2) -", {2}},
    {"R(2,1,2,2,3) -", {2}}, {"R(0,2) -", {2}}, {NULL},
};
static const OpCase index_reduce_cases[] = {
    {"s() k1(1) s()", {0, 0}}, {"s(5) k5(4) s(4)", {0, 0}}, {"s(5) k5(4) s(4)", {0, 1}}, {"s(5) k5(4) s(4)", {0, 2}},
    {"s(5) k5(4) s(4)", {0, 3}}, {"s(3,4) k3(5) s(5,4)", {0, 1, 1}}, {"s(3,4) k3(5) s(5,4)", {0, 0, 1}},
    {"s(3,4) k4(2) s(3,2)", {1, 2, 1}}, {"s(2,3,2) k3(4) s(2,4,2)", {-2, 3}}, {"s(2,1,3,2) k3(2) s(2,1,2,2)", {2, 1}},
    {"s(1,2,1,2,2) k2(3) s(1,3,1,2,2)", {1, 2}}, {"s(3) k3(0) s(0)", {0, 1}}, {"s(0,3) k3(2) s(0,2)", {1, 0}},
    {"S(3) k3(4) s(4)", {0, 1}}, {"s(3) k3(4) S(4)", {0, 2}}, {"i(3) k3(4) i(4)", {0, 1}}, {"i(3) k3(4) i(4)", {0, 0}},
    {"i(3) k3(4) i(4)", {0, 2, 1}}, {"i(3) k3(4) i(4)", {0, 3, 1}}, {"x(12) k12(12) x(12)", {0, 2}}, {NULL},
};
#define SEGMENTS(reduce)                                                                                         \
    {"S(5)", {reduce, 0, 0, 0, 0, 3, 2, 0, 3}}, {"s(5)", {reduce, 0, 0, 6, 0, 3, 2, 0, 3}},                      \
    {"s(4,3)", {reduce, 0, 0, 0, 0, 2, 1, 3}}, {"s(3,4)", {reduce, 1, 0, 0, 0, 3, 1, 2, 1}},                     \
    {"s(5)", {reduce, 0, 0, 0, 1, 3, 0, 2, 5}}
static const OpCase segment_reduce_cases[] = {
    SEGMENTS(0), SEGMENTS(1), SEGMENTS(4), SEGMENTS(5), SEGMENTS(6), {"s(5)", {4, 0, 1, 0, 0, 2, 1, 2}},
    {"s(2,5,2)", {1, 1, 0, 0, 0, 2, 2, 3}}, {"s(2,1,3,2)", {5, 2, 0, 0, 0, 2, 2, 1}},
    {"s(1,2,1,2,2)", {4, 1, 0, 0, 0, 2, 1, 1}}, {"s(0)", {4, 0, 0, 0, 0, 2, 0, 0}}, {"S(4)", {6, 0, 0, 0, 0, 2, 1, 3}},
    {NULL},
};
static const OpCase nonzero_static_cases[] = {
    {"t()", {2}}, {"t(7)", {3, -1}}, {"t(7)", {9, -1}}, {"t(2,3)", {4, 7}}, {"b(2,3,2)", {5, -1}},
    {"i(2,1,3,2)", {3, -1}},
    {"t(1,2,1,2,2)", {9, 0}}, {"t(0)", {2, -1}}, {"t(5)", {0, -1}}, {NULL},
};
static const OpCase unravel_index_cases[] = {
    {"k12()", {2, 3, 4}}, {"k12(7)", {2, 3, 4}}, {"k90(7)", {3, 2, 3, 2}}, {"k12(2,3)", {1, 12}},
    {"i(2,1,3)", {2, 2, 3}},
    {"k12(2,1,2,2)", {2, 6, 2}}, {"k12(1,2,1,2,2)", {2, 6, 2}}, {"k12(0)", {2, 3, 0}}, {"k12(4)", {0}}, {NULL},
};

static const OpError gradient_errors[] = {
    {"r(2,4)", {4, 2}, "torch.gradient expected each dimension size to be at least edge_order+1"},
    {"r(1)", {4, 1}, "torch.gradient expected each dimension size to be at least edge_order+1"},
    {"r(4)", {4, 3}, "torch.gradient only supports edge_order=1 and edge_order=2."},
    {"r(4,4) N", {4, 1}, "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
                         "'self.dim() = 2', since dim argument was not given, but got a list of length 1"},
    {"r(4,4) R(1,4)", {4, 1, 1, 1}, "torch.gradient expected each element of spacing to have one dimension, but got an "
                                    "element with 2 dimensions!"},
    {"r(4) R(3)", {4, 1}, "torch.gradient expected 4 coordinates for a dim of that size, but got 3"},
    {"r(4,4) N N N", {4, 1, 2, 0, 1},
        "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the "
        "same length, but got a spacing argument of length 3 and a dim argument of length 2."},
    {"r(4,4)", {4, 1, 2, 0, 0}, "dim 0 appears multiple times in the list of dims"},
    {"b(4)", {4, 1}, "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                     "`logical_xor()` operator instead."},
    {NULL},
};
static const OpError index_reduce_errors[] = {
    {"R(3) k3(2) R(2)", {0, 4}, "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got sum."},
    {"R(3) k3(1,2) R(2)", {0, 0},
        "index_reduce_(): Index is supposed to be a vector, but got dim: 2 with type: Long and size: [1, 2]"},
    {"R(3) R(2) R(2)", {0, 0}, "index_reduce_(): Expected dtype int32/int64 for index but got: Float"},
    {"R(3) k3(2) i(2)", {0, 0}, "index_reduce_(): self (Float) and source (Long) must have the same scalar type"},
    {"R(3) k3(2) R(1)", {0, 0},
        "index_reduce_(): Number of indices (2) should be equal to source.size(dim): (1), for dim: 0"},
    {"R(3,2) k3(2) R(2,3)", {0, 0},
        "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = [3, 2] "
        "source.shape = [2, 3]"},
    {"b(3) k3(2) b(2)", {0, 0}, "\"index_func_\" not implemented for 'Bool'"},
    {NULL},
};
static const OpError nonzero_static_errors[] = {
    {"t(3)", {-1}, "nonzero_static: 'size' must be an non-negative integer"}, {NULL}};
static const OpError unravel_index_errors[] = {
    {"R(3)", {1, 4}, "expected 'indices' to be integer dtype, but got torch.float32"},
    {"b(3)", {1, 4}, "expected 'indices' to be integer dtype, but got torch.bool"},
    {NULL},
};

static const OpError histogram_errors[] = {
    {"i(3) -", {4}, "\"histogramdd\" not implemented for 'Long'"},
    {"R(3) -", {0}, "torch.histogram(): bins must be > 0, but got 0 for dimension 0"},
    {"R(3) -", {3, 12, 4}, "torch.histogramdd: min should not exceed max, but got min 3 max 1 for dimension 0"},
    {"R(6) R(2)", {3}, "torch.histogramdd: if weight tensor is provided it should have the same shape as the input "
                       "tensor "
                       "excluding its innermost dimension, but got input with shape [6, 1] and weight with shape [2]"},
    {"F(3) D(3)", {3}, "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have "
                       "the same dtype, but got input(float), and weight(double)"},
    {"F(3) - D(2)", {0}, "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input "
                         "with dtype float and bins for dimension 0 with dtype double"},
    {"R(3) - R(2,2)", {0}, "torch.histogramdd: bins tensor should have one dimension, but got 2 dimensions in the bins "
                           "tensor for dimension 0"},
    {"R(3) - R(1)", {0}, "torch.histogram(): bins must be > 0, but got 0 for dimension 0"},
    {"x(5) -", {3}, "torch.histogramdd: dimension 0's range [nan, nan] is not finite"},
    {NULL},
};
static const OpError histogramdd_errors[] = {
    {"R(6) -", {3}, "torch.histogramdd: input tensor should have at least 2 dimensions"},
    {"R(6,3) -", {3, 3}, "histogramdd: The size of bins must be equal to the innermost dimension of the input."},
    {"R(4,3) -", {3, 0, 0, 4, 0, 4},
        "torch.histogramdd: for a 3-dimensional histogram range should have 6 elements, but got 4"},
    {NULL},
};
static const OpError segment_reduce_errors[] = {
    {"R(5)", {7, 0, 0, 0, 0, 1, 5}, "reduce argument must be either sum, prod, mean, amax or amin, got other"},
    {"R(5)", {4, 0, 0, 0, 0, 2, 1, 2},
        "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe."},
    {"R(5)", {4, 0, 0, 0, 0, 2, 6, -1}, "lengths contains negative value!"},
    {"R(5)", {4, 0, 0, 0, 1, 2, 3, 1}, "segment_reduce(): offsets 3 and 1 are no part of a dim of size 5"},
    {"R(5)", {4, 0, 0, 0, 1, 2, 0, 6}, "segment_reduce(): offsets 0 and 6 are no part of a dim of size 5"},
    {"R(5)", {4, 0, 0, 0, 1, 2, -1, 5}, "segment_reduce(): offsets -1 and 5 are no part of a dim of size 5"},
    {"R(5)", {4, 0, 0, 0, 0, 2, INT64_MAX, INT64_MAX},
        "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe."},
    {"i(5)", {4, 0, 0, 0, 0, 1, 5}, "\"_segment_reduce_cpu\" not implemented for 'Long'"},
    {NULL},
};

static const OpRow rows[] = {
    {"t_gradient", call_gradient, gradient_cases, gradient_errors, OWN_GRAD_FN, "1????"},
    {"t_histogram", call_histogram, histogram_cases, histogram_errors, NO_GRADIENT, "1??"},
    {"t_histogramdd", call_histogramdd, histogramdd_cases, histogramdd_errors, NO_GRADIENT, "1???",
     "2345z: points in the last dim"},
    {"t_index_reduce", call_index_reduce, index_reduce_cases, index_reduce_errors, SUMS, "134"},
    {"t_index_reduce_", call_index_reduce_, index_reduce_cases, index_reduce_errors, INPLACE | SUMS, "134"},
    {"t_segment_reduce", call_segment_reduce, segment_reduce_cases, segment_reduce_errors, SUMS | OWN_GRAD_FN, NULL,
     "12345z: a dim that is cut"},
    {"t_nonzero_static", call_nonzero_static, nonzero_static_cases, nonzero_static_errors, NO_GRADIENT},
    {"t_unravel_index", call_unravel_index, unravel_index_cases, unravel_index_errors, NO_GRADIENT},
};
TABLE(histogram_table, "ops_histogram.txt", rows);
