/* core/vision/transforms/transforms_auto.c: AutoAugment (E. Cubuk et al., "AutoAugment: Learning Augmentation
 * Strategies from Data", 2019), RandAugment (the same, 2020), TrivialAugmentWide (S. Mueller, F. Hutter,
 * "TrivialAugment", 2021), AugMix (D. Hendrycks et al., 2020). */
#include <math.h>
#include <stdio.h>

#include "core/ops/creation/gamma_internal.h"
#include "core/ops/ops.h"
#include "core/vision/transforms/transform_internal.h"

/* ---- operations, in the order of torchvision's spaces ---- */

typedef enum Op {
    IDENTITY, SHEAR_X, SHEAR_Y, TRANSLATE_X, TRANSLATE_Y, ROTATE, BRIGHTNESS, COLOR, CONTRAST, SHARPNESS, POSTERIZE,
    SOLARIZE, AUTO_CONTRAST, EQUALIZE, INVERT
} Op;
enum { OPS = EQUALIZE + 1 /* of RandAugment and TrivialAugmentWide */ };

static Tensor *affine(const transforms_Transform *self, Tensor *img, double dx, double dy, double shear_x,
                      double shear_y) {
    const transforms_Values corner = {.items = {0, 0}, .count = 2};
    const bool is_shear = shear_x != 0 || shear_y != 0;
    return TF_affine(img, 0, (const int64_t[]){(int64_t)dx, (int64_t)dy}, 1,
                     (const double[]){atan(shear_x) * (180 / M_PI), atan(shear_y) * (180 / M_PI)},
                     self->interpolation, &self->fill, is_shear ? &corner : NULL);
}

static Tensor *apply(const transforms_Transform *self, Tensor *img, Op op, double magnitude) {
    switch (op) {
    case SHEAR_X: return affine(self, img, 0, 0, magnitude, 0);
    case SHEAR_Y: return affine(self, img, 0, 0, 0, magnitude);
    case TRANSLATE_X: return affine(self, img, magnitude, 0, 0, 0);
    case TRANSLATE_Y: return affine(self, img, 0, magnitude, 0, 0);
    case ROTATE: return TF_rotate(img, magnitude, self->interpolation, false, NULL, &self->fill);
    case BRIGHTNESS: return TF_adjust_brightness(img, 1 + magnitude);
    case COLOR: return TF_adjust_saturation(img, 1 + magnitude);
    case CONTRAST: return TF_adjust_contrast(img, 1 + magnitude);
    case SHARPNESS: return TF_adjust_sharpness(img, 1 + magnitude);
    case POSTERIZE: return TF_posterize(img, (int64_t)magnitude);
    case SOLARIZE: return TF_solarize(img, magnitude);
    case AUTO_CONTRAST: return TF_autocontrast(img);
    case EQUALIZE: return TF_equalize(img);
    case INVERT: return TF_invert(img);
    case IDENTITY: break;
    }
    return img;
}

static bool has_magnitude(Op op) {
    return op >= SHEAR_X && op <= SOLARIZE;
}
static bool has_sign(Op op) {
    return op >= SHEAR_X && op <= SHARPNESS;
}

/* Bin i of torch.linspace(from, to, bins). */
static double linear(double from, double to, int64_t bins, int64_t i) {
    const float step = ((float)to - (float)from) / (float)(bins - 1);
    if (bins == 1) return (double)(float)from;
    return (double)(i < bins / 2 ? (float)from + step * (float)i : (float)to - step * (float)(bins - 1 - i));
}

/* The strongest values: of shears, translations (in pixels), rotations and colours; the bits that Posterize takes. */
typedef struct Space {
    double shear, dx, dy, degrees, color, bits;
} Space;

