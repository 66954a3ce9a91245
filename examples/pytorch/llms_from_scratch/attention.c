/* examples/pytorch/llms_from_scratch/attention.c: chapter 3 of Sebastian Raschka's "Build a Large Language Model
 * (From Scratch)": attention by hand, with trainable weights, with a causal mask, with several heads.
 *
 * Difficulty: **     Read first: llms_from_scratch/text_data     Read next: llms_from_scratch/gpt_architecture */
#include <math.h>
#include <stdio.h>

#include "core/core.h"
#include "examples/pytorch/llms_from_scratch/multi_head_attention.h"
#include "nn/nn.h"

/* ---- Without weights ---- */

static Tensor *softmax_naive(Tensor *x) {
    return t_div(t_exp(x), t_sum(t_exp(x), .dim = t_tuple(0)));
}

static void simple_attention(Tensor *inputs) {
    Tensor *query = t_at(inputs, "1");
    Tensor *attn_scores_2 = t_empty(t_size(inputs, 0));
    for_range (i, t_size(inputs, 0)) t_set(attn_scores_2, "{}", i, t_dot(t_at(inputs, "{}", i), query));
    t_print(attn_scores_2);

    Tensor *res = t_tensor(0.0);
    for_range (idx, t_size(t_at(inputs, "0"), 0))
        t_add_(res, t_mul(t_at(t_at(inputs, "0"), "{}", idx), t_at(query, "{}", idx)));
    t_print(res);
    t_print(t_dot(t_at(inputs, "0"), query));

    Tensor *attn_weights_2_tmp = t_div(attn_scores_2, t_sum(attn_scores_2));
    t_print("Attention weights:", attn_weights_2_tmp);
    t_print("Sum:", t_sum(attn_weights_2_tmp));
    Tensor *attn_weights_2_naive = softmax_naive(attn_scores_2);
    t_print("Attention weights:", attn_weights_2_naive);
    t_print("Sum:", t_sum(attn_weights_2_naive));
    Tensor *attn_weights_2 = t_softmax(attn_scores_2, 0);
    t_print("Attention weights:", attn_weights_2);
    t_print("Sum:", t_sum(attn_weights_2));

    Tensor *context_vec_2 = t_zeros_like(query);
    for_range (i, t_size(inputs, 0)) t_add_(context_vec_2, t_mul(t_at(attn_weights_2, "{}", i), t_at(inputs, "{}", i)));
    t_print(context_vec_2);

    Tensor *attn_scores = t_empty(6, 6);
    for_range (i, t_size(inputs, 0)) {
        for_range (j, t_size(inputs, 0))
            t_set(attn_scores, "{}, {}", i, j, t_dot(t_at(inputs, "{}", i), t_at(inputs, "{}", j)));
    }
    t_print(attn_scores);
    attn_scores = t_matmul(inputs, t_t(inputs));
    t_print(attn_scores);
    Tensor *attn_weights = t_softmax(attn_scores, -1);
    t_print(attn_weights);
    t_print("All row sums:", t_sum(attn_weights, -1));
    Tensor *all_context_vecs = t_matmul(attn_weights, inputs);
    t_print(all_context_vecs);
}

/* ---- With trainable weights ---- */

static void trainable_weights(Tensor *inputs) {
    Tensor *x_2 = t_at(inputs, "1");
    int64_t d_in = t_size(inputs, 1);
    int64_t d_out = 2;
    t_manual_seed(123);
    Tensor *W_query = nn_Parameter(t_rand(d_in, d_out), .requires_grad = false);
    Tensor *W_key = nn_Parameter(t_rand(d_in, d_out), .requires_grad = false);
    Tensor *W_value = nn_Parameter(t_rand(d_in, d_out), .requires_grad = false);
    Tensor *query_2 = t_matmul(x_2, W_query);
    t_print(query_2);
    Tensor *keys = t_matmul(inputs, W_key);
    Tensor *values = t_matmul(inputs, W_value);
    t_print("keys.shape:", t_size_repr(keys));
    t_print("values.shape:", t_size_repr(values));

    Tensor *keys_2 = t_at(keys, "1");
    Tensor *attn_score_22 = t_dot(query_2, keys_2);
    t_print(attn_score_22);
    Tensor *attn_scores_2 = t_matmul(query_2, t_t(keys));
    t_print(attn_scores_2);
    int64_t d_k = t_size(keys, 1);
    Tensor *attn_weights_2 = t_softmax(t_div(attn_scores_2, sqrt((double)d_k)), -1);
    t_print(attn_weights_2);
    Tensor *context_vec_2 = t_matmul(attn_weights_2, values);
    t_print(context_vec_2);
}

typedef struct SelfAttentionV1 {
    nn_Module base;
    Tensor *W_query, *W_key, *W_value;
} SelfAttentionV1;

