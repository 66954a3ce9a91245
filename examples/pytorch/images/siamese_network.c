/* examples/pytorch/images/siamese_network.c: the Siamese network of PyTorch's examples: do two images show the same
 * class?
 *
 * Difficulty: **     Read first: fgsm     Read next: train_classifier */
#include <stdio.h>

#include "core/core.h"
#include "core/data/data.h"
#include "core/python/python.h"
#include "examples/pytorch/synthetic_images.h"
#include "nn/nn.h"
#include "optim/optim.h"

typedef struct SiameseNetwork {
    nn_Module base;
    nn_Sequential *cnn, *fc;
    nn_Sigmoid *sigmoid;
} SiameseNetwork;

static void init_weights(nn_Module *m, void *context) {
    (void)context;
    nn_Linear *linear = nn_as(m, nn_Linear);
    if (linear) {
        nn_init_xavier_uniform_(linear->weight);
        t_fill_(t_data(linear->bias), 0.01);
    }
}

static Tensor *siamese_network_forward_once(SiameseNetwork *self, Tensor *x) {
    Tensor *output = nn_call(self->cnn, x);
    output = t_view(output, t_size(output, 0), -1);
    return output;
}

static Tensor *siamese_network_call(SiameseNetwork *self, Tensor *input1, Tensor *input2) {
    Tensor *output1 = siamese_network_forward_once(self, input1);
    Tensor *output2 = siamese_network_forward_once(self, input2);

    Tensor *output = t_cat(t_list(output1, output2), 1);

    output = nn_call(self->fc, output);

    output = nn_call(self->sigmoid, output);

    return output;
}

static SiameseNetwork *siamese_network(void) {
    SiameseNetwork *self = nn_module2(SiameseNetwork, siamese_network_call);
    nn_set(self, cnn,
           nn_Sequential(nn_Conv2d(1, 8, 3, 2, 1), nn_ReLU(), nn_Conv2d(8, 16, 3, 2, 1), nn_ReLU(), nn_Flatten(),
                         nn_Linear(784, 32)));

    nn_set(self, fc, nn_Sequential(nn_Linear(64, 64), nn_ReLU(.inplace = true), nn_Linear(64, 1)));

    nn_set(self, sigmoid, nn_Sigmoid());

    nn_apply(self->cnn, init_weights);
    nn_apply(self->fc, init_weights);
    return self;
}

/* Half of the pairs are of the same class. */
static data_Dataset *make_pairs(int64_t n) {
    Tensor *images, *labels;
    synthetic_images(1000, 1, 28, 0.3, &images, &labels);
    Tensor *first = t_zeros(n, .dtype = t_int64);
    Tensor *second = t_zeros(n, .dtype = t_int64);
    Tensor *targets = t_zeros(n);
    for_range (i, n) {
        int64_t index_1 = random_randint(0, 999);
        int64_t index_2 = random_randint(0, 999);
        bool same = i % 2 == 0;
        while ((t_item(t_at(labels, "{}", index_1)) == t_item(t_at(labels, "{}", index_2))) != same)
            index_2 = random_randint(0, 999);
        t_set(first, "{}", i, index_1);
        t_set(second, "{}", i, index_2);
        t_set(targets, "{}", i, (double)same);
    }
    return data_TensorDataset(t_list(t_at(images, "{}", first), t_at(images, "{}", second), targets));
}

static void train(SiameseNetwork *model, data_DataLoader *train_loader, optim_Optimizer *optimizer, int epoch) {
    nn_train(model);
    nn_BCELoss *criterion = nn_BCELoss();

    for_batch (batch, train_loader) {
        optim_zero_grad(optimizer);
        Tensor *outputs = t_squeeze(nn_call(model, batch.items[0], batch.items[1]));
        Tensor *loss = nn_call(criterion, outputs, batch.items[2]);
        t_backward(loss);
        optim_step(optimizer);
        if (batch.index % 10 == 0)
            printf("train epoch %d: batch %d/%d, loss %.4f\n", epoch, (int)batch.index, (int)data_len(train_loader),
                   t_item(loss));
    }
}

static void test(SiameseNetwork *model, data_DataLoader *test_loader) {
    nn_eval(model);
    double test_loss = 0;
    double correct = 0;
    nn_BCELoss *criterion = nn_BCELoss();

    with_no_grad() {
        for_batch (batch, test_loader) {
            Tensor *targets = batch.items[2];
            Tensor *outputs = t_squeeze(nn_call(model, batch.items[0], batch.items[1]));
            test_loss += t_item(nn_call(criterion, outputs, targets));
            Tensor *pred = t_where(t_gt(outputs, 0.5), 1.0, 0.0);
            correct += t_item(t_sum(t_eq(pred, t_view_as(targets, pred))));
        }
    }

    test_loss /= (double)data_len(test_loader);
    double accuracy = correct / (double)data_dataset_len(data_dataset(test_loader));
    printf("test set: average loss %.4f, accuracy %.3f\n", test_loss, accuracy);
}

static void run(void) {
    data_DataLoader *train_loader = data_DataLoader(make_pairs(2000), .batch_size = 64, .shuffle = true);
    data_DataLoader *test_loader = data_DataLoader(make_pairs(500), .batch_size = 50);

    SiameseNetwork *model = siamese_network();
    optim_Optimizer *optimizer = optim_Adadelta(nn_parameters(model), .lr = 0.5);

    optim_LRScheduler *scheduler = optim_StepLR(optimizer, .step_size = 1, .gamma = 0.7);
    for_range (epoch, 1, 6) {
        train(model, train_loader, optimizer, (int)epoch);
        test(model, test_loader);
        optim_scheduler_step(scheduler);
    }
}

int main(void) {
    random_seed(1);
    t_manual_seed(1);
    run();
    return 0;
}
