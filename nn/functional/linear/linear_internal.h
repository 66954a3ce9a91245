/* nn/functional/linear/linear_internal.h: helpers of F_linear, for fused paths (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_LINEAR_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_LINEAR_INTERNAL_H

#include "core/autograd/tape.h"
#include "core/kernels/gemm/gemm_epilogue.h"

/* A new y, and the matrix product y = x W^T + b that the caller then runs; NULL with an error set. */
Tensor *tg_linear_product(Tensor *x, Tensor *weight, Tensor *bias, tg_Product *p);

Tensor *tg_flatten_rows(Tensor *x); /* (..., n) -> (rows, n) */

/* dx[i] = dy W where weight is given, dx[i + 1] = dy^T x where x is; with grad mode off, added to the gradients that
 * these inputs have so far. */
void tg_linear_gradients(Record *r, int i, Tensor *dy, Tensor *x, Tensor *weight, Tensor **dx);
/* The gradient of input i, a bias that was added to these rows: their sum, or the rows, which the tape then sums. */
Tensor *tg_bias_gradient(const Record *r, int i, Tensor *rows);

/* Runs tg_epilogue_backward over a contiguous matrix dy and returns db, the gradient of the bias; the caller has set z,
 * y, dropout_mask and dz where the epilogue has them. NULL for a NULL dy, or if memory runs out. */
Tensor *tg_epilogue_gradient(tg_Epilogue *f, Tensor *dy);

/* Of embedding and embedding_bag (embedding.c): scales the rows with these ids (int64) whose norm is greater than
 * max_norm to that norm, in place. And the rows of ids, (..., D), with a gradient that is divided by how often the id
 * occurs among the ids, (...). */
bool tg_embedding_renorm(Tensor *weight, Tensor *ids, double max_norm, double norm_type);
Tensor *tg_scale_grad_by_freq(Tensor *rows, Tensor *ids, int64_t table_rows);

/* PyTorch's name of a tensor of a dtype in the errors of embedding and embedding_bag (embedding.c). */
const char *tg_tensor_type_name(t_DType dtype);

#endif