static Tensor *self_attention_v1_call(SelfAttentionV1 *self, Tensor *x) {
    Tensor *keys = t_matmul(x, self->W_key);
    Tensor *queries = t_matmul(x, self->W_query);
    Tensor *values = t_matmul(x, self->W_value);
    Tensor *attn_scores = t_matmul(queries, t_t(keys));
    Tensor *attn_weights = t_softmax(t_div(attn_scores, sqrt((double)t_size(keys, -1))), -1);
    Tensor *context_vec = t_matmul(attn_weights, values);
    return context_vec;
}

static SelfAttentionV1 *self_attention_v1(int64_t d_in, int64_t d_out) {
    SelfAttentionV1 *self = nn_module(SelfAttentionV1, self_attention_v1_call);
    nn_set(self, W_query, nn_Parameter(t_rand(d_in, d_out)));
    nn_set(self, W_key, nn_Parameter(t_rand(d_in, d_out)));
    nn_set(self, W_value, nn_Parameter(t_rand(d_in, d_out)));
    return self;
}

typedef struct SelfAttentionV2 {
    nn_Module base;
    nn_Linear *W_query, *W_key, *W_value;
} SelfAttentionV2;

static Tensor *self_attention_v2_call(SelfAttentionV2 *self, Tensor *x) {
    Tensor *keys = nn_call(self->W_key, x);
    Tensor *queries = nn_call(self->W_query, x);
    Tensor *values = nn_call(self->W_value, x);
    Tensor *attn_scores = t_matmul(queries, t_t(keys));
    Tensor *attn_weights = t_softmax(t_div(attn_scores, sqrt((double)t_size(keys, -1))), -1);
    Tensor *context_vec = t_matmul(attn_weights, values);
    return context_vec;
}

static SelfAttentionV2 *self_attention_v2(int64_t d_in, int64_t d_out, bool qkv_bias) {
    SelfAttentionV2 *self = nn_module(SelfAttentionV2, self_attention_v2_call);
    nn_set(self, W_query, nn_Linear(d_in, d_out, .bias = qkv_bias));
    nn_set(self, W_key, nn_Linear(d_in, d_out, .bias = qkv_bias));
    nn_set(self, W_value, nn_Linear(d_in, d_out, .bias = qkv_bias));
    return self;
}

static SelfAttentionV2 *compact_classes(Tensor *inputs) {
    t_manual_seed(123);
    SelfAttentionV1 *sa_v1 = self_attention_v1(3, 2);
    t_print(nn_call(sa_v1, inputs));
    t_manual_seed(789);
    SelfAttentionV2 *sa_v2 = self_attention_v2(3, 2, false);
    t_print(nn_call(sa_v2, inputs));

    nn_set(sa_v1, W_query, nn_Parameter(t_t(sa_v2->W_query->weight)));
    nn_set(sa_v1, W_key, nn_Parameter(t_t(sa_v2->W_key->weight)));
    nn_set(sa_v1, W_value, nn_Parameter(t_t(sa_v2->W_value->weight)));
    t_print(nn_call(sa_v1, inputs));
    return sa_v2;
}

/* ---- With a causal mask ---- */

static void causal_mask(Tensor *inputs, SelfAttentionV2 *sa_v2) {
    Tensor *queries = nn_call(sa_v2->W_query, inputs);
    Tensor *keys = nn_call(sa_v2->W_key, inputs);
    Tensor *attn_scores = t_matmul(queries, t_t(keys));
    Tensor *attn_weights = t_softmax(t_div(attn_scores, sqrt((double)t_size(keys, -1))), -1);
    t_print(attn_weights);

    int64_t context_length = t_size(attn_scores, 0);
    Tensor *mask_simple = t_tril(t_ones(context_length, context_length));
    t_print(mask_simple);
    Tensor *masked_simple = t_mul(attn_weights, mask_simple);
    t_print(masked_simple);
    Tensor *row_sums = t_sum(masked_simple, -1, .keepdim = true);
    Tensor *masked_simple_norm = t_div(masked_simple, row_sums);
    t_print(masked_simple_norm);

    Tensor *mask = t_triu(t_ones(context_length, context_length), .diagonal = 1);
    Tensor *masked = t_masked_fill(attn_scores, t_bool(mask), -INFINITY);
    t_print(masked);
    attn_weights = t_softmax(t_div(masked, sqrt((double)t_size(keys, -1))), -1);
    t_print(attn_weights);

    t_manual_seed(123);
    nn_Dropout *dropout = nn_Dropout(0.5);
    Tensor *example = t_ones(6, 6);
    t_print(nn_call(dropout, example));
    t_manual_seed(123);
    t_print(nn_call(dropout, attn_weights));
}

typedef struct CausalAttention {
    nn_Module base;
    int64_t d_out;
    nn_Linear *W_query, *W_key, *W_value;
    nn_Dropout *dropout;
    Tensor *mask;
} CausalAttention;

