/* examples/pytorch/images/dcgan.c: the deep convolutional GAN of "DCGAN tutorial", on images of 16x16 that the program
 * makes.
 *
 * Difficulty: ***     Read first: vae     Read next: super_resolution */
#include <stdio.h>

#include "core/core.h"
#include "core/data/data.h"
#include "examples/pytorch/synthetic_images.h"
#include "nn/nn.h"
#include "optim/optim.h"

enum { nc = 1, nz = 16, ngf = 16, ndf = 16, batch_size = 32, num_epochs = 3 };
static const double lr = 0.0002;
static const double beta1 = 0.5;
static const double real_label = 1.0;
static const double fake_label = 0.0;

static void weights_init(nn_Module *m, void *context) {
    (void)context;
    nn_Conv2d *conv = nn_as(m, nn_Conv2d);
    nn_ConvTranspose2d *conv_transpose = nn_as(m, nn_ConvTranspose2d);
    nn_BatchNorm2d *norm = nn_as(m, nn_BatchNorm2d);
    if (conv || conv_transpose) {
        nn_init_normal_(conv ? conv->weight : conv_transpose->weight, 0.0, 0.02);
    } else if (norm) {
        nn_init_normal_(norm->weight, 1.0, 0.02);
        nn_init_constant_(norm->bias, 0);
    }
}

typedef struct Generator {
    nn_Module base;
    nn_Sequential *main;
} Generator;

static Tensor *generator_call(Generator *self, Tensor *input) {
    return nn_call(self->main, input);
}

static Generator *generator(void) {
    Generator *self = nn_module(Generator, generator_call);
    nn_set(self, main,
           nn_Sequential(nn_ConvTranspose2d(nz, ngf * 2, 4, 1, 0, .bias = false), nn_BatchNorm2d(ngf * 2),
                         nn_ReLU(true), nn_ConvTranspose2d(ngf * 2, ngf, 4, 2, 1, .bias = false), nn_BatchNorm2d(ngf),
                         nn_ReLU(true), nn_ConvTranspose2d(ngf, nc, 4, 2, 1, .bias = false), nn_Tanh()));
    return self;
}

typedef struct Discriminator {
    nn_Module base;
    nn_Sequential *main;
} Discriminator;

static Tensor *discriminator_call(Discriminator *self, Tensor *input) {
    return nn_call(self->main, input);
}

static Discriminator *discriminator(void) {
    Discriminator *self = nn_module(Discriminator, discriminator_call);
    nn_set(self, main,
           nn_Sequential(nn_Conv2d(nc, ndf, 4, 2, 1, .bias = false), nn_LeakyReLU(0.2, .inplace = true),
                         nn_Conv2d(ndf, ndf * 2, 4, 2, 1, .bias = false), nn_BatchNorm2d(ndf * 2),
                         nn_LeakyReLU(0.2, .inplace = true), nn_Conv2d(ndf * 2, 1, 4, 1, 0, .bias = false),
                         nn_Sigmoid()));
    return self;
}

static void train(Generator *netG, Discriminator *netD, data_DataLoader *dataloader) {
    nn_BCELoss *criterion = nn_BCELoss();

    Tensor *fixed_noise = t_randn(64, nz, 1, 1);

    optim_Optimizer *optimizerD = optim_Adam(nn_parameters(netD), .lr = lr, .betas = {beta1, 0.999});
    optim_Optimizer *optimizerG = optim_Adam(nn_parameters(netG), .lr = lr, .betas = {beta1, 0.999});

    for_range (epoch, num_epochs) {
        for_batch (data, dataloader) {
            nn_zero_grad(netD);
            int64_t b_size = t_size(data.x, 0);
            Tensor *label = t_full((b_size), real_label);
            Tensor *output = t_view(nn_call(netD, data.x), -1);
            Tensor *errD_real = nn_call(criterion, output, label);
            t_backward(errD_real);
            double D_x = t_item(t_mean(output));

            Tensor *noise = t_randn(b_size, nz, 1, 1);
            Tensor *fake = nn_call(netG, noise);
            t_fill_(label, fake_label);
            output = t_view(nn_call(netD, t_detach(fake)), -1);
            Tensor *errD_fake = nn_call(criterion, output, label);
            t_backward(errD_fake);
            double D_G_z1 = t_item(t_mean(output));
            Tensor *errD = t_add(errD_real, errD_fake);
            optim_step(optimizerD);

            nn_zero_grad(netG);
            t_fill_(label, real_label);
            output = t_view(nn_call(netD, fake), -1);
            Tensor *errG = nn_call(criterion, output, label);
            t_backward(errG);
            double D_G_z2 = t_item(t_mean(output));
            optim_step(optimizerG);

            if (data.index % 20 == 0) {
                printf("[%d/%d][%d/%d] Loss_D: %.4f Loss_G: %.4f\n", (int)epoch, num_epochs, (int)data.index,
                       (int)data_len(dataloader), t_item(errD), t_item(errG));
                printf("    D(x): %.4f D(G(z)): %.4f / %.4f\n", D_x, D_G_z1, D_G_z2);
            }
        }
    }

    with_no_grad() {
        Tensor *fake = t_detach(nn_call(netG, fixed_noise));
        printf("images from %.4f to %.4f\n", t_item(t_min(fake)), t_item(t_max(fake)));
    }
}

static void run(void) {
    Tensor *images, *labels;
    synthetic_images(2000, nc, 16, 0.1, &images, &labels);
    data_Dataset *dataset = data_TensorDataset(t_list(t_div(t_sub(images, 0.5), 0.5)));
    data_DataLoader *dataloader = data_DataLoader(dataset, .batch_size = batch_size, .shuffle = true);

    Generator *netG = generator();
    nn_apply(netG, weights_init);
    nn_print(netG);

    Discriminator *netD = discriminator();
    nn_apply(netD, weights_init);
    nn_print(netD);

    train(netG, netD, dataloader);
}

int main(void) {
    t_manual_seed(999);
    run();
    return 0;
}
