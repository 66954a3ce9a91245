/* optim/lr_scheduler/reduce_lr_on_plateau.c: ReduceLROnPlateau: reduces the lr when a metric has stopped improving. */
#include <stdio.h>
#include <string.h>

#include "optim/lr_scheduler/lr_scheduler_internal.h"

static bool is_better(const optim_LRScheduler *s, double value) {
    const double best = s->plateau.best, threshold = s->plateau.threshold;
    if (s->plateau.max) return value > (s->plateau.absolute ? best + threshold : best * (threshold + 1.0));
    return value < (s->plateau.absolute ? best - threshold : best * (1.0 - threshold));
}

static double reduced(const optim_LRScheduler *s, int64_t g) {
    const double lr = s->optimizer->param_groups[g].lr, smaller = fmax(lr * s->plateau.factor, s->plateau.min_lr);
    return lr - smaller > s->plateau.eps ? smaller : lr;
}

/* scheduler.step(metrics): a metric of NaN is not better than any other. */
static bool plateau_step_on(optim_LRScheduler *s, double value) {
    s->last_epoch++;
    s->plateau.bad_epochs++;
    if (is_better(s, value)) {
        s->plateau.best = value;
        s->plateau.bad_epochs = 0;
    }
    if (s->plateau.waiting > 0) {
        s->plateau.waiting--;
        s->plateau.bad_epochs = 0; /* bad epochs in the cooldown are not counted */
    }
    if (s->plateau.bad_epochs > s->plateau.patience) {
        tg_scheduler_set_lr(s, reduced);
        s->plateau.waiting = s->plateau.cooldown;
        s->plateau.bad_epochs = 0;
    }
    tg_scheduler_note_lr(s);
    return true;
}

static bool plateau_can_step(const optim_LRScheduler *s) {
    (void)s;
    return tg_fail("ReduceLROnPlateau.step() missing 1 required positional argument: 'metrics'");
}

static bool min_lrs(tg_StateIO *io, optim_LRScheduler *s) {
    char key[32];
    bool ok = true;
    for (int64_t g = 0; ok && g < s->groups; g++) {
        snprintf(key, sizeof key, "min_lrs.%lld", (long long)g);
        ok = tg_io_number(io, key, &s->plateau.min_lr);
        if (ok && g && io->mode == tg_checking &&
            tg_read_double(tg_io_get(io, key)) != tg_read_double(tg_io_get(io, "min_lrs.0")))
            ok = tg_fail(
                "ReduceLROnPlateau has one min_lr for all groups here, but '%s' differs from that of group 0", key);
    }
    return ok;
}

static bool plateau_state(tg_StateIO *io, optim_LRScheduler *s) {
    return tg_io_number(io, "factor", &s->plateau.factor) && min_lrs(io, s) &&
           tg_io_int64(io, "patience", &s->plateau.patience, 0) &&
           tg_io_int64(io, "cooldown", &s->plateau.cooldown, 0) && tg_io_number(io, "eps", &s->plateau.eps) &&
           tg_io_count(io, "last_epoch", &s->last_epoch, -1) &&
           tg_io_choice(io, "mode", "min", "max", &s->plateau.max) &&
           tg_io_number(io, "threshold", &s->plateau.threshold) &&
           tg_io_choice(io, "threshold_mode", "rel", "abs", &s->plateau.absolute) &&
           tg_io_number(io, "best", &s->plateau.best) && tg_io_int64(io, "cooldown_counter", &s->plateau.waiting, 0) &&
           tg_io_count(io, "num_bad_epochs", &s->plateau.bad_epochs, 0);
}

static const tg_Schedule plateau = {
    .name = "ReduceLROnPlateau", .can_step = plateau_can_step, .step_on = plateau_step_on, .state = plateau_state};

const optim_ReduceLROnPlateauOptions optim_ReduceLROnPlateauDefaults = {OPTIM_PLATEAU_DEFAULTS_};

static bool is_one_of(const char *word, const char *a, const char *b) {
    return word && (strcmp(word, a) == 0 || strcmp(word, b) == 0);
}

/* ReduceLROnPlateau(optimizer, mode="min", ...): see optim_ReduceLROnPlateauOptions. A value is better if it improves
 * on the best so far by the threshold ("rel": a fraction of the best, "abs": a difference). After a reduction bad
 * epochs are not counted for `cooldown` epochs. Changes of lr by eps or less are skipped. Not supported: a list of
 * min_lr. Errors: factor >= 1, another mode. */
optim_LRScheduler *optim_ReduceLROnPlateau_new(optim_Optimizer *optimizer,
                                               const optim_ReduceLROnPlateauOptions *options) {
    optim_ReduceLROnPlateauOptions o = optim_ReduceLROnPlateauDefaults;
    if (!tg_check_optimizer(optimizer) || !tg_take_options(&o, options, sizeof o)) return NULL;
    if (o.factor >= 1) return tg_fail("Factor should be < 1.0.");
    if (!is_one_of(o.mode, "min", "max")) return tg_fail("mode %s is unknown!", o.mode ? o.mode : "None");
    if (!is_one_of(o.threshold_mode, "rel", "abs"))
        return tg_fail("threshold mode %s is unknown!", o.threshold_mode ? o.threshold_mode : "None");
    const bool max = strcmp(o.mode, "max") == 0;
    return tg_scheduler_alloc(optimizer,
                              (optim_LRScheduler){.schedule = &plateau, .plateau = {.best = max ? -INFINITY : INFINITY,
                                                              .factor = o.factor, .threshold = o.threshold,
                                                              .min_lr = o.min_lr, .eps = o.eps, .patience = o.patience,
                                                              .cooldown = o.cooldown, .max = max,
                                                              .absolute = strcmp(o.threshold_mode, "abs") == 0}});
}
