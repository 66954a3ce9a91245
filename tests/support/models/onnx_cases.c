/* tests/support/models/onnx_cases.c: the cases of onnx_cases.h: every module of nn that a graph can have, and functions
 * of tensors. */
#include "tests/support/models/onnx_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/models/models.h"
#include "nn/onnx/onnx.h"

/* ---- functions ---- */

typedef struct Function {
    nn_Module base;
    OnnxFunction *f;
} Function;

static Tensor *function_call(Function *self, Tensor *x) {
    return self->f(x);
}

void *onnx_function(OnnxFunction *f) {
    Function *self = nn_module(Function, function_call);
    self->f = f;
    return self;
}

#define FUNCTION(name, expression) \
    static Tensor *f_##name(Tensor *x) { return expression; } \
    static void *make_##name(void) { return onnx_function(f_##name); }

FUNCTION(arithmetic, t_sub(t_div(t_mul(t_add(x, 1), x), 3), t_sub(2, x)))
FUNCTION(powers, t_add(t_pow(t_abs(x), 1.5), t_pow(2, x)))
FUNCTION(unary, t_add(t_sin(x), t_mul(t_exp(t_cos(x)), t_tanh(x))))
FUNCTION(roots, t_add(t_rsqrt(t_add(t_square(x), 1)), t_log1p(t_square(x))))
FUNCTION(rounding, t_add(t_floor(x), t_mul(t_ceil(x), t_round(t_mul(x, 3)))))
FUNCTION(expm1, t_add(t_expm1(x), t_add(t_exp2(x), t_log2(t_add(t_abs(x), 1)))))
FUNCTION(erf, t_add(t_erf(x), t_erfc(x)))
FUNCTION(alpha, t_add(x, t_ones_like(x), .alpha = 2.5))
FUNCTION(int_sum, t_add(t_sum(t_gt(x, 0), 1), 1))
FUNCTION(comparisons, t_float(t_logical_and(t_gt(x, -1), t_logical_not(t_ge(x, 1)))))
FUNCTION(equal, t_float(t_logical_or(t_eq(x, t_round(x)), t_ne(x, x))))
FUNCTION(where, t_where(t_lt(x, 0), t_mul(x, 2), t_sub(x, 1)))
FUNCTION(masked_fill, t_masked_fill(x, t_lt(x, 0), -7))
FUNCTION(clamp, t_add(t_clamp(x, -0.5, 1), t_clamp(x, .min = 0)))
FUNCTION(maximum, t_add(t_maximum(x, t_neg(x)), t_minimum(x, t_zeros_like(x))))
FUNCTION(lerp, t_lerp(x, t_neg(x), 0.25))
FUNCTION(addcmul, t_addcdiv(t_addcmul(x, x, x, .value = 0.5), x, t_add(t_abs(x), 1)))
FUNCTION(sums, t_add(t_sum(x, 1, .keepdim = true), t_mean(x)))
FUNCTION(means, t_mean(x, (0, 2)))
FUNCTION(extremes, t_add(t_amax(x, 1), t_sub(t_amin(x, -1), t_max(x))))
FUNCTION(max_dim, t_max(x, 2))
FUNCTION(argmax, t_add(t_argmax(x, 1), t_argmin(x, 1)))
FUNCTION(var, t_add(t_var(x, 1), t_std(x, 1, .correction = 0)))
FUNCTION(norms, t_add(t_norm(x, 2, 1), t_norm(x, 1, 1)))
FUNCTION(norm_p, t_norm(x, 3, 1))
FUNCTION(logsumexp, t_logsumexp(x, 1))
FUNCTION(cumsum, t_cumsum(x, 1))
FUNCTION(cumprod, t_cumprod(x, 1))
FUNCTION(cdist, t_cdist(x, t_mul(x, 0.5), 2))
FUNCTION(cdist_p, t_add(t_cdist(x, t_neg(x), 1), t_add(t_cdist(x, t_neg(x), 3), t_cdist(x, t_neg(x), INFINITY))))
FUNCTION(cdist_zero, t_cdist(t_round(x), t_neg(t_round(x)), 0))
FUNCTION(index_rows, t_at(x, ":, {}", t_tensor("[[2, 0], [-1, 1]]")))
FUNCTION(index_pairs, t_at(x, ":, {}, {}", t_tensor("[2, 0, 1]"), t_tensor("[1, -1, 0]")))
FUNCTION(index_apart, t_at(t_unsqueeze(x, 2), ":, {}, :, {}", t_tensor("[2, 0, 1]"), t_tensor("[1, -1, 0]")))
FUNCTION(index_mask, t_at(x, ":, {}", t_tensor("[True, False, True]")))
FUNCTION(index_first, t_at(x, "{}, {}", t_tensor("[1, 0]"), t_tensor("[2, 1]")))
FUNCTION(unfold, F_unfold(t_unsqueeze(x, 1), (2, 3), .padding = {1, F_BOTH}, .stride = {1, 2}))
FUNCTION(unfold_dilated, F_unfold(t_stack(t_list(x, t_neg(x)), 1), 2, .dilation = {1, 2}))
FUNCTION(gather, t_gather(x, 1, t_tensor("[[2, 0, 1], [3, 3, 0]]")))
FUNCTION(clone, t_mul(t_clone(x), 2))
FUNCTION(addmm, t_addmm(t_ones(2), x, t_view(t_arange(8.0), 4, 2), .beta = 0.5, .alpha = 2))
FUNCTION(addmm_product, t_addmm(t_ones(2), x, t_view(t_arange(8.0), 4, 2), .beta = 0))
FUNCTION(halves, t_add(t_float(t_bfloat16(x)), t_float(t_half(t_mul(x, 3)))))
FUNCTION(integers, t_float(t_to(t_to(t_to(t_to(t_mul(t_abs(x), 20), t_int32), t_int16), t_int8), t_uint8)))
FUNCTION(empty, t_add(t_flatten(x, 1), t_sum(t_flatten(t_narrow(x, 1, 0, 0), 1), 1, .keepdim = true)))
FUNCTION(copy_row, t_copy_(t_zeros_like(x), t_at(x, ":, :1")))
FUNCTION(but_last_rows, t_at(x, ":-1"))
FUNCTION(middle_row, t_select(t_cat(t_list(x, t_neg(x)), 0), 0, t_size(x, 0)))
FUNCTION(second_half, t_narrow(t_cat(t_list(x, t_neg(x)), 0), 0, t_size(x, 0), t_size(x, 0)))
FUNCTION(copy_integers, t_copy_(t_zeros_like(x), t_long(t_mul(t_at(x, ":, :1"), 10))))
FUNCTION(softmax, t_add(t_softmax(x, 1), t_log_softmax(x, -1)))
FUNCTION(view, t_view(x, -1, 12))
FUNCTION(reshape, t_reshape(t_transpose(x, 1, 2), t_size(x, 0), 2, -1))
FUNCTION(rows, t_reshape(x, -1, t_size(x, 2)))
FUNCTION(permute, t_permute(x, 2, 0, 1))
FUNCTION(squeeze, t_squeeze(t_unsqueeze(t_unsqueeze(x, 0), -1), 0))
FUNCTION(slice, t_at(x, ":, 1:3, ::2"))
FUNCTION(last, t_at(x, ":, -1"))
FUNCTION(select, t_select(x, 1, 2))
FUNCTION(narrow, t_narrow(x, 2, 1, 2))
FUNCTION(cat, t_cat(t_list(x, t_mul(x, 2), t_neg(x)), 1))
FUNCTION(stack, t_stack(t_list(x, t_mul(x, 2)), 1))
FUNCTION(expand, t_expand(t_sum(x, 1, .keepdim = true), -1, 5, -1))
FUNCTION(expand_batch, t_cat(t_list(t_expand(t_full((1, 1, 4), 0.5), t_size(x, 0), -1, -1), x), 1))
FUNCTION(repeat, t_repeat(x, 1, 2, 3))
FUNCTION(flip, t_flip(x, 1))
FUNCTION(tril, t_add(t_tril(x), t_triu(x, 1)))
FUNCTION(matmul, t_matmul(x, t_transpose(x, 1, 2)))
FUNCTION(bmm, t_bmm(x, t_transpose(x, 1, 2)))
FUNCTION(inplace, t_relu_(t_add_(t_mul(x, 2), 1)))
FUNCTION(index_select, t_index_select(x, 1, t_tensor("[2, 0]")))
FUNCTION(to, t_double(x))
FUNCTION(attention, F_scaled_dot_product_attention(x, t_mul(x, 2), x))
FUNCTION(causal, F_scaled_dot_product_attention(x, x, x, .is_causal = true))
FUNCTION(softplus, F_softplus(x, 2))
FUNCTION(threshold, F_threshold(x, 0.5, -1))
FUNCTION(glu, F_glu(x, -1))
FUNCTION(normalize, F_normalize(x, .dim = 1))
FUNCTION(pad, F_pad(x, (1, 2), .value = 3))
FUNCTION(reflect, F_pad(x, (1, 2), "reflect"))
FUNCTION(replicate, F_pad(x, (1, 0, 2, 1), "replicate"))
FUNCTION(logs, t_add(t_log10(t_add(t_abs(x), 1)), t_log1p(t_log2(t_add(t_abs(x), 1)))))
FUNCTION(truncated, t_add(t_trunc(t_mul(x, 3)), t_float(t_isfinite(t_log(x)))))
FUNCTION(least, t_add(t_min(x, 1), t_min(x)))
FUNCTION(argmax_of_all, t_add(t_argmax(x), t_argmin(x)))
FUNCTION(argmax_kept, t_add(t_argmax(x, -1, .keepdim = true), t_argmin(x, .keepdim = true)))
FUNCTION(gelu, F_gelu(x))
FUNCTION(gelu_tanh, F_gelu(x, "tanh"))
FUNCTION(range, t_add(x, t_unsqueeze(t_unsqueeze(t_arange(t_size(x, 0)), 1), 1)))
FUNCTION(twice, t_add(t_cat(t_list(x, x)), t_full((2 * t_size(x, 0), 1, 1), 0.5)))
FUNCTION(one_more, t_add(t_cat(t_list(x, t_ones(1, 3, 4))), t_full((t_size(x, 0) + 1, 1, 1), 0.5)))
FUNCTION(one_minus, t_sub(1, t_sigmoid(x)))

