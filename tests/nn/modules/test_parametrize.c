/* tests/nn/modules/test_parametrize.c: torch.nn.utils.parametrize: values, gradients, names and errors. PyTorch 2.15
 * prints the same for these modules, but for ParametrizedLinear in place of Linear. */
#include <string.h>

#include "tests/support/models/replay.h"
#include "tests/support/refusals.h"

typedef struct Symmetric {
    nn_Module base;
} Symmetric;
static Tensor *symmetric_call(Symmetric *self, Tensor *x) {
    (void)self;
    return t_add(t_triu(x), t_t(t_triu(x, 1)));
}
static Symmetric *symmetric(void) {
    return nn_module(Symmetric, symmetric_call);
}

/* With a parameter of its own. */
typedef struct Scaled {
    nn_Module base;
    Tensor *scale;
} Scaled;
static Tensor *scaled_call(Scaled *self, Tensor *x) {
    return t_mul(x, self->scale);
}
static Scaled *scaled(double scale) {
    Scaled *self = nn_module(Scaled, scaled_call);
    nn_set(self, scale, nn_Parameter(t_tensor(scale)));
    return self;
}

typedef struct Summed {
    nn_Module base;
} Summed;
static Tensor *summed_call(Summed *self, Tensor *x) {
    (void)self;
    return t_sum(x, 0);
}

#define REGISTER(layer, name, p) nn_utils_parametrize_register_parametrization(layer, name, p)

static void expect_keys(void *module, const char *keys) {
    t_TensorDict *state = nn_state_dict(module);
    char text[300] = "";
    for (int64_t i = 0; i < state->len; i++) strcat(strcat(text, i ? " " : ""), state->items[i].name);
    ck_assert_str_eq(text, keys);
}

START_TEST(a_weight_is_computed_from_its_original) {
    nn_Linear *layer = nn_Linear(3, 3);
    Tensor *parameter = layer->weight, *x = t_randn(2, 3), *grad;
    HOLDS(REGISTER(layer, "weight", symmetric()) == layer);
    expect_keys(layer, "bias parametrizations.weight.original");
    ck_assert_str_eq(nn_str(layer), "Linear(\n  in_features=3, out_features=3, bias=True\n"
                                    "  (parametrizations): ModuleDict(\n    (weight): ParametrizationList(\n"
                                    "      (0): Symmetric()\n    )\n  )\n)");
    HOLDS(nn_utils_parametrize_is_parametrized(layer) && nn_utils_parametrize_is_parametrized(layer, "weight") &&
          !nn_utils_parametrize_is_parametrized(layer, "bias"));
    HOLDS(t_equal(layer->weight, t_t(layer->weight)) && layer->weight != parameter);
    Tensor *weight = symmetric_call(NULL, parameter), *y = nn_call(layer, x);
    HOLDS(t_allclose(y, F_linear(x, weight, layer->bias)));
    t_backward(t_sum(t_square(y)));
    grad = t_grad(parameter);
    HOLDS(t_allclose(grad, t_grad(t_sum(t_square(F_linear(x, weight, t_detach(layer->bias)))), parameter)));
    with_no_grad() t_mul_(parameter, 2);
    HOLDS(t_allclose(nn_call(layer, x), F_linear(x, t_mul(weight, 2), layer->bias)));
    HOLDS(nn_utils_parametrize_remove_parametrizations(layer, "weight") == layer);
    HOLDS(layer->weight == parameter && t_is_leaf(parameter) && t_equal(parameter, t_t(parameter)));
    expect_keys(layer, "bias weight");
    ck_assert_str_eq(nn_str(layer), "Linear(in_features=3, out_features=3, bias=True)");
    HOLDS(!nn_utils_parametrize_is_parametrized(layer));
}
END_TEST

START_TEST(several_are_applied_in_their_order) {
    nn_Linear *layer = nn_Linear(3, 3);
    Tensor *parameter = layer->weight, *own = t_clone(t_detach(parameter));
    REGISTER(layer, "weight", symmetric());
    REGISTER(layer, "weight", scaled(3));
    REGISTER(layer, "bias", scaled(2));
    expect_keys(layer, "parametrizations.weight.original parametrizations.weight.1.scale "
                       "parametrizations.bias.original parametrizations.bias.0.scale");
    ck_assert_int_eq(nn_parameters(layer)->len, 4);
    Tensor *y = nn_call(layer, t_zeros(1, 3));
    HOLDS(t_allclose(t_select(y, 0, 0), layer->bias));
    HOLDS(t_allclose(layer->weight, t_mul(symmetric_call(NULL, own), 3)));
    nn_utils_parametrize_remove_parametrizations(layer, "weight", false);
    HOLDS(layer->weight == parameter && t_equal(parameter, own) && nn_utils_parametrize_is_parametrized(layer));
    nn_utils_parametrize_remove_parametrizations(layer, "bias");
    expect_keys(layer, "weight bias");
}
END_TEST

START_TEST(refuses_what_does_not_fit) {
    nn_Linear *layer = nn_Linear(3, 3);
    REFUSES(REGISTER(layer, "weight", nn_module(Summed, summed_call)),
            "Registering a parametrization may not change the shape of the tensor, unless `unsafe` flag is enabled.\n"
            "unparametrized shape: torch.Size([3, 3])\nparametrized shape: torch.Size([3])");
    REFUSES(REGISTER(layer, "foo", symmetric()),
            "Module 'Linear(in_features=3, out_features=3, bias=True)' does not have a parameter, a buffer, or a "
            "parametrized element with name 'foo'");
    REFUSES(nn_utils_parametrize_remove_parametrizations(layer, "weight"),
            "Module Linear(in_features=3, out_features=3, bias=True) does not have a parametrization on weight");
    expect_keys(layer, "weight bias");
    REGISTER(layer, "weight", symmetric());
    REFUSES(REGISTER(layer, "weight", nn_module(Summed, summed_call)),
            "Registering a parametrization may not change the shape of the tensor, unless the `unsafe` flag is "
            "enabled.\nmodule.weight.shape: torch.Size([3, 3])\nparametrization(module.weight).shape: torch.Size([3])");
    HOLDS(nn_call(layer, t_ones(1, 3)) != NULL);
}
END_TEST

static Tensor *negative(nn_Module *self, Tensor *x) {
    (void)self;
    return (t_neg)(x);
}

static bool register_and_remove(void *unused) {
    (void)unused;
    const int depth = t_scope_open();
    nn_Linear *layer = depth ? nn_Linear_new(3, 3, NULL) : NULL;
    nn_Module *p = layer ? nn_module_new(sizeof(nn_Module), "Negative", (nn_Forward)negative) : NULL;
    Tensor *x = p ? (t_ones)((int64_t[]){1, 3}, 2, NULL) : NULL;
    const bool done = x && (nn_utils_parametrize_register_parametrization)(layer, "weight", p, false) &&
                      (nn_call)(layer, x) &&
                      (nn_utils_parametrize_remove_parametrizations)(layer, "weight", true);
    t_scope_close(depth);
    return done;
}

START_TEST(every_failing_allocation_is_harmless) {
    refuse_all("parametrize", register_and_remove, NULL, NULL);
    report_notes();
}
END_TEST

Suite *parametrize_suite(void) {
    Suite *suite = suite_create("parametrize");
    TCase *tests = tcase_create("parametrize");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, a_weight_is_computed_from_its_original);
    tcase_add_test(tests, several_are_applied_in_their_order);
    tcase_add_test(tests, refuses_what_does_not_fit);
    tcase_add_test(tests, every_failing_allocation_is_harmless);
    suite_add_tcase(suite, tests);
    return suite;
}
