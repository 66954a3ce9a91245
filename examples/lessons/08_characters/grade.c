/* examples/lessons/08_characters/grade.c: words drawn from the seed; counts by t_bincount, losses by the library's. */
#include "grader.h"
#include SUBMISSION

#define LOSS "F_nll_loss* F_cross_entropy* nn_NLLLoss* nn_CrossEntropy*"

/* Words of 1 to 6 of the letters a to e, so that pairs repeat. */
enum { MOST_WORDS = 12 };
static const char *const *draw_words(int count) {
    static char letters[MOST_WORDS][8];
    static const char *words[MOST_WORDS];
    for (int i = 0; i < count; i++) {
        int length = draw_integer(1, 6);
        for (int j = 0; j < length; j++) letters[i][j] = (char)('a' + draw_integer(0, 4));
        letters[i][length] = 0;
        words[i] = letters[i];
    }
    return words;
}

/* The examples of the words: position i of "000word0" gives a context of k and the token after it. */
static Examples expected_examples(const char *const *words, int count, int k) {
    t_TensorList *x = t_list(), *y = t_list();
    for (int i = 0; i < count; i++) {
        int64_t length = (int64_t)strlen(words[i]), padded[32] = {0};
        for (int64_t j = 0; j < length; j++) padded[k + j] = words[i][j] - 'a' + 1;
        for (int64_t j = 0; j <= length; j++) {
            t_list_append(x, t_tensor(padded + j, k));
            t_list_append(y, t_tensor(padded[k + j], .dtype = t_int64));
        }
    }
    return (Examples){t_stack(x, 0), t_stack(y, 0)};
}

static Tensor *expected_counts(Examples data) {
    Tensor *pair = t_add(t_mul(t_flatten(data.x), TOKENS), data.y);
    return t_float(t_view(t_bincount(pair, .minlength = TOKENS * TOKENS), TOKENS, TOKENS));
}

static void check_counts(void) {
    for (int i = 0; i < 3; i++) {
        int count = draw_integer(2, 6);
        const char *const *words = draw_words(count);
        in_case("%d words, the first two are %s and %s", count, words[0], words[1]);
        expect_close("N", bigram_counts(words, count), expected_counts(expected_examples(words, count, 1)));
    }
}

static void check_probabilities(void) {
    for (int i = 0; i < 3; i++) {
        double s = draw_uniform(0.1, 2);
        Tensor *N = t_floor(t_mul(t_abs(draw_normal(TOKENS, TOKENS)), 5));
        in_case("s = %.3f", s);
        expect_close("P", bigram_probabilities(N, s), t_softmax(t_log(t_add(N, s)), 1));
    }
}

static void check_examples(void) {
    for (int k = 1; k <= 4; k++) {
        int count = draw_integer(2, 5);
        const char *const *words = draw_words(count);
        Examples got = make_examples(words, count, k), expected = expected_examples(words, count, k);
        in_case("k = %d, %d words, the first is %s", k, count, words[0]);
        expect_close("x", got.x, expected.x);
        expect_close("y", got.y, expected.y);
    }
}

static void check_loss(void) {
    for (int i = 0; i < 3; i++) {
        int n = draw_integer(3, 9);
        Tensor *log_p = t_requires_grad_(t_log_softmax(draw_normal(n, TOKENS), 1), true), *y = t_randint(0, TOKENS, n);
        Tensor *got = negative_log_likelihood(log_p, y), *expected = F_nll_loss(log_p, y);
        in_case("%d rows", n);
        expect_close("the loss", got, expected);
        expect_close("its gradient for log_p", t_grad(got, log_p), t_grad(expected, log_p));
    }
}

static void check_train(void) {
    int steps = draw_integer(3, 6), count = draw_integer(4, 8);
    double learning_rate = draw_uniform(0.5, 2), expected = 0;
    Examples data = expected_examples(draw_words(count), count, 1);
    Tensor *start = draw_normal(TOKENS, TOKENS), *W = t_requires_grad_(t_clone(start), true);
    Tensor *reference = t_requires_grad_(t_clone(start), true);
    optim_Optimizer *optimizer = optim_SGD(t_list(reference), .lr = learning_rate);
    for (int step = 0; step < steps; step++) {
        Tensor *loss = F_cross_entropy(t_at(reference, "{}", t_flatten(data.x)), data.y);
        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);
        expected = t_item(loss);
    }
    in_case("%d steps, learning rate %.3f", steps, learning_rate);
    double got = train_bigram_network(W, data, learning_rate, steps);
    expect_close("W", W, reference);
    expect_true(fabs(got - expected) < 1e-4, "the loss of the last step is %.5f, expected %.5f", got, expected);
}

