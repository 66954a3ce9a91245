/* tests/tensor/test_print.c: t_repr, t_print and t_size_repr against the strings that PyTorch 2.15 prints. */
#define _POSIX_C_SOURCE 200809L /* dup2 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/autograd/autograd.h"
#include "core/ops/ops.h"
#include "core/tensor/error.h"
#include "nn/module/module.h"
#include "tests/support/output.h"

static t_TensorOptions options_of(t_DType dtype, bool requires_grad) {
    return (t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = dtype, .requires_grad = requires_grad};
}

static Tensor *from(const char *text, t_DType dtype, bool requires_grad) {
    t_TensorOptions options = options_of(dtype, requires_grad);
    Tensor *x = (t_tensor_from_text)(text, &options);
    ck_assert_msg(x != NULL, "%s: %s", text, t_error());
    return x;
}

static Tensor *filled(int64_t count, double value, t_DType dtype, bool requires_grad) {
    t_TensorOptions options = options_of(dtype, requires_grad);
    return (t_full)(&count, 1, value, &options);
}

static Tensor *integers(int64_t count) {
    return (t_arange_int64)(0, count, 1, NULL);
}

static Tensor *doubled(Tensor *x) {
    return (t_mul)(x, (t_number)(2));
}

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static void expect(Tensor *x, const char *text) {
    char *repr = (t_repr)(x);
    ck_assert_str_eq(repr, text);
    free(repr);
}

/* ---- values ---- */

static const struct {
    const char *text;
    t_DType dtype; /* 0: inferred */
    const char *printed;
} values[] = {
    /* one element */
    {"3.5", 0, "tensor(3.5000)"},
    {"3", 0, "tensor(3)"},
    {"True", 0, "tensor(True)"},
    {"2.0", 0, "tensor(2.)"},
    {"-0.0", 0, "tensor(-0.)"},
    {"nan", 0, "tensor(nan)"},
    {"-inf", 0, "tensor(-inf)"},
    {"1e-5", 0, "tensor(1.0000e-05)"},
    {"123456789.0", 0, "tensor(1.2346e+08)"},
    {"2.5", t_float64, "tensor(2.5000, dtype=torch.float64)"},
    /* integers and bools */
    {"[1, -2, 300]", 0, "tensor([  1,  -2, 300])"},
    {"[True, False]", 0, "tensor([ True, False])"},
    {"[[True, True], [False, True]]", 0,
     "tensor([[ True,  True],\n"
     "        [False,  True]])"},
    {"[9223372036854775807, -9223372036854775808]", 0, "tensor([ 9223372036854775807, -9223372036854775808])"},
    {"[[1, 20], [-3, 4]]", 0,
     "tensor([[ 1, 20],\n"
     "        [-3,  4]])"},
    /* floats that are integers */
    {"[1, 2, 3]", t_float32, "tensor([1., 2., 3.])"},
    {"[-1.0, 0.0, -0.0]", 0, "tensor([-1.,  0., -0.])"},
    {"[0.0, 0.0]", 0, "tensor([0., 0.])"},
    {"[1.0, nan, inf, -inf]", 0, "tensor([1., nan, inf, -inf])"},
    {"[nan, -nan, inf]", 0, "tensor([nan, nan, inf])"},
    {"[100000000.0, 1e6]", 0, "tensor([100000000.,   1000000.])"},
    /* four decimals */
    {"[0.5, 1.25, -3.0]", 0, "tensor([ 0.5000,  1.2500, -3.0000])"},
    {"[0.1, 0.2, 0.3]", t_float64, "tensor([0.1000, 0.2000, 0.3000], dtype=torch.float64)"},
    {"[0.00015, 0.00025]", 0, "tensor([0.0002, 0.0003])"},
    {"[999.5, 1.5, 0.0]", 0, "tensor([999.5000,   1.5000,   0.0000])"},
    {"[0.5, nan, -inf]", 0, "tensor([0.5000,    nan,   -inf])"},
    {"[16777217.5, 33554432.5]", t_float64, "tensor([16777217.5000, 33554432.5000], dtype=torch.float64)"},
    /* scientific: a ratio above 1000, a number above 1e8 or below 1e-4 */
    {"[1000.5, 1.0]", 0, "tensor([1.0005e+03, 1.0000e+00])"},
    {"[1001.0, 1.0]", 0, "tensor([1.0010e+03, 1.0000e+00])"},
    {"[1e9, 2e9]", 0, "tensor([1.0000e+09, 2.0000e+09])"},
    {"[0.00009, 0.00008]", 0, "tensor([9.0000e-05, 8.0000e-05])"},
    {"[1e-40, 1.0, nan, 0.0, -inf]", 0, "tensor([9.9999e-41, 1.0000e+00,        nan, 0.0000e+00,       -inf])"},
    {"[1e308, -1e-308]", t_float64, "tensor([ 1.0000e+308, -1.0000e-308], dtype=torch.float64)"},
    /* no elements */
    {"[]", 0, "tensor([])"},
    {"[]", t_int64, "tensor([], dtype=torch.int64)"},
    {"[]", t_bool, "tensor([], dtype=torch.bool)"},
    {"[]", t_float64, "tensor([], dtype=torch.float64)"},
    {"[[], []]", 0, "tensor([], size=(2, 0))"},
    {"[[[]]]", t_int64, "tensor([], size=(1, 1, 0), dtype=torch.int64)"},
    /* ranks */
    {"[[1, 2], [3, 4]]", 0,
     "tensor([[1, 2],\n"
     "        [3, 4]])"},
    {"[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]", 0,
     "tensor([[[1, 2],\n"
     "         [3, 4]],\n"
     "\n"
     "        [[5, 6],\n"
     "         [7, 8]]])"},
    {"[[[[0.5]], [[1.5]]]]", 0,
     "tensor([[[[0.5000]],\n"
     "\n"
     "         [[1.5000]]]])"},
    {"[[[[[1], [2]]]], [[[[3], [4]]]]]", 0,
     "tensor([[[[[1],\n"
     "           [2]]]],\n"
     "\n"
     "\n"
     "\n"
     "        [[[[3],\n"
     "           [4]]]]])"},
    {"[[[[[[[[1.0, 2.0]]]]]]]]", t_float64, "tensor([[[[[[[[1., 2.]]]]]]]], dtype=torch.float64)"},
};

