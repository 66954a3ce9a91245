/* core/ops/indexing/scatter_internal.h: what scatter and scatter_reduce share (internal). */
#ifndef TAPEGRAD_CORE_OPS_INDEXING_SCATTER_INTERNAL_H
#define TAPEGRAD_CORE_OPS_INDEXING_SCATTER_INTERNAL_H

#include "core/ops/indexing/gather_internal.h"

/* PyTorch's checks of scatter's arguments; puts the wrapped dim into *d, and makes *index int64. */
bool tg_check_scatter(Tensor *x, int64_t dim, Tensor **index, Tensor *src, int *d);
/* tg_scatter_into for a src that is a number or larger than index; false on out of memory. */
bool tg_scatter_into_checked(Tensor *y, int dim, Tensor *index, Tensor *src, Scatter mode);
Tensor *tg_copy_of(Tensor *x); /* a contiguous clone, not recorded */

#endif
