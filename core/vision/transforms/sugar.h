/* core/vision/transforms/sugar.h: the macros of torchvision.transforms: keywords, tuples, lists (public; gcc and clang,
 * C only). core/sugar/sugar.h explains the macros.
 *
 * What may be a number or a tuple is written as in Python: transforms_RandomRotation(10),
 * transforms_RandomRotation((-10, 30)); after a keyword in braces, .degrees = {-10, 30}, or as a number,
 * .degrees = 10. */
#ifndef TAPEGRAD_CORE_VISION_TRANSFORMS_SUGAR_H
#define TAPEGRAD_CORE_VISION_TRANSFORMS_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "core/vision/transforms/transforms.h"

/* transforms.InterpolationMode.BILINEAR */
#define transforms_InterpolationMode_NEAREST InterpolationMode_NEAREST
#define transforms_InterpolationMode_NEAREST_EXACT InterpolationMode_NEAREST_EXACT
#define transforms_InterpolationMode_BILINEAR InterpolationMode_BILINEAR
#define transforms_InterpolationMode_BICUBIC InterpolationMode_BICUBIC
#define transforms_InterpolationMode_BOX InterpolationMode_BOX
#define transforms_InterpolationMode_HAMMING InterpolationMode_HAMMING
#define transforms_InterpolationMode_LANCZOS InterpolationMode_LANCZOS

/* ---- numbers and tuples of them ---- */
typedef transforms_Transform *transforms_t_;
typedef transforms_InterpolationMode transforms_m_;
/* The default of an argument: a number; None. */
#define TRANSFORMS_NUMBER_(x) {{x}, -1}
#define TRANSFORMS_NONE_ {{__builtin_nan("")}, -1}
/* As a pointer: the tuple or keyword, or the number at its position. */
#define TRANSFORMS_VALUES_(name) \
    t__o.name##_ == (long double)T_LEFT_OUT_ ? &t__o.name : &(const transforms_Values){{(double)t__o.name##_}, -1}
#define TRANSFORMS_CALL_(text, type, names, defaults, call, ...) T_BEGIN_(text) \
    T_OPTIONS_(type, t__o, T_DEFAULTS_ defaults, .first_ = 0, T_NAMED_(names, __VA_ARGS__)) T_END_(transforms_t_, call)

#define transforms_call(transform, img) T_BEGIN_("transforms_call(" #transform ", " #img ")") \
    transforms_t_ t__t = (transform); T_TENSOR_(t__a, (img)) T_END_(Tensor *, (transforms_call)(t__t, t__a))
#define transforms_str(transform) T_BEGIN_("transforms_str(" #transform ")") transforms_t_ t__t = (transform); \
    T_END_(const char *, (transforms_str)(t__t))
#define transforms_print(transform) T_BEGIN_("transforms_print(" #transform ")") transforms_t_ t__t = (transform); \
    T_END_VOID_((transforms_print)(t__t))

/* ---- lists: transforms_Compose(transforms_Resize(256), transforms_ToTensor()) ---- */
#define TRANSFORMS_PARTS_(...) const transforms_t_ t__p[] = {NULL, __VA_ARGS__}; \
    const int64_t t__n = (int64_t)(sizeof t__p / sizeof *t__p) - 1;
#define transforms_Compose(...) T_BEGIN_("transforms_Compose(" #__VA_ARGS__ ")") TRANSFORMS_PARTS_(__VA_ARGS__) \
    T_END_(transforms_t_, transforms_Compose_new(t__p + 1, t__n))
#define transforms_RandomOrder(...) T_BEGIN_("transforms_RandomOrder(" #__VA_ARGS__ ")") \
    TRANSFORMS_PARTS_(__VA_ARGS__) T_END_(transforms_t_, transforms_RandomOrder_new(t__p + 1, t__n))
/* transforms_RandomApply((a, b), .p = 0.3), transforms_RandomApply(a, 0.3) for a single transform; and
 * transforms_RandomChoice((a, b), .p = {0.2, 0.8}) */
