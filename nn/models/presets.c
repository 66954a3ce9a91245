/* nn/models/presets.c: weights.transforms(), torchvision's ImageClassification: what a model expects of an image. */
#include <inttypes.h>
#include <string.h>

#include "core/vision/transforms/transform_internal.h"
#include "nn/models/weights.h"

static Tensor *classification_call(transforms_Transform *self, Tensor *img) {
    img = TF_resize(img, &self->number, 1, self->interpolation, T_NONE, true);
    img = TF_center_crop(img, self->size, 1);
    if (img && TF_is_pil_image(img)) img = TF_pil_to_tensor(img);
    img = TF_convert_image_dtype(img, t_float32);
    return TF_normalize(img, &self->a, &self->b, false);
}

static void print_values(tg_Output *out, const char *name, const transforms_Values *values) {
    tg_output_print(out, "    %s=[", name);
    for (int i = 0; i < values->count; i++)
        tg_output_print(out, "%s%s", i ? ", " : "", tg_number_text(values->items[i]));
    tg_output_text(out, "]\n");
}

static void classification_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_print(out, "ImageClassification(\n    crop_size=[%" PRId64 "]\n    resize_size=[%" PRId64 "]\n",
                    self->size[0], self->number);
    print_values(out, "mean", &self->a);
    print_values(out, "std", &self->b);
    tg_output_print(out, "    interpolation=InterpolationMode.%s\n)",
                    self->interpolation == InterpolationMode_BICUBIC ? "BICUBIC" : "BILINEAR");
}
static const tg_ImageTransformClass classification_class = {"ImageClassification", classification_call,
                                                            classification_repr};

transforms_Transform *models_Weights_transforms(const models_Weights *weights) {
    if (!tg_check_given(weights && weights->interpolation, 1, "weights")) return NULL;
    transforms_Transform *self = tg_image_transform_new(&classification_class);
    if (!self) return NULL;
    self->size[0] = self->size[1] = weights->crop_size;
    self->sizes = 1;
    self->number = weights->resize_size;
    self->interpolation =
        strcmp(weights->interpolation, "bicubic") == 0 ? InterpolationMode_BICUBIC : InterpolationMode_BILINEAR;
    self->a = (transforms_Values){{0.485, 0.456, 0.406}, 3};
    self->b = (transforms_Values){{0.229, 0.224, 0.225}, 3};
    return self;
}
