/* tests/autograd/test_function_outputs.c: a user's op with several outputs, outputs without gradient, and inputs that
 * it writes to. Values and errors are those of the same torch.autograd.Functions in PyTorch 2.15. */
#include <string.h>

#include "core/core.h"
#include "tests/autograd/test_autograd.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

/* ---- y = x * w, z = x + w, k = x > 0, of which the last has no gradient ---- */

static int calls, undefined;

static void both_backward(t_Context *ctx, Tensor *const *dy, Tensor **dx) {
    calls++;
    undefined = !dy[0] + 2 * !dy[1] + 4 * !dy[2];
    Tensor *x = t_saved_tensor(ctx, 0), *w = t_saved_tensor(ctx, 1);
    if (t_needs_input_grad(ctx, 0)) dx[0] = t_add(t_mul(dy[0], w), dy[1]);
    if (t_needs_input_grad(ctx, 1)) dx[1] = t_add(t_mul(dy[0], x), dy[1]);
}
static const t_Function both_function = {
    .name = "both", .grad_fn = "BothBackward", .backward_outputs = both_backward};

static t_TensorList *both(Tensor *x, Tensor *w) {
    t_TensorList *outputs = NULL;
    with_no_grad() outputs = t_list(t_mul(x, w), t_add(x, w), t_gt(x, 0));
    return t_apply(&both_function, outputs, t_list(x, w), .saved = t_list(x, w),
                   .non_differentiable = t_list(outputs ? outputs->items[2] : NULL));
}

START_TEST(several_outputs) {
    Tensor *x = leaf("[1, 2]"), *w = leaf("[3, 4]");
    t_TensorList *out = both(x, w);
    ck_assert_str_eq(t_grad_fn(out->items[0]), "BothBackward");
    ck_assert_str_eq(t_grad_fn(out->items[1]), "BothBackward");
    HOLDS(!t_requires_grad(out->items[2]));
    calls = 0;
    t_backward(t_add(t_sum(out->items[0]), t_sum(t_square(out->items[1]))));
    expect_values(t_grad(x), "[11.0, 16.0]");
    expect_values(t_grad(w), "[9.0, 14.0]");
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(undefined, 0);
    ck_assert(!t_backward(t_sum(out->items[0])));
    expect_one_error("Trying to backward through the graph a second time");
    out = both(x, w);
    expect_values(t_grad(t_sum(out->items[0]), x), "[3.0, 4.0]");
    Tensor *fixed = t_detach(w), *y = both(x, fixed)->items[0];
    Tensor *g = t_grad(t_sum(t_square(y)), x, .create_graph = true);
    expect_values(t_detach(g), "[18.0, 64.0]");
    expect_values(t_grad(t_sum(g), x), "[18.0, 32.0]");
    with_no_grad() HOLDS(!t_requires_grad(both(x, w)->items[0]));
}
END_TEST

static t_TensorList *floating_both(t_TensorList *inputs, void *context) {
    (void)context;
    t_TensorList *out = both(inputs->items[0], inputs->items[1]);
    return out ? t_list(out->items[0], out->items[1]) : NULL;
}

/* Saves an output, which has its history in the second derivative: y = exp(x), z = y^2. */
static void powers_backward(t_Context *ctx, Tensor *const *dy, Tensor **dx) {
    Tensor *y = t_saved_tensor(ctx, 0);
    dx[0] = t_add(t_mul(dy[0], y), t_mul(dy[1], t_mul(t_square(y), 2)));
}
static const t_Function powers_function = {
    .name = "powers", .grad_fn = "PowersBackward", .backward_outputs = powers_backward};
static t_TensorList *powers(t_TensorList *inputs, void *context) {
    Tensor *x = inputs->items[0], *y = NULL, *z = NULL;
    (void)context;
    with_no_grad() {
        y = t_exp(x);
        z = t_square(y);
    }
    return t_apply(&powers_function, t_list(y, z), x, .saved = t_list(y));
}

