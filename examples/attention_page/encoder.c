/* examples/attention_page/encoder.c: the page's chapter 3: feed-forward network, encoder layer, and an encoder that
 * classifies. (It is headed "the complete Transformer", but the decoder of the page's own diagram is not there; see
 * decoder.c.) Post-LN, norm(x + dropout(sublayer(x))), without a norm at the end; embeddings are not scaled by sqrt(D).
 */
#include "attention_page.h"

/* ---- 3.1 feed-forward network ---- */

PositionwiseFeedForward *positionwise_feed_forward(int64_t d_model, int64_t d_ff, double dropout) {
    PositionwiseFeedForward *self = nn_module(PositionwiseFeedForward, positionwise_feed_forward_call);
    nn_set(self, fc1, nn_Linear(d_model, d_ff));
    nn_set(self, fc2, nn_Linear(d_ff, d_model));
    nn_set(self, dropout, nn_Dropout(dropout));
    nn_set(self, relu, nn_ReLU());
    return self;
}

Tensor *positionwise_feed_forward_call(PositionwiseFeedForward *self, Tensor *x) {
    x = nn_call(self->fc1, x); /* (B, S, D) -> (B, S, d_ff) */
    x = nn_call(self->relu, x);
    x = nn_call(self->dropout, x);
    x = nn_call(self->fc2, x); /* (B, S, d_ff) -> (B, S, D) */
    return x;
}

/* ---- 3.2 encoder layer ---- */

EncoderLayer *encoder_layer(int64_t d_model, int64_t num_heads, int64_t d_ff, double dropout) {
    EncoderLayer *self = nn_module2(EncoderLayer, encoder_layer_call);
    nn_set(self, self_attn, multi_head_attention(d_model, num_heads));
    nn_set(self, ffn, positionwise_feed_forward(d_model, d_ff, dropout));
    nn_set(self, norm1, nn_LayerNorm(d_model));
    nn_set(self, norm2, nn_LayerNorm(d_model));
    nn_set(self, dropout, nn_Dropout(dropout));
    return self;
}

Tensor *encoder_layer_call(EncoderLayer *self, Tensor *x, Tensor *mask) {
    /* self-attention, residual connection, norm */
    Tensor *attn_out = multi_head_attention_call(self->self_attn, x, mask);
    x = nn_call(self->norm1, t_add(x, nn_call(self->dropout, attn_out)));
    /* feed-forward, residual connection, norm */
    Tensor *ffn_out = nn_call(self->ffn, x);
    x = nn_call(self->norm2, t_add(x, nn_call(self->dropout, ffn_out)));
    return x;
}

/* ---- 3.3 the encoder and its classifier ---- */

TransformerEncoder *transformer_encoder(int64_t vocab_size, int64_t d_model, int64_t num_heads, int64_t d_ff,
                                        int64_t num_layers, int64_t num_classes, double dropout) {
    TransformerEncoder *self = nn_module2(TransformerEncoder, transformer_encoder_call);
    nn_set(self, embedding, nn_Embedding(vocab_size, d_model));
    nn_set(self, pos_encoding, positional_encoding(d_model, 5000));
    nn_set(self, layers, nn_ModuleList());
    for_range (_, 0, num_layers) nn_append(self->layers, encoder_layer(d_model, num_heads, d_ff, dropout));
    nn_set(self, fc, nn_Linear(d_model, num_classes));
    nn_set(self, dropout, nn_Dropout(dropout));
    return self;
}

Tensor *transformer_encoder_call(TransformerEncoder *self, Tensor *x, Tensor *mask) {
    /* The page passes its mask on unchanged. Against scores of (B, H, S, S) a padding mask, (B, S), is then an error,
     * or where B happens to be S (or 1), hides something else without an error; so is (B, S, S) where B is H. --fixed
     * makes (B, 1, 1, S) and (B, 1, S, S) of them. */
    Tensor *pad = NULL;
    if (fixed && mask && t_dim(mask) == 2) {
        pad = mask;
        mask = t_at(mask, ":, None, None, :");
    }
    if (fixed && mask && t_dim(mask) == 3) mask = t_unsqueeze(mask, 1);
    x = nn_call(self->embedding, x); /* (B, S) -> (B, S, D) */
    x = nn_call(self->pos_encoding, x);
    x = nn_call(self->dropout, x);
    for_module (layer, self->layers) x = encoder_layer_call(layer, x, mask);
    /* The page takes the mean over all positions, padding too (its other suggestion: the first position alone, as
     * [CLS]). --fixed takes it over the real tokens, where a mask is given. */
    if (pad) {
        Tensor *m = t_to(t_unsqueeze(t_ne(pad, 0), -1), t_dtype(x)); /* (B, S, 1) */
        x = t_div(t_sum(t_mul(x, m), 1), t_clamp(t_sum(m, 1), 1, NULL));
    } else {
        x = t_mean(x, 1);
    }
    x = nn_call(self->fc, x); /* (B, D) -> (B, num_classes) */
    return x;
}

TransformerEncoder *demo_4(void) {
    TransformerEncoder *model = transformer_encoder(10000, 256, 8, 1024, 4, 2, 0.1);
    printf("Transformer encoder:\n");
    nn_print(model);
    int64_t total_params = nn_count_parameters(model, false);
    t_print("\nparameters:", commas(total_params));
    return model;
}
