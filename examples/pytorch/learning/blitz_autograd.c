/* examples/pytorch/learning/blitz_autograd.c: "A 60-minute blitz: autograd", with a small network of its own in place
 * of torchvision's ResNet-18.
 *
 * Difficulty: *     Read first: blitz_tensors     Read next: blitz_neural_networks */
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"
#include "optim/optim.h"

static void history(void) {
    Tensor *x = t_ones(2, 2, .requires_grad = true);
    t_print(x);
    Tensor *y = t_add(x, 2);
    t_print(y);
    t_print(t_grad_fn(y));

    Tensor *z = t_mul(t_mul(y, y), 3);
    Tensor *out = t_mean(z);
    t_print(z, out);

    Tensor *a = t_randn(2, 2);
    a = t_div(t_mul(a, 3), t_sub(a, 1));
    t_print(t_requires_grad(a));
    t_requires_grad_(a, true);
    t_print(t_requires_grad(a));
    Tensor *b = t_sum(t_mul(a, a));
    t_print(t_grad_fn(b));

    t_backward(out);
    t_print(t_grad(x));
}

static void vector_products(void) {
    Tensor *x = t_randn(3, .requires_grad = true);
    Tensor *y = t_mul(x, 2);
    while (t_item(t_norm(t_detach(y))) < 1000) y = t_mul(y, 2);
    t_print(y);

    Tensor *gradients = t_tensor("[0.1, 1.0, 0.0001]");
    t_backward(y, gradients);
    t_print(t_grad(x));

    t_print(t_requires_grad(x));
    t_print(t_requires_grad(t_pow(x, 2)));
    with_no_grad() {
        t_print(t_requires_grad(t_pow(x, 2)));
    }

    y = t_detach(x);
    t_print(t_requires_grad(y));
    t_print(t_all(t_eq(x, y)));
}

static void two_leaves(void) {
    Tensor *a = t_tensor("[2.0, 3.0]", .requires_grad = true);
    Tensor *b = t_tensor("[6.0, 4.0]", .requires_grad = true);
    Tensor *Q = t_sub(t_mul(3, t_pow(a, 3)), t_pow(b, 2));
    Tensor *external_grad = t_tensor("[1.0, 1.0]");
    t_backward(Q, .gradient = external_grad);
    t_print(t_eq(t_mul(9, t_pow(a, 2)), t_grad(a)));
    t_print(t_eq(t_mul(-2, b), t_grad(b)));
}

static void frozen_parameters(void) {
    Tensor *x = t_rand(5, 5);
    Tensor *y = t_rand(5, 5);
    Tensor *z = t_rand(5, 5, .requires_grad = true);
    Tensor *a = t_add(x, y);
    t_print("does `a` require gradients?", t_requires_grad(a));
    Tensor *b = t_add(x, z);
    t_print("does `b` require gradients?", t_requires_grad(b));

    nn_Sequential *model = nn_Sequential(nn_Linear(8, 16), nn_ReLU(), nn_Linear(16, 4));
    for_parameters (param, model) t_requires_grad_(param, false);
    nn_set_item(model, 2, nn_Linear(16, 10));
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 1e-2, .momentum = 0.9);

    Tensor *data = t_rand(1, 8);
    Tensor *labels = t_rand(1, 10);
    Tensor *prediction = nn_call(model, data);
    Tensor *loss = t_sum(t_sub(prediction, labels));
    t_backward(loss);
    optim_step(optimizer);
    for_named (p, nn_named_parameters(model))
        t_print(p->name, t_requires_grad(p->tensor), t_format("%.4f", t_item(t_sum(p->tensor))));
}

int main(void) {
    t_manual_seed(1);
    history();
    vector_products();
    two_leaves();
    frozen_parameters();
    return 0;
}
