/* core/ops/shape/scatter_internal.h: what slice_scatter, select_scatter, diagonal_scatter and as_strided_scatter share
 * (internal). */
#ifndef TAPEGRAD_CORE_OPS_SHAPE_SCATTER_INTERNAL_H
#define TAPEGRAD_CORE_OPS_SHAPE_SCATTER_INTERNAL_H

#include "core/tensor/tensor.h"

/* y, after src was copied to `view`, a view of it; NULL for a NULL view, and with an error set if their shapes differ.
 * (slice_scatter.c) */
Tensor *tg_scatter_to_view(Tensor *y, Tensor *view, Tensor *src);

#endif
