/* tests/vision/test_image_datasets.c: torchvision.datasets: idx files, CIFAR's two versions, FakeData, in the loader
 * too. The files are written here, byte by byte as the published ones; tests/golden/record_cifar.py records pickles of
 * newer protocols. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/data/data.h"
#include "core/io/zlib/zlib.h"
#include "core/tensor/tensor.h"
#include "core/vision/datasets/datasets_internal.h"
#include "core/vision/vision.h"
#include "tests/support/files/file_support.h"
#include "tests/support/output.h"
#include "tests/support/refusals.h"

/* ---- files ---- */

static char root[256]; /* the test's folder */

static void make_folders(const char *folder) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s", root, folder);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0755);
    }
    mkdir(path, 0755);
}

static void write_bytes(const char *folder, const char *file, const void *bytes, size_t size) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s/%s", root, folder, file);
    FILE *out = fopen(path, "wb");
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(bytes, 1, size, out), size);
    fclose(out);
}

static void setup(void) {
    support_setup();
    snprintf(root, sizeof root, "/tmp/tapegrad_datasets_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
}

static void teardown(void) {
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    ck_assert_int_eq(system(command), 0);
    support_teardown();
}

/* n images of 2 x 3 whose pixel j is 10 i + j, and labels i % 10. */
static size_t idx_images(uint8_t *to, int n) {
    const uint8_t head[] = {0, 0, 8, 3, 0, 0, 0, (uint8_t)n, 0, 0, 0, 2, 0, 0, 0, 3};
    memcpy(to, head, sizeof head);
    for (int i = 0; i < 6 * n; i++) to[16 + i] = (uint8_t)(10 * (i / 6) + i % 6);
    return 16 + 6 * (size_t)n;
}

static size_t idx_labels(uint8_t *to, int n) {
    const uint8_t head[] = {0, 0, 8, 1, 0, 0, 0, (uint8_t)n};
    memcpy(to, head, sizeof head);
    for (int i = 0; i < n; i++) to[8 + i] = (uint8_t)(i % 10);
    return 8 + (size_t)n;
}

static void write_mnist(const char *name) {
    char folder[64];
    uint8_t bytes[400];
    snprintf(folder, sizeof folder, "%s/raw", name);
    make_folders(folder);
    write_bytes(folder, "train-images-idx3-ubyte", bytes, idx_images(bytes, 12));
    write_bytes(folder, "train-labels-idx1-ubyte", bytes, idx_labels(bytes, 12));
    /* the test's files are compressed */
    tg_Bytes packed = {0};
    ck_assert(tg_gzip_pack(bytes, idx_images(bytes, 5), 6, &packed));
    write_bytes(folder, "t10k-images-idx3-ubyte.gz", packed.at, packed.count);
    packed.count = 0;
    ck_assert(tg_gzip_pack(bytes, idx_labels(bytes, 5), 6, &packed));
    write_bytes(folder, "t10k-labels-idx1-ubyte.gz", packed.at, packed.count);
    tg_bytes_free(&packed);
}

/* ---- MNIST ---- */

START_TEST(mnist) {
    write_mnist("MNIST");
    transforms_Transform *to_tensor = transforms_Compose(transforms_ToTensor(), transforms_Normalize(0.5, 0.5));
    data_Dataset *train = datasets_MNIST(root, true, to_tensor), *test = datasets_MNIST(root, .train = false);
    ck_assert_int_eq(data_dataset_len(train), 12);
    ck_assert_int_eq(data_dataset_len(test), 5);
    Tensor *x, *y;
    HOLDS(data_dataset_get(train, 11, &x, &y));
    expect_printed(y, "tensor(1)");
    HOLDS(t_allclose(x, t_div(t_sub(t_div(t_tensor("[[[110., 111, 112], [113, 114, 115]]]"), 255), 0.5), 0.5)));
    HOLDS(data_dataset_get(test, -1, &x, &y));
    HOLDS(TF_is_pil_image(x) && x->dtype == t_uint8 && t_item(y) == 4);
    expect_printed(x, "tensor([[[40, 41, 42],\n         [43, 44, 45]]], dtype=torch.uint8)");
    expect_printed(datasets_targets(test), "tensor([0, 1, 2, 3, 4])");
    ck_assert_str_eq(t_size_repr(datasets_data(train)), "torch.Size([12, 2, 3])");
    int64_t count;
    ck_assert_str_eq(datasets_classes(train, &count)[9], "9 - nine");
    ck_assert_int_eq(count, 10);
    ck_assert_int_eq(datasets_class_to_idx(train, "3 - three"), 3);
    char expected[600];
    snprintf(expected, sizeof expected,
             "Dataset MNIST\n    Number of datapoints: 12\n    Root location: %s\n    Split: Train\n"
             "    StandardTransform\nTransform: Compose(\n               ToTensor()\n"
             "               Normalize(mean=0.5, std=0.5)\n           )", root);
    ck_assert_str_eq(datasets_str(train), expected);
    write_mnist("FashionMNIST");
    write_mnist("KMNIST");
    ck_assert_str_eq(datasets_classes(datasets_FashionMNIST(root, .download = true), NULL)[9], "Ankle boot");
    ck_assert_int_eq(datasets_class_to_idx(datasets_KMNIST(root, false), "tsu"), 3);
}
END_TEST

START_TEST(qmnist) {
    uint8_t bytes[400];
    const uint8_t labels[] = {0, 0, 12, 2, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 7, 0, 0, 1, 0, 0, 0, 0, 0,
                              0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0};
    make_folders("QMNIST/raw");
    write_bytes("QMNIST/raw", "qmnist-train-images-idx3-ubyte", bytes, idx_images(bytes, 2));
    write_bytes("QMNIST/raw", "qmnist-train-labels-idx2-int", labels, sizeof labels);
    expect_printed(datasets_targets(datasets_QMNIST(root)), "tensor([7, 5])");
    ck_assert_ptr_null((datasets_QMNIST_new)(root, &(datasets_Options){.size = sizeof(datasets_Options)}));
    ck_assert_ptr_nonnull(strstr(t_error_message(), "qmnist-test-images-idx3-ubyte"));
    t_clear_error();
}
END_TEST

START_TEST(emnist) {
    uint8_t bytes[400];
    const struct { const char *split, *first, *last; int64_t count; } of[] = {
        {"byclass", "0", "z", 62}, {"bymerge", "0", "t", 47}, {"balanced", "0", "t", 47},
        {"letters", "N/A", "z", 27}, {"digits", "0", "9", 10}, {"mnist", "0", "9", 10}};
    make_folders("EMNIST/raw");
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        int64_t count;
        write_bytes("EMNIST/raw", t_format("emnist-%s-test-images-idx3-ubyte", of[i].split), bytes,
                    idx_images(bytes, 2));
        write_bytes("EMNIST/raw", t_format("emnist-%s-test-labels-idx1-ubyte", of[i].split), bytes,
                    idx_labels(bytes, 2));
        data_Dataset *test = datasets_EMNIST(root, of[i].split, .train = false);
        ck_assert_int_eq(data_dataset_len(test), 2);
        const char *const *classes = datasets_classes(test, &count);
        ck_assert_int_eq(count, of[i].count);
        ck_assert_str_eq(classes[0], of[i].first);
        ck_assert_str_eq(classes[count - 1], of[i].last);
    }
    ck_assert_ptr_null(datasets_EMNIST_new(root, "letters", NULL));
    ck_assert_ptr_nonnull(strstr(t_error_message(), "emnist-letters-train-images-idx3-ubyte"));
    t_clear_error();
    ck_assert_ptr_null(datasets_EMNIST_new(root, "foo", NULL));
    expect_error("Unknown value 'foo' for argument split. Valid values are {'byclass', 'bymerge', 'balanced', "
                 "'letters', 'digits', 'mnist'}.");
    ck_assert_ptr_null(datasets_EMNIST_new(root, NULL, NULL));
    expect_error("argument 2 is NULL where a split is expected");
}
END_TEST

