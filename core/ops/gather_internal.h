/* core/ops/gather_internal.h: what ops with index tensors share: the loops, the range check, and the adjoint of gather (internal). */
#ifndef TAPEGRAD_CORE_OPS_GATHER_INTERNAL_H
#define TAPEGRAD_CORE_OPS_GATHER_INTERNAL_H

#include "core/ops/pointwise_internal.h"

/* ---- the walk (gather_loops.c) ----
 * Over y, an int64 index and x, all of one shape; one of y and x has step 0 along the indexed dims, and the walk moves along them
 * by the index times `step` bytes. */

typedef enum Scatter { SCATTER_SET, SCATTER_SUM, SCATTER_PROD, SCATTER_MAX, SCATTER_MIN, SCATTERS } Scatter;

/* y = x[index] */
void tg_run_gather(Tensor *y, Tensor *index, Tensor *x, int64_t step);
/* y[index] = x, or y[index] and x put together, in the order of the walk; x may be broadcast. */
void tg_run_scatter(Scatter how, Tensor *y, Tensor *index, Tensor *x, int64_t step);

/* x as it stands under an index of that shape: the indexed dim has step 0. */
Tensor tg_under_index(const Tensor *x, int dim, const Tensor *index);
/* y[index] = src along dim (or put together), for an index within y's bounds; src is of y's dtype and index's shape. */
void tg_scatter_into(Tensor *y, int dim, Tensor *index, Tensor *src, Scatter how);

/* ---- along one dim (gather.c) ---- */

/* Zeros of the given shape with dy_i added at index_i along dim; differentiable in dy. index has dy's shape. */
Tensor *tg_scatter_add(Tensor *dy, int64_t dim, Tensor *index, const int64_t *shape, int ndim);

/* The rule of an op that picks elements along a dim: dx = dy at those places. Its attributes are the dim (int64_t), it saves
 * their int64 indices, with that dim or (where they are of size 1 along it) without. */
void tg_picked_backward(Record *r, Tensor *dy, Tensor **dx);

/* Whether an int64 tensor holds an index outside [0, size) that is not *ignored (NULL: none is); *bad is the first. The
 * second takes Python's negative indices too. */
bool tg_find_bad_index(Tensor *index, int64_t size, const int64_t *ignored, int64_t *bad);
bool tg_find_bad_python_index(Tensor *index, int64_t size, int64_t *bad);
bool tg_fail_out_of_bounds(int64_t index, int dim, int64_t size); /* PyTorch's sentence; false */

#endif
