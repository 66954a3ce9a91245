/* tests/ops/table/op_table_attention.c: torch.nn.functional's attention
 * (nn/functional/attention/scaled_dot_product_attention.c, multi_head_attention_forward.c). Numbers: is_causal,
 * dropout_p in hundredths, scale in quarters (T_NONE: the default), enable_gqa; with projections num_heads,
 * add_zero_attn, need_weights, average_attn_weights, is_causal, dropout_p in hundredths. */
#include "tests/ops/table/op_table.h"

#include "nn/functional/functional.h"

static t_TensorList *call_attention(const Call *c) {
    F_AttentionOptions options = F_AttentionDefaults;
    options.is_causal = c->n[0];
    options.dropout_p = (double)c->n[1] / 100;
    if (c->n[2] != T_NONE) options.scale = (double)c->n[2] / 4;
    options.enable_gqa = c->n[3];
    options.attn_mask = c->count > 3 ? c->x[3] : NULL;
    return list_of(F_scaled_dot_product_attention(c->x[0], c->x[1], c->x[2], &options));
}

#define DEFAULT 0, 0, T_NONE
#define CAUSAL 1, 0, T_NONE
#define DROPOUT(p) 0, p, T_NONE
#define GQA 0, 0, T_NONE, 1
static const OpCase cases[] = {
    {"r(2,3) r(4,3) r(4,2) -", {DEFAULT}}, {"r(2,2,3) r(2,4,3) r(2,4,2) -", {DEFAULT}},
    {"r(1,2,3,2) r(1,2,3,2) r(1,2,3,2) -", {DEFAULT}}, {"r(2,1,2,2,3) r(2,1,2,4,3) r(2,1,2,4,2) -", {DEFAULT}},
    {"r(1,1,2,1,2,3) r(1,1,2,1,2,3) r(1,1,2,1,2,3) -", {DEFAULT}}, {"r(2,3) R(4,3) R(4,2) -", {DEFAULT}},
    {"R(2,3) R(4,3) r(4,2) -", {DEFAULT}},
    {"r(3,2) r(2,4,2) r(2,4,2) -", {DEFAULT}}, {"r(2,1,2,3) r(1,2,3,3) r(1,2,3,2) -", {DEFAULT}},
    {"r(3,2) r(3,2) r(3,2) -", {CAUSAL}}, {"r(1,2,3,2) r(1,2,3,2) r(1,2,3,2) -", {CAUSAL}},
    {"r(3,2) r(5,2) r(5,2) -", {CAUSAL}},
    {"r(5,2) r(3,2) r(3,2) -", {CAUSAL}}, {"r(2,3) r(4,3) r(4,2) -", {0, 0, 8}}, {"r(2,3) r(4,3) r(4,2) -", {0, 0, -2}},
    {"r(2,3) r(4,3) r(4,2) -", {0}}, {"r(2,3) r(4,3) r(4,2) b(2,4)", {DEFAULT}},
    {"r(3,2) r(1,2) r(1,2) b(3,1)", {DEFAULT}},
    {"r(2,3,2) r(2,3,2) r(2,3,2) b(3,3)", {DEFAULT}}, {"r(2,2,3,2) r(2,2,2,2) r(2,2,2,2) b(2,1,3,2)", {DEFAULT}},
    {"r(2,3) r(4,3) r(4,2) b(4)", {DEFAULT}}, {"r(2,3) r(4,3) r(4,2) r(2,4)", {DEFAULT}},
    {"r(2,3) r(4,3) r(4,2) R(2,1)", {DEFAULT}},
    {"r(2,2,3,2) r(2,2,2,2) r(2,2,2,2) R(1,2,3,2)", {DEFAULT}}, {"r(3,2) r(12,2) r(12,2) x(12)", {DEFAULT}},
    {"r(1,4,2,2) r(1,2,3,2) r(1,2,3,2) -", {GQA}}, {"r(1,4,2,2) r(1,2,3,2) r(1,4,3,2) -", {GQA}},
    {"r(4,2,2) r(1,3,2) r(1,3,2) -", {GQA}},
    {"r(2,0) r(3,0) r(3,2) -", {DEFAULT}}, {"r(0,2) r(3,2) r(3,2) -", {DEFAULT}},
    {"r(2,0,2) r(2,3,2) r(2,3,2) b(0,3)", {DEFAULT}},
    {NULL},
};
static const OpCase dropout_cases[] = {
    {"r(3,2) r(6,2) r(6,2) -", {DROPOUT(30)}}, {"r(2,2,3,2) r(2,2,4,2) r(2,2,4,2) -", {DROPOUT(50)}},
    {"r(2,3,2) r(2,4,2) r(2,4,2) b(3,4)", {DROPOUT(10)}}, {"r(2,2) r(3,2) r(3,2) -", {DROPOUT(100)}},
    {"r(2,3,2) r(2,3,2) r(2,3,2) -", {1, 20, T_NONE}},
    {"r(1,2,1,2,3) r(1,2,1,4,3) r(1,2,1,4,2) -", {DROPOUT(20)}}, {"r(0,3) r(2,3) r(2,3) -", {DROPOUT(20)}}, {NULL},
};

