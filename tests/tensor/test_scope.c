/* tests/tensor/test_scope.c: who owns what until when, and the blocks of sugar.h that open and close scopes. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "tests/autograd/test_autograd.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

/* A block as the only statement of an if, which must compile without a warning. */
START_TEST(a_block_is_one_statement) {
    Tensor *x = t_requires_grad_(t_ones(2), true), *y = NULL;
    for (int c = 0; c < 2; c++) {
        if (c) with_no_grad() y = t_mul(x, 2);
        if (!c) with_scope() y = t_keep(t_mul(x, 3));
        else y = t_add(y, (double)c);
        ck_assert(t_requires_grad(y) == !c);
    }
    ck_assert_double_eq(t_item(t_sum(y)), 6);
}
END_TEST

START_TEST(a_scope_takes_its_tensors_along) {
    int64_t live = t_live_count();
    with_scope() {
        t_add(t_ones(3), t_ones(3));
        ck_assert_int_ge(t_live_count(), live + 3);
    }
    ck_assert_int_eq(t_live_count(), live);
}
END_TEST

START_TEST(keep_carries_a_tensor_out) {
    Tensor *kept = NULL;
    int64_t live = t_live_count();
    with_scope() {
        with_scope() kept = t_keep(t_add(t_ones(2), 1));
        kept = t_keep(kept);
        ck_assert_ptr_eq(t_keep(kept), kept); /* it belongs to the outer scope now: nothing moves */
    }
    expect_values(kept, "[2.0, 2.0]");
    ck_assert_int_eq(t_live_count(), live + 1);
    ck_assert_ptr_null(t_keep((Tensor *)NULL));
}
END_TEST

static Tensor *twice(Tensor *x) {
    int depth = t_scope_open();
    Tensor *y = t_keep(t_add(x, x));
    t_scope_close(depth);
    return y;
}

START_TEST(scoped_keeps_only_the_result) {
    Tensor *x = t_ones(2);
    int64_t live = t_live_count();
    Tensor *y = t_scoped(t_mul(t_add(x, 1), t_exp(t_zeros(2))));
    ck_assert_int_eq(t_live_count(), live + 1);
    expect_values(y, "[2.0, 2.0]");
    live = t_live_count();
    expect_values(twice(twice(x)), "[4.0, 4.0]");
}
END_TEST

START_TEST(keep_as_carries_the_state_of_a_loop) {
    Tensor *h = t_zeros(2);
    int64_t live = t_live_count();
    for_range (i, 0, 100) {
        t_keep_as(&h, t_add(h, (double)i));
        ck_assert_int_le(t_live_count(), live + 4);
    }
    ck_assert_int_eq(t_live_count(), live + 1); /* the first h, which nobody carried, is its scope's */
    expect_values(h, "[4950.0, 4950.0]");
    Tensor *best = NULL;
    for_range (i, 0, 5)
        if (i == 3) t_keep_as(&best, t_full((1,), (double)i));
    expect_values(best, "[3.0]");
}
END_TEST

static Tensor *add_three_times(Tensor *h, double x) {
    for_range (i, 3) t_keep_as(&h, t_add(h, x));
    return h;
}

/* What a loop leaves in its variable belongs to the scope around: a second loop that begins with it does not end it. */
START_TEST(the_result_of_a_loop_is_an_ordinary_tensor) {
    Tensor *a = add_three_times(t_zeros(2), 1), *b = add_three_times(a, 2), *h = a;
    for_range (i, 2) t_keep_as(&h, t_mul(h, 2));
    for (int i = 0; i < 2; i++)
        with_scope() t_keep_as(&h, t_add(h, 1));
    expect_values(a, "[3.0, 3.0]");
    expect_values(b, "[9.0, 9.0]");
    expect_values(h, "[14.0, 14.0]");
}
END_TEST

