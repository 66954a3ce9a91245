/* nn/transformer/torch_internal.h: what the files of PyTorch's own Transformer family share (internal). */
#ifndef TAPEGRAD_NN_TRANSFORMER_TORCH_INTERNAL_H
#define TAPEGRAD_NN_TRANSFORMER_TORCH_INTERNAL_H

#include "nn/transformer/torch_transformer.h"
#include "nn/transformer/transformer_internal.h"

/* nn_MultiheadAttention_call on arguments that were checked; o->weights is filled even without need_weights. contiguous: with
 * batch_first, too, where PyTorch's result is turned. */
Tensor *tg_multihead_attention(nn_MultiheadAttention *self, Tensor *query, Tensor *key, Tensor *value,
                               const nn_MultiheadAttentionCallOptions *o, bool contiguous);

/* one of nn_TransformerEncoderLayer_new, a copy of one, or one of a subclass */
bool tg_is_encoder_layer(const nn_Module *module);
bool tg_is_decoder_layer(const nn_Module *module);
bool tg_has_forward_of_encoder_layer(const nn_Module *module); /* a subclass may have one of its own */
bool tg_has_forward_of_decoder_layer(const nn_Module *module);

/* The arguments of a decoder and of a layer of it: masks are two of scores, then two of padding, each of which may be NULL. */
bool tg_check_decoding(Tensor *tgt, Tensor *memory, Tensor *const *masks);

#endif
