/* examples/pytorch/makemore/batch_norm.c: Andrej Karpathy's lecture "Building makemore part 3: activations &
 * gradients, BatchNorm": what bad initial weights do, batch normalization by hand, then in layers with their
 * statistics.
 *
 * Difficulty: **     Read first: mlp     Read next: backprop */
#include <math.h>
#include <stdio.h>

#include "core/core.h"
#include "core/python/python.h"
#include "examples/pytorch/makemore/names.h"
#include "nn/nn.h"

enum { block_size = 3 };

/* ---- The losses of bad initial weights ---- */

static void expected_loss(void) {
    for (double scale = 0; scale <= 10; scale = scale == 0 ? 1 : scale * 10) {
        t_Generator *g = t_generator_manual_seed(t_generator(), 42);
        Tensor *logits = t_mul(t_randn(4, .generator = g), scale);
        Tensor *probs = t_softmax(logits, .dim = 0);
        Tensor *loss = t_neg(t_log(t_at(probs, "2")));
        t_print(probs, t_format("%.4f", t_item(loss)));
    }
    printf("%.4f\n", -log(1 / 27.0));
}

static void first_forward(Tensor *X, Tensor *Y, double w1_scale, double w2_scale) {
    t_Generator *g = t_generator_manual_seed(t_generator(), 2147483647);
    Tensor *C = t_randn(vocab_size, 10, .generator = g);
    Tensor *W1 = t_mul(t_randn(10 * block_size, 200, .generator = g), w1_scale);
    Tensor *b1 = t_mul(t_randn(200, .generator = g), 0.01);
    Tensor *W2 = t_mul(t_randn(200, vocab_size, .generator = g), w2_scale);
    Tensor *b2 = t_mul(t_randn(vocab_size, .generator = g), 0);
    Tensor *ix = t_randint(0, t_size(X, 0), 32, .generator = g);
    Tensor *emb = t_at(C, "{}", t_at(X, "{}", ix));
    Tensor *hpreact = t_add(t_matmul(t_view(emb, t_size(emb, 0), -1), W1), b1);
    Tensor *h = t_tanh(hpreact);
    Tensor *logits = t_add(t_matmul(h, W2), b2);
    Tensor *loss = F_cross_entropy(logits, t_at(Y, "{}", ix));
    Tensor *saturated = t_mean(t_float(t_gt(t_abs(h), 0.99)));
    printf("hpreact %.4f loss %.4f saturated %.2f%%\n", t_item(t_std(hpreact)), t_item(loss), 100 * t_item(saturated));
    t_print(t_histc(h, .bins = 10, .min = -1, .max = 1));
}

static void gaussians(void) {
    t_Generator *g = t_generator_manual_seed(t_generator(), 2147483647);
    Tensor *x = t_randn(1000, 10, .generator = g);
    Tensor *w = t_div(t_randn(10, 200, .generator = g), pow(10, 0.5));
    Tensor *y = t_matmul(x, w);
    printf("%.3f %.3f\n", t_item(t_mean(x)), t_item(t_std(x)));
    printf("%.3f %.3f\n", t_item(t_mean(y)), t_item(t_std(y)));
}

/* ---- Batch normalization by hand ---- */

