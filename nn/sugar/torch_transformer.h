/* nn/sugar/torch_transformer.h: keyword-argument macros of nn/transformer/torch_transformer.h (public; gcc and clang, C
 * only). See core/sugar/sugar.h for how the macros are made. */
#ifndef TAPEGRAD_NN_SUGAR_TORCH_TRANSFORMER_H
#define TAPEGRAD_NN_SUGAR_TORCH_TRANSFORMER_H
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "nn/functional/functional.h"
#include "nn/transformer/torch_transformer.h"

/* nn_MultiheadAttention(512, 8, .batch_first = true), nn_TransformerEncoderLayer(512, 8, 2048, 0.1, "gelu") */
typedef struct nn_MultiheadAttentionArguments_ {
    int first_;
    int64_t embed_dim, num_heads;
    double dropout;
    bool bias, add_bias_kv, add_zero_attn;
    int64_t kdim, vdim;
    bool batch_first;
    int dtype;
} nn_MultiheadAttentionArguments_;
typedef struct nn_TorchLayerArguments_ {
    int first_;
    int64_t d_model, nhead, dim_feedforward;
    double dropout;
    const char *activation;
    double layer_norm_eps;
    bool batch_first, norm_first, bias;
    int dtype;
    void *activation_module;
    Tensor *(*activation_function)(Tensor *);
} nn_TorchLayerArguments_;
#define NN_TORCH_WITH_(...) __VA_ARGS__
#define nn_MultiheadAttention(...) T_NEW_ARGUMENTS_(nn_MultiheadAttention *, (embed_dim, num_heads), \
    nn_MultiheadAttention_new(t__o.embed_dim, t__o.num_heads, \
    &(const nn_MultiheadAttentionOptions){sizeof(nn_MultiheadAttentionOptions), t__o.dropout, t__o.bias, \
    t__o.add_bias_kv, t__o.add_zero_attn, t__o.kdim, t__o.vdim, t__o.batch_first, (t_DType)t__o.dtype}), \
    "nn_MultiheadAttention(" #__VA_ARGS__ ")", nn_MultiheadAttentionArguments_, \
    (.embed_dim = T_NONE, .num_heads = T_NONE, .bias = true, .kdim = T_NONE, .vdim = T_NONE), __VA_ARGS__)
#define NN_TORCH_LAYER_(Type, Options, text, ...) \
    T_NEW_ARGUMENTS_(Type *, (d_model, nhead), \
    Type##_new(t__o.d_model, t__o.nhead, &(const Options){sizeof(Options), t__o.dim_feedforward, t__o.dropout, \
    t__o.activation, t__o.layer_norm_eps, t__o.batch_first, t__o.norm_first, t__o.bias, (t_DType)t__o.dtype, \
    t__o.activation_module, t__o.activation_function}), text, nn_TorchLayerArguments_, \
    (.d_model = T_NONE, .nhead = T_NONE, .dim_feedforward = 2048, .dropout = 0.1, .activation = "relu", \
    .layer_norm_eps = 1e-5, .bias = true), __VA_ARGS__)
#define nn_TransformerEncoderLayer(...) NN_TORCH_LAYER_(nn_TransformerEncoderLayer, nn_TransformerEncoderLayerOptions, \
    "nn_TransformerEncoderLayer(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_TransformerDecoderLayer(...) NN_TORCH_LAYER_(nn_TransformerDecoderLayer, nn_TransformerDecoderLayerOptions, \
    "nn_TransformerDecoderLayer(" #__VA_ARGS__ ")", __VA_ARGS__)

/* nn_TransformerEncoder(encoder_layer, 6, .norm = nn_LayerNorm(512)) */
typedef struct nn_TransformerEncoderArguments_ {
    int first_;
    void *encoder_layer;
    int64_t num_layers;
    void *norm;
    bool enable_nested_tensor, mask_check;
} nn_TransformerEncoderArguments_;
typedef struct nn_TransformerDecoderArguments_ {
    int first_;
    void *decoder_layer;
    int64_t num_layers;
    void *norm;
} nn_TransformerDecoderArguments_;
#define nn_TransformerEncoder(...) T_NEW_ARGUMENTS_(nn_TransformerEncoder *, (encoder_layer, num_layers), \
    nn_TransformerEncoder_new(t__o.encoder_layer, t__o.num_layers, \
    &(const nn_TransformerEncoderOptions){sizeof(nn_TransformerEncoderOptions), t__o.norm, t__o.enable_nested_tensor, \
    t__o.mask_check}), "nn_TransformerEncoder(" #__VA_ARGS__ ")", nn_TransformerEncoderArguments_, \
    (.num_layers = T_NONE, .enable_nested_tensor = true, .mask_check = true), __VA_ARGS__)
#define nn_TransformerDecoder(...) T_NEW_ARGUMENTS_(nn_TransformerDecoder *, (decoder_layer, num_layers), \
    nn_TransformerDecoder_new(t__o.decoder_layer, t__o.num_layers, \
    &(const nn_TransformerDecoderOptions){sizeof(nn_TransformerDecoderOptions), t__o.norm}), \
    "nn_TransformerDecoder(" #__VA_ARGS__ ")", nn_TransformerDecoderArguments_, (.num_layers = T_NONE), __VA_ARGS__)
/* nn_Transformer(), nn_Transformer(.nhead = 16, .num_encoder_layers = 12) */
#define nn_Transformer(...) T_BEGIN_("nn_Transformer(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_TransformerOptions, t__o, .d_model = 512, .nhead = 8, .num_encoder_layers = 6, \
    .num_decoder_layers = 6, .dim_feedforward = 2048, .dropout = 0.1, .activation = "relu", .layer_norm_eps = 1e-5, \
    .bias = true, .size = sizeof(nn_TransformerOptions), __VA_ARGS__) \
    T_END_(nn_Transformer *, nn_Transformer_new(&t__o))
