/* tests/ops/table/op_table_volumes.c: the functions of torch.nn.functional over three dims. A size of 0 is one that is
 * not given, except for a padding. */
#include "tests/ops/table/op_table.h"

#include <math.h>

#include "nn/functional/functional.h"

static t_TensorList *two(Tensor *a, Tensor *b) {
    return a && b ? t_list_new((Tensor *[]){a, b}, 2) : NULL;
}

/* Numbers: groups, 1 for padding="same", then three strides, paddings and dilations as digits of one number each, and
 * of the transposed one three output paddings. */
static void digits(int64_t number, int64_t otherwise, int64_t to[3]) {
    for (int d = 0; d < 3; d++) to[d] = number < 0 ? number : otherwise;
    if (number > 0) for (int d = 2; d >= 0; d--, number /= 10) to[d] = number % 10;
}
static F_Conv3dOptions conv_options(const Call *c) {
    F_Conv3dOptions o = F_Conv3dDefaults;
    o.groups = c->n[0] ? c->n[0] : 1;
    digits(c->n[2], 1, o.stride);
    digits(c->n[3], 0, o.padding);
    digits(c->n[4], 1, o.dilation);
    digits(c->n[5], 0, o.output_padding);
    if (c->n[1]) o.padding[0] = F_SAME;
    return o;
}
#define CALL_CONV(f) static t_TensorList *call_##f(const Call *c) { \
    const F_Conv3dOptions o = conv_options(c); \
    return list_of(F_##f(c->x[0], c->x[1], c->x[2], &o)); \
}
CALL_CONV(conv3d)
CALL_CONV(conv_transpose3d)
/* Numbers: kernel, stride, padding, dilation (all as above), ceil_mode, 1 for count_include_pad=False, divisor. */
static F_Pool3dOptions pool_options(const Call *c) {
    F_Pool3dOptions o = F_Pool3dDefaults;
    digits(c->n[0], 0, o.kernel_size);
    if (c->n[1]) digits(c->n[1], 0, o.stride);
    digits(c->n[2], 0, o.padding);
    digits(c->n[3], 1, o.dilation);
    o.ceil_mode = c->n[4];
    o.count_include_pad = !c->n[5];
    if (c->n[6]) o.divisor_override = c->n[6];
    return o;
}
static t_TensorList *call_max_pool3d(const Call *c) {
    Tensor *indices = NULL;
    F_Pool3dOptions o = pool_options(c);
    o.indices = &indices;
    Tensor *y = F_max_pool3d(c->x[0], &o);
    return y ? two(y, indices) : NULL;
}
static t_TensorList *call_avg_pool3d(const Call *c) {
    const F_Pool3dOptions o = pool_options(c);
    return list_of(F_avg_pool3d(c->x[0], &o));
}
/* The last number: norm_type in quarters (-1: inf). */
static t_TensorList *call_lp_pool3d(const Call *c) {
    const F_Pool3dOptions o = pool_options(c);
    return list_of(F_lp_pool3d(c->x[0], c->n[7] < 0 ? (double)INFINITY : (double)c->n[7] / 4, &o));
}
/* The last number: output_size. */
static t_TensorList *call_max_unpool3d(const Call *c) {
    const F_Pool3dOptions o = pool_options(c);
    int64_t size[3];
    digits(c->n[7], 0, size);
    return list_of(F_max_unpool3d(c->x[0], c->x[1], &o, c->n[7] ? size : NULL));
}
static t_TensorList *call_adaptive_avg_pool3d(const Call *c) {
    return list_of(F_adaptive_avg_pool3d(c->x[0], c->n));
}
static t_TensorList *call_adaptive_max_pool3d(const Call *c) {
    Tensor *indices = NULL, *y = F_adaptive_max_pool3d(c->x[0], c->n, &indices);
    return y ? two(y, indices) : NULL;
}
static t_TensorList *call_dropout3d(const Call *c) {
    return list_of(F_dropout3d(c->x[0], (double)c->n[0] / 100, c->n[1], false));
}
/* Numbers: kernel, output_size (0: not given), output_ratio in hundredths; the second input: the samples. */
#define CALL_FRACTIONAL(f)                                                                                   \
    static t_TensorList *call_##f(const Call *c) {                                                           \
        Tensor *indices = NULL;                                                                              \
        F_FractionalMaxPoolOptions o = F_FractionalMaxPoolDefaults;                                          \
        digits(c->n[0], 0, o.kernel_size);                                                                   \
        if (c->n[1]) digits(c->n[1], 0, o.output_size);                                                      \
        for (int d = 0; d < 3; d++) o.output_ratio[d] = c->n[2] ? (double)c->n[2] / 100 : (double)NAN;       \
        o.indices = &indices;                                                                                \
        o._random_samples = c->x[1];                                                                         \
        Tensor *y = F_##f(c->x[0], &o);                                                                      \
        return y ? two(y, indices) : NULL;                                                                   \
    }
