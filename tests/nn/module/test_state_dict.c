/* tests/nn/module/test_state_dict.c: module.state_dict() and load_state_dict() compared with PyTorch's
 * (golden/state.txt, written by tests/golden/record_state.py): the keys, and dicts that do not fit. How the elements
 * are copied: test_state_dict_copies.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/models/state_modules.h"
#include "tests/support/models/state_net.h"

/* ---- the keys of every module ---- */

static void *made(int which) {
#define MAKE(python, module, inputs) if (which-- == 0) return module;
    STATE_MODULES(MAKE)
    return NULL;
}
#define PYTHON(python, module, inputs) python,
static const char *const python_texts[] = {STATE_MODULES(PYTHON)};
#define GIVEN(python, module, inputs) inputs,
static const char *const given[] = {STATE_MODULES(GIVEN)};
enum { MODULES = sizeof python_texts / sizeof *python_texts };

/* The recorded text of a case, a copy. */
static char *recorded(const char *key) {
    const char *text = golden_case(golden_file("state.txt"), key);
    ck_assert_msg(text != NULL, "%s is not recorded; run tests/golden/record_state.py", key);
    const char *end = strncmp(text, "= ", 2) == 0 ? text : strstr(text, "\n= ");
    size_t length = end ? (size_t)(end - text) : strlen(text);
    while (length && text[length - 1] == '\n') length--;
    char *copy = malloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static void expect_recorded(const char *key, const char *text) {
    char *want = recorded(key);
    if (strcmp(want, text) != 0) note("%s:\n%s\nexpected:\n%s", key, text, want);
    free(want);
}

static const char *keys_text(const t_TensorDict *dict, bool with_shapes) {
    static char text[8192];
    size_t at = 0;
    text[0] = '\0';
    for_items (item, dict) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", at ? "\n" : "", item->name);
        if (!with_shapes) continue;
        at += (size_t)snprintf(text + at, sizeof text - at, " %s (", (t_dtype_repr)(t_dtype(item->tensor)));
        for (int64_t d = 0; d < t_dim(item->tensor); d++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%lld", d ? ", " : "",
                                   (long long)t_size(item->tensor, d));
        at += (size_t)snprintf(text + at, sizeof text - at, ")");
    }
    return text;
}

START_TEST(every_module_has_pytorchs_keys) {
    for (int i = 0; i < MODULES; i++)
        with_scope() expect_recorded(python_texts[i], keys_text(nn_state_dict(made(i)), true));
    report_notes();
}
END_TEST

static Tensor *run(void *module, const Inputs *in) {
    if (in->count == 3) return nn_MultiheadAttention_call(module, in->x[0], in->x[1], in->x[2]);
    return in->count == 2 ? nn_call(module, in->x[0], in->x[1]) : nn_call(module, in->x[0]);
}

/* Another module with other values loads the dict and then gives the same output. */
START_TEST(every_module_goes_into_another) {
    for (int i = 0; i < MODULES; i++)
        with_scope() {
            Inputs in = make_inputs(given[i], 7, t_float32);
            t_manual_seed(1);
            void *from = made(i);
            run(from, &in); /* updates the running statistics of norms */
            t_manual_seed(2);
            void *to = made(i);
            nn_requires_grad_(to, true);
            if (!nn_load_state_dict(to, nn_state_dict(from))) note("%s: %s", python_texts[i], t_error());
            nn_eval(from);
            nn_eval(to);
            if (!same_state(from, to) || !same_bits_of(run(from, &in), run(to, &in)))
                note("%s gives something else", python_texts[i]);
            for_named (p, nn_named_parameters(to))
                if (!t_requires_grad(p->tensor) || t_grad_fn(p->tensor))
                    note("%s: %s is no leaf", python_texts[i], p->name);
        }
    report_notes();
}
END_TEST

/* ---- a module with everything ---- */

