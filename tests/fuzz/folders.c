/* tests/fuzz/folders.c: datasets of images in folders. An input is a list of files: one byte for the name, one for the
 * size of the contents in units of 16 bytes at most (255: the rest of the input), then these. */
#define _XOPEN_SOURCE 700 /* mkdtemp, nftw */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/data/dataset.h"
#include "core/io/file.h"
#include "core/ops/ops.h"
#include "core/tensor/context.h"
#include "core/tensor/tensor.h"
#include "core/vision/datasets/datasets.h"
#include "core/vision/io/image.h"
#include "tests/fuzz/choices.h"
#include "tests/fuzz/writers.h"

static bool is_out_of_memory(void) {
    return t_error_message() && strstr(t_error_message(), "out of memory");
}

static void demand(bool holds, const char *what) {
    if (holds || is_out_of_memory()) return;
    fprintf(stderr, "%s (error: %s)\n", what, t_error_message() ? t_error_message() : "none");
    abort();
}

/* ---- a folder for the files ---- */

static char root[300];

const char *fuzz_folder(void) {
    const char *in = getenv("TMPDIR");
    snprintf(root, sizeof root, "%.200s/tapegrad_fuzz_XXXXXX", in ? in : "/tmp");
    if (mkdtemp(root)) return root;
    perror(root);
    abort();
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *walk) {
    (void)about, (void)kind, (void)walk;
    return remove(path);
}

void fuzz_remove(void) {
    if (nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0) perror(root), abort();
}

/* ---- the files ---- */

/* Files with the same contents, up to NULL; a name that ends in '/' is an empty folder. */
static const char *const names[][7] = {
    {"MNIST/raw/train-images-idx3-ubyte", "FashionMNIST/raw/train-images-idx3-ubyte",
     "KMNIST/raw/train-images-idx3-ubyte", "QMNIST/raw/qmnist-train-images-idx3-ubyte",
     "EMNIST/raw/emnist-letters-train-images-idx3-ubyte", "MNIST/raw/t10k-images-idx3-ubyte"},
    {"MNIST/raw/train-labels-idx1-ubyte", "FashionMNIST/raw/train-labels-idx1-ubyte",
     "EMNIST/raw/emnist-letters-train-labels-idx1-ubyte", "MNIST/raw/t10k-labels-idx1-ubyte"},
    {"QMNIST/raw/qmnist-train-labels-idx2-int"},
    {"MNIST/raw/train-images-idx3-ubyte.gz", "FashionMNIST/raw/train-images-idx3-ubyte.gz"},
    {"MNIST/raw/train-labels-idx1-ubyte.gz", "FashionMNIST/raw/train-labels-idx1-ubyte.gz"},
    {"FashionMNIST/raw/t10k-images-idx3-ubyte"},
    {"FashionMNIST/raw/t10k-labels-idx1-ubyte"},
    {"cifar-10-batches-py/data_batch_1", "cifar-10-batches-py/data_batch_2", "cifar-10-batches-py/data_batch_3",
     "cifar-10-batches-py/data_batch_4", "cifar-10-batches-py/data_batch_5", "cifar-10-batches-py/test_batch"},
    {"cifar-10-batches-py/batches.meta"},
    {"cifar-10-batches-bin/data_batch_1.bin", "cifar-10-batches-bin/data_batch_2.bin",
     "cifar-10-batches-bin/data_batch_3.bin", "cifar-10-batches-bin/data_batch_4.bin",
     "cifar-10-batches-bin/data_batch_5.bin", "cifar-10-batches-bin/test_batch.bin"},
    {"cifar-10-batches-bin/batches.meta.txt"},
    {"cifar-100-python/train", "cifar-100-python/test"},
    {"cifar-100-python/meta"},
    {"cifar-100-binary/train.bin", "cifar-100-binary/test.bin"},
    {"cifar-100-binary/fine_label_names.txt"},
    {"cat/1.png"},
    {"cat/below/2.JPG"},
    {"dog/\xc3\xa4.ppm", "dog/b.pgm"},
    {"dog/notes.txt"},
    {"dog/c.png", "bird/c.png", "bird/d.png"},
    {"empty/"},
    {"cat/below/further/"},
    {"cifar-10-batches-py/data_batch_3/"},
    {"MNIST/raw/train-labels-idx1-ubyte/"},
};
enum { NAMES = sizeof names / sizeof *names };

