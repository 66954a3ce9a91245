/* core/vision/transforms/functional.c: from PIL images and arrays to tensors and back, dtypes, TF.normalize. */
#include "core/vision/transforms/functional.h"

#include <math.h>
#include <string.h>

#include "core/ops/pointwise/pointwise_internal.h"
#include "core/vision/transforms/functional_internal.h"

/* ---- images ---- */

bool TF_is_pil_image(const Tensor *img) {
    return tg_check_any(img, 1) && img->is_pil_image;
}

bool tg_check_image(const Tensor *img) {
    if (!tg_check_any(img, 1)) return false;
    return img->ndim >= 2 || tg_fail("Tensor is not a torch image.");
}

bool TF_get_dimensions(const Tensor *img, int64_t dimensions[3]) {
    if (!tg_check_image(img)) return false;
    if (!dimensions) return tg_fail("argument 2 is NULL where three numbers are stored");
    dimensions[0] = tg_image_channels(img);
    dimensions[1] = tg_image_height(img);
    dimensions[2] = tg_image_width(img);
    return true;
}

bool TF_get_image_size(const Tensor *img, int64_t size[2]) {
    if (!tg_check_image(img)) return false;
    if (!size) return tg_fail("argument 2 is NULL where two numbers are stored");
    size[0] = tg_image_width(img);
    size[1] = tg_image_height(img);
    return true;
}

int64_t TF_get_image_num_channels(const Tensor *img) {
    return tg_check_image(img) ? tg_image_channels(img) : -1;
}

Tensor *tg_mark_pil(Tensor *x) {
    if (x) x->is_pil_image = true;
    return x;
}

Tensor *tg_like_image(const Tensor *img, Tensor *y) {
    return y && y != img && img->is_pil_image ? tg_mark_pil(y) : y;
}

tg_Planes tg_planes(Tensor *img) {
    const int64_t h = tg_image_height(img), w = tg_image_width(img);
    return (tg_Planes){tg_data(img), h && w ? tg_numel(img) / (h * w) : 0, h, w};
}

Tensor *tg_new_pil(const Tensor *img, int64_t height, int64_t width) {
    int64_t shape[T_MAX_DIMS];
    memcpy(shape, img->shape, sizeof shape);
    shape[img->ndim - 2] = height;
    shape[img->ndim - 1] = width;
    return tg_mark_pil(tg_empty(shape, img->ndim, t_uint8));
}

bool tg_has_alpha(const Tensor *img) {
    const int64_t channels = tg_image_channels(img);
    return tg_is_pil(img) && (channels == 2 || channels == 4);
}

int64_t tg_image_count(const Tensor *img) {
    int64_t count = 1;
    for (int d = 0; d < img->ndim - 3; d++) count *= img->shape[d];
    return count;
}

bool tg_check_channels(const Tensor *img) {
    const int64_t c = tg_image_channels(img);
    return c == 1 || c == 3 ||
           tg_fail("Input image tensor permitted channel values are [1, 3], but found %lld", (long long)c);
}

bool tg_no_value(const transforms_Values *v) {
    return !v || (v->count < 0 && isnan(v->items[0]));
}

int tg_values_count(const transforms_Values *v, int expected) {
    return tg_no_value(v) ? 0 : v->count < 0 ? 1 : v->count > 0 ? v->count : expected;
}

double tg_largest_pixel(t_DType dtype) {
    return tg_is_floating(dtype) || dtype == t_bool ? 1 : tg_largest(dtype);
}

Tensor *tg_rounded_to(Tensor *y, t_DType dtype) {
    if (!y || y->dtype == dtype) return y;
    return t_to(tg_is_integral(dtype) ? t_round(y, 0) : y, dtype);
}

/* ---- to tensors ---- */

/* TF.to_tensor(pic): a PIL image (C, H, W), or an array (H, W) or (H, W, C), as a tensor (C, H, W); uint8 is divided by
 * 255 and gets the default dtype. Errors: an array of other dims; one of more than four channels, which is probably an
 * image tensor (C, H, W) already. */
