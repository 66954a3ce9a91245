/* Lesson 01: one neuron in plain doubles: forward, backward by the chain rule, a numerical check, gradient descent. At
 * the end the same neuron on the library's tape.
 *
 *     p = w * x        s = p + b        y = tanh(s)        loss = (y - target)^2
 *
 * A name that begins with d is the derivative of the loss with respect to that value: dy is dloss/dy. */
#include <math.h>
#include <stdio.h>

#include "core/core.h"
#include "core/plot/plot.h"

/* The two parameters, which training changes. */
typedef struct Neuron {
    double w, b;
} Neuron;

/* What the forward computes, in this order. */
typedef struct Values {
    double p, s, y, loss;
} Values;

/* What the backward computes, in this order: from the loss to the inputs. */
typedef struct Gradients {
    double dy, ds, dw, db, dx;
} Gradients;

/* The four formulas above, for one input x. */
Values forward(Neuron n, double x, double target) {
    Values v = {0, 0, 0, 0};
    // HOLE
    //| (void)n, (void)x, (void)target; /* your code */
    v.p = n.w * x;
    v.s = v.p + n.b;
    v.y = tanh(v.s);
    v.loss = (v.y - target) * (v.y - target);
    // WRONG absolute 15: v.loss = fabs(v.y - target);
    // END
    return v;
}

/* The derivative of tanh at s, from y = tanh(s). No function of math.h is needed. */
double tanh_derivative(double y) {
    // HOLE
    //| (void)y; /* your code */
    //| return 0;
    return 1 - y * y;
    // WRONG not_squared 9: return 1 - y;
    // WRONG of_s 9: return 1 - tanh(y) * tanh(y);
    // END
}

/* The chain rule, one factor a line: each derivative is the one before it times the derivative of one operation.
 * v is what forward returned for the same n, x and target. */
Gradients backward(Neuron n, double x, double target, Values v) {
    Gradients g = {0, 0, 0, 0, 0};
    // HOLE
    //| (void)n, (void)x, (void)target, (void)v; /* your code */
    g.dy = 2 * (v.y - target);
    // WRONG forgot_two 10: g.dy = v.y - target;
    // WRONG sign 10: g.dy = 2 * (target - v.y);
    g.ds = g.dy * tanh_derivative(v.y);
    // WRONG without_tanh 10: g.ds = g.dy;
    // WRONG restarted 10: g.ds = tanh_derivative(v.y);
    g.dw = g.ds * x;
    // WRONG swapped 10: g.dw = g.ds * n.w;
    g.db = g.ds;
    // WRONG bias_times_b 10: g.db = g.ds * n.b;
    g.dx = g.ds * n.w;
    // WRONG swapped: g.dx = g.ds * x;
    // END
    return g;
}

/* The slope of f at x without calculus: the central difference (f(x + h) - f(x - h)) / 2h. */
double central_difference(double (*f)(double), double x, double h) {
    // HOLE
    //| (void)f, (void)x, (void)h; /* your code */
    //| return 0;
    return (f(x + h) - f(x - h)) / (2 * h);
    // WRONG forward_difference 18: return (f(x + h) - f(x)) / h;
    // END
}

/* dw, db and dx by central differences of the loss: move one of the three by h, up and down, while the other two keep
 * their values. dy and ds stay 0. Only forward may be used. */
Gradients numerical_gradients(Neuron n, double x, double target, double h) {
    Gradients g = {0, 0, 0, 0, 0};
    // HOLE
    //| (void)n, (void)x, (void)target, (void)h; /* your code */
    Neuron up = n, down = n;
    up.w += h, down.w -= h;
    g.dw = (forward(up, x, target).loss - forward(down, x, target).loss) / (2 * h);
    // WRONG divided_by_h 17: g.dw = (forward(up, x, target).loss - forward(down, x, target).loss) / h;
    up = n, down = n;
    // WRONG w_still_moved 17:
    up.b += h, down.b -= h;
    g.db = (forward(up, x, target).loss - forward(down, x, target).loss) / (2 * h);
    g.dx = (forward(n, x + h, target).loss - forward(n, x - h, target).loss) / (2 * h);
    // END
    return g;
}

/* The mean over `count` points of the gradients of w and b; dy, ds and dx stay 0. */
Gradients mean_gradients(Neuron n, const double *x, const double *target, int count) {
    Gradients mean = {0, 0, 0, 0, 0};
    // HOLE
    //| (void)n, (void)x, (void)target, (void)count; /* your code */
    for (int i = 0; i < count; i++) {
        Gradients g = backward(n, x[i], target[i], forward(n, x[i], target[i]));
        mean.dw += g.dw / count;
        mean.db += g.db / count;
        // WRONG sum 14: mean.db += g.db;
        // WRONG last_point 14: mean.dw = g.dw / count;
    }
    // END
    return mean;
}

