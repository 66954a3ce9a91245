/* nn/sugar/functional_layers.h: keyword-argument macros of nn/functional/functional.h (public; part of
 * nn/sugar/functional.h).
 *
 * A size is an integer or a tuple, by position or by name: F_max_pool2d(x, 2), F_max_pool2d(x, (3, 2), (1, 2)),
 * F_max_pool2d(x, .kernel_size = t_tuple(3, 2), .stride = 1). Braces, .kernel_size = {3, 2}, are the same as t_tuple. A
 * padding of {1, 0} is an error, because C cannot distinguish it from {1}. */
#ifndef TAPEGRAD_NN_SUGAR_FUNCTIONAL_LAYERS_H
#define TAPEGRAD_NN_SUGAR_FUNCTIONAL_LAYERS_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "nn/functional/functional.h"
#include "nn/functional/convolution/size_arguments.h"

/* ---- sizes ----
 * A size has two members: size_ for a positional integer (T_LEFT_OUT_ where there is none), and the t_Tuple size for a
 * tuple or the keyword. In C (3, 2) is 2, so that a comma after a keyword is an error (T_STRICT_), and so is "same"
 * where F_SAME goes. */
#define F_PAIR_(name, otherwise, to) \
    F_sizes_of_(#name, t__o.name##_, &t__o.name, otherwise, to, (int)(sizeof(to) / sizeof *(to)))
#define F_PADDING_(name, to) \
    F_paddings_of_(#name, t__o.name##_, &t__o.name, to, (int)(sizeof(to) / sizeof *(to)))
/* An array for as many sizes as the options have: 2, or 3 of a function over three dims. */
#define F_SIZES_(Options, name) int64_t name[sizeof ((Options *)0)->stride / sizeof(int64_t)]

/* ---- norms ---- */

/* F_rms_norm(x, (512,)), F_rms_norm(x, (512,), w, .eps = 1e-6): the shape in parentheses, as for F_layer_norm */
typedef struct F_RMSNormArguments_ {
    int first_; int64_t normalized_shape_; Tensor *weight; double eps; t_Tuple normalized_shape;
} F_RMSNormArguments_;
#define F_rms_norm(...) T_OP_NAMED_((input, normalized_shape), (normalized_shape, weight), \
    (F_rms_norm)(t__a, T_LIST_OF_(normalized_shape), t__o.weight, t__o.eps), "F_rms_norm(" #__VA_ARGS__ ")", \
    F_RMSNormArguments_, (.normalized_shape_ = T_LEFT_OUT_, .normalized_shape = T_NO_TUPLE_, \
    .eps = __builtin_nan("")), __VA_ARGS__)
/* F_group_norm(x, 4), F_group_norm(x, 4, w, b, .eps = 1e-6) */
typedef struct F_GroupNormArguments_ {
    int first_; int64_t num_groups; Tensor *weight, *bias; double eps;
} F_GroupNormArguments_;
#define F_group_norm(x, ...) T_OP_KEYS_(T_REQUIRED_(num_groups) \
    ? (F_group_norm)(t__a, t__o.num_groups, t__o.weight, t__o.bias, t__o.eps) : NULL, \
    "F_group_norm(" #x ", " #__VA_ARGS__ ")", F_GroupNormArguments_, (.num_groups = T_NONE, .eps = 1e-5), x, \
    __VA_ARGS__)
/* F_batch_norm(x, running_mean, running_var, .training = true), F_batch_norm(x, NULL, NULL, w, b, true, 0.1) */
typedef struct F_BatchNormArguments_ {
    int first_;
    Tensor *running_mean, *running_var, *weight, *bias;
    bool training;
    double momentum, eps;
} F_BatchNormArguments_;
#define F_batch_norm(x, ...) T_OP_KEYS_((F_batch_norm)(t__a, t__o.running_mean, t__o.running_var, t__o.weight, \
    t__o.bias, t__o.training, t__o.momentum, t__o.eps), "F_batch_norm(" #x ", " #__VA_ARGS__ ")", \
    F_BatchNormArguments_, (.momentum = 0.1, .eps = 1e-5), x, __VA_ARGS__)
/* F_instance_norm(x), F_instance_norm(x, .weight = w, .bias = b) */
typedef struct F_InstanceNormArguments_ {
    int first_;
    Tensor *running_mean, *running_var, *weight, *bias;
    bool use_input_stats;
    double momentum, eps;
} F_InstanceNormArguments_;
#define F_instance_norm(...) T_OP_KEYS_((F_instance_norm)(t__a, t__o.running_mean, t__o.running_var, t__o.weight, \
    t__o.bias, t__o.use_input_stats, t__o.momentum, t__o.eps), "F_instance_norm(" #__VA_ARGS__ ")", \
    F_InstanceNormArguments_, (.use_input_stats = true, .momentum = 0.1, .eps = 1e-5), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))

