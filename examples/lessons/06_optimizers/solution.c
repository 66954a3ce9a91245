/* Lesson 06: optimizers: SGD with momentum, Adam, AdamW, clipping and a schedule, each a few lines.
 *
 * Every function changes its tensors in place: p stays the same leaf that requires grad, and no step is recorded. The
 * formulas are PyTorch's (torch.optim), and so are the numbers. */
#include <math.h>
#include <stdio.h>

#include "core/core.h"
#include "core/plot/plot.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* p = p - lr g, with g the gradient that the last backward left in p. */
void sgd_step(Tensor *p, double lr) {
    // HOLE
    //| (void)p, (void)lr; /* your code */
    with_no_grad() {
        t_sub_(p, t_mul(lr, t_grad(p)));
        // WRONG new_tensor 16: p = t_sub(p, t_mul(lr, t_grad(p)));
        // WRONG uphill 16: t_add_(p, t_mul(lr, t_grad(p)));
    }
    // END
}

/* b = momentum b + g, then p = p - lr b. b has p's shape and begins as zeros. */
void momentum_step(Tensor *p, Tensor *b, double lr, double momentum) {
    // HOLE
    //| (void)p, (void)b, (void)lr, (void)momentum; /* your code */
    with_no_grad() {
        t_add_(t_mul_(b, momentum), t_grad(p));
        // WRONG average 15: t_add_(t_mul_(b, momentum), t_mul(1 - momentum, t_grad(p)));
        t_sub_(p, t_mul(lr, b));
    }
    // END
}

/* Step number t = 1, 2, ... of Adam. m and v have p's shape and begin as zeros:
 *
 *     m = beta1 m + (1 - beta1) g
 *     v = beta2 v + (1 - beta2) g^2
 *     p = p - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps) */
void adam_step(Tensor *p, Tensor *m, Tensor *v, int t, double lr, double beta1, double beta2, double eps) {
    // HOLE
    //| (void)p, (void)m, (void)v, (void)t, (void)lr, (void)beta1, (void)beta2, (void)eps; /* your code */
    with_no_grad() {
        Tensor *g = t_grad(p);
        t_add_(t_mul_(m, beta1), t_mul(1 - beta1, g));
        t_add_(t_mul_(v, beta2), t_mul(1 - beta2, t_square(g)));
        // WRONG not_squared 11: t_add_(t_mul_(v, beta2), t_mul(1 - beta2, t_abs(g)));
        Tensor *mean = t_div(m, 1 - pow(beta1, t)), *variance = t_div(v, 1 - pow(beta2, t));
        // WRONG no_correction 11: Tensor *mean = m, *variance = t_mul(v, t > 0);
        // WRONG from_zero 11: Tensor *mean = t_div(m, 1 - pow(beta1, t - 1));
        // WRONG from_zero: Tensor *variance = t_div(v, 1 - pow(beta2, t - 1));
        t_sub_(p, t_mul(lr, t_div(mean, t_add(t_sqrt(variance), eps))));
        // WRONG eps_inside 13: t_sub_(p, t_mul(lr, t_div(mean, t_sqrt(t_add(variance, eps)))));
    }
    // END
}

/* AdamW: first p = p (1 - lr decay), then an Adam step whose gradient knows nothing of the decay. */
void adamw_step(Tensor *p, Tensor *m, Tensor *v, int t, double lr, double beta1, double beta2, double eps,
                double decay) {
    // HOLE
    //| (void)p, (void)m, (void)v, (void)t, (void)lr, (void)beta1, (void)beta2, (void)eps, (void)decay; /* your code */
    with_no_grad() {
        t_mul_(p, 1 - lr * decay);
        // WRONG into_gradient 16: t_add_(t_grad(p), t_mul(decay, p));
    }
    adam_step(p, m, v, t, lr, beta1, beta2, eps);
    // END
}

