/* nn/models/models_internal.h: what the models share (internal). */
#ifndef TAPEGRAD_NN_MODELS_MODELS_INTERNAL_H
#define TAPEGRAD_NN_MODELS_MODELS_INTERNAL_H

#include "core/ops/ops.h"
#include "core/tensor/tensor.h"
#include "nn/init/init.h"
#include "nn/models/resnet.h"
#include "nn/module/module_internal.h"
#include "nn/modules/vision.h"

/* ---- layers (layers.c), with torch.nn's defaults for what is not given ---- */

typedef struct ConvSizes { int64_t kernel_size, stride, padding, dilation, groups; } ConvSizes;
nn_Conv2d *tg_models_conv2d(int64_t in_channels, int64_t out_channels, ConvSizes sizes, bool bias);
/* norm_layer(num_features); a BatchNorm2d for NULL */
nn_Module *tg_models_norm(models_NormLayer *norm_layer, int64_t num_features);
nn_MaxPool2d *tg_models_max_pool2d(int64_t kernel_size, int64_t stride, int64_t padding);
nn_AdaptiveAvgPool2d *tg_models_adaptive_avg_pool2d(int64_t output_size);
/* Appends a module to a Sequential; false if one of them is NULL. */
bool tg_models_append(nn_Sequential *sequential, void *module);

/* The loop `for m in self.modules()` over convolutions, norms (BatchNorm2d, GroupNorm) and linear layers: in each of
 * the functions that are not NULL. */
typedef struct Initializers {
    void (*conv)(nn_Conv2d *conv);
    void (*norm)(Tensor *weight, Tensor *bias);
    void (*linear)(nn_Linear *linear);
} Initializers;
void tg_models_init(nn_Module *self, Initializers initializers);
/* kaiming_normal_(weight, mode="fan_out", nonlinearity="relu"), and a bias of 0 */
void tg_models_init_conv(nn_Conv2d *conv);
void tg_models_init_norm(Tensor *weight, Tensor *bias); /* ones and zeros */
void tg_models_init_linear(nn_Linear *linear);          /* normal_(weight, 0, 0.01), and a bias of 0 */

/* ---- weights (weights.c) ---- */

/* The member of that model's enum which the option `weights` names; NULL for a path, for NULL, and with an error for no
 * such name. model: NULL for a class, which takes paths alone. */
const models_Weights *tg_models_weights(const char *model, const char *weights);
/* The file of the option `weights` for a model with num_classes, "" without weights. False with an error: no such name,
 * another number of classes, no such file. */
enum { TG_MODELS_PATH = 4096 };
bool tg_models_find(const char *model, const char *weights, int64_t num_classes, char path[TG_MODELS_PATH]);
/* Loads such a file into a new model; true if path is "". */
bool tg_models_load(nn_Module *self, const char *path);

#endif
