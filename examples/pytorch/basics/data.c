/* examples/pytorch/basics/data.c: "Learn the basics: datasets and data loaders", with images of its own for
 * Fashion-MNIST, and files of numpy for the folder of pictures.
 *
 * Difficulty: *     Read first: basics/tensors     Read next: basics/transforms */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/core.h"
#include "core/data/data.h"
#include "examples/pytorch/synthetic_images.h"

static const char *const labels_map[] = {"T-Shirt", "Trouser", "Pullover", "Dress", "Coat",
                                         "Sandal",  "Shirt",   "Sneaker",  "Bag",   "Ankle Boot"};

/* ---- a dataset in memory ---- */

typedef struct FashionMNIST {
    Tensor *images, *labels;
} FashionMNIST;

static int64_t fashion_mnist_len(void *self) {
    return t_size(((FashionMNIST *)self)->labels, 0);
}

static bool fashion_mnist_getitem(void *context, int64_t index, Tensor **image, Tensor **label) {
    FashionMNIST *self = context;
    *image = t_at(self->images, "{}", index);
    *label = t_at(self->labels, "{}", index);
    return true;
}

static data_Dataset *fashion_mnist(FashionMNIST *self, int64_t n) {
    synthetic_images(n, 1, 28, 0.2, &self->images, &self->labels);
    return data_Dataset(fashion_mnist_len, fashion_mnist_getitem, .context = self);
}

/* ---- a dataset of files ---- */

enum { MAX_IMAGES = 100 };

typedef Tensor *(*Transform)(Tensor *x);

typedef struct CustomImageDataset {
    struct {
        char name[32];
        int label;
    } img_labels[MAX_IMAGES];
    int len;
    const char *img_dir;
    Transform transform, target_transform;
} CustomImageDataset;

static int64_t custom_image_dataset_len(void *self) {
    return ((CustomImageDataset *)self)->len;
}

static bool custom_image_dataset_getitem(void *context, int64_t idx, Tensor **image, Tensor **label) {
    CustomImageDataset *self = context;
    const char *img_path = t_format("%s/%s", self->img_dir, self->img_labels[idx].name);
    *image = np_load(img_path);
    *label = t_tensor(self->img_labels[idx].label);
    if (self->transform) *image = self->transform(*image);
    if (self->target_transform) *label = self->target_transform(*label);
    return true;
}

static data_Dataset *custom_image_dataset(CustomImageDataset *self, const char *annotations_file, const char *img_dir,
                                          Transform transform, Transform target_transform) {
    FILE *file = fopen(annotations_file, "r");
    char line[64];
    self->len = 0;
    while (self->len < MAX_IMAGES && fgets(line, sizeof line, file)) {
        sscanf(line, "%31[^,],%d", self->img_labels[self->len].name, &self->img_labels[self->len].label);
        self->len++;
    }
    fclose(file);
    self->img_dir = img_dir;
    self->transform = transform;
    self->target_transform = target_transform;
    return data_Dataset(custom_image_dataset_len, custom_image_dataset_getitem, .context = self);
}

static void write_images(data_Dataset *dataset, const char *img_dir, const char *annotations_file) {
    FILE *file = fopen(annotations_file, "w");
    for_range (i, 20) {
        Tensor *img, *label;
        data_dataset_get(dataset, i, &img, &label);
        np_save(t_format("%s/img%d.npy", img_dir, (int)i), img);
        fprintf(file, "img%d.npy,%d\n", (int)i, (int)t_item(label));
    }
    fclose(file);
}

static Tensor *invert(Tensor *image) {
    return t_sub(1, image);
}

static Tensor *is_shoe(Tensor *label) {
    return t_logical_or(t_logical_or(t_eq(label, 5), t_eq(label, 7)), t_eq(label, 9));
}

/* ---- what the tutorial does with them ---- */

static void show_dataset(data_Dataset *training_data) {
    for_range (_, 1, 10) {
        int64_t sample_idx = t_item_int64(t_randint(0, data_dataset_len(training_data), 1));
        Tensor *img, *label;
        data_dataset_get(training_data, sample_idx, &img, &label);
        printf("%3d %-10s %.4f\n", (int)sample_idx, labels_map[t_item_int64(label)], t_item(t_mean(img)));
    }
}

static void show_custom_dataset(const char *img_dir, const char *annotations_file) {
    CustomImageDataset self;
    data_Dataset *dataset = custom_image_dataset(&self, annotations_file, img_dir, invert, is_shoe);
    t_print("images:", data_dataset_len(dataset));
    data_DataLoader *loader = data_DataLoader(dataset, .batch_size = 8);
    for_batch (b, loader) {
        Tensor *images = b.x, *shoes = b.y;
        t_print(t_size_repr(images), t_format("%.4f", t_item(t_mean(images))), shoes);
    }
}

static void iterate(data_Dataset *training_data, data_Dataset *test_data) {
    data_DataLoader *train_dataloader = data_DataLoader(training_data, .batch_size = 64, .shuffle = true);
    data_DataLoader *test_dataloader = data_DataLoader(test_data, .batch_size = 64, .shuffle = true);
    t_print("batches:", data_len(train_dataloader), data_len(test_dataloader));

    data_Batch train = data_first(train_dataloader);
    printf("features of a batch: %s\n", t_size_repr(train.x));
    printf("labels of a batch: %s\n", t_size_repr(train.y));
    Tensor *img = t_squeeze(t_at(train.x, "0"));
    int64_t label = t_item_int64(t_at(train.y, "0"));
    t_print(t_at(img, "::9, ::9"));
    printf("label: %d\n", (int)label);
}

/* Removes the folder and what write_images wrote. */
static void remove_folder(const char *folder) {
    for (int i = 0; i < 20; i++) remove(t_format("%s/img%d.npy", folder, i));
    remove(t_format("%s/labels.csv", folder));
    rmdir(folder);
}

int main(void) {
    t_manual_seed(0);
    FashionMNIST training, test;
    data_Dataset *training_data = fashion_mnist(&training, 640);
    data_Dataset *test_data = fashion_mnist(&test, 160);
    show_dataset(training_data);
    char folder[] = "/tmp/basics_data-XXXXXX";
    if (!mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    write_images(training_data, folder, t_format("%s/labels.csv", folder));
    show_custom_dataset(folder, t_format("%s/labels.csv", folder));
    remove_folder(folder);
    iterate(training_data, test_data);
    return 0;
}
