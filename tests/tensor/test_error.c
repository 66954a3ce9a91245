/* tests/tensor/test_error.c: how a failed call is reported: once, with the user's line, and without a trace. */
#include <locale.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/core.h"
#include "core/tensor/tensor.h"
#include "tests/autograd/test_autograd.h"
#include "tests/support/support.h"

#define MISFIT "mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"

START_TEST(a_macro_reports_the_users_line_once) {
    Tensor *q = t_ones(2, 3), *k = t_ones(4, 5);
    char where[100];
    int line = __LINE__ + 1;
    ck_assert_ptr_null(t_matmul(q, k));
    ck_assert_int_eq(error_count(), 1);
    snprintf(where, sizeof where, "test_error.c:%d: t_matmul(q, k): " MISFIT, line);
    ck_assert_ptr_nonnull(strstr(last_error_text(), where));
    ck_assert_str_eq(t_error(), last_error_text());
    ck_assert_str_eq(t_error_message(), MISFIT);
}
END_TEST

/* The innermost call fails; the calls around it pass the NULL on in silence. */
START_TEST(a_chain_reports_its_first_error) {
    Tensor *q = t_ones(2, 3), *k = t_ones(4, 5);
    ck_assert_ptr_null(t_softmax(t_div(t_add(t_matmul(q, k), 1), 2.0), -1));
    ck_assert_int_eq(error_count(), 1);
    ck_assert_ptr_nonnull(strstr(last_error_text(), "t_matmul(q, k): " MISFIT));
    clear_errors();
    ck_assert_ptr_null(t_sum(t_matmul(q, k), 0, .keepdim = true));
    ck_assert_ptr_null(t_add(t_ones(2), t_exp(t_matmul(q, k))));
    ck_assert_int_eq(error_count(), 2);
}
END_TEST

START_TEST(a_later_error_replaces_an_earlier_one) {
    t_matmul(t_ones(2, 3), t_ones(4, 5));
    clear_errors();
    t_view(t_ones(6), 4, 2);
    expect_one_error("t_view(t_ones(6), 4, 2): shape '[4, 2]' is invalid for input of size 6");
    ck_assert_ptr_null(t_error());
}
END_TEST

START_TEST(a_plain_call_does_not_call_the_handler) {
    ck_assert_ptr_null((t_matmul)((t_ones)(SHAPE(2, 3), NULL), (t_ones)(SHAPE(4, 5), NULL)));
    ck_assert_int_eq(error_count(), 0);
    ck_assert_str_eq(t_error(), MISFIT);
    ck_assert_str_eq(t_error_message(), MISFIT);
    ck_assert_ptr_nonnull(t_ones(2)); /* a macro does not tell it later, as its own */
    ck_assert_int_eq(error_count(), 0);
}
END_TEST

START_TEST(the_version_is_that_of_the_headers) {
    ck_assert_str_eq(t_version(), TAPEGRAD_VERSION);
}
END_TEST

/* Whatever locale the program has set: shown where the system has one with a comma. */
START_TEST(numbers_have_a_point) {
    const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C"};
    for (int i = 0; !setlocale(LC_ALL, locales[i]);) i++;
    ck_assert_ptr_null((t_bernoulli_)(t_ones(2), 1.5, NULL));
    ck_assert_str_eq(t_error(), "bernoulli_ expects p to be in [0, 1], but got p=1.5");
    t_clear_error();
    ck_assert_str_eq(tg_number_text(0.1), "0.1");
    ck_assert_str_eq(tg_number_text(1.25e-7), "1.25e-07");
    ck_assert(t_dtype(t_arange(2.0)) == t_float32 && t_dtype(t_arange(2)) == t_int64);
    setlocale(LC_ALL, "C");
}
END_TEST

START_TEST(null_is_named_where_no_error_is_pending) {
    Tensor *nothing = NULL;
    ck_assert_ptr_null(t_add(t_ones(2), nothing));
    expect_one_error("t_add(t_ones(2), nothing): argument 2 is NULL where a tensor is expected");
    ck_assert_ptr_null((t_exp)(NULL));
    expect_error("argument 1 is NULL where a tensor is expected");
    ck_assert(!t_backward(nothing));
    expect_one_error("argument 1 is NULL where a tensor is expected");
}
END_TEST

