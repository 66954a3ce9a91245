/* examples/encoder_decoder/blocks.c: the tutorial's classes in its order: encoder block, decoder block, positional
 * encoding, encoder, decoder. Each sublayer is followed by layer_norm(x + dropout(sublayer(x))) (post-LN); neither half
 * ends in a norm of its own, and embeddings are not scaled by sqrt(d_model), as the tutorial has it. */
#include "encoder_decoder.h"

/* ---- encoder block ---- */

EncoderBlock *encoder_block(void) {
    EncoderBlock *self = nn_module2(EncoderBlock, encoder_block_call);
    /* 1. self-attention */
    nn_set(self, mha, multi_head_attention());
    /* 2. its norm */
    nn_set(self, layer_norm_1, nn_LayerNorm(d_model));
    /* 3. feed-forward */
    nn_set(self, ffn, feed_forward_network());
    /* 4. its norm */
    nn_set(self, layer_norm_2, nn_LayerNorm(d_model));
    /* 5. one dropout, used after both */
    nn_set(self, dropout, nn_Dropout(p_drop));
    return self;
}

/* x: (B, S, D); mask: true at what is to be hidden, padding say, or NULL. Returns (B, S, D). */
Tensor *encoder_block_call(EncoderBlock *self, Tensor *x, Tensor *mask) {
    Tensor *_;
    /* 1a. every position looks at every other: q = k = v = x */
    Tensor *attention_output = multi_head_attention_call(self->mha, x, x, x, mask, &_);
    /* 1b. add and norm */
    x = t_add(x, nn_call(self->dropout, attention_output));
    x = nn_call(self->layer_norm_1, x);
    /* 2a. each position by itself */
    Tensor *feedforward_output = nn_call(self->ffn, x);
    /* 2b. add and norm */
    x = t_add(x, nn_call(self->dropout, feedforward_output));
    x = nn_call(self->layer_norm_2, x);
    return x;
}

/* ---- decoder block ---- */

DecoderBlock *decoder_block(void) {
    DecoderBlock *self = nn_module(DecoderBlock, NULL);
    /* 1. masked self-attention over the target */
    nn_set(self, mha_1, multi_head_attention());
    /* 2. its norm */
    nn_set(self, layer_norm_1, nn_LayerNorm(d_model));
    /* 3. cross-attention: queries of the target, keys and values of the encoder's output */
    nn_set(self, mha_2, multi_head_attention());
    /* 4. its norm */
    nn_set(self, layer_norm_2, nn_LayerNorm(d_model));
    /* 5. feed-forward */
    nn_set(self, ffn, feed_forward_network());
    /* 6. its norm */
    nn_set(self, layer_norm_3, nn_LayerNorm(d_model));
    /* 7. one dropout, used after all three */
    nn_set(self, dropout, nn_Dropout(p_drop));
    return self;
}

/* x: (B, T, D); encoder_output: (B, S, D); src_mask hides padding of the source, tgt_mask padding and the future of the
 * target; either may be NULL. Returns (B, T, D). */
Tensor *decoder_block_call(DecoderBlock *self, Tensor *x, Tensor *encoder_output, Tensor *src_mask, Tensor *tgt_mask) {
    Tensor *_;
    /* 1. the target looks at its own past */
    Tensor *attention_output_1 = multi_head_attention_call(self->mha_1, x, x, x, tgt_mask, &_);
    x = t_add(x, nn_call(self->dropout, attention_output_1));
    x = nn_call(self->layer_norm_1, x);
    /* 2. and then at the source */
    Tensor *attention_output_2 =
        multi_head_attention_call(self->mha_2, x, encoder_output, encoder_output, src_mask, &_);
    x = t_add(x, nn_call(self->dropout, attention_output_2));
    x = nn_call(self->layer_norm_2, x);
    /* 3. each position by itself */
    Tensor *feedforward_output = nn_call(self->ffn, x);
    x = t_add(x, nn_call(self->dropout, feedforward_output));
    x = nn_call(self->layer_norm_3, x);
    return x;
}

