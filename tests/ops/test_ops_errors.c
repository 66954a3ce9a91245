/* tests/ops/test_ops_errors.c: a bad call gives NULL and one sentence, makes nothing, and changes nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tensor/context.h"
#include "tests/ops/op_run.h"

/* ---- what a failed call must leave as it was ---- */

typedef struct Before {
    int64_t live, records;
    double *values[MAX_INPUTS];
    int64_t versions[MAX_INPUTS];
} Before;

static Before look(const Inputs *x) {
    Before before = {.records = tg_thread.records_alive};
    for (int i = 0; i < x->count; i++)
        if (x->x[i]) {
            before.values[i] = values_of(x->x[i]);
            before.versions[i] = t_data_version(x->x[i]);
        }
    before.live = t_live_count();
    return before;
}

static void check_unchanged(const char *key, const Inputs *x, Before *before) {
    if (t_live_count() != before->live)
        note("%s: the failed call left %lld tensors behind", key, (long long)(t_live_count() - before->live));
    if (tg_thread.records_alive != before->records) note("%s: the failed call left a record behind", key);
    if (!t_is_grad_enabled()) note("%s: the failed call left grad mode off", key);
    t_set_grad_enabled(true);
    for (int i = 0; i < x->count; i++) {
        if (!x->x[i]) continue;
        double *now = values_of(x->x[i]);
        bool same = memcmp(now, before->values[i], (size_t)t_numel(x->x[i]) * sizeof *now) == 0;
        if (!same) note("%s: input %d changed", key, i);
        if (t_data_version(x->x[i]) != before->versions[i]) note("%s: the version of input %d changed", key, i);
        free(now);
        free(before->values[i]);
    }
}

/* ---- errors of the table ---- */

static void check_bad_call(const OpRow *row, const OpError *item) {
    char key[KEY_SIZE];
    int depth = t_scope_open();
    case_key(row, item->inputs, item->n, key, sizeof key);
    Inputs leaves = make_inputs(item->inputs, seed_of(key), t_float32), x = arguments(row, &leaves);
    Before before = look(&x);
    t_TensorList *ys = run_op(row, &x, item->n, t_float32, 1);
    const char *said = t_error_message();
    if (ys) note("%s: succeeded, expected: %s", key, item->message);
    else if (!said) note("%s: NULL without an error, expected: %s", key, item->message);
    else if (strcmp(said, item->message) != 0) note("%s:\n    said     %s\n    expected %s", key, said, item->message);
    t_clear_error();
    check_unchanged(key, &x, &before);
    t_scope_close(depth);
}

START_TEST(bad_calls_say_why) {
    const OpRow *row = op_row(_i, NULL);
    for (const OpError *item = row->errors; item->inputs; item++) check_bad_call(row, item);
    report_notes();
}
END_TEST

/* ---- NULL ---- */

/* The message that a NULL for that input gives: the position is the input's among the function's parameters. */
static bool says_null(const OpRow *row, int input, const char *said) {
    char expected[80];
    int position = row->positions ? row->positions[input] - '0' : input + 1;
    snprintf(expected, sizeof expected, "argument %d is NULL where a tensor is expected", position);
    return strcmp(said, expected) == 0;
}

static void check_null(const OpRow *row, const OpCase *item, int input, bool pending) {
    char key[KEY_SIZE + 60];
    int depth = t_scope_open();
    case_key(row, item->inputs, item->n, key, KEY_SIZE);
    Inputs leaves = make_inputs(item->inputs, seed_of(key), t_float32), x = arguments(row, &leaves);
    snprintf(key + strlen(key), 60, ", NULL for input %d%s", input, pending ? " after an error" : "");
    x.x[input] = NULL;
    Before before = look(&x);
    if (pending) t_fail("an earlier error");
    t_TensorList *ys = run_op(row, &x, item->n, t_float32, 1);
    const char *said = t_error_message() ? t_error_message() : "nothing";
    if (ys) note("%s: succeeded", key);
    else if (pending ? strcmp(said, "an earlier error") != 0 : !says_null(row, input, said))
        note("%s: said %s", key, said);
    t_clear_error();
    check_unchanged(key, &x, &before);
    t_scope_close(depth);
}

/* Lists name their items by their index in the list. An argument that may be NULL may not while an error is pending:
 * a failed bias would pass for no bias. */
START_TEST(null_passes_on_or_is_named) {
    const OpRow *row = op_row(_i, NULL);
    const OpCase *item = row->cases;
    if (row->flags & GRAPH) return;
    for (int i = 0; i < make_inputs(item->inputs, 1, t_float32).count; i++) {
        if (!row->positions || row->positions[i] != '?') check_null(row, item, i, false);
        check_null(row, item, i, true);
    }
    report_notes();
}
END_TEST

/* ---- dead tensors ---- */

START_TEST(dead_tensors_are_named) {
    const OpRow *row = op_row(_i, NULL);
    if (row->flags & GRAPH) return;
    int depth = t_scope_open();
    Inputs dead = make_inputs(row->cases->inputs, 1, t_float32);
    t_scope_close(depth);
    for (int i = 0; i < dead.count; i++) {
        if (!dead.x[i]) continue;
        depth = t_scope_open();
        Inputs x = make_inputs(row->cases->inputs, 1, t_float32);
        x = arguments(row, &x);
        x.x[i] = dead.x[i];
        t_TensorList *ys = run_op(row, &x, row->cases->n, t_float32, 1);
        if (ys || !t_error() || !strstr(t_error(), "died with its scope; t_keep() carries a tensor out"))
            note("%s: input %d dead: %s", row->name, i, ys ? "succeeded" : t_error() ? t_error() : "no error");
        t_clear_error();
        t_scope_close(depth);
    }
    report_notes();
}
END_TEST

TCase *bad_call_tests(void) {
    TCase *tests = tcase_create("bad calls");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, bad_calls_say_why, 0, op_row_count());
    tcase_add_loop_test(tests, null_passes_on_or_is_named, 0, op_row_count());
    tcase_add_loop_test(tests, dead_tensors_are_named, 0, op_row_count());
    return tests;
}
