/* core/plot/imread.c: plt.imread, plt.imsave. */
#include <string.h>

#include "core/plot/figure/figure.h"
#include "core/vision/io/image_internal.h"

/* ---- imread ---- */

/* (C, H, W) to float32 (H, W, C), or (H, W) for one channel: values over the largest one. */
static Tensor *to_floats(const Tensor *image) {
    const int64_t channels = image->shape[0], height = image->shape[1], width = image->shape[2];
    const int64_t shape[3] = {height, width, channels};
    /* as Pillow, colours of 16 bits have their upper 8 bits, and gray has all */
    const bool is_wide = image->dtype == t_int32, is_cut = is_wide && channels > 1;
    const float top = is_wide && !is_cut ? 65535 : 255;
    Tensor *x = tg_empty(shape, channels == 1 ? 2 : 3, t_float32);
    float *to = x ? tg_data(x) : NULL;
    for (int64_t i = 0; x && i < height * width; i++)
        for (int64_t c = 0; c < channels; c++) {
            const int64_t at =
                image->offset + c * image->strides[0] + i / width * image->strides[1] + i % width * image->strides[2];
            const int32_t value = is_wide ? ((const int32_t *)(const void *)image->storage->data)[at]
                                          : ((const uint8_t *)image->storage->data)[at];
            *to++ = (float)(is_cut ? value >> 8 : value) / top;
        }
    return x;
}

/* Pillow's way: palettes, and gray with alpha, become RGBA. Colour type and depth are bytes 25 and 24 of a PNG. */
static ImageReadMode mode_of(const uint8_t header[26]) {
    enum { PALETTE = 3, GRAY_ALPHA = 4 };
    return header[25] == PALETTE || header[25] == GRAY_ALPHA ? ImageReadMode_RGBA : ImageReadMode_UNCHANGED;
}

/* The image as bytes (H, W, C), or (H, W). */
static Tensor *to_rows(Tensor *image) {
    const int gray = image->shape[0] == 1;
    const int64_t shape[3] = {image->shape[1], image->shape[2], image->shape[0]};
    const int64_t strides[3] = {image->strides[1], image->strides[2], image->strides[0]};
    return tg_detach_from_base(tg_view(image, shape, strides, gray ? 2 : 3, image->offset));
}

/* plt.imread(fname): of PNG, float32 0 to 1; of other formats the values as they are. Errors: io_read_image's. */
Tensor *plt_imread(const char *fname) {
    uint8_t header[26] = {0};
    tg_Input in;
    if (!tg_input_open(&in, fname)) return NULL;
    const bool ok = in.size < sizeof header || tg_input_read(&in, 0, header, sizeof header);
    tg_input_close(&in);
    const bool is_png = tg_png_is(header, sizeof header);
    const io_ImageOptions options = {sizeof options, is_png ? mode_of(header) : ImageReadMode_UNCHANGED, false};
    Tensor *image = ok ? io_read_image(fname, &options) : NULL;
    if (!image) return NULL;
    Tensor *x = is_png ? to_floats(image) : to_rows(image);
    t_release(tg_take_from_scope(image));
    return x;
}

/* ---- imsave ---- */

/* Rank 2: the colours of the map, transparent where not finite. */
static bool map_pixels(const double *values, int64_t count, const plt_ImsaveOptions *o, uint8_t *to) {
    const Colormap *map = tg_colormap(o->cmap ? o->cmap : "viridis");
    Artist scale = {.map = map};
    if (!map || !tg_set_clim(&scale, values, count, o->vmin, o->vmax)) return false;
    for (int64_t i = 0; i < count; i++, to += 4) {
        const double t = tg_normalize(&scale, values[i]);
        memset(to, 0, 4);
        if (isnan(t)) continue;
        tg_colormap_at(map, t, to);
        to[3] = 255;
    }
    return true;
}

/* Rank 3: bytes as they are, other values times 255, cut off. */
static bool copy_pixels(const double *values, int64_t count, int64_t channels, bool is_bytes, uint8_t *to) {
    for (int64_t i = 0; i < count; i++, values += channels, to += 4)
        for (int c = 0; c < 4; c++) {
            const double value = c < channels ? values[c] * (is_bytes ? 1 : 255) : 255;
            if (!(value >= 0 && value <= 255))
                return tg_fail("Floating point image RGB values must be in the [0,1] range");
            to[c] = (uint8_t)value;
        }
    return true;
}

static bool write_rows(const char *path, const uint8_t *at, int64_t height, int64_t width, bool lower, double dpi) {
    tg_Output out;
    tg_Bytes bytes = {0};
    uint8_t *turned = NULL;
    const size_t row = (size_t)width * 4;
    if (lower) {
        turned = tg_alloc_raw(row * (size_t)height);
        for (int64_t y = 0; turned && y < height; y++)
            memcpy(turned + (size_t)y * row, at + (size_t)(height - 1 - y) * row, row);
        if (!turned) return false;
    }
    const tg_Pixels pixels = {turned ? turned : at, width, height, (int64_t)row, 4, dpi, NULL};
    const bool ok = tg_png_pack(&pixels, TG_DEFLATE_DEFAULT, &bytes) && tg_output_open(&out, path) &&
                    tg_output_commit(&out, tg_output_write(&out, bytes.at, bytes.count));
    tg_bytes_free(&bytes);
    tg_free(turned, row * (size_t)height);
    return ok;
}

/* plt.imsave(fname, arr): a PNG of RGBA with a pixel for each element. Errors: another suffix than .png; arr has not
 * rank 2, or 3 with 3 or 4 channels; no elements; a value of rank 3 outside of 0 to 1; unknown words. */
bool plt_imsave(const char *fname, Tensor *arr, const plt_ImsaveOptions *options) {
    plt_ImsaveOptions o = {sizeof o, NAN, NAN, "viridis", "upper", 100};
    if (!tg_check_any(arr, 2) || !tg_take_options(&o, options, sizeof o)) return false;
    if (!fname) return t_error() ? false : tg_fail("the path of plt_imsave is NULL") != NULL;
    const size_t length = strlen(fname);
    if (length < 5 || strcmp(fname + length - 4, ".png") != 0)
        return tg_fail("plt_imsave writes PNG: the path must end in .png, but is '%s'", fname);
    const bool lower = o.origin && strcmp(o.origin, "lower") == 0;
    if (o.origin && !lower && strcmp(o.origin, "upper") != 0)
        return tg_fail("'%s' is not a valid value for origin. Supported values are 'upper', 'lower'", o.origin);
    if (arr->ndim != 2 && (arr->ndim != 3 || (arr->shape[2] != 3 && arr->shape[2] != 4)))
        return tg_fail("Third dimension must be 3 or 4: an image of shape %s",
                       tg_numpy_shape_text(arr->shape, arr->ndim));
    const int64_t height = arr->shape[0], width = arr->shape[1], channels = arr->ndim == 3 ? arr->shape[2] : 1;
    if (height == 0 || width == 0) return tg_fail("an image without pixels cannot be written");
    Arena arena = {NULL};
    const double *values = tg_doubles_of(&arena, arr);
    uint8_t *rows = values ? tg_arena_alloc(&arena, height * width, 4) : NULL;
    const bool ok = rows &&
                    (channels == 1 ? map_pixels(values, height * width, &o, rows)
                                   : copy_pixels(values, height * width, channels, arr->dtype == t_uint8, rows)) &&
                    write_rows(fname, rows, height, width, lower, o.dpi);
    tg_arena_free(&arena);
    return ok;
}
