/* tests/vision/test_transforms.c: torchvision.transforms against torchvision 0.29, on PIL images and on tensors of
 * uint8 and float32: values, __repr__, and how many random numbers were drawn. tests/golden/record_transforms.py reads
 * the Python texts of the table below, and records tests/golden/vision_transforms.txt. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/kernels/isa.h"
#include "core/python/python.h"
#include "core/tensor/tensor.h"
#include "core/vision/vision.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

/* Many, since each draws one or a few of its operations. */
#define AUTOMATIC(X) \
    X("AugMix()", transforms_AugMix()) \
    X("AugMix(1)", transforms_AugMix(1)) \
    X("AugMix(4)", transforms_AugMix(4)) \
    X("AugMix(7)", transforms_AugMix(7)) \
    X("AugMix(10)", transforms_AugMix(10)) \
    X("AugMix(5, 2, 2, 0.5, False)", transforms_AugMix(5, 2, 2, 0.5, false)) \
    X("AugMix(10, 4, 3, all_ops=False)", transforms_AugMix(10, 4, 3, .all_ops = false)) \
    X("AugMix(8, 1, fill=7)", transforms_AugMix(8, 1, .fill = 7)) \
    X("AugMix(9, 3, 1, 2.5, True, InterpolationMode.NEAREST)", \
      transforms_AugMix(9, 3, 1, 2.5, true, InterpolationMode_NEAREST)) \
    X("AutoAugment(AutoAugmentPolicy.IMAGENET, fill=0)", \
      transforms_AutoAugment(AutoAugmentPolicy_IMAGENET, .fill = 0)) \
    X("AutoAugment(AutoAugmentPolicy.IMAGENET, fill=1)", \
      transforms_AutoAugment(AutoAugmentPolicy_IMAGENET, .fill = 1)) \
    X("AutoAugment(AutoAugmentPolicy.IMAGENET, fill=2)", \
      transforms_AutoAugment(AutoAugmentPolicy_IMAGENET, .fill = 2)) \
    X("AutoAugment(AutoAugmentPolicy.IMAGENET, fill=3)", \
      transforms_AutoAugment(AutoAugmentPolicy_IMAGENET, .fill = 3)) \
    X("AutoAugment(AutoAugmentPolicy.IMAGENET, fill=4)", \
      transforms_AutoAugment(AutoAugmentPolicy_IMAGENET, .fill = 4)) \
    X("AutoAugment(AutoAugmentPolicy.IMAGENET, fill=5)", \
      transforms_AutoAugment(AutoAugmentPolicy_IMAGENET, .fill = 5)) \
    X("AutoAugment(AutoAugmentPolicy.CIFAR10, fill=0)", \
      transforms_AutoAugment(AutoAugmentPolicy_CIFAR10, .fill = 0)) \
    X("AutoAugment(AutoAugmentPolicy.CIFAR10, fill=1)", \
      transforms_AutoAugment(AutoAugmentPolicy_CIFAR10, .fill = 1)) \
    X("AutoAugment(AutoAugmentPolicy.CIFAR10, fill=2)", \
      transforms_AutoAugment(AutoAugmentPolicy_CIFAR10, .fill = 2)) \
    X("AutoAugment(AutoAugmentPolicy.CIFAR10, fill=3)", \
      transforms_AutoAugment(AutoAugmentPolicy_CIFAR10, .fill = 3)) \
    X("AutoAugment(AutoAugmentPolicy.CIFAR10, fill=4)", \
      transforms_AutoAugment(AutoAugmentPolicy_CIFAR10, .fill = 4)) \
    X("AutoAugment(AutoAugmentPolicy.CIFAR10, fill=5)", \
      transforms_AutoAugment(AutoAugmentPolicy_CIFAR10, .fill = 5)) \
    X("AutoAugment(AutoAugmentPolicy.SVHN, fill=0)", transforms_AutoAugment(AutoAugmentPolicy_SVHN, .fill = 0)) \
    X("AutoAugment(AutoAugmentPolicy.SVHN, fill=1)", transforms_AutoAugment(AutoAugmentPolicy_SVHN, .fill = 1)) \
    X("AutoAugment(AutoAugmentPolicy.SVHN, fill=2)", transforms_AutoAugment(AutoAugmentPolicy_SVHN, .fill = 2)) \
    X("AutoAugment(AutoAugmentPolicy.SVHN, fill=3)", transforms_AutoAugment(AutoAugmentPolicy_SVHN, .fill = 3)) \
    X("AutoAugment(AutoAugmentPolicy.SVHN, fill=4)", transforms_AutoAugment(AutoAugmentPolicy_SVHN, .fill = 4)) \
    X("AutoAugment(AutoAugmentPolicy.SVHN, fill=5)", transforms_AutoAugment(AutoAugmentPolicy_SVHN, .fill = 5)) \
    X("AutoAugment()", transforms_AutoAugment()) \
    X("AutoAugment(interpolation=InterpolationMode.BILINEAR)", \
      transforms_AutoAugment(.interpolation = InterpolationMode_BILINEAR)) \
    X("RandAugment(1)", transforms_RandAugment(1)) \
    X("RandAugment(2)", transforms_RandAugment(2)) \
    X("RandAugment(3)", transforms_RandAugment(3)) \
    X("RandAugment(4)", transforms_RandAugment(4)) \
    X("RandAugment(5)", transforms_RandAugment(5)) \
    X("RandAugment(6)", transforms_RandAugment(6)) \
    X("RandAugment(4, 0)", transforms_RandAugment(4, 0)) \
    X("RandAugment(4, 3)", transforms_RandAugment(4, 3)) \
    X("RandAugment(4, 14)", transforms_RandAugment(4, 14)) \
    X("RandAugment(4, 30)", transforms_RandAugment(4, 30)) \
    X("RandAugment(3, magnitude=2, num_magnitude_bins=4, interpolation=InterpolationMode.BILINEAR, fill=7)", \
      transforms_RandAugment(3, .magnitude = 2, .num_magnitude_bins = 4, .interpolation = InterpolationMode_BILINEAR, \
                             .fill = 7)) \
    X("TrivialAugmentWide()", transforms_TrivialAugmentWide()) \
    X("TrivialAugmentWide(5)", transforms_TrivialAugmentWide(5)) \
    X("TrivialAugmentWide(6)", transforms_TrivialAugmentWide(6)) \
    X("TrivialAugmentWide(7)", transforms_TrivialAugmentWide(7)) \
    X("TrivialAugmentWide(8)", transforms_TrivialAugmentWide(8)) \
    X("TrivialAugmentWide(9)", transforms_TrivialAugmentWide(9)) \
    X("TrivialAugmentWide(10)", transforms_TrivialAugmentWide(10)) \
    X("TrivialAugmentWide(11)", transforms_TrivialAugmentWide(11)) \
    X("TrivialAugmentWide(12)", transforms_TrivialAugmentWide(12)) \
    X("TrivialAugmentWide(13)", transforms_TrivialAugmentWide(13)) \
    X("TrivialAugmentWide(14)", transforms_TrivialAugmentWide(14)) \
    X("TrivialAugmentWide(15)", transforms_TrivialAugmentWide(15)) \
    X("TrivialAugmentWide(16)", transforms_TrivialAugmentWide(16)) \
    X("TrivialAugmentWide(17)", transforms_TrivialAugmentWide(17)) \
    X("TrivialAugmentWide(18)", transforms_TrivialAugmentWide(18)) \
    X("TrivialAugmentWide(19)", transforms_TrivialAugmentWide(19)) \
    X("TrivialAugmentWide(20)", transforms_TrivialAugmentWide(20)) \
    X("TrivialAugmentWide(21)", transforms_TrivialAugmentWide(21)) \
    X("TrivialAugmentWide(22)", transforms_TrivialAugmentWide(22)) \
    X("TrivialAugmentWide(23)", transforms_TrivialAugmentWide(23)) \
    X("TrivialAugmentWide(24)", transforms_TrivialAugmentWide(24)) \
    X("TrivialAugmentWide(interpolation=InterpolationMode.BILINEAR, fill=9)", \
      transforms_TrivialAugmentWide(.interpolation = InterpolationMode_BILINEAR, .fill = 9))

