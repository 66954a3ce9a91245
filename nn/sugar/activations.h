/* nn/sugar/activations.h: keyword-argument macros of the activations as modules (public; gcc and clang, C only; part of
 * nn/sugar/sugar.h). */
#ifndef TAPEGRAD_NN_SUGAR_ACTIVATIONS_H
#define TAPEGRAD_NN_SUGAR_ACTIVATIONS_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "nn/modules/activations.h"

#define nn_Sigmoid() T_BEGIN_("nn_Sigmoid()") T_END_(nn_Sigmoid *, nn_Sigmoid_new())
#define nn_Tanh() T_BEGIN_("nn_Tanh()") T_END_(nn_Tanh *, nn_Tanh_new())
#define nn_LogSigmoid() T_BEGIN_("nn_LogSigmoid()") T_END_(nn_LogSigmoid *, nn_LogSigmoid_new())
#define nn_Softsign() T_BEGIN_("nn_Softsign()") T_END_(nn_Softsign *, nn_Softsign_new())
#define nn_Tanhshrink() T_BEGIN_("nn_Tanhshrink()") T_END_(nn_Tanhshrink *, nn_Tanhshrink_new())

typedef struct nn_InplaceArguments_ { int first_; bool inplace; } nn_InplaceArguments_;
typedef struct nn_SlopeArguments_ { int first_; double negative_slope; bool inplace; } nn_SlopeArguments_;
typedef struct nn_AlphaArguments_ { int first_; double alpha; bool inplace; } nn_AlphaArguments_;
typedef struct nn_HardtanhArguments_ { int first_; double min_val, max_val; bool inplace; } nn_HardtanhArguments_;
typedef struct nn_SoftplusArguments_ { int first_; double beta, threshold; } nn_SoftplusArguments_;
typedef struct nn_LambdArguments_ { int first_; double lambd; } nn_LambdArguments_;
typedef struct nn_SoftmaxArguments_ { int first_; int64_t dim; } nn_SoftmaxArguments_;
typedef struct nn_GELUArguments_ { int first_; const char *approximate; } nn_GELUArguments_;
/* nn_ReLU(), nn_ReLU(.inplace = true), nn_LeakyReLU(0.2), nn_Hardtanh(-2, 2), nn_Softmax(-1),
 * nn_PReLU(8, .init = 0.1) */