#define TRANSFORMS_LIST_(list) T_PASTE_(TRANSFORMS_LIST_, T_IS_TUPLE_(list))(list)
#define TRANSFORMS_LIST_0(list) TRANSFORMS_PARTS_(list)
#define TRANSFORMS_LIST_1(list) TRANSFORMS_PARTS_(T_UNTUPLE_ list)
typedef struct transforms_ApplyArguments_ { int first_; double p; } transforms_ApplyArguments_;
#define transforms_RandomApply(...) T_BEGIN_("transforms_RandomApply(" #__VA_ARGS__ ")") \
    TRANSFORMS_LIST_(T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(transforms_ApplyArguments_, t__o, .p = 0.5, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(transforms_t_, transforms_RandomApply_new(t__p + 1, t__n, t__o.p))
typedef struct transforms_ChoiceArguments_ { int first_; double p[64]; } transforms_ChoiceArguments_;
#define transforms_RandomChoice(...) T_BEGIN_("transforms_RandomChoice(" #__VA_ARGS__ ")") \
    TRANSFORMS_LIST_(T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(transforms_ChoiceArguments_, t__o, .p = {-1}, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(transforms_t_, transforms_RandomChoice_new(t__p + 1, t__n, t__o.p[0] < 0 ? NULL : t__o.p))

/* transforms_Lambda(f), transforms_Lambda(f, .context = &captured): Tensor *f(Tensor *img), or f(img, void *context) */
typedef Tensor *(*transforms_plain_)(Tensor *);
typedef struct transforms_LambdaArguments_ { int first_; void *context; } transforms_LambdaArguments_;
static inline transforms_t_ transforms_lambda_(transforms_Function f, void *context) {
    return transforms_Lambda_new(f, context);
}
static inline transforms_t_ transforms_plain_lambda_(transforms_plain_ f, void *context) {
    (void)context;
    return transforms_Lambda_of_(f);
}
#define transforms_Lambda(...) T_BEGIN_("transforms_Lambda(" #__VA_ARGS__ ")") \
    __auto_type t__f = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(transforms_LambdaArguments_, t__o, .context = NULL, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(transforms_t_, _Generic(t__f, transforms_plain_: transforms_plain_lambda_, \
    default: transforms_lambda_)(t__f, t__o.context))

/* ---- dtypes ---- */
#define transforms_ToTensor() T_BEGIN_("transforms_ToTensor()") T_END_(transforms_t_, transforms_ToTensor_new())
#define transforms_PILToTensor() \
    T_BEGIN_("transforms_PILToTensor()") T_END_(transforms_t_, transforms_PILToTensor_new())
#define transforms_ToPILImage() \
    T_BEGIN_("transforms_ToPILImage()") T_END_(transforms_t_, transforms_ToPILImage_new())
#define transforms_ConvertImageDtype(dtype) T_BEGIN_("transforms_ConvertImageDtype(" #dtype ")") \
    const t_DType t__d = (dtype); T_END_(transforms_t_, transforms_ConvertImageDtype_new(t__d))
/* transforms_Normalize((0.1307,), (0.3081,)), transforms_Normalize(.mean = {0.5, 0.5, 0.5}, .std = {0.5, 0.5, 0.5}) */
typedef struct transforms_NormalizeArguments_ {
    int first_; long double mean_, std_; bool inplace; transforms_Values mean, std;
} transforms_NormalizeArguments_;
#define transforms_Normalize(...) TRANSFORMS_CALL_("transforms_Normalize(" #__VA_ARGS__ ")", \
    transforms_NormalizeArguments_, (mean, std, inplace), \
    (.mean_ = T_LEFT_OUT_, .std_ = T_LEFT_OUT_, .mean = TRANSFORMS_NONE_, .std = TRANSFORMS_NONE_), \
    transforms_Normalize_new(TRANSFORMS_VALUES_(mean), TRANSFORMS_VALUES_(std), t__o.inplace), __VA_ARGS__)

/* ---- geometry ---- */
/* transforms_Resize(256), transforms_Resize((224, 224), InterpolationMode_BICUBIC), .max_size, .antialias */
typedef struct transforms_ResizeArguments_ {
    int first_; int64_t size_; transforms_m_ interpolation; int64_t max_size; bool antialias; t_Tuple size;
} transforms_ResizeArguments_;
#define TRANSFORMS_SIZE_ .size_ = T_LEFT_OUT_, .size = T_NO_TUPLE_
#define transforms_Resize(...) TRANSFORMS_CALL_("transforms_Resize(" #__VA_ARGS__ ")", transforms_ResizeArguments_, \
    (size, interpolation, max_size, antialias), \
    (TRANSFORMS_SIZE_, .interpolation = InterpolationMode_BILINEAR, .max_size = T_NONE, .antialias = true), \
    transforms_Resize_new(T_LIST_OF_(size), t__o.interpolation, t__o.max_size, t__o.antialias), __VA_ARGS__)
typedef struct transforms_SizeArguments_ {
    int first_; int64_t size_; bool vertical_flip; t_Tuple size;
} transforms_SizeArguments_;
#define transforms_CenterCrop(...) TRANSFORMS_CALL_("transforms_CenterCrop(" #__VA_ARGS__ ")", \
    transforms_SizeArguments_, (size), (TRANSFORMS_SIZE_), transforms_CenterCrop_new(T_LIST_OF_(size)), __VA_ARGS__)
#define transforms_FiveCrop(...) TRANSFORMS_CALL_("transforms_FiveCrop(" #__VA_ARGS__ ")", \
    transforms_SizeArguments_, (size), (TRANSFORMS_SIZE_), transforms_FiveCrop_new(T_LIST_OF_(size)), __VA_ARGS__)
#define transforms_TenCrop(...) TRANSFORMS_CALL_("transforms_TenCrop(" #__VA_ARGS__ ")", \
    transforms_SizeArguments_, (size, vertical_flip), (TRANSFORMS_SIZE_), \
    transforms_TenCrop_new(T_LIST_OF_(size), t__o.vertical_flip), __VA_ARGS__)
/* transforms_Pad(4), transforms_Pad((1, 2), .fill = 255), transforms_Pad(4, .padding_mode = "reflect") */
typedef struct transforms_PadArguments_ {
    int first_; int64_t padding_; long double fill_; const char *padding_mode; t_Tuple padding; transforms_Values fill;
} transforms_PadArguments_;
#define TRANSFORMS_PADDING_ .padding_ = T_LEFT_OUT_, .padding = T_NO_TUPLE_, .fill_ = T_LEFT_OUT_, \
    .fill = TRANSFORMS_NUMBER_(0), .padding_mode = "constant"