static double magnitude_of(const Space *s, Op op, int64_t bins, int64_t i) {
    switch (op) {
    case SHEAR_X:
    case SHEAR_Y: return linear(0, s->shear, bins, i);
    case TRANSLATE_X: return linear(0, s->dx, bins, i);
    case TRANSLATE_Y: return linear(0, s->dy, bins, i);
    case ROTATE: return linear(0, s->degrees, bins, i);
    case POSTERIZE: return 8 - (double)rintf((float)i / (float)((double)(bins - 1) / s->bits));
    case SOLARIZE: return linear(255, 0, bins, i);
    default: return linear(0, s->color, bins, i);
    }
}

static Space space_of(const Tensor *img) {
    return (Space){0.3, 150.0 / 331.0 * (double)tg_image_width(img), 150.0 / 331.0 * (double)tg_image_height(img), 30,
                   0.9, 4};
}

static void fill_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_text(out, ", fill=");
    tg_print_values(out, &self->fill);
    tg_output_text(out, ")");
}

static transforms_Transform *with_fill(const tg_ImageTransformClass *is_a, int64_t number,
                                       transforms_InterpolationMode interpolation, const transforms_Values *fill) {
    transforms_Transform *self = tg_image_transform_new(is_a);
    if (!self) return NULL;
    self->number = number;
    self->interpolation = interpolation;
    self->fill = fill ? *fill : (transforms_Values){.items = {NAN}, .count = -1};
    return self;
}

/* ---- AutoAugment ---- */

/* With this probability, at this magnitude of 0 to 9. */
typedef struct Step {
    uint8_t op;
    float p;
    uint8_t magnitude;
} Step;
enum { POLICIES = 25 };

