/* tests/nn/functional/test_functional_each.c: properties of each function of nn/functional/functional.h: first and
 * second order gradients, no leaked tensor, and a clean failure at every allocation. */
#include <check.h>

#include "core/tensor/context.h"
#include "nn/functional/functional.h"
#include "tests/ops/op_run.h"
#include "tests/support/refusals.h"

typedef enum Which {
    LINEAR, LINEAR_T, GELU, GELU_TANH, LAYER_NORM, LAYER_NORM_T, EMBEDDING, EMBEDDING_T, DROPOUT,
    CROSS_ENTROPY, CROSS_ENTROPY_T, NLL_LOSS, MSE_LOSS
} Which; /* _T: of a transposed input */

typedef struct Case {
    Which which;
    const char *inputs;
    const char *reduction;  /* the losses' options; NULL: their defaults */
    int64_t ignored;        /* ignore_index + 1; 0: none */
    double label_smoothing;
} Case;

static const Case cases[] = {
    {LINEAR, "r(3,4) r(2,4) r(2)", NULL, 0, 0}, {LINEAR, "r(3,4) r(2,4) R(2)", NULL, 0, 0},
    {LINEAR, "r(3,4) R(2,4) r(2)", NULL, 0, 0}, {LINEAR, "R(2,3,4) r(2,4) r(2)", NULL, 0, 0},
    {LINEAR, "r(2,1,2,4) r(2,4) r(2)", NULL, 0, 0}, {LINEAR, "r(4) r(2,4) r(2)", NULL, 0, 0},
    {LINEAR, "r(3,4) r(2,4) r(1)", NULL, 0, 0}, {LINEAR, "r(3,4) r(2,4) r(3,1)", NULL, 0, 0},
    {LINEAR, "r(2,3,4) r(2,4) r(3,1)", NULL, 0, 0}, {LINEAR, "r(0,4) r(2,4) r(2)", NULL, 0, 0},
    {LINEAR, "r(3,4) r(4) -", NULL, 0, 0}, {LINEAR, "r(2,3,4) r(2,4) -", NULL, 0, 0},
    {LINEAR_T, "r(3,2,4) r(2,4) r(2)", NULL, 0, 0}, {LINEAR_T, "r(4,3) r(2,4) -", NULL, 0, 0},
    {GELU, "r(2,3)", NULL, 0, 0}, {GELU, "r()", NULL, 0, 0}, {GELU_TANH, "r(2,3)", NULL, 0, 0},
    {LAYER_NORM, "r(3,4) r(4) r(4)", NULL, 0, 0}, {LAYER_NORM, "r(3,4) r(4) -", NULL, 0, 0},
    {LAYER_NORM, "r(3,4) - r(4)", NULL, 0, 0}, {LAYER_NORM, "r(2,1,4) - -", NULL, 0, 0},
    {LAYER_NORM, "R(2,2,4) r(4) r(4)", NULL, 0, 0}, {LAYER_NORM, "r(4) R(4) r(4)", NULL, 0, 0},
    {LAYER_NORM, "r(0,4) r(4) r(4)", NULL, 0, 0}, {LAYER_NORM_T, "r(3,2,4) r(3,4) r(3,4)", NULL, 0, 0},
    {EMBEDDING, "k5(3) r(5,2)", NULL, 0, 0}, {EMBEDDING, "k3() r(3,2)", NULL, 0, 0},
    {EMBEDDING_T, "k2(2,4) r(3,2)", NULL, 0, 0}, {DROPOUT, "r(3,4)", NULL, 0, 0}, {DROPOUT, "r()", NULL, 0, 0},
    {CROSS_ENTROPY, "r(3,4) k4(3) -", NULL, 0, 0}, {CROSS_ENTROPY, "r(3,4) k4(3) P(4)", "none", 0, 0},
    {CROSS_ENTROPY, "r(4) k4() -", "sum", 0, 0}, {CROSS_ENTROPY, "r(6,3) k3(6) -", "mean", 2, 0},
    {CROSS_ENTROPY, "r(6,3) k3(6) P(3)", "mean", 2, 0.1}, {CROSS_ENTROPY, "r(5,3) k3(5) -", "none", 0, 0.2},
    {CROSS_ENTROPY, "r(2,3,4) k3(2,4) P(3)", "mean", 1, 0}, {CROSS_ENTROPY, "r(2,3,4) k3(2,4) P(3)", "sum", 1, 0.1},
    {CROSS_ENTROPY, "r(2,3,1,2) k3(2,1,2) -", "mean", 0, 0.1},
    {CROSS_ENTROPY, "r(2,3,1,2,2) k3(2,1,2,2) -", "none", 0, 0}, {CROSS_ENTROPY, "r(3,4) q(3,4) -", NULL, 0, 0},
    {CROSS_ENTROPY, "r(3,4) q(3,4) P(4)", "none", 0, 0.1}, {CROSS_ENTROPY, "r(4) q(4) -", "sum", 0, 0},
    {CROSS_ENTROPY_T, "r(4,3) k4(3) -", NULL, 0, 0}, {CROSS_ENTROPY_T, "r(3,2,4) k3(2,4) -", "sum", 0, 0.1},
    {NLL_LOSS, "r(3,4) k4(3) P(4)", NULL, 0, 0}, {NLL_LOSS, "r(6,3) k3(6) -", "none", 3, 0},
    {NLL_LOSS, "r(2,3,4) k3(2,4) -", "sum", 0, 0}, {MSE_LOSS, "r(2,3) r(2,3)", NULL, 0, 0},
    {MSE_LOSS, "r(2,3) R(2,3)", "sum", 0, 0}, {MSE_LOSS, "r(2,3) r(2,3) p(2,3)", NULL, 0, 0},
    {MSE_LOSS, "r(2,3) r(2,3) p(2,3)", "none", 0, 0}, {MSE_LOSS, "r(3) r(2,1,3)", "none", 0, 0},
};
enum { CASES = sizeof cases / sizeof *cases };

