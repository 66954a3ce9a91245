/* nn/functional_sugar.h: Python's face of torch.nn.functional (public; gcc and clang, C only). See core/sugar.h. */
#ifndef TAPEGRAD_NN_FUNCTIONAL_SUGAR_H
#define TAPEGRAD_NN_FUNCTIONAL_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar.h"
#include "nn/functional.h"

/* F_linear(x, w), F_linear(x, w, b) */
typedef struct F_LinearArguments_ { int first_; Tensor *bias; } F_LinearArguments_;
#define F_linear(x, ...) T_BEGIN_("F_linear(" #x ", " #__VA_ARGS__ ")") Tensor *t__a = (x); Tensor *t__b = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(F_LinearArguments_, t__o, .bias = NULL, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (F_linear)(t__a, t__b, t__o.bias))

/* F_layer_norm(x, (512,)), F_layer_norm(x, (4, 8), w, b, 1e-6), F_layer_norm(x, (512,), .eps = 1e-6): the shape stands in
 * parentheses, as a tuple in Python */
typedef struct F_LayerNormArguments_ { int first_; Tensor *weight, *bias; double eps; } F_LayerNormArguments_;
#define F_OPEN_(tuple) F_the_shape_needs_parentheses_ tuple
#define F_the_shape_needs_parentheses_(...) __VA_ARGS__
#define F_layer_norm(x, ...) T_BEGIN_("F_layer_norm(" #x ", " #__VA_ARGS__ ")") Tensor *t__a = (x);                    \
    const int64_t t__s[] = {F_OPEN_(T_HEAD_(__VA_ARGS__))};                                                            \
    T_OPTIONS_(F_LayerNormArguments_, t__o, .eps = 1e-5, .first_ = 0, T_TAIL_(__VA_ARGS__))                            \
    T_END_(Tensor *, (F_layer_norm)(t__a, t__s, (int)(sizeof t__s / sizeof *t__s), t__o.weight, t__o.bias, t__o.eps))

/* F_dropout(x), F_dropout(x, 0.1), F_dropout(x, 0.1, false), F_dropout(x, .p = 0.1, .training = self->base.training) */
typedef struct F_DropoutArguments_ { int first_; double p; bool training; } F_DropoutArguments_;
#define F_dropout(...) T_BEGIN_("F_dropout(" #__VA_ARGS__ ")") Tensor *t__a = T_HEAD_(__VA_ARGS__);                    \
    T_OPTIONS_(F_DropoutArguments_, t__o, .p = 0.5, .training = true, .first_ = 0, T_TAIL_(__VA_ARGS__))               \
    T_END_(Tensor *, (F_dropout)(t__a, t__o.p, t__o.training))

/* F_embedding(ids, w), F_embedding(ids, w, .padding_idx = 0) */
typedef struct F_EmbeddingArguments_ { int first_; int64_t padding_idx; } F_EmbeddingArguments_;
#define F_embedding(ids, ...) T_BEGIN_("F_embedding(" #ids ", " #__VA_ARGS__ ")") Tensor *t__a = (ids); Tensor *t__b = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(F_EmbeddingArguments_, t__o, .padding_idx = T_NONE, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (F_embedding)(t__a, t__b, t__o.padding_idx))

/* F_bilinear(a, b, w), F_bilinear(a, b, w, bias) */
#define F_bilinear(a, b, ...) T_BEGIN_("F_bilinear(" #a ", " #b ", " #__VA_ARGS__ ")") Tensor *t__a = (a); Tensor *t__b = (b); Tensor *t__w = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(F_LinearArguments_, t__o, .bias = NULL, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (F_bilinear)(t__a, t__b, t__w, t__o.bias))
/* F_one_hot(labels), F_one_hot(labels, 10), F_one_hot(labels, .num_classes = 10) */
typedef struct F_OneHotArguments_ { int first_; int64_t num_classes; } F_OneHotArguments_;
#define F_one_hot(...) T_BEGIN_("F_one_hot(" #__VA_ARGS__ ")") Tensor *t__a = T_HEAD_(__VA_ARGS__);                     \
    T_OPTIONS_(F_OneHotArguments_, t__o, .num_classes = -1, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (F_one_hot)(t__a, t__o.num_classes))

#define F_relu(x) T_OP1_(F_relu, "F_relu(" #x ")", x)
#define F_sigmoid(x) T_OP1_(F_sigmoid, "F_sigmoid(" #x ")", x)
#define F_tanh(x) T_OP1_(F_tanh, "F_tanh(" #x ")", x)
/* F_gelu(x), F_gelu(x, .approximate = "tanh") */
typedef struct F_GeluArguments_ { int first_; const char *approximate; } F_GeluArguments_;
#define F_gelu(...) T_BEGIN_("F_gelu(" #__VA_ARGS__ ")") Tensor *t__a = T_HEAD_(__VA_ARGS__);                           \
    T_OPTIONS_(F_GeluArguments_, t__o, .approximate = "none", .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (F_gelu)(t__a, t__o.approximate))
/* F_softmax(x, -1), F_softmax(x, .dim = -1) */
#define F_softmax(x, ...) T_ALONG_((F_softmax)(t__a, t__d.dim), T_NONE, "F_softmax(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define F_log_softmax(x, ...) T_ALONG_((F_log_softmax)(t__a, t__d.dim), T_NONE, "F_log_softmax(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)

/* F_cross_entropy(logits, labels), F_cross_entropy(logits, labels, .label_smoothing = 0.1, .ignore_index = 0) */
#define F_LOSS_(f, text, A, ...) T_BEGIN_(text) Tensor *t__a = (A); Tensor *t__b = T_HEAD_(__VA_ARGS__);                \
    T_OPTIONS_(F_LossOptions, t__o, .ignore_index = -100, .reduction = "mean", .size = sizeof(F_LossOptions), T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (f)(t__a, t__b, &t__o))
#define F_cross_entropy(input, ...) F_LOSS_(F_cross_entropy, "F_cross_entropy(" #input ", " #__VA_ARGS__ ")", input, __VA_ARGS__)
#define F_nll_loss(input, ...) F_LOSS_(F_nll_loss, "F_nll_loss(" #input ", " #__VA_ARGS__ ")", input, __VA_ARGS__)
#define F_mse_loss(input, ...) F_LOSS_(F_mse_loss, "F_mse_loss(" #input ", " #__VA_ARGS__ ")", input, __VA_ARGS__)

#endif
#endif
