/* optim/lr_scheduler/lr_scheduler_state.c: scheduler.state_dict() and scheduler.load_state_dict() with PyTorch's
 * names. tg_Schedule.state lists the entries of each kind; a user's function is not saved, as in PyTorch. Loading makes
 * two passes over the dict: one checks it, one reads it. */
#include <stdio.h>
#include <string.h>

#include "optim/lr_scheduler/lr_scheduler_internal.h"

static bool io_scheduler(tg_StateIO *io, optim_LRScheduler *s) {
    size_t before;
    bool ok = !s->schedule->state || s->schedule->state(io, s);
    if (ok && s->schedule->get_lr)
        ok = tg_io_numbers(io, "base_lrs", s->base_lrs, s->groups) &&
             tg_io_count(io, "last_epoch", &s->last_epoch, -1) && tg_io_count(io, "_step_count", &s->steps_taken, 0);
    ok = ok && tg_io_numbers(io, "_last_lr", s->last_lr, s->groups);
    for (int64_t i = 0; ok && i < s->part_count; i++) {
        if (!tg_io_enter(io, &before, "_schedulers.%lld.", (long long)i)) return false;
        ok = io_scheduler(io, s->parts[i]);
        io->at = before;
    }
    if (ok && io->mode == tg_checking && s->part_count &&
        tg_io_find(io, "_schedulers.%lld._last_lr.0", (long long)s->part_count))
        ok = tg_fail("'%s' is one scheduler more than expected: %lld are expected", io->name, (long long)s->part_count);
    return ok;
}

/* ---- MultiStepLR's milestones: a count for each epoch, as PyTorch's Counter ---- */

static bool write_milestones(tg_StateIO *io, optim_LRScheduler *s) {
    char key[32];
    if (!s->milestone_count) return tg_io_put_text(io, "milestones", "{}");
    for (int64_t i = 0; i < s->milestone_count; i++) {
        const int64_t epoch = s->milestones[i], before = epoch > INT64_MIN ? tg_milestones_passed(s, epoch - 1) : 0;
        const int64_t times = tg_milestones_passed(s, epoch) - before;
        snprintf(key, sizeof key, "milestones.%lld", (long long)epoch);
        if (!tg_io_find(io, "%s", key) && !tg_io_put(io, key, t_integer(times))) return false;
    }
    return true;
}

static bool grow_milestones(optim_LRScheduler *s, int64_t capacity) {
    int64_t *larger = capacity > s->milestone_capacity ? tg_alloc((size_t)capacity * sizeof *larger) : NULL;
    if (!larger) return capacity <= s->milestone_capacity;
    if (s->milestone_count) memcpy(larger, s->milestones, (size_t)s->milestone_count * sizeof *larger);
    tg_free(s->milestones, (size_t)s->milestone_capacity * sizeof *s->milestones);
    s->milestones = larger;
    s->milestone_capacity = capacity;
    return true;
}

bool tg_io_milestones(tg_StateIO *io, optim_LRScheduler *s) {
    enum { MOST = 1 << 20 };
    size_t before;
    int64_t total = 0, epoch;
    if (io->mode == tg_writing) return write_milestones(io, s);
    if (!tg_io_enter(io, &before, "milestones.")) return false;
    const size_t length = io->at;
    io->at = before;
    for (int64_t i = 0; i < io->dict->len; i++) {
        const t_DictItem *item = &io->dict->items[i];
        io->name[length] = '\0';
        const char *rest = tg_io_parse_index(item, io->name, &epoch);
        if (!rest || *rest) continue;
        const double times = item->tensor && tg_numel(item->tensor) == 1 ? tg_read_double(item->tensor) : 0;
        if (!(times >= 1 && times <= (double)(MOST - total)))
            return tg_fail("'%s' is not a count between 1 and %d", item->name, MOST);
        for (int64_t k = 0; k < (int64_t)times; k++, total++)
            if (io->mode == tg_reading) s->milestones[total] = epoch;
    }
    if (io->mode == tg_reading) {
        s->milestone_count = total;
        return true;
    }
    io->name[length - 1] = '\0'; /* "milestones", a text where there is none */
    return (total || t_dict_get_text(io->dict, io->name)) && grow_milestones(s, total);
}

/* ---- public ---- */

t_TensorDict *optim_scheduler_state_dict(const optim_LRScheduler *s) {
    int depth = tg_check_scheduler(s) ? t_scope_open() : 0;
    tg_StateIO io = {.mode = tg_writing, .dict = depth ? t_dict_new() : NULL};
    t_TensorDict *dict = io.dict && io_scheduler(&io, (optim_LRScheduler *)s) ? io.dict : NULL;
    return tg_scope_return(depth, dict);
}

bool optim_scheduler_load_state_dict(optim_LRScheduler *s, const t_TensorDict *state_dict) {
    if (!tg_check_scheduler(s) || !tg_check_dict(state_dict, 2)) return false;
    tg_StateIO io = {.mode = tg_checking, .dict = (t_TensorDict *)state_dict};
    if (!io_scheduler(&io, s)) return false;
    io = (tg_StateIO){.mode = tg_reading, .dict = (t_TensorDict *)state_dict};
    return io_scheduler(&io, s);
}
