/* tests/ops/test_index.c: t_at and t_set. Values and PyTorch's sentences were recorded with PyTorch 2.15; the sentences
 * with a caret are this library's own. */
#include <check.h>
#include <stdlib.h>

#include "core/autograd/autograd.h"
#include "core/ops/ops.h"
#include "core/tensor/error.h"
#include "tests/support/support.h"

/* 0, 1, 2, ... in the shape (2, 3, 4). */
static Tensor *cube(void) {
    return (t_view)((t_arange_int64)(0, 24, 1, NULL), SHAPE(2, 3, 4));
}

/* x[index] with integers for {}. */
static Tensor *at(Tensor *x, const char *index, const int64_t *numbers, int count) {
    Tensor *values[3];
    for (int i = 0; i < count; i++) values[i] = (t_integer)(numbers[i]);
    return (t_at)(x, index, values, count);
}

/* ---- t_at ---- */

static const struct {
    const char *index;
    int64_t values[3];
    int count;
    const char *printed;
} windows[] = {
    {"0", {0}, 0, "tensor([[ 0,  1,  2,  3],\n        [ 4,  5,  6,  7],\n        [ 8,  9, 10, 11]])"},
    {"-1, -1, -1", {0}, 0, "tensor(23)"},
    {"1, 2", {0}, 0, "tensor([20, 21, 22, 23])"},
    {"0, :2, ::3", {0}, 0, "tensor([[0, 3],\n        [4, 7]])"},
    {"..., 0", {0}, 0, "tensor([[ 0,  4,  8],\n        [12, 16, 20]])"},
    {"0, ..., 1", {0}, 0, "tensor([1, 5, 9])"},
    {"1, 1, None", {0}, 0, "tensor([[16, 17, 18, 19]])"},
    {"None, 0, 0", {0}, 0, "tensor([[0, 1, 2, 3]])"},
    {":, 1:2, -2:", {0}, 0, "tensor([[[ 6,  7]],\n\n        [[18, 19]]])"},
    {"{}, {}, :{}", {1, -1, 2}, 3, "tensor([20, 21])"},
    {":, 0, {}:{}:{}", {0, 4, 2}, 3, "tensor([[ 0,  2],\n        [12, 14]])"},
    {" 0 ,\t-1 , : ", {0}, 0, "tensor([ 8,  9, 10, 11])"},
    {"0, 5:1", {0}, 0, "tensor([], size=(0, 4), dtype=torch.int64)"},
    {"0, -100:100:2, 0", {0}, 0, "tensor([0, 8])"},
    {"0, 0,", {0}, 0, "tensor([0, 1, 2, 3])"},
    {"0, 0, 3:99999999999999999999", {0}, 0, "tensor([3])"},
};

START_TEST(gives_windows) {
    expect_printed(at(cube(), windows[_i].index, windows[_i].values, windows[_i].count), windows[_i].printed);
}
END_TEST

#define ITEM_EXPECTED "expected an integer, a slice (start:stop:step), a list, '...', None or {}\n"

static const struct {
    const char *index, *message;
} bad_indices[] = {
    {"2", "index 2 is out of bounds for dimension 0 with size 2"},
    {"-3", "index -3 is out of bounds for dimension 0 with size 2"},
    {"0, 3", "index 3 is out of bounds for dimension 1 with size 3"},
    {"None, 2", "index 2 is out of bounds for dimension 1 with size 2"},
    {"..., 4", "index 4 is out of bounds for dimension 1 with size 4"},
    {"0, 0, 0, 0", "too many indices for tensor of dimension 3"},
    {"0, ..., 0, 0, 0", "too many indices for tensor of dimension 3"},
    {"", ITEM_EXPECTED "\n^"},
    {"0,,1", ITEM_EXPECTED "0,,1\n  ^"},
    {"0, x", ITEM_EXPECTED "0, x\n   ^"},
    {"0, - 1", ITEM_EXPECTED "0, - 1\n   ^"},
    {"0 1", "expected ','\n0 1\n  ^"},
    {"1:2:1:2", "expected ',' or ':'\n1:2:1:2\n     ^"},
    {"[0", "this list does not end\n[0\n^"},
    {"0, [0, x]", "expected a number, True, False or '['\n[0, x]\n    ^"},
    {"[0] 1", "expected ','\n[0] 1\n    ^"},
    {"[0.5]", "tensors used as indices must be long, int, byte or bool tensors"},
    {"[True]",
     "The shape of the mask [1] at index 0 does not match the shape of the indexed tensor [2, 3, 4] at index 0"},
    {":, ::-1", "step must be greater than zero\n:, ::-1\n     ^"},
    {"::0", "slice step cannot be zero\n::0\n  ^"},
    {"..., 0, ...", "an index can only have a single ellipsis ('...')\n..., 0, ...\n        ^"},
    {"0, {}", "the index has more {} than the 0 values given for them\n0, {}\n   ^"},
};

