/* nn/functional/functional_internal.h: what the files of torch.nn.functional share (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_FUNCTIONAL_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_FUNCTIONAL_INTERNAL_H

#include "core/tensor/tensor.h"
#include "nn/functional/functional.h"

/* to = from * mask, where the mask holds 0 and scale by the bits of keep; both lie in memory as the bits are ordered. to may be
 * from. And the mask itself, as a contiguous tensor: all ones where keep is NULL. (dropout.c) */
void tg_multiply_by_mask(Tensor *to, const Tensor *from, const Tensor *keep, double scale);
Tensor *tg_dropout_mask(const int64_t *shape, int ndim, t_DType dtype, const Tensor *keep, double scale);

Tensor *tg_gelu_slope(Tensor *x, bool is_tanh); /* the derivative of F_gelu, made of differentiable ops */

#endif
