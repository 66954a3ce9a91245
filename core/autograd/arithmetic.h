/* core/autograd/arithmetic.h: arithmetic for gradients (internal). */
#ifndef TAPEGRAD_CORE_AUTOGRAD_ARITHMETIC_H
#define TAPEGRAD_CORE_AUTOGRAD_ARITHMETIC_H

#include "core/autograd/tape.h"
#include "core/ops/ops.h"
#include "core/tensor/iterator.h"

/* to += from of the same floating dtype, also if elements of `to` share memory; not recorded */
void tg_add_into(Tensor *to, Tensor *from);
/* The sum of x over the dims along which a tensor of the given shape was broadcast to x's shape; differentiable. */
Tensor *tg_sum_to(Tensor *x, const int64_t *shape, int ndim);

#endif
