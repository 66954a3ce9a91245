/* nn/functional_attention.h: attention as torch.nn.functional has it (public; part of nn/functional.h). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_ATTENTION_H
#define TAPEGRAD_NN_FUNCTIONAL_ATTENTION_H

#include "core/api.h"

T_BEGIN_DECLS

/* Start from F_AttentionDefaults and change what should differ. */
typedef struct F_AttentionOptions {
    uint32_t size;
    Tensor *attn_mask; /* bool: true takes part (nn/mask.h's nn_keep_...); floating: added to the scores */
    double dropout_p;  /* of the weights; applies whenever it is given, as there is no mode to ask */
    bool is_causal;    /* query i sees the keys 0 to i; excludes attn_mask */
    double scale;      /* of the scores; NaN: 1 / sqrt(the size of a query) */
    bool enable_gqa;   /* several heads of query share one of key and value */
} F_AttentionOptions;
T_API extern const F_AttentionOptions F_AttentionDefaults;

T_API Tensor *F_scaled_dot_product_attention(Tensor *query, Tensor *key, Tensor *value, const F_AttentionOptions *options); /* F.scaled_dot_product_attention(q, k, v) */

T_END_DECLS
#endif
