/* nn/functional/functional.h: torch.nn.functional as plain C functions, one line each (public).
 *
 * Formula, shapes, dtypes, gradient and errors are in the comment above each definition in nn/functional/.
 * nn/sugar/functional.h defines a macro of the same name over each, which takes keyword arguments; (F_dropout)(x, 0.5,
 * true) calls the function itself. The activations are in activations.h, losses and distances in losses.h. */
#ifndef TAPEGRAD_NN_FUNCTIONAL_FUNCTIONAL_H
#define TAPEGRAD_NN_FUNCTIONAL_FUNCTIONAL_H

#include "nn/functional/activations.h"
#include "nn/functional/attention.h"
#include "nn/functional/layers.h"
#include "nn/functional/losses.h"

T_BEGIN_DECLS

/* ---- layers (linear.c, layer_norm.c, dropout.c, embedding.c) ---- */
T_API Tensor *F_linear(Tensor *x, Tensor *weight, Tensor *bias);           /* F.linear(x, weight, bias); bias or NULL */
T_API Tensor *F_layer_norm(Tensor *x, const int64_t *normalized_shape, int n, Tensor *weight, Tensor *bias,
                           double eps);                                    /* F.layer_norm(x, shape, weight, bias) */
T_API Tensor *F_dropout(Tensor *x, double p, bool training);               /* F.dropout(x, p, training) */
T_API Tensor *F_embedding(Tensor *input, Tensor *weight, int64_t padding_idx); /* F.embedding(input, weight, padding_idx) */
T_API Tensor *F_bilinear(Tensor *input1, Tensor *input2, Tensor *weight, Tensor *bias); /* F.bilinear(input1, input2, weight, bias) */
T_API Tensor *F_one_hot(Tensor *x, int64_t num_classes);                   /* F.one_hot(x, num_classes=-1) */

T_END_DECLS
#endif
