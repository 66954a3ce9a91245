/* nn/sugar_norms.h: Python's face of nn/norms.h (public; gcc and clang, C only). See core/sugar.h. */
#ifndef TAPEGRAD_NN_SUGAR_NORMS_H
#define TAPEGRAD_NN_SUGAR_NORMS_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar.h"
#include "nn/norms.h"

/* nn_RMSNorm(64), nn_RMSNorm(64, .eps = 1e-6), nn_RMSNorm((2, 3)) over the last two dims */
#define nn_RMSNorm(...) T_BEGIN_("nn_RMSNorm(" #__VA_ARGS__ ")") T_LIST_OF_WHOLE_(t__n, T_SPREAD_(T_HEAD_(__VA_ARGS__))) \
    T_OPTIONS_(nn_RMSNormOptions, t__o, .eps = __builtin_nan(""), .elementwise_affine = true, .size = sizeof(nn_RMSNormOptions), T_TAIL_(__VA_ARGS__)) \
    T_END_(nn_RMSNorm *, nn_RMSNorm_new(T_LIST_AND_LENGTH_(t__n), &t__o))
/* nn_GroupNorm(2, 8), nn_GroupNorm(2, 8, .affine = false) */
#define nn_GroupNorm(num_groups, ...) T_BEGIN_("nn_GroupNorm(" #num_groups ", " #__VA_ARGS__ ")") T_WHOLE_(t__g = (num_groups), t__c = T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(nn_GroupNormOptions, t__o, .eps = 1e-5, .affine = true, .bias = true, .size = sizeof(nn_GroupNormOptions), T_TAIL_(__VA_ARGS__)) \
    T_END_(nn_GroupNorm *, nn_GroupNorm_new(t__g, t__c, &t__o))
/* nn_BatchNorm2d(16), nn_BatchNorm2d(16, .momentum = NAN): None */
#define NN_BATCH_NORM_(Type, text, on, ...) T_BEGIN_(text) T_WHOLE_(t__n = T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(nn_BatchNormOptions, t__o, .eps = 1e-5, .momentum = 0.1, .affine = on, .track_running_stats = on, .bias = true, \
               .size = sizeof(nn_BatchNormOptions), T_TAIL_(__VA_ARGS__)) \
    T_END_(Type *, Type##_new(t__n, &t__o))
#define nn_BatchNorm1d(...) NN_BATCH_NORM_(nn_BatchNorm1d, "nn_BatchNorm1d(" #__VA_ARGS__ ")", true, __VA_ARGS__)
#define nn_BatchNorm2d(...) NN_BATCH_NORM_(nn_BatchNorm2d, "nn_BatchNorm2d(" #__VA_ARGS__ ")", true, __VA_ARGS__)
#define nn_InstanceNorm1d(...) NN_BATCH_NORM_(nn_InstanceNorm1d, "nn_InstanceNorm1d(" #__VA_ARGS__ ")", false, __VA_ARGS__)
#define nn_InstanceNorm2d(...) NN_BATCH_NORM_(nn_InstanceNorm2d, "nn_InstanceNorm2d(" #__VA_ARGS__ ")", false, __VA_ARGS__)
/* nn_LocalResponseNorm(5), nn_LocalResponseNorm(5, .k = 2) */
typedef struct nn_LocalResponseNormArguments_ { int first_; double alpha, beta, k; } nn_LocalResponseNormArguments_;
#define nn_LocalResponseNorm(...) T_BEGIN_("nn_LocalResponseNorm(" #__VA_ARGS__ ")") T_WHOLE_(t__n = T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(nn_LocalResponseNormArguments_, t__o, .alpha = 1e-4, .beta = 0.75, .k = 1, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(nn_LocalResponseNorm *, nn_LocalResponseNorm_new(t__n, t__o.alpha, t__o.beta, t__o.k))

#endif
#endif
