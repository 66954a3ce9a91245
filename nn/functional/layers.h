/* nn/functional/layers.h: norms, padding, convolutions, pooling and resizing of torch.nn.functional, one line each
 * (public; part of nn/functional/functional.h, which says how to read it).
 *
 * A pair of sizes is {height, width}; where Python takes one integer for both, the second is F_BOTH. Functions over one
 * dim use only the first. Options start from the exported ..._Defaults; NULL stands for those. */
#ifndef TAPEGRAD_NN_FUNCTIONAL_LAYERS_H
#define TAPEGRAD_NN_FUNCTIONAL_LAYERS_H

#include "core/tensor/api.h"

#define F_BOTH (INT64_MIN + 1)  /* the second of a pair: equal to the first */
#define F_SAME (INT64_MIN + 2)  /* padding="same" */
#define F_VALID (INT64_MIN + 3) /* padding="valid" */

T_BEGIN_DECLS

/* ---- norms (layer_norm.c, group_norm.c, batch_norm.c) ---- */
T_API Tensor *F_rms_norm(Tensor *x, const int64_t *normalized_shape, int n, Tensor *weight,
                         double eps);                                       /* F.rms_norm(x, shape, weight, eps); NAN: None */
T_API Tensor *F_group_norm(Tensor *x, int64_t num_groups, Tensor *weight, Tensor *bias,
                           double eps);                                     /* F.group_norm(x, num_groups, weight, bias) */
T_API Tensor *F_batch_norm(Tensor *x, Tensor *running_mean, Tensor *running_var, Tensor *weight, Tensor *bias,
                           bool training, double momentum,
                           double eps); /* F.batch_norm(x, mean, var, weight, bias, ...) */
T_API Tensor *F_instance_norm(Tensor *x, Tensor *running_mean, Tensor *running_var, Tensor *weight, Tensor *bias,
                              bool use_input_stats, double momentum, double eps); /* F.instance_norm(x, ...) */

T_API Tensor *F_local_response_norm(Tensor *x, int64_t size, double alpha, double beta,
                                    double k);                              /* F.local_response_norm(x, size, ...) */

/* ---- padding (pad.c) ---- */
T_API Tensor *F_pad(Tensor *x, const int64_t *pad, int count, const char *mode,
                    double value); /* F.pad(x, pad, mode, value);
                   a value of NAN with a mode of NULL: None */

/* ---- convolutions (conv.c, conv_checks.c) ---- */
typedef struct F_ConvOptions {
    uint32_t size;
    int64_t stride[2], padding[2], dilation[2], groups; /* 1, 0, 1, 1; padding[0] may be F_SAME or F_VALID */
    int64_t output_padding[2];                          /* of the transposed ones: 0 */
} F_ConvOptions;
T_API extern const F_ConvOptions F_ConvDefaults;
T_API Tensor *F_conv1d(Tensor *x, Tensor *weight, Tensor *bias, const F_ConvOptions *options);  /* F.conv1d(x, w, b, ...) */
T_API Tensor *F_conv2d(Tensor *x, Tensor *weight, Tensor *bias, const F_ConvOptions *options);  /* F.conv2d(x, w, b, ...) */
T_API Tensor *F_conv_transpose1d(Tensor *x, Tensor *weight, Tensor *bias, const F_ConvOptions *options); /* F.conv_transpose1d */
T_API Tensor *F_conv_transpose2d(Tensor *x, Tensor *weight, Tensor *bias, const F_ConvOptions *options); /* F.conv_transpose2d */

/* ---- im2col and col2im (unfold.c) ---- */
typedef struct F_UnfoldOptions {
    uint32_t size;
    int64_t dilation[2], padding[2], stride[2]; /* 1, 0, 1 */
} F_UnfoldOptions;
T_API extern const F_UnfoldOptions F_UnfoldDefaults;
T_API Tensor *F_unfold(Tensor *x, const int64_t kernel_size[2], const F_UnfoldOptions *options); /* F.unfold(x, kernel_size) */
T_API Tensor *F_fold(Tensor *x, const int64_t output_size[2], const int64_t kernel_size[2],
                     const F_UnfoldOptions *options);                       /* F.fold(x, output_size, kernel_size) */

/* ---- pooling (max_pool.c, avg_pool.c) ---- */
typedef struct F_PoolOptions {
    uint32_t size;
    int64_t kernel_size[2], stride[2], padding[2]; /* a stride of T_NONE is the kernel's size */
    int64_t dilation[2];                           /* of max_pool */
    bool ceil_mode;
    bool count_include_pad;                        /* of avg_pool: true */
    int64_t divisor_override;                      /* of avg_pool: T_NONE is none */
    Tensor **indices;                              /* of max_pool, return_indices=True: flat indices in each plane */
} F_PoolOptions;
T_API extern const F_PoolOptions F_PoolDefaults; /* all but kernel_size */
T_API Tensor *F_max_pool1d(Tensor *x, const F_PoolOptions *options);        /* F.max_pool1d(x, kernel_size, ...) */
T_API Tensor *F_max_pool2d(Tensor *x, const F_PoolOptions *options);        /* F.max_pool2d(x, kernel_size, ...) */
T_API Tensor *F_avg_pool1d(Tensor *x, const F_PoolOptions *options);        /* F.avg_pool1d(x, kernel_size, ...) */
T_API Tensor *F_avg_pool2d(Tensor *x, const F_PoolOptions *options);        /* F.avg_pool2d(x, kernel_size, ...) */
T_API Tensor *F_adaptive_avg_pool1d(Tensor *x, int64_t output_size);                /* F.adaptive_avg_pool1d(x, 5) */
T_API Tensor *F_adaptive_avg_pool2d(Tensor *x, const int64_t output_size[2]);       /* F.adaptive_avg_pool2d(x, 5); T_NONE: None */
T_API Tensor *F_adaptive_max_pool1d(Tensor *x, int64_t output_size, Tensor **indices);       /* F.adaptive_max_pool1d(x, 5) */
T_API Tensor *F_adaptive_max_pool2d(Tensor *x, const int64_t output_size[2], Tensor **indices); /* F.adaptive_max_pool2d(x, 5) */

/* ---- dropout of channels, pixel_shuffle (dropout2d_pixel_shuffle.c) ---- */
T_API Tensor *F_dropout1d(Tensor *x, double p, bool training);              /* F.dropout1d(x, p, training): whole channels */
T_API Tensor *F_dropout2d(Tensor *x, double p, bool training);              /* F.dropout2d(x, p, training) */
T_API Tensor *F_alpha_dropout(Tensor *x, double p, bool training);          /* F.alpha_dropout(x, p, training) */
T_API Tensor *F_pixel_shuffle(Tensor *x, int64_t upscale_factor);           /* F.pixel_shuffle(x, upscale_factor) */
T_API Tensor *F_pixel_unshuffle(Tensor *x, int64_t downscale_factor);       /* F.pixel_unshuffle(x, downscale_factor) */

/* ---- resizing (interpolate.c) ---- */
typedef struct F_InterpolateOptions {
    uint32_t size;
    int64_t output_size[2];  /* Python's size; T_NONE: use scale_factor */
    double scale_factor[2];  /* NAN: use output_size; a second NAN: equal to the first */
    const char *mode;        /* "nearest", "linear" or "bilinear" */
    bool align_corners;
} F_InterpolateOptions;
T_API extern const F_InterpolateOptions F_InterpolateDefaults;
T_API Tensor *F_interpolate(Tensor *x, const F_InterpolateOptions *options); /* F.interpolate(x, size, scale_factor, mode) */

T_END_DECLS
#endif