CALL_FRACTIONAL(fractional_max_pool2d)
CALL_FRACTIONAL(fractional_max_pool3d)

/* ---- cases ---- */

static const OpCase conv3d_cases[] = {
    {"r(2,3,3,4,3) r(4,3,2,2,2) r(4)"}, {"r(3,2,3,4) r(2,3,1,2,3) -"},
    {"r(1,4,3,3,4) r(4,2,2,1,2) r(4)", {2, 0, 212, 101}}, {"r(1,2,4,4,3) r(2,2,2,2,2) -", {1, 0, 0, 100, 211}},
    {"r(1,2,3,3,3) r(2,2,2,3,1) r(2)", {1, 1}}, {"r(1,4,2,3,2) r(4,1,2,2,2) r(4)", {4, 0, 121, 11}},
    {"r(0,2,2,2,2) r(1,2,2,2,2) -"}, {"R(1,2,2,3,2) r(2,2,2,2,2) R(2)"}, {"r(1,2,2,3,2) R(2,2,2,2,2) r(2)"},
    {"i(1,2,2,3,2) i(2,2,2,2,2) i(2)"}, {NULL}};
static const OpCase conv_transpose3d_cases[] = {
    {"r(2,3,2,2,3) r(3,2,2,2,2) r(2)"}, {"r(3,2,2,2) r(3,2,1,2,2) -"},
    {"r(1,4,2,3,2) r(4,1,2,2,2) r(2)", {2, 0, 212, 10, 0, 101}}, {"r(1,2,2,2,2) r(2,2,2,1,2) -", {1, 0, 0, 0, 212}},
    {"r(0,2,2,2,2) r(2,1,2,2,2) -"}, {"R(1,2,2,2,2) r(2,2,2,2,2) R(2)"}, {"i(1,2,2,1,2) i(2,2,2,2,2) i(2)"}, {NULL}};
static const OpCase max_pool3d_cases[] = {
    {"s(2,2,4,4,4)", {222}}, {"s(2,3,4,3)", {212, 111}}, {"s(1,2,4,3,4)", {322, 212, 101}},
    {"s(1,1,4,5,4)", {222, 111, 0, 212}}, {"s(1,2,3,3,3)", {222, 0, 0, 0, 1}}, {"s(0,2,2,2,2)", {222}},
    {"S(1,1,2,3,2)", {222, 111}}, {"i(1,1,3,3,2)", {222, 111}}, {"t(1,1,3,2,4)", {212, 111}}, {NULL}};
static const OpCase avg_pool3d_cases[] = {
    {"r(2,2,4,4,4)", {222}}, {"r(2,3,4,3)", {212, 111}}, {"r(1,2,4,3,4)", {322, 212, 101}},
    {"r(1,2,4,3,4)", {322, 212, 101, 0, 0, 1}}, {"r(1,2,3,3,3)", {222, 0, 0, 0, 1}},
    {"r(1,1,3,4,3)", {222, 222, 111, 0, 1, 1}}, {"r(1,1,3,3,2)", {222, 111, 0, 0, 0, 0, 3}}, {"r(0,2,2,2,2)", {222}},
    {"R(1,1,2,3,2)", {222, 111}}, {"i(1,1,3,3,2)", {222, 111}}, {NULL}};
static const OpCase lp_pool3d_cases[] = {
    {"p(1,2,4,3,4)", {222, 0, 0, 0, 0, 0, 0, 8}}, {"p(2,3,4,3)", {212, 111, 0, 0, 0, 0, 0, 6}},
    {"p(1,1,3,3,3)", {222, 0, 0, 0, 1, 0, 0, 4}}, {"s(1,1,3,3,3)", {222, 111, 0, 0, 0, 0, 0, -1}},
    {"P(0,2,2,2,2)", {222, 0, 0, 0, 0, 0, 0, 8}}, {NULL}};
