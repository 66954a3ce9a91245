/* tests/vision/test_transforms_errors.c: what torchvision.transforms refuses, with torchvision's texts. */
#include <math.h>

#include "core/tensor/tensor.h"
#include "core/vision/vision.h"
#include "tests/support/support.h"

#define REFUSED(call, message) ck_assert_ptr_null(call); expect_error(message)
#define CALL(transform, img) (transforms_call)(transform, img)

typedef enum Kind { PIL, BYTES, FLOATS } Kind;

/* Three channels of 5 x 7 pixels. */
static Tensor *image(Kind kind) {
    Tensor *x = t_full((3, 5, 7), 100, .dtype = t_uint8);
    return kind == BYTES ? x : kind == FLOATS ? TF_convert_image_dtype(x, t_float32) : TF_to_pil_image(x);
}

START_TEST(distortions_and_policies_refused) {
    Tensor *img = image(BYTES), *floats = image(FLOATS), *pil = image(PIL), *plane = t_ones(5, 7),
           *four = t_zeros(4, 5, 7, .dtype = t_uint8), *rgba = TF_to_pil_image(four);
    const transforms_Values one = {.items = {1}, .count = 1}, two = {.items = {1, 2}, .count = 2},
                            three = {.items = {1, 2, 3}, .count = 3};
    REFUSED(transforms_RandomPerspective_new(1.5, 0.5, 0, NULL), "distortion_scale (1.5) is not in [0, 1].");
    REFUSED(transforms_RandomPerspective_new(-0.5, 0.5, 0, NULL), "distortion_scale (-0.5) is not in [0, 1].");
    REFUSED(transforms_RandomPerspective_new(NAN, 0.5, 0, NULL), "distortion_scale (nan) is not in [0, 1].");
    REFUSED(transforms_ElasticTransform_new(&three, NULL, 0, NULL),
            "If alpha is a sequence its length should be 2. Got 3");
    REFUSED(transforms_ElasticTransform_new(NULL, &three, 0, NULL),
            "If sigma is a sequence its length should be 2. Got 3");
    REFUSED(transforms_ElasticTransform_new(NULL, &one, 0, NULL),
            "If sigma is a sequence its length should be 2. Got 1");
    REFUSED(transforms_AutoAugment_new((transforms_AutoAugmentPolicy)7, 0, NULL),
            "The provided policy 7 is not recognized.");
    REFUSED(transforms_RandAugment_new(2, 31, 31, 0, NULL), "index 31 is out of bounds for dimension 0 with size 31");
    REFUSED(transforms_RandAugment_new(2, -1, 31, 0, NULL), "index -1 is out of bounds for dimension 0 with size 31");
    REFUSED(transforms_RandAugment_new(2, 9, 0, 0, NULL), "index 9 is out of bounds for dimension 0 with size 0");
    REFUSED(transforms_TrivialAugmentWide_new(0, 0, NULL), "num_magnitude_bins should be positive, got 0");

    REFUSED(CALL(transforms_RandomPerspective_new(0.5, 1, 0, &two), img),
            "The number of elements in 'fill' cannot broadcast to match the number of channels of the image (2 != 3)");
    REFUSED(CALL(transforms_ElasticTransform(), img),
            "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding (20, "
            "20) at dimension 3 of input [1, 1, 5, 7]");
    REFUSED(CALL(transforms_RandomAdjustSharpness(-0.5, 1), img), "sharpness_factor (-0.5) is not non-negative.");
    REFUSED(CALL(transforms_RandomAdjustSharpness(2, 1), four),
            "Input image tensor permitted channel values are [1, 3], but found 4");
    REFUSED(CALL(transforms_RandomAutocontrast(1), plane),
            "Input image tensor should have at least 3 dimensions, but found 2");
    REFUSED(CALL(transforms_RandomAutocontrast(1), four),
            "Input image tensor permitted channel values are [1, 3], but found 4");
    REFUSED(CALL(transforms_RandomAutocontrast(1), rgba), "not supported for mode RGBA");
    REFUSED(CALL(transforms_RandomEqualize(1), rgba), "not supported for mode RGBA");
    REFUSED(CALL(transforms_RandomEqualize(1), plane),
            "Input image tensor should have 3 or 4 dimensions, but found 2");
    REFUSED(CALL(transforms_RandomEqualize(1), floats),
            "Only torch.uint8 image tensors are supported, but found torch.float32");
    REFUSED(CALL(transforms_RandomEqualize(1), four),
            "Input image tensor permitted channel values are [1, 3], but found 4");
    HOLDS(CALL(transforms_RandomAdjustSharpness(-1, 1), pil) != NULL); /* as in torchvision */
    REFUSED((TF_adjust_sharpness)(NULL, 1), "argument 1 is NULL where a tensor is expected");

    static const int64_t corners[8] = {0, 0, 6, 0, 6, 4, 0, 4}, equal[8] = {0}, line[8] = {0, 0, 2, 2, 4, 4, 0, 4};
    REFUSED((TF_perspective)(img, corners, NULL, 0, NULL), "argument 3 is NULL where four points are expected");
    REFUSED((TF_perspective)(img, NULL, corners, 0, NULL), "argument 2 is NULL where four points are expected");
    REFUSED((TF_perspective)(img, corners, corners, InterpolationMode_LANCZOS, NULL),
            "Interpolation mode 'lanczos' is unsupported with Tensor input");
    REFUSED((TF_perspective)(img, corners, corners, 0, &two),
            "The number of elements in 'fill' cannot broadcast to match the number of channels of the image (2 != 3)");
    static const char singular[] = "torch.linalg.solve: The solver failed because the input matrix is singular.";
    REFUSED((TF_perspective)(img, corners, equal, 0, NULL), singular);
    REFUSED((TF_perspective)(pil, corners, line, 0, NULL), singular);
    REFUSED(CALL(transforms_RandomPerspective(.p = 1), t_zeros(3, 1, 1)), singular);
    REFUSED((TF_elastic_transform)(img, NULL, 0, NULL), "argument 2 is NULL where a tensor is expected");
    REFUSED((TF_elastic_transform)(img, t_zeros(1, 5, 6, 2), 0, NULL),
            "Argument displacement shape should be torch.Size([1, 5, 7, 2]), but given torch.Size([1, 5, 6, 2])");
    REFUSED((TF_elastic_transform)(img, t_zeros(5, 7, 2), 0, NULL),
            "Argument displacement shape should be torch.Size([1, 5, 7, 2]), but given torch.Size([5, 7, 2])");
}
END_TEST

