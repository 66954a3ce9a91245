/* examples/pytorch/training/time_sequence_prediction.c: sine waves, two LSTM cells, LBFGS (of PyTorch's examples).
 *
 * Difficulty: **     Read first: text/sequence_models     Read next: training/checkpointing */
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"
#include "optim/optim.h"

enum { T = 20, L = 100, N = 20, HIDDEN = 51, STEPS = 4, FUTURE = 100 };

static Tensor *generate_sine_wave(void) {
    Tensor *x = t_add(t_arange(L), t_reshape(t_randint(-4 * T, 4 * T, N), N, 1));
    Tensor *data = t_sin(t_div(t_double(x), T));
    return data;
}

typedef struct Sequence {
    nn_Module base;
    nn_LSTMCell *lstm1, *lstm2;
    nn_Linear *linear;
} Sequence;

static Tensor *sequence_call(Sequence *self, Tensor *input, int future) {
    t_TensorList *outputs = t_list();
    Tensor *h_t = t_zeros(t_size(input, 0), HIDDEN, .dtype = t_float64);
    Tensor *c_t = t_zeros(t_size(input, 0), HIDDEN, .dtype = t_float64);
    Tensor *h_t2 = t_zeros(t_size(input, 0), HIDDEN, .dtype = t_float64);
    Tensor *c_t2 = t_zeros(t_size(input, 0), HIDDEN, .dtype = t_float64);

    Tensor *output = NULL;
    for_list (input_t, t_split(input, 1, .dim = 1)) {
        h_t = nn_LSTMCell_call(self->lstm1, input_t, .h_0 = h_t, .c_0 = c_t, .c_1 = &c_t);
        h_t2 = nn_LSTMCell_call(self->lstm2, h_t, .h_0 = h_t2, .c_0 = c_t2, .c_1 = &c_t2);
        output = nn_call(self->linear, h_t2);
        t_list_append(outputs, output);
    }

    for (int i = 0; i < future; i++) {
        h_t = nn_LSTMCell_call(self->lstm1, output, .h_0 = h_t, .c_0 = c_t, .c_1 = &c_t);
        h_t2 = nn_LSTMCell_call(self->lstm2, h_t, .h_0 = h_t2, .c_0 = c_t2, .c_1 = &c_t2);
        output = nn_call(self->linear, h_t2);
        t_list_append(outputs, output);
    }
    return t_cat(outputs, 1);
}

static Sequence *sequence(void) {
    Sequence *self = nn_module(Sequence, NULL);
    nn_set(self, lstm1, nn_LSTMCell(1, HIDDEN));
    nn_set(self, lstm2, nn_LSTMCell(HIDDEN, HIDDEN));
    nn_set(self, linear, nn_Linear(HIDDEN, 1));
    return self;
}

/* What the closure captures. */
typedef struct Problem {
    Tensor *input, *target;
    Sequence *seq;
    nn_MSELoss *criterion;
    optim_Optimizer *optimizer;
    int calls;
} Problem;

static void problem_new(Problem *self, Tensor *data) {
    self->input = t_at(data, "3:, :-1");
    self->target = t_at(data, "3:, 1:");
    self->seq = nn_to(sequence(), t_float64);
    self->criterion = nn_MSELoss();
    self->optimizer = optim_LBFGS(nn_parameters(self->seq), .lr = 0.8);
    self->calls = 0;
}

static Tensor *problem_closure(void *context) {
    Problem *self = context;
    optim_zero_grad(self->optimizer);
    Tensor *out = sequence_call(self->seq, self->input, 0);
    Tensor *loss = nn_call(self->criterion, out, self->target);
    if (self->calls % 10 == 0) printf("loss: %.8f\n", t_item(loss));
    self->calls += 1;
    t_backward(loss);
    return loss;
}

static void train(void) {
    Tensor *data = generate_sine_wave();
    Tensor *test_input = t_at(data, ":3, :-1");
    Tensor *test_target = t_at(data, ":3, 1:");
    Problem problem;
    problem_new(&problem, data);
    for_range (i, STEPS) {
        printf("STEP: %d\n", (int)i);
        optim_step(problem.optimizer, problem_closure, &problem);
        with_no_grad() {
            Tensor *pred = sequence_call(problem.seq, test_input, FUTURE);
            Tensor *loss = nn_call(problem.criterion, t_at(pred, ":, :-{}", FUTURE), test_target);
            printf("test loss: %.8f\n", t_item(loss));
            printf("predicted: %.6f %.6f %.6f\n", t_item(t_at(pred, "0, -1")), t_item(t_at(pred, "1, -1")),
                   t_item(t_at(pred, "2, -1")));
        }
    }
}

int main(void) {
    t_manual_seed(2);
    train();
    return 0;
}
