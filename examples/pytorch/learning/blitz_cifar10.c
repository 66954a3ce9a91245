/* examples/pytorch/learning/blitz_cifar10.c: "A 60-minute blitz: training a classifier", on images of its own in place
 * of CIFAR-10.
 *
 * Difficulty: **     Read first: blitz_neural_networks     Read next: what_is_nn */
#define _DEFAULT_SOURCE /* mkstemp */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/core.h"
#include "core/data/data.h"
#include "examples/pytorch/synthetic_images.h"
#include "nn/nn.h"
#include "optim/optim.h"

static const char *const classes[] = {"plane", "car", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
static const int batch_size = 4;

/* ---- 1. Load and normalize the images ---- */

static Tensor *normalize(Tensor *images) {
    return t_div(t_sub(images, 0.5), 0.5);
}

static data_Dataset *load(int64_t n) {
    Tensor *images, *labels;
    synthetic_images(n, 3, 32, 0.7, &images, &labels);
    return data_TensorDataset(t_list(normalize(images), labels));
}

/* ---- 2. Define a convolutional network ---- */

typedef struct Net {
    nn_Module base;
    nn_Conv2d *conv1;
    nn_MaxPool2d *pool;
    nn_Conv2d *conv2;
    nn_Linear *fc1, *fc2, *fc3;
} Net;

static Tensor *net_call(Net *self, Tensor *x) {
    x = nn_call(self->pool, F_relu(nn_call(self->conv1, x)));
    x = nn_call(self->pool, F_relu(nn_call(self->conv2, x)));
    x = t_flatten(x, 1);
    x = F_relu(nn_call(self->fc1, x));
    x = F_relu(nn_call(self->fc2, x));
    x = nn_call(self->fc3, x);
    return x;
}

static Net *net_new(void) {
    Net *self = nn_module(Net, net_call);
    nn_set(self, conv1, nn_Conv2d(3, 6, 5));
    nn_set(self, pool, nn_MaxPool2d(2, 2));
    nn_set(self, conv2, nn_Conv2d(6, 16, 5));
    nn_set(self, fc1, nn_Linear(16 * 5 * 5, 120));
    nn_set(self, fc2, nn_Linear(120, 84));
    nn_set(self, fc3, nn_Linear(84, 10));
    return self;
}

/* ---- 3. and 4. A loss, an optimizer, and the training ---- */

static void train(Net *net, data_DataLoader *trainloader) {
    nn_CrossEntropyLoss *criterion = nn_CrossEntropyLoss();
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(net), .lr = 0.001, .momentum = 0.9);

    for_range (epoch, 2) {
        double running_loss = 0.0;
        for_batch (data, trainloader) {
            optim_zero_grad(optimizer);

            Tensor *outputs = nn_call(net, data.x);
            Tensor *loss = nn_call(criterion, outputs, data.y);
            t_backward(loss);
            optim_step(optimizer);

            running_loss += t_item(loss);
            if (data.index % 250 == 249) {
                printf("[%d, %5d] loss: %.3f\n", (int)epoch + 1, (int)data.index + 1, running_loss / 250);
                running_loss = 0.0;
            }
        }
    }
    printf("finished training\n");
}

/* ---- 5. Test the network ---- */

static void look(Net *net, data_DataLoader *testloader) {
    data_Batch data = data_first(testloader);
    for_range (j, 4) printf("truth: %s\n", classes[t_item_int64(t_at(data.y, "{}", j))]);
    Tensor *outputs = nn_call(net, data.x);
    Tensor *predicted;
    t_max(outputs, 1, .indices = &predicted);
    for_range (j, 4) printf("predicted: %s\n", classes[t_item_int64(t_at(predicted, "{}", j))]);
}

static void test(Net *net, data_DataLoader *testloader) {
    double correct = 0;
    int64_t total = 0;
    with_no_grad() {
        for_batch (data, testloader) {
            Tensor *outputs = nn_call(net, data.x);
            Tensor *predicted;
            t_max(t_data(outputs), 1, .indices = &predicted);
            total += t_size(data.y, 0);
            correct += t_item(t_sum(t_eq(predicted, data.y)));
        }
    }
    printf("accuracy on the %d test images: %.1f %%\n", (int)total, 100 * correct / (double)total);
}

static void test_classes(Net *net, data_DataLoader *testloader) {
    double correct_pred[10] = {0};
    double total_pred[10] = {0};
    with_no_grad() {
        for_batch (data, testloader) {
            Tensor *outputs = nn_call(net, data.x);
            Tensor *predictions;
            t_max(outputs, 1, .indices = &predictions);
            for_range (j, t_size(data.y, 0)) {
                int64_t label = t_item_int64(t_at(data.y, "{}", j));
                if (label == t_item_int64(t_at(predictions, "{}", j))) correct_pred[label] += 1;
                total_pred[label] += 1;
            }
        }
    }
    for_range (k, 10) {
        double accuracy = 100 * correct_pred[k] / total_pred[k];
        printf("accuracy for class %-5s is %.1f %%\n", classes[k], accuracy);
    }
}

static void run(const char *path) {
    data_Dataset *trainset = load(4000);
    data_DataLoader *trainloader = data_DataLoader(trainset, .batch_size = batch_size, .shuffle = true);
    data_Dataset *testset = load(1000);
    data_DataLoader *testloader = data_DataLoader(testset, .batch_size = batch_size, .shuffle = false);

    Net *net = net_new();
    train(net, trainloader);
    t_save(nn_state_dict(net), path);

    net = net_new();
    nn_load_state_dict(net, t_load(path));
    look(net, testloader);
    test(net, testloader);
    test_classes(net, testloader);
}

int main(void) {
    t_manual_seed(0);
    char path[] = "/tmp/cifar_net-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) {
        perror(path);
        return 1;
    }
    close(file);
    run(path);
    remove(path);
    return 0;
}
