/* optim/lr_scheduler/lr_scheduler_internal.h: the interface between the scheduler and its schedules (internal).
 *
 * A new schedule is a tg_Schedule, a constructor that checks its options, and the arithmetic of get_lr. */
#ifndef TAPEGRAD_OPTIM_LR_SCHEDULER_LR_SCHEDULER_INTERNAL_H
#define TAPEGRAD_OPTIM_LR_SCHEDULER_LR_SCHEDULER_INTERNAL_H

#include "optim/lr_scheduler/lr_scheduler.h"
#include "optim/optimizer_internal.h"
#include "optim/state_io.h"

typedef struct tg_Schedule {
    const char *name;
    bool calls_user; /* get_lr calls a function of the user's */
    /* get_lr()[g] at s->last_epoch. s->base_lrs[g] is the initial lr of the schedule, the group's own lr that of the
     * epoch before, for recursive schedules. */
    double (*get_lr)(const optim_LRScheduler *s, int64_t g);
    /* the lr of epoch 0 when a SequentialLR starts it; NULL: get_lr */
    double (*first_lr)(const optim_LRScheduler *s, int64_t g);
    bool (*can_step)(const optim_LRScheduler *s);              /* false with an error set; NULL: always */
    void (*step)(optim_LRScheduler *s);                        /* NULL: increments the epoch and applies get_lr */
    bool (*step_on)(optim_LRScheduler *s, double value);       /* step(metrics), step(epoch); NULL: not supported */
    /* the entries of a state dict other than base_lrs, epochs and _last_lr */
    bool (*state)(tg_StateIO *io, optim_LRScheduler *s);
} tg_Schedule;

struct optim_LRScheduler {
    t_Object object;
    optim_Optimizer *optimizer;
    const tg_Schedule *schedule;
    int64_t last_epoch, steps_taken, groups;
    bool is_initial;              /* during the step of the constructor */
    double *base_lrs, *last_lr;   /* one for each group */
    double *high_lrs;             /* CyclicLR's max_lrs, one for each group */
    int64_t *milestones;          /* MultiStepLR, SequentialLR */
    optim_LRScheduler **parts;    /* SequentialLR, ChainedScheduler */
    int64_t milestone_count, milestone_capacity, part_count;
    union { /* the parameters of each kind */
        struct { optim_LRLambda f; void *context; } lambda;
        struct { double gamma; int64_t step_size; } step;
        struct { double start, end, power; int64_t total_iters; } ramp;
        struct { double eta_min, T_cur; int64_t T_max, T_i, T_0, T_mult; } cosine;
        struct { int64_t total_steps; double end_step[3]; int phases; bool linear, cycle_momentum; } cycle;
        struct {
            double total_size, step_ratio, gamma, base_momentum, max_momentum;
            const char *mode;
            double (*scale_fn)(double x, void *context);
            void *context;
            bool by_iterations, cycle_momentum;
        } cyclic;
        struct { int64_t anneal_epochs; bool linear; } swa;
        struct {
            double best, factor, threshold, min_lr, eps;
            int64_t patience, cooldown, waiting, bad_epochs;
            bool max, absolute;
        } plateau;
    };
};

/* `made` has the schedule, last_epoch and the members of its kind; lists are copied. The new scheduler's last_lr is the
 * optimizer's lr, and it has not stepped. */
optim_LRScheduler *tg_scheduler_alloc(optim_Optimizer *optimizer, optim_LRScheduler made);
/* The same, with initial_lr set in (or read from) each group, and the first step done. */
optim_LRScheduler *tg_scheduler_new(optim_Optimizer *optimizer, optim_LRScheduler made);

void tg_scheduler_take(optim_LRScheduler *s);         /* runs schedule->step, or the default */
void tg_scheduler_initial_step(optim_LRScheduler *s); /* the constructor's step */
bool tg_scheduler_set_lr(optim_LRScheduler *s, double (*lr)(const optim_LRScheduler *s, int64_t g));
void tg_scheduler_note_lr(optim_LRScheduler *s);      /* copies the groups' lr to last_lr */
bool tg_scheduler_fits(const optim_LRScheduler *s);   /* checks that the optimizer still has the same groups */
bool tg_scheduler_can_step(const optim_LRScheduler *s);
/* it is there, if last_epoch is not -1 */
bool tg_check_initial_lr(const optim_Optimizer *optimizer, int64_t last_epoch);
bool tg_check_last_epoch(double last_epoch); /* one that can be counted on from */
bool tg_check_scheduler(const optim_LRScheduler *s);
bool tg_io_milestones(tg_StateIO *io, optim_LRScheduler *s);
int64_t tg_milestones_passed(const optim_LRScheduler *s, int64_t epoch); /* how many are <= epoch, in any order */

#endif
