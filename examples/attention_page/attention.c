/* examples/attention_page/attention.c: the page's chapter 2: attention, several heads of it, positional encoding. */
#include <math.h>

#include "attention_page.h"

Example example;
bool fixed;

/* ---- 2.1 scaled dot-product attention: softmax(Q K^T / sqrt(d)) V ---- */

Tensor *scaled_dot_product_attention(Tensor *Q, Tensor *K, Tensor *V, Tensor *mask, Tensor **attention_weights) {
    int64_t d_k = t_size(Q, -1);
    /* (B, H, Sq, d) by (B, H, d, Sk) -> (B, H, Sq, Sk) */
    Tensor *scores = t_div(t_matmul(Q, t_transpose(K, -2, -1)), sqrt((double)d_k));
    /* where the mask is 0 nothing is to be seen (a decoder's future, say) */
    if (mask) scores = t_masked_fill(scores, t_eq(mask, 0), -1e9);
    *attention_weights = F_softmax(scores, -1);
    /* (B, H, Sq, Sk) by (B, H, Sk, d) -> (B, H, Sq, d) */
    Tensor *output = t_matmul(*attention_weights, V);
    return output;
}

Tensor *demo_1(Tensor **weights) {
    int64_t batch_size = 2, heads = 8, seq_len = 10, d_k = 64;
    Tensor *Q = t_randn(batch_size, heads, seq_len, d_k);
    Tensor *K = t_randn(batch_size, heads, seq_len, d_k);
    Tensor *V = t_randn(batch_size, heads, seq_len, d_k);
    Tensor *output = scaled_dot_product_attention(Q, K, V, NULL, weights);
    t_print("output shape:", t_size_repr(output));
    t_print("attention weights shape:", t_size_repr(*weights));
    return output;
}

/* ---- 2.2 multi-head attention ---- */

MultiHeadAttention *multi_head_attention(int64_t d_model, int64_t num_heads) {
    MultiHeadAttention *self = nn_module2(MultiHeadAttention, multi_head_attention_call);
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

Tensor *multi_head_attention_call(MultiHeadAttention *self, Tensor *x, Tensor *mask) {
    int64_t batch_size = t_size(x, 0);
    /* project: (B, S, D) */
    Tensor *Q = nn_call(self->W_q, x);
    Tensor *K = nn_call(self->W_k, x);
    Tensor *V = nn_call(self->W_v, x);
    /* split the features into heads, and put heads before positions: (B, H, S, d) */
    Q = t_transpose(t_view(Q, batch_size, -1, self->num_heads, self->d_k), 1, 2);
    K = t_transpose(t_view(K, batch_size, -1, self->num_heads, self->d_k), 1, 2);
    V = t_transpose(t_view(V, batch_size, -1, self->num_heads, self->d_k), 1, 2);
    Tensor *_;
    Tensor *attn_output = scaled_dot_product_attention(Q, K, V, mask, &_);
    nn_keep(self, weights, t_detach(_)); /* not the page's, which drops them: so that model_attention.c can draw them */
    /* the heads' features side by side again: (B, S, D) */
    attn_output = t_contiguous(t_transpose(attn_output, 1, 2));
    attn_output = t_view(attn_output, batch_size, -1, self->d_model);
    Tensor *output = nn_call(self->W_o, attn_output);
    return output;
}

Tensor *demo_2(void) {
    int64_t d_model = 512, num_heads = 8;
    MultiHeadAttention *mha = multi_head_attention(d_model, num_heads);
    Tensor *x = t_randn(2, 10, d_model);
    Tensor *output = multi_head_attention_call(mha, x, NULL);
    t_print("multi-head attention, output shape:", t_size_repr(output));
    return output;
}

/* ---- 2.3 positional encoding: pe[p, 2i] = sin(p / 10000^(2i/D)), pe[p, 2i + 1] = cos(p / 10000^(2i/D)) ---- */

PositionalEncoding *positional_encoding(int64_t d_model, int64_t max_len) {
    PositionalEncoding *self = nn_module(PositionalEncoding, positional_encoding_call);
    Tensor *pe = t_zeros(max_len, d_model);
    Tensor *position = t_unsqueeze(t_to(t_arange(0, max_len), t_float32), 1); /* (max_len, 1) */
    Tensor *div_term = t_exp(t_mul(t_float(t_arange(0, d_model, 2)), -log(10000.0) / (double)d_model)); /* (D / 2,) */
    t_set(pe, ":, 0::2", t_sin(t_mul(position, div_term)));
    t_set(pe, ":, 1::2", t_cos(t_mul(position, div_term)));
    pe = t_unsqueeze(pe, 0); /* (1, max_len, D) */
    nn_register_buffer(self, pe, pe);
    return self;
}

Tensor *positional_encoding_call(PositionalEncoding *self, Tensor *x) {
    x = t_add(x, t_at(self->pe, ":, :{}, :", t_size(x, 1))); /* (B, S, D) + (1, S, D) */
    return x;
}

PositionalEncoding *demo_3(void) {
    PositionalEncoding *pe = positional_encoding(128, 100);
    plt_figure(.figsize = {12, 6});
    plt_imshow(t_t(t_at(pe->pe, "0, :, :")), .aspect = "auto", .cmap = "viridis");
    plt_xlabel("Position");
    plt_ylabel("Dimension");
    plt_title("Positional Encoding Visualization");
    plt_colorbar();
    savefig("positional_encoding.svg", 100, "tight");
    plt_close();
    return pe;
}