/* X(what Python evaluates, what C does) */
#define TRANSFORMS(X) \
    X("Resize((2, 8))", transforms_Resize((2, 8))) \
    X("Resize((2, 6), InterpolationMode.BICUBIC)", transforms_Resize((2, 6), InterpolationMode_BICUBIC)) \
    X("Resize((3, 6))", transforms_Resize((3, 6))) \
    X("Resize((2, 7))", transforms_Resize((2, 7))) \
    X("Resize(4)", transforms_Resize(4)) \
    X("Resize((9, 4))", transforms_Resize((9, 4))) \
    X("Resize((3, 3), InterpolationMode.BICUBIC)", transforms_Resize((3, 3), InterpolationMode_BICUBIC)) \
    X("Resize((7, 12), InterpolationMode.BICUBIC, antialias=False)", \
      transforms_Resize((7, 12), InterpolationMode_BICUBIC, .antialias = false)) \
    X("Resize((4, 11), InterpolationMode.NEAREST)", transforms_Resize((4, 11), InterpolationMode_NEAREST)) \
    X("Resize((4, 11), InterpolationMode.NEAREST_EXACT)", \
      transforms_Resize((4, 11), .interpolation = transforms_InterpolationMode_NEAREST_EXACT)) \
    X("Resize(4, max_size=5)", transforms_Resize(4, .max_size = 5)) \
    X("Resize((3, 4), antialias=False)", transforms_Resize(.size = t_tuple(3, 4), .antialias = false)) \
    X("Resize((5, 7))", transforms_Resize((5, 7))) \
    X("CenterCrop(3)", transforms_CenterCrop(3)) \
    X("CenterCrop((6, 4))", transforms_CenterCrop((6, 4))) \
    X("CenterCrop((8, 10))", transforms_CenterCrop((8, 10))) \
    X("Pad(1)", transforms_Pad(1)) \
    X("Pad((1, 2), fill=1)", transforms_Pad((1, 2), .fill = 1)) \
    X("Pad((1, 0, 3, 2), padding_mode='edge')", transforms_Pad((1, 0, 3, 2), .padding_mode = "edge")) \
    X("Pad(2, padding_mode='reflect')", transforms_Pad(2, .padding_mode = "reflect")) \
    X("Pad((3, 2), 0, 'symmetric')", transforms_Pad((3, 2), 0, "symmetric")) \
    X("RandomCrop(3)", transforms_RandomCrop(3)) \
    X("RandomCrop((4, 6), padding=2)", transforms_RandomCrop((4, 6), .padding = 2)) \
    X("RandomCrop(5, 1, padding_mode='reflect')", transforms_RandomCrop(5, 1, .padding_mode = "reflect")) \
    X("RandomCrop((8, 5), pad_if_needed=True, fill=1)", \
      transforms_RandomCrop((8, 5), .pad_if_needed = true, .fill = 1)) \
    X("RandomHorizontalFlip()", transforms_RandomHorizontalFlip()) \
    X("RandomHorizontalFlip(1.0)", transforms_RandomHorizontalFlip(1.0)) \
    X("RandomVerticalFlip(p=0.9)", transforms_RandomVerticalFlip(.p = 0.9)) \
    X("RandomRotation(30)", transforms_RandomRotation(30)) \
    X("RandomRotation((40, 80), InterpolationMode.BILINEAR)", \
      transforms_RandomRotation((40, 80), InterpolationMode_BILINEAR)) \
    X("RandomRotation(degrees=(-100, -60), expand=True, fill=1)", \
      transforms_RandomRotation(.degrees = {-100, -60}, .expand = true, .fill = 1)) \
    X("RandomRotation(45, InterpolationMode.BILINEAR, expand=True, center=(2, 1), fill=(0, 1, 0))", \
      transforms_RandomRotation(45, InterpolationMode_BILINEAR, .expand = true, .center = {2, 1}, .fill = {0, 1, 0})) \
    X("RandomRotation((90, 90), expand=True)", transforms_RandomRotation((90, 90), .expand = true)) \
    X("RandomRotation((180, 180))", transforms_RandomRotation((180, 180))) \
    X("RandomResizedCrop(4)", transforms_RandomResizedCrop(4)) \
    X("RandomResizedCrop((3, 5), scale=(0.5, 1.0), ratio=(1.0, 1.0))", \
      transforms_RandomResizedCrop((3, 5), .scale = {0.5, 1.0}, .ratio = {1.0, 1.0})) \
    X("RandomResizedCrop(6, (0.9, 1.0), (3.0, 4.0), InterpolationMode.BICUBIC)", \
      transforms_RandomResizedCrop(6, (0.9, 1.0), (3.0, 4.0), InterpolationMode_BICUBIC)) \
    X("RandomAffine(0, (0.2, 0.1))", transforms_RandomAffine(0, (0.2, 0.1))) \
    X("RandomAffine(20)", transforms_RandomAffine(20)) \
    X("RandomAffine(degrees=(0, 40), translate=(0.3, 0.2), scale=(0.7, 1.3), shear=10)", \
      transforms_RandomAffine(.degrees = {0, 40}, .translate = {0.3, 0.2}, .scale = {0.7, 1.3}, .shear = 10)) \
    X("RandomAffine(15, (0.1, 0.1), shear=(-5.0, 5.0, -9.0, 9.0), interpolation=InterpolationMode.BILINEAR, fill=1)", \
      transforms_RandomAffine(15, (0.1, 0.1), .shear = {-5, 5, -9, 9}, \
                              .interpolation = InterpolationMode_BILINEAR, .fill = 1)) \
    X("RandomAffine(30, center=(1, 1))", transforms_RandomAffine(30, .center = {1, 1})) \
    X("Grayscale()", transforms_Grayscale()) \
    X("Grayscale(num_output_channels=3)", transforms_Grayscale(.num_output_channels = 3)) \
    X("RandomGrayscale(p=0.7)", transforms_RandomGrayscale(.p = 0.7)) \
    X("ColorJitter(brightness=0.5)", transforms_ColorJitter(.brightness = 0.5)) \
    X("ColorJitter(contrast=(0.2, 1.9))", transforms_ColorJitter(.contrast = {0.2, 1.9})) \
    X("ColorJitter(0, 0, 0.8)", transforms_ColorJitter(0, 0, 0.8)) \
    X("ColorJitter(hue=0.4)", transforms_ColorJitter(.hue = 0.4)) \
    X("ColorJitter(0.4, 0.4, 0.4, 0.1)", transforms_ColorJitter(0.4, 0.4, 0.4, 0.1)) \
    X("GaussianBlur(3)", transforms_GaussianBlur(3)) \
    X("GaussianBlur((5, 3), sigma=(0.5, 3.0))", transforms_GaussianBlur((5, 3), .sigma = {0.5, 3.0})) \
    X("GaussianBlur(kernel_size=3, sigma=1.5)", transforms_GaussianBlur(.kernel_size = 3, .sigma = 1.5)) \
    X("RandomAdjustSharpness(2, p=1.0)", transforms_RandomAdjustSharpness(2, .p = 1.0)) \
    X("RandomAdjustSharpness(0.3, 0.9)", transforms_RandomAdjustSharpness(0.3, 0.9)) \
    X("RandomAutocontrast(0.9)", transforms_RandomAutocontrast(0.9)) \
    X("RandomEqualize(p=0.9)", transforms_RandomEqualize(.p = 0.9)) \
    X("RandomPerspective(p=1.0)", transforms_RandomPerspective(.p = 1.0)) \
    X("RandomPerspective(0.8, 1.0, InterpolationMode.NEAREST, fill=1)", \
      transforms_RandomPerspective(0.8, 1.0, InterpolationMode_NEAREST, .fill = 1)) \
    X("RandomPerspective(0.7, 1.0, InterpolationMode.BICUBIC)", \
      transforms_RandomPerspective(0.7, 1.0, InterpolationMode_BICUBIC)) \
    X("ElasticTransform(20.0, 0.4)", transforms_ElasticTransform(20, 0.4)) \
    X("ElasticTransform(alpha=[3.0, 9.0], sigma=[0.2, 0.4], interpolation=InterpolationMode.NEAREST, fill=1)", \
      transforms_ElasticTransform(.alpha = {3, 9}, .sigma = {0.2, 0.4}, .interpolation = InterpolationMode_NEAREST, \
                                  .fill = 1)) \
    AUTOMATIC(X) \
    X("RandomInvert(0.8)", transforms_RandomInvert(0.8)) \
    X("RandomPosterize(3, p=1.0)", transforms_RandomPosterize(3, .p = 1.0)) \
    X("RandomSolarize(threshold=1, p=0.9)", transforms_RandomSolarize(.threshold = 1, .p = 0.9)) \
    X("Compose([PILToTensor(), RandomErasing(p=1.0)])", \
      transforms_Compose(transforms_PILToTensor(), transforms_RandomErasing(.p = 1.0))) \
    X("Compose([ToTensor(), RandomErasing(0.9, value='random')])", \
      transforms_Compose(transforms_ToTensor(), transforms_RandomErasing(0.9, .value = transforms_random))) \
    X("Compose([ToTensor(), RandomErasing(1.0, (0.1, 0.3), (0.5, 2.0), (1, 2, 3))])", \
      transforms_Compose(transforms_ToTensor(), transforms_RandomErasing(1.0, (0.1, 0.3), (0.5, 2.0), (1, 2, 3)))) \
    X("Compose([ToTensor(), Normalize((0.4, 0.5, 0.6), (0.2, 0.3, 0.4))])", \
      transforms_Compose(transforms_ToTensor(), transforms_Normalize((0.4, 0.5, 0.6), (0.2, 0.3, 0.4)))) \
    X("Compose([ToTensor(), Normalize(mean=(0.5,), std=(0.5,))])", \
      transforms_Compose(transforms_ToTensor(), transforms_Normalize(.mean = {0.5}, .std = {0.5}))) \
    X("Compose([PILToTensor(), ConvertImageDtype(torch.int16)])", \
      transforms_Compose(transforms_PILToTensor(), transforms_ConvertImageDtype(t_int16))) \
    X("Compose([PILToTensor(), ConvertImageDtype(torch.float32), ToPILImage(), PILToTensor()])", \
      transforms_Compose(transforms_PILToTensor(), transforms_ConvertImageDtype(t_float32), transforms_ToPILImage(), \
                         transforms_PILToTensor())) \
    X("RandomApply([RandomCrop(3), RandomHorizontalFlip()], p=0.6)", \
      transforms_RandomApply((transforms_RandomCrop(3), transforms_RandomHorizontalFlip()), .p = 0.6)) \
    X("RandomApply([ColorJitter(0.2)], 0.1)", transforms_RandomApply(transforms_ColorJitter(0.2), 0.1)) \
    X("RandomChoice([CenterCrop(2), Pad(1), RandomVerticalFlip()])", \
      transforms_RandomChoice((transforms_CenterCrop(2), transforms_Pad(1), transforms_RandomVerticalFlip()))) \
    X("RandomChoice([CenterCrop(2), Pad(1)], p=[0.2, 0.8])", \
      transforms_RandomChoice((transforms_CenterCrop(2), transforms_Pad(1)), .p = {0.2, 0.8})) \
    X("RandomOrder([CenterCrop(4), Pad(1), RandomVerticalFlip(0.9)])", \
      transforms_RandomOrder(transforms_CenterCrop(4), transforms_Pad(1), transforms_RandomVerticalFlip(0.9))) \
    X("Lambda(lambda x: x)", transforms_Lambda(unchanged))

