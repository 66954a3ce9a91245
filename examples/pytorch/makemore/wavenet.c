/* examples/pytorch/makemore/wavenet.c: Andrej Karpathy's lecture "Building makemore part 5: building a WaveNet":
 * eight letters are joined two by two, in layers and a container of our own.
 *
 * Difficulty: **     Read first: batch_norm     Read next: text/annotated_transformer */
#include <math.h>
#include <stdio.h>

#include "core/core.h"
#include "core/python/python.h"
#include "examples/pytorch/makemore/names.h"
#include "nn/nn.h"

enum { block_size = 8 };

/* ---- Layers ---- */

typedef struct Linear {
    nn_Module base;
    Tensor *weight, *bias;
} Linear;

static Tensor *linear_call(Linear *self, Tensor *x) {
    Tensor *out = t_matmul(x, self->weight);
    if (self->bias != NULL) t_add_(out, self->bias);
    return out;
}

static Linear *linear(int64_t fan_in, int64_t fan_out, bool bias) {
    Linear *self = nn_module(Linear, linear_call);
    nn_set(self, weight, nn_Parameter(t_div(t_randn(fan_in, fan_out), pow((double)fan_in, 0.5))));
    nn_set(self, bias, bias ? nn_Parameter(t_zeros(fan_out)) : NULL);
    return self;
}

typedef struct BatchNorm1d {
    nn_Module base;
    double eps, momentum;
    Tensor *gamma, *beta, *running_mean, *running_var;
} BatchNorm1d;

static Tensor *batch_norm1d_call(BatchNorm1d *self, Tensor *x) {
    Tensor *xmean, *xvar;
    if (self->base.training) {
        t_Tuple dim = t_dim(x) == 2 ? t_tuple(0) : t_tuple(0, 1);
        xmean = t_mean(x, .dim = dim, .keepdim = true);
        xvar = t_var(x, .dim = dim, .keepdim = true);
    } else {
        xmean = self->running_mean;
        xvar = self->running_var;
    }
    Tensor *xhat = t_div(t_sub(x, xmean), t_sqrt(t_add(xvar, self->eps)));
    Tensor *out = t_add(t_mul(self->gamma, xhat), self->beta);
    if (self->base.training)
        with_no_grad() {
            double momentum = self->momentum;
            nn_keep(self, running_mean, t_add(t_mul(1 - momentum, self->running_mean), t_mul(momentum, xmean)));
            nn_keep(self, running_var, t_add(t_mul(1 - momentum, self->running_var), t_mul(momentum, xvar)));
        }
    return out;
}

static BatchNorm1d *batch_norm1d(int64_t dim) {
    BatchNorm1d *self = nn_module(BatchNorm1d, batch_norm1d_call);
    self->eps = 1e-5;
    self->momentum = 0.1;
    nn_set(self, gamma, nn_Parameter(t_ones(dim)));
    nn_set(self, beta, nn_Parameter(t_zeros(dim)));
    nn_keep(self, running_mean, t_zeros(dim));
    nn_keep(self, running_var, t_ones(dim));
    return self;
}

typedef struct Tanh {
    nn_Module base;
} Tanh;

static Tensor *tanh_call(Tanh *self, Tensor *x) {
    (void)self;
    return t_tanh(x);
}

static Tanh *tanh_new(void) {
    Tanh *self = nn_module(Tanh, tanh_call);
    return self;
}

typedef struct Embedding {
    nn_Module base;
    Tensor *weight;
} Embedding;

static Tensor *embedding_call(Embedding *self, Tensor *ix) {
    return t_at(self->weight, "{}", ix);
}

static Embedding *embedding(int64_t num_embeddings, int64_t embedding_dim) {
    Embedding *self = nn_module(Embedding, embedding_call);
    nn_set(self, weight, nn_Parameter(t_randn(num_embeddings, embedding_dim)));
    return self;
}

typedef struct FlattenConsecutive {
    nn_Module base;
    int64_t n;
} FlattenConsecutive;

static Tensor *flatten_consecutive_call(FlattenConsecutive *self, Tensor *x) {
    int64_t B = t_size(x, 0), T = t_size(x, 1), C = t_size(x, 2);
    x = t_view(x, B, T / self->n, C * self->n);
    if (t_size(x, 1) == 1) x = t_squeeze(x, 1);
    return x;
}

static FlattenConsecutive *flatten_consecutive(int64_t n) {
    FlattenConsecutive *self = nn_module(FlattenConsecutive, flatten_consecutive_call);
    self->n = n;
    return self;
}

typedef struct Sequential {
    nn_Module base;
    nn_ModuleList *layers;
} Sequential;

static Tensor *sequential_call(Sequential *self, Tensor *x) {
    for_module (layer, self->layers) x = nn_call(layer, x);
    return x;
}

