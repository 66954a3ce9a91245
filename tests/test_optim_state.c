/* tests/test_optim_state.c: state dicts of optimizers and schedulers beside PyTorch's (golden/checkpoints.txt), runs that go on
 * from them, and what is refused. */
#include <stdlib.h>

#include "core/context.h"
#include "core/tensor.h"
#include "tests/model_support.h"
#include "tests/recorded_dict.h"
#include "tests/schedule_cases.h"

/* ---- the optimizers of golden/record_checkpoints.py, with a first group of p ---- */

static optim_Optimizer *sgd(t_TensorList *p) { return optim_SGD(p, .lr = 0.1); }
static optim_Optimizer *sgd_momentum(t_TensorList *p) { return optim_SGD(p, 0.1, 0.9, .nesterov = true, .weight_decay = 0.01); }
static optim_Optimizer *sgd_dampening(t_TensorList *p) { return optim_SGD(p, 0.1, 0.5, 0.3, .maximize = true); }
static optim_Optimizer *adam(t_TensorList *p) { return optim_Adam(p, 0.01); }
static optim_Optimizer *adam_amsgrad(t_TensorList *p) { return optim_Adam(p, 0.01, {0.8, 0.95}, .amsgrad = true, .weight_decay = 0.1); }
static optim_Optimizer *adamw(t_TensorList *p) { return optim_AdamW(p, 0.01); }
static optim_Optimizer *rmsprop(t_TensorList *p) { return optim_RMSprop(p); }
static optim_Optimizer *rmsprop_momentum(t_TensorList *p) { return optim_RMSprop(p, .momentum = 0.5); }
static optim_Optimizer *rmsprop_centered(t_TensorList *p) { return optim_RMSprop(p, 0.02, 0.9, .momentum = 0.5, .centered = true); }
static optim_Optimizer *adagrad(t_TensorList *p) { return optim_Adagrad(p, 0.1, 0.1, .initial_accumulator_value = 0.5); }

#define ALGORITHM(name) {#name, name}
static const struct {
    const char *name;
    optim_Optimizer *(*make)(t_TensorList *p);
} algorithms[] = {ALGORITHM(sgd), ALGORITHM(sgd_momentum), ALGORITHM(sgd_dampening), ALGORITHM(adam), ALGORITHM(adam_amsgrad), ALGORITHM(adamw),
                  ALGORITHM(rmsprop), ALGORITHM(rmsprop_momentum), ALGORITHM(rmsprop_centered), ALGORITHM(adagrad)};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms, PARAMS = 3 };

typedef struct Run {
    const char *key;
    Tensor *p[PARAMS];
    optim_Optimizer *optimizer;
} Run;

static Run run_of(int which, t_DType dtype) {
    static const int64_t shapes[PARAMS][2] = {{2, 3}, {4}, {2}};
    Run run = {.key = algorithms[which].name};
    for (int i = 0; i < PARAMS; i++) run.p[i] = hashed_tensor("r", shapes[i], i ? 1 : 2, seed_of(run.key), i, dtype);
    run.optimizer = algorithms[which].make(t_list(run.p[0]));
    ck_assert(optim_add_param_group(run.optimizer, t_list(run.p[1], run.p[2]), .lr = 0.02));
    return run;
}

static void take_steps(Run *run, int first, int last) {
    for (int step = first; step <= last; step++) {
        for (int i = 0; i < 2; i++)
            t_set_grad(run->p[i], hashed_tensor("R", t_shape(run->p[i]), (int)t_dim(run->p[i]), seed_of(run->key), 10 * step + i, t_dtype(run->p[i])));
        HOLDS(optim_step(run->optimizer));
    }
}

static void compare_parameters(const Run *run, const char *what) {
    for (int i = 0; i < PARAMS; i++) {
        char name[16];
        GoldenArray want;
        snprintf(name, sizeof name, "%s%d", what, i);
        HOLDS(golden_array(recorded_section(run->key), name, &want));
        compare_to_golden(run->key, run->p[i], &want, VALUE);
        free(want.values);
    }
}

