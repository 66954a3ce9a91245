/* tests/tensorboard/test_event_reader.c: event files that are cut or damaged, and messages that are wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tensorboard/event_internal.h"
#include "tests/support/files/event_support.h"
#include "tests/support/files/file_support.h"

static uint8_t *file_bytes(size_t *size) {
    FILE *file = fopen("tests/golden/files/torch.tfevents", "rb");
    ck_assert_ptr_nonnull(file);
    uint8_t *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

/* A program that still writes may have written half of a record. */
START_TEST(a_file_that_is_cut_gives_its_whole_events) {
    size_t size;
    uint8_t *bytes = file_bytes(&size);
    int64_t most = 0;
    for (size_t cut = 0; cut <= size; cut += cut < 300 || cut + 100 > size ? 1 : 37) {
        with_scope () {
            const tensorboard_Events *events = tensorboard_load_events_bytes(bytes, cut < size ? cut : size, "cut");
            ck_assert_ptr_nonnull(events);
            ck_assert_int_ge(events->len, most);
            most = events->len;
        }
    }
    const tensorboard_Events *events = tensorboard_load_events_bytes(bytes, size - 1, "cut");
    ck_assert(events->is_cut && !tensorboard_load_events_bytes(bytes, size, "whole")->is_cut);
    free(bytes);
}
END_TEST

START_TEST(a_wrong_checksum_is_named_with_its_byte) {
    size_t size;
    uint8_t *bytes = file_bytes(&size);
    bytes[12 + 3] ^= 1;
    expect_refusal(!tensorboard_load_events_bytes(bytes, size, "x"),
                   "x: byte 12: the data of a record have a wrong checksum");
    bytes[12 + 3] ^= 1;
    bytes[1] ^= 1;
    expect_refusal(!tensorboard_load_events_bytes(bytes, size, "x"),
                   "x: byte 0: the size of a record has a wrong checksum");
    free(bytes);
}
END_TEST

START_TEST(paths_without_events_are_refused) {
    char path[200];
    in_folder(path, "missing");
    expect_refusal(!(tensorboard_load_events)(path), t_format("cannot open %s: No such file or directory", path));
    expect_refusal(!(tensorboard_load_events)(test_folder),
                   t_format("there is no event file in %s: no name in it contains tfevents", test_folder));
    in_folder(path, "text");
    put_file(path, "this is no event file, but a text of some length");
    expect_refusal(!(tensorboard_load_events)(path),
                   t_format("%s: byte 0: the size of a record has a wrong checksum", path));
    expect_refusal(!(tensorboard_load_events)(NULL), "argument 1 is NULL where a path is expected");
}
END_TEST

/* The record of one Event of these bytes, read. */
static const tensorboard_Events *event_of(const void *data, size_t size) {
    tg_Output records;
    size_t all;
    const uint8_t number[8] = {(uint8_t)size};
    tg_output_memory(&records);
    tg_output_write(&records, number, 8);
    const uint32_t crcs[] = {tg_masked_crc32c(number, 8), tg_masked_crc32c(data, size)};
    for (int i = 0; i < 2; i++) {
        for (int b = 0; b < 4; b++) tg_output_write(&records, &(uint8_t){(uint8_t)(crcs[i] >> 8 * b)}, 1);
        if (i == 0) tg_output_write(&records, data, size);
    }
    uint8_t *bytes = tg_output_take(&records, true, &all);
    const tensorboard_Events *events = tensorboard_load_events_bytes(bytes, all, "x");
    free(bytes);
    return events;
}

/* The same of an Event with one Value of these bytes. */
static const tensorboard_Events *events_of(const char *value, size_t value_size) {
    tg_Output event;
    size_t size;
    tg_output_memory(&event);
    const size_t summary = tg_proto_begin(&event, EVENT_SUMMARY);
    tg_proto_bytes(&event, 1, value, value_size);
    tg_proto_end(&event, summary);
    uint8_t *data = tg_output_take(&event, true, &size);
    const tensorboard_Events *events = event_of(data, size);
    free(data);
    return events;
}
static void expect_bad_value(const char *value, size_t value_size, const char *message) {
    expect_refusal(!events_of(value, value_size), message);
}
#define VALUE_BYTES(text) text, sizeof(text) - 1

