/* nn/modules/vision.h: small layers of image models: Flatten, Dropout2d, PixelShuffle, Upsample etc. (public). */
#ifndef TAPEGRAD_NN_MODULES_VISION_H
#define TAPEGRAD_NN_MODULES_VISION_H

#include "nn/functional/vision/vision.h"
#include "nn/modules/layers.h"

T_BEGIN_DECLS

/* nn.Flatten(start_dim=1, end_dim=-1) */
typedef struct nn_Flatten {
    nn_Module base;
    int64_t start_dim, end_dim;
} nn_Flatten;
T_API nn_Flatten *nn_Flatten_new(int64_t start_dim, int64_t end_dim);

/* nn.Unflatten(dim, unflattened_size): one of the sizes may be -1. */
typedef struct nn_Unflatten {
    nn_Module base;
    int64_t dim, unflattened_size[T_MAX_DIMS];
    int ndim;
} nn_Unflatten;
T_API nn_Unflatten *nn_Unflatten_new(int64_t dim, const int64_t *unflattened_size, int ndim);

/* nn.Dropout1d(p=0.5), nn.Dropout2d, nn.Dropout3d: dropout of channels; nn.AlphaDropout(p=0.5), for selu. */
typedef nn_Dropout nn_Dropout1d, nn_Dropout2d, nn_Dropout3d, nn_AlphaDropout, nn_FeatureAlphaDropout;
T_API nn_Dropout1d *nn_Dropout1d_new(double p, bool inplace);
T_API nn_Dropout2d *nn_Dropout2d_new(double p, bool inplace);
T_API nn_Dropout3d *nn_Dropout3d_new(double p, bool inplace);
T_API nn_AlphaDropout *nn_AlphaDropout_new(double p, bool inplace);
T_API nn_FeatureAlphaDropout *nn_FeatureAlphaDropout_new(double p,
                                                         bool inplace); /* nn.FeatureAlphaDropout(p=0.5): of channels */

/* nn.PixelShuffle(upscale_factor), nn.PixelUnshuffle(downscale_factor), nn.ChannelShuffle(groups) */
typedef struct nn_PixelShuffle {
    nn_Module base;
    int64_t factor;
} nn_PixelShuffle;
typedef nn_PixelShuffle nn_PixelUnshuffle;
typedef struct nn_ChannelShuffle {
    nn_Module base;
    int64_t groups;
} nn_ChannelShuffle;
T_API nn_ChannelShuffle *nn_ChannelShuffle_new(int64_t groups);
T_API nn_PixelShuffle *nn_PixelShuffle_new(int64_t upscale_factor);
T_API nn_PixelUnshuffle *nn_PixelUnshuffle_new(int64_t downscale_factor);

/* nn.Upsample(size=None, scale_factor=None, mode="nearest", align_corners=None): F_interpolate. */
typedef struct nn_Upsample {
    nn_Module base;
    F_InterpolateOptions options;
} nn_Upsample;
T_API nn_Upsample *nn_Upsample_new(const F_InterpolateOptions *options);

T_END_DECLS
#endif
