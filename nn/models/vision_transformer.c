/* nn/models/vision_transformer.c: the Vision Transformer: an image is cut into patches, which a Transformer encoder
 * reads as a sequence behind a class token. */
#include "nn/models/vision_transformer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/ops/dict.h"
#include "nn/models/models_internal.h"
#include "nn/module/module_hooks.h"

const models_VisionTransformerOptions models_VisionTransformerDefaults = {.size =
                                                                              sizeof(models_VisionTransformerOptions),
                                                                          .num_classes = 1000,
                                                                          .image_size = T_NONE,
                                                                          .representation_size = T_NONE};

typedef struct Sizes {
    int64_t image_size, patch_size, num_layers, num_heads, hidden_dim, mlp_dim;
    double dropout, attention_dropout;
} Sizes;

static nn_LayerNorm *layer_norm(int64_t hidden_dim) {
    const nn_LayerNormOptions o = {.size = sizeof o, .eps = 1e-6, .elementwise_affine = true, .bias = true};
    return nn_LayerNorm_new(&hidden_dim, 1, &o);
}

/* ---- MLPBlock ---- */

/* torchvision's own files from before its MLP was a Sequential have "linear_1.weight" where the key is "0.weight", and
 * "linear_2.weight" where it is "3.weight". */
static void rename_old_keys(nn_Module *module, t_TensorDict *state_dict, const char *prefix, void *context) {
    (void)module;
    (void)context;
    static const char *const keys[][2] = {{"linear_1.weight", "0.weight"},
                                          {"linear_1.bias", "0.bias"},
                                          {"linear_2.weight", "3.weight"},
                                          {"linear_2.bias", "3.bias"}};
    for (int i = 0; i < 4; i++) {
        char old_key[TG_MAX_MODULE_NAME], new_key[TG_MAX_MODULE_NAME];
        snprintf(old_key, sizeof old_key, "%s%s", prefix, keys[i][0]);
        snprintf(new_key, sizeof new_key, "%s%s", prefix, keys[i][1]);
        const t_DictItem *item = tg_dict_find(state_dict, old_key);
        if (!item || !item->tensor) continue;
        if (!t_dict_set(state_dict, new_key, item->tensor) || !t_dict_delete(state_dict, old_key)) return;
    }
}

static models_MLPBlock *mlp_block_new(int64_t in_dim, int64_t mlp_dim, double dropout) {
    nn_Sequential *layers = nn_Sequential_new(NULL, 0);
    nn_Linear *linear_1 = nn_Linear_new(in_dim, mlp_dim, NULL);
    bool ok = tg_models_append(layers, linear_1) && tg_models_append(layers, nn_GELU_new("none")) &&
              tg_models_append(layers, nn_Dropout_new(dropout, false));
    nn_Linear *linear_2 = ok ? nn_Linear_new(mlp_dim, in_dim, NULL) : NULL;
    ok = tg_models_append(layers, linear_2) && tg_models_append(layers, nn_Dropout_new(dropout, false));
    models_MLPBlock *self = ok ? nn_subclass_new(sizeof *self, "models_MLPBlock", NULL, NULL, layers) : NULL;
    if (!self || !nn_register_load_state_dict_pre_hook(self, rename_old_keys, NULL)) return NULL;
    nn_init_xavier_uniform_(linear_1->weight, 1, NULL);
    nn_init_normal_(linear_1->bias, 0, 1e-6, NULL);
    nn_init_xavier_uniform_(linear_2->weight, 1, NULL);
    nn_init_normal_(linear_2->bias, 0, 1e-6, NULL);
    return self;
}

/* ---- EncoderBlock ---- */

static Tensor *encoder_block_forward(void *module, Tensor *input) {
    models_EncoderBlock *self = module;
    if (!tg_check_any(input, 1)) return NULL;
    if (input->ndim != 3)
        return tg_fail("Expected (batch_size, seq_length, hidden_dim) got torch.Size(%s)", tg_shape_of(input));
    nn_MultiheadAttentionCallOptions call = nn_MultiheadAttentionCallDefaults;
    call.need_weights = false;
    Tensor *x = nn_call(self->ln_1, input);
    x = nn_MultiheadAttention_call(self->self_attention, x, x, x, &call);
    x = nn_call(self->dropout, x);
    x = t_add(x, input);
    Tensor *y = nn_call(self->ln_2, x);
    y = nn_call(self->mlp, y);
    return t_add(x, y);
}

static models_EncoderBlock *encoder_block_new(const Sizes *s) {
    const int64_t failures = tg_context()->failures;
    models_EncoderBlock *self =
        (models_EncoderBlock *)nn_module_new(sizeof *self, "models_EncoderBlock", encoder_block_forward);
    if (!self) return NULL;
    self->num_heads = s->num_heads;
    nn_MultiheadAttentionOptions attention = nn_MultiheadAttentionDefaults;
    attention.dropout = s->attention_dropout;
    attention.batch_first = true;
    TG_SET(self, ln_1, layer_norm(s->hidden_dim));
    TG_SET(self, self_attention, nn_MultiheadAttention_new(s->hidden_dim, s->num_heads, &attention));
    TG_SET(self, dropout, nn_Dropout_new(s->dropout, false));
    TG_SET(self, ln_2, layer_norm(s->hidden_dim));
    TG_SET(self, mlp, mlp_block_new(s->hidden_dim, s->mlp_dim, s->dropout));
    return tg_failed_since(failures) ? NULL : self;
}

