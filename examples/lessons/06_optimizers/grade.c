/* examples/lessons/06_optimizers/grade.c: each step beside the library's optimizer, with the same gradients. */
#include "grader.h"
#include SUBMISSION

#define OPTIMIZERS "optim_* nn_utils_* nn_clip*"

/* Two copies of a drawn parameter: [0] the student's, [1] the library's. */
static void draw_twins(Tensor *p[2]) {
    p[0] = t_requires_grad_(draw_normal(3, draw_integer(4, 5)), true);
    p[1] = t_requires_grad_(t_clone(t_detach(p[0])), true);
}

/* The gradient that a backward would have left in both. */
static void draw_gradient(Tensor *p[2], double scale) {
    Tensor *g = t_mul(draw_normal(3, t_size(p[0], 1)), scale);
    t_set_grad(p[0], g);
    t_set_grad(p[1], t_clone(g));
}

static void expect_twins(Tensor *p[2], int step) {
    in_case("step %d", step);
    expect_true(t_is_leaf(p[0]) && t_requires_grad(p[0]), "p is no leaf that requires grad any more");
    expect_close("p", p[0], p[1]);
}

static void check_sgd(void) {
    Tensor *p[2];
    draw_twins(p);
    double lr = draw_uniform(0.1, 0.5);
    optim_Optimizer *optimizer = optim_SGD(t_list(p[1]), .lr = lr);
    for (int step = 1; step <= 3; step++) {
        draw_gradient(p, 1);
        optim_step(optimizer);
        sgd_step(p[0], lr);
        expect_twins(p, step);
    }
}

static void check_momentum(void) {
    Tensor *p[2];
    draw_twins(p);
    double lr = draw_uniform(0.1, 0.5), momentum = draw_uniform(0.5, 0.9);
    Tensor *b = t_zeros_like(t_detach(p[0]));
    optim_Optimizer *optimizer = optim_SGD(t_list(p[1]), .lr = lr, .momentum = momentum);
    for (int step = 1; step <= 4; step++) {
        draw_gradient(p, 1);
        optim_step(optimizer);
        momentum_step(p[0], b, lr, momentum);
        expect_twins(p, step);
    }
}

static void check_adam(void) {
    Tensor *p[2];
    draw_twins(p);
    double lr = draw_uniform(0.05, 0.2), beta1 = draw_uniform(0.8, 0.9), beta2 = draw_uniform(0.9, 0.99);
    Tensor *m = t_zeros_like(t_detach(p[0])), *v = t_zeros_like(m);
    optim_Optimizer *optimizer = optim_Adam(t_list(p[1]), .lr = lr, .betas = {beta1, beta2}, .eps = 1e-2);
    for (int step = 1; step <= 5; step++) {
        draw_gradient(p, 0.1);
        optim_step(optimizer);
        adam_step(p[0], m, v, step, lr, beta1, beta2, 1e-2);
        expect_twins(p, step);
    }
}

static void check_adamw(void) {
    Tensor *p[2];
    draw_twins(p);
    double lr = draw_uniform(0.05, 0.2), decay = draw_uniform(0.2, 0.5);
    Tensor *m = t_zeros_like(t_detach(p[0])), *v = t_zeros_like(m);
    optim_Optimizer *optimizer = optim_AdamW(t_list(p[1]), .lr = lr, .weight_decay = decay);
    for (int step = 1; step <= 3; step++) {
        draw_gradient(p, 1);
        optim_step(optimizer);
        adamw_step(p[0], m, v, step, lr, 0.9, 0.999, 1e-8, decay);
        expect_twins(p, step);
    }
}

static void check_zero_grad(void) {
    Tensor *p[3];
    for (int i = 0; i < 3; i++) {
        p[i] = t_requires_grad_(draw_normal(draw_integer(2, 4)), true);
        t_backward(t_sum(t_mul(p[i], 2)));
    }
    zero_grad(p, 3);
    for (int i = 0; i < 3; i++) {
        in_case("parameter %d of 3", i + 1);
        if (t_grad(p[i])) expect_close("the gradient", t_grad(p[i]), t_zeros_like(t_detach(p[i])));
    }
}

static void check_clip(void) {
    Tensor *p[2][2]; /* two pairs of twins */
    draw_twins(p[0]);
    draw_twins(p[1]);
    for (int i = 0; i < 2; i++) {
        double scale = i ? draw_uniform(0.001, 0.01) : draw_uniform(2, 3);
        draw_gradient(p[0], scale);
        draw_gradient(p[1], scale);
        in_case(i ? "small gradients" : "large gradients");
        Tensor *mine[2] = {p[0][0], p[1][0]};
        double norm = t_item(nn_utils_clip_grad_norm_(t_list(p[0][1], p[1][1]), 1));
        double got = clip_grad_norm(mine, 2, 1);
        expect_true(fabs(got - norm) <= 1e-4 * norm, "the norm is %.6g, expected %.6g", got, norm);
        expect_close("the first gradient", t_grad(p[0][0]), t_grad(p[0][1]));
        expect_close("the second gradient", t_grad(p[1][0]), t_grad(p[1][1]));
    }
}

static void check_learning_rate(void) {
    int warmup = draw_integer(3, 6), steps = draw_integer(12, 30);
    double lr = draw_uniform(0.1, 1);
    for (int step = 0; step < steps; step++) {
        double x = (double)(step - warmup) / (steps - warmup);
        in_case("step %d, warm-up of %d, %d steps, lr %.3f", step, warmup, steps, lr);
        expect_number("the learning rate", learning_rate(step, warmup, steps, lr),
                      step < warmup ? lr * (step + 1) / warmup : lr * (0.5 + 0.5 * cos(acos(-1) * x)));
    }
}

static const Check checks[] = {
    {"sgd_step", 2, check_sgd, .forbidden = OPTIMIZERS},
    {"momentum_step", 3, check_momentum, .forbidden = OPTIMIZERS},
    {"adam_step", 5, check_adam, .forbidden = OPTIMIZERS},
    {"adamw_step", 2, check_adamw, .forbidden = OPTIMIZERS},
    {"zero_grad", 1, check_zero_grad, .forbidden = OPTIMIZERS},
    {"clip_grad_norm", 3, check_clip, .forbidden = OPTIMIZERS},
    {"learning_rate", 2, check_learning_rate, .forbidden = "optim_*"},
};
GRADE("06 optimizers", checks)
