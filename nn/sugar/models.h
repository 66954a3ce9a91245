/* nn/sugar/models.h: keyword-argument macros of nn/models (public; gcc and clang, C only). See core/sugar/sugar.h. */
#ifndef TAPEGRAD_NN_SUGAR_MODELS_H
#define TAPEGRAD_NN_SUGAR_MODELS_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "nn/models/mobilenet_v2.h"
#include "nn/models/resnet.h"
#include "nn/models/vgg.h"
#include "nn/models/vision_transformer.h"

/* models_resnet18(), models_resnet18(.num_classes = 10), models_vit_b_16(.weights = "IMAGENET1K_V1") */
#define MODELS_NEW_(Type, Options, f, text, defaults, ...) T_BEGIN_(text) \
    T_OPTIONS_(Options, t__o, T_DEFAULTS_ defaults, .size = sizeof(Options), __VA_ARGS__) \
    T_END_(Type *, (f)(&t__o))

#define models_get_weight(name) T_BEGIN_("models_get_weight(" #name ")") const char *t__n = (name); \
    T_END_(const models_Weights *, (models_get_weight)(t__n))

#define MODELS_RESNET_DEFAULTS_ .num_classes = 1000, .groups = 1, .width_per_group = 64
#define MODELS_RESNET_(f, text, ...) \
    MODELS_NEW_(models_ResNet, models_ResNetOptions, f, text, (MODELS_RESNET_DEFAULTS_), __VA_ARGS__)
