/* core/tensor/packed_weight.h: cached weights in gemm's packed layout, which belong to the weight's storage until it is
 * written to (internal). */
#ifndef TAPEGRAD_CORE_TENSOR_PACKED_WEIGHT_H
#define TAPEGRAD_CORE_TENSOR_PACKED_WEIGHT_H

#include "core/kernels/gemm/gemm.h"
#include "core/tensor/tensor.h"

/* p->packed for a product whose B is this weight, transposed. The weight is packed at its second use without a write in
 * between and without recording; in training, where weights change in every step, that does not happen. NULL where
 * packing is not faster, and on out of memory. */
const void *tg_packed_weight(const Tensor *weight, const tg_Product *p);

void tg_drop_packed(Storage *storage); /* to be called before the storage is freed and after each write to it */

#endif
