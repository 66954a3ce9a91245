/* core/vision/datasets/datasets.h: torchvision.datasets as plain functions (public).
 *
 * A dataset reads the user's files in torchvision's folder layout; nothing is downloaded: with missing files, or with
 * download = true and missing files, the error says which they are and where they come from. Its samples are an image
 * and a label: a PIL image (core/vision/transforms/functional.h) that went through `transform`, and an int64 that went
 * through `target_transform`. It is a data_Dataset, for data_DataLoader, data_Subset and their like; workers copy
 * it without its data (a transforms_Lambda in it is called by one worker at a time). */
#ifndef TAPEGRAD_CORE_VISION_DATASETS_DATASETS_H
#define TAPEGRAD_CORE_VISION_DATASETS_DATASETS_H

#include "core/data/dataset.h"
#include "core/vision/transforms/transforms.h"

T_BEGIN_DECLS

/* Keywords, in the order of torchvision; NULL: all defaults. */
typedef struct datasets_Options {
    uint32_t size;
    bool train;                                         /* default: true */
    transforms_Transform *transform, *target_transform; /* NULL: None */
    bool download;                                      /* default: false */
} datasets_Options;

/* Files in ROOT/MNIST/raw: train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and
 * t10k-labels-idx1-ubyte, or the same names with .gz; the other three have the name of their class in the path. */
T_API data_Dataset *datasets_MNIST_new(const char *root, const datasets_Options *options); /* MNIST(root, train=True) */
T_API data_Dataset *datasets_FashionMNIST_new(const char *root, const datasets_Options *options); /* FashionMNIST */
T_API data_Dataset *datasets_KMNIST_new(const char *root, const datasets_Options *options);       /* KMNIST */
T_API data_Dataset *datasets_QMNIST_new(const char *root, const datasets_Options *options);       /* QMNIST */
/* EMNIST(root, split, train=True): ROOT/EMNIST/raw/emnist-SPLIT-train-images-idx3-ubyte and its like; split is
 * "byclass", "bymerge", "balanced", "letters", "digits" or "mnist"; of letters the labels are from 1 on. The images are
 * transposed, as in the files. */
T_API data_Dataset *datasets_EMNIST_new(const char *root, const char *split, const datasets_Options *options);

/* Files in ROOT/cifar-10-batches-py, data_batch_1 to data_batch_5, test_batch and batches.meta, or of the binary
 * version in ROOT/cifar-10-batches-bin, data_batch_1.bin, ..., batches.meta.txt; of CIFAR-100 in
 * ROOT/cifar-100-python, train, test and meta, or in ROOT/cifar-100-binary, train.bin, test.bin and
 * fine_label_names.txt. */
T_API data_Dataset *datasets_CIFAR10_new(const char *root, const datasets_Options *options);  /* CIFAR10(root) */
T_API data_Dataset *datasets_CIFAR100_new(const char *root, const datasets_Options *options); /* CIFAR100(root) */

/* Random images, with torchvision's draws for each index. */
typedef struct datasets_FakeDataOptions {
    uint32_t size_;                                     /* sizeof(datasets_FakeDataOptions) */
    int64_t size;                                       /* number of images, default 1000 */
    int64_t image_size[3];                              /* default (3, 224, 224) */
    int64_t num_classes;                                /* default 10 */
    transforms_Transform *transform, *target_transform;
    int64_t random_offset;
} datasets_FakeDataOptions;
T_API data_Dataset *datasets_FakeData_new(const datasets_FakeDataOptions *options); /* FakeData(size=1000, ...) */

/* A folder for each class, in it and below it the files. Functions get `context`; those of a dataset are called by one
 * worker of a DataLoader at a time. */
typedef Tensor *(*datasets_Loader)(const char *path, void *context);   /* the sample; NULL after t_fail() */
/* whether the file is one; with an error set the constructor fails; may not leave by longjmp */
typedef bool (*datasets_IsValidFile)(const char *path, void *context);
enum { DATASETS_MAX_EXTENSIONS = 16 };
typedef struct datasets_FolderOptions {
    uint32_t size;
    transforms_Transform *transform, *target_transform;
    datasets_Loader loader; /* NULL: io_read_image as RGB; of a DatasetFolder it must be given */
    datasets_IsValidFile is_valid_file;
    bool allow_empty;       /* classes without a file */
    void *context;
    const char *extensions[DATASETS_MAX_EXTENSIONS]; /* of a DatasetFolder: {".txt", ".csv"} */
} datasets_FolderOptions;
T_API data_Dataset *datasets_ImageFolder_new(const char *root,
                                             const datasets_FolderOptions *options);   /* ImageFolder(root) */
T_API data_Dataset *datasets_DatasetFolder_new(const char *root,
                                               const datasets_FolderOptions *options); /* DatasetFolder(root, loader) */

/* ---- attributes ---- */
T_API Tensor *datasets_data(data_Dataset *dataset);    /* dataset.data: uint8 (N, H, W), CIFAR's (N, H, W, 3) */
T_API Tensor *datasets_targets(data_Dataset *dataset); /* dataset.targets: int64 (N) */
/* dataset.classes: the names, and how many there are; NULL for a dataset without */
T_API const char *const *datasets_classes(data_Dataset *dataset, int64_t *count);
/* dataset.class_to_idx[name]; -1: error */
T_API int64_t datasets_class_to_idx(data_Dataset *dataset, const char *name);
/* dataset.samples[index][0], dataset.imgs[index][0] of a folder: the file of a sample; NULL on an error */
T_API const char *datasets_sample_path(data_Dataset *dataset, int64_t index);
T_API const char *datasets_str(data_Dataset *dataset); /* str(dataset), owned by the scope */
T_API void datasets_print(data_Dataset *dataset);      /* print(dataset) */

T_END_DECLS
#endif
