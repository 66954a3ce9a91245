/* core/vision/transforms/transform_internal.h: the struct of a transform, and draws (internal). */
#ifndef TAPEGRAD_CORE_VISION_TRANSFORMS_TRANSFORM_INTERNAL_H
#define TAPEGRAD_CORE_VISION_TRANSFORMS_TRANSFORM_INTERNAL_H

#include "core/io/file.h"
#include "core/kernels/random/distributions.h"
#include "core/ops/creation/random_internal.h"
#include "core/vision/transforms/functional_internal.h"
#include "core/vision/transforms/transforms.h"

/* A class: forward(img), and __repr__. */
typedef struct tg_ImageTransformClass {
    const char *name;
    Tensor *(*call)(transforms_Transform *self, Tensor *img);
    void (*repr)(const transforms_Transform *self, tg_Output *out); /* NULL: "Name()" */
} tg_ImageTransformClass;

/* The attributes of all classes; each uses those that its constructor has. */
struct transforms_Transform {
    t_Object object;
    const tg_ImageTransformClass *is_a;
    transforms_Transform **parts; /* references */
    int64_t count;
    double *weights;              /* of a RandomChoice: count of them, or NULL */
    transforms_Function function; /* of a Lambda, one of the two */
    Tensor *(*plain_function)(Tensor *img);
    void *context;
    int64_t size[2];
    int sizes; /* 1: given as one number */
    int64_t padding[4], max_size, number;
    int paddings;
    double p;
    /* by name: degrees, translate, scale, shear, ratio, mean, std, sigma, value, and ColorJitter's ranges */
    transforms_Values a, b, c, d, fill, center;
    transforms_InterpolationMode interpolation;
    const char *padding_mode; /* a literal */
    t_DType dtype;
    Tensor *tensors[2]; /* references: of a LinearTransformation */
    bool flag; /* inplace, all_ops, expand, antialias, vertical_flip, pad_if_needed */
};

transforms_Transform *tg_image_transform_new(const tg_ImageTransformClass *is_a);
transforms_Transform *tg_image_transform_of(const tg_ImageTransformClass *is_a, transforms_Transform *const *parts,
                                            int64_t count);
bool tg_check_image_transform(const transforms_Transform *transform, int position);
/* False if transforms_call runs a function of the user's. */
bool tg_image_transform_is_pure(const transforms_Transform *transform);

/* Copies a size of one or two numbers, as _setup_size does. */
bool tg_set_size(transforms_Transform *self, const int64_t *size, int count, const char *message);
/* v as two numbers, by default low and high; a single number is the error "Scale should be a sequence", with the name
 * "Scale". */
bool tg_set_pair(transforms_Values *to, const transforms_Values *v, const char *name, double low, double high);

/* ---- draws from torch's default generator: NULL where it is not alive ---- */
typedef tg_MT19937 *tg_Draw;
/* torch.empty(1).uniform_(from, to).item() */
static inline double tg_draw_uniform(tg_Draw g, double from, double to) {
    float x;
    tg_fill_uniform_f32(g, &x, 1, from, to);
    return x;
}
/* torch.randint(low, high, (1,)).item() */
static inline int64_t tg_draw_randint(tg_Draw g, int64_t low, int64_t high) {
    int64_t x;
    tg_fill_randint(g, &x, 1, low, high);
    return x;
}
static inline bool tg_draw_chance(tg_Draw g, double p) { /* torch.rand(1) < p: in float32 */
    return tg_mt_float(g) < (float)p;
}

/* ---- parts of __repr__ ---- */
void tg_print_float(tg_Output *out, double x);                    /* 0.5 */
void tg_print_number(tg_Output *out, double x);                   /* 3, or 0.5 */
void tg_print_values(tg_Output *out, const transforms_Values *v); /* None, 0, (1, 2) */
/* (0.5, 1.0), or with brackets [0.5, 1.0] */
void tg_print_floats(tg_Output *out, const double *x, int count, bool brackets);
const char *tg_mode_name(transforms_InterpolationMode mode);
void tg_print_mode(tg_Output *out, transforms_InterpolationMode mode); /* InterpolationMode.NEAREST_EXACT */

#endif
