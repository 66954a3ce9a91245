/* examples/encoder_decoder/transformer.c: what the tutorial's text describes and leaves to the reader: the masks, the
 * last linear layer, and the model that joins the two halves. */
#include "encoder_decoder.h"

/* ---- masks: true hides (the four other tutorials hide where the mask is 0) ---- */

/* src: (B, S) token ids; returns (B, 1, 1, S), true at padding, the same for every head and query. */
Tensor *make_src_mask(Tensor *src, int64_t pad_idx) {
    return t_unsqueeze(t_unsqueeze(t_eq(src, pad_idx), 1), 2);
}

/* (n, n), true above the diagonal: the future. */
Tensor *make_look_ahead_mask(int64_t n) {
    return t_bool(t_triu(t_ones(n, n), .diagonal = 1));
}

/* tgt: (B, T) token ids; returns (B, 1, T, T): what is padding or comes later. */
Tensor *make_tgt_mask(Tensor *tgt, int64_t pad_idx) {
    return t_bitwise_or(make_src_mask(tgt, pad_idx), make_look_ahead_mask(t_size(tgt, 1)));
}

/* ---- both halves and the last linear layer ---- */

Transformer *transformer(int64_t src_vocab, int64_t tgt_vocab) {
    Transformer *self = nn_module(Transformer, NULL);
    nn_set(self, encoder, encoder(src_vocab));
    nn_set(self, decoder, decoder(tgt_vocab));
    nn_set(self, generator, nn_Linear(d_model, tgt_vocab));
    return self;
}

/* src: (B, S) and tgt: (B, T) token ids. Returns logits (B, T, tgt_vocab); softmax is the caller's (a loss takes
 * logits). */
Tensor *transformer_call(Transformer *self, Tensor *src, Tensor *tgt, Tensor *src_mask, Tensor *tgt_mask) {
    Tensor *memory = encoder_call(self->encoder, src, src_mask);
    return nn_call(self->generator, decoder_call(self->decoder, tgt, memory, src_mask, tgt_mask));
}

/* Starts each row with the token bos and adds n times the most likely next one. Returns (B, 1 + n). */
Tensor *transformer_greedy_decode(Transformer *self, Tensor *src, int64_t bos, int64_t n, Tensor *src_mask) {
    Tensor *out;
    with_no_grad() {
        Tensor *memory = encoder_call(self->encoder, src, src_mask);
        out = t_full((t_size(src, 0), 1), bos, .dtype = t_int64);
        for_range (_, 0, n) {
            Tensor *h = decoder_call(self->decoder, out, memory, src_mask, make_look_ahead_mask(t_size(out, 1)));
            Tensor *nxt = t_argmax(nn_call(self->generator, t_at(h, ":, -1, :")), -1, .keepdim = true);
            t_keep_as(&out, t_cat(t_list(out, nxt), 1));
        }
    }
    return out;
}
