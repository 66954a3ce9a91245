/* examples/encoder_decoder/encoder_decoder.h: the classes of the encoder and the decoder ("The Transformer in PyTorch
 * (2)", tutorial 001).
 *
 * Shapes: B batch, S source length, T target length, D d_model, H n_heads, d = D / H. */
#ifndef ENCODER_DECODER_H
#define ENCODER_DECODER_H

#include "core/core.h"
#include "examples/python.h"
#include "nn/nn.h"

/* ---- the sizes, which the tutorial's classes read but no line of it sets: here those of the base model of "Attention
 * Is All You Need". (Its device is the CPU.) ---- */
extern int64_t d_model, n_heads, d_ff, n_layers, max_len;
extern double p_drop;
typedef struct Sizes {
    int64_t d_model, n_heads, d_ff, n_layers, max_len;
    double p_drop;
} Sizes;
void configure(Sizes sizes);

/* --fixed: a query with nothing to look at gets weights 0 instead of NaN. */
extern bool fixed;

/* ---- from the article before this one (attention.c) ---- */
typedef struct ScaledDotProductAttention {
    nn_Module base;
    Tensor *weights; /* of the last call: the blocks drop what they are given */
} ScaledDotProductAttention;
typedef struct MultiHeadAttention {
    nn_Module base;
    nn_Linear *w_q, *w_k, *w_v, *w_o;
    ScaledDotProductAttention *attention;
} MultiHeadAttention;
typedef struct FeedForwardNetwork {
    nn_Module base;
    nn_Linear *linear_1;
    nn_ReLU *relu;
    nn_Linear *linear_2;
} FeedForwardNetwork;
ScaledDotProductAttention *scaled_dot_product_attention(void);
Tensor *scaled_dot_product_attention_call(ScaledDotProductAttention *self, Tensor *q, Tensor *k, Tensor *v,
                                          Tensor *mask, Tensor **weights);
MultiHeadAttention *multi_head_attention(void);
Tensor *multi_head_attention_call(MultiHeadAttention *self, Tensor *q, Tensor *k, Tensor *v, Tensor *mask,
                                  Tensor **weights);
FeedForwardNetwork *feed_forward_network(void);
Tensor *feed_forward_network_call(FeedForwardNetwork *self, Tensor *x);

/* ---- the tutorial's own classes (blocks.c) ---- */
typedef struct EncoderBlock {
    nn_Module base;
    MultiHeadAttention *mha;
    nn_LayerNorm *layer_norm_1;
    FeedForwardNetwork *ffn;
    nn_LayerNorm *layer_norm_2;
    nn_Dropout *dropout;
} EncoderBlock;
typedef struct DecoderBlock {
    nn_Module base;
    MultiHeadAttention *mha_1;
    nn_LayerNorm *layer_norm_1;
    MultiHeadAttention *mha_2;
    nn_LayerNorm *layer_norm_2;
    FeedForwardNetwork *ffn;
    nn_LayerNorm *layer_norm_3;
    nn_Dropout *dropout;
} DecoderBlock;
typedef struct PositionalEncoding {
    nn_Module base;
    Tensor *pe;
} PositionalEncoding;
typedef struct Encoder {
    nn_Module base;
    nn_Embedding *embeddings;
    PositionalEncoding *pe;
    nn_Dropout *dropout;
    nn_ModuleList *encoder_blocks;
} Encoder;
typedef struct Decoder {
    nn_Module base;
    nn_Embedding *embeddings;
    PositionalEncoding *pe;
    nn_Dropout *dropout;
    nn_ModuleList *decoder_blocks;
} Decoder;
EncoderBlock *encoder_block(void);
Tensor *encoder_block_call(EncoderBlock *self, Tensor *x, Tensor *mask);
DecoderBlock *decoder_block(void);
Tensor *decoder_block_call(DecoderBlock *self, Tensor *x, Tensor *encoder_output, Tensor *src_mask, Tensor *tgt_mask);
PositionalEncoding *positional_encoding(void);
Tensor *positional_encoding_call(PositionalEncoding *self, Tensor *x);
Encoder *encoder(int64_t vocab_size);
Tensor *encoder_call(Encoder *self, Tensor *x, Tensor *mask);
Decoder *decoder(int64_t vocab_size);
Tensor *decoder_call(Decoder *self, Tensor *x, Tensor *encoder_output, Tensor *src_mask, Tensor *tgt_mask);

/* ---- what its text describes without code (transformer.c) ---- */
typedef struct Transformer {
    nn_Module base;
    Encoder *encoder;
    Decoder *decoder;
    nn_Linear *generator;
} Transformer;
Tensor *make_src_mask(Tensor *src, int64_t pad_idx);
Tensor *make_look_ahead_mask(int64_t n);
Tensor *make_tgt_mask(Tensor *tgt, int64_t pad_idx);
Transformer *transformer(int64_t src_vocab, int64_t tgt_vocab);
Tensor *transformer_call(Transformer *self, Tensor *src, Tensor *tgt, Tensor *src_mask, Tensor *tgt_mask);
Tensor *transformer_greedy_decode(Transformer *self, Tensor *src, int64_t bos, int64_t n, Tensor *src_mask);

#endif