#define transforms_Pad(...) TRANSFORMS_CALL_("transforms_Pad(" #__VA_ARGS__ ")", transforms_PadArguments_, \
    (padding, fill, padding_mode), (TRANSFORMS_PADDING_), \
    transforms_Pad_new(T_LIST_OF_(padding), TRANSFORMS_VALUES_(fill), t__o.padding_mode), __VA_ARGS__)
/* transforms_RandomCrop(32, 4), transforms_RandomCrop((24, 32), .padding = 4, .padding_mode = "reflect") */
typedef struct transforms_RandomCropArguments_ {
    int first_; int64_t size_, padding_; bool pad_if_needed; long double fill_; const char *padding_mode;
    t_Tuple size, padding; transforms_Values fill;
} transforms_RandomCropArguments_;
#define transforms_RandomCrop(...) TRANSFORMS_CALL_("transforms_RandomCrop(" #__VA_ARGS__ ")", \
    transforms_RandomCropArguments_, (size, padding, pad_if_needed, fill, padding_mode), \
    (TRANSFORMS_SIZE_, TRANSFORMS_PADDING_), \
    transforms_RandomCrop_new(T_LIST_OF_(size), T_LIST_OF_(padding), t__o.pad_if_needed, TRANSFORMS_VALUES_(fill), \
    t__o.padding_mode), __VA_ARGS__)
/* transforms_RandomHorizontalFlip(), transforms_RandomHorizontalFlip(0.3), .p = 0.3 */
typedef struct transforms_ChanceArguments_ { int first_; double p; } transforms_ChanceArguments_;
#define TRANSFORMS_CHANCE_(name, chance, ...) T_BEGIN_(#name "(" #__VA_ARGS__ ")") \
    T_OPTIONS_(transforms_ChanceArguments_, t__o, .p = chance, .first_ = 0, __VA_ARGS__) \
    T_END_(transforms_t_, name##_new(t__o.p))
#define transforms_RandomHorizontalFlip(...) TRANSFORMS_CHANCE_(transforms_RandomHorizontalFlip, 0.5, __VA_ARGS__)
#define transforms_RandomVerticalFlip(...) TRANSFORMS_CHANCE_(transforms_RandomVerticalFlip, 0.5, __VA_ARGS__)
#define transforms_RandomGrayscale(...) TRANSFORMS_CHANCE_(transforms_RandomGrayscale, 0.1, __VA_ARGS__)
#define transforms_RandomInvert(...) TRANSFORMS_CHANCE_(transforms_RandomInvert, 0.5, __VA_ARGS__)
/* transforms_RandomResizedCrop(224), transforms_RandomResizedCrop(224, (0.2, 1.0)), .ratio = {1, 1} */
typedef struct transforms_ResizedCropArguments_ {
    int first_; int64_t size_; long double scale_, ratio_; transforms_m_ interpolation; bool antialias;
    t_Tuple size; transforms_Values scale, ratio;
} transforms_ResizedCropArguments_;
#define transforms_RandomResizedCrop(...) TRANSFORMS_CALL_("transforms_RandomResizedCrop(" #__VA_ARGS__ ")", \
    transforms_ResizedCropArguments_, (size, scale, ratio, interpolation, antialias), \
    (TRANSFORMS_SIZE_, .scale_ = T_LEFT_OUT_, .ratio_ = T_LEFT_OUT_, .scale = TRANSFORMS_NONE_, \
    .ratio = TRANSFORMS_NONE_, .interpolation = InterpolationMode_BILINEAR, .antialias = true), \
    transforms_RandomResizedCrop_new(T_LIST_OF_(size), TRANSFORMS_VALUES_(scale), TRANSFORMS_VALUES_(ratio), \
    t__o.interpolation, t__o.antialias), __VA_ARGS__)
/* transforms_RandomRotation(10), transforms_RandomRotation((-10, 30), InterpolationMode_BILINEAR, .expand = true) */
typedef struct transforms_RotationArguments_ {
    int first_; long double degrees_; transforms_m_ interpolation; bool expand; long double center_, fill_;
    transforms_Values degrees, center, fill;
} transforms_RotationArguments_;
#define transforms_RandomRotation(...) TRANSFORMS_CALL_("transforms_RandomRotation(" #__VA_ARGS__ ")", \
    transforms_RotationArguments_, (degrees, interpolation, expand, center, fill), \
    (.degrees_ = T_LEFT_OUT_, .center_ = T_LEFT_OUT_, .fill_ = T_LEFT_OUT_, .degrees = TRANSFORMS_NONE_, \
    .center = TRANSFORMS_NONE_, .fill = TRANSFORMS_NUMBER_(0)), \
    transforms_RandomRotation_new(TRANSFORMS_VALUES_(degrees), t__o.interpolation, t__o.expand, \
    TRANSFORMS_VALUES_(center), TRANSFORMS_VALUES_(fill)), __VA_ARGS__)
