/* core/vision/transforms/functional_geometry.c: TF.resize, crop, pad, flip, rotate, affine. */
#include <math.h>
#include <string.h>

#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/size_arithmetic.h"
#include "core/vision/transforms/functional_internal.h"
#include "nn/functional/vision/vision.h"

/* ---- resize ---- */

static bool check_size(const int64_t *size, int count, const char *message) {
    if (count < 1 || count > 2 || !size) return tg_fail("%s", message);
    return (size[0] > 0 && size[count - 1] > 0) || tg_fail("height and width must be > 0");
}

/* The new height and width: of one number for the shorter edge, and at most max_size for the longer. */
static bool output_size(const Tensor *img, const int64_t *size, int count, int64_t max_size, int64_t out[2]) {
    const int64_t h = tg_image_height(img), w = tg_image_width(img);
    if (count == 2) {
        out[0] = size[0], out[1] = size[1];
        return true;
    }
    const int64_t shorter = w <= h ? w : h, longer = w <= h ? h : w;
    if (shorter == 0) return tg_fail("height and width must be > 0");
    int64_t new_short = size[0], new_long = (int64_t)((double)tg_size_mul(size[0], longer) / (double)shorter);
    if (max_size != T_NONE) {
        if (max_size <= size[0])
            return tg_fail("max_size = %lld must be strictly greater than the requested size for the smaller edge size "
                           "= [%lld]",
                           (long long)max_size, (long long)size[0]);
        if (new_long > max_size) {
            new_short = (int64_t)((double)tg_size_mul(max_size, new_short) / (double)new_long);
            new_long = max_size;
        }
    }
    out[0] = w <= h ? new_long : new_short;
    out[1] = w <= h ? new_short : new_long;
    return true;
}

static Tensor *resize_pil(Tensor *img, const int64_t size[2], transforms_InterpolationMode mode) {
    const bool nearest = mode == InterpolationMode_NEAREST || mode == InterpolationMode_NEAREST_EXACT;
    const bool alpha = tg_has_alpha(img) && !nearest;
    Tensor *x = alpha ? t_clone(t_contiguous(img)) : t_contiguous(img);
    Tensor *y = x ? tg_new_pil(img, size[0], size[1]) : NULL;
    if (!y) return NULL;
    const tg_Planes from = tg_planes(x), to = tg_planes(y);
    const int channels = (int)tg_image_channels(img);
    const int64_t images = alpha ? tg_image_count(img) : 0, n = from.height * from.width, m = to.height * to.width;
    for (int64_t i = 0; i < images; i++) tg_pil_premultiply(from.data + i * channels * n, channels, n);
    if (!tg_pil_resize(&from, &to, mode)) return NULL;
    for (int64_t i = 0; i < images; i++) tg_pil_unpremultiply(to.data + i * channels * m, channels, m);
    return y;
}

static Tensor *resize_tensor(Tensor *img, const int64_t size[2], transforms_InterpolationMode mode, bool antialias) {
    static const char *const modes[] = {"nearest", "nearest-exact", "bilinear", "bicubic", "box", "hamming", "lanczos"};
    const bool smooth = mode == InterpolationMode_BILINEAR || mode == InterpolationMode_BICUBIC;
    if (mode > InterpolationMode_BICUBIC)
        return tg_fail("Interpolation mode '%s' is unsupported with Tensor input", modes[mode]);
    Tensor *x = img;
    for (int d = img->ndim; x && d < 4; d++) x = t_unsqueeze(x, 0);
    if (img->dtype != t_float32 && img->dtype != t_float64) x = t_to(x, t_float32);
    F_InterpolateOptions options = F_InterpolateDefaults;
    options.output_size[0] = size[0], options.output_size[1] = size[1];
    options.mode = modes[mode];
    options.antialias = smooth && antialias;
    Tensor *y = F_interpolate(x, &options);
    if (mode == InterpolationMode_BICUBIC && img->dtype == t_uint8) y = t_clamp(y, N(0), N(255));
    for (int d = img->ndim; y && d < 4; d++) y = t_squeeze(y, 0);
    return tg_rounded_to(y, img->dtype);
}

/* TF.resize(img, size, interpolation, max_size, antialias): a tensor by F.interpolate in float32, rounded to its dtype;
 * a PIL image by Image.resize, always with antialiasing. An image that has the size already is returned as it is.
 * Errors: a size that is not positive, max_size not above the shorter edge, a mode that tensors do not have. */
