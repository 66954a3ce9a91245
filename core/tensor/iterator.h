/* core/tensor/iterator.h: walking over tensors of any strides, element by element (internal).
 *
 * A loop function sees one straight run at a time: n elements, a start address and a step in bytes for each operand.
 * Operand 0 is the output. The walk sorts the dims by stride and merges those that lie one behind the other, so that a
 * contiguous tensor of any rank is one run. */
#ifndef TAPEGRAD_CORE_TENSOR_ITERATOR_H
#define TAPEGRAD_CORE_TENSOR_ITERATOR_H

#include "core/tensor/tensor.h"

enum { TG_OPERANDS = 5 }; /* one output and up to four inputs */

typedef void (*Loop)(int64_t n, char *const *data, const int64_t *steps, const void *context);

/* Elements as bits, whatever their type is. */
typedef uint32_t __attribute__((may_alias)) Bits32;
typedef uint64_t __attribute__((may_alias)) Bits64;

/* The shape that the operands broadcast to; false with PyTorch's error where they do not. */
bool tg_broadcast_shape(Tensor *const *x, int count, int64_t *shape, int *ndim);

/* An output for elementwise ops over x[0..count-1], in the layout that PyTorch gives it: the order of dims in memory
 * follows the inputs, so a transposed input gives a transposed output. */
Tensor *tg_empty_elementwise(Tensor *const *x, int count, const int64_t *shape, int ndim, t_DType dtype);

/* Runs the loop over y and the inputs, which broadcast to y's shape. One-element inputs are converted to `dtype` on the
 * way (0 leaves them as they are); other inputs have the dtype that the loop reads. Cannot fail. */
void tg_run(Loop loop, Tensor *y, Tensor *const *x, int count, t_DType dtype, const void *context);
/* The same, divided among threads where y is large. For loops in which each element of y depends on its inputs alone: the
 * context is only read. */
void tg_run_shared(Loop loop, Tensor *y, Tensor *const *x, int count, t_DType dtype, const void *context);
/* Where one of y's elements costs as much as `cost` of an addition's: a row of so many, say. */
void tg_run_costly(Loop loop, Tensor *y, Tensor *const *x, int count, t_DType dtype, const void *context, int64_t cost);
/* The same where y and the inputs have one shape, of n elements, and are contiguous. */
void tg_run_alike(Loop loop, int64_t n, Tensor *y, Tensor *const *x, int count, const void *context);

#endif
