/* core/ops/creation/creation_internal.h: what all functions that create tensors do with their options (internal). */
#ifndef TAPEGRAD_CORE_OPS_CREATION_CREATION_INTERNAL_H
#define TAPEGRAD_CORE_OPS_CREATION_CREATION_INTERNAL_H

#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/generator.h"

t_DType tg_option_dtype(const t_TensorOptions *options, t_DType default_dtype);
/* applies requires_grad; on failure releases x and returns NULL */
Tensor *tg_apply_options(Tensor *x, const t_TensorOptions *options);

#endif
