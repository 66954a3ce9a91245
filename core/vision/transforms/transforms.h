/* core/vision/transforms/transforms.h: torchvision.transforms as plain functions (public).
 *
 * A transform is an object, owned by the current scope, that transforms_call applies to an image (functional.h says
 * what an image is). Random transforms draw from torch's default generator, in torchvision's order, so that a seed
 * gives torchvision's images; RandomChoice and RandomOrder draw from Python's (core/python/random.h), as there. A
 * transform is not changed by its calls. */
#ifndef TAPEGRAD_CORE_VISION_TRANSFORMS_TRANSFORMS_H
#define TAPEGRAD_CORE_VISION_TRANSFORMS_TRANSFORMS_H

#include "core/vision/transforms/functional.h"

T_BEGIN_DECLS

typedef struct transforms_Transform transforms_Transform;

T_API Tensor *transforms_call(transforms_Transform *transform, Tensor *img); /* transform(img) */
T_API const char *transforms_str(transforms_Transform *transform);           /* str(transform), owned by the scope */
T_API void transforms_print(transforms_Transform *transform);                /* print(transform) */

/* ---- lists of transforms ---- */
T_API transforms_Transform *transforms_Compose_new(transforms_Transform *const *transforms,
                                                   int64_t count);           /* Compose(transforms) */
T_API transforms_Transform *transforms_RandomApply_new(transforms_Transform *const *transforms, int64_t count,
                                                       double p);            /* RandomApply(transforms, p=0.5) */
/* RandomChoice(transforms, p=None): p has count weights, or is NULL */
T_API transforms_Transform *transforms_RandomChoice_new(transforms_Transform *const *transforms, int64_t count,
                                                        const double *p);
T_API transforms_Transform *transforms_RandomOrder_new(transforms_Transform *const *transforms,
                                                       int64_t count);       /* RandomOrder(transforms) */
/* Lambda(lambd): a function, and what it captures */
typedef Tensor *(*transforms_Function)(Tensor *img, void *context);
T_API transforms_Transform *transforms_Lambda_new(transforms_Function lambd, void *context);
T_API transforms_Transform *transforms_Lambda_of_(Tensor *(*lambd)(Tensor *img)); /* without captures */

/* ---- dtypes ---- */
T_API transforms_Transform *transforms_ToTensor_new(void);                   /* ToTensor() */
T_API transforms_Transform *transforms_PILToTensor_new(void);                /* PILToTensor() */
T_API transforms_Transform *transforms_ToPILImage_new(void);                 /* ToPILImage() */
T_API transforms_Transform *transforms_ConvertImageDtype_new(t_DType dtype); /* ConvertImageDtype(dtype) */
T_API transforms_Transform *transforms_Normalize_new(const transforms_Values *mean, const transforms_Values *std,
                                                     bool inplace);          /* Normalize(mean, std, inplace=False) */

/* ---- geometry: a size is one number or (h, w) ---- */
/* Resize(size, interpolation=BILINEAR, max_size=None, antialias=True) */
T_API transforms_Transform *transforms_Resize_new(const int64_t *size, int count,
                                                  transforms_InterpolationMode interpolation, int64_t max_size,
                                                  bool antialias);
T_API transforms_Transform *transforms_CenterCrop_new(const int64_t *size, int count); /* CenterCrop(size) */
/* FiveCrop(size), TenCrop(size, vertical_flip=False): one tensor, (5, C, h, w) or (10, C, h, w), where Python returns a
 * tuple; what follows in a Compose works on all of its images */
T_API transforms_Transform *transforms_FiveCrop_new(const int64_t *size, int count);
T_API transforms_Transform *transforms_TenCrop_new(const int64_t *size, int count, bool vertical_flip);
/* Pad(padding, fill=0, padding_mode="constant") */
T_API transforms_Transform *transforms_Pad_new(const int64_t *padding, int count, const transforms_Values *fill,
                                               const char *padding_mode);
/* RandomCrop(size, padding=None, pad_if_needed=False, fill=0, padding_mode="constant"); paddings 0: None */
T_API transforms_Transform *transforms_RandomCrop_new(const int64_t *size, int count, const int64_t *padding,
                                                      int paddings, bool pad_if_needed, const transforms_Values *fill,
                                                      const char *padding_mode);
T_API transforms_Transform *transforms_RandomHorizontalFlip_new(double p);  /* RandomHorizontalFlip(p=0.5) */
T_API transforms_Transform *transforms_RandomVerticalFlip_new(double p);    /* RandomVerticalFlip(p=0.5) */
/* RandomResizedCrop(size, scale=(0.08, 1.0), ratio=(3/4, 4/3), interpolation=BILINEAR, antialias=True) */
T_API transforms_Transform *transforms_RandomResizedCrop_new(const int64_t *size, int count,
                                                             const transforms_Values *scale,
                                                             const transforms_Values *ratio,
                                                             transforms_InterpolationMode interpolation,
                                                             bool antialias);
/* RandomRotation(degrees, interpolation=NEAREST, expand=False, center=None, fill=0): degrees (min, max), or one number
 * for -degrees to degrees */
T_API transforms_Transform *transforms_RandomRotation_new(const transforms_Values *degrees,
                                                          transforms_InterpolationMode interpolation, bool expand,
                                                          const transforms_Values *center,
                                                          const transforms_Values *fill);
