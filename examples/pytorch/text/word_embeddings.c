/* examples/pytorch/text/word_embeddings.c: "Word embeddings: encoding lexical semantics": n-grams, and the exercise at
 * the end of the tutorial, a continuous bag of words.
 *
 * Difficulty: **     Read first: learning/what_is_nn     Read next: sequence_models */
#include <stdio.h>

#include "core/core.h"
#include "examples/pytorch/text/vocabulary.h"
#include "nn/nn.h"
#include "optim/optim.h"

enum { CONTEXT_SIZE = 2, EMBEDDING_DIM = 10 };

static const char *const text[] = {
    "the",     "river",  "runs",  "past",  "the",     "old",    "mill",  "and",    "the",     "mill", "turns",
    "slowly",  "when",   "the",   "river", "runs",    "low",    ".",     "in",     "winter",  "the",  "river",
    "freezes", "and",    "the",   "old",   "mill",    "stands", "still", "under",  "the",     "snow", ".",
    "in",      "spring", "the",   "snow",  "melts",   ",",      "the",   "river",  "rises",   ",",    "and",
    "the",     "mill",   "turns", "fast",  "again",   ".",      "the",   "miller", "listens", "to",   "the",
    "river",   "and",    "the",   "river", "listens", "to",     "no",    "one",    "."};
enum { TEXT_LENGTH = sizeof text / sizeof *text };

static void two_words(void) {
    Vocabulary word_to_ix = {.len = 0};
    vocabulary_add(&word_to_ix, "hello");
    vocabulary_add(&word_to_ix, "world");
    nn_Embedding *embeds = nn_Embedding(2, 5);
    const int64_t lookup[] = {vocabulary_index(&word_to_ix, "hello")};
    Tensor *lookup_tensor = t_tensor(lookup);
    Tensor *hello_embed = nn_call(embeds, lookup_tensor);
    t_print(hello_embed);
}

/* ---- N-grams ---- */

typedef struct NGramLanguageModeler {
    nn_Module base;
    nn_Embedding *embeddings;
    nn_Linear *linear1, *linear2;
} NGramLanguageModeler;

static Tensor *n_gram_language_modeler_call(NGramLanguageModeler *self, Tensor *inputs) {
    Tensor *embeds = t_view(nn_call(self->embeddings, inputs), 1, -1);
    Tensor *out = F_relu(nn_call(self->linear1, embeds));
    out = nn_call(self->linear2, out);
    Tensor *log_probs = F_log_softmax(out, .dim = 1);
    return log_probs;
}

static NGramLanguageModeler *n_gram_language_modeler(int64_t vocab_size, int64_t embedding_dim, int64_t context_size) {
    NGramLanguageModeler *self = nn_module(NGramLanguageModeler, n_gram_language_modeler_call);
    nn_set(self, embeddings, nn_Embedding(vocab_size, embedding_dim));
    nn_set(self, linear1, nn_Linear(context_size * embedding_dim, 128));
    nn_set(self, linear2, nn_Linear(128, vocab_size));
    return self;
}

static void train_ngrams(const Vocabulary *word_to_ix) {
    nn_NLLLoss *loss_function = nn_NLLLoss();
    NGramLanguageModeler *model = n_gram_language_modeler(word_to_ix->len, EMBEDDING_DIM, CONTEXT_SIZE);
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 0.01);

    for_range (epoch, 30) {
        double total_loss = 0;
        for_range (i, CONTEXT_SIZE, TEXT_LENGTH) {
            Tensor *context_idxs = prepare_sequence(text + i - CONTEXT_SIZE, CONTEXT_SIZE, word_to_ix);
            Tensor *target = prepare_sequence(text + i, 1, word_to_ix);

            nn_zero_grad(model);

            Tensor *log_probs = nn_call(model, context_idxs);

            Tensor *loss = nn_call(loss_function, log_probs, target);

            t_backward(loss);
            optim_step(optimizer);

            total_loss += t_item(loss);
        }
        if (epoch % 5 == 4) printf("epoch %d: %.3f\n", (int)epoch + 1, total_loss);
    }

    t_print(t_at(model->embeddings->weight, "{}", vocabulary_index(word_to_ix, "river")));
}

/* ---- A continuous bag of words ---- */

typedef struct CBOW {
    nn_Module base;
    nn_Embedding *embeddings;
    nn_Linear *linear;
} CBOW;

static Tensor *cbow_call(CBOW *self, Tensor *inputs) {
    Tensor *embeds = t_sum(nn_call(self->embeddings, inputs), 0, .keepdim = true);
    Tensor *out = nn_call(self->linear, embeds);
    Tensor *log_probs = F_log_softmax(out, .dim = 1);
    return log_probs;
}

static CBOW *cbow(int64_t vocab_size, int64_t embedding_dim) {
    CBOW *self = nn_module(CBOW, cbow_call);
    nn_set(self, embeddings, nn_Embedding(vocab_size, embedding_dim));
    nn_set(self, linear, nn_Linear(embedding_dim, vocab_size));
    return self;
}

static Tensor *make_context_vector(int64_t i, const Vocabulary *word_to_ix) {
    Tensor *context = t_zeros(4, .dtype = t_int64);
    for_range (j, 2) {
        t_set(context, "{}", j, vocabulary_index(word_to_ix, text[i - 2 + j]));
        t_set(context, "{}", 2 + j, vocabulary_index(word_to_ix, text[i + 1 + j]));
    }
    return context;
}

static void train_cbow(const Vocabulary *word_to_ix) {
    nn_NLLLoss *loss_function = nn_NLLLoss();
    CBOW *model = cbow(word_to_ix->len, EMBEDDING_DIM);
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 0.01);

    for_range (epoch, 60) {
        double total_loss = 0;
        for_range (i, 2, TEXT_LENGTH - 2) {
            Tensor *context_vector = make_context_vector(i, word_to_ix);
            Tensor *target = prepare_sequence(text + i, 1, word_to_ix);
            optim_zero_grad(optimizer);
            Tensor *log_probs = nn_call(model, context_vector);
            Tensor *loss = nn_call(loss_function, log_probs, target);
            t_backward(loss);
            optim_step(optimizer);
            total_loss += t_item(loss);
        }
        if (epoch % 10 == 9) printf("epoch %d: %.3f\n", (int)epoch + 1, total_loss);
    }

    const char *const *words = word_to_ix->words;
    with_no_grad() {
        for_range (i, 2, 10) {
            Tensor *log_probs = nn_call(model, make_context_vector(i, word_to_ix));
            int64_t guess = t_item_int64(t_argmax(log_probs, 1));
            printf("%s %s [%s] %s %s\n", text[i - 2], text[i - 1], words[guess], text[i + 1], text[i + 2]);
        }
    }
}

int main(void) {
    t_manual_seed(1);
    two_words();
    Vocabulary word_to_ix = {.len = 0};
    for (int i = 0; i < TEXT_LENGTH; i++) vocabulary_add(&word_to_ix, text[i]);
    t_print("words:", (int)TEXT_LENGTH, "different ones:", word_to_ix.len);
    train_ngrams(&word_to_ix);
    train_cbow(&word_to_ix);
    return 0;
}