/* ---- Encoder ---- */

static Tensor *encoder_forward(void *module, Tensor *input) {
    models_Encoder *self = module;
    if (!tg_check_any(input, 1)) return NULL;
    if (input->ndim != 3)
        return tg_fail("Expected (batch_size, seq_length, hidden_dim) got torch.Size(%s)", tg_shape_of(input));
    Tensor *x = t_add(input, self->pos_embedding);
    x = nn_call(self->dropout, x);
    x = nn_call(self->layers, x);
    return nn_call(self->ln, x);
}

static models_Encoder *encoder_new(const Sizes *s, int64_t seq_length) {
    const int64_t failures = tg_context()->failures;
    models_Encoder *self = (models_Encoder *)nn_module_new(sizeof *self, "models_Encoder", encoder_forward);
    if (!self) return NULL;
    self->pos_embedding = tg_parameter((const int64_t[]){1, seq_length, s->hidden_dim}, 3, 0);
    if (!self->pos_embedding) return NULL;
    nn_init_normal_(self->pos_embedding, 0, 0.02, NULL); /* from BERT */
    nn_register_parameter(&self->base, "pos_embedding", self->pos_embedding);
    TG_SET(self, dropout, nn_Dropout_new(s->dropout, false));
    nn_Sequential *layers = nn_Sequential_new(NULL, 0);
    for (int64_t i = 0; layers && i < s->num_layers; i++) {
        char name[40];
        snprintf(name, sizeof name, "encoder_layer_%" PRId64, i);
        models_EncoderBlock *block = encoder_block_new(s);
        if (!block || !nn_register_module(&layers->base, name, block)) return NULL;
    }
    TG_SET(self, layers, layers);
    TG_SET(self, ln, layer_norm(s->hidden_dim));
    return tg_failed_since(failures) ? NULL : self;
}

/* ---- VisionTransformer ---- */

/* (N, 3, H, W) -> (N, H W / patch_size^2, hidden_dim) */
static Tensor *process_input(models_VisionTransformer *self, Tensor *x) {
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim != 4) return tg_fail("not enough values to unpack (expected 4, got %d)", x->ndim);
    const int64_t p = self->patch_size, n = x->shape[0], h = x->shape[2], w = x->shape[3];
    if (h != self->image_size)
        return tg_fail("Wrong image height! Expected %" PRId64 " but got %" PRId64 "!", self->image_size, h);
    if (w != self->image_size)
        return tg_fail("Wrong image width! Expected %" PRId64 " but got %" PRId64 "!", self->image_size, w);
    x = nn_call(self->conv_proj, x);
    x = t_reshape(x, (const int64_t[]){n, self->hidden_dim, (h / p) * (w / p)}, 3);
    return t_permute(x, (const int64_t[]){0, 2, 1}, 3);
}

static Tensor *vision_transformer_forward(void *module, Tensor *x) {
    models_VisionTransformer *self = module;
    x = process_input(self, x);
    if (!x) return NULL;
    Tensor *batch_class_token = t_expand(self->class_token, (const int64_t[]){x->shape[0], -1, -1}, 3);
    x = t_cat(t_list_new((Tensor *[]){batch_class_token, x}, 2), 1);
    x = nn_call(self->encoder, x);
    x = t_select(x, 1, 0); /* the class token */
    return nn_call(self->heads, x);
}

static bool set_heads(models_VisionTransformer *self) {
    const int64_t failures = tg_context()->failures;
    nn_Sequential *heads = nn_Sequential_new(NULL, 0);
    int64_t in = self->hidden_dim;
    nn_Linear *pre_logits = NULL;
    if (heads && self->representation_size != T_NONE) {
        pre_logits = nn_Linear_new(in, self->representation_size, NULL);
        nn_register_module(&heads->base, "pre_logits", pre_logits);
        nn_register_module(&heads->base, "act", nn_Tanh_new());
        in = self->representation_size;
    }
    nn_Linear *head = heads ? nn_Linear_new(in, self->num_classes, NULL) : NULL;
    if (!head || !nn_register_module(&heads->base, "head", head)) return false;
    TG_SET(self, heads, heads);
    const double fan_in = (double)(3 * self->patch_size * self->patch_size);
    nn_init_trunc_normal_(self->conv_proj->weight, 0, sqrt(1 / fan_in), -2, 2, NULL);
    nn_init_zeros_(self->conv_proj->bias);
    if (pre_logits) {
        nn_init_trunc_normal_(pre_logits->weight, 0, sqrt(1 / (double)self->hidden_dim), -2, 2, NULL);
        nn_init_zeros_(pre_logits->bias);
    }
    nn_init_zeros_(head->weight);
    nn_init_zeros_(head->bias);
    return !tg_failed_since(failures);
}

