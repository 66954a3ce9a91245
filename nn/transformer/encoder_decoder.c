/* nn/transformer/encoder_decoder.c: the tutorials' Transformer, figure 1 of Vaswani et al. 2017 from its parts to the
 * whole: nn_EncoderLayer, nn_Encoder, nn_DecoderLayer, nn_Decoder, nn_EncoderDecoder. PyTorch's classes are in
 * transformer.c. */
#include <inttypes.h>
#include <math.h>

#include "core/ops/ops.h"
#include "nn/transformer/transformer_internal.h"

/* ---- what layers are made of ---- */

/* A sublayer's call of nn_MultiHeadAttention: keys and values are memory's, or x's own where it is NULL. */
typedef struct AttentionCall {
    nn_MultiHeadAttention *module;
    Tensor *memory, *mask, **weights;
} AttentionCall;

static Tensor *attend(const void *call, Tensor *x) {
    const AttentionCall *c = call;
    Tensor *memory = c->memory ? c->memory : x;
    return nn_MultiHeadAttention_call(c->module, x, memory, memory, c->mask, c->weights);
}

static Tensor *feed_forward(const void *module, Tensor *x) {
    return nn_call((nn_FeedForward *)module, x);
}

/* ---- nn_EncoderLayer ---- */

static Tensor *run_encoder_layer(void *module, Tensor *const *inputs, const void *attention) {
    nn_EncoderLayer *self = module;
    const tg_Sublayer sublayers[] = {
        {attend, attention, self->norm1, self->dropout1, false},
        {feed_forward, self->feed_forward, self->norm2, self->dropout2, false},
    };
    return tg_run_sublayers(sublayers, 2, self->norm_first, inputs[0]);
}

Tensor *nn_EncoderLayer_call(nn_EncoderLayer *self, Tensor *x, Tensor *mask, Tensor **weights) {
    tg_clear_output(weights);
    if (!TG_CHECK_CLASS(self, 1, nn_EncoderLayer, "nn_EncoderLayer_call")) return NULL;
    if (!tg_check(x, 2) || !tg_check_any_optional(mask, 3)) return NULL;
    const AttentionCall attention = {self->self_attention, NULL, mask, weights};
    int depth = t_scope_open();
    Tensor *y = depth ? tg_call_module(self, &x, 1, run_encoder_layer, &attention) : NULL;
    return tg_return_with_weights(depth, y, weights, NULL);
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
    const nn_MultiHeadAttentionOptions attention = {sizeof attention, o.dropout, o.polarity};
    const nn_FeedForwardOptions network = {sizeof network, o.dropout, o.activation};
    Construction construction = tg_construct_begin();
    nn_EncoderLayer *self = (nn_EncoderLayer *)nn_module_new(sizeof *self, "nn_EncoderLayer", encoder_layer_forward);
    if (self) {
        self->norm_first = o.norm_first;
        TG_SET(self, self_attention, nn_MultiHeadAttention_new(d_model, num_heads, &attention));
        TG_SET(self, feed_forward, nn_FeedForward_new(d_model, d_ff, &network));
        TG_SET(self, norm1, nn_LayerNorm_new(&d_model, 1, NULL));
        TG_SET(self, norm2, nn_LayerNorm_new(&d_model, 1, NULL));
        TG_SET(self, dropout1, nn_Dropout_new(o.dropout, false));
        TG_SET(self, dropout2, nn_Dropout_new(o.dropout, false));
    }
    return tg_construct_end(construction, self);
}

/* ---- what stacks are made of ---- */

const nn_EncoderOptions nn_EncoderDefaults = {.size = sizeof nn_EncoderDefaults, .max_len = 5000, .dropout = 0.1,
                                              .activation = "relu", .scale_embedding = true, .padding_idx = T_NONE};

/* (B, S) int64 -> (B, S, D): embedding, its scale, positional encoding. */
static Tensor *embed(nn_Embedding *embedding, double scale, nn_PositionalEncoding *positional_encoding, Tensor *ids) {
    int depth = t_scope_open();
    Tensor *x = depth ? nn_call(embedding, ids) : NULL;
    if (scale != 1) x = t_mul(x, t_number(scale));
    x = nn_call(positional_encoding, x);
    return tg_scope_return(depth, x);
}