Tensor *TF_to_tensor(Tensor *pic) {
    if (!tg_check_any(pic, 1)) return NULL;
    if (!pic->is_pil_image && pic->ndim != 2 && pic->ndim != 3)
        return tg_fail("pic should be 2/3 dimensional. Got %d dimensions.", pic->ndim);
    if (!pic->is_pil_image && pic->ndim == 3 && pic->shape[2] > 4 && pic->shape[0] <= 4)
        return tg_fail("pic should be PIL Image or ndarray (H, W, C). Got a tensor of shape %s, which is an image (C, "
                       "H, W) already: transforms_ConvertImageDtype(t_float32) scales it to [0, 1], and "
                       "transforms_ToPILImage() makes it a PIL image",
                       tg_shape_of(pic));
    const int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *chw = t_contiguous(pic->ndim == 2      ? t_unsqueeze(pic, 0)
                               : pic->is_pil_image ? pic
                                                   : t_permute(pic, (const int64_t[]){2, 0, 1}, 3));
    if (!chw) return tg_scope_return(depth, NULL);
    if (pic->dtype != t_uint8) return tg_scope_return(depth, t_clone(chw));
    if (tg_default_dtype() != t_float32) return tg_scope_return(depth, t_div(t_to(chw, tg_default_dtype()), N(255)));
    Tensor *y = tg_empty(chw->shape, chw->ndim, t_float32);
    if (y) {
        float *to = tg_data(y);
        const uint8_t *from = tg_data(chw);
        for (int64_t i = 0, n = tg_numel(chw); i < n; i++) to[i] = (float)from[i] / 255.0f;
    }
    return tg_scope_return(depth, y);
}

/* TF.pil_to_tensor(pic): the same values as a tensor (C, H, W). Error: no PIL image. */
Tensor *TF_pil_to_tensor(Tensor *pic) {
    if (!tg_check_image(pic)) return NULL;
    if (!pic->is_pil_image) return tg_fail("pic should be PIL Image. Got <class 'torch.Tensor'>");
    const int depth = t_scope_open();
    return depth ? tg_scope_return(depth, t_clone(pic->ndim == 2 ? t_unsqueeze(pic, 0) : pic)) : NULL;
}

/* TF.to_pil_image(pic): a PIL image of a tensor (C, H, W) or (H, W) of up to four channels. Floating values in [0, 1]
 * are multiplied by 255 and truncated; uint8 stays. Errors: other dims or dtypes, more channels. */
Tensor *TF_to_pil_image(Tensor *pic) {
    if (!tg_check_any(pic, 1)) return NULL;
    if (pic->ndim != 2 && pic->ndim != 3)
        return tg_fail("pic should be 2/3 dimensional. Got %d dimensions.", pic->ndim);
    if (pic->ndim == 3 && pic->shape[0] > 4)
        return tg_fail("pic should not have > 4 channels. Got %lld channels.", (long long)pic->shape[0]);
    if (pic->dtype != t_uint8 && !tg_is_floating(pic->dtype))
        return tg_fail("Input type %s is not supported", tg_dtype_name(pic->dtype));
    const int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *x = t_detach(pic);
    if (tg_is_floating(pic->dtype)) {
        /* NumPy's conversion of a float to uint8: truncated, and modulo 256 */
        x = t_to(t_to(t_mul(x, N(255)), t_int32), t_uint8);
    }
    x = t_contiguous(x);
    return tg_scope_return(depth, tg_mark_pil(x && x->ndim == 2 ? t_clone(t_unsqueeze(x, 0)) : t_clone(x)));
}

/* TF.convert_image_dtype(image, dtype): scales from the range of one dtype to that of the other: an integer's is 0 to
 * its largest value, a floating dtype's 0 to 1. Error: a float whose integers cannot hold the result exactly. */
Tensor *TF_convert_image_dtype(Tensor *image, t_DType dtype) {
    if (!tg_check_any(image, 1) || !tg_check_dtype(dtype)) return NULL;
    if (dtype == 0) dtype = t_float32;
    if (image->dtype == dtype) return image;
    const t_DType from = image->dtype;
    const double from_max = tg_largest_pixel(from), to_max = tg_largest_pixel(dtype);
    if (tg_is_floating(from)) {
        if (tg_is_floating(dtype)) return t_to(image, dtype);
        if ((from == t_float32 && (dtype == t_int32 || dtype == t_int64)) || (from == t_float64 && dtype == t_int64))
            return tg_fail("The cast from %s to %s cannot be performed safely.", t_dtype_repr(from),
                           t_dtype_repr(dtype));
        const int depth = t_scope_open();
        return depth ? tg_scope_return(depth, t_to(t_mul(image, N(to_max + 1.0 - 1e-3)), dtype)) : NULL;
    }
    const int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = NULL;
    if (tg_is_floating(dtype)) {
        y = t_div(t_to(image, dtype), N(from_max));
    } else { /* the quotient of two powers of two, exact as doubles up to int64's 2^63 */
        const double factor =
            from_max > to_max ? floor((from_max + 1) / (to_max + 1)) : floor((to_max + 1) / (from_max + 1));
        y = from_max > to_max ? t_to(t_div_mode(image, t_integer((int64_t)factor), "floor"), dtype)
                              : t_mul(t_to(image, dtype), t_integer((int64_t)factor));
    }
    return tg_scope_return(depth, y);
}

