/* nn/sugar/lazy.h: keyword-argument macros of nn/modules/lazy.h (public; gcc and clang, C only). See
 * core/sugar/sugar.h. */
#ifndef TAPEGRAD_NN_SUGAR_LAZY_H
#define TAPEGRAD_NN_SUGAR_LAZY_H
#ifndef __cplusplus
#pragma GCC system_header

#include "nn/modules/lazy.h"
#include "nn/sugar/convolution.h"
#include "nn/sugar/norms.h"

/* nn_LazyLinear(10), nn_LazyLinear(10, .bias = false) */
typedef struct nn_LazyLinearArguments_ {
    int first_; int64_t out_features; bool bias; int dtype;
} nn_LazyLinearArguments_;
#define nn_LazyLinear(...) T_NEW_ARGUMENTS_(nn_LazyLinear *, (out_features), nn_LazyLinear_new(t__o.out_features, \
    &(const nn_LinearOptions){sizeof(nn_LinearOptions), t__o.bias, (t_DType)t__o.dtype}), \
    "nn_LazyLinear(" #__VA_ARGS__ ")", nn_LazyLinearArguments_, (.out_features = T_NONE, .bias = true), __VA_ARGS__)

/* The same as the macros of sugar/convolution.h, without in_channels: nn_LazyConv2d(8, 3), nn_LazyConv2d(8, (3, 5),
 * 2) */
