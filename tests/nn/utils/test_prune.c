/* tests/nn/utils/test_prune.c: torch.nn.utils.prune, weight_norm, spectral_norm and parametrizations compared with
 * PyTorch's state dicts, values, gradients and draws (golden/prune.txt, written by record_prune.py, which has the same
 * steps), and their errors. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/models/replay.h"
#include "tests/support/refusals.h"

/* ---- the steps by their labels ---- */

static bool global(void *m, nn_utils_prune_Method method, double fraction, int64_t count) {
    nn_Sequential *model = nn_Sequential(m, nn_to(nn_Linear(4, 3), t_float64));
    load_hashed_parameters(nn_get(model, 1), "second");
    const nn_utils_prune_Parameter both[] = {{nn_get(model, 0), "weight"}, {nn_get(model, 1), "weight"}};
    return count ? nn_utils_prune_global_unstructured(both, 2, method, count)
                 : nn_utils_prune_global_unstructured(both, 2, method, fraction);
}

static Tensor *every_second_compute_mask(Tensor *t, Tensor *default_mask, void *context) {
    (void)t, (void)context;
    Tensor *mask = t_clone(default_mask);
    t_set(t_view(mask, -1), "::2", 0);
    return mask;
}

#define EVERY_SECOND(type, ...) \
    (&(const nn_utils_prune_BasePruningMethod){nn_utils_prune_##type, every_second_compute_mask, __VA_ARGS__})
static bool own_twice(void *m, const nn_utils_prune_BasePruningMethod *method) {
    return nn_utils_prune_BasePruningMethod_apply(method, m, "weight") &&
           nn_utils_prune_BasePruningMethod_apply(method, m, "weight");
}

#define LINEAR nn_Linear(5, 4)
#define CONV nn_Conv2d(3, 4, 2)
#define SQUARE nn_Linear(4, 4)
#define TALL nn_Linear(3, 5)
#define TRANSPOSED nn_ConvTranspose2d(3, 4, 2)
#define REMOVE(m) nn_utils_parametrize_remove_parametrizations(m, "weight")
#define CASES(X)                                                                                            \
    X(identity, LINEAR, nn_utils_prune_identity(m, "weight"))                                               \
    X(l1, LINEAR, nn_utils_prune_l1_unstructured(m, "weight", 0.3))                                         \
    X(l1_count, LINEAR, nn_utils_prune_l1_unstructured(m, "bias", 2))                                       \
    X(random, LINEAR, nn_utils_prune_random_unstructured(m, "weight", 0.4))                                 \
    X(random_channels, CONV, nn_utils_prune_random_structured(m, "weight", 2, 0))                           \
    X(ln, CONV, nn_utils_prune_ln_structured(m, "weight", 0.5, 2, 1))                                       \
    X(ln_inf, LINEAR, nn_utils_prune_ln_structured(m, "weight", 1, .n = INFINITY, .dim = -1))               \
    X(custom, LINEAR, nn_utils_prune_custom_from_mask(m, "bias", t_tensor("[1, 0, 0, 1]")))                 \
    X(l1_twice, LINEAR, nn_utils_prune_l1_unstructured(m, "weight", 0.3) &&                                 \
                            nn_utils_prune_l1_unstructured(m, "weight", 0.5))                               \
    X(random_then_channels, CONV, nn_utils_prune_random_unstructured(m, "weight", 9) &&                     \
                                      nn_utils_prune_ln_structured(m, "weight", 1, 1, 0))                   \
    X(channels_twice, CONV, nn_utils_prune_random_structured(m, "weight", 1, 0) &&                          \
                                nn_utils_prune_random_structured(m, "weight", 1, 0))                        \
    X(removed, LINEAR, nn_utils_prune_l1_unstructured(m, "weight", 0.5) && nn_utils_prune_remove(m, "weight")) \
    X(global, LINEAR, global(m, nn_utils_prune_L1Unstructured, 0.4, 0))                                     \
    X(global_random, LINEAR, global(m, nn_utils_prune_RandomUnstructured, 0, 9))                            \
    X(own_unstructured, LINEAR, own_twice(m, EVERY_SECOND(unstructured, 0)))                                \
    X(own_structured, CONV, own_twice(m, EVERY_SECOND(structured, -3)))                                     \
    X(own_global, CONV, nn_utils_prune_random_unstructured(m, "weight", 9) &&                               \
                            nn_utils_prune_BasePruningMethod_apply(EVERY_SECOND(global, 0), m, "weight"))   \
    X(weight_norm, LINEAR, nn_utils_weight_norm(m))                                                         \
    X(weight_norm_dim, CONV, nn_utils_weight_norm(m, "weight", 1))                                          \
    X(weight_norm_all, LINEAR, nn_utils_weight_norm(m, .dim = T_NONE))                                      \
    X(weight_norm_removed, LINEAR, nn_utils_weight_norm(m) && nn_utils_remove_weight_norm(m))               \
    X(spectral_norm, LINEAR, nn_utils_spectral_norm(m))                                                     \
    X(spectral_norm_transposed, TRANSPOSED, nn_utils_spectral_norm(m, .n_power_iterations = 3, .eps = 1e-3)) \
    X(spectral_norm_dim, CONV, nn_utils_spectral_norm(m, .dim = 2))                                         \
    X(spectral_norm_bias, LINEAR, nn_utils_spectral_norm(m, "bias"))                                        \
    X(spectral_norm_removed, LINEAR, nn_utils_spectral_norm(m) && nn_utils_remove_spectral_norm(m))         \
    X(p_weight_norm, LINEAR, nn_utils_parametrizations_weight_norm(m))                                      \
    X(p_weight_norm_dim, CONV, nn_utils_parametrizations_weight_norm(m, "weight", 1))                       \
    X(p_weight_norm_all, LINEAR, nn_utils_parametrizations_weight_norm(m, .dim = T_NONE))                   \
    X(p_weight_norm_removed, LINEAR, nn_utils_parametrizations_weight_norm(m) && REMOVE(m))                 \
    X(p_spectral_norm, LINEAR, nn_utils_parametrizations_spectral_norm(m))                                  \
    X(p_spectral_norm_transposed, TRANSPOSED,                                                               \
      nn_utils_parametrizations_spectral_norm(m, .n_power_iterations = 2))                                  \
    X(p_spectral_norm_bias, LINEAR, nn_utils_parametrizations_spectral_norm(m, "bias"))                     \
    X(p_spectral_norm_removed, LINEAR, nn_utils_parametrizations_spectral_norm(m) && REMOVE(m))             \
    X(p_orthogonal_wide, LINEAR, nn_utils_parametrizations_orthogonal(m))                                   \
    X(p_orthogonal_square, SQUARE, nn_utils_parametrizations_orthogonal(m))                                 \
    X(p_orthogonal_cayley, LINEAR, nn_utils_parametrizations_orthogonal(m, "weight", "cayley"))             \
    X(p_orthogonal_exp, TALL, nn_utils_parametrizations_orthogonal(m, .orthogonal_map = "matrix_exp"))      \
    X(p_orthogonal_batch, CONV, nn_utils_parametrizations_orthogonal(m, .orthogonal_map = "householder"))   \
    X(p_orthogonal_plain, TALL, nn_utils_parametrizations_orthogonal(m, .use_trivialization = false))       \
    X(p_orthogonal_plain_cayley, SQUARE,                                                                    \
      nn_utils_parametrizations_orthogonal(m, .orthogonal_map = "cayley", .use_trivialization = false))     \
    X(p_orthogonal_twice, SQUARE,                                                                           \
      nn_utils_parametrizations_orthogonal(m) && nn_utils_parametrizations_spectral_norm(m))                \
    X(p_orthogonal_removed, TALL, nn_utils_parametrizations_orthogonal(m) && REMOVE(m))
#define FUNCTIONS(label, layer, steps) \
    static void *make_##label(void) { return layer; } \
    static bool run_##label(void *m) { return steps; }
#define ROW(label, layer, steps) {#label, make_##label, run_##label},
CASES(FUNCTIONS)
static const struct {
    const char *label;
    void *(*make)(void);
    bool (*run)(void *module);
} cases[] = {CASES(ROW)};

/* Position and name of each entry, too. */
static void compare_state(const char *key, const char *section, void *module) {
    t_TensorDict *state = nn_state_dict(module);
    for (int64_t i = 0; i < state->len; i++) {
        char name[80];
        snprintf(name, sizeof name, "state%d:%s", (int)i, state->items[i].name);
        matches_recorded(key, state->items[i].tensor, section, name, VALUE);
    }
    char beyond[80];
    snprintf(beyond, sizeof beyond, "state%d:", (int)state->len);
    ck_assert_ptr_null(strstr(section, beyond));
}

static void replay(const char *key, const char *section, void *count) {
    size_t i = 0;
    while (strncmp(key, cases[i].label, strcspn(key, " ")) != 0 || strlen(cases[i].label) != strcspn(key, " ")) i++;
    void *module = nn_to(cases[i].make(), t_float64);
    load_hashed_parameters(module, key);
    t_manual_seed(DROPOUT_SEED);
    ck_assert_msg(cases[i].run(module), "%s: %s", key, t_error());
    matches_recorded(key, t_rand(2), section, "next", EXACT);
    Tensor *x = make_inputs(strchr(key, ' ') + 1, seed_of(key), t_float64).x[0], *y = nn_call(module, x);
    t_backward(y, .gradient = hashed_tensor("R", t_shape(y), (int)t_dim(y), seed_of(key), 100, t_float64));
    matches_recorded(key, y, section, "y", VALUE);
    matches_recorded(key, t_grad(x), section, "x", GRADIENT);
    for_named (p, nn_named_parameters(module)) {
        char name[80];
        snprintf(name, sizeof name, "g:%s", p->name);
        matches_recorded(key, t_grad(p->tensor), section, name, GRADIENT);
    }
    compare_state(key, section, module);
    ++*(int *)count;
}

START_TEST(states_values_and_gradients_are_pytorchs) {
    int count = 0;
    each_case("prune.txt", replay, &count);
    ck_assert_int_eq(count, (int)(sizeof cases / sizeof *cases));
    report_notes();
}
END_TEST

/* ---- training and the tree ---- */

START_TEST(a_pruned_layer_trains) {
    nn_Sequential *model = nn_Sequential(nn_Linear(4, 8), nn_ReLU(), nn_Linear(8, 1));
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 0.05);
    nn_Linear *first = nn_get(model, 0);
    Tensor *x = t_randn(16, 4), *target = t_sum(x, 1, .keepdim = true), *parameter = first->weight;
    HOLDS(!nn_utils_prune_is_pruned(model));
    nn_utils_prune_l1_unstructured(first, "weight", 0.5);
    HOLDS(nn_utils_prune_is_pruned(model) && nn_count_parameters(model, true) == 4 * 8 + 8 + 8 + 1);
    double before = 0, after = 0;
    for_range (step, 0, 60) {
        Tensor *loss = F_mse_loss(nn_call(model, x), target);
        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);
        if (step == 0) before = t_item(loss);
        after = t_item(loss);
    }
    HOLDS(after < 0.2 * before);
    nn_call(model, x);
    HOLDS(t_item(t_sum(t_to(t_eq(first->weight, 0), t_int64))) == 16);
    nn_utils_prune_remove(first, "weight");
    HOLDS(first->weight == parameter && t_item(t_sum(t_to(t_eq(parameter, 0), t_int64))) == 16);
    HOLDS(!nn_utils_prune_is_pruned(model));
}
END_TEST

