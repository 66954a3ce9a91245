/* examples/pytorch/learning/learning_with_examples.c: "Learning PyTorch with examples": sin(x) fitted by a polynomial,
 * eight times. Each program leaves one more thing to the library than the one before.
 *
 * Difficulty: *     Read first: backprop     Read next: basics/tensors */
#define _DEFAULT_SOURCE /* M_PI */
#include <math.h>
#include <stdio.h>

#include "core/core.h"
#include "core/python/python.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* ---- Tensors: gradients by hand ---- */

/* The tutorial's first program does this in numpy: in float64. */
static void polynomial_numpy(void) {
    Tensor *x = t_linspace(-M_PI, M_PI, 2000, .dtype = t_float64);
    Tensor *y = t_sin(x);

    double a = t_item(t_randn());
    double b = t_item(t_randn());
    double c = t_item(t_randn());
    double d = t_item(t_randn());

    double learning_rate = 1e-6;
    for_range (t, 2000) {
        Tensor *y_pred = t_add(a, t_mul(b, x), t_mul(c, t_pow(x, 2)), t_mul(d, t_pow(x, 3)));

        double loss = t_item(t_sum(t_square(t_sub(y_pred, y))));
        if (t % 400 == 399) printf("%d %.6f\n", (int)t, loss);

        Tensor *grad_y_pred = t_mul(2.0, t_sub(y_pred, y));
        double grad_a = t_item(t_sum(grad_y_pred));
        double grad_b = t_item(t_sum(t_mul(grad_y_pred, x)));
        double grad_c = t_item(t_sum(t_mul(grad_y_pred, t_pow(x, 2))));
        double grad_d = t_item(t_sum(t_mul(grad_y_pred, t_pow(x, 3))));

        a -= learning_rate * grad_a;
        b -= learning_rate * grad_b;
        c -= learning_rate * grad_c;
        d -= learning_rate * grad_d;
    }
    printf("Result: y = %.6f + %.6f x + %.6f x^2 + %.6f x^3\n", a, b, c, d);
}

static void polynomial_tensor(void) {
    Tensor *x = t_linspace(-M_PI, M_PI, 2000);
    Tensor *y = t_sin(x);

    Tensor *a = t_randn();
    Tensor *b = t_randn();
    Tensor *c = t_randn();
    Tensor *d = t_randn();

    double learning_rate = 1e-6;
    for_range (t, 2000) {
        Tensor *y_pred = t_add(a, t_mul(b, x), t_mul(c, t_pow(x, 2)), t_mul(d, t_pow(x, 3)));

        double loss = t_item(t_sum(t_pow(t_sub(y_pred, y), 2)));
        if (t % 400 == 399) printf("%d %.3f\n", (int)t, loss);

        Tensor *grad_y_pred = t_mul(2.0, t_sub(y_pred, y));
        Tensor *grad_a = t_sum(grad_y_pred);
        Tensor *grad_b = t_sum(t_mul(grad_y_pred, x));
        Tensor *grad_c = t_sum(t_mul(grad_y_pred, t_pow(x, 2)));
        Tensor *grad_d = t_sum(t_mul(grad_y_pred, t_pow(x, 3)));

        t_sub_(a, t_mul(learning_rate, grad_a));
        t_sub_(b, t_mul(learning_rate, grad_b));
        t_sub_(c, t_mul(learning_rate, grad_c));
        t_sub_(d, t_mul(learning_rate, grad_d));
    }
    printf("Result: y = %.4f + %.4f x + %.4f x^2 + %.4f x^3\n", t_item(a), t_item(b), t_item(c), t_item(d));
}

/* ---- Autograd ---- */

static void polynomial_autograd(void) {
    Tensor *x = t_linspace(-M_PI, M_PI, 2000);
    Tensor *y = t_sin(x);

    Tensor *a = t_randn(.requires_grad = true);
    Tensor *b = t_randn(.requires_grad = true);
    Tensor *c = t_randn(.requires_grad = true);
    Tensor *d = t_randn(.requires_grad = true);

    double learning_rate = 1e-6;
    for_range (t, 2000) {
        Tensor *y_pred = t_add(a, t_mul(b, x), t_mul(c, t_pow(x, 2)), t_mul(d, t_pow(x, 3)));

        Tensor *loss = t_sum(t_pow(t_sub(y_pred, y), 2));
        if (t % 400 == 399) printf("%d %.3f\n", (int)t, t_item(loss));

        t_backward(loss);

        with_no_grad() {
            t_sub_(a, t_mul(learning_rate, t_grad(a)));
            t_sub_(b, t_mul(learning_rate, t_grad(b)));
            t_sub_(c, t_mul(learning_rate, t_grad(c)));
            t_sub_(d, t_mul(learning_rate, t_grad(d)));

            t_set_grad(a, NULL);
            t_set_grad(b, NULL);
            t_set_grad(c, NULL);
            t_set_grad(d, NULL);
        }
    }
    printf("Result: y = %.4f + %.4f x + %.4f x^2 + %.4f x^3\n", t_item(a), t_item(b), t_item(c), t_item(d));
}

