/* tests/io/test_zlib.c: DEFLATE and its frames: streams that Python's zlib wrote (golden/record_packed_bytes.py), whole
 * and broken; what is packed at each level comes back; gzip files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/zlib/zlib.h"
#include "tests/support/files/file_support.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

enum { LIMIT = 1 << 20 };

static bool unpack(char frame, tg_Compressed *packed, tg_Bytes *to, size_t limit) {
    return frame == 'i'   ? tg_inflate(packed, to, limit)
           : frame == 'z' ? tg_zlib_unpack(packed, to, limit)
                          : tg_gzip_unpack(packed, to, limit);
}

/* A copy of the exact size, so that a sanitizer sees a read past its end. */
static bool unpack_exact(char frame, const uint8_t *bytes, size_t size, tg_Bytes *to, size_t limit) {
    uint8_t *exact = malloc(size ? size : 1);
    memcpy(exact, bytes, size);
    const bool ok = unpack(frame, &(tg_Compressed){exact, size, "x", 0, 0, false, false}, to, limit);
    free(exact);
    return ok;
}

/* ---- recorded streams ---- */

static void check_stream(const char *line) {
    static char hex[100000], result[200];
    static uint8_t bytes[50000];
    char frame;
    ck_assert_int_eq(sscanf(line, "%c %99999s %199[^\n]", &frame, hex, result), 3);
    const size_t size = strcmp(hex, "-") == 0 ? 0 : strlen(hex) / 2;
    for (size_t i = 0; i < size; i++) {
        unsigned byte;
        sscanf(hex + 2 * i, "%2x", &byte);
        bytes[i] = (uint8_t)byte;
    }
    tg_Bytes to = {0};
    const bool ok = unpack_exact(frame, bytes, size, &to, LIMIT);
    if (result[0] != '-') {
        unsigned length, crc;
        ck_assert_int_eq(sscanf(result, "%u %x", &length, &crc), 2);
        ck_assert_msg(ok && to.count == length && tg_crc32(0, to.at, to.count) == crc, "%.60s: %s", line,
                      ok ? "other bytes" : t_error_message());
        /* once more into a block of the exact size; and one byte less is an error */
        tg_Bytes exact = {0};
        ck_assert(length == 0 || tg_bytes_reserve(&exact, length));
        ck_assert(unpack_exact(frame, bytes, size, &exact, length) && exact.count == length);
        ck_assert(length == 0 || memcmp(exact.at, to.at, length) == 0);
        exact.count = 0;
        ck_assert(length == 0 || !unpack_exact(frame, bytes, size, &exact, length - 1));
        ck_assert(length == 0 || strstr(t_error_message(), ": the data are longer than they may be"));
        t_clear_error();
        tg_bytes_free(&exact);
    } else {
        ck_assert_msg(!ok && strstr(t_error_message(), "x, byte ") == t_error_message() &&
                          strstr(t_error_message(), result + 2),
                      "%.60s: %s instead of %s", line, ok ? "no error" : t_error_message(), result + 2);
        t_clear_error();
    }
    tg_bytes_free(&to);
}

START_TEST(streams_of_zlib_are_unpacked_or_refused) {
    static char line[110000];
    FILE *file = fopen("tests/golden/packed_bytes.txt", "r");
    ck_assert_ptr_nonnull(file);
    int lines = 0;
    for (; fgets(line, sizeof line, file); lines++) check_stream(line);
    fclose(file);
    ck_assert_int_gt(lines, 80);
}
END_TEST

/* ---- what is packed comes back ---- */

/* Bytes by a rule: random ones, few values, runs, repetitions, zeros. */
static void fill(uint8_t *bytes, size_t size, int kind) {
    uint64_t state = 88172645463325252u + (uint64_t)kind;
    for (size_t i = 0; i < size; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        const uint8_t random = (uint8_t)(state >> 32);
        switch (kind % 6) {
        case 0: bytes[i] = random; break;
        case 1: bytes[i] = "etaoin shrdlu\n"[__builtin_ctz(random | 1u << 13)]; break;
        case 2: bytes[i] = i && random < 250 ? bytes[i - 1] : random; break;
        case 3: bytes[i] = i > 300 && random < 240 ? bytes[i - 299] : random; break;
        case 4: bytes[i] = 0; break;
        default: bytes[i] = i >= 32768 ? bytes[i - 32768] : random; break; /* the farthest match */
        }
    }
}

