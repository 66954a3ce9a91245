/* tests/tensor/test_sizes.c: sizes, counts, pads and strides that no tensor has: refused at once, in PyTorch's words,
 * and nothing is written or allocated for them. Each test must end within Check's timeout, so a loop over such a size
 * fails it too. */
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "nn/nn.h"
#include "tests/support/support.h"

#define MOST INT64_MAX
#define LARGE (INT64_C(1) << 62)
#define HALF (INT64_C(1) << 32)
#define REFUSED(call, message) expect_refusal((call) == NULL, message)
#define OVERFLOWS "numel: integer multiplication overflow"
#define TOO_LARGE(sizes) "Storage size calculation overflowed with sizes=" sizes

/* The call must fail; what it says depends on which of several sizes is looked at first. */
#define FAILS(call)                       \
    do {                                  \
        ck_assert_ptr_null(call);         \
        ck_assert_ptr_nonnull(t_error()); \
        t_clear_error();                  \
    } while (0)

/* A sanitizer ends the program where it is asked for more memory than it could note down. */
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) || \
    __has_feature(thread_sanitizer)
enum { SANITIZED = true };
#else
enum { SANITIZED = false };
#endif

/* ---- views ---- */

START_TEST(views_of_more_elements_than_int64_counts) {
    Tensor *x = t_zeros(1), *none = t_zeros(0);
    REFUSED((t_expand)(x, SHAPE(LARGE, 4)), OVERFLOWS);
    REFUSED((t_broadcast_to)(x, SHAPE(LARGE, 4)), OVERFLOWS);
    REFUSED((t_expand)(x, SHAPE(LARGE, 4, 0)), OVERFLOWS);
    ck_assert_int_eq(t_size(t_expand(x, LARGE / 2, 2), 0), LARGE / 2);
    ck_assert_int_eq(t_size((t_expand)(t_zeros(0, 1, 1), SHAPE(0, LARGE, 4)), 1), LARGE);
    REFUSED((t_permute)(t_expand(t_zeros(0, 1, 1), 0, LARGE, 4), (int64_t[]){1, 2, 0}, 3), OVERFLOWS);
    REFUSED((t_as_strided)(x, SHAPE(LARGE, 4), (int64_t[]){0, 0}, 2, 0), OVERFLOWS);
    ck_assert_int_eq(t_numel((t_as_strided)(x, SHAPE(LARGE / 2, 2), (int64_t[]){0, 0}, 2, 0)), LARGE);
    REFUSED((t_as_strided)(x, SHAPE(MOST), (int64_t[]){1}, 1, 0), TOO_LARGE("[9223372036854775807] and strides=[1]"));
    REFUSED((t_as_strided)(x, SHAPE(2), (int64_t[]){1}, 1, MOST), TOO_LARGE("[2] and strides=[1]"));
    REFUSED((t_unflatten)(none, 0, (int64_t[]){LARGE, 4}, 2), OVERFLOWS);
    REFUSED((t_unflatten)(none, 0, (int64_t[]){HALF, HALF}, 2), OVERFLOWS);
    REFUSED((t_view)(none, SHAPE(HALF, HALF)), OVERFLOWS);
    REFUSED((t_reshape)(none, SHAPE(HALF, HALF, 0)), OVERFLOWS);
    REFUSED((t_meshgrid)(t_list(t_expand(x, LARGE), t_expand(x, 4)), "ij"), OVERFLOWS);
}
END_TEST

