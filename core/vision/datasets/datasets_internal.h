/* core/vision/datasets/datasets_internal.h: what the datasets of images share (internal).
 *
 * The folder: vision_dataset.c, what all of them have; mnist.c with idx.c, cifar.c with cifar_pickle.c, fake_data.c,
 * folder.c. It may include core/, core/vision/transforms and core/vision/io. */
#ifndef TAPEGRAD_CORE_VISION_DATASETS_DATASETS_INTERNAL_H
#define TAPEGRAD_CORE_VISION_DATASETS_DATASETS_INTERNAL_H

#include "core/io/file.h"
#include "core/tensor/tensor.h"
#include "core/vision/datasets/datasets.h"

/* A growing list of texts. */
typedef struct tg_Texts {
    int64_t len, capacity;
    char **items;
} tg_Texts;
void tg_texts_free(tg_Texts *list);

/* The context of the data_Dataset. */
typedef struct tg_VisionDataset {
    const char *name;  /* of the class, a literal */
    char *root;        /* NULL: none */
    const char *split; /* "Train", a literal; NULL: none */
    int64_t len;
    /* sample `index` as a new PIL image, and its label; NULL on an error */
    Tensor *(*image)(const struct tg_VisionDataset *self, int64_t index, int64_t *target);
    transforms_Transform *transform, *target_transform; /* references */
    Tensor *data, *targets;                             /* references: uint8 (N, H, W) or (N, C, H, W), and int64 (N) */
    const char *const *classes;
    char **own_classes; /* the same, if they were read from a file */
    int64_t class_count;
    int64_t image_size[3], num_classes, random_offset; /* of FakeData */
    tg_Texts paths;                                    /* of a folder: the samples' files */
    datasets_Loader loader;
    void *loader_context;
    bool is_copy; /* for a worker: all of the above belongs to the original */
} tg_VisionDataset;

/* A new context, whose fields the caller fills in; NULL on out of memory. */
tg_VisionDataset *tg_vision_new(const char *name, const char *root, transforms_Transform *transform,
                                transforms_Transform *target_transform);
void tg_vision_free(tg_VisionDataset *self);
/* The dataset of a context, which it owns; frees the context and returns NULL if ok is false. */
data_Dataset *tg_vision_dataset(tg_VisionDataset *self, bool ok);
/* Takes over a tensor of the current scope. */
bool tg_vision_keep(Tensor **field, Tensor *x);
/* Adds a class's name; the text is copied. */
bool tg_vision_add_class(tg_VisionDataset *self, const char *name, size_t length);
/* Image `index` of self->data. */
Tensor *tg_vision_image(const tg_VisionDataset *self, int64_t index, int64_t *target);

/* "root/folder/file" + suffix, malloc'ed by tg_alloc of *size bytes; NULL on out of memory. "~/" is the home folder. */
char *tg_join_path(const char *root, const char *folder, const char *file, const char *suffix, size_t *size);
bool tg_file_exists(const char *root, const char *folder, const char *file, const char *suffix);

/* ---- idx files (idx.c) ---- */

/* A tensor of an idx file: bytes 0, 0, a code of the dtype, the number of dims, the sizes, big-endian, and the
 * elements. path: for messages. Errors: anything else. */
Tensor *tg_idx_read(const tg_Input *in);

/* ---- CIFAR's batches (cifar.c, cifar_pickle.c) ---- */

enum { TG_CIFAR_IMAGE = 3 * 32 * 32 };
/* A batch: `count` images of TG_CIFAR_IMAGE bytes, and their labels. */
typedef struct tg_CifarBatch {
    uint8_t *images;
    int64_t *labels, count;
    size_t bytes; /* of images, and of labels together */
} tg_CifarBatch;
void tg_cifar_free(tg_CifarBatch *batch);
/* A file of the binary version: for each image `labels` bytes, of which the last is the label, and 3072 pixels. */
bool tg_cifar_binary(const tg_Input *in, int labels, tg_CifarBatch *batch);
/* A pickled dict with the array "data" and the list `labels`. */
bool tg_cifar_pickle(const tg_Input *in, const char *labels, tg_CifarBatch *batch);
/* The list of texts `key` of a pickled dict, each passed to tg_vision_add_class. */
bool tg_cifar_names(const tg_Input *in, const char *key, tg_VisionDataset *to);

#endif