typedef struct nn_LazyConvArguments_ {
    int first_;
    int64_t out_channels, kernel_size_, stride_, padding_, dilation_, groups;
    bool bias;
    const char *padding_mode;
    struct t_too_many_arguments_ *rest_;
    t_Tuple kernel_size, stride, padding, dilation;
    int dtype;
} nn_LazyConvArguments_;
#define NN_LAZY_CONV_(n, Type, text, ...) T_BEGIN_(text) \
    T_AT_LEAST_((out_channels, kernel_size), text, __VA_ARGS__) \
    T_OPTIONS_(nn_LazyConvArguments_, t__o, .out_channels = T_NONE, .kernel_size_ = T_LEFT_OUT_, \
    .stride_ = T_LEFT_OUT_, .padding_ = T_LEFT_OUT_, .dilation_ = T_LEFT_OUT_, .groups = 1, .bias = true, \
    .padding_mode = "zeros", .kernel_size = T_NO_TUPLE_, .stride = T_NO_TUPLE_, .padding = T_NO_TUPLE_, \
    .dilation = T_NO_TUPLE_, .first_ = 0, T_NAMED_((out_channels, kernel_size, stride, padding, dilation, \
    groups, bias, padding_mode), __VA_ARGS__)) \
    int64_t t__k[n]; \
    nn_ConvOptions t__c = {.size = sizeof t__c, .groups = t__o.groups, .output_padding = {0, F_BOTH}, \
    .bias = t__o.bias, .padding_mode = t__o.padding_mode, .dtype = (t_DType)t__o.dtype}; \
    const bool t__ok = NN_SIZES_(kernel_size, F_NEEDED_, t__k, n) && NN_SIZES_(stride, 1, t__c.stride, n) && \
    NN_PADDINGS_(padding, t__c.padding, n) && \
                       NN_SIZES_(dilation, 1, t__c.dilation, n); \
    T_END_(Type *, t__ok ? Type##_new(t__o.out_channels, t__k, &t__c) : NULL)
#define nn_LazyConv1d(...) NN_LAZY_CONV_(2, nn_LazyConv1d, "nn_LazyConv1d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_LazyConv2d(...) NN_LAZY_CONV_(2, nn_LazyConv2d, "nn_LazyConv2d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_LazyConv3d(...) NN_LAZY_CONV_(3, nn_LazyConv3d, "nn_LazyConv3d(" #__VA_ARGS__ ")", __VA_ARGS__)
typedef struct nn_LazyConvTransposeArguments_ {
    int first_;
    int64_t out_channels, kernel_size_, stride_, padding_, output_padding_, groups;
    bool bias;
    int64_t dilation_;
    const char *padding_mode;
    struct t_too_many_arguments_ *rest_;
    t_Tuple kernel_size, stride, padding, output_padding, dilation;
    int dtype;
} nn_LazyConvTransposeArguments_;
#define NN_LAZY_CONV_TRANSPOSE_(n, Type, text, ...) T_BEGIN_(text) \
    T_AT_LEAST_((out_channels, kernel_size), text, __VA_ARGS__) \
    T_OPTIONS_(nn_LazyConvTransposeArguments_, t__o, .out_channels = T_NONE, \
    .kernel_size_ = T_LEFT_OUT_, .stride_ = T_LEFT_OUT_, .padding_ = T_LEFT_OUT_, .output_padding_ = T_LEFT_OUT_, \
    .dilation_ = T_LEFT_OUT_, .groups = 1, .bias = true, .padding_mode = "zeros", .kernel_size = T_NO_TUPLE_, \
    .stride = T_NO_TUPLE_, .padding = T_NO_TUPLE_, .output_padding = T_NO_TUPLE_, .dilation = T_NO_TUPLE_, \
    .first_ = 0, T_NAMED_((out_channels, kernel_size, stride, padding, output_padding, groups, bias, \
    dilation), __VA_ARGS__)) \
    int64_t t__k[n]; \
    nn_ConvOptions t__c = {.size = sizeof t__c, .groups = t__o.groups, .bias = t__o.bias, \
    .padding_mode = t__o.padding_mode, .dtype = (t_DType)t__o.dtype}; \
    const bool t__ok = NN_SIZES_(kernel_size, F_NEEDED_, t__k, n) && NN_SIZES_(stride, 1, t__c.stride, n) && \
    NN_PADDINGS_(padding, t__c.padding, n) && \
                       NN_SIZES_(dilation, 1, t__c.dilation, n) && NN_PADDINGS_(output_padding, \
    t__c.output_padding, n); \
    T_END_(Type *, t__ok ? Type##_new(t__o.out_channels, t__k, &t__c) : NULL)
#define nn_LazyConvTranspose1d(...) NN_LAZY_CONV_TRANSPOSE_(2, nn_LazyConvTranspose1d, \
    "nn_LazyConvTranspose1d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_LazyConvTranspose2d(...) NN_LAZY_CONV_TRANSPOSE_(2, nn_LazyConvTranspose2d, \
    "nn_LazyConvTranspose2d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_LazyConvTranspose3d(...) NN_LAZY_CONV_TRANSPOSE_(3, nn_LazyConvTranspose3d, \
    "nn_LazyConvTranspose3d(" #__VA_ARGS__ ")", __VA_ARGS__)

/* nn_LazyBatchNorm2d(), nn_LazyBatchNorm2d(.momentum = 0.3) */
typedef struct nn_LazyNormArguments_ {
    int first_; double eps, momentum; bool affine, track_running_stats, bias; int dtype;
} nn_LazyNormArguments_;
#define NN_LAZY_NORM_(Type, text, ...) T_BEGIN_(text) \
    T_OPTIONS_(nn_LazyNormArguments_, t__o, .eps = 1e-5, .momentum = 0.1, .affine = true, .track_running_stats = true, \
    .bias = true, .first_ = 0, __VA_ARGS__) \
    T_END_(Type *, Type##_new(&(const nn_BatchNormOptions){sizeof(nn_BatchNormOptions), t__o.eps, t__o.momentum, \
    t__o.affine, t__o.track_running_stats, t__o.bias, (t_DType)t__o.dtype}))
#define nn_LazyBatchNorm1d(...) NN_LAZY_NORM_(nn_LazyBatchNorm1d, "nn_LazyBatchNorm1d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_LazyBatchNorm2d(...) NN_LAZY_NORM_(nn_LazyBatchNorm2d, "nn_LazyBatchNorm2d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_LazyBatchNorm3d(...) NN_LAZY_NORM_(nn_LazyBatchNorm3d, "nn_LazyBatchNorm3d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_LazyInstanceNorm1d(...) NN_LAZY_NORM_(nn_LazyInstanceNorm1d, "nn_LazyInstanceNorm1d(" #__VA_ARGS__ ")", \
    __VA_ARGS__)
#define nn_LazyInstanceNorm2d(...) NN_LAZY_NORM_(nn_LazyInstanceNorm2d, "nn_LazyInstanceNorm2d(" #__VA_ARGS__ ")", \
    __VA_ARGS__)
#define nn_LazyInstanceNorm3d(...) NN_LAZY_NORM_(nn_LazyInstanceNorm3d, "nn_LazyInstanceNorm3d(" #__VA_ARGS__ ")", \
    __VA_ARGS__)

#endif
#endif
