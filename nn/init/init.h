/* nn/init/init.h: torch.nn.init (public). Each fills x in place outside the graph and returns it. Bounds are
 * computed in double in PyTorch's order, so that values agree bit for bit. generator: NULL is the thread's default
 * generator. The folder may include core/ only. */
#ifndef TAPEGRAD_NN_INIT_INIT_H
#define TAPEGRAD_NN_INIT_INIT_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

T_API Tensor *nn_init_uniform_(Tensor *x, double a, double b, t_Generator *generator); /* nn.init.uniform_(x, a, b) */
T_API Tensor *nn_init_normal_(Tensor *x, double mean, double std, t_Generator *generator); /* nn.init.normal_ */
T_API Tensor *nn_init_trunc_normal_(Tensor *x, double mean, double std, double a, double b,
                                    t_Generator *generator); /* nn.init.trunc_normal_(x, mean, std, a, b) */
T_API Tensor *nn_init_constant_(Tensor *x, double val); /* nn.init.constant_(x, val) */
T_API Tensor *nn_init_zeros_(Tensor *x);                                                     /* nn.init.zeros_(x) */
T_API Tensor *nn_init_ones_(Tensor *x);                                                      /* nn.init.ones_(x) */
T_API Tensor *nn_init_eye_(Tensor *x);                                                       /* nn.init.eye_(x) */
T_API Tensor *nn_init_dirac_(Tensor *x, int64_t groups); /* nn.init.dirac_(x, groups=1) */
T_API Tensor *nn_init_xavier_uniform_(Tensor *x, double gain, t_Generator *generator); /* nn.init.xavier_uniform_ */
T_API Tensor *nn_init_xavier_normal_(Tensor *x, double gain, t_Generator *generator); /* nn.init.xavier_normal_ */
T_API Tensor *nn_init_orthogonal_(Tensor *x, double gain, t_Generator *generator); /* nn.init.orthogonal_(x, gain) */

/* nn.init.kaiming_uniform_(x, a, mode, nonlinearity) and kaiming_normal_: mode is "fan_in" or "fan_out", nonlinearity
 * as for nn.init.calculate_gain(nonlinearity, param), which returns NaN on an error; a param of NaN is None */
T_API Tensor *nn_init_kaiming_uniform_(Tensor *x, double a, const char *mode, const char *nonlinearity,
                                       t_Generator *generator);
T_API Tensor *nn_init_kaiming_normal_(Tensor *x, double a, const char *mode, const char *nonlinearity,
                                      t_Generator *generator);
T_API double nn_init_calculate_gain(const char *nonlinearity, double param);

T_END_DECLS
#endif
