/* examples/encoder_from_scratch/attention.c: one attention, several of them side by side, and the two exercises. */
#include <math.h>

#include "encoder_from_scratch.h"

bool fixed;

/* ---- scaled dot-product attention ----
 * A query is compared with every key, and the values are added up, each weighted by how well its key answered:
 * similarity first, weighting second. softmax(q k^T / sqrt(d)) v.
 *
 *     q            (B, H, Sq, d)       score, the weights   (B, H, Sq, Sk): row i is what query i pays to each key
 *     k, v         (B, H, Sk, d)       output               (B, H, Sq, d)
 *
 * Why sqrt(d): a sum of d products spreads like sqrt(d), and softmax of widely spread scores is nearly all 0 and 1,
 * where its gradient is nearly nothing. Divided, the scores spread as much for any d. */

ScaledDotProductAttention *scaled_dot_product_attention(void) {
    ScaledDotProductAttention *self = nn_module(ScaledDotProductAttention, NULL);
    nn_set(self, softmax, nn_Softmax(.dim = -1));
    return self;
}

/* Does a mask say without doubt which of the scores (batch_size, head, queries, keys) it means? PyTorch aligns shapes
 * at their ends: a padding mask (B, S) is silently taken for (Sq, Sk) where B = Sq, a mask (B, S, S) for (H, Sq, Sk)
 * where B = H. */
static bool fits(Tensor *mask, int64_t batch_size, int64_t head, int64_t queries, int64_t keys) {
    const int64_t scores[] = {batch_size, head, queries, keys};
    int64_t dims = t_dim(mask);
    if (dims < 2 || dims > 4) return false;
    for (int64_t dim = 0; dim < dims; dim++)
        if (t_size(mask, dim) != 1 && t_size(mask, dim) != scores[4 - dims + dim]) return false;
    return dims == 4 || t_size(mask, 0) == 1 || t_size(mask, 0) != batch_size;
}

/* The mask, or NULL and an error. The tutorial takes any mask that broadcasts, rightly or wrongly. */
static Tensor *checked(Tensor *mask, int64_t batch_size, int64_t head, int64_t queries, int64_t keys) {
    if (fits(mask, batch_size, head, queries, keys)) return mask;
    return t_fail(
        "a mask of %s does not say which keys it hides from scores of torch.Size([%lld, %lld, %lld, %lld]): give it as "
        "(batch, 1 or heads, 1 or queries, keys)",
        t_size_repr(mask), (long long)batch_size, (long long)head, (long long)queries, (long long)keys);
}

/* mask: (B, 1 or H, 1 or Sq, Sk), 0 hides (of a bool mask: false hides); NULL shows everything. *weights: the score
 * after softmax. The tutorial's forward has an argument e and no use for it. */
Tensor *scaled_dot_product_attention_call(ScaledDotProductAttention *self, Tensor *q, Tensor *k, Tensor *v,
                                          Tensor *mask, double e, Tensor **weights) {
    (void)e;
    int64_t batch_size = t_size(k, 0), head = t_size(k, 1), length = t_size(k, 2), d_tensor = t_size(k, 3);
    /* 1. how well each query fits each key */
    Tensor *k_t = t_transpose(k, 2, 3); /* (B, H, d, Sk) */
    Tensor *score = t_div(t_matmul(q, k_t), sqrt((double)d_tensor));
    /* 2. hide keys. The number is the code's (a remark of the tutorial says -100000): far below any score, and finite,
     * so that a query whose keys are all hidden gets the weights 1 / Sk, where -infinity would give it NaN. */
    if (mask) {
        mask = checked(mask, batch_size, head, t_size(q, 2), length);
        if (t_size(mask, 1) == 1) mask = t_expand(mask, -1, head, -1, -1);
        score = t_masked_fill(score, t_eq(mask, 0), -1e9);
    }
    /* 3. from scores to weights: each row sums to 1 */
    score = nn_call(self->softmax, score);
    /* 4. add up the values */
    Tensor *output = t_matmul(score, v);
    *weights = score;
    return output;
}

/* ---- multi-head attention ----
 * One attention sees the words from one side. H of them, each on its own d of the D features after a learnt linear map,
 * look for H kinds of relation at once (each in a subspace of its own); a last linear map mixes what they found.
 *
 *     q, k, v                    (B, S, D)          attention of the heads   (B, H, S, d)
 *     after linear map and split (B, H, S, d)       put together again       (B, S, D) */

