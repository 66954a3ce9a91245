/* nn/utils/weight_norm.h: torch.nn.utils.weight_norm (public). */
#ifndef TAPEGRAD_NN_UTILS_WEIGHT_NORM_H
#define TAPEGRAD_NN_UTILS_WEIGHT_NORM_H

#include "nn/module/module.h"

T_BEGIN_DECLS

/* nn.utils.weight_norm(module, name="weight", dim=0): the parameter becomes weight_g, its norms, and weight_v, its
 * directions; weight = weight_g weight_v / |weight_v| is computed before each call of the module. The norm is over all
 * dims but dim; over all with dim T_NONE. Returns the module, NULL on error. */
T_API void *nn_utils_weight_norm(void *module, const char *name, int64_t dim);
T_API void *nn_utils_remove_weight_norm(void *module, const char *name); /* nn.utils.remove_weight_norm(module, name) */

T_END_DECLS
#endif
