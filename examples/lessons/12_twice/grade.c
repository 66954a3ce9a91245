/* examples/lessons/12_twice/grade.c: functions whose Hessians are known, and the gradients of the same things recorded
 * as usual. */
#include "grader.h"
#include SUBMISSION

/* f(w) = sum of exp(M w / 2), for M (m, n): its Hessian is M^T diag(exp(M w / 2)) M / 4. */
static Tensor *exponentials(Tensor *w, void *M) { return t_sum(t_exp(t_mul(t_matmul((Tensor *)M, w), 0.5))); }

static Tensor *exponentials_hessian(Tensor *w, Tensor *M) {
    Tensor *e = t_exp(t_mul(t_matmul(M, w), 0.5));
    return t_mul(t_matmul(t_transpose(M, 0, 1), t_mul(t_unsqueeze(e, 1), M)), 0.25);
}

/* f(w) = w . A w / 2 - b . w, for a symmetric A (n, n): its Hessian is A. */
typedef struct Quadratic {
    Tensor *A, *b;
} Quadratic;

static Tensor *quadratic(Tensor *w, void *data) {
    const Quadratic *q = data;
    return t_sub(t_mul(0.5, t_sum(t_mul(w, t_matmul(q->A, w)))), t_sum(t_mul(q->b, w)));
}

static Tensor *draw_vector(int n) { return t_double(draw_normal(n)); }

/* A symmetric matrix with these eigenvalues: R diag(values) R for the reflection R = I - 2 u u^T, |u| = 1. */
static Tensor *symmetric(Tensor *values) {
    int n = (int)t_size(values, 0);
    Tensor *u = draw_vector(n), *unit = t_div(u, t_norm(u));
    Tensor *R = t_sub(t_eye(n, .dtype = t_float64), t_mul(2, t_mul(t_unsqueeze(unit, 1), unit)));
    return t_matmul(t_mul(R, values), R);
}

static void check_product(void) {
    for (int i = 0; i < 3; i++) {
        int n = draw_integer(3, 5), m = draw_integer(6, 8);
        Tensor *M = t_double(draw_normal(m, n)), *w = draw_vector(n), *v = draw_vector(n);
        in_case("w of shape (%d)", n);
        expect_close("H v", hessian_vector_product(exponentials, M, w, v), t_matmul(exponentials_hessian(w, M), v));
    }
}

static void check_hessian(void) {
    for (int i = 0; i < 3; i++) {
        int n = draw_integer(3, 5), m = draw_integer(6, 8);
        Tensor *M = t_double(draw_normal(m, n)), *w = draw_vector(n);
        in_case("w of shape (%d)", n);
        expect_close("H", hessian(exponentials, M, w), exponentials_hessian(w, M));
    }
}

static void check_eigenvalue(void) {
    for (int i = 0; i < 2; i++) {
        double largest = draw_uniform(20, 40) * (i ? -1 : 1);
        Tensor *values = t_tensor(((double[]){largest, 9, -7, 3, 1}), 5);
        Quadratic q = {symmetric(values), draw_vector(5)};
        in_case("eigenvalues %.3f, 9, -7, 3, 1; 300 steps", largest);
        Tensor *v = draw_vector(5);
        expect_number("the eigenvalue", largest_eigenvalue(quadratic, &q, draw_vector(5), v, 300), largest);
    }
}

static void check_conjugate_gradients(void) {
    for (int i = 0; i < 3; i++) {
        int n = draw_integer(4, 6);
        Quadratic q = {symmetric(t_add(t_abs(draw_vector(n)), 0.5)), t_zeros(n, .dtype = t_float64)};
        Tensor *x = draw_vector(n);
        in_case("n = %d, %d steps", n, n);
        Tensor *b = t_matmul(q.A, x), *got = conjugate_gradients(quadratic, &q, draw_vector(n), b, n);
        expect_close("x", got, x);
    }
}

/* A step of Newton's method finds the minimum of a quadratic function at once. */
static void check_newton(void) {
    for (int i = 0; i < 3; i++) {
        int n = draw_integer(3, 5);
        Tensor *minimum = draw_vector(n), *A = symmetric(t_add(t_abs(draw_vector(n)), 0.5));
        Quadratic q = {A, t_matmul(A, minimum)};
        in_case("a quadratic function of %d variables", n);
        expect_close("w", newton_step(quadratic, &q, draw_vector(n)), minimum);
    }
}

/* The penalty with the critic's gradient written out: W2 diag(1 - tanh^2) W1. */
static Tensor *expected_penalty(nn_Linear *first, nn_Linear *second, Tensor *x) {
    Tensor *hidden = t_tanh(nn_call(first, x));
    Tensor *dx = t_matmul(t_mul(second->weight, t_sub(1, t_square(hidden))), first->weight);
    return t_mean(t_square(t_sub(t_sqrt(t_sum(t_square(dx), 1)), 1)));
}

