/* tests/nn/modules/test_recurrent.c: nn.RNN, nn.LSTM, nn.GRU and their cells compared with PyTorch's values, gradients,
 * initial bits and names (golden/recurrent*.txt, written by record_recurrent.py, which has the same modules), and their
 * errors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/models/replay.h"

/* ---- the modules by their labels ---- */

#define MODULES(X)                                                                                          \
    X(rnn, nn_RNN(3, 4))                                                                                    \
    X(rnn_relu, nn_RNN(3, 4, 2, "relu", .batch_first = true))                                               \
    X(rnn_deep, nn_RNN(3, 4, .num_layers = 3, .bias = false, .dropout = 0.25, .bidirectional = true))       \
    X(lstm, nn_LSTM(3, 4))                                                                                  \
    X(lstm_deep, nn_LSTM(3, 4, 2, .batch_first = true, .dropout = 0.5, .bidirectional = true))              \
    X(lstm_proj, nn_LSTM(3, 4, 2, false, .bidirectional = true, .proj_size = 2))                            \
    X(lstm_proj_bias, nn_LSTM(3, 4, .proj_size = 3))                                                        \
    X(gru, nn_GRU(3, 4))                                                                                    \
    X(gru_deep, nn_GRU(3, 4, 2, .bias = false, .batch_first = true, .dropout = 0.3, .bidirectional = true)) \
    X(gru_first, nn_GRU(3, 4, 2, true, true, 0.3))                                                          \
    X(rnn_cell, nn_RNNCell(3, 4))                                                                           \
    X(rnn_cell_relu, nn_RNNCell(3, 4, false, "relu"))                                                       \
    X(lstm_cell, nn_LSTMCell(3, 4))                                                                         \
    X(lstm_cell_no_bias, nn_LSTMCell(3, 4, .bias = false))                                                  \
    X(gru_cell, nn_GRUCell(3, 4))
#define INITS(X)                                                     \
    X(rnn, nn_RNN(5, 7, 2, .bidirectional = true))                   \
    X(lstm, nn_LSTM(5, 7, 2, .bidirectional = true, .proj_size = 3)) \
    X(lstm_double, nn_LSTM(6, 6, .dtype = t_float64))                \
    X(gru, nn_GRU(33, 65, .bias = false))                            \
    X(rnn_cell, nn_RNNCell(5, 7))                                    \
    X(lstm_cell, nn_LSTMCell(5, 7))                                  \
    X(gru_cell, nn_GRUCell(5, 7, .bias = false))
#define MAKE(label, expression) static void *make_##label(void) { return expression; }
#define MAKE_INIT(label, expression) static void *init_##label(void) { return expression; }
#define ROW(label, expression) {#label, make_##label},
#define INIT_ROW(label, expression) {#label, init_##label},
MODULES(MAKE)
INITS(MAKE_INIT)
static const ModuleMaker modules[] = {MODULES(ROW) {NULL, NULL}}, inits[] = {INITS(INIT_ROW) {NULL, NULL}};

/* ---- a run compared with the recorded one ---- */

/* Through nn_call if that takes the inputs, else through the class's function. */
static Tensor *outputs_of(nn_Module *module, const Inputs *in, Tensor **h_n, Tensor **c_n) {
    Tensor *x = in->x[0], *h_0 = in->count > 1 ? in->x[1] : NULL, *c_0 = in->count > 2 ? in->x[2] : NULL;
    if (strcmp(module->type, "LSTMCell") == 0)
        return nn_LSTMCell_call((nn_LSTMCell *)module, x, .h_0 = h_0, .c_0 = c_0, .c_1 = c_n);
    if (strstr(module->type, "Cell")) return h_0 ? nn_call(module, x, h_0) : nn_call(module, x);
    if (strcmp(module->type, "LSTM") == 0)
        return nn_LSTM_call((nn_LSTM *)module, x, .h_0 = h_0, .c_0 = c_0, .h_n = h_n, .c_n = c_n);
    if (strcmp(module->type, "GRU") == 0) return nn_GRU_call((nn_GRU *)module, x, h_0, .h_n = h_n);
    return nn_RNN_call((nn_RNN *)module, x, .h_0 = h_0, .h_n = h_n);
}

