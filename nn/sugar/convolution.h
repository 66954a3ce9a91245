/* nn/sugar/convolution.h: keyword-argument macros of nn/modules/convolution.h (public; gcc and clang, C only). See
 * core/sugar/sugar.h. */
#ifndef TAPEGRAD_NN_SUGAR_CONVOLUTION_H
#define TAPEGRAD_NN_SUGAR_CONVOLUTION_H
#ifndef __cplusplus
#pragma GCC system_header

#include "nn/modules/convolution.h"
#include "nn/sugar/functional_layers.h"

/* nn_Conv2d(1, 6, 5), nn_Conv2d(3, 8, 3, 2, 1), nn_Conv2d(1, 64, (5, 5), (1, 1), (2, 2)), nn_Conv2d(.in_channels = 3,
 * .out_channels = 8, .kernel_size = t_tuple(3, 5), .padding = F_SAME, .bias = false) */
typedef struct nn_ConvArguments_ {
    int first_;
    int64_t in_channels, out_channels, kernel_size_, stride_, padding_, dilation_, groups;
    bool bias;
    const char *padding_mode;
    struct t_too_many_arguments_ *rest_;
    t_Tuple kernel_size, stride, padding, dilation;
    int dtype;
} nn_ConvArguments_;
/* n: the number of sizes that a tuple has. */
#define NN_SIZES_(name, otherwise, to, n) F_sizes_of_(#name, t__o.name##_, &t__o.name, otherwise, to, n)
#define NN_PADDINGS_(name, to, n) F_paddings_of_(#name, t__o.name##_, &t__o.name, to, n)
#define NN_CONV_(n, Type, text, ...) T_BEGIN_(text) \
    T_AT_LEAST_((in_channels, out_channels, kernel_size), text, __VA_ARGS__) \
    T_OPTIONS_(nn_ConvArguments_, t__o, .in_channels = T_NONE, .out_channels = T_NONE, .kernel_size_ = T_LEFT_OUT_, \
    .stride_ = T_LEFT_OUT_, .padding_ = T_LEFT_OUT_, .dilation_ = T_LEFT_OUT_, .groups = 1, .bias = true, \
    .padding_mode = "zeros", .kernel_size = T_NO_TUPLE_, .stride = T_NO_TUPLE_, .padding = T_NO_TUPLE_, \
    .dilation = T_NO_TUPLE_, .first_ = 0, T_NAMED_((in_channels, out_channels, kernel_size, stride, padding, dilation, \
    groups, bias, padding_mode), __VA_ARGS__)) \
    int64_t t__k[n]; \
    nn_ConvOptions t__c = {.size = sizeof t__c, .groups = t__o.groups, .output_padding = {0, F_BOTH}, \
    .bias = t__o.bias, .padding_mode = t__o.padding_mode, .dtype = (t_DType)t__o.dtype}; \
    const bool t__ok = NN_SIZES_(kernel_size, F_NEEDED_, t__k, n) && NN_SIZES_(stride, 1, t__c.stride, n) && \
    NN_PADDINGS_(padding, t__c.padding, n) && \
                       NN_SIZES_(dilation, 1, t__c.dilation, n); \
    T_END_(Type *, t__ok ? Type##_new(t__o.in_channels, t__o.out_channels, t__k, &t__c) : NULL)
#define nn_Conv1d(...) NN_CONV_(2, nn_Conv1d, "nn_Conv1d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_Conv2d(...) NN_CONV_(2, nn_Conv2d, "nn_Conv2d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_Conv3d(...) NN_CONV_(3, nn_Conv3d, "nn_Conv3d(" #__VA_ARGS__ ")", __VA_ARGS__)
/* nn_ConvTranspose2d(8, 3, 2, 2), nn_ConvTranspose2d(8, 3, (3, 3), 2, 1, 1): stride, padding, output_padding, groups,
 * bias, dilation */
typedef struct nn_ConvTransposeArguments_ {
    int first_;
    int64_t in_channels, out_channels, kernel_size_, stride_, padding_, output_padding_, groups;
    bool bias;
    int64_t dilation_;
    const char *padding_mode;
    struct t_too_many_arguments_ *rest_;
    t_Tuple kernel_size, stride, padding, output_padding, dilation;
    int dtype;
} nn_ConvTransposeArguments_;
#define NN_CONV_TRANSPOSE_(n, Type, text, ...) T_BEGIN_(text) \
    T_AT_LEAST_((in_channels, out_channels, kernel_size), text, __VA_ARGS__) \
    T_OPTIONS_(nn_ConvTransposeArguments_, t__o, .in_channels = T_NONE, .out_channels = T_NONE, \
    .kernel_size_ = T_LEFT_OUT_, .stride_ = T_LEFT_OUT_, .padding_ = T_LEFT_OUT_, .output_padding_ = T_LEFT_OUT_, \
    .dilation_ = T_LEFT_OUT_, .groups = 1, .bias = true, .padding_mode = "zeros", .kernel_size = T_NO_TUPLE_, \
    .stride = T_NO_TUPLE_, .padding = T_NO_TUPLE_, .output_padding = T_NO_TUPLE_, .dilation = T_NO_TUPLE_, \
    .first_ = 0, T_NAMED_((in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, \
    dilation), __VA_ARGS__)) \
    int64_t t__k[n]; \
    nn_ConvOptions t__c = {.size = sizeof t__c, .groups = t__o.groups, .bias = t__o.bias, \
    .padding_mode = t__o.padding_mode, .dtype = (t_DType)t__o.dtype}; \
    const bool t__ok = NN_SIZES_(kernel_size, F_NEEDED_, t__k, n) && NN_SIZES_(stride, 1, t__c.stride, n) && \
    NN_PADDINGS_(padding, t__c.padding, n) && \
                       NN_SIZES_(dilation, 1, t__c.dilation, n) && NN_PADDINGS_(output_padding, \
    t__c.output_padding, n); \
    T_END_(Type *, t__ok ? Type##_new(t__o.in_channels, t__o.out_channels, t__k, &t__c) : NULL)
#define nn_ConvTranspose1d(...) NN_CONV_TRANSPOSE_(2, nn_ConvTranspose1d, "nn_ConvTranspose1d(" #__VA_ARGS__ ")", \
    __VA_ARGS__)
#define nn_ConvTranspose2d(...) NN_CONV_TRANSPOSE_(2, nn_ConvTranspose2d, "nn_ConvTranspose2d(" #__VA_ARGS__ ")", \
    __VA_ARGS__)
#define nn_ConvTranspose3d(...) NN_CONV_TRANSPOSE_(3, nn_ConvTranspose3d, "nn_ConvTranspose3d(" #__VA_ARGS__ ")", \
    __VA_ARGS__)

/* nn_Unfold(3), nn_Unfold((2, 3), .padding = 1), nn_Fold((8, 6), 3) */
#define nn_Unfold(...) T_BEGIN_("nn_Unfold(" #__VA_ARGS__ ")") F_UNFOLD_OPTIONS_(__VA_ARGS__) \
    T_END_(nn_Unfold *, t__ok ? nn_Unfold_new(t__k, &t__c) : NULL)
#define nn_Fold(...) T_BEGIN_("nn_Fold(" #__VA_ARGS__ ")") F_FOLD_OPTIONS_(__VA_ARGS__) \
    T_END_(nn_Fold *, t__ok && F_PAIR_(output_size, F_NEEDED_, t__z) ? nn_Fold_new(t__z, t__k, &t__c) : NULL)

#endif
#endif