/* transforms_RandomAffine(10, (0.1, 0.1)), transforms_RandomAffine(.degrees = 10, .scale = {0.9, 1.1}, .shear = 5) */
typedef struct transforms_AffineArguments_ {
    int first_; long double degrees_, translate_, scale_, shear_; transforms_m_ interpolation;
    long double fill_, center_; transforms_Values degrees, translate, scale, shear, fill, center;
} transforms_AffineArguments_;
#define transforms_RandomAffine(...) TRANSFORMS_CALL_("transforms_RandomAffine(" #__VA_ARGS__ ")", \
    transforms_AffineArguments_, (degrees, translate, scale, shear, interpolation, fill, center), \
    (.degrees_ = T_LEFT_OUT_, .translate_ = T_LEFT_OUT_, .scale_ = T_LEFT_OUT_, .shear_ = T_LEFT_OUT_, \
    .center_ = T_LEFT_OUT_, .fill_ = T_LEFT_OUT_, .degrees = TRANSFORMS_NONE_, .translate = TRANSFORMS_NONE_, \
    .scale = TRANSFORMS_NONE_, .shear = TRANSFORMS_NONE_, .center = TRANSFORMS_NONE_, \
    .fill = TRANSFORMS_NUMBER_(0)), \
    transforms_RandomAffine_new(TRANSFORMS_VALUES_(degrees), TRANSFORMS_VALUES_(translate), \
    TRANSFORMS_VALUES_(scale), TRANSFORMS_VALUES_(shear), t__o.interpolation, TRANSFORMS_VALUES_(fill), \
    TRANSFORMS_VALUES_(center)), __VA_ARGS__)
/* transforms_RandomPerspective(), transforms_RandomPerspective(0.6, 1.0, .fill = 255) */
typedef struct transforms_PerspectiveArguments_ {
    int first_; double distortion_scale, p; transforms_m_ interpolation; long double fill_; transforms_Values fill;
} transforms_PerspectiveArguments_;
#define transforms_RandomPerspective(...) TRANSFORMS_CALL_("transforms_RandomPerspective(" #__VA_ARGS__ ")", \
    transforms_PerspectiveArguments_, (distortion_scale, p, interpolation, fill), (.distortion_scale = 0.5, .p = 0.5, \
    .interpolation = InterpolationMode_BILINEAR, .fill_ = T_LEFT_OUT_, .fill = TRANSFORMS_NUMBER_(0)), \
    transforms_RandomPerspective_new(t__o.distortion_scale, t__o.p, t__o.interpolation, TRANSFORMS_VALUES_(fill)), \
    __VA_ARGS__)
/* transforms_ElasticTransform(), transforms_ElasticTransform(50, (5, 6)), .alpha = 250 */
typedef struct transforms_ElasticArguments_ {
    int first_; long double alpha_, sigma_; transforms_m_ interpolation; long double fill_;
    transforms_Values alpha, sigma, fill;
} transforms_ElasticArguments_;
#define transforms_ElasticTransform(...) TRANSFORMS_CALL_("transforms_ElasticTransform(" #__VA_ARGS__ ")", \
    transforms_ElasticArguments_, (alpha, sigma, interpolation, fill), (.alpha_ = T_LEFT_OUT_, \
    .sigma_ = T_LEFT_OUT_, .fill_ = T_LEFT_OUT_, .alpha = TRANSFORMS_NUMBER_(50), .sigma = TRANSFORMS_NUMBER_(5), \
    .interpolation = InterpolationMode_BILINEAR, .fill = TRANSFORMS_NUMBER_(0)), \
    transforms_ElasticTransform_new(TRANSFORMS_VALUES_(alpha), TRANSFORMS_VALUES_(sigma), t__o.interpolation, \
    TRANSFORMS_VALUES_(fill)), __VA_ARGS__)

/* ---- policies ---- */
/* transforms_AutoAugment(), transforms_AutoAugment(AutoAugmentPolicy_CIFAR10, .fill = 128) */
typedef struct transforms_AutoArguments_ {
    int first_; transforms_AutoAugmentPolicy policy; transforms_m_ interpolation; long double fill_;
    transforms_Values fill;
} transforms_AutoArguments_;
#define transforms_AutoAugment(...) TRANSFORMS_CALL_("transforms_AutoAugment(" #__VA_ARGS__ ")", \
    transforms_AutoArguments_, (policy, interpolation, fill), (.fill_ = T_LEFT_OUT_, .fill = TRANSFORMS_NONE_), \
    transforms_AutoAugment_new(t__o.policy, t__o.interpolation, TRANSFORMS_VALUES_(fill)), __VA_ARGS__)
/* transforms_RandAugment(), transforms_RandAugment(3, 7, .num_magnitude_bins = 10) */
typedef struct transforms_RandAugmentArguments_ {
    int first_; int64_t num_ops, magnitude, num_magnitude_bins; transforms_m_ interpolation; long double fill_;
    transforms_Values fill;
} transforms_RandAugmentArguments_;
#define transforms_RandAugment(...) TRANSFORMS_CALL_("transforms_RandAugment(" #__VA_ARGS__ ")", \
    transforms_RandAugmentArguments_, (num_ops, magnitude, num_magnitude_bins, interpolation, fill), (.num_ops = 2, \
    .magnitude = 9, .num_magnitude_bins = 31, .fill_ = T_LEFT_OUT_, .fill = TRANSFORMS_NONE_), \
    transforms_RandAugment_new(t__o.num_ops, t__o.magnitude, t__o.num_magnitude_bins, t__o.interpolation, \
    TRANSFORMS_VALUES_(fill)), __VA_ARGS__)
