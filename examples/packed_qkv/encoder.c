/* examples/packed_qkv/encoder.c: the tutorial's classes in its order. Post-LN, norm(x + dropout(sublayer(x))), without
 * a norm at the end; embeddings are not scaled by sqrt(embed_size); the only dropout is the one after each sublayer. */
#include <math.h>

#include "packed_qkv.h"

bool fixed;

/* ---- 2.1 multi-head self-attention ---- */

MultiHeadAttention *multi_head_attention(int64_t embed_size, int64_t heads) {
    MultiHeadAttention *self = nn_module2(MultiHeadAttention, multi_head_attention_call);
    /* not the tutorial's, which finds out in view() */
    if (heads < 1 || embed_size % heads != 0)
        return t_fail("embed_size must be divisible by heads (got %lld and %lld)", (long long)embed_size,
                      (long long)heads);
    self->embed_size = embed_size;
    self->heads = heads;
    self->head_dim = embed_size / heads;
    /* one linear layer makes queries, keys and values: (B, S, E) -> (B, S, 3 * E) */
    nn_set(self, to_qkv, nn_Linear(embed_size, embed_size * 3));
    self->scale = pow((double)self->head_dim, -0.5);
    /* and one comes last */
    nn_set(self, to_out, nn_Linear(embed_size, embed_size));
    return self;
}

Tensor *multi_head_attention_call(MultiHeadAttention *self, Tensor *x, Tensor *mask) {
    int64_t batch_size = t_size(x, 0), seq_len = t_size(x, 1);
    /* queries, keys and values, (B, S, E) each, split into heads: (B, S, H, d) */
    t_TensorList *qkv = t_chunk(nn_call(self->to_qkv, x), 3, -1);
    Tensor *q = t_view(t_list_get(qkv, 0), batch_size, seq_len, self->heads, self->head_dim);
    Tensor *k = t_view(t_list_get(qkv, 1), batch_size, seq_len, self->heads, self->head_dim);
    Tensor *v = t_view(t_list_get(qkv, 2), batch_size, seq_len, self->heads, self->head_dim);
    /* The tutorial goes on like this, positions before heads. Its einsum names the dims b, h, i, d: what it calls h are
     * the positions then, and i and j are heads. Each token's heads attend to each other, no token ever sees another,
     * and all shapes come out right. --fixed puts heads before positions, (B, H, S, d), and back after the second
     * einsum. */
    if (fixed) {
        q = t_transpose(q, 1, 2);
        k = t_transpose(k, 1, 2);
        v = t_transpose(v, 1, 2);
    }
    /* q k^T / sqrt(d): (B, S, H, H); with --fixed (B, H, S, S) */
    Tensor *attn = t_mul(t_einsum("bhid,bhjd->bhij", q, k), self->scale);
    /* an encoder hardly needs a mask, the tutorial says; here it is all the same */
    if (mask) attn = t_masked_fill(attn, t_eq(mask, 0), -1e10);
    attn = t_softmax(attn, -1);
    nn_keep(self, weights, t_detach(attn)); /* not the tutorial's, which drops them: so that they can be looked at */
    /* the weighted sum of the values: as q */
    Tensor *out = t_einsum("bhij,bhjd->bhid", attn, v);
    if (fixed) out = t_transpose(out, 1, 2);
    out = t_reshape(out, batch_size, seq_len, self->embed_size);
    return nn_call(self->to_out, out);
}

/* ---- 2.2 feed-forward network ---- */

FeedForward *feed_forward(int64_t embed_size, int64_t expansion) {
    FeedForward *self = nn_module(FeedForward, feed_forward_call);
    /* wider, GELU (smoother than ReLU; the exact one, by erf), and back */
    nn_set(self, net, nn_Sequential(nn_Linear(embed_size, embed_size * expansion), nn_GELU(),
                                    nn_Linear(embed_size * expansion, embed_size)));
    return self;
}

Tensor *feed_forward_call(FeedForward *self, Tensor *x) {
    return nn_call(self->net, x);
}

