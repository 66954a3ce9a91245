/* tests/optim/test_custom_optimizer.c: an optimizer written by the user, Lion (Chen et al. 2023) with an extra
 * hyperparameter, compared with the same class in PyTorch: schedulers, groups, a state dict, a run resumed from one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/nn.h"
#include "optim/optim.h"
#include "optim/optimizer_internal.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

/*  class Lion(Optimizer):
 *      def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0, rho=0.5):
 *          super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay, rho=rho))
 *      @torch.no_grad()
 *      def step(self):
 *          for group in self.param_groups:
 *              beta1, beta2 = group['betas']
 *              for p in group['params']:
 *                  if p.grad is None: continue
 *                  state = self.state[p]
 *                  if 'exp_avg' not in state:
 *                      state['exp_avg'] = torch.zeros_like(p); state['step'] = torch.tensor(0.)
 *                  exp_avg = state['exp_avg']; state['step'] += 1
 *                  p.mul_(1 - group['lr'] * group['weight_decay'])
 *                  update = torch.lerp(p.grad, exp_avg, beta1)
 *                  p.add_(update.sign() * (1 - group['rho']) + update * group['rho'], alpha=-group['lr'])
 *                  exp_avg.lerp_(p.grad, 1 - beta2) */
static void lion_step(optim_Optimizer *self) {
    for (int64_t g = 0; g < self->len; g++) {
        optim_ParamGroup *group = &self->param_groups[g];
        const double rho = optim_group_get(group, "rho");
        for_list (p, group->params) {
            if (!t_grad(p)) continue;
            Tensor *exp_avg = optim_state(self, p, "exp_avg");
            if (!exp_avg) {
                exp_avg = optim_set_state(self, p, "exp_avg", t_zeros_like(p));
                optim_set_state(self, p, "step", t_tensor(0.0));
            }
            t_add_(optim_state(self, p, "step"), 1);
            t_mul_(p, 1 - group->lr * group->weight_decay);
            Tensor *update = t_lerp(t_grad(p), exp_avg, group->betas[0]);
            t_add_(p, t_add(t_mul(t_sign(update), 1 - rho), t_mul(update, rho)), .alpha = -group->lr);
            t_lerp_(exp_avg, t_grad(p), 1 - group->betas[1]);
        }
    }
}

static optim_Optimizer *lion(t_TensorList *params) {
    return optim_Optimizer(params, lion_step, .lr = 0.1, .betas = {0.9, 0.99}, .weight_decay = 0.1,
                           .own = {{"rho", 0.5}});
}

typedef struct Run {
    Tensor *w, *v;
    optim_Optimizer *optimizer;
    optim_LRScheduler *scheduler;
} Run;

static Run run_of(bool cosine) {
    Run run = {.w = nn_Parameter(t_view(t_div(t_sub(t_arange(6), 2.5), 4), 2, 3)),
               .v = nn_Parameter(t_tensor("[0.5, -1.]"))};
    run.optimizer = lion(t_list(run.w));
    HOLDS(optim_add_param_group(run.optimizer, t_list(run.v), .lr = 0.02, .own = {{"rho", 0.25}}));
    run.scheduler = cosine ? optim_CosineAnnealingLR(run.optimizer, .T_max = 8, .eta_min = 0.01)
                           : optim_StepLR(run.optimizer, .step_size = 3, .gamma = 0.5);
    return run;
}

static void take_steps(const Run *run, int from, int to) {
    for (int k = from; k < to; k++)
        with_scope() {
            t_set_grad(run->w, t_div(t_view(t_float(t_sub(t_remainder(t_mul(t_arange(6), k + 1), 5), 2)), 2, 3), 3));
            t_set_grad(run->v, k == 2 ? NULL : t_div(t_stack(t_list(t_tensor(k - 3.0), t_tensor(1.0)), 0), 4));
            HOLDS(optim_step(run->optimizer) && optim_scheduler_step(run->scheduler));
        }
}

