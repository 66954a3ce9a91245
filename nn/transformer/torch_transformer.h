/* nn/transformer/torch_transformer.h: PyTorch's own nn.MultiheadAttention and nn.Transformer family (public).
 *
 *     nn_TransformerEncoderLayer *layer = nn_TransformerEncoderLayer(512, 8, .batch_first = true);
 *     nn_TransformerEncoder *encoder = nn_TransformerEncoder(layer, 6);
 *     Tensor *y = nn_TransformerEncoder_call(encoder, src, .src_key_padding_mask = padding);
 *     Tensor *z = nn_MultiheadAttention_call(mha, query, key, value, .need_weights = false);
 *
 * Names, argument order, defaults, state dict keys, initialisation and the meaning of masks are PyTorch's, so that
 * weights can be exchanged in both directions. Values are those of PyTorch with its fused inference path off
 * (torch.backends.mha.set_fastpath_enabled(False)). The classes that tutorials write themselves, with three projections
 * and masks whose 0 hides, are in nn/transformer/tutorial_transformer.h: take those to follow a tutorial.
 *
 * Notation: N batch, L positions of the queries, S those of the keys, E = embed_dim, H heads, d = E / H. A sequence is
 * (L, N, E), with batch_first (N, L, E), and (L, E) without a batch.
 *
 * A mask is bool, where true HIDES a key, or floating: it is added to the scores, and may require a gradient. attn_mask
 * (src_mask, tgt_mask, memory_mask): (L, S) or (N H, L, S), the heads of a sample next to each other; key_padding_mask:
 * (N, S), or (S) without a batch. Both may be given, with different dtypes (which PyTorch accepts with a warning).
 * is_causal is a hint that the mask is the causal one, and an error without a mask: with no other mask the kernel's
 * causal mode replaces the mask; together with a padding mask the hint is ignored. nn/transformer/mask.h's
 * nn_hide_causal(n) is such an attn_mask (nn_keep_causal(n) is its opposite), t_eq(ids, pad) such a key_padding_mask.
 * The stacks compare the mask with the causal one where the hint is T_NONE, PyTorch's None.
 *
 * A fully masked row gives NaN with need_weights (PyTorch's default), and 0 without; the layers do not set
 * need_weights.
 *
 * Attention weights are returned as in PyTorch: after the dropout, averaged over the heads, (N, L, S), or with
 * average_attn_weights = false (N, H, L, S); without the N where there is no batch. Beyond PyTorch (its issues 88810
 * and 99304), layers and stacks return them, too, one tensor per layer, through the options that end in `weights`. This
 * does not change a layer's result: here a fully masked row has weights 0. */
#ifndef TAPEGRAD_NN_TRANSFORMER_TORCH_TRANSFORMER_H
#define TAPEGRAD_NN_TRANSFORMER_TORCH_TRANSFORMER_H

#include "nn/modules/layers.h"

T_BEGIN_DECLS

/* ---- nn.MultiheadAttention (multi_head_attention.c) ---- */

/* nn.MultiheadAttention(embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False,
 * kdim=None, vdim=None, batch_first=False): one packed projection, or with other kdim or vdim three separate ones.
 * Take this class for PyTorch's parameters and masks, and nn_MultiHeadAttention, with a capital H, to follow a
 * tutorial: it has three projections, and masks whose 0 hides. */
typedef struct nn_MultiheadAttention {
    nn_Module base;
    Tensor *in_proj_weight;                                /* (3 E, E): of query, key and value; or NULL, then: */
    Tensor *q_proj_weight, *k_proj_weight, *v_proj_weight; /* (E, E), (E, kdim), (E, vdim) */
    Tensor *in_proj_bias;                                  /* (3 E), NULL without bias */
    Tensor *bias_k, *bias_v;                               /* (1, 1, E): appended to key and value; or NULL */
    nn_Linear *out_proj;
    int64_t embed_dim, kdim, vdim, num_heads, head_dim;
    double dropout;
    bool batch_first, add_zero_attn;
} nn_MultiheadAttention;
typedef struct nn_MultiheadAttentionOptions {
    uint32_t size;
    double dropout;     /* of the weights */
    bool bias;          /* true */
    bool add_bias_kv;   /* append a learnt key and value */
    bool add_zero_attn; /* append a key and value of zeros */
    int64_t kdim, vdim; /* sizes of key and value; T_NONE: embed_dim */
    bool batch_first;
    t_DType dtype;
} nn_MultiheadAttentionOptions;
T_API extern const nn_MultiheadAttentionOptions nn_MultiheadAttentionDefaults;
/* Initialises out_proj, then in_proj_weight or the three, then bias_k and bias_v. Errors: sizes that are not positive,
 * embed_dim not divisible by num_heads. */