/* F_local_response_norm(x, 5), F_local_response_norm(x, 5, .k = 2) */
typedef struct F_LocalResponseNormArguments_ {
    int first_; int64_t size; double alpha, beta, k;
} F_LocalResponseNormArguments_;
#define F_local_response_norm(x, ...) T_OP_KEYS_(T_REQUIRED_(size) \
    ? (F_local_response_norm)(t__a, t__o.size, t__o.alpha, t__o.beta, t__o.k) : NULL, \
    "F_local_response_norm(" #x ", " #__VA_ARGS__ ")", F_LocalResponseNormArguments_, \
    (.size = T_NONE, .alpha = 1e-4, .beta = 0.75, .k = 1), x, __VA_ARGS__)

/* ---- padding ---- */

/* F_pad(x, (1, 1)), F_pad(x, (1, 1, 2, 2), "reflect"), F_pad(x, .pad = t_tuple(0, 3), .value = -1): the last dim's pads
 * first */
typedef struct F_PadArguments_ {
    int first_; int64_t pad_; const char *mode; double value; t_Tuple pad;
} F_PadArguments_;
#define F_pad(...) T_OP_NAMED_((input, pad), (pad, mode, value), \
    (F_pad)(t__a, T_LIST_OF_(pad), t__o.mode, t__o.value), "F_pad(" #__VA_ARGS__ ")", F_PadArguments_, \
    (.mode = "constant", .value = __builtin_nan(""), .pad_ = T_LEFT_OUT_, .pad = T_NO_TUPLE_), __VA_ARGS__)

/* ---- convolutions ---- */

/* F_conv2d(x, w), F_conv2d(x, w, b, 2, (1, 0)), F_conv2d(x, w, .padding = t_tuple(1, 0), .groups = 2),
 * F_conv2d(x, w, .padding = F_SAME) */
typedef struct F_ConvArguments_ {
    int first_;
    Tensor *weight, *bias;
    int64_t stride_, padding_, dilation_, groups;
    struct t_too_many_arguments_ *rest_;
    t_Tuple stride, padding, dilation;
} F_ConvArguments_;
#define F_CONV_(Options, f, text, x, ...) T_BEGIN_(text) T_TENSOR_(t__a, (x)) \
    T_OPTIONS_(F_ConvArguments_, t__o, .stride_ = T_LEFT_OUT_, .padding_ = T_LEFT_OUT_, .dilation_ = T_LEFT_OUT_, \
    .groups = 1, .stride = T_NO_TUPLE_, .padding = T_NO_TUPLE_, .dilation = T_NO_TUPLE_, .first_ = 0, \
               T_NAMED_((weight, bias, stride, padding, dilation, groups), __VA_ARGS__)) \
    Options t__c = {.size = sizeof t__c, .groups = t__o.groups, .output_padding = {0, F_BOTH}}; \
    const bool t__ok = F_PAIR_(stride, 1, t__c.stride) && F_PADDING_(padding, t__c.padding) && \
    F_PAIR_(dilation, 1, t__c.dilation); \
    T_END_(Tensor *, t__ok ? (f)(t__a, t__o.weight, t__o.bias, &t__c) : NULL)
#define F_conv1d(x, ...) F_CONV_(F_ConvOptions, F_conv1d, "F_conv1d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define F_conv2d(x, ...) F_CONV_(F_ConvOptions, F_conv2d, "F_conv2d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define F_conv3d(x, ...) F_CONV_(F_Conv3dOptions, F_conv3d, "F_conv3d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
/* F_conv_tbc(x, weight, bias, .pad = 1) */
typedef struct F_ConvTbcArguments_ { int first_; Tensor *weight, *bias; int64_t pad; } F_ConvTbcArguments_;
#define F_conv_tbc(...) T_OP_ARGUMENTS_((input, weight, bias), (F_conv_tbc)(t__a, t__o.weight, t__o.bias, t__o.pad), \
    "F_conv_tbc(" #__VA_ARGS__ ")", F_ConvTbcArguments_, (.pad = 0), __VA_ARGS__)
