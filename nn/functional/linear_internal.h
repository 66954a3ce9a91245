/* nn/functional/linear_internal.h: what F_linear and the feed-forward network share (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_LINEAR_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_LINEAR_INTERNAL_H

#include "core/kernels/gemm/gemm_epilogue.h"
#include "core/autograd/tape.h"

/* A fresh y, and the product y = x W^T + b that is to be made; NULL with an error set. */
Tensor *tg_linear_product(Tensor *x, Tensor *weight, Tensor *bias, tg_Product *p);

Tensor *tg_flat(Tensor *x); /* all rows as one matrix */

/* dx[i] = dy W where weight is given, dx[i + 1] = dy^T x where x is: where grad mode is off, into what has been gathered for them. */
void tg_linear_gradients(Record *r, int i, Tensor *dy, Tensor *x, Tensor *weight, Tensor **dx);
/* The gradient of input i, a bias that was added to these rows: their sum, or the rows, which the tape sums. */
Tensor *tg_bias_gradient(const Record *r, int i, Tensor *rows);

/* Runs tg_feed_backward over a contiguous matrix dy and returns db; the caller has set what concerns z, y, keep and dz. A NULL dy
 * passes on; NULL where there is no memory. */
Tensor *tg_feed_gradient(tg_Feed *f, Tensor *dy);

/* The feed-forward network: what stands between two linear layers, and their weights as F_linear takes them; biases may be NULL. */
typedef struct tg_FeedForward {
    Tensor *weight1, *bias1, *weight2, *bias2;
    tg_Activation activation;
    double p; /* of the dropout; below 1, 0 for none */
} tg_FeedForward;

/* dropout(activation(x W1^T + b1)) W2^T + b2 as one record. The generator's words and all results are those of the four ops.
 * x: (..., in), contiguous. */
Tensor *tg_feed_forward(Tensor *x, const tg_FeedForward *network);
bool tg_can_feed_forward(const Tensor *x, const tg_FeedForward *network);

#endif
