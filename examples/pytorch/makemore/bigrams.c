/* examples/pytorch/makemore/bigrams.c: Andrej Karpathy's lecture "The spelled-out intro to language modeling:
 * building makemore": the next letter from the last one, by counting and by a neural network that comes to the same.
 *
 * Difficulty: *     Read first: basics/tensors, basics/autograd     Read next: mlp */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "examples/pytorch/makemore/names.h"
#include "nn/nn.h"

static void look(void) {
    for (int w = 0; w < 10; w++) t_print(words[w]);
    t_print("names:", (int)N_WORDS);
    size_t shortest = SIZE_MAX, longest = 0;
    for (int w = 0; w < N_WORDS; w++) {
        size_t length = strlen(words[w]);
        if (length < shortest) shortest = length;
        if (length > longest) longest = length;
    }
    t_print("shortest:", (int)shortest);
    t_print("longest:", (int)longest);
}

/* ---- Counts ---- */

typedef struct Bigram {
    char ch1, ch2;
    int count, place; /* place: in the order of their first occurrence, as in a dict */
} Bigram;

/* b[bigram] = b.get(bigram, 0) + 1 */
static void add_to(Bigram *b, int *len, char ch1, char ch2) {
    int i = 0;
    while (i < *len && (b[i].ch1 != ch1 || b[i].ch2 != ch2)) i++;
    if (i == *len) b[(*len)++] = (Bigram){ch1, ch2, 0, i};
    b[i].count++;
}

/* key=lambda kv: -kv[1]; sorted() keeps the order of equals */
static int by_count(const void *a, const void *b) {
    const Bigram *x = a, *y = b;
    return x->count != y->count ? y->count - x->count : x->place - y->place;
}

static void count_dict(void) {
    static Bigram b[vocab_size * vocab_size];
    int len = 0;
    for (int w = 0; w < N_WORDS; w++) {
        const char *chs = t_format(".%s.", words[w]);
        for (const char *ch1 = chs, *ch2 = chs + 1; *ch2; ch1++, ch2++) add_to(b, &len, *ch1, *ch2);
    }
    qsort(b, (size_t)len, sizeof *b, by_count);
    for (int i = 0; i < 10; i++) printf("%c%c %d\n", b[i].ch1, b[i].ch2, b[i].count);
}

static Tensor *count_tensor(void) {
    Tensor *N = t_zeros(27, 27, .dtype = t_int32);
    for_range (w, N_WORDS) {
        const char *chs = t_format(".%s.", words[w]);
        for (const char *ch1 = chs, *ch2 = chs + 1; *ch2; ch1++, ch2++) {
            int64_t ix1 = stoi(*ch1);
            int64_t ix2 = stoi(*ch2);
            t_add_(t_at(N, "{}, {}", ix1, ix2), 1);
        }
    }
    return N;
}

static void first_letter(Tensor *N) {
    t_print(t_at(N, "0"));
    Tensor *p = t_float(t_at(N, "0"));
    p = t_div(p, t_sum(p));
    t_print(p);
    t_Generator *g = t_generator_manual_seed(t_generator(), 2147483647);
    int64_t ix = t_item_int64(t_multinomial(p, .num_samples = 1, .replacement = true, .generator = g));
    printf("%c\n", itos[ix]);
}

static void three_letters(void) {
    t_Generator *g = t_generator_manual_seed(t_generator(), 2147483647);
    Tensor *p = t_rand(3, .generator = g);
    p = t_div(p, t_sum(p));
    t_print(p);
    t_print(t_multinomial(p, .num_samples = 100, .replacement = true, .generator = g));
}

static Tensor *probabilities(Tensor *N) {
    Tensor *P = t_float(t_add(N, 1));
    t_div_(P, t_sum(P, 1, .keepdim = true));
    t_print(t_size_repr(P));
    t_print(t_size_repr(t_sum(P, 1, .keepdim = true)));
    t_print(t_sum(t_at(P, "0")));
    return P;
}

