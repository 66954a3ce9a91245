/* examples/lessons/09_attention/grade.c: compares with the library's attention and its gradients. */
#include "grader.h"
#include SUBMISSION

#define ATTENTION "F_scaled* nn_Multi* nn_Transformer*"
#define TAPE "t_backward* t_autograd* for_backward t_grad"

/* Sizes that differ, so that a transposition is seen. */
typedef struct Sizes {
    int B, T, S, d;
} Sizes;

static Sizes draw_sizes(void) {
    Sizes n = {draw_integer(2, 3), draw_integer(4, 5), draw_integer(6, 7), draw_integer(8, 10)};
    in_case("q (%d, %d, %d), k (%d, %d, %d)", n.B, n.T, n.d, n.B, n.S, n.d);
    return n;
}

/* The library's weights: its attention on values that are the identity. */
static Tensor *library_weights(Tensor *q, Tensor *k, Tensor *visible) {
    Tensor *identity = t_expand(t_eye(t_size(k, 1)), t_size(k, 0), t_size(k, 1), t_size(k, 1));
    return F_scaled_dot_product_attention(q, k, identity, .attn_mask = visible);
}

static void check_scores(void) {
    for (int i = 0; i < 2; i++) {
        Sizes n = draw_sizes();
        Tensor *q = draw_normal(n.B, n.T, n.d), *k = draw_normal(n.B, n.S, n.d);
        Tensor *scores = attention_scores(q, k);
        expect_close("scores", scores, t_div(t_einsum("btd,bsd->bts", q, k), sqrt(n.d)));
    }
}

static void check_weights(void) {
    Sizes n = draw_sizes();
    Tensor *q = draw_normal(n.B, n.T, n.d), *k = draw_normal(n.B, n.S, n.d);
    Tensor *scores = t_div(t_einsum("btd,bsd->bts", q, k), sqrt(n.d));
    expect_close("weights", attention_weights(scores, NULL), library_weights(q, k, NULL));
}

static void check_masked_weights(void) {
    Sizes n = draw_sizes();
    Tensor *q = draw_normal(n.B, n.T, n.d), *k = draw_normal(n.B, n.S, n.d), *visible = t_gt(draw_normal(n.T, n.S), 0);
    t_set(visible, ":, 0", t_ones(n.T, .dtype = t_bool));  /* each query sees something, */
    t_set(visible, ":, 1", t_zeros(n.T, .dtype = t_bool)); /* and none sees all */
    Tensor *scores = t_div(t_einsum("btd,bsd->bts", q, k), sqrt(n.d));
    expect_close("weights", attention_weights(scores, visible), library_weights(q, k, visible));
}

static void check_backward(void) {
    for (int i = 0; i < 2; i++) {
        Sizes n = draw_sizes();
        Tensor *q = t_requires_grad_(draw_normal(n.B, n.T, n.d), true),
               *k = t_requires_grad_(draw_normal(n.B, n.S, n.d), true);
        Tensor *v = t_requires_grad_(draw_normal(n.B, n.S, n.d), true), *dy = draw_normal(n.B, n.T, n.d);
        t_backward(F_scaled_dot_product_attention(q, k, v), dy);
        Tensor *a = t_detach(q), *b = t_detach(k), *w = library_weights(a, b, NULL);
        AttentionGradients g = attention_backward(a, b, t_detach(v), w, dy);
        expect_close("dv", g.dv, t_grad(v));
        expect_close("dq", g.dq, t_grad(q));
        expect_close("dk", g.dk, t_grad(k));
    }
}

static void check_split(void) {
    int B = draw_integer(2, 3), T = draw_integer(4, 5), heads = draw_integer(2, 3), d = draw_integer(6, 7);
    Tensor *x = draw_normal(B, T, heads * d);
    in_case("x (%d, %d, %d), %d heads", B, T, heads * d, heads);
    Tensor *expected = t_contiguous(t_permute(t_reshape(x, B, T, heads, d), 0, 2, 1, 3));
    expect_close("heads", split_heads(x, heads), expected);
}

static void check_merge(void) {
    int B = draw_integer(2, 3), T = draw_integer(4, 5), heads = draw_integer(2, 3), d = draw_integer(6, 7);
    Tensor *x = draw_normal(B, heads, T, d);
    in_case("x (%d, %d, %d, %d)", B, heads, T, d);
    expect_close("features", merge_heads(x), t_reshape(t_permute(x, 0, 2, 1, 3), B, T, heads * d));
}

static void check_entropy(void) {
    int S = draw_integer(3, 8);
    in_case("weights (2, 4, %d)", S);
    Tensor *w = t_softmax(t_mul(draw_normal(2, 4, S), 2), -1);
    double expected = -t_item(t_sum(t_mul(w, t_log(w)))) / 8;
    double got = attention_entropy(w);
    expect_true(fabs(got - expected) <= 1e-4 * expected, "the entropy is %.6g, expected %.6g", got, expected);
    in_case("weights (2, %d, %d)", S, S);
    got = attention_entropy(t_expand(t_eye(S), 2, S, S));
    expect_true(fabs(got) < 1e-5, "the entropy of weights 0 and 1 is %.6g, expected 0", got);
}

static const Check checks[] = {
    {"attention_scores", 3, check_scores, .forbidden = ATTENTION},
    {"attention_weights", 3, check_weights, .forbidden = ATTENTION},
    {"attention_weights_masked", 2, check_masked_weights, .function = "attention_weights", .forbidden = ATTENTION},
    {"attention_backward", 5, check_backward, .forbidden = TAPE " " ATTENTION},
    {"split_heads", 2, check_split},
    {"merge_heads", 2, check_merge},
    {"attention_entropy", 2, check_entropy, .forbidden = "t_special_entr*"},
};
GRADE("09 attention", checks)