static void check_penalty(void) {
    for (int i = 0; i < 2; i++) {
        int n = draw_integer(4, 6), d = draw_integer(2, 3);
        nn_Linear *first = nn_Linear(d, 7), *second = nn_Linear(7, 1);
        nn_Sequential *critic = nn_Sequential(first, nn_Tanh(), second);
        Tensor *real = draw_normal(n, d), *fake = draw_normal(n, d), *epsilon = t_sigmoid(draw_normal(n, 1));
        Tensor *x = t_add(fake, t_mul(epsilon, t_sub(real, fake))), *expected = expected_penalty(first, second, x);
        Tensor *got = gradient_penalty(critic, real, fake, epsilon);
        in_case("real of shape (%d, %d)", n, d);
        expect_close("the penalty", got, expected);
        expect_true(got && t_requires_grad(got), "the penalty depends on no parameter: it was computed from numbers");
        t_TensorList *weights = t_list(first->weight, second->weight);
        t_TensorList *mine = t_grad(got, weights, .allow_unused = true), *other = t_grad(expected, weights);
        expect_close("its gradient for the first weight", t_list_get(mine, 0), t_list_get(other, 0));
        expect_close("its gradient for the last weight", t_list_get(mine, 1), t_list_get(other, 1));
    }
}

/* A segment of layers that counts its calls and notes the most bytes that it sees. */
typedef struct Layers {
    Tensor *W;
    int count, calls;
    int64_t peak;
} Layers;

static Tensor *layer(Tensor *x, Layers *self) {
    Tensor *y = t_scoped(t_tanh(t_matmul(x, self->W)));
    if (t_live_bytes() > self->peak) self->peak = t_live_bytes();
    return y;
}

static Tensor *layers(Tensor *x, void *data) {
    Layers *self = data;
    self->calls++;
    Tensor *y = layer(x, self);
    for_range (i, 1, self->count) t_keep_as(&y, layer(y, self));
    return y;
}

static void check_checkpoint(void) {
    int n = draw_integer(3, 4), d = draw_integer(5, 6);
    Layers segment = {t_requires_grad_(draw_normal(d, d), true), 2, 0, 0};
    Tensor *x = t_requires_grad_(draw_normal(n, d), true), *factor = draw_normal(n, d);
    t_backward(t_sum(t_mul(layers(layers(t_mul(x, 2), &segment), &segment), factor)));
    Tensor *dx = t_grad(x), *dW = t_grad(segment.W);
    t_set_grad(x, NULL);
    t_set_grad(segment.W, NULL);
    in_case("two segments after each other, x of shape (%d, %d)", n, d);
    Tensor *y = checkpoint(layers, &segment, checkpoint(layers, &segment, t_mul(x, 2)));
    t_backward(t_sum(t_mul(y, factor)));
    expect_close("the gradient of x", t_grad(x), dx);
    expect_close("the gradient of the weight in f", t_grad(segment.W), dW);
}

static void check_memory(void) {
    int n = draw_integer(50, 60), d = draw_integer(20, 30);
    Layers segments[3];
    for (int i = 0; i < 3; i++) segments[i] = (Layers){t_requires_grad_(t_mul(draw_normal(d, d), 0.3), true), 8, 0, 0};
    Tensor *x = t_requires_grad_(draw_normal(n, d), true), *expected = t_detach(x), *y = x;
    for (int i = 0; i < 3; i++) expected = layers(expected, &segments[i]);
    int64_t before = t_live_bytes(), peak = 0;
    for (int i = 0; i < 3; i++) {
        segments[i].calls = 0, segments[i].peak = before;
        y = t_scoped(checkpoint(layers, &segments[i], y));
        if (segments[i].peak > peak) peak = segments[i].peak;
        in_case("segment %d of 3, 8 layers each, x of shape (%d, %d)", i + 1, n, d);
        expect_integer("the number of calls of f in the forward", segments[i].calls, 1);
    }
    double tensors = (double)(peak - before) / (double)(n * d * (int)sizeof(float));
    expect_close("y", y, expected);
    expect_true(tensors < 7, "the forward holds up to %.0f tensors of x's size: the layers in f are recorded", tensors);
}

static const Check checks[] = {
    {"hessian_vector_product", 3, check_product},
    {"hessian", 2, check_hessian},
    {"largest_eigenvalue", 3, check_eigenvalue},
    {"conjugate_gradients", 4, check_conjugate_gradients},
    {"newton_step", 2, check_newton},
    {"gradient_penalty", 3, check_penalty},
    {"checkpoint_backward", 3, check_checkpoint},
    {"checkpoint_memory", 2, check_memory, .function = "checkpoint"},
};
GRADE("12 twice", checks)
