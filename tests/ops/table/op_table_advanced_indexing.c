/* tests/ops/table/op_table_advanced_indexing.c: elements read and written at the positions that index tensors, masks
 * and integers name, and looking things up (core/ops/indexing/index_put.c, take.c, nonzero.c, searchsorted.c).
 *
 * Where the last one written stays, either the index has one element, or the inputs are of a kind without gradients
 * (t). */
#include "tests/ops/table/op_table.h"

CALL1(nonzero)
CALL1(argwhere)
CALL2(take)
CALL2(masked_select)
CALL3(masked_scatter)
CALL3(masked_scatter_)

/* t_at and t_set: the first number says which of these; {} are the other inputs. */
static const char *const at_texts[] = {"{}", ":, {}", "{}, {}", "{}, :, {}", "1, {}", "..., {}, None", "{}, 1:",
    "{}, 0, {}",
                                       "[0, 2], :", "..., [True, False, True]", "None, {}", "{}, :, :, {}"};
static t_TensorList *call_at_indices(const Call *c) {
    return list_of(t_at(c->x[0], at_texts[c->n[0]], c->x + 1, c->count - 1));
}
static t_TensorList *call_set_indices(const Call *c) {
    return t_set(c->x[0], at_texts[c->n[0]], c->x + 2, c->count - 2, c->x[1]) ? list_of(c->x[0]) : NULL;
}

/* x, the values, the indices. */
static t_TensorList *with_list(const Call *c, Tensor *(*f)(Tensor *, const t_TensorList *, Tensor *, bool)) {
    int scope = t_scope_open();
    if (!scope) return NULL;
    t_TensorList *indices = NULL;
    bool complete = true; /* t_list_new names its own arguments */
    for (int i = 2; i < c->count; i++) complete = complete && c->x[i];
    if (complete) indices = t_list_new(c->x + 2, c->count - 2);
    Tensor *y = t_keep_object(f(c->x[0], indices, c->x[1], c->n[0]));
    t_scope_close(scope);
    return list_of(y);
}
static t_TensorList *call_index_put(const Call *c) {
    return with_list(c, t_index_put);
}
static t_TensorList *call_index_put_(const Call *c) {
    return with_list(c, t_index_put_);
}

static t_TensorList *call_nonzero_tuple(const Call *c) {
    return t_nonzero_tuple(c->x[0]);
}
static t_TensorList *call_put(const Call *c) {
    return list_of(t_put(c->x[0], c->x[1], c->x[2], c->n[0]));
}
static t_TensorList *call_put_(const Call *c) {
    return list_of(t_put_(c->x[0], c->x[1], c->x[2], c->n[0]));
}
static const char *const side_texts[] = {NULL, "left", "right", "middle"};
/* The rows are not sorted: a binary search has one result for any. Sorted ones are in test_index_tensors.c. */
static t_TensorList *call_searchsorted(const Call *c) {
    return list_of(t_searchsorted(c->x[0], c->x[1], c->n[0], side_texts[c->n[1]], c->count > 2 ? c->x[2] : NULL));
}
static t_TensorList *call_bucketize(const Call *c) {
    return list_of(t_bucketize(c->x[0], c->x[1], c->n[0]));
}
static t_TensorList *call_isin(const Call *c) {
    return list_of(t_isin(c->x[0], c->x[1], c->n[1], c->n[0]));
}

/* ---- cases ---- */

