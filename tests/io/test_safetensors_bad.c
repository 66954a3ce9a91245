/* tests/io/test_safetensors_bad.c: safetensors files that are refused, each with a message that says what is wrong and
 * where: the reference implementation's tests and attacks, under their names, and one case for each rule. */
#include "tests/support/files/safetensors_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/tensor/context.h"

#define ENTRY(text) "{\"a\":{" text "}}"
#define OF(dtype, shape, offsets) "\"dtype\":\"" dtype "\",\"shape\":[" shape "],\"data_offsets\":[" offsets "]"

/* ---- the reference's names ---- */

static void expect_bad_bytes(const char *bytes, size_t size, const char *message) {
    expect_refusal((safetensors_load)(bytes, size, NULL) == NULL, message);
}

START_TEST(header_too_small) {
    expect_bad_bytes(
        "", 0, "data: 0 bytes are too few for a safetensors file, which begins with the size of its header, 8 bytes");
    expect_bad_bytes(
        "<\0\0\0\0\0\0", 7,
        "data: 7 bytes are too few for a safetensors file, which begins with the size of its header, 8 bytes");
}
END_TEST

START_TEST(header_too_large) {
    expect_bad_bytes("<\0\0\0\0\xff\xff\xff" TEST_2X2 "0123456789abcdef", 84,
                     "data: a header of 18446742974197923900 bytes, as the first 8 say, is larger than the 100000000 "
                     "that are allowed");
    expect_bad_bytes(
        "\x01\xe1\xf5\x05\0\0\0\0{}", 10,
        "data: a header of 100000001 bytes, as the first 8 say, is larger than the 100000000 that are allowed");
}
END_TEST

START_TEST(invalid_header_length) {
    expect_bad_bytes("<\0\0\0\0\0\0\0", 8,
                     "data: the header ends at byte 68, as the first 8 say, but the file at byte 8");
    expect_bad_bytes("\0\xe1\xf5\x05\0\0\0\0{}", 10,
                     "data: the header ends at byte 100000008, as the first 8 say, but the file at byte 10");
}
END_TEST

START_TEST(invalid_header_non_utf8) {
    static const struct { const char *text; int byte, what;
    } bad[] = {
        {"\xff", 8, 0xff},
        {"{\"a\x80\"", 11, 0x80},
        {"{\"\xc0\x80\"", 10, 0xc0},
        {"{\"\xc1\xbf\"", 10, 0xc1},
        {"\xe0\x9f\xbf", 8, 0xe0},
        {"\xed\xa0\x80", 8, 0xed},
        {"\xf0\x8f\xbf\xbf", 8, 0xf0},
        {"\xf4\x90\x80\x80", 8, 0xf4},
        {"\xf5\x80\x80\x80", 8, 0xf5},
        {" \xe2\x82", 9, 0xe2},
        {"\xc3\xa9\xe2\x82", 10, 0xe2},
        {"\xf0\x9f\x98", 8, 0xf0},
    };
    char message[100];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(message, sizeof message, "0x%02x at byte %d, where a character of UTF-8 is expected", bad[i].what,
                 bad[i].byte);
        expect_bad(bad[i].text, 0, message);
    }
    expect_bad("\xef\xbb\xbf{}", 0, "0xef at byte 8, where '{' is expected"); /* UTF-8, but a byte order mark */
}
END_TEST

START_TEST(invalid_header_not_json) {
    expect_bad("{", 0, "the header ends at byte 9 where '\"' is expected");
}
END_TEST

START_TEST(json_attack) {
    char header[1000] = "{";
    for (int i = 0; i < 10; i++)
        sprintf(header + strlen(header), "%s\"weight_%d\":{" OF("F32", "2,2", "0,16") "}", i ? "," : "", i);
    strcat(header, "}");
    expect_bad(header, 16, "'weight_1' begins at byte 0 of the data, within 'weight_0', which ends at byte 16");
}
END_TEST

