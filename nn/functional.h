/* nn/functional.h: torch.nn.functional as plain C functions, one line each (public).
 *
 * Formula, shapes, dtypes, gradient and errors stand above each function in nn/functional_*.c. functional_sugar.h puts
 * a macro of the same name over each, which takes keywords: (F_dropout)(x, 0.5, true) is the plain one. */
#ifndef TAPEGRAD_NN_FUNCTIONAL_H
#define TAPEGRAD_NN_FUNCTIONAL_H

#include "core/api.h"

T_BEGIN_DECLS

/* ---- layers (functional_linear.c, _norm.c, _dropout.c, _embedding.c) ---- */
T_API Tensor *F_linear(Tensor *x, Tensor *weight, Tensor *bias);           /* F.linear(x, weight, bias); bias or NULL */
T_API Tensor *F_layer_norm(Tensor *x, const int64_t *normalized_shape, int n, Tensor *weight, Tensor *bias,
                           double eps);                                    /* F.layer_norm(x, shape, weight, bias) */
T_API Tensor *F_dropout(Tensor *x, double p, bool training);               /* F.dropout(x, p, training) */
T_API Tensor *F_embedding(Tensor *ids, Tensor *weight, int64_t padding_idx); /* F.embedding(ids, weight, padding_idx) */
T_API Tensor *F_bilinear(Tensor *a, Tensor *b, Tensor *weight, Tensor *bias); /* F.bilinear(a, b, weight, bias) */
T_API Tensor *F_one_hot(Tensor *x, int64_t num_classes);                   /* F.one_hot(x, num_classes=-1) */

/* ---- activations (functional_activation.c) ---- */
T_API Tensor *F_relu(Tensor *x);                                           /* F.relu(x) */
T_API Tensor *F_gelu(Tensor *x, const char *approximate);                  /* F.gelu(x, approximate="none") */
T_API Tensor *F_sigmoid(Tensor *x);                                        /* F.sigmoid(x) */
T_API Tensor *F_tanh(Tensor *x);                                           /* F.tanh(x) */
T_API Tensor *F_softmax(Tensor *x, int64_t dim);                           /* F.softmax(x, dim) */
T_API Tensor *F_log_softmax(Tensor *x, int64_t dim);                       /* F.log_softmax(x, dim) */

/* ---- losses (functional_loss.c); NULL options are the defaults ---- */

/* Start from F_LossDefaults and change what should differ: an ignore_index of 0 means class 0, not "none given". */
typedef struct F_LossOptions {
    uint32_t size;
    Tensor *weight;         /* one factor for each class; for mse_loss one for each element of the input */
    int64_t ignore_index;   /* targets of this class count for nothing: -100 */
    const char *reduction;  /* "mean", "sum" or "none" */
    double label_smoothing; /* cross_entropy: this share of a target is spread over all classes */
} F_LossOptions;
T_API extern const F_LossOptions F_LossDefaults;

T_API Tensor *F_cross_entropy(Tensor *input, Tensor *target, const F_LossOptions *options); /* F.cross_entropy(...) */
T_API Tensor *F_nll_loss(Tensor *input, Tensor *target, const F_LossOptions *options);      /* F.nll_loss(...) */
T_API Tensor *F_mse_loss(Tensor *input, Tensor *target, const F_LossOptions *options);      /* F.mse_loss(...) */

T_END_DECLS
#endif
