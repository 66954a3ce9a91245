/* nn/transformer/decoder.c: nn_DecoderLayer and nn_Decoder, the tutorial form. */
#include <inttypes.h>
#include <math.h>

#include "nn/transformer/transformer_internal.h"
#include "core/ops/ops.h"

/* ---- DecoderLayer ---- */

/* The arguments of a decoder layer or a decoder. */
typedef struct Call {
    Tensor *memory, *src_mask, *tgt_mask;
} Call;

static Tensor *decoder_layer(nn_DecoderLayer *self, Tensor *x, const Call *in, Tensor **self_weights,
                             Tensor **cross_weights) {
    const tg_AttentionCall on_self = {self->self_attention, NULL, in->tgt_mask, self_weights},
                           on_memory = {self->cross_attention, in->memory, in->src_mask, cross_weights};
    const tg_Sublayer sublayers[] = {
        {tg_attention_sublayer, &on_self, self->norm1, self->dropout1, false},
        {tg_attention_sublayer, &on_memory, self->norm2, self->dropout2, false},
        {tg_feed_forward_sublayer, self->feed_forward, self->norm3, self->dropout3, false},
    };
    return tg_run_sublayers(sublayers, 3, self->norm_first, x);
}

Tensor *nn_DecoderLayer_call(nn_DecoderLayer *self, Tensor *x, Tensor *memory, Tensor *src_mask, Tensor *tgt_mask,
                             Tensor **self_weights, Tensor **cross_weights) {
    if (self_weights) *self_weights = NULL;
    if (cross_weights) *cross_weights = NULL;
    if (!TG_CHECK_CLASS(self, 1, nn_DecoderLayer, "nn_DecoderLayer_call")) return NULL;
    if (!tg_check(x, 2) || !tg_check(memory, 3) || !tg_check_optional(src_mask, 4) ||
        !tg_check_optional(tgt_mask, 5))
        return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    const Call in = {memory, src_mask, tgt_mask};
    Tensor *y = t_keep_object(decoder_layer(self, x, &in, self_weights, cross_weights));
    if (self_weights) *self_weights = y ? t_keep_object(*self_weights) : NULL;
    if (cross_weights) *cross_weights = y ? t_keep_object(*cross_weights) : NULL;
    t_scope_close(depth);
    return y;
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
    nn_MultiHeadAttentionOptions attention = tg_attention_options(&o);
    nn_FeedForwardOptions feed_forward = tg_feed_forward_options(&o);
    Construction construction = tg_construct_begin();
    nn_DecoderLayer *self = (nn_DecoderLayer *)nn_module_new(sizeof *self, "nn_DecoderLayer", NULL);
    if (self) {
        self->base.forward2 = decoder_layer_forward;
        self->norm_first = o.norm_first;
        TG_SET(self, self_attention, nn_MultiHeadAttention_new(d_model, num_heads, &attention));
        TG_SET(self, cross_attention, nn_MultiHeadAttention_new(d_model, num_heads, &attention));
        TG_SET(self, feed_forward, nn_FeedForward_new(d_model, d_ff, &feed_forward));
        TG_SET(self, norm1, nn_LayerNorm_new(&d_model, 1, NULL));
        TG_SET(self, norm2, nn_LayerNorm_new(&d_model, 1, NULL));
        TG_SET(self, norm3, nn_LayerNorm_new(&d_model, 1, NULL));
        TG_SET(self, dropout1, nn_Dropout_new(o.dropout));
        TG_SET(self, dropout2, nn_Dropout_new(o.dropout));
        TG_SET(self, dropout3, nn_Dropout_new(o.dropout));
    }
    return tg_construct_end(construction, self);
}

/* ---- Decoder ---- */

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

static bool has_own_forward(const nn_Module *layer) {
    return layer->forward2 != decoder_layer_forward &&
           tg_is_class(layer, "nn_DecoderLayer", sizeof(nn_DecoderLayer));
}

static Tensor *call_layer(const void *call, nn_Module *layer, Tensor *x, Tensor **self_weights,
                          Tensor **cross_weights) {
    const Call *in = call;
    return nn_DecoderLayer_call((nn_DecoderLayer *)layer, x, in->memory, in->src_mask, in->tgt_mask, self_weights,
                                cross_weights);
}

static Tensor *decode(nn_Decoder *self, Tensor *ids, Call in, nn_DecoderWeights *lists) {
    const tg_Stack stack = {.layers = self->layers, .final_norm = self->final_norm, .memory = in.memory,
                            .has_masks = in.src_mask || in.tgt_mask, .has_own_forward = has_own_forward,
                            .call_layer = call_layer, .call = &in};
    Tensor *x = tg_embed(self->embedding, self->embedding_scale, self->positional_encoding, ids);
    return tg_run_stack(&stack, x, lists ? lists->self : NULL, lists ? lists->cross : NULL);
}

/* Runs in the scope that nn_Decoder_call opened; the lists are created there. */
static Tensor *call_decoder(nn_Decoder *self, Tensor *ids, Call in, nn_DecoderWeights *lists) {
    Tensor *src_mask = in.src_mask;
    if (!check_memory(self, in.memory)) return NULL;
    in.src_mask = as_memory_mask(src_mask, in.memory);
    if (src_mask && !in.src_mask) return NULL;
    if (lists) *lists = (nn_DecoderWeights){t_list_new(NULL, 0), t_list_new(NULL, 0)};
    return lists && !(lists->self && lists->cross) ? NULL : decode(self, ids, in, lists);
}

Tensor *nn_Decoder_call(nn_Decoder *self, Tensor *ids, Tensor *memory, Tensor *src_mask, Tensor *tgt_mask,
                        nn_DecoderWeights *weights) {
    nn_DecoderWeights none = {NULL, NULL}, lists = none;
    if (weights) *weights = none;
    if (!TG_CHECK_CLASS(self, 1, nn_Decoder, "nn_Decoder_call")) return NULL;
    if (!tg_check(ids, 2) || !tg_check(memory, 3) || !tg_check_optional(src_mask, 4) ||
        !tg_check_optional(tgt_mask, 5))
        return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = t_keep_object(call_decoder(self, ids, (Call){memory, src_mask, tgt_mask}, weights ? &lists : NULL));
    if (y && weights) *weights = (nn_DecoderWeights){t_keep_object(lists.self), t_keep_object(lists.cross)};
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
    nn_DecoderLayerOptions layer = tg_layer_options(&o);
    Construction construction = tg_construct_begin();
    nn_Decoder *self = (nn_Decoder *)nn_module_new(sizeof *self, "nn_Decoder", NULL);
    if (self) {
        self->base.forward2 = decoder_forward;
        self->embedding_scale = o.scale_embedding ? sqrt((double)d_model) : 1;
        TG_SET(self, embedding, tg_new_embedding(&o, vocab_size, d_model));
        TG_SET(self, positional_encoding, tg_new_positional_encoding(&o, d_model));
        TG_SET(self, layers, nn_ModuleList_new(NULL, 0));
        for (int64_t i = 0; self->layers && i < num_layers; i++)
            if (!nn_append(self->layers, nn_DecoderLayer_new(d_model, num_heads, d_ff, &layer))) break;
        if (o.norm_first) TG_SET(self, final_norm, nn_LayerNorm_new(&d_model, 1, NULL));
    }
    return tg_construct_end(construction, self);
}