/* What sum(output * weights) adds to the loss. */
static Tensor *weighed(Tensor *y, uint64_t seed, int input) {
    return t_sum(t_mul(y, hashed_tensor("R", t_shape(y), (int)t_dim(y), seed, input, t_dtype(y))));
}

static void replay(Run *run) {
    const Inputs in = run_begin(run, find_maker(modules, run->key)->make(), strchr(run->key, ' ') + 1);
    const uint64_t seed = seed_of(run->key);
    Tensor *h_n = NULL, *c_n = NULL, *y = outputs_of(run->module, &in, &h_n, &c_n);
    ck_assert_ptr_nonnull(y);
    run_compare(run, "y", y, VALUE);
    Tensor *loss = weighed(y, seed, 100);
    if (h_n) run_compare(run, "h", h_n, VALUE);
    if (h_n) loss = t_add(loss, weighed(h_n, seed, 101));
    if (c_n) run_compare(run, "c", c_n, VALUE);
    if (c_n) loss = t_add(loss, weighed(c_n, seed, 102));
    run_compare(run, "next", t_rand(2), EXACT);
    t_backward(loss);
    run_compare_gradients(run, &in);
}

static void replay_case(const char *key, const char *section, void *count) {
    static const char *const names[] = {"32e", "64e", "32t", "64t"};
    for (int i = 0; i < 4; i++) {
        Run run = {.key = key, .section = section, .name = names[i]};
        if (!run_has(&run, "next")) continue;
        with_scope() replay(&run);
    }
    ++*(int *)count;
}

START_TEST(values_and_gradients_are_pytorchs) {
    int count = 0;
    each_case("recurrent.txt", replay_case, &count);
    ck_assert_int_eq(count, 31);
    report_notes();
}
END_TEST

static void replay_init(const char *key, const char *section, void *count) {
    compare_initial_bits(find_maker(inits, key), section);
    ++*(int *)count;
}

START_TEST(initial_values_are_pytorchs_bits) {
    int count = 0;
    each_case("recurrent_init.txt", replay_init, &count);
    ck_assert_int_eq(count, 7);
    report_notes();
}
END_TEST

/* nn_call runs a recurrent module like any other: its output without states, or with the first one. */
START_TEST(nn_call_runs_recurrent_modules) {
    t_manual_seed(6);
    nn_GRU *gru = nn_GRU(3, 4);
    Tensor *x = t_randn(5, 2, 3), *h_0 = t_randn(1, 2, 4);
    HOLDS(t_equal(nn_call(gru, x), nn_GRU_call(gru, x)));
    HOLDS(t_equal(nn_call(gru, x, h_0), nn_GRU_call(gru, x, .h_0 = h_0)));
    nn_Sequential *both = nn_Sequential(nn_Linear(3, 3), nn_LSTM(3, 2));
    ck_assert_int_eq(t_size(nn_call(both, x), 2), 2);
}
END_TEST

START_TEST(names_and_repr_are_pytorchs) {
    for (const ModuleMaker *m = modules; m->label; m++)
        compare_repr(m, golden_case(golden_file("recurrent_repr.txt"), m->label));
    report_notes();
}
END_TEST

static bool is_made_by(Tensor *x, const char *grad_fn) {
    char *repr = t_repr(x);
    const bool found = repr && strstr(repr, grad_fn);
    free(repr);
    return found;
}

/* As torch 2.15 prints them on a CPU, where oneDNN runs an LSTM of float32. */
START_TEST(grad_fns_are_pytorchs) {
    Tensor *x = t_randn(4, 1, 2), *h, *c;
    nn_LSTM *lstm = nn_LSTM(2, 3);
    HOLDS(is_made_by(nn_LSTM_call(lstm, x, .h_n = &h, .c_n = &c), "<MkldnnRnnLayerBackward0>"));
    HOLDS(is_made_by(h, "<StackBackward0>") && is_made_by(c, "<StackBackward0>"));
    HOLDS(is_made_by(nn_call(nn_LSTM(2, 3, .batch_first = true), x), "<TransposeBackward0>"));
    HOLDS(is_made_by(nn_call(nn_LSTM(2, 3, .num_layers = 2), x), "<MkldnnRnnLayerBackward0>"));
    HOLDS(is_made_by(nn_call(nn_LSTM(2, 3, .bidirectional = true), x), "<CatBackward0>"));
    HOLDS(is_made_by(nn_call(nn_to(lstm, t_float64), t_to(x, t_float64)), "<StackBackward0>"));
    HOLDS(is_made_by(nn_call(nn_GRU(2, 3), x), "<StackBackward0>"));
}
END_TEST

