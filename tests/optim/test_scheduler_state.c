/* tests/optim/test_scheduler_state.c: state dicts of schedulers compared with PyTorch's (golden/checkpoints.txt),
 * schedules resumed from them, and errors. */
#include "tests/support/files/recorded_dict.h"
#include "tests/support/models/model_support.h"
#include "tests/support/models/schedule_cases.h"
#include "tests/support/refusals.h"

static void step_scheduler(int which, optim_Optimizer *o, optim_LRScheduler *s, int epoch) {
    optim_step(o);
    const bool by_metric = strncmp(schedules[which].name, "plateau", 7) == 0;
    HOLDS(by_metric ? optim_scheduler_step(s, metric(epoch)) : optim_scheduler_step(s));
}

START_TEST(schedulers_have_pytorchs_state) {
    optim_Optimizer *o = optimizer_for(schedules[_i].name);
    optim_LRScheduler *s = schedules[_i].make(o, -1);
    for (int epoch = 0; epoch < 17; epoch++) step_scheduler(_i, o, s, epoch);
    compare_with_recorded(schedules[_i].name, optim_scheduler_state_dict(s));
    report_notes();
}
END_TEST

/* A new optimizer and scheduler that load PyTorch's state, or ours, give the same rates in the remaining epochs. */
START_TEST(schedulers_resume) {
    for (int theirs = 0; theirs < 2; theirs++) {
        optim_Optimizer *o = optimizer_for(schedules[_i].name), *fresh = optimizer_for(schedules[_i].name);
        optim_LRScheduler *s = schedules[_i].make(o, -1), *t = schedules[_i].make(fresh, -1);
        for (int epoch = 0; epoch < 17; epoch++) step_scheduler(_i, o, s, epoch);
        t_TensorDict *state = theirs ? recorded_dict(schedules[_i].name) : optim_scheduler_state_dict(s);
        HOLDS(optim_scheduler_load_state_dict(t, state) && optim_load_state_dict(fresh, optim_state_dict(o)));
        if (!theirs) HOLDS(same_dicts(state, optim_scheduler_state_dict(t)));
        for (int epoch = 17; epoch < 60; epoch++) {
            step_scheduler(_i, o, s, epoch);
            step_scheduler(_i, fresh, t, epoch);
            for (int g = 0; g < 2; g++) {
                const double a = o->param_groups[g].lr, b = fresh->param_groups[g].lr;
                if (theirs ? fabs(a - b) > 1e-12 * fabs(a) : a != b)
                    note("%s at %d: %.17g, expected %.17g", schedules[_i].name, epoch, b, a);
            }
            if (!theirs && o->param_groups[0].momentum != fresh->param_groups[0].momentum)
                note("%s: another momentum", schedules[_i].name);
        }
    }
    report_notes();
}
END_TEST

START_TEST(hyperparameters_of_a_schedule_are_loaded) {
    optim_Optimizer *o = optimizer_for("step");
    optim_LRScheduler *a = optim_StepLR(o, 6, 0.7), *b = optim_StepLR(o, 3, 0.1);
    HOLDS(optim_scheduler_load_state_dict(b, optim_scheduler_state_dict(a)) &&
          same_dicts(optim_scheduler_state_dict(a), optim_scheduler_state_dict(b)));
    a = optim_MultiStepLR(o, {1, 5, 5, 9}), b = optim_MultiStepLR(o, {2});
    HOLDS(optim_scheduler_load_state_dict(b, optim_scheduler_state_dict(a)) &&
          same_dicts(optim_scheduler_state_dict(a), optim_scheduler_state_dict(b)));
    b = optim_MultiStepLR_new(o, NULL, 0, NULL);
    HOLDS(optim_scheduler_load_state_dict(a, optim_scheduler_state_dict(b)) &&
          same_dicts(optim_scheduler_state_dict(a), optim_scheduler_state_dict(b)));
    report_notes();
}
END_TEST

