/* tests/ops/test_call_forms.c: the forms that the macros of creation, random, shape and product ops take, compared with
 * what PyTorch prints for the same line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nn/nn.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

static bool same(Tensor *a, Tensor *b) {
    return (t_dtype)(a) == (t_dtype)(b) && (t_equal)(a, b);
}

/* ---- numbers in a row ---- */

START_TEST(arange_takes_keywords) {
    double end = 1;
    expect_printed(t_arange(3), "tensor([0, 1, 2])");
    expect_printed(t_arange(3.0), "tensor([0., 1., 2.])");
    expect_printed(t_arange(1, 4), "tensor([1, 2, 3])");
    expect_printed(t_arange(0, 10, 2, .dtype = t_float32), "tensor([0., 2., 4., 6., 8.])");
    expect_printed(t_arange(5, .dtype = t_float32), "tensor([0., 1., 2., 3., 4.])");
    expect_printed(t_arange(1, 4, .dtype = t_float64), "tensor([1., 2., 3.], dtype=torch.float64)");
    expect_printed(t_arange(0, end, 0.25), "tensor([0.0000, 0.2500, 0.5000, 0.7500])");
    expect_printed(t_arange(0, 3.0), "tensor([0., 1., 2.])");
    expect_printed(t_arange(0, 1e1, 5), "tensor([0., 5.])");
    expect_printed(t_arange(4, 0, -2), "tensor([4, 2])");
    expect_printed(t_arange(2, .dtype = t_float32, .requires_grad = true), "tensor([0., 1.], requires_grad=True)");
    HOLDS(t_item_int64(t_arange(9007199254740993, 9007199254740994)) == 9007199254740993);
    HOLDS(same(t_arange(0.5, 3, 1, .dtype = t_int64), t_tensor("[0, 1, 2]")));
    expect_printed(t_linspace(0, 1, 5), "tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])");
    expect_printed(t_linspace(0, 10, .steps = 3, .dtype = t_int64), "tensor([ 0,  5, 10])");
    expect_printed(t_logspace(0, 2, 3), "tensor([  1.,  10., 100.])");
    expect_printed(t_logspace(0, 2, 3, 2), "tensor([1., 2., 4.])");
    expect_printed(t_eye(2, 3), "tensor([[1., 0., 0.],\n        [0., 1., 0.]])");
    expect_printed(t_eye(2, .dtype = t_int64), "tensor([[1, 0],\n        [0, 1]])");
    expect_printed(t_tril_indices(2, 2), "tensor([[0, 1, 1],\n        [0, 0, 1]])");
    expect_printed(t_triu_indices(2, 3, .offset = 1), "tensor([[0, 0, 1],\n        [1, 2, 2]])");
}
END_TEST

/* ---- shapes as tuples, and what a number says of the dtype ---- */

START_TEST(tuples_are_shapes) {
    int n = 2;
    expect_printed(t_full((2,), 7), "tensor([7, 7])");
    expect_printed(t_full((1, 2), 7.0), "tensor([[7., 7.]])");
    expect_printed(t_full((), (bool)true), "tensor(True)");
    expect_printed(t_full((2,), 7, .dtype = t_float64), "tensor([7., 7.], dtype=torch.float64)");
    expect_printed(t_full(((int64_t)n), 1.5, .requires_grad = true), "tensor([1.5000, 1.5000], requires_grad=True)");
    HOLDS(t_item_int64(t_full((), 9007199254740993)) == 9007199254740993);
    HOLDS(same(t_zeros((2, 3)), t_zeros(2, 3)) && same(t_ones((3,), .dtype = t_int64), t_ones(3, .dtype = t_int64)));
    HOLDS(same(t_zeros((int)n, (n) + 1), t_zeros(2, 3)));
    HOLDS(t_dim(t_zeros(())) == 0 && t_dim(t_zeros()) == 0);
    expect_printed(t_ones((), .dtype = t_float64, .requires_grad = true),
                   "tensor(1., dtype=torch.float64, requires_grad=True)");
    HOLDS(t_dim(t_randint(9, ())) == 0 && t_dim(t_randint(0, 9, (), .dtype = t_float32)) == 0 &&
          t_dim(t_view(t_ones(1), ())) == 0);
    HOLDS(same(t_zeros(((int)n, t_size(t_ones(3), 0) - 1 + 1, -1 + 2), .dtype = t_int64),
               t_zeros(2, 3, 1, .dtype = t_int64)));
}
END_TEST

START_TEST(tuples_are_lists) {
    Tensor *x = t_ones(2, 3), *y = t_zeros(2, 3), *items[] = {x, y};
    t_TensorList *list = t_list(x, y);
    HOLDS(same(t_cat((x, y), 1), t_cat(list, 1)) &&
          same(t_cat((x, t_mul(y, 2), items[1]), .dim = -1), t_cat(t_list(x, y, y), 1)));
    HOLDS(same(t_stack((*items, y)), t_stack(list)) && same(t_cat((x,), 1), x) && same(t_cat((list)), t_cat(list)));
    HOLDS(same(t_stack((x ? list : NULL), 1), t_stack(list, 1)) && same(t_hstack((x, y)), t_cat(list, 1)) &&
          same(t_vstack((x, y)), t_cat(list)));
    expect_refusal(!t_cat((x, NULL)), "argument 2 is NULL where a tensor is expected");
    t_clear_error();
}
END_TEST

static bool has_shape(Tensor *x, const char *shape) {
    const char *text = t_size_repr(x); /* "torch.Size([2, 3])" */
    return text && strncmp(text + strlen("torch.Size("), shape, strlen(shape)) == 0;
}

/* ---- arguments by position or by name ---- */

START_TEST(ops_take_their_arguments_by_name) {
    Tensor *x = t_randn(2, 3, 4), *i = t_zeros(2, 3, 4, .dtype = t_int64), *y = t_ones(2, 3, 4), *m = t_randn(3, 3);
    HOLDS(same(t_transpose(x, .dim0 = 1, .dim1 = 2), t_transpose(x, 1, 2)) &&
          same(t_swapaxes(x, 0, .axis1 = 2), t_swapaxes(x, 0, 2)));
    HOLDS(same(t_unsqueeze(x, .dim = -1), t_unsqueeze(x, -1)) &&
          same(t_narrow(x, 1, .start = 1, .length = 2), t_narrow(x, 1, 1, 2)));
    HOLDS(same(t_select(x, .dim = 1, .index = 2), t_select(x, 1, 2)) &&
          same(t_unfold(x, 2, .size = 2, .step = 1), t_unfold(x, 2, 2, 1)));
    HOLDS(same(t_gather(x, .dim = 1, .index = i), t_gather(x, 1, i)) &&
          same(t_index_select(m, 0, .index = t_arange(2)), t_at(m, ":2")));
    HOLDS(same(t_scatter_add(x, .dim = 0, .index = i, .src = y), t_scatter_add(x, 0, i, y)));
    HOLDS(same(t_scatter_reduce(x, 0, i, .src = y, .reduce = "amax"), t_scatter_reduce(x, 0, i, y, "amax")));
    HOLDS(same(t_index_add(m, .dim = 0, .index = t_arange(3), .source = m, .alpha = 2), t_mul(m, 3)));
    HOLDS(same(t_index_copy(m, 0, t_arange(3), .source = t_t(m)), t_t(m)) &&
          same(t_take_along_dim(x, i, .dim = 1), t_gather(x, 1, i)));
    HOLDS(same(t_list_get(t_chunk(x, .chunks = 2, .dim = 2), 1), t_narrow(x, 2, 2, 2)));
    HOLDS(same(t_list_get(t_split(x, .split_size_or_sections = 2, .dim = 2), 0), t_narrow(x, 2, 0, 2)));
    HOLDS(same(t_list_get(t_split(x, .dim = 2, .split_size_or_sections = t_tuple(1, 3)), 1), t_narrow(x, 2, 1, 3)));
    HOLDS(same(t_addmm(m, .mat1 = m, .mat2 = m, .alpha = 2), t_addmm(m, m, m, 1, 2)) &&
          same(t_matrix_power(m, .n = 2), t_matmul(m, m)));
    HOLDS(same(t_cdist(m, .x2 = m, .p = 1), t_cdist(m, m, 1)) &&
          same(t_cross(m, .other = t_t(m), .dim = 1), t_cross(m, t_t(m), 1)));
    HOLDS(same(t_threshold(x, .threshold = 0.5, .value = 3), t_threshold(x, 0.5, 3)) &&
          same(t_topk(x, .k = 2), t_topk(x, 2)));
}
END_TEST

