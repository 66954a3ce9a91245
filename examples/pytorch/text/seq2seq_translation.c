/* examples/pytorch/text/seq2seq_translation.c: "NLP from scratch: translation with a sequence to sequence network and
 * attention", between 160 French and English sentences that the program makes.
 *
 * Difficulty: ***     Read first: char_rnn_generation     Read next: word_embeddings */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/data/data.h"
#include "core/python/python.h"
#include "nn/nn.h"
#include "optim/optim.h"

enum { SOS_token = 0, EOS_token = 1, MAX_LENGTH = 8, MAX_WORDS = 64, MAX_PAIRS = 200 };

typedef struct Pair {
    const char *french, *english;
} Pair;

typedef struct Pairs {
    int n;
    Pair items[MAX_PAIRS];
} Pairs;

static const Pair SUBJECTS[] = {{"je ne suis", "i am"},
                                {"tu n es", "you are"},
                                {"il n est", "he is"},
                                {"elle n est", "she is"},
                                {"on n est", "we are"}};
static const Pair DEGREES[] = {{"", ""}, {"tres", "very"}, {"trop", "too"}, {"assez", "rather"}};
static const Pair ADJECTIVES[] = {{"calme", "calm"}, {"jeune", "young"}, {"libre", "free"}, {"malade", "sick"},
                                  {"riche", "rich"}, {"sage", "wise"},   {"timide", "shy"}, {"triste", "sad"}};

/* ---- The words of a language ---- */

typedef struct Lang {
    const char *name;
    char index2word[MAX_WORDS][16];
    int n_words;
} Lang;

static Lang lang(const char *name) {
    Lang self = {0};
    self.name = name;
    strcpy(self.index2word[SOS_token], "SOS");
    strcpy(self.index2word[EOS_token], "EOS");
    self.n_words = 2;
    return self;
}

/* word2index[word]; -1 for a word that is not there */
static int lang_word2index(const Lang *self, const char *word) {
    for (int i = 2; i < self->n_words; i++)
        if (strcmp(self->index2word[i], word) == 0) return i;
    return -1;
}

/* for word in sentence.split(): the next word, or NULL at the end */
static const char *next_word(const char **sentence) {
    static char word[16];
    int length = 0, skipped = 0;
    if (sscanf(*sentence, " %n%15s%n", &skipped, word, &length) != 1) return NULL;
    *sentence += length;
    return word;
}

static void lang_add_word(Lang *self, const char *word) {
    if (lang_word2index(self, word) < 0) {
        strcpy(self->index2word[self->n_words], word);
        self->n_words += 1;
    }
}

static void lang_add_sentence(Lang *self, const char *sentence) {
    const char *word;
    while ((word = next_word(&sentence))) lang_add_word(self, word);
}

/* ---- The data ---- */

static Pairs read_langs(void) {
    Pairs pairs = {0};
    for (int subject = 0; subject < 5; subject++)
        for (int degree = 0; degree < 4; degree++)
            for (int adjective = 0; adjective < 8; adjective++) {
                const char *french = t_format("%s pas %s %s", SUBJECTS[subject].french, DEGREES[degree].french,
                                              ADJECTIVES[adjective].french);
                const char *english = t_format("%s not %s %s", SUBJECTS[subject].english, DEGREES[degree].english,
                                               ADJECTIVES[adjective].english);
                pairs.items[pairs.n++] = (Pair){french, english};
            }
    return pairs;
}

static Pairs prepare_data(Lang *input_lang, Lang *output_lang) {
    Pairs pairs = read_langs();
    printf("read %d sentence pairs\n", pairs.n);
    for (int pair = 0; pair < pairs.n; pair++) {
        lang_add_sentence(input_lang, pairs.items[pair].french);
        lang_add_sentence(output_lang, pairs.items[pair].english);
    }
    printf("counted words:\n");
    t_print(input_lang->name, input_lang->n_words);
    t_print(output_lang->name, output_lang->n_words);
    return pairs;
}

/* ---- The encoder ---- */

typedef struct EncoderRNN {
    nn_Module base;
    int64_t hidden_size;
    nn_Embedding *embedding;
    nn_GRU *gru;
    nn_Dropout *dropout;
} EncoderRNN;

static EncoderRNN *encoder_rnn(int64_t input_size, int64_t hidden_size, double dropout_p) {
    EncoderRNN *self = nn_module(EncoderRNN, NULL);
    self->hidden_size = hidden_size;

    nn_set(self, embedding, nn_Embedding(input_size, hidden_size));
    nn_set(self, gru, nn_GRU(hidden_size, hidden_size, .batch_first = true));
    nn_set(self, dropout, nn_Dropout(dropout_p));
    return self;
}

static Tensor *encoder_rnn_call(EncoderRNN *self, Tensor *input, Tensor **hidden) {
    Tensor *embedded = nn_call(self->dropout, nn_call(self->embedding, input));
    Tensor *output = nn_GRU_call(self->gru, embedded, .h_n = hidden);
    return output;
}

/* ---- The decoder, with attention ---- */

typedef struct BahdanauAttention {
    nn_Module base;
    nn_Linear *Wa, *Ua, *Va;
} BahdanauAttention;