/* F(what Python evaluates as an attribute of TF, what C does) */
#define FUNCTIONS(F) \
    F("crop(img, 1, 2, 3, 4)", TF_crop(img, 1, 2, 3, 4)) \
    F("crop(img, -1, 3, 4, 6)", TF_crop(img, -1, 3, 4, 6)) \
    F("crop(img, 2, -3, 9, 12)", TF_crop(img, 2, -3, 9, 12)) \
    F("center_crop(img, 2)", TF_center_crop(img, 2)) \
    F("resize(img, [8])", TF_resize(img, 8)) \
    F("resized_crop(img, 1, 1, 3, 4, [5, 2])", TF_resized_crop(img, 1, 1, 3, 4, (5, 2))) \
    F("five_crop(img, [2, 3])[3]", t_list_get(TF_five_crop(img, (2, 3)), 3)) \
    F("ten_crop(img, 3)[6]", t_list_get(TF_ten_crop(img, 3), 6)) \
    F("ten_crop(img, 3, vertical_flip=True)[9]", t_list_get(TF_ten_crop(img, 3, .vertical_flip = true), 9)) \
    F("pad(img, [1, 0, 2, 3], padding_mode='symmetric')", TF_pad(img, (1, 0, 2, 3), .padding_mode = "symmetric")) \
    F("pad(img, [-1, 2], padding_mode='edge')", TF_pad(img, (-1, 2), .padding_mode = "edge")) \
    F("hflip(img)", TF_hflip(img)) \
    F("vflip(img)", TF_vflip(img)) \
    F("rotate(img, 25)", TF_rotate(img, 25)) \
    F("rotate(img, -70.5, InterpolationMode.BILINEAR, expand=True)", \
      TF_rotate(img, -70.5, InterpolationMode_BILINEAR, .expand = true)) \
    F("rotate(img, 200, InterpolationMode.BICUBIC)", TF_rotate(img, 200, InterpolationMode_BICUBIC)) \
    F("rotate(img, 90, expand=True)", TF_rotate(img, 90, .expand = true)) \
    F("rotate(img, 270)", TF_rotate(img, 270)) \
    F("affine(img, angle=30, translate=[2, -1], scale=1.2, shear=[10.0, 5.0])", \
      TF_affine(img, .angle = 30, .translate = {2, -1}, .scale = 1.2, .shear = {10, 5})) \
    F("affine(img, -15.0, [0, 1], 0.8, [0.0, 0.0], InterpolationMode.BILINEAR, fill=[1.0])", \
      TF_affine(img, -15, {0, 1}, 0.8, {0, 0}, InterpolationMode_BILINEAR, .fill = 1)) \
    F("rgb_to_grayscale(img)", TF_rgb_to_grayscale(img)) \
    F("to_grayscale(img, 3)", TF_to_grayscale(img, 3)) \
    F("adjust_brightness(img, 1.7)", TF_adjust_brightness(img, 1.7)) \
    F("adjust_contrast(img, 0.3)", TF_adjust_contrast(img, 0.3)) \
    F("adjust_contrast(img, 2.5)", TF_adjust_contrast(img, 2.5)) \
    F("adjust_saturation(img, 1.4)", TF_adjust_saturation(img, 1.4)) \
    F("adjust_saturation(img, 0)", TF_adjust_saturation(img, 0)) \
    F("adjust_hue(img, -0.3)", TF_adjust_hue(img, -0.3)) \
    F("adjust_hue(img, 0.5)", TF_adjust_hue(img, 0.5)) \
    F("adjust_gamma(img, 2.2)", TF_adjust_gamma(img, 2.2)) \
    F("adjust_gamma(img, 0.4, gain=1.5)", TF_adjust_gamma(img, 0.4, .gain = 1.5)) \
    F("adjust_sharpness(img, 0.5)", TF_adjust_sharpness(img, 0.5)) \
    F("adjust_sharpness(img, 3.5)", TF_adjust_sharpness(img, 3.5)) \
    F("autocontrast(img)", TF_autocontrast(img)) \
    F("equalize(img)", TF_equalize(img)) \
    F("equalize(TF.resize(img, [16]))", TF_equalize(TF_resize(img, 16))) \
    F("perspective(img, [[0, 0], [6, 0], [6, 4], [0, 4]], [[1, 0], [5, 1], [6, 3], [0, 4]])", \
      TF_perspective(img, .startpoints = {{0, 0}, {6, 0}, {6, 4}, {0, 4}}, \
                     .endpoints = {{1, 0}, {5, 1}, {6, 3}, {0, 4}})) \
    F("elastic_transform(img, torch.full((1, 5, 7, 2), 0.25))", \
      TF_elastic_transform(img, .displacement = t_full((1, 5, 7, 2), 0.25))) \
    F("invert(img)", TF_invert(img)) \
    F("posterize(img, 2)", TF_posterize(img, 2)) \
    F("solarize(img, 1)", TF_solarize(img, 1)) \
    F("gaussian_blur(img, 5)", TF_gaussian_blur(img, 5)) \
    F("gaussian_blur(img, [3, 5], [0.8, 2.0])", TF_gaussian_blur(img, (3, 5), (0.8, 2.0))) \
    F("erase(img, 1, 2, 2, 3, torch.tensor(1))", TF_erase(img, 1, 2, 2, 3, t_tensor(1))) \
    F("convert_image_dtype(img, torch.int16)", TF_convert_image_dtype(img, t_int16)) \
    F("convert_image_dtype(img, torch.uint8)", TF_convert_image_dtype(img, t_uint8)) \
    F("convert_image_dtype(img, torch.float32)", TF_convert_image_dtype(img, t_float32)) \
    F("normalize(img, [0.5], [0.25])", TF_normalize(img, 0.5, 0.25)) \
    F("to_tensor(img)", TF_to_tensor(img)) \
    F("pil_to_tensor(img)", TF_pil_to_tensor(img)) \
    F("to_pil_image(img)", TF_to_pil_image(img))

