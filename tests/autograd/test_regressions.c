/* tests/autograd/test_regressions.c: combinations of tensors, scopes, views and gradients, each of which has
 * failed once. */
#define _POSIX_C_SOURCE 200112L /* setenv */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "core/data/data.h"
#include "nn/nn.h"
#include "optim/optim.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

/* ---- what a loop carries ---- */

START_TEST(keep_as_leaves_alone_what_it_did_not_carry) {
    nn_Linear *fc = nn_Linear(2, 2);
    Tensor *start = t_ones(2), *best = NULL, *h = NULL, *previous = NULL, *current = NULL;
    for_range (i, 0, 4) {
        t_keep_as(&best, i % 2 ? t_ones(1) : fc->weight); /* a parameter: the module's, not the loop's */
        t_keep_as(&h, i % 2 ? t_ones(1) : t_contiguous(start));
        t_keep_as(&previous, current); /* two slots, one behind the other */
        t_keep_as(&current, t_full((1,), (double)i));
    }
    ck_assert_ptr_nonnull(nn_call(fc, t_ones(1, 2)));
    ck_assert_double_eq(t_item(t_sum(start)), 2);
    ck_assert_double_eq(t_item(current), 3);
    ck_assert_double_eq(t_item(previous), 2);
    ck_assert_ptr_null(t_error());
}
END_TEST

START_TEST(ops_leave_nothing_but_their_result) {
    Tensor *x = t_randn(3, 4), *indices;
    int64_t before = t_live_count();
    t_fill_(x, 2);
    t_zero_(x);
    ck_assert_int_eq(t_live_count(), before);
    t_max(x, 1);
    t_argmax(x);
    ck_assert_int_eq(t_live_count(), before + 2);
    t_min(x, 1, .indices = &indices);
    ck_assert_int_eq(t_live_count(), before + 4);
}
END_TEST

START_TEST(a_batch_may_outlive_the_scope_of_its_loop) {
    data_DataLoader *loader = data_DataLoader(data_RepeatedTokenDataset(8, 4, 5), .batch_size = 4, .shuffle = true);
    data_Batch batch;
    with_scope() data_iter(loader, &batch);
    Tensor *other = t_ones(3);
    ck_assert(data_iter_next(&batch));
    data_iter_end(&batch);
    ck_assert_double_eq(t_item(t_sum(other)), 3);
}
END_TEST

/* ---- views ---- */

/* A detached slice is a base whose elements have gaps between them. */
START_TEST(writes_to_a_base_with_gaps) {
    Tensor *x = t_zeros(4, 64), *w = t_ones(4, .requires_grad = true);
    Tensor *slice = t_detach(t_at(x, ":, ::16"));
    t_set(slice, "3", t_mul(w, 3));
    t_backward(t_sum(t_mul(slice, slice)));
    ck_assert_double_eq(t_item(t_at(t_grad(w), "0")), 18);
    ck_assert_double_eq(t_item(t_at(x, "3, 48")), 3);
}
END_TEST

START_TEST(a_view_made_without_grad_is_not_written_to_with_it) {
    Tensor *x = t_ones(2, 3, .requires_grad = true), *y = t_mul(x, 1), *row = NULL;
    with_no_grad() row = t_at(y, "0");
    ck_assert_ptr_null((t_mul_)(row, t_number(3)));
    expect_error(
        "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that this "
        "use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view "
        "and the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) or both "
        "outside (if you want the inplace to be tracked).");
}
END_TEST

START_TEST(another_dtype_lets_the_old_data_go) {
    nn_PositionalEncoding *layer = nn_PositionalEncoding(8, .max_len = 16);
    int64_t before = t_live_bytes();
    ck_assert_ptr_nonnull(nn_to(layer, t_float64));
    ck_assert_int_eq(t_live_bytes(), before + 16 * 8 * 4);
    Tensor *w = t_ones(1, .requires_grad = true, .dtype = t_float64);
    t_set(layer->pe, "0, 0", w);
    t_backward(t_sum(layer->pe));
    ck_assert_double_eq(t_item(t_grad(w)), 8);
}
END_TEST