static BahdanauAttention *bahdanau_attention(int64_t hidden_size) {
    BahdanauAttention *self = nn_module(BahdanauAttention, NULL);
    nn_set(self, Wa, nn_Linear(hidden_size, hidden_size));
    nn_set(self, Ua, nn_Linear(hidden_size, hidden_size));
    nn_set(self, Va, nn_Linear(hidden_size, 1));
    return self;
}

static Tensor *bahdanau_attention_call(BahdanauAttention *self, Tensor *query, Tensor *keys, Tensor **weights) {
    Tensor *scores = nn_call(self->Va, t_tanh(t_add(nn_call(self->Wa, query), nn_call(self->Ua, keys))));
    scores = t_unsqueeze(t_squeeze(scores, 2), 1);

    *weights = F_softmax(scores, .dim = -1);
    Tensor *context = t_bmm(*weights, keys);

    return context;
}

typedef struct AttnDecoderRNN {
    nn_Module base;
    nn_Embedding *embedding;
    BahdanauAttention *attention;
    nn_GRU *gru;
    nn_Linear *out;
    nn_Dropout *dropout;
} AttnDecoderRNN;

static AttnDecoderRNN *attn_decoder_rnn(int64_t hidden_size, int64_t output_size, double dropout_p) {
    AttnDecoderRNN *self = nn_module(AttnDecoderRNN, NULL);
    nn_set(self, embedding, nn_Embedding(output_size, hidden_size));
    nn_set(self, attention, bahdanau_attention(hidden_size));
    nn_set(self, gru, nn_GRU(2 * hidden_size, hidden_size, .batch_first = true));
    nn_set(self, out, nn_Linear(hidden_size, output_size));
    nn_set(self, dropout, nn_Dropout(dropout_p));
    return self;
}

static Tensor *attn_decoder_rnn_forward_step(AttnDecoderRNN *self, Tensor *input, Tensor **hidden,
                                             Tensor *encoder_outputs, Tensor **attn_weights) {
    Tensor *embedded = nn_call(self->dropout, nn_call(self->embedding, input));

    Tensor *query = t_permute(*hidden, 1, 0, 2);
    Tensor *context = bahdanau_attention_call(self->attention, query, encoder_outputs, attn_weights);
    Tensor *input_gru = t_cat(t_list(embedded, context), .dim = 2);

    Tensor *output = nn_GRU_call(self->gru, input_gru, *hidden, .h_n = hidden);
    output = nn_call(self->out, output);

    return output;
}

static Tensor *attn_decoder_rnn_call(AttnDecoderRNN *self, Tensor *encoder_outputs, Tensor *encoder_hidden,
                                     Tensor *target_tensor, Tensor **attentions) {
    int64_t batch_size = t_size(encoder_outputs, 0);
    Tensor *decoder_input = t_full((batch_size, 1), SOS_token);
    Tensor *decoder_hidden = encoder_hidden;
    t_TensorList *output_list = t_list();
    t_TensorList *attention_list = t_list();

    for (int64_t i = 0; i < MAX_LENGTH; i++) {
        Tensor *attn_weights;
        Tensor *decoder_output =
            attn_decoder_rnn_forward_step(self, decoder_input, &decoder_hidden, encoder_outputs, &attn_weights);
        t_list_append(output_list, decoder_output);
        t_list_append(attention_list, attn_weights);

        if (target_tensor != NULL) {
            decoder_input = t_unsqueeze(t_at(target_tensor, ":, {}", i), 1);
        } else {
            Tensor *topi;
            t_topk(decoder_output, 1, .indices = &topi);
            decoder_input = t_detach(t_squeeze(topi, -1));
        }
    }

    Tensor *decoder_outputs = t_cat(output_list, .dim = 1);
    decoder_outputs = F_log_softmax(decoder_outputs, .dim = -1);
    *attentions = t_cat(attention_list, .dim = 1);

    return decoder_outputs;
}

/* ---- Training ---- */

static Tensor *tensor_from_sentence(const Lang *language, const char *sentence) {
    Tensor *indexes = t_zeros(MAX_LENGTH, .dtype = t_int64);
    int n = 0;
    const char *word;
    while ((word = next_word(&sentence))) {
        t_set(indexes, "{}", n, lang_word2index(language, word));
        n += 1;
    }
    t_set(indexes, "{}", n, EOS_token);
    return indexes;
}

static data_DataLoader *get_dataloader(const Lang *input_lang, const Lang *output_lang, const Pairs *pairs,
                                       int batch_size) {
    t_TensorList *input_ids = t_list();
    t_TensorList *target_ids = t_list();
    for (int pair = 0; pair < pairs->n; pair++) {
        t_list_append(input_ids, tensor_from_sentence(input_lang, pairs->items[pair].french));
        t_list_append(target_ids, tensor_from_sentence(output_lang, pairs->items[pair].english));
    }

    data_Dataset *train_data = data_TensorDataset(t_list(t_stack(input_ids), t_stack(target_ids)));
    data_DataLoader *train_dataloader = data_DataLoader(train_data, .batch_size = batch_size, .shuffle = true);
    return train_dataloader;
}

