/* tests/pandas/test_merge.c: merge and concat against pandas (tests/golden/record_pandas.py, joins), and failing
 * allocations. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pandas/pandas.h"
#include "core/tensor/tensor.h"
#include "tests/pandas/recorded_tables.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

static pd_DataFrame *frame(const char *text) {
    return pd_read_csv_bytes(text, strlen(text));
}

/* ---- the recorded calls, in the order of record_pandas.py ---- */

enum { JOIN_CASES = 75 };

static pd_DataFrame *label_case(int i) {
    static const char *const hows[] = {"inner", "left", "right", "outer"};
    pd_DataFrame *p = frame("k,x\na,1\nb,2\nb,3\nc,4\n"), *q = frame("k,y\nb,10\nd,40\na,5\n");
    pd_DataFrame *u = pd_set_index(p, "k"), *v = pd_set_index(q, "k");
    const char *how = i < 24 ? hows[i / 6] : NULL;
    switch (i < 24 ? i % 6 : i - 18) {
    case 0: return pd_merge(u, v, .left_index = true, .right_index = true, .how = how);
    case 1: return pd_merge(p, v, .left_on = {"k"}, .right_index = true, .how = how);
    case 2: return pd_merge(u, q, .left_index = true, .right_on = {"k"}, .how = how);
    case 3: return pd_merge(p, q, .on = {"k"}, .how = how, .indicator = "_merge");
    case 4: return pd_merge(p, q, .left_index = true, .right_index = true, .how = how);
    case 5: return pd_merge(p, pd_set_index(q, "y"), .left_on = {"x"}, .right_index = true, .how = how);
    case 6: return u;
    case 7: return pd_set_index(p, "z");
    case 8: return pd_merge(u, v, .left_index = true);
    case 9: return pd_merge(u, v, .right_index = true);
    case 10: return pd_merge(p, q, .on = {"k"}, .left_index = true);
    case 11: return pd_merge(p, v, .left_on = {"k", "x"}, .right_index = true);
    case 12: return pd_merge(p, v, .left_on = {"k"}, .left_index = true, .right_on = {"y"});
    case 13: return pd_merge(p, v, .left_on = {"x"}, .right_index = true);
    case 14: return pd_merge(u, v, .left_index = true, .right_index = true, .how = "cross");
    default: return pd_merge(p, q, .on = {"k"}, .indicator = "x");
    }
}

static pd_DataFrame *join_case(int i) {
    static const char *const hows[] = {"inner", "left", "right", "outer"};
    pd_DataFrame *a = frame("k,x,v\na,1,1.5\nb,2,2\nb,3,3\nc,4,4\n,5,5\n");
    pd_DataFrame *b = frame("k,y,v\nb,10,1\nb,20,2\nc,30,3\nd,40,4\n,50,5\n");
    pd_DataFrame *c = frame("j,t\nc,True\nb,False\nc,True\n");
    if (i < 16) {
        const char *how = hows[i / 4];
        switch (i % 4) {
        case 0: return pd_merge(a, b, .on = {"k"}, .how = how);
        case 1: return pd_merge(a, b, .on = {"k", "v"}, .how = how);
        case 2: return pd_merge(a, c, .left_on = {"k"}, .right_on = {"j"}, .how = how);
        default: return pd_merge(b, a, .how = how, .on = {"k"}, .suffixes = {"", "_right"});
        }
    }
    switch (i) {
    case 16: return pd_merge(a, b);
    case 17: return pd_merge(a, c, .how = "cross");
    case 18: return pd_merge(a, b, .left_on = {"x"}, .right_on = {"y"}, .how = "outer");
    case 19: return pd_merge(a, b, .on = {"z"});
    case 20: return pd_merge(a, c);
    case 21: return pd_merge(a, b, .on = {"k"}, .suffixes = {"", ""});
    case 22: return pd_merge(a, b, .left_on = {"k"});
    case 23: return pd_merge(a, b, .on = {"k"}, .left_on = {"k"}, .right_on = {"k"});
    case 24: return pd_merge(a, b, .left_on = {"k"}, .right_on = {"y"});
    case 25: return pd_merge(a, b, .left_on = {"k", "x"}, .right_on = {"k"});
    case 26: return pd_merge(a, c, .how = "cross", .on = {"k"});
    case 27: return pd_concat((a, b));
    case 28: return pd_concat((a, c), .ignore_index = true);
    case 29: return pd_concat((a, b), .join = "inner");
    case 30: return pd_concat((a, b), .axis = 1);
    case 31: return pd_concat((a, c), .axis = 1);
    case 32: return pd_concat((pd_iloc(a, "1:3"), b), .axis = 1);
    case 33: return pd_concat((pd_iloc(a, "1:3"), b), .axis = 1, .join = "inner");
    case 34: return pd_concat((a, pd_tail(b, 2)), .axis = 1, .ignore_index = true);
    case 35: return pd_concat((pd_sort_values(a, "x", .ascending = false), c), .axis = 1);
    case 36: return pd_concat((a, b), .join = "x");
    case 37: return pd_concat((a, b), .axis = 2);
    case 38: return pd_concat((pd_concat((pd_head(a, 2), pd_head(a, 2))), b), .axis = 1);
    case 39: return pd_head(pd_merge(a, pd_tail(b, 1), .on = {"k"}), 0);
    case 40: return pd_concat((b, pd_concat((pd_tail(a, 2), pd_tail(a, 2)))), .axis = 1);
    default: return label_case(i - 41);
    }
}

