/* nn/functional/convolution/convolution.h: F.conv2d and its kind, F.unfold and F.fold (public; part of
 * nn/functional/functional.h).
 *
 * A pair of sizes is {height, width}; where Python takes one integer for both, the second is F_BOTH. Functions over one
 * dim use only the first. Options start from the exported ..._Defaults; NULL means those.
 *
 * float16 and bfloat16 are computed in float32, between conversions, and rounded once: about the time of float32, where
 * the bfloat16 kernels behind PyTorch's convolutions (AVX512-BF16) take a third of it (8 x 64 x 28 x 28, 3 x 3 to 64
 * channels, one thread: 6.7 and 2.3 ms).
 *
 * The folder also holds the sliding window (sliding_window.c) that convolution, unfold and pooling share. It may
 * include core/ only. */
#ifndef TAPEGRAD_NN_FUNCTIONAL_CONVOLUTION_H
#define TAPEGRAD_NN_FUNCTIONAL_CONVOLUTION_H

#include "core/tensor/api.h"

#define F_BOTH (INT64_MIN + 1)  /* the second of a pair: equal to the first */
#define F_SAME (INT64_MIN + 2)  /* padding="same" */
#define F_VALID (INT64_MIN + 3) /* padding="valid" */

T_BEGIN_DECLS

/* ---- convolutions (conv.c, conv_checks.c) ---- */
typedef struct F_ConvOptions {
    uint32_t size;
    int64_t stride[2], padding[2], dilation[2], groups; /* 1, 0, 1, 1; padding[0] may be F_SAME or F_VALID */
    int64_t output_padding[2];                          /* of the transposed ones: 0 */
} F_ConvOptions;
T_API extern const F_ConvOptions F_ConvDefaults;
T_API Tensor *F_conv1d(Tensor *x, Tensor *weight, Tensor *bias,
                       const F_ConvOptions *options); /* F.conv1d(x, w, b, ...) */
T_API Tensor *F_conv2d(Tensor *x, Tensor *weight, Tensor *bias,
                       const F_ConvOptions *options); /* F.conv2d(x, w, b, ...) */
T_API Tensor *F_conv_tbc(Tensor *x, Tensor *weight, Tensor *bias, int64_t pad); /* torch.conv_tbc(x, w, b, pad=0) */
T_API Tensor *F_conv_transpose1d(Tensor *x, Tensor *weight, Tensor *bias,
                                 const F_ConvOptions *options); /* F.conv_transpose1d */
T_API Tensor *F_conv_transpose2d(Tensor *x, Tensor *weight, Tensor *bias,
                                 const F_ConvOptions *options); /* F.conv_transpose2d */

/* ---- over three dims (conv3d.c): {depth, height, width}, or {all three, F_BOTH} ---- */
typedef struct F_Conv3dOptions {
    uint32_t size;
    int64_t stride[3], padding[3], dilation[3], groups; /* 1, 0, 1, 1; padding[0] may be F_SAME or F_VALID */
    int64_t output_padding[3];                          /* of the transposed one: 0 */
} F_Conv3dOptions;
T_API extern const F_Conv3dOptions F_Conv3dDefaults;
T_API Tensor *F_conv3d(Tensor *x, Tensor *weight, Tensor *bias,
                       const F_Conv3dOptions *options); /* F.conv3d(x, w, b, ...) */
T_API Tensor *F_conv_transpose3d(Tensor *x, Tensor *weight, Tensor *bias,
                                 const F_Conv3dOptions *options); /* F.conv_transpose3d */

/* ---- im2col and col2im (unfold.c) ---- */
typedef struct F_UnfoldOptions {
    uint32_t size;
    int64_t dilation[2], padding[2], stride[2]; /* 1, 0, 1 */
} F_UnfoldOptions;
T_API extern const F_UnfoldOptions F_UnfoldDefaults;
T_API Tensor *F_unfold(Tensor *x, const int64_t kernel_size[2], const F_UnfoldOptions *options); /* F.unfold */
T_API Tensor *F_fold(Tensor *x, const int64_t output_size[2], const int64_t kernel_size[2],
                     const F_UnfoldOptions *options);                       /* F.fold(x, output_size, kernel_size) */

T_END_DECLS
#endif
