/* tests/ops/table/op_table_functional.c: torch.nn.functional (nn/functional/functional.h). */
#include "tests/ops/table/op_table.h"

#include "nn/functional/functional.h"

static t_TensorList *call_linear(const Call *c) {
    return list_of(F_linear(c->x[0], c->x[1], c->x[2]));
}
/* Numbers: eps in thousandths, then the shape, rank first. */
static t_TensorList *call_layer_norm(const Call *c) {
    return list_of(F_layer_norm(c->x[0], c->n + 2, (int)c->n[1], c->x[1], c->x[2], (double)c->n[0] / 1000));
}
/* Numbers: p in hundredths, training. */
static t_TensorList *call_dropout(const Call *c) {
    return list_of(F_dropout(c->x[0], (double)c->n[0] / 100, c->n[1]));
}
static t_TensorList *call_embedding(const Call *c) {
    return list_of(F_embedding(c->x[0], c->x[1], c->n[0]));
}
static const OpCase linear_cases[] = {
    {"r(2,3) r(4,3) r(4)"}, {"r(2,3) r(4,3) -"}, {"r(3) r(2,3) r(2)"}, {"r(3) r(2,3) -"}, {"r(2,2,3) r(2,3) r(2)"},
    {"r(2,2,3) r(2,3) -"}, {"r(2,1,2,3) r(1,3) r(1)"}, {"r(1,2,1,2,3) r(2,3) r(2)"}, {"r(0,3) r(2,3) r(2)"},
    {"r(2,0) r(3,0) r(3)"}, {"R(2,3) r(4,3) r(4)"}, {"r(2,3) R(4,3) r(4)"}, {"r(2,3) r(4,3) R(4)"}, {"r(2,3) r(3) -"},
    {"r(7,5) r(9,5) r(9)"}, {NULL},
};
static const OpCase layer_norm_cases[] = {
    {"r(3,5) r(5) r(5)", {1, 1, 5}}, {"r(3,5) - -", {1, 1, 5}}, {"r(3,5) r(5) -", {1, 1, 5}},
    {"r(3,5) - r(5)", {1, 1, 5}}, {"r(4) r(4) r(4)", {1, 1, 4}}, {"r(2,3,4) r(3,4) r(3,4)", {10, 2, 3, 4}},
    {"r(2,1,3,4) r(4) r(4)", {1, 1, 4}}, {"r(2,1,2,3,2) r(3,2) r(3,2)", {1, 2, 3, 2}},
    {"r(0,3) r(3) r(3)", {1, 1, 3}}, {"R(3,4) r(4) r(4)", {1, 1, 4}}, {"r(2,11) R(11) R(11)", {1, 1, 11}}, {NULL},
};
static const OpCase dropout_cases[] = {
    {"r(20)", {50, 1}}, {"r(3,4)", {10, 1}}, {"r(2,3,4)", {90, 1}}, {"r(5)", {50, 0}}, {"r(5)", {0, 1}},
    {"r(5)", {100, 1}}, {"r()", {30, 1}}, {"r(0)", {30, 1}}, {"R(6)", {30, 1}}, {"r(2,1,2,3,2)", {30, 1}},
    {"r(2,2,2,2)", {30, 1}}, {NULL},
};
static const OpCase embedding_cases[] = {
    {"k5(3) r(5,4)", {T_NONE}}, {"k5() r(5,4)", {T_NONE}}, {"k5(2,3) r(5,2)", {T_NONE}}, {"k3(2,4) t(3,2)", {1}},
    {"k3(9) t(3,2)", {-1}}, {"k5(0) r(5,4)", {T_NONE}}, {"k4(2,1,2,3) r(4,3)", {T_NONE}},
    {"k2(2,1,2,1,2) t(2,2)", {0}}, {"k5(3) R(5,4)", {T_NONE}}, {"k5(3) i(5,2)", {T_NONE}},
    {"k5(2,1,3) r(5,2)", {T_NONE}}, {NULL},
};
static const OpError linear_errors[] = {
    {"r(2,3) r(4,5) -", {0}, "mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 5x4)"},
    {"r(2,2,3) r(4,5) -", {0}, "mm: mat1 and mat2 shapes cannot be multiplied (4x3 and 5x4)"},
    {"r(2,3) r(4,5) r(4)", {0}, "addmm: mat1 and mat2 shapes cannot be multiplied (2x3 and 5x4)"},
    {"r(2,2,3) r(4,5) r(4)", {0}, "addmm: mat1 and mat2 shapes cannot be multiplied (4x3 and 5x4)"},
    {"r(3) r(4,5) r(4)", {0}, "addmm: mat1 and mat2 shapes cannot be multiplied (1x3 and 5x4)"},
    {"r(2,3) r(4,3) r(5)", {0},
        "The expanded size of the tensor (4) must match the existing size (5) at non-singleton dimension 1.  "
                                "Target sizes: [2, 4].  Tensor sizes: [5]"},
    {"r(2,2,3) r(4,3) r(3,4)", {0},
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1"},
    {"r(3) r(4,3) r(2,4)", {0}, "output with shape [4] doesn't match the broadcast shape [2, 4]"},
    {"r(2,3) r(3) r(4)", {0}, "addmm: mat2 must be a matrix, got 1-D tensor"},
    {"r(2,3) r(4,3,3) r(4)", {0}, "t() expects a tensor with <= 2 dimensions, but self is 3D"},
    {"d(2,3) f(4,3) -", {0}, "expected m1 and m2 to have the same dtype, but got: double != float"},
    {"d(2,3) f(4,3) f(4)", {0}, "mat1 and mat2 must have the same dtype, but got Double and Float"},
    {"d(2,2,3) f(4,5) f(4)", {0}, "mat1 and mat2 must have the same dtype, but got Double and Float"},
    {"f(2,3) f(4,3) d(4)", {0}, "self and mat2 must have the same dtype, but got Double and Float"},
    {"f(3) d(4,3) f(4)", {0}, "self and mat2 must have the same dtype, but got Float and Double"},
    {"b(2,3) b(4,3) b(4)", {0}, "\"addmm_impl_cpu_\" not implemented for 'Bool'"},
    {"r() r(4,5) -", {0}, "both arguments to linear need to be at least 1D, but they are 0D and 2D"},
    {NULL},
};
static const OpError layer_norm_errors[] = {
    {"r(3,5) - -", {1, 1, 4}, "Given normalized_shape=[4], expected input with shape [*, 4], but got input of "
                              "size[3, 5]"},
    {"r(3,5) r(4) -", {1, 1, 5}, "Expected weight to be of same shape as normalized_shape, but got weight of shape "
                                 "[4] and normalized_shape = [5]"},
    {"r(3,5) - r(1)", {1, 1, 5}, "Expected bias to be of same shape as normalized_shape, but got bias of shape [1] "
                                 "and normalized_shape = [5]"},
    {"i(3,5) - -", {1, 1, 5}, "\"LayerNormKernelImpl\" not implemented for 'Long'"},
    {"r(3,5) - -", {1, 0}, "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
                           "element, but got normalized_shape = []"},
    {NULL},
};
static const OpError dropout_errors[] = {
    {"r(3)", {150, 1}, "dropout probability has to be between 0 and 1, but got 1.5"},
    {"r(3)", {-1, 1}, "dropout probability has to be between 0 and 1, but got -0.01"},
    {"i(3)", {50, 1}, "result type Float can't be cast to the desired output type Long"},
    {NULL},
};
static const OpError embedding_errors[] = {
    {"R(3) r(5,4)", {T_NONE}, "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
                              "Long, Int; but got torch.FloatTensor instead (while checking arguments for "
                              "embedding)"},
    {"k2(3) r(5)", {T_NONE}, "'weight' must be 2-D"},
    {"k2(3) r(5,4)", {5}, "Padding_idx must be within num_embeddings"},
    {"k9(9) r(3,2)", {T_NONE}, "index out of range in self. Hint: the id is 7, the weight has 3 rows"},
    {NULL},
};
static const OpRow rows[] = {
    {"F_linear", call_linear, linear_cases, linear_errors, SUMS, "12?", .ranks = "12345z: a dim of features"},
    {"F_layer_norm", call_layer_norm, layer_norm_cases, layer_norm_errors, SUMS, "1??",
        .ranks = "12345z: a dim of features"},
    {"F_dropout", call_dropout, dropout_cases, dropout_errors, RANDOM | MAYBE_VIEW},
    {"F_embedding", call_embedding, embedding_cases, embedding_errors},
};
TABLE(functional_table, "ops_functional.txt", rows);