/* PyTorch's x.chunk(n) for n far above the size gives a view of each element. */
START_TEST(parts_far_beyond_the_size) {
    Tensor *x = t_arange(4.0), *long_one = t_expand(t_zeros(1), MOST);
    ck_assert_int_eq((t_chunk)(x, MOST, 0)->len, 4);
    ck_assert_int_eq((t_chunk)(t_zeros(0), 5, 0)->len, 5);
    ck_assert_int_eq((t_split)(x, MOST, 0)->len, 1);
    ck_assert_int_eq((t_tensor_split)(x, 6, 0)->len, 6);
    REFUSED((t_tensor_split)(x, MOST, 0),
            "9223372036854775807 parts of a dim of size 4 are too many: a list has at most 16777216");
    FAILS((t_chunk)(t_zeros(0), MOST, 0));
    FAILS((t_unbind)(long_one, 0));
    FAILS((t_split)(long_one, 1, 0));
}
END_TEST

/* ---- tensors ---- */

START_TEST(tensors_larger_than_memory) {
    REFUSED((t_zeros)(SHAPE(INT64_C(1) << 40, INT64_C(1) << 40), NULL), TOO_LARGE("[1099511627776, 1099511627776]"));
    REFUSED((t_ones)(SHAPE(MOST), NULL), TOO_LARGE("[9223372036854775807]"));
    REFUSED((t_eye)(MOST, T_NONE, NULL), TOO_LARGE("[9223372036854775807, 9223372036854775807]"));
    ck_assert_int_eq(t_size((t_eye)(0, MOST, NULL), 1), MOST);
    FAILS((t_arange_int64)(0, MOST, 1, NULL));
    FAILS((t_linspace)(0, 1, MOST, NULL));
    FAILS((t_logspace)(0, 1, MOST, 2, NULL));
    FAILS((t_randperm)(MOST, NULL));
    FAILS((t_rand)(SHAPE(MOST), NULL));
    FAILS((t_bincount)(t_tensor("[0]"), NULL, MOST));
    FAILS((t_histc)(t_zeros(2), MOST, 0, 1));
    FAILS((t_multinomial)(t_ones(3), MOST, true, NULL));
    t_TensorOptions options = {.size = sizeof options, .dtype = t_int64};
    REFUSED((t_arange)(1e300, 1.1e300, 1e299, &options), "value cannot be converted to type int64_t without overflow");
}
END_TEST

/* The system has addresses for 32 TB, but no memory: it must say so before anything is written. */
START_TEST(terabytes_are_refused_at_once) {
    FILE *file = fopen("/proc/sys/vm/overcommit_memory", "r");
    const int always = file && fgetc(file) == '1'; /* such a system promises any memory */
    if (file) fclose(file);
    if (always || SANITIZED || emulated("a request for 32 TB")) return;
    const int64_t many = INT64_C(1) << 43;
    FAILS((t_zeros)(SHAPE(many), NULL));
    FAILS((t_full)(SHAPE(1, many), 1, NULL));
    FAILS((t_arange_int64)(0, many, 1, NULL));
    FAILS(nn_PositionalEncoding_new(
        2, &(nn_PositionalEncodingOptions){.size = sizeof(nn_PositionalEncodingOptions), .max_len = many}));
    FAILS(nn_Embedding_new(many, 1, NULL));
    FAILS(nn_Linear_new(many, 1, NULL));
}
END_TEST

START_TEST(triangle_indices_are_counted_without_iterating) {
    const int64_t rows = INT64_C(1) << 40;
    expect_printed((t_triu_indices)(MOST, 2, 0, NULL), "tensor([[0, 0, 1],\n        [0, 1, 1]])");
    expect_printed((t_tril_indices)(rows, 1, 2 - rows, NULL),
                   "tensor([[1099511627774, 1099511627775],\n        [            0,             0]])");
    ck_assert_int_eq(t_numel((t_tril_indices)(rows, 1, -rows, NULL)), 0);
    ck_assert_int_eq(t_numel((t_triu_indices)(MOST, MOST, MOST - 2, NULL)), 6);
    expect_printed((t_triu_indices)(4, 3, -1, NULL),
                   "tensor([[0, 0, 0, 1, 1, 1, 2, 2, 3],\n        [0, 1, 2, 0, 1, 2, 1, 2, 2]])");
    expect_printed((t_tril_indices)(4, 3, -1, NULL), "tensor([[1, 2, 2, 3, 3, 3],\n        [0, 0, 1, 0, 1, 2]])");
    REFUSED((t_tril_indices)(MOST, 1, 0, NULL), TOO_LARGE("[2, 9223372036854775807]"));
    FAILS((t_triu_indices)(MOST, MOST, 0, NULL));
}
END_TEST

