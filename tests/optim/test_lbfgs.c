/* tests/optim/test_lbfgs.c: LBFGS on a quadratic and on Rosenbrock's function against PyTorch (golden/optimizers.txt),
 * its state dict (golden/checkpoints.txt), and the closure of optimizer.step(closure), which the others take, too. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/tensor/context.h"
#include "core/tensor/tensor.h"
#include "optim/optim.h"
#include "tests/support/files/recorded_dict.h"
#include "tests/support/models/optimizer_cases.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

/* ---- the problems of golden/record_optimizers.py ---- */

typedef enum Kind { quadratic, rosenbrock } Kind;
enum { PARAMS = 3, STEPS = 3 };

typedef struct Problem {
    Kind kind;
    bool maximize;
    Tensor *p[PARAMS], *A, *b;
    optim_Optimizer *optimizer;
    int calls, fails_at; /* fails_at: the call that fails, counting from 1; 0: none */
    bool grad_enabled;
} Problem;

static Problem problem_of(const char *name, Kind kind, t_DType dtype) {
    static const int64_t shapes[PARAMS][2] = {{2, 2}, {3}, {2}};
    const uint64_t seed = seed_of(name);
    Problem problem = {.kind = kind, .maximize = strstr(name, "maximize") != NULL};
    for (int i = 0; i < PARAMS; i++) problem.p[i] = hashed_tensor("r", shapes[i], i ? 1 : 2, seed, i, dtype);
    problem.A = hashed_tensor("R", SHAPE(9, 7), seed, 10, dtype);
    problem.b = hashed_tensor("R", SHAPE(9), seed, 11, dtype);
    return problem;
}

static Tensor *loss_of(const Problem *problem) {
    Tensor *x = t_cat(t_list(t_view(problem->p[0], -1), problem->p[1]));
    if (problem->kind == quadratic) return t_div(t_sum(t_square(t_sub(t_matmul(problem->A, x), problem->b))), 2);
    Tensor *first = t_at(x, ":-1"), *last = t_at(x, "1:");
    return t_sum(t_add(t_mul(t_square(t_sub(last, t_square(first))), 100), t_square(t_sub(1, first))));
}

static Tensor *closure(void *context) {
    Problem *problem = context;
    problem->grad_enabled = t_is_grad_enabled();
    if (++problem->calls == problem->fails_at) return t_fail("no loss today");
    optim_zero_grad(problem->optimizer);
    Tensor *loss = loss_of(problem);
    if (problem->maximize) loss = t_neg(loss);
    t_backward(loss);
    return loss;
}

#define MAKE(name, kind, python, ...) \
    static optim_Optimizer *make_##name(t_TensorList *p) { return optim_LBFGS(p, __VA_ARGS__); }
LBFGS_CASES(MAKE)
#define ROW(name, kind, ...) {#name, kind, make_##name},
static const struct {
    const char *name;
    Kind kind;
    optim_Optimizer *(*make)(t_TensorList *p);
} cases[] = {LBFGS_CASES(ROW)};
enum { CASES = sizeof cases / sizeof *cases };

static GoldenArray recorded(const char *section, const char *name) {
    GoldenArray want;
    HOLDS(golden_array(section, name, &want));
    return want;
}

/* In float32 the runs drift apart: only their losses are compared. */
START_TEST(steps_are_pytorchs) {
    for (t_DType dtype = t_float32; dtype <= t_float64; dtype++) {
        char key[64];
        Problem problem = problem_of(cases[_i].name, cases[_i].kind, dtype);
        optim_Optimizer *optimizer = cases[_i].make(t_list(problem.p[0], problem.p[1], problem.p[2]));
        problem.optimizer = optimizer;
        snprintf(key, sizeof key, "%s %s", cases[_i].name, dtype == t_float32 ? "float32" : "float64");
        const char *section = golden_case(golden_file("optimizers.txt"), key);
        ck_assert_msg(section, "%s is not recorded; run tests/golden/record_optimizers.py", key);
        GoldenArray want = recorded(section, "losses");
        for (int step = 0; step < STEPS; step++) {
            Tensor *loss = optim_step(optimizer, closure, &problem);
            HOLDS(loss && problem.grad_enabled && t_is_grad_enabled());
            const double tolerance = (dtype == t_float32 ? 1e-4 : 1e-10) * fabs(want.values[step]);
            ck_assert_double_eq_tol(t_item(loss), want.values[step], tolerance);
        }
        free(want.values);
        for (int i = 0; i < PARAMS && dtype == t_float64; i++) {
            snprintf(key, sizeof key, "p%d", i);
            want = recorded(section, key);
            compare_to_golden(key, problem.p[i], &want, VALUE);
            free(want.values);
        }
        want = recorded(section, "counts");
        ck_assert_double_eq(t_item(optim_state(optimizer, problem.p[0], "n_iter")), want.values[0]);
        ck_assert_double_eq(t_item(optim_state(optimizer, problem.p[0], "func_evals")), want.values[1]);
        ck_assert_int_eq(problem.calls, (int)want.values[1]);
        free(want.values);
    }
    report_notes();
}
END_TEST

