/* tests/optim/test_schedulers.c: the learning rates of each schedule compared with PyTorch's (golden/schedules.txt),
 * and errors of schedulers. golden/record_schedules.py has the same table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/tensor/tensor.h"
#include "nn/nn.h"
#include "tests/support/models/schedule_cases.h"

/* ---- a run compared with the recorded one ---- */

static void compare(const char *name, const char *what, double got, double want, int at) {
    if (!(fabs(got - want) <= 1e-12 * fabs(want)))
        note("%s %s at %d: %.17g, PyTorch has %.17g", name, what, at, got, want);
}

static void compare_all(int i, const char *section, const char *way, const char *what, const double *got) {
    char key[64];
    GoldenArray want;
    snprintf(key, sizeof key, "%s.%s", way, what);
    if (!golden_array(section, key, &want)) return;
    for (int k = 0; k < want.count; k++) compare(schedules[i].name, key, got[k], want.values[k], k);
    free(want.values);
}

/* way: "plain"; "set", the lr set to 0.3 after epochs 13 and 27; "resumed", a new scheduler from epoch 17 on. */
static void run(int i, const char *section, const char *way, int epochs) {
    optim_Optimizer *o = optimizer_for(schedules[i].name);
    optim_LRScheduler *s = schedules[i].make(o, -1);
    double rates[MOST_EPOCHS], momenta[MOST_EPOCHS];
    const bool by_metric = strncmp(schedules[i].name, "plateau", 7) == 0;
    for (int epoch = 0; epoch < epochs; epoch++) {
        const optim_ParamGroup *group = o->param_groups;
        rates[epoch] = optim_get_last_lr(s)[0];
        momenta[epoch] = group->betas[0] > 0 ? group->betas[0] : group->momentum;
        ck_assert(group->lr == rates[epoch] && group[1].lr == optim_get_last_lr(s)[1]);
        optim_step(o);
        if (strcmp(way, "set") == 0 && (epoch == 13 || epoch == 27)) optim_set_lr(o, 0.3);
        if (strcmp(way, "resumed") == 0 && epoch == 17) s = schedules[i].make(o, optim_last_epoch(s));
        else ck_assert(by_metric ? optim_scheduler_step(s, metric(epoch)) : optim_scheduler_step(s));
    }
    compare_all(i, section, way, "lr", rates);
    compare_all(i, section, way, "momentum", momenta);
    compare_all(i, section, way, "last", &optim_get_last_lr(s)[1]);
}

START_TEST(rates_are_pytorchs) {
    const char *section = golden_case(golden_file("schedules.txt"), schedules[_i].name);
    GoldenArray resumed;
    ck_assert_ptr_nonnull(section);
    with_scope() run(_i, section, "plain", 100);
    with_scope() run(_i, section, "set", 40);
    if (golden_array(section, "resumed.lr", &resumed)) {
        free(resumed.values);
        with_scope() run(_i, section, "resumed", 40);
    }
    report_notes();
}
END_TEST

/* A schedule that begins at a milestone begins with its own first rate; PyTorch's numbers. */
START_TEST(a_sequence_begins_with_the_first_rate) {
    enum { EPOCHS = 8 };
    static const double rates[][EPOCHS] = {{0.5, 0.5, 0.05, 0.125, 0.125, 0.5, 0.5, 0.5},
                                           {0.5, 0.5, 0.05, 0.5, 0.5, 0.5, 0.5, 0.5},
                                           {0.5, 0.5, 0.05, 0.125, 0.3125, 0.5, 0.5, 0.5}};
    for (int i = 0; i < 3; i++) {
        optim_Optimizer *o = optimizer_for("any");
        optim_LRScheduler *steps = optim_StepLR(o, 2), *next = i == 0   ? optim_ConstantLR(o, 0.25, 2)
                                                                : i == 1 ? optim_ConstantLR(o, 0.25, 0)
                                                                         : optim_LinearLR(o, 0.25, 1, 2);
        optim_LRScheduler *s = optim_SequentialLR(o, {steps, next}, {3});
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            ck_assert_double_eq_tol(optim_get_lr(o), rates[i][epoch], 1e-15);
            HOLDS(optim_step(o) && optim_scheduler_step(s));
        }
    }
}
END_TEST

