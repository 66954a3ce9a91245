/* examples/pytorch/images/transfer_learning.c: "Transfer learning for computer vision": a narrow ResNet-18, which the
 * program pretrains itself, is finetuned for another task, and serves as a fixed feature extractor for it.
 *
 * Difficulty: ***     Read first: knowledge_distillation     Read next: vision_transformer */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/core.h"
#include "core/data/data.h"
#include "examples/pytorch/synthetic_images.h"
#include "nn/nn.h"
#include "optim/optim.h"

enum { image_size = 32 };
enum { TRAIN, VAL, PHASES };
static const char *const phase_names[PHASES] = {"train", "val"};
static const char *const class_names[] = {"odd", "even"};

/* ---- ResNet-18 ---- */

typedef struct BasicBlock {
    nn_Module base;
    nn_Conv2d *conv1, *conv2;
    nn_BatchNorm2d *bn1, *bn2;
    nn_ReLU *relu;
    nn_Sequential *downsample;
} BasicBlock;

static Tensor *basic_block_call(BasicBlock *self, Tensor *x) {
    Tensor *identity = x;

    Tensor *out = nn_call(self->conv1, x);
    out = nn_call(self->bn1, out);
    out = nn_call(self->relu, out);

    out = nn_call(self->conv2, out);
    out = nn_call(self->bn2, out);

    if (self->downsample) identity = nn_call(self->downsample, x);

    out = t_add_(out, identity);
    out = nn_call(self->relu, out);

    return out;
}

static BasicBlock *basic_block(int64_t in_planes, int64_t planes, int64_t stride) {
    BasicBlock *self = nn_module(BasicBlock, basic_block_call);
    nn_set(self, conv1, nn_Conv2d(in_planes, planes, .kernel_size = 3, .stride = stride, .padding = 1, .bias = false));
    nn_set(self, bn1, nn_BatchNorm2d(planes));
    nn_set(self, relu, nn_ReLU(.inplace = true));
    nn_set(self, conv2, nn_Conv2d(planes, planes, .kernel_size = 3, .stride = 1, .padding = 1, .bias = false));
    nn_set(self, bn2, nn_BatchNorm2d(planes));
    self->downsample = NULL;
    if (stride != 1 || in_planes != planes)
        nn_set(self, downsample,
               nn_Sequential(nn_Conv2d(in_planes, planes, .kernel_size = 1, .stride = stride, .bias = false),
                             nn_BatchNorm2d(planes)));
    return self;
}

static nn_Sequential *make_layer(int64_t in_planes, int64_t planes, int64_t stride) {
    return nn_Sequential(basic_block(in_planes, planes, stride), basic_block(planes, planes, 1));
}

typedef struct ResNet {
    nn_Module base;
    nn_Conv2d *conv1;
    nn_BatchNorm2d *bn1;
    nn_ReLU *relu;
    nn_MaxPool2d *maxpool;
    nn_Sequential *layer1, *layer2, *layer3, *layer4;
    nn_AdaptiveAvgPool2d *avgpool;
    nn_Linear *fc;
} ResNet;

static Tensor *res_net_call(ResNet *self, Tensor *x) {
    x = nn_call(self->conv1, x);
    x = nn_call(self->bn1, x);
    x = nn_call(self->relu, x);
    x = nn_call(self->maxpool, x);

    x = nn_call(self->layer1, x);
    x = nn_call(self->layer2, x);
    x = nn_call(self->layer3, x);
    x = nn_call(self->layer4, x);

    x = nn_call(self->avgpool, x);
    x = t_flatten(x, 1);
    x = nn_call(self->fc, x);

    return x;
}

