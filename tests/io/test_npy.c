/* tests/io/test_npy.c: NumPy's files: reading files of NumPy's, writing the same bytes as NumPy, refusing broken
 * files. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "core/io/zip.h"
#include "core/tensor/tensor.h"
#include "tests/support/support.h"

static const char numpys[] = "tests/golden/files/arrays.npz", path[] = "build/test_npy.bin";

static void tidy(void) {
    remove(path);
    support_teardown();
}

/* ---- what NumPy wrote ---- */

START_TEST(what_numpy_wrote_is_read) {
    t_TensorDict *arrays = np_load_npz(numpys);
    const char *golden = golden_case(golden_file("files.txt"), "arrays.npz");
    ck_assert_msg(arrays && golden, "%s", t_error());
    int64_t lines = 0;
    for (const char *line = golden; *line && *line != '='; line = strchr(line, '\n') + 1) lines++;
    ck_assert_int_eq(arrays->len, lines);
    for_items (item, arrays) {
        GoldenArray want;
        ck_assert(golden_array(golden, item->name, &want));
        compare_to_golden(item->name, item->tensor, &want, EXACT);
        free(want.values);
    }
    const int64_t *largest = t_data_ptr(t_dict_get(arrays, "i8_big"));
    ck_assert(largest[0] == INT64_MIN && largest[3] == INT64_MAX);
    ck_assert(!tg_is_contiguous(t_dict_get(arrays, "fortran")) && tg_is_contiguous(t_dict_get(arrays, "grid")));
    report_notes();
}
END_TEST

static bool is_of_ours(const char *header) {
    return strstr(header, "'<f4'") || strstr(header, "'<f8'") || strstr(header, "'<i8'") || strstr(header, "'|b1'");
}

/* Each array of a dtype that the library has, byte for byte; in Fortran order if it was. */
START_TEST(what_is_written_is_what_numpy_writes) {
    tg_Input in;
    tg_Zip zip;
    t_TensorDict *arrays = np_load_npz(numpys);
    ck_assert(tg_input_open(&in, numpys) && tg_zip_open(&zip, &in));
    int compared = 0;
    for (uint64_t i = 0; i < zip.count; i++) {
        size_t size, length = (size_t)zip.entries[i].bytes;
        char *want = calloc(1, length + 1), *got = np_save_bytes(arrays->items[i].tensor, &size);
        ck_assert(tg_input_read(&in, zip.entries[i].at, want, length));
        if (is_of_ours(want + 10)) {
            ck_assert_msg(got && size == length && memcmp(want, got, size) == 0, "%s: %.*s", zip.entries[i].name, 100,
                          want + 10);
            compared++;
        }
        free(want);
        free(got);
    }
    ck_assert_int_eq(compared, 16);
    tg_zip_close(&zip);
    tg_input_close(&in);
}
END_TEST

START_TEST(a_single_file_is_read) {
    Tensor *x = np_load("tests/golden/files/grid.npy");
    ck_assert(x && t_equal(x, t_view(t_arange(24.0), 2, 3, 4)));
}
END_TEST

/* ---- round trips ---- */

static bool is_same(Tensor *x, Tensor *y) {
    return y && x->dtype == y->dtype && tg_same_shape(x, y) && t_equal(x, y);
}

static void there_and_back(Tensor *x) {
    size_t size;
    void *bytes = np_save_bytes(x, &size);
    ck_assert(bytes && is_same(x, np_load_bytes(bytes, size)));
    free(bytes);
    t_TensorDict *arrays = t_dict();
    t_dict_set(arrays, "x", x);
    bytes = np_savez_bytes(arrays, &size);
    t_TensorDict *back = np_load_npz_bytes(bytes, size);
    ck_assert(back && back->len == 1 && is_same(x, t_dict_get(back, "x")));
    free(bytes);
}

START_TEST(arrays_come_back) {
    static const char *const kinds[] = {"B", "I", "F", "D"};
    static const int64_t shapes[][8] = {
        {2, 3, 1, 2, 1, 2, 1, 2}, {0, 3, 2, 1, 1, 1, 1, 1}, {3, 0, 2, 2, 1, 1, 1, 1}, {5, 4, 3, 2, 1, 1, 1, 1}};
    for (size_t k = 0; k < 4; k++)
        for (size_t s = 0; s < 4; s++)
            for (int ndim = 0; ndim <= 8; ndim++)
                with_scope () there_and_back(hashed_tensor(kinds[k], shapes[s], ndim, k, 0, t_float32));
}
END_TEST

