/* examples/pytorch/llm/bigram.c: the first half of Andrej Karpathy's lecture "Let's build GPT: from scratch, in code,
 * spelled out": text as characters, the bigram model and its training, then averages over what came before, written as
 * a product of matrices, which leads to self-attention.
 *
 * Difficulty: **     Read first: learning/what_is_nn     Read next: lets_build_gpt */
#include <math.h>
#include <stdio.h>

#include "core/core.h"
#include "core/python/python.h"
#include "examples/pytorch/llm/characters.h"
#include "nn/nn.h"
#include "optim/optim.h"

static const int64_t batch_size = 32;
static const int64_t block_size = 8;
static const int max_iters = 1200;
static const int eval_interval = 300;
static const double learning_rate = 1e-2;
static const int eval_iters = 50;

enum { TRAIN, VAL };
static Tensor *data[2];

static Tensor *get_batch(int split, Tensor **targets) {
    Tensor *ix = t_randint(0, t_size(data[split], 0) - block_size, batch_size);
    t_TensorList *x = t_list();
    for_list (i, t_unbind(ix))
        t_list_append(x, t_at(data[split], "{}:{}", t_item_int64(i), t_item_int64(i) + block_size));
    t_TensorList *y = t_list();
    for_list (i, t_unbind(ix))
        t_list_append(y, t_at(data[split], "{}:{}", t_item_int64(i) + 1, t_item_int64(i) + block_size + 1));
    *targets = t_stack(y);
    return t_stack(x);
}

/* ---- The bigram model: the next character depends on the last one alone ---- */

typedef struct BigramLanguageModel {
    nn_Module base;
    nn_Embedding *token_embedding_table;
} BigramLanguageModel;

static BigramLanguageModel *bigram_language_model(int64_t vocab_size) {
    BigramLanguageModel *self = nn_module(BigramLanguageModel, NULL);
    nn_set(self, token_embedding_table, nn_Embedding(vocab_size, vocab_size));
    return self;
}

/* idx, targets: (B, T); targets may be NULL, and then *loss is */
static Tensor *bigram_language_model_call(BigramLanguageModel *self, Tensor *idx, Tensor *targets, Tensor **loss) {
    Tensor *logits = nn_call(self->token_embedding_table, idx);
    if (targets == NULL) {
        *loss = NULL;
    } else {
        int64_t B = t_size(logits, 0), T = t_size(logits, 1), C = t_size(logits, 2);
        logits = t_view(logits, B * T, C);
        targets = t_view(targets, B * T);
        *loss = F_cross_entropy(logits, targets);
    }
    return logits;
}

static Tensor *bigram_language_model_generate(BigramLanguageModel *self, Tensor *idx, int max_new_tokens) {
    for_range (_, max_new_tokens) {
        Tensor *loss, *logits = bigram_language_model_call(self, idx, NULL, &loss);
        logits = t_at(logits, ":, -1, :");
        Tensor *probs = F_softmax(logits, -1);
        Tensor *idx_next = t_multinomial(probs, .num_samples = 1);
        t_keep_as(&idx, t_cat(t_list(idx, idx_next), .dim = 1));
    }
    return idx;
}

/* ---- Training ---- */

typedef struct Losses {
    double of[2]; /* of[TRAIN], of[VAL] */
} Losses;

/* The mean losses of eval_iters batches of each split */
static Losses estimate_loss(BigramLanguageModel *model) {
    Losses out = {0};
    nn_eval(model);
    with_no_grad () {
        for_range (split, 2) {
            Tensor *losses = t_zeros(eval_iters);
            for_range (k, eval_iters) {
                Tensor *Y, *X = get_batch((int)split, &Y);
                Tensor *loss;
                bigram_language_model_call(model, X, Y, &loss);
                t_set(losses, "{}", k, loss);
            }
            out.of[split] = t_item(t_mean(losses));
        }
    }
    nn_train(model);
    return out;
}

static Characters read_text(void) {
    const char *text = play(40000);
    t_print("length of the text in characters:", strlen(text));
    printf("%.200s\n", text);
    Characters chars = characters(text);
    t_print(chars.chars);
    t_print(chars.len);
    t_print(characters_encode(&chars, "the lamp"));
    t_print(characters_decode(&chars, characters_encode(&chars, "the lamp")));

    Tensor *ids = characters_encode(&chars, text);
    t_print(t_size_repr(ids), t_dtype_repr(t_dtype(ids)));
    t_print(t_at(ids, ":100"));
    int64_t n = (int64_t)(0.9 * (double)t_size(ids, 0));
    data[TRAIN] = t_at(ids, ":{}", n);
    data[VAL] = t_at(ids, "{}:", n);
    return chars;
}

static void show_batch(void) {
    Tensor *x = t_at(data[TRAIN], ":{}", block_size);
    Tensor *y = t_at(data[TRAIN], "1:{}", block_size + 1);
    for_range (t, block_size) {
        Tensor *context = t_at(x, ":{}", t + 1);
        Tensor *target = t_at(y, "{}", t);
        printf("when input is %s the target: %d\n", t_str(context), (int)t_item(target));
    }

    Tensor *yb, *xb = get_batch(TRAIN, &yb);
    t_print(t_size_repr(xb));
    t_print(t_at(xb, ":4"));
    t_print(t_size_repr(yb));
    t_print(t_at(yb, ":4"));
}

