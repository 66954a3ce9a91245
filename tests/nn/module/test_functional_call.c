/* tests/nn/module/test_functional_call.c: torch.func.functional_call against PyTorch (golden/record_func.py). */
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "nn/nn.h"
#include "tests/autograd/test_autograd.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

/* ---- recorded values ---- */

static const char *section;

static void matches(const char *name, Tensor *got) {
    GoldenArray want;
    ck_assert_msg(golden_array(section, name, &want), "%s was not recorded", name);
    ck_assert_msg(got != NULL, "%s: NULL, %s", name, last_error_text());
    compare_to_golden(name, got, &want, GRADIENT);
    free(want.values);
}

static const char *const names[] = {"0.weight", "0.bias", "2.weight"};

typedef struct Problem {
    nn_Sequential *net;
    Tensor *x;
} Problem;

static Tensor *output_of(t_TensorList *params, Problem *problem, Tensor *x) {
    t_TensorDict *dict = t_dict();
    for (int i = 0; i < 3; i++) t_dict_set(dict, names[i], params->items[i]);
    return t_func_functional_call(problem->net, dict, x);
}

static Tensor *loss_of(t_TensorList *params, void *problem) {
    return t_sum(t_square(output_of(params, problem, ((Problem *)problem)->x)));
}

/* The gradient of one sample, the last input, with respect to the parameters before it. */
static t_TensorList *gradient_of_sample(t_TensorList *inputs, void *context) {
    Problem problem = {((Problem *)context)->net, inputs->items[3]};
    return t_func_grad(loss_of, t_list(inputs->items[0], inputs->items[1], inputs->items[2]), .context = &problem);
}

START_TEST(it_agrees_with_pytorch) {
    section = golden_case(golden_file("func.txt"), "module");
    ck_assert_msg(section != NULL, "module was not recorded");
    Inputs in = make_inputs("R(4,3) R(5,3) R(5) R(1,5)", seed_of("module"), t_float64);
    nn_Sequential *net = nn_Sequential(nn_Linear(3, 5), nn_Tanh(), nn_Linear(5, 1, .bias = false));
    nn_to(net, t_float64);
    Problem problem = {net, in.x[0]};
    t_TensorList *params = t_list(in.x[1], in.x[2], in.x[3]);
    Tensor *before = nn_call(net, in.x[0]);
    matches("output", output_of(params, &problem, in.x[0]));
    t_TensorList *g = t_func_grad(loss_of, params, .context = &problem);
    t_TensorList *per_sample =
        t_func_vmap(gradient_of_sample, t_list(in.x[1], in.x[2], in.x[3], in.x[0]), .context = &problem,
                    .in_dims = t_tuple(T_NONE, T_NONE, T_NONE, 0));
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "grad.%d", i);
        matches(name, g->items[i]);
        snprintf(name, sizeof name, "per_sample.%d", i);
        matches(name, per_sample->items[i]);
    }
    HOLDS(t_equal(before, nn_call(net, in.x[0])));
    for_list (p, nn_parameters(net)) ck_assert_ptr_null(t_grad(p));
    report_notes();
}
END_TEST

/* ---- tied parameters and buffers: a module with self.b = self.a, and a buffer that it counts up ---- */

typedef struct Tied {
    nn_Module base;
    Tensor *a, *b, *n;
} Tied;

static Tensor *tied_call(Tied *self, Tensor *x) {
    t_add_(self->n, 1);
    return t_add(t_mul(self->a, x), self->b);
}

static Tied *tied(void) {
    Tied *self = nn_module(Tied, tied_call);
    nn_set(self, a, nn_Parameter(t_ones(1)));
    nn_set(self, b, self->a);
    nn_register_buffer(self, n, t_zeros(1));
    return self;
}

static t_TensorDict *dict_of(const char *name, Tensor *x) {
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, name, x);
    return dict;
}

