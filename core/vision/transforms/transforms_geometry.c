/* core/vision/transforms/transforms_geometry.c: Resize, crops, Pad, flips, RandomRotation, RandomAffine. */
#include <math.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/vision/transforms/transform_internal.h"

static const char size_message[] = "Please provide only two dimensions (h, w) for size.";

static void print_size(tg_Output *out, const char *name, const transforms_Transform *self) {
    tg_output_print(out, "%s(size=(%lld, %lld)", name, (long long)self->size[0], (long long)self->size[1]);
}

static const char *python_bool(bool x) {
    return x ? "True" : "False";
}

static transforms_Transform *sized(const tg_ImageTransformClass *is_a, const int64_t *size, int count,
                                   const char *message) {
    transforms_Transform *self = tg_image_transform_new(is_a);
    return self && tg_set_size(self, size, count, message) ? self : NULL;
}

/* ---- Resize ---- */

static Tensor *resize_call(transforms_Transform *self, Tensor *img) {
    return TF_resize(img, self->size, self->sizes, self->interpolation, self->max_size, self->flag);
}

static void resize_repr(const transforms_Transform *self, tg_Output *out) {
    if (self->sizes == 1)
        tg_output_print(out, "Resize(size=%lld", (long long)self->size[0]);
    else
        print_size(out, "Resize", self);
    tg_output_print(out, ", interpolation=%s, max_size=", tg_mode_name(self->interpolation));
    if (self->max_size == T_NONE)
        tg_output_text(out, "None");
    else
        tg_output_print(out, "%lld", (long long)self->max_size);
    tg_output_print(out, ", antialias=%s)", python_bool(self->flag));
}
static const tg_ImageTransformClass resize_class = {"Resize", resize_call, resize_repr};

static bool check_mode(transforms_InterpolationMode mode) {
    return (unsigned)mode <= InterpolationMode_LANCZOS ||
           tg_fail("Argument interpolation should be a InterpolationMode");
}

/* Resize(size, interpolation, max_size, antialias): TF_resize. */
transforms_Transform *transforms_Resize_new(const int64_t *size, int count, transforms_InterpolationMode interpolation,
                                            int64_t max_size, bool antialias) {
    if (!check_mode(interpolation)) return NULL;
    transforms_Transform *self =
        sized(&resize_class, size, count, "If size is a sequence, it should have 1 or 2 values");
    if (!self) return NULL;
    self->interpolation = interpolation;
    self->max_size = max_size;
    self->flag = antialias;
    return self;
}

/* ---- CenterCrop, FiveCrop, TenCrop ---- */

static Tensor *center_crop_call(transforms_Transform *self, Tensor *img) {
    return TF_center_crop(img, self->size, 2);
}

static void size_repr(const transforms_Transform *self, tg_Output *out) {
    print_size(out, self->is_a->name, self);
    tg_output_text(out, ")");
}
static const tg_ImageTransformClass center_crop_class = {"CenterCrop", center_crop_call, size_repr};

transforms_Transform *transforms_CenterCrop_new(const int64_t *size, int count) {
    return sized(&center_crop_class, size, count, size_message);
}

static Tensor *stacked(const Tensor *img, t_TensorList *crops) {
    return crops ? tg_like_image(img, t_stack(crops, 0)) : NULL;
}

static Tensor *five_crop_call(transforms_Transform *self, Tensor *img) {
    return stacked(img, TF_five_crop(img, self->size, 2));
}
static const tg_ImageTransformClass five_crop_class = {"FiveCrop", five_crop_call, size_repr};

transforms_Transform *transforms_FiveCrop_new(const int64_t *size, int count) {
    return sized(&five_crop_class, size, count, size_message);
}

static Tensor *ten_crop_call(transforms_Transform *self, Tensor *img) {
    return stacked(img, TF_ten_crop(img, self->size, 2, self->flag));
}

static void ten_crop_repr(const transforms_Transform *self, tg_Output *out) {
    print_size(out, "TenCrop", self);
    tg_output_print(out, ", vertical_flip=%s)", python_bool(self->flag));
}
static const tg_ImageTransformClass ten_crop_class = {"TenCrop", ten_crop_call, ten_crop_repr};

transforms_Transform *transforms_TenCrop_new(const int64_t *size, int count, bool vertical_flip) {
    transforms_Transform *self = sized(&ten_crop_class, size, count, size_message);
    if (self) self->flag = vertical_flip;
    return self;
}

/* ---- Pad, RandomCrop ---- */

