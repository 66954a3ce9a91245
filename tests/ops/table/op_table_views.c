/* tests/ops/table/op_table_views.c: other shapes and strides over the same elements (core/ops/shape/view.c,
 * diagonal.c), copies in another shape (cat.c). Shapes among the numbers are written rank first: {2, 3, 4} is (3, 4).
 * */
#include "tests/ops/table/op_table.h"

CALL1(t)
CALL2(expand_as)

#define OF_SIZES(f)                                                                                               \
    static t_TensorList *call_##f(const Call *c) { return list_of(t_##f(c->x[0], c->n + 1, (int)c->n[0])); }
OF_SIZES(view)
OF_SIZES(reshape)
OF_SIZES(permute)
OF_SIZES(expand)
OF_SIZES(repeat)

#define OF_ONE(f) static t_TensorList *call_##f(const Call *c) { return list_of(t_##f(c->x[0], c->n[0])); }
OF_ONE(unsqueeze)
OF_ONE(squeeze)
OF_ONE(tril)
OF_ONE(triu)

#define OF_TWO(f) static t_TensorList *call_##f(const Call *c) { return list_of(t_##f(c->x[0], c->n[0], c->n[1])); }
OF_TWO(flatten)
OF_TWO(transpose)

static t_TensorList *call_diagonal(const Call *c) {
    return list_of(t_diagonal(c->x[0], c->n[0], c->n[1], c->n[2]));
}

static const OpCase view_cases[] = {
    {"r()", {0}}, {"r()", {2, 1, 1}}, {"r(6)", {2, 2, 3}}, {"r(2,3)", {1, -1}}, {"r(2,3,4)", {2, 6, -1}},
    {"r(2,1,3)", {5, 1, 2, 1, 3, 1}}, {"r(1)", {0}}, {"r(2,1,2,3,2)", {3, 4, -1, 2}}, {"r(0)", {2, 0, 3}},
    {"r(2,0,3)", {2, 0, 6}}, {"i(4)", {2, 2, 2}}, {"b(4)", {2, -1, 1}}, {"r(3,4)", {2, 4, 3}},
    {"r(2,1,3,2)", {2, 3, -1}}, {NULL},
};
static const OpCase flatten_cases[] = {
    {"r()", {0, -1}}, {"r(4)", {0, -1}}, {"r(2,3)", {0, -1}}, {"r(2,3,4)", {1, 2}}, {"r(2,1,3,2)", {0, 1}},
    {"r(2,1,2,3,2)", {1, -2}}, {"r(2,0,3)", {0, 1}}, {"r(2,3,2)", {1, 1}}, {"i(2,2)", {0, -1}}, {NULL},
};
static const OpCase transpose_cases[] = {
    {"r()", {0, -1}}, {"r(4)", {0, 0}}, {"r(2,3)", {0, 1}}, {"r(2,3,4)", {-1, 0}}, {"r(2,1,3,4)", {1, 2}},
    {"r(2,1,2,3,2)", {-2, 1}}, {"r(2,0,3)", {0, 1}}, {"i(2,3)", {0, 1}}, {"b(2,3)", {1, 0}}, {NULL},
};
static const OpCase t_cases[] = {{"r()"}, {"r(4)"}, {"r(2,3)"}, {"r(0,2)"}, {"i(2,3)"}, {NULL}};
static const OpCase permute_cases[] = {
    {"r()", {0}}, {"r(4)", {1, 0}}, {"r(2,3)", {2, 1, 0}}, {"r(2,3,4)", {3, 2, 0, 1}},
    {"r(2,1,3,2)", {4, 0, -1, 1, 2}}, {"r(2,1,2,3,2)", {5, 4, 2, 0, 1, 3}}, {"r(2,0,3)", {3, 1, 2, 0}},
    {"b(2,3)", {2, 1, 0}}, {NULL},
};
static const OpCase unsqueeze_cases[] = {
    {"r()", {0}}, {"r()", {-1}}, {"r(3)", {0}}, {"r(3)", {1}}, {"r(2,3)", {-2}}, {"r(2,1,2,3)", {4}}, {"r(2,0)", {1}},
    {"i(3)", {0}}, {"r(2,1,3)", {1}}, {"r(2,1,1,2,3)", {-2}}, {NULL},
};
static const OpCase squeeze_cases[] = {
    {"r()", {T_NONE}}, {"r()", {0}}, {"r(1)", {0}}, {"r(1,3,1)", {T_NONE}}, {"r(1,3,1)", {0}}, {"r(1,3,1)", {1}},
    {"r(1,3,1)", {-1}}, {"r(2,1,1,3,1)", {T_NONE}}, {"r(1,0)", {0}}, {"i(1,2)", {0}}, {"r(2,1,3,1)", {1}}, {NULL},
};
static const OpCase expand_cases[] = {
    {"r()", {0}}, {"r()", {2, 2, 3}}, {"r(1)", {1, 4}}, {"r(3)", {2, 2, 3}}, {"r(2,1)", {2, 2, 3}},
    {"r(2,1)", {3, 4, -1, 3}}, {"r(1,2,1)", {3, -1, 2, 0}}, {"r(2,1,2,1,2)", {5, 2, 3, 2, 2, -1}}, {"r(1)", {1, 0}},
    {"i(1,2)", {2, 2, 2}}, {"r(1,2,1,2)", {4, 2, -1, 3, 2}}, {"r(0,1)", {2, -1, 2}}, {NULL},
};
static const OpCase expand_as_cases[] = {
    {"r() R(2,3)"}, {"r(1) R(4)"}, {"r(3) r(2,3)"}, {"r(2,1) i(2,3)"}, {"r(2,1,2,1,2) R(2,3,2,2,2)"}, {"r(1) b(0)"},
    {"r(2,1,2) R(2,3,2)"}, {"r(1,2,1,2) R(2,2,1,2)"}, {"r(0,1) R(0,2)"}, {NULL},
};
static const OpCase repeat_cases[] = {
    {"r()", {0}}, {"r()", {1, 3}}, {"r(3)", {1, 2}}, {"r(3)", {2, 2, 2}}, {"r(2,3)", {2, 1, 3}},
    {"r(2,3)", {3, 2, 1, 2}}, {"r(1,2,1,2)", {4, 2, 1, 3, 2}}, {"r(2,1,1,2,1)", {5, 1, 2, 1, 1, 3}}, {"r(2)", {1, 0}},
    {"r(0)", {1, 2}}, {"i(2)", {1, 2}}, {"r(2,1,2)", {3, 1, 2, 1}}, {NULL},
};
static const OpCase triangle_cases[] = {
    {"r(3,3)", {0}}, {"r(3,4)", {1}}, {"r(4,3)", {-1}}, {"r(2,3,3)", {0}}, {"r(2,1,3,2)", {-2}},
    {"r(1,2,1,3,3)", {1}}, {"r(3,3)", {9}}, {"r(3,3)", {-9}}, {"r(0,3)", {0}}, {"i(3,3)", {0}}, {"b(3,3)", {0}},
    {"b(2,3,4)", {1}}, {"i(2,4,3)", {-1}}, {NULL},
};

