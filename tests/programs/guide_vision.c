/* tests/programs/guide_vision.c: the lines of examples/PORTING.md on torchvision's transforms and datasets, compiled
 * and run. */
#include "core/vision/vision.h"
#include "tests/programs/guide.h"

static void transforms(void) {
    Tensor *img = TF_to_pil_image(t_rand(3, 40, 60));
    transforms_Transform *transform = transforms_Compose(transforms_Resize(32), transforms_CenterCrop(24),
                                                         transforms_ToTensor());
    SHAPE(transforms_call(transform, img), "[3, 24, 24]");
    transform = transforms_Compose(transforms_RandomCrop(32, .padding = 4), transforms_RandomHorizontalFlip(0.3));
    SHAPE(transforms_call(transform, img), "[3, 32, 32]");
    transforms_Transform *some =
        transforms_RandomApply((transforms_ColorJitter(0.4, 0.4, 0.4, 0.1), transforms_GaussianBlur(5)), .p = 0.8);
    SHAPE(transforms_call(some, img), "[3, 40, 60]");
    transforms_print(transforms_Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)));
    Tensor *small = TF_resize(img, (10, 20), InterpolationMode_BICUBIC);
    SHAPE(small, "[3, 10, 20]");
}

static Tensor *as_float(Tensor *target) {
    return t_float(target);
}

static void datasets(void) {
    data_Dataset *fake = datasets_FakeData(8, .image_size = {1, 28, 28}, .transform = transforms_ToTensor(),
                                           .target_transform = transforms_Lambda(as_float));
    for_batch (batch, data_DataLoader(fake, .batch_size = 4)) SHAPE(batch.x, "[4, 1, 28, 28]");
    /* of files that are not here: the error says where they come from */
    t_set_error_handler(NULL, NULL);
    data_Dataset *(*const mnist)(const char *, const datasets_Options *) = datasets_MNIST_new;
    checked += mnist("build/no_such_folder", NULL) == NULL && t_error() != NULL;
    t_clear_error();
    if (checked > 100) { /* compiled only */
        transforms_Transform *transform = transforms_ToTensor();
        data_Dataset *train = datasets_MNIST("data", .train = true, .transform = transform);
        train = datasets_CIFAR10("data", .train = false, .transform = transform);
        train = datasets_ImageFolder("data/train", transform);
        datasets_print(train);
    }
}

int main(void) {
    with_scope() {
        transforms();
        datasets();
    }
    return all_checked(7);
}
