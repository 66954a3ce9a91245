/* nn/transformer/transformer_layers.c: nn.TransformerEncoderLayer and nn.TransformerDecoderLayer. */
#include <string.h>

#include "nn/functional/activation/activation.h"
#include "nn/functional/attention/attention_internal.h"
#include "nn/transformer/transformer_internal.h"
#include "nn/modules/plain_modules_internal.h"

const nn_TransformerEncoderLayerOptions nn_TransformerEncoderLayerDefaults = {
    .size = sizeof nn_TransformerEncoderLayerDefaults, .dim_feedforward = 2048, .dropout = 0.1, .layer_norm_eps = 1e-5,
    .bias = true};
const nn_TransformerEncoderLayerCallOptions nn_TransformerEncoderLayerCallDefaults = {
    .size = sizeof nn_TransformerEncoderLayerCallDefaults, .average_attn_weights = true};
const nn_TransformerDecoderLayerCallOptions nn_TransformerDecoderLayerCallDefaults = {
    .size = sizeof nn_TransformerDecoderLayerCallDefaults, .average_attn_weights = true};

/* ---- shared by both layers ---- */

/* A sublayer's call of nn_MultiheadAttention: keys and values are memory's, or x's own where it is NULL. Without
 * need_weights, as PyTorch's layers call it. */
typedef struct AttentionCall {
    nn_MultiheadAttention *module;
    Tensor *memory;
    nn_MultiheadAttentionCallOptions options;
} AttentionCall;

static Tensor *attend(const void *call, Tensor *x) {
    const AttentionCall *c = call;
    Tensor *memory = c->memory ? c->memory : x;
    return x ? tg_multihead_attention(c->module, x, memory, memory, &c->options, true) : NULL;
}

/* PyTorch's attention returns (N, L, E) as a view of (L, N, E), in whose memory order its dropout draws. */
static bool is_transposed(const nn_MultiheadAttention *attention, const Tensor *x) {
    return attention->batch_first && x->ndim == 3;
}

static Tensor *feed_forward(const void *parts, Tensor *x) {
    return tg_run_feed_forward(parts, x);
}

/* A module, a function, or the name of one of two functions. */
static bool check_activation(const nn_TransformerEncoderLayerOptions *o) {
    if (o->activation_module) return tg_check_module(o->activation_module, 3);
    if (o->activation_function || !o->activation) return true;
    return strcmp(o->activation, "relu") == 0 || strcmp(o->activation, "gelu") == 0 ||
           tg_fail("activation should be relu/gelu, not %s", o->activation);
}

