/* nn/functional/norm/norm.h: F.layer_norm, F.batch_norm and the other normalisations (public; part of
 * nn/functional/functional.h).
 *
 * norm_internal.h has what they share. The folder may include core/ and nn/functional/pooling and vision. */
#ifndef TAPEGRAD_NN_FUNCTIONAL_NORM_H
#define TAPEGRAD_NN_FUNCTIONAL_NORM_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

/* ---- over the last dims (layer_norm.c) ---- */
T_API Tensor *F_layer_norm(Tensor *x, const int64_t *normalized_shape, int n, Tensor *weight, Tensor *bias,
                           double eps);                                    /* F.layer_norm(x, shape, weight, bias) */
T_API Tensor *F_rms_norm(Tensor *x, const int64_t *normalized_shape, int n, Tensor *weight,
                         double eps); /* F.rms_norm(x, shape, weight, eps); NAN: None */

/* ---- over channels (group_norm.c, batch_norm.c) ---- */
T_API Tensor *F_group_norm(Tensor *x, int64_t num_groups, Tensor *weight, Tensor *bias,
                           double eps); /* F.group_norm(x, num_groups, weight, bias) */
T_API Tensor *F_batch_norm(Tensor *x, Tensor *running_mean, Tensor *running_var, Tensor *weight, Tensor *bias,
                           bool training, double momentum,
                           double eps); /* F.batch_norm(x, mean, var, weight, bias, ...) */
T_API Tensor *F_instance_norm(Tensor *x, Tensor *running_mean, Tensor *running_var, Tensor *weight, Tensor *bias,
                              bool use_input_stats, double momentum, double eps); /* F.instance_norm(x, ...) */
T_API Tensor *F_local_response_norm(Tensor *x, int64_t size, double alpha, double beta,
                                    double k);                              /* F.local_response_norm(x, size, ...) */

T_END_DECLS
#endif
