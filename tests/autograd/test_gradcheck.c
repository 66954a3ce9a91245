/* tests/autograd/test_gradcheck.c: t_gradcheck finds what is wrong, and says where; it changes nothing. */
#include <string.h>

#include "core/core.h"
#include "tests/autograd/test_autograd.h"
#include "tests/support/support.h"

static Tensor *doubles(const char *text) {
    return t_tensor(text, .dtype = t_float64, .requires_grad = true);
}

/* y = x^2, whose gradient is right but at `wrong`, where it is 10% off. */
static int64_t wrong;

static void square_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    Tensor *off = t_ones_like(dy);
    if (wrong >= 0) t_set(t_view(off, -1), "{}", wrong, 1.1);
    dx[0] = t_mul(t_mul(dy, off), t_mul(t_saved_tensor(ctx, 0), 2));
}
static const t_Function square = {.name = "square", .grad_fn = "SquareBackward", .backward = square_backward};

static Tensor *squared(Tensor *x) {
    Tensor *y = NULL;
    with_no_grad() { y = t_mul(x, x); }
    return t_apply(&square, y, x, .saved = t_list(x));
}

/* Three outputs, of which the second has no gradient. */
static t_TensorList *several(t_TensorList *in, void *context) {
    (void)context;
    return t_list(t_mul(in->items[0], in->items[1]), t_gt(in->items[0], 0), squared(in->items[1]));
}

START_TEST(right_gradients_pass) {
    wrong = -1;
    Tensor *x = doubles("[[0.5, -1.5, 2.0], [0.25, 1.0, -0.75]]"), *w = doubles("[0.5, 2.0, -1.0]");
    ck_assert(t_gradcheck(t_sin, x) && t_gradcheck(t_sin, x, .fast_mode = true));
    HOLDS(t_gradcheck(t_mul, t_list(x, w)) && t_gradgradcheck(t_mul, t_list(x, w)));
    HOLDS(t_gradcheck(several, t_list(x, w)) && t_gradgradcheck(several, t_list(x, w)));
    ck_assert(t_gradgradcheck(several, t_list(x, w), .fast_mode = true));
    ck_assert(t_gradgradcheck(t_sin, x, .grad_outputs = t_ones(2, 3, .dtype = t_float64, .requires_grad = true)));
    ck_assert(t_gradcheck(t_sin, t_transpose(x, 0, 1))); /* no leaf, and not contiguous */
    ck_assert(!t_grad(x) && !t_grad(w));
}
END_TEST

/* torch.manual_seed(0); gradgradcheck(lambda x: x ** 3, (randn(3),)); torch.rand(2) of torch 2.15: gradgradcheck draws
 * its grad_outputs, gradcheck draws nothing. */
START_TEST(gradgradcheck_draws_what_pytorch_draws) {
    t_manual_seed(0);
    Tensor *x = t_randn(3, .dtype = t_float64, .requires_grad = true), *before = t_get_rng_state();
    ck_assert(t_gradcheck(t_square, x) && t_equal(before, t_get_rng_state()));
    ck_assert(t_gradgradcheck(t_square, x));
    expect_printed(t_rand(2), "tensor([0.2939, 0.5185])");
}
END_TEST

/* Right, but its own gradient with respect to x is lost. */
static void careless_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    dx[0] = t_mul(dy, t_detach(t_mul(t_saved_tensor(ctx, 0), 2)));
}
static const t_Function careless = {.name = "careless", .grad_fn = "CarelessBackward", .backward = careless_backward};
static Tensor *careless_square(Tensor *x) {
    Tensor *y = NULL;
    with_no_grad() { y = t_mul(x, x); }
    return t_apply(&careless, y, x, .saved = t_list(x));
}

START_TEST(the_first_wrong_element_is_named) {
    Tensor *x = doubles("[0.5, -1.5, 2.0]"), *w = doubles("[[0.5, 2.0, -1.0], [1.0, 0.25, 0.75]]");
    t_set_grad(w, t_ones(2, 3, .dtype = t_float64));
    wrong = 4;
    ck_assert(!t_gradcheck(several, t_list(x, w)));
    ck_assert_ptr_nonnull(strstr(last_error_text(), "numerical: 0.5"));
    ck_assert_ptr_nonnull(strstr(last_error_text(), "analytical: 0.55"));
    expect_one_error(
        "Jacobian mismatch for output 1 with respect to input 1, first at d output[1, 1] / d input[1, 1]: ");
    ck_assert(!t_gradcheck(several, t_list(x, w), .fast_mode = true));
    expect_one_error(
        "Jacobian mismatch for output 1 with respect to input 1, first at d output[1, 1] / d input[1, 1]: ");
    ck_assert(t_gradcheck(several, t_list(x, w), .rtol = 0.2));
    ck_assert(!t_gradcheck(several, t_list(x, w), .raise_exception = false) && !t_error() && error_count() == 0);
    expect_values(t_grad(w), "[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]");
    expect_values(x, "[0.5, -1.5, 2.0]");
    ck_assert(t_gradcheck(careless_square, x) && !t_gradgradcheck(careless_square, x));
    expect_one_error("Jacobian mismatch for output 0 with respect to input 0, first at d output[0] / d input[0]: ");
}
END_TEST

