/* examples/pytorch/makemore/mlp.c: Andrej Karpathy's lecture "Building makemore part 2: MLP": the next letter from
 * the last three, with an embedding, as in Bengio et al. 2003; a learning rate, and splits into train, dev and test.
 *
 * Difficulty: *     Read first: bigrams     Read next: batch_norm */
#include <stdio.h>

#include "core/core.h"
#include "core/python/python.h"
#include "examples/pytorch/makemore/names.h"
#include "nn/nn.h"

static void contexts(Tensor *X, Tensor *Y) {
    for (int64_t i = 0; i < 16; i++) {
        const char *context = "";
        for_list (ix, t_unbind(t_at(X, "{}", i))) context = t_format("%s%c", context, itos[t_item_int64(ix)]);
        printf("%s ---> %c\n", context, itos[t_item_int64(t_at(Y, "{}", i))]);
    }
}

/* ---- The five first names, line by line ---- */

static void first_steps(void) {
    Tensor *Y, *X = build_dataset(0, 5, 3, &Y);
    contexts(X, Y);
    t_print(t_size_repr(X), t_dtype_repr(t_dtype(X)), t_size_repr(Y), t_dtype_repr(t_dtype(Y)));

    t_Generator *g = t_generator_manual_seed(t_generator(), 2147483647);
    Tensor *C = t_randn(27, 2, .generator = g);
    t_print(t_matmul(t_float(F_one_hot(t_tensor(5), .num_classes = 27)), C));
    t_print(t_at(C, "5"));
    Tensor *emb = t_at(C, "{}", X);
    t_print(t_size_repr(emb));
    t_print(t_at(emb, "13, 2"), t_at(C, "{}", t_at(X, "13, 2")));

    Tensor *W1 = t_randn(6, 100, .generator = g);
    Tensor *b1 = t_randn(100, .generator = g);
    t_print(t_size_repr(t_cat(t_unbind(emb, 1), 1)));
    Tensor *h = t_tanh(t_add(t_matmul(t_view(emb, -1, 6), W1), b1));
    t_print(t_size_repr(h));
    Tensor *W2 = t_randn(100, 27, .generator = g);
    Tensor *b2 = t_randn(27, .generator = g);
    Tensor *logits = t_add(t_matmul(h, W2), b2);
    t_print(t_size_repr(logits));
    Tensor *counts = t_exp(logits);
    Tensor *prob = t_div(counts, t_sum(counts, 1, .keepdim = true));
    Tensor *loss = t_neg(t_mean(t_log(t_at(prob, "{}, {}", t_arange(t_size(prob, 0)), Y))));
    t_print(loss);
    t_print(F_cross_entropy(logits, Y));
}

static void overfit(void) {
    Tensor *Y, *X = build_dataset(0, 5, 3, &Y);
    t_Generator *g = t_generator_manual_seed(t_generator(), 2147483647);
    Tensor *C = t_randn(27, 2, .generator = g);
    Tensor *W1 = t_randn(6, 100, .generator = g);
    Tensor *b1 = t_randn(100, .generator = g);
    Tensor *W2 = t_randn(100, 27, .generator = g);
    Tensor *b2 = t_randn(27, .generator = g);
    t_TensorList *parameters = t_list(C, W1, b1, W2, b2);
    t_print(count_elements(parameters));
    for_list (p, parameters) t_requires_grad_(p);

    Tensor *logits = NULL;
    for_range (i, 100) {
        Tensor *emb = t_at(C, "{}", X);
        Tensor *h = t_tanh(t_add(t_matmul(t_view(emb, -1, 6), W1), b1));
        t_keep_as(&logits, t_add(t_matmul(h, W2), b2));
        Tensor *loss = F_cross_entropy(logits, Y);
        for_list (p, parameters) t_set_grad(p, NULL);
        t_backward(loss);
        for_list (p, parameters) t_add_(t_data(p), t_mul(-0.1, t_grad(p)));
        if (i % 20 == 0 || i == 99) printf("%d %.5f\n", (int)i, t_item(loss));
    }

    Tensor *indices;
    t_max(logits, 1, .indices = &indices);
    t_print(indices);
    t_print(Y);
}

/* ---- A learning rate ---- */