static Tensor *unchanged(Tensor *img) {
    return img;
}

/* ---- inputs and recorded values ---- */

enum { CHANNELS = 3, HEIGHT = 5, WIDTH = 7 };

/* Pixel (x, y) of channel c. */
static uint8_t pixel(int c, int y, int x) {
    return (uint8_t)((37 * x + 59 * y + 91 * c + 17 * x * y + x * x * y * (c + 1) % 61) % 256);
}

typedef enum Kind { PIL, BYTES, FLOATS, GRAY_PIL, KINDS } Kind;
static const char *const kinds[KINDS] = {"pil", "bytes", "floats", "gray"};

static Tensor *image(Kind kind) {
    uint8_t pixels[CHANNELS * HEIGHT * WIDTH];
    const int channels = kind == GRAY_PIL ? 1 : CHANNELS;
    for (int i = 0; i < channels * HEIGHT * WIDTH; i++)
        pixels[i] = pixel(i / (HEIGHT * WIDTH), i / WIDTH % HEIGHT, i % WIDTH);
    Tensor *x = t_tensor(pixels, (channels, HEIGHT, WIDTH), .dtype = t_uint8);
    return kind == BYTES ? x : kind == FLOATS ? TF_convert_image_dtype(x, t_float32) : TF_to_pil_image(x);
}

