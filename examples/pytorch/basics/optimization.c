/* examples/pytorch/basics/optimization.c: "Learn the basics: optimizing model parameters".
 *
 * Difficulty: *     Read first: basics/autograd     Read next: basics/save_load */
#include <stdio.h>

#include "core/core.h"
#include "core/data/data.h"
#include "examples/pytorch/synthetic_images.h"
#include "nn/nn.h"
#include "optim/optim.h"

static const int64_t batch_size = 64;

typedef struct NeuralNetwork {
    nn_Module base;
    nn_Flatten *flatten;
    nn_Sequential *linear_relu_stack;
} NeuralNetwork;

static Tensor *neural_network_call(NeuralNetwork *self, Tensor *x) {
    x = nn_call(self->flatten, x);
    Tensor *logits = nn_call(self->linear_relu_stack, x);
    return logits;
}

static NeuralNetwork *neural_network(void) {
    NeuralNetwork *self = nn_module(NeuralNetwork, neural_network_call);
    nn_set(self, flatten, nn_Flatten());
    nn_set(self, linear_relu_stack,
           nn_Sequential(nn_Linear(28 * 28, 512), nn_ReLU(), nn_Linear(512, 512), nn_ReLU(), nn_Linear(512, 10)));
    return self;
}

static void train_loop(data_DataLoader *dataloader, NeuralNetwork *model, nn_CrossEntropyLoss *loss_fn,
                       optim_Optimizer *optimizer) {
    int64_t size = data_dataset_len(data_dataset(dataloader));
    nn_train(model);
    for_batch (batch, dataloader) {
        Tensor *pred = nn_call(model, batch.x);
        Tensor *loss = nn_call(loss_fn, pred, batch.y);

        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);

        if (batch.index % 20 == 0) {
            double loss_item = t_item(loss);
            int64_t current = batch.index * batch_size + batch.size;
            printf("loss: %7.4f  [%5d/%5d]\n", loss_item, (int)current, (int)size);
        }
    }
}

static void test_loop(data_DataLoader *dataloader, NeuralNetwork *model, nn_CrossEntropyLoss *loss_fn) {
    nn_eval(model);
    int64_t size = data_dataset_len(data_dataset(dataloader));
    int64_t num_batches = data_len(dataloader);
    double test_loss = 0;
    double correct = 0;

    with_no_grad() {
        for_batch (batch, dataloader) {
            Tensor *pred = nn_call(model, batch.x);
            test_loss += t_item(nn_call(loss_fn, pred, batch.y));
            correct += t_item(t_sum(t_float(t_eq(t_argmax(pred, 1), batch.y))));
        }
    }

    test_loss /= (double)num_batches;
    correct /= (double)size;
    printf("test: accuracy %.1f%%, average loss %.4f\n\n", 100 * correct, test_loss);
}

static void optimize(void) {
    Tensor *images, *labels;
    synthetic_images(4000, 1, 28, 0.5, &images, &labels);
    data_Dataset *training_data = data_TensorDataset(t_list(images, labels));
    synthetic_images(1000, 1, 28, 0.5, &images, &labels);
    data_Dataset *test_data = data_TensorDataset(t_list(images, labels));
    data_DataLoader *train_dataloader = data_DataLoader(training_data, .batch_size = batch_size);
    data_DataLoader *test_dataloader = data_DataLoader(test_data, .batch_size = batch_size);

    NeuralNetwork *model = neural_network();
    double learning_rate = 3e-2;
    nn_CrossEntropyLoss *loss_fn = nn_CrossEntropyLoss();
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = learning_rate);

    int epochs = 10;
    for_range (t, epochs) {
        printf("epoch %d\n-------------------------------\n", (int)t + 1);
        train_loop(train_dataloader, model, loss_fn, optimizer);
        test_loop(test_dataloader, model, loss_fn);
    }
    printf("done\n");
}

int main(void) {
    t_manual_seed(0);
    optimize();
    return 0;
}
