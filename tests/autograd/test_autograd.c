/* tests/autograd/test_autograd.c: backward itself: accumulation, freed and retained graphs, gradients of gradients, its
 * errors. Values of whole graphs are in op_table_graphs.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "tests/autograd/test_autograd.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

void expect_values(Tensor *x, const char *text) {
    ck_assert_msg(x != NULL, "NULL, expected %s (%s)", text, last_error_text());
    int depth = t_scope_open();
    if (!t_allclose(x, t_to(t_tensor(text), t_dtype(x)), 3e-6, 1e-6)) {
        char *said = t_repr(x);
        ck_abort_msg("got %s, expected %s", said, text);
    }
    t_scope_close(depth);
}

void expect_one_error(const char *sentence) {
    ck_assert_msg(error_count() == 1, "the handler was called %d times, expected once with: %s", error_count(),
                  sentence);
    ck_assert_msg(strstr(last_error_text(), sentence) != NULL, "said %s\nexpected %s", last_error_text(), sentence);
    clear_errors();
    t_clear_error();
}

Tensor *leaf(const char *text) {
    return t_tensor(text, .dtype = t_float32, .requires_grad = true);
}

/* ---- accumulation ---- */

START_TEST(two_backwards_add_up) {
    Tensor *x = leaf("[1, 2, 3]");
    t_backward(t_sum(t_mul(x, x)));
    expect_values(t_grad(x), "[2.0, 4.0, 6.0]");
    t_backward(t_sum(x));
    expect_values(t_grad(x), "[3.0, 5.0, 7.0]");
    t_set_grad(x, NULL);
    ck_assert_ptr_null(t_grad(x));
}
END_TEST

START_TEST(a_leaf_may_be_the_loss) {
    Tensor *x = leaf("5");
    ck_assert(t_backward(x));
    expect_values(t_grad(x), "1.0");
    ck_assert(t_is_leaf(x));
}
END_TEST

START_TEST(gradients_have_the_layout_of_the_leaf) {
    Tensor *x = t_transpose(t_tensor("[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]"), 0, 1), *y = leaf("[1, 2]");
    t_requires_grad_(x, true);
    t_backward(t_sum(t_mul(t_contiguous(x), t_mul(x, y))));
    ck_assert_int_eq(t_stride(t_grad(x), 0), t_stride(x, 0));
    expect_values(t_grad(x), "[[2.0, 16.0], [4.0, 20.0], [6.0, 24.0]]");
    expect_values(t_grad(y), "[14.0, 77.0]");
}
END_TEST

START_TEST(a_gradient_argument_weighs_the_output) {
    Tensor *x = leaf("[1, 2, 3]"), *y = t_mul(x, x);
    t_backward(y, t_tensor("[1.0, 0.5, -1.0]"));
    expect_values(t_grad(x), "[2.0, 2.0, -6.0]");
}
END_TEST

/* The gradient of a sum is expanded: it must not be added to in place. */
START_TEST(shared_gradients_stay_apart) {
    Tensor *x = leaf("[1, 2]"), *y = leaf("[3, 4]"), *sum = t_add(x, y);
    t_backward(t_add(t_sum(sum), t_sum(t_mul(sum, x))));
    expect_values(t_grad(x), "[6.0, 9.0]");
    expect_values(t_grad(y), "[2.0, 3.0]");
    Tensor *dy = t_ones(2), *z = leaf("[1, 1]");
    t_backward(t_mul(z, 1), dy);
    t_backward(t_mul(z, 1), dy);
    expect_values(dy, "[1.0, 1.0]");
    expect_values(t_grad(z), "[2.0, 2.0]");
}
END_TEST

/* PyTorch's warning, once per call site; not for a leaf, nor for a tensor that retains its grad. */
START_TEST(grad_of_a_non_leaf_is_warned_about) {
    Tensor *x = leaf("[1, 2]"), *y = t_mul(x, x), *z = t_mul(y, 2);
    t_retain_grad(z);
    char expected[160];
    catch_warnings();
    ck_assert_ptr_null(t_grad(x)); /* a leaf without a grad */
    ck_assert_ptr_null(t_grad(z)); /* retains its grad */
    for (int i = 0; i < 2; i++) ck_assert_ptr_null(t_grad(y));
    snprintf(expected, sizeof expected, "%s:%d: UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor "
             "is being accessed.", __FILE__, __LINE__ - 2);
    char *text = caught_warnings();
    ck_assert_msg(strncmp(text, expected, strlen(expected)) == 0, "said %s", text);
    ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1); /* one line */
    free(text);
}
END_TEST