/* The shape, the dtype and the values: bytes as two hexadecimal digits, others as four, 4096 x + 32768. */
static void describe(Tensor *x, char *to, size_t size) {
    Tensor *y = t_contiguous(x);
    size_t n = (size_t)snprintf(to, size, "%s %s ", t_size_repr(x), t_dtype_repr(x->dtype) + strlen("torch."));
    for (int64_t i = 0, count = tg_numel(y); i < count && n + 8 < size; i++) {
        if (y->dtype == t_uint8)
            n += (size_t)snprintf(to + n, size - n, "%02x", ((const uint8_t *)tg_data(y))[i]);
        else if (y->dtype == t_int16)
            n += (size_t)snprintf(to + n, size - n, "%04x", (unsigned)(((const int16_t *)tg_data(y))[i] + 32768));
        else
            n += (size_t)snprintf(to + n, size - n, "%04x",
                                  (unsigned)(rint((double)((const float *)tg_data(y))[i] * 4096) + 32768) & 65535);
    }
}

/* Whether two texts differ by at most `tolerance` in each value (two or four digits). */
static bool near(const char *ours, const char *theirs, int digits, long tolerance, int *differing) {
    *differing = 0;
    if (strlen(ours) != strlen(theirs)) return false;
    const char *a = strrchr(ours, ' ') + 1, *b = strrchr(theirs, ' ') + 1;
    if (a - ours != b - theirs || strncmp(ours, theirs, (size_t)(a - ours)) != 0) return false;
    for (; *a; a += digits, b += digits) {
        char x[5] = {0}, y[5] = {0};
        memcpy(x, a, (size_t)digits), memcpy(y, b, (size_t)digits);
        const long d = labs(strtol(x, NULL, 16) - strtol(y, NULL, 16));
        if (d > tolerance) return false;
        *differing += d != 0;
    }
    return true;
}

static char *recorded; /* the file */

/* The lines below "= key", or NULL. */
static const char *recorded_at(const char *key) {
    char line[400];
    snprintf(line, sizeof line, "= %s\n", key);
    const char *at = recorded ? strstr(recorded, line) : NULL;
    return at ? at + strlen(line) : NULL;
}

static void read_recorded(void) {
    support_setup();
    FILE *file = fopen("tests/golden/vision_transforms.txt", "rb");
    ck_assert_ptr_nonnull(file);
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    recorded = calloc(1, (size_t)size + 1);
    ck_assert_int_eq((long)fread(recorded, 1, (size_t)size, file), size);
    fclose(file);
}

static void free_recorded(void) {
    free(recorded);
    recorded = NULL;
    support_teardown();
}

static int64_t case_seed(const char *text) {
    int64_t sum = 0;
    for (; *text; text++) sum = sum * 31 % 1000 + *text;
    return sum;
}

/* Torchvision's values for that kind of image, or false where it refuses it: such a C result is not looked at. */
static bool recorded_line(const char *line, Kind kind, char theirs[4000]) {
    char key[16];
    snprintf(key, sizeof key, "%s: ", kinds[kind]);
    const char *at = strstr(line, key), *end = strstr(line, "\n= ");
    if (!at || (end && at > end)) return false;
    at += strlen(key);
    const size_t length = strcspn(at, "\n");
    ck_assert_uint_lt(length, 4000);
    memcpy(theirs, at, length);
    theirs[length] = '\0';
    return true;
}

