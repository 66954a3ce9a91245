/* tests/autograd/test_function.c: a user's own op on the tape. */
#include <setjmp.h>

#include "core/core.h"
#include "core/tensor/context.h"
#include "nn/nn.h"
#include "tests/autograd/test_autograd.h"
#include "tests/support/support.h"

/* ---- an op of one's own: y = a x + w^2, with a in a struct and w saved ---- */

typedef struct Scale {
    double a;
} Scale;

static void scale_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    const Scale *scale = t_attributes(ctx);
    if (t_needs_input_grad(ctx, 0)) dx[0] = t_mul(dy, scale->a);
    if (t_needs_input_grad(ctx, 1)) dx[1] = t_mul(dy, t_mul(t_saved_tensor(ctx, 0), 2));
}
static const t_Function scale_function = {.name = "scale", .grad_fn = "ScaleBackward", .backward = scale_backward};

static Tensor *scale(Tensor *x, Tensor *w, double a) {
    Tensor *y = NULL;
    Scale attributes = {a};
    with_no_grad() { y = t_add(t_mul(x, a), t_mul(w, w)); }
    return t_apply(&scale_function, y, t_list(x, w), .saved = t_list(w), .attributes = &attributes,
                   .attribute_bytes = sizeof attributes);
}

START_TEST(own_op) {
    Tensor *x = leaf("[1, 2]"), *w = leaf("[3, -1]"), *y = scale(x, w, 5);
    ck_assert_str_eq(t_grad_fn(y), "ScaleBackward");
    expect_values(t_detach(y), "[14.0, 11.0]");
    ck_assert(t_backward(t_sum(t_mul(y, y))));
    expect_values(t_grad(x), "[140.0, 110.0]");
    expect_values(t_grad(w), "[168.0, -44.0]");
    ck_assert(!t_requires_grad(scale(t_ones(2), t_ones(2), 3)));
    with_no_grad() { ck_assert(!t_requires_grad(scale(x, w, 3))); }
}
END_TEST

static Tensor *scale_3(Tensor *x, Tensor *w) {
    return scale(x, w, 3);
}

START_TEST(own_op_twice) {
    t_TensorList *inputs = t_list(t_tensor("[0.5, -2.0]", .dtype = t_float64, .requires_grad = true),
                                  t_tensor("[[1.5, 0.25], [1.0, 2.0]]", .dtype = t_float64, .requires_grad = true));
    ck_assert(t_gradcheck(scale_3, inputs)); /* w is broadcast over x, too */
    ck_assert(t_gradgradcheck(scale_3, inputs));
}
END_TEST

START_TEST(own_op_checks_versions) {
    Tensor *x = leaf("[1, 2]"), *w = t_mul(leaf("[3, -1]"), 1), *y = scale(x, w, 5);
    t_add_(w, 1);
    ck_assert(!t_backward(t_sum(y)));
    expect_one_error("one of the variables needed for gradient computation has been modified by an inplace operation: "
                     "[torch.FloatTensor [2]], which is output 0 of Add,");
    ck_assert_ptr_null(t_grad(x));
    y = scale(x, leaf("[3, -1]"), 5);
    t_backward(t_sum(y));
    ck_assert(!t_backward(t_sum(y)));
    expect_one_error("Trying to backward through the graph a second time");
}
END_TEST

/* The identity, whose gradient is reversed: a result that is its own input. */
static void reverse_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    (void)ctx;
    dx[0] = t_neg(dy);
}
static const t_Function reverse = {.name = "reverse", .grad_fn = "ReverseBackward", .backward = reverse_backward};

START_TEST(own_identity) {
    Tensor *x = leaf("[1, 2]"), *y = t_apply(&reverse, x, x);
    ck_assert(y != x && t_is_leaf(x));
    t_backward(t_sum(y));
    expect_values(t_grad(x), "[-1.0, -1.0]");
    Tensor *m = leaf("[[1, 2], [3, 4]]");
    t_backward(t_sum(t_apply(&reverse, t_at(m, "0"), m, .saved = NULL)));
    expect_one_error(
        "Function ReverseBackward returned an invalid gradient at index 0 - got [2] but expected shape compatible with "
        "[2, 2]");
    ck_assert_ptr_null(t_apply(&reverse, t_ones(2, .dtype = t_int64), x));
    expect_one_error("reverse: only a floating output can have a gradient, not int64");
    ck_assert_ptr_null(t_apply(&(t_Function){.name = "nothing"}, t_ones(2), x));
    expect_one_error("a t_Function needs its name, grad_fn and backward");
}
END_TEST