START_TEST(names_and_order_are_pytorchs) {
    Net *model = net();
    expect_recorded("Net", keys_text(nn_state_dict(model), false));
    expect_recorded("Net with a prefix", keys_text(nn_state_dict(model, .prefix = "a.b."), false));
    ck_assert_int_eq(nn_named_buffers(model)->len, 5);
    report_notes();
}
END_TEST

START_TEST(the_dict_shares_the_elements) {
    Net *model = net();
    t_TensorDict *dict = nn_state_dict(model);
    Tensor *weight = t_dict_get(dict, "fc.weight");
    HOLDS(!t_requires_grad(weight) && weight != model->fc->weight &&
          t_data_ptr(weight) == t_data_ptr(model->fc->weight));
    int64_t version = t_data_version(model->fc->weight);
    t_fill_(weight, 3);
    HOLDS(t_item(t_sum(model->fc->weight)) == 18 && t_data_version(model->fc->weight) == version + 1);
    HOLDS(nn_load_state_dict(model, dict)); /* into itself */
    HOLDS(t_item(t_sum(model->fc->weight)) == 18);
}
END_TEST

/* ---- dicts that do not fit ---- */

typedef struct Edit {
    const char *name, *out[3];
    bool empty;
    struct { const char *name; int64_t shape[2]; int ndim; } put[6];
} Edit;

static const Edit edits[] = {
    {.name = "fits"},
    {.name = "nothing is there", .empty = true},
    {.name = "all kinds of mistakes",
     .out = {"fc.bias", "emb.weight"},
     .put =
         {{"x", {1}, 1}, {"y.z", {2}, 1}, {"fc.weight", {2, 4}, 2}, {"bn.foo", {1}, 1}, {"fc.weight.extra", {1}, 1}}},
    {.name = "two shapes", .put = {{"fc.weight", {3, 2}, 2}, {"bn.running_mean", {0}, 0}}},
    {.name = "one for none", .put = {{"slope", {1}, 1}, {"bn.num_batches_tracked", {1}, 1}}},
    {.name = "no count of batches", .out = {"bn.num_batches_tracked"}},
    {.name = "not persistent", .put = {{"mask", {2}, 1}}},
    {.name = "deep names",
     .put = {{"none.q", {1}, 1},
             {"fc.q", {1}, 1},
             {"z", {1}, 1},
             {"fc", {1}, 1},
             {"fcc.weight", {1}, 1},
             {"fc.", {1}, 1}}},
};

static t_TensorDict *edited(Net *model, const Edit *edit) {
    t_TensorDict *dict = edit->empty ? t_dict() : nn_state_dict(model);
    for (int i = 0; edit->out[i]; i++) t_dict_delete(dict, edit->out[i]);
    for (int i = 0; i < 6 && edit->put[i].name; i++)
        t_dict_set(dict, edit->put[i].name, (t_ones)(edit->put[i].shape, edit->put[i].ndim, NULL));
    return dict;
}

static size_t write_names(char *to, size_t capacity, const char *what, const nn_NamedList *list) {
    size_t at = (size_t)snprintf(to, capacity, "%s ", what);
    for_named (key, (nn_NamedList *)list)
        at += (size_t)snprintf(to + at, capacity - at, "%s%s", key == list->items ? "" : " ", key->name);
    return at;
}

START_TEST(the_report_is_pytorchs) {
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        for (int strict = 0; strict < 2; strict++)
            with_scope() {
                Net *model = net(), *before = net();
                HOLDS(nn_load_state_dict(before, nn_state_dict(model)));
                char key[64], text[2048];
                snprintf(key, sizeof key, "%s, strict=%s", edits[i].name, strict ? "True" : "False");
                nn_IncompatibleKeys keys;
                if (nn_load_state_dict(model, edited(before, &edits[i]), strict, .keys = &keys)) {
                    size_t at = write_names(text, sizeof text, "missing", keys.missing_keys);
                    text[at++] = '\n';
                    write_names(text + at, sizeof text - at, "unexpected", keys.unexpected_keys);
                    expect_recorded(key, text);
                } else {
                    expect_recorded(key, t_error_message());
                    HOLDS(same_state(model, before) && !keys.missing_keys);
                    t_clear_error();
                }
            }
    report_notes();
}
END_TEST