static void compare(const char *python, Kind kind, Tensor *y, char *theirs) {
    char text[4000];
    if (!y) {
        note("%s of %s: %s", python, kinds[kind], last_error_text());
        clear_errors();
        return;
    }
    describe(y, text, sizeof text);
    snprintf(text + strlen(text), 40, " %.4f", t_item(t_rand(1)));
    char *our_draw = strrchr(text, ' '), *their_draw = strrchr(theirs, ' ');
    if (strcmp(our_draw, their_draw) != 0) note("%s of %s: the next draw differs", python, kinds[kind]);
    *our_draw = *their_draw = '\0';
    const bool is_bytes = y->dtype == t_uint8;
    int differing;
    /* Where PyTorch fuses products and sums, and this does not, a tensor's byte may be rounded to its neighbour: in an
     * antialiased resize, and without the instruction. */
    const bool exact =
        kind == PIL || kind == GRAY_PIL || (strncmp(python, "Resize(", 7) != 0 && tg_isa() != TG_ISA_BASELINE);
    if (!near(text, theirs, is_bytes ? 2 : 4, is_bytes && exact ? 0 : 1, &differing))
        note("%s of %s:\n  %s\n  %s", python, kinds[kind], text, theirs);
    else if (is_bytes && differing > 1)
        note("%s of %s: %d bytes differ", python, kinds[kind], differing);
}

/* Compares what the transform makes of each kind of image with the line of that kind. */
static void check_transform(const char *python, transforms_Transform *transform) {
    const char *line = recorded_at(python);
    char theirs[4000];
    if (!line) {
        note("%s is not in vision_transforms.txt: run record_transforms.py", python);
        return;
    }
    for (Kind kind = PIL; kind < KINDS; kind++) {
        if (!recorded_line(line, kind, theirs)) continue;
        t_manual_seed(case_seed(python));
        random_seed(case_seed(python));
        compare(python, kind, transforms_call(transform, image(kind)), theirs);
    }
    const char *str = transforms_str(transform), *repr = strstr(line, "repr: ");
    ck_assert_ptr_nonnull(repr);
    repr += strlen("repr: ");
    if (strncmp(str, repr, strlen(str)) != 0 || strncmp(repr + strlen(str), "\n= ", 3) != 0)
        note("%s prints\n  %s\n  %.200s", python, str, repr);
}

#define CHECK(python, c)                \
    with_scope() {                      \
        check_transform(python, c);     \
    }

START_TEST(as_torchvision) {
    TRANSFORMS(CHECK)
    report_notes();
}
END_TEST

#define CHECK_FUNCTION(python, c)                                             \
    for (Kind kind = PIL; kind < KINDS; kind++) with_scope() {                \
        const char *line = recorded_at("TF." python);                         \
        char theirs[4000];                                                    \
        if (!line) note("%s is not in vision_transforms.txt", python);        \
        if (line && recorded_line(line, kind, theirs)) {                      \
            Tensor *img = image(kind);                                        \
            t_manual_seed(case_seed("TF." python));                           \
            compare(python, kind, c, theirs);                                 \
        }                                                                     \
    }

START_TEST(functions_as_torchvision) {
    FUNCTIONS(CHECK_FUNCTION)
    report_notes();
}
END_TEST

/* ---- what the table does not show ---- */

START_TEST(marks) {
    Tensor *bytes = image(BYTES), *pil = image(PIL);
    HOLDS(!TF_is_pil_image(bytes) && TF_is_pil_image(pil));
    HOLDS(TF_is_pil_image(transforms_call(transforms_Resize(3), pil)));
    HOLDS(TF_is_pil_image(TF_hflip(pil)) && TF_is_pil_image(TF_crop(pil, 0, 0, 2, 2)));
    HOLDS(!TF_is_pil_image(TF_to_tensor(pil)) && !TF_is_pil_image(TF_pil_to_tensor(pil)));
    HOLDS(!TF_is_pil_image(t_flip(pil, 1)) && !TF_is_pil_image(t_clone(pil)));
    /* arrays (H, W, C) and (H, W) */
    HOLDS(t_equal(TF_to_tensor(t_permute(bytes, 1, 2, 0)), TF_to_tensor(pil)));
    HOLDS(t_equal(TF_to_tensor(t_at(bytes, "0")), t_at(TF_to_tensor(pil), ":1")));
    HOLDS(t_equal(TF_to_tensor(t_ones(2, 3, 4)), t_ones(4, 2, 3)));
}
END_TEST

/* Pillow's resize multiplies colours by alpha before it averages them, and divides after: Pillow's bytes. */
START_TEST(pil_images_with_alpha_are_resized_as_by_pillow) {
    static const struct {
        transforms_InterpolationMode mode;
        const char *bytes;
    } of[] = {
        {InterpolationMode_BILINEAR, "[[[82, 148], [75, 132], [63, 192]], [[183, 192], [152, 159], [121, 119]], "
                                     "[[63, 119], [41, 92], [17, 122]], [[68, 160], [142, 96], [132, 77]]]"},
        {InterpolationMode_BOX, "[[[63, 159], [67, 153], [47, 207]], [[199, 199], [150, 165], [109, 111]], "
                                "[[55, 132], [33, 111], [0, 132]], [[32, 192], [144, 80], [128, 96]]]"},
        {InterpolationMode_HAMMING, "[[[66, 155], [69, 144], [55, 206]], [[188, 197], [151, 162], [116, 112]], "
                                    "[[49, 129], [35, 105], [9, 133]], [[46, 177], [143, 85], [134, 84]]]"},
        {InterpolationMode_LANCZOS, "[[[59, 150], [74, 133], [49, 246]], [[195, 194], [154, 158], [117, 108]], "
                                    "[[48, 122], [41, 93], [7, 163]], [[47, 181], [158, 90], [135, 61]]]"},
    };
    static const uint8_t alphas[] = {0, 64, 128, 255};
    uint8_t pixels[4][4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            pixels[0][i][j] = (uint8_t)(16 * i + 60 * j);
            pixels[1][i][j] = (uint8_t)(200 - 30 * i);
            pixels[2][i][j] = (uint8_t)(50 * j);
            pixels[3][i][j] = alphas[(i + j) % 4];
        }
    Tensor *rgba = TF_to_pil_image(t_tensor(&pixels[0][0][0], (4, 4, 4), .dtype = t_uint8));
    for (int i = 0; i < 4; i++)
        HOLDS(t_equal(TF_resize(rgba, (3, 2), .interpolation = of[i].mode), t_tensor(of[i].bytes, .dtype = t_uint8)));
}
END_TEST

