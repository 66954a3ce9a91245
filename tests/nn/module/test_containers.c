/* tests/nn/module/test_containers.c: ModuleDict, ParameterList and ParameterDict (nn/modules/containers.c): names,
 * order, keys of the state dict, and PyTorch's repr (modules_repr.txt). Sequential and ModuleList are in test_module.c.
 * */
#include <stdlib.h>
#include <string.h>

#include "nn/nn.h"
#include "tests/support/support.h"

static void expect_repr(void *module, const char *python) {
    const char *want = golden_case(golden_file("modules_repr.txt"), python);
    ck_assert_msg(module && want, "%s: %s", python,
                  want ? t_error() : "not recorded; run tests/golden/record_modules.py");
    const char *next = strstr(want, "\n= ");
    size_t length = next ? (size_t)(next - want) : strlen(want) - 1;
    char *text = nn_repr(module);
    ck_assert_msg(strlen(text) == length && strncmp(text, want, length) == 0, "%s prints %s", python, text);
    free(text);
}

static bool has_keys(const void *module, const char *keys) {
    char text[256] = "";
    for_items (item, nn_state_dict(module)) strcat(strcat(text, *text ? " " : ""), item->name);
    return strcmp(text, keys) == 0;
}

static bool has_children(const void *module, const char *names) {
    char text[256] = "";
    for_named (child, nn_named_children(module)) strcat(strcat(text, *text ? " " : ""), child->name);
    return strcmp(text, names) == 0;
}

/* ---- ModuleDict ---- */

typedef struct Choice {
    nn_Module base;
    nn_ModuleDict *choices, *activations;
} Choice;

static Tensor *choice_call(Choice *self, Tensor *x, const char *choice, const char *activation) {
    return nn_call(nn_get(self->activations, activation), nn_call(nn_get(self->choices, choice), x));
}

START_TEST(modules_are_called_by_key) {
    Choice *self = nn_module(Choice, NULL);
    nn_set(self, choices, nn_ModuleDict({"wide", nn_Linear(2, 5)}, {"narrow", nn_Linear(2, 3, .bias = false)}));
    nn_set(self, activations, nn_ModuleDict());
    HOLDS(nn_set_item(self->activations, "relu", nn_ReLU()) && nn_set_item(self->activations, "elu", nn_ELU()));
    Tensor *x = t_randn(4, 2);
    HOLDS(t_equal(choice_call(self, x, "narrow", "elu"), F_elu(nn_call(nn_get(self->choices, "narrow"), x))));
    HOLDS(has_keys(self, "choices.wide.weight choices.wide.bias choices.narrow.weight"));
    HOLDS(nn_get(self->choices, "wide", nn_Linear)->out_features == 5);
    nn_set_item(self->choices, "wide", nn_Identity());
    nn_set_item(self->choices, "other", nn_Linear(1, 1, .bias = false));
    HOLDS(has_children(self->choices, "wide narrow other"));
    HOLDS(has_keys(self, "choices.narrow.weight choices.other.weight"));
    int count = 0;
    for_module (m, self->choices) count += nn_as(m, nn_Linear) != NULL;
    ck_assert_int_eq(count, 2);
    HOLDS(nn_load_state_dict(self, nn_state_dict(nn_deepcopy(self))));
}
END_TEST