START_TEST(tuples_go_behind_names) {
    Tensor *x = t_randn(2, 3, 4);
    HOLDS(same(t_sum(x, .dim = t_tuple(0, 2)), t_sum(x, (0, 2))) &&
          same(t_var(x, .dim = t_tuple(1, 2), .correction = 0), t_var(x, (1, 2), false)));
    HOLDS(same(t_norm(x, .p = 1, .dim = t_tuple(0, 1)), t_norm(x, 1, (0, 1))) &&
          same(t_amax(x, .dim = t_tuple(1)), t_amax(x, 1)));
    HOLDS(same(t_flip(x, .dims = t_tuple(0, 2)), t_flip(x, 0, 2)) &&
          same(t_tile(x, .dims = t_tuple(2, 1, 1)), t_cat((x, x))));
    HOLDS(same(t_roll(x, .shifts = 1, .dims = 0), t_roll(x, 1, 0)) &&
          same(t_roll(x, .shifts = t_tuple(1, -1), .dims = t_tuple(0, 1)), t_roll(x, (1, -1), (0, 1))));
    HOLDS(same(t_rot90(x, .dims = t_tuple(1, 2)), t_rot90(x, 1, (1, 2))) &&
          same(t_movedim(x, .source = t_tuple(0, 1), .destination = t_tuple(1, 2)), t_movedim(x, (0, 1), (1, 2))));
    HOLDS(same(t_unflatten(x, .dim = 2, .sizes = t_tuple(2, 2)), t_unflatten(x, 2, (2, 2))));
    HOLDS(same(t_as_strided(x, .size = t_tuple(2, 2), .stride = t_tuple(1, 2), .storage_offset = 1),
               t_as_strided(x, (2, 2), (1, 2), 1)));
    HOLDS(has_shape(t_zeros(.size = t_tuple(2, 5)), "[2, 5]") &&
          has_shape(t_broadcast_to(t_ones(3), .size = t_tuple(2, 3)), "[2, 3]"));
    HOLDS(same(F_layer_norm(x, .normalized_shape = t_tuple(3, 4)), F_layer_norm(x, (3, 4))) &&
          same(F_pad(x, .pad = t_tuple(1, 2), .value = 3), F_pad(x, (1, 2), "constant", 3)));
}
END_TEST

/* The repr of a module with parameters shows all of its arguments. */
#define PRINTS_AS(a, b) do {                           \
        char *want = nn_repr(b), *text = nn_repr(a);   \
        ck_assert_str_eq(text, want);                  \
        free(text);                                    \
        free(want);                                    \
    } while (0)
START_TEST(modules_take_their_arguments_by_name) {
    PRINTS_AS(nn_Linear(.in_features = 3, .out_features = 4), nn_Linear(3, 4));
    PRINTS_AS(nn_Linear(3, .out_features = 4, .bias = false), nn_Linear(3, 4, false));
    PRINTS_AS(nn_Bilinear(.in1_features = 1, .in2_features = 2, .out_features = 3), nn_Bilinear(1, 2, 3));
    PRINTS_AS(nn_Embedding(.num_embeddings = 10, .embedding_dim = 4, .padding_idx = 0), nn_Embedding(10, 4, 0));
    PRINTS_AS(nn_LayerNorm(.normalized_shape = t_tuple(2, 3), .eps = 1e-6), nn_LayerNorm((2, 3), 1e-6));
    PRINTS_AS(nn_LayerNorm(.normalized_shape = 6), nn_LayerNorm(6));
    PRINTS_AS(nn_RMSNorm(.normalized_shape = t_tuple(2, 3)), nn_RMSNorm((2, 3)));
    PRINTS_AS(nn_GroupNorm(.num_groups = 2, .num_channels = 4), nn_GroupNorm(2, 4));
    PRINTS_AS(nn_BatchNorm2d(.num_features = 4, .momentum = 0.2), nn_BatchNorm2d(4, 1e-5, 0.2));
    PRINTS_AS(nn_LSTM(.input_size = 3, .hidden_size = 4, .num_layers = 2), nn_LSTM(3, 4, 2));
    PRINTS_AS(nn_GRUCell(.input_size = 3, .hidden_size = 4), nn_GRUCell(3, 4));
    PRINTS_AS(nn_MultiheadAttention(.embed_dim = 4, .num_heads = 2), nn_MultiheadAttention(4, 2));
    PRINTS_AS(nn_TransformerEncoderLayer(.d_model = 4, .nhead = 2, .dim_feedforward = 8),
              nn_TransformerEncoderLayer(4, 2, 8));
    PRINTS_AS(nn_TransformerEncoder(.encoder_layer = nn_TransformerEncoderLayer(4, 2), .num_layers = 2),
              nn_TransformerEncoder(nn_TransformerEncoderLayer(4, 2), 2));
    PRINTS_AS(nn_MultiHeadAttention(.d_model = 4, .num_heads = 2), nn_MultiHeadAttention(4, 2));
    PRINTS_AS(nn_EncoderLayer(.d_model = 4, .num_heads = 2, .d_ff = 8), nn_EncoderLayer(4, 2, 8));
    PRINTS_AS(nn_Decoder(.num_layers = 1, .d_model = 4, .num_heads = 2, .d_ff = 8, .vocab_size = 9),
              nn_Decoder(1, 4, 2, 8, 9));
    PRINTS_AS(nn_EncoderDecoder(1, 4, 2, 8, .src_vocab = 9, .tgt_vocab = 7), nn_EncoderDecoder(1, 4, 2, 8, 9, 7));
    PRINTS_AS(nn_PixelShuffle(.upscale_factor = 2), nn_PixelShuffle(2));
    PRINTS_AS(nn_Threshold(.threshold = 0.1, .value = 20), nn_Threshold(0.1, 20));
    PRINTS_AS(nn_Unflatten(.dim = 1, .unflattened_size = t_tuple(2, 3)), nn_Unflatten(1, (2, 3)));
}
END_TEST

