/* tests/autograd/test_watch.c: names of tensors in the printed tape and in the table of t_watch. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "nn/nn.h"
#include "tests/autograd/test_autograd.h"
#include "tests/support/support.h"

static char *printed(void (*print)(Tensor *x, FILE *to), Tensor *x) {
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    print(x, file);
    fclose(file);
    return text;
}

static void print_table(Tensor *x, FILE *to) {
    (void)x;
    (t_watch_print)(to);
}

/* The line of a text that contains a word, up to its end. */
static void expect_line(const char *text, const char *word, const char *expected) {
    const char *at = strstr(text, word);
    ck_assert_msg(at != NULL, "no %s in %s", word, text);
    ck_assert_msg(strncmp(at, expected, strlen(expected)) == 0, "not %s in %s", expected, text);
}

START_TEST(inputs_are_records_variables_and_numbers) {
    Tensor *w = leaf("[1, 2]"), *b = leaf("3"), *x = t_tensor("[5., 6.]");
    Tensor *p[] = {t_mul(w, x)};
    Tensor *y = t_add_(t_sub(t_add(p[0], b), 0.5), b);
    char *text = printed(t_tape_print, t_mul(t_mul(y, y), t_exp(w)));
    expect_line(text, "mul ", "mul           (2)         w, x ");
    expect_line(text, "add ", "add           (2)         #1, b ");
    expect_line(text, "sub ", "sub           (2)         #2, 0.5 ");
    expect_line(text, "   4  add", "   4  add           (2)         #3, b ");
    expect_line(text, "   5  mul", "   5  mul           (2)         #4, #4 ");
    expect_line(text, "exp ", "exp           (2)         w ");
    free(text);
}
END_TEST

START_TEST(arguments_that_are_no_variables_have_no_name) {
    Tensor *w = leaf("[1, 2]");
    char *text = printed(t_tape_print, t_cat(t_list(t_mul(w, t_tensor("[1., 2.]")), t_detach(w)), 0));
    expect_line(text, "mul ", "mul           (2)         w, - ");
    expect_line(text, "cat ", "cat           (4)         #1, - ");
    free(text);
    text = printed(t_tape_print, t_where(t_gt(w, 1), w, t_mul(w, 2))); /* the condition is an input */
    ck_assert_ptr_nonnull(strstr(text, "-, w, #1 "));
    free(text);
    Tensor *x = t_tensor("[[1., 2.]]");
    nn_Linear *fc = nn_Linear(2, 1, .bias = false);
    text = printed(t_tape_print, nn_call(fc, x)); /* the call's arguments are not those of its ops */
    ck_assert_ptr_nonnull(strstr(text, "leaf"));
    free(text);
    Tensor *b = leaf("[1]");
    text = printed(t_tape_print, F_linear(x, fc->weight, b));
    ck_assert_ptr_nonnull(strstr(text, "x, fc->weight, b "));
    free(text);
}
END_TEST

/* The inputs of a cat of many tensors end with dots. */
START_TEST(long_lists_of_inputs_are_cut) {
    t_TensorList *parts = t_list();
    for (int i = 0; i < 100; i++) t_list_append(parts, t_mul(leaf("[1]"), 2));
    char *text = printed(t_tape_print, t_cat(parts, 0));
    const char *line = strstr(text, " 101  cat ");
    ck_assert_msg(line != NULL, "%s", text);
    const char *dots = strstr(line, "...");
    ck_assert(strncmp(strstr(line, "#1"), "#1, #2, #3, ", 12) == 0 && dots && dots < strchr(line, '\n'));
    free(text);
}
END_TEST

START_TEST(watched_tensors_are_named) {
    Tensor *w = leaf("[1, 2]"), *s = t_mul(w, 3), *loss = t_sum(s);
    ck_assert(t_watch(w, s, loss));
    char *text = printed(t_tape_print, loss);
    expect_line(text, "s = mul", "s = mul       (2)         w, 3 ");
    expect_line(text, "loss = sum", "loss = sum    ()          #1 ");
    free(text);
    t_backward(loss);
    text = printed(print_table, NULL);
    expect_line(text, "name", "name  shape  made by               value   gradient\n");
    expect_line(text, "w ", "w     (2)    leaf, requires grad   [1, 2]  [3, 3]\n");
    expect_line(text, "s     ", "s     (2)    mul, test_watch.c:");
    ck_assert_ptr_nonnull(strstr(text, "[3, 6]  [1, 1]\n"));
    expect_line(text, "loss ", "loss  ()     sum, test_watch.c:");
    ck_assert_ptr_nonnull(strstr(text, "9       1\n"));
    free(text);
    ck_assert(t_watch(s)); /* again: the name stays one row */
    ck_assert(t_retains_grad(s));
    t_unwatch();
    text = printed(print_table, NULL);
    ck_assert_str_eq(text, "name  shape  made by  value  gradient\n");
    free(text);
}
END_TEST

