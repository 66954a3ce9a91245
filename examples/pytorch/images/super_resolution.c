/* examples/pytorch/images/super_resolution.c: super-resolution by sub-pixel convolution, of PyTorch's examples, on
 * pictures of its own.
 *
 * Difficulty: **     Read first: learning/what_is_nn     Read next: siamese_network */
#include <math.h>
#include <stdio.h>

#include "core/core.h"
#include "core/data/data.h"
#include "nn/nn.h"
#include "optim/optim.h"
#include "examples/pytorch/synthetic_images.h"

typedef struct Net {
    nn_Module base;
    nn_ReLU *relu;
    nn_Conv2d *conv1, *conv2, *conv3, *conv4;
    nn_PixelShuffle *pixel_shuffle;
} Net;

static Tensor *net_call(Net *self, Tensor *x) {
    x = nn_call(self->relu, nn_call(self->conv1, x));
    x = nn_call(self->relu, nn_call(self->conv2, x));
    x = nn_call(self->relu, nn_call(self->conv3, x));
    x = nn_call(self->pixel_shuffle, nn_call(self->conv4, x));
    return x;
}

static void net_initialize_weights(Net *self) {
    nn_init_orthogonal_(self->conv1->weight, nn_init_calculate_gain("relu"));
    nn_init_orthogonal_(self->conv2->weight, nn_init_calculate_gain("relu"));
    nn_init_orthogonal_(self->conv3->weight, nn_init_calculate_gain("relu"));
    nn_init_orthogonal_(self->conv4->weight);
}

static Net *net(int64_t upscale_factor) {
    Net *self = nn_module(Net, net_call);

    nn_set(self, relu, nn_ReLU());
    nn_set(self, conv1, nn_Conv2d(1, 32, (5, 5), (1, 1), (2, 2)));
    nn_set(self, conv2, nn_Conv2d(32, 32, (3, 3), (1, 1), (1, 1)));
    nn_set(self, conv3, nn_Conv2d(32, 16, (3, 3), (1, 1), (1, 1)));
    nn_set(self, conv4, nn_Conv2d(16, upscale_factor * upscale_factor, (3, 3), (1, 1), (1, 1)));
    nn_set(self, pixel_shuffle, nn_PixelShuffle(upscale_factor));

    net_initialize_weights(self);
    return self;
}

static data_Dataset *get_set(int64_t n) {
    Tensor *target, *labels;
    synthetic_images(n, 1, 32, 0.0, &target, &labels);
    Tensor *input = F_avg_pool2d(target, 2);
    return data_TensorDataset(t_list(input, target));
}

static void train(Net *model, optim_Optimizer *optimizer, nn_MSELoss *criterion, data_DataLoader *training_data_loader,
                  int epoch) {
    double epoch_loss = 0;
    for_batch (data, training_data_loader) {
        optim_zero_grad(optimizer);
        Tensor *loss = nn_call(criterion, nn_call(model, data.x), data.y);
        epoch_loss += t_item(loss);
        t_backward(loss);
        optim_step(optimizer);
    }

    printf("===> epoch %d: average loss %.4f\n", epoch, epoch_loss / (double)data_len(training_data_loader));
}

static void test(Net *model, nn_MSELoss *criterion, data_DataLoader *testing_data_loader) {
    double avg_psnr = 0;
    with_no_grad() {
        for_batch (data, testing_data_loader) {
            Tensor *prediction = nn_call(model, data.x);
            Tensor *mse = nn_call(criterion, prediction, data.y);
            double psnr = 10 * log10(1 / t_item(mse));
            avg_psnr += psnr;
        }
    }
    printf("===> average PSNR %.3f dB\n", avg_psnr / (double)data_len(testing_data_loader));
}

static void run(void) {
    data_DataLoader *training_data_loader = data_DataLoader(get_set(600), .batch_size = 8, .shuffle = true);
    data_DataLoader *testing_data_loader = data_DataLoader(get_set(100), .batch_size = 10, .shuffle = false);

    Net *model = net(2);
    nn_MSELoss *criterion = nn_MSELoss();
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 1e-3);

    for_range (epoch, 1, 5) {
        train(model, optimizer, criterion, training_data_loader, (int)epoch);
        test(model, criterion, testing_data_loader);
    }
}

int main(void) {
    t_manual_seed(123);
    run();
    return 0;
}