START_TEST(prints_values) {
    expect(from(values[_i].text, values[_i].dtype, false), values[_i].printed);
}
END_TEST

/* ---- long lines, and more than 1000 elements ---- */

START_TEST(breaks_lines) {
    expect(integers(27),
        "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,\n"
        "        18, 19, 20, 21, 22, 23, 24, 25, 26])");
    expect((t_div)(integers(14), (t_number)(8)),
        "tensor([0.0000, 0.1250, 0.2500, 0.3750, 0.5000, 0.6250, 0.7500, 0.8750, 1.0000,\n"
        "        1.1250, 1.2500, 1.3750, 1.5000, 1.6250])");
}
END_TEST

START_TEST(leaves_out_the_middle) {
    expect(integers(1001), "tensor([   0,    1,    2,  ...,  998,  999, 1000])");
    expect((t_view)(integers(1400), SHAPE(200, 7)),
        "tensor([[   0,    1,    2,  ...,    4,    5,    6],\n"
        "        [   7,    8,    9,  ...,   11,   12,   13],\n"
        "        [  14,   15,   16,  ...,   18,   19,   20],\n"
        "        ...,\n"
        "        [1379, 1380, 1381,  ..., 1383, 1384, 1385],\n"
        "        [1386, 1387, 1388,  ..., 1390, 1391, 1392],\n"
        "        [1393, 1394, 1395,  ..., 1397, 1398, 1399]])");
    expect((t_view)(integers(1400), SHAPE(7, 200)),
        "tensor([[   0,    1,    2,  ...,  197,  198,  199],\n"
        "        [ 200,  201,  202,  ...,  397,  398,  399],\n"
        "        [ 400,  401,  402,  ...,  597,  598,  599],\n"
        "        ...,\n"
        "        [ 800,  801,  802,  ...,  997,  998,  999],\n"
        "        [1000, 1001, 1002,  ..., 1197, 1198, 1199],\n"
        "        [1200, 1201, 1202,  ..., 1397, 1398, 1399]])");
    char *whole = (t_repr)(integers(1000));
    ck_assert_ptr_null(strstr(whole, "..."));
    free(whole);
}
END_TEST

START_TEST(leaves_out_matrices) {
    expect((t_div)((t_view)(integers(1008), SHAPE(7, 1, 144)), (t_number)(16)),
        "tensor([[[0.0000e+00, 6.2500e-02, 1.2500e-01,  ..., 8.8125e+00,\n"
        "          8.8750e+00, 8.9375e+00]],\n"
        "\n"
        "        [[9.0000e+00, 9.0625e+00, 9.1250e+00,  ..., 1.7812e+01,\n"
        "          1.7875e+01, 1.7938e+01]],\n"
        "\n"
        "        [[1.8000e+01, 1.8062e+01, 1.8125e+01,  ..., 2.6812e+01,\n"
        "          2.6875e+01, 2.6938e+01]],\n"
        "\n"
        "        ...,\n"
        "\n"
        "        [[3.6000e+01, 3.6062e+01, 3.6125e+01,  ..., 4.4812e+01,\n"
        "          4.4875e+01, 4.4938e+01]],\n"
        "\n"
        "        [[4.5000e+01, 4.5062e+01, 4.5125e+01,  ..., 5.3812e+01,\n"
        "          5.3875e+01, 5.3938e+01]],\n"
        "\n"
        "        [[5.4000e+01, 5.4062e+01, 5.4125e+01,  ..., 6.2812e+01,\n"
        "          6.2875e+01, 6.2938e+01]]])");
}
END_TEST