START_TEST(metadata_incomplete_buffer) {
    expect_bad(TEST_2X2, 16 + 34, "34 bytes from byte 84 on belong to no tensor (allow_trailing_bytes ignores them)");
    expect_bad(TEST_2X2, 14, "the data end at byte 14, but 'test' at byte 16 of them: the file is not complete");
    expect_bad("{}", 1, "1 bytes from byte 10 on belong to no tensor (allow_trailing_bytes ignores them)");
}
END_TEST

START_TEST(invalid_info) {
    expect_bad("{\"test\":{\"dtype\":\"I32\",\"shape\":[2,2],\"data_offsets\":[0, 4]}}", 0,
               "'test' takes 16 bytes by its shape and dtype, but 4 by its data_offsets [0, 4]");
}
END_TEST

START_TEST(validation_overflow) {
    static const char message[] = "the sizes of 'a' are too large: their product, in bytes, is beyond 64 bits";
    expect_bad(ENTRY(OF("I32", "2,18446744073709551614", "0,16")), 16, message);
    expect_bad(ENTRY(OF("I32", "2,9223372036854775807", "0,16")), 16, message);
    expect_bad(ENTRY(OF("I32", "4294967296,4294967296,0", "0,0")), 0, message);
}
END_TEST

START_TEST(serialization_fp4) {
    expect_bad(ENTRY(OF("F4", "1,2", "0,1")), 1, "'a' is of dtype F4 (float4_e2m1fn), which tensors do not support");
    expect_bad(ENTRY(OF("F4", "1,3", "0,2")), 2, "'a' is of dtype F4 (float4_e2m1fn), which tensors do not support");
    expect_bad(ENTRY(OF("F6_E2M3", "4", "0,3")), 3,
               "'a' is of dtype F6_E2M3 (float6_e2m3fn), which tensors do not support");
    expect_bad(ENTRY(OF("C64", "1", "0,8")), 8, "'a' is of dtype C64 (complex64), which tensors do not support");
}
END_TEST

/* ---- the reference's attacks ---- */

START_TEST(abuse_attempt_1) { /* the size of the header is beyond the file */
    char bytes[] = "@\0\0\0\0\0\0\0{\"weight\":{" OF("F32", "2,2", "0,16") "}}  0123456789abcdef";
    bytes[0] = (char)232, bytes[1] = 3;
    expect_bad_bytes(bytes, sizeof bytes - 1,
                     "data: the header ends at byte 1008, as the first 8 say, but the file at byte 88");
}
END_TEST

START_TEST(abuse_attempts_2_and_3) { /* a small file, and many large tensors that share its bytes */
    enum { MANY = 20000, ENTRY_BYTES = 80, BYTES = 200 * 200 * 4 };
    char *header = malloc((size_t)MANY * ENTRY_BYTES);
    ck_assert_ptr_nonnull(header);
    size_t at = 0;
    for (int i = 0; i < MANY; i++)
        at += (size_t)sprintf(header + at,
                              "%c\"weight_%d\":{\"dtype\":\"F32\",\"shape\":[200,200],\"data_offsets\":[0,%d]}",
                              i ? ',' : '{', i, BYTES);
    strcpy(header + at, "}");
    const int64_t live = t_live_bytes();
    expect_bad(header, BYTES, "'weight_1' begins at byte 0 of the data, within 'weight_0', which ends at byte 160000");
    ck_assert_int_eq(t_live_bytes(), live);
    free(header);
}
END_TEST

START_TEST(offsets_out_of_the_file) {
    expect_bad(ENTRY(OF("U8", "1099511627776", "0,1099511627776")), 4,
               "the data end at byte 4, but 'a' at byte 1099511627776 of them: the file is not complete");
    expect_bad(ENTRY(OF("U8", "1", "-1,0")), 4, "'-' at byte 55, where an integer that is not negative is expected");
    expect_bad(ENTRY(OF("U8", "18446744073709551615", "0,18446744073709551615")), 4,
               "the sizes of 'a' are too large: their product, in bytes, is beyond 64 bits");
}
END_TEST

