/* tests/ops/table/op_table_shapes.c: views and copies under other names, windows, orders, diagonals, x's own shape
 * (core/ops/shape/cat.c, view_aliases.c, view_inplace.c, stack.c, as_strided.c, flip.c, slice.c, diagonal.c). Lists
 * among the numbers are written length first. */
#include "tests/ops/table/op_table.h"

CALL2(view_as)
CALL2(reshape_as)
CALL1(ravel)
CALL1(mT)
CALL1(atleast_1d)
CALL1(atleast_2d)
CALL1(atleast_3d)
CALL1(fliplr)
CALL1(flipud)
CALL1(t_)

#define OF_ONE(f) static t_TensorList *call_##f(const Call *c) { return list_of(t_##f(c->x[0], c->n[0])); }
OF_ONE(diag)
OF_ONE(diagflat)
OF_ONE(squeeze_)
OF_ONE(unsqueeze_)
#define OF_TWO(f) static t_TensorList *call_##f(const Call *c) { return list_of(t_##f(c->x[0], c->n[0], c->n[1])); }
OF_TWO(swapaxes)
OF_TWO(swapdims)
OF_TWO(transpose_)
#define OF_THREE(f) static t_TensorList *call_##f(const Call *c) { \
    return list_of(t_##f(c->x[0], c->n[0], c->n[1], c->n[2])); \
}
OF_THREE(unfold)
OF_THREE(diag_embed)
#define OF_SIZES(f) static t_TensorList *call_##f(const Call *c) { \
    return list_of(t_##f(c->x[0], c->n + 1, (int)c->n[0])); \
}
OF_SIZES(squeeze_dims)
OF_SIZES(broadcast_to)
OF_SIZES(tile)
OF_SIZES(flip)
#define OF_LIST(f) static t_TensorList *call_##f(const Call *c) { return list_of(t_##f(t_list_new(c->x, c->count))); }
OF_LIST(hstack)
OF_LIST(vstack)
OF_LIST(dstack)
OF_LIST(column_stack)
OF_LIST(cartesian_prod)

#define HVD_SPLIT(f) \
    static t_TensorList *call_##f(const Call *c) { return t_##f(c->x[0], c->n[0]); } \
    static t_TensorList *call_##f##_indices(const Call *c) { \
        return t_##f##_indices(c->x[0], c->n + 1, (int)c->n[0]); \
    }
HVD_SPLIT(hsplit)
HVD_SPLIT(vsplit)
HVD_SPLIT(dsplit)

static t_TensorList *call_combinations(const Call *c) {
    return list_of(t_combinations(c->x[0], c->n[0], c->n[1]));
}

static t_TensorList *call_broadcast_tensors(const Call *c) {
    return t_broadcast_tensors(t_list_new(c->x, c->count));
}
static t_TensorList *call_unflatten(const Call *c) {
    return list_of(t_unflatten(c->x[0], c->n[0], c->n + 2, (int)c->n[1]));
}
static t_TensorList *call_movedim(const Call *c) {
    return list_of(t_movedim(c->x[0], c->n + 2, (int)c->n[0], c->n + 2 + c->n[0], (int)c->n[1]));
}
static t_TensorList *call_roll(const Call *c) {
    return list_of(t_roll(c->x[0], c->n + 2, (int)c->n[0], c->n + 2 + c->n[0], (int)c->n[1]));
}
static t_TensorList *call_rot90(const Call *c) {
    return list_of(t_rot90(c->x[0], c->n[0], c->n + 2, (int)c->n[1]));
}
static t_TensorList *call_as_strided(const Call *c) {
    int64_t ndim = c->n[0];
    return list_of(t_as_strided(c->x[0], c->n + 2, (int)ndim, c->n + 2 + ndim, (int)(ndim + c->n[1]),
                                c->n[2 + 2 * ndim]));
}
static t_TensorList *call_split_with_sizes(const Call *c) {
    return t_split_with_sizes(c->x[0], c->n + 2, (int)c->n[1], c->n[0]);
}
static t_TensorList *call_tensor_split(const Call *c) {
    return t_tensor_split(c->x[0], c->n[0], c->n[1]);
}
static t_TensorList *call_tensor_split_indices(const Call *c) {
    return t_tensor_split_indices(c->x[0], c->n + 2, (int)c->n[1], c->n[0]);
}
static t_TensorList *call_repeat_interleave(const Call *c) {
    if (c->count > 1) return list_of(t_repeat_interleave(c->x[0], c->x[1], c->n[0]));
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = t_keep_object(t_repeat_interleave(c->x[0], t_integer(c->n[1]), c->n[0]));
    t_scope_close(depth);
    return list_of(y);
}