/* F_conv_transpose2d(x, w, b, 2, 1, 1): stride, padding, output_padding, groups, dilation */
typedef struct F_ConvTransposeArguments_ {
    int first_;
    Tensor *weight, *bias;
    int64_t stride_, padding_, output_padding_, groups, dilation_;
    struct t_too_many_arguments_ *rest_;
    t_Tuple stride, padding, output_padding, dilation;
} F_ConvTransposeArguments_;
#define F_CONV_TRANSPOSE_(Options, f, text, x, ...) T_BEGIN_(text) T_TENSOR_(t__a, (x)) \
    T_OPTIONS_(F_ConvTransposeArguments_, t__o, .stride_ = T_LEFT_OUT_, .padding_ = T_LEFT_OUT_, \
    .output_padding_ = T_LEFT_OUT_, .dilation_ = T_LEFT_OUT_, .groups = 1, .stride = T_NO_TUPLE_, \
    .padding = T_NO_TUPLE_, .output_padding = T_NO_TUPLE_, .dilation = T_NO_TUPLE_, .first_ = 0, \
               T_NAMED_((weight, bias, stride, padding, output_padding, groups, dilation), __VA_ARGS__)) \
    Options t__c = {.size = sizeof t__c, .groups = t__o.groups}; \
    const bool t__ok = F_PAIR_(stride, 1, t__c.stride) && F_PADDING_(padding, t__c.padding) && \
    F_PAIR_(dilation, 1, t__c.dilation) && \
                       F_PADDING_(output_padding, t__c.output_padding); \
    T_END_(Tensor *, t__ok ? (f)(t__a, t__o.weight, t__o.bias, &t__c) : NULL)
#define F_conv_transpose1d(x, ...) F_CONV_TRANSPOSE_(F_ConvOptions, F_conv_transpose1d, \
    "F_conv_transpose1d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define F_conv_transpose2d(x, ...) F_CONV_TRANSPOSE_(F_ConvOptions, F_conv_transpose2d, \
    "F_conv_transpose2d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define F_conv_transpose3d(x, ...) F_CONV_TRANSPOSE_(F_Conv3dOptions, F_conv_transpose3d, \
    "F_conv_transpose3d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)

/* F_unfold(x, 3), F_unfold(x, (2, 3), .padding = 1), F_fold(x, 8, 3), F_fold(x, (8, 6), .kernel_size = 3) */
typedef struct F_UnfoldArguments_ {
    int first_;
    int64_t kernel_size_, dilation_, padding_, stride_;
    struct t_too_many_arguments_ *rest_;
    t_Tuple kernel_size, dilation, padding, stride;
} F_UnfoldArguments_;
typedef struct F_FoldArguments_ {
    int first_;
    int64_t output_size_, kernel_size_, dilation_, padding_, stride_;
    struct t_too_many_arguments_ *rest_;
    t_Tuple output_size, kernel_size, dilation, padding, stride;
} F_FoldArguments_;
#define F_UNFOLDED_(Type, ...) T_OPTIONS_(Type, t__o, .kernel_size_ = T_LEFT_OUT_, .dilation_ = T_LEFT_OUT_, \
    .padding_ = T_LEFT_OUT_, .stride_ = T_LEFT_OUT_, .kernel_size = T_NO_TUPLE_, .dilation = T_NO_TUPLE_, \
    .padding = T_NO_TUPLE_, .stride = T_NO_TUPLE_, __VA_ARGS__) \
    int64_t t__k[2]; \
    F_UnfoldOptions t__c = {.size = sizeof t__c}; \
    const bool t__ok = F_PAIR_(kernel_size, F_NEEDED_, t__k) && F_PAIR_(dilation, 1, t__c.dilation) && \
    F_PADDING_(padding, t__c.padding) && \
                       F_PAIR_(stride, 1, t__c.stride);
#define F_UNFOLD_OPTIONS_(...) F_UNFOLDED_(F_UnfoldArguments_, .first_ = 0, \
    T_NAMED_((kernel_size, dilation, padding, stride), __VA_ARGS__))
#define F_FOLD_OPTIONS_(...) F_UNFOLDED_(F_FoldArguments_, .output_size_ = T_LEFT_OUT_, .output_size = T_NO_TUPLE_, \
    .first_ = 0, T_NAMED_((output_size, kernel_size, dilation, padding, stride), __VA_ARGS__)) \
    int64_t t__z[2];
#define F_unfold(x, ...) T_BEGIN_("F_unfold(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) \
    F_UNFOLD_OPTIONS_(__VA_ARGS__) \
    T_END_(Tensor *, t__ok ? (F_unfold)(t__a, t__k, &t__c) : NULL)
