/* tests/ops/table/op_table_algebra.c: products of vectors and matrices beyond matmul (core/ops/linalg/matmul.c,
 * addmm.c, linalg.c, cdist.c; nn/functional/linear/linear.c), and F.one_hot. */
#include <math.h>

#include "core/linalg/linalg.h"
#include "nn/functional/functional.h"
#include "tests/ops/table/op_table.h"

CALL2(mv)
CALL2(dot)
CALL2(outer)
CALL2(ger)
CALL2(inner)
CALL2(kron)

/* The factors are given in quarters less one, so that none given is 1 and 1. */
#define ADDING(f) \
    static t_TensorList *call_##f(const Call *c) { \
        return list_of(t_##f(c->x[0], c->x[1], c->x[2], 1 + (double)c->n[0] / 4, 1 + (double)c->n[1] / 4)); \
    }
ADDING(addmm)
ADDING(addmv)
ADDING(baddbmm)
ADDING(addbmm)
ADDING(addr)
ADDING(addmm_)
ADDING(addmv_)
ADDING(addbmm_)
ADDING(addr_)
ADDING(baddbmm_)

static t_TensorList *call_tensordot(const Call *c) {
    return list_of(t_tensordot(c->x[0], c->x[1], c->n + 2, (int)c->n[0], c->n + 2 + c->n[0], (int)c->n[1]));
}
static t_TensorList *call_tensordot_of_(const Call *c) {
    return list_of(t_tensordot_of_(c->x[0], c->x[1], c->n[0]));
}
static t_TensorList *call_cross(const Call *c) {
    return list_of(t_cross(c->x[0], c->x[1], c->n[0]));
}
static t_TensorList *call_chain_matmul(const Call *c) {
    return list_of(t_chain_matmul(t_list_new(c->x, c->count)));
}
/* p in halves; T_NONE is infinity. */
static t_TensorList *call_cdist(const Call *c) {
    return list_of(t_cdist(c->x[0], c->x[1], c->n[0] == T_NONE ? (double)INFINITY : (double)c->n[0] / 2));
}

static t_TensorList *call_dist(const Call *c) {
    return list_of(t_dist(c->x[0], c->x[1], c->n[0] == T_NONE ? (double)INFINITY : (double)c->n[0] / 2));
}
static t_TensorList *call_block_diag(const Call *c) {
    return list_of(t_block_diag(t_list_new(c->x, c->count)));
}
static t_TensorList *call_vander(const Call *c) {
    return list_of(t_vander(c->x[0], c->n[0], c->n[1]));
}

static t_TensorList *call_bilinear(const Call *c) {
    return list_of(F_bilinear(c->x[0], c->x[1], c->x[2], c->x[3]));
}
static t_TensorList *call_one_hot(const Call *c) {
    return list_of(F_one_hot(c->x[0], c->n[0]));
}

