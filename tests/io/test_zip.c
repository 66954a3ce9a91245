/* tests/io/test_zip.c: reading .npz archives that are broken or unusual. Writing: test_zip_write.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/tensor/tensor.h"
#include "tests/support/files/archive_support.h"
#include "tests/support/files/file_support.h"
#include "tests/support/refusals.h"

static void put(uint8_t *at, uint64_t x, int bytes) {
    for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(x >> (8 * i));
}

/* ---- an archive to be broken: two arrays of 4 float64, "a.npy" and "b.npy" ---- */

enum {
    ENTRY = 30 + 5 + 160,
    RECORD = 46 + 5,
    SECOND = ENTRY,
    DIRECTORY = 2 * ENTRY,
    END = DIRECTORY + 2 * RECORD,
    SIZE = END + 22
};

typedef struct Archive {
    uint8_t bytes[SIZE + 200];
    size_t size;
} Archive;

static Archive archive(void) {
    Archive a = {.size = 0};
    t_TensorDict *arrays = t_dict();
    t_dict_set(arrays, "a", t_arange(4.0, .dtype = t_float64));
    t_dict_set(arrays, "b", t_arange(4.0, .dtype = t_float64));
    void *bytes = np_savez_bytes(arrays, &a.size);
    ck_assert_int_eq(a.size, SIZE);
    memcpy(a.bytes, bytes, a.size);
    free(bytes);
    return a;
}

static t_TensorDict *load(const Archive *a) {
    void *exact = malloc(a->size ? a->size : 1);
    memcpy(exact, a->bytes, a->size);
    t_TensorDict *arrays = np_load_npz_bytes(exact, a->size);
    free(exact);
    return arrays;
}

/* ---- errors ---- */

#define NAME "the archive in memory"

START_TEST(broken_archives_are_refused) {
    static const struct { int at; uint64_t value; int bytes; const char *message;
    } bad[] = {
        {0, 0, 4, NAME " is not a ZIP archive: it does not begin with an entry"},
        {END, 0, 4, NAME " is not a ZIP archive, or is truncated: it has no end record"},
        {END + 20, 1, 2, NAME " is not a ZIP archive, or is truncated: it has no end record"},
        {END + 4, 1, 2, NAME " is a part of a split ZIP archive, as its end record at byte 492 says"},
        {END + 8, 1, 2, NAME " is a part of a split ZIP archive, as its end record at byte 492 says"},
        {END + 10, 0, 2, NAME " is a part of a split ZIP archive, as its end record at byte 492 says"},
        {END + 8, 0x00030003, 4, NAME ": 3 entries do not fit into a directory of 102 bytes"},
        {END + 8, 0x00010001, 4,
         NAME ": the archive's directory has 51 bytes after its last entry, which ends at byte 441"},
        {END + 12, 101, 4,
         NAME
         ": the archive's directory (bytes 390 and 101 more) does not end where its end record begins, at byte 492"},
        {END + 16, 5000, 4,
         NAME
         ": the archive's directory (bytes 5000 and 102 more) does not end where its end record begins, at byte 492"},
        {DIRECTORY, 0, 4, NAME ": the archive's directory has no entry at byte 390"},
        {DIRECTORY + RECORD, 0, 1, NAME ": the archive's directory has no entry at byte 441"},
        {DIRECTORY + 28, 6, 2, "'a.npyP' should be at byte 0 of " NAME ", but there is no such entry there"},
        {DIRECTORY + RECORD + 28, 6, 2,
         NAME ": the entry at byte 441 of the archive's directory is longer than what is left"},
        {DIRECTORY + RECORD + 32, 1, 2,
         NAME ": the entry at byte 441 of the archive's directory is longer than what is left"},
        {DIRECTORY + 46, 0, 1,
         NAME ": the entry at byte 390 of the archive's directory has a name that is empty, not UTF-8, or contains a 0 "
              "byte"},
        {DIRECTORY + 46, 0xff, 1,
         NAME ": the entry at byte 390 of the archive's directory has a name that is empty, not UTF-8, or contains a 0 "
              "byte"},
        {DIRECTORY + 28, 0, 2,
         NAME ": the entry at byte 390 of the archive's directory has a name that is empty, not UTF-8, or contains a 0 "
              "byte"},
        {DIRECTORY + 20, UINT32_MAX, 4,
         NAME ": the sizes of the entry at byte 390 of the archive's directory are broken"},
        {DIRECTORY + 34, 1, 2, NAME ": the sizes of the entry at byte 390 of the archive's directory are broken"},
        {DIRECTORY + 42, 391, 4, "'a.npy' should be at byte 391 of " NAME ", but no entry can be there"},
        {DIRECTORY + 42, 360, 4, "'a.npy' should be at byte 360 of " NAME ", but no entry can be there"},
        {DIRECTORY + 42, 1, 4, "'a.npy' should be at byte 1 of " NAME ", but there is no such entry there"},
        {DIRECTORY + 46, 'c', 1, "'c.npy' should be at byte 0 of " NAME ", but there is no such entry there"},
        {DIRECTORY + 16, 0, 4, "'a.npy' should be at byte 0 of " NAME ", but there is no such entry there"},
        {DIRECTORY + 10, 8, 2, "'a.npy' should be at byte 0 of " NAME ", but there is no such entry there"},
        {28, 500, 2, "'a.npy' in " NAME " has 160 bytes from byte 535 on, but the entries end at byte 390"},
        {28, 100, 2, "'a.npy' and 'b.npy' in " NAME " overlap, from byte 195 on"},
        {DIRECTORY + 8, 1, 2, "'a.npy' in " NAME " is encrypted"},
        {DIRECTORY + 8, 64, 2, "'a.npy' in " NAME " is encrypted"},
        {DIRECTORY + 8, 32, 2,
         "'a.npy' in " NAME
         " is compressed by method 0, as a patch, but only stored and deflated entries are supported"},
        {40, 0, 1, "'a.npy' in " NAME " is damaged: its CRC-32 is "},
        {ENTRY - 1, 1, 1, "'a.npy' in " NAME " is damaged: its CRC-32 is "},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Archive a = archive();
        put(a.bytes + bad[i].at, bad[i].value, bad[i].bytes);
        ck_assert_msg(load(&a) == NULL && strncmp(t_error_message(), bad[i].message, strlen(bad[i].message)) == 0,
                      "%s\ninstead of\n%s", t_error_message(), bad[i].message);
        t_clear_error();
    }
}
END_TEST