START_TEST(views_come_back) {
    Tensor *x = hashed_tensor("F", SHAPE(4, 5, 6), 1, 0, t_float32);
    there_and_back(t_transpose(x, 0, 2));
    there_and_back(t_transpose(x, 1, 2));
    there_and_back(t_at(x, "1:, ::2, 3"));
    there_and_back(t_expand(t_at(x, "0, :, :1"), 3, 5, 2));
    there_and_back(t_at(x, "2:2"));
    there_and_back(t_requires_grad_(t_clone(x), true));
    there_and_back(t_mul(t_requires_grad_(t_ones(2), true), 3));
}
END_TEST

START_TEST(files_come_back) {
    t_TensorDict *arrays = t_dict();
    Tensor *x = t_randn(300, 100);
    t_dict_set(arrays, "layer.weight", x);
    t_dict_set(arrays, "step", 3);
    ck_assert(np_savez(path, arrays));
    t_TensorDict *back = np_load_npz(path);
    ck_assert(back && back->len == 2 && is_same(x, t_dict_get(back, "layer.weight")));
    ck_assert_int_eq(t_dict_get_integer(back, "step"), 3);
    ck_assert(np_save(path, x) && is_same(x, np_load(path)));
    ck_assert(np_savez(path, t_dict()) && (back = np_load_npz(path)) && back->len == 0);
}
END_TEST

/* ---- errors ---- */

static void expect_start(bool failed, const char *message) {
    ck_assert(failed);
    const char *got = t_error_message();
    ck_assert_msg(got && strncmp(got, message, strlen(message)) == 0, "%s\ninstead of\n%s", got ? got : "no error",
                  message);
    t_clear_error();
}

/* An array in memory with that header and 24 bytes after it. */
static Tensor *with_header(const char *header, int major) {
    uint8_t bytes[12000] = "\x93NUMPY";
    const size_t n = strlen(header), first = major > 1 ? 12 : 10;
    bytes[6] = (uint8_t)major;
    bytes[8] = n & 255;
    bytes[9] = (uint8_t)(n >> 8);
    memcpy(bytes + first, header, n);
    void *exact = malloc(first + n + 24);
    memcpy(exact, bytes, first + n);
    memset((char *)exact + first + n, 0, 24);
    Tensor *x = np_load_bytes(exact, first + n + 24);
    free(exact);
    return x;
}

START_TEST(headers_are_read_as_python_would) {
    static const char *const good[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n",
        "{\"shape\":(2,3),'fortran_order':True,'descr':'>f4'}",
        " {'shape' : ( 2L , 3L , ) ,\n'descr':'f4' , 'fortran_order':False}",
        "{'descr': '=f4', 'fortran_order': False, 'shape': (2, 3)}\n",
    };
    for (int major = 1; major <= 3; major++)
        for (size_t i = 0; i < sizeof good / sizeof *good; i++)
            ck_assert_msg(is_same(t_zeros(2, 3), with_header(good[i], major)), "%s", t_error());
    ck_assert(t_dim(with_header("{'descr': '<f8', 'fortran_order': True, 'shape': ()}", 1)) == 0);
    ck_assert(t_size(with_header("{'descr': '<f8', 'fortran_order': True, 'shape': (00,)}", 1), 0) == 0);
}
END_TEST

#define HEADER(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }\n"

