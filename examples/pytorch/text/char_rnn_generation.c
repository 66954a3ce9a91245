/* examples/pytorch/text/char_rnn_generation.c: "NLP from scratch: generating names with a character-level RNN".
 *
 * Difficulty: **     Read first: char_rnn_classification     Read next: seq2seq_translation */
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "core/python/python.h"
#include "examples/pytorch/text/names.h"
#include "nn/nn.h"

static const char all_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ .,;'-";
enum { n_letters = sizeof all_letters - 1 + 1, n_iters = 3000, print_every = 300, max_length = 20 };
static const double learning_rate = 0.005;

/* ---- The network ---- */

typedef struct RNN {
    nn_Module base;
    int64_t hidden_size;
    nn_Linear *i2h, *i2o, *o2o;
    nn_Dropout *dropout;
    nn_LogSoftmax *softmax;
} RNN;

static Tensor *rnn_call(RNN *self, Tensor *category, Tensor *input, Tensor **hidden) {
    Tensor *input_combined = t_cat(t_list(category, input, *hidden), 1);
    *hidden = nn_call(self->i2h, input_combined);
    Tensor *output = nn_call(self->i2o, input_combined);
    Tensor *output_combined = t_cat(t_list(*hidden, output), 1);
    output = nn_call(self->o2o, output_combined);
    output = nn_call(self->dropout, output);
    output = nn_call(self->softmax, output);
    return output;
}

static RNN *rnn_new(int64_t input_size, int64_t hidden_size, int64_t output_size) {
    RNN *self = nn_module(RNN, NULL);
    self->hidden_size = hidden_size;

    nn_set(self, i2h, nn_Linear(N_CATEGORIES + input_size + hidden_size, hidden_size));
    nn_set(self, i2o, nn_Linear(N_CATEGORIES + input_size + hidden_size, output_size));
    nn_set(self, o2o, nn_Linear(hidden_size + output_size, output_size));
    nn_set(self, dropout, nn_Dropout(0.1));
    nn_set(self, softmax, nn_LogSoftmax(.dim = 1));
    return self;
}

static Tensor *rnn_init_hidden(RNN *self) {
    return t_zeros(1, self->hidden_size);
}

/* ---- Random pairs, and their tensors ---- */

static int64_t random_training_pair(const char **line) {
    int64_t category = random_randint(0, N_CATEGORIES - 1);
    const char *const *lines = category_lines[category];
    *line = lines[random_randint(0, N_LINES - 1)];
    return category;
}

static Tensor *category_tensor_of(int64_t category) {
    Tensor *tensor = t_zeros(1, N_CATEGORIES);
    t_set(tensor, "0, {}", category, 1);
    return tensor;
}

static Tensor *input_tensor(const char *line) {
    Tensor *tensor = t_zeros((int64_t)strlen(line), 1, n_letters);
    for_range (li, (int64_t)strlen(line)) {
        char letter = line[li];
        t_set(tensor, "{}, 0, {}", li, (int64_t)(strchr(all_letters, letter) - all_letters), 1);
    }
    return tensor;
}

static Tensor *target_tensor(const char *line) {
    Tensor *letter_indexes = t_zeros((int64_t)strlen(line), .dtype = t_int64);
    for_range (li, 1, (int64_t)strlen(line))
        t_set(letter_indexes, "{}", li - 1, (int64_t)(strchr(all_letters, line[li]) - all_letters));
    t_set(letter_indexes, "-1", n_letters - 1);
    return letter_indexes;
}

/* ---- Training ---- */

static double train(RNN *rnn, nn_NLLLoss *criterion, int64_t category, const char *line) {
    Tensor *category_tensor = category_tensor_of(category);
    Tensor *input_line_tensor = input_tensor(line);
    Tensor *target_line_tensor = t_unsqueeze(target_tensor(line), -1);
    Tensor *hidden = rnn_init_hidden(rnn);

    nn_zero_grad(rnn);

    Tensor *loss = t_zeros(1);
    for (int64_t i = 0; i < t_size(input_line_tensor, 0); i++) {
        Tensor *output = rnn_call(rnn, category_tensor, t_at(input_line_tensor, "{}", i), &hidden);
        loss = t_add(loss, nn_call(criterion, output, t_at(target_line_tensor, "{}", i)));
    }

    t_backward(loss);

    for_parameters (p, rnn) t_add_(t_data(p), t_grad(p), .alpha = -learning_rate);

    return t_item(loss) / (double)t_size(input_line_tensor, 0);
}

static void train_loop(RNN *rnn) {
    nn_NLLLoss *criterion = nn_NLLLoss();
    double total_loss = 0;
    for_range (iter, 1, n_iters + 1) {
        const char *line;
        int64_t category = random_training_pair(&line);
        double loss = train(rnn, criterion, category, line);
        total_loss += loss;

        if (iter % print_every == 0) {
            printf("%d %.4f\n", (int)iter, loss);
            printf("average loss %.4f\n", total_loss / print_every);
            total_loss = 0;
        }
    }
}

/* ---- Sampling ---- */

static const char *sample(RNN *rnn, int64_t category, const char *start_letter) {
    const char *output_name = start_letter;
    with_no_grad() {
        Tensor *category_tensor = category_tensor_of(category);
        Tensor *input = input_tensor(start_letter);
        Tensor *hidden = rnn_init_hidden(rnn);

        for (int i = 0; i < max_length; i++) {
            Tensor *output = rnn_call(rnn, category_tensor, t_at(input, "0"), &hidden), *topi;
            t_topk(output, 1, .indices = &topi);
            int64_t top = t_item_int64(t_at(topi, "0, 0"));
            if (top == n_letters - 1) break;
            char letter[] = {all_letters[top], 0};
            output_name = t_format("%s%s", output_name, letter);
            input = input_tensor(letter);
        }
    }
    return output_name;
}

static void samples(RNN *rnn, int64_t category, const char *start_letters) {
    for (const char *start_letter = start_letters; *start_letter; start_letter++)
        t_print(sample(rnn, category, t_format("%c", *start_letter)));
}

int main(void) {
    random_seed(1);
    t_manual_seed(1);
    t_print("categories:", (int)N_CATEGORIES);
    RNN *rnn = rnn_new(n_letters, 128, n_letters);
    train_loop(rnn);
    samples(rnn, 0, "AKS");
    samples(rnn, 1, "GLP");
    samples(rnn, 2, "HTY");
    samples(rnn, 3, "BSZ");
    return 0;
}
