/* tests/ops/table/op_table_convolution.c: convolutions, and sliding blocks as columns (nn/functional/convolution). */
#include "nn/functional/functional.h"
#include "tests/ops/table/op_table.h"

/* Numbers: stride, padding, dilation, one less than given for stride and dilation, groups - 1, the padding mode
 * (1: same, 2: valid), output_padding. Of one dim one number each, of two dims two. */
static F_ConvOptions conv_options(const Call *c, int dims) {
    const int64_t *n = c->n;
    F_ConvOptions o = F_ConvDefaults;
    o.groups = n[3 * dims] + 1;
    for (int d = 0; d < dims; d++) {
        o.stride[d] = n[d] + 1;
        o.padding[d] = n[dims + d];
        o.dilation[d] = n[2 * dims + d] + 1;
        o.output_padding[d] = n[3 * dims + 2 + d];
    }
    if (n[3 * dims + 1]) o.padding[0] = n[3 * dims + 1] == 1 ? F_SAME : F_VALID;
    return o;
}
#define CALL_CONV(f, dims)                                              \
    static t_TensorList *call_##f(const Call *c) {                      \
        F_ConvOptions options = conv_options(c, dims);                  \
        return list_of(F_##f(c->x[0], c->x[1], c->x[2], &options));     \
    }
static t_TensorList *call_conv_tbc(const Call *c) {
    return list_of(F_conv_tbc(c->x[0], c->x[1], c->x[2], c->n[0]));
}
CALL_CONV(conv1d, 1)
CALL_CONV(conv2d, 2)
CALL_CONV(conv_transpose1d, 1)
CALL_CONV(conv_transpose2d, 2)

/* Numbers: kernel, dilation - 1, padding, stride - 1, each twice; for fold then the output's size. */
static F_UnfoldOptions unfold_options(const Call *c) {
    F_UnfoldOptions o = F_UnfoldDefaults;
    for (int d = 0; d < 2; d++) {
        o.dilation[d] = c->n[2 + d] + 1;
        o.padding[d] = c->n[4 + d];
        o.stride[d] = c->n[6 + d] + 1;
    }
    return o;
}
static t_TensorList *call_unfold(const Call *c) {
    F_UnfoldOptions options = unfold_options(c);
    return list_of(F_unfold(c->x[0], c->n, &options));
}
static t_TensorList *call_fold(const Call *c) {
    F_UnfoldOptions options = unfold_options(c);
    return list_of(F_fold(c->x[0], c->n + 8, c->n, &options));
}