Tensor *TF_resize(Tensor *img, const int64_t *size, int count, transforms_InterpolationMode interpolation,
                  int64_t max_size, bool antialias) {
    int64_t out[2];
    if (!tg_check_image(img)) return NULL;
    if (!check_size(size, count, "Size must be an int or a 1 or 2 element tuple/list")) return NULL;
    if (max_size != T_NONE && count != 1)
        return tg_fail("max_size should only be passed if size specifies the length of the smaller edge, i.e. size "
                       "should be an int or a sequence of length 1 in torchscript mode.");
    if ((unsigned)interpolation > InterpolationMode_LANCZOS)
        return tg_fail("Argument interpolation should be a InterpolationMode");
    if (!output_size(img, size, count, max_size, out)) return NULL;
    if (out[0] < 1 || out[1] < 1) return tg_fail("height and width must be > 0");
    if (tg_image_height(img) == out[0] && tg_image_width(img) == out[1]) return img;
    if (tg_numel(img) == 0) return tg_fail("height and width must be > 0");
    const int depth = t_scope_open();
    if (!depth) return NULL;
    return tg_scope_return(depth, tg_is_pil(img)
                                      ? resize_pil(img, out, interpolation)
                                      : tg_like_image(img, resize_tensor(img, out, interpolation, antialias)));
}

/* ---- pad ---- */

/* left, top, right, bottom */
static bool parse_padding(const int64_t *padding, int count, int64_t pads[4]) {
    if (!padding || (count != 1 && count != 2 && count != 4))
        return tg_fail("Padding must be an int or a 1, 2, or 4 element tuple, not a %d element tuple", count);
    for (int i = 0; i < 4; i++) pads[i] = padding[count == 1 ? 0 : count == 2 ? i % 2 : i];
    return true;
}

/* The positions along a dim of n from -before to n + after, mapped into it. */
static Tensor *padded_indices(int64_t n, int64_t before, int64_t after, const char *mode) {
    const int64_t size = n + before + after;
    if (n < 1 || size < 0) return tg_fail("can't extend empty axis using modes other than 'constant' or 'empty'");
    Tensor *index = tg_empty(&size, 1, t_int64);
    if (!index) return NULL;
    int64_t *to = tg_data(index);
    const bool edge = strcmp(mode, "edge") == 0, reflect = strcmp(mode, "reflect") == 0;
    const int64_t period = reflect ? 2 * (n - 1) : 2 * n;
    for (int64_t i = 0; i < size; i++) {
        int64_t at = i - before;
        if (edge) {
            at = at < 0 ? 0 : at >= n ? n - 1 : at;
        } else if (at < 0 || at >= n) {
            at = period ? (at % period + period) % period : 0;
            if (at >= n) at = reflect ? period - at : period - 1 - at;
        }
        to[i] = at;
    }
    return index;
}

/* The pads of a constant, one for all channels or one for each. */
static Tensor *pad_constant(Tensor *img, const int64_t pads[4], const transforms_Values *fill) {
    const int64_t p[] = {pads[0], pads[2], pads[1], pads[3]}, C = tg_image_channels(img);
    const int count = tg_no_value(fill) ? 0 : tg_values_count(fill, (int)C);
    if (count > 1 && !img->is_pil_image) return tg_fail("Got inappropriate fill arg");
    if (count > 1 && count != C)
        return tg_fail("The number of elements in 'fill' does not match the number of channels of the image (%d != "
                       "%lld)",
                       count, (long long)C);
    if (count <= 1 || img->ndim < 3) return F_pad(img, p, 4, "constant", count ? fill->items[0] : 0);
    t_TensorList *planes = t_unbind(img, -3), *padded = t_list_new(NULL, 0);
    for (int c = 0; planes && padded && c < count; c++) {
        Tensor *plane = F_pad(planes->items[c], p, 4, "constant", trunc(fill->items[c]));
        if (!plane || !t_list_append(padded, plane)) return NULL;
    }
    return planes && padded ? t_stack(padded, -3) : NULL;
}