/* Changed in both the directory and the local header. */
START_TEST(entries_of_other_kinds_are_refused) {
    Archive a = archive();
    a.bytes[8] = a.bytes[DIRECTORY + 10] = 12;
    expect_refusal(load(&a) == NULL,
                   "'a.npy' in " NAME
                   " is compressed by method 12, but only stored and deflated entries are supported");
    a = archive();
    a.bytes[6] = 8;                               /* a flag: the sizes come later, */
    put(a.bytes + DIRECTORY + 20, 159, 4);        /* and are not one size */
    expect_refusal(load(&a) == NULL, "'a.npy' in " NAME " is stored, and yet 160 bytes long and 159 in the archive");
    a = archive();
    a.bytes[SECOND + 30] = a.bytes[DIRECTORY + RECORD + 46] = 'a';
    expect_refusal(load(&a) == NULL, "'a.npy' occurs twice in " NAME);
    a = archive();
    memcpy(a.bytes + SECOND + 30, "a\0npy", 5);
    expect_refusal(load(&a) == NULL, "'b.npy' should be at byte 195 of " NAME ", but there is no such entry there");
}
END_TEST

/* ---- compressed entries ---- */

START_TEST(deflated_entries_are_read) {
    t_TensorDict *arrays = np_load_npz("tests/golden/files/compressed.npz");
    ck_assert_msg(arrays && arrays->len == 1 && t_equal(t_dict_get(arrays, "x"), t_zeros(3, .dtype = t_float64)), "%s",
                  t_error());
}
END_TEST

START_TEST(deflated_entries_that_are_broken_are_refused) {
    enum { METHOD = 8, CRC = 14, PACKED = 18, BYTES = 22, CONTENTS = 30 + 5, CONTENTS_END = CONTENTS + 60 };
    char path[200];
    in_folder(path, "a.npz");
    t_TensorDict *arrays = t_dict();
    t_dict_set(arrays, "a", t_arange(4.0, .dtype = t_float64));
    ck_assert(np_savez_compressed(path, arrays));
    Archive whole = {.size = 0};
    FILE *file = fopen(path, "rb");
    whole.size = fread(whole.bytes, 1, sizeof whole.bytes, file);
    fclose(file);
    const size_t packed = whole.bytes[PACKED], directory = CONTENTS + packed, end = directory + RECORD;
    ck_assert(whole.bytes[METHOD] == 8 && whole.size == end + 22 && packed < 128);
    t_TensorDict *again = load(&whole);
    ck_assert(again && t_equal(t_dict_get(again, "a"), t_dict_get(arrays, "a")));
    Archive a = whole;
    a.bytes[CONTENTS] |= 7; /* block type 3 */
    expect_refusal(load(&a) == NULL, NAME ", byte 36: invalid block type");
    a = whole;
    a.bytes[BYTES]--, a.bytes[directory + 24]--;
    ck_assert(load(&a) == NULL && strstr(t_error_message(), ": the data are longer than they may be"));
    t_clear_error();
    a = whole;
    a.bytes[BYTES]++, a.bytes[directory + 24]++;
    char text[200];
    snprintf(text, sizeof text, "'a.npy' in " NAME " unpacks %zu of its %zu bytes to 160, and not to 161", packed,
             packed);
    expect_refusal(load(&a) == NULL, text);
    a = whole;
    a.bytes[BYTES + 3] = a.bytes[directory + 27] = 1;
    snprintf(text, sizeof text, "'a.npy' in " NAME " cannot have %d bytes, since it has %zu in the archive",
             (1 << 24) + 160, packed);
    expect_refusal(load(&a) == NULL, text);
    a = whole;
    a.bytes[CRC] ^= 1, a.bytes[directory + 16] ^= 1;
    ck_assert(load(&a) == NULL && strstr(t_error_message(), "'a.npy' in " NAME " is damaged: its CRC-32 is ") != NULL);
    t_clear_error();
}
END_TEST