/* A size is an integer, a tuple instead of it, or t_tuple or braces after its name. */
START_TEST(sizes_are_numbers_or_tuples_everywhere) {
    PRINTS_AS(nn_Conv2d(1, 64, (5, 5), (1, 1), (2, 2)), nn_Conv2d(1, 64, 5, 1, 2));
    PRINTS_AS(nn_Conv2d(1, 64, (5,), 1, (2,)), nn_Conv2d(1, 64, 5, 1, 2));
    PRINTS_AS(nn_Conv2d(3, 8, .kernel_size = t_tuple(3, 5), .padding = t_tuple(1, 0)),
              nn_Conv2d(3, 8, (3, 5), 1, (1, 0)));
    PRINTS_AS(nn_Conv2d(.in_channels = 3, .out_channels = 8, .kernel_size = {3}, .stride = {2, 1}),
              nn_Conv2d(3, 8, 3, (2, 1)));
    PRINTS_AS(nn_ConvTranspose2d(8, 3, (3, 3), 2, (1, 1), (1, 0), 1, true, (1, 2)),
              nn_ConvTranspose2d(8, 3, 3, 2, 1, .output_padding = t_tuple(1, 0), .dilation = {1, 2}));
    PRINTS_AS(nn_Conv1d(3, 4, (3,), 1, (1,)), nn_Conv1d(3, 4, 3, 1, 1));
    PRINTS_AS(nn_MaxPool2d((3, 2), (2, 1), (1, 0)),
              nn_MaxPool2d(.kernel_size = {3, 2}, .stride = {2, 1}, .padding = t_tuple(1, 0)));
    PRINTS_AS(nn_AvgPool2d(2, (2, 1)), nn_AvgPool2d(2, .stride = t_tuple(2, 1)));
    PRINTS_AS(nn_AdaptiveAvgPool2d((5, T_NONE)), nn_AdaptiveAvgPool2d(.output_size = {5, T_NONE}));
    PRINTS_AS(nn_Unfold((2, 3), 1, (1, 0)), nn_Unfold(.kernel_size = {2, 3}, .padding = t_tuple(1, 0)));
    PRINTS_AS(nn_Fold((8, 6), (2, 3)), nn_Fold(.output_size = {8, 6}, .kernel_size = {2, 3}));
    PRINTS_AS(nn_ZeroPad2d((1, 1, 2, 0)), nn_ZeroPad2d(.padding = {1, 1, 2, 0}));
    PRINTS_AS(nn_ConstantPad1d((1, 2), 3.5), nn_ConstantPad1d(.padding = t_tuple(1, 2), .value = 3.5));
    PRINTS_AS(nn_Upsample((7, 5)), nn_Upsample(.size = {7, 5}));
    Tensor *x = t_randn(1, 3, 8, 8), *w = t_randn(4, 3, 3, 3), *b = t_randn(4);
    HOLDS(same(F_conv2d(x, .weight = w, .bias = b, .stride = t_tuple(2, 1)), F_conv2d(x, w, b, (2, 1))));
    HOLDS(has_shape(F_interpolate(x, (6, 9)), "[1, 3, 6, 9]") &&
          has_shape(F_interpolate(x, .scale_factor = {2, 1.5}), "[1, 3, 16, 12]"));
    HOLDS(has_shape(F_interpolate(x, .scale_factor = 2), "[1, 3, 16, 16]") &&
          has_shape(F_max_pool2d(x, 2, (2, 4)), "[1, 3, 4, 2]"));
    HOLDS(has_shape(F_unfold(x, (2, 4), .stride = (2)), "[1, 24, 12]") &&
          has_shape(F_fold(F_unfold(x, 2, .stride = 2), (8, 8), 2, .stride = 2), "[1, 3, 8, 8]"));
}
END_TEST

START_TEST(functions_of_several_tensors_take_them_by_name) {
    Tensor *x = t_randn(3, 4), *y = t_randn(3, 4), *w = t_randn(4, 4), *labels = t_tensor("[0, 1, 2]");
    HOLDS(same(F_linear(x, .weight = w, .bias = NULL), F_linear(x, w)) &&
          same(F_embedding(labels, .weight = w), F_embedding(labels, w)));
    HOLDS(same(F_cross_entropy(x, .target = labels), F_cross_entropy(x, labels)) &&
          same(F_mse_loss(x, .target = y, .reduction = "sum"), F_mse_loss(x, y, .reduction = "sum")));
    HOLDS(same(F_huber_loss(x, .target = y, .delta = 0.5), F_huber_loss(x, y, "mean", 0.5)) &&
          same(F_cosine_similarity(x, .x2 = y), F_cosine_similarity(x, y)));
    HOLDS(same(F_triplet_margin_loss(x, .positive = y, .negative = w), F_triplet_margin_loss(x, y, w)) == false);
    t_clear_error();
    HOLDS(same(F_soft_margin_loss(x, .target = y), F_soft_margin_loss(x, y)) &&
          same(F_multi_margin_loss(x, .target = labels, .p = 2), F_multi_margin_loss(x, labels, 2)));
    Tensor *image = t_randn(2, 3, 4, 5), *theta = t_randn(2, 2, 3), *grid = F_affine_grid(theta, (2, 3, 4, 5));
    HOLDS(has_shape(grid, "[2, 4, 5, 2]") &&
          same(grid, F_affine_grid(theta, .size = t_tuple(2, 3, 4, 5), .align_corners = false)));
    HOLDS(same(F_grid_sample(image, .grid = grid, .padding_mode = "border"),
               F_grid_sample(image, grid, "bilinear", "border", false)));
    Tensor *q = t_randn(1, 2, 3, 4);
    HOLDS(same(F_scaled_dot_product_attention(q, .key = q, .value = q, .is_causal = true),
               F_scaled_dot_product_attention(q, q, q, NULL, 0, true)));
    HOLDS(same(F_batch_norm(x, .running_mean = NULL, .running_var = NULL, .training = true),
               F_batch_norm(x, NULL, NULL, NULL, NULL, true)));
}
END_TEST

START_TEST(missing_arguments_are_named) {
    Tensor *x = t_ones(1, 3, 8, 8);
#define REFUSES_LINE(call, text) expect_refusal(!(call), text)
    REFUSES_LINE(nn_Linear(.out_features = 3, .bias = true), "missing the argument in_features");
    REFUSES_LINE(nn_Embedding(3, .padding_idx = 0), "missing the argument embedding_dim");
    REFUSES_LINE(nn_LSTM(2, .num_layers = 2), "missing the argument hidden_size");
    REFUSES_LINE(nn_BatchNorm1d(.eps = 1), "missing the argument num_features");
    REFUSES_LINE(nn_EncoderDecoder(1, 4, 2, 8, 9, .dropout = 0), "missing the argument tgt_vocab");
    REFUSES_LINE(nn_Conv2d(3, 4, .stride = 2), "missing the argument kernel_size");
    REFUSES_LINE(nn_Conv2d(3, .kernel_size = 3, .stride = 1), "missing the argument out_channels");
    REFUSES_LINE(nn_Conv2d(3, 4, (3, 3, 3)), "kernel_size takes one number or two, not a tuple of 3");
    REFUSES_LINE(nn_Conv2d(3, 4, 3, .padding = {1}),
                 "padding = {1} is the same as {1, 0} in C: write 1 for both, or t_tuple(1, 0)");
    REFUSES_LINE(nn_ZeroPad2d((1, 2)), "padding takes one number or 4, not a tuple of 2");
    REFUSES_LINE(nn_ZeroPad2d(), "missing the argument padding");
    REFUSES_LINE(F_max_pool2d(x, (2, 2, 2)), "kernel_size takes one number or two, not a tuple of 3");
    REFUSES_LINE(F_pad(x, 3), "Padding length must be divisible by 2");
    REFUSES_LINE(t_gather(x, .index = x, .dim = T_NONE), "missing the argument dim");
    REFUSES_LINE(t_gather(x, .dim = 0, .dim = 0), "argument 3 is NULL where a tensor is expected");
    REFUSES_LINE(t_topk(x), "missing the argument k");
    REFUSES_LINE(t_chunk(x, .dim = 0), "missing the argument chunks");
    REFUSES_LINE(t_split(x, .dim = 1), "missing the argument split_size_or_sections");
    REFUSES_LINE(F_cross_entropy(x, .reduction = "sum"), "argument 2 is NULL where a tensor is expected");
    t_clear_error();
}
END_TEST

