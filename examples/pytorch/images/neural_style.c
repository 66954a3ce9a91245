/* examples/pytorch/images/neural_style.c: "Neural transfer using PyTorch": an image takes over the style of another
 * one, by LBFGS on its pixels. A small network of random weights is in place of VGG-19.
 *
 * Difficulty: ***     Read first: vae     Read next: spatial_transformer */
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "examples/pytorch/synthetic_images.h"
#include "nn/nn.h"
#include "optim/optim.h"

enum { imsize = 48 };

/* ---- The network ---- */

typedef struct VGG {
    nn_Module base;
    nn_Sequential *features;
} VGG;

static void init_weights(nn_Module *m, void *context) {
    (void)context;
    nn_Conv2d *conv = nn_as(m, nn_Conv2d);
    if (conv) {
        nn_init_kaiming_normal_(conv->weight, .mode = "fan_out", .nonlinearity = "relu");
        nn_init_constant_(conv->bias, 0);
    }
}

static Tensor *vgg_call(VGG *self, Tensor *x) {
    return nn_call(self->features, x);
}

static VGG *vgg(const int64_t *cfg, int64_t len) {
    VGG *self = nn_module(VGG, vgg_call);
    nn_set(self, features, nn_Sequential());
    int64_t in_channels = 3;
    for_range (v, len) {
        if (cfg[v] == 0) {
            nn_append(self->features, nn_MaxPool2d(.kernel_size = 2, .stride = 2));
        } else {
            nn_append(self->features, nn_Conv2d(in_channels, cfg[v], .kernel_size = {3, 3}, .padding = {1, 1}));
            nn_append(self->features, nn_ReLU(.inplace = true));
            in_channels = cfg[v];
        }
    }
    nn_apply(self, init_weights);
    return self;
}

/* ---- Loss functions: layers that return their input and remember how far it is from their target ---- */

typedef struct ContentLoss {
    nn_Module base;
    Tensor *target, *loss;
} ContentLoss;

static Tensor *content_loss_call(ContentLoss *self, Tensor *input) {
    nn_keep(self, loss, F_mse_loss(input, self->target));
    return input;
}

static ContentLoss *content_loss(Tensor *target) {
    ContentLoss *self = nn_module(ContentLoss, content_loss_call);
    nn_keep(self, target, t_detach(target));
    return self;
}

static Tensor *gram_matrix(Tensor *input) {
    int64_t a = t_size(input, 0), b = t_size(input, 1), c = t_size(input, 2), d = t_size(input, 3);

    Tensor *features = t_view(input, a * b, c * d);

    Tensor *G = t_mm(features, t_t(features));

    return t_div(G, a * b * c * d);
}

typedef struct StyleLoss {
    nn_Module base;
    Tensor *target, *loss;
} StyleLoss;

static Tensor *style_loss_call(StyleLoss *self, Tensor *input) {
    Tensor *G = gram_matrix(input);
    nn_keep(self, loss, F_mse_loss(G, self->target));
    return input;
}

static StyleLoss *style_loss(Tensor *target_feature) {
    StyleLoss *self = nn_module(StyleLoss, style_loss_call);
    nn_keep(self, target, t_detach(gram_matrix(target_feature)));
    return self;
}

typedef struct Normalization {
    nn_Module base;
    Tensor *mean, *std;
} Normalization;

static Tensor *normalization_call(Normalization *self, Tensor *img) {
    return t_div(t_sub(img, self->mean), self->std);
}

static Normalization *normalization(Tensor *mean, Tensor *std) {
    Normalization *self = nn_module(Normalization, normalization_call);
    nn_keep(self, mean, t_view(t_detach(t_clone(mean)), -1, 1, 1));
    nn_keep(self, std, t_view(t_detach(t_clone(std)), -1, 1, 1));
    return self;
}

/* ---- The model with its losses ---- */

static bool contains(const char *const *names, const char *name) {
    while (*names && strcmp(*names, name) != 0) names++;
    return *names != NULL;
}

static const char *const content_layers_default[] = {"conv_4", NULL};
static const char *const style_layers_default[] = {"conv_1", "conv_2", "conv_3", "conv_4", "conv_5", NULL};

enum { MOST_LOSSES = 8 };
typedef struct StyleLosses {
    StyleLoss *items[MOST_LOSSES];
    int len;
} StyleLosses;
typedef struct ContentLosses {
    ContentLoss *items[MOST_LOSSES];
    int len;
} ContentLosses;

