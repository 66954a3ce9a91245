/* core/vision/transforms/transforms_color.c: Grayscale, ColorJitter, GaussianBlur and their random relatives. */
#include <math.h>
#include <stdio.h>

#include "core/vision/transforms/transform_internal.h"

static void p_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_print(out, "%s(p=", self->is_a->name);
    tg_print_float(out, self->p);
    tg_output_text(out, ")");
}

static transforms_Transform *with_chance(const tg_ImageTransformClass *is_a, double p) {
    transforms_Transform *self = tg_image_transform_new(is_a);
    if (self) self->p = p;
    return self;
}

/* ---- grayscale ---- */

static Tensor *grayscale_call(transforms_Transform *self, Tensor *img) {
    return TF_rgb_to_grayscale(img, self->number);
}

static void grayscale_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_print(out, "Grayscale(num_output_channels=%lld)", (long long)self->number);
}
static const tg_ImageTransformClass grayscale_class = {"Grayscale", grayscale_call, grayscale_repr};

/* Grayscale(num_output_channels): TF_rgb_to_grayscale. */
transforms_Transform *transforms_Grayscale_new(int64_t num_output_channels) {
    transforms_Transform *self = tg_image_transform_new(&grayscale_class);
    if (self) self->number = num_output_channels;
    return self;
}

static Tensor *random_grayscale_call(transforms_Transform *self, Tensor *img) {
    tg_Draw g = tg_engine(NULL);
    if (!g || !tg_check_image(img)) return NULL;
    return tg_draw_chance(g, self->p) ? TF_rgb_to_grayscale(img, tg_image_channels(img)) : img;
}
static const tg_ImageTransformClass random_grayscale_class = {"RandomGrayscale", random_grayscale_call, p_repr};

/* RandomGrayscale(p): gray with probability p, in as many channels as the image has. */
transforms_Transform *transforms_RandomGrayscale_new(double p) {
    return with_chance(&random_grayscale_class, p);
}

/* ---- ColorJitter ---- */

static Tensor *jitter_call(transforms_Transform *self, Tensor *img) {
    static Tensor *(*const adjust[4])(Tensor *, double) = {TF_adjust_brightness, TF_adjust_contrast,
                                                           TF_adjust_saturation, TF_adjust_hue};
    const transforms_Values *const ranges[4] = {&self->a, &self->b, &self->c, &self->d};
    int64_t order[4];
    double factors[4] = {0};
    tg_Draw g = tg_engine(NULL);
    if (!g) return NULL;
    tg_randperm(g, order, 4);
    for (int i = 0; i < 4; i++)
        if (!tg_no_value(ranges[i])) factors[i] = tg_draw_uniform(g, ranges[i]->items[0], ranges[i]->items[1]);
    for (int i = 0; img && i < 4; i++)
        if (!tg_no_value(ranges[order[i]])) img = adjust[order[i]](img, factors[order[i]]);
    return img;
}

static void jitter_repr(const transforms_Transform *self, tg_Output *out) {
    static const char *const names[4] = {"ColorJitter(brightness=", ", contrast=", ", saturation=", ", hue="};
    const transforms_Values *const ranges[4] = {&self->a, &self->b, &self->c, &self->d};
    for (int i = 0; i < 4; i++) {
        tg_output_text(out, names[i]);
        if (tg_no_value(ranges[i]))
            tg_output_text(out, "None");
        else
            tg_print_floats(out, ranges[i]->items, 2, false);
    }
    tg_output_text(out, ")");
}
static const tg_ImageTransformClass jitter_class = {"ColorJitter", jitter_call, jitter_repr};