START_TEST(other_results_say_that_they_failed) {
    Tensor *x = t_ones(2, 3);
    ck_assert_int_eq(t_size(x, 2), -1);
    expect_one_error("Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    double value = t_item(x);
    ck_assert(value != value);
    expect_one_error("a Tensor with 6 elements cannot be converted to Scalar");
    ck_assert(!t_is_true(x));
    expect_one_error("Boolean value of Tensor with more than one value is ambiguous");
    ck_assert(!t_set(x, "5", 1));
    expect_one_error("index 5 is out of bounds for dimension 0 with size 2");
}
END_TEST

static Tensor *checked_double(Tensor *x) {
    if (t_size(x, 0) % 2) return t_fail("an even size is wanted, not %d", (int)t_size(x, 0));
    return t_add(x, x);
}

START_TEST(user_code_fails_in_the_same_way) {
    ck_assert_ptr_nonnull(checked_double(t_ones(2)));
    ck_assert_ptr_null(t_exp(checked_double(t_ones(3))));
    ck_assert_int_eq(error_count(), 1);
    ck_assert_ptr_nonnull(strstr(last_error_text(), "test_error.c:"));
    ck_assert_ptr_nonnull(strstr(last_error_text(), ": checked_double: an even size is wanted, not 3"));
    t_clear_error();
}
END_TEST

START_TEST(a_failed_call_leaves_nothing) {
    Tensor *q = t_ones(2, 3), *k = t_ones(4, 5);
    int64_t live = t_live_count(), bytes = t_live_bytes();
    t_matmul(q, k);
    t_view(q, 7);
    t_permute(q, 0, 0);
    t_sum(q, 5);
    ck_assert_int_eq(t_live_count(), live);
    ck_assert_int_eq(t_live_bytes(), bytes);
    ck_assert_int_eq(error_count(), 4);
}
END_TEST

/* ---- longjmp out of the handler ---- */

static jmp_buf back;
static int jumps;

static void jump_back(const char *text, void *context) {
    ck_assert_ptr_eq(context, &jumps);
    ck_assert_ptr_nonnull(strstr(text, MISFIT));
    jumps++;
    longjmp(back, 1);
}

static void fail_deep_inside(void) {
    with_scope() {
        t_ones(3);
        with_no_grad() for_range (i, 0, 3) t_exp(t_matmul(t_ones(2, 3), t_ones(4, 5)));
    }
}

START_TEST(a_handler_may_leave_by_longjmp) {
    int64_t live = t_live_count();
    const t_Mark mark = t_mark();
    t_Mark plain;
    (t_mark)(&plain); /* as other languages call it */
    ck_assert(plain.depth == mark.depth && plain.grad_enabled == mark.grad_enabled);
    jumps = 0;
    t_set_error_handler(jump_back, &jumps);
    if (setjmp(back) == 0) {
        fail_deep_inside();
        ck_abort_msg("the handler was not called");
    }
    t_unwind(mark);
    (t_unwind)(NULL);
    (t_mark)(NULL);
    ck_assert_int_eq(jumps, 1);
    ck_assert_int_eq(t_live_count(), live);
    ck_assert_int_eq(t_mark().depth, mark.depth);
    ck_assert(t_is_grad_enabled());
    ck_assert_ptr_null(t_error());
    ck_assert_ptr_null((t_matmul)((t_ones)(SHAPE(2, 3), NULL), (t_ones)(SHAPE(4, 5), NULL)));
    ck_assert_str_eq(t_error(), MISFIT); /* no line: the call site, too, is what it was */
}
END_TEST

/* ---- the default handler ends the program ---- */

START_TEST(without_a_handler_the_program_ends) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        t_set_error_handler(NULL, NULL);
        fclose(stderr); /* what it prints is test_error's affair above, and not for the log */
        t_matmul(t_ones(2, 3), t_ones(4, 5));
        _exit(0);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}
END_TEST

Suite *error_suite(void);
Suite *error_suite(void) {
    Suite *suite = suite_create("error");
    TCase *tests = tcase_create("error");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, a_macro_reports_the_users_line_once);
    tcase_add_test(tests, a_chain_reports_its_first_error);
    tcase_add_test(tests, a_later_error_replaces_an_earlier_one);
    tcase_add_test(tests, a_plain_call_does_not_call_the_handler);
    tcase_add_test(tests, numbers_have_a_point);
    tcase_add_test(tests, the_version_is_that_of_the_headers);
    tcase_add_test(tests, null_is_named_where_no_error_is_pending);
    tcase_add_test(tests, other_results_say_that_they_failed);
    tcase_add_test(tests, user_code_fails_in_the_same_way);
    tcase_add_test(tests, a_failed_call_leaves_nothing);
    tcase_add_test(tests, a_handler_may_leave_by_longjmp);
    suite_add_tcase(suite, tests);
    TCase *ends = tcase_create("default");
    tcase_add_test(ends, without_a_handler_the_program_ends);
    suite_add_tcase(suite, ends);
    return suite;
}