START_TEST(broken_headers_are_refused) {
    static const struct { const char *header, *message;
    } bad[] = {
        {HEADER("'|O'", "False", "(3,)"),
         "the array in memory: the elements ('|O') are pickled Python objects (Object arrays cannot be loaded when "
         "allow_pickle=False), which tensors do not support"},
        {HEADER("'<U5'", "False", "(3,)"),
         "the array in memory: the elements ('<U5') are strings, which tensors do not support"},
        {HEADER("'<c8'", "False", "(3,)"),
         "the array in memory: the elements ('<c8') are of complex64, which tensors do not support"},
        {HEADER("'<f16'", "False", "()"),
         "the array in memory: the elements ('<f16') are of longdouble, which tensors do not support"},
        {HEADER("'<M8[ns]'", "False", "(3,)"),
         "the array in memory: the elements ('<M8[ns]') are dates, which tensors do not support"},
        {HEADER("'|V4'", "False", "(3,)"),
         "the array in memory: the elements ('|V4') are structures or raw bytes, which tensors do not support"},
        {HEADER("[('x', '<f4')]", "False", "(3,)"),
         "the array in memory: the elements are structures, which tensors do not support"},
        {HEADER("'<f3'", "False", "(3,)"),
         "the array in memory: the elements ('<f3') are numbers of an unknown length, which tensors do not support"},
        {HEADER("'<x4'", "False", "(3,)"), "the array in memory: '<x4' is not a NumPy dtype"},
        {HEADER("''", "False", "(3,)"), "the array in memory: '' is not a NumPy dtype"},
        {HEADER("f4", "False", "(3,)"),
         "the array in memory: the header of the array has no text in quotes at its byte 10, but 'f4, 'fortran_order"},
        {HEADER("'<f4'", "false", "(3,)"),
         "the array in memory: the header of the array has no True or False at its byte 34, but 'false, "},
        {HEADER("'<f4'", "0", "(3,)"),
         "the array in memory: the header of the array has no True or False at its byte 34, but '0, "},
        {HEADER("'<f4'", "False", "(3)"),
         "the array in memory: the header of the array has no comma at its byte 52, but '), }'"},
        {HEADER("'<f4'", "False", "3"),
         "the array in memory: the header of the array has no shape, a tuple at its byte 50, but '3, }'"},
        {HEADER("'<f4'", "False", "(-3,)"),
         "the array in memory: the header of the array has no size at its byte 51, but '-3,), }'"},
        {HEADER("'<f4'", "False", "(3.0,)"),
         "the array in memory: the header of the array has no comma at its byte 52, but '.0,), }'"},
        {HEADER("'<f4'", "False", "(9223372036854775808,)"),
         "the array in memory: the header of the array has no size that fits into 63 bits at its byte 51"},
        {HEADER("'<f4'", "False", "(1,1,1,1,1,1,1,1,1)"), "the array in memory: the array has more than 8 dims"},
        {HEADER("'<f8'", "False", "(4294967296, 4294967296)"),
         "the array in memory: an array of shape [4294967296, 4294967296] is too large"},
        {HEADER("'<f8'", "False", "(4611686018427387904,)"),
         "the array in memory: an array of shape [4611686018427387904] is too large"},
        {HEADER("'<f8'", "False", "(2, 2)"),
         "the array in memory: Failed to read all data for array. Expected [2, 2] = 4 elements, could only read 3 "
         "elements. (file seems not fully written?)"},
        {"{'descr': '<f4', 'fortran_order': False}", "the array in memory: the header of the array has no 'shape'"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}",
         "the array in memory: the header of the array has 'descr' twice"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1}",
         "the array in memory: the header of the array has a key 'x', but only descr, fortran_order and shape are "
         "valid"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': ()",
         "the array in memory: the header of the array has no comma at its byte 52, but ''"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': ()} + x",
         "the array in memory: the header of the array has no end at its byte 54, but '+ x'"},
        {HEADER("'<f8'", "False", "(02,)"),
         "the array in memory: the header of the array has no size at its byte 51, but '02,), }'"},
        {"{'descr' '<f4'}", "the array in memory: the header of the array has no colon at its byte 9, but ''<f4'}'"},
        {"{'descr': '\\x3cf4'}", "the array in memory: the header of the array has no text that ends at its byte 10"},
        {"__import__('os').system('true')",
         "the array in memory: the header of the array has no dict at its byte 0, but '__import__('os')"},
        {"", "the array in memory: the header of the array has no dict at its byte 0, but ''"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_start(with_header(bad[i].header, 1) == NULL, bad[i].message);
}
END_TEST

