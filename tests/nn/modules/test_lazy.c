/* tests/nn/modules/test_lazy.c: lazy modules compared with PyTorch's texts, draws, initial bits and outputs
 * (golden/lazy*.txt, written by record_lazy.py, which has the same modules), and what uninitialised parameters refuse.
 * */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tensor/tensor.h"
#include "tests/support/models/replay.h"
#include "tests/support/refusals.h"

#define MODULES(X)                                                            \
    X(linear, nn_LazyLinear(4))                                               \
    X(linear_no_bias, nn_LazyLinear(2, .bias = false))                        \
    X(conv1d, nn_LazyConv1d(4, 3, 2, 1, 1, 2))                                \
    X(conv2d, nn_LazyConv2d(3, (2, 3), .padding = 1, .bias = false))          \
    X(conv3d, nn_LazyConv3d(2, 2))                                            \
    X(conv_transpose1d, nn_LazyConvTranspose1d(4, 3))                         \
    X(conv_transpose2d, nn_LazyConvTranspose2d(4, 3, 2, 1, 1, 2))             \
    X(conv_transpose3d, nn_LazyConvTranspose3d(2, (1, 2, 2)))                 \
    X(batch_norm1d, nn_LazyBatchNorm1d())                                     \
    X(batch_norm2d, nn_LazyBatchNorm2d(.momentum = 0.3))                      \
    X(batch_norm3d, nn_LazyBatchNorm3d(.affine = false))                      \
    X(instance_norm1d, nn_LazyInstanceNorm1d())                               \
    X(instance_norm2d, nn_LazyInstanceNorm2d(.track_running_stats = false))   \
    X(instance_norm3d, nn_LazyInstanceNorm3d(.eps = 0.1))
#define MAKE(label, expression) static void *make_##label(void) { return expression; }
#define ROW(label, expression) {#label, make_##label},
MODULES(MAKE)
static const ModuleMaker modules[] = {MODULES(ROW) {NULL, NULL}};

/* The text of a module is the next line of the section. */
static const char *expect_text(const char *at, void *module) {
    char line[400], *text = nn_repr(module);
    at = golden_line(at, line, sizeof line);
    ck_assert_str_eq(text, line);
    free(text);
    return at;
}

static void replay(const char *key, const char *section, void *count) {
    char label[40], name[80], names[200] = "";
    snprintf(label, sizeof label, "%.*s", (int)strcspn(key, " "), key);
    const char *texts = golden_case(golden_file("lazy_repr.txt"), label);
    t_manual_seed(INIT_SEED);
    void *module = find_maker(modules, key)->make();
    matches_recorded(key, t_rand(2), section, "before", EXACT);
    texts = expect_text(texts, module);
    Tensor *x = make_inputs(strchr(key, ' ') + 1, seed_of(key), t_float32).x[0], *y = nn_call(module, x);
    ck_assert_msg(y != NULL, "%s: %s", key, t_error());
    matches_recorded(key, t_rand(2), section, "after", EXACT);
    matches_recorded(key, y, section, "y", VALUE);
    for_named (p, nn_named_parameters(module)) {
        snprintf(name, sizeof name, "bits:%s", p->name);
        same_bits(key, p->tensor, section, name);
    }
    for_named (b, nn_named_buffers(module)) {
        snprintf(name, sizeof name, "buffer:%s", b->name);
        matches_recorded(key, b->tensor, section, name, VALUE);
    }
    texts = expect_text(texts, module);
    t_TensorDict *state = nn_state_dict(module);
    for (int64_t i = 0; i < state->len; i++) {
        if (i) strcat(names, " ");
        strcat(names, state->items[i].name);
    }
    char line[200];
    golden_line(texts, line, sizeof line);
    ck_assert_str_eq(names, line);
    ++*(int *)count;
}

START_TEST(texts_draws_and_bits_are_pytorchs) {
    int count = 0;
    each_case("lazy.txt", replay, &count);
    ck_assert_int_eq(count, 14);
    report_notes();
}
END_TEST

START_TEST(a_lazy_model_trains) {
    nn_Sequential *model = nn_Sequential(nn_LazyConv2d(4, 3), nn_LazyBatchNorm2d(), nn_ReLU(), nn_Flatten(),
                                         nn_LazyLinear(2));
    Tensor *x = t_randn(8, 3, 5, 5), *y = t_randint(0, 2, (8,));
    nn_call(model, x);
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 0.05);
    double before = 0, after = 0;
    for_range (step, 0, 30) {
        Tensor *loss = F_cross_entropy(nn_call(model, x), y);
        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);
        if (step == 0) before = t_item(loss);
        after = t_item(loss);
    }
    HOLDS(after < 0.5 * before);
    ck_assert_ptr_nonnull(nn_as(nn_get(model, 0), nn_Conv2d));
    ck_assert_int_eq(nn_get(model, 4, nn_Linear)->in_features, 36);
}
END_TEST