START_TEST(rosenbrocks_minimum_is_found) {
    Problem problem = problem_of("minimum", rosenbrock, t_float64);
    with_no_grad() for (int i = 0; i < 2; i++) t_fill_(problem.p[i], 0.5);
    problem.optimizer = optim_LBFGS(t_list(problem.p[0], problem.p[1]), .max_iter = 200,
                                    .line_search_fn = "strong_wolfe");
    optim_step(problem.optimizer, closure, &problem);
    for (int i = 0; i < 2; i++) HOLDS(t_allclose(problem.p[i], t_ones_like(problem.p[i]), .rtol = 0, .atol = 1e-4));
}
END_TEST

/* With a small lr the line search first takes larger and larger steps; the losses it sees are PyTorch's. */
typedef struct Valley {
    optim_Optimizer *optimizer;
    Tensor *p;
    double losses[16];
    int calls;
} Valley;

static Tensor *valley(void *context) {
    Valley *v = context;
    optim_zero_grad(v->optimizer);
    Tensor *loss = t_sum(t_mul(t_mul(v->p, v->p), t_tensor("[1., 0.25]", .dtype = t_float64)));
    t_backward(loss);
    if (v->calls < 16) v->losses[v->calls++] = t_item(loss);
    return loss;
}

START_TEST(a_small_step_is_enlarged) {
    static const double losses[] = {10, 9.994715025510203, 9.947216836734695, 9.947216836734695, 9.9281624983437,
                                    9.757521734217722, 9.757521734217722, 9.738470080512048, 9.567857592898976};
    Valley v = {.p = t_tensor("[3., -2]", .dtype = t_float64, .requires_grad = true)};
    v.optimizer = optim_LBFGS(t_list(v.p), .lr = 1e-3, .max_iter = 2, .line_search_fn = "strong_wolfe");
    for (int i = 0; i < 3; i++) HOLDS(optim_step(v.optimizer, valley, &v));
    ck_assert_int_eq(v.calls, sizeof losses / sizeof *losses);
    for (int i = 0; i < v.calls; i++) ck_assert_double_eq_tol(v.losses[i], losses[i], 1e-12);
    HOLDS(t_allclose(v.p, t_tensor("[2.930848445830086, -1.9778624628364299]", .dtype = t_float64), .rtol = 1e-12));
}
END_TEST

/* ---- the state dict ---- */

static Problem checkpointed(t_DType dtype) {
    Problem problem = problem_of("lbfgs", quadratic, dtype);
    problem.optimizer = optim_LBFGS(t_list(problem.p[0], problem.p[1], problem.p[2]), .max_iter = 3, .history_size = 4,
                                    .line_search_fn = "strong_wolfe");
    return problem;
}

START_TEST(the_state_is_pytorchs) {
    Problem problem = checkpointed(t_float64);
    compare_with_recorded("lbfgs at first", optim_state_dict(problem.optimizer));
    for (int i = 0; i < 2; i++) HOLDS(optim_step(problem.optimizer, closure, &problem) != NULL);
    compare_with_recorded("lbfgs", optim_state_dict(problem.optimizer));
    report_notes();
}
END_TEST

START_TEST(a_run_of_pytorchs_goes_on) {
    Problem problem = checkpointed(t_float64);
    const char *section = recorded_section("lbfgs");
    problem.optimizer = optim_LBFGS(t_list(problem.p[0], problem.p[1], problem.p[2]));
    for (int i = 0; i < PARAMS; i++) {
        char name[8];
        snprintf(name, sizeof name, "p%d", i);
        GoldenArray p = recorded(section, name);
        memcpy(tg_data(problem.p[i]), p.values, (size_t)p.count * sizeof(double));
        free(p.values);
    }
    HOLDS(optim_load_state_dict(problem.optimizer, recorded_dict("lbfgs")));
    const optim_ParamGroup *group = problem.optimizer->param_groups;
    HOLDS(group->max_iter == 3 && group->history_size == 4 && strcmp(group->line_search_fn, "strong_wolfe") == 0);
    HOLDS(optim_step(problem.optimizer, closure, &problem) != NULL);
    for (int i = 0; i < PARAMS; i++) {
        char name[8];
        snprintf(name, sizeof name, "end%d", i);
        GoldenArray want = recorded(section, name);
        compare_to_golden(name, problem.p[i], &want, VALUE);
        free(want.values);
    }
    report_notes();
}
END_TEST

