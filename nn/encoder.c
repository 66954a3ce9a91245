/* nn/encoder.c: the feed-forward network, the positional encoding, the encoder layer and the encoder. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "nn/functional.h"
#include "nn/module_internal.h"
#include "nn/transformer.h"

/* ---- PositionwiseFeedForward ---- */

static Tensor *feed_forward_call(void *module, Tensor *x) {
    nn_PositionwiseFeedForward *self = module;
    x = nn_call(self->fc1, x);
    x = x ? nn_call(self->activation, x) : NULL;
    x = x ? nn_call(self->dropout, x) : NULL;
    return x ? nn_call(self->fc2, x) : NULL;
}

/* NULL, an option that was not set, is relu. */
static nn_Module *activation_of(const char *name) {
    if (!name || strcmp(name, "relu") == 0) return (nn_Module *)nn_ReLU_new();
    if (strcmp(name, "gelu") == 0) return (nn_Module *)nn_GELU_new(NULL);
    return tg_fail("activation should be relu/gelu, not %s", name);
}

nn_PositionwiseFeedForward *nn_PositionwiseFeedForward_new(int64_t d_model, int64_t d_ff,
                                                           const nn_FeedForwardOptions *options) {
    nn_FeedForwardOptions o = {.size = sizeof o, .dropout = 0.1, .activation = "relu"};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    Making making = tg_begin();
    nn_PositionwiseFeedForward *self =
        (nn_PositionwiseFeedForward *)nn_module_new(sizeof *self, "nn_PositionwiseFeedForward", feed_forward_call);
    if (self) {
        TG_SET(self, fc1, nn_Linear_new(d_model, d_ff, NULL));
        TG_SET(self, fc2, nn_Linear_new(d_ff, d_model, NULL));
        TG_SET(self, dropout, nn_Dropout_new(o.dropout));
        TG_SET(self, activation, activation_of(o.activation));
    }
    return tg_end(making, self);
}

/* ---- PositionalEncoding ---- */

static Tensor *positional_encoding_forward(void *module, Tensor *x) {
    nn_PositionalEncoding *self = module;
    if (!tg_check(x, 2)) return NULL;
    if (x->ndim != 3 || x->shape[2] != self->pe->shape[2])
        return tg_fail("PositionalEncoding: the input must be (batch, length, %" PRId64 "), but has shape %s",
                       self->pe->shape[2], tg_shape_text(x->shape, x->ndim));
    if (x->shape[1] > self->pe->shape[1])
        return tg_fail("PositionalEncoding: a sequence of %" PRId64 " positions is longer than max_len = %" PRId64,
                       x->shape[1], self->pe->shape[1]);
    Tensor *sum = t_add(x, t_narrow(self->pe, 1, 0, x->shape[1]));
    return sum ? nn_call(self->dropout, sum) : NULL;
}

/* In float32 and in this order of operations, as the tutorials have it: the last bits of the table depend on it. */
static Tensor *sinusoid_table(int64_t max_len, int64_t d_model) {
    Tensor *pe = t_zeros((int64_t[]){max_len, d_model}, 2, NULL);
    Tensor *position = t_float(t_unsqueeze(t_arange_int64(0, max_len, 1, NULL), 1));
    Tensor *div_term = t_exp(t_mul(t_float(t_arange_int64(0, d_model, 2, NULL)), t_number(-(log(10000.0) / (double)d_model))));
    Tensor *angles = t_mul(position, div_term);
    if (!pe || !angles) return NULL;
    t_copy_(t_slice(pe, 1, 0, T_NONE, 2), t_sin(angles));
    t_copy_(t_slice(pe, 1, 1, T_NONE, 2), t_cos(angles));
    return t_unsqueeze(pe, 0);
}

nn_PositionalEncoding *nn_PositionalEncoding_new(int64_t d_model, const nn_PositionalEncodingOptions *options) {
    if (d_model < 2 || d_model % 2)
        return tg_fail("PositionalEncoding: d_model must be even, but got %" PRId64, d_model);
    nn_PositionalEncodingOptions o = {.size = sizeof o, .max_len = 5000, .dropout = 0.1};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    Making making = tg_begin();
    nn_PositionalEncoding *self =
        (nn_PositionalEncoding *)nn_module_new(sizeof *self, "nn_PositionalEncoding", positional_encoding_forward);
    if (self) {
        TG_SET(self, dropout, nn_Dropout_new(o.dropout));
        self->pe = sinusoid_table(o.max_len, d_model);
        nn_register_buffer(&self->base, "pe", self->pe);
    }
    return tg_end(making, self);
}

/* ---- EncoderLayer ---- */

static Tensor *pre_norm(nn_EncoderLayer *self, Tensor *x, Tensor *mask, Tensor **weights) {
    Tensor *normed = nn_call(self->norm1, x);
    Tensor *attended = nn_MultiHeadAttention_call(self->self_attention, normed, normed, normed, mask, weights);
    x = t_add(x, attended ? nn_call(self->dropout1, attended) : NULL);
    Tensor *fed = x ? nn_call(self->feed_forward, nn_call(self->norm2, x)) : NULL;
    return fed ? t_add(x, nn_call(self->dropout2, fed)) : NULL;
}

static Tensor *post_norm(nn_EncoderLayer *self, Tensor *x, Tensor *mask, Tensor **weights) {
    Tensor *attended = nn_MultiHeadAttention_call(self->self_attention, x, x, x, mask, weights);
    x = attended ? nn_call(self->norm1, t_add(x, nn_call(self->dropout1, attended))) : NULL;
    Tensor *fed = x ? nn_call(self->feed_forward, x) : NULL;
    return fed ? nn_call(self->norm2, t_add(x, nn_call(self->dropout2, fed))) : NULL;
}