/* The best that a table of bigrams can do is the relative frequency of each pair. */
static void check_same_loss(void) {
    Examples data = expected_examples(draw_words(MOST_WORDS), MOST_WORDS, 1);
    Tensor *N = expected_counts(data), *log_P = t_log(t_clamp_min(t_div(N, t_sum(N, 1, .keepdim = true)), 1e-30));
    double best = t_item(F_nll_loss(t_at(log_P, "{}", t_flatten(data.x)), data.y));
    Tensor *W = t_zeros(TOKENS, TOKENS, .requires_grad = true);
    double got = train_bigram_network(W, data, 10, 400);
    in_case("%d words, counted loss %.4f", MOST_WORDS, best);
    expect_true(got > best - 1e-4 && got < best + 0.02, "the loss after 400 steps is %.4f", got);
}

static void check_mlp(void) {
    for (int i = 0; i < 3; i++) {
        int k = draw_integer(2, 3), m = draw_integer(4, 5), h = draw_integer(6, 8), n = draw_integer(9, 11);
        Mlp mlp = {draw_normal(TOKENS, m), draw_normal(k * m, h), draw_normal(h), draw_normal(h, TOKENS),
                   draw_normal(TOKENS)};
        Tensor *x = t_randint(0, TOKENS, (n, k)), *joined = t_reshape(F_embedding(x, mlp.C), n, k * m);
        Tensor *hidden = t_tanh(F_linear(joined, t_transpose(mlp.H, 0, 1), mlp.d));
        in_case("x of shape (%d, %d), C (27, %d), H (%d, %d)", n, k, m, k * m, h);
        expect_close("logits", mlp_logits(&mlp, x), F_linear(hidden, t_transpose(mlp.U, 0, 1), mlp.b));
    }
}

static void check_distribution(void) {
    for (int i = 0; i < 3; i++) {
        double temperature = i == 2 ? 0 : i == 1 ? draw_uniform(1.2, 3) : draw_uniform(0.2, 0.8);
        Tensor *logits = draw_normal(TOKENS), *divided = t_div(logits, temperature ? temperature : 1e-6);
        in_case("temperature %.3f", temperature);
        expect_close("p", next_distribution(logits, temperature), t_softmax(divided, 0));
    }
}

/* A model that spells a word: after its context of k tokens only one token is possible. */
typedef struct Speller {
    const char *word;
    int k, position;
} Speller;

static Tensor *spell(void *model, Tensor *x) {
    Speller *self = model;
    expect_true(t_dim(x) == 2 && t_size(x, 0) == 1 && t_size(x, 1) == self->k && t_dtype(x) == t_int64,
                "the model gets an input of %s, expected (1, %d) of int64", t_size_repr(x), self->k);
    for (int j = 0; j < self->k; j++) {
        int at = self->position - self->k + j, expected = at < 0 ? 0 : (int)token(self->word[at]);
        int got = (int)t_item(t_at(x, "0, {}", j));
        expect_true(got == expected, "before letter %d the context's token %d is %d, expected %d",
                    self->position, j, got, expected);
    }
    Tensor *logits = t_full((1, TOKENS), -1000.0);
    t_set(logits, "0, {}", token(self->word[self->position++]), t_tensor(1000.0));
    return logits;
}

static void check_sample(void) {
    for (int i = 0; i < 3; i++) {
        char word[8];
        Speller model = {draw_words(1)[0], draw_integer(1, 4), 0};
        int size = i == 2 ? draw_integer(2, (int)strlen(model.word) + 1) : 8; /* the third may be cut */
        in_case("a model that spells %s, k = %d, size = %d", model.word, model.k, size);
        memset(word, '#', sizeof word);
        sample_word(spell, &model, model.k, 1, word, size);
        word[sizeof word - 1] = 0;
        char expected[8];
        size_t length = strlen(model.word), most = (size_t)size - 1;
        if (length > most) length = most;
        memcpy(expected, model.word, length);
        expected[length] = 0;
        expect_text("the word", word, expected);
    }
}

static const Check checks[] = {
    {"bigram_counts", 3, check_counts},
    {"bigram_probabilities", 2, check_probabilities, .forbidden = "t_softmax*"},
    {"make_examples", 3, check_examples},
    {"negative_log_likelihood", 2, check_loss, .forbidden = LOSS},
    {"train_bigram_network", 2, check_train, .forbidden = "optim_*"},
    {"same_loss_as_counting", 1, check_same_loss, .function = "train_bigram_network"},
    {"mlp_logits", 3, check_mlp, .forbidden = "F_linear* nn_Linear* nn_Sequential*"},
    {"next_distribution", 2, check_distribution},
    {"sample_word", 3, check_sample},
};
GRADE("08 characters", checks)