static Tensor *pad_copies(Tensor *img, const int64_t pads[4], const char *mode) {
    const int64_t h = tg_image_height(img), w = tg_image_width(img);
    const bool reflect = strcmp(mode, "reflect") == 0;
    if (reflect && !img->is_pil_image) /* torch's error for a pad that is as large as the image */
        for (int i = 0; i < 4; i++)
            if (pads[i] >= (i % 2 ? h : w))
                return tg_fail("Padding size should be less than the corresponding input dimension, but got: padding "
                               "(%lld, %lld) at dimension %d of input %s",
                               (long long)pads[i % 2], (long long)pads[i % 2 + 2], i % 2 ? 2 : 3, tg_shape_of(img));
    Tensor *x = img;
    int64_t left = pads[0], top = pads[1], right = pads[2], bottom = pads[3];
    if (left < 0 || top < 0 || right < 0 || bottom < 0) { /* a negative pad crops */
        x = t_slice(x, -2, top < 0 ? -top : 0, bottom < 0 ? h + bottom : h, 1);
        x = t_slice(x, -1, left < 0 ? -left : 0, right < 0 ? w + right : w, 1);
        left = left < 0 ? 0 : left, top = top < 0 ? 0 : top;
        right = right < 0 ? 0 : right, bottom = bottom < 0 ? 0 : bottom;
    }
    if (!x) return NULL;
    Tensor *rows = padded_indices(tg_image_height(x), top, bottom, mode);
    Tensor *columns = padded_indices(tg_image_width(x), left, right, mode);
    return rows && columns ? t_index_select(t_index_select(x, -2, rows), -1, columns) : NULL;
}

/* TF.pad(img, padding, fill, padding_mode): padding_mode "constant" (fill: a number, or of PIL images one for each
 * channel), "edge", "reflect" (without the edge) or "symmetric" (with it). Negative paddings crop. Errors: another
 * number of paddings, another mode, a reflection that is larger than the image. */
Tensor *TF_pad(Tensor *img, const int64_t *padding, int count, const transforms_Values *fill,
               const char *padding_mode) {
    int64_t pads[4];
    if (!tg_check_image(img) || !parse_padding(padding, count, pads)) return NULL;
    const char *mode = padding_mode ? padding_mode : "constant";
    if (strcmp(mode, "constant") != 0 && strcmp(mode, "edge") != 0 && strcmp(mode, "reflect") != 0 &&
        strcmp(mode, "symmetric") != 0)
        return tg_fail("Padding mode should be either constant, edge, reflect or symmetric");
    const int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = strcmp(mode, "constant") == 0 ? pad_constant(img, pads, fill) : pad_copies(img, pads, mode);
    return tg_scope_return(depth, tg_like_image(img, y));
}

/* ---- crop ---- */

/* TF.crop(img, top, left, height, width): img[..., top : top + height, left : left + width], with zeros where that is
 * outside of the image. */
Tensor *TF_crop(Tensor *img, int64_t top, int64_t left, int64_t height, int64_t width) {
    if (!tg_check_image(img)) return NULL;
    if (height < 0 || width < 0) return tg_fail("height and width must not be negative");
    const int64_t h = tg_image_height(img), w = tg_image_width(img);
    const int64_t right = tg_size_add(left, width), bottom = tg_size_add(top, height);
    const int depth = t_scope_open();
    if (!depth) return NULL;
    const int64_t y0 = top < 0 ? 0 : top > h ? h : top, x0 = left < 0 ? 0 : left > w ? w : left;
    const int64_t y1 = bottom < y0 ? y0 : bottom > h ? h : bottom, x1 = right < x0 ? x0 : right > w ? w : right;
    Tensor *y = t_slice(t_slice(img, -2, y0, y1, 1), -1, x0, x1, 1);
    if (y && (left < 0 || top < 0 || right > w || bottom > h)) {
        const int64_t before_x = left < 0 ? (left > -width ? -left : width) : 0;
        const int64_t before_y = top < 0 ? (top > -height ? -top : height) : 0;
        const int64_t pads[] = {before_x, width - before_x - (x1 - x0), before_y, height - before_y - (y1 - y0)};
        y = F_pad(y, pads, 4, "constant", 0);
    }
    return tg_scope_return(depth, tg_like_image(img, y));
}

/* TF.center_crop(img, output_size): the middle (h, w), or a square of one size; a smaller image is padded with
 * zeros. */