START_TEST(optimizers_have_pytorchs_state) {
    char at_first[64];
    Run run = run_of(_i, t_float64);
    snprintf(at_first, sizeof at_first, "%s at first", run.key);
    compare_with_recorded(at_first, optim_state_dict(run.optimizer));
    take_steps(&run, 1, 3);
    compare_with_recorded(run.key, optim_state_dict(run.optimizer));
    report_notes();
}
END_TEST

/* Another optimizer, with other numbers, over parameters that stand where PyTorch's stood. */
START_TEST(optimizers_go_on_from_pytorchs_state) {
    Run run = run_of(_i, t_float64);
    for (int i = 0; i < PARAMS; i++) {
        char name[8];
        snprintf(name, sizeof name, "p%d", i);
        load_recorded(run.p[i], recorded_section(run.key), name);
    }
    optim_set_lr(run.optimizer, 3);
    run.optimizer->param_groups[0].weight_decay = 7;
    run.optimizer->param_groups[1].maximize = !run.optimizer->param_groups[1].maximize;
    HOLDS(optim_load_state_dict(run.optimizer, recorded_dict(run.key)));
    take_steps(&run, 4, 6);
    compare_parameters(&run, "end");
    report_notes();
}
END_TEST

static bool same_parameters(const Run *a, const Run *b) {
    bool same = true;
    for (int i = 0; i < PARAMS; i++) same = same && t_equal(a->p[i], b->p[i]);
    return same;
}

START_TEST(optimizers_go_on_with_the_same_bits) {
    for (int dtype = t_float32; dtype <= t_float64; dtype++)
        for (int k = 0; k < 3; k++) { /* before the first step, too */
            Run run = run_of(_i, dtype), other = run_of(_i, dtype);
            take_steps(&run, 1, k);
            with_no_grad() for (int i = 0; i < PARAMS; i++) t_copy_(other.p[i], run.p[i]);
            t_TensorDict *state = optim_state_dict(run.optimizer);
            HOLDS(optim_load_state_dict(other.optimizer, state) && same_dicts(state, optim_state_dict(other.optimizer)));
            take_steps(&run, k + 1, k + 3);
            take_steps(&other, k + 1, k + 3);
            HOLDS(same_parameters(&run, &other) && same_dicts(optim_state_dict(run.optimizer), optim_state_dict(other.optimizer)));
        }
    report_notes();
}
END_TEST

/* ---- what is refused changes nothing ---- */

