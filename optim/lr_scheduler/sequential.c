/* optim/lr_scheduler/sequential.c: SequentialLR and ChainedScheduler, composed of other schedulers, to which they hold
 * references. */
#include <stdio.h>

#include "optim/lr_scheduler/lr_scheduler_internal.h"

static bool check_parts(const char *name, const optim_Optimizer *optimizer, optim_LRScheduler *const *parts,
                        int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        if (!tg_check_scheduler(parts[i])) return false;
        if (parts[i]->schedule->step_on && !parts[i]->schedule->get_lr)
            return tg_fail(
                "%s does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be specified "
                "when calling `step`, but got one at index %lld in the given schedulers sequence.",
                name, (long long)i);
        if (parts[i]->optimizer == optimizer && !tg_scheduler_fits(parts[i])) return false;
        if (parts[i]->optimizer != optimizer)
            return tg_fail(
                "%s expects all schedulers to belong to the same optimizer, but the scheduler %s at index %lld has "
                "another one",
                name, parts[i]->schedule->name, (long long)i);
    }
    return true;
}

/* ---- ChainedScheduler ---- */

static bool chained_can_step(const optim_LRScheduler *s) {
    for (int64_t i = 0; i < s->part_count; i++)
        if (!tg_scheduler_can_step(s->parts[i])) return false;
    return true;
}

static void chained_step(optim_LRScheduler *s) {
    for (int64_t i = 0; i < s->part_count; i++) tg_scheduler_take(s->parts[i]);
    tg_scheduler_note_lr(s);
}

static const tg_Schedule chained = {.name = "ChainedScheduler", .can_step = chained_can_step, .step = chained_step};

/* ChainedScheduler(schedulers): a step runs a step of each, in order. PyTorch's optimizer= is the schedulers' own. As
 * in PyTorch it counts no epochs (optim_last_epoch stays 0). Errors: no scheduler, a ReduceLROnPlateau, two
 * optimizers. */
optim_LRScheduler *optim_ChainedScheduler_new(optim_LRScheduler *const *schedulers, int64_t count) {
    if (count < 1)
        return tg_fail("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.");
    if (!tg_check_array(schedulers, count, 1, "schedulers")) return NULL;
    if (!tg_check_scheduler(schedulers[0]) || !check_parts(chained.name, schedulers[0]->optimizer, schedulers, count))
        return NULL;
    return tg_scheduler_alloc(schedulers[0]->optimizer,
                              (optim_LRScheduler){.schedule = &chained, .part_count = count,
                                                  .parts = (optim_LRScheduler **)schedulers});
}

/* ---- SequentialLR ---- */

/* The scheduler that is active at an epoch, and whether this is its first epoch. */
static optim_LRScheduler *part_at(const optim_LRScheduler *s, int64_t epoch, bool *first) {
    int64_t i = tg_milestones_passed(s, epoch);
    *first = i > 0 && s->milestones[i - 1] == epoch;
    return s->parts[i];
}

static bool sequential_can_step(const optim_LRScheduler *s) {
    bool first;
    const optim_LRScheduler *part = part_at(s, s->last_epoch + 1, &first);
    return first || tg_scheduler_can_step(part);
}

static void sequential_step(optim_LRScheduler *s) {
    bool first;
    optim_LRScheduler *part = part_at(s, ++s->last_epoch, &first);
    if (first) {
        part->last_epoch = 0;
        tg_scheduler_set_lr(part, part->schedule->first_lr ? part->schedule->first_lr : part->schedule->get_lr);
    } else {
        tg_scheduler_take(part);
    }
    tg_scheduler_note_lr(s);
}

static bool sequential_state(tg_StateIO *io, optim_LRScheduler *s) {
    char key[40];
    bool ok = true;
    for (int64_t i = 0; ok && i < s->milestone_count; i++) {
        snprintf(key, sizeof key, "_milestones.%lld", (long long)i);
        ok = tg_io_int64(io, key, &s->milestones[i], 1);
    }
    return ok && tg_io_count(io, "last_epoch", &s->last_epoch, -1);
}

static const tg_Schedule sequential = {.name = "SequentialLR", .can_step = sequential_can_step, .step = sequential_step,
                                       .state = sequential_state};

/* SequentialLR(optimizer, schedulers, milestones): schedulers[i + 1] replaces schedulers[i] at epoch milestones[i], and
 * starts at its own epoch 0. The lr that the constructors of the schedulers set is undone. Errors: no scheduler, not
 * one milestone less than schedulers, milestones that do not increase, a ReduceLROnPlateau, a scheduler of another
 * optimizer, and a composed scheduler (which PyTorch accepts, but leaves without an lr at the switch). */
optim_LRScheduler *optim_SequentialLR_new(optim_Optimizer *optimizer, optim_LRScheduler *const *schedulers,
                                          int64_t count, const int64_t *milestones, int64_t milestone_count) {
    if (!tg_check_optimizer(optimizer)) return NULL;
    if ((count < 1 || milestone_count != count - 1) && t_error()) return NULL; /* a scheduler's constructor failed */
    if (count < 1) return tg_fail("SequentialLR expects at least one scheduler, but got no scheduler.");
    if (!tg_check_array(schedulers, count, 2, "schedulers") ||
        !tg_check_array(milestones, milestone_count, 4, "milestones"))
        return NULL;
    if (!check_parts(sequential.name, optimizer, schedulers, count)) return NULL;
    for (int64_t i = 0; i < count; i++)
        if (schedulers[i]->part_count)
            return tg_fail("SequentialLR takes no %s, as at index %lld", schedulers[i]->schedule->name, (long long)i);
    if (milestone_count != count - 1)
        return tg_fail(
            "Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone "
            "points, but got number of schedulers %lld and the number of milestones to be equal to %lld",
            (long long)count, (long long)milestone_count);
    for (int64_t i = 0; i < milestone_count; i++)
        if (milestones[i] <= (i ? milestones[i - 1] : 0))
            return tg_fail("SequentialLR expects milestones that grow from 1 on, but got %lld at index %lld",
                           (long long)milestones[i], (long long)i);
    optim_LRScheduler *s = tg_scheduler_alloc(optimizer, (optim_LRScheduler){
        .schedule = &sequential, .part_count = count, .parts = (optim_LRScheduler **)schedulers,
        .milestone_count = milestone_count, .milestones = (int64_t *)milestones});
    if (!s) return NULL;
    for (int64_t g = 0; g < s->groups; g++) optimizer->param_groups[g].lr = optimizer->param_groups[g].initial_lr;
    for (int64_t i = 0; i < count; i++) s->parts[i]->last_epoch--;
    tg_scheduler_initial_step(s->parts[0]);
    tg_scheduler_note_lr(s);
    return s;
}
