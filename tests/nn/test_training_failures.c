/* tests/nn/test_training_failures.c: a training step that fails, out of memory or by a mistake, has no effect: the
 * model, the optimizer and the scopes still work, also if the error handler leaves by longjmp. */
#include <math.h>
#include <setjmp.h>
#include <string.h>

#include "core/tensor/context.h"
#include "tests/support/models/notebook_model.h"

void add_training_failure_tests(Suite *suite);

/* ---- a small model and its data ---- */

typedef struct Trainee {
    EncoderClassifier *model;
    optim_Optimizer *optimizer;
    Tensor *ids, *labels;
} Trainee;

static Trainee trainee(void) {
    Trainee t;
    t_manual_seed(3);
    t.model = encoder_classifier((ClassifierOptions){1, 4, 2, 6, 11, 9, 0.1});
    t.optimizer = optim_Adam(nn_parameters(t.model), .lr = 1e-2);
    t.ids = t_randint(1, 11, 3, 5);
    t.labels = t_tensor("[0, 1, 1]");
    return t;
}

/* One step in a scope of its own, with the same dropout whenever the seed is the same. NaN on failure. */
static double step(Trainee *t, int64_t seed) {
    double loss = (double)NAN;
    with_scope() {
        t_manual_seed(seed);
        Tensor *x = train_step(t->model, t->optimizer, t->ids, t->labels, NULL);
        if (x) loss = t_item(x);
    }
    return loss;
}

/* The losses and the parameters of undisturbed steps with the seeds 1, 2, 3, ... */
enum { STEPS = 4 };
typedef struct Course {
    double losses[STEPS];
    uint64_t bits[STEPS + 1];
} Course;

static Course undisturbed(void) {
    Course course;
    with_scope() {
        Trainee t = trainee();
        course.bits[0] = parameter_bits(t.model);
        for (int i = 0; i < STEPS; i++) {
            course.losses[i] = step(&t, i + 1);
            course.bits[i + 1] = parameter_bits(t.model);
        }
    }
    return course;
}

/* ---- without memory ---- */

/* Fails the nth allocation of the next step. Returns false once the step makes fewer allocations. */
static bool refuse(Trainee *t, int n, int at, const Course *course) {
    tg_alloc_fail(n, false);
    double loss = step(t, at + 1);
    tg_alloc_fail(0, false);
    if (loss == course->losses[at] && !t_error()) return false;
    if (!t_error()) note("request %d refused: no error, but the loss is %.9g", n, loss);
    else if (!strstr(t_error(), "out of memory")) note("request %d refused: %s", n, t_error());
    t_clear_error();
    if (parameter_bits(t->model) != course->bits[at]) note("request %d refused: the parameters have changed", n);
    return true;
}

/* The very first step, in which the optimizer makes its state; each time with a new model, which then trains on. */
START_TEST(every_failing_allocation_in_the_first_step_is_harmless) {
    Course course = undisturbed();
    int64_t live = t_live_count(), bytes = t_live_bytes();
    bool refused = true;
    for (int n = 1; refused && noted() < 10; n++) {
        with_scope() {
            Trainee t = trainee();
            refused = refuse(&t, n, 0, &course);
            if (refused && step(&t, 1) != course.losses[0]) note("request %d refused: the next loss is another", n);
            if (parameter_bits(t.model) != course.bits[1]) note("request %d refused: the next step went elsewhere", n);
        }
        if (t_live_count() != live || t_live_bytes() != bytes)
            note("request %d refused: %lld tensors and %lld bytes are left", n, (long long)(t_live_count() - live),
                 (long long)(t_live_bytes() - bytes));
    }
    report_notes();
}
END_TEST

/* The third step of one model: the moments and the step count of Adam must not change either. */
START_TEST(every_failing_allocation_in_a_later_step_is_harmless) {
    Course course = undisturbed();
    Trainee t = trainee();
    step(&t, 1);
    step(&t, 2);
    optim_zero_grad(t.optimizer);
    int64_t live = t_live_count(), bytes = t_live_bytes();
    for (int n = 1; noted() < 10 && refuse(&t, n, 2, &course); n++) {
        optim_zero_grad(t.optimizer);
        if (t_live_count() != live || t_live_bytes() != bytes)
            note("request %d refused: %lld tensors and %lld bytes are left", n, (long long)(t_live_count() - live),
                 (long long)(t_live_bytes() - bytes));
    }
    HOLDS(parameter_bits(t.model) == course.bits[3]);
    ck_assert_double_eq(step(&t, 4), course.losses[3]);
    HOLDS(parameter_bits(t.model) == course.bits[4]);
    report_notes();
}
END_TEST

/* ---- a handler that leaves by longjmp ---- */

static jmp_buf away;

static void leave(const char *text, void *context) {
    (void)text;
    ++*(int *)context;
    longjmp(away, 1);
}

/* Runs the step; an error returns through the handler. True if the step succeeded. */
static bool guarded(void (*run)(Trainee *), Trainee *t) {
    t_Mark mark = t_mark();
    volatile bool through = false;
    if (setjmp(away) == 0) {
        run(t);
        through = true;
    } else {
        t_unwind(mark);
    }
    t_Mark after = t_mark();
    if (after.depth != mark.depth || after.grad_enabled != mark.grad_enabled || after.site != mark.site || t_error())
        note("the mark was not restored: depth %d, was %d", after.depth, mark.depth);
    return through;
}