START_TEST(repeats_and_joins_that_overflow) {
    Tensor *x = t_zeros(1), *two = t_zeros(2), *wide = t_expand(x, INT64_C(1) << 40), *huge = t_expand(x, LARGE);
    REFUSED((t_repeat)(x, (int64_t[]){LARGE, 4}, 2), TOO_LARGE("[4611686018427387904, 4]"));
    REFUSED((t_repeat)(x, (int64_t[]){MOST}, 1), TOO_LARGE("[9223372036854775807]"));
    FAILS((t_repeat)(two, (int64_t[]){MOST}, 1));
    FAILS((t_tile)(two, (int64_t[]){LARGE, 4}, 2));
    REFUSED((t_repeat)(x, (int64_t[]){-1}, 1), "Trying to create tensor with negative dimension -1: [-1]");
    FAILS((t_repeat_interleave)(two, t_integer(MOST), T_NONE));
    FAILS((t_cat)(t_list(t_expand(x, MOST), t_expand(x, MOST)), 0));
    FAILS((t_stack)(t_list(t_expand(x, MOST), t_expand(x, MOST)), 0));
    REFUSED((t_add)(t_expand(x, LARGE), t_expand(x, (4, 1))), TOO_LARGE("[4, 4611686018427387904]"));
    REFUSED((t_outer)(wide, wide), TOO_LARGE("[1099511627776, 1099511627776]"));
    REFUSED((t_kron)(wide, wide), TOO_LARGE("[1099511627776, 1099511627776]"));
    FAILS((t_cdist)(t_unsqueeze(huge, 1), t_unsqueeze(huge, 1), 2));
    FAILS((t_matmul)(t_unsqueeze(huge, 1), t_unsqueeze(huge, 0)));
    FAILS((t_einsum)("i,j->ij", t_list(wide, wide)));
    FAILS((t_diag_embed)(x, MOST, -2, -1));
    FAILS((t_diag_embed)(x, -MOST - 1, -2, -1));
    FAILS((t_diag)(x, MOST));
    FAILS((t_diagflat)(x, MOST));
    expect_printed((t_roll)(t_arange(3.0), (int64_t[]){MOST}, 1, (int64_t[]){0}, 1), "tensor([2., 0., 1.])");
    ck_assert_int_eq(t_numel((t_diagonal)(t_zeros(2, 2), MOST, 0, 1)), 0);
    ck_assert_int_eq(t_numel((t_diff)(t_zeros(3), MOST, 0, NULL, NULL)), 0);
    ck_assert_int_eq(t_numel((t_diff)(t_expand(t_zeros(0, 1), 0, MOST), MOST, 1, NULL, NULL)), 0);
}
END_TEST

/* Without elements sizes may be so large that the offset of a part along a dim is no int64. */
START_TEST(parts_of_no_elements) {
    Tensor *x = t_view(t_zeros(0), 5, 0, LARGE / 2, 3), *wide = t_expand(t_zeros(1, 0, 1), LARGE, 0, LARGE);
    ck_assert_int_eq(t_stride(x, 0), LARGE / 2 * 3);
    ck_assert_int_eq(t_numel((t_select)(x, 0, 4)), 0);
    ck_assert_int_eq(t_numel((t_narrow)(x, 0, 3, 2)), 0);
    ck_assert_int_eq(t_numel((t_slice)(x, 0, 4, 5, 1)), 0);
    ck_assert_int_eq(t_numel((t_flip)(x, (int64_t[]){0, 1, 2}, 3)), 0);
    ck_assert_int_eq(t_numel((t_diagonal)(x, 2, 1, 0)), 0);
    ck_assert_int_eq(t_numel((t_diagonal)(wide, LARGE / 2, 0, 2)), 0);
    ck_assert_int_eq(t_numel((t_diag_embed)(t_zeros(3, 4, 0, 2), -MOST + 2, 3, 4)), 0);
    FAILS((t_diag_embed)(t_zeros(0, 2), MOST - 2, 0, 1));
}
END_TEST

