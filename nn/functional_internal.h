/* nn/functional_internal.h: what the files of torch.nn.functional share (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_INTERNAL_H

#include "core/tensor.h"
#include "nn/functional.h"

/* y (or NULL) as the one thing that a call made of other ops leaves behind: closes the scope of that depth. */
static inline Tensor *tg_alone(int depth, Tensor *y) {
    y = t_keep_object(y);
    t_scope_close(depth);
    return y;
}

Tensor *tg_gelu_slope(Tensor *x, bool is_tanh); /* the derivative of F_gelu, made of differentiable ops */

#endif