/* nn_Transformer_generate_square_subsequent_mask(10), ...(10, .dtype = t_float64) */
typedef struct nn_SquareMaskArguments_ { int first_; int dtype; } nn_SquareMaskArguments_;
#define nn_Transformer_generate_square_subsequent_mask(...) \
    T_BEGIN_("nn_Transformer_generate_square_subsequent_mask(" #__VA_ARGS__ ")") \
    T_INT64_(t__n = T_HEAD_(__VA_ARGS__)) T_OPTIONS_(nn_SquareMaskArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (nn_Transformer_generate_square_subsequent_mask)(t__n, (t_DType)t__o.dtype))

/* ---- calls ---- */

/* nn_MultiheadAttention_call(mha, q, k, v, .key_padding_mask = pad, .need_weights = false) */
#define nn_MultiheadAttention_call(self, query, key, ...) \
    T_BEGIN_("nn_MultiheadAttention_call(" #self ", " #query ", " #key ", " #__VA_ARGS__ ")") \
    nn_MultiheadAttention *t__m = (self); T_TENSOR_(t__q, (query)) T_TENSOR_(t__k, (key)) \
    T_TENSOR_(t__v, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(nn_MultiheadAttentionCallOptions, t__o, .need_weights = true, .average_attn_weights = true, \
    .size = sizeof(nn_MultiheadAttentionCallOptions), T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (nn_MultiheadAttention_call)(t__m, t__q, t__k, t__v, &t__o))
/* nn_TransformerEncoder_call(encoder, src, .src_key_padding_mask = pad, .weights = &weights) */
#define NN_TORCH_CALL1_(f, Type, defaults, text, self, ...) T_BEGIN_(text) Type *t__m = (self); \
    T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(Type##CallOptions, t__o, NN_TORCH_WITH_ defaults, .size = sizeof(Type##CallOptions), \
    T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (f)(t__m, t__a, &t__o))
#define NN_TORCH_CALL2_(f, Type, defaults, text, self, a, ...) T_BEGIN_(text) Type *t__m = (self); \
    T_TENSOR_(t__a, (a)) T_TENSOR_(t__b, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(Type##CallOptions, t__o, NN_TORCH_WITH_ defaults, .size = sizeof(Type##CallOptions), \
    T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (f)(t__m, t__a, t__b, &t__o))
#define nn_TransformerEncoderLayer_call(self, ...) \
    NN_TORCH_CALL1_(nn_TransformerEncoderLayer_call, nn_TransformerEncoderLayer, (.average_attn_weights = true), \
    "nn_TransformerEncoderLayer_call(" #self ", " #__VA_ARGS__ ")", self, __VA_ARGS__)
#define nn_TransformerEncoder_call(self, ...) NN_TORCH_CALL1_(nn_TransformerEncoder_call, nn_TransformerEncoder, \
    (.is_causal = T_NONE, .average_attn_weights = true), "nn_TransformerEncoder_call(" #self ", " #__VA_ARGS__ ")", \
    self, __VA_ARGS__)
#define nn_TransformerDecoderLayer_call(self, tgt, ...) \
    NN_TORCH_CALL2_(nn_TransformerDecoderLayer_call, nn_TransformerDecoderLayer, (.average_attn_weights = true), \
    "nn_TransformerDecoderLayer_call(" #self ", " #tgt ", " #__VA_ARGS__ ")", self, tgt, __VA_ARGS__)
#define nn_TransformerDecoder_call(self, tgt, ...) NN_TORCH_CALL2_(nn_TransformerDecoder_call, nn_TransformerDecoder, \
    (.tgt_is_causal = T_NONE, .average_attn_weights = true), \
    "nn_TransformerDecoder_call(" #self ", " #tgt ", " #__VA_ARGS__ ")", self, tgt, __VA_ARGS__)
#define nn_Transformer_call(self, src, ...) NN_TORCH_CALL2_(nn_Transformer_call, nn_Transformer, \
    (.src_is_causal = T_NONE, .tgt_is_causal = T_NONE, .average_attn_weights = true), \
    "nn_Transformer_call(" #self ", " #src ", " #__VA_ARGS__ ")", self, src, __VA_ARGS__)

/* F_multi_head_attention_forward(q, k, v, E, H, in_weight, in_bias, NULL, NULL, false, 0.1, out_weight, out_bias,
 * .training = false) */
#define F_multi_head_attention_forward(query, key, value, embed_dim, num_heads, in_weight, in_bias, bias_k, bias_v, \
    add_zero_attn, dropout_p, out_weight, ...) \
    T_BEGIN_("F_multi_head_attention_forward(" #query ", " #key ", " #value ", ...)") T_TENSOR_(t__q, (query)) \
    T_TENSOR_(t__k, (key)) T_TENSOR_(t__v, (value)) \
    T_INT64_(t__e = (embed_dim), t__h = (num_heads)) T_TENSOR_(t__iw, (in_weight)) Tensor *t__ib = (in_bias); \
    Tensor *t__bk = (bias_k); Tensor *t__bv = (bias_v); \
    const bool t__z = (add_zero_attn); const double t__p = (dropout_p); T_TENSOR_(t__ow, (out_weight)) \
    T_TENSOR_(t__ob, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(F_MultiHeadAttentionOptions, t__o, .training = true, .need_weights = true, \
    .average_attn_weights = true, .size = sizeof(F_MultiHeadAttentionOptions), T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (F_multi_head_attention_forward)(t__q, t__k, t__v, t__e, t__h, t__iw, t__ib, t__bk, t__bv, t__z, \
    t__p, t__ow, t__ob, &t__o))

#endif
