/* nn/sugar/pooling.h: keyword-argument macros of nn/modules/pooling.h (public; gcc and clang, C only). See
 * core/sugar/sugar.h. */
#ifndef TAPEGRAD_NN_SUGAR_POOLING_H
#define TAPEGRAD_NN_SUGAR_POOLING_H
#ifndef __cplusplus
#pragma GCC system_header

#include "nn/sugar/functional_layers.h"
#include "nn/modules/pooling.h"

/* nn_MaxPool2d(2), nn_MaxPool2d(3, 2, 1), nn_MaxPool2d((3, 2), (2, 1), .ceil_mode = true) */
#define NN_MAX_POOL_(Options, Type, text, ...) T_BEGIN_(text) F_MAX_POOL_OPTIONS_(Options, __VA_ARGS__) \
    T_END_(Type *, t__ok ? Type##_new(&t__p) : NULL)
#define nn_MaxPool1d(...) NN_MAX_POOL_(F_PoolOptions, nn_MaxPool1d, "nn_MaxPool1d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_MaxPool2d(...) NN_MAX_POOL_(F_PoolOptions, nn_MaxPool2d, "nn_MaxPool2d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define NN_AVG_POOL_(Options, Type, text, ...) T_BEGIN_(text) F_AVG_POOL_OPTIONS_(Options, __VA_ARGS__) \
    T_END_(Type *, t__ok ? Type##_new(&t__p) : NULL)
#define nn_AvgPool1d(...) NN_AVG_POOL_(F_PoolOptions, nn_AvgPool1d, "nn_AvgPool1d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_AvgPool2d(...) NN_AVG_POOL_(F_PoolOptions, nn_AvgPool2d, "nn_AvgPool2d(" #__VA_ARGS__ ")", __VA_ARGS__)
/* nn_MaxPool2d_call(pool, x, &indices), nn_MaxUnpool2d(2), nn_MaxUnpool2d(3, .stride = 2), nn_LPPool2d(2, 3) */
#define NN_MAX_POOL_CALL_(f, Type, text, self, x, indices) T_BEGIN_(text) Type *t__m = (self); T_TENSOR_(t__a, (x)) \
    T_END_(Tensor *, (f)(t__m, t__a, indices))
#define nn_MaxPool1d_call(self, x, indices) NN_MAX_POOL_CALL_(nn_MaxPool1d_call, nn_MaxPool1d, \
    "nn_MaxPool1d_call(" #self ", " #x ", " #indices ")", self, x, indices)
#define nn_MaxPool2d_call(self, x, indices) NN_MAX_POOL_CALL_(nn_MaxPool2d_call, nn_MaxPool2d, \
    "nn_MaxPool2d_call(" #self ", " #x ", " #indices ")", self, x, indices)
#define nn_MaxUnpool1d(...) NN_MAX_POOL_(F_PoolOptions, nn_MaxUnpool1d, "nn_MaxUnpool1d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_MaxUnpool2d(...) NN_MAX_POOL_(F_PoolOptions, nn_MaxUnpool2d, "nn_MaxUnpool2d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define NN_LP_POOL_(Options, Type, text, ...) T_BEGIN_(text) F_LP_POOL_OPTIONS_(Options, __VA_ARGS__) \
    T_END_(Type *, t__ok ? Type##_new(t__o.norm_type, &t__p) : NULL)
#define nn_LPPool1d(...) NN_LP_POOL_(F_PoolOptions, nn_LPPool1d, "nn_LPPool1d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_LPPool2d(...) NN_LP_POOL_(F_PoolOptions, nn_LPPool2d, "nn_LPPool2d(" #__VA_ARGS__ ")", __VA_ARGS__)
/* nn_AdaptiveAvgPool2d(1), nn_AdaptiveAvgPool2d((5, T_NONE)) */
#define NN_ADAPTIVE_(Options, Type, text, size, ...) T_BEGIN_(text) F_ADAPTIVE_OPTIONS_(Options, __VA_ARGS__) \
    T_END_(Type *, t__ok ? Type##_new(size) : NULL)
#define nn_AdaptiveAvgPool1d(...) NN_ADAPTIVE_(F_PoolOptions, nn_AdaptiveAvgPool1d, "nn_AdaptiveAvgPool1d(" \
    #__VA_ARGS__ ")", \
    t__z[0], __VA_ARGS__)
#define nn_AdaptiveAvgPool2d(...) NN_ADAPTIVE_(F_PoolOptions, nn_AdaptiveAvgPool2d, "nn_AdaptiveAvgPool2d(" \
    #__VA_ARGS__ ")", t__z, \
    __VA_ARGS__)
#define nn_AdaptiveMaxPool1d(...) NN_ADAPTIVE_(F_PoolOptions, nn_AdaptiveMaxPool1d, "nn_AdaptiveMaxPool1d(" \
    #__VA_ARGS__ ")", \
    t__z[0], __VA_ARGS__)
#define nn_AdaptiveMaxPool2d(...) NN_ADAPTIVE_(F_PoolOptions, nn_AdaptiveMaxPool2d, "nn_AdaptiveMaxPool2d(" \
    #__VA_ARGS__ ")", t__z, \
    __VA_ARGS__)
/* Over three dims: nn_MaxPool3d(2), nn_MaxPool3d((1, 2, 2)), nn_MaxPool3d_call(pool, x, &indices) */
#define nn_MaxPool3d(...) NN_MAX_POOL_(F_Pool3dOptions, nn_MaxPool3d, "nn_MaxPool3d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_AvgPool3d(...) NN_AVG_POOL_(F_Pool3dOptions, nn_AvgPool3d, "nn_AvgPool3d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_MaxPool3d_call(self, x, indices) NN_MAX_POOL_CALL_(nn_MaxPool3d_call, nn_MaxPool3d, \
    "nn_MaxPool3d_call(" #self ", " #x ", " #indices ")", self, x, indices)
