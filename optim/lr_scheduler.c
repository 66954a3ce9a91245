/* optim/lr_scheduler.c: torch.optim.lr_scheduler.
 *
 * A scheduler counts epochs and sets the lr of every parameter group. A kind of schedule is one function, get_lr, and a
 * constructor: see LambdaLR at the end. */
#include <stdio.h>

#include "optim/optimizer_internal.h"

struct optim_LRScheduler {
    t_Object object;
    optim_Optimizer *optimizer;
    /* The lr of a group at s->last_epoch. group->initial_lr is the lr that the schedule starts from, group->lr the one
     * of the epoch before, for schedules that go on from there. */
    double (*get_lr)(const optim_LRScheduler *s, const optim_ParamGroup *group);
    double (*lr_lambda)(int64_t epoch, void *context);
    void *context;
    int64_t last_epoch, steps_taken, groups;
    double *last_lr; /* one for each group */
};

static void scheduler_destroy(void *object) {
    optim_LRScheduler *s = object;
    tg_object_dispose(&s->object);
    t_release(s->optimizer);
    tg_free(s->last_lr, (size_t)s->groups * sizeof *s->last_lr);
    tg_object_free(&s->object, sizeof *s);
}

static const t_Class scheduler_class = {"LRScheduler", scheduler_destroy};

static bool check_scheduler(const optim_LRScheduler *s) {
    if (!s) return t_error() ? false : tg_fail("argument 1 is NULL where a scheduler is expected") != NULL;
    return s->object.is_a == &scheduler_class || tg_fail("argument 1 is not a live scheduler");
}

static void set_next_lr(optim_LRScheduler *s) {
    s->last_epoch++;
    for (int64_t g = 0; g < s->groups; g++) {
        optim_ParamGroup *group = &s->optimizer->param_groups[g];
        group->lr = s->last_lr[g] = s->get_lr(s, group);
    }
}

/* Registers the lr that a new schedule starts from; a schedule that goes on needs one that is registered. */
static bool check_initial_lr(optim_Optimizer *optimizer, int64_t last_epoch) {
    for (int64_t g = 0; g < optimizer->len; g++) {
        optim_ParamGroup *group = &optimizer->param_groups[g];
        if (!isnan(group->initial_lr)) continue;
        if (last_epoch != -1)
            return tg_fail("param 'initial_lr' is not specified in param_groups[%lld] when resuming scheduler with "
                           "last_epoch >= 0.", (long long)g);
        group->initial_lr = group->lr;
    }
    return true;
}

/* `made` has the fields of its kind; the rest is the same for all. */
static optim_LRScheduler *scheduler_new(optim_Optimizer *optimizer, optim_LRScheduler made) {
    if (!tg_check_optimizer(optimizer)) return NULL;
    optim_LRScheduler *s = tg_alloc(sizeof *s);
    double *last_lr = s ? tg_alloc((size_t)optimizer->len * sizeof *last_lr) : NULL;
    if (!last_lr || !check_initial_lr(optimizer, made.last_epoch)) {
        tg_free(last_lr, (size_t)optimizer->len * sizeof *last_lr);
        tg_free(s, sizeof *s);
        return NULL;
    }
    *s = made;
    s->optimizer = t_retain(optimizer);
    s->groups = optimizer->len;
    s->last_lr = last_lr;
    tg_object_init(&s->object, &scheduler_class);
    set_next_lr(s);
    return s;
}

/* scheduler.step(): sets the lr of the next epoch; call it after optim_step. Error: the optimizer got another group
 * since the scheduler was made. Before the first optim_step it warns on stderr, as PyTorch does. */
bool optim_scheduler_step(optim_LRScheduler *s) {
    if (!check_scheduler(s)) return false;
    if (s->groups != s->optimizer->len)
        return tg_fail("the optimizer has %lld parameter groups, but the scheduler was made for %lld",
                       (long long)s->optimizer->len, (long long)s->groups);
    if (s->steps_taken++ == 0 && s->optimizer->steps_taken == 0)
        fprintf(stderr, "tapegrad: optim_scheduler_step() before the first optim_step() skips the first value of the "
                        "learning rate schedule. Call them in the opposite order.\n");
    set_next_lr(s);
    return true;
}

/* scheduler.get_last_lr(): an array with the lr of each parameter group, which the scheduler keeps up to date. */
const double *optim_get_last_lr(const optim_LRScheduler *s) {
    return check_scheduler(s) ? s->last_lr : NULL;
}

/* scheduler.last_epoch: 0 after the construction, one more with every step. */
int64_t optim_last_epoch(const optim_LRScheduler *s) {
    return check_scheduler(s) ? s->last_epoch : -1;
}

/* ---- kinds of schedules ---- */

const optim_LRSchedulerOptions optim_LRSchedulerDefaults = {OPTIM_LR_DEFAULTS_};

/* lr_scheduler.LambdaLR(optimizer, lr_lambda, last_epoch=-1): lr = initial lr * lr_lambda(epoch); the lr of epoch 0 is
 * set at once. context is passed to lr_lambda. Error: last_epoch given where no schedule has been before. */
static double lambda_get_lr(const optim_LRScheduler *s, const optim_ParamGroup *group) {
    return group->initial_lr * s->lr_lambda(s->last_epoch, s->context);
}

optim_LRScheduler *optim_LambdaLR_new(optim_Optimizer *optimizer, double (*lr_lambda)(int64_t epoch, void *context),
                                      const optim_LRSchedulerOptions *options) {
    optim_LRSchedulerOptions o = optim_LRSchedulerDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (!lr_lambda) return tg_fail("argument 2 is NULL where a function is expected");
    return scheduler_new(optimizer, (optim_LRScheduler){.get_lr = lambda_get_lr, .lr_lambda = lr_lambda,
                                                        .context = o.context, .last_epoch = o.last_epoch});
}
