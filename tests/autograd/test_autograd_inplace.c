/* tests/autograd/test_autograd_inplace.c: which in-place writes are refused, and that a refused one changes nothing.
 * The gradients of the allowed ones are in op_table_graphs.c. */
#include "core/core.h"
#include "nn/nn.h"
#include "tests/autograd/test_autograd.h"
#include "tests/support/support.h"

#define OF_LEAF "a leaf Variable that requires grad is being used in an in-place operation."
#define OF_VIEW "a view of a leaf Variable that requires grad is being used in an in-place operation."
#define OVERLAP                                                                                                  \
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. " \
    "Please clone() the tensor before performing the operation."

START_TEST(leaves_are_not_written_to) {
    Tensor *x = leaf("[1, 2, 3]");
    ck_assert_ptr_null(t_add_(x, 1));
    expect_one_error(OF_LEAF);
    ck_assert_ptr_null(t_fill_(x, 1));
    expect_one_error(OF_LEAF);
    ck_assert_ptr_null(t_uniform_(x));
    expect_one_error(OF_LEAF);
    ck_assert_ptr_null(t_add_(t_at(x, "0"), 1));
    expect_one_error(OF_VIEW);
    ck_assert(!t_set(x, "0", 5));
    expect_one_error(OF_VIEW);
    ck_assert_ptr_null(t_mul_(t_unsqueeze(x, 0), 2));
    expect_one_error(OF_VIEW);
    expect_values(t_detach(x), "[1.0, 2.0, 3.0]");
    ck_assert_int_eq(t_data_version(x), 0);
}
END_TEST

START_TEST(without_grad_mode_leaves_are_written_to) {
    Tensor *x = leaf("[1, 2, 3]");
    with_no_grad() {
        t_sub_(x, 1);
        t_set(x, "0", 7);
    }
    expect_values(t_detach(x), "[7.0, 1.0, 2.0]");
    ck_assert(t_is_leaf(x) && t_requires_grad(x));
    t_mul_(t_detach(x), 2);
    expect_values(t_detach(x), "[14.0, 2.0, 4.0]");
}
END_TEST

START_TEST(expanded_tensors_are_not_written_to) {
    Tensor *x = t_zeros(1);
    ck_assert_ptr_null(t_add_(t_expand(x, 3), 1));
    expect_one_error(OVERLAP);
    ck_assert_ptr_null(t_copy_(t_expand(x, 3), t_ones(3)));
    expect_one_error(OVERLAP);
    ck_assert_ptr_null(t_masked_fill_(t_expand(x, 3), t_ones(3, .dtype = t_bool), 1));
    expect_one_error(OVERLAP);
    ck_assert_ptr_null(t_uniform_(t_expand(x, 3)));
    expect_one_error(OVERLAP);
    expect_values(x, "[0.0]");
}
END_TEST

START_TEST(a_tensor_gets_the_history_of_what_is_written) {
    Tensor *x = leaf("[1, 2]"), *b = t_zeros(2), *v = t_at(b, "0");
    ck_assert(t_is_leaf(b) && !t_requires_grad(b));
    t_add_(b, x);
    ck_assert(t_requires_grad(b) && !t_is_leaf(b));
    ck_assert_str_eq(t_grad_fn(b), "AddBackward0");
    ck_assert_str_eq(t_grad_fn(v), "AsStridedBackward0");
    t_set(b, "1", 3);
    ck_assert_str_eq(t_grad_fn(b), "CopySlices");
    t_backward(t_sum(t_mul(b, b)));
    expect_values(t_grad(x), "[2.0, 0.0]");
}
END_TEST

START_TEST(a_view_knows_of_writes_to_its_base) {
    Tensor *x = leaf("[1, 2, 3]"), *b = t_mul(x, 1), *v = t_at(b, ":2"), *u = t_at(v, "1:");
    t_mul_(b, 3);
    expect_values(t_detach(u), "[6.0]");
    t_backward(t_sum(t_mul(u, u)));
    expect_values(t_grad(x), "[0.0, 36.0, 0.0]");
}
END_TEST

/* A view takes the history of its base: with a write it gets one, and with detach_ it is without. */
START_TEST(a_view_of_a_detached_base_has_no_history) {
    Tensor *w = leaf("[2, 3]"), *base = t_ones(2), *view = t_at(base, "1");
    t_mul_(base, w);
    t_detach_(base);
    ck_assert(!t_requires_grad(view) && !t_grad_fn(view) && !t_requires_grad(t_mul(view, 2)));
    t_mul_(base, w);
    ck_assert(t_requires_grad(view) && t_backward(view));
    expect_values(t_grad(w), "[0, 3]");
}
END_TEST

