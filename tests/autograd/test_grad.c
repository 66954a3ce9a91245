/* tests/autograd/test_grad.c: torch.autograd.grad and backward for some inputs only; one backward inside another. The
 * numbers are PyTorch's. */
#include <string.h>

#include "core/core.h"
#include "core/tensor/context.h"
#include "tests/autograd/test_autograd.h"
#include "tests/support/support.h"

/* ---- grad ---- */

START_TEST(grad_leaves_the_leaves_alone) {
    Tensor *x = leaf("[1, 2]"), *w = leaf("[3, 4]"), *h = t_mul(x, w), *y = t_sum(t_mul(h, x));
    t_TensorList *g = t_grad(y, t_list(x, h, w, x), .retain_graph = true);
    ck_assert_int_eq(g->len, 4);
    expect_values(g->items[0], "[6.0, 16.0]");
    expect_values(g->items[1], "[1.0, 2.0]");
    expect_values(g->items[2], "[1.0, 4.0]");
    ck_assert(g->items[3] == g->items[0] && !t_requires_grad(g->items[0]));
    ck_assert(!t_grad(x) && !t_grad(w) && !t_grad(h));
    expect_values(t_autograd_grad(y, w)->items[0], "[1.0, 4.0]");
    ck_assert_ptr_null(t_grad(y, w));
    expect_one_error("Trying to backward through the graph a second time");
}
END_TEST

/* Of a tensor a tensor, of a list a list; a tensor belongs to the scope as any other does. */
START_TEST(grad_gives_what_it_was_asked_for) {
    Tensor *x = leaf("[1, 2]"), *y = t_sum(t_mul(x, x)), *dx = t_grad(y, x, .retain_graph = true), *kept = NULL;
    t_TensorList *list = t_grad(y, t_list(x), .retain_graph = true),
                 *also = t_autograd_grad(y, x, .retain_graph = true);
    expect_values(dx, "[2.0, 4.0]");
    ck_assert(list->len == 1 && also->len == 1 && t_equal(list->items[0], dx) && t_equal(also->items[0], dx));
    with_scope() kept = t_keep(t_grad(t_list(y, y), x, .retain_graph = true));
    expect_values(kept, "[4.0, 8.0]");
    expect_values(t_grad(t_sum(t_grad(y, x, .create_graph = true)), x), "[2.0, 2.0]");
    ck_assert_ptr_null(t_grad(y, leaf("1"), .retain_graph = true, .allow_unused = true)); /* None */
    ck_assert(!t_error());
    ck_assert_ptr_null(t_grad(y, leaf("1"), .retain_graph = true));
    expect_one_error("The differentiated Tensor at index 0 appears to not have been used in the graph.");
}
END_TEST

START_TEST(grad_of_itself) {
    Tensor *x = leaf("3"), *y = t_mul(x, 2);
    expect_values(t_grad(x, x), "1.0");
    expect_values(t_grad(y, y), "1.0");
}
END_TEST

START_TEST(grad_outputs_weigh) {
    Tensor *x = leaf("[1, 2]"), *y = t_mul(x, x), *z = t_sum(x);
    expect_values(t_grad(y, x, t_tensor("[1.0, -0.5]"), .retain_graph = true), "[2.0, -2.0]");
    t_TensorList *none =
        t_grad(y, t_list(leaf("1")), t_ones(2), .retain_graph = true, .allow_unused = true); /* Python's [None] */
    ck_assert_ptr_null(t_list_get(none, 0));
    t_TensorList *weights = t_list(t_tensor("[1.0, -0.5]"), t_tensor("2.0"));
    expect_values(t_grad(t_list(y, z), x, weights, .retain_graph = true), "[4.0, 0.0]");
    expect_values(t_grad(t_list(z, z), x, .retain_graph = true), "[2.0, 2.0]");
    expect_values(t_grad(z, x, none, .retain_graph = true), "[1.0, 1.0]"); /* grad_outputs = [None] */
}
END_TEST

START_TEST(unused_inputs) {
    Tensor *x = leaf("[1, 2]"), *w = leaf("[3, 4]"), *y = t_sum(t_mul(x, 2));
    ck_assert_ptr_null(t_grad(y, t_list(x, w), .retain_graph = true));
    expect_one_error(
        "The differentiated Tensor at index 1 appears to not have been used in the graph. Set .allow_unused = true if "
        "this is the desired behavior.");
    t_TensorList *g = t_grad(y, t_list(x, w), .retain_graph = true, .allow_unused = true);
    ck_assert(g->items[0] && !g->items[1]);
    expect_values(t_grad(y, t_list(x, w), .materialize_grads = true)->items[1], "[0.0, 0.0]");
}
END_TEST

