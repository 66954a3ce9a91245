/* examples/pytorch/autograd/visualizing_gradients.c: "Understanding requires_grad, retain_grad, leaf and non-leaf
 * tensors" and "Visualizing gradients": which tensors have a gradient, and how it vanishes on its way through layers.
 *
 * Difficulty: *     Read first: basics/autograd     Read next: saved_tensors_hooks */
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"

enum { LAYERS = 10, MOST = 64 };

/* ---- Leaves ---- */

static void leaves(void) {
    Tensor *x = t_ones(1, 3);
    Tensor *W = t_ones(3, 2, .requires_grad = true);
    Tensor *b = t_ones(1, 2, .requires_grad = true);
    Tensor *y = t_ones(1, 2);
    Tensor *z = t_add(t_matmul(x, W), b);
    Tensor *y_pred = F_relu(z);
    Tensor *loss = F_mse_loss(y_pred, y);
    t_print(t_is_leaf(x), t_is_leaf(W), t_is_leaf(b), t_is_leaf(z), t_is_leaf(y_pred), t_is_leaf(loss));
    t_print(t_requires_grad(x), t_requires_grad(W), t_requires_grad(z), t_requires_grad(loss));

    t_retain_grad(z);
    t_retain_grad(y_pred);
    t_retain_grad(loss);
    t_print(t_retains_grad(W), t_retains_grad(z));
    t_backward(loss);
    t_print(t_grad(W));
    t_print(t_grad(b));
    t_print(t_grad(z));
    t_print(t_grad(y_pred));
    t_print(t_grad(loss));
}

static void frozen_leaf(void) {
    Tensor *x = t_ones(1, 3);
    Tensor *W = t_ones(3, 2, .requires_grad = true);
    Tensor *b = t_ones(1, 2, .requires_grad = true);
    t_requires_grad_(W, false);
    Tensor *z = t_add(t_matmul(x, W), b);
    t_print(t_is_leaf(W), t_requires_grad(W), t_requires_grad(z));
    t_backward(t_sum(z));
    t_print((bool)(t_grad(W) == NULL));
    t_print(t_grad(b));
}

/* ---- The gradients of all layers' outputs ---- */

static void *fc_layer(int64_t in_size, int64_t out_size, bool norm) {
    if (norm) return nn_Sequential(nn_Linear(in_size, out_size), nn_BatchNorm1d(out_size), nn_Sigmoid());
    return nn_Sequential(nn_Linear(in_size, out_size), nn_Sigmoid());
}

typedef struct Net {
    nn_Module base;
    nn_ModuleList *layers;
    nn_Linear *fc_out;
} Net;

static Tensor *net_call(Net *self, Tensor *x) {
    for_module (layer, self->layers) x = nn_call(layer, x);
    return nn_call(self->fc_out, x);
}

static Net *net(bool norm) {
    Net *self = nn_module(Net, net_call);
    nn_set(self, layers, nn_ModuleList());
    for_range (i, LAYERS) nn_append(self->layers, fc_layer(10, 10, norm));
    nn_set(self, fc_out, nn_Linear(10, 1));
    return self;
}

typedef struct Grads {
    int len;
    const char *names[MOST];
    double means[MOST];
} Grads;

/* A layer, as the hooks' context. */
typedef struct Named {
    const char *name;
    Grads *grads;
} Named;

static Tensor *hook_backward(Tensor *grad, void *context) {
    const Named *layer = context;
    layer->grads->names[layer->grads->len] = layer->name;
    layer->grads->means[layer->grads->len++] = t_item(t_mean(t_abs(grad)));
    return NULL;
}

static Tensor *hook_forward(nn_Module *module, t_TensorList *args, Tensor *output, void *layer) {
    (void)module, (void)args;
    t_register_hook(output, hook_backward, layer);
    return NULL;
}

static void get_all_layers(Net *model, Grads *grads, Named *layers) {
    for_named (layer, nn_named_modules(model))
        if (nn_named_children(layer->module)->len == 0) {
            *layers = (Named){t_format("%s", layer->name), grads};
            nn_register_forward_hook(layer->module, hook_forward, layers++);
        }
}

static void show(const char *title, const Grads *grads) {
    t_print(title);
    for (int i = 0; i < grads->len; i++) printf("  %-12s %.3e\n", grads->names[i], grads->means[i]);
}

static void with_hooks(void) {
    Tensor *x = t_randn(10, 10);
    Tensor *y = t_randn(10, 1);
    Net *model_bn = net(true);
    Net *model_nobn = net(false);
    Grads grads_bn = {.len = 0};
    Grads grads_nobn = {.len = 0};
    Named layers_bn[MOST], layers_nobn[MOST];
    get_all_layers(model_bn, &grads_bn, layers_bn);
    get_all_layers(model_nobn, &grads_nobn, layers_nobn);

    Tensor *y_pred_bn = nn_call(model_bn, x);
    Tensor *loss_bn = F_mse_loss(y_pred_bn, y);
    t_backward(loss_bn);
    Tensor *y_pred_nobn = nn_call(model_nobn, x);
    Tensor *loss_nobn = F_mse_loss(y_pred_nobn, y);
    t_backward(loss_nobn);
    show("With batch norm:", &grads_bn);
    show("Without:", &grads_nobn);
}

int main(void) {
    t_manual_seed(0);
    leaves();
    frozen_leaf();
    with_hooks();
    return 0;
}