/* ---- TF.normalize ---- */

/* 1-D of the values in the dtype, as (C, 1, 1). */
static Tensor *channel_values(const transforms_Values *v, int count, t_DType dtype) {
    const int64_t shape[] = {count, 1, 1};
    const t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
    return t_tensor_from_data(v->items, t_float64, shape, 3, &options);
}

/* (x - mean) / std in one loop, with the same roundings: float32, contiguous, no gradient. */
static Tensor *normalize_float(Tensor *x, const transforms_Values *mean, int means, const transforms_Values *std,
                               int stds) {
    const int64_t C = tg_image_channels(x), plane = tg_image_height(x) * tg_image_width(x);
    Tensor *y = tg_empty(x->shape, x->ndim, t_float32);
    if (!y) return NULL;
    const float *from = tg_data(x);
    float *to = tg_data(y);
    for (int64_t i = 0, count = plane ? tg_numel(x) / plane : 0; i < count; i++) {
        const float m = (float)mean->items[means == 1 ? 0 : i % C], s = (float)std->items[stds == 1 ? 0 : i % C];
        for (int64_t j = i * plane; j < (i + 1) * plane; j++) to[j] = (from[j] - m) / s;
    }
    return y;
}

/* TF.normalize(tensor, mean, std): (tensor - mean) / std, each a value for all channels or one for each. Errors: not
 * floating, fewer than three dims, a std that is 0 in the tensor's dtype. */
Tensor *TF_normalize(Tensor *tensor, const transforms_Values *mean, const transforms_Values *std, bool inplace) {
    if (!tg_check_image(tensor)) return NULL;
    if (tensor->is_pil_image) return tg_fail("img should be Tensor Image. Got <class 'PIL.Image.Image'>");
    if (tg_no_value(mean) || tg_no_value(std))
        return t_error() ? NULL : tg_fail("argument %d is NULL where numbers are expected", tg_no_value(mean) ? 2 : 3);
    if (!tg_is_floating(tensor->dtype))
        return tg_fail("Input tensor should be a float tensor. Got %s.", t_dtype_repr(tensor->dtype));
    if (tensor->ndim < 3)
        return tg_fail("Expected tensor to be a tensor image of size (..., C, H, W). Got tensor.size() = %s",
                       t_size_repr(tensor));
    const int64_t C = tg_image_channels(tensor);
    const int channels = C < TRANSFORMS_MAX_VALUES ? (int)C : TRANSFORMS_MAX_VALUES;
    const int means = tg_values_count(mean, channels), stds = tg_values_count(std, channels);
    for (int i = 0; i < stds; i++)
        if ((tensor->dtype == t_float64 ? std->items[i] : (double)(float)std->items[i]) == 0)
            return tg_fail("std evaluated to zero after conversion to %s, leading to division by zero.",
                           t_dtype_repr(tensor->dtype));
    const int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = NULL;
    const bool fits = (means == 1 || means == C) && (stds == 1 || stds == C);
    if (fits && tensor->dtype == t_float32 && tg_is_contiguous(tensor) && !t_requires_grad(tensor))
        y = normalize_float(tensor, mean, means, std, stds);
    else
        y = t_div(t_sub(tensor, channel_values(mean, means, tensor->dtype)), channel_values(std, stds, tensor->dtype));
    if (y && y->shape[y->ndim - 3] != C) /* three means of a gray image, say */
        y = tg_fail("output with shape %s doesn't match the broadcast shape %s", tg_shape_of(tensor), tg_shape_of(y));
    if (y && inplace) y = t_copy_(tensor, y);
    return tg_scope_return(depth, y);
}
