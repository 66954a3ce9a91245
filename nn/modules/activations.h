/* nn/modules/activations.h: the activations of torch.nn, modules without parameters except PReLU (public).
 *
 * As in nn/modules/layers.h: nn_X is the type, nn_X(...) the constructor with keywords (nn/sugar/activations.h),
 * nn_X_new the plain constructor with all of them as arguments. A module calls the function F_x of its name. */
#ifndef TAPEGRAD_NN_MODULES_ACTIVATIONS_H
#define TAPEGRAD_NN_MODULES_ACTIVATIONS_H

#include "nn/module/module.h"

T_BEGIN_DECLS

typedef struct nn_Sigmoid { nn_Module base; } nn_Sigmoid;
typedef struct nn_Tanh { nn_Module base; } nn_Tanh;
typedef struct nn_LogSigmoid { nn_Module base; } nn_LogSigmoid;
typedef struct nn_Softsign { nn_Module base; } nn_Softsign;
typedef struct nn_Tanhshrink { nn_Module base; } nn_Tanhshrink;
T_API nn_Sigmoid *nn_Sigmoid_new(void);               /* nn.Sigmoid() */
T_API nn_Tanh *nn_Tanh_new(void);                     /* nn.Tanh() */
T_API nn_LogSigmoid *nn_LogSigmoid_new(void);         /* nn.LogSigmoid() */
T_API nn_Softsign *nn_Softsign_new(void);             /* nn.Softsign() */
T_API nn_Tanhshrink *nn_Tanhshrink_new(void);         /* nn.Tanhshrink() */

/* inplace: the module writes the result to its input, and returns it. */
typedef struct nn_ReLU { nn_Module base; bool inplace; } nn_ReLU;
typedef struct nn_ReLU6 { nn_Module base; bool inplace; } nn_ReLU6;
typedef struct nn_SELU { nn_Module base; bool inplace; } nn_SELU;
typedef struct nn_SiLU { nn_Module base; bool inplace; } nn_SiLU;
typedef struct nn_Mish { nn_Module base; bool inplace; } nn_Mish;
typedef struct nn_Hardswish { nn_Module base; bool inplace; } nn_Hardswish;
typedef struct nn_Hardsigmoid { nn_Module base; bool inplace; } nn_Hardsigmoid;
T_API nn_ReLU *nn_ReLU_new(bool inplace);             /* nn.ReLU(inplace=False) */
T_API nn_ReLU6 *nn_ReLU6_new(bool inplace);           /* nn.ReLU6(inplace=False) */
T_API nn_SELU *nn_SELU_new(bool inplace);             /* nn.SELU(inplace=False) */
T_API nn_SiLU *nn_SiLU_new(bool inplace);             /* nn.SiLU(inplace=False) */
T_API nn_Mish *nn_Mish_new(bool inplace);             /* nn.Mish(inplace=False) */
T_API nn_Hardswish *nn_Hardswish_new(bool inplace);   /* nn.Hardswish(inplace=False) */
T_API nn_Hardsigmoid *nn_Hardsigmoid_new(bool inplace); /* nn.Hardsigmoid(inplace=False) */

typedef struct nn_LeakyReLU { nn_Module base; double negative_slope; bool inplace; } nn_LeakyReLU;
typedef struct nn_ELU { nn_Module base; double alpha; bool inplace; } nn_ELU;
typedef struct nn_CELU { nn_Module base; double alpha; bool inplace; } nn_CELU;
typedef struct nn_Hardtanh { nn_Module base; double min_val, max_val; bool inplace; } nn_Hardtanh;
typedef struct nn_Threshold { nn_Module base; double threshold, value; bool inplace; } nn_Threshold;
typedef struct nn_Softplus { nn_Module base; double beta, threshold; } nn_Softplus;
typedef struct nn_Softshrink { nn_Module base; double lambd; } nn_Softshrink;
typedef struct nn_Hardshrink { nn_Module base; double lambd; } nn_Hardshrink;
T_API nn_LeakyReLU *nn_LeakyReLU_new(double negative_slope,
                                     bool inplace); /* nn.LeakyReLU(negative_slope=0.01, inplace=False) */
T_API nn_ELU *nn_ELU_new(double alpha, bool inplace);                      /* nn.ELU(alpha=1.0, inplace=False) */
T_API nn_CELU *nn_CELU_new(double alpha, bool inplace);                    /* nn.CELU(alpha=1.0, inplace=False) */
T_API nn_Hardtanh *nn_Hardtanh_new(double min_val, double max_val,
                                   bool inplace); /* nn.Hardtanh(min_val=-1.0, max_val=1.0, inplace=False) */
T_API nn_Threshold *nn_Threshold_new(double threshold, double value,
                                     bool inplace); /* nn.Threshold(threshold, value, inplace=False) */
T_API nn_Softplus *nn_Softplus_new(double beta, double threshold);         /* nn.Softplus(beta=1.0, threshold=20.0) */
T_API nn_Softshrink *nn_Softshrink_new(double lambd);                      /* nn.Softshrink(lambd=0.5) */
T_API nn_Hardshrink *nn_Hardshrink_new(double lambd);                      /* nn.Hardshrink(lambd=0.5) */

typedef struct nn_RReLU { nn_Module base; double lower, upper; bool inplace; } nn_RReLU;
typedef struct nn_Softmax2d { nn_Module base; } nn_Softmax2d;
T_API nn_RReLU *nn_RReLU_new(double lower, double upper, bool inplace); /* nn.RReLU(lower=1/8, upper=1/3) */
T_API nn_Softmax2d *nn_Softmax2d_new(void); /* nn.Softmax2d(): over the channels of (N, C, H, W) or (C, H, W) */

/* dim: T_NONE is None, for which PyTorch's forward guesses a dim with a warning, and ours raises an error. */
typedef struct nn_Softmax { nn_Module base; int64_t dim; } nn_Softmax;
typedef struct nn_LogSoftmax { nn_Module base; int64_t dim; } nn_LogSoftmax;
typedef struct nn_Softmin { nn_Module base; int64_t dim; } nn_Softmin;
typedef struct nn_GLU { nn_Module base; int64_t dim; } nn_GLU;
T_API nn_Softmax *nn_Softmax_new(int64_t dim);        /* nn.Softmax(dim=None) */
T_API nn_LogSoftmax *nn_LogSoftmax_new(int64_t dim);  /* nn.LogSoftmax(dim=None) */
T_API nn_Softmin *nn_Softmin_new(int64_t dim);        /* nn.Softmin(dim=None) */
T_API nn_GLU *nn_GLU_new(int64_t dim);                /* nn.GLU(dim=-1) */

typedef struct nn_GELU { nn_Module base; char approximate[8]; } nn_GELU;
T_API nn_GELU *nn_GELU_new(const char *approximate);  /* nn.GELU(approximate="none") */

/* nn.PReLU(num_parameters=1, init=0.25): F_prelu with its own weight, one for all channels or one for each. */
typedef struct nn_PReLU { nn_Module base; Tensor *weight; int64_t num_parameters; double init; } nn_PReLU;
typedef struct nn_PReLUOptions {
    uint32_t size;
    int64_t num_parameters;
    double init;
    t_DType dtype;
} nn_PReLUOptions;
T_API nn_PReLU *nn_PReLU_new(const nn_PReLUOptions *options);

T_END_DECLS
#endif