START_TEST(in_the_loader) {
    write_mnist("MNIST");
    data_Dataset *train = datasets_MNIST(root, .transform = transforms_ToTensor());
    for (int64_t workers = 0; workers < 3; workers++) {
        t_manual_seed(1);
        int64_t seen = 0;
        for_batch (batch, data_DataLoader(train, .batch_size = 5, .shuffle = true, .num_workers = workers)) {
            for_range (i, 0, batch.size) {
                const int64_t label = (int64_t)t_item(t_at(batch.y, "{}", i));
                const double first = t_item(t_at(batch.x, "{}, 0, 0, 0", i)) * 255;
                HOLDS((int64_t)(first / 10 + 0.01) % 10 == label);
                seen++;
            }
        }
        ck_assert_int_eq(seen, 12);
    }
    /* random transforms draw in the worker, as its seed says */
    train = datasets_MNIST(root, .transform = transforms_Compose(transforms_RandomCrop(2), transforms_ToTensor()));
    for_batch (batch, data_DataLoader(train, .batch_size = 12, .num_workers = 1))
        ck_assert_str_eq(t_size_repr(batch.x), "torch.Size([12, 1, 2, 2])");
}
END_TEST

static Tensor *plus_one(Tensor *x) {
    return t_add(x, 1);
}

