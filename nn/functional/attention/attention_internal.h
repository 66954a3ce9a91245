/* nn/functional/attention/attention_internal.h: attention without storing its weights, for
 * F.scaled_dot_product_attention and the attention modules (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_FUSED_ATTENTION_H
#define TAPEGRAD_NN_FUNCTIONAL_FUSED_ATTENTION_H

#include "core/kernels/attention/attention.h"
#include "core/autograd/tape.h"
#include "nn/functional/attention/attention.h"

/* A mask as bits: a row of 64-bit words for each (batch, head, query); strides in words, 0 where the size is 1. */
typedef struct tg_MaskBits {
    Tensor *bits; /* NULL: no mask */
    int64_t batch, head, row;
    bool has_invalid;   /* an element that is neither 0 nor 1 */
    bool has_fully_masked; /* a fully masked row: a query whose keys are all masked out */
} tg_MaskBits;

/* Reads a mask of four dims, each 1 or that of the scores, in one pass; a key takes part where the mask is `shown`.
 * False with an error set if memory runs out. */
bool tg_read_mask_bits(tg_MaskBits *mask_bits, const Tensor *mask, int64_t keys, bool shown);

typedef struct tg_AttentionOptions {
    double scale, dropout_p;     /* dropout_p: 0 for none, less than 1 */
    bool causal, zero_when_blind; /* see kernels/attention/attention.h */
    bool contiguous; /* y is contiguous, instead of having q's memory layout */
    bool shares_y; /* y may be modified in place before the backward, where PyTorch's path does not save it */
    tg_MaskBits mask_bits;
    Tensor *bias; /* NULL, or of four dims, each 1 or that of the scores, without a gradient */
} tg_AttentionOptions;

/* True if tg_attend supports these: (batch, heads, queries, d), twice (batch, heads that divide those, keys, d), not
 * empty, d not too large. Everything else is for the composed ops, which also set the errors. */
bool tg_can_attend(const Tensor *q, const Tensor *k, const Tensor *v);

/* (..., h, S, E) -> (..., H, S, E), composed of ops: each head is repeated H / h times in a row. */
Tensor *tg_repeat_heads(Tensor *x, int64_t heads);

/* softmax(q k^T scale + bias) v with dropout on the weights: (batch, heads, queries, d), in q's memory layout
 * (torch.empty_like), as in PyTorch's fused CPU kernel. Random numbers are drawn for all weights in the order (batch,
 * head, query, key), and none if the call fails. */
Tensor *tg_attend(Tensor *q, Tensor *k, Tensor *v, const tg_AttentionOptions *how);

/* F_scaled_dot_product_attention on checked arguments (scaled_dot_product_attention.c). nan_if_masked: a fully masked
 * row gives NaN, as softmax does, instead of 0. *weights, if given, gets the weights after their dropout. */
Tensor *tg_scaled_dot_product(Tensor *q, Tensor *k, Tensor *v, const F_AttentionOptions *o, bool blind_is_nan,
                              Tensor **weights);

/* ---- with projections (multi_head_attention_forward.c) ---- */

/* The arguments of F_multi_head_attention_forward. */
typedef struct tg_MultiHead {
    int64_t embed_dim, num_heads;
    Tensor *in_proj_weight, *in_proj_bias, *bias_k, *bias_v, *out_proj_weight, *out_proj_bias;
    bool add_zero_attn;
    double dropout_p;
    F_MultiHeadAttentionOptions o; /* o.weights is set even without need_weights */
    bool batch_first;
    bool contiguous; /* with batch_first the result is contiguous (PyTorch's is a transposed view of (L, N, E)) */
} tg_MultiHead;
Tensor *tg_multi_head(Tensor *query, Tensor *key, Tensor *value, const tg_MultiHead *m);
bool tg_check_mask(const Tensor *mask, const char *name); /* bool or floating, or NULL */

#endif