#define F_fold(x, ...) T_BEGIN_("F_fold(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) F_FOLD_OPTIONS_(__VA_ARGS__) \
    T_END_(Tensor *, t__ok && F_PAIR_(output_size, F_NEEDED_, t__z) ? (F_fold)(t__a, t__z, t__k, &t__c) : NULL)

/* ---- pooling ---- */

/* F_max_pool2d(x, 2), F_max_pool2d(x, 3, 2, 1), F_max_pool2d(x, (3, 2), (2, 2), .indices = &i): return_indices=True */
typedef struct F_MaxPoolArguments_ {
    int first_;
    int64_t kernel_size_, stride_, padding_, dilation_;
    bool ceil_mode;
    struct t_too_many_arguments_ *rest_;
    t_Tuple kernel_size, stride, padding, dilation;
    Tensor **indices;
} F_MaxPoolArguments_;
#define F_MAX_POOL_OPTIONS_(Options, ...) T_OPTIONS_(F_MaxPoolArguments_, t__o, .kernel_size_ = T_LEFT_OUT_, \
    .stride_ = T_LEFT_OUT_, .padding_ = T_LEFT_OUT_, .dilation_ = T_LEFT_OUT_, .kernel_size = T_NO_TUPLE_, \
    .stride = T_NO_TUPLE_, .padding = T_NO_TUPLE_, .dilation = T_NO_TUPLE_, .first_ = 0, \
    T_NAMED_((kernel_size, stride, padding, dilation, ceil_mode), __VA_ARGS__)) \
    Options t__p = {.size = sizeof t__p, .ceil_mode = t__o.ceil_mode, .count_include_pad = true, \
    .divisor_override = T_NONE, .indices = t__o.indices}; \
    const bool t__ok = F_PAIR_(kernel_size, F_NEEDED_, t__p.kernel_size) && F_PAIR_(stride, T_NONE, t__p.stride) && \
    F_PADDING_(padding, t__p.padding) && \
                       F_PAIR_(dilation, 1, t__p.dilation);
#define F_MAX_POOL_(Options, f, text, x, ...) T_BEGIN_(text) T_TENSOR_(t__a, (x)) F_MAX_POOL_OPTIONS_(Options, \
    __VA_ARGS__) \
    T_END_(Tensor *, t__ok ? (f)(t__a, &t__p) : NULL)
#define F_max_pool1d(x, ...) F_MAX_POOL_(F_PoolOptions, F_max_pool1d, "F_max_pool1d(" #x ", " #__VA_ARGS__ ")", x, \
    __VA_ARGS__)
#define F_max_pool2d(x, ...) F_MAX_POOL_(F_PoolOptions, F_max_pool2d, "F_max_pool2d(" #x ", " #__VA_ARGS__ ")", x, \
    __VA_ARGS__)
#define F_max_pool3d(x, ...) F_MAX_POOL_(F_Pool3dOptions, F_max_pool3d, "F_max_pool3d(" #x ", " #__VA_ARGS__ ")", x, \
    __VA_ARGS__)
/* F_avg_pool2d(x, 2), F_avg_pool2d(x, 3, (2, 1), 1, .count_include_pad = false) */
typedef struct F_AvgPoolArguments_ {
    int first_;
    int64_t kernel_size_, stride_, padding_;
    bool ceil_mode, count_include_pad;
    int64_t divisor_override;
    struct t_too_many_arguments_ *rest_;
    t_Tuple kernel_size, stride, padding;
} F_AvgPoolArguments_;
#define F_AVG_POOL_OPTIONS_(Options, ...) T_OPTIONS_(F_AvgPoolArguments_, t__o, .kernel_size_ = T_LEFT_OUT_, \
    .stride_ = T_LEFT_OUT_, .padding_ = T_LEFT_OUT_, .kernel_size = T_NO_TUPLE_, .stride = T_NO_TUPLE_, \
    .padding = T_NO_TUPLE_, .count_include_pad = true, .divisor_override = T_NONE, .first_ = 0, \
    T_NAMED_((kernel_size, stride, padding), __VA_ARGS__)) \
    Options t__p = {.size = sizeof t__p, .dilation = {1, F_BOTH}, .ceil_mode = t__o.ceil_mode, \
    .count_include_pad = t__o.count_include_pad, .divisor_override = t__o.divisor_override}; \
    const bool t__ok = F_PAIR_(kernel_size, F_NEEDED_, t__p.kernel_size) && F_PAIR_(stride, T_NONE, t__p.stride) && \
    F_PADDING_(padding, t__p.padding);