/* ---- nn_Encoder ---- */

/* A padding mask (B, S) -> (B, 1, S): the same keys are masked out for every query. */
static Tensor *as_attention_mask(Tensor *mask, const Tensor *ids) {
    if (!mask || mask->ndim != 2) return mask;
    if (tg_same_shape(mask, ids)) return t_unsqueeze(mask, 1);
    return tg_fail("Encoder: a padding mask must have the shape of the token ids, %s, but has shape %s",
                   tg_shape_of(ids), tg_shape_of(mask));
}

static bool has_own_encoder_forward(const nn_Module *layer) {
    return layer->forward != encoder_layer_forward && tg_is_class(layer, "nn_EncoderLayer", sizeof(nn_EncoderLayer));
}

static Tensor *call_encoder_layer(const void *mask, nn_Module *layer, Tensor *x, Tensor **weights, Tensor **unused) {
    (void)unused;
    return nn_EncoderLayer_call((nn_EncoderLayer *)layer, x, (Tensor *)mask, weights);
}

/* The masks of an encoder or a decoder, and the lists that get each layer's weights (NULL: not wanted). */
typedef struct StackCall {
    Tensor *src_mask, *tgt_mask;
    t_TensorList *weights, *cross_weights;
} StackCall;

static Tensor *run_encoder(void *module, Tensor *const *inputs, const void *call) {
    nn_Encoder *self = module;
    const StackCall *c = call;
    Tensor *ids = inputs[0], *mask = as_attention_mask(c->src_mask, ids);
    if (c->src_mask && !mask) return NULL;
    const tg_Stack stack = {.layers = self->layers, .final_norm = self->final_norm, .has_masks = mask != NULL,
                            .has_own_forward = has_own_encoder_forward, .call_layer = call_encoder_layer, .call = mask};
    Tensor *x = embed(self->embedding, self->embedding_scale, self->positional_encoding, ids);
    return tg_run_stack(&stack, x, c->weights, NULL);
}