static const OpCase conv_tbc_cases[] = {
    {"r(5,2,3) r(2,3,4) r(4)", {0}}, {"r(5,2,3) r(3,3,4) r(4)", {1}}, {"r(4,1,2) r(1,2,3) r(3)", {2}},
    {"R(5,2,3) r(2,3,4) R(4)", {0}}, {"r(5,2,3) R(2,3,4) r(4)", {0}}, {NULL},
};
static const OpCase conv1d_cases[] = {
    {"r(2,3,5) r(4,3,3) r(4)"}, {"r(2,3,5) r(4,3,3) -"}, {"r(3,5) r(2,3,2) r(2)"},
    {"r(2,2,7) r(4,1,3) r(4)", {1, 2, 1, 1}},
    {"r(2,1,6) r(2,1,4) -", {0, 0, 0, 0, 1}}, {"r(1,2,5) r(2,2,3) -", {0, 0, 1, 0, 1}},
    {"r(1,2,5) r(2,2,2) -", {0, 0, 0, 0, 2}},
    {"r(0,3,5) r(4,3,3) r(4)"}, {"r(2,3,4) r(5,3,1) r(5)"}, {"R(2,3,5) r(2,3,3) r(2)"},
    {"r(2,3,5) R(2,3,3) R(2)"}, {"i(2,2,5) i(3,2,2) i(3)", {1, 1}}, {"i(2,5) i(3,2,3) -", {0, 0, 1}},
    {"i(0,2,5) i(3,2,2) i(3)", {0}}, {NULL},
};
static const OpCase conv2d_cases[] = {
    {"r(2,3,4,5) r(2,3,3,2) r(2)"}, {"r(2,2,4,4) r(3,2,2,2) -"}, {"r(2,4,4) r(2,2,3,3) r(2)"},
    {"r(1,2,5,6) r(3,2,3,2) r(3)", {1, 2, 1, 0, 0, 1}}, {"r(2,4,4,4) r(4,2,2,2) r(4)", {0, 0, 1, 1, 0, 0, 1}},
    {"r(1,3,5,5) r(6,1,3,3) -", {1, 1, 1, 1, 0, 0, 2}}, {"r(1,1,4,5) r(2,1,2,4) r(2)", {0, 0, 0, 0, 0, 0, 0, 1}},
    {"r(1,1,5,5) r(1,1,3,2) -", {0, 0, 0, 0, 1, 2, 0, 1}}, {"r(1,2,3,3) r(2,2,2,2) -", {0, 0, 0, 0, 0, 0, 0, 2}},
    {"r(2,3,3,4) r(4,3,1,1) r(4)"}, {"r(2,4,3,3) r(2,2,1,1) -", {0, 0, 0, 0, 0, 0, 1}},
    {"r(2,2,4,4) r(2,2,1,1) r(2)", {1, 1}},
    {"r(0,3,5,5) r(4,3,3,3) r(4)"}, {"R(2,2,4,4) r(2,2,3,3) r(2)"}, {"r(1,2,4,4) R(2,2,3,3) R(2)"},
    {"r(1,1,3,3) r(1,1,3,3) r(1)"}, {"r(1,1,2,2) r(1,1,3,3) -", {0, 0, 2, 3}},
    {"i(2,2,4,5) i(3,2,2,3) i(3)", {1, 0, 1, 2}}, {"i(1,4,3,3) i(4,2,2,2) -", {0, 0, 0, 0, 0, 0, 1}},
    {"i(2,3,3,4) i(3,1,2,2) i(3)", {0, 0, 0, 0, 0, 0, 2, 1}}, {NULL},
};
static const OpCase conv_transpose1d_cases[] = {
    {"r(2,3,4) r(3,2,3) r(2)"}, {"r(2,3,4) r(3,2,3) -"}, {"r(3,4) r(3,2,2) r(2)"},
    {"r(2,4,3) r(4,2,3) r(4)", {1, 1, 1, 1, 0, 1}},
    {"r(0,3,4) r(3,2,3) r(2)"}, {"R(2,2,3) r(2,2,3) r(2)"}, {"r(2,2,3) R(2,2,3) R(2)"},
    {"i(2,2,3) i(2,3,2) i(3)", {1, 1}}, {"r(1,2,3) r(2,3,2) d(3)", {1}}, {"r(1,2,3) r(2,3,2) i(3)", {0}},
    {"r(1,1,4) r(1,1,1) -", {0, 0, 1, 0, 0, 1}}, {"r(2,3,4) r(3,2,1) r(2)", {0, 0, 1, 0, 0, 1}},
    {"r(2,4,5) r(4,2,1) r(4)", {0, 0, 2, 1, 0, 2}},
    {"r(2,3,4) r(3,1,3) r(3)", {0, 0, 2, 2, 0, 2}}, {"i(2,3,4) i(3,2,1) i(2)", {0, 0, 1, 0, 0, 1}}, {NULL},
};
static const OpCase conv_transpose2d_cases[] = {
    {"r(2,3,2,3) r(3,2,3,2) r(2)"}, {"r(2,2,3,3) r(2,3,2,2) -"}, {"r(2,3,3) r(2,2,2,3) r(2)"},
    {"r(1,2,3,3) r(2,2,3,2) r(2)", {1, 2, 1, 0, 0, 0, 0, 0, 1, 2}},
    {"r(1,4,3,2) r(4,2,2,2) r(4)", {0, 0, 0, 0, 1, 1, 1}},
    {"r(2,3,3,2) r(3,4,1,1) r(4)"}, {"r(2,3,3,2) r(3,2,1,1) -"}, {"r(0,2,3,3) r(2,2,2,2) r(2)"},
    {"R(1,2,3,3) r(2,2,2,2) r(2)"},
    {"r(1,2,3,3) R(2,2,2,2) R(2)"}, {"i(2,4,2,3) i(4,1,2,2) b(2)", {1, 0, 0, 0, 0, 0, 1}},
    {"i(3,2,3) i(3,2,2,2) -", {0, 1, 0, 0, 1}},
    {"r(1,2,3,3) r(2,2,2,2) f(2)", {0}}, {"r(1,2,3,3) r(2,2,2,2) d(2)", {0}},
    {"r(2,3,3,2) r(3,4,1,1) r(4)", {0, 0, 0, 0, 1, 1, 0, 0, 1, 1}},
    {"r(2,3,3,4) r(3,2,1,1) -", {0, 0, 0, 0, 1, 2, 0, 0, 0, 2}},
    {"r(2,3,3,4) r(3,2,1,1) r(2)", {0, 0, 0, 0, 1, 0, 0, 0, 1, 0}},
    {"r(2,4,3,3) r(4,1,2,2) -", {0, 0, 0, 0, 1, 1, 3, 0, 1, 1}}, {NULL},
};
static const OpCase unfold_cases[] = {
    {"r(2,2,3,4)", {2, 2}}, {"r(2,4,5)", {2, 3}}, {"r(1,2,5,5)", {3, 2, 1, 0, 1, 2, 1, 0}}, {"r(2,1,3,3)", {1, 1}},
    {"r(0,2,3,3)", {2, 2}},
    {"b(1,1,3,3)", {2, 2}}, {"R(1,1,3,3)", {2, 2}}, {"r(1,1,3,3)", {3, 3, 0, 0, 1, 1}}, {NULL},
};
static const OpCase fold_cases[] = {
    {"r(2,8,6)", {2, 2, 0, 0, 0, 0, 0, 0, 3, 4}}, {"r(12,6)", {2, 3, 0, 0, 0, 0, 0, 0, 3, 5}},
    {"r(1,6,16)", {3, 2, 1, 0, 1, 2, 1, 0, 5, 5}}, {"r(0,4,4)", {2, 2, 0, 0, 0, 0, 0, 0, 3, 3}},
    {"R(1,4,4)", {2, 2, 0, 0, 0, 0, 0, 0, 3, 3}}, {"r(1,4,4)", {2, 2, 0, 0, 0, 0, 1, 1, 4, 4}}, {NULL},
};