Tensor *TF_center_crop(Tensor *img, const int64_t *size, int count) {
    if (!tg_check_image(img)) return NULL;
    if (!check_size(size, count, "Please provide only two dimensions (h, w) for size.")) return NULL;
    const int64_t th = size[0], tw = size[count - 1];
    int64_t h = tg_image_height(img), w = tg_image_width(img);
    const int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *x = img;
    if (tw > w || th > h) {
        const int64_t dx = tw > w ? tw - w : 0, dy = th > h ? th - h : 0;
        x = TF_pad(img, (const int64_t[]){dx / 2, dy / 2, (dx + 1) / 2, (dy + 1) / 2}, 4, NULL, "constant");
        if (!x) return tg_scope_return(depth, NULL);
        h = tg_image_height(x), w = tg_image_width(x);
        if (th == h && tw == w) return tg_scope_return(depth, x);
    }
    return tg_scope_return(
        depth, TF_crop(x, (int64_t)rint((double)(h - th) / 2), (int64_t)rint((double)(w - tw) / 2), th, tw));
}

Tensor *TF_resized_crop(Tensor *img, int64_t top, int64_t left, int64_t height, int64_t width, const int64_t *size,
                        int count, transforms_InterpolationMode interpolation, bool antialias) {
    const int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *x = TF_crop(img, top, left, height, width);
    return tg_scope_return(depth, x ? TF_resize(x, size, count, interpolation, T_NONE, antialias) : NULL);
}

static bool append_crop(t_TensorList *list, Tensor *crop) {
    return list && crop && t_list_append(list, crop);
}

static bool append_five(t_TensorList *list, Tensor *img, int64_t th, int64_t tw) {
    const int64_t h = tg_image_height(img), w = tg_image_width(img), size[] = {th, tw};
    return append_crop(list, TF_crop(img, 0, 0, th, tw)) && append_crop(list, TF_crop(img, 0, w - tw, th, tw)) &&
           append_crop(list, TF_crop(img, h - th, 0, th, tw)) &&
           append_crop(list, TF_crop(img, h - th, w - tw, th, tw)) && append_crop(list, TF_center_crop(img, size, 2));
}

static bool check_crops(const Tensor *img, const int64_t *size, int count) {
    if (!tg_check_image(img)) return false;
    if (!check_size(size, count, "Please provide only two dimensions (h, w) for size.")) return false;
    const int64_t th = size[0], tw = size[count - 1], h = tg_image_height(img), w = tg_image_width(img);
    return (tw <= w && th <= h) || tg_fail("Requested crop size (%lld, %lld) is bigger than input size (%lld, %lld)",
                                           (long long)th, (long long)tw, (long long)h, (long long)w);
}

/* TF.five_crop(img, size): the four corners (top left, top right, bottom left, bottom right) and the centre. Error: a
 * size that is larger than the image. */
t_TensorList *TF_five_crop(Tensor *img, const int64_t *size, int count) {
    if (!check_crops(img, size, count)) return NULL;
    t_TensorList *list = t_list_new(NULL, 0);
    return append_five(list, img, size[0], size[count - 1]) ? list : NULL;
}

/* TF.ten_crop(img, size, vertical_flip): the five crops of the image and those of its mirror image. */
t_TensorList *TF_ten_crop(Tensor *img, const int64_t *size, int count, bool vertical_flip) {
    if (!check_crops(img, size, count)) return NULL;
    t_TensorList *list = t_list_new(NULL, 0);
    Tensor *flipped = vertical_flip ? TF_vflip(img) : TF_hflip(img);
    return flipped && append_five(list, img, size[0], size[count - 1]) &&
                   append_five(list, flipped, size[0], size[count - 1])
               ? list
               : NULL;
}

/* ---- flip ---- */

Tensor *TF_hflip(Tensor *img) {
    return tg_check_image(img) ? tg_like_image(img, t_flip(img, (const int64_t[]){-1}, 1)) : NULL;
}

Tensor *TF_vflip(Tensor *img) {
    return tg_check_image(img) ? tg_like_image(img, t_flip(img, (const int64_t[]){-2}, 1)) : NULL;
}

/* ---- rotate, affine: tensors ---- */

/* The inverse of T(translate) C R S Sh C^-1: from a pixel of the result to one of the image. C: the translation of the
 * centre; R, S, Sh: rotation clockwise, scale and shear. */
