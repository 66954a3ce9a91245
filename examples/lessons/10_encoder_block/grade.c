/* examples/lessons/10_encoder_block/grade.c: the parts by the library's ops and gradients, the block by its layer. */
#include "grader.h"
#include SUBMISSION

#define TAPE "t_backward* t_autograd* for_backward t_grad"
#define NORMS "F_layer_norm* nn_LayerNorm* F_group_norm* nn_GroupNorm* F_instance_norm* nn_InstanceNorm*"

static Tensor *leaf(Tensor *x) { return t_requires_grad_(t_clone(x), true); }

/* A block whose biases and norms are not at their start, so that a norm in the wrong place is seen. */
static Block *draw_block(int C, int heads) {
    Block *self = block(C, heads);
    with_no_grad() for_named (p, nn_named_parameters(self)) {
        if (t_dim(p->tensor) == 1) t_add_(p->tensor, t_mul(t_randn(t_size(p->tensor, 0)), 0.3));
    }
    return self;
}

static void check_layer_norm(void) {
    for (int i = 0; i < 3; i++) {
        int B = draw_integer(2, 3), T = draw_integer(4, 5), C = draw_integer(6, 8);
        double eps = i == 0 ? 1e-5 : draw_uniform(0.1, 0.5);
        Tensor *x = i == 1 ? draw_normal(T, C) : draw_normal(B, T, C), *weight = draw_normal(C), *bias = draw_normal(C);
        x = t_add(t_mul(x, 2), 1);
        if (i == 1) in_case("x (%d, %d), eps = %.3f", T, C, eps);
        else in_case("x (%d, %d, %d), eps = %.3g", B, T, C, eps);
        expect_close("y", layer_norm(x, weight, bias, eps), F_layer_norm(x, C, weight, bias, eps));
    }
}

static void check_layer_norm_backward(void) {
    for (int i = 0; i < 2; i++) {
        int N = draw_integer(3, 5), C = draw_integer(6, 8);
        double eps = i == 0 ? 1e-5 : draw_uniform(0.1, 0.5);
        Tensor *x = leaf(draw_normal(N, C)), *weight = leaf(draw_normal(C)), *bias = leaf(draw_normal(C));
        Tensor *dy = draw_normal(N, C);
        t_backward(F_layer_norm(x, C, weight, bias, eps), dy);
        in_case("x (%d, %d), eps = %.3g", N, C, eps);
        LayerNormGradients d = layer_norm_backward(t_detach(x), t_detach(weight), dy, eps);
        expect_close("dbias", d.dbias, t_grad(bias));
        expect_close("dweight", d.dweight, t_grad(weight));
        expect_close("dx", d.dx, t_grad(x));
    }
}

/* Some drawn values, and a grid, on which the form with tanh differs by up to 0.0005. */
static Tensor *draw_inputs(void) { return t_cat(t_list(draw_normal(draw_integer(3, 6)), t_linspace(-4, 4, 81))); }

static void check_gelu(void) {
    Tensor *x = draw_inputs();
    in_case("drawn values, then -4 to 4");
    expect_close("y", gelu(x), F_gelu(x));
}

static void check_gelu_backward(void) {
    Tensor *x = leaf(draw_inputs()), *dy = draw_normal(t_size(x, 0));
    t_backward(F_gelu(x), dy);
    in_case("drawn values, then -4 to 4");
    expect_close("dx", gelu_backward(t_detach(x), dy), t_grad(x));
}

static void check_dropout(void) {
    double p = draw_uniform(0.15, 0.4);
    int N = draw_integer(100, 120), C = draw_integer(130, 150);
    Tensor *x = t_add(t_abs(draw_normal(N, C)), 0.1), *y = dropout(x, p, true);
    in_case("x (%d, %d), p = %.2f, training", N, C, p);
    expect_true(y && t_dim(y) == 2 && t_size(y, 0) == N && t_size(y, 1) == C, "the result has another shape than x");
    Tensor *dropped = t_eq(y, 0);
    double share = t_item(t_mean(t_float(dropped)));
    expect_true(fabs(share - p) < 0.03, "a share of %.2f of the elements is 0, expected about %.2f", share, p);
    expect_close("y", y, t_where(dropped, t_zeros_like(x), t_div(x, 1 - p)));
    expect_true(!t_equal(dropped, t_eq(dropout(x, p, true), 0)), "a second call drops the same elements");
    double of_column = t_item(t_mean(t_float(t_at(dropped, ":, 0"))));
    double of_row = t_item(t_mean(t_float(t_at(dropped, "0"))));
    expect_true(of_column < 0.9 && of_column > 0 && of_row < 0.9 && of_row > 0,
                "whole rows or columns are dropped: draw for each element");
}

