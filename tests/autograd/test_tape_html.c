/* tests/autograd/test_tape_html.c: the data in the page of t_tape_html, and its errors. tests/checks/check_tape_html.sh
 * opens pages in a browser. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "nn/nn.h"
#include "tests/autograd/test_autograd.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

static const char *page_path(void) {
    static char path[64];
    snprintf(path, sizeof path, "build/test_tape_%ld.html", (long)getpid());
    return path;
}

/* The page of x; the caller frees it. */
static char *page_of(Tensor *x) {
    ck_assert_msg(t_tape_html(x, page_path()), "%s", t_error());
    char *text = read_text(page_path());
    remove(page_path());
    return text;
}

static void expect_part(const char *text, const char *part) {
    ck_assert_msg(strstr(text, part) != NULL, "no %s", part);
}

START_TEST(a_page_has_values_and_gradients) {
    t_set_tape_values(true);
    Tensor *w = leaf("0.5"), *b = leaf("-0.25"), *s = t_add(t_mul(w, 2), b), *loss = t_square(s);
    ck_assert(t_set_tape_values(false));
    char *text = page_of(loss);
    ck_assert(strncmp(text, "<!DOCTYPE html>", 15) == 0);
    expect_part(text, "\"op\": \"mul\"");
    expect_part(text, "\"value\": \"tensor(0.7500"); /* of the add, which no rule saves */
    expect_part(text, "\"name\": \"w\", \"shape\": \"()\", \"value\": \"tensor(0.5000, requires_grad=True)\", "
                      "\"value_short\": \"0.5\", \"grad\": \"tensor(3.)\", \"grad_short\": \"3\"");
    expect_part(text, "\"name\": \"2\""); /* the number in the call */
    expect_part(text, "static char *page_of(Tensor *x) {"); /* this file */
    expect_part(text, "</script></body></html>");
    free(text);
    ck_assert_ptr_null(t_grad(w)); /* nothing has changed */
    t_backward(loss);
    expect_values(t_grad(b), "1.5");
}
END_TEST

START_TEST(a_page_without_kept_values) {
    Tensor *w = leaf("0.5"), *b = leaf("-0.25");
    char *text = page_of(t_square(t_add(t_mul(w, 2), b)));
    expect_part(text, "\"op\": \"mul\", \"grad_fn\": \"MulBackward0\"");
    expect_part(text, "\"value\": null");
    free(text);
}
END_TEST

/* In a graph of more than 300 ops long texts are cut at the end of a line. */
START_TEST(a_large_page_has_short_texts) {
    Tensor *x = t_requires_grad_(t_arange(400.0), true), *y = x;
    for (int i = 0; i < 301; i++) y = t_add(y, 1);
    char *text = page_of(t_sum(y));
    expect_part(text, "1.,\\u000a... (cut)\"");
    free(text);
    text = page_of(t_sum(t_add(x, 1)));
    ck_assert_ptr_null(strstr(text, "1.,\\u000a... (cut)\""));
    free(text);
}
END_TEST

START_TEST(a_leaf_used_twice_has_the_sum) {
    Tensor *x = leaf("[1, 2]");
    char *text = page_of(t_sum(t_mul(x, x)));
    expect_part(text, "\"grad\": \"tensor([2., 4.])\"");
    free(text);
    text = page_of(t_mul(x, 3)); /* not a scalar: from ones */
    expect_part(text, "\"grad\": \"tensor([3., 3.])\"");
    free(text);
}
END_TEST

static Tensor *ten_times(Tensor *g, void *context) {
    (void)context;
    return t_mul(g, 10);
}

static void count_call(Tensor *x, void *context) {
    (void)x;
    ++*(int *)context;
}