/* ---- pads, windows, images ---- */

static Tensor *padded(Tensor *x, int64_t before, int64_t behind, const char *mode) {
    return (F_pad)(x, (int64_t[]){before, behind}, 2, mode, 0);
}

START_TEST(pads_that_overflow) {
    Tensor *x = t_arange(400.0), *batch = t_reshape(x, 1, 1, 400);
    REFUSED(padded(x, MOST, MOST, NULL), TOO_LARGE("[9223372036854775807]"));
    FAILS(padded(x, MOST, 0, NULL));
    FAILS(padded(x, MOST, -MOST, NULL));
    FAILS(padded(x, -MOST - 1, 5, NULL));
    FAILS(padded(x, -MOST - 1, -MOST - 1, NULL));
    FAILS(padded(batch, MOST, MOST, "reflect"));
    FAILS(padded(batch, MOST, MOST, "replicate"));
    FAILS(padded(batch, LARGE, LARGE, "replicate"));
    FAILS(padded(batch, MOST, MOST, "circular"));
    FAILS(padded(batch, -MOST - 1, MOST, "circular"));
}
END_TEST

/* Each size of a window in turn at the ends of int64's range. What steps over everything has one position, as in
 * PyTorch.
 */
typedef Tensor *PoolFunction(Tensor *x, const F_PoolOptions *options);
typedef Tensor *ConvFunction(Tensor *x, Tensor *weight, Tensor *bias, const F_ConvOptions *options);
static const int64_t ends[] = {MOST, MOST - 1, MOST / 2, LARGE, INT64_MIN, INT64_MIN + 1};
enum { ENDS = sizeof ends / sizeof *ends };

static void try_pools(PoolFunction *pool, int dims, bool average) {
    Tensor *x = dims == 1 ? t_ones(1, 1, 4) : t_ones(1, 1, 4, 4);
    for (int i = 0; i < ENDS; i++) {
        F_PoolOptions plain = F_PoolDefaults, o;
        plain.kernel_size[0] = 2;
        plain.kernel_size[1] = F_BOTH;
        for (int ceil_mode = 0; ceil_mode < 2; ceil_mode++) {
            o = plain;
            o.ceil_mode = ceil_mode;
            o.stride[0] = ends[i];
            if (ends[i] > 0) ck_assert_int_eq(t_numel(pool(x, &o)), 1);
            else if (ends[i] != T_NONE) FAILS(pool(x, &o)); /* which is none: the kernel's size */
            o.stride[0] = 1;
            o.padding[0] = ends[i];
            FAILS(pool(x, &o));
            o.kernel_size[0] = ends[i];
            FAILS(pool(x, &o));
            o.padding[0] = 0;
            FAILS(pool(x, &o));
            o = plain;
            o.dilation[0] = ends[i];
            if (!average) FAILS(pool(x, &o)); /* an average has no dilation */
        }
    }
    F_PoolOptions o = F_PoolDefaults; /* half of a window may be padding: then its size is of no matter */
    o.kernel_size[0] = INT64_C(1) << 30;
    o.kernel_size[1] = F_BOTH;
    o.stride[0] = 1;
    o.padding[0] = INT64_C(1) << 29;
    ck_assert_int_eq(t_size(pool(x, &o), 2), 5);
    o.kernel_size[0] = INT64_C(1) << 32;
    o.padding[0] = INT64_C(1) << 31;
    REFUSED(pool(x, &o), "value cannot be converted to type int without overflow");
}