START_TEST(a_run_goes_on_with_the_same_bits) {
    for (t_DType dtype = t_float32; dtype <= t_float64; dtype++)
        for (int steps = 0; steps < 4; steps++) { /* before the first step, too */
            Problem a = checkpointed(dtype), b = checkpointed(dtype);
            for (int i = 0; i < steps; i++) optim_step(a.optimizer, closure, &a);
            with_no_grad() for (int i = 0; i < PARAMS; i++) t_copy_(b.p[i], a.p[i]);
            t_TensorDict *state = optim_state_dict(a.optimizer);
            HOLDS(optim_load_state_dict(b.optimizer, state) && same_dicts(state, optim_state_dict(b.optimizer)));
            for (int i = 0; i < 2; i++) {
                optim_step(a.optimizer, closure, &a);
                optim_step(b.optimizer, closure, &b);
            }
            for (int i = 0; i < PARAMS; i++) HOLDS(t_equal(a.p[i], b.p[i]));
            HOLDS(same_dicts(optim_state_dict(a.optimizer), optim_state_dict(b.optimizer)));
        }
    report_notes();
}
END_TEST

/* After one iteration there are no pairs; a history of 0 or 1 works, too. */
START_TEST(short_histories) {
    for (int history = 0; history < 2; history++) {
        Problem a = checkpointed(t_float32);
        a.optimizer = optim_LBFGS(t_list(a.p[0], a.p[1]), 0.01, 1, .history_size = history);
        HOLDS(optim_step(a.optimizer, closure, &a) != NULL);
        t_TensorDict *state = optim_state_dict(a.optimizer);
        ck_assert_str_eq(t_dict_get_text(state, "state.0.old_dirs"), "{}");
        HOLDS(!t_dict_has(state, "param_groups.0.line_search_fn"));
        HOLDS(optim_load_state_dict(a.optimizer, state) && same_dicts(state, optim_state_dict(a.optimizer)));
        for (int i = 0; i < 3; i++) HOLDS(optim_step(a.optimizer, closure, &a) != NULL);
        HOLDS(t_dict_has(optim_state_dict(a.optimizer), "state.0.old_dirs.0") == (history == 1));
        HOLDS(!t_dict_has(optim_state_dict(a.optimizer), "state.0.old_dirs.1"));
    }
}
END_TEST

/* ---- the closure ---- */

/* The others call it once, before they update. */
START_TEST(every_optimizer_takes_a_closure) {
    Problem a = checkpointed(t_float32), b = checkpointed(t_float32);
    a.optimizer = optim_Adam(t_list(a.p[0], a.p[1]), 0.1);
    b.optimizer = optim_Adam(t_list(b.p[0], b.p[1]), 0.1);
    Tensor *loss = optim_step(a.optimizer, closure, &a), *other = closure(&b);
    HOLDS(optim_step(b.optimizer) && a.calls == 1 && t_equal(loss, other) && t_equal(a.p[0], b.p[0]));
    a.fails_at = 2;
    ck_assert_ptr_null(optim_step(a.optimizer, closure, &a));
    expect_error("no loss today");
    HOLDS(t_equal(a.p[0], b.p[0]) && a.optimizer->steps_taken == 1 && t_is_grad_enabled());
    with_no_grad() {
        HOLDS(optim_step_closure(a.optimizer, closure, &a) != NULL && a.grad_enabled && !t_is_grad_enabled());
    }
}
END_TEST

static Tensor *nothing(void *context) {
    (void)context;
    return NULL;
}

static Tensor *three(void *context) {
    (void)context;
    return t_ones(3);
}