static bool set_padding(transforms_Transform *self, const int64_t *padding, int count, const transforms_Values *fill,
                        const char *mode) {
    static const char *const modes[] = {"constant", "edge", "reflect", "symmetric"};
    for (int i = 0; i < 4; i++)
        if (strcmp(mode ? mode : "constant", modes[i]) == 0) self->padding_mode = modes[i];
    if (!self->padding_mode) return tg_fail("Padding mode should be either constant, edge, reflect or symmetric");
    if (count < 0 || count == 3 || count > 4 || (count > 0 && !padding))
        return tg_fail("Padding must be an int or a 1, 2, or 4 element tuple, not a %d element tuple", count);
    for (int i = 0; i < count; i++) self->padding[i] = padding[i];
    self->paddings = count;
    self->fill = fill ? *fill : (transforms_Values){.items = {0}, .count = -1};
    return true;
}

static void print_padding(tg_Output *out, const transforms_Transform *self) {
    if (self->paddings == 0) tg_output_text(out, "None");
    if (self->paddings == 1) tg_output_print(out, "%lld", (long long)self->padding[0]);
    for (int i = 0; self->paddings > 1 && i < self->paddings; i++)
        tg_output_print(out, "%s%lld", i ? ", " : "(", (long long)self->padding[i]);
    if (self->paddings > 1) tg_output_text(out, ")");
}

static Tensor *pad_call(transforms_Transform *self, Tensor *img) {
    return TF_pad(img, self->padding, self->paddings, &self->fill, self->padding_mode);
}

static void pad_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_text(out, "Pad(padding=");
    print_padding(out, self);
    tg_output_text(out, ", fill=");
    tg_print_values(out, &self->fill);
    tg_output_print(out, ", padding_mode=%s)", self->padding_mode);
}
static const tg_ImageTransformClass pad_class = {"Pad", pad_call, pad_repr};

/* Pad(padding, fill, padding_mode): TF_pad. */
transforms_Transform *transforms_Pad_new(const int64_t *padding, int count, const transforms_Values *fill,
                                         const char *padding_mode) {
    if (count == 0) return tg_fail("Got inappropriate padding arg");
    transforms_Transform *self = tg_image_transform_new(&pad_class);
    return self && set_padding(self, padding, count, fill, padding_mode) ? self : NULL;
}

static Tensor *random_crop_call(transforms_Transform *self, Tensor *img) {
    const int64_t th = self->size[0], tw = self->size[1];
    if (!tg_check_image(img)) return NULL;
    if (self->paddings) img = TF_pad(img, self->padding, self->paddings, &self->fill, self->padding_mode);
    if (img && self->flag && tg_image_width(img) < tw)
        img = TF_pad(img, (const int64_t[]){tw - tg_image_width(img), 0}, 2, &self->fill, self->padding_mode);
    if (img && self->flag && tg_image_height(img) < th)
        img = TF_pad(img, (const int64_t[]){0, th - tg_image_height(img)}, 2, &self->fill, self->padding_mode);
    tg_Draw g = tg_engine(NULL);
    if (!img || !g) return NULL;
    const int64_t h = tg_image_height(img), w = tg_image_width(img);
    if (h < th || w < tw)
        return tg_fail("Required crop size (%lld, %lld) is larger than input image size (%lld, %lld)", (long long)th,
                       (long long)tw, (long long)h, (long long)w);
    if (h == th && w == tw) return TF_crop(img, 0, 0, h, w);
    const int64_t i = tg_draw_randint(g, 0, h - th + 1), j = tg_draw_randint(g, 0, w - tw + 1);
    return TF_crop(img, i, j, th, tw);
}

static void random_crop_repr(const transforms_Transform *self, tg_Output *out) {
    print_size(out, "RandomCrop", self);
    tg_output_text(out, ", padding=");
    print_padding(out, self);
    tg_output_text(out, ")");
}
static const tg_ImageTransformClass random_crop_class = {"RandomCrop", random_crop_call, random_crop_repr};

/* RandomCrop(size, padding, pad_if_needed, fill, padding_mode): a part of that size at a random place, after padding;
 * pad_if_needed pads what is smaller. Error: an image that is smaller. */
transforms_Transform *transforms_RandomCrop_new(const int64_t *size, int count, const int64_t *padding, int paddings,
                                                bool pad_if_needed, const transforms_Values *fill,
                                                const char *padding_mode) {
    transforms_Transform *self = sized(&random_crop_class, size, count, size_message);
    if (!self || !set_padding(self, padding, paddings, fill, padding_mode)) return NULL;
    self->flag = pad_if_needed;
    return self;
}

