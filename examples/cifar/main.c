/* examples/cifar/main.c: a residual network on CIFAR-10, with the usual augmentation: random crops and flips.
 *
 *     build/examples/cifar                       on coloured shapes drawn by shapes.c
 *     build/examples/cifar --data ../data        on the real CIFAR-10, from ../data/cifar-10-batches-py (or -bin)
 *
 * Without the files in the folder it draws a set of its own, in CIFAR-10's format, and writes it there. */
#include <stdio.h>

#include "core/core.h"
#include "core/data/data.h"
#include "core/python/python.h"
#include "core/vision/vision.h"
#include "examples/cifar/shapes.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* ---- the network: He et al., "Deep Residual Learning for Image Recognition", 2015, section 4.2 ---- */

typedef struct BasicBlock {
    nn_Module base;
    nn_Conv2d *conv1, *conv2;
    nn_BatchNorm2d *bn1, *bn2;
    nn_Sequential *shortcut;
} BasicBlock;

static Tensor *basic_block_call(BasicBlock *self, Tensor *x) {
    Tensor *out = F_relu(nn_call(self->bn1, nn_call(self->conv1, x)));
    out = nn_call(self->bn2, nn_call(self->conv2, out));
    out = t_add(out, nn_call(self->shortcut, x));
    out = F_relu(out);
    return out;
}

static BasicBlock *basic_block(int64_t in_planes, int64_t planes, int64_t stride) {
    BasicBlock *self = nn_module(BasicBlock, basic_block_call);
    nn_set(self, conv1, nn_Conv2d(in_planes, planes, 3, .stride = stride, .padding = 1, .bias = false));
    nn_set(self, bn1, nn_BatchNorm2d(planes));
    nn_set(self, conv2, nn_Conv2d(planes, planes, 3, .stride = 1, .padding = 1, .bias = false));
    nn_set(self, bn2, nn_BatchNorm2d(planes));
    if (stride != 1 || in_planes != planes)
        nn_set(self, shortcut, nn_Sequential(nn_Conv2d(in_planes, planes, 1, .stride = stride, .bias = false),
                                             nn_BatchNorm2d(planes)));
    else
        nn_set(self, shortcut, nn_Sequential());
    return self;
}

typedef struct ResNet {
    nn_Module base;
    nn_Conv2d *conv1;
    nn_BatchNorm2d *bn1;
    nn_Sequential *layer1, *layer2, *layer3;
    nn_Linear *linear;
} ResNet;

static Tensor *resnet_call(ResNet *self, Tensor *x) {
    Tensor *out = F_relu(nn_call(self->bn1, nn_call(self->conv1, x)));
    out = nn_call(self->layer1, out);
    out = nn_call(self->layer2, out);
    out = nn_call(self->layer3, out);
    out = t_mean(out, (2, 3));
    out = nn_call(self->linear, out);
    return out;
}

static nn_Sequential *layer(int64_t in_planes, int64_t planes, int64_t blocks, int64_t stride) {
    nn_Sequential *self = nn_Sequential(basic_block(in_planes, planes, stride));
    for (int64_t i = 1; i < blocks; i++) nn_append(self, basic_block(planes, planes, 1));
    return self;
}

static ResNet *resnet(int64_t blocks, int64_t width, int64_t num_classes) {
    ResNet *self = nn_module(ResNet, resnet_call);
    nn_set(self, conv1, nn_Conv2d(3, width, 3, .stride = 1, .padding = 1, .bias = false));
    nn_set(self, bn1, nn_BatchNorm2d(width));
    nn_set(self, layer1, layer(width, width, blocks, 1));
    nn_set(self, layer2, layer(width, 2 * width, blocks, 2));
    nn_set(self, layer3, layer(2 * width, 4 * width, blocks, 2));
    nn_set(self, linear, nn_Linear(4 * width, num_classes));
    return self;
}

/* ---- training ---- */

typedef struct Args {
    int64_t batch_size, epochs, blocks, width, num_workers, seed, shapes;
    double lr;
    const char *data;
} Args;

static double correct_of(Tensor *outputs, Tensor *targets) {
    return t_item(t_sum(t_eq(t_argmax(outputs, 1), targets)));
}

static void train(ResNet *net, data_DataLoader *trainloader, optim_Optimizer *optimizer,
                  optim_LRScheduler *scheduler, int64_t epoch) {
    double train_loss = 0, correct = 0, total = 0;
    nn_train(net);
    for_batch (batch, trainloader) {
        optim_zero_grad(optimizer);
        Tensor *outputs = nn_call(net, batch.x);
        Tensor *loss = F_cross_entropy(outputs, batch.y);
        t_backward(loss);
        optim_step(optimizer);
        optim_scheduler_step(scheduler);
        train_loss += t_item(loss) * (double)batch.size;
        correct += correct_of(outputs, batch.y);
        total += (double)batch.size;
    }
    printf("Epoch %d: loss %.3f, accuracy %.2f%%", (int)epoch, train_loss / total, 100 * correct / total);
}