static bool save_and_load(void *path) {
    t_TensorDict *arrays = (t_dict_new)(), *again = NULL;
    const t_TensorOptions options = {sizeof options, t_float32, false, NULL};
    Tensor *x = arrays ? (t_arange)(0, 40, 1, &options) : NULL;
    if (x && (t_dict_set)(arrays, "x", x) && (np_savez_compressed)(path, arrays)) again = (np_load_npz)(path);
    const bool ok = again != NULL;
    if (again) t_release(tg_take_from_scope(again));
    if (x) t_release(tg_take_from_scope(x));
    if (arrays) t_release(tg_take_from_scope(arrays));
    return ok;
}

START_TEST(deflated_entries_without_memory) {
    char path[200];
    in_folder(path, "a.npz");
    refuse_all("np_savez_compressed", save_and_load, NULL, path);
    report_notes();
}
END_TEST

static Archive of_pieces(const Piece *pieces, int count) {
    Archive a;
    void *bytes = archive_of(pieces, count, &a.size);
    ck_assert_uint_le(a.size, sizeof a.bytes);
    memcpy(a.bytes, bytes, a.size);
    free(bytes);
    return a;
}

/* As in numpy.load, which gives such entries as bytes, and only on request. */
START_TEST(entries_that_are_no_npy_files_are_skipped) {
    static const Piece others[] = {PIECE("README", ""), PIECE("notes.txt", ""), PIECE("sub/", ""), PIECE("empty", "")};
    for (int i = 0; i < 3; i++) {
        Archive a = archive(); /* its first entry gets another name of the same length */
        memcpy(a.bytes + 30, "READM", 5);
        memcpy(a.bytes + DIRECTORY + 46, "READM", 5);
        if (i == 1) a.bytes[34] = a.bytes[DIRECTORY + 50] = '/';
        if (i == 2) a.bytes[8] = a.bytes[DIRECTORY + 10] = 8; /* compressed */
        if (i != 2) a.bytes[35] = 'x';
        t_TensorDict *arrays = load(&a);
        ck_assert_msg(arrays && arrays->len == 1 && t_equal(t_dict_get(arrays, "b"), t_arange(4.0, .dtype = t_float64)),
                      "%d: %s", i, t_error());
    }
    Archive a = of_pieces(others, 4);
    ck_assert(load(&a) && load(&a)->len == 0);
}
END_TEST

START_TEST(entries_that_are_no_arrays_are_refused) {
    static const Piece notes[] = {PIECE("notes.npy", "to read")}, twice[] = {PIECE("x", ""), PIECE("x", "")};
    Archive a = of_pieces(notes, 1);
    expect_refusal(load(&a) == NULL,
                   "'notes.npy' in " NAME " is not a .npy file: it does not begin with \\x93NUMPY and a header");
    a = of_pieces(twice, 2);
    expect_refusal(load(&a) == NULL, "'x' occurs twice in " NAME);
    size_t size;
    void *x = np_save_bytes(t_ones(0), &size);
    a = of_pieces((const Piece[]){{"x", x, size}, {"x.npy", x, size}}, 2);
    free(x);
    expect_refusal(load(&a) == NULL, NAME ": 'x' and 'x.npy' are one name");
}
END_TEST

START_TEST(truncated_archives_are_refused) {
    Archive complete = archive();
    for (size_t n = 0; n < complete.size; n++) {
        Archive a = complete;
        a.size = n;
        ck_assert(load(&a) == NULL && t_error());
        t_clear_error();
    }
}
END_TEST

/* ---- unusual archives that are accepted ---- */