T_API nn_MultiheadAttention *nn_MultiheadAttention_new(int64_t embed_dim, int64_t num_heads,
                                                       const nn_MultiheadAttentionOptions *options);

typedef struct nn_MultiheadAttentionCallOptions {
    uint32_t size;
    Tensor *key_padding_mask;
    bool need_weights; /* true */
    Tensor *attn_mask;
    bool average_attn_weights; /* true */
    bool is_causal;
    Tensor **weights; /* receives the attention weights; NULL: not wanted, and not computed unless needed otherwise */
} nn_MultiheadAttentionCallOptions;
T_API extern const nn_MultiheadAttentionCallOptions nn_MultiheadAttentionCallDefaults;
/* attn_output, attn_output_weights = mha(query, key, value, ...). query: (L, N, E), key: (S, N, kdim), value: (S, N,
 * vdim), or with batch_first or without batch as above; returns the query's shape; *weights: NULL without need_weights.
 * Twice differentiable. */
T_API Tensor *nn_MultiheadAttention_call(nn_MultiheadAttention *self, Tensor *query, Tensor *key, Tensor *value,
                                         const nn_MultiheadAttentionCallOptions *options);

/* ---- the layers (transformer.c) ---- */

/* nn.TransformerEncoderLayer(d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu, layer_norm_eps=1e-5,
 * batch_first=False, norm_first=False, bias=True):
 * norm_first:  x = x + dropout1(self_attn(norm1(x))); x = x + dropout2(linear2(dropout(activation(linear1(norm2(x))))))
 * otherwise:   x = norm1(x + dropout1(self_attn(x))); x = norm2(x + dropout2(linear2(dropout(activation(linear1(x))))))
 * The tutorials' form is nn_EncoderLayer. */
typedef struct nn_TransformerEncoderLayer {
    nn_Module base;
    nn_MultiheadAttention *self_attn;
    nn_Linear *linear1, *linear2;
    nn_LayerNorm *norm1, *norm2;
    nn_Dropout *dropout, *dropout1, *dropout2;
    nn_Module *activation;                    /* a module, part of the tree; or NULL, then: */
    Tensor *(*activation_function)(Tensor *); /* a function; or NULL, then: */
    bool is_gelu;                             /* gelu, else relu */
    bool norm_first;
} nn_TransformerEncoderLayer;
typedef struct nn_TransformerEncoderLayerOptions {
    uint32_t size;
    int64_t dim_feedforward; /* 2048 */
    double dropout;          /* 0.1 */
    const char *activation;  /* "relu" or "gelu" */
    double layer_norm_eps;   /* 1e-5 */
    bool batch_first, norm_first;
    bool bias; /* true */
    t_DType dtype;
    void *activation_module;                  /* activation=nn.PReLU(): instead of the name, */
    /* activation=F.silu: or a function of one argument, static Tensor *silu(Tensor *x) { return F_silu(x); } */
    Tensor *(*activation_function)(Tensor *);
} nn_TransformerEncoderLayerOptions;
/* The defaults of both layers. */
T_API extern const nn_TransformerEncoderLayerOptions nn_TransformerEncoderLayerDefaults;
T_API nn_TransformerEncoderLayer *nn_TransformerEncoderLayer_new(int64_t d_model, int64_t nhead,
                                                                 const nn_TransformerEncoderLayerOptions *options);
typedef struct nn_TransformerEncoderLayerCallOptions {
    uint32_t size;
    Tensor *src_mask, *src_key_padding_mask;
    bool is_causal;
    Tensor **weights;
    bool average_attn_weights; /* true */
} nn_TransformerEncoderLayerCallOptions;
T_API extern const nn_TransformerEncoderLayerCallOptions nn_TransformerEncoderLayerCallDefaults;
/* layer(src, src_mask=None, src_key_padding_mask=None, is_causal=False), and nn_call(layer, src) */
T_API Tensor *nn_TransformerEncoderLayer_call(nn_TransformerEncoderLayer *self, Tensor *src,
                                              const nn_TransformerEncoderLayerCallOptions *options);

