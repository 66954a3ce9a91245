/* examples/lessons/07_bug_hunt/solution.c: lesson 07: eight mistakes that no compiler and no shape reports.
 *
 * Each function compiles, runs and is wrong in one place. Find the place and mend it: one or two lines each. What the
 * function should do is in its comment. lesson.md has a way to find each. */
#include <math.h>
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* 1. One step of training: the parameters move against the gradient of this batch's loss. Returns the loss. */
double train_step(nn_Sequential *model, optim_Optimizer *optimizer, Tensor *x, Tensor *y) {
    Tensor *loss = F_mse_loss(nn_call(model, x), y);
    // HOLE
    optim_zero_grad(optimizer);
    // WRONG after_backward 15: t_backward(loss);
    // WRONG after_backward: optim_zero_grad(optimizer);
    // WRONG after_backward: optim_step(optimizer);
    // WRONG after_backward: if (loss) return t_item(loss);
    // END
    t_backward(loss);
    optim_step(optimizer);
    return t_item(loss);
}

/* 2. Gradient descent by hand: the w that makes mean((x w - y)^2) small, after `steps` steps from 0. The result is a
 * leaf. */
Tensor *fit_slope(Tensor *x, Tensor *y, double learning_rate, int steps) {
    Tensor *w = t_requires_grad_(t_zeros(1), true);
    for (int step = 0; step < steps; step++) {
        Tensor *loss = t_mean(t_square(t_sub(t_mul(x, w), y)));
        t_backward(loss);
        // HOLE
        //| w = t_sub(w, t_mul(learning_rate, t_grad(w)));
        with_no_grad() {
            t_sub_(w, t_mul(learning_rate, t_grad(w)));
        }
        t_set_grad(w, NULL);
        // WRONG grad_stays 15:
        // END
    }
    return w;
}

/* 3. A network of two layers. Both are trained: nn_parameters finds four tensors. */
typedef struct Net {
    nn_Module base;
    nn_Linear *hidden, *output;
} Net;

Tensor *net_call(Net *self, Tensor *x) { return nn_call(self->output, t_tanh(nn_call(self->hidden, x))); }

Net *net(int in, int hidden, int out) {
    Net *self = nn_module(Net, net_call);
    nn_set(self, hidden, nn_Linear(in, hidden));
    // HOLE
    //| self->output = nn_Linear(hidden, out);
    nn_set(self, output, nn_Linear(hidden, out));
    // WRONG same_field 15: nn_set(self, hidden, nn_Linear(hidden, out));
    // WRONG same_field: self->output = self->hidden;
    // END
    return self;
}

/* 4. The share of rows whose largest logit is at their label: between 0 and 1. */
double accuracy(Tensor *logits, Tensor *labels) {
    int correct = 0, count = (int)t_size(labels, 0);
    Tensor *predicted = t_argmax(logits, 1);
    for (int i = 0; i < count; i++) correct += t_item(t_at(predicted, "{}", i)) == t_item(t_at(labels, "{}", i));
    // HOLE
    //| return correct / count;
    return (double)correct / count;
    // WRONG converted_late 15: return (double)(correct / count);
    // WRONG percent 15: return 100.0 * correct / count;
    // END
}

/* 5. Attention weights of queries (T, d) on keys (S, d). visible (T, S), of bool, is true where a query may look; the
 * others get weight 0. */
Tensor *attention_weights(Tensor *q, Tensor *k, Tensor *visible) {
    Tensor *scores = t_div(t_matmul(q, t_transpose(k, 0, 1)), sqrt((double)t_size(q, 1)));
    // HOLE
    //| scores = t_masked_fill(scores, visible, -INFINITY);
    scores = t_masked_fill(scores, t_logical_not(visible), -INFINITY);
    // WRONG zero_score 15: scores = t_masked_fill(scores, t_logical_not(visible), 0);
    // WRONG product 15: scores = t_mul(scores, t_float(visible));
    // END
    return t_softmax(scores, -1);
}

/* 6. Logits (B, T, V) to the probabilities of the V tokens at each of the B * T positions. */
Tensor *token_probabilities(Tensor *logits) {
    // HOLE
    //| return t_softmax(logits, 1);
    return t_softmax(logits, 2);
    // WRONG first_dim 15: return t_softmax(logits, 0);
    // WRONG all_dims 15: return t_div(t_exp(logits), t_sum(t_exp(logits)));
    // END
}

/* 7. The loss on data that is not trained on: all units take part, nothing is recorded, and the model is in training
 * mode again afterwards, since training goes on. */
double evaluate(nn_Sequential *model, Tensor *x, Tensor *y) {
    double loss = 0;
    // HOLE
    nn_eval(model);
    // WRONG no_train 16: nn_eval(model);
    // END
    with_no_grad() {
        loss = t_item(F_mse_loss(nn_call(model, x), y));
    }
    // HOLE
    nn_train(model, true);
    // WRONG no_train:
    // END
    return loss;
}

/* 8. The gradient of sum(tanh(x @ w)^2) with respect to the hidden values h = tanh(x @ w). */
Tensor *hidden_gradient(Tensor *x, Tensor *w) {
    Tensor *h = t_tanh(t_matmul(x, w));
    Tensor *loss = t_sum(t_square(h));
    // HOLE
    t_retain_grad(h);
    // WRONG of_w 15: h = w;
    // END
    t_backward(loss);
    return t_grad(h);
}

int main(void) {
    t_manual_seed(0);
    Tensor *x = t_randn(64, 1), *y = t_mul(x, 3);
    nn_Sequential *model = nn_Sequential(nn_Linear(1, 1));
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 0.3);
    printf("1. losses ");
    for_range (step, 0, 6) printf(" %.4f", train_step(model, optimizer, x, y));
    printf("\n2. slope of y = 3 x: %.4f\n", t_item(fit_slope(t_flatten(x), t_flatten(y), 0.1, 50)));
    printf("3. parameters of a 2-8-1 network: %d\n", (int)nn_count_parameters(net(2, 8, 1), true));
    Tensor *logits = t_tensor("[[2., 1.], [0., 3.], [1., 0.]]");
    printf("4. accuracy, two of three rows right: %.4f\n", accuracy(logits, t_tensor("[0, 1, 1]")));
    printf("5. weights under a causal mask:\n");
    Tensor *q = t_randn(3, 4), *k = t_randn(3, 4); /* in a call, C would draw them in any order */
    t_print(attention_weights(q, k, t_bool(t_tril(t_ones(3, 3)))));
    Tensor *p = token_probabilities(t_randn(2, 3, 5));
    printf("6. sums over the tokens of each position:\n");
    t_print(t_sum(p, 2));
    nn_Sequential *dropout = nn_Sequential(nn_Linear(1, 50), nn_Dropout(0.5), nn_Linear(50, 1));
    double first = evaluate(dropout, x, y), second = evaluate(dropout, x, y);
    printf("7. evaluated twice: %s\n", first == second ? "the same loss" : "two losses");
    Tensor *gradient = hidden_gradient(t_ones(1, 2), t_requires_grad_(t_ones(2, 2), true));
    printf("8. gradient of the hidden values: ");
    if (gradient) t_print(gradient);
    else printf("none\n");
    return 0;
}
