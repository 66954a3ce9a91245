/* core/vision/transforms/functional.h: torchvision.transforms.functional, which programs import as TF, as plain
 * functions (public).
 *
 * An image is a tensor (C, H, W), or with more dims before these a batch of images. Python has two kinds of images, and
 * torchvision computes in other ways on each: on tensors in float32, on PIL images as Pillow does, in integers. Here a
 * PIL image is a uint8 tensor (C, H, W) that is marked as one: the images of the datasets, of TF_to_pil_image and of
 * whatever these functions make of them. TF_to_tensor, TF_pil_to_tensor and all of torch's functions return tensors
 * without the mark. */
#ifndef TAPEGRAD_CORE_VISION_TRANSFORMS_FUNCTIONAL_H
#define TAPEGRAD_CORE_VISION_TRANSFORMS_FUNCTIONAL_H

#include "core/tensor/list.h"

T_BEGIN_DECLS

/* torchvision.transforms.InterpolationMode */
typedef enum transforms_InterpolationMode {
    InterpolationMode_NEAREST,
    InterpolationMode_NEAREST_EXACT,
    InterpolationMode_BILINEAR,
    InterpolationMode_BICUBIC,
    InterpolationMode_BOX, /* the last three: only of PIL images */
    InterpolationMode_HAMMING,
    InterpolationMode_LANCZOS
} transforms_InterpolationMode;

/* A number, count = -1, or a tuple of count numbers; 0: as many as there must be ({1, 2, 3} in the macros). NAN with a
 * count of -1, and a NULL pointer: None. */
enum { TRANSFORMS_MAX_VALUES = 8 };
typedef struct transforms_Values {
    double items[TRANSFORMS_MAX_VALUES];
    int count;
} transforms_Values;

T_API bool TF_get_dimensions(const Tensor *img, int64_t dimensions[3]);      /* TF.get_dimensions(img): C, H, W */
T_API bool TF_get_image_size(const Tensor *img, int64_t size[2]);   /* TF.get_image_size(img): W, H */
T_API int64_t TF_get_image_num_channels(const Tensor *img);         /* TF.get_image_num_channels(img); -1: error */
T_API bool TF_is_pil_image(const Tensor *img);                      /* isinstance(img, PIL.Image.Image) */
T_API Tensor *TF_to_tensor(Tensor *pic);                            /* TF.to_tensor(pic) */
T_API Tensor *TF_pil_to_tensor(Tensor *pic);                        /* TF.pil_to_tensor(pic) */
T_API Tensor *TF_to_pil_image(Tensor *pic);                         /* TF.to_pil_image(pic) */
T_API Tensor *TF_convert_image_dtype(Tensor *image, t_DType dtype); /* TF.convert_image_dtype(image, dtype) */
T_API Tensor *TF_normalize(Tensor *tensor, const transforms_Values *mean, const transforms_Values *std,
                           bool inplace); /* TF.normalize(tensor, mean, std, inplace=False) */
/* TF.resize(img, size, interpolation=BILINEAR, max_size=None, antialias=True): size (h, w), or one number for the
 * shorter edge; max_size T_NONE: None */
T_API Tensor *TF_resize(Tensor *img, const int64_t *size, int count, transforms_InterpolationMode interpolation,
                        int64_t max_size, bool antialias);
T_API Tensor *TF_crop(Tensor *img, int64_t top, int64_t left, int64_t height, int64_t width); /* TF.crop */
T_API Tensor *TF_center_crop(Tensor *img, const int64_t *output_size, int count); /* TF.center_crop(img, output_size) */
T_API Tensor *TF_resized_crop(Tensor *img, int64_t top, int64_t left, int64_t height, int64_t width,
                              const int64_t *size, int count, transforms_InterpolationMode interpolation,
                              bool antialias); /* TF.resized_crop(img, top, left, height, width, size) */
T_API t_TensorList *TF_five_crop(Tensor *img, const int64_t *size, int count); /* TF.five_crop(img, size) */
T_API t_TensorList *TF_ten_crop(Tensor *img, const int64_t *size, int count,
                                bool vertical_flip); /* TF.ten_crop(img, size, vertical_flip=False) */
