/* nn/functional_layers_sugar.h: Python's face of nn/functional_layers.h (public; part of nn/functional_sugar.h).
 *
 * A size that is one number stands in its place or after its keyword. Two numbers, height and width, are a tuple where the size
 * comes first, F_max_pool2d(x, (3, 2)), and braces after a keyword: F_max_pool2d(x, .kernel_size = {3, 2}, .stride = 1). A
 * tuple elsewhere is refused by the compiler. */
#ifndef TAPEGRAD_NN_FUNCTIONAL_LAYERS_SUGAR_H
#define TAPEGRAD_NN_FUNCTIONAL_LAYERS_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar.h"
#include "nn/functional_layers.h"

/* ---- sizes ----
 * A size has two members: word_ for a number in its place, F_BOTH where there is none, and word[2] for the keyword. In C (3, 2)
 * is 2, so that a comma there is an error (T_STRICT_), and so is "same" where F_SAME goes. */
#define F_SIZES_(...) T_OPTIONS_(__VA_ARGS__)
/* Behind the defaults: the arguments, of which the first, a size called `word`, may be a tuple. */
#define F_FROM_(word, ...) T_PASTE_(F_FROM_, T_IS_TUPLE_(T_HEAD_(__VA_ARGS__)))(word, __VA_ARGS__)
#define F_FROM_0(word, ...) .first_ = 0, __VA_ARGS__
#define F_FROM_1(word, ...) .word = F_BRACES_ T_HEAD_(__VA_ARGS__), .first_ = 0, F_BOTH, T_BEHIND_(__VA_ARGS__)
#define F_BRACES_(...) T_TENTH_(__VA_ARGS__, F_BRACES2_, F_BRACES2_, F_BRACES2_, F_BRACES2_, F_BRACES2_, F_BRACES2_, F_BRACES2_, F_BRACES2_, F_BRACES1_, 0)(__VA_ARGS__)
#define F_BRACES2_(...) {__VA_ARGS__}
#define F_BRACES1_(size) {size, F_BOTH}
#define F_PAIR_(word) {t__o.word##_ != F_BOTH ? t__o.word##_ : t__o.word[0], t__o.word##_ != F_BOTH ? F_BOTH : t__o.word[1]}

/* ---- norms ---- */

/* F_rms_norm(x, (512,)), F_rms_norm(x, (512,), w, .eps = 1e-6): the shape in parentheses, as for F_layer_norm */
typedef struct F_RMSNormArguments_ { int first_; Tensor *weight; double eps; } F_RMSNormArguments_;
#define F_rms_norm(x, ...) T_BEGIN_("F_rms_norm(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x))                        \
    const int64_t t__s[] = {F_OPEN_(T_HEAD_(__VA_ARGS__))};                                                            \
    T_OPTIONS_(F_RMSNormArguments_, t__o, .eps = __builtin_nan(""), .first_ = 0, T_TAIL_(__VA_ARGS__))                 \
    T_END_(Tensor *, (F_rms_norm)(t__a, t__s, (int)(sizeof t__s / sizeof *t__s), t__o.weight, t__o.eps))
/* F_group_norm(x, 4), F_group_norm(x, 4, w, b, .eps = 1e-6) */
typedef struct F_GroupNormArguments_ { int first_; Tensor *weight, *bias; double eps; } F_GroupNormArguments_;
#define F_group_norm(x, ...) T_BEGIN_("F_group_norm(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) T_WHOLE_(t__n = T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(F_GroupNormArguments_, t__o, .eps = 1e-5, .first_ = 0, T_TAIL_(__VA_ARGS__))                            \
    T_END_(Tensor *, (F_group_norm)(t__a, t__n, t__o.weight, t__o.bias, t__o.eps))