START_TEST(shows_mistakes_in_indices) {
    int64_t live = t_live_count();
    Tensor *x = cube();
    expect_refusal(!(t_at)(x, bad_indices[_i].index, NULL, 0), bad_indices[_i].message);
    expect_refusal(!(t_set)(x, bad_indices[_i].index, NULL, 0, x), bad_indices[_i].message);
    ck_assert_int_eq(t_live_count(), live + 2);
}
END_TEST

START_TEST(counts_values) {
    Tensor *values[] = {(t_integer)(0), (t_integer)(1)};
    expect_refusal(!(t_at)(cube(), "{}", values, 2), "2 values are given, but the index has 1 {}\n{}\n  ^");
    expect_refusal(!(t_at)(cube(), "{}, {}", values, 1),
                   "the index has more {} than the 1 value given for them\n{}, {}\n    ^");
    expect_refusal(!(t_at)(cube(), "{}", NULL, 1), "argument 3 is NULL where the values of {} are expected");
    expect_refusal(!(t_at)(cube(), NULL, NULL, 0), "argument 2 is NULL where the text of an index is expected");
}
END_TEST

START_TEST(zero_dims_have_nothing_to_index) {
    Tensor *x = from_text("5.0", 0, false);
    expect_printed((t_at)(x, "...", NULL, 0), "tensor(5.)");
    expect_printed((t_at)(x, "None", NULL, 0), "tensor([5.])");
    expect_refusal(!(t_at)(x, "0", NULL, 0),
                 "invalid index of a 0-dim tensor. Use t_item(x) to convert a 0-dim tensor to a number");
    expect_refusal(!(t_at)(x, ":", NULL, 0), "slice() cannot be applied to a 0-dim tensor.");
    expect_refusal(!(t_at)(x, "0, 0", NULL, 0), "too many indices for tensor of dimension 0");
}
END_TEST

START_TEST(windows_are_views) {
    Tensor *x = cube();
    int64_t live = t_live_count();
    Tensor *y = (t_at)(x, "1, 1:, ::2", NULL, 0);
    ck_assert_int_eq(t_live_count(), live + 1);
    ck_assert_int_eq((t_storage_offset)(y), 16);
    ck_assert_int_eq((t_stride)(y, 1), 2);
    (t_fill_)(y, -1);
    expect_printed((t_at)(x, "1, 1", NULL, 0), "tensor([-1, 17, -1, 19])");
}
END_TEST

START_TEST(windows_pass_gradients) {
    Tensor *x = from_text("[[1, 2, 3], [4, 5, 6]]", t_float32, true);
    const char *makers[][2] = {{"0", "SelectBackward0"}, {":", "SliceBackward0"}, {":,", "AliasBackward0"},
                               {"...", "AliasBackward0"}, {"None", "UnsqueezeBackward0"}, {"0, :", "SelectBackward0"}};
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
        ck_assert_str_eq(t_grad_fn((t_at)(x, makers[i][0], NULL, 0)), makers[i][1]);
    Tensor *part = (t_at)(x, ":, ::2", NULL, 0);
    ck_assert((t_backward)((t_sum)((t_mul)(part, part), NULL, 0, false), NULL));
    expect_printed(t_grad(x), "tensor([[ 2.,  0.,  6.],\n        [ 8.,  0., 12.]])");
}
END_TEST

/* ---- t_set ---- */

static const struct {
    const char *index;
    int64_t shape[4];
    int ndim;
    const char *flat;
} writes[] = {
    {"0", {3, 4}, 2,
     "[100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, "
     "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]"},
    {":, 0::2", {0}, 0,
     "[100, 100, 100, 100, 0, 0, 0, 0, 100, 100, 100, 100, "
     "100, 100, 100, 100, 0, 0, 0, 0, 100, 100, 100, 100]"},
    {"1, 2", {1, 4}, 2,
     "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
     "0, 0, 0, 0, 0, 0, 0, 0, 100, 101, 102, 103]"},
    {"..., 0", {1, 1, 3}, 3,
     "[100, 0, 0, 0, 101, 0, 0, 0, 102, 0, 0, 0, "
     "100, 0, 0, 0, 101, 0, 0, 0, 102, 0, 0, 0]"},
    {"0, 0, 0", {1, 1}, 2,
     "[100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
     "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]"},
    {"...", {4}, 1,
     "[100, 101, 102, 103, 100, 101, 102, 103, 100, 101, 102, 103, "
     "100, 101, 102, 103, 100, 101, 102, 103, 100, 101, 102, 103]"},
    {":, 1:2, None", {2, 1, 1, 1}, 4,
     "[0, 0, 0, 0, 100, 100, 100, 100, 0, 0, 0, 0, "
     "0, 0, 0, 0, 101, 101, 101, 101, 0, 0, 0, 0]"},
};

