/* examples/encoder_from_scratch/encoder_from_scratch.h: the classes of the tutorial, from attention.c, layer.c and
 * encoder.c.
 *
 * B batch, S positions (Sq, Sk: of queries, of keys), H heads, D = d_model, d = D / H. A class is called by its _call
 * function or, where that takes one or two tensors, by nn_call. A mask hides the keys where it is 0 and may be NULL. */
#ifndef ENCODER_FROM_SCRATCH_H
#define ENCODER_FROM_SCRATCH_H

#include "core/core.h"
#include "nn/nn.h"

/* --fixed: the tutorial's mistakes repaired. Set it before a class is made. */
extern bool fixed;

/* ---- attention.c ---- */

typedef struct ScaledDotProductAttention {
    nn_Module base;
    nn_Softmax *softmax;
} ScaledDotProductAttention;

ScaledDotProductAttention *scaled_dot_product_attention(void);
Tensor *scaled_dot_product_attention_call(ScaledDotProductAttention *self, Tensor *q, Tensor *k, Tensor *v,
                                          Tensor *mask, double e, Tensor **weights);

typedef struct MultiHeadAttention {
    nn_Module base;
    int64_t n_head, d_model;
    ScaledDotProductAttention *attention;
    nn_Linear *w_q, *w_k, *w_v, *w_concat;
} MultiHeadAttention;

MultiHeadAttention *multi_head_attention(int64_t d_model, int64_t n_head);
Tensor *multi_head_attention_call(MultiHeadAttention *self, Tensor *q, Tensor *k, Tensor *v, Tensor *mask,
                                  Tensor **weights);

Tensor *transform_heads(Tensor *x, int64_t num_heads, int64_t d_k);

/* ---- layer.c ---- */

typedef struct PositionWiseFeedForward {
    nn_Module base;
    nn_Linear *linear1, *linear2;
    nn_Dropout *dropout;
    nn_ReLU *relu;
} PositionWiseFeedForward;

PositionWiseFeedForward *position_wise_feed_forward(int64_t d_model, int64_t hidden_dim, double dropout);

typedef struct LayerNorm {
    nn_Module base;
    Tensor *gamma, *beta;
    double eps;
} LayerNorm;

LayerNorm *layer_norm(int64_t d_model, double eps);

typedef struct EncoderLayer {
    nn_Module base;
    MultiHeadAttention *attention;
    nn_Module *norm1, *norm2;
    nn_Dropout *dropout1, *dropout2;
    PositionWiseFeedForward *ffn;
    Tensor *last_attention; /* with --fixed: the weights of the last call, (B, H, S, S) */
} EncoderLayer;

EncoderLayer *encoder_layer(int64_t d_model, int64_t n_heads, int64_t ffn_hidden, double dropout);
Tensor *encoder_layer_call(EncoderLayer *self, Tensor *x, Tensor *s_mask);

/* ---- encoder.c ---- */

typedef nn_Embedding TokenEmbedding;
TokenEmbedding *token_embedding(int64_t vocab_size, int64_t d_model, int64_t padding_idx);

typedef struct PositionEmbedding {
    nn_Module base;
    Tensor *encoding; /* (max_len, D) */
} PositionEmbedding;

PositionEmbedding *position_embedding(int64_t d_model, int64_t max_len);

typedef struct TransformEmbedding {
    nn_Module base;
    TokenEmbedding *tok_emb;
    PositionEmbedding *pos_emb;
    nn_Dropout *drop_out;
} TransformEmbedding;

TransformEmbedding *transform_embedding(int64_t vocab_size, int64_t d_model, int64_t max_len, double drop_prob);

typedef struct Encoder {
    nn_Module base;
    TransformEmbedding *emb;
    nn_ModuleList *layers;
} Encoder;

Encoder *encoder(int64_t enc_voc_size, int64_t max_len, int64_t d_model, int64_t ffn_hidden, int64_t n_heads,
                 int64_t n_layers, double drop_prob);
Tensor *encoder_call(Encoder *self, Tensor *x, Tensor *s_mask);

#endif
