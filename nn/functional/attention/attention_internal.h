/* nn/functional/attention/attention_internal.h: the attention that F.scaled_dot_product_attention and both attention
 * modules call (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_ATTENTION_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_ATTENTION_INTERNAL_H

#include "core/autograd/tape.h"
#include "nn/functional/attention/attention.h"

/* ---- scaled_dot_product_attention.c ---- */

/* A mask as bits: a row of 64-bit words for each (batch, head, query); strides in words, 0 where the size is 1. */
typedef struct tg_MaskBits {
    Tensor *bits; /* NULL: not read */
    int64_t batch, head, row;
    bool has_invalid;      /* an element that is neither 0 nor 1 */
    bool has_fully_masked; /* a fully masked row: a query whose keys are all masked out */
} tg_MaskBits;

/* Reads a mask of four dims, each 1 or that of the scores, in one pass; a key takes part where the mask equals keep_if.
 * False with an error set if memory runs out. */
bool tg_read_mask_bits(tg_MaskBits *mask_bits, const Tensor *mask, int64_t keys, bool keep_if);

/* The options in which the callers differ. */
typedef struct tg_AttentionOptions {
    double scale;   /* scores = (q scale) k^T, as PyTorch computes them; scale: 1 / sqrt(d) */
    double divisor; /* not 0: scores = (q k^T) / divisor, as tutorials write it; sqrt(d), and scale its inverse */

    Tensor *mask;          /* NULL, or of 0 and 1 (false and true), of any dtype ... */
    bool one_hides;        /* ... where 1 masks a key out, instead of 0 */
    tg_MaskBits mask_bits; /* the same mask, where the caller has read it already */
    Tensor *bias;          /* NULL, or the additive mask; excludes the others */
    bool causal;           /* query i attends to the keys 0 .. i; excludes the others */
    bool zero_if_fully_masked;   /* a fully masked row gives 0 and no gradient, instead of NaN */
    bool nan_if_fully_masked;    /* it gives NaN, and NaN for the gradient, too */

    double dropout_p;     /* of the weights; 0: none */
    void *dropout_module; /* not NULL: a module of another class than nn_Dropout, which is called instead */
    Tensor *(*call_dropout)(void *module, Tensor *weights);
    bool weights_before_dropout; /* those that are returned */

    bool enable_gqa; /* k and v may have fewer heads, each of which serves as many heads of q */
    bool contiguous; /* y is contiguous, instead of having q's memory layout (torch.empty_like) */
    bool shares_y;   /* y may be modified in place before the backward, where PyTorch's path does not save it */
} tg_AttentionOptions;

/* softmax(q k^T scale + mask) v with dropout on the weights: (..., L, d). *weights, if given, gets the weights (..., L,
 * S). Otherwise the weights are not stored, where the kernel supports shapes and options. */
Tensor *tg_scaled_dot_product_attention(Tensor *q, Tensor *k, Tensor *v, const tg_AttentionOptions *options,
                                        Tensor **weights);

/* F_scaled_dot_product_attention on checked arguments. need_weights: a fully masked row gives NaN, as softmax does,
 * instead of 0. *weights, if given, gets the weights after their dropout. */
Tensor *tg_functional_attention(Tensor *q, Tensor *k, Tensor *v, const F_AttentionOptions *o, bool need_weights,
                                Tensor **weights);

/* ---- multi_head_attention_forward.c ---- */

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
