/* nn/sugar/adaptive.h: keyword-argument macros of nn/modules/adaptive.h and linear_cross_entropy.h (public; gcc and
 * clang, C only). See core/sugar/sugar.h. */
#ifndef TAPEGRAD_NN_SUGAR_ADAPTIVE_H
#define TAPEGRAD_NN_SUGAR_ADAPTIVE_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "nn/modules/adaptive.h"
#include "nn/modules/linear_cross_entropy.h"

/* nn_AdaptiveLogSoftmaxWithLoss(64, 10000, (100, 1000), .div_value = 2) */
typedef struct nn_AdaptiveArguments_ {
    int first_;
    int64_t in_features, n_classes, cutoffs_;
    double div_value;
    bool head_bias;
    t_Tuple cutoffs;
    int dtype;
} nn_AdaptiveArguments_;
#define nn_AdaptiveLogSoftmaxWithLoss(...) T_NEW_ARGUMENTS_(nn_AdaptiveLogSoftmaxWithLoss *, \
    (in_features, n_classes, cutoffs), \
    nn_AdaptiveLogSoftmaxWithLoss_new(t__o.in_features, t__o.n_classes, T_LIST_OF_(cutoffs), \
    &(const nn_AdaptiveLogSoftmaxOptions){sizeof(nn_AdaptiveLogSoftmaxOptions), t__o.div_value, t__o.head_bias, \
    (t_DType)t__o.dtype}), "nn_AdaptiveLogSoftmaxWithLoss(" #__VA_ARGS__ ")", nn_AdaptiveArguments_, \
    (.in_features = T_NONE, .n_classes = T_NONE, .cutoffs_ = T_LEFT_OUT_, .cutoffs = T_NO_TUPLE_, .div_value = 4), \
    T_NAMED_((in_features, n_classes, cutoffs, div_value), __VA_ARGS__))
/* output = nn_AdaptiveLogSoftmaxWithLoss_call(asm, x, y, .loss = &loss) */
typedef struct nn_AdaptiveCall_ { int first_; Tensor *input, *target, **loss; } nn_AdaptiveCall_;
#define nn_AdaptiveLogSoftmaxWithLoss_call(...) T_BEGIN_("nn_AdaptiveLogSoftmaxWithLoss_call(" #__VA_ARGS__ ")") \
    nn_AdaptiveLogSoftmaxWithLoss *t__m = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(nn_AdaptiveCall_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (nn_AdaptiveLogSoftmaxWithLoss_call)(t__m, t__o.input, t__o.target, t__o.loss))
#define NN_ALL_CLASSES_(f, text, self, input) T_BEGIN_(text) nn_AdaptiveLogSoftmaxWithLoss *t__m = (self); \
    T_TENSOR_(t__a, (input)) T_END_(Tensor *, (f)(t__m, t__a))
#define nn_AdaptiveLogSoftmaxWithLoss_log_prob(self, input) NN_ALL_CLASSES_(nn_AdaptiveLogSoftmaxWithLoss_log_prob, \
    "nn_AdaptiveLogSoftmaxWithLoss_log_prob(" #self ", " #input ")", self, input)
#define nn_AdaptiveLogSoftmaxWithLoss_predict(self, input) NN_ALL_CLASSES_(nn_AdaptiveLogSoftmaxWithLoss_predict, \
    "nn_AdaptiveLogSoftmaxWithLoss_predict(" #self ", " #input ")", self, input)

/* nn_LinearCrossEntropyLoss(64, 10), nn_LinearCrossEntropyLoss(5, 10, .out_features = t_tuple(4, 3), .bias = true) */
typedef struct nn_LinearLossArguments_ {
    int first_;
    int64_t in_features, num_classes;
    t_Tuple out_features;
    bool bias;
    int dtype;
    const char *reduction;
    Tensor *weight;
    int64_t ignore_index;
    double label_smoothing;
} nn_LinearLossArguments_;
#define nn_LinearCrossEntropyLoss(...) T_NEW_ARGUMENTS_(nn_LinearCrossEntropyLoss *, (in_features, num_classes), \
    nn_LinearCrossEntropyLoss_new(t__o.in_features, t__o.num_classes, \
    &(const nn_LinearCrossEntropyLossOptions){sizeof(nn_LinearCrossEntropyLossOptions), t__o.out_features, t__o.bias, \
    (t_DType)t__o.dtype, t__o.reduction, t__o.weight, t__o.ignore_index, t__o.label_smoothing}), \
    "nn_LinearCrossEntropyLoss(" #__VA_ARGS__ ")", nn_LinearLossArguments_, \
    (.in_features = T_NONE, .num_classes = T_NONE, .reduction = "mean", .ignore_index = T_NONE), __VA_ARGS__)

#endif
#endif
