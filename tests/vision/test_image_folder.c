/* tests/vision/test_image_folder.c: ImageFolder and DatasetFolder: classes and samples in torchvision's order, loaders,
 * errors. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/data/data.h"
#include "core/tensor/tensor.h"
#include "core/vision/vision.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

static char root[256]; /* the test's folder */

static void setup(void) {
    support_setup();
    snprintf(root, sizeof root, "/tmp/tapegrad_folder_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
}

static void teardown(void) {
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    ck_assert_int_eq(system(command), 0);
    support_teardown();
}

static const char *in_root(const char *name) {
    return t_format("%s/%s", root, name);
}

/* A picture of 2 x 2 pixels of that value, in the folder. */
static void put_image(const char *folder, const char *name, int value, int64_t channels) {
    mkdir(in_root(folder), 0755);
    Tensor *image = t_full((channels, 2, 2), value, .dtype = t_uint8);
    const char *path = t_format("%s/%s/%s", root, folder, name);
    HOLDS(strstr(name, ".png") ? io_write_png(image, path) : io_write_ppm(image, path));
}

static void put_images(void) {
    put_image("dogs", "b.png", 20, 3);
    put_image("dogs", "a.PNG.ppm", 10, 3);
    put_image("dogs/small-ones", "z.png", 31, 1);
    put_image("dogs/small", "y.pgm", 30, 1);
    put_image("Cats", "x.png", 5, 3);
    FILE *note = fopen(in_root("dogs/readme.txt"), "w");
    fputs("17", note);
    fclose(note);
    note = fopen(in_root("list.txt"), "w");
    fclose(note);
}

static double first_pixel(data_Dataset *dataset, int64_t index, int64_t *label) {
    Tensor *x, *y;
    HOLDS(data_dataset_get(dataset, index, &x, &y));
    *label = (int64_t)t_item(y);
    return t_item(t_at(x, "0, 0, 0"));
}

START_TEST(images_in_order) {
    static const char *const names[] = {"Cats/x.png", "dogs/a.PNG.ppm", "dogs/b.png", "dogs/small/y.pgm",
                                        "dogs/small-ones/z.png"};
    static const double values[] = {5, 10, 20, 30, 31};
    put_images();
    data_Dataset *images = datasets_ImageFolder(root);
    ck_assert_int_eq(data_dataset_len(images), 5);
    expect_printed(datasets_targets(images), "tensor([0, 1, 1, 1, 1])");
    ck_assert_int_eq(datasets_class_to_idx(images, "Cats"), 0);
    ck_assert_int_eq(datasets_class_to_idx(images, "dogs"), 1);
    for (int i = 0; i < 5; i++) {
        int64_t label;
        ck_assert_str_eq(datasets_sample_path(images, i), in_root(names[i]));
        ck_assert_double_eq(first_pixel(images, i, &label), values[i]);
        ck_assert_int_eq(label, i > 0);
    }
    ck_assert_str_eq(datasets_sample_path(images, -1), in_root("dogs/small-ones/z.png"));
    Tensor *x, *y;
    HOLDS(data_dataset_get(images, 3, &x, &y) && TF_is_pil_image(x));
    ck_assert_str_eq(t_size_repr(x), "torch.Size([3, 2, 2])"); /* of a gray file */
    data_Dataset *tensors = datasets_ImageFolder(root, transforms_Compose(transforms_Resize(4), transforms_ToTensor()));
    for (int64_t workers = 0; workers < 3; workers++)
        for_batch (batch, data_DataLoader(tensors, .batch_size = 5, .num_workers = workers))
            ck_assert_str_eq(t_size_repr(batch.x), "torch.Size([5, 3, 4, 4])");
    ck_assert_str_eq(datasets_str(images),
                     t_format("Dataset ImageFolder\n    Number of datapoints: 5\n    Root location: %s", root));
}
END_TEST

static bool is_small(const char *path, void *context) {
    ++*(int *)context;
    return strstr(path, "small") != NULL;
}

static Tensor *read_number(const char *path, void *context) {
    char text[20] = "";
    (void)context;
    FILE *file = fopen(path, "r");
    if (!file) return t_fail("cannot open %s: %s", path, strerror(errno));
    const bool is_read = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    return is_read ? t_tensor(atof(text)) : t_fail("%s has no number", path);
}

START_TEST(a_folder_of_many_images) {
    for (int i = 0; i < 150; i++) put_image("dogs", t_format("%03d.png", 149 - i), i, 1);
    data_Dataset *images = datasets_ImageFolder(root);
    ck_assert_int_eq(data_dataset_len(images), 150);
    for (int i = 0; i < 150; i++) {
        int64_t label;
        ck_assert_str_eq(datasets_sample_path(images, i), in_root(t_format("dogs/%03d.png", i)));
        ck_assert_double_eq(first_pixel(images, i, &label), 149 - i);
    }
}
END_TEST

START_TEST(own_functions) {
    int calls = 0;
    put_images();
    data_Dataset *small = datasets_ImageFolder(root, .is_valid_file = is_small, .context = &calls, .allow_empty = true);
    ck_assert_int_eq(data_dataset_len(small), 2);
    ck_assert_int_eq(calls, 6);
    data_Dataset *numbers = datasets_DatasetFolder(root, read_number, {".txt", ".csv"}, .allow_empty = true);
    Tensor *x, *y;
    HOLDS(data_dataset_get(numbers, 0, &x, &y) && t_item(x) == 17 && t_item(y) == 1);
    for_batch (batch, data_DataLoader(numbers, .num_workers = 2)) HOLDS(t_item(batch.x) == 17);
}
END_TEST

START_TEST(refused) {
    ck_assert_ptr_null((datasets_ImageFolder_new)(in_root("none"), NULL));
    expect_error(t_format("[Errno 2] No such file or directory: '%s/none'", root));
    ck_assert_ptr_null((datasets_ImageFolder_new)(root, NULL));
    expect_error(t_format("Couldn't find any class folder in %s.", root));
    put_images();
    mkdir(in_root("birds"), 0755);
    ck_assert_ptr_null((datasets_ImageFolder_new)(root, NULL));
    expect_error("Found no valid file for the classes birds. Supported extensions are: .jpg, .jpeg, .png, .ppm, .bmp, "
                 ".pgm, .tif, .tiff, .webp");
    ck_assert_ptr_null((datasets_DatasetFolder_new)(root, NULL));
    expect_error("DatasetFolder.__init__() missing a required argument: 'loader'");
    const datasets_FolderOptions options = {.size = sizeof options, .loader = read_number};
    ck_assert_ptr_null((datasets_DatasetFolder_new)(root, &options));
    expect_error("Both extensions and is_valid_file cannot be None or not None at the same time");
    FILE *broken = fopen(in_root("Cats/x.png"), "w");
    fputs("no image", broken);
    fclose(broken);
    data_Dataset *images = datasets_ImageFolder(root, .allow_empty = true);
    Tensor *x, *y;
    ck_assert(!(data_dataset_get)(images, 0, &x, &y));
    ck_assert_ptr_nonnull(strstr(t_error_message(), "Cats/x.png: Unsupported image file."));
    t_clear_error();
    char *deep = calloc(1, 5000); /* a path that the system takes, but not with a name more */
    for (size_t n = (size_t)snprintf(deep, 5000, "%s", root); n + 2 <= 4094; n += 2) memcpy(deep + n, "/.", 2);
    ck_assert_ptr_null((datasets_ImageFolder_new)(deep, NULL));
    ck_assert_ptr_nonnull(strstr(t_error_message(), ": the path is too long"));
    t_clear_error();
    free(deep);
    ck_assert_ptr_null((datasets_sample_path)(images, 5));
    expect_error("list index out of range: 5");
    ck_assert_ptr_null((datasets_sample_path)(datasets_FakeData(), 0));
    expect_error("'FakeData' object has no attribute 'samples'");
}
END_TEST

static bool read_folder(void *with) {
    const int depth = t_scope_open();
    Tensor *x, *y;
    data_Dataset *images = depth ? (datasets_ImageFolder_new)(with, NULL) : NULL;
    const bool ok = images && (data_dataset_get)(images, 1, &x, &y);
    t_scope_close(depth);
    return ok;
}

START_TEST(each_allocation_may_fail) {
    put_images();
    refuse_all("ImageFolder", read_folder, NULL, root);
    report_notes();
}
END_TEST

Suite *image_folder_suite(void) {
    Suite *suite = suite_create("image_folder");
    TCase *files = tcase_create("files");
    tcase_add_checked_fixture(files, setup, teardown);
    tcase_add_test(files, images_in_order);
    tcase_add_test(files, a_folder_of_many_images);
    tcase_add_test(files, own_functions);
    tcase_add_test(files, refused);
    tcase_add_test(files, each_allocation_may_fail);
    suite_add_tcase(suite, files);
    return suite;
}
