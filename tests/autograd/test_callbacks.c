/* tests/autograd/test_callbacks.c: user functions that the library calls (forwards, hooks, gradient rules) and that
 * fail, leave by longjmp, or close scopes and register hooks that the library is using. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "core/tensor/context.h"
#include "nn/nn.h"
#include "tests/support/support.h"

#define MISFIT "mm: mat1 and mat2 shapes cannot be multiplied (1x2 and 7x7)"

typedef struct Net {
    nn_Module base;
} Net;

/* ---- an error of a plain call inside a callback is reported once ---- */

static Tensor *plain_failure_call(Net *self, Tensor *x) {
    (void)self;
    Tensor *y = (t_matmul)(x, t_ones(7, 7));
    return t_relu(y);
}

static Tensor *handled_failure_call(Net *self, Tensor *x) {
    (void)self;
    if (!(t_matmul)(x, t_ones(7, 7))) t_clear_error();
    return t_relu(x);
}

static Tensor *silent_call(Net *self, Tensor *x) {
    (void)self, (void)x;
    return NULL;
}

START_TEST(a_plain_failure_in_a_forward_is_reported_once) {
    Net *net = nn_module(Net, plain_failure_call);
    ck_assert_ptr_null(nn_call(net, t_ones(1, 2)));
    ck_assert_int_eq(error_count(), 1);
    expect_error(MISFIT);
    ck_assert_ptr_null(nn_call(nn_Sequential(nn_Identity(), net, nn_ReLU()), t_ones(1, 2)));
    ck_assert_int_eq(error_count(), 2);
    expect_error(MISFIT);
}
END_TEST

START_TEST(a_failure_that_a_forward_handles_is_not_reported) {
    Net *net = nn_module(Net, handled_failure_call);
    ck_assert_ptr_nonnull(nn_call(net, t_ones(1, 2)));
    ck_assert_int_eq(error_count(), 0);
    ck_assert_ptr_null(t_error());
}
END_TEST

START_TEST(a_forward_that_returns_nothing_is_an_error) {
    Net *net = nn_module(Net, silent_call);
    ck_assert_ptr_null(nn_call(net, t_ones(1, 2)));
    ck_assert_int_eq(error_count(), 1);
    expect_error("the forward of Net returned NULL");
}
END_TEST

static Tensor *plain_failure_hook(Tensor *g, void *context) {
    (void)context;
    Tensor *y = (t_matmul)(t_ones(1, 2), t_ones(7, 7));
    t_relu(g);
    return y;
}

static Tensor *handled_failure_hook(Tensor *g, void *context) {
    (void)context;
    if (!(t_matmul)(t_ones(1, 2), t_ones(7, 7))) t_clear_error();
    return t_mul(g, 2);
}

START_TEST(a_plain_failure_in_a_hook_is_reported_once) {
    Tensor *w = t_ones(2, .requires_grad = true);
    t_Hook *hook = t_register_hook(w, plain_failure_hook, NULL);
    ck_assert(!t_backward(t_sum(w)));
    ck_assert_int_eq(error_count(), 1);
    expect_error(MISFIT);
    ck_assert_ptr_null(t_grad(w));
    t_hook_remove(hook);
    t_register_hook(w, handled_failure_hook, NULL);
    ck_assert(t_backward(t_sum(w)));
    ck_assert_int_eq(error_count(), 1);
    ck_assert_double_eq(t_item(t_sum(t_grad(w))), 4);
}
END_TEST

/* Numbers become tensors inside the call's frame: where there is no memory for one, the call reports it. */
START_TEST(a_number_without_memory_is_reported) {
    Tensor *x = t_ones(3);
    tg_alloc_fail(1, true);
    Tensor *y = t_mul(x, 2);
    tg_alloc_fail(0, false);
    ck_assert_ptr_null(y);
    ck_assert_int_eq(error_count(), 1);
    ck_assert_ptr_nonnull(strstr(last_error_text(), "t_mul(x, 2): out of memory"));
    clear_errors();
    t_clear_error();
    tg_alloc_fail(1, true);
    t_Generator *generator = t_generator();
    tg_alloc_fail(0, false);
    ck_assert_ptr_null(generator);
    ck_assert_int_eq(error_count(), 1);
    t_clear_error();
    clear_errors();
    tg_alloc_fail(1, false);
    Tensor *kept = t_scoped(x);
    tg_alloc_fail(0, false);
    ck_assert_ptr_eq(kept, x);
    ck_assert_int_eq(error_count(), 1);
    t_clear_error();
}
END_TEST

/* ---- callbacks that leave by longjmp ---- */

static jmp_buf back;

static Tensor *jumping_hook(Tensor *g, void *context) {
    (void)context;
    t_mul(g, 2);
    longjmp(back, 1);
}

static void jumping_rule(t_Context *ctx, Tensor *dy, Tensor **dx) {
    (void)ctx, (void)dx;
    t_mul(dy, 2);
    longjmp(back, 1);
}

static const t_Function jumping_function = {.name = "jumping", .grad_fn = "JumpingBackward", .backward = jumping_rule};

