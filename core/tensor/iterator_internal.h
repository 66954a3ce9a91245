/* core/tensor/iterator_internal.h: a walk over tensors as iterator.c plans it, for who divides one in a way of its own (internal). */
#ifndef TAPEGRAD_CORE_TENSOR_ITERATOR_INTERNAL_H
#define TAPEGRAD_CORE_TENSOR_ITERATOR_INTERNAL_H

#include "core/tensor/iterator.h"

/* Dims in walking order (0 is the innermost), one row of byte steps for each operand. */
typedef struct Walk {
    int operands, ndim;
    int64_t shape[T_MAX_DIMS], steps[TG_OPERANDS][T_MAX_DIMS];
    char *data[TG_OPERANDS];
} Walk;

void tg_clear(void *data, size_t bytes); /* zeros, on all threads */

void tg_walk_plan(Walk *w, Tensor *y, Tensor *const *x, int count); /* over y and what broadcasts to it */
void tg_walk_run(const Walk *w, Loop loop, const void *context);    /* all of it, on this thread */
/* The same for elementwise loops over short rows (iterator_broadcast.c), and where operands lie across each other (iterator_transposed.c), on all
 * threads; false: nothing was done. sizes: of each operand's elements. */
bool tg_walk_rows(const Walk *w, const int64_t *sizes, Loop loop, const void *context);
bool tg_walk_tiles(const Walk *w, const int64_t *sizes, Loop loop, const void *context);
bool tg_walk_is_spread(const Walk *w); /* each element of y stands in a place of its own */

enum { TG_WALK_GRAIN = 16384 }; /* elements that are worth a thread's while: a pass over so many takes some 5 us */

#endif
