/* nn/models/models.h: import torchvision.models as models (public): image models with torchvision's names, keys of the
 * state dict, initial values and results. The folder may include what nn/nn.h has.
 *
 *     models_ResNet *model = models_resnet18(.weights = "IMAGENET1K_V1");
 *     nn_set(model, fc, nn_Linear(model->fc->in_features, 2)); */
#ifndef TAPEGRAD_NN_MODELS_MODELS_H
#define TAPEGRAD_NN_MODELS_MODELS_H

#include "nn/nn.h"
#include "nn/models/mobilenet_v2.h"
#include "nn/models/resnet.h"
#include "nn/models/vgg.h"
#include "nn/models/vision_transformer.h"
#include "nn/models/weights.h"
#ifndef __cplusplus
#include "nn/sugar/models.h"
#endif

#endif
