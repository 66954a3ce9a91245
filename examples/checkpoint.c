/* examples/checkpoint.c: PyTorch's recipe "Saving and loading a general checkpoint in PyTorch", step by step.
 *
 * Difficulty: **     Read first: backprop     Read next: train_classifier, which goes on from one in the middle of an
 * epoch
 *
 * In Python the checkpoint is a dict of dicts; here it is one dict under dotted names, "model_state_dict.conv1.weight".
 */
#define _DEFAULT_SOURCE /* mkstemp */
#include <stdio.h>
#include <stdlib.h>

#include "core/core.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* ---- 2. Define and initialize the neural network ---- */

typedef struct Net {
    nn_Module base;
    nn_Conv2d *conv1;
    nn_MaxPool2d *pool;
    nn_Conv2d *conv2;
    nn_Linear *fc1, *fc2, *fc3;
} Net;

static Tensor *net_call(Net *self, Tensor *x) {
    x = nn_call(self->pool, F_relu(nn_call(self->conv1, x)));
    x = nn_call(self->pool, F_relu(nn_call(self->conv2, x)));
    x = t_view(x, -1, 16 * 5 * 5);
    x = F_relu(nn_call(self->fc1, x));
    x = F_relu(nn_call(self->fc2, x));
    x = nn_call(self->fc3, x);
    return x;
}

static Net *net(void) {
    Net *self = nn_module(Net, net_call);
    nn_set(self, conv1, nn_Conv2d(3, 6, 5));
    nn_set(self, pool, nn_MaxPool2d(2, 2));
    nn_set(self, conv2, nn_Conv2d(6, 16, 5));
    nn_set(self, fc1, nn_Linear(16 * 5 * 5, 120));
    nn_set(self, fc2, nn_Linear(120, 84));
    nn_set(self, fc3, nn_Linear(84, 10));
    return self;
}

/* One step on a batch of noise, so that the optimizer has a momentum to save; the recipe takes none. */
static double train_step(Net *model, optim_Optimizer *optimizer) {
    Tensor *inputs = t_randn(4, 3, 32, 32), *labels = t_randint(0, 10, 4);
    optim_zero_grad(optimizer);
    Tensor *loss = F_cross_entropy(nn_call(model, inputs), labels);
    t_backward(loss);
    optim_step(optimizer);
    return t_item(loss);
}

static void run(const char *PATH) {
    t_manual_seed(0);
    Net *model = net();
    nn_print(model);

    /* ---- 3. Initialize the optimizer ---- */
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 0.001, .momentum = 0.9);
    train_step(model, optimizer);

    /* ---- 4. Save the general checkpoint ---- */
    const int EPOCH = 5;
    const double LOSS = 0.4;
    t_TensorDict *checkpoint = t_dict();
    t_dict_set(checkpoint, "epoch", EPOCH);
    t_dict_set(checkpoint, "model_state_dict", nn_state_dict(model));
    t_dict_set(checkpoint, "optimizer_state_dict", optim_state_dict(optimizer));
    t_dict_set(checkpoint, "loss", LOSS);
    t_dict_set(checkpoint, "rng_state", t_get_rng_state());
    t_save(checkpoint, PATH);
    double uninterrupted = train_step(model, optimizer); /* the next loss without a checkpoint */

    /* ---- 5. Load the general checkpoint ---- */
    Net *loaded = net();
    optim_Optimizer *again = optim_SGD(nn_parameters(loaded), .lr = 0.001, .momentum = 0.9);
    checkpoint = t_load(PATH);
    nn_load_state_dict(loaded, t_dict_get_dict(checkpoint, "model_state_dict"));
    optim_load_state_dict(again, t_dict_get_dict(checkpoint, "optimizer_state_dict"));
    int64_t epoch = t_dict_get_integer(checkpoint, "epoch");
    double loss = t_dict_get_number(checkpoint, "loss");
    t_set_rng_state(t_dict_get(checkpoint, "rng_state"));
    nn_eval(loaded);
    /* - or - */
    nn_train(loaded);

    printf("epoch %lld, loss %.1f\n", (long long)epoch, loss);
    for_items (item, nn_state_dict(loaded)) printf("%-13s %s\n", item->name, t_size_repr(item->tensor));
    double resumed = train_step(loaded, again);
    printf("the next loss is %.4f, without the checkpoint %.4f: %s\n", resumed, uninterrupted,
           resumed == uninterrupted ? "the same bits" : "another");
}

int main(void) {
    char path[] = "/tmp/checkpoint-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) {
        perror(path);
        return 1;
    }
    with_scope() run(path);
    remove(path);
    return 0;
}