static const OpError errors[] = {
    {"r(4) r(4) r(4) -", {DEFAULT},
        "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: 1 key.dim: 1 "
                                    "and value.dim: 1 instead."},
    {"d(2,3) f(4,3) f(4,2) -", {DEFAULT},
        "Expected query, key, and value to have the same dtype, but got query.dtype: double key.dtype: "
                                          "float and value.dtype: float instead."},
    {"i(1,2,3) i(1,4,3) i(1,4,2) -", {DEFAULT}, "expected scalar type Float but found Long"},
    {"r(2,3) r(4,3) r(4,2) i(2,4)", {DEFAULT},
        "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
                                               "attn_mask.dtype: long int and  query.dtype: float instead."},
    {"f(2,3) f(4,3) f(4,2) d(2,4)", {DEFAULT},
        "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
                                               "attn_mask.dtype: double and  query.dtype: float instead."},
    {"r(2,3) r(4,3) r(4,2) b(2,4)", {CAUSAL},
        "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"},
    {"r(2,3) r(4,3) r(4,2) -", {DROPOUT(150)}, "dropout probability has to be between 0 and 1, but got 1.5"},
    {"r(2,3,4) r(2,5,5) r(2,5,6) -", {DEFAULT},
        "Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [2, 5]."},
    {"r(2,3,4) r(2,5,4) r(2,6,6) -", {DEFAULT},
        "Expected size for first two dimensions of batch2 tensor to be: [2, 5] but got: [2, 6]."},
    {"r(2,3,4) r(3,5,4) r(3,5,6) -", {DEFAULT},
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1"},
    {"r(2,3) r(4,3) r(4,2) r(3,4)", {DEFAULT},
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"},
    {"r(2,3) r(4,3) r(4,2) r(5,2,4)", {DEFAULT},
        "output with shape [2, 4] doesn't match the broadcast shape [5, 2, 4]"},
    {"r(1,4,2,2) r(1,3,3,2) r(1,3,3,2) -", {GQA},
        "Number of heads in key and value must divide the number of heads in query"},
    {NULL},
};
static const OpError none[] = {{NULL}};

/* ---- with projections ---- */

/* query, key, value, in_proj_weight, in_proj_bias, out_proj_weight, out_proj_bias, attn_mask */
static t_TensorList *call_multi_head(const Call *c) {
    F_MultiHeadAttentionOptions options = F_MultiHeadAttentionDefaults;
    Tensor *weights = NULL, **x = c->x, *y;
    options.need_weights = c->n[2];
    options.average_attn_weights = c->n[3];
    options.is_causal = c->n[4];
    options.attn_mask = x[7];
    options.weights = &weights;
    y = F_multi_head_attention_forward(x[0], x[1], x[2], 4, c->n[0], x[3], x[4], NULL, NULL, c->n[1],
                                       (double)c->n[5] / 100, x[5], x[6],
                                       &options);
    return weights ? t_list_new((Tensor *[]){y, weights}, 2) : list_of(y);
}

/* query, key, value, in_proj_weight, static_k, static_v, out_proj_weight, key_padding_mask */
static t_TensorList *call_static(const Call *c) {
    F_MultiHeadAttentionOptions options = F_MultiHeadAttentionDefaults;
    Tensor **x = c->x;
    options.need_weights = false;
    options.static_k = x[4];
    options.static_v = x[5];
    options.key_padding_mask = x[7];
    return list_of(F_multi_head_attention_forward(x[0], x[1], x[2], 4, c->n[0], x[3], NULL, NULL, NULL, c->n[1], 0,
                                                  x[6], NULL, &options));
}

#define WEIGHTS "q(12,4) r(12) r(4,4) r(4)"
static const OpCase multi_head_cases[] = {
    {"r(2,4) r(3,4) r(3,4) " WEIGHTS " -", {2}}, {"r(2,2,4) r(3,2,4) r(3,2,4) " WEIGHTS " -", {2, 1, 1}},
    {"r(2,2,4) r(3,2,4) r(3,2,4) " WEIGHTS " r(2,3)", {2, 1, 1, 1}},
    {"r(2,1,4) r(2,1,4) r(2,1,4) " WEIGHTS " b(4,2,2)", {4, 0, 0, 0, 1}},
    {"r(3,4) r(3,4) r(3,4) " WEIGHTS " R(3,3)", {1, 0, 0, 0, 1}},
    {"r(2,2,4) R(3,2,4) r(3,2,4) q(12,4) - r(4,4) - -", {2}},
    {"r(2,0,4) r(3,0,4) r(3,0,4) " WEIGHTS " -", {2, 0, 1, 1}}, {"r(0,4) r(3,4) r(3,4) " WEIGHTS " -", {2}}, {NULL},
};
static const OpCase static_cases[] = {
    {"r(2,4) r(3,4) r(3,4) q(12,4) r(2,3,2) r(2,3,2) r(4,4) -", {2}},
    {"r(2,2,4) r(3,2,4) r(3,2,4) q(12,4) r(4,3,2) r(4,3,2) r(4,4) R(2,3)", {2, 1}},
    {"r(2,0,4) r(3,0,4) r(3,0,4) q(12,4) r(0,3,2) r(0,3,2) r(4,4) -", {2}}, {NULL},
};

/* The second row is the same function where it draws, the last where key and value are given. */
static const OpRow rows[] = {
    {"F_scaled_dot_product_attention", call_attention, cases, errors, SUMS | OWN_GRAD_FN, "123?",
     "23456z: sequences of vectors"},
    {"F_scaled_dot_product_attention_with_dropout", call_attention, dropout_cases, none, SUMS | OWN_GRAD_FN | RANDOM,
     "123?", "2345z: sequences of vectors"},
    {"F_multi_head_attention_forward", call_multi_head, multi_head_cases, none, SUMS | OWN_GRAD_FN, "123??" "<??",
        "23z: sequences of vectors"},
    {"F_multi_head_attention_forward_with_static", call_static, static_cases, none, SUMS | OWN_GRAD_FN,
        "123???" "<?", "23z: sequences of vectors"},
};
TABLE(attention_table, "ops_attention.txt", rows);