/* The page shows what grad gets: after the hooks of the leaf, which see the sum of all edges. */
START_TEST(hooks_of_leaves_are_called) {
    int calls = 0;
    Tensor *x = leaf("[1, 2]"), *w = leaf("3");
    t_register_hook(x, ten_times, NULL);
    t_register_post_accumulate_grad_hook(x, count_call, &calls);
    Tensor *s = t_mul(x, x), *loss = t_sum(t_mul(s, w));
    t_register_hook(s, ten_times, NULL);
    t_set_grad(x, t_tensor("[5.0, 5]"));
    Tensor *before = t_grad(x);
    char *text = page_of(loss);
    expect_part(text, "\"value\": \"tensor([1., 2.], requires_grad=True)\", \"value_short\": \"|.| 2.24\", "
                      "\"grad\": \"tensor([ 600., 1200.])\", \"grad_short\": \"|.| 1.34e+03\", \"hooks\": 1");
    free(text);
    ck_assert_int_eq(calls, 0); /* a post-accumulate hook may be an optimizer's step */
    ck_assert_ptr_eq(t_grad(x), before);
    expect_values(before, "[5, 5]");
    t_backward(loss);
    ck_assert_int_eq(calls, 1);
    expect_values(t_grad(x), "[605, 1205]");
}
END_TEST

/* ---- rules that call a backward ---- */

/* y = w x in a checkpoint: the rule computes it again, and its backward adds to the grad of w. */
static Tensor *checkpoint_weight;
static double seen_grad, seen_random; /* an element of the weight's grad, and the number that it drew */

static void checkpoint_backward(t_Context *context, Tensor *dy, Tensor **dx) {
    Tensor *x = t_requires_grad_(t_detach(t_saved_tensor(context, 0)), true), *y = NULL;
    with_enable_grad() y = t_mul(checkpoint_weight, x);
    seen_random = t_item(t_rand(1));
    t_backward(y, dy);
    seen_grad = t_item(t_at(t_grad(checkpoint_weight), "1"));
    dx[0] = t_grad(x);
}

static Tensor *checkpoint(Tensor *x) {
    static const t_Function function = {.name = "checkpoint", .grad_fn = "CheckpointBackward",
                                        .backward = checkpoint_backward, .once_differentiable = true};
    Tensor *y = NULL;
    with_no_grad() y = t_mul(checkpoint_weight, x);
    return t_apply(&function, y, t_list(x), .saved = t_list(x));
}

START_TEST(a_rule_that_calls_backward_changes_no_grad) {
    int calls = 0;
    Tensor *w = checkpoint_weight = leaf("[2, 3]"), *x = leaf("[1, 4]");
    t_register_post_accumulate_grad_hook(w, count_call, &calls);
    Tensor *loss = t_sum(t_mul(checkpoint(x), w)); /* w is a leaf of the page, too */
    char *text = page_of(loss);
    expect_part(text, "\"grad\": \"tensor([ 4., 24.])\""); /* of w: 2 w x, half of it by the rule */
    expect_part(text, "\"grad\": \"tensor([4., 9.])\"");
    expect_part(text, "\"error\": \"\"");
    free(text);
    ck_assert_ptr_null(t_grad(w));
    ck_assert_ptr_null(t_grad(x));
    ck_assert_int_eq(calls, 0);
    t_set_grad(w, t_tensor("[100.0, 100]")); /* and one that exists stays the same tensor, unwritten */
    Tensor *before = t_grad(w);
    free(page_of(loss));
    ck_assert_double_eq(seen_grad, 112); /* the rule sees what it sees in a backward */
    ck_assert_ptr_eq(t_grad(w), before);
    expect_values(before, "[100, 100]");
    const double drawn = seen_random;
    t_backward(loss);
    expect_values(t_grad(w), "[104, 124]");
    expect_values(t_grad(x), "[4, 9]");
    ck_assert_double_eq(seen_random, drawn); /* the page drew the same number, and put the generator back */
}
END_TEST

START_TEST(a_page_draws_no_random_numbers) {
    checkpoint_weight = leaf("[2, 3]");
    Tensor *loss = t_sum(checkpoint(leaf("[1, 4]"))), *state = t_get_rng_state();
    free(page_of(loss));
    ck_assert(t_equal(t_get_rng_state(), state));
}
END_TEST

static Tensor *inner_loss; /* made before the page */

static void inner_backward(t_Context *context, Tensor *dy, Tensor **dx) {
    (void)context;
    t_backward(inner_loss);
    dx[0] = dy;
}

START_TEST(a_graph_of_a_rule_is_not_freed) {
    static const t_Function function = {.name = "inner", .grad_fn = "InnerBackward", .backward = inner_backward,
                                        .once_differentiable = true};
    Tensor *w = leaf("[2, 3]"), *x = leaf("1"), *y = NULL;
    inner_loss = t_sum(t_square(w));
    with_no_grad() y = t_clone(x);
    y = t_apply(&function, y, t_list(x));
    free(page_of(y));
    ck_assert_ptr_null(t_grad(w));
    ck_assert(t_backward(y));
    expect_values(t_grad(w), "[4, 6]");
}
END_TEST