/* ---- flips ---- */

static void flip_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_print(out, "%s(p=", self->is_a->name);
    tg_print_float(out, self->p);
    tg_output_text(out, ")");
}

static Tensor *hflip_call(transforms_Transform *self, Tensor *img) {
    tg_Draw g = tg_engine(NULL);
    if (!g) return NULL;
    return tg_draw_chance(g, self->p) ? TF_hflip(img) : img;
}
static const tg_ImageTransformClass hflip_class = {"RandomHorizontalFlip", hflip_call, flip_repr};

transforms_Transform *transforms_RandomHorizontalFlip_new(double p) {
    transforms_Transform *self = tg_image_transform_new(&hflip_class);
    if (self) self->p = p;
    return self;
}

static Tensor *vflip_call(transforms_Transform *self, Tensor *img) {
    tg_Draw g = tg_engine(NULL);
    if (!g) return NULL;
    return tg_draw_chance(g, self->p) ? TF_vflip(img) : img;
}
static const tg_ImageTransformClass vflip_class = {"RandomVerticalFlip", vflip_call, flip_repr};

transforms_Transform *transforms_RandomVerticalFlip_new(double p) {
    transforms_Transform *self = tg_image_transform_new(&vflip_class);
    if (self) self->p = p;
    return self;
}

/* ---- RandomResizedCrop ---- */

/* A float32 of torch's functions: torch.log(torch.tensor(x)), torch.exp(...). */
static bool float_function(Tensor *(*f)(Tensor *), double x, double *y) {
    Tensor *value = f(t_tensor_from_data(&x, t_float64, (const int64_t[]){1}, 1,
                                         &(t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = t_float32}));
    if (value) *y = tg_read_double(value);
    return value != NULL;
}

/* top, left, height and width: a part of the area and a ratio of width to height, in ten tries; else the largest part
 * in the middle whose ratio is in the range. */
static bool resized_crop_params(const transforms_Transform *self, tg_Draw g, const Tensor *img, int64_t box[4]) {
    const int64_t height = tg_image_height(img), width = tg_image_width(img);
    const double *ratio = self->b.items;
    double low, high, aspect;
    if (!float_function(t_log, ratio[0], &low) || !float_function(t_log, ratio[1], &high)) return false;
    for (int i = 0; i < 10; i++) {
        const double area = (double)(height * width) * tg_draw_uniform(g, self->a.items[0], self->a.items[1]);
        if (!float_function(t_exp, tg_draw_uniform(g, low, high), &aspect)) return false;
        const int64_t w = (int64_t)rint(sqrt(area * aspect)), h = (int64_t)rint(sqrt(area / aspect));
        if (w <= 0 || w > width || h <= 0 || h > height) continue;
        box[0] = tg_draw_randint(g, 0, height - h + 1);
        box[1] = tg_draw_randint(g, 0, width - w + 1);
        box[2] = h, box[3] = w;
        return true;
    }
    const double in_ratio = (double)width / (double)height;
    box[2] = height, box[3] = width;
    if (in_ratio < ratio[0]) box[2] = (int64_t)rint((double)width / ratio[0]);
    if (in_ratio > ratio[1]) box[3] = (int64_t)rint((double)height * ratio[1]);
    box[0] = (height - box[2]) / 2;
    box[1] = (width - box[3]) / 2;
    return true;
}

static Tensor *resized_crop_call(transforms_Transform *self, Tensor *img) {
    int64_t box[4];
    tg_Draw g = tg_engine(NULL);
    if (!g || !tg_check_image(img) || !resized_crop_params(self, g, img, box)) return NULL;
    return TF_resized_crop(img, box[0], box[1], box[2], box[3], self->size, 2, self->interpolation, self->flag);
}

/* Python's round(x, 4). */
static void print_rounded(tg_Output *out, const transforms_Values *v) {
    const double x[2] = {rint(v->items[0] * 1e4) / 1e4, rint(v->items[1] * 1e4) / 1e4};
    tg_print_floats(out, x, 2, false);
}

static void resized_crop_repr(const transforms_Transform *self, tg_Output *out) {
    print_size(out, "RandomResizedCrop", self);
    tg_output_text(out, ", scale=");
    print_rounded(out, &self->a);
    tg_output_text(out, ", ratio=");
    print_rounded(out, &self->b);
    tg_output_print(out, ", interpolation=%s, antialias=%s)", tg_mode_name(self->interpolation),
                    python_bool(self->flag));
}
static const tg_ImageTransformClass resized_crop_class = {"RandomResizedCrop", resized_crop_call, resized_crop_repr};

