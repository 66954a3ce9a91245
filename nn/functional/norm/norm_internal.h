/* nn/functional/norm/norm_internal.h: helpers of the norms, and the shared code of batch_norm and group_norm
 * (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_NORM_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_NORM_INTERNAL_H

#include "core/kernels/norm/batch_norm.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "nn/functional/norm/norm.h"

/* The attributes of the records of layer_norm and rms_norm. */
typedef struct RowNorm {
    int dims; /* how many last dims are normalised */
    bool centred;
    double eps;
} RowNorm;

/* The attributes of batch_norm and instance_norm in a trace. */
typedef struct RunningNorm {
    bool use_input_stats;
    double eps;
} RunningNorm;

/* x's elements in logical order: x's own memory if it is contiguous, else a copy. NULL for NULL. */
const void *tg_dense(Tensor *x);
/* The same of a weight or bias of n elements; where it is NULL, n times `otherwise`. */
const void *tg_dense_or(Tensor *parameter, double otherwise, int64_t n, t_DType dtype);
/* Zeros of the edge's shape in float64, for sums over many rows; the tape rounds them to the edge's dtype. */
Tensor *tg_edge_zeros_f64(const Edge *edge);
Tensor *tg_zeros_f64(int64_t rows, int64_t columns); /* float64 zeros */

/* The gradient of a norm over the last dims, composed of ops; *z is the normalised x, before the weight. */
Tensor *tg_norm_gradient(Tensor *x, Tensor *weight, int dims, bool centred, double eps, Tensor *dy, Tensor **z);
/* Records y as the layer norm of x over its last dim. stats: (rows, 2), float64, as in
 * core/kernels/norm/layer_norm.h. */
Tensor *tg_record_layer_norm(Tensor *y, Tensor *x, Tensor *weight, Tensor *bias, Tensor *stats, double eps);

/* ---- batch_norm and group_norm (group_norm.c) ----
 * x is seen as (N, C, L): N samples of C channels of L elements. What is normalised together, a set, is a channel of
 * all samples (batch_norm) or a group of neighbouring channels of one sample (group_norm). */

typedef struct Channels {
    int64_t N, C, L, groups;
    bool over_batch; /* batch_norm */
    bool fixed;      /* mean and variance are given: evaluation */
    double eps;
} Channels;

/* Returns y. stats: (sets, TG_STATS), zeros on entry (or with `fixed` the mean and variance), gets the statistics for
 * the backward. */
Tensor *tg_channel_norm(const Op *op, Tensor *x, Tensor *weight, Tensor *bias, Tensor *stats, const Channels *channels);
void tg_channel_norm_backward(Record *r, Tensor *dy, Tensor **dx);
bool tg_check_norm_dtypes(const Tensor *x, Tensor *const *parameters, int count, const char *name);

#endif
