/* tests/ops/table/op_table_indexing.c: parts of a tensor, tensors joined, elements picked by an index
 * (core/ops/shape/slice.c, indexing.c, gather.c). */
#include "tests/ops/table/op_table.h"

static t_TensorList *call_narrow(const Call *c) {
    return list_of(t_narrow(c->x[0], c->n[0], c->n[1], c->n[2]));
}
static t_TensorList *call_select(const Call *c) {
    return list_of(t_select(c->x[0], c->n[0], c->n[1]));
}
static t_TensorList *call_slice(const Call *c) {
    return list_of(t_slice(c->x[0], c->n[0], c->n[1], c->n[2], c->n[3]));
}
static t_TensorList *call_chunk(const Call *c) {
    return t_chunk(c->x[0], c->n[0], c->n[1]);
}
static t_TensorList *call_split(const Call *c) {
    return t_split(c->x[0], c->n[0], c->n[1]);
}
static t_TensorList *call_unbind(const Call *c) {
    return t_unbind(c->x[0], c->n[0]);
}
static t_TensorList *call_gather(const Call *c) {
    return list_of(t_gather(c->x[0], c->n[0], c->x[1]));
}
static t_TensorList *call_index_select(const Call *c) {
    return list_of(t_index_select(c->x[0], c->n[0], c->x[1]));
}

/* t_at: the first number says which of these, the others are for {}. */
static const char *const at_texts[] = {"0", "-1, 1", ":, 1:", "..., ::2", "None, 0", ":, None, {}", "{}:{}, ...",
                                       "5", "0, 0, 0", "1, :, -2:", ":, None, None, :", "None, ..."};
static t_TensorList *call_at(const Call *c) {
    static const int numbers[] = {0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0};
    int scope = t_scope_open();
    if (!scope) return NULL;
    Tensor *values[] = {t_integer(c->n[1]), t_integer(c->n[2])};
    Tensor *y = values[0] && values[1] ? t_at(c->x[0], at_texts[c->n[0]], values, numbers[c->n[0]]) : NULL;
    y = t_keep_object(y);
    t_scope_close(scope);
    return list_of(y);
}