START_TEST(dicts_are_changed) {
    nn_ModuleDict *dict = nn_ModuleDict({"a", nn_ReLU()}, {"b", nn_Linear(1, 2)}, {"c", nn_Tanh()}), *other;
    HOLDS(nn_len(dict) == 3 && nn_contains(dict, "b") && !nn_contains(dict, "training"));
    nn_Linear *popped = nn_pop(dict, "b");
    HOLDS(popped->out_features == 2 && has_children(dict, "a c"));
    other = nn_ModuleDict({"c", popped}, {"d", nn_GELU()});
    HOLDS(nn_update(dict, other) && has_children(dict, "a c d") && nn_get(dict, "c") == (void *)popped);
    HOLDS(nn_pop(dict, "d") && nn_set_item(dict, "e", nn_ELU()) && has_children(dict, "a c e"));
    HOLDS(nn_clear(dict) && nn_len(dict) == 0 && nn_len(other) == 2 && nn_set_item(dict, "x", popped));
    const int64_t live = t_live_count();
    with_scope() HOLDS(nn_set_item(dict, "y", nn_Linear(2, 2)) && nn_as(nn_pop(dict, "y"), nn_Linear));
    ck_assert_int_eq(t_live_count(), live);
    nn_ModuleDict *outer = nn_ModuleDict(), *inner = NULL; /* which the update itself replaces, and so ends */
    with_scope() nn_set_item(outer, "a", nn_ModuleDict({"a", nn_ReLU()}, {"b", nn_Tanh()}));
    inner = (nn_ModuleDict *)nn_get(outer, "a");
    HOLDS(nn_update(outer, inner) && has_children(outer, "a b") && nn_as(nn_get(outer, "a"), nn_ReLU));
}
END_TEST

/* ---- ParameterList, ParameterDict ---- */

typedef struct Mixture {
    nn_Module base;
    nn_ParameterList *params;
    nn_ParameterDict *sides;
} Mixture;

START_TEST(parameters_of_a_list_learn) {
    Mixture *self = nn_module(Mixture, NULL);
    Tensor *given = nn_Parameter(t_ones(2, 2));
    nn_set(self, params, nn_ParameterList());
    for_range (i, 0, 3) nn_append(self->params, t_full((2, 2), (double)i));
    nn_set(self, sides, nn_ParameterDict({"right", given}, {"left", t_zeros(3)}));
    HOLDS(has_keys(self, "params.0 params.1 params.2 sides.right sides.left"));
    HOLDS(nn_len(self->params) == 3 && nn_len(self->sides) == 2 && nn_get(self->sides, "right") == given);
    Tensor *sum = t_zeros(2, 2);
    for_parameters (p, self->params) sum = t_add(sum, t_mul(p, p));
    t_backward(t_sum(sum));
    HOLDS(t_equal(t_grad(nn_get(self->params, -1)), t_full((2, 2), 4.0)));
    ck_assert_int_eq(nn_parameters(self)->len, 5);
    HOLDS(nn_set_item(self->params, 1, given) && nn_get(self->params, 1) == given);
    nn_ParameterList *rest = nn_slice(self->params, 1);
    HOLDS(nn_len(rest) == 2 && nn_get(rest, 1) == nn_get(self->params, 2) && has_keys(rest, "0 1"));
    HOLDS(nn_extend(rest, self->params) && nn_len(rest) == 5);
    Mixture *copy = nn_deepcopy(self);
    HOLDS(nn_get(copy->params, 0) != nn_get(self->params, 0) && has_keys(copy->sides, "right left"));
    HOLDS(nn_to(self, t_float64) && t_dtype(nn_get(self->params, 0)) == t_float64);
}
END_TEST

START_TEST(parameters_by_key_are_changed) {
    nn_ParameterDict *dict = nn_ParameterDict({"a", t_ones(2)}, {"b", t_ones(3)});
    HOLDS(nn_set_item(dict, "c", t_ones(1)) && nn_set_item(dict, "a", t_zeros(4)) && has_keys(dict, "a b c"));
    Tensor *popped = nn_pop(dict, "b");
    HOLDS(t_size(popped, 0) == 3 && has_keys(dict, "a c") && !nn_contains(dict, "b"));
    HOLDS(nn_update(dict, nn_ParameterDict({"b", popped})) && has_keys(dict, "a c b") &&
          nn_get(dict, "b") == popped);
    HOLDS(nn_clear(dict) && has_keys(dict, ""));
}
END_TEST

