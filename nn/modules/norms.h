/* nn/modules/norms.h: torch.nn's normalisation layers except LayerNorm (public). nn/modules/layers.h explains the
 * naming scheme. */
#ifndef TAPEGRAD_NN_MODULES_NORMS_H
#define TAPEGRAD_NN_MODULES_NORMS_H

#include "nn/module/module.h"

T_BEGIN_DECLS

/* nn.RMSNorm(normalized_shape, eps=None, elementwise_affine=True): over the last dims of that shape. */
typedef struct nn_RMSNorm {
    nn_Module base;
    Tensor *weight; /* NULL with elementwise_affine=False */
    int64_t normalized_shape[T_MAX_DIMS];
    int ndim;
    double eps;
} nn_RMSNorm;
typedef struct nn_RMSNormOptions {
    uint32_t size;
    double eps; /* NAN is None: the machine epsilon of the dtype */
    bool elementwise_affine;
    t_DType dtype;
} nn_RMSNormOptions;
T_API nn_RMSNorm *nn_RMSNorm_new(const int64_t *normalized_shape, int ndim, const nn_RMSNormOptions *options);

/* nn.GroupNorm(num_groups, num_channels, eps=1e-5, affine=True, bias=True). */
typedef struct nn_GroupNorm {
    nn_Module base;
    Tensor *weight, *bias; /* NULL with affine=False, bias=False */
    int64_t num_groups, num_channels;
    double eps;
} nn_GroupNorm;
typedef struct nn_GroupNormOptions {
    uint32_t size;
    double eps;
    bool affine, bias;
    t_DType dtype;
} nn_GroupNormOptions;
T_API nn_GroupNorm *nn_GroupNorm_new(int64_t num_groups, int64_t num_channels, const nn_GroupNormOptions *options);

/* nn.BatchNorm1d(num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, bias=True), BatchNorm2d,
 * BatchNorm3d, and InstanceNorm1d, 2d and 3d, whose affine and track_running_stats are False by default. In training
 * mode running = (1 - momentum) running + momentum batch; a momentum of NAN is None, the mean of all batches so far. */
typedef struct nn_BatchNorm {
    nn_Module base;
    Tensor *weight, *bias;                                   /* NULL with affine=False, bias=False */
    Tensor *running_mean, *running_var, *num_batches_tracked; /* buffers; NULL with track_running_stats=False */
    int64_t num_features;
    double eps, momentum;
    bool affine, track_running_stats;
    int dims; /* the number of spatial dims: 1, 2 or 3 */
} nn_BatchNorm;
typedef nn_BatchNorm nn_BatchNorm1d, nn_BatchNorm2d, nn_BatchNorm3d, nn_InstanceNorm1d, nn_InstanceNorm2d,
    nn_InstanceNorm3d;
typedef struct nn_BatchNormOptions {
    uint32_t size;
    double eps, momentum;
    bool affine, track_running_stats, bias;
    t_DType dtype;
} nn_BatchNormOptions;
T_API nn_BatchNorm1d *nn_BatchNorm1d_new(int64_t num_features, const nn_BatchNormOptions *options);
T_API nn_BatchNorm2d *nn_BatchNorm2d_new(int64_t num_features, const nn_BatchNormOptions *options);
T_API nn_BatchNorm3d *nn_BatchNorm3d_new(int64_t num_features, const nn_BatchNormOptions *options);
T_API nn_InstanceNorm1d *nn_InstanceNorm1d_new(int64_t num_features, const nn_BatchNormOptions *options);
T_API nn_InstanceNorm2d *nn_InstanceNorm2d_new(int64_t num_features, const nn_BatchNormOptions *options);
T_API nn_InstanceNorm3d *nn_InstanceNorm3d_new(int64_t num_features, const nn_BatchNormOptions *options);

/* nn.LocalResponseNorm(size, alpha=1e-4, beta=0.75, k=1.0) */
typedef struct nn_LocalResponseNorm {
    nn_Module base;
    int64_t size;
    double alpha, beta, k;
} nn_LocalResponseNorm;
T_API nn_LocalResponseNorm *nn_LocalResponseNorm_new(int64_t size, double alpha, double beta, double k);

T_END_DECLS
#endif