static const OpCase diagonal_cases[] = {
    {"r(3,3)", {0, 0, 1}}, {"r(3,4)", {1, 0, 1}}, {"r(4,3)", {-1, 0, 1}}, {"r(3,4)", {1, 1, 0}},
    {"r(2,3,4)", {0, 0, -1}},
    {"r(2,3,4)", {-1, 2, 1}}, {"r(2,1,3,2)", {0, 2, 3}}, {"r(2,1,2,3,3)", {1, -2, -1}}, {"r(3,3)", {9, 0, 1}},
    {"r(3,3)", {-9, 0, 1}}, {"r(3,3)", {T_NONE + 1, 0, 1}}, {"r(0,3)", {0, 0, 1}}, {"i(2,3)", {1, 0, 1}},
    {"b(3,3)", {0, 0, 1}}, {NULL},
};

static const OpError view_errors[] = {
    {"r(6)", {2, 4, 2}, "shape '[4, 2]' is invalid for input of size 6"},
    {"r(6)", {2, -1, 4}, "shape '[-1, 4]' is invalid for input of size 6"},
    {"r(6)", {2, -1, -1}, "only one dimension can be inferred"},
    {"r(6)", {2, -2, 3}, "invalid shape dimension -2 at index 0 of shape [-2, 3]"},
    {"r(0)", {2, -1, 0}, "cannot reshape tensor of 0 elements into shape [-1, 0] because the unspecified dimension "
                         "size -1 can be any value and is ambiguous"},
    {"r(1)", {9, 1, 1, 1, 1, 1, 1, 1, 1, 1}, "a tensor has at most 8 dims, not 9"},
    {NULL},
};
static const OpError flatten_errors[] = {
    {"r(2,3)", {1, 0}, "flatten() has invalid args: start_dim cannot come after end_dim"},
    {"r(2,3)", {0, 2}, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"},
    {NULL},
};
static const OpError transpose_errors[] = {
    {"r(2,3)", {0, 2}, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"},
    {"r(2,3)", {-3, 0}, "Dimension out of range (expected to be in range of [-2, 1], but got -3)"},
    {"r()", {0, 1}, "Dimension out of range (expected to be in range of [-1, 0], but got 1)"},
    {NULL},
};
static const OpError t_errors[] = {
    {"r(2,3,4)", {0}, "t() expects a tensor with <= 2 dimensions, but self is 3D"},
    {NULL},
};
static const OpError permute_errors[] = {
    {"r(2,3)", {1, 0}, "permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
                       "the desired ordering of dimensions i.e. input.dim() = 2 is not equal to len(dims) = 1"},
    {"r(2,3)", {2, 0, 0}, "permute(): duplicate dims are not allowed."},
    {"r(2,3)", {2, 0, 2}, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"},
    {NULL},
};
static const OpError unsqueeze_errors[] = {
    {"r(2,3)", {3}, "Dimension out of range (expected to be in range of [-3, 2], but got 3)"},
    {"r(1,1,1,1,1,1,1,1)", {0}, "a tensor has at most 8 dims, not 9"},
    {NULL},
};
static const OpError squeeze_errors[] = {
    {"r(2,3)", {2}, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"},
    {NULL},
};
static const OpError expand_errors[] = {
    {"r(2,3)", {1, 3}, "expand(torch.FloatTensor{[2, 3]}, size=[3]): the number of sizes provided (1) must be "
                       "greater or equal to the number of dimensions in the tensor (2)"},
    {"r(3)", {1, 4}, "The expanded size of the tensor (4) must match the existing size (3) at non-singleton "
                     "dimension 0.  Target sizes: [4].  Tensor sizes: [3]"},
    {"r(3)", {2, -1, 3}, "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension 0"},
    {NULL},
};
static const OpError expand_as_errors[] = {
    {"r(3) r(4)", {0}, "The expanded size of the tensor (4) must match the existing size (3) at non-singleton "
                       "dimension 0.  Target sizes: [4].  Tensor sizes: [3]"},
    {NULL},
};
static const OpError repeat_errors[] = {
    {"r(2,3)", {1, 2}, "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"},
    {"r(2)", {1, -1}, "Trying to create tensor with negative dimension -2: [-2]"},
    {NULL},
};
static const OpError diagonal_errors[] = {
    {"r(2,3)", {0, 0, 2}, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"},
    {"r(2,3)", {0, 1, -1}, "diagonal dimensions cannot be identical 1, -1"},
    {"r()", {0, 0, -1}, "diagonal dimensions cannot be identical 0, -1"},
    {NULL},
};
static const OpError tril_errors[] = {{"r(3)", {0}, "tril: input tensor must have at least 2 dimensions"}, {NULL}};
static const OpError triu_errors[] = {{"r(3)", {0}, "triu: input tensor must have at least 2 dimensions"}, {NULL}};

static const OpRow rows[] = {
    {"t_view", call_view, view_cases, view_errors, VIEW | LAYOUT_BOUND},
    {"t_reshape", call_reshape, view_cases, view_errors, MAYBE_VIEW},
    {"t_flatten", call_flatten, flatten_cases, flatten_errors, MAYBE_VIEW},
    {"t_transpose", call_transpose, transpose_cases, transpose_errors, VIEW},
    {"t_t", call_t, t_cases, t_errors, VIEW, .ranks = "012z: a matrix at most"},
    {"t_permute", call_permute, permute_cases, permute_errors, VIEW},
    {"t_unsqueeze", call_unsqueeze, unsqueeze_cases, unsqueeze_errors, VIEW},
    {"t_squeeze", call_squeeze, squeeze_cases, squeeze_errors, VIEW},
    {"t_expand", call_expand, expand_cases, expand_errors, VIEW},
    {"t_expand_as", call_expand_as, expand_as_cases, expand_as_errors, VIEW},
    {"t_repeat", call_repeat, repeat_cases, repeat_errors},
    {"t_diagonal", call_diagonal, diagonal_cases, diagonal_errors, VIEW, .ranks = "2345z: of two dims"},
    {"t_tril", call_tril, triangle_cases, tril_errors, .ranks = "2345z: of matrices"},
    {"t_triu", call_triu, triangle_cases, triu_errors, .ranks = "2345z: of matrices"},
};
TABLE(view_table, "ops_views.txt", rows);