START_TEST(a_deep_header_does_not_overflow_the_stack) {
    enum { DEEP = 10000000 };
    char *header = malloc(DEEP + 1);
    ck_assert_ptr_nonnull(header);
    memset(header, '[', DEEP);
    header[DEEP] = '\0';
    expect_bad(header, 0, "'[' at byte 8, where '{' is expected");
    memcpy(header, "{\"a\":{\"x\":", 10);
    expect_bad(header, 0, "'[' at byte 143, where no bracket within so many others is expected");
    for (int i = 10; i < DEEP - 5; i += 5) memcpy(header + i, "{\"a\":", 5);
    expect_bad(header, 0, "'{' at byte 643, where no bracket within so many others is expected");
    free(header);
}
END_TEST

/* The reference reader accepts 125 levels within the two around a tensor, and not 126. */
START_TEST(a_header_has_127_levels) {
    for (int deep = 125; deep <= 126; deep++) {
        char header[700] = "{\"a\":{" OF("F32", "1", "0,4") ",\"x\":", *at = header + strlen(header);
        memset(at, '[', (size_t)deep);
        memset(at + deep, ']', (size_t)deep);
        strcpy(at + 2 * deep, "},\"b\":{" OF("F32", "0", "4,4") "}}");
        t_TensorDict *dict = load_of(header, 4);
        if (deep == 125) ck_assert(dict && dict->len == 2);
        else expect_refusal(!dict, "data: '[' at byte 190, where no bracket within so many others is expected");
    }
}
END_TEST

/* ---- one for each rule ---- */

typedef struct Bad {
    const char *header;
    size_t size;
    const char *message;
} Bad;

static const Bad bad_json[] = {
    {"", 0, "the header ends at byte 8 where '{' is expected"},
    {"[]", 0, "'[' at byte 8, where '{' is expected"},
    {"{}{}", 0, "'{' at byte 10, where the end of the header is expected"},
    {"{,}", 0, "',' at byte 9, where '\"' is expected"},
    {"{\"a\"", 0, "the header ends at byte 12 where ':' is expected"},
    {"{\"a", 0, "the header ends at byte 11 where '\"' is expected"},
    {"{\"a\nb\":1}", 0, "0x0a at byte 11, where '\"' is expected"},
    {"{\"\\", 0, "the header ends at byte 11 where one of \"\\/bfnrtu is expected"},
    {"{\"\\q\":1}", 0, "'q' at byte 11, where one of \"\\/bfnrtu is expected"},
    {"{\"\\u12g4\":1}", 0, "'g' at byte 14, where a hexadecimal digit is expected"},
    {"{\"\\u0000\":1}", 0, "'\\' at byte 10, where anything but \\u0000, which no text of C holds, is expected"},
    {"{\"\\ud800\":1}", 0, "'\"' at byte 16, where the other half of a surrogate pair is expected"},
    {"{\"\\ud800\\u0041\":1}", 0, "'\"' at byte 22, where the other half of a surrogate pair is expected"},
    {"{\"\\udc00\":1}", 0, "'\"' at byte 16, where the other half of a surrogate pair is expected"},
    {"{\"\\ud800\\u004", 0, "the header ends at byte 21 where a hexadecimal digit is expected"},
    {"{\"a\":1}", 0, "'1' at byte 13, where '{' is expected"},
    {"{\"a\":null}", 0, "'n' at byte 13, where '{' is expected"},
    {"{\"a\":[\"F32\",[1],[0,4]]}", 4, "'[' at byte 13, where '{' is expected"},
    {ENTRY("\"x\":nul"), 0, "'n' at byte 18, where a value is expected"},
    {ENTRY("\"x\":-"), 0, "'}' at byte 19, where a digit is expected"},
    {ENTRY("\"x\":1.}"), 0, "'}' at byte 20, where a digit is expected"},
    {ENTRY("\"x\":1e+"), 0, "'}' at byte 21, where a digit is expected"},
    {ENTRY("\"x\":01"), 0, "'1' at byte 19, where ',' or '}' is expected"},
    {ENTRY("\"x\":[1 2]"), 0, "'2' at byte 21, where ',' or ']' is expected"},
    {ENTRY("\"x\":[1,]"), 0, "']' at byte 21, where a value is expected"},
    {ENTRY("\"x\":{1:2}"), 0, "'1' at byte 19, where '\"' is expected"},
    {ENTRY(OF("F32", "1", "0,4") ","), 4, "'}' at byte 61, where '\"' is expected"},
};

