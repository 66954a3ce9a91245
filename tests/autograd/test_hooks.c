/* tests/autograd/test_hooks.c: hooks on gradients, in PyTorch's order; retain_grad; detach_. */
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "core/tensor/context.h"
#include "tests/autograd/test_autograd.h"
#include "tests/support/support.h"

static char seen[256];

static Tensor *note_name(Tensor *g, void *name) {
    (void)g;
    strcat(seen, name);
    strcat(seen, " ");
    return NULL;
}
static void note_name_after_grad(Tensor *x, void *name) {
    strcat(strcat(seen, t_grad(x) ? "after:" : "too early:"), name);
    strcat(seen, " ");
}
static Tensor *doubled(Tensor *g, void *unused) {
    (void)unused;
    return t_mul(g, 2);
}

START_TEST(hooks_run_in_order) {
    seen[0] = '\0';
    Tensor *p = leaf("[1, 1]"), *q = leaf("[1, 1]"), *a = t_mul(p, 2), *b = t_mul(a, q), *c = t_mul(b, p);
    t_register_hook(p, note_name, "p");
    t_register_post_accumulate_grad_hook(p, note_name_after_grad, "p");
    t_register_hook(q, note_name, "q");
    t_register_post_accumulate_grad_hook(q, note_name_after_grad, "q");
    t_register_hook(a, note_name, "a1");
    t_register_hook(a, note_name, "a2");
    t_register_hook(b, note_name, "b");
    t_register_hook(c, note_name, "c");
    ck_assert(t_backward(t_sum(c)));
    ck_assert_str_eq(seen,
                     "c b q a1 a2 p after:q after:p "); /* PyTorch's; it runs a post hook right after its leaf's */
}
END_TEST

START_TEST(a_hook_changes_the_gradient) {
    Tensor *x = leaf("[1, 2]"), *a = t_exp(x);
    t_Hook *on_a = t_register_hook(a, doubled), *on_x = t_register_hook(x, doubled);
    t_retain_grad(a);
    Tensor *c = t_sum(t_mul(a, a));
    expect_values(t_grad(c, a, .retain_graph = true), "[10.873127, 29.556225]");
    t_TensorList *both = t_grad(c, t_list(a, x), .retain_graph = true); /* a on the way to x: from before its hooks */
    expect_values(both->items[0], "[5.4365635, 14.778112]");
    expect_values(both->items[1], "[59.112450, 436.785187]");
    ck_assert(t_hook_remove(on_x) && t_hook_remove(on_x));
    t_set_grad(a, NULL);
    ck_assert(t_backward(c, .retain_graph = true));
    expect_values(t_grad(a), "[10.873127, 29.556225]");
    expect_values(t_grad(x), "[29.556225, 218.392593]");
    t_hook_remove(on_a);
    t_set_grad(x, NULL);
    t_backward(c);
    expect_values(t_grad(x), "[14.778112, 109.196297]");
    expect_values(t_grad(a), "[16.309690, 44.334337]"); /* retained grads add up, too */
}
END_TEST

static Tensor *remove_self(Tensor *g, void *handle) {
    t_hook_remove(*(t_Hook **)handle);
    return t_add(g, 1);
}

START_TEST(a_hook_may_remove_itself) {
    Tensor *x = leaf("[1, 2]");
    t_Hook *self = NULL;
    self = t_register_hook(x, remove_self, &self);
    t_register_hook(x, doubled);
    t_backward(t_sum(x));
    expect_values(t_grad(x), "[4.0, 4.0]");
    t_backward(t_sum(x));
    expect_values(t_grad(x), "[6.0, 6.0]");
}
END_TEST

static Tensor *summed(Tensor *g, void *unused) {
    (void)unused;
    return t_sum(g);
}
static Tensor *widened(Tensor *g, void *unused) {
    (void)unused;
    return t_double(g);
}
static Tensor *failing(Tensor *g, void *unused) {
    (void)unused;
    return t_mul(g, t_ones(5));
}