START_TEST(refused) {
    Tensor *img = image(BYTES), *floats = image(FLOATS), *pil = image(PIL);
    const int64_t three = 3, minus[] = {2, -2};
    const transforms_Values none = {.items = {NAN}, .count = -1}, one = {.items = {1}, .count = -1},
                            two = {.items = {1, 2}, .count = 2}, bad = {.items = {2, 1}, .count = 2};
    REFUSED((TF_resize)(img, &three, 0, 0, T_NONE, true), "Size must be an int or a 1 or 2 element tuple/list");
    REFUSED((TF_resize)(img, minus, 2, 0, T_NONE, true), "height and width must be > 0");
    REFUSED((TF_resize)(img, &three, 1, 0, 3, true),
            "max_size = 3 must be strictly greater than the requested size for the smaller edge size = [3]");
    REFUSED((TF_resize)(img, &three, 1, InterpolationMode_LANCZOS, T_NONE, true),
            "Interpolation mode 'lanczos' is unsupported with Tensor input");
    REFUSED((TF_center_crop)(t_ones(3), &three, 1), "Tensor is not a torch image.");
    REFUSED((TF_pad)(img, &three, 3, NULL, "constant"),
            "Padding must be an int or a 1, 2, or 4 element tuple, not a 3 element tuple");
    REFUSED((TF_pad)(img, &three, 1, NULL, "wrap"),
            "Padding mode should be either constant, edge, reflect or symmetric");
    REFUSED((TF_pad)(img, &three, 1, &two, "constant"), "Got inappropriate fill arg");
    REFUSED((TF_pad)(img, (int64_t[]){9}, 1, NULL, "reflect"),
            "Padding size should be less than the corresponding input dimension, but got: padding (9, 9) at dimension "
            "3 of input [3, 5, 7]");
    REFUSED((TF_five_crop)(img, (int64_t[]){6, 2}, 2), "Requested crop size (6, 2) is bigger than input size (5, 7)");
    REFUSED((TF_rotate)(img, 10, InterpolationMode_BICUBIC, false, NULL, NULL),
            "Interpolation mode 'bicubic' is unsupported with Tensor input");
    REFUSED((TF_rotate)(img, 10, 0, false, NULL, &two),
            "The number of elements in 'fill' cannot broadcast to match the number of channels of the image (2 != 3)");
    REFUSED((TF_rotate)(pil, 10, 0, false, NULL, &two),
            "The number of elements in 'fill' does not match the number of channels of the image (2 != 3)");
    REFUSED((TF_affine)(img, 10, (int64_t[]){0, 0}, 0, (double[]){0, 0}, 0, NULL, NULL),
            "Argument scale should be positive");
    REFUSED((TF_rgb_to_grayscale)(t_ones(2, 3, 3), 1),
            "Input image tensor permitted channel values are [1, 3], but found 2");
    REFUSED((TF_rgb_to_grayscale)(img, 2), "num_output_channels should be either 1 or 3");
    REFUSED((TF_to_grayscale)(img, 1), "Input should be PIL Image");
    REFUSED((TF_adjust_brightness)(img, -0.5), "brightness_factor (-0.5) is not non-negative.");
    REFUSED((TF_adjust_hue)(img, 0.6), "hue_factor (0.6) is not in [-0.5, 0.5].");
    REFUSED((TF_adjust_gamma)(img, -1, 1), "Gamma should be a non-negative real number");
    REFUSED((TF_posterize)(img, 9), "The number if bits should be between 0 and 8. Got 9");
    REFUSED((TF_posterize)(floats, 3), "Only torch.uint8 image tensors are supported, but found torch.float32");
    REFUSED((TF_solarize)(floats, 2), "Threshold should be less than bound of img.");
    REFUSED((TF_gaussian_blur)(img, (int64_t[]){4}, 1, NULL),
            "kernel_size should have odd and positive integers. Got [4, 4]");
    REFUSED((TF_normalize)(img, &one, &one, false), "Input tensor should be a float tensor. Got torch.uint8.");
    REFUSED((TF_normalize)(floats, &one, &(transforms_Values){.items = {0}, .count = -1}, false),
            "std evaluated to zero after conversion to torch.float32, leading to division by zero.");
    REFUSED((TF_normalize)(floats, &two, &one, false),
            "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0");
    const transforms_Values means = {.items = {0.5, 0.4, 0.3}, .count = 3};
    REFUSED((TF_normalize)(t_rand(1, 4, 5), &means, &means, false),
            "output with shape [1, 4, 5] doesn't match the broadcast shape [3, 4, 5]");
    REFUSED((TF_normalize)(t_rand(2, 1, 4, 5), &means, &means, true),
            "output with shape [2, 1, 4, 5] doesn't match the broadcast shape [2, 3, 4, 5]");
    REFUSED((TF_normalize)(t_rand(1, 4, 5), &one, &means, false),
            "output with shape [1, 4, 5] doesn't match the broadcast shape [3, 4, 5]");
    ck_assert_int_eq(t_size(TF_rgb_to_grayscale(t_rand(1, 4, 5), 3), 0), 1); /* as in torchvision */
    REFUSED((TF_to_tensor)(floats),
            "pic should be PIL Image or ndarray (H, W, C). Got a tensor of shape [3, 5, 7], which is an image (C, H, "
            "W) already: transforms_ConvertImageDtype(t_float32) scales it to [0, 1], and transforms_ToPILImage() "
            "makes it a PIL image");
    REFUSED((TF_to_tensor)(t_ones(1, 2, 3, 4)), "pic should be 2/3 dimensional. Got 4 dimensions.");
    REFUSED((TF_pil_to_tensor)(img), "pic should be PIL Image. Got <class 'torch.Tensor'>");
    REFUSED((TF_to_pil_image)(t_ones(5, 2, 2)), "pic should not have > 4 channels. Got 5 channels.");
    REFUSED((TF_convert_image_dtype)(floats, t_int32),
            "The cast from torch.float32 to torch.int32 cannot be performed safely.");
    REFUSED((TF_erase)(pil, 0, 0, 1, 1, t_ones(1), false),
            "img should be Tensor Image. Got <class 'PIL.Image.Image'>");
    REFUSED(transforms_Resize_new(&three, 3, 0, T_NONE, true), "If size is a sequence, it should have 1 or 2 values");
    REFUSED(transforms_CenterCrop_new(NULL, 1), "Please provide only two dimensions (h, w) for size.");
    REFUSED(transforms_RandomRotation_new(&(transforms_Values){.items = {-3}, .count = -1}, 0, false, NULL, NULL),
            "If degrees is a single number, it must be positive.");
    REFUSED(transforms_RandomAffine_new(&one, &two, NULL, NULL, 0, NULL, NULL),
            "translation values should be between 0 and 1");
    REFUSED(transforms_ColorJitter_new(&bad, NULL, NULL, NULL),
            "brightness values should be between (0, inf), but got [2.0, 1.0].");
    REFUSED(transforms_ColorJitter_new(NULL, NULL, NULL, &one),
            "hue values should be between (-0.5, 0.5), but got [-1.0, 1.0].");
    REFUSED(transforms_GaussianBlur_new(&three, 1, &bad),
            "sigma values should be positive and of the form (min, max).");
    REFUSED(transforms_RandomErasing_new(2, NULL, NULL, NULL, false),
            "Random erasing probability should be between 0 and 1");
    REFUSED(transforms_RandomErasing_new(0.5, &one, NULL, NULL, false), "Scale should be a sequence");
    REFUSED(transforms_Normalize_new(&one, &none, false),
            "Normalize.__init__() missing a required argument: 'std'");
    REFUSED(transforms_Lambda_new(NULL, NULL), "Argument lambd should be callable, got NULL");
    REFUSED(transforms_Lambda_of_(NULL), "Argument lambd should be callable, got NULL");
    REFUSED(transforms_RandomChoice_new(NULL, 0, NULL), "list index out of range: there is no transform to choose");
    REFUSED(transforms_Compose_new((transforms_Transform *[]){NULL}, 1),
            "argument 1 is NULL where a transform is expected");
    REFUSED((transforms_call)(NULL, img), "argument 1 is NULL where a transform is expected");
    REFUSED((transforms_call)(transforms_RandomCrop(6), img),
            "Required crop size (6, 6) is larger than input image size (5, 7)");
    REFUSED((TF_hflip)(NULL), "argument 1 is NULL where a tensor is expected");
    const transforms_Values triple = {.items = {1, 2, 3}, .count = 3}, single = {.items = {1}, .count = 1};
    const transforms_InterpolationMode no_mode = (transforms_InterpolationMode)99;
    const int64_t odd[] = {3, 3, 3}, even = 4;
    static const char unknown_mode[] = "Argument interpolation should be a InterpolationMode";
    REFUSED((TF_resize)(img, odd, 2, 0, 12, true),
            "max_size should only be passed if size specifies the length of the smaller edge, i.e. size should be an "
            "int or a sequence of length 1 in torchscript mode.");
    REFUSED((TF_resize)(img, &three, 1, no_mode, T_NONE, true), unknown_mode);
    REFUSED((TF_pad)(pil, &three, 1, &two, "constant"),
            "The number of elements in 'fill' does not match the number of channels of the image (2 != 3)");
    REFUSED((TF_to_pil_image)(t_ones(1, 2, 3, 4)), "pic should be 2/3 dimensional. Got 4 dimensions.");
    REFUSED((TF_to_pil_image)(t_ones(3, 2, 2, .dtype = t_int64)), "Input type int64 is not supported");
    REFUSED((TF_normalize)(floats, &none, &one, false), "argument 2 is NULL where numbers are expected");
    REFUSED((TF_normalize)(floats, &one, NULL, false), "argument 3 is NULL where numbers are expected");
    REFUSED((TF_normalize)(t_ones(4, 5), &one, &one, false),
            "Expected tensor to be a tensor image of size (..., C, H, W). Got tensor.size() = torch.Size([4, 5])");
    REFUSED((TF_gaussian_blur)(img, odd, 3, NULL), "If kernel_size is a sequence its length should be 2. Got 3");
    REFUSED(transforms_ColorJitter_new(&triple, NULL, NULL, NULL),
            "brightness should be a single number or a list/tuple with length 2.");
    REFUSED(transforms_GaussianBlur_new(&three, 1, &triple),
            "sigma should be a single number or a list/tuple with length 2.");
    REFUSED(transforms_GaussianBlur_new(&even, 1, NULL), "Kernel size value should be an odd and positive number.");
    REFUSED(transforms_GaussianBlur_new(odd, 3, NULL), "Kernel size should be a tuple/list of two integers");
    REFUSED(transforms_Resize_new(&three, 1, no_mode, T_NONE, true), unknown_mode);
    REFUSED(transforms_RandomResizedCrop_new(&three, 1, NULL, NULL, no_mode, true), unknown_mode);
    REFUSED(transforms_RandomResizedCrop_new(odd, 3, NULL, NULL, InterpolationMode_BILINEAR, true),
            "Please provide only two dimensions (h, w) for size.");
    REFUSED(transforms_RandomCrop_new(&three, 1, odd, 3, false, NULL, NULL),
            "Padding must be an int or a 1, 2, or 4 element tuple, not a 3 element tuple");
    REFUSED(transforms_RandomRotation_new(&triple, 0, false, NULL, NULL),
            "degrees should be a sequence of length 2.");
    REFUSED(transforms_RandomRotation_new(&one, 0, false, &single, NULL), "center should be a sequence of length 2.");
    REFUSED(transforms_RandomAffine_new(&triple, NULL, NULL, NULL, 0, NULL, NULL),
            "degrees should be a sequence of length 2.");
    REFUSED(transforms_RandomAffine_new(&one, NULL, NULL, &triple, 0, NULL, NULL),
            "shear should be a sequence of length 2 or 4.");
    REFUSED((transforms_call)(transforms_RandomErasing_new(1, NULL, NULL, &two, false), floats),
            "If value is a sequence, it should have either a single value or 3 (number of input channels)");
    const transforms_Values all = {.items = {1, 1}, .count = 2};
    REFUSED((transforms_call)(transforms_RandomErasing_new(1, &all, NULL, NULL, false), pil),
            "img should be Tensor Image. Got <class 'PIL.Image.Image'>");
}
END_TEST

Suite *transforms_errors_suite(void) {
    Suite *suite = suite_create("transforms_errors");
    TCase *tests = tcase_create("transforms_errors");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, distortions_and_policies_refused);
    tcase_add_test(tests, refused);
    suite_add_tcase(suite, tests);
    return suite;
}
