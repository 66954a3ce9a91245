/* tests/autograd/test_autograd_memory.c: out of memory at every allocation of a forward and backward, one after the
 * other. Each failure is an error like any other: it is said, nothing leaks, and leaves and gradients are what they
 * were. */
#include <string.h>

#include "core/core.h"
#include "core/ops/creation/random_internal.h"
#include "core/tensor/context.h"
#include "core/tensor/tensor.h"
#include "tests/autograd/test_autograd.h"
#include "tests/ops/op_run.h"

typedef struct Model {
    Tensor *x, *w, *b, *labels;
} Model;

static Model make_model(void) {
    return (Model){t_tensor("[[0.5, -1.0, 2.0], [1.5, 0.25, -0.5]]"), leaf("[[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]]"),
                   leaf("[0.1, 0.2]"), t_tensor("[[1], [0]]")};
}

/* Matrix products, broadcasts, views, in-place writes, a reduction, softmax, an index: something of each family. */
static bool train_step(const Model *m) {
    Tensor *logits = (t_add)((t_matmul)(m->x, (t_transpose)(m->w, 0, 1)), m->b);
    Tensor *copy = (t_mul)(logits, (t_number)(0.5));
    if (!(t_set)(copy, ":, 0", NULL, 0, (t_number)(2))) return false;
    Tensor *scaled = (t_div)((t_add)((t_relu)(logits), copy), (t_sum)((t_exp)(m->b), NULL, 0, false));
    t_TensorList *both = (t_list_new)((Tensor *[]){scaled, logits}, 2);
    Tensor *joined = both ? (t_cat)(both, 0) : NULL, *top = joined ? (t_narrow)(joined, 0, 0, 2) : NULL;
    Tensor *picked = (t_gather)((t_log_softmax)(top, 1), 1, m->labels);
    Tensor *loss = (t_add)((t_neg)((t_mean)(picked, NULL, 0, false)), (t_var)(joined, NULL, 0, 1, false));
    return loss && (t_backward)(loss, NULL);
}

static Tensor *halved(Tensor *g, void *unused) {
    (void)unused;
    return (t_mul)(g, (t_number)(0.5));
}

/* The further faces of backward: grad with a graph, hooks, a retained grad, inputs, steps. */
static bool grad_step(const Model *m) {
    Tensor *h = (t_tanh)((t_add)((t_matmul)(m->x, (t_transpose)(m->w, 0, 1)), m->b));
    Tensor *loss = (t_sum)((t_mul)(h, h), NULL, 0, false);
    t_TensorList *inputs = (t_list_new)((Tensor *[]){h, m->w}, 2), *of = (t_list_new)(&loss, 1);
    t_GradOptions create = {.size = sizeof create, .create_graph = true};
    t_Hook *hook = h ? (t_register_hook)(h, halved, NULL) : NULL;
    t_TensorList *g = hook && inputs && of && (t_retain_grad)(h) ? (t_autograd_grad)(of, inputs, &create) : NULL;
    Tensor *penalty = g ? (t_sum)((t_mul)(g->items[1], g->items[1]), NULL, 0, false) : NULL;
    t_BackwardOptions for_h = {.size = sizeof for_h, .retain_graph = true, .inputs = inputs};
    t_BackwardSteps *steps = penalty ? (t_backward_begin)(penalty, &for_h) : NULL;
    int64_t failures = tg_thread.failures;
    for (t_BackwardStep step; steps && (t_backward_next)(steps, &step);)
        if (step.number == 2) break; /* left early: no grad changes */
    if (!steps || failures != tg_thread.failures) return false;
    t_backward_end(steps);
    return (t_backward)(penalty, NULL);
}

static bool same_values(Tensor *x, const double *values, int64_t count) {
    double now[8];
    return x && (t_tolist)(x, now, 8) == count && memcmp(now, values, (size_t)count * sizeof *now) == 0;
}

/* What is alive, to be the same again. */
typedef struct Alive {
    int64_t tensors, bytes, records;
} Alive;