static void train_by_hand(Tensor *Xtr, Tensor *Ytr, Tensor *Xdev, Tensor *Ydev) {
    int64_t n_embd = 10;
    int64_t n_hidden = 200;
    t_Generator *g = t_generator_manual_seed(t_generator(), 2147483647);
    Tensor *C = t_randn(vocab_size, n_embd, .generator = g);
    Tensor *W1 = t_div(t_mul(t_randn(n_embd * block_size, n_hidden, .generator = g), 5.0 / 3),
                       pow((double)(n_embd * block_size), 0.5));
    Tensor *W2 = t_mul(t_randn(n_hidden, vocab_size, .generator = g), 0.01);
    Tensor *b2 = t_mul(t_randn(vocab_size, .generator = g), 0);

    Tensor *bngain = t_ones(1, n_hidden);
    Tensor *bnbias = t_zeros(1, n_hidden);
    Tensor *bnmean_running = t_zeros(1, n_hidden);
    Tensor *bnstd_running = t_ones(1, n_hidden);

    t_TensorList *parameters = t_list(C, W1, W2, b2, bngain, bnbias);
    t_print(count_elements(parameters));
    for_list (p, parameters) t_requires_grad_(p);

    int64_t max_steps = 1000;
    int64_t batch_size = 32;
    for_range (i, max_steps) {
        Tensor *ix = t_randint(0, t_size(Xtr, 0), batch_size, .generator = g);
        Tensor *Xb = t_at(Xtr, "{}", ix), *Yb = t_at(Ytr, "{}", ix);

        Tensor *emb = t_at(C, "{}", Xb);
        Tensor *embcat = t_view(emb, t_size(emb, 0), -1);
        Tensor *hpreact = t_matmul(embcat, W1);
        Tensor *bnmeani = t_mean(hpreact, 0, .keepdim = true);
        Tensor *bnstdi = t_std(hpreact, 0, .keepdim = true);
        hpreact = t_add(t_div(t_mul(bngain, t_sub(hpreact, bnmeani)), bnstdi), bnbias);
        with_no_grad() {
            t_keep_as(&bnmean_running, t_add(t_mul(0.999, bnmean_running), t_mul(0.001, bnmeani)));
            t_keep_as(&bnstd_running, t_add(t_mul(0.999, bnstd_running), t_mul(0.001, bnstdi)));
        }
        Tensor *h = t_tanh(hpreact);
        Tensor *logits = t_add(t_matmul(h, W2), b2);
        Tensor *loss = F_cross_entropy(logits, Yb);

        for_list (p, parameters) t_set_grad(p, NULL);
        t_backward(loss);

        double lr = i < 800 ? 0.1 : 0.01;
        for_list (p, parameters) t_add_(t_data(p), t_mul(-lr, t_grad(p)));

        if (i % 100 == 0) printf("%7d/%7d: %.4f\n", (int)i, (int)max_steps, t_item(loss));
    }

    with_no_grad() {
        Tensor *emb = t_at(C, "{}", Xtr);
        Tensor *embcat = t_view(emb, t_size(emb, 0), -1);
        Tensor *hpreact = t_matmul(embcat, W1);
        Tensor *bnmean = t_mean(hpreact, 0, .keepdim = true);
        Tensor *bnstd = t_std(hpreact, 0, .keepdim = true);
        printf("%.4f\n", t_item(t_mean(t_abs(t_sub(bnmean, bnmean_running)))));
        printf("%.4f\n", t_item(t_mean(t_abs(t_sub(bnstd, bnstd_running)))));

        emb = t_at(C, "{}", Xdev);
        embcat = t_view(emb, t_size(emb, 0), -1);
        hpreact = t_matmul(embcat, W1);
        hpreact = t_add(t_div(t_mul(bngain, t_sub(hpreact, bnmean)), bnstd), bnbias);
        Tensor *h = t_tanh(hpreact);
        Tensor *logits = t_add(t_matmul(h, W2), b2);
        Tensor *loss = F_cross_entropy(logits, Ydev);
        printf("dev %.4f\n", t_item(loss));
    }
}

/* ---- The same in layers, deeper ---- */

typedef struct Linear {
    nn_Module base;
    Tensor *weight, *bias, *out;
} Linear;

static Tensor *linear_call(Linear *self, Tensor *x) {
    nn_keep(self, out, t_matmul(x, self->weight));
    if (self->bias != NULL) t_add_(self->out, self->bias);
    return self->out;
}

static Linear *linear(int64_t fan_in, int64_t fan_out, t_Generator *g, bool bias) {
    Linear *self = nn_module(Linear, linear_call);
    nn_set(self, weight, nn_Parameter(t_div(t_randn(fan_in, fan_out, .generator = g), pow((double)fan_in, 0.5))));
    nn_set(self, bias, bias ? nn_Parameter(t_zeros(fan_out)) : NULL);
    return self;
}

typedef struct BatchNorm1d {
    nn_Module base;
    double eps, momentum;
    Tensor *gamma, *beta, *running_mean, *running_var, *out;
} BatchNorm1d;

