/* nn/sugar/functional.h: keyword-argument macros of torch.nn.functional (public; gcc and clang, C only). See
 * core/sugar/sugar.h. */
#ifndef TAPEGRAD_NN_SUGAR_FUNCTIONAL_H
#define TAPEGRAD_NN_SUGAR_FUNCTIONAL_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "nn/functional/functional.h"
#include "nn/sugar/functional_activations.h"
#include "nn/sugar/functional_losses.h"

/* F_linear(x, w), F_linear(x, w, b) */
typedef struct F_LinearArguments_ { int first_; Tensor *weight, *bias; } F_LinearArguments_;
#define F_linear(...) T_OP_ARGUMENTS_((input, weight), (F_linear)(t__a, t__o.weight, t__o.bias), \
    "F_linear(" #__VA_ARGS__ ")", F_LinearArguments_, (.bias = NULL), __VA_ARGS__)

/* F_layer_norm(x, (512,)), F_layer_norm(x, (4, 8), w, b, 1e-6), F_layer_norm(x, (512,), .eps = 1e-6): the shape is
 * written in parentheses, like a tuple in Python */
typedef struct F_LayerNormArguments_ {
    int first_; int64_t normalized_shape_; Tensor *weight, *bias; double eps; t_Tuple normalized_shape;
} F_LayerNormArguments_;
#define F_layer_norm(...) T_OP_NAMED_((input, normalized_shape), (normalized_shape, weight), \
    (F_layer_norm)(t__a, T_LIST_OF_(normalized_shape), t__o.weight, t__o.bias, t__o.eps), \
    "F_layer_norm(" #__VA_ARGS__ ")", F_LayerNormArguments_, \
    (.normalized_shape_ = T_LEFT_OUT_, .normalized_shape = T_NO_TUPLE_, .eps = 1e-5), __VA_ARGS__)

/* F_dropout(x), F_dropout(x, 0.1), F_dropout(x, 0.1, false), ... .training = self->base.training, .inplace = true) */
typedef struct F_DropoutArguments_ { int first_; double p; bool training, inplace; } F_DropoutArguments_;
#define F_dropout(...) T_BEGIN_("F_dropout(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(F_DropoutArguments_, t__o, .p = 0.5, .training = true, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (F_dropout)(t__a, t__o.p, t__o.training, t__o.inplace))

/* F_embedding(ids, w), F_embedding(ids, w, .padding_idx = 0, .max_norm = 1) */
typedef struct F_EmbeddingArguments_ {
    int first_;
    Tensor *weight;
    int64_t padding_idx;
    double max_norm, norm_type;
    bool scale_grad_by_freq;
} F_EmbeddingArguments_;
#define F_embedding(...) T_OP_ARGUMENTS_((input, weight), (F_embedding)(t__a, t__o.weight, \
    &(const F_EmbeddingOptions){sizeof(F_EmbeddingOptions), t__o.padding_idx, t__o.max_norm, t__o.norm_type, \
    t__o.scale_grad_by_freq}), "F_embedding(" #__VA_ARGS__ ")", F_EmbeddingArguments_, \
    (.padding_idx = T_NONE, .max_norm = (double)__builtin_nanf(""), .norm_type = 2), __VA_ARGS__)

/* F_embedding_bag(ids, w, offsets), F_embedding_bag(ids, w, .mode = "sum") of two-dimensional ids */
typedef struct F_EmbeddingBagArguments_ {
    int first_;
    Tensor *weight, *offsets;
    double max_norm, norm_type;
    bool scale_grad_by_freq;
    const char *mode;
    Tensor *per_sample_weights;
    bool include_last_offset;
    int64_t padding_idx;
} F_EmbeddingBagArguments_;
#define F_embedding_bag(...) T_OP_ARGUMENTS_((input, weight), (F_embedding_bag)(t__a, t__o.weight, t__o.offsets, \
    &(const F_EmbeddingBagOptions){sizeof(F_EmbeddingBagOptions), t__o.max_norm, t__o.norm_type, \
    t__o.scale_grad_by_freq, t__o.mode, t__o.per_sample_weights, t__o.include_last_offset, t__o.padding_idx}), \
    "F_embedding_bag(" #__VA_ARGS__ ")", F_EmbeddingBagArguments_, \
    (.max_norm = (double)__builtin_nanf(""), .norm_type = 2, .mode = "mean", .padding_idx = T_NONE), __VA_ARGS__)

/* F_scaled_dot_product_attention(q, k, v), F_scaled_dot_product_attention(q, k, v, mask, .dropout_p = 0.1), ...
 * .is_causal = true */
typedef struct F_AttentionArguments_ {
    int first_;
    Tensor *key, *value, *attn_mask;
    double dropout_p;
    bool is_causal;
    double scale;
    bool enable_gqa;
} F_AttentionArguments_;
#define F_scaled_dot_product_attention(...) T_OP_ARGUMENTS_((input, key, value), \
    (F_scaled_dot_product_attention)(t__a, t__o.key, t__o.value, \
    &(const F_AttentionOptions){sizeof(F_AttentionOptions), t__o.attn_mask, t__o.dropout_p, t__o.is_causal, \
    t__o.scale, t__o.enable_gqa}), "F_scaled_dot_product_attention(" #__VA_ARGS__ ")", F_AttentionArguments_, \
    (.scale = __builtin_nan("")), __VA_ARGS__)
/* F_bilinear(a, b, w), F_bilinear(a, b, w, bias) */
typedef struct F_BilinearArguments_ { int first_; Tensor *input2, *weight, *bias; } F_BilinearArguments_;
#define F_bilinear(...) T_OP_ARGUMENTS_((input, input2, weight), \
    (F_bilinear)(t__a, t__o.input2, t__o.weight, t__o.bias), "F_bilinear(" #__VA_ARGS__ ")", F_BilinearArguments_, \
    (.bias = NULL), __VA_ARGS__)
/* F_one_hot(labels), F_one_hot(labels, 10), F_one_hot(labels, .num_classes = 10) */
typedef struct F_OneHotArguments_ { int first_; int64_t num_classes; } F_OneHotArguments_;
#define F_one_hot(...) T_BEGIN_("F_one_hot(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(F_OneHotArguments_, t__o, .num_classes = -1, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (F_one_hot)(t__a, t__o.num_classes))


#include "nn/sugar/functional_layers.h"

#endif
#endif