/* ---- positional encoding: pe[p, 2i] = sin(p / 10000^(2i/D)), pe[p, 2i + 1] = cos(p / 10000^(2i/D)) ----
 * Encoder and decoder own one table each. An odd d_model has a column too few for the cosines, and a sequence longer
 * than max_len finds no row: both are errors, here as there. */

PositionalEncoding *positional_encoding(void) {
    PositionalEncoding *self = nn_module(PositionalEncoding, positional_encoding_call);
    /* 1. the table to fill: (max_len, D) */
    Tensor *pe = t_zeros(max_len, d_model);
    /* 2. the positions as a column, for broadcasting: (max_len, 1) */
    Tensor *position = t_unsqueeze(t_float(t_arange(0, max_len)), 1);
    /* 3. 2i, and 10000^(-2i/D): (D / 2,) */
    Tensor *indices_2i = t_float(t_arange(0, d_model, 2));
    Tensor *div_term = t_pow(10000.0, t_div(t_neg(indices_2i), d_model));
    /* 4. (max_len, 1) * (D / 2,) -> (max_len, D / 2): sines into the even columns, cosines into the odd ones */
    t_set(pe, ":, 0::2", t_sin(t_mul(position, div_term)));
    t_set(pe, ":, 1::2", t_cos(t_mul(position, div_term)));
    /* 5. a buffer: in the state dict, but nothing that learns; (1, max_len, D), to be added to a batch */
    nn_register_buffer(self, pe, t_unsqueeze(pe, 0));
    return self;
}

/* x: (B, S, D) + the first S rows of the table: (1, S, D). */
Tensor *positional_encoding_call(PositionalEncoding *self, Tensor *x) {
    return t_add(x, t_at(self->pe, ":, :{}, :", t_size(x, 1)));
}

/* ---- encoder ---- */

Encoder *encoder(int64_t vocab_size) {
    Encoder *self = nn_module2(Encoder, encoder_call);
    /* 1. token ids to vectors */
    nn_set(self, embeddings, nn_Embedding(vocab_size, d_model));
    /* 2. the position of each */
    nn_set(self, pe, positional_encoding());
    /* 3. dropout on their sum */
    nn_set(self, dropout, nn_Dropout(p_drop));
    /* 4. the stack */
    nn_set(self, encoder_blocks, nn_ModuleList());
    for_range (_, 0, n_layers) nn_append(self->encoder_blocks, encoder_block());
    return self;
}

/* x: (B, S) token ids; mask hides padding, or NULL. Returns (B, S, D). */
Tensor *encoder_call(Encoder *self, Tensor *x, Tensor *mask) {
    x = nn_call(self->embeddings, x); /* (B, S) -> (B, S, D) */
    x = nn_call(self->pe, x);
    x = nn_call(self->dropout, x);
    for_module (block, self->encoder_blocks) x = encoder_block_call(block, x, mask);
    return x;
}

/* ---- decoder ---- */

Decoder *decoder(int64_t vocab_size) {
    Decoder *self = nn_module(Decoder, NULL);
    /* 1. token ids to vectors */
    nn_set(self, embeddings, nn_Embedding(vocab_size, d_model));
    /* 2. the position of each */
    nn_set(self, pe, positional_encoding());
    /* 3. dropout on their sum */
    nn_set(self, dropout, nn_Dropout(p_drop));
    /* 4. the stack */
    nn_set(self, decoder_blocks, nn_ModuleList());
    for_range (_, 0, n_layers) nn_append(self->decoder_blocks, decoder_block());
    return self;
}

/* x: (B, T) token ids; encoder_output: (B, S, D); masks as in the block. Returns (B, T, D), for the last linear layer
 * and softmax. */
Tensor *decoder_call(Decoder *self, Tensor *x, Tensor *encoder_output, Tensor *src_mask, Tensor *tgt_mask) {
    x = nn_call(self->embeddings, x); /* (B, T) -> (B, T, D) */
    x = nn_call(self->pe, x);
    x = nn_call(self->dropout, x);
    for_module (block, self->decoder_blocks) x = decoder_block_call(block, x, encoder_output, src_mask, tgt_mask);
    return x;
}
