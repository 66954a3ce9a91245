/* core/ops/creation/gamma_internal.h: gamma and Dirichlet values as ops (internal). */
#ifndef TAPEGRAD_CORE_OPS_CREATION_GAMMA_INTERNAL_H
#define TAPEGRAD_CORE_OPS_CREATION_GAMMA_INTERNAL_H

#include "core/tensor/generator.h"
#include "core/tensor/tensor.h"

/* torch._standard_gamma(alpha): a value of Gamma(alpha, 1) for each element, in logical order. */
Tensor *tg_standard_gamma(Tensor *alpha, t_Generator *generator);
/* torch._sample_dirichlet(alpha): a value of Dirichlet(alpha) for each row along the last dim. */
Tensor *tg_sample_dirichlet(Tensor *alpha, t_Generator *generator);

#endif
