/* tests/ops/test_tensor_literal.c: t_tensor_from_text. Values and PyTorch's sentences were recorded with PyTorch 2.15;
 * the sentences with a caret are this library's own. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/autograd/autograd.h"
#include "core/ops/ops.h"
#include "core/tensor/error.h"
#include "tests/support/support.h"

/* ---- tensors from text ---- */

static const struct {
    const char *text;
    t_DType dtype; /* 0: inferred */
    const char *printed;
} texts[] = {
    {"[[1, 2], [3, 4]]", 0, "tensor([[1, 2],\n        [3, 4]])"},
    {"[[1, 2],\n [3, 4],\n]", 0, "tensor([[1, 2],\n        [3, 4]])"},
    {" [ 1 , 2 ]\t", 0, "tensor([1, 2])"},
    {"[True, 2]", 0, "tensor([1, 2])"},
    {"[True, False]", 0, "tensor([ True, False])"},
    {"[1, True, 2.5]", 0, "tensor([1.0000, 1.0000, 2.5000])"},
    {"[.5, 5., -1e2, 1E+2, +3]", 0, "tensor([   0.5000,    5.0000, -100.0000,  100.0000,    3.0000])"},
    {"[nan, inf, -inf]", 0, "tensor([nan, inf, -inf])"},
    {"[9007199254740993, -9223372036854775808, 9223372036854775807]", 0,
     "tensor([    9007199254740993, -9223372036854775808,  9223372036854775807])"},
    {"[18446744073709551616, 0.5]", 0, "tensor([1.8447e+19, 5.0000e-01])"},
    {"[-0, -0.0]", 0, "tensor([0., -0.])"},
    {"[3.9, -3.9]", t_int64, "tensor([ 3, -3])"},
    {"[0.5, 0.0, nan]", t_bool, "tensor([ True, False,  True])"},
    {"[9223372036854775808]", t_bool, "tensor([True])"},
    {"[1, True]", t_float64, "tensor([1., 1.], dtype=torch.float64)"},
    {"-7", 0, "tensor(-7)"},
    {"[[], 1]", 0, "tensor([], size=(2, 0))"},
    {"[[[[[[[[5]]]]]]]]", 0, "tensor([[[[[[[[5]]]]]]]])"},
};

START_TEST(reads_texts) {
    expect_printed(from_text(texts[_i].text, texts[_i].dtype, false), texts[_i].printed);
}
END_TEST

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"

static const struct {
    const char *text;
    t_DType dtype;
    const char *message;
} bad_values[] = {
    {"[[1, 2], [3]]", 0, "expected sequence of length 2 at dim 1 (got 1)"},
    {"[[1, 2], [3, 4, 5]]", 0, "expected sequence of length 2 at dim 1 (got 3)"},
    {"[[[1, 2], [3, 4]], [[1, 2]]]", 0, "expected sequence of length 2 at dim 1 (got 1)"},
    {"[[1, 2], 3]", 0, "not a sequence"},
    {"[1, [2]]", 0, "'list' object cannot be interpreted as an integer"},
    {"[1.5, [2]]", 0, "must be real number, not list"},
    {"[1, []]", 0, "must be real number, not list"},
    {"[9223372036854775808]", 0, "Overflow when unpacking long long"},
    {"[1e30]", t_int64, "value cannot be converted to type int64 without overflow"},
    {"[nan]", t_int64, "value cannot be converted to type int64 without overflow"},
    {"[1" ZEROS ZEROS ZEROS ZEROS "]", t_float32, "int too large to convert to float"},
};

START_TEST(refuses_values) {
    int64_t live = t_live_count();
    expect_refusal(!from_text(bad_values[_i].text, bad_values[_i].dtype, false), bad_values[_i].message);
    ck_assert_int_eq(t_live_count(), live);
}
END_TEST

#define NUMBER_EXPECTED "expected a number, True, False or '['\n"
#define COMMA_EXPECTED "expected ',' or ']'\n"
#define NOTHING_EXPECTED "unexpected text after the tensor\n"

static const struct {
    const char *text, *message;
} mistakes[] = {
    {"", NUMBER_EXPECTED "\n^"},
    {"  ", NUMBER_EXPECTED "  \n^"},
    {"[1, 2", COMMA_EXPECTED "[1, 2\n     ^"},
    {"[[1, 2],\n [3, 4]\n", COMMA_EXPECTED " [3, 4]\n       ^"},
    {"[1 2]", COMMA_EXPECTED "[1 2]\n   ^"},
    {"[1,, 2]", NUMBER_EXPECTED "[1,, 2]\n   ^"},
    {"[[1, 2],\n [3, x]]", NUMBER_EXPECTED " [3, x]]\n     ^"},
    {"[true]", NUMBER_EXPECTED "[true]\n ^"},
    {"[--1]", NUMBER_EXPECTED "[--1]\n ^"},
    {"[1.2.3]", COMMA_EXPECTED "[1.2.3]\n    ^"},
    {"[1e, 2]", COMMA_EXPECTED "[1e, 2]\n  ^"},
    {"[0x10]", COMMA_EXPECTED "[0x10]\n  ^"},
    {"[\t1,\t#]", NUMBER_EXPECTED "[ 1, #]\n     ^"},
    {"[1, 2]]", NOTHING_EXPECTED "[1, 2]]\n      ^"},
    {"1 2", NOTHING_EXPECTED "1 2\n  ^"},
    {"[[[[[[[[[1]]]]]]]]]", "a tensor has at most 8 dims\n[[[[[[[[[1]]]]]]]]]\n        ^"},
};

START_TEST(shows_mistakes_in_texts) {
    expect_refusal(!from_text(mistakes[_i].text, 0, false), mistakes[_i].message);
}
END_TEST

START_TEST(survives_hostile_texts) {
    enum { LENGTH = 1000000 };
    char *text = malloc(LENGTH + 1);
    memset(text, '[', LENGTH);
    text[LENGTH] = '\0';
    ck_assert_ptr_null(from_text(text, 0, false));
    ck_assert_uint_lt(strlen(t_error_message()), 200);
    memset(text, '7', LENGTH);
    expect_refusal(!from_text(text, 0, false), "Overflow when unpacking long long");
    expect_refusal(!from_text(NULL, 0, false), "argument 1 is NULL where the text of a tensor is expected");
    free(text);
}
END_TEST

START_TEST(texts_take_requires_grad) {
    Tensor *x = from_text("[1.0, 2.0]", 0, true);
    ck_assert(t_requires_grad(x) && t_is_leaf(x));
    expect_refusal(!from_text("[1, 2]", 0, true), "Only Tensors of floating point dtype can require gradients");
}
END_TEST

#define ROWS(table) (int)(sizeof table / sizeof table[0])

Suite *tensor_literal_suite(void);
Suite *tensor_literal_suite(void) {
    Suite *suite = suite_create("tensor_literal");
    TCase *tests = tcase_create("text");
    tcase_add_loop_test(tests, reads_texts, 0, ROWS(texts));
    tcase_add_loop_test(tests, refuses_values, 0, ROWS(bad_values));
    tcase_add_loop_test(tests, shows_mistakes_in_texts, 0, ROWS(mistakes));
    tcase_add_test(tests, survives_hostile_texts);
    tcase_add_test(tests, texts_take_requires_grad);
    suite_add_tcase(suite, tests);
    return suite;
}