static bool construct(models_VisionTransformer *self, const Sizes *s, const models_VisionTransformerOptions *o) {
    const int64_t failures = tg_context()->failures;
    self->image_size = s->image_size;
    self->patch_size = s->patch_size;
    self->hidden_dim = s->hidden_dim;
    self->mlp_dim = s->mlp_dim;
    self->num_classes = o->num_classes;
    self->representation_size = o->representation_size;
    self->attention_dropout = o->attention_dropout;
    self->dropout = o->dropout;
    const int64_t patches = s->image_size / s->patch_size;
    self->seq_length = patches * patches + 1;
    const t_TensorOptions options = {.size = sizeof options};
    Tensor *token = t_zeros((const int64_t[]){1, 1, s->hidden_dim}, 3, &options);
    /* PyTorch's order of keys: parameters of the module itself come before those of its children. */
    self->class_token = nn_Parameter(token);
    nn_register_parameter(&self->base, "class_token", self->class_token);
    TG_SET(
        self, conv_proj,
        tg_models_conv2d(3, s->hidden_dim, (ConvSizes){.kernel_size = s->patch_size, .stride = s->patch_size}, true));
    if (tg_failed_since(failures)) return false;
    TG_SET(self, encoder, encoder_new(s, self->seq_length));
    return !tg_failed_since(failures) && set_heads(self);
}

static models_VisionTransformer *vision_transformer(const char *model, Sizes s,
                                                    const models_VisionTransformerOptions *o) {
    if (!tg_check_required(
            "image_size patch_size num_layers num_heads hidden_dim mlp_dim",
            (const int64_t[]){s.image_size, s.patch_size, s.num_layers, s.num_heads, s.hidden_dim, s.mlp_dim}) ||
        !tg_check_layers(s.num_layers))
        return NULL;
    if (s.patch_size < 1 || s.image_size < 0 || s.image_size % s.patch_size)
        return tg_fail("Input shape indivisible by patch size!");
    const int64_t side = s.image_size / s.patch_size;
    if (side > INT32_MAX) /* its square is the number of patches */
        return tg_fail("%lld times %lld patches are too many", (long long)side, (long long)side);
    char path[TG_MODELS_PATH];
    if (!tg_models_find(model, o->weights, o->num_classes, path)) return NULL;
    s.dropout = o->dropout;
    s.attention_dropout = o->attention_dropout;
    Construction construction = tg_construct_begin();
    models_VisionTransformer *self =
        (models_VisionTransformer *)nn_module_new(sizeof *self, "models_VisionTransformer", vision_transformer_forward);
    const bool ok = self && construct(self, &s, o) && tg_models_load(&self->base, path);
    return tg_construct_end(construction, ok ? self : NULL);
}

models_VisionTransformer *models_VisionTransformer_new(int64_t image_size, int64_t patch_size, int64_t num_layers,
                                                       int64_t num_heads, int64_t hidden_dim, int64_t mlp_dim,
                                                       const models_VisionTransformerOptions *options) {
    models_VisionTransformerOptions o = models_VisionTransformerDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    return vision_transformer(
        NULL, (Sizes){image_size, patch_size, num_layers, num_heads, hidden_dim, mlp_dim, .dropout = 0}, &o);
}

static models_VisionTransformer *vit(const char *model, Sizes sizes, const models_VisionTransformerOptions *options) {
    models_VisionTransformerOptions o = models_VisionTransformerDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    const int64_t failures = tg_context()->failures;
    const models_Weights *weights = tg_models_weights(model, o.weights);
    if (tg_failed_since(failures)) return NULL;
    const int64_t wanted = weights ? weights->crop_size : 224;
    if (weights && o.image_size != T_NONE && o.image_size != wanted)
        return tg_fail("The parameter 'image_size' expected value %" PRId64 " but got %" PRId64 " instead.", wanted,
                       o.image_size);
    sizes.image_size = o.image_size != T_NONE ? o.image_size : wanted;
    return vision_transformer(model, sizes, &o);
}

#define VIT(name, patch_size, num_layers, num_heads, hidden_dim, mlp_dim)                                     \
    models_VisionTransformer *models_##name(const models_VisionTransformerOptions *options) {                 \
        return vit(#name, (Sizes){224, patch_size, num_layers, num_heads, hidden_dim, mlp_dim, .dropout = 0}, \
                   options);                                                                                  \
    }
VIT(vit_b_16, 16, 12, 12, 768, 3072)
VIT(vit_b_32, 32, 12, 12, 768, 3072)
VIT(vit_l_16, 16, 24, 16, 1024, 4096)
VIT(vit_l_32, 32, 24, 16, 1024, 4096)
VIT(vit_h_14, 14, 32, 16, 1280, 5120)