/* F_batch_norm(x, running_mean, running_var, .training = true), F_batch_norm(x, NULL, NULL, w, b, true, 0.1) */
typedef struct F_BatchNormArguments_ { int first_; Tensor *weight, *bias; bool training; double momentum, eps; } F_BatchNormArguments_;
#define F_batch_norm(x, mean, ...) T_BEGIN_("F_batch_norm(" #x ", " #mean ", " #__VA_ARGS__ ")")                       \
    T_TENSOR_(t__a, (x)) T_OPTIONAL_TENSOR_(t__b, (mean)) T_OPTIONAL_TENSOR_(t__c, T_HEAD_(__VA_ARGS__))                                    \
    T_OPTIONS_(F_BatchNormArguments_, t__o, .momentum = 0.1, .eps = 1e-5, .first_ = 0, T_TAIL_(__VA_ARGS__))           \
    T_END_(Tensor *, (F_batch_norm)(t__a, t__b, t__c, t__o.weight, t__o.bias, t__o.training, t__o.momentum, t__o.eps))
/* F_instance_norm(x), F_instance_norm(x, .weight = w, .bias = b) */
typedef struct F_InstanceNormArguments_ {
    int first_;
    Tensor *running_mean, *running_var, *weight, *bias;
    bool use_input_stats;
    double momentum, eps;
} F_InstanceNormArguments_;
#define F_instance_norm(...) T_BEGIN_("F_instance_norm(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__))         \
    T_OPTIONS_(F_InstanceNormArguments_, t__o, .use_input_stats = true, .momentum = 0.1, .eps = 1e-5, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (F_instance_norm)(t__a, t__o.running_mean, t__o.running_var, t__o.weight, t__o.bias, t__o.use_input_stats, t__o.momentum, t__o.eps))

/* F_local_response_norm(x, 5), F_local_response_norm(x, 5, .k = 2) */
typedef struct F_LocalResponseNormArguments_ { int first_; double alpha, beta, k; } F_LocalResponseNormArguments_;
#define F_local_response_norm(x, ...) T_BEGIN_("F_local_response_norm(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) T_WHOLE_(t__n = T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(F_LocalResponseNormArguments_, t__o, .alpha = 1e-4, .beta = 0.75, .k = 1, .first_ = 0, T_TAIL_(__VA_ARGS__))  \
    T_END_(Tensor *, (F_local_response_norm)(t__a, t__n, t__o.alpha, t__o.beta, t__o.k))

/* ---- padding ---- */

/* F_pad(x, (1, 1)), F_pad(x, (1, 1, 2, 2), "reflect"), F_pad(x, (0, 3), .value = -1): the pads in parentheses, the last dim's first */
typedef struct F_PadArguments_ { int first_; const char *mode; double value; } F_PadArguments_;
#define F_pad(x, ...) T_BEGIN_("F_pad(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) T_WHOLE_(t__s[] = {F_OPEN_(T_HEAD_(__VA_ARGS__))}) \
    T_OPTIONS_(F_PadArguments_, t__o, .mode = "constant", .value = __builtin_nan(""), .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (F_pad)(t__a, t__s, (int)(sizeof t__s / sizeof *t__s), t__o.mode, t__o.value))

/* ---- convolutions ---- */

/* F_conv2d(x, w), F_conv2d(x, w, b, 2, 1), F_conv2d(x, w, .padding = {1, 0}, .groups = 2), F_conv2d(x, w, .padding = F_SAME) */
typedef struct F_ConvArguments_ {
    int first_;
    Tensor *bias;
    int64_t stride_, padding_, dilation_, groups;
    struct t_too_many_arguments_ *rest_;
    int64_t stride[2], padding[2], dilation[2];
} F_ConvArguments_;
#define F_CONV_(f, text, x, ...) T_BEGIN_(text) T_TENSOR_(t__a, (x)) T_TENSOR_(t__b, T_HEAD_(__VA_ARGS__))                \
    F_SIZES_(F_ConvArguments_, t__o, .stride_ = F_BOTH, .padding_ = F_BOTH, .dilation_ = F_BOTH, .groups = 1, .stride = {1, F_BOTH}, \
             .padding = {0, F_BOTH}, .dilation = {1, F_BOTH}, .first_ = 0, T_TAIL_(__VA_ARGS__))                       \
    const F_ConvOptions t__c = {sizeof(F_ConvOptions), F_PAIR_(stride), F_PAIR_(padding), F_PAIR_(dilation), t__o.groups, {0, F_BOTH}}; \
    T_END_(Tensor *, (f)(t__a, t__b, t__o.bias, &t__c))