static void inverse_affine(const double center[2], double angle, const double translate[2], double scale,
                           const double shear[2], double m[6]) {
    const double rot = angle * (M_PI / 180), sx = shear[0] * (M_PI / 180), sy = shear[1] * (M_PI / 180);
    const double cx = center[0], cy = center[1], tx = translate[0], ty = translate[1];
    const double a = cos(rot - sy) / cos(sy), b = -cos(rot - sy) * tan(sx) / cos(sy) - sin(rot);
    const double c = sin(rot - sy) / cos(sy), d = -sin(rot - sy) * tan(sx) / cos(sy) + cos(rot);
    m[0] = d / scale, m[1] = -b / scale, m[2] = 0 / scale;
    m[3] = -c / scale, m[4] = a / scale, m[5] = 0 / scale;
    m[2] += m[0] * (-cx - tx) + m[1] * (-cy - ty);
    m[5] += m[3] * (-cx - tx) + m[4] * (-cy - ty);
    m[2] += cx;
    m[5] += cy;
}

/* The positions, from -1 to 1, that the pixels of an oh x ow result have in an h x w image: (1, oh, ow, 2). */
static Tensor *affine_grid(const double m[6], t_DType dtype, int64_t w, int64_t h, int64_t ow, int64_t oh) {
    const t_TensorOptions options = {.size = sizeof options, .dtype = dtype},
                          single = {.size = sizeof single, .dtype = t_float32};
    const double half_w = (double)ow * 0.5, half_h = (double)oh * 0.5;
    Tensor *theta = t_tensor_from_data(m, t_float64, (const int64_t[]){1, 2, 3}, 3, &options);
    Tensor *half = t_tensor_from_data((const double[]){0.5 * (double)w, 0.5 * (double)h}, t_float64,
                                      (const int64_t[]){2}, 1, &options);
    Tensor *x = t_to(t_linspace(-half_w + 0.5, half_w + 0.5 - 1, ow, &single), dtype);
    Tensor *y = t_to(t_linspace(-half_h + 0.5, half_h + 0.5 - 1, oh, &single), dtype);
    const int64_t plane[] = {oh, ow}, points[] = {1, tg_size_mul(oh, ow), 3}, grid[] = {1, oh, ow, 2};
    Tensor *parts[] = {t_expand(x, plane, 2), t_expand(t_unsqueeze(y, 1), plane, 2), t_ones(plane, 2, &options)};
    t_TensorList *list = t_list_new(parts, 3);
    if (!list) return NULL;
    Tensor *base = t_view(t_stack(list, -1), points, 3);
    return t_view(t_bmm(base, t_div(t_transpose(theta, 1, 2), half)), grid, 4);
}

static Tensor *fill_image(const double *values, int count, const Tensor *like) {
    const t_TensorOptions options = {.size = sizeof options, .dtype = like->dtype};
    return t_tensor_from_data(values, t_float64, (const int64_t[]){1, count, 1, 1}, 4, &options);
}

Tensor *tg_sample_grid(Tensor *img, Tensor *grid, transforms_InterpolationMode mode, const transforms_Values *fill) {
    Tensor *x = img;
    for (int d = img->ndim; x && d < 4; d++) x = t_unsqueeze(x, 0);
    x = grid ? t_to(x, grid->dtype) : NULL;
    if (!x) return NULL;
    if (x->ndim != 4) return tg_fail("rotate and affine take images of at most 4 dims, not %d", img->ndim);
    const int64_t n = x->shape[0], C = x->shape[1];
    if (n > 1) grid = t_expand(grid, (const int64_t[]){n, -1, -1, -1}, 4);
    const bool has_fill = !tg_no_value(fill);
    if (has_fill) {
        Tensor *ones = t_ones((const int64_t[]){n, 1, x->shape[2], x->shape[3]}, 4,
                              &(t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = x->dtype});
        t_TensorList *both = t_list_new((Tensor *[]){x, ones}, 2);
        x = both ? t_cat(both, 1) : NULL;
    }
    const bool nearest = mode == InterpolationMode_NEAREST;
    Tensor *y = F_grid_sample(x, grid, nearest ? "nearest" : "bilinear", "zeros", false);
    if (y && has_fill) {
        const int count = tg_values_count(fill, (int)C);
        Tensor *mask = t_narrow(y, 1, C, 1), *filling = fill_image(fill->items, count, y);
        y = t_narrow(y, 1, 0, C);
        y = nearest ? t_where(t_lt(mask, N(0.5)), filling, y)
                    : t_add(t_mul(y, mask), t_mul(t_sub(N(1), mask), filling));
    }
    for (int d = img->ndim; y && d < 4; d++) y = t_squeeze(y, 0);
    return tg_rounded_to(y, img->dtype);
}

