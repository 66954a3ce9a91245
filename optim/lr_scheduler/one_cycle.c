/* optim/lr_scheduler/one_cycle.c: OneCycleLR: the lr rises to max_lr and then falls far below its initial value, while
 * the momentum is cycled in the opposite direction (Smith & Topin, "Super-convergence: very fast training of neural
 * networks using large learning rates", 2017; three_phase is the paper's form, the default that of fastai). */
#include <string.h>

#include "optim/lr_scheduler/lr_scheduler_internal.h"

/* ---- phases ---- */

static double anneal(const optim_LRScheduler *s, double start, double end, double part) {
    if (s->cycle.linear) return (end - start) * part + start;
    return end + (start - end) / 2.0 * (cos(M_PI * part) + 1);
}

/* The phase of a step, and the fraction of it that is done. */
static int phase_of(const optim_LRScheduler *s, int64_t step, double *part) {
    double from = 0;
    int phase = 0;
    for (; phase < s->cycle.phases - 1 && (double)step > s->cycle.end_step[phase]; phase++)
        from = s->cycle.end_step[phase];
    *part = ((double)step - from) / (s->cycle.end_step[phase] - from);
    return phase;
}

static bool check_step(const optim_LRScheduler *s, int64_t step) {
    double part;
    if (step > s->cycle.total_steps)
        return tg_fail("Tried to step %lld times. The specified number of total steps is %lld", (long long)step,
                       (long long)s->cycle.total_steps);
    phase_of(s, step, &part);
    return isfinite(part) || tg_fail("float division by zero");
}

static bool one_cycle_can_step(const optim_LRScheduler *s) {
    return check_step(s, s->last_epoch + 1);
}

static void set_momentum(const optim_Optimizer *optimizer, optim_ParamGroup *group, double momentum) {
    if (optimizer->algorithm->momentum == tg_beta1) group->betas[0] = momentum;
    else group->momentum = momentum;
}

/* The lr rises in phase 0, then falls to min_lr, with three_phase by way of the initial lr; the momentum, which is set
 * here too, moves in the opposite direction. */
static double one_cycle_lr(const optim_LRScheduler *s, int64_t g) {
    optim_ParamGroup *group = &s->optimizer->param_groups[g];
    const double high = group->max_momentum, low = group->base_momentum;
    double part;
    const int phase = phase_of(s, s->last_epoch, &part);
    const bool down = phase == 1 && s->cycle.phases == 3; /* down to the initial lr only */
    if (s->cycle.cycle_momentum)
        set_momentum(s->optimizer, group, anneal(s, phase == 1 ? low : high, phase == 0 ? low : high, part));
    if (phase == 0) return anneal(s, group->initial_lr, group->max_lr, part);
    return anneal(s, phase == 1 ? group->max_lr : group->initial_lr, down ? group->initial_lr : group->min_lr, part);
}

/* The names under which PyTorch saves a phase's start and end values; here they follow from the number of phases. */
static bool phase_state(tg_StateIO *io, optim_LRScheduler *s, int phase, int phases) {
    size_t before;
    bool ok = tg_io_enter(io, &before, "_schedule_phases.%d.", phase) &&
              tg_io_number(io, "end_step", &s->cycle.end_step[phase]);
    if (ok && io->mode == tg_writing)
        ok = tg_io_put_text(io, "start_lr", phase == 1 ? "max_lr" : "initial_lr") &&
             tg_io_put_text(io, "end_lr", phase == 0 ? "max_lr" : phase == phases - 1 ? "min_lr" : "initial_lr") &&
             tg_io_put_text(io, "start_momentum", phase == 1 ? "base_momentum" : "max_momentum") &&
             tg_io_put_text(io, "end_momentum", phase == 0 ? "base_momentum" : "max_momentum");
    io->at = before;
    return ok;
}

static bool one_cycle_state(tg_StateIO *io, optim_LRScheduler *s) {
    int phases = s->cycle.phases;
    if (io->mode != tg_writing) phases = tg_io_find(io, "_schedule_phases.2.end_step") ? 3 : 2;
    bool ok = tg_io_int64(io, "total_steps", &s->cycle.total_steps, 1);
    for (int phase = 0; ok && phase < phases; phase++) ok = phase_state(io, s, phase, phases);
    ok = ok && tg_io_choice(io, "_anneal_func_type", "cos", "linear", &s->cycle.linear) &&
         tg_io_flag(io, "cycle_momentum", &s->cycle.cycle_momentum);
    if (ok && io->mode == tg_writing && s->cycle.cycle_momentum)
        ok = tg_io_put(io, "use_beta1", t_boolean(s->optimizer->algorithm->momentum == tg_beta1));
    if (ok && io->mode == tg_reading) s->cycle.phases = phases;
    return ok;
}

static const tg_Schedule one_cycle = {.name = "OneCycleLR", .get_lr = one_cycle_lr, .can_step = one_cycle_can_step,
                                      .state = one_cycle_state};

/* ---- construction ---- */

const optim_OneCycleLROptions optim_OneCycleLRDefaults = {OPTIM_ONE_CYCLE_LR_DEFAULTS_};

static bool check_positive(const char *name, int64_t value) {
    return value > 0 || tg_fail("Expected positive integer %s, but got %lld", name, (long long)value);
}