/* transforms_TrivialAugmentWide(), .num_magnitude_bins = 31 */
typedef struct transforms_TrivialArguments_ {
    int first_; int64_t num_magnitude_bins; transforms_m_ interpolation; long double fill_; transforms_Values fill;
} transforms_TrivialArguments_;
#define transforms_TrivialAugmentWide(...) TRANSFORMS_CALL_("transforms_TrivialAugmentWide(" #__VA_ARGS__ ")", \
    transforms_TrivialArguments_, (num_magnitude_bins, interpolation, fill), (.num_magnitude_bins = 31, \
    .fill_ = T_LEFT_OUT_, .fill = TRANSFORMS_NONE_), \
    transforms_TrivialAugmentWide_new(t__o.num_magnitude_bins, t__o.interpolation, TRANSFORMS_VALUES_(fill)), \
    __VA_ARGS__)
/* transforms_AugMix(), transforms_AugMix(5, .mixture_width = 2, .all_ops = false) */
typedef struct transforms_AugMixArguments_ {
    int first_; int64_t severity, mixture_width, chain_depth; double alpha; bool all_ops;
    transforms_m_ interpolation; long double fill_; transforms_Values fill;
} transforms_AugMixArguments_;
#define transforms_AugMix(...) TRANSFORMS_CALL_("transforms_AugMix(" #__VA_ARGS__ ")", transforms_AugMixArguments_, \
    (severity, mixture_width, chain_depth, alpha, all_ops, interpolation, fill), (.severity = 3, .mixture_width = 3, \
    .chain_depth = -1, .alpha = 1, .all_ops = true, .interpolation = InterpolationMode_BILINEAR, \
    .fill_ = T_LEFT_OUT_, .fill = TRANSFORMS_NONE_), transforms_AugMix_new(t__o.severity, t__o.mixture_width, \
    t__o.chain_depth, t__o.alpha, t__o.all_ops, t__o.interpolation, TRANSFORMS_VALUES_(fill)), __VA_ARGS__)
/* transforms_LinearTransformation(transformation_matrix, mean_vector) */
#define transforms_LinearTransformation(matrix, mean) \
    T_BEGIN_("transforms_LinearTransformation(" #matrix ", " #mean ")") T_TENSOR_(t__a, (matrix)) \
    T_TENSOR_(t__b, (mean)) T_END_(transforms_t_, transforms_LinearTransformation_new(t__a, t__b))

/* ---- colour ---- */
/* transforms_Grayscale(), transforms_Grayscale(3), .num_output_channels = 3 */
typedef struct transforms_GrayscaleArguments_ {
    int first_; int64_t num_output_channels;
} transforms_GrayscaleArguments_;
#define transforms_Grayscale(...) T_BEGIN_("transforms_Grayscale(" #__VA_ARGS__ ")") \
    T_OPTIONS_(transforms_GrayscaleArguments_, t__o, .num_output_channels = 1, .first_ = 0, __VA_ARGS__) \
    T_END_(transforms_t_, transforms_Grayscale_new(t__o.num_output_channels))
/* transforms_ColorJitter(0.2, 0.2, 0.2, 0.1), transforms_ColorJitter(.brightness = 0.5, .hue = {-0.1, 0.3}) */
typedef struct transforms_JitterArguments_ {
    int first_; long double brightness_, contrast_, saturation_, hue_;
    transforms_Values brightness, contrast, saturation, hue;
} transforms_JitterArguments_;
#define transforms_ColorJitter(...) TRANSFORMS_CALL_("transforms_ColorJitter(" #__VA_ARGS__ ")", \
    transforms_JitterArguments_, (brightness, contrast, saturation, hue), \
    (.brightness_ = T_LEFT_OUT_, .contrast_ = T_LEFT_OUT_, .saturation_ = T_LEFT_OUT_, .hue_ = T_LEFT_OUT_, \
    .brightness = TRANSFORMS_NUMBER_(0), .contrast = TRANSFORMS_NUMBER_(0), .saturation = TRANSFORMS_NUMBER_(0), \
    .hue = TRANSFORMS_NUMBER_(0)), \
    transforms_ColorJitter_new(TRANSFORMS_VALUES_(brightness), TRANSFORMS_VALUES_(contrast), \
    TRANSFORMS_VALUES_(saturation), TRANSFORMS_VALUES_(hue)), __VA_ARGS__)
/* transforms_RandomPosterize(2), transforms_RandomSolarize(128, .p = 0.3) */
typedef struct transforms_PosterizeArguments_ { int first_; int64_t bits; double p; } transforms_PosterizeArguments_;
#define transforms_RandomPosterize(...) T_BEGIN_("transforms_RandomPosterize(" #__VA_ARGS__ ")") \
    T_OPTIONS_(transforms_PosterizeArguments_, t__o, .p = 0.5, .first_ = 0, __VA_ARGS__) \
    T_END_(transforms_t_, transforms_RandomPosterize_new(t__o.bits, t__o.p))