START_TEST(what_is_no_array_is_refused) {
    static const char start[] = "\x93NUMPY\1\0\xff\xffgarbage", wrong[] = "\x93NUMPX\1\0\2\0{}",
                      newer[] = "\x93NUMPY\4\0\2\0{}xx";
    static const char is_none[] =
        "the array in memory is not a .npy file: it does not begin with \\x93NUMPY and a header";
    expect_refusal(np_load_bytes(NULL, 0) == NULL, is_none);
    expect_refusal(np_load_bytes(wrong, sizeof wrong - 1) == NULL, is_none);
    expect_refusal(np_load_bytes(start, 9) == NULL, is_none);
    expect_refusal(np_load_bytes(start, sizeof start - 1) == NULL,
                   "the array in memory ends within its header: it has 17 bytes, and the header takes 65545");
    expect_refusal(np_load_bytes(newer, sizeof newer - 1) == NULL,
                   "the array in memory has version 4.0, but only 1.0, 2.0 and 3.0 are supported");
    char *long_header = calloc(1, 10100);
    memset(long_header, ' ', 10050);
    expect_refusal(with_header(long_header, 1) == NULL,
                   "the array in memory has a header of 10050 bytes, but at most 10000 are supported");
    free(long_header);
    expect_refusal(np_load(numpys) == NULL,
                   "tests/golden/files/arrays.npz is a ZIP archive, as .npz files are: np_load_npz reads it");
    expect_refusal(np_load_npz("tests/golden/files/grid.npy") == NULL,
                   "tests/golden/files/grid.npy is a single array, as .npy files are: np_load reads it");
    expect_refusal(np_load("build/nothing.npy") == NULL, "cannot open build/nothing.npy: No such file or directory");
    uint64_t large = UINT64_MAX;
    Tensor *x = t_tensor("[1]");
    size_t size;
    char *bytes = np_save_bytes(x, &size);
    memcpy(strstr(bytes + 10, "<i8"), "<u8", 3);
    memcpy(bytes + size - 8, &large, 8);
    expect_refusal(np_load_bytes(bytes, size) == NULL,
                   "element 0 of 'the array' in the array in memory is 18446744073709551615, but the largest int64 "
                   "is 9223372036854775807");
    free(bytes);
}
END_TEST

/* ---- archives ---- */

START_TEST(arguments_are_checked) {
    t_TensorDict *arrays = t_dict();
    t_dict_set(arrays, "x", "a text");
    expect_refusal(!np_savez(path, arrays), "'x' is a string, but an .npz file contains only arrays");
    ck_assert(access(path, F_OK) != 0);
    expect_refusal(!np_savez(path, NULL), "argument 2 is NULL where a dict of tensors is expected");
    expect_refusal(!(np_save)(path, NULL), "argument 2 is NULL where a tensor is expected");
    expect_refusal(!np_save(NULL, t_ones(1)), "the path is NULL");
    expect_refusal(np_load(NULL) == NULL, "the path is NULL");
    expect_refusal(np_save_bytes(t_ones(1), NULL) == NULL,
                   "argument 2 is NULL where the address of a size is expected");
    expect_refusal(np_savez_bytes(t_dict(), NULL) == NULL,
                   "argument 2 is NULL where the address of a size is expected");
    arrays = t_dict();
    t_dict_set(arrays, "a\xff", t_ones(1));
    expect_refusal(!np_savez(path, arrays), "byte 1 of 'a\xff' is not UTF-8 (0xff)");
    ck_assert(access(path, F_OK) != 0);
}
END_TEST

START_TEST(narrow_dtypes_are_saved_as_they_are) {
    static const t_DType dtypes[] = {t_uint8, t_int8, t_int16, t_int32, t_float16};
    for (int i = 0; i < 5; i++) {
        Tensor *x = t_to(t_tensor("[[1, 2, 3], [4, 5, 100]]"), dtypes[i]);
        ck_assert(np_save(path, x));
        Tensor *y = np_load(path);
        ck_assert(y && t_dtype(y) == dtypes[i] && t_equal(x, y));
    }
    expect_refusal(!np_save(path, t_bfloat16(t_ones(2))),
                   "NumPy has no bfloat16: convert the tensor, t_to(x, t_float32)");
}
END_TEST

Suite *npy_suite(void);
Suite *npy_suite(void) {
    Suite *suite = suite_create("npy");
    TCase *tests = tcase_create("npy");
    tcase_add_checked_fixture(tests, support_setup, tidy);
    tcase_add_test(tests, what_numpy_wrote_is_read);
    tcase_add_test(tests, narrow_dtypes_are_saved_as_they_are);
    tcase_add_test(tests, what_is_written_is_what_numpy_writes);
    tcase_add_test(tests, a_single_file_is_read);
    tcase_add_test(tests, arrays_come_back);
    tcase_add_test(tests, views_come_back);
    tcase_add_test(tests, files_come_back);
    tcase_add_test(tests, headers_are_read_as_python_would);
    tcase_add_test(tests, broken_headers_are_refused);
    tcase_add_test(tests, what_is_no_array_is_refused);
    tcase_add_test(tests, arguments_are_checked);
    suite_add_tcase(suite, tests);
    return suite;
}
