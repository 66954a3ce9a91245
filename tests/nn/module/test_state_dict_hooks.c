/* tests/nn/module/test_state_dict_hooks.c: hooks around state dicts: the order of PyTorch 2.15, and what they may
 * change. */
#include <string.h>

#include "core/core.h"
#include "nn/nn.h"
#include "tests/autograd/test_autograd.h"
#include "tests/support/support.h"

static char written[2048];

static void put(const char *what, const nn_Module *m, const char *prefix, void *name) {
    const size_t length = strlen(written);
    snprintf(written + length, sizeof written - length, "%s %s '%s' %s\n", what, m->type, prefix,
             name ? (const char *)name : "-");
}
static void pre(nn_Module *m, const char *prefix, void *name) {
    put("pre", m, prefix, name);
}
static void post(nn_Module *m, t_TensorDict *dict, const char *prefix, void *name) {
    (void)dict;
    put("post", m, prefix, name);
}
static void load_pre(nn_Module *m, t_TensorDict *dict, const char *prefix, void *name) {
    (void)dict;
    put("load pre", m, prefix, name);
}
static void load_post(nn_Module *m, const nn_IncompatibleKeys *keys, void *name) {
    char count[32];
    snprintf(count, sizeof count, "%d missing", (int)keys->missing_keys->len);
    put("load post", m, count, name);
}
static void register_all(void *m) {
    nn_register_state_dict_pre_hook(m, pre, (void *)"a");
    nn_register_state_dict_post_hook(m, post);
    nn_register_load_state_dict_pre_hook(m, load_pre);
    nn_register_load_state_dict_post_hook(m, load_post);
}
static void expect_log(const char *expected) {
    ck_assert_msg(strcmp(written, expected) == 0, "written:\n%s\nexpected:\n%s", written, expected);
    *written = '\0';
}

START_TEST(hooks_are_called_in_pytorchs_order) {
    nn_Sequential *model = nn_Sequential(nn_Linear(2, 2), nn_Tanh());
    register_all(model);
    register_all(nn_get(model, 0));
    t_TensorDict *dict = nn_state_dict(model, .prefix = "m.");
    expect_log("pre Sequential 'm.' a\npre Linear 'm.0.' a\npost Linear 'm.0.' -\npost Sequential 'm.' -\n");
    dict = nn_state_dict(model);
    *written = '\0';
    t_dict_delete(dict, "0.bias");
    ck_assert(nn_load_state_dict(model, dict, .strict = false));
    expect_log("load pre Sequential '' -\nload pre Linear '0.' -\nload post Linear '1 missing' -\n"
               "load post Sequential '1 missing' -\n");
}
END_TEST

/* Files of an older version call the weight "w". */
static void to_old(nn_Module *m, t_TensorDict *dict, const char *prefix, void *context) {
    const char *name = t_format("%sweight", prefix);
    (void)m;
    (void)context;
    t_dict_set(dict, t_format("%sw", prefix), t_dict_get(dict, name));
    t_dict_delete(dict, name);
}
static void from_old(nn_Module *m, t_TensorDict *dict, const char *prefix, void *context) {
    const char *name = t_format("%sw", prefix);
    (void)m;
    (void)context;
    if (!t_dict_has(dict, name)) return;
    t_dict_set(dict, t_format("%sweight", prefix), t_dict_get(dict, name));
    t_dict_delete(dict, name);
}

START_TEST(hooks_may_rename_keys) {
    nn_Sequential *old = nn_Sequential(nn_Linear(2, 2)), *new = nn_Sequential(nn_Linear(2, 2));
    nn_register_state_dict_post_hook(nn_get(old, 0), to_old);
    t_TensorDict *dict = nn_state_dict(old);
    HOLDS(t_dict_has(dict, "0.w") && !t_dict_has(dict, "0.weight"));
    ck_assert(!nn_load_state_dict(new, dict));
    expect_one_error("Missing key(s) in state_dict: \"0.weight\"");
    t_Hook *hook = nn_register_load_state_dict_pre_hook(nn_get(new, 0), from_old);
    ck_assert(nn_load_state_dict(new, dict));
    HOLDS(t_equal(nn_get(old, 0, nn_Linear)->weight, nn_get(new, 0, nn_Linear)->weight));
    HOLDS(t_dict_has(dict, "0.w")); /* the caller's dict has not changed */
    t_hook_remove(hook);
    ck_assert(!nn_load_state_dict(new, dict));
    expect_one_error("Missing key(s) in state_dict: \"0.weight\"");
}
END_TEST

static void fails(nn_Module *m, t_TensorDict *dict, const char *prefix, void *context) {
    (void)m;
    (void)dict;
    (void)prefix;
    (void)context;
    (t_fail)("no");
}

START_TEST(failing_hooks_change_nothing) {
    nn_Linear *model = nn_Linear(2, 1), *other = nn_Linear(2, 1);
    Tensor *before = t_clone(t_detach(model->weight));
    t_TensorDict *dict = nn_state_dict(other);
    t_Hook *hook = nn_register_load_state_dict_pre_hook(model, fails);
    ck_assert(!nn_load_state_dict(model, dict));
    expect_one_error("no");
    HOLDS(t_equal(before, model->weight));
    t_hook_remove(hook);
    nn_register_state_dict_post_hook(model, fails);
    ck_assert_ptr_null(nn_state_dict(model));
    expect_one_error("no");
    ck_assert(nn_load_state_dict(model, dict));
    ck_assert_ptr_null(nn_register_state_dict_pre_hook(model, NULL));
    expect_one_error("argument 2 is NULL where a function is expected");
}
END_TEST

Suite *state_dict_hooks_suite(void);
Suite *state_dict_hooks_suite(void) {
    Suite *suite = suite_create("state_dict_hooks");
    TCase *tests = tcase_create("state_dict_hooks");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, hooks_are_called_in_pytorchs_order);
    tcase_add_test(tests, hooks_may_rename_keys);
    tcase_add_test(tests, failing_hooks_change_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}