/* What torch 2.15 gives after eight steps. */
typedef struct Recorded {
    double w[6], v[2], exp_avg[2], lr[2], step[2];
} Recorded;
static const Recorded with_step_lr = {
    {-0.329725087, -0.283528894, -0.0951270238, 0.0422603153, 0.204933226, 0.859079957}, {0.511193871, -1.05241954},
    {0.0129351951, 0.0169836637}, {0.025, 0.005}, {8, 7}};
static const Recorded with_cosine = {
    {-0.338550121, -0.289185971, -0.120001286, 0.0507278927, 0.240800053, 0.852048516}, {0.499469668, -1.06970155},
    {0.0129351951, 0.0169836637}, {0.01, 0.01}, {8, 7}};

static void expect_values(const char *what, Tensor *x, const double *want, int count) {
    double got[6];
    HOLDS(x && t_tolist(x, got, 6) == count);
    for (int i = 0; i < count; i++)
        if (!(fabs(got[i] - want[i]) <= 2e-7)) note("%s[%d] is %.9g, not %.9g", what, i, got[i], want[i]);
}

static void compare(const Run *run, const Recorded *want) {
    Tensor *steps = t_stack(t_list(optim_state(run->optimizer, run->w, "step"),
                                   optim_state(run->optimizer, run->v, "step")), 0);
    expect_values("w", run->w, want->w, 6);
    expect_values("v", run->v, want->v, 2);
    expect_values("exp_avg", optim_state(run->optimizer, run->v, "exp_avg"), want->exp_avg, 2);
    expect_values("step", steps, want->step, 2);
    for (int g = 0; g < 2; g++) HOLDS(fabs(run->optimizer->param_groups[g].lr - want->lr[g]) < 1e-12);
    report_notes();
}

START_TEST(a_users_optimizer_has_schedulers) {
    const Run stepped = run_of(false), cosine = run_of(true);
    take_steps(&stepped, 0, 8);
    compare(&stepped, &with_step_lr);
    take_steps(&cosine, 0, 8);
    compare(&cosine, &with_cosine);
    HOLDS(optim_zero_grad(stepped.optimizer) && !t_grad(stepped.w) && t_grad(cosine.w));
    /* "momentum" and "betas" are what OneCycleLR cycles. */
    HOLDS(optim_OneCycleLR(stepped.optimizer, .max_lr = 0.1, .total_steps = 10) &&
          stepped.optimizer->param_groups[0].betas[0] == 0.95);
    optim_Optimizer *plain = optim_Optimizer(t_list(nn_Parameter(t_ones(2))), lion_step);
    expect_refusal(!optim_OneCycleLR(plain, .max_lr = 0.1, .total_steps = 10),
                   "optimizer must support momentum or beta1 with `cycle_momentum` option enabled");
}
END_TEST

static void expect_names(const t_TensorDict *dict, const char *names) {
    char text[1024] = "";
    for (int64_t i = 0; i < dict->len; i++) strcat(strcat(text, i ? " " : ""), dict->items[i].name);
    ck_assert_str_eq(text, names);
}

