/* tests/test_index_cases.c: index expressions of every kind, drawn at random by golden/record_index.py, against what PyTorch
 * made of them: t_at and t_set, values, gradients and error texts; and what such lines do not show. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support.h"

enum { FIELDS = 9, LINE = 2000 };

static Tensor *numbered(const int64_t *shape, int ndim, double start) {
    t_TensorOptions wide = {.size = sizeof wide, .dtype = t_float64};
    Tensor *x = t_zeros(shape, ndim, &wide);
    for (int64_t i = 0; x && i < t_numel(x); i++) ((double *)t_data_mut(x))[i] = start + (double)i;
    return x;
}

/* The sum of the k-th element times k + 1; of a gradient that was not given, 0. */
static double checksum(Tensor *x) {
    double sum = 0, *values = x ? values_of(x) : NULL;
    for (int64_t i = 0; x && i < t_numel(x); i++) sum += values[i] * (double)(i + 1);
    free(values);
    return sum;
}

static int read_sizes(const char *text, int64_t *shape) {
    int ndim = 0;
    for (char *end; *text; text = *end ? end + 1 : end) shape[ndim++] = strtoll(text, &end, 10);
    return ndim;
}

/* "i[0, 1]", "bTrue", "3": what stands for {}, one behind the other. */
static int read_values(char *text, Tensor **values) {
    int count = 0;
    for (char *word = strtok(text, "|"); word; word = strtok(NULL, "|")) {
        t_TensorOptions options = {.size = sizeof options, .dtype = *word == 'b' ? t_bool : t_int64};
        bool number = *word != 'b' && *word != 'i';
        values[count++] = number ? t_integer(strtoll(word, NULL, 10)) : t_tensor_from_text(word + 1, &options);
    }
    return count;
}

static bool backward_numbered(Tensor *y) {
    t_BackwardOptions options = {.size = sizeof options, .gradient = numbered(t_shape(y), (int)t_dim(y), 1)};
    return t_backward(y, &options);
}

static void compare(const char *what, const char *name, double got, const char *want) {
    if (got != strtod(want, NULL)) note("%s: the checksum of %s is %.0f, expected %s", what, name, got, want);
}

static void check_expression(const char *what, char **field) {
    int64_t shape[T_MAX_DIMS], result[T_MAX_DIMS];
    Tensor *values[16], *x = t_requires_grad_(numbered(shape, read_sizes(field[0], shape), 1), true);
    int count = read_values(field[2], values), ndim = field[4] ? read_sizes(field[3], result) : -1;
    Tensor *y = t_at(x, field[1], values, count), *written = t_mul(x, t_number(1));
    if (!y || ndim < 0) {
        const char *said = y ? "nothing" : t_error_message();
        if (ndim >= 0 || strcmp(said, field[3]) != 0) note("%s: said %s, expected %s", what, said, field[3]);
        if (t_set(written, field[1], values, count, x)) note("%s: t_set succeeded", what);
        t_clear_error();
        return;
    }
    if (t_dim(y) != ndim || memcmp(t_shape(y), result, (size_t)ndim * sizeof *result) != 0) {
        note("%s: gives the shape %s, expected %s", what, t_size_repr(y), field[3]);
        return;
    }
    compare(what, "x[index]", checksum(y), field[4]);
    if (!backward_numbered(y)) note("%s: %s", what, t_error());
    compare(what, "x's gradient", checksum(t_grad(x)), field[5]);
    t_set_grad(x, NULL);
    Tensor *value = t_requires_grad_(numbered(result, ndim, 1000), true);
    if (!t_set(written, field[1], values, count, value) || !backward_numbered(written)) note("%s, t_set: %s", what, t_error());
    compare(what, "x written", checksum(written), field[6]);
    compare(what, "x's gradient, written", checksum(t_grad(x)), field[7]);
    compare(what, "the value's gradient", checksum(t_grad(value)), field[8]);
    t_clear_error();
}

START_TEST(indexes_as_pytorch_does) {
    char line[LINE], what[LINE + 40];
    FILE *file = fopen("tests/golden/index.txt", "r");
    int lines = 0;
    ck_assert(file != NULL);
    while (fgets(line, sizeof line, file)) {
        char *field[FIELDS] = {line};
        line[strcspn(line, "\n")] = '\0';
        snprintf(what, sizeof what, "line %d: %s", ++lines, line);
        for (int i = 1; i < FIELDS && field[i - 1]; i++) {
            field[i] = strchr(field[i - 1], '\t');
            if (field[i]) *field[i]++ = '\0';
        }
        int scope = t_scope_open();
        check_expression(what, field);
        t_scope_close(scope);
    }
    fclose(file);
    ck_assert_int_gt(lines, 100);
    report_notes();
}
END_TEST