/* ---- gradients ---- */

/* Points in space that all but touch: what is left of them is their differences, also where there are many. */
START_TEST(near_points_have_directions) {
    enum { POINTS = 40 };
    t_manual_seed(3);
    Tensor *steps = t_mul(t_randn(2, POINTS, 3), 1e-4), *points = t_add(steps, 0.7), *dx[2];
    for (int wide = 0; wide < 2; wide++) {
        Tensor *a = t_to(t_detach(t_at(points, "0")), wide ? t_float64 : t_float32),
               *b = t_to(t_at(points, "1"), t_dtype(a));
        t_backward(t_sum(t_cdist(t_requires_grad_(a, true), b)));
        dx[wide] = t_to(t_grad(a), t_float64);
    }
    HOLDS(t_allclose(dx[0], dx[1], .rtol = 1e-5, .atol = 1e-4));
}
END_TEST

START_TEST(leaves_do_not_share_a_gradient) {
    Tensor *a = t_ones(2, .requires_grad = true), *b = t_ones(2, .requires_grad = true);
    t_backward(t_sum(t_mul(t_add(a, b), 3)), .create_graph = true);
    ck_assert(t_grad(a) != t_grad(b));
    t_backward(t_sum(t_mul(t_add(a, b), 2)));
    ck_assert_double_eq(t_item(t_at(t_grad(a), "0")), 5);
    ck_assert_double_eq(t_item(t_at(t_grad(b), "0")), 5);
    t_set_grad(a, NULL); /* a gradient with a graph holds its leaf, and the leaf holds it */
    t_set_grad(b, NULL);
}
END_TEST

START_TEST(a_tensor_is_not_its_own_gradient) {
    Tensor *x = t_ones(2);
    ck_assert(!(t_set_grad)(x, x));
    expect_error("can't assign Variable as its own grad");
}
END_TEST

START_TEST(nan_lets_the_gradient_through) {
    Tensor *x = t_requires_grad_(t_tensor("[nan, -1, 2]"), true), *y = t_tensor("[1.0, 1.0, 1.0]");
    t_backward(t_sum(t_relu(x)));
    ck_assert_double_eq(t_item(t_at(t_grad(x), "0")), 1);
    t_set_grad(x, NULL);
    t_backward(t_sum(t_maximum(x, y)));
    ck_assert_double_eq(t_item(t_at(t_grad(x), "0")), 1);
    ck_assert_double_eq(t_item(t_at(t_grad(x), "1")), 0);
    Tensor *alone = t_requires_grad_(t_tensor("nan"), true);
    t_backward(t_amax(alone)); /* none of its elements equals the largest: 0 / 0, as in PyTorch */
    ck_assert_double_nan(t_item(t_grad(alone)));
}
END_TEST

START_TEST(int64_wraps_around) {
    Tensor *x = t_tensor("[-9223372036854775808, 3]"), *m = t_ones(2, 3);
    ck_assert_int_eq(t_item_int64(t_at(t_neg(x), "0")), INT64_MIN);
    ck_assert_int_eq(t_item_int64(t_at(t_abs(x), "0")), INT64_MIN);
    ck_assert_int_eq(t_item_int64(t_sum(t_tensor("[9223372036854775807, 1]"))), INT64_MIN);
    ck_assert(t_equal(t_tril(m, INT64_MAX), m));
    ck_assert_double_eq(t_item(t_sum(t_triu(m, INT64_MAX))), 0);
}
END_TEST