START_TEST(pools_that_overflow) {
    try_pools(F_max_pool1d, 1, false);
    try_pools(F_max_pool2d, 2, false);
    try_pools(F_avg_pool1d, 1, true);
    try_pools(F_avg_pool2d, 2, true);
    Tensor *x = t_ones(1, 1, 4), *image = t_ones(1, 1, 4, 4);
    REFUSED((F_adaptive_avg_pool1d)(x, MOST), TOO_LARGE("[1, 1, 1, 9223372036854775807]"));
    REFUSED((F_adaptive_max_pool1d)(x, MOST, NULL), TOO_LARGE("[1, 1, 1, 9223372036854775807]"));
    FAILS((F_adaptive_avg_pool2d)(image, (int64_t[]){MOST, MOST}));
    FAILS((F_adaptive_max_pool2d)(image, (int64_t[]){MOST, MOST}, NULL));
    F_PoolOptions o = F_PoolDefaults; /* max_unpool has no limit for the window */
    o.kernel_size[0] = o.kernel_size[1] = o.stride[0] = o.stride[1] = MOST / 2;
    Tensor *zeros = t_zeros_like(image), *indices = t_long(zeros);
    REFUSED((F_max_unpool2d)(zeros, indices, &o, NULL), TOO_LARGE("[1, 1, 9223372036854775807]"));
}
END_TEST

static void try_convolutions(ConvFunction *conv, int dims, bool transposed) {
    Tensor *x = dims == 1 ? t_ones(1, 1, 4) : t_ones(1, 1, 4, 4), *w = dims == 1 ? t_ones(1, 1, 2) : t_ones(1, 1, 2, 2);
    Tensor *one = dims == 1 ? t_ones(1, 1, 1) : t_ones(1, 1, 1, 1);
    for (int i = 0; i < ENDS; i++) {
        F_ConvOptions o = F_ConvDefaults;
        o.stride[0] = ends[i];
        if (ends[i] < 0 || transposed) FAILS(conv(x, w, NULL, &o));
        else ck_assert_int_eq(t_numel(conv(x, w, NULL, &o)), 1);
        if (ends[i] > 0 && transposed) ck_assert_int_eq(t_size(conv(one, w, NULL, &o), 2), 2);
        o = F_ConvDefaults;
        o.padding[0] = ends[i];
        FAILS(conv(x, w, NULL, &o));
        o = F_ConvDefaults;
        o.dilation[0] = ends[i];
        FAILS(conv(x, w, NULL, &o));
        if (ends[i] > 0) ck_assert_int_eq(t_size(conv(x, one, NULL, &o), 2), 4); /* a window of one element has none */
        o.padding[0] = F_SAME;
        FAILS(conv(x, w, NULL, &o));
        o = F_ConvDefaults;
        o.groups = ends[i];
        FAILS(conv(x, w, NULL, &o));
        o = F_ConvDefaults;
        o.output_padding[0] = ends[i];
        if (transposed) FAILS(conv(x, w, NULL, &o));
        o.stride[0] = MOST;
        if (transposed) FAILS(conv(x, w, NULL, &o));
    }
}

START_TEST(convolutions_that_overflow) {
    try_convolutions(F_conv1d, 1, false);
    try_convolutions(F_conv2d, 2, false);
    try_convolutions(F_conv_transpose1d, 1, true);
    try_convolutions(F_conv_transpose2d, 2, true);
}
END_TEST