static Tensor *f_heads(Tensor *x) { /* (N, T, 8) as two heads, and back */
    const int64_t N = t_size(x, 0), T = t_size(x, 1);
    Tensor *y = t_transpose(t_view(x, N, T, 2, 4), 1, 2);
    y = t_softmax(t_matmul(y, t_transpose(y, -2, -1)), -1);
    return t_reshape(t_transpose(t_matmul(y, t_transpose(t_view(x, N, T, 2, 4), 1, 2)), 1, 2), N, T, 8);
}
static void *make_heads(void) {
    return onnx_function(f_heads);
}

/* ---- modules ---- */

/* The last cell state of an LSTM. */
typedef struct CellState {
    nn_Module base;
    nn_LSTM *lstm;
} CellState;
static Tensor *cell_state_call(CellState *self, Tensor *x) {
    Tensor *c_n = NULL;
    return nn_LSTM_call(self->lstm, x, .c_n = &c_n) ? c_n : NULL;
}
static void *cell_state(void) {
    CellState *self = nn_module(CellState, cell_state_call);
    nn_set(self, lstm, nn_LSTM(4, 5));
    return self;
}

/* Sizes that are made of two dynamic axes. */
static Tensor *repeated(Tensor *x, int64_t count) {
    return t_expand(t_reshape(t_sum(x), 1), count);
}
static Tensor *two_axes(Tensor *x) {
    const int64_t n = t_size(x, 0), m = t_size(x, 1);
    return t_cat(t_list(repeated(x, m + 1), t_mul(repeated(x, n + m), 2), t_mul(repeated(x, 2 * n), 3),
                        t_mul(repeated(x, n * m), 4), t_mul(repeated(x, n * n), 5), t_mul(repeated(x, 2 * m + 3), 6),
                        t_mul(repeated(x, 3 * n + 1), 7), t_mul(repeated(x, 2 * n * m), 8)),
                 0);
}