static const OpCase at_cases[] = {
    {"r(4,3) k3(2) k3(2)", {2}}, {"r(2,1,3,2) k2(3) k2(3)", {11}}, {"r(5) k5(7)", {0}}, {"r(4) b(4)", {0}},
    {"r(3,4) k3(2)", {0}}, {"r(3,4) k3(2,2)", {0}},
    {"r(3,4) b(3,4)", {0}},
    {"r(3,4) k4(3)", {1}}, {"r(2,3,4) b(3)", {1}}, {"r(2,3,4) k2(2) k4(2)", {3}}, {"r(2,3,4) k2(2,1) k4(3)", {3}},
    {"r(2,3,4) b(3,4)", {4}}, {"r(2,3,4) k4(2)", {5}}, {"r(3,4) k3(5)", {6}}, {"r(2,3,2) k2(3) k2(1)", {7}},
    {"r(3,2,2)", {8}},
    {"r(2,3)", {9}}, {"r(2,1,2,3,2) k2(2)", {10}}, {"r(2,1,2,3,2) k2(2) k3(2)", {11}}, {"r(3) b()", {0}},
    {"r() b()", {0}},
    {"r(3,0) k3(2)", {0}}, {"r(3) k3(0)", {0}}, {"i(3,4) k3(2)", {0}}, {"b(3,4) b(3,4)", {0}}, {NULL},
};
static const OpCase set_cases[] = {
    {"r(2,1,3,2) r(3) k2(1) k2(1)", {11}}, {"r() r() b()", {0}},
    {"r(3,4) r(4) k3()", {0}}, {"r(5) r() b(5)", {0}}, {"r(4) N b(4)", {0}}, {"r(3,4) r(1,1,4) k3(1)", {0}},
    {"t(5) t(7) k5(7)", {0}},
    {"r(3,2,2) r(2,2,2)", {8}}, {"r(3,2,2) N", {8}}, {"r(2,3) r(2,1)", {9}}, {"R(2,3) r(2,2)", {9}},
    {"r(2,3) R(2)", {9}},
    {"r(2,3,4) r(1,3) k2(1) k4(1)", {3}}, {"t(2,3,4) t(2,3) k2(2) k4(2)", {3}}, {"r(2,3,4) r(1) b(3,4)", {4}},
    {"r(3,4) r(3) k3(1)", {6}},
    {"r(2,1,2,3,2) r(2) k2(1) k3(1)", {11}}, {"r(3) r() b()", {0}}, {"i(3,4) i(4) k3(1)", {0}}, {"i(4) N b(4)", {0}},
    {"b(3) B b(3)", {0}},
    {"r(3,0) r(0) k3(1)", {0}}, {NULL},
};
/* accumulate */
static const OpCase index_put_cases[] = {
    {"r(2,1,3,2) r(1,3,2) k2(1)", {1}}, {"r(0,3) r(0,3) b(0)", {0}},
    {"r(3,4) r(4) k3(1)", {0}}, {"r(3,4) r(2) k3(2) k4(2)", {1}}, {"r(5) r(7) k5(7)", {1}}, {"t(5) t(7) k5(7)", {0}},
    {"r(3,4) r() b(3,4)", {0}},
    {"r(3,4) r() b(3,4)", {1}}, {"r(2,3,2) r(2,2) k2(2) k3(2)", {1}}, {"r(2,1,2,3,2) r(2) k2(2)", {1}},
    {"R(3) r(2) k3(2)", {1}},
    {"r(3) R(2) k3(2)", {1}}, {"i(3) i(4) k3(4)", {1}}, {"b(3) b(4) k3(4)", {1}}, {"r(3) r(0) k3(0)", {0}},
    {"r(3) N k3(2)", {0}}, {NULL},
};
static const OpCase nonzero_cases[] = {
    {"t(2,1,3,2)"},
    {"t(4)"}, {"t()"}, {"t(3,4)"}, {"i(2,3,4)"}, {"b(5)"}, {"b()"}, {"t(2,1,2,3,2)"}, {"t(0)"}, {"b(2,0)"}, {"x(12)"},
    {NULL},
};
static const OpCase take_cases[] = {
    {"r(2,1,3,2) k12(3)"}, {"r(0,3) k1(0)"},
    {"r(3,4) k12(5)"}, {"r() k1(2)"}, {"r(5) i(3)"}, {"r(2,3,2) k12(2,2)"}, {"r(2,1,2,3,2) k24(4)"}, {"i(3,2) k6(4)"},
    {"b(6) k6()"}, {"r(3) k3(0)"}, {NULL},
};
static const OpCase put_cases[] = {
    {"r(2,1,3,2) k12(3) r(3)", {1}}, {"r(2,1,2,3,2) k24(3) r(3)", {1}}, {"r(0,3) k1(0) r(0)", {0}},
    {"r(3,4) k12(1) r(1)", {0}}, {"r(3,4) k12(5) r(5)", {1}}, {"t(3,4) k12(9) t(9)", {0}}, {"r() k1(2) r(2)", {1}},
    {"r(2,3,2) k12(2,2) r(4)", {1}}, {"R(5) i(3) r(3)", {1}},
    {"r(5) k5(3) R(3)", {1}}, {"i(3,2) k6(4) i(4)", {1}}, {"b(6) k6() b()", {0}}, {"r(3) k3(0) r(0)", {0}}, {NULL},
};
static const OpCase masked_select_cases[] = {
    {"r(2,3,2) b(2,3,2)"}, {"r(2,1,3,2) b(3,1)"},
    {"r(3,4) b(3,4)"}, {"r(5) b(5)"}, {"r() b()"}, {"r(3,4) b(4)"}, {"r(4) b(3,4)"}, {"r(3,1) b(4)"}, {"r() b(3)"},
    {"r(2,1,2,3,2) b(3,2)"}, {"i(5) b(5)"}, {"b(5) b(5)"},
    {"r(0) b(0)"}, {NULL},
};
static const OpCase masked_scatter_cases[] = {
    {"r(2,3,2) b(2,3,2) r(12)"}, {"r(2,1,3,2) b(3,1) r(12)"},
    {"r(3,4) b(3,4) r(12)"}, {"r(5) b(5) r(6)"}, {"r() b() r(1)"}, {"r(3,4) b(4) r(3,4)"},
    {"r(2,1,2,3,2) b(3,2) r(24)"},
    {"R(5) b(5) r(5)"}, {"r(5) b(5) R(5)"}, {"i(5) b(5) i(5)"},
    {"b(5) b(5) b(7)"}, {"r(0) b(0) r(0)"}, {NULL},
};
static const OpCase masked_scatter_wide_cases[] = {
    {"r(2,3,2) b(2,3,2) r(12)"}, {"r(2,1,3,2) b(3,1) r(12)"},
    {"r(3,4) b(3,4) r(12)"}, {"r(5) b(5) r(6)"}, {"r() b() r(1)"}, {"r(3,4) b(4) r(3,4)"}, {"r(4) b(3,4) r(12)"},
    {"r(2,1,2,3,2) b(3,2) r(24)"}, {"R(5) b(5) r(5)"}, {"r(5) b(5) R(5)"},
    {"i(5) b(5) i(5)"}, {"b(5) b(5) b(7)"}, {"r(0) b(0) r(0)"}, {NULL},
};
/* right, side */
static const OpCase searchsorted_cases[] = {
    {"s(2,1,2,3) s(2,1,2,4)"},
    {"s(5) s(4)"}, {"s(5) s(3,4)", {1}}, {"s(5) s()", {0, 2}}, {"s(5) N", {0, 1}}, {"s(2,5) s(2,3)", {0}},
    {"s(2,1,3) s(2,1,4)", {1, 2}},
    {"s(2,1,2,1,3) s(2,1,2,1,4)"}, {"i(5) i(7)"}, {"i(5) i(7)", {1}}, {"i(5) I"}, {"i(5) N"}, {"s(4) i(5)"},
    {"f(4) D(5)"},
    {"x(12) x(5)"}, {"x(12) x(5)", {1}},
    {"s(0) s(3)"}, {"s(3) s(0)"}, {"s(2,0) s(2,3)"}, {"s(4) s(3) k4(4)"}, {"s(2,4) s(2,3) k4(2,4)", {1}}, {NULL},
};
static const OpCase bucketize_cases[] = {
    {"s(2,1,3,2) s(3)"},
    {"s(4) s(5)"}, {"s(3,4) s(5)", {1}}, {"s() s(5)"}, {"N s(5)", {1}}, {"i(2,3,2) i(4)"}, {"i(4) s(3)"},
    {"s(2,1,2,3,2) s(3)"}, {"s(0) s(3)"}, {"s(3) s(0)"},
    {NULL},
};
/* invert, assume_unique */
static const OpCase isin_cases[] = {
    {"i(2,3,2) k5(3)"}, {"i(2,1,3,2) k5(3)"},
    {"i(7) k5(3)"}, {"i(3,4) k5(2,2)", {1}}, {"t(5) t(2)"}, {"t(5) k2(3)", {1}}, {"i() k5(3)"}, {"i(5) I"}, {"i(5) N"},
    {"I k3(5)"}, {"t(2,1,2,3,2) t(1)"},
    {"x(12) x(5)"}, {"i(3) i(0)"}, {"i(3) i(0)", {1}}, {"i(0) i(3)"}, {"F(3) D(3)"}, {"k9(5) k9(4)", {0, 1}}, {NULL},
};

