/* core/ops/advanced_indexing_internal.h: elements at a tuple of index tensors, x[i, :, j]: reading, writing and adding (internal).
 *
 * The index tensors, broadcast together, are folded into one tensor of int64: the place in the indexed dims as if those lay
 * one behind the other. It is checked, without negative numbers, and what the tape saves. */
#ifndef TAPEGRAD_CORE_OPS_ADVANCED_INDEXING_INTERNAL_H
#define TAPEGRAD_CORE_OPS_ADVANCED_INDEXING_INTERNAL_H

#include "core/ops/gather_internal.h"

/* Index tensors and the dims of x that they index: int64 for one dim, bool for as many as it has. */
typedef struct Indices {
    int count, dim[T_MAX_DIMS];
    Tensor *index[T_MAX_DIMS];
} Indices;

/* Which dims of a tensor of that shape are indexed, and in front of how many of the others the places' dims stand in the
 * result. */
typedef struct Pick {
    int count, dims[T_MAX_DIMS], before;
    int ndim;
    int64_t shape[T_MAX_DIMS];
} Pick;

/* The places in x, and *how; NULL with PyTorch's error. Makes other tensors too: call it in a scope of your own. */
Tensor *tg_places(const Tensor *x, const Indices *at, Pick *how);
int tg_pick_shape(const Pick *how, const Tensor *places, int64_t *shape); /* of x[places]; returns its rank */

/* A fresh contiguous copy of an index with its negative numbers counted from the end; within [-size, size). */
Tensor *tg_python_places(Tensor *index, int64_t size);

/* x[places]; places are contiguous or for one dim only. `op` has the rule tg_pick_backward. */
Tensor *tg_pick(Tensor *x, Tensor *places, const Pick *how, const Op *op);
void tg_pick_backward(Record *r, Tensor *dy, Tensor **dx);

/* x with x[places] = value (+= value if `accumulate`), as a new tensor or in place; value is of x's dtype and broadcasts.
 * Where a place comes twice the last one stays, and each gets the gradient of that place, as PyTorch has it. `op` has
 * the rule tg_put_backward. */
Tensor *tg_put(Tensor *x, Tensor *places, const Pick *how, Tensor *value, bool accumulate, const Op *op);
Tensor *tg_put_(Tensor *x, Tensor *places, const Pick *how, Tensor *value, bool accumulate, const Op *op);
typedef Tensor *PutFunction(Tensor *x, Tensor *places, const Pick *how, Tensor *value, bool accumulate, const Op *op); /* of both */
void tg_put_backward(Record *r, Tensor *dy, Tensor **dx);

/* Of x[at], x[at] = value, and x[i] = a number. */
extern const Op tg_index_op, tg_index_put_op, tg_index_fill_op;

/* x[at], and x[at] = value with its checks of dtype and shape (index_put.c). In a scope of your own. */
Tensor *tg_at_indices(Tensor *x, const Indices *at);
bool tg_set_indices(Tensor *x, const Indices *at, Tensor *value);
Tensor *tg_without_leading_ones(Tensor *value);

/* The places of the true elements of x (those that are not 0) in logical order. */
Tensor *tg_true_places(Tensor *x);

#endif
