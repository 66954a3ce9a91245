/* tests/nn/modules/test_refusals.c: refusals of modules and functional calls that have no row in a table of their own;
 * PyTorch's texts, unless the error is of C alone. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/tensor/tensor.h"
#include "nn/models/models.h"
#include "nn/nn.h"
#include "tests/support/models/model_support.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

#define NO_TENSOR(n) "argument " #n " is NULL where a tensor is expected"

static Tensor *int64_zeros(int64_t n) {
    return t_zeros((1, 1, n, n, n), .dtype = t_int64);
}

/* ---- functional ---- */

START_TEST(pooling_is_refused) {
    Tensor *plane = t_ones(1, 1, 5, 5), *volume = t_ones(1, 1, 4, 4, 4), *cell = t_ones(1, 1, 1, 1, 1);
    Tensor *nan = t_tensor("[[[0.5, 0.5]]]");
    REFUSES(F_fractional_max_pool3d(volume, 2, (2, 2)),
            "fractional_max_pool3d: output_size must either be a single Int or tuple of three Ints");
    REFUSES(F_fractional_max_pool2d(t_ones(1, 1, 1, 5, 5), 2, 2, ._random_samples = nan),
            "fractional_max_pool2d(): Expected 3D or 4D tensor, but got: [1, 1, 1, 5, 5]");
    REFUSES(F_fractional_max_pool2d(plane, 2, (-2, 2)),
            "Trying to create tensor with negative dimension -2: [1, 1, -2, 2]");
    REFUSES(F_fractional_max_pool3d(volume, 2, (2, -2, 2)),
            "Trying to create tensor with negative dimension -2: [1, 1, 2, -2, 2]");
    REFUSES(F_adaptive_max_pool2d(t_ones(5, 5), 2), "adaptive_max_pool2d(): Expected 3D or 4D tensor, but got: [5, 5]");
    REFUSES(F_max_pool3d(volume, 0, 1), "kernel size should be greater than zero, but got kT: 0 kH: 0 kW: 0");
    REFUSES(F_max_pool3d(volume, (0, 1, 1), 1), "kernel size should be greater than zero, but got kT: 0 kH: 1 kW: 1");
    REFUSES(F_max_pool3d(volume, 2, 1, .dilation = 0),
            "dilation should be greater than zero, but got dilationT: 0 dilationH: 0 dilationW: 0");
    REFUSES(F_max_pool1d(t_ones(1, 1, 4), INT64_C(1) << 62, .dilation = 4),
            "effective kernel size overflows, but got kernel_size=4611686018427387904 and dilation=4");
    REFUSES(F_max_unpool3d(cell, int64_zeros(1), 1, 1, .padding = 2),
            "max_unpooling: output_size must contain non-negative spatial dimensions, but got output_size[0]=-3");
    REFUSES(F_max_unpool3d(cell, int64_zeros(1), 2, 0),
            "strides should be greater than zero, but got stride: [0, 0, 0]");
    REFUSES(F_max_unpool3d(cell, t_full((1, 1, 1, 1, 1), 99, .dtype = t_int64), 2),
            "Found an invalid max index: 99 (output volumes are of size 2x2x2)");
    /* PyTorch gives -inf, and an index outside of the input */
    static const char empty[] = "a window of 2 elements with dilation 3 contains none of the input's 2 elements";
    REFUSES(F_max_pool2d(t_ones(1, 1, 2, 2), 2, 1, .padding = 1, .dilation = 3), empty);
    REFUSES(F_max_pool3d(t_ones(1, 1, 2, 2, 2), 2, 1, .padding = 1, .dilation = 3), empty);
    expect_refusal(!(F_max_pool3d)(volume, NULL), "a pooling layer needs options: kernel_size has no default");
    expect_refusal(!(F_lp_pool2d)(plane, 2, NULL), "a pooling layer needs options: kernel_size has no default");
}
END_TEST

