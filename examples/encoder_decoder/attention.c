/* examples/encoder_decoder/attention.c: what the tutorial takes from the article before it: attention and the
 * feed-forward network, supplied here in the form that its calls ask for (no arguments; sizes from the globals). */
#include <math.h>

#include "encoder_decoder.h"

int64_t d_model = 512, n_heads = 8, d_ff = 2048, n_layers = 6, max_len = 5000;
double p_drop = 0.1;
bool fixed;

void configure(Sizes sizes) {
    d_model = sizes.d_model;
    n_heads = sizes.n_heads;
    d_ff = sizes.d_ff;
    n_layers = sizes.n_layers;
    max_len = sizes.max_len;
    p_drop = sizes.p_drop;
}

/* ---- softmax(q k^T / sqrt(d)) v ---- */

ScaledDotProductAttention *scaled_dot_product_attention(void) {
    return nn_module(ScaledDotProductAttention, NULL);
}

/* q: (B, H, Sq, d), k and v: (B, H, Sk, d); mask: bool, broadcast over (B, H, Sq, Sk), true hides, or NULL.
 * Returns (B, H, Sq, d); *weights: (B, H, Sq, Sk). */
Tensor *scaled_dot_product_attention_call(ScaledDotProductAttention *self, Tensor *q, Tensor *k, Tensor *v,
                                          Tensor *mask, Tensor **weights) {
    Tensor *score = t_div(t_matmul(q, t_transpose(k, -2, -1)), sqrt((double)t_size(q, -1)));
    Tensor *dead = NULL;
    if (mask) {
        /* The tutorial hides by a score of -inf. Of a row with nothing but -inf softmax makes 0 / 0: NaN, which spreads
         * to all that depends on it. --fixed leaves such rows alone here and sets their weights to 0 below: the output
         * is then 0 and no gradient comes through. */
        if (fixed) {
            dead = t_all(mask, -1, .keepdim = true);
            score = t_masked_fill(score, t_logical_and(mask, t_logical_not(dead)), -INFINITY);
        } else {
            score = t_masked_fill(score, mask, -INFINITY);
        }
    }
    Tensor *attention = t_softmax(score, -1);
    if (dead) attention = t_masked_fill(attention, dead, 0.0);
    nn_keep(self, weights, attention);
    *weights = attention;
    return t_matmul(attention, v);
}

/* ---- several heads ---- */

MultiHeadAttention *multi_head_attention(void) {
    MultiHeadAttention *self = nn_module(MultiHeadAttention, NULL);
    if (n_heads < 1 || d_model % n_heads != 0)
        return t_fail("d_model must be divisible by n_heads (got %lld and %lld)", (long long)d_model,
                      (long long)n_heads);
    nn_set(self, w_q, nn_Linear(d_model, d_model));
    nn_set(self, w_k, nn_Linear(d_model, d_model));
    nn_set(self, w_v, nn_Linear(d_model, d_model));
    nn_set(self, w_o, nn_Linear(d_model, d_model));
    nn_set(self, attention, scaled_dot_product_attention());
    return self;
}

/* q: (B, Sq, D), k and v: (B, Sk, D): the lengths differ where the decoder looks at the encoder's output.
 * Returns (B, Sq, D); *weights: (B, H, Sq, Sk). */
Tensor *multi_head_attention_call(MultiHeadAttention *self, Tensor *q, Tensor *k, Tensor *v, Tensor *mask,
                                  Tensor **weights) {
    int64_t b = t_size(q, 0), d_k = d_model / n_heads;
    /* (B, S, D) -> (B, H, S, d) */
    q = t_transpose(t_view(nn_call(self->w_q, q), b, t_size(q, 1), n_heads, d_k), 1, 2);
    k = t_transpose(t_view(nn_call(self->w_k, k), b, t_size(k, 1), n_heads, d_k), 1, 2);
    v = t_transpose(t_view(nn_call(self->w_v, v), b, t_size(v, 1), n_heads, d_k), 1, 2);
    Tensor *out = scaled_dot_product_attention_call(self->attention, q, k, v, mask, weights);
    out = t_view(t_contiguous(t_transpose(out, 1, 2)), b, -1, d_model); /* the heads side by side again */
    return nn_call(self->w_o, out);
}

/* ---- the feed-forward network ---- */

FeedForwardNetwork *feed_forward_network(void) {
    FeedForwardNetwork *self = nn_module(FeedForwardNetwork, feed_forward_network_call);
    nn_set(self, linear_1, nn_Linear(d_model, d_ff));
    nn_set(self, relu, nn_ReLU());
    nn_set(self, linear_2, nn_Linear(d_ff, d_model));
    return self;
}

/* x: (B, S, D); each position by itself, through d_ff features and back. */
Tensor *feed_forward_network_call(FeedForwardNetwork *self, Tensor *x) {
    return nn_call(self->linear_2, nn_call(self->relu, nn_call(self->linear_1, x)));
}
