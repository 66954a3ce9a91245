/* tests/nn/module/test_teach.c: teaching mode: each report once, with the line of the mistake, and none for what looks
 * alike. */
#define _POSIX_C_SOURCE 200112L /* setenv */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "nn/nn.h"
#include "optim/optim.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

static void setup(void) {
    support_setup();
    catch_warnings();
    t_set_teach(true);
    t_manual_seed(1);
}

static void teardown(void) {
    t_set_teach(false);
    setenv("TAPEGRAD_WARNINGS", "off", 1);
    support_teardown();
}

/* What was printed since setup: one line that begins with this line's number and contains the words; NULL: nothing. */
static void expect_report(int line, const char *words) {
    char expected[200];
    char *text = caught_output();
    snprintf(expected, sizeof expected, "%s:%d: UserWarning: teaching mode: ", __FILE__, line);
    if (!words) ck_assert_str_eq(text, "");
    if (words) ck_assert_msg(strncmp(text, expected, strlen(expected)) == 0, "not %s in %s", expected, text);
    if (words) ck_assert_msg(strstr(text, words) != NULL, "not %s in %s", words, text);
    if (words) ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1); /* one line */
    free(text);
}

START_TEST(the_setting_is_returned) {
    ck_assert(t_set_teach(false));
    ck_assert(!t_set_teach(true));
    expect_report(0, NULL);
}
END_TEST

/* ---- gradients ---- */

static int train(nn_Linear *model, optim_Optimizer *optimizer, int zero_grad, int backwards) {
    for_range (i, 0, 3) {
        if (zero_grad) optim_zero_grad(optimizer, .set_to_none = zero_grad == 1);
        for (int k = 0; k < backwards; k++) t_backward(t_sum(nn_call(model, t_ones(2, 3))));
        optim_step(optimizer);
    }
    return __LINE__ - 3;
}

START_TEST(an_old_gradient_is_reported) {
    nn_Linear *model = nn_Linear(3, 2);
    expect_report(train(model, optim_SGD(nn_parameters(model), .lr = 0.1), 0, 1), "gradient of an earlier one");
}
END_TEST

/* The closure of a step: the gradients of its first call are there in time, and those of an earlier call are old. */
typedef struct Fit {
    nn_Linear *model;
    optim_Optimizer *optimizer;
    bool zero_grad;
    int line;
} Fit;

static Tensor *closure(void *context) {
    Fit *fit = context;
    if (fit->zero_grad) optim_zero_grad(fit->optimizer);
    Tensor *loss = t_sum(t_square(nn_call(fit->model, t_ones(2, 3))));
    fit->line = __LINE__ + 1;
    t_backward(loss);
    return loss;
}

START_TEST(a_closure_that_clears_is_silent) {
    nn_Linear *model = nn_Linear(3, 2);
    Fit fit = {model, optim_LBFGS(nn_parameters(model), .lr = 0.1), true, 0};
    for (int i = 0; i < 2; i++) optim_step(fit.optimizer, closure, &fit);
    fit.optimizer = optim_RAdam(nn_parameters(model));
    for (int i = 0; i < 2; i++) optim_step(fit.optimizer, closure, &fit);
    expect_report(0, NULL);
}
END_TEST

START_TEST(a_closure_that_does_not_clear_is_reported) {
    nn_Linear *model = nn_Linear(3, 2);
    Fit fit = {model, optim_LBFGS(nn_parameters(model), .lr = 0.1), false, 0};
    optim_step(fit.optimizer, closure, &fit);
    expect_report(fit.line, "gradient of an earlier one");
}
END_TEST

START_TEST(accumulation_on_purpose_is_silent) {
    nn_Linear *model = nn_Linear(3, 2);
    train(model, optim_SGD(nn_parameters(model), .lr = 0.1), 1, 2);
    train(model, optim_SGD(nn_parameters(model), .lr = 0.1), 2, 2);
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 0.1);
    for (int i = 0; i < 2; i++) { /* cleared by hand */
        for_list (p, nn_parameters(model)) t_set_grad(p, t_zeros_like(p));
        t_backward(t_sum(nn_call(model, t_ones(2, 3))));
        optim_step(optimizer);
    }
    expect_report(0, NULL);
}
END_TEST

static int train_first(nn_Linear *first, nn_Linear *second) {
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(first), .lr = 0.1);
    for_range (i, 0, 3) {
        optim_zero_grad(optimizer);
        nn_zero_grad(second);
        t_backward(t_sum(nn_call(second, nn_call(first, t_ones(2, 3)))));
        optim_step(optimizer);
    }
    return __LINE__ - 3;
}

START_TEST(a_parameter_without_optimizer_is_reported) {
    expect_report(train_first(nn_Linear(3, 2), nn_Linear(2, 1)), "no optimizer has it");
}
END_TEST