#define F_AVG_POOL_(Options, f, text, x, ...) T_BEGIN_(text) T_TENSOR_(t__a, (x)) F_AVG_POOL_OPTIONS_(Options, \
    __VA_ARGS__) \
    T_END_(Tensor *, t__ok ? (f)(t__a, &t__p) : NULL)
#define F_avg_pool1d(x, ...) F_AVG_POOL_(F_PoolOptions, F_avg_pool1d, "F_avg_pool1d(" #x ", " #__VA_ARGS__ ")", x, \
    __VA_ARGS__)
#define F_avg_pool2d(x, ...) F_AVG_POOL_(F_PoolOptions, F_avg_pool2d, "F_avg_pool2d(" #x ", " #__VA_ARGS__ ")", x, \
    __VA_ARGS__)
#define F_avg_pool3d(x, ...) F_AVG_POOL_(F_Pool3dOptions, F_avg_pool3d, "F_avg_pool3d(" #x ", " #__VA_ARGS__ ")", x, \
    __VA_ARGS__)
/* F_lp_pool2d(x, 2, 3), F_lp_pool2d(x, 2, (3, 2), .stride = 1) */
typedef struct F_LPPoolArguments_ {
    int first_;
    double norm_type;
    int64_t kernel_size_, stride_;
    bool ceil_mode;
    struct t_too_many_arguments_ *rest_;
    t_Tuple kernel_size, stride;
} F_LPPoolArguments_;
#define F_LP_POOL_OPTIONS_(Options, ...) T_OPTIONS_(F_LPPoolArguments_, t__o, .norm_type = __builtin_nan(""), \
    .kernel_size_ = T_LEFT_OUT_, .stride_ = T_LEFT_OUT_, .kernel_size = T_NO_TUPLE_, .stride = T_NO_TUPLE_, \
    .first_ = 0, T_NAMED_((norm_type, kernel_size, stride), __VA_ARGS__)) \
    Options t__p = {.size = sizeof t__p, .dilation = {1, F_BOTH}, .padding = {0, F_BOTH}, \
    .ceil_mode = t__o.ceil_mode, .count_include_pad = true, .divisor_override = T_NONE}; \
    const bool t__ok = (t__o.norm_type == t__o.norm_type || t_missing_of_("norm_type")) && \
    F_PAIR_(kernel_size, F_NEEDED_, t__p.kernel_size) && F_PAIR_(stride, T_NONE, t__p.stride);
#define F_LP_POOL_(Options, f, text, x, ...) T_BEGIN_(text) T_TENSOR_(t__a, (x)) F_LP_POOL_OPTIONS_(Options, \
    __VA_ARGS__) \
    T_END_(Tensor *, t__ok ? (f)(t__a, t__o.norm_type, &t__p) : NULL)
#define F_lp_pool1d(x, ...) F_LP_POOL_(F_PoolOptions, F_lp_pool1d, "F_lp_pool1d(" #x ", " #__VA_ARGS__ ")", x, \
    __VA_ARGS__)
#define F_lp_pool2d(x, ...) F_LP_POOL_(F_PoolOptions, F_lp_pool2d, "F_lp_pool2d(" #x ", " #__VA_ARGS__ ")", x, \
    __VA_ARGS__)
#define F_lp_pool3d(x, ...) F_LP_POOL_(F_Pool3dOptions, F_lp_pool3d, "F_lp_pool3d(" #x ", " #__VA_ARGS__ ")", x, \
    __VA_ARGS__)
/* F_max_unpool2d(y, i, 2), F_max_unpool2d(y, i, 2, .output_size = t_tuple(5, 5)) */
typedef struct F_MaxUnpoolArguments_ {
    int first_;
    int64_t kernel_size_, stride_, padding_, output_size_;
    struct t_too_many_arguments_ *rest_;
    t_Tuple kernel_size, stride, padding, output_size;
} F_MaxUnpoolArguments_;
#define F_MAX_UNPOOL_OPTIONS_(Options, ...) T_OPTIONS_(F_MaxUnpoolArguments_, t__o, .kernel_size_ = T_LEFT_OUT_, \
    .stride_ = T_LEFT_OUT_, .padding_ = T_LEFT_OUT_, .output_size_ = T_LEFT_OUT_, .kernel_size = T_NO_TUPLE_, \
    .stride = T_NO_TUPLE_, .padding = T_NO_TUPLE_, .output_size = T_NO_TUPLE_, .first_ = 0, \
    T_NAMED_((kernel_size, stride, padding, output_size), __VA_ARGS__)) \
    Options t__p = {.size = sizeof t__p, .dilation = {1, F_BOTH}, .count_include_pad = true, \
    .divisor_override = T_NONE}; F_SIZES_(Options, t__z); \
    const bool t__ok = F_PAIR_(kernel_size, F_NEEDED_, t__p.kernel_size) && F_PAIR_(stride, T_NONE, t__p.stride) && \
    F_PADDING_(padding, t__p.padding) && F_PAIR_(output_size, T_NONE, t__z);
