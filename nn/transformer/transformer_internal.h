/* nn/transformer/transformer_internal.h: what the layers and stacks of both Transformer families share (internal).
 *
 * The folder has the tutorials' classes (tutorial_transformer.h: multi_head_attention.c, positional_encoding.c,
 * encoder.c, decoder.c, encoder_decoder.c) and PyTorch's (torch_transformer.h: multi_head_attention.c,
 * transformer_layers.c, transformer_stacks.c). Both run the layer body of sublayers.c, the feed-forward network of
 * feed_forward.c, the loop over layers of stack.c, and the attention of nn/functional/attention. */
#ifndef TAPEGRAD_NN_TRANSFORMER_TRANSFORMER_INTERNAL_H
#define TAPEGRAD_NN_TRANSFORMER_TRANSFORMER_INTERNAL_H

#include "core/kernels/gemm/gemm_epilogue.h"
#include "nn/module/module_internal.h"
#include "nn/transformer/torch_transformer.h"
#include "nn/transformer/tutorial_transformer.h"

/* ---- sublayers.c ---- */

/* y = forward(call, x), with the norm and the dropout of its residual connection. */
typedef struct tg_Sublayer {
    Tensor *(*forward)(const void *call, Tensor *x);
    const void *call; /* module and further arguments */
    nn_LayerNorm *norm;
    nn_Dropout *dropout;
    bool transposed; /* the dropout mask is drawn in the order of y.transpose(0, 1); y has three dims then */
} tg_Sublayer;

/* A whole layer. */
Tensor *tg_run_sublayers(const tg_Sublayer *sublayers, int count, bool norm_first, Tensor *x);

/* x + dropout(y), and norm(x + dropout(y)); *sum, if given, gets x + dropout(y), too (NULL on failure). */
Tensor *tg_add_residual(nn_Dropout *dropout, Tensor *x, Tensor *y);
Tensor *tg_norm_residual(nn_LayerNorm *norm, nn_Dropout *dropout, Tensor *x, Tensor *y, Tensor **sum, bool transposed);

/* ---- feed_forward.c ---- */

/* linear2(dropout(activation(linear1(x)))) */
typedef struct tg_FeedForwardParts {
    nn_Linear *linear1, *linear2;
    nn_Dropout *dropout;
    nn_Module *activation;                    /* or NULL, then: */
    Tensor *(*activation_function)(Tensor *); /* or NULL, then: */
    bool is_gelu;                             /* gelu, else relu */
} tg_FeedForwardParts;
Tensor *tg_run_feed_forward(const tg_FeedForwardParts *parts, Tensor *x);

/* The feed-forward network: two linear layers with activation and dropout between them; biases may be NULL. */
typedef struct tg_FeedForward {
    Tensor *weight1, *bias1, *weight2, *bias2;
    tg_Activation activation;
    double p; /* of the dropout, below 1; 0: none */
} tg_FeedForward;

/* dropout(activation(x W1^T + b1)) W2^T + b2 as one record. Random numbers and results are bit for bit those of the
 * four ops. x: (..., in), contiguous. */
Tensor *tg_feed_forward(Tensor *x, const tg_FeedForward *network);
bool tg_can_feed_forward(const Tensor *x, const tg_FeedForward *network);

/* ---- stack.c ---- */

/* The layers of an encoder or a decoder, and how one is called. */
typedef struct tg_Stack {
    nn_ModuleList *layers;
    void *final_norm; /* or NULL */
    Tensor *memory;   /* of a decoder */
    bool has_masks;
    bool (*has_own_forward)(const nn_Module *layer); /* a subclass with another forward, which takes no masks */
    Tensor *(*call_layer)(const void *call, nn_Module *layer, Tensor *x, Tensor **self_weights, Tensor **cross_weights);
    const void *call;
} tg_Stack;

/* final_norm(layer(... layer(x))). The lists get every layer's weights; NULL: not wanted. */
Tensor *tg_run_stack(const tg_Stack *stack, Tensor *x, t_TensorList *self_weights, t_TensorList *cross_weights);

/* ---- encoder.c: shared with decoder.c ---- */

/* (B, S) int64 -> (B, S, D): embedding, its scale, positional encoding. */
Tensor *tg_embed(nn_Embedding *embedding, double scale, nn_PositionalEncoding *positional_encoding, Tensor *ids);

/* A sublayer's call of nn_MultiHeadAttention: keys and values are memory's, or x's own where it is NULL. */
typedef struct tg_AttentionCall {
    nn_MultiHeadAttention *module;
    Tensor *memory, *mask, **weights;
} tg_AttentionCall;
Tensor *tg_attention_sublayer(const void *call, Tensor *x);
Tensor *tg_feed_forward_sublayer(const void *module, Tensor *x); /* of nn_FeedForward */

/* The options of a stack passed on to its parts. */
nn_EncoderLayerOptions tg_layer_options(const nn_EncoderOptions *o);
nn_MultiHeadAttentionOptions tg_attention_options(const nn_EncoderLayerOptions *o);
nn_FeedForwardOptions tg_feed_forward_options(const nn_EncoderLayerOptions *o);
nn_Embedding *tg_new_embedding(const nn_EncoderOptions *o, int64_t vocab_size, int64_t d_model);
nn_PositionalEncoding *tg_new_positional_encoding(const nn_EncoderOptions *o, int64_t d_model);

/* ---- PyTorch's family ---- */

/* nn_MultiheadAttention_call on checked arguments; o->weights is set even without need_weights. contiguous: the result
 * is contiguous also with batch_first, where PyTorch's is a transposed view. */
Tensor *tg_multihead_attention(nn_MultiheadAttention *self, Tensor *query, Tensor *key, Tensor *value,
                               const nn_MultiheadAttentionCallOptions *o, bool contiguous);

/* an nn_TransformerEncoderLayer, a copy of one, or an object of a subclass */
bool tg_is_encoder_layer(const nn_Module *module);
bool tg_is_decoder_layer(const nn_Module *module);
/* of a layer of the class: a subclass with another forward */
bool tg_has_own_encoder_forward(const nn_Module *layer);
bool tg_has_own_decoder_forward(const nn_Module *layer);

/* Checks the arguments of a decoder or a decoder layer: masks are two attention masks, then two padding masks, each of
 * which may be NULL. */
bool tg_check_decoder_arguments(Tensor *tgt, Tensor *memory, Tensor *const *masks);

#endif
