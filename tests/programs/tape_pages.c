/* tests/programs/tape_pages.c: writes the pages that check_tape_html.sh opens in a browser: tape_pages FOLDER */
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"

static void page(Tensor *x, const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.html", folder, name);
    t_tape_html(x, path);
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
    return 0;
}
