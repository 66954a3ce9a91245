/* core/vision/utils.c: torchvision.utils: make_grid, save_image. */
#include "core/vision/utils.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "core/autograd/autograd.h"
#include "core/io/file.h"
#include "core/ops/ops.h"
#include "core/tensor/size_arithmetic.h"
#include "core/vision/io/image_internal.h"

/* ---- make_grid ---- */

/* img.clamp_(low, high).sub_(low).div_(max(high - low, 1e-5)) */
static bool normalize(Tensor *img, const utils_GridOptions *o) {
    double low = o->value_range[0], high = o->value_range[1];
    if (isnan(low)) {
        Tensor *min = (t_min)(img, T_NONE, false, NULL), *max = min ? (t_max)(img, T_NONE, false, NULL) : NULL;
        if (!max) return false;
        low = t_item(min);
        high = t_item(max);
    }
    Tensor *first = (t_number)(low), *last = (t_number)(high), *range = (t_number)(fmax(high - low, 1e-5));
    return first && last && range && (t_clamp_)(img, first, last) && (t_sub_)(img, first) && (t_div_)(img, range);
}

static bool normalize_all(Tensor *batch, const utils_GridOptions *o) {
    if (!o->scale_each) return normalize(batch, o);
    for (int64_t i = 0; i < batch->shape[0]; i++) {
        Tensor *image = (t_select)(batch, 0, i);
        if (!image || !normalize(image, o)) return false;
    }
    return true;
}

/* (B, C, H, W), C at least 3 if it was 1. */
static Tensor *batch_of(Tensor *x) {
    if (x->ndim < 2 || x->ndim > 4)
        return tg_fail("an image has 2 or 3 dims and a batch of images 4, but the tensor has %d", x->ndim);
    while (x && x->ndim < 4) x = (t_unsqueeze)(x, 0);
    if (!x || x->shape[1] != 1) return x;
    const int64_t shape[4] = {x->shape[0], 3, x->shape[2], x->shape[3]};
    const int64_t strides[4] = {x->strides[0], 0, x->strides[2], x->strides[3]};
    return tg_view(x, shape, strides, 4, x->offset); /* torch.cat((x, x, x), 1) */
}

static Tensor *place_images(Tensor *batch, const utils_GridOptions *o) {
    const int64_t count = batch->shape[0], columns = o->nrow < count ? o->nrow : count;
    const int64_t rows = (count + columns - 1) / columns;
    const int64_t height = tg_size_add(batch->shape[2], o->padding), width = tg_size_add(batch->shape[3], o->padding);
    const int64_t shape[3] = {batch->shape[1], tg_size_add(tg_size_mul(height, rows), o->padding),
                              tg_size_add(tg_size_mul(width, columns), o->padding)};
    const t_TensorOptions options = {sizeof options, batch->dtype, false, NULL};
    Tensor *grid = (t_full)(shape, 3, o->pad_value, &options);
    for (int64_t k = 0; grid && k < count; k++) {
        Tensor *strip = (t_narrow)(grid, 1, k / columns * height + o->padding, batch->shape[2]);
        Tensor *cell = strip ? (t_narrow)(strip, 2, k % columns * width + o->padding, batch->shape[3]) : NULL;
        Tensor *image = cell ? (t_select)(batch, 0, k) : NULL;
        if (!image || !(t_copy_)(cell, image)) return NULL;
    }
    return grid;
}

static Tensor *make_grid(Tensor *x, const utils_GridOptions *o) {
    Tensor *batch = batch_of(x);
    if (batch && o->normalize) {
        batch = (t_clone)(batch);
        if (!batch || !normalize_all(batch, o)) return NULL;
    }
    if (!batch) return NULL;
    if (batch->shape[0] == 0 || o->nrow <= 0) return tg_fail("a grid needs images, and nrow at least 1");
    if (o->padding < 0) return tg_fail("padding must not be negative, but is %lld", (long long)o->padding);
    if (batch->shape[0] > 1) return place_images(batch, o);
    Tensor *image = (t_select)(batch, 0, 0);
    return image ? (t_clone)(image) : NULL;
}

static bool take_options(utils_GridOptions *o, const utils_GridOptions *options) {
    *o = (utils_GridOptions){sizeof *o, 8, 2, false, {NAN, NAN}, false, 0};
    return tg_take_options(o, options, sizeof *o);
}

Tensor *utils_make_grid(Tensor *tensor, const utils_GridOptions *options) {
    utils_GridOptions o;
    if (!tg_check_any(tensor, 1) || !take_options(&o, options)) return NULL;
    const int depth = t_scope_open();
    if (!depth) return NULL;
    const bool grad_enabled = t_set_grad_enabled(false);
    Tensor *grid = make_grid(tensor, &o);
    t_set_grad_enabled(grad_enabled);
    if (grid) t_keep_object(grid);
    t_scope_close(depth);
    return grid;
}

