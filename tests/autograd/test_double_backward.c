/* tests/autograd/test_double_backward.c: gradients that are differentiated again, compared with PyTorch's
 * (golden/record_double_backward.py): products of the encoder classifier's Hessian with a vector, and trainings whose
 * loss has a gradient penalty. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/models/notebook_model.h"

enum { STEPS = 6 };

static const char *run_name(t_DType real) {
    return real == t_float32 ? "32" : "64";
}

static const char *recorded(const char *key) {
    const char *section = golden_case(golden_file("double_backward.txt"), key);
    ck_assert_msg(section != NULL, "%s was not recorded", key);
    return section;
}

static EncoderClassifier *model_of(const char *activation, const char *key, t_DType real) {
    EncoderClassifier *self = nn_module(EncoderClassifier, NULL);
    nn_set(self, encoder, nn_Encoder(2, 16, 2, 32, 12, .max_len = 9, .activation = activation, .norm_first = true));
    nn_set(self, classifier, nn_Sequential(nn_Linear(16, 8), nn_ReLU(), nn_Dropout(0.1), nn_Linear(8, 2)));
    nn_to(self, real);
    nn_eval(self);
    load_hashed(self, key);
    return self;
}

/* ---- Hessian times vector ---- */

static void check_product(const char *activation, t_DType real) {
    char key[64], name[160];
    snprintf(key, sizeof key, "product %s", activation);
    const char *section = recorded(key), *run = run_name(real);
    EncoderClassifier *model = model_of(activation, key, real);
    Inputs in = make_inputs("k12(4,7) k2(4)", seed_of(key), real);
    nn_NamedList *named = nn_named_parameters(model);
    t_TensorList *parameters = nn_parameters(model);
    Tensor *loss = F_cross_entropy(encoder_classifier_call(model, in.x[0], NULL, NULL), in.x[1]);
    t_TensorList *gradients = t_grad(loss, parameters, .create_graph = true);
    Tensor *along = t_zeros(.dtype = real);
    for (int64_t i = 0; i < gradients->len; i++) {
        Tensor *g = gradients->items[i];
        snprintf(name, sizeof name, "%s %s", key, named->items[i].name);
        along = t_add(along, t_sum(t_mul(g, hashed_tensor("R", t_shape(g), (int)t_dim(g), seed_of(name), 1, real))));
    }
    t_TensorList *product = t_grad(along, parameters);
    snprintf(name, sizeof name, "%s.loss", run);
    matches_recorded(name, t_detach(loss), section, name, VALUE);
    snprintf(name, sizeof name, "%s.along", run);
    matches_recorded(name, t_detach(along), section, name, GRADIENT);
    for (int64_t i = 0; i < product->len; i++) {
        snprintf(name, sizeof name, "%s.%s", run, named->items[i].name);
        if (!strstr(name, "W_k.bias")) matches_recorded(name, product->items[i], section, name, GRADIENT);
        else if (t_item(t_max(t_abs(product->items[i]))) > 1e-6) /* softmax does not see it: 0, but for roundings */
            note("%s: is not 0", name);
        if (t_grad(parameters->items[i])) note("%s: the parameter got a grad", name);
    }
}

START_TEST(hessian_vector_products) {
    static const char *const activations[] = {"relu", "gelu"};
    for (int i = 0; i < 4; i++)
        with_scope() check_product(activations[i / 2], i % 2 ? t_float64 : t_float32);
    report_notes();
}
END_TEST

/* ---- trainings ---- */

typedef struct Losses {
    GoldenArray recorded;
    int at;
} Losses;

static Losses losses_of(const char *section, t_DType real) {
    Losses losses = {.at = 0};
    HOLDS(golden_array(section, real == t_float32 ? "32.losses" : "64.losses", &losses.recorded));
    ck_assert_int_eq(losses.recorded.count, 2 * STEPS);
    return losses;
}

static void compare_loss(Losses *losses, Tensor *loss, t_DType real) {
    double got = t_item(loss), want = losses->recorded.values[losses->at];
    if (!(fabs(got - want) <= (real == t_float32 ? 1e-4 : 1e-10) * fabs(want)))
        note("step %d, number %d in float%s: %.12g, expected %.12g", losses->at / 2, losses->at % 2, run_name(real),
             got, want);
    losses->at++;
}