static bool check_options(const optim_Optimizer *optimizer, const optim_OneCycleLROptions *o) {
    if (isnan(o->max_lr) && !o->max_lrs)
        return tg_fail("OneCycleLR.__init__() missing 1 required positional argument: 'max_lr'");
    if (o->total_steps != T_NONE) {
        if (!check_positive("total_steps", o->total_steps)) return false;
    } else if (o->epochs == T_NONE || o->steps_per_epoch == T_NONE) {
        return tg_fail("You must define either total_steps OR (epochs AND steps_per_epoch)");
    } else if (!check_positive("epochs", o->epochs) || !check_positive("steps_per_epoch", o->steps_per_epoch)) {
        return false;
    } else if (o->epochs > TG_MAX_STEPS / o->steps_per_epoch) {
        return tg_fail("%lld epochs of %lld steps are more than the %lld steps that can be counted",
                       (long long)o->epochs, (long long)o->steps_per_epoch, (long long)TG_MAX_STEPS);
    }
    if (!(o->pct_start >= 0 && o->pct_start <= 1))
        return tg_fail("Expected float between 0 and 1 pct_start, but got %s", tg_number_text(o->pct_start));
    if (!o->anneal_strategy || (strcmp(o->anneal_strategy, "cos") != 0 && strcmp(o->anneal_strategy, "linear") != 0))
        return tg_fail("anneal_strategy must be one of 'cos' or 'linear', instead got %s",
                       o->anneal_strategy ? o->anneal_strategy : "None");
    if (o->cycle_momentum && optimizer->algorithm->momentum == tg_no_momentum)
        return tg_fail("optimizer must support momentum or beta1 with `cycle_momentum` option enabled");
    return true;
}

/* A continued schedule reads what the earlier one set in the groups. */
static bool check_groups(const optim_Optimizer *optimizer, const optim_OneCycleLROptions *o) {
    for (int64_t g = 0; o->last_epoch != -1 && g < optimizer->len; g++) {
        const optim_ParamGroup *group = &optimizer->param_groups[g];
        const char *missing = NULL;
        if (o->cycle_momentum && isnan(group->max_momentum)) missing = "max_momentum";
        if (isnan(group->max_lr)) missing = "max_lr";
        if (missing)
            return tg_fail(
                "param '%s' is not specified in param_groups[%lld] when resuming scheduler with last_epoch >= 0.",
                missing, (long long)g);
    }
    return true;
}

/* A new schedule sets these in the groups, for itself and for a later one that continues it. */
static void set_groups(optim_Optimizer *optimizer, const optim_OneCycleLROptions *o) {
    for (int64_t g = 0; g < optimizer->len; g++) {
        optim_ParamGroup *group = &optimizer->param_groups[g];
        group->max_lr = o->max_lrs ? o->max_lrs[g] : o->max_lr;
        group->initial_lr = group->max_lr / o->div_factor;
        group->min_lr = group->initial_lr / o->final_div_factor;
        if (!o->cycle_momentum) continue;
        group->max_momentum = o->max_momentum;
        group->base_momentum = o->base_momentum;
    }
}

/* OneCycleLR(optimizer, max_lr, total_steps, ...): see optim_OneCycleLROptions. From max_lr / div_factor up to max_lr
 * in pct_start of the steps, then down to max_lr / div_factor / final_div_factor. The momentum (beta1 in Adam) goes
 * from max_momentum down to base_momentum and up again. It has total_steps steps: one more is an error. Errors: those
 * of check_options, a phase of length 0, continuing (last_epoch) without an earlier OneCycleLR. */
optim_LRScheduler *optim_OneCycleLR_new(optim_Optimizer *optimizer, const optim_OneCycleLROptions *options) {
    optim_OneCycleLROptions o = optim_OneCycleLRDefaults;
    if (!tg_check_optimizer(optimizer) || !tg_take_options(&o, options, sizeof o) || !check_options(optimizer, &o) ||
        !tg_check_initial_lr(optimizer, o.last_epoch) || !check_groups(optimizer, &o)) return NULL;
    const int64_t total = o.total_steps != T_NONE ? o.total_steps : o.epochs * o.steps_per_epoch;
    const double rise = o.pct_start * (double)total, last = (double)(total - 1);
    optim_LRScheduler made = {.schedule = &one_cycle, .last_epoch = o.last_epoch,
                              .cycle = {.total_steps = total, .end_step = {rise - 1, last}, .phases = 2,
                                        .linear = strcmp(o.anneal_strategy, "linear") == 0,
                                        .cycle_momentum = o.cycle_momentum}};
    if (o.three_phase) {
        made.cycle.phases = 3;
        made.cycle.end_step[1] = 2 * o.pct_start * (double)total - 2;
        made.cycle.end_step[2] = last;
    }
    if (!check_step(&made, o.last_epoch + 1)) return NULL;
    optim_LRScheduler *s = tg_scheduler_alloc(optimizer, made);
    if (!s) return NULL;
    if (o.last_epoch == -1) set_groups(optimizer, &o);
    for (int64_t g = 0; g < s->groups; g++) s->base_lrs[g] = optimizer->param_groups[g].initial_lr;
    tg_scheduler_initial_step(s);
    return s;
}