/* ---- errors ---- */

START_TEST(a_second_backward_is_refused) {
    Tensor *x = leaf("[1, 2, 3]"), *loss = t_sum(t_mul(x, x));
    t_backward(loss);
    ck_assert(!t_backward(loss));
    expect_one_error(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have "
        "already been freed). Saved intermediate values of the graph are freed when you call");
    expect_values(t_grad(x), "[2.0, 4.0, 6.0]");
    loss = t_sum(t_mul(x, x));
    char freed_by[128];
    t_backward(loss), snprintf(freed_by, sizeof freed_by, "The graph was freed by t_backward(loss), %s:%d", __FILE__,
                               __LINE__ - 1);
    ck_assert(!t_backward(loss));
    ck_assert_ptr_nonnull(strstr(last_error_text(), freed_by));
    clear_errors();
    t_clear_error();
    t_set_grad(x, t_tensor("[2.0, 4.0, 6.0]"));
    loss = t_sum(t_mul(x, x));
    t_backward(loss, .retain_graph = true);
    t_backward(loss);
    expect_values(t_grad(x), "[6.0, 12.0, 18.0]");
}
END_TEST

START_TEST(a_vector_needs_a_gradient) {
    Tensor *x = leaf("[1, 2, 3]");
    ck_assert(!t_backward(t_mul(x, x)));
    expect_one_error("grad can be implicitly created only for scalar outputs");
    ck_assert(!t_backward(t_mul(x, x), t_ones(2)));
    expect_one_error("Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a shape of "
                     "torch.Size([3]).");
    ck_assert(!t_backward(t_sum(t_ones(3))));
    expect_one_error("element 0 of tensors does not require grad and does not have a grad_fn");
    ck_assert(!t_backward(t_sum(t_detach(x))));
    expect_one_error("element 0 of tensors does not require grad and does not have a grad_fn");
    ck_assert_ptr_null(t_grad(x));
}
END_TEST

/* "of" is where PyTorch 2.15 names the op that made the tensor, as far as it has one. */
static void expect_modified(Tensor *loss, Tensor *x, const char *shape, const char *of, int version) {
    char sentence[400];
    ck_assert(!t_backward(loss));
    snprintf(sentence, sizeof sentence,
             "one of the variables needed for gradient computation has been modified by an inplace operation: "
             "[torch.FloatTensor %s]%s is at version %d; expected version %d instead.",
             shape, of, version, version - 1);
    expect_one_error(sentence);
    ck_assert_ptr_null(t_grad(x));
}

START_TEST(saved_tensors_must_not_change) {
    Tensor *x = leaf("[1, 2, 3]"), *y = t_mul(x, 2), *loss = t_sum(t_mul(y, y));
    t_add_(y, 1);
    expect_modified(loss, x, "[3]", ", which is output 0 of Add,", 1);
    y = t_exp(x);
    loss = t_sum(t_add_(y, 1));
    expect_modified(loss, x, "[3]", ", which is output 0 of Exp,", 1);
    Tensor *plain = t_ones(3);
    loss = t_sum(t_mul(x, plain));
    t_zero_(plain);
    expect_modified(loss, x, "[3]", "", 1);
    y = t_mul(x, 1);
    loss = t_sum(t_mul(y, y));
    t_set(t_detach(y), "0", 7); /* through an alias */
    expect_modified(loss, x, "[3]", ", which is output 0 of Mul,", 1);
}
END_TEST

START_TEST(requires_grad_is_for_floating_leaves) {
    Tensor *x = leaf("[1, 2]"), *y = t_mul(x, 2);
    ck_assert_ptr_null(t_requires_grad_(t_tensor("[1, 2]"), true));
    expect_one_error("only Tensors of floating point dtype can require gradients");
    ck_assert_ptr_null(t_requires_grad_(y, false));
    expect_one_error(
        "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in "
        "a subgraph that doesn't require differentiation use");
    ck_assert(t_requires_grad(y) && !t_is_leaf(y));
    ck_assert(!t_set_grad(x, t_ones(3)));
    expect_error("attempting to assign a gradient of size '[3]' to a tensor of size '[2]'. Please ensure that the "
                 "gradient and the tensor are the same size");
    ck_assert(!t_set_grad(x, t_ones(2, .dtype = t_float64)));
    ck_assert_ptr_nonnull(t_error());
    t_clear_error();
    ck_assert_ptr_null(t_grad(x));
}
END_TEST

