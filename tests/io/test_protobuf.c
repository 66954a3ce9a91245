/* tests/io/test_protobuf.c: the wire format of Protocol Buffers: the specification's examples, what Google's library
 * writes and what it refuses, out of memory. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/protobuf.h"
#include "tests/support/files/file_support.h"

#define BYTES(text) text, sizeof(text) - 1

/* What was written to memory is these bytes. */
static void expect_bytes(tg_Output *out, const char *bytes, size_t size) {
    size_t written = 0;
    char *got = tg_output_take(out, true, &written);
    ck_assert_ptr_nonnull(got);
    ck_assert_uint_eq(written, size);
    ck_assert_mem_eq(got, bytes, size);
    free(got);
}

/* https://protobuf.dev/programming-guides/encoding: Test1 {a: 150}, Test4 {d: "hello", e: [1, 2, 3]}, Test3 {c: {a:
 * 150}}, and packed [3, 270, 86942]. */
START_TEST(the_specification_has_these_bytes) {
    static const int64_t numbers[] = {3, 270, 86942};
    tg_Output out;
    tg_output_memory(&out);
    tg_proto_varint(&out, 1, 150);
    tg_proto_text(&out, 4, "hello");
    tg_proto_packed_varints(&out, 6, numbers, 3);
    tg_proto_packed_varints(&out, 6, numbers, 0);
    const size_t nested = tg_proto_begin(&out, 3);
    tg_proto_varint(&out, 1, 150);
    ck_assert(tg_proto_end(&out, nested));
    expect_bytes(&out, BYTES("\x08\x96\x01"
                             "\x22\x05hello"
                             "\x32\x06\x03\x8e\x02\x9e\xa7\x05"
                             "\x1a\x03\x08\x96\x01"));
}
END_TEST

