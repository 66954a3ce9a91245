/* tests/ops/test_index_tensors.c: masks and index tensors, what the recorded expressions (test_index_cases.c) do not
 * show: equal indices, views and leaves, what is saved, and what else looks elements up or says where they stood. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/autograd/autograd.h"
#include "core/ops/ops.h"
#include "core/tensor/error.h"
#include "tests/support/support.h"

static Tensor *of_text(const char *text) {
    return from_text(text, 0, false);
}

START_TEST(the_last_of_equal_indices_wins) {
    Tensor *x = of_text("[0., 0, 0]"), *index = of_text("[0, 0, 1]"), *y = of_text("[1., 2, 3]");
    ck_assert((t_set)(x, "{}", &index, 1, y));
    expect_printed(x, "tensor([2., 3., 0.])");
    expect_printed((t_scatter)(x, 0, index, (t_neg)(y)), "tensor([-2., -3.,  0.])");
    expect_printed((t_index_copy)(x, 0, index, (t_neg)(y)), "tensor([-2., -3.,  0.])");
    expect_printed((t_put)(x, index, (t_neg)(y), false), "tensor([-2., -3.,  0.])");
    expect_printed((t_scatter_add)(x, 0, index, y), "tensor([5., 6., 0.])");
}
END_TEST

/* x[index] = value reads value, and index, before it writes x. */
START_TEST(writes_read_x_first) {
    Tensor *x = of_text("[3, 2, 1, 0]"), *reversed = (t_at)(x, "{}", (Tensor *[]){of_text("[3, 2, 1, 0]")}, 1);
    ck_assert((t_set)(x, "{}", &x, 1, (t_at)(x, ":", NULL, 0)));
    expect_printed(x, "tensor([0, 1, 2, 3])");
    ck_assert((t_scatter_)(x, 0, x, reversed));
    expect_printed(x, "tensor([0, 1, 2, 3])");
    ck_assert((t_scatter_)(reversed, 0, reversed, reversed));
    expect_printed(reversed, "tensor([0, 1, 2, 3])");
}
END_TEST

/* A view's base, and a leaf, as with any other write. */
START_TEST(indexed_writes_to_views_and_leaves) {
    Tensor *leaf = from_text("[[1, 2], [3, 4]]", t_float32, true), *mask = of_text("[True, False]"),
           *nine = (t_number)(9);
    const char *refused = "a leaf Variable that requires grad is being used in an in-place operation.";
    expect_refusal(!(t_set)(leaf, "{}", &mask, 1, nine), refused);
    expect_refusal(!(t_scatter_)(leaf, 0, of_text("[[0, 1]]"), nine), refused);
    expect_refusal(!(t_index_fill_)(leaf, 0, of_text("[0]"), nine), refused);
    Tensor *x = (t_mul)(leaf, (t_number)(1)), *column = (t_at)(x, ":, 1", NULL, 0);
    ck_assert((t_set)(column, "{}", &mask, 1, nine));
    expect_printed(x, "tensor([[1., 9.],\n        [3., 4.]], grad_fn=<CopySlices>)");
    ck_assert((t_backward)((t_sum)((t_mul)(x, x), NULL, 0, false), NULL));
    expect_printed(t_grad(leaf), "tensor([[2., 0.],\n        [6., 8.]])");
}
END_TEST

START_TEST(names_of_writes) {
    Tensor *leaf = from_text("[1, 2]", t_float32, true), *mask = of_text("[True, False]"), *index = of_text("[0]");
    Tensor *one = (t_number)(1), *x = (t_mul)(leaf, one), *y = (t_mul)(leaf, one), *z = (t_mul)(leaf, one);
    ck_assert((t_set)(x, "{}", &mask, 1, one) && (t_set)(y, "{}", &index, 1, one) &&
              (t_set)(z, "{}", &index, 1, of_text("2.")));
    ck_assert_str_eq(t_grad_fn(x), "MaskedFillBackward0");
    ck_assert_str_eq(t_grad_fn(y), "IndexFillBackward0");
    ck_assert_str_eq(t_grad_fn(z), "IndexPutBackward0");
}
END_TEST

