/* nn/sugar/adaptive.h: keyword-argument macros of nn/modules/adaptive.h (public; gcc and clang, C only). See
 * core/sugar/sugar.h. */
#ifndef TAPEGRAD_NN_SUGAR_ADAPTIVE_H
#define TAPEGRAD_NN_SUGAR_ADAPTIVE_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "nn/modules/adaptive.h"

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

#endif
#endif
