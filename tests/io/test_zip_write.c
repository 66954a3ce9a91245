/* tests/io/test_zip_write.c: writing .npz archives: many and large entries, long names, checksums, failing writes, out
 * of memory. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/io/zip.h"
#include "tests/support/files/file_support.h"
#include "tests/support/refusals.h"

START_TEST(very_many_entries_are_written_and_read) {
    enum { MANY = 66000 };
    char name[16];
    tg_Output out;
    tg_ZipWriter writer;
    tg_Input in;
    tg_Zip zip;
    tg_output_memory(&out);
    tg_zip_begin(&writer, &out);
    bool ok = true;
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "%d", i);
        ok = ok && tg_zip_add(&writer, name, 0, 0);
    }
    size_t size;
    void *bytes = tg_output_take(&out, tg_zip_end(&writer, ok), &size);
    ck_assert(tg_input_memory(&in, bytes, size, "many") && tg_zip_open(&zip, &in));
    ck_assert_int_eq(zip.count, MANY);
    ck_assert_str_eq(zip.entries[MANY - 1].name, "65999");
    ck_assert_ptr_eq(tg_zip_find(&zip, "777"), &zip.entries[777]);
    ck_assert_ptr_null(tg_zip_find(&zip, "66000"));
    tg_zip_close(&zip);
    free(bytes);
}
END_TEST

static uint64_t number_at(const uint8_t *at, int bytes) {
    uint64_t x = 0;
    for (int i = 0; i < bytes; i++) x |= (uint64_t)at[i] << (8 * i);
    return x;
}

/* As if 6 GB were written already, and the entry had 5 GB more. */
START_TEST(large_entries_get_64_bit_sizes) {
    const uint64_t at = UINT64_C(6) << 30, bytes = UINT64_C(5) << 30;
    tg_Output out;
    tg_ZipWriter zip;
    tg_output_memory(&out);
    out.written = at;
    tg_zip_begin(&zip, &out);
    ck_assert(tg_zip_add(&zip, "x", bytes, 7));
    out.written += bytes;
    ck_assert(tg_zip_end(&zip, true));
    const uint8_t *header = out.buffer, *record = header + 30 + 1 + 20, *end = record + 46 + 1 + 28;
    ck_assert(number_at(header + 18, 8) == UINT64_MAX && number_at(header + 28, 2) == 20 &&
              number_at(header + 31, 4) == 0x100001);
    ck_assert(number_at(header + 35, 8) == bytes && number_at(header + 43, 8) == bytes);
    ck_assert(number_at(record, 4) == 0x02014b50 && number_at(record + 20, 8) == UINT64_MAX &&
              number_at(record + 42, 4) == UINT32_MAX);
    ck_assert(number_at(record + 30, 2) == 28 && number_at(record + 47, 4) == 0x180001);
    ck_assert(number_at(record + 51, 8) == bytes && number_at(record + 59, 8) == bytes &&
              number_at(record + 67, 8) == at);
    ck_assert(number_at(end, 4) == 0x06064b50 && number_at(end + 40, 8) == 75 &&
              number_at(end + 48, 8) == at + bytes + 51);
    ck_assert(number_at(end + 56, 4) == 0x07064b50 && number_at(end + 64, 8) == at + bytes + 51 + 75);
    ck_assert(number_at(end + 76, 4) == 0x06054b50 && number_at(end + 92, 4) == UINT32_MAX &&
              end + 98 == out.buffer + out.used);
    size_t size;
    free(tg_output_take(&out, true, &size));
}
END_TEST

START_TEST(names_too_long_are_refused) {
    char *name = malloc(70000);
    memset(name, 'x', 69999);
    name[69999] = '\0';
    t_TensorDict *arrays = t_dict();
    t_dict_set(arrays, name, 1);
    size_t size;
    expect_refusal(np_savez_bytes(arrays, &size) == NULL,
                   "a name of 70003 bytes is too long for a ZIP archive, whose longest has 65535");
    free(name);
}
END_TEST

START_TEST(the_crc_is_the_standard_one) {
    const char text[] = "123456789";
    ck_assert_uint_eq(tg_crc32(0, text, 9), 0xcbf43926);
    ck_assert_uint_eq(tg_crc32(tg_crc32(0, text, 4), text + 4, 5), 0xcbf43926);
    ck_assert_uint_eq(tg_crc32(0, "The quick brown fox jumps over the lazy dog", 43), 0x414fa339);
}
END_TEST

/* ---- writes that fail ---- */

START_TEST(a_write_that_fails_leaves_the_old_file) {
    char path[200];
    in_folder(path, "arrays.npz");
    t_TensorDict *before = t_dict(), *after = t_dict();
    t_dict_set(before, "x", 1);
    for (int i = 0; i < 5; i++) t_dict_set(after, i % 2 ? "a" : "b", t_full((100, 100), 1.0 + i));
    t_dict_set(after, "x", 2);
    ck_assert(np_savez(path, before));
    for (int n = 1;; n++) {
        set_faults((Faults){.fail_at = n, .reason = n % 2 ? ENOSPC : EIO, .most = 30000});
        const bool saved = (np_savez)(path, after);
        ck_assert_int_eq(saved, !fault_reported(path));
        ck_assert_int_eq(t_dict_get_integer(np_load_npz(path), "x"), saved ? 2 : 1);
        ck_assert_int_eq(files_but("arrays.npz"), 0);
        if (saved) break;
    }
}
END_TEST

/* ---- without memory ---- */

static bool written(void *bytes) {
    free(bytes);
    return bytes != NULL;
}

static size_t size;
static bool saves(void *dict) { return written((np_savez_bytes)(dict, &size)); }
static bool saves_one(void *dict) { return written((np_save_bytes)(t_dict_get(dict, "strided"), &size)); }
static bool loads(void *unused) { return !unused && (np_load_npz)("tests/golden/files/arrays.npz") != NULL; }
static bool loads_one(void *unused) { return !unused && (np_load)("tests/golden/files/grid.npy") != NULL; }
static bool loads_any(void *unused) { return !unused && (t_load)("tests/golden/files/grid.npy") != NULL; }

START_TEST(without_memory_nothing_is_left) {
    Tensor *x = t_randn(4, 5, 6);
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, "strided", t_at(x, ":, ::2"));
    t_dict_set(dict, "fortran", t_transpose(t_at(x, "0"), 0, 1));
    refuse_all("np_savez_bytes", saves, NULL, dict);
    refuse_all("np_save_bytes", saves_one, NULL, dict);
    refuse_all("np_load_npz", loads, NULL, NULL);
    refuse_all("np_load", loads_one, NULL, NULL);
    refuse_all("t_load", loads_any, NULL, NULL);
    report_notes();
}
END_TEST

Suite *zip_write_suite(void);
Suite *zip_write_suite(void) {
    Suite *suite = suite_create("zip_write");
    TCase *tests = tcase_create("zip_write");
    tcase_add_checked_fixture(tests, folder_setup, folder_teardown);
    tcase_add_test(tests, very_many_entries_are_written_and_read);
    tcase_add_test(tests, large_entries_get_64_bit_sizes);
    tcase_add_test(tests, names_too_long_are_refused);
    tcase_add_test(tests, the_crc_is_the_standard_one);
    tcase_add_test(tests, a_write_that_fails_leaves_the_old_file);
    tcase_add_test(tests, without_memory_nothing_is_left);
    suite_add_tcase(suite, tests);
    return suite;
}
