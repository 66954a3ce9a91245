/* tests/vision/test_utils.c: utils_make_grid and utils_save_image against torchvision
 * (golden/record_vision_utils.py). */
#include <stdio.h>
#include <string.h>

#include "core/io/zlib/zlib.h"
#include "core/vision/vision.h"
#include "tests/support/files/file_support.h"
#include "tests/support/refusals.h"

#define NONE {__builtin_nan(""), 0}
#define GRID(...) {sizeof(utils_GridOptions), __VA_ARGS__}

static const struct Case { const char *name; int64_t shape[4]; int ndim; utils_GridOptions options; } cases[] = {
    {"plain", {5, 3, 4, 6}, 4, GRID(8, 2, false, NONE, false, 0)},
    {"rows", {7, 3, 4, 3}, 4, GRID(3, 2, false, NONE, false, 0)},
    {"one_row", {3, 3, 4, 3}, 4, GRID(3, 0, false, NONE, false, 0)},
    {"one_column", {3, 3, 2, 3}, 4, GRID(1, 5, false, NONE, false, 0.5)},
    {"gray", {4, 1, 5, 5}, 4, GRID(2, 2, false, NONE, false, 0)},
    {"rgba", {2, 4, 3, 3}, 4, GRID(8, 2, false, NONE, false, 0)},
    {"two_channels", {2, 2, 3, 3}, 4, GRID(8, 2, false, NONE, false, 0)},
    {"image", {3, 5, 4}, 3, GRID(8, 2, false, NONE, false, 0)},
    {"gray_image", {1, 5, 4}, 3, GRID(8, 2, false, NONE, false, 0)},
    {"matrix", {5, 4}, 2, GRID(8, 2, false, NONE, false, 0)},
    {"batch_of_one", {1, 3, 5, 4}, 4, GRID(8, 9, false, NONE, false, 0)},
    {"normalize", {5, 3, 4, 6}, 4, GRID(8, 2, true, NONE, false, 0)},
    {"normalize_range", {5, 3, 4, 6}, 4, GRID(8, 2, true, {-1, 1}, false, 0)},
    {"normalize_empty_range", {5, 3, 4, 6}, 4, GRID(8, 2, true, {0.5, 0.5}, false, 0)},
    {"normalize_each", {5, 3, 4, 6}, 4, GRID(8, 2, true, NONE, true, 1)},
    {"normalize_each_gray", {5, 1, 4, 6}, 4, GRID(2, 2, true, NONE, true, 0)},
    {"normalize_each_range", {2, 3, 4, 6}, 4, GRID(8, 2, true, {-0.5, 0.75}, true, 0)},
    {"normalize_image", {4, 6}, 2, GRID(8, 2, true, NONE, false, 0)},
};
enum { CASES = sizeof cases / sizeof *cases };

static unsigned crc_of(Tensor *x) {
    Tensor *y = t_contiguous(x);
    return tg_crc32(0, t_data_ptr(y), (size_t)(t_numel(y) * t_element_size(y)));
}

START_TEST(grids_and_files_are_torchvisions) {
    char path[200], name[64], shape[64], saved[64], got[64];
    unsigned crc;
    in_folder(path, "grid.png");
    FILE *file = fopen("tests/golden/vision_utils.txt", "r");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < CASES; i++) {
        const struct Case *c = &cases[i];
        ck_assert_int_eq(fscanf(file, "%63s %63s %x %63s", name, shape, &crc, saved), 4);
        ck_assert_str_eq(name, c->name);
        Tensor *x = hashed_tensor("R", c->shape, c->ndim, seed_of(c->name), 0, t_float32), *before = t_clone(x);
        Tensor *grid = (utils_make_grid)(x, &c->options);
        ck_assert_msg(grid != NULL, "%s: %s", name, t_error());
        snprintf(got, sizeof got, "%dx%dx%d", (int)t_size(grid, 0), (int)t_size(grid, 1), (int)t_size(grid, 2));
        ck_assert_str_eq(got, shape);
        ck_assert_msg(crc_of(grid) == crc, "%s: other values", name);
        ck_assert(t_equal(x, before));
        if (saved[0] == '-') continue;
        ck_assert_msg((utils_save_image)(x, path, NULL, &c->options), "%s: %s", name, t_error());
        snprintf(got, sizeof got, "%08x", crc_of(t_permute(io_read_image(path), 1, 2, 0)));
        ck_assert_msg(strcmp(got, saved) == 0, "%s: other pixels in the file", name);
    }
    fclose(file);
}
END_TEST