/* ---- calls ---- */

START_TEST(a_layer_is_its_cell_over_time) {
    nn_LSTM *lstm = nn_LSTM(3, 4);
    nn_LSTMCell *cell = nn_LSTMCell(3, 4);
    t_TensorList *from = nn_parameters(lstm), *to = nn_parameters(cell);
    with_no_grad() for (int i = 0; i < 4; i++) t_copy_(to->items[i], from->items[i]);
    Tensor *x = t_randn(5, 2, 3), *h = t_zeros(2, 4), *c = t_zeros(2, 4), *h_n, *c_n;
    Tensor *y = nn_LSTM_call(lstm, x, .h_n = &h_n, .c_n = &c_n);
    for (int t = 0; t < 5; t++) {
        h = nn_LSTMCell_call(cell, t_select(x, 0, t), .h_0 = h, .c_0 = c, .c_1 = &c);
        HOLDS(t_allclose(h, t_select(y, 0, t)));
    }
    HOLDS(t_allclose(c, t_select(c_n, 0, 0)) && t_equal(t_select(y, 0, 4), t_select(h_n, 0, 0)));
    HOLDS(t_equal(nn_call(lstm, x), y));
}
END_TEST

START_TEST(states_go_from_call_to_call) {
    nn_GRU *gru = nn_GRU(3, 4, .batch_first = true);
    Tensor *x = t_randn(2, 6, 3), *all = nn_call(gru, x), *h = t_zeros(1, 2, 4);
    for_range (i, 0, 3) {
        Tensor *next, *y = nn_GRU_call(gru, t_narrow(x, 1, 2 * i, 2), .h_0 = h, .h_n = &next);
        t_keep_as(&h, next);
        HOLDS(t_allclose(y, t_narrow(all, 1, 2 * i, 2)));
    }
}
END_TEST

/* sum(y) and h, c after three pieces of two steps, with hidden = tuple(h.detach() for h in hidden) after the second:
 * torch 2.15, whose parameters are (arange(n) - n // 2) / 16 and x is (arange(36) % 7 - 3) / 4. */
typedef struct Carried {
    double sums[3], h[2], c[2], grad;
} Carried;
static const Carried carried_lstm = {{0.123501495, 0.349282086, 0.748478055}, {0.0403615795, 0.516971052},
                                     {0.0537086092, 0.657069743},
                                     0.00612947438};
static const Carried carried_gru = {{-0.400625348, -2.65212274, 1.20842135}, {0.164024144, 1.4449966}, {0, 0},
                                    0.463404834};
static const Carried carried_rnn = {{-0.616599977, -0.519187212, -0.896173716}, {-0.0935742781, -0.345276058}, {0, 0},
                                    2.9034009};

static void fill(void *module) {
    with_no_grad() for_list (p, nn_parameters(module)) {
        const int64_t n = t_numel(p);
        t_copy_(p, t_view_as(t_div(t_sub(t_arange(n), n / 2), 16.0), p));
    }
}

static Tensor *call_with_state(nn_Module *module, Tensor *x, nn_HiddenState *hidden) {
    if (strcmp(module->type, "LSTM") == 0) return nn_LSTM_call((nn_LSTM *)module, x, .state = hidden);
    if (strcmp(module->type, "GRU") == 0) return nn_GRU_call((nn_GRU *)module, x, .state = hidden);
    return nn_RNN_call((nn_RNN *)module, x, .state = hidden);
}

