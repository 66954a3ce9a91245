/* tests/io/test_safetensors.c: writing safetensors files. Tests of the reference implementation (tensor.rs) keep their
 * names here and in test_safetensors_read.c (reading) and test_safetensors_bad.c (errors): test_zero_sized_tensor is
 * zero_sized_tensor. */
#include "tests/support/files/safetensors_support.h"
#include "tests/support/refusals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/tensor/context.h"

static const char path[] = "build/test_safetensors.safetensors";

static void tidy(void) {
    remove(path);
    support_teardown();
}

static void expect_written(const t_TensorDict *dict, const void *bytes, size_t size) {
    size_t n = 0;
    void *written = safetensors_save(dict, &n);
    ck_assert_int_eq(n, size);
    ck_assert_int_eq(memcmp(written, bytes, size), 0);
    free(written);
}

/* What is written and read again is the same. */
static t_TensorDict *round_trip(const t_TensorDict *dict) {
    ck_assert(safetensors_save_file(dict, path));
    t_TensorDict *again = safetensors_load_file(path);
    ck_assert_int_eq(again->len, dict->len);
    for_items (item, dict) {
        if (item->text) {
            ck_assert_str_eq(t_dict_get_text(again, item->name), item->text);
        } else {
            Tensor *x = t_dict_get(again, item->name);
            ck_assert_msg(t_equal(x, item->tensor) && t_dtype(x) == t_dtype(item->tensor), "%s has changed",
                          item->name);
            ck_assert(t_is_contiguous(x) && !t_requires_grad(x));
        }
    }
    return again;
}

START_TEST(serialization) {
    static const char bytes[] =
        "\x40\0\0\0\0\0\0\0{\"attn.0\":{\"dtype\":\"F32\",\"shape\":[1,2,3],\"data_offsets\":[0,24]}}"
        "\0\0\0\0\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40\0\0\xa0\x40";
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, "attn.0", t_view(t_arange(6, .dtype = t_float32), 1, 2, 3));
    expect_written(dict, bytes, sizeof bytes - 1);
    round_trip(dict);
}
END_TEST

START_TEST(serialization_forced_alignement) {
    static const char bytes[] =
        "\x48\0\0\0\0\0\0\0{\"attn0\":{\"dtype\":\"F32\",\"shape\":[1,1,2,3],\"data_offsets\":[0,24]}}       "
        "\0\0\0\0\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40\0\0\xa0\x40";
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, "attn0", t_view(t_arange(6, .dtype = t_float32), 1, 1, 2, 3));
    expect_written(dict, bytes, sizeof bytes - 1);
    round_trip(dict);
}
END_TEST

START_TEST(empty) {
    t_TensorDict *dict = t_dict();
    expect_written(dict, "\x08\0\0\0\0\0\0\0{}      ", 16);
    round_trip(dict);
    t_dict_set(dict, "framework", "pt");
    expect_written(dict, "\x28\0\0\0\0\0\0\0{\"__metadata__\":{\"framework\":\"pt\"}}     ", 48);
    round_trip(dict);
}
END_TEST

/* As the reference implementation 0.8 writes it: wider dtypes in front, I64 before F64, then by name; JSON's
 * escapes. */
START_TEST(order_and_escapes) {
    static const char header[] =
        "{\"__metadata__\":{\"\\t\":\"\xc3\xbc\\n\\u000b\"},\"b\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,"
        "8]},"
        "\"z\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[8,16]},\"c\":{\"dtype\":\"F64\",\"shape\":[1],\"data_"
        "offsets\":[16,24]},"
        "\"\\u0001\\\"\\\\/"
        "\x7f\\b\\f\\r\xf0\x9f\x98\x80\":{\"dtype\":\"F32\",\"shape\":[2,0],\"data_offsets\":[24,24]},"
        "\"a\":{\"dtype\":\"BOOL\",\"shape\":[1],\"data_offsets\":[24,25]}}";
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, "a", t_ones(1, .dtype = t_bool));
    t_dict_set(dict, "z", 0);
    t_dict_set(dict, "\x01\"\\/\x7f\b\f\r\xf0\x9f\x98\x80", t_zeros(2, 0));
    t_dict_set(dict, "c", t_zeros(1, .dtype = t_float64));
    t_dict_set(dict, "b", t_zeros(1, .dtype = t_int64));
    t_dict_set(dict, "\t", "\xc3\xbc\n\v");
    size_t n = 0;
    char *bytes = safetensors_save(dict, &n);
    const size_t length = sizeof header - 1, padded = (length + 7) / 8 * 8;
    ck_assert_int_eq(n, 8 + padded + 25);
    ck_assert_int_eq((unsigned char)bytes[0] + 256 * (unsigned char)bytes[1], padded);
    ck_assert_int_eq(memcmp(bytes + 8, header, length), 0);
    for (size_t i = length; i < padded; i++) ck_assert_int_eq(bytes[8 + i], ' ');
    ck_assert_int_eq(bytes[n - 1], 1);
    free(bytes);
    round_trip(dict);
}
END_TEST