START_TEST(columns_that_overflow) {
    Tensor *image = t_ones(1, 1, 4, 4), *columns = t_ones(1, 4, 4);
    const int64_t two[] = {2, 2}, three[] = {3, 3};
    for (int i = 0; i < ENDS; i++) {
        const int64_t both[] = {ends[i], ends[i]};
        FAILS((F_unfold)(image, both, NULL));
        FAILS((F_fold)(columns, both, two, NULL));
        FAILS((F_fold)(columns, three, both, NULL));
        F_UnfoldOptions o = F_UnfoldDefaults;
        o.padding[0] = ends[i];
        FAILS((F_unfold)(image, two, &o));
        FAILS((F_fold)(columns, three, two, &o));
        o = F_UnfoldDefaults;
        o.dilation[0] = ends[i];
        FAILS((F_unfold)(image, two, &o));
        FAILS((F_fold)(columns, three, two, &o));
        o = F_UnfoldDefaults;
        o.stride[0] = ends[i];
        if (ends[i] < 0) FAILS((F_unfold)(image, two, &o));
        else
            expect_printed((F_unfold)(image, two, &o),
                           "tensor([[[1.],\n         [1.],\n         [1.],\n         [1.]]])");
        FAILS((F_fold)(columns, three, two, &o));
    }
    REFUSED((F_fold)(columns, three, (int64_t[]){MOST, MOST}, NULL),
            "Given kernel_width = 9223372036854775807 and kernel_height = 9223372036854775807 the product of "
            "kernel_width and kernel_height overflowed.");
}
END_TEST

START_TEST(images_that_overflow) {
    Tensor *x = t_zeros(1, 1, 4), *image = t_zeros(1, 1, 4, 4);
    const F_InterpolateOptions plain = F_InterpolateDefaults;
    F_InterpolateOptions o = plain;
    o.output_size[0] = MOST;
    REFUSED((F_interpolate)(x, &o), TOO_LARGE("[1, 1, 9223372036854775807]"));
    REFUSED((F_interpolate)(image, &o), TOO_LARGE("[1, 1, 9223372036854775807, 9223372036854775807]"));
    o = plain;
    o.scale_factor[0] = 1e300;
    REFUSED((F_interpolate)(x, &o), "value cannot be converted to type int64_t without overflow");
    o.scale_factor[0] = 1e18;
    REFUSED((F_interpolate)(x, &o), TOO_LARGE("[1, 1, 4000000000000000000]"));
    FAILS((F_pixel_shuffle)(t_zeros(1, 4, 4), MOST));
    FAILS((F_pixel_unshuffle)(t_zeros(1, 4, 4), MOST));
    REFUSED((F_one_hot)(t_tensor("[0, 1]"), MOST), TOO_LARGE("[2, 9223372036854775807]"));
    FAILS((F_one_hot)(t_tensor("[9223372036854775807]"), -1));
    FAILS((F_local_response_norm)(image, INT64_MIN, 1e-4, 0.75, 1));
    FAILS((F_local_response_norm)(image, MOST, 1e-4, 0.75, 1));
}
END_TEST

/* ---- modules ---- */

#define WITH(Type, ...) (&(Type){.size = sizeof(Type), __VA_ARGS__})

START_TEST(modules_that_overflow) {
    REFUSED(nn_Linear_new(HALF, HALF, NULL), TOO_LARGE("[4294967296, 4294967296]"));
    REFUSED(nn_Linear_new(-1, 2, NULL), "Trying to create tensor with negative dimension -1: [2, -1]");
    REFUSED(nn_Embedding_new(HALF, HALF, NULL), TOO_LARGE("[4294967296, 4294967296]"));
    REFUSED(nn_LSTM_new(LARGE, LARGE, NULL), TOO_LARGE("[9223372036854775807, 4611686018427387904]"));
    const int64_t sizes[] = {LARGE, MOST, MOST / 2, MOST / 3 + 1};
    for (int i = 0; i < 4; i++) {
        const int64_t n = sizes[i];
        FAILS(nn_LSTM_new(2, n, NULL));
        FAILS(nn_GRU_new(2, n, NULL));
        FAILS(nn_RNN_new(n, 2, NULL));
        FAILS(nn_LSTM_new(2, n, WITH(nn_LSTMOptions, .num_layers = 1, .proj_size = n - 1)));
        FAILS(nn_LSTMCell_new(2, n, NULL));
        FAILS(nn_GRUCell_new(n, 2, NULL));
        FAILS(nn_MultiheadAttention_new(n, 1, NULL));
        FAILS(nn_TransformerEncoderLayer_new(n, 1, NULL));
        FAILS(nn_EncoderLayer_new(n, 1, 4, NULL));
        FAILS(nn_PositionalEncoding_new(n / 2 * 2, NULL));
        FAILS(nn_PositionalEncoding_new(4, WITH(nn_PositionalEncodingOptions, .max_len = n)));
        FAILS(nn_LayerNorm_new(&n, 1, NULL));
        FAILS(nn_BatchNorm1d_new(n, NULL));
    }
}
END_TEST

