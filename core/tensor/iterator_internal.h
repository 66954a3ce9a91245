/* core/tensor/iterator_internal.h: the iteration plan of iterator.c, for the other ways to run one: copies, short
 * broadcast rows, tiles with transposed operands (internal). */
#ifndef TAPEGRAD_CORE_TENSOR_ITERATOR_INTERNAL_H
#define TAPEGRAD_CORE_TENSOR_ITERATOR_INTERNAL_H

#include "core/tensor/iterator.h"

/* Dims in iteration order (0 is the innermost), and the byte strides of each operand. */
typedef struct Iterator {
    int operands, ndim;
    int64_t shape[T_MAX_DIMS], strides[TG_OPERANDS][T_MAX_DIMS];
    char *data[TG_OPERANDS];
} Iterator;

void tg_clear(void *data, size_t bytes); /* memset 0, on all threads */

void tg_iterator_plan(Iterator *it, Tensor *y, Tensor *const *x, int count); /* y and inputs that are broadcast to it */
void tg_iterator_run(const Iterator *it, Loop loop, const void *context);    /* all elements, on this thread */
/* Elementwise loops on all threads, over short rows (iterator_broadcast.c) and where some operands are transposed
 * relative to the output (iterator_transposed.c). sizes: item size of each operand. False: not applicable, nothing was
 * done. */
bool tg_iterator_run_short_rows(const Iterator *it, const int64_t *sizes, Loop loop, const void *context);
bool tg_iterator_run_tiles(const Iterator *it, const int64_t *sizes, Loop loop, const void *context);
bool tg_iterator_no_overlap(const Iterator *it); /* no two elements of y overlap in memory */

enum { TG_GRAIN_SIZE = 16384 }; /* elements per parallel task: a pass over them takes about 5 us */

#endif