static const OpCase max_unpool3d_cases[] = {
    {"r(2,2,1,1,1) k8(2,2,1,1,1)", {222}}, {"r(3,1,1,1) k4(3,1,1,1)", {122, 112}},
    {"r(1,3,1,1,1) k9(1,3,1,1,1)", {222, 0, 0, 0, 0, 0, 0, 323}}, {"R(0,2,2,2,2) k8(0,2,2,2,2)", {222}}, {NULL}};
static const OpCase adaptive_avg_pool3d_cases[] = {
    {"r(2,2,4,4,4)", {2, F_BOTH}}, {"r(2,3,5,4)", {2, 3, 4}}, {"r(1,2,3,4,5)", {1, T_NONE, 2}},
    {"r(1,2,2,3,2)", {1, 1, 1}}, {"r(1,2,2,2,2)", {3, 4, 5}}, {"r(0,2,2,2,2)", {1, F_BOTH}},
    {"R(1,1,3,2,2)", {2, F_BOTH}}, {"R(1,1,2,2,2)", {0, 1, 1}}, {NULL}};
static const OpCase adaptive_max_pool3d_cases[] = {
    {"s(2,2,4,4,4)", {2, F_BOTH}}, {"s(2,3,5,4)", {2, 3, 4}}, {"s(1,2,3,4,5)", {1, T_NONE, 2}},
    {"s(1,2,2,3,2)", {1, 1, 1}}, {"s(1,1,2,2,2)", {3, 4, 5}}, {"s(0,2,2,2,2)", {1, F_BOTH}},
    {"S(1,1,3,2,2)", {2, F_BOTH}}, {NULL}};
static const OpCase dropout3d_cases[] = {
    {"r(3,4,2,2,2)", {50, 1}}, {"r(5,2,1,2)", {30, 1}}, {"r(2,3,1,2,2)", {100, 1}}, {"r(3,2,2,1,2)", {0, 1}},
    {"r(3,2,2,2)", {50, 0}}, {"r(0,2,2,1,2)", {50, 1}}, {"R(3,4,1,1,2)", {20, 1}}, {NULL}};
/* Two digits of each number and a 0 are the sizes over two dims. */
static const OpCase fractional_max_pool2d_cases[] = {
    {"s(2,2,7,6) Q(2,2,2)", {230, 430}}, {"s(2,6,9) -", {320, 0, 55}}, {"s(1,2,8,5) -", {210, 540}},
    {"t(1,1,6,6) Q(1,1,2)", {330, 330}}, {"S(1,1,4,4) -", {220, 220}}, {"s(0,2,4,4) -", {220, 220}},
    {"x(1,1,3,4) -", {220, 220}}, {"s(1,1,5,4) Q(2,1,2)", {320, 110}}, {NULL}};
static const OpCase fractional_max_pool3d_cases[] = {
    {"s(2,1,4,5,5) Q(2,1,3)", {212, 232}}, {"s(2,6,4,5) -", {321, 0, 45}}, {"s(1,2,5,4,4) -", {123, 321}},
    {"S(1,1,4,4,4) -", {222, 222}}, {"s(0,2,4,4,4) -", {222, 222}}, {NULL}};

/* ---- refusals ---- */

