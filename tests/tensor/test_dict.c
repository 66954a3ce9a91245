/* tests/tensor/test_dict.c: dicts of tensors by their names: order, dicts within dicts, what fails and what it leaves.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "core/tensor/context.h"
#include "tests/support/support.h"

/* "a b.c ..." in order; a text as name='text'. */
static const char *listed(const t_TensorDict *dict) {
    static char text[2000];
    size_t at = 0;
    text[0] = '\0';
    for_items (item, dict)
        at += (size_t)snprintf(text + at, sizeof text - at, item->text ? "%s%s='%s'" : "%s%s", at ? " " : "",
                               item->name, item->text);
    return text;
}

static t_TensorDict *small(void) {
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, "fc.weight", t_zeros(2, 3));
    t_dict_set(dict, "epoch", 3);
    t_dict_set(dict, "fc.bias", t_ones(2));
    t_dict_set(dict, "loss", 0.5);
    t_dict_set(dict, "name", "first");
    return dict;
}

/* ---- items ---- */

START_TEST(items_stay_in_the_order_in_which_their_names_came) {
    t_TensorDict *dict = small();
    ck_assert_str_eq(listed(dict), "fc.weight epoch fc.bias loss name='first'");
    t_dict_set(dict, "epoch", 4);
    t_dict_set(dict, "name", "second");
    t_dict_set(dict, "loss", "none");
    ck_assert_str_eq(listed(dict), "fc.weight epoch fc.bias loss='none' name='second'");
    t_dict_delete(dict, "epoch");
    t_dict_set(dict, "epoch", 5);
    ck_assert_str_eq(listed(dict), "fc.weight fc.bias loss='none' name='second' epoch");
    ck_assert_int_eq(t_dict_get_integer(dict, "epoch"), 5);
}
END_TEST

START_TEST(values_of_each_kind_come_back) {
    t_TensorDict *dict = small();
    bool done = true;
    t_dict_set(dict, "done", done);
    t_dict_set(dict, "", t_zeros(1));
    ck_assert_int_eq(t_dict_get_integer(dict, "epoch"), 3);
    ck_assert_double_eq(t_dict_get_number(dict, "loss"), 0.5);
    ck_assert_str_eq(t_dict_get_text(dict, "name"), "first");
    ck_assert_int_eq(t_dtype(t_dict_get(dict, "done")), t_bool);
    ck_assert_int_eq(t_dtype(t_dict_get(dict, "epoch")), t_int64);
    ck_assert_int_eq(t_dtype(t_dict_get(dict, "loss")), t_float64);
    ck_assert_int_eq(t_numel(t_dict_get(dict, "")), 1);
    ck_assert(t_dict_has(dict, "") && t_dict_has(dict, "fc") && t_dict_has(dict, "fc.bias") && !t_dict_has(dict, "f") &&
              !t_dict_has(dict, "fc."));
}
END_TEST

START_TEST(a_dict_holds_its_tensors) {
    t_TensorDict *dict = t_dict();
    Tensor *x = NULL;
    with_scope() {
        x = t_full_like(t_zeros(2), 7);
        t_dict_set(dict, "x", x);
    }
    ck_assert_ptr_eq(t_dict_get(dict, "x"), x);
    ck_assert_double_eq(t_item(t_at(x, "1")), 7);
    t_dict_set(dict, "x", t_dict_get(dict, "x")); /* its own value again */
    ck_assert_double_eq(t_item(t_at(t_dict_get(dict, "x"), "1")), 7);
    t_dict_set(dict, "t", "own");
    t_dict_set(dict, "t", t_dict_get_text(dict, "t"));
    ck_assert_str_eq(t_dict_get_text(dict, "t"), "own");
}
END_TEST

START_TEST(an_item_is_deleted_by_its_own_name) {
    t_TensorDict *dict = small();
    ck_assert(t_dict_delete(dict, dict->items[0].name));
    ck_assert(t_dict_delete(dict, dict->items[dict->len - 1].name));
    ck_assert_str_eq(listed(dict), "epoch fc.bias loss");
    while (dict->len) ck_assert(t_dict_delete(dict, dict->items[0].name));
    ck_assert(!t_dict_has(dict, "epoch"));
}
END_TEST

