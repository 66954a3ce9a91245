/* examples/pytorch/learning/what_is_nn.c: "What is torch.nn really?": the same classifier by tensors alone, then part
 * for part by what nn, optim and torch.utils.data have for it, on images of 784 values.
 *
 * Difficulty: **     Read first: blitz_cifar10     Read next: text/char_rnn_classification */
#include <math.h>
#include <stdio.h>

#include "core/core.h"
#include "core/data/data.h"
#include "examples/pytorch/synthetic_images.h"
#include "nn/nn.h"
#include "optim/optim.h"

static const int bs = 64;
static const double lr = 0.05;
static const int epochs = 2;
static const int n = 5000;

static void digits(int64_t count, Tensor **x, Tensor **y) {
    Tensor *images;
    synthetic_images(count, 1, 28, 0.4, &images, y);
    *x = t_view(images, -1, 784);
}

/* ---- Tensors alone ---- */

static Tensor *log_softmax(Tensor *x) {
    return t_sub(x, t_unsqueeze(t_log(t_sum(t_exp(x), -1)), -1));
}

static Tensor *nll(Tensor *input, Tensor *target) {
    return t_neg(t_mean(t_at(input, "{}, {}", t_arange(t_size(target, 0)), target)));
}

static Tensor *accuracy(Tensor *out, Tensor *yb) {
    Tensor *preds = t_argmax(out, .dim = 1);
    return t_mean(t_float(t_eq(preds, yb)));
}

static void from_scratch(Tensor *x_train, Tensor *y_train) {
    Tensor *weights = t_div(t_randn(784, 10), sqrt(784));
    t_requires_grad_(weights, true);
    Tensor *bias = t_zeros(10, .requires_grad = true);

    Tensor *xb = t_at(x_train, "0:{}", bs);
    Tensor *yb = t_at(y_train, "0:{}", bs);
    Tensor *preds = log_softmax(t_add(t_matmul(xb, weights), bias));
    t_print(t_at(preds, "0"), t_size_repr(preds));
    t_print(nll(preds, yb));
    t_print(accuracy(preds, yb));

    for_range (epoch, epochs) {
        for_range (i, (n - 1) / bs + 1) {
            int64_t start_i = i * bs;
            int64_t end_i = start_i + bs;
            xb = t_at(x_train, "{}:{}", start_i, end_i);
            yb = t_at(y_train, "{}:{}", start_i, end_i);
            Tensor *pred = log_softmax(t_add(t_matmul(xb, weights), bias));
            Tensor *loss = nll(pred, yb);

            t_backward(loss);
            with_no_grad() {
                t_sub_(weights, t_mul(t_grad(weights), lr));
                t_sub_(bias, t_mul(t_grad(bias), lr));
                t_zero_(t_grad(weights));
                t_zero_(t_grad(bias));
            }
        }
    }

    xb = t_at(x_train, "0:{}", bs);
    yb = t_at(y_train, "0:{}", bs);
    Tensor *pred = log_softmax(t_add(t_matmul(xb, weights), bias));
    t_print(nll(pred, yb), accuracy(pred, yb));
    pred = t_add(t_matmul(xb, weights), bias);
    t_print(F_cross_entropy(pred, yb), accuracy(pred, yb));
}

/* ---- nn.Module, nn.Parameter, nn.Linear ---- */

typedef struct MnistLogistic {
    nn_Module base;
    Tensor *weights, *bias;
} MnistLogistic;

static Tensor *mnist_logistic_call(MnistLogistic *self, Tensor *xb) {
    return t_add(t_matmul(xb, self->weights), self->bias);
}

static MnistLogistic *mnist_logistic(void) {
    MnistLogistic *self = nn_module(MnistLogistic, mnist_logistic_call);
    nn_set(self, weights, nn_Parameter(t_div(t_randn(784, 10), sqrt(784))));
    nn_set(self, bias, nn_Parameter(t_zeros(10)));
    return self;
}

typedef struct MnistLinear {
    nn_Module base;
    nn_Linear *lin;
} MnistLinear;

static Tensor *mnist_linear_call(MnistLinear *self, Tensor *xb) {
    return nn_call(self->lin, xb);
}