/* Forgets the gradients of n parameters: t_grad is NULL afterwards, or zeros. */
void zero_grad(Tensor **p, int n) {
    // HOLE
    //| (void)p, (void)n; /* your code */
    for (int i = 0; i < n; i++) t_set_grad(p[i], NULL);
    // WRONG first_only 17: t_set_grad(p[0], NULL);
    // END
}

/* Scales all gradients by one factor, so that the norm of all their elements together is at most max_norm; smaller
 * gradients stay as they are. Returns the norm before. */
double clip_grad_norm(Tensor **p, int n, double max_norm) {
    // HOLE
    //| (void)p, (void)n, (void)max_norm; /* your code */
    //| return 0;
    double sum = 0;
    for (int i = 0; i < n; i++) sum += t_item(t_sum(t_square(t_grad(p[i]))));
    double norm = sqrt(sum);
    if (norm > max_norm)
    // WRONG always 15: if (norm > 0)
        for (int i = 0; i < n; i++) t_mul_(t_grad(p[i]), max_norm / norm);
    // WRONG squared 15: for (int i = 0; i < n; i++) t_mul_(t_grad(p[i]), max_norm / sum);
    return norm;
    // END
}

/* The learning rate of step 0, 1, ..., steps - 1: it rises linearly from lr / warmup to lr in the first `warmup` steps,
 * then falls by a cosine: lr (1 + cos(pi x)) / 2, where x goes from 0 at step `warmup` towards 1 at step `steps`. */
double learning_rate(int step, int warmup, int steps, double lr) {
    // HOLE
    //| (void)step, (void)warmup, (void)steps, (void)lr; /* your code */
    //| return 0;
    if (step < warmup) return lr * (step + 1) / warmup;
    // WRONG integer 16: if (step < warmup) return lr * ((step + 1) / warmup);
    double x = (double)(step - warmup) / (steps - warmup);
    // WRONG whole_run 16: double x = (double)step / steps;
    return lr * (1 + cos(3.141592653589793 * x)) / 2;
    // END
}

/* ---- the demonstration: a valley, 25 times as steep across as along ---- */

enum { STEPS = 60 };

static Tensor *valley(Tensor *p) { return t_sum(t_mul(t_square(p), t_tensor("[0.5, 12.5]"))); }

/* 0 SGD, 1 momentum, 2 Adam: the logarithm of the loss before each step. */
static Tensor *descend(int method) {
    Tensor *p = t_tensor("[10., 1.]", .requires_grad = true), *losses = t_zeros(STEPS);
    Tensor *m = t_zeros(2), *v = t_zeros(2);
    for_range (step, 0, STEPS) {
        Tensor *loss = valley(p);
        t_set(losses, "{}", step, log10(t_item(loss)));
        zero_grad(&p, 1);
        t_backward(loss);
        if (method == 0) sgd_step(p, 0.07);
        else if (method == 1) momentum_step(p, m, 0.02, 0.8);
        else adam_step(p, m, v, (int)step + 1, 0.5, 0.9, 0.999, 1e-8);
    }
    return losses;
}

/* optimizers [--plots DIR] */
int main(int argc, char **argv) {
    const char *folder = argc == 3 ? argv[2] : NULL;
    static const char *const names[] = {"SGD", "momentum", "Adam"};
    for (int method = 0; method < 3; method++) {
        Tensor *losses = descend(method);
        printf("%-9s log10(loss) after 20, 40, 60 steps: %.1f %.1f %.1f\n", names[method], t_item(t_at(losses, "19")),
               t_item(t_at(losses, "39")), t_item(t_at(losses, "59")));
        plt_plot(losses, .label = names[method]);
    }
    plt_title("log10 of the loss in the valley");
    plt_legend();
    if (folder) plt_savefig(t_format("%s/losses.svg", folder));
    plt_show();
    printf("learning rates: ");
    for (int step = 0; step < 10; step++) printf(" %.3f", learning_rate(step, 3, 10, 1));
    printf("\n");
    return 0;
}