#define FIRST_SIZE(x) (t_size(x, 0)) /* as a macro of the user's may be */

/* (n), (n - 1) and a call of a macro are values, (n,) and (n, m) are tuples, as in Python. */
START_TEST(a_value_in_parentheses_is_no_tuple) {
    const int64_t n = 3;
    Tensor *x = t_zeros(7, 3);
    HOLDS(has_shape(t_randint(5, t_size(x, 0), 4), "[4]") && has_shape(t_randint(0, t_size(x, 0), (32,)), "[32]"));
    HOLDS(has_shape(t_randint(0, FIRST_SIZE(x), (32,)), "[32]") && has_shape(t_randint(0, (n - 1), 4), "[4]"));
    HOLDS(has_shape(t_randint(5, (n, 4)), "[3, 4]") && has_shape(t_randint(5, ()), "[]"));
    HOLDS(has_shape(t_zeros((n)), "[3]") && has_shape(t_zeros((n), 2), "[3, 2]") &&
          has_shape(t_zeros((int)n, 2), "[3, 2]"));
    HOLDS(has_shape(t_zeros((n, t_size(x, 1))), "[3, 3]") && has_shape(t_zeros((t_size(x, 1),)), "[3]"));
    HOLDS(t_tensor_split(x, t_size(x, 1), 0)->len == 3 && t_tensor_split(x, (n), 0)->len == 3 &&
          t_tensor_split(x, (n, ), 0)->len == 2);
    HOLDS(t_split(x, (n), 0)->len == 3 && t_split(x, (n, 4), 0)->len == 2 && t_split(x, ((n), (4)), 0)->len == 2);
    HOLDS(has_shape(t_sum(x, (n - 2)), "[7]") && has_shape(t_sum(x, (0, t_dim(x) - 1), true), "[1, 1]"));
}
END_TEST

typedef struct Conv2d { /* of the user's own, under a name of the library's */
    nn_Module base;
} Conv2d;

START_TEST(modules_are_taken_by_their_class) {
    nn_Sequential *model = nn_Sequential(nn_Conv2d(3, 4, 3), nn_ReLU(), nn_module(Conv2d, NULL));
    HOLDS(nn_as(nn_get(model, 0), nn_Conv2d) == nn_get(model, 0) && !nn_as(nn_get(model, 1), nn_Conv2d));
    HOLDS(!nn_as(nn_get(model, 2), nn_Conv2d) && nn_as(nn_get(model, -1), Conv2d) && !t_error());
    HOLDS(has_shape(nn_get(model, 0, nn_Conv2d)->weight, "[4, 3, 3, 3]"));
    expect_refusal(!nn_get(model, 1, nn_Conv2d), "module 1 of the list is a ReLU, not a nn_Conv2d");
    expect_refusal(!nn_get(model, 3, nn_Conv2d), "index 3 is out of range");
    expect_refusal(!nn_as(t_ones(2), nn_Conv2d), "argument 1 is not a module");
}
END_TEST

START_TEST(lists_and_parameters_are_walked) {
    Tensor *x = t_view(t_arange(12.), (3, 4)), *sum = t_zeros(4);
    int64_t rows = 0, elements = 0;
    for_list (row, t_unbind(x)) {
        if (rows == 2) break;
        sum = t_add(sum, row);
        rows++;
    }
    HOLDS(rows == 2 && t_equal(sum, t_sum(t_at(x, ":2"), 0)));
    for_list (none, t_list()) HOLDS(none == sum && rows < 0);
    for_parameters (p, nn_Linear(3, 2)) {
        if (t_dim(p) == 1) continue;
        elements += t_numel(p);
    }
    HOLDS(elements == 6);
    for_list (a, t_chunk(x, 3)) for_list (b, t_chunk(a, 2, 1)) elements += t_numel(b);
    HOLDS(elements == 18);
}
END_TEST

/* print(...) of torch 2.15, with the same values. */
START_TEST(lists_are_joined) {
    Tensor *a = t_ones(1), *b = t_zeros(2), *c = t_ones(3);
    t_TensorList *list = t_list(a, b), *other = t_list(c), *both = t_list_concat(list, other);
    HOLDS(both->len == 3 && both->items[0] == a && both->items[2] == c && list->len == 2 && other->len == 1);
    HOLDS(t_list_extend(list, other) && list->len == 3 && t_list_get(list, -1) == c && other->len == 1);
    HOLDS(t_list_extend(list, list) && list->len == 6 && list->items[3] == a && list->items[5] == c);
    HOLDS(t_list_extend(list, t_list()) && list->len == 6 && t_list_concat(t_list(), t_list())->len == 0);
    for (int i = 0; i < 4; i++) t_list_extend(list, list); /* longer than any spare capacity */
    HOLDS(list->len == 96 && list->items[95] == c && list->items[93] == a);
    int64_t elements = 0;
    for_list (x, t_list_concat(t_list_concat(other, both), t_list(a))) elements += t_numel(x);
    HOLDS(elements == 3 + 6 + 1);
    t_TensorList *outlives = NULL;
    with_scope() outlives = t_keep(t_list_concat(t_list(t_ones(7)), other));
    HOLDS(t_numel(t_list_get(outlives, 0)) == 7); /* the list holds what its parts held */
    Tensor *x = t_ones(2, .requires_grad = true), *w = t_ones(2, .requires_grad = true);
    t_TensorList *gradients = t_autograd_grad(t_sum(x), t_list(x, w), .allow_unused = true);
    t_TensorList *twice = t_list_concat(gradients, gradients);
    HOLDS(twice->len == 4 && twice->items[2] && !twice->items[3]);
    expect_refusal(!t_list_extend(list, NULL), "argument 2 is NULL where a list of tensors is expected");
    expect_refusal(!t_list_concat(NULL, list), "argument 1 is NULL where a list of tensors is expected");
    t_TensorList *dead = NULL;
    with_scope() dead = t_list(t_ones(1));
    expect_refusal(!t_list_concat(list, dead), "argument 2 is not a live list of tensors");
}
END_TEST