static Tensor *jumping(t_TensorList *inputs) {
    Tensor *y = NULL;
    with_no_grad() y = t_clone(inputs->items[0]);
    return t_apply(&jumping_function, y, inputs);
}

static void jumping_handler(const char *text, void *context) {
    (void)text, (void)context;
    longjmp(back, 1);
}

static Tensor *failing_hook(Tensor *g, void *context) {
    (void)context;
    return t_matmul(g, t_ones(7, 7));
}

typedef enum Where { leaf_hook, op_hook, handler_in_hook, rule, rule_of_many } Where;

static void jump_out(Where where) {
    Tensor *w = t_ones(2, .requires_grad = true), *y = t_mul(w, 3);
    t_TensorList *inputs = t_list(y);
    if (where == leaf_hook) t_register_hook(w, jumping_hook, NULL);
    if (where == op_hook) t_register_hook(y, jumping_hook, NULL);
    if (where == handler_in_hook) t_register_hook(w, failing_hook, NULL), t_set_error_handler(jumping_handler, NULL);
    for (int i = 0; where == rule_of_many && i < 20; i++) t_list_append(inputs, w);
    if (where >= rule) y = jumping(inputs);
    t_backward(t_sum(y));
    ck_abort_msg("the callback did not jump");
}

static void jump_and_unwind(Where where) {
    const t_Mark mark = t_mark();
    if (!setjmp(back)) {
        t_scope_open();
        jump_out(where);
    }
    t_unwind(mark);
    t_set_error_handler(NULL, NULL);
}

START_TEST(what_leaves_by_longjmp_leaves_nothing) {
    for (Where where = leaf_hook; where <= rule_of_many; where++) {
        jump_and_unwind(where);
        int64_t live = t_live_count(), bytes = t_live_bytes(), records = tg_thread.records_alive;
        for (int i = 0; i < 3; i++) jump_and_unwind(where);
        ck_assert_int_eq(t_live_count(), live);
        ck_assert_int_eq(t_live_bytes(), bytes);
        ck_assert_int_eq(tg_thread.records_alive, records);
        ck_assert_int_eq(tg_thread.leaf_hooks, 0);
        ck_assert(t_is_grad_enabled());
    }
}
END_TEST

/* ---- callbacks that change what the library is using ---- */

static int runs;

static Tensor *registering_hook(Tensor *g, void *leaf) {
    (void)g;
    runs++;
    ck_assert_int_lt(runs, 100);
    t_register_hook((Tensor *)leaf, registering_hook, leaf);
    return NULL;
}

/* PyTorch runs the hooks that were there when the list began. */
START_TEST(a_hook_registered_by_a_hook_runs_the_next_time) {
    Tensor *w = t_ones(2, .requires_grad = true);
    t_register_hook(w, registering_hook, w);
    runs = 0;
    ck_assert(t_backward(t_sum(w)));
    ck_assert_int_eq(runs, 1);
    ck_assert(t_backward(t_sum(w)));
    ck_assert_int_eq(runs, 3);
    ck_assert_double_eq(t_item(t_sum(t_grad(w))), 4);
}
END_TEST

static Tensor *closing_call(Net *self, Tensor *x) {
    (void)self;
    (t_scope_close)(1);
    t_clear_error();
    with_scope() t_ones(3);
    return t_mul(x, 2);
}

START_TEST(a_forward_cannot_close_the_scopes_of_its_caller) {
    nn_Sequential *model = nn_Sequential(nn_Identity(), nn_module(Net, closing_call), nn_Identity());
    Tensor *x = t_ones(2), *y = nn_call(model, x);
    ck_assert_double_eq(t_item(t_sum(y)), 4);
    ck_assert_double_eq(t_item(t_sum(x)), 2);
}
END_TEST

static Tensor *loud_closing_call(Net *self, Tensor *x) {
    (void)self;
    t_scope_close(1);
    return x;
}

START_TEST(closing_them_is_reported) {
    Tensor *x = t_ones(2);
    nn_call(nn_module(Net, loud_closing_call), x);
    ck_assert_int_eq(error_count(), 1);
    ck_assert_ptr_nonnull(strstr(last_error_text(), "the scope of depth 1 cannot be closed here"));
    ck_assert_double_eq(t_item(t_sum(x)), 2);
    t_clear_error();
}
END_TEST

Suite *callbacks_suite(void);
Suite *callbacks_suite(void) {
    Suite *suite = suite_create("callbacks");
    TCase *tests = tcase_create("callbacks");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, a_plain_failure_in_a_forward_is_reported_once);
    tcase_add_test(tests, a_failure_that_a_forward_handles_is_not_reported);
    tcase_add_test(tests, a_forward_that_returns_nothing_is_an_error);
    tcase_add_test(tests, a_plain_failure_in_a_hook_is_reported_once);
    tcase_add_test(tests, a_number_without_memory_is_reported);
    tcase_add_test(tests, what_leaves_by_longjmp_leaves_nothing);
    tcase_add_test(tests, a_hook_registered_by_a_hook_runs_the_next_time);
    tcase_add_test(tests, a_forward_cannot_close_the_scopes_of_its_caller);
    tcase_add_test(tests, closing_them_is_reported);
    suite_add_tcase(suite, tests);
    return suite;
}
