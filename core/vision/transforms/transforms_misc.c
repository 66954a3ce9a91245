/* core/vision/transforms/transforms_misc.c: ToTensor, PILToTensor, ToPILImage, ConvertImageDtype, Normalize,
 * LinearTransformation, RandomErasing. */
#include <math.h>

#include "core/ops/ops.h"
#include "core/vision/transforms/transform_internal.h"

/* ---- dtypes ---- */

static Tensor *to_tensor_call(transforms_Transform *self, Tensor *img) {
    (void)self;
    return TF_to_tensor(img);
}
static const tg_ImageTransformClass to_tensor_class = {"ToTensor", to_tensor_call, NULL};

/* ToTensor(): TF_to_tensor. */
transforms_Transform *transforms_ToTensor_new(void) {
    return tg_image_transform_new(&to_tensor_class);
}

static Tensor *pil_to_tensor_call(transforms_Transform *self, Tensor *img) {
    (void)self;
    return TF_pil_to_tensor(img);
}
static const tg_ImageTransformClass pil_to_tensor_class = {"PILToTensor", pil_to_tensor_call, NULL};

transforms_Transform *transforms_PILToTensor_new(void) {
    return tg_image_transform_new(&pil_to_tensor_class);
}

static Tensor *to_pil_image_call(transforms_Transform *self, Tensor *img) {
    (void)self;
    return TF_to_pil_image(img);
}
static const tg_ImageTransformClass to_pil_image_class = {"ToPILImage", to_pil_image_call, NULL};

transforms_Transform *transforms_ToPILImage_new(void) {
    return tg_image_transform_new(&to_pil_image_class);
}

static Tensor *convert_call(transforms_Transform *self, Tensor *img) {
    return TF_convert_image_dtype(img, self->dtype);
}
static const tg_ImageTransformClass convert_class = {"ConvertImageDtype", convert_call, NULL};

transforms_Transform *transforms_ConvertImageDtype_new(t_DType dtype) {
    transforms_Transform *self = tg_check_dtype(dtype) ? tg_image_transform_new(&convert_class) : NULL;
    if (self) self->dtype = dtype;
    return self;
}

/* ---- Normalize ---- */

static Tensor *normalize_call(transforms_Transform *self, Tensor *img) {
    return TF_normalize(img, &self->a, &self->b, self->flag);
}

static void normalize_repr(const transforms_Transform *self, tg_Output *out) {
    const transforms_Values *const values[] = {&self->a, &self->b};
    for (int i = 0; i < 2; i++) {
        tg_output_text(out, i ? ", std=" : "Normalize(mean=");
        if (values[i]->count < 0)
            tg_print_float(out, values[i]->items[0]);
        else
            tg_print_floats(out, values[i]->items, values[i]->count, false);
    }
    tg_output_text(out, ")");
}
static const tg_ImageTransformClass normalize_class = {"Normalize", normalize_call, normalize_repr};

/* The values of {0.5, 0.5, 0.5}, written without a count: a std has no zeros. */
static int count_in_braces(const transforms_Values *std) {
    int count = 0;
    while (count < TRANSFORMS_MAX_VALUES && std->items[count] != 0) count++;
    return count ? count : 1;
}

/* Normalize(mean, std): TF_normalize. */
transforms_Transform *transforms_Normalize_new(const transforms_Values *mean, const transforms_Values *std,
                                               bool inplace) {
    if (tg_no_value(mean) || tg_no_value(std))
        return tg_fail("Normalize.__init__() missing a required argument: '%s'", tg_no_value(mean) ? "mean" : "std");
    transforms_Transform *self = tg_image_transform_new(&normalize_class);
    if (!self) return NULL;
    self->a = *mean;
    self->b = *std;
    if (std->count == 0) self->b.count = count_in_braces(std);
    if (mean->count == 0) self->a.count = self->b.count > 0 ? self->b.count : 1;
    self->flag = inplace;
    return self;
}

/* ---- LinearTransformation ---- */