START_TEST(many_names_are_found) {
    enum { MANY = 3000 };
    t_TensorDict *dict = t_dict();
    char name[32];
    with_scope() {
        Tensor *x = t_zeros(1);
        for (int i = 0; i < MANY; i++) {
            snprintf(name, sizeof name, "layers.%d.weight", i * 7 % MANY);
            ck_assert(i % 2 ? t_dict_set(dict, name, x) : t_dict_set(dict, name, name));
        }
    }
    ck_assert_int_eq(dict->len, MANY);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "layers.%d.weight", i * 7 % MANY);
        ck_assert_str_eq(dict->items[i].name, name);
        ck_assert(i % 2 ? t_dict_get(dict, name) != NULL : strcmp(t_dict_get_text(dict, name), name) == 0);
    }
}
END_TEST

/* ---- dicts within dicts ---- */

START_TEST(a_dict_within_a_dict_is_flat) {
    t_TensorDict *outer = t_dict(), *inner = small();
    t_dict_set(outer, "epoch", 9);
    t_dict_set(outer, "model", inner);
    t_dict_set(outer, "last", "x");
    ck_assert_str_eq(listed(outer),
                     "epoch model.fc.weight model.epoch model.fc.bias model.loss model.name='first' last='x'");
    ck_assert_ptr_eq(t_dict_get(outer, "model.fc.weight"), t_dict_get(inner, "fc.weight"));
    ck_assert_str_eq(listed(t_dict_get_dict(outer, "model")), listed(inner));
    ck_assert_str_eq(listed(t_dict_get_dict(outer, "model.fc")), "weight bias");
    ck_assert_int_eq(t_dict_get_dict(t_dict_get_dict(outer, "model"), "fc")->len, 2);
    t_dict_set(inner, "epoch", 4); /* the outer one has a copy */
    ck_assert_int_eq(t_dict_get_integer(outer, "model.epoch"), 3);
}
END_TEST

START_TEST(setting_a_dict_again_replaces_all_of_it) {
    t_TensorDict *outer = t_dict(), *inner = small();
    t_dict_set(outer, "model", 1);
    t_dict_set(outer, "modelling", 2);
    t_dict_set(outer, "model", inner);
    ck_assert(!t_dict_has(outer, "model.x") && t_dict_has(outer, "modelling"));
    t_dict_delete(inner, "fc");
    t_dict_set(outer, "model", inner);
    ck_assert_str_eq(listed(outer), "modelling model.epoch model.loss model.name='first'");
    ck_assert(t_dict_delete(outer, "model"));
    ck_assert_str_eq(listed(outer), "modelling");
    t_dict_set(outer, "self", outer);
    ck_assert_str_eq(listed(outer), "modelling self.modelling");
    t_dict_set(outer, "", outer);
    ck_assert_str_eq(listed(outer), "modelling self.modelling .modelling .self.modelling");
    ck_assert_str_eq(listed(t_dict_get_dict(outer, "")), "modelling self.modelling");
}
END_TEST

START_TEST(an_empty_dict_comes_back_empty) {
    t_TensorDict *outer = t_dict();
    t_dict_set(outer, "state", t_dict());
    t_dict_set(outer, "groups.0", t_dict());
    ck_assert(t_dict_has(outer, "state"));
    ck_assert_int_eq(t_dict_get_dict(outer, "state")->len, 0);
    t_dict_set(outer, "copy", outer);
    ck_assert_int_eq(t_dict_get_dict(t_dict_get_dict(outer, "copy"), "state")->len, 0);
    t_dict_set(outer, "state", small());
    ck_assert_int_eq(t_dict_get_dict(outer, "state")->len, 5);
    t_dict_set(outer, "state", t_dict());
    ck_assert_int_eq(t_dict_get_dict(outer, "state")->len, 0);
}
END_TEST

/* ---- errors ---- */