START_TEST(a_refused_state_changes_nothing) {
    Run run = run_of(3, t_float32), fewer = run_of(3, t_float32);
    take_steps(&run, 1, 2);
    take_steps(&fewer, 1, 1);
    t_TensorDict *before = t_dict(), *good = optim_state_dict(fewer.optimizer);
    for_items (item, optim_state_dict(run.optimizer)) t_dict_set(before, item->name, t_clone(item->tensor));
#define WITH(name, value) changed_dict(good, name, T_OPERAND(value))
#define WITHOUT(name) changed_dict(good, name, NULL)
#define LOAD(d) optim_load_state_dict(run.optimizer, d)
    REFUSES(LOAD(t_dict()), "loaded state dict has a different number of parameter groups");
    REFUSES(LOAD(WITHOUT("param_groups.1")), "loaded state dict has a different number of parameter groups");
    REFUSES(LOAD(WITH("param_groups.2.lr", 1.0)), "loaded state dict has a different number of parameter groups");
    REFUSES(LOAD(WITH("param_groups.9223372036854775807.lr", 1.0)), "loaded state dict has a different number of parameter groups");
    REFUSES(LOAD(WITH("param_groups.999999999999999.lr", 1.0)), "loaded state dict has a different number of parameter groups");
    REFUSES(LOAD(WITH("state.1.step", INT64_MAX)), "'state.1.step' is 9223372036854775807, but must be at most 9007199254740992");
    REFUSES(LOAD(WITHOUT("param_groups.1.params.1")),
            "loaded state dict contains a parameter group that doesn't match the size of optimizer's group");
    REFUSES(LOAD(WITH("param_groups.0.params.1", 7)),
            "loaded state dict contains a parameter group that doesn't match the size of optimizer's group");
    REFUSES(LOAD(WITH("param_groups.1.lr", -1.0)), "Invalid learning rate: -1.0");
    REFUSES(LOAD(WITH("param_groups.0.betas.1", 1.0)), "Invalid beta parameter at index 1: 1.0");
    REFUSES(LOAD(WITH("param_groups.0.eps", t_ones(2))), "'param_groups.0.eps' is a tensor of the shape [2] where a number is expected");
    REFUSES(LOAD(WITH("param_groups.0.params.0", 0.5)), "'param_groups.0.params.0' is 0.5 where a whole number is expected");
    REFUSES(LOAD(WITH("state.1.step", -1.0)), "'state.1.step' is -1, but must be at least 0");
    REFUSES(LOAD(WITH("state.1.exp_avg", t_ones(3))), "size mismatch for state.1.exp_avg: copying a state with shape torch.Size([3]) from "
                                                      "checkpoint, the parameter's shape is torch.Size([4]).");
    HOLDS(!LOAD(WITHOUT("state.0.exp_avg_sq")) && strstr(t_error_message(), "KeyError: 'state.0.exp_avg_sq'"));
    t_clear_error();
    HOLDS(!LOAD(WITHOUT("param_groups.1.eps")) && strstr(t_error_message(), "KeyError: 'param_groups.1.eps'"));
    t_clear_error();
    REFUSES(LOAD(NULL), "argument 2 is NULL where a dict of tensors is expected");
    REFUSES(optim_load_state_dict(NULL, good), "argument 1 is NULL where an optimizer is expected");
    REFUSES(optim_state_dict(NULL), "argument 1 is NULL where an optimizer is expected");
    HOLDS(same_dicts(before, optim_state_dict(run.optimizer)));
    HOLDS(LOAD(good) && same_dicts(good, optim_state_dict(run.optimizer)));
    static const char *const no_groups[] = {"param_groups.-5.params.0", "param_groups. 0.params.1", "param_groups.+0.params.1", "param_groups.00.params.1"};
    for (size_t i = 0; i < sizeof no_groups / sizeof *no_groups; i++) HOLDS(LOAD(WITH(no_groups[i], 1)));
    report_notes();
}
END_TEST

/* Adam that loads AdamW's groups decays as AdamW does; AdamW that loads Adam's stays what it is. A group that comes later is as
 * the constructor has it. All of it as in PyTorch. */
START_TEST(the_way_of_decaying_is_loaded) {
    Run adam_run = run_of(3, t_float64), adamw_run = run_of(5, t_float64), plain = run_of(5, t_float64);
    for (int i = 0; i < PARAMS; i++) with_no_grad() t_copy_(adam_run.p[i], adamw_run.p[i]);
    adam_run.key = adamw_run.key;
    t_TensorDict *adams = t_dict();
    t_dict_set(adams, "x", optim_state_dict(adam_run.optimizer));
    adams = t_dict_get_dict(adams, "x");
    HOLDS(!t_item(t_dict_get(adams, "param_groups.0.decoupled_weight_decay")));
    HOLDS(optim_load_state_dict(adam_run.optimizer, optim_state_dict(adamw_run.optimizer)));
    take_steps(&adam_run, 1, 3);
    take_steps(&adamw_run, 1, 3);
    HOLDS(same_parameters(&adam_run, &adamw_run) && same_dicts(optim_state_dict(adam_run.optimizer), optim_state_dict(adamw_run.optimizer)));
    optim_add_param_group(adam_run.optimizer, t_list(t_requires_grad_(t_ones(2), true)));
    HOLDS(!t_item(t_dict_get(optim_state_dict(adam_run.optimizer), "param_groups.2.decoupled_weight_decay")));
    HOLDS(optim_load_state_dict(plain.optimizer, adams));
    HOLDS(t_item(t_dict_get(optim_state_dict(plain.optimizer), "param_groups.0.decoupled_weight_decay")));
    report_notes();
}
END_TEST