static const OpCase narrow_cases[] = {
    {"r(5)", {0, 1, 3}}, {"r(5)", {0, -2, 2}}, {"r(2,4)", {1, 0, 2}}, {"r(2,3,4)", {-2, 1, 1}},
    {"r(2,1,2,3,2)", {3, 1, 2}}, {"r(4)", {0, 4, 0}}, {"r(2,0)", {1, 0, 0}}, {"i(4)", {0, 1, 2}},
    {"r(2,1,3,2)", {2, 1, 2}}, {NULL},
};
static const OpCase select_cases[] = {
    {"r(5)", {0, 2}}, {"r(5)", {0, -1}}, {"r(2,4)", {1, 0}}, {"r(2,3,4)", {-2, 1}}, {"r(2,1,2,3,2)", {3, -2}},
    {"r(2,0)", {0, 1}}, {"b(2,2)", {0, 1}}, {"r(2,1,3,2)", {2, 1}}, {NULL},
};
static const OpCase slice_cases[] = {
    {"r(7)", {0, 1, 6, 2}}, {"r(5)", {0, T_NONE, T_NONE, 1}}, {"r(5)", {0, -3, -1, 1}}, {"r(2,6)", {1, 0, 99, 4}},
    {"r(2,3,4)", {-1, 1, T_NONE, 3}}, {"r(2,1,2,3,2)", {3, -2, T_NONE, 1}}, {"r(4)", {0, 3, 1, 1}},
    {"r(0)", {0, 0, 3, 1}}, {"i(6)", {0, T_NONE, T_NONE, 2}}, {"r(2,1,3,2)", {2, 1, 3, 1}}, {NULL},
};
static const OpCase chunk_cases[] = {
    {"r(6)", {3, 0}}, {"r(7)", {3, 0}}, {"r(2,6)", {2, 1}}, {"r(2,3)", {5, -1}}, {"r(4,2,2)", {2, 0}},
    {"r(2,1,4,3,2)", {3, 2}}, {"R(0)", {2, 0}}, {"i(4)", {2, 0}}, {"r(2,2,6)", {3, -1}}, {"r(2,1,3,2)", {2, 2}}, {NULL},
};
static const OpCase split_cases[] = {
    {"r(6)", {2, 0}}, {"r(7)", {3, 0}}, {"r(2,6)", {4, 1}}, {"r(2,3)", {5, -1}}, {"r(2,1,4,3,2)", {3, 2}},
    {"r(0)", {2, 0}}, {"r(0)", {0, 0}}, {"b(4)", {3, 0}}, {"r(2,3,2)", {2, 1}}, {"r(2,1,3,2)", {2, 2}}, {NULL},
};
static const OpCase unbind_cases[] = {
    {"r(3)", {0}}, {"r(2,3)", {0}}, {"r(2,3)", {1}}, {"r(2,3,2)", {-1}}, {"r(2,1,2,3,2)", {2}}, {"i(3)", {0}},
    {"r(0,2)", {0}}, {"r(2,1,2,2)", {2}}, {NULL},
};
static const OpCase at_cases[] = {
    {"r(3)", {0}}, {"r(2,3)", {1}}, {"r(2,3)", {2}}, {"r(2,3,4)", {3}}, {"r(2,3)", {4}}, {"r(2,3)", {5, 2}},
    {"r(4,3)", {6, 1, 3}}, {"r(2,1,2,3,2)", {3}}, {"r(2,2,3)", {9}}, {"i(2,3)", {1}}, {"r(5)", {3}}, {"b(2,4)", {10}},
    {"i(2,4)", {10}}, {"r(2,4)", {10}}, {"r()", {11}}, {"r(2,1,2,3)", {3}}, {"r(0,3)", {3}}, {NULL},
};
static const OpCase gather_cases[] = {
    {"r() k1()", {0}}, {"r(5) k5(7)", {0}}, {"r(3,4) k4(3,2)", {1}}, {"r(3,4) k3(2,4)", {0}},
    {"r(2,3,2) k3(2,4,1)", {-2}}, {"r(2,1,2,3,2) k3(2,1,2,5,2)", {3}}, {"r(3) k3(0)", {0}}, {"i(3,2) k2(3,2)", {1}},
    {"b(4) k4(4)", {0}}, {"r() k1(3)", {0}}, {"x(12) k12(5)", {0}}, {"r(2,1,2,3) k3(2,1,2,2)", {3}},
    {"r(0,2) k2(0,1)", {1}}, {NULL},
};
static const OpCase index_select_cases[] = {
    {"r() k1(1)", {0}}, {"r(5) k5(7)", {0}}, {"r(3,4) k4(2)", {1}}, {"r(3,4) k3(5)", {-2}}, {"r(2,3,2) k3()", {1}},
    {"r(2,1,2,3,2) k3(4)", {3}}, {"r(3) k3(0)", {0}}, {"i(3,2) k2(3)", {1}}, {"r(3,0) k3(2)", {0}},
    {"r(2,1,3,2) k3(4)", {2}}, {NULL},
};

