/* examples/pytorch/text/sequence_models.c: "Sequence models and long short-term memory networks": an LSTM that tags the
 * parts of speech.
 *
 * Difficulty: **     Read first: word_embeddings     Read next: bilstm_crf */
#include <stdio.h>

#include "core/core.h"
#include "examples/pytorch/text/vocabulary.h"
#include "nn/nn.h"
#include "optim/optim.h"

enum { EMBEDDING_DIM = 6, HIDDEN_DIM = 6, N_SENTENCES = 3 };

typedef struct Tagged {
    int len;
    const char *sentence[8], *tags[8];
} Tagged;

static const Tagged training_data[N_SENTENCES] = {
    {5, {"the", "cat", "chased", "a", "mouse"}, {"DET", "NN", "V", "DET", "NN"}},
    {4, {"everybody", "saw", "that", "film"}, {"NN", "V", "DET", "NN"}},
    {5, {"a", "mouse", "saw", "the", "cat"}, {"DET", "NN", "V", "DET", "NN"}},
};

static void lstm_steps(void) {
    nn_LSTM *lstm = nn_LSTM(3, 3);
    t_TensorList *inputs = t_list();
    for_range (_, 5) t_list_append(inputs, t_randn(1, 3));

    Tensor *h = t_randn(1, 1, 3);
    Tensor *c = t_randn(1, 1, 3);
    for_list (i, inputs) nn_LSTM_call(lstm, t_view(i, 1, 1, -1), .h_0 = h, .c_0 = c, .h_n = &h, .c_n = &c);

    Tensor *input = t_view(t_cat(inputs), inputs->len, 1, -1);
    h = t_randn(1, 1, 3);
    c = t_randn(1, 1, 3);
    Tensor *out = nn_LSTM_call(lstm, input, .h_0 = h, .c_0 = c, .h_n = &h, .c_n = &c);
    t_print(out);
    t_print(h, c);
}

/* ---- A tagger ---- */

typedef struct LSTMTagger {
    nn_Module base;
    int64_t hidden_dim;
    nn_Embedding *word_embeddings;
    nn_LSTM *lstm;
    nn_Linear *hidden2tag;
} LSTMTagger;

static Tensor *lstm_tagger_call(LSTMTagger *self, Tensor *sentence) {
    Tensor *embeds = nn_call(self->word_embeddings, sentence);
    Tensor *lstm_out = nn_call(self->lstm, t_view(embeds, t_size(sentence, 0), 1, -1));
    Tensor *tag_space = nn_call(self->hidden2tag, t_view(lstm_out, t_size(sentence, 0), -1));
    Tensor *tag_scores = F_log_softmax(tag_space, .dim = 1);
    return tag_scores;
}

static LSTMTagger *lstm_tagger(int64_t embedding_dim, int64_t hidden_dim, int64_t vocab_size, int64_t tagset_size) {
    LSTMTagger *self = nn_module(LSTMTagger, lstm_tagger_call);
    self->hidden_dim = hidden_dim;

    nn_set(self, word_embeddings, nn_Embedding(vocab_size, embedding_dim));

    nn_set(self, lstm, nn_LSTM(embedding_dim, hidden_dim));

    nn_set(self, hidden2tag, nn_Linear(hidden_dim, tagset_size));
    return self;
}

static void train_tagger(void) {
    Vocabulary word_to_ix = {.len = 0};
    Vocabulary tag_to_ix = {.len = 0};
    for (int i = 0; i < N_SENTENCES; i++) {
        const Tagged *data = &training_data[i];
        for_range (word, data->len) vocabulary_add(&word_to_ix, data->sentence[word]);
        for_range (tag, data->len) vocabulary_add(&tag_to_ix, data->tags[tag]);
    }
    t_print("words:", word_to_ix.len, "tags:", tag_to_ix.len);

    LSTMTagger *model = lstm_tagger(EMBEDDING_DIM, HIDDEN_DIM, word_to_ix.len, tag_to_ix.len);
    nn_NLLLoss *loss_function = nn_NLLLoss();
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 0.1);

    with_no_grad() {
        Tensor *inputs = prepare_sequence(training_data[0].sentence, training_data[0].len, &word_to_ix);
        Tensor *tag_scores = nn_call(model, inputs);
        t_print(tag_scores);
    }

    for_range (epoch, 300) {
        double total_loss = 0;
        for_range (i, N_SENTENCES) {
            const Tagged *data = &training_data[i];
            nn_zero_grad(model);

            Tensor *sentence_in = prepare_sequence(data->sentence, data->len, &word_to_ix);
            Tensor *targets = prepare_sequence(data->tags, data->len, &tag_to_ix);

            Tensor *tag_scores = nn_call(model, sentence_in);

            Tensor *loss = nn_call(loss_function, tag_scores, targets);
            t_backward(loss);
            optim_step(optimizer);
            total_loss += t_item(loss);
        }
        if (epoch % 50 == 49) printf("epoch %d: %.4f\n", (int)epoch + 1, total_loss);
    }

    with_no_grad() {
        Tensor *inputs = prepare_sequence(training_data[0].sentence, training_data[0].len, &word_to_ix);
        Tensor *tag_scores = nn_call(model, inputs);
        t_print(tag_scores);
        t_print(t_argmax(tag_scores, 1));
    }
}

int main(void) {
    t_manual_seed(1);
    lstm_steps();
    train_tagger();
    return 0;
}