static Tensor *function(const Case *c, Tensor *const *x, int count) {
    F_LossOptions options = {.size = sizeof options, .weight = count > 2 ? x[2] : NULL, .reduction = c->reduction,
                             .ignore_index = c->ignored ? c->ignored - 1 : -100, .label_smoothing = c->label_smoothing};
    const F_EmbeddingOptions padding = {sizeof padding, .padding_idx = 2, .max_norm = (double)NAN, .norm_type = 2};
    switch (c->which) {
    case LINEAR: return F_linear(x[0], x[1], x[2]);
    case LINEAR_T: return F_linear(t_transpose(x[0], 0, 1), x[1], x[2]);
    case GELU: return F_gelu(x[0], "none");
    case GELU_TANH: return F_gelu(x[0], "tanh");
    case LAYER_NORM: return F_layer_norm(x[0], SHAPE(4), x[1], x[2], 1e-5);
    case LAYER_NORM_T: return F_layer_norm(t_transpose(x[0], 0, 1), SHAPE(3, 4), x[1], x[2], 1e-3);
    case EMBEDDING: return F_embedding(x[0], x[1], NULL);
    case EMBEDDING_T: return F_embedding(t_transpose(x[0], 0, 1), x[1], &padding);
    case DROPOUT: t_manual_seed(3); return F_dropout(x[0], 0.4, true, false);
    case CROSS_ENTROPY: return F_cross_entropy(x[0], x[1], &options);
    case CROSS_ENTROPY_T: return F_cross_entropy(t_transpose(x[0], 0, 1), x[1], &options);
    case NLL_LOSS: return F_nll_loss(x[0], x[1], &options);
    default: return F_mse_loss(x[0], x[1], &options);
    }
}

typedef struct Run {
    const Case *is;
    Inputs in;
    t_TensorList *leaves; /* the inputs that require grad */
} Run;

static Run run_of(const Case *c) {
    Run run = {c, make_inputs(c->inputs, seed_of(c->inputs), t_float64), t_list_new(NULL, 0)};
    for (int i = 0; i < run.in.count; i++)
        if (run.in.x[i] && t_requires_grad(run.in.x[i])) t_list_append(run.leaves, run.in.x[i]);
    return run;
}

/* ---- gradients ---- */

static Tensor *call(const Run *run) {
    return function(run->is, (Tensor **)run->in.x, run->in.count);
}

static t_TensorList *run_again(t_TensorList *leaves, void *context) {
    (void)leaves;
    return list_of(call(context));
}

static const t_GradcheckOptions tight = {
    .size = sizeof tight, .eps = 1e-6, .atol = 1e-8, .rtol = 1e-6, .raise_exception = true, .check_backward_ad = true};

START_TEST(gradients) {
    Run run = run_of(&cases[_i]);
    ck_assert_msg(t_gradcheck(run_again, run.leaves, &run, &tight), "%s: %s", cases[_i].inputs, t_error());
}
END_TEST

START_TEST(gradients_of_gradients) {
    Run run = run_of(&cases[_i]);
    ck_assert_msg(t_gradgradcheck(run_again, run.leaves, &run, NULL, &tight), "%s: %s", cases[_i].inputs, t_error());
}
END_TEST

/* ---- live tensors after a call ---- */

