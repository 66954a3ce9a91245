/* nn/utils.h: torch.nn.utils (public). */
#ifndef TAPEGRAD_NN_UTILS_H
#define TAPEGRAD_NN_UTILS_H

#include "core/tensor/list.h"

T_BEGIN_DECLS

/* After backward, before optim_step. nn.utils.clip_grad_norm_(parameters, max_norm, norm_type=2.0,
 * error_if_nonfinite=False), nn.utils.clip_grad_value_(parameters, clip_value), nn.utils.get_total_norm(tensors,
 * norm_type=2.0, error_if_nonfinite=False); a norm_type may be INFINITY */
T_API Tensor *nn_utils_clip_grad_norm_(const t_TensorList *parameters, double max_norm, double norm_type,
                                       bool error_if_nonfinite);
T_API bool nn_utils_clip_grad_value_(const t_TensorList *parameters, double clip_value);
T_API Tensor *nn_utils_get_total_norm(const t_TensorList *tensors, double norm_type, bool error_if_nonfinite);

/* nn.utils.clip_grads_with_norm_(parameters, max_norm, total_norm) */
T_API bool nn_utils_clip_grads_with_norm_(const t_TensorList *parameters, double max_norm, Tensor *total_norm);

T_API Tensor *nn_utils_parameters_to_vector(const t_TensorList *parameters);           /* all elements, concatenated */
T_API bool nn_utils_vector_to_parameters(Tensor *vec,
                                         const t_TensorList *parameters); /* parameters become views of vec */

T_END_DECLS
#endif