static Tensor *linear_call(transforms_Transform *self, Tensor *x) {
    Tensor *matrix = self->tensors[0], *mean = self->tensors[1];
    if (!tg_check_any(x, 1)) return NULL;
    if (tg_is_pil(x)) return tg_fail("LinearTransformation does not support PIL images");
    if (x->ndim < 3) return tg_fail("tuple index out of range");
    const int64_t *size = x->shape + x->ndim - 3, n = size[0] * size[1] * size[2], flat[] = {-1, n};
    if (n != matrix->shape[0])
        return tg_fail("Input tensor and transformation matrix have incompatible shape.[%lld x %lld x %lld] != %lld",
                       (long long)size[0], (long long)size[1], (long long)size[2], (long long)matrix->shape[0]);
    const int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *centered = t_sub(t_view(x, flat, 2), mean);
    Tensor *y = centered ? t_mm(centered, t_to(matrix, centered->dtype)) : NULL;
    return tg_scope_return(depth, y ? t_view(y, x->shape, x->ndim) : NULL);
}

/* tensor.tolist() of one or two dims. */
static void print_list(tg_Output *out, Tensor *x) {
    tg_output_text(out, "[");
    for (int64_t i = 0; i < x->shape[0]; i++) {
        const int depth = t_scope_open();
        Tensor *part = depth ? t_select(x, 0, i) : NULL;
        if (i) tg_output_text(out, ", ");
        if (part && part->ndim)
            print_list(out, part);
        else if (part && tg_is_floating(x->dtype))
            tg_print_float(out, t_item(part));
        else if (part)
            tg_print_number(out, t_item(part));
        t_scope_close(depth);
    }
    tg_output_text(out, "]");
}

static void linear_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_text(out, "LinearTransformation(transformation_matrix=");
    print_list(out, self->tensors[0]);
    tg_output_text(out, ", mean_vector=");
    print_list(out, self->tensors[1]);
    tg_output_text(out, ")");
}
static const tg_ImageTransformClass linear_class = {"LinearTransformation", linear_call, linear_repr};

/* LinearTransformation(transformation_matrix, mean_vector): the flattened image less the mean (D), times the matrix
 * (D, D), D = C H W, for whitening. It keeps both. Errors: sizes, dtypes; an image of another size. */
transforms_Transform *transforms_LinearTransformation_new(Tensor *transformation_matrix, Tensor *mean_vector) {
    Tensor *matrix = transformation_matrix, *mean = mean_vector;
    if (!tg_check_two(matrix, mean)) return NULL;
    if (matrix->ndim != 2) return tg_fail("transformation_matrix should be square. Got %s", tg_shape_of(matrix));
    if (mean->ndim != 1) return tg_fail("mean_vector should have one dimension. Got %s", tg_shape_of(mean));
    const long long rows = matrix->shape[0], columns = matrix->shape[1], length = mean->shape[0];
    if (rows != columns)
        return tg_fail("transformation_matrix should be square. Got (%lld, %lld) rectangular matrix.", rows, columns);
    if (length != rows)
        return tg_fail("mean_vector should have the same length %lld as any one of the dimensions of the "
                       "transformation_matrix [(%lld, %lld)]",
                       length, rows, columns);
    if (matrix->dtype != mean->dtype)
        return tg_fail("Input tensors should have the same dtype. Got torch.%s and torch.%s",
                       tg_dtype_name(matrix->dtype), tg_dtype_name(mean->dtype));
    transforms_Transform *self = tg_image_transform_new(&linear_class);
    if (!self) return NULL;
    self->tensors[0] = t_retain(matrix);
    self->tensors[1] = t_retain(mean);
    return self;
}

/* ---- RandomErasing ---- */

/* A rectangle of a part of the image's area and a ratio of height to width, and what it is filled with; false if none
 * of ten tries fits. */
