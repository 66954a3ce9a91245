/* nn/linear_internal.h: what F_linear and the feed-forward network share (internal). */
#ifndef TAPEGRAD_NN_LINEAR_INTERNAL_H
#define TAPEGRAD_NN_LINEAR_INTERNAL_H

#include "core/kernels/feed.h"
#include "core/tape.h"
#include "nn/module.h"

/* A fresh y, and the product y = x W^T + b that is to be made; NULL with an error set. */
Tensor *tg_linear_product(Tensor *x, Tensor *weight, Tensor *bias, tg_Product *p);

Tensor *tg_flat(Tensor *x); /* all rows as one matrix */

/* dx[0] = dy W where weight is given, dx[1] = dy^T x where x is: where grad mode is off, into what has been gathered for them. */
void tg_linear_gradients(Record *r, Tensor *dy, Tensor *x, Tensor *weight, Tensor **dx);

/* Runs tg_feed_backward over a contiguous matrix dy and returns db; the caller has set what concerns z, y, keep and dz. */
Tensor *tg_feed_gradient(tg_Feed *f, Tensor *dy);

/* dropout(activation(x W^T + b)) as one record; p < 1, without dropout unless training. The generator's words and all results
 * are those of the three ops. x: (..., in), contiguous; weight and bias as F_linear takes them in its fused way. */
Tensor *tg_feed_forward(Tensor *x, Tensor *weight, Tensor *bias, tg_Activation activation, double p, bool training);
bool tg_can_feed_forward(const Tensor *x, Tensor *weight, Tensor *bias);

/* Are these the plain modules, whose forwards do no more than the functions? For another one, no activation. A NULL is none.
 * A dropout of all, or of a p that F_dropout refuses, is not. */
bool tg_is_linear(const nn_Module *module);
bool tg_is_dropout(const nn_Module *module);
bool tg_is_layer_norm(const nn_Module *module);
tg_Activation tg_activation_of(const nn_Module *module);

#endif