START_TEST(other_functions_are_refused) {
    Tensor *x = t_ones(2, 3), *w = t_ones(3), *doubles = t_double(w);
    REFUSES(F_layer_norm(x, (3), doubles), "mixed dtype (CPU): expect parameter to have scalar type of Float");
    REFUSES(F_layer_norm(t_double(x), (3), w), "mixed dtype (CPU): all inputs must share same datatype.");
    REFUSES(F_layer_norm(x, (3), w, doubles), "expected scalar type Float but found Double");
    REFUSES(F_group_norm(t_ones(2, 4, 3), 0), "Expected num groups to be greater than 0, got 0");
    REFUSES(F_binary_cross_entropy_with_logits(w, w, .pos_weight = x),
            "output with shape [3] doesn't match the broadcast shape [2, 3]");
    REFUSES(F_embedding_bag(t_zeros(0, .dtype = t_int64), t_ones(3, 2), t_zeros(0, .dtype = t_int64),
                            .include_last_offset = true),
            "include_last_offset: number of offset should be at least 1");
    REFUSES(F_conv3d(t_ones(1, 1, 4, 4, 4), t_ones(1, 1, 0, 1, 1)),
            "kernel size should be greater than zero, but got: 0 x 1 x 1 (TxHxW)");
    REFUSES(F_gelu(t_ones(2, .dtype = t_int16)), "\"GeluKernelImpl\" not implemented for 'Short'");
    REFUSES(F_gelu(t_ones(2, .dtype = t_int16), "tanh"), "\"GeluKernelImpl\" not implemented for 'Short'");
    REFUSES(F_grid_sample(t_ones((1, 1, 2, 2), .dtype = t_int16), t_zeros((1, 2, 2, 2), .dtype = t_int16)),
            "\"grid_sampler_2d_cpu_kernel_impl\" not implemented for 'Short'");
}
END_TEST

/* int16 and halves are computed in a wider dtype. */
START_TEST(narrow_dtypes_are_computed) {
    Tensor *x = t_tensor("[[1, -2, 3]]", .dtype = t_int16);
    Tensor *w = t_tensor("[[4, 5, 6], [100, 100, 100]]", .dtype = t_int16);
    HOLDS(t_equal(F_linear(x, w), t_tensor("[[12, 200]]", .dtype = t_int16)));
    Tensor *image = t_tensor("[[[[1.0, 2.0], [3.0, 4.0]]]]", .dtype = t_float16), *center = t_zeros(1, 1, 1, 2);
    HOLDS(t_equal(F_grid_sample(image, t_to(center, t_float16), .align_corners = true),
                  t_tensor("[[[[2.5]]]]", .dtype = t_float16)));
}
END_TEST

/* ---- modules ---- */

START_TEST(modules_are_refused) {
    Tensor *x = t_ones(2, 3);
    REFUSES(nn_call(nn_Softmax2d(), x), "Softmax2d: expected input to be 3D or 4D, got 2D instead");
    REFUSES(nn_ConvTranspose2d(1, 1, 1, .padding_mode = "circular"),
            "Only \"zeros\" padding mode is supported for ConvTranspose2d");
    REFUSES(nn_Upsample(2, .mode = "x"), "Upsample has the modes nearest, linear, bilinear, bicubic, trilinear, "
                                         "lanczos, area and nearest-exact, not x");
    REFUSES(nn_LinearCrossEntropyLoss(3, 4, .reduction = "x"), "x is not a valid value for reduction");
    REFUSES(nn_call(nn_LazyInstanceNorm2d(), x), "expected 3D or 4D input (got 2D input)");
    REFUSES(nn_call(nn_LazyBatchNorm1d(), t_ones(2)), "expected 2D or 3D input (got 1D input)");
    REFUSES(nn_call(nn_LazyBatchNorm2d(), x), "expected 4D input (got 2D input)");
    expect_refusal(!nn_Unfold_new(NULL, NULL), "a size is NULL where two sizes are expected");
    nn_AdaptiveLogSoftmaxWithLoss *adaptive = nn_AdaptiveLogSoftmaxWithLoss(3, 4, (2, ));
    expect_refusal(!(nn_AdaptiveLogSoftmaxWithLoss_call)(adaptive, NULL, x, NULL), NO_TENSOR(2));
    expect_refusal(!(nn_AdaptiveLogSoftmaxWithLoss_log_prob)(adaptive, NULL), NO_TENSOR(2));
    expect_refusal(!(nn_AdaptiveLogSoftmaxWithLoss_predict)(adaptive, NULL), NO_TENSOR(2));
    expect_refusal(!(nn_EmbeddingBag_call)(nn_EmbeddingBag(3, 2), NULL, NULL, NULL), NO_TENSOR(2));
    nn_LSTMCell *cell = nn_LSTMCell(3, 2);
    const nn_LSTMCellStates no_tensor = {.size = sizeof no_tensor, .h_0 = (Tensor *)(void *)cell, .c_0 = x};
    expect_refusal(!(nn_LSTMCell_call)(cell, x, &no_tensor), "argument 3 is a Module, not a tensor");
    nn_Decoder *decoder = nn_Decoder(1, 4, 2, 6, 10);
    expect_refusal(!(nn_Decoder_call)(decoder, NULL, x, NULL, NULL, NULL), NO_TENSOR(2));
    expect_refusal(!(nn_DecoderLayer_call)(nn_DecoderLayer(4, 2, 6), NULL, x, NULL, NULL, NULL, NULL), NO_TENSOR(2));
    expect_refusal(!(nn_Encoder_call)(nn_Encoder(1, 4, 2, 6, 10), NULL, NULL, NULL), NO_TENSOR(2));
}
END_TEST

