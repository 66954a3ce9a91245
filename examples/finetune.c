/* examples/finetune.c: a ResNet whose weights come from a file learns two new classes: its last layer is replaced, the
 * rest is frozen.
 *
 *     build/examples/finetune                             # weights of a small ResNet, which the program makes first
 *     build/examples/finetune resnet18-f37072fd.pth       # those of a resnet18 from torchvision
 *     build/examples/finetune IMAGENET1K_V1               # the same from torchvision's cache of downloads
 *
 * In Python:
 *
 *     model = models.resnet18(weights="IMAGENET1K_V1")
 *     for parameter in model.parameters(): parameter.requires_grad = False
 *     model.fc = nn.Linear(model.fc.in_features, 2)
 *     optimizer = optim.SGD(model.fc.parameters(), lr=0.01, momentum=0.9) */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/core.h"
#include "core/data/data.h"
#include "examples/pytorch/synthetic_images.h"
#include "nn/models/models.h"
#include "optim/optim.h"

enum { image_size = 32, batch_size = 16 };

/* Images as torchvision's weights expect them: normalised by the mean and standard deviation of ImageNet. */
static Tensor *normalized(Tensor *images) {
    Tensor *mean = t_view(t_tensor("[0.485, 0.456, 0.406]"), 3, 1, 1),
           *std = t_view(t_tensor("[0.229, 0.224, 0.225]"), 3, 1, 1);
    return t_div(t_sub(images, mean), std);
}

static data_DataLoader *make_loader(int64_t n, bool ten_classes) {
    Tensor *images, *labels;
    synthetic_images(n, 3, image_size, 0.4, &images, &labels);
    if (!ten_classes) labels = t_remainder(labels, 2); /* odd or even: another task than the weights were made for */
    return data_DataLoader(data_TensorDataset(t_list(normalized(images), labels)), .batch_size = batch_size,
                           .shuffle = true);
}

static void train(models_ResNet *model, optim_Optimizer *optimizer, data_DataLoader *loader, const char *name) {
    double running = 0, batches = 0;
    nn_train(model);
    for_batch (b, loader) {
        Tensor *loss = F_cross_entropy(nn_call(model, b.x), b.y);
        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);
        running += t_item(loss);
        batches += 1;
    }
    printf("%s: loss %.2f\n", name, running / batches);
}

static double accuracy(models_ResNet *model, data_DataLoader *loader) {
    double right = 0, count = 0;
    nn_eval(model);
    for_batch (b, loader) {
        with_no_grad () {
            right += t_item(t_sum(t_eq(t_argmax(nn_call(model, b.x), 1), b.y)));
            count += (double)t_size(b.x, 0);
        }
    }
    return right / count;
}

static models_ResNet *small_resnet(const char *weights) {
    return models_ResNet(models_basic_block, (1, 1, 1, 1), .num_classes = 10, .weights = weights);
}

/* A file of weights, trained on ten classes. */
static void make_weights(const char *path) {
    models_ResNet *model = small_resnet(NULL);
    train(model, optim_SGD(nn_parameters(model), .lr = 0.01, .momentum = 0.9), make_loader(640, true),
          "making weights");
    t_save(nn_state_dict(model), path);
}

static void finetune(models_ResNet *model) {
    for_parameters (parameter, model) t_requires_grad_(parameter, false);
    nn_set(model, fc, nn_Linear(model->fc->in_features, 2));
    printf("%d of %d parameters are trained\n", (int)nn_count_parameters(model, true),
           (int)nn_count_parameters(model, false));
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model->fc), .lr = 0.01, .momentum = 0.9);
    data_DataLoader *loader = make_loader(320, false), *fresh = make_loader(160, false);
    printf("accuracy before: %.2f\n", accuracy(model, fresh));
    for_range (epoch, 0, 3) train(model, optimizer, loader, t_format("epoch %d", (int)epoch));
    printf("accuracy after: %.2f\n", accuracy(model, fresh));
}

int main(int argc, char **argv) {
    t_manual_seed(0);
    if (argc > 1) {
        finetune(models_resnet18(.weights = argv[1]));
        return 0;
    }
    char folder[] = "/tmp/finetune-XXXXXX";
    if (!mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    const char *path = t_format("%s/weights.safetensors", folder);
    with_scope () {
        make_weights(path);
    }
    finetune(small_resnet(path));
    remove(path);
    rmdir(folder);
    return 0;
}