static const OpError conv3d_errors[] = {
    {"r(5,5,5) r(6,4,2,2,2) -", {0},
        "Expected 4D (unbatched) or 5D (batched) input to conv3d, but got input of size: [5, 5, 5]"},
    {"r(2,4,5,5,5) r(6,3,2,2,2) -", {0},
        "Given groups=1, weight of size [6, 3, 2, 2, 2], expected input[2, 4, 5, 5, 5] to have 3 channels, but got 4 "
        "channels instead"},
    {"r(1,4,5,5,5) r(6,4,2,2,2) r(5)", {0},
        "Given weight of size [6, 4, 2, 2, 2], expected bias to be 1-dimensional with 6 elements, but got bias of size "
        "[5] instead"},
    {"r(1,4,3,3,3) r(3,2,2,2,2) -", {2},
        "Given groups=2, expected weight to be divisible by 2 at dimension 0, but got weight of size [[3, 2, 2, 2, 2]] "
        "instead"},
    {"r(1,4,3,3,3) r(0,4,2,2,2) -", {0},
        "Given groups=1, expected weight to be at least 1 at dimension 0, but got weight of size [0, 4, 2, 2, 2] "
        "instead"},
    {"r(1,1,3,3,3) r(1,1,2,2,2) -", {-1}, "non-positive groups is not supported"},
    {"r(1,1,3,3,3) r(1,1,2,2,2) -", {1, 0, -1}, "non-positive stride is not supported"},
    {"r(1,1,3,3,3) r(1,1,2,2,2) -", {1, 0, 0, -1}, "negative padding is not supported"},
    {"r(1,1,3,3,3) r(1,1,2,2,2) -", {1, 0, 0, 0, -1}, "dilation should be greater than zero"},
    {"r(1,1,5,5,5) r(1,1,7,2,2) -", {0},
        "Calculated padded input size per channel: (5 x 5 x 5). Kernel size: (7 x 2 x 2). Kernel size can't be greater "
        "than actual input size"},
    {"r(1,1,0,5,5) r(1,1,1,2,2) -", {1, 0, 0, 222},
        "Only zero batch or zero channel inputs are supported, but got input shape: [1, 1, 0, 5, 5]"},
    {"r(1,1,3,3,3) r(1,1,2,2,2) -", {1, 1, 211}, "padding='same' is not supported for strided convolutions"},
    {"F(1,1,3,3,3) D(1,1,2,2,2) -", {0},
        "Input type (torch.FloatTensor) and weight type (torch.DoubleTensor) should be the same or input should be a "
        "MKLDNN tensor and weight is a dense tensor"},
    {"F(1,1,3,3,3) F(1,1,2,2,2) D(1)", {0}, "Input type (float) and bias type (double) should be the same"},
    {"b(1,1,3,3,3) b(1,1,2,2,2) -", {0}, "\"compute_columns3d\" not implemented for 'Bool'"},
    {NULL}};
static const OpError conv_transpose3d_errors[] = {
    {"r(2,4,5,5,5) r(6,4,2,2,2) -", {0},
        "Given transposed=1, weight of size [6, 4, 2, 2, 2], expected input[2, 4, 5, 5, 5] to have 6 channels, but got "
        "4 channels instead"},
    {"r(1,4,5,5,5) r(4,6,2,2,2) r(4)", {0},
        "Given transposed=1, weight of size [4, 6, 2, 2, 2], expected bias to be 1-dimensional with 6 elements, but "
        "got bias of size [4] instead"},
    {"r(1,1,2,2,2) r(1,1,2,2,2) -", {1, 0, 0, 0, 0, 111},
        "output padding must be smaller than either stride or dilation, but got output_padding_depth: 1 "
        "output_padding_height: 1 output_padding_width: 1 stride_depth: 1 stride_height: 1 stride_width: 1 "
        "dilation_depth: 1 dilation_height: 1 dilation_width: 1"},
    {"r(1,1,2,2,2) r(1,1,2,2,2) -", {1, 0, 0, 222},
        "Given input size per channel: (2 x 2 x 2). Calculated output size per channel: (-1 x -1 x -1). Output size is "
        "too small"},
    {"r(1,1,2,2,2) r(1,1,2,2,2) -", {1, 1}, "conv_transpose3d takes integers for padding, not F_SAME or F_VALID"},
    {NULL}};
#define POOL_ERRORS \
    {"r(5,5,5)", {222}, "non-empty 4D or 5D (batch mode) tensor expected for input"}, \
    {"r(1,1,5,5,5)", {222, -1}, "stride should be greater than zero, but got dT: -1 dH: -1 dW: -1"}, \
    {"r(1,1,5,5,5)", {222, 0, 222}, \
        "pad should be at most half of effective kernel size, but got pad=2, kernel_size=2 and dilation=1"}, \
    {"r(1,1,5,5,5)", {222, 0, -1}, "pad must be non-negative, but got pad: -1"}
static const OpError max_pool3d_errors[] = {
    POOL_ERRORS,
    {"r(1,4,5,5,5)", {777},
        "Given input size: (4x5x5x5). Calculated output size: (4x0x0x0). Output size is too small"},
    {"r(1,1,2,5,5)", {522, 111}, "Given input size: (1x2x5x5). Calculated output size: (1x-2x4x4). Output size is too "
                                  "small"},
    {"r(2,0,5,5,5)", {222},
        "max_pool3d_with_indices_out_cpu_template(): Expected input to have non-zero size for non-batch dimensions, "
        "but input has sizes [2, 0, 5, 5, 5] with dimension 1 being empty"},
    {"b(1,1,5,5,5)", {222}, "\"max_pool3d\" not implemented for 'Bool'"}, {NULL}};