/* What backward saved must not have been written to since. */
START_TEST(indices_are_saved) {
    Tensor *x = from_text("[1, 2, 3]", t_float32, true), *index = of_text("[0, 2]");
    Tensor *taken = (t_at)(x, "{}", &index, 1), *gathered = (t_gather)(x, 0, index);
    ck_assert((t_fill_)(index, 1));
    ck_assert((t_backward)((t_sum)(taken, NULL, 0, false), NULL)); /* x[index] has a copy */
    expect_printed(t_grad(x), "tensor([1., 0., 1.])");
    ck_assert(!(t_backward)((t_sum)(gathered, NULL, 0, false), NULL));
    ck_assert_ptr_nonnull(strstr(t_error(), "has been modified by an inplace operation"));
    t_clear_error();
}
END_TEST

START_TEST(slices_take_tensors_of_one_number) {
    Tensor *x = of_text("[0, 1, 2, 3]"), *two = of_text("2"), *half = of_text("[0.5]"), *pair = of_text("[0, 1]");
    const char *refused = "only integer tensors of a single element can be converted to an index";
    expect_printed((t_at)(x, "1:{}", &two, 1), "tensor([1])");
    expect_printed((t_at)(x, "{}", &two, 1), "tensor(2)");
    expect_refusal(!(t_at)(x, "{}:", &half, 1), refused);
    expect_refusal(!(t_at)(x, ":{}", &pair, 1), refused);
    expect_refusal(!(t_at)(x, "{}", (Tensor *[]){NULL}, 1), "argument 3 is NULL where a tensor is expected");
}
END_TEST

START_TEST(searches_sorted_rows) {
    Tensor *rows = of_text("[[1., 3, 5], [2, 4, 6]]"), *x = of_text("[[3., 6], [3, 6]]"),
           *row = (t_at)(rows, "0", NULL, 0);
    expect_printed((t_searchsorted)(rows, x, false, NULL, NULL), "tensor([[1, 3],\n        [1, 2]])");
    expect_printed((t_searchsorted)(rows, x, true, "right", NULL), "tensor([[2, 3],\n        [1, 3]])");
    expect_printed((t_searchsorted)(of_text("[5., 1, 3]"), of_text("[3., 6]"), false, NULL, of_text("[1, 2, 0]")),
                   "tensor([1, 3])");
    expect_printed((t_bucketize)(x, row, false), "tensor([[1, 3],\n        [1, 3]])");
    expect_printed((t_isin)(of_text("[[1, 2], [3, 4]]"), of_text("[4, 1]"), false, false),
                   "tensor([[ True, False],\n        [False,  True]])");
    expect_printed((t_isin)(of_text("[16777217]"), of_text("[16777216.]"), false, false),
                   "tensor([True])"); /* as float32 */
}
END_TEST

/* A hash of the indices. */
static int64_t sum_of(const Tensor *at) {
    int64_t sum = 0;
    for (int64_t i = 0; i < t_numel(at); i++) sum = (sum * 31 + ((const int64_t *)t_data_ptr(at))[i]) % 1000000007;
    return sum;
}

/* Rows of few and of many values, shorter and longer than the block of a sort; the sums are those of
 * PyTorch's indices. */
START_TEST(equal_elements_are_in_pytorchs_order) {
    static const struct {
        int n, values;
        int64_t sorted, descending, third, five;
    } rows[] = {
        {17, 2, 378879045, 119344281, 11511985, 11511985},     {33, 40, 884430284, 759819920, 65177357, 20478038},
        {64, 40, 349668076, 426030110, 626746370, 32718259},   {129, 40, 773382023, 423805082, 804441578, 106208089},
        {130, 2, 998939480, 37957455, 225655540, 66891807},    {300, 40, 741878862, 307390362, 519275612, 223334774},
        {1000, 2, 341286671, 341878426, 225146101, 2929471},   {1000, 1009, 842152415, 782554648, 948438588, 628139694},
        {5000, 40, 554522049, 309091053, 50108591, 135458984}, {5000, 1009, 309469912, 619849919, 324073306, 19721776}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        int depth = t_scope_open();
        const int64_t n = rows[k].n;
        t_TensorOptions options = {.size = sizeof options, .dtype = t_int64};
        Tensor *x = (t_zeros)(&n, 1, &options), *at = NULL;
        for (int64_t i = 0; i < n; i++)
            ((int64_t *)t_data_ptr_mut(x))[i] = (i * i * 7919 + i * 31) % 10007 % rows[k].values;
        ck_assert((t_sort)(x, 0, false, false, &at));
        ck_assert_int_eq(sum_of(at), rows[k].sorted);
        ck_assert((t_sort)(t_float(x), 0, true, false, &at));
        ck_assert_int_eq(sum_of(at), rows[k].descending);
        ck_assert((t_topk)(x, n / 3, 0, true, true, &at));
        ck_assert_int_eq(sum_of(at), rows[k].third);
        ck_assert((t_topk)(t_double(x), 5, 0, true, true, &at));
        ck_assert_int_eq(sum_of(at), rows[k].five);
        t_scope_close(depth);
    }
}
END_TEST