static ResNet *res_net(int64_t width, int64_t num_classes) {
    ResNet *self = nn_module(ResNet, res_net_call);
    nn_set(self, conv1, nn_Conv2d(3, width, .kernel_size = 7, .stride = 2, .padding = 3, .bias = false));
    nn_set(self, bn1, nn_BatchNorm2d(width));
    nn_set(self, relu, nn_ReLU(.inplace = true));
    nn_set(self, maxpool, nn_MaxPool2d(.kernel_size = 3, .stride = 2, .padding = 1));
    nn_set(self, layer1, make_layer(width, width, 1));
    nn_set(self, layer2, make_layer(width, 2 * width, 2));
    nn_set(self, layer3, make_layer(2 * width, 4 * width, 2));
    nn_set(self, layer4, make_layer(4 * width, 8 * width, 2));
    nn_set(self, avgpool, nn_AdaptiveAvgPool2d((1, 1)));
    nn_set(self, fc, nn_Linear(8 * width, num_classes));

    for_named (m, nn_named_modules(self)) {
        nn_Conv2d *conv = nn_as(m->module, nn_Conv2d);
        nn_BatchNorm2d *norm = nn_as(m->module, nn_BatchNorm2d);
        if (conv) {
            nn_init_kaiming_normal_(conv->weight, .mode = "fan_out", .nonlinearity = "relu");
        } else if (norm) {
            nn_init_constant_(norm->weight, 1);
            nn_init_constant_(norm->bias, 0);
        }
    }
    return self;
}

static ResNet *resnet18(int64_t num_classes) {
    return res_net(16, num_classes);
}

/* ---- Data, and weights from another task ---- */

static t_TensorDict *pretrain(void) {
    ResNet *model = resnet18(10);
    Tensor *images, *labels;
    synthetic_images(800, 3, image_size, 0.4, &images, &labels);
    data_DataLoader *loader = data_DataLoader(data_TensorDataset(t_list(t_div(t_sub(images, 0.5), 0.25), labels)),
                                              .batch_size = 32, .shuffle = true);
    nn_CrossEntropyLoss *criterion = nn_CrossEntropyLoss();
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 0.005, .momentum = 0.9);
    nn_train(model);
    for_batch (b, loader) {
        optim_zero_grad(optimizer);
        Tensor *loss = nn_call(criterion, nn_call(model, b.x), b.y);
        t_backward(loss);
        optim_step(optimizer);
        if (b.index % 3 == 0) printf("pretraining %d: loss %.4f\n", (int)b.index, t_item(loss));
    }
    return nn_state_dict(model);
}

static data_Dataset *make_dataset(int64_t n) {
    Tensor *images, *labels;
    synthetic_images(n, 3, image_size, 0.4, &images, &labels);
    images = t_div(t_sub(t_transpose(images, 2, 3), 0.5), 0.25);
    return data_TensorDataset(t_list(images, t_remainder(labels, 2)));
}

/* ---- Training ---- */

/* Python makes a temporary directory for the best weights; here their file is the caller's. */
static ResNet *train_model(ResNet *model, nn_CrossEntropyLoss *criterion, optim_Optimizer *optimizer,
                           optim_LRScheduler *scheduler, data_Dataset *const *image_datasets, int num_epochs,
                           const char *best_model_params_path) {
    data_DataLoader *dataloaders[PHASES];
    for_range (x, PHASES)
        dataloaders[x] = t_keep(data_DataLoader(image_datasets[x], .batch_size = 16, .shuffle = true));
    double dataset_sizes[PHASES];
    for_range (x, PHASES) dataset_sizes[x] = (double)data_dataset_len(image_datasets[x]);

    t_save(nn_state_dict(model), best_model_params_path);
    double best_acc = 0.0;

    for_range (epoch, num_epochs) {
        printf("Epoch %d/%d\n", (int)epoch, num_epochs - 1);
        printf("----------\n");

        for_range (phase, PHASES) {
            if (phase == TRAIN) {
                nn_train(model);
            } else {
                nn_eval(model);
            }

            double running_loss = 0.0;
            double running_corrects = 0;

            for_batch (b, dataloaders[phase]) {
                optim_zero_grad(optimizer);

                with_set_grad_enabled (phase == TRAIN) {
                    Tensor *outputs = nn_call(model, b.x);
                    Tensor *preds;
                    t_max(outputs, 1, .indices = &preds);
                    Tensor *loss = nn_call(criterion, outputs, b.y);

                    if (phase == TRAIN) {
                        t_backward(loss);
                        optim_step(optimizer);
                    }

                    running_loss += t_item(loss) * (double)t_size(b.x, 0);
                    running_corrects += t_item(t_sum(t_eq(preds, b.y)));
                }
            }
            if (phase == TRAIN) optim_scheduler_step(scheduler);

            double epoch_loss = running_loss / dataset_sizes[phase];
            double epoch_acc = running_corrects / dataset_sizes[phase];

            printf("%s Loss: %.4f Acc: %.4f\n", phase_names[phase], epoch_loss, epoch_acc);

            if (phase == VAL && epoch_acc > best_acc) {
                best_acc = epoch_acc;
                t_save(nn_state_dict(model), best_model_params_path);
            }
        }
    }

    printf("Best val Acc: %.4f\n", best_acc);

    nn_load_state_dict(model, t_load(best_model_params_path));
    return model;
}

