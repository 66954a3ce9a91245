/* nn/sugar/norms.h: keyword-argument macros of nn/modules/norms.h (public; gcc and clang, C only). See
 * core/sugar/sugar.h. */
#ifndef TAPEGRAD_NN_SUGAR_NORMS_H
#define TAPEGRAD_NN_SUGAR_NORMS_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "nn/modules/norms.h"

/* nn_RMSNorm(64), nn_RMSNorm(64, .eps = 1e-6), nn_RMSNorm((2, 3)) over the last two dims */
typedef struct nn_RMSNormArguments_ {
    int first_;
    int64_t normalized_shape_;
    double eps;
    bool elementwise_affine;
    int dtype;
    t_Tuple normalized_shape;
} nn_RMSNormArguments_;
#define nn_RMSNorm(...) T_NEW_ARGUMENTS_(nn_RMSNorm *, (normalized_shape), \
    nn_RMSNorm_new(T_LIST_OF_(normalized_shape), \
    &(const nn_RMSNormOptions){sizeof(nn_RMSNormOptions), t__o.eps, t__o.elementwise_affine, (t_DType)t__o.dtype}), \
    "nn_RMSNorm(" #__VA_ARGS__ ")", nn_RMSNormArguments_, \
    (.normalized_shape_ = T_LEFT_OUT_, .normalized_shape = T_NO_TUPLE_, .eps = __builtin_nan(""), \
    .elementwise_affine = true), T_NAMED_((normalized_shape, eps), __VA_ARGS__))
/* nn_GroupNorm(2, 8), nn_GroupNorm(2, 8, .affine = false) */
typedef struct nn_GroupNormArguments_ {
    int first_; int64_t num_groups, num_channels; double eps; bool affine, bias; int dtype;
} nn_GroupNormArguments_;
#define nn_GroupNorm(...) T_NEW_ARGUMENTS_(nn_GroupNorm *, (num_groups, num_channels), \
    nn_GroupNorm_new(t__o.num_groups, t__o.num_channels, \
    &(const nn_GroupNormOptions){sizeof(nn_GroupNormOptions), t__o.eps, t__o.affine, t__o.bias, (t_DType)t__o.dtype}), \
    "nn_GroupNorm(" #__VA_ARGS__ ")", nn_GroupNormArguments_, \
    (.num_groups = T_NONE, .num_channels = T_NONE, .eps = 1e-5, .affine = true, .bias = true), __VA_ARGS__)
/* nn_BatchNorm2d(16), nn_BatchNorm2d(16, .momentum = NAN): None */
typedef struct nn_BatchNormArguments_ {
    int first_;
    int64_t num_features;
    double eps, momentum;
    bool affine, track_running_stats, bias;
    int dtype;
} nn_BatchNormArguments_;
#define NN_BATCH_NORM_(Type, text, on, ...) T_NEW_ARGUMENTS_(Type *, (num_features), \
    Type##_new(t__o.num_features, &(const nn_BatchNormOptions){sizeof(nn_BatchNormOptions), t__o.eps, t__o.momentum, \
    t__o.affine, t__o.track_running_stats, t__o.bias, (t_DType)t__o.dtype}), text, nn_BatchNormArguments_, \
    (.num_features = T_NONE, .eps = 1e-5, .momentum = 0.1, .affine = on, .track_running_stats = on, .bias = true), \
    __VA_ARGS__)
#define nn_BatchNorm1d(...) NN_BATCH_NORM_(nn_BatchNorm1d, "nn_BatchNorm1d(" #__VA_ARGS__ ")", true, __VA_ARGS__)
#define nn_BatchNorm2d(...) NN_BATCH_NORM_(nn_BatchNorm2d, "nn_BatchNorm2d(" #__VA_ARGS__ ")", true, __VA_ARGS__)
#define nn_BatchNorm3d(...) NN_BATCH_NORM_(nn_BatchNorm3d, "nn_BatchNorm3d(" #__VA_ARGS__ ")", true, __VA_ARGS__)
#define nn_InstanceNorm1d(...) NN_BATCH_NORM_(nn_InstanceNorm1d, "nn_InstanceNorm1d(" #__VA_ARGS__ ")", false, \
    __VA_ARGS__)
#define nn_InstanceNorm2d(...) NN_BATCH_NORM_(nn_InstanceNorm2d, "nn_InstanceNorm2d(" #__VA_ARGS__ ")", false, \
    __VA_ARGS__)
#define nn_InstanceNorm3d(...) NN_BATCH_NORM_(nn_InstanceNorm3d, "nn_InstanceNorm3d(" #__VA_ARGS__ ")", false, \
    __VA_ARGS__)
/* nn_LocalResponseNorm(5), nn_LocalResponseNorm(5, .k = 2) */
typedef struct nn_LocalResponseNormArguments_ {
    int first_; int64_t size; double alpha, beta, k;
} nn_LocalResponseNormArguments_;
#define nn_LocalResponseNorm(...) T_NEW_ARGUMENTS_(nn_LocalResponseNorm *, (size), \
    nn_LocalResponseNorm_new(t__o.size, t__o.alpha, t__o.beta, t__o.k), "nn_LocalResponseNorm(" #__VA_ARGS__ ")", \
    nn_LocalResponseNormArguments_, (.size = T_NONE, .alpha = 1e-4, .beta = 0.75, .k = 1), __VA_ARGS__)

#endif
#endif
