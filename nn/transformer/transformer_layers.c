/* nn/transformer/transformer_layers.c: nn.TransformerEncoderLayer and nn.TransformerDecoderLayer. */
#include <string.h>

#include "nn/functional/activation/activation.h"
#include "nn/functional/attention/attention_internal.h"
#include "nn/transformer/torch_internal.h"
#include "nn/modules/plain_modules_internal.h"

const nn_TransformerEncoderLayerOptions nn_TransformerEncoderLayerDefaults = {
    .size = sizeof nn_TransformerEncoderLayerDefaults, .dim_feedforward = 2048, .dropout = 0.1, .layer_norm_eps = 1e-5,
    .bias = true};
const nn_TransformerEncoderLayerCallOptions nn_TransformerEncoderLayerCallDefaults = {
    .size = sizeof nn_TransformerEncoderLayerCallDefaults, .average_attn_weights = true};
const nn_TransformerDecoderLayerCallOptions nn_TransformerDecoderLayerCallDefaults = {
    .size = sizeof nn_TransformerDecoderLayerCallDefaults, .average_attn_weights = true};

/* ---- shared by both layers ---- */

/* Without need_weights, as PyTorch's layers call it. */
static Tensor *attend(nn_MultiheadAttention *attention, Tensor *x, Tensor *memory,
                      const nn_MultiheadAttentionCallOptions *how) {
    return x && memory ? tg_multihead_attention(attention, x, memory, memory, how, true) : NULL;
}

/* PyTorch's attention returns (N, L, E) as a view of (L, N, E), in whose memory order its dropout draws. */
static bool is_transposed(const nn_MultiheadAttention *attention, const Tensor *x) {
    return attention->batch_first && x->ndim == 3;
}

static Tensor *relu(Tensor *x) {
    return F_relu(x, false);
}
static Tensor *gelu(Tensor *x) {
    return F_gelu(x, "none");
}

/* The function or module that `activation` selects. */
static bool select_activation(const nn_TransformerEncoderLayerOptions *o, Tensor *(**function)(Tensor *)) {
    *function = o->activation_function;
    if (o->activation_module) return tg_check_module(o->activation_module, 3);
    if (*function) return true;
    *function = !o->activation || strcmp(o->activation, "relu") == 0 ? relu
                : strcmp(o->activation, "gelu") == 0                 ? gelu
                                                                     : NULL;
    return *function || tg_fail("activation should be relu/gelu, not %s", o->activation);
}

static tg_Activation fused_activation(const nn_Module *activation, Tensor *(*function)(Tensor *)) {
    if (activation) return tg_activation_of(activation);
    return function == relu ? TG_RELU : function == gelu ? TG_GELU : TG_NO_ACTIVATION;
}

/* linear2(dropout(activation(linear1(x)))) */
static Tensor *feed_forward(nn_Linear *linear1, nn_Dropout *dropout, nn_Linear *linear2, nn_Module *activation,
                            Tensor *(*function)(Tensor *), Tensor *x) {
    if (!activation && !function) function = relu;
    const tg_FeedForwardParts parts = {linear1,    linear2,  dropout,
                                       activation, function, fused_activation(activation, function)};
    return tg_run_feed_forward(&parts, x);
}

typedef struct Parts {
    nn_MultiheadAttentionOptions attention;
    nn_LinearOptions linear;
    nn_LayerNormOptions norm;
} Parts;

static Parts parts_of(const nn_TransformerEncoderLayerOptions *o) {
    Parts parts = {nn_MultiheadAttentionDefaults,
                   {.size = sizeof parts.linear, .bias = o->bias, .dtype = o->dtype},
                   {.size = sizeof parts.norm, .eps = o->layer_norm_eps, .elementwise_affine = true, .bias = o->bias,
                    .dtype = o->dtype}};
    parts.attention.dropout = o->dropout;
    parts.attention.bias = o->bias;
    parts.attention.batch_first = o->batch_first;
    parts.attention.dtype = o->dtype;
    return parts;
}

