/* nn/transformer/transformer_internal.h: what the layers and stacks of both Transformer families share (internal).
 *
 * The folder has the tutorials' classes (tutorial_transformer.h; encoder_decoder.c) and PyTorch's (torch_transformer.h;
 * transformer.c), and both families' attention modules (multi_head_attention.c). Both families run the layer body of
 * sublayers.c, the feed-forward network of feed_forward.c, the loop over layers of stack.c, and the attention of
 * nn/functional/attention. The folder may include nn/modules, nn/functional, nn/module, nn/init and core/,
 * and of the kernels only gemm_epilogue.h, whose tg_Activation names the activation of a fused product. */
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

/* A layer: its sublayers, one after the other. */
Tensor *tg_run_sublayers(const tg_Sublayer *sublayers, int count, bool norm_first, Tensor *x);

/* x + dropout(y), and norm(x + dropout(y)); *sum, if given, gets x + dropout(y), too (NULL on failure). */
Tensor *tg_add_residual(nn_Dropout *dropout, Tensor *x, Tensor *y);
Tensor *tg_norm_residual(nn_LayerNorm *norm, nn_Dropout *dropout, Tensor *x, Tensor *y, Tensor **sum, bool transposed);

/* Closes the scope of a call, with y and the weights moved to the caller's scope; on failure the weights are NULL.
 * Either pointer to weights may be NULL: not wanted. */
Tensor *tg_return_with_weights(int depth, Tensor *y, Tensor **weights, Tensor **cross_weights);

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
bool tg_can_fuse_feed_forward(const Tensor *x, const tg_FeedForward *network);

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

/* ---- PyTorch's family ---- */

/* nn_MultiheadAttention_call on checked arguments; o->weights is set even without need_weights. contiguous: the result
 * is contiguous also with batch_first, where PyTorch's is a transposed view. */
Tensor *tg_multihead_attention(nn_MultiheadAttention *self, Tensor *query, Tensor *key, Tensor *value,
                               const nn_MultiheadAttentionCallOptions *o, bool contiguous);

/* An nn_TransformerDecoderLayer, a copy of one, or an object of a subclass. (transformer.c) */
bool tg_is_decoder_layer(const nn_Module *module);

#endif
