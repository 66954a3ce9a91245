/* core/autograd/backward.h: the state of a running backward (internal). t_backward, t_autograd_grad and
 * t_backward_begin use it in the same way: begin, next until it returns 0, finish, end. */
#ifndef TAPEGRAD_CORE_AUTOGRAD_BACKWARD_H
#define TAPEGRAD_CORE_AUTOGRAD_BACKWARD_H

#include "core/autograd/tape.h"

/* The arguments of a backward. */
typedef struct Request {
    Tensor *const *outputs;
    int64_t output_count;
    Tensor *const *gradients; /* of the outputs; NULL, or a NULL item: 1 */
    int64_t gradient_count;
    const t_TensorList *inputs; /* NULL: all leaves */
    bool retain_graph, create_graph;
    bool accumulate; /* true: into grad, as t_backward does; false: capture the gradients of the inputs */
    bool preview;    /* tg_backward_end restores every grad (preview.c) */
    bool forward_mode; /* the gradients of outputs are 0, and what is asked for is the derivative of the result with
                        * respect to them, J v: t_Function.jvp is used */
} Request;

/* An input of a Request, and its gradient. */
typedef struct Capture {
    Tensor *x;
    Record *record; /* x's record; NULL: a leaf */
    Tensor *gradient;
} Capture;

/* A leaf with hooks, which are called when its gradient is complete. */
typedef struct HookedLeaf {
    Tensor *leaf;
    int64_t dependencies;     /* number of edges whose gradient is not accumulated yet */
    int64_t completion_order; /* 1, 2, ... in the order of completion; 0: not complete */
} HookedLeaf;

/* The gradients of one record's output and inputs, for t_backward_next. */
typedef struct StepGradients {
    Record *record;
    Tensor *dy, **dx;
    size_t bytes;
} StepGradients;

/* A function that is called when the backward ends, also by an error (PyTorch's queue_callback). The caller has the
 * struct, which is in one list at most. */
typedef struct BackwardCallback {
    struct BackwardCallback *next, **list; /* list: NULL while it is in none */
    void (*call)(struct BackwardCallback *callback);
    void *context;
} BackwardCallback;
/* of the innermost running backward */
void tg_backward_at_end(BackwardCallback *callback, void (*call)(BackwardCallback *callback), void *context);
void tg_backward_forget_callback(BackwardCallback *callback); /* takes it out of its list */

/* A running backward (PyTorch's GraphTask). */
typedef struct Backward {
    const t_Site *site;      /* the call that began it */
    struct Backward *outer;  /* the enclosing backward (this one was called by a hook or a rule of it) */
    struct Suspended *suspended; /* while a nested backward runs: this one's pending gradients */
    int64_t suspended_count;
    struct Backward **owner; /* a pointer to this struct, which tg_backward_end sets to NULL */

    Record **roots;          /* the outputs' records, NULL for a leaf; with references */
    int64_t root_count;
    Record *newest, *done;   /* the newest root; the record visited last */
    int64_t pending_count;   /* number of records with a pending gradient that were not visited yet */
    Tensor *leaves;          /* leaves with a pending gradient, linked by next_pending; with references */
    Tensor *retained;        /* tensors with retain_grad, the same */
    bool retain_graph, create_graph, accumulate, forward_mode, grad_enabled_before;
    t_DType autocast_before;
    bool selective;          /* `inputs` was given */
    Record **plan;           /* if selective, or if leaves have hooks: the reachable records, newest first */
    int64_t planned;
    Capture *captures;
    int64_t capture_count;
    HookedLeaf *hooked;
    int64_t hooked_count, hooked_capacity, completed_leaves;
    bool preview;
    BackwardCallback *at_end;
    struct GradAside *aside; /* if preview: the grads to be restored */
    StepGradients *step_gradients; /* set by t_backward_begin; otherwise NULL */

    /* References that are held while a rule or a user's hook runs, which may leave by longjmp: tg_backward_end releases
     * them. */
    t_Hook *hook;
    Record *running; /* the record whose rule runs, or NULL */
    Tensor *dy; /* the output gradient of the running record */
    Tensor **dx; /* its input gradients, if there are more than a few */
    size_t dx_bytes;
} Backward;