START_TEST(a_comment_is_skipped) {
    Archive a = archive();
    put(a.bytes + END + 20, 60, 2);
    memset(a.bytes + SIZE, 'P', 60);
    memcpy(a.bytes + SIZE + 10, "PK\5\6", 4); /* no end record: it is not as far from the end as its comment is long */
    a.size = SIZE + 60;
    t_TensorDict *arrays = load(&a);
    ck_assert(arrays && arrays->len == 2);
}
END_TEST

/* The directory has sizes and offset in 64-bit fields, and there are end records of both widths. */
static Archive wide_archive(void) {
    Archive a = archive();
    uint8_t rest[2 * RECORD], *record = a.bytes + DIRECTORY;
    memcpy(rest, record, 2 * RECORD);
    put(rest + 20, UINT64_MAX, 8);
    put(rest + 42, UINT32_MAX, 4);
    put(rest + 30, 4 + 3 + 4 + 24, 2);
    memcpy(record, rest, RECORD);
    put(record + RECORD, 0xcafe, 2), put(record + RECORD + 2, 3, 2), put(record + RECORD + 4, 0, 3);
    record += RECORD + 7;
    put(record, 1, 2), put(record + 2, 24, 2), put(record + 4, 160, 8), put(record + 12, 160, 8),
        put(record + 20, 0, 8);
    memcpy(record + 28, rest + RECORD, RECORD);
    uint8_t *end = record + 28 + RECORD;
    const uint64_t at = (uint64_t)(end - a.bytes);
    memset(end, 0, 98);
    put(end, 0x06064b50, 4), put(end + 4, 44, 8), put(end + 24, 2, 8), put(end + 32, 2, 8),
        put(end + 40, at - DIRECTORY, 8), put(end + 48, DIRECTORY, 8);
    put(end + 56, 0x07064b50, 4), put(end + 64, at, 8), put(end + 72, 1, 4);
    put(end + 76, 0x06054b50, 4), put(end + 84, 0xffff, 2), put(end + 86, 0xffff, 2), put(end + 88, UINT64_MAX, 8);
    a.size = at + 98;
    return a;
}

START_TEST(sizes_of_64_bits_are_read) {
    Archive a = wide_archive();
    t_TensorDict *arrays = load(&a);
    ck_assert_msg(arrays && arrays->len == 2 && t_equal(t_dict_get(arrays, "a"), t_dict_get(arrays, "b")), "%s",
                  t_error());
    const size_t end = a.size - 98;
    a.bytes[end + 64]++;
    expect_refusal(load(&a) == NULL, NAME ": the zip64 end record is not at byte 528, where its locator says");
    a = wide_archive();
    put(a.bytes + end + 84, 0x00010001, 4);
    expect_refusal(load(&a) == NULL,
                   NAME ": the two end records of the ZIP archive, from byte 527 on, contradict each other");
    a = wide_archive();
    put(a.bytes + end + 24, UINT64_MAX, 8), put(a.bytes + end + 32, UINT64_MAX, 8);
    expect_refusal(load(&a) == NULL, NAME ": 18446744073709551615 entries do not fit into a directory of 137 bytes");
    a = wide_archive();
    put(a.bytes + DIRECTORY + RECORD + 7 + 2, 16, 2);
    expect_refusal(load(&a) == NULL, NAME ": the sizes of the entry at byte 390 of the archive's directory are broken");
    a = wide_archive();
    put(a.bytes + DIRECTORY + RECORD + 7 + 12, UINT64_MAX, 8);
    expect_refusal(load(&a) == NULL, "'a.npy' should be at byte 0 of " NAME ", but there is no such entry there");
}
END_TEST

Suite *zip_suite(void);
Suite *zip_suite(void) {
    Suite *suite = suite_create("zip");
    TCase *tests = tcase_create("zip");
    tcase_add_checked_fixture(tests, folder_setup, folder_teardown);
    tcase_add_test(tests, broken_archives_are_refused);
    tcase_add_test(tests, entries_of_other_kinds_are_refused);
    tcase_add_test(tests, deflated_entries_are_read);
    tcase_add_test(tests, deflated_entries_that_are_broken_are_refused);
    tcase_add_test(tests, deflated_entries_without_memory);
    tcase_add_test(tests, entries_that_are_no_npy_files_are_skipped);
    tcase_add_test(tests, entries_that_are_no_arrays_are_refused);
    tcase_add_test(tests, truncated_archives_are_refused);
    tcase_add_test(tests, a_comment_is_skipped);
    tcase_add_test(tests, sizes_of_64_bits_are_read);
    suite_add_tcase(suite, tests);
    return suite;
}
