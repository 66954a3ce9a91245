/* core/ops/indexing/gather_internal.h: what ops with index tensors share: the loops, the range check, and the adjoint
 * of gather (internal). */
#ifndef TAPEGRAD_CORE_OPS_INDEXING_GATHER_INTERNAL_H
#define TAPEGRAD_CORE_OPS_INDEXING_GATHER_INTERNAL_H

#include "core/ops/pointwise/pointwise_internal.h"

/* ---- loops (gather_loops.c) ----
 * They iterate over y, an int64 index and x, all of one shape. One of y and x has stride 0 along the indexed dims,
 * and is offset by the index times `stride` bytes. */

typedef enum Scatter { SCATTER_SET, SCATTER_SUM, SCATTER_PROD, SCATTER_MAX, SCATTER_MIN, SCATTERS } Scatter;

/* y = x[index] */
void tg_run_gather(Tensor *y, Tensor *index, Tensor *x, int64_t stride);
/* y[index] = x, or y[index] and x combined, in iteration order; x may be broadcast. */
void tg_run_scatter(Scatter mode, Tensor *y, Tensor *index, Tensor *x, int64_t stride);

/* A view of x with the shape of index: stride 0 along the indexed dim. */
Tensor tg_as_indexed(const Tensor *x, int dim, const Tensor *index);
/* y[index] = src along dim (or the two combined), for an index within y's bounds; src has y's dtype and index's
 * shape. */
void tg_scatter_into(Tensor *y, int dim, Tensor *index, Tensor *src, Scatter mode);

/* ---- along one dim (gather.c) ---- */

/* Zeros of the given shape with dy_i added at index_i along dim; differentiable in dy. index has dy's shape. */
Tensor *tg_scatter_add(Tensor *dy, int64_t dim, Tensor *index, const int64_t *shape, int ndim);

/* The backward of an op that selects elements along a dim: dx = dy at their indices. Its attributes are the dim
 * (int64_t); it saves the int64 indices, with that dim or (if it has size 1) without. */
void tg_value_selecting_backward(Record *r, Tensor *dy, Tensor **dx);

/* Indices of int32 as int64; a tensor of another dtype as it is, for the caller's check. */
Tensor *tg_index_as_int64(Tensor *index);
/* The same, for gather and scatter, which take an index without elements in any dtype. */
Tensor *tg_empty_index_as_int64(Tensor *index);

/* Whether an int64 tensor has an index outside [0, size) that is not *ignored (NULL: none is ignored); *bad is the
 * first. The second function allows [-size, size). */
bool tg_find_bad_index(Tensor *index, int64_t size, const int64_t *ignored, int64_t *bad);
bool tg_find_bad_wrapped_index(Tensor *index, int64_t size, int64_t *bad);
bool tg_fail_out_of_bounds(int64_t index, int dim, int64_t size); /* PyTorch's error; returns false */

#endif