/* A number x as the range center - x to center + x, at least 0 for the factors; None if it is only the center. */
static bool jitter_range(transforms_Values *to, const transforms_Values *value, const char *name, double center,
                         double low, double high) {
    *to = (transforms_Values){.items = {NAN}, .count = -1};
    if (tg_no_value(value)) return true;
    double range[2];
    if (value->count < 0) {
        const double x = value->items[0];
        if (x < 0) return tg_fail("If %s is a single number, it must be non negative.", name);
        range[0] = center - x;
        range[1] = center + x;
        if (center == 1 && range[0] < 0) range[0] = 0;
    } else {
        if (tg_values_count(value, 2) != 2)
            return tg_fail("%s should be a single number or a list/tuple with length 2.", name);
        range[0] = value->items[0];
        range[1] = value->items[1];
    }
    if (!(low <= range[0] && range[0] <= range[1] && range[1] <= high)) {
        char first[40];
        snprintf(first, sizeof first, "%s", tg_number_text(range[0]));
        return tg_fail("%s values should be between (%s), but got [%s, %s].", name,
                       center == 1 ? "0, inf" : "-0.5, 0.5", first, tg_number_text(range[1]));
    }
    if (range[0] == center && range[1] == center) return true;
    *to = (transforms_Values){.items = {range[0], range[1]}, .count = 2};
    return true;
}

/* ColorJitter(brightness, contrast, saturation, hue): the four adjustments in a random order, each with a random factor
 * from its range. Errors: a range that is not within [0, inf), hue's not within [-0.5, 0.5]. */
transforms_Transform *transforms_ColorJitter_new(const transforms_Values *brightness, const transforms_Values *contrast,
                                                 const transforms_Values *saturation, const transforms_Values *hue) {
    transforms_Values a, b, c, d;
    if (!jitter_range(&a, brightness, "brightness", 1, 0, INFINITY) ||
        !jitter_range(&b, contrast, "contrast", 1, 0, INFINITY) ||
        !jitter_range(&c, saturation, "saturation", 1, 0, INFINITY) || !jitter_range(&d, hue, "hue", 0, -0.5, 0.5))
        return NULL;
    transforms_Transform *self = tg_image_transform_new(&jitter_class);
    if (self) self->a = a, self->b = b, self->c = c, self->d = d;
    return self;
}

/* ---- invert, posterize, solarize: torch.rand(1).item() < p, in float64 ---- */

static Tensor *invert_call(transforms_Transform *self, Tensor *img) {
    tg_Draw g = tg_engine(NULL);
    if (!g) return NULL;
    return (double)tg_mt_float(g) < self->p ? TF_invert(img) : img;
}
static const tg_ImageTransformClass invert_class = {"RandomInvert", invert_call, p_repr};

transforms_Transform *transforms_RandomInvert_new(double p) {
    return with_chance(&invert_class, p);
}

static Tensor *posterize_call(transforms_Transform *self, Tensor *img) {
    tg_Draw g = tg_engine(NULL);
    if (!g) return NULL;
    return (double)tg_mt_float(g) < self->p ? TF_posterize(img, self->number) : img;
}

static void posterize_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_print(out, "RandomPosterize(bits=%lld,p=", (long long)self->number);
    tg_print_float(out, self->p);
    tg_output_text(out, ")");
}
static const tg_ImageTransformClass posterize_class = {"RandomPosterize", posterize_call, posterize_repr};

transforms_Transform *transforms_RandomPosterize_new(int64_t bits, double p) {
    transforms_Transform *self = with_chance(&posterize_class, p);
    if (self) self->number = bits;
    return self;
}

static Tensor *solarize_call(transforms_Transform *self, Tensor *img) {
    tg_Draw g = tg_engine(NULL);
    if (!g) return NULL;
    return (double)tg_mt_float(g) < self->p ? TF_solarize(img, self->a.items[0]) : img;
}

static void solarize_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_text(out, "RandomSolarize(threshold=");
    tg_print_number(out, self->a.items[0]);
    tg_output_text(out, ",p=");
    tg_print_float(out, self->p);
    tg_output_text(out, ")");
}
static const tg_ImageTransformClass solarize_class = {"RandomSolarize", solarize_call, solarize_repr};

transforms_Transform *transforms_RandomSolarize_new(double threshold, double p) {
    transforms_Transform *self = with_chance(&solarize_class, p);
    if (self) self->a.items[0] = threshold;
    return self;
}

/* ---- sharpness, autocontrast, equalize ---- */