static double train_epoch(data_DataLoader *dataloader, EncoderRNN *encoder, AttnDecoderRNN *decoder,
                          optim_Optimizer *encoder_optimizer, optim_Optimizer *decoder_optimizer,
                          nn_NLLLoss *criterion) {
    double total_loss = 0;
    for_batch (data, dataloader) {
        optim_zero_grad(encoder_optimizer);
        optim_zero_grad(decoder_optimizer);

        Tensor *encoder_hidden, *attentions;
        Tensor *encoder_outputs = encoder_rnn_call(encoder, data.x, &encoder_hidden);
        Tensor *decoder_outputs = attn_decoder_rnn_call(decoder, encoder_outputs, encoder_hidden, data.y, &attentions);

        Tensor *loss = nn_call(criterion, t_view(decoder_outputs, -1, t_size(decoder_outputs, -1)), t_view(data.y, -1));
        t_backward(loss);

        optim_step(encoder_optimizer);
        optim_step(decoder_optimizer);

        total_loss += t_item(loss);
    }

    return total_loss / (double)data_len(dataloader);
}

static void train(data_DataLoader *train_dataloader, EncoderRNN *encoder, AttnDecoderRNN *decoder, int n_epochs,
                  double learning_rate, int print_every) {
    double print_loss_total = 0;

    optim_Optimizer *encoder_optimizer = optim_Adam(nn_parameters(encoder), .lr = learning_rate);
    optim_Optimizer *decoder_optimizer = optim_Adam(nn_parameters(decoder), .lr = learning_rate);
    nn_NLLLoss *criterion = nn_NLLLoss();

    for_range (epoch, 1, n_epochs + 1) {
        double loss = train_epoch(train_dataloader, encoder, decoder, encoder_optimizer, decoder_optimizer, criterion);
        print_loss_total += loss;

        if (epoch % print_every == 0) {
            double print_loss_avg = print_loss_total / print_every;
            print_loss_total = 0;
            printf("(%d %.0f%%) %.4f\n", (int)epoch, (double)epoch / n_epochs * 100, print_loss_avg);
        }
    }
}

/* ---- Evaluation ---- */

static const char *evaluate(EncoderRNN *encoder, AttnDecoderRNN *decoder, const char *sentence, const Lang *input_lang,
                            const Lang *output_lang, Tensor **decoder_attn) {
    const char *decoded_words = "";
    with_no_grad() {
        Tensor *input_tensor = t_unsqueeze(tensor_from_sentence(input_lang, sentence), 0);

        Tensor *encoder_hidden;
        Tensor *encoder_outputs = encoder_rnn_call(encoder, input_tensor, &encoder_hidden);
        Tensor *decoder_outputs = attn_decoder_rnn_call(decoder, encoder_outputs, encoder_hidden, NULL, decoder_attn);

        Tensor *topi;
        t_topk(decoder_outputs, 1, .indices = &topi);
        Tensor *decoded_ids = t_squeeze(topi);

        for (int64_t i = 0; i < t_size(decoded_ids, 0); i++) {
            int64_t idx = t_item_int64(t_at(decoded_ids, "{}", i));
            if (idx == EOS_token) {
                decoded_words = t_format("%s%s", decoded_words, "<EOS>");
                break;
            }
            decoded_words = t_format("%s%s ", decoded_words, output_lang->index2word[idx]);
        }
    }
    return decoded_words;
}

static void evaluate_randomly(EncoderRNN *encoder, AttnDecoderRNN *decoder, const Pairs *pairs, const Lang *input_lang,
                              const Lang *output_lang, int n) {
    Tensor *attentions;
    for_range (i, n) {
        Pair pair = pairs->items[random_randint(0, pairs->n - 1)];
        t_print(">", pair.french);
        t_print("=", pair.english);
        const char *output_words = evaluate(encoder, decoder, pair.french, input_lang, output_lang, &attentions);
        t_print("<", output_words);
    }
}

static void run(void) {
    Lang input_lang = lang("fra");
    Lang output_lang = lang("eng");
    Pairs pairs = prepare_data(&input_lang, &output_lang);
    data_DataLoader *train_dataloader = get_dataloader(&input_lang, &output_lang, &pairs, 32);

    int64_t hidden_size = 64;
    EncoderRNN *encoder = encoder_rnn(input_lang.n_words, hidden_size, 0.1);
    AttnDecoderRNN *decoder = attn_decoder_rnn(hidden_size, output_lang.n_words, 0.1);
    train(train_dataloader, encoder, decoder, 60, 0.001, 6);

    nn_eval(encoder);
    nn_eval(decoder);
    evaluate_randomly(encoder, decoder, &pairs, &input_lang, &output_lang, 10);

    Tensor *attentions;
    const char *output_words =
        evaluate(encoder, decoder, "il n est pas tres sage", &input_lang, &output_lang, &attentions);
    t_print(output_words);
    t_print(t_at(attentions, "0, :6, :7"));
}

int main(void) {
    random_seed(1);
    t_manual_seed(1);
    run();
    return 0;
}
