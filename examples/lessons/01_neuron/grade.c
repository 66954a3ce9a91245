/* examples/lessons/01_neuron/grade.c: compares the neuron with the library's values, gradients and SGD, in float64. */
#include "grader.h"
#include SUBMISSION

#define LIBRARY "t_* optim_* nn_*"

typedef struct Case {
    Neuron n;
    double x, target;
} Case;

static Case draw_case(void) {
    Case c;
    c.n.w = draw_uniform(0.3, 0.9), c.n.b = draw_uniform(-0.4, -0.2);
    c.x = draw_uniform(1.2, 2), c.target = draw_uniform(-0.9, -0.5);
    if (draw_integer(0, 1)) c.n.w = -c.n.w;
    in_case("w %.3f, b %.3f, x %.3f, target %.3f", c.n.w, c.n.b, c.x, c.target);
    return c;
}

static Tensor *scalar(double value) { return t_full((), value, .dtype = t_float64, .requires_grad = true); }

/* The key: the same neuron by the library. */
typedef struct Key {
    Tensor *w, *b, *x, *s, *y, *loss;
} Key;

static Key library_neuron(Case c) {
    Key k = {scalar(c.n.w), scalar(c.n.b), scalar(c.x), NULL, NULL, NULL};
    k.s = t_add(t_mul(k.w, k.x), k.b);
    k.y = t_tanh(k.s);
    k.loss = t_square(t_sub(k.y, c.target));
    t_retain_grad(k.s);
    t_retain_grad(k.y);
    t_backward(k.loss, .retain_graph = true);
    return k;
}

static double grad(Tensor *x) { return t_item(t_grad(x)); }

static void check_forward(void) {
    for (int i = 0; i < 5; i++) {
        Case c = draw_case();
        Values v = forward(c.n, c.x, c.target);
        Key k = library_neuron(c);
        expect_number("p", v.p, c.n.w * c.x);
        expect_number("s", v.s, t_item(k.s));
        expect_number("y", v.y, t_item(k.y));
        expect_number("loss", v.loss, t_item(k.loss));
    }
}

static void check_tanh_derivative(void) {
    for (int i = 0; i < 5; i++) {
        Tensor *s = scalar(draw_uniform(0.3, 2)), *y = t_tanh(s);
        t_backward(y);
        in_case("y = tanh(%.3f) = %.3f", t_item(s), t_item(y));
        expect_number("the derivative", tanh_derivative(t_item(y)), grad(s));
    }
}

static void check_backward(void) {
    for (int i = 0; i < 5; i++) {
        Case c = draw_case();
        Key k = library_neuron(c);
        Values v = {c.n.w * c.x, t_item(k.s), t_item(k.y), t_item(k.loss)};
        Gradients g = backward(c.n, c.x, c.target, v);
        expect_number("dy", g.dy, grad(k.y));
        expect_number("ds", g.ds, grad(k.s));
        expect_number("dw", g.dw, grad(k.w));
        expect_number("db", g.db, grad(k.b));
        expect_number("dx", g.dx, grad(k.x));
    }
}

static double cube(double x) { return x * x * x; }

static void check_central_difference(void) {
    for (int i = 0; i < 5; i++) {
        double x = draw_uniform(-2, 2), h = draw_uniform(0.1, 0.2);
        in_case("f(x) = x^3, x %.3f, h %.3f", x, h);
        expect_number("the difference", central_difference(cube, x, h), 3 * x * x + h * h);
    }
}

static double loss_at(double w, double b, double x, double target) {
    double difference = tanh(w * x + b) - target;
    return difference * difference;
}

static void check_numerical_gradients(void) {
    for (int i = 0; i < 5; i++) {
        Case c = draw_case();
        double w = c.n.w, b = c.n.b, x = c.x, t = c.target;
        Key k = library_neuron(c);
        Gradients g = numerical_gradients(c.n, x, t, 1e-5);
        expect_number("dw, with h 1e-5,", g.dw, grad(k.w));
        expect_number("db, with h 1e-5,", g.db, grad(k.b));
        expect_number("dx, with h 1e-5,", g.dx, grad(k.x));
        g = numerical_gradients(c.n, x, t, 0.1); /* where a forward difference or a nudge that is left shows */
        expect_number("dw, with h 0.1,", g.dw, (loss_at(w + 0.1, b, x, t) - loss_at(w - 0.1, b, x, t)) / 0.2);
        expect_number("db, with h 0.1,", g.db, (loss_at(w, b + 0.1, x, t) - loss_at(w, b - 0.1, x, t)) / 0.2);
        expect_number("dx, with h 0.1,", g.dx, (loss_at(w, b, x + 0.1, t) - loss_at(w, b, x - 0.1, t)) / 0.2);
    }
}