static void show_predictions(ResNet *model, data_Dataset *const *image_datasets, int num_images) {
    bool was_training = model->base.training;
    nn_eval(model);
    int images_so_far = 0;

    with_no_grad () {
        for_batch (b, data_DataLoader(image_datasets[VAL], .batch_size = 4)) {
            Tensor *outputs = nn_call(model, b.x);
            Tensor *preds;
            t_max(outputs, 1, .indices = &preds);

            for_range (j, t_size(b.x, 0)) {
                images_so_far += 1;
                printf("predicted: %s\n", class_names[t_item_int64(t_at(preds, "{}", j))]);

                if (images_so_far == num_images) {
                    nn_train(model, was_training);
                    return;
                }
            }
        }
        nn_train(model, was_training);
    }
}

/* ---- Both ways ---- */

static void finetuning(t_TensorDict *weights, data_Dataset *const *image_datasets, const char *path) {
    ResNet *model_ft = resnet18(10);
    nn_load_state_dict(model_ft, weights);
    int64_t num_ftrs = model_ft->fc->in_features;
    nn_set(model_ft, fc, nn_Linear(num_ftrs, 2));

    nn_CrossEntropyLoss *criterion = nn_CrossEntropyLoss();

    optim_Optimizer *optimizer_ft = optim_SGD(nn_parameters(model_ft), .lr = 0.002, .momentum = 0.9);

    optim_LRScheduler *exp_lr_scheduler = optim_StepLR(optimizer_ft, .step_size = 3, .gamma = 0.1);

    model_ft = train_model(model_ft, criterion, optimizer_ft, exp_lr_scheduler, image_datasets, 5, path);
    show_predictions(model_ft, image_datasets, 6);
}

static void fixed_feature_extractor(t_TensorDict *weights, data_Dataset *const *image_datasets, const char *path) {
    ResNet *model_conv = resnet18(10);
    nn_load_state_dict(model_conv, weights);
    for_parameters (param, model_conv) t_requires_grad_(param, false);

    int64_t num_ftrs = model_conv->fc->in_features;
    nn_set(model_conv, fc, nn_Linear(num_ftrs, 2));
    printf("%d parameters are trained\n", (int)nn_count_parameters(model_conv, true));

    nn_CrossEntropyLoss *criterion = nn_CrossEntropyLoss();

    optim_Optimizer *optimizer_conv = optim_SGD(nn_parameters(model_conv->fc), .lr = 0.01, .momentum = 0.9);

    optim_LRScheduler *exp_lr_scheduler = optim_StepLR(optimizer_conv, .step_size = 3, .gamma = 0.1);

    train_model(model_conv, criterion, optimizer_conv, exp_lr_scheduler, image_datasets, 5, path);
}

static void run(const char *path) {
    t_TensorDict *weights = pretrain();
    data_Dataset *image_datasets[PHASES];
    image_datasets[TRAIN] = make_dataset(240);
    image_datasets[VAL] = make_dataset(150);
    finetuning(weights, image_datasets, path);
    fixed_feature_extractor(weights, image_datasets, path);
}

int main(void) {
    char path[] = "/tmp/best_model_params-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) {
        perror(path);
        return 1;
    }
    close(file);
    t_manual_seed(0);
    run(path);
    remove(path);
    return 0;
}