static void test(ResNet *net, data_DataLoader *testloader, double *correct, double *total) {
    nn_eval(net);
    with_no_grad() {
        for_batch (batch, testloader) {
            Tensor *predicted = t_argmax(nn_call(net, batch.x), 1);
            for_range (i, 0, batch.size) {
                const int64_t target = (int64_t)t_item(t_at(batch.y, "{}", i));
                total[target]++;
                correct[target] += (int64_t)t_item(t_at(predicted, "{}", i)) == target;
            }
        }
    }
}

int main(int argc, char **argv) {
    Args args = {.batch_size = 64, .epochs = 6, .blocks = 1, .width = 16, .lr = 0.1};
    argparse_ArgumentParser *parser = argparse_ArgumentParser(.description = "Trains a ResNet on CIFAR-10.");
    argparse_add_argument(parser, &args.epochs, "--epochs", .help = "passes over the images (default: %(default)s)");
    argparse_add_argument(parser, &args.batch_size, "--batch-size", .help = "images in a step (default: %(default)s)");
    argparse_add_argument(parser, &args.lr, "--lr", .help = "largest learning rate (default: %(default)s)");
    argparse_add_argument(parser, &args.blocks, "--blocks",
                          .help = "residual blocks in each of three stages: 1 is ResNet-8, 3 ResNet-20 (default: 1)");
    argparse_add_argument(parser, &args.width, "--width", .help = "planes of the first stage (default: %(default)s)");
    argparse_add_argument(parser, &args.num_workers, "--num-workers", .help = "threads that read (default: 0)");
    argparse_add_argument(parser, &args.seed, "--seed", .help = "random seed (default: 0)");
    argparse_add_argument(parser, &args.data, "--data",
                          .help = "the folder of CIFAR-10 (default: build/shapes, which the first run draws)");
    argparse_add_argument(parser, &args.shapes, "--shapes",
                          .help = "draw so many into an empty DATA, and a sixth of that for the test (default: 6000)");
    if (!argparse_parse_args(parser, argc, argv)) return parser->status;

    /* A folder that only --data names must have the real images. */
    const bool draw = !args.data || args.shapes;
    if (!args.data) args.data = "build/shapes";
    if (!args.shapes) args.shapes = 6000;
    if (draw && !have_cifar10(args.data)) {
        printf("Drawing %d shapes into %s\n", (int)(args.shapes + args.shapes / 6), args.data);
        if (!write_shapes(args.data, args.shapes, args.shapes / 6, 0)) return 1;
    }
    t_manual_seed(args.seed);

    transforms_Transform *transform_train = transforms_Compose(
        transforms_RandomCrop(32, .padding = 4), transforms_RandomHorizontalFlip(), transforms_ToTensor(),
        transforms_Normalize((0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)));
    transforms_Transform *transform_test = transforms_Compose(
        transforms_ToTensor(), transforms_Normalize((0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)));
    data_Dataset *trainset = datasets_CIFAR10(args.data, .train = true, .transform = transform_train);
    data_DataLoader *trainloader =
        data_DataLoader(trainset, .batch_size = args.batch_size, .shuffle = true, .num_workers = args.num_workers);
    data_Dataset *testset = datasets_CIFAR10(args.data, .train = false, .transform = transform_test);
    data_DataLoader *testloader = data_DataLoader(testset, .batch_size = 100);
    int64_t num_classes;
    const char *const *classes = datasets_classes(testset, &num_classes);
    printf("%d images for training, %d for the test\n", (int)data_dataset_len(trainset),
           (int)data_dataset_len(testset));

    ResNet *net = resnet(args.blocks, args.width, num_classes);
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(net), .lr = args.lr, .momentum = 0.9, .weight_decay = 5e-4);
    optim_LRScheduler *scheduler =
        optim_OneCycleLR(optimizer, .max_lr = args.lr, .epochs = args.epochs, .steps_per_epoch = data_len(trainloader));
    double correct[100] = {0}, total[100] = {0};
    for_range (epoch, 1, args.epochs + 1) {
        double right = 0, all = 0;
        train(net, trainloader, optimizer, scheduler, epoch);
        for (int i = 0; i < 100; i++) correct[i] = total[i] = 0;
        test(net, testloader, correct, total);
        for (int i = 0; i < 100; i++) right += correct[i], all += total[i];
        printf("; of the test images %.2f%%\n", 100 * right / all);
    }
    for (int64_t i = 0; i < num_classes; i++)
        printf("Accuracy for class: %-10s is %.1f %%\n", classes[i], 100 * correct[i] / total[i]);
    return 0;
}