#define RANGE2 "Dimension out of range (expected to be in range of [-2, 1], but got 2)"
static const OpError narrow_errors[] = {
    {"r(5)", {0, 3, 4}, "start (3) + length (4) exceeds dimension size (5)."},
    {"r(5)", {0, 6, 0}, "start out of range (expected to be in range of [-5, 5], but got 6)"},
    {"r(5)", {0, 0, -1}, "narrow(): length must be non-negative."},
    {"r(2,3)", {2, 0, 1}, RANGE2},
    {"r()", {0, 0, 1}, "narrow() cannot be applied to a 0-dim tensor."},
    {NULL},
};
static const OpError select_errors[] = {
    {"r(2,3)", {1, 3}, "select(): index 3 out of range for tensor of size [2, 3] at dimension 1"},
    {"r(2,3)", {0, -3}, "select(): index -3 out of range for tensor of size [2, 3] at dimension 0"},
    {"r(2,3)", {2, 0}, RANGE2},
    {"r()", {0, 0}, "select() cannot be applied to a 0-dim tensor."},
    {NULL},
};
static const OpError slice_errors[] = {
    {"r(5)", {0, 0, 5, 0}, "slice step must be positive"},
    {"r(2,3)", {2, 0, 1, 1}, RANGE2},
    {"r()", {0, 0, 1, 1}, "slice() cannot be applied to a 0-dim tensor."},
    {NULL},
};
static const OpError chunk_errors[] = {
    {"r(5)", {0, 0}, "chunk expects `chunks` to be greater than 0, got: 0"},
    {"r(2,3)", {2, 2}, RANGE2},
    {"r()", {2, 0}, "chunk expects at least a 1-dimensional tensor"},
    {NULL},
};
static const OpError split_errors[] = {
    {"r(5)", {-1, 0}, "split expects split_size be non-negative, but got split_size=-1"},
    {"r(2,3)", {2, 2}, RANGE2},
    {"r(5)", {0, 0}, "split_size can only be 0 if dimension size is 0, but got dimension size of 5"},
    {"r()", {2, 0}, "split expects at least a 1-dimensional tensor"},
    {NULL},
};
static const OpError unbind_errors[] = {
    {"r(2,3)", {2}, RANGE2},
    {"r()", {0}, "Dimension specified as 0 but tensor has no dimensions"},
    {NULL},
};
static const OpError at_errors[] = {
    {"r(2,3)", {7}, "index 5 is out of bounds for dimension 0 with size 2"},
    {"r(2,3)", {8}, "too many indices for tensor of dimension 2"},
    {"r(2,1)", {1}, "index 1 is out of bounds for dimension 1 with size 1"},
    {NULL},
};
static const OpError gather_errors[] = {
    {"r(3) k9(40)", {0}, "index 5 is out of bounds for dimension 0 with size 3"},
    {"r(3,2) k2(2)", {0}, "Index tensor must have the same number of dimensions as input tensor"},
    {"r(3,2) k2(4,2)", {1}, "Size does not match at dimension 0 expected index [4, 2] to be no larger than self [3, "
                            "2] apart from dimension 1"},
    {"r(3) R(2)", {0}, "gather(): Expected dtype int32/int64 for index"},
    {"r(3,2) k2(3,2)", {2}, RANGE2},
    {NULL},
};
static const OpError index_select_errors[] = {
    {"r(3) k9(40)", {0}, "index out of range in self"},
    {"r(3) k2(2,2)", {0}, "index_select(): Index is supposed to be a vector"},
    {"r(3) R(2)", {0}, "index_select(): Expected dtype int32 or int64 for index"},
    {"r(3,2) k2(2)", {2}, RANGE2},
    {NULL},
};

static const OpRow rows[] = {
    {"t_narrow", call_narrow, narrow_cases, narrow_errors, VIEW, .ranks = "12345z: a dim is narrowed"},
    {"t_select", call_select, select_cases, select_errors, VIEW, .ranks = "12345z: a dim is taken from"},
    {"t_slice", call_slice, slice_cases, slice_errors, VIEW, .ranks = "12345z: a dim is cut"},
    {"t_chunk", call_chunk, chunk_cases, chunk_errors, VIEW, .ranks = "12345z: a dim is cut"},
    {"t_split", call_split, split_cases, split_errors, VIEW, .ranks = "12345z: a dim is cut"},
    {"t_unbind", call_unbind, unbind_cases, unbind_errors, VIEW, .ranks = "12345z: a dim is cut"},
    {"t_at", call_at, at_cases, at_errors, VIEW},
    {"t_gather", call_gather, gather_cases, gather_errors, 0, "13"},
    {"t_index_select", call_index_select, index_select_cases, index_select_errors, 0, "13"},
};
TABLE(indexing_table, "ops_indexing.txt", rows);
