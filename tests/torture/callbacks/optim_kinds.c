/* tests/torture/callbacks/optim_kinds.c: functions that optimizers and schedulers call. */
#include <math.h>

#include "optim/swa_utils/swa_utils.h"
#include "tests/torture/callbacks/callbacks.h"

static Tensor *given(void) {
    return layer(world, 0)->weight;
}

static void step_hook(optim_Optimizer *optimizer, void *context) {
    (void)optimizer, (void)context;
    act(given(), NULL);
}
static bool with_step_pre_hook(World *w) {
    w->handle = t_retain(optim_register_step_pre_hook(w->optimizer, step_hook));
    return plain_step(w);
}
static bool with_step_post_hook(World *w) {
    w->handle = t_retain(optim_register_step_post_hook(w->optimizer, step_hook));
    return plain_step(w);
}

static Tensor *closure(void *context) {
    World *w = context;
    optim_zero_grad(w->optimizer);
    Tensor *loss = w->loss = forward(w);
    t_backward(loss);
    return act(given(), loss);
}
static bool with_closure(World *w) {
    return optim_step(w->optimizer, closure, w) != NULL;
}

static void lion_step(optim_Optimizer *optimizer) {
    for (int64_t g = 0; g < optimizer->len; g++) {
        t_TensorList *params = optimizer->param_groups[g].params;
        for (int64_t i = 0; i < params->len; i++) t_mul_(params->items[i], 1);
    }
    act(given(), NULL);
}
static bool with_custom_step(World *w) {
    optim_Optimizer *own = optim_Optimizer(nn_parameters(w->model), lion_step);
    return optim_step(own) && plain_step(w);
}

static t_TensorDict *dict_hook(optim_Optimizer *optimizer, t_TensorDict *state_dict, void *context) {
    (void)optimizer, (void)context, (void)state_dict;
    return act(given(), NULL);
}
static bool save_and_load(World *w) {
    t_TensorDict *dict = optim_state_dict(w->optimizer);
    return dict && optim_load_state_dict(w->optimizer, dict) && plain_step(w);
}
static bool with_state_pre_hook(World *w) {
    w->handle = t_retain(optim_register_state_dict_pre_hook(w->optimizer, step_hook));
    return save_and_load(w);
}
static bool with_state_post_hook(World *w) {
    w->handle = t_retain(optim_register_state_dict_post_hook(w->optimizer, dict_hook));
    return save_and_load(w);
}
static bool with_load_pre_hook(World *w) {
    w->handle = t_retain(optim_register_load_state_dict_pre_hook(w->optimizer, dict_hook));
    return save_and_load(w);
}
static bool with_load_post_hook(World *w) {
    w->handle = t_retain(optim_register_load_state_dict_post_hook(w->optimizer, step_hook));
    return save_and_load(w);
}

/* ---- schedulers ---- */

static double factor(int64_t epoch, void *context) {
    (void)epoch, (void)context;
    return acts_wrong(given()) ? NAN : 1;
}
static double scale(double x, void *context) {
    (void)x, (void)context;
    return acts_wrong(given()) ? NAN : 1;
}
static bool scheduled_step(World *w, optim_LRScheduler *scheduler) {
    return optim_scheduler_step(scheduler) && (optim_set_lr(w->optimizer, 0.05), plain_step(w));
}
static void restore_lr(World *w) {
    optim_set_lr(w->optimizer, 0.05);
    w->optimizer->param_groups[0].betas[0] = 0.9;
}
static bool with_lambda_lr(World *w) {
    return scheduled_step(w, optim_LambdaLR(w->optimizer, factor));
}
static bool with_multiplicative_lr(World *w) {
    return scheduled_step(w, optim_MultiplicativeLR(w->optimizer, factor));
}
static bool with_cyclic_lr(World *w) {
    return scheduled_step(w, optim_CyclicLR(w->optimizer, 0.05, 0.1, .scale_fn = scale, .cycle_momentum = false));
}

/* ---- averages of models ---- */

static Tensor *average(Tensor *averaged, Tensor *current, Tensor *n_averaged, void *context) {
    (void)n_averaged, (void)context, (void)current;
    return act(averaged, averaged);
}
static bool with_average(World *w) {
    optim_AveragedModel *averaged = optim_AveragedModel(w->model, .avg_fn = optim_avg_fn(average, NULL));
    return optim_update_parameters(averaged, w->model) && optim_update_parameters(averaged, w->model) && plain_step(w);
}

#define OTHER_GROUPS "!loaded state dict has a different number of parameter groups"

const Kind optim_kinds[] = {
    {"step pre-hook", nothing, with_step_pre_hook, .ends = {[same_graph] = AGAIN}},
    {"step post-hook", nothing, with_step_post_hook,
     .ends = {[fails] = "?mm: mat1",
              [fails_plain] = "?mm: mat1",
              [fails_returns] = "?mm: mat1",
              [same_graph] = "?Trying to backward",
              [closes_loud] = "?the scope of depth 1"}},
    {"closure", a_tensor, with_closure,
     .ends = {[returns_null] = "!the closure returned NULL where the loss is expected", [same_graph] = AGAIN}},
    {"step of an own optimizer", nothing, with_custom_step, .ends = {NULL}},
    {"optimizer state_dict pre-hook", nothing, with_state_pre_hook, .ends = {[modes] = NO_GRAD}},
    {"optimizer state_dict post-hook", a_dict, with_state_post_hook,
     .ends = {[wrong_shape] = OTHER_GROUPS, [wrong_dtype] = OTHER_GROUPS, [empty] = OTHER_GROUPS, [modes] = NO_GRAD}},
    {"optimizer load pre-hook", a_dict, with_load_pre_hook,
     .ends = {[wrong_shape] = OTHER_GROUPS, [wrong_dtype] = OTHER_GROUPS, [empty] = OTHER_GROUPS, [modes] = NO_GRAD}},
    {"optimizer load post-hook", nothing, with_load_post_hook, .ends = {[modes] = NO_GRAD}},
    {"LambdaLR, constructor", a_number, with_lambda_lr, .ends = {[modes] = NO_GRAD}, .undo = restore_lr},
    {"LambdaLR, step", a_number, with_lambda_lr, .ends = {[modes] = NO_GRAD}, .when = 2, .undo = restore_lr},
    {"MultiplicativeLR", a_number, with_multiplicative_lr, .ends = {[modes] = NO_GRAD}, .undo = restore_lr},
    {"CyclicLR's scale_fn", a_number, with_cyclic_lr, .ends = {[modes] = NO_GRAD}, .when = 2, .undo = restore_lr},
    {"avg_fn", a_tensor, with_average,
     .ends = {[returns_null] = "!avg_fn returned NULL",
              [wrong_shape] = "!The size of tensor a (4) must match the size of tensor b (11",
              [empty] = "!The size of tensor a (4) must match the size of tensor b (0)"}},
    {.name = NULL}};