static void find_lr(Tensor *X, Tensor *Y) {
    t_Generator *g = t_generator_manual_seed(t_generator(), 2147483647);
    Tensor *C = t_randn(27, 2, .generator = g);
    Tensor *W1 = t_randn(6, 100, .generator = g);
    Tensor *b1 = t_randn(100, .generator = g);
    Tensor *W2 = t_randn(100, 27, .generator = g);
    Tensor *b2 = t_randn(27, .generator = g);
    t_TensorList *parameters = t_list(C, W1, b1, W2, b2);
    for_list (p, parameters) t_requires_grad_(p);

    Tensor *lre = t_linspace(-3, 0, 1000);
    Tensor *lrs = t_pow(10, lre);
    t_print(t_at(lrs, ":5"));

    double lri[1000], lossi[1000];
    for_range (i, 1000) {
        Tensor *ix = t_randint(0, t_size(X, 0), 32, .generator = g);

        Tensor *emb = t_at(C, "{}", t_at(X, "{}", ix));
        Tensor *h = t_tanh(t_add(t_matmul(t_view(emb, -1, 6), W1), b1));
        Tensor *logits = t_add(t_matmul(h, W2), b2);
        Tensor *loss = F_cross_entropy(logits, t_at(Y, "{}", ix));

        for_list (p, parameters) t_set_grad(p, NULL);
        t_backward(loss);

        double lr = t_item(t_at(lrs, "{}", i));
        for_list (p, parameters) t_add_(t_data(p), t_mul(-lr, t_grad(p)));

        lri[i] = t_item(t_at(lre, "{}", i));
        lossi[i] = t_item(loss);
    }

    for (int i = 0; i < 1000; i += 100) printf("10^%.2f %.4f\n", lri[i], t_item(t_mean(t_tensor(lossi + i, 100))));
}

/* ---- Training, and names ---- */

static double split_loss(t_TensorList *parameters, Tensor *X, Tensor *Y) {
    Tensor *C, *W1, *b1, *W2, *b2;
    t_list_unpack(parameters, &C, &W1, &b1, &W2, &b2);
    Tensor *emb = t_at(C, "{}", X);
    Tensor *h = t_tanh(t_add(t_matmul(t_view(emb, -1, 30), W1), b1));
    Tensor *logits = t_add(t_matmul(h, W2), b2);
    Tensor *loss = F_cross_entropy(logits, Y);
    return t_item(loss);
}

static t_TensorList *train(Tensor *Xtr, Tensor *Ytr, Tensor *Xdev, Tensor *Ydev) {
    t_Generator *g = t_generator_manual_seed(t_generator(), 2147483647);
    Tensor *C = t_randn(27, 10, .generator = g);
    Tensor *W1 = t_randn(30, 200, .generator = g);
    Tensor *b1 = t_randn(200, .generator = g);
    Tensor *W2 = t_randn(200, 27, .generator = g);
    Tensor *b2 = t_randn(27, .generator = g);
    t_TensorList *parameters = t_list(C, W1, b1, W2, b2);
    t_print("parameters:", count_elements(parameters));
    for_list (p, parameters) t_requires_grad_(p);

    for_range (i, 2000) {
        Tensor *ix = t_randint(0, t_size(Xtr, 0), 32, .generator = g);

        Tensor *emb = t_at(C, "{}", t_at(Xtr, "{}", ix));
        Tensor *h = t_tanh(t_add(t_matmul(t_view(emb, -1, 30), W1), b1));
        Tensor *logits = t_add(t_matmul(h, W2), b2);
        Tensor *loss = F_cross_entropy(logits, t_at(Ytr, "{}", ix));
        if (i % 200 == 0) printf("%d %.4f\n", (int)i, t_item(loss));

        for_list (p, parameters) t_set_grad(p, NULL);
        t_backward(loss);

        double lr = i < 1500 ? 0.05 : 0.01;
        for_list (p, parameters) t_add_(t_data(p), t_mul(-lr, t_grad(p)));
    }

    printf("train %.4f\n", split_loss(parameters, Xtr, Ytr));
    printf("dev %.4f\n", split_loss(parameters, Xdev, Ydev));
    return parameters;
}

static void sample(t_TensorList *parameters) {
    Tensor *C, *W1, *b1, *W2, *b2;
    t_list_unpack(parameters, &C, &W1, &b1, &W2, &b2);
    t_Generator *g = t_generator_manual_seed(t_generator(), 2147483647LL + 10);
    for_range (_, 10) {
        const char *out = "";
        int64_t context[3] = {0};
        while (true) {
            Tensor *emb = t_at(C, "{}", t_tensor(context, 1, 3));
            Tensor *h = t_tanh(t_add(t_matmul(t_view(emb, 1, -1), W1), b1));
            Tensor *logits = t_add(t_matmul(h, W2), b2);
            Tensor *probs = F_softmax(logits, .dim = 1);
            int64_t ix = t_item_int64(t_multinomial(probs, .num_samples = 1, .generator = g));
            push(context, 3, ix);
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
    Tensor *Ytr, *Xtr = build_dataset(0, n1, 3, &Ytr);
    Tensor *Ydev, *Xdev = build_dataset(n1, n2, 3, &Ydev);
    Tensor *Yte, *Xte = build_dataset(n2, N_WORDS, 3, &Yte);
    t_print(t_size_repr(Xtr), t_size_repr(Xdev), t_size_repr(Xte));
    find_lr(Xtr, Ytr);
    t_TensorList *parameters = train(Xtr, Ytr, Xdev, Ydev);
    sample(parameters);
    printf("test %.4f\n", split_loss(parameters, Xte, Yte));
}

int main(void) {
    first_steps();
    overfit();
    run();
    return 0;
}