static Tensor *batch_norm1d_call(BatchNorm1d *self, Tensor *x) {
    Tensor *xmean, *xvar;
    if (self->base.training) {
        xmean = t_mean(x, 0, .keepdim = true);
        xvar = t_var(x, 0, .keepdim = true);
    } else {
        xmean = self->running_mean;
        xvar = self->running_var;
    }
    Tensor *xhat = t_div(t_sub(x, xmean), t_sqrt(t_add(xvar, self->eps)));
    nn_keep(self, out, t_add(t_mul(self->gamma, xhat), self->beta));
    if (self->base.training)
        with_no_grad() {
            double momentum = self->momentum;
            nn_keep(self, running_mean, t_add(t_mul(1 - momentum, self->running_mean), t_mul(momentum, xmean)));
            nn_keep(self, running_var, t_add(t_mul(1 - momentum, self->running_var), t_mul(momentum, xvar)));
        }
    return self->out;
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
    Tensor *out;
} Tanh;

static Tensor *tanh_call(Tanh *self, Tensor *x) {
    nn_keep(self, out, t_tanh(x));
    return self->out;
}

static Tanh *tanh_new(void) {
    Tanh *self = nn_module(Tanh, tanh_call);
    return self;
}

static nn_ModuleList *make_layers(t_Generator *g, int64_t n_embd, int64_t n_hidden) {
    nn_ModuleList *layers = nn_ModuleList(linear(n_embd * block_size, n_hidden, g, false), batch_norm1d(n_hidden),
                                          tanh_new(), linear(n_hidden, n_hidden, g, false), batch_norm1d(n_hidden),
                                          tanh_new(), linear(n_hidden, n_hidden, g, false), batch_norm1d(n_hidden),
                                          tanh_new(), linear(n_hidden, vocab_size, g, false), batch_norm1d(vocab_size));
    with_no_grad() {
        t_mul_(nn_get(layers, -1, BatchNorm1d)->gamma, 0.1);
        for_module (layer, nn_slice(layers, 0, -1)) {
            Linear *l;
            if ((l = nn_as(layer, Linear))) t_mul_(l->weight, 5.0 / 3);
        }
    }
    return layers;
}

/* ---- Diagnostics ---- */

static void activations(nn_ModuleList *layers) {
    printf("activations\n");
    int i = 0;
    for_module (layer, layers) {
        Tanh *l;
        if ((l = nn_as(layer, Tanh))) {
            Tensor *t = l->out;
            Tensor *saturated = t_mul(t_mean(t_float(t_gt(t_abs(t), 0.97))), 100);
            printf("layer %d mean %+.4f, std %.4f, saturated %.2f%%\n", i, t_item(t_mean(t)), t_item(t_std(t)),
                   t_item(saturated));
        }
        i++;
    }
}

static void gradients(nn_ModuleList *layers) {
    printf("gradients\n");
    int i = 0;
    for_module (layer, layers) {
        Tanh *l;
        if ((l = nn_as(layer, Tanh))) {
            Tensor *t = t_grad(l->out);
            printf("layer %d mean %+.5f, std %.4e\n", i, t_item(t_mean(t)), t_item(t_std(t)));
        }
        i++;
    }
}

static void weights(t_TensorList *parameters) {
    printf("weights\n");
    for_list (p, parameters) {
        Tensor *t = t_grad(p);
        if (t_dim(p) == 2) {
            Tensor *ratio = t_div(t_std(t), t_std(p));
            printf("%s mean %+.5f, std %.4e, grad:data %.4e\n", t_size_repr(p), t_item(t_mean(t)), t_item(t_std(t)),
                   t_item(ratio));
        }
    }
}

static void updates(Tensor *ud, t_TensorList *parameters) {
    printf("updates\n");
    int64_t j = 0;
    for_list (p, parameters) {
        if (t_dim(p) == 2)
            printf("%s first %.3f, last %.3f\n", t_size_repr(p), t_item(t_at(ud, "0, {}", j)),
                   t_item(t_mean(t_at(ud, "-100:, {}", j))));
        j++;
    }
}

