/* nn/functional/activation/activation.h: the activations of torch.nn.functional, one line each (public; part of
 * nn/functional/functional.h). The folder may include core/ only. */
#ifndef TAPEGRAD_NN_FUNCTIONAL_ACTIVATION_H
#define TAPEGRAD_NN_FUNCTIONAL_ACTIVATION_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

/* ---- piecewise linear (activations.c); inplace: the result is written to x ---- */
T_API Tensor *F_relu(Tensor *x, bool inplace);                             /* F.relu(x) */
T_API Tensor *F_relu_(Tensor *x);                                          /* F.relu_(x) */
T_API Tensor *F_relu6(Tensor *x, bool inplace);                            /* F.relu6(x) */
T_API Tensor *F_leaky_relu(Tensor *x, double negative_slope, bool inplace); /* F.leaky_relu(x, negative_slope=0.01) */
T_API Tensor *F_leaky_relu_(Tensor *x, double negative_slope);             /* F.leaky_relu_(x, negative_slope=0.01) */
T_API Tensor *F_prelu(Tensor *x, Tensor *weight);                          /* F.prelu(x, weight) */
T_API Tensor *F_elu(Tensor *x, double alpha, bool inplace);                /* F.elu(x, alpha=1.0) */
T_API Tensor *F_elu_(Tensor *x, double alpha);                             /* F.elu_(x, alpha=1.0) */
T_API Tensor *F_celu(Tensor *x, double alpha, bool inplace);               /* F.celu(x, alpha=1.0) */
T_API Tensor *F_celu_(Tensor *x, double alpha);                            /* F.celu_(x, alpha=1.0) */
T_API Tensor *F_selu(Tensor *x, bool inplace);                             /* F.selu(x) */
T_API Tensor *F_selu_(Tensor *x);                                          /* F.selu_(x) */
T_API Tensor *F_hardtanh(Tensor *x, double min_val, double max_val,
                         bool inplace); /* F.hardtanh(x, min_val=-1.0, max_val=1.0) */
T_API Tensor *F_hardtanh_(Tensor *x, double min_val, double max_val); /* F.hardtanh_(x, min_val=-1.0, max_val=1.0) */
T_API Tensor *F_hardsigmoid(Tensor *x, bool inplace);                      /* F.hardsigmoid(x) */
T_API Tensor *F_hardswish(Tensor *x, bool inplace);                        /* F.hardswish(x) */
T_API Tensor *F_threshold(Tensor *x, double threshold, double value, bool inplace); /* F.threshold */
T_API Tensor *F_threshold_(Tensor *x, double threshold, double value);     /* F.threshold_(x, threshold, value) */
T_API Tensor *F_hardshrink(Tensor *x, double lambd);                       /* F.hardshrink(x, lambd=0.5) */
T_API Tensor *F_softshrink(Tensor *x, double lambd);                       /* F.softshrink(x, lambd=0.5) */

/* ---- smooth (activations.c, gelu.c, softmax.c) ---- */
T_API Tensor *F_sigmoid(Tensor *x);                                        /* F.sigmoid(x) */
T_API Tensor *F_tanh(Tensor *x);                                           /* F.tanh(x) */
T_API Tensor *F_gelu(Tensor *x, const char *approximate);                  /* F.gelu(x, approximate="none") */
T_API Tensor *F_silu(Tensor *x, bool inplace);                             /* F.silu(x) */
T_API Tensor *F_mish(Tensor *x, bool inplace);                             /* F.mish(x) */
T_API Tensor *F_glu(Tensor *x, int64_t dim);                               /* F.glu(x, dim=-1) */
T_API Tensor *F_softplus(Tensor *x, double beta, double threshold);        /* F.softplus(x, beta=1, threshold=20) */
T_API Tensor *F_logsigmoid(Tensor *x);                                     /* F.logsigmoid(x) */
T_API Tensor *F_softsign(Tensor *x);                                       /* F.softsign(x) */
T_API Tensor *F_tanhshrink(Tensor *x);                                     /* F.tanhshrink(x) */
T_API Tensor *F_softmax(Tensor *x, int64_t dim);                           /* F.softmax(x, dim) */
T_API Tensor *F_softmax_as(Tensor *x, int64_t dim, t_DType dtype);         /* F.softmax(x, dim, dtype=) */
T_API Tensor *F_softmin(Tensor *x, int64_t dim);                           /* F.softmin(x, dim) */
T_API Tensor *F_log_softmax(Tensor *x, int64_t dim);                       /* F.log_softmax(x, dim) */
T_API Tensor *F_log_softmax_as(Tensor *x, int64_t dim, t_DType dtype);     /* F.log_softmax(x, dim, dtype=) */

/* ---- with random numbers (random_activations.c) ---- */
T_API Tensor *F_rrelu(Tensor *x, double lower, double upper, bool training,
                      bool inplace); /* F.rrelu(x, lower=1/8, upper=1/3, training=False) */
T_API Tensor *F_rrelu_(Tensor *x, double lower, double upper, bool training); /* F.rrelu_(x, ...) */
T_API Tensor *F_gumbel_softmax(Tensor *logits, double tau, bool hard,
                               int64_t dim); /* F.gumbel_softmax(logits, tau=1, hard=False, dim=-1) */

T_END_DECLS
#endif