/* P3(x) = (5 x^3 - 3 x) / 2, with a gradient rule of its own. */
static void legendre_polynomial3_backward(t_Context *ctx, Tensor *grad_output, Tensor **grad_input) {
    Tensor *input = t_saved_tensor(ctx, 0);
    grad_input[0] = t_mul(t_mul(grad_output, 1.5), t_sub(t_mul(5, t_pow(input, 2)), 1));
}

static const t_Function legendre_polynomial3_function = {.name = "legendre_polynomial3",
                                                         .grad_fn = "LegendrePolynomial3Backward",
                                                         .backward = legendre_polynomial3_backward};

static Tensor *legendre_polynomial3(Tensor *input) {
    Tensor *output = NULL;
    with_no_grad() output = t_mul(0.5, t_sub(t_mul(5, t_pow(input, 3)), t_mul(3, input)));
    return t_apply(&legendre_polynomial3_function, output, t_list(input), .saved = t_list(input));
}

static void polynomial_custom_function(void) {
    Tensor *x = t_linspace(-M_PI, M_PI, 2000);
    Tensor *y = t_sin(x);

    Tensor *a = t_full((), 0.0, .requires_grad = true);
    Tensor *b = t_full((), -1.0, .requires_grad = true);
    Tensor *c = t_full((), 0.0, .requires_grad = true);
    Tensor *d = t_full((), 0.3, .requires_grad = true);

    double learning_rate = 5e-6;
    for_range (t, 2000) {
        Tensor *(*P3)(Tensor *) = legendre_polynomial3;

        Tensor *y_pred = t_add(a, t_mul(b, P3(t_add(c, t_mul(d, x)))));

        Tensor *loss = t_sum(t_pow(t_sub(y_pred, y), 2));
        if (t % 400 == 399) printf("%d %.3f\n", (int)t, t_item(loss));

        t_backward(loss);

        with_no_grad() {
            t_sub_(a, t_mul(learning_rate, t_grad(a)));
            t_sub_(b, t_mul(learning_rate, t_grad(b)));
            t_sub_(c, t_mul(learning_rate, t_grad(c)));
            t_sub_(d, t_mul(learning_rate, t_grad(d)));

            t_set_grad(a, NULL);
            t_set_grad(b, NULL);
            t_set_grad(c, NULL);
            t_set_grad(d, NULL);
        }
    }
    printf("Result: y = %.4f + %.4f * P3(%.4f + %.4f x)\n", t_item(a), t_item(b), t_item(c), t_item(d));
}

/* ---- nn ---- */

static void polynomial_nn(void) {
    Tensor *x = t_linspace(-M_PI, M_PI, 2000);
    Tensor *y = t_sin(x);

    Tensor *p = t_tensor("[1, 2, 3]");
    Tensor *xx = t_pow(t_unsqueeze(x, -1), p);

    nn_Sequential *model = nn_Sequential(nn_Linear(3, 1), nn_Flatten(0, 1));
    nn_MSELoss *loss_fn = nn_MSELoss(.reduction = "sum");

    double learning_rate = 1e-6;
    for_range (t, 2000) {
        Tensor *y_pred = nn_call(model, xx);

        Tensor *loss = nn_call(loss_fn, y_pred, y);
        if (t % 400 == 399) printf("%d %.3f\n", (int)t, t_item(loss));

        nn_zero_grad(model);
        t_backward(loss);

        with_no_grad() {
            for_parameters (param, model) t_sub_(param, t_mul(learning_rate, t_grad(param)));
        }
    }

    nn_Linear *linear_layer = nn_get(model, 0, nn_Linear);
    printf("Result: y = %.4f + %.4f x + %.4f x^2 + %.4f x^3\n", t_item(linear_layer->bias),
           t_item(t_at(linear_layer->weight, ":, 0")), t_item(t_at(linear_layer->weight, ":, 1")),
           t_item(t_at(linear_layer->weight, ":, 2")));
}

/* ---- optim ---- */

