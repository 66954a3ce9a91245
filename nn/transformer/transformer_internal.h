/* nn/transformer/transformer_internal.h: what the encoder and the decoder share (internal). */
#ifndef TAPEGRAD_NN_TRANSFORMER_TRANSFORMER_INTERNAL_H
#define TAPEGRAD_NN_TRANSFORMER_TRANSFORMER_INTERNAL_H

#include "nn/functional/linear_internal.h"
#include "nn/module/module_internal.h"
#include "nn/transformer/transformer.h"

/* (B, S) int64 -> (B, S, D): embedding, its scale, positional encoding. */
Tensor *tg_embed(nn_Embedding *embedding, double scale, nn_PositionalEncoding *positional_encoding, Tensor *ids);

/* x + dropout(y), and norm(x + dropout(y)); where sum is not NULL, x + dropout(y) goes there, too (NULL on failure). With plain
 * modules each is one walk over memory each way, and the mask one bit an element (nn/transformer/residual_norm.c). turned: the dropout draws as if
 * y, of three dims, were a transpose(0, 1) of contiguous memory. */
Tensor *tg_add_residual(nn_Dropout *dropout, Tensor *x, Tensor *y);
Tensor *tg_norm_residual(nn_LayerNorm *norm, nn_Dropout *dropout, Tensor *x, Tensor *y, Tensor **sum, bool turned);

/* linear2(dropout(activation(linear1(x)))): the activation is a module, or a function; kind says which of those it is that the
 * fused network has (nn/transformer/feed_forward.c). */
typedef struct tg_FeedForwardParts {
    nn_Linear *linear1, *linear2;
    nn_Dropout *dropout;
    nn_Module *activation;
    Tensor *(*function)(Tensor *);
    tg_Activation kind;
} tg_FeedForwardParts;
Tensor *tg_feed_forward_of(const tg_FeedForwardParts *parts, Tensor *x);

/* A layer of a subclass with a forward of its own can run where there is nothing but tensors for it. False with an
 * error. */
bool tg_check_own_forward(const nn_Module *layer, bool has_options);

/* The same options for the parts of a stack. */
nn_EncoderLayerOptions tg_layer_options(const nn_EncoderOptions *o);
nn_MultiHeadAttentionOptions tg_attention_options(const nn_EncoderLayerOptions *o);
nn_FeedForwardOptions tg_feed_forward_options(const nn_EncoderLayerOptions *o);
nn_Embedding *tg_embedding_of(const nn_EncoderOptions *o, int64_t vocab_size, int64_t d_model);
nn_PositionalEncoding *tg_positional_encoding_of(const nn_EncoderOptions *o, int64_t d_model);

#endif
