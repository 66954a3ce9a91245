/* nn/functional/dropout/dropout_internal.h: dropout masks, one bit per element (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_DROPOUT_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_DROPOUT_INTERNAL_H

#include "core/tensor/tensor.h"
#include "nn/functional/dropout/dropout.h"

/* to = from * mask, where the mask is scale where a bit is set, else 0; to and from have the memory layout of
 * the bits; to may be from. And the mask itself, as a contiguous tensor: all ones where bits is NULL. (dropout.c) */
void tg_multiply_by_mask(Tensor *to, const Tensor *from, const Tensor *bits, double scale);
Tensor *tg_dropout_mask(const int64_t *shape, int ndim, t_DType dtype, const Tensor *bits, double scale);

#endif