static const Step policies[][POLICIES][2] = {
    { /* IMAGENET */
        {{POSTERIZE, 0.4f, 8}, {ROTATE, 0.6f, 9}}, {{SOLARIZE, 0.6f, 5}, {AUTO_CONTRAST, 0.6f, 0}},
        {{EQUALIZE, 0.8f, 0}, {EQUALIZE, 0.6f, 0}}, {{POSTERIZE, 0.6f, 7}, {POSTERIZE, 0.6f, 6}},
        {{EQUALIZE, 0.4f, 0}, {SOLARIZE, 0.2f, 4}}, {{EQUALIZE, 0.4f, 0}, {ROTATE, 0.8f, 8}},
        {{SOLARIZE, 0.6f, 3}, {EQUALIZE, 0.6f, 0}}, {{POSTERIZE, 0.8f, 5}, {EQUALIZE, 1.0f, 0}},
        {{ROTATE, 0.2f, 3}, {SOLARIZE, 0.6f, 8}}, {{EQUALIZE, 0.6f, 0}, {POSTERIZE, 0.4f, 6}},
        {{ROTATE, 0.8f, 8}, {COLOR, 0.4f, 0}}, {{ROTATE, 0.4f, 9}, {EQUALIZE, 0.6f, 0}},
        {{EQUALIZE, 0.0f, 0}, {EQUALIZE, 0.8f, 0}}, {{INVERT, 0.6f, 0}, {EQUALIZE, 1.0f, 0}},
        {{COLOR, 0.6f, 4}, {CONTRAST, 1.0f, 8}}, {{ROTATE, 0.8f, 8}, {COLOR, 1.0f, 2}},
        {{COLOR, 0.8f, 8}, {SOLARIZE, 0.8f, 7}}, {{SHARPNESS, 0.4f, 7}, {INVERT, 0.6f, 0}},
        {{SHEAR_X, 0.6f, 5}, {EQUALIZE, 1.0f, 0}}, {{COLOR, 0.4f, 0}, {EQUALIZE, 0.6f, 0}},
        {{EQUALIZE, 0.4f, 0}, {SOLARIZE, 0.2f, 4}}, {{SOLARIZE, 0.6f, 5}, {AUTO_CONTRAST, 0.6f, 0}},
        {{INVERT, 0.6f, 0}, {EQUALIZE, 1.0f, 0}}, {{COLOR, 0.6f, 4}, {CONTRAST, 1.0f, 8}},
        {{EQUALIZE, 0.8f, 0}, {EQUALIZE, 0.6f, 0}},
    },
    { /* CIFAR10 */
        {{INVERT, 0.1f, 0}, {CONTRAST, 0.2f, 6}}, {{ROTATE, 0.7f, 2}, {TRANSLATE_X, 0.3f, 9}},
        {{SHARPNESS, 0.8f, 1}, {SHARPNESS, 0.9f, 3}}, {{SHEAR_Y, 0.5f, 8}, {TRANSLATE_Y, 0.7f, 9}},
        {{AUTO_CONTRAST, 0.5f, 0}, {EQUALIZE, 0.9f, 0}}, {{SHEAR_Y, 0.2f, 7}, {POSTERIZE, 0.3f, 7}},
        {{COLOR, 0.4f, 3}, {BRIGHTNESS, 0.6f, 7}}, {{SHARPNESS, 0.3f, 9}, {BRIGHTNESS, 0.7f, 9}},
        {{EQUALIZE, 0.6f, 0}, {EQUALIZE, 0.5f, 0}}, {{CONTRAST, 0.6f, 7}, {SHARPNESS, 0.6f, 5}},
        {{COLOR, 0.7f, 7}, {TRANSLATE_X, 0.5f, 8}}, {{EQUALIZE, 0.3f, 0}, {AUTO_CONTRAST, 0.4f, 0}},
        {{TRANSLATE_Y, 0.4f, 3}, {SHARPNESS, 0.2f, 6}}, {{BRIGHTNESS, 0.9f, 6}, {COLOR, 0.2f, 8}},
        {{SOLARIZE, 0.5f, 2}, {INVERT, 0.0f, 0}}, {{EQUALIZE, 0.2f, 0}, {AUTO_CONTRAST, 0.6f, 0}},
        {{EQUALIZE, 0.2f, 0}, {EQUALIZE, 0.6f, 0}}, {{COLOR, 0.9f, 9}, {EQUALIZE, 0.6f, 0}},
        {{AUTO_CONTRAST, 0.8f, 0}, {SOLARIZE, 0.2f, 8}}, {{BRIGHTNESS, 0.1f, 3}, {COLOR, 0.7f, 0}},
        {{SOLARIZE, 0.4f, 5}, {AUTO_CONTRAST, 0.9f, 0}}, {{TRANSLATE_Y, 0.9f, 9}, {TRANSLATE_Y, 0.7f, 9}},
        {{AUTO_CONTRAST, 0.9f, 0}, {SOLARIZE, 0.8f, 3}}, {{EQUALIZE, 0.8f, 0}, {INVERT, 0.1f, 0}},
        {{TRANSLATE_Y, 0.7f, 9}, {AUTO_CONTRAST, 0.9f, 0}},
    },
    { /* SVHN */
        {{SHEAR_X, 0.9f, 4}, {INVERT, 0.2f, 0}}, {{SHEAR_Y, 0.9f, 8}, {INVERT, 0.7f, 0}},
        {{EQUALIZE, 0.6f, 0}, {SOLARIZE, 0.6f, 6}}, {{INVERT, 0.9f, 0}, {EQUALIZE, 0.6f, 0}},
        {{EQUALIZE, 0.6f, 0}, {ROTATE, 0.9f, 3}}, {{SHEAR_X, 0.9f, 4}, {AUTO_CONTRAST, 0.8f, 0}},
        {{SHEAR_Y, 0.9f, 8}, {INVERT, 0.4f, 0}}, {{SHEAR_Y, 0.9f, 5}, {SOLARIZE, 0.2f, 6}},
        {{INVERT, 0.9f, 0}, {AUTO_CONTRAST, 0.8f, 0}}, {{EQUALIZE, 0.6f, 0}, {ROTATE, 0.9f, 3}},
        {{SHEAR_X, 0.9f, 4}, {SOLARIZE, 0.3f, 3}}, {{SHEAR_Y, 0.8f, 8}, {INVERT, 0.7f, 0}},
        {{EQUALIZE, 0.9f, 0}, {TRANSLATE_Y, 0.6f, 6}}, {{INVERT, 0.9f, 0}, {EQUALIZE, 0.6f, 0}},
        {{CONTRAST, 0.3f, 3}, {ROTATE, 0.8f, 4}}, {{INVERT, 0.8f, 0}, {TRANSLATE_Y, 0.0f, 2}},
        {{SHEAR_Y, 0.7f, 6}, {SOLARIZE, 0.4f, 8}}, {{INVERT, 0.6f, 0}, {ROTATE, 0.8f, 4}},
        {{SHEAR_Y, 0.3f, 7}, {TRANSLATE_X, 0.9f, 3}}, {{SHEAR_X, 0.1f, 6}, {INVERT, 0.6f, 0}},
        {{SOLARIZE, 0.7f, 2}, {TRANSLATE_Y, 0.6f, 7}}, {{SHEAR_Y, 0.8f, 4}, {INVERT, 0.8f, 0}},
        {{SHEAR_X, 0.7f, 9}, {TRANSLATE_Y, 0.8f, 3}}, {{SHEAR_Y, 0.8f, 5}, {AUTO_CONTRAST, 0.7f, 0}},
        {{SHEAR_X, 0.7f, 2}, {INVERT, 0.1f, 0}},
    },
};

