/* tests/ops/test_ops_gradients.c: gradients, and gradients of gradients, against central differences in float64. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/ops/op_run.h"

typedef struct Subject {
    const OpRow *row;
    const OpCase *item;
    uint64_t seed;
    Inputs x;
} Subject;

/* At ties (t) and special values there is no derivative, and float32 is too coarse for differences: such cases are
 * compared with recorded values only. */
static bool is_comparable(const Subject *subject) {
    bool any = false;
    if (subject->row->flags & (NO_GRADIENT | RANDOM | ROUNDED)) return false;
    for (const char *at = subject->item->inputs; at && *at; at = strchr(at, ' '), at += at != NULL)
        if (strchr("tfxd", *at)) return false;
    Inputs x = arguments(subject->row, &subject->x);
    t_TensorList *ys = run_op(subject->row, &x, subject->item->n, t_float64, subject->seed);
    for (int64_t k = 0; ys && k < ys->len; k++) {
        if (t_requires_grad(ys->items[k]) && t_dtype(ys->items[k]) != t_float64) return false;
        any = any || t_requires_grad(ys->items[k]);
    }
    return any;
}

/* ---- the first order: t_gradcheck ---- */

static t_TensorList *outputs_of(t_TensorList *inputs, void *context) {
    Subject *subject = context;
    Inputs x = subject->x;
    for (int i = 0, at = 0; i < x.count; i++)
        if (x.x[i]) x.x[i] = inputs->items[at++];
    x = arguments(subject->row, &x);
    return run_op(subject->row, &x, subject->item->n, t_float64, subject->seed);
}

static void check_first_order(const Subject *subject, const char *key) {
    t_GradcheckOptions options = {.size = sizeof options,
                                  .eps = 1e-6,
                                  .atol = 1e-8,
                                  .rtol = 1e-6,
                                  .raise_exception = true,
                                  .check_backward_ad = true};
    t_TensorList *inputs = t_list_new(NULL, 0);
    Subject context = *subject;
    for (int i = 0; i < subject->x.count; i++)
        if (subject->x.x[i]) t_list_append(inputs, subject->x.x[i]);
    if (!t_gradcheck(outputs_of, inputs, &context, &options)) note("%s: %s", key, t_error());
    t_clear_error();
}

/* ---- the second order: the gradients' own gradient ---- */

enum { WEIGHTS = 4 };

static void clear_gradients(const Subject *subject, Tensor **w) {
    for (int i = 0; i < subject->x.count; i++)
        if (subject->x.x[i]) t_set_grad(subject->x.x[i], NULL);
    for (int k = 0; k < WEIGHTS; k++)
        if (w[k]) t_set_grad(w[k], NULL);
}

/* sum_i sum(v_i * dx_i) for fixed uneven v, where dx are the gradients of sum_k sum(w_k * y_k); the w_k are inputs
 * too. */
static Tensor *gradient_sum(const Subject *subject, Tensor **w, bool create_graph) {
    Inputs x = arguments(subject->row, &subject->x);
    t_TensorList *ys = run_op(subject->row, &x, subject->item->n, t_float64, subject->seed);
    for (int64_t k = 0; ys && k < ys->len && k < WEIGHTS; k++) {
        if (!t_requires_grad(ys->items[k])) continue;
        if (!w[k]) w[k] = t_requires_grad_(weights_of(ys->items[k], k, subject->seed, t_float64), true);
        t_BackwardOptions options = {.size = sizeof options, .gradient = w[k], .retain_graph = true};
        options.create_graph = create_graph;
        if (!t_backward(ys->items[k], &options)) return NULL;
    }
    Tensor *sum = ys ? t_number(0) : NULL;
    for (int i = 0; sum && i < x.count; i++) {
        Tensor *grad = is_differentiable_kind(x.kind[i]) ? t_grad(subject->x.x[i]) : NULL;
        Tensor *v = grad ? weights_of(grad, 50 + i, subject->seed, t_float64) : NULL;
        if (grad) sum = t_add(sum, t_sum(t_mul(grad, v), NULL, 0, false));
    }
    clear_gradients(subject, w);
    return sum;
}