START_TEST(tied_parameters_are_replaced_together) {
    Tied *m = tied();
    Tensor *x = t_ones(1), *two = t_tensor("[2.0]"), *three = t_tensor("[3.0]"), *a = m->a, *n = m->n;
    expect_values(t_func_functional_call(m, dict_of("a", two), x), "[4.0]");
    t_TensorDict *both = dict_of("a", two);
    t_dict_set(both, "b", three);
    ck_assert_ptr_null(t_func_functional_call(m, both, x));
    expect_one_error("functional_call got multiple values for keys ['a', 'b'], which are tied. Consider using "
                     "tie_weights=False");
    expect_values(n, "[1.0]");
    Tensor *other = t_tensor("[7.0]");
    expect_values(t_func_functional_call(m, dict_of("n", other), x), "[2.0]");
    expect_values(other, "[8.0]");
    expect_values(n, "[1.0]");
    ck_assert(m->a == a && m->b == a && m->n == n && t_dict_get(nn_state_dict(m), "a") != two);
}
END_TEST

/* A dict whose tensors are the module's own, the other way round, and one tensor for two. */
START_TEST(parameters_may_change_places) {
    nn_BatchNorm1d *m = nn_BatchNorm1d(2);
    nn_eval(m);
    with_no_grad() {
        t_fill_(m->weight, 3);
        t_fill_(m->bias, 5);
    }
    Tensor *x = t_tensor("[[1.0, 2.0]]"), *weight = m->weight, *bias = m->bias;
    t_TensorDict *dict = dict_of("weight", bias);
    t_dict_set(dict, "bias", weight);
    expect_values(t_round(t_func_functional_call(m, dict, x)), "[[8.0, 13.0]]"); /* 5 x + 3, but for eps */
    dict = dict_of("weight", bias);
    t_dict_set(dict, "bias", bias);
    expect_values(t_round(t_func_functional_call(m, dict, x)), "[[10.0, 15.0]]");
    ck_assert(m->weight == weight && m->bias == bias);
}
END_TEST

START_TEST(strict_reports_pytorchs_errors) {
    nn_Linear *m = nn_Linear(2, 1);
    Tensor *x = t_ones(1, 2), *weight = t_tensor("[[1.0, 2.0]]"), *bias = t_tensor("[3.0]");
    t_TensorDict *dict = dict_of("weight", weight);
    ck_assert_ptr_nonnull(t_func_functional_call(m, dict, x));
    t_func_functional_call(m, dict, x, .strict = true);
    expect_one_error("Error(s) in reparametrizing for Linear:\n\tMissing key(s): 'bias'.");
    t_dict_set(dict, "bias", bias);
    expect_values(t_func_functional_call(m, dict, x, .strict = true), "[[6.0]]");
    t_dict_set(dict, "foo", bias);
    expect_values(t_func_functional_call(m, dict, x), "[[6.0]]");
    t_func_functional_call(m, dict, x, .strict = true);
    expect_one_error("Error(s) in reparametrizing for Linear:\n\tUnexpected key(s): 'foo'.");
    t_func_functional_call(m, dict_of("weight", t_ones(1, 3)), x);
    expect_one_error("mat1 and mat2 shapes cannot be multiplied (1x2 and 3x1)");
    HOLDS(t_size(m->weight, 1) == 2);
}
END_TEST

static nn_Linear *layer;
static bool attempt(void *dict) {
    return t_func_functional_call(layer, (t_TensorDict *)dict, t_ones(1, 2)) != NULL;
}
static bool unchanged(void *dict) {
    return layer->weight != t_dict_get(dict, "weight");
}

START_TEST(failing_allocations) {
    layer = nn_Linear(2, 1);
    refuse_all("functional_call", attempt, unchanged, dict_of("weight", t_ones(1, 2)));
    clear_errors();
    report_notes();
}
END_TEST

/* ---- keys in errors, as PyTorch 2.15 names them ---- */

typedef struct Shared {
    nn_Module base;
    nn_Linear *z, *a;
} Shared;
static Tensor *shared_call(Shared *self, Tensor *x) {
    return nn_call(self->a, nn_call(self->z, x));
}

