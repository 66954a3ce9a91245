/* examples/encoder_from_scratch: a Transformer's encoder, taken apart and put together from its smallest piece up ("The
 * Transformer by hand (04): the encoder", tutorial 000): attention.c, layer.c and encoder.c have the classes, this file
 * has the tutorial's demonstrations of each.
 *
 * Difficulty: *     Read first: backprop.c     Read next: attention_page
 *
 * Classes, variables and their order are the tutorial's, functions in snake_case; a variable that would have a
 * function's name has an underscore after it. The tutorial sets no seed; here each demonstration starts from seed 42,
 * and prints what PyTorch prints then. Its modules stay in training mode, so dropout is active; --fixed adds the
 * encoder in eval mode. */
#include "encoder_from_scratch.h"
#include "examples/example.h"

static Example example;

/* ---- scaled dot-product attention ---- */

static void demo_sdpa(void) {
    printf("---- scaled dot-product attention ----\n");
    int64_t batch_size = 2;
    int64_t heads = 4;
    int64_t seq_len = 5;
    int64_t d_v, d_k = d_v = 8;
    Tensor *Q = t_rand(batch_size, heads, seq_len, d_k);
    Tensor *K = t_rand(batch_size, heads, seq_len, d_k);
    Tensor *V = t_rand(batch_size, heads, seq_len, d_v);
    t_print(Q);
    Tensor *mask = t_ones(batch_size, 1, 1, seq_len);
    t_print(mask);
    ScaledDotProductAttention *attn = scaled_dot_product_attention();
    Tensor *score;
    Tensor *output = scaled_dot_product_attention_call(attn, Q, K, V, mask, 1e-12, &score);
    t_print(output);
    t_print(score);
    t_print("output shape:", t_size_repr(output));
    t_print("score shape:", t_size_repr(score));
    /* the weights of the first sample's first head */
    sns_heatmap(t_detach(t_at(score, "0, 0")), .cmap = "viridis", .annot = true);
    plt_title("Attention Weights (Head 1, Sample 1)");
    plt_xlabel("Key Position");
    plt_ylabel("Query Position");
    save_plot(example.plots, "attention_heatmap.svg");
    plt_show();
}

/* ---- multi-head attention ---- */

/* The text advises to print attn_weights[0, 0], the matrix of the first sample's first head. The tutorial's forward
 * does not give the weights away, so its first three steps are taken here once more; --fixed has them from forward. */
static void look_at_weights(MultiHeadAttention *self, Tensor *Q, Tensor *K, Tensor *V, Tensor *attn_weights) {
    if (!fixed) {
        int64_t d_k = self->d_model / self->n_head;
        Tensor *q = transform_heads(nn_call(self->w_q, Q), self->n_head, d_k);
        Tensor *k = transform_heads(nn_call(self->w_k, K), self->n_head, d_k);
        Tensor *v = transform_heads(nn_call(self->w_v, V), self->n_head, d_k);
        scaled_dot_product_attention_call(self->attention, q, k, v, NULL, 1e-12, &attn_weights);
    }
    printf("weights of the first sample's first head:\n");
    t_print(t_at(attn_weights, "0, 0"));
}

static void demo_mha(void) {
    printf("---- multi-head attention ----\n");
    int64_t batch_size = 2;
    int64_t heads = 8;
    int64_t seq_len = 5;
    int64_t d_model = 512;
    Tensor *Q = t_rand(batch_size, seq_len, d_model);
    Tensor *K = t_rand(batch_size, seq_len, d_model);
    Tensor *V = t_rand(batch_size, seq_len, d_model);
    MultiHeadAttention *multi_head_attention_ = multi_head_attention(d_model, heads);
    Tensor *attention;
    Tensor *out = multi_head_attention_call(multi_head_attention_, Q, K, V, NULL, &attention);
    t_print(out); /* (B, S, D) */
    if (fixed) t_print(attention); /* (B, H, S, S), the second result that the tutorial forgets */
    look_at_weights(multi_head_attention_, Q, K, V, attention);
}

/* ---- feed-forward network ---- */

static void demo_ffn(void) {
    Tensor *x = t_randn(32, 10, 512); /* (B, S, D) */
    PositionWiseFeedForward *ff = position_wise_feed_forward(512, 2048, 0.1);
    Tensor *output = nn_call(ff, x);
    t_print("feed-forward output shape:", t_size_repr(output));
}

/* ---- encoder layer ---- */

static void demo_encoder_layer(void) {
    printf("---- encoder layer ----\n");
    int64_t batch_size = 32;
    int64_t seq_len = 10;
    int64_t n_heads = 8;
    int64_t d_model = 512;
    int64_t ffn_hidden = 2048;
    double dropout = 0.1;
    EncoderLayer *encoder_layer_ = encoder_layer(d_model, n_heads, ffn_hidden, dropout);
    Tensor *x = t_randn(batch_size, seq_len, d_model);
    Tensor *s_mask = t_ones(batch_size, 1, 1, seq_len);
    /* a view with strides of 0: B * S elements in memory */
    s_mask = t_expand(s_mask, batch_size, n_heads, seq_len, seq_len);
    Tensor *output = nn_call(encoder_layer_, x, s_mask);
    printf("%s\n", t_size_repr(output)); /* (B, S, D), as it came */
    printf("the encoder layer works\n");
}

/* ---- the whole encoder ---- */

static void demo_encoder(void) {
    printf("---- encoder ----\n");
    int64_t batch_size = 32;
    int64_t seq_len = 10;
    int64_t n_heads = 8;
    int64_t d_model = 512;
    int64_t ffn_hidden = 2048;
    double dropout = 0.1;
    int64_t enc_voc_size = 10000;
    int64_t max_len = 1000;
    int64_t n_layers = 6;
    Encoder *encoder_ = encoder(enc_voc_size, max_len, d_model, ffn_hidden, n_heads, n_layers, dropout);
    Tensor *x = t_randint(0, enc_voc_size, batch_size, seq_len);
    Tensor *s_mask = t_ones(batch_size, 1, 1, seq_len);
    s_mask = t_expand(s_mask, batch_size, n_heads, seq_len, seq_len);
    Tensor *output = nn_call(encoder_, x, s_mask);
    t_print("encoder output shape:", t_size_repr(output));
    printf("encoder output:\n");
    t_print(output);
    if (fixed) {
        printf("encoder output in eval mode:\n");
        nn_eval(encoder_);
        t_print(nn_call(encoder_, x, s_mask));
    }
}

/* ---- the exercise ---- */

static void exercise(void) {
    Tensor *x = t_randn(2, 5, 16);
    t_print("heads of the exercise:", t_size_repr(transform_heads(x, 4, 4)));
}

int main(int argc, char **argv) {
    void (*const parts[])(void) = {demo_sdpa, demo_mha, demo_ffn, demo_encoder_layer, demo_encoder, exercise};
    example = example_options(argc, argv, "a Transformer's encoder from scratch, piece by piece");
    fixed = example.fixed;
    for_range (i, 0, 6) {
        t_manual_seed(42);
        parts[i]();
    }
    return 0;
}