/* ---- what the recorded expressions do not show ---- */

static Tensor *of_text(const char *text) {
    return from_text(text, 0, false);
}

START_TEST(the_last_of_equal_places_stays) {
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
    Tensor *x = of_text("[3, 2, 1, 0]"), *turned = (t_at)(x, "{}", (Tensor *[]){of_text("[3, 2, 1, 0]")}, 1);
    ck_assert((t_set)(x, "{}", &x, 1, (t_at)(x, ":", NULL, 0)));
    expect_printed(x, "tensor([0, 1, 2, 3])");
    ck_assert((t_scatter_)(x, 0, x, turned));
    expect_printed(x, "tensor([0, 1, 2, 3])");
    ck_assert((t_scatter_)(turned, 0, turned, turned));
    expect_printed(turned, "tensor([0, 1, 2, 3])");
}
END_TEST

/* A view's base, and a leaf, as with any other write. */
START_TEST(places_of_views_and_leaves) {
    Tensor *leaf = from_text("[[1, 2], [3, 4]]", t_float32, true), *mask = of_text("[True, False]"), *nine = (t_number)(9);
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
    ck_assert((t_set)(x, "{}", &mask, 1, one) && (t_set)(y, "{}", &index, 1, one) && (t_set)(z, "{}", &index, 1, of_text("2.")));
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
    Tensor *rows = of_text("[[1., 3, 5], [2, 4, 6]]"), *x = of_text("[[3., 6], [3, 6]]"), *row = (t_at)(rows, "0", NULL, 0);
    expect_printed((t_searchsorted)(rows, x, false, NULL, NULL), "tensor([[1, 3],\n        [1, 2]])");
    expect_printed((t_searchsorted)(rows, x, true, "right", NULL), "tensor([[2, 3],\n        [1, 3]])");
    expect_printed((t_searchsorted)(of_text("[5., 1, 3]"), of_text("[3., 6]"), false, NULL, of_text("[1, 2, 0]")), "tensor([1, 3])");
    expect_printed((t_bucketize)(x, row, false), "tensor([[1, 3],\n        [1, 3]])");
    expect_printed((t_isin)(of_text("[[1, 2], [3, 4]]"), of_text("[4, 1]"), false, false),
                   "tensor([[ True, False],\n        [False,  True]])");
    expect_printed((t_isin)(of_text("[16777217]"), of_text("[16777216.]"), false, false), "tensor([True])"); /* as float32 */
}
END_TEST

/* With two zeros at one place the gradient is right, and its own gradient refused. */
START_TEST(products_with_two_zeros) {
    Tensor *x = from_text("[2]", t_float64, true), *src = from_text("[0, 0, 3]", t_float64, true), *index = of_text("[0, 0, 0]");
    t_BackwardOptions graph = {.size = sizeof graph, .create_graph = true};
    ck_assert((t_backward)((t_sum)((t_scatter_reduce)(x, 0, index, src, "prod", true), NULL, 0, false), &graph));
    Tensor *grad = t_grad(src);
    expect_printed((t_detach)(grad), "tensor([0., 0., 0.], dtype=torch.float64)");
    expect_refusal(!(t_backward)((t_sum)(grad, NULL, 0, false), NULL),
                   "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are scattered to the same "
                   "position in self");
    t_set_grad(x, NULL);
    t_set_grad(src, NULL);
}
END_TEST

Suite *index_cases_suite(void);
Suite *index_cases_suite(void) {
    Suite *suite = suite_create("index_cases");
    TCase *tests = tcase_create("index_cases");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, indexes_as_pytorch_does);
    tcase_add_test(tests, the_last_of_equal_places_stays);
    tcase_add_test(tests, writes_read_x_first);
    tcase_add_test(tests, places_of_views_and_leaves);
    tcase_add_test(tests, names_of_writes);
    tcase_add_test(tests, indices_are_saved);
    tcase_add_test(tests, slices_take_tensors_of_one_number);
    tcase_add_test(tests, searches_sorted_rows);
    tcase_add_test(tests, products_with_two_zeros);
    tcase_set_timeout(tests, 60);
    suite_add_tcase(suite, tests);
    return suite;
}