bool tg_check_sampling(const Tensor *img, transforms_InterpolationMode mode, const transforms_Values *fill) {
    const int64_t C = tg_image_channels(img);
    const int count = tg_values_count(fill, (int)C);
    const bool is_pil = tg_is_pil(img);
    if (count > 1 && count != C)
        return tg_fail(is_pil ? "The number of elements in 'fill' does not match the number of channels of the image "
                                "(%d != %lld)"
                              : "The number of elements in 'fill' cannot broadcast to match the number of channels of "
                                "the image (%d != %lld)",
                       count, (long long)C);
    if (mode == InterpolationMode_NEAREST || mode == InterpolationMode_BILINEAR) return true;
    if (is_pil && (mode == InterpolationMode_BICUBIC || mode == InterpolationMode_NEAREST_EXACT)) return true;
    static const char *const modes[] = {"nearest", "nearest-exact", "bilinear", "bicubic", "box", "hamming", "lanczos"};
    return tg_fail("Interpolation mode '%s' is unsupported with %s input",
                   (unsigned)mode <= InterpolationMode_LANCZOS ? modes[mode] : "?", is_pil ? "PIL image" : "Tensor");
}

/* The size of a rotated image, with the matrix in float32 as torchvision computes it. */
static bool rotated_size(const double m[6], int64_t *w, int64_t *h) {
    const float theta[6] = {(float)m[0], (float)m[1], (float)m[2], (float)m[3], (float)m[4], (float)m[5]};
    int64_t *const sizes[2] = {w, h};
    const float half[2] = {(float)((double)*w * 0.5), (float)((double)*h * 0.5)}, tol = 1e-4f;
    for (int d = 0; d < 2; d++) {
        float low = INFINITY, high = -INFINITY;
        for (int corner = 0; corner < 4; corner++) {
            const float x = corner & 1 ? half[0] : -half[0], y = corner & 2 ? half[1] : -half[1];
            const float u = x * theta[3 * d] + y * theta[3 * d + 1] + theta[3 * d + 2];
            low = u < low || isnan(u) ? u : low, high = u > high || isnan(u) ? u : high; /* a NaN stays */
        }
        low += half[d], high += half[d];
        if (!tg_pixels(ceilf(truncf(high / tol) * tol) - floorf(truncf(low / tol) * tol), sizes[d])) return false;
    }
    return true;
}

/* ---- rotate, affine: PIL images ---- */

Tensor *tg_transform_pil(Tensor *img, const double *a, int coefficients, int64_t height, int64_t width,
                         transforms_InterpolationMode mode, const transforms_Values *fill) {
    const bool alpha = tg_has_alpha(img) && mode != InterpolationMode_NEAREST;
    const int channels = (int)tg_image_channels(img), count = tg_values_count(fill, channels);
    Tensor *x = alpha ? t_clone(t_contiguous(img)) : t_contiguous(img);
    Tensor *y = x ? tg_new_pil(img, height, width) : NULL;
    if (!y) return NULL;
    const tg_Planes from = tg_planes(x), to = tg_planes(y);
    const int64_t images = alpha ? tg_image_count(img) : 0, n = from.height * from.width, m = to.height * to.width;
    for (int64_t i = 0; i < to.count; i++) {
        const double value = count ? fill->items[count == 1 ? 0 : i % channels] : 0;
        memset(to.data + i * m, (int)(value < 0 ? 0 : value > 255 ? 255 : value), (size_t)m);
    }
    for (int64_t i = 0; i < images; i++) tg_pil_premultiply(from.data + i * channels * n, channels, n);
    if (coefficients == 8)
        tg_pil_perspective(&from, &to, a, mode);
    else
        tg_pil_transform(&from, &to, a, mode);
    for (int64_t i = 0; i < images; i++) tg_pil_unpremultiply(to.data + i * channels * m, channels, m);
    return y;
}