START_TEST(a_state_dict_makes_the_parameters) {
    nn_Linear *known = nn_Linear(3, 2), *lazy = nn_LazyLinear(2);
    HOLDS(nn_load_state_dict(lazy, nn_state_dict(known)));
    HOLDS(t_equal(lazy->weight, known->weight));
    expect_printed(t_tensor((double)lazy->in_features), "tensor(0.)");
    Tensor *x = t_ones(2, 3);
    HOLDS(t_equal(nn_call(lazy, x), nn_call(known, x)) && lazy->in_features == 3);
    ck_assert_str_eq(nn_str(lazy), nn_str(known));
}
END_TEST

typedef struct Loading {
    nn_Linear *lazy;
    t_TensorDict *state;
} Loading;

static bool loads(void *with) {
    const Loading *l = with;
    return (nn_load_state_dict)(l->lazy, l->state, NULL);
}

static bool is_lazy(void *with) {
    const Loading *l = with;
    return tg_is_uninitialized(l->lazy->weight) && tg_is_uninitialized(l->lazy->bias);
}

START_TEST(a_state_dict_that_is_not_loaded_makes_no_parameter) {
    nn_Linear *known = nn_Linear(3, 2);
    Loading l = {nn_LazyLinear(2), nn_state_dict(known)};
    t_TensorDict *strange = nn_state_dict(known);
    t_dict_set(strange, "strange", t_ones(1));
    ck_assert(!(nn_load_state_dict)(l.lazy, strange, NULL) && is_lazy(&l));
    t_clear_error();
    refuse_all("nn_load_state_dict of a lazy module", loads, is_lazy, &l);
    HOLDS(t_equal(l.lazy->weight, known->weight) && t_equal(l.lazy->bias, known->bias));
    report_notes();
}
END_TEST

/* The parameter gets the shape of the first tensor, and the other one does not fit. */
START_TEST(a_lazy_parameter_may_have_two_names) {
    nn_Linear *a = nn_LazyLinear(2), *b = nn_LazyLinear(2);
    nn_set(b, weight, a->weight);
    nn_Sequential *lazy = nn_Sequential(a, b), *known = nn_Sequential(nn_Linear(3, 2), nn_Linear(3, 2));
    nn_Sequential *other = nn_Sequential(nn_Linear(3, 2), nn_Linear(4, 2));
    ck_assert(!(nn_load_state_dict)(lazy, nn_state_dict(other), NULL));
    ck_assert_ptr_nonnull(strstr(t_error_message(), "size mismatch for 1.weight"));
    t_clear_error();
    ck_assert(tg_is_uninitialized(a->weight));
    HOLDS(nn_load_state_dict(lazy, nn_state_dict(known)));
    HOLDS(a->weight == b->weight && t_equal(a->weight, nn_get_parameter(known, "1.weight")));
}
END_TEST

#define UNINITIALIZED "Attempted to use an uninitialized parameter. This error happens when you are using a " \
    "`LazyModule` or explicitly manipulating `torch.nn.parameter.UninitializedParameter` objects. When using " \
    "LazyModules Call `forward` with a dummy batch to initialize the parameters before calling torch functions"

/* As PyTorch 2.15: an optimizer may be made before the first call. */
START_TEST(uninitialised_parameters_are_held) {
    nn_LazyLinear *lazy = nn_LazyLinear(2);
    HOLDS(nn_parameters(lazy)->len == 2 && nn_named_parameters(lazy)->len == 2 && nn_state_dict(lazy)->len == 2);
    optim_Optimizer *optimizers[] = {optim_SGD(nn_parameters(lazy), .lr = 0.5, .momentum = 0.9),
                                     optim_Adam(nn_parameters(lazy), .lr = 0.1), optim_RMSprop(nn_parameters(lazy)),
                                     optim_LBFGS(nn_parameters(lazy))};
    for (int i = 0; i < 3; i++) {
        optim_step(optimizers[i]);
        optim_zero_grad(optimizers[i]);
        HOLDS(optim_state_dict(optimizers[i]) != NULL);
    }
    HOLDS(t_item(nn_utils_clip_grad_norm_(nn_parameters(lazy), 1.0)) == 0);
    HOLDS(nn_load_state_dict(lazy, nn_state_dict(nn_LazyLinear(2))));
    nn_LazyLinear *copy = nn_deepcopy(lazy);
    HOLDS(copy->weight != lazy->weight && nn_to(copy, t_float64));
    HOLDS(t_dtype(nn_call(copy, t_ones(2, 3, .dtype = t_float64))) == t_float64 && copy->in_features == 3);
    Tensor *weight = lazy->weight;
    t_backward(t_sum(nn_call(lazy, t_ones(2, 3))));
    Tensor *before = t_clone(t_detach(weight));
    optim_step(optimizers[0]);
    HOLDS(lazy->weight == weight && t_allclose(weight, t_sub(before, 1)));
    HOLDS(nn_load_state_dict(nn_LazyBatchNorm1d(), nn_state_dict(nn_LazyBatchNorm1d())));
}
END_TEST

