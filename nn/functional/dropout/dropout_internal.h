/* nn/functional/dropout/dropout_internal.h: dropout masks, one bit per element (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_DROPOUT_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_DROPOUT_INTERNAL_H

#include "core/tensor/tensor.h"
#include "nn/functional/dropout/dropout.h"

/* to = from * mask, where the mask is scale where a bit is set, else 0; to and from have the memory layout of
 * the bits; to may be from. And the mask itself, as a contiguous tensor: all ones where bits is NULL. (dropout.c) */
void tg_multiply_by_mask(Tensor *to, const Tensor *from, const Tensor *bits, double scale);
Tensor *tg_dropout_mask(const int64_t *shape, int ndim, t_DType dtype, const Tensor *bits, double scale);

/* Dropout by a mask of numbers: x times noise / (1 - p), or for p = 1 times 0. tg_bernoulli_mask fills noise with 1,
 * and 0 with probability p, one random number per element, in the order of memory; tg_empty_as is a tensor in x's
 * order. tg_run_dropout calls a function in a scope, and restores the generator if it fails. */
typedef Tensor *(*tg_DropoutOf)(Tensor *x, double p, bool inplace);
Tensor *tg_empty_as(Tensor *x);
Tensor *tg_bernoulli_mask(Tensor *noise, double p);
Tensor *tg_multiply_by_noise(Tensor *x, Tensor *noise, double p, bool inplace);
Tensor *tg_run_dropout(Tensor *x, double p, bool inplace, tg_DropoutOf dropout_of);

/* The function of a float16 or bfloat16 x, computed in float32; the generator is restored if it fails. */
typedef Tensor *tg_Dropout(Tensor *x, double p, bool training, bool inplace);
Tensor *tg_dropout_widened(Tensor *x, double p, bool training, tg_Dropout *function);

#endif