START_TEST(target_transforms) {
    write_mnist("MNIST");
    data_Dataset *train = datasets_MNIST(root, true, .transform = transforms_ToTensor(),
                                         .target_transform = transforms_Lambda(plus_one));
    Tensor *x, *y;
    HOLDS(data_dataset_get(train, 2, &x, &y) && t_item(y) == 3);
    int64_t sum = 0;
    for_batch (batch, data_DataLoader(train, .batch_size = 4, .num_workers = 2)) sum += (int64_t)t_item(t_sum(batch.y));
    ck_assert_int_eq(sum, 45 + 0 + 1 + 12);
}
END_TEST

/* ---- broken idx files ---- */

static void expect_idx(const uint8_t *bytes, size_t size, const char *message) {
    tg_Input in;
    HOLDS(tg_input_memory(&in, bytes, size, "x"));
    ck_assert_ptr_null(tg_idx_read(&in));
    expect_error(message);
}

START_TEST(broken_idx_files) {
    uint8_t b[64];
    const size_t size = idx_images(b, 2);
    expect_idx(b, 3, "x: no idx file: it has 3 bytes");
    expect_idx(b, 15, "x: the file ends within its header: it has 15 bytes, and the header takes 16");
    expect_idx(b, size - 1, "x: an array of shape [2, 2, 3] takes 12 bytes from byte 16 on, but the file has 11");
    expect_idx(b, size + 1, "x: an array of shape [2, 2, 3] takes 12 bytes from byte 16 on, but the file has 13");
    b[3] = 4;
    expect_idx(b, size, "x, byte 3: the array has 4 dims, but 1 to 3 are supported");
    b[2] = 10;
    expect_idx(b, size, "x: no idx file: it begins with the bytes 00 00 0a 04, where 00 00, a type (08, 09, 0b to 0e) "
                        "and the number of dims are expected");
    const uint8_t large[16] = {0, 0, 8, 3, 0xff, 0xff, 0, 0, 0x8d, 1, 0xf0}; /* more than 2^63 elements, times 0 */
    expect_idx(large, 16, "x, byte 4: an array of shape [4294901760, 2365714432, 0] is too large");
    const uint8_t numbers[] = {0, 0, 0x0d, 1, 0, 0, 0, 2, 0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0};
    tg_Input in;
    HOLDS(tg_input_memory(&in, numbers, sizeof numbers, "x"));
    expect_printed(tg_idx_read(&in), "tensor([ 1.0000, -2.5000])");
    static const struct {
        const char *bytes, *printed;
        size_t size;
    } others[] = {{"\0\0\x09\1\0\0\0\2\xff\x7f", "tensor([ -1, 127], dtype=torch.int8)", 10},
                  {"\0\0\x0b\1\0\0\0\2\xff\xfe\1\2", "tensor([ -2, 258], dtype=torch.int16)", 12},
                  {"\0\0\x0e\1\0\0\0\1\xbf\xf8\0\0\0\0\0\0", "tensor([-1.5000], dtype=torch.float64)", 16}};
    for (int i = 0; i < 3; i++) {
        HOLDS(tg_input_memory(&in, others[i].bytes, others[i].size, "x"));
        expect_printed(tg_idx_read(&in), others[i].printed);
    }
}
END_TEST