static void polynomial_optim(void) {
    Tensor *x = t_linspace(-M_PI, M_PI, 2000);
    Tensor *y = t_sin(x);

    Tensor *p = t_tensor("[1, 2, 3]");
    Tensor *xx = t_pow(t_unsqueeze(x, -1), p);

    nn_Sequential *model = nn_Sequential(nn_Linear(3, 1), nn_Flatten(0, 1));
    nn_MSELoss *loss_fn = nn_MSELoss(.reduction = "sum");

    double learning_rate = 1e-3;
    optim_Optimizer *optimizer = optim_RMSprop(nn_parameters(model), .lr = learning_rate);
    for_range (t, 2000) {
        Tensor *y_pred = nn_call(model, xx);

        Tensor *loss = nn_call(loss_fn, y_pred, y);
        if (t % 400 == 399) printf("%d %.3f\n", (int)t, t_item(loss));

        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);
    }

    nn_Linear *linear_layer = nn_get(model, 0, nn_Linear);
    printf("Result: y = %.4f + %.4f x + %.4f x^2 + %.4f x^3\n", t_item(linear_layer->bias),
           t_item(t_at(linear_layer->weight, ":, 0")), t_item(t_at(linear_layer->weight, ":, 1")),
           t_item(t_at(linear_layer->weight, ":, 2")));
}

/* ---- A module of one's own ---- */

typedef struct Polynomial3 {
    nn_Module base;
    Tensor *a, *b, *c, *d;
} Polynomial3;

static Tensor *polynomial3_call(Polynomial3 *self, Tensor *x) {
    return t_add(self->a, t_mul(self->b, x), t_mul(self->c, t_pow(x, 2)), t_mul(self->d, t_pow(x, 3)));
}

static Polynomial3 *polynomial3(void) {
    Polynomial3 *self = nn_module(Polynomial3, polynomial3_call);
    nn_set(self, a, nn_Parameter(t_randn()));
    nn_set(self, b, nn_Parameter(t_randn()));
    nn_set(self, c, nn_Parameter(t_randn()));
    nn_set(self, d, nn_Parameter(t_randn()));
    return self;
}

static const char *polynomial3_string(Polynomial3 *self) {
    return t_format("y = %.4f + %.4f x + %.4f x^2 + %.4f x^3", t_item(self->a), t_item(self->b), t_item(self->c),
                    t_item(self->d));
}

static void polynomial_module(void) {
    Tensor *x = t_linspace(-M_PI, M_PI, 2000);
    Tensor *y = t_sin(x);

    Polynomial3 *model = polynomial3();

    nn_MSELoss *criterion = nn_MSELoss(.reduction = "sum");
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 1e-6);
    for_range (t, 2000) {
        Tensor *y_pred = nn_call(model, x);

        Tensor *loss = nn_call(criterion, y_pred, y);
        if (t % 400 == 399) printf("%d %.3f\n", (int)t, t_item(loss));

        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);
    }
    printf("Result: %s\n", polynomial3_string(model));
}

/* ---- Control flow in a forward, and one weight used several times ---- */

typedef struct DynamicNet {
    nn_Module base;
    Tensor *a, *b, *c, *d, *e;
} DynamicNet;

static Tensor *dynamic_net_call(DynamicNet *self, Tensor *x) {
    Tensor *y = t_add(self->a, t_mul(self->b, x), t_mul(self->c, t_pow(x, 2)), t_mul(self->d, t_pow(x, 3)));
    for_range (exp, 4, random_randint(4, 6)) t_keep_as(&y, t_add(y, t_mul(self->e, t_pow(x, (double)exp))));
    return y;
}

static DynamicNet *dynamic_net(void) {
    DynamicNet *self = nn_module(DynamicNet, dynamic_net_call);
    nn_set(self, a, nn_Parameter(t_randn()));
    nn_set(self, b, nn_Parameter(t_randn()));
    nn_set(self, c, nn_Parameter(t_randn()));
    nn_set(self, d, nn_Parameter(t_randn()));
    nn_set(self, e, nn_Parameter(t_randn()));
    return self;
}

static const char *dynamic_net_string(DynamicNet *self) {
    return t_format("y = %.4f + %.4f x + %.4f x^2 + %.4f x^3 + %.4f x^4 ? + %.4f x^5 ?", t_item(self->a),
                    t_item(self->b), t_item(self->c), t_item(self->d), t_item(self->e), t_item(self->e));
}

static void polynomial_dynamic_net(void) {
    Tensor *x = t_linspace(-M_PI, M_PI, 2000);
    Tensor *y = t_sin(x);

    DynamicNet *model = dynamic_net();

    nn_MSELoss *criterion = nn_MSELoss(.reduction = "sum");
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 1e-8, .momentum = 0.9);
    for_range (t, 30000) {
        Tensor *y_pred = nn_call(model, x);

        Tensor *loss = nn_call(criterion, y_pred, y);
        if (t % 6000 == 5999) printf("%d %.2f\n", (int)t, t_item(loss));

        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);
    }
    printf("Result: %s\n", dynamic_net_string(model));
}

int main(void) {
    random_seed(0);
    t_manual_seed(0);
    polynomial_numpy();
    polynomial_tensor();
    polynomial_autograd();
    polynomial_custom_function();
    polynomial_nn();
    polynomial_optim();
    polynomial_module();
    polynomial_dynamic_net();
    return 0;
}