START_TEST(hooks_that_are_refused) {
    Tensor *x = leaf("[1, 2]"), *w = leaf("[1, 2]");
    t_Hook *hook = t_register_hook(x, summed);
    ck_assert(!t_backward(t_sum(t_mul(x, w))));
    expect_one_error("hook 'test_hooks.c:");
    t_hook_remove(hook);
    hook = t_register_hook(x, widened);
    ck_assert(!t_backward(t_sum(t_mul(x, w))));
    expect_one_error("has changed the type of value (was torch.FloatTensor got torch.DoubleTensor)");
    t_hook_remove(hook);
    hook = t_register_hook(x, failing);
    ck_assert(!t_backward(t_sum(t_mul(x, w))));
    expect_one_error("The size of tensor a (2) must match the size of tensor b (5) at non-singleton dimension 0");
    ck_assert(!t_grad(x) && !t_grad(w) && !tg_thread.backward);
    ck_assert_ptr_null(t_register_hook(t_ones(2), note_name));
    expect_one_error("cannot register a hook on a tensor that doesn't require gradient");
    ck_assert_ptr_null(t_register_post_accumulate_grad_hook(t_mul(x, 2), note_name_after_grad));
    expect_one_error("post accumulate grad hooks cannot be registered on non-leaf tensors");
    ck_assert(!t_retain_grad(t_ones(2)));
    expect_one_error("can't retain_grad on Tensor that has requires_grad=False");
    ck_assert(t_retain_grad(x) && !t_retains_grad(x));
}
END_TEST

/* Hooks stay with the value they were registered on; retain_grad goes on with the tensor. */
START_TEST(in_place_after_a_hook) {
    seen[0] = '\0';
    Tensor *x = leaf("[1, 1]"), *a = t_mul(x, 2);
    t_retain_grad(a);
    t_register_hook(a, note_name, "before");
    t_mul_(a, 3);
    t_register_hook(a, note_name, "after");
    t_backward(t_sum(a));
    ck_assert_str_eq(seen, "after before ");
    expect_values(t_grad(a), "[1.0, 1.0]");
    expect_values(t_grad(x), "[6.0, 6.0]");
}
END_TEST

START_TEST(hooks_are_released_with_their_tensor) {
    t_Hook *hook = NULL;
    with_scope() {
        Tensor *x = leaf("[1, 1]");
        hook = t_keep(t_register_hook(x, note_name, "x"));
        ck_assert_int_eq(tg_thread.leaf_hooks, 1);
    }
    ck_assert_int_eq(tg_thread.leaf_hooks, 0);
    ck_assert(t_hook_remove(hook));
    Tensor *x = leaf("[1, 1]"), *y = NULL;
    with_scope() {
        Tensor *dies = t_mul(x, 2);
        t_retain_grad(dies);
        y = t_keep(t_sum(dies));
    }
    ck_assert(t_backward(y));
    expect_values(t_grad(x), "[2.0, 2.0]");
}
END_TEST

START_TEST(detach_in_place) {
    Tensor *x = leaf("[1, 2]"), *y = t_mul(x, 2);
    ck_assert(t_detach_(y) == y && !t_requires_grad(y) && t_is_leaf(y));
    ck_assert(!t_requires_grad(t_detach_(x)));
    ck_assert_ptr_null(t_detach_(t_at(t_mul(leaf("[1, 2]"), 2), "0")));
    expect_one_error("Can't detach views in-place. Use detach() instead.");
}
END_TEST

START_TEST(grad_mode_by_a_condition) {
    Tensor *x = leaf("[1, 2]"), *y[2] = {NULL, NULL};
    for (int on = 0; on < 2; on++) {
        with_set_grad_enabled(on) { y[on] = t_mul(x, 2); }
    }
    ck_assert(!t_requires_grad(y[0]) && t_requires_grad(y[1]) && t_is_grad_enabled());
}
END_TEST

Suite *hooks_suite(void);
Suite *hooks_suite(void) {
    Suite *suite = suite_create("hooks");
    TCase *tests = tcase_create("hooks");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, hooks_run_in_order);
    tcase_add_test(tests, a_hook_changes_the_gradient);
    tcase_add_test(tests, a_hook_may_remove_itself);
    tcase_add_test(tests, hooks_that_are_refused);
    tcase_add_test(tests, in_place_after_a_hook);
    tcase_add_test(tests, hooks_are_released_with_their_tensor);
    tcase_add_test(tests, detach_in_place);
    tcase_add_test(tests, grad_mode_by_a_condition);
    suite_add_tcase(suite, tests);
    return suite;
}
