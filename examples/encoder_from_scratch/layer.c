/* examples/encoder_from_scratch/layer.c: the feed-forward network, the norm, and the layer that joins them with
 * attention. */
#include "encoder_from_scratch.h"

/* ---- position-wise feed-forward network ----
 * Attention mixes positions but is only a weighted mean; what is done to the features of a position, and all that is
 * not linear, is done here, for each position by itself and with the same weights: (B, S, D) -> (B, S, hidden_dim) ->
 * (B, S, D). hidden_dim is four times D in the paper (2048 for 512): up into a wide space, where ReLU has much to
 * choose from, and down again. */

static Tensor *position_wise_feed_forward_call(PositionWiseFeedForward *self, Tensor *x);

PositionWiseFeedForward *position_wise_feed_forward(int64_t d_model, int64_t hidden_dim, double dropout) {
    PositionWiseFeedForward *self = nn_module(PositionWiseFeedForward, position_wise_feed_forward_call);
    nn_set(self, linear1, nn_Linear(d_model, hidden_dim));
    nn_set(self, dropout, nn_Dropout(dropout));
    nn_set(self, linear2, nn_Linear(hidden_dim, d_model));
    nn_set(self, relu, nn_ReLU());
    return self;
}

static Tensor *position_wise_feed_forward_call(PositionWiseFeedForward *self, Tensor *x) {
    x = nn_call(self->linear1, x);
    x = nn_call(self->relu, x);
    x = nn_call(self->dropout, x);
    x = nn_call(self->linear2, x);
    return x;
}

/* ---- layer norm (supplied: the tutorial imports it) ----
 * The D features of each token are shifted to mean 0 and scaled to variance 1, then scaled by gamma and shifted by
 * beta, which are learnt: so the numbers stay in one range however many layers there are. The variance is the biased
 * one; eps, 1e-12, is inside the root. */

static Tensor *layer_norm_call(LayerNorm *self, Tensor *x);

LayerNorm *layer_norm(int64_t d_model, double eps) {
    LayerNorm *self = nn_module(LayerNorm, layer_norm_call);
    nn_set(self, gamma, nn_Parameter(t_ones(d_model)));
    nn_set(self, beta, nn_Parameter(t_zeros(d_model)));
    self->eps = eps;
    return self;
}

static Tensor *layer_norm_call(LayerNorm *self, Tensor *x) {
    Tensor *mu = t_mean(x, -1, .keepdim = true);
    Tensor *var = t_var(x, -1, .correction = 0, .keepdim = true);
    return t_add(t_mul(self->gamma, t_div(t_sub(x, mu), t_sqrt(t_add(var, self->eps)))), self->beta);
}

/* ---- encoder layer ----
 * x -> norm1(x + dropout(attention(x))) -> norm2(x + dropout(ffn(x))): norms after the sums (post-norm).
 * The sum with x (residual connection) gives the gradient a way past each block, so that it does not die away in a deep
 * stack; the norm keeps what is summed in range. One such layer is one round of all tokens looking at each other. */

/* The tutorial's LayerNorm is the class above; --fixed takes nn.LayerNorm, whose eps is 1e-5. On data of unit scale the
 * results differ by about 1.5e-5. */
EncoderLayer *encoder_layer(int64_t d_model, int64_t n_heads, int64_t ffn_hidden, double dropout) {
    EncoderLayer *self = nn_module2(EncoderLayer, encoder_layer_call);
    nn_set(self, attention, multi_head_attention(d_model, n_heads));
    nn_set(self, norm1, fixed ? (void *)nn_LayerNorm(d_model) : layer_norm(d_model, 1e-12));
    nn_set(self, dropout1, nn_Dropout(dropout));
    nn_set(self, ffn, position_wise_feed_forward(d_model, ffn_hidden, dropout));
    nn_set(self, norm2, fixed ? (void *)nn_LayerNorm(d_model) : layer_norm(d_model, 1e-12));
    nn_set(self, dropout2, nn_Dropout(dropout));
    return self;
}

/* (B, S, D) -> (B, S, D). The tutorial loses the weights of the attention; --fixed leaves them in last_attention. */
Tensor *encoder_layer_call(EncoderLayer *self, Tensor *x, Tensor *s_mask) {
    /* 1. self-attention: queries, keys and values are all x */
    Tensor *_x = x;
    Tensor *attention;
    x = multi_head_attention_call(self->attention, x, x, x, s_mask, &attention);
    if (fixed) nn_keep(self, last_attention, t_detach(attention));
    /* 2. add and norm */
    x = nn_call(self->dropout1, x);
    x = nn_call(self->norm1, t_add(x, _x));
    /* 3. feed-forward */
    _x = x;
    x = nn_call(self->ffn, x);
    /* 4. add and norm */
    x = nn_call(self->dropout2, x);
    x = nn_call(self->norm2, t_add(x, _x));
    return x;
}
