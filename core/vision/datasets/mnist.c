/* core/vision/datasets/mnist.c: MNIST and the datasets in its format. */
#include <stdio.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/vision/datasets/datasets_internal.h"

typedef struct MnistClass {
    const char *name, *files[4]; /* images and labels for training, then for the test */
    const char *source;          /* where they come from */
    const char *const *classes;
    int64_t class_count;
    bool is_by_part; /* only the files for training, or for the test, need to exist */
} MnistClass;

#define FILES "train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"

static const char *const digits[10] = {"0 - zero", "1 - one", "2 - two",   "3 - three", "4 - four",
                                       "5 - five", "6 - six", "7 - seven", "8 - eight", "9 - nine"};
static const char *const clothes[10] = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                                        "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};
static const char *const kana[10] = {"o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"};

static const MnistClass mnist = {
    "MNIST", {FILES}, "https://ossci-datasets.s3.amazonaws.com/mnist/", digits, 10, false};
static const MnistClass fashion = {
    "FashionMNIST", {FILES}, "https://github.com/zalandoresearch/fashion-mnist", clothes, 10, false};
static const MnistClass kmnist = {"KMNIST", {FILES}, "http://codh.rois.ac.jp/kmnist/", kana, 10, false};
static const MnistClass qmnist = {"QMNIST",
                                  {"qmnist-train-images-idx3-ubyte", "qmnist-train-labels-idx2-int",
                                   "qmnist-test-images-idx3-ubyte", "qmnist-test-labels-idx2-int"},
                                  "https://github.com/facebookresearch/qmnist",
                                  digits, 10, true};

static bool exists(const char *root, const char *folder, const char *file) {
    return tg_file_exists(root, folder, file, "") || tg_file_exists(root, folder, file, ".gz");
}

/* The tensor of the file, or of the same name with .gz. */
static Tensor *read_file(const char *root, const char *folder, const char *file) {
    size_t size;
    const bool is_raw = tg_file_exists(root, folder, file, "");
    char *path = tg_join_path(root, folder, file, is_raw ? "" : ".gz", &size);
    if (!path) return NULL;
    tg_Input in;
    const bool ok = is_raw ? tg_input_open(&in, path) : tg_input_open_gzip(&in, path, 0);
    Tensor *x = ok ? tg_idx_read(&in) : NULL;
    tg_input_close(&in);
    tg_free(path, size);
    return x;
}

/* The dtypes and dims, torchvision's texts after the file's name. */
static bool check(const char *file, const Tensor *x, t_DType dtype, int ndim) {
    if (!x) return false;
    if (x->dtype != dtype)
        return tg_fail("%s: x should be of dtype %s instead of %s", file, t_dtype_repr(dtype), t_dtype_repr(x->dtype));
    return x->ndim == ndim || tg_fail("%s: x should have %d dimension instead of %d", file, ndim, x->ndim);
}

static bool read_split(tg_VisionDataset *self, const char *root, const char *folder, const char *const files[2]) {
    const bool is_qmnist = strcmp(self->name, "QMNIST") == 0;
    Tensor *images = read_file(root, folder, files[0]), *labels = images ? read_file(root, folder, files[1]) : NULL;
    if (!check(files[0], images, t_uint8, 3) ||
        !check(files[1], labels, is_qmnist ? t_int32 : t_uint8, is_qmnist ? 2 : 1))
        return false;
    if (is_qmnist && labels->shape[1] < 1) return tg_fail("%s: there are no labels", files[1]);
    if (images->shape[0] != labels->shape[0])
        return tg_fail("%s/%s has %lld images, but %s has %lld labels", folder, files[0], (long long)images->shape[0],
                       files[1], (long long)labels->shape[0]);
    if (is_qmnist) labels = t_select(labels, 1, 0);
    self->len = images->shape[0];
    return tg_vision_keep(&self->data, images) && tg_vision_keep(&self->targets, t_to(labels, t_int64));
}