/* ---- gradients of gradients ---- */

START_TEST(the_second_derivative_of_a_cube) {
    Tensor *x = leaf("[1, 2, -3]");
    t_backward(t_sum(t_mul(t_mul(x, x), x)), .create_graph = true);
    Tensor *first = t_grad(x);
    expect_values(t_detach(first), "[3.0, 12.0, 27.0]");
    ck_assert(t_requires_grad(first));
    t_set_grad(x, NULL);
    t_backward(t_sum(first), .create_graph = true);
    Tensor *second = t_grad(x);
    expect_values(t_detach(second), "[6.0, 12.0, -18.0]");
    t_set_grad(x, NULL);
    t_backward(t_sum(second));
    expect_values(t_grad(x), "[6.0, 6.0, 6.0]");
}
END_TEST

/* The product of a small network's Hessian with a vector: backward of <gradient, v>. The numbers are PyTorch's. */
START_TEST(a_hessian_vector_product) {
    Tensor *x = t_tensor("[[0.5, -1.0], [2.0, 0.25], [-0.75, 1.5]]");
    Tensor *w1 = leaf("[[0.1, -0.4], [0.7, 0.2], [-0.3, 0.9]]"), *b1 = leaf("[0.05, -0.1, 0.2]");
    Tensor *w2 = leaf("[[0.6, -0.8, 0.3]]");
    Tensor *hidden = t_tanh(t_add(t_matmul(x, t_t(w1)), b1)), *y = t_matmul(hidden, t_t(w2));
    t_backward(t_mean(t_mul(y, y)), .create_graph = true);
    Tensor *v1 = t_tensor("[[1.0, -1.0], [0.5, 2.0], [-0.5, 0.25]]"), *v2 = t_tensor("[[1.0, 2.0, -1.0]]");
    Tensor *dw1 = t_grad(w1), *db1 = t_grad(b1), *dw2 = t_grad(w2);
    Tensor *along = t_add(t_add(t_sum(t_mul(dw1, v1)), t_sum(db1)), t_sum(t_mul(dw2, v2)));
    expect_values(t_detach(along), "-2.0626586669558520");
    t_set_grad(w1, NULL);
    t_set_grad(b1, NULL);
    t_set_grad(w2, NULL);
    t_backward(along);
    expect_values(t_grad(w1), "[[3.64274898, -2.84938323], [-4.65810392, 5.15544254], [2.36846193, -0.26676504]]");
    expect_values(t_grad(b1), "[0.5904952839, -0.0716312431, 1.2263784779]");
    expect_values(t_grad(w2), "[[1.9387255142, 3.2388852550, -5.0766888833]]");
}
END_TEST

START_TEST(create_graph_adds_to_an_earlier_gradient) {
    Tensor *x = leaf("[1, 2]");
    t_backward(t_sum(t_mul(x, x)), .create_graph = true);
    Tensor *loss = t_sum(t_mul(t_grad(x), t_grad(x)));
    t_backward(loss, .create_graph = true);
    expect_values(t_detach(t_grad(x)), "[10.0, 20.0]");
    t_set_grad(x, NULL); /* a gradient with a history holds its leaf, as in PyTorch: it is cleared by hand */
}
END_TEST

Suite *autograd_suite(void);
Suite *autograd_suite(void) {
    Suite *suite = suite_create("autograd");
    TCase *tests = tcase_create("backward");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, two_backwards_add_up);
    tcase_add_test(tests, a_leaf_may_be_the_loss);
    tcase_add_test(tests, gradients_have_the_layout_of_the_leaf);
    tcase_add_test(tests, a_gradient_argument_weighs_the_output);
    tcase_add_test(tests, shared_gradients_stay_apart);
    tcase_add_test(tests, grad_of_a_non_leaf_is_warned_about);
    tcase_add_test(tests, a_second_backward_is_refused);
    tcase_add_test(tests, a_vector_needs_a_gradient);
    tcase_add_test(tests, saved_tensors_must_not_change);
    tcase_add_test(tests, requires_grad_is_for_floating_leaves);
    tcase_add_test(tests, the_second_derivative_of_a_cube);
    tcase_add_test(tests, a_hessian_vector_product);
    tcase_add_test(tests, create_graph_adds_to_an_earlier_gradient);
    suite_add_tcase(suite, tests);
    suite_add_tcase(suite, inplace_tests());
    suite_add_tcase(suite, tape_tests());
    suite_add_tcase(suite, memory_tests());
    return suite;
}
