/* examples/lessons/07_bug_hunt/grade.c: what each function must do, on fresh data. */
#include "grader.h"
#include SUBMISSION

static nn_Sequential *perceptron(int in, int hidden) {
    return nn_Sequential(nn_Linear(in, hidden), nn_Tanh(), nn_Linear(hidden, 1));
}

static void check_train_step(void) {
    int in = draw_integer(2, 4);
    nn_Sequential *model = perceptron(in, 5), *reference = nn_deepcopy(model);
    optim_Optimizer *mine = optim_SGD(nn_parameters(model), .lr = 0.1);
    optim_Optimizer *other = optim_SGD(nn_parameters(reference), .lr = 0.1);
    for (int step = 1; step <= 4; step++) {
        Tensor *x = draw_normal(8, in), *y = draw_normal(8, 1), *loss = F_mse_loss(nn_call(reference, x), y);
        optim_zero_grad(other);
        t_backward(loss);
        optim_step(other);
        in_case("step %d", step);
        expect_close("the loss", t_tensor(train_step(model, mine, x, y)), t_double(loss));
        expect_close("the first layer's weight", t_list_get(nn_parameters(model), 0),
                     t_list_get(nn_parameters(reference), 0));
    }
}

static void check_fit_slope(void) {
    double slope = draw_uniform(1, 3), w = 0;
    int steps = draw_integer(3, 9);
    Tensor *x = draw_normal(20), *y = t_mul(x, slope);
    double mean_square = t_item(t_mean(t_square(x)));
    for (int i = 0; i < steps; i++) w -= 0.1 * 2 * mean_square * (w - slope); /* d/dw mean((x w - x slope)^2) */
    in_case("y = %.3f x, %d steps", slope, steps);
    Tensor *got = fit_slope(x, y, 0.1, steps);
    expect_true(got && t_is_leaf(got), "w is no leaf any more: each update made a new tensor");
    expect_close("w", got, t_tensor(((double[]){w}), 1));
}

static void check_net(void) {
    int in = draw_integer(2, 4), hidden = draw_integer(5, 7);
    Net *model = net(in, hidden, 3);
    expect_integer("the number of parameters", nn_count_parameters(model, true), in * hidden + hidden + hidden * 3 + 3);
    Tensor *weight = t_clone(model->output->weight), *loss = t_sum(t_square(nn_call(model, draw_normal(4, in))));
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 0.1);
    t_backward(loss);
    optim_step(optimizer);
    expect_true(!t_equal(weight, model->output->weight), "a step of training leaves output's weight as it was");
}

static void check_accuracy(void) {
    int n = draw_integer(8, 20), right = draw_integer(2, 6);
    Tensor *logits = draw_normal(n, 4), *labels = t_clone(t_argmax(logits, 1));
    for (int i = right; i < n; i++) t_set(labels, "{}", i, t_remainder(t_add(t_at(labels, "{}", i), 1), 4));
    in_case("%d of %d rows are right", right, n);
    expect_number("the accuracy", accuracy(logits, labels), (double)right / n);
}

static void check_attention(void) {
    int n = draw_integer(3, 5), m = draw_integer(6, 8);
    Tensor *q = draw_normal(n, 4), *k = draw_normal(m, 4), *visible = t_gt(draw_normal(n, m), 0);
    t_set(visible, ":, 0", t_ones(n, .dtype = t_bool)); /* each query sees something, */
    t_set(visible, ":, 1", t_zeros(n, .dtype = t_bool)); /* and none sees all */
    Tensor *weights = attention_weights(q, k, visible);
    Tensor *expected = F_scaled_dot_product_attention(q, k, t_eye(m), .attn_mask = visible);
    in_case("%d queries, %d keys", n, m);
    expect_close("the weights", weights, expected);
}

static void check_probabilities(void) {
    Tensor *logits = draw_normal(draw_integer(2, 3), draw_integer(4, 5), draw_integer(6, 7));
    expect_close("the probabilities", token_probabilities(logits), t_softmax(logits, -1));
}

static void check_evaluate(void) {
    nn_Sequential *model = nn_Sequential(nn_Linear(3, 40), nn_Dropout(0.5), nn_Linear(40, 1));
    Tensor *x = draw_normal(16, 3), *y = draw_normal(16, 1);
    nn_eval(model);
    double expected = t_item(F_mse_loss(nn_call(model, x), y));
    nn_train(model, true);
    expect_number("the loss", evaluate(model, x, y), expected);
}

static void check_training_again(void) {
    nn_Sequential *model = nn_Sequential(nn_Linear(3, 40), nn_Dropout(0.5), nn_Linear(40, 1));
    Tensor *x = draw_normal(16, 3), *y = draw_normal(16, 1);
    nn_eval(model);
    double expected = t_item(F_mse_loss(nn_call(model, x), y));
    nn_train(model, true);
    expect_number("the loss", evaluate(model, x, y), expected);
    expect_true(!t_equal(nn_call(model, x), nn_call(model, x)),
                "dropout is off after evaluate, although training goes on");
}

static void check_hidden_gradient(void) {
    int n = draw_integer(4, 6);
    Tensor *x = draw_normal(n, 3), *w = t_requires_grad_(draw_normal(3, 5), true);
    Tensor *expected = t_mul(2, t_tanh(t_matmul(x, t_detach(w))));
    in_case("x of shape (%d, 3), w of shape (3, 5)", n);
    expect_close("the gradient of h", hidden_gradient(x, w), expected);
}

static const Check checks[] = {
    {"train_step", 2, check_train_step},
    {"fit_slope", 2, check_fit_slope, .forbidden = "optim_SGD* optim_Adam* t_linalg*"},
    {"net", 2, check_net},
    {"accuracy", 2, check_accuracy},
    {"attention_weights", 2, check_attention, .forbidden = "F_scaled* nn_Mult*"},
    {"token_probabilities", 2, check_probabilities},
    {"evaluate", 2, check_evaluate},
    {"evaluate_then_train", 1, check_training_again, .function = "evaluate"},
    {"hidden_gradient", 2, check_hidden_gradient},
};
GRADE("07 bug hunt", checks)