Tensor *nn_Encoder_call(nn_Encoder *self, Tensor *ids, Tensor *mask, t_TensorList **weights) {
    if (weights) *weights = NULL;
    if (!TG_CHECK_CLASS(self, 1, nn_Encoder, "nn_Encoder_call")) return NULL;
    if (!tg_check(ids, 2) || !tg_check_any_optional(mask, 3)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    const StackCall call = {mask, NULL, weights ? t_list_new(NULL, 0) : NULL, NULL};
    Tensor *y = call.weights || !weights ? tg_call_module(self, &ids, 1, run_encoder, &call) : NULL;
    y = t_keep_object(y);
    if (y && weights) *weights = t_keep_object(call.weights);
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
    const nn_EncoderLayerOptions layer = {sizeof layer, o.dropout, o.activation, o.norm_first, o.polarity};
    nn_EmbeddingOptions table = nn_EmbeddingDefaults;
    table.padding_idx = o.padding_idx;
    const nn_PositionalEncodingOptions positions = {sizeof positions, o.max_len, o.dropout, o.sinusoid};
    Construction construction = tg_construct_begin();
    nn_Encoder *self = (nn_Encoder *)nn_module_new(sizeof *self, "nn_Encoder", encoder_forward);
    if (self) {
        self->embedding_scale = o.scale_embedding ? sqrt((double)d_model) : 1;
        TG_SET(self, embedding, nn_Embedding_new(vocab_size, d_model, &table));
        TG_SET(self, positional_encoding, nn_PositionalEncoding_new(d_model, &positions));
        TG_SET(self, layers, nn_ModuleList_new(NULL, 0));
        for (int64_t i = 0; self->layers && i < num_layers; i++)
            if (!nn_append(self->layers, nn_EncoderLayer_new(d_model, num_heads, d_ff, &layer))) break;
        if (o.norm_first) TG_SET(self, final_norm, nn_LayerNorm_new(&d_model, 1, NULL));
    }
    return tg_construct_end(construction, self);
}

/* ---- nn_DecoderLayer ---- */

/* The arguments of a decoder layer or a decoder. */
typedef struct Call {
    Tensor *memory, *src_mask, *tgt_mask;
} Call;

typedef struct LayerCall {
    Tensor *src_mask, *tgt_mask, **self_weights, **cross_weights;
} LayerCall;

/* in: the masks, and where the weights are stored */
static Tensor *run_decoder_layer(void *module, Tensor *const *inputs, const void *in) {
    nn_DecoderLayer *self = module;
    const LayerCall *c = in;
    const AttentionCall on_self = {self->self_attention, NULL, c->tgt_mask, c->self_weights},
                           on_memory = {self->cross_attention, inputs[1], c->src_mask, c->cross_weights};
    const tg_Sublayer sublayers[] = {
        {attend, &on_self, self->norm1, self->dropout1, false},
        {attend, &on_memory, self->norm2, self->dropout2, false},
        {feed_forward, self->feed_forward, self->norm3, self->dropout3, false},
    };
    return tg_run_sublayers(sublayers, 3, self->norm_first, inputs[0]);
}

Tensor *nn_DecoderLayer_call(nn_DecoderLayer *self, Tensor *x, Tensor *memory, Tensor *src_mask, Tensor *tgt_mask,
                             Tensor **self_weights, Tensor **cross_weights) {
    tg_clear_output(self_weights);
    tg_clear_output(cross_weights);
    if (!TG_CHECK_CLASS(self, 1, nn_DecoderLayer, "nn_DecoderLayer_call")) return NULL;
    if (!tg_check(x, 2) || !tg_check(memory, 3) || !tg_check_any_optional(src_mask, 4) ||
        !tg_check_any_optional(tgt_mask, 5))
        return NULL;
    const LayerCall in = {src_mask, tgt_mask, self_weights, cross_weights};
    int depth = t_scope_open();
    Tensor *y = depth ? tg_call_module(self, (Tensor *[]){x, memory}, 2, run_decoder_layer, &in) : NULL;
    return tg_return_with_weights(depth, y, self_weights, cross_weights);
}

static Tensor *decoder_layer_forward(void *self, Tensor *x, Tensor *memory) {
    return nn_DecoderLayer_call(self, x, memory, NULL, NULL, NULL, NULL);
}

/* Draws random numbers for self_attention, cross_attention, feed_forward in this order. */
nn_DecoderLayer *nn_DecoderLayer_new(int64_t d_model, int64_t num_heads, int64_t d_ff,
                                     const nn_DecoderLayerOptions *options) {
    if (!tg_check_required("d_model num_heads d_ff", (int64_t[]){d_model, num_heads, d_ff})) return NULL;
    nn_DecoderLayerOptions o = {.size = sizeof o, .dropout = 0.1, .activation = "relu"};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    const nn_MultiHeadAttentionOptions attention = {sizeof attention, o.dropout, o.polarity};
    const nn_FeedForwardOptions network = {sizeof network, o.dropout, o.activation};
    Construction construction = tg_construct_begin();
    nn_DecoderLayer *self = (nn_DecoderLayer *)nn_module_new(sizeof *self, "nn_DecoderLayer", NULL);
    if (self) {
        self->base.forward2 = decoder_layer_forward;
        self->norm_first = o.norm_first;
        TG_SET(self, self_attention, nn_MultiHeadAttention_new(d_model, num_heads, &attention));
        TG_SET(self, cross_attention, nn_MultiHeadAttention_new(d_model, num_heads, &attention));
        TG_SET(self, feed_forward, nn_FeedForward_new(d_model, d_ff, &network));
        TG_SET(self, norm1, nn_LayerNorm_new(&d_model, 1, NULL));
        TG_SET(self, norm2, nn_LayerNorm_new(&d_model, 1, NULL));
        TG_SET(self, norm3, nn_LayerNorm_new(&d_model, 1, NULL));
        TG_SET(self, dropout1, nn_Dropout_new(o.dropout, false));
        TG_SET(self, dropout2, nn_Dropout_new(o.dropout, false));
        TG_SET(self, dropout3, nn_Dropout_new(o.dropout, false));
    }
    return tg_construct_end(construction, self);
}

/* ---- nn_Decoder ---- */

static bool check_memory(const nn_Decoder *self, const Tensor *memory) {
    int64_t d_model = self->embedding->embedding_dim;
    if (memory->ndim == 3 && memory->shape[2] == d_model) return true;
    return tg_fail("Decoder: memory must be (batch, length, %" PRId64 "), but has shape %s", d_model,
                   tg_shape_of(memory));
}

/* A padding mask (B, S) -> (B, 1, S): the same keys are masked out for every query. */
static Tensor *as_memory_mask(Tensor *src_mask, const Tensor *memory) {
    if (!src_mask || src_mask->ndim != 2) return src_mask;
    if (src_mask->shape[0] == memory->shape[0] && src_mask->shape[1] == memory->shape[1])
        return t_unsqueeze(src_mask, 1);
    return tg_fail(
        "Decoder: a src_mask of two dims is a padding mask and must be (batch, length) of the memory, %s, but has "
        "shape %s",
        tg_shape_text(memory->shape, 2), tg_shape_text(src_mask->shape, 2));
}

static bool has_own_decoder_forward(const nn_Module *layer) {
    return layer->forward2 != decoder_layer_forward && tg_is_class(layer, "nn_DecoderLayer", sizeof(nn_DecoderLayer));
}

static Tensor *call_decoder_layer(const void *call, nn_Module *layer, Tensor *x, Tensor **self_weights,
                                  Tensor **cross_weights) {
    const Call *in = call;
    return nn_DecoderLayer_call((nn_DecoderLayer *)layer, x, in->memory, in->src_mask, in->tgt_mask, self_weights,
                                cross_weights);
}

static Tensor *run_decoder(void *module, Tensor *const *inputs, const void *call) {
    nn_Decoder *self = module;
    const StackCall *c = call;
    Tensor *ids = inputs[0];
    if (!check_memory(self, inputs[1])) return NULL;
    const Call in = {inputs[1], as_memory_mask(c->src_mask, inputs[1]), c->tgt_mask};
    if (c->src_mask && !in.src_mask) return NULL;
    const tg_Stack stack = {.layers = self->layers, .final_norm = self->final_norm, .memory = in.memory,
                            .has_masks = in.src_mask || in.tgt_mask, .has_own_forward = has_own_decoder_forward,
                            .call_layer = call_decoder_layer, .call = &in};
    Tensor *x = embed(self->embedding, self->embedding_scale, self->positional_encoding, ids);
    return tg_run_stack(&stack, x, c->weights, c->cross_weights);
}

Tensor *nn_Decoder_call(nn_Decoder *self, Tensor *ids, Tensor *memory, Tensor *src_mask, Tensor *tgt_mask,
                        nn_DecoderWeights *weights) {
    if (weights) *weights = (nn_DecoderWeights){NULL, NULL};
    if (!TG_CHECK_CLASS(self, 1, nn_Decoder, "nn_Decoder_call")) return NULL;
    if (!tg_check(ids, 2) || !tg_check(memory, 3) || !tg_check_any_optional(src_mask, 4) ||
        !tg_check_any_optional(tgt_mask, 5))
        return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    const StackCall call = {src_mask, tgt_mask, weights ? t_list_new(NULL, 0) : NULL,
                            weights ? t_list_new(NULL, 0) : NULL};
    const bool ok = !weights || (call.weights && call.cross_weights);
    Tensor *y = ok ? tg_call_module(self, (Tensor *[]){ids, memory}, 2, run_decoder, &call) : NULL;
    y = t_keep_object(y);
    if (y && weights) *weights = (nn_DecoderWeights){t_keep_object(call.weights), t_keep_object(call.cross_weights)};
    t_scope_close(depth);
    return y;
}

static Tensor *decoder_forward(void *self, Tensor *ids, Tensor *memory) {
    return nn_Decoder_call(self, ids, memory, NULL, NULL, NULL);
}

/* Draws random numbers for embedding, then the layers. */
nn_Decoder *nn_Decoder_new(int64_t num_layers, int64_t d_model, int64_t num_heads, int64_t d_ff, int64_t vocab_size,
                           const nn_DecoderOptions *options) {
    if (!tg_check_required("num_layers d_model num_heads d_ff vocab_size",
                           (int64_t[]){num_layers, d_model, num_heads, d_ff, vocab_size}))
        return NULL;
    nn_DecoderOptions o = nn_EncoderDefaults;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_layers(num_layers)) return NULL;
    const nn_DecoderLayerOptions layer = {sizeof layer, o.dropout, o.activation, o.norm_first, o.polarity};
    nn_EmbeddingOptions table = nn_EmbeddingDefaults;
    table.padding_idx = o.padding_idx;
    const nn_PositionalEncodingOptions positions = {sizeof positions, o.max_len, o.dropout, o.sinusoid};
    Construction construction = tg_construct_begin();
    nn_Decoder *self = (nn_Decoder *)nn_module_new(sizeof *self, "nn_Decoder", NULL);
    if (self) {
        self->base.forward2 = decoder_forward;
        self->embedding_scale = o.scale_embedding ? sqrt((double)d_model) : 1;
        TG_SET(self, embedding, nn_Embedding_new(vocab_size, d_model, &table));
        TG_SET(self, positional_encoding, nn_PositionalEncoding_new(d_model, &positions));
        TG_SET(self, layers, nn_ModuleList_new(NULL, 0));
        for (int64_t i = 0; self->layers && i < num_layers; i++)
            if (!nn_append(self->layers, nn_DecoderLayer_new(d_model, num_heads, d_ff, &layer))) break;
        if (o.norm_first) TG_SET(self, final_norm, nn_LayerNorm_new(&d_model, 1, NULL));
    }
    return tg_construct_end(construction, self);
}

