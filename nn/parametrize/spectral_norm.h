/* nn/parametrize/spectral_norm.h: torch.nn.utils.spectral_norm, the older function of that name (public). */
#ifndef TAPEGRAD_NN_PARAMETRIZE_SPECTRAL_NORM_H
#define TAPEGRAD_NN_PARAMETRIZE_SPECTRAL_NORM_H

#include "nn/module/module.h"

T_BEGIN_DECLS

/* nn.utils.spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None): the parameter becomes
 * weight_orig; weight = weight_orig / u^T weight_orig v is computed before each call of the module, with the buffers
 * weight_u and weight_v, which n_power_iterations of the power method improve in training mode. dim T_NONE: 1 of
 * transposed convolutions, else 0. Returns the module, NULL on error. */
T_API void *nn_utils_spectral_norm(void *module, const char *name, int64_t n_power_iterations, double eps, int64_t dim);
/* nn.utils.remove_spectral_norm(module, name="weight"): the weight becomes a new parameter with its present value. */
T_API void *nn_utils_remove_spectral_norm(void *module, const char *name);

T_END_DECLS
#endif
