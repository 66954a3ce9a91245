/* tests/autograd/test_tape_html.c: the data in the page of t_tape_html, and its errors. tests/checks/check_tape_html.sh
 * opens pages in a browser. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "nn/nn.h"
#include "tests/support/output.h"
#include "tests/support/support.h"
#include "tests/autograd/test_autograd.h"

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
    expect_part(text, "\"name\": \"w\", \"shape\": \"()\", \"value\": \"tensor(0.5000, requires_grad=True)\", \"value_short\": \"0.5\", "
                      "\"grad\": \"tensor(3.)\", \"grad_short\": \"3\"");
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
    tcase_add_test(cases, a_page_has_values_and_gradients);
    tcase_add_test(cases, a_page_without_kept_values);
    tcase_add_test(cases, a_leaf_used_twice_has_the_sum);
    tcase_add_test(cases, a_value_that_was_overwritten_is_not_shown);
    tcase_add_test(cases, a_freed_graph_shows_the_forward);
    tcase_add_test(cases, modules_have_paths);
    tcase_add_test(cases, texts_are_escaped);
    tcase_add_test(cases, errors_of_pages);
    suite_add_tcase(suite, cases);
    return suite;
}