/* nn.TransformerDecoderLayer, with the same arguments; multihead_attn attends to the encoder's memory:
 * norm_first:  x = x + dropout1(self_attn(norm1(x))); x = x + dropout2(multihead_attn(norm2(x), memory));
 *              x = x + dropout3(linear2(dropout(activation(linear1(norm3(x))))))
 * otherwise:   x = norm1(x + dropout1(self_attn(x))); x = norm2(x + dropout2(multihead_attn(x, memory)));
 *              x = norm3(x + dropout3(linear2(dropout(activation(linear1(x))))))
 * The tutorials' form is nn_DecoderLayer. */
typedef struct nn_TransformerDecoderLayer {
    nn_Module base;
    nn_MultiheadAttention *self_attn, *multihead_attn;
    nn_Linear *linear1, *linear2;
    nn_LayerNorm *norm1, *norm2, *norm3;
    nn_Dropout *dropout, *dropout1, *dropout2, *dropout3;
    nn_Module *activation;
    Tensor *(*activation_function)(Tensor *);
    bool is_gelu;
    bool norm_first;
} nn_TransformerDecoderLayer;
typedef nn_TransformerEncoderLayerOptions nn_TransformerDecoderLayerOptions;
T_API nn_TransformerDecoderLayer *nn_TransformerDecoderLayer_new(int64_t d_model, int64_t nhead,
                                                                 const nn_TransformerDecoderLayerOptions *options);
typedef struct nn_TransformerDecoderLayerCallOptions {
    uint32_t size;
    Tensor *tgt_mask, *memory_mask, *tgt_key_padding_mask, *memory_key_padding_mask;
    bool tgt_is_causal, memory_is_causal;
    Tensor **self_weights, **cross_weights;
    bool average_attn_weights; /* true */
} nn_TransformerDecoderLayerCallOptions;
T_API extern const nn_TransformerDecoderLayerCallOptions nn_TransformerDecoderLayerCallDefaults;
/* layer(tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None,
 * tgt_is_causal=False, memory_is_causal=False), and nn_call(layer, tgt, memory) */
T_API Tensor *nn_TransformerDecoderLayer_call(nn_TransformerDecoderLayer *self, Tensor *tgt, Tensor *memory,
                                              const nn_TransformerDecoderLayerCallOptions *options);

/* ---- the stacks (transformer.c) ---- */

/* nn.TransformerEncoder(encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True): copies of
 * the layer (nn_deepcopy: equal weights, no random numbers), and an optional final norm. Unlike PyTorch's, the stacks
 * take only the library's own layers, because a C forward has no parameters for masks and weights. Layers of another
 * class go into a module that the user writes, over a ModuleList of their copies (for_module); pass it to
 * nn_Transformer as custom_encoder or custom_decoder. The tutorials' nn_Encoder also embeds token ids. */
typedef struct nn_TransformerEncoder {
    nn_Module base;
    nn_ModuleList *layers;
    nn_Module *norm; /* NULL for none */
    int64_t num_layers;
} nn_TransformerEncoder;
typedef struct nn_TransformerEncoderOptions {
    uint32_t size;
    void *norm;                            /* nn_LayerNorm(512), say */
    bool enable_nested_tensor, mask_check; /* true; no effect: padding is always computed with */
} nn_TransformerEncoderOptions;
T_API nn_TransformerEncoder *nn_TransformerEncoder_new(const nn_TransformerEncoderLayer *encoder_layer,
                                                       int64_t num_layers, const nn_TransformerEncoderOptions *options);
typedef struct nn_TransformerEncoderCallOptions {
    uint32_t size;
    Tensor *mask, *src_key_padding_mask;
    int64_t is_causal;         /* T_NONE: compare the mask with the causal one */
    t_TensorList **weights;    /* one tensor per layer */
    bool average_attn_weights; /* true */
} nn_TransformerEncoderCallOptions;
T_API extern const nn_TransformerEncoderCallOptions nn_TransformerEncoderCallDefaults;
/* encoder(src, mask=None, src_key_padding_mask=None, is_causal=None), and nn_call(encoder, src) */
T_API Tensor *nn_TransformerEncoder_call(nn_TransformerEncoder *self, Tensor *src,
                                         const nn_TransformerEncoderCallOptions *options);