enum { MOST = 7 };

/* Points, and the library's mean loss of them for w and b. */
typedef struct Points {
    int count;
    double x[MOST], target[MOST];
} Points;

static Points draw_points(void) {
    Points p = {.count = draw_integer(3, MOST)};
    for (int i = 0; i < p.count; i++) p.x[i] = draw_uniform(-1, 2), p.target[i] = draw_uniform(-0.9, 0.9);
    return p;
}

static Tensor *library_mean_loss(Tensor *w, Tensor *b, const Points *p) {
    Tensor *sum = t_zeros((), .dtype = t_float64);
    for (int i = 0; i < p->count; i++)
        sum = t_add(sum, t_square(t_sub(t_tanh(t_add(t_mul(w, p->x[i]), b)), p->target[i])));
    return t_div(sum, p->count);
}

static void check_mean_gradients(void) {
    for (int i = 0; i < 3; i++) {
        Neuron n = draw_case().n;
        Points p = draw_points();
        Tensor *w = scalar(n.w), *b = scalar(n.b);
        t_backward(library_mean_loss(w, b, &p));
        in_case("%d points", p.count);
        Gradients g = mean_gradients(n, p.x, p.target, p.count);
        expect_number("dw", g.dw, grad(w));
        expect_number("db", g.db, grad(b));
    }
}

static void check_descend(void) {
    for (int i = 0; i < 3; i++) {
        Neuron n = draw_case().n;
        Points p = draw_points();
        int steps = draw_integer(4, 10);
        double rate = draw_uniform(0.1, 0.5);
        Tensor *w = scalar(n.w), *b = scalar(n.b);
        optim_Optimizer *sgd = optim_SGD(t_list(w, b), .lr = rate);
        in_case("%d points, rate %.3f, %d steps", p.count, rate, steps);
        for (int step = 0; step < steps; step++) {
            optim_zero_grad(sgd);
            t_backward(library_mean_loss(w, b, &p));
            optim_step(sgd);
        }
        Neuron got = descend(n, p.x, p.target, p.count, rate, steps);
        expect_number("w", got.w, t_item(w));
        expect_number("b", got.b, t_item(b));
    }
}

static void check_loss_on_tape(void) {
    for (int i = 0; i < 3; i++) {
        Case c = draw_case();
        Key k = library_neuron(c);
        Tensor *w = scalar(c.n.w), *b = scalar(c.n.b), *loss = loss_on_tape(w, b, c.x, c.target);
        expect_close("the loss", loss, k.loss);
        expect_true(t_requires_grad(loss), "the loss has no record on the tape: t_backward would find neither w nor b");
        t_backward(loss);
        expect_true(t_grad(w) && t_grad(b), "on the tape the loss does not depend on %s", t_grad(w) ? "b" : "w");
        expect_close("w's gradient", t_grad(w), t_grad(k.w));
        expect_close("b's gradient", t_grad(b), t_grad(k.b));
    }
}

static const Check checks[] = {
    {"forward", 2, check_forward, .forbidden = LIBRARY},
    {"tanh_derivative", 1, check_tanh_derivative, .forbidden = LIBRARY},
    {"backward", 4, check_backward, .forbidden = LIBRARY " numerical_gradients"},
    {"central_difference", 2, check_central_difference, .forbidden = LIBRARY},
    {"numerical_gradients", 3, check_numerical_gradients, .forbidden = LIBRARY " backward"},
    {"mean_gradients", 3, check_mean_gradients, .forbidden = LIBRARY " numerical_gradients"},
    {"descend", 3, check_descend, .forbidden = LIBRARY},
    {"loss_on_tape", 2, check_loss_on_tape, .forbidden = "forward backward"},
};
GRADE("01 neuron", checks)
