/* core/ops/along_dim_internal.h: what ops that work along one dim share: the walk over rows (internal). */
#ifndef TAPEGRAD_CORE_OPS_ALONG_DIM_INTERNAL_H
#define TAPEGRAD_CORE_OPS_ALONG_DIM_INTERNAL_H

#include "core/ops/gather_internal.h"

/* One row of each operand: data[i] is its first element, the next stands steps[i] bytes on. */
typedef void (*RowFunction)(char *const *data, const int64_t *steps, const void *context);

/* Calls `row` for each row along dim, on all threads. The operands have the same shape but for their sizes along dim, and the same
 * rank. */
void tg_each_row(RowFunction row, int dim, Tensor *const *x, int count, const void *context);

static inline int64_t tg_row_size(const Tensor *x, int dim) { /* a 0-dim tensor is a row of one */
    return x->ndim ? x->shape[dim] : 1;
}

/* False with PyTorch's error where a row has no elements. */
bool tg_check_row(const Tensor *x, int dim, const char *name);

/* A fresh tensor of x's shape, but n along dim. */
Tensor *tg_empty_rows(const Tensor *x, int dim, int64_t n, t_DType dtype);
/* y, fresh and contiguous, of size 1 along dim, without that dim. */
void tg_drop_row_dim(Tensor *y, int dim);

#endif