START_TEST(without_memory_an_optimizer_stays_as_it_was) {
    Run run = run_of(4, t_float32), other = run_of(4, t_float32);
    take_steps(&run, 1, 2);
    take_steps(&other, 1, 1);
    t_TensorDict *before = t_dict(), *dict = optim_state_dict(other.optimizer);
    for_items (item, optim_state_dict(run.optimizer)) t_dict_set(before, item->name, t_clone(item->tensor));
    for (int64_t n = 1;; n++) {
        bool loaded;
        int64_t live = t_live_count();
        with_scope() {
            tg_alloc_fail(n, false);
            loaded = optim_state_dict(run.optimizer) && optim_load_state_dict(run.optimizer, dict);
            tg_alloc_fail(0, false);
        }
        if (loaded && !t_error()) break;
        if (!t_error() || !strstr(t_error(), "out of memory")) note("request %lld: %s", (long long)n, t_error());
        t_clear_error();
        if (t_live_count() != live) note("request %lld: tensors are left", (long long)n);
        with_scope() if (!same_dicts(before, optim_state_dict(run.optimizer))) note("request %lld: the state has changed", (long long)n);
    }
    HOLDS(same_dicts(dict, optim_state_dict(run.optimizer)));
    report_notes();
}
END_TEST

/* ---- schedulers ---- */

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

/* A fresh optimizer and scheduler that load what PyTorch saved, or what we did, go through the other epochs alike. */
START_TEST(schedulers_go_on) {
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
                if (theirs ? fabs(a - b) > 1e-12 * fabs(a) : a != b) note("%s at %d: %.17g, expected %.17g", schedules[_i].name, epoch, b, a);
            }
            if (!theirs && o->param_groups[0].momentum != fresh->param_groups[0].momentum) note("%s: another momentum", schedules[_i].name);
        }
    }
    report_notes();
}
END_TEST

START_TEST(numbers_of_a_schedule_are_taken_over) {
    optim_Optimizer *o = optimizer_for("step");
    optim_LRScheduler *a = optim_StepLR(o, 6, 0.7), *b = optim_StepLR(o, 3, 0.1);
    HOLDS(optim_scheduler_load_state_dict(b, optim_scheduler_state_dict(a)) && same_dicts(optim_scheduler_state_dict(a), optim_scheduler_state_dict(b)));
    a = optim_MultiStepLR(o, {1, 5, 5, 9}), b = optim_MultiStepLR(o, {2});
    HOLDS(optim_scheduler_load_state_dict(b, optim_scheduler_state_dict(a)) && same_dicts(optim_scheduler_state_dict(a), optim_scheduler_state_dict(b)));
    b = optim_MultiStepLR_new(o, NULL, 0, NULL);
    HOLDS(optim_scheduler_load_state_dict(a, optim_scheduler_state_dict(b)) && same_dicts(optim_scheduler_state_dict(a), optim_scheduler_state_dict(b)));
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
#undef LOAD
#define LOAD(d) optim_scheduler_load_state_dict(s, d)
    REFUSES(LOAD(WITH("_schedulers.1.T_max", 0)), "'_schedulers.1.T_max' is 0, but must be at least 1");
    REFUSES(LOAD(WITH("last_epoch", INT64_MAX)), "'last_epoch' is 9223372036854775807, but must be at most 9007199254740992");
    REFUSES(LOAD(WITH("_schedulers.0._step_count", 1e16)), "'_schedulers.0._step_count' is 10000000000000000, but must be at most 9007199254740992");
    REFUSES(LOAD(WITH("_last_lr.2", 0.5)), "'_last_lr.2' is one too many: 2 are expected");
    REFUSES(LOAD(WITH("_schedulers.2._last_lr.0", 0.5)), "'_schedulers.2._last_lr.0' is one scheduler too many: 2 are expected");
    HOLDS(!LOAD(WITHOUT("_schedulers.1.base_lrs.1")) && strstr(t_error_message(), "KeyError: '_schedulers.1.base_lrs.1'"));
    t_clear_error();
    HOLDS(!LOAD(optim_scheduler_state_dict(optim_StepLR(o, 5))) && strstr(t_error_message(), "KeyError: '_milestones.0'"));
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
    REFUSES(LOAD(WITH("min_lrs.1", 0.5)), "ReduceLROnPlateau has one min_lr for all groups here, but 'min_lrs.1' is another than that of group 0");
    s = optim_MultiStepLR(o, {2, 3});
    good = optim_scheduler_state_dict(s);
    REFUSES(LOAD(WITH("milestones.3", 1e9)), "'milestones.3' is no number of times between 1 and 1048576");
    HOLDS(!LOAD(WITHOUT("milestones")) && strstr(t_error_message(), "KeyError: 'milestones'"));
    t_clear_error();
    HOLDS(LOAD(good));
    report_notes();
}
END_TEST

