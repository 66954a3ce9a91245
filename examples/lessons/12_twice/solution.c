/* Lesson 12: differentiating twice.
 *
 * Products of the Hessian with vectors, and what they are good for: curvature and Newton's method. A penalty on a
 * gradient. And checkpointing: the forward a second time, inside the backward, to save memory. lesson.md explains each
 * step. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "core/plot/plot.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* A function of a vector w (n) that returns a scalar tensor. `data` is passed on. */
typedef Tensor *Scalar(Tensor *w, void *data);

/* A new leaf with the values of w. */
Tensor *leaf(Tensor *w) { return t_requires_grad_(t_clone(t_detach(w)), true); }

/* The gradient of f at w: (n). */
Tensor *gradient(Scalar *f, void *data, Tensor *w) {
    w = leaf(w);
    return t_grad(f(w, data), w);
}

/* ---- the Hessian ---- */

/* H v for the Hessian H of f at w, without H: the gradient of the scalar (gradient of f) . v. */
Tensor *hessian_vector_product(Scalar *f, void *data, Tensor *w, Tensor *v) {
    w = leaf(w);
    // HOLE
    //| (void)f, (void)data; /* your code */
    //| return t_zeros_like(v);
    Tensor *g = t_grad(f(w, data), w, .create_graph = true);
    // WRONG no_graph 8: Tensor *g = t_grad(f(w, data), w);
    return t_grad(t_sum(t_mul(g, v)), w);
    // WRONG without_v 8: return t_mul(t_grad(t_sum(g), w), v);
    // END
}

/* H itself, (n, n): one product for each row. */
Tensor *hessian(Scalar *f, void *data, Tensor *w) {
    int64_t n = t_size(w, 0);
    Tensor *I = t_eye(n, .dtype = t_dtype(w)), *H = t_zeros(n, n, .dtype = t_dtype(w));
    for (int64_t i = 0; i < n; i++) {
        // HOLE
        //| (void)f, (void)data, (void)I; /* your code */
        t_set(H, "{}", i, hessian_vector_product(f, data, w, t_at(I, "{}", i)));
        // END
    }
    return H;
}

/* The eigenvalue of H of the largest magnitude, by power iteration: `steps` times v = H v / |H v|, beginning with v,
 * then the Rayleigh quotient v . H v of the last v, which has length 1. */
double largest_eigenvalue(Scalar *f, void *data, Tensor *w, Tensor *v, int steps) {
    double eigenvalue = 0;
    // HOLE
    //| (void)f, (void)data, (void)w, (void)v, (void)steps; /* your code */
    for (int step = 0; step < steps; step++) {
        Tensor *Hv = hessian_vector_product(f, data, w, v);
        v = t_div(Hv, t_norm(Hv));
        // WRONG not_normalised 19: v = Hv;
    }
    eigenvalue = t_item(t_sum(t_mul(v, hessian_vector_product(f, data, w, v))));
    // WRONG sign_lost 19: eigenvalue = t_item(t_norm(hessian_vector_product(f, data, w, v)));
    // END
    return eigenvalue;
}

/* ---- Newton's method ---- */

/* The x with H x = b, for a positive definite H at w, by `steps` steps of conjugate gradients from x = 0 (lesson.md has
 * the five lines). */
Tensor *conjugate_gradients(Scalar *f, void *data, Tensor *w, Tensor *b, int steps) {
    Tensor *x = t_zeros_like(b);
    // HOLE
    //| (void)f, (void)data, (void)w, (void)steps; /* your code */
    Tensor *r = b, *p = b;
    double rr = t_item(t_sum(t_mul(r, r)));
    for (int step = 0; step < steps && rr > 1e-28; step++) {
        Tensor *Hp = hessian_vector_product(f, data, w, p);
        double alpha = rr / t_item(t_sum(t_mul(p, Hp)));
        x = t_add(x, t_mul(alpha, p));
        r = t_sub(r, t_mul(alpha, Hp));
        double rr_before = rr;
        rr = t_item(t_sum(t_mul(r, r)));
        p = t_add(r, t_mul(rr / rr_before, p));
        // WRONG steepest 16: p = rr_before ? r : p;
    }
    // END
    return x;
}