/* ---- 2.3 residual connections and layer norms ----
 * The sum with x gives the gradient a way past each sublayer; the norm keeps what is summed in range, so that training
 * goes faster. */

TransformerEncoderLayer *transformer_encoder_layer(int64_t embed_size, int64_t heads, double dropout) {
    TransformerEncoderLayer *self = nn_module2(TransformerEncoderLayer, transformer_encoder_layer_call);
    nn_set(self, attn, multi_head_attention(embed_size, heads));
    nn_set(self, ffn, feed_forward(embed_size, 4));
    nn_set(self, norm1, nn_LayerNorm(embed_size));
    nn_set(self, norm2, nn_LayerNorm(embed_size));
    nn_set(self, dropout, nn_Dropout(dropout));
    return self;
}

Tensor *transformer_encoder_layer_call(TransformerEncoderLayer *self, Tensor *x, Tensor *mask) {
    /* The tutorial's layer and encoder have no way to give attention the mask that it takes. --fixed passes it on. */
    if (mask && !fixed) return t_fail("the tutorial's layer takes no mask; with --fixed it does");
    /* self-attention */
    Tensor *attn_out = multi_head_attention_call(self->attn, x, mask);
    x = t_add(x, nn_call(self->dropout, attn_out));
    x = nn_call(self->norm1, x);
    /* feed-forward */
    Tensor *ffn_out = nn_call(self->ffn, x);
    x = t_add(x, nn_call(self->dropout, ffn_out));
    x = nn_call(self->norm2, x);
    return x;
}

/* ---- 3. positional encoding: pe[p, 2i] = sin(p / 10000^(2i/E)), pe[p, 2i + 1] = cos(p / 10000^(2i/E)) ---- */

PositionalEncoding *positional_encoding(int64_t embed_size, int64_t max_len) {
    PositionalEncoding *self = nn_module(PositionalEncoding, positional_encoding_call);
    Tensor *pe = t_zeros(max_len, embed_size);
    /* both aranges are integers; times a float (the tutorial lacks a bracket there) they become float32 */
    Tensor *position = t_unsqueeze(t_arange(0, max_len), 1); /* (max_len, 1) */
    Tensor *div_term = t_exp(t_mul(t_arange(0, embed_size, 2), -log(10000.0) / (double)embed_size)); /* (E / 2,) */
    t_set(pe, ":, 0::2", t_sin(t_mul(position, div_term))); /* the even columns */
    t_set(pe, ":, 1::2", t_cos(t_mul(position, div_term))); /* the odd ones */
    nn_register_buffer(self, pe, t_unsqueeze(pe, 0)); /* (1, max_len, E): state, but nothing that learns */
    return self;
}

Tensor *positional_encoding_call(PositionalEncoding *self, Tensor *x) {
    return t_add(x, t_at(self->pe, ":, :{}", t_size(x, 1))); /* (B, S, E) + (1, S, E) */
}

/* ---- 4. the encoder ---- */

TransformerEncoder *transformer_encoder(int64_t vocab_size, int64_t embed_size, int64_t layers, int64_t heads,
                                        double dropout) {
    TransformerEncoder *self = nn_module2(TransformerEncoder, transformer_encoder_call);
    nn_set(self, embedding, nn_Embedding(vocab_size, embed_size));
    nn_set(self, pos_encoding, positional_encoding(embed_size, 5000));
    nn_set(self, layers, nn_ModuleList());
    for_range (_, 0, layers) nn_append(self->layers, transformer_encoder_layer(embed_size, heads, dropout));
    return self;
}

Tensor *transformer_encoder_call(TransformerEncoder *self, Tensor *x, Tensor *mask) {
    x = nn_call(self->embedding, x); /* (B, S) -> (B, S, E) */
    x = nn_call(self->pos_encoding, x);
    for_module (layer, self->layers) x = transformer_encoder_layer_call(layer, x, mask);
    return x; /* (B, S, E) */
}
