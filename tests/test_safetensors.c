/* tests/test_safetensors.c: files of safetensors written and read. What the reference implementation tests (tensor.rs) has its
 * name: test_zero_sized_tensor is zero_sized_tensor here. What is refused: test_safetensors_bad.c. */
#include "tests/safetensors_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/core.h"

static const char path[] = "build/test_safetensors.safetensors";

static void tidy(void) {
    remove(path);
    support_teardown();
}

/* ---- what tests write ---- */

uint8_t *file_of(const char *header, size_t size, size_t *all) {
    const size_t n = strlen(header);
    *all = 8 + n + size;
    uint8_t *bytes = malloc(*all);
    ck_assert_ptr_nonnull(bytes);
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)((uint64_t)n >> 8 * i);
    memcpy(bytes + 8, header, n);
    for (size_t i = 0; i < size; i++) bytes[8 + n + i] = (uint8_t)(i + 1);
    return bytes;
}

t_TensorDict *load_of(const char *header, size_t size) {
    size_t all;
    uint8_t *bytes = file_of(header, size, &all);
    t_TensorDict *dict = (safetensors_load)(bytes, all, NULL);
    free(bytes);
    return dict;
}

void expect_bad(const char *header, size_t size, const char *message) {
    char text[600];
    snprintf(text, sizeof text, "data: %s", message);
    const t_TensorDict *dict = load_of(header, size);
    ck_assert_msg(!dict, "it was read, but expected: %s", text);
    expect_error(text);
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
            ck_assert_msg(t_equal(x, item->tensor) && t_dtype(x) == t_dtype(item->tensor), "%s has changed", item->name);
            ck_assert(t_is_contiguous(x) && !t_requires_grad(x));
        }
    }
    return again;
}

/* ---- writing ---- */

START_TEST(serialization) {
    static const char bytes[] = "\x40\0\0\0\0\0\0\0{\"attn.0\":{\"dtype\":\"F32\",\"shape\":[1,2,3],\"data_offsets\":[0,24]}}"
                                "\0\0\0\0\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40\0\0\xa0\x40";
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, "attn.0", t_view(t_arange(6, .dtype = t_float32), 1, 2, 3));
    expect_written(dict, bytes, sizeof bytes - 1);
    round_trip(dict);
}
END_TEST

START_TEST(serialization_forced_alignement) {
    static const char bytes[] = "\x48\0\0\0\0\0\0\0{\"attn0\":{\"dtype\":\"F32\",\"shape\":[1,1,2,3],\"data_offsets\":[0,24]}}       "
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

/* As the reference implementation 0.8 writes it: wider dtypes in front, I64 before F64, then by name; JSON's escapes. */
START_TEST(order_and_escapes) {
    static const char header[] =
        "{\"__metadata__\":{\"\\t\":\"\xc3\xbc\\n\\u000b\"},\"b\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,8]},"
        "\"z\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[8,16]},\"c\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[16,24]},"
        "\"\\u0001\\\"\\\\/\x7f\\b\\f\\r\xf0\x9f\x98\x80\":{\"dtype\":\"F32\",\"shape\":[2,0],\"data_offsets\":[24,24]},"
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
    const size_t length = sizeof header - 1, room = (length + 7) / 8 * 8;
    ck_assert_int_eq(n, 8 + room + 25);
    ck_assert_int_eq((unsigned char)bytes[0] + 256 * (unsigned char)bytes[1], room);
    ck_assert_int_eq(memcmp(bytes + 8, header, length), 0);
    for (size_t i = length; i < room; i++) ck_assert_int_eq(bytes[8 + i], ' ');
    ck_assert_int_eq(bytes[n - 1], 1);
    free(bytes);
    round_trip(dict);
}
END_TEST

START_TEST(strides_are_written_as_contiguous) {
    t_TensorDict *dict = t_dict();
    Tensor *x = t_view(t_arange(24, .dtype = t_float64), 2, 3, 4), *w = t_requires_grad_(t_randn(3, 2), true);
    t_dict_set(dict, "transposed", t_transpose(x, 0, 2));
    t_dict_set(dict, "every other", t_at(x, ":, ::2, 1:"));
    t_dict_set(dict, "expanded", t_expand(t_ones(1, 3), 5, 3));
    t_dict_set(dict, "whole", x);
    t_dict_set(dict, "again", x);
    t_dict_set(dict, "wants a gradient", t_transpose(t_mul(w, 2), 0, 1));
    const int64_t records = tg_thread.records_made;
    const t_TensorDict *again = round_trip(dict);
    ck_assert_int_eq(tg_thread.records_made, records);
    ck_assert_ptr_ne(t_data(t_dict_get((t_TensorDict *)again, "whole")), t_data(t_dict_get((t_TensorDict *)again, "again")));
}
END_TEST

START_TEST(roundtrip) {
    t_TensorDict *dict = t_dict();
    char name[20];
    t_manual_seed(3);
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "t.%d", i);
        Tensor *x = t_randn(i % 4, 3, i % 7);
        t_dict_set(dict, name, i % 4 == 0 ? x : i % 4 == 1 ? t_to(x, t_float64) : i % 4 == 2 ? t_gt(x, 0) : t_to(t_mul(x, 100), t_int64));
    }
    t_dict_set(dict, "of no dim", -3);
    t_dict_set(dict, "infinite", t_tensor("[inf, -inf, -0.0, 1e-45]"));
    t_dict_set(dict, "rank 8", t_ones(1, 2, 1, 2, 1, 2, 1, 2));
    round_trip(dict);
}
END_TEST