static const OpCase as_cases[] = {
    {"r() R(1,1)"}, {"r(6) R(2,3)"}, {"r(2,3) R(3,2)"}, {"r(2,3,4) i(4,6)"}, {"r(2,1,3,2) b(12)"},
    {"r(2,1,2,3,2) R(4,6)"},
    {"r(0,3) R(3,0)"}, {"i(4) R(2,2)"}, {"b(4) R(2,2)"}, {NULL},
};
static const OpCase any_cases[] = {
    {"r()"}, {"r(4)"}, {"r(2,3)"}, {"r(2,3,2)"}, {"r(2,1,3,2)"}, {"r(2,1,2,3,2)"}, {"r(2,0)"}, {"i(3)"}, {"b(2,2)"},
    {NULL},
};
static const OpCase matrix_cases[] = {
    {"r()"}, {"r(2,3)"}, {"r(2,3,2)"}, {"r(2,1,3,2)"}, {"r(2,1,2,3,2)"}, {"r(2,0)"}, {"i(3,1)"}, {"b(2,2)"}, {NULL},
};
static const OpCase unflatten_cases[] = {
    {"r(6)", {0, 2, 2, 3}}, {"r(2,4)", {1, 2, -1, 2}}, {"r(2,4)", {-2, 1, 2}}, {"r(2,6,3)", {1, 3, 3, 1, 2}},
    {"r(2,1,4,2)", {2, 2, 2, -1}}, {"r(4,1,2,3,2)", {0, 2, 2, 2}}, {"r(0,2)", {0, 2, 0, 3}}, {"r(2,0)", {1, 2, 3, -1}},
    {"i(4)", {0, 2, 2, 2}}, {"b(4)", {0, 2, -1, 4}}, {NULL},
};
static const OpCase squeeze_dims_cases[] = {
    {"r()", {0}}, {"r()", {1, 0}}, {"r(1)", {1, 0}}, {"r(1,3,1)", {2, 0, -1}}, {"r(1,3,1)", {2, 0, 1}},
    {"r(1,3,1)", {0}},
    {"r(2,1,1,3,1)", {3, 1, 2, 4}}, {"r(1,2,1,0)", {2, 0, 2}}, {"i(1,2,1)", {1, 2}}, {"r(1,3)", {1, 0}}, {NULL},
};
static const OpCase swap_cases[] = {
    {"r()", {0, -1}}, {"r(4)", {0, 0}}, {"r(2,3)", {0, 1}}, {"r(2,3,4)", {-1, 0}}, {"r(2,1,3,4)", {1, 2}},
    {"r(2,1,2,3,2)", {-2, 1}}, {"r(2,0,3)", {0, 1}}, {"i(2,3)", {0, 1}}, {"b(2,3)", {1, 0}}, {NULL},
};
static const OpCase movedim_cases[] = {
    {"r()", {1, 1, 0, 0}}, {"r(4)", {1, 1, 0, -1}}, {"r(2,3)", {1, 1, 0, 1}}, {"r(2,3,4)", {1, 1, 0, 2}},
    {"r(2,3,4)", {2, 2, 0, 1, 1, 2}}, {"r(2,1,3,2)", {2, 2, -1, 0, 0, -1}}, {"r(2,1,2,3,2)", {3, 3, 4, 0, 2, 0, 1, 3}},
    {"r(2,3)", {0, 0}}, {"r(2,0,3)", {1, 1, 0, 2}}, {"i(2,3)", {1, 1, 1, 0}}, {NULL},
};
static const OpCase broadcast_to_cases[] = {
    {"r()", {2, 2, 3}}, {"r(3)", {1, 3}}, {"r(3)", {2, 2, 3}}, {"r(2,1)", {3, 2, -1, 3}},
    {"r(2,1,2,1,2)", {5, 2, 3, 2, 2, 2}},
    {"r(1)", {1, 0}}, {"i(1,2)", {2, 2, 2}}, {"r(2,1,2)", {3, -1, 3, 2}}, {"r(1,2,1,2)", {4, 2, 2, 1, 2}},
    {"r(0,1)", {2, 0, 2}}, {NULL},
};
static const OpCase broadcast_tensors_cases[] = {
    {"r(3) r(2,3)"}, {"r() r(2,1) r(1,3)"}, {"r(2,1,2,1,2) i(3,1,2,1)"}, {"r(4)"}, {"r(1) b(0)"}, {"i(2) d(1)"},
    {"r(2,1) r(3)"}, {"r(2,1,2) r(3,1)"}, {"r(1,2,1,2) r(2)"}, {"r(0,1) r(2)"}, {NULL},
};
static const OpCase hstack_cases[] = {
    {"r() r()"}, {"r(2) r(3)"}, {"r(2,3) r(2,1)"}, {"r(2,1,3) r(2,2,3) r(2,1,3)"}, {"r(2,1,1,3,2) r(2,2,1,3,2)"},
    {"r(2,0) r(2,3)"},
    {"i(2) r(3)"}, {"b(2) b(1)"}, {"r(3)"}, {"r(2,1,1,2) r(2,2,1,2)"}, {NULL},
};
static const OpCase vstack_cases[] = {
    {"r() r()"}, {"r(3) r(3)"}, {"r(3) r(2,3)"}, {"r(2,3) r(1,3)"}, {"r(1,2,3) r(2,2,3)"},
    {"r(2,1,1,3,2) r(1,1,1,3,2)"}, {"r(0,3) r(3)"},
    {"i(2) f(2)"}, {"r(2,1,1,2) r(1,1,1,2)"}, {NULL},
};
static const OpCase dstack_cases[] = {
    {"r() r()"}, {"r(3) r(3)"}, {"r(2,3) r(2,3)"}, {"r(2,3,1) r(2,3)"}, {"r(2,1,1,3,2) r(2,1,2,3,2)"},
    {"r(2,0) r(2,0)"}, {"i(2) d(2)"},
    {"r(2,1,1,2) r(2,1,2,2)"}, {NULL},
};
static const OpCase column_stack_cases[] = {
    {"r() r()"}, {"r(3) r(3)"}, {"r(3) r(3,2)"}, {"r(2,1,3) r(2,2,3)"}, {"r(2,1,1,3,2) r(2,2,1,3,2)"}, {"r(0) r(0,2)"},
    {"b(2) i(2)"},
    {"r(2,1) r(2,2)"}, {"r(2,1,1,2) r(2,2,1,2)"}, {NULL},
};
static const OpCase tile_cases[] = {
    {"r()", {0}}, {"r()", {1, 3}}, {"r(3)", {1, 2}}, {"r(3)", {2, 2, 2}}, {"r(2,3)", {1, 3}}, {"r(2,3,2)", {2, 1, 2}},
    {"r(2,1,3,2)", {1, 2}}, {"r(2,1,1,2,1)", {2, 2, 3}}, {"r(2)", {1, 0}}, {"r(0)", {1, 2}}, {"i(2)", {1, 2}}, {NULL},
};
static const OpCase repeat_interleave_cases[] = {
    {"r(3)", {0, 2}}, {"r()", {T_NONE, 3}}, {"r(2,3)", {T_NONE, 2}}, {"r(2,3)", {0, 3}}, {"r(2,3)", {-1, 2}},
    {"r(2,1,3,2)", {2, 2}},
    {"r(2,1,2,3,2)", {-2, 2}}, {"r(2,3)", {1, 0}}, {"r(0,2)", {0, 2}}, {"r(3) k3(3)", {T_NONE}}, {"r(2,3) k3(3)", {1}},
    {"r(2,3) k4(1)", {0}}, {"r(2,3) k4()", {0}}, {"r(2,1,2,3,2) k3(3)", {-2}}, {"r(2,2) k3(4)", {T_NONE}},
    {"i(3) k3(3)", {0}},
    {"b(3)", {0, 2}}, {"r(0,2) i(0)", {0}}, {"r(2,1,3)", {2, 2}}, {NULL},
};
static const OpCase split_sizes_cases[] = {
    {"r(4)", {0, 2, 1, 3}}, {"r(2,5)", {1, 3, 2, 0, 3}}, {"r(4,2,3)", {0, 3, 1, 1, 2}}, {"r(2,1,3,2)", {-2, 2, 2, 1}},
    {"r(2,1,2,3,2)", {3, 1, 3}}, {"r(0,2)", {0, 2, 0, 0}}, {"i(3)", {0, 2, 1, 2}}, {"b(2)", {0, 2, 1, 1}}, {NULL},
};
static const OpCase tensor_split_cases[] = {
    {"r(7)", {3, 0}}, {"r(2,5)", {2, 1}}, {"r(2,3,4)", {3, -1}}, {"r(2,1,3,2)", {2, 2}}, {"r(4,1,2,3,2)", {3, 0}},
    {"r(2)", {3, 0}},
    {"r(0,2)", {2, 0}}, {"i(5)", {2, 0}}, {NULL},
};
static const OpCase tensor_split_indices_cases[] = {
    {"r(7)", {0, 2, 2, 5}}, {"r(2,5)", {1, 3, 1, 1, 4}}, {"r(5)", {0, 4, 3, 1, -1, 9}}, {"r(2,3,4)", {-1, 1, 2}},
    {"r(2,1,3,2)", {2, 1, 1}},
    {"r(4,1,2,3,2)", {0, 2, 1, 3}}, {"r(3)", {0, 0}}, {"r(0,2)", {0, 1, 1}}, {"i(4)", {0, 1, 2}}, {NULL},
};
static const OpCase unfold_cases[] = {
    {"r()", {0, 1, 1}}, {"r(5)", {0, 2, 1}}, {"r(6)", {0, 3, 2}}, {"r(2,5)", {1, 2, 3}}, {"r(4,3)", {0, 3, 1}},
    {"r(2,4,3)", {-2, 2, 2}},
    {"r(2,1,3,2)", {2, 2, 1}}, {"r(2,1,2,4,2)", {3, 3, 1}}, {"r(3)", {0, 0, 1}}, {"r(3)", {0, 3, 1}},
    {"r(0,3)", {1, 2, 1}}, {"i(4)", {0, 2, 1}},
    {NULL},
};
/* {ndim, 0, sizes, strides, offset} */
static const OpCase as_strided_cases[] = {
    {"r()", {0, 0, T_NONE}}, {"r(6)", {2, 0, 2, 2, 3, 1, T_NONE}}, {"r(6)", {2, 0, 3, 2, 1, 2, 1}},
    {"r(2,3)", {1, 0, 4, 1, 2}},
    {"r(2,3,4)", {3, 0, 2, 2, 2, 12, 1, 5, 3}}, {"r(5)", {2, 0, 3, 3, 1, 1, 0}},
    {"r(2,1,3,2)", {2, 0, 4, 2, 2, 1, T_NONE}},
    {"r(2,1,2,3,2)", {2, 0, 3, 2, 7, 0, 1}}, {"r(3)", {2, 0, 0, 2, 1, 1, 0}}, {"i(4)", {1, 0, 2, 2, 1}},
    {"r(0)", {1, 0, 0, 1, 0}}, {NULL},
};
static const OpCase flip_cases[] = {
    {"r()", {0}}, {"r()", {1, 0}}, {"r(4)", {1, 0}}, {"r(2,3)", {1, 1}}, {"r(2,3)", {2, 0, -1}},
    {"r(2,3,2)", {2, 2, 1}},
    {"r(2,1,3,2)", {1, -2}}, {"r(2,1,2,3,2)", {3, 0, 3, 4}}, {"r(2,3)", {0}}, {"r(2,0)", {1, 0}}, {"i(3)", {1, 0}},
    {"b(2,2)", {1, 1}}, {NULL},
};
static const OpCase fliplr_cases[] = {{"r(2,3)"}, {"r(2,3,2)"}, {"r(2,3,1,2,2)"}, {"r(2,0)"}, {"i(2,2)"},
    {"r(2,3,1,2)"}, {NULL}};