static void clearing_backward(t_Context *context, Tensor *dy, Tensor **dx) {
    (void)context;
    with_enable_grad() {
        t_backward(t_sum(checkpoint_weight));
        t_set_grad(checkpoint_weight, NULL);
        t_backward(t_sum(t_mul(checkpoint_weight, 7)));
    }
    seen_grad = t_item(t_at(t_grad(checkpoint_weight), "1"));
    dx[0] = NULL;
    if (t_item(dy) > 1) (t_matmul)(dy, dy); /* fails: 0 dims */
}

/* Also where the rule clears the grad, and where it fails after it changed one. */
START_TEST(a_rule_that_fails_changes_no_grad) {
    static const t_Function function = {.name = "clearing", .grad_fn = "ClearingBackward",
                                        .backward = clearing_backward, .once_differentiable = true};
    Tensor *w = checkpoint_weight = leaf("[2, 3]"), *x = leaf("1");
    t_set_grad(w, t_tensor("[100.0, 100]"));
    Tensor *before = t_grad(w), *y = NULL;
    for (int fails = 0; fails < 2; fails++) {
        with_no_grad() y = t_clone(x);
        y = t_mul(t_apply(&function, y, t_list(x)), fails ? 2 : 1);
        const bool grad_enabled = t_is_grad_enabled();
        char *text = page_of(y);
        ck_assert(fails == (strstr(text, "\"error\": \"\"") == NULL));
        free(text);
        ck_assert(t_is_grad_enabled() == grad_enabled);
        ck_assert_double_eq(seen_grad, 7);
        ck_assert_ptr_eq(t_grad(w), before);
        expect_values(before, "[100, 100]");
    }
}
END_TEST

START_TEST(constants_have_values) {
    t_set_tape_values(true);
    Tensor *w = leaf("0.5"), *x = t_tensor(4.0), *data = t_tensor("[1.0, 2]"), *gone = t_tensor("[3.0, 4]");
    Tensor *y = t_add(t_mul(t_mul(t_mul(w, x), data), 3), gone), *loss = t_sum(t_mul(y, data));
    t_set_tape_values(false);
    t_watch(data);
    t_add_(gone, 1);
    char *text = page_of(loss);
    expect_part(text, "\"name\": \"x\", \"shape\": \"()\", \"value\": \"tensor(4.)\", \"value_short\": \"4\"");
    expect_part(text, "\"name\": \"data\", \"shape\": \"(2)\", \"value\": \"tensor([1., 2.])\"");
    expect_part(text, "\"name\": \"3\", \"shape\": \"()\", \"value\": \"tensor(3)\", \"value_short\": \"3\", "
                      "\"is_number\": 1");
    expect_part(text, "\"name\": \"gone\", \"shape\": \"(2)\", \"value\": null"); /* overwritten since */
    char *first = strstr(text, "\"constant\": 1, "); /* data: one constant, used twice */
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_nonnull(strstr(first + 1, "\"constant\": 1, "));
    free(text);
}
END_TEST

/* Each call of a module has a number of its own. */
START_TEST(calls_of_a_module_are_told_apart) {
    t_set_tape_values(true);
    nn_RNNCell *cell = nn_RNNCell(2, 3);
    Tensor *h = t_zeros(1, 3);
    for (int t = 0; t < 2; t++) h = nn_RNNCell_call(cell, t_ones(1, 2), h);
    t_set_tape_values(false);
    char *text = page_of(h), *first = strstr(text, "\"calls\": [[4, "), *second = first;
    ck_assert_ptr_nonnull(first);
    while (second && strncmp(first, second, 20) == 0) second = strstr(second + 1, "\"calls\": [[4, ");
    ck_assert_msg(second != NULL, "both calls have one number");
    expect_part(text, "\"path\": \"cell\"");
    free(text);
}
END_TEST