/* One step of Newton's method: w - H^-1 gradient, with n steps of conjugate gradients. */
Tensor *newton_step(Scalar *f, void *data, Tensor *w) {
    // HOLE
    //| (void)f, (void)data; /* your code */
    //| return t_clone(w);
    Tensor *g = gradient(f, data, w);
    return t_sub(w, conjugate_gradients(f, data, w, g, (int)t_size(w, 0)));
    // END
}

/* ---- a penalty on a gradient ---- */

/* Of WGAN-GP: with x = epsilon * real + (1 - epsilon) * fake, for real and fake (n, d), epsilon (n, 1), and a critic
 * (n, d) -> (n, 1), the mean over i of (|gradient of critic(x[i]) for x[i]| - 1)^2. It can be differentiated with
 * respect to the critic's parameters. */
Tensor *gradient_penalty(nn_Sequential *critic, Tensor *real, Tensor *fake, Tensor *epsilon) {
    Tensor *x = leaf(t_add(t_mul(epsilon, real), t_mul(t_sub(1, epsilon), fake)));
    // HOLE
    //| return t_mul(t_sum(nn_call(critic, x)), 0); /* your code */
    Tensor *dx = t_grad(t_sum(nn_call(critic, x)), x, .create_graph = true);
    // WRONG constant 19: Tensor *dx = t_grad(t_sum(nn_call(critic, x)), x);
    Tensor *norms = t_norm(dx, 2, 1);
    // WRONG one_norm 19: Tensor *norms = t_norm(dx);
    return t_mean(t_square(t_sub(norms, 1)));
    // END
}

/* ---- checkpointing ---- */

/* A part of a network: x -> y. */
typedef Tensor *Segment(Tensor *x, void *data);

typedef struct Checkpoint {
    Segment *f;
    void *data;
} Checkpoint;

/* The gradient rule of checkpoint: runs f again, now recorded, from a leaf with the values of the saved x, then the
 * backward of that piece with dy. Parameters inside f get their gradients by it; dx[0] is the leaf's. */
static void checkpoint_backward(t_Context *context, Tensor *dy, Tensor **dx) {
    const Checkpoint *self = t_attributes(context);
    Tensor *saved = t_saved_tensor(context, 0); /* the x of the forward */
    // HOLE
    //| (void)self, (void)dy, (void)saved, (void)dx; /* your code */
    Tensor *x = leaf(saved), *y = NULL;
    with_enable_grad() y = self->f(x, self->data); /* in a rule, grad mode is off */
    // WRONG grad_mode_off 19: y = self->f(x, self->data);
    t_backward(y, dy);
    // WRONG without_dy 19: t_backward(y, t_ones_like(dy));
    dx[0] = t_grad(x);
    // END
}

/* y = f(x), of which only x is saved for the backward. */
Tensor *checkpoint(Segment *f, void *data, Tensor *x) {
    static const t_Function function = {.name = "checkpoint", .grad_fn = "CheckpointBackward",
                                        .backward = checkpoint_backward, .once_differentiable = true};
    Checkpoint self = {f, data};
    Tensor *y = NULL;
    // HOLE
    //| y = t_zeros_like(x); /* your code: y = f(x), not recorded */
    with_no_grad() y = t_scoped(f(x, data));
    // WRONG recorded 20: y = f(x, data);
    // END
    return t_apply(&function, y, t_list(x), .saved = t_list(x), .attributes = &self, .attribute_bytes = sizeof self);
}

/* ---- the program ---- */

/* The mean squared error of a network 1-5-1 on points (x, y) whose 16 weights are w. */
static Tensor *network_loss(Tensor *w, void *data) {
    Tensor *const *points = data;
    Tensor *W1 = t_view(t_at(w, "0:5"), 1, 5), *b1 = t_at(w, "5:10"), *W2 = t_view(t_at(w, "10:15"), 5, 1);
    Tensor *hidden = t_tanh(t_add(t_matmul(points[0], W1), b1));
    return F_mse_loss(t_add(t_matmul(hidden, W2), t_at(w, "15:16")), points[1]);
}

