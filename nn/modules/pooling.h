/* nn/modules/pooling.h: torch.nn's pooling layers (public). Sizes are pairs, as in nn/functional/functional.h. */
#ifndef TAPEGRAD_NN_MODULES_POOLING_H
#define TAPEGRAD_NN_MODULES_POOLING_H

#include "nn/functional/pooling/pooling.h"
#include "nn/module/module.h"

T_BEGIN_DECLS

/* nn.MaxPool2d(kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False), MaxPool1d;
 * nn.AvgPool2d(kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None),
 * AvgPool1d. return_indices=True: nn_MaxPool2d_call(pool, x, &indices); indices may be NULL. */
typedef struct nn_Pool {
    nn_Module base;
    F_PoolOptions options;
} nn_Pool;
typedef nn_Pool nn_MaxPool1d, nn_MaxPool2d, nn_AvgPool1d, nn_AvgPool2d;
T_API nn_MaxPool1d *nn_MaxPool1d_new(const F_PoolOptions *options);
T_API nn_MaxPool2d *nn_MaxPool2d_new(const F_PoolOptions *options);
T_API nn_AvgPool1d *nn_AvgPool1d_new(const F_PoolOptions *options);
T_API nn_AvgPool2d *nn_AvgPool2d_new(const F_PoolOptions *options);
T_API Tensor *nn_MaxPool1d_call(nn_MaxPool1d *self, Tensor *x, Tensor **indices);
T_API Tensor *nn_MaxPool2d_call(nn_MaxPool2d *self, Tensor *x, Tensor **indices);

/* nn.MaxUnpool2d(kernel_size, stride=None, padding=0), MaxUnpool1d: nn_call(unpool, x, indices), or with an output_size
 * (NULL: None) nn_MaxUnpool2d_call. */
typedef nn_Pool nn_MaxUnpool1d, nn_MaxUnpool2d;
T_API nn_MaxUnpool1d *nn_MaxUnpool1d_new(const F_PoolOptions *options);
T_API nn_MaxUnpool2d *nn_MaxUnpool2d_new(const F_PoolOptions *options);
T_API Tensor *nn_MaxUnpool1d_call(nn_MaxUnpool1d *self, Tensor *x, Tensor *indices, const int64_t *output_size);
T_API Tensor *nn_MaxUnpool2d_call(nn_MaxUnpool2d *self, Tensor *x, Tensor *indices, const int64_t *output_size);

/* nn.LPPool2d(norm_type, kernel_size, stride=None, ceil_mode=False), LPPool1d */
typedef struct nn_LPPool {
    nn_Module base;
    double norm_type;
    F_PoolOptions options;
} nn_LPPool;
typedef nn_LPPool nn_LPPool1d, nn_LPPool2d;
T_API nn_LPPool1d *nn_LPPool1d_new(double norm_type, const F_PoolOptions *options);
T_API nn_LPPool2d *nn_LPPool2d_new(double norm_type, const F_PoolOptions *options);

/* nn.AdaptiveAvgPool2d(output_size), AdaptiveAvgPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool1d; T_NONE is None.
 * return_indices=True: nn_AdaptiveMaxPool2d_call(pool, x, &indices); indices may be NULL. */
typedef struct nn_AdaptivePool {
    nn_Module base;
    int64_t output_size[2];
} nn_AdaptivePool;
typedef nn_AdaptivePool nn_AdaptiveAvgPool1d, nn_AdaptiveAvgPool2d, nn_AdaptiveMaxPool1d, nn_AdaptiveMaxPool2d;
T_API nn_AdaptiveAvgPool1d *nn_AdaptiveAvgPool1d_new(int64_t output_size);
T_API nn_AdaptiveAvgPool2d *nn_AdaptiveAvgPool2d_new(const int64_t output_size[2]);
T_API nn_AdaptiveMaxPool1d *nn_AdaptiveMaxPool1d_new(int64_t output_size);
T_API nn_AdaptiveMaxPool2d *nn_AdaptiveMaxPool2d_new(const int64_t output_size[2]);
T_API Tensor *nn_AdaptiveMaxPool1d_call(nn_AdaptiveMaxPool1d *self, Tensor *x, Tensor **indices);
T_API Tensor *nn_AdaptiveMaxPool2d_call(nn_AdaptiveMaxPool2d *self, Tensor *x, Tensor **indices);

/* Over three dims (pooling3d.c): nn.MaxPool3d, AvgPool3d, MaxUnpool3d, LPPool3d, AdaptiveAvgPool3d, AdaptiveMaxPool3d
 * */
typedef struct nn_Pool3d {
    nn_Module base;
    F_Pool3dOptions options;
    double norm_type; /* of LPPool3d */
} nn_Pool3d;
typedef nn_Pool3d nn_MaxPool3d, nn_AvgPool3d, nn_MaxUnpool3d, nn_LPPool3d;
typedef struct nn_AdaptivePool3d {
    nn_Module base;
    int64_t output_size[3];
} nn_AdaptivePool3d;
typedef nn_AdaptivePool3d nn_AdaptiveAvgPool3d, nn_AdaptiveMaxPool3d;
T_API nn_MaxPool3d *nn_MaxPool3d_new(const F_Pool3dOptions *options);
T_API nn_AvgPool3d *nn_AvgPool3d_new(const F_Pool3dOptions *options);
T_API nn_MaxUnpool3d *nn_MaxUnpool3d_new(const F_Pool3dOptions *options);
T_API nn_LPPool3d *nn_LPPool3d_new(double norm_type, const F_Pool3dOptions *options);
T_API nn_AdaptiveAvgPool3d *nn_AdaptiveAvgPool3d_new(const int64_t output_size[3]);
T_API nn_AdaptiveMaxPool3d *nn_AdaptiveMaxPool3d_new(const int64_t output_size[3]);
T_API Tensor *nn_MaxPool3d_call(nn_MaxPool3d *self, Tensor *x, Tensor **indices);
T_API Tensor *nn_AdaptiveMaxPool3d_call(nn_AdaptiveMaxPool3d *self, Tensor *x, Tensor **indices);
T_API Tensor *nn_MaxUnpool3d_call(nn_MaxUnpool3d *self, Tensor *x, Tensor *indices, const int64_t *output_size);

/* nn.FractionalMaxPool2d(kernel_size, output_size=None, output_ratio=None, _random_samples=None), FractionalMaxPool3d
 * (fractional_pooling.c). The samples are a buffer; without them each call draws new ones. return_indices=True:
 * nn_FractionalMaxPool2d_call(pool, x, &indices). */
typedef struct nn_FractionalMaxPool {
    nn_Module base;
    int dims;
    F_FractionalMaxPoolOptions options;
    Tensor *_random_samples;
} nn_FractionalMaxPool;
typedef nn_FractionalMaxPool nn_FractionalMaxPool2d, nn_FractionalMaxPool3d;
T_API nn_FractionalMaxPool2d *nn_FractionalMaxPool2d_new(const F_FractionalMaxPoolOptions *options);
T_API nn_FractionalMaxPool3d *nn_FractionalMaxPool3d_new(const F_FractionalMaxPoolOptions *options);
T_API Tensor *nn_FractionalMaxPool2d_call(nn_FractionalMaxPool2d *self, Tensor *x, Tensor **indices);
T_API Tensor *nn_FractionalMaxPool3d_call(nn_FractionalMaxPool3d *self, Tensor *x, Tensor **indices);

T_END_DECLS
#endif
