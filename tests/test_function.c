/* tests/test_function.c: a user's own op, anomaly mode, and a backward step by step. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/core.h"
#include "nn/nn.h"
#include "tests/support.h"
#include "tests/test_autograd.h"

/* ---- an op of one's own: y = a x + w^2, with a in a struct and w saved ---- */

typedef struct Scale {
    double a;
} Scale;

static void scale_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    const Scale *scale = t_attributes(ctx);
    if (t_needs_input_grad(ctx, 0)) dx[0] = t_mul(dy, scale->a);
    if (t_needs_input_grad(ctx, 1)) dx[1] = t_mul(dy, t_mul(t_saved_tensor(ctx, 0), 2));
}
static const t_Function scale_function = {.name = "scale", .grad_fn = "ScaleBackward", .backward = scale_backward};

static Tensor *scale(Tensor *x, Tensor *w, double a) {
    Tensor *y = NULL;
    Scale attributes = {a};
    with_no_grad() { y = t_add(t_mul(x, a), t_mul(w, w)); }
    return t_apply(&scale_function, y, t_list(x, w), .saved = t_list(w), .attributes = &attributes,
                   .attribute_bytes = sizeof attributes);
}

START_TEST(own_op) {
    Tensor *x = leaf("[1, 2]"), *w = leaf("[3, -1]"), *y = scale(x, w, 5);
    ck_assert_str_eq(t_grad_fn(y), "ScaleBackward");
    expect_values(t_detach(y), "[14.0, 11.0]");
    ck_assert(t_backward(t_sum(t_mul(y, y))));
    expect_values(t_grad(x), "[140.0, 110.0]");
    expect_values(t_grad(w), "[168.0, -44.0]");
    ck_assert(!t_requires_grad(scale(t_ones(2), t_ones(2), 3)));
    with_no_grad() { ck_assert(!t_requires_grad(scale(x, w, 3))); }
}
END_TEST

static Tensor *scale_3(Tensor *x, Tensor *w) {
    return scale(x, w, 3);
}

START_TEST(own_op_twice) {
    t_TensorList *inputs = t_list(t_tensor("[0.5, -2.0]", .dtype = t_float64, .requires_grad = true),
                                  t_tensor("[[1.5, 0.25], [1.0, 2.0]]", .dtype = t_float64, .requires_grad = true));
    ck_assert(t_gradcheck(scale_3, inputs)); /* w is broadcast over x, too */
    ck_assert(t_gradgradcheck(scale_3, inputs));
}
END_TEST

START_TEST(own_op_checks_versions) {
    Tensor *x = leaf("[1, 2]"), *w = t_mul(leaf("[3, -1]"), 1), *y = scale(x, w, 5);
    t_add_(w, 1);
    ck_assert(!t_backward(t_sum(y)));
    expect_told("one of the variables needed for gradient computation has been modified by an inplace operation: "
                "[torch.FloatTensor [2]], which is output 0 of Add,");
    ck_assert_ptr_null(t_grad(x));
    y = scale(x, leaf("[3, -1]"), 5);
    t_backward(t_sum(y));
    ck_assert(!t_backward(t_sum(y)));
    expect_told("Trying to backward through the graph a second time");
}
END_TEST

/* The identity, whose gradient is turned: a result that is its own input. */
static void reverse_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    (void)ctx;
    dx[0] = t_neg(dy);
}
static const t_Function reverse = {.name = "reverse", .grad_fn = "ReverseBackward", .backward = reverse_backward};

START_TEST(own_identity) {
    Tensor *x = leaf("[1, 2]"), *y = t_apply(&reverse, x, x);
    ck_assert(y != x && t_is_leaf(x));
    t_backward(t_sum(y));
    expect_values(t_grad(x), "[-1.0, -1.0]");
    Tensor *m = leaf("[[1, 2], [3, 4]]");
    t_backward(t_sum(t_apply(&reverse, t_at(m, "0"), m, .saved = NULL)));
    expect_told("Function ReverseBackward returned an invalid gradient at index 0 - got [2] but expected shape compatible with "
                "[2, 2]");
    ck_assert_ptr_null(t_apply(&reverse, t_ones(2, .dtype = t_int64), x));
    expect_told("reverse: only a floating output can have a gradient, not int64");
    ck_assert_ptr_null(t_apply(&(t_Function){.name = "nothing"}, t_ones(2), x));
    expect_told("a t_Function needs its name, grad_fn and backward");
}
END_TEST

