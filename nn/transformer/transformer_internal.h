/* nn/transformer/transformer_internal.h: helpers of encoders and decoders (internal). */
#ifndef TAPEGRAD_NN_TRANSFORMER_TRANSFORMER_INTERNAL_H
#define TAPEGRAD_NN_TRANSFORMER_TRANSFORMER_INTERNAL_H

#include "nn/functional/linear/linear_internal.h"
#include "nn/module/module_internal.h"
#include "nn/transformer/transformer.h"

/* (B, S) int64 -> (B, S, D): embedding, its scale, positional encoding. */
Tensor *tg_embed(nn_Embedding *embedding, double scale, nn_PositionalEncoding *positional_encoding, Tensor *ids);

/* x + dropout(y), and norm(x + dropout(y)); *sum, if given, gets x + dropout(y), too (NULL on failure). For the
 * library's own modules each is one pass over memory in each direction, with one bit per element for the dropout mask
 * (residual_norm.c). transposed: the dropout mask is drawn in the order of y.transpose(0, 1); y has three dims then. */
Tensor *tg_add_residual(nn_Dropout *dropout, Tensor *x, Tensor *y);
Tensor *tg_norm_residual(nn_LayerNorm *norm, nn_Dropout *dropout, Tensor *x, Tensor *y, Tensor **sum, bool transposed);

/* linear2(dropout(activation(linear1(x)))): the activation is a module, or a function; kind is the same for the fused
 * network, or TG_NO_ACTIVATION where that does not have it (feed_forward.c). */
typedef struct tg_FeedForwardParts {
    nn_Linear *linear1, *linear2;
    nn_Dropout *dropout;
    nn_Module *activation;
    Tensor *(*function)(Tensor *);
    tg_Activation kind;
} tg_FeedForwardParts;
Tensor *tg_run_feed_forward(const tg_FeedForwardParts *parts, Tensor *x);

/* A subclass of a layer with its own forward can only be called with tensors; false with an error where there are
 * masks or weights. */
bool tg_check_own_forward(const nn_Module *layer, bool has_options);

/* The options of a stack passed on to its parts. */
nn_EncoderLayerOptions tg_layer_options(const nn_EncoderOptions *o);
nn_MultiHeadAttentionOptions tg_attention_options(const nn_EncoderLayerOptions *o);
nn_FeedForwardOptions tg_feed_forward_options(const nn_EncoderLayerOptions *o);
nn_Embedding *tg_new_embedding(const nn_EncoderOptions *o, int64_t vocab_size, int64_t d_model);
nn_PositionalEncoding *tg_new_positional_encoding(const nn_EncoderOptions *o, int64_t d_model);

#endif
