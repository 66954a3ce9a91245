/* nn/models/weights.h: torchvision's table of pretrained weights (public). Nothing is downloaded: the files are read
 * from where torchvision keeps them. */
#ifndef TAPEGRAD_NN_MODELS_WEIGHTS_H
#define TAPEGRAD_NN_MODELS_WEIGHTS_H

#include "core/vision/transforms/transforms.h"
#include "nn/module/module.h"

T_BEGIN_DECLS

/* A member of torchvision's enums: ResNet50_Weights.IMAGENET1K_V2 is {"resnet50", "ResNet50_Weights",
 * "IMAGENET1K_V2", ...}. Its transforms() is ImageClassification(crop_size=, resize_size=, interpolation=), with the
 * mean (0.485, 0.456, 0.406) and the std (0.229, 0.224, 0.225); a model has 1000 classes, those of ImageNet. */
typedef struct models_Weights {
    const char *model, *enumeration, *name;
    const char *url;
    int64_t crop_size, resize_size;
    const char *interpolation; /* "bilinear" or "bicubic" */
    int64_t num_params;        /* weights.meta["num_params"] */
    bool is_default;           /* ResNet50_Weights.DEFAULT */
} models_Weights;

/* torchvision.models.get_weight(name): "ResNet50_Weights.IMAGENET1K_V2" or "ResNet50_Weights.DEFAULT". Error: no such
 * weights. */
T_API const models_Weights *models_get_weight(const char *name);
/* torchvision.models.get_model_weights(model)[index]: the index-th member of the enum of "resnet50"; NULL, without an
 * error, before the first and after the last */
T_API const models_Weights *models_get_model_weights(const char *model, int64_t index);

/* weights.transforms(): ImageClassification: resizes (an image, or a batch of tensors), crops the centre, converts to
 * float32 and normalises. transforms_call(models_Weights_transforms(weights), image) */
T_API transforms_Transform *models_Weights_transforms(const models_Weights *weights);

/* The options `weights` of the models, as torchvision takes a string: "IMAGENET1K_V2", "DEFAULT" or
 * "ResNet50_Weights.DEFAULT". The file, "resnet50-11ad3fa6.pth", must be in torchvision's cache, checkpoints below
 * torch.hub.get_dir(): $TORCH_HOME/hub, else $XDG_CACHE_HOME/torch/hub, else ~/.cache/torch/hub. Error: it is not
 * there; the text says from where to download it. Not in torchvision: a path, a text that ends in ".pth", ".pt" or
 * ".safetensors", of a file with the model's state dict. */

T_END_DECLS
#endif