/* ---- TransformerEncoderLayer ---- */

static Tensor *encoder_feed_forward(nn_TransformerEncoderLayer *self, Tensor *x) {
    return feed_forward(self->linear1, self->dropout, self->linear2, self->activation, self->activation_function, x);
}

static Tensor *encoder_layer(nn_TransformerEncoderLayer *self, Tensor *x,
                               const nn_MultiheadAttentionCallOptions *how) {
    const bool transposed = is_transposed(self->self_attn, x);
    if (self->norm_first) {
        Tensor *n = nn_call(self->norm1, x), *y = attend(self->self_attn, n, n, how);
        n = tg_norm_residual(self->norm2, self->dropout1, x, y, &x, transposed);
        return tg_add_residual(self->dropout2, x, encoder_feed_forward(self, n));
    }
    Tensor *y = attend(self->self_attn, x, x, how);
    x = tg_norm_residual(self->norm1, self->dropout1, x, y, NULL, transposed);
    return tg_norm_residual(self->norm2, self->dropout2, x, encoder_feed_forward(self, x), NULL, false);
}

Tensor *nn_TransformerEncoderLayer_call(nn_TransformerEncoderLayer *self, Tensor *src,
                                        const nn_TransformerEncoderLayerCallOptions *options) {
    nn_TransformerEncoderLayerCallOptions o = nn_TransformerEncoderLayerCallDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (o.weights) *o.weights = NULL;
    if (!TG_CHECK_CLASS(self, 1, nn_TransformerEncoderLayer, "nn_TransformerEncoderLayer_call")) return NULL;
    if (!tg_check(src, 2) || !tg_check_optional(o.src_mask, 3)) return NULL;
    if (!tg_check_optional(o.src_key_padding_mask, 3)) return NULL;
    if (!tg_check_mask(o.src_key_padding_mask, "src_key_padding_mask") || !tg_check_mask(o.src_mask, "src_mask"))
        return NULL;
    Tensor *weights = NULL;
    const nn_MultiheadAttentionCallOptions how = {.key_padding_mask = o.src_key_padding_mask, .attn_mask = o.src_mask,
                                                  .average_attn_weights = o.average_attn_weights,
                                                  .is_causal = o.is_causal,
                                                  .weights = o.weights ? &weights : NULL};
    int depth = t_scope_open();
    Tensor *y = depth ? t_keep_object(encoder_layer(self, src, &how)) : NULL;
    if (o.weights) *o.weights = y ? t_keep_object(weights) : NULL;
    t_scope_close(depth);
    return y;
}

static Tensor *torch_encoder_layer_forward(void *self, Tensor *src) {
    return nn_TransformerEncoderLayer_call(self, src, NULL);
}

bool tg_is_encoder_layer(const nn_Module *module) {
    return tg_is_class(module, "nn_TransformerEncoderLayer", sizeof(nn_TransformerEncoderLayer));
}

bool tg_has_forward_of_encoder_layer(const nn_Module *module) {
    return module->forward == torch_encoder_layer_forward;
}

