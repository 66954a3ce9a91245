/* tests/nn/functional/test_losses.c: cross_entropy, nll_loss and mse_loss of nn/functional/functional.h: keywords,
 * options, ignore_index and error messages. Values were recorded with PyTorch 2.15. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "nn/sugar/functional.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

static Tensor *input(const char *text) {
    return make_inputs(text, seed_of(text), t_float64).x[0];
}

static void expect_values(Tensor *x, const double *want, int64_t count) {
    ck_assert_msg(x != NULL, "%s", t_error());
    ck_assert_int_eq(t_numel(x), count);
    double got[16];
    t_tolist(x, got, 16);
    for (int64_t i = 0; i < count; i++) ck_assert_double_eq_tol(got[i], want[i], 1e-12);
}
#define EXPECT_VALUES(x, ...) \
    expect_values(x, (const double[]){__VA_ARGS__}, (int64_t)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)))

static Tensor *logits(void) {
    return t_tensor("[[1, 2, 3, 4], [2, 2, 2, 2], [-1, 0, 1, 8]]", .dtype = t_float64, .requires_grad = true);
}

/* ---- values and options ---- */

START_TEST(class_indices) {
    Tensor *x = logits(), *y = t_tensor("[1, 0, 3]"), *w = t_tensor("[1, 2, 3, 4]", .dtype = t_float64);
    EXPECT_VALUES(F_cross_entropy(x, y), 1.275951291817491);
    EXPECT_VALUES(F_cross_entropy(x, y, .reduction = "sum"), 3.827853875452473);
    EXPECT_VALUES(F_cross_entropy(x, y, .reduction = "none"), 2.4401896985611953, 1.3862943611198906,
                  0.0013698157713871583);
    EXPECT_VALUES(F_cross_entropy(x, y, .ignore_index = 0), 1.2207797571662913);
    EXPECT_VALUES(F_cross_entropy(x, y, .label_smoothing = 0.1), 1.4592846251508242);
    EXPECT_VALUES(F_cross_entropy(x, y, w), 0.89602186018969);
    EXPECT_VALUES(F_cross_entropy(x, y, .weight = w, .label_smoothing = 0.1, .ignore_index = 0), 0.9846104454617151);
    EXPECT_VALUES(F_nll_loss(t_log_softmax(x, 1), y, w), 0.89602186018969);
    EXPECT_VALUES((F_cross_entropy)(x, y, NULL), 1.275951291817491);
    EXPECT_VALUES((F_cross_entropy)(x, y, &F_LossDefaults), 1.275951291817491);
}
END_TEST

START_TEST(class_probabilities) {
    Tensor *x = logits();
    Tensor *p = t_tensor("[[0.25, 0.25, 0.25, 0.25], [1, 0, 0, 0], [0, 0.5, 0.5, 0]]", .dtype = t_float64);
    EXPECT_VALUES(F_cross_entropy(x, p), 3.609284625150824);
    EXPECT_VALUES(F_cross_entropy(x, p, .label_smoothing = 0.1, .reduction = "none"), 1.9401896985611955,
                  1.3862943611198906, 7.351369815771387);
}
END_TEST

START_TEST(mean_squared_error) {
    Tensor *a = t_tensor("[[1, 2], [3, 4]]", .dtype = t_float64), *b = t_tensor("[[1, 0], [0, 0]]", .dtype = t_float64);
    Tensor *w = t_tensor("[[9, 1], [0, 1]]", .dtype = t_float64);
    EXPECT_VALUES(F_mse_loss(a, b), 7.25);
    EXPECT_VALUES(F_mse_loss(a, b, .reduction = "sum"), 29);
    EXPECT_VALUES(F_mse_loss(a, b, .reduction = "none"), 0, 4, 9, 16);
    EXPECT_VALUES(F_mse_loss(a, b, .weight = w, .reduction = "sum"), 20);
    EXPECT_VALUES(F_mse_loss(a, b, w), 20.0 / 11);
}
END_TEST

/* Every target is ignored: the mean is NaN, the sum and every gradient are 0. */
START_TEST(all_ignored) {
    Tensor *x = logits(), *y = t_tensor("[-100, -100, -100]"), *zeros = t_zeros(3, 4, .dtype = t_float64);
    ck_assert_double_eq(t_item(F_cross_entropy(x, y, .reduction = "sum")), 0);
    for (int smooth = 0; smooth < 2; smooth++) {
        Tensor *loss = F_cross_entropy(x, y, .label_smoothing = smooth * 0.1);
        ck_assert(isnan(t_item(loss)));
        t_backward(loss);
        ck_assert(t_equal(t_grad(x), zeros));
    }
    ck_assert(isnan(t_item(F_cross_entropy(t_ones(0, 4), t_zeros(0, .dtype = t_int64)))));
}
END_TEST