static void check_carried(void *module, const Carried *want) {
    fill(module);
    Tensor *x = t_view(t_div(t_sub(t_remainder(t_arange(36), 7), 3), 4.0), 6, 2, 3);
    nn_HiddenState hidden = nn_HiddenState();
    for_range (i, 0, 3) {
        Tensor *y = call_with_state(module, t_narrow(x, 0, 2 * i, 2), &hidden);
        HOLDS(fabs(t_item(t_sum(y)) - want->sums[i]) < 1e-6);
        HOLDS(t_equal(t_select(y, 0, 1), t_select(hidden.h, 0, 0)));
        if (i == 2) t_backward(t_sum(y));
        if (i == 1) nn_HiddenState_detach(&hidden);
        HOLDS(i != 1 || (!t_requires_grad(hidden.h) && (!hidden.c || !t_requires_grad(hidden.c))));
    }
    HOLDS(fabs(t_item(t_at(hidden.h, "0, 1, 2")) - want->h[0]) < 1e-6 &&
          fabs(t_item(t_sum(hidden.h)) - want->h[1]) < 1e-6);
    HOLDS(!hidden.c == !want->c[1]);
    if (hidden.c)
        HOLDS(fabs(t_item(t_at(hidden.c, "0, 1, 2")) - want->c[0]) < 1e-6 &&
              fabs(t_item(t_sum(hidden.c)) - want->c[1]) < 1e-6);
    Tensor *grad = t_grad(t_list_get(nn_parameters(module), 1));
    HOLDS(fabs(t_item(t_sum(t_mul(grad, grad))) - want->grad) < 1e-5 * want->grad);
}

START_TEST(a_state_is_one_value) {
    check_carried(nn_LSTM(3, 4), &carried_lstm);
    check_carried(nn_GRU(3, 4), &carried_gru);
    check_carried(nn_RNN(3, 4), &carried_rnn);
}
END_TEST

/* A model called through nn_call, which opens a scope. */
typedef struct Speaker {
    nn_Module base;
    nn_GRU *gru;
    nn_HiddenState *hidden;
} Speaker;

static Tensor *speaker_call(Speaker *self, Tensor *x) {
    return nn_GRU_call(self->gru, x, .state = self->hidden);
}

START_TEST(a_state_lives_where_it_was_made) {
    nn_LSTMCell *cell = nn_LSTMCell(3, 4);
    Tensor *x = t_randn(8, 2, 3), *h = NULL, *c = NULL, *outputs[8];
    /* In the scope of the state: outputs stay alive, too. */
    with_scope() {
        nn_HiddenState hidden = nn_HiddenState();
        for (int t = 0; t < 8; t++) outputs[t] = nn_LSTMCell_call(cell, t_select(x, 0, t), .state = &hidden);
        HOLDS(t_numel(t_stack(t_list_new(outputs, 8), 0)) == 64);
        h = t_keep(hidden.h);
        c = t_keep(hidden.c);
    }
    /* Through nested loops, each with scopes, and through nn_call. */
    Speaker *speaker = nn_module(Speaker, speaker_call);
    nn_set(speaker, gru, nn_GRU(3, 4));
    nn_HiddenState hidden = nn_HiddenState(), spoken = nn_HiddenState();
    speaker->hidden = &spoken;
    int64_t live = 0;
    for_range (epoch, 0, 4) {
        for_range (part, 0, 2) {
            for_range (t, 4 * part, 4 * part + 4)
                with_no_grad() nn_LSTMCell_call(cell, t_select(x, 0, t), .state = &hidden);
            with_no_grad() nn_call(speaker, t_narrow(x, 0, 4 * part, 4));
        }
        HOLDS(t_equal(hidden.h, h) && t_equal(hidden.c, c));
        if (!live) live = t_live_count();
        ck_assert_int_eq(t_live_count(), live);
        nn_HiddenState_clear(&hidden);
    }
    nn_HiddenState_clear(&spoken);
    for_range (i, 0, 3) with_no_grad() nn_call(speaker, x);
    HOLDS(t_allclose(spoken.h, t_narrow(nn_call(speaker->gru, t_cat(t_list(x, x, x), 0)), 0, 23, 1)));
}
END_TEST