/* Restarts of equal length, at any epoch; PyTorch's numbers. */
START_TEST(warm_restarts_take_any_epoch) {
    static const double at[][2] = {{0, 0.5}, {1, 0.42677669529663687}, {3.5, 0.019030116872178315}, {4, 0.5},
                                   {5.25, 0.38889255825490054}, {11, 0.07322330470336313}, {8, 0.5}};
    optim_Optimizer *o = optimizer_for("any");
    optim_LRScheduler *s = optim_CosineAnnealingWarmRestarts(o, 4);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        HOLDS(optim_scheduler_step(s, at[i][0]) && optim_last_epoch(s) == (int64_t)at[i][0]);
        ck_assert_double_eq_tol(optim_get_lr(o), at[i][1], 1e-15);
    }
}
END_TEST

START_TEST(warm_restarts_take_fractions) {
    const double epochs[] = {0.5, 2.75, 3, 4.25, 8.5, 9, 20.125, 100, 1};
    GoldenArray want;
    ck_assert(golden_array(golden_case(golden_file("schedules.txt"), "plateau_max_abs"), "fractions", &want));
    optim_LRScheduler *s = optim_CosineAnnealingWarmRestarts(optimizer_for("restarts"), .T_0 = 3, .T_mult = 2);
    for (int i = 0; i < 9; i++) {
        ck_assert(optim_scheduler_step(s, epochs[i]));
        compare("restarts", "fraction", optim_get_last_lr(s)[0], want.values[i], i);
        ck_assert_int_eq(optim_last_epoch(s), (int64_t)epochs[i]);
    }
    ck_assert(optim_scheduler_step(s));
    compare("restarts", "fraction", optim_get_last_lr(s)[0], want.values[9], 9);
    free(want.values);
    report_notes();
}
END_TEST

/* ---- lifetimes and error messages ---- */

static double halve(int64_t epoch, void *context) {
    return *(const double *)context * pow(0.5, (double)epoch);
}

START_TEST(a_function_gets_its_context) {
    double factor = 2;
    optim_Optimizer *o = optimizer_for("lambda");
    optim_LRScheduler *s = optim_LambdaLR(o, .lr_lambda = halve, .context = &factor);
    ck_assert(optim_get_lr(o) == 1 && optim_last_epoch(s) == 0 && o->param_groups[0].initial_lr == 0.5);
    optim_step(o);
    for (int epoch = 1; epoch < 4; epoch++) {
        ck_assert(optim_scheduler_step(s));
        ck_assert_double_eq(optim_get_last_lr(s)[0], 0.5 * (2 * pow(0.5, epoch)));
        ck_assert_double_eq(o->param_groups[1].lr, 0.02 * (2 * pow(0.5, epoch)));
    }
    ck_assert_int_eq(optim_last_epoch(s), 3);
}
END_TEST

static double fails_at_2(int64_t epoch, void *context) {
    (void)context;
    return epoch == 2 ? t_item(t_ones(3)) : 0.5;
}

/* The epoch is then as before, and so is the rate; the next step comes to it again. */
START_TEST(a_function_that_fails_takes_no_step) {
    optim_Optimizer *o = optimizer_for("lambda");
    optim_LRScheduler *s = optim_LambdaLR(o, .lr_lambda = fails_at_2);
    HOLDS(optim_step(o) && optim_scheduler_step(s));
    for (int i = 0; i < 2; i++) {
        HOLDS(!optim_scheduler_step(s));
        expect_error("a Tensor with 3 elements cannot be converted to Scalar");
        HOLDS(optim_last_epoch(s) == 1 && optim_get_lr(o) == 0.25 && optim_get_last_lr(s)[0] == 0.25);
    }
}
END_TEST