START_TEST(what_is_not_there_is_named) {
    t_TensorDict *dict = small(), *none = t_dict();
    expect_refusal((t_dict_get)(dict, "fc.wieght") == NULL,
                   "KeyError: 'fc.wieght' is not among the 5 names, from 'fc.weight' to 'name'");
    expect_refusal((t_dict_get_dict)(dict, "fx") == NULL,
                   "KeyError: 'fx' is not among the 5 names, from 'fc.weight' to 'name'");
    expect_refusal(!(t_dict_delete)(dict, "f"), "KeyError: 'f' is not among the 5 names, from 'fc.weight' to 'name'");
    expect_refusal((t_dict_get_text)(none, "x") == NULL, "KeyError: 'x' in an empty dict");
    expect_refusal((t_dict_get)(dict, "name") == NULL, "'name' is a string ('first'), not a tensor");
    expect_refusal((t_dict_get_text)(dict, "loss") == NULL, "'loss' is a tensor, not a string");
    ck_assert(isnan((t_dict_get_number)(dict, "x")));
    t_clear_error();
    ck_assert_int_eq((t_dict_get_integer)(dict, "x"), T_NONE);
    t_clear_error();
    ck_assert(isnan((t_dict_get_number)(dict, "fc.weight")));
    expect_error("a Tensor with 6 elements cannot be converted to Scalar");
    ck_assert_str_eq(listed(dict), "fc.weight epoch fc.bias loss name='first'");
}
END_TEST

START_TEST(what_is_no_dict_is_refused) {
    t_TensorDict *dict = small();
    Tensor *x = t_zeros(1);
    expect_refusal(!(t_dict_set)(NULL, "x", x), "argument 1 is NULL where a dict of tensors is expected");
    expect_refusal(!(t_dict_set)((void *)x, "x", x), "argument 1 is not a live dict of tensors");
    expect_refusal(!(t_dict_set)(dict, NULL, x), "argument 2 is NULL where a name is expected");
    expect_refusal(!(t_dict_set_text)(dict, "x", NULL), "argument 3 is NULL where a text is expected");
    expect_refusal(!(t_dict_set_dict)(dict, "x", NULL), "argument 3 is NULL where a dict of tensors is expected");
    ck_assert(!(t_dict_set)(dict, "x", NULL));
    t_clear_error();
    expect_refusal(!(t_dict_has)(dict, NULL), "argument 2 is NULL where a name is expected");
    (t_fail)("earlier");
    ck_assert(!(t_dict_set)(dict, "x", NULL) && !(t_dict_set_text)(dict, "x", NULL) &&
              !(t_dict_set_dict)(dict, "x", NULL));
    expect_error("earlier");
    ck_assert_int_eq(dict->len, 5);
}
END_TEST

/* ---- out of memory ---- */

static bool sets_a_tensor(t_TensorDict *dict) { return (t_dict_set)(dict, "new", t_dict_get(dict, "fc.weight")); }
static bool sets_again(t_TensorDict *dict) { return (t_dict_set_text)(dict, "name", "another"); }
static bool sets_a_number(t_TensorDict *dict) { return (t_dict_set_number)(dict, "new", 3.5); }
static bool sets_an_integer(t_TensorDict *dict) { return (t_dict_set_integer)(dict, "new", 3); }
static bool sets_itself(t_TensorDict *dict) { return (t_dict_set_dict)(dict, "fc", dict); }
static bool takes_a_part(t_TensorDict *dict) { return (t_dict_get_dict)(dict, "fc") != NULL; }
static bool deletes(t_TensorDict *dict) { return (t_dict_delete)(dict, "fc"); }
static bool makes_one(t_TensorDict *dict) { return dict && (t_dict_new)() != NULL; }

static bool (*const actions[])(t_TensorDict *dict) = {sets_a_tensor, sets_again,   sets_a_number, sets_an_integer,
                                                      sets_itself,   takes_a_part, deletes,       makes_one};
enum { ACTIONS = sizeof actions / sizeof *actions };

/* Each request in turn fails: the call then fails, and the dict is what it was. It has 16 items, so that the next one
 * makes it grow. */