START_TEST(a_name_goes_with_its_tensor) {
    t_unwatch();
    Tensor *kept = t_tensor("[[1., 2., 3.], [4., 5., 6.]]");
    t_watch(kept);
    with_scope() {
        Tensor *lost = t_tensor("[1, 2]");
        t_watch(lost);
    }
    char *text = printed(print_table, NULL);
    ck_assert_ptr_null(strstr(text, "lost"));
    expect_line(text, "kept", "kept  (2,3)  leaf     [1, 2, 3, 4, ...] of 6  -\n");
    free(text);
    t_unwatch();
}
END_TEST

static void *end_and_print(void *x) {
    t_release(x);
    return printed(print_table, NULL);
}

/* A tensor that was handed to another thread leaves the table when it ends there; each thread has its own table. */
START_TEST(a_tensor_ends_on_another_thread) {
    Tensor *handed = NULL, *kept = t_ones(2);
    pthread_t thread;
    void *text;
    with_scope() {
        handed = t_retain(t_zeros(2));
        t_watch(handed, kept);
    }
    ck_assert_int_eq(pthread_create(&thread, NULL, end_and_print, handed), 0);
    pthread_join(thread, &text);
    ck_assert_str_eq(text, "name  shape  made by  value  gradient\n");
    free(text);
    text = printed(print_table, NULL);
    ck_assert_str_eq(text, "name  shape  made by  value   gradient\nkept  (2)    leaf     [1, 1]  -\n");
    free(text);
    t_unwatch();
}
END_TEST

/* Values of every dtype and layout. */
START_TEST(values_follow_the_strides) {
    Tensor *columns = t_transpose(t_tensor("[[1, 2, 3], [4, 5, 6]]", .dtype = t_int64), 0, 1);
    Tensor *expanded = t_expand(t_tensor("[0.5, 1]", .dtype = t_float64), 1, 2), *empty = t_zeros(0, 3);
    Tensor *truth = t_tensor("[True, False]");
    t_watch(columns, expanded, empty, truth);
    char *text = printed(print_table, NULL);
    ck_assert_ptr_nonnull(strstr(text, "[1, 4, 2, 5, ...] of 6"));
    ck_assert_ptr_nonnull(strstr(text, "[0.5, 1]"));
    ck_assert_ptr_nonnull(strstr(text, "[] "));
    ck_assert_ptr_nonnull(strstr(text, "[1, 0]"));
    free(text);
    t_unwatch();
}
END_TEST

START_TEST(parameters_are_named_by_path) {
    nn_Sequential *model = nn_Sequential(nn_Linear(2, 3), nn_Tanh(), nn_Linear(3, 1));
    ck_assert(nn_watch(model));
    char *text = printed(t_tape_print, nn_call(model, t_ones(1, 2)));
    ck_assert_ptr_nonnull(strstr(text, "-, model.0.weight, model.0.bias"));
    ck_assert_ptr_nonnull(strstr(text, "#2, model.2.weight, model.2.bias"));
    free(text);
    t_unwatch();
}
END_TEST

START_TEST(wrong_arguments_are_errors) {
    Tensor *x = t_ones(2), *dead = NULL, *const none[] = {x, dead};
    const char *const names[] = {"x", "dead"};
    expect_refusal(!(t_watch)(none, names, 2), "argument 2 is NULL where a tensor is expected");
    expect_refusal(!(t_watch)(NULL, names, 1), "argument 1 is NULL where tensors are expected");
    expect_refusal(!(t_watch)(none, NULL, 1), "argument 2 is NULL where names are expected");
    ck_assert(!(t_watch)(none, (const char *[]){NULL}, 1));
    t_clear_error();
    ck_assert(!(nn_watch)(NULL, "x"));
    t_clear_error();
    char *text = printed(print_table, NULL);
    ck_assert_str_eq(text, "name  shape  made by  value  gradient\n"); /* nothing is half done */
    free(text);
}
END_TEST

Suite *watch_suite(void) {
    Suite *suite = suite_create("watch");
    TCase *cases = tcase_create("watch");
    tcase_add_checked_fixture(cases, support_setup, support_teardown);
    tcase_add_test(cases, inputs_are_records_variables_and_numbers);
    tcase_add_test(cases, arguments_that_are_no_variables_have_no_name);
    tcase_add_test(cases, long_lists_of_inputs_are_cut);
    tcase_add_test(cases, watched_tensors_are_named);
    tcase_add_test(cases, a_name_goes_with_its_tensor);
    tcase_add_test(cases, values_follow_the_strides);
    tcase_add_test(cases, parameters_are_named_by_path);
    tcase_add_test(cases, wrong_arguments_are_errors);
    suite_add_tcase(suite, cases);
    cases = tcase_create("threads"); /* without the fixture: live counts are a thread's own */
    tcase_add_test(cases, a_tensor_ends_on_another_thread);
    suite_add_tcase(suite, cases);
    return suite;
}