/* Draws random numbers for self_attn, linear1, linear2 in this order. */
nn_TransformerEncoderLayer *nn_TransformerEncoderLayer_new(int64_t d_model, int64_t nhead,
                                                           const nn_TransformerEncoderLayerOptions *options) {
    if (!tg_check_required("d_model nhead", (int64_t[]){d_model, nhead})) return NULL;
    nn_TransformerEncoderLayerOptions o = nn_TransformerEncoderLayerDefaults;
    Tensor *(*function)(Tensor *);
    if (!tg_take_options(&o, options, sizeof o) || !select_activation(&o, &function)) return NULL;
    const Parts parts = parts_of(&o);
    Construction construction = tg_construct_begin();
    nn_TransformerEncoderLayer *self = (nn_TransformerEncoderLayer *)nn_module_new(
        sizeof *self, "nn_TransformerEncoderLayer", torch_encoder_layer_forward);
    if (self) {
        self->norm_first = o.norm_first;
        self->activation_function = function;
        (void)(TG_SET(self, self_attn, nn_MultiheadAttention_new(d_model, nhead, &parts.attention)) &&
               TG_SET(self, linear1, nn_Linear_new(d_model, o.dim_feedforward, &parts.linear)) &&
               TG_SET(self, dropout, nn_Dropout_new(o.dropout)) &&
               TG_SET(self, linear2, nn_Linear_new(o.dim_feedforward, d_model, &parts.linear)) &&
               TG_SET(self, norm1, nn_LayerNorm_new(&d_model, 1, &parts.norm)) &&
               TG_SET(self, norm2, nn_LayerNorm_new(&d_model, 1, &parts.norm)) &&
               TG_SET(self, dropout1, nn_Dropout_new(o.dropout)) &&
               TG_SET(self, dropout2, nn_Dropout_new(o.dropout)) &&
               (!o.activation_module || TG_SET(self, activation, o.activation_module)));
    }
    return tg_construct_end(construction, self);
}

/* ---- TransformerDecoderLayer ---- */

typedef struct AttentionCalls {
    nn_MultiheadAttentionCallOptions self, memory;
} AttentionCalls;

static Tensor *decoder_feed_forward(nn_TransformerDecoderLayer *self, Tensor *x) {
    return feed_forward(self->linear1, self->dropout, self->linear2, self->activation, self->activation_function, x);
}

static Tensor *decoder_layer(nn_TransformerDecoderLayer *self, Tensor *x, Tensor *memory, const AttentionCalls *how) {
    const bool transposed = is_transposed(self->self_attn, x),
               cross_transposed = is_transposed(self->multihead_attn, x);
    if (self->norm_first) {
        Tensor *n = nn_call(self->norm1, x), *y = attend(self->self_attn, n, n, &how->self);
        n = tg_norm_residual(self->norm2, self->dropout1, x, y, &x, transposed);
        y = attend(self->multihead_attn, n, memory, &how->memory);
        n = tg_norm_residual(self->norm3, self->dropout2, x, y, &x, cross_transposed);
        return tg_add_residual(self->dropout3, x, decoder_feed_forward(self, n));
    }
    Tensor *y = attend(self->self_attn, x, x, &how->self);
    x = tg_norm_residual(self->norm1, self->dropout1, x, y, NULL, transposed);
    y = attend(self->multihead_attn, x, memory, &how->memory);
    x = tg_norm_residual(self->norm2, self->dropout2, x, y, NULL, cross_transposed);
    return tg_norm_residual(self->norm3, self->dropout3, x, decoder_feed_forward(self, x), NULL, false);
}

bool tg_check_decoder_arguments(Tensor *tgt, Tensor *memory, Tensor *const *masks) {
    if (!tg_check(tgt, 2) || !tg_check(memory, 3)) return false;
    for (int i = 0; i < 4; i++)
        if (!tg_check_optional(masks[i], 4) || !tg_check_mask(masks[i], i < 2 ? "attn_mask" : "key_padding_mask"))
            return false;
    return true;
}

