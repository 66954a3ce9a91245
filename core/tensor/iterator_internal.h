/* core/tensor/iterator_internal.h: the iteration plan of iterator.c, for the other ways to run one: copies, short
 * broadcast rows, tiles with transposed operands (internal). */
#ifndef TAPEGRAD_CORE_TENSOR_ITERATOR_INTERNAL_H
#define TAPEGRAD_CORE_TENSOR_ITERATOR_INTERNAL_H

#include "core/tensor/iterator.h"

/* Dims in iteration order (0 is the innermost), and the byte strides of each operand. */
typedef struct Walk {
    int operands, ndim;
    int64_t shape[T_MAX_DIMS], steps[TG_OPERANDS][T_MAX_DIMS];
    char *data[TG_OPERANDS];
} Walk;

void tg_clear(void *data, size_t bytes); /* memset 0, on all threads */

void tg_walk_plan(Walk *w, Tensor *y, Tensor *const *x, int count); /* y and inputs that are broadcast to it */
void tg_walk_run(const Walk *w, Loop loop, const void *context);    /* all elements, on this thread */
/* Elementwise loops on all threads, over short rows (iterator_broadcast.c) and where some operands are transposed
 * relative to the output (iterator_transposed.c). sizes: item size of each operand. False: not applicable, nothing was
 * done. */
bool tg_walk_rows(const Walk *w, const int64_t *sizes, Loop loop, const void *context);
bool tg_walk_tiles(const Walk *w, const int64_t *sizes, Loop loop, const void *context);
bool tg_walk_is_spread(const Walk *w); /* no two elements of y overlap in memory */

enum { TG_WALK_GRAIN = 16384 }; /* elements per parallel task: a pass over them takes about 5 us */

#endif
