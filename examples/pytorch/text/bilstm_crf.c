/* examples/pytorch/text/bilstm_crf.c: "Advanced: making dynamic decisions and the BiLSTM-CRF".
 *
 * Difficulty: ***     Read first: sequence_models     Read next: transformer_language_model */
#include <stdio.h>

#include "core/core.h"
#include "examples/pytorch/text/vocabulary.h"
#include "nn/nn.h"
#include "optim/optim.h"

enum { START_TAG = 3, STOP_TAG = 4, TAGS = 5, EMBEDDING_DIM = 5, HIDDEN_DIM = 4, N_SENTENCES = 2 };

typedef struct Tagged {
    int len;
    const char *sentence[12], *tags[12];
} Tagged;

static const Vocabulary tag_to_ix = {.words = {"B", "I", "O", "<START>", "<STOP>"}, .len = TAGS};
static const Tagged training_data[N_SENTENCES] = {
    {11,
     {"the", "new", "york", "office", "of", "acme", "steel", "opened", "a", "second", "plant"},
     {"O", "B", "I", "O", "O", "B", "I", "O", "O", "O", "O"}},
    {11,
     {"old", "mill", "paper", "sells", "most", "of", "its", "paper", "in", "south", "africa"},
     {"B", "I", "I", "O", "O", "O", "O", "O", "O", "B", "I"}},
};

static int64_t argmax(Tensor *vec) {
    return t_item_int64(t_argmax(vec, 1));
}

static Tensor *log_sum_exp(Tensor *vec) {
    Tensor *max_score = t_at(vec, "0, {}", argmax(vec));
    Tensor *max_score_broadcast = t_expand(t_view(max_score, 1, -1), 1, t_size(vec, 1));
    return t_add(max_score, t_log(t_sum(t_exp(t_sub(vec, max_score_broadcast)))));
}

/* ---- The model ---- */

typedef struct BiLSTMCRF {
    nn_Module base;
    int64_t hidden_dim;
    nn_Embedding *word_embeds;
    nn_LSTM *lstm;
    nn_Linear *hidden2tag;
    Tensor *transitions;
} BiLSTMCRF;

static BiLSTMCRF *bi_lstmcrf(int64_t vocab_size, int64_t embedding_dim, int64_t hidden_dim) {
    BiLSTMCRF *self = nn_module(BiLSTMCRF, NULL);
    self->hidden_dim = hidden_dim;
    nn_set(self, word_embeds, nn_Embedding(vocab_size, embedding_dim));
    nn_set(self, lstm, nn_LSTM(embedding_dim, hidden_dim / 2, .num_layers = 1, .bidirectional = true));

    nn_set(self, hidden2tag, nn_Linear(hidden_dim, TAGS));

    nn_set(self, transitions, nn_Parameter(t_randn(TAGS, TAGS)));

    t_set(t_data(self->transitions), "{}, :", START_TAG, -10000);
    t_set(t_data(self->transitions), ":, {}", STOP_TAG, -10000);
    return self;
}

/* The logarithm of the summed exponentials of all paths' scores. */
static Tensor *bi_lstmcrf_forward_alg(BiLSTMCRF *self, Tensor *feats) {
    Tensor *init_alphas = t_full((1, TAGS), -10000.0);
    t_set(init_alphas, "0, {}", START_TAG, 0.0);

    Tensor *forward_var = init_alphas;

    for (int64_t i = 0; i < t_size(feats, 0); i++) {
        t_TensorList *alphas_t = t_list();
        for (int next_tag = 0; next_tag < TAGS; next_tag++) {
            Tensor *emit_score = t_expand(t_view(t_at(feats, "{}, {}", i, next_tag), 1, -1), 1, TAGS);
            Tensor *trans_score = t_view(t_at(self->transitions, "{}", next_tag), 1, -1);
            Tensor *next_tag_var = t_add(forward_var, trans_score, emit_score);
            t_list_append(alphas_t, t_view(log_sum_exp(next_tag_var), 1));
        }
        forward_var = t_view(t_cat(alphas_t), 1, -1);
    }
    Tensor *terminal_var = t_add(forward_var, t_at(self->transitions, "{}", STOP_TAG));
    Tensor *alpha = log_sum_exp(terminal_var);
    return alpha;
}

static Tensor *bi_lstmcrf_get_lstm_features(BiLSTMCRF *self, Tensor *sentence) {
    Tensor *h = t_randn(2, 1, self->hidden_dim / 2);
    Tensor *c = t_randn(2, 1, self->hidden_dim / 2);
    Tensor *embeds = t_view(nn_call(self->word_embeds, sentence), t_size(sentence, 0), 1, -1);
    Tensor *lstm_out = nn_LSTM_call(self->lstm, embeds, .h_0 = h, .c_0 = c);
    lstm_out = t_view(lstm_out, t_size(sentence, 0), self->hidden_dim);
    Tensor *lstm_feats = nn_call(self->hidden2tag, lstm_out);
    return lstm_feats;
}

