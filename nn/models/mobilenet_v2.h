/* nn/models/mobilenet_v2.h: torchvision's MobileNetV2 (public). M. Sandler et al., "MobileNetV2: Inverted Residuals and
 * Linear Bottlenecks", arXiv 1801.04381. */
#ifndef TAPEGRAD_NN_MODELS_MOBILENET_V2_H
#define TAPEGRAD_NN_MODELS_MOBILENET_V2_H

#include "nn/models/resnet.h"

T_BEGIN_DECLS

/* torchvision.models.mobilenetv2.InvertedResidual: 1x1 convolution to more channels, 3x3 over each channel, 1x1 to
 * fewer, added to the input where the shapes are equal. */
typedef struct models_InvertedResidual {
    nn_Module base;
    nn_Sequential *conv;
    int64_t stride, out_channels;
    bool use_res_connect;
} models_InvertedResidual;

/* x: (N, 3, H, W) -> (N, num_classes) */
typedef struct models_MobileNetV2 {
    nn_Module base;
    nn_Sequential *features, *classifier;
    int64_t last_channel;
} models_MobileNetV2;
typedef struct models_MobileNetV2Options {
    uint32_t size;
    const char *weights;   /* weights.h; NULL: None */
    int64_t num_classes;   /* 1000 */
    double width_mult;     /* 1: scales the channels of all layers */
    int64_t round_nearest; /* 8: to a multiple of which they are rounded */
    double dropout;        /* 0.2 */
    models_NormLayer *norm_layer;
} models_MobileNetV2Options;
T_API extern const models_MobileNetV2Options models_MobileNetV2Defaults;
/* torchvision.models.mobilenet_v2(weights=None, num_classes=1000, width_mult=1.0, round_nearest=8, norm_layer=None,
 * dropout=0.2); not inverted_residual_setting and block. */
T_API models_MobileNetV2 *models_mobilenet_v2(const models_MobileNetV2Options *options);

T_END_DECLS
#endif