/* PyTorch makes layers until its memory is full, and with -1 none at all. */
START_TEST(stacks_of_too_many_layers) {
    static const char none[] = "num_layers must not be negative, got -1";
    static const char many[] = "num_layers=9223372036854775807 is more than any model has (at most 10000)";
    nn_TransformerEncoderLayer *encoder = nn_TransformerEncoderLayer_new(4, 2, NULL);
    nn_TransformerDecoderLayer *decoder = nn_TransformerDecoderLayer_new(4, 2, NULL);
    REFUSED(nn_TransformerEncoder_new(encoder, MOST, NULL), many);
    REFUSED(nn_TransformerEncoder_new(encoder, -1, NULL), none);
    REFUSED(nn_TransformerDecoder_new(decoder, MOST, NULL), many);
    REFUSED(nn_TransformerDecoder_new(decoder, -1, NULL), none);
    nn_TransformerOptions o = nn_TransformerDefaults;
    o.num_decoder_layers = MOST;
    o.d_model = o.dim_feedforward = 8;
    REFUSED(nn_Transformer_new(&o), many);
    REFUSED(nn_Encoder_new(MOST, 4, 2, 8, 10, NULL), many);
    REFUSED(nn_Encoder_new(-1, 4, 2, 8, 10, NULL), none);
    REFUSED(nn_Decoder_new(MOST, 4, 2, 8, 10, NULL), many);
    REFUSED(nn_EncoderDecoder_new(MOST, 4, 2, 8, 10, 10, NULL), many);
    REFUSED(nn_RNN_new(2, 2, WITH(nn_RNNOptions, .num_layers = MOST)), many);
    REFUSED(nn_GRU_new(2, 2, WITH(nn_GRUOptions, .num_layers = MOST)), many);
    REFUSED(nn_LSTM_new(2, 2, WITH(nn_LSTMOptions, .num_layers = -1)), "num_layers must be greater than zero");
}
END_TEST

Suite *sizes_suite(void);
Suite *sizes_suite(void) {
    Suite *suite = suite_create("sizes");
    TCase *tests = tcase_create("sizes");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, views_of_more_elements_than_int64_counts);
    tcase_add_test(tests, parts_far_beyond_the_size);
    tcase_add_test(tests, tensors_larger_than_memory);
    tcase_add_test(tests, terabytes_are_refused_at_once);
    tcase_add_test(tests, triangle_indices_are_counted_without_iterating);
    tcase_add_test(tests, repeats_and_joins_that_overflow);
    tcase_add_test(tests, parts_of_no_elements);
    tcase_add_test(tests, pads_that_overflow);
    tcase_add_test(tests, pools_that_overflow);
    tcase_add_test(tests, convolutions_that_overflow);
    tcase_add_test(tests, columns_that_overflow);
    tcase_add_test(tests, images_that_overflow);
    tcase_add_test(tests, modules_that_overflow);
    tcase_add_test(tests, stacks_of_too_many_layers);
    suite_add_tcase(suite, tests);
    return suite;
}
