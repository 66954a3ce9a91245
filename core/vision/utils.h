/* core/vision/utils.h: torchvision.utils: batches of images as one picture (public).
 *
 *     utils_save_image(utils_make_grid(batch, .nrow = 4, .normalize = true), "grid.png"); */
#ifndef TAPEGRAD_CORE_VISION_UTILS_H
#define TAPEGRAD_CORE_VISION_UTILS_H

#include "core/tensor/list.h"

T_BEGIN_DECLS

typedef struct utils_GridOptions {
    uint32_t size;
    int64_t nrow;          /* 8: images in a row */
    int64_t padding;       /* 2: pixels around each image */
    bool normalize;        /* false; true: value_range is shifted to 0 to 1 */
    double value_range[2]; /* (min, max); NAN: of the tensor */
    bool scale_each;       /* false; true: each image by its own min and max */
    double pad_value;      /* 0 */
} utils_GridOptions;

/* torchvision.utils.make_grid(x): a batch (B, C, H, W) as one image (C, rows * (H + padding) + padding, ...), of the
 * dtype of x and without a gradient. One channel becomes three; a single image, of rank 2 or 3 or a batch of one, has
 * no padding. Errors: another rank; an empty batch; normalize of integers. */
T_API Tensor *utils_make_grid(Tensor *tensor, const utils_GridOptions *options);
T_API Tensor *utils_make_grid_list(const t_TensorList *tensors,
                                   const utils_GridOptions *options); /* make_grid([x, y]) */

/* torchvision.utils.save_image(x, fp, format): the grid, whose values 0 to 1 become 0 to 255 (x * 255 + 0.5, cut off to
 * an integer), as a file: .png .ppm .pgm .pbm .pnm, by `format` ("png") or, if that is NULL, the suffix of fp. */
T_API bool utils_save_image(Tensor *tensor, const char *fp, const char *format, const utils_GridOptions *options);
T_API bool utils_save_image_list(const t_TensorList *tensors, const char *fp, const char *format,
                                 const utils_GridOptions *options);

T_END_DECLS
#endif
