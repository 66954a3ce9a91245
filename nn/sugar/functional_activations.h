/* nn/sugar/functional_activations.h: the macros over activations.h, one line each (public; part of
 * nn/sugar/functional.h). */
#ifndef TAPEGRAD_NN_SUGAR_FUNCTIONAL_ACTIVATIONS_H
#define TAPEGRAD_NN_SUGAR_FUNCTIONAL_ACTIVATIONS_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "nn/functional/activation/activation.h"

typedef struct F_InplaceArguments_ { int first_; bool inplace; } F_InplaceArguments_;
typedef struct F_SlopeArguments_ { int first_; double negative_slope; bool inplace; } F_SlopeArguments_;
typedef struct F_HardtanhArguments_ { int first_; double min_val, max_val; bool inplace; } F_HardtanhArguments_;
typedef struct F_SoftplusArguments_ { int first_; double beta, threshold; } F_SoftplusArguments_;
typedef struct F_GeluArguments_ { int first_; const char *approximate; } F_GeluArguments_;

/* F_relu(x), F_relu(x, .inplace = true) */
#define F_relu(...) T_OP_KEYS_((F_relu)(t__a, t__o.inplace), "F_relu(" #__VA_ARGS__ ")", F_InplaceArguments_, \
    (.inplace = false), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define F_relu_(x) T_OP1_(F_relu_, "F_relu_(" #x ")", x)
#define F_relu6(...) T_OP_KEYS_((F_relu6)(t__a, t__o.inplace), "F_relu6(" #__VA_ARGS__ ")", F_InplaceArguments_, \
    (.inplace = false), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
/* F_leaky_relu(x), F_leaky_relu(x, 0.2), F_leaky_relu(x, .negative_slope = 0.2, .inplace = true) */
#define F_leaky_relu(...) T_OP_KEYS_((F_leaky_relu)(t__a, t__o.negative_slope, t__o.inplace), \
    "F_leaky_relu(" #__VA_ARGS__ ")", F_SlopeArguments_, (.negative_slope = 0.01), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define F_leaky_relu_(...) T_OP_KEYS_((F_leaky_relu_)(t__a, t__o.negative_slope), "F_leaky_relu_(" #__VA_ARGS__ ")", \
    F_SlopeArguments_, (.negative_slope = 0.01), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
/* F_rrelu(x), F_rrelu(x, 0.1, 0.3, .training = true), F_gumbel_softmax(logits, .tau = 0.5, .hard = true) */
typedef struct F_RReLUArguments_ { int first_; double lower, upper; bool training, inplace; } F_RReLUArguments_;
/* eps: as in PyTorch without an effect */
typedef struct F_GumbelArguments_ { int first_; double tau; bool hard; double eps; int64_t dim; } F_GumbelArguments_;
#define F_rrelu(...) T_OP_KEYS_((F_rrelu)(t__a, t__o.lower, t__o.upper, t__o.training, t__o.inplace), \
    "F_rrelu(" #__VA_ARGS__ ")", F_RReLUArguments_, (.lower = 1.0 / 8, .upper = 1.0 / 3), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define F_rrelu_(...) T_OP_KEYS_((F_rrelu_)(t__a, t__o.lower, t__o.upper, t__o.training), \
    "F_rrelu_(" #__VA_ARGS__ ")", F_RReLUArguments_, (.lower = 1.0 / 8, .upper = 1.0 / 3), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define F_gumbel_softmax(...) T_OP_KEYS_((F_gumbel_softmax)(t__a, t__o.tau, t__o.hard, t__o.dim), \
    "F_gumbel_softmax(" #__VA_ARGS__ ")", F_GumbelArguments_, (.tau = 1, .dim = -1), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define F_prelu(x, weight) T_OP2_(F_prelu, "F_prelu(" #x ", " #weight ")", x, weight)
/* F_elu(x), F_elu(x, 0.5), F_elu(x, .alpha = 0.5, .inplace = true) */
#define F_elu(...) T_OP_KEYS_((F_elu)(t__a, t__o.alpha, t__o.inplace), "F_elu(" #__VA_ARGS__ ")", t_CeluArguments_, \
    (.alpha = 1), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define F_elu_(...) T_OP_KEYS_((F_elu_)(t__a, t__o.alpha), "F_elu_(" #__VA_ARGS__ ")", t_CeluArguments_, (.alpha = 1), \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define F_celu(...) T_OP_KEYS_((F_celu)(t__a, t__o.alpha, t__o.inplace), "F_celu(" #__VA_ARGS__ ")", t_CeluArguments_, \
    (.alpha = 1), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define F_celu_(...) T_OP_KEYS_((F_celu_)(t__a, t__o.alpha), "F_celu_(" #__VA_ARGS__ ")", t_CeluArguments_, \
    (.alpha = 1), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define F_selu(...) T_OP_KEYS_((F_selu)(t__a, t__o.inplace), "F_selu(" #__VA_ARGS__ ")", F_InplaceArguments_, \
    (.inplace = false), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define F_selu_(x) T_OP1_(F_selu_, "F_selu_(" #x ")", x)
/* F_hardtanh(x), F_hardtanh(x, -2, 2), F_hardtanh(x, .max_val = 2) */
#define F_hardtanh(...) T_OP_KEYS_((F_hardtanh)(t__a, t__o.min_val, t__o.max_val, t__o.inplace), \
    "F_hardtanh(" #__VA_ARGS__ ")", F_HardtanhArguments_, (.min_val = -1, .max_val = 1), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define F_hardtanh_(...) T_OP_KEYS_((F_hardtanh_)(t__a, t__o.min_val, t__o.max_val), "F_hardtanh_(" #__VA_ARGS__ ")", \
    F_HardtanhArguments_, (.min_val = -1, .max_val = 1), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define F_hardsigmoid(...) T_OP_KEYS_((F_hardsigmoid)(t__a, t__o.inplace), "F_hardsigmoid(" #__VA_ARGS__ ")", \
    F_InplaceArguments_, (.inplace = false), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define F_hardswish(...) T_OP_KEYS_((F_hardswish)(t__a, t__o.inplace), "F_hardswish(" #__VA_ARGS__ ")", \
    F_InplaceArguments_, (.inplace = false), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
/* F_threshold(x, 0.1, 20), F_threshold(x, 0.1, 20, .inplace = true) */
typedef struct F_ThresholdArguments_ { int first_; double threshold, value; bool inplace; } F_ThresholdArguments_;
#define F_threshold(...) T_OP_ARGUMENTS_((input, threshold, value), \
    (F_threshold)(t__a, t__o.threshold, t__o.value, t__o.inplace), "F_threshold(" #__VA_ARGS__ ")", \
    F_ThresholdArguments_, (.inplace = false), __VA_ARGS__)
#define F_threshold_(...) T_OP_ARGUMENTS_((input, threshold, value), (F_threshold_)(t__a, t__o.threshold, t__o.value), \
    "F_threshold_(" #__VA_ARGS__ ")", F_ThresholdArguments_, (.inplace = false), __VA_ARGS__)
/* F_hardshrink(x), F_hardshrink(x, 1), F_hardshrink(x, .lambd = 1) */
#define F_hardshrink(...) T_OP_KEYS_((F_hardshrink)(t__a, t__o.lambd), "F_hardshrink(" #__VA_ARGS__ ")", \
    t_LambdArguments_, (.lambd = 0.5), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define F_softshrink(...) T_OP_KEYS_((F_softshrink)(t__a, t__o.lambd), "F_softshrink(" #__VA_ARGS__ ")", \
    t_LambdArguments_, (.lambd = 0.5), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

#define F_sigmoid(x) T_OP1_(F_sigmoid, "F_sigmoid(" #x ")", x)
#define F_tanh(x) T_OP1_(F_tanh, "F_tanh(" #x ")", x)
#define F_logsigmoid(x) T_OP1_(F_logsigmoid, "F_logsigmoid(" #x ")", x)
#define F_softsign(x) T_OP1_(F_softsign, "F_softsign(" #x ")", x)
#define F_tanhshrink(x) T_OP1_(F_tanhshrink, "F_tanhshrink(" #x ")", x)
/* F_gelu(x), F_gelu(x, .approximate = "tanh") */
#define F_gelu(...) T_OP_KEYS_((F_gelu)(t__a, t__o.approximate), "F_gelu(" #__VA_ARGS__ ")", F_GeluArguments_, \
    (.approximate = "none"), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define F_silu(...) T_OP_KEYS_((F_silu)(t__a, t__o.inplace), "F_silu(" #__VA_ARGS__ ")", F_InplaceArguments_, \
    (.inplace = false), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define F_mish(...) T_OP_KEYS_((F_mish)(t__a, t__o.inplace), "F_mish(" #__VA_ARGS__ ")", F_InplaceArguments_, \
    (.inplace = false), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
/* F_softplus(x), F_softplus(x, 2, 10), F_softplus(x, .beta = 2) */
#define F_softplus(...) T_OP_KEYS_((F_softplus)(t__a, t__o.beta, t__o.threshold), "F_softplus(" #__VA_ARGS__ ")", \
    F_SoftplusArguments_, (.beta = 1, .threshold = 20), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
/* F_glu(x), F_glu(x, 0); F_softmax(x, -1), F_softmax(x, .dim = -1, .dtype = t_float64) */
#define F_glu(...) T_ALONG_((F_glu)(t__a, t__d.dim), -1, "F_glu(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define F_softmax(...) T_ALONG_REQUIRED_((F_softmax_as)(t__a, t__d.dim, (t_DType)t__d.dtype), \
    "F_softmax(" #__VA_ARGS__ ")", __VA_ARGS__)
#define F_softmin(...) T_ALONG_REQUIRED_((F_softmin)(t__a, t__d.dim), "F_softmin(" #__VA_ARGS__ ")", __VA_ARGS__)
#define F_log_softmax(...) T_ALONG_REQUIRED_((F_log_softmax_as)(t__a, t__d.dim, (t_DType)t__d.dtype), \
    "F_log_softmax(" #__VA_ARGS__ ")", __VA_ARGS__)

#endif
#endif
