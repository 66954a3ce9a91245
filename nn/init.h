/* nn/init.h: torch.nn.init (public). Each fills x in place outside the graph and returns it. The bounds are computed in
 * double in PyTorch's order, so that the bits agree. */
#ifndef TAPEGRAD_NN_INIT_H
#define TAPEGRAD_NN_INIT_H

#include "core/api.h"

T_BEGIN_DECLS

T_API Tensor *nn_init_uniform_(Tensor *x, double a, double b);       /* nn.init.uniform_(x, a, b) */
T_API Tensor *nn_init_normal_(Tensor *x, double mean, double std);   /* nn.init.normal_(x, mean, std) */
T_API Tensor *nn_init_constant_(Tensor *x, double value);            /* nn.init.constant_(x, value) */
T_API Tensor *nn_init_zeros_(Tensor *x);                             /* nn.init.zeros_(x) */
T_API Tensor *nn_init_ones_(Tensor *x);                              /* nn.init.ones_(x) */
T_API Tensor *nn_init_xavier_uniform_(Tensor *x, double gain);       /* nn.init.xavier_uniform_(x, gain) */
T_API Tensor *nn_init_kaiming_uniform_(Tensor *x, double a);         /* nn.init.kaiming_uniform_(x, a) */

T_END_DECLS
#endif
