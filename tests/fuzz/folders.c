/* tests/fuzz/folders.c: datasets of images in folders. An input is a list of files: one byte for the name, one for the
 * size of the contents in units of 16 bytes at most (255: the rest of the input), then these. */
#include <string.h>
#include <sys/stat.h>

#include "core/data/data_internal.h"
#include "core/data/dataset.h"
#include "core/ops/ops.h"
#include "core/tensor/context.h"
#include "core/tensor/tensor.h"
#include "core/vision/datasets/datasets.h"
#include "core/vision/io/image.h"
#include "tests/fuzz/support.h"
#include "tests/fuzz/writers.h"

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

static void put_files(Choices *c) {
    enum { UNIT = 16, REST = 255, MOST = 12 };
    for (int i = 0; c->left && i < MOST; i++) {
        const char *const *name = names[choose(c, NAMES)];
        const int units = choose(c, 256);
        const size_t size = units == REST || (size_t)units * UNIT > c->left ? c->left : (size_t)units * UNIT;
        for (; *name; name++) fuzz_put_file(*name, c->at, size);
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

static data_Dataset *open_dataset(const char *root, int kind, int options) {
    datasets_Options o = {.size = sizeof o, .train = options & 1, .download = options & 2};
    datasets_FolderOptions f = {.size = sizeof f, .allow_empty = options & 1};
    if (options & 2)
        f.is_valid_file = is_not_empty;
    else if (kind == 8)
        memcpy(f.extensions, (const char *[]){".txt", ".PNG"}, 2 * sizeof(char *));
    if (kind == 8) f.loader = load_bytes;
    transforms_Transform *to_tensor = options & 4 ? transforms_ToTensor_new() : NULL;
    if (to_tensor) o.transform = f.transform = transforms_Compose_new(&to_tensor, 1); /* is shown as three lines */
    if (options & 4 && !o.transform) return NULL;
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
    demand(len >= 0, "a dataset without a length");
    if (len < 0) return false;
    demand(datasets_str(dataset) != NULL, "a dataset that cannot be printed");
    Tensor *data = datasets_data(dataset); /* of folders there is none */
    demand(!data || data->shape[0] == len, "not as many images as samples");
    for (int64_t i = -1; i < len; i++) {
        const char *path = datasets_sample_path(dataset, i);
        demand(!path || (data == NULL && strncmp(path, fuzz_path_of(""), 5) == 0), "a path of a sample of no folder");
    }
    if (is_out_of_memory()) return false;
    t_clear_error();
    const char *const *list = datasets_classes(dataset, &classes);
    if (!list && !is_out_of_memory()) t_clear_error(); /* an empty file of names */
    for (int64_t i = 0; list && i < classes; i++) demand(datasets_class_to_idx(dataset, list[i]) >= 0, "no such class");
    demand(datasets_class_to_idx(dataset, "no class") < 0, "a class that is not there");
    clear_refusal();
    data_Dataset *copy = is_out_of_memory() ? NULL : tg_dataset_copy(dataset); /* as a worker's */
    demand(copy && data_dataset_len(copy) == len, "a copy with other samples");
    for (int64_t i = 0; copy && i < len && !is_out_of_memory(); i++) {
        const int depth = t_scope_open();
        Tensor *x, *y;
        if (depth && data_dataset_get(i % 2 ? copy : dataset, i, &x, &y)) {
            demand(x && y && !t_error(), "a sample without an image or a label");
        } else {
            demand(t_error() != NULL, "a sample is refused without an error");
            clear_refusal();
        }
        t_scope_close(depth);
    }
    return !is_out_of_memory();
}

t_TensorDict *fuzz_folders(const uint8_t *data, size_t size) {
    Choices c = {data, size};
    const int kind = choose(&c, 9), options = choose(&c, 8);
    const char *root = fuzz_folder();
    put_files(&c);
    data_Dataset *dataset = open_dataset(root, kind, options);
    t_TensorDict *dict = dataset && read_samples(dataset) ? t_dict_new() : NULL;
    fuzz_remove();
    Tensor *targets = dict ? datasets_targets(dataset) : NULL;
    demand(!dict || targets, "a dataset without labels");
    return targets && (t_dict_set)(dict, "targets", targets) ? dict : NULL;
}