/* ---- nn_EncoderDecoder ---- */

/* src_mask is used with the encoder's queries and the decoder's, whose numbers differ: it must not depend on the query.
 */
static bool check_src_mask(const Tensor *src_mask) {
    if (!src_mask || src_mask->ndim == 2) return true;
    if (src_mask->ndim > 2 && src_mask->shape[src_mask->ndim - 2] == 1) return true;
    return tg_fail(
        "EncoderDecoder: src_mask is used with the queries of the encoder and of the decoder and must be (B, S), (B, "
        "1, S) or (B, H, 1, S), with H or 1, but has shape %s",
        tg_shape_of(src_mask));
}

Tensor *nn_EncoderDecoder_encode(nn_EncoderDecoder *self, Tensor *src, Tensor *src_mask, t_TensorList **weights) {
    if (weights) *weights = NULL;
    if (!TG_CHECK_CLASS(self, 1, nn_EncoderDecoder, "nn_EncoderDecoder_encode")) return NULL;
    if (!tg_check(src, 2) || !tg_check_any_optional(src_mask, 3) || !check_src_mask(src_mask))
        return NULL;
    return nn_Encoder_call(self->encoder, src, src_mask, weights);
}

Tensor *nn_EncoderDecoder_decode(nn_EncoderDecoder *self, Tensor *tgt, Tensor *memory, Tensor *src_mask,
                                 Tensor *tgt_mask, nn_DecoderWeights *weights) {
    if (weights) *weights = (nn_DecoderWeights){NULL, NULL};
    if (!TG_CHECK_CLASS(self, 1, nn_EncoderDecoder, "nn_EncoderDecoder_decode")) return NULL;
    if (!tg_check(tgt, 2) || !tg_check(memory, 3) || !tg_check_any_optional(src_mask, 4) ||
        !tg_check_any_optional(tgt_mask, 5) || !check_src_mask(src_mask))
        return NULL;
    return nn_Decoder_call(self->decoder, tgt, memory, src_mask, tgt_mask, weights);
}