/* state = decode(state), where decode has a loop of its own: one state is alive at a time. */
START_TEST(a_loop_in_a_loop_keeps_one_value) {
    Tensor *state = t_zeros(2), *best = NULL;
    const int outside = t_scope_depth();
    const int64_t live = t_live_count();
    for_range (i, 50) {
        t_keep_as(&state, add_three_times(state, 1));
        ck_assert_int_le(t_live_count(), live + 5);
    }
    expect_values(state, "[150.0, 150.0]");
    ck_assert_int_eq(t_live_count(), live + 1);
    for_range (epoch, 50) {
        Tensor *h = state;
        for_range (i, 5) {
            t_keep_as(&h, t_add(h, 1));
            if (i == 2) t_keep_as(&best, h, outside); /* two variables hold it */
        }
        expect_values(best, "[153.0, 153.0]");
    }
    ck_assert_int_eq(t_live_count(), live + 2);
}
END_TEST

/* for epoch: for batch: if loss < lowest: best = loss.clone() */
START_TEST(keep_carries_out_of_several_loops) {
    const int outside = t_scope_depth();
    const int64_t live = t_live_count();
    Tensor *best = NULL, *last = NULL;
    for_range (epoch, 0, 4) {
        for_range (batch, 0, 5) {
            with_scope() {
                Tensor *loss = t_mul(t_ones(2), (double)((epoch + 1) * (batch + 1) % 7));
                if (!best || t_item(t_max(loss)) > t_item(t_max(best))) t_keep_as(&best, t_clone(loss), outside);
                t_keep_as(&last, loss, outside);
            }
            ck_assert_int_le(t_live_count(), live + 3); /* what was best and last before is gone */
        }
    }
    ck_assert_int_eq(t_scope_depth(), outside);
    expect_values(best, "[6.0, 6.0]");
    expect_values(last, "[6.0, 6.0]");
    ck_assert_int_le(t_live_count(), live + 3);
    for_range (i, 0, 2) for_range (j, 0, 2) best = t_keep(t_add(best, 1), outside);
    expect_values(best, "[10.0, 10.0]");
}
END_TEST

START_TEST(texts_belong_to_the_scope) {
    char expected[401] = "";
    for (int i = 0; i < 40; i++) strcat(expected, "0123456789");
    with_scope() {
        const char *x = t_str(t_arange(3)), *layer = t_format("layer %d, %s", 3, x);
        const char *longer = t_format("%s", expected), *empty = t_format("%s", "");
        for (int i = 0; i < 20; i++) ck_assert_int_eq(atoi(t_format("%d", i)), i);
        ck_assert_str_eq(x, "tensor([0, 1, 2])"); /* many calls later */
        ck_assert_str_eq(layer, "layer 3, tensor([0, 1, 2])");
        ck_assert_str_eq(longer, expected);
        ck_assert_str_eq(empty, "");
    }
    clear_errors();
    ck_assert_ptr_null(t_str((Tensor *)NULL));
    expect_one_error("t_str((Tensor *)NULL): argument 1 is NULL where a tensor is expected");
}
END_TEST

START_TEST(keep_stops_at_the_given_scope) {
    Tensor *middle = NULL, *x = t_ones(1), *slot = NULL;
    const int64_t live = t_live_count();
    with_scope() {
        const int here = t_scope_depth();
        with_scope() with_scope() {
            middle = t_keep(t_add(x, 1), here);
            ck_assert_ptr_eq(t_keep(middle, here), middle);
            ck_assert_ptr_eq(t_keep(x, here), x); /* lives further out: nothing moves */
            t_keep_as(&slot, x, here);
            t_keep_as(&slot, t_add(x, 2), here);
            t_keep_as(&slot, slot, here - 1); /* further out */
            ck_assert_ptr_null(t_keep((Tensor *)NULL, here));
        }
        expect_values(middle, "[2.0]");
        ck_assert_int_eq(t_live_count(), live + 2);
    }
    expect_values(slot, "[3.0]");
    expect_values(x, "[1.0]");
    ck_assert_int_eq(t_live_count(), live + 1);
    clear_errors();
    ck_assert_ptr_null(t_keep(x, 100));
    expect_one_error("argument 2 is the depth 100, but the open scopes have depths from 1 to ");
    ck_assert_ptr_null(t_keep_as(&slot, x, 0));
    expect_one_error("argument 3 is the depth 0, but the open scopes have depths from 1 to ");
    expect_values(slot, "[3.0]");
}
END_TEST