START_TEST(a_frozen_parameter_is_silent) {
    nn_Linear *second = nn_Linear(2, 1);
    for_list (p, nn_parameters(second)) t_requires_grad_(p, false);
    train_first(nn_Linear(3, 2), second);
    expect_report(0, NULL);
}
END_TEST

START_TEST(a_parameter_without_gradient_is_reported) {
    nn_Sequential *model = nn_Sequential(nn_Linear(3, 2), nn_Linear(3, 2));
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 0.1);
    t_backward(t_sum(nn_call(nn_get(model, 0), t_ones(2, 3))));
    optim_step(optimizer);
    expect_report(__LINE__ - 1, "2 of the optimizer's 4 parameters have no gradient (the first is number 2");
}
END_TEST

START_TEST(a_parameter_left_out_later_is_silent) {
    nn_Sequential *model = nn_Sequential(nn_Linear(3, 3), nn_Linear(3, 2));
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 0.1);
    t_backward(t_sum(nn_call(model, t_ones(2, 3))));
    optim_step(optimizer);
    optim_zero_grad(optimizer);
    t_backward(t_sum(nn_call(nn_get(model, 0), t_ones(2, 3))));
    optim_step(optimizer);
    expect_report(0, NULL);
}
END_TEST

/* Only the second line: the first is PyTorch's warning about .grad of a non-leaf. */
static void expect_second_report(const char *words) {
    char *text = caught_output(), *second = strchr(text, '\n') + 1;
    ck_assert_ptr_nonnull(strstr(text, ".grad attribute of a Tensor that is not a leaf"));
    if (words) ck_assert_msg(strstr(second, words) != NULL, "not %s in %s", words, text);
    else ck_assert_str_eq(second, "");
    free(text);
}

START_TEST(a_leaf_replaced_by_its_update_is_reported) {
    Tensor *w = t_ones(3, .requires_grad = true);
    t_backward(t_sum(t_mul(w, w)));
    w = t_sub(w, t_mul(0.1, t_grad(w)));
    t_backward(t_sum(t_mul(w, w)));
    t_grad(w);
    expect_second_report("update of a leaf, t_sub(w, t_mul(0.1, t_grad(w)))");
}
END_TEST

/* With weight decay, which shrinks w first. */
START_TEST(a_leaf_replaced_by_its_decayed_update_is_reported) {
    Tensor *w = t_ones(3, .requires_grad = true);
    t_backward(t_sum(t_mul(w, w)));
    w = t_sub(t_mul(0.9, w), t_mul(0.1, t_grad(w)));
    t_backward(t_sum(t_mul(w, w)));
    t_grad(w);
    expect_second_report("update of a leaf, t_sub(t_mul(0.9, w), t_mul(0.1, t_grad(w)))");
}
END_TEST

START_TEST(a_difference_of_a_function_is_no_update) {
    Tensor *w = t_ones(3, .requires_grad = true);
    t_backward(t_sum(t_mul(w, w)));
    Tensor *h = t_sub(t_exp(w), t_mul(0.1, t_grad(w)));
    t_backward(t_sum(h));
    t_grad(h);
    expect_second_report(NULL);
}
END_TEST

START_TEST(an_intermediate_is_no_update) {
    Tensor *w = t_ones(3, .requires_grad = true), *h = t_mul(w, w);
    t_backward(t_sum(h));
    t_grad(h);
    expect_second_report(NULL);
}
END_TEST

/* ---- ReLUs and softmax ---- */

/* The mean of y2 = relu(w x + bias), for a number of batches of 16 samples; the line of the relu. */
static int run_relu(Tensor *w, double bias, int batches, bool in_module) {
    nn_Sequential *model = nn_Sequential(nn_ReLU());
    for_range (i, batches) {
        Tensor *z = t_add(t_mul(w, t_rand(16, 8)), bias), *y = in_module ? nn_call(model, z) : t_relu(z);
        t_backward(t_mean(y));
    }
    return __LINE__ - 3;
}

START_TEST(dead_relus_are_reported) {
    Tensor *w = t_ones(8, .requires_grad = true);
    const char *report = "8 of the 8 units of this ReLU are 0 for each of the last 320 samples (20 batches)";
    expect_report(run_relu(w, -5, 25, false), report);
}
END_TEST

START_TEST(half_of_a_module_is_dead) {
    Tensor *w = t_tensor("[-1., -1., -1., -1., 1., 1., 1., 1.]", .requires_grad = true);
    expect_report(run_relu(w, 0, 20, true), "4 of the 8 units of this ReLU");
}
END_TEST

