/* examples/notebook/encoder.c: cells 2 to 7, from one attention to the whole encoder.
 * Shapes: B batch_size, S seq_len, H num_heads, d d_k, D d_model. */
#include <math.h>
#include <stdio.h>

#include "notebook.h"

/* ---- 2. scaled dot-product attention ---- */

/* query, key, value: (B, S, d); mask: (B, S, S), 0 hides, or NULL; dropout on the weights, or NULL.
 * Returns (B, S, d); *attention_weights: (B, S, S). */
static Tensor *scaled_dot_product_attention(Tensor *query, Tensor *key, Tensor *value, Tensor *mask, nn_Dropout *dropout,
                                            Tensor **attention_weights) {
    int64_t d_k = t_size(query, -1);
    Tensor *scores = t_div(t_matmul(query, t_transpose(key, -2, -1)), sqrt((double)d_k));
    if (mask) scores = t_masked_fill(scores, t_eq(mask, 0), -1e9);
    *attention_weights = F_softmax(scores, -1);
    if (dropout) *attention_weights = nn_call(dropout, *attention_weights);
    Tensor *output = t_matmul(*attention_weights, value);
    return output;
}

void cell_2(void) {
    int64_t batch_size = 2, seq_len = 4, d_k = 8;
    Tensor *query = t_randn(batch_size, seq_len, d_k);
    Tensor *key = t_randn(batch_size, seq_len, d_k);
    Tensor *value = t_randn(batch_size, seq_len, d_k);
    Tensor *weights;
    Tensor *output = scaled_dot_product_attention(query, key, value, NULL, NULL, &weights);
    printf("query shape: %s\n", t_size_repr(query));
    printf("output shape: %s\n", t_size_repr(output));
    printf("attention weights shape: %s\n", t_size_repr(weights));
    printf("attention weights summed: ");
    t_print(t_sum(t_at(weights, "0"), -1));
}

/* ---- 3. multi-head attention ---- */

typedef struct MultiHeadAttention {
    nn_Module base;
    int64_t d_model, num_heads, d_k;
    nn_Linear *W_q, *W_k, *W_v, *W_o;
    nn_Dropout *dropout;
} MultiHeadAttention;

static MultiHeadAttention *multi_head_attention(int64_t d_model, int64_t num_heads, double dropout) {
    MultiHeadAttention *self = nn_module(MultiHeadAttention, NULL);
    if (d_model % num_heads != 0) return t_fail("d_model must be divisible by num_heads");
    self->d_model = d_model;
    self->num_heads = num_heads;
    self->d_k = d_model / num_heads;
    nn_set(self, W_q, nn_Linear(d_model, d_model));
    nn_set(self, W_k, nn_Linear(d_model, d_model));
    nn_set(self, W_v, nn_Linear(d_model, d_model));
    nn_set(self, W_o, nn_Linear(d_model, d_model));
    nn_set(self, dropout, nn_Dropout(dropout));
    return self;
}

static Tensor *multi_head_attention_call(MultiHeadAttention *self, Tensor *query, Tensor *key, Tensor *value, Tensor *mask,
                                         Tensor **weights) {
    int64_t batch_size = t_size(query, 0), seq_len = t_size(query, 1);
    /* 1. project, and split the features into heads: (B, S, D) -> (B, S, H, d) */
    Tensor *Q = t_view(nn_call(self->W_q, query), batch_size, seq_len, self->num_heads, self->d_k);
    Tensor *K = t_view(nn_call(self->W_k, key), batch_size, seq_len, self->num_heads, self->d_k);
    Tensor *V = t_view(nn_call(self->W_v, value), batch_size, seq_len, self->num_heads, self->d_k);
    /* 2. heads before positions: (B, H, S, d) */
    Q = t_transpose(Q, 1, 2);
    K = t_transpose(K, 1, 2);
    V = t_transpose(V, 1, 2);
    /* 3. one mask for all heads: (B, 1, S, S) */
    if (mask) mask = t_unsqueeze(mask, 1);
    /* 4. heads side by side with the batch: (B * H, S, d) */
    Tensor *Q_reshaped = t_reshape(Q, batch_size * self->num_heads, seq_len, self->d_k);
    Tensor *K_reshaped = t_reshape(K, batch_size * self->num_heads, seq_len, self->d_k);
    Tensor *V_reshaped = t_reshape(V, batch_size * self->num_heads, seq_len, self->d_k);
    if (mask) {
        mask = t_repeat(mask, 1, self->num_heads, 1, 1);
        mask = t_reshape(mask, batch_size * self->num_heads, seq_len, seq_len);
    }
    Tensor *attn_weights;
    Tensor *attn_output =
        scaled_dot_product_attention(Q_reshaped, K_reshaped, V_reshaped, mask, self->dropout, &attn_weights);
    /* 5. apart again: (B, H, S, d) */
    attn_output = t_reshape(attn_output, batch_size, self->num_heads, seq_len, self->d_k);
    attn_weights = t_reshape(attn_weights, batch_size, self->num_heads, seq_len, seq_len);
    /* 6. the heads' features side by side: (B, S, D) */
    attn_output = t_view(t_contiguous(t_transpose(attn_output, 1, 2)), batch_size, seq_len, self->d_model);
    /* 7. the output projection */
    Tensor *output = nn_call(self->W_o, attn_output);
    *weights = attn_weights;
    return output;
}

