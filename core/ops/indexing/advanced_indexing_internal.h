/* core/ops/indexing/advanced_indexing_internal.h: elements at a tuple of index tensors, x[i, :, j]: reading, writing
 * and adding (internal).
 *
 * The index tensors, broadcast together, become one linear index (int64): the index into the indexed dims of x as if
 * they were one dim. It is checked, not negative, and it is what the tape saves. */
#ifndef TAPEGRAD_CORE_OPS_INDEXING_ADVANCED_INDEXING_INTERNAL_H
#define TAPEGRAD_CORE_OPS_INDEXING_ADVANCED_INDEXING_INTERNAL_H

#include "core/ops/indexing/gather_internal.h"

/* Index tensors and the dims of x that they index: int64 for one dim, bool for as many as it has. */
typedef struct Indices {
    int count, dim[T_MAX_DIMS];
    Tensor *index[T_MAX_DIMS];
} Indices;

/* The indexed dims of a tensor of the given shape. In the result the dims of the linear index come after
 * `dims_before` of the other dims. */
typedef struct IndexedDims {
    int count, dims[T_MAX_DIMS], dims_before;
    int ndim;
    int64_t shape[T_MAX_DIMS];
    bool makes_contiguous; /* tg_index_put returns a contiguous tensor, else one with the strides of x */
} IndexedDims;

/* An index tensor as int64 or bool: int32 is converted, uint8 is a mask. NULL with an error for another dtype. */
Tensor *tg_index_tensor(Tensor *index);

/* The linear index, and *indexed; NULL with PyTorch's error. It makes temporary tensors: call it inside a scope. */
Tensor *tg_linear_index(const Tensor *x, const Indices *at, IndexedDims *indexed);
/* the shape of x[index]; returns its rank */
int tg_index_shape(const IndexedDims *indexed, const Tensor *index, int64_t *shape);

/* A new contiguous copy of an index within [-size, size), with negative values counted from the end. */
Tensor *tg_wrapped_index(Tensor *index, int64_t size);

/* x[index]; the linear index is contiguous, or there is one indexed dim. The backward of `op` is tg_index_backward. */
Tensor *tg_index(Tensor *x, Tensor *index, const IndexedDims *indexed, const Op *op);
void tg_index_backward(Record *r, Tensor *dy, Tensor **dx);

/* x with x[index] = value (+= value if `accumulate`), as a new tensor or in place; value has x's dtype and
 * broadcasts. If an index occurs twice the last value is kept, and each value gets the gradient at that index, as in
 * PyTorch. The backward of `op` is tg_index_put_backward. */
Tensor *tg_index_put(Tensor *x, Tensor *index, const IndexedDims *indexed, Tensor *value, bool accumulate,
                     const Op *op);
Tensor *tg_index_put_(Tensor *x, Tensor *index, const IndexedDims *indexed, Tensor *value, bool accumulate,
                      const Op *op);
/* The type of tg_index_put and tg_index_put_. */
typedef Tensor *IndexPutFunction(Tensor *x, Tensor *index, const IndexedDims *indexed, Tensor *value, bool accumulate,
                                 const Op *op);
void tg_index_put_backward(Record *r, Tensor *dy, Tensor **dx);

/* For x[indices], x[indices] = tensor, and x[i] = number. */
extern const Op tg_index_op, tg_index_put_op, tg_index_fill_op;

/* x[indices], and x[indices] = value with its checks of dtype and shape (index_put.c). Call them inside a scope. */
Tensor *tg_get_indices(Tensor *x, const Indices *at);
bool tg_set_indices(Tensor *x, const Indices *at, Tensor *value);
Tensor *tg_without_leading_ones(Tensor *value);

/* The indices of the nonzero elements in the flattened x, in logical order. */
Tensor *tg_flat_nonzero(Tensor *x);

#endif