#define F_conv1d(x, ...) F_CONV_(F_conv1d, "F_conv1d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define F_conv2d(x, ...) F_CONV_(F_conv2d, "F_conv2d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
/* F_conv_transpose2d(x, w, b, 2, 1, 1): stride, padding, output_padding, groups, dilation */
typedef struct F_ConvTransposeArguments_ {
    int first_;
    Tensor *bias;
    int64_t stride_, padding_, output_padding_, groups, dilation_;
    struct t_too_many_arguments_ *rest_;
    int64_t stride[2], padding[2], output_padding[2], dilation[2];
} F_ConvTransposeArguments_;
#define F_CONV_TRANSPOSE_(f, text, x, ...) T_BEGIN_(text) T_TENSOR_(t__a, (x)) T_TENSOR_(t__b, T_HEAD_(__VA_ARGS__))      \
    F_SIZES_(F_ConvTransposeArguments_, t__o, .stride_ = F_BOTH, .padding_ = F_BOTH, .output_padding_ = F_BOTH, .dilation_ = F_BOTH, .groups = 1, \
             .stride = {1, F_BOTH}, .padding = {0, F_BOTH}, .output_padding = {0, F_BOTH}, .dilation = {1, F_BOTH}, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    const F_ConvOptions t__c = {sizeof(F_ConvOptions), F_PAIR_(stride), F_PAIR_(padding), F_PAIR_(dilation), t__o.groups, F_PAIR_(output_padding)}; \
    T_END_(Tensor *, (f)(t__a, t__b, t__o.bias, &t__c))
#define F_conv_transpose1d(x, ...) F_CONV_TRANSPOSE_(F_conv_transpose1d, "F_conv_transpose1d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define F_conv_transpose2d(x, ...) F_CONV_TRANSPOSE_(F_conv_transpose2d, "F_conv_transpose2d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)

/* F_unfold(x, 3), F_unfold(x, 3, .padding = 1), F_fold(x, 8, 3), F_fold(x, .output_size = {8, 6}, .kernel_size = 3) */
typedef struct F_UnfoldArguments_ {
    int first_;
    int64_t kernel_size_, dilation_, padding_, stride_;
    struct t_too_many_arguments_ *rest_;
    int64_t kernel_size[2], dilation[2], padding[2], stride[2];
} F_UnfoldArguments_;
typedef struct F_FoldArguments_ {
    int first_;
    int64_t output_size_, kernel_size_, dilation_, padding_, stride_;
    struct t_too_many_arguments_ *rest_;
    int64_t output_size[2], kernel_size[2], dilation[2], padding[2], stride[2];
} F_FoldArguments_;
#define F_UNFOLDED_(Type, ...) F_SIZES_(Type, t__o, .kernel_size_ = F_BOTH, .dilation_ = F_BOTH, .padding_ = F_BOTH, .stride_ = F_BOTH, \
    .kernel_size = {0, F_BOTH}, .dilation = {1, F_BOTH}, .padding = {0, F_BOTH}, .stride = {1, F_BOTH}, .first_ = 0, __VA_ARGS__) \
    const int64_t t__k[] = F_PAIR_(kernel_size);                                                                       \
    const F_UnfoldOptions t__c = {sizeof(F_UnfoldOptions), F_PAIR_(dilation), F_PAIR_(padding), F_PAIR_(stride)};
#define F_unfold(x, ...) T_BEGIN_("F_unfold(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) F_UNFOLDED_(F_UnfoldArguments_, __VA_ARGS__) \
    T_END_(Tensor *, (F_unfold)(t__a, t__k, &t__c))
#define F_fold(x, ...) T_BEGIN_("F_fold(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x))                                 \
    F_UNFOLDED_(F_FoldArguments_, .output_size_ = F_BOTH, .output_size = {0, F_BOTH}, .first_ = 0, __VA_ARGS__)        \
    const int64_t t__z[] = F_PAIR_(output_size); T_END_(Tensor *, (F_fold)(t__a, t__z, t__k, &t__c))

/* ---- pooling ---- */