typedef struct transforms_SolarizeArguments_ { int first_; double threshold, p; } transforms_SolarizeArguments_;
#define transforms_RandomSolarize(...) T_BEGIN_("transforms_RandomSolarize(" #__VA_ARGS__ ")") \
    T_OPTIONS_(transforms_SolarizeArguments_, t__o, .p = 0.5, .first_ = 0, __VA_ARGS__) \
    T_END_(transforms_t_, transforms_RandomSolarize_new(t__o.threshold, t__o.p))
/* transforms_RandomAdjustSharpness(2), transforms_RandomAdjustSharpness(2, .p = 0.3) */
typedef struct transforms_SharpnessArguments_ {
    int first_; double sharpness_factor, p;
} transforms_SharpnessArguments_;
#define transforms_RandomAdjustSharpness(...) T_BEGIN_("transforms_RandomAdjustSharpness(" #__VA_ARGS__ ")") \
    T_OPTIONS_(transforms_SharpnessArguments_, t__o, .p = 0.5, .first_ = 0, __VA_ARGS__) \
    T_END_(transforms_t_, transforms_RandomAdjustSharpness_new(t__o.sharpness_factor, t__o.p))
#define transforms_RandomAutocontrast(...) TRANSFORMS_CHANCE_(transforms_RandomAutocontrast, 0.5, __VA_ARGS__)
#define transforms_RandomEqualize(...) TRANSFORMS_CHANCE_(transforms_RandomEqualize, 0.5, __VA_ARGS__)
/* transforms_GaussianBlur(5), transforms_GaussianBlur((5, 9), (0.1, 5)), .sigma = 1.5 */
typedef struct transforms_BlurArguments_ {
    int first_; int64_t kernel_size_; long double sigma_; t_Tuple kernel_size; transforms_Values sigma;
} transforms_BlurArguments_;
#define transforms_GaussianBlur(...) TRANSFORMS_CALL_("transforms_GaussianBlur(" #__VA_ARGS__ ")", \
    transforms_BlurArguments_, (kernel_size, sigma), (.kernel_size_ = T_LEFT_OUT_, .kernel_size = T_NO_TUPLE_, \
    .sigma_ = T_LEFT_OUT_, .sigma = TRANSFORMS_NONE_), \
    transforms_GaussianBlur_new(T_LIST_OF_(kernel_size), TRANSFORMS_VALUES_(sigma)), __VA_ARGS__)
/* transforms_RandomErasing(), transforms_RandomErasing(0.3, .value = transforms_random) */
typedef struct transforms_ErasingArguments_ {
    int first_; double p; long double scale_, ratio_, value_; bool inplace; transforms_Values scale, ratio, value;
} transforms_ErasingArguments_;
#define transforms_RandomErasing(...) TRANSFORMS_CALL_("transforms_RandomErasing(" #__VA_ARGS__ ")", \
    transforms_ErasingArguments_, (p, scale, ratio, value, inplace), \
    (.p = 0.5, .scale_ = T_LEFT_OUT_, .ratio_ = T_LEFT_OUT_, .value_ = T_LEFT_OUT_, .scale = TRANSFORMS_NONE_, \
    .ratio = TRANSFORMS_NONE_, .value = TRANSFORMS_NUMBER_(0)), \
    transforms_RandomErasing_new(t__o.p, TRANSFORMS_VALUES_(scale), TRANSFORMS_VALUES_(ratio), \
    TRANSFORMS_VALUES_(value), t__o.inplace), __VA_ARGS__)

/* ---- functional ---- */
#define TF_is_pil_image(img) T_VALUE1_(bool, TF_is_pil_image, "TF_is_pil_image(" #img ")", img)
#define TF_to_tensor(pic) T_OP1_(TF_to_tensor, "TF_to_tensor(" #pic ")", pic)
#define TF_pil_to_tensor(pic) T_OP1_(TF_pil_to_tensor, "TF_pil_to_tensor(" #pic ")", pic)
#define TF_to_pil_image(pic) T_OP1_(TF_to_pil_image, "TF_to_pil_image(" #pic ")", pic)
#define TF_hflip(img) T_OP1_(TF_hflip, "TF_hflip(" #img ")", img)
#define TF_vflip(img) T_OP1_(TF_vflip, "TF_vflip(" #img ")", img)
#define TF_autocontrast(img) T_OP1_(TF_autocontrast, "TF_autocontrast(" #img ")", img)
#define TF_equalize(img) T_OP1_(TF_equalize, "TF_equalize(" #img ")", img)
#define TF_invert(img) T_OP1_(TF_invert, "TF_invert(" #img ")", img)
/* TF_adjust_hue(img, 0.1), ... */
#define TF_FACTOR_(f, img, factor) T_BEGIN_(#f "(" #img ", " #factor ")") T_TENSOR_(t__a, (img)) \
    const double t__f = (factor); T_END_(Tensor *, (f)(t__a, t__f))
#define TF_adjust_brightness(img, brightness_factor) TF_FACTOR_(TF_adjust_brightness, img, brightness_factor)
#define TF_adjust_contrast(img, contrast_factor) TF_FACTOR_(TF_adjust_contrast, img, contrast_factor)
#define TF_adjust_saturation(img, saturation_factor) TF_FACTOR_(TF_adjust_saturation, img, saturation_factor)
#define TF_adjust_hue(img, hue_factor) TF_FACTOR_(TF_adjust_hue, img, hue_factor)
#define TF_adjust_sharpness(img, sharpness_factor) TF_FACTOR_(TF_adjust_sharpness, img, sharpness_factor)
#define TF_solarize(img, threshold) TF_FACTOR_(TF_solarize, img, threshold)
#define TF_posterize(img, bits) T_BEGIN_("TF_posterize(" #img ", " #bits ")") T_TENSOR_(t__a, (img)) \
    const int64_t t__f = (bits); T_END_(Tensor *, (TF_posterize)(t__a, t__f))
