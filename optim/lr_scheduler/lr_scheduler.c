/* optim/lr_scheduler/lr_scheduler.c: torch.optim.lr_scheduler: what all schedulers share. The kinds are in lr_*.c. */
#include <stdio.h>
#include <string.h>

#include "core/tensor/size_arithmetic.h"
#include "optim/lr_scheduler/lr_scheduler_internal.h"

/* ---- the object ---- */

static void lists_free(optim_LRScheduler *s) {
    for (int64_t i = 0; s->parts && i < s->part_count; i++) t_release(s->parts[i]);
    tg_free(s->parts, (size_t)s->part_count * sizeof *s->parts);
    tg_free(s->milestones, (size_t)s->milestone_capacity * sizeof *s->milestones);
    tg_free(s->base_lrs, (size_t)s->groups * sizeof *s->base_lrs);
    tg_free(s->last_lr, (size_t)s->groups * sizeof *s->last_lr);
    tg_free(s->high_lrs, (size_t)s->groups * sizeof *s->high_lrs);
}

static void scheduler_destroy(void *object) {
    optim_LRScheduler *s = object;
    tg_object_dispose(&s->object);
    lists_free(s);
    t_release(s->optimizer);
    tg_object_free(&s->object, sizeof *s);
}

static const t_Class scheduler_class = {"LRScheduler", scheduler_destroy};

bool tg_check_scheduler(const optim_LRScheduler *s) {
    if (!s) return t_error() ? false : tg_fail("argument 1 is NULL where a scheduler is expected") != NULL;
    return s->object.is_a == &scheduler_class || tg_fail("argument 1 is not a live scheduler");
}

static void *copy_of(const void *list, int64_t count, size_t item) {
    /* what does not fit is refused as more memory than there is */
    const int64_t bytes = tg_size_mul(count, (int64_t)item);
    void *copy = count ? tg_alloc((size_t)bytes) : NULL;
    return copy ? memcpy(copy, list, (size_t)count * item) : NULL;
}

optim_LRScheduler *tg_scheduler_alloc(optim_Optimizer *optimizer, optim_LRScheduler made) {
    optim_LRScheduler *s = tg_alloc(sizeof *s);
    if (!s) return NULL;
    made.groups = optimizer->len;
    made.milestone_capacity = made.milestone_count;
    made.base_lrs = tg_alloc((size_t)made.groups * sizeof *made.base_lrs);
    made.last_lr = tg_alloc((size_t)made.groups * sizeof *made.last_lr);
    made.high_lrs = tg_alloc((size_t)made.groups * sizeof *made.high_lrs);
    made.milestones = copy_of(made.milestones, made.milestone_count, sizeof *made.milestones);
    made.parts = copy_of(made.parts, made.part_count, sizeof *made.parts);
    for (int64_t i = 0; made.parts && i < made.part_count; i++) t_retain(made.parts[i]);
    if (!made.base_lrs || !made.last_lr || !made.high_lrs || (made.milestone_count && !made.milestones) ||
        (made.part_count && !made.parts)) {
        lists_free(&made);
        tg_free(s, sizeof *s);
        return NULL;
    }
    *s = made;
    s->optimizer = t_retain(optimizer);
    tg_object_init(&s->object, &scheduler_class);
    tg_scheduler_note_lr(s);
    return s;
}

bool tg_check_last_epoch(double last_epoch) {
    return fabs(last_epoch) <= (double)TG_MAX_STEPS ||
           tg_fail("last_epoch would be %s, but must be at most %lld", tg_number_text(last_epoch),
                   (long long)TG_MAX_STEPS);
}

/* A schedule that is continued needs the lr from which it started. */
bool tg_check_initial_lr(const optim_Optimizer *optimizer, int64_t last_epoch) {
    if (!tg_check_last_epoch((double)last_epoch)) return false;
    for (int64_t g = 0; last_epoch != -1 && g < optimizer->len; g++)
        if (isnan(optimizer->param_groups[g].initial_lr))
            return tg_fail("param 'initial_lr' is not specified in param_groups[%lld] when resuming scheduler with "
                           "last_epoch >= 0.", (long long)g);
    return true;
}

optim_LRScheduler *tg_scheduler_new(optim_Optimizer *optimizer, optim_LRScheduler made) {
    if (!tg_check_optimizer(optimizer) || !tg_check_initial_lr(optimizer, made.last_epoch)) return NULL;
    optim_LRScheduler *s = tg_scheduler_alloc(optimizer, made);
    if (!s) return NULL;
    for (int64_t g = 0; g < s->groups; g++) {
        optim_ParamGroup *group = &optimizer->param_groups[g];
        if (isnan(group->initial_lr)) group->initial_lr = group->lr;
        s->base_lrs[g] = group->initial_lr;
    }
    const int64_t failures = tg_thread.failures;
    tg_scheduler_initial_step(s);
    return tg_failed_since(failures) ? NULL : s;
}