START_TEST(schedulers_keep_what_they_need) {
    optim_LRScheduler *s = NULL;
    with_scope() {
        optim_Optimizer *o = optimizer_for("sequential");
        s = t_keep(optim_SequentialLR(o, {optim_ConstantLR(o, 0.5), optim_MultiStepLR(o, {3})}, {2}));
        optim_step(o);
    }
    for (int epoch = 0; epoch < 5; epoch++) ck_assert(optim_scheduler_step(s));
    ck_assert_double_eq_tol(optim_get_last_lr(s)[0], 0.05, 1e-12);
    ck_assert_int_eq(optim_last_epoch(s), 5);
}
END_TEST

START_TEST(plateau_takes_tensors_and_nan) {
    optim_Optimizer *o = optimizer_for("plateau");
    optim_LRScheduler *s = optim_ReduceLROnPlateau(o, .patience = 0, .factor = 0.5);
    ck_assert(optim_scheduler_step(s, t_tensor("[[2.5]]")) && optim_get_lr(o) == 0.5);
    ck_assert(optim_scheduler_step(s, (double)NAN) && optim_get_lr(o) == 0.25);
    ck_assert(optim_scheduler_step(s, 2) && optim_get_lr(o) == 0.25 && optim_last_epoch(s) == 3);
    ck_assert(!optim_scheduler_step(s, t_zeros(2)));
    expect_error("a Tensor with 2 elements cannot be converted to Scalar");
    ck_assert(!optim_scheduler_step(s));
    expect_error("ReduceLROnPlateau.step() missing 1 required positional argument: 'metrics'");
    ck_assert_int_eq(optim_last_epoch(s), 3);
}
END_TEST

/* ---- errors: nothing has changed after one ---- */

static optim_Optimizer *untouched;

#define REFUSED(call, message)                                                                               \
    do {                                                                                                     \
        int64_t live = t_live_count();                                                                       \
        with_scope() ck_assert_ptr_null(call);                                                               \
        expect_error(message);                                                                               \
        ck_assert_int_eq(t_live_count(), live);                                                              \
        ck_assert(untouched->param_groups[0].lr == 0.5 && isnan(untouched->param_groups[0].initial_lr));     \
        ck_assert(untouched->param_groups[0].momentum == 0.9 && isnan(untouched->param_groups[0].max_lr));   \
    } while (0)

START_TEST(constructors_refuse) {
    optim_Optimizer *o = untouched = optimizer_for("any");
    REFUSED(optim_LambdaLR(o, NULL), "argument 2 is NULL where a function is expected");
    REFUSED(optim_LambdaLR(o, halve, .last_epoch = 3),
            "param 'initial_lr' is not specified in param_groups[0] when resuming scheduler with last_epoch >= 0.");
    REFUSED(optim_StepLR(o), "Expected positive integer step_size, but got 0");
    REFUSED(optim_ExponentialLR(o), "ExponentialLR.__init__() missing 1 required positional argument: 'gamma'");
    REFUSED(optim_ConstantLR(o, 1.5), "Constant multiplicative factor expected to be between 0 and 1.");
    REFUSED(optim_LinearLR(o, 0),
            "Starting multiplicative factor expected to be greater than 0 and less or equal to 1.");
    REFUSED(optim_LinearLR(o, .end_factor = -1), "Ending multiplicative factor expected to be between 0 and 1.");
    REFUSED(optim_CosineAnnealingLR(o, 0), "Expected positive integer T_max, but got 0");
    REFUSED(optim_CosineAnnealingWarmRestarts(o, -1), "Expected positive integer T_0, but got -1");
    REFUSED(optim_CosineAnnealingWarmRestarts(o, 5, 0), "Expected integer T_mult >= 1, but got 0");
    REFUSED(optim_ReduceLROnPlateau(o, .factor = 1), "Factor should be < 1.0.");
    REFUSED(optim_ReduceLROnPlateau(o, "least"), "mode least is unknown!");
    REFUSED(optim_ReduceLROnPlateau(o, .threshold_mode = "no"), "threshold mode no is unknown!");
    REFUSED(optim_StepLR((optim_Optimizer *)parameter(), 5), "argument 1 is not a live optimizer");
}
END_TEST

