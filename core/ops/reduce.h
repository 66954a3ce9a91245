/* core/ops/reduce.h: what ops that make fewer elements of many share: which dims, and the walk over them (internal). */
#ifndef TAPEGRAD_CORE_OPS_REDUCE_H
#define TAPEGRAD_CORE_OPS_REDUCE_H

#include "core/ops/pointwise.h"

typedef struct Reduction {
    bool reduced[T_MAX_DIMS];
    bool keepdim;
    int64_t count; /* elements that go into one */
} Reduction;

/* Reads a list of dims; none at all means every dim. Errors: out of range, twice. */
bool tg_reduction(const Tensor *x, const int64_t *dims, int count, bool keepdim, Reduction *out);

/* The list of them again, in order; returns how many. */
int tg_reduced_dims(const Reduction *r, int ndim, int64_t *dims);

/* The sum over them (gathered in double, or int64), divided by the divisor, in dtype and in its final shape; no history. */
Tensor *tg_reduce_sum(Tensor *x, const Reduction *r, double divisor, t_DType dtype);

/* The shape of the result, with the reduced dims as dims of size 1 or without them; returns its rank. */
int tg_reduced_shape(const Tensor *x, const Reduction *r, bool keepdim, int64_t *shape);

/* y, which has every reduced dim kept, as it stands under x: step 0 along the reduced dims. To be used on the stack only,
 * as the output of a loop that gathers x in y. */
Tensor tg_spread_under(const Tensor *y, const Tensor *x, const Reduction *r);

/* Runs the loop over x and y, which holds what to begin with (a sum's 0) in x's shape with every reduced dim kept: y has step 0
 * along a reduced dim, so a loop brings each x into the y it belongs to. combine does so with y's of parts of x. */
void tg_fold(Loop loop, Loop combine, Tensor *y, const Reduction *r, Tensor *x);

/* dy (of any result's shape) with its reduced dims back as dims of size 1, so that it broadcasts over x. */
Tensor *tg_with_kept_dims(Tensor *dy, const Edge *x, const Reduction *r);

/* The gradient of y, the 0-dim extreme or median of x: dy shared evenly among the elements that equal it (a NaN equals NaN). */
Tensor *tg_shared_evenly(Tensor *dy, Tensor *x, Tensor *y);

#endif