Tensor *nn_TransformerDecoderLayer_call(nn_TransformerDecoderLayer *self, Tensor *tgt, Tensor *memory,
                                        const nn_TransformerDecoderLayerCallOptions *options) {
    nn_TransformerDecoderLayerCallOptions o = nn_TransformerDecoderLayerCallDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (o.self_weights) *o.self_weights = NULL;
    if (o.cross_weights) *o.cross_weights = NULL;
    Tensor *const masks[] = {o.tgt_mask, o.memory_mask, o.tgt_key_padding_mask, o.memory_key_padding_mask};
    if (!TG_CHECK_CLASS(self, 1, nn_TransformerDecoderLayer, "nn_TransformerDecoderLayer_call")) return NULL;
    if (!tg_check_decoder_arguments(tgt, memory, masks)) return NULL;
    Tensor *on_self = NULL, *on_memory = NULL;
    const AttentionCalls how = {{.key_padding_mask = masks[2], .attn_mask = masks[0],
                        .average_attn_weights = o.average_attn_weights, .is_causal = o.tgt_is_causal,
                        .weights = o.self_weights ? &on_self : NULL},
                       {.key_padding_mask = masks[3], .attn_mask = masks[1],
                        .average_attn_weights = o.average_attn_weights, .is_causal = o.memory_is_causal,
                        .weights = o.cross_weights ? &on_memory : NULL}};
    int depth = t_scope_open();
    Tensor *y = depth ? t_keep_object(decoder_layer(self, tgt, memory, &how)) : NULL;
    if (o.self_weights) *o.self_weights = y ? t_keep_object(on_self) : NULL;
    if (o.cross_weights) *o.cross_weights = y ? t_keep_object(on_memory) : NULL;
    t_scope_close(depth);
    return y;
}

static Tensor *torch_decoder_layer_forward(void *self, Tensor *tgt, Tensor *memory) {
    return nn_TransformerDecoderLayer_call(self, tgt, memory, NULL);
}

bool tg_is_decoder_layer(const nn_Module *module) {
    return tg_is_class(module, "nn_TransformerDecoderLayer", sizeof(nn_TransformerDecoderLayer));
}

bool tg_has_forward_of_decoder_layer(const nn_Module *module) {
    return module->forward2 == torch_decoder_layer_forward;
}

/* Draws random numbers for self_attn, multihead_attn, linear1, linear2 in this order. */
nn_TransformerDecoderLayer *nn_TransformerDecoderLayer_new(int64_t d_model, int64_t nhead,
                                                           const nn_TransformerDecoderLayerOptions *options) {
    if (!tg_check_required("d_model nhead", (int64_t[]){d_model, nhead})) return NULL;
    nn_TransformerDecoderLayerOptions o = nn_TransformerEncoderLayerDefaults;
    Tensor *(*function)(Tensor *);
    if (!tg_take_options(&o, options, sizeof o) || !select_activation(&o, &function)) return NULL;
    const Parts parts = parts_of(&o);
    Construction construction = tg_construct_begin();
    nn_TransformerDecoderLayer *self =
        (nn_TransformerDecoderLayer *)nn_module_new(sizeof *self, "nn_TransformerDecoderLayer", NULL);
    if (self) {
        self->base.forward2 = torch_decoder_layer_forward;
        self->norm_first = o.norm_first;
        self->activation_function = function;
        (void)(TG_SET(self, self_attn, nn_MultiheadAttention_new(d_model, nhead, &parts.attention)) &&
               TG_SET(self, multihead_attn, nn_MultiheadAttention_new(d_model, nhead, &parts.attention)) &&
               TG_SET(self, linear1, nn_Linear_new(d_model, o.dim_feedforward, &parts.linear)) &&
               TG_SET(self, dropout, nn_Dropout_new(o.dropout)) &&
               TG_SET(self, linear2, nn_Linear_new(o.dim_feedforward, d_model, &parts.linear)) &&
               TG_SET(self, norm1, nn_LayerNorm_new(&d_model, 1, &parts.norm)) &&
               TG_SET(self, norm2, nn_LayerNorm_new(&d_model, 1, &parts.norm)) &&
               TG_SET(self, norm3, nn_LayerNorm_new(&d_model, 1, &parts.norm)) &&
               TG_SET(self, dropout1, nn_Dropout_new(o.dropout)) &&
               TG_SET(self, dropout2, nn_Dropout_new(o.dropout)) &&
               TG_SET(self, dropout3, nn_Dropout_new(o.dropout)) &&
               (!o.activation_module || TG_SET(self, activation, o.activation_module)));
    }
    return tg_construct_end(construction, self);
}