static Tensor *causal_attention_call(CausalAttention *self, Tensor *x) {
    int64_t num_tokens = t_size(x, 1);
    Tensor *keys = nn_call(self->W_key, x);
    Tensor *queries = nn_call(self->W_query, x);
    Tensor *values = nn_call(self->W_value, x);

    Tensor *attn_scores = t_matmul(queries, t_transpose(keys, 1, 2));
    t_masked_fill_(attn_scores, t_at(t_bool(self->mask), ":{}, :{}", num_tokens, num_tokens), -INFINITY);
    Tensor *attn_weights = t_softmax(t_div(attn_scores, sqrt((double)t_size(keys, -1))), -1);
    attn_weights = nn_call(self->dropout, attn_weights);
    Tensor *context_vec = t_matmul(attn_weights, values);
    return context_vec;
}

static CausalAttention *causal_attention(int64_t d_in, int64_t d_out, int64_t context_length, double dropout,
                                         bool qkv_bias) {
    CausalAttention *self = nn_module(CausalAttention, causal_attention_call);
    self->d_out = d_out;
    nn_set(self, W_query, nn_Linear(d_in, d_out, .bias = qkv_bias));
    nn_set(self, W_key, nn_Linear(d_in, d_out, .bias = qkv_bias));
    nn_set(self, W_value, nn_Linear(d_in, d_out, .bias = qkv_bias));
    nn_set(self, dropout, nn_Dropout(dropout));
    nn_register_buffer(self, mask, t_triu(t_ones(context_length, context_length), .diagonal = 1));
    return self;
}

/* ---- With several heads ---- */

typedef struct MultiHeadAttentionWrapper {
    nn_Module base;
    nn_ModuleList *heads;
} MultiHeadAttentionWrapper;

static Tensor *multi_head_attention_wrapper_call(MultiHeadAttentionWrapper *self, Tensor *x) {
    t_TensorList *outputs = t_list();
    for_module (head, self->heads) t_list_append(outputs, nn_call(head, x));
    return t_cat(outputs, .dim = -1);
}

static MultiHeadAttentionWrapper *multi_head_attention_wrapper(int64_t d_in, int64_t d_out, int64_t context_length,
                                                               double dropout, int64_t num_heads, bool qkv_bias) {
    MultiHeadAttentionWrapper *self = nn_module(MultiHeadAttentionWrapper, multi_head_attention_wrapper_call);
    nn_set(self, heads, nn_ModuleList());
    for_range (_, num_heads) nn_append(self->heads, causal_attention(d_in, d_out, context_length, dropout, qkv_bias));
    return self;
}

static void several_heads(Tensor *inputs) {
    Tensor *batch = t_stack(t_list(inputs, inputs), .dim = 0);
    t_print(t_size_repr(batch));
    int64_t context_length = t_size(batch, 1);
    t_manual_seed(123);
    CausalAttention *ca = causal_attention(3, 2, context_length, 0.0, false);
    Tensor *context_vecs = nn_call(ca, batch);
    t_print(context_vecs);
    t_print("context_vecs.shape:", t_size_repr(context_vecs));

    t_manual_seed(123);
    MultiHeadAttentionWrapper *wrapper = multi_head_attention_wrapper(3, 2, context_length, 0.0, 2, false);
    context_vecs = nn_call(wrapper, batch);
    t_print(context_vecs);
    t_print("context_vecs.shape:", t_size_repr(context_vecs));

    Tensor *a = t_rand(1, 2, 3, 4);
    t_print(t_matmul(a, t_transpose(a, 2, 3)));
    Tensor *first_head = t_at(a, "0, 0, :, :");
    Tensor *first_res = t_matmul(first_head, t_t(first_head));
    t_print("First head:\n", first_res);
    Tensor *second_head = t_at(a, "0, 1, :, :");
    Tensor *second_res = t_matmul(second_head, t_t(second_head));
    t_print("\nSecond head:\n", second_res);

    t_manual_seed(123);
    MultiHeadAttention *mha = multi_head_attention(3, 2, context_length, 0.0, 2, false);
    context_vecs = nn_call(mha, batch);
    t_print(context_vecs);
    t_print("context_vecs.shape:", t_size_repr(context_vecs));

    mha = multi_head_attention(96, 96, 64, 0.0, 12, false);
    t_print(nn_count_parameters(mha, true));
}

int main(void) {
    Tensor *inputs = t_tensor("[[0.31, 0.78, 0.14],"   /* A */
                              " [0.72, 0.25, 0.60],"   /* clock */
                              " [0.68, 0.33, 0.52],"   /* can */
                              " [0.09, 0.47, 0.91],"   /* never */
                              " [0.55, 0.12, 0.08],"   /* be */
                              " [0.20, 0.83, 0.44]]"); /* late */
    simple_attention(inputs);
    trainable_weights(inputs);
    SelfAttentionV2 *sa_v2 = compact_classes(inputs);
    causal_mask(inputs, sa_v2);
    several_heads(inputs);
    return 0;
}
