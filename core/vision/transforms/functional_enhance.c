/* core/vision/transforms/functional_enhance.c: TF.adjust_sharpness, autocontrast, equalize. */
#include <math.h>
#include <string.h>

#include "core/ops/pointwise/pointwise_internal.h"
#include "core/vision/transforms/functional_internal.h"
#include "nn/functional/convolution/convolution.h"

static bool check_dims(const Tensor *img) {
    if (!tg_check_image(img)) return false;
    return img->ndim >= 3 ||
           tg_fail("Input image tensor should have at least 3 dimensions, but found %d", img->ndim);
}

/* ---- sharpness: a blend with the smoothed image, whose border is the image's ---- */

static Tensor *sharpen_pil(Tensor *img, double factor) {
    Tensor *x = t_contiguous(img), *y = x ? tg_new_pil(img, tg_image_height(img), tg_image_width(img)) : NULL;
    if (!y) return NULL;
    const tg_Planes from = tg_planes(x), to = tg_planes(y);
    const int64_t n = from.height * from.width, channels = tg_image_channels(img);
    tg_pil_smooth(&from, &to);
    for (int64_t i = 0; i < from.count; i++) {
        if (tg_has_alpha(img) && i % channels == channels - 1) memcpy(to.data + i * n, from.data + i * n, (size_t)n);
        tg_pil_blend(to.data + i * n, from.data + i * n, to.data + i * n, n, factor);
    }
    return y;
}

/* The mean of 3 x 3 pixels, the middle one weighing 5. */
static Tensor *smoothed(Tensor *img) {
    const int64_t C = tg_image_channels(img), h = tg_image_height(img), w = tg_image_width(img);
    const int64_t n = tg_image_count(img);
    const t_DType dtype = tg_is_floating(img->dtype) ? img->dtype : t_float32;
    const t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
    const double weights[9] = {1, 1, 1, 1, 5, 1, 1, 1, 1};
    Tensor *kernel = t_div(t_tensor_from_data(weights, t_float64, (const int64_t[]){1, 1, 3, 3}, 4, &options), N(13));
    kernel = t_expand(kernel, (const int64_t[]){C, 1, 3, 3}, 4);
    Tensor *x = t_to(t_reshape(img, (const int64_t[]){n, C, h, w}, 4), dtype);
    F_ConvOptions conv = F_ConvDefaults;
    conv.groups = C;
    Tensor *inner = x && kernel ? tg_rounded_to(F_conv2d(x, t_contiguous(kernel), NULL, &conv), img->dtype) : NULL;
    Tensor *y = t_clone(img), *middle = y ? t_narrow(t_narrow(y, -2, 1, h - 2), -1, 1, w - 2) : NULL;
    if (!inner || !middle) return NULL;
    inner = t_reshape(inner, middle->shape, middle->ndim);
    return inner && t_copy_(middle, inner) ? y : NULL;
}

/* TF.adjust_sharpness(img, factor): 0 gives the smoothed image, 1 the image, 2 a sharper one. Errors: a negative
 * factor, channels other than 1 and 3. */
Tensor *TF_adjust_sharpness(Tensor *img, double sharpness_factor) {
    if (!check_dims(img)) return NULL;
    const bool is_pil = tg_is_pil(img);
    if (!is_pil && sharpness_factor < 0)
        return tg_fail("sharpness_factor (%s) is not non-negative.", tg_number_text(sharpness_factor));
    if (!is_pil && !tg_check_channels(img)) return NULL;
    if (!is_pil && (tg_image_height(img) <= 2 || tg_image_width(img) <= 2)) return img;
    const int depth = t_scope_open();
    if (!depth) return NULL;
    if (is_pil) return tg_scope_return(depth, sharpen_pil(img, sharpness_factor));
    Tensor *other = smoothed(img);
    return tg_scope_return(depth, other ? tg_blend_images(img, other, sharpness_factor) : NULL);
}

/* ---- autocontrast, equalize: each channel by itself ---- */

typedef void (*Table)(const int64_t histogram[256], int64_t n, uint8_t table[256]);