/* RandomResizedCrop(size, scale, ratio, interpolation, antialias): a random part, whose area is scale times the image's
 * and whose ratio of width to height is from `ratio`, resized. */
transforms_Transform *transforms_RandomResizedCrop_new(const int64_t *size, int count, const transforms_Values *scale,
                                                       const transforms_Values *ratio,
                                                       transforms_InterpolationMode interpolation, bool antialias) {
    transforms_Values scales, ratios;
    if (!tg_set_pair(&scales, scale, "Scale", 0.08, 1) || !tg_set_pair(&ratios, ratio, "Ratio", 3.0 / 4, 4.0 / 3) ||
        !check_mode(interpolation))
        return NULL;
    transforms_Transform *self = sized(&resized_crop_class, size, count, size_message);
    if (!self) return NULL;
    self->a = scales;
    self->b = ratios;
    self->interpolation = interpolation;
    self->flag = antialias;
    return self;
}

/* ---- RandomRotation, RandomAffine ---- */

/* A number x is the range -x to x. pairs: 1, or 2 for four numbers as well. */
static bool set_angle(transforms_Values *to, const transforms_Values *x, const char *name, int pairs) {
    if (tg_no_value(x)) return tg_fail("%s should be a sequence of length 2.", name);
    *to = *x;
    if (x->count < 0) {
        if (x->items[0] < 0) return tg_fail("If %s is a single number, it must be positive.", name);
        *to = (transforms_Values){.items = {0 - x->items[0], x->items[0]}, .count = 2};
    } else if (x->count == 0) {
        to->count = pairs == 2 && (x->items[2] != 0 || x->items[3] != 0) ? 4 : 2;
    }
    if (to->count != 2 && !(pairs == 2 && to->count == 4))
        return tg_fail("%s should be a sequence of length %s.", name, pairs == 2 ? "2 or 4" : "2");
    return true;
}

static bool set_center(transforms_Transform *self, const transforms_Values *center) {
    self->center = (transforms_Values){.items = {NAN}, .count = -1};
    if (tg_no_value(center)) return true;
    if (center->count < 0 || tg_values_count(center, 2) != 2)
        return tg_fail("center should be a sequence of length 2.");
    self->center = *center;
    self->center.count = 2;
    return true;
}

static Tensor *rotation_call(transforms_Transform *self, Tensor *img) {
    tg_Draw g = tg_engine(NULL);
    if (!g || !tg_check_image(img)) return NULL;
    const double angle = tg_draw_uniform(g, self->a.items[0], self->a.items[1]);
    return TF_rotate(img, angle, self->interpolation, self->flag, &self->center, &self->fill);
}

static void rotation_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_text(out, "RandomRotation(degrees=");
    tg_print_floats(out, self->a.items, 2, true);
    tg_output_print(out, ", interpolation=%s, expand=%s", tg_mode_name(self->interpolation), python_bool(self->flag));
    if (!tg_no_value(&self->center)) {
        tg_output_text(out, ", center=");
        tg_print_values(out, &self->center);
    }
    tg_output_text(out, ", fill=");
    tg_print_values(out, &self->fill);
    tg_output_text(out, ")");
}
static const tg_ImageTransformClass rotation_class = {"RandomRotation", rotation_call, rotation_repr};

/* RandomRotation(degrees, interpolation, expand, center, fill): TF_rotate by a random angle. Error: a single number
 * that is negative. */
transforms_Transform *transforms_RandomRotation_new(const transforms_Values *degrees,
                                                    transforms_InterpolationMode interpolation, bool expand,
                                                    const transforms_Values *center, const transforms_Values *fill) {
    transforms_Values range;
    if (!set_angle(&range, degrees, "degrees", 1) || !check_mode(interpolation)) return NULL;
    transforms_Transform *self = tg_image_transform_new(&rotation_class);
    if (!self || !set_center(self, center)) return NULL;
    self->a = range;
    self->interpolation = interpolation;
    self->flag = expand;
    self->fill = tg_no_value(fill) ? (transforms_Values){.items = {0}, .count = -1} : *fill;
    return self;
}