static double gradient_sum_value(const Subject *subject, Tensor **w) {
    int depth = t_scope_open();
    Tensor *sum = gradient_sum(subject, w, false);
    double value = sum ? t_item(sum) : NAN;
    t_scope_close(depth);
    return value;
}

/* grad holds d sum / d leaf; both are compared at each element of the leaf. */
static void compare_with_differences(const Subject *subject, Tensor **w, Tensor *leaf, Tensor *grad, const char *key,
                                     int which) {
    const double eps = 1e-6;
    double *data = (double *)t_data_ptr(leaf);
    Tensor *dense = grad ? t_contiguous(grad) : NULL;
    for (int64_t i = 0; i < t_numel(leaf); i++) {
        double kept = data[i], slope = dense ? ((const double *)t_data_ptr(dense))[i] : 0;
        data[i] = kept + eps;
        double above = gradient_sum_value(subject, w);
        data[i] = kept - eps;
        double below = gradient_sum_value(subject, w), numerical = (above - below) / (2 * eps);
        data[i] = kept;
        if (fabs(slope - numerical) <= 1e-7 + 1e-6 * fabs(numerical)) continue;
        note("%s, second order, input %d, element %lld: %.10g, by differences %.10g", key, which, (long long)i, slope,
             numerical);
        return;
    }
}

/* With no elements at all there is no derivative, and weights of a mean of nothing have the gradient 0 / 0. */
static bool is_empty(const Inputs *x) {
    int64_t elements = 0;
    for (int i = 0; i < x->count; i++)
        if (is_differentiable_kind(x->kind[i])) elements += t_numel(x->x[i]);
    return elements == 0;
}

static void check_second_order(const Subject *subject, const char *key) {
    if (is_empty(&subject->x)) return;
    Tensor *w[WEIGHTS] = {NULL}, *grads[MAX_INPUTS + WEIGHTS] = {NULL};
    Tensor *sum = gradient_sum(subject, w, true);
    if (subject->row->flags & ONCE) {
        bool refused = sum && t_requires_grad(sum) && !t_backward(sum, NULL) && t_error();
        if (!refused) note("%s: a second backward through it is not refused, but the row is ONCE", key);
        else if (!strstr(t_error(), "is not twice differentiable")) note("%s, second backward: %s", key, t_error());
        t_clear_error();
        return;
    }
    if (!sum || (t_requires_grad(sum) && !t_backward(sum, NULL))) {
        note("%s, second order: %s", key, t_error());
        t_clear_error();
        return;
    }
    for (int i = 0; i < subject->x.count; i++)
        if (subject->x.x[i]) grads[i] = t_grad(subject->x.x[i]);
    for (int k = 0; k < WEIGHTS; k++)
        if (w[k]) grads[MAX_INPUTS + k] = t_grad(w[k]);
    clear_gradients(subject, w);
    for (int i = 0; i < subject->x.count; i++)
        if (subject->x.x[i] && is_differentiable_kind(subject->x.kind[i]))
            compare_with_differences(subject, w, subject->x.x[i], grads[i], key, i);
    for (int k = 0; k < WEIGHTS; k++)
        if (w[k]) compare_with_differences(subject, w, w[k], grads[MAX_INPUTS + k], key, 100 + k);
}

/* ---- */

static void each_case(int row_number, bool second_order) {
    Subject subject = {.row = op_row(row_number, NULL)};
    char key[KEY_SIZE];
    for (subject.item = subject.row->cases; subject.item->inputs; subject.item++) {
        int depth = t_scope_open();
        case_key(subject.row, subject.item->inputs, subject.item->n, key, sizeof key);
        subject.seed = seed_of(key);
        subject.x = make_inputs(subject.item->inputs, subject.seed, t_float64);
        if (is_comparable(&subject)) (second_order ? check_second_order : check_first_order)(&subject, key);
        t_clear_error();
        t_scope_close(depth);
    }
    report_notes();
}

START_TEST(gradients_equal_differences) {
    each_case(_i, false);
}
END_TEST

START_TEST(gradients_have_gradients) {
    each_case(_i, true);
}
END_TEST

TCase *gradient_tests(void) {
    TCase *tests = tcase_create("gradients");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, gradients_equal_differences, 0, op_row_count());
    tcase_add_loop_test(tests, gradients_have_gradients, 0, op_row_count());
    return tests;
}