typedef struct TF_GammaArguments_ { int first_; double gamma, gain; } TF_GammaArguments_;
#define TF_adjust_gamma(img, ...) T_OP_KEYS_((TF_adjust_gamma)(t__a, t__o.gamma, t__o.gain), \
    "TF_adjust_gamma(" #img ", " #__VA_ARGS__ ")", TF_GammaArguments_, (.gain = 1), img, __VA_ARGS__)
#define TF_rgb_to_grayscale(...) T_OP_KEYS_((TF_rgb_to_grayscale)(t__a, t__o.num_output_channels), \
    "TF_rgb_to_grayscale(" #__VA_ARGS__ ")", transforms_GrayscaleArguments_, (.num_output_channels = 1), \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define TF_to_grayscale(...) T_OP_KEYS_((TF_to_grayscale)(t__a, t__o.num_output_channels), \
    "TF_to_grayscale(" #__VA_ARGS__ ")", transforms_GrayscaleArguments_, (.num_output_channels = 1), \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define TF_convert_image_dtype(image, dtype) T_BEGIN_("TF_convert_image_dtype(" #image ", " #dtype ")") \
    T_TENSOR_(t__a, (image)) const t_DType t__d = (dtype); T_END_(Tensor *, (TF_convert_image_dtype)(t__a, t__d))
#define TF_CALL_(result, text, type, names, defaults, call, img, ...) T_BEGIN_(text) T_TENSOR_(t__a, (img)) \
    T_OPTIONS_(type, t__o, T_DEFAULTS_ defaults, .first_ = 0, T_NAMED_(names, __VA_ARGS__)) T_END_(result, call)
#define TF_normalize(tensor, ...) TF_CALL_(Tensor *, "TF_normalize(" #tensor ", " #__VA_ARGS__ ")", \
    transforms_NormalizeArguments_, (mean, std, inplace), \
    (.mean_ = T_LEFT_OUT_, .std_ = T_LEFT_OUT_, .mean = TRANSFORMS_NONE_, .std = TRANSFORMS_NONE_), \
    (TF_normalize)(t__a, TRANSFORMS_VALUES_(mean), TRANSFORMS_VALUES_(std), t__o.inplace), tensor, __VA_ARGS__)
#define TF_resize(img, ...) TF_CALL_(Tensor *, "TF_resize(" #img ", " #__VA_ARGS__ ")", transforms_ResizeArguments_, \
    (size, interpolation, max_size, antialias), \
    (TRANSFORMS_SIZE_, .interpolation = InterpolationMode_BILINEAR, .max_size = T_NONE, .antialias = true), \
    (TF_resize)(t__a, T_LIST_OF_(size), t__o.interpolation, t__o.max_size, t__o.antialias), img, __VA_ARGS__)
#define TF_crop(img, top, left, height, width) \
    T_BEGIN_("TF_crop(" #img ", " #top ", " #left ", " #height ", " #width ")") T_TENSOR_(t__a, (img)) \
    const int64_t t__t = (top), t__l = (left), t__h = (height), t__w = (width); \
    T_END_(Tensor *, (TF_crop)(t__a, t__t, t__l, t__h, t__w))
#define TF_center_crop(img, ...) TF_CALL_(Tensor *, "TF_center_crop(" #img ", " #__VA_ARGS__ ")", \
    transforms_SizeArguments_, (size), (TRANSFORMS_SIZE_), (TF_center_crop)(t__a, T_LIST_OF_(size)), img, __VA_ARGS__)
#define TF_five_crop(img, ...) TF_CALL_(t_TensorList *, "TF_five_crop(" #img ", " #__VA_ARGS__ ")", \
    transforms_SizeArguments_, (size), (TRANSFORMS_SIZE_), (TF_five_crop)(t__a, T_LIST_OF_(size)), img, __VA_ARGS__)
#define TF_ten_crop(img, ...) TF_CALL_(t_TensorList *, "TF_ten_crop(" #img ", " #__VA_ARGS__ ")", \
    transforms_SizeArguments_, (size, vertical_flip), (TRANSFORMS_SIZE_), \
    (TF_ten_crop)(t__a, T_LIST_OF_(size), t__o.vertical_flip), img, __VA_ARGS__)
/* TF_resized_crop(img, top, left, height, width, size) */
typedef struct TF_ResizedCropArguments_ {
    int first_; int64_t top, left, height, width, size_; transforms_m_ interpolation; bool antialias; t_Tuple size;
} TF_ResizedCropArguments_;
#define TF_resized_crop(img, ...) TF_CALL_(Tensor *, "TF_resized_crop(" #img ", " #__VA_ARGS__ ")", \
    TF_ResizedCropArguments_, (top, left, height, width, size, interpolation, antialias), \
    (TRANSFORMS_SIZE_, .interpolation = InterpolationMode_BILINEAR, .antialias = true), \
    (TF_resized_crop)(t__a, t__o.top, t__o.left, t__o.height, t__o.width, T_LIST_OF_(size), t__o.interpolation, \
    t__o.antialias), img, __VA_ARGS__)