static MnistLinear *mnist_linear(void) {
    MnistLinear *self = nn_module(MnistLinear, mnist_linear_call);
    nn_set(self, lin, nn_Linear(784, 10));
    return self;
}

/* model: any module */
static void fit_by_hand(void *model, Tensor *x_train, Tensor *y_train) {
    for_range (epoch, epochs) {
        for_range (i, (n - 1) / bs + 1) {
            int64_t start_i = i * bs;
            int64_t end_i = start_i + bs;
            Tensor *xb = t_at(x_train, "{}:{}", start_i, end_i);
            Tensor *yb = t_at(y_train, "{}:{}", start_i, end_i);
            Tensor *pred = nn_call(model, xb);
            Tensor *loss = F_cross_entropy(pred, yb);

            t_backward(loss);
            with_no_grad() {
                for_parameters (p, model) t_sub_(p, t_mul(t_grad(p), lr));
                nn_zero_grad(model);
            }
        }
    }
}

static void refactor_modules(Tensor *x_train, Tensor *y_train) {
    Tensor *xb = t_at(x_train, "0:{}", bs);
    Tensor *yb = t_at(y_train, "0:{}", bs);

    MnistLogistic *logistic = mnist_logistic();
    t_print(F_cross_entropy(nn_call(logistic, xb), yb));
    fit_by_hand(logistic, x_train, y_train);
    t_print(F_cross_entropy(nn_call(logistic, xb), yb));

    MnistLinear *linear = mnist_linear();
    t_print(F_cross_entropy(nn_call(linear, xb), yb));
    fit_by_hand(linear, x_train, y_train);
    t_print(F_cross_entropy(nn_call(linear, xb), yb));
}

/* ---- optim, Dataset and DataLoader ---- */

static MnistLinear *get_model(optim_Optimizer **opt) {
    MnistLinear *model = mnist_linear();
    *opt = optim_SGD(nn_parameters(model), .lr = lr);
    return model;
}

static void refactor_optim(Tensor *x_train, Tensor *y_train) {
    optim_Optimizer *opt;
    MnistLinear *model = get_model(&opt);
    data_Dataset *train_ds = data_TensorDataset(t_list(x_train, y_train));
    data_DataLoader *train_dl = data_DataLoader(train_ds, .batch_size = bs);
    for_range (epoch, epochs) {
        for_batch (b, train_dl) {
            Tensor *pred = nn_call(model, b.x);
            Tensor *loss = F_cross_entropy(pred, b.y);

            t_backward(loss);
            optim_step(opt);
            optim_zero_grad(opt);
        }
    }
    t_print(F_cross_entropy(nn_call(model, t_at(x_train, "0:{}", bs)), t_at(y_train, "0:{}", bs)));
}

/* ---- Validation ---- */

static double loss_batch(void *model, Tensor *xb, Tensor *yb, optim_Optimizer *opt, int64_t *num) {
    Tensor *loss = F_cross_entropy(nn_call(model, xb), yb);

    if (opt != NULL) {
        t_backward(loss);
        optim_step(opt);
        optim_zero_grad(opt);
    }

    *num = t_size(xb, 0);
    return t_item(loss);
}

static void fit(int n_epochs, void *model, optim_Optimizer *opt, data_DataLoader *train_dl, data_DataLoader *valid_dl) {
    int64_t num;
    for_range (epoch, n_epochs) {
        nn_train(model);
        for_batch (b, train_dl) {
            loss_batch(model, b.x, b.y, opt, &num);
        }

        nn_eval(model);
        double total = 0;
        int64_t nums = 0;
        with_no_grad() {
            for_batch (b, valid_dl) {
                double loss = loss_batch(model, b.x, b.y, NULL, &num);
                total += loss * (double)num;
                nums += num;
            }
        }
        double val_loss = total / (double)nums;
        printf("%d %.4f\n", (int)epoch, val_loss);
    }
}

static data_DataLoader *get_data(data_Dataset *train_ds, data_Dataset *valid_ds, int batch_size,
                                 data_Collate collate_fn, data_DataLoader **valid_dl) {
    data_DataLoader *train_dl =
        data_DataLoader(train_ds, .batch_size = batch_size, .shuffle = true, .collate_fn = collate_fn);
    *valid_dl = data_DataLoader(valid_ds, .batch_size = batch_size * 2, .collate_fn = collate_fn);
    return train_dl;
}