void cell_3(void) {
    int64_t d_model = 128, num_heads = 4;
    MultiHeadAttention *mha = multi_head_attention(d_model, num_heads, 0.1);
    Tensor *x = t_randn(2, 10, d_model);
    Tensor *weights;
    Tensor *output = multi_head_attention_call(mha, x, x, x, NULL, &weights);
    printf("input shape: %s\n", t_size_repr(x));
    printf("output shape: %s\n", t_size_repr(output));
    printf("attention weights shape: %s\n", t_size_repr(weights));
    printf("parameters: %lld\n", (long long)nn_count_parameters(mha, false));
}

/* ---- 4. position-wise feed-forward network ---- */

typedef struct PositionwiseFeedForward {
    nn_Module base;
    nn_Linear *fc1, *fc2;
    nn_Dropout *dropout;
    nn_ReLU *activation;
} PositionwiseFeedForward;

static Tensor *positionwise_feed_forward_call(PositionwiseFeedForward *self, Tensor *x) {
    x = nn_call(self->fc1, x); /* (B, S, D) -> (B, S, d_ff) */
    x = nn_call(self->activation, x);
    x = nn_call(self->dropout, x);
    x = nn_call(self->fc2, x); /* (B, S, d_ff) -> (B, S, D) */
    return x;
}

static PositionwiseFeedForward *positionwise_feed_forward(int64_t d_model, int64_t d_ff, double dropout) {
    PositionwiseFeedForward *self = nn_module(PositionwiseFeedForward, positionwise_feed_forward_call);
    nn_set(self, fc1, nn_Linear(d_model, d_ff));
    nn_set(self, fc2, nn_Linear(d_ff, d_model));
    nn_set(self, dropout, nn_Dropout(dropout));
    nn_set(self, activation, nn_ReLU());
    return self;
}

void cell_4(void) {
    int64_t d_model = 128, d_ff = 512;
    PositionwiseFeedForward *ffn = positionwise_feed_forward(d_model, d_ff, 0.1);
    Tensor *x = t_randn(2, 10, d_model);
    Tensor *output = nn_call(ffn, x);
    printf("FFN input shape: %s\n", t_size_repr(x));
    printf("FFN output shape: %s\n", t_size_repr(output));
    printf("FFN parameters: %lld\n", (long long)nn_count_parameters(ffn, false));
}

/* ---- 5. positional encoding ---- */

struct PositionalEncoding {
    nn_Module base;
    nn_Dropout *dropout;
    Tensor *pe;
};

static Tensor *positional_encoding_call(PositionalEncoding *self, Tensor *x) {
    int64_t seq_len = t_size(x, 1);
    x = t_add(x, t_at(self->pe, ":, :{}, :", seq_len));
    return nn_call(self->dropout, x);
}

static PositionalEncoding *positional_encoding(int64_t d_model, int64_t max_len, double dropout) {
    PositionalEncoding *self = nn_module(PositionalEncoding, positional_encoding_call);
    nn_set(self, dropout, nn_Dropout(dropout));
    Tensor *pe = t_zeros(max_len, d_model);
    Tensor *position = t_float(t_unsqueeze(t_arange(0, max_len), 1));
    Tensor *div_term = t_exp(t_mul(t_float(t_arange(0, d_model, 2)), -(log(10000.0) / (double)d_model)));
    t_set(pe, ":, 0::2", t_sin(t_mul(position, div_term)));
    t_set(pe, ":, 1::2", t_cos(t_mul(position, div_term)));
    pe = t_unsqueeze(pe, 0); /* (1, max_len, D) */
    nn_register_buffer(self, pe, pe);
    return self;
}

void cell_5(void) {
    int64_t d_model = 128;
    PositionalEncoding *pe_layer = positional_encoding(d_model, 100, 0.1);
    printf("positional encoding shape: %s\n", t_size_repr(pe_layer->pe));
}

/* ---- 6. encoder layer ---- */