START_TEST(texts_are_metadata_unless_a_tensor_is_due) {
    Net *model = net();
    t_TensorDict *dict = nn_state_dict(model);
    t_dict_set(dict, "format", "pt");
    HOLDS(nn_load_state_dict(model, dict));
    t_dict_set(dict, "fc.weight", "words");
    HOLDS(!nn_load_state_dict(model, dict));
    expect_recorded("a text, strict=True", t_error_message());
    t_clear_error();
    report_notes();
}
END_TEST

/* Longer than any other error message. */
START_TEST(a_long_report_is_complete) {
    nn_Encoder *model = nn_Encoder(12, 4, 2, 6, 11);
    HOLDS(!nn_load_state_dict(model, t_dict()));
    const char *text = t_error_message();
    int64_t names = 0;
    for (const char *at = text; (at = strchr(at, '"')); at++) names++;
    ck_assert_int_eq(names, 2 * nn_state_dict(model)->len);
    ck_assert_str_eq(text + strlen(text) - 3, "\". ");
    ck_assert_ptr_nonnull(strstr(last_error_text(), "Error(s) in loading state_dict for Encoder:"));
    t_clear_error();
    REFUSES(t_dict_get(t_dict(), "x"), "KeyError: 'x' in an empty dict");
}
END_TEST

START_TEST(refuses_what_is_no_module_or_dict) {
    Net *model = net();
    REFUSES(nn_state_dict(NULL), "argument 1 is NULL where a module is expected");
    REFUSES(nn_load_state_dict(NULL, t_dict()), "argument 1 is NULL where a module is expected");
    REFUSES(nn_load_state_dict(model, NULL), "argument 2 is NULL where a dict of tensors is expected");
    REFUSES(nn_load_state_dict(model, (t_TensorDict *)model->slope), "argument 2 is not a live dict of tensors");
}
END_TEST

/* "abb...b.weight", of that many characters. */
static nn_Module *with_long_names(size_t length) {
    char name[1100] = "a";
    memset(name + 1, 'b', length - strlen("a.weight"));
    nn_ModuleList *model = nn_ModuleList();
    HOLDS(nn_register_module(&model->base, name, nn_Linear(1, 1, .bias = false)));
    return &model->base;
}

START_TEST(names_may_have_1023_characters) {
    nn_Module *fits = with_long_names(1023), *too_long = with_long_names(1024);
    ck_assert_int_eq(strlen(nn_named_parameters(fits)->items[0].name), 1023);
    HOLDS(nn_load_state_dict(fits, nn_state_dict(fits)));
    REFUSES(nn_named_parameters(too_long), "the name of a module is longer than 1024");
    REFUSES(nn_state_dict(too_long), "the name of a module is longer than 1024");
    REFUSES(nn_load_state_dict(too_long, t_dict()), "the name of a module is longer than 1024");
}
END_TEST

Suite *state_dict_suite(void) {
    Suite *suite = suite_create("state_dict");
    TCase *tests = tcase_create("modules");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, every_module_has_pytorchs_keys);
    tcase_add_test(tests, every_module_goes_into_another);
    tcase_add_test(tests, names_and_order_are_pytorchs);
    tcase_add_test(tests, the_dict_shares_the_elements);
    tcase_add_test(tests, the_report_is_pytorchs);
    tcase_add_test(tests, texts_are_metadata_unless_a_tensor_is_due);
    tcase_add_test(tests, a_long_report_is_complete);
    tcase_add_test(tests, refuses_what_is_no_module_or_dict);
    tcase_add_test(tests, names_may_have_1023_characters);
    suite_add_tcase(suite, tests);
    return suite;
}
