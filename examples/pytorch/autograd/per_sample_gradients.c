/* examples/pytorch/autograd/per_sample_gradients.c: "Per-sample gradients".
 *
 * Difficulty: **     Read first: jacobians_hessians     Read next: neural_tangent_kernels */
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"

enum { batch_size = 16, n_parameters = 8 };

typedef struct SimpleCNN {
    nn_Module base;
    nn_Conv2d *conv1, *conv2;
    nn_Linear *fc1, *fc2;
} SimpleCNN;

static Tensor *simple_cnn_call(SimpleCNN *self, Tensor *x) {
    x = nn_call(self->conv1, x);
    x = F_relu(x);
    x = F_max_pool2d(x, 2);
    x = nn_call(self->conv2, x);
    x = F_relu(x);
    x = F_max_pool2d(x, 2);
    x = t_flatten(x, 1);
    x = nn_call(self->fc1, x);
    x = F_relu(x);
    x = nn_call(self->fc2, x);
    Tensor *output = F_log_softmax(x, 1);
    return output;
}

static SimpleCNN *simple_cnn(void) {
    SimpleCNN *self = nn_module(SimpleCNN, simple_cnn_call);
    nn_set(self, conv1, nn_Conv2d(1, 32, 3, 1));
    nn_set(self, conv2, nn_Conv2d(32, 64, 3, 1));
    nn_set(self, fc1, nn_Linear(1600, 128));
    nn_set(self, fc2, nn_Linear(128, 10));
    return self;
}

static Tensor *loss_fn(Tensor *predictions, Tensor *targets) {
    return F_nll_loss(predictions, targets);
}

/* ---- One sample after another ---- */

static t_TensorList *compute_grad(SimpleCNN *model, Tensor *sample, Tensor *target) {
    sample = t_unsqueeze(sample, 0);
    target = t_unsqueeze(target, 0);
    Tensor *prediction = nn_call(model, sample);
    Tensor *loss = loss_fn(prediction, target);
    return t_grad(loss, nn_parameters(model));
}

static t_TensorList *compute_sample_grads(SimpleCNN *model, Tensor *data, Tensor *targets) {
    t_TensorList *sample_grads[batch_size];
    for (int i = 0; i < batch_size; i++)
        sample_grads[i] = compute_grad(model, t_at(data, "{}", i), t_at(targets, "{}", i));
    t_TensorList *shards = t_list();
    for (int k = 0; k < n_parameters; k++) {
        t_TensorList *shard = t_list();
        for (int i = 0; i < batch_size; i++) t_list_append(shard, t_list_get(sample_grads[i], k));
        t_list_append(shards, t_stack(shard));
    }
    return shards;
}

/* ---- torch.func: the gradient of a function of the parameters, mapped over the samples ---- */

typedef struct Sample {
    SimpleCNN *model;
    Tensor *sample, *target;
} Sample;

static Tensor *compute_loss(t_TensorDict *params, void *context) {
    const Sample *of = context;
    Tensor *batch = t_unsqueeze(of->sample, 0);
    Tensor *targets = t_unsqueeze(of->target, 0);
    Tensor *predictions = t_func_functional_call(of->model, params, batch);
    Tensor *loss = loss_fn(predictions, targets);
    return loss;
}

typedef struct Model {
    t_TensorDict *params;
    SimpleCNN *model;
} Model;

static t_TensorList *ft_compute_grad(t_TensorList *inputs, void *context) {
    const Model *of = context;
    Sample sample = {of->model, t_list_get(inputs, 0), t_list_get(inputs, 1)};
    return t_dict_values(t_func_grad(compute_loss, of->params, .context = &sample));
}

static void per_sample_gradients(void) {
    Tensor *data = t_randn(batch_size, 1, 28, 28);
    Tensor *targets = t_randint(0, 10, batch_size);
    SimpleCNN *model = simple_cnn();
    Tensor *predictions = nn_call(model, data);
    Tensor *loss = loss_fn(predictions, targets);
    t_backward(loss);
    printf("loss of the batch: %.4f\n", t_item(loss));

    t_TensorList *per_sample_grads = compute_sample_grads(model, data, targets);
    t_print(t_size_repr(t_list_get(per_sample_grads, 0)));

    t_TensorDict *params = t_dict();
    for_named (v, nn_named_parameters(model)) t_dict_set(params, v->name, t_detach(v->tensor));
    Model functional = {params, model};
    t_TensorList *ft_grads = t_func_vmap(ft_compute_grad, t_list(data, targets), .context = &functional);
    t_TensorDict *ft_per_sample_grads = t_dict_zip(params, ft_grads);
    for_items (ft_per_sample_grad, ft_per_sample_grads) {
        Tensor *norms = t_norm(t_flatten(ft_per_sample_grad->tensor, 1), .dim = 1);
        printf("%s: norms from %.4f to %.4f\n", ft_per_sample_grad->name, t_item(t_min(norms)), t_item(t_max(norms)));
    }

    for_range (k, n_parameters)
        t_print(t_allclose(t_list_get(per_sample_grads, k), t_list_get(ft_grads, k), .atol = 1e-5, .rtol = 1e-5));
    int k = 0;
    for_parameters (p, model)
        t_print(t_allclose(t_mean(t_list_get(per_sample_grads, k++), 0), t_grad(p), .atol = 1e-6));
}

int main(void) {
    t_manual_seed(0);
    per_sample_gradients();
    return 0;
}