START_TEST(several_outputs_twice) {
    t_TensorList *inputs = t_list(t_tensor("[0.5, -2.0]", .dtype = t_float64, .requires_grad = true),
                                  t_tensor("[1.5, 0.25]", .dtype = t_float64, .requires_grad = true));
    ck_assert(t_gradcheck(floating_both, inputs));
    ck_assert(t_gradgradcheck(floating_both, inputs));
    ck_assert(t_gradcheck(powers, inputs->items[0]));
    ck_assert(t_gradgradcheck(powers, inputs->items[0]));
    ck_assert_ptr_nonnull(t_func_jvp(powers, inputs->items[0], t_ones(2, .dtype = t_float64)));
}
END_TEST

/* ---- set_materialize_grads, once_differentiable ---- */

static void pair_backward(t_Context *ctx, Tensor *const *dy, Tensor **dx) {
    (void)ctx;
    undefined = !dy[0] + 2 * !dy[1];
    if (dy[0]) dx[0] = t_mul(dy[0], 2);
    if (dy[1]) dx[0] = dx[0] ? t_add(dx[0], t_mul(dy[1], 3)) : t_mul(dy[1], 3);
}
static const t_Function pair_function = {
    .name = "pair", .grad_fn = "PairBackward", .backward_outputs = pair_backward};
static const t_Function once_function = {.name = "once", .grad_fn = "OnceBackward", .once_differentiable = true,
                                         .backward_outputs = pair_backward};

static t_TensorList *pair(const t_Function *function, Tensor *x, bool materialize_grads) {
    t_TensorList *outputs = NULL;
    with_no_grad() outputs = t_list(t_mul(x, 2), t_mul(x, 3));
    return t_apply(function, outputs, x, .materialize_grads = materialize_grads);
}

START_TEST(gradients_that_are_not_materialized) {
    Tensor *x = leaf("[1, 2]");
    t_backward(t_sum(pair(&pair_function, x, false)->items[1]));
    ck_assert_int_eq(undefined, 1);
    expect_values(t_grad(x), "[3.0, 3.0]");
    t_backward(t_sum(pair(&pair_function, x, true)->items[0]));
    ck_assert_int_eq(undefined, 0);
    expect_values(t_grad(x), "[5.0, 5.0]");
    t_TensorList *out = pair(&once_function, x, true);
    Tensor *g = t_grad(t_sum(t_mul(out->items[0], out->items[1])), x, .create_graph = true);
    expect_values(t_detach(g), "[12.0, 24.0]");
    ck_assert(!t_backward(t_sum(g)));
    expect_one_error("once is not twice differentiable");
}
END_TEST

/* A hook on one output's gradient runs a backward through the other output. */
static Tensor *loss_of_other;
static Tensor *runs_a_backward(Tensor *grad, void *context) {
    (void)context;
    t_backward(loss_of_other, .retain_graph = true);
    return grad;
}

START_TEST(backwards_through_the_same_outputs_are_not_nested) {
    Tensor *x = leaf("[1, 2]");
    t_TensorList *out = pair(&pair_function, x, true);
    loss_of_other = t_sum(out->items[1]);
    t_register_hook(out->items[0], runs_a_backward);
    ck_assert(!t_backward(t_sum(t_add(out->items[0], out->items[1]))));
    const char *const part = ": a backward within another one through the same outputs";
    expect_in_order(last_error_text(), &part, 1);
    clear_errors();
    t_clear_error();
    ck_assert(!t_grad(x));
}
END_TEST

/* ---- mark_dirty ---- */

static void scale_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    dx[0] = t_mul(dy, t_saved_tensor(ctx, 0));
}
static const t_Function scale_function = {.name = "scale_", .grad_fn = "ScaleBackward", .backward = scale_backward};

static Tensor *scale_(Tensor *x, Tensor *w) {
    with_no_grad() t_mul_(x, w);
    return t_apply(&scale_function, x, t_list(x, w), .saved = t_list(w), .dirty = t_list(x));
}