static void train(const Characters *chars) {
    BigramLanguageModel *model = bigram_language_model(chars->len);
    Tensor *yb, *xb = get_batch(TRAIN, &yb);
    Tensor *loss, *logits = bigram_language_model_call(model, xb, yb, &loss);
    t_print(t_size_repr(logits));
    t_print(loss);
    Tensor *context = t_zeros(1, 1, .dtype = t_int64);
    t_print(characters_decode(chars, t_at(bigram_language_model_generate(model, context, 100), "0")));

    optim_Optimizer *optimizer = optim_AdamW(nn_parameters(model), .lr = learning_rate);
    for_range (iter, max_iters) {
        if (iter % eval_interval == 0) {
            Losses losses = estimate_loss(model);
            printf("step %d: train loss %.4f, val loss %.4f\n", (int)iter, losses.of[TRAIN], losses.of[VAL]);
        }

        xb = get_batch(TRAIN, &yb);
        bigram_language_model_call(model, xb, yb, &loss);
        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);
    }

    Losses losses = estimate_loss(model);
    printf("in the end: train loss %.4f, val loss %.4f\n", losses.of[TRAIN], losses.of[VAL]);
    t_print(characters_decode(chars, t_at(bigram_language_model_generate(model, context, 200), "0")));
}

/* ---- The mathematical trick in self-attention ---- */

static void averages(void) {
    t_manual_seed(42);
    Tensor *a = t_tril(t_ones(3, 3));
    a = t_div(a, t_sum(a, 1, .keepdim = true));
    Tensor *b = t_float(t_randint(0, 10, 3, 2));
    Tensor *c = t_matmul(a, b);
    t_print(a);
    t_print(b);
    t_print(c);

    t_manual_seed(1337);
    int64_t B = 4, T = 8, C = 2;
    Tensor *x = t_randn(B, T, C);
    Tensor *xbow = t_zeros(B, T, C);
    for_range (batch, B) {
        for_range (t, T) {
            Tensor *xprev = t_at(x, "{}, :{}", batch, t + 1);
            t_set(xbow, "{}, {}", batch, t, t_mean(xprev, 0));
        }
    }
    t_print(t_at(xbow, "0"));

    /* the same as a product: row t of wei has 1 / (t + 1) up to column t */
    Tensor *wei = t_tril(t_ones(T, T));
    wei = t_div(wei, t_sum(wei, 1, .keepdim = true));
    Tensor *xbow2 = t_matmul(wei, x);
    t_print((bool)t_allclose(xbow, xbow2, .atol = 1e-6));

    /* and these weights by a softmax */
    Tensor *tril = t_tril(t_ones(T, T));
    wei = t_zeros(T, T);
    wei = t_masked_fill(wei, t_eq(tril, 0), -INFINITY);
    wei = F_softmax(wei, -1);
    Tensor *xbow3 = t_matmul(wei, x);
    t_print((bool)t_allclose(xbow, xbow3, .atol = 1e-6));
}

static void self_attention(void) {
    t_manual_seed(1337);
    int64_t B = 4, T = 8, C = 32;
    Tensor *x = t_randn(B, T, C);
    int64_t head_size = 16;
    nn_Linear *key = nn_Linear(C, head_size, .bias = false);
    nn_Linear *query = nn_Linear(C, head_size, .bias = false);
    nn_Linear *value = nn_Linear(C, head_size, .bias = false);
    Tensor *k = nn_call(key, x);
    Tensor *q = nn_call(query, x);
    Tensor *wei = t_matmul(q, t_transpose(k, -2, -1));

    Tensor *tril = t_tril(t_ones(T, T));
    wei = t_masked_fill(wei, t_eq(tril, 0), -INFINITY);
    wei = F_softmax(wei, -1);
    Tensor *v = nn_call(value, x);
    Tensor *out = t_matmul(wei, v);
    t_print(t_size_repr(out));
    t_print(t_at(wei, "0"));

    /* scaled: the scores have the variance of k and q, and the softmax stays diffuse */
    k = t_randn(B, T, head_size);
    q = t_randn(B, T, head_size);
    wei = t_mul(t_matmul(q, t_transpose(k, -2, -1)), pow((double)head_size, -0.5));
    t_print(t_var(k));
    t_print(t_var(q));
    t_print(t_var(wei));
    t_print(t_softmax(t_tensor("[0.1, -0.2, 0.3, -0.2, 0.5]"), -1));
    t_print(t_softmax(t_mul(t_tensor("[0.1, -0.2, 0.3, -0.2, 0.5]"), 8), -1));
}

int main(void) {
    random_seed(1337);
    t_manual_seed(1337);
    Characters chars = read_text();
    show_batch();
    train(&chars);
    averages();
    self_attention();
    return 0;
}
