/* tests/io/test_convert.c: conversion of each dtype that a file may hold, in both byte orders, checked against its
 * definition. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/io/convert.h"
#include "core/tensor/tensor.h"
#include "tests/support/support.h"

/* ---- the floats by their definitions: (-1)^sign * 2^(exponent - bias) * 1.mantissa ---- */

typedef struct Format {
    tg_Kind kind;
    int exponent, mantissa, bias;
    enum { IEEE, NAN_AT_THE_TOP, NAN_AT_MINUS_0 } style;
} Format;

static const Format formats[] = {
    {tg_kind_f16, 5, 10, 15, IEEE},
    {tg_kind_bf16, 8, 7, 127, IEEE},
    {tg_kind_f8_e5m2, 5, 2, 15, IEEE},
    {tg_kind_f8_e4m3, 4, 3, 7, NAN_AT_THE_TOP},
    {tg_kind_f8_e4m3fnuz, 4, 3, 8, NAN_AT_MINUS_0},
    {tg_kind_f8_e5m2fnuz, 5, 2, 16, NAN_AT_MINUS_0},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static double value_of(unsigned bits, Format f) {
    const unsigned top = 1u << (f.exponent + f.mantissa), magnitude = bits & (top - 1);
    const int e = (int)(magnitude >> f.mantissa), m = (int)(magnitude & ((1u << f.mantissa) - 1));
    const double sign = bits & top ? -1 : 1;
    if (f.style == IEEE && e == (1 << f.exponent) - 1) return m ? (double)NAN : sign * (double)INFINITY;
    if ((f.style == NAN_AT_THE_TOP && magnitude == top - 1) || (f.style == NAN_AT_MINUS_0 && bits == top))
        return (double)NAN;
    return sign * ldexp(e ? m + (1 << f.mantissa) : m, (e ? e : 1) - f.bias - f.mantissa);
}

static Tensor *read_bytes(const void *bytes, int64_t count, tg_Kind kind, bool big_endian) {
    tg_Input in;
    ck_assert(tg_input_memory(&in, bytes, (size_t)count * tg_kinds[kind].bits / 8, "bytes"));
    Tensor *x = tg_empty(&count, 1, (t_DType)tg_kinds[kind].dtype);
    return x && tg_read_elements(&in, 0, kind, big_endian, x, "x") ? x : NULL;
}

/* All bit patterns of 8 or 16 bits. */
START_TEST(small_floats) {
    const Format f = formats[_i];
    const int size = tg_kinds[f.kind].bits / 8, count = size == 1 ? 256 : 65536;
    uint8_t *bytes = malloc((size_t)count * (size_t)size);
    for (int big = 0; big < 2; big++) {
        for (int i = 0; i < count; i++)
            for (int b = 0; b < size; b++) bytes[i * size + b] = (uint8_t)(i >> 8 * (big ? size - 1 - b : b));
        const float *got = t_data_ptr(t_to(read_bytes(bytes, count, f.kind, big), t_float32));
        for (int i = 0; i < count; i++) {
            const double want = value_of((unsigned)i, f);
            ck_assert_msg(isnan(want) ? isnan(got[i]) : got[i] == (float)want && !signbit(got[i]) == !signbit(want),
                          "%s 0x%x: %g, not %g", tg_kinds[f.kind].name, (unsigned)i, (double)got[i], want);
        }
    }
    free(bytes);
}
END_TEST

START_TEST(powers_of_two) { /* F8_E8M0 */
    uint8_t bytes[256];
    for (int i = 0; i < 256; i++) bytes[i] = (uint8_t)i;
    const float *got = t_data_ptr(read_bytes(bytes, 256, tg_kind_f8_e8m0, false));
    for (int i = 0; i < 255; i++) ck_assert(got[i] == ldexpf(1, i - 127));
    ck_assert(isnan(got[255]));
}
END_TEST

START_TEST(integers) {
    static const uint8_t bytes[] = {0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80,
                                    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
    static const struct { tg_Kind kind; bool big_endian; const char *text;
    } cases[] = {
        {tg_kind_bool, false,
         "tensor([ True, False, False, False, False, False, False,  True,  True,  True,\n         True,  True,  True,  "
         "True,  True,  True])"},
        {tg_kind_u8, false,
         "tensor([  1,   0,   0,   0,   0,   0,   0, 128, 255, 255, 255, 255, 255, 255,\n        255, 127], "
         "dtype=torch.uint8)"},
        {tg_kind_i8, false,
         "tensor([   1,    0,    0,    0,    0,    0,    0, -128,   -1,   -1,   -1,   -1,\n          -1,   -1,   -1,  "
         "127], dtype=torch.int8)"},
        {tg_kind_i16, false,
         "tensor([     1,      0,      0, -32768,     -1,     -1,     -1,  32767],\n       "
         "dtype=torch.int16)"},
        {tg_kind_u16, false, "tensor([    1,     0,     0, 32768, 65535, 65535, 65535, 32767])"},
        {tg_kind_i16, true, "tensor([256,   0,   0, 128,  -1,  -1,  -1, -129], dtype=torch.int16)"},
        {tg_kind_i32, false, "tensor([          1, -2147483648,          -1,  2147483647], dtype=torch.int32)"},
        {tg_kind_u32, false, "tensor([         1, 2147483648, 4294967295, 2147483647])"},
        {tg_kind_i32, true, "tensor([16777216,      128,       -1,     -129], dtype=torch.int32)"},
        {tg_kind_u32, true, "tensor([  16777216,        128, 4294967295, 4294967167])"},
        {tg_kind_i64, false, "tensor([-9223372036854775807,  9223372036854775807])"},
        {tg_kind_i64, true, "tensor([72057594037928064,              -129])"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (cases[i].kind != tg_kind_i16 || !cases[i].big_endian)
            expect_printed(read_bytes(bytes, (int64_t)sizeof bytes * 8 / tg_kinds[cases[i].kind].bits, cases[i].kind,
                                      cases[i].big_endian),
                           cases[i].text);
    ck_assert_int_eq(t_item_int64(t_at(read_bytes(bytes, 8, tg_kind_i16, true), "7")), -129);
}
END_TEST

START_TEST(wide_floats_of_both_orders) {
    static const uint8_t bytes[] = {0x3f, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x20, 0xc0};
    expect_printed(read_bytes(bytes, 1, tg_kind_f32, true), "tensor([1.5000])");
    expect_printed(t_at(read_bytes(bytes, 2, tg_kind_f32, false), "1:"), "tensor([-2.5000])");
    ck_assert_double_eq(t_item(read_bytes((const uint8_t[]){0x3f, 0xf8, 0, 0, 0, 0, 0, 0}, 1, tg_kind_f64, true)), 1.5);
    ck_assert_double_eq(t_item(read_bytes((const uint8_t[]){0, 0, 0, 0, 0, 0, 0x04, 0xc0}, 1, tg_kind_f64, false)),
                        -2.5);
}
END_TEST

START_TEST(a_u64_that_no_int64_holds_is_refused) {
    uint8_t bytes[8 * 3000] = {0};
    ck_assert_ptr_nonnull(read_bytes(bytes, 3000, tg_kind_u64, false));
    memset(bytes + 8 * 2500, 0xff, 8);
    ck_assert_ptr_null(read_bytes(bytes, 3000, tg_kind_u64, false));
    expect_error("element 2500 of 'x' in bytes is 18446744073709551615, but the largest int64 is 9223372036854775807");
    memset(bytes + 8 * 2500, 0, 8);
    bytes[7] = 0x80;
    expect_refusal(read_bytes(bytes, 1, tg_kind_u64, false) == NULL,
                   "element 0 of 'x' in bytes is 9223372036854775808, but the largest int64 is 9223372036854775807");
    ck_assert_int_eq(t_item_int64(read_bytes(bytes, 1, tg_kind_u64, true)), 128);
}
END_TEST

START_TEST(elements_that_are_not_there_are_refused) {
    tg_Input in;
    ck_assert(tg_input_memory(&in, "12345678", 8, "bytes"));
    expect_refusal(!tg_read_elements(&in, 0, tg_kind_f32, false, t_empty(3), "x"),
                   "bytes ends at byte 8, but bytes 0 to 12 are needed");
    expect_refusal(!tg_read_elements(&in, 4, tg_kind_u8, false, t_empty(5, .dtype = t_int64), "x"),
                   "bytes ends at byte 8, but bytes 4 to 9 are needed");
    ck_assert(tg_read_elements(&in, 8, tg_kind_f16, false, t_empty(0), "x"));
}
END_TEST

START_TEST(sizes_that_overflow_are_seen) {
    uint64_t count, bytes;
    ck_assert(tg_count_elements((const uint64_t[]){3, 0, UINT64_MAX}, 3, &count) && count == 0);
    ck_assert(!tg_count_elements((const uint64_t[]){UINT64_MAX, 2}, 2, &count));
    ck_assert(tg_count_elements(NULL, 0, &count) && count == 1);
    ck_assert(tg_count_bytes(3, tg_kind_f64, &bytes) && bytes == 24);
    ck_assert(!tg_count_bytes(UINT64_MAX / 64 + 1, tg_kind_f64, &bytes));
    ck_assert(tg_count_bytes(4, tg_kind_f6_e3m2, &bytes) && bytes == 3 && !tg_count_bytes(3, tg_kind_f4, &bytes));
}
END_TEST

Suite *convert_suite(void);
Suite *convert_suite(void) {
    Suite *suite = suite_create("convert");
    TCase *tests = tcase_create("convert");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, small_floats, 0, FORMATS);
    tcase_add_test(tests, powers_of_two);
    tcase_add_test(tests, integers);
    tcase_add_test(tests, wide_floats_of_both_orders);
    tcase_add_test(tests, a_u64_that_no_int64_holds_is_refused);
    tcase_add_test(tests, elements_that_are_not_there_are_refused);
    tcase_add_test(tests, sizes_that_overflow_are_seen);
    suite_add_tcase(suite, tests);
    return suite;
}
