/* core/vision/transforms/functional_color.c: TF.adjust_*, grayscale, blur, erase. */
#include <math.h>
#include <string.h>

#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/size_arithmetic.h"
#include "core/vision/transforms/functional_internal.h"
#include "nn/functional/convolution/convolution.h"
#include "nn/functional/vision/vision.h"

/* The number of pixels of a plane. */
static int64_t plane_of(const Tensor *img) {
    return tg_image_height(img) * tg_image_width(img);
}

/* ---- grayscale ---- */

/* L = (299 R + 587 G + 114 B) / 1000 of a PIL image, one plane for each image. */
static Tensor *luma_pil(Tensor *img) {
    Tensor *x = t_contiguous(img);
    const int64_t C = tg_image_channels(img), n = plane_of(img);
    if (!x) return NULL;
    if (C <= 2) return t_clone(t_narrow(x, -3, 0, 1));
    int64_t shape[T_MAX_DIMS];
    memcpy(shape, img->shape, sizeof shape);
    shape[img->ndim - 3] = 1;
    Tensor *y = tg_empty(shape, img->ndim, t_uint8);
    for (int64_t i = 0; y && i < tg_image_count(img); i++)
        tg_pil_luma((uint8_t *)tg_data(x) + i * C * n, (uint8_t *)tg_data(y) + i * n, n);
    return y;
}

static Tensor *luma_tensor(Tensor *img) {
    if (tg_image_channels(img) == 1) return t_clone(img);
    t_TensorList *rgb = t_unbind(img, -3);
    if (!rgb) return NULL;
    Tensor *sum =
        t_add(t_add(t_mul(rgb->items[0], N(0.2989)), t_mul(rgb->items[1], N(0.587))), t_mul(rgb->items[2], N(0.114)));
    return t_unsqueeze(t_to(sum, img->dtype), -3);
}

/* TF.rgb_to_grayscale(img, num_output_channels): 0.2989 R + 0.587 G + 0.114 B, truncated for integers; of a PIL image
 * Pillow's luma. With three output channels the same values three times, but of a tensor with one. Errors: channels
 * other than 1 and 3, fewer than three dims. */
Tensor *TF_rgb_to_grayscale(Tensor *img, int64_t num_output_channels) {
    if (!tg_check_image(img)) return NULL;
    if (img->ndim < 3) return tg_fail("Input image tensor should have at least 3 dimensions, but found %d", img->ndim);
    if (!tg_is_pil(img) && !tg_check_channels(img)) return NULL;
    if (num_output_channels != 1 && num_output_channels != 3)
        return tg_fail("num_output_channels should be either 1 or 3");
    const int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = tg_is_pil(img) ? luma_pil(img) : luma_tensor(img);
    if (y && num_output_channels == 3 && (tg_is_pil(img) || tg_image_channels(img) == 3)) {
        int64_t shape[T_MAX_DIMS];
        memcpy(shape, y->shape, sizeof shape);
        shape[y->ndim - 3] = 3;
        y = t_expand(y, shape, y->ndim);
        if (tg_is_pil(img)) y = t_contiguous(y);
    }
    return tg_scope_return(depth, tg_like_image(img, y));
}

Tensor *TF_to_grayscale(Tensor *img, int64_t num_output_channels) {
    if (tg_check_image(img) && !tg_is_pil(img)) return tg_fail("Input should be PIL Image");
    return TF_rgb_to_grayscale(img, num_output_channels);
}

/* ---- brightness, contrast, saturation: blends with another image ---- */

Tensor *tg_blend_images(Tensor *img1, Tensor *img2, double ratio) {
    Tensor *sum = t_mul(img1, N(ratio));
    if (img2) sum = t_add(sum, t_mul(img2, N(1.0 - ratio)));
    return t_to(t_clamp(sum, N(0), N(tg_largest_pixel(img1->dtype))), img1->dtype);
}

typedef enum Degenerate { BLACK, MEAN_GRAY, GRAYSCALE } Degenerate;