START_TEST(fractional_pools_of_planes) {
    Tensor *at = NULL, *x = t_rand(1, 1, 5, 5), *samples = t_rand(1, 1, 2);
    nn_FractionalMaxPool2d *pool = nn_FractionalMaxPool2d(2, 3, ._random_samples = samples);
    Tensor *y = nn_FractionalMaxPool2d_call(pool, x, &at);
    HOLDS(t_equal(y, F_fractional_max_pool2d(x, 2, 3, ._random_samples = samples)) && t_equal(y, nn_call(pool, x)));
    HOLDS(t_equal(t_flatten(y), t_take(x, t_flatten(at))));
    expect_refusal(!(nn_FractionalMaxPool2d_call)((void *)nn_FractionalMaxPool3d(2, 3), x, &at) && !at,
                   "nn_FractionalMaxPool2d_call takes a nn_FractionalMaxPool2d, not a FractionalMaxPool3d");
}
END_TEST

#define MISSING INT64_MIN

START_TEST(sizes_without_defaults_are_needed) {
    const int64_t layers[4] = {1, 1, 1, 1};
    expect_refusal(!nn_Bilinear_new(2, MISSING, 2, NULL), "missing the argument in2_features");
    expect_refusal(!nn_LinearCrossEntropyLoss_new(3, MISSING, NULL), "missing the argument num_classes");
    expect_refusal(!nn_Encoder_new(1, MISSING, 2, 6, 10, NULL), "missing the argument d_model");
    expect_refusal(!nn_Decoder_new(1, 4, MISSING, 6, 10, NULL), "missing the argument num_heads");
    expect_refusal(!nn_EncoderDecoder_new(MISSING, 4, 2, 6, 10, 9, NULL), "missing the argument num_layers");
    expect_refusal(!models_VisionTransformer_new(4, 2, 1, 1, 4, MISSING, NULL), "missing the argument mlp_dim");
    expect_refusal(!models_ResNet_new(models_bottleneck, NULL, NULL),
                   "argument 2 is NULL where the numbers of blocks is expected");
    models_ResNetOptions bad = models_ResNetDefaults;
    bad.groups = 0;
    expect_refusal(!models_ResNet_new(models_bottleneck, layers, &bad), "groups must be from 1 to 1048576");
    nn_LinearCrossEntropyLossOptions sizes = {.size = sizeof sizes, .reduction = "mean", .ignore_index = T_NONE};
    sizes.out_features.len = T_MAX_DIMS - 1;
    expect_refusal(!nn_LinearCrossEntropyLoss_new(3, 4, &sizes), "out_features has 7 sizes, more than 6");
}
END_TEST

/* A list may have parameters of its own, which stay when its modules are renumbered. */
START_TEST(parameters_of_lists_stay) {
    nn_ModuleList *list = nn_ModuleList(nn_ReLU(), nn_Tanh());
    ck_assert((nn_register_parameter)((nn_Module *)list, "w", nn_Parameter(t_ones(2))));
    nn_append(list, nn_Linear(1, 1));
    ck_assert_ptr_nonnull(nn_pop(list, 0));
    ck_assert_int_eq(nn_len(list), 2);
    t_TensorDict *state = nn_state_dict(list);
    ck_assert_int_eq(state->len, 3);
    HOLDS(t_dict_get(state, "w") && t_dict_get(state, "1.weight") && t_dict_get(state, "1.bias"));
}
END_TEST

/* ---- models ---- */