START_TEST(containers_print_as_in_pytorch) {
    Tensor *wide = t_ones(2, 3), *scalar = t_ones((), .dtype = t_float64);
    expect_repr(nn_ParameterList(), "nn.ParameterList()");
    expect_repr(nn_ParameterList(wide), "nn.ParameterList([torch.ones(2, 3)])");
    expect_repr(nn_ParameterList(wide, scalar), "nn.ParameterList([torch.ones(2, 3), torch.ones(()).double()])");
    expect_repr(nn_ParameterDict(), "nn.ParameterDict()");
    expect_repr(nn_ParameterDict({"left", wide}), "nn.ParameterDict([('left', torch.ones(2, 3))])");
    expect_repr(nn_ParameterDict({"left", wide}, {"at", scalar}),
                "nn.ParameterDict([('left', torch.ones(2, 3)), ('at', torch.ones(()).double())])");
    expect_repr(nn_ModuleDict(), "nn.ModuleDict()");
    expect_repr(nn_ModuleDict({"b", nn_ReLU()}, {"a", nn_ReLU()}, {"list", nn_ParameterList(wide, wide)}),
                "nn.ModuleDict({'b': nn.ReLU(), 'a': nn.ReLU(), 'list': nn.ParameterList([torch.ones(2, 3)] * 2)})");
}
END_TEST

START_TEST(wrong_keys_and_classes) {
    nn_ModuleDict *dict = nn_ModuleDict({"a", nn_ReLU()}, {"b", nn_Tanh()});
    nn_ParameterList *list = nn_ParameterList(t_ones(2));
    nn_ParameterDict *params = nn_ParameterDict();
    nn_Linear *linear = nn_Linear(1, 1);
    expect_refusal(!nn_get(dict, "c"), "KeyError: 'c' is not among the 2 names, from 'a' to 'b'");
    expect_refusal(!nn_pop(params, "c"), "KeyError: 'c' in an empty ParameterDict");
    expect_refusal(!nn_get(dict, "a", nn_Linear), "module 'a' of the dict is a ReLU, not a nn_Linear");
    expect_refusal(!nn_get(linear, "a"), "'Linear' object has no keys: it is no ModuleDict or ParameterDict");
    expect_refusal(!nn_set_item(dict, "c", t_ones(1)), "argument 3 is not a module");
    expect_refusal(!nn_set_item(dict, "c.d", linear), "parameter or module name can't contain \".\", got: c.d");
    expect_refusal(!nn_set_item(dict, "", linear), "parameter or module name can't be empty string \"\"");
    expect_refusal(!nn_update(dict, params), "a ModuleDict cannot be updated from a ParameterDict");
    expect_refusal(!nn_get(list, 1), "index 1 is out of range");
    expect_refusal(!nn_set_item(list, -2, t_ones(1)), "index -2 is out of range");
    expect_refusal(!nn_get(list, 0, nn_Linear), "item 0 of the list is a parameter, not a nn_Linear");
    expect_refusal(!nn_pop(list, 0), "'ParameterList' object does not support item deletion");
    expect_refusal(!nn_call(list, t_ones(1)), "ParameterList should not be called.");
    expect_refusal(!nn_call(params, t_ones(1)), "ParameterDict should not be called.");
    expect_refusal(!nn_call(dict, t_ones(1)), "Module [ModuleDict] has no forward that nn_call can run: iterate "
                   "over a list with for_module, call a class with several inputs by its own function");
    HOLDS(nn_len(dict) == 2 && nn_len(list) == 1 && nn_len(params) == 0);
}
END_TEST

Suite *containers_suite(void) {
    Suite *suite = suite_create("containers");
    TCase *tcase = tcase_create("containers");
    tcase_add_checked_fixture(tcase, support_setup, support_teardown);
    tcase_add_test(tcase, modules_are_called_by_key);
    tcase_add_test(tcase, dicts_are_changed);
    tcase_add_test(tcase, parameters_of_a_list_learn);
    tcase_add_test(tcase, parameters_by_key_are_changed);
    tcase_add_test(tcase, containers_print_as_in_pytorch);
    tcase_add_test(tcase, wrong_keys_and_classes);
    suite_add_tcase(suite, tcase);
    return suite;
}