START_TEST(batches_and_dtypes) {
    Tensor *floats = image(FLOATS), *pair = t_stack(t_list(floats, TF_hflip(floats)));
    transforms_Transform *blur = transforms_Compose(transforms_Resize(4), transforms_GaussianBlur(3, .sigma = 1));
    HOLDS(t_allclose(t_at(transforms_call(blur, pair), "0"), transforms_call(blur, floats)));
    HOLDS(t_equal(t_at(TF_rotate(pair, 30), "1"), TF_rotate(TF_hflip(floats), 30)));
    HOLDS(t_equal(t_at(TF_adjust_hue(pair, 0.2), "0"), TF_adjust_hue(floats, 0.2)));
    Tensor *doubles = t_double(floats);
    HOLDS(TF_adjust_contrast(doubles, 0.5)->dtype == t_float64);
    HOLDS(t_allclose(t_double(TF_resize(floats, 9)), TF_resize(doubles, 9)));
    HOLDS(t_allclose(t_double(TF_normalize(floats, (0.1, 0.2, 0.3), (1, 2, 3))),
                     TF_normalize(doubles, (0.1, 0.2, 0.3), (1, 2, 3))));
    /* a crop is a view, as in torchvision */
    HOLDS(TF_crop(floats, 1, 1, 2, 2)->storage == floats->storage);
    /* gradients flow through what is composed of torch's functions */
    Tensor *x = t_clone(floats);
    t_requires_grad_(x, true);
    t_backward(t_sum(TF_normalize(TF_resize(x, 10), 0.5, (0.5, 0.5, 2))));
    ck_assert_double_eq_tol(t_item(t_sum(t_grad(x))), 140 * (2 + 2 + 0.5), 1e-2);
    /* in place */
    Tensor *y = t_clone(floats);
    HOLDS(TF_normalize(y, 0.5, 0.5, .inplace = true) == y && t_item(t_min(y)) < -0.9);
    HOLDS(TF_erase(y, 0, 0, 2, 2, t_tensor(7.0), .inplace = true) == y && t_item(t_at(y, "0, 1, 1")) == 7);
    /* ten crops as one tensor, on which what follows works */
    Tensor *crops = transforms_call(transforms_Compose(transforms_TenCrop(3), transforms_ToTensor()), image(PIL));
    ck_assert_str_eq(t_size_repr(crops), "torch.Size([10, 3, 3, 3])");
    HOLDS(t_equal(t_at(crops, "6"), TF_to_tensor(t_list_get(TF_ten_crop(image(PIL), 3), 6))));
    crops = transforms_call(transforms_FiveCrop((2, 3)), image(BYTES));
    ck_assert_str_eq(t_size_repr(crops), "torch.Size([5, 3, 2, 3])");
    ck_assert_str_eq(transforms_str(transforms_TenCrop((2, 3), true)), "TenCrop(size=(2, 3), vertical_flip=True)");
}
END_TEST

/* What torchvision 0.29 returns where no recorded transform comes. */
START_TEST(sizes_fills_and_alpha) {
    Tensor *bytes = image(BYTES), *floats = image(FLOATS), *pil = image(PIL);
    ck_assert_str_eq(t_size_repr(TF_resize(bytes, 10, .max_size = 12)), "torch.Size([3, 8, 12])");
    ck_assert_str_eq(t_size_repr(TF_resize(pil, 10, .max_size = 12)), "torch.Size([3, 8, 12])");
    const transforms_Values fill = {.items = {1, 2, 3}, .count = 3};
    Tensor *padded = (TF_pad)(pil, (int64_t[]){1}, 1, &fill, "constant");
    HOLDS(TF_is_pil_image(padded) && t_equal(TF_crop(padded, 1, 1, 5, 7), pil));
    HOLDS(t_equal(t_at(padded, ":, 0, 0"), t_tensor("[1, 2, 3]", .dtype = t_uint8)));
    HOLDS(t_equal(t_at(padded, ":, 6, 8"), t_tensor("[1, 2, 3]", .dtype = t_uint8)));
    Tensor *alpha = TF_to_pil_image(t_cat(t_list(bytes, t_full((1, 5, 7), 247, .dtype = t_uint8))));
    Tensor *darker = TF_adjust_brightness(alpha, 0.5);
    HOLDS(t_equal(t_at(darker, "3"), t_at(alpha, "3")));
    HOLDS(t_equal(t_at(darker, ":3"), TF_adjust_brightness(pil, 0.5)));
    Tensor *wide = transforms_call(transforms_RandomCrop((4, 9), .pad_if_needed = true), floats);
    ck_assert_str_eq(t_size_repr(wide), "torch.Size([3, 4, 9])");
    /* no part has all of the area */
    const transforms_Values all = {.items = {1, 1}, .count = 2};
    Tensor *same = (transforms_call)(transforms_RandomErasing_new(1, &all, NULL, NULL, false), floats);
    HOLDS(same && same != floats && t_equal(same, floats));
    HOLDS((transforms_call)(transforms_RandomErasing_new(1, &all, NULL, NULL, true), floats) == floats);
    transforms_Transform *linear = transforms_LinearTransformation(t_tensor("[[1, 2], [3, 4]]"), t_tensor("[1, 2]"));
    ck_assert_str_eq(transforms_str(linear),
                     "LinearTransformation(transformation_matrix=[[1, 2], [3, 4]], mean_vector=[1, 2])");
}
END_TEST

typedef struct Captured {
    int calls;
    double factor;
} Captured;

static Tensor *scale(Tensor *img, void *context) {
    Captured *c = context;
    c->calls++;
    return c->factor ? t_mul(img, c->factor) : t_fail("the factor is 0");
}