/* a, b = [...] of Python 3.14, with its messages */
START_TEST(a_list_is_unpacked) {
    Tensor *x = t_ones(2, .requires_grad = true), *w = t_ones(2, .requires_grad = true), *a = x, *b = x;
    HOLDS(t_list_unpack(t_list(x, w), &a, &b) && a == x && b == w);
    HOLDS(t_list_unpack(t_autograd_grad(t_sum(x), t_list(x, w), .allow_unused = true), &a, &b) && a && !b);
    a = b = x;
    expect_refusal(!t_list_unpack(t_list(w), &a, &b), "not enough values to unpack (expected 2, got 1)");
    expect_refusal(!t_list_unpack(t_list(w, w, w), &a, &b), "too many values to unpack (expected 2, got 3)");
    expect_refusal(!t_list_unpack(NULL, &a, &b), "argument 1 is NULL where a list of tensors is expected");
    HOLDS(a == x && b == x);
}
END_TEST

/* requires_grad_() and requires_grad_(False), of a tensor and of a module */
START_TEST(requires_grad_has_a_default) {
    Tensor *x = t_ones(2);
    nn_Linear *fc = nn_Linear(2, 1);
    HOLDS(t_requires_grad_(x) == x && t_requires_grad(x) && nn_requires_grad_(fc) && t_requires_grad(fc->weight));
    HOLDS(!t_requires_grad(t_requires_grad_(x, false)) && nn_requires_grad_(fc, false) && !t_requires_grad(fc->bias));
    HOLDS(t_requires_grad(t_requires_grad_(x, .requires_grad = true)));
}
END_TEST

START_TEST(several_values_are_printed_in_a_line) {
    Tensor *x = t_tensor("[1.5, 2]");
    const char *name = "sigma";
    const int64_t n = 5;
    const bool truth = true;
    catch_output(STDOUT_FILENO);
    t_print("loss", x, 3, 0.1, n, truth, name, 1e20, 1.0);
    t_print("only");
    t_print(2.5f, t_size(x, 0), -0.0, 1e-5, 123456789.125, (double)INFINITY, t_grad(x));
    fflush(stdout);
    char *text = caught_output();
    ck_assert_str_eq(text, "loss tensor([1.5000, 2.0000]) 3 0.1 5 True sigma 1e+20 1.0\nonly\n"
                           "2.5 2 -0.0 1e-05 123456789.125 inf None\n");
    free(text);
}
END_TEST

/* self.weight.data.uniform_(-0.1, 0.1): the parameter itself, outside the graph */
START_TEST(data_is_the_tensor_outside_the_graph) {
    nn_Linear *fc = nn_Linear(3, 2);
    t_uniform_(t_data(fc->weight), 5, 6);
    HOLDS(t_item(t_amin(fc->weight)) >= 5 && t_requires_grad(fc->weight) && !t_requires_grad(t_data(fc->weight)));
    HOLDS(t_data_ptr(t_data(fc->weight)) == t_data_ptr(fc->weight));
    ck_assert_ptr_null(t_error());
}
END_TEST

START_TEST(norms_take_a_shape) {
    nn_LayerNorm *layer = nn_LayerNorm((2, 3), .bias = false);
    nn_RMSNorm *rms = nn_RMSNorm((2, 3), 1e-6), *one = nn_RMSNorm(3);
    HOLDS(has_shape(layer->weight, "[2, 3]") && !layer->bias && has_shape(rms->weight, "[2, 3]") &&
          has_shape(one->weight, "[3]"));
    HOLDS(has_shape(nn_LayerNorm((3,))->weight, "[3]") && has_shape(nn_LayerNorm((1 + 2))->weight, "[3]"));
}
END_TEST

/* idx[:, -block_size:], x[-n], x[+i:-1]: a sign before {} is the value's, be it a number or a tensor. */
START_TEST(placeholders_take_a_sign) {
    Tensor *x = t_view(t_arange(12), (3, 4)), *i = t_tensor(2), *which = t_tensor("[1, 2]");
    const int64_t n = 3, least = INT64_MIN;
    ck_assert(t_equal(t_at(x, ":, -{}:", n), t_at(x, ":, 1:")));
    ck_assert(t_equal(t_at(x, "-{}", n), t_at(x, "0")));
    ck_assert(t_equal(t_at(x, ":, :-{}", 1), t_at(x, ":, :3")));
    ck_assert(t_equal(t_at(x, "+{}:, - {}:", 1, 2), t_at(x, "1:, 2:")));
    ck_assert(t_equal(t_at(x, "-{}", i), t_at(x, "1")));
    ck_assert(t_equal(t_at(x, "-{}:", i), t_at(x, "1:")));
    ck_assert(t_equal(t_at(x, "-{}", which), t_at(x, "[2, 1]")));
    ck_assert(t_equal(t_at(x, "-{}:", 0), x)); /* as in Python */
    ck_assert_int_eq(t_size(t_at(x, "-{}:", least), 0), 0);
    t_set(x, ":, -{}:", 1, 7);
    ck_assert(t_equal(t_at(x, ":, 3"), t_full((3,), 7)));
    ck_assert_ptr_null(t_at(x, "-"));
    t_clear_error();
    ck_assert_ptr_null(t_at(x, "-{}", t_eq(x, 7)));
    t_clear_error();
}
END_TEST

/* One dim or a tuple, then keepdim (torch.var and its like: unbiased before it), by position as in Python. */
START_TEST(keepdim_follows_the_dims) {
    Tensor *x = t_view(t_arange(24.), (2, 3, 4));
#define KEEPS(f, ...)                                                                        \
    HOLDS(same(f(x, __VA_ARGS__ 1, true), f(x, __VA_ARGS__ 1, .keepdim = true)) &&           \
          t_dim(f(x, __VA_ARGS__ 1, true)) == 3 && t_dim(f(x, __VA_ARGS__ 1, false)) == 2 && \
          same(f(x, __VA_ARGS__(0, 1), true), f(x, __VA_ARGS__(0, 1), .keepdim = true)))
    KEEPS(t_sum, );
    KEEPS(t_mean, );
    KEEPS(t_nansum, );
    KEEPS(t_nanmean, );
    KEEPS(t_amax, );
    KEEPS(t_amin, );
    KEEPS(t_all, );
    KEEPS(t_any, );
    KEEPS(t_logsumexp, );
    KEEPS(t_norm, 2, );
    KEEPS(linalg_vector_norm, 2, );
    HOLDS(t_dim(t_var(x, 1, false, true)) == 3 && same(t_var(x, 1, false), t_var(x, 1, .unbiased = false)));
    HOLDS(t_dim(t_std(x, (0, 1), true, true)) == 3 && same(t_std(x, 0, true), t_std(x, 0)));
    HOLDS(same(t_sum(x, t_dim(x) - 1, true), t_sum(x, -1, .keepdim = true)) && same(t_sum(x, (2 - 1)), t_sum(x, 1)));
    HOLDS(t_dtype(t_sum(x, 0, true, .dtype = t_float64)) == t_float64);
}
END_TEST

START_TEST(tuples_are_dims) {
    Tensor *x = t_view(t_arange(24.), (2, 3, 4));
    HOLDS(same(t_sum(x, (0, 2)), t_sum(t_sum(x, 2), 0)) &&
          same(t_mean(x, (1, 2), .keepdim = true), t_mean(x, (1, 2), true)));
    HOLDS(same(t_norm(x, 2, (0, 1), true), t_norm(x, 2, (0, 1), .keepdim = true)) && same(t_sum(x, ()), t_sum(x)));
    HOLDS(same(t_view(t_arange(6), (3, 2)), t_view(t_arange(6), 3, 2)) &&
          same(t_reshape(t_arange(6), (-1, )), t_arange(6)));
}
END_TEST