static bool erasing_params(const transforms_Transform *self, tg_Draw g, const Tensor *img, int64_t box[4], Tensor **v) {
    const int64_t C = tg_image_channels(img), H = tg_image_height(img), W = tg_image_width(img);
    Tensor *log_ratio =
        t_log(t_tensor_from_data(self->b.items, t_float64, (const int64_t[]){2}, 1,
                                 &(t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = t_float32}));
    if (!log_ratio) return false;
    const float *logs = tg_data(log_ratio);
    for (int i = 0; i < 10; i++) {
        const double area = (double)(H * W) * tg_draw_uniform(g, self->a.items[0], self->a.items[1]);
        Tensor *aspect = t_exp(t_tensor_from_data(
            (const double[]){tg_draw_uniform(g, (double)logs[0], (double)logs[1])}, t_float64, (const int64_t[]){1}, 1,
            &(t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = t_float32}));
        if (!aspect) return false;
        const double ratio = tg_read_double(aspect);
        const int64_t h = (int64_t)rint(sqrt(area * ratio)), w = (int64_t)rint(sqrt(area / ratio));
        if (!(h < H && w < W)) continue;
        const t_TensorOptions options = {.size = sizeof options, .dtype = t_float32};
        if (tg_no_value(&self->c)) {
            *v = t_normal_(t_empty((const int64_t[]){C, h, w}, 3, &options), 0, 1, NULL);
        } else {
            const int64_t shape[] = {tg_values_count(&self->c, (int)C), 1, 1};
            *v = t_tensor_from_data(self->c.items, t_float64, shape, 3, &options);
        }
        box[2] = h, box[3] = w;
        box[0] = tg_draw_randint(g, 0, H - h + 1);
        box[1] = tg_draw_randint(g, 0, W - w + 1);
        return *v != NULL;
    }
    return false;
}

static Tensor *erasing_call(transforms_Transform *self, Tensor *img) {
    tg_Draw g = tg_engine(NULL);
    if (!g) return NULL;
    if (!tg_draw_chance(g, self->p)) return img;
    if (!tg_check_image(img)) return NULL;
    if (img->ndim < 3) return tg_fail("Input image tensor should have at least 3 dimensions, but found %d", img->ndim);
    const int64_t C = tg_image_channels(img);
    const int count = tg_values_count(&self->c, (int)C);
    if (count > 1 && count != C)
        return tg_fail("If value is a sequence, it should have either a single value or %lld (number of input "
                       "channels)",
                       (long long)C);
    int64_t box[4];
    Tensor *v = NULL;
    const int64_t failures = tg_context()->failures;
    if (!erasing_params(self, g, img, box, &v)) {
        if (tg_failed_since(failures)) return NULL;
        if (img->is_pil_image) return tg_fail("img should be Tensor Image. Got <class 'PIL.Image.Image'>");
        return self->flag ? img : t_clone(img);
    }
    return TF_erase(img, box[0], box[1], box[2], box[3], v, self->flag);
}

static void erasing_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_text(out, "RandomErasing(p=");
    tg_print_float(out, self->p);
    tg_output_text(out, ", scale=");
    tg_print_floats(out, self->a.items, 2, false);
    tg_output_text(out, ", ratio=");
    tg_print_floats(out, self->b.items, 2, false);
    tg_output_text(out, ", value=");
    if (tg_no_value(&self->c))
        tg_output_text(out, "random");
    else
        tg_print_values(out, &self->c);
    tg_output_print(out, ", inplace=%s)", self->flag ? "True" : "False");
}
static const tg_ImageTransformClass erasing_class = {"RandomErasing", erasing_call, erasing_repr};

/* RandomErasing(p, scale, ratio, value): with probability p a rectangle of the tensor is replaced: its area is scale
 * times the image's, its ratio of height to width is from `ratio`. value: a number, one for each channel, or
 * transforms_random for normal noise. Errors: scale or p not in [0, 1], a PIL image. */
transforms_Transform *transforms_RandomErasing_new(double p, const transforms_Values *scale,
                                                   const transforms_Values *ratio, const transforms_Values *value,
                                                   bool inplace) {
    transforms_Values scales, ratios;
    if (!tg_set_pair(&scales, scale, "Scale", 0.02, 0.33) || !tg_set_pair(&ratios, ratio, "Ratio", 0.3, 3.3))
        return NULL;
    if (!(scales.items[0] >= 0 && scales.items[1] <= 1)) return tg_fail("Scale should be between 0 and 1");
    if (!(p >= 0 && p <= 1)) return tg_fail("Random erasing probability should be between 0 and 1");
    transforms_Transform *self = tg_image_transform_new(&erasing_class);
    if (!self) return NULL;
    self->p = p;
    self->a = scales;
    self->b = ratios;
    self->c = value ? *value : (transforms_Values){.items = {0}, .count = -1};
    self->flag = inplace;
    return self;
}