/* Only what is shown decides on the form: a 0.5 in the middle does not. */
START_TEST(looks_at_what_is_shown) {
    Tensor *x = filled(1010, 1, t_float32, false);
    (t_fill_)((t_slice)(x, 0, 500, 510, 1), 0.5);
    expect(x, "tensor([1., 1., 1.,  ..., 1., 1., 1.])");
}
END_TEST

/* ---- views, history, sizes ---- */

START_TEST(prints_views) {
    Tensor *x = from("[[0, 1, 2], [3, 4, 5]]", 0, false);
    expect((t_t)(x),
        "tensor([[0, 3],\n"
        "        [1, 4],\n"
        "        [2, 5]])");
    expect((t_slice)(integers(10), 0, 1, 10, 3), "tensor([1, 4, 7])");
    expect((t_select)((t_float)(x), 1, 1), "tensor([1., 4.])");
    expect((t_expand)(from("[[1.0], [2.0]]", 0, false), SHAPE(2, 3)),
        "tensor([[1., 1., 1.],\n"
        "        [2., 2., 2.]])");
}
END_TEST

START_TEST(prints_parameters) {
    expect(nn_Parameter(filled(3, 1, 0, false)), "Parameter containing:\ntensor([1., 1., 1.], requires_grad=True)");
    expect(nn_Parameter(filled(0, 1, 0, false)), "Parameter containing:\ntensor([], requires_grad=True)");
    expect(nn_Parameter(filled(12, 0, t_float64, false)),
        "Parameter containing:\ntensor([0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0.], dtype=torch.float64,\n"
        "       requires_grad=True)");
    expect(nn_Parameter(filled(13, 0.25, 0, false)),
        "Parameter containing:\n"
        "tensor([0.2500, 0.2500, 0.2500, 0.2500, 0.2500, 0.2500, 0.2500, 0.2500, 0.2500,\n"
        "        0.2500, 0.2500, 0.2500, 0.2500], requires_grad=True)");
    Tensor *frozen = nn_Parameter_as(filled(2, 1, 0, false), false);
    expect(frozen, "Parameter containing:\ntensor([1., 1.])");
    expect((t_detach)(frozen), "tensor([1., 1.])");
    expect(doubled(frozen), "tensor([2., 2.])");
}
END_TEST

START_TEST(prints_history) {
    expect(from("[1.0, 2.0]", 0, true), "tensor([1., 2.], requires_grad=True)");
    expect(doubled(from("[1.0, 2.0]", 0, true)), "tensor([2., 4.], grad_fn=<MulBackward0>)");
    expect((t_view)(from("[[1, 1], [1, 1]]", t_float64, true), SHAPE(4)),
        "tensor([1., 1., 1., 1.], dtype=torch.float64, grad_fn=<ViewBackward0>)");
    expect(doubled(filled(11, 0.25, t_float32, true)),
        "tensor([0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000,\n"
        "        0.5000, 0.5000], grad_fn=<MulBackward0>)");
    expect(doubled(filled(8, 0.25, t_float64, true)),
        "tensor([0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000],\n"
        "       dtype=torch.float64, grad_fn=<MulBackward0>)");
    expect(doubled(filled(7, 0.25, t_float64, true)),
        "tensor([0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000],\n"
        "       dtype=torch.float64, grad_fn=<MulBackward0>)");
}
END_TEST

START_TEST(prints_sizes_of_empty_tensors) {
    t_TensorOptions bools = options_of(t_bool, false), doubles = options_of(t_float64, true);
    expect((t_zeros)(SHAPE(0, 3), NULL), "tensor([], size=(0, 3))");
    expect((t_zeros)(SHAPE(2, 0, 4), &doubles),
        "tensor([], size=(2, 0, 4), dtype=torch.float64, requires_grad=True)");
    expect((t_zeros)(SHAPE(2, 0), &bools), "tensor([], size=(2, 0), dtype=torch.bool)");
    expect(doubled((t_zeros)(SHAPE(2, 0, 4), &doubles)),
        "tensor([], size=(2, 0, 4), dtype=torch.float64, grad_fn=<MulBackward0>)");
}
END_TEST