static const Bad bad_entries[] = {
    {ENTRY(""), 0, "'a' lacks its dtype"},
    {ENTRY("\"dtype\":\"F32\",\"shape\":[1]"), 4, "'a' lacks its data_offsets"},
    {ENTRY("\"dtype\":\"F32\",\"dtype\":\"F32\""), 4, "'a' has its dtype twice"},
    {ENTRY("\"dtype\":1"), 4, "'1' at byte 22, where '\"' is expected"},
    {ENTRY("\"dtype\":{\"F32\":null}"), 4, "'{' at byte 22, where '\"' is expected"},
    {ENTRY(OF("f32", "1", "0,4")), 4, "'a' has the dtype 'f32', which safetensors does not know"},
    {ENTRY(OF("F32", "1.0", "0,4")), 4, "'.' at byte 38, where an integer is expected"},
    {ENTRY(OF("F32", "1e0", "0,4")), 4, "'e' at byte 38, where an integer is expected"},
    {ENTRY(OF("F32", "01", "0,4")), 4, "'1' at byte 38, where an integer is expected"},
    {ENTRY(OF("F32", "-0", "0,0")), 0, "'-' at byte 37, where an integer that is not negative is expected"},
    {ENTRY(OF("F32", "18446744073709551616", "0,0")), 0, "'6' at byte 56, where a number below 2^64 is expected"},
    {ENTRY(OF("F32", "\"1\"", "0,4")), 4, "'\"' at byte 37, where an integer that is not negative is expected"},
    {ENTRY("\"dtype\":\"F32\",\"shape\":1"), 4, "'1' at byte 36, where '[' is expected"},
    {ENTRY(OF("F32", "1", "0")), 4, "'a' has 1 data_offsets, which must be 2"},
    {ENTRY(OF("F32", "1", "")), 4, "'a' has 0 data_offsets, which must be 2"},
    {ENTRY(OF("F32", "1", "0,4,8")), 4, "'a' has 3 data_offsets, which must be 2"},
    {ENTRY(OF("F32", "1,1,1,1,1,1,1,1,1", "0,4")), 4, "'a' has 9 dims, but a tensor has at most 8"},
    {ENTRY(OF("F32", "1", "4,0")), 4, "'a' ends at byte 0 of the data, before it begins at byte 4"},
    {ENTRY(OF("F32", "1", "4,8")), 8, "bytes 0 to 4 of the data, in front of 'a', belong to no tensor"},
    {ENTRY(OF("F32", "0,9223372036854775808", "0,0")), 0, "the size 9223372036854775808 of 'a' is beyond int64"},
    {"{\"b\":{" OF("U8", "2", "0,2") "},\"a\":{" OF("U8", "2", "3,5") "}}", 5,
     "bytes 2 to 3 of the data, in front of 'a', belong to no tensor"},
    {"{\"b\":{" OF("U8", "3", "0,3") "},\"a\":{" OF("U8", "2", "2,4") "}}", 4,
     "'a' begins at byte 2 of the data, within 'b', which ends at byte 3"},
    {"{\"b\":{" OF("U8", "0", "1,1") "},\"a\":{" OF("U8", "2", "0,2") "}}", 2,
     "'b' begins at byte 1 of the data, within 'a', which ends at byte 2"},
    {"{\"a\":{" OF("U8", "2", "0,2") "},\"a\":{" OF("U8", "2", "2,4") "}}", 4, "'a' is twice in the header"},
    {"{\"a\":{" OF("U8", "0", "0,0") "},\"\\u0061\":{" OF("U8", "0", "0,0") "}}", 0, "'a' is twice in the header"},
    {"{\"a\":{" OF("U8", "2", "0,2") "},\"a\":{" OF("U8", "2", "0,2") "}}", 2, "'a' is twice in the header"},
    {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "'__metadata__' is twice in the header"},
    {"{\"__metadata__\":{\"a\":\"1\",\"a\":\"1\"}}", 0, "'a' occurs twice in the metadata"},
    {"{\"__metadata__\":{\"a\":1}}", 0, "'1' at byte 29, where '\"' is expected"},
    {"{\"__metadata__\":{\"a\":{}}}", 0, "'{' at byte 29, where '\"' is expected"},
    {"{\"__metadata__\":[]}", 0, "'[' at byte 24, where '{' is expected"},
    {"{\"__metadata__\":{\"a\":\"1\",\"__metadata__.a\":\"2\"},\"a\":{" OF("U8", "1", "0,1") "}}", 1,
     "'__metadata__.a' is twice in the header"},
};