static void check_dropout_eval(void) {
    Tensor *x = draw_normal(draw_integer(20, 30), 7);
    in_case("p = 0.5, not training");
    expect_close("y", dropout(x, 0.5, false), x);
}

/* The sublayer is called, and once. */
static int calls;
static Tensor *counted_mlp(Block *self, Tensor *x) { return calls++, mlp(self, x); }

static void check_residual(bool norm_first) {
    int heads = draw_integer(2, 3), C = 4 * heads, T = draw_integer(3, 5);
    Block *b = draw_block(C, heads);
    Tensor *x = draw_normal(2, T, C);
    Tensor *expected = norm_first ? t_add(x, mlp(b, nn_call(b->norm1, x))) : nn_call(b->norm1, t_add(x, mlp(b, x)));
    calls = 0;
    in_case("f is an MLP, x (2, %d, %d)", T, C);
    expect_close("y", (norm_first ? pre_norm : post_norm)(b, counted_mlp, b->norm1, x), expected);
    expect_integer("the number of calls of f", calls, 1);
}
static void check_pre_norm(void) { check_residual(true); }
static void check_post_norm(void) { check_residual(false); }

/* The library's layer with the parameters of a block. */
static nn_TransformerEncoderLayer *library_layer(Block *from, int64_t C, bool norm_first) {
    nn_TransformerEncoderLayer *layer = nn_TransformerEncoderLayer(
        C, from->heads, 4 * C, .dropout = 0, .activation = "gelu", .batch_first = true, .norm_first = norm_first);
    t_TensorDict *state = t_dict();
    t_dict_set(state, "self_attn.in_proj_weight", from->qkv->weight);
    t_dict_set(state, "self_attn.in_proj_bias", from->qkv->bias);
    t_dict_set(state, "self_attn.out_proj.weight", from->out->weight);
    t_dict_set(state, "self_attn.out_proj.bias", from->out->bias);
    t_dict_set(state, "linear1.weight", from->up->weight);
    t_dict_set(state, "linear1.bias", from->up->bias);
    t_dict_set(state, "linear2.weight", from->down->weight);
    t_dict_set(state, "linear2.bias", from->down->bias);
    t_dict_set(state, "norm1.weight", from->norm1->weight);
    t_dict_set(state, "norm1.bias", from->norm1->bias);
    t_dict_set(state, "norm2.weight", from->norm2->weight);
    t_dict_set(state, "norm2.bias", from->norm2->bias);
    nn_load_state_dict(layer, state);
    return layer;
}

static void check_encoder_block(void) {
    for (int norm_first = 0; norm_first < 2; norm_first++) {
        int heads = draw_integer(2, 3), C = 4 * heads, T = draw_integer(3, 5);
        Block *b = draw_block(C, heads);
        Tensor *x = draw_normal(2, T, C);
        Tensor *expected = nn_TransformerEncoderLayer_call(library_layer(b, C, norm_first), x);
        in_case("x (2, %d, %d), norm_first = %d; expected by nn_TransformerEncoderLayer", T, C, norm_first);
        expect_close("y", encoder_block(b, x, norm_first), expected);
    }
}

static const Check checks[] = {
    {"layer_norm", 2, check_layer_norm, .forbidden = NORMS},
    {"layer_norm_backward", 4, check_layer_norm_backward, .forbidden = TAPE " " NORMS},
    {"gelu", 1, check_gelu, .forbidden = "F_gelu* nn_GELU*"},
    {"gelu_backward", 2, check_gelu_backward, .forbidden = TAPE " F_gelu* nn_GELU*"},
    {"dropout", 2, check_dropout, .forbidden = "F_dropout* nn_Dropout* F_alpha* F_feature*"},
    {"dropout_eval", 1, check_dropout_eval, .function = "dropout", .forbidden = "F_dropout* nn_Dropout* F_alpha*"},
    {"pre_norm", 2, check_pre_norm, .forbidden = "nn_Transformer*"},
    {"post_norm", 2, check_post_norm, .forbidden = "nn_Transformer*"},
    {"encoder_block", 3, check_encoder_block, .forbidden = "nn_Transformer*"},
};
GRADE("10 the encoder block", checks)
