/* nn/modules/convolution.h: torch.nn's convolutions (public). Sizes are pairs or, over three
 * dims, triples, as in nn/functional/functional.h. */
#ifndef TAPEGRAD_NN_MODULES_CONVOLUTION_H
#define TAPEGRAD_NN_MODULES_CONVOLUTION_H

#include "nn/functional/convolution/convolution.h"
#include "nn/module/module.h"

T_BEGIN_DECLS

/* nn.Conv2d(in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
 * padding_mode="zeros"), Conv1d, Conv3d, and ConvTranspose1d, 2d and 3d (which also have output_padding).
 * weight: (out, in / groups, kernel), transposed (in, out / groups, kernel); bias: (out). */
typedef struct nn_Conv {
    nn_Module base;
    Tensor *weight, *bias; /* bias: NULL with bias=False */
    int64_t in_channels, out_channels, kernel_size[3], stride[3], padding[3], dilation[3], output_padding[3], groups;
    char padding_mode[12];
    int dims;
    bool transposed;
} nn_Conv;
typedef nn_Conv nn_Conv1d, nn_Conv2d, nn_Conv3d, nn_ConvTranspose1d, nn_ConvTranspose2d, nn_ConvTranspose3d;
typedef struct nn_ConvOptions {
    uint32_t size;
    int64_t stride[3], padding[3], dilation[3], groups; /* 1, 0 (or F_SAME, F_VALID), 1, 1 */
    int64_t output_padding[3];                          /* of transposed convolutions: 0 */
    bool bias;
    const char *padding_mode; /* "zeros", "reflect", "replicate" or "circular" */
    t_DType dtype;
} nn_ConvOptions;
T_API extern const nn_ConvOptions nn_ConvDefaults;
T_API nn_Conv1d *nn_Conv1d_new(int64_t in_channels, int64_t out_channels, const int64_t *kernel_size,
                               const nn_ConvOptions *options);
T_API nn_Conv2d *nn_Conv2d_new(int64_t in_channels, int64_t out_channels, const int64_t *kernel_size,
                               const nn_ConvOptions *options);
T_API nn_ConvTranspose1d *nn_ConvTranspose1d_new(int64_t in_channels, int64_t out_channels, const int64_t *kernel_size,
                                                 const nn_ConvOptions *options);
T_API nn_ConvTranspose2d *nn_ConvTranspose2d_new(int64_t in_channels, int64_t out_channels, const int64_t *kernel_size,
                                                 const nn_ConvOptions *options);
T_API nn_Conv3d *nn_Conv3d_new(int64_t in_channels, int64_t out_channels, const int64_t *kernel_size,
                               const nn_ConvOptions *options);
T_API nn_ConvTranspose3d *nn_ConvTranspose3d_new(int64_t in_channels, int64_t out_channels, const int64_t *kernel_size,
                                                 const nn_ConvOptions *options);

/* nn.Unfold(kernel_size, dilation=1, padding=0, stride=1), nn.Fold(output_size, kernel_size, ...) */
typedef struct nn_Unfold {
    nn_Module base;
    int64_t output_size[2], kernel_size[2]; /* output_size of Fold */
    F_UnfoldOptions options;
} nn_Unfold;
typedef nn_Unfold nn_Fold;
T_API nn_Unfold *nn_Unfold_new(const int64_t kernel_size[2], const F_UnfoldOptions *options);
T_API nn_Fold *nn_Fold_new(const int64_t output_size[2], const int64_t kernel_size[2], const F_UnfoldOptions *options);

T_END_DECLS
#endif