/* ---- against pandas ---- */

START_TEST(frames_are_joined_as_by_pandas) {
    setenv("COLUMNS", "80", 1);
    for (int i = 0; i < JOIN_CASES; i++)
        with_scope () {
            expect_recorded("join", i, frame_text(join_case(i)));
        }
    report_notes();
}
END_TEST

typedef struct Join {
    int which;
    const pd_DataFrame *frames[2];
} Join;

static bool merge_labels(const Join *j) {
    pd_MergeOptions o = {PD_MERGE_DEFAULTS_};
    pd_DataFrame *labels = pd_DataFrame_set_index(j->frames[1], "k");
    o.how = "outer";
    o.indicator = "_merge";
    o.right_index = true;
    o.left_index = j->which == 5;
    o.left_on[0] = j->which == 5 ? NULL : "k";
    pd_DataFrame *left = j->which == 5 ? pd_DataFrame_set_index(j->frames[0], "k") : pd_DataFrame_head(j->frames[0], 9);
    return labels && left && (pd_merge)(left, labels, &o);
}

static bool join(void *with) {
    const Join *j = with;
    const pd_MergeOptions m = {
        .how = j->which ? "inner" : "outer", .on = {"k"}, .suffixes = {"_x", "_y"}, .size = sizeof m};
    const pd_ConcatOptions c = {sizeof c, j->which % 2, j->which < 4 ? "outer" : "inner", false};
    if (j->which >= 5) return merge_labels(j);
    return j->which < 2 ? (pd_merge)(j->frames[0], j->frames[1], &m) != NULL : pd_concat_of(j->frames, 2, &c) != NULL;
}

START_TEST(each_allocation_may_fail) {
    pd_DataFrame *a = frame("k,x,v\na,1,1.5\nb,2,2\nb,3,3\n,5,5\n"), *b = frame("k,y,v\nb,10,1\nc,30,3\n,50,5\n");
    Join j = {.frames = {a, b}};
    for (; j.which < 7; j.which++) refuse_all(t_format("join %d", j.which), join, NULL, &j);
    report_notes();
}
END_TEST

Suite *merge_suite(void) {
    Suite *suite = suite_create("merge");
    TCase *test = tcase_create("merge");
    tcase_add_checked_fixture(test, support_setup, support_teardown);
    tcase_add_test(test, frames_are_joined_as_by_pandas);
    tcase_add_test(test, each_allocation_may_fail);
    suite_add_tcase(suite, test);
    return suite;
}