START_TEST(numbers_of_every_type_have_google_s_bytes) {
    tg_Output out;
    tg_output_memory(&out);
    tg_proto_varint(&out, 1, (uint64_t)INT64_C(-2));
    tg_proto_sint(&out, 2, -2);
    tg_proto_sint(&out, 3, INT64_MIN);
    tg_proto_fixed32(&out, 15, 0x01020304);
    tg_proto_fixed64(&out, 16, UINT64_C(0x0102030405060708));
    tg_proto_float(&out, 2047, 1.5f);
    tg_proto_double(&out, 2048, -0.0);
    tg_proto_varint(&out, (1 << 29) - 1, UINT64_MAX);
    tg_proto_bytes(&out, 5, "a\0b", 3);
    expect_bytes(&out, BYTES("\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                             "\x10\x03"
                             "\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                             "\x7d\4\3\2\1"
                             "\x81\x01\10\7\6\5\4\3\2\1"
                             "\xfd\x7f\0\0\xc0\x3f"
                             "\x81\x80\x01\0\0\0\0\0\0\0\x80"
                             "\xf8\xff\xff\xff\x0f\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                             "\x2a\3a\0b"));
}
END_TEST

START_TEST(zigzag_is_its_own_inverse) {
    static const int64_t values[] = {0, -1, 1, -2, 2, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    static const uint64_t coded[] = {0, 1, 2, 3, 4, UINT32_MAX - 1, UINT32_MAX, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        ck_assert_uint_eq(tg_zigzag(values[i]), coded[i]);
        ck_assert_int_eq(tg_unzigzag(coded[i]), values[i]);
    }
    ck_assert_int_eq(tg_varint_size(0), 1);
    ck_assert_int_eq(tg_varint_size(127), 1);
    ck_assert_int_eq(tg_varint_size(128), 2);
    ck_assert_int_eq(tg_varint_size(UINT64_MAX), 10);
}
END_TEST

/* Messages whose sizes take 1, 2 and 3 bytes, each in the next. */
START_TEST(messages_may_be_nested_and_large) {
    enum { LARGE = 20000, LEVELS = 5 };
    static const size_t sizes[LEVELS] = {LARGE, 200, 127, 3, 0};
    char *filler = calloc(1, LARGE);
    size_t begin[LEVELS], size = 0;
    tg_Output out;
    tg_output_memory(&out);
    for (int i = 0; i < LEVELS; i++) begin[i] = tg_proto_begin(&out, 7);
    for (int i = LEVELS; i-- > 0;) {
        tg_proto_bytes(&out, 8, filler, sizes[LEVELS - 1 - i]);
        ck_assert(tg_proto_end(&out, begin[i]));
    }
    char *bytes = tg_output_take(&out, true, &size);
    tg_Proto messages[LEVELS + 1] = {tg_proto_of("nested", bytes, size, 0)};
    for (int i = 0; i < LEVELS; i++) {
        tg_ProtoField f;
        ck_assert(tg_proto_next(&messages[i], &f) && f.number == 7);
        messages[i + 1] = tg_proto_message(&messages[i], &f);
    }
    for (int i = LEVELS; i > 0; i--) {
        tg_ProtoField f;
        ck_assert(tg_proto_next(&messages[i], &f) && f.number == 8 && f.size == sizes[LEVELS - i]);
        ck_assert(!tg_proto_next(&messages[i], &f) && !messages[i].failed);
    }
    free(bytes);
    free(filler);
}
END_TEST

START_TEST(what_was_written_is_read) {
    static const float floats[] = {1.5f, -2, INFINITY};
    static const double doubles[] = {0.1, 1e300};
    static const int64_t integers[] = {0, -1, 300};
    tg_Output out;
    size_t size;
    tg_output_memory(&out);
    tg_proto_varint(&out, 1, 300);
    tg_proto_sint(&out, 2, -300);
    tg_proto_fixed32(&out, 3, 7);
    tg_proto_fixed64(&out, 4, UINT64_MAX);
    tg_proto_float(&out, 5, 0.25f);
    tg_proto_double(&out, 6, 0.1);
    tg_proto_text(&out, 7, "grün");
    tg_proto_packed_floats(&out, 8, floats, 3);
    tg_proto_packed_doubles(&out, 9, doubles, 2);
    tg_proto_packed_varints(&out, 10, integers, 3);
    tg_proto_double(&out, 9, 3);
    char *bytes = tg_output_take(&out, true, &size);
    tg_Proto m = tg_proto_of("file", bytes, size, 0);
    double sum = 0;
    int fields = 0, packed = 0;
    for (tg_ProtoField f; tg_proto_next(&m, &f); fields++) {
        switch (f.number) {
        case 1: ck_assert_uint_eq(tg_proto_get_varint(&m, &f), 300); break;
        case 2: ck_assert_int_eq(tg_proto_get_sint(&m, &f), -300); break;
        case 3: ck_assert_uint_eq(tg_proto_get_fixed32(&m, &f), 7); break;
        case 4: ck_assert_uint_eq(tg_proto_get_fixed64(&m, &f), UINT64_MAX); break;
        case 5: ck_assert(tg_proto_get_float(&m, &f) == 0.25f); break;
        case 6: ck_assert(tg_proto_get_double(&m, &f) == 0.1); break;
        case 7: {
            char *text = tg_proto_get_text(&m, &f);
            ck_assert_str_eq(text, "grün");
            free(text);
            break;
        }
        case 8:
            for (tg_Proto v = tg_proto_repeated(&m, &f, tg_wire_fixed32); tg_proto_more(&v); packed++)
                ck_assert(tg_proto_read_float(&v) == floats[packed]);
            break;
        case 9:
            for (tg_Proto v = tg_proto_repeated(&m, &f, tg_wire_fixed64); tg_proto_more(&v);)
                sum += tg_proto_read_double(&v);
            break;
        case 10:
            packed = 0;
            for (tg_Proto v = tg_proto_repeated(&m, &f, tg_wire_varint); tg_proto_more(&v); packed++)
                ck_assert_int_eq((int64_t)tg_proto_read_varint(&v), integers[packed]);
            break;
        default: ck_abort();
        }
    }
    ck_assert(!m.failed && fields == 11 && packed == 3);
    ck_assert(sum == 0.1 + 1e300 + 3);
    free(bytes);
}
END_TEST

/* field 1 twice, the second within two groups */
START_TEST(groups_are_read_as_their_fields) {
    const char bytes[] = "\x08\x01"
                         "\x13\x1b\x08\x02\x1c\x14"
                         "\x08\x03";
    tg_Proto m = tg_proto_of("groups", BYTES(bytes), 0);
    tg_ProtoField f, g, h;
    ck_assert(tg_proto_next(&m, &f) && f.value == 1);
    ck_assert(tg_proto_next(&m, &f) && f.number == 2 && f.type == tg_wire_group && f.size == 4);
    tg_Proto outer = tg_proto_message(&m, &f);
    ck_assert(tg_proto_next(&outer, &g) && g.number == 3 && g.size == 2);
    tg_Proto inner = tg_proto_message(&outer, &g);
    ck_assert(tg_proto_next(&inner, &h) && h.value == 2 && !tg_proto_next(&inner, &h) && !inner.failed);
    ck_assert(tg_proto_next(&m, &f) && f.value == 3 && !tg_proto_next(&m, &f) && !m.failed);
}
END_TEST

static void read_all(tg_Proto *m, int depth) {
    for (tg_ProtoField f; tg_proto_next(m, &f);) {
        if (f.type != tg_wire_bytes || depth == 0) continue;
        tg_Proto inner = tg_proto_message(m, &f);
        read_all(&inner, depth - 1);
    }
}

/* The error of reading these bytes, at offset 100 of a file, as messages that deep. */
static void expect_bad(const char *bytes, size_t size, int depth, const char *message) {
    char *copy = malloc(size + !size);
    memcpy(copy, bytes, size);
    tg_Proto m = tg_proto_of("x.pb", copy, size, 100);
    read_all(&m, depth);
    expect_refusal(m.failed, message);
    free(copy);
}

START_TEST(what_is_wrong_is_named_with_its_byte) {
    expect_bad(BYTES("\x08"), 0, "x.pb: byte 101: the message ends within a varint");
    expect_bad(BYTES("\x08\x80\x80"), 0, "x.pb: byte 101: the message ends within a varint");
    expect_bad(BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), 0,
               "x.pb: byte 101: a varint has more than 64 bits");
    expect_bad(BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x01"), 0,
               "x.pb: byte 101: a varint has more than 64 bits");
    expect_bad(BYTES("\x00\x01"), 0, "x.pb: byte 100: 0 is no number of a field");
    expect_bad(BYTES("\x80\x80\x80\x80\x10\x01"), 0, "x.pb: byte 100: 536870912 is no number of a field");
    expect_bad(BYTES("\x08\x01\x0e"), 0, "x.pb: byte 102: wire type 6 does not exist");
    expect_bad(BYTES("\x0d\1\2\3"), 0, "x.pb: byte 101: the message ends within a value of 4 bytes");
    expect_bad(BYTES("\x09\1\2\3\4\5\6\7"), 0, "x.pb: byte 101: the message ends within a value of 8 bytes");
    expect_bad(BYTES("\x12\x03"
                     "ab"),
               0, "x.pb: byte 101: field 2 has 3 bytes, but only 2 are left");
    expect_bad(BYTES("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 0,
               "x.pb: byte 101: field 2 has 18446744073709551615 bytes, but only 0 are left");
    expect_bad(BYTES("\x14"), 0, "x.pb: byte 100: the end of group 2, which was not begun");
    expect_bad(BYTES("\x13\x08\x01"), 0, "x.pb: byte 101: group 2 has no end");
    expect_bad(BYTES("\x13\x08\x80"), 0, "x.pb: byte 102: the message ends within a varint");
    expect_bad(BYTES("\x13\x1c"), 0, "x.pb: byte 101: the end of group 3 where group 2 is open");
    expect_bad(BYTES("\x0a\x02\x0a\x01"), 2, "x.pb: byte 103: field 1 has 1 bytes, but only 0 are left");
    char deep[400];
    memset(deep, 0x0b, sizeof deep);
    expect_bad(deep, 101, 0, "x.pb: byte 200: groups are more than 100 deep");
}
END_TEST

START_TEST(a_field_of_another_type_is_refused) {
    tg_ProtoField f;
    tg_Proto m = tg_proto_of("x.pb", BYTES("\x08\x05"), 0);
    ck_assert(tg_proto_next(&m, &f));
    expect_refusal(tg_proto_get_double(&m, &f) == 0 && m.failed,
                   "x.pb: byte 1: field 1 is a varint, expected a fixed64");
    m = tg_proto_of("x.pb", BYTES("\x08\x05"), 0);
    ck_assert(tg_proto_next(&m, &f));
    tg_Proto inner = tg_proto_message(&m, &f);
    expect_refusal(!tg_proto_next(&inner, &f) && m.failed, "x.pb: byte 1: field 1 is a varint, expected bytes");
    m = tg_proto_of("x.pb",
                    BYTES("\x0a\x03"
                          "a\xff"
                          "b"),
                    0);
    ck_assert(tg_proto_next(&m, &f));
    expect_refusal(!tg_proto_get_text(&m, &f) && m.failed, "x.pb: byte 3: the text of field 1 is not UTF-8");
    m = tg_proto_of("x.pb",
                    BYTES("\x0a\x03"
                          "a\0b"),
                    0);
    ck_assert(tg_proto_next(&m, &f));
    expect_refusal(!tg_proto_get_text(&m, &f) && m.failed, "x.pb: byte 3: the text of field 1 contains a zero byte");
    m = tg_proto_of("x.pb", BYTES("\x0a\x05\1\2\3\4\5"), 0);
    ck_assert(tg_proto_next(&m, &f));
    for (tg_Proto v = tg_proto_repeated(&m, &f, tg_wire_fixed32); tg_proto_more(&v);) tg_proto_read_float(&v);
    expect_refusal(m.failed, "x.pb: byte 6: the message ends within a value of 4 bytes");
}
END_TEST

/* Each allocation fails in turn. */
START_TEST(without_memory_nothing_is_left) {
    for (int n = 1;; n++) {
        set_faults((Faults){.fail_at = n});
        tg_Output out;
        size_t size;
        tg_output_memory(&out);
        for (int i = 0; i < 200; i++) {
            const size_t message = tg_proto_begin(&out, 1);
            tg_proto_text(&out, 2, "a text of some length");
            tg_proto_double(&out, 3, i);
            tg_proto_end(&out, message);
        }
        char *bytes = tg_output_take(&out, true, &size);
        const bool reported = fault_reported("");
        ck_assert_int_eq(bytes == NULL, reported);
        free(bytes);
        if (!reported) break;
        ck_assert_int_lt(n, 20);
    }
}
END_TEST

Suite *protobuf_suite(void);
Suite *protobuf_suite(void) {
    Suite *suite = suite_create("protobuf");
    TCase *tests = tcase_create("protobuf");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, the_specification_has_these_bytes);
    tcase_add_test(tests, numbers_of_every_type_have_google_s_bytes);
    tcase_add_test(tests, zigzag_is_its_own_inverse);
    tcase_add_test(tests, messages_may_be_nested_and_large);
    tcase_add_test(tests, what_was_written_is_read);
    tcase_add_test(tests, groups_are_read_as_their_fields);
    tcase_add_test(tests, what_is_wrong_is_named_with_its_byte);
    tcase_add_test(tests, a_field_of_another_type_is_refused);
    tcase_add_test(tests, without_memory_nothing_is_left);
    suite_add_tcase(suite, tests);
    return suite;
}