START_TEST(what_is_packed_comes_back) {
    static const size_t sizes[] = {0, 1, 2, 3, 4, 258, 259, 1000, 65535, 65536, 100000};
    static uint8_t bytes[100000];
    size_t all[10] = {0};
    for (int kind = 0; kind < 6; kind++) {
        fill(bytes, sizeof bytes, kind);
        for (int level = 0; level < 10; level++) {
            if (level == 8 || (level > 1 && level < 6 && kind != 3)) continue;
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                const char frame = "izg"[(level + (int)i) % 3];
                tg_Bytes packed = {0}, to = {0};
                ck_assert(frame == 'i'   ? tg_deflate(bytes, sizes[i], level, &packed)
                          : frame == 'z' ? tg_zlib_pack(bytes, sizes[i], level, &packed)
                                         : tg_gzip_pack(bytes, sizes[i], level, &packed));
                ck_assert_msg(unpack_exact(frame, packed.at, packed.count, &to, LIMIT) && to.count == sizes[i] &&
                                  memcmp(to.at, bytes, sizes[i]) == 0,
                              "kind %d, level %d, size %zu: %s", kind, level, sizes[i], t_error_message());
                /* no more than stored blocks take */
                ck_assert_uint_le(packed.count, sizes[i] + 5 * (sizes[i] / 16383 + 1) + 18);
                all[level] += packed.count;
                tg_bytes_free(&packed);
                tg_bytes_free(&to);
            }
        }
    }
    ck_assert(all[9] <= all[6] && all[6] < all[1] && all[1] < all[0]);
}
END_TEST

START_TEST(checksums_are_the_standard_ones) {
    static uint8_t bytes[20000];
    ck_assert_uint_eq(tg_adler32(1, "Wikipedia", 9), 0x11e60398);
    ck_assert_uint_eq(tg_adler32(tg_adler32(1, "Wiki", 4), "pedia", 5), 0x11e60398);
    memset(bytes, 0xff, sizeof bytes); /* the largest sums */
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < sizeof bytes; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    ck_assert_uint_eq(tg_adler32(1, bytes, sizeof bytes), b << 16 | a);
    uint32_t crc = 0;
    for (size_t i = 0; i < sizeof bytes; i += 10) crc = tg_crc32(crc, bytes + i, 10);
    ck_assert_uint_eq(crc, tg_crc32(0, bytes, sizeof bytes));
}
END_TEST

START_TEST(members_of_gzip_follow_each_other) {
    tg_Bytes packed = {0}, to = {0};
    ck_assert(tg_gzip_pack("one, ", 5, 1, &packed) && tg_gzip_pack("", 0, 6, &packed) &&
              tg_gzip_pack("two", 3, 9, &packed));
    const size_t whole = packed.count;
    ck_assert(tg_bytes_reserve(&packed, whole + 3));
    memset(packed.at + whole, 0, 3);
    ck_assert(unpack_exact('g', packed.at, whole + 3, &to, LIMIT) && to.count == 8 && !memcmp(to.at, "one, two", 8));
    to.count = 0;
    packed.at[whole] = 7;
    char text[100];
    snprintf(text, sizeof text, "x, byte %zu: not a gzip member: it does not begin with 1f 8b", whole);
    expect_refusal(!unpack_exact('g', packed.at, whole + 1, &to, LIMIT), text);
    tg_bytes_free(&packed);
    tg_bytes_free(&to);
}
END_TEST

/* ---- files ---- */

