/* nn/models/vgg.h: torchvision's VGG and AlexNet (public): convolutions with max pooling, then three linear layers with
 * dropout. K. Simonyan, A. Zisserman, arXiv 1409.1556; A. Krizhevsky, arXiv 1404.5997. */
#ifndef TAPEGRAD_NN_MODELS_VGG_H
#define TAPEGRAD_NN_MODELS_VGG_H

#include "nn/models/weights.h"
#include "nn/modules/layers.h"
#include "nn/modules/pooling.h"

T_BEGIN_DECLS

/* x: (N, 3, H, W), 32 pixels or more -> (N, num_classes) */
typedef struct models_VGG {
    nn_Module base;
    nn_Sequential *features;
    nn_AdaptiveAvgPool2d *avgpool;
    nn_Sequential *classifier;
} models_VGG;
typedef struct models_VGGOptions {
    uint32_t size;
    const char *weights; /* weights.h; NULL: None */
    int64_t num_classes; /* 1000 */
    bool init_weights;   /* true: kaiming_normal_ and normal_; false: the layers' own */
    double dropout;      /* 0.5 */
} models_VGGOptions;
T_API extern const models_VGGOptions models_VGGDefaults;
/* torchvision.models.VGG(features, num_classes=1000, init_weights=True, dropout=0.5); the features' output has 512
 * channels. weights: a path. */
T_API models_VGG *models_VGG_new(void *features, const models_VGGOptions *options);
T_API models_VGG *models_vgg11(const models_VGGOptions *options); /* torchvision.models.vgg11(weights=None, **kwargs) */
T_API models_VGG *models_vgg13(const models_VGGOptions *options);
T_API models_VGG *models_vgg16(const models_VGGOptions *options);
T_API models_VGG *models_vgg19(const models_VGGOptions *options);
/* vgg11_bn(weights=None, **kwargs): a BatchNorm2d after each convolution */
T_API models_VGG *models_vgg11_bn(const models_VGGOptions *options);
T_API models_VGG *models_vgg13_bn(const models_VGGOptions *options);
T_API models_VGG *models_vgg16_bn(const models_VGGOptions *options);
T_API models_VGG *models_vgg19_bn(const models_VGGOptions *options);

/* x: (N, 3, H, W), 63 pixels or more -> (N, num_classes) */
typedef struct models_AlexNet {
    nn_Module base;
    nn_Sequential *features;
    nn_AdaptiveAvgPool2d *avgpool;
    nn_Sequential *classifier;
} models_AlexNet;
typedef struct models_AlexNetOptions {
    uint32_t size;
    const char *weights;
    int64_t num_classes; /* 1000 */
    double dropout;      /* 0.5 */
} models_AlexNetOptions;
T_API extern const models_AlexNetOptions models_AlexNetDefaults;
/* torchvision.models.alexnet(weights=None, num_classes=1000, dropout=0.5) */
T_API models_AlexNet *models_alexnet(const models_AlexNetOptions *options);

T_END_DECLS
#endif