#define MODULES(X)                                                                                                    \
    X(linear, nn_Linear(3, 2), "R(4,3)", 0)                                                                           \
    X(linear_3d, nn_Linear(3, 2, .bias = false), "R(2,4,3)", 0)                                                       \
    X(linear_1d, nn_Linear(3, 2), "R(3)", -1)                                                                         \
    X(bilinear, nn_Bilinear(3, 2, 4), "R(5,3) R(5,2)", -1)                                                            \
    X(identity, nn_Identity(), "R(2,3)", 0)                                                                           \
    X(mlp, nn_Sequential(nn_Flatten(), nn_Linear(12, 5), nn_ReLU(), nn_Dropout(0.5), nn_Linear(5, 2)), "R(2,3,4)", 0) \
    X(embedding, nn_Sequential(nn_Embedding(7, 3), nn_Linear(3, 2)), "k7(2,5)", 0)                                    \
    X(conv1d, nn_Conv1d(4, 6, 3, .padding = 1), "R(2,4,7)", 0)                                                        \
    X(conv2d, nn_Conv2d(4, 6, (3, 2), 2, 1, .groups = 2), "R(2,4,7,5)", 0)                                            \
    X(conv2d_dilated, nn_Conv2d(4, 6, 3, .dilation = 2, .bias = false), "R(2,4,9,8)", 0)                              \
    X(conv2d_same, nn_Conv2d(4, 6, 4, .padding = F_SAME), "R(2,4,7,5)", 0)                                            \
    X(conv2d_circular, nn_Conv2d(3, 2, 3, .padding = 1, .padding_mode = "reflect"), "R(2,3,5,5)", 0)                  \
    X(conv2d_unbatched, nn_Conv2d(3, 2, 3), "R(3,5,5)", -1)                                                           \
    X(conv3d, nn_Conv3d(2, 4, 3, 2, 1), "R(2,2,5,6,4)", 0)                                                            \
    X(conv_transpose1d, nn_ConvTranspose1d(4, 6, 3, 2, 1, 1), "R(2,4,5)", 0)                                          \
    X(conv_transpose2d, nn_ConvTranspose2d(4, 6, 3, 2, .groups = 2), "R(2,4,4,5)", 0)                                 \
    X(conv_transpose3d, nn_ConvTranspose3d(2, 4, 3, 2, 1, 1), "R(2,2,3,4,2)", 0)                                      \
    X(batch_norm1d, nn_BatchNorm1d(5), "R(4,5)", 0)                                                                   \
    X(batch_norm2d, nn_BatchNorm2d(5, .affine = false), "R(4,5,3,2)", 0)                                              \
    X(batch_norm3d, nn_BatchNorm3d(5), "R(4,5,3,2,2)", 0)                                                             \
    X(batch_norm_batch, nn_BatchNorm2d(5, .track_running_stats = false), "R(4,5,3,2)", 0)                             \
    X(instance_norm1d, nn_InstanceNorm1d(5, .affine = true), "R(4,5,3)", 0)                                           \
    X(instance_norm2d, nn_InstanceNorm2d(5), "R(4,5,3,2)", 0)                                                         \
    X(instance_norm_running, nn_InstanceNorm2d(5, .track_running_stats = true), "R(4,5,3,2)", 0)                      \
    X(layer_norm, nn_LayerNorm((3, 6)), "R(4,3,6)", 0)                                                                \
    X(layer_norm_plain, nn_LayerNorm(6, .elementwise_affine = false), "R(4,3,6)", 0)                                  \
    X(rms_norm, nn_RMSNorm(6), "R(3,6)", 0)                                                                           \
    X(group_norm, nn_GroupNorm(2, 6), "R(3,6,4,5)", 0)                                                                \
    X(group_norm_flat, nn_GroupNorm(3, 6, .affine = false), "R(3,6)", 0)                                              \
    X(local_response_norm, nn_LocalResponseNorm(2), "R(2,5,4,3)", 0)                                                  \
    X(max_pool1d, nn_MaxPool1d(2), "R(2,3,8)", 0)                                                                     \
    X(max_pool2d, nn_MaxPool2d(3, 2, 1), "R(2,3,8,7)", 0)                                                             \
    X(max_pool2d_ceil, nn_MaxPool2d(3, 2, .ceil_mode = true), "R(2,3,8,7)", 0)                                        \
    X(max_pool3d, nn_MaxPool3d(2), "R(2,3,4,6,5)", 0)                                                                 \
    X(avg_pool1d, nn_AvgPool1d(3, 2, 1), "R(2,3,8)", 0)                                                               \
    X(avg_pool2d, nn_AvgPool2d(3, 2, 1, .count_include_pad = false), "R(2,3,8,7)", 0)                                 \
    X(avg_pool2d_ceil, nn_AvgPool2d(2, .ceil_mode = true), "R(2,3,7,5)", 0)                                           \
    X(avg_pool2d_divisor, nn_AvgPool2d(2, .divisor_override = 3), "R(2,3,6,4)", 0)                                    \
    X(avg_pool3d, nn_AvgPool3d(2), "R(2,3,4,6,5)", 0)                                                                 \
    X(adaptive_avg_pool1d, nn_AdaptiveAvgPool1d(3), "R(2,3,7)", 0)                                                    \
    X(adaptive_avg_pool2d, nn_AdaptiveAvgPool2d((3, 2)), "R(2,3,7,6)", 0)                                             \
    X(adaptive_avg_pool2d_even, nn_AdaptiveAvgPool2d(3), "R(2,3,9,6)", 0)                                             \
    X(adaptive_avg_pool2d_one, nn_AdaptiveAvgPool2d(1), "R(2,3,7,6)", 0)                                              \
    X(adaptive_avg_pool3d, nn_AdaptiveAvgPool3d(1), "R(2,3,4,3,2)", 0)                                                \
    X(adaptive_max_pool2d, nn_AdaptiveMaxPool2d(2), "R(2,3,8,6)", 0)                                                  \
    X(lp_pool2d, nn_LPPool2d(2, 2), "R(2,3,8,6)", 0)                                                                  \
    X(upsample_nearest, nn_Upsample(.scale_factor = 2), "R(2,3,4,5)", 0)                                              \
    X(upsample_nearest_exact, nn_Upsample((7, 5), .mode = "nearest-exact"), "R(2,3,4,5)", 0)                          \
    X(upsample_linear, nn_Upsample(.scale_factor = 2, .mode = "linear"), "R(2,3,5)", 0)                               \
    X(upsample_bilinear, nn_Upsample((7, 9), .mode = "bilinear"), "R(2,3,4,5)", 0)                                    \
    X(upsample_bilinear_factor, nn_Upsample(.scale_factor = 1.7, .mode = "bilinear"), "R(2,3,4,5)", 0)                \
    X(upsample_corners, nn_Upsample((7, 9), .mode = "bilinear", .align_corners = true), "R(2,3,4,5)", 0)              \
    X(upsample_bicubic, nn_Upsample(.scale_factor = 2, .mode = "bicubic"), "R(2,3,4,5)", 0)                           \
    X(upsample_trilinear, nn_Upsample(.scale_factor = 2, .mode = "trilinear"), "R(1,2,3,4,2)", -1)                    \
    X(pixel_shuffle, nn_PixelShuffle(2), "R(2,8,3,4)", 0)                                                             \
    X(pixel_unshuffle, nn_PixelUnshuffle(2), "R(2,2,6,4)", 0)                                                         \
    X(channel_shuffle, nn_ChannelShuffle(2), "R(2,6,3,4)", 0)                                                         \
    X(zero_pad, nn_ZeroPad2d(1), "R(2,3,4,5)", 0)                                                                     \
    X(reflection_pad, nn_ReflectionPad2d(2), "R(2,3,4,5)", 0)                                                         \
    X(flatten, nn_Flatten(0, 1), "R(2,3,4)", 0)                                                                       \
    X(unflatten, nn_Unflatten(1, (2, 3)), "R(4,6)", 0)                                                                \
    X(sigmoid, nn_Sigmoid(), "R(3,4)", 0)                                                                             \
    X(tanh, nn_Tanh(), "R(3,4)", 0)                                                                                   \
    X(relu6, nn_ReLU6(), "R(3,4)", 0)                                                                                 \
    X(leaky_relu, nn_LeakyReLU(0.2, .inplace = false), "R(3,4)", 0)                                                   \
    X(elu, nn_ELU(0.7), "R(3,4)", 0)                                                                                  \
    X(celu, nn_CELU(0.7), "R(3,4)", 0)                                                                                \
    X(selu, nn_SELU(), "R(3,4)", 0)                                                                                   \
    X(silu, nn_SiLU(), "R(3,4)", 0)                                                                                   \
    X(mish, nn_Mish(), "R(3,4)", 0)                                                                                   \
    X(gelu, nn_GELU(), "R(3,4)", 0)                                                                                   \
    X(gelu_tanh, nn_GELU("tanh"), "R(3,4)", 0)                                                                        \
    X(hardtanh, nn_Hardtanh(-0.5, 1), "R(3,4)", 0)                                                                    \
    X(hardswish, nn_Hardswish(), "R(3,4)", 0)                                                                         \
    X(hardsigmoid, nn_Hardsigmoid(), "R(3,4)", 0)                                                                     \
    X(hardshrink, nn_Hardshrink(), "R(3,4)", 0)                                                                       \
    X(softshrink, nn_Softshrink(), "R(3,4)", 0)                                                                       \
    X(softsign, nn_Softsign(), "R(3,4)", 0)                                                                           \
    X(softplus_module, nn_Softplus(), "R(3,4)", 0)                                                                    \
    X(tanhshrink, nn_Tanhshrink(), "R(3,4)", 0)                                                                       \
    X(log_sigmoid, nn_LogSigmoid(), "R(3,4)", 0)                                                                      \
    X(prelu, nn_PReLU(), "R(3,4)", 0)                                                                                 \
    X(prelu_channels, nn_PReLU(4, .init = 0.5), "R(3,4,2,2)", 0)                                                      \
    X(softmax_module, nn_Softmax(1), "R(3,4)", 0)                                                                     \
    X(softmin, nn_Softmin(1), "R(3,4)", 0)                                                                            \
    X(softmax2d, nn_Softmax2d(), "R(2,3,4,2)", 0)                                                                     \
    X(log_softmax_module, nn_LogSoftmax(1), "R(3,4)", 0)                                                              \
    X(alpha_dropout, nn_AlphaDropout(), "R(3,4)", 0)                                                                  \
    X(cosine_similarity, nn_CosineSimilarity(), "R(3,4) R(3,4)", 0)                                                   \
    X(rnn, nn_RNN(4, 5), "R(6,3,4)", 1)                                                                               \
    X(rnn_relu, nn_RNN(4, 5, 2, "relu", .bidirectional = true), "R(6,3,4)", 1)                                        \
    X(lstm, nn_LSTM(4, 5), "R(6,3,4)", 1)                                                                             \
    X(lstm_stacked, nn_LSTM(4, 5, 2, .batch_first = true, .bidirectional = true), "R(3,6,4)", 0)                      \
    X(lstm_time, nn_LSTM(4, 5), "R(6,3,4)", 0)                                                                        \
    X(lstm_projected, nn_LSTM(4, 5, .proj_size = 3), "R(4,3,4)", -1)                                                  \
    X(gru, nn_GRU(4, 5), "R(6,3,4)", 1)                                                                               \
    X(gru_stacked, nn_GRU(4, 5, 3, .bias = false, .batch_first = true), "R(6,3,4)", 0)                                \
    X(gru_cell, nn_GRUCell(4, 5), "R(3,4)", 0)                                                                        \
    X(two_axes, onnx_function(two_axes), "R(3,4)", ONNX_TWO_AXES)                                                     \
    X(lstm_c_n, cell_state(), "R(6,3,4)", 1)                                                                          \
    X(lstm_cell, nn_LSTMCell(4, 5), "R(3,4)", 0)                                                                      \
    X(encoder_layer, nn_TransformerEncoderLayer(8, 2, 16), "R(5,3,8)", 1)                                             \
    X(encoder_layer_time, nn_TransformerEncoderLayer(8, 2, 16, .batch_first = true), "R(3,5,8)", 1)                   \
    X(encoder_layer_first, nn_TransformerEncoderLayer(8, 2, 16, .activation = "gelu", .batch_first = true,            \
                                                      .norm_first = true), "R(3,5,8)", 0)                             \
    X(decoder_layer, nn_TransformerDecoderLayer(8, 2, 16), "R(5,3,8) R(6,3,8)", 1)                                    \
    X(encoder, nn_TransformerEncoder(nn_TransformerEncoderLayer(8, 2, 16, .batch_first = true), 2,                    \
                                     .norm = nn_LayerNorm(8)), "R(3,5,8)", 0)                                         \
    X(transformer, nn_Transformer(8, 2, 1, 1, 16, .batch_first = true), "R(3,5,8) R(3,4,8)", 0)                       \
    X(tutorial_encoder_layer, nn_EncoderLayer(8, 2, 16), "R(3,5,8)", 0)                                               \
    X(tutorial_feed_forward, nn_FeedForward(8, 16), "R(3,5,8)", 0)                                                    \
    X(tutorial_positions, nn_PositionalEncoding(8, 20), "R(3,5,8)", 0)                                                \
    X(tutorial_encoder, nn_Encoder(2, 8, 2, 16, 11), "k11(3,5)", 0)                                                   \
    X(vit, models_VisionTransformer(16, 8, 2, 2, 8, 12, .num_classes = 5), "R(2,3,16,16)", 0)                         \
    X(resnet, models_ResNet(models_basic_block, (1, 1, 1, 1), .num_classes = 4), "R(2,3,33,40)", 0)

