/* core/ops/reduce_internal.h: what ops that make fewer elements of many share: which dims, and the walk over them (internal). */
#ifndef TAPEGRAD_CORE_OPS_REDUCE_INTERNAL_H
#define TAPEGRAD_CORE_OPS_REDUCE_INTERNAL_H

#include "core/kernels/reduce/reduce.h"
#include "core/ops/pointwise_internal.h"

typedef struct Reduction {
    bool reduced[T_MAX_DIMS];
    bool keepdim;
    int64_t count; /* elements that go into one */
} Reduction;

/* Reads a list of dims; none at all means every dim. Errors: out of range, twice. */
bool tg_reduction(const Tensor *x, const int64_t *dims, int count, bool keepdim, Reduction *out);

/* The list of them again, in order; returns how many. */
int tg_reduced_dims(const Reduction *r, int ndim, int64_t *dims);

/* The shape of the result, with the reduced dims as dims of size 1 or without them; returns its rank. */
int tg_reduced_shape(const Tensor *x, const Reduction *r, bool keepdim, int64_t *shape);

/* What is made of x over the reduced dims. */
typedef struct Fold {
    tg_ReduceKind kind;
    Tensor *x;
    double divisor; /* of floats' sums and products: the results are divided by it (1: are not), and then ... */
    bool root;      /* ... their square root is taken */
    bool numbers;   /* floats' sums are of numbers only, and NaNs count as 0 (not so with TG_ISA_BASELINE) */
    Tensor *around; /* for sums: float64 and contiguous, one number for each result, taken off each x; or NULL */
    Tensor *at;     /* for TG_MAX and TG_MIN over one dim: int64, like y, gets the first place of each; or NULL. Then of x's elements those
                     * nearest to each other lie side by side. */
} Fold;

/* The result into y, fresh and contiguous: of float32 or float64 for sums and products of floats, of x's dtype for their
 * extremes, of int64 for those of whole numbers, or of bool for bools. False with an error set where there is no memory. */
bool tg_fold(const Fold *how, Tensor *y, const Reduction *r);

/* The same, in a tensor made for it in its final shape; no history. NULL on failure. */
Tensor *tg_reduced(Fold how, const Reduction *r, t_DType dtype);

/* dy (of any result's shape) with its reduced dims back as dims of size 1, so that it broadcasts over x. */
Tensor *tg_with_kept_dims(Tensor *dy, const Edge *x, const Reduction *r);

/* The gradient of y, the 0-dim extreme or median of x: dy shared evenly among the elements that equal it (a NaN equals NaN). */
Tensor *tg_evenly_distribute_backward(Tensor *dy, Tensor *x, Tensor *y);

#endif
