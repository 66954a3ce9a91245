/* core/ops/reduction/along_dim_internal.h: what ops that work along one dim share: a loop over rows (internal). */
#ifndef TAPEGRAD_CORE_OPS_REDUCTION_ALONG_DIM_INTERNAL_H
#define TAPEGRAD_CORE_OPS_REDUCTION_ALONG_DIM_INTERNAL_H

#include "core/ops/indexing/gather_internal.h"

/* The attributes of the records of cumsum, cumprod and logcumsumexp: the dim and direction. */
typedef struct ScanDirection {
    int64_t dim;
    bool reverse;
} ScanDirection;

/* One row of each operand: data[i] is its first element, strides[i] the distance between elements in bytes. */
typedef void RowFunction(char *const *data, const int64_t *strides, const void *context);

/* Calls `row` for each row along dim, on all threads. The operands have the same rank, and the same shape except
 * along dim. */
void tg_each_row(RowFunction *row, int dim, Tensor *const *x, int count, const void *context);

static inline int64_t tg_row_size(const Tensor *x, int dim) { /* a 0-dim tensor is a row of one element */
    return x->ndim ? x->shape[dim] : 1;
}

/* False with PyTorch's error if the rows have no elements. */
bool tg_check_row(const Tensor *x, int dim, const char *name);

/* A new tensor of x's shape, except that dim has size n. */
Tensor *tg_empty_rows(const Tensor *x, int dim, int64_t n, t_DType dtype);
/* Removes a dim of size 1 from y, which is new and contiguous. */
void tg_drop_row_dim(Tensor *y, int dim);

#endif
