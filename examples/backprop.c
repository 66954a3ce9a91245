/* examples/backprop.c: a first lesson. One neuron by hand, the same neuron by the tape, then a network that learns.
 *
 * Difficulty: *     Read first: nothing     Read next: encoder_from_scratch */
#include <math.h>
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* y = tanh(w x + b), loss = (y - 1)^2: the chain rule from the loss back to w and b, one factor a line. */
static void one_neuron_by_hand(double w, double b, double x) {
    double s = w * x + b, y = tanh(s), loss = (y - 1) * (y - 1);
    double dy = 2 * (y - 1);         /* d loss / d y */
    double ds = dy * (1 - y * y);    /* tanh'(s) = 1 - tanh(s)^2 */
    double dw = ds * x, db = ds;     /* s = w x + b */
    printf("by hand: loss %.4f  dw %.4f  db %.4f\n", loss, dw, db);
}

static void one_neuron_by_tape(double w0, double b0, double x) {
    Tensor *w = t_requires_grad_(t_full((), w0), true);
    Tensor *b = t_requires_grad_(t_full((), b0), true);
    Tensor *y = t_tanh(t_add(t_mul(w, x), b));
    Tensor *loss = t_square(t_sub(y, 1));
    printf("the tape, oldest record first: op, shape of its result (() is a scalar), inputs\n(#1 is record 1), what it "
           "saved for backward, and where\n");
    t_tape_print(loss);
    t_backward(loss); /* walks it from the last line to the first */
    printf("by tape: loss %.4f  dw %.4f  db %.4f\n", t_item(loss), t_item(t_grad(w)), t_item(t_grad(b)));
}

/* Two half circles that interlock: class 0 above, class 1 below and to the right, with some noise. */
static Tensor *two_moons(int64_t n, Tensor **labels) {
    Tensor *angle = t_mul(t_rand(n), 3.141592653589793), *y = t_float(t_randint(0, 2, n));
    Tensor *sign = t_sub(1, t_mul(y, 2)); /* +1 for class 0, -1 for class 1 */
    Tensor *x0 = t_add(t_mul(t_cos(angle), sign), y);
    Tensor *x1 = t_add(t_mul(t_sin(angle), sign), t_mul(y, 0.5));
    *labels = t_long(y);
    return t_add(t_stack(t_list(x0, x1), 1), t_mul(t_randn(n, 2), 0.1));
}

static double accuracy(nn_Sequential *model, Tensor *x, Tensor *labels) {
    return t_item(t_mean(t_float(t_eq(t_argmax(nn_call(model, x), 1), labels))));
}

int main(void) {
    one_neuron_by_hand(0.5, -0.2, 2.0);
    one_neuron_by_tape(0.5, -0.2, 2.0);

    t_manual_seed(0);
    Tensor *labels, *x = two_moons(400, &labels);
    nn_Sequential *model = nn_Sequential(nn_Linear(2, 16), nn_Tanh(), nn_Linear(16, 16), nn_Tanh(), nn_Linear(16, 2));
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 0.3, .momentum = 0.9);
    printf("two moons, %d parameters\n", (int)nn_count_parameters(model, true));
    for_range (step, 0, 201) {
        Tensor *loss = F_cross_entropy(nn_call(model, x), labels);
        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);
        if (step % 50 == 0)
            printf("step %3d  loss %.4f  accuracy %.4f\n", (int)step, t_item(loss), accuracy(model, x, labels));
    }
    return 0;
}