#define F_MAX_UNPOOL_(Options, f, text, x, indices, ...) T_BEGIN_(text) T_TENSOR_(t__a, (x)) T_TENSOR_(t__b, \
    (indices)) \
    F_MAX_UNPOOL_OPTIONS_(Options, __VA_ARGS__) T_END_(Tensor *, t__ok ? (f)(t__a, t__b, &t__p, t__z) : NULL)
#define F_max_unpool1d(x, indices, ...) F_MAX_UNPOOL_(F_PoolOptions, F_max_unpool1d, \
    "F_max_unpool1d(" #x ", " #indices ", " #__VA_ARGS__ ")", x, indices, __VA_ARGS__)
#define F_max_unpool2d(x, indices, ...) F_MAX_UNPOOL_(F_PoolOptions, F_max_unpool2d, \
    "F_max_unpool2d(" #x ", " #indices ", " #__VA_ARGS__ ")", x, indices, __VA_ARGS__)
#define F_max_unpool3d(x, indices, ...) F_MAX_UNPOOL_(F_Pool3dOptions, F_max_unpool3d, \
    "F_max_unpool3d(" #x ", " #indices ", " #__VA_ARGS__ ")", x, indices, __VA_ARGS__)
/* F_adaptive_avg_pool2d(x, 1), F_adaptive_avg_pool2d(x, (5, T_NONE)), F_adaptive_max_pool2d(x, 7, .indices = &i) */
typedef struct F_AdaptiveArguments_ {
    int first_;
    int64_t output_size_;
    struct t_too_many_arguments_ *rest_;
    t_Tuple output_size;
    Tensor **indices;
} F_AdaptiveArguments_;
#define F_ADAPTIVE_OPTIONS_(Options, ...) T_OPTIONS_(F_AdaptiveArguments_, t__o, .output_size_ = T_LEFT_OUT_, \
    .output_size = T_NO_TUPLE_, .first_ = 0, T_NAMED_((output_size), __VA_ARGS__)) \
    F_SIZES_(Options, t__z); \
    const bool t__ok = F_PAIR_(output_size, F_NEEDED_, t__z);
#define F_ADAPTIVE_(Options, call, text, x, ...) T_BEGIN_(text) T_TENSOR_(t__a, (x)) F_ADAPTIVE_OPTIONS_(Options, \
    __VA_ARGS__) \
    T_END_(Tensor *, t__ok ? call : NULL)
#define F_adaptive_avg_pool1d(x, ...) F_ADAPTIVE_(F_PoolOptions, (F_adaptive_avg_pool1d)(t__a, t__z[0]), \
    "F_adaptive_avg_pool1d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define F_adaptive_avg_pool2d(x, ...) F_ADAPTIVE_(F_PoolOptions, (F_adaptive_avg_pool2d)(t__a, t__z), \
    "F_adaptive_avg_pool2d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define F_adaptive_max_pool1d(x, ...) F_ADAPTIVE_(F_PoolOptions, (F_adaptive_max_pool1d)(t__a, t__z[0], t__o.indices), \
    "F_adaptive_max_pool1d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define F_adaptive_max_pool2d(x, ...) F_ADAPTIVE_(F_PoolOptions, (F_adaptive_max_pool2d)(t__a, t__z, t__o.indices), \
    "F_adaptive_max_pool2d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define F_adaptive_avg_pool3d(x, ...) F_ADAPTIVE_(F_Pool3dOptions, (F_adaptive_avg_pool3d)(t__a, t__z), \
    "F_adaptive_avg_pool3d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define F_adaptive_max_pool3d(x, ...) F_ADAPTIVE_(F_Pool3dOptions, (F_adaptive_max_pool3d)(t__a, t__z, t__o.indices), \
    "F_adaptive_max_pool3d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)

/* F_fractional_max_pool2d(x, 3, (13, 12)), F_fractional_max_pool3d(x, 3, .output_ratio = 0.5, .indices = &i) */
typedef struct F_Factors_ { double items[3]; int len; } F_Factors_;
typedef struct F_FractionalMaxPoolArguments_ {
    int first_;
    int64_t kernel_size_, output_size_;
    double output_ratio_;
    struct t_too_many_arguments_ *rest_;
    t_Tuple kernel_size, output_size;
    F_Factors_ output_ratio;
    Tensor **indices, *_random_samples;
} F_FractionalMaxPoolArguments_;
#define F_NAN_ __builtin_nan("")
#define F_NO_FACTORS_ {{F_NAN_, F_NAN_, F_NAN_}, 0}
#define F_FACTOR_(name, i) (t__o.name##_ != (double)T_LEFT_OUT_ ? i ? F_NAN_ : t__o.name##_ : \
    !t__o.name.items[i] ? F_NAN_ : t__o.name.items[i])