/* A rule that computes on the data itself. */
static void raw_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    dx[0] = t_mul(dy, t_detach(t_mul(t_saved_tensor(ctx, 0), 2)));
}
static const t_Function raw = {
    .name = "raw", .grad_fn = "RawBackward", .backward = raw_backward, .once_differentiable = true};

static Tensor *raw_square(Tensor *x) {
    Tensor *y = NULL;
    with_no_grad() { y = t_mul(x, x); }
    return t_apply(&raw, y, x, .saved = t_list(x));
}

START_TEST(own_op_once) {
    Tensor *x = t_tensor("[1.0, 2.0]", .dtype = t_float64, .requires_grad = true);
    ck_assert(t_gradcheck(raw_square, x));
    ck_assert(!t_gradgradcheck(raw_square, x));
    expect_one_error("raw is not twice differentiable: a gradient that RawBackward returned cannot be differentiated");
    Tensor *y = t_sum(raw_square(x)), *g = t_grad(y, x, .create_graph = true);
    ck_assert(t_requires_grad(g));
    ck_assert_ptr_null(t_grad(t_sum(g), x));
    expect_one_error("raw is not twice differentiable");
}
END_TEST

/* Asks for what was not saved, and for an input that is not there. */
static void greedy_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    const bool needs = t_needs_input_grad(ctx, 1);
    ck_assert(!needs && strstr(t_error_message(), "greedy has 1 inputs, so the index 1 is out of range"));
    t_clear_error();
    clear_errors();
    dx[0] = t_mul(dy, t_saved_tensor(ctx, 2));
}
static const t_Function greedy = {.name = "greedy", .grad_fn = "GreedyBackward", .backward = greedy_backward};

START_TEST(own_op_asks_for_too_much) {
    Tensor *x = leaf("[1.0, 2.0]"), *y = t_apply(&greedy, t_detach(t_mul(x, 2)), x, .saved = t_list(x));
    ck_assert(!t_backward(t_sum(y)) && !t_grad(x));
    ck_assert_ptr_nonnull(strstr(last_error_text(), "greedy saved 1 tensors, so the index 2 is out of range"));
    t_clear_error();
}
END_TEST

/* ---- y = w exp(x) with rules for forward mode: right, without backward, and 10% off ---- */

static Tensor *exp_jvp(t_Context *ctx, Tensor *const *dx) {
    Tensor *y = t_saved_tensor(ctx, 0), *w = t_saved_tensor(ctx, 1);
    return t_add(t_mul(dx[0], y), t_mul(dx[1], t_div(y, w)));
}
static Tensor *wrong_jvp(t_Context *ctx, Tensor *const *dx) {
    return t_mul(exp_jvp(ctx, dx), 1.1);
}
static void exp_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    Tensor *y = t_saved_tensor(ctx, 0), *w = t_saved_tensor(ctx, 1);
    dx[0] = t_mul(dy, y);
    dx[1] = t_mul(dy, t_div(y, w));
}
static const t_Function forward_only = {.name = "exp", .grad_fn = "ExpBackward", .jvp = exp_jvp};
static const t_Function both_modes = {
    .name = "exp", .grad_fn = "ExpBackward", .backward = exp_backward, .jvp = wrong_jvp};

static Tensor *exp_of(const t_Function *function, Tensor *x, Tensor *w) {
    Tensor *y = NULL;
    with_no_grad () {
        y = t_mul(t_exp(x), w);
    }
    return t_apply(function, y, t_list(x, w), .saved = t_list(y, w));
}
static Tensor *exp_forward_only(Tensor *x, Tensor *w) {
    return exp_of(&forward_only, x, w);
}
static Tensor *exp_both_modes(Tensor *x, Tensor *w) {
    return exp_of(&both_modes, x, w);
}
static Tensor *exp_of_square(Tensor *x, Tensor *w) {
    return t_mul(exp_of(&forward_only, t_square(x), w), t_sin(x));
}

START_TEST(gradcheck_of_no_mode) {
    t_TensorList *inputs = t_list(leaf("[0.5, -1.0]"), leaf("[2.0, 4.0]"));
    ck_assert(!t_gradcheck(exp_both_modes, inputs, .check_backward_ad = false, .raise_exception = false));
    expect_one_error("Expected at least one of check_forward_ad or check_backward_ad to be True");
}
END_TEST