static Alive count_alive(void) {
    return (Alive){t_live_count(), t_live_bytes(), tg_thread.records_alive};
}

static void check_alive(const char *what, int n, Alive before) {
    Alive now = count_alive();
    if (now.tensors == before.tensors && now.bytes == before.bytes && now.records == before.records) return;
    note("%s, allocation %d: %d tensors, %d bytes, %d records too many", what, n, (int)(now.tensors - before.tensors),
         (int)(now.bytes - before.bytes), (int)(now.records - before.records));
}

static void check_said(const char *what, int n, bool failed) {
    const char *said = t_error() ? t_error() : "nothing";
    if (failed && !strstr(said, "out of memory")) note("%s, allocation %d: said %s", what, n, said);
    if (!failed && t_error()) note("%s, allocation %d: failed unnoticed", what, n);
    if (!t_is_grad_enabled()) note("%s, allocation %d: grad mode was left off", what, n);
    t_set_grad_enabled(true);
    t_clear_error();
}

/* Runs a step with the nth allocation failing; true when it failed, as it should. */
typedef bool Step(const Model *m);
static bool fails_cleanly(Step *step, const Model *m, int n, bool forever, const double *grad) {
    Alive before = count_alive();
    int depth = t_scope_open();
    tg_alloc_fail(n, forever);
    bool ok = step(m);
    tg_alloc_fail(0, false);
    check_said("step", n, !ok);
    if (!ok && (!same_values((t_grad)(m->b), grad, 2) || (t_grad)(m->w))) note("allocation %d: gradients changed", n);
    t_scope_close(depth);
    if (!ok) check_alive("step", n, before);
    return !ok;
}

static void fail_every_allocation(Step *step, bool forever) {
    const double b_values[] = {(double)0.1f, (double)0.2f}, grad[] = {1, -2};
    Model m = make_model();
    t_set_grad(m.b, t_tensor("[1.0, -2.0]"));
    t_empty_cache();
    int n = 1;
    while (n < 1000 && fails_cleanly(step, &m, n, forever, grad)) n++;
    if (n < 50 || n == 1000) note("%d allocations were made to fail, which cannot be all", n);
    if (!same_values(m.b, b_values, 2)) note("b changed");
    report_notes();
}

START_TEST(each_allocation_may_fail_once) {
    fail_every_allocation(train_step, false);
    fail_every_allocation(grad_step, false);
}
END_TEST

START_TEST(each_allocation_may_be_the_last) {
    fail_every_allocation(train_step, true);
    fail_every_allocation(grad_step, true);
}
END_TEST

/* The same for each op of the table alone: its first case, and the backward of its sum. */
static bool run_both_ways(const OpRow *row, const Inputs *x, uint64_t seed) {
    t_TensorList *ys = run_op(row, x, row->cases->n, t_float32, seed);
    Tensor *loss = ys ? (t_number)(0) : NULL;
    for (int64_t k = 0; loss && k < ys->len; k++) loss = (t_add)(loss, (t_sum)(ys->items[k], NULL, 0, false));
    return loss && (!(t_requires_grad)(loss) || (t_backward)(loss, NULL));
}

static bool op_fails_cleanly(const OpRow *row, int n) {
    char key[KEY_SIZE];
    Alive before = count_alive();
    int depth = t_scope_open();
    case_key(row, row->cases->inputs, row->cases->n, key, sizeof key);
    uint64_t seed = seed_of(key);
    Inputs leaves = make_inputs(row->cases->inputs, seed, t_float32), x = arguments(row, &leaves);
    tg_alloc_fail(n, false);
    bool failed = !run_both_ways(row, &x, seed);
    tg_alloc_fail(0, false);
    failed = failed || (row->flags & GRAPH && t_error()); /* they do not look at each call's result */
    check_said(key, n, failed);
    t_scope_close(depth);
    check_alive(key, n, before);
    return failed;
}

START_TEST(each_op_survives_out_of_memory) {
    const OpRow *row = op_row(_i, NULL);
    int n = 1;
    while (n < 500 && !noted() && op_fails_cleanly(row, n)) n++;
    if (n == 500) note("%s: 500 allocations were made to fail, which must be more than it has", row->name);
    report_notes();
}
END_TEST

