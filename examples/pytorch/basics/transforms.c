/* examples/pytorch/basics/transforms.c: "Learn the basics: transforms": pictures of bytes become tensors from 0 to 1,
 * and labels become one-hot rows.
 *
 * Difficulty: *     Read first: basics/data     Read next: basics/build_model */
#include <stdio.h>

#include "core/core.h"
#include "core/data/data.h"

/* torchvision's ToTensor: from (height, width, channels) of 0 to 255 to (channels, height, width) of 0 to 1. */
static Tensor *to_tensor(Tensor *image) {
    return t_div(t_float(t_permute(image, 2, 0, 1)), 255);
}

static Tensor *one_hot(Tensor *y) {
    return t_scatter_(t_zeros(10, .dtype = t_float32), 0, y, 1);
}

typedef Tensor *(*Transform)(Tensor *x);

typedef struct Pictures {
    Tensor *pictures, *targets;
    Transform transform, target_transform;
} Pictures;

static int64_t pictures_len(void *self) {
    return t_size(((Pictures *)self)->targets, 0);
}

static bool pictures_getitem(void *context, int64_t index, Tensor **image, Tensor **label) {
    Pictures *self = context;
    *image = self->transform(t_at(self->pictures, "{}", index));
    *label = self->target_transform(t_at(self->targets, "{}", index));
    return true;
}

static data_Dataset *pictures(Pictures *self, int64_t n, Transform transform, Transform target_transform) {
    self->pictures = t_randint(0, 256, n, 28, 28, 1);
    self->targets = t_randint(0, 10, n, 1);
    self->transform = transform;
    self->target_transform = target_transform;
    return data_Dataset(pictures_len, pictures_getitem, .context = self);
}

static void show_transforms(void) {
    Pictures self;
    data_Dataset *ds = pictures(&self, 6, to_tensor, one_hot);
    Tensor *image, *label;
    data_dataset_get(ds, 0, &image, &label);
    t_print(t_size_repr(image), t_dtype_repr(t_dtype(image)));
    printf("from %.4f to %.4f\n", t_item(t_min(image)), t_item(t_max(image)));
    t_print(t_at(self.targets, "0"), label);
    for_batch (b, data_DataLoader(ds, .batch_size = 3)) {
        Tensor *images = b.x, *labels = b.y;
        t_print(t_size_repr(images), t_format("%.4f", t_item(t_mean(images))));
        t_print(labels);
    }
}

int main(void) {
    t_manual_seed(0);
    show_transforms();
    return 0;
}