START_TEST(keywords_lists_and_formats) {
    char path[200];
    in_folder(path, "grid.ppm");
    Tensor *x = t_rand(3, 4, 5, .requires_grad = true), *y = t_rand(3, 4, 5);
    Tensor *batch = t_stack(t_list(x, y), 0);
    Tensor *grid = utils_make_grid(t_list(x, y), .padding = 1, .pad_value = 1);
    ck_assert(t_equal(grid, utils_make_grid(batch, 8, 1, .pad_value = 1)) && !t_requires_grad(grid));
    ck_assert(t_equal(t_at(grid, ":, 0"), t_ones(3, 13)));
    ck_assert(utils_save_image(t_list(x, y), path, .padding = 1, .pad_value = 1));
    Tensor *bytes = t_to(t_clamp(t_add(t_mul(grid, 255), 0.5), 0, 255), t_uint8);
    ck_assert(t_equal(io_read_image(path), bytes));
    ck_assert(utils_save_image(grid, path, .format = "PNG") && t_equal(io_read_image(path), bytes));
    ck_assert(t_size(utils_make_grid(t_zeros(4, 3, 2, 2, .dtype = t_uint8), 2), 2) == 10);
    expect_refusal(!utils_save_image(x, "x.xyz"),
                   "unknown file extension: .xyz (.png .ppm .pgm .pbm .pnm are supported)");
    expect_refusal(!utils_save_image(x, "x", .format = "bmp2"),
                   "unknown format: bmp2 (png, ppm, pgm, pbm and pnm are supported)");
    expect_refusal(utils_make_grid(t_zeros(3)) == NULL,
                   "an image has 2 or 3 dims and a batch of images 4, but the tensor has 1");
    expect_refusal(utils_make_grid(t_zeros(0, 3, 2, 2)) == NULL, "a grid needs images, and nrow at least 1");
    expect_refusal(utils_make_grid(batch, 0) == NULL, "a grid needs images, and nrow at least 1");
    expect_refusal(utils_make_grid(batch, 2, -1) == NULL, "padding must not be negative, but is -1");
    expect_refusal(!utils_save_image(t_zeros(3, 4, 4, .dtype = t_uint8), path),
                   "result type Float can't be cast to the desired output type Byte");
    expect_refusal(!utils_save_image(t_zeros(2, 5, 3, 3), path), "an image has 1 to 4 channels, and not 5");
    expect_refusal(!utils_save_image(t_zeros(4, 4, 4), path), "cannot write an image of 4 channels as PPM");
    ck_assert(utils_make_grid(t_zeros(2, 3, 2, 2, .dtype = t_uint8), .normalize = true) == NULL);
    t_clear_error();
}
END_TEST

static bool save(void *path) {
    const int depth = (t_scope_open)();
    const t_TensorOptions options = {sizeof options, t_float32, false, NULL};
    const utils_GridOptions of_grid = GRID(2, 1, true, NONE, true, 0);
    Tensor *x = depth ? (t_ones)((const int64_t[]){3, 3, 2, 2}, 4, &options) : NULL;
    const bool ok = x && (utils_save_image)(x, path, NULL, &of_grid);
    (t_scope_close)(depth);
    return ok;
}

START_TEST(without_memory_nothing_is_left) {
    char path[200];
    in_folder(path, "grid.png");
    refuse_all("save_image", save, NULL, path);
    report_notes();
}
END_TEST

Suite *vision_utils_suite(void);
Suite *vision_utils_suite(void) {
    Suite *suite = suite_create("vision_utils");
    TCase *tests = tcase_create("vision_utils");
    tcase_add_checked_fixture(tests, folder_setup, folder_teardown);
    tcase_add_test(tests, grids_and_files_are_torchvisions);
    tcase_add_test(tests, keywords_lists_and_formats);
    tcase_add_test(tests, without_memory_nothing_is_left);
    suite_add_tcase(suite, tests);
    return suite;
}