static const OpCase flipud_cases[] = {{"r(3)"}, {"r(2,3)"}, {"r(2,3,1,2,2)"}, {"r(0,2)"}, {"b(2,2)"}, {"r(2,3,2)"},
    {"r(2,3,1,2)"}, {NULL}};
static const OpCase rot90_cases[] = {
    {"r(2,3)", {1, 2, 0, 1}}, {"r(2,3)", {0, 2, 0, 1}}, {"r(2,3)", {2, 2, 0, 1}}, {"r(2,3)", {3, 2, 1, 0}},
    {"r(2,3,4)", {-1, 2, 1, 2}},
    {"r(2,1,3,2)", {5, 2, -1, 0}}, {"r(2,1,2,3,2)", {1, 2, 3, 2}}, {"r(2,0)", {1, 2, 0, 1}}, {"i(2,2)", {1, 2, 0, 1}},
    {"b(2,3)", {-6, 2, 0, 1}},
    {NULL},
};
static const OpCase roll_cases[] = {
    {"r()", {1, 0, 1}}, {"r(4)", {1, 1, 1, 0}}, {"r(5)", {1, 0, -2}}, {"r(2,3)", {1, 0, 4}}, {"r(2,3)", {1, 1, 1, 0}},
    {"r(2,3)", {2, 2, 1, -1, 0, 1}},
    {"r(2,3,4)", {2, 2, 1, 2, -1, -1}}, {"r(2,1,3,2)", {1, 1, 7, 2}}, {"r(2,1,2,3,2)", {3, 3, 1, 2, 1, 0, 3, 4}},
    {"r(2,1,2,3,2)", {1, 0, 5}},
    {"r(2,0)", {1, 1, 1, 0}}, {"r(0)", {1, 0, 1}}, {"i(3)", {1, 1, 1, 0}}, {"b(2,2)", {1, 0, 1}}, {NULL},
};
static const OpCase diag_cases[] = {
    {"r(3)", {0}}, {"r(3)", {1}}, {"r(2)", {-2}}, {"r(0)", {1}}, {"r(3,3)", {0}}, {"r(2,4)", {1}}, {"r(3,2)", {-1}},
    {"r(2,3)", {7}}, {"r(2,3)", {-7}},
    {"r(0,3)", {0}}, {"i(2)", {0}}, {"b(2,2)", {0}}, {NULL},
};
static const OpCase diagflat_cases[] = {
    {"r()", {0}}, {"r(3)", {-1}}, {"r(2,2)", {1}}, {"r(2,1,2)", {0}}, {"r(1,2,1,2,1)", {0}}, {"r(2,0)", {0}},
    {"i(2)", {0}},
    {"r(1,2,1,2)", {0}}, {NULL},
};
static const OpCase diag_embed_cases[] = {
    {"r(3)", {0, 0, 1}}, {"r(2,3)", {1, 0, 2}}, {"r(2,3)", {-1, -2, -1}}, {"r(2,1,2)", {0, 3, 0}},
    {"r(1,2,1,2)", {1, 1, 3}}, {"r(2,1,1,2,2)", {0, -1, 0}},
    {"r(2,0)", {0, -2, -1}}, {"i(2)", {0, 0, 1}}, {"b(2)", {1, 1, 0}}, {NULL},
};
static const OpCase squeeze_inplace_cases[] = {
    {"r()", {T_NONE}}, {"r()", {0}}, {"r(1)", {0}}, {"r(1,3,1)", {T_NONE}}, {"r(1,3,1)", {-1}}, {"r(1,3,1)", {1}},
    {"r(2,1,1,3,1)", {T_NONE}},
    {"r(1,0)", {0}}, {"i(1,2)", {0}}, {"r(2,1,3,1)", {1}}, {NULL},
};
static const OpCase unsqueeze_inplace_cases[] = {
    {"r()", {0}}, {"r(3)", {-1}}, {"r(2,3)", {1}}, {"r(2,1,2,3)", {4}}, {"r(2,1,1,2,3)", {-6}}, {"r(2,0)", {1}},
    {"b(3)", {0}}, {"r(2,1,3)", {1}}, {NULL},
};
static const OpCase t_inplace_cases[] = {{"r()"}, {"r(4)"}, {"r(2,3)"}, {"r(0,2)"}, {"i(2,3)"}, {NULL}};