/* The names that torch 2.15 prints. */
START_TEST(grad_fn_names) {
    Tensor *x = input("r(2,3)"), *cube = input("r(2,3,2)"), *square = input("r(2,3,2,2)");
    Tensor *y = t_tensor("[0, 2]"), *rows = t_tensor("[[0, 2], [1, 1]]"), *maps = t_zeros(2, 2, 2, .dtype = t_int64);
    ck_assert_str_eq(t_grad_fn(F_cross_entropy(x, y)), "NllLossBackward0");
    ck_assert_str_eq(t_grad_fn(F_cross_entropy(x, y, .reduction = "none")), "NllLossBackward0");
    ck_assert_str_eq(t_grad_fn(F_cross_entropy(cube, rows)), "NllLoss2DBackward0");
    ck_assert_str_eq(t_grad_fn(F_cross_entropy(cube, rows, .reduction = "none")), "ViewBackward0");
    ck_assert_str_eq(t_grad_fn(F_cross_entropy(square, maps, .reduction = "none")), "NllLoss2DBackward0");
    ck_assert_str_eq(t_grad_fn(F_cross_entropy(x, y, .label_smoothing = 0.1)), "AddBackward0");
    ck_assert_str_eq(t_grad_fn(F_cross_entropy(x, x, .reduction = "sum")), "NegBackward0");
    ck_assert_str_eq(t_grad_fn(F_mse_loss(x, x)), "MseLossBackward0");
}
END_TEST

/* ---- error messages ---- */

