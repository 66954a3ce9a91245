/* nn/transformer/encoder_decoder.c: nn_EncoderDecoder: encoder, decoder and generator (Vaswani et al. 2017, figure 1).
 */
#include "nn/transformer/transformer_internal.h"

/* ---- encode and decode ---- */

/* src_mask is used with the encoder's queries and the decoder's, whose numbers differ: it must not depend on the query.
 */
static bool check_src_mask(const Tensor *src_mask) {
    if (!src_mask || src_mask->ndim == 2) return true;
    if (src_mask->ndim > 2 && src_mask->shape[src_mask->ndim - 2] == 1) return true;
    return tg_fail(
        "EncoderDecoder: src_mask serves the encoder's queries and the decoder's and must be (B, S), (B, 1, S) or "
        "(B, H, 1, S), with H or 1, but has shape %s",
        tg_shape_of(src_mask));
}

Tensor *nn_EncoderDecoder_encode(nn_EncoderDecoder *self, Tensor *src, Tensor *src_mask, t_TensorList **weights) {
    if (weights) *weights = NULL;
    if (!TG_CHECK_CLASS(self, 1, nn_EncoderDecoder, "nn_EncoderDecoder_encode")) return NULL;
    if (!tg_check(src, 2) || !tg_check_optional(src_mask, 3) || !check_src_mask(src_mask))
        return NULL;
    return nn_Encoder_call(self->encoder, src, src_mask, weights);
}

Tensor *nn_EncoderDecoder_decode(nn_EncoderDecoder *self, Tensor *tgt, Tensor *memory, Tensor *src_mask,
                                 Tensor *tgt_mask, nn_DecoderWeights *weights) {
    if (weights) *weights = (nn_DecoderWeights){NULL, NULL};
    if (!TG_CHECK_CLASS(self, 1, nn_EncoderDecoder, "nn_EncoderDecoder_decode")) return NULL;
    if (!tg_check(tgt, 2) || !tg_check(memory, 3) || !tg_check_optional(src_mask, 4) ||
        !tg_check_optional(tgt_mask, 5) || !check_src_mask(src_mask))
        return NULL;
    return nn_Decoder_call(self->decoder, tgt, memory, src_mask, tgt_mask, weights);
}

/* ---- the whole model ---- */

static Tensor *translate(nn_EncoderDecoder *self, Tensor *src, Tensor *tgt, Tensor *src_mask, Tensor *tgt_mask,
                         nn_EncoderDecoderWeights *weights) {
    Tensor *memory = nn_EncoderDecoder_encode(self, src, src_mask, weights ? &weights->encoder : NULL);
    Tensor *x = nn_EncoderDecoder_decode(self, tgt, memory, src_mask, tgt_mask, weights ? &weights->decoder : NULL);
    return nn_call(self->generator, x);
}

Tensor *nn_EncoderDecoder_call(nn_EncoderDecoder *self, Tensor *src, Tensor *tgt, Tensor *src_mask, Tensor *tgt_mask,
                               nn_EncoderDecoderWeights *weights) {
    nn_EncoderDecoderWeights none = {NULL, {NULL, NULL}}, lists = none;
    if (weights) *weights = none;
    if (!TG_CHECK_CLASS(self, 1, nn_EncoderDecoder, "nn_EncoderDecoder_call")) return NULL;
    if (!tg_check(src, 2) || !tg_check(tgt, 3) || !tg_check_optional(src_mask, 4) ||
        !tg_check_optional(tgt_mask, 5))
        return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = t_keep_object(translate(self, src, tgt, src_mask, tgt_mask, weights ? &lists : NULL));
    if (y && weights)
        *weights = (nn_EncoderDecoderWeights){t_keep_object(lists.encoder),
                                              {t_keep_object(lists.decoder.self), t_keep_object(lists.decoder.cross)}};
    t_scope_close(depth);
    return y;
}

static Tensor *encoder_decoder_forward(void *self, Tensor *src, Tensor *tgt) {
    return nn_EncoderDecoder_call(self, src, tgt, NULL, NULL, NULL);
}

/* ---- construction ---- */

const nn_EncoderDecoderOptions nn_EncoderDecoderDefaults = {.size = sizeof nn_EncoderDecoderDefaults,
                                                            .src_max_len = 5000, .tgt_max_len = 5000, .dropout = 0.1,
                                                            .activation = "relu", .scale_embedding = true,
                                                            .src_padding_idx = T_NONE, .tgt_padding_idx = T_NONE};

static nn_EncoderOptions side(const nn_EncoderDecoderOptions *o, int64_t max_len, int64_t padding_idx) {
    return (nn_EncoderOptions){.size = sizeof(nn_EncoderOptions), .max_len = max_len, .dropout = o->dropout,
                               .activation = o->activation, .norm_first = o->norm_first,
                               .scale_embedding = o->scale_embedding, .padding_idx = padding_idx,
                               .sinusoid = o->sinusoid,
                               .polarity = o->polarity};
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
