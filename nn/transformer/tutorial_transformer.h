/* nn/transformer/tutorial_transformer.h: the Transformer's modules in the form that tutorials write (public).
 *
 * Notation: B batch, S and T positions of source and target, Sq and Sk of queries and keys, H heads, D = d_model, d = D
 * / H. Each module's forward runs in a scope of its own. Attention weights are returned through the last arguments,
 * which may be NULL, into the caller's scope; they are taken before dropout, so that each row sums to 1 also in
 * training.
 *
 * A mask consists of 0 and 1 (false and true), in any dtype; one with other values, such as an additive mask with -inf,
 * is an error. The option `polarity` says which of the two masks a key out, so that its weight is 0. A fully masked row
 * has weights 0: its attention is W_o's bias, and no gradient passes through it (a softmax over a finite fill value
 * would give the mean of all values, over -inf NaN). nn/transformer/mask.h makes masks.
 *
 * These are the tutorials' classes: take them to follow a tutorial, or the paper. PyTorch's own, with one packed
 * projection and masks whose true hides, are in nn/transformer/torch_transformer.h: take those to port a PyTorch
 * program or to load its weights. */
#ifndef TAPEGRAD_NN_TRANSFORMER_TUTORIAL_TRANSFORMER_H
#define TAPEGRAD_NN_TRANSFORMER_TUTORIAL_TRANSFORMER_H

#include "nn/modules/layers.h"

T_BEGIN_DECLS

typedef enum nn_MaskPolarity {
    nn_zero_hides, /* scores.masked_fill(mask == 0, ...): nn_keep_..., most tutorials */
    nn_one_hides   /* scores.masked_fill(mask, ...): nn_hide_... */
} nn_MaskPolarity;

/* ---- the parts of a layer ---- */

/* Attention(Q, K, V) = softmax(Q K^T / sqrt(d)) V (Vaswani et al. 2017), on H slices of d features each, with
 * projections W_q, W_k, W_v before and W_o after it, all (D, D) with bias. Take this class to follow a tutorial, and
 * nn_MultiheadAttention, with a small h, for PyTorch's parameters and masks. */
typedef struct nn_MultiHeadAttention {
    nn_Module base;
    nn_Linear *W_q, *W_k, *W_v, *W_o;
    nn_Dropout *dropout; /* on the weights */
    int64_t d_model, num_heads, d_k;
    nn_MaskPolarity polarity;
} nn_MultiHeadAttention;
typedef struct nn_MultiHeadAttentionOptions {
    uint32_t size;
    double dropout;           /* 0.1 */
    nn_MaskPolarity polarity; /* nn_zero_hides */
} nn_MultiHeadAttentionOptions;
T_API nn_MultiHeadAttention *nn_MultiHeadAttention_new(int64_t d_model, int64_t num_heads,
                                                       const nn_MultiHeadAttentionOptions *options);
/* query: (B, Sq, D), key and value: (B, Sk, D), mask: NULL, (Sq, Sk), (B, Sq, Sk) or (B, 1 or H, Sq, Sk); sizes of 1
 * broadcast. Returns (B, Sq, D); *weights: (B, H, Sq, Sk). */
T_API Tensor *nn_MultiHeadAttention_call(nn_MultiHeadAttention *self, Tensor *query, Tensor *key, Tensor *value,
                                         Tensor *mask, Tensor **weights);

/* FFN(x) = dropout(max(0, x W1 + b1)) W2 + b2, position by position; activation "relu" or "gelu". */
typedef struct nn_FeedForward {
    nn_Module base;
    nn_Linear *fc1, *fc2;
    nn_Dropout *dropout;
    nn_Module *activation;
} nn_FeedForward;
typedef struct nn_FeedForwardOptions {
    uint32_t size;
    double dropout;         /* 0.1 */
    const char *activation; /* "relu" */
} nn_FeedForwardOptions;
T_API nn_FeedForward *nn_FeedForward_new(int64_t d_model, int64_t d_ff, const nn_FeedForwardOptions *options);

/* dropout(x + pe[:, :S]), pe[p, 2i] = sin(p / 10000^(2i/D)), pe[p, 2i + 1] = cos(p / 10000^(2i/D)); pe is a buffer of
 * shape (1, max_len, D). The three formulas agree up to float32 rounding, which grows with p (1e-5 at p = 100). Errors:
 * an odd D or one below 2, S > max_len. */
typedef enum nn_Sinusoid {
    nn_sinusoid_exp, /* p * exp(2i * -(log(10000) / D)) */
    nn_sinusoid_pow, /* p * pow(10000, -2i / D) */
    nn_sinusoid_div  /* p / 10000 ** (2i / D) */
} nn_Sinusoid;
typedef struct nn_PositionalEncoding {
    nn_Module base;
    nn_Dropout *dropout;
    Tensor *pe;
} nn_PositionalEncoding;
typedef struct nn_PositionalEncodingOptions {
    uint32_t size;
    int64_t max_len;      /* 5000 */
    double dropout;       /* 0.1 */
    nn_Sinusoid sinusoid; /* nn_sinusoid_exp */
} nn_PositionalEncodingOptions;
T_API nn_PositionalEncoding *nn_PositionalEncoding_new(int64_t d_model, const nn_PositionalEncodingOptions *options);

