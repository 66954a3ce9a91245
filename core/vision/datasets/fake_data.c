/* core/vision/datasets/fake_data.c: torchvision.datasets.FakeData: images of random numbers, to try out a program. */
#include "core/kernels/random/distributions.h"
#include "core/ops/creation/random_internal.h"
#include "core/ops/ops.h"
#include "core/vision/datasets/datasets_internal.h"

/* torch.randn(*image_size) and a label, from the seed index + random_offset; the generator is as before. */
static Tensor *fake_image(const tg_VisionDataset *self, int64_t index, int64_t *target) {
    tg_MT19937 *engine = tg_engine(NULL);
    if (!engine) return NULL;
    const tg_MT19937 before = *engine;
    tg_mt_seed(engine, (uint64_t)(index + self->random_offset));
    Tensor *noise = t_randn(self->image_size, 3, NULL);
    if (noise) tg_fill_randint(engine, target, 1, 0, self->num_classes);
    *engine = before;
    return noise ? TF_to_pil_image(noise) : NULL;
}

/* FakeData(size, image_size, num_classes, transform, target_transform, random_offset). Errors: sizes below 0, no
 * class. */
data_Dataset *datasets_FakeData_new(const datasets_FakeDataOptions *given) {
    datasets_FakeDataOptions options = {
        .size_ = sizeof options, .size = 1000, .image_size = {3, 224, 224}, .num_classes = 10};
    if (!tg_take_options(&options, given, sizeof options)) return NULL;
    for (int d = 0; d < 3; d++)
        if (options.image_size[d] < 1)
            return tg_fail("image_size must be positive, but is %s", tg_shape_text(options.image_size, 3));
    if (options.image_size[0] > 4)
        return tg_fail("pic should not have > 4 channels. Got %lld channels.", (long long)options.image_size[0]);
    if (options.size < 0 || options.num_classes < 1)
        return tg_fail("size must not be negative, and num_classes positive, but they are %lld and %lld",
                       (long long)options.size, (long long)options.num_classes);
    tg_VisionDataset *self = tg_vision_new("FakeData", NULL, options.transform, options.target_transform);
    if (!self) return NULL;
    self->len = options.size;
    self->image = fake_image;
    for (int d = 0; d < 3; d++) self->image_size[d] = options.image_size[d];
    self->num_classes = options.num_classes;
    self->random_offset = options.random_offset;
    return tg_vision_dataset(self, true);
}