#define RANGE2 "Dimension out of range (expected to be in range of [-2, 1], but got 2)"
static const OpError none[] = {{NULL}};
static const OpError as_errors[] = {{"r(6) R(4)", {0}, "shape '[4]' is invalid for input of size 6"}, {NULL}};
static const OpError mT_errors[] = {
    {"r(3)", {0}, "tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor."}, {NULL},
};
#define UNFLATTEN(sizes, dim, size) \
    "unflatten: Provided sizes " sizes " don't multiply up to the size of dim " #dim " (" #size ") in the input tensor"
#define ODD "unflatten got an unexpected error:\n"
static const OpError unflatten_errors[] = {
    {"r(2,4)", {1, 2, 3, 2}, UNFLATTEN("[3, 2]", 1, 4)},
    {"r(2,4)", {1, 2, 3, -1}, UNFLATTEN("[3, -1]", 1, 4)},
    {"r(2,4)", {1, 0}, "unflatten: sizes must be non-empty"},
    {"r(2,4)", {2, 1, 4}, RANGE2},
    {"r(2,4)", {1, 2, -1, -1}, ODD "only one dimension can be inferred"},
    {"r(0,4)", {0, 2, 0, -1},
        ODD "cannot reshape tensor of 0 elements into shape [0, -1] because the unspecified dimension size "
                                  "-1 can be any value and is ambiguous"},
    {"r(2,4)", {1, 2, -2, -2}, ODD "invalid shape dimension -2 at index 0 of shape [-2, -2]"},
    {"r()", {0, 1, 1}, ODD "Dimension specified as 0 but tensor has no dimensions"},
    {"r(1,1,1,1,1,1,1,1)", {0, 2, 1, 1}, "a tensor has at most 8 dims, not 9"},
    {NULL},
};
static const OpError squeeze_dims_errors[] = {
    {"r(1,2)", {2, 0, 0}, "dim 0 appears multiple times in the list of dims"}, {"r(1,2)", {1, 2}, RANGE2}, {NULL},
};
static const OpError swap_errors[] = {{"r(2,3)", {0, 2}, RANGE2}, {NULL}};
static const OpError movedim_errors[] = {
    {"r(2,3)", {2, 1, 0, 1, 1},
        "movedim: Invalid source or destination dims: source ([0, 1] dims) should contain the same number "
                                "of dims as destination ([1] dims)"},
    {"r(2,3)", {2, 2, 0, 0, 0, 1}, "movedim: repeated dim in `source` ([0, 0])"},
    {"r(2,3)", {2, 2, 0, 1, 1, 1}, "movedim: repeated dim in `destination` ([1, 1])"},
    {"r(2,3)", {1, 1, 0, 2}, RANGE2},
    {NULL},
};
static const OpError broadcast_to_errors[] = {
    {"r(4)", {1, 3}, "The expanded size of the tensor (3) must match the existing size (4) at non-singleton dimension "
                     "0.  Target sizes: [3].  Tensor sizes: [4]"},
    {NULL},
};
static const OpError broadcast_tensors_errors[] = {
    {"r(4) r(3)", {0}, "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 0"},
    {NULL},
};
#define SIZES(dim, one, two) \
    "Sizes of tensors must match except in dimension " #dim ". Expected size " #one " but got size " #two \
        " for tensor " \
    "number 1 in the list."