static Tensor *rotate_pil(Tensor *img, double angle, transforms_InterpolationMode mode, bool expand,
                          const double *center, const transforms_Values *fill) {
    int64_t height = tg_image_height(img), width = tg_image_width(img);
    double a[6];
    int quarters;
    if (!tg_pil_rotation(angle, expand, center, &height, &width, a, &quarters)) return NULL;
    if (quarters < 0) return tg_transform_pil(img, a, 6, height, width, mode, fill);
    return t_rot90(img, quarters, (const int64_t[]){-2, -1}, 2);
}

/* ---- rotate, affine ---- */

static const double *center_of(const transforms_Values *center) {
    return tg_no_value(center) ? NULL : center->items;
}

/* TF.rotate(img, angle, interpolation, expand, center, fill): counter-clockwise around the centre (x, y; None: the
 * middle), by degrees. expand: the result holds the whole rotated image. fill: what lies outside of the image, one
 * number or one for each channel (None: 0). Interpolation nearest or bilinear; of PIL images also bicubic. Errors:
 * another interpolation, another number of fills, a size with expand that is NaN or infinity. */
Tensor *TF_rotate(Tensor *img, double angle, transforms_InterpolationMode interpolation, bool expand,
                  const transforms_Values *center, const transforms_Values *fill) {
    if (!tg_check_image(img) || !tg_check_sampling(img, interpolation, fill)) return NULL;
    const int depth = t_scope_open();
    if (!depth) return NULL;
    if (tg_is_pil(img))
        return tg_scope_return(
            depth, tg_like_image(img, rotate_pil(img, angle, interpolation, expand, center_of(center), fill)));
    const int64_t w = tg_image_width(img), h = tg_image_height(img);
    double m[6], middle[2] = {0, 0};
    const double *c = center_of(center);
    if (c) middle[0] = c[0] - (double)w * 0.5, middle[1] = c[1] - (double)h * 0.5;
    inverse_affine(middle, -angle, (double[]){0, 0}, 1, (double[]){0, 0}, m);
    int64_t ow = w, oh = h;
    if (expand && !rotated_size(m, &ow, &oh)) return tg_scope_return(depth, NULL);
    Tensor *grid = affine_grid(m, tg_is_floating(img->dtype) ? img->dtype : t_float32, w, h, ow, oh);
    return tg_scope_return(depth, tg_like_image(img, tg_sample_grid(img, grid, interpolation, fill)));
}

/* TF.affine(img, angle, translate, scale, shear, interpolation, fill, center): rotated clockwise, then moved by
 * translate pixels, scaled and sheared (degrees). Errors: a scale that is not positive, and TF_rotate's. */
Tensor *TF_affine(Tensor *img, double angle, const int64_t translate[2], double scale, const double shear[2],
                  transforms_InterpolationMode interpolation, const transforms_Values *fill,
                  const transforms_Values *center) {
    if (!tg_check_image(img) || !tg_check_sampling(img, interpolation, fill)) return NULL;
    if (!translate || !shear) return tg_fail("argument %d is NULL where two numbers are expected", translate ? 5 : 3);
    if (!(scale > 0)) return tg_fail("Argument scale should be positive");
    const int depth = t_scope_open();
    if (!depth) return NULL;
    const int64_t w = tg_image_width(img), h = tg_image_height(img);
    const bool is_pil = tg_is_pil(img);
    const double *c = center_of(center), half_w = (double)w * 0.5, half_h = (double)h * 0.5;
    const double moved[2] = {(double)translate[0], (double)translate[1]};
    double m[6], middle[2] = {is_pil ? half_w : 0, is_pil ? half_h : 0};
    if (c) middle[0] = is_pil ? c[0] : c[0] - half_w, middle[1] = is_pil ? c[1] : c[1] - half_h;
    inverse_affine(middle, angle, moved, scale, shear, m);
    if (is_pil) return tg_scope_return(depth, tg_transform_pil(img, m, 6, h, w, interpolation, fill));
    Tensor *grid = affine_grid(m, tg_is_floating(img->dtype) ? img->dtype : t_float32, w, h, w, h);
    return tg_scope_return(depth, tg_like_image(img, tg_sample_grid(img, grid, interpolation, fill)));
}
