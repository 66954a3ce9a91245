/* nn/functional/norm_internal.h: what the files of the norms share (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_NORM_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_NORM_INTERNAL_H

#include "core/kernels/norm/batch_norm.h"
#include "core/ops/pointwise_internal.h"

/* x's elements in logical order: x's own memory where they lie so, else a copy. NULL for NULL. */
const void *tg_dense(Tensor *x);
/* The same of a weight or bias of n elements; where there is none, the number that changes nothing. */
const void *tg_dense_or(Tensor *parameter, double otherwise, int64_t n, t_DType dtype);
/* For sums over many rows: float64, which the tape rounds to the edge's dtype. */
Tensor *tg_wide_zeros(const Edge *edge);
Tensor *tg_doubles(int64_t rows, int64_t columns); /* float64 zeros */

/* The gradient of a norm over the last dims, in ops, and z, what it made of x before the weight. */
Tensor *tg_norm_gradient(Tensor *x, Tensor *weight, int dims, bool centred, double eps, Tensor *dy, Tensor **z);
/* y is the layer norm of x over its last dim: the record of that. stats: (rows, 2), float64, as kernels/norm/layer_norm.h has it. */
Tensor *tg_record_layer_norm(Tensor *y, Tensor *x, Tensor *weight, Tensor *bias, Tensor *stats, double eps);

/* ---- batch_norm and group_norm (group_norm.c) ----
 * x is seen as (N, C, L): N samples of C channels of L elements. What is normalised together, a set, is a channel of all
 * samples (batch_norm) or a group of neighbouring channels of one sample (group_norm). */

typedef struct Channels {
    int64_t N, C, L, groups;
    bool over_batch; /* batch_norm */
    bool fixed;      /* mean and variance are given: evaluation */
    double eps;
} Channels;

/* y, and in stats (zeros: sets x TG_STATS) what it was made with; mean and variance of a fixed normalisation stand there already. */
Tensor *tg_channel_norm(const Op *op, Tensor *x, Tensor *weight, Tensor *bias, Tensor *stats, const Channels *of);
void tg_channel_norm_backward(Record *r, Tensor *dy, Tensor **dx);
bool tg_check_norm_dtypes(const Tensor *x, Tensor *const *parameters, int count, const char *name);

#endif