START_TEST(one_cycle_refuses) {
    optim_Optimizer *o = untouched = optimizer_for("any");
    REFUSED(optim_OneCycleLR(o, .total_steps = 5),
            "OneCycleLR.__init__() missing 1 required positional argument: 'max_lr'");
    REFUSED(optim_OneCycleLR(o, 0.1), "You must define either total_steps OR (epochs AND steps_per_epoch)");
    REFUSED(optim_OneCycleLR(o, 0.1, 0), "Expected positive integer total_steps, but got 0");
    REFUSED(optim_OneCycleLR(o, 0.1, .epochs = 0, .steps_per_epoch = 5), "Expected positive integer epochs, but got 0");
    REFUSED(optim_OneCycleLR(o, 0.1, 10, .pct_start = 1.5), "Expected float between 0 and 1 pct_start, but got 1.5");
    REFUSED(optim_OneCycleLR(o, 0.1, 10, .anneal_strategy = "sin"),
            "anneal_strategy must be one of 'cos' or 'linear', instead got sin");
    REFUSED(optim_OneCycleLR(o, 0.1, 1, .pct_start = 1), "float division by zero");
    REFUSED(optim_OneCycleLR(optim_Adagrad(t_list(parameter())), 0.1, 10),
            "optimizer must support momentum or beta1 with `cycle_momentum` option enabled");
    optim_LRScheduler *s = optim_OneCycleLR(o, 0.1, 2);
    optim_step(o);
    ck_assert(optim_scheduler_step(s) && optim_scheduler_step(s));
    double lr = optim_get_lr(o);
    ck_assert(!optim_scheduler_step(s));
    expect_error("Tried to step 3 times. The specified number of total steps is 2");
    ck_assert(optim_last_epoch(s) == 2 && optim_get_lr(o) == lr);
    o = optimizer_for("any");
    optim_StepLR(o, 5);
    ck_assert_ptr_null(optim_OneCycleLR(o, 0.1, 10, .last_epoch = 3));
    expect_error("param 'max_lr' is not specified in param_groups[0] when resuming scheduler with last_epoch >= 0.");
}
END_TEST

START_TEST(cycles_and_averages_refuse) {
    optim_Optimizer *o = untouched = optimizer_for("any");
    REFUSED(optim_CyclicLR(o, .max_lr = 0.1), "CyclicLR.__init__() missing 1 required positional argument: 'base_lr'");
    REFUSED(optim_CyclicLR(o, .base_lr = 0.1), "CyclicLR.__init__() missing 1 required positional argument: 'max_lr'");
    REFUSED(optim_CyclicLR(o, 0.1, 0.2, .mode = "square"), "mode is invalid and scale_fn is None");
    REFUSED(optim_CyclicLR(o, 0.1, 0.2, .step_size_up = 0), "step_size_up and step_size_down must be at least 1");
    REFUSED(optim_CyclicLR(o, 0.1, 0.2, .step_size_down = -3), "step_size_up and step_size_down must be at least 1");
    REFUSED(optim_CyclicLR(optim_Adagrad(t_list(parameter())), 0.1, 0.2),
            "optimizer must support momentum or beta1 with `cycle_momentum` option enabled");
    REFUSED(optim_SWALR(o, .anneal_epochs = 5), "SWALR.__init__() missing 1 required positional argument: 'swa_lr'");
    REFUSED(optim_SWALR(o, 0.1, .anneal_strategy = "square"),
            "anneal_strategy must be one of 'cos' or 'linear', instead got square");
    REFUSED(optim_SWALR(o, 0.1, .anneal_strategy = NULL),
            "anneal_strategy must be one of 'cos' or 'linear', instead got None");
    REFUSED(optim_SWALR(o, 0.1, .anneal_epochs = -1),
            "anneal_epochs must be equal or greater than 0, got -1");
}
END_TEST