static const struct {
    const char *input, *target, *weight;
    const char *reduction;
    double label_smoothing;
    const char *message;
} mistakes[] = {
    {"r(3,5)", "[1, 5, 2]", NULL, "mean", 0, "Target 5 is out of bounds."},
    {"r(3,5)", "[1, 2, -1]", NULL, "mean", 0, "Target -1 is out of bounds."},
    {"r(3,5)", "[1, 2, 0, 1]", NULL, "mean", 0, "Expected input batch_size (3) to match target batch_size (4)."},
    {"r(3,5)", "1", NULL, "mean", 0, "Expected input batch_size (3) to match target batch_size (0)."},
    {"r(2,5)", "[[1], [2]]", NULL, "mean", 0, "0D or 1D target tensor expected, multi-target not supported"},
    {"r(5)", "[1, 2]", NULL, "mean", 0, "For 1D input, 1D target must have size 1, but got target size: 2"},
    {"r()", "[1, 2]", NULL, "mean", 0, "Expected 1 or more dimensions (got 0)"},
    {"r(2,5,3)", "[[1, 1], [2, 2]]", NULL, "mean", 0, "Expected target size [2, 3], got [2, 2]"},
    {"r(2,5,2,2)", "[[1, 1], [2, 2]]", NULL, "mean", 0,
     "only batches of spatial targets supported (3D tensors) but got targets of dimension: 2"},
    {"r(2,5,2,2)", "[[[1, 1]], [[2, 2]]]", NULL, "mean", 0,
     "size mismatch (got input: [2, 5, 2, 2] , target: [2, 1, 2]"},
    {"r(3,5)", "[1., 2., 0.]", NULL, "mean", 0, "expected target dtype to be Long or Byte, but got Float"},
    {"r(1,2)", "[[1, 0]]", NULL, "mean", 0,
     "Expected floating point type for target with class probabilities, got Long"},
    {"i(3,5)", "[1, 2, 0]", NULL, "mean", 0, "\"log_softmax_lastdim_kernel_impl\" not implemented for 'Long'"},
    {"r(3,5)", "[1, 2, 0]", NULL, "avg", 0, "avg is not a valid value for reduction"},
    {"r(3,5)", "[1, 2, 0]", NULL, "mean", 1.5, "label_smoothing must be between 0.0 and 1.0. Got: 1.5"},
    {"r(3,5)", "[1, 2, 0]", "P(4)", "mean", 0,
     "weight tensor should be defined either for all 5 classes or no classes but got weight tensor of shape: [4]"},
    {"r(1,5,2)", "[[1, 2]]", "P(4)", "mean", 0, "weight tensor should be defined either for all or no classes"},
    {"r(1,2)", "[[0.5, 0.5]]", "P(4)", "mean", 0,
     "cross_entropy: weight tensor should be defined either for all 2 classes or no classes but got weight tensor of "
     "shape: [4]"},
    {"r(3,5)", "[1, 2, 0]", "F(5)", "mean", 0, "expected scalar type Double but found Float"},
    {"r(3,5)", "[1, 2, 0]", "p(5)", "mean", 0,
     "The function 'nll_loss_forward' is not differentiable with respect to argument 'weight'. This input cannot have "
     "requires_grad True."},
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

START_TEST(refusals) {
    Tensor *x = input(mistakes[_i].input), *target = (t_tensor_from_text)(mistakes[_i].target, NULL);
    F_LossOptions options = F_LossDefaults;
    options.weight = mistakes[_i].weight ? input(mistakes[_i].weight) : NULL;
    options.reduction = mistakes[_i].reduction;
    options.label_smoothing = mistakes[_i].label_smoothing;
    int64_t live = t_live_count();
    ck_assert_ptr_null((F_cross_entropy)(x, target, &options));
    expect_error(mistakes[_i].message);
    ck_assert_int_eq(t_live_count(), live);
}
END_TEST

/* PyTorch's warning, once, and the broadcast value. */
START_TEST(sizes_that_differ_are_warned_about) {
    (F_mse_loss)(t_ones(3, 1), t_zeros(3), NULL); /* TAPEGRAD_WARNINGS is off */
    catch_warnings();
    for (int i = 0; i < 2; i++) EXPECT_VALUES(F_mse_loss(t_ones(3, 1), t_zeros(3)), 1);
    char *text = caught_warnings();
    const char *at = strstr(text, "UserWarning: ");
    ck_assert_ptr_nonnull(at);
    ck_assert_str_eq(at, "UserWarning: Using a target size (torch.Size([3])) that is different to the input size "
                         "(torch.Size([3, 1])). This will likely lead to incorrect results due to broadcasting. Please "
                         "ensure they have the same size.\n");
    free(text);
}
END_TEST

/* The fused gradient compared with that of the ops that create_graph uses; at 0 and 1 the divisor is 1e-12. */
static void check_binary(t_DType dtype, int64_t n, const char *reduction, int weighted) {
    Tensor *x = t_rand(3, n, .dtype = dtype), *target = t_rand(3, n, .dtype = dtype);
    if (n > 3) t_set(x, "0, :4", t_tensor("[0., 1, 0.5, 1e-20]"));
    t_requires_grad_(x, true);
    Tensor *weight = !weighted ? NULL : weighted == 1 ? t_rand(n, .dtype = dtype) : t_rand(3, 1, .dtype = t_float64);
    Tensor *y = F_binary_cross_entropy(x, target, weight, .reduction = reduction), *dy = t_rand_like(y);
    Tensor *one = t_list_get(t_autograd_grad(y, x, .grad_outputs = dy, .retain_graph = true), 0);
    Tensor *ops = t_list_get(t_autograd_grad(y, x, .grad_outputs = dy, .create_graph = true), 0);
    ck_assert_int_eq(t_dtype(one), dtype);
    const double near = dtype == t_float64 ? 1e-14 : 1e-6;
    if (weighted == 1) { /* float weights give the same as these of the input's dtype */
        Tensor *floats = t_to(weight, t_float32), *dx[2];
        for (int i = 0; i < 2; i++) {
            y = F_binary_cross_entropy(x, target, i ? t_to(floats, dtype) : floats, .reduction = reduction);
            dx[i] = t_list_get(t_autograd_grad(y, x, .grad_outputs = dy), 0);
        }
        if (!t_allclose(dx[0], dx[1], near, near)) note("%s, weights of floats, rows of %d", reduction, (int)n);
    }
    if (!t_allclose(one, t_detach(ops), near, near))
        note("%s, %d of weights, rows of %d, dtype %d", reduction, weighted, (int)n, dtype);
}

START_TEST(binary_cross_entropy_has_one_gradient) {
    static const char *reductions[] = {"mean", "sum", "none"};
    for (int i = 0; i < 3 * 3 * 2; i++)
        for (int64_t n = 1; n < 40; n += 6)
            with_scope() check_binary(i % 2 ? t_float32 : t_float64, n, reductions[i / 2 % 3], i / 6);
    report_notes();
}
END_TEST

Suite *losses_suite(void);
Suite *losses_suite(void) {
    Suite *suite = suite_create("losses");
    TCase *tests = tcase_create("losses");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, class_indices);
    tcase_add_test(tests, class_probabilities);
    tcase_add_test(tests, mean_squared_error);
    tcase_add_test(tests, all_ignored);
    tcase_add_test(tests, grad_fn_names);
    tcase_add_loop_test(tests, refusals, 0, MISTAKES);
    tcase_add_test(tests, sizes_that_differ_are_warned_about);
    tcase_add_test(tests, binary_cross_entropy_has_one_gradient);
    suite_add_tcase(suite, tests);
    return suite;
}