static void put_file(const char *name, const uint8_t *contents, size_t size) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", root, name);
    char *const slash = strrchr(path, '/');
    *slash = '\0';
    demand(tg_make_folders(path), "no folder");
    *slash = '/';
    FILE *file = slash[1] ? fopen(path, "wb") : NULL; /* it stays as it is if a folder is there */
    if (!file) return;
    demand(fwrite(contents, 1, size, file) == size, "no space for the files");
    demand(fclose(file) == 0, "no space for the files");
}

static void put_files(Choices *c) {
    enum { UNIT = 16, REST = 255, MOST = 12 };
    for (int i = 0; c->left && i < MOST; i++) {
        const char *const *name = names[choose(c, NAMES)];
        const int units = choose(c, 256);
        const size_t size = units == REST || (size_t)units * UNIT > c->left ? c->left : (size_t)units * UNIT;
        for (; *name; name++) put_file(*name, c->at, size);
        c->at += size;
        c->left -= size;
    }
}

/* ---- the datasets ---- */

static Tensor *load_bytes(const char *path, void *context) {
    (void)context;
    return io_read_file(path);
}

static bool is_not_empty(const char *path, void *context) {
    struct stat about;
    (void)context;
    return stat(path, &about) == 0 && about.st_size > 0;
}

static data_Dataset *open_dataset(int kind, int options) {
    datasets_Options o = {.size = sizeof o, .train = options & 1, .download = options & 2};
    datasets_FolderOptions f = {.size = sizeof f, .allow_empty = options & 1};
    if (options & 2)
        f.is_valid_file = is_not_empty;
    else if (kind == 8)
        memcpy(f.extensions, (const char *[]){".txt", ".PNG"}, 2 * sizeof(char *));
    if (kind == 8) f.loader = load_bytes;
    switch (kind) {
    case 0: return datasets_MNIST_new(root, &o);
    case 1: return datasets_FashionMNIST_new(root, &o);
    case 2: return datasets_KMNIST_new(root, &o);
    case 3: return datasets_QMNIST_new(root, &o);
    case 4: return datasets_EMNIST_new(root, options & 4 ? "letters" : "digits", &o);
    case 5: return datasets_CIFAR10_new(root, &o);
    case 6: return datasets_CIFAR100_new(root, &o);
    case 7: return datasets_ImageFolder_new(root, &f);
    default: return datasets_DatasetFolder_new(root, &f);
    }
}

/* All samples, which an image that is broken refuses, and what the dataset says of itself. */
static bool read_samples(data_Dataset *dataset) {
    const int64_t len = data_dataset_len(dataset);
    int64_t classes = 0;
    demand(datasets_str(dataset) != NULL, "a dataset that cannot be printed");
    const char *const *list = datasets_classes(dataset, &classes);
    for (int64_t i = 0; list && i < classes; i++) demand(datasets_class_to_idx(dataset, list[i]) >= 0, "no such class");
    for (int64_t i = 0; i < len && !is_out_of_memory(); i++) {
        const int depth = t_scope_open();
        Tensor *x, *y;
        if (depth && data_dataset_get(dataset, i, &x, &y)) {
            demand(x && y && !t_error(), "a sample without an image or a label");
        } else {
            demand(t_error() != NULL, "a sample is refused without an error");
            if (!is_out_of_memory()) t_clear_error();
        }
        t_scope_close(depth);
    }
    return !is_out_of_memory();
}

t_TensorDict *fuzz_folders(const uint8_t *data, size_t size) {
    Choices c = {data, size};
    const int kind = choose(&c, 9), options = choose(&c, 8);
    fuzz_folder();
    put_files(&c);
    data_Dataset *dataset = open_dataset(kind, options);
    t_TensorDict *dict = dataset && read_samples(dataset) ? t_dict_new() : NULL;
    fuzz_remove();
    Tensor *targets = dict ? datasets_targets(dataset) : NULL;
    demand(!dict || targets, "a dataset without labels");
    return targets && (t_dict_set)(dict, "targets", targets) ? dict : NULL;
}
