/* core/ops/gather.h: the adjoint of gather (internal). */
#ifndef TAPEGRAD_CORE_OPS_GATHER_H
#define TAPEGRAD_CORE_OPS_GATHER_H

#include "core/ops/pointwise.h"

/* Zeros of the given shape with dy_i added at index_i along dim; differentiable in dy. index has dy's shape. */
Tensor *tg_scatter_add(Tensor *dy, int64_t dim, Tensor *index, const int64_t *shape, int ndim);

#endif