static void train_layers(t_Generator *g, Tensor *C, nn_ModuleList *layers, Tensor *Xtr, Tensor *Ytr) {
    t_TensorList *parameters = t_list(C);
    for_module (layer, layers) t_list_extend(parameters, nn_parameters(layer));
    t_print(count_elements(parameters));
    for_list (p, parameters) t_requires_grad_(p);

    int64_t max_steps = 600;
    int64_t batch_size = 32;
    Tensor *ud = t_zeros(max_steps, parameters->len);
    for_range (i, max_steps) {
        Tensor *ix = t_randint(0, t_size(Xtr, 0), batch_size, .generator = g);
        Tensor *Xb = t_at(Xtr, "{}", ix), *Yb = t_at(Ytr, "{}", ix);

        Tensor *emb = t_at(C, "{}", Xb);
        Tensor *x = t_view(emb, t_size(emb, 0), -1);
        for_module (layer, layers) x = nn_call(layer, x);
        Tensor *loss = F_cross_entropy(x, Yb);

        for_module (layer, layers) {
            Tanh *l;
            if ((l = nn_as(layer, Tanh))) t_retain_grad(l->out);
        }
        for_list (p, parameters) t_set_grad(p, NULL);
        t_backward(loss);

        double lr = i < 500 ? 0.1 : 0.01;
        for_list (p, parameters) t_add_(t_data(p), t_mul(-lr, t_grad(p)));

        if (i % 100 == 0) printf("%7d/%7d: %.4f\n", (int)i, (int)max_steps, t_item(loss));
        with_no_grad() {
            int64_t j = 0;
            for_list (p, parameters) {
                t_set(ud, "{}, {}", i, j, t_log10(t_div(t_std(t_mul(lr, t_grad(p))), t_std(t_data(p)))));
                j++;
            }
        }
        if (i == 0) {
            activations(layers);
            gradients(layers);
            weights(parameters);
        }
    }
    updates(ud, parameters);
}

/* ---- The losses, and names ---- */

static double split_loss(Tensor *C, nn_ModuleList *layers, Tensor *X, Tensor *Y) {
    Tensor *loss = NULL;
    with_no_grad() {
        Tensor *emb = t_at(C, "{}", X);
        Tensor *x = t_view(emb, t_size(emb, 0), -1);
        for_module (layer, layers) x = nn_call(layer, x);
        loss = F_cross_entropy(x, Y);
    }
    return t_item(loss);
}

static void sample(Tensor *C, nn_ModuleList *layers) {
    t_Generator *g = t_generator_manual_seed(t_generator(), 2147483647LL + 10);
    for_range (_, 10) {
        const char *out = "";
        int64_t context[block_size] = {0};
        while (true) {
            Tensor *emb = t_at(C, "{}", t_tensor(context, 1, block_size));
            Tensor *x = t_view(emb, t_size(emb, 0), -1);
            for_module (layer, layers) x = nn_call(layer, x);
            Tensor *probs = F_softmax(x, .dim = 1);
            int64_t ix = t_item_int64(t_multinomial(probs, .num_samples = 1, .generator = g));
            push(context, block_size, ix);
            out = t_format("%s%c", out, itos[ix]);
            if (ix == 0) break;
        }
        t_print(out);
    }
}

static void run(void) {
    random_seed(42);
    random_shuffle(words, N_WORDS);
    int64_t n1 = (int64_t)(0.8 * N_WORDS);
    int64_t n2 = (int64_t)(0.9 * N_WORDS);
    Tensor *Ytr, *Xtr = build_dataset(0, n1, block_size, &Ytr);
    Tensor *Ydev, *Xdev = build_dataset(n1, n2, block_size, &Ydev);
    Tensor *Yte, *Xte = build_dataset(n2, N_WORDS, block_size, &Yte);

    first_forward(Xtr, Ytr, 1.0, 1.0);
    first_forward(Xtr, Ytr, 1.0, 0.01);
    first_forward(Xtr, Ytr, 0.2, 0.01);
    gaussians();
    train_by_hand(Xtr, Ytr, Xdev, Ydev);

    t_Generator *g = t_generator_manual_seed(t_generator(), 2147483647);
    Tensor *C = t_randn(vocab_size, 10, .generator = g);
    nn_ModuleList *layers = make_layers(g, 10, 100);
    train_layers(g, C, layers, Xtr, Ytr);
    for_module (layer, layers) nn_eval(layer);
    printf("train %.4f\n", split_loss(C, layers, Xtr, Ytr));
    printf("dev %.4f\n", split_loss(C, layers, Xdev, Ydev));
    printf("test %.4f\n", split_loss(C, layers, Xte, Yte));
    sample(C, layers);
}

int main(void) {
    expected_loss();
    run();
    return 0;
}
