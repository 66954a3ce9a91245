/* nn/modules/lazy.h: torch.nn's lazy modules (public).
 *
 *     nn_Sequential *model = nn_Sequential(nn_LazyLinear(64), nn_ReLU(), nn_LazyLinear(10));
 *     nn_call(model, x);                          // the first call makes the parameters
 *     optimizer = optim_SGD(nn_parameters(model), .lr = 0.1);
 *
 * A lazy module does not know the size of its input: its parameters are uninitialised until the first call, or until a
 * state dict is loaded, and every use of them is PyTorch's error. The first call draws their initial values, and the
 * module becomes one of the class without "Lazy" (its struct is that class's from the beginning). Lists, state dicts
 * and optimizers take uninitialised parameters, and nn_to and nn_deepcopy keep them so; t_save refuses them, since no
 * file has them. */
#ifndef TAPEGRAD_NN_MODULES_LAZY_H
#define TAPEGRAD_NN_MODULES_LAZY_H

#include "nn/modules/convolution.h"
#include "nn/modules/layers.h"
#include "nn/modules/norms.h"

T_BEGIN_DECLS

typedef nn_Linear nn_LazyLinear;
T_API nn_LazyLinear *nn_LazyLinear_new(int64_t out_features,
                                       const nn_LinearOptions *options); /* nn.LazyLinear(out_features, bias=True) */

/* nn.LazyConv2d(out_channels, kernel_size, stride=1, ...), LazyConv1d, LazyConv3d, and the transposed ones */
typedef nn_Conv nn_LazyConv1d, nn_LazyConv2d, nn_LazyConv3d, nn_LazyConvTranspose1d, nn_LazyConvTranspose2d,
    nn_LazyConvTranspose3d;
T_API nn_LazyConv1d *nn_LazyConv1d_new(int64_t out_channels, const int64_t *kernel_size, const nn_ConvOptions *options);
T_API nn_LazyConv2d *nn_LazyConv2d_new(int64_t out_channels, const int64_t *kernel_size, const nn_ConvOptions *options);
T_API nn_LazyConv3d *nn_LazyConv3d_new(int64_t out_channels, const int64_t *kernel_size, const nn_ConvOptions *options);
T_API nn_LazyConvTranspose1d *nn_LazyConvTranspose1d_new(int64_t out_channels, const int64_t *kernel_size,
                                                         const nn_ConvOptions *options);
T_API nn_LazyConvTranspose2d *nn_LazyConvTranspose2d_new(int64_t out_channels, const int64_t *kernel_size,
                                                         const nn_ConvOptions *options);
T_API nn_LazyConvTranspose3d *nn_LazyConvTranspose3d_new(int64_t out_channels, const int64_t *kernel_size,
                                                         const nn_ConvOptions *options);

/* nn.LazyBatchNorm2d(eps=1e-5, momentum=0.1, affine=True, track_running_stats=True), LazyBatchNorm1d and 3d, and
 * LazyInstanceNorm1d, 2d and 3d, whose defaults are the same (those of InstanceNorm are False). NULL options: those. */
typedef nn_BatchNorm nn_LazyBatchNorm1d, nn_LazyBatchNorm2d, nn_LazyBatchNorm3d, nn_LazyInstanceNorm1d,
    nn_LazyInstanceNorm2d, nn_LazyInstanceNorm3d;
T_API nn_LazyBatchNorm1d *nn_LazyBatchNorm1d_new(const nn_BatchNormOptions *options);
T_API nn_LazyBatchNorm2d *nn_LazyBatchNorm2d_new(const nn_BatchNormOptions *options);
T_API nn_LazyBatchNorm3d *nn_LazyBatchNorm3d_new(const nn_BatchNormOptions *options);
T_API nn_LazyInstanceNorm1d *nn_LazyInstanceNorm1d_new(const nn_BatchNormOptions *options);
T_API nn_LazyInstanceNorm2d *nn_LazyInstanceNorm2d_new(const nn_BatchNormOptions *options);
T_API nn_LazyInstanceNorm3d *nn_LazyInstanceNorm3d_new(const nn_BatchNormOptions *options);

T_END_DECLS
#endif