static void compare_parameters(void *model, const char *section) {
    for_named (p, nn_named_parameters(model)) matches_recorded(p->name, p->tensor, section, p->name, VALUE);
}

/* The classifier behind its embedding. */
static Tensor *from_embeddings(EncoderClassifier *model, Tensor *x) {
    nn_Encoder *encoder = model->encoder;
    x = nn_call(encoder->positional_encoding, x);
    for_module (layer, encoder->layers) x = nn_EncoderLayer_call((nn_EncoderLayer *)layer, x, NULL, NULL);
    return nn_call(model->classifier, t_mean(nn_call(encoder->final_norm, x), 1));
}

/* loss + 50 ||d loss / d embeddings||^2 */
static void train_penalised(t_DType real) {
    const char *key = "penalised classifier", *section = recorded(key);
    EncoderClassifier *model = model_of("gelu", key, real);
    Inputs in = make_inputs("k12(4,7) k2(4)", seed_of(key), real);
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 0.001);
    Losses losses = losses_of(section, real);
    for_range (step, 0, STEPS) {
        Tensor *x = t_mul(nn_call(model->encoder->embedding, in.x[0]), model->encoder->embedding_scale);
        Tensor *loss = F_cross_entropy(from_embeddings(model, x), in.x[1]);
        Tensor *dx = t_grad(loss, x, .create_graph = true);
        Tensor *penalised = t_add(loss, t_mul(t_sum(t_mul(dx, dx)), 50));
        optim_zero_grad(optimizer);
        t_backward(penalised);
        optim_step(optimizer);
        compare_loss(&losses, loss, real);
        compare_loss(&losses, penalised, real);
    }
    if (real == t_float64) compare_parameters(model, section);
    free(losses.recorded.values);
}

/* WGAN-GP: the gradient of the critic between true and false points is drawn to length 1. */
static void train_critic(t_DType real) {
    const char *key = "critic", *section = recorded(key);
    nn_Sequential *critic = nn_Sequential(nn_Linear(3, 16), nn_Tanh(), nn_Linear(16, 8), nn_Tanh(), nn_Linear(8, 1));
    nn_to(critic, real);
    load_hashed(critic, key);
    Inputs in = make_inputs("R(10,3) R(10,3) Q(10,1)", seed_of(key), real);
    Tensor *real_points = in.x[0], *false_points = in.x[1], *share = in.x[2];
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(critic), .lr = 0.01, .betas = {0.0, 0.9});
    Losses losses = losses_of(section, real);
    for_range (step, 0, STEPS) {
        Tensor *between = t_add(t_mul(share, real_points), t_mul(t_sub(1, share), false_points));
        t_requires_grad_(between, true);
        Tensor *score = nn_call(critic, between);
        Tensor *g = t_grad(score, between, t_ones_like(score), .create_graph = true);
        Tensor *penalty = t_mean(t_square(t_sub(t_sqrt(t_sum(t_mul(g, g), 1)), 1)));
        Tensor *apart = t_sub(t_mean(nn_call(critic, false_points)), t_mean(nn_call(critic, real_points)));
        Tensor *loss = t_add(apart, t_mul(penalty, 10));
        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);
        compare_loss(&losses, loss, real);
        compare_loss(&losses, penalty, real);
    }
    if (real == t_float64) compare_parameters(critic, section);
    free(losses.recorded.values);
}

START_TEST(training_with_a_gradient_penalty) {
    with_scope() train_penalised(t_float32);
    with_scope() train_penalised(t_float64);
    report_notes();
}
END_TEST

START_TEST(a_critic_with_a_gradient_penalty) {
    with_scope() train_critic(t_float32);
    with_scope() train_critic(t_float64);
    report_notes();
}
END_TEST

Suite *double_backward_suite(void);
Suite *double_backward_suite(void) {
    Suite *suite = suite_create("double_backward");
    TCase *tests = tcase_create("double_backward");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, hessian_vector_products);
    tcase_add_test(tests, training_with_a_gradient_penalty);
    tcase_add_test(tests, a_critic_with_a_gradient_penalty);
    suite_add_tcase(suite, tests);
    return suite;
}
