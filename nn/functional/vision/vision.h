/* nn/functional/vision/vision.h: what PyTorch's documentation calls vision functions: F.pad, F.interpolate,
 * F.pixel_shuffle, F.grid_sample (public; part of nn/functional/functional.h). Pairs of sizes and options are as in
 * convolution.h.
 *
 * The folder may include core/, nn/functional/convolution and nn/functional/pooling. */
#ifndef TAPEGRAD_NN_FUNCTIONAL_VISION_H
#define TAPEGRAD_NN_FUNCTIONAL_VISION_H

#include "nn/functional/convolution/convolution.h"

T_BEGIN_DECLS

/* ---- padding (pad.c) ---- */
T_API Tensor *F_pad(Tensor *x, const int64_t *pad, int count, const char *mode,
                    double value); /* F.pad(x, pad, mode, value);
                   a value of NAN with a mode of NULL: None */

/* ---- rearranging pixels (pixel_shuffle.c) ---- */
T_API Tensor *F_pixel_shuffle(Tensor *x, int64_t upscale_factor);           /* F.pixel_shuffle(x, upscale_factor) */
T_API Tensor *F_pixel_unshuffle(Tensor *x, int64_t downscale_factor);       /* F.pixel_unshuffle(x, downscale_factor) */
T_API Tensor *F_channel_shuffle(Tensor *x, int64_t groups);                 /* F.channel_shuffle(x, groups) */

/* ---- resizing (interpolate.c) ---- */
typedef struct F_InterpolateOptions {
    uint32_t size;
    int64_t output_size[3];  /* Python's size, one for each dim or {one, F_BOTH}; T_NONE: use scale_factor */
    double scale_factor[3];  /* one for each dim or {one, NAN}; NAN: use output_size */
    const char *mode;        /* "nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area" ... */
    bool align_corners, recompute_scale_factor;
    bool antialias;          /* of "bilinear", "bicubic" and "lanczos" */
} F_InterpolateOptions;
T_API extern const F_InterpolateOptions F_InterpolateDefaults;
T_API Tensor *F_interpolate(Tensor *x, const F_InterpolateOptions *options); /* F.interpolate(x, size, ...) */

/* ---- spatial transformers (grid_sample.c) ---- */
T_API Tensor *F_affine_grid(Tensor *theta, const int64_t *size, int count,
                            bool align_corners); /* F.affine_grid(theta, size, align_corners=False) */
T_API Tensor *F_grid_sample(Tensor *input, Tensor *grid, const char *mode, const char *padding_mode,
                            bool align_corners); /* F.grid_sample(input, grid, mode="bilinear", padding_mode="zeros") */

T_END_DECLS
#endif
