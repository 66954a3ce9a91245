/* examples/packed_qkv/packed_qkv.h: the classes of "The Transformer encoder by hand, line by line" (tutorial 003), an
 * encoder whose queries, keys and values come out of one projection. Shapes: B batch_size, S seq_len, H heads, d
 * head_dim, E embed_size = H * d. */
#ifndef PACKED_QKV_H
#define PACKED_QKV_H

#include "core/core.h"
#include "examples/python.h"
#include "nn/nn.h"

extern bool fixed; /* --fixed: false is the tutorial unchanged, true with its mistakes repaired */

typedef struct MultiHeadAttention {
    nn_Module base;
    int64_t embed_size, heads, head_dim;
    nn_Linear *to_qkv;
    double scale;
    nn_Linear *to_out;
    Tensor *weights; /* of the last call, outside the graph; see multi_head_attention_call */
} MultiHeadAttention;
typedef struct FeedForward {
    nn_Module base;
    nn_Sequential *net;
} FeedForward;
typedef struct TransformerEncoderLayer {
    nn_Module base;
    MultiHeadAttention *attn;
    FeedForward *ffn;
    nn_LayerNorm *norm1, *norm2;
    nn_Dropout *dropout;
} TransformerEncoderLayer;
typedef struct PositionalEncoding {
    nn_Module base;
    Tensor *pe; /* (1, max_len, E) */
} PositionalEncoding;
typedef struct TransformerEncoder {
    nn_Module base;
    nn_Embedding *embedding;
    PositionalEncoding *pos_encoding;
    nn_ModuleList *layers;
} TransformerEncoder;

/* x: (B, S, E); mask: 0 hides, or NULL; it broadcasts over the scores, which are (B, S, H, H) as the tutorial has it
 * and (B, H, S, S) with --fixed. Returns (B, S, E). The layer and the encoder take a mask with --fixed only. */
MultiHeadAttention *multi_head_attention(int64_t embed_size, int64_t heads);
Tensor *multi_head_attention_call(MultiHeadAttention *self, Tensor *x, Tensor *mask);

FeedForward *feed_forward(int64_t embed_size, int64_t expansion);
Tensor *feed_forward_call(FeedForward *self, Tensor *x);

TransformerEncoderLayer *transformer_encoder_layer(int64_t embed_size, int64_t heads, double dropout);
Tensor *transformer_encoder_layer_call(TransformerEncoderLayer *self, Tensor *x, Tensor *mask);

PositionalEncoding *positional_encoding(int64_t embed_size, int64_t max_len);
Tensor *positional_encoding_call(PositionalEncoding *self, Tensor *x);

/* x: (B, S) token ids. Returns (B, S, E). */
TransformerEncoder *transformer_encoder(int64_t vocab_size, int64_t embed_size, int64_t layers, int64_t heads,
                                        double dropout);
Tensor *transformer_encoder_call(TransformerEncoder *self, Tensor *x, Tensor *mask);

#endif
