/* nn/transformer/torch_internal.h: helpers of PyTorch's own Transformer family (internal). */
#ifndef TAPEGRAD_NN_TRANSFORMER_TORCH_INTERNAL_H
#define TAPEGRAD_NN_TRANSFORMER_TORCH_INTERNAL_H

#include "nn/transformer/torch_transformer.h"
#include "nn/transformer/transformer_internal.h"

/* nn_MultiheadAttention_call on checked arguments; o->weights is set even without need_weights. contiguous: the result
 * is contiguous also with batch_first, where PyTorch's is a transposed view. */
Tensor *tg_multihead_attention(nn_MultiheadAttention *self, Tensor *query, Tensor *key, Tensor *value,
                               const nn_MultiheadAttentionCallOptions *o, bool contiguous);

/* an nn_TransformerEncoderLayer, a copy of one, or an object of a subclass */
bool tg_is_encoder_layer(const nn_Module *module);
bool tg_is_decoder_layer(const nn_Module *module);
bool tg_has_forward_of_encoder_layer(const nn_Module *module); /* false for a subclass with another forward */
bool tg_has_forward_of_decoder_layer(const nn_Module *module);

/* Checks the arguments of a decoder or a decoder layer: masks are two attention masks, then two padding masks, each of
 * which may be NULL. */
bool tg_check_decoder_arguments(Tensor *tgt, Tensor *memory, Tensor *const *masks);

#endif
