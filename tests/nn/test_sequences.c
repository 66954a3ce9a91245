/* tests/nn/test_sequences.c: small versions of PyTorch's two classic sequence tutorials, compared with PyTorch's losses
 * under the same seed (golden/sequences.txt, written by record_sequences.py): a character-level name classifier, and an
 * LSTM tagger. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/tensor/context.h"
#include "tests/support/models/model_support.h"

/* Losses agree to 1e-4 of their value, the tolerance of float32 training runs. */
static void compare_losses(const char *key, Tensor *losses) {
    GoldenArray want;
    double *got = values_of(losses);
    ck_assert(golden_array(golden_case(golden_file("sequences.txt"), key), "losses", &want));
    ck_assert_int_eq(t_numel(losses), want.count);
    for (int64_t i = 0; i < want.count; i++)
        if (!(fabs(got[i] - want.values[i]) <= 1e-4 * want.values[i]))
            note("%s, step %d: %.9g, PyTorch has %.9g", key, (int)i, got[i], want.values[i]);
    free(want.values);
    free(got);
}

/* ---- names ---- */

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ .,;'";
enum { LETTERS = sizeof letters - 1 };

typedef struct RNN {
    nn_Module base;
    int hidden_size;
    nn_Linear *i2h, *i2o;
} RNN;

static RNN *rnn(int input_size, int hidden_size, int output_size) {
    RNN *self = nn_module(RNN, NULL);
    self->hidden_size = hidden_size;
    nn_set(self, i2h, nn_Linear(input_size + hidden_size, hidden_size));
    nn_set(self, i2o, nn_Linear(input_size + hidden_size, output_size));
    return self;
}

static Tensor *rnn_call(RNN *self, Tensor *letter, Tensor **hidden) {
    Tensor *combined = t_cat(t_list(letter, *hidden), 1);
    *hidden = nn_call(self->i2h, combined);
    return F_log_softmax(nn_call(self->i2o, combined), 1);
}

static Tensor *line_to_tensor(const char *line) {
    Tensor *tensor = t_zeros((int64_t)strlen(line), 1, LETTERS);
    for (int i = 0; line[i]; i++) t_set(tensor, "{}, 0, {}", i, (int64_t)(strchr(letters, line[i]) - letters), 1);
    return tensor;
}

START_TEST(names_by_a_network_written_by_hand) {
    static const struct {
        const char *line;
        int category;
    } names[] = {{"Abel", 0}, {"Satoshi", 1}, {"O'Neal", 2}, {"Yamada", 1}, {"Jones", 2}};
    t_manual_seed(0);
    RNN *model = rnn(LETTERS, 128, 3);
    Tensor *losses = t_zeros(10);
    for_range (step, 0, 10) {
        Tensor *line = line_to_tensor(names[step % 5].line), *hidden = t_zeros(1, model->hidden_size), *output = NULL;
        nn_zero_grad(model);
        for (int64_t i = 0; i < t_size(line, 0); i++) output = rnn_call(model, t_select(line, 0, i), &hidden);
        Tensor *loss = F_nll_loss(output, t_view(t_tensor(names[step % 5].category), 1));
        t_backward(loss);
        with_no_grad() for_named (p, nn_named_parameters(model)) t_add_(p->tensor, t_mul(t_grad(p->tensor), -0.005));
        t_set(losses, "{}", step, t_detach(loss));
    }
    compare_losses("names", losses);
    report_notes();
}
END_TEST

/* ---- tags ---- */

typedef struct LSTMTagger {
    nn_Module base;
    nn_Embedding *word_embeddings;
    nn_LSTM *lstm;
    nn_Linear *hidden2tag;
} LSTMTagger;

static Tensor *lstm_tagger_call(LSTMTagger *self, Tensor *sentence) {
    int64_t n = t_size(sentence, 0);
    Tensor *embeds = nn_call(self->word_embeddings, sentence);
    Tensor *lstm_out = nn_LSTM_call(self->lstm, t_view(embeds, n, 1, -1));
    return F_log_softmax(nn_call(self->hidden2tag, t_view(lstm_out, n, -1)), 1);
}

static LSTMTagger *lstm_tagger(int embedding_dim, int hidden_dim, int vocab_size, int tagset_size) {
    LSTMTagger *self = nn_module(LSTMTagger, lstm_tagger_call);
    nn_set(self, word_embeddings, nn_Embedding(vocab_size, embedding_dim));
    nn_set(self, lstm, nn_LSTM(embedding_dim, hidden_dim));
    nn_set(self, hidden2tag, nn_Linear(hidden_dim, tagset_size));
    return self;
}

START_TEST(words_tagged_by_an_lstm) {
    /* the dog ate the apple; everybody read that book: DET is 0, NN 1, V 2 */
    Tensor *sentences[] = {t_tensor("[0, 1, 2, 3, 4]"), t_tensor("[5, 6, 7, 8]")};
    Tensor *tags[] = {t_tensor("[0, 1, 2, 0, 1]"), t_tensor("[1, 2, 0, 1]")};
    t_manual_seed(1);
    LSTMTagger *model = lstm_tagger(6, 6, 9, 3);
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 0.1);
    Tensor *losses = t_zeros(20);
    for_range (step, 0, 20) {
        nn_zero_grad(model);
        Tensor *loss = F_nll_loss(nn_call(model, sentences[step % 2]), tags[step % 2]);
        t_backward(loss);
        optim_step(optimizer);
        t_set(losses, "{}", step, t_detach(loss));
    }
    compare_losses("tagger", losses);
    with_no_grad() matches_recorded("scores", nn_call(model, sentences[0]),
                                    golden_case(golden_file("sequences.txt"), "tagger"), "scores", VALUE);
    report_notes();
}
END_TEST

/* ---- no memory ---- */

typedef struct Refusal {
    int alive, request; /* tensors alive beforehand; which allocation of the backward fails */
    bool failed;
} Refusal;

/* In a new thread, whose pool of tensor structs is as small as at program start, so that it must grow in the
 * backward. */
static void *backward_without_memory(void *context) {
    Refusal *refusal = context;
    int depth = t_scope_open();
    const int64_t one = 1;
    for (int i = 0; i < refusal->alive; i++) (t_zeros)(&one, 1, NULL);
    nn_GRU *gru = (nn_GRU_new)(3, 4, NULL);
    Tensor *loss = (t_sum)((nn_call)(gru, (t_randn)((int64_t[]){5, 2, 3}, 3, NULL)), NULL, 0, false);
    tg_alloc_fail(refusal->request, false);
    refusal->failed = loss && !(t_backward)(loss, NULL);
    tg_alloc_fail(0, false);
    t_clear_error();
    t_scope_close(depth);
    return NULL;
}

START_TEST(a_backward_without_memory_says_so) {
    int failures = 0;
    for (int alive = 200; alive < 256; alive++)
        for (int request = 1; request <= 24; request++) {
            Refusal refusal = {alive, request, false};
            pthread_t thread;
            ck_assert_int_eq(pthread_create(&thread, NULL, backward_without_memory, &refusal), 0);
            pthread_join(thread, NULL);
            failures += refusal.failed;
        }
    ck_assert_int_gt(failures, 1000);
}
END_TEST

Suite *sequences_suite(void);
Suite *sequences_suite(void) {
    Suite *suite = suite_create("sequences");
    TCase *tests = tcase_create("sequences");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, names_by_a_network_written_by_hand);
    tcase_add_test(tests, words_tagged_by_an_lstm);
    tcase_add_test(tests, a_backward_without_memory_says_so);
    suite_add_tcase(suite, tests);
    return suite;
}
