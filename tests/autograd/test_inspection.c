/* tests/autograd/test_inspection.c: looking into a backward: anomaly mode, step by step, and the graph in DOT. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/tensor/context.h"
#include "nn/nn.h"
#include "tests/autograd/test_autograd.h"
#include "tests/support/support.h"

/* ---- anomaly mode ---- */

START_TEST(a_nan_in_backward) {
    Tensor *z = leaf("[0, 1]"), *loss = t_sum(t_mul(t_sqrt(z), t_tensor("[0.0, 1.0]")));
    ck_assert(!t_is_anomaly_enabled() && t_is_anomaly_check_nan_enabled());
    with_detect_anomaly() {
        ck_assert(t_is_anomaly_enabled());
        ck_assert(!t_backward(loss));
        ck_assert_ptr_nonnull(strstr(last_error_text(), "Its forward was sqrt, test_inspection.c:"));
        ck_assert_ptr_nonnull(strstr(last_error_text(), "t_sqrt(z)"));
        expect_one_error("Function 'SqrtBackward0' returned nan values in its 0th output.");
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
    ck_assert_ptr_nonnull(
        strstr(last_error_text(), "The first nan of the forward was produced by mul, test_inspection.c:"));
    expect_one_error("Function 'MulBackward0' returned nan values in its 1th output.");
    t_set_detect_anomaly(true, .check_forward = true);
    ck_assert_ptr_null(t_mul(t_log(z), 0));
    expect_one_error(
        "t_mul(t_log(z), 0): mul is the first op that produced a nan: none of its inputs contains one (anomaly mode)");
    ck_assert_ptr_null(t_add(t_ones(2), t_tensor(NAN)));
    expect_one_error(
        "add returned a nan: its input 1, of shape [], already contains one, which no op before it produced");
    ck_assert_ptr_nonnull(t_log(z));
    t_set_detect_anomaly(true, .check_forward = true, .check_inf = true);
    ck_assert_ptr_null(t_log(z));
    expect_one_error("log is the first op that produced a inf");
    Tensor *x = t_ones(2);
    ck_assert_ptr_null(t_div_(x, t_zeros(2)));
    expect_one_error("div");
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
        ck_assert(step.site && strstr(step.site->file, "tests/autograd/test_inspection.c"));
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
        expect_one_error("another backward was begun after this one and has not ended yet");
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
    const char *const parts[] = {"4  SumBackward0  test_inspection.c:",
                                 "dy tensor(1.)",
                                 "dx[0] to 3: tensor([[1., 1.]])",
                                 "3  MulBackward0",
                                 "2  AddBackward0",
                                 "dx[1] to b: tensor([3., 3.])",
                                 "1  MmBackward0",
                                 "dx[1] to w: tensor([[3., 3.],\n",
                                 "                        [3., 3.]])\n"};
    expect_in_order(text, parts, sizeof parts / sizeof *parts);
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
    ck_assert_ptr_nonnull(strstr(text, "MmBackward0\\n[1, 2]\\ntest_inspection.c:"));
    free(text);
    nn_Sequential *model = nn_Sequential(nn_Linear(2, 3), nn_Tanh(), nn_Linear(3, 1));
    file = open_memstream(&text, &size);
    ck_assert(nn_graph_dot(nn_call(model, t_ones(4, 2)), model, file));
    fclose(file);
    ck_assert_int_eq(check_dot(text, &nodes),
                     9 - 2); /* addmm: bias and weight's transpose, twice, the tanh between them, y */
    ck_assert_ptr_nonnull(strstr(text, "label=\"2.weight\\n[1, 3]\""));
    free(text);
    text = text_of(b, true);
    ck_assert_int_eq(check_dot(text, &nodes), 0);
    ck_assert_int_eq(nodes, 1);
    free(text);
    ck_assert(!t_graph_dot(loss, "no/such/folder/graph.dot"));
    expect_one_error("could not open no/such/folder/graph.dot for writing");
    file = fopen("/dev/full", "w");
    if (file) {
        setvbuf(file, NULL, _IONBF, 0);
        ck_assert(!(t_graph_dot)(loss, file, NULL));
        expect_error("t_graph_dot: writing to the file failed");
        fclose(file);
    }
    ck_assert(!(t_graph_dot)(NULL, stdout, NULL));
    expect_error("argument 1 is NULL where a tensor is expected");
    ck_assert(!t_graph_dot(loss, stdout, .params = t_list(w)));
    expect_one_error("names is required, one for each of 1 params");
}
END_TEST

Suite *inspection_suite(void);
Suite *inspection_suite(void) {
    Suite *suite = suite_create("inspection");
    TCase *tests = tcase_create("inspection");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, a_nan_in_backward);
    tcase_add_test(tests, the_first_nan_of_the_forward);
    tcase_add_test(tests, a_step_shows_both_gradients);
    tcase_add_test(tests, leaving_early_changes_nothing);
    tcase_add_test(tests, a_printed_backward);
    tcase_add_test(tests, a_graph_in_dot);
    suite_add_tcase(suite, tests);
    return suite;
}