static void show_curvature(const char *folder) {
    Tensor *x = t_reshape(t_linspace(-2, 2, 40, .dtype = t_float64), 40, 1), *points[] = {x, t_sin(t_mul(x, 2))};
    Tensor *w = t_randn(16, .dtype = t_float64);
    for (int step = 0; step < 2000; step++) w = t_scoped(t_sub(w, t_mul(0.05, gradient(network_loss, points, w))));
    printf("a network 1-5-1 after 2000 steps: loss %.4f\n", t_item(network_loss(w, points)));
    plt_figure(.figsize = {5, 4});
    Tensor *H = hessian(network_loss, points, w);
    sns_heatmap(t_log(t_add(t_abs(H), 0.01)), .cmap = "Blues", .cbar = false);
    plt_title("log |H|: W1, b1, W2, b2");
    char path[512];
    snprintf(path, sizeof path, "%s/hessian.svg", folder ? folder : ".");
    if (folder) plt_savefig(path);
    plt_show();
    Tensor *v = t_randn(16, .dtype = t_float64);
    printf("its largest eigenvalue: %.1f\n", largest_eigenvalue(network_loss, points, w, v, 50));
}

/* Logistic regression with a small penalty: the mean of log(1 + exp(-y x . w)) + 0.01 |w|^2. */
static Tensor *logistic_loss(Tensor *w, void *data) {
    Tensor *const *points = data;
    Tensor *margins = t_mul(points[1], t_matmul(points[0], w));
    return t_add(t_mean(F_softplus(t_neg(margins))), t_mul(0.01, t_sum(t_square(w))));
}

static void show_newton(void) {
    Tensor *x = t_mul(t_randn(100, 4, .dtype = t_float64), t_tensor("[1., 3., 0.3, 1.]"));
    Tensor *noise = t_randn(100, .dtype = t_float64), *y = t_sign(t_add(t_sum(x, 1), noise));
    Tensor *points[] = {x, y}, *u = t_zeros(4, .dtype = t_float64), *w = u;
    printf("logistic regression, length of the gradient:\n  step        Newton  gradient descent\n");
    for (int step = 0; step <= 6; step++) {
        printf("  %4d  %12.6f  %16.6f\n", step, t_item(t_norm(gradient(logistic_loss, points, w))),
               t_item(t_norm(gradient(logistic_loss, points, u))));
        w = newton_step(logistic_loss, points, w);
        u = t_sub(u, gradient(logistic_loss, points, u));
    }
    for (int step = 7; step < 200; step++) u = t_scoped(t_sub(u, gradient(logistic_loss, points, u)));
    printf("   200                %16.6f\n", t_item(t_norm(gradient(logistic_loss, points, u))));

    double largest = largest_eigenvalue(logistic_loss, points, w, t_ones(4, .dtype = t_float64), 50);
    printf("largest eigenvalue at the minimum: %.3f\n20 steps of gradient descent from a distance of 0.02:\n", largest);
    for (int i = 0; i < 4; i++) {
        double factor = (double[]){0.5, 0.9, 1.1, 1.3}[i];
        u = t_add(w, 0.01);
        for (int step = 0; step < 20; step++)
            u = t_scoped(t_sub(u, t_mul(factor * 2 / largest, gradient(logistic_loss, points, u))));
        printf("  learning rate %.1f * 2 / %.3f: distance %.3f\n", factor, largest, t_item(t_norm(t_sub(u, w))));
    }
}