static Tensor *auto_augment_call(transforms_Transform *self, Tensor *img) {
    tg_Draw g = tg_engine(NULL);
    if (!g || !tg_check_image(img)) return NULL;
    const Space space = space_of(img);
    const Step *steps = policies[self->number][tg_draw_randint(g, 0, POLICIES)];
    float chances[2];
    bool is_positive[2];
    for (int i = 0; i < 2; i++) chances[i] = tg_mt_float(g);
    for (int i = 0; i < 2; i++) is_positive[i] = tg_draw_randint(g, 0, 2) != 0;
    for (int i = 0; img && i < 2; i++) {
        if (!(chances[i] <= steps[i].p)) continue;
        const Op op = (Op)steps[i].op;
        double magnitude = has_magnitude(op) ? magnitude_of(&space, op, 10, steps[i].magnitude) : 0;
        if (has_sign(op) && !is_positive[i]) magnitude = -magnitude;
        img = apply(self, img, op, magnitude);
    }
    return img;
}

static void auto_augment_repr(const transforms_Transform *self, tg_Output *out) {
    static const char *const names[] = {"IMAGENET", "CIFAR10", "SVHN"};
    tg_output_print(out, "AutoAugment(policy=AutoAugmentPolicy.%s", names[self->number]);
    fill_repr(self, out);
}
static const tg_ImageTransformClass auto_augment_class = {"AutoAugment", auto_augment_call, auto_augment_repr};

/* AutoAugment(policy, interpolation, fill): one of the policy's 25 pairs of operations. Images are uint8. */
transforms_Transform *transforms_AutoAugment_new(transforms_AutoAugmentPolicy policy,
                                                 transforms_InterpolationMode interpolation,
                                                 const transforms_Values *fill) {
    if ((unsigned)policy > AutoAugmentPolicy_SVHN)
        return tg_fail("The provided policy %d is not recognized.", (int)policy);
    return with_fill(&auto_augment_class, policy, interpolation, fill);
}

/* ---- RandAugment ---- */

static Tensor *rand_augment_call(transforms_Transform *self, Tensor *img) {
    tg_Draw g = tg_engine(NULL);
    if (!g || !tg_check_image(img)) return NULL;
    const Space space = space_of(img);
    for (int64_t i = 0; img && i < self->size[0]; i++) {
        const Op op = (Op)tg_draw_randint(g, 0, OPS);
        double magnitude = has_magnitude(op) ? magnitude_of(&space, op, self->number, self->size[1]) : 0;
        if (has_sign(op) && tg_draw_randint(g, 0, 2)) magnitude = -magnitude;
        img = apply(self, img, op, magnitude);
    }
    return img;
}

