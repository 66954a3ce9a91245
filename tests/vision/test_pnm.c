/* tests/vision/test_pnm.c: Netpbm's files of all six kinds, whole and broken; values as Pillow has them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/vision/vision.h"
#include "tests/support/files/file_support.h"
#include "tests/support/refusals.h"

static Tensor *decode(const char *text, size_t size, ImageReadMode mode) {
    char *exact = malloc(size);
    memcpy(exact, text, size);
    Tensor *x = t_empty((int64_t)size, .dtype = t_uint8);
    memcpy(t_data_ptr_mut(x), exact, size);
    free(exact);
    return io_decode_image(x, mode);
}
#define DECODE(text, mode) decode(text, sizeof(text) - 1, mode)

static void expect_image(Tensor *image, const char *text, t_DType dtype) {
    Tensor *expected = t_tensor(text, .dtype = dtype);
    ck_assert_msg(image && t_dtype(image) == dtype && t_equal(image, expected), "%s: %s", text, t_error());
}

START_TEST(all_kinds_are_read) {
    const ImageReadMode as_is = ImageReadMode_UNCHANGED;
    expect_image(DECODE("P1\n3 2\n101\n0 1 0\n", as_is), "[[[0, 255, 0], [255, 0, 255]]]", t_uint8);
    expect_image(DECODE("P2 # gray\n# a comment\n3 1 255\n7 # seven\n8\t9", as_is), "[[[7, 8, 9]]]", t_uint8);
    expect_image(DECODE("P3 1 2 255 1 2 3 4 5 6", as_is), "[[[1], [4]], [[2], [5]], [[3], [6]]]", t_uint8);
    expect_image(DECODE("P4\n10 1\n\x80\x40", as_is), "[[[0, 255, 255, 255, 255, 255, 255, 255, 255, 0]]]", t_uint8);
    expect_image(DECODE("P5\n2 1\n255\n\x07\xff", as_is), "[[[7, 255]]]", t_uint8);
    expect_image(DECODE("P6 1 1 255\n\x01\x02\xff and more", as_is), "[[[1]], [[2]], [[255]]]", t_uint8);
    /* other largest values: scaled as Pillow does, values beyond are the largest */
    expect_image(DECODE("P2 4 1 7 0 1 3 7", as_is), "[[[0, 36, 109, 255]]]", t_uint8);
    expect_image(DECODE("P5 3 1 10\n\x05\x0a\x0b", as_is), "[[[128, 255, 255]]]", t_uint8);
    expect_image(DECODE("P5 2 1 65535\n\x01\x02\xff\xff", as_is), "[[[258, 65535]]]", t_int32);
    expect_image(DECODE("P6 1 1 1000\n\x03\xe8\0\0\x01\xf4", as_is), "[[[65535]], [[0]], [[32768]]]", t_int32);
    /* modes */
    expect_image(DECODE("P2 2 1 255 7 8", ImageReadMode_RGB), "[[[7, 8]], [[7, 8]], [[7, 8]]]", t_uint8);
    expect_image(DECODE("P3 1 1 255 200 100 50", ImageReadMode_GRAY), "[[[124]]]", t_uint8);
    expect_image(DECODE("P3 1 1 255 1 2 3", ImageReadMode_RGBA), "[[[1]], [[2]], [[3]], [[255]]]", t_uint8);
}
END_TEST

START_TEST(broken_files_are_refused) {
#define NAME "the image in memory, byte "
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"P2 ", NAME "3: the width is missing: the file is truncated"},
        {"P2 3 x", NAME "5: the height is missing"},
        {"P2 3 1 ", NAME "7: the largest value is missing: the file is truncated"},
        {"P2 3 1 70000 1 2 3", NAME "7: the largest value is more than 65535"},
        {"P2 99999999999 1 1 ", NAME "3: the width is more than 2147483647"},
        {"P2 0 1 1 ", NAME "2: the width, the height or the largest value is 0"},
        {"P2 3 1 9 1 2 10", NAME "13: a value is more than 9"},
        {"P2 3 1 9 1 2   ", NAME "15: a value is missing: the file is truncated"},
        {"P2 3000 3000 9 1 2   ", NAME "14: the file is truncated: 3000 x 3000 pixels do not fit into 7 bytes"},
        {"P6 1 2 255\n12345", NAME "11: the file is truncated: 1 x 2 pixels do not fit into 5 bytes"},
        {"P5 1 1 255", NAME "10: white space must be between the header and the pixels"},
        {"P1 3 1 1 2 0", NAME "9: a pixel of a bitmap must be 0 or 1"},
        {"P1 3 1 1 0  ", NAME "12: the file is truncated: a pixel is missing"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_refusal(decode(bad[i].text, strlen(bad[i].text), ImageReadMode_UNCHANGED) == NULL, bad[i].message);
}
END_TEST

START_TEST(what_is_written_is_read_again) {
    char path[200];
    in_folder(path, "x.ppm");
    for (int channels = 1; channels <= 3; channels += 2)
        for (int wide = 0; wide < 2; wide++) {
            Tensor *x = t_to(t_arange(channels * 12), wide ? t_int32 : t_uint8);
            x = t_transpose(t_view(wide ? t_mul(x, 1000) : x, channels, 4, 3), 1, 2);
            ck_assert(io_write_ppm(x, path));
            Tensor *again = io_read_image(path);
            ck_assert_msg(again && t_dtype(again) == t_dtype(x) && t_equal(again, x), "%s", t_error());
        }
    ck_assert(io_write_ppm(t_tensor("[[[-5, 70000]]]", .dtype = t_int32), path));
    expect_image(io_read_image(path), "[[[0, 65535]]]", t_int32);
    expect_refusal(!io_write_ppm(t_zeros(3, 2, 2), path), "Input tensor dtype should be uint8, or int32 for 16 bits");
    expect_refusal(!io_write_ppm(t_zeros(2, 2, 2, .dtype = t_uint8), path),
                   "The number of channels should be 1 or 3, got: 2");
    expect_refusal(!io_write_ppm(t_zeros(2, 2, .dtype = t_uint8), path), "Input data should be a 3-dimensional tensor");
    expect_refusal(!io_write_ppm(t_zeros(3, 0, 2, .dtype = t_uint8), path),
                   "an image without pixels cannot be written");
}
END_TEST

static bool write_and_read(void *path) {
    const int depth = (t_scope_open)();
    const t_TensorOptions options = {sizeof options, t_uint8, false, NULL};
    Tensor *x = !depth ? NULL : (t_zeros)((const int64_t[]){3, 5, 4}, 3, &options);
    const bool ok = x && (io_write_ppm)(x, path) && (io_read_image)(path, NULL);
    (t_scope_close)(depth);
    return ok;
}

START_TEST(without_memory_nothing_is_left) {
    char path[200];
    in_folder(path, "x.ppm");
    refuse_all("ppm", write_and_read, NULL, path);
    report_notes();
}
END_TEST

Suite *pnm_suite(void);
Suite *pnm_suite(void) {
    Suite *suite = suite_create("pnm");
    TCase *tests = tcase_create("pnm");
    tcase_add_checked_fixture(tests, folder_setup, folder_teardown);
    tcase_add_test(tests, all_kinds_are_read);
    tcase_add_test(tests, broken_files_are_refused);
    tcase_add_test(tests, what_is_written_is_read_again);
    tcase_add_test(tests, without_memory_nothing_is_left);
    suite_add_tcase(suite, tests);
    return suite;
}