/* ---- the encoder ---- */

/* norm_first (pre-norm):  x = x + dropout1(attention(norm1(x))); x = x + dropout2(ffn(norm2(x)))
 * otherwise (post-norm):  x = norm1(x + dropout1(attention(x))); x = norm2(x + dropout2(ffn(x)))
 * Take this class to follow a tutorial, and nn_TransformerEncoderLayer for PyTorch's parameters and masks. */
typedef struct nn_EncoderLayer {
    nn_Module base;
    nn_MultiHeadAttention *self_attention;
    nn_FeedForward *feed_forward;
    nn_LayerNorm *norm1, *norm2;
    nn_Dropout *dropout1, *dropout2;
    bool norm_first;
} nn_EncoderLayer;
typedef struct nn_EncoderLayerOptions {
    uint32_t size;
    double dropout;           /* 0.1 */
    const char *activation;   /* "relu" */
    bool norm_first;          /* false, as in PyTorch */
    nn_MaskPolarity polarity; /* nn_zero_hides */
} nn_EncoderLayerOptions;
T_API nn_EncoderLayer *nn_EncoderLayer_new(int64_t d_model, int64_t num_heads, int64_t d_ff,
                                           const nn_EncoderLayerOptions *options);
/* x: (B, S, D), mask: as for nn_MultiHeadAttention. Returns (B, S, D). */
T_API Tensor *nn_EncoderLayer_call(nn_EncoderLayer *self, Tensor *x, Tensor *mask, Tensor **weights);

/* Token ids to hidden states: embedding (times sqrt(D) if scale_embedding), positional encoding, the layers, and a
 * final norm if norm_first (a post-norm layer ends in one already). PyTorch's nn_TransformerEncoder is the layers and
 * the norm alone, of hidden states. */
typedef struct nn_Encoder {
    nn_Module base;
    nn_Embedding *embedding;
    nn_PositionalEncoding *positional_encoding;
    nn_ModuleList *layers;
    nn_LayerNorm *final_norm; /* NULL if not norm_first */
    double embedding_scale;
} nn_Encoder;
typedef struct nn_EncoderOptions {
    uint32_t size;
    int64_t max_len;          /* 5000 */
    double dropout;           /* 0.1 */
    const char *activation;   /* "relu" */
    bool norm_first;          /* false */
    bool scale_embedding;     /* true, as in the paper */
    int64_t padding_idx;      /* T_NONE; else an embedding row of zeros without gradient. It masks out no key */
    nn_Sinusoid sinusoid;     /* nn_sinusoid_exp */
    nn_MaskPolarity polarity; /* nn_zero_hides */
} nn_EncoderOptions;
T_API extern const nn_EncoderOptions nn_EncoderDefaults; /* of nn_Decoder too */
T_API nn_Encoder *nn_Encoder_new(int64_t num_layers, int64_t d_model, int64_t num_heads, int64_t d_ff,
                                 int64_t vocab_size, const nn_EncoderOptions *options);
/* ids: (B, S) int64; mask: NULL, a padding mask (B, S), or (B, 1 or S, S), (B, 1 or H, 1 or S, S); two dims are always
 * a padding mask. Returns (B, S, D); *weights lists every layer's (B, H, S, S). */
T_API Tensor *nn_Encoder_call(nn_Encoder *self, Tensor *ids, Tensor *mask, t_TensorList **weights);

/* ---- the decoder ---- */

/* memory: the encoder's output. nn_call(layer, x, memory) is the call without masks.
 * norm_first (pre-norm):  x = x + dropout1(self_attention(norm1(x)));
 *                         x = x + dropout2(cross_attention(norm2(x), memory)); x = x + dropout3(ffn(norm3(x)))
 * otherwise (post-norm):  x = norm1(x + dropout1(self_attention(x)));
 *                         x = norm2(x + dropout2(cross_attention(x, memory))); x = norm3(x + dropout3(ffn(x)))
 * Take this class to follow a tutorial, and nn_TransformerDecoderLayer for PyTorch's parameters and masks. */
typedef struct nn_DecoderLayer {
    nn_Module base;
    nn_MultiHeadAttention *self_attention, *cross_attention;
    nn_FeedForward *feed_forward;
    nn_LayerNorm *norm1, *norm2, *norm3;
    nn_Dropout *dropout1, *dropout2, *dropout3;
    bool norm_first;
} nn_DecoderLayer;
typedef nn_EncoderLayerOptions nn_DecoderLayerOptions;
T_API nn_DecoderLayer *nn_DecoderLayer_new(int64_t d_model, int64_t num_heads, int64_t d_ff,
                                           const nn_DecoderLayerOptions *options);