static void rand_augment_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_print(out, "RandAugment(num_ops=%lld, magnitude=%lld, num_magnitude_bins=%lld, interpolation=",
                    (long long)self->size[0], (long long)self->size[1], (long long)self->number);
    tg_print_mode(out, self->interpolation);
    fill_repr(self, out);
}
static const tg_ImageTransformClass rand_augment_class = {"RandAugment", rand_augment_call, rand_augment_repr};

/* RandAugment(num_ops, magnitude, num_magnitude_bins, interpolation, fill): num_ops random operations, all at this
 * magnitude. Images are uint8. Error: a magnitude that is not one of the bins. */
transforms_Transform *transforms_RandAugment_new(int64_t num_ops, int64_t magnitude, int64_t num_magnitude_bins,
                                                 transforms_InterpolationMode interpolation,
                                                 const transforms_Values *fill) {
    if (magnitude < 0 || magnitude >= num_magnitude_bins)
        return tg_fail("index %lld is out of bounds for dimension 0 with size %lld", (long long)magnitude,
                       (long long)num_magnitude_bins);
    transforms_Transform *self = with_fill(&rand_augment_class, num_magnitude_bins, interpolation, fill);
    if (self) self->size[0] = num_ops, self->size[1] = magnitude;
    return self;
}

/* ---- TrivialAugmentWide ---- */

static Tensor *trivial_call(transforms_Transform *self, Tensor *img) {
    static const Space space = {0.99, 32, 32, 135, 0.99, 6};
    tg_Draw g = tg_engine(NULL);
    if (!g || !tg_check_image(img)) return NULL;
    const Op op = (Op)tg_draw_randint(g, 0, OPS);
    double magnitude = 0;
    if (has_magnitude(op)) magnitude = magnitude_of(&space, op, self->number, tg_draw_randint(g, 0, self->number));
    if (has_sign(op) && tg_draw_randint(g, 0, 2)) magnitude = -magnitude;
    return apply(self, img, op, magnitude);
}

static void trivial_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_print(out, "TrivialAugmentWide(num_magnitude_bins=%lld, interpolation=", (long long)self->number);
    tg_print_mode(out, self->interpolation);
    fill_repr(self, out);
}
static const tg_ImageTransformClass trivial_class = {"TrivialAugmentWide", trivial_call, trivial_repr};

/* TrivialAugmentWide(num_magnitude_bins, interpolation, fill): one random operation at a random magnitude. Images are
 * uint8. Error: no bins. */
transforms_Transform *transforms_TrivialAugmentWide_new(int64_t num_magnitude_bins,
                                                        transforms_InterpolationMode interpolation,
                                                        const transforms_Values *fill) {
    if (num_magnitude_bins < 1)
        return tg_fail("num_magnitude_bins should be positive, got %lld", (long long)num_magnitude_bins);
    return with_fill(&trivial_class, num_magnitude_bins, interpolation, fill);
}

/* ---- AugMix ---- */

enum { SEVERITIES = 10 };

static Op aug_mix_op(int64_t i) {
    static const Op ops[] = {SHEAR_X,  SHEAR_Y,       TRANSLATE_X, TRANSLATE_Y, ROTATE,   POSTERIZE, SOLARIZE,
                             AUTO_CONTRAST, EQUALIZE, BRIGHTNESS,  COLOR,       CONTRAST, SHARPNESS};
    return ops[i];
}

/* A chain of random operations on the images. */
static Tensor *augmented(const transforms_Transform *self, Tensor *images, tg_Draw g) {
    const Space space = {0.3, (double)tg_image_width(images) / 3, (double)tg_image_height(images) / 3, 30, 0.9, 4};
    const int64_t depth = self->size[1] > 0 ? self->size[1] : tg_draw_randint(g, 1, 4);
    for (int64_t i = 0; images && i < depth; i++) {
        const Op op = aug_mix_op(tg_draw_randint(g, 0, self->flag ? 13 : 9));
        double magnitude = 0;
        if (has_magnitude(op))
            magnitude = magnitude_of(&space, op, SEVERITIES, tg_draw_randint(g, 0, self->number));
        if (op == POSTERIZE) magnitude -= 4;
        if (has_sign(op) && tg_draw_randint(g, 0, 2)) magnitude = -magnitude;
        images = apply(self, images, op, magnitude);
    }
    return images;
}