/* What ImageEnhance blends a PIL image with: black, its mean luma, or its luma in all channels; alpha stays. */
static Tensor *enhance_pil(Tensor *img, Degenerate degenerate, double factor) {
    Tensor *x = t_contiguous(img), *luma = degenerate == BLACK ? NULL : luma_pil(img);
    Tensor *y = x ? tg_new_pil(img, tg_image_height(img), tg_image_width(img)) : NULL;
    if (!y || (degenerate != BLACK && !luma)) return NULL;
    const int64_t C = tg_image_channels(img), n = plane_of(img), images = tg_image_count(img);
    uint8_t *other = tg_alloc((size_t)n + 1);
    if (!other) return NULL;
    for (int64_t i = 0; i < images; i++) {
        const uint8_t *gray = luma ? (const uint8_t *)tg_data(luma) + i * n : NULL;
        int64_t sum = 0;
        for (int64_t j = 0; degenerate == MEAN_GRAY && j < n; j++) sum += gray[j];
        if (degenerate == MEAN_GRAY && n) memset(other, (int)((double)sum / (double)n + 0.5), (size_t)n);
        if (degenerate == GRAYSCALE && n) memcpy(other, gray, (size_t)n);
        for (int64_t c = 0; c < C; c++) {
            const uint8_t *from = (const uint8_t *)tg_data(x) + (i * C + c) * n;
            uint8_t *to = (uint8_t *)tg_data(y) + (i * C + c) * n;
            if (c + 1 == C && tg_has_alpha(img))
                memcpy(to, from, (size_t)n);
            else
                tg_pil_blend(other, from, to, n, factor);
        }
    }
    tg_free(other, (size_t)n + 1);
    return y;
}

static Tensor *adjust(Tensor *img, Degenerate degenerate, double factor, const char *name) {
    if (!tg_check_image(img)) return NULL;
    if (img->ndim < 3) return tg_fail("Input image tensor should have at least 3 dimensions, but found %d", img->ndim);
    const bool is_pil = tg_is_pil(img);
    if (!is_pil && factor < 0) return tg_fail("%s (%s) is not non-negative.", name, tg_number_text(factor));
    if (!is_pil && !tg_check_channels(img)) return NULL;
    if (degenerate == GRAYSCALE && tg_image_channels(img) == 1) return img;
    const int depth = t_scope_open();
    if (!depth) return NULL;
    if (is_pil) return tg_scope_return(depth, enhance_pil(img, degenerate, factor));
    Tensor *other = NULL;
    if (degenerate == GRAYSCALE) {
        other = TF_rgb_to_grayscale(img, 1);
    } else if (degenerate == MEAN_GRAY) {
        Tensor *gray = tg_image_channels(img) == 3 ? TF_rgb_to_grayscale(img, 1) : img;
        other = t_mean(t_to(gray, tg_is_floating(img->dtype) ? img->dtype : t_float32), (const int64_t[]){-3, -2, -1},
                       3, true);
    }
    Tensor *y = degenerate != BLACK && !other ? NULL : tg_blend_images(img, other, factor);
    return tg_scope_return(depth, tg_like_image(img, y));
}

/* TF.adjust_brightness(img, factor): 0 gives black, 1 the image. Errors, here and below: a negative factor, channels
 * other than 1 and 3. */
Tensor *TF_adjust_brightness(Tensor *img, double brightness_factor) {
    return adjust(img, BLACK, brightness_factor, "brightness_factor");
}

/* TF.adjust_contrast(img, factor): 0 gives the mean gray, 1 the image. */
Tensor *TF_adjust_contrast(Tensor *img, double contrast_factor) {
    return adjust(img, MEAN_GRAY, contrast_factor, "contrast_factor");
}

/* TF.adjust_saturation(img, factor): 0 gives the grayscale image, 1 the image. */
Tensor *TF_adjust_saturation(Tensor *img, double saturation_factor) {
    return adjust(img, GRAYSCALE, saturation_factor, "saturation_factor");
}

/* ---- hue ---- */

static Tensor *stack3(Tensor *a, Tensor *b, Tensor *c) {
    t_TensorList *list = t_list_new((Tensor *[]){a, b, c}, 3);
    return list ? t_stack(list, -3) : NULL;
}