START_TEST(composed_schedulers_refuse) {
    optim_Optimizer *o = optimizer_for("any");
    optim_LRScheduler *a = optim_StepLR(o, 5), *b = optim_ExponentialLR(o, 0.9), *plateau = optim_ReduceLROnPlateau(o);
    optim_LRScheduler *other = optim_StepLR(optimizer_for("any"), 5);
    untouched = optimizer_for("any");
    REFUSED(optim_SequentialLR(o, .milestones = {5}),
            "SequentialLR expects at least one scheduler, but got no scheduler.");
    REFUSED(optim_SequentialLR(o, {a, b}), "Sequential Schedulers expects number of schedulers provided to be one more "
                                           "than the number of milestone points, but got number of schedulers 2 and "
                                           "the number of milestones to be equal to 0");
    REFUSED(optim_SequentialLR(o, {a, plateau}, {5}),
            "SequentialLR does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be "
            "specified when calling `step`, but got one at index 1 in the given schedulers sequence.");
    REFUSED(optim_SequentialLR(o, {a, other}, {5}), "SequentialLR expects all schedulers to belong to the same "
                                                    "optimizer, but the scheduler StepLR at index 1 has another one");
    REFUSED(optim_SequentialLR(o, {a, b, b}, {5, 5}),
            "SequentialLR expects milestones that grow from 1 on, but got 5 at index 1");
    REFUSED(optim_SequentialLR(o, {optim_ChainedScheduler(a), b}, {5}),
            "SequentialLR takes no ChainedScheduler, as at index 0");
    REFUSED(optim_ChainedScheduler(),
            "ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.");
    REFUSED(optim_ChainedScheduler(a, other), "ChainedScheduler expects all schedulers to belong to the same "
                                              "optimizer, but the scheduler StepLR at index 1 has another one");
    ck_assert(optim_last_epoch(a) == 0 && optim_get_lr(o) == 0.5);
}
END_TEST

START_TEST(steps_refuse) {
    optim_Optimizer *o = optimizer_for("any");
    optim_LRScheduler *s = optim_StepLR(o, 5), *restarts = optim_CosineAnnealingWarmRestarts(o, 5);
    ck_assert(!optim_scheduler_step(s, 0.5));
    expect_error(
        "StepLR.step() takes no value; ReduceLROnPlateau takes a metric, CosineAnnealingWarmRestarts an epoch");
    ck_assert(!optim_scheduler_step(restarts, -1));
    expect_error("Expected non-negative epoch, but got -1.0");
    ck_assert(!(optim_scheduler_step)(NULL));
    expect_error("argument 1 is NULL where a scheduler is expected");
    ck_assert(!(optim_scheduler_step)((optim_LRScheduler *)o));
    expect_error("argument 1 is not a live scheduler");
    optim_add_param_group(o, t_list(parameter()));
    ck_assert(!optim_scheduler_step(s));
    expect_error("the optimizer has 3 parameter groups, but the scheduler was made for 2");
    ck_assert_int_eq(optim_last_epoch(s), 0);
}
END_TEST