#define F_FACTORS_(name) {F_FACTOR_(name, 0), F_FACTOR_(name, 1), F_FACTOR_(name, 2)}
#define F_FRACTIONAL_OPTIONS_(...) T_OPTIONS_(F_FractionalMaxPoolArguments_, t__o, .kernel_size_ = T_LEFT_OUT_, \
    .output_size_ = T_LEFT_OUT_, .output_ratio_ = (double)T_LEFT_OUT_, .kernel_size = T_NO_TUPLE_, \
    .output_size = T_NO_TUPLE_, .output_ratio = F_NO_FACTORS_, .first_ = 0, \
    T_NAMED_((kernel_size, output_size, output_ratio), __VA_ARGS__)) \
    F_FractionalMaxPoolOptions t__p = {.size = sizeof t__p, .output_ratio = F_FACTORS_(output_ratio), \
    .indices = t__o.indices, ._random_samples = t__o._random_samples}; \
    const bool t__ok = F_any_sizes_of_("kernel_size", t__o.kernel_size_, &t__o.kernel_size, t__p.kernel_size) && \
    (t__p.kernel_size[0] != T_NONE || t_missing_of_("kernel_size")) && \
    F_any_sizes_of_("output_size", t__o.output_size_, &t__o.output_size, t__p.output_size);
#define F_FRACTIONAL_(f, text, x, ...) T_BEGIN_(text) T_TENSOR_(t__a, (x)) F_FRACTIONAL_OPTIONS_(__VA_ARGS__) \
    T_END_(Tensor *, t__ok ? (f)(t__a, &t__p) : NULL)
#define F_fractional_max_pool2d(x, ...) F_FRACTIONAL_(F_fractional_max_pool2d, \
    "F_fractional_max_pool2d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define F_fractional_max_pool3d(x, ...) F_FRACTIONAL_(F_fractional_max_pool3d, \
    "F_fractional_max_pool3d(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)

/* ---- resizing ---- */
/* F_interpolate(x, 7), F_interpolate(x, (7, 5)), F_interpolate(x, .scale_factor = 2, .mode = "bilinear"),
 * F_interpolate(volume, (4, 7, 5), .mode = "trilinear") */
typedef struct F_InterpolateArguments_ {
    int first_;
    int64_t size_;
    double scale_factor_;
    const char *mode;
    bool align_corners, recompute_scale_factor, antialias;
    struct t_too_many_arguments_ *rest_;
    t_Tuple size;
    F_Factors_ scale_factor;
} F_InterpolateArguments_;
#define F_INTERPOLATE_OPTIONS_(...) T_OPTIONS_(F_InterpolateArguments_, t__o, .size_ = T_LEFT_OUT_, \
    .scale_factor_ = (double)T_LEFT_OUT_, .mode = "nearest", .size = T_NO_TUPLE_, \
    .scale_factor = F_NO_FACTORS_, .first_ = 0, T_NAMED_((size, scale_factor), __VA_ARGS__)) \
    F_InterpolateOptions t__i = {.size = sizeof t__i, .scale_factor = F_FACTORS_(scale_factor), .mode = t__o.mode, \
    .align_corners = t__o.align_corners, .recompute_scale_factor = t__o.recompute_scale_factor, \
    .antialias = t__o.antialias}; \
    const bool t__ok = F_any_sizes_of_("size", t__o.size_, &t__o.size, t__i.output_size);
#define F_interpolate(x, ...) T_BEGIN_("F_interpolate(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) \
    F_INTERPOLATE_OPTIONS_(__VA_ARGS__) \
    T_END_(Tensor *, t__ok ? (F_interpolate)(t__a, &t__i) : NULL)