/* The score of the given tags. */
static Tensor *bi_lstmcrf_score_sentence(BiLSTMCRF *self, Tensor *feats, Tensor *tags) {
    Tensor *score = t_zeros(1);
    tags = t_cat(t_list(t_full((1), START_TAG), tags));
    for (int64_t i = 0; i < t_size(feats, 0); i++)
        score = t_add(score, t_at(self->transitions, "{}, {}", t_at(tags, "{}", i + 1), t_at(tags, "{}", i)),
                      t_at(feats, "{}, {}", i, t_at(tags, "{}", i + 1)));
    score = t_add(score, t_at(self->transitions, "{}, {}", STOP_TAG, t_at(tags, "-1")));
    return score;
}

/* The path of the greatest score. */
static Tensor *bi_lstmcrf_viterbi_decode(BiLSTMCRF *self, Tensor *feats, Tensor **path_score) {
    Tensor *backpointers = t_zeros(t_size(feats, 0), TAGS, .dtype = t_int64);

    Tensor *init_vvars = t_full((1, TAGS), -10000.0);
    t_set(init_vvars, "0, {}", START_TAG, 0);

    Tensor *forward_var = init_vvars;
    for (int64_t i = 0; i < t_size(feats, 0); i++) {
        t_TensorList *viterbivars_t = t_list();
        for (int next_tag = 0; next_tag < TAGS; next_tag++) {
            Tensor *next_tag_var = t_add(forward_var, t_at(self->transitions, "{}", next_tag));
            int64_t best_tag_id = argmax(next_tag_var);
            t_set(backpointers, "{}, {}", i, next_tag, best_tag_id);
            t_list_append(viterbivars_t, t_view(t_at(next_tag_var, "0, {}", best_tag_id), 1));
        }
        forward_var = t_view(t_add(t_cat(viterbivars_t), t_at(feats, "{}", i)), 1, -1);
    }

    Tensor *terminal_var = t_add(forward_var, t_at(self->transitions, "{}", STOP_TAG));
    int64_t best_tag_id = argmax(terminal_var);
    *path_score = t_at(terminal_var, "0, {}", best_tag_id);

    Tensor *best_path = t_zeros(t_size(feats, 0), .dtype = t_int64);
    for (int64_t i = t_size(feats, 0) - 1; i >= 0; i--) {
        t_set(best_path, "{}", i, best_tag_id);
        best_tag_id = t_item_int64(t_at(backpointers, "{}, {}", i, best_tag_id));
    }
    if (best_tag_id != START_TAG) return t_fail("the best path begins with tag %d", (int)best_tag_id);
    return best_path;
}

static Tensor *bi_lstmcrf_neg_log_likelihood(BiLSTMCRF *self, Tensor *sentence, Tensor *tags) {
    Tensor *feats = bi_lstmcrf_get_lstm_features(self, sentence);
    Tensor *forward_score = bi_lstmcrf_forward_alg(self, feats);
    Tensor *gold_score = bi_lstmcrf_score_sentence(self, feats, tags);
    return t_sub(forward_score, gold_score);
}

static Tensor *bi_lstmcrf_call(BiLSTMCRF *self, Tensor *sentence, Tensor **score) {
    Tensor *lstm_feats = bi_lstmcrf_get_lstm_features(self, sentence);

    Tensor *tag_seq = bi_lstmcrf_viterbi_decode(self, lstm_feats, score);
    return tag_seq;
}

/* ---- Training ---- */

static void train(void) {
    Vocabulary word_to_ix = {.len = 0};
    for (int i = 0; i < N_SENTENCES; i++) {
        const Tagged *data = &training_data[i];
        for_range (word, data->len) vocabulary_add(&word_to_ix, data->sentence[word]);
    }

    BiLSTMCRF *model = bi_lstmcrf(word_to_ix.len, EMBEDDING_DIM, HIDDEN_DIM);
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 0.01, .weight_decay = 1e-4);

    with_no_grad() {
        Tensor *precheck_sent = prepare_sequence(training_data[0].sentence, training_data[0].len, &word_to_ix);
        Tensor *precheck_tags = prepare_sequence(training_data[0].tags, training_data[0].len, &tag_to_ix);
        t_print(precheck_tags);
        Tensor *score, *tag_seq = bi_lstmcrf_call(model, precheck_sent, &score);
        t_print(score, tag_seq);
    }

    for_range (epoch, 300) {
        double total_loss = 0;
        for_range (i, N_SENTENCES) {
            const Tagged *data = &training_data[i];
            nn_zero_grad(model);

            Tensor *sentence_in = prepare_sequence(data->sentence, data->len, &word_to_ix);
            Tensor *targets = prepare_sequence(data->tags, data->len, &tag_to_ix);

            Tensor *loss = bi_lstmcrf_neg_log_likelihood(model, sentence_in, targets);

            t_backward(loss);
            optim_step(optimizer);
            total_loss += t_item(loss);
        }
        if (epoch % 50 == 49) printf("epoch %d: %.4f\n", (int)epoch + 1, total_loss);
    }

    with_no_grad() {
        Tensor *precheck_sent = prepare_sequence(training_data[0].sentence, training_data[0].len, &word_to_ix);
        Tensor *score, *tag_seq = bi_lstmcrf_call(model, precheck_sent, &score);
        t_print(score, tag_seq);
    }
}

int main(void) {
    t_manual_seed(1);
    train();
    return 0;
}
