/* tests/op_table_products.c: matrix products (core/ops/matmul.c) and softmax (softmax.c). */
#include "tests/op_table.h"

CALL2(matmul)
CALL2(mm)
CALL2(bmm)

static t_TensorList *call_softmax(const Call *c) {
    return list_of(t_softmax(c->x[0], c->n[0]));
}
static t_TensorList *call_log_softmax(const Call *c) {
    return list_of(t_log_softmax(c->x[0], c->n[0]));
}

static const OpCase matmul_cases[] = {
    {"r(4) r(4)"}, {"r(2,3) r(3)"}, {"r(3) r(3,2)"}, {"r(2,3) r(3,4)"}, {"r(2,2,3) r(3,2)"}, {"r(2,3) r(2,3,2)"},
    {"r(2,2,3) r(2,3,2)"}, {"r(2,1,2,3) r(3,3,2)"}, {"r(1,2,1,2,2) r(3,1,1,2,1)"}, {"r(3) r(2,3,2)"},
    {"r(2,2,3) r(3)"}, {"r(1,1) r(1,1)"}, {"r(2,0) r(0,3)"}, {"r(0,2) r(2,3)"}, {"r(2,3) r(3,0)"}, {"r(0) r(0)"},
    {"r(0,2,3) r(3,2)"}, {"r(2,2,0) r(0,2)"}, {"i(2,3) i(3,2)"}, {"R(2,3) r(3,2)"}, {"r(2,3) R(3,2)"},
    {"r(3,2,2) R(2,2)"}, {"r(2,1,3) r(1,3,2)"}, {NULL},
};
static const OpCase mm_cases[] = {
    {"r(2,3) r(3,4)"}, {"r(1,5) r(5,1)"}, {"r(5,1) r(1,5)"}, {"r(2,0) r(0,3)"}, {"r(0,2) r(2,3)"}, {"i(2,3) i(3,2)"},
    {"R(2,3) r(3,2)"}, {"r(2,3) R(3,2)"}, {"r(9,7) r(7,5)"}, {NULL},
};
static const OpCase bmm_cases[] = {
    {"r(2,2,3) r(2,3,4)"}, {"r(1,1,5) r(1,5,1)"}, {"r(3,5,1) r(3,1,2)"}, {"r(2,2,0) r(2,0,3)"}, {"r(0,2,3) r(0,3,2)"},
    {"i(2,2,3) i(2,3,2)"}, {"R(2,2,3) r(2,3,2)"}, {NULL},
};
static const OpCase softmax_cases[] = {
    {"r()", {0}}, {"r(7)", {0}}, {"r(3,4)", {0}}, {"r(3,4)", {-1}}, {"r(2,3,4)", {1}}, {"r(2,1,3,2)", {1}},
    {"r(2,1,2,3,2)", {-2}}, {"r(0)", {0}}, {"r(2,0,3)", {0}}, {"r(2,0,3)", {1}}, {"x(3,4)", {1}}, {"x(3,4)", {0}},
    {"R(4)", {0}}, {NULL},
};

static const OpError matmul_errors[] = {
    {"r(2,3) r(4,5)", {0}, "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"},
    {"r(2,2,3) r(4,5)", {0}, "mat1 and mat2 shapes cannot be multiplied (4x3 and 4x5)"},
    {"r(3) r(4)", {0}, "inconsistent tensor size, expected tensor [3] and src [4] to have the same number of "
                       "elements, but got 3 and 4 elements respectively"},
    {"r(2,3) r(4)", {0}, "size mismatch, got input (2), mat (2x3), vec (4)"},
    {"r(3) r(4,2)", {0}, "mat1 and mat2 shapes cannot be multiplied (1x3 and 4x2)"},
    {"r() r(2)", {0}, "both arguments to matmul need to be at least 1D, but they are 0D and 1D"},
    {"r(2,2,3) r(3,3,2)", {0}, "The size of tensor a (2) must match the size of tensor b (3) at non-singleton "
                               "dimension 0"},
    {"r(2,2,3) r(2,4,2)", {0}, "Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [2, "
                               "4]."},
    {"f(2,3) d(3,2)", {0}, "expected m1 and m2 to have the same dtype, but got: float != double"},
    {"f(3) d(3)", {0}, "dot : expected both vectors to have same dtype, but found Float and Double"},
    {"b(2,3) b(3,2)", {0}, "\"addmm_impl_cpu_\" not implemented for 'Bool'"},
    {NULL},
};
static const OpError mm_errors[] = {
    {"r(2,3) r(4,5)", {0}, "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"},
    {"r(3) r(3,2)", {0}, "mm: self must be a matrix, got 1-D tensor"},
    {"r(2,3) r(3)", {0}, "mm: mat2 must be a matrix, got 1-D tensor"},
    {"f(2,3) d(3,2)", {0}, "expected m1 and m2 to have the same dtype, but got: float != double"},
    {NULL},
};
static const OpError bmm_errors[] = {
    {"r(2,3) r(2,3,4)", {0}, "batch1 must be a 3D tensor"},
    {"r(2,2,3) r(3,4)", {0}, "batch2 must be a 3D tensor"},
    {"r(2,2,3) r(2,4,2)", {0}, "Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [2, "
                               "4]."},
    {"r(2,2,3) r(3,3,2)", {0}, "Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [3, "
                               "3]."},
    {NULL},
};
#define RANGE2 "Dimension out of range (expected to be in range of [-2, 1], but got 2)"
static const OpError softmax_errors[] = {
    {"r(2,3)", {2}, RANGE2},
    {"i(3)", {0}, "\"softmax_lastdim_kernel_impl\" not implemented for 'Long'"},
    {NULL},
};
static const OpError log_softmax_errors[] = {
    {"r(2,3)", {2}, RANGE2},
    {"i(3)", {0}, "\"log_softmax_lastdim_kernel_impl\" not implemented for 'Long'"},
    {NULL},
};

static const OpRow rows[] = {
    {"t_matmul", call_matmul, matmul_cases, matmul_errors, SUMS},
    {"t_mm", call_mm, mm_cases, mm_errors, SUMS},
    {"t_bmm", call_bmm, bmm_cases, bmm_errors, SUMS},
    {"t_softmax", call_softmax, softmax_cases, softmax_errors, SUMS},
    {"t_log_softmax", call_log_softmax, softmax_cases, log_softmax_errors, SUMS},
};
TABLE(product_table, "ops_products.txt", rows);