START_TEST(a_feed_forward_is_a_relu_too) {
    nn_FeedForward *ffn = nn_FeedForward(4, 8);
    with_no_grad() t_fill_(ffn->fc1->bias, -100);
    int line = 0;
    for_range (i, 20) t_backward(t_sum(nn_call(ffn, t_rand(16, 4)))), line = __LINE__;
    expect_report(line, "8 of the 8 units of this ReLU");
}
END_TEST

START_TEST(other_relus_are_silent) {
    Tensor *w = t_tensor("[-1., -1., -1., 1., 1., 1., 1., 1.]", .requires_grad = true);
    run_relu(w, 0, 60, false);
    run_relu(t_ones(8, .requires_grad = true), -5, 19, false);
    for_range (i, 60) t_relu(t_mul(w, i == 15 || i == 35 || i == 55 ? -1 : 1)); /* too few samples */
    with_no_grad() run_relu(t_ones(8), -5, 0, false);
    expect_report(0, NULL);
}
END_TEST

static int attend(double scale, int64_t d) {
    Tensor *q = t_randn(2, 8, d, .requires_grad = true), *k = t_randn(2, 8, d);
    t_softmax(t_mul(t_matmul(q, t_transpose(k, -2, -1)), scale), -1);
    return __LINE__ - 1;
}

START_TEST(a_saturated_softmax_is_reported) {
    expect_report(attend(1, 4096), "rows of this softmax have a value above 0.999");
}
END_TEST

START_TEST(a_saturated_softmax_over_another_dim_is_reported) {
    Tensor *x = t_mul(t_randn(2, 8, 16, .requires_grad = true), 100);
    t_softmax(x, 1);
    expect_report(__LINE__ - 1, "of the 32 rows of this softmax");
}
END_TEST

/* Scaled scores; rows with one visible key; without gradients; after some steps of training. */
START_TEST(other_softmaxes_are_silent) {
    attend(1 / 64., 4096);
    Tensor *scores = t_randn(2, 8, 8, .requires_grad = true);
    t_softmax(t_masked_fill(scores, t_eq(t_eye(8), 0), -1e9), -1);
    t_softmax(t_masked_fill(scores, t_eq(t_eye(8), 0), -INFINITY), -1);
    with_no_grad() t_softmax(t_mul(scores, 1000), -1);
    optim_Optimizer *optimizer = optim_SGD(t_list(scores), .lr = 0.1);
    for_range (i, 100) {
        optim_zero_grad(optimizer);
        t_backward(t_sum(scores));
        optim_step(optimizer);
    }
    attend(1, 4096);
    expect_report(0, NULL);
}
END_TEST

/* ---- shapes, dropout, modules ---- */

START_TEST(a_column_with_a_row_is_reported) {
    Tensor *prediction = t_ones(4, 1), *y = t_zeros(4);
    t_sub(prediction, y);
    expect_report(__LINE__ - 1, "sub of shapes (4, 1) and (4) is broadcast to (4, 4)");
}
END_TEST

START_TEST(broadcasting_on_purpose_is_silent) {
    Tensor *column = t_ones(4, 1), *x = t_zeros(4);
    t_sub(t_unsqueeze(x, 1), x);
    t_mul(column, t_zeros(4, 4));
    t_sub(column, t_zeros(3));
    t_sub(t_ones(1, 1), t_zeros(1));
    t_sub(x, 1);
    expect_report(0, NULL);
}
END_TEST

START_TEST(dropout_in_an_evaluation_is_reported) {
    nn_Dropout *dropout = nn_Dropout(0.5);
    int line = 0;
    with_no_grad()
        for (int i = 0; i < 2; i++) nn_call(dropout, t_ones(3)), line = __LINE__;
    expect_report(line, "a dropout in training mode runs while grad mode is off");
}
END_TEST

#define DROPOUT_OF(layer, name)                                                     \
    START_TEST(name##_is_reported) {                                                \
        void *m = layer;                                                            \
        with_no_grad() nn_call(m, t_rand(2, 3, 4));                                 \
        expect_report(__LINE__, "a dropout in training mode runs while grad mode"); \
    }                                                                               \
    END_TEST
DROPOUT_OF(nn_FeedForward(4, 8), dropout_of_a_feed_forward)
DROPOUT_OF(nn_EncoderLayer(4, 2, 8, .dropout = 0.5), dropout_of_an_encoder_layer)
DROPOUT_OF(nn_Dropout2d(0.5), dropout_of_channels)
DROPOUT_OF(nn_AlphaDropout(0.5), alpha_dropout)

START_TEST(dropout_of_attention_weights_is_reported) {
    Tensor *q = t_rand(1, 2, 3, 4);
    with_no_grad() F_scaled_dot_product_attention(q, q, q, .dropout_p = 0.5);
    expect_report(__LINE__ - 1, "a dropout in training mode runs while grad mode is off");
}
END_TEST

