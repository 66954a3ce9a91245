/* examples/pytorch/learning/blitz_neural_networks.c: "A 60-minute blitz: neural networks".
 *
 * Difficulty: *     Read first: blitz_autograd     Read next: blitz_cifar10 */
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"
#include "optim/optim.h"

typedef struct Net {
    nn_Module base;
    nn_Conv2d *conv1, *conv2;
    nn_Linear *fc1, *fc2, *fc3;
} Net;

static Tensor *net_call(Net *self, Tensor *x) {
    x = F_max_pool2d(F_relu(nn_call(self->conv1, x)), (2, 2));
    x = F_max_pool2d(F_relu(nn_call(self->conv2, x)), 2);
    x = t_flatten(x, 1);
    x = F_relu(nn_call(self->fc1, x));
    x = F_relu(nn_call(self->fc2, x));
    x = nn_call(self->fc3, x);
    return x;
}

static Net *net_new(void) {
    Net *self = nn_module(Net, net_call);
    nn_set(self, conv1, nn_Conv2d(1, 6, 5));
    nn_set(self, conv2, nn_Conv2d(6, 16, 5));
    nn_set(self, fc1, nn_Linear(16 * 5 * 5, 120));
    nn_set(self, fc2, nn_Linear(120, 84));
    nn_set(self, fc3, nn_Linear(84, 10));
    return self;
}

static void run(void) {
    Net *net = net_new();
    nn_print(net);

    t_TensorList *params = nn_parameters(net);
    t_print(params->len);
    t_print(t_size_repr(t_list_get(params, 0)));

    Tensor *input = t_randn(1, 1, 32, 32);
    Tensor *out = nn_call(net, input);
    t_print(out);

    nn_zero_grad(net);
    t_backward(out, t_randn(1, 10));

    Tensor *output = nn_call(net, input);
    Tensor *target = t_randn(10);
    target = t_view(target, 1, -1);
    nn_MSELoss *criterion = nn_MSELoss();

    Tensor *loss = nn_call(criterion, output, target);
    t_print(loss);
    t_print(t_grad_fn(loss));

    nn_zero_grad(net);

    printf("conv1.bias.grad before backward\n");
    t_print(t_grad(net->conv1->bias));

    t_backward(loss);

    printf("conv1.bias.grad after backward\n");
    t_print(t_grad(net->conv1->bias));

    double learning_rate = 0.01;
    for_parameters (f, net) t_sub_(t_data(f), t_mul(t_grad(f), learning_rate));

    optim_Optimizer *optimizer = optim_SGD(nn_parameters(net), .lr = 0.01);

    for_range (_, 5) {
        optim_zero_grad(optimizer);
        output = nn_call(net, input);
        loss = nn_call(criterion, output, target);
        t_backward(loss);
        optim_step(optimizer);
        t_print(loss);
    }
}

int main(void) {
    t_manual_seed(0);
    run();
    return 0;
}
