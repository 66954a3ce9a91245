/* examples/attention_page/attention_page.h: the page's functions, classes and demos ("The Transformer explained",
 * tutorial 004), and what model_attention.c adds.
 *
 * Shapes: B batch_size, S seq_len, H heads, d d_k, D d_model = H * d, V vocab_size. */
#ifndef ATTENTION_PAGE_H
#define ATTENTION_PAGE_H

#include "core/core.h"
#include "core/plot/plot.h"
#include "examples/example.h"
#include "examples/python.h"
#include "nn/nn.h"

extern Example example; /* the program's options */
extern bool fixed;      /* --fixed: false is the page unchanged, true with its mistakes repaired */

/* ---- 2. attention: attention.c ---- */

/* Q: (B, H, Sq, d), K, V: (B, H, Sk, d); mask: broadcast over (B, H, Sq, Sk), 0 hides, or NULL.
 * Returns (B, H, Sq, d); *attention_weights: (B, H, Sq, Sk). */
Tensor *scaled_dot_product_attention(Tensor *Q, Tensor *K, Tensor *V, Tensor *mask, Tensor **attention_weights);

typedef struct MultiHeadAttention {
    nn_Module base;
    int64_t d_model, num_heads, d_k;
    nn_Linear *W_q, *W_k, *W_v, *W_o;
    Tensor *weights; /* (B, H, S, S) of the last call, outside the graph: the page's forward drops them */
} MultiHeadAttention;
MultiHeadAttention *multi_head_attention(int64_t d_model, int64_t num_heads);
/* x: (B, S, D); mask as above. Returns (B, S, D). */
Tensor *multi_head_attention_call(MultiHeadAttention *self, Tensor *x, Tensor *mask);

typedef struct PositionalEncoding {
    nn_Module base;
    Tensor *pe; /* (1, max_len, D) */
} PositionalEncoding;
PositionalEncoding *positional_encoding(int64_t d_model, int64_t max_len);
Tensor *positional_encoding_call(PositionalEncoding *self, Tensor *x);

/* ---- 3. the encoder: encoder.c ---- */

typedef struct PositionwiseFeedForward {
    nn_Module base;
    nn_Linear *fc1, *fc2;
    nn_Dropout *dropout;
    nn_ReLU *relu;
} PositionwiseFeedForward;
PositionwiseFeedForward *positionwise_feed_forward(int64_t d_model, int64_t d_ff, double dropout);
Tensor *positionwise_feed_forward_call(PositionwiseFeedForward *self, Tensor *x);

typedef struct EncoderLayer {
    nn_Module base;
    MultiHeadAttention *self_attn;
    PositionwiseFeedForward *ffn;
    nn_LayerNorm *norm1, *norm2;
    nn_Dropout *dropout;
} EncoderLayer;
EncoderLayer *encoder_layer(int64_t d_model, int64_t num_heads, int64_t d_ff, double dropout);
Tensor *encoder_layer_call(EncoderLayer *self, Tensor *x, Tensor *mask);

typedef struct TransformerEncoder {
    nn_Module base;
    nn_Embedding *embedding;
    PositionalEncoding *pos_encoding;
    nn_ModuleList *layers;
    nn_Linear *fc;
    nn_Dropout *dropout;
} TransformerEncoder;
TransformerEncoder *transformer_encoder(int64_t vocab_size, int64_t d_model, int64_t num_heads, int64_t d_ff,
                                        int64_t num_layers, int64_t num_classes, double dropout);
/* x: (B, S) token ids; mask: broadcast over (B, H, S, S), 0 hides, or NULL; with --fixed also (B, S), 0 at padding, or
 * (B, S, S). Returns (B, num_classes). */
Tensor *transformer_encoder_call(TransformerEncoder *self, Tensor *x, Tensor *mask);

/* ---- 4. pictures: pictures.c ---- */

/* attention_weights: (B, H, S, S), of which the first sample's first head is drawn; tokens: S words, or NULL. */
void visualize_attention(Tensor *attention_weights, const char *const *tokens);
/* plt.savefig(name, dpi=, bbox_inches=). The page writes its pictures into files and shows none; here the figure is
 * drawn on the terminal, and with --plots DIR written into that folder too, as SVG. */
void savefig(const char *name, double dpi, const char *bbox_inches);

/* ---- the page's demos in its order; what they give back is for model_attention.c and the tests ---- */

Tensor *demo_1(Tensor **weights);
Tensor *demo_2(void);
PositionalEncoding *demo_3(void);
TransformerEncoder *demo_4(void);
Tensor *demo_5(void);

/* ---- additions, which are not the page's: model_attention.c and decoder.c ---- */

/* The encoder without its last step: the states of all positions, (B, S, D), before they are pooled and classified. */
Tensor *encode(TransformerEncoder *self, Tensor *x, Tensor *mask);
/* Runs the model on a sentence and draws a head; returns the weights of every layer, (layers, H, S, S). */
Tensor *real_attention(TransformerEncoder *model);
/* By how much padding changes the logits of each of two sentences: (2). */
Tensor *padded_sentences(TransformerEncoder *model);

typedef struct CrossAttention {
    nn_Module base;
    int64_t d_model, num_heads, d_k;
    nn_Linear *W_q, *W_k, *W_v, *W_o;
    Tensor *weights; /* (B, H, T, S) of the last call, outside the graph */
} CrossAttention;
CrossAttention *cross_attention(int64_t d_model, int64_t num_heads);
/* x: (B, T, D) asks, memory: (B, S, D) answers; mask: broadcast over (B, H, T, S). Returns (B, T, D). */
Tensor *cross_attention_call(CrossAttention *self, Tensor *x, Tensor *memory, Tensor *mask);

typedef struct DecoderLayer {
    nn_Module base;
    MultiHeadAttention *self_attn;
    CrossAttention *cross_attn;
    PositionwiseFeedForward *ffn;
    nn_LayerNorm *norm1, *norm2, *norm3;
    nn_Dropout *dropout;
} DecoderLayer;
DecoderLayer *decoder_layer(int64_t d_model, int64_t num_heads, int64_t d_ff, double dropout);
Tensor *decoder_layer_call(DecoderLayer *self, Tensor *x, Tensor *memory, Tensor *src_mask, Tensor *tgt_mask);

typedef struct TransformerDecoder {
    nn_Module base;
    nn_Embedding *embedding;
    PositionalEncoding *pos_encoding;
    nn_ModuleList *layers;
    nn_Linear *fc;
    nn_Dropout *dropout;
} TransformerDecoder;
TransformerDecoder *transformer_decoder(int64_t vocab_size, int64_t d_model, int64_t num_heads, int64_t d_ff,
                                        int64_t num_layers, double dropout);
/* x: (B, T) token ids; memory: (B, S, D); src_mask: broadcast over (B, H, T, S), tgt_mask: over (B, H, T, T), 0 hides;
 * either may be NULL. Returns (B, T, V), for softmax. */
Tensor *transformer_decoder_call(TransformerDecoder *self, Tensor *x, Tensor *memory, Tensor *src_mask,
                                 Tensor *tgt_mask);

/* The decoder after the encoder; returns by how much each of its outputs moves when one target token changes: (T). */
Tensor *run_decoder(TransformerEncoder *encoder);

#endif