/* The longest of what a user may ask for is saved, loaded and gone on with. */
START_TEST(schedules_without_end_go_on) {
    optim_Optimizer *o = optimizer_for("step");
    optim_LRScheduler *all[] = {optim_CosineAnnealingLR(o, INT64_MAX), optim_CosineAnnealingWarmRestarts(o, 1, INT64_MAX),
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

START_TEST(without_memory_a_schedule_stays_as_it_was) {
    optim_Optimizer *o = optimizer_for("multi_step");
    optim_LRScheduler *a = optim_MultiStepLR(o, {2}), *b = optim_MultiStepLR(o, {1, 5, 5, 9});
    t_TensorDict *dict = optim_scheduler_state_dict(b), *before = optim_scheduler_state_dict(a);
    for (int64_t n = 1;; n++) {
        bool loaded;
        with_scope() {
            tg_alloc_fail(n, false);
            loaded = optim_scheduler_state_dict(a) && optim_scheduler_load_state_dict(a, dict);
            tg_alloc_fail(0, false);
        }
        if (loaded && !t_error()) break;
        if (!t_error() || !strstr(t_error(), "out of memory")) note("request %lld: %s", (long long)n, t_error());
        t_clear_error();
        with_scope() if (!same_dicts(before, optim_scheduler_state_dict(a))) note("request %lld: the state has changed", (long long)n);
    }
    HOLDS(same_dicts(dict, optim_scheduler_state_dict(a)));
    report_notes();
}
END_TEST

Suite *optim_state_suite(void) {
    Suite *suite = suite_create("optim_state");
    TCase *tests = tcase_create("state");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, optimizers_have_pytorchs_state, 0, ALGORITHMS);
    tcase_add_loop_test(tests, optimizers_go_on_from_pytorchs_state, 0, ALGORITHMS);
    tcase_add_loop_test(tests, optimizers_go_on_with_the_same_bits, 0, ALGORITHMS);
    tcase_add_test(tests, a_refused_state_changes_nothing);
    tcase_add_test(tests, the_way_of_decaying_is_loaded);
    tcase_add_test(tests, without_memory_an_optimizer_stays_as_it_was);
    tcase_add_loop_test(tests, schedulers_have_pytorchs_state, 0, COUNT);
    tcase_add_loop_test(tests, schedulers_go_on, 0, COUNT);
    tcase_add_test(tests, numbers_of_a_schedule_are_taken_over);
    tcase_add_test(tests, a_refused_schedule_changes_nothing);
    tcase_add_test(tests, schedules_without_end_go_on);
    tcase_add_test(tests, without_memory_a_schedule_stays_as_it_was);
    suite_add_tcase(suite, tests);
    return suite;
}