/* A rule that computes on the data itself. */
static void raw_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    dx[0] = t_mul(dy, t_detach(t_mul(t_saved_tensor(ctx, 0), 2)));
}
static const t_Function raw = {.name = "raw", .grad_fn = "RawBackward", .backward = raw_backward, .once_differentiable = true};

static Tensor *raw_square(Tensor *x) {
    Tensor *y = NULL;
    with_no_grad() { y = t_mul(x, x); }
    return t_apply(&raw, y, x, .saved = t_list(x));
}

START_TEST(own_op_once) {
    Tensor *x = t_tensor("[1.0, 2.0]", .dtype = t_float64, .requires_grad = true);
    ck_assert(t_gradcheck(raw_square, x));
    ck_assert(!t_gradgradcheck(raw_square, x));
    expect_told("raw is not twice differentiable: a gradient that RawBackward returned cannot be differentiated");
    Tensor *y = t_sum(raw_square(x)), *g = t_grad(y, x, .create_graph = true)->items[0];
    ck_assert(t_requires_grad(g));
    ck_assert_ptr_null(t_grad(t_sum(g), x));
    expect_told("raw is not twice differentiable");
}
END_TEST

/* ---- anomaly mode ---- */

START_TEST(a_nan_in_backward) {
    Tensor *z = leaf("[0, 1]"), *loss = t_sum(t_mul(t_sqrt(z), t_tensor("[0.0, 1.0]")));
    ck_assert(!t_is_anomaly_enabled() && t_is_anomaly_check_nan_enabled());
    with_detect_anomaly() {
        ck_assert(t_is_anomaly_enabled());
        ck_assert(!t_backward(loss));
        ck_assert_ptr_nonnull(strstr(told_text(), "Its forward was sqrt, test_function.c:"));
        ck_assert_ptr_nonnull(strstr(told_text(), "t_sqrt(z)"));
        expect_told("Function 'SqrtBackward0' returned nan values in its 0th output.");
    }
    ck_assert(!t_is_anomaly_enabled() && !t_grad(z));
    with_detect_anomaly(false) { ck_assert(t_is_anomaly_enabled() && !t_is_anomaly_check_nan_enabled()); }
    loss = t_sum(t_mul(t_sqrt(z), t_tensor("[0.0, 1.0]")));
    ck_assert(t_backward(loss));
    ck_assert(isnan(t_item(t_at(t_grad(z), "0"))));
}
END_TEST

START_TEST(the_first_nan_of_the_forward) {
    t_set_detect_anomaly(true);
    Tensor *z = leaf("[0, 1]"), *q = t_mul(t_mul(t_log(z), 0), z);
    ck_assert(!t_backward(t_sum(q)));
    ck_assert_ptr_nonnull(strstr(told_text(), "The first nan of the forward was made by mul, test_function.c:"));
    expect_told("Function 'MulBackward0' returned nan values in its 1th output.");
    t_set_detect_anomaly(true, .check_forward = true);
    ck_assert_ptr_null(t_mul(t_log(z), 0));
    expect_told("t_mul(t_log(z), 0): mul is the first op to make a nan: none of its inputs holds one (anomaly mode)");
    ck_assert_ptr_null(t_add(t_ones(2), t_tensor(NAN)));
    expect_told("add returns a nan: its input 1, of shape [], holds one already, which no op before it has made");
    ck_assert_ptr_nonnull(t_log(z));
    t_set_detect_anomaly(true, .check_forward = true, .check_inf = true);
    ck_assert_ptr_null(t_log(z));
    expect_told("log is the first op to make a inf");
    Tensor *x = t_ones(2);
    ck_assert_ptr_null(t_div_(x, t_zeros(2)));
    expect_told("div");
    expect_values(x, "[1.0, 1.0]");
    t_set_detect_anomaly(false);
    ck_assert_ptr_nonnull(t_mul(t_log(z), 0));
}
END_TEST