START_TEST(models_are_refused) {
    REFUSES(models_resnext50_32x4d(.width_per_group = 8),
            "The parameter 'width_per_group' expected value 4 but got 8 instead.");
    REFUSES(models_resnext50_32x4d(.groups = 8), "The parameter 'groups' expected value 32 but got 8 instead.");
    REFUSES(models_vit_b_16(.weights = "DEFAULT", .image_size = 100),
            "The parameter 'image_size' expected value 224 but got 100 instead.");
    REFUSES(models_mobilenet_v2(.width_mult = 0), "width_mult and round_nearest must be positive, got 0 and 8");
    REFUSES(models_mobilenet_v2(.round_nearest = 0), "width_mult and round_nearest must be positive, got 1 and 0");
    models_VisionTransformer *vit = models_VisionTransformer(4, 2, 1, 1, 4, 8, .num_classes = 2);
    REFUSES(nn_call(vit->encoder, t_ones(2, 4)),
            "Expected (batch_size, seq_length, hidden_dim) got torch.Size([2, 4])");
    nn_Module *layers = nn_get_submodule(vit, "encoder.layers.encoder_layer_0");
    REFUSES(nn_call(layers, t_ones(2, 4)), "Expected (batch_size, seq_length, hidden_dim) got torch.Size([2, 4])");
    static char folder[5000];
    memset(folder, 'x', sizeof folder - 1);
    memcpy(folder + sizeof folder - 5, ".pth", 4);
    expect_refusal(!(models_resnet18)(&(models_ResNetOptions){.size = sizeof(models_ResNetOptions), .groups = 1,
                                                              .width_per_group = 64, .num_classes = 1000,
                                                              .weights = folder}),
                   "the path of the weights has more than 4095 bytes");
    setenv("TORCH_HOME", folder, 1);
    REFUSES(models_resnet18(.weights = "DEFAULT"), "the path of the folder of weights has more than 4095 bytes");
    unsetenv("TORCH_HOME");
}
END_TEST

/* ---- calls ---- */

typedef struct Odd {
    nn_Module base;
    Tensor *result;
} Odd;
static Tensor *odd_call(Odd *self, Tensor *x) {
    (void)x;
    return self->result;
}

START_TEST(a_forward_must_return_a_tensor) {
    Odd *odd = nn_module(Odd, odd_call);
    odd->result = (Tensor *)(void *)odd;
    REFUSES(nn_call(odd, t_ones(1)), "the forward of Odd returned what is no live tensor: one that died with its "
                                     "scope, or another object");
}
END_TEST

typedef struct Weighted {
    nn_Module base;
    Tensor *w;
} Weighted;
static Tensor *weighted_call(Weighted *self, Tensor *x) {
    return t_mul(x, self->w);
}
static t_TensorList *returns_gradients(nn_Module *module, t_TensorList *grad_input, t_TensorList *grad_output,
                                       void *context) {
    (void)module, (void)grad_input, (void)grad_output, (void)context;
    return t_list(t_ones(2));
}

START_TEST(hooks_of_modules_without_inputs_that_require_grad) {
    Weighted *module = nn_module(Weighted, weighted_call);
    module->w = nn_Parameter(t_ones(2));
    nn_register_parameter(&module->base, "w", module->w);
    nn_register_full_backward_hook(module, returns_gradients);
    REFUSES(t_backward(t_sum(nn_call(module, t_ones(2)))),
            "Backward hook for Modules where no input requires gradient should always return None or None for all "
            "gradients.");
}
END_TEST

START_TEST(states_that_cannot_be_stacked) {
    nn_Sequential *with = nn_Sequential(nn_Linear(1, 1)), *without = nn_Sequential(nn_Linear(1, 1, .bias = false));
    t_TensorDict *buffers = NULL;
    void *const models[] = {with, without};
    expect_refusal(!(t_func_stack_module_state)(models, 2, &buffers),
                   "stack_module_state: Expected 0.bias in each model");
    expect_refusal(!(t_func_functional_call)(NULL, t_dict(), (Tensor *[]){t_ones(1)}, 1, NULL),
                   "argument 1 is NULL where a module is expected");
}
END_TEST

/* ---- sequences ---- */

START_TEST(sequences_are_refused) {
    Tensor *data = t_ones(3, 1), *sizes = t_tensor("[2, 1]");
    REFUSES(nn_utils_rnn_PackedSequence(data, t_ones(2)),
            "batch_sizes should be a contiguous 1D int64 tensor with an element for each step, but got 1D float32");
    REFUSES(nn_utils_rnn_PackedSequence(data, sizes, t_tensor("[0]")),
            "the indices should be a contiguous 1D int64 tensor with 2 elements, but got shape [1]");
    REFUSES(nn_utils_rnn_invert_permutation(t_ones(2)), "a permutation is a 1D int64 tensor, but got 1D float32");
    REFUSES(nn_utils_rnn_pack_padded_sequence(t_ones(3, 2, 1), t_tensor("[[1, 2]]"), .enforce_sorted = false),
            "index_select(): Index is supposed to be a vector");
    REFUSES(nn_utils_rnn_unpad_sequence(t_ones(3), t_tensor("[1]")),
            "unpad_sequence takes a batch of sequences, 2 dims or more, but got 1D");
}
END_TEST