/* nn.TransformerDecoder(decoder_layer, num_layers, norm=None): copies of the layer, as for the encoder. (The tutorials'
 * nn_Decoder also embeds token ids.) As in PyTorch 2.15, copies of a decoder layer, also those of nn_deepcopy, do not
 * use an activation that is a module (TransformerDecoderLayer.__setstate__): they have its parameters and print it, but
 * compute relu. An activation given as a name or a function is kept. */
typedef struct nn_TransformerDecoder {
    nn_Module base;
    nn_ModuleList *layers;
    nn_Module *norm;
    int64_t num_layers;
} nn_TransformerDecoder;
typedef struct nn_TransformerDecoderOptions {
    uint32_t size;
    void *norm;
} nn_TransformerDecoderOptions;
T_API nn_TransformerDecoder *nn_TransformerDecoder_new(const nn_TransformerDecoderLayer *decoder_layer,
                                                       int64_t num_layers, const nn_TransformerDecoderOptions *options);
typedef struct nn_TransformerDecoderCallOptions {
    uint32_t size;
    Tensor *tgt_mask, *memory_mask, *tgt_key_padding_mask, *memory_key_padding_mask;
    int64_t tgt_is_causal; /* T_NONE: compare the mask with the causal one */
    bool memory_is_causal;
    t_TensorList **self_weights, **cross_weights;
    bool average_attn_weights; /* true */
} nn_TransformerDecoderCallOptions;
T_API extern const nn_TransformerDecoderCallOptions nn_TransformerDecoderCallDefaults;
/* decoder(tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None,
 * tgt_is_causal=None, memory_is_causal=False), and nn_call(decoder, tgt, memory) */
T_API Tensor *nn_TransformerDecoder_call(nn_TransformerDecoder *self, Tensor *tgt, Tensor *memory,
                                         const nn_TransformerDecoderCallOptions *options);

/* nn.Transformer(d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048, dropout=0.1,
 * activation=F.relu, custom_encoder=None, custom_decoder=None, layer_norm_eps=1e-5, batch_first=False,
 * norm_first=False, bias=True): both stacks with a final norm each, and every matrix initialised by xavier_uniform_.
 * The tutorials' nn_EncoderDecoder is a whole model, from token ids to logits. */
typedef struct nn_Transformer {
    nn_Module base;
    nn_TransformerEncoder *encoder;
    nn_TransformerDecoder *decoder;
    int64_t d_model, nhead;
    bool batch_first;
} nn_Transformer;
typedef struct nn_TransformerOptions {
    uint32_t size;
    int64_t d_model, nhead;                         /* 512, 8 */
    int64_t num_encoder_layers, num_decoder_layers; /* 6 */
    int64_t dim_feedforward;                        /* 2048 */
    double dropout;                                 /* 0.1 */
    const char *activation;                         /* "relu" or "gelu" */
    void *custom_encoder, *custom_decoder; /* replace the stacks; a module of another class is called without masks */
    double layer_norm_eps;                 /* 1e-5 */
    bool batch_first, norm_first;
    bool bias; /* true */
    t_DType dtype;
    void *activation_module;                  /* as for a layer */
    Tensor *(*activation_function)(Tensor *);
} nn_TransformerOptions;
T_API extern const nn_TransformerOptions nn_TransformerDefaults;
T_API nn_Transformer *nn_Transformer_new(const nn_TransformerOptions *options);
typedef struct nn_TransformerCallOptions {
    uint32_t size;
    Tensor *src_mask, *tgt_mask, *memory_mask;
    Tensor *src_key_padding_mask, *tgt_key_padding_mask, *memory_key_padding_mask;
    int64_t src_is_causal, tgt_is_causal; /* T_NONE */
    bool memory_is_causal;
    t_TensorList **encoder_weights, **self_weights, **cross_weights;
    bool average_attn_weights; /* true */
} nn_TransformerCallOptions;
T_API extern const nn_TransformerCallOptions nn_TransformerCallDefaults;
/* transformer(src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None,
 * tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None,
 * memory_is_causal=False), and nn_call(transformer, src, tgt). memory_mask: (T, S); returns tgt's shape. */
T_API Tensor *nn_Transformer_call(nn_Transformer *self, Tensor *src, Tensor *tgt,
                                  const nn_TransformerCallOptions *options);
/* nn.Transformer.generate_square_subsequent_mask(sz): (sz, sz), -inf above the diagonal, else 0; for bool true there.
 * dtype 0: float32. */
T_API Tensor *nn_Transformer_generate_square_subsequent_mask(int64_t sz, t_DType dtype);

T_END_DECLS
#endif
