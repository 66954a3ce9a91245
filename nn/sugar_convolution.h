/* nn/sugar_convolution.h: Python's face of nn/convolution.h (public; gcc and clang, C only). See core/sugar.h. */
#ifndef TAPEGRAD_NN_SUGAR_CONVOLUTION_H
#define TAPEGRAD_NN_SUGAR_CONVOLUTION_H
#ifndef __cplusplus
#pragma GCC system_header

#include "nn/convolution.h"
#include "nn/functional_layers_sugar.h"

/* nn_Conv2d(1, 6, 5), nn_Conv2d(3, 8, 3, 2, 1), nn_Conv2d(3, 8, .kernel_size = {3, 5}, .padding = F_SAME, .bias = false) */
typedef struct nn_ConvArguments_ {
    int first_;
    int64_t kernel_size_, stride_, padding_, dilation_, groups;
    bool bias;
    const char *padding_mode;
    struct t_too_many_arguments_ *rest_;
    int64_t kernel_size[2], stride[2], padding[2], dilation[2];
    t_DType dtype;
} nn_ConvArguments_;
#define NN_CONV_(Type, text, in, ...) T_BEGIN_(text) T_WHOLE_(t__in = (in), t__out = T_HEAD_(__VA_ARGS__))              \
    F_SIZES_(nn_ConvArguments_, t__o, .kernel_size_ = F_BOTH, .stride_ = F_BOTH, .padding_ = F_BOTH, .dilation_ = F_BOTH, .groups = 1, .bias = true, \
             .padding_mode = "zeros", .kernel_size = {0, F_BOTH}, .stride = {1, F_BOTH}, .padding = {0, F_BOTH}, .dilation = {1, F_BOTH}, \
             F_FROM_(kernel_size, T_TAIL_(__VA_ARGS__)))                                                                        \
    const int64_t t__k[] = F_PAIR_(kernel_size);                                                                       \
    const nn_ConvOptions t__c = {sizeof(nn_ConvOptions), F_PAIR_(stride), F_PAIR_(padding), F_PAIR_(dilation), t__o.groups, {0, F_BOTH}, \
                                 t__o.bias, t__o.padding_mode, t__o.dtype};                                            \
    T_END_(Type *, Type##_new(t__in, t__out, t__k, &t__c))
#define nn_Conv1d(in, ...) NN_CONV_(nn_Conv1d, "nn_Conv1d(" #in ", " #__VA_ARGS__ ")", in, __VA_ARGS__)
#define nn_Conv2d(in, ...) NN_CONV_(nn_Conv2d, "nn_Conv2d(" #in ", " #__VA_ARGS__ ")", in, __VA_ARGS__)
/* nn_ConvTranspose2d(8, 3, 2, 2), nn_ConvTranspose2d(8, 3, 3, 2, 1, 1): stride, padding, output_padding, groups, bias, dilation */
typedef struct nn_ConvTransposeArguments_ {
    int first_;
    int64_t kernel_size_, stride_, padding_, output_padding_, groups;
    bool bias;
    int64_t dilation_;
    const char *padding_mode;
    struct t_too_many_arguments_ *rest_;
    int64_t kernel_size[2], stride[2], padding[2], output_padding[2], dilation[2];
    t_DType dtype;
} nn_ConvTransposeArguments_;
#define NN_CONV_TRANSPOSE_(Type, text, in, ...) T_BEGIN_(text) T_WHOLE_(t__in = (in), t__out = T_HEAD_(__VA_ARGS__))    \
    F_SIZES_(nn_ConvTransposeArguments_, t__o, .kernel_size_ = F_BOTH, .stride_ = F_BOTH, .padding_ = F_BOTH, .output_padding_ = F_BOTH, \
             .dilation_ = F_BOTH, .groups = 1, .bias = true, .padding_mode = "zeros", .kernel_size = {0, F_BOTH}, .stride = {1, F_BOTH}, \
             .padding = {0, F_BOTH}, .output_padding = {0, F_BOTH}, .dilation = {1, F_BOTH}, F_FROM_(kernel_size, T_TAIL_(__VA_ARGS__))) \
    const int64_t t__k[] = F_PAIR_(kernel_size);                                                                       \
    const nn_ConvOptions t__c = {sizeof(nn_ConvOptions), F_PAIR_(stride), F_PAIR_(padding), F_PAIR_(dilation), t__o.groups, \
                                 F_PAIR_(output_padding), t__o.bias, t__o.padding_mode, t__o.dtype};                   \
    T_END_(Type *, Type##_new(t__in, t__out, t__k, &t__c))
#define nn_ConvTranspose1d(in, ...) NN_CONV_TRANSPOSE_(nn_ConvTranspose1d, "nn_ConvTranspose1d(" #in ", " #__VA_ARGS__ ")", in, __VA_ARGS__)
#define nn_ConvTranspose2d(in, ...) NN_CONV_TRANSPOSE_(nn_ConvTranspose2d, "nn_ConvTranspose2d(" #in ", " #__VA_ARGS__ ")", in, __VA_ARGS__)

/* nn_Unfold(3), nn_Unfold(3, .padding = 1), nn_Fold(8, 3) */
#define nn_Unfold(...) T_BEGIN_("nn_Unfold(" #__VA_ARGS__ ")") F_UNFOLDED_(F_UnfoldArguments_, __VA_ARGS__) T_END_(nn_Unfold *, nn_Unfold_new(t__k, &t__c))
#define nn_Fold(...) T_BEGIN_("nn_Fold(" #__VA_ARGS__ ")")                                                              \
    F_UNFOLDED_(F_FoldArguments_, .output_size_ = F_BOTH, .output_size = {0, F_BOTH}, .first_ = 0, __VA_ARGS__)        \
    const int64_t t__z[] = F_PAIR_(output_size); T_END_(nn_Fold *, nn_Fold_new(t__z, t__k, &t__c))

#endif
#endif