/* `count` values of a Dirichlet distribution for each of n images: (n, count). */
static Tensor *draw_weights(double alpha, int64_t n, int64_t count) {
    const t_TensorOptions options = {.size = sizeof options, .dtype = t_float32};
    return tg_sample_dirichlet(t_full((const int64_t[]){n, count}, 2, alpha, &options), NULL);
}

/* Column i of the weights, for images of ndim dims. */
static Tensor *weights_of(Tensor *weights, int64_t i, int64_t ndim) {
    Tensor *w = t_select(weights, 1, i);
    for (int64_t d = 1; w && d < ndim; d++) w = t_unsqueeze(w, -1);
    return w;
}

static Tensor *mixed(const transforms_Transform *self, Tensor *img, tg_Draw g) {
    Tensor *images = img;
    while (images && images->ndim < 4) images = t_unsqueeze(images, 0);
    const int64_t n = images ? images->shape[0] : 0, width = self->size[0];
    Tensor *m = images ? draw_weights(self->p, n, 2) : NULL, *w = NULL;
    if (m && width > 0) w = t_mul(draw_weights(self->p, n, width), t_unsqueeze(t_select(m, 1, 1), 1));
    Tensor *mix = m ? t_mul(weights_of(m, 0, images->ndim), images) : NULL;
    for (int64_t i = 0; mix && i < width; i++) {
        Tensor *more = w ? augmented(self, images, g) : NULL;
        mix = more ? t_add_(mix, t_mul(weights_of(w, i, images->ndim), more)) : NULL;
    }
    return mix ? t_to(t_view(mix, img->shape, img->ndim), img->dtype) : NULL;
}

static Tensor *aug_mix_call(transforms_Transform *self, Tensor *img) {
    tg_Draw g = tg_engine(NULL);
    if (!g || !tg_check_image(img)) return NULL;
    const int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *plain = tg_is_pil(img) ? TF_pil_to_tensor(img) : img, *mix = plain ? mixed(self, plain, g) : NULL;
    return tg_scope_return(depth, mix && tg_is_pil(img) ? TF_to_pil_image(mix) : mix);
}

static void aug_mix_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_print(out, "AugMix(severity=%lld, mixture_width=%lld, chain_depth=%lld, alpha=", (long long)self->number,
                    (long long)self->size[0], (long long)self->size[1]);
    tg_print_float(out, self->p);
    tg_output_print(out, ", all_ops=%s, interpolation=", self->flag ? "True" : "False");
    tg_print_mode(out, self->interpolation);
    fill_repr(self, out);
}
static const tg_ImageTransformClass aug_mix_class = {"AugMix", aug_mix_call, aug_mix_repr};

/* AugMix(severity, mixture_width, chain_depth, alpha, all_ops, interpolation, fill): the image mixed with mixture_width
 * images, each after a chain of chain_depth random operations (below 1: of 1 to 3), by random weights. Error: a
 * severity that is not in [1, 10]. */
transforms_Transform *transforms_AugMix_new(int64_t severity, int64_t mixture_width, int64_t chain_depth, double alpha,
                                            bool all_ops, transforms_InterpolationMode interpolation,
                                            const transforms_Values *fill) {
    if (severity < 1 || severity > SEVERITIES)
        return tg_fail("The severity must be between [1, %d]. Got %lld instead.", SEVERITIES, (long long)severity);
    transforms_Transform *self = with_fill(&aug_mix_class, severity, interpolation, fill);
    if (!self) return NULL;
    self->size[0] = mixture_width;
    self->size[1] = chain_depth;
    self->p = alpha;
    self->flag = all_ops;
    return self;
}
