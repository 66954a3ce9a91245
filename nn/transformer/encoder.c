/* nn/transformer/encoder.c: nn_EncoderLayer and nn_Encoder, the tutorial form. */
#include <math.h>

#include "nn/transformer/transformer_internal.h"
#include "core/ops/ops.h"

/* ---- EncoderLayer ---- */

Tensor *tg_attention_sublayer(const void *call, Tensor *x) {
    const tg_AttentionCall *c = call;
    Tensor *memory = c->memory ? c->memory : x;
    return nn_MultiHeadAttention_call(c->module, x, memory, memory, c->mask, c->weights);
}

Tensor *tg_feed_forward_sublayer(const void *module, Tensor *x) {
    return nn_call((nn_FeedForward *)module, x);
}

static Tensor *encoder_layer(nn_EncoderLayer *self, Tensor *x, Tensor *mask, Tensor **weights) {
    const tg_AttentionCall attention = {self->self_attention, NULL, mask, weights};
    const tg_Sublayer sublayers[] = {
        {tg_attention_sublayer, &attention, self->norm1, self->dropout1, false},
        {tg_feed_forward_sublayer, self->feed_forward, self->norm2, self->dropout2, false},
    };
    return tg_run_sublayers(sublayers, 2, self->norm_first, x);
}

