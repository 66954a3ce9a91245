/* optim/lr_scheduler/cyclic.c: CyclicLR: the lr rises from base_lr to max_lr and falls again, in cycles, while the
 * momentum moves in the opposite direction (Smith, "Cyclical learning rates for training neural networks", 2017). */
#include <stdio.h>
#include <string.h>

#include "optim/lr_scheduler/lr_scheduler_internal.h"

/* What the height of a cycle is multiplied by: 1, half as much in each cycle, or a power of gamma. */
static double scale(const optim_LRScheduler *s, double cycle) {
    const double x = s->cyclic.by_iterations ? (double)s->last_epoch : cycle;
    if (s->cyclic.scale_fn) return s->cyclic.scale_fn(x, s->cyclic.context);
    if (strcmp(s->cyclic.mode, "triangular2") == 0) return 1 / pow(2, x - 1);
    return strcmp(s->cyclic.mode, "exp_range") == 0 ? pow(s->cyclic.gamma, x) : 1;
}

static void set_momentum(const optim_Optimizer *optimizer, optim_ParamGroup *group, double momentum) {
    if (optimizer->algorithm->momentum == tg_beta1) group->betas[0] = momentum;
    else group->momentum = momentum;
}

static double cyclic_lr(const optim_LRScheduler *s, int64_t g) {
    optim_ParamGroup *group = &s->optimizer->param_groups[g];
    const double epoch = (double)s->last_epoch, cycle = floor(1 + epoch / s->cyclic.total_size);
    const double x = 1 + epoch / s->cyclic.total_size - cycle, ratio = s->cyclic.step_ratio;
    const double part = x <= ratio ? x / ratio : (x - 1) / (ratio - 1);
    const double low = s->cyclic.base_momentum, high = s->cyclic.max_momentum;
    if (s->cyclic.cycle_momentum)
        set_momentum(s->optimizer, group, high - (high - low) * part * scale(s, cycle));
    return s->base_lrs[g] + (s->high_lrs[g] - s->base_lrs[g]) * part * scale(s, cycle);
}

/* The momentum is in the state only if it is cycled: for each group, with numbers that are the same for all here. */
static bool momentum_state(tg_StateIO *io, optim_LRScheduler *s) {
    bool ok = true;
    for (int64_t g = 0; ok && g < s->groups; g++) {
        char low[40], high[40];
        snprintf(low, sizeof low, "base_momentums.%lld", (long long)g);
        snprintf(high, sizeof high, "max_momentums.%lld", (long long)g);
        ok = tg_io_number(io, low, &s->cyclic.base_momentum) && tg_io_number(io, high, &s->cyclic.max_momentum);
    }
    if (ok && io->mode == tg_writing)
        ok = tg_io_put(io, "use_beta1", t_boolean(s->optimizer->algorithm->momentum == tg_beta1));
    return ok;
}

static bool cyclic_state(tg_StateIO *io, optim_LRScheduler *s) {
    bool ok = tg_io_numbers(io, "max_lrs", s->high_lrs, s->groups) &&
              tg_io_number(io, "total_size", &s->cyclic.total_size) &&
              tg_io_number(io, "step_ratio", &s->cyclic.step_ratio) && tg_io_number(io, "gamma", &s->cyclic.gamma) &&
              tg_io_flag(io, "cycle_momentum", &s->cyclic.cycle_momentum) &&
              (!s->cyclic.cycle_momentum || momentum_state(io, s));
    if (ok && io->mode == tg_writing)
        ok = tg_io_put_text(io, "mode", s->cyclic.mode) &&
             tg_io_put_text(io, "scale_mode", s->cyclic.by_iterations ? "iterations" : "cycle");
    return ok;
}

static const tg_Schedule cyclic = {.name = "CyclicLR", .calls_user = true, .get_lr = cyclic_lr, .state = cyclic_state};

const optim_CyclicLROptions optim_CyclicLRDefaults = {OPTIM_CYCLIC_LR_DEFAULTS_};