typedef struct TranslationCall {
    Tensor *src_mask, *tgt_mask;
    nn_EncoderDecoderWeights *weights; /* or NULL */
} TranslationCall;

static Tensor *translate(void *module, Tensor *const *inputs, const void *call) {
    nn_EncoderDecoder *self = module;
    const TranslationCall *c = call;
    Tensor *memory = nn_EncoderDecoder_encode(self, inputs[0], c->src_mask, c->weights ? &c->weights->encoder : NULL);
    Tensor *x = nn_EncoderDecoder_decode(self, inputs[1], memory, c->src_mask, c->tgt_mask,
                                         c->weights ? &c->weights->decoder : NULL);
    return nn_call(self->generator, x);
}

Tensor *nn_EncoderDecoder_call(nn_EncoderDecoder *self, Tensor *src, Tensor *tgt, Tensor *src_mask, Tensor *tgt_mask,
                               nn_EncoderDecoderWeights *weights) {
    nn_EncoderDecoderWeights none = {NULL, {NULL, NULL}}, lists = none;
    if (weights) *weights = none;
    if (!TG_CHECK_CLASS(self, 1, nn_EncoderDecoder, "nn_EncoderDecoder_call")) return NULL;
    if (!tg_check(src, 2) || !tg_check(tgt, 3) || !tg_check_any_optional(src_mask, 4) ||
        !tg_check_any_optional(tgt_mask, 5))
        return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    const TranslationCall call = {src_mask, tgt_mask, weights ? &lists : NULL};
    Tensor *y = t_keep_object(tg_call_module(self, (Tensor *[]){src, tgt}, 2, translate, &call));
    if (y && weights)
        *weights = (nn_EncoderDecoderWeights){t_keep_object(lists.encoder),
                                              {t_keep_object(lists.decoder.self), t_keep_object(lists.decoder.cross)}};
    t_scope_close(depth);
    return y;
}