/* ---- a refused op is as if it had not been called ---- */

static bool has_same_bits(Tensor *a, Tensor *b) {
    a = t_contiguous(t_detach(a));
    b = t_contiguous(t_detach(b));
    const size_t bytes = (size_t)t_numel(a) * tg_itemsize(t_dtype(a));
    return bytes == 0 || memcmp(tg_data(a), tg_data(b), bytes) == 0;
}

/* Refuses the op's nth request. It must not succeed with an error pending; where it fails, neither the tensor that it
 * writes to nor the generator may have changed. */
static void refuse_request(const OpRow *row, const OpCase *item, const char *key, uint64_t seed, int n) {
    Inputs leaves = make_inputs(item->inputs, seed, t_float32), x = arguments(row, &leaves);
    Tensor *old = row->flags & INPLACE ? t_clone(x.x[0]) : NULL;
    t_manual_seed((int64_t)(seed & 0xFFFF));
    const tg_MT19937 engine = *tg_engine(NULL);
    tg_alloc_fail(n, false);
    t_TensorList *ys = run_op(row, &x, item->n, t_float32, seed);
    tg_alloc_fail(0, false);
    if (ys && t_error()) note("%s, allocation %d: succeeds with the error %s", key, n, t_error());
    t_clear_error();
    if (ys) return;
    if (old && !has_same_bits(old, x.x[0])) note("%s, allocation %d: has written", key, n);
    if (row->flags & RANDOM && memcmp(&engine, tg_engine(NULL), sizeof engine) != 0)
        note("%s, allocation %d: has drawn", key, n);
}

/* How many requests the op makes: the row's, less those for the list that it puts its result in. The least of three
 * calls, as any may grow a list of tensors. -1 where the row fails. */
static int64_t count_requests(const OpRow *row, const OpCase *item, uint64_t seed) {
    int64_t requests = INT64_MAX;
    for (int i = 0; i < 3; i++) {
        int depth = t_scope_open();
        Inputs leaves = make_inputs(item->inputs, seed, t_float32), x = arguments(row, &leaves);
        const int64_t before = tg_alloc_requests();
        t_TensorList *ys = run_op(row, &x, item->n, t_float32, seed);
        const int64_t after = tg_alloc_requests();
        t_list_new(ys ? ys->items : NULL, ys ? ys->len : 0);
        const int64_t op = after - before - (tg_alloc_requests() - after);
        if (op < requests) requests = op;
        if (!ys) requests = -1;
        t_clear_error();
        t_scope_close(depth);
    }
    return requests;
}

/* With and without a graph, which ops often take different ways for. */
static void undo_each(const OpRow *row, const OpCase *item) {
    char key[KEY_SIZE];
    case_key(row, item->inputs, item->n, key, sizeof key);
    const uint64_t seed = seed_of(key);
    for (int graph = 0; graph < 2 && !noted(); graph++) {
        t_set_grad_enabled(graph);
        const int64_t last = count_requests(row, item, seed);
        for (int n = 1; n <= last && !noted(); n++) {
            int depth = t_scope_open();
            refuse_request(row, item, key, seed, n);
            t_scope_close(depth);
        }
    }
    t_set_grad_enabled(true);
}

START_TEST(a_refused_op_changes_nothing) {
    const OpRow *row = op_row(_i, NULL);
    if (row->flags & GRAPH || strcmp(row->name, "t_acosh_") == 0) return; /* which are several ops */
    for (const OpCase *item = row->cases; item->inputs; item++) undo_each(row, item);
    report_notes();
}
END_TEST

TCase *memory_tests(void) {
    TCase *tests = tcase_create("out of memory");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, each_allocation_may_fail_once);
    tcase_add_test(tests, each_allocation_may_be_the_last);
    tcase_add_loop_test(tests, each_op_survives_out_of_memory, 0, op_row_count());
    tcase_add_loop_test(tests, a_refused_op_changes_nothing, 0, op_row_count());
    return tests;
}