START_TEST(gzip_files_are_unpacked_when_they_are_opened) {
    char path[200], text[300];
    uint8_t start[5];
    tg_Input in;
    tg_Output out;
    tg_Bytes packed = {0};
    in_folder(path, "file.gz");
    ck_assert(tg_gzip_pack("0123456789", 10, 6, &packed));
    ck_assert(tg_output_open(&out, path) && tg_output_commit(&out, tg_output_write(&out, packed.at, packed.count)));
    ck_assert(tg_input_open_gzip(&in, path, 0));
    ck_assert_uint_eq(in.size, 10);
    ck_assert(tg_input_read(&in, 3, start, 5) && memcmp(start, "34567", 5) == 0);
    ck_assert_str_eq(in.name, path);
    tg_input_close(&in);
    tg_input_close(&in);
    ck_assert(tg_input_open_gzip(&in, path, 10) && in.size == 10);
    tg_input_close(&in);
    ck_assert(!tg_input_open_gzip(&in, path, 9) && strstr(t_error_message(), ": the data are longer than they may be"));
    t_clear_error();
    packed.at[packed.count - 8] ^= 1;
    ck_assert(tg_output_open(&out, path) && tg_output_commit(&out, tg_output_write(&out, packed.at, packed.count)));
    snprintf(text, sizeof text, "%s, byte %zu: incorrect data check", path, packed.count - 8);
    expect_refusal(!tg_input_open_gzip(&in, path, 0), text);
    tg_bytes_free(&packed);
    put_file(path, "plain text");
    ck_assert(tg_input_open_gzip(&in, path, 0) && in.size == 10 && !in.bytes);
    tg_input_close(&in);
    put_file(path, "\x1f");
    ck_assert(tg_input_open_gzip(&in, path, 0) && in.size == 1);
    tg_input_close(&in);
    in_folder(path, "none");
    ck_assert(!tg_input_open_gzip(&in, path, 0));
    t_clear_error();
}
END_TEST

/* ---- without memory ---- */

static bool pack_and_unpack(void *with) {
    static uint8_t bytes[30000];
    const char frame = *(const char *)with;
    tg_Bytes packed = {0}, to = {0};
    fill(bytes, sizeof bytes, 1);
    const bool ok = (frame == 'z' ? tg_zlib_pack(bytes, sizeof bytes, 6, &packed)
                                  : tg_gzip_pack(bytes, sizeof bytes, 1, &packed)) &&
                    unpack_exact(frame, packed.at, packed.count, &to, LIMIT);
    ck_assert(!ok || memcmp(bytes, to.at, sizeof bytes) == 0);
    tg_bytes_free(&packed);
    tg_bytes_free(&to);
    return ok;
}

static bool open_gzip(void *with) {
    tg_Input in;
    const bool ok = tg_input_open_gzip(&in, with, 0);
    tg_input_close(&in);
    return ok;
}

START_TEST(without_memory_nothing_is_left) {
    char path[200];
    tg_Output out;
    tg_Bytes packed = {0};
    refuse_all("zlib", pack_and_unpack, NULL, "z");
    refuse_all("gzip", pack_and_unpack, NULL, "g");
    in_folder(path, "file.gz");
    ck_assert(tg_gzip_pack("0123456789", 10, 6, &packed));
    ck_assert(tg_output_open(&out, path) && tg_output_commit(&out, tg_output_write(&out, packed.at, packed.count)));
    tg_bytes_free(&packed);
    refuse_all("gzip file", open_gzip, NULL, path);
    report_notes();
}
END_TEST

Suite *zlib_suite(void);
Suite *zlib_suite(void) {
    Suite *suite = suite_create("zlib");
    TCase *tests = tcase_create("zlib");
    tcase_add_checked_fixture(tests, folder_setup, folder_teardown);
    tcase_add_test(tests, streams_of_zlib_are_unpacked_or_refused);
    tcase_add_test(tests, what_is_packed_comes_back);
    tcase_add_test(tests, checksums_are_the_standard_ones);
    tcase_add_test(tests, members_of_gzip_follow_each_other);
    tcase_add_test(tests, gzip_files_are_unpacked_when_they_are_opened);
    tcase_add_test(tests, without_memory_nothing_is_left);
    suite_add_tcase(suite, tests);
    return suite;
}