static Tensor *encoder_decoder_forward(void *self, Tensor *src, Tensor *tgt) {
    return nn_EncoderDecoder_call(self, src, tgt, NULL, NULL, NULL);
}

const nn_EncoderDecoderOptions nn_EncoderDecoderDefaults = {.size = sizeof nn_EncoderDecoderDefaults,
                                                            .src_max_len = 5000, .tgt_max_len = 5000, .dropout = 0.1,
                                                            .activation = "relu", .scale_embedding = true,
                                                            .src_padding_idx = T_NONE, .tgt_padding_idx = T_NONE};

/* The options of the encoder or the decoder. */
static nn_EncoderOptions side(const nn_EncoderDecoderOptions *o, int64_t max_len, int64_t padding_idx) {
    return (nn_EncoderOptions){sizeof(nn_EncoderOptions), max_len, o->dropout, o->activation, o->norm_first,
                               o->scale_embedding, padding_idx, o->sinusoid, o->polarity};
}

/* Draws random numbers for encoder, decoder, generator in this order. */
nn_EncoderDecoder *nn_EncoderDecoder_new(int64_t num_layers, int64_t d_model, int64_t num_heads, int64_t d_ff,
                                         int64_t src_vocab, int64_t tgt_vocab,
                                         const nn_EncoderDecoderOptions *options) {
    if (!tg_check_required("num_layers d_model num_heads d_ff src_vocab tgt_vocab",
                           (int64_t[]){num_layers, d_model, num_heads, d_ff, src_vocab, tgt_vocab}))
        return NULL;
    nn_EncoderDecoderOptions o = nn_EncoderDecoderDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    nn_EncoderOptions source = side(&o, o.src_max_len, o.src_padding_idx),
                      target = side(&o, o.tgt_max_len, o.tgt_padding_idx);
    Construction construction = tg_construct_begin();
    nn_EncoderDecoder *self = (nn_EncoderDecoder *)nn_module_new(sizeof *self, "nn_EncoderDecoder", NULL);
    if (self) {
        self->base.forward2 = encoder_decoder_forward;
        TG_SET(self, encoder, nn_Encoder_new(num_layers, d_model, num_heads, d_ff, src_vocab, &source));
        TG_SET(self, decoder, nn_Decoder_new(num_layers, d_model, num_heads, d_ff, tgt_vocab, &target));
        TG_SET(self, generator, nn_Linear_new(d_model, tgt_vocab, NULL));
    }
    return tg_construct_end(construction, self);
}