/* In the tutorial view() fails where D is not a multiple of H; here the constructor does. */
MultiHeadAttention *multi_head_attention(int64_t d_model, int64_t n_head) {
    MultiHeadAttention *self = nn_module(MultiHeadAttention, NULL);
    if (n_head < 1 || d_model % n_head != 0)
        return t_fail("d_model must be divisible by n_head (got %lld and %lld)", (long long)d_model, (long long)n_head);
    self->n_head = n_head;
    self->d_model = d_model;
    nn_set(self, attention, scaled_dot_product_attention());
    nn_set(self, w_q, nn_Linear(d_model, d_model));
    nn_set(self, w_k, nn_Linear(d_model, d_model));
    nn_set(self, w_v, nn_Linear(d_model, d_model));
    nn_set(self, w_concat, nn_Linear(d_model, d_model));
    return self;
}

static Tensor *split_heads(MultiHeadAttention *self, Tensor *tensor);
static Tensor *concat_heads(Tensor *tensor);

/* The second exercise asks for this interface in words:
 *   q         (B, Sq, D)  what is asked for
 *   k         (B, Sk, D)  what is on offer, as it wants to be found; Sk may differ from Sq
 *   v         (B, Sk, D)  what is on offer, as it is handed over
 *   mask      (B, 1, Sq, Sk) or NULL: 0 hides a key from a query
 *   returned  (B, Sq, D)  and *weights (B, H, Sq, Sk), what each query paid to each key
 * The tutorial's answer promises both results, its code returns the first alone; *weights is NULL here too without
 * --fixed. */
Tensor *multi_head_attention_call(MultiHeadAttention *self, Tensor *q, Tensor *k, Tensor *v, Tensor *mask,
                                  Tensor **weights) {
    /* 1. linear maps */
    q = nn_call(self->w_q, q);
    k = nn_call(self->w_k, k);
    v = nn_call(self->w_v, v);
    /* 2. split into heads */
    q = split_heads(self, q);
    k = split_heads(self, k);
    v = split_heads(self, v);
    /* 3. attention, head by head */
    Tensor *attention;
    Tensor *out = scaled_dot_product_attention_call(self->attention, q, k, v, mask, 1e-12, &attention);
    /* 4. heads together again */
    out = concat_heads(out);
    /* 5. the last linear map */
    out = nn_call(self->w_concat, out);
    *weights = fixed ? attention : NULL;
    return out;
}

/* (B, S, D) -> (B, H, S, d): the D features of a position are cut into H pieces, and the heads put before the
 * positions. */
static Tensor *split_heads(MultiHeadAttention *self, Tensor *tensor) {
    int64_t batch_size = t_size(tensor, 0), length = t_size(tensor, 1), d_model = t_size(tensor, 2);
    int64_t d_tensor = d_model / self->n_head;
    tensor = t_transpose(t_view(tensor, batch_size, length, self->n_head, d_tensor), 1, 2);
    return tensor;
}

/* (B, H, S, d) -> (B, S, D): the inverse. A transposed view is not contiguous in memory, as view() requires: hence
 * contiguous(), which copies. */
static Tensor *concat_heads(Tensor *tensor) {
    int64_t batch_size = t_size(tensor, 0), n_head = t_size(tensor, 1), length = t_size(tensor, 2),
            d_tensor = t_size(tensor, 3);
    int64_t d_model = n_head * d_tensor;
    tensor = t_view(t_contiguous(t_transpose(tensor, 1, 2)), batch_size, length, d_model);
    return tensor;
}

/* The first exercise: (B, S, D) -> (B, H, S, d). It speaks of a linear map and a reshape; the tutorial's solution is
 * the reshape alone, and so is this one: look_at_weights() in main.c puts the map before it. */
Tensor *transform_heads(Tensor *x, int64_t num_heads, int64_t d_k) {
    int64_t batch_size = t_size(x, 0), seq_len = t_size(x, 1);
    x = t_view(x, batch_size, seq_len, num_heads, d_k);
    Tensor *x_transformed = t_transpose(x, 1, 2);
    return x_transformed;
}