/* ---- spatial transformers: F_affine_grid(theta, (n, c, h, w)), F_affine_grid(theta, .size = t_tuple(n, c, h, w),
 * .align_corners = true), F_grid_sample(x, grid), F_grid_sample(x, grid, "nearest", .padding_mode = "border") ---- */
typedef struct F_AffineGridArguments_ {
    int first_; int64_t size_; bool align_corners; t_Tuple size;
} F_AffineGridArguments_;
#define F_affine_grid(...) T_OP_NAMED_((input, size), (size, align_corners), \
    (F_affine_grid)(t__a, T_LIST_OF_(size), t__o.align_corners), "F_affine_grid(" #__VA_ARGS__ ")", \
    F_AffineGridArguments_, (.size_ = T_LEFT_OUT_, .size = T_NO_TUPLE_), __VA_ARGS__)
typedef struct F_GridSampleArguments_ {
    int first_; Tensor *grid; const char *mode, *padding_mode; bool align_corners;
} F_GridSampleArguments_;
#define F_grid_sample(...) T_OP_ARGUMENTS_((input, grid), \
    (F_grid_sample)(t__a, t__o.grid, t__o.mode, t__o.padding_mode, t__o.align_corners), \
    "F_grid_sample(" #__VA_ARGS__ ")", F_GridSampleArguments_, (.mode = "bilinear", .padding_mode = "zeros"), \
    __VA_ARGS__)

/* ---- channels: F_dropout2d(x), F_dropout2d(x, 0.2, .training = false), F_pixel_shuffle(x, 2) ---- */
typedef struct F_ChannelDropoutArguments_ { int first_; double p; bool training, inplace; } F_ChannelDropoutArguments_;
#define F_CHANNEL_DROPOUT_(f, text, otherwise, ...) T_BEGIN_(text) T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(F_ChannelDropoutArguments_, t__o, .p = 0.5, .training = otherwise, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (f)(t__a, t__o.p, t__o.training, t__o.inplace))
#define F_dropout1d(...) F_CHANNEL_DROPOUT_(F_dropout1d, "F_dropout1d(" #__VA_ARGS__ ")", true, __VA_ARGS__)
#define F_dropout2d(...) F_CHANNEL_DROPOUT_(F_dropout2d, "F_dropout2d(" #__VA_ARGS__ ")", true, __VA_ARGS__)
#define F_dropout3d(...) F_CHANNEL_DROPOUT_(F_dropout3d, "F_dropout3d(" #__VA_ARGS__ ")", true, __VA_ARGS__)
#define F_alpha_dropout(...) F_CHANNEL_DROPOUT_(F_alpha_dropout, "F_alpha_dropout(" #__VA_ARGS__ ")", false, \
    __VA_ARGS__)
typedef struct F_UpscaleArguments_ { int first_; int64_t upscale_factor; } F_UpscaleArguments_;
typedef struct F_DownscaleArguments_ { int first_; int64_t downscale_factor; } F_DownscaleArguments_;
#define F_pixel_shuffle(x, ...) T_OP_KEYS_(T_REQUIRED_(upscale_factor) ? (F_pixel_shuffle)(t__a, t__o.upscale_factor) \
    : NULL, "F_pixel_shuffle(" #x ", " #__VA_ARGS__ ")", F_UpscaleArguments_, (.upscale_factor = T_NONE), x, \
    __VA_ARGS__)
#define F_pixel_unshuffle(x, ...) T_OP_KEYS_(T_REQUIRED_(downscale_factor) \
    ? (F_pixel_unshuffle)(t__a, t__o.downscale_factor) : NULL, "F_pixel_unshuffle(" #x ", " #__VA_ARGS__ ")", \
    F_DownscaleArguments_, (.downscale_factor = T_NONE), x, __VA_ARGS__)
typedef struct F_GroupsArguments_ { int first_; int64_t groups; } F_GroupsArguments_;
#define F_channel_shuffle(x, ...) T_OP_KEYS_(T_REQUIRED_(groups) ? (F_channel_shuffle)(t__a, t__o.groups) : NULL, \
    "F_channel_shuffle(" #x ", " #__VA_ARGS__ ")", F_GroupsArguments_, (.groups = T_NONE), x, __VA_ARGS__)
#define F_feature_alpha_dropout(...) F_CHANNEL_DROPOUT_(F_feature_alpha_dropout, \
    "F_feature_alpha_dropout(" #__VA_ARGS__ ")", false, __VA_ARGS__)

#endif
#endif