START_TEST(like_another_tensor) {
    Tensor *x = t_tensor("[[1, 2]]");
    expect_printed(t_zeros_like(x), "tensor([[0, 0]])");
    expect_printed(t_ones_like(x, .dtype = t_float32, .requires_grad = true), "tensor([[1., 1.]], requires_grad=True)");
    expect_printed(t_full_like(x, 2.7), "tensor([[2, 2]])");
    HOLDS(t_dtype(t_empty_like(x, .dtype = t_bool)) == t_bool);
    expect_printed(t_new_zeros(x, 2), "tensor([0, 0])");
    expect_printed(t_new_ones(x, (1, 2), .dtype = t_float32), "tensor([[1., 1.]])");
    expect_printed(t_new_full(x, (2,), 7.5), "tensor([7, 7])");
    HOLDS(t_dtype(t_new_empty(x, 2)) == t_int64);
    expect_printed(t_new_tensor(x, "[1.5, 2]"), "tensor([1, 2])");
    expect_printed(t_new_tensor(t_ones(1), ((int[]){1, 2}), 2), "tensor([1., 2.])");
    expect_printed(t_to(x, t_ones(1)), "tensor([[1., 2.]])");
    expect_printed(t_type_as(x, t_tensor("[True]")), "tensor([[True, True]])");
    t_TensorList *grid = t_meshgrid(t_arange(2), t_arange(3), .indexing = "xy");
    expect_printed(grid->items[0], "tensor([[0, 1],\n        [0, 1],\n        [0, 1]])");
    HOLDS(t_size(t_meshgrid(t_arange(2), t_arange(3))->items[1], 0) == 2);
    expect_printed(F_one_hot(t_tensor("[0, 2]")), "tensor([[1, 0, 0],\n        [0, 0, 1]])");
    expect_printed(F_one_hot(t_tensor("[0]"), .num_classes = 2), "tensor([[1, 0]])");
}
END_TEST

/* ---- random numbers: the same draws by every form, and generators of one's own ---- */

#define DRAWS(one, other) (t_manual_seed(3), t__first = (one), t_manual_seed(3), same(t__first, other))

START_TEST(random_forms) {
    Tensor *t__first, *p = t_tensor("[0.2, 0.5, 0.3]"), *x = t_ones(3), *w = t_tensor("[1., 2, 3]");
    HOLDS(DRAWS(t_randint(10, (4, 2)), t_randint(0, 10, 4, 2)));
    HOLDS(DRAWS(t_randint(0, 10, (4, 2)), t_randint(0, 10, 4, 2)));
    HOLDS(DRAWS(t_randint_like(x, 9), t_randint(9, (3,), .dtype = t_float32)));
    HOLDS(DRAWS(t_randint_like(x, 2, 9, .dtype = t_int64), t_randint(2, 9, 3)));
    HOLDS(DRAWS(t_rand_like(w, .dtype = t_float64), t_rand(3, .dtype = t_float64)));
    HOLDS(DRAWS(t_randn_like(w), t_randn(3)));
    HOLDS(DRAWS(t_normal(0, 1, (3,)), t_randn(3)));
    HOLDS(DRAWS(t_normal(w, p), t_add(t_mul(t_randn(3), p), w)));
    HOLDS(DRAWS(t_normal(w, 0.5), t_add(t_normal_(t_ones(3), 0, 0.5), w)));
    HOLDS(DRAWS(t_normal(2.0, p), t_add(t_mul(t_randn(3), p), 2.0)));
    HOLDS(DRAWS(t_bernoulli(x, 0.5), t_bernoulli_(t_ones(3), 0.5)));
    HOLDS(DRAWS(t_random_(t_ones(3), 7), t_random_(t_ones(3), 0, 7)));
    HOLDS(DRAWS(t_multinomial(p, 2), t_multinomial(p, .num_samples = 2, .replacement = false)));
    HOLDS(t_is_true(t_all(t_ge(t_random_(t_ones(3)), 0))));
    HOLDS(t_is_true(t_all(t_ge(t_exponential_(t_ones(3)), 0))) && t_exponential_(x, .generator = NULL));
    HOLDS(t_cauchy_(x) && t_log_normal_(x) && t_geometric_(x, 0.5));
    t_Generator *g = t_generator_manual_seed(t_generator(), 5), *h = t_generator();
    HOLDS(t_generator_manual_seed(h, 5) == h);
    HOLDS(same(t_normal(w, p, .generator = g), t_normal(w, p, .generator = h)));
    HOLDS(same(t_multinomial(p, 9, true, .generator = g), t_multinomial(p, 9, true, .generator = h)));
    HOLDS(same(t_bernoulli(p, .generator = g), t_bernoulli(p, .generator = h)));
    HOLDS(same(t_rand_like(p, .generator = g), t_rand_like(p, .generator = h)));
}
END_TEST

/* A column of a matrix is drawn element by element; PyTorch's draws. */
START_TEST(columns_are_drawn) {
    Tensor *x = t_zeros(4, 2, .dtype = t_float64), *column = t_select(x, 1, 0), *single = t_zeros(4, 2);
    t_manual_seed(42);
    t_normal_(column, 2, 3);
    HOLDS(t_allclose(column, t_tensor("[3.0100710631515764, 2.386428215409769, 2.703387090084595, 2.6909990837438356]",
                                      .dtype = t_float64), .rtol = 1e-14, .atol = 0));
    t_manual_seed(42);
    t_uniform_(column, 2, 3);
    HOLDS(t_allclose(column, t_tensor("[2.05815448596143, 2.062910167424578, 2.123586072774409, 2.052580164361077]",
                                      .dtype = t_float64), .rtol = 1e-14, .atol = 0));
    t_manual_seed(42);
    t_uniform_(t_select(single, 1, 0), 2, 3);
    HOLDS(t_equal(t_select(single, 1, 0),
                  t_tensor("[2.8822693824768066, 2.915004014968872, 2.382863759994507, 2.959305763244629]")));
    HOLDS(t_item(t_sum(t_select(x, 1, 1))) == 0 && t_item(t_sum(t_select(single, 1, 1))) == 0);
}
END_TEST