START_TEST(versions_count_writes) {
    Tensor *x = t_zeros(2, 2), *v = t_at(x, "0");
    t_add_(x, 1);
    t_fill_(v, 2);
    t_set(x, ":, 1", 3);
    ck_assert_int_eq(t_data_version(x), 3);
    ck_assert_int_eq(t_data_version(v), 3);
    ck_assert_int_eq(t_data_version(t_detach(x)), 3);
    ck_assert_int_eq(t_data_version(t_clone(x)), 0);
}
END_TEST

/* x.mul_(y) needs the old x for y's gradient, and y for x's. */
START_TEST(products_in_place_keep_what_they_need) {
    Tensor *x = leaf("[1, 2]"), *y = leaf("[3, 4]"), *b = t_mul(x, 1);
    t_mul_(b, y);
    ck_assert(t_backward(t_sum(t_mul(b, b))));
    expect_values(t_grad(x), "[18.0, 64.0]");
    expect_values(t_grad(y), "[6.0, 32.0]");
    ck_assert_int_eq(error_count(), 0);
}
END_TEST

/* x += x, x *= x: the operand is the tensor that is written to. */
START_TEST(a_tensor_may_be_its_own_operand) {
    Tensor *x = t_tensor("[1.0, 2.0, 3.0]");
    t_add_(x, x);
    expect_values(x, "[2.0, 4.0, 6.0]");
    t_mul_(x, x);
    expect_values(x, "[4.0, 16.0, 36.0]");
    t_add_(t_at(x, "1:"), t_at(x, ":2")); /* overlapping windows read the old values */
    expect_values(x, "[4.0, 20.0, 52.0]");
    t_copy_(t_at(x, ":2"), t_at(x, "1:"));
    expect_values(x, "[20.0, 52.0, 52.0]");
    Tensor *m = t_tensor("[[1.0, 2.0], [3.0, 4.0]]");
    t_add_(m, t_t(m));
    expect_values(m, "[[2.0, 5.0], [5.0, 8.0]]");
    t_sub_(m, t_at(m, "0"));
    expect_values(m, "[[0.0, 0.0], [3.0, 3.0]]");
}
END_TEST

/* exp needs its output, sin its input: x.exp_() keeps the new x, and notices if that is written to; x.sin_() keeps a
 * copy of the old one. */
START_TEST(an_output_that_is_needed_is_not_written_to_again) {
    Tensor *x = leaf("[1, 2]"), *b = t_mul(x, 1);
    t_exp_(b);
    t_mul_(b, 2);
    ck_assert(!t_backward(t_sum(b)));
    expect_one_error("one of the variables needed for gradient computation has been modified by an inplace operation: "
                     "[torch.FloatTensor [2]], which is output 0 of Exp, is at version 2; expected version 1 instead.");
    b = t_mul(x, 1);
    Tensor *v = t_tanh_(t_at(b, ":1"));
    t_mul_(b, 2);
    ck_assert(!t_backward(t_sum(v)));
    expect_one_error(
        "modified by an inplace operation: [torch.FloatTensor [1]], which is output 0 of Tanh, is at version 2;");
    ck_assert_ptr_null(t_grad(x));
    b = t_mul(x, 1);
    t_mul_(t_sin_(b), 2);
    t_backward(t_sum(b));
    expect_values(t_grad(x), "[1.0806046, -0.83229367]");
    x = leaf("[1, 2]"), b = t_mul(x, 1);
    t_tanh_(t_at(b, ":1"));
    t_backward(t_sum(t_mul(b, b)));
    expect_values(t_grad(x), "[0.6397000, 4.0]");
}
END_TEST

/* Where nothing is recorded, the numbers change where they are; where it is, the memory stays the same. */
START_TEST(writes_stay_in_place) {
    Tensor *x = t_tensor("[0.25, 4.0]"), *row = t_at(x, "1:");
    const void *at = t_data_ptr(x);
    t_sqrt_(x);
    t_add_(x, t_ones(2), .alpha = -0.5);
    expect_values(row, "[1.5]");
    ck_assert_int_eq(t_data_version(x), 2);
    t_clamp_(x, t_requires_grad_(t_zeros(1), true), 1);
    expect_values(t_detach(row), "[1.0]");
    ck_assert(t_data_ptr(x) == at && t_requires_grad(x));
}
END_TEST