START_TEST(a_run_resumes_from_its_state_dict) {
    const Run first = run_of(false);
    take_steps(&first, 0, 5);
    t_TensorDict *checkpoint = t_dict();
    t_dict_set(checkpoint, "w", t_clone(t_detach(first.w)));
    t_dict_set(checkpoint, "v", t_clone(t_detach(first.v)));
    t_dict_set(checkpoint, "optimizer", optim_state_dict(first.optimizer));
    t_dict_set(checkpoint, "scheduler", optim_scheduler_state_dict(first.scheduler));
    expect_names(optim_state_dict(first.optimizer),
                 "state.0.exp_avg state.0.step state.1.exp_avg state.1.step "
                 "param_groups.0.lr param_groups.0.betas.0 param_groups.0.betas.1 param_groups.0.weight_decay "
                     "param_groups.0.rho "
                 "param_groups.0.initial_lr param_groups.0.params.0 "
                 "param_groups.1.lr param_groups.1.betas.0 param_groups.1.betas.1 param_groups.1.weight_decay "
                     "param_groups.1.rho "
                 "param_groups.1.initial_lr param_groups.1.params.0");
    optim_group_set(&first.optimizer->param_groups[1], "rho", 0.75);
    t_save(checkpoint, "build/own_optimizer.ckpt");
    checkpoint = t_load("build/own_optimizer.ckpt");
    const Run second = run_of(false);
    with_no_grad() t_copy_(second.w, t_dict_get(checkpoint, "w"));
    with_no_grad() t_copy_(second.v, t_dict_get(checkpoint, "v"));
    second.optimizer->param_groups[1].lr = 7;
    HOLDS(optim_load_state_dict(second.optimizer, t_dict_get_dict(checkpoint, "optimizer")));
    HOLDS(optim_scheduler_load_state_dict(second.scheduler, t_dict_get_dict(checkpoint, "scheduler")));
    HOLDS(optim_group_get(&second.optimizer->param_groups[1], "rho") == 0.25); /* as it was saved */
    HOLDS(optim_state(second.optimizer, second.w, "exp_avg") != optim_state(first.optimizer, first.w, "exp_avg"));
    take_steps(&second, 5, 8);
    compare(&second, &with_step_lr);
    remove("build/own_optimizer.ckpt");
}
END_TEST

START_TEST(a_state_dict_that_does_not_fit_is_refused) {
    const Run run = run_of(false);
    take_steps(&run, 0, 2);
    t_TensorDict *dict = optim_state_dict(run.optimizer);
    Tensor *before = optim_state(run.optimizer, run.w, "exp_avg");
    t_dict_delete(dict, "param_groups.1.rho");
    HOLDS(!optim_load_state_dict(run.optimizer, dict) && strstr(t_error(), "KeyError: 'param_groups.1.rho'"));
    t_clear_error();
    HOLDS(optim_state(run.optimizer, run.w, "exp_avg") == before);
    optim_Optimizer *sgd = optim_SGD(t_list(nn_Parameter(t_ones(2))), 0.1);
    HOLDS(!optim_load_state_dict(sgd, dict) && t_error());
    t_clear_error();
}
END_TEST

/* ---- hyperparameters and states ---- */

START_TEST(a_long_name_is_refused) {
    optim_GroupOptions options = {OPTIM_GROUP_DEFAULTS_};
    memset(options.own[0].name, 'x', sizeof options.own[0].name);
    ck_assert_ptr_null(optim_Optimizer_new(t_list(nn_Parameter(t_ones(2))), lion_step, &options));
    expect_error("a name in .own has at most 23 characters");
}
END_TEST

static void failing_step(optim_Optimizer *self) {
    ++*(int *)self->context;
    t_matmul(t_ones(2, 3), t_ones(2, 3));
}

static void counting_step(optim_Optimizer *self) {
    ++*(int *)self->context;
    t_add(self->param_groups[0].params->items[0], 1);
}

START_TEST(the_step_is_a_scope_without_grad) {
    int calls = 0;
    Tensor *p = nn_Parameter(t_ones(2));
    optim_Optimizer *optimizer = optim_Optimizer(t_list(p), counting_step),
        *failing = optim_Optimizer(t_list(p), failing_step);
    optimizer->context = failing->context = &calls;
    const int64_t live = t_live_count();
    HOLDS(optim_step(optimizer) && calls == 1 && t_live_count() == live && optimizer->steps_taken == 1 &&
          t_is_grad_enabled());
    HOLDS(!optim_step(failing) && calls == 2 && t_live_count() == live && failing->steps_taken == 0 &&
          t_is_grad_enabled());
    expect_error("mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)");
}
END_TEST