#define RANKS(ranks, name, size) "Expected " ranks " input to " name ", but got input of size: " size
static const OpError conv_tbc_errors[] = {
    {"R(5,3) R(2,3,4) R(4)", {0}, "Input must have 3 dims: time, batch, in_channel"},
    {"R(5,2,3) R(3,4) R(4)", {0}, "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels."},
    {"R(5,2,3) R(2,3,4) R(1,4)", {0}, "Bias must be 1-D"},
    {"R(5,2,3) R(2,2,4) R(4)", {0}, "Input dim 2 (input channels) is not == dim 1 in the weight tensor"},
    {"R(5,2,3) R(2,3,4) R(3)", {0}, "Bias size must equal dim 2 in the weight tensor (output channels)."},
    {NULL},
};
static const OpError conv1d_errors[] = {
    {"r(5) r(4,4,3) -", {0}, RANKS("2D (unbatched) or 3D (batched)", "conv1d", "[5]")},
    {"r(2,4,5) r(4,4,3,3) -", {0},
        "Expected 4-dimensional input for 4-dimensional weight [4, 4, 3, 3], but got 3-dimensional input of "
                                   "size [2, 4, 5] instead"},
    {"r(2,4,2) r(4,4,3) -", {0},
        "Calculated padded input size per channel: (2). Kernel size: (3). Kernel size can't be greater than "
                                 "actual input size"},
    {"r(2,4,5) r(4,3,3) -", {0},
        "Given groups=1, weight of size [4, 3, 3], expected input[2, 4, 5] to have 3 channels, but got 4 channels "
                                 "instead"},
    {"i(1,1,3) r(1,1,2) r(1)", {0}, "Input type (long int) and bias type (float) should be the same"},
    {"i(1,1,3) r(1,1,2) -", {0}, "expected scalar type Long but found Float"},
    {"i(1,1,3) i(1,1,2) b(1)", {0}, "Input type (long int) and bias type (bool) should be the same"},
    {NULL},
};
static const OpError conv2d_errors[] = {
    {"r(2,4,5,5) r(4,3,3,3) -", {0},
        "Given groups=1, weight of size [4, 3, 3, 3], expected input[2, 4, 5, 5] to have 3 channels, but got 4 "
                                     "channels instead"},
    {"r(4,5,5) r(4,3,3,3) -", {0},
        "Given groups=1, weight of size [4, 3, 3, 3], expected input[1, 4, 5, 5] to have 3 channels, but got 4 "
                                   "channels instead"},
    {"r(2,4,5,5) r(4,3,3,3) -", {0, 0, 0, 0, 0, 0, 1},
        "Given groups=2, weight of size [4, 3, 3, 3], expected input[2, 4, 5, 5] to have 6 "
                                                       "channels, but got 4 channels instead"},
    {"r(2,4,5,5) r(3,2,3,3) -", {0, 0, 0, 0, 0, 0, 1},
        "Given groups=2, expected weight to be divisible by 2 at dimension 0, but got weight "
                                                       "of size [[3, 2, 3, 3]] instead"},
    {"r(2,4,5,5) r(0,4,3,3) -", {0},
        "Given groups=1, expected weight to be at least 1 at dimension 0, but got weight of size [0, 4, 3, 3] "
                                     "instead"},
    {"r(2,4,5,5) r(4,4,3,3) r(3)", {0},
        "Given weight of size [4, 4, 3, 3], expected bias to be 1-dimensional with 4 elements, but got bias "
                                        "of size [3] instead"},
    {"r(2,4,5,5) r(4,4,3,3) r(4,1)", {0},
        "Given weight of size [4, 4, 3, 3], expected bias to be 1-dimensional with 4 elements, but got "
                                          "bias of size [4, 1] instead"},
    {"r(2,4,5,5) r(4,4,6,3) -", {0},
        "Calculated padded input size per channel: (5 x 5). Kernel size: (6 x 3). Kernel size can't be greater "
                                     "than actual input size"},
    {"r(2,4,5,5) r(4,4,3,3) -", {-1}, "non-positive stride is not supported"},
    {"r(2,4,5,5) r(4,4,3,3) -", {0, 0, -1}, "negative padding is not supported"},
    {"r(2,4,5,5) r(4,4,3,3) -", {0, 0, 0, 0, -1}, "dilation should be greater than zero, but got [0, 1]"},
    {"r(2,4,5,5) r(4,4,3,3) -", {0, 0, 0, 0, 0, 0, -1}, "non-positive groups is not supported"},
    {"r(2,4,5,5) r(4,4,3,3) -", {1, 1, 0, 0, 0, 0, 0, 1}, "padding='same' is not supported for strided convolutions"},
    {"r(4,5) r(4,4,3,3) -", {0}, RANKS("3D (unbatched) or 4D (batched)", "conv2d", "[4, 5]")},
    {"b(1,1,3,3) b(1,1,2,2) -", {0}, "\"slow_conv2d_cpu\" not implemented for 'Bool'"},
    {"r(1,1,3,3) d(1,1,2,2) -", {0}, "expected scalar type Float but found Double"},
    {"r(1,1,3,3) r(1,1,2,2) d(1)", {0}, "Input type (float) and bias type (double) should be the same"},
    {"r(1,1,3,3) r(1,1,0,2) -", {0},
        "kernel size should be greater than zero, but got kernel_height: 0 kernel_width: 2"},
    {"r(1,1,0,3) r(1,1,2,2) -", {0, 0, 1, 1},
        "Only zero batch or zero channel inputs are supported, but got input shape: [1, 1, 0, 3]"},
    {NULL},
};
static const OpError conv_transpose1d_errors[] = {
    {"r(5) r(4,4,3) -", {0}, RANKS("2D (unbatched) or 3D (batched)", "conv_transpose1d", "[5]")},
    {"i(1,1,3) i(1,1,2) r(1)", {0}, "result type Float can't be cast to the desired output type Long"},
    {"b(1,1,3) b(1,1,2) r(1)", {0}, "\"slow_conv_transpose2d_out_cpu\" not implemented for 'Bool'"},
    {"r(1,1,3) d(1,1,2) r(1)", {0}, "expected scalar type Float but found Double"},
    {NULL},
};
static const OpError conv_transpose2d_errors[] = {
    {"r(2,4,5,5) r(3,4,3,3) -", {0},
        "Given transposed=1, weight of size [3, 4, 3, 3], expected input[2, 4, 5, 5] to have 3 channels, but got "
                                     "4 channels instead"},
    {"r(2,4,5,5) r(4,2,3,3) r(3)", {0},
        "Given transposed=1, weight of size [4, 2, 3, 3], expected bias to be 1-dimensional with 2 elements, "
                                        "but got bias of size [3] instead"},
    {"r(2,4,5,5) r(4,2,3,3) -", {1, 1, 1, 1, 0, 0, 0, 0, 2, 2},
        "output padding must be smaller than either stride or dilation, but got "
     "output_padding_height: 2 output_padding_width: 2 stride_height: 2 stride_width: 2 dilation_height: 1 "
     "dilation_width: 1"},
    {"r(2,4,5,5) r(4,2,3,3) -", {0, 0, 0, 0, 0, 0, 0, 0, -1}, "negative output_padding is not supported"},
    {"r(4,5) r(4,4,3,3) -", {0}, RANKS("3D (unbatched) or 4D (batched)", "conv_transpose2d", "[4, 5]")},
    {"r(2,3,5,5) r(3,4,3,3) -", {0, 0, 0, 0, 0, 0, 1},
        "Given groups=2, expected weight to be divisible by 2 at dimension 0, but got weight "
                                                       "of size [[3, 4, 3, 3]] instead"},
    {NULL},
};
#define BATCHES(ranks, \
                size) "Expected " ranks \
                    " (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but " \
                    "got: " size
