/* nn/functional/activation/gelu_internal.h: the derivative of gelu, for the fused feed-forward network (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_GELU_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_GELU_INTERNAL_H

#include "nn/functional/activation/activation.h"

/* Composed of differentiable ops; is_tanh: of F_gelu(x, "tanh"). */
Tensor *tg_gelu_derivative(Tensor *x, bool is_tanh);

#endif
