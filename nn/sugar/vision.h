/* nn/sugar/vision.h: keyword-argument macros of nn/modules/vision.h (public; gcc and clang, C only). See
 * core/sugar/sugar.h. */
#ifndef TAPEGRAD_NN_SUGAR_VISION_H
#define TAPEGRAD_NN_SUGAR_VISION_H
#ifndef __cplusplus
#pragma GCC system_header

#include "nn/sugar/functional.h"
#include "nn/modules/vision.h"

/* nn_Flatten(), nn_Flatten(0), nn_Unflatten(1, (2, 3)): the sizes in parentheses */
typedef struct nn_FlattenArguments_ { int first_; int64_t start_dim, end_dim; } nn_FlattenArguments_;
#define nn_Flatten(...) T_BEGIN_("nn_Flatten(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_FlattenArguments_, t__o, .start_dim = 1, .end_dim = -1, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_Flatten *, nn_Flatten_new(t__o.start_dim, t__o.end_dim))
typedef struct nn_UnflattenArguments_ {
    int first_; int64_t dim, unflattened_size_; t_Tuple unflattened_size;
} nn_UnflattenArguments_;
#define nn_Unflatten(...) T_BEGIN_("nn_Unflatten(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_UnflattenArguments_, t__o, .dim = T_NONE, .unflattened_size_ = T_LEFT_OUT_, \
    .unflattened_size = T_NO_TUPLE_, .first_ = 0, T_NAMED_((dim, unflattened_size), __VA_ARGS__)) \
    T_END_(nn_Unflatten *, nn_Unflatten_new(t__o.dim, T_LIST_OF_(unflattened_size)))
/* nn_Dropout2d(), nn_Dropout2d(0.2) */
typedef struct nn_ChannelDropoutArguments_ { int first_; double p; bool inplace; } nn_ChannelDropoutArguments_;
#define NN_CHANNEL_DROPOUT_(Type, text, ...) T_BEGIN_(text) \
    T_OPTIONS_(nn_ChannelDropoutArguments_, t__o, .p = 0.5, .first_ = 0, __VA_ARGS__) \
    T_END_(Type *, Type##_new(t__o.p, t__o.inplace))
#define nn_Dropout1d(...) NN_CHANNEL_DROPOUT_(nn_Dropout1d, "nn_Dropout1d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_Dropout2d(...) NN_CHANNEL_DROPOUT_(nn_Dropout2d, "nn_Dropout2d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_Dropout3d(...) NN_CHANNEL_DROPOUT_(nn_Dropout3d, "nn_Dropout3d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_AlphaDropout(...) NN_CHANNEL_DROPOUT_(nn_AlphaDropout, "nn_AlphaDropout(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_FeatureAlphaDropout(...) NN_CHANNEL_DROPOUT_(nn_FeatureAlphaDropout, \
    "nn_FeatureAlphaDropout(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ChannelShuffle(...) T_BEGIN_("nn_ChannelShuffle(" #__VA_ARGS__ ")") \
    T_OPTIONS_(F_GroupsArguments_, t__o, .groups = T_NONE, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_ChannelShuffle *, T_REQUIRED_(groups) ? nn_ChannelShuffle_new(t__o.groups) : NULL)
#define nn_PixelShuffle(...) T_BEGIN_("nn_PixelShuffle(" #__VA_ARGS__ ")") \
    T_OPTIONS_(F_UpscaleArguments_, t__o, .upscale_factor = T_NONE, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_PixelShuffle *, T_REQUIRED_(upscale_factor) ? nn_PixelShuffle_new(t__o.upscale_factor) : NULL)
#define nn_PixelUnshuffle(...) T_BEGIN_("nn_PixelUnshuffle(" #__VA_ARGS__ ")") \
    T_OPTIONS_(F_DownscaleArguments_, t__o, .downscale_factor = T_NONE, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_PixelUnshuffle *, T_REQUIRED_(downscale_factor) ? nn_PixelUnshuffle_new(t__o.downscale_factor) : NULL)
/* nn_Upsample(7), nn_Upsample((7, 5)), nn_Upsample(.scale_factor = 2, .mode = "bilinear", .align_corners = true) */
#define nn_Upsample(...) T_BEGIN_("nn_Upsample(" #__VA_ARGS__ ")") F_INTERPOLATE_OPTIONS_(__VA_ARGS__) \
    T_END_(nn_Upsample *, t__ok ? nn_Upsample_new(&t__i) : NULL)

#endif
#endif