START_TEST(missing_files) {
    char expected[900];
    data_Dataset *(*const news[])(const char *, const datasets_Options *) = {datasets_MNIST_new, datasets_CIFAR10_new};
    ck_assert_ptr_null(news[0](root, NULL));
    snprintf(expected, sizeof expected,
             "Dataset not found: %s/MNIST/raw/train-images-idx3-ubyte (or train-images-idx3-ubyte.gz) is missing. "
             "Nothing is downloaded: get it from https://ossci-datasets.s3.amazonaws.com/mnist/", root);
    expect_error(expected);
    ck_assert_ptr_null(news[1](root, &(datasets_Options){.size = sizeof(datasets_Options), .download = true}));
    snprintf(expected, sizeof expected,
             "Dataset not found or corrupted: %s/cifar-10-batches-py/data_batch_1 is missing (and there is no binary "
             "version in %s/cifar-10-batches-bin). Nothing is downloaded by download=True: get either version from "
             "https://www.cs.toronto.edu/~kriz/cifar.html", root, root);
    expect_error(expected);
    ck_assert_ptr_null(news[0](NULL, NULL));
    expect_error("argument 1 is NULL where a path is expected");
    write_mnist("MNIST");
    uint8_t bytes[100];
    write_bytes("MNIST/raw", "train-labels-idx1-ubyte", bytes, idx_labels(bytes, 11));
    ck_assert_ptr_null(news[0](root, NULL));
    expect_error("MNIST/raw/train-images-idx3-ubyte has 12 images, but train-labels-idx1-ubyte has 11 labels");
    write_bytes("MNIST/raw", "train-labels-idx1-ubyte", bytes, idx_images(bytes, 2));
    ck_assert_ptr_null(news[0](root, NULL));
    expect_error("train-labels-idx1-ubyte: x should have 1 dimension instead of 3");
    const size_t size = idx_images(bytes, 2);
    bytes[2] = 9;
    write_bytes("MNIST/raw", "train-labels-idx1-ubyte", bytes, size);
    ck_assert_ptr_null(news[0](root, NULL));
    expect_error("train-labels-idx1-ubyte: x should be of dtype torch.uint8 instead of torch.int8");
}
END_TEST

/* ---- CIFAR ---- */

/* Pixel j of image i in file f. */
static uint8_t cifar_pixel(int f, int i, int j) {
    return (uint8_t)(f * 50 + i * 7 + j % 97);
}

enum { BATCH = 2, LARGEST = BATCH * TG_CIFAR_IMAGE + 2000 };

/* A batch as Python 2 pickled it. */
static size_t python_batch(uint8_t *to, int f, const char *labels) {
    size_t n = 0;
#define PUT(text) (memcpy(to + n, text, sizeof text - 1), n += sizeof text - 1)
    PUT("\x80\x02}q\x01(U\x0b" "batch_labelq\x02U\x15training batch 1 of 5q\x03U");
    to[n++] = (uint8_t)strlen(labels);
    memcpy(to + n, labels, strlen(labels));
    n += strlen(labels);
    PUT("q\x04]q\x05(K");
    to[n++] = (uint8_t)f;
    PUT("M\x01\x00" "eU\x04" "dataq\x06" "cnumpy.core.multiarray\n_reconstruct\nq\x07" "cnumpy\nndarray\nq\x08K\x00\x85"
        "U\x01" "b\x87Rq\x09(K\x01K\x02M\x00\x0c\x86" "cnumpy\ndtype\nq\x0aU\x02u1K\x00K\x01\x87Rq\x0b(K\x03U\x01|NNN"
        "J\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89T\x00\x18\x00\x00");
    for (int i = 0; i < BATCH; i++)
        for (int j = 0; j < TG_CIFAR_IMAGE; j++) to[n++] = cifar_pixel(f, i, j);
    PUT("tbU\x09" "filenamesq\x0c]q\x0d(U\x05" "a.pngU\x05" "b.pngeu.");
#undef PUT
    return n;
}

static void write_python(void) {
    static uint8_t bytes[LARGEST];
    const char *const files[] = {"data_batch_1", "data_batch_2", "data_batch_3",
                                 "data_batch_4", "data_batch_5", "test_batch"};
    make_folders("cifar-10-batches-py");
    for (int f = 0; f < 6; f++) write_bytes("cifar-10-batches-py", files[f], bytes, python_batch(bytes, f, "labels"));
    const char meta[] = "\x80\x02}q\x01(U\x0bnum_visibleq\x02M\x00\x0cU\x0blabel_namesq\x03]q\x04(U\x08" "airplaneU\x0a"
                        "automobileeu.";
    write_bytes("cifar-10-batches-py", "batches.meta", meta, sizeof meta - 1);
}

