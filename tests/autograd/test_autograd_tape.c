/* tests/autograd/test_autograd_tape.c: the printed tape, and a long chain on a small stack. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "tests/autograd/test_autograd.h"
#include "tests/support/support.h"

/* ---- printing ---- */

static char *printed_tape(Tensor *x) {
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    (t_tape_print)(x, file);
    fclose(file);
    return text;
}

START_TEST(the_tape_shows_the_users_lines) {
    Tensor *q = leaf("[[1, 2], [3, 4]]"), *k = leaf("[[5, 6], [7, 8]]");
    Tensor *unrelated = t_exp(q);
    Tensor *score = t_div(t_matmul(q, t_transpose(k, 0, 1)), 2.0);
    (void)unrelated;
    char *text = printed_tape(t_sum(score));
    int lines = 0;
    for (char *c = text; *c; c++) lines += *c == '\n';
    ck_assert_int_eq(lines, 4); /* transpose, matmul, div, sum; not the exp */
    const char *const parts[] = {"transpose", "(2,2)", "test_autograd_tape.c:", "saved 2", "test_autograd_tape.c:",
                                 "t_matmul(q, t_transpose(k, 0, 1))", "div", "t_sum(score)"};
    expect_in_order(text, parts, sizeof parts / sizeof *parts);
    free(text);
    text = printed_tape(q);
    ck_assert_str_eq(text, "a leaf: no op on the tape made it\n");
    free(text);
}
END_TEST

START_TEST(a_freed_graph_prints_as_freed) {
    Tensor *x = leaf("[1, 2]"), *loss = t_sum(t_mul(x, x));
    t_backward(loss);
    char *text = printed_tape(loss);
    ck_assert_ptr_nonnull(strstr(text, "freed"));
    free(text);
}
END_TEST

/* ---- a long chain on a small stack ---- */

static void *run_long_chain(void *unused) {
    (void)unused;
    enum { LENGTH = 100000 };
    Tensor *x = leaf("[1, 2]"), *h = t_mul(x, 1);
    for_range (i, 0, LENGTH) t_keep_as(&h, t_add(h, 1));
    bool ok = t_backward(t_sum(h));
    Tensor *grad = t_grad(x);
    ok = ok && t_item(t_sum(grad)) == 2 && t_item(t_at(h, "0")) == LENGTH + 1;
    return ok ? (void *)1 : NULL;
}

START_TEST(a_chain_of_100000_ops_fits_a_small_stack) {
    pthread_attr_t attributes;
    pthread_t thread;
    void *ok = NULL;
    pthread_attr_init(&attributes);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, 256 * 1024), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, run_long_chain, NULL), 0);
    pthread_join(thread, &ok);
    pthread_attr_destroy(&attributes);
    ck_assert_ptr_nonnull(ok);
}
END_TEST

/* ---- the gradient of many slices is accumulated in place ---- */

/* sum_t t x[t] + x[0:2] + x[1:3:2], whose gradient is 1, 3, 2, 4. */
static Tensor *of_slices(Tensor *x) {
    Tensor *y = t_mul(x, 1), *sum = t_add(t_sum(t_slice(y, 0, 0, 2, 1)), t_sum(t_slice(y, 0, 1, 4, 2)));
    for (int t = 0; t < 4; t++) sum = t_add(sum, t_mul(t_select(y, 0, t), t));
    return t_sum(sum);
}

START_TEST(slice_gradients_accumulate_in_place) {
    Tensor *x = leaf("[1, 2, 3, 4]"), *z = leaf("[1, 2, 3, 4]");
    t_backward(of_slices(x));
    expect_printed(t_grad(x), "tensor([1., 3., 2., 4.])");
    t_backward(of_slices(x)); /* onto the grad that is there */
    expect_printed(t_grad(x), "tensor([2., 6., 4., 8.])");
    t_backward(of_slices(z), .create_graph = true);
    expect_printed(t_detach(t_grad(z)), "tensor([1., 3., 2., 4.])");
    t_set_grad(z, NULL);
    int slices = 0;
    t_BackwardSteps *steps = t_backward_begin(of_slices(z));
    for (t_BackwardStep step; t_backward_next(steps, &step);)
        if (strcmp(step.op, "select") == 0 || strcmp(step.op, "slice") == 0) slices += step.dx[0] != NULL;
    t_backward_end(steps);
    ck_assert_int_eq(slices, 6);
    expect_printed(t_grad(z), "tensor([1., 3., 2., 4.])");
}
END_TEST

TCase *tape_tests(void) {
    TCase *tests = tcase_create("tape");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, the_tape_shows_the_users_lines);
    tcase_add_test(tests, a_freed_graph_prints_as_freed);
    tcase_add_test(tests, a_chain_of_100000_ops_fits_a_small_stack);
    tcase_add_test(tests, slice_gradients_accumulate_in_place);
    return tests;
}