static const OpError hstack_errors[] = {
    {"", {0}, "hstack expects a non-empty TensorList"},
    {"r(3,4) r(2,4)", {0}, SIZES(1, 3, 2)},
    {"r(4) r(3,4)", {0}, "Tensors must have same number of dimensions: got 1 and 2"},
    {NULL},
};
static const OpError vstack_errors[] = {{"", {0}, "vstack expects a non-empty TensorList"}, {"r(4) r(3)", {0},
    SIZES(0, 4, 3)}, {NULL}};
static const OpError dstack_errors[] = {{"", {0}, "dstack expects a non-empty TensorList"}, {"r(4) r(3)", {0},
    SIZES(2, 4, 3)}, {NULL}};
static const OpError column_stack_errors[] = {
    {"", {0}, "column_stack expects a non-empty TensorList"}, {"r(4) r(3)", {0}, SIZES(1, 4, 3)}, {NULL},
};
static const OpError tile_errors[] = {{"r(4)", {1, -1}, "Trying to create tensor with negative dimension -4: [-4]"},
    {NULL}};
static const OpError repeat_interleave_errors[] = {
    {"r(2,3) k3(2)", {1},
        "repeats must have the same size as input along dim, but got repeats.size(0) = 2 and input.size(1) = 3"},
    {"r(2,3) i(3)", {1}, "repeats can not be negative"},
    {"r(2,3)", {0, -1}, "Repeats must be non-negative"},
    {"r(2,3) R(3)", {1}, "\"repeat_interleave_cpu\" not implemented for 'Float'"},
    {"r(2,3) k3(1,3)", {1}, "repeats must be 0-dim or 1-dim tensor"},
    {"r(2,3)", {2, 2}, RANGE2},
    {"r() k3(1)", {0}, "Dimension specified as 0 but tensor has no dimensions"},
    {NULL},
};
static const OpError split_sizes_errors[] = {
    {"r(4)", {0, 2, 1, 2},
        "split_with_sizes expects split_sizes to sum exactly to 4 (input tensor's size at dimension 0), but got "
                           "split_sizes=[1, 2]"},
    {"r(4)", {0, 2, -1, 5},
        "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=[-1, 5]"},
    {"r()", {0, 1, 1}, "split expects at least a 1-dimensional tensor"},
    {"r(2,4)", {2, 1, 4}, RANGE2},
    {NULL},
};
#define CUT_OF_0_DIMS "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
static const OpError tensor_split_errors[] = {
    {"r(4)", {0, 0}, "number of sections must be larger than 0, got 0"}, {"r()", {2, 0}, CUT_OF_0_DIMS},
    {"r(2,3)", {2, 2}, RANGE2}, {NULL},
};
static const OpError tensor_split_indices_errors[] = {{"r()", {0, 1, 1}, CUT_OF_0_DIMS}, {"r(2,3)", {2, 1, 1},
    RANGE2}, {NULL}};
