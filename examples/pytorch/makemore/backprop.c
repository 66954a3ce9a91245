/* examples/pytorch/makemore/backprop.c: Andrej Karpathy's lecture "Building makemore part 4: becoming a
 * backprop ninja": the backward of every line by hand, compared with autograd's, and a training that uses no autograd.
 *
 * Difficulty: ***     Read first: batch_norm     Read next: wavenet */
#include <math.h>
#include <stdio.h>

#include "core/core.h"
#include "core/python/python.h"
#include "examples/pytorch/makemore/names.h"
#include "nn/nn.h"

enum { block_size = 3 };

static void cmp(const char *s, Tensor *dt, Tensor *t) {
    bool ex = t_is_true(t_all(t_eq(dt, t_grad(t))));
    bool app = t_allclose(dt, t_grad(t));
    double maxdiff = t_item(t_max(t_abs(t_sub(dt, t_grad(t)))));
    printf("%-15s | exact: %d | approximate: %d | maxdiff: %.7f\n", s, ex, app, maxdiff);
}

static t_TensorList *make_parameters(t_Generator *g, int64_t n_embd, int64_t n_hidden) {
    Tensor *C = t_randn(vocab_size, n_embd, .generator = g);
    Tensor *W1 = t_div(t_mul(t_randn(n_embd * block_size, n_hidden, .generator = g), 5.0 / 3),
                       pow((double)(n_embd * block_size), 0.5));
    Tensor *b1 = t_mul(t_randn(n_hidden, .generator = g), 0.1);
    Tensor *W2 = t_mul(t_randn(n_hidden, vocab_size, .generator = g), 0.1);
    Tensor *b2 = t_mul(t_randn(vocab_size, .generator = g), 0.1);
    Tensor *bngain = t_add(t_mul(t_randn(1, n_hidden, .generator = g), 0.1), 1.0);
    Tensor *bnbias = t_mul(t_randn(1, n_hidden, .generator = g), 0.1);
    t_TensorList *parameters = t_list(C, W1, b1, W2, b2, bngain, bnbias);
    t_print(count_elements(parameters));
    for_list (p, parameters) t_requires_grad_(p);
    return parameters;
}

/* ---- The backward of every line ---- */