static const OpCase mv_cases[] = {
    {"r(2,3) r(3)"}, {"r(1,1) r(1)"}, {"r(2,0) r(0)"}, {"r(0,3) r(3)"}, {"i(2,3) i(3)"}, {"R(2,3) r(3)"},
    {"r(2,3) R(3)"}, {NULL},
};
static const OpCase dot_cases[] = {{"r(4) r(4)"}, {"r(1) r(1)"}, {"r(0) r(0)"}, {"i(3) i(3)"}, {"R(3) r(3)"}, {NULL}};
static const OpCase outer_cases[] = {
    {"r(3) r(2)"}, {"r(1) r(4)"}, {"r(0) r(2)"}, {"i(2) r(2)"}, {"b(2) b(3)"}, {"f(2) d(2)"}, {"R(2) r(3)"}, {NULL},
};
static const OpCase inner_cases[] = {
    {"r(3) r(3)"}, {"r() r(2,3)"}, {"r(2,3) r(3)"}, {"r(2,1,3) r(4,3)"}, {"r(2,1,2,3) r(3)"}, {"r(2,1,2,1,3) r(2,3)"},
    {"r(2,0) r(3,0)"}, {"i(2,3) i(2,3)"}, {NULL},
};
static const OpCase kron_cases[] = {
    {"r() r()"}, {"r(3) r(2)"}, {"r(2,2) r(2,3)"}, {"r(3) r(2,2)"}, {"r(2,1,2) r(2)"}, {"r(1,2,1,2) r(2,1,2,1)"},
    {"r(2,1,2,1,1) r(1,2,1,1,2)"},
    {"r(0) r(2)"}, {"r(2) r(0)"}, {"i(2) i(2,2)"}, {"b(2) f(2)"}, {"f(2) d(2)"}, {NULL},
};
static const OpCase addmm_cases[] = {
    {"r(2,4) r(2,3) r(3,4)"}, {"r(4) r(2,3) r(3,4)", {-2, 4}}, {"r() r(2,3) r(3,4)", {4, -8}},
    {"r(2,1) r(2,3) r(3,4)"}, {"r(2,4) r(2,0) r(0,4)"},
    {"r(1) r(0,3) r(3,2)"}, {"r(0,2) r(0,3) r(3,2)"}, {"R(4) r(2,3) R(3,4)", {-4, 0}},
    {"x(2,2) r(2,3) r(3,2)", {-4, 2}}, {"i(2,2) i(2,3) i(3,2)", {4, -2}},
    {"r(4) R(2,3) R(3,4)", {1, 1}}, {NULL},
};
static const OpCase addmv_cases[] = {
    {"r(2) r(2,3) r(3)"}, {"r() r(2,3) r(3)", {4, -2}}, {"r(1) r(2,3) r(3)", {-4, 1}}, {"r(2) r(2,0) r(0)", {3, 0}},
    {"i(2) i(2,3) i(3)"},
    {"r(0) r(0,2) r(2)"}, {"R(2) R(2,3) r(3)", {0, 2}}, {NULL},
};
static const OpCase baddbmm_cases[] = {
    {"r(2,3,2) r(2,3,4) r(2,4,2)"}, {"r(3,1) r(2,3,4) r(2,4,2)", {-2, 4}}, {"r() r(1,2,2) r(1,2,3)", {4, 1}},
    {"r(2,2,2) r(2,2,0) r(2,0,2)"},
    {"r(1) r(0,2,3) r(0,3,2)"}, {"r(0,2,2) r(0,2,3) r(0,3,2)"}, {"i(1,2,2) i(1,2,3) i(1,3,2)", {4, 4}},
    {"R(2) r(2,3,4) R(2,4,2)", {-4, 0}}, {NULL},
};
static const OpCase addbmm_cases[] = {
    {"r(3,2) r(2,3,4) r(2,4,2)"}, {"r(2) r(2,3,4) r(2,4,2)", {-2, 4}}, {"r() r(2,3,4) r(2,4,2)", {4, -8}},
    {"r(3,2) r(2,3,0) r(2,0,2)"}, {"r(0,2) r(2,0,3) r(2,3,2)"}, {"R(2,2) r(1,2,2) R(1,2,2)", {-4, 0}},
    {"i(2,2) i(2,2,3) i(2,3,2)", {4, -2}}, {NULL},
};
static const OpCase addr_cases[] = {
    {"r(2,3) r(2) r(3)"}, {"r(3) r(2) r(3)", {-2, 4}}, {"r() r(2) r(3)", {4, -8}}, {"r(0,3) r(0) r(3)"},
    {"R(2,3) r(2) R(3)", {-4, 0}}, {"i(2,2) i(2) i(2)", {4, 8}}, {NULL},
};
static const OpCase addmv_inplace_cases[] = {
    {"r(2) r(2,3) r(3)"}, {"r(2) r(2,3) r(3)", {4, -2}}, {"r(0) r(0,2) r(2)"}, {"i(2) i(2,3) i(3)"}, {NULL}};
static const OpCase addbmm_inplace_cases[] = { /* with several batches PyTorch fails in the backward */
    {"r(3,2) r(1,3,4) r(1,4,2)"}, {"R(3,2) R(2,3,4) R(2,4,2)", {-2, 4}}, {"r(0,2) r(1,0,3) r(1,3,2)"}, {NULL}};
static const OpCase addr_inplace_cases[] = {
    {"r(2,3) r(2) r(3)"}, {"r(2,3) r(2) r(3)", {-2, 4}}, {"r(0,3) r(0) r(3)"}, {"i(2,2) i(2) i(2)"}, {NULL}};
