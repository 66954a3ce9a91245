/* core/vision/transforms/functional_internal.h: what the functional forms and the classes share (internal).
 *
 * The folder: functional.h and functional_*.c, the computations, each composed of torch's functions for tensors and
 * with Pillow's arithmetic (pil_*.c) for PIL images; transforms.h, the classes, which draw random numbers and call
 * them. It may include core/, nn/functional and core/python. */
#ifndef TAPEGRAD_CORE_VISION_TRANSFORMS_FUNCTIONAL_INTERNAL_H
#define TAPEGRAD_CORE_VISION_TRANSFORMS_FUNCTIONAL_INTERNAL_H

#include "core/tensor/tensor.h"
#include "core/vision/transforms/pil_internal.h"

/* A live tensor of two or more dims; else torchvision's error. */
bool tg_check_image(const Tensor *img);
/* Of an image that is checked. */
static inline int64_t tg_image_height(const Tensor *img) {
    return img->shape[img->ndim - 2];
}
static inline int64_t tg_image_width(const Tensor *img) {
    return img->shape[img->ndim - 1];
}
static inline int64_t tg_image_channels(const Tensor *img) {
    return img->ndim > 2 ? img->shape[img->ndim - 3] : 1;
}
static inline bool tg_is_pil(const Tensor *img) {
    return img->is_pil_image && img->dtype == t_uint8;
}
/* Marks a new tensor, or a new view, as a PIL image; NULL for NULL. */
Tensor *tg_mark_pil(Tensor *x);
/* y, computed from img, marked if img is a PIL image and y another tensor. */
Tensor *tg_like_image(const Tensor *img, Tensor *y);
/* A contiguous PIL image's planes: (C, H, W), and of a batch all its planes. */
tg_Planes tg_planes(Tensor *img);
/* A new PIL image with img's channels and this size. */
Tensor *tg_new_pil(const Tensor *img, int64_t height, int64_t width);
/* (C, H, W) planes of alpha images are premultiplied before they are resampled: whether img is one, and its images. */
bool tg_has_alpha(const Tensor *img);
int64_t tg_image_count(const Tensor *img); /* of a batch */
/* The number of channels is one of torchvision's [1, 3]. */
bool tg_check_channels(const Tensor *img);

bool tg_no_value(const transforms_Values *v);
/* The numbers of v, of which there must be `expected` where v has no count. */
int tg_values_count(const transforms_Values *v, int expected);
double tg_largest_pixel(t_DType dtype); /* _max_value: 255 for uint8, 1 for floating dtypes */
/* F.conv2d with one kernel for each channel of a floating (N, C, H, W). */
/* ratio img1 + (1 - ratio) img2 of tensors, clipped to the range of the dtype; img2 NULL: black. */
Tensor *tg_blend_images(Tensor *img1, Tensor *img2, double ratio);
/* Error unless the mode and the number of fills are ones that rotate, affine and perspective take. */
bool tg_check_sampling(const Tensor *img, transforms_InterpolationMode mode, const transforms_Values *fill);
/* F.grid_sample with a mask, where there is a fill: what lies outside of the image gets it, in parts at the edge. */
Tensor *tg_sample_grid(Tensor *img, Tensor *grid, transforms_InterpolationMode mode, const transforms_Values *fill);
/* Pillow's img.transform: affine with 6 coefficients, perspective with 8. */
Tensor *tg_transform_pil(Tensor *img, const double *a, int coefficients, int64_t height, int64_t width,
                         transforms_InterpolationMode mode, const transforms_Values *fill);
Tensor *tg_rounded_to(Tensor *y, t_DType dtype); /* rounds a floating y for an integer dtype, and converts it */

#endif