/* ---- step by step ---- */

static Tensor *small_loss(Tensor *w, Tensor *b) {
    return t_sum(t_mul(t_add(t_matmul(t_ones(1, 2), w), b), 3));
}

START_TEST(a_step_shows_both_gradients) {
    Tensor *w = leaf("[[1, 2], [3, 4]]"), *b = leaf("[0.5, -0.5]"), *loss = small_loss(w, b);
    const char *const ops[] = {"SumBackward0", "MulBackward0", "AddBackward0", "MmBackward0"};
    int n = 0;
    for_backward (step, loss) {
        ck_assert_str_eq(step.grad_fn, ops[n]);
        ck_assert_int_eq(step.number, 4 - n);
        ck_assert(step.site && strstr(step.site->file, "test_function.c"));
        ck_assert_int_eq(step.to[0], n == 3 ? 0 : 3 - n);
        if (n == 2) {
            expect_values(step.dy, "[[3.0, 3.0]]");
            expect_values(step.dx[0], "[[3.0, 3.0]]");
            expect_values(step.dx[1], "[3.0, 3.0]");
            ck_assert(!step.leaf[0] && step.leaf[1] == b);
        }
        ck_assert(!t_grad(w) && !t_grad(b));
        n++;
    }
    ck_assert_int_eq(n, 4);
    expect_values(t_grad(w), "[[3.0, 3.0], [3.0, 3.0]]");
    expect_values(t_grad(b), "[3.0, 3.0]");
}
END_TEST

START_TEST(leaving_early_changes_nothing) {
    Tensor *w = leaf("[[1, 2], [3, 4]]"), *b = leaf("[0.5, -0.5]"), *loss = small_loss(w, b);
    for_backward (step, loss, .retain_graph = true) {
        if (step.number == 2) break;
    }
    ck_assert(!t_grad(w) && !t_grad(b) && !tg_thread.backward && t_is_grad_enabled());
    with_scope() { /* never ended: its scope does it */
        t_BackwardStep step;
        t_BackwardSteps *steps = t_backward_begin(loss, .retain_graph = true);
        ck_assert(t_backward_next(steps, &step) && t_is_grad_enabled());
        ck_assert(t_backward(t_sum(t_mul(b, w)))); /* between two steps */
        expect_values(t_grad(b), "[4.0, 6.0]");
        ck_assert(t_backward_next(steps, &step));
        expect_values(step.dx[0], "[[3.0, 3.0]]");
        t_BackwardSteps *inner = t_backward_begin(loss, .retain_graph = true);
        ck_assert(!t_backward_next(steps, &step));
        expect_told("another backward was begun after this one and is not at its end");
        ck_assert(t_backward_next(inner, &step));
        t_backward_end(steps);
        ck_assert(t_backward_next(inner, &step));
    }
    expect_values(t_grad(b), "[4.0, 6.0]");
    ck_assert(!tg_thread.backward);
    ck_assert(t_backward(loss));
    expect_values(t_grad(b), "[7.0, 9.0]");
}
END_TEST

static char *text_of(Tensor *x, bool dot) {
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    const char *const names[] = {"the \"w\""};
    if (dot) ck_assert(t_graph_dot(x, file, .params = t_list(t_mul(x, 1)), .names = names));
    else ck_assert(t_backward_print(x, file));
    fclose(file);
    return text;
}

START_TEST(a_printed_backward) {
    Tensor *w = leaf("[[1, 2], [3, 4]]"), *b = leaf("[0.5, -0.5]");
    char *text = text_of(small_loss(w, b), false);
    const char *const parts[] = {"4  SumBackward0  test_function.c:", "dy tensor(1.)", "dx[0] to 3: tensor([[1., 1.]])",
                                 "3  MulBackward0", "2  AddBackward0", "dx[1] to a leaf [2]: tensor([3., 3.])", "1  MmBackward0",
                                 "dx[1] to a leaf [2, 2]: tensor([[3., 3.],\n", "                                    [3., 3.]])\n"};
    const char *from = text;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *found = strstr(from, parts[i]);
        ck_assert_msg(found != NULL, "%s is missing, or not in order, in\n%s", parts[i], text);
        from = found;
    }
    free(text);
    expect_values(t_grad(b), "[3.0, 3.0]");
}
END_TEST