static void sample(Tensor *P) {
    t_Generator *g = t_generator_manual_seed(t_generator(), 2147483647);
    for_range (i, 10) {
        const char *out = "";
        int64_t ix = 0;
        while (true) {
            Tensor *p = t_at(P, "{}", ix);
            ix = t_item_int64(t_multinomial(p, .num_samples = 1, .replacement = true, .generator = g));
            out = t_format("%s%c", out, itos[ix]);
            if (ix == 0) break;
        }
        t_print(out);
    }
}

static void word_likelihood(Tensor *P, const char *w) {
    Tensor *log_likelihood = t_tensor(0.0);
    int n = 0;
    const char *chs = t_format(".%s.", w);
    for (const char *ch1 = chs, *ch2 = chs + 1; *ch2; ch1++, ch2++) {
        int64_t ix1 = stoi(*ch1);
        int64_t ix2 = stoi(*ch2);
        Tensor *prob = t_at(P, "{}, {}", ix1, ix2);
        Tensor *logprob = t_log(prob);
        log_likelihood = t_add(log_likelihood, logprob);
        n += 1;
        printf("%c%c: %.4f %.4f\n", *ch1, *ch2, t_item(prob), t_item(logprob));
    }
    Tensor *nll = t_neg(log_likelihood);
    printf("%.4f\n", t_item(t_div(nll, n)));
}

static void likelihood(Tensor *P) {
    Tensor *log_likelihood = t_tensor(0.0);
    int n = 0;
    for_range (w, N_WORDS) {
        const char *chs = t_format(".%s.", words[w]);
        for (const char *ch1 = chs, *ch2 = chs + 1; *ch2; ch1++, ch2++) {
            int64_t ix1 = stoi(*ch1);
            int64_t ix2 = stoi(*ch2);
            Tensor *prob = t_at(P, "{}, {}", ix1, ix2);
            Tensor *logprob = t_log(prob);
            t_keep_as(&log_likelihood, t_add(log_likelihood, logprob));
            n += 1;
        }
    }
    printf("log_likelihood=%.3f\n", t_item(log_likelihood));
    Tensor *nll = t_neg(log_likelihood);
    printf("nll=%.3f\n", t_item(nll));
    printf("%.5f\n", t_item(t_div(nll, n)));
}

/* ---- A neural network ---- */

/* The first n words' */
static Tensor *bigrams_of(int n, Tensor **ys) {
    static int64_t xs_list[MAX_EXAMPLES], ys_list[MAX_EXAMPLES];
    int64_t len = 0;
    for (int w = 0; w < n; w++) {
        const char *chs = t_format(".%s.", words[w]);
        for (const char *ch1 = chs, *ch2 = chs + 1; *ch2; ch1++, ch2++) {
            int64_t ix1 = stoi(*ch1);
            int64_t ix2 = stoi(*ch2);
            xs_list[len] = ix1;
            ys_list[len++] = ix2;
        }
    }
    Tensor *xs = t_tensor(xs_list, len);
    *ys = t_tensor(ys_list, len);
    return xs;
}

static Tensor *loss_of(Tensor *W, Tensor *xs, Tensor *ys) {
    Tensor *xenc = t_float(F_one_hot(xs, .num_classes = 27));
    Tensor *logits = t_matmul(xenc, W);
    Tensor *counts = t_exp(logits);
    Tensor *probs = t_div(counts, t_sum(counts, 1, .keepdim = true));
    Tensor *loss = t_neg(t_mean(t_log(t_at(probs, "{}, {}", t_arange(t_numel(ys)), ys))));
    return loss;
}