static const OpCase dist_cases[] = {
    {"r() r()", {4}}, {"r(5) r(5)", {2}}, {"r(2,3) r(3)", {4}}, {"r(2,1,3) r(4,1)", {T_NONE}},
    {"r(2,2,1,2) r(2,1)", {5}},
    {"r(1,2,1,1,2) r(2,2)", {6}}, {"r(0) r(0)", {4}}, {"R(3) r(3)", {3}}, {NULL},
};
static const OpCase block_diag_cases[] = {
    {"r(2,3) r(1,2)"}, {"r(3)"}, {"r() r(2,2)"}, {"r(2,0) r(1,2)"}, {"i(2,2) r(1,1)"}, {"b(2) b()"},
    {"R(2) r(2,1) r()"}, {NULL},
};
static const OpCase vander_cases[] = {
    {"r(3)", {T_NONE}}, {"r(3)", {5}}, {"r(3)", {2, 1}}, {"r(4)", {0}}, {"r(0)", {3}}, {"r(3)", {1}}, {"i(3)", {3}},
    {"b(3)", {2, 1}}, {NULL},
};
static const OpCase addmm_inplace_cases[] = {
    {"r(2,4) r(2,3) r(3,4)"}, {"r(2,4) r(2,3) r(3,4)", {-2, 4}}, {"r(2,2) r(2,0) r(0,2)", {1, 1}},
    {"r(0,2) r(0,3) r(3,2)"}, {"R(2,4) R(2,3) R(3,4)", {-4, 1}},
    {"i(2,2) i(2,3) i(3,2)"}, {NULL},
};
static const OpCase baddbmm_inplace_cases[] = {
    {"r(2,3,2) r(2,3,4) r(2,4,2)"}, {"r(2,3,2) r(2,3,4) r(2,4,2)", {2, -8}}, {"R(1,2,2) r(1,2,3) r(1,3,2)"},
    {"r(0,2,2) r(0,2,3) r(0,3,2)"}, {NULL},
};
static const OpCase tensordot_cases[] = {
    {"r(2,3,4) r(4,3)", {2, 2, 2, 1, 0, 1}}, {"r(2,3,4) r(4,3)", {1, 1, -1, 0}}, {"r(3) r(2)", {0, 0}},
    {"r() r(2,3)", {0, 0}},
    {"r(1,3) r(4,3)", {1, 1, 0, 0}}, {"r(4,3) r(1,2)", {1, 1, 0, 0}}, {"r(2,3) r(2,3)", {2, 2, 0, 1, 0, 1}},
    {"r(2,1,2,3,2) r(3,2)", {2, 2, 3, 4, 0, 1}},
    {"r(2,0) r(0,3)", {1, 1, 1, 0}}, {"r(2,1,3,2) r(2,3)", {1, 1, 3, 0}}, {"i(2,3) i(3,2)", {1, 1, 1, 0}}, {NULL},
};
static const OpCase tensordot_of_cases[] = {
    {"r(2,3,4) r(3,4,2)", {2}}, {"r(2,3) r(3,4)", {1}}, {"r(2) r(3)", {0}}, {"r(2,3) r(2,3)", {2}},
    {"r(2,1,2,3,2) r(2,3)", {1}}, {"r() r(2)", {0}}, {"r(2,1,2,3) r(2,3)", {2}},
    {"r(2,0) r(0,3)", {1}}, {NULL},
};
static const OpCase cross_cases[] = {
    {"r(3) r(3)", {0}}, {"r(2,3) r(2,3)", {1}}, {"r(2,3) r(2,3)", {T_NONE}}, {"r(3,3) r(3,3)", {T_NONE}},
    {"r(3,3) r(1,3)", {-1}},
    {"r(2,1,3) r(1,2,3)", {2}}, {"r(2,3,1,2) r(2,3,1,2)", {1}}, {"r(2,1,2,1,3) r(2,1,2,1,3)", {-1}},
    {"r(0,3) r(0,3)", {1}}, {"i(2,3) i(2,3)", {1}},
    {NULL},
};
static const OpCase chain_matmul_cases[] = {{"r(2,3)"}, {"r(2,3) r(3,4)"}, {"r(2,3) r(3,4) r(4,2)"},
    {"r(2,0) r(0,3) r(3,2) r(2,2)"}, {NULL}};