static volatile double loss_of_third_step;

static void third_step(Trainee *t) {
    loss_of_third_step = (double)NAN;
    loss_of_third_step = step(t, 3);
}

static void unknown_token(Trainee *t) {
    with_scope() {
        Tensor *ids = t_clone(t->ids);
        t_set(ids, "1, 2", 99);
        train_step(t->model, t->optimizer, ids, t->labels, NULL);
    }
}

static void unknown_label(Trainee *t) {
    with_scope() train_step(t->model, t->optimizer, t->ids, t_tensor("[0, 1, 2]"), NULL);
}

static void wrong_mask_without_grad(Trainee *t) {
    with_no_grad() {
        with_scope() encoder_classifier_call(t->model, t->ids, t_ones(3, 4), NULL);
    }
}

static void second_backward(Trainee *t) {
    with_scope() {
        Tensor *loss = F_cross_entropy(encoder_classifier_call(t->model, t->ids, NULL, NULL), t->labels);
        t_backward(loss);
        t_backward(loss);
    }
}

/* A user's layer whose forward fails within calls of the library. */
typedef struct Fragile {
    nn_Module base;
} Fragile;

static Tensor *fragile_call(Fragile *self, Tensor *x) {
    (void)self;
    return t_matmul(t_relu(x), t_ones(3, 3));
}

static void fragile_layer(Trainee *t) {
    (void)t;
    with_scope() {
        nn_Sequential *inner = nn_Sequential(nn_module(Fragile, fragile_call));
        nn_Sequential *model = nn_Sequential(nn_Linear(2, 4), inner, nn_ReLU());
        t_backward(t_sum(nn_call(model, t_ones(2, 2))));
    }
}

START_TEST(after_a_jump_out_training_goes_on) {
    void (*const mistakes[])(Trainee *) = {unknown_token, unknown_label, wrong_mask_without_grad, second_backward,
                                           fragile_layer};
    enum { MISTAKES = sizeof mistakes / sizeof *mistakes };
    Course course = undisturbed();
    Trainee t = trainee();
    volatile int errors = 0;
    step(&t, 1);
    step(&t, 2);
    optim_zero_grad(t.optimizer);
    int64_t live = t_live_count(), bytes = t_live_bytes(), records = tg_thread.records_alive;
    t_set_error_handler(leave, (void *)&errors);
    for (volatile int i = 0; i < MISTAKES; i++) {
        ck_assert_msg(!guarded(mistakes[i], &t), "mistake %d went through", i);
        ck_assert_int_eq(errors, i + 1);
        optim_zero_grad(t.optimizer);
        if (t_live_count() != live || t_live_bytes() != bytes || tg_thread.records_alive != records)
            note("mistake %d: %lld tensors, %lld records are left", i, (long long)(t_live_count() - live),
                 (long long)(tg_thread.records_alive - records));
    }
    HOLDS(guarded(third_step, &t));
    HOLDS(parameter_bits(t.model) == course.bits[3]);
    ck_assert_double_eq(step(&t, 4), course.losses[3]);
    report_notes();
}
END_TEST

START_TEST(every_refusal_can_be_jumped_out_of) {
    Course course = undisturbed();
    Trainee t = trainee();
    volatile int errors = 0;
    volatile bool through = false;
    step(&t, 1);
    step(&t, 2);
    optim_zero_grad(t.optimizer);
    int64_t live = t_live_count(), bytes = t_live_bytes(), records = tg_thread.records_alive;
    t_set_error_handler(leave, (void *)&errors);
    for (volatile int n = 1; !through && noted() < 10; n++) {
        int before = errors;
        tg_alloc_fail(n, false);
        through = guarded(third_step, &t) && loss_of_third_step == course.losses[2];
        tg_alloc_fail(0, false);
        if (errors != before + !through)
            note("allocation %d fails: the handler was called %d times", n, errors - before);
        if (through) break;
        if (parameter_bits(t.model) != course.bits[2]) note("request %d refused: the parameters have changed", n);
        t_clear_error();
        optim_zero_grad(t.optimizer);
        if (t_live_count() != live || t_live_bytes() != bytes || tg_thread.records_alive != records)
            note("request %d refused: %lld tensors, %lld records are left", n, (long long)(t_live_count() - live),
                 (long long)(tg_thread.records_alive - records));
    }
    HOLDS(parameter_bits(t.model) == course.bits[3]);
    ck_assert_double_eq(step(&t, 4), course.losses[3]);
    report_notes();
}
END_TEST

void add_training_failure_tests(Suite *suite) {
    TCase *tests = tcase_create("failures");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, every_failing_allocation_in_the_first_step_is_harmless);
    tcase_add_test(tests, every_failing_allocation_in_a_later_step_is_harmless);
    tcase_add_test(tests, after_a_jump_out_training_goes_on);
    tcase_add_test(tests, every_refusal_can_be_jumped_out_of);
    suite_add_tcase(suite, tests);
}