static Tensor *shift_hue_tensor(Tensor *img, double shift) {
    t_TensorList *rgb = t_unbind(img, -3);
    if (!rgb) return NULL;
    Tensor *r = rgb->items[0], *g = rgb->items[1], *b = rgb->items[2], *index;
    Tensor *max = t_max(img, -3, false, &index), *min = t_min(img, -3, false, &index);
    Tensor *gray = t_eq(max, min), *range = t_sub(max, min);
    Tensor *s = t_div(range, t_where(gray, N(1), max)), *divisor = t_where(gray, N(1), range);
    Tensor *rc = t_div(t_sub(max, r), divisor), *gc = t_div(t_sub(max, g), divisor),
           *bc = t_div(t_sub(max, b), divisor);
    Tensor *is_r = t_eq(max, r), *is_g = t_logical_and(t_eq(max, g), t_ne(max, r)),
           *is_b = t_logical_and(t_ne(max, g), t_ne(max, r));
    Tensor *hr = t_mul(is_r, t_sub(bc, gc)), *hg = t_mul(is_g, t_sub(t_add(rc, N(2)), bc)),
           *hb = t_mul(is_b, t_sub(t_add(gc, N(4)), rc));
    Tensor *h = t_fmod(t_add(t_div(t_add(t_add(hr, hg), hb), N(6)), N(1)), N(1));
    h = t_remainder(t_add(h, N(shift)), N(1));
    /* and back: sector i of the hexagon, f within it */
    Tensor *h6 = t_mul(h, N(6)), *floor = t_floor(h6), *f = t_sub(h6, floor), *v = max;
    Tensor *i = t_remainder(t_to(floor, t_int64), t_integer(6));
    Tensor *p = t_clamp(t_mul(v, t_sub(N(1), s)), N(0), N(1));
    Tensor *q = t_clamp(t_mul(v, t_sub(N(1), t_mul(s, f))), N(0), N(1));
    Tensor *t = t_clamp(t_mul(v, t_sub(N(1), t_mul(s, t_sub(N(1), f)))), N(0), N(1));
    Tensor *const sectors[3][6] = {{v, q, p, p, t, v}, {t, v, v, q, p, p}, {p, p, t, v, v, q}};
    Tensor *colors[3] = {NULL};
    for (int c = 0; i && c < 3; c++) {
        t_TensorList *list = t_list_new(sectors[c], 6);
        colors[c] = list ? t_squeeze(t_gather(t_stack(list, -3), -3, t_unsqueeze(i, -3)), -3) : NULL;
    }
    return stack3(colors[0], colors[1], colors[2]);
}

/* TF.adjust_hue(img, factor): turns the hue by factor times 360 degrees, -0.5 to 0.5; a gray image stays. */
Tensor *TF_adjust_hue(Tensor *img, double hue_factor) {
    if (!tg_check_image(img)) return NULL;
    if (!(hue_factor >= -0.5 && hue_factor <= 0.5))
        return tg_fail("hue_factor (%s) is not in [-0.5, 0.5].", tg_number_text(hue_factor));
    const int64_t C = tg_image_channels(img), n = plane_of(img);
    const bool is_pil = tg_is_pil(img);
    if (!(is_pil && C == 2) && !tg_check_channels(img)) return NULL;
    if (C <= 2) return img;
    const int depth = t_scope_open();
    if (!depth) return NULL;
    if (is_pil) {
        Tensor *x = t_contiguous(img), *y = x ? tg_new_pil(img, tg_image_height(img), tg_image_width(img)) : NULL;
        for (int64_t i = 0; y && i < tg_image_count(img); i++)
            tg_pil_shift_hue((const uint8_t *)tg_data(x) + i * C * n, (uint8_t *)tg_data(y) + i * C * n, n,
                             (uint8_t)(int)(hue_factor * 255));
        return tg_scope_return(depth, y);
    }
    Tensor *x = TF_convert_image_dtype(img, t_float32), *y = x ? shift_hue_tensor(x, hue_factor) : NULL;
    return tg_scope_return(depth, y ? tg_like_image(img, TF_convert_image_dtype(y, img->dtype)) : NULL);
}

