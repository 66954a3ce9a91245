/* nn/models/vision_transformer.h: torchvision's Vision Transformer (public). A. Dosovitskiy et al., "An Image is Worth
 * 16x16 Words", arXiv 2010.11929. */
#ifndef TAPEGRAD_NN_MODELS_VISION_TRANSFORMER_H
#define TAPEGRAD_NN_MODELS_VISION_TRANSFORMER_H

#include "nn/models/weights.h"
#include "nn/modules/convolution.h"
#include "nn/modules/layers.h"
#include "nn/transformer/torch_transformer.h"

T_BEGIN_DECLS

/* torchvision.models.vision_transformer.MLPBlock: Sequential(Linear, GELU, Dropout, Linear, Dropout) */
typedef struct models_MLPBlock { nn_Sequential super; } models_MLPBlock;

/* torchvision.models.vision_transformer.EncoderBlock: x = input + dropout(self_attention(ln_1(input)));
 * x + mlp(ln_2(x)). The eps of the norms is 1e-6. */
typedef struct models_EncoderBlock {
    nn_Module base;
    nn_LayerNorm *ln_1, *ln_2;
    nn_MultiheadAttention *self_attention;
    nn_Dropout *dropout;
    models_MLPBlock *mlp;
    int64_t num_heads;
} models_EncoderBlock;

/* torchvision.models.vision_transformer.Encoder: adds pos_embedding, then layers "encoder_layer_0", ... and ln. */
typedef struct models_Encoder {
    nn_Module base;
    Tensor *pos_embedding; /* (1, seq_length, hidden_dim) */
    nn_Dropout *dropout;
    nn_Sequential *layers;
    nn_LayerNorm *ln;
} models_Encoder;

/* x: (N, 3, image_size, image_size) -> (N, num_classes) */
typedef struct models_VisionTransformer {
    nn_Module base;
    Tensor *class_token; /* (1, 1, hidden_dim) */
    nn_Conv2d *conv_proj;
    models_Encoder *encoder;
    nn_Sequential *heads; /* "head"; with representation_size "pre_logits", "act", "head" */
    int64_t image_size, patch_size, hidden_dim, mlp_dim, num_classes, representation_size, seq_length;
    double attention_dropout, dropout;
} models_VisionTransformer;
typedef struct models_VisionTransformerOptions {
    uint32_t size;
    const char *weights;            /* weights.h; NULL: None */
    int64_t num_classes;            /* 1000 */
    int64_t image_size;             /* T_NONE: 224, or that of the weights */
    double dropout, attention_dropout;
    int64_t representation_size;    /* T_NONE: None */
} models_VisionTransformerOptions;
T_API extern const models_VisionTransformerOptions models_VisionTransformerDefaults;
/* torchvision.models.VisionTransformer(image_size, patch_size, num_layers, num_heads, hidden_dim, mlp_dim, dropout=0.0,
 * attention_dropout=0.0, num_classes=1000, representation_size=None); not norm_layer and conv_stem_configs. weights: a
 * path; the options' image_size has no effect. Error: an image_size that is not a multiple of patch_size. */
T_API models_VisionTransformer *models_VisionTransformer_new(int64_t image_size, int64_t patch_size, int64_t num_layers,
                                                             int64_t num_heads, int64_t hidden_dim, int64_t mlp_dim,
                                                             const models_VisionTransformerOptions *options);
/* torchvision.models.vit_b_16(weights=None, **kwargs): models_vit_b_16(.image_size = 384, .num_classes = 10) */
T_API models_VisionTransformer *models_vit_b_16(const models_VisionTransformerOptions *options);
T_API models_VisionTransformer *models_vit_b_32(const models_VisionTransformerOptions *options);
T_API models_VisionTransformer *models_vit_l_16(const models_VisionTransformerOptions *options);
T_API models_VisionTransformer *models_vit_l_32(const models_VisionTransformerOptions *options);
T_API models_VisionTransformer *models_vit_h_14(const models_VisionTransformerOptions *options);

T_END_DECLS
#endif