START_TEST(errors_name_the_keys) {
    nn_Sequential *net = nn_Sequential(nn_Linear(2, 3), nn_Sequential(nn_Linear(3, 2), nn_BatchNorm1d(2)));
    Tensor *x = t_ones(1, 2);
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, "0.weight", t_ones(3, 2));
    t_dict_set(dict, "foo", x);
    nn_eval(net);
    ck_assert_ptr_nonnull(t_func_functional_call(net, dict, x));
    t_dict_set(dict, "1.0.bar", x);
    ck_assert_ptr_nonnull(t_func_functional_call(net, dict, x));
    t_dict_set(dict, "2.w", x);
    ck_assert_ptr_null(t_func_functional_call(net, dict, x, .strict = true));
    expect_one_error("Error(s) in reparametrizing for Sequential:\n\tUnexpected key(s): '1.0.bar', '2.w', 'foo'.\n\t"
                     "Missing key(s): '0.bias', '1.0.bias', '1.0.weight', '1.1.bias', '1.1.num_batches_tracked', "
                     "'1.1.running_mean', '1.1.running_var', '1.1.weight'.");
    ck_assert_ptr_null(t_func_functional_call(net, dict_of("5.0.bar", x), x));
    expect_one_error("Sequential has no attribute `5`");
    Shared *tied = nn_module(Shared, shared_call);
    nn_set(tied, z, nn_Linear(2, 2));
    nn_set(tied, a, nn_Linear(2, 2));
    nn_set(tied->a, weight, tied->z->weight);
    nn_set(tied->a, bias, tied->z->bias);
    dict = dict_of("z.weight", t_ones(2, 2));
    ck_assert_ptr_null(t_func_functional_call(tied, dict, x, .strict = true));
    expect_one_error("Error(s) in reparametrizing for Shared:\n\tMissing key(s): 'a.bias', 'z.bias'.");
    t_dict_set(dict, "z.bias", t_ones(2));
    expect_values(t_func_functional_call(tied, dict, x, .strict = true), "[[7.0, 7.0]]");
    t_dict_set(dict, "a.weight", t_zeros(2, 2));
    ck_assert_ptr_null(t_func_functional_call(tied, dict, x));
    expect_one_error("functional_call got multiple values for keys ['a.weight', 'z.weight'], which are tied. Consider "
                     "using tie_weights=False");
}
END_TEST

/* ---- stack_module_state: the tutorial on ensembles ---- */

typedef struct Ensemble {
    nn_Sequential *base;
    t_TensorDict *params, *buffers;
    Tensor *x;
} Ensemble;

/* One model's parameters, then its buffers, then its batch where there is one. */
static Tensor *call_one(t_TensorList *inputs, void *context) {
    const Ensemble *e = context;
    const int64_t n = e->params->len, m = e->buffers->len;
    t_TensorDict *state = t_dict_zip(e->params, t_list_new(inputs->items, n));
    t_TensorDict *buffers = t_dict_zip(e->buffers, t_list_new(inputs->items + n, m));
    for (int64_t i = 0; i < m; i++) t_dict_set(state, buffers->items[i].name, buffers->items[i].tensor);
    return t_func_functional_call(e->base, state, inputs->len > n + m ? inputs->items[n + m] : e->x);
}

static nn_Sequential *member(void) {
    return nn_eval(nn_Sequential(nn_Linear(3, 4), nn_BatchNorm1d(4), nn_Tanh(), nn_Linear(4, 2)));
}