static nn_Sequential *get_style_model_and_losses(nn_Sequential *cnn, Tensor *mean, Tensor *std, Tensor *style_img,
                                                 Tensor *content_img, StyleLosses *style_losses,
                                                 ContentLosses *content_losses) {
    Normalization *normal = normalization(mean, std);

    content_losses->len = 0;
    style_losses->len = 0;

    nn_Sequential *model = nn_Sequential(normal);

    int i = 0;
    for_module (layer, cnn) {
        const char *name;
        if (nn_as(layer, nn_Conv2d)) {
            i += 1;
            name = t_format("conv_%d", i);
        } else if (nn_as(layer, nn_ReLU)) {
            name = t_format("relu_%d", i);
            layer = nn_ReLU(.inplace = false);
        } else if (nn_as(layer, nn_MaxPool2d)) {
            name = t_format("pool_%d", i);
        } else {
            return t_fail("Unrecognized layer: %s", ((nn_Module *)layer)->type);
        }

        nn_add_module(model, name, layer);

        if (contains(content_layers_default, name)) {
            Tensor *target = t_detach(nn_call(model, content_img));
            ContentLoss *loss = content_loss(target);
            nn_add_module(model, t_format("content_loss_%d", i), loss);
            content_losses->items[content_losses->len++] = loss;
        }

        if (contains(style_layers_default, name)) {
            Tensor *target_feature = t_detach(nn_call(model, style_img));
            StyleLoss *loss = style_loss(target_feature);
            nn_add_module(model, t_format("style_loss_%d", i), loss);
            style_losses->items[style_losses->len++] = loss;
        }
    }

    i = (int)nn_len(model) - 1;
    while (!nn_as(nn_get(model, i), ContentLoss) && !nn_as(nn_get(model, i), StyleLoss)) i -= 1;

    model = nn_slice(model, .end = i + 1);

    return model;
}

/* ---- Gradient descent on the image ---- */

static optim_Optimizer *get_input_optimizer(Tensor *input_img) {
    optim_Optimizer *optimizer = optim_LBFGS(t_list(input_img));
    return optimizer;
}

typedef struct Transfer {
    Tensor *input_img;
    optim_Optimizer *optimizer;
    nn_Sequential *model;
    StyleLosses style_losses;
    ContentLosses content_losses;
    double style_weight, content_weight;
    int run;
} Transfer;

static Tensor *closure(void *context) {
    Transfer *t = context;
    with_no_grad () t_clamp_(t->input_img, 0, 1);

    optim_zero_grad(t->optimizer);
    nn_call(t->model, t->input_img);
    Tensor *style_score = t_tensor(0.0);
    Tensor *content_score = t_tensor(0.0);

    for (int sl = 0; sl < t->style_losses.len; sl++) style_score = t_add(style_score, t->style_losses.items[sl]->loss);
    for (int cl = 0; cl < t->content_losses.len; cl++)
        content_score = t_add(content_score, t->content_losses.items[cl]->loss);

    style_score = t_mul(style_score, t->style_weight);
    content_score = t_mul(content_score, t->content_weight);

    Tensor *loss = t_add(style_score, content_score);
    t_backward(loss);

    t->run += 1;
    if (t->run <= 5 || t->run % 10 == 0)
        printf("run %d: Style Loss: %.2f Content Loss: %.4f\n", t->run, t_item(style_score), t_item(content_score));

    return t_add(style_score, content_score);
}

static Tensor *run_style_transfer(nn_Sequential *cnn, Tensor *mean, Tensor *std, Tensor *content_img, Tensor *style_img,
                                  Tensor *input_img, int num_steps, double style_weight, double content_weight) {
    printf("Building the style transfer model..\n");
    Transfer t = {.input_img = input_img, .style_weight = style_weight, .content_weight = content_weight};
    t.model = get_style_model_and_losses(cnn, mean, std, style_img, content_img, &t.style_losses, &t.content_losses);
    nn_print(t.model);

    t_requires_grad_(input_img, true);
    nn_eval(t.model);
    nn_requires_grad_(t.model, false);

    t.optimizer = get_input_optimizer(input_img);

    printf("Optimizing..\n");
    t.run = 0;
    while (t.run <= num_steps) optim_step(t.optimizer, closure, &t);

    with_no_grad () t_clamp_(input_img, 0, 1);

    return input_img;
}

static void transfer(void) {
    const int64_t cfg[] = {8, 8, 0, 16, 16, 0, 32, 32};
    nn_Sequential *cnn = nn_eval(vgg(cfg, 8)->features);
    Tensor *normalization_mean = t_tensor("[0.485, 0.456, 0.406]");
    Tensor *normalization_std = t_tensor("[0.229, 0.224, 0.225]");

    Tensor *style_img, *content_img, *label;
    synthetic_images(1, 3, imsize, 0.1, &style_img, &label);
    synthetic_images(1, 3, imsize, 0.1, &content_img, &label);
    Tensor *input_img = t_clone(content_img);

    Tensor *output = run_style_transfer(cnn, normalization_mean, normalization_std, content_img, style_img, input_img,
                                        20, 1000000, 1);
    printf("output from %.4f to %.4f, mean %.4f\n", t_item(t_min(output)), t_item(t_max(output)),
           t_item(t_mean(output)));
}

int main(void) {
    t_manual_seed(0);
    transfer();
    return 0;
}
