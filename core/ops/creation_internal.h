/* core/ops/creation_internal.h: what every function that makes a tensor does with its options (internal). */
#ifndef TAPEGRAD_CORE_OPS_CREATION_INTERNAL_H
#define TAPEGRAD_CORE_OPS_CREATION_INTERNAL_H

#include "core/ops/pointwise_internal.h"
#include "core/tensor/generator.h"

t_DType tg_option_dtype(const t_TensorOptions *options, t_DType otherwise);
Tensor *tg_finish(Tensor *x, const t_TensorOptions *options); /* requires_grad; on failure x is gone and NULL comes back */

#endif