static void check_cifar(data_Dataset *train, data_Dataset *test) {
    ck_assert_int_eq(data_dataset_len(train), 5 * BATCH);
    ck_assert_int_eq(data_dataset_len(test), BATCH);
    expect_printed(datasets_targets(train), "tensor([0, 1, 1, 1, 2, 1, 3, 1, 4, 1])");
    expect_printed(datasets_targets(test), "tensor([5, 1])");
    ck_assert_str_eq(t_size_repr(datasets_data(train)), "torch.Size([10, 32, 32, 3])");
    Tensor *x, *y;
    HOLDS(data_dataset_get(train, 7, &x, &y));
    ck_assert_str_eq(t_size_repr(x), "torch.Size([3, 32, 32])");
    HOLDS(t_item(t_at(x, "2, 1, 5")) == cifar_pixel(3, 1, 2 * 1024 + 32 + 5));
    ck_assert_int_eq(datasets_class_to_idx(test, "automobile"), 1);
}

START_TEST(cifar_of_python) {
    write_python();
    check_cifar(datasets_CIFAR10(root), datasets_CIFAR10(root, false));
}
END_TEST

START_TEST(cifar_binary) {
    static uint8_t bytes[LARGEST];
    const char *const files[] = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                 "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"};
    make_folders("cifar-10-batches-bin");
    for (int f = 0; f < 6; f++) {
        for (int i = 0; i < BATCH; i++) {
            uint8_t *record = bytes + i * (1 + TG_CIFAR_IMAGE);
            record[0] = (uint8_t)(i ? 1 : f);
            for (int j = 0; j < TG_CIFAR_IMAGE; j++) record[1 + j] = cifar_pixel(f, i, j);
        }
        write_bytes("cifar-10-batches-bin", files[f], bytes, BATCH * (1 + TG_CIFAR_IMAGE));
    }
    write_bytes("cifar-10-batches-bin", "batches.meta.txt", "airplane\nautomobile\n\n", 21);
    check_cifar(datasets_CIFAR10(root), datasets_CIFAR10(root, false));
    write_bytes("cifar-10-batches-bin", "data_batch_2.bin", bytes, 5000);
    char expected[400];
    ck_assert_ptr_null(datasets_CIFAR10_new(root, NULL));
    snprintf(expected, sizeof expected,
             "%s/cifar-10-batches-bin/data_batch_2.bin: the file has 5000 bytes, but images take 3073 each: it ends "
             "within image 1", root);
    expect_error(expected);
}
END_TEST

START_TEST(cifar100) {
    static uint8_t bytes[LARGEST];
    make_folders("cifar-100-binary");
    memset(bytes, 9, sizeof bytes);
    for (int i = 0; i < 2; i++) bytes[i * 3074 + 1] = (uint8_t)(90 + i);
    write_bytes("cifar-100-binary", "train.bin", bytes, 2 * 3074);
    write_bytes("cifar-100-binary", "test.bin", bytes, 3074);
    write_bytes("cifar-100-binary", "fine_label_names.txt", "apple\r\naquarium_fish", 20);
    expect_printed(datasets_targets(datasets_CIFAR100(root)), "tensor([90, 91])");
    ck_assert_int_eq(datasets_class_to_idx(datasets_CIFAR100(root, false), "aquarium_fish"), 1);
    make_folders("cifar-100-python");
    write_bytes("cifar-100-python", "train", bytes, python_batch(bytes, 3, "fine_labels"));
    write_bytes("cifar-100-python", "test", bytes, python_batch(bytes, 4, "fine_labels"));
    const char meta[] = "\x80\x02}(U\x10" "fine_label_names]U\x05" "applea.";
    write_bytes("cifar-100-python", "meta", meta, sizeof meta - 1);
    ck_assert_ptr_null(datasets_CIFAR100_new(root, NULL));
    ck_assert_ptr_nonnull(strstr(t_error_message(), "meta, byte 32: the pickle is no dict"));
    t_clear_error();
    const char good[] = "\x80\x02}(U\x10" "fine_label_names]U\x05" "appleau.";
    write_bytes("cifar-100-python", "meta", good, sizeof good - 1);
    expect_printed(datasets_targets(datasets_CIFAR100(root)), "tensor([3, 1])");
}
END_TEST

/* The pickles that Python 3 makes of the same dict in protocols 2 to 5. */
START_TEST(newer_pickles) {
    for (int protocol = 2; protocol <= 5; protocol++) {
        char path[80];
        snprintf(path, sizeof path, "tests/golden/files/cifar_%d.pkl", protocol);
        tg_Input in;
        tg_CifarBatch batch = {0};
        HOLDS(tg_input_open(&in, path) && tg_cifar_pickle(&in, "labels", &batch));
        tg_input_close(&in);
        HOLDS(batch.count == 1 && batch.labels[0] == 6);
        for (int j = 0; j < TG_CIFAR_IMAGE; j++) ck_assert_uint_eq(batch.images[j], j % 2 ? 200 : 7);
        tg_cifar_free(&batch);
    }
}
END_TEST

