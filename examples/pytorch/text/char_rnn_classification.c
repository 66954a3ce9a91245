/* examples/pytorch/text/char_rnn_classification.c: "NLP from scratch: classifying names with a character-level RNN".
 *
 * Difficulty: **     Read first: learning/what_is_nn     Read next: char_rnn_generation */
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "core/python/python.h"
#include "examples/pytorch/text/names.h"
#include "nn/nn.h"

static const char all_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ .,;'";
enum { n_letters = sizeof all_letters - 1, n_hidden = 128, n_iters = 4000, print_every = 400 };
static const double learning_rate = 0.005;

/* ---- Turning names into tensors ---- */

static int64_t letter_to_index(char letter) {
    return strchr(all_letters, letter) - all_letters;
}

static Tensor *letter_to_tensor(char letter) {
    Tensor *tensor = t_zeros(1, n_letters);
    t_set(tensor, "0, {}", letter_to_index(letter), 1);
    return tensor;
}

static Tensor *line_to_tensor(const char *line) {
    Tensor *tensor = t_zeros((int64_t)strlen(line), 1, n_letters);
    for_range (li, (int64_t)strlen(line)) t_set(tensor, "{}, 0, {}", li, letter_to_index(line[li]), 1);
    return tensor;
}

/* ---- The network ---- */

typedef struct RNN {
    nn_Module base;
    int64_t hidden_size;
    nn_Linear *i2h, *i2o;
    nn_LogSoftmax *softmax;
} RNN;

static Tensor *rnn_call(RNN *self, Tensor *input, Tensor **hidden) {
    Tensor *combined = t_cat(t_list(input, *hidden), 1);
    *hidden = nn_call(self->i2h, combined);
    Tensor *output = nn_call(self->i2o, combined);
    output = nn_call(self->softmax, output);
    return output;
}

static RNN *rnn_new(int64_t input_size, int64_t hidden_size, int64_t output_size) {
    RNN *self = nn_module(RNN, NULL);
    self->hidden_size = hidden_size;

    nn_set(self, i2h, nn_Linear(input_size + hidden_size, hidden_size));
    nn_set(self, i2o, nn_Linear(input_size + hidden_size, output_size));
    nn_set(self, softmax, nn_LogSoftmax(.dim = 1));
    return self;
}

static Tensor *rnn_init_hidden(RNN *self) {
    return t_zeros(1, self->hidden_size);
}

/* ---- Training ---- */

static int64_t category_from_output(Tensor *output) {
    Tensor *top_i;
    t_topk(output, 1, .indices = &top_i);
    int64_t category_i = t_item_int64(t_at(top_i, "0"));
    return category_i;
}

typedef struct Example {
    int64_t category_i;
    const char *line;
    Tensor *category_tensor, *line_tensor;
} Example;

static Example random_training_example(void) {
    int64_t category_i = random_randint(0, N_CATEGORIES - 1);
    const char *const *lines = category_lines[category_i];
    const char *line = lines[random_randint(0, N_LINES - 1)];
    Tensor *category_tensor = t_tensor(&category_i, 1);
    Tensor *line_tensor = line_to_tensor(line);
    return (Example){category_i, line, category_tensor, line_tensor};
}

static Tensor *train(RNN *rnn, nn_NLLLoss *criterion, Tensor *category_tensor, Tensor *line_tensor, double *loss_item) {
    Tensor *output = NULL, *hidden = rnn_init_hidden(rnn);

    nn_zero_grad(rnn);

    for (int64_t i = 0; i < t_size(line_tensor, 0); i++) output = rnn_call(rnn, t_at(line_tensor, "{}", i), &hidden);

    Tensor *loss = nn_call(criterion, output, category_tensor);
    t_backward(loss);

    for_parameters (p, rnn) t_add_(t_data(p), t_grad(p), .alpha = -learning_rate);

    *loss_item = t_item(loss);
    return output;
}

static void train_loop(RNN *rnn) {
    nn_NLLLoss *criterion = nn_NLLLoss();
    double current_loss = 0;
    for_range (iter, 1, n_iters + 1) {
        Example example = random_training_example();
        double loss;
        Tensor *output = train(rnn, criterion, example.category_tensor, example.line_tensor, &loss);
        current_loss += loss;

        if (iter % print_every == 0) {
            int64_t guess_i = category_from_output(output);
            const char *correct =
                guess_i == example.category_i ? "right" : t_format("wrong (%s)", all_categories[example.category_i]);
            printf("%d %.4f %s / %s %s\n", (int)iter, loss, example.line, all_categories[guess_i], correct);
            printf("average loss %.4f\n", current_loss / print_every);
            current_loss = 0;
        }
    }
}

/* ---- Evaluating the results ---- */

static Tensor *evaluate(RNN *rnn, Tensor *line_tensor) {
    Tensor *output = NULL, *hidden = rnn_init_hidden(rnn);

    for (int64_t i = 0; i < t_size(line_tensor, 0); i++) output = rnn_call(rnn, t_at(line_tensor, "{}", i), &hidden);

    return output;
}

static void confusion_matrix(RNN *rnn) {
    Tensor *confusion = t_zeros(N_CATEGORIES, N_CATEGORIES);
    int n_confusion = 1000;

    with_no_grad() {
        for_range (i, n_confusion) {
            Example example = random_training_example();
            Tensor *output = evaluate(rnn, example.line_tensor);
            int64_t guess_i = category_from_output(output);
            t_add_(t_at(confusion, "{}, {}", example.category_i, guess_i), 1);
        }
    }

    for_range (i, N_CATEGORIES)
        t_set(confusion, "{}", i, t_div(t_at(confusion, "{}", i), t_sum(t_at(confusion, "{}", i))));
    t_print(confusion);
}

static void predict(RNN *rnn, const char *input_line, int n_predictions) {
    printf("> %s\n", input_line);
    with_no_grad() {
        Tensor *output = evaluate(rnn, line_to_tensor(input_line));

        Tensor *topi;
        Tensor *topv = t_topk(output, n_predictions, 1, true, .indices = &topi);
        for_range (i, n_predictions) {
            double value = t_item(t_at(topv, "0, {}", i));
            int64_t category_index = t_item_int64(t_at(topi, "0, {}", i));
            printf("(%.2f) %s\n", value, all_categories[category_index]);
        }
    }
}

int main(void) {
    random_seed(1);
    t_manual_seed(1);
    t_print(letter_to_tensor('J'));
    t_print(t_size_repr(line_to_tensor("Jones")));
    RNN *rnn = rnn_new(n_letters, n_hidden, N_CATEGORIES);
    Tensor *hidden = t_zeros(1, n_hidden);
    Tensor *output = rnn_call(rnn, letter_to_tensor('A'), &hidden);
    t_print(output);
    t_print(all_categories[category_from_output(output)]);
    train_loop(rnn);
    confusion_matrix(rnn);
    predict(rnn, "Takeshi", 3);
    predict(rnn, "Giuseppe", 3);
    predict(rnn, "Kazimierz", 3);
    return 0;
}