static const OpError unfold_errors[] = {
    {"r(2,0,5,6)", {2, 2}, BATCHES("3D or 4D", "[2, 0, 5, 6]")},
    {"r(2,3,5,6)", {7, 7},
        "Given input with spatial size (5, 6), kernel_size=(7, 7), dilation=(1, 1), padding=(0, 0), calculated shape "
        "of the "
                           "array of sliding blocks as (-1, 0), but its components must be at least one."},
    {"r(2,3,5,6)", {0, 0}, "kernel size should be greater than zero, but got kernel_height: 0 kernel_width: 0"},
    {"r(2,3,5,6)", {2, 2, -1, 0}, "dilation should be greater than zero, but got dilation_height: 0 dilation_width: 1"},
    {"r(2,3,5,6)", {2, 2, 0, 0, -1, 1}, "padding should be non-negative, but got pad_height: -1 pad_width: 1"},
    {"r(2,3,5,6)", {2, 2, 0, 0, 0, 0, -1, -1},
        "stride should be greater than zero, but got stride_height: 0 stride_width: 0"},
    {"i(1,1,3,3)", {2, 2}, "\"im2col_out_cpu\" not implemented for 'Long'"},
    {NULL},
};
#define REDUCE_LANES(height, count, \
                     got) "Given output_size=(" height \
                         ", 6), kernel_size=(2, 2), dilation=(1, 1), padding=(0, 0), stride=(1, 1), expected " \
    "size of input's dimension 2 to match the calculated number of sliding blocks " count \
        ", but got input.size(2)=" got "."