/* Every prefix of a batch is refused with its position. */
START_TEST(torn_batches) {
    static uint8_t bytes[LARGEST];
    const size_t size = python_batch(bytes, 0, "labels");
    for (size_t cut = 0; cut < size; cut += cut < 400 || cut > size - 60 ? 1 : 997) {
        tg_Input in;
        tg_CifarBatch batch = {0};
        HOLDS(tg_input_memory(&in, bytes, cut, "batch"));
        ck_assert(!tg_cifar_pickle(&in, "labels", &batch));
        ck_assert_msg(strstr(t_error_message(), "batch, byte "), "%s", t_error_message());
        t_clear_error();
        tg_cifar_free(&batch);
    }
}
END_TEST

static void expect_pickle(const char *pickle, size_t size, const char *message) {
    tg_Input in;
    tg_CifarBatch batch = {0};
    HOLDS(tg_input_memory(&in, pickle, size, "x"));
    ck_assert(!tg_cifar_pickle(&in, "labels", &batch));
    expect_error(message);
    tg_cifar_free(&batch);
}
#define PICKLE(text) text, sizeof text - 1

START_TEST(broken_pickles) {
    expect_pickle(PICKLE("\x80\x02]."), "x, byte 4: the pickle is no dict");
    expect_pickle(PICKLE("}."), "x: the pickle has no 'labels'");
    expect_pickle(PICKLE("}(U\x06labels]u."), "x: the pickle has no 'data'");
    expect_pickle(PICKLE("}(U\x06labelsK\x01U\x04" "dataNu."), "x: 'labels' is no list");
    expect_pickle(PICKLE("}(U\x06labels]U\x04" "dataNu."), "x: 'data' is no NumPy array");
    expect_pickle(PICKLE("}(U\x06labels](K\x01K\x02" "eU\x04" "dataNu."),
                  "x: the file has 26 bytes, too few for 2 images");
    expect_pickle(PICKLE("}(U\x06labels](U\x01zeU\x04" "dataNu."), "x: the file has 25 bytes, too few for 1 images");
    expect_pickle(PICKLE("e"), "x, byte 1: the pickle has no mark");
    expect_pickle(PICKLE("(K\x01u."), "x, byte 4: the pickle's stack is empty");
    expect_pickle(PICKLE("N(K\x01u."), "x, byte 5: the pickle adds items to what is no list or dict");
    expect_pickle(PICKLE("}(K\x01u."), "x, byte 5: the pickle has a key without a value");
    expect_pickle(PICKLE("h\x07."), "x, byte 2: the pickle's memo has no such entry");
    expect_pickle(PICKLE("Nr\x2b\0\x84\0."), "x, byte 6: the pickle's memo is too large");
    expect_pickle(PICKLE("U\x09xy"), "x, byte 2: the pickle is truncated within a text");
    expect_pickle(PICKLE("cnumpy"), "x, byte 1: the pickle is truncated within a name");
    expect_pickle(PICKLE("\x8a\x09" "123456789."), "x, byte 2: the pickle has an integer of more than 64 bits");
    expect_pickle(PICKLE("I12\n."), "x, byte 0: the pickle's instruction 49 is not supported in CIFAR's files");
}
END_TEST

/* A batch of one image: labels' item, the array's shape and its bytes as instructions, after others whose values are
 * popped again. */
static size_t small_batch(char *to, const char *label, size_t label_size, const char *shape, size_t shape_size,
                          const char *data, size_t data_size) {
    size_t n = 0;
#define PUT(text, size) (memcpy(to + n, text, size), n += (size))
#define PUTS(text) PUT(text, sizeof text - 1)
    /* NONE, BINFLOAT, an empty tuple, an item of a dict, a memo entry, a long text */
    PUTS("\x80\x02N0G\x3f\xf0\0\0\0\0\0\0" "0" ")0}U\1aNs0Nr\0\0\0\0j\0\0\0\0" "00T\0\x0c\0\0");
    memset(to + n, 'x', TG_CIFAR_IMAGE);
    n += TG_CIFAR_IMAGE;
    PUTS("0}(U\6labels](");
    PUT(label, label_size);
    PUTS("eU\4" "datacnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\1b\x87R(K\1");
    PUT(shape, shape_size);
    PUTS("N\x89");
    PUT(data, data_size);
    PUTS("tbu.");
#undef PUTS
#undef PUT
    return n;
}
#define OPS(text) text, sizeof text - 1