START_TEST(dropout_in_eval_mode_is_silent) {
    nn_Dropout *dropout = nn_Dropout(0.5);
    nn_call(dropout, t_ones(3)); /* training */
    nn_eval(dropout);
    with_no_grad() nn_call(dropout, t_ones(3));
    expect_report(0, NULL);
}
END_TEST

typedef struct Net {
    nn_Module base;
    nn_Linear *fc;
    bool makes_its_activation;
} Net;

static int line_of_call;

static Tensor *net_call(Net *self, Tensor *x) {
    if (self->makes_its_activation) x = nn_call(nn_ReLU(), x);
    return line_of_call = __LINE__, nn_call(self->fc, x);
}

START_TEST(a_layer_without_nn_set_is_reported) {
    Net *net = nn_module(Net, net_call);
    net->fc = nn_Linear(3, 2);
    for (int i = 0; i < 2; i++) nn_call(net, t_ones(2, 3));
    expect_report(line_of_call, "the forward of Net calls a Linear that is none of its modules");
}
END_TEST

START_TEST(layers_of_the_model_and_activations_are_silent) {
    Net *net = nn_module(Net, net_call);
    net->makes_its_activation = true;
    nn_set(net, fc, nn_Linear(3, 2));
    nn_call(nn_Sequential(nn_Linear(3, 3), nn_Sequential(net)), t_ones(2, 3));
    nn_call(nn_Linear(3, 2), t_ones(2, 3)); /* outside of a forward */
    expect_report(0, NULL);
}
END_TEST

/* ---- scopes ---- */

/* In a thread of its own, whose root scope is new. */
static void *fill_root_scope(void *line) {
    t_set_teach(true);
    for (int i = 0; i < 10002; i++) t_zeros(1), *(int *)line = __LINE__;
    return NULL;
}

START_TEST(a_full_root_scope_is_reported) {
    pthread_t thread;
    char expected[200];
    int line = 0;
    ck_assert_int_eq(pthread_create(&thread, NULL, fill_root_scope, &line), 0);
    pthread_join(thread, NULL);
    snprintf(expected, sizeof expected, "%s:%d: UserWarning: 10000 objects live in the root scope.", __FILE__, line);
    char *text = caught_output();
    ck_assert_msg(strncmp(text, expected, strlen(expected)) == 0, "%s is not %s", text, expected);
    free(text);
}
END_TEST

Suite *teach_suite(void);
Suite *teach_suite(void) {
    Suite *suite = suite_create("teach");
    TCase *cases = tcase_create("teaching mode");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, the_setting_is_returned);
    tcase_add_test(cases, an_old_gradient_is_reported);
    tcase_add_test(cases, a_closure_that_clears_is_silent);
    tcase_add_test(cases, a_closure_that_does_not_clear_is_reported);
    tcase_add_test(cases, accumulation_on_purpose_is_silent);
    tcase_add_test(cases, a_parameter_without_optimizer_is_reported);
    tcase_add_test(cases, a_frozen_parameter_is_silent);
    tcase_add_test(cases, a_parameter_without_gradient_is_reported);
    tcase_add_test(cases, a_parameter_left_out_later_is_silent);
    tcase_add_test(cases, a_leaf_replaced_by_its_update_is_reported);
    tcase_add_test(cases, a_leaf_replaced_by_its_decayed_update_is_reported);
    tcase_add_test(cases, a_difference_of_a_function_is_no_update);
    tcase_add_test(cases, an_intermediate_is_no_update);
    tcase_add_test(cases, dead_relus_are_reported);
    tcase_add_test(cases, half_of_a_module_is_dead);
    tcase_add_test(cases, a_feed_forward_is_a_relu_too);
    tcase_add_test(cases, other_relus_are_silent);
    tcase_add_test(cases, a_saturated_softmax_is_reported);
    tcase_add_test(cases, a_saturated_softmax_over_another_dim_is_reported);
    tcase_add_test(cases, other_softmaxes_are_silent);
    tcase_add_test(cases, a_column_with_a_row_is_reported);
    tcase_add_test(cases, broadcasting_on_purpose_is_silent);
    tcase_add_test(cases, dropout_in_an_evaluation_is_reported);
    tcase_add_test(cases, dropout_of_a_feed_forward_is_reported);
    tcase_add_test(cases, dropout_of_an_encoder_layer_is_reported);
    tcase_add_test(cases, dropout_of_channels_is_reported);
    tcase_add_test(cases, alpha_dropout_is_reported);
    tcase_add_test(cases, dropout_of_attention_weights_is_reported);
    tcase_add_test(cases, dropout_in_eval_mode_is_silent);
    tcase_add_test(cases, a_full_root_scope_is_reported);
    tcase_add_test(cases, a_layer_without_nn_set_is_reported);
    tcase_add_test(cases, layers_of_the_model_and_activations_are_silent);
    suite_add_tcase(suite, cases);
    return suite;
}