static bool is_gelu(const nn_TransformerEncoderLayerOptions *o) {
    return !o->activation_module && !o->activation_function && o->activation && strcmp(o->activation, "gelu") == 0;
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

static Tensor *encoder_layer(nn_TransformerEncoderLayer *self, Tensor *x, const AttentionCall *attention) {
    const tg_FeedForwardParts network = {self->linear1,    self->linear2,             self->dropout,
                                         self->activation, self->activation_function, self->is_gelu};
    const tg_Sublayer sublayers[] = {
        {attend, attention, self->norm1, self->dropout1, is_transposed(attention->module, x)},
        {feed_forward, &network, self->norm2, self->dropout2, false},
    };
    return tg_run_sublayers(sublayers, 2, self->norm_first, x);
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
    const AttentionCall attention = {self->self_attn, NULL,
                                     {.key_padding_mask = o.src_key_padding_mask, .attn_mask = o.src_mask,
                                      .average_attn_weights = o.average_attn_weights, .is_causal = o.is_causal,
                                      .weights = o.weights ? &weights : NULL}};
    int depth = t_scope_open();
    Tensor *y = depth ? t_keep_object(encoder_layer(self, src, &attention)) : NULL;
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

bool tg_has_own_encoder_forward(const nn_Module *layer) {
    return layer->forward != torch_encoder_layer_forward;
}

/* Draws random numbers for self_attn, linear1, linear2 in this order. */
nn_TransformerEncoderLayer *nn_TransformerEncoderLayer_new(int64_t d_model, int64_t nhead,
                                                           const nn_TransformerEncoderLayerOptions *options) {
    if (!tg_check_required("d_model nhead", (int64_t[]){d_model, nhead})) return NULL;
    nn_TransformerEncoderLayerOptions o = nn_TransformerEncoderLayerDefaults;
    if (!tg_take_options(&o, options, sizeof o) || !check_activation(&o)) return NULL;
    const Parts parts = parts_of(&o);
    Construction construction = tg_construct_begin();
    nn_TransformerEncoderLayer *self = (nn_TransformerEncoderLayer *)nn_module_new(
        sizeof *self, "nn_TransformerEncoderLayer", torch_encoder_layer_forward);
    if (self) {
        self->norm_first = o.norm_first;
        self->activation_function = o.activation_function;
        self->is_gelu = is_gelu(&o);
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

static Tensor *decoder_layer(nn_TransformerDecoderLayer *self, Tensor *x, const AttentionCall *on_self,
                             const AttentionCall *on_memory) {
    const tg_FeedForwardParts network = {self->linear1,    self->linear2,             self->dropout,
                                         self->activation, self->activation_function, self->is_gelu};
    const tg_Sublayer sublayers[] = {
        {attend, on_self, self->norm1, self->dropout1, is_transposed(on_self->module, x)},
        {attend, on_memory, self->norm2, self->dropout2, is_transposed(on_memory->module, x)},
        {feed_forward, &network, self->norm3, self->dropout3, false},
    };
    return tg_run_sublayers(sublayers, 3, self->norm_first, x);
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
    Tensor *self_weights = NULL, *cross_weights = NULL;
    const AttentionCall on_self = {self->self_attn, NULL,
                                   {.key_padding_mask = masks[2], .attn_mask = masks[0],
                                    .average_attn_weights = o.average_attn_weights, .is_causal = o.tgt_is_causal,
                                    .weights = o.self_weights ? &self_weights : NULL}},
                        on_memory = {self->multihead_attn, memory,
                                     {.key_padding_mask = masks[3], .attn_mask = masks[1],
                                      .average_attn_weights = o.average_attn_weights, .is_causal = o.memory_is_causal,
                                      .weights = o.cross_weights ? &cross_weights : NULL}};
    int depth = t_scope_open();
    Tensor *y = depth ? t_keep_object(decoder_layer(self, tgt, &on_self, &on_memory)) : NULL;
    if (o.self_weights) *o.self_weights = y ? t_keep_object(self_weights) : NULL;
    if (o.cross_weights) *o.cross_weights = y ? t_keep_object(cross_weights) : NULL;
    t_scope_close(depth);
    return y;
}

static Tensor *torch_decoder_layer_forward(void *self, Tensor *tgt, Tensor *memory) {
    return nn_TransformerDecoderLayer_call(self, tgt, memory, NULL);
}

bool tg_is_decoder_layer(const nn_Module *module) {
    return tg_is_class(module, "nn_TransformerDecoderLayer", sizeof(nn_TransformerDecoderLayer));
}

bool tg_has_own_decoder_forward(const nn_Module *layer) {
    return layer->forward2 != torch_decoder_layer_forward;
}

/* Draws random numbers for self_attn, multihead_attn, linear1, linear2 in this order. */
nn_TransformerDecoderLayer *nn_TransformerDecoderLayer_new(int64_t d_model, int64_t nhead,
                                                           const nn_TransformerDecoderLayerOptions *options) {
    if (!tg_check_required("d_model nhead", (int64_t[]){d_model, nhead})) return NULL;
    nn_TransformerDecoderLayerOptions o = nn_TransformerEncoderLayerDefaults;
    if (!tg_take_options(&o, options, sizeof o) || !check_activation(&o)) return NULL;
    const Parts parts = parts_of(&o);
    Construction construction = tg_construct_begin();
    nn_TransformerDecoderLayer *self =
        (nn_TransformerDecoderLayer *)nn_module_new(sizeof *self, "nn_TransformerDecoderLayer", NULL);
    if (self) {
        self->base.forward2 = torch_decoder_layer_forward;
        self->norm_first = o.norm_first;
        self->activation_function = o.activation_function;
        self->is_gelu = is_gelu(&o);
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