/* separated values: at a tie the gradient has a kink */
static const OpCase cdist_cases[] = {
    {"s(2,3) s(4,3)", {4}}, {"s(2,3) s(4,3)", {2}}, {"s(2,3) s(4,3)", {T_NONE}}, {"s(2,3) s(4,3)", {6}},
    {"s(2,3) s(4,3)", {3}}, {"s(2,3) s(2,3)", {1}},
    {"s(2,1,2,3) s(3,4,3)", {4}}, {"s(2,2,3) s(2,3)", {2}}, {"s(1,2,1,2,2) s(2,2)", {4}}, {"s(0,3) s(2,3)", {4}},
    {"s(2,0) s(3,0)", {4}},
    {"s(0,2,3) s(2,3)", {2}}, {"t(3,1) t(3,1)", {4}}, {"t(3,2) t(3,2)", {2}}, {"t(3,2) t(3,2)", {T_NONE}},
    {"t(3,2) t(3,2)", {5}}, {"t(3,2) t(3,2)", {1}},
    {"S(2,3) s(2,3)", {4}}, {NULL},
};

static const OpCase bilinear_cases[] = {
    {"r(2,3) r(2,4) r(2,3,4) r(2)"}, {"r(2,3) r(2,4) r(2,3,4) -"}, {"r(2,1,3) r(2,1,2) r(2,3,2) r(2)"},
    {"r(3) r(4) r(2,3,4) -"},
    {"r(3) r(2) r(1,3,2) r(1)"}, {"r(2,1,1,3) r(2,1,1,2) r(2,3,2) r(2)"}, {"r(2,1,2,1,3) r(2,1,2,1,2) r(2,3,2) -"},
    {"r(0,3) r(0,2) r(2,3,2) r(2)"}, {"R(2,3) r(2,2) R(2,3,2) r(2)"}, {NULL},
};
static const OpCase one_hot_cases[] = {
    {"k4(5)", {4}}, {"k4(5)", {-1}}, {"k3(2,3)", {5}}, {"k3()", {3}}, {"k3(2,1,2)", {3}}, {"k3(1,2,1,2)", {-1}},
    {"k2(2,1,2,1,2)", {2}}, {"k3(0)", {4}}, {NULL},
};

