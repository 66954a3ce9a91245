/* nn/models/resnet.h: torchvision's ResNet, ResNeXt and Wide ResNet (public). K. He et al., "Deep Residual Learning for
 * Image Recognition", arXiv 1512.03385; S. Xie et al., arXiv 1611.05431; S. Zagoruyko, N. Komodakis, arXiv 1605.07146.
 * As in torchvision a Bottleneck has its stride in the 3x3 convolution ("ResNet v1.5"). */
#ifndef TAPEGRAD_NN_MODELS_RESNET_H
#define TAPEGRAD_NN_MODELS_RESNET_H

#include "nn/models/weights.h"
#include "nn/modules/activations.h"
#include "nn/modules/convolution.h"
#include "nn/modules/layers.h"
#include "nn/modules/norms.h"
#include "nn/modules/pooling.h"

T_BEGIN_DECLS

/* norm_layer(num_features): a new module. NULL: nn.BatchNorm2d */
typedef void *models_NormLayer(int64_t num_features);

/* torchvision.models.resnet.BasicBlock: y = relu(bn2(conv2(relu(bn1(conv1(x))))) + x), with downsample(x) in place of
 * x where the shapes differ. */
typedef struct models_BasicBlock {
    nn_Module base;
    nn_Conv2d *conv1, *conv2;
    nn_Module *bn1, *bn2;
    nn_ReLU *relu;
    nn_Sequential *downsample; /* NULL: None */
    int64_t stride;
} models_BasicBlock;

/* torchvision.models.resnet.Bottleneck: convolutions of 1x1, 3x3 and 1x1, the last with 4 times the channels. */
typedef struct models_Bottleneck {
    nn_Module base;
    nn_Conv2d *conv1, *conv2, *conv3;
    nn_Module *bn1, *bn2, *bn3;
    nn_ReLU *relu;
    nn_Sequential *downsample;
    int64_t stride;
} models_Bottleneck;

/* The class of the blocks, the first argument of ResNet(...). */
typedef enum models_Block { models_basic_block, models_bottleneck } models_Block;

/* x: (N, 3, H, W) -> (N, num_classes) */
typedef struct models_ResNet {
    nn_Module base;
    nn_Conv2d *conv1;
    nn_Module *bn1;
    nn_ReLU *relu;
    nn_MaxPool2d *maxpool;
    nn_Sequential *layer1, *layer2, *layer3, *layer4;
    nn_AdaptiveAvgPool2d *avgpool;
    nn_Linear *fc;
    int64_t inplanes, dilation, groups, base_width;
} models_ResNet;

typedef struct models_ResNetOptions {
    uint32_t size;
    const char *weights;                   /* weights.h; NULL: None, the initial values */
    int64_t num_classes;                   /* 1000 */
    bool zero_init_residual;               /* the last norm of each block begins with a weight of 0 */
    int64_t groups, width_per_group;       /* 1, 64 */
    bool replace_stride_with_dilation[3];  /* of layer2, layer3, layer4 */
    models_NormLayer *norm_layer;
} models_ResNetOptions;
T_API extern const models_ResNetOptions models_ResNetDefaults;

/* torchvision.models.ResNet(block, layers, num_classes=1000, zero_init_residual=False, groups=1, width_per_group=64,
 * replace_stride_with_dilation=None, norm_layer=None); layers: four numbers of blocks. weights: a path. Errors:
 * groups != 1, another width or a dilation with BasicBlock; those of the weights. */
T_API models_ResNet *models_ResNet_new(models_Block block, const int64_t layers[4],
                                       const models_ResNetOptions *options);
/* torchvision.models.resnet18(weights=None, **kwargs): models_resnet18(.num_classes = 10). Errors: num_classes is not
 * that of the weights. */
T_API models_ResNet *models_resnet18(const models_ResNetOptions *options);
T_API models_ResNet *models_resnet34(const models_ResNetOptions *options);
T_API models_ResNet *models_resnet50(const models_ResNetOptions *options);
T_API models_ResNet *models_resnet101(const models_ResNetOptions *options);
T_API models_ResNet *models_resnet152(const models_ResNetOptions *options);
/* These have groups and width_per_group of their own; another value is an error. */
T_API models_ResNet *models_resnext50_32x4d(const models_ResNetOptions *options);
T_API models_ResNet *models_resnext101_32x8d(const models_ResNetOptions *options);
T_API models_ResNet *models_resnext101_64x4d(const models_ResNetOptions *options);
T_API models_ResNet *models_wide_resnet50_2(const models_ResNetOptions *options);
T_API models_ResNet *models_wide_resnet101_2(const models_ResNetOptions *options);

T_END_DECLS
#endif