#define models_resnet18(...) MODELS_RESNET_(models_resnet18, "models_resnet18(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_resnet34(...) MODELS_RESNET_(models_resnet34, "models_resnet34(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_resnet50(...) MODELS_RESNET_(models_resnet50, "models_resnet50(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_resnet101(...) \
    MODELS_RESNET_(models_resnet101, "models_resnet101(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_resnet152(...) \
    MODELS_RESNET_(models_resnet152, "models_resnet152(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_resnext50_32x4d(...) \
    MODELS_RESNET_(models_resnext50_32x4d, "models_resnext50_32x4d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_resnext101_32x8d(...) \
    MODELS_RESNET_(models_resnext101_32x8d, "models_resnext101_32x8d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_resnext101_64x4d(...) \
    MODELS_RESNET_(models_resnext101_64x4d, "models_resnext101_64x4d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_wide_resnet50_2(...) \
    MODELS_RESNET_(models_wide_resnet50_2, "models_wide_resnet50_2(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_wide_resnet101_2(...) \
    MODELS_RESNET_(models_wide_resnet101_2, "models_wide_resnet101_2(" #__VA_ARGS__ ")", __VA_ARGS__)
/* models_ResNet(models_bottleneck, (3, 4, 6, 3), .num_classes = 10) */
#define models_ResNet(block, layers, ...) T_BEGIN_("models_ResNet(" #block ", " #layers ", " #__VA_ARGS__ ")") \
    T_INT64_(t__l[4] = {T_DEFAULTS_ layers}) \
    T_OPTIONS_(models_ResNetOptions, t__o, MODELS_RESNET_DEFAULTS_, .size = sizeof(models_ResNetOptions), \
    .weights = NULL, __VA_ARGS__) \
    T_END_(models_ResNet *, models_ResNet_new(block, t__l, &t__o))

#define MODELS_VGG_DEFAULTS_ .num_classes = 1000, .init_weights = true, .dropout = 0.5
#define MODELS_VGG_(f, text, ...) \
    MODELS_NEW_(models_VGG, models_VGGOptions, f, text, (MODELS_VGG_DEFAULTS_), __VA_ARGS__)
#define models_vgg11(...) MODELS_VGG_(models_vgg11, "models_vgg11(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_vgg13(...) MODELS_VGG_(models_vgg13, "models_vgg13(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_vgg16(...) MODELS_VGG_(models_vgg16, "models_vgg16(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_vgg19(...) MODELS_VGG_(models_vgg19, "models_vgg19(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_vgg11_bn(...) MODELS_VGG_(models_vgg11_bn, "models_vgg11_bn(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_vgg13_bn(...) MODELS_VGG_(models_vgg13_bn, "models_vgg13_bn(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_vgg16_bn(...) MODELS_VGG_(models_vgg16_bn, "models_vgg16_bn(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_vgg19_bn(...) MODELS_VGG_(models_vgg19_bn, "models_vgg19_bn(" #__VA_ARGS__ ")", __VA_ARGS__)
/* models_VGG(features, .num_classes = 10) */
#define models_VGG(module, ...) T_BEGIN_("models_VGG(" #module ", " #__VA_ARGS__ ")") void *t__m = (module); \
    T_OPTIONS_(models_VGGOptions, t__o, MODELS_VGG_DEFAULTS_, .size = sizeof(models_VGGOptions), .weights = NULL, \
    __VA_ARGS__) \
    T_END_(models_VGG *, models_VGG_new(t__m, &t__o))
#define models_alexnet(...) MODELS_NEW_(models_AlexNet, models_AlexNetOptions, models_alexnet, \
    "models_alexnet(" #__VA_ARGS__ ")", (.num_classes = 1000, .dropout = 0.5), __VA_ARGS__)
#define models_mobilenet_v2(...) MODELS_NEW_(models_MobileNetV2, models_MobileNetV2Options, models_mobilenet_v2, \
    "models_mobilenet_v2(" #__VA_ARGS__ ")", \
    (.num_classes = 1000, .width_mult = 1, .round_nearest = 8, .dropout = 0.2), __VA_ARGS__)

#define MODELS_VIT_DEFAULTS_ .num_classes = 1000, .image_size = T_NONE, .representation_size = T_NONE
#define MODELS_VIT_(f, text, ...) MODELS_NEW_(models_VisionTransformer, models_VisionTransformerOptions, f, text, \
    (MODELS_VIT_DEFAULTS_), __VA_ARGS__)
#define models_vit_b_16(...) MODELS_VIT_(models_vit_b_16, "models_vit_b_16(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_vit_b_32(...) MODELS_VIT_(models_vit_b_32, "models_vit_b_32(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_vit_l_16(...) MODELS_VIT_(models_vit_l_16, "models_vit_l_16(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_vit_l_32(...) MODELS_VIT_(models_vit_l_32, "models_vit_l_32(" #__VA_ARGS__ ")", __VA_ARGS__)
#define models_vit_h_14(...) MODELS_VIT_(models_vit_h_14, "models_vit_h_14(" #__VA_ARGS__ ")", __VA_ARGS__)
/* models_VisionTransformer(32, 8, 2, 2, 16, 24, .num_classes = 10) */
typedef struct models_VisionTransformerArguments_ {
    int first_;
    int64_t image_size, patch_size, num_layers, num_heads, hidden_dim, mlp_dim;
    double dropout, attention_dropout;
    int64_t num_classes, representation_size;
    const char *weights;
} models_VisionTransformerArguments_;
#define models_VisionTransformer(...) T_NEW_ARGUMENTS_(models_VisionTransformer *, \
    (image_size, patch_size, num_layers, num_heads, hidden_dim, mlp_dim), \
    models_VisionTransformer_new(t__o.image_size, t__o.patch_size, t__o.num_layers, t__o.num_heads, t__o.hidden_dim, \
    t__o.mlp_dim, &(const models_VisionTransformerOptions){sizeof(models_VisionTransformerOptions), t__o.weights, \
    t__o.num_classes, T_NONE, t__o.dropout, t__o.attention_dropout, t__o.representation_size}), \
    "models_VisionTransformer(" #__VA_ARGS__ ")", models_VisionTransformerArguments_, \
    (.image_size = T_NONE, .patch_size = T_NONE, .num_layers = T_NONE, .num_heads = T_NONE, .hidden_dim = T_NONE, \
    .mlp_dim = T_NONE, .num_classes = 1000, .representation_size = T_NONE), __VA_ARGS__)

#endif
#endif
