/* core/autograd/backward.h: a backward as it runs (internal). t_backward, t_autograd_grad and t_backward_begin are three faces of it:
 * begin, next until nothing is left, finish, end. */
#ifndef TAPEGRAD_CORE_AUTOGRAD_BACKWARD_H
#define TAPEGRAD_CORE_AUTOGRAD_BACKWARD_H

#include "core/autograd/tape.h"

/* What is asked for. */
typedef struct Request {
    Tensor *const *outputs;
    int64_t output_count;
    Tensor *const *gradients; /* of the outputs; NULL, here or for one of them, is 1 */
    int64_t gradient_count;
    const t_TensorList *inputs; /* NULL: all leaves */
    bool retain_graph, create_graph;
    bool accumulate; /* into grad, as t_backward does; else the gradients of the inputs are captured */
} Request;

/* An input of a Request, and its gradient. */
typedef struct Capture {
    Tensor *x;
    Record *record; /* that made it; NULL: a leaf */
    Tensor *gradient;
} Capture;

/* A leaf with hooks: they run once all of its gradient is there. */
typedef struct HookedLeaf {
    Tensor *leaf;
    int64_t awaited; /* edges that will still send something */
    int64_t turn;    /* 1, 2, ... in the order of completion */
} HookedLeaf;

/* What one record got and gave, for who wants to see it. */
typedef struct Shown {
    Record *record;
    Tensor *dy, **dx;
    size_t bytes;
} Shown;

typedef struct Backward {
    struct Backward *outer;  /* that was interrupted by this one, */
    struct Suspended *suspended; /* and what this one had on the tape when it was interrupted itself */
    int64_t suspended_count;
    struct Backward **owner; /* who points at it */

    Record **roots;          /* the outputs' records, NULL for a leaf; each with a reference */
    int64_t root_count;
    Record *newest, *done;   /* of the roots; the last record that was looked at */
    int64_t waiting;         /* records that have a pending gradient and were not reached yet */
    Tensor *leaves;          /* that have one, linked by next_pending, */
    Tensor *retained;        /* and what retains its grad: each with a reference */
    bool retain_graph, create_graph, accumulate, grad_enabled_before;
    bool selective;          /* for some inputs only */
    Record **plan;           /* where it is selective or hooks wait: the records it can reach, newest first */
    int64_t planned;
    Capture *captures;
    int64_t capture_count;
    HookedLeaf *hooked;
    int64_t hooked_count, hooked_room, turns;
    Shown *shown;

    /* What is in use while a rule or a hook of the user's runs, which may leave by longjmp: tg_backward_end releases it. */
    t_Hook *hook;
    Tensor *dy; /* the gradient of the record that runs */
    Tensor **dx; /* where its rule puts the gradients of more than a few inputs */
    size_t dx_bytes;
} Backward;

/* NULL with an error set where the request is refused. Only then (and by end) is grad mode what it was; between them it is on
 * for create_graph, off else. */
Backward *tg_backward_begin(const Request *request);
int tg_backward_next(Backward *run);    /* runs one record: 1; 0 when none is left; -1 on an error */
bool tg_backward_finish(Backward *run); /* after the last record: grads are set */
void tg_backward_end(Backward *run);    /* NULL is fine. What was not finished never happened */

/* selective_plan.c: what a run needs to know beforehand, and the tape's marks while another run is inside this one. */
bool tg_backward_plan(Backward *run, const Request *request);
bool tg_backward_list(Backward *run); /* run->plan, which not every run has */
void tg_backward_unplan(Backward *run);
bool tg_backward_suspend(Backward *run);
void tg_backward_resume(Backward *run);
void tg_backward_forget(Backward *run); /* what was suspended will not be resumed */

/* leaf_hooks.c: leaves with hooks. */
bool tg_leaves_await(Backward *run, const Request *request); /* before the walk: counts the edges to each */
bool tg_leaf_heard(Backward *run, const Tensor *leaf); /* an edge to it has sent its part: after the last one its hooks run */
bool tg_run_late_hooks(Backward *run); /* after the walk: those of leaves to which not every edge sent something */
bool tg_run_grad_hooks(Backward *run); /* the hooks that run once grad is set */

/* *slot, a reference, becomes one to g. */
static inline void tg_replace(Tensor **slot, Tensor *g) {
    t_retain(g);
    t_release(*slot);
    *slot = g;
}

/* Does what a rule sends along this edge arrive anywhere? */
static inline bool tg_edge_counts(const Backward *run, const Edge *edge) {
    if (!run || !run->selective) return edge->record || edge->leaf;
    if (edge->record) return edge->record->needed || edge->record->wanted;
    return edge->leaf && edge->leaf->wanted;
}

/* accumulate_grad.c: what becomes of the gradients of leaves, and of those that retain theirs. */
bool tg_is_exclusive(const Tensor *g); /* nobody else can see it */
bool tg_settle(Backward *run);
void tg_discard(Tensor **gathered);

/* autograd_grad.c */
bool tg_check_backward_inputs(const t_TensorList *inputs);

/* anomaly.c */
int tg_anomaly_mode(void); /* for t_swap_anomaly_ */
bool tg_check_backward(const Record *r, int i, Tensor *dx);

#endif