START_TEST(states_refuse_what_does_not_fit) {
    nn_LSTM *lstm = nn_LSTM(3, 4);
    Tensor *x = t_ones(5, 2, 3);
    nn_HiddenState hidden = nn_HiddenState(), other = {NULL, NULL, 0};
    REFUSES(nn_LSTM_call(lstm, x, .state = &other),
            "the hidden state is not initialised: nn_HiddenState hidden = nn_HiddenState()");
    REFUSES(nn_HiddenState_detach(&other),
            "the hidden state is not initialised: nn_HiddenState hidden = nn_HiddenState()");
    REFUSES(nn_HiddenState_detach(NULL), "argument 1 is NULL where a state is expected");
    REFUSES(nn_LSTM_call(lstm, x, .state = &hidden, .h_0 = t_ones(1, 2, 4), .c_0 = t_ones(1, 2, 4)),
            "a call starts from .state or from .h_0 and .c_0, not from both");
    nn_LSTM_call(lstm, x, .state = &hidden);
    Tensor *h = hidden.h;
    REFUSES(nn_LSTM_call(lstm, t_ones(5, 3, 3), .state = &hidden), "Expected hidden[0] size (1, 3, 4), got [1, 2, 4]");
    HOLDS(hidden.h == h);
    REFUSES(nn_GRU_call(nn_GRU(3, 4), x, .state = &hidden), "GRU has no c_0 and no c_n: only an LSTM has");
    other = nn_HiddenState(hidden.h, hidden.c);
    HOLDS(t_equal(nn_LSTM_call(lstm, x, .state = &hidden), nn_LSTM_call(lstm, x, .state = &other)));
    HOLDS(t_equal(hidden.c, other.c) && t_live_count() > 0);
}
END_TEST

START_TEST(a_call_leaves_its_outputs_alone) {
    nn_LSTM *lstm = nn_LSTM(3, 4, 2);
    Tensor *x = t_randn(5, 2, 3), *h, *c;
    with_no_grad() nn_call(lstm, x);
    int64_t live = t_live_count();
    with_no_grad() nn_LSTM_call(lstm, x, .h_n = &h, .c_n = &c);
    ck_assert_int_eq(t_live_count(), live + 3);
}
END_TEST

/* ---- gradients of gradients ---- */

static t_TensorList *lstm_of(t_TensorList *inputs, void *lstm) {
    return t_list(nn_LSTM_call(lstm, inputs->items[0], .h_0 = inputs->items[1], .c_0 = inputs->items[2]));
}

static t_TensorList *gru_of(t_TensorList *inputs, void *gru) {
    return t_list(nn_GRU_call(gru, inputs->items[0], .h_0 = inputs->items[1]));
}

/* |d sum(y^2) / dx|^2 as a function of x. */
static Tensor *penalty(nn_Module *module, Tensor *x) {
    t_set_grad(x, NULL);
    t_backward(t_sum(t_square(nn_call(module, x))), .create_graph = true);
    return t_sum(t_square(t_grad(x)));
}

/* Its gradient, which comes from a second backward, along one direction. */
static void check_twice(void *module) {
    const double eps = 1e-6;
    Tensor *x = t_randn(3, 2, 2, .dtype = t_float64, .requires_grad = true),
           *way = t_randn(3, 2, 2, .dtype = t_float64);
    double values[2];
    for (int i = 0; i < 2; i++) {
        Tensor *moved = t_requires_grad_(t_add(t_detach(x), t_mul(way, i ? eps : -eps)), true);
        values[i] = t_item(penalty(module, moved));
        t_set_grad(moved, NULL);
    }
    Tensor *p = penalty(module, x);
    t_set_grad(x, NULL);
    t_backward(p);
    const double got = t_item(t_sum(t_mul(t_grad(x), way))), want = (values[1] - values[0]) / (2 * eps);
    if (!(fabs(got - want) <= 1e-6 * fabs(want) + 1e-8))
        note("%s: %.12g, differences give %.12g", ((nn_Module *)module)->type, got, want);
    nn_zero_grad(module);
}

START_TEST(gradients_agree_with_differences) {
    nn_LSTM *lstm = nn_LSTM(2, 3, .bidirectional = true, .dtype = t_float64);
    nn_GRU *gru = nn_GRU(2, 3, .dtype = t_float64);
    Tensor *x = t_randn(4, 2, 2, .dtype = t_float64, .requires_grad = true);
    Tensor *h = t_randn(2, 2, 3, .dtype = t_float64, .requires_grad = true);
    Tensor *c = t_randn(2, 2, 3, .dtype = t_float64, .requires_grad = true);
    const t_GradcheckOptions strict = {.size = sizeof strict,
                                       .eps = 1e-6,
                                       .atol = 1e-8,
                                       .rtol = 1e-6,
                                       .raise_exception = true,
                                       .check_backward_ad = true};
    HOLDS((t_gradcheck)(lstm_of, t_list(x, h, c), lstm, &strict));
    HOLDS((t_gradcheck)(gru_of, t_list(x, t_requires_grad_(t_detach(t_narrow(h, 0, 0, 1)), true)), gru, &strict));
}
END_TEST