/* x *= x in a graph: PyTorch refuses its backward, since one of the two operands is overwritten; here both are kept. */
START_TEST(an_operand_of_its_own_has_a_gradient) {
    Tensor *x = leaf("[3, -2]"), *b = t_mul(x, 1);
    t_mul_(b, b);
    t_backward(t_sum(b));
    expect_values(t_grad(x), "[6.0, -4.0]");
}
END_TEST

/* A second derivative through what was overwritten: (e^x sin(x))'' = 2 e^x cos(x). */
START_TEST(second_derivatives_pass_through_writes) {
    Tensor *x = leaf("[0.5, 1.0]"), *b = t_mul(x, 1), *c = t_mul(x, 1);
    t_backward(t_sum(t_mul(t_exp_(b), t_sin_(c))), .create_graph = true);
    Tensor *first = t_grad(x);
    t_set_grad(x, NULL);
    t_backward(t_sum(first));
    expect_values(t_grad(x), "[2.8937781, 2.9373879]");
}
END_TEST

/* PyTorch saves the logarithms of a cross entropy: the logits may be written to before the backward, also by a view of
 * them, and more than once; the graph still hangs together. */
START_TEST(logits_may_be_written_to) {
    for (int writes = 0; writes < 3; writes++)
        for (int again = 0; again < 2; again++) {
            Tensor *w = leaf("[[0.5, 1.0, -2.0], [3.0, 0.0, 0.25]]"), *x = t_mul(w, 2), *target = t_tensor("[2, 0]");
            Tensor *loss = t_add(F_cross_entropy(x, target), t_mul(F_cross_entropy(t_view(x, -1, 3), target), 2));
            if (writes) t_add_(t_select(x, 0, 1), 5);
            if (writes == 2) t_zero_(x);
            Tensor *g = t_grad(loss, w, .create_graph = again);
            Tensor *plain = t_mul(F_nll_loss(t_log_softmax(t_mul(w, 2), 1), target), 3),
                   *want = t_grad(plain, w, .create_graph = again);
            bool same = t_allclose(g, want);
            ck_assert(same);
            if (!again) continue;
            g = t_grad(t_sum(t_square(g)), w);
            same = t_allclose(g, t_grad(t_sum(t_square(want)), w));
            ck_assert(same);
        }
}
END_TEST

/* Neither does a change of their own shape, nor, of a recurrence, a write to what comes out of it or to what its
 * backward does not read. */
START_TEST(tensors_that_no_gradient_reads_may_be_written_to) {
    Tensor *w = leaf("[[0.5, 1.0], [3.0, 0.25]]"), *x = t_mul(w, 2), *loss = F_cross_entropy(x, t_tensor("[1, 0]"));
    t_unsqueeze_(x, 0);
    bool same = t_allclose(t_grad(loss, w), t_grad(F_cross_entropy(t_mul(w, 2), t_tensor("[1, 0]")), w));
    ck_assert(same);
    nn_GRU *gru = nn_GRU(3, 4);
    Tensor *in = t_randn(5, 2, 3), *plain = nn_call(gru, in), *want, *y;
    t_TensorList *params = nn_parameters(gru);
    t_backward(t_sum(t_square(F_relu(plain))));
    want = t_clone(t_grad(params->items[1]));
    nn_zero_grad(gru);
    y = nn_call(gru, in);
    t_relu_(y);
    with_no_grad() t_zero_(params->items[2]); /* b_ih */
    t_backward(t_sum(t_square(y)));
    same = t_allclose(want, t_grad(params->items[1]));
    ck_assert(same);
}
END_TEST

TCase *inplace_tests(void) {
    TCase *tests = tcase_create("in place");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, leaves_are_not_written_to);
    tcase_add_test(tests, without_grad_mode_leaves_are_written_to);
    tcase_add_test(tests, expanded_tensors_are_not_written_to);
    tcase_add_test(tests, a_tensor_gets_the_history_of_what_is_written);
    tcase_add_test(tests, a_view_knows_of_writes_to_its_base);
    tcase_add_test(tests, a_view_of_a_detached_base_has_no_history);
    tcase_add_test(tests, versions_count_writes);
    tcase_add_test(tests, products_in_place_keep_what_they_need);
    tcase_add_test(tests, a_tensor_may_be_its_own_operand);
    tcase_add_test(tests, an_output_that_is_needed_is_not_written_to_again);
    tcase_add_test(tests, writes_stay_in_place);
    tcase_add_test(tests, an_operand_of_its_own_has_a_gradient);
    tcase_add_test(tests, second_derivatives_pass_through_writes);
    tcase_add_test(tests, logits_may_be_written_to);
    tcase_add_test(tests, tensors_that_no_gradient_reads_may_be_written_to);
    return tests;
}