/* The order of the dtypes in the file is that of Python's safetensors. */
START_TEST(narrow_dtypes_are_saved_as_they_are) {
    static const t_DType dtypes[] = {t_int64, t_float64, t_float32, t_int32, t_bfloat16, t_float16, t_int16, t_int8,
                                     t_uint8, t_bool};
    t_TensorDict *dict = t_dict();
    for (int i = 9; i >= 0; i--)
        t_dict_set(dict, (t_dtype_repr)(dtypes[i]), t_to(t_tensor("[[1, 0, 3], [1, 100, 7]]"), dtypes[i]));
    ck_assert(safetensors_save_file(dict, path));
    t_TensorDict *back = safetensors_load_file(path);
    ck_assert(back && back->len == 10);
    for (int i = 0; i < 10; i++) {
        ck_assert_str_eq(back->items[i].name, (t_dtype_repr)(dtypes[i]));
        ck_assert(t_dtype(back->items[i].tensor) == dtypes[i]);
        ck_assert(t_equal(back->items[i].tensor, t_dict_get(dict, back->items[i].name)));
    }
}
END_TEST

START_TEST(strides_are_written_as_contiguous) {
    t_TensorDict *dict = t_dict();
    Tensor *x = t_view(t_arange(24, .dtype = t_float64), 2, 3, 4), *w = t_requires_grad_(t_randn(3, 2), true);
    t_dict_set(dict, "transposed", t_transpose(x, 0, 2));
    t_dict_set(dict, "every other", t_at(x, ":, ::2, 1:"));
    t_dict_set(dict, "expanded", t_expand(t_ones(1, 3), 5, 3));
    t_dict_set(dict, "full", x);
    t_dict_set(dict, "again", x);
    t_dict_set(dict, "wants a gradient", t_transpose(t_mul(w, 2), 0, 1));
    const int64_t records = tg_thread.records_made;
    const t_TensorDict *again = round_trip(dict);
    ck_assert_int_eq(tg_thread.records_made, records);
    ck_assert_ptr_ne(t_data_ptr(t_dict_get((t_TensorDict *)again, "full")),
                     t_data_ptr(t_dict_get((t_TensorDict *)again, "again")));
}
END_TEST

START_TEST(roundtrip) {
    t_TensorDict *dict = t_dict();
    char name[20];
    t_manual_seed(3);
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "t.%d", i);
        Tensor *x = t_randn(i % 4, 3, i % 7);
        t_dict_set(dict, name,
                   i % 4 == 0   ? x
                   : i % 4 == 1 ? t_to(x, t_float64)
                   : i % 4 == 2 ? t_gt(x, 0)
                                : t_to(t_mul(x, 100), t_int64));
    }
    t_dict_set(dict, "of no dim", -3);
    t_dict_set(dict, "infinite", t_tensor("[inf, -inf, -0.0, 1e-45]"));
    t_dict_set(dict, "rank 8", t_ones(1, 2, 1, 2, 1, 2, 1, 2));
    round_trip(dict);
}
END_TEST

/* The same names and ranks; the reference's model has 124 million parameters. */
START_TEST(gpt2_tiny) {
    enum { E = 4, HEADS = 6, CONTEXT = 8 };
    t_TensorDict *dict = t_dict();
    char name[60];
    t_dict_set(dict, "wte", t_randn(57, E));
    t_dict_set(dict, "wpe", t_randn(CONTEXT, E));
    for (int i = 0; i < HEADS; i++) {
        const struct { const char *name; Tensor *x;
        } parts[] = {
            {"ln_1.weight", t_ones(E)},
            {"attn.bias", t_ones(1, 1, CONTEXT, CONTEXT)},
            {"attn.c_attn.weight", t_randn(E, 3 * E)},
            {"attn.c_proj.bias", t_zeros(E)},
            {"mlp.c_fc.weight", t_randn(E, 4 * E)},
            {"mlp.c_proj.weight", t_randn(4 * E, E)},
        };
        for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
            snprintf(name, sizeof name, "h.%d.%s", i, parts[p].name);
            t_dict_set(dict, name, parts[p].x);
        }
    }
    const t_TensorDict *again = round_trip(dict);
    ck_assert_str_eq(again->items[0].name, "h.0.attn.bias");
    ck_assert_str_eq(again->items[again->len - 1].name, "wte");
}
END_TEST

START_TEST(serialize_to_file_same_path) {
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, "w", t_tensor("[1.0, 2.0, 3.0]"));
    safetensors_save_file(dict, path);
    for (int i = 0; i < 3; i++) round_trip(safetensors_load_file(path));
}
END_TEST