static Tensor *affine_call(transforms_Transform *self, Tensor *img) {
    tg_Draw g = tg_engine(NULL);
    if (!g || !tg_check_image(img)) return NULL;
    const double angle = tg_draw_uniform(g, self->a.items[0], self->a.items[1]);
    int64_t translate[2] = {0, 0};
    if (!tg_no_value(&self->b)) {
        const double dx = self->b.items[0] * (double)tg_image_width(img),
                     dy = self->b.items[1] * (double)tg_image_height(img);
        translate[0] = (int64_t)rint(tg_draw_uniform(g, -dx, dx));
        translate[1] = (int64_t)rint(tg_draw_uniform(g, -dy, dy));
    }
    const double scale = tg_no_value(&self->c) ? 1 : tg_draw_uniform(g, self->c.items[0], self->c.items[1]);
    double shear[2] = {0, 0};
    if (!tg_no_value(&self->d)) {
        shear[0] = tg_draw_uniform(g, self->d.items[0], self->d.items[1]);
        if (self->d.count == 4) shear[1] = tg_draw_uniform(g, self->d.items[2], self->d.items[3]);
    }
    return TF_affine(img, angle, translate, scale, shear, self->interpolation, &self->fill, &self->center);
}

static void affine_repr(const transforms_Transform *self, tg_Output *out) {
    static const char *const names[] = {", translate=", ", scale=", ", shear="};
    const transforms_Values *const values[] = {&self->b, &self->c, &self->d};
    tg_output_text(out, "RandomAffine(degrees=");
    tg_print_floats(out, self->a.items, 2, true);
    for (int i = 0; i < 3; i++)
        if (!tg_no_value(values[i])) {
            tg_output_text(out, names[i]);
            tg_print_floats(out, values[i]->items, values[i]->count, i == 2);
        }
    if (self->interpolation != InterpolationMode_NEAREST)
        tg_output_print(out, ", interpolation=%s", tg_mode_name(self->interpolation));
    if (self->fill.count >= 0 || self->fill.items[0] != 0) {
        tg_output_text(out, ", fill=");
        tg_print_values(out, &self->fill);
    }
    if (!tg_no_value(&self->center)) {
        tg_output_text(out, ", center=");
        tg_print_values(out, &self->center);
    }
    tg_output_text(out, ")");
}
static const tg_ImageTransformClass affine_class = {"RandomAffine", affine_call, affine_repr};

/* Two numbers, or None; else "NAME should be a sequence of length 2." */
static bool set_optional_pair(transforms_Values *to, const transforms_Values *v, const char *name) {
    *to = (transforms_Values){.items = {NAN}, .count = -1};
    if (tg_no_value(v)) return true;
    if (v->count < 0 || tg_values_count(v, 2) != 2) return tg_fail("%s should be a sequence of length 2.", name);
    *to = *v;
    to->count = 2;
    return true;
}

/* RandomAffine(degrees, translate, scale, shear, interpolation, fill, center): TF_affine by a random angle, a
 * translation of at most (a, b) parts of the width and height, a random scale and shears along x (min, max) and y
 * (four numbers). Errors: translations not in [0, 1], scales that are not positive, a negative single number. */
transforms_Transform *transforms_RandomAffine_new(const transforms_Values *degrees, const transforms_Values *translate,
                                                  const transforms_Values *scale, const transforms_Values *shear,
                                                  transforms_InterpolationMode interpolation,
                                                  const transforms_Values *fill, const transforms_Values *center) {
    transforms_Values a, b, c, d = {.items = {NAN}, .count = -1};
    if (!set_angle(&a, degrees, "degrees", 1) || !set_optional_pair(&b, translate, "translate") ||
        !set_optional_pair(&c, scale, "scale") || !check_mode(interpolation))
        return NULL;
    for (int i = 0; !tg_no_value(&b) && i < 2; i++)
        if (!(b.items[i] >= 0 && b.items[i] <= 1)) return tg_fail("translation values should be between 0 and 1");
    for (int i = 0; !tg_no_value(&c) && i < 2; i++)
        if (!(c.items[i] > 0)) return tg_fail("scale values should be positive");
    if (!tg_no_value(shear) && !set_angle(&d, shear, "shear", 2)) return NULL;
    transforms_Transform *self = tg_image_transform_new(&affine_class);
    if (!self || !set_center(self, center)) return NULL;
    self->a = a, self->b = b, self->c = c, self->d = d;
    self->interpolation = interpolation;
    self->fill = tg_no_value(fill) ? (transforms_Values){.items = {0}, .count = -1} : *fill;
    return self;
}
