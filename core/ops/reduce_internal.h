/* core/ops/reduce_internal.h: what reductions share: which dims, and the loop over them (internal). */
#ifndef TAPEGRAD_CORE_OPS_REDUCE_INTERNAL_H
#define TAPEGRAD_CORE_OPS_REDUCE_INTERNAL_H

#include "core/kernels/reduce/reduce.h"
#include "core/ops/pointwise_internal.h"

typedef struct Reduction {
    bool reduced[T_MAX_DIMS];
    bool keepdim;
    int64_t count; /* number of elements of x per result */
} Reduction;

/* Reads a list of dims; an empty list means all dims. Errors: out of range, twice. */
bool tg_reduction(const Tensor *x, const int64_t *dims, int count, bool keepdim, Reduction *out);

/* The reduced dims as a sorted list; returns how many. */
int tg_reduced_dims(const Reduction *r, int ndim, int64_t *dims);

/* The shape of the result, where the reduced dims have size 1 (keepdim) or are dropped; returns its rank. */
int tg_reduced_shape(const Tensor *x, const Reduction *r, bool keepdim, int64_t *shape);

/* The arguments of a reduction of x. */
typedef struct ReduceArgs {
    tg_ReduceKind kind;
    Tensor *x;
    double divisor; /* sums of floats are divided by it (1: not), and then */
    bool root;      /* the square root is taken */
    bool skip_nan;  /* sums of floats: NaN counts as 0 (not in the baseline kernels, TG_ISA_BASELINE) */
    Tensor *center; /* for sums: float64 and contiguous, one value per result, subtracted from each x; or NULL */
    /* TG_MAX, TG_MIN over one dim: int64, like y, gets the first index of each; or NULL. The smallest stride of x is
     * then 1. */
    Tensor *index;
} ReduceArgs;

/* Writes the result to y, new and contiguous: float32 or float64 for sums and products of floats, x's dtype for
 * maxima and minima of floats, int64 for those of integers, or bool for bools. False with an error set if out of
 * memory. */
bool tg_reduce_into(const ReduceArgs *args, Tensor *y, const Reduction *r);

/* The same into a new tensor of the final shape; not recorded. NULL on failure. */
Tensor *tg_reduced(ReduceArgs args, const Reduction *r, t_DType dtype);

/* dy with its reduced dims as dims of size 1, so that it broadcasts to x. */
Tensor *tg_with_kept_dims(Tensor *dy, const Edge *x, const Reduction *r);

/* The gradient for y, the 0-dim maximum, minimum or median of x: dy divided evenly among the elements that equal it
 * (NaN equals NaN). */
Tensor *tg_evenly_distribute_backward(Tensor *dy, Tensor *x, Tensor *y);

#endif
