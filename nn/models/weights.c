/* nn/models/weights.c: torchvision's enums of pretrained weights, and the files that they name. */
#include "nn/models/weights.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/io/load.h"
#include "nn/models/models_internal.h"
#include "nn/module/state_dict.h"

enum { NUM_CLASSES = 1000 };
#define V1(model, enumeration, file, params, is_default) \
    { model, enumeration, "IMAGENET1K_V1", HOST file, 224, 256, "bilinear", params, is_default }
#define V2(model, enumeration, file, params) \
    { model, enumeration, "IMAGENET1K_V2", HOST file, 224, 232, "bilinear", params, true }
#define SWAG(model, enumeration, name, file, size, params, is_default) \
    { model, enumeration, "IMAGENET1K_SWAG_" name "_V1", HOST file, size, size, "bicubic", params, is_default }
#define HOST "https://download.pytorch.org/models/"

/* clang-format off: one row a file */
static const models_Weights table[] = {
    V1("resnet18", "ResNet18_Weights", "resnet18-f37072fd.pth", 11689512, true),
    V1("resnet34", "ResNet34_Weights", "resnet34-b627a593.pth", 21797672, true),
    V1("resnet50", "ResNet50_Weights", "resnet50-0676ba61.pth", 25557032, false),
    V2("resnet50", "ResNet50_Weights", "resnet50-11ad3fa6.pth", 25557032),
    V1("resnet101", "ResNet101_Weights", "resnet101-63fe2227.pth", 44549160, false),
    V2("resnet101", "ResNet101_Weights", "resnet101-cd907fc2.pth", 44549160),
    V1("resnet152", "ResNet152_Weights", "resnet152-394f9c45.pth", 60192808, false),
    V2("resnet152", "ResNet152_Weights", "resnet152-f82ba261.pth", 60192808),
    V1("resnext50_32x4d", "ResNeXt50_32X4D_Weights", "resnext50_32x4d-7cdf4587.pth", 25028904, false),
    V2("resnext50_32x4d", "ResNeXt50_32X4D_Weights", "resnext50_32x4d-1a0047aa.pth", 25028904),
    V1("resnext101_32x8d", "ResNeXt101_32X8D_Weights", "resnext101_32x8d-8ba56ff5.pth", 88791336, false),
    V2("resnext101_32x8d", "ResNeXt101_32X8D_Weights", "resnext101_32x8d-110c445d.pth", 88791336),
    {"resnext101_64x4d", "ResNeXt101_64X4D_Weights", "IMAGENET1K_V1", HOST "resnext101_64x4d-173b62eb.pth", 224, 232,
     "bilinear", 83455272, true},
    V1("wide_resnet50_2", "Wide_ResNet50_2_Weights", "wide_resnet50_2-95faca4d.pth", 68883240, false),
    V2("wide_resnet50_2", "Wide_ResNet50_2_Weights", "wide_resnet50_2-9ba9bcbe.pth", 68883240),
    V1("wide_resnet101_2", "Wide_ResNet101_2_Weights", "wide_resnet101_2-32ee1156.pth", 126886696, false),
    V2("wide_resnet101_2", "Wide_ResNet101_2_Weights", "wide_resnet101_2-d733dc28.pth", 126886696),
    V1("vgg11", "VGG11_Weights", "vgg11-8a719046.pth", 132863336, true),
    V1("vgg11_bn", "VGG11_BN_Weights", "vgg11_bn-6002323d.pth", 132868840, true),
    V1("vgg13", "VGG13_Weights", "vgg13-19584684.pth", 133047848, true),
    V1("vgg13_bn", "VGG13_BN_Weights", "vgg13_bn-abd245e5.pth", 133053736, true),
    V1("vgg16", "VGG16_Weights", "vgg16-397923af.pth", 138357544, true),
    V1("vgg16_bn", "VGG16_BN_Weights", "vgg16_bn-6c64b313.pth", 138365992, true),
    V1("vgg19", "VGG19_Weights", "vgg19-dcbb9e9d.pth", 143667240, true),
    V1("vgg19_bn", "VGG19_BN_Weights", "vgg19_bn-c79401a0.pth", 143678248, true),
    V1("alexnet", "AlexNet_Weights", "alexnet-owt-7be5be79.pth", 61100840, true),
    V1("vit_b_16", "ViT_B_16_Weights", "vit_b_16-c867db91.pth", 86567656, true),
    SWAG("vit_b_16", "ViT_B_16_Weights", "E2E", "vit_b_16_swag-9ac1b537.pth", 384, 86859496, false),
    SWAG("vit_b_16", "ViT_B_16_Weights", "LINEAR", "vit_b_16_lc_swag-4e70ced5.pth", 224, 86567656, false),
    V1("vit_b_32", "ViT_B_32_Weights", "vit_b_32-d86f8d99.pth", 88224232, true),
    {"vit_l_16", "ViT_L_16_Weights", "IMAGENET1K_V1", HOST "vit_l_16-852ce7e3.pth", 224, 242, "bilinear", 304326632,
     true},
    SWAG("vit_l_16", "ViT_L_16_Weights", "E2E", "vit_l_16_swag-4f3808c9.pth", 512, 305174504, false),
    SWAG("vit_l_16", "ViT_L_16_Weights", "LINEAR", "vit_l_16_lc_swag-4d563306.pth", 224, 304326632, false),
    V1("vit_l_32", "ViT_L_32_Weights", "vit_l_32-c7638314.pth", 306535400, true),
    SWAG("vit_h_14", "ViT_H_14_Weights", "E2E", "vit_h_14_swag-80465313.pth", 518, 633470440, true),
    SWAG("vit_h_14", "ViT_H_14_Weights", "LINEAR", "vit_h_14_lc_swag-c1eb923e.pth", 224, 632045800, false),
    V1("mobilenet_v2", "MobileNet_V2_Weights", "mobilenet_v2-b0353104.pth", 3504872, false),
    V2("mobilenet_v2", "MobileNet_V2_Weights", "mobilenet_v2-7ebf99e0.pth", 3504872),
};
/* clang-format on */
enum { ROWS = sizeof table / sizeof *table };