START_TEST(importance_scores_decide) {
    nn_Linear *layer = nn_Linear(2, 2);
    nn_utils_prune_l1_unstructured(layer, "weight", 1, .importance_scores = t_tensor("[[3., 2.], [0.5, 4.]]"));
    t_TensorDict *state = nn_state_dict(layer);
    expect_printed(t_dict_get(state, "weight_mask"), "tensor([[1., 1.],\n        [0., 1.]])");
}
END_TEST

static Tensor *transposed_compute_mask(Tensor *t, Tensor *default_mask, void *context) {
    ++*(int *)context;
    return t_transpose(t_add(t, default_mask), 0, 1);
}

static Tensor *no_compute_mask(Tensor *t, Tensor *default_mask, void *context) {
    (void)t, (void)default_mask, (void)context;
    return NULL;
}

START_TEST(refuses_methods_without_a_fitting_mask) {
    nn_Linear *layer = nn_Linear(3, 2);
    int calls = 0;
    const nn_utils_prune_BasePruningMethod none = {nn_utils_prune_unstructured, NULL, 0};
    const nn_utils_prune_BasePruningMethod null = {nn_utils_prune_unstructured, no_compute_mask, 0};
    const nn_utils_prune_BasePruningMethod transposed = {nn_utils_prune_global, transposed_compute_mask, 0};
    REFUSES(nn_utils_prune_BasePruningMethod_apply(&none, layer, "weight"),
            "argument 1 is NULL where a pruning method with compute_mask is expected");
    REFUSES(nn_utils_prune_BasePruningMethod_apply(&null, layer, "weight"), "compute_mask returned NULL");
    REFUSES(nn_utils_prune_BasePruningMethod_apply(&transposed, layer, "weight", .context = &calls),
            "compute_mask returned a mask of shape torch.Size([3, 2]) for a tensor of shape torch.Size([2, 3])");
    nn_utils_prune_identity(layer, "weight");
    REFUSES(nn_utils_prune_BasePruningMethod_apply(EVERY_SECOND(structured, 2), layer, "weight"),
            "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    HOLDS(calls == 1);
}
END_TEST

START_TEST(refuses_what_does_not_fit) {
    nn_Linear *layer = nn_Linear(3, 2);
    REFUSES(nn_utils_prune_l1_unstructured(layer, "weight", 1.5),
            "amount=1.5 should either be a float in the range [0, 1] or a non-negative integer");
    REFUSES(nn_utils_prune_l1_unstructured(layer, "weight", -1),
            "amount=-1 should either be a float in the range [0, 1] or a non-negative integer");
    REFUSES(nn_utils_prune_random_unstructured(layer, "weight", 7),
            "amount=7 should be smaller than the number of parameters to prune=6");
    REFUSES(nn_utils_prune_l1_unstructured(layer, "wieght", 1), "'Linear' object has no attribute 'wieght'");
    REFUSES(nn_utils_prune_ln_structured(layer, "bias", 1, .n = 1, .dim = 0),
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape torch.Size([2]) "
            "with 1 dims");
    REFUSES(nn_utils_prune_random_structured(layer, "weight", 1, 2),
            "Invalid index 2 for tensor of size torch.Size([2, 3])");
    REFUSES(nn_utils_prune_custom_from_mask(layer, "weight", t_ones(2)),
            "default_mask shape torch.Size([2, 3]) must match self.mask shape torch.Size([2])");
    REFUSES(nn_utils_prune_l1_unstructured(layer, "weight", 1, .importance_scores = t_ones(3)),
            "importance_scores should have the same shape as the parameter, got torch.Size([3]) vs torch.Size([2, 3])");
    REFUSES(nn_utils_prune_remove(layer, "weight"),
            "Parameter 'weight' of module Linear has to be pruned before pruning can be removed");
    REFUSES(nn_utils_prune_identity(nn_LSTM(2, 3), "weight_hh_l0"),
            "the parameters of LSTM cannot be replaced by computed tensors");
    nn_BatchNorm1d *norm = nn_BatchNorm1d(2);
    REFUSES(nn_utils_prune_identity(norm, "running_mean"), "'running_mean' of BatchNorm1d is not a parameter");
    const nn_utils_prune_Parameter both[] = {{norm, "weight"}, {norm, "running_mean"}};
    expect_refusal(!(nn_utils_prune_global_unstructured)(both, 2, nn_utils_prune_L1Unstructured, 1, 0),
                   "'running_mean' of BatchNorm1d is not a parameter");
    HOLDS(!nn_utils_prune_is_pruned(norm)); /* not the weight either */
    HOLDS(!nn_utils_prune_is_pruned(norm));
    REFUSES(nn_utils_remove_weight_norm(layer), "weight_norm of 'weight' not found in Linear");
    nn_utils_weight_norm(layer);
    REFUSES(nn_utils_weight_norm(layer), "Cannot register two weight_norm hooks on the same parameter weight");
    REFUSES(nn_deepcopy(layer),
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
            "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
            "see https://github.com/pytorch/pytorch/pull/103001");
}
END_TEST

static Tensor *plain_compute_mask(Tensor *t, Tensor *default_mask, void *context) {
    (void)t, (void)context;
    return (t_mul)(default_mask, default_mask);
}

static bool prune_twice(void *unused) {
    (void)unused;
    const nn_utils_prune_BasePruningMethod plain = {nn_utils_prune_structured, plain_compute_mask, 1};
    const int depth = t_scope_open();
    nn_Linear *layer = depth ? nn_Linear_new(3, 2, NULL) : NULL;
    bool done = layer && (nn_utils_prune_l1_unstructured)(layer, "weight", 2, 0, NULL) &&
                (nn_utils_prune_random_structured)(layer, "weight", 1, 0, 1) &&
                (nn_utils_prune_BasePruningMethod_apply)(&plain, layer, "weight", NULL, NULL) &&
                (nn_utils_prune_remove)(layer, "weight") && (nn_utils_weight_norm)(layer, "weight", 0) &&
                (nn_utils_remove_weight_norm)(layer, "weight");
    t_scope_close(depth);
    return done;
}

START_TEST(every_failing_allocation_is_harmless) {
    refuse_all("pruning", prune_twice, NULL, NULL);
    report_notes();
}
END_TEST

START_TEST(gradients_are_clipped_by_a_known_norm) {
    Tensor *p = t_ones(2, .requires_grad = true);
    t_set_grad(p, t_tensor("[3., 4.]"));
    HOLDS(nn_utils_clip_grads_with_norm_(t_list(p), 1.0, t_tensor(10.0)));
    HOLDS(t_allclose(t_grad(p), t_tensor("[0.3, 0.4]"), 1e-5));
    HOLDS(nn_utils_clip_grads_with_norm_(t_list(p), 1.0, t_tensor(0.1)));
    HOLDS(t_allclose(t_grad(p), t_tensor("[0.3, 0.4]"), 1e-5));
}
END_TEST

Suite *prune_suite(void) {
    Suite *suite = suite_create("prune");
    TCase *tests = tcase_create("prune");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, states_values_and_gradients_are_pytorchs);
    tcase_add_test(tests, a_pruned_layer_trains);
    tcase_add_test(tests, importance_scores_decide);
    tcase_add_test(tests, refuses_methods_without_a_fitting_mask);
    tcase_add_test(tests, refuses_what_does_not_fit);
    tcase_add_test(tests, every_failing_allocation_is_harmless);
    tcase_add_test(tests, gradients_are_clipped_by_a_known_norm);
    suite_add_tcase(suite, tests);
    return suite;
}