/* x: (B, T, D), memory: (B, S, D), src_mask of the memory's keys: NULL, (T, S), (B, T, S) or 4-D, tgt_mask of x's own
 * keys: NULL, (T, T), (B, T, T) or 4-D, both as for nn_MultiHeadAttention. Returns (B, T, D); *self_weights: (B, H, T,
 * T), *cross_weights: (B, H, T, S). */
T_API Tensor *nn_DecoderLayer_call(nn_DecoderLayer *self, Tensor *x, Tensor *memory, Tensor *src_mask, Tensor *tgt_mask,
                                   Tensor **self_weights, Tensor **cross_weights);

/* Token ids and memory to hidden states, with the options of nn_Encoder. PyTorch's nn_TransformerDecoder is the layers
 * and the norm alone, of hidden states. */
typedef struct nn_Decoder {
    nn_Module base;
    nn_Embedding *embedding;
    nn_PositionalEncoding *positional_encoding;
    nn_ModuleList *layers;
    nn_LayerNorm *final_norm; /* NULL if not norm_first */
    double embedding_scale;
} nn_Decoder;
typedef nn_EncoderOptions nn_DecoderOptions;
typedef struct nn_DecoderWeights {
    t_TensorList *self, *cross; /* every layer's (B, H, T, T) and (B, H, T, S) */
} nn_DecoderWeights;
T_API nn_Decoder *nn_Decoder_new(int64_t num_layers, int64_t d_model, int64_t num_heads, int64_t d_ff,
                                 int64_t vocab_size, const nn_DecoderOptions *options);
/* ids: (B, T) int64, memory: (B, S, D). src_mask: NULL, a padding mask (B, S), or (B, 1 or T, S), (B, 1 or H, 1 or T,
 * S). tgt_mask: NULL, (T, T), (B, 1 or T, T) or (B, 1 or H, 1 or T, T). Two dims of a src_mask are always a padding
 * mask, two dims of a tgt_mask never: use nn_keep_causal(T) or nn_keep_target(ids, pad_idx); without a tgt_mask every
 * position attends to later ones, too. Returns (B, T, D). */
T_API Tensor *nn_Decoder_call(nn_Decoder *self, Tensor *ids, Tensor *memory, Tensor *src_mask, Tensor *tgt_mask,
                              nn_DecoderWeights *weights);

/* ---- both ---- */

/* generator(decoder(tgt, encoder(src))): the generator is a Linear(D, tgt_vocab). A whole model, from token ids to
 * logits; PyTorch's nn_Transformer has no embeddings, positions and generator. */
typedef struct nn_EncoderDecoder {
    nn_Module base;
    nn_Encoder *encoder;
    nn_Decoder *decoder;
    nn_Linear *generator;
} nn_EncoderDecoder;
typedef struct nn_EncoderDecoderOptions {
    uint32_t size;
    int64_t src_max_len, tgt_max_len;         /* 5000 */
    double dropout;                           /* 0.1 */
    const char *activation;                   /* "relu" */
    bool norm_first;                          /* false */
    bool scale_embedding;                     /* true */
    int64_t src_padding_idx, tgt_padding_idx; /* T_NONE */
    nn_Sinusoid sinusoid;                     /* nn_sinusoid_exp */
    nn_MaskPolarity polarity;                 /* nn_zero_hides */
} nn_EncoderDecoderOptions;
typedef struct nn_EncoderDecoderWeights {
    t_TensorList *encoder;
    nn_DecoderWeights decoder;
} nn_EncoderDecoderWeights;
T_API extern const nn_EncoderDecoderOptions nn_EncoderDecoderDefaults;
T_API nn_EncoderDecoder *nn_EncoderDecoder_new(int64_t num_layers, int64_t d_model, int64_t num_heads, int64_t d_ff,
                                               int64_t src_vocab, int64_t tgt_vocab,
                                               const nn_EncoderDecoderOptions *options);
/* src: (B, S), tgt: (B, T), both int64. src_mask masks source keys out for the encoder's queries and the decoder's,
 * so it must be the same for every query: NULL, (B, S), (B, 1, S) or (B, 1 or H, 1, S). tgt_mask: as for nn_Decoder.
 * Returns the logits (B, T, tgt_vocab). */
T_API Tensor *nn_EncoderDecoder_call(nn_EncoderDecoder *self, Tensor *src, Tensor *tgt, Tensor *src_mask,
                                     Tensor *tgt_mask, nn_EncoderDecoderWeights *weights);
/* The two halves, for generation: the memory (B, S, D) once, then the hidden states (B, T, D) of the tokens so far, the
 * last of which goes to the generator. */
T_API Tensor *nn_EncoderDecoder_encode(nn_EncoderDecoder *self, Tensor *src, Tensor *src_mask, t_TensorList **weights);
T_API Tensor *nn_EncoderDecoder_decode(nn_EncoderDecoder *self, Tensor *tgt, Tensor *memory, Tensor *src_mask,
                                       Tensor *tgt_mask, nn_DecoderWeights *weights);

T_END_DECLS
#endif
