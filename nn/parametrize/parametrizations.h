/* nn/parametrize/parametrizations.h: torch.nn.utils.parametrizations: parametrizations that PyTorch brings (public).
 * Each returns the module, NULL on error; nn_utils_parametrize_remove_parametrizations undoes it. */
#ifndef TAPEGRAD_NN_PARAMETRIZE_PARAMETRIZATIONS_H
#define TAPEGRAD_NN_PARAMETRIZE_PARAMETRIZATIONS_H

#include "nn/module/module.h"

T_BEGIN_DECLS

/* nn.utils.parametrizations.weight_norm(module, name="weight", dim=0): Salimans and Kingma, 2016. The weight is
 * g v / |v|, of the parameters parametrizations.weight.original0, the norms g over all dims but dim, and original1, v;
 * dim T_NONE or -1: one norm of all elements. A state dict of nn_utils_weight_norm (weight_g, weight_v) can be loaded.
 * An optimizer is made after the call. */
T_API void *nn_utils_parametrizations_weight_norm(void *module, const char *name, int64_t dim);

/* nn.utils.parametrizations.spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None): Miyato et
 * al., 2018. The weight, as a matrix with the rows `dim` (T_NONE: 1 of transposed convolutions, else 0), divided by its
 * largest singular value u^T W v. The buffers parametrizations.weight.0._u and _v are drawn by t_randn and get 15 power
 * iterations, then n_power_iterations in each call in training mode. A vector is divided by its norm, which is at least
 * eps. Errors: n_power_iterations below 1, dim out of range. */
T_API void *nn_utils_parametrizations_spectral_norm(void *module, const char *name, int64_t n_power_iterations,
                                                    double eps, int64_t dim);

/* nn.utils.parametrizations.orthogonal(module, name="weight", orthogonal_map=None, use_trivialization=True): a weight
 * (..., m, n) with orthonormal columns, rows where m < n. orthogonal_map: "matrix_exp", Q = exp(A) of a skew-symmetric
 * A, the default (NULL) of a square weight; "cayley", Q = (I + A/2)(I - A/2)^-1; "householder", a product of
 * reflections, the default of others. With use_trivialization Q is multiplied by the buffer
 * parametrizations.weight.0.base, the weight's first value, which is orthogonalised by QR where it is not orthogonal
 * and completed by t_randn where it is not square. Without it the weight begins at the orthogonal factor of its value
 * ("householder"), or at the map of its value. Errors: less than two dims, another map. */
T_API void *nn_utils_parametrizations_orthogonal(void *module, const char *name, const char *orthogonal_map,
                                                 bool use_trivialization);

T_END_DECLS
#endif