#define FUNCTIONS(X)                                                                                                  \
    X(arithmetic, "R(3,4)") X(powers, "R(3,4)") X(unary, "R(3,4)") X(roots, "R(3,4)") X(rounding, "R(3,4)")           \
    X(expm1, "R(3,4)") X(erf, "R(3,4)") X(alpha, "R(3,4)") X(int_sum, "R(3,4)") X(comparisons, "R(3,4)")              \
    X(equal, "R(3,4)") X(where, "R(3,4)") X(masked_fill, "R(3,4)") X(clamp, "R(3,4)") X(maximum, "R(3,4)")            \
    X(lerp, "R(3,4)") X(addcmul, "R(3,4)") X(sums, "R(2,3,4)") X(means, "R(2,3,4)") X(extremes, "R(2,3,3)")           \
    X(max_dim, "R(2,3,4)") X(argmax, "R(2,3,4)") X(var, "R(2,3,4)") X(norms, "R(2,3,4)") X(norm_p, "R(2,3,4)")        \
    X(logsumexp, "R(2,3,4)") X(cumsum, "R(2,3,4)") X(softmax, "R(2,3,4)") X(view, "R(2,3,4)") X(reshape, "R(2,3,4)")  \
    X(rows, "R(2,3,4)") X(permute, "R(2,3,4)") X(squeeze, "R(2,3,4)") X(slice, "R(2,3,4)") X(last, "R(2,3,4)")        \
    X(select, "R(2,3,4)") X(narrow, "R(2,3,4)") X(cat, "R(2,3,4)") X(stack, "R(2,3,4)") X(expand, "R(2,3,4)")         \
    X(expand_batch, "R(2,3,4)") X(repeat, "R(2,3,4)") X(flip, "R(2,3,4)") X(tril, "R(2,3,4)") X(matmul, "R(2,3,4)")   \
    X(bmm, "R(2,3,4)") X(inplace, "R(2,3,4)") X(index_select, "R(2,3,4)") X(to, "R(2,3,4)")                           \
    X(attention, "R(2,2,5,4)") X(causal, "R(2,2,5,4)") X(softplus, "R(3,4)") X(threshold, "R(3,4)") X(glu, "R(3,4)")  \
    X(normalize, "R(3,4)") X(pad, "R(2,3,4)") X(reflect, "R(2,3,4)") X(replicate, "R(2,3,4,5)") X(one_minus, "R(3,4)") \
    X(heads, "R(2,3,8)") X(cumprod, "R(2,5,4)") X(cdist, "R(2,3,4)") X(cdist_p, "R(2,3,4)")                           \
    X(cdist_zero, "R(2,3,4)") X(index_rows, "R(2,3,4)") X(index_pairs, "R(2,3,4)") X(index_apart, "R(2,3,4)")         \
    X(index_mask, "R(2,3,4)") X(index_first, "R(2,3,4)") X(unfold, "R(2,5,7)") X(unfold_dilated, "R(2,5,7)")          \
    X(logs, "R(3,4)") X(truncated, "R(3,4)") X(least, "R(2,3,4)")                                \
    X(argmax_of_all, "R(2,3,4)") X(argmax_kept, "R(2,3,4)") X(gelu, "R(3,4)") X(gelu_tanh, "R(3,4)")                  \
    X(gather, "R(3,4)") X(clone, "R(3,4)") X(addmm, "R(3,4)") X(addmm_product, "R(3,4)") X(halves, "R(3,4)")          \
    X(integers, "R(3,4)") X(empty, "R(2,3,4)") X(copy_row, "R(2,3,4)") X(but_last_rows, "R(3,4)")                     \
    X(middle_row, "R(3,4)") X(second_half, "R(3,4)") X(copy_integers, "R(3,4)") X(range, "R(2,3,4)")                  \
    X(twice, "R(2,3,4)") X(one_more, "R(2,3,4)")

