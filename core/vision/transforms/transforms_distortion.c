/* core/vision/transforms/transforms_distortion.c: RandomPerspective, ElasticTransform. */
#include <math.h>

#include "core/ops/ops.h"
#include "core/vision/transforms/transform_internal.h"

static const transforms_Values zero = {.items = {0}, .count = -1};

/* ---- RandomPerspective ---- */

/* A corner moves by up to `most` pixels into the image: from 0, or from the far side. */
static int64_t draw_corner(tg_Draw g, int64_t size, int64_t most, bool is_far) {
    return is_far ? tg_draw_randint(g, size - most - 1, size) : tg_draw_randint(g, 0, most + 1);
}

static Tensor *perspective_call(transforms_Transform *self, Tensor *img) {
    tg_Draw g = tg_engine(NULL);
    if (!g || !tg_check_image(img)) return NULL;
    if (!tg_draw_chance(g, self->p)) return img;
    const int64_t w = tg_image_width(img), h = tg_image_height(img);
    const int64_t right = (int64_t)(self->a.items[0] * (double)(w / 2)),
                  down = (int64_t)(self->a.items[0] * (double)(h / 2));
    const int64_t start[8] = {0, 0, w - 1, 0, w - 1, h - 1, 0, h - 1};
    int64_t end[8];
    for (int i = 0; i < 4; i++) {
        end[2 * i] = draw_corner(g, w, right, i == 1 || i == 2);
        end[2 * i + 1] = draw_corner(g, h, down, i >= 2);
    }
    return TF_perspective(img, start, end, self->interpolation, &self->fill);
}

static void perspective_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_text(out, "RandomPerspective(p=");
    tg_print_float(out, self->p);
    tg_output_text(out, ")");
}
static const tg_ImageTransformClass perspective_class = {"RandomPerspective", perspective_call, perspective_repr};

/* RandomPerspective(distortion_scale, p, interpolation, fill): with probability p TF_perspective, where each corner
 * moves into the image by up to distortion_scale times half of its size. Error: a scale that is not in [0, 1]. */
transforms_Transform *transforms_RandomPerspective_new(double distortion_scale, double p,
                                                       transforms_InterpolationMode interpolation,
                                                       const transforms_Values *fill) {
    if (!(distortion_scale >= 0 && distortion_scale <= 1))
        return tg_fail("distortion_scale (%s) is not in [0, 1].", tg_number_text(distortion_scale));
    transforms_Transform *self = tg_image_transform_new(&perspective_class);
    if (!self) return NULL;
    self->p = p;
    self->a.items[0] = distortion_scale;
    self->interpolation = interpolation;
    self->fill = tg_no_value(fill) ? zero : *fill;
    return self;
}

/* ---- ElasticTransform ---- */

/* Uniform noise from -1 to 1, blurred, times alpha pixels, along dim d: 0 x, 1 y. */
static Tensor *draw_displacement(const transforms_Transform *self, int d, int64_t h, int64_t w) {
    const t_TensorOptions options = {.size = sizeof options, .dtype = t_float32};
    const double *sigma = self->b.items;
    Tensor *noise = t_rand((const int64_t[]){1, 1, h, w}, 4, &options);
    noise = t_sub(t_mul(noise, t_number(2)), t_number(1));
    if (noise && sigma[d] > 0) {
        if (8 * sigma[d] + 1 > INT32_MAX)
            return tg_fail("the kernel for sigma %s is larger than any image", tg_number_text(sigma[d]));
        int64_t k = (int64_t)(8 * sigma[d] + 1);
        k += k % 2 == 0;
        noise = TF_gaussian_blur(noise, (const int64_t[]){k, k}, 2, &self->b);
    }
    return noise ? t_div(t_mul(noise, t_number(self->a.items[d])), t_number((double)(d == 0 ? w : h))) : NULL;
}

static Tensor *elastic_call(transforms_Transform *self, Tensor *img) {
    if (!tg_check_image(img)) return NULL;
    const int64_t h = tg_image_height(img), w = tg_image_width(img), to[] = {0, 2, 3, 1};
    const int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *dx = draw_displacement(self, 0, h, w), *dy = dx ? draw_displacement(self, 1, h, w) : NULL;
    t_TensorList *both = dy ? t_list_new((Tensor *[]){dx, dy}, 2) : NULL;
    Tensor *displacement = both ? t_permute(t_cat(both, 1), to, 4) : NULL;
    return tg_scope_return(
        depth, displacement ? TF_elastic_transform(img, displacement, self->interpolation, &self->fill) : NULL);
}

static void elastic_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_text(out, "ElasticTransform(alpha=");
    tg_print_floats(out, self->a.items, 2, true);
    tg_output_text(out, ", sigma=");
    tg_print_floats(out, self->b.items, 2, true);
    tg_output_text(out, ", interpolation=");
    tg_print_mode(out, self->interpolation);
    tg_output_text(out, ", fill=");
    tg_print_floats(out, self->fill.items, self->fill.count < 0 ? 1 : self->fill.count, true);
    tg_output_text(out, ")");
}
static const tg_ImageTransformClass elastic_class = {"ElasticTransform", elastic_call, elastic_repr};

static bool set_both(transforms_Values *to, const transforms_Values *v, double otherwise, const char *name) {
    const int count = tg_values_count(v, 2);
    if (count > 2 || (count == 1 && v->count == 1))
        return tg_fail("If %s is a sequence its length should be 2. Got %d", name, count);
    for (int i = 0; i < 2; i++) to->items[i] = count ? v->items[count == 1 ? 0 : i] : otherwise;
    to->count = 2;
    return true;
}

/* ElasticTransform(alpha, sigma, interpolation, fill): TF_elastic_transform by random displacements of up to alpha
 * pixels, which a Gaussian of sigma smooths; each a number, or one along x and one along y. Error of a call: a kernel
 * of 8 sigma + 1 that is larger than the image allows. */
transforms_Transform *transforms_ElasticTransform_new(const transforms_Values *alpha, const transforms_Values *sigma,
                                                      transforms_InterpolationMode interpolation,
                                                      const transforms_Values *fill) {
    transforms_Values a, b;
    if (!set_both(&a, alpha, 50, "alpha") || !set_both(&b, sigma, 5, "sigma")) return NULL;
    transforms_Transform *self = tg_image_transform_new(&elastic_class);
    if (!self) return NULL;
    self->a = a;
    self->b = b;
    self->interpolation = interpolation;
    self->fill = tg_no_value(fill) ? zero : *fill;
    return self;
}