START_TEST(dirty_inputs) {
    Tensor *x = leaf("[1, 2]"), *w = t_tensor("[3.0, 4.0]");
    Tensor *a = t_mul(x, 1), *b = scale_(a, w);
    ck_assert(b == a);
    ck_assert_str_eq(t_grad_fn(a), "ScaleBackward");
    t_backward(t_sum(a));
    expect_values(t_grad(x), "[3.0, 4.0]");
    t_set_grad(x, NULL);
    Tensor *base = t_mul(x, 1), *view = t_at(base, "0");
    ck_assert(scale_(view, t_tensor(5.0)) == view);
    ck_assert_str_eq(t_grad_fn(base), "CopySlices");
    expect_values(t_detach(base), "[5.0, 2.0]");
    t_backward(t_sum(base));
    expect_values(t_grad(x), "[5.0, 1.0]");
    ck_assert_ptr_null(scale_(x, w));
    expect_one_error("a leaf Variable that requires grad is being used in an in-place operation.");
}
END_TEST

/* An output that was written to, next to another one. */
static t_TensorList *pair_(Tensor *x) {
    Tensor *z = NULL;
    with_no_grad() {
        z = t_mul(x, 3);
        t_mul_(x, 2);
    }
    return t_apply(&pair_function, t_list(x, z), x, .dirty = t_list(x));
}

START_TEST(a_dirty_input_among_several_outputs) {
    Tensor *x = leaf("[1, 2]"), *a = t_mul(x, 1);
    t_TensorList *out = pair_(a);
    ck_assert(out->items[0] == a);
    t_backward(t_add(t_sum(t_square(a)), t_sum(out->items[1])));
    expect_values(t_grad(x), "[11.0, 19.0]"); /* 2 * 2 a + 3 */
}
END_TEST

START_TEST(wrong_marks_are_errors) {
    Tensor *x = t_mul(leaf("[1, 2]"), 1), *y = t_detach(t_mul(x, 2));
    t_apply(&scale_function, y, x, .dirty = t_list(x));
    expect_one_error("Some elements marked as dirty during the forward method were not returned as output. The inputs "
                     "that are modified inplace must all be outputs of the Function.");
    t_apply(&scale_function, y, x, .dirty = t_list(y));
    expect_one_error("Only input Tensors should be given to .dirty");
    t_apply(&pair_function, t_list(y, y), x, .non_differentiable = t_list(x));
    expect_one_error("Only outputs should be given to .non_differentiable");
    t_apply(&scale_function, t_list(y, y), x);
    expect_one_error("a t_Function with several outputs needs its name, grad_fn and backward_outputs");
    HOLDS(!t_requires_grad(t_apply(&scale_function, y, x, .non_differentiable = t_list(y))));
}
END_TEST

/* ---- rules that fail; a backward that fails between the outputs ---- */

static bool fails;
static Tensor *failing_hook(Tensor *g, void *context) {
    (void)g;
    (void)context;
    return fails ? (t_fail)("no") : NULL;
}

START_TEST(a_failed_backward_leaves_no_gradients) {
    Tensor *x = leaf("[1, 2]");
    t_TensorList *out = pair(&pair_function, x, true);
    t_register_hook(out->items[0], failing_hook);
    Tensor *sum = t_add(t_sum(out->items[0]), t_sum(out->items[1]));
    fails = true;
    ck_assert(!t_backward(sum, .retain_graph = true));
    expect_one_error("no");
    ck_assert_ptr_null(t_grad(x));
    fails = false;
    t_backward(t_sum(out->items[0]), .retain_graph = true);
    expect_values(t_grad(x), "[2.0, 2.0]");
    t_backward(sum);
    expect_values(t_grad(x), "[7.0, 7.0]");
}
END_TEST

/* ---- outputs of bfloat16 ---- */

static void parts_backward(t_Context *ctx, Tensor *const *dy, Tensor **dx) {
    (void)ctx;
    dx[0] = t_to(t_add(t_mul(dy[0], 2), t_mul(dy[1], 3)), t_float32);
}
static const t_Function parts_function = {
    .name = "parts", .grad_fn = "PartsBackward", .backward_outputs = parts_backward};

/* 2 x and 3 x, in bfloat16. */
static t_TensorList *parts(Tensor *x) {
    t_TensorList *outputs = NULL;
    with_no_grad() outputs = t_list(t_to(t_mul(x, 2), t_bfloat16), t_to(t_mul(x, 3), t_bfloat16));
    return t_apply(&parts_function, outputs, t_list(x));
}