static Sequential *sequential(nn_ModuleList *layers) {
    Sequential *self = nn_module(Sequential, sequential_call);
    nn_set(self, layers, layers);
    return self;
}

/* ---- Two models: all letters at once, and two by two ---- */

static Sequential *flat_model(void) {
    int64_t n_embd = 10;
    int64_t n_hidden = 100;
    Sequential *model = sequential(nn_ModuleList(embedding(vocab_size, n_embd), flatten_consecutive(block_size),
                                                 linear(n_embd * block_size, n_hidden, false), batch_norm1d(n_hidden),
                                                 tanh_new(), linear(n_hidden, vocab_size, true)));
    with_no_grad() t_mul_(nn_get(model->layers, -1, Linear)->weight, 0.1);
    return model;
}

static Sequential *wavenet(void) {
    int64_t n_embd = 24;
    int64_t n_hidden = 64;
    Sequential *model = sequential(
        nn_ModuleList(embedding(vocab_size, n_embd), flatten_consecutive(2), linear(n_embd * 2, n_hidden, false),
                      batch_norm1d(n_hidden), tanh_new(), flatten_consecutive(2), linear(n_hidden * 2, n_hidden, false),
                      batch_norm1d(n_hidden), tanh_new(), flatten_consecutive(2), linear(n_hidden * 2, n_hidden, false),
                      batch_norm1d(n_hidden), tanh_new(), linear(n_hidden, vocab_size, true)));
    with_no_grad() t_mul_(nn_get(model->layers, -1, Linear)->weight, 0.1);
    return model;
}

static void shapes(Sequential *model, Tensor *Xtr) {
    Tensor *ix = t_randint(0, t_size(Xtr, 0), 4);
    Tensor *x = t_at(Xtr, "{}", ix);
    for_module (layer, model->layers) {
        x = nn_call(layer, x);
        t_print(((nn_Module *)layer)->type, ":", t_size_repr(x));
    }
}

/* ---- Training ---- */

static void train(Sequential *model, Tensor *Xtr, Tensor *Ytr, int64_t max_steps) {
    t_TensorList *parameters = nn_parameters(model);
    t_print("parameters:", count_elements(parameters));
    for_list (p, parameters) t_requires_grad_(p);

    int64_t batch_size = 32;
    Tensor *lossi = t_zeros(max_steps);
    for_range (i, max_steps) {
        Tensor *ix = t_randint(0, t_size(Xtr, 0), batch_size);
        Tensor *Xb = t_at(Xtr, "{}", ix), *Yb = t_at(Ytr, "{}", ix);

        Tensor *logits = nn_call(model, Xb);
        Tensor *loss = F_cross_entropy(logits, Yb);

        for_list (p, parameters) t_set_grad(p, NULL);
        t_backward(loss);

        double lr = (double)i < 0.75 * (double)max_steps ? 0.1 : 0.01;
        for_list (p, parameters) t_add_(t_data(p), t_mul(-lr, t_grad(p)));

        if (i % 100 == 0) printf("%7d/%7d: %.4f\n", (int)i, (int)max_steps, t_item(loss));
        t_set(lossi, "{}", i, t_item(t_log10(loss)));
    }
    t_print(t_mean(t_view(lossi, -1, 100), 1));
}

static double split_loss(Sequential *model, Tensor *X, Tensor *Y) {
    Tensor *loss = NULL;
    with_no_grad() {
        Tensor *logits = nn_call(model, X);
        loss = F_cross_entropy(logits, Y);
    }
    return t_item(loss);
}

static void sample(Sequential *model) {
    for_range (_, 10) {
        const char *out = "";
        int64_t context[block_size] = {0};
        while (true) {
            Tensor *logits = nn_call(model, t_tensor(context, 1, block_size));
            Tensor *probs = F_softmax(logits, .dim = 1);
            int64_t ix = t_item_int64(t_multinomial(probs, .num_samples = 1));
            push(context, block_size, ix);
            out = t_format("%s%c", out, itos[ix]);
            if (ix == 0) break;
        }
        t_print(out);
    }
}

static void run(Sequential *model, int64_t max_steps) {
    int64_t n1 = (int64_t)(0.8 * N_WORDS);
    int64_t n2 = (int64_t)(0.9 * N_WORDS);
    Tensor *Ytr, *Xtr = build_dataset(0, n1, block_size, &Ytr);
    Tensor *Ydev, *Xdev = build_dataset(n1, n2, block_size, &Ydev);

    shapes(model, Xtr);
    train(model, Xtr, Ytr, max_steps);
    nn_eval(model);
    printf("train %.4f\n", split_loss(model, Xtr, Ytr));
    printf("dev %.4f\n", split_loss(model, Xdev, Ydev));
    sample(model);
}

int main(void) {
    random_seed(42);
    random_shuffle(words, N_WORDS);
    t_manual_seed(42);
    run(flat_model(), 600);
    run(wavenet(), 1000);
    return 0;
}