static const OpError avg_pool3d_errors[] = {
    POOL_ERRORS,
    {"r(1,4,5,5,5)", {777}, "input image (T: 5 H: 5 W: 5) smaller than kernel size (kT: 7 kH: 7 kW: 7)"},
    {"b(1,1,5,5,5)", {222}, "\"avg_pool3d_out_frame\" not implemented for 'Bool'"}, {NULL}};
static const OpError lp_pool3d_errors[] = {
    {"r(1,1,2,2,2)", {222}, "norm_type must be a non-zero value, but got 0.0"}, {NULL}};
static const OpError max_unpool3d_errors[] = {
    {"r(1,1,2,2,2) k8(1,1,2,2,2)", {222, 0, 0, 0, 0, 0, 0, 744},
        "invalid output_size \"(7, 4, 4)\" (dim 0 must be between 2 and 6)"},
    {"r(1,1,2,2,2) F(1,1,2,2,2)", {222}, "elements in indices should be type int64 but got: Float"},
    {"r(1,1,2,2,2) k8(1,2,2,2)", {222},
        "Expected shape of indices to be same as that of the input tensor ([1, 1, 2, 2, 2]) but got indices tensor "
        "with shape: [1, 2, 2, 2]"},
    {"r(2,2,2) k8(2,2,2)", {222},
        "Input to max_unpooling3d should be a 4d or 5d Tensor, but got a tensor with 3 dimensions."},
    {"i(1,1,2,2,2) k8(1,1,2,2,2)", {222}, "\"max_unpool3d\" not implemented for 'Long'"}, {NULL}};
static const OpError adaptive_avg_pool3d_errors[] = {
    {"r(5,5,5)", {2, F_BOTH}, "adaptive_avg_pool3d(): Expected 4D or 5D tensor, but got [5, 5, 5]"},
    {"r(1,1,2,2,2)", {-1, F_BOTH},
        "adaptive_avg_pool3d: elements of output_size must be greater than or equal to 0 but received {-1, -1,-1}"},
    {"r(2,0,5,5,5)", {2, F_BOTH},
        "adaptive_avg_pool3d(): Expected input to have non-zero size for non-batch dimensions, but input has sizes [2, "
        "0, 5, 5, 5] with dimension 1 being empty"},
    {"i(1,1,2,2,2)", {2, F_BOTH}, "\"adaptive_avg_pool3d_cpu\" not implemented for 'Long'"}, {NULL}};
static const OpError adaptive_max_pool3d_errors[] = {
    {"r(5,5,5)", {2, F_BOTH}, "adaptive_max_pool3d(): Expected 4D or 5D tensor, but got: [5, 5, 5]"},
    {"r(1,1,2,2,2)", {-1, F_BOTH}, "Trying to create tensor with negative dimension -1: [1, 1, -1, -1, -1]"},
    {"i(1,1,2,2,2)", {2, F_BOTH}, "\"adaptive_max_pool3d_cpu\" not implemented for 'Long'"}, {NULL}};
static const OpError dropout3d_errors[] = {
    {"r(1,2,2,2,2)", {150, 1}, "dropout probability has to be between 0 and 1, but got 1.5"},
    {"i(1,2,2,2,2)", {50, 1}, "result type Float can't be cast to the desired output type Long"}, {NULL}};
