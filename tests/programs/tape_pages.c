/* tests/programs/tape_pages.c: writes the pages that check_tape_html.sh opens in a browser: tape_pages FOLDER */
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"

static void page(Tensor *x, const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.html", folder, name);
    t_tape_html(x, path);
}

/* One cell, called 20 times: alone, and with an op between the calls. */
static void unrolled(const char *folder) {
    nn_RNNCell *cell = nn_RNNCell(4, 8);
    nn_LSTMCell *lstm = nn_LSTMCell(4, 8);
    nn_watch(cell);
    Tensor *h = t_zeros(2, 8), *c = t_zeros(2, 8), *total = t_tensor(0.0);
    for (int t = 0; t < 20; t++) h = nn_RNNCell_call(cell, t_randn(2, 4), h);
    page(t_mean(t_square(h)), folder, "rnn");
    h = t_zeros(2, 8);
    for (int t = 0; t < 20; t++) {
        h = nn_LSTMCell_call(lstm, t_randn(2, 4), .h_0 = h, .c_0 = c, .c_1 = &c);
        total = t_add(total, t_mean(t_square(h)));
    }
    page(total, folder, "lstm");
}

/* 3002 records, of 750 calls of a module; and a cat of 1000 tensors. */
static void large(const char *folder) {
    nn_RNNCell *cell = nn_RNNCell(2, 3);
    Tensor *x = t_randn(1, 2), *h = t_zeros(1, 3);
    for (int t = 0; t < 750; t++) h = nn_RNNCell_call(cell, x, h);
    page(t_mean(t_square(h)), folder, "large");
    t_TensorList *list = t_list();
    for (int i = 0; i < 1000; i++) t_list_append(list, t_mul(t_randn(1, .requires_grad = true), 2));
    page(t_sum(t_cat(list)), folder, "wide");
}

static Tensor *ten_times(Tensor *g, void *context) {
    (void)context;
    return t_mul(g, 10);
}

/* A hook on a leaf, and data that is used twice. */
static void hooked(const char *folder) {
    Tensor *w = t_tensor(0.5, .requires_grad = true), *data = t_tensor("[1.0, 2.0]");
    t_register_hook(w, ten_times, NULL);
    t_watch(w, data);
    page(t_sum(t_mul(t_mul(w, data), data)), folder, "hooked");
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    t_manual_seed(0);
    t_set_tape_values(true);
    Tensor *w = t_tensor(0.5, .requires_grad = true), *b = t_tensor(-0.2, .requires_grad = true), *x = t_tensor(2.0);
    Tensor *s = t_add(t_mul(w, x), b), *y = t_tanh(s), *loss = t_square(t_sub(y, 1));
    t_watch(w, b, s, y, loss);
    page(loss, argv[1], "neuron");
    nn_Sequential *model = nn_Sequential(nn_Linear(2, 16), nn_Tanh(), nn_Linear(16, 16), nn_Tanh(), nn_Linear(16, 2));
    nn_watch(model);
    page(F_cross_entropy(nn_call(model, t_randn(4, 2)), t_tensor("[0, 1, 1, 0]")), argv[1], "mlp");
    nn_TransformerEncoderLayer *layer = nn_TransformerEncoderLayer(16, 2, 32, .batch_first = true);
    nn_TransformerEncoder *encoder = nn_TransformerEncoder(layer, 3);
    nn_watch(encoder);
    page(t_mean(t_square(nn_call(encoder, t_randn(2, 5, 16)))), argv[1], "encoder");
    unrolled(argv[1]);
    large(argv[1]);
    hooked(argv[1]);
    return 0;
}