#define MAKE(label, expression, inputs, axis) static void *make_##label##_module(void) { return expression; }
#define MODULE_ROW(label, expression, inputs, axis) {#label, make_##label##_module, inputs, axis},
#define FUNCTION_ROW(label, inputs) {"f_" #label, make_##label, inputs, 0},
MODULES(MAKE)
const OnnxCase onnx_cases[] = {MODULES(MODULE_ROW) FUNCTIONS(FUNCTION_ROW) {NULL, NULL, NULL, 0}};

/* ---- the module of a case ---- */

/* Running statistics, weights of norms and zeros that would hide the rest. */
void onnx_perturb(void *module) {
    for_parameters (p, module) {
        with_no_grad () t_add_(p, t_mul(t_randn_like(p), 0.02));
    }
    for_named (b, nn_named_buffers(module)) {
        if (strstr(b->name, "running")) t_add_(b->tensor, t_mul(t_rand_like(b->tensor), 0.3));
    }
}

void *onnx_module(const OnnxCase *of) {
    t_manual_seed(42);
    void *module = of->make();
    if (module) onnx_perturb(module);
    return module;
}

void *onnx_case_bytes(const OnnxCase *of, void *module, size_t *size) {
    const int64_t opset = of->label[0] == 'g' ? 20 : 18;
    t_TensorList *inputs = onnx_inputs(of, 0);
    if (of->axis < 0) return onnx_export_bytes(module, inputs, size, .input_names = {"a", "b"}, .opset_version = opset);
    if (of->axis == ONNX_TWO_AXES)
        return onnx_export_bytes(module, inputs, size, .input_names = {"a"}, .opset_version = opset,
                                 .dynamic_axes = {{"a", 0, "rows"}, {"a", 1, "columns"}});
    return onnx_export_bytes(module, inputs, size, .input_names = {"a", "b"}, .opset_version = opset,
                             .dynamic_axes = {{"a", of->axis, "batch"}, {"b", of->axis, "batch"}});
}

