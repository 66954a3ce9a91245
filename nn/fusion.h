/* nn/fusion.h: torch.nn.utils.fusion: a convolution or linear layer and the batch norm after it as one layer, for
 * evaluation (public). */
#ifndef TAPEGRAD_NN_FUSION_H
#define TAPEGRAD_NN_FUSION_H

#include "nn/modules/convolution.h"
#include "nn/modules/layers.h"
#include "nn/modules/norms.h"

T_BEGIN_DECLS

/* nn.utils.fuse_conv_bn_eval(conv, bn, transpose=False), nn.utils.fuse_linear_bn_eval(linear, bn): a new layer, in the
 * current scope */
T_API nn_Conv *nn_utils_fuse_conv_bn_eval(const nn_Conv *conv, const nn_BatchNorm *bn, bool transpose);
T_API nn_Linear *nn_utils_fuse_linear_bn_eval(const nn_Linear *linear, const nn_BatchNorm *bn);
/* w, b = nn.utils.fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False); conv_b, bn_w
 * and bn_b may be NULL; bias receives b */
T_API Tensor *nn_utils_fuse_conv_bn_weights(Tensor *conv_w, Tensor *conv_b, Tensor *bn_rm, Tensor *bn_rv,
                                            double bn_eps, Tensor *bn_w, Tensor *bn_b, bool transpose, Tensor **bias);
/* The same of a linear layer: nn.utils.fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b) */
T_API Tensor *nn_utils_fuse_linear_bn_weights(Tensor *linear_w, Tensor *linear_b, Tensor *bn_rm, Tensor *bn_rv,
                                              double bn_eps, Tensor *bn_w, Tensor *bn_b, Tensor **bias);

T_END_DECLS
#endif