/* ---- errors ---- */

static const OpError at_errors[] = {
    {"r(5) k6(40)", {0}, "index 5 is out of bounds for dimension 0 with size 5"},
    {"r(3) b(2)", {0}, "The shape of the mask [2] at index 0 does not match the shape of the indexed tensor [3] at "
                       "index 0"},
    {"r(3) R(2)", {0}, "tensors used as indices must be long, int, byte or bool tensors"},
    {"r(3,4) k2(2) k2(3)", {2},
        "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]"},
    {"r(3) k2(2) k2(2)", {2}, "too many indices for tensor of dimension 1"},
    {"r(0,3) k1(2)", {0}, "index is out of bounds for dimension with size 0"},
    {NULL},
};
static const OpError set_errors[] = {
    {"r(5) r(1) k6(40)", {0}, "index 5 is out of bounds for dimension 0 with size 5"},
    {"r(3,4) r(3) k3(2)", {0},
        "shape mismatch: value tensor of shape [3] cannot be broadcast to indexing result of shape [2, 4]"},
    {"r(3) i() k3(2)", {0},
        "Index put requires the source and destination dtypes match, got Float for the destination and Long "
                            "for the source."},
    {"r(3) r() R(2)", {0}, "tensors used as indices must be long, int, byte or bool tensors"},
    {"r(3) N b(2)", {0}, "The shape of the mask [2] at index 0 does not match the shape of the indexed tensor [3] at "
                         "index 0"},
    {NULL},
};
static const OpError index_put_errors[] = {
    {"r(5) r(1) k6(40)", {0}, "index 5 is out of bounds for dimension 0 with size 5"},
    {"r(3,4) r(1,1,4) k3(2)", {0},
        "shape mismatch: value tensor of shape [1, 1, 4] cannot be broadcast to indexing result of "
                                   "shape [2, 4]"},
    {"r(3) i(2) k3(2)", {0},
        "Index put requires the source and destination dtypes match, got Float for the destination and Long "
                             "for the source."},
    {"r(3) r() R(2)", {0}, "tensors used as indices must be long, int, byte or bool tensors"},
    {"r(3) r() k3(2) k3(2)", {0}, "too many indices for tensor of dimension 1 (got 2)"},
    {NULL},
};
static const OpError take_errors[] = {
    {"r(5) k6(40)", {0}, "out of range: tried to access index 5 on a tensor of 5 elements."},
    {"r(3) R(2)", {0}, "take(): Expected a long tensor for index, but got Float"},
    {"r(0) k1(2)", {0}, "take(): tried to take from an empty tensor"},
    {NULL},
};
static const OpError put_errors[] = {
    {"r(5) k6(40) r(40)", {0}, "out of range: tried to access index 5 on a tensor of 5 elements."},
    {"r(3) R(2) r(2)", {0}, "put_(): Expected a long tensor for index, but got Float"},
    {"r(0) k1(2) r(2)", {0}, "put_(): Tried to put elements into an empty tensor"},
    {"r(3) k3(2) r(3)", {0},
        "put_(): Expected source and index to have the same number of elements, but got source.numel() = 3, "
                             "index.numel() = 2"},
    {"r(3) k3(2) i(2)", {0}, "put_(): self and source expected to have the same dtype, but got self.dtype = Float and "
                             "source.dtype = Long"},
    {NULL},
};
static const OpError masked_select_errors[] = {
    {"r(3) i(3)", {0}, "masked_select: expected BoolTensor for mask"},
    {"r(3) b(2)", {0}, "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"},
    {NULL},
};
static const OpError masked_scatter_errors[] = {
    {"r(3) i(3) r(3)", {0}, "masked_scatter_ only supports boolean masks, but got mask with dtype Long"},
    {"r(3) b(3) i(3)", {0}, "masked_scatter: expected self and source to have same dtypes but gotFloat and Long"},
    {"r(9) b(9) r(0)", {0}, "Number of elements of source < number of ones in mask"},
    {NULL},
};
static const OpError searchsorted_errors[] = {
    {"s(2,3) s(3)", {0}, "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
                         "boundaries tensor and input value tensor must match, but we got boundaries tensor [2, 3] and "
                         "input value tensor [3]"},
    {"s(2,3) s()", {0}, "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, "
                        "but we got boundaries tensor dim(2) and input value's dim(0) numel(1)"},
    {"s() s(2)", {0}, "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension"},
    {"s(3) s(2)", {0, 3}, "torch.searchsorted(): side can only be 'left' or 'right' but got middle"},
    {"s(3) s(2)", {1, 1},
        "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"},
    {"b(3) b(2)", {0}, "\"searchsorted_out_cpu\" not implemented for 'Bool'"},
    {"s(3) s(2) k3(2)", {0},
        "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor [3]and "
                             "got sorter tensor [2]"},
    {"s(3) s(2) R(3)", {0}, "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype Float"},
    {"s(40) s(2) k90(40)", {0}, "torch.searchsorted(): sorter index out of range"},
    {NULL},
};
static const OpError bucketize_errors[] = {
    {"s(3) s(2,3)", {0}, "boundaries tensor must be 1 dimension, but got dim(2)"},
    {NULL},
};
static const OpError isin_errors[] = {
    {"b(3) b(2)", {0}, "Unsupported input type encountered for isin(): Bool"},
    {"i(3) B", {0}, "Unsupported input type encountered for isin(): Bool"},
    {NULL},
};
static const OpError none[] = {{NULL}};

