/* tests/nn/module/test_submodule.c: get_submodule, set_submodule, get_parameter, get_buffer, with PyTorch's errors. */
#include "nn/nn.h"
#include "tests/support/support.h"

typedef struct Inner {
    nn_Module base;
    nn_Sequential *layers;
    nn_BatchNorm *bn;
} Inner;
typedef struct Outer {
    nn_Module base;
    Inner *inner;
    nn_Linear *fc;
    void *also_fc;
} Outer;

static Tensor *inner_call(Inner *self, Tensor *x) {
    return nn_call(self->bn, nn_call(self->layers, x));
}
static Tensor *outer_call(Outer *self, Tensor *x) {
    return nn_call(self->fc, nn_call(self->inner, x));
}

static Outer *outer(void) {
    Inner *inner = nn_module(Inner, inner_call);
    nn_set(inner, layers, nn_Sequential(nn_Linear(4, 3), nn_ReLU()));
    nn_set(inner, bn, nn_BatchNorm1d(3));
    Outer *self = nn_module(Outer, outer_call);
    nn_set(self, inner, inner);
    nn_set(self, fc, nn_Linear(3, 2));
    self->also_fc = self->fc;
    return self;
}

START_TEST(values_by_name) {
    Outer *self = outer();
    HOLDS(nn_get_submodule(self, "") == self && nn_get_submodule(self, "inner") == self->inner);
    nn_Linear *first = nn_as(nn_get_submodule(self, "inner.layers.0"), nn_Linear);
    HOLDS(first && first->in_features == 4);
    HOLDS(nn_get_parameter(self, "inner.layers.0.weight") == first->weight);
    HOLDS(nn_get_parameter(self->fc, "bias") == self->fc->bias);
    HOLDS(nn_get_buffer(self, "inner.bn.running_mean") == t_dict_get(nn_state_dict(self), "inner.bn.running_mean") ||
          t_equal(nn_get_buffer(self, "inner.bn.running_mean"), t_zeros(3)));
}
END_TEST

START_TEST(wrong_names_have_pytorchs_errors) {
    Outer *self = outer();
    expect_refusal(!nn_get_submodule(self, "inner.other.0"), "Inner has no attribute `other`");
    expect_refusal(!nn_get_submodule(self, "inner.lay"), "Inner has no attribute `lay`");
    expect_refusal(!nn_get_submodule(self, "fc.weight"), "`weight` is not an nn.Module");
    expect_refusal(!nn_get_submodule(self, "fc."), "Linear has no attribute ``");
    expect_refusal(!nn_get_parameter(self, "fc.scale"), "Linear has no attribute `scale`");
    expect_refusal(!nn_get_parameter(self, "inner.bn.running_mean"), "`running_mean` is not an nn.Parameter");
    expect_refusal(!nn_get_buffer(self, "fc.weight"), "`weight` is not a buffer");
    expect_refusal(!nn_set_submodule(self, "", nn_ReLU()), "Cannot set the submodule without a target name!");
    expect_refusal(!nn_set_submodule(self, "fc.weight", nn_ReLU()), "`weight` is not an nn.Module");
    expect_refusal(!nn_set_submodule(self, "inner.new", nn_ReLU(), .strict = true), "Inner has no attribute `new`");
    expect_refusal(!nn_set_submodule(self, "inner.layers", self),
                   "a module cannot be its own child: Inner would contain itself as 'layers'");
}
END_TEST

START_TEST(a_submodule_is_replaced) {
    Outer *self = outer();
    Tensor *x = t_randn(5, 4);
    HOLDS(nn_set_submodule(self, "inner.layers.0", nn_Linear(4, 3, .bias = false)));
    HOLDS(nn_set_submodule(self, "fc", nn_Linear(3, 7)));
    HOLDS(self->fc->out_features == 7 && self->also_fc == self->fc);
    Tensor *y = nn_call(self, x);
    HOLDS(t_size(y, 1) == 7);
    HOLDS(t_dict_get(nn_state_dict(self), "inner.layers.0.weight") && nn_parameters(self)->len == 1 + 2 + 2);
    HOLDS(nn_set_submodule(self, "inner.new", nn_Identity()) && nn_get_submodule(self, "inner.new"));
}
END_TEST

Suite *submodule_suite(void) {
    Suite *suite = suite_create("submodule");
    TCase *tests = tcase_create("submodule");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, values_by_name);
    tcase_add_test(tests, wrong_names_have_pytorchs_errors);
    tcase_add_test(tests, a_submodule_is_replaced);
    suite_add_tcase(suite, tests);
    return suite;
}