START_TEST(prints_shapes) {
    ck_assert_str_eq((t_size_repr)(from("1", 0, false)), "torch.Size([])");
    ck_assert_str_eq((t_size_repr)(from("[1]", 0, false)), "torch.Size([1])");
    ck_assert_str_eq((t_size_repr)(from("[[], []]", 0, false)), "torch.Size([2, 0])");
    const char *one = (t_size_repr)(from("[1]", 0, false)), *two = (t_size_repr)(from("[1, 2]", 0, false));
    ck_assert_str_eq(one, "torch.Size([1])");
    ck_assert_str_eq(two, "torch.Size([2])");
}
END_TEST

START_TEST(prints_dtypes) {
    ck_assert_str_eq((t_dtype_repr)(t_bool), "torch.bool");
    ck_assert_str_eq((t_dtype_repr)(t_uint8), "torch.uint8");
    ck_assert_str_eq((t_dtype_repr)(t_int8), "torch.int8");
    ck_assert_str_eq((t_dtype_repr)(t_int16), "torch.int16");
    ck_assert_str_eq((t_dtype_repr)(t_int32), "torch.int32");
    ck_assert_str_eq((t_dtype_repr)(t_int64), "torch.int64");
    ck_assert_str_eq((t_dtype_repr)(t_float16), "torch.float16");
    ck_assert_str_eq((t_dtype_repr)(t_bfloat16), "torch.bfloat16");
    ck_assert_str_eq((t_dtype_repr)(t_float32), "torch.float32");
    ck_assert_str_eq((t_dtype_repr)(t_float64), "torch.float64");
    for (int i = -1; i < T_DTYPES + 1; i += i ? T_DTYPES + 1 : 1) {
        ck_assert_ptr_null((t_dtype_repr)((t_DType)i));
        ck_assert_ptr_nonnull(strstr(t_error(), " is not a dtype"));
        t_clear_error();
    }
}
END_TEST

START_TEST(print_writes_a_line_to_stdout) {
    catch_output(STDOUT_FILENO);
    (t_print)(from("[1, 2]", 0, false));
    char *line = caught_output();
    ck_assert_str_eq(line, "tensor([1, 2])\n");
    free(line);
}
END_TEST

/* print(z, out): the line of the second tensor is measured from its own beginning. */
START_TEST(prints_two_tensors_on_a_line) {
    Tensor *x = from("[[27, 27], [27, 27]]", t_float32, true), *z = t_mul(x, from("1", t_float32, false));
    const t_PrintValue_ printed_values[] = {{.kind = t_print_tensor_, .tensor = z},
                                            {.kind = t_print_tensor_, .tensor = t_mean(z, NULL, 0, false)}};
    catch_output(STDOUT_FILENO);
    t_print_values(printed_values, 2);
    char *printed = caught_output();
    ck_assert_str_eq(printed, "tensor([[27., 27.],\n"
                              "        [27., 27.]], grad_fn=<MulBackward0>) tensor(27., grad_fn=<MeanBackward0>)\n");
    free(printed);
}
END_TEST

START_TEST(refuses_null) {
    t_clear_error();
    ck_assert_ptr_null((t_repr)(NULL));
    ck_assert_ptr_nonnull(t_error());
    ck_assert_ptr_null((t_size_repr)(NULL));
}
END_TEST

START_TEST(refuses_values_that_are_not_there) {
    (t_print_values)(NULL, 2);
    ck_assert_str_eq(t_error(), "argument 1 is NULL where the values to print are expected");
    t_clear_error();
}
END_TEST

Suite *print_suite(void);
Suite *print_suite(void) {
    Suite *suite = suite_create("print");
    TCase *tests = tcase_create("print");
    tcase_add_loop_test(tests, prints_values, 0, sizeof values / sizeof values[0]);
    tcase_add_test(tests, breaks_lines);
    tcase_add_test(tests, leaves_out_the_middle);
    tcase_add_test(tests, leaves_out_matrices);
    tcase_add_test(tests, looks_at_what_is_shown);
    tcase_add_test(tests, prints_views);
    tcase_add_test(tests, prints_parameters);
    tcase_add_test(tests, prints_history);
    tcase_add_test(tests, prints_sizes_of_empty_tensors);
    tcase_add_test(tests, prints_shapes);
    tcase_add_test(tests, prints_dtypes);
    tcase_add_test(tests, print_writes_a_line_to_stdout);
    tcase_add_test(tests, prints_two_tensors_on_a_line);
    tcase_add_test(tests, refuses_null);
    tcase_add_test(tests, refuses_values_that_are_not_there);
    suite_add_tcase(suite, tests);
    return suite;
}
