/* nn/functional/linear/linear_internal.h: helpers of F_linear, and the fused feed-forward network (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_LINEAR_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_LINEAR_INTERNAL_H

#include "core/kernels/gemm/gemm_epilogue.h"
#include "core/autograd/tape.h"

/* A new y, and the matrix product y = x W^T + b that the caller then runs; NULL with an error set. */
Tensor *tg_linear_product(Tensor *x, Tensor *weight, Tensor *bias, tg_Product *p);

Tensor *tg_flatten_rows(Tensor *x); /* (..., n) -> (rows, n) */

/* dx[i] = dy W where weight is given, dx[i + 1] = dy^T x where x is; with grad mode off, added to the gradients that
 * these inputs have so far. */
void tg_linear_gradients(Record *r, int i, Tensor *dy, Tensor *x, Tensor *weight, Tensor **dx);
/* The gradient of input i, a bias that was added to these rows: their sum, or the rows, which the tape then sums. */
Tensor *tg_bias_gradient(const Record *r, int i, Tensor *rows);

/* Runs tg_feed_backward over a contiguous matrix dy and returns db, the gradient of the bias; the caller has set z, y,
 * keep and dz where the epilogue has them. NULL for a NULL dy, or if memory runs out. */
Tensor *tg_epilogue_gradient(tg_Feed *f, Tensor *dy);

/* The feed-forward network: two linear layers with activation and dropout between them; biases may be NULL. */
typedef struct tg_FeedForward {
    Tensor *weight1, *bias1, *weight2, *bias2;
    tg_Activation activation;
    double p; /* of the dropout, below 1; 0: none */
} tg_FeedForward;

/* dropout(activation(x W1^T + b1)) W2^T + b2 as one record. Random numbers and results are bit for bit those of the
 * four ops. x: (..., in), contiguous. */
Tensor *tg_feed_forward(Tensor *x, const tg_FeedForward *network);
bool tg_can_feed_forward(const Tensor *x, const tg_FeedForward *network);

#endif