START_TEST(what_lbfgs_refuses) {
    Problem problem = checkpointed(t_float32);
    optim_Optimizer *optimizer = problem.optimizer;
    HOLDS(!optim_step(optimizer));
    expect_error("LBFGS.step() missing 1 required positional argument: 'closure'");
    ck_assert_ptr_null(optim_step(optimizer, NULL));
    expect_error("argument 2 is NULL where a function is expected");
    ck_assert_ptr_null(optim_step(optimizer, nothing));
    expect_error("the closure returned NULL where the loss is expected");
    ck_assert_ptr_null(optim_step(optimizer, three));
    expect_error("a Tensor with 3 elements cannot be converted to Scalar");
    for (problem.fails_at = 1; problem.fails_at < 4; problem.fails_at++) {
        problem.calls = 0;
        ck_assert_ptr_null(optim_step(optimizer, closure, &problem));
        expect_error("no loss today");
        HOLDS(t_is_grad_enabled() && optimizer->steps_taken == 0);
    }
    t_TensorList *p = t_list(problem.p[0]);
    HOLDS(!optim_LBFGS(p, .lr = -1));
    expect_error("Invalid learning rate: -1.0");
    HOLDS(!optim_LBFGS(p, .line_search_fn = "armijo"));
    expect_error("only 'strong_wolfe' is supported");
    optimizer->param_groups[0].line_search_fn = "armijo";
    problem.fails_at = 0;
    ck_assert_ptr_null(optim_step(optimizer, closure, &problem));
    expect_error("only 'strong_wolfe' is supported");
    optimizer->param_groups[0].line_search_fn = "strong_wolfe";
    HOLDS(!optim_set_state(optimizer, problem.p[0], "d", t_ones(3)));
    expect_error("LBFGS keeps a state of its own; optim_Optimizer makes an optimizer of yours");
    t_TensorDict *other = changed_dict(recorded_dict("lbfgs"), "state.0.d", t_ones(5));
    HOLDS(optim_load_state_dict(optimizer, other));
    problem.fails_at = 0;
    ck_assert_ptr_null(optim_step(optimizer, closure, &problem));
    expect_error("the state of LBFGS is not that of 9 elements of the dtype float32: make a new optimizer");
    HOLDS(optim_add_param_group(optimizer, t_list(t_ones(1, .requires_grad = true))));
    ck_assert_ptr_null(optim_step(optimizer, closure, &problem));
    expect_error("Expected exactly one param_group, but got 2");
}
END_TEST

/* PyTorch's defaults, and a scheduler. */
START_TEST(hyperparameters) {
    Tensor *p = t_ones(2, .requires_grad = true);
    optim_Optimizer *optimizer = optim_LBFGS(t_list(p));
    optim_ParamGroup *g = optimizer->param_groups;
    HOLDS(g->lr == 1 && g->max_iter == 20 && g->max_eval == 25 && g->tolerance_grad == 1e-7);
    HOLDS(g->tolerance_change == 1e-9 && g->history_size == 100 && !g->line_search_fn && !g->maximize);
    HOLDS(optim_LBFGS(t_list(p), .max_iter = 7)->param_groups[0].max_eval == 8);
    HOLDS(optim_group_get(g, "max_iter") == 20 && optim_group_set(g, "history_size", 5) && g->history_size == 5);
    optim_LRScheduler *scheduler = optim_StepLR(optimizer, 1, .gamma = 0.5);
    optimizer->steps_taken++;
    HOLDS(optim_scheduler_step(scheduler) && g->lr == 0.5);
}
END_TEST

static bool two_steps(void *context) {
    Problem *problem = context;
    const int depth = t_scope_open();
    if (!depth) return false;
    problem->optimizer = optim_LBFGS(t_list(problem->p[0], problem->p[1]), .max_iter = 3, .history_size = 1,
                                     .line_search_fn = "strong_wolfe");
    const bool ok = problem->optimizer && optim_step(problem->optimizer, closure, problem) &&
                    optim_step(problem->optimizer, closure, problem);
    if (problem->optimizer) optim_zero_grad(problem->optimizer);
    t_scope_close(depth);
    return ok;
}

START_TEST(without_memory_a_step_fails) {
    Problem problem = checkpointed(t_float32);
    refuse_all("optim_step with a closure", two_steps, NULL, &problem);
    report_notes();
}
END_TEST

Suite *lbfgs_suite(void);
Suite *lbfgs_suite(void) {
    Suite *suite = suite_create("lbfgs");
    TCase *tests = tcase_create("lbfgs");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, steps_are_pytorchs, 0, CASES);
    tcase_add_test(tests, rosenbrocks_minimum_is_found);
    tcase_add_test(tests, a_small_step_is_enlarged);
    tcase_add_test(tests, the_state_is_pytorchs);
    tcase_add_test(tests, a_run_of_pytorchs_goes_on);
    tcase_add_test(tests, a_run_goes_on_with_the_same_bits);
    tcase_add_test(tests, short_histories);
    tcase_add_test(tests, every_optimizer_takes_a_closure);
    tcase_add_test(tests, what_lbfgs_refuses);
    tcase_add_test(tests, hyperparameters);
    tcase_add_test(tests, without_memory_a_step_fails);
    suite_add_tcase(suite, tests);
    return suite;
}