#define nn_MaxUnpool3d(...) NN_MAX_POOL_(F_Pool3dOptions, nn_MaxUnpool3d, "nn_MaxUnpool3d(" #__VA_ARGS__ ")", \
    __VA_ARGS__)
#define nn_LPPool3d(...) NN_LP_POOL_(F_Pool3dOptions, nn_LPPool3d, "nn_LPPool3d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_AdaptiveAvgPool3d(...) NN_ADAPTIVE_(F_Pool3dOptions, nn_AdaptiveAvgPool3d, \
    "nn_AdaptiveAvgPool3d(" #__VA_ARGS__ ")", t__z, __VA_ARGS__)
#define nn_AdaptiveMaxPool3d(...) NN_ADAPTIVE_(F_Pool3dOptions, nn_AdaptiveMaxPool3d, \
    "nn_AdaptiveMaxPool3d(" #__VA_ARGS__ ")", t__z, __VA_ARGS__)

/* nn_FractionalMaxPool2d(3, (13, 12)), nn_FractionalMaxPool2d(3, .output_ratio = 0.5) */
#define NN_FRACTIONAL_(Type, text, ...) T_BEGIN_(text) F_FRACTIONAL_OPTIONS_(__VA_ARGS__) \
    T_END_(Type *, t__ok ? Type##_new(&t__p) : NULL)
#define nn_FractionalMaxPool2d(...) NN_FRACTIONAL_(nn_FractionalMaxPool2d, "nn_FractionalMaxPool2d(" #__VA_ARGS__ ")", \
    __VA_ARGS__)
#define nn_FractionalMaxPool3d(...) NN_FRACTIONAL_(nn_FractionalMaxPool3d, "nn_FractionalMaxPool3d(" #__VA_ARGS__ ")", \
    __VA_ARGS__)
#define nn_FractionalMaxPool2d_call(self, x, indices) NN_MAX_POOL_CALL_(nn_FractionalMaxPool2d_call, \
    nn_FractionalMaxPool2d, "nn_FractionalMaxPool2d_call(" #self ", " #x ", " #indices ")", self, x, indices)
#define nn_FractionalMaxPool3d_call(self, x, indices) NN_MAX_POOL_CALL_(nn_FractionalMaxPool3d_call, \
    nn_FractionalMaxPool3d, "nn_FractionalMaxPool3d_call(" #self ", " #x ", " #indices ")", self, x, indices)

/* nn_AdaptiveMaxPool2d_call(pool, x, &indices), nn_MaxUnpool2d_call(unpool, y, indices, (5, 5)) */
#define nn_AdaptiveMaxPool1d_call(self, x, indices) NN_MAX_POOL_CALL_(nn_AdaptiveMaxPool1d_call, \
    nn_AdaptiveMaxPool1d, "nn_AdaptiveMaxPool1d_call(" #self ", " #x ", " #indices ")", self, x, indices)
#define nn_AdaptiveMaxPool2d_call(self, x, indices) NN_MAX_POOL_CALL_(nn_AdaptiveMaxPool2d_call, \
    nn_AdaptiveMaxPool2d, "nn_AdaptiveMaxPool2d_call(" #self ", " #x ", " #indices ")", self, x, indices)
#define nn_AdaptiveMaxPool3d_call(self, x, indices) NN_MAX_POOL_CALL_(nn_AdaptiveMaxPool3d_call, \
    nn_AdaptiveMaxPool3d, "nn_AdaptiveMaxPool3d_call(" #self ", " #x ", " #indices ")", self, x, indices)
#define NN_UNPOOL_CALL_(Options, f, Type, text, self, x, indices, ...) T_BEGIN_(text) Type *t__m = (self); \
    T_TENSOR_(t__a, (x)) T_TENSOR_(t__b, (indices)) T_OPTIONS_(F_AdaptiveArguments_, t__o, \
    .output_size_ = T_LEFT_OUT_, .output_size = T_NO_TUPLE_, .first_ = 0, T_NAMED_((output_size), __VA_ARGS__)) \
    F_SIZES_(Options, t__z); const bool t__ok = F_PAIR_(output_size, T_NONE, t__z); \
    T_END_(Tensor *, t__ok ? (f)(t__m, t__a, t__b, t__z) : NULL)
#define nn_MaxUnpool1d_call(self, x, indices, ...) NN_UNPOOL_CALL_(F_PoolOptions, nn_MaxUnpool1d_call, \
    nn_MaxUnpool1d, "nn_MaxUnpool1d_call(" #self ", " #x ", " #indices ", " #__VA_ARGS__ ")", self, x, indices, \
    __VA_ARGS__)
#define nn_MaxUnpool2d_call(self, x, indices, ...) NN_UNPOOL_CALL_(F_PoolOptions, nn_MaxUnpool2d_call, \
    nn_MaxUnpool2d, "nn_MaxUnpool2d_call(" #self ", " #x ", " #indices ", " #__VA_ARGS__ ")", self, x, indices, \
    __VA_ARGS__)
#define nn_MaxUnpool3d_call(self, x, indices, ...) NN_UNPOOL_CALL_(F_Pool3dOptions, nn_MaxUnpool3d_call, \
    nn_MaxUnpool3d, "nn_MaxUnpool3d_call(" #self ", " #x ", " #indices ", " #__VA_ARGS__ ")", self, x, indices, \
    __VA_ARGS__)

#endif
#endif
