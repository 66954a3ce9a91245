/* nn/parametrize/parametrize.h: torch.nn.utils.parametrize (public). The folder has also the parametrizations that
 * PyTorch brings; it may include core/, nn/module, nn/functional, nn/utils and nn/modules.
 *
 *     typedef struct { nn_Module base; } Symmetric;
 *     Tensor *symmetric_call(Symmetric *self, Tensor *x) { return t_add(t_triu(x), t_t(t_triu(x, 1))); }
 *     ...
 *     nn_utils_parametrize_register_parametrization(layer, "weight", nn_module(Symmetric, symmetric_call));
 *
 * The parameter becomes parametrizations.weight.original, and weight is computed from it by the parametrization, a
 * module of one tensor, before each call of the module. A parametrization that can compute the original from a weight
 * sets self->base.right_inverse = f, with Tensor *f(void *self, Tensor *weight): the original then begins at what it
 * gives for the weight, and nn_utils_parametrize_right_inverse(layer, "weight", x) is layer.weight = x. One of two
 * tensors (nn_module2) sets right_inverse2, whose list of two becomes original0 and original1.
 *
 * Differences from PyTorch: outside of a call the module's field has the value of the last one, so that there is no
 * need for cached(). */
#ifndef TAPEGRAD_NN_PARAMETRIZE_PARAMETRIZE_H
#define TAPEGRAD_NN_PARAMETRIZE_PARAMETRIZE_H

#include "nn/module/module.h"

T_BEGIN_DECLS

/* The children of module.parametrizations: the parametrizations of one tensor, in the order of their application. */
typedef struct nn_utils_parametrize_ParametrizationList {
    nn_Module base;
    Tensor *original; /* NULL if there are two */
    Tensor *original0, *original1;
    bool unsafe;
} nn_utils_parametrize_ParametrizationList;

/* register_parametrization(module, tensor_name, parametrization, unsafe=False): a second one is applied after the
 * first. Returns the module, NULL on error. */
T_API void *nn_utils_parametrize_register_parametrization(void *module, const char *tensor_name, void *parametrization,
                                                          bool unsafe);
/* remove_parametrizations(module, tensor_name, leave_parametrized=True) */
T_API void *nn_utils_parametrize_remove_parametrizations(void *module, const char *tensor_name,
                                                         bool leave_parametrized);
/* is_parametrized(module, tensor_name=None); NULL: whether any tensor of the module is */
T_API bool nn_utils_parametrize_is_parametrized(const void *module, const char *tensor_name);
/* module.tensor_name = value */
T_API void *nn_utils_parametrize_right_inverse(void *module, const char *tensor_name, Tensor *value);

T_END_DECLS
#endif