/* Epochs are counted up to 2^53, beyond which doubles skip integers. */
#define LAST "9007199254740992"
START_TEST(epochs_do_not_overflow) {
    const int64_t most = (int64_t)1 << 53;
    optim_Optimizer *o = optimizer_for("any");
    optim_LRScheduler *restarts = optim_CosineAnnealingWarmRestarts(o, 3, .T_mult = 2),
                      *going_on = optim_StepLR(o, 5, .last_epoch = most);
    ck_assert_int_eq(optim_last_epoch(going_on), most + 1);
    ck_assert(optim_scheduler_step(going_on));
    for (int i = 0; i < 5; i++) {
        const int64_t far[] = {INT64_MAX, INT64_MIN, INT64_MAX - 1, most + 2, -most - 2};
        ck_assert_ptr_null(optim_StepLR(o, 5, .last_epoch = far[i]));
        ck_assert_ptr_nonnull(strstr(t_error(), ", but must be at most " LAST));
        ck_assert_ptr_null(optim_OneCycleLR(o, 0.1, 5, .last_epoch = far[i]));
        ck_assert_ptr_nonnull(strstr(t_error(), ", but must be at most " LAST));
        t_clear_error();
    }
    const double lr = optim_get_lr(o), far[] = {1e300, INFINITY, 0x1.00000001p53};
    for (int i = 0; i < 3; i++) {
        ck_assert(!optim_scheduler_step(restarts, far[i]));
        ck_assert_ptr_nonnull(strstr(t_error(), ", but must be at most " LAST));
    }
    t_clear_error();
    ck_assert(optim_last_epoch(restarts) == 0 && optim_get_lr(o) == lr);
    ck_assert(optim_scheduler_step(restarts, 0x1p53) && optim_last_epoch(restarts) == most);
    ck_assert(optim_scheduler_step(restarts));
    restarts = optim_CosineAnnealingWarmRestarts(o, 3, .T_mult = INT64_MAX); /* the second cycle overflows int64 */
    ck_assert(optim_scheduler_step(restarts, 4) && optim_scheduler_step(restarts));
    ck_assert_double_eq_tol(optim_get_lr(o), 0.5, 1e-12);
    ck_assert_ptr_null(optim_OneCycleLR(o, 0.1, .epochs = INT64_MAX, .steps_per_epoch = 2));
    expect_error("9223372036854775807 epochs of 2 steps are more than the " LAST " steps that can be counted");
}
END_TEST

START_TEST(a_failed_allocation_changes_nothing) {
    optim_Optimizer *o = untouched = optimizer_for("any");
    int64_t live = t_live_count();
    for (int n = 1; n < 5; n++) { /* object, two rates, milestones */
        tg_alloc_fail(n, false);
        ck_assert_ptr_null((optim_MultiStepLR_new)(o, (const int64_t[]){3, 5}, 2, NULL));
        tg_alloc_fail(0, false);
        ck_assert(t_live_count() == live && isnan(o->param_groups[0].initial_lr));
        t_clear_error();
    }
    ck_assert_ptr_nonnull((optim_MultiStepLR_new)(o, (const int64_t[]){3, 5}, 2, NULL));
}
END_TEST

Suite *schedulers_suite(void);
Suite *schedulers_suite(void) {
    Suite *suite = suite_create("schedulers");
    TCase *tests = tcase_create("schedulers");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, rates_are_pytorchs, 0, COUNT);
    tcase_add_test(tests, a_sequence_begins_with_the_first_rate);
    tcase_add_test(tests, warm_restarts_take_any_epoch);
    tcase_add_test(tests, warm_restarts_take_fractions);
    tcase_add_test(tests, a_function_gets_its_context);
    tcase_add_test(tests, a_function_that_fails_takes_no_step);
    tcase_add_test(tests, schedulers_keep_what_they_need);
    tcase_add_test(tests, plateau_takes_tensors_and_nan);
    tcase_add_test(tests, constructors_refuse);
    tcase_add_test(tests, one_cycle_refuses);
    tcase_add_test(tests, cycles_and_averages_refuse);
    tcase_add_test(tests, composed_schedulers_refuse);
    tcase_add_test(tests, steps_refuse);
    tcase_add_test(tests, epochs_do_not_overflow);
    tcase_add_test(tests, a_failed_allocation_changes_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}