START_TEST(rare_instructions_of_pickles) {
    static char bytes[3 * TG_CIFAR_IMAGE], data[TG_CIFAR_IMAGE + 6] = "T\0\x0c";
    static const struct {
        const char *text;
        size_t size;
        int64_t value;
    } labels[] = {{OPS("\x8a\1\5"), 5},
                  {OPS("\x8a\1\xff"), -1},
                  {OPS("\x8a\2\0\x80"), -32768},
                  {OPS("\x8a\0"), 0},
                  {OPS("\x8a\x08\0\0\0\0\0\0\0\x80"), INT64_MIN},
                  {OPS("\x88"), 1}};
    for (int j = 0; j < TG_CIFAR_IMAGE; j++) data[5 + j] = (char)(j % 251);
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        const size_t size = small_batch(bytes, labels[i].text, labels[i].size, OPS("K\1M\0\x0c\x86"), data,
                                        TG_CIFAR_IMAGE + 5);
        tg_Input in;
        tg_CifarBatch batch = {0};
        HOLDS(tg_input_memory(&in, bytes, size, "x") && tg_cifar_pickle(&in, "labels", &batch));
        HOLDS(batch.count == 1 && batch.labels[0] == labels[i].value);
        for (int j = 0; j < TG_CIFAR_IMAGE; j++) ck_assert_uint_eq(batch.images[j], j % 251);
        tg_cifar_free(&batch);
    }
    expect_pickle(bytes, small_batch(bytes, OPS("K\1"), OPS("K\2M\0\x0c\x86"), data, TG_CIFAR_IMAGE + 5),
                  "x: 'data' has not the shape (1, 3072) of as many images as there are labels");
    expect_pickle(bytes, small_batch(bytes, OPS("K\1"), OPS("N"), data, TG_CIFAR_IMAGE + 5),
                  "x: 'data' has not the shape (1, 3072) of as many images as there are labels");
    static const char other[] = "x: the bytes of 'data' are not the 3072 of its shape";
    expect_pickle(bytes, small_batch(bytes, OPS("K\1"), OPS("K\1M\0\x0c\x86"), OPS("U\3abc")), other);
    expect_pickle(bytes,
                  small_batch(bytes, OPS("K\1"), OPS("K\1M\0\x0c\x86"),
                              OPS("c_codecs\nencode\nX\3\0\0\0abcX\6\0\0\0latin1\x86R")),
                  other);
    make_folders("cifar-100-python");
    static uint8_t batch[LARGEST];
    write_bytes("cifar-100-python", "train", batch, python_batch(batch, 3, "fine_labels"));
    write_bytes("cifar-100-python", "test", batch, python_batch(batch, 4, "fine_labels"));
    const char meta[] = "\x80\x02}(U\x10" "fine_label_names](K\1eu.";
    write_bytes("cifar-100-python", "meta", meta, sizeof meta - 1);
    ck_assert_ptr_null(datasets_CIFAR100_new(root, NULL));
    ck_assert_msg(strstr(t_error_message(), "meta: 'fine_label_names'[0] is no text"), "%s", t_error_message());
    t_clear_error();
}
END_TEST

START_TEST(classes_and_texts) {
    data_Dataset *fake = datasets_FakeData(4);
    write_python();
    data_Dataset *cifar = datasets_CIFAR10(root);
    ck_assert_int_eq((datasets_class_to_idx)(cifar, "zebra"), -1);
    expect_error("KeyError: 'zebra'");
    ck_assert_int_eq((datasets_class_to_idx)(cifar, NULL), -1);
    expect_error("KeyError: 'None'");
    catch_output(STDOUT_FILENO);
    datasets_print(fake);
    transforms_print(transforms_Compose(transforms_Resize(3), transforms_ToTensor()));
    fflush(stdout);
    char *printed = caught_output();
    ck_assert_str_eq(printed, "Dataset FakeData\n    Number of datapoints: 4\n"
                              "Compose(\n    Resize(size=3, interpolation=bilinear, max_size=None, antialias=True)\n"
                              "    ToTensor()\n)\n");
    free(printed);
    const datasets_FakeDataOptions none = {
        .size_ = sizeof none, .size = -1, .image_size = {3, 4, 4}, .num_classes = 10};
    ck_assert_ptr_null((datasets_FakeData_new)(&none));
    expect_error("size must not be negative, and num_classes positive, but they are -1 and 10");
}
END_TEST