START_TEST(uninitialised_parameters_refuse) {
    nn_LazyLinear *lazy = nn_LazyLinear(2);
    REFUSES(t_sum(lazy->weight), UNINITIALIZED);
    REFUSES(t_cat(nn_parameters(lazy)), UNINITIALIZED);
    REFUSES(nn_utils_parameters_to_vector(nn_parameters(lazy)), UNINITIALIZED);
    REFUSES(t_save(nn_state_dict(lazy), "build/lazy.safetensors"), UNINITIALIZED);
    REFUSES(t_save(nn_state_dict(lazy), "build/lazy.pt"), UNINITIALIZED);
    REFUSES(nn_load_state_dict(nn_Linear(3, 2), nn_state_dict(lazy)),
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes.");
    REFUSES(nn_utils_weight_norm(lazy),
            "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run the dummy forward "
            "before applying weight normalization");
    REFUSES(nn_utils_spectral_norm(lazy),
            "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run the dummy "
            "forward before applying spectral normalization");
    REFUSES(nn_utils_parametrizations_spectral_norm(lazy),
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes.");
    REFUSES(nn_requires_grad_(lazy, false), UNINITIALIZED);
    HOLDS(nn_zero_grad(lazy));
    REFUSES(nn_call(lazy, t_tensor(1.0)), "tuple index out of range");
    REFUSES(nn_call(nn_LazyConv2d(4, 3), t_ones(2, 2)),
            "Expected 3D (unbatched) or 4D (batched) input to LazyConv2d, but got input of size: torch.Size([2, 2])");
    REFUSES(nn_call(nn_LazyConv2d(3, 3, .groups = 3), t_ones(1, 4, 5, 5)), "in_channels must be divisible by groups");
    REFUSES(nn_call(nn_LazyBatchNorm2d(), t_ones(2, 2)), "expected 4D input (got 2D input)");
    HOLDS(nn_call(lazy, t_ones(2, 3)) && nn_parameters(lazy)->len == 2);
}
END_TEST

static bool first_calls(void *unused) {
    (void)unused;
    const int depth = t_scope_open();
    Tensor *x = depth ? (t_ones)((int64_t[]){2, 3, 4}, 3, NULL) : NULL;
    nn_LazyLinear *linear = x ? nn_LazyLinear_new(2, NULL) : NULL;
    nn_LazyConv1d *conv = linear ? nn_LazyConv1d_new(2, (int64_t[]){2}, NULL) : NULL;
    nn_LazyBatchNorm1d *norm = conv ? nn_LazyBatchNorm1d_new(NULL) : NULL;
    const bool done = norm && (nn_call)(linear, x) && (nn_call)(conv, x) && (nn_call)(norm, x);
    t_scope_close(depth);
    return done;
}

START_TEST(every_failing_allocation_is_harmless) {
    refuse_all("lazy modules", first_calls, NULL, NULL);
    report_notes();
}
END_TEST

Suite *lazy_suite(void) {
    Suite *suite = suite_create("lazy");
    TCase *tests = tcase_create("lazy");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, texts_draws_and_bits_are_pytorchs);
    tcase_add_test(tests, a_lazy_model_trains);
    tcase_add_test(tests, a_state_dict_makes_the_parameters);
    tcase_add_test(tests, a_state_dict_that_is_not_loaded_makes_no_parameter);
    tcase_add_test(tests, a_lazy_parameter_may_have_two_names);
    tcase_add_test(tests, uninitialised_parameters_are_held);
    tcase_add_test(tests, uninitialised_parameters_refuse);
    tcase_add_test(tests, every_failing_allocation_is_harmless);
    suite_add_tcase(suite, tests);
    return suite;
}