static const OpError unfold_errors[] = {
    {"r(3,4)", {1, 5, 1}, "maximum size for tensor at dimension 1 is 4 but size is 5"},
    {"r(3,4)", {1, 2, 0}, "step is 0 but must be > 0"},
    {"r(3,4)", {1, -1, 1}, "size is -1 but must be >= 0"},
    {"r(3,4)", {2, 2, 1}, RANGE2},
    {"r()", {0, 2, 1}, "maximum size for tensor at dimension 0 is 1 but size is 2"},
    {"r(1,1,1,1,1,1,1,1)", {0, 1, 1}, "a tensor has at most 8 dims, not 9"},
    {NULL},
};
static const OpError as_strided_errors[] = {
    {"r(3,4)", {2, -1, 2, 2, 1, T_NONE}, "mismatch in length of strides and shape"},
    {"r(3,4)", {2, 0, 5, 5, 5, 1, 0},
        "setStorage: sizes [5, 5], strides [5, 1], storage offset 0, and itemsize 4 requiring a "
                                      "storage size of 100 are out of bounds for storage of size 48"},
    {"r(3,4)", {1, 0, 2, 1, 11},
        "setStorage: sizes [2], strides [1], storage offset 11, and itemsize 4 requiring a storage size of "
                                 "52 are out of bounds for storage of size 48"},
    {"r(3,4)", {1, 0, 2, -1, 0}, "as_strided: Negative strides are not supported at the moment, got strides: [-1]"},
    {"r(3,4)", {1, 0, -2, 1, 0}, "Storage size calculation overflowed with sizes=[-2] and strides=[1]"},
    {"r(3,4)", {1, 0, 2, 1, -1}, "Tensor: invalid storage offset -1"},
    {NULL},
};
static const OpError flip_errors[] = {
    {"r(2,3)", {2, 0, 0}, "dim 0 appears multiple times in the list of dims"}, {"r(2,3)", {1, 2}, RANGE2}, {NULL},
};
static const OpError fliplr_errors[] = {{"r(3)", {0}, "Input must be >= 2-d."}, {NULL}};
static const OpError flipud_errors[] = {{"r()", {0}, "Input must be >= 1-d."}, {NULL}};
static const OpError rot90_errors[] = {
    {"r(2,3)", {1, 2, 0, 0}, "expected rotation dims to be different, but got dim0 = 0 and dim1 = 0"},
    {"r(2,3)", {1, 2, 0, -2}, "expected rotation dims to be different, but got dim0 = 0 and dim1 = -2"},
    {"r(2,3)", {1, 1, 0}, "expected total rotation dims == 2, but got dims = 1"},
    {"r(3)", {1, 2, 0, 1}, "expected total dims >= 2, but got total dims = 1"},
    {"r(2,3)", {1, 2, 1, 2}, RANGE2},
    {NULL},
};
static const OpError roll_errors[] = {
    {"r(2,3)", {2, 1, 1, 2, 0}, "shifts and dimensions must align. shifts: 2, dims:1"},
    {"r(2,3)", {2, 0, 1, 2}, "shifts and dimensions must align. shifts: 2, dims:0"},
    {"r(2,3)", {0, 0}, "`shifts` required"},
    {"r(2,3)", {1, 1, 1, 2}, RANGE2},
    {"r()", {1, 1, 1, 0}, "Dimension specified as 0 but tensor has no dimensions"},
    {NULL},
};
static const OpError diag_errors[] = {
    {"r(2,3,4)", {0}, "diag(): Supports 1D or 2D tensors. Got 3D"},
    {"r()", {0}, "diag(): Supports 1D or 2D tensors. Got 0D"}, {NULL},
};
static const OpError diag_embed_errors[] = {
    {"r(2,3)", {0, 1, 1}, "diagonal dimensions cannot be identical 1, 1"},
    {"r(2,3)", {0, 3, 1}, "Dimension out of range (expected to be in range of [-3, 2], but got 3)"},
    {"r()", {0, -2, -1}, "Dimension out of range (expected to be in range of [-1, 0], but got -2)"},
    {NULL},
};
static const OpError squeeze_inplace_errors[] = {{"r(1,2)", {2}, RANGE2}, {NULL}};
static const OpError unsqueeze_inplace_errors[] = {{"r(2)", {2}, RANGE2}, {NULL}};
static const OpError t_inplace_errors[] = {{"r(2,3,4)", {0},
    "t_() expects a tensor with <= 2 dimensions, but self is 3D"}, {NULL}};

/* torch.cat and torch.stack (core/ops/shape/cat.c) */
static t_TensorList *call_cat(const Call *c) {
    return list_of(t_cat(t_list_new(c->x, c->count), c->n[0]));
}
static t_TensorList *call_stack(const Call *c) {
    return list_of(t_stack(t_list_new(c->x, c->count), c->n[0]));
}
static const OpCase cat_cases[] = {
    {"r(3)", {0}}, {"r(2) r(3)", {0}}, {"r(2,3) r(2,1) r(2,2)", {1}}, {"r(1,2) r(3,2)", {-2}},
    {"r(2,1,2) r(2,1,2)", {2}}, {"r(1,2,1,3,2) r(1,2,2,3,2)", {2}}, {"r(0) r(2,3)", {0}}, {"r(2,3) r(0)", {1}},
    {"r(2,0) r(2,2)", {1}}, {"i(2) r(2)", {0}}, {"b(2) i(2)", {0}}, {"f(2) d(2)", {0}}, {"r(2) R(2) r(2)", {0}},
    {"r(0) r(0)", {0}}, {"i(2,3) i(2,1)", {1}}, {"r(2,1,1,2) r(2,1,2,2)", {2}}, {NULL},
};
static const OpCase stack_cases[] = {
    {"r() r()", {0}}, {"r(3) r(3) r(3)", {0}}, {"r(2,3) r(2,3)", {1}}, {"r(2,3) r(2,3)", {-1}},
    {"r(2,1,3,2) r(2,1,3,2)", {2}}, {"r(0) r(0)", {1}}, {"i(2) i(2)", {0}}, {"r(2) R(2)", {-2}}, {"f(2) d(2)", {0}},
    {"r(2,1,2) r(2,1,2)", {1}}, {"r(2,1,1,2,1) r(2,1,1,2,1)", {-1}}, {NULL},
};
static const OpError cat_errors[] = {
    {"", {0}, "torch.cat(): expected a non-empty list of Tensors"},
    {"r(2) r(2,3)", {0}, "Tensors must have same number of dimensions: got 1 and 2"},
    {"r(2,3) r(2,4)", {0}, "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4 for "
                           "tensor number 1 in the list."},
    {"r() r()", {0}, "zero-dimensional tensor (at position 0) cannot be concatenated"},
    {"r(2,3) r(2,3)", {2}, RANGE2},
    {NULL},
};
static const OpError stack_errors[] = {
    {"", {0}, "stack expects a non-empty TensorList"},
    {"r(2) r(3)", {0}, "stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1"},
    {"r(2) r(2)", {2}, RANGE2},
    {NULL},
};