/* ---- Convolutions, nn.Sequential, and a layer for any function ---- */

typedef struct MnistCNN {
    nn_Module base;
    nn_Conv2d *conv1, *conv2, *conv3;
} MnistCNN;

static Tensor *mnist_cnn_call(MnistCNN *self, Tensor *xb) {
    xb = t_view(xb, -1, 1, 28, 28);
    xb = F_relu(nn_call(self->conv1, xb));
    xb = F_relu(nn_call(self->conv2, xb));
    xb = F_relu(nn_call(self->conv3, xb));
    xb = F_avg_pool2d(xb, 4);
    return t_view(xb, -1, t_size(xb, 1));
}

static MnistCNN *mnist_cnn(void) {
    MnistCNN *self = nn_module(MnistCNN, mnist_cnn_call);
    nn_set(self, conv1, nn_Conv2d(1, 16, .kernel_size = 3, .stride = 2, .padding = 1));
    nn_set(self, conv2, nn_Conv2d(16, 16, .kernel_size = 3, .stride = 2, .padding = 1));
    nn_set(self, conv3, nn_Conv2d(16, 10, .kernel_size = 3, .stride = 2, .padding = 1));
    return self;
}

typedef struct Lambda {
    nn_Module base;
    Tensor *(*func)(Tensor *x);
} Lambda;

static Tensor *lambda_call(Lambda *self, Tensor *x) {
    return self->func(x);
}

static Lambda *lambda(Tensor *(*func)(Tensor *x)) {
    Lambda *self = nn_module(Lambda, lambda_call);
    self->func = func;
    return self;
}

static bool preprocess(void *context, t_TensorList *xs, t_TensorList *ys, Tensor **x, Tensor **y) {
    (void)context;
    *x = t_view(t_stack(xs), -1, 1, 28, 28);
    *y = t_stack(ys);
    return true;
}

static Tensor *flatten(Tensor *x) {
    return t_view(x, t_size(x, 0), -1);
}

static void refactor_data(Tensor *x_train, Tensor *y_train, Tensor *x_valid, Tensor *y_valid) {
    data_Dataset *train_ds = data_TensorDataset(t_list(x_train, y_train));
    data_Dataset *valid_ds = data_TensorDataset(t_list(x_valid, y_valid));

    data_DataLoader *valid_dl;
    data_DataLoader *train_dl = get_data(train_ds, valid_ds, bs, NULL, &valid_dl);
    optim_Optimizer *opt;
    MnistLinear *linear = get_model(&opt);
    fit(epochs, linear, opt, train_dl, valid_dl);

    MnistCNN *cnn = mnist_cnn();
    opt = optim_SGD(nn_parameters(cnn), .lr = 2 * lr, .momentum = 0.9);
    fit(epochs, cnn, opt, train_dl, valid_dl);

    train_dl = get_data(train_ds, valid_ds, bs, preprocess, &valid_dl);
    nn_Sequential *model = nn_Sequential(nn_Conv2d(1, 16, .kernel_size = 3, .stride = 2, .padding = 1), nn_ReLU(),
                                         nn_Conv2d(16, 16, .kernel_size = 3, .stride = 2, .padding = 1), nn_ReLU(),
                                         nn_Conv2d(16, 10, .kernel_size = 3, .stride = 2, .padding = 1), nn_ReLU(),
                                         nn_AdaptiveAvgPool2d(1), lambda(flatten));
    opt = optim_SGD(nn_parameters(model), .lr = 2 * lr, .momentum = 0.9);
    fit(epochs, model, opt, train_dl, valid_dl);
}

int main(void) {
    t_manual_seed(0);
    Tensor *x_train, *y_train, *x_valid, *y_valid;
    digits(n, &x_train, &y_train);
    digits(1000, &x_valid, &y_valid);
    t_print(t_size_repr(x_train), t_min(y_train), t_max(y_train));
    from_scratch(x_train, y_train);
    refactor_modules(x_train, y_train);
    refactor_optim(x_train, y_train);
    refactor_data(x_train, y_train, x_valid, y_valid);
    return 0;
}
