/* core/vision/datasets/cifar.c: CIFAR-10 and CIFAR-100 (A. Krizhevsky, "Learning multiple layers of features from tiny
 * images", 2009): the Python version, which torchvision reads, and the binary version. */
#include <inttypes.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/vision/datasets/datasets_internal.h"

typedef struct CifarClass {
    const char *name, *python_folder, *binary_folder;
    int train_files; /* the test's file follows them */
    const char *python_files[6], *binary_files[6];
    const char *meta, *names_key, *names; /* of the Python version, and the binary version's text file */
    const char *labels_key;
    int labels; /* bytes before the pixels */
} CifarClass;

static const CifarClass cifar10 = {
    "CIFAR10",
    "cifar-10-batches-py",
    "cifar-10-batches-bin",
    5,
    {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"},
    {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin",
     "test_batch.bin"},
    "batches.meta",
    "label_names",
    "batches.meta.txt",
    "labels",
    1};
static const CifarClass cifar100 = {"CIFAR100",
                                    "cifar-100-python",
                                    "cifar-100-binary",
                                    1,
                                    {"train", "test"},
                                    {"train.bin", "test.bin"},
                                    "meta",
                                    "fine_label_names",
                                    "fine_label_names.txt",
                                    "fine_labels",
                                    2};
static const char source[] = "https://www.cs.toronto.edu/~kriz/cifar.html";

void tg_cifar_free(tg_CifarBatch *batch) {
    tg_free(batch->labels, batch->bytes);
    *batch = (tg_CifarBatch){.images = NULL};
}

/* One block: the labels, then the images. */
static bool allocate(tg_CifarBatch *batch, int64_t count) {
    batch->count = count;
    batch->bytes = (size_t)count * (sizeof(int64_t) + TG_CIFAR_IMAGE) + 1;
    batch->labels = tg_alloc_raw(batch->bytes);
    if (!batch->labels) return false;
    batch->images = (uint8_t *)(batch->labels + count);
    return true;
}

bool tg_cifar_binary(const tg_Input *in, int labels, tg_CifarBatch *batch) {
    const uint64_t record = (uint64_t)labels + TG_CIFAR_IMAGE;
    if (in->size % record != 0 || in->size / record > INT32_MAX)
        return tg_fail("%s: the file has %" PRIu64 " bytes, but images take %" PRIu64 " each: it ends within image "
                       "%" PRIu64,
                       in->name, in->size, record, in->size / record);
    uint8_t label[2];
    if (!allocate(batch, (int64_t)(in->size / record))) return false;
    for (int64_t i = 0; i < batch->count; i++) {
        const uint64_t at = (uint64_t)i * record;
        if (!tg_input_read(in, at, label, (size_t)labels) ||
            !tg_input_read(in, at + (uint64_t)labels, batch->images + i * TG_CIFAR_IMAGE, TG_CIFAR_IMAGE))
            return false;
        batch->labels[i] = label[labels - 1];
    }
    return true;
}

/* The names of a text file, one a line. */
static bool read_lines(const tg_Input *in, tg_VisionDataset *self) {
    char text[1 << 14];
    if (in->size >= sizeof text) return tg_fail("%s: more than %zu bytes of names", in->name, sizeof text - 1);
    if (!tg_input_read(in, 0, text, (size_t)in->size)) return false;
    text[in->size] = '\0';
    if (strlen(text) != in->size) return tg_fail("%s, byte %zu: a zero byte in a text", in->name, strlen(text));
    for (const char *at = text; *at;) {
        const size_t line = strcspn(at, "\r\n");
        if (line && !tg_vision_add_class(self, at, line)) return false;
        at += line + strspn(at + line, "\r\n");
    }
    return true;
}

static bool open_file(tg_Input *in, const char *root, const char *folder, const char *file, char **path, size_t *size) {
    *path = tg_join_path(root, folder, file, "", size);
    return *path && tg_input_open(in, *path);
}

static bool read_batch(const CifarClass *is_a, bool is_python, const char *root, int file, tg_CifarBatch *batch) {
    tg_Input in = {.fd = -1};
    char *path = NULL;
    size_t size = 0;
    const char *folder = is_python ? is_a->python_folder : is_a->binary_folder;
    const bool ok =
        open_file(&in, root, folder, (is_python ? is_a->python_files : is_a->binary_files)[file], &path, &size) &&
        (is_python ? tg_cifar_pickle(&in, is_a->labels_key, batch) : tg_cifar_binary(&in, is_a->labels, batch));
    tg_input_close(&in);
    tg_free(path, path ? size : 0);
    return ok;
}

static bool read_names(const CifarClass *is_a, bool is_python, const char *root, tg_VisionDataset *self) {
    tg_Input in = {.fd = -1};
    char *path = NULL;
    size_t size = 0;
    const bool ok = is_python
                        ? open_file(&in, root, is_a->python_folder, is_a->meta, &path, &size) &&
                              tg_cifar_names(&in, is_a->names_key, self)
                        : open_file(&in, root, is_a->binary_folder, is_a->names, &path, &size) && read_lines(&in, self);
    tg_input_close(&in);
    tg_free(path, path ? size : 0);
    return ok;
}

/* All batches of the split, one after the other. */
static bool read_split(const CifarClass *is_a, bool is_python, const char *root, bool train, tg_VisionDataset *self) {
    const int first = train ? 0 : is_a->train_files, files = train ? is_a->train_files : 1;
    tg_CifarBatch batches[5] = {{0}};
    bool ok = true;
    for (int i = 0; ok && i < files; i++) {
        ok = read_batch(is_a, is_python, root, first + i, &batches[i]);
        self->len += ok ? batches[i].count : 0;
    }
    Tensor *data = ok ? tg_empty((const int64_t[]){self->len, 3, 32, 32}, 4, t_uint8) : NULL;
    Tensor *targets = data ? tg_empty(&self->len, 1, t_int64) : NULL;
    int64_t at = 0;
    for (int i = 0; targets && i < files; at += batches[i++].count) {
        if (!batches[i].count) continue;
        memcpy((uint8_t *)tg_data(data) + at * TG_CIFAR_IMAGE, batches[i].images,
               (size_t)batches[i].count * TG_CIFAR_IMAGE);
        memcpy((int64_t *)tg_data(targets) + at, batches[i].labels, (size_t)batches[i].count * sizeof(int64_t));
    }
    for (int i = 0; i < files; i++) tg_cifar_free(&batches[i]);
    return targets && tg_vision_keep(&self->data, data) && tg_vision_keep(&self->targets, targets);
}

/* The first missing file of a version, NULL if all are there. */
static const char *missing(const CifarClass *is_a, bool is_python, const char *root) {
    const char *folder = is_python ? is_a->python_folder : is_a->binary_folder;
    for (int i = 0; i <= is_a->train_files; i++) {
        const char *file = is_python ? is_a->python_files[i] : is_a->binary_files[i];
        if (!tg_file_exists(root, folder, file, "")) return file;
    }
    const char *names = is_python ? is_a->meta : is_a->names;
    return tg_file_exists(root, folder, names, "") ? NULL : names;
}

static data_Dataset *cifar_new(const CifarClass *is_a, const char *root, const datasets_Options *given) {
    datasets_Options options = {.size = sizeof options, .train = true};
    if (!tg_take_options(&options, given, sizeof options)) return NULL;
    if (!root) return tg_fail("argument 1 is NULL where a path is expected");
    const char *file = missing(is_a, true, root);
    const bool is_python = !file;
    if (file && missing(is_a, false, root))
        return tg_fail("Dataset not found or corrupted: %s/%s/%s is missing (and there is no binary version in %s/%s). "
                       "Nothing is downloaded%s: get either version from %s",
                       root, is_a->python_folder, file, root, is_a->binary_folder,
                       options.download ? " by download=True" : "", source);
    const int depth = t_scope_open();
    if (!depth) return NULL;
    tg_VisionDataset *self = tg_vision_new(is_a->name, root, options.transform, options.target_transform);
    bool ok = self != NULL;
    if (ok) {
        self->image = tg_vision_image;
        self->split = options.train ? "Train" : "Test";
        ok = read_split(is_a, is_python, root, options.train, self) && read_names(is_a, is_python, root, self);
    }
    return tg_scope_return(depth, tg_vision_dataset(self, ok));
}

/* CIFAR10(root, train, transform, target_transform, download): colour images (3, 32, 32) of ten classes. Errors: as
 * MNIST's. The files' checksums are not looked at, but their contents are checked. */
data_Dataset *datasets_CIFAR10_new(const char *root, const datasets_Options *options) {
    return cifar_new(&cifar10, root, options);
}

/* CIFAR100(root, ...): the label is the fine one, of 100 classes. */
data_Dataset *datasets_CIFAR100_new(const char *root, const datasets_Options *options) {
    return cifar_new(&cifar100, root, options);
}
