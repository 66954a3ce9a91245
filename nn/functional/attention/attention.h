/* nn/functional/attention/attention.h: the attention functions of torch.nn.functional (public; part of
 * nn/functional/functional.h). The folder may include core/ and nn/functional/linear, dropout and vision.
 *
 * float16 and bfloat16 are computed in float32 between conversions of q, k, v and the result, which are some 5 percent
 * of the time (4 x 8 x 256 x 64, one thread: 13.0 ms, of float32 12.4, PyTorch's bfloat16 26). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_ATTENTION_H
#define TAPEGRAD_NN_FUNCTIONAL_ATTENTION_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

/* Start from F_AttentionDefaults and change single members. */
typedef struct F_AttentionOptions {
    uint32_t size;
    Tensor *attn_mask; /* bool: true takes part (nn/transformer/mask.h's nn_keep_...); floating: added to the scores */
    double dropout_p;  /* of the weights; applied whenever it is > 0: a function has no training mode */
    bool is_causal;    /* query i attends to the keys 0 to i; excludes attn_mask */
    double scale;      /* of the scores; NaN: 1 / sqrt(E) */
    bool enable_gqa;   /* grouped-query attention: several query heads share one head of key and value */
} F_AttentionOptions;
T_API extern const F_AttentionOptions F_AttentionDefaults;

T_API Tensor *F_scaled_dot_product_attention(Tensor *query, Tensor *key, Tensor *value,
                                             const F_AttentionOptions *options); /* F.scaled_dot_product_attention */

/* The keyword arguments of F.multi_head_attention_forward after out_proj_bias. Masks are as in
 * nn/transformer/torch_transformer.h: true masks a key out. */
typedef struct F_MultiHeadAttentionOptions {
    uint32_t size;
    bool training; /* true: the dropout applies */
    Tensor *key_padding_mask;
    bool need_weights; /* true: a query whose keys are all masked out gets NaN instead of 0 */
    Tensor *attn_mask;
    bool use_separate_proj_weight; /* the next three instead of in_proj_weight */
    Tensor *q_proj_weight, *k_proj_weight, *v_proj_weight;
    Tensor *static_k, *static_v; /* (N H, S, d): replace the projected key and value */
    bool average_attn_weights;   /* true: weights are averaged over the heads */
    bool is_causal;
    Tensor **weights; /* receives the attention weights; NULL: not wanted */
} F_MultiHeadAttentionOptions;
T_API extern const F_MultiHeadAttentionOptions F_MultiHeadAttentionDefaults;

/* F.multi_head_attention_forward(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias,
 * bias_k, bias_v, add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, ...), which returns attn_output; weights go
 * through the options. */
T_API Tensor *F_multi_head_attention_forward(Tensor *query, Tensor *key, Tensor *value, int64_t embed_dim_to_check,
                                             int64_t num_heads, Tensor *in_proj_weight, Tensor *in_proj_bias,
                                             Tensor *bias_k, Tensor *bias_v, bool add_zero_attn, double dropout_p,
                                             Tensor *out_proj_weight, Tensor *out_proj_bias,
                                             const F_MultiHeadAttentionOptions *options);

T_END_DECLS
#endif
