/* tests/ffi/demo.c: what ctypes_demo.py does, in C with the macros: prints the same to the last digit. */
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"
#include "optim/optim.h"

enum { N = 64, STEPS = 40 };

static void report(const char *text, void *context) {
    (void)text;
    (void)context;
    puts(t_error_message());
}

int main(void) {
    t_manual_seed(7);
    Tensor *x = t_randn(N, 2);
    Tensor *y = t_to(t_gt(t_mul(t_sum(x, 1), t_sum(t_mul(x, x), 1)), 0.5), t_int64);
    nn_Sequential *model = nn_Sequential(nn_Linear(2, 16), nn_Tanh(), nn_LayerNorm(16), nn_Linear(16, 2));
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 0.05);
    for_range (step, 0, STEPS) {
        Tensor *loss = F_cross_entropy(nn_call(model, x), y);
        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);
        printf("step %d loss %.9g\n", (int)step, t_item(loss));
    }
    double p[2 * N];
    t_tolist(t_softmax(nn_call(model, x), -1), p, 2 * N);
    for_range (i, 0, 8) printf("%.9g\n", p[i]);
    t_set_error_handler(report, NULL);
    t_matmul(x, x);
    t_clear_error();
    printf("still here, tapegrad %s\n", t_version());
    return 0;
}