START_TEST(grad_refuses) {
    Tensor *x = leaf("[1, 2]"), *y = t_mul(x, 2);
    ck_assert_ptr_null(t_grad(t_sum(y), t_ones(2)));
    expect_one_error("One of the differentiated Tensors does not require grad");
    ck_assert_ptr_null(t_grad(t_ones(1), x));
    expect_one_error("element 0 of tensors does not require grad and does not have a grad_fn");
    ck_assert_ptr_null(t_grad(y, x));
    expect_one_error("grad can be implicitly created only for scalar outputs");
    ck_assert_ptr_null(t_grad(t_list(y, y), x, t_ones(2)));
    expect_one_error("got 2 tensors and 1 gradients");
    ck_assert_ptr_null(t_grad(y, x, t_ones(3)));
    expect_one_error("Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of "
                     "torch.Size([2]).");
    ck_assert_ptr_null(t_grad(y, (t_list_new)(NULL, 0)));
    expect_one_error("`inputs` argument to `grad()` cannot be empty.");
    ck_assert(!t_autograd_backward(t_list(t_sum(y), t_ones(1))));
    expect_one_error("element 1 of tensors does not require grad and does not have a grad_fn");
    ck_assert_ptr_null(t_grad(x));
}
END_TEST

/* Only what leads to an input runs: the exp, whose rule would fail, does not lead to w. */
START_TEST(nothing_else_runs) {
    Tensor *x = leaf("[1, 2]"), *w = leaf("[3, 4]"), *e = t_exp(x), *y = t_sum(t_mul(e, w));
    t_backward(t_sum(e)); /* the exp's saved tensor is gone */
    t_set_grad(x, NULL);
    expect_values(t_grad(y, w, .retain_graph = true), "[2.7182817, 7.389056]");
    expect_values(t_grad(y, e, .retain_graph = true), "[3.0, 4.0]");
    ck_assert_ptr_null(t_grad(y, x));
    expect_one_error("Trying to backward through the graph a second time");
}
END_TEST

START_TEST(what_was_not_run_is_not_freed) {
    Tensor *x = leaf("[1, 2]"), *a = t_exp(x), *c = t_sum(t_exp(a));
    expect_values(t_grad(c, a), "[15.154262, 1618.178]");
    expect_values(t_grad(t_sum(a), x), "[2.7182817, 7.389056]");
}
END_TEST

START_TEST(three_derivatives) {
    Tensor *x = leaf("[1, 2, -3]"), *y = t_sum(t_mul(t_mul(x, x), x));
    Tensor *first = t_grad(y, x, .create_graph = true);
    Tensor *second = t_grad(t_sum(first), x, .create_graph = true);
    expect_values(t_detach(first), "[3.0, 12.0, 27.0]");
    expect_values(t_detach(second), "[6.0, 12.0, -18.0]");
    expect_values(t_grad(t_sum(second), x), "[6.0, 6.0, 6.0]");
}
END_TEST

START_TEST(a_gradient_outlives_its_scope_when_kept) {
    Tensor *x = leaf("[1, 2]"), *g = NULL;
    with_scope() { g = t_keep(t_grad(t_sum(t_mul(x, x)), x)); }
    expect_values(g, "[2.0, 4.0]");
}
END_TEST

/* ---- backward for some inputs, and of several outputs ---- */

START_TEST(backward_with_inputs) {
    Tensor *x = leaf("[1, 2]"), *w = leaf("[3, 4]"), *a = t_exp(x), *y = t_sum(t_mul(t_mul(a, w), w));
    ck_assert(t_backward(y, .inputs = w, .retain_graph = true));
    expect_values(t_grad(w), "[16.30969, 59.112448]");
    ck_assert(!t_grad(x));
    ck_assert(t_backward(y, .inputs = t_list(a, w)));
    expect_values(t_grad(a), "[9.0, 16.0]");
    expect_values(t_grad(w), "[32.61938, 118.224896]");
    ck_assert(!t_grad(x) && t_retains_grad(a));
    ck_assert(!t_backward(y, .inputs = t_ones(2)));
    expect_one_error("can't retain_grad on Tensor that has requires_grad=False");
    ck_assert(!t_backward(y, .inputs = (t_list_new)(NULL, 0)));
    expect_one_error("`inputs` argument to `backward()` cannot be empty.");
}
END_TEST