/* A critic between two clouds of points, one of which is the other moved by (1.2, 1.6), a distance of 2. */
static void show_penalty(void) {
    nn_Sequential *critic = nn_Sequential(nn_Linear(2, 32), nn_Tanh(), nn_Linear(32, 1));
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(critic), .lr = 0.01);
    printf("a critic with a gradient penalty; the clouds are 2 apart:\n");
    double distances = 0, penalties = 0;
    for_range (step, 1, 801) {
        Tensor *fake = t_randn(128, 2), *real = t_add(t_randn(128, 2), t_tensor("[1.2, 1.6]"));
        Tensor *distance = t_mean(t_sub(nn_call(critic, real), nn_call(critic, fake)));
        Tensor *penalty = gradient_penalty(critic, real, fake, t_rand(128, 1));
        optim_zero_grad(optimizer);
        t_backward(t_sub(t_mul(penalty, 10), distance));
        optim_step(optimizer);
        distances += t_item(distance) / 200, penalties += t_item(penalty) / 200;
        if (step % 200) continue;
        printf("  steps to %d  distance %4.2f  penalty %.3f\n", (int)step, distances, penalties);
        distances = penalties = 0;
    }
}

/* A chain of layers tanh(x W) on a batch of 64, of width 64, cut into segments of `length` layers. */
enum { CHAIN = 16, WIDTH = 64 };
typedef struct Chain {
    Tensor *W[CHAIN];
    int length;            /* layers of a segment */
    int calls;             /* how many layers ran */
    int64_t begin, peak;   /* bytes before, and the most bytes seen when a layer ran */
} Chain;
typedef struct Piece {
    Chain *chain;
    int first;
} Piece;

static Tensor *run_layer(Chain *chain, int64_t i, Tensor *x) {
    Tensor *y = t_scoped(t_tanh(t_matmul(x, chain->W[i])));
    chain->calls++;
    if (t_live_bytes() - chain->begin > chain->peak) chain->peak = t_live_bytes() - chain->begin;
    return y;
}

/* t_keep_as releases the y before, unless the tape holds it. */
static Tensor *run_layers(Tensor *x, void *data) {
    const Piece *piece = data;
    Tensor *y = run_layer(piece->chain, piece->first, x);
    for_range (i, piece->first + 1, piece->first + piece->chain->length) t_keep_as(&y, run_layer(piece->chain, i, y));
    return y;
}

static void show_memory(void) {
    Chain chain = {.length = CHAIN};
    Piece pieces[CHAIN];
    for (int i = 0; i < CHAIN; i++) chain.W[i] = t_requires_grad_(t_mul(t_randn(WIDTH, WIDTH), 0.125), true);
    Tensor *x = t_randn(WIDTH, WIDTH, .requires_grad = true), *first = NULL;
    printf("16 layers; memory in tensors of a layer's output:\n");
    for (int i = 0; i < 6; i++) {
        chain.length = (int[]){16, 16, 8, 4, 2, 1}[i];
        chain.calls = 0, chain.peak = 0;
        for (int j = 0; j < CHAIN; j++) t_set_grad(chain.W[j], t_zeros(WIDTH, WIDTH)); /* their memory is not counted */
        t_set_grad(x, NULL);
        chain.begin = t_live_bytes();
        with_scope() {
            Tensor *y = x;
            for (int j = 0; j < CHAIN / chain.length; j++) {
                pieces[j] = (Piece){&chain, j * chain.length};
                y = i == 0 ? run_layers(y, &pieces[j]) : checkpoint(run_layers, &pieces[j], y);
            }
            t_backward(t_mean(t_square(y)));
        }
        Tensor *dx = t_grad(x);
        if (i == 0) first = t_clone(dx);
        if (i == 0) printf("  as usual   ");
        else printf("  segments %2d", CHAIN / chain.length);
        printf("  layers run %2d  memory %2.0f", chain.calls, (double)chain.peak / (WIDTH * WIDTH * sizeof(float)));
        printf("%s\n", i == 0 ? "" : dx && t_allclose(first, dx) ? "  the same gradient" : "  another gradient");
    }
}

int main(int argc, char **argv) {
    const char *folder = argc == 3 && strcmp(argv[1], "--plots") == 0 ? argv[2] : NULL;
    t_manual_seed(12);
    show_curvature(folder);
    show_newton();
    show_penalty();
    show_memory();
    return 0;
}
