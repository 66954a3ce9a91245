/* examples/attention_page/decoder.c: not the page's. Its diagram has a decoder, its code has none. Here it is, out of
 * the page's own classes where they fit: masked self-attention, cross-attention, feed-forward, each followed by norm(x
 * + dropout(sublayer)), in the form of the decoder block of encoder_decoder/.
 *
 * Shapes: B batch, S source length, T target length, D d_model. */
#include "attention_page.h"

/* ---- cross-attention: the page's MultiHeadAttention takes queries, keys and values from one sequence; this one takes
 * keys and values from another ---- */

CrossAttention *cross_attention(int64_t d_model, int64_t num_heads) {
    CrossAttention *self = nn_module(CrossAttention, NULL);
    if (num_heads < 1 || d_model % num_heads != 0)
        return t_fail("d_model must be divisible by num_heads (got %lld and %lld)", (long long)d_model,
                      (long long)num_heads);
    self->d_model = d_model;
    self->num_heads = num_heads;
    self->d_k = d_model / num_heads;
    nn_set(self, W_q, nn_Linear(d_model, d_model));
    nn_set(self, W_k, nn_Linear(d_model, d_model));
    nn_set(self, W_v, nn_Linear(d_model, d_model));
    nn_set(self, W_o, nn_Linear(d_model, d_model));
    return self;
}

Tensor *cross_attention_call(CrossAttention *self, Tensor *x, Tensor *memory, Tensor *mask) {
    int64_t batch_size = t_size(x, 0);
    Tensor *Q = nn_call(self->W_q, x);      /* (B, T, D) */
    Tensor *K = nn_call(self->W_k, memory); /* (B, S, D) */
    Tensor *V = nn_call(self->W_v, memory);
    Q = t_transpose(t_view(Q, batch_size, -1, self->num_heads, self->d_k), 1, 2); /* (B, H, T, d) */
    K = t_transpose(t_view(K, batch_size, -1, self->num_heads, self->d_k), 1, 2); /* (B, H, S, d) */
    V = t_transpose(t_view(V, batch_size, -1, self->num_heads, self->d_k), 1, 2);
    Tensor *attention_weights; /* (B, H, T, S) */
    Tensor *attn_output = scaled_dot_product_attention(Q, K, V, mask, &attention_weights);
    nn_keep(self, weights, t_detach(attention_weights));
    attn_output = t_view(t_contiguous(t_transpose(attn_output, 1, 2)), batch_size, -1, self->d_model);
    return nn_call(self->W_o, attn_output);
}

/* ---- decoder layer ---- */

DecoderLayer *decoder_layer(int64_t d_model, int64_t num_heads, int64_t d_ff, double dropout) {
    DecoderLayer *self = nn_module(DecoderLayer, NULL);
    nn_set(self, self_attn, multi_head_attention(d_model, num_heads));
    nn_set(self, cross_attn, cross_attention(d_model, num_heads));
    nn_set(self, ffn, positionwise_feed_forward(d_model, d_ff, dropout));
    nn_set(self, norm1, nn_LayerNorm(d_model));
    nn_set(self, norm2, nn_LayerNorm(d_model));
    nn_set(self, norm3, nn_LayerNorm(d_model));
    nn_set(self, dropout, nn_Dropout(dropout));
    return self;
}

Tensor *decoder_layer_call(DecoderLayer *self, Tensor *x, Tensor *memory, Tensor *src_mask, Tensor *tgt_mask) {
    /* the target looks at its own past, */
    Tensor *attn_out = multi_head_attention_call(self->self_attn, x, tgt_mask);
    x = nn_call(self->norm1, t_add(x, nn_call(self->dropout, attn_out)));
    /* then at the source, */
    Tensor *cross_out = cross_attention_call(self->cross_attn, x, memory, src_mask);
    x = nn_call(self->norm2, t_add(x, nn_call(self->dropout, cross_out)));
    /* then each position by itself */
    Tensor *ffn_out = nn_call(self->ffn, x);
    x = nn_call(self->norm3, t_add(x, nn_call(self->dropout, ffn_out)));
    return x;
}

/* ---- the decoder, up to the diagram's output layer ---- */

TransformerDecoder *transformer_decoder(int64_t vocab_size, int64_t d_model, int64_t num_heads, int64_t d_ff,
                                        int64_t num_layers, double dropout) {
    TransformerDecoder *self = nn_module(TransformerDecoder, NULL);
    nn_set(self, embedding, nn_Embedding(vocab_size, d_model));
    nn_set(self, pos_encoding, positional_encoding(d_model, 5000));
    nn_set(self, layers, nn_ModuleList());
    for_range (_, 0, num_layers) nn_append(self->layers, decoder_layer(d_model, num_heads, d_ff, dropout));
    nn_set(self, fc, nn_Linear(d_model, vocab_size));
    nn_set(self, dropout, nn_Dropout(dropout));
    return self;
}

Tensor *transformer_decoder_call(TransformerDecoder *self, Tensor *x, Tensor *memory, Tensor *src_mask,
                                 Tensor *tgt_mask) {
    x = nn_call(self->embedding, x); /* (B, T) -> (B, T, D) */
    x = nn_call(self->pos_encoding, x);
    x = nn_call(self->dropout, x);
    for_module (layer, self->layers) x = decoder_layer_call(layer, x, memory, src_mask, tgt_mask);
    return nn_call(self->fc, x); /* (B, T, D) -> (B, T, V) */
}