START_TEST(hyperparameters_and_states_have_names) {
    Tensor *p = nn_Parameter(t_ones(2)), *other = nn_Parameter(t_ones(2)), *x = t_ones(3);
    optim_Optimizer *optimizer = optim_Optimizer(t_list(p), lion_step, .nesterov = true,
                                                 .own = {{"rho", 0.5}, {"k", 6}});
    optim_ParamGroup *group = optimizer->param_groups;
    HOLDS(optim_group_get(group, "lr") == 1e-3 && optim_group_get(group, "nesterov") == 1 &&
          optim_group_get(group, "k") == 6);
    HOLDS(optim_group_set(group, "lr", 0.5) && group->lr == 0.5 && optim_group_set(group, "k", 7) &&
          optim_group_get(group, "k") == 7);
    HOLDS(optim_set_lr(optimizer, 0.25) && optim_get_lr(optimizer) == 0.25);
    HOLDS(!optim_state(optimizer, p, "x") && !t_error() && optim_set_state(optimizer, p, "x", x) == x &&
          optim_state(optimizer, p, "x") == x);
    optim_Optimizer *adam = optim_Adam(t_list(other), 0.1);
    t_set_grad(other, t_ones(2));
    HOLDS(!optim_state(adam, other, "exp_avg") && optim_step(adam));
    HOLDS(t_allclose(optim_state(adam, other, "exp_avg"), t_full((2), 0.1)));
    expect_refusal(!optim_group_set(group, "sigma", 1), "KeyError: 'sigma'");
    expect_refusal(isnan(optim_group_get(group, "sigma")), "KeyError: 'sigma'");
    expect_refusal(!optim_state(optimizer, other, "x"), "argument 2 is not a parameter of the optimizer");
    expect_refusal(!optim_set_state(adam, other, "x", x),
                   "Adam keeps a state of its own; optim_Optimizer makes an optimizer of yours");
    expect_refusal(!(optim_Optimizer_new)(t_list(p), NULL, NULL), "argument 2 is NULL where a function is expected");
    expect_refusal(!optim_Optimizer(t_list(), lion_step), "optimizer got an empty parameter list");
    expect_refusal(!optim_Optimizer(t_list(p), lion_step, .own = {{"lr", 1}}),
                   "a value in .own cannot have the name 'lr'");
    expect_refusal(!optim_Optimizer(t_list(p), lion_step, .own = {{"a", 1}, {"a", 2}}),
                   "two values in .own have the name 'a'");
}
END_TEST

static bool run_once(void *unused) {
    (void)unused;
    Tensor *p = nn_Parameter(t_ones(2));
    t_TensorList *params = p ? t_list(p) : NULL;
    optim_Optimizer *optimizer = params ? lion(params) : NULL;
    if (!optimizer || !t_set_grad(p, t_ones(2)) || !optim_step(optimizer)) return false;
    t_TensorDict *dict = optim_state_dict(optimizer);
    return dict && optim_load_state_dict(optimizer, dict);
}

static bool sets_state(void *optimizer) {
    const optim_ParamGroup *group = ((optim_Optimizer *)optimizer)->param_groups;
    Tensor *x = (t_ones_like)(group->params->items[0]);
    return x && (optim_set_state)(optimizer, group->params->items[0], "x", x);
}
static bool has_all_or_no_state(void *optimizer) {
    const t_TensorDict *own = ((optim_Optimizer *)optimizer)->param_groups->state->own;
    return !own || own->len == 1;
}

START_TEST(without_memory_nothing_is_left) {
    refuse_all("optim_set_state", sets_state, has_all_or_no_state, lion(t_list(nn_Parameter(t_ones(2)))));
    refuse_all("a user-defined optimizer", run_once, NULL, NULL);
    report_notes();
}
END_TEST

Suite *custom_optimizer_suite(void);
Suite *custom_optimizer_suite(void) {
    Suite *suite = suite_create("custom_optimizer");
    TCase *tests = tcase_create("custom_optimizer");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, a_users_optimizer_has_schedulers);
    tcase_add_test(tests, a_run_resumes_from_its_state_dict);
    tcase_add_test(tests, a_state_dict_that_does_not_fit_is_refused);
    tcase_add_test(tests, the_step_is_a_scope_without_grad);
    tcase_add_test(tests, a_long_name_is_refused);
    tcase_add_test(tests, hyperparameters_and_states_have_names);
    tcase_add_test(tests, without_memory_nothing_is_left);
    suite_add_tcase(suite, tests);
    return suite;
}