START_TEST(outputs_of_bfloat16) {
    Tensor *x = leaf("[1, 2]");
    t_TensorList *out = parts(x);
    HOLDS(t_dtype(out->items[0]) == t_bfloat16 && t_requires_grad(out->items[1]));
    t_backward(t_add(t_sum(out->items[0]), t_sum(t_mul(out->items[1], 4))));
    expect_values(t_grad(x), "[14.0, 14.0]");
    HOLDS(t_dtype(t_grad(x)) == t_float32);
    out = parts(x);
    Tensor *g = t_grad(t_sum(t_square(out->items[0])), x, .create_graph = true);
    expect_values(t_detach(g), "[8.0, 16.0]");
    expect_values(t_grad(t_sum(g), x), "[8.0, 8.0]");
    with_detect_anomaly() {
        out = parts(x);
        t_set_grad(x, NULL);
        t_backward(t_sum(t_add(out->items[0], out->items[1])));
        expect_values(t_grad(x), "[5.0, 5.0]");
        HOLDS(!t_backward(t_sum(t_sqrt(t_mul(parts(x)->items[0], -1.0)))));
    }
    expect_in_order(last_error_text(), (const char *const[]){"returned nan values"}, 1);
    clear_errors();
}
END_TEST

/* ---- an error in the call ---- */

typedef struct Given {
    Tensor *x;
    t_TensorList *outputs;
} Given;

static bool apply_to_given(void *given) {
    const Given *g = given;
    const int depth = t_scope_open();
    t_TensorList *inputs = depth ? t_list_new(&g->x, 1) : NULL;
    t_ApplyOptions o = {.size = sizeof o, .saved = g->outputs};
    const bool done = inputs && (t_apply_outputs)(&parts_function, g->outputs, inputs, &o);
    t_scope_close(depth);
    return done;
}
static bool without_history(void *given) {
    const Given *g = given;
    return !t_requires_grad(g->outputs->items[0]) && !t_requires_grad(g->outputs->items[1]) &&
           t_is_leaf(g->outputs->items[0]);
}

START_TEST(a_failed_call_leaves_no_history) {
    Given given = {.x = leaf("[1, 2]")};
    with_no_grad() given.outputs = t_list(t_mul(given.x, 2), t_mul(given.x, 3));
    refuse_all("outputs of a failed call", apply_to_given, without_history, &given);
    report_notes();
}
END_TEST

static bool attempt(void *x) {
    t_set_grad((Tensor *)x, NULL);
    t_TensorList *out = both((Tensor *)x, (Tensor *)x);
    return out && t_backward(t_add(t_sum(out->items[0]), t_sum(out->items[1])));
}
static bool unchanged(void *x) {
    return t_requires_grad((Tensor *)x);
}
static bool attempt_dirty(void *x) {
    t_TensorList *out = pair_(t_mul((Tensor *)x, 1));
    return out != NULL;
}

START_TEST(failing_allocations) {
    Tensor *x = leaf("[1, 2]");
    refuse_all("several outputs", attempt, unchanged, x);
    refuse_all("dirty", attempt_dirty, NULL, x);
    clear_errors();
    report_notes();
}
END_TEST

Suite *function_outputs_suite(void);
Suite *function_outputs_suite(void) {
    Suite *suite = suite_create("function_outputs");
    TCase *tests = tcase_create("function_outputs");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, outputs_of_bfloat16);
    tcase_add_test(tests, a_failed_call_leaves_no_history);
    tcase_add_test(tests, several_outputs);
    tcase_add_test(tests, several_outputs_twice);
    tcase_add_test(tests, gradients_that_are_not_materialized);
    tcase_add_test(tests, backwards_through_the_same_outputs_are_not_nested);
    tcase_add_test(tests, dirty_inputs);
    tcase_add_test(tests, a_dirty_input_among_several_outputs);
    tcase_add_test(tests, wrong_marks_are_errors);
    tcase_add_test(tests, a_failed_backward_leaves_no_gradients);
    tcase_add_test(tests, failing_allocations);
    suite_add_tcase(suite, tests);
    return suite;
}
