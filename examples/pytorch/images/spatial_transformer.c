/* examples/pytorch/images/spatial_transformer.c: "Spatial transformer networks": a network that learns how to turn,
 * scale and shift its input, on digits that the program makes.
 *
 * Difficulty: **     Read first: neural_style     Read next: transfer_learning */
#include <stdio.h>

#include "core/core.h"
#include "core/data/data.h"
#include "examples/pytorch/synthetic_digits.h"
#include "nn/nn.h"
#include "optim/optim.h"

typedef struct Net {
    nn_Module base;
    nn_Conv2d *conv1, *conv2;
    nn_Dropout2d *conv2_drop;
    nn_Linear *fc1, *fc2;
    nn_Sequential *localization, *fc_loc;
} Net;

static Tensor *net_stn(Net *self, Tensor *x) {
    Tensor *xs = nn_call(self->localization, x);
    xs = t_view(xs, -1, 10 * 3 * 3);
    Tensor *theta = nn_call(self->fc_loc, xs);
    theta = t_view(theta, -1, 2, 3);

    Tensor *grid = F_affine_grid(theta, .size = t_size(x), .align_corners = false);
    x = F_grid_sample(x, grid, .align_corners = false);

    return x;
}

static Tensor *net_call(Net *self, Tensor *x) {
    x = net_stn(self, x);

    x = F_relu(F_max_pool2d(nn_call(self->conv1, x), 2));
    x = F_relu(F_max_pool2d(nn_call(self->conv2_drop, nn_call(self->conv2, x)), 2));
    x = t_view(x, -1, 320);
    x = F_relu(nn_call(self->fc1, x));
    x = F_dropout(x, .training = self->base.training);
    x = nn_call(self->fc2, x);
    return F_log_softmax(x, .dim = 1);
}

static Net *net(void) {
    Net *self = nn_module(Net, net_call);
    nn_set(self, conv1, nn_Conv2d(1, 10, .kernel_size = 5));
    nn_set(self, conv2, nn_Conv2d(10, 20, .kernel_size = 5));
    nn_set(self, conv2_drop, nn_Dropout2d());
    nn_set(self, fc1, nn_Linear(320, 50));
    nn_set(self, fc2, nn_Linear(50, 10));

    nn_set(self, localization,
           nn_Sequential(nn_Conv2d(1, 8, .kernel_size = 7), nn_MaxPool2d(2, .stride = 2), nn_ReLU(true),
                         nn_Conv2d(8, 10, .kernel_size = 5), nn_MaxPool2d(2, .stride = 2), nn_ReLU(true)));

    nn_set(self, fc_loc, nn_Sequential(nn_Linear(10 * 3 * 3, 32), nn_ReLU(true), nn_Linear(32, 3 * 2)));

    t_zero_(t_data(nn_get(self->fc_loc, 2, nn_Linear)->weight));
    t_copy_(t_data(nn_get(self->fc_loc, 2, nn_Linear)->bias), t_tensor("[1, 0, 0, 0, 1, 0]", .dtype = t_float32));
    return self;
}

static void train(Net *model, data_DataLoader *train_loader, optim_Optimizer *optimizer, int epoch) {
    nn_train(model);
    const int samples = (int)data_dataset_len(data_dataset(train_loader));
    for_batch (data, train_loader) {
        optim_zero_grad(optimizer);
        Tensor *output = nn_call(model, data.x);
        Tensor *loss = F_nll_loss(output, data.y);
        t_backward(loss);
        optim_step(optimizer);
        if (data.index % 20 == 0)
            printf("Train Epoch: %d [%d/%d (%.0f%%)] Loss: %.4f\n", epoch, (int)(data.index * data.size), samples,
                   100.0 * (double)data.index / (double)data_len(train_loader), t_item(loss));
    }
}

static void test(Net *model, data_DataLoader *test_loader) {
    with_no_grad () {
        nn_eval(model);
        double test_loss = 0;
        double correct = 0;
        for_batch (data, test_loader) {
            Tensor *output = nn_call(model, data.x);

            test_loss += t_item(F_nll_loss(output, data.y, .reduction = "sum"));
            Tensor *pred = t_argmax(output, 1, .keepdim = true);
            correct += t_item(t_sum(t_eq(pred, t_view_as(data.y, pred))));
        }

        const double samples = (double)data_dataset_len(data_dataset(test_loader));
        test_loss /= samples;
        printf("Test set: Average loss: %.4f, Accuracy: %.3f\n", test_loss, correct / samples);
    }
}

static void describe_stn(Net *model, data_DataLoader *test_loader) {
    with_no_grad () {
        Tensor *data = data_first(test_loader).x;

        Tensor *transformed_input = net_stn(model, data);

        printf("mean square of the input %.4f\n", t_item(t_mean(t_square(data))));
        printf("mean square of what the network sees %.4f\n", t_item(t_mean(t_square(transformed_input))));
        Tensor *theta = nn_call(model->fc_loc, t_view(nn_call(model->localization, data), -1, 10 * 3 * 3));
        printf("mean square of the transforms %.4f\n", t_item(t_mean(t_square(theta))));
    }
}

static data_Dataset *digits_of(int64_t n) {
    Tensor *images, *labels;
    synthetic_digits(n, 0.1, &images, &labels);
    return data_TensorDataset(t_list(images, labels));
}

static void run(void) {
    data_DataLoader *train_loader = data_DataLoader(digits_of(3000), .batch_size = 32, .shuffle = true);
    data_DataLoader *test_loader = data_DataLoader(digits_of(500), .batch_size = 64);
    Net *model = net();
    nn_print(model);

    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 0.03);

    for_range (epoch, 1, 4) {
        train(model, train_loader, optimizer, (int)epoch);
        test(model, test_loader);
    }

    describe_stn(model, test_loader);
}

int main(void) {
    t_manual_seed(0);
    run();
    return 0;
}