static const OpError fold_errors[] = {
    {"r(2,11,20)", {2, 2, 0, 0, 0, 0, 0, 0, 5, 6},
        "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
                                                   "input.size(1)=11 and kernel_size=(2, 2)."},
    {"r(2,12,21)", {2, 2, 0, 0, 0, 0, 0, 0, 5, 6}, REDUCE_LANES("5", "4 * 5 = 20", "21")},
    {"r(2,12,20)", {2, 2, 0, 0, 0, 0, 0, 0, 1, 6}, REDUCE_LANES("1", "0 * 5 = 0", "20")},
    {"r(12)", {2, 2, 0, 0, 0, 0, 0, 0, 5, 6},
        "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions "
                                              "for input, but got: [12]"},
    {"i(1,4,4)", {2, 2, 0, 0, 0, 0, 0, 0, 3, 3}, "\"col2im_out_cpu\" not implemented for 'Long'"},
    {NULL},
};

static const OpRow rows[] = {
    {"F_conv_tbc", call_conv_tbc, conv_tbc_cases, conv_tbc_errors, SUMS | OWN_GRAD_FN | MAYBE_VIEW,
     .ranks = "3: (T, B, C)"},
    {"F_conv1d", call_conv1d, conv1d_cases, conv1d_errors, SUMS, "12?", .ranks = "23z: (C, L) or (N, C, L)"},
    {"F_conv2d", call_conv2d, conv2d_cases, conv2d_errors, SUMS, "12?", .ranks = "34z: (C, H, W) or (N, C, H, W)"},
    {"F_conv_transpose1d", call_conv_transpose1d, conv_transpose1d_cases, conv_transpose1d_errors, SUMS, "12?",
     .ranks = "23z: (C, L) or (N, C, L)"},
    {"F_conv_transpose2d", call_conv_transpose2d, conv_transpose2d_cases, conv_transpose2d_errors, SUMS, "12?",
     .ranks = "34z: (C, H, W) or (N, C, H, W)"},
    {"F_unfold", call_unfold, unfold_cases, unfold_errors, .ranks = "34z: (C, H, W) or (N, C, H, W)"},
    {"F_fold", call_fold, fold_cases, fold_errors, SUMS, .ranks = "23z: (C, L) or (N, C, L)"},
};
TABLE(convolution_table, "ops_convolution.txt", rows);