static Tensor *sharpness_call(transforms_Transform *self, Tensor *img) {
    tg_Draw g = tg_engine(NULL);
    if (!g) return NULL;
    return (double)tg_mt_float(g) < self->p ? TF_adjust_sharpness(img, self->a.items[0]) : img;
}

static void sharpness_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_text(out, "RandomAdjustSharpness(sharpness_factor=");
    tg_print_number(out, self->a.items[0]);
    tg_output_text(out, ",p=");
    tg_print_float(out, self->p);
    tg_output_text(out, ")");
}
static const tg_ImageTransformClass sharpness_class = {"RandomAdjustSharpness", sharpness_call, sharpness_repr};

transforms_Transform *transforms_RandomAdjustSharpness_new(double sharpness_factor, double p) {
    transforms_Transform *self = with_chance(&sharpness_class, p);
    if (self) self->a.items[0] = sharpness_factor;
    return self;
}

static Tensor *autocontrast_call(transforms_Transform *self, Tensor *img) {
    tg_Draw g = tg_engine(NULL);
    if (!g) return NULL;
    return (double)tg_mt_float(g) < self->p ? TF_autocontrast(img) : img;
}
static const tg_ImageTransformClass autocontrast_class = {"RandomAutocontrast", autocontrast_call, p_repr};

transforms_Transform *transforms_RandomAutocontrast_new(double p) {
    return with_chance(&autocontrast_class, p);
}

static Tensor *equalize_call(transforms_Transform *self, Tensor *img) {
    tg_Draw g = tg_engine(NULL);
    if (!g) return NULL;
    return (double)tg_mt_float(g) < self->p ? TF_equalize(img) : img;
}
static const tg_ImageTransformClass equalize_class = {"RandomEqualize", equalize_call, p_repr};

transforms_Transform *transforms_RandomEqualize_new(double p) {
    return with_chance(&equalize_class, p);
}

/* ---- GaussianBlur ---- */

static Tensor *blur_call(transforms_Transform *self, Tensor *img) {
    tg_Draw g = tg_engine(NULL);
    if (!g) return NULL;
    const double sigma = tg_draw_uniform(g, self->a.items[0], self->a.items[1]);
    return TF_gaussian_blur(img, self->size, 2, &(transforms_Values){.items = {sigma}, .count = -1});
}

static void blur_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_print(out, "GaussianBlur(kernel_size=(%lld, %lld), sigma=", (long long)self->size[0],
                    (long long)self->size[1]);
    tg_print_floats(out, self->a.items, 2, false);
    tg_output_text(out, ")");
}
static const tg_ImageTransformClass blur_class = {"GaussianBlur", blur_call, blur_repr};

/* GaussianBlur(kernel_size, sigma): TF_gaussian_blur with a random sigma from (min, max); one number: always this.
 * Errors: an even size, a sigma that is not positive. */
transforms_Transform *transforms_GaussianBlur_new(const int64_t *kernel_size, int count,
                                                  const transforms_Values *sigma) {
    transforms_Values range = {.items = {0.1, 2.0}, .count = 2};
    if (!tg_no_value(sigma) && sigma->count < 0) {
        if (!(sigma->items[0] > 0)) return tg_fail("If sigma is a single number, it must be positive.");
        range.items[0] = range.items[1] = sigma->items[0];
    } else if (!tg_no_value(sigma)) {
        if (tg_values_count(sigma, 2) != 2)
            return tg_fail("sigma should be a single number or a list/tuple with length 2.");
        if (!(sigma->items[0] > 0 && sigma->items[0] <= sigma->items[1]))
            return tg_fail("sigma values should be positive and of the form (min, max).");
        range.items[0] = sigma->items[0];
        range.items[1] = sigma->items[1];
    }
    transforms_Transform *self = tg_image_transform_new(&blur_class);
    if (!self || !tg_set_size(self, kernel_size, count, "Kernel size should be a tuple/list of two integers"))
        return NULL;
    for (int i = 0; i < 2; i++)
        if (self->size[i] <= 0 || self->size[i] % 2 == 0)
            return tg_fail("Kernel size value should be an odd and positive number.");
    self->a = range;
    return self;
}