START_TEST(save_and_load_are_torchs) {
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, "w", t_tensor("[1.0, 2.0, 3.0]"));
    ck_assert(t_save(dict, path));
    ck_assert(t_equal(t_dict_get(t_load(path), "w"), t_dict_get(dict, "w")));
    expect_refusal((t_load)("build/none") == NULL, "cannot open build/none: No such file or directory");
    expect_refusal((safetensors_load_file)("build", NULL) == NULL, "cannot read build: it is a folder");
    expect_refusal(!(t_save)(dict, "none/file"), "cannot write none/file: No such file or directory");
    expect_refusal(!(t_save)(dict, NULL), "the path is NULL");
    expect_refusal(!(t_save)(NULL, path), "argument 1 is NULL where a dict of tensors is expected");
    expect_refusal((safetensors_save)(dict, NULL) == NULL,
                   "argument 2 is NULL where the address of a size is expected");
    expect_refusal((safetensors_load)(NULL, 9, NULL) == NULL, "the address of 9 bytes to read is NULL");
    (safetensors_load_file)(path, &(safetensors_Options){0});
    expect_error("the options' first field, size, is not set");
}
END_TEST

START_TEST(what_no_file_can_hold_is_not_written) {
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, "w", t_ones(1));
    safetensors_save_file(dict, path);
    t_dict_set(dict, "a\xc3(", t_ones(1));
    expect_refusal(!(safetensors_save_file)(dict, path), "byte 1 of 'a\xc3(' is not UTF-8 (0xc3)");
    t_dict_delete(dict, "a\xc3(");
    t_dict_set(dict, "text", "\x80");
    expect_refusal(!(safetensors_save_file)(dict, path), "byte 0 of '\x80' is not UTF-8 (0x80)");
    t_dict_delete(dict, "text");
    t_dict_set(dict, "__metadata__", t_ones(1));
    expect_refusal(!(safetensors_save_file)(dict, path),
                   "a tensor of the name '__metadata__' is not possible: that is the key of the metadata");
    ck_assert_int_eq(safetensors_load_file(path)->len, 1);
}
END_TEST

START_TEST(invalid_header_size_serialization) {
    enum { LENGTH = 100000000 };
    t_TensorDict *dict = t_dict();
    char *text = malloc(LENGTH + 1);
    ck_assert_ptr_nonnull(text);
    memset(text, 'a', LENGTH);
    text[LENGTH] = '\0';
    t_dict_set(dict, "very_large_metadata", text);
    free(text);
    size_t n;
    expect_refusal((safetensors_save)(dict, &n) == NULL,
                   "the names and texts take 100000048 bytes, and a header has at most 100000000");
}
END_TEST

START_TEST(a_text_may_have_a_tensors_name) {
    static const char header[] = "{\"__metadata__\":{\"a\":\"text\",\"b\":\"other\"},\"a\":{\"dtype\":\"I64\","
                                 "\"shape\":[1],\"data_offsets\":[0,8]}}";
    t_TensorDict *dict = load_of(header, 8);
    ck_assert_int_eq(dict->len, 3);
    ck_assert_str_eq(t_dict_get_text(dict, "__metadata__.a"), "text");
    ck_assert_int_eq(t_numel(t_dict_get(dict, "a")), 1);
    size_t n = 0, all;
    char *written = safetensors_save(dict, &n);
    uint8_t *bytes = file_of(header, 8, &all);
    ck_assert_int_eq(memcmp(written + 8, header, sizeof header - 1), 0);
    free(bytes);
    free(written);
    t_dict_delete(dict, "a"); /* now the string cannot be mistaken for a tensor */
    round_trip(dict);
}
END_TEST

static bool saves(void *dict) {
    return (safetensors_save_file)(dict, path);
}

static bool loads(void *unused) {
    return !unused && (safetensors_load_file)(path, NULL) != NULL;
}

static bool is_there(void *unused) {
    (void)unused;
    return safetensors_load_file(path)->len == 2;
}

START_TEST(without_memory_nothing_is_read_or_written) {
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, "w", t_transpose(t_randn(3, 4), 0, 1));
    t_dict_set(dict, "text", "x");
    safetensors_save_file(dict, path);
    refuse_all("saving", saves, is_there, dict);
    refuse_all("loading", loads, is_there, NULL);
    report_notes();
}
END_TEST

Suite *safetensors_suite(void);
Suite *safetensors_suite(void) {
    Suite *suite = suite_create("safetensors");
    TCase *tests = tcase_create("safetensors");
    tcase_add_checked_fixture(tests, support_setup, tidy);
    tcase_add_test(tests, serialization);
    tcase_add_test(tests, serialization_forced_alignement);
    tcase_add_test(tests, empty);
    tcase_add_test(tests, order_and_escapes);
    tcase_add_test(tests, narrow_dtypes_are_saved_as_they_are);
    tcase_add_test(tests, strides_are_written_as_contiguous);
    tcase_add_test(tests, roundtrip);
    tcase_add_test(tests, gpt2_tiny);
    tcase_add_test(tests, serialize_to_file_same_path);
    tcase_add_test(tests, save_and_load_are_torchs);
    tcase_add_test(tests, what_no_file_can_hold_is_not_written);
    tcase_add_test(tests, invalid_header_size_serialization);
    tcase_add_test(tests, a_text_may_have_a_tensors_name);
    tcase_add_test(tests, without_memory_nothing_is_read_or_written);
    suite_add_tcase(suite, tests);
    return suite;
}