START_TEST(without_memory_nothing_changes) {
    for (int64_t n = 1;; n++) {
        ck_assert_int_lt(n, 200);
        bool done = false;
        with_scope() {
            t_TensorDict *dict = small();
            for (char name[] = "a"; dict->len < 16; name[0]++) t_dict_set(dict, name, 1);
            char before[2000];
            strcpy(before, listed(dict));
            tg_alloc_fail(n, false);
            done = actions[_i](dict);
            tg_alloc_fail(0, false);
            if (!done) {
                ck_assert(t_error() != NULL);
                ck_assert_str_eq(listed(dict), before);
                t_clear_error();
                ck_assert(actions[_i](dict));
            }
        }
        if (done) break;
    }
}
END_TEST

/* int(dict[name]) of a float, too. */
START_TEST(integers_are_pythons) {
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, "up", 2.7);
    t_dict_set(dict, "down", -2.7);
    t_dict_set(dict, "truth", t_tensor("[True]"));
    t_dict_set(dict, "endless", (double)INFINITY);
    t_dict_set(dict, "two", t_zeros(2));
    ck_assert_int_eq(t_dict_get_integer(dict, "up"), 2);
    ck_assert_int_eq(t_dict_get_integer(dict, "down"), -2);
    ck_assert_int_eq(t_dict_get_integer(dict, "truth"), 1);
    expect_refusal((t_dict_get_integer)(dict, "endless") == T_NONE, "'endless' is inf, which does not fit int64");
    ck_assert((t_dict_get_integer)(dict, "two") == T_NONE && t_error());
    t_clear_error();
    ck_assert((t_dict_get_integer)(dict, "none") == T_NONE && t_error());
    t_clear_error();
}
END_TEST

START_TEST(values_are_a_list_and_a_list_gets_names) {
    t_TensorDict *dict = small(), *zipped = NULL;
    expect_refusal(!(t_dict_values)(dict), "'name' is a string ('first'), not a tensor");
    t_dict_delete(dict, "name");
    t_TensorList *values = t_dict_values(dict);
    ck_assert_int_eq(values->len, 4);
    ck_assert_ptr_eq(t_list_get(values, 2), t_dict_get(dict, "fc.bias"));
    zipped = t_dict_zip(dict, t_list(t_ones(1), t_ones(2), t_ones(3), t_ones(4)));
    ck_assert_str_eq(listed(zipped), "fc.weight epoch fc.bias loss");
    ck_assert_int_eq(t_numel(t_dict_get(zipped, "fc.bias")), 3);
    ck_assert_int_eq(t_dict_values(t_dict())->len, 0);
    expect_refusal(!(t_dict_zip)(dict, t_list(t_ones(1))), "4 names and 1 tensors");
}
END_TEST

START_TEST(a_dead_dict_is_named) {
    t_TensorDict *dict = NULL;
    with_scope() dict = t_dict();
    expect_refusal(!(t_dict_set_integer)(dict, "a", 1), "argument 1 is not a live dict of tensors");
}
END_TEST

Suite *dict_suite(void);
Suite *dict_suite(void) {
    Suite *suite = suite_create("dict");
    TCase *tests = tcase_create("dict");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, items_stay_in_the_order_in_which_their_names_came);
    tcase_add_test(tests, values_of_each_kind_come_back);
    tcase_add_test(tests, integers_are_pythons);
    tcase_add_test(tests, values_are_a_list_and_a_list_gets_names);
    tcase_add_test(tests, a_dead_dict_is_named);
    tcase_add_test(tests, a_dict_holds_its_tensors);
    tcase_add_test(tests, an_item_is_deleted_by_its_own_name);
    tcase_add_test(tests, many_names_are_found);
    tcase_add_test(tests, a_dict_within_a_dict_is_flat);
    tcase_add_test(tests, setting_a_dict_again_replaces_all_of_it);
    tcase_add_test(tests, an_empty_dict_comes_back_empty);
    tcase_add_test(tests, what_is_not_there_is_named);
    tcase_add_test(tests, what_is_no_dict_is_refused);
    tcase_add_loop_test(tests, without_memory_nothing_changes, 0, ACTIONS);
    suite_add_tcase(suite, tests);
    return suite;
}