START_TEST(leaves_only_its_result) {
    Run run = run_of(&cases[_i]);
    Which w = run.is->which;
    bool transposed = w == LINEAR_T || w == LAYER_NORM_T || w == EMBEDDING_T || w == CROSS_ENTROPY_T;
    int64_t made = transposed ? 2 : 1;
    ck_assert_ptr_nonnull(call(&run)); /* once before: the generator is made here */
    bool grad_enabled = t_set_grad_enabled(false);
    int64_t live = t_live_count();
    ck_assert_ptr_nonnull(call(&run));
    ck_assert_int_eq(t_live_count() - live, made);
    t_set_grad_enabled(grad_enabled);
    int depth = t_scope_open();
    live = t_live_count();
    Tensor *y = call(&run);
    ck_assert(t_backward(t_sum(y, NULL, 0, false), NULL));
    for (int64_t i = 0; i < run.leaves->len; i++) t_set_grad(run.leaves->items[i], NULL);
    ck_assert_int_eq(t_live_count() - live, made + 1); /* and the sum: the tape holds nothing any more */
    t_scope_close(depth);
}
END_TEST

static bool calls(void *run) {
    return call(run) != NULL;
}

/* No random value was drawn; the call sets the seed. */
static bool draws_as_before(void *run) {
    return ((Run *)run)->is->which != DROPOUT || t_random_int64(NULL) == 937055941807507096;
}

START_TEST(fails_cleanly) {
    Run run = run_of(&cases[_i]);
    ck_assert_ptr_nonnull(call(&run));
    refuse_all(cases[_i].inputs, calls, draws_as_before, &run);
    report_notes();
}
END_TEST

/* ---- the same for the first case of every row of the tables of activations, losses and attention ---- */

static const OpRow *functional_row(int n) {
    const OpTable *table;
    const OpRow *row = op_row(n, &table);
    return table == &activation_table || table == &loss_table || table == &attention_table ? row : NULL;
}

START_TEST(each_row_leaves_only_its_result) {
    const OpRow *row = functional_row(_i);
    if (!row) return;
    Inputs leaves = make_inputs(row->cases->inputs, 1, t_float32), x = arguments(row, &leaves);
    ck_assert_ptr_nonnull(run_op(row, &x, row->cases->n, t_float32, 1)); /* once before: the generator is made here */
    bool grad_enabled = t_set_grad_enabled(false);
    x = arguments(row, &leaves);
    int64_t live = t_live_count();
    t_TensorList *ys = run_op(row, &x, row->cases->n, t_float32, 1);
    t_set_grad_enabled(grad_enabled);
    ck_assert_msg(ys != NULL, "%s: %s", row->name, t_error());
    int64_t made = row->flags & INPLACE ? 0 : ys->len;
    if (!(row->flags & MAYBE_VIEW))
        ck_assert_msg(t_live_count() - live == made, "%s leaves %d tensors", row->name, (int)(t_live_count() - live));
}
END_TEST

START_TEST(each_row_fails_cleanly) {
    const OpRow *row = functional_row(_i);
    bool done = !row;
    Inputs leaves = row ? make_inputs(row->cases->inputs, 1, t_float32) : (Inputs){0};
    for (int n = 1; !done; n++) {
        int depth = t_scope_open();
        Inputs x = arguments(row, &leaves);
        int64_t live = t_live_count(), records = tg_thread.records_alive;
        int inner = t_scope_open();
        tg_alloc_fail(n, false);
        done = run_op(row, &x, row->cases->n, t_float32, 1) != NULL;
        tg_alloc_fail(0, false);
        t_scope_close(inner);
        bool written =
            row->flags & INPLACE && t_data_version(x.x[0]) > 0; /* and only the list of results was refused */
        if (!done && !written) {
            ck_assert_int_eq(tg_thread.records_alive, records);
            ck_assert_int_eq(t_live_count(), live);
        }
        ck_assert_msg(done == !t_error(), "%s, allocation %d: %s", row->name, n, t_error());
        t_clear_error();
        t_scope_close(depth);
        ck_assert_int_lt(n, 1000);
    }
}
END_TEST

Suite *functional_each_suite(void);
Suite *functional_each_suite(void) {
    Suite *suite = suite_create("functional_each");
    TCase *tests = tcase_create("each");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, gradients, 0, CASES);
    tcase_add_loop_test(tests, gradients_of_gradients, 0, CASES);
    tcase_add_loop_test(tests, leaves_only_its_result, 0, CASES);
    tcase_add_loop_test(tests, fails_cleanly, 0, CASES);
    tcase_add_loop_test(tests, each_row_leaves_only_its_result, 0, op_row_count());
    tcase_add_loop_test(tests, each_row_fails_cleanly, 0, op_row_count());
    suite_add_tcase(suite, tests);
    return suite;
}