/* Returns NULL with an error set, and grad mode unchanged, if the request is invalid. From begin to end grad mode is
 * create_graph. */
Backward *tg_backward_begin(const Request *request);
int tg_backward_next(Backward *run);    /* runs one record: 1; 0 if none is left; -1 on an error */
bool tg_backward_finish(Backward *run); /* after the last record: sets the grads */
void tg_backward_end(Backward *run);    /* run may be NULL; without finish no grad changes */

/* t_autograd_grad; in forward mode of a graph that is created, for grad_outputs of 0 that require grad. */
t_TensorList *tg_autograd_grad(const t_TensorList *outputs, const t_TensorList *inputs, const t_GradOptions *options,
                               bool forward_mode);

/* preview.c: for a backward with Request.preview. */
Backward *tg_running_preview(void); /* the innermost running one, or NULL */
/* To be called before x->grad is changed: in a preview it is NULL afterwards, and restored at the end. replaced: the
 * program replaces it, so that t_grad does not return the old one any more. False on out of memory. */
bool tg_set_grad_aside(Tensor *x, bool replaced);
Tensor *tg_preview_grad(Tensor *x); /* x.grad during a preview: the old one plus that of the preview, or NULL */
void tg_restore_grads(Backward *run);

/* backward_plan.c: the reachable and the needed records. */
bool tg_backward_plan(Backward *run, const Request *request); /* before the traversal */
bool tg_backward_list(Backward *run); /* sets run->plan if it is not set */
/* Sets (on) or clears `captured` of the inputs and `needed` of the plan's records. */
void tg_backward_set_flags(Backward *run, bool on);

/* reentrant_backward.c: a backward that is called during this one. */
bool tg_backward_suspend(Backward *run); /* sets its pending gradients aside and clears its flags */
void tg_backward_resume(Backward *run);
void tg_backward_forget(Backward *run); /* frees the suspended state without resuming */

/* leaf_hooks.c: leaves with hooks. */
/* before the traversal: counts the edges to each leaf */
bool tg_count_leaf_edges(Backward *run, const Request *request);
/* after each edge to the leaf; calls its hooks after the last */
bool tg_leaf_received(Backward *run, const Tensor *leaf);
bool tg_run_late_hooks(Backward *run); /* after the traversal: hooks of leaves that some edges never reached */
bool tg_run_grad_hooks(Backward *run); /* the post-accumulate hooks */

/* *slot = g, with references. */
static inline void tg_replace(Tensor **slot, Tensor *g) {
    t_retain(g);
    t_release(*slot);
    *slot = g;
}

/* True if the gradient along this edge is needed. */
static inline bool tg_edge_needs_gradient(const Backward *run, const Edge *edge) {
    if (!run || !run->selective) return edge->record || edge->leaf;
    if (edge->record) return edge->record->needed || edge->record->captured;
    return edge->leaf && edge->leaf->captured;
}

/* accumulate_grad.c: the gradients of leaves and of tensors with retain_grad. */
bool tg_is_exclusive(const Tensor *g); /* nothing else holds g or its storage */
bool tg_accumulate_grads(Backward *run);
void tg_discard_pending(Tensor **list); /* releases a list of tensors and their pending gradients */

/* autograd.c: checks the argument `inputs` of backward; inputs that are not leaves will retain their grad. */
bool tg_check_backward_inputs(const t_TensorList *inputs);

/* anomaly.c */
int tg_anomaly_mode(void); /* for t_swap_anomaly_ */
bool tg_check_backward(const Record *r, int i, Tensor *dx);

/* function_jvp.c: the rule of a record with t_Function.jvp in forward mode. */
void tg_transpose_jvp(Record *r, Tensor *dy, Tensor **dx);

/* ---- stepping in the terminal (backward_steps.c) ---- */

bool tg_is_stepping(void); /* TAPEGRAD_STEP is set, and no backward runs */
bool tg_backward_stepping(Tensor *loss, const t_BackwardOptions *options); /* t_backward, with a stop at each record */

#endif