static void one_word(void) {
    Tensor *ys, *xs = bigrams_of(1, &ys);
    t_print(xs);
    t_print(ys);
    Tensor *xenc = t_float(F_one_hot(xs, .num_classes = 27));
    t_print(t_size_repr(xenc), t_dtype_repr(t_dtype(xenc)));

    t_Generator *g = t_generator_manual_seed(t_generator(), 2147483647);
    Tensor *W = t_randn(27, 27, .generator = g, .requires_grad = true);
    Tensor *logits = t_matmul(xenc, W);
    Tensor *counts = t_exp(logits);
    Tensor *probs = t_div(counts, t_sum(counts, 1, .keepdim = true));
    t_print(t_size_repr(probs));

    int64_t n = t_numel(xs);
    Tensor *nlls = t_zeros(n);
    for (int64_t i = 0; i < n; i++) {
        int64_t x = t_item_int64(t_at(xs, "{}", i));
        int64_t y = t_item_int64(t_at(ys, "{}", i));
        printf("--------\n");
        printf("bigram example %d: %c%c (indexes %d,%d)\n", (int)i + 1, itos[x], itos[y], (int)x, (int)y);
        Tensor *p = t_at(probs, "{}, {}", i, y);
        printf("probability assigned by the net to the correct character: %.7f\n", t_item(p));
        Tensor *logp = t_log(p);
        printf("log likelihood: %.5f\n", t_item(logp));
        Tensor *nll = t_neg(logp);
        printf("negative log likelihood: %.5f\n", t_item(nll));
        t_set(nlls, "{}", i, nll);
    }
    printf("=========\n");
    printf("average negative log likelihood, i.e. loss = %.5f\n", t_item(t_mean(nlls)));

    Tensor *loss = t_neg(t_mean(t_log(t_at(probs, "{}, {}", t_arange(n), ys))));
    t_print(loss);
    t_set_grad(W, NULL);
    t_backward(loss);
    t_print(t_size_repr(t_grad(W)));
    t_add_(t_data(W), t_mul(-0.1, t_grad(W)));
    t_print(loss_of(W, xs, ys));
}

static Tensor *train(void) {
    Tensor *ys, *xs = bigrams_of(N_WORDS, &ys);
    int64_t num = t_numel(xs);
    t_print("number of examples:", num);
    t_Generator *g = t_generator_manual_seed(t_generator(), 2147483647);
    Tensor *W = t_randn(27, 27, .generator = g, .requires_grad = true);

    for_range (k, 100) {
        Tensor *xenc = t_float(F_one_hot(xs, .num_classes = 27));
        Tensor *logits = t_matmul(xenc, W);
        Tensor *counts = t_exp(logits);
        Tensor *probs = t_div(counts, t_sum(counts, 1, .keepdim = true));
        Tensor *loss =
            t_add(t_neg(t_mean(t_log(t_at(probs, "{}, {}", t_arange(num), ys)))), t_mul(0.01, t_mean(t_pow(W, 2))));
        if (k % 10 == 0 || k == 99) printf("%d %.5f\n", (int)k, t_item(loss));

        t_set_grad(W, NULL);
        t_backward(loss);

        t_add_(t_data(W), t_mul(-50, t_grad(W)));
    }
    return W;
}

static void sample_net(Tensor *W) {
    t_Generator *g = t_generator_manual_seed(t_generator(), 2147483647);
    for_range (i, 10) {
        const char *out = "";
        int64_t ix = 0;
        while (true) {
            Tensor *xenc = t_float(F_one_hot(t_tensor(&ix, 1), .num_classes = 27));
            Tensor *logits = t_matmul(xenc, W);
            Tensor *counts = t_exp(logits);
            Tensor *p = t_div(counts, t_sum(counts, 1, .keepdim = true));
            ix = t_item_int64(t_multinomial(p, .num_samples = 1, .replacement = true, .generator = g));
            out = t_format("%s%c", out, itos[ix]);
            if (ix == 0) break;
        }
        t_print(out);
    }
}

int main(void) {
    look();
    count_dict();
    Tensor *N = count_tensor();
    first_letter(N);
    three_letters();
    Tensor *P = probabilities(N);
    sample(P);
    word_likelihood(P, "emma");
    likelihood(P);
    one_word();
    Tensor *W = train();
    sample_net(W);
    return 0;
}