/* As in PyTorch: a number that fills a tensor is refused where its dtype does not hold it, and nothing is written. */
#define INT64_OVERFLOW "value cannot be converted to type int64_t without overflow"
#define FLOAT_OVERFLOW "value cannot be converted to type float without overflow"
#define REFUSED(call, said)                      \
    do {                                         \
        ck_assert_msg(!(call), #call " passes"); \
        expect_error(said);                      \
    } while (0)

static void expect_refused(Tensor *x, double value, const char *said) {
    Tensor *mask = t_tensor("[True, False]"), *index = t_tensor("[1]");
    REFUSED(t_full((2), value, .dtype = t_dtype(x)), said);
    REFUSED(
        (t_full)((int64_t[]){0}, 1, value, &(t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = t_dtype(x)}),
        said);
    REFUSED(t_full_like(x, value), said);
    REFUSED(t_new_full(x, (3, 1), value), said);
    REFUSED(t_fill_(x, value), said);
    REFUSED(t_masked_fill(x, mask, value), said);
    REFUSED(t_masked_fill_(x, mask, t_tensor(value, .dtype = t_float64)), said);
    REFUSED(t_index_fill(x, 0, index, value), said);
    REFUSED(t_index_fill_(x, 0, index, t_tensor(value, .dtype = t_float64)), said);
    REFUSED(t_scatter(x, 0, index, value), said);
    REFUSED(t_set(x, "1", value), said);
    REFUSED(t_set(x, "{}", mask, value), said);
    REFUSED(t_set(x, "{}", index, value), said);
    REFUSED(t_linspace(value, 1, 1, .dtype = t_dtype(x)), said);
    if (value == value) REFUSED(F_pad(x, (0, 1), .value = value), said); /* NaN there is PyTorch's None */
    if (value == value) REFUSED(F_pad(t_zeros(0, .dtype = t_dtype(x)), (1, 1), .value = value), said);
    ck_assert_double_eq(t_item(t_sum(x)), 3);
}

START_TEST(numbers_that_overflow_are_refused) {
    Tensor *int64s = t_tensor("[1, 2]"), *real = t_tensor("[1.0, 2.0]"), *index = t_tensor("[1]");
    const double too_large[] = {INFINITY, -INFINITY, NAN, 1e300, -1e300, 0x1p63, -0x1.00001p63};
    for (int i = 0; i < 7; i++) expect_refused(int64s, too_large[i], INT64_OVERFLOW);
    for (int i = 3; i < 5; i++) expect_refused(real, too_large[i], FLOAT_OVERFLOW);
    expect_refused(real, 0x1p128, FLOAT_OVERFLOW);
    expect_refused(real, 0x1.fffffe0000001p127, FLOAT_OVERFLOW);
    for (int i = 0; i < 7; i++) {
        REFUSED(t_tensor(too_large[i], .dtype = t_int64), "value cannot be converted to type int64 without overflow");
        REFUSED(t_tensor((&too_large[i]), 1, .dtype = t_int64),
                "value cannot be converted to type int64 without overflow");
        ck_assert(t_item(t_full((1), too_large[i], .dtype = t_bool)) == 1);
        ck_assert_ptr_nonnull(t_full((1), too_large[i], .dtype = t_float64));
    }
    ck_assert(t_item(t_full((1), -0x1p63, .dtype = t_int64)) == -0x1p63);
    ck_assert(t_item(t_full((1), 0x1.fffffep127)) == 0x1.fffffep127);
    ck_assert(t_item(t_fill_(t_zeros(1), -INFINITY)) == -INFINITY);
    ck_assert(isnan(t_item(t_at(t_index_fill(real, 0, index, NAN), "1"))));
    ck_assert(t_item(t_linspace(0, INFINITY, 1, .dtype = t_int64)) == 0);
    ck_assert(t_item(t_sum(F_pad(int64s, (-1, 0), .value = INFINITY))) == 2);
    ck_assert(t_item(t_scatter(t_zeros(1, .dtype = t_int64), 0, t_zeros(0, .dtype = t_int64), INFINITY)) == 0);
    ck_assert_ptr_null(t_error());
}
END_TEST

/* So is a number that a calculation takes, integers or not. */
START_TEST(factors_and_bounds_that_overflow_are_refused) {
    Tensor *x = t_ones(2, 2), *n = t_ones(2, 2, .dtype = t_int64), *holds = t_gt(x, 0), *first = t_tensor("[0]");
    REFUSED(t_add(x, x, .alpha = 1e39), FLOAT_OVERFLOW);
    REFUSED(t_sub_(x, x, .alpha = 1e39), FLOAT_OVERFLOW);
    REFUSED(t_add(n, n, .alpha = 1e39),
            "For integral input tensors, argument alpha must not be a floating point number.");
    REFUSED(t_index_add(n, 0, first, t_ones(1, 2, .dtype = t_int64), .alpha = 1e39), INT64_OVERFLOW);
    REFUSED(t_addmm(x, x, x, .beta = 1e39), FLOAT_OVERFLOW);
    REFUSED(t_addmm_(n, n, n, .alpha = 1e39), INT64_OVERFLOW);
    REFUSED(t_addcmul(n, n, n, .value = 1e39), INT64_OVERFLOW);
    REFUSED(t_addcmul_(x, x, x, .value = 1e39), FLOAT_OVERFLOW);
    REFUSED(t_addcdiv(x, x, x, .value = 1e39), FLOAT_OVERFLOW);
    REFUSED(t_lerp(x, x, 1e39), FLOAT_OVERFLOW);
    REFUSED(t_lerp_(x, x, 1e39), FLOAT_OVERFLOW);
    REFUSED(t_where(holds, x, 1e39), FLOAT_OVERFLOW);
    REFUSED(t_where(holds, 1e39, n), FLOAT_OVERFLOW);
    REFUSED(t_clamp(n, .max = 1e39), FLOAT_OVERFLOW);
    REFUSED(t_clamp_(x, -1e39, 1e39), FLOAT_OVERFLOW);
    REFUSED(t_clamp_min(x, -1e39), FLOAT_OVERFLOW);
    REFUSED(t_logit(x, 1e39), FLOAT_OVERFLOW);
    REFUSED(F_leaky_relu(x, 1e39), FLOAT_OVERFLOW);
    REFUSED(F_hardtanh(n, 0, 1e39), INT64_OVERFLOW);
    REFUSED(F_softshrink(x, 1e39), "lambda must be in range [0, 3.40282e+38] for input dtype Float, but found 1e+39");
    REFUSED(t_uniform_(x, -1e39, 0), "from is out of bounds for float");
    REFUSED(t_uniform_(x, 0, NAN), "to is out of bounds for float");
    REFUSED(t_uniform_(x, -3e38, 3e38),
            "uniform_ expects to-from <= std::numeric_limits<Float>::max(), but found to=3e+38 and "
            "from=-3e+38 which result in to-from to exceed the limit");
    ck_assert(t_item(t_sum(x)) == 4 && t_item(t_sum(n)) == 4);
    ck_assert(t_item(t_sum(t_clamp(x, -INFINITY, INFINITY))) == 4);
    ck_assert(isnan(t_item(t_sum(t_lerp(x, x, INFINITY)))));
    ck_assert_ptr_nonnull(t_add(t_to(x, t_float64), x, .alpha = 1e39));
}
END_TEST

/* A sum over nothing is 0, and leaves what is added to it as it is: -0, too. */
START_TEST(a_product_of_depth_0_keeps_what_is_added) {
    Tensor *y = F_linear(t_zeros(2, 0), t_zeros(3, 0), t_full((3), -0.0)), *z = t_mm(t_zeros(2, 0), t_zeros(0, 3));
    HOLDS(t_is_true(t_all(t_eq(y, 0))) && t_is_true(t_all(t_signbit(y))));
    HOLDS(t_is_true(t_all(t_eq(z, 0))) && !t_is_true(t_any(t_signbit(z))));
}
END_TEST

START_TEST(no_index_slips_through) {
    Tensor *x = t_ones(3, 2), *lowest = t_tensor("[[-9223372036854775808, 0]]"), *none = t_zeros(0, 2);
    ck_assert_ptr_null((t_gather)(x, 0, lowest));
    expect_error("index -9223372036854775808 is out of bounds for dimension 0 with size 3");
    ck_assert_ptr_null((t_index_select)(none, 0, t_tensor("[0]")));
    expect_error("index out of range in self");
    ck_assert_ptr_null((F_embedding)(lowest, x, NULL));
    expect_error("index out of range in self. Hint: the id is -9223372036854775808, the weight has 3 rows");
}
END_TEST

START_TEST(options_without_their_size_are_refused) {
    ck_assert_ptr_null((t_ones)(NULL, 0, &(t_TensorOptions){.dtype = t_float64}));
    expect_error("the options' first field, size, is not set");
    ck_assert_ptr_null((F_mse_loss)(t_ones(2), t_ones(2), &(F_LossOptions){.reduction = "sum"}));
    expect_error("the options' first field, size, is not set");
}
END_TEST

/* A file of a hundred bytes may have such a tensor. */
START_TEST(an_empty_tensor_may_be_very_long) {
    Tensor *x = t_empty(INT64_MAX, 0);
    ck_assert_int_eq(t_size(t_sort(x, 1), 0), INT64_MAX);
    expect_refusal((t_cat)(t_list(x, x), 0) == NULL, "Trying to create tensor with negative dimension -2: [-2, 0]");
}
END_TEST

/* PyTorch truncates start and end before it computes anything from them, and rounds -23.9999... as its fma does. */
START_TEST(linspace_rounds_once_in_its_dtype) {
    static const int at[] = {1, 5, 9, 13, 14, 20, 26};
    static const float singles[] = {-0x1.da12f6p-1f, -0x1.425ed0p-1f, -0x1.555554p-2f, -0x1.2f6848p-5f,
                                    0x1.2f6848p-5f,  0x1.ed097cp-2f,  0x1.da12f6p-1f};
    const float *x = t_data_ptr(t_linspace(-1, 1, 28));
    for (int i = 0; i < 7; i++) ck_assert_msg(x[at[i]] == singles[i], "%a, expected %a", x[at[i]], singles[i]);
    const double *y = t_data_ptr(t_linspace(-1, 1, 28, .dtype = t_float64));
    ck_assert(y[1] == -0x1.da12f684bda13p-1 && y[9] == -0x1.5555555555556p-2 && y[20] == 0x1.ed097b425ed0ap-2);
}
END_TEST

START_TEST(integer_spaces_truncate_their_ends_first) {
    expect_printed(t_linspace(4.3, -3, 8, .dtype = t_int64), "tensor([ 4,  3,  2,  1,  0, -1, -2, -3])");
    expect_printed(t_at(t_linspace(4.3, -3, 50, .dtype = t_int64), ":10"), "tensor([4, 3, 3, 3, 3, 3, 3, 3, 2, 2])");
    expect_printed(t_linspace(0.5, 9.9, 5, .dtype = t_int64), "tensor([0, 2, 4, 6, 9])");
    expect_printed(t_at(t_linspace(-188, 17, 26, .dtype = t_int64), "20"), "tensor(-23)");
    expect_printed(t_linspace(2.9, 7.5, 1, .dtype = t_int64), "tensor([2])");
    expect_printed(t_logspace(0, 1.2, 2, .dtype = t_int64), "tensor([ 1, 10])");
    expect_printed(t_logspace(1.9, 5.9, 5, 2, .dtype = t_int64), "tensor([ 2,  4,  8, 16, 32])");
    expect_printed(t_logspace(2.9, 7, 1, .dtype = t_int64), "tensor([794])");
    ck_assert_ptr_null((t_logspace)(40, 1, 1, 10, &(t_TensorOptions){sizeof(t_TensorOptions), .dtype = t_int64}));
    expect_error("value cannot be converted to type int64_t without overflow");
}
END_TEST


/* PyTorch fills where a mask is true, with one element of any dtype and rank. Several elements, an int64 index and
 * accumulate need x's dtype. */
START_TEST(one_element_of_another_dtype_fills_a_mask) {
    Tensor *x = t_tensor("[[1, 2], [3, 4]]", .dtype = t_float32), *mask = t_gt(x, 2), *seven = t_tensor("[7]");
    t_set(x, "{}", mask, seven);
    expect_printed(x, "tensor([[1., 2.],\n        [7., 7.]])");
    t_set(x, ":, [True, False]", t_tensor("[[[8]]]"));
    t_index_put_(x, t_list(t_tensor("[False, True]")), t_tensor("[[9]]"));
    expect_printed(x, "tensor([[8., 2.],\n        [9., 9.]])");
    expect_printed(t_index_put(x, t_list(mask), t_tensor("True")), "tensor([[8., 2.],\n        [1., 1.]])");
    Tensor *int64s = t_tensor("[1, 2]");
    t_set(int64s, "{}", t_gt(int64s, 1), t_tensor("[-7.9]"));
    expect_printed(int64s, "tensor([ 1, -7])");

    Tensor *v = t_tensor("[7.5]", .dtype = t_float64, .requires_grad = true), *y = t_zeros(2, 2);
    t_set(y, "{}", mask, v);
    t_backward(t_sum(t_mul(y, t_tensor("[[1, 2], [3, 4]]"))));
    expect_printed(t_grad(v), "tensor([7.], dtype=torch.float64)");

    const char *const differ = "Index put requires the source and destination dtypes match, got Float for the "
                               "destination and Long for the source.";
    expect_refusal(!(t_set)(x, "{}", &mask, 1, t_tensor("[1, 2]")), differ);
    expect_refusal(!(t_set)(x, "[0, 1]", NULL, 0, seven), differ);
    expect_refusal(!(t_set)(x, "True", NULL, 0, seven), differ);
    expect_refusal(!(t_index_put_)(x, t_list(mask), seven, true), differ);
    expect_refusal(!(t_set)(int64s, "[True, False]", NULL, 0, t_tensor("[nan]")),
                   "value cannot be converted to type int64_t without overflow");
    expect_printed(x, "tensor([[8., 2.],\n        [9., 9.]])");
}
END_TEST


/* ---- what PyTorch gives for what is not a number, or too small for a square ---- */

/* std::sort finds no order between NaN and anything, and torch.mode counts what it leaves side by side. */
START_TEST(the_mode_of_a_row_with_nan) {
    static const struct {
        const char *row;
        double mode;
        int index;
    } rows[] = {{"[1, nan, 1, 2, 2]", 2, 4}, {"[nan, 1, nan, 2]", NAN, 0}, {"[3, 3, nan, 1, 1]", 3, 1},
                {"[inf, inf, 1, 1, nan]", 1, 3},
                {"[2, 1, nan, 3, 1, 2, nan, 1, 0, 2, 2, nan, 0, 1, 3, 3, 2, 0, nan, 1, 1, 2, 0, 3]", 1, 19}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Tensor *index, *value = t_mode(t_to((t_tensor_from_text)(rows[i].row, NULL), t_float32), .indices = &index);
        if (isnan(rows[i].mode)) ck_assert_double_nan(t_item(value));
        else ck_assert_double_eq(t_item(value), rows[i].mode);
        ck_assert_int_eq(t_item_int64(index), rows[i].index);
    }
}
END_TEST

START_TEST(floor_divide_has_no_derivative) {
    Tensor *x = t_tensor("[5., -7, 2]", .requires_grad = true), *y = t_floor_divide(x, 2), *z = t_mul(x, 1);
    ck_assert(t_requires_grad(y));
    ck_assert_str_eq(t_grad_fn(y), "NotImplemented");
    expect_refusal(!(t_backward)(t_sum(y), NULL), "derivative for aten::floor_divide is not implemented");
    t_floor_divide_(z, 2);
    expect_refusal(!(t_backward)(t_sum(z), NULL), "derivative for aten::floor_divide_ is not implemented");
    ck_assert_ptr_null(t_grad(x));
    expect_printed(t_grad(t_sum(t_div_mode(x, t_number(2), "floor")), x), "tensor([0., 0., 0.])");
}
END_TEST

static void expect_norm_gradient(const char *text, double p, const char *y, const char *dx) {
    Tensor *x = t_requires_grad_(t_to((t_tensor_from_text)(text, NULL), t_float32), true), *norm = t_norm(x, p);
    expect_printed(t_detach(norm), y);
    expect_printed(t_grad(norm, x), dx);
}

/* A gradient of NaN from a row of denormals poisons a training: PyTorch's norm of it is 0, and passes nothing on. */
START_TEST(gradients_of_norms_at_the_edges) {
    expect_norm_gradient("[1e-40, 2e-40, 0]", 2, "tensor(0.)", "tensor([0., 0., 0.])");
    expect_norm_gradient("[1e-30, 1e-38]", 2, "tensor(0.)", "tensor([0., 0.])");
    expect_norm_gradient("[1e-40, 2e-40, 0]", 3, "tensor(0.)", "tensor([0., 0., 0.])");
    expect_norm_gradient("[inf, 1, -2]", 2, "tensor(inf)", "tensor([nan, 0., -0.])");
    expect_norm_gradient("[inf, 1, -2]", 3, "tensor(inf)", "tensor([nan, 0., -0.])");
    expect_norm_gradient("[inf, 1, -2]", 0.5, "tensor(inf)", "tensor([nan, inf, -inf])");
    expect_norm_gradient("[inf, -inf, 1]", INFINITY, "tensor(inf)", "tensor([ 0.5000, -0.5000,  0.0000])");
    expect_norm_gradient("[nan, 1, 2]", INFINITY, "tensor(nan)", "tensor([0., 0., 0.])");
    expect_norm_gradient("[inf, 1, -2]", 1, "tensor(inf)", "tensor([ 1.,  1., -1.])");
    expect_norm_gradient("[1e30, 2e30]", 3, "tensor(inf)", "tensor([nan, nan])");
    Tensor *x = t_tensor("[[1e-40, 0.], [3, 4]]", .requires_grad = true);
    t_backward(t_sum(t_norm(x, 2, 1)));
    expect_printed(t_grad(x), "tensor([[0.0000, 0.0000],\n        [0.6000, 0.8000]])");
}
END_TEST

/* Of cumprod (y) and logcumsumexp with the gradients 1, 2, 3, 4. */
static void expect_scan_gradient(bool product, const char *text, const char *dx) {
    Tensor *x = t_requires_grad_(t_to((t_tensor_from_text)(text, NULL), t_float32), true);
    t_backward(product ? t_cumprod(x, 0) : t_logcumsumexp(x, 0), t_arange(1., 5.));
    expect_printed(t_grad(x), dx);
}

START_TEST(gradients_of_scans_over_infinities_and_nan) {
    expect_scan_gradient(false, "[1, inf, 2, 3]", "tensor([1., nan, 0., 0.])");
    expect_scan_gradient(false, "[1, 2, inf, 0]", "tensor([1.5379, 1.4621,    nan, 0.0000])");
    expect_scan_gradient(false, "[-inf, 1, 2, 3]", "tensor([   nan, 3.1669, 3.1721, 2.6610])");
    expect_scan_gradient(true, "[inf, 1, 2, 3]", "tensor([nan, inf, inf, inf])");
    expect_scan_gradient(true, "[1, 2, 3, nan]", "tensor([nan, nan, nan, nan])");
    expect_scan_gradient(true, "[1, 0, inf, 2]", "tensor([1., inf, 0., 0.])");
    expect_scan_gradient(true, "[1, 2, 0, nan]", "tensor([5., 2., nan, 0.])");
    expect_scan_gradient(true, "[2, nan, 0, 3]", "tensor([nan, nan, nan, 0.])");
    Tensor *x = t_tensor("[[0., inf], [nan, 2]]", .requires_grad = true), *rows;
    Tensor *one = t_tensor("[nan]", .requires_grad = true);
    rows = t_cumprod(x, 1);
    expect_printed(t_grad(t_cumprod(x, 0), x, .grad_outputs = t_full((2, 2), 2.)),
                   "tensor([[nan, nan],\n        [0., inf]])");
    expect_printed(t_grad(rows, x, .grad_outputs = t_full((2, 2), 2.)),
                   "tensor([[inf, 0.],\n        [nan, nan]])");
    expect_printed(t_grad(t_cumprod(one, 0), one), "tensor([1.])");
}
END_TEST

/* ---- warnings ---- */

/* Each of the library's warnings twice, in a thread of its own, which has not given any before. */
static void *warn_of_everything(void *unused) {
    for (int i = 0; i < 2; i++) {
        Tensor *x = t_ones(3, .requires_grad = true);
        nn_init_trunc_normal_(t_empty(4), 5, 0.1, -1, 1);
        nn_LSTM(2, 2, .dropout = 0.5);
        F_kl_div(x, t_ones(3));
        F_mse_loss(t_ones(3, 1), t_zeros(3));
        t_gradcheck(t_sin, x, .raise_exception = false);
        optim_Optimizer *sgd = optim_SGD(t_list(x), .lr = 0.1);
        optim_scheduler_step(optim_StepLR(sgd, 2));
    }
    return unused;
}

static char *warnings_with(const char *setting) {
    pthread_t thread;
    if (setting) setenv("TAPEGRAD_WARNINGS", setting, 1);
    else unsetenv("TAPEGRAD_WARNINGS");
    catch_output(STDERR_FILENO);
    bool made = pthread_create(&thread, NULL, warn_of_everything, NULL) == 0;
    if (made) pthread_join(thread, NULL);
    char *text = caught_output();
    setenv("TAPEGRAD_WARNINGS", "off", 1);
    ck_assert(made);
    return text;
}

START_TEST(each_warning_is_given_once_and_none_when_they_are_off) {
    static const char *const sentences[] = {
        "UserWarning: mean is more than 2 std from [a, b] in nn_init_trunc_normal_. The distribution of values may be "
        "incorrect.\n",
        "UserWarning: dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
        "num_layers greater than 1, but got dropout=0.5 and num_layers=1\n",
        "UserWarning: reduction: 'mean' divides the total loss by both the batch size",
        "UserWarning: Using a target size (",
        "UserWarning: Input #0 requires gradient and is not a double precision floating point.",
        "UserWarning: optim_scheduler_step() before the first optim_step() skips"};
    char *text = warnings_with("off");
    ck_assert_str_eq(text, "");
    free(text);
    text = warnings_with(NULL);
    expect_in_order(text, sentences, 6);
    int lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++) lines++;
    ck_assert_int_eq(lines, 6);
    ck_assert_ptr_nonnull(strstr(text, "test_regressions.c:")); /* with the user's line */
    free(text);
}
END_TEST