#define IN_2D "fractional_max_pool2d(): "
#define IN_3D "fractional_max_pool3d_out(): "
static const OpError fractional_max_pool2d_errors[] = {
    {"r(1,1,6,6) -", {220}, "fractional_max_pool2d requires specifying either an output_size or an output_ratio"},
    {"r(1,1,6,6) -", {220, 650}, IN_2D "pool height 2 too large relative to input height 6"},
    {"r(1,1,6,6) -", {120, 580}, IN_2D "pool width 2 too large relative to input width 6"},
    {"r(1,1,6,6) -", {10, 220}, IN_2D "kernel size should be greater than zero, but got 0x1"},
    {"r(6,6) -", {220, 220}, "Dimension out of range (expected to be in range of [-2, 1], but got -3)"},
    {"r(2,0,6,6) -", {220, 220}, IN_2D "Expected input to have non-zero size for non-batch dimensions, but got"
        "[2, 0, 6, 6] with dimension 1 being empty."},
    {"r(2,1,6,6) R(2,1,3)", {220, 220}, "Expect _random_samples.size(2) equals to 2; got 3."},
    {"r(2,1,6,6) R(2,1)", {220, 220}, "Expect _random_samples to have 3 dimensions, got 2"},
    {"r(2,1,6,6) R(1,1,2)", {220, 220}, "Expect _random_samples.size(0) no less then input batch size."},
    {"r(2,1,6,6) R(2,2,2)", {220, 220}, "Expect _random_samples.size(1) equals to input channel size."},
    {"f(2,1,6,6) D(2,1,2)", {220, 220}, "Expect _random_samples to have the same dtype as input"},
    {"r(2,1,6,6) r(2,1,2)", {220, 220}, "The function 'fractional_max_pool2d' is not differentiable with respect to "
        "argument 'random_samples'. This input cannot have requires_grad True."},
    {"i(1,1,6,6) -", {220, 220}, "\"check_uniform_bounds\" not implemented for 'Long'"}, {NULL}};
static const OpError fractional_max_pool3d_errors[] = {
    {"r(1,1,4,6,6) -", {222}, "fractional_max_pool3d requires specifying either an output_size or an output_ratio"},
    {"r(1,1,4,6,6) -", {222, 322}, IN_3D "pool time 2 too large relative to input time 4"},
    {"r(1,1,4,6,6) -", {222, 255}, IN_3D "pool width 2 too large relative to input width 6"},
    {"r(1,1,4,6,6) -", {222, 252},
        IN_3D "pool height 2 too large relative to input height 6"},
    {"r(1,1,4,6,6) -", {11, 222},
        "fractional_max_pool3d(): kernel size should be greater than zero, but got 0x1x1"},
    {"r(2,1,6,6,6) R(2,1,2)", {222, 222}, "Expect _random_samples.size(2) equals to 3; got 2."}, {NULL}};

#define VOLUMES "45z: (C, D, H, W) or (N, C, D, H, W)"
static const OpRow rows[] = {
    {"F_conv3d", call_conv3d, conv3d_cases, conv3d_errors, SUMS | OWN_GRAD_FN, "12?", VOLUMES},
    {"F_conv_transpose3d", call_conv_transpose3d, conv_transpose3d_cases, conv_transpose3d_errors, SUMS | OWN_GRAD_FN,
        "12?", VOLUMES},
    {"F_max_pool3d", call_max_pool3d, max_pool3d_cases, max_pool3d_errors, OWN_GRAD_FN, .ranks = VOLUMES},
    {"F_avg_pool3d", call_avg_pool3d, avg_pool3d_cases, avg_pool3d_errors, SUMS | OWN_GRAD_FN, .ranks = VOLUMES},
    {"F_lp_pool3d", call_lp_pool3d, lp_pool3d_cases, lp_pool3d_errors, SUMS | OWN_GRAD_FN, .ranks = VOLUMES},
    {"F_max_unpool3d", call_max_unpool3d, max_unpool3d_cases, max_unpool3d_errors, OWN_GRAD_FN, .ranks = VOLUMES},
    {"F_adaptive_avg_pool3d", call_adaptive_avg_pool3d, adaptive_avg_pool3d_cases, adaptive_avg_pool3d_errors,
        SUMS | OWN_GRAD_FN, .ranks = VOLUMES},
    {"F_adaptive_max_pool3d", call_adaptive_max_pool3d, adaptive_max_pool3d_cases, adaptive_max_pool3d_errors,
        OWN_GRAD_FN, .ranks = VOLUMES},
    {"F_fractional_max_pool2d", call_fractional_max_pool2d, fractional_max_pool2d_cases, fractional_max_pool2d_errors,
        OWN_GRAD_FN | RANDOM, "1?", "34z: (C, H, W) or (N, C, H, W)"},
    {"F_fractional_max_pool3d", call_fractional_max_pool3d, fractional_max_pool3d_cases, fractional_max_pool3d_errors,
        OWN_GRAD_FN | RANDOM, "1?", VOLUMES},
    {"F_dropout3d", call_dropout3d, dropout3d_cases, dropout3d_errors, RANDOM | MAYBE_VIEW, .ranks = VOLUMES},
};
TABLE(volumes_table, "ops_volumes.txt", rows);
