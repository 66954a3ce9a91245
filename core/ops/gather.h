/* core/ops/gather.h: what ops with index tensors share: the range check, and the adjoint of gather (internal). */
#ifndef TAPEGRAD_CORE_OPS_GATHER_H
#define TAPEGRAD_CORE_OPS_GATHER_H

#include "core/ops/pointwise.h"

/* Zeros of the given shape with dy_i added at index_i along dim; differentiable in dy. index has dy's shape. */
Tensor *tg_scatter_add(Tensor *dy, int64_t dim, Tensor *index, const int64_t *shape, int ndim);

/* The rule of an op that picks elements along a dim: dx = dy at those places. Its attributes are the dim (int64_t), it saves
 * their int64 indices, with that dim or (where they are of size 1 along it) without. */
void tg_picked_backward(Record *r, Tensor *dy, Tensor **dx);

/* Whether an int64 tensor holds an index outside [0, size) that is not *ignored (NULL: none is); *bad is the first. */
bool tg_find_bad_index(Tensor *index, int64_t size, const int64_t *ignored, int64_t *bad);

#endif