/* `steps` steps of gradient descent on the mean loss of `count` points: in each step both parameters move against the
 * gradient, by rate times the gradient. Returns the trained neuron. */
Neuron descend(Neuron n, const double *x, const double *target, int count, double rate, int steps) {
    // HOLE
    //| (void)x, (void)target, (void)count, (void)rate, (void)steps; /* your code */
    for (int i = 0; i < steps; i++) {
        Gradients g = mean_gradients(n, x, target, count);
        // WRONG gradient_once 17: static Gradients g; if (i == 0) g = mean_gradients(n, x, target, count);
        n.w -= rate * g.dw;
        // WRONG ascent 17: n.w += rate * g.dw;
        // WRONG one_after_the_other 17: n.w -= rate * g.dw, g = mean_gradients(n, x, target, count);
        n.b -= rate * g.db;
        // WRONG ascent: n.b += rate * g.db;
    }
    // END
    return n;
}

/* The loss of the same neuron, computed by the library from tensors of shape (): with t_mul, t_add, t_tanh, t_sub and
 * t_square. x and target are plain numbers. */
Tensor *loss_on_tape(Tensor *w, Tensor *b, double x, double target) {
    // HOLE
    //| (void)x, (void)target; /* your code */
    //| return t_mul(t_add(w, b), 0);
    Tensor *y = t_tanh(t_add(t_mul(w, x), b));
    // WRONG off_the_tape 18: Tensor *y = t_mul(t_add(w, b), 0);
    // WRONG off_the_tape: y = t_add(y, tanh(t_item(w) * x + t_item(b)));
    return t_square(t_sub(y, target));
    // END
}

/* ---- the program; nothing to fill in below ---- */

static double mean_loss(Neuron n, const double *x, const double *target, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += forward(n, x[i], target[i]).loss;
    return sum / count;
}

static void show_one_point(Neuron n, double x, double target) {
    Values v = forward(n, x, target);
    Gradients g = backward(n, x, target, v), check = numerical_gradients(n, x, target, 1e-5);
    printf("forward     p %.4f  s %.4f  y %.4f  loss %.4f\n", v.p, v.s, v.y, v.loss);
    printf("backward   dy %.4f  ds %.4f  dw %.4f  db %.4f  dx %.4f\n", g.dy, g.ds, g.dw, g.db, g.dx);
    printf("numerical                        dw %.4f  db %.4f  dx %.4f\n", check.dw, check.db, check.dx);
}

static void show_tape(Neuron n, double x, double target) {
    Tensor *w = t_full((), n.w, .dtype = t_float64, .requires_grad = true);
    Tensor *b = t_full((), n.b, .dtype = t_float64, .requires_grad = true);
    Tensor *loss = loss_on_tape(w, b, x, target);
    t_watch(w, b, loss);
    printf("\nthe tape, oldest record first\n");
    t_tape_print(loss);
    t_backward(loss);
    printf("loss %.4f  dw %.4f  db %.4f\n", t_item(loss), t_item(t_grad(w)), t_item(t_grad(b)));
}

enum { POINTS = 8 };

/* y of the neuron for 81 inputs from -2 to 2. */
static void plot_neuron(Neuron n, const char *label) {
    Tensor *x = t_linspace(-2, 2, 81), *y = t_zeros(81);
    for (int i = 0; i < 81; i++) t_set(y, "{}", i, forward(n, t_item(t_at(x, "{}", i)), 0).y);
    plt_plot(x, y, .label = label);
}

static void show_training(const char *folder) {
    const double x[POINTS] = {-2.0, -1.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0};
    double target[POINTS];
    for (int i = 0; i < POINTS; i++) target[i] = tanh(1.5 * x[i] - 0.6);
    Neuron n = {-0.5, 0.25};
    printf("\ngradient descent on points of y = tanh(1.5 x - 0.6)\n");
    for (int step = 0; step <= 200; step++) {
        if (step == 0) plot_neuron(n, "before");
        if (step == 2) plot_neuron(n, "after 2 steps");
        if (step == 200) plot_neuron(n, "after 200 steps");
        if (step % 40 == 0)
            printf("step %3d  loss %.6f  w %7.4f  b %7.4f\n", step, mean_loss(n, x, target, POINTS), n.w, n.b);
        n = descend(n, x, target, POINTS, 0.5, 1);
    }
    plt_legend();
    plt_title("the neuron's y for x from -2 to 2");
    if (folder) plt_savefig(t_format("%s/curves.svg", folder));
    plt_show();
}

/* neuron [--plots DIR] */
int main(int argc, char **argv) {
    const char *folder = argc == 3 ? argv[2] : NULL;
    Neuron n = {-0.5, 0.25};
    show_one_point(n, 2.0, 0.5);
    show_training(folder);
    show_tape(n, 2.0, 0.5);
    return 0;
}