START_TEST(a_value_that_was_overwritten_is_not_shown) {
    t_set_tape_values(true);
    Tensor *x = leaf("[1, 2]"), *y = t_add(x, 1), *z = t_add(y, 1);
    t_set_tape_values(false);
    with_no_grad() {
        t_mul_(y, 100);
    }
    char *text = page_of(z);
    ck_assert_ptr_null(strstr(text, "\"value\": \"tensor([200."));
    expect_part(text, "\"value\": null");
    free(text);
}
END_TEST

START_TEST(a_freed_graph_shows_the_forward) {
    Tensor *x = leaf("[1, 2]"), *loss = t_sum(t_square(x));
    t_backward(loss);
    char *text = page_of(loss);
    expect_part(text, "\"error\": \"Trying to backward through the graph a second time");
    expect_part(text, "\"op\": \"square\"");
    free(text);
    ck_assert_ptr_null(t_error());
}
END_TEST

START_TEST(modules_have_paths) {
    t_set_tape_values(true);
    nn_Sequential *model = nn_Sequential(nn_Linear(2, 3), nn_Sequential(nn_Tanh(), nn_Linear(3, 1)));
    char *text = page_of(nn_call(model, t_ones(1, 2)));
    expect_part(text, "\"path\": \"model.0\"");
    expect_part(text, "\"path\": \"model.1.0\"");
    expect_part(text, "\"path\": \"model.1.1\"");
    free(text);
    nn_TransformerEncoder *encoder = nn_TransformerEncoder(nn_TransformerEncoderLayer(4, 2, 8), 2);
    text = page_of(nn_call(encoder, t_ones(3, 1, 4)));
    expect_part(text, "\"path\": \"encoder.layers.1");
    free(text);
    t_set_tape_values(false);
}
END_TEST

START_TEST(texts_are_escaped) {
    Tensor *x = leaf("[1, 2]");
    Tensor *y = t_mul(x, t_tensor("[3, 4]" /* </script> & "quotes" */));
    char *text = page_of(y);
    char *end = strstr(text, "</script>"), *data = strstr(text, "id=\"data\">");
    ck_assert_ptr_nonnull(data);
    end = strstr(data, "</script>");
    ck_assert_msg(strncmp(end, "</script>\n<script>\n\"use strict\"", 30) == 0, "the data ends early");
    free(text);
}
END_TEST

START_TEST(errors_of_pages) {
    Tensor *x = leaf("[1, 2]"), *y = t_sum(x);
    expect_refusal(!(t_tape_html)(x, "build/never.html"), "t_tape_html: a leaf has no tape: no op made it");
    ck_assert(!(t_tape_html)(y, "build/no_such_folder/tape.html"));
    ck_assert_ptr_nonnull(strstr(t_error_message(), "build/no_such_folder/tape.html"));
    t_clear_error();
    expect_refusal(!(t_tape_html)(y, NULL), "argument 2 is NULL where a path is expected");
    ck_assert(!(t_tape_html)(NULL, "build/never.html"));
    t_clear_error();
}
END_TEST

Suite *tape_html_suite(void) {
    Suite *suite = suite_create("tape_html");
    TCase *cases = tcase_create("tape_html");
    tcase_add_checked_fixture(cases, support_setup, support_teardown);
    tcase_add_test(cases, a_page_has_values_and_gradients);
    tcase_add_test(cases, a_page_without_kept_values);
    tcase_add_test(cases, a_large_page_has_short_texts);
    tcase_add_test(cases, a_leaf_used_twice_has_the_sum);
    tcase_add_test(cases, hooks_of_leaves_are_called);
    tcase_add_test(cases, a_rule_that_calls_backward_changes_no_grad);
    tcase_add_test(cases, a_page_draws_no_random_numbers);
    tcase_add_test(cases, a_graph_of_a_rule_is_not_freed);
    tcase_add_test(cases, a_rule_that_fails_changes_no_grad);
    tcase_add_test(cases, constants_have_values);
    tcase_add_test(cases, calls_of_a_module_are_told_apart);
    tcase_add_test(cases, a_value_that_was_overwritten_is_not_shown);
    tcase_add_test(cases, a_freed_graph_shows_the_forward);
    tcase_add_test(cases, modules_have_paths);
    tcase_add_test(cases, texts_are_escaped);
    tcase_add_test(cases, errors_of_pages);
    suite_add_tcase(suite, cases);
    return suite;
}
