/* nn/functional/fused_attention.h: attention without its weights in memory, for the function and the module (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_FUSED_ATTENTION_H
#define TAPEGRAD_NN_FUNCTIONAL_FUSED_ATTENTION_H

#include "core/kernels/attention/attention.h"
#include "core/autograd/tape.h"
#include "nn/functional/functional.h"

/* A mask as bits, a row of 64-bit words for each of its (batch, head, query); strides in words, 0 where its size is 1. */
typedef struct tg_Sight {
    Tensor *bits; /* NULL: every key is seen */
    int64_t batch, head, row;
    bool has_odd;   /* an element that is neither 0 nor 1 */
    bool has_blind; /* a query that sees no key */
} tg_Sight;

/* Reads a mask of four dims, each 1 or that of the scores, in one pass; a key is seen where it holds `shown`. False with an error
 * set where memory is short. */
bool tg_read_sight(tg_Sight *sight, const Tensor *mask, int64_t keys, bool shown);

typedef struct tg_AttentionHow {
    double scale, dropout_p;     /* dropout_p: 0 for none, less than 1 */
    bool causal, zero_when_blind; /* see kernels/attention/attention.h */
    bool contiguous; /* y is contiguous, instead of in q's memory layout */
    bool lends_y; /* where PyTorch takes another way, y may be written to before the backward */
    tg_Sight sight;
    Tensor *bias; /* NULL, or of four dims, each 1 or that of the scores, without a gradient */
} tg_AttentionHow;

/* Can tg_attend take these? (batch, heads, queries, d), twice (batch, heads that divide those, keys, d), nothing empty, d not too
 * large. Everything else is for the composed ops, which word the errors, too. */
bool tg_can_attend(const Tensor *q, const Tensor *k, const Tensor *v);

/* (..., h, S, E) -> (..., H, S, E), in ops: each head stands H / h times in a row. */
Tensor *tg_repeat_heads(Tensor *x, int64_t heads);

/* softmax(q k^T scale + bias) v with dropout on the weights: (batch, heads, queries, d), in memory like q
 * (torch.empty_like), as PyTorch's fused kernel for CPU has it. The generator is asked for all weights in the order
 * (batch, head, query, key), and not at all if the call fails. */
Tensor *tg_attend(Tensor *q, Tensor *k, Tensor *v, const tg_AttentionHow *how);

/* F_scaled_dot_product_attention on arguments that were checked (scaled_dot_product_attention.c), for its callers here, which may ask for
 * more: `blind_is_nan`, what softmax makes of a query that sees no key, and the weights, after their dropout. */
Tensor *tg_scaled_dot_product(Tensor *q, Tensor *k, Tensor *v, const F_AttentionOptions *o, bool blind_is_nan, Tensor **weights);

/* ---- with projections (multi_head_attention_forward.c) ---- */

/* The arguments of F_multi_head_attention_forward. */
typedef struct tg_MultiHead {
    int64_t embed_dim, num_heads;
    Tensor *in_proj_weight, *in_proj_bias, *bias_k, *bias_v, *out_proj_weight, *out_proj_bias;
    bool add_zero_attn;
    double dropout_p;
    F_MultiHeadAttentionOptions o; /* its weights are given even without need_weights */
    bool batch_first;
    bool contiguous; /* so is the result, where PyTorch's with batch_first is turned: a view of (L, N, E) */
} tg_MultiHead;
Tensor *tg_multi_head(Tensor *query, Tensor *key, Tensor *value, const tg_MultiHead *m);
bool tg_check_mask(const Tensor *mask, const char *name); /* bool or floating, or NULL */

#endif