/* What a record needs outlives its scope; what the user holds does not. */
START_TEST(the_tape_holds_what_backward_needs) {
    Tensor *x = leaf("[1, 2]"), *loss = NULL;
    with_scope() {
        Tensor *factor = t_exp(t_zeros(2));
        loss = t_keep(t_sum(t_mul(t_mul(x, t_add(factor, 1)), x)));
    }
    ck_assert(t_backward(loss));
    expect_values(t_grad(x), "[4.0, 8.0]");
}
END_TEST

START_TEST(the_dead_are_named) {
    Tensor *x = NULL;
    with_scope() x = t_ones(2);
    ck_assert_ptr_null(t_add(t_ones(2), x));
    expect_one_error("argument 2 died with its scope; t_keep() carries a tensor out of the scope that made it");
    ck_assert_int_eq(t_numel(x), -1);
    expect_one_error("argument 1 died with its scope");
    for_range (i, 0, 3) x = t_ones(2);
    ck_assert(!t_backward(x));
    expect_one_error("argument 1 died with its scope");
    t_TensorList *list = NULL;
    with_scope() list = t_list(t_ones(2));
    ck_assert_ptr_nonnull(t_list(t_ones(3))); /* not in the dead one's memory */
    ck_assert_ptr_null(t_cat(list));
    expect_one_error("argument 1 is not a live list of tensors");
}
END_TEST

/* ---- loops ---- */

static int64_t live_at_start;

static int64_t leave_by_return(void) {
    for_range (i, 0, 10) {
        with_scope() {
            t_ones(3);
            with_no_grad() {
                t_ones(3);
                if (i == 4) return i;
            }
        }
    }
    return -1;
}

START_TEST(ranges_have_steps) {
    int64_t sum = 0;
    for_range (i, 0, 10, 4) sum = 10 * sum + i;
    ck_assert_int_eq(sum, 48);
    for_range (i, 9, -1, -3) sum = 10 * sum + i;
    ck_assert_int_eq(sum, 489630);
    for_range (i, 4) sum = 10 * sum + i;
    ck_assert_int_eq(sum, 4896300123);
    for_range (i, 3, 3, -1) ck_abort();
    for_range (i, 3, 0, 2) ck_abort();
    clear_errors();
    for_range (i, 0, 3, 0) ck_abort();
    ck_assert(error_count() == 1 && strstr(last_error_text(), ": for_range (i): range() arg 3 must not be zero"));
    t_clear_error();
}
END_TEST

START_TEST(loops_close_their_scopes_on_every_way_out) {
    int turns = 0, depth = t_mark().depth;
    live_at_start = t_live_count();
    for_range (i, 0, 10) {
        t_ones(3);
        if (i < 3) continue;
        turns++;
        if (i == 6) break;
    }
    ck_assert_int_eq(turns, 4);
    ck_assert_int_eq(t_live_count(), live_at_start);
    ck_assert_int_eq(leave_by_return(), 4);
    for_range (i, 0, 3) {
        for_range (j, i, 3) {
            t_ones(3);
            if (j == 2) goto out;
        }
    }
out:
    ck_assert_int_eq(t_live_count(), live_at_start);
    ck_assert_int_eq(t_mark().depth, depth);
    ck_assert(t_is_grad_enabled());
    for_range (i, 5, 5) ck_abort_msg("an empty range has no turn");
    for_range (i, 5, -5) ck_abort_msg("an empty range has no turn");
}
END_TEST

START_TEST(no_grad_blocks_restore_grad_mode) {
    Tensor *x = leaf("[1, 2]");
    with_no_grad() {
        ck_assert(!t_is_grad_enabled() && !t_requires_grad(t_mul(x, x)));
        with_enable_grad() ck_assert(t_requires_grad(t_mul(x, x)));
        ck_assert(!t_is_grad_enabled());
        with_no_grad() ck_assert(!t_is_grad_enabled());
        ck_assert(!t_is_grad_enabled());
    }
    ck_assert(t_is_grad_enabled());
    for_range (i, 0, 3)
        with_no_grad() {
            if (i == 1) continue; /* leaves the block only, as its end would */
            t_ones(2);
        }
    ck_assert(t_is_grad_enabled());
}
END_TEST