static Tensor *cut(Tensor *x) {
    return t_detach(x);
}
static Tensor *fixed(Tensor *x) {
    return t_zeros_like(x);
}

/* Another gradient at every call. */
static void restless_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    static int calls;
    (void)ctx;
    dx[0] = t_mul(dy, 2 + 1e-9 * calls++);
}
static const t_Function restless = {.name = "restless", .grad_fn = "RestlessBackward", .backward = restless_backward};
static Tensor *restless_twice(Tensor *x) {
    Tensor *y = NULL;
    with_no_grad() { y = t_mul(x, 2); }
    return t_apply(&restless, y, x);
}

/* 10 a - 10 b, whose gradients are 0.05% too large and too small: each within the tolerance, but not their sum along a
 * direction in which they nearly cancel. */
static void leaning_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    (void)ctx;
    dx[0] = t_mul(dy, t_tensor("[10.005, -9.995]", .dtype = t_float64));
}
static const t_Function leaning_function = {
    .name = "leaning", .grad_fn = "LeaningBackward", .backward = leaning_backward};
static Tensor *leaning(Tensor *x) {
    Tensor *y = NULL;
    with_no_grad() { y = t_sum(t_mul(x, t_tensor("[10., -10.]", .dtype = t_float64))); }
    return t_apply(&leaning_function, y, x);
}

START_TEST(fast_mode_adds_errors_up) {
    Tensor *x = doubles("[0.5, -1.5]");
    ck_assert(t_gradcheck(leaning, x) && !t_gradcheck(leaning, x, .fast_mode = true));
    ck_assert_ptr_nonnull(strstr(last_error_text(), "(element by element they agree within the tolerance)"));
    expect_one_error("Jacobian mismatch for output 0 with respect to input 0, in fast mode: numerical: ");
}
END_TEST

/* Fails, or returns one element less, from the third call on. */
static int checked_calls;
static Tensor *shrinks(Tensor *x) {
    return ++checked_calls < 3 ? t_mul(x, 2) : t_mul(t_at(x, ":1"), 2);
}
static Tensor *gives_up(Tensor *x) {
    return ++checked_calls < 3 ? t_mul(x, 2) : t_mm(x, x);
}

START_TEST(a_function_that_changes_cannot_be_checked) {
    Tensor *x = doubles("[0.5, -1.5]");
    for (int fast = 0; fast < 2; fast++) {
        checked_calls = 0;
        ck_assert(!t_gradcheck(shrinks, x, .fast_mode = fast));
        expect_one_error("the function returned outputs of different shapes in different calls");
        checked_calls = 0;
        ck_assert(!t_gradcheck(gives_up, x, .fast_mode = fast));
        expect_one_error("mm: self must be a matrix, got 1-D tensor");
        expect_values(x, "[0.5, -1.5]");
    }
}
END_TEST

START_TEST(what_cannot_be_checked) {
    Tensor *x = doubles("[0.5, -1.5]");
    ck_assert(!t_gradcheck(t_sin, t_detach(x)));
    expect_one_error(
        "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True.");
    ck_assert(!t_gradcheck(t_sin, t_expand(x, 3, 2)));
    expect_one_error(
        "The 0th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping");
    ck_assert(!t_gradcheck(cut, x));
    expect_one_error("Numerical gradient for function expected to be zero");
    ck_assert(t_gradcheck(fixed, x));
    ck_assert(!t_gradcheck(restless_twice, x));
    expect_one_error("Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                     "gives different");
    ck_assert(t_gradcheck(restless_twice, x, .nondet_tol = 1e-6));
    ck_assert(!t_gradcheck(t_mm, t_list(x, x)));
    expect_one_error("");
}
END_TEST

Suite *gradcheck_suite(void);
Suite *gradcheck_suite(void) {
    Suite *suite = suite_create("gradcheck");
    TCase *tests = tcase_create("gradcheck");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, right_gradients_pass);
    tcase_add_test(tests, fast_mode_adds_errors_up);
    tcase_add_test(tests, a_function_that_changes_cannot_be_checked);
    tcase_add_test(tests, gradgradcheck_draws_what_pytorch_draws);
    tcase_add_test(tests, the_first_wrong_element_is_named);
    tcase_add_test(tests, what_cannot_be_checked);
    suite_add_tcase(suite, tests);
    return suite;
}