/* ---- gamma, invert, posterize, solarize ---- */

/* f of each byte of a PIL image. */
static Tensor *map_pil(Tensor *img, const uint8_t table[256]) {
    Tensor *x = t_contiguous(img), *y = x ? tg_new_pil(img, tg_image_height(img), tg_image_width(img)) : NULL;
    for (int64_t i = 0, n = y ? tg_numel(y) : 0; i < n; i++)
        ((uint8_t *)tg_data(y))[i] = table[((const uint8_t *)tg_data(x))[i]];
    return y;
}

/* TF.adjust_gamma(img, gamma, gain): gain x^gamma of x in [0, 1], clipped. Error: gamma < 0. */
Tensor *TF_adjust_gamma(Tensor *img, double gamma, double gain) {
    if (!tg_check_image(img)) return NULL;
    const bool is_pil = tg_is_pil(img);
    if (!is_pil && !tg_check_channels(img)) return NULL;
    if (gamma < 0) return tg_fail("Gamma should be a non-negative real number");
    const int depth = t_scope_open();
    if (!depth) return NULL;
    if (is_pil) {
        uint8_t table[256];
        for (int i = 0; i < 256; i++) {
            const double value = trunc((255 + 1 - 0.001) * gain * pow(i / 255.0, gamma));
            table[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
        return tg_scope_return(depth, map_pil(img, table));
    }
    Tensor *x = tg_is_floating(img->dtype) ? img : TF_convert_image_dtype(img, t_float32);
    Tensor *y = x ? t_clamp(t_mul(t_pow(x, N(gamma)), N(gain)), N(0), N(1)) : NULL;
    return tg_scope_return(depth, y ? TF_convert_image_dtype(y, img->dtype) : NULL);
}

static bool check_colors(const Tensor *img) {
    if (!tg_check_image(img)) return false;
    if (tg_is_pil(img)) return true;
    if (img->ndim < 3) return tg_fail("Input image tensor should have at least 3 dimensions, but found %d", img->ndim);
    return tg_check_channels(img);
}

/* TF.invert(img): 255 - x of uint8, 1 - x of floats. */
Tensor *TF_invert(Tensor *img) {
    if (!check_colors(img)) return NULL;
    const int depth = t_scope_open();
    if (!depth) return NULL;
    const double max = tg_largest_pixel(img->dtype);
    Tensor *y = t_sub(tg_is_floating(img->dtype) ? N(max) : t_integer((int64_t)max), img);
    return tg_scope_return(depth, tg_like_image(img, y));
}

/* TF.posterize(img, bits): keeps the upper bits of uint8 values. Errors: another dtype, bits not in 0 to 8. */
Tensor *TF_posterize(Tensor *img, int64_t bits) {
    if (bits < 0 || bits > 8) return tg_fail("The number if bits should be between 0 and 8. Got %lld", (long long)bits);
    if (!check_colors(img)) return NULL;
    if (img->dtype != t_uint8)
        return tg_fail("Only torch.uint8 image tensors are supported, but found %s", t_dtype_repr(img->dtype));
    const int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = t_bitwise_and(img, t_integer(~((1 << (8 - bits)) - 1) & 255));
    return tg_scope_return(depth, tg_like_image(img, y ? t_to(y, t_uint8) : NULL));
}

/* TF.solarize(img, threshold): inverts the values from the threshold on. Error: a threshold above the largest value. */
Tensor *TF_solarize(Tensor *img, double threshold) {
    if (!check_colors(img)) return NULL;
    if (!tg_is_pil(img) && threshold > tg_largest_pixel(img->dtype))
        return tg_fail("Threshold should be less than bound of img.");
    const int depth = t_scope_open();
    if (!depth) return NULL;
    return tg_scope_return(depth, tg_like_image(img, t_where(t_ge(img, N(threshold)), TF_invert(img), img)));
}

/* ---- blur ---- */

/* exp(-x^2 / (2 sigma^2)) at the offsets from the middle of the kernel, divided by their sum. */
static Tensor *gaussian_kernel(int64_t size, double sigma, t_DType dtype) {
    const double half = (double)(size - 1) * 0.5;
    Tensor *x = t_linspace(-half, half, size, &(t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = dtype});
    Tensor *pdf = t_exp(t_mul(t_pow(t_div(x, N(sigma)), N(2)), N(-0.5)));
    return t_div(pdf, t_sum(pdf, NULL, 0, false));
}

/* TF.gaussian_blur(img, kernel_size, sigma): a convolution with the product of two Gaussian kernels of odd sizes, over
 * reflected borders. kernel_size and sigma: one for both dims, or (x, y). Errors: an even size, a sigma that is not
 * positive, an image that is smaller than half of the kernel. */
Tensor *TF_gaussian_blur(Tensor *img, const int64_t *kernel_size, int count, const transforms_Values *sigma) {
    if (!tg_check_image(img)) return NULL;
    if (!kernel_size || count < 1 || count > 2)
        return tg_fail("If kernel_size is a sequence its length should be 2. Got %d", count);
    const int64_t k[2] = {kernel_size[0], kernel_size[count - 1]};
    for (int i = 0; i < 2; i++)
        if (k[i] % 2 == 0 || k[i] < 0)
            return tg_fail("kernel_size should have odd and positive integers. Got [%lld, %lld]", (long long)k[0],
                           (long long)k[1]);
    const int sigmas = tg_values_count(sigma, 2);
    if (sigmas > 2) return tg_fail("If sigma is a sequence, its length should be 2. Got %d", sigmas);
    double s[2];
    for (int i = 0; i < 2; i++) {
        s[i] = sigmas ? sigma->items[sigmas == 1 ? 0 : i] : (double)k[i] * 0.15 + 0.35;
        if (!(s[i] > 0)) return tg_fail("sigma should have positive values. Got [%s]", tg_number_text(s[i]));
    }
    const int depth = t_scope_open();
    if (!depth) return NULL;
    const t_DType dtype = tg_is_floating(img->dtype) ? img->dtype : t_float32;
    const int64_t C = tg_image_channels(img);
    Tensor *columns = t_unsqueeze(gaussian_kernel(k[1], s[1], dtype), 1),
           *rows = t_unsqueeze(gaussian_kernel(k[0], s[0], dtype), 0);
    Tensor *kernel = t_expand(t_matmul(columns, rows), (const int64_t[]){C, 1, k[1], k[0]}, 4);
    Tensor *x = img;
    for (int d = img->ndim; x && d < 4; d++) x = t_unsqueeze(x, 0);
    x = F_pad(t_to(x, dtype), (const int64_t[]){k[0] / 2, k[0] / 2, k[1] / 2, k[1] / 2}, 4, "reflect", 0);
    F_ConvOptions options = F_ConvDefaults;
    options.groups = C;
    Tensor *y = x && kernel ? F_conv2d(x, t_contiguous(kernel), NULL, &options) : NULL;
    for (int d = img->ndim; y && d < 4; d++) y = t_squeeze(y, 0);
    return tg_scope_return(depth, tg_like_image(img, tg_rounded_to(y, img->dtype)));
}

/* ---- erase ---- */

/* TF.erase(img, i, j, h, w, v): img[..., i : i + h, j : j + w] = v, in a copy or in place. Error: a PIL image. */
Tensor *TF_erase(Tensor *img, int64_t i, int64_t j, int64_t h, int64_t w, Tensor *v, bool inplace) {
    if (!tg_check_image(img) || !tg_check_any(v, 6)) return NULL;
    if (img->is_pil_image) return tg_fail("img should be Tensor Image. Got <class 'PIL.Image.Image'>");
    const int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = inplace ? img : t_clone(img);
    Tensor *part = t_slice(t_slice(y, -2, i, tg_size_add(i, h), 1), -1, j, tg_size_add(j, w), 1);
    const bool ok = part && t_copy_(part, v);
    return tg_scope_return(depth, ok ? y : NULL);
}