START_TEST(backward_of_several) {
    Tensor *x = leaf("[1, 2]"), *y = t_mul(x, x), *z = t_sum(y);
    bool ok = t_autograd_backward(t_list(y, z, x), t_list(t_tensor("[1.0, -1.0]"), t_tensor("0.5"), t_ones(2)));
    ck_assert(ok);
    expect_values(t_grad(x), "[4.0, -1.0]");
}
END_TEST

/* ---- one backward inside another ---- */

/* y = x^2 by an inner graph, which the gradient rule recomputes and differentiates: activation checkpointing. */
static void again_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    with_enable_grad() {
        Tensor *x = t_requires_grad_(t_detach(t_saved_tensor(ctx, 0)), true), *w = t_saved_tensor(ctx, 1);
        t_backward(t_mul(t_mul(x, x), w), dy);
        dx[0] = t_grad(x);
    }
}
static const t_Function again = {.name = "again", .grad_fn = "AgainBackward", .backward = again_backward};

static Tensor *checkpointed(Tensor *x, Tensor *w) {
    Tensor *y = NULL;
    with_no_grad() { y = t_mul(t_mul(x, x), w); }
    return t_apply(&again, y, t_list(x, w), .saved = t_list(x, w));
}

/* Lists of gradients that were not used have NULLs. */
START_TEST(backward_of_nothing_is_refused) {
    Tensor *x = leaf("[1, 2]"), *unused = leaf("[3]"), *y = t_mul(x, 2);
    t_TensorList *dx = t_autograd_grad(t_sum(y), t_list(unused, x), .allow_unused = true);
    ck_assert(dx && !dx->items[0]);
    ck_assert(!(t_autograd_backward)(NULL, NULL, NULL));
    expect_error("argument 1 is NULL where a list of tensors is expected");
    ck_assert(!(t_autograd_backward)(dx, NULL, NULL));
    expect_error("argument 1 is NULL where a tensor is expected");
    ck_assert_ptr_null((t_backward_begin)(NULL, NULL));
    expect_error("argument 1 is NULL where a tensor is expected");
}
END_TEST

START_TEST(a_rule_may_run_a_backward) {
    Tensor *x = leaf("[1, 2]"), *w = leaf("[3, 5]"), *h = t_mul(x, 2);
    Tensor *y = t_add(t_sum(checkpointed(h, w)), t_sum(t_mul(w, x)));
    ck_assert(t_backward(y));
    expect_values(t_grad(x), "[27.0, 85.0]");
    expect_values(t_grad(w), "[5.0, 18.0]"); /* x of the outer graph, h^2 of the inner one */
    t_set_grad(w, NULL);
    y = t_add(t_sum(checkpointed(t_mul(x, 2), w)), t_sum(t_mul(w, x)));
    expect_values(t_grad(y, x), "[27.0, 85.0]");
    ck_assert_ptr_null(tg_thread.backward);
}
END_TEST

START_TEST(a_failure_inside_changes_nothing) {
    Tensor *x = leaf("[1, 2]"), *w = leaf("[3, 5]"), *h = t_mul(x, 2);
    Tensor *y = t_sum(checkpointed(h, w));
    t_add_(h, 1); /* the saved h is another now */
    ck_assert(!t_backward(t_add(y, t_sum(w))));
    ck_assert_ptr_nonnull(strstr(last_error_text(), "modified by an inplace operation"));
    clear_errors();
    t_clear_error();
    ck_assert(!t_grad(x) && !t_grad(w) && !tg_thread.backward);
}
END_TEST

Suite *grad_suite(void);
Suite *grad_suite(void) {
    Suite *suite = suite_create("grad");
    TCase *tests = tcase_create("grad");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, grad_leaves_the_leaves_alone);
    tcase_add_test(tests, grad_gives_what_it_was_asked_for);
    tcase_add_test(tests, grad_of_itself);
    tcase_add_test(tests, grad_outputs_weigh);
    tcase_add_test(tests, unused_inputs);
    tcase_add_test(tests, grad_refuses);
    tcase_add_test(tests, nothing_else_runs);
    tcase_add_test(tests, what_was_not_run_is_not_freed);
    tcase_add_test(tests, three_derivatives);
    tcase_add_test(tests, a_gradient_outlives_its_scope_when_kept);
    tcase_add_test(tests, backward_with_inputs);
    tcase_add_test(tests, backward_of_several);
    tcase_add_test(tests, backward_of_nothing_is_refused);
    tcase_add_test(tests, a_rule_may_run_a_backward);
    tcase_add_test(tests, a_failure_inside_changes_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}