START_TEST(a_refused_schedule_changes_nothing) {
    optim_Optimizer *o = optimizer_for("sequential");
    optim_LRScheduler *s = optim_SequentialLR(o, {optim_StepLR(o, 6, 0.7), optim_CosineAnnealingLR(o, 9)}, {4});
    t_TensorDict *good = optim_scheduler_state_dict(s);
    optim_step(o);
    optim_scheduler_step(s);
    t_TensorDict *before = optim_scheduler_state_dict(s);
#define WITH(name, value) changed_dict(good, name, T_OPERAND(value))
#define WITHOUT(name) changed_dict(good, name, NULL)
#define LOAD(d) optim_scheduler_load_state_dict(s, d)
    REFUSES(LOAD(WITH("_schedulers.1.T_max", 0)), "'_schedulers.1.T_max' is 0, but must be at least 1");
    REFUSES(LOAD(WITH("last_epoch", INT64_MAX)),
            "'last_epoch' is 9223372036854775807, but must be at most 9007199254740992");
    REFUSES(LOAD(WITH("_schedulers.0._step_count", 1e16)),
            "'_schedulers.0._step_count' is 10000000000000000, but must be at most 9007199254740992");
    REFUSES(LOAD(WITH("_last_lr.2", 0.5)), "'_last_lr.2' is one more than expected: 2 are expected");
    REFUSES(LOAD(WITH("_schedulers.2._last_lr.0", 0.5)),
            "'_schedulers.2._last_lr.0' is one scheduler more than expected: 2 are expected");
    HOLDS(!LOAD(WITHOUT("_schedulers.1.base_lrs.1")) &&
          strstr(t_error_message(), "KeyError: '_schedulers.1.base_lrs.1'"));
    t_clear_error();
    HOLDS(!LOAD(optim_scheduler_state_dict(optim_StepLR(o, 5))) &&
          strstr(t_error_message(), "KeyError: '_milestones.0'"));
    t_clear_error();
    HOLDS(!LOAD(t_dict()));
    t_clear_error();
    HOLDS(same_dicts(before, optim_scheduler_state_dict(s)));
    HOLDS(LOAD(good) && same_dicts(good, optim_scheduler_state_dict(s)));
    s = optim_ReduceLROnPlateau(o);
    good = optim_scheduler_state_dict(s);
    t_dict_set(good, "mode", "least");
    REFUSES(LOAD(good), "'mode' is 'least', but must be 'min' or 'max'");
    t_dict_set(good, "mode", "max");
    REFUSES(LOAD(WITH("min_lrs.1", 0.5)),
            "ReduceLROnPlateau has one min_lr for all groups here, but 'min_lrs.1' differs from that of group 0");
    s = optim_MultiStepLR(o, {2, 3});
    good = optim_scheduler_state_dict(s);
    REFUSES(LOAD(WITH("milestones.3", 1e9)), "'milestones.3' is not a count between 1 and 1048576");
    HOLDS(!LOAD(WITHOUT("milestones")) && strstr(t_error_message(), "KeyError: 'milestones'"));
    t_clear_error();
    HOLDS(LOAD(good));
    report_notes();
}
END_TEST

/* The longest schedule that is allowed is saved, loaded and resumed. */
START_TEST(the_longest_schedules_resume) {
    optim_Optimizer *o = optimizer_for("step");
    optim_LRScheduler *all[] = {
        optim_CosineAnnealingLR(o, INT64_MAX), optim_CosineAnnealingWarmRestarts(o, 1, INT64_MAX),
        optim_ConstantLR(o, .total_iters = INT64_MAX), optim_ReduceLROnPlateau(o, .patience = INT64_MAX),
        optim_MultiStepLR(o, {INT64_MIN, -3, 4, INT64_MAX})};
    optim_step(o);
    for (int i = 0; i < 5; i++) {
        t_TensorDict *state = optim_scheduler_state_dict(all[i]);
        ck_assert_msg(optim_scheduler_load_state_dict(all[i], state), "%d: %s", i, t_error());
        HOLDS(same_dicts(state, optim_scheduler_state_dict(all[i])));
        for (int k = 0; k < 4; k++) HOLDS(i == 3 ? optim_scheduler_step(all[i], 1.0) : optim_scheduler_step(all[i]));
    }
    report_notes();
}
END_TEST

typedef struct Loading {
    optim_LRScheduler *scheduler;
    t_TensorDict *state, *before;
} Loading;

static bool loads(void *loading) {
    const Loading *l = loading;
    return optim_scheduler_state_dict(l->scheduler) && optim_scheduler_load_state_dict(l->scheduler, l->state);
}

static bool is_as_before(void *loading) {
    const Loading *l = loading;
    return same_dicts(l->before, optim_scheduler_state_dict(l->scheduler));
}

START_TEST(without_memory_a_schedule_stays_as_it_was) {
    optim_Optimizer *o = optimizer_for("multi_step");
    optim_LRScheduler *a = optim_MultiStepLR(o, {2}), *b = optim_MultiStepLR(o, {1, 5, 5, 9});
    Loading loading = {a, optim_scheduler_state_dict(b), optim_scheduler_state_dict(a)};
    refuse_all("optim_scheduler_load_state_dict", loads, is_as_before, &loading);
    HOLDS(same_dicts(loading.state, optim_scheduler_state_dict(a)));
    report_notes();
}
END_TEST

Suite *scheduler_state_suite(void);
Suite *scheduler_state_suite(void) {
    Suite *suite = suite_create("scheduler_state");
    TCase *tests = tcase_create("scheduler_state");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, schedulers_have_pytorchs_state, 0, COUNT);
    tcase_add_loop_test(tests, schedulers_resume, 0, COUNT);
    tcase_add_test(tests, hyperparameters_of_a_schedule_are_loaded);
    tcase_add_test(tests, a_refused_schedule_changes_nothing);
    tcase_add_test(tests, the_longest_schedules_resume);
    tcase_add_test(tests, without_memory_a_schedule_stays_as_it_was);
    suite_add_tcase(suite, tests);
    return suite;
}
