/* examples/lessons/05_mlp_by_hand/grade.c: compares each rule, and the whole network, with the library's gradients. */
#include "grader.h"
#include SUBMISSION

#define TAPE "t_backward* t_autograd* for_backward t_grad"
#define LAYERS "F_linear* nn_* F_cross_entropy* F_nll_loss* optim_*"
#define ENTROPY "F_cross_entropy* F_nll_loss* nn_* t_log_softmax* F_log_softmax* t_logsumexp*"

static Tensor *leaf(Tensor *x) { return t_requires_grad_(t_clone(x), true); }

static Tensor *draw_labels(int n, int classes) {
    Tensor *labels = t_zeros(n, .dtype = t_int64);
    for (int i = 0; i < n; i++) t_set(labels, "{}", i, draw_integer(0, classes - 1));
    return labels;
}

static void check_linear(void) {
    int n = draw_integer(2, 3), in = draw_integer(4, 5), out = draw_integer(6, 7);
    Tensor *x = draw_normal(n, in), *w = draw_normal(in, out), *b = draw_normal(out);
    in_case("x (%d, %d), w (%d, %d)", n, in, in, out);
    expect_close("y", linear(x, w, b), F_linear(x, t_transpose(w, 0, 1), b));
}

static void check_linear_backward(void) {
    int n = draw_integer(2, 3), in = draw_integer(4, 5), out = draw_integer(6, 7);
    Tensor *x = leaf(draw_normal(n, in)), *w = leaf(draw_normal(in, out)), *b = leaf(draw_normal(out));
    Tensor *dy = draw_normal(n, out);
    t_backward(t_add(t_matmul(x, w), b), dy);
    in_case("x (%d, %d), w (%d, %d)", n, in, in, out);
    LinearGradients d = linear_backward(t_detach(x), t_detach(w), dy);
    expect_close("dx", d.dx, t_grad(x));
    expect_close("dw", d.dw, t_grad(w));
    expect_close("db", d.db, t_grad(b));
}

static void check_tanh_backward(void) {
    Tensor *x = leaf(draw_normal(3, draw_integer(2, 5))), *y = t_tanh(x), *dy = draw_normal(3, t_size(x, 1));
    t_backward(y, dy);
    expect_close("dx", tanh_backward(t_detach(y), dy), t_grad(x));
}

static void check_cross_entropy(void) {
    int n = draw_integer(4, 8), classes = draw_integer(2, 3);
    Tensor *z = t_mul(draw_normal(n, classes), 3), *labels = draw_labels(n, classes);
    in_case("z (%d, %d)", n, classes);
    expect_close("the loss", cross_entropy(z, labels), F_cross_entropy(z, labels));
}

static void check_large_logits(void) {
    Tensor *z = t_mul(draw_normal(5, 3), 1000), *labels = draw_labels(5, 3);
    in_case("logits of about 1000");
    expect_close("the loss", cross_entropy(z, labels), F_cross_entropy(z, labels));
}

static void check_cross_entropy_backward(void) {
    int n = draw_integer(4, 8), classes = draw_integer(2, 3);
    Tensor *z = leaf(draw_normal(n, classes)), *labels = draw_labels(n, classes);
    t_backward(F_cross_entropy(z, labels));
    in_case("z (%d, %d)", n, classes);
    expect_close("dz", cross_entropy_backward(t_detach(z), labels), t_grad(z));
}

static void check_mlp_backward(void) {
    int n = draw_integer(8, 12), in = draw_integer(2, 3), hidden = draw_integer(4, 6), classes = draw_integer(2, 3);
    MLP net = {draw_normal(in, hidden), draw_normal(hidden), draw_normal(hidden, classes), draw_normal(classes)};
    MLP l = {leaf(net.w1), leaf(net.b1), leaf(net.w2), leaf(net.b2)};
    Tensor *x = draw_normal(n, in), *labels = draw_labels(n, classes);
    Tensor *h = t_tanh(t_add(t_matmul(x, l.w1), l.b1));
    t_backward(F_cross_entropy(t_add(t_matmul(h, l.w2), l.b2), labels));
    MLP d = mlp_backward(&net, x, labels);
    in_case("%d rows, %d-%d-%d", n, in, hidden, classes);
    expect_close("dw2", d.w2, t_grad(l.w2));
    expect_close("db2", d.b2, t_grad(l.b2));
    expect_close("dw1", d.w1, t_grad(l.w1));
    expect_close("db1", d.b1, t_grad(l.b1));
}

static void check_descend(void) {
    MLP net = {draw_normal(2, 3), draw_normal(3), draw_normal(3, 2), draw_normal(2)}, same = net;
    MLP d = {draw_normal(2, 3), draw_normal(3), draw_normal(3, 2), draw_normal(2)};
    double rate = draw_uniform(0.1, 1);
    MLP expected = {t_sub(net.w1, t_mul(rate, d.w1)), t_sub(net.b1, t_mul(rate, d.b1)),
                    t_sub(net.w2, t_mul(rate, d.w2)), t_sub(net.b2, t_mul(rate, d.b2))};
    descend(&net, &d, rate);
    expect_true(net.w1 == same.w1 && net.b1 == same.b1 && net.w2 == same.w2 && net.b2 == same.b2,
                "a parameter is a new tensor: change it in place, with t_sub_");
    expect_close("w1", net.w1, expected.w1);
    expect_close("b1", net.b1, expected.b1);
    expect_close("w2", net.w2, expected.w2);
    expect_close("b2", net.b2, expected.b2);
}

static const Check checks[] = {
    {"linear", 1, check_linear, .forbidden = LAYERS},
    {"linear_backward", 3, check_linear_backward, .forbidden = TAPE " " LAYERS},
    {"tanh_backward", 1, check_tanh_backward, .forbidden = TAPE},
    {"cross_entropy", 2, check_cross_entropy, .forbidden = ENTROPY},
    {"cross_entropy_large", 1, check_large_logits, .function = "cross_entropy", .forbidden = ENTROPY},
    {"cross_entropy_backward", 4, check_cross_entropy_backward, .forbidden = TAPE " " ENTROPY},
    {"mlp_backward", 4, check_mlp_backward, .forbidden = TAPE " " LAYERS},
    {"descend", 1, check_descend, .forbidden = "optim_*"},
};
GRADE("05 an MLP by hand", checks)
