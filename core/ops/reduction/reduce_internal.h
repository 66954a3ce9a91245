/* core/ops/reduction/reduce_internal.h: what all reductions share: which dims are reduced, and the loop over x
 * (internal).
 *
 * An op reads its dims with tg_reduction(), computes with tg_reduced(), and its gradient brings dy back to x's rank
 * with tg_with_kept_dims(). The kernels are in core/kernels/reduce. */
#ifndef TAPEGRAD_CORE_OPS_REDUCTION_REDUCE_INTERNAL_H
#define TAPEGRAD_CORE_OPS_REDUCTION_REDUCE_INTERNAL_H

#include "core/kernels/reduce/reduce.h"
#include "core/ops/pointwise/pointwise_internal.h"

/* ---- dims and shapes ---- */

typedef struct Reduction {
    bool reduced[T_MAX_DIMS];
    bool keepdim;
    int64_t count; /* number of elements of x per result */
} Reduction;

/* The attributes of the records of var, std, var_mean and std_mean; of norm; of argmax and argmin (a trace's). */
typedef struct Variance {
    Reduction over;
    double correction;
} Variance;
typedef struct Norm {
    Reduction over;
    double p;
} Norm;
typedef struct ArgReduction {
    int64_t dim; /* T_NONE: of all elements */
    bool keepdim;
} ArgReduction;

/* Reads a list of dims; an empty list means all dims. Errors: out of range, twice. */
bool tg_reduction(const Tensor *x, const int64_t *dims, int count, bool keepdim, Reduction *out);

/* The reduced dims as a sorted list; returns how many. */
int tg_reduced_dims(const Reduction *r, int ndim, int64_t *dims);

/* The shape of the result, where the reduced dims have size 1 (keepdim) or are dropped; returns its rank. */
int tg_reduced_shape(const Tensor *x, const Reduction *r, bool keepdim, int64_t *shape);

/* dy with its reduced dims as dims of size 1, so that it broadcasts to x. */
Tensor *tg_with_kept_dims(Tensor *dy, const Edge *x, const Reduction *r);

/* ---- computing ---- */

typedef struct ReduceArgs {
    tg_ReduceKind kind;
    Tensor *x;
    tg_ReduceFinish finish; /* of sums of floats */
    double divisor;         /* for TG_FINISH_DIVIDE and TG_FINISH_DIVIDE_ROOT */
    Tensor *center;         /* for TG_SUM_OF_SQUARES: float64 and contiguous, one for each result; or NULL: 0 */
    /* For TG_MAX and TG_MIN over one dim: int64, in the shape of the result, gets the first index of each; or NULL.
     * The smallest stride of x is then 1. */
    Tensor *index;
} ReduceArgs;

/* The reduction of x, a new tensor of the final shape, not recorded. dtype: float32 or float64 for sums of floats,
 * int64 or bool for sums and products of integers and bools, else that of x. NULL on failure. */
Tensor *tg_reduced(ReduceArgs args, const Reduction *r, t_DType dtype);

/* ---- gradients ---- */

/* The gradient for y, the 0-dim maximum, minimum or median of x: dy divided evenly among the elements that equal it
 * (NaN equals NaN). */
Tensor *tg_evenly_distribute_backward(Tensor *dy, Tensor *x, Tensor *y);

#endif
