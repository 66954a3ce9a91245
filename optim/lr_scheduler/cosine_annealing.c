/* optim/lr_scheduler/cosine_annealing.c: CosineAnnealingLR and CosineAnnealingWarmRestarts (Loshchilov & Hutter, "SGDR:
 * stochastic gradient descent with warm restarts", 2016):
 *
 *     lr = eta_min + (initial lr - eta_min) (1 + cos(pi T_cur / T_max)) / 2 */
#include "optim/lr_scheduler/lr_scheduler_internal.h"

/* ---- CosineAnnealingLR: recursive in the lr of the epoch before, as in PyTorch. Error: T_max < 1 (PyTorch divides by
 * it) ---- */

static double cosine_lr(const optim_LRScheduler *s, int64_t g) {
    const double lr = s->optimizer->param_groups[g].lr, eta_min = s->cosine.eta_min, T_max = (double)s->cosine.T_max;
    const double epoch = (double)s->last_epoch;
    if (s->is_initial) return lr;
    const int64_t previous = s->last_epoch - 1;
    /* at the minimum, where the factor is 0 / 0 */
    if (previous % s->cosine.T_max == 0 && previous / s->cosine.T_max % 2 != 0)
        return lr + (s->base_lrs[g] - eta_min) * (1 - cos(M_PI / T_max)) / 2;
    return (1 + cos(M_PI * epoch / T_max)) / (1 + cos(M_PI * (epoch - 1) / T_max)) * (lr - eta_min) + eta_min;
}

static double cosine_first_lr(const optim_LRScheduler *s, int64_t g) {
    return s->cosine.eta_min + (s->base_lrs[g] - s->cosine.eta_min) * 2 / 2;
}

static bool cosine_state(tg_StateIO *io, optim_LRScheduler *s) {
    return tg_io_int64(io, "T_max", &s->cosine.T_max, 1) && tg_io_number(io, "eta_min", &s->cosine.eta_min);
}

static const tg_Schedule cosine = {.name = "CosineAnnealingLR", .get_lr = cosine_lr, .first_lr = cosine_first_lr,
                                   .state = cosine_state};

const optim_CosineAnnealingLROptions optim_CosineAnnealingLRDefaults = {OPTIM_COSINE_LR_DEFAULTS_};

optim_LRScheduler *optim_CosineAnnealingLR_new(optim_Optimizer *optimizer,
                                               const optim_CosineAnnealingLROptions *options) {
    optim_CosineAnnealingLROptions o = optim_CosineAnnealingLRDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (o.T_max < 1) return tg_fail("Expected positive integer T_max, but got %lld", (long long)o.T_max);
    return tg_scheduler_new(optimizer, (optim_LRScheduler){.schedule = &cosine, .last_epoch = o.last_epoch,
                                                           .cosine = {.eta_min = o.eta_min, .T_max = o.T_max}});
}

/* ---- CosineAnnealingWarmRestarts. Errors: T_0 or T_mult < 1; step(epoch) of an epoch < 0 or > 2^53 ---- */

static double restarts_lr(const optim_LRScheduler *s, int64_t g) {
    const double eta_min = s->cosine.eta_min;
    return eta_min + (s->base_lrs[g] - eta_min) * (1 + cos(M_PI * s->cosine.T_cur / (double)s->cosine.T_i)) / 2;
}

static bool restarts_step_on(optim_LRScheduler *s, double epoch) {
    const double T_0 = (double)s->cosine.T_0, T_mult = (double)s->cosine.T_mult;
    if (!(epoch >= 0)) return tg_fail("Expected non-negative epoch, but got %s", tg_number_text(epoch));
    if (!tg_check_last_epoch(epoch)) return false;
    s->cosine.T_cur = epoch;
    s->cosine.T_i = s->cosine.T_0;
    if (epoch >= T_0 && s->cosine.T_mult == 1) {
        s->cosine.T_cur = fmod(epoch, T_0);
    } else if (epoch >= T_0) { /* after n cycles of T_0, T_0 T_mult, T_0 T_mult^2, ... epochs */
        const double n = trunc(log(epoch / T_0 * (T_mult - 1) + 1) / log(T_mult));
        s->cosine.T_cur = epoch - T_0 * (pow(T_mult, n) - 1) / (T_mult - 1);
        const double T_i = T_0 * pow(T_mult, n);
        s->cosine.T_i = T_i < 0x1p63 ? (int64_t)T_i : INT64_MAX;
    }
    s->last_epoch = (int64_t)floor(epoch);
    tg_scheduler_set_lr(s, restarts_lr);
    return true;
}

static void restarts_step(optim_LRScheduler *s) {
    if (s->last_epoch < 0) {
        restarts_step_on(s, 0);
        return;
    }
    s->cosine.T_cur++;
    if (s->cosine.T_cur >= (double)s->cosine.T_i) {
        s->cosine.T_cur = fmod(s->cosine.T_cur, (double)s->cosine.T_i);
        if (__builtin_mul_overflow(s->cosine.T_i, s->cosine.T_mult, &s->cosine.T_i)) s->cosine.T_i = INT64_MAX;
    }
    s->last_epoch++;
    tg_scheduler_set_lr(s, restarts_lr);
}

static bool restarts_state(tg_StateIO *io, optim_LRScheduler *s) {
    return tg_io_int64(io, "T_0", &s->cosine.T_0, 1) && tg_io_int64(io, "T_i", &s->cosine.T_i, 1) &&
           tg_io_int64(io, "T_mult", &s->cosine.T_mult, 1) && tg_io_number(io, "eta_min", &s->cosine.eta_min) &&
           tg_io_number(io, "T_cur", &s->cosine.T_cur);
}

static const tg_Schedule restarts = {.name = "CosineAnnealingWarmRestarts", .get_lr = restarts_lr,
                                     .step = restarts_step, .step_on = restarts_step_on, .state = restarts_state};

const optim_CosineAnnealingWarmRestartsOptions optim_CosineAnnealingWarmRestartsDefaults = {
    OPTIM_WARM_RESTARTS_DEFAULTS_};

optim_LRScheduler *optim_CosineAnnealingWarmRestarts_new(optim_Optimizer *optimizer,
                                                         const optim_CosineAnnealingWarmRestartsOptions *options) {
    optim_CosineAnnealingWarmRestartsOptions o = optim_CosineAnnealingWarmRestartsDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (o.T_0 < 1) return tg_fail("Expected positive integer T_0, but got %lld", (long long)o.T_0);
    if (o.T_mult < 1) return tg_fail("Expected integer T_mult >= 1, but got %lld", (long long)o.T_mult);
    return tg_scheduler_new(
        optimizer,
        (optim_LRScheduler){
            .schedule = &restarts, .last_epoch = o.last_epoch, .cosine = {
                .eta_min = o.eta_min, .T_0 = o.T_0, .T_i = o.T_0, .T_mult = o.T_mult, .T_cur = (double)o.last_epoch}});
}