/* TF.pad(img, padding, fill=0, padding_mode="constant"): padding of all sides, (left and right, top and bottom), or
 * (left, top, right, bottom) */
T_API Tensor *TF_pad(Tensor *img, const int64_t *padding, int count, const transforms_Values *fill,
                     const char *padding_mode);
T_API Tensor *TF_hflip(Tensor *img); /* TF.hflip(img) */
T_API Tensor *TF_vflip(Tensor *img); /* TF.vflip(img) */
/* TF.rotate(img, angle, interpolation=NEAREST, expand=False, center=None, fill=None): counter-clockwise, in degrees */
T_API Tensor *TF_rotate(Tensor *img, double angle, transforms_InterpolationMode interpolation, bool expand,
                        const transforms_Values *center, const transforms_Values *fill);
/* TF.affine(img, angle, translate, scale, shear, interpolation=NEAREST, fill=None, center=None): clockwise, in degrees;
 * translate and shear: along x and y */
T_API Tensor *TF_affine(Tensor *img, double angle, const int64_t translate[2], double scale, const double shear[2],
                        transforms_InterpolationMode interpolation, const transforms_Values *fill,
                        const transforms_Values *center);
/* TF.perspective(img, startpoints, endpoints, interpolation=BILINEAR, fill=None): four points (x, y) each */
T_API Tensor *TF_perspective(Tensor *img, const int64_t startpoints[8], const int64_t endpoints[8],
                             transforms_InterpolationMode interpolation, const transforms_Values *fill);
/* TF.elastic_transform(img, displacement, interpolation=BILINEAR, fill=None) */
T_API Tensor *TF_elastic_transform(Tensor *img, Tensor *displacement, transforms_InterpolationMode interpolation,
                                   const transforms_Values *fill);
/* TF.rgb_to_grayscale(img, 1); a tensor of one channel stays as it is */
T_API Tensor *TF_rgb_to_grayscale(Tensor *img, int64_t num_output_channels);
T_API Tensor *TF_to_grayscale(Tensor *img, int64_t num_output_channels);     /* TF.to_grayscale(img, 1) */
T_API Tensor *TF_adjust_brightness(Tensor *img, double brightness_factor);   /* TF.adjust_brightness(img, factor) */
T_API Tensor *TF_adjust_contrast(Tensor *img, double contrast_factor);       /* TF.adjust_contrast(img, factor) */
T_API Tensor *TF_adjust_saturation(Tensor *img, double saturation_factor);   /* TF.adjust_saturation(img, factor) */
T_API Tensor *TF_adjust_hue(Tensor *img, double hue_factor);                 /* TF.adjust_hue(img, factor) */
T_API Tensor *TF_adjust_gamma(Tensor *img, double gamma, double gain);       /* TF.adjust_gamma(img, gamma, gain=1) */
T_API Tensor *TF_adjust_sharpness(Tensor *img, double sharpness_factor);     /* TF.adjust_sharpness(img, factor) */
T_API Tensor *TF_autocontrast(Tensor *img);                                  /* TF.autocontrast(img) */
T_API Tensor *TF_equalize(Tensor *img);                                      /* TF.equalize(img) */
T_API Tensor *TF_invert(Tensor *img);                                        /* TF.invert(img) */
T_API Tensor *TF_posterize(Tensor *img, int64_t bits);                       /* TF.posterize(img, bits) */
T_API Tensor *TF_solarize(Tensor *img, double threshold);                    /* TF.solarize(img, threshold) */
/* TF.gaussian_blur(img, kernel_size, sigma=None): x first, y second; sigma NULL: 0.15 kernel_size + 0.35 */
T_API Tensor *TF_gaussian_blur(Tensor *img, const int64_t *kernel_size, int count, const transforms_Values *sigma);
/* TF.erase(img, i, j, h, w, v, inplace=False) */
T_API Tensor *TF_erase(Tensor *img, int64_t i, int64_t j, int64_t h, int64_t w, Tensor *v, bool inplace);

T_END_DECLS
#endif
