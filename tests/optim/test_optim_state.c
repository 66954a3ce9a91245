/* tests/optim/test_optim_state.c: state dicts of optimizers compared with PyTorch's (golden/checkpoints.txt), runs
 * resumed from them, and errors. */
#include <stdlib.h>

#include "core/tensor/context.h"
#include "core/tensor/tensor.h"
#include "tests/support/files/recorded_dict.h"
#include "tests/support/models/model_support.h"
#include "tests/support/refusals.h"

/* ---- the optimizers of golden/record_checkpoints.py, with a first group of p ---- */

static optim_Optimizer *sgd(t_TensorList *p) { return optim_SGD(p, .lr = 0.1); }
static optim_Optimizer *sgd_momentum(t_TensorList *p) {
    return optim_SGD(p, 0.1, 0.9, .nesterov = true, .weight_decay = 0.01);
}
static optim_Optimizer *sgd_dampening(t_TensorList *p) { return optim_SGD(p, 0.1, 0.5, 0.3, .maximize = true); }
static optim_Optimizer *adam(t_TensorList *p) { return optim_Adam(p, 0.01); }
static optim_Optimizer *adam_amsgrad(t_TensorList *p) {
    return optim_Adam(p, 0.01, {0.8, 0.95}, .amsgrad = true, .weight_decay = 0.1);
}
static optim_Optimizer *adamw(t_TensorList *p) { return optim_AdamW(p, 0.01); }
static optim_Optimizer *rmsprop(t_TensorList *p) { return optim_RMSprop(p); }
static optim_Optimizer *rmsprop_momentum(t_TensorList *p) { return optim_RMSprop(p, .momentum = 0.5); }
static optim_Optimizer *rmsprop_centered(t_TensorList *p) {
    return optim_RMSprop(p, 0.02, 0.9, .momentum = 0.5, .centered = true);
}
static optim_Optimizer *adagrad(t_TensorList *p) {
    return optim_Adagrad(p, 0.1, 0.1, .initial_accumulator_value = 0.5);
}
static optim_Optimizer *adadelta(t_TensorList *p) { return optim_Adadelta(p); }
static optim_Optimizer *adamax(t_TensorList *p) {
    return optim_Adamax(p, 0.01, (0.8, 0.95), .weight_decay = 0.1);
}
static optim_Optimizer *nadam(t_TensorList *p) {
    return optim_NAdam(p, 0.01, .decoupled_weight_decay = true, .weight_decay = 0.1);
}
static optim_Optimizer *radam(t_TensorList *p) { return optim_RAdam(p, 0.1, (0.5, 0.8)); }
static optim_Optimizer *asgd(t_TensorList *p) {
    return optim_ASGD(p, 0.1, .lambd = 0.01, .t0 = 2);
}
static optim_Optimizer *rprop(t_TensorList *p) {
    return optim_Rprop(p, 0.1, (0.4, 1.5), (1e-3, 2));
}

#define ALGORITHM(name) {#name, name}
static const struct {
    const char *name;
    optim_Optimizer *(*make)(t_TensorList *p);
} algorithms[] = {ALGORITHM(sgd),     ALGORITHM(sgd_momentum),     ALGORITHM(sgd_dampening),
                  ALGORITHM(adam),    ALGORITHM(adam_amsgrad),     ALGORITHM(adamw),
                  ALGORITHM(rmsprop), ALGORITHM(rmsprop_momentum), ALGORITHM(rmsprop_centered),
                  ALGORITHM(adagrad), ALGORITHM(adadelta),         ALGORITHM(adamax),
                  ALGORITHM(nadam),   ALGORITHM(radam),            ALGORITHM(asgd),
                  ALGORITHM(rprop)};
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
            t_set_grad(run->p[i], hashed_tensor("R", t_shape(run->p[i]), (int)t_dim(run->p[i]), seed_of(run->key),
                                                10 * step + i, t_dtype(run->p[i])));
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