Suite *regressions_suite(void) {
    Suite *suite = suite_create("regressions");
    TCase *tests = tcase_create("corners");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, keep_as_leaves_alone_what_it_did_not_carry);
    tcase_add_test(tests, ops_leave_nothing_but_their_result);
    tcase_add_test(tests, a_batch_may_outlive_the_scope_of_its_loop);
    tcase_add_test(tests, writes_to_a_base_with_gaps);
    tcase_add_test(tests, a_view_made_without_grad_is_not_written_to_with_it);
    tcase_add_test(tests, another_dtype_lets_the_old_data_go);
    tcase_add_test(tests, near_points_have_directions);
    tcase_add_test(tests, leaves_do_not_share_a_gradient);
    tcase_add_test(tests, a_tensor_is_not_its_own_gradient);
    tcase_add_test(tests, nan_lets_the_gradient_through);
    tcase_add_test(tests, int64_wraps_around);
    tcase_add_test(tests, numbers_that_overflow_are_refused);
    tcase_add_test(tests, a_product_of_depth_0_keeps_what_is_added);
    tcase_add_test(tests, factors_and_bounds_that_overflow_are_refused);
    tcase_add_test(tests, an_empty_tensor_may_be_very_long);
    tcase_add_test(tests, no_index_slips_through);
    tcase_add_test(tests, integer_spaces_truncate_their_ends_first);
    tcase_add_test(tests, one_element_of_another_dtype_fills_a_mask);
    tcase_add_test(tests, each_warning_is_given_once_and_none_when_they_are_off);
    tcase_add_test(tests, the_mode_of_a_row_with_nan);
    tcase_add_test(tests, floor_divide_has_no_derivative);
    tcase_add_test(tests, gradients_of_norms_at_the_edges);
    tcase_add_test(tests, linspace_rounds_once_in_its_dtype);
    tcase_add_test(tests, gradients_of_scans_over_infinities_and_nan);
    tcase_add_test(tests, options_without_their_size_are_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