/* The darkest value becomes 0, the lightest 255. */
static void autocontrast_table(const int64_t histogram[256], int64_t n, uint8_t table[256]) {
    int low = 0, high = 255;
    (void)n;
    while (low < 255 && !histogram[low]) low++;
    while (high > 0 && !histogram[high]) high--;
    const double scale = high > low ? 255.0 / (high - low) : 1, offset = high > low ? -low * scale : 0;
    for (int i = 0; i < 256; i++) {
        const int value = (int)(i * scale + offset);
        table[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
}

/* The cumulative histogram, in 255 steps of equally many pixels. */
static void equalize_table(const int64_t histogram[256], int64_t n, uint8_t table[256]) {
    int last = 255;
    while (last > 0 && !histogram[last]) last--;
    const int64_t step = (n - histogram[last]) / 255;
    int64_t sum = step / 2;
    for (int i = 0; i < 256; sum += histogram[i++])
        table[i] = step == 0 ? (uint8_t)i : sum / step > 255 ? 255 : (uint8_t)(sum / step);
}

/* uint8 images: a table for each plane, made from its histogram. */
static Tensor *map_planes(Tensor *img, Table make) {
    Tensor *x = t_contiguous(img), *y = x ? tg_empty(img->shape, img->ndim, t_uint8) : NULL;
    if (!y) return NULL;
    const tg_Planes from = tg_planes(x), to = tg_planes(y);
    const int64_t n = from.height * from.width;
    for (int64_t i = 0; i < from.count; i++) {
        int64_t histogram[256] = {0};
        uint8_t table[256];
        for (int64_t k = 0; k < n; k++) histogram[from.data[i * n + k]]++;
        make(histogram, n, table);
        for (int64_t k = 0; k < n; k++) to.data[i * n + k] = table[from.data[i * n + k]];
    }
    return tg_like_image(img, y);
}

static Tensor *pil_mode_error(const Tensor *img) {
    return tg_fail("not supported for mode %s", tg_image_channels(img) == 2 ? "LA" : "RGBA");
}

/* TF.autocontrast(img): each channel is scaled so that its smallest value becomes 0 and its largest 255, of floats 1; a
 * channel of one value stays. Errors: channels other than 1 and 3. */
Tensor *TF_autocontrast(Tensor *img) {
    if (!check_dims(img)) return NULL;
    if (tg_has_alpha(img)) return pil_mode_error(img);
    if (!tg_is_pil(img) && !tg_check_channels(img)) return NULL;
    const int depth = t_scope_open();
    if (!depth) return NULL;
    if (tg_is_pil(img)) return tg_scope_return(depth, map_planes(img, autocontrast_table));
    const t_DType dtype = tg_is_floating(img->dtype) ? img->dtype : t_float32;
    const double bound = tg_largest_pixel(img->dtype);
    const int64_t plane[] = {-2, -1};
    Tensor *low = t_to(t_amin(img, plane, 2, true), dtype), *high = t_to(t_amax(img, plane, 2, true), dtype);
    Tensor *scale = t_div(N(bound), t_sub(high, low)), *is_finite = t_isfinite(scale);
    low = t_where(is_finite, low, N(0));
    scale = t_where(is_finite, scale, N(1));
    return tg_scope_return(depth, t_to(t_clamp(t_mul(t_sub(img, low), scale), N(0), N(bound)), img->dtype));
}

/* TF.equalize(img): each channel's values are spread so that all occur about equally often. Errors: a dtype that is not
 * uint8, channels other than 1 and 3, dims other than 3 and 4. */
Tensor *TF_equalize(Tensor *img) {
    if (!tg_check_image(img)) return NULL;
    if (tg_has_alpha(img)) return pil_mode_error(img);
    if (!tg_is_pil(img)) {
        if (img->ndim != 3 && img->ndim != 4)
            return tg_fail("Input image tensor should have 3 or 4 dimensions, but found %d", img->ndim);
        if (img->dtype != t_uint8)
            return tg_fail("Only torch.uint8 image tensors are supported, but found %s", t_dtype_repr(img->dtype));
        if (!tg_check_channels(img)) return NULL;
    }
    const int depth = t_scope_open();
    return depth ? tg_scope_return(depth, map_planes(img, equalize_table)) : NULL;
}
