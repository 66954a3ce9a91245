/* examples/pytorch/llms_from_scratch/multi_head_attention.h: the last class of chapter 3: attention with several heads,
 * from one matrix each for queries, keys and values. */
#ifndef EXAMPLES_PYTORCH_LLMS_FROM_SCRATCH_MULTI_HEAD_ATTENTION_H
#define EXAMPLES_PYTORCH_LLMS_FROM_SCRATCH_MULTI_HEAD_ATTENTION_H

#include <math.h>

#include "core/core.h"
#include "nn/nn.h"

typedef struct MultiHeadAttention {
    nn_Module base;
    int64_t d_out, num_heads, head_dim;
    nn_Linear *W_query, *W_key, *W_value, *out_proj;
    nn_Dropout *dropout;
    Tensor *mask;
} MultiHeadAttention;

static inline Tensor *multi_head_attention_call(MultiHeadAttention *self, Tensor *x) {
    int64_t b = t_size(x, 0), num_tokens = t_size(x, 1);
    Tensor *keys = nn_call(self->W_key, x);
    Tensor *queries = nn_call(self->W_query, x);
    Tensor *values = nn_call(self->W_value, x);

    keys = t_view(keys, b, num_tokens, self->num_heads, self->head_dim);
    values = t_view(values, b, num_tokens, self->num_heads, self->head_dim);
    queries = t_view(queries, b, num_tokens, self->num_heads, self->head_dim);
    keys = t_transpose(keys, 1, 2);
    queries = t_transpose(queries, 1, 2);
    values = t_transpose(values, 1, 2);

    Tensor *attn_scores = t_matmul(queries, t_transpose(keys, 2, 3));
    Tensor *mask_bool = t_at(t_bool(self->mask), ":{}, :{}", num_tokens, num_tokens);
    t_masked_fill_(attn_scores, mask_bool, -INFINITY);
    Tensor *attn_weights = t_softmax(t_div(attn_scores, sqrt((double)t_size(keys, -1))), -1);
    attn_weights = nn_call(self->dropout, attn_weights);

    Tensor *context_vec = t_transpose(t_matmul(attn_weights, values), 1, 2);
    context_vec = t_view(t_contiguous(context_vec), b, num_tokens, self->d_out);
    context_vec = nn_call(self->out_proj, context_vec);
    return context_vec;
}

static inline MultiHeadAttention *multi_head_attention(int64_t d_in, int64_t d_out, int64_t context_length,
                                                       double dropout, int64_t num_heads, bool qkv_bias) {
    MultiHeadAttention *self = nn_module(MultiHeadAttention, multi_head_attention_call);
    if (d_out % num_heads != 0) return t_fail("d_out must be divisible by num_heads");
    self->d_out = d_out;
    self->num_heads = num_heads;
    self->head_dim = d_out / num_heads;
    nn_set(self, W_query, nn_Linear(d_in, d_out, .bias = qkv_bias));
    nn_set(self, W_key, nn_Linear(d_in, d_out, .bias = qkv_bias));
    nn_set(self, W_value, nn_Linear(d_in, d_out, .bias = qkv_bias));
    nn_set(self, out_proj, nn_Linear(d_out, d_out));
    nn_set(self, dropout, nn_Dropout(dropout));
    nn_register_buffer(self, mask, t_triu(t_ones(context_length, context_length), .diagonal = 1));
    return self;
}

#endif
