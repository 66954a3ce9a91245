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
    return list_of(F_dropout(c->x[0], (double)c->n[0] / 100, c->n[1], false));
}
static t_TensorList *call_embedding(const Call *c) {
    F_EmbeddingOptions options = F_EmbeddingDefaults;
    options.padding_idx = c->n[0];
    return list_of(F_embedding(c->x[0], c->x[1], &options));
}
/* Numbers: the mode, 1 for scale_grad_by_freq (whose gradient is no derivative: its cases are in
 * test_large_vocabulary.c) + 2 for include_last_offset, padding_idx + 1 (0: none), and after a 1 the sizes of the bags
 * as digits (0: no offsets). */
static t_TensorList *call_embedding_bag(const Call *c) {
    static const char *const modes[] = {"mean", "sum", "max", "min"};
    F_EmbeddingBagOptions options = F_EmbeddingBagDefaults;
    options.mode = modes[c->n[0]];
    options.scale_grad_by_freq = c->n[1] & 1;
    options.include_last_offset = c->n[1] & 2;
    options.padding_idx = c->n[2] ? c->n[2] - 1 : T_NONE;
    options.per_sample_weights = c->count > 2 ? c->x[2] : NULL;
    int64_t starts[20] = {0}, bags = 0, scale = 1;
    while (c->n[3] / scale >= 10) scale *= 10;
    while ((scale /= 10) > 0) {
        starts[bags + 1] = starts[bags] + c->n[3] / scale % 10;
        bags++;
    }
    if (options.include_last_offset) bags++;
    int depth = t_scope_open();
    if (!depth) return NULL;
    const t_TensorOptions int64 = {.size = sizeof int64, .dtype = t_int64};
    Tensor *offsets = c->n[3] ? t_empty(&bags, 1, &int64) : NULL;
    for (int64_t b = 0; offsets && b < bags; b++) ((int64_t *)t_data_ptr(offsets))[b] = starts[b];
    t_TensorList *sums = list_of(F_embedding_bag(c->x[0], c->x[1], offsets, &options));
    t_keep_object(sums);
    t_scope_close(depth);
    return sums;
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
static const OpCase embedding_bag_cases[] = {
    {"k5(7) r(5,4) -", {0, 0, 0, 1232}}, {"k5(7) r(5,4) -", {1, 0, 0, 14003}}, {"k5(7) s(5,4) -", {2, 0, 0, 10250}},
    {"k5(3,4) r(5,2) -", {0}}, {"k5(3,4) r(5,2) -", {1, 0, 3}}, {"k3(2,5) s(3,2) -", {2, 0, 2}},
    {"k3(7) r(3,2) -", {1, 0, 1, 1223}}, {"k3(8) r(3,2) -", {0, 2, 3, 1233}},
    {"k3(8) t(3,2) -", {2, 2, 0, 1332}}, {"k4(6) r(4,3) r(6)", {1, 0, 0, 124}},
    {"k4(2,3) r(4,3) r(2,3)", {1, 0, 2}}, {"k4(2,3) r(4,3) P(2,3)", {1, 0, 4}}, {"k4(6) R(4,3) r(6)", {1, 2, 0, 142}},
    {"k5(0) r(5,4) -", {0, 0, 0, 100}}, {"k5(0) r(5,4) -", {2, 0, 0, 10}}, {"k5(0,3) r(5,4) -", {1}}, {NULL},
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
#define CHECKING " (while checking arguments for embedding_bag)"
static const OpError embedding_bag_errors[] = {
    {"R(3) r(5,4) -", {0, 0, 0, 13}, "Expected tensor for argument #1 'indices' to have one of the following scalar "
                                     "types: Long, Int; but got torch.FloatTensor instead" CHECKING},
    {"k2(3) i(5,4) -", {0, 0, 0, 13},
        "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, Float, "
        "Double; but got torch.LongTensor instead" CHECKING},
    {"k2(3) r(5) -", {0, 0, 0, 13}, "weight has to be a 2D Tensor, but got Tensor of dimension 1"},
    {"k2(3) r(5,2) -", {0}, "offsets has to be a 1D Tensor but got None"},
    {"k2() r(5,2) -", {0}, "input has to be 1D or 2D Tensor, but got Tensor of dimension 0"},
    {"k2(2,2) r(5,2) -", {0, 0, 0, 13}, "if input is 2D, then offsets has to be None, as input is treated is a "
                                        "mini-batch of fixed length sequences. However, found offsets of type <class "
                                        "'torch.Tensor'>"},
    {"k2(2,0) r(5,2) -", {0}, "step must be nonzero"},
    {"k2(3) r(5,2) -", {3, 0, 0, 13}, "mode has to be one of sum, mean or max"},
    {"k2(3) r(5,2) -", {2, 1, 0, 13}, "max mode does not support scaling the gradient by the frequency"},
    {"k2(3) r(5,2) r(3)", {0, 0, 0, 13},
        "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
        "mode='mean'). Please open a feature request on GitHub."},
    {"k2(3) r(5,2) r(2)", {1, 0, 0, 13},
        "embedding_bag: If per_sample_weights (torch.Size([2])) is not None, then it must have the same shape as the "
        "input (torch.Size([3]))"},
    {"k2(3) F(5,2) D(3)", {1, 0, 0, 13},
        "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
        "'per_sample_weights'; but type torch.FloatTensor does not equal torch.DoubleTensor" CHECKING},
    {"k2(3) r(5,2) -", {0, 0, 6, 13}, "padding_idx must be within the number of embeddings, -5 through 4, but got 5"},
    {"k2(3) r(5,2) -", {0, 0, 0, 144},
        "offsets[-1] can not be greater than input's length 3 but got offsets[-1] of 4"},
    {"k9(9) r(3,2) -", {0, 0, 0, 19},
        "embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be 3"},
    {NULL},
};
static const OpRow rows[] = {
    {"F_linear", call_linear, linear_cases, linear_errors, SUMS, "12?", .ranks = "12345z: a dim of features"},
    {"F_layer_norm", call_layer_norm, layer_norm_cases, layer_norm_errors, SUMS, "1??",
        .ranks = "12345z: a dim of features"},
    {"F_dropout", call_dropout, dropout_cases, dropout_errors, RANDOM | MAYBE_VIEW},
    {"F_embedding", call_embedding, embedding_cases, embedding_errors},
    {"F_embedding_bag", call_embedding_bag, embedding_bag_cases, embedding_bag_errors, SUMS | OWN_GRAD_FN, "12?",
        .ranks = "12z: a vector of ids with offsets, or a batch of bags"},
};
TABLE(functional_table, "ops_functional.txt", rows);