/* Another optimizer, with other hyperparameters, over parameters that have PyTorch's values. */
START_TEST(optimizers_resume_from_pytorchs_state) {
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

START_TEST(optimizers_resume_with_the_same_bits) {
    for (int dtype = t_float32; dtype <= t_float64; dtype++)
        for (int k = 0; k < 3; k++) { /* before the first step, too */
            Run run = run_of(_i, dtype), other = run_of(_i, dtype);
            take_steps(&run, 1, k);
            with_no_grad() for (int i = 0; i < PARAMS; i++) t_copy_(other.p[i], run.p[i]);
            t_TensorDict *state = optim_state_dict(run.optimizer);
            HOLDS(optim_load_state_dict(other.optimizer, state) &&
                  same_dicts(state, optim_state_dict(other.optimizer)));
            take_steps(&run, k + 1, k + 3);
            take_steps(&other, k + 1, k + 3);
            HOLDS(same_parameters(&run, &other) &&
                  same_dicts(optim_state_dict(run.optimizer), optim_state_dict(other.optimizer)));
        }
    report_notes();
}
END_TEST

/* ---- a refused dict changes nothing ---- */

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
    REFUSES(LOAD(WITH("param_groups.9223372036854775807.lr", 1.0)),
            "loaded state dict has a different number of parameter groups");
    REFUSES(LOAD(WITH("param_groups.999999999999999.lr", 1.0)),
            "loaded state dict has a different number of parameter groups");
    REFUSES(LOAD(WITH("state.1.step", INT64_MAX)),
            "'state.1.step' is 9223372036854775807, but must be at most 9007199254740992");
    REFUSES(LOAD(WITHOUT("param_groups.1.params.1")),
            "loaded state dict contains a parameter group that doesn't match the size of optimizer's group");
    REFUSES(LOAD(WITH("param_groups.0.params.1", 7)),
            "loaded state dict contains a parameter group that doesn't match the size of optimizer's group");
    REFUSES(LOAD(WITH("param_groups.1.lr", -1.0)), "Invalid learning rate: -1.0");
    REFUSES(LOAD(WITH("param_groups.0.betas.1", 1.0)), "Invalid beta parameter at index 1: 1.0");
    REFUSES(LOAD(WITH("param_groups.0.eps", t_ones(2))),
            "'param_groups.0.eps' is a tensor of the shape [2] where a scalar is expected");
    REFUSES(LOAD(WITH("param_groups.0.params.0", 0.5)),
            "'param_groups.0.params.0' is 0.5 where an integer is expected");
    REFUSES(LOAD(WITH("state.1.step", -1.0)), "'state.1.step' is -1, but must be at least 0");
    REFUSES(LOAD(WITH("state.1.exp_avg", t_ones(3))),
            "size mismatch for state.1.exp_avg: copying a state with shape torch.Size([3]) from "
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
    static const char *const no_groups[] = {"param_groups.-5.params.0", "param_groups. 0.params.1",
                                            "param_groups.+0.params.1", "param_groups.00.params.1"};
    for (size_t i = 0; i < sizeof no_groups / sizeof *no_groups; i++) HOLDS(LOAD(WITH(no_groups[i], 1)));
    report_notes();
}
END_TEST

/* As in PyTorch, Adam that loads AdamW's groups decays as AdamW does, AdamW that loads Adam's groups still decays as
 * AdamW, and a group that is added later is as the constructor has it. */
START_TEST(the_kind_of_weight_decay_is_loaded) {
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
    HOLDS(same_parameters(&adam_run, &adamw_run) &&
          same_dicts(optim_state_dict(adam_run.optimizer), optim_state_dict(adamw_run.optimizer)));
    optim_add_param_group(adam_run.optimizer, t_list(t_requires_grad_(t_ones(2), true)));
    HOLDS(!t_item(t_dict_get(optim_state_dict(adam_run.optimizer), "param_groups.2.decoupled_weight_decay")));
    HOLDS(optim_load_state_dict(plain.optimizer, adams));
    HOLDS(t_item(t_dict_get(optim_state_dict(plain.optimizer), "param_groups.0.decoupled_weight_decay")));
    report_notes();
}
END_TEST

/* In a state dict without it, as of an older version, a flag is false, as in PyTorch. */
START_TEST(a_missing_flag_is_false) {
    optim_Optimizer *sgd = optim_SGD(t_list(t_requires_grad_(t_ones(2), true)), 0.1, .momentum = 0.5, .nesterov = true,
                                     .maximize = true);
    t_TensorDict *dict = optim_state_dict(sgd);
    t_dict_delete(dict, "param_groups.0.maximize");
    HOLDS(sgd->param_groups[0].maximize && optim_load_state_dict(sgd, dict));
    HOLDS(!sgd->param_groups[0].maximize && sgd->param_groups[0].nesterov);
}
END_TEST

typedef struct Loading {
    optim_Optimizer *optimizer;
    t_TensorDict *state, *before;
} Loading;

static bool loads(void *loading) {
    const Loading *l = loading;
    return optim_state_dict(l->optimizer) && optim_load_state_dict(l->optimizer, l->state);
}

static bool is_as_before(void *loading) {
    const Loading *l = loading;
    return same_dicts(l->before, optim_state_dict(l->optimizer));
}

START_TEST(without_memory_an_optimizer_stays_as_it_was) {
    Run run = run_of(4, t_float32), other = run_of(4, t_float32);
    take_steps(&run, 1, 2);
    take_steps(&other, 1, 1);
    Loading loading = {run.optimizer, optim_state_dict(other.optimizer), t_dict()};
    for_items (item, optim_state_dict(run.optimizer)) t_dict_set(loading.before, item->name, t_clone(item->tensor));
    refuse_all("optim_load_state_dict", loads, is_as_before, &loading);
    HOLDS(same_dicts(loading.state, optim_state_dict(run.optimizer)));
    report_notes();
}
END_TEST

/* ---- hooks ---- */

static void count_call(optim_Optimizer *optimizer, void *count) {
    (void)optimizer;
    ++*(int *)count;
}

/* Adds an entry, of which loading takes no notice. */
static t_TensorDict *add_entry(optim_Optimizer *optimizer, t_TensorDict *dict, void *count) {
    count_call(optimizer, count);
    HOLDS(t_dict_set(dict, "note", t_tensor(3)));
    return NULL;
}

/* Another dict: one with the lr 0.25. */
static t_TensorDict *replace(optim_Optimizer *optimizer, t_TensorDict *dict, void *context) {
    (void)optimizer;
    HOLDS(t_dict_has(dict, "note"));
    return optim_state_dict(context);
}

static t_TensorDict *refuse(optim_Optimizer *optimizer, t_TensorDict *dict, void *context) {
    (void)optimizer, (void)dict, (void)context;
    return t_fail("not this one");
}

START_TEST(state_dict_hooks_run) {
    t_TensorList *p = t_list(t_ones(3, .requires_grad = true));
    optim_Optimizer *a = optim_SGD(p, .lr = 0.5), *b = optim_SGD(p, .lr = 0.125), *other = optim_SGD(p, .lr = 0.25);
    int made = 0, loaded = 0;
    optim_register_state_dict_pre_hook(a, count_call, &made);
    t_Hook *adding = optim_register_state_dict_post_hook(a, add_entry, &made);
    optim_register_load_state_dict_pre_hook(b, replace, other);
    optim_register_load_state_dict_post_hook(b, count_call, &loaded);
    t_TensorDict *dict = optim_state_dict(a);
    HOLDS(made == 2 && t_dict_has(dict, "note"));
    HOLDS(optim_load_state_dict(b, dict) && loaded == 1 && optim_get_lr(b) == 0.25);
    t_hook_remove(adding);
    HOLDS(!t_dict_has(optim_state_dict(a), "note") && made == 3);
    optim_register_load_state_dict_pre_hook(a, refuse);
    expect_refusal(!optim_load_state_dict(a, dict), "not this one");
    HOLDS(optim_get_lr(a) == 0.5);
}
END_TEST

Suite *optim_state_suite(void) {
    Suite *suite = suite_create("optim_state");
    TCase *tests = tcase_create("state");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, optimizers_have_pytorchs_state, 0, ALGORITHMS);
    tcase_add_loop_test(tests, optimizers_resume_from_pytorchs_state, 0, ALGORITHMS);
    tcase_add_loop_test(tests, optimizers_resume_with_the_same_bits, 0, ALGORITHMS);
    tcase_add_test(tests, a_missing_flag_is_false);
    tcase_add_test(tests, a_refused_state_changes_nothing);
    tcase_add_test(tests, the_kind_of_weight_decay_is_loaded);
    tcase_add_test(tests, without_memory_an_optimizer_stays_as_it_was);
    tcase_add_test(tests, state_dict_hooks_run);
    suite_add_tcase(suite, tests);
    return suite;
}
