/* nn/transformer.h: the Transformer's parts in the form that tutorials give them (public).
 *
 * Notation: B batch, S (Sq, Sk) positions, H heads, D = d_model, d = D / H. Masks of this header follow the tutorials'
 * polarity: an element that is 0 (or false) hides its key, any other shows it; a hidden score is -1e9 before softmax.
 * Each module's forward runs in a scope of its own; the attention weights are returned through the last argument, which
 * may be NULL. They are those before dropout, so that each row sums to 1 also in training.
 * PyTorch's own nn.MultiheadAttention (one packed projection, other mask polarity) is another class. */
#ifndef TAPEGRAD_NN_TRANSFORMER_H
#define TAPEGRAD_NN_TRANSFORMER_H

#include "nn/layers.h"

T_BEGIN_DECLS

/* Attention(Q, K, V) = softmax(Q K^T / sqrt(d)) V (Vaswani et al. 2017), on H slices of d features each, with projections
 * W_q, W_k, W_v before and W_o after it, all (D, D) with bias. */
typedef struct nn_MultiHeadAttention {
    nn_Module base;
    nn_Linear *W_q, *W_k, *W_v, *W_o;
    nn_Dropout *dropout; /* on the weights */
    int64_t d_model, num_heads, d_k;
} nn_MultiHeadAttention;
typedef struct nn_DropoutOptions {
    uint32_t size;
    double dropout; /* 0.1 */
} nn_DropoutOptions;
T_API nn_MultiHeadAttention *nn_MultiHeadAttention_new(int64_t d_model, int64_t num_heads, const nn_DropoutOptions *options);
/* query: (B, Sq, D), key and value: (B, Sk, D), mask: NULL, (Sq, Sk), (B, Sq, Sk) or (B, 1 or H, Sq, Sk); sizes of 1 are
 * stretched. Returns (B, Sq, D); *weights: (B, H, Sq, Sk). */
T_API Tensor *nn_MultiHeadAttention_call(nn_MultiHeadAttention *self, Tensor *query, Tensor *key, Tensor *value, Tensor *mask,
                                         Tensor **weights);

/* FFN(x) = dropout(max(0, x W1 + b1)) W2 + b2, position by position; activation "relu" or "gelu". */
typedef struct nn_PositionwiseFeedForward {
    nn_Module base;
    nn_Linear *fc1, *fc2;
    nn_Dropout *dropout;
    nn_Module *activation;
} nn_PositionwiseFeedForward;
typedef struct nn_FeedForwardOptions {
    uint32_t size;
    double dropout;         /* 0.1 */
    const char *activation; /* "relu" */
} nn_FeedForwardOptions;
T_API nn_PositionwiseFeedForward *nn_PositionwiseFeedForward_new(int64_t d_model, int64_t d_ff,
                                                                 const nn_FeedForwardOptions *options);

/* dropout(x + pe[:, :S]), pe[p, 2i] = sin(p / 10000^(2i/D)), pe[p, 2i + 1] = cos(p / 10000^(2i/D)); pe is a buffer of shape
 * (1, max_len, D). Errors: an odd D, S > max_len. */
typedef struct nn_PositionalEncoding {
    nn_Module base;
    nn_Dropout *dropout;
    Tensor *pe;
} nn_PositionalEncoding;
typedef struct nn_PositionalEncodingOptions {
    uint32_t size;
    int64_t max_len; /* 5000 */
    double dropout;  /* 0.1 */
} nn_PositionalEncodingOptions;
T_API nn_PositionalEncoding *nn_PositionalEncoding_new(int64_t d_model, const nn_PositionalEncodingOptions *options);

/* norm_first (pre-norm):  x = x + dropout1(attention(norm1(x))); x = x + dropout2(ffn(norm2(x)))
 * otherwise (post-norm):  x = norm1(x + dropout1(attention(x))); x = norm2(x + dropout2(ffn(x))) */
typedef struct nn_EncoderLayer {
    nn_Module base;
    nn_MultiHeadAttention *self_attention;
    nn_PositionwiseFeedForward *feed_forward;
    nn_LayerNorm *norm1, *norm2;
    nn_Dropout *dropout1, *dropout2;
    bool norm_first;
} nn_EncoderLayer;
typedef struct nn_EncoderLayerOptions {
    uint32_t size;
    double dropout;         /* 0.1 */
    const char *activation; /* "relu" */
    bool norm_first;        /* false, as in PyTorch */
} nn_EncoderLayerOptions;
T_API nn_EncoderLayer *nn_EncoderLayer_new(int64_t d_model, int64_t num_heads, int64_t d_ff, const nn_EncoderLayerOptions *options);
T_API Tensor *nn_EncoderLayer_call(nn_EncoderLayer *self, Tensor *x, Tensor *mask, Tensor **weights); /* (B, S, D) -> same */

/* Token ids to hidden states: embedding (times sqrt(D) if scale_embedding), positional encoding, the layers, and a final
 * norm if norm_first (a post-norm layer ends in one already). */
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
    int64_t max_len;        /* 5000 */
    double dropout;         /* 0.1 */
    const char *activation; /* "relu" */
    bool norm_first;        /* false */
    bool scale_embedding;   /* true, as in the paper */
} nn_EncoderOptions;
T_API nn_Encoder *nn_Encoder_new(int64_t num_layers, int64_t d_model, int64_t num_heads, int64_t d_ff, int64_t vocab_size,
                                 const nn_EncoderOptions *options);
/* ids: (B, S) int64; mask: NULL, (B, S) with 0 where the token is padding, or a (B, Sq, Sk) or 4-D one as above.
 * Returns (B, S, D); *weights lists every layer's (B, H, S, S). */
T_API Tensor *nn_Encoder_call(nn_Encoder *self, Tensor *ids, Tensor *mask, t_TensorList **weights);

T_END_DECLS
#endif