#define RANGE2 "Dimension out of range (expected to be in range of [-2, 1], but got 2)"
static const OpError mv_errors[] = {
    {"r(3,4) r(3)", {0}, "size mismatch, got input (3), mat (3x4), vec (3)"},
    {"r(4) r(4)", {0}, "vector + matrix @ vector expected, got 1, 1, 1"},
    {"r(3,4) r(3,4)", {0}, "vector + matrix @ vector expected, got 1, 2, 2"},
    {"f(3,4) d(4)", {0}, "addmv input tensors must have the same dtype, but got Double, Float, and Double"},
    {"b(2,2) b(2)", {0}, "\"addmv_impl_cpu\" not implemented for 'Bool'"},
    {NULL},
};
static const OpError dot_errors[] = {
    {"r(4) r(3)", {0}, "inconsistent tensor size, expected tensor [4] and src [3] to have the same number of elements, "
                       "but got 4 and 3 elements respectively"},
    {"r(3,4) r(4)", {0}, "1D tensors expected, but got 2D and 1D tensors"},
    {"f(4) d(3)", {0}, "dot : expected both vectors to have same dtype, but found Float and Double"},
    {"b(2) b(2)", {0}, "\"dot\" not implemented for 'Bool'"},
    {NULL},
};
static const OpError outer_errors[] = {
    {"r(3,4) r(4)", {0}, "outer: Expected 1-D argument self, but got 2-D"},
    {"r(4) r(3,4)", {0}, "outer: Expected 1-D argument vec2, but got 2-D"}, {NULL},
};
static const OpError ger_errors[] = {{"r(3,4) r(4)", {0}, "outer: Expected 1-D argument self, but got 2-D"}, {NULL}};
static const OpError inner_errors[] = {
    {"r(2,3,4) r(2,3)", {0},
        "inner() the last dimension must match on both input tensors but got shapes [2, 3, 4] and [2, 3]"},
    {"f(4) d(4)", {0}, "both inputs should have same dtype"},
    {NULL},
};
static const OpError addmm_errors[] = {
    {"r(3) r(2,3) r(3,4)", {0},
        "The expanded size of the tensor (4) must match the existing size (3) at non-singleton dimension 1.  Target "
                                "sizes: [2, 4].  Tensor sizes: [3]"},
    {"r(4) r(2,2) r(3,4)", {0}, "addmm: mat1 and mat2 shapes cannot be multiplied (2x2 and 3x4)"},
    {"r(4) r(3) r(3,4)", {0}, "addmm: self must be a matrix, got 1-D tensor"},
    {"r(4) r(2,3) r(3)", {0}, "addmm: mat2 must be a matrix, got 1-D tensor"},
    {"d(4) f(2,3) f(3,4)", {0}, "self and mat2 must have the same dtype, but got Double and Float"},
    {"f(4) d(2,3) f(2,4)", {0}, "mat1 and mat2 must have the same dtype, but got Double and Float"},
    {"b(2) b(2,2) b(2,2)", {0}, "\"addmm_impl_cpu_\" not implemented for 'Bool'"},
    {NULL},
};
static const OpError addmv_errors[] = {
    {"r(2) r(3,4) r(4)", {0}, "size mismatch, got input (2), mat (3x4), vec (4)"},
    {"r(3) r(3,4) r(3)", {0}, "size mismatch, got input (3), mat (3x4), vec (3)"},
    {"r(3) r(4) r(4)", {0}, "vector + matrix @ vector expected, got 1, 1, 1"},
    {"r(2,3) r(3,4) r(4)", {0}, "vector + matrix @ vector expected, got 2, 2, 1"},
    {"f(3) f(3,4) d(4)", {0}, "addmv input tensors must have the same dtype, but got Float, Float, and Double"},
    {NULL},
};
static const OpError baddbmm_errors[] = {
    {"r(3) r(2,3,4) r(2,4,2)", {0},
        "The expanded size of the tensor (2) must match the existing size (3) at non-singleton dimension 2.  Target "
                                    "sizes: [2, 3, 2].  Tensor sizes: [3]"},
    {"r(1) r(2,3,4) r(2,3,2)", {0},
        "Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [2, 3]."},
    {"r(1) r(3,4) r(2,3,2)", {0}, "batch1 must be a 3D tensor"},
    {"d(1) f(2,3,4) f(2,4,2)", {0}, "Input dtypes must be the same, got: input double, batch1: float, batch2: float"},
    {"f(1) f(2,3,4) d(2,4,2)", {0}, "expected scalar type Float but found Double"},
    {"b(1,1,1) b(1,1,1) b(1,1,1)", {0}, "\"baddbmm\" not implemented for 'Bool'"},
    {NULL},
};
static const OpError addmm_inplace_errors[] = {
    {"r(4) r(2,3) r(3,4)", {0}, "Bad in-place call: input tensor size [4] and output tensor size [2, 4] should match"},
    {NULL},
};
static const OpError baddbmm_inplace_errors[] = {
    {"r(3,2) r(2,3,4) r(2,4,2)", {0},
        "Bad in-place call: input tensor size [3, 2] and output tensor size [2, 3, 2] should match"}, {NULL},
};
static const OpError tensordot_errors[] = {
    {"r(2,3,4) r(3,3)", {1, 1, -1, 0},
        "contracted dimensions need to match, but first has size 4 in dim -1 and second has size 3 in dim 0"},
    {"r(2,3,4) r(4,3)", {1, 2, 2, 0, 1}, "both dimension lists should have same length"},
    {"r(2,3) r(2,2)", {2, 2, 0, 0, 0, 1}, "dim 0 appears multiple times in the list of dims"},
    {"r(2,3) r(4,3)", {1, 1, 2, 0}, RANGE2},
    {"f(2,4) d(4,3)", {1, 1, 1, 0}, "both inputs should have same dtype"},
    {NULL},
};
static const OpError tensordot_of_errors[] = {
    {"r(2,3) r(4,3)", {3}, "tensordot expects dims < ndim_a or ndim_b, but got dims=3"},
    {"r(2,3) r(4,3)", {-1}, "tensordot expects dims >= 0, but got dims=-1"},
    {"r(2,4) r(3,3)", {1},
        "contracted dimensions need to match, but first has size 4 in dim -1 and second has size 3 in dim 0"},
    {NULL},
};
static const OpError cross_errors[] = {
    {"r(2,2) r(2,2)", {1}, "linalg.cross: inputs dimension 1 must have length 3. Got 2 and 2"},
    {"r(2,2) r(2,2)", {T_NONE}, "no dimension of size 3 in input"},
    {"r(2,3) r(3)", {1}, "linalg.cross: inputs must have the same number of dimensions."},
    {"r(2,3) r(4,3)", {1}, "The size of tensor a (2) must match the size of tensor b (4) at non-singleton dimension 0"},
    {"r(2,3) r(2,3)", {2}, RANGE2},
    {"f(2,3) d(2,3)", {1}, "expected scalar type Float but found Double"},
    {"b(3) b(3)", {0}, "\"cross\" not implemented for 'Bool'"},
    {NULL},
};
static const OpError chain_matmul_errors[] = {
    {"", {0}, "chain_matmul(): Expected one or more matrices"},
    {"r(2,3) r(4,4)", {0}, "multi_dot(): tensors 0 and 1 with shapes [2, 3] and [4, 4] cannot be multiplied"},
    {"r(3) r(3,4)", {0}, "Tensor dimension is 1, expected 2 instead."},
    {NULL},
};
static const OpError cdist_errors[] = {
    {"r(2,3) r(4,2)", {4}, "X1 and X2 must have the same number of columns. X1: 3 X2: 2"},
    {"r(3) r(4,3)", {4}, "cdist only supports at least 2D tensors, X1 got: 1D"},
    {"r(2,3) r(3)", {4}, "cdist only supports at least 2D tensors, X2 got: 1D"},
    {"r(2,3) r(2,3)", {-2}, "cdist only supports non-negative p values"},
    {"i(2,2) i(2,2)", {4}, "cdist only supports floating-point dtypes, X1 got: Long"},
    {"f(2,3) d(2,3)", {4}, "expected scalar type Float but found Double"},
    {"r(2,2,3) r(3,2,3)", {4},
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"},
    {NULL},
};
static const OpError addbmm_errors[] = {
    {"r(2,2) r(2,2,3) r(3,3,2)", {0}, "batch1 and batch2 must have same number of batches, got 2 and 3"},
    {"r(2,2) r(2,2,3) r(2,2,2)", {0}, "Incompatible matrix sizes for bmm (2x3 and 2x2)"},
    {"r(3,3) r(2,2,3) r(2,3,2)", {0}, "The expanded size of the tensor (2) must match the existing size (3) at "
                                      "non-singleton dimension 1.  Target sizes: [2, 2].  Tensor sizes: [3, 3]"},
    {NULL},
};
static const OpError addbmm_inplace_errors[] = {
    {"r(2,2) r(2,2,3) r(3,3,2)", {0}, "batch1 and batch2 must have same number of batches, got 2 and 3"}, {NULL}};
static const OpError addr_errors[] = {
    {"r(2,3) r(2,2) r(3)", {0}, "addr: Expected 1-D argument vec1, but got 2-D"},
    {"r(2,3) r(2) r(3,1)", {0}, "addr: Expected 1-D argument vec2, but got 2-D"},
    {"r(3,3) r(2) r(3)", {0}, "The expanded size of the tensor (2) must match the existing size (3) at non-singleton "
                              "dimension 0.  Target sizes: [2, 3].  Tensor sizes: [3, 3]"},
    {"i(2,2) i(2) i(2)", {-2}, "For integral input tensors, argument beta must not be a floating point number."},
    {"i(2,2) i(2) i(2)", {4, 2}, "For integral input tensors, argument alpha must not be a floating point number."},
    {NULL},
};
static const OpError addr_inplace_errors[] = {
    {"r(2,3) r(2,2) r(3)", {0}, "addr: Expected 1-D argument vec1, but got 2-D"}, {NULL}};
static const OpError dist_errors[] = {MISFITS("r"), {NULL}};
static const OpError block_diag_errors[] = {
    {"r(2,2) r(1,2,2)", {0}, "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input 1 has 3 "
                             "dimensions"},
    {NULL},
};
static const OpError vander_errors[] = {
    {"r(2,2)", {2}, "x must be a one-dimensional tensor."}, {"r(2)", {-1}, "N must be non-negative."}, {NULL}};
static const OpError bilinear_errors[] = {
    {"r(2,3) r(3,4) r(5,3,4) -", {0}, "bilinear(): input batch dimensions do not match at dim 0: got 2 and 3"},
    {"r(2,3) r(4) r(5,3,4) -", {0}, "bilinear(): input dimensions do not match: got 2 and 1"},
    {"r(2,2) r(2,4) r(5,3,4) -", {0}, "bilinear(): input1 size does not match weight size: got 2 but expected 3"},
    {"r(2,3) r(2,3) r(5,3,4) -", {0}, "bilinear(): input2 size does not match weight size: got 3 but expected 4"},
    {"r(2,3) r(2,4) r(5,3,4) r(4)", {0}, "bilinear(): bias size does not match weight size: got 4 but expected 5"},
    {NULL},
};
static const OpError one_hot_errors[] = {
    {"k4(20)", {2}, "Class values must be smaller than num_classes."},
    {"i(20)", {-1}, "Class values must be non-negative."},
    {"i(0)", {-1}, "Can not infer total number of classes from empty tensor."},
    {"r(3)", {-1}, "one_hot is only applicable to index tensor of type LongTensor."},
    {"k1(2)", {-2}, "Class values must be smaller than num_classes."},
    {NULL},
};
static const OpError none[] = {{NULL}};

static const OpRow rows[] = {
    {"t_mv", call_mv, mv_cases, mv_errors, SUMS, .ranks = "2z: a matrix"},
    {"t_dot", call_dot, dot_cases, dot_errors, SUMS, .ranks = "1z: vectors"},
    {"t_outer", call_outer, outer_cases, outer_errors, .ranks = "1z: vectors"},
    {"t_ger", call_ger, outer_cases, ger_errors, .ranks = "1z: vectors"},
    {"t_inner", call_inner, inner_cases, inner_errors, SUMS},
    {"t_kron", call_kron, kron_cases, none, OWN_GRAD_FN},
    {"t_addmm", call_addmm, addmm_cases, addmm_errors, SUMS, .ranks = "012z: it must broadcast to a matrix"},
    {"t_addmv", call_addmv, addmv_cases, addmv_errors, SUMS, .ranks = "01z: it must broadcast to a vector"},
    {"t_baddbmm", call_baddbmm, baddbmm_cases, baddbmm_errors, SUMS,
        .ranks = "0123z: it must broadcast to a batch of matrices"},
    {"t_addmm_", call_addmm_, addmm_inplace_cases, addmm_inplace_errors, SUMS | INPLACE,
        .ranks = "2z: the result's own shape"},
    {"t_baddbmm_", call_baddbmm_, baddbmm_inplace_cases, baddbmm_inplace_errors, SUMS | INPLACE,
        .ranks = "3z: the result's own shape"},
    {"t_addbmm", call_addbmm, addbmm_cases, addbmm_errors, SUMS | OWN_GRAD_FN,
        .ranks = "012z: it must broadcast to a matrix"},
    {"t_addr", call_addr, addr_cases, addr_errors, OWN_GRAD_FN, .ranks = "012z: it must broadcast to a matrix"},
    {"t_addmv_", call_addmv_, addmv_inplace_cases, addmv_errors, SUMS | INPLACE, .ranks = "1z: the result's own shape"},
    {"t_addbmm_", call_addbmm_, addbmm_inplace_cases, addbmm_inplace_errors, SUMS | INPLACE | OWN_GRAD_FN,
        .ranks = "2z: the result's own shape"},
    {"t_addr_", call_addr_, addr_inplace_cases, addr_inplace_errors, INPLACE | OWN_GRAD_FN,
        .ranks = "2z: the result's own shape"},
    {"t_dist", call_dist, dist_cases, dist_errors, SUMS | OWN_GRAD_FN},
    {"t_block_diag", call_block_diag, block_diag_cases, block_diag_errors, OWN_GRAD_FN,
        .ranks = "012z: matrices at most"},
    {"t_vander", call_vander, vander_cases, vander_errors, SUMS, .ranks = "1z: a vector"},
    {"t_tensordot", call_tensordot, tensordot_cases, tensordot_errors, SUMS},
    {"t_tensordot_of_", call_tensordot_of_, tensordot_of_cases, tensordot_of_errors, SUMS},
    {"t_cross", call_cross, cross_cases, cross_errors, .ranks = "12345z: it needs a dim of 3"},
    {"t_chain_matmul", call_chain_matmul, chain_matmul_cases, chain_matmul_errors, SUMS | OWN_GRAD_FN,
        .ranks = "2z: matrices"},
    {"t_cdist", call_cdist, cdist_cases, cdist_errors, SUMS, .ranks = "2345z: matrices of rows"},
    {"F_bilinear", call_bilinear, bilinear_cases, bilinear_errors, SUMS | OWN_GRAD_FN, "123?",
        .ranks = "12345z: the last dim is the features"},
    {"F_one_hot", call_one_hot, one_hot_cases, one_hot_errors, NO_GRADIENT},
};
TABLE(algebra_table, "ops_algebra.txt", rows);
