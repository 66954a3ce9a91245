/* examples/pytorch/images/fgsm.c: "Adversarial example generation": the fast gradient sign method against a network
 * that the program trains itself.
 *
 * Difficulty: **     Read first: learning/what_is_nn     Read next: vae */
#include <stdio.h>

#include "core/core.h"
#include "core/data/data.h"
#include "examples/pytorch/synthetic_images.h"
#include "nn/nn.h"
#include "optim/optim.h"

enum { EPSILONS = 7 };
static const double epsilons[EPSILONS] = {0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3};
static const double MEAN = 0.5;
static const double STD = 0.25;

/* ---- The model under attack ---- */

typedef struct Net {
    nn_Module base;
    nn_Conv2d *conv1, *conv2;
    nn_Dropout *dropout1, *dropout2;
    nn_Linear *fc1, *fc2;
} Net;

static Tensor *net_call(Net *self, Tensor *x) {
    x = nn_call(self->conv1, x);
    x = F_relu(x);
    x = nn_call(self->conv2, x);
    x = F_relu(x);
    x = F_max_pool2d(x, 2);
    x = nn_call(self->dropout1, x);
    x = t_flatten(x, 1);
    x = nn_call(self->fc1, x);
    x = F_relu(x);
    x = nn_call(self->dropout2, x);
    x = nn_call(self->fc2, x);
    Tensor *output = F_log_softmax(x, .dim = 1);
    return output;
}

static Net *net(void) {
    Net *self = nn_module(Net, net_call);
    nn_set(self, conv1, nn_Conv2d(1, 8, 3, 1));
    nn_set(self, conv2, nn_Conv2d(8, 16, 3, 1));
    nn_set(self, dropout1, nn_Dropout(0.25));
    nn_set(self, dropout2, nn_Dropout(0.5));
    nn_set(self, fc1, nn_Linear(2304, 64));
    nn_set(self, fc2, nn_Linear(64, 10));
    return self;
}

static void train(Net *model, data_DataLoader *train_loader) {
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 1e-3);
    nn_train(model);
    for_range (epoch, 2) {
        for_batch (data, train_loader) {
            optim_zero_grad(optimizer);
            Tensor *output = nn_call(model, t_div(t_sub(data.x, MEAN), STD));
            Tensor *loss = F_nll_loss(output, data.y);
            t_backward(loss);
            optim_step(optimizer);
            if (data.index % 10 == 0)
                printf("epoch %d, batch %d, loss %.4f\n", (int)epoch, (int)data.index, t_item(loss));
        }
    }
}

/* ---- The attack ---- */

static Tensor *fgsm_attack(Tensor *image, double epsilon, Tensor *data_grad) {
    Tensor *sign_data_grad = t_sign(data_grad);
    Tensor *perturbed_image = t_add(image, t_mul(epsilon, sign_data_grad));
    perturbed_image = t_clamp(perturbed_image, 0, 1);
    return perturbed_image;
}

static Tensor *denorm(Tensor *batch) {
    return t_add(t_mul(batch, STD), MEAN);
}

static double test(Net *model, data_DataLoader *test_loader, double epsilon) {
    int correct = 0;
    int fooled = 0;

    for_batch (b, test_loader) {
        Tensor *target = b.y, *data = t_div(t_sub(b.x, MEAN), STD);
        t_requires_grad_(data, true);

        Tensor *output = nn_call(model, data);
        Tensor *init_pred = t_argmax(output, 1, .keepdim = true);

        if (t_item(init_pred) != t_item(target)) continue;

        Tensor *loss = F_nll_loss(output, target);

        nn_zero_grad(model);

        t_backward(loss);

        Tensor *data_grad = t_grad(data);

        Tensor *data_denorm = denorm(data);

        Tensor *perturbed_data = fgsm_attack(data_denorm, epsilon, data_grad);

        Tensor *perturbed_data_normalized = t_div(t_sub(perturbed_data, MEAN), STD);

        output = nn_call(model, perturbed_data_normalized);

        Tensor *final_pred = t_argmax(output, 1, .keepdim = true);
        if (t_item(final_pred) == t_item(target)) {
            correct += 1;
        } else {
            fooled += 1;
            if (fooled <= 2) printf("  %d -> %d\n", (int)t_item(init_pred), (int)t_item(final_pred));
        }
    }

    double final_acc = correct / (double)data_len(test_loader);
    printf("epsilon %.2f: %d of %d right, %.3f\n", epsilon, correct, (int)data_len(test_loader), final_acc);
    return final_acc;
}

static data_Dataset *images_of(int64_t n) {
    Tensor *images, *labels;
    synthetic_images(n, 1, 28, 0.5, &images, &labels);
    return data_TensorDataset(t_list(images, labels));
}

static void run(void) {
    data_DataLoader *train_loader = data_DataLoader(images_of(2000), .batch_size = 64, .shuffle = true);
    data_DataLoader *test_loader = data_DataLoader(images_of(300), .batch_size = 1, .shuffle = true);
    Net *model = net();
    train(model, train_loader);
    nn_eval(model);
    for_range (i, EPSILONS) test(model, test_loader, epsilons[i]);
}

int main(void) {
    t_manual_seed(42);
    run();
    return 0;
}