/* ---- names ---- */

static bool is_name(const models_Weights *row, const char *name) {
    return strcmp(name, row->name) == 0 || (row->is_default && strcmp(name, "DEFAULT") == 0);
}

/* The row of "ResNet50_Weights.DEFAULT". */
static bool is_full_name(const models_Weights *row, const char *name) {
    const size_t length = strlen(row->enumeration);
    return strncmp(name, row->enumeration, length) == 0 && name[length] == '.' && is_name(row, name + length + 1);
}

const models_Weights *models_get_weight(const char *name) {
    if (!tg_check_given(name != NULL, 1, "a name")) return NULL;
    for (int i = 0; i < ROWS; i++)
        if (is_full_name(&table[i], name)) return &table[i];
    return tg_fail("there are no weights of the name '%s'; names are like ResNet50_Weights.IMAGENET1K_V2", name);
}

const models_Weights *models_get_model_weights(const char *model, int64_t index) {
    if (!tg_check_given(model != NULL, 1, "the name of a model")) return NULL;
    for (int i = 0; i < ROWS && index >= 0; i++)
        if (strcmp(table[i].model, model) == 0 && index-- == 0) return &table[i];
    return NULL;
}

static bool ends_in(const char *text, const char *end) {
    const size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

static bool is_path(const char *weights) {
    return ends_in(weights, ".pth") || ends_in(weights, ".pt") || ends_in(weights, ".safetensors");
}

const models_Weights *tg_models_weights(const char *model, const char *weights) {
    if (!weights || is_path(weights)) return NULL;
    if (!model) return tg_fail("'%s' is no path that ends in .pth, .pt or .safetensors", weights);
    char names[300] = "";
    for (int i = 0; i < ROWS; i++) {
        if (strcmp(table[i].model, model) != 0) continue;
        if (is_name(&table[i], weights) || is_full_name(&table[i], weights)) return &table[i];
        const size_t at = strlen(names);
        snprintf(names + at, sizeof names - at, "%s, ", table[i].name);
    }
    return tg_fail("'%s' names no weights of %s; there are %sDEFAULT, and paths that end in .pth, .pt or .safetensors",
                   weights, model, names);
}

/* ---- files ---- */

/* The file of a row in the cache of torch.hub. */
static bool cache_path(const models_Weights *row, char path[TG_MODELS_PATH]) {
    const char *torch_home = getenv("TORCH_HOME"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const char *folder = torch_home && *torch_home ? torch_home : cache && *cache ? cache : home ? home : "";
    const char *rest = torch_home && *torch_home ? "" : cache && *cache ? "/torch" : "/.cache/torch";
    const int length = snprintf(path, TG_MODELS_PATH, "%s%s/hub/checkpoints/%s", folder, rest, row->url + strlen(HOST));
    return length < TG_MODELS_PATH ||
           tg_fail("the path of the folder of weights has more than %d bytes", TG_MODELS_PATH - 1);
}

bool tg_models_find(const char *model, const char *weights, int64_t num_classes, char path[TG_MODELS_PATH]) {
    *path = '\0';
    if (!weights) return true;
    const models_Weights *row = tg_models_weights(model, weights);
    if (!row) {
        if (!is_path(weights)) return false;
        if (snprintf(path, TG_MODELS_PATH, "%s", weights) < TG_MODELS_PATH) return true;
        return tg_fail("the path of the weights has more than %d bytes", TG_MODELS_PATH - 1);
    }
    if (num_classes != NUM_CLASSES)
        return tg_fail("The parameter 'num_classes' expected value %d but got %" PRId64 " instead.", NUM_CLASSES,
                       num_classes);
    if (!cache_path(row, path)) return false;
    return access(path, R_OK) == 0 || tg_fail("%s.%s is not at %s; nothing is downloaded here: put there the file %s",
                                              row->enumeration, row->name, path, row->url);
}

bool tg_models_load(nn_Module *self, const char *path) {
    if (!*path) return true;
    const t_TensorDict *state_dict = t_load(path);
    return state_dict && nn_load_state_dict(self, state_dict, NULL);
}