/* In names and shapes; the reference's has 124 million parameters. */
START_TEST(gpt2_tiny) {
    enum { E = 4, HEADS = 6, CONTEXT = 8 };
    t_TensorDict *dict = t_dict();
    char name[60];
    t_dict_set(dict, "wte", t_randn(57, E));
    t_dict_set(dict, "wpe", t_randn(CONTEXT, E));
    for (int i = 0; i < HEADS; i++) {
        const struct { const char *name; Tensor *x; } parts[] = {
            {"ln_1.weight", t_ones(E)}, {"attn.bias", t_ones(1, 1, CONTEXT, CONTEXT)}, {"attn.c_attn.weight", t_randn(E, 3 * E)},
            {"attn.c_proj.bias", t_zeros(E)}, {"mlp.c_fc.weight", t_randn(E, 4 * E)}, {"mlp.c_proj.weight", t_randn(4 * E, E)},
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
    expect_refusal((safetensors_save)(dict, NULL) == NULL, "argument 2 is NULL where the size goes");
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
    expect_refusal(!(safetensors_save_file)(dict, path), "byte 1 of 'a\xc3(' is no UTF-8 (0xc3)");
    t_dict_delete(dict, "a\xc3(");
    t_dict_set(dict, "text", "\x80");
    expect_refusal(!(safetensors_save_file)(dict, path), "byte 0 of '\x80' is no UTF-8 (0x80)");
    t_dict_delete(dict, "text");
    t_dict_set(dict, "__metadata__", t_ones(1));
    expect_refusal(!(safetensors_save_file)(dict, path), "a tensor of the name '__metadata__' would be taken for the metadata");
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
    expect_refusal((safetensors_save)(dict, &n) == NULL, "the names and texts take 100000048 bytes, and a header has at most 100000000");
}
END_TEST

/* ---- reading ---- */

#define TEST_2X2 "{\"test\":{\"dtype\":\"I32\",\"shape\":[2,2],\"data_offsets\":[0,16]}}"

START_TEST(deserialization) {
    const t_TensorDict *dict = load_of(TEST_2X2, 16);
    ck_assert_int_eq(dict->len, 1);
    ck_assert_str_eq(dict->items[0].name, "test");
    expect_printed(dict->items[0].tensor, "tensor([[ 67305985, 134678021],\n        [202050057, 269422093]])");
}
END_TEST

START_TEST(lifetimes) {
    Tensor *x = NULL;
    with_scope() { x = t_keep(t_mul(t_dict_get(load_of(TEST_2X2, 16), "test"), 0)); }
    expect_printed(x, "tensor([[0, 0],\n        [0, 0]])");
}
END_TEST

START_TEST(empty_shapes_allowed) {
    const t_TensorDict *dict = load_of("{\"test\":{\"dtype\":\"I32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4);
    ck_assert_int_eq(t_dim(dict->items[0].tensor), 0);
    ck_assert_int_eq(t_item_int64(dict->items[0].tensor), 67305985);
}
END_TEST

START_TEST(zero_sized_tensor) {
    const t_TensorDict *dict = load_of("{\"test\":{\"dtype\":\"I32\",\"shape\":[2,0],\"data_offsets\":[0, 0]}}", 0);
    ck_assert_str_eq(t_size_repr(dict->items[0].tensor), "torch.Size([2, 0])");
    ck_assert_int_eq(load_of("{\"a\":{\"dtype\":\"F32\",\"shape\":[0,4611686018427387904,9],\"data_offsets\":[0,0]}}", 0)->len, 1);
    ck_assert_int_eq(load_of("{\"a\":{\"dtype\":\"F32\",\"shape\":[1152921504606846976,0],\"data_offsets\":[0,0]}}", 0)->len, 1);
}
END_TEST

START_TEST(whitespace_padded_header) {
    ck_assert_int_eq(load_of("{}\r \t\n", 0)->len, 0);
}
END_TEST

START_TEST(whitespace_leading_padded_header) {
    ck_assert_int_eq(load_of("\t\n{}\r ", 0)->len, 0);
}
END_TEST

/* A header without spaces, and one with all that JSON allows, keys that nobody knows among them. */
START_TEST(json_is_read_in_full) {
    const t_TensorDict *dict = load_of(
        " { \"\\u0061\\u00e9\\u20ac\\ud83d\\ude00\\\"\\\\\\/\\b\\f\\n\\r\\t\" : { \"more\" : [ 1 , -0.5e+3 , 1E-2, true , false , null , { } , [ ] , \"]}\" , "
        "{ \"x\" : { \"y\" : [ [ ] ] } } ] , \"data_offsets\" : [ 0 , 4 ] , \"shape\" : [ 1 ] , \"dtype\" : \"F32\" } , \"__metadata__\" : "
        "{ \"k\" : \"v\" , \"\" : \"\" } , \"\" : { \"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[4,4] } } ", 4);
    ck_assert_msg(dict != NULL, "%s", t_error());
    ck_assert_int_eq(dict->len, 4);
    ck_assert_str_eq(dict->items[0].name, "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"\\/\b\f\n\r\t");
    ck_assert_str_eq(dict->items[1].name, "");
    ck_assert_str_eq(dict->items[2].text, "v");
    ck_assert_str_eq(dict->items[3].name, "__metadata__.");
}
END_TEST

START_TEST(metadata_may_be_null) {
    ck_assert_int_eq(load_of("{\"__metadata__\":null}", 0)->len, 0);
    ck_assert_int_eq(load_of("{\"__metadata__\":{}}", 0)->len, 0);
}
END_TEST

/* In whatever order the header names them. */
START_TEST(indexing) {
    const t_TensorDict *dict = load_of("{\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]},\"c\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[4,4]},"
                                       "\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},\"__metadata__\":{\"t\":\"x\"}}", 4);
    ck_assert_int_eq(dict->len, 4);
    ck_assert_str_eq(dict->items[0].name, "a");
    ck_assert_str_eq(dict->items[1].name, "b");
    ck_assert_str_eq(dict->items[2].name, "c");
    ck_assert_str_eq(dict->items[3].text, "x");
    expect_printed(dict->items[1].tensor, "tensor([3, 4])");
}
END_TEST

START_TEST(slicing) {
    const t_TensorDict *dict = load_of("{\"x\":{\"dtype\":\"U8\",\"shape\":[1,2,3],\"data_offsets\":[0,6]}}", 6);
    expect_printed(t_at(dict->items[0].tensor, ":, :1"), "tensor([[[1, 2, 3]]])");
    expect_printed(t_at(dict->items[0].tensor, ":, :, :1"), "tensor([[[1],\n         [4]]])");
}
END_TEST

START_TEST(trailing_bytes_may_be_allowed) {
    size_t all;
    uint8_t *bytes = file_of(TEST_2X2, 20, &all);
    expect_refusal((safetensors_load)(bytes, all, NULL) == NULL,
                   "data: 4 bytes from byte 84 on belong to no tensor (allow_trailing_bytes passes over them)");
    ck_assert_int_eq(safetensors_load(bytes, all, .allow_trailing_bytes = true)->len, 1);
    ck_assert_int_eq(safetensors_load(bytes, all - 4)->len, 1);
    FILE *file = fopen(path, "wb");
    fwrite(bytes, 1, all, file);
    fclose(file);
    ck_assert_int_eq(safetensors_load_file(path, .allow_trailing_bytes = true)->len, 1);
    ck_assert_ptr_null((safetensors_load_file)(path, NULL));
    ck_assert(strncmp(t_error_message(), path, strlen(path)) == 0);
    t_clear_error();
    free(bytes);
}
END_TEST

START_TEST(a_text_may_have_a_tensors_name) {
    static const char header[] = "{\"__metadata__\":{\"a\":\"text\",\"b\":\"other\"},\"a\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,8]}}";
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
    t_dict_delete(dict, "a"); /* now there is nothing that it could be taken for */
    round_trip(dict);
}
END_TEST

START_TEST(a_hundred_thousand_names) {
    enum { MANY = 100000, ROOM = 80 };
    char *header = malloc((size_t)MANY * ROOM);
    ck_assert_ptr_nonnull(header);
    size_t at = 0;
    for (int i = 0; i < MANY; i++)
        at += (size_t)sprintf(header + at, "%c\"layers.%d\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[%d,%d]}", i ? ',' : '{', i, i, i + 1);
    strcpy(header + at, "}");
    const t_TensorDict *dict = load_of(header, MANY);
    free(header);
    ck_assert_int_eq(dict->len, MANY);
    ck_assert_str_eq(dict->items[MANY - 1].name, "layers.99999");
    ck_assert_int_eq(t_item_int64(dict->items[300].tensor), 301 % 256);
}
END_TEST

/* ---- out of memory ---- */

START_TEST(without_memory_nothing_is_read_or_written) {
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, "w", t_transpose(t_randn(3, 4), 0, 1));
    t_dict_set(dict, "text", "x");
    safetensors_save_file(dict, path);
    for (int what = 0; what < 2; what++)
        for (int64_t n = 1;; n++) {
            bool done = false;
            with_scope() {
                tg_alloc_fail(n, false);
                done = what ? (safetensors_load_file)(path, NULL) != NULL : (safetensors_save_file)(dict, path);
                tg_alloc_fail(0, false);
                ck_assert(done == !t_error());
                t_clear_error();
                ck_assert_int_eq(safetensors_load_file(path)->len, 2);
            }
            if (done) break;
            ck_assert_int_lt(n, 100);
        }
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
    tcase_add_test(tests, strides_are_written_as_contiguous);
    tcase_add_test(tests, roundtrip);
    tcase_add_test(tests, gpt2_tiny);
    tcase_add_test(tests, serialize_to_file_same_path);
    tcase_add_test(tests, save_and_load_are_torchs);
    tcase_add_test(tests, what_no_file_can_hold_is_not_written);
    tcase_add_test(tests, invalid_header_size_serialization);
    tcase_add_test(tests, deserialization);
    tcase_add_test(tests, lifetimes);
    tcase_add_test(tests, empty_shapes_allowed);
    tcase_add_test(tests, zero_sized_tensor);
    tcase_add_test(tests, whitespace_padded_header);
    tcase_add_test(tests, whitespace_leading_padded_header);
    tcase_add_test(tests, json_is_read_in_full);
    tcase_add_test(tests, metadata_may_be_null);
    tcase_add_test(tests, indexing);
    tcase_add_test(tests, slicing);
    tcase_add_test(tests, trailing_bytes_may_be_allowed);
    tcase_add_test(tests, a_text_may_have_a_tensors_name);
    tcase_add_test(tests, a_hundred_thousand_names);
    tcase_add_test(tests, without_memory_nothing_is_read_or_written);
    suite_add_tcase(suite, tests);
    return suite;
}