START_TEST(the_largest_of_a_long_row) {
    Tensor *x = (t_zeros)((int64_t[]){2, 400}, 2, NULL), *at = NULL;
    float *p = t_data_ptr_mut(x);
    for (int i = 0; i < 800; i++) p[i] = (float)(i % 7);
    p[390] = p[10] = -INFINITY;
    p[123] = p[399] = NAN;
    p[200] = INFINITY;
    p[500] = -0.5F;
    expect_printed((t_topk)(x, 4, 1, true, true, &at), "tensor([[nan, nan, inf, 6.],\n        [6., 6., 6., 6.]])");
    expect_printed(at, "tensor([[123, 399, 200,  20],\n        [ 19,  12,  26,   5]])");
    expect_printed((t_topk)(x, 3, 1, false, true, &at),
                   "tensor([[   -inf,    -inf,  0.0000],\n        [-0.5000,  0.0000,  0.0000]])");
    expect_printed(at, "tensor([[ 10, 390,   7],\n        [100,   6,  20]])");
}
END_TEST

START_TEST(an_index_out_of_range_is_found_anywhere) {
    t_TensorOptions options = {.size = sizeof options, .dtype = t_int64};
    Tensor *x = (t_zeros)((int64_t[]){7}, 1, NULL), *index = (t_zeros)((int64_t[]){11}, 1, &options);
    int64_t *p = t_data_ptr_mut(index);
    for (int i = 0; i < 11; i++) p[i] = i % 7;
    ck_assert((t_gather)(x, 0, index));
    for (int i = 0; i < 22; i++) {
        const int64_t good = p[i / 2];
        p[i / 2] = i % 2 ? -1 : 7;
        expect_refusal(!(t_gather)(x, 0, index), i % 2 ? "index -1 is out of bounds for dimension 0 with size 7"
                                                       : "index 7 is out of bounds for dimension 0 with size 7");
        p[i / 2] = good;
    }
}
END_TEST

/* With two zeros at one index the gradient is right, and its own gradient refused. */
START_TEST(products_with_two_zeros) {
    Tensor *x = from_text("[2]", t_float64, true), *src = from_text("[0, 0, 3]", t_float64, true),
           *index = of_text("[0, 0, 0]");
    t_BackwardOptions graph = {.size = sizeof graph, .create_graph = true};
    ck_assert((t_backward)((t_sum)((t_scatter_reduce)(x, 0, index, src, "prod", true), NULL, 0, false), &graph));
    Tensor *grad = t_grad(src);
    expect_printed((t_detach)(grad), "tensor([0., 0., 0.], dtype=torch.float64)");
    expect_refusal(
        !(t_backward)((t_sum)(grad, NULL, 0, false), NULL),
        "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are scattered to the same "
        "position in self");
    t_set_grad(x, NULL);
    t_set_grad(src, NULL);
}
END_TEST

Suite *index_tensors_suite(void);
Suite *index_tensors_suite(void) {
    Suite *suite = suite_create("index_tensors");
    TCase *tests = tcase_create("index_tensors");
    tcase_add_test(tests, the_last_of_equal_indices_wins);
    tcase_add_test(tests, writes_read_x_first);
    tcase_add_test(tests, indexed_writes_to_views_and_leaves);
    tcase_add_test(tests, names_of_writes);
    tcase_add_test(tests, indices_are_saved);
    tcase_add_test(tests, slices_take_tensors_of_one_number);
    tcase_add_test(tests, searches_sorted_rows);
    tcase_add_test(tests, equal_elements_are_in_pytorchs_order);
    tcase_add_test(tests, the_largest_of_a_long_row);
    tcase_add_test(tests, an_index_out_of_range_is_found_anywhere);
    tcase_add_test(tests, products_with_two_zeros);
    suite_add_tcase(suite, tests);
    return suite;
}