/* ---- FakeData, errors, memory ---- */

START_TEST(fake_data) {
    data_Dataset *fake = datasets_FakeData(4, .image_size = {3, 2, 3}, .num_classes = 7, .random_offset = 5);
    const char *const expected[] = {
        "tensor([213, 132, 171,  10, 223, 103,  36, 218, 154, 146, 242, 251, 122, 125,\n"
        "         63, 189, 189,   8], dtype=torch.uint8)",
        "tensor([204, 160,  92, 101,  37,  69,   5, 216,   7, 210, 224,  90, 148,  90,\n"
        "          4, 102,  21, 142], dtype=torch.uint8)",
        "tensor([ 47, 100, 235, 172,  50, 199,   8,  72,  40, 202,  49, 168, 243, 171,\n"
        "        175, 166,  35, 113], dtype=torch.uint8)"};
    const int labels[] = {2, 3, 2};
    t_manual_seed(3);
    for (int i = 0; i < 3; i++) {
        Tensor *x, *y;
        HOLDS(data_dataset_get(fake, i, &x, &y) && t_item(y) == labels[i]);
        expect_printed(t_flatten(TF_pil_to_tensor(x)), expected[i]);
    }
    ck_assert_double_eq_tol(t_item(t_rand(1)), 0.004263520240783691, 1e-7); /* the generator is as before */
    ck_assert_str_eq(datasets_str(fake), "Dataset FakeData\n    Number of datapoints: 4");
    ck_assert_int_eq(data_dataset_len(datasets_FakeData()), 1000);
    ck_assert_ptr_null((datasets_data)(fake));
    expect_error("'FakeData' object has no attribute 'data'");
    ck_assert_ptr_null((datasets_classes)(fake, NULL));
    expect_error("'FakeData' object has no attribute 'classes'");
    ck_assert_ptr_null((datasets_targets)(data_TensorDataset(t_list(t_ones(3)))));
    expect_error("argument 1 is not a dataset of torchvision.datasets");
    datasets_FakeDataOptions options = {.size_ = sizeof options, .size = 3, .image_size = {5, 2, 2}, .num_classes = 2};
    ck_assert_ptr_null(datasets_FakeData_new(&options));
    expect_error("pic should not have > 4 channels. Got 5 channels.");
    options.image_size[0] = 0;
    ck_assert_ptr_null(datasets_FakeData_new(&options));
    expect_error("image_size must be positive, but is [0, 2, 2]");
}
END_TEST

static bool read_and_get(void *with) {
    data_Dataset *(*const new)(const char *, const datasets_Options *) =
        *(data_Dataset * (**)(const char *, const datasets_Options *)) with;
    const int depth = t_scope_open();
    Tensor *x, *y;
    data_Dataset *dataset = depth ? new(root, NULL) : NULL;
    const bool ok = dataset && (data_dataset_get)(dataset, 1, &x, &y) && (datasets_str)(dataset);
    t_scope_close(depth);
    return ok;
}

START_TEST(each_allocation_may_fail) {
    data_Dataset *(*const news[])(const char *, const datasets_Options *) = {datasets_MNIST_new, datasets_CIFAR10_new};
    write_mnist("MNIST");
    write_python();
    for (int i = 0; i < 2; i++) refuse_all("a dataset", read_and_get, NULL, (void *)&news[i]);
    report_notes();
}
END_TEST

Suite *image_datasets_suite(void) {
    Suite *suite = suite_create("image_datasets");
    TCase *files = tcase_create("files");
    tcase_add_checked_fixture(files, setup, teardown);
    tcase_add_test(files, mnist);
    tcase_add_test(files, qmnist);
    tcase_add_test(files, emnist);
    tcase_add_test(files, in_the_loader);
    tcase_add_test(files, target_transforms);
    tcase_add_test(files, broken_idx_files);
    tcase_add_test(files, missing_files);
    tcase_add_test(files, cifar_of_python);
    tcase_add_test(files, cifar_binary);
    tcase_add_test(files, cifar100);
    tcase_add_test(files, newer_pickles);
    tcase_add_test(files, torn_batches);
    tcase_add_test(files, broken_pickles);
    tcase_add_test(files, rare_instructions_of_pickles);
    tcase_add_test(files, classes_and_texts);
    tcase_add_test(files, fake_data);
    tcase_add_test(files, each_allocation_may_fail);
    suite_add_tcase(suite, files);
    return suite;
}