Tensor *utils_make_grid_list(const t_TensorList *tensors, const utils_GridOptions *options) {
    const int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *batch = (t_stack)(tensors, 0), *grid = batch ? utils_make_grid(batch, options) : NULL;
    if (grid) t_keep_object(grid);
    t_scope_close(depth);
    return grid;
}

/* ---- save_image ---- */

typedef bool Writer(tg_Output *out, const tg_Pixels *pixels);

static bool write_png(tg_Output *out, const tg_Pixels *pixels) {
    tg_Bytes bytes = {0};
    const bool ok = tg_png_pack(pixels, TG_DEFLATE_DEFAULT, &bytes) && tg_output_write(out, bytes.at, bytes.count);
    tg_bytes_free(&bytes);
    return ok;
}

static bool write_ppm(tg_Output *out, const tg_Pixels *p) {
    if (p->channels != 1 && p->channels != 3)
        return tg_fail("cannot write an image of %d channels as PPM", p->channels);
    tg_output_print(out, "P%c\n%lld %lld\n255\n", p->channels == 1 ? '5' : '6', (long long)p->width,
                    (long long)p->height);
    return tg_output_write(out, p->at, (size_t)(p->width * p->height * p->channels));
}

static const struct {
    const char *format;
    Writer *write;
} writers[] = {{"png", write_png}, {"ppm", write_ppm}, {"pgm", write_ppm}, {"pbm", write_ppm}, {"pnm", write_ppm}};

static Writer *find_writer(const char *path, const char *format) {
    const char *dot = strrchr(path, '.'), *name = format ? format : dot ? dot + 1 : "";
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (strcasecmp(name, writers[i].format) == 0) return writers[i].write;
    if (format)
        tg_fail("unknown format: %s (png, ppm, pgm, pbm and pnm are supported)", format);
    else
        tg_fail("unknown file extension: %s (.png .ppm .pgm .pbm .pnm are supported)", dot ? dot : "");
    return NULL;
}

/* grid.mul(255).add_(0.5).clamp_(0, 255).permute(1, 2, 0).to(torch.uint8): add_ refuses integers */
static Tensor *bytes_of(Tensor *grid) {
    Tensor *top = (t_integer)(255), *half = (t_number)(0.5), *zero = (t_number)(0);
    Tensor *x = top && half && zero ? (t_mul)(grid, top) : NULL;
    if (!x || !(t_add_)(x, half) || !(t_clamp_)(x, zero, top)) return NULL;
    x = (t_permute)(x, (const int64_t[]){1, 2, 0}, 3);
    x = x ? (t_to)(x, t_uint8) : NULL;
    return x ? (t_contiguous)(x) : NULL;
}

static bool save(Tensor *grid, const char *path, Writer *write) {
    tg_Output out;
    Tensor *x = bytes_of(grid);
    if (!x) return false;
    if (x->shape[2] < 1 || x->shape[2] > 4)
        return tg_fail("an image has 1 to 4 channels, and not %lld", (long long)x->shape[2]);
    const tg_Pixels pixels = {
        tg_data(x), x->shape[1], x->shape[0], x->shape[1] * x->shape[2], (int)x->shape[2], 0, NULL,
    };
    return tg_output_open(&out, path) && tg_output_commit(&out, write(&out, &pixels));
}

/* grid: NULL after an error, as an argument is. */
static bool save_grid(Tensor *grid, const char *fp, const char *format) {
    if (!grid) return false;
    if (!fp) return t_error() ? false : tg_fail("the path of utils_save_image is NULL") != NULL;
    Writer *write = find_writer(fp, format);
    if (!write) return false;
    const bool grad_enabled = t_set_grad_enabled(false);
    const bool ok = save(grid, fp, write);
    t_set_grad_enabled(grad_enabled);
    return ok;
}

bool utils_save_image(Tensor *tensor, const char *fp, const char *format, const utils_GridOptions *options) {
    const int depth = t_scope_open();
    const bool ok = depth && save_grid(utils_make_grid(tensor, options), fp, format);
    t_scope_close(depth);
    return ok;
}

bool utils_save_image_list(const t_TensorList *tensors, const char *fp, const char *format,
                           const utils_GridOptions *options) {
    const int depth = t_scope_open();
    const bool ok = depth && save_grid(utils_make_grid_list(tensors, options), fp, format);
    t_scope_close(depth);
    return ok;
}
