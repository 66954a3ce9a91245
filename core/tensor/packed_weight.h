/* core/tensor/packed_weight.h: weights in the form in which a product reads them, kept with their storage until it is written to (internal). */
#ifndef TAPEGRAD_CORE_TENSOR_PACKED_WEIGHT_H
#define TAPEGRAD_CORE_TENSOR_PACKED_WEIGHT_H

#include "core/kernels/gemm/gemm.h"
#include "core/tensor/tensor.h"

/* p->packed for a product whose B is this weight, turned: at the second use of the same numbers where nothing is recorded.
 * Training, whose weights change in each step, never comes here twice. NULL where it does not pay, and where there is no
 * memory. */
const void *tg_packed_weight(const Tensor *weight, const tg_Product *p);

void tg_drop_packed(Storage *storage); /* before it is freed, and when it was written to */

#endif