static const OpCase hsplit_cases[] = {
    {"r(4)", {2}}, {"r(3,4)", {2}}, {"r(2,6,2)", {3}}, {"r(2,4,1,2)", {4}}, {"r(1,2,1,2,1)", {1}}, {"r(0)", {2}},
    {"i(2,2)", {2}}, {NULL},
};
static const OpCase vsplit_cases[] = {
    {"r(4,3)", {2}}, {"r(3,4,1)", {3}}, {"r(2,1,2,3)", {1}}, {"r(2,1,2,1,2)", {2}}, {"r(0,2)", {2}}, {NULL}};
static const OpCase dsplit_cases[] = {
    {"r(2,1,4)", {2}}, {"r(2,1,3,2)", {3}}, {"r(2,1,2,1,2)", {2}}, {"r(1,2,0)", {2}}, {NULL}};
static const OpCase hsplit_indices_cases[] = {
    {"r(5)", {2, 1, 3}}, {"r(3,4)", {1, 2}}, {"r(2,6,2)", {3, 1, -2, 5}}, {"r(2,4,1,2)", {0}}, {"r(1,2,1,2,1)", {1, 1}},
    {"r(0)", {1, 2}}, {NULL},
};
static const OpCase vsplit_indices_cases[] = {
    {"r(4,3)", {1, 3}}, {"r(3,4,1)", {2, 1, 2}}, {"r(2,1,2,3)", {1, 1}}, {"r(2,1,2,1,2)", {1, -1}}, {"r(0,2)", {1, 1}},
    {NULL},
};
static const OpCase dsplit_indices_cases[] = {
    {"r(2,1,4)", {2, 1, 3}}, {"r(2,1,3,2)", {1, 1}}, {"r(2,1,2,1,2)", {1, 1}}, {"r(1,2,0)", {1, 0}}, {NULL}};
static const OpError hsplit_errors[] = {
    {"r()", {2}, "torch.hsplit requires a tensor with at least 1 dimension, but got a tensor with 0 dimensions!"},
    {"r(3)", {2}, "torch.hsplit attempted to split along dimension 0, but the size of the dimension 3 is not divisible "
                  "by the split_size 2!"},
    {"r(2,3)", {2}, "torch.hsplit attempted to split along dimension 1, but the size of the dimension 3 is not "
                    "divisible by the split_size 2!"},
    {NULL},
};
static const OpError vsplit_errors[] = {
    {"r(2)", {2}, "torch.vsplit requires a tensor with at least 2 dimension, but got a tensor with 1 dimensions!"},
    {"r(3,2)", {2}, "torch.vsplit attempted to split along dimension 0, but the size of the dimension 3 is not "
                    "divisible by the split_size 2!"},
    {NULL},
};
static const OpError dsplit_errors[] = {
    {"r(2,2)", {2}, "torch.dsplit requires a tensor with at least 3 dimension, but got a tensor with 2 dimensions!"},
    {"r(3,2,3)", {2}, "torch.dsplit attempted to split along dimension 2, but the size of the dimension 3 is not "
                      "divisible by the split_size 2!"},
    {NULL},
};
static const OpError hsplit_indices_errors[] = {
    {"r()", {1, 2}, "torch.hsplit requires a tensor with at least 1 dimension, but got a tensor with 0 dimensions!"},
    {NULL},
};
static const OpError vsplit_indices_errors[] = {
    {"r(2)", {1, 2}, "torch.vsplit requires a tensor with at least 2 dimension, but got a tensor with 1 dimensions!"},
    {NULL},
};
static const OpError dsplit_indices_errors[] = {
    {"r(2,2)", {1, 2}, "torch.dsplit requires a tensor with at least 3 dimension, but got a tensor with 2 dimensions!"},
    {NULL},
};
static const OpCase cartesian_prod_cases[] = {
    {"r(2) r(3)"}, {"r(2) r(3) r(2)"}, {"r(4)"}, {"r(0) r(2)"}, {"R(2) r(3)"}, {"i(2) i(2)"}, {NULL}};
static const OpError cartesian_prod_errors[] = {
    {"r(2) r(2,2)", {0}, "Expect a 1D vector, but got shape [2, 2]"}, {NULL}};
static const OpCase combinations_cases[] = {
    {"r(4)", {2}}, {"r(4)", {3, 1}}, {"R(3)", {0}}, {"r(2)", {3}}, {"r(0)", {2}}, {"r(3)", {1}}, {"i(4)", {2}},
    {"b(3)", {2, 1}}, {"r(5)", {5}}, {NULL},
};
static const OpError combinations_errors[] = {
    {"r(2,3)", {2}, "Expect a 1D vector, but got shape [2, 3]"},
    {"r(3)", {-1}, "Expect a non-negative number, but got -1"},
    {NULL},
};