static Tensor *complain(Tensor *img) {
    t_fail("an image that I do not like");
    return img;
}

START_TEST(a_linear_transformation_whitens) {
    Tensor *matrix = t_tensor("[[1., 2.], [0.5, -1.]]"), *mean = t_tensor("[1., 0.25]");
    transforms_Transform *white = transforms_LinearTransformation(matrix, mean);
    Tensor *x = t_tensor("[[[[3.]], [[1.25]]], [[[1.]], [[2.25]]]]");
    HOLDS(t_equal(transforms_call(white, x), t_tensor("[[[[2.5]], [[3.]]], [[[1.]], [[-2.]]]]")));
    HOLDS(t_equal(transforms_call(white, t_at(x, "0")), t_tensor("[[[2.5]], [[3.]]]")));
    Tensor *bytes = t_tensor("[[[3]], [[1]]]", .dtype = t_uint8);
    HOLDS(t_equal(transforms_call(white, bytes), t_tensor("[[[2.375]], [[3.25]]]")));
    HOLDS(t_equal(transforms_call(white, t_double(x)), t_double(transforms_call(white, x))));
    ck_assert_str_eq(transforms_str(white), "LinearTransformation(transformation_matrix=[[1.0, 2.0], [0.5, -1.0]], "
                                            "mean_vector=[1.0, 0.25])");
    ck_assert_ptr_null((transforms_call)(white, t_ones(3, 5, 7)));
    expect_error("Input tensor and transformation matrix have incompatible shape.[3 x 5 x 7] != 2");
    ck_assert_ptr_null((transforms_call)(white, t_ones(2, 1)));
    expect_error("tuple index out of range");
    ck_assert_ptr_null(transforms_LinearTransformation_new(t_ones(2, 3), mean));
    expect_error("transformation_matrix should be square. Got (2, 3) rectangular matrix.");
    ck_assert_ptr_null(transforms_LinearTransformation_new(matrix, t_ones(3)));
    expect_error("mean_vector should have the same length 3 as any one of the dimensions of the transformation_matrix "
                 "[(2, 2)]");
    ck_assert_ptr_null(transforms_LinearTransformation_new(matrix, t_double(mean)));
    expect_error("Input tensors should have the same dtype. Got torch.float32 and torch.float64");
    ck_assert_ptr_null(transforms_AugMix_new(11, 3, -1, 1, true, InterpolationMode_BILINEAR, NULL));
    expect_error("The severity must be between [1, 10]. Got 11 instead.");
    ck_assert_ptr_null((transforms_call)(transforms_ElasticTransform(50, 1e300), image(FLOATS)));
    expect_error("the kernel for sigma 1e+300 is larger than any image");
}
END_TEST

START_TEST(lambdas) {
    Captured captured = {.factor = 2};
    transforms_Transform *twice = transforms_Lambda(scale, .context = &captured);
    transforms_Transform *all = transforms_Compose(twice, transforms_Lambda(t_neg), twice);
    HOLDS(t_equal(transforms_call(all, t_ones(1, 2, 2)), t_full((1, 2, 2), -4.0)));
    ck_assert_int_eq(captured.calls, 2);
    captured.factor = 0;
    ck_assert_ptr_null((transforms_call)(all, t_ones(1, 2, 2)));
    expect_error("the factor is 0");
    ck_assert_ptr_null((transforms_call)(transforms_Lambda(complain), t_ones(1, 2, 2)));
    expect_error("an image that I do not like");
}
END_TEST

static bool augment(void *with) {
    const int depth = t_scope_open();
    t_manual_seed(3);
    transforms_Transform *all = transforms_Compose_new(
        (transforms_Transform *[]){
            transforms_RandomResizedCrop_new((int64_t[]){4}, 1, NULL, NULL, InterpolationMode_BILINEAR, true),
            transforms_ColorJitter_new(&(transforms_Values){.items = {0.5}, .count = -1}, NULL, NULL,
                                       &(transforms_Values){.items = {0.3}, .count = -1}),
            transforms_RandomRotation_new(&(transforms_Values){.items = {30}, .count = -1}, 0, true, NULL, NULL),
            transforms_ToTensor_new()},
        4);
    const bool ok = (transforms_call)(all, with) && (transforms_str)(all);
    t_scope_close(depth);
    return ok;
}

static bool has_a_text(void *transform) {
    return (transforms_str)(transform) != NULL;
}

START_TEST(each_allocation_may_fail) {
    refuse_all("augmentation", augment, NULL, image(PIL));
    refuse_all("a text", has_a_text, NULL, transforms_LinearTransformation(t_eye(2), t_zeros(2)));
    report_notes();
}
END_TEST

START_TEST(sizes_of_images) {
    int64_t size[3];
    Tensor *img = t_zeros(2, 3, 5, 7);
    ck_assert(TF_get_dimensions(img, size) && size[0] == 3 && size[1] == 5 && size[2] == 7);
    ck_assert(TF_get_image_size(img, size) && size[0] == 7 && size[1] == 5);
    ck_assert_int_eq(TF_get_image_num_channels(t_zeros(4, 4)), 1);
}
END_TEST

Suite *image_transforms_suite(void) {
    Suite *suite = suite_create("image_transforms");
    TCase *values = tcase_create("values"), *others = tcase_create("others");
    tcase_add_checked_fixture(values, read_recorded, free_recorded);
    tcase_add_test(values, as_torchvision);
    tcase_add_test(values, functions_as_torchvision);
    suite_add_tcase(suite, values);
    tcase_add_checked_fixture(others, support_setup, support_teardown);
    tcase_add_test(others, marks);
    tcase_add_test(others, pil_images_with_alpha_are_resized_as_by_pillow);
    tcase_add_test(others, batches_and_dtypes);
    tcase_add_test(others, sizes_fills_and_alpha);
    tcase_add_test(others, a_linear_transformation_whitens);
    tcase_add_test(others, lambdas);
    tcase_add_test(others, each_allocation_may_fail);
    tcase_add_test(others, sizes_of_images);
    suite_add_tcase(suite, others);
    return suite;
}
