/* examples/notebook/attention.c: cells 2 and 3, one attention and several heads of it.
 *
 * Shapes: B batch_size, Sq and Sk the lengths of queries and keys (S where they are equal), H num_heads, d d_k, D
 * d_model. */
#include <math.h>

#include "notebook.h"

Example example;
bool fixed;

/* ---- 2. scaled dot-product attention ---- */

Tensor *scaled_dot_product_attention(Tensor *query, Tensor *key, Tensor *value, Tensor *mask, nn_Dropout *dropout,
                                     Tensor **attention_weights) {
    int64_t d_k = t_size(query, -1);
    /* (B, Sq, d) by (B, d, Sk) -> (B, Sq, Sk) */
    Tensor *scores = t_div(t_matmul(query, t_transpose(key, -2, -1)), sqrt((double)d_k));
    if (mask) scores = t_masked_fill(scores, t_eq(mask, 0), -1e9);
    *attention_weights = F_softmax(scores, -1);
    Tensor *undropped = *attention_weights;
    if (dropout) *attention_weights = nn_call(dropout, *attention_weights);
    /* (B, Sq, Sk) by (B, Sk, d) -> (B, Sq, d) */
    Tensor *output = t_matmul(*attention_weights, value);
    /* The notebook gives back the weights after the dropout: in training mode their rows do not sum to 1. --fixed gives
     * back those before it. */
    if (fixed) *attention_weights = undropped;
    return output;
}

void cell_2(void) {
    int64_t batch_size = 2, seq_len = 4, d_k = 8;
    Tensor *query = t_randn(batch_size, seq_len, d_k);
    Tensor *key = t_randn(batch_size, seq_len, d_k);
    Tensor *value = t_randn(batch_size, seq_len, d_k);
    Tensor *weights;
    Tensor *output = scaled_dot_product_attention(query, key, value, NULL, NULL, &weights);
    t_print("query shape:", t_size_repr(query));
    t_print("output shape:", t_size_repr(output));
    t_print("attention weights shape:", t_size_repr(weights));
    t_print("attention weights summed:", t_str(t_sum(t_at(weights, "0"), -1)));
}

/* ---- 3. multi-head attention ----
 * The notebook's summary speaks of heads that share parameters. They share none: each has its own features of W_q, W_k,
 * W_v. */

MultiHeadAttention *multi_head_attention(int64_t d_model, int64_t num_heads, double dropout) {
    MultiHeadAttention *self = nn_module(MultiHeadAttention, NULL);
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
    nn_set(self, dropout, nn_Dropout(dropout));
    return self;
}

Tensor *multi_head_attention_call(MultiHeadAttention *self, Tensor *query, Tensor *key, Tensor *value, Tensor *mask,
                                  Tensor **weights) {
    int64_t batch_size = t_size(query, 0), seq_len = t_size(query, 1);
    /* The notebook counts the queries and takes that for the keys and values too, so that attention to a sequence of
     * another length is refused: "shape '[2, 10, 4, 32]' is invalid for input of size 1792". --fixed takes the length
     * of the keys. */
    int64_t len_k = fixed ? t_size(key, 1) : seq_len;
    /* 1. project, and split the features into heads: (B, S, D) -> (B, S, H, d) */
    Tensor *Q = t_view(nn_call(self->W_q, query), batch_size, seq_len, self->num_heads, self->d_k);
    Tensor *K = t_view(nn_call(self->W_k, key), batch_size, len_k, self->num_heads, self->d_k);
    Tensor *V = t_view(nn_call(self->W_v, value), batch_size, len_k, self->num_heads, self->d_k);
    /* 2. heads before positions: (B, H, S, d) */
    Q = t_transpose(Q, 1, 2);
    K = t_transpose(K, 1, 2);
    V = t_transpose(V, 1, 2);
    /* 3. one mask for all heads: (B, 1, Sq, Sk). The notebook wants (B, Sq, Sk); a mask of all samples, (Sq, Sk) or
     * (1, Sq, Sk), which its cell 2 takes, it refuses here. --fixed takes both. */
    if (fixed && mask) mask = t_expand(mask, batch_size, seq_len, len_k);
    if (mask) mask = t_unsqueeze(mask, 1);
    /* 4. heads side by side with the batch: (B * H, S, d) */
    Tensor *Q_reshaped = t_reshape(Q, batch_size * self->num_heads, seq_len, self->d_k);
    Tensor *K_reshaped = t_reshape(K, batch_size * self->num_heads, len_k, self->d_k);
    Tensor *V_reshaped = t_reshape(V, batch_size * self->num_heads, len_k, self->d_k);
    if (mask) {
        mask = t_repeat(mask, 1, self->num_heads, 1, 1);
        mask = t_reshape(mask, batch_size * self->num_heads, seq_len, len_k);
    }
    Tensor *attn_weights;
    Tensor *attn_output =
        scaled_dot_product_attention(Q_reshaped, K_reshaped, V_reshaped, mask, self->dropout, &attn_weights);
    /* 5. apart again: (B, H, S, d) */
    attn_output = t_reshape(attn_output, batch_size, self->num_heads, seq_len, self->d_k);
    attn_weights = t_reshape(attn_weights, batch_size, self->num_heads, seq_len, len_k);
    /* 6. the heads' features side by side: (B, S, D) */
    attn_output = t_view(t_contiguous(t_transpose(attn_output, 1, 2)), batch_size, seq_len, self->d_model);
    /* 7. the output projection */
    Tensor *output = nn_call(self->W_o, attn_output);
    *weights = attn_weights;
    return output;
}

/* A new module is in training mode, here and in cells 4, 6 and 7: dropout is at work in what they compute. */
void cell_3(void) {
    int64_t d_model = 128, num_heads = 4;
    MultiHeadAttention *mha = multi_head_attention(d_model, num_heads, 0.1);
    Tensor *x = t_randn(2, 10, d_model);
    Tensor *weights;
    Tensor *output = multi_head_attention_call(mha, x, x, x, NULL, &weights);
    t_print("input shape:", t_size_repr(x));
    t_print("output shape:", t_size_repr(output));
    t_print("attention weights shape:", t_size_repr(weights));
    t_print("parameters:", nn_count_parameters(mha, false));
}
