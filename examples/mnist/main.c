/* examples/mnist/main.c: PyTorch's example "mnist", line by line: a convolutional network that reads digits.
 *
 *     build/examples/mnist                       on digits drawn by digits.c
 *     build/examples/mnist --data ../data        on the real MNIST, from ../data/MNIST/raw
 *
 * Without the files in the folder it draws a set of its own, in MNIST's format, and writes it there. */
#include <stdio.h>

#include "core/core.h"
#include "core/data/data.h"
#include "core/python/python.h"
#include "core/vision/vision.h"
#include "examples/mnist/digits.h"
#include "nn/nn.h"
#include "optim/optim.h"

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
    Tensor *output = F_log_softmax(x, 1);
    return output;
}

static Net *net(void) {
    Net *self = nn_module(Net, net_call);
    nn_set(self, conv1, nn_Conv2d(1, 32, 3, 1));
    nn_set(self, conv2, nn_Conv2d(32, 64, 3, 1));
    nn_set(self, dropout1, nn_Dropout(0.25));
    nn_set(self, dropout2, nn_Dropout(0.5));
    nn_set(self, fc1, nn_Linear(9216, 128));
    nn_set(self, fc2, nn_Linear(128, 10));
    return self;
}

typedef struct Args {
    int64_t batch_size, test_batch_size, epochs, seed, log_interval, digits;
    double lr, gamma;
    bool dry_run, save_model;
    const char *data;
} Args;

static void train(const Args *args, Net *model, data_DataLoader *train_loader, optim_Optimizer *optimizer,
                  int64_t epoch) {
    nn_train(model);
    const int64_t samples = data_dataset_len(data_dataset(train_loader));
    for_batch (batch, train_loader) {
        Tensor *data = batch.x, *target = batch.y;
        optim_zero_grad(optimizer);
        Tensor *output = nn_call(model, data);
        Tensor *loss = F_nll_loss(output, target);
        t_backward(loss);
        optim_step(optimizer);
        if (batch.index % args->log_interval == 0) {
            printf("Train Epoch: %d [%d/%d (%.0f%%)]\tLoss: %.6f\n", (int)epoch, (int)(batch.index * t_size(data, 0)),
                   (int)samples, 100. * (double)batch.index / (double)data_len(train_loader), t_item(loss));
            if (args->dry_run) break;
        }
    }
}

static void test(Net *model, data_DataLoader *test_loader) {
    nn_eval(model);
    double test_loss = 0, correct = 0;
    with_no_grad() {
        for_batch (batch, test_loader) {
            Tensor *data = batch.x, *target = batch.y;
            Tensor *output = nn_call(model, data);
            test_loss += t_item(F_nll_loss(output, target, .reduction = "sum")); /* sum up batch loss */
            Tensor *pred = t_argmax(output, 1, .keepdim = true); /* get the index of the max log-probability */
            correct += t_item(t_sum(t_eq(pred, t_view_as(target, pred))));
        }
    }
    const double samples = (double)data_dataset_len(data_dataset(test_loader));
    test_loss /= samples;
    printf("\nTest set: Average loss: %.4f, Accuracy: %.0f/%.0f (%.0f%%)\n\n", test_loss, correct, samples,
           100. * correct / samples);
}

int main(int argc, char **argv) {
    /* Training settings */
    Args args = {.batch_size = 64, .test_batch_size = 1000, .epochs = 3, .lr = 1.0, .gamma = 0.7, .seed = 1,
                 .log_interval = 10};
    argparse_ArgumentParser *parser = argparse_ArgumentParser(.description = "PyTorch MNIST Example");
    argparse_add_argument(parser, &args.batch_size, "--batch-size", .metavar = "N",
                          .help = "input batch size for training (default: 64)");
    argparse_add_argument(parser, &args.test_batch_size, "--test-batch-size", .metavar = "N",
                          .help = "input batch size for testing (default: 1000)");
    argparse_add_argument(parser, &args.epochs, "--epochs", .metavar = "N",
                          .help = "number of epochs to train (default: 3; PyTorch's example: 14)");
    argparse_add_argument(parser, &args.lr, "--lr", .metavar = "LR", .help = "learning rate (default: 1.0)");
    argparse_add_argument(parser, &args.gamma, "--gamma", .metavar = "M",
                          .help = "Learning rate step gamma (default: 0.7)");
    argparse_add_argument(parser, &args.dry_run, "--dry-run", .help = "quickly check a single pass");
    argparse_add_argument(parser, &args.seed, "--seed", .metavar = "S", .help = "random seed (default: 1)");
    argparse_add_argument(parser, &args.log_interval, "--log-interval", .metavar = "N",
                          .help = "how many batches to wait before logging training status");
    argparse_add_argument(parser, &args.save_model, "--save-model", .help = "For Saving the current Model");
    argparse_add_argument(parser, &args.data, "--data", .metavar = "DIR",
                          .help = "the folder with MNIST/raw (default: build/digits, which the first run draws)");
    argparse_add_argument(parser, &args.digits, "--digits", .metavar = "N",
                          .help = "draw so many into an empty DIR, and a sixth of that for the test (default: 6000)");
    if (!argparse_parse_args(parser, argc, argv)) return parser->status;

    /* In place of download=True in PyTorch's example. A folder that only --data names must have the real digits. */
    const bool draw = !args.data || args.digits;
    if (!args.data) args.data = "build/digits";
    if (!args.digits) args.digits = 6000;
    if (draw && !have_digits(args.data)) {
        printf("Drawing %d digits into %s\n", (int)(args.digits + args.digits / 6), args.data);
        if (!write_digits(args.data, args.digits, args.digits / 6, 0)) return 1;
    }

    t_manual_seed(args.seed);

    transforms_Transform *transform = transforms_Compose(
        transforms_ToTensor(),
        transforms_Normalize((0.1307,), (0.3081,))
    );
    data_Dataset *dataset1 = datasets_MNIST(args.data, .train = true, .transform = transform);
    data_Dataset *dataset2 = datasets_MNIST(args.data, .train = false, .transform = transform);
    data_DataLoader *train_loader = data_DataLoader(dataset1, .batch_size = args.batch_size);
    data_DataLoader *test_loader = data_DataLoader(dataset2, .batch_size = args.test_batch_size);

    Net *model = net();
    optim_Optimizer *optimizer = optim_Adadelta(nn_parameters(model), .lr = args.lr);

    optim_LRScheduler *scheduler = optim_StepLR(optimizer, .step_size = 1, .gamma = args.gamma);
    for_range (epoch, 1, args.epochs + 1) {
        train(&args, model, train_loader, optimizer, epoch);
        test(model, test_loader);
        optim_scheduler_step(scheduler);
    }

    if (args.save_model) t_save(nn_state_dict(model), "mnist_cnn.pt");
    return 0;
}