static void every_line(Tensor *Xtr, Tensor *Ytr) {
    t_Generator *g = t_generator_manual_seed(t_generator(), 2147483647);
    Tensor *C, *W1, *b1, *W2, *b2, *bngain, *bnbias;
    t_list_unpack(make_parameters(g, 10, 64), &C, &W1, &b1, &W2, &b2, &bngain, &bnbias);

    int64_t batch_size = 32;
    double n = (double)batch_size;
    Tensor *ix = t_randint(0, t_size(Xtr, 0), batch_size, .generator = g);
    Tensor *Xb = t_at(Xtr, "{}", ix), *Yb = t_at(Ytr, "{}", ix);

    Tensor *emb = t_at(C, "{}", Xb);
    Tensor *embcat = t_view(emb, t_size(emb, 0), -1);
    Tensor *hprebn = t_add(t_matmul(embcat, W1), b1);
    Tensor *bnmeani = t_mul(1 / n, t_sum(hprebn, 0, .keepdim = true));
    Tensor *bndiff = t_sub(hprebn, bnmeani);
    Tensor *bndiff2 = t_pow(bndiff, 2);
    Tensor *bnvar = t_mul(1 / (n - 1), t_sum(bndiff2, 0, .keepdim = true));
    Tensor *bnvar_inv = t_pow(t_add(bnvar, 1e-5), -0.5);
    Tensor *bnraw = t_mul(bndiff, bnvar_inv);
    Tensor *hpreact = t_add(t_mul(bngain, bnraw), bnbias);
    Tensor *h = t_tanh(hpreact);
    Tensor *logits = t_add(t_matmul(h, W2), b2);
    Tensor *logit_maxes = t_max(logits, 1, .keepdim = true);
    Tensor *norm_logits = t_sub(logits, logit_maxes);
    Tensor *counts = t_exp(norm_logits);
    Tensor *counts_sum = t_sum(counts, 1, .keepdim = true);
    Tensor *counts_sum_inv = t_pow(counts_sum, -1);
    Tensor *probs = t_mul(counts, counts_sum_inv);
    Tensor *logprobs = t_log(probs);
    Tensor *loss = t_neg(t_mean(t_at(logprobs, "{}, {}", t_arange(batch_size), Yb)));

    t_TensorList *steps =
        t_list(logprobs, probs, counts, counts_sum, counts_sum_inv, norm_logits, logit_maxes, logits, h, hpreact);
    t_list_extend(steps, t_list(bnraw, bnvar_inv, bnvar, bndiff2, bndiff, hprebn, bnmeani, embcat, emb));
    for_list (t, steps) t_retain_grad(t);
    t_backward(loss);
    t_print(loss);

    /* Exercise 1: back through every line */
    Tensor *dlogprobs = t_zeros_like(logprobs);
    t_set(dlogprobs, "{}, {}", t_arange(batch_size), Yb, -1.0 / n);
    Tensor *dprobs = t_mul(t_div(1.0, probs), dlogprobs);
    Tensor *dcounts_sum_inv = t_sum(t_mul(counts, dprobs), 1, .keepdim = true);
    Tensor *dcounts = t_mul(counts_sum_inv, dprobs);
    Tensor *dcounts_sum = t_mul(t_neg(t_pow(counts_sum, -2)), dcounts_sum_inv);
    t_add_(dcounts, t_mul(t_ones_like(counts), dcounts_sum));
    Tensor *dnorm_logits = t_mul(counts, dcounts);
    Tensor *dlogits = t_clone(dnorm_logits);
    Tensor *dlogit_maxes = t_sum(t_neg(dnorm_logits), 1, .keepdim = true);
    t_add_(dlogits, t_mul(F_one_hot(t_argmax(logits, 1), .num_classes = t_size(logits, 1)), dlogit_maxes));
    Tensor *dh = t_matmul(dlogits, t_t(W2));
    Tensor *dW2 = t_matmul(t_t(h), dlogits);
    Tensor *db2 = t_sum(dlogits, 0);
    Tensor *dhpreact = t_mul(t_sub(1.0, t_pow(h, 2)), dh);
    Tensor *dbngain = t_sum(t_mul(bnraw, dhpreact), 0, .keepdim = true);
    Tensor *dbnraw = t_mul(bngain, dhpreact);
    Tensor *dbnbias = t_sum(dhpreact, 0, .keepdim = true);
    Tensor *dbndiff = t_mul(bnvar_inv, dbnraw);
    Tensor *dbnvar_inv = t_sum(t_mul(bndiff, dbnraw), 0, .keepdim = true);
    Tensor *dbnvar = t_mul(t_mul(-0.5, t_pow(t_add(bnvar, 1e-5), -1.5)), dbnvar_inv);
    Tensor *dbndiff2 = t_mul(t_mul(1.0 / (n - 1), t_ones_like(bndiff2)), dbnvar);
    t_add_(dbndiff, t_mul(t_mul(2, bndiff), dbndiff2));
    Tensor *dhprebn = t_clone(dbndiff);
    Tensor *dbnmeani = t_sum(t_neg(dbndiff), 0, .keepdim = true);
    t_add_(dhprebn, t_mul(1.0 / n, t_mul(t_ones_like(hprebn), dbnmeani)));
    Tensor *dembcat = t_matmul(dhprebn, t_t(W1));
    Tensor *dW1 = t_matmul(t_t(embcat), dhprebn);
    Tensor *db1 = t_sum(dhprebn, 0);
    Tensor *demb = t_view_as(dembcat, emb);
    Tensor *dC = t_zeros_like(C);
    for (int64_t k = 0; k < t_size(Xb, 0); k++)
        for (int64_t j = 0; j < t_size(Xb, 1); j++) {
            ix = t_at(Xb, "{}, {}", k, j);
            t_add_(t_at(dC, "{}", t_item_int64(ix)), t_at(demb, "{}, {}", k, j));
        }

    cmp("logprobs", dlogprobs, logprobs);
    cmp("probs", dprobs, probs);
    cmp("counts_sum_inv", dcounts_sum_inv, counts_sum_inv);
    cmp("counts_sum", dcounts_sum, counts_sum);
    cmp("counts", dcounts, counts);
    cmp("norm_logits", dnorm_logits, norm_logits);
    cmp("logit_maxes", dlogit_maxes, logit_maxes);
    cmp("logits", dlogits, logits);
    cmp("h", dh, h);
    cmp("W2", dW2, W2);
    cmp("b2", db2, b2);
    cmp("hpreact", dhpreact, hpreact);
    cmp("bngain", dbngain, bngain);
    cmp("bnbias", dbnbias, bnbias);
    cmp("bnraw", dbnraw, bnraw);
    cmp("bnvar_inv", dbnvar_inv, bnvar_inv);
    cmp("bnvar", dbnvar, bnvar);
    cmp("bndiff2", dbndiff2, bndiff2);
    cmp("bndiff", dbndiff, bndiff);
    cmp("bnmeani", dbnmeani, bnmeani);
    cmp("hprebn", dhprebn, hprebn);
    cmp("embcat", dembcat, embcat);
    cmp("W1", dW1, W1);
    cmp("b1", db1, b1);
    cmp("emb", demb, emb);
    cmp("C", dC, C);

    /* Exercise 2: cross entropy in one step */
    Tensor *loss_fast = F_cross_entropy(logits, Yb);
    printf("%.6f diff: %.6f\n", t_item(loss_fast), t_item(t_sub(loss_fast, loss)));
    dlogits = F_softmax(logits, 1);
    t_set(dlogits, "{}, {}", t_arange(batch_size), Yb, t_sub(t_at(dlogits, "{}, {}", t_arange(batch_size), Yb), 1));
    t_div_(dlogits, n);
    cmp("logits", dlogits, logits);
    t_print(t_at(F_softmax(logits, 1), "0"));
    t_print(t_mul(t_at(dlogits, "0"), n));
    printf("%.6f\n", t_item(t_sum(t_at(dlogits, "0"))));

    /* Exercise 3: batch normalization in one step */
    Tensor *centred = t_sub(hprebn, t_mean(hprebn, 0, .keepdim = true));
    Tensor *hpreact_fast =
        t_add(t_div(t_mul(bngain, centred), t_sqrt(t_add(t_var(hprebn, 0, .keepdim = true), 1e-5))), bnbias);
    printf("max diff: %.5f\n", t_item(t_max(t_abs(t_sub(hpreact_fast, hpreact)))));
    Tensor *ones = t_sub(t_sub(t_mul(n, dhpreact), t_sum(dhpreact, 0)),
                         t_mul(t_mul(n / (n - 1), bnraw), t_sum(t_mul(dhpreact, bnraw), 0)));
    dhprebn = t_mul(t_div(t_mul(bngain, bnvar_inv), n), ones);
    cmp("hprebn", dhprebn, hprebn);
}