/* t_at and t_set have rows of their own, without tensors, in op_table_indexing.c and op_table_inplace.c. */
static const OpRow rows[] = {
    {"t_at_indices", call_at_indices, at_cases, at_errors, SUMS, "133"},
    {"t_set_indices", call_set_indices, set_cases, set_errors, INPLACE, "1533"},
    {"t_index_put", call_index_put, index_put_cases, index_put_errors, SUMS, "13?",
     .ranks = "12345z: an index takes a dim"},
    {"t_index_put_", call_index_put_, index_put_cases, index_put_errors, INPLACE | SUMS, "13?",
     .ranks = "12345z: an index takes a dim"},
    {"t_nonzero", call_nonzero, nonzero_cases, none, NO_GRADIENT},
    {"t_nonzero_tuple", call_nonzero_tuple, nonzero_cases, none, NO_GRADIENT},
    {"t_argwhere", call_argwhere, nonzero_cases, none, NO_GRADIENT},
    {"t_take", call_take, take_cases, take_errors},
    {"t_put", call_put, put_cases, put_errors, SUMS},
    {"t_put_", call_put_, put_cases, put_errors, INPLACE | SUMS},
    {"t_masked_select", call_masked_select, masked_select_cases, masked_select_errors},
    {"t_masked_scatter", call_masked_scatter, masked_scatter_wide_cases, masked_scatter_errors},
    {"t_masked_scatter_", call_masked_scatter_, masked_scatter_cases, masked_scatter_errors, INPLACE},
    {"t_searchsorted", call_searchsorted, searchsorted_cases, searchsorted_errors, NO_GRADIENT,
     .ranks = "12345z: the sorted values are rows"},
    {"t_bucketize", call_bucketize, bucketize_cases, bucketize_errors, NO_GRADIENT},
    {"t_isin", call_isin, isin_cases, isin_errors, NO_GRADIENT},
};
TABLE(advanced_indexing_table, "ops_advanced_indexing.txt", rows);
