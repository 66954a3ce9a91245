/* nn/functional_sugar.h: Python's face of torch.nn.functional (public; gcc and clang, C only). See core/sugar.h. */
#ifndef TAPEGRAD_NN_FUNCTIONAL_SUGAR_H
#define TAPEGRAD_NN_FUNCTIONAL_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar.h"
#include "nn/functional.h"
#include "nn/functional_sugar_activations.h"
#include "nn/functional_sugar_losses.h"

/* F_linear(x, w), F_linear(x, w, b) */
typedef struct F_LinearArguments_ { int first_; Tensor *bias; } F_LinearArguments_;
#define F_linear(x, ...) T_BEGIN_("F_linear(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) T_TENSOR_(t__b, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(F_LinearArguments_, t__o, .bias = NULL, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (F_linear)(t__a, t__b, t__o.bias))

/* F_layer_norm(x, (512,)), F_layer_norm(x, (4, 8), w, b, 1e-6), F_layer_norm(x, (512,), .eps = 1e-6): the shape stands in
 * parentheses, as a tuple in Python */
typedef struct F_LayerNormArguments_ { int first_; Tensor *weight, *bias; double eps; } F_LayerNormArguments_;
#define F_OPEN_(tuple) F_the_shape_needs_parentheses_ tuple
#define F_the_shape_needs_parentheses_(...) __VA_ARGS__
#define F_layer_norm(x, ...) T_BEGIN_("F_layer_norm(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x))                    \
    const int64_t t__s[] = {F_OPEN_(T_HEAD_(__VA_ARGS__))};                                                            \
    T_OPTIONS_(F_LayerNormArguments_, t__o, .eps = 1e-5, .first_ = 0, T_TAIL_(__VA_ARGS__))                            \
    T_END_(Tensor *, (F_layer_norm)(t__a, t__s, (int)(sizeof t__s / sizeof *t__s), t__o.weight, t__o.bias, t__o.eps))

/* F_dropout(x), F_dropout(x, 0.1), F_dropout(x, 0.1, false), F_dropout(x, .p = 0.1, .training = self->base.training) */
typedef struct F_DropoutArguments_ { int first_; double p; bool training; } F_DropoutArguments_;
#define F_dropout(...) T_BEGIN_("F_dropout(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__))                    \
    T_OPTIONS_(F_DropoutArguments_, t__o, .p = 0.5, .training = true, .first_ = 0, T_TAIL_(__VA_ARGS__))               \
    T_END_(Tensor *, (F_dropout)(t__a, t__o.p, t__o.training))

/* F_embedding(ids, w), F_embedding(ids, w, .padding_idx = 0) */
typedef struct F_EmbeddingArguments_ { int first_; int64_t padding_idx; } F_EmbeddingArguments_;
#define F_embedding(ids, ...) T_BEGIN_("F_embedding(" #ids ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (ids)) T_TENSOR_(t__b, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(F_EmbeddingArguments_, t__o, .padding_idx = T_NONE, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (F_embedding)(t__a, t__b, t__o.padding_idx))

/* F_scaled_dot_product_attention(q, k, v), F_scaled_dot_product_attention(q, k, v, mask, .dropout_p = 0.1), ... .is_causal = true */
#define F_scaled_dot_product_attention(query, key, ...) T_BEGIN_("F_scaled_dot_product_attention(" #query ", " #key ", " #__VA_ARGS__ ")")  \
    T_TENSOR_(t__a, (query)) T_TENSOR_(t__b, (key)) T_TENSOR_(t__c, T_HEAD_(__VA_ARGS__))                                 \
    T_OPTIONS_(F_AttentionOptions, t__o, .scale = __builtin_nan(""), .size = sizeof(F_AttentionOptions), T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (F_scaled_dot_product_attention)(t__a, t__b, t__c, &t__o))
/* F_bilinear(a, b, w), F_bilinear(a, b, w, bias) */
#define F_bilinear(a, b, ...) T_BEGIN_("F_bilinear(" #a ", " #b ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (a)) T_TENSOR_(t__b, (b)) T_TENSOR_(t__w, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(F_LinearArguments_, t__o, .bias = NULL, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (F_bilinear)(t__a, t__b, t__w, t__o.bias))
/* F_one_hot(labels), F_one_hot(labels, 10), F_one_hot(labels, .num_classes = 10) */
typedef struct F_OneHotArguments_ { int first_; int64_t num_classes; } F_OneHotArguments_;
#define F_one_hot(...) T_BEGIN_("F_one_hot(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__))                     \
    T_OPTIONS_(F_OneHotArguments_, t__o, .num_classes = -1, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (F_one_hot)(t__a, t__o.num_classes))


#include "nn/functional_layers_sugar.h"

#endif
#endif