START_TEST(own_op_in_forward_mode) {
    Tensor *x = t_tensor("[0.5, -1.0]", .dtype = t_float64, .requires_grad = true);
    Tensor *w = t_tensor("[2.0, 4.0]", .dtype = t_float64, .requires_grad = true), *dy = NULL;
    t_TensorList *inputs = t_list(x, w);
    ck_assert(t_gradcheck(exp_forward_only, inputs, .check_forward_ad = true, .check_backward_ad = false));
    ck_assert(t_gradcheck(exp_of_square, inputs, .check_forward_ad = true, .check_backward_ad = false));
    ck_assert(!t_gradcheck(exp_both_modes, inputs, .check_forward_ad = true, .fast_mode = true));
    expect_one_error("Jacobian computed with forward mode mismatch for output 0 with respect to input 0, first at d "
                     "output[0] / d input[0]: numerical: 3.297442541 analytical: 3.627186796");
    ck_assert(t_gradcheck(exp_both_modes, inputs)); /* backward has its own rule */
    ck_assert(t_gradcheck(t_mul, inputs, .check_forward_ad = true));
    with_dual_level () {
        Tensor *a = t_autograd_forward_ad_make_dual(t_detach(x), t_ones(2, .dtype = t_float64));
        t_autograd_forward_ad_unpack_dual(exp_forward_only(a, t_detach(w)), .tangent = &dy); /* w has no tangent */
    }
    expect_values(dy, "[3.2974425, 1.4715178]");
    t_TensorList *all = t_func_jacfwd(exp_of_square, inputs);
    t_TensorList *first = t_func_jacfwd(exp_of_square, inputs, .argnums = t_tuple(0));
    HOLDS(t_allclose(t_list_get(all, 0), t_list_get(first, 0)));
    ck_assert(!t_backward(t_sum(exp_forward_only(x, w))));
    expect_one_error("exp: You must implement either the backward or vjp method for your custom autograd.Function to "
                     "use it with backward mode AD.");
    ck_assert(!t_grad(x) && !t_grad(w));
}
END_TEST

static jmp_buf landing;
static void jumping_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    (void)ctx, (void)dy, (void)dx;
    longjmp(landing, 1);
}
static const t_Function jumping_function = {
    .name = "jumping", .grad_fn = "JumpingBackward", .backward = jumping_backward};
static Tensor *jumping(Tensor *x) {
    return t_apply(&jumping_function, t_detach(t_mul(x, 2)), x);
}

START_TEST(forward_mode_ends_with_a_rule_that_jumps) {
    Tensor *x = t_tensor("[0.5, -1.0]", .dtype = t_float64, .requires_grad = true);
    Tensor *w = t_tensor("[2.0, 4.0]", .dtype = t_float64);
    const t_Mark mark = t_mark();
    if (setjmp(landing) == 0) t_func_jvp(jumping, t_detach(x), t_ones(2, .dtype = t_float64));
    t_unwind(mark);
    ck_assert(t_backward(t_sum(exp_both_modes(x, w))));
    expect_values(t_grad(x), "[3.2974425, 1.4715178]");
}
END_TEST

/* 1 - y^2 is rounded once, with a graph as without. */
START_TEST(tanh_has_the_same_gradient_with_a_graph) {
    Tensor *x = t_requires_grad_(t_linspace(-6, 6, 1000), true), *y = t_tanh(x), *dy = t_ones_like(x);
    Tensor *without = t_grad(y, x, .grad_outputs = dy, .retain_graph = true);
    Tensor *with = t_grad(y, x, .grad_outputs = dy, .create_graph = true);
    ck_assert(t_requires_grad(with) && t_equal(t_detach(with), without));
    ck_assert_str_eq(t_grad_fn(with), "TanhBackwardBackward0");
    ck_assert(t_gradgradcheck(t_tanh, t_tensor("[0.5, -1.5]", .dtype = t_float64, .requires_grad = true)));
}
END_TEST

Suite *function_suite(void);
Suite *function_suite(void) {
    Suite *suite = suite_create("function");
    TCase *tests = tcase_create("function");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, own_op);
    tcase_add_test(tests, own_op_twice);
    tcase_add_test(tests, own_op_checks_versions);
    tcase_add_test(tests, own_identity);
    tcase_add_test(tests, own_op_once);
    tcase_add_test(tests, own_op_asks_for_too_much);
    tcase_add_test(tests, gradcheck_of_no_mode);
    tcase_add_test(tests, own_op_in_forward_mode);
    tcase_add_test(tests, forward_mode_ends_with_a_rule_that_jumps);
    tcase_add_test(tests, tanh_has_the_same_gradient_with_a_graph);
    suite_add_tcase(suite, tests);
    return suite;
}