START_TEST(wrong_messages_are_refused) {
    expect_bad_value(VALUE_BYTES("\x0a\x02"
                                 "a\xff"),
                     "x: byte 19: the text of field 1 is not UTF-8");
    expect_bad_value(VALUE_BYTES("\x10\x05"), "x: byte 17: field 2 is a varint, expected a fixed32");
    expect_bad_value(VALUE_BYTES("\x2a\x0a\x32\x08\0\0\0\0\0\0\0\0"),
                     "x: byte 18: a histogram has 1 limits, but 0 counts");
    expect_bad_value(VALUE_BYTES("\x2a\x05\x32\x03\0\0\0"), "x: byte 20: the message ends within a value of 8 bytes");
    /* float32, (2, 2), five values; four values in a content of 15 bytes; a shape that nothing explains */
    expect_bad_value(VALUE_BYTES("\x42\x22\x08\x01\x12\x08\x12\x02\x08\x02\x12\x02\x08\x02\x2a\x14"
                                 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
                     "x: byte 18: a tensor of shape [2, 2] has 5 values");
    expect_bad_value(VALUE_BYTES("\x42\x12\x08\x01\x12\x08\x12\x02\x08\x02\x12\x02\x08\x02\x22\x04\0\0\0\0"),
                     "x: byte 32: a tensor of shape [2, 2] has 4 bytes");
    expect_bad_value(VALUE_BYTES("\x42\x12\x08\x01\x12\x08\x12\x06\x08\xff\xff\xff\xff\x01\x2a\x04\0\0\0\0"),
                     "x: byte 18: a tensor of shape [536870911] is larger than its 18 bytes explain");
    expect_refusal(!event_of("\x1a\2a\xff", 4), "x: byte 15: the text of field 3 is not UTF-8"); /* the version */
}
END_TEST

/* Fields that are not packed, values that are left out, and what is passed over: unknown fields, tensors of more dims
 * than there are here, or of a size below 0. */
START_TEST(tensors_are_read_from_their_fields) {
    static const char values[] = "\x42\x16\x08\x01\x12\x08\x12\x02\x08\x02\x12\x02\x08\x02"
                                 "\x2d\0\0\x80\x3f\x2d\0\0\0\x40\x78\5";
    const tensorboard_Events *events = events_of(VALUE_BYTES(values));
    ck_assert_msg(events && events->len == 1, "%s", t_error());
    HOLDS(t_equal(events->items[0].tensor, t_tensor("[[1, 2], [2, 2]]", .dtype = t_float32)));
    char many[80] = "\x42\x2d\x08\x01\x12\x24";
    for (int i = 0; i < 9; i++) memcpy(many + 6 + 4 * i, "\x12\2\x08\1", 4);
    memcpy(many + 42, "\x2d\0\0\x80\x3f", 5);
    events = events_of(many, 47);
    ck_assert_msg(events && events->len == 1 && !events->items[0].tensor, "%s", t_error());
    events = events_of(VALUE_BYTES("\x42\x16\x08\x01\x12\x0d\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"
                                   "\x2d\0\0\x80\x3f"));
    ck_assert_msg(events && events->len == 1 && !events->items[0].tensor, "%s", t_error());
}
END_TEST

/* TensorFlow writes the elements of a tensor as bytes, little-endian. */
START_TEST(tensors_are_read_from_their_content) {
    static const struct {
        int type;
        size_t size;
        const char *content, *values;
    } of[] = {
        {1, 8, "\0\0\x80\x3f\0\0\0\xc0", "[1.0, -2.0]"},
        {2, 16, "\0\0\0\0\0\0\xf8\x3f\0\0\0\0\0\0\xe0\xbf", "[1.5, -0.5]"},
        {3, 8, "\xff\xff\xff\xff\7\0\0\0", "[-1, 7]"},
        {4, 2, "\xff\1", "[255, 1]"},
        {5, 4, "\xfe\xff\2\1", "[-2, 258]"},
        {6, 2, "\xfd\x7f", "[-3, 127]"},
        {9, 16, "\xfb\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\1\0\0\0", "[-5, 4294967296]"},
        {10, 2, "\1\0", "[1, 0]"},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char value[60] = "\x0a\1a\x42";
        const size_t size = of[i].size;
        value[4] = (char)(10 + size);
        memcpy(value + 5, "\x08?\x12\4\x12\2\x08\2\x22?", 10);
        value[6] = (char)of[i].type;
        value[14] = (char)size;
        memcpy(value + 15, of[i].content, size);
        const tensorboard_Events *events = events_of(value, 15 + size);
        ck_assert_msg(events && events->len == 1 && events->items[0].tensor, "type %d: %s", of[i].type, t_error());
        Tensor *x = events->items[0].tensor;
        HOLDS(t_equal(x, t_tensor(of[i].values, .dtype = x->dtype)));
        HOLDS(x->dtype == (of[i].type == 1 ? t_float32 : of[i].type == 2 ? t_float64 : t_int64));
    }
}
END_TEST

Suite *event_reader_suite(void);
Suite *event_reader_suite(void) {
    Suite *suite = suite_create("event_reader");
    TCase *tests = tcase_create("event_reader");
    tcase_add_checked_fixture(tests, folder_setup, folder_teardown);
    tcase_add_test(tests, a_file_that_is_cut_gives_its_whole_events);
    tcase_add_test(tests, a_wrong_checksum_is_named_with_its_byte);
    tcase_add_test(tests, paths_without_events_are_refused);
    tcase_add_test(tests, wrong_messages_are_refused);
    tcase_add_test(tests, tensors_are_read_from_their_fields);
    tcase_add_test(tests, tensors_are_read_from_their_content);
    suite_add_tcase(suite, tests);
    return suite;
}