/* Each line is a node or an edge between nodes that are named somewhere; quotes come in pairs. */
static int check_dot(const char *text, int *nodes) {
    int edges = 0;
    char a[32], b[32], rest[8], needle[64];
    ck_assert(strncmp(text, "digraph {\n", 10) == 0 && strcmp(text + strlen(text) - 2, "}\n") == 0);
    *nodes = 0;
    for (const char *line = strchr(text, '\n') + 1; *line && *line != '}'; line = strchr(line, '\n') + 1) {
        if (sscanf(line, " %31[a-z0-9] -> %31[a-z0-9]%7[;]", a, b, rest) == 3) {
            const char *const ends[] = {a, b};
            for (int i = 0; i < 2; i++) {
                snprintf(needle, sizeof needle, "\n  %s [label=\"", ends[i]);
                ck_assert_msg(strstr(text, needle) != NULL, "no node %s in\n%s", ends[i], text);
            }
            edges++;
        } else {
            int quotes = 0;
            for (const char *c = line; *c != '\n'; c++) {
                if (*c == '\\') c++;
                else quotes += *c == '"';
            }
            ck_assert_int_eq(quotes % 2, 0);
            *nodes += strncmp(line, "  node", 6) != 0;
        }
    }
    return edges;
}

START_TEST(a_graph_in_dot) {
    Tensor *w = leaf("[[1, 2], [3, 4]]"), *b = leaf("[0.5, -0.5]"), *h = t_add(t_matmul(t_ones(1, 2), w), b);
    Tensor *loss = t_sum(t_mul(h, h));
    char *text = NULL;
    size_t size;
    int nodes;
    FILE *file = open_memstream(&text, &size);
    const char *const names[] = {"the \"w\""};
    ck_assert(t_graph_dot(loss, file, .params = t_list(w), .names = names));
    fclose(file);
    ck_assert_int_eq(check_dot(text, &nodes), 7); /* h twice into mul */
    ck_assert_int_eq(nodes, 7);
    ck_assert_ptr_nonnull(strstr(text, "label=\"the \\\"w\\\"\\n[2, 2]\", style=filled, fillcolor=lightblue"));
    ck_assert_ptr_nonnull(strstr(text, "MmBackward0\\n[1, 2]\\ntest_function.c:"));
    free(text);
    nn_Sequential *model = nn_Sequential(nn_Linear(2, 3), nn_Tanh(), nn_Linear(3, 1));
    file = open_memstream(&text, &size);
    ck_assert(nn_graph_dot(nn_call(model, t_ones(4, 2)), model, file));
    fclose(file);
    ck_assert_int_eq(check_dot(text, &nodes), 9 - 2); /* addmm: bias and weight's transpose, twice, the tanh between them, y */
    ck_assert_ptr_nonnull(strstr(text, "label=\"2.weight\\n[1, 3]\""));
    free(text);
    text = text_of(b, true);
    ck_assert_int_eq(check_dot(text, &nodes), 0);
    ck_assert_int_eq(nodes, 1);
    free(text);
    ck_assert(!t_graph_dot(loss, "no/such/folder/graph.dot"));
    expect_told("could not open no/such/folder/graph.dot for writing");
    ck_assert(!t_graph_dot(loss, stdout, .params = t_list(w)));
    expect_told("names is missing");
}
END_TEST

Suite *function_suite(void);
Suite *function_suite(void) {
    Suite *suite = suite_create("function");
    TCase *tests = tcase_create("function");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, own_op);
    tcase_add_test(tests, own_op_twice);
    tcase_add_test(tests, own_op_checks_versions);
    tcase_add_test(tests, own_identity);
    tcase_add_test(tests, own_op_once);
    tcase_add_test(tests, a_nan_in_backward);
    tcase_add_test(tests, the_first_nan_of_the_forward);
    tcase_add_test(tests, a_step_shows_both_gradients);
    tcase_add_test(tests, leaving_early_changes_nothing);
    tcase_add_test(tests, a_printed_backward);
    tcase_add_test(tests, a_graph_in_dot);
    suite_add_tcase(suite, tests);
    return suite;
}