static bool is_mode(const char *mode) {
    return mode && (!strcmp(mode, "triangular") || !strcmp(mode, "triangular2") || !strcmp(mode, "exp_range"));
}

static bool check_options(const optim_Optimizer *optimizer, const optim_CyclicLROptions *o) {
    if (isnan(o->base_lr) && !o->base_lrs)
        return tg_fail("CyclicLR.__init__() missing 1 required positional argument: 'base_lr'");
    if (isnan(o->max_lr) && !o->max_lrs)
        return tg_fail("CyclicLR.__init__() missing 1 required positional argument: 'max_lr'");
    if (!is_mode(o->mode) && !o->scale_fn) return tg_fail("mode is invalid and scale_fn is None");
    if (o->step_size_up < 1 || (o->step_size_down != T_NONE && o->step_size_down < 1))
        return tg_fail("step_size_up and step_size_down must be at least 1");
    if (o->cycle_momentum && optimizer->algorithm->momentum == tg_no_momentum)
        return tg_fail("optimizer must support momentum or beta1 with `cycle_momentum` option enabled");
    return tg_check_initial_lr(optimizer, o->last_epoch);
}

static void set_groups(optim_Optimizer *optimizer, const optim_CyclicLROptions *o) {
    for (int64_t g = 0; g < optimizer->len; g++) {
        optim_ParamGroup *group = &optimizer->param_groups[g];
        group->lr = o->base_lrs ? o->base_lrs[g] : o->base_lr;
        if (isnan(group->initial_lr)) group->initial_lr = group->lr;
        if (!o->cycle_momentum) continue;
        set_momentum(optimizer, group, o->max_momentum);
        group->max_momentum = o->max_momentum;
        group->base_momentum = o->base_momentum;
    }
}

/* CyclicLR(optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode="triangular", gamma=1.0,
 * scale_fn=None, scale_mode="cycle", cycle_momentum=True, base_momentum=0.8, max_momentum=0.9, last_epoch=-1). The
 * function of a loaded state dict is the scheduler's own. Errors: those of check_options. */
optim_LRScheduler *optim_CyclicLR_new(optim_Optimizer *optimizer, const optim_CyclicLROptions *options) {
    optim_CyclicLROptions o = optim_CyclicLRDefaults;
    if (!tg_check_optimizer(optimizer) || !tg_take_options(&o, options, sizeof o) || !check_options(optimizer, &o))
        return NULL;
    const double up = (double)o.step_size_up, down = o.step_size_down == T_NONE ? up : (double)o.step_size_down;
    const bool is_power = !o.scale_fn && strcmp(o.mode, "exp_range") == 0;
    const bool by_iterations = o.scale_fn ? o.scale_mode && strcmp(o.scale_mode, "cycle") != 0 : is_power;
    optim_LRScheduler made = {
        .schedule = &cyclic, .last_epoch = o.last_epoch,
        .cyclic = {.total_size = up + down, .step_ratio = up / (up + down), .gamma = o.gamma,
                   .mode = is_mode(o.mode) ? o.mode : "custom", .scale_fn = o.scale_fn, .context = o.context,
                   .by_iterations = by_iterations, .cycle_momentum = o.cycle_momentum,
                   .base_momentum = o.base_momentum, .max_momentum = o.max_momentum}};
    optim_LRScheduler *s = tg_scheduler_alloc(optimizer, made);
    if (!s) return NULL;
    if (o.last_epoch == -1) set_groups(optimizer, &o);
    for (int64_t g = 0; g < s->groups; g++) {
        s->base_lrs[g] = o.base_lrs ? o.base_lrs[g] : o.base_lr;
        s->high_lrs[g] = o.max_lrs ? o.max_lrs[g] : o.max_lr;
    }
    const int64_t failures = tg_context()->failures;
    tg_scheduler_initial_step(s);
    return tg_failed_since(failures) ? NULL : s;
}