/* RandomAffine(degrees, translate=None, scale=None, shear=None, interpolation=NEAREST, fill=0, center=None) */
T_API transforms_Transform *transforms_RandomAffine_new(const transforms_Values *degrees,
                                                        const transforms_Values *translate,
                                                        const transforms_Values *scale, const transforms_Values *shear,
                                                        transforms_InterpolationMode interpolation,
                                                        const transforms_Values *fill, const transforms_Values *center);

/* RandomPerspective(distortion_scale=0.5, p=0.5, interpolation=BILINEAR, fill=0) */
T_API transforms_Transform *transforms_RandomPerspective_new(double distortion_scale, double p,
                                                             transforms_InterpolationMode interpolation,
                                                             const transforms_Values *fill);
/* ElasticTransform(alpha=50.0, sigma=5.0, interpolation=BILINEAR, fill=0) */
T_API transforms_Transform *transforms_ElasticTransform_new(const transforms_Values *alpha,
                                                            const transforms_Values *sigma,
                                                            transforms_InterpolationMode interpolation,
                                                            const transforms_Values *fill);

/* LinearTransformation(transformation_matrix, mean_vector): of tensors */
T_API transforms_Transform *transforms_LinearTransformation_new(Tensor *transformation_matrix, Tensor *mean_vector);

/* ---- policies: of uint8 images; fill NULL or None: 0 ---- */
typedef enum transforms_AutoAugmentPolicy {
    AutoAugmentPolicy_IMAGENET,
    AutoAugmentPolicy_CIFAR10,
    AutoAugmentPolicy_SVHN
} transforms_AutoAugmentPolicy;
/* AutoAugment(policy=IMAGENET, interpolation=NEAREST, fill=None) */
T_API transforms_Transform *transforms_AutoAugment_new(transforms_AutoAugmentPolicy policy,
                                                       transforms_InterpolationMode interpolation,
                                                       const transforms_Values *fill);
/* RandAugment(num_ops=2, magnitude=9, num_magnitude_bins=31, interpolation=NEAREST, fill=None) */
T_API transforms_Transform *transforms_RandAugment_new(int64_t num_ops, int64_t magnitude, int64_t num_magnitude_bins,
                                                       transforms_InterpolationMode interpolation,
                                                       const transforms_Values *fill);
/* TrivialAugmentWide(num_magnitude_bins=31, interpolation=NEAREST, fill=None) */
T_API transforms_Transform *transforms_TrivialAugmentWide_new(int64_t num_magnitude_bins,
                                                              transforms_InterpolationMode interpolation,
                                                              const transforms_Values *fill);

/* AugMix(severity=3, mixture_width=3, chain_depth=-1, alpha=1.0, all_ops=True, interpolation=BILINEAR, fill=None) */
T_API transforms_Transform *transforms_AugMix_new(int64_t severity, int64_t mixture_width, int64_t chain_depth,
                                                  double alpha, bool all_ops,
                                                  transforms_InterpolationMode interpolation,
                                                  const transforms_Values *fill);

/* ---- colour ---- */
/* Grayscale(1); a tensor of one channel has one also with 3, as in torchvision (a PIL image has three) */
T_API transforms_Transform *transforms_Grayscale_new(int64_t num_output_channels);
T_API transforms_Transform *transforms_RandomGrayscale_new(double p);              /* RandomGrayscale(p=0.1) */
/* ColorJitter(brightness=0, contrast=0, saturation=0, hue=0): each (min, max), or x for 1 - x to 1 + x (hue: -x to
 * x) */
T_API transforms_Transform *transforms_ColorJitter_new(const transforms_Values *brightness,
                                                       const transforms_Values *contrast,
                                                       const transforms_Values *saturation,
                                                       const transforms_Values *hue);
T_API transforms_Transform *transforms_RandomInvert_new(double p);                   /* RandomInvert(p=0.5) */
T_API transforms_Transform *transforms_RandomPosterize_new(int64_t bits, double p);  /* RandomPosterize(bits, p=0.5) */
T_API transforms_Transform *transforms_RandomSolarize_new(double threshold, double p); /* RandomSolarize(threshold) */
/* RandomAdjustSharpness(sharpness_factor, p=0.5) */
T_API transforms_Transform *transforms_RandomAdjustSharpness_new(double sharpness_factor, double p);
T_API transforms_Transform *transforms_RandomAutocontrast_new(double p);             /* RandomAutocontrast(p=0.5) */
T_API transforms_Transform *transforms_RandomEqualize_new(double p);                 /* RandomEqualize(p=0.5) */
/* GaussianBlur(kernel_size, sigma=(0.1, 2.0)) */
T_API transforms_Transform *transforms_GaussianBlur_new(const int64_t *kernel_size, int count,
                                                        const transforms_Values *sigma);
/* RandomErasing(p=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0, inplace=False); value transforms_random: noise */
T_API transforms_Transform *transforms_RandomErasing_new(double p, const transforms_Values *scale,
                                                         const transforms_Values *ratio,
                                                         const transforms_Values *value, bool inplace);
#define transforms_random __builtin_nan("") /* RandomErasing's value="random" */

T_END_DECLS
#endif