typedef struct EncoderLayer {
    nn_Module base;
    MultiHeadAttention *self_attention;
    PositionwiseFeedForward *feed_forward;
    nn_LayerNorm *norm1, *norm2;
    nn_Dropout *dropout1, *dropout2;
} EncoderLayer;

static EncoderLayer *encoder_layer(int64_t d_model, int64_t num_heads, int64_t d_ff, double dropout) {
    EncoderLayer *self = nn_module(EncoderLayer, NULL);
    nn_set(self, self_attention, multi_head_attention(d_model, num_heads, dropout));
    nn_set(self, feed_forward, positionwise_feed_forward(d_model, d_ff, dropout));
    nn_set(self, norm1, nn_LayerNorm(d_model));
    nn_set(self, norm2, nn_LayerNorm(d_model));
    nn_set(self, dropout1, nn_Dropout(dropout));
    nn_set(self, dropout2, nn_Dropout(dropout));
    return self;
}

static Tensor *encoder_layer_call(EncoderLayer *self, Tensor *x, Tensor *mask, Tensor **attn_weights) {
    /* 1. self-attention, normed before (pre-LN), with a residual connection */
    Tensor *normed_x = nn_call(self->norm1, x);
    Tensor *attn_output = multi_head_attention_call(self->self_attention, normed_x, normed_x, normed_x, mask, attn_weights);
    x = t_add(x, nn_call(self->dropout1, attn_output));
    /* 2. feed-forward, likewise */
    normed_x = nn_call(self->norm2, x);
    Tensor *ff_output = nn_call(self->feed_forward, normed_x);
    x = t_add(x, nn_call(self->dropout2, ff_output));
    return x;
}

void cell_6(void) {
    int64_t d_model = 128, num_heads = 4, d_ff = 512;
    EncoderLayer *layer = encoder_layer(d_model, num_heads, d_ff, 0.1);
    Tensor *x = t_randn(2, 10, d_model);
    Tensor *weights;
    Tensor *output = encoder_layer_call(layer, x, NULL, &weights);
    printf("encoder layer input shape: %s\n", t_size_repr(x));
    printf("encoder layer output shape: %s\n", t_size_repr(output));
    printf("attention weights shape: %s\n", t_size_repr(weights));
    printf("encoder layer parameters: %lld\n", (long long)nn_count_parameters(layer, false));
}

/* ---- 7. the encoder ---- */

TransformerEncoder *transformer_encoder(int64_t num_layers, int64_t d_model, int64_t num_heads, int64_t d_ff, int64_t vocab_size,
                                        int64_t max_len, double dropout) {
    TransformerEncoder *self = nn_module(TransformerEncoder, NULL);
    nn_set(self, embedding, nn_Embedding(vocab_size, d_model));
    self->embedding_scale = sqrt((double)d_model);
    nn_set(self, positional_encoding, positional_encoding(d_model, max_len, dropout));
    nn_set(self, layers, nn_ModuleList());
    for_range (_, 0, num_layers) nn_append(self->layers, encoder_layer(d_model, num_heads, d_ff, dropout));
    nn_set(self, final_norm, nn_LayerNorm(d_model));
    self->num_layers = num_layers;
    return self;
}

/* x: (B, S) token ids; mask: (B, S), 0 at padding, or NULL. *attention_weights_list: each layer's (B, H, S, S). */
Tensor *transformer_encoder_call(TransformerEncoder *self, Tensor *x, Tensor *mask, t_TensorList **attention_weights_list) {
    x = t_mul(nn_call(self->embedding, x), self->embedding_scale);
    x = nn_call(self->positional_encoding, x);
    if (mask) {
        int64_t batch_size = t_size(mask, 0), seq_len = t_size(mask, 1);
        mask = t_expand(t_unsqueeze(mask, 1), batch_size, seq_len, seq_len);
    }
    *attention_weights_list = t_list();
    for_module (layer, self->layers) {
        Tensor *attn_weights;
        x = encoder_layer_call(layer, x, mask, &attn_weights);
        t_list_append(*attention_weights_list, attn_weights);
    }
    x = nn_call(self->final_norm, x);
    return x;
}

void cell_7(void) {
    int64_t vocab_size = 1000;
    TransformerEncoder *encoder = transformer_encoder(3, 128, 4, 512, vocab_size, 5000, 0.1);
    Tensor *input_ids = t_randint(0, vocab_size, 2, 15);
    t_TensorList *attn_weights_list;
    Tensor *output = transformer_encoder_call(encoder, input_ids, NULL, &attn_weights_list);
    printf("input shape: %s\n", t_size_repr(input_ids));
    printf("output shape: %s\n", t_size_repr(output));
    printf("model parameters: %s\n", commas(nn_count_parameters(encoder, false)));
}