/* ---- what is removed leaves the rest ---- */

START_TEST(two_weights_of_a_module_are_normalised) {
    nn_Bilinear *layer = nn_Bilinear(2, 2, 2);
    nn_Linear *linear = nn_Linear(3, 2);
    Tensor *weight = t_clone(t_detach(linear->weight));
    HOLDS(nn_utils_weight_norm(linear, "weight") && nn_utils_weight_norm(linear, "bias"));
    nn_utils_remove_weight_norm(linear, "bias"); /* the hook stays for the weight */
    with_no_grad() t_mul_(t_dict_get(nn_state_dict(linear), "weight_g"), 2);
    HOLDS(nn_call(linear, t_ones(1, 3)) && t_allclose(linear->weight, t_mul(weight, 2)));
    nn_utils_remove_weight_norm(linear, "weight");
    HOLDS(t_allclose(linear->weight, t_mul(weight, 2)));
    HOLDS(nn_utils_prune_l1_unstructured(layer, "weight", 4) && nn_utils_prune_l1_unstructured(layer, "bias", 1));
    nn_utils_prune_remove(layer, "bias");
    HOLDS(nn_utils_prune_is_pruned(layer) && t_item(t_count_nonzero(layer->weight)) == 4);
    nn_utils_prune_remove(layer, "weight");
    HOLDS(!nn_utils_prune_is_pruned(layer));
    expect_refusal(!(nn_utils_prune_global_unstructured)(NULL, 1, nn_utils_prune_L1Unstructured, 1, 0),
                   "argument 1 is NULL where parameters are expected");
}
END_TEST

typedef struct Pair {
    nn_Module base;
    Tensor *a, *b;
} Pair;
static Tensor *pair_call(Pair *self, Tensor *x) {
    return t_matmul(t_matmul(x, self->a), self->b);
}

START_TEST(one_of_two_spectral_norms_is_removed) {
    Pair *pair = nn_module(Pair, pair_call);
    Tensor *diagonal = t_diag(t_tensor("[3.0, 1.0]"));
    nn_set(pair, a, nn_Parameter(t_clone(diagonal)));
    nn_set(pair, b, nn_Parameter(t_clone(diagonal)));
    HOLDS(nn_utils_spectral_norm(pair, "a", 50) && nn_utils_spectral_norm(pair, "b", 50));
    Tensor *x = t_eye(2), *both = t_diag(t_tensor("[1.0, 0.111111]"));
    HOLDS(t_allclose(nn_call(pair, x), both, .atol = 1e-3));
    nn_utils_remove_spectral_norm(pair, "a"); /* keeps its value; the other's is computed at each call */
    with_no_grad() t_mul_(t_dict_get(nn_state_dict(pair), "b_orig"), 2);
    HOLDS(t_allclose(nn_call(pair, x), both, .atol = 1e-3));
    nn_utils_remove_spectral_norm(pair, "b");
    with_no_grad() t_mul_(pair->b, 2);
    HOLDS(t_allclose(nn_call(pair, x), t_mul(both, 2), .atol = 2e-3));
}
END_TEST

Suite *nn_refusals_suite(void) {
    Suite *suite = suite_create("nn_refusals");
    TCase *test = tcase_create("nn_refusals");
    tcase_add_checked_fixture(test, support_setup, support_teardown);
    tcase_add_test(test, pooling_is_refused);
    tcase_add_test(test, other_functions_are_refused);
    tcase_add_test(test, narrow_dtypes_are_computed);
    tcase_add_test(test, modules_are_refused);
    tcase_add_test(test, fractional_pools_of_planes);
    tcase_add_test(test, models_are_refused);
    tcase_add_test(test, a_forward_must_return_a_tensor);
    tcase_add_test(test, hooks_of_modules_without_inputs_that_require_grad);
    tcase_add_test(test, states_that_cannot_be_stacked);
    tcase_add_test(test, sequences_are_refused);
    tcase_add_test(test, two_weights_of_a_module_are_normalised);
    tcase_add_test(test, one_of_two_spectral_norms_is_removed);
    tcase_add_test(test, sizes_without_defaults_are_needed);
    tcase_add_test(test, parameters_of_lists_stay);
    suite_add_tcase(suite, test);
    return suite;
}