/* ---- Exercise 4: training by this backward ---- */

static t_TensorList *train(Tensor *Xtr, Tensor *Ytr) {
    t_Generator *g = t_generator_manual_seed(t_generator(), 2147483647);
    t_TensorList *parameters = make_parameters(g, 10, 100);
    Tensor *C, *W1, *b1, *W2, *b2, *bngain, *bnbias;
    t_list_unpack(parameters, &C, &W1, &b1, &W2, &b2, &bngain, &bnbias);
    int64_t max_steps = 1500;
    int64_t batch_size = 32;
    double n = (double)batch_size;

    with_no_grad() {
        for_range (i, max_steps) {
            Tensor *ix = t_randint(0, t_size(Xtr, 0), batch_size, .generator = g);
            Tensor *Xb = t_at(Xtr, "{}", ix), *Yb = t_at(Ytr, "{}", ix);

            Tensor *emb = t_at(C, "{}", Xb);
            Tensor *embcat = t_view(emb, t_size(emb, 0), -1);
            Tensor *hprebn = t_add(t_matmul(embcat, W1), b1);
            Tensor *bnmean = t_mean(hprebn, 0, .keepdim = true);
            Tensor *bnvar = t_var(hprebn, 0, .keepdim = true, .correction = 1);
            Tensor *bnvar_inv = t_pow(t_add(bnvar, 1e-5), -0.5);
            Tensor *bnraw = t_mul(t_sub(hprebn, bnmean), bnvar_inv);
            Tensor *hpreact = t_add(t_mul(bngain, bnraw), bnbias);
            Tensor *h = t_tanh(hpreact);
            Tensor *logits = t_add(t_matmul(h, W2), b2);
            Tensor *loss = F_cross_entropy(logits, Yb);

            Tensor *dlogits = F_softmax(logits, 1);
            t_set(dlogits, "{}, {}", t_arange(batch_size), Yb,
                  t_sub(t_at(dlogits, "{}, {}", t_arange(batch_size), Yb), 1));
            t_div_(dlogits, n);
            Tensor *dh = t_matmul(dlogits, t_t(W2));
            Tensor *dW2 = t_matmul(t_t(h), dlogits);
            Tensor *db2 = t_sum(dlogits, 0);
            Tensor *dhpreact = t_mul(t_sub(1.0, t_pow(h, 2)), dh);
            Tensor *dbngain = t_sum(t_mul(bnraw, dhpreact), 0, .keepdim = true);
            Tensor *dbnbias = t_sum(dhpreact, 0, .keepdim = true);
            Tensor *ones = t_sub(t_sub(t_mul(n, dhpreact), t_sum(dhpreact, 0)),
                                 t_mul(t_mul(n / (n - 1), bnraw), t_sum(t_mul(dhpreact, bnraw), 0)));
            Tensor *dhprebn = t_mul(t_div(t_mul(bngain, bnvar_inv), n), ones);
            Tensor *dembcat = t_matmul(dhprebn, t_t(W1));
            Tensor *dW1 = t_matmul(t_t(embcat), dhprebn);
            Tensor *db1 = t_sum(dhprebn, 0);
            Tensor *demb = t_view_as(dembcat, emb);
            Tensor *dC = t_zeros_like(C);
            t_index_add_(dC, 0, t_view(Xb, -1), t_view(demb, -1, t_size(demb, 2)));
            t_TensorList *grads = t_list(dC, dW1, db1, dW2, db2, dbngain, dbnbias);

            double lr = i < 1000 ? 0.1 : 0.01;
            for (int64_t p = 0; p < grads->len; p++)
                t_add_(t_data(t_list_get(parameters, p)), t_mul(-lr, t_list_get(grads, p)));

            if (i % 100 == 0) printf("%7d/%7d: %.4f\n", (int)i, (int)max_steps, t_item(loss));
        }
    }
    return parameters;
}

