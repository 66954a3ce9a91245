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

/* The shape of the result, with the reduced dims as dims of size 1 or without them; returns its rank. */
int tg_reduced_shape(const Tensor *x, const Reduction *r, bool keepdim, int64_t *shape);

/* y, which has every reduced dim kept, as it stands under x: step 0 along the reduced dims. To be used on the stack only,
 * as the output of a loop that gathers x in y. */
Tensor tg_spread_under(const Tensor *y, const Tensor *x, const Reduction *r);

/* dy (of any result's shape) with its reduced dims back as dims of size 1, so that it broadcasts over x. */
Tensor *tg_with_kept_dims(Tensor *dy, const Edge *x, const Reduction *r);

#endif