static int turns_taken;

static void break_in_a_block(void) {
    turns_taken = 0;
    for_range (i, 0, 3) {
        turns_taken++;
        with_no_grad() break;
    }
}

START_TEST(a_stray_break_is_reported) {
    catch_output(STDERR_FILENO);
    break_in_a_block();
    char *text = caught_output();
    ck_assert_ptr_nonnull(strstr(text, "test_scope.c:"));
    ck_assert_ptr_nonnull(strstr(text, "break inside a with_...() block only leaves the block"));
    ck_assert_int_eq(turns_taken, 3);
    ck_assert(t_is_grad_enabled());
    free(text);
}
END_TEST

/* ---- references and lists ---- */

START_TEST(a_reference_of_ones_own_outlives_the_scope) {
    Tensor *x = NULL;
    int64_t live = t_live_count();
    with_scope() x = t_retain(t_ones(2));
    expect_values(x, "[1.0, 1.0]");
    t_release(x);
    ck_assert_int_eq(t_live_count(), live);
    with_scope() x = t_keep_forever(t_full((2,), 3.0));
    expect_values(x, "[3.0, 3.0]");
    ck_assert_int_eq(t_live_count(), live + 1); /* until the thread ends */
}
END_TEST

START_TEST(lists_hold_their_items) {
    t_TensorList *list = NULL;
    int depth = t_scope_open();
    list = t_list(t_ones(1), t_zeros(1));
    for (int i = 0; i < 10; i++) t_list_append(list, t_full((1,), (double)i));
    t_keep_object(list);
    t_scope_close(depth);
    ck_assert_int_eq(list->len, 12);
    expect_values(t_list_get(list, -1), "[9.0]");
    expect_values(t_list_get(list, 0), "[1.0]");
    ck_assert_ptr_null(t_list_get(list, 12));
    expect_one_error("list index out of range: 12 in a list of 12");
    Tensor *last = t_list_get(list, -1), *other = t_ones(1);
    ck_assert(t_list_set(list, 0, other) && t_list_set(list, 0, other) && t_list_set(list, -1, last));
    ck_assert(t_list_get(list, 0) == other && t_list_get(list, -1) == last);
    ck_assert(!t_list_set(list, 12, other));
    expect_one_error("list assignment index out of range: 12 in a list of 12");
    ck_assert(!(t_list_set)(list, 0, NULL));
    clear_errors();
}
END_TEST

Suite *scope_suite(void);
Suite *scope_suite(void) {
    Suite *suite = suite_create("scope");
    TCase *tests = tcase_create("scope");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, a_block_is_one_statement);
    tcase_add_test(tests, a_scope_takes_its_tensors_along);
    tcase_add_test(tests, keep_carries_a_tensor_out);
    tcase_add_test(tests, scoped_keeps_only_the_result);
    tcase_add_test(tests, keep_as_carries_the_state_of_a_loop);
    tcase_add_test(tests, the_result_of_a_loop_is_an_ordinary_tensor);
    tcase_add_test(tests, a_loop_in_a_loop_keeps_one_value);
    tcase_add_test(tests, keep_carries_out_of_several_loops);
    tcase_add_test(tests, keep_stops_at_the_given_scope);
    tcase_add_test(tests, texts_belong_to_the_scope);
    tcase_add_test(tests, the_tape_holds_what_backward_needs);
    tcase_add_test(tests, the_dead_are_named);
    tcase_add_test(tests, loops_close_their_scopes_on_every_way_out);
    tcase_add_test(tests, ranges_have_steps);
    tcase_add_test(tests, no_grad_blocks_restore_grad_mode);
    tcase_add_test(tests, a_stray_break_is_reported);
    tcase_add_test(tests, lists_hold_their_items);
    suite_add_tcase(suite, tests);
    TCase *forever = tcase_create("forever");
    tcase_add_test(forever, a_reference_of_ones_own_outlives_the_scope);
    suite_add_tcase(suite, forever);
    return suite;
}