static Tensor *calibrate(t_TensorList *parameters, Tensor *Xtr, Tensor **bnvar) {
    Tensor *C, *W1, *b1, *W2, *b2, *bngain, *bnbias, *bnmean = NULL;
    t_list_unpack(parameters, &C, &W1, &b1, &W2, &b2, &bngain, &bnbias);
    with_no_grad() {
        Tensor *emb = t_at(C, "{}", Xtr);
        Tensor *embcat = t_view(emb, t_size(emb, 0), -1);
        Tensor *hpreact = t_add(t_matmul(embcat, W1), b1);
        bnmean = t_mean(hpreact, 0, .keepdim = true);
        *bnvar = t_var(hpreact, 0, .keepdim = true, .correction = 1);
    }
    return bnmean;
}

static Tensor *logits_of(t_TensorList *parameters, Tensor *bnmean, Tensor *bnvar, Tensor *X) {
    Tensor *C, *W1, *b1, *W2, *b2, *bngain, *bnbias;
    t_list_unpack(parameters, &C, &W1, &b1, &W2, &b2, &bngain, &bnbias);
    Tensor *emb = t_at(C, "{}", X);
    Tensor *embcat = t_view(emb, t_size(emb, 0), -1);
    Tensor *hpreact = t_add(t_matmul(embcat, W1), b1);
    hpreact = t_add(t_mul(t_mul(bngain, t_sub(hpreact, bnmean)), t_pow(t_add(bnvar, 1e-5), -0.5)), bnbias);
    Tensor *h = t_tanh(hpreact);
    Tensor *logits = t_add(t_matmul(h, W2), b2);
    return logits;
}

static double split_loss(t_TensorList *parameters, Tensor *bnmean, Tensor *bnvar, Tensor *X, Tensor *Y) {
    Tensor *loss = NULL;
    with_no_grad() {
        Tensor *logits = logits_of(parameters, bnmean, bnvar, X);
        loss = F_cross_entropy(logits, Y);
    }
    return t_item(loss);
}

static void sample(t_TensorList *parameters, Tensor *bnmean, Tensor *bnvar) {
    t_Generator *g = t_generator_manual_seed(t_generator(), 2147483647LL + 10);
    for_range (_, 10) {
        const char *out = "";
        int64_t context[block_size] = {0};
        while (true) {
            Tensor *logits = logits_of(parameters, bnmean, bnvar, t_tensor(context, 1, block_size));
            Tensor *probs = F_softmax(logits, .dim = 1);
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

    every_line(Xtr, Ytr);
    t_TensorList *parameters = train(Xtr, Ytr);
    Tensor *bnvar, *bnmean = calibrate(parameters, Xtr, &bnvar);
    printf("train %.4f\n", split_loss(parameters, bnmean, bnvar, Xtr, Ytr));
    printf("dev %.4f\n", split_loss(parameters, bnmean, bnvar, Xdev, Ydev));
    sample(parameters, bnmean, bnvar);
}

int main(void) {
    run();
    return 0;
}
