/* nn/utils.h: torch.nn.utils (public). */
#ifndef TAPEGRAD_NN_UTILS_H
#define TAPEGRAD_NN_UTILS_H

#include "core/list.h"

T_BEGIN_DECLS

/* nn.utils.clip_grad_norm_(parameters, max_norm): after backward, before optim_step */
T_API Tensor *nn_utils_clip_grad_norm_(const t_TensorList *parameters, double max_norm);

T_END_DECLS
#endif