/* F_max_pool2d(x, 2), F_max_pool2d(x, 3, 2, 1), F_max_pool2d(x, .kernel_size = {3, 2}, .indices = &i): return_indices=True */
typedef struct F_MaxPoolArguments_ {
    int first_;
    int64_t kernel_size_, stride_, padding_, dilation_;
    bool ceil_mode;
    struct t_too_many_arguments_ *rest_;
    int64_t kernel_size[2], stride[2], padding[2], dilation[2];
    Tensor **indices;
} F_MaxPoolArguments_;
#define F_MAX_POOL_OPTIONS_(...) F_SIZES_(F_MaxPoolArguments_, t__o, .kernel_size_ = F_BOTH, .stride_ = F_BOTH, .padding_ = F_BOTH, .dilation_ = F_BOTH, \
    .kernel_size = {0, F_BOTH}, .stride = {T_NONE, F_BOTH}, .padding = {0, F_BOTH}, .dilation = {1, F_BOTH}, F_FROM_(kernel_size, __VA_ARGS__)) \
    const F_PoolOptions t__p = {sizeof(F_PoolOptions), F_PAIR_(kernel_size), F_PAIR_(stride), F_PAIR_(padding), F_PAIR_(dilation), t__o.ceil_mode, \
                                true, T_NONE, t__o.indices};
#define F_MAX_POOL_(f, text, x, ...) T_BEGIN_(text) T_TENSOR_(t__a, (x)) F_MAX_POOL_OPTIONS_(__VA_ARGS__) T_END_(Tensor *, (f)(t__a, &t__p))
#define F_max_pool1d(x, ...) F_MAX_POOL_(F_max_pool1d, "F_max_pool1d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define F_max_pool2d(x, ...) F_MAX_POOL_(F_max_pool2d, "F_max_pool2d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
/* F_avg_pool2d(x, 2), F_avg_pool2d(x, 3, 2, 1, .count_include_pad = false) */
typedef struct F_AvgPoolArguments_ {
    int first_;
    int64_t kernel_size_, stride_, padding_;
    bool ceil_mode, count_include_pad;
    int64_t divisor_override;
    struct t_too_many_arguments_ *rest_;
    int64_t kernel_size[2], stride[2], padding[2];
} F_AvgPoolArguments_;
#define F_AVG_POOL_OPTIONS_(...) F_SIZES_(F_AvgPoolArguments_, t__o, .kernel_size_ = F_BOTH, .stride_ = F_BOTH, .padding_ = F_BOTH, \
    .kernel_size = {0, F_BOTH}, .stride = {T_NONE, F_BOTH}, .padding = {0, F_BOTH}, .count_include_pad = true, .divisor_override = T_NONE, F_FROM_(kernel_size, __VA_ARGS__)) \
    const F_PoolOptions t__p = {sizeof(F_PoolOptions), F_PAIR_(kernel_size), F_PAIR_(stride), F_PAIR_(padding), {1, F_BOTH}, t__o.ceil_mode, \
                                t__o.count_include_pad, t__o.divisor_override, NULL};
#define F_AVG_POOL_(f, text, x, ...) T_BEGIN_(text) T_TENSOR_(t__a, (x)) F_AVG_POOL_OPTIONS_(__VA_ARGS__) T_END_(Tensor *, (f)(t__a, &t__p))
#define F_avg_pool1d(x, ...) F_AVG_POOL_(F_avg_pool1d, "F_avg_pool1d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define F_avg_pool2d(x, ...) F_AVG_POOL_(F_avg_pool2d, "F_avg_pool2d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
/* F_adaptive_avg_pool2d(x, 1), F_adaptive_avg_pool2d(x, .output_size = {5, T_NONE}), F_adaptive_max_pool2d(x, 7, .indices = &i) */
typedef struct F_AdaptiveArguments_ {
    int first_;
    int64_t output_size_;
    struct t_too_many_arguments_ *rest_;
    int64_t output_size[2];
    Tensor **indices;
} F_AdaptiveArguments_;
#define F_ADAPTIVE_OPTIONS_(...) F_SIZES_(F_AdaptiveArguments_, t__o, .output_size_ = F_BOTH, .output_size = {-1, F_BOTH}, F_FROM_(output_size, __VA_ARGS__)) \
    const int64_t t__z[] = F_PAIR_(output_size);