START_TEST(writes_windows) {
    t_TensorOptions options = {.size = sizeof options, .dtype = t_int64};
    Tensor *x = (t_zeros)(SHAPE(2, 3, 4), &options);
    Tensor *value = (t_add)((t_zeros)(writes[_i].shape, writes[_i].ndim, NULL), (t_number)(100));
    Tensor *flat = (t_view)(value, SHAPE(-1));
    (t_add_)(flat, (t_arange)(0, (double)(t_numel)(flat), 1, NULL));
    int64_t live = t_live_count();
    ck_assert((t_set)(x, writes[_i].index, NULL, 0, value));
    ck_assert_int_eq(t_live_count(), live);
    ck_assert((t_equal)((t_view)(x, SHAPE(24)), from_text(writes[_i].flat, 0, false)));
}
END_TEST

static const struct {
    const char *index;
    int64_t shape[4];
    int ndim;
    const char *message;
} bad_writes[] = {
    {"0", {2, 3, 4}, 3,
     "expand(torch.FloatTensor{[2, 3, 4]}, size=[3, 4]):"
     " the number of sizes provided (2) must be greater or equal to the number of dimensions in the tensor (3)"},
    {"0", {3}, 1,
     "The expanded size of the tensor (4)"
     " must match the existing size (3) at non-singleton dimension 1.  Target sizes: [3, 4].  Tensor sizes: [3]"},
    {"0, 0, 0", {2}, 1,
     "expand(torch.FloatTensor{[2]}, size=[]):"
     " the number of sizes provided (0) must be greater or equal to the number of dimensions in the tensor (1)"},
    {"0", {2, 1, 3, 4}, 4,
     "expand(torch.FloatTensor{[2, 1, 3, 4]}, size=[3, 4]):"
     " the number of sizes provided (2) must be greater or equal to the number of dimensions in the tensor (4)"},
};

START_TEST(refuses_writes) {
    Tensor *x = (t_zeros)(SHAPE(2, 3, 4), NULL), *value = (t_ones)(bad_writes[_i].shape, bad_writes[_i].ndim, NULL);
    expect_refusal(!(t_set)(x, bad_writes[_i].index, NULL, 0, value), bad_writes[_i].message);
    ck_assert((t_equal)(x, (t_zeros_like)(x)));
}
END_TEST

START_TEST(writes_take_placeholders_and_numbers) {
    Tensor *x = from_text("[[1, 2], [3, 4]]", 0, false);
    ck_assert((t_set)(x, "{}, {}:", (Tensor *[]){(t_integer)(-1), (t_integer)(1)}, 2, (t_number)(7.9)));
    expect_printed(x, "tensor([[1, 2],\n        [3, 7]])");
    ck_assert((t_set)(x, ":, 1", NULL, 0, (t_at)(x, "0", NULL, 0))); /* overlaps what it reads */
    expect_printed(x, "tensor([[1, 1],\n        [3, 2]])");
}
END_TEST

START_TEST(writes_pass_gradients) {
    Tensor *x = from_text("[[1, 2], [3, 4]]", t_float32, true), *value = from_text("[10.0, 20.0]", 0, true);
    expect_refusal(!(t_set)(x, "0", NULL, 0, value),
                 "a view of a leaf Variable that requires grad is being used in an in-place operation.");
    expect_refusal(!(t_set)(x, ":", NULL, 0, value),
                 "a leaf Variable that requires grad is being used in an in-place operation.");
    Tensor *y = (t_mul)(x, (t_number)(1));
    ck_assert((t_set)(y, ":, 0", NULL, 0, value));
    expect_printed(y, "tensor([[10.,  2.],\n        [20.,  4.]], grad_fn=<CopySlices>)");
    ck_assert((t_backward)((t_sum)((t_mul)(y, y), NULL, 0, false), NULL));
    expect_printed(t_grad(x), "tensor([[0., 4.],\n        [0., 8.]])");
    expect_printed(t_grad(value), "tensor([20., 40.])");
}
END_TEST

#define ROWS(table) (int)(sizeof table / sizeof table[0])

Suite *index_suite(void);
Suite *index_suite(void) {
    Suite *suite = suite_create("index");
    TCase *tests = tcase_create("index");
    tcase_add_loop_test(tests, gives_windows, 0, ROWS(windows));
    tcase_add_loop_test(tests, shows_mistakes_in_indices, 0, ROWS(bad_indices));
    tcase_add_test(tests, counts_values);
    tcase_add_test(tests, zero_dims_have_nothing_to_index);
    tcase_add_test(tests, windows_are_views);
    tcase_add_test(tests, windows_pass_gradients);
    tcase_add_loop_test(tests, writes_windows, 0, ROWS(writes));
    tcase_add_loop_test(tests, refuses_writes, 0, ROWS(bad_writes));
    tcase_add_test(tests, writes_take_placeholders_and_numbers);
    tcase_add_test(tests, writes_pass_gradients);
    suite_add_tcase(suite, tests);
    return suite;
}