/* ---- inputs ---- */

/* "R(2,3)": normal numbers; "k7(2,5)": integers in [0, 7) */
t_TensorList *onnx_inputs(const OnnxCase *of, int64_t more) {
    t_TensorList *list = t_list();
    for (const char *at = of->inputs; *at; at += *at == ' ') {
        char *end;
        const char kind = *at++;
        const int64_t below = strtoll(at, &end, 10);
        int64_t shape[T_MAX_DIMS];
        int ndim = 0;
        for (at = end + 1; at[-1] != ')'; at = end + 1) shape[ndim++] = strtoll(at, &end, 10);
        Tensor *x = kind == 'k' ? (t_randint)(0, below, shape, ndim, NULL) : (t_randn)(shape, ndim, NULL);
        const int axes = of->axis < 0 ? 0 : of->axis == ONNX_TWO_AXES ? 2 : 1;
        for (int k = 0; k < axes; k++) {
            const int64_t axis = of->axis == ONNX_TWO_AXES ? k : of->axis;
            t_TensorList *parts = t_list(x);
            for (int64_t i = 0; i < more * (k + 1); i++) t_list_append(parts, t_narrow(x, axis, i % shape[axis], 1));
            x = t_cat(parts, axis);
        }
        t_list_append(list, x);
    }
    return list;
}

Tensor *onnx_call(void *module, t_TensorList *inputs) {
    Tensor *y;
    nn_eval(module);
    with_no_grad () {
        y = inputs->len == 2 ? nn_call(module, inputs->items[0], inputs->items[1]) : nn_call(module, inputs->items[0]);
    }
    return y;
}