/* ---- a step ---- */

void tg_scheduler_note_lr(optim_LRScheduler *s) {
    for (int64_t g = 0; g < s->groups; g++) s->last_lr[g] = s->optimizer->param_groups[g].lr;
}

/* lr may call a function of the user's, in a scope; no group changes if that sets an error. Without such a function
 * nothing can fail. */
bool tg_scheduler_set_lr(optim_LRScheduler *s, double (*lr)(const optim_LRScheduler *s, int64_t g)) {
    const int64_t failures = tg_context()->failures;
    const int depth = s->schedule->calls_user ? tg_scope_open_around_callback() : 0;
    const bool can_call = depth || !s->schedule->calls_user;
    for (int64_t g = 0; can_call && g < s->groups; g++) s->last_lr[g] = lr(s, g);
    if (depth) tg_scope_close(depth);
    const bool ok = can_call && !tg_failed_since(failures);
    for (int64_t g = 0; ok && g < s->groups; g++) s->optimizer->param_groups[g].lr = s->last_lr[g];
    tg_scheduler_note_lr(s);
    return ok;
}

static void next_epoch(optim_LRScheduler *s) {
    static _Thread_local bool warned;
    if (s->steps_taken++ == 1 && s->optimizer->steps_taken == 0)
        tg_warn(&warned, "optim_scheduler_step() before the first optim_step() skips the first value of the learning "
                         "rate schedule. Call them in the opposite order.");
    s->last_epoch++;
    if (tg_scheduler_set_lr(s, s->schedule->get_lr)) return;
    s->last_epoch--;
    s->steps_taken--;
}

void tg_scheduler_take(optim_LRScheduler *s) {
    if (s->schedule->step) s->schedule->step(s);
    else next_epoch(s);
}

void tg_scheduler_initial_step(optim_LRScheduler *s) {
    s->steps_taken = 0;
    s->is_initial = true;
    tg_scheduler_take(s);
    s->is_initial = false;
}

/* Every kind sets the lr of the groups that existed when the scheduler was constructed. */
bool tg_scheduler_fits(const optim_LRScheduler *s) {
    return s->groups == s->optimizer->len ||
           tg_fail("the optimizer has %lld parameter groups, but the scheduler was made for %lld",
                   (long long)s->optimizer->len, (long long)s->groups);
}

bool tg_scheduler_can_step(const optim_LRScheduler *s) {
    return tg_scheduler_fits(s) && (!s->schedule->can_step || s->schedule->can_step(s));
}

/* scheduler.step(): sets the lr of the next epoch; call it after optim_step. Errors: a group was added to the optimizer
 * since the scheduler was constructed; a OneCycleLR at its end; a ReduceLROnPlateau, which needs a metric. Before the
 * first optim_step it warns on stderr, as PyTorch does. */
bool optim_scheduler_step(optim_LRScheduler *s) {
    if (!tg_check_scheduler(s) || !tg_scheduler_can_step(s)) return false;
    const int64_t failures = tg_thread.failures;
    tg_scheduler_take(s);
    return !tg_failed_since(failures);
}

/* scheduler.step(metrics) of ReduceLROnPlateau, scheduler.step(epoch) of CosineAnnealingWarmRestarts. value has one
 * element. Errors: any other scheduler; a group added since its construction. */
bool optim_scheduler_step_on(optim_LRScheduler *s, Tensor *value) {
    if (!tg_check_scheduler(s) || !tg_check(value, 2)) return false;
    if (tg_numel(value) != 1) return t_item(value) != 0 && false;
    if (!s->schedule->step_on)
        return tg_fail(
            "%s.step() takes no value; ReduceLROnPlateau takes a metric, CosineAnnealingWarmRestarts an epoch",
            s->schedule->name);
    return tg_scheduler_fits(s) && s->schedule->step_on(s, tg_read_double(value));
}

/* scheduler.get_last_lr(): an array with the lr of each parameter group, owned and updated by the scheduler. */
const double *optim_get_last_lr(const optim_LRScheduler *s) {
    return tg_check_scheduler(s) ? s->last_lr : NULL;
}

/* scheduler.last_epoch: 0 after construction, incremented by every step. */
int64_t optim_last_epoch(const optim_LRScheduler *s) {
    return tg_check_scheduler(s) ? s->last_epoch : -1;
}

int64_t tg_milestones_passed(const optim_LRScheduler *s, int64_t epoch) {
    int64_t passed = 0;
    for (int64_t i = 0; i < s->milestone_count; i++) passed += s->milestones[i] <= epoch;
    return passed;
}