Tensor *nn_EncoderLayer_call(nn_EncoderLayer *self, Tensor *x, Tensor *mask, Tensor **weights) {
    if (weights) *weights = NULL;
    if (!tg_check_module(self, 1) || !tg_check(x, 2) || !tg_check_optional(mask, 3)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = t_keep_object((self->norm_first ? pre_norm : post_norm)(self, x, mask, weights));
    if (weights) *weights = y ? t_keep_object(*weights) : NULL;
    t_scope_close(depth);
    return y;
}

static Tensor *encoder_layer_forward(void *self, Tensor *x) {
    return nn_EncoderLayer_call(self, x, NULL, NULL);
}

nn_EncoderLayer *nn_EncoderLayer_new(int64_t d_model, int64_t num_heads, int64_t d_ff, const nn_EncoderLayerOptions *options) {
    nn_EncoderLayerOptions o = {.size = sizeof o, .dropout = 0.1, .activation = "relu"};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    nn_DropoutOptions attention = {.size = sizeof attention, .dropout = o.dropout};
    nn_FeedForwardOptions feed_forward = {.size = sizeof feed_forward, .dropout = o.dropout, .activation = o.activation};
    Making making = tg_begin();
    nn_EncoderLayer *self = (nn_EncoderLayer *)nn_module_new(sizeof *self, "nn_EncoderLayer", encoder_layer_forward);
    if (self) {
        self->norm_first = o.norm_first;
        TG_SET(self, self_attention, nn_MultiHeadAttention_new(d_model, num_heads, &attention));
        TG_SET(self, feed_forward, nn_PositionwiseFeedForward_new(d_model, d_ff, &feed_forward));
        TG_SET(self, norm1, nn_LayerNorm_new(&d_model, 1, NULL));
        TG_SET(self, norm2, nn_LayerNorm_new(&d_model, 1, NULL));
        TG_SET(self, dropout1, nn_Dropout_new(o.dropout));
        TG_SET(self, dropout2, nn_Dropout_new(o.dropout));
    }
    return tg_end(making, self);
}

/* ---- Encoder ---- */

/* (B, S), 0 at padding -> (B, 1, S): the same keys are hidden from every query. */
static Tensor *as_attention_mask(Tensor *mask, const Tensor *ids) {
    if (!mask || mask->ndim != 2) return mask;
    if (tg_same_shape(mask, ids)) return t_unsqueeze(mask, 1);
    return tg_fail("Encoder: a padding mask must have the shape of the token ids, %s, but has shape %s",
                   tg_shape_text(ids->shape, ids->ndim), tg_shape_text(mask->shape, mask->ndim));
}

static Tensor *encode(nn_Encoder *self, Tensor *ids, Tensor *mask, t_TensorList *weights) {
    Tensor *x = nn_call(self->embedding, ids);
    if (x && self->embedding_scale != 1) x = t_mul(x, t_number(self->embedding_scale));
    x = x ? nn_call(self->positional_encoding, x) : NULL;
    for (nn_Entry *entry = tg_child(self->layers->base.first); entry && x; entry = tg_child(entry->next)) {
        Tensor *attention = NULL;
        x = nn_EncoderLayer_call((nn_EncoderLayer *)entry->value, x, mask, weights ? &attention : NULL);
        if (x && weights && !t_list_append(weights, attention)) return NULL;
    }
    return x && self->final_norm ? nn_call(self->final_norm, x) : x;
}

Tensor *nn_Encoder_call(nn_Encoder *self, Tensor *ids, Tensor *mask, t_TensorList **weights) {
    if (weights) *weights = NULL;
    if (!tg_check_module(self, 1) || !tg_check(ids, 2) || !tg_check_optional(mask, 3)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *hidden = as_attention_mask(mask, ids), *y = NULL;
    t_TensorList *list = weights ? t_list_new(NULL, 0) : NULL;
    if ((hidden || !mask) && (list || !weights)) y = t_keep_object(encode(self, ids, hidden, list));
    if (y && weights) *weights = t_keep_object(list);
    t_scope_close(depth);
    return y;
}

static Tensor *encoder_forward(void *self, Tensor *ids) {
    return nn_Encoder_call(self, ids, NULL, NULL);
}

nn_Encoder *nn_Encoder_new(int64_t num_layers, int64_t d_model, int64_t num_heads, int64_t d_ff, int64_t vocab_size,
                           const nn_EncoderOptions *options) {
    nn_EncoderOptions o = {.size = sizeof o, .max_len = 5000, .dropout = 0.1, .activation = "relu", .scale_embedding = true};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    nn_EncoderLayerOptions layer = {.size = sizeof layer, .dropout = o.dropout, .activation = o.activation,
                                    .norm_first = o.norm_first};
    nn_PositionalEncodingOptions position = {.size = sizeof position, .max_len = o.max_len, .dropout = o.dropout};
    Making making = tg_begin();
    nn_Encoder *self = (nn_Encoder *)nn_module_new(sizeof *self, "nn_Encoder", encoder_forward);
    if (self) {
        self->embedding_scale = o.scale_embedding ? sqrt((double)d_model) : 1;
        TG_SET(self, embedding, nn_Embedding_new(vocab_size, d_model, NULL));
        TG_SET(self, positional_encoding, nn_PositionalEncoding_new(d_model, &position));
        TG_SET(self, layers, nn_ModuleList_new(NULL, 0));
        for (int64_t i = 0; self->layers && i < num_layers; i++)
            if (!nn_append(self->layers, nn_EncoderLayer_new(d_model, num_heads, d_ff, &layer))) break;
        if (o.norm_first) TG_SET(self, final_norm, nn_LayerNorm_new(&d_model, 1, NULL));
    }
    return tg_end(making, self);
}