static const OpRow rows[] = {
    {"t_view_as", call_view_as, as_cases, as_errors, VIEW | LAYOUT_BOUND},
    {"t_reshape_as", call_reshape_as, as_cases, as_errors, MAYBE_VIEW},
    {"t_ravel", call_ravel, any_cases, none, MAYBE_VIEW},
    {"t_unflatten", call_unflatten, unflatten_cases, unflatten_errors, VIEW | LAYOUT_BOUND,
        .ranks = "12345z: a dim is unfolded"},
    {"t_squeeze_dims", call_squeeze_dims, squeeze_dims_cases, squeeze_dims_errors, VIEW},
    {"t_mT", call_mT, matrix_cases, mT_errors, VIEW, .ranks = "02345z: a vector has no matrix transpose"},
    {"t_swapaxes", call_swapaxes, swap_cases, swap_errors, VIEW},
    {"t_swapdims", call_swapdims, swap_cases, swap_errors, VIEW},
    {"t_movedim", call_movedim, movedim_cases, movedim_errors, VIEW},
    {"t_broadcast_to", call_broadcast_to, broadcast_to_cases, broadcast_to_errors, VIEW},
    {"t_broadcast_tensors", call_broadcast_tensors, broadcast_tensors_cases, broadcast_tensors_errors, MAYBE_VIEW},
    {"t_atleast_1d", call_atleast_1d, any_cases, none, VIEW},
    {"t_atleast_2d", call_atleast_2d, any_cases, none, VIEW},
    {"t_atleast_3d", call_atleast_3d, any_cases, none, VIEW},
    {"t_hstack", call_hstack, hstack_cases, hstack_errors},
    {"t_vstack", call_vstack, vstack_cases, vstack_errors},
    {"t_dstack", call_dstack, dstack_cases, dstack_errors},
    {"t_column_stack", call_column_stack, column_stack_cases, column_stack_errors},
    {"t_tile", call_tile, tile_cases, tile_errors},
    {"t_repeat_interleave", call_repeat_interleave, repeat_interleave_cases, repeat_interleave_errors},
    {"t_split_with_sizes", call_split_with_sizes, split_sizes_cases, split_sizes_errors, VIEW,
        .ranks = "12345z: a dim is cut"},
    {"t_tensor_split", call_tensor_split, tensor_split_cases, tensor_split_errors, VIEW,
        .ranks = "12345z: a dim is cut"},
    {"t_tensor_split_indices", call_tensor_split_indices, tensor_split_indices_cases, tensor_split_indices_errors, VIEW,
     .ranks = "12345z: a dim is cut"},
    {"t_hsplit", call_hsplit, hsplit_cases, hsplit_errors, VIEW, .ranks = "12345z: a dim is cut"},
    {"t_vsplit", call_vsplit, vsplit_cases, vsplit_errors, VIEW, .ranks = "2345z: the first dim of a matrix is cut"},
    {"t_dsplit", call_dsplit, dsplit_cases, dsplit_errors, VIEW, .ranks = "345z: the third dim is cut"},
    {"t_hsplit_indices", call_hsplit_indices, hsplit_indices_cases, hsplit_indices_errors, VIEW,
        .ranks = "12345z: a dim is cut"},
    {"t_vsplit_indices", call_vsplit_indices, vsplit_indices_cases, vsplit_indices_errors, VIEW,
        .ranks = "2345z: the first dim of a matrix is cut"},
    {"t_dsplit_indices", call_dsplit_indices, dsplit_indices_cases, dsplit_indices_errors, VIEW,
        .ranks = "345z: the third dim is cut"},
    {"t_cartesian_prod", call_cartesian_prod, cartesian_prod_cases, cartesian_prod_errors, MAYBE_VIEW,
        .ranks = "1z: vectors"},
    {"t_combinations", call_combinations, combinations_cases, combinations_errors, OWN_GRAD_FN,
        .ranks = "1z: a vector"},
    {"t_unfold", call_unfold, unfold_cases, unfold_errors, VIEW},
    {"t_as_strided", call_as_strided, as_strided_cases, as_strided_errors, VIEW | STORAGE_BOUND},
    {"t_flip", call_flip, flip_cases, flip_errors},
    {"t_fliplr", call_fliplr, fliplr_cases, fliplr_errors, .ranks = "2345z: the second dim is flipped"},
    {"t_flipud", call_flipud, flipud_cases, flipud_errors, .ranks = "12345z: the first dim is flipped"},
    {"t_rot90", call_rot90, rot90_cases, rot90_errors, .ranks = "2345z: two dims are rotated"},
    {"t_roll", call_roll, roll_cases, roll_errors},
    {"t_diag", call_diag, diag_cases, diag_errors, .ranks = "12z: a vector or a matrix"},
    {"t_diag_embed", call_diag_embed, diag_embed_cases, diag_embed_errors, .ranks = "12345z: a dim becomes a diagonal"},
    {"t_diagflat", call_diagflat, diagflat_cases, none},
    {"t_squeeze_", call_squeeze_, squeeze_inplace_cases, squeeze_inplace_errors, INPLACE},
    {"t_unsqueeze_", call_unsqueeze_, unsqueeze_inplace_cases, unsqueeze_inplace_errors, INPLACE},
    {"t_transpose_", call_transpose_, swap_cases, swap_errors, INPLACE},
    {"t_t_", call_t_, t_inplace_cases, t_inplace_errors, INPLACE, .ranks = "012z: a matrix at most"},
    {"t_cat", call_cat, cat_cases, cat_errors, .ranks = "12345z: a dim is joined"},
    {"t_stack", call_stack, stack_cases, stack_errors},
};
TABLE(shape_table, "ops_shapes.txt", rows);