#define nn_ReLU(...) T_BEGIN_("nn_ReLU(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_InplaceArguments_, t__o, .inplace = false, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_ReLU *, nn_ReLU_new(t__o.inplace))
#define nn_ReLU6(...) T_BEGIN_("nn_ReLU6(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_InplaceArguments_, t__o, .inplace = false, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_ReLU6 *, nn_ReLU6_new(t__o.inplace))
#define nn_SELU(...) T_BEGIN_("nn_SELU(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_InplaceArguments_, t__o, .inplace = false, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_SELU *, nn_SELU_new(t__o.inplace))
#define nn_SiLU(...) T_BEGIN_("nn_SiLU(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_InplaceArguments_, t__o, .inplace = false, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_SiLU *, nn_SiLU_new(t__o.inplace))
#define nn_Mish(...) T_BEGIN_("nn_Mish(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_InplaceArguments_, t__o, .inplace = false, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_Mish *, nn_Mish_new(t__o.inplace))
#define nn_Hardswish(...) T_BEGIN_("nn_Hardswish(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_InplaceArguments_, t__o, .inplace = false, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_Hardswish *, nn_Hardswish_new(t__o.inplace))
#define nn_Hardsigmoid(...) T_BEGIN_("nn_Hardsigmoid(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_InplaceArguments_, t__o, .inplace = false, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_Hardsigmoid *, nn_Hardsigmoid_new(t__o.inplace))
#define nn_LeakyReLU(...) T_BEGIN_("nn_LeakyReLU(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_SlopeArguments_, t__o, .negative_slope = 0.01, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_LeakyReLU *, nn_LeakyReLU_new(t__o.negative_slope, t__o.inplace))
typedef struct nn_RReLUArguments_ { int first_; double lower, upper; bool inplace; } nn_RReLUArguments_;
#define nn_RReLU(...) T_BEGIN_("nn_RReLU(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_RReLUArguments_, t__o, .lower = 1.0 / 8, .upper = 1.0 / 3, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_RReLU *, nn_RReLU_new(t__o.lower, t__o.upper, t__o.inplace))
#define nn_Softmax2d() T_BEGIN_("nn_Softmax2d()") T_END_(nn_Softmax2d *, nn_Softmax2d_new())
#define nn_ELU(...) T_BEGIN_("nn_ELU(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_AlphaArguments_, t__o, .alpha = 1, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_ELU *, nn_ELU_new(t__o.alpha, t__o.inplace))
#define nn_CELU(...) T_BEGIN_("nn_CELU(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_AlphaArguments_, t__o, .alpha = 1, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_CELU *, nn_CELU_new(t__o.alpha, t__o.inplace))
#define nn_Hardtanh(...) T_BEGIN_("nn_Hardtanh(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_HardtanhArguments_, t__o, .min_val = -1, .max_val = 1, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_Hardtanh *, nn_Hardtanh_new(t__o.min_val, t__o.max_val, t__o.inplace))
typedef struct nn_ThresholdArguments_ { int first_; double threshold, value; bool inplace; } nn_ThresholdArguments_;
#define nn_Threshold(...) T_NEW_ARGUMENTS_(nn_Threshold *, (threshold, value), \
    nn_Threshold_new(t__o.threshold, t__o.value, t__o.inplace), "nn_Threshold(" #__VA_ARGS__ ")", \
    nn_ThresholdArguments_, (.inplace = false), __VA_ARGS__)
#define nn_Softplus(...) T_BEGIN_("nn_Softplus(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_SoftplusArguments_, t__o, .beta = 1, .threshold = 20, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_Softplus *, nn_Softplus_new(t__o.beta, t__o.threshold))
#define nn_Softshrink(...) T_BEGIN_("nn_Softshrink(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_LambdArguments_, t__o, .lambd = 0.5, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_Softshrink *, nn_Softshrink_new(t__o.lambd))
#define nn_Hardshrink(...) T_BEGIN_("nn_Hardshrink(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_LambdArguments_, t__o, .lambd = 0.5, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_Hardshrink *, nn_Hardshrink_new(t__o.lambd))
#define nn_Softmax(...) T_BEGIN_("nn_Softmax(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_SoftmaxArguments_, t__o, .dim = T_NONE, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_Softmax *, nn_Softmax_new(t__o.dim))
#define nn_LogSoftmax(...) T_BEGIN_("nn_LogSoftmax(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_SoftmaxArguments_, t__o, .dim = T_NONE, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_LogSoftmax *, nn_LogSoftmax_new(t__o.dim))
#define nn_Softmin(...) T_BEGIN_("nn_Softmin(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_SoftmaxArguments_, t__o, .dim = T_NONE, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_Softmin *, nn_Softmin_new(t__o.dim))
#define nn_GLU(...) T_BEGIN_("nn_GLU(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_SoftmaxArguments_, t__o, .dim = -1, .first_ = 0, __VA_ARGS__) T_END_(nn_GLU *, nn_GLU_new(t__o.dim))
#define nn_GELU(...) T_BEGIN_("nn_GELU(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_GELUArguments_, t__o, .first_ = 0, __VA_ARGS__) T_END_(nn_GELU *, nn_GELU_new(t__o.approximate))
#define nn_PReLU(...) T_BEGIN_("nn_PReLU(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_PReLUOptions, t__o, .num_parameters = 1, .init = 0.25, .size = sizeof(nn_PReLUOptions), __VA_ARGS__) \
    T_END_(nn_PReLU *, nn_PReLU_new(&t__o))

#endif
#endif