Tensor *nn_EncoderLayer_call(nn_EncoderLayer *self, Tensor *x, Tensor *mask, Tensor **weights) {
    if (weights) *weights = NULL;
    if (!TG_CHECK_CLASS(self, 1, nn_EncoderLayer, "nn_EncoderLayer_call")) return NULL;
    if (!tg_check(x, 2) || !tg_check_optional(mask, 3)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = t_keep_object(encoder_layer(self, x, mask, weights));
    if (weights) *weights = y ? t_keep_object(*weights) : NULL;
    t_scope_close(depth);
    return y;
}

static Tensor *encoder_layer_forward(void *self, Tensor *x) {
    return nn_EncoderLayer_call(self, x, NULL, NULL);
}

/* Draws random numbers for self_attention, then feed_forward. */
nn_EncoderLayer *nn_EncoderLayer_new(int64_t d_model, int64_t num_heads, int64_t d_ff,
                                     const nn_EncoderLayerOptions *options) {
    if (!tg_check_required("d_model num_heads d_ff", (int64_t[]){d_model, num_heads, d_ff})) return NULL;
    nn_EncoderLayerOptions o = {.size = sizeof o, .dropout = 0.1, .activation = "relu"};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    nn_MultiHeadAttentionOptions attention = tg_attention_options(&o);
    nn_FeedForwardOptions feed_forward = tg_feed_forward_options(&o);
    Construction construction = tg_construct_begin();
    nn_EncoderLayer *self = (nn_EncoderLayer *)nn_module_new(sizeof *self, "nn_EncoderLayer", encoder_layer_forward);
    if (self) {
        self->norm_first = o.norm_first;
        TG_SET(self, self_attention, nn_MultiHeadAttention_new(d_model, num_heads, &attention));
        TG_SET(self, feed_forward, nn_FeedForward_new(d_model, d_ff, &feed_forward));
        TG_SET(self, norm1, nn_LayerNorm_new(&d_model, 1, NULL));
        TG_SET(self, norm2, nn_LayerNorm_new(&d_model, 1, NULL));
        TG_SET(self, dropout1, nn_Dropout_new(o.dropout));
        TG_SET(self, dropout2, nn_Dropout_new(o.dropout));
    }
    return tg_construct_end(construction, self);
}

/* ---- shared with the decoder ---- */

nn_MultiHeadAttentionOptions tg_attention_options(const nn_EncoderLayerOptions *o) {
    return (nn_MultiHeadAttentionOptions){.size = sizeof(nn_MultiHeadAttentionOptions), .dropout = o->dropout,
                                          .polarity = o->polarity};
}

nn_FeedForwardOptions tg_feed_forward_options(const nn_EncoderLayerOptions *o) {
    return (nn_FeedForwardOptions){
        .size = sizeof(nn_FeedForwardOptions), .dropout = o->dropout, .activation = o->activation};
}

nn_EncoderLayerOptions tg_layer_options(const nn_EncoderOptions *o) {
    return (nn_EncoderLayerOptions){.size = sizeof(nn_EncoderLayerOptions), .dropout = o->dropout,
                                    .activation = o->activation, .norm_first = o->norm_first, .polarity = o->polarity};
}

nn_Embedding *tg_new_embedding(const nn_EncoderOptions *o, int64_t vocab_size, int64_t d_model) {
    nn_EmbeddingOptions options = {.size = sizeof options, .padding_idx = o->padding_idx};
    return nn_Embedding_new(vocab_size, d_model, &options);
}

nn_PositionalEncoding *tg_new_positional_encoding(const nn_EncoderOptions *o, int64_t d_model) {
    nn_PositionalEncodingOptions options = {.size = sizeof options, .max_len = o->max_len, .dropout = o->dropout,
                                            .sinusoid = o->sinusoid};
    return nn_PositionalEncoding_new(d_model, &options);
}

Tensor *tg_embed(nn_Embedding *embedding, double scale, nn_PositionalEncoding *positional_encoding, Tensor *ids) {
    int depth = t_scope_open();
    Tensor *x = depth ? nn_call(embedding, ids) : NULL;
    if (scale != 1) x = t_mul(x, t_number(scale));
    x = nn_call(positional_encoding, x);
    return tg_scope_return(depth, x);
}

/* ---- Encoder ---- */

const nn_EncoderOptions nn_EncoderDefaults = {.size = sizeof nn_EncoderDefaults, .max_len = 5000, .dropout = 0.1,
                                              .activation = "relu", .scale_embedding = true, .padding_idx = T_NONE};

/* A padding mask (B, S) -> (B, 1, S): the same keys are masked out for every query. */
static Tensor *as_attention_mask(Tensor *mask, const Tensor *ids) {
    if (!mask || mask->ndim != 2) return mask;
    if (tg_same_shape(mask, ids)) return t_unsqueeze(mask, 1);
    return tg_fail("Encoder: a padding mask must have the shape of the token ids, %s, but has shape %s",
                   tg_shape_of(ids), tg_shape_of(mask));
}

static bool has_own_forward(const nn_Module *layer) {
    return layer->forward != encoder_layer_forward &&
           tg_is_class(layer, "nn_EncoderLayer", sizeof(nn_EncoderLayer));
}

static Tensor *call_layer(const void *mask, nn_Module *layer, Tensor *x, Tensor **weights, Tensor **unused) {
    (void)unused;
    return nn_EncoderLayer_call((nn_EncoderLayer *)layer, x, (Tensor *)mask, weights);
}

static Tensor *encode(nn_Encoder *self, Tensor *ids, Tensor *mask, t_TensorList *weights) {
    const tg_Stack stack = {.layers = self->layers, .final_norm = self->final_norm, .has_masks = mask != NULL,
                            .has_own_forward = has_own_forward, .call_layer = call_layer, .call = mask};
    Tensor *x = tg_embed(self->embedding, self->embedding_scale, self->positional_encoding, ids);
    return tg_run_stack(&stack, x, weights, NULL);
}

Tensor *nn_Encoder_call(nn_Encoder *self, Tensor *ids, Tensor *mask, t_TensorList **weights) {
    if (weights) *weights = NULL;
    if (!TG_CHECK_CLASS(self, 1, nn_Encoder, "nn_Encoder_call")) return NULL;
    if (!tg_check(ids, 2) || !tg_check_optional(mask, 3)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *attention_mask = as_attention_mask(mask, ids), *y = NULL;
    t_TensorList *list = weights ? t_list_new(NULL, 0) : NULL;
    if ((attention_mask || !mask) && (list || !weights)) y = t_keep_object(encode(self, ids, attention_mask, list));
    if (y && weights) *weights = t_keep_object(list);
    t_scope_close(depth);
    return y;
}

static Tensor *encoder_forward(void *self, Tensor *ids) {
    return nn_Encoder_call(self, ids, NULL, NULL);
}

/* Draws random numbers for embedding, then the layers. */
nn_Encoder *nn_Encoder_new(int64_t num_layers, int64_t d_model, int64_t num_heads, int64_t d_ff, int64_t vocab_size,
                           const nn_EncoderOptions *options) {
    if (!tg_check_required("num_layers d_model num_heads d_ff vocab_size",
                           (int64_t[]){num_layers, d_model, num_heads, d_ff, vocab_size}))
        return NULL;
    nn_EncoderOptions o = nn_EncoderDefaults;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_layers(num_layers)) return NULL;
    nn_EncoderLayerOptions layer = tg_layer_options(&o);
    Construction construction = tg_construct_begin();
    nn_Encoder *self = (nn_Encoder *)nn_module_new(sizeof *self, "nn_Encoder", encoder_forward);
    if (self) {
        self->embedding_scale = o.scale_embedding ? sqrt((double)d_model) : 1;
        TG_SET(self, embedding, tg_new_embedding(&o, vocab_size, d_model));
        TG_SET(self, positional_encoding, tg_new_positional_encoding(&o, d_model));
        TG_SET(self, layers, nn_ModuleList_new(NULL, 0));
        for (int64_t i = 0; self->layers && i < num_layers; i++)
            if (!nn_append(self->layers, nn_EncoderLayer_new(d_model, num_heads, d_ff, &layer))) break;
        if (o.norm_first) TG_SET(self, final_norm, nn_LayerNorm_new(&d_model, 1, NULL));
    }
    return tg_construct_end(construction, self);
}