#define F_ADAPTIVE_(call, text, x, ...) T_BEGIN_(text) T_TENSOR_(t__a, (x)) F_ADAPTIVE_OPTIONS_(__VA_ARGS__) T_END_(Tensor *, call)
#define F_adaptive_avg_pool1d(x, ...) F_ADAPTIVE_((F_adaptive_avg_pool1d)(t__a, t__z[0]), "F_adaptive_avg_pool1d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define F_adaptive_avg_pool2d(x, ...) F_ADAPTIVE_((F_adaptive_avg_pool2d)(t__a, t__z), "F_adaptive_avg_pool2d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define F_adaptive_max_pool1d(x, ...) F_ADAPTIVE_((F_adaptive_max_pool1d)(t__a, t__z[0], t__o.indices), "F_adaptive_max_pool1d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define F_adaptive_max_pool2d(x, ...) F_ADAPTIVE_((F_adaptive_max_pool2d)(t__a, t__z, t__o.indices), "F_adaptive_max_pool2d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)

/* ---- other sizes: F_interpolate(x, 7), F_interpolate(x, .scale_factor = 2, .mode = "bilinear"), F_interpolate(x, .size = {7, 5}) ---- */
typedef struct F_InterpolateArguments_ {
    int first_;
    int64_t size_;
    double scale_factor_;
    const char *mode;
    bool align_corners;
    struct t_too_many_arguments_ *rest_;
    int64_t size[2];
    double scale_factor[2];
} F_InterpolateArguments_;
#define F_NAN_ __builtin_nan("")
#define F_INTERPOLATE_OPTIONS_(...) F_SIZES_(F_InterpolateArguments_, t__o, .size_ = F_BOTH, .scale_factor_ = F_NAN_, .mode = "nearest", \
    .size = {T_NONE, F_BOTH}, .scale_factor = {F_NAN_, F_NAN_}, .first_ = 0, __VA_ARGS__)                              \
    const bool t__s = t__o.scale_factor_ == t__o.scale_factor_;                                                        \
    const F_InterpolateOptions t__i = {sizeof(F_InterpolateOptions), F_PAIR_(size),                                    \
        {t__s ? t__o.scale_factor_ : t__o.scale_factor[0], t__s ? F_NAN_ : t__o.scale_factor[1]}, t__o.mode, t__o.align_corners};
#define F_interpolate(x, ...) T_BEGIN_("F_interpolate(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) F_INTERPOLATE_OPTIONS_(__VA_ARGS__) \
    T_END_(Tensor *, (F_interpolate)(t__a, &t__i))

/* ---- whole channels: F_dropout2d(x), F_dropout2d(x, 0.2, .training = false), F_pixel_shuffle(x, 2) ---- */
typedef struct F_ChannelDropoutArguments_ { int first_; double p; bool training; } F_ChannelDropoutArguments_;
#define F_CHANNEL_DROPOUT_(f, text, otherwise, ...) T_BEGIN_(text) T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__))                 \
    T_OPTIONS_(F_ChannelDropoutArguments_, t__o, .p = 0.5, .training = otherwise, .first_ = 0, T_TAIL_(__VA_ARGS__))   \
    T_END_(Tensor *, (f)(t__a, t__o.p, t__o.training))
#define F_dropout1d(...) F_CHANNEL_DROPOUT_(F_dropout1d, "F_dropout1d(" #__VA_ARGS__ ")", true, __VA_ARGS__)
#define F_dropout2d(...) F_CHANNEL_DROPOUT_(F_dropout2d, "F_dropout2d(" #__VA_ARGS__ ")", true, __VA_ARGS__)
#define F_alpha_dropout(...) F_CHANNEL_DROPOUT_(F_alpha_dropout, "F_alpha_dropout(" #__VA_ARGS__ ")", false, __VA_ARGS__)
#define F_pixel_shuffle(x, upscale_factor) T_BEGIN_("F_pixel_shuffle(" #x ", " #upscale_factor ")") T_TENSOR_(t__a, (x)) T_WHOLE_(t__n = (upscale_factor)) \
    T_END_(Tensor *, (F_pixel_shuffle)(t__a, t__n))
#define F_pixel_unshuffle(x, downscale_factor) T_BEGIN_("F_pixel_unshuffle(" #x ", " #downscale_factor ")") T_TENSOR_(t__a, (x)) T_WHOLE_(t__n = (downscale_factor)) \
    T_END_(Tensor *, (F_pixel_unshuffle)(t__a, t__n))

#endif
#endif