static data_Dataset *mnist_new(const MnistClass *is_a, const char *root, const datasets_Options *given) {
    datasets_Options options = {.size = sizeof options, .train = true};
    char folder[64];
    if (!tg_take_options(&options, given, sizeof options)) return NULL;
    if (!root) return tg_fail("argument 1 is NULL where a path is expected");
    snprintf(folder, sizeof folder, "%s/raw", is_a->name);
    for (int i = 0; i < 4; i++)
        if ((!is_a->is_by_part || i / 2 == !options.train) && !exists(root, folder, is_a->files[i]))
            return tg_fail("Dataset not found: %s/%s/%s (or %s.gz) is missing. Nothing is downloaded%s: get it from %s",
                           root, folder, is_a->files[i], is_a->files[i], options.download ? " by download=True" : "",
                           is_a->source);
    const int depth = t_scope_open();
    if (!depth) return NULL;
    tg_VisionDataset *self = tg_vision_new(is_a->name, root, options.transform, options.target_transform);
    bool ok = self != NULL;
    if (ok) {
        self->image = tg_vision_image;
        self->classes = is_a->classes;
        self->class_count = is_a->class_count;
        self->split = is_a == &qmnist ? (options.train ? "train" : "test") : options.train ? "Train" : "Test";
        ok = read_split(self, root, folder, is_a->files + (options.train ? 0 : 2));
    }
    return tg_scope_return(depth, tg_vision_dataset(self, ok));
}

/* MNIST(root, train, transform, target_transform, download): images (1, 28, 28) of handwritten digits, and the digit.
 * Errors: torchvision's, with the file that is missing and where it comes from; a file that is no idx file of the
 * expected kind, or that is truncated. */
data_Dataset *datasets_MNIST_new(const char *root, const datasets_Options *options) {
    return mnist_new(&mnist, root, options);
}

data_Dataset *datasets_FashionMNIST_new(const char *root, const datasets_Options *options) {
    return mnist_new(&fashion, root, options);
}

data_Dataset *datasets_KMNIST_new(const char *root, const datasets_Options *options) {
    return mnist_new(&kmnist, root, options);
}

/* QMNIST(root, train): the label is the digit (compat=True). */
data_Dataset *datasets_QMNIST_new(const char *root, const datasets_Options *options) {
    return mnist_new(&qmnist, root, options);
}

/* ---- EMNIST ---- */

/* In balanced and bymerge a small letter that looks like its capital is in the capital's class. */
static const char *const balanced[47] = {
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "A", "B", "C", "D", "E", "F",
    "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R", "S", "T", "U", "V",
    "W", "X", "Y", "Z", "a", "b", "d", "e", "f", "g", "h", "n", "q", "r", "t"};
static const char *const by_class[62] = {
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K",
    "L", "M", "N", "O", "P", "Q", "R", "S", "T", "U", "V", "W", "X", "Y", "Z", "a", "b", "c", "d", "e", "f",
    "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z"};
static const char *const letters[27] = {"N/A", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m",
                                        "n",   "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z"};

/* EMNIST(root, split, train): letters and digits (Cohen et al. 2017), as they are in the files: transposed. */
data_Dataset *datasets_EMNIST_new(const char *root, const char *split, const datasets_Options *options) {
    static const struct {
        const char *name;
        const char *const *classes;
        int64_t count;
    } splits[] = {{"byclass", by_class, 62}, {"bymerge", balanced, 47}, {"balanced", balanced, 47},
                  {"letters", letters, 27},  {"digits", by_class, 10},  {"mnist", by_class, 10}};
    enum { SPLITS = sizeof splits / sizeof *splits };
    if (!split) return tg_fail("argument 2 is NULL where a split is expected");
    int i = 0;
    while (i < SPLITS && strcmp(split, splits[i].name) != 0) i++;
    if (i == SPLITS)
        return tg_fail("Unknown value '%s' for argument split. Valid values are {'byclass', 'bymerge', 'balanced', "
                       "'letters', 'digits', 'mnist'}.", split);
    char files[4][64];
    MnistClass emnist = {"EMNIST", {NULL}, "https://biometrics.nist.gov/cs_links/EMNIST/gzip.zip", splits[i].classes,
                         splits[i].count, true};
    for (int k = 0; k < 4; k++) {
        snprintf(files[k], sizeof files[k], "emnist-%s-%s-%s-ubyte", split, k < 2 ? "train" : "test",
                 k % 2 ? "labels-idx1" : "images-idx3");
        emnist.files[k] = files[k];
    }
    return mnist_new(&emnist, root, options);
}
