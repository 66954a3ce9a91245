/* optim/lr_scheduler/swa_lr.c: torch.optim.swa_utils.SWALR: from the lr of the groups to swa_lr in anneal_epochs, for
 * stochastic weight averaging (Izmailov et al., "Averaging weights leads to wider optima and better generalization",
 * 2018). */
#include <string.h>

#include "optim/lr_scheduler/lr_scheduler_internal.h"

/* The part of swa_lr after `step` of the epochs: recursive, since the lr of the epoch before is what a group has. */
static double part_after(const optim_LRScheduler *s, double step) {
    const double epochs = s->swa.anneal_epochs > 1 ? (double)s->swa.anneal_epochs : 1;
    const double t = fmax(0, fmin(1, step / epochs));
    return s->swa.linear ? t : (1 - cos(M_PI * t)) / 2;
}

static double swa_lr(const optim_LRScheduler *s, int64_t g) {
    const optim_ParamGroup *group = &s->optimizer->param_groups[g];
    double step = (double)(s->steps_taken - 1);
    if (s->swa.anneal_epochs == 0) step = fmax(1, step);
    const double before = part_after(s, step - 1), part = part_after(s, step);
    const double lr = before == 1 ? group->swa_lr : (group->lr - before * group->swa_lr) / (1 - before);
    return group->swa_lr * part + lr * (1 - part);
}

static bool swa_state(tg_StateIO *io, optim_LRScheduler *s) {
    return tg_io_int64(io, "anneal_epochs", &s->swa.anneal_epochs, 0) &&
           tg_io_choice(io, "_anneal_strategy", "cos", "linear", &s->swa.linear);
}

static const tg_Schedule swa = {.name = "SWALR", .get_lr = swa_lr, .state = swa_state};

const optim_SWALROptions optim_SWALRDefaults = {OPTIM_SWALR_DEFAULTS_};

/* SWALR(optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1); swa_lrs: one for each group.
 * Errors: no swa_lr, another strategy, anneal_epochs negative. */
optim_LRScheduler *optim_SWALR_new(optim_Optimizer *optimizer, const optim_SWALROptions *options) {
    optim_SWALROptions o = optim_SWALRDefaults;
    if (!tg_check_optimizer(optimizer) || !tg_take_options(&o, options, sizeof o)) return NULL;
    if (isnan(o.swa_lr) && !o.swa_lrs)
        return tg_fail("SWALR.__init__() missing 1 required positional argument: 'swa_lr'");
    if (!o.anneal_strategy || (strcmp(o.anneal_strategy, "cos") && strcmp(o.anneal_strategy, "linear")))
        return tg_fail("anneal_strategy must be one of 'cos' or 'linear', instead got %s",
                       o.anneal_strategy ? o.anneal_strategy : "None");
    if (o.anneal_epochs < 0)
        return tg_fail("anneal_epochs must be equal or greater than 0, got %lld", (long long)o.anneal_epochs);
    if (!tg_check_initial_lr(optimizer, o.last_epoch)) return NULL;
    for (int64_t g = 0; g < optimizer->len; g++)
        optimizer->param_groups[g].swa_lr = o.swa_lrs ? o.swa_lrs[g] : o.swa_lr;
    return tg_scheduler_new(optimizer, (optim_LRScheduler){.schedule = &swa, .last_epoch = o.last_epoch,
                                                           .swa = {.anneal_epochs = o.anneal_epochs,
                                                                   .linear = o.anneal_strategy[0] == 'l'}});
}