START_TEST(errors_of_json) {
    for (size_t i = 0; i < sizeof bad_json / sizeof *bad_json; i++)
        expect_bad(bad_json[i].header, bad_json[i].size, bad_json[i].message);
}
END_TEST

START_TEST(errors_of_tensors) {
    for (size_t i = 0; i < sizeof bad_entries / sizeof *bad_entries; i++)
        expect_bad(bad_entries[i].header, bad_entries[i].size, bad_entries[i].message);
}
END_TEST

/* A zero byte in the header ends a C string, but not the header. */
START_TEST(a_zero_in_the_header_is_seen) {
    expect_bad_bytes("\x04\0\0\0\0\0\0\0{}\0 ", 12, "data: 0x00 at byte 10, where the end of the header is expected");
    expect_bad_bytes("\x05\0\0\0\0\0\0\0{\"a\0b", 13, "data: 0x00 at byte 11, where '\"' is expected");
}
END_TEST

/* Truncated at each byte, and with each byte changed to a few others: a dict or an error message. */
START_TEST(every_byte_counts) {
    static const char header[] =
        "{\"__metadata__\":{\"k\":\"v\"},\"a\":{" OF("F16", "2", "0,4") "},\"b\":{" OF("BOOL", "1,3", "4,7") "}}";
    size_t all;
    uint8_t *bytes = file_of(header, 7, &all);
    for (size_t n = 0; n < all; n++) {
        ck_assert_ptr_null((safetensors_load)(bytes, n, NULL));
        ck_assert(strncmp(t_error_message(), "data: ", 6) == 0);
        t_clear_error();
    }
    static const uint8_t others[] = {0, '"', '{', '}', '[', ',', '9', '\\', 0x80, 0xff};
    for (size_t n = 0; n < all; n++)
        for (size_t i = 0; i < sizeof others; i++) {
            const uint8_t was = bytes[n];
            bytes[n] = others[i];
            with_scope() {
                const t_TensorDict *dict = (safetensors_load)(bytes, all, NULL);
                ck_assert(dict || strncmp(t_error_message(), "data: ", 6) == 0);
                t_clear_error();
            }
            bytes[n] = was;
        }
    free(bytes);
}
END_TEST

Suite *safetensors_bad_suite(void);
Suite *safetensors_bad_suite(void) {
    Suite *suite = suite_create("safetensors_bad");
    TCase *tests = tcase_create("safetensors_bad");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, header_too_small);
    tcase_add_test(tests, header_too_large);
    tcase_add_test(tests, invalid_header_length);
    tcase_add_test(tests, invalid_header_non_utf8);
    tcase_add_test(tests, invalid_header_not_json);
    tcase_add_test(tests, json_attack);
    tcase_add_test(tests, metadata_incomplete_buffer);
    tcase_add_test(tests, invalid_info);
    tcase_add_test(tests, validation_overflow);
    tcase_add_test(tests, serialization_fp4);
    tcase_add_test(tests, abuse_attempt_1);
    tcase_add_test(tests, abuse_attempts_2_and_3);
    tcase_add_test(tests, offsets_out_of_the_file);
    tcase_add_test(tests, a_deep_header_does_not_overflow_the_stack);
    tcase_add_test(tests, a_header_has_127_levels);
    tcase_add_test(tests, errors_of_json);
    tcase_add_test(tests, errors_of_tensors);
    tcase_add_test(tests, a_zero_in_the_header_is_seen);
    tcase_add_test(tests, every_byte_counts);
    suite_add_tcase(suite, tests);
    return suite;
}