/* x.random_(from, to), PyTorch's draws: all integers that the dtype represents, and bounds that it does not. */
START_TEST(integers_of_floating_dtypes) {
    const struct { t_DType dtype; int64_t from, to; const char *values; } rows[] = {
        {t_float16, 0, T_NONE, "[426., 923., 745., 1816.]"},
        {t_bfloat16, 0, T_NONE, "[12., 149., 201., 64.]"},
        {t_float32, -16777217, 0, "[-1975290., -1426201., -10354072., -682785.]"},
        {t_float32, -16777217, 10, "[-1976240., -1428231., -10356502., -683245.]"},
        {t_float32, -16777217, 16777217, "[14801927., 15351016., 6423145., -682785.]"},
        {t_float32, -67108870, 5, "[-1975309., -1426247., -10354128., -17460008.]"},
        {t_float16, -8198, 3, "[-8176., -7800., -2992., -4492.]"},
        {t_bfloat16, -1030, 3, "[-824., -924., -420., -201.]"},
        {t_float16, -2049, 5, "[-1849., -1950., -1445., -199.]"},
        {t_bfloat16, -257, 4, "[-197., -72., -178., -91.]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Tensor *x = t_empty(4, .dtype = rows[i].dtype);
        t_manual_seed(42);
        ck_assert_ptr_eq((t_random_)(x, rows[i].to == T_NONE ? T_NONE : rows[i].from, rows[i].to, NULL), x);
        if (!t_equal(x, t_tensor(rows[i].values, .dtype = rows[i].dtype))) note("row %d: %s", (int)i, t_str(x));
    }
    report_notes();
}
END_TEST

START_TEST(random_forms_refuse) {
    Tensor *x = t_ones(2), *one = t_number(1);
    expect_refusal(!(t_normal)(x, one, SHAPE(2), NULL), "normal: with a size, mean and std must be numbers");
    expect_refusal(!(t_normal)(one, one, NULL, -1, NULL), "normal: if mean and std are numbers, a size is required");
    expect_refusal(!t_multinomial(t_tensor("[1., inf]"), 3, true),
                   "invalid multinomial distribution (encountering probability entry = infinity or NaN)");
    expect_refusal(!(t_rand)(SHAPE(2), &(t_TensorOptions){sizeof(t_TensorOptions), .generator = (t_Generator *)x}),
                   "the generator argument is not a live generator");
}
END_TEST

/* torch.bernoulli(x, p) has no gradient in PyTorch, which says so in backward. */
START_TEST(bernoulli_of_a_number_has_no_gradient) {
    Tensor *x = t_ones(2, .requires_grad = true), *y = t_sum(t_bernoulli(x, 0.5));
    expect_refusal(!(t_backward)(y, NULL), "derivative for aten::bernoulli is not implemented");
}
END_TEST

/* ---- shapes ---- */

START_TEST(shape_forms) {
    Tensor *x = t_reshape(t_arange(6), 2, 3);
    expect_printed(t_roll(x, 1), "tensor([[5, 0, 1],\n        [2, 3, 4]])");
    expect_printed(t_roll(x, 1, 0), "tensor([[3, 4, 5],\n        [0, 1, 2]])");
    expect_printed(t_roll(x, (1, -1), (0, 1)), "tensor([[4, 5, 3],\n        [1, 2, 0]])");
    expect_printed(t_flip(x, (0, 1)), "tensor([[5, 4, 3],\n        [2, 1, 0]])");
    HOLDS(same(t_flip(x, 0, 1), t_flip(x, (0, 1))));
    expect_printed(t_rot90(x), "tensor([[2, 5],\n        [1, 4],\n        [0, 3]])");
    HOLDS(same(t_rot90(x, 2), t_flip(x, 0, 1)) && same(t_rot90(x, 1, (1, 0)), t_rot90(x, -1)) &&
          same(t_rot90(x, .k = 3), t_rot90(x, -1)));
    HOLDS(same(t_split(x, (1, 2), 1)->items[1], t_narrow(x, 1, 1, 2)) && t_split(x, 1)->len == 2);
    HOLDS(same(t_split_with_sizes(x, (1, 2), .dim = 1)->items[0], t_narrow(x, 1, 0, 1)));
    HOLDS(t_tensor_split(x, 2, 1)->len == 2 && t_tensor_split(x, (1, 2), 1)->len == 3 &&
          t_tensor_split(x, (1, ))->len == 2);
    HOLDS(t_dim(t_squeeze(t_ones(1, 2, 1), (0, 2))) == 1 && t_dim(t_squeeze(t_ones(1, 2, 1), 0)) == 2 &&
          t_dim(t_squeeze(t_ones(1, 2, 1))) == 1);
    HOLDS(t_dim(t_squeeze_dims(t_ones(1, 1, 1), 0, 1)) == 1);
    HOLDS(t_size(t_unflatten(x, 1, (3, 1)), 1) == 3 && t_size(t_movedim(t_ones(2, 3, 4), 0, 2), 0) == 3);
    HOLDS(t_size(t_movedim(t_ones(2, 3, 4), (0, 1), (1, 2)), 0) == 4);
    expect_printed(t_repeat_interleave(t_tensor("[1, 2]"), 2), "tensor([1, 1, 2, 2])");
    expect_printed(t_repeat_interleave(x, t_tensor("[0, 2]"), .dim = 0), "tensor([[3, 4, 5],\n        [3, 4, 5]])");
    expect_printed(t_unfold(t_arange(4), 0, 2, 1), "tensor([[0, 1],\n        [1, 2],\n        [2, 3]])");
    expect_printed(t_as_strided(x, (2, 2), (1, 2), 1), "tensor([[1, 3],\n        [2, 4]])");
    expect_printed(t_diag(t_tensor("[1, 2]"), 1), "tensor([[0, 1, 0],\n        [0, 0, 2],\n        [0, 0, 0]])");
    HOLDS(same(t_diag_embed(t_tensor("[1, 2]")), t_diag(t_tensor("[1, 2]"))) &&
          same(t_diagflat(t_tensor("[[1], [2]]")), t_diag(t_tensor("[1, 2]"))));
    HOLDS(same(t_tile(t_tensor("[1, 2]"), (2, )), t_tensor("[1, 2, 1, 2]")) && same(t_ravel(x), t_arange(6)) &&
          same(t_mT(x), t_t(x)));
    HOLDS(same(t_hstack(t_list(t_arange(2), t_arange(1))), t_tensor("[0, 1, 0]")) &&
          t_broadcast_tensors(x, t_ones(1))->len == 2);
    HOLDS(same(t_vstack(t_list(t_arange(2), t_arange(2))),
               t_column_stack(t_list(t_tensor("[0, 0]"), t_tensor("[1, 1]")))));
}
END_TEST

START_TEST(product_forms) {
    Tensor *a = t_tensor("[[1., 2], [3, 4]]"), *v = t_tensor("[1., 1]");
    expect_printed(t_addmm(v, a, a, .beta = 2, .alpha = 0.5),
                   "tensor([[ 5.5000,  7.0000],\n        [ 9.5000, 13.0000]])");
    expect_printed(t_addmv(v, a, v), "tensor([4., 8.])");
    expect_printed(t_tensordot(a, a), "tensor(30.)");
    HOLDS(same(t_tensordot(a, a, 1), t_mm(a, a)) && same(t_tensordot(a, a, (1,), (0,)), t_mm(a, a)));
    expect_printed(t_cdist(a, a, .p = 1), "tensor([[0., 4.],\n        [4., 0.]])");
    expect_printed(t_kron(t_eye(2), v), "tensor([[1., 1., 0., 0.],\n        [0., 0., 1., 1.]])");
    HOLDS(same(t_matrix_power(a, 3), t_chain_matmul(a, a, a)) && same(t_outer(v, v), t_ones(2, 2)));
    expect_printed(t_cross(t_tensor("[1., 0, 0]"), t_tensor("[0., 1, 0]"), .dim = 0), "tensor([0., 0., 1.])");
    Tensor *sum = t_zeros(2, 2);
    t_addmm_(sum, a, a, .beta = 0);
    HOLDS(same(sum, t_mm(a, a)));
}
END_TEST

START_TEST(bilinear_layer) {
    t_manual_seed(0);
    nn_Bilinear *layer = nn_Bilinear(2, 3, 2);
    expect_printed(t_detach(layer->bias), "tensor([-0.6755, -0.4683])");
    expect_printed(t_rand(1), "tensor([0.2939])");
    expect_printed(t_detach(nn_call(layer, t_ones(1, 2), t_ones(1, 3))), "tensor([[-1.4866, -0.1500]])");
    char *text = nn_repr(layer);
    ck_assert_str_eq(text, "Bilinear(in1_features=2, in2_features=3, out_features=2, bias=True)");
    free(text);
    HOLDS(!nn_Bilinear(2, 3, 2, .bias = false)->bias);
    expect_refusal(!nn_Bilinear_new(0, 1, 1, NULL), "in1_features must be > 0, but got (in1_features=0)");
}
END_TEST

/* ---- several operands ---- */

/* y = a + b * x + c * x ** 2, each + and * a record of its own, from left to right as in Python. */
START_TEST(sums_and_products_take_several_operands) {
    Tensor *x = t_tensor("[1., 2]", .requires_grad = true), *a = t_tensor("[10., 20]"), *b = t_tensor("[0.5, 0.25]");
    const double c = 3;
    Tensor *y = t_add(a, t_mul(b, x), t_mul(c, t_pow(x, 2)));
    expect_printed(t_detach(y), "tensor([13.5000, 32.5000])");
    ck_assert_str_eq(t_grad_fn(y), "AddBackward0");
    t_backward(t_sum(y));
    expect_printed(t_grad(x), "tensor([ 6.5000, 12.2500])");
    Tensor *large = t_tensor("[1e8]"), *small = t_tensor("[3.]");
    HOLDS(same(t_add(large, small, small), t_add(t_add(large, small), small)));
    HOLDS(!same(t_add(large, small, small), t_add(large, t_add(small, small)))); /* the order shows */
    HOLDS(same(t_add(a, 1, b, 2.5), t_add(t_add(t_add(a, 1), b), 2.5)));
    HOLDS(same(t_add(1, a, b, a, b, a, b, a, 0.5), t_add(t_add(t_mul(a, 4), t_mul(b, 3)), 1.5)));
    HOLDS(same(t_mul(2, a, b), t_mul(t_mul(2, a), b)) && same(t_mul(a, b, 2, 0.5, 3), t_mul(t_mul(a, b), 3)));
    HOLDS(same(t_add(a, b, .alpha = 2), t_add(a, t_mul(b, 2))) && same(t_add(a, 1, .alpha = 0.5), t_add(a, 0.5)));
    /* 0.1 + 0.2 + x of Python: the numbers in front are added as doubles; 2 ** 53 + 1 + x as integers */
    HOLDS(t_item(t_add(0.1, 0.2, t_zeros(1, .dtype = t_float64))) == 0.1 + 0.2);
    HOLDS(t_item_int64(t_add(9007199254740992, 1, t_tensor("0"))) == 9007199254740993);
    HOLDS(t_dtype(t_add(1, 2, t_ones(1))) == t_float32 && t_dtype(t_mul(true, 2, t_tensor("3"))) == t_int64);
}
END_TEST

START_TEST(several_operands_fail_by_their_position) {
    Tensor *a = t_ones(2);
    clear_errors();
    HOLDS(!t_add(a, a, (Tensor *)NULL) && error_count() == 1 &&
          strstr(last_error_text(), "argument 3 is NULL where a tensor is expected"));
    t_clear_error();
    HOLDS(!t_mul(a, 2, a, 1, (Tensor *)NULL) && strstr(last_error_text(), "argument 5 is NULL"));
    t_clear_error();
    HOLDS(!t_add(a, a, t_ones(3)) && strstr(last_error_text(), "must match the size of tensor b (3)"));
    HOLDS(strstr(last_error_text(), "t_add(a, a, t_ones(3))"));
    t_clear_error();
}
END_TEST

START_TEST(numbers_of_dims_and_sizes_may_be_calls) {
    Tensor *t__first, *a = t_ones(2, 3), *b = t_ones(2, 3), *z = t_ones(1, 1);
    const int64_t n = 2;
    HOLDS(same(t_tensordot(a, b, t_dim(z)), t_tensor(6.0)) && same(t_tensordot(a, b, .dims = 2), t_tensor(6.0)));
    HOLDS(same(t_tensordot(a, t_t(b), .dims = 1), t_mm(a, t_t(b))) &&
          same(t_tensordot(a, t_t(b), t_dim(z) - 1), t_mm(a, t_t(b))));
    HOLDS(DRAWS(t_normal(0.0, 1.0, n, 3), t_normal(0.0, 1.0, (n, 3))));
    HOLDS(DRAWS(t_normal(2, 0.5, t_size(a, 1)), t_normal(2, 0.5, (3,))));
    HOLDS(DRAWS(t_normal(0, 1, n, 3, .dtype = t_float64), t_normal(0, 1, (n, 3), .dtype = t_float64)));
    HOLDS(DRAWS(t_normal(0, 1, ()), t_normal(0, 1, (), .requires_grad = false)));
}
END_TEST

Suite *call_forms_suite(void);
Suite *call_forms_suite(void) {
    Suite *suite = suite_create("call_forms");
    TCase *tests = tcase_create("forms");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, arange_takes_keywords);
    tcase_add_test(tests, tuples_are_shapes);
    tcase_add_test(tests, tuples_are_lists);
    tcase_add_test(tests, a_value_in_parentheses_is_no_tuple);
    tcase_add_test(tests, ops_take_their_arguments_by_name);
    tcase_add_test(tests, tuples_go_behind_names);
    tcase_add_test(tests, modules_take_their_arguments_by_name);
    tcase_add_test(tests, sizes_are_numbers_or_tuples_everywhere);
    tcase_add_test(tests, functions_of_several_tensors_take_them_by_name);
    tcase_add_test(tests, missing_arguments_are_named);
    tcase_add_test(tests, data_is_the_tensor_outside_the_graph);
    tcase_add_test(tests, norms_take_a_shape);
    tcase_add_test(tests, several_values_are_printed_in_a_line);
    tcase_add_test(tests, modules_are_taken_by_their_class);
    tcase_add_test(tests, lists_and_parameters_are_walked);
    tcase_add_test(tests, lists_are_joined);
    tcase_add_test(tests, a_list_is_unpacked);
    tcase_add_test(tests, requires_grad_has_a_default);
    tcase_add_test(tests, placeholders_take_a_sign);
    tcase_add_test(tests, keepdim_follows_the_dims);
    tcase_add_test(tests, tuples_are_dims);
    tcase_add_test(tests, like_another_tensor);
    tcase_add_test(tests, random_forms);
    tcase_add_test(tests, columns_are_drawn);
    tcase_add_test(tests, integers_of_floating_dtypes);
    tcase_add_test(tests, random_forms_refuse);
    tcase_add_test(tests, bernoulli_of_a_number_has_no_gradient);
    tcase_add_test(tests, shape_forms);
    tcase_add_test(tests, product_forms);
    tcase_add_test(tests, bilinear_layer);
    tcase_add_test(tests, sums_and_products_take_several_operands);
    tcase_add_test(tests, several_operands_fail_by_their_position);
    tcase_add_test(tests, numbers_of_dims_and_sizes_may_be_calls);
    suite_add_tcase(suite, tests);
    return suite;
}