#define TF_pad(img, ...) TF_CALL_(Tensor *, "TF_pad(" #img ", " #__VA_ARGS__ ")", transforms_PadArguments_, \
    (padding, fill, padding_mode), (TRANSFORMS_PADDING_), \
    (TF_pad)(t__a, T_LIST_OF_(padding), TRANSFORMS_VALUES_(fill), t__o.padding_mode), img, __VA_ARGS__)
/* TF_rotate(img, 30), TF_rotate(img, 30, .interpolation = InterpolationMode_BILINEAR, .expand = true, .fill = 255) */
typedef struct TF_RotateArguments_ {
    int first_; double angle; transforms_m_ interpolation; bool expand; long double center_, fill_;
    transforms_Values center, fill;
} TF_RotateArguments_;
#define TF_rotate(img, ...) TF_CALL_(Tensor *, "TF_rotate(" #img ", " #__VA_ARGS__ ")", TF_RotateArguments_, \
    (angle, interpolation, expand, center, fill), \
    (.center_ = T_LEFT_OUT_, .fill_ = T_LEFT_OUT_, .center = TRANSFORMS_NONE_, .fill = TRANSFORMS_NONE_), \
    (TF_rotate)(t__a, t__o.angle, t__o.interpolation, t__o.expand, TRANSFORMS_VALUES_(center), \
    TRANSFORMS_VALUES_(fill)), img, __VA_ARGS__)
/* TF_affine(img, .angle = 30, .translate = {3, 0}, .scale = 1.2, .shear = {10, 0}) */
typedef struct TF_AffineArguments_ {
    int first_; double angle; int64_t translate[2]; double scale, shear[2]; transforms_m_ interpolation;
    transforms_Values fill, center;
} TF_AffineArguments_;
#define TF_affine(img, ...) TF_CALL_(Tensor *, "TF_affine(" #img ", " #__VA_ARGS__ ")", TF_AffineArguments_, (), \
    (.scale = 1, .center = TRANSFORMS_NONE_, .fill = TRANSFORMS_NONE_), \
    (TF_affine)(t__a, t__o.angle, t__o.translate, t__o.scale, t__o.shear, t__o.interpolation, &t__o.fill, \
    &t__o.center), img, __VA_ARGS__)
/* TF_perspective(img, .startpoints = {{0, 0}, {6, 0}, {6, 4}, {0, 4}}, .endpoints = {{1, 0}, {5, 1}, {6, 4}, {0, 3}})
 */
typedef struct TF_PerspectiveArguments_ {
    int first_; int64_t startpoints[4][2], endpoints[4][2]; transforms_m_ interpolation; transforms_Values fill;
} TF_PerspectiveArguments_;
#define TF_perspective(img, ...) TF_CALL_(Tensor *, "TF_perspective(" #img ", " #__VA_ARGS__ ")", \
    TF_PerspectiveArguments_, (), (.interpolation = InterpolationMode_BILINEAR, .fill = TRANSFORMS_NONE_), \
    (TF_perspective)(t__a, t__o.startpoints[0], t__o.endpoints[0], t__o.interpolation, &t__o.fill), img, __VA_ARGS__)
/* TF_elastic_transform(img, .displacement = d), .interpolation, .fill */
typedef struct TF_ElasticArguments_ {
    int first_; Tensor *displacement; transforms_m_ interpolation; transforms_Values fill;
} TF_ElasticArguments_;
#define TF_elastic_transform(img, ...) TF_CALL_(Tensor *, "TF_elastic_transform(" #img ", " #__VA_ARGS__ ")", \
    TF_ElasticArguments_, (), (.interpolation = InterpolationMode_BILINEAR, .fill = TRANSFORMS_NONE_), \
    (TF_elastic_transform)(t__a, t__o.displacement, t__o.interpolation, &t__o.fill), img, __VA_ARGS__)
#define TF_gaussian_blur(img, ...) TF_CALL_(Tensor *, "TF_gaussian_blur(" #img ", " #__VA_ARGS__ ")", \
    transforms_BlurArguments_, (kernel_size, sigma), (.kernel_size_ = T_LEFT_OUT_, .kernel_size = T_NO_TUPLE_, \
    .sigma_ = T_LEFT_OUT_, .sigma = TRANSFORMS_NONE_), \
    (TF_gaussian_blur)(t__a, T_LIST_OF_(kernel_size), TRANSFORMS_VALUES_(sigma)), img, __VA_ARGS__)
/* TF_erase(img, i, j, h, w, v), .inplace = true */
typedef struct TF_EraseArguments_ {
    int first_; int64_t i, j, h, w; Tensor *v; bool inplace;
} TF_EraseArguments_;
#define TF_erase(img, ...) TF_CALL_(Tensor *, "TF_erase(" #img ", " #__VA_ARGS__ ")", TF_EraseArguments_, (), \
    (.v = NULL), (TF_erase)(t__a, t__o.i, t__o.j, t__o.h, t__o.w, t__o.v, t__o.inplace), img, __VA_ARGS__)

#endif
#endif
