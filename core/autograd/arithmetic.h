/* core/autograd/arithmetic.h: what the tape needs of arithmetic (internal). It is defined above the tape, in core/ops/pointwise.c. */
#ifndef TAPEGRAD_CORE_AUTOGRAD_ARITHMETIC_H
#define TAPEGRAD_CORE_AUTOGRAD_ARITHMETIC_H

#include "core/autograd/tape.h"
#include "core/ops/ops.h"
#include "core/tensor/iterator.h"

void tg_add_into(Tensor *to, Tensor *from); /* to += from of the same floating dtype, also where `to` overlaps itself; not recorded */
bool tg_shares_memory(const Tensor *a, const Tensor *b); /* one storage, but not the very same elements in order */
/* The sum of x over the dims along which a tensor of the given shape was broadcast to x's shape; differentiable. */
Tensor *tg_sum_to(Tensor *x, const int64_t *shape, int ndim);

#endif