START_TEST(gradients_of_gradients_agree_with_differences) {
    check_twice(nn_LSTM(2, 3, .bidirectional = true, .dtype = t_float64));
    check_twice(nn_GRU(2, 3, 2, .dtype = t_float64));
    check_twice(nn_RNN(2, 3, .dtype = t_float64));
    report_notes();
}
END_TEST

/* ---- errors ---- */

START_TEST(constructors_refuse) {
    REFUSES(nn_RNN(0, 3), "input_size must be greater than zero");
    REFUSES(nn_LSTM(3, 0), "hidden_size must be greater than zero");
    REFUSES(nn_GRU(3, 3, 0), "num_layers must be greater than zero");
    REFUSES(nn_GRU(3, 3, .dropout = 1.5),
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed");
    REFUSES(nn_LSTM(3, 3, .proj_size = 3), "proj_size has to be smaller than hidden_size");
    REFUSES(nn_LSTM(3, 3, .proj_size = -1), "proj_size should be a positive integer or zero to disable projections");
    REFUSES(nn_RNN(3, 3, .nonlinearity = "x"), "Unknown nonlinearity 'x'. Select from 'tanh' or 'relu'.");
    REFUSES(nn_RNNCell(3, 3, .nonlinearity = "x"), "Unknown nonlinearity: x");
    REFUSES(nn_LSTMCell(0, 3), "input_size must be greater than zero");
}
END_TEST

START_TEST(layers_refuse_what_does_not_fit) {
    nn_RNN *rnn = nn_RNN(10, 4);
    nn_LSTM *lstm = nn_LSTM(10, 4);
    Tensor *x = t_ones(3, 2, 10), *one = t_ones(3, 10);
    REFUSES(nn_call(rnn, t_ones(3, 2, 9)), "input.size(-1) must be equal to input_size. Expected 10, got 9");
    REFUSES(nn_call(rnn, t_ones(10)), "RNN: Expected input to be 2D or 3D, got 1D tensor instead");
    REFUSES(nn_call(lstm, t_ones(10)), "LSTM: Expected input to be 2D or 3D, got 1D instead");
    REFUSES(nn_call(lstm, t_ones(0, 2, 10)), "Expected sequence length to be larger than 0 in RNN");
    REFUSES(nn_call(rnn, t_ones(3, 2, 10, .dtype = t_float64)),
            "RNN input dtype (torch.float64) does not match weight dtype (torch.float32). Convert input: "
            "input.to(torch.float32), or convert model: model.to(torch.float64)");
    REFUSES(nn_RNN_call(rnn, x, t_ones(1, 3, 4)), "Expected hidden size (1, 2, 4), got [1, 3, 4]");
    REFUSES(nn_RNN_call(rnn, x, t_ones(2, 4)), "For batched 3-D input, hx should also be 3-D but got 2-D tensor");
    REFUSES(nn_RNN_call(rnn, one, t_ones(1, 2, 4)),
            "For unbatched 2-D input, hx should also be 2-D but got 3-D tensor");
    REFUSES(nn_RNN_call(rnn, one, t_ones(2, 4)), "Expected hidden size (1, 1, 4), got [2, 1, 4]");
    REFUSES(nn_RNN_call(rnn, x, .h_0 = t_ones(1, 2, 4, .dtype = t_float64)),
            "mat1 and mat2 must have the same dtype, but got Double and Float");
    REFUSES(nn_LSTM_call(lstm, x, t_ones(1, 3, 4), t_ones(1, 2, 4)),
            "Expected hidden[0] size (1, 2, 4), got [1, 3, 4]");
    REFUSES(nn_LSTM_call(lstm, x, t_ones(1, 2, 4), t_ones(1, 2, 5)),
            "Expected hidden[1] size (1, 2, 4), got [1, 2, 5]");
    REFUSES(nn_LSTM_call(lstm, x, t_ones(2, 4), t_ones(2, 4)),
            "For batched 3-D input, hx and cx should also be 3-D but got (2-D, 2-D) tensors");
    REFUSES(nn_LSTM_call(lstm, x, t_ones(1, 2, 4)), "an LSTM starts from both h_0 and c_0, or from neither");
    REFUSES(nn_RNN_call(rnn, x, .c_0 = t_ones(1, 2, 4)), "RNN has no c_0 and no c_n: only an LSTM has");
    REFUSES(nn_LSTM_call(rnn, x), "nn_LSTM_call takes a nn_LSTM, not a RNN");
    REFUSES(nn_call(lstm, x, t_ones(1, 2, 4)), "LSTM takes another number of inputs: nn_call(m, x)");
}
END_TEST

START_TEST(cells_refuse_what_does_not_fit) {
    nn_GRUCell *gru = nn_GRUCell(10, 4);
    nn_LSTMCell *lstm = nn_LSTMCell(10, 4);
    Tensor *x = t_ones(2, 10), *fits = t_ones(2, 4);
    REFUSES(nn_call(gru, t_ones(2, 9)), "input has inconsistent input_size: got 9 expected 10");
    REFUSES(nn_call(gru, t_ones(1, 2, 10)), "GRUCell: Expected input to be 1D or 2D, got 3D instead");
    REFUSES(nn_call(gru, x, t_ones(3, 4)), "Input batch size 2 doesn't match hidden0 batch size 3");
    REFUSES(nn_GRUCell_call(gru, x, t_ones(2, 5)), "hidden0 has inconsistent hidden_size: got 5, expected 4");
    REFUSES(nn_GRUCell_call(gru, x, t_ones(1, 2, 4)), "GRUCell: Expected hidden to be 1D or 2D, got 3D instead");
    REFUSES(nn_GRUCell_call(gru, t_ones(10), t_ones(1, 4)),
            "Expected 2D hidden0 (batch x hidden_size), but got 3D tensor");
    REFUSES(nn_GRUCell_call(gru, x, t_ones(4)), "Expected 2D hidden0 (batch x hidden_size), but got 1D tensor");
    REFUSES(nn_LSTMCell_call(lstm, x, fits, t_ones(2, 5)), "hidden1 has inconsistent hidden_size: got 5, expected 4");
    REFUSES(nn_LSTMCell_call(lstm, x, t_ones(1, 2, 4), fits),
            "LSTMCell: Expected hx[0] to be 1D or 2D, got 3D instead");
    REFUSES(nn_call(gru, t_ones(2, 10, .dtype = t_float64)),
            "mat1 and mat2 must have the same dtype, but got Double and Float");
    REFUSES(nn_call(nn_GRUCell(10, 4, .bias = false), t_ones(2, 10, .dtype = t_float64)),
            "expected m1 and m2 to have the same dtype, but got: double != float");
    REFUSES(nn_LSTMCell_call(lstm, x, fits), "an LSTMCell starts from both h_0 and c_0, or from neither");
    REFUSES(nn_LSTMCell_call(gru, x), "nn_LSTMCell_call takes a nn_LSTMCell, not a GRUCell");
}
END_TEST

Suite *recurrent_suite(void);
Suite *recurrent_suite(void) {
    Suite *suite = suite_create("recurrent");
    TCase *tests = tcase_create("recurrent");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, values_and_gradients_are_pytorchs);
    tcase_add_test(tests, initial_values_are_pytorchs_bits);
    tcase_add_test(tests, nn_call_runs_recurrent_modules);
    tcase_add_test(tests, names_and_repr_are_pytorchs);
    tcase_add_test(tests, grad_fns_are_pytorchs);
    tcase_add_test(tests, a_layer_is_its_cell_over_time);
    tcase_add_test(tests, states_go_from_call_to_call);
    tcase_add_test(tests, a_state_is_one_value);
    tcase_add_test(tests, a_state_lives_where_it_was_made);
    tcase_add_test(tests, states_refuse_what_does_not_fit);
    tcase_add_test(tests, a_call_leaves_its_outputs_alone);
    tcase_add_test(tests, gradients_agree_with_differences);
    tcase_add_test(tests, gradients_of_gradients_agree_with_differences);
    tcase_add_test(tests, constructors_refuse);
    tcase_add_test(tests, layers_refuse_what_does_not_fit);
    tcase_add_test(tests, cells_refuse_what_does_not_fit);
    suite_add_tcase(suite, tests);
    return suite;
}
