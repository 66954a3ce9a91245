/* examples/pytorch/images/vae.c: the variational autoencoder of PyTorch's examples (basic VAE), on images of its own.
 *
 * Difficulty: **     Read first: learning/what_is_nn     Read next: dcgan */
#include <stdio.h>

#include "core/core.h"
#include "core/data/data.h"
#include "examples/pytorch/synthetic_images.h"
#include "nn/nn.h"
#include "optim/optim.h"

typedef struct VAE {
    nn_Module base;
    nn_Linear *fc1, *fc21, *fc22, *fc3, *fc4;
} VAE;

static VAE *vae(void) {
    VAE *self = nn_module(VAE, NULL);

    nn_set(self, fc1, nn_Linear(784, 400));
    nn_set(self, fc21, nn_Linear(400, 20));
    nn_set(self, fc22, nn_Linear(400, 20));
    nn_set(self, fc3, nn_Linear(20, 400));
    nn_set(self, fc4, nn_Linear(400, 784));
    return self;
}

static Tensor *vae_encode(VAE *self, Tensor *x, Tensor **logvar) {
    Tensor *h1 = F_relu(nn_call(self->fc1, x));
    Tensor *mu = nn_call(self->fc21, h1);
    *logvar = nn_call(self->fc22, h1);
    return mu;
}

static Tensor *vae_reparameterize(Tensor *mu, Tensor *logvar) {
    Tensor *std = t_exp(t_mul(0.5, logvar));
    Tensor *eps = t_randn_like(std);
    return t_add(mu, t_mul(eps, std));
}

static Tensor *vae_decode(VAE *self, Tensor *z) {
    Tensor *h3 = F_relu(nn_call(self->fc3, z));
    return t_sigmoid(nn_call(self->fc4, h3));
}

static Tensor *vae_call(VAE *self, Tensor *x, Tensor **mu, Tensor **logvar) {
    *mu = vae_encode(self, t_view(x, -1, 784), logvar);
    Tensor *z = vae_reparameterize(*mu, *logvar);
    return vae_decode(self, z);
}

static Tensor *loss_function(Tensor *recon_x, Tensor *x, Tensor *mu, Tensor *logvar) {
    Tensor *BCE = F_binary_cross_entropy(recon_x, t_view(x, -1, 784), .reduction = "sum");
    Tensor *KLD = t_mul(-0.5, t_sum(t_sub(t_sub(t_add(1, logvar), t_pow(mu, 2)), t_exp(logvar))));
    return t_add(BCE, KLD);
}

static void train(VAE *model, optim_Optimizer *optimizer, data_DataLoader *train_loader, int epoch) {
    nn_train(model);
    double train_loss = 0;
    for_batch (data, train_loader) {
        optim_zero_grad(optimizer);
        Tensor *mu, *logvar, *recon_batch = vae_call(model, data.x, &mu, &logvar);
        Tensor *loss = loss_function(recon_batch, data.x, mu, logvar);
        t_backward(loss);
        train_loss += t_item(loss);
        optim_step(optimizer);
        if (data.index % 10 == 0)
            printf("train epoch %d: batch %d, loss %.2f\n", epoch, (int)data.index, t_item(loss) / (double)data.size);
    }
    double samples = (double)data_dataset_len(data_dataset(train_loader));
    printf("====> epoch %d, average loss %.2f\n", epoch, train_loss / samples);
}

static void test(VAE *model, data_DataLoader *test_loader) {
    nn_eval(model);
    double test_loss = 0;
    with_no_grad() {
        for_batch (data, test_loader) {
            Tensor *mu, *logvar, *recon_batch = vae_call(model, data.x, &mu, &logvar);
            test_loss += t_item(loss_function(recon_batch, data.x, mu, logvar));
        }
    }
    test_loss /= (double)data_dataset_len(data_dataset(test_loader));
    printf("====> test set loss %.2f\n", test_loss);
}

static data_Dataset *images_of(int64_t n) {
    Tensor *images, *labels;
    synthetic_images(n, 1, 28, 0.2, &images, &labels);
    return data_TensorDataset(t_list(images, labels));
}

static void run(void) {
    data_DataLoader *train_loader = data_DataLoader(images_of(3000), .batch_size = 100, .shuffle = true);
    data_DataLoader *test_loader = data_DataLoader(images_of(500), .batch_size = 100);
    VAE *model = vae();
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 1e-3);
    for_range (epoch, 1, 6) {
        train(model, optimizer, train_loader, (int)epoch);
        test(model, test_loader);
    }
    with_no_grad() {
        Tensor *sample = t_randn(64, 20);
        sample = vae_decode(model, sample);
        printf("samples from %.4f to %.4f, mean %.4f\n", t_item(t_min(sample)), t_item(t_max(sample)),
               t_item(t_mean(sample)));
    }
}

int main(void) {
    t_manual_seed(1);
    run();
    return 0;
}