START_TEST(an_ensemble_runs_as_one) {
    nn_Sequential *models[] = {member(), member(), member()};
    Ensemble e = {.base = nn_deepcopy(models[0]), .x = t_randn(5, 3)};
    e.params = t_func_stack_module_state(models, 3, .buffers = &e.buffers);
    ck_assert_int_eq(e.params->len, 6);
    ck_assert_int_eq(e.buffers->len, 3);
    HOLDS(t_size(t_dict_get(e.params, "0.weight"), 0) == 3 && t_requires_grad(t_dict_get(e.params, "0.weight")) &&
          t_is_leaf(t_dict_get(e.params, "3.bias")) && !t_requires_grad(t_dict_get(e.buffers, "1.running_mean")));
    t_TensorList *state = t_list_concat(t_dict_values(e.params), t_dict_values(e.buffers));
    Tensor *y = t_func_vmap(call_one, state, .context = &e), *batches = t_randn(3, 5, 3);
    Tensor *each = t_func_vmap(call_one, t_list_concat(state, t_list(batches)), .context = &e);
    for (int i = 0; i < 3; i++) {
        HOLDS(t_allclose(t_select(y, 0, i), nn_call(models[i], e.x)));
        HOLDS(t_allclose(t_select(each, 0, i), nn_call(models[i], t_select(batches, 0, i))));
    }
    t_backward(t_sum(y));
    t_backward(t_sum(nn_call(models[1], e.x)));
    HOLDS(t_allclose(t_select(t_grad(t_dict_get(e.params, "0.weight")), 0, 1),
                     t_grad(((nn_Linear *)nn_get(models[1], 0))->weight), 1e-4, 1e-6));
}
END_TEST

START_TEST(models_that_do_not_stack) {
    nn_Linear *models[] = {nn_Linear(1, 1), nn_Linear(1, 1)};
    void *mixed[] = {nn_Linear(1, 1), nn_ReLU()};
    ck_assert_ptr_null(t_func_stack_module_state(models, 0));
    expect_one_error("stack_module_state: Expected at least one model, got 0.");
    ck_assert_ptr_null(t_func_stack_module_state(mixed, 2));
    expect_one_error("stack_module_state: Expected all models to be of the same class.");
    nn_eval(models[1]);
    ck_assert_ptr_null(t_func_stack_module_state(models, 2));
    expect_one_error("stack_module_state: Expected all models to have the same training/eval mode.");
    nn_train(models[1]);
    t_requires_grad_(models[1]->weight, false);
    ck_assert_ptr_null(t_func_stack_module_state(models, 2));
    expect_one_error("Expected weight from each model to have the same .requires_grad");
    nn_Linear *sizes[] = {nn_Linear(1, 1), nn_Linear(2, 1)};
    ck_assert_ptr_null(t_func_stack_module_state(sizes, 2));
    expect_one_error("stack expects each tensor to be equal size, but got [1, 1] at entry 0 and [1, 2] at entry 1");
}
END_TEST

static bool stack_two(void *unused) {
    (void)unused;
    const int depth = t_scope_open();
    void *models[] = {depth ? nn_Linear_new(2, 1, NULL) : NULL, NULL};
    models[1] = models[0] ? nn_Linear_new(2, 1, NULL) : NULL;
    t_TensorDict *buffers = NULL;
    const bool done = models[1] && (t_func_stack_module_state)(models, 2, &buffers);
    t_scope_close(depth);
    return done;
}

START_TEST(failing_allocations_of_stacks_are_harmless) {
    refuse_all("stack_module_state", stack_two, NULL, NULL);
    report_notes();
}
END_TEST

Suite *functional_call_suite(void);
Suite *functional_call_suite(void) {
    Suite *suite = suite_create("functional_call");
    TCase *tests = tcase_create("functional_call");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, it_agrees_with_pytorch);
    tcase_add_test(tests, tied_parameters_are_replaced_together);
    tcase_add_test(tests, parameters_may_change_places);
    tcase_add_test(tests, strict_reports_pytorchs_errors);
    tcase_add_test(tests, failing_allocations);
    tcase_add_test(tests, errors_name_the_keys);
    tcase_add_test(tests, an_ensemble_runs_as_one);
    tcase_add_test(tests, models_that_do_not_stack);
    tcase_add_test(tests, failing_allocations_of_stacks_are_harmless);
    suite_add_tcase(suite, tests);
    return suite;
}
