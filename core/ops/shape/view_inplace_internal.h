/* core/ops/shape/view_inplace_internal.h: x itself becomes a view of what it was (internal). */
#ifndef TAPEGRAD_CORE_OPS_SHAPE_VIEW_INPLACE_INTERNAL_H
#define TAPEGRAD_CORE_OPS_SHAPE_VIEW_INPLACE_INTERNAL_H

#include "core/ops/pointwise/pointwise_internal.h"

/* Gives x the shape, the strides and the offset of `view`, which the out-of-place op made of x, and a record of `op`
 * with these attributes. */
Tensor *tg_set_view(Tensor *x, Tensor *view, const Op *op, const void *attributes, size_t bytes);

#endif
