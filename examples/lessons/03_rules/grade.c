/* examples/lessons/03_rules/grade.c: compares each rule with the library's gradient. */
#include "grader.h"
#include SUBMISSION

#define BACKWARD "t_backward* t_autograd* for_backward"
#define SOFTMAX "t_softmax* F_softmax* nn_Softmax* t_log_softmax* F_log_softmax* nn_LogSoftmax* t_logsumexp*"

/* The gradient that the library gives an input x of y, which depends on it, for the gradient dy of y. */
static Tensor *library_gradient(Tensor *y, Tensor *x, Tensor *dy) {
    t_set_grad(x, NULL);
    t_backward(y, dy, .retain_graph = true);
    return t_grad(x);
}

static void check_mul(void) {
    for (int i = 0; i < 3; i++) {
        int n = draw_integer(2, 5), m = draw_integer(2, 5);
        Tensor *a = t_requires_grad_(draw_normal(n, m), true), *b = t_requires_grad_(draw_normal(n, m), true);
        Tensor *dy = draw_normal(n, m), *y = t_mul(a, b);
        in_case("a and b of shape (%d, %d)", n, m);
        Pair d = mul_backward(t_detach(a), t_detach(b), dy);
        expect_close("da", d.da, library_gradient(y, a, dy));
        expect_close("db", d.db, library_gradient(y, b, dy));
    }
}

static void check_matmul(void) {
    for (int i = 0; i < 3; i++) {
        int n = draw_integer(2, 3), k = draw_integer(4, 5), m = draw_integer(6, 7);
        Tensor *a = t_requires_grad_(draw_normal(n, k), true), *b = t_requires_grad_(draw_normal(k, m), true);
        Tensor *dy = draw_normal(n, m), *y = t_matmul(a, b);
        in_case("a of shape (%d, %d), b of shape (%d, %d)", n, k, k, m);
        Pair d = matmul_backward(t_detach(a), t_detach(b), dy);
        expect_close("da", d.da, library_gradient(y, a, dy));
        expect_close("db", d.db, library_gradient(y, b, dy));
    }
}

static void check_relu(void) {
    for (int i = 0; i < 3; i++) {
        Tensor *x = draw_normal(4, draw_integer(2, 5)), *dy = draw_normal(4, t_size(x, 1));
        if (i == 2) t_set(x, "0", t_zeros(t_size(x, 1)));
        in_case(i == 2 ? "x with zeros" : "x of shape (4, %d)", (int)t_size(x, 1));
        Tensor *leaf = t_requires_grad_(t_clone(x), true);
        expect_close("dx", relu_backward(x, dy), library_gradient(t_relu(leaf), leaf, dy));
    }
}

static void check_softmax(void) {
    for (int dim = 0; dim < 3; dim++) {
        Tensor *x = draw_normal(2, draw_integer(2, 4), 5);
        in_case("x of shape (2, %d, 5), dim %d", (int)t_size(x, 1), dim);
        expect_close("y", softmax(x, dim), t_softmax(x, dim));
    }
}

static void check_softmax_large(void) {
    Tensor *x = t_mul(draw_normal(3, 4), 1000);
    in_case("x of shape (3, 4), times 1000");
    expect_close("y", softmax(x, 1), t_softmax(x, 1));
}

static void check_softmax_backward(void) {
    for (int dim = 0; dim < 2; dim++) {
        Tensor *x = t_requires_grad_(draw_normal(4, draw_integer(3, 5)), true), *y = t_softmax(x, dim);
        Tensor *dy = draw_normal(4, t_size(x, 1));
        in_case("y of shape (4, %d), dim %d", (int)t_size(x, 1), dim);
        expect_close("dx", softmax_backward(t_detach(y), dy, dim), library_gradient(y, x, dy));
    }
}

static const Check checks[] = {
    {"mul_backward", 2, check_mul, .forbidden = BACKWARD},
    {"matmul_backward", 4, check_matmul, .forbidden = BACKWARD},
    {"relu_backward", 2, check_relu, .forbidden = BACKWARD},
    {"softmax", 3, check_softmax, .forbidden = SOFTMAX},
    {"softmax_large", 1, check_softmax_large, .function = "softmax",
     .forbidden = SOFTMAX},
    {"softmax_backward", 3, check_softmax_backward, .forbidden = BACKWARD " " SOFTMAX},
};
GRADE("03 rules", checks)
