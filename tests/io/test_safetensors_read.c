/* tests/io/test_safetensors_read.c: reading safetensors files. */
#include "tests/support/files/safetensors_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "tests/support/files/file_support.h"

START_TEST(deserialization) {
    const t_TensorDict *dict = load_of(TEST_2X2, 16);
    ck_assert_int_eq(dict->len, 1);
    ck_assert_str_eq(dict->items[0].name, "test");
    expect_printed(dict->items[0].tensor,
                   "tensor([[ 67305985, 134678021],\n        [202050057, 269422093]], dtype=torch.int32)");
}
END_TEST

START_TEST(lifetimes) {
    Tensor *x = NULL;
    with_scope() { x = t_keep(t_mul(t_dict_get(load_of(TEST_2X2, 16), "test"), 0)); }
    expect_printed(x, "tensor([[0, 0],\n        [0, 0]], dtype=torch.int32)");
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
    ck_assert_int_eq(
        load_of("{\"a\":{\"dtype\":\"F32\",\"shape\":[0,4611686018427387904,9],\"data_offsets\":[0,0]}}", 0)->len, 1);
    ck_assert_int_eq(
        load_of("{\"a\":{\"dtype\":\"F32\",\"shape\":[1152921504606846976,0],\"data_offsets\":[0,0]}}", 0)->len, 1);
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

/* A header without spaces, and one with all that JSON allows, unknown keys among them. */
START_TEST(json_is_read_in_full) {
    const t_TensorDict *dict =
        load_of(" { \"\\u0061\\u00e9\\u20ac\\ud83d\\ude00\\\"\\\\\\/\\b\\f\\n\\r\\t\" : { \"more\" : [ 1 , -0.5e+3 , "
                "1E-2, true , false , null , { } , [ ] , \"]}\" , "
                "{ \"x\" : { \"y\" : [ [ ] ] } } ] , \"data_offsets\" : [ 0 , 4 ] , \"shape\" : [ 1 ] , \"dtype\" : "
                "\"F32\" } , \"__metadata__\" : "
                "{ \"k\" : \"v\" , \"\" : \"\" } , \"\" : { \"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[4,4] } } ",
                4);
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
    const t_TensorDict *dict =
        load_of("{\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]},\"c\":{\"dtype\":\"U8\",\"shape\":[0],"
                "\"data_offsets\":[4,4]},"
                "\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},\"__metadata__\":{\"t\":\"x\"}}",
                4);
    ck_assert_int_eq(dict->len, 4);
    ck_assert_str_eq(dict->items[0].name, "a");
    ck_assert_str_eq(dict->items[1].name, "b");
    ck_assert_str_eq(dict->items[2].name, "c");
    ck_assert_str_eq(dict->items[3].text, "x");
    expect_printed(dict->items[1].tensor, "tensor([3, 4], dtype=torch.uint8)");
}
END_TEST

START_TEST(slicing) {
    const t_TensorDict *dict = load_of("{\"x\":{\"dtype\":\"U8\",\"shape\":[1,2,3],\"data_offsets\":[0,6]}}", 6);
    expect_printed(t_at(dict->items[0].tensor, ":, :1"), "tensor([[[1, 2, 3]]], dtype=torch.uint8)");
    expect_printed(t_at(dict->items[0].tensor, ":, :, :1"), "tensor([[[1],\n         [4]]], dtype=torch.uint8)");
}
END_TEST

START_TEST(trailing_bytes_may_be_allowed) {
    size_t all;
    char path[200];
    uint8_t *bytes = file_of(TEST_2X2, 20, &all);
    in_folder(path, "trailing.safetensors");
    expect_refusal((safetensors_load)(bytes, all, NULL) == NULL,
                   "data: 4 bytes from byte 84 on belong to no tensor (allow_trailing_bytes ignores them)");
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

START_TEST(a_hundred_thousand_names) {
    enum { MANY = 100000, ENTRY_BYTES = 80 };
    char *header = malloc((size_t)MANY * ENTRY_BYTES);
    ck_assert_ptr_nonnull(header);
    size_t at = 0;
    for (int i = 0; i < MANY; i++)
        at += (size_t)sprintf(header + at, "%c\"layers.%d\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[%d,%d]}",
                              i ? ',' : '{', i, i, i + 1);
    strcpy(header + at, "}");
    const t_TensorDict *dict = load_of(header, MANY);
    free(header);
    ck_assert_int_eq(dict->len, MANY);
    ck_assert_str_eq(dict->items[MANY - 1].name, "layers.99999");
    ck_assert_int_eq(t_item_int64(dict->items[300].tensor), 301 % 256);
}
END_TEST

Suite *safetensors_read_suite(void);
Suite *safetensors_read_suite(void) {
    Suite *suite = suite_create("safetensors_read");
    TCase *tests = tcase_create("safetensors_read");
    tcase_add_checked_fixture(tests, folder_setup, folder_teardown);
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
    tcase_add_test(tests, a_hundred_thousand_names);
    suite_add_tcase(suite, tests);
    return suite;
}
