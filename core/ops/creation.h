/* core/ops/creation.h: what every function that makes a tensor does with its options (internal). */
#ifndef TAPEGRAD_CORE_OPS_CREATION_H
#define TAPEGRAD_CORE_OPS_CREATION_H

#include "core/ops/pointwise.h"
#include "core/random.h"

t_DType tg_option_dtype(const t_TensorOptions *options, t_DType otherwise);
Tensor *tg_finish(Tensor *x, const t_TensorOptions *options); /* requires_grad; on failure x is gone and NULL comes back */

#endif
