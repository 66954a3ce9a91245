/* core/autograd/backward.c: the backward pass over the tape.
 *
 * Records are linked in order of execution, so that a traversal from the newest to the oldest visits every record after
 * all records that used its output, when its gradient is complete: no topological sort and no recursion is needed.
 * Gradients of leaves are accumulated in x->pending and added to grad at the end, so that an error changes no grad. */
#include "core/autograd/backward.h"

#include <string.h>

#include "core/autograd/arithmetic.h"
#include "core/autograd/hooks.h"
#include "core/autograd/saved_hooks_internal.h"

/* ---- accumulation ---- */

Tensor *tg_accumulated_gradient(const Record *r, int i) {
    const Edge *edge = &r->edges[i];
    Tensor *sum = edge->record ? edge->record->pending : edge->leaf ? edge->leaf->pending : NULL;
    const Backward *run = tg_thread.backward;
    /* this record's own gradient is shown (t_backward_next) or checked for nan */
    bool separate = !run || run->step_gradients || tg_thread.anomaly.on;
    return sum && !separate && !tg_thread.grad_enabled && tg_is_exclusive(sum) ? sum : NULL;
}

/* *slot += g, in place if nothing else holds *slot. */
static bool accumulate(Tensor **slot, Tensor *g) {
    if (!*slot) {
        *slot = t_retain(g);
    } else if (!tg_thread.grad_enabled && tg_is_exclusive(*slot)) {
        tg_add_into(*slot, g);
    } else {
        Tensor *sum = t_retain(t_add(*slot, g));
        if (!sum) return false;
        t_release(*slot);
        *slot = sum;
    }
    return true;
}

/* x->pending += g; the list holds x until the end of the backward. */
static bool accumulate_pending(Tensor **list, Tensor *x, Tensor *g) {
    if (!x->pending) {
        x->next_pending = *list;
        *list = t_retain(x);
    }
    return accumulate(&x->pending, g);
}

/* Converts g to the shape (sum over broadcast dims) and then to the dtype of the edge's input, in PyTorch's order. */
static Tensor *to_input_shape(const Edge *edge, Tensor *g) {
    g = tg_sum_to(g, edge->shape, edge->ndim);
    return g && g->dtype != edge->dtype ? t_to(g, edge->dtype) : g;
}

/* Adds g to the pending gradient of the edge's record or leaf. */
static bool add_to_input(Backward *run, const Edge *edge, Tensor *g) {
    if (!edge->record) return accumulate_pending(&run->leaves, edge->leaf, g);
    run->pending_count += edge->record->pending == NULL;
    return accumulate(&edge->record->pending, g);
}

/* To be called after each edge to a leaf: runs the leaf's hooks after the last one. */
static bool leaf_received(Backward *run, const Tensor *leaf) {
    return !leaf || !leaf->hooks || tg_leaf_received(run, leaf);
}

/* ---- one record ---- */

/* PyTorch's sentence, followed by the call that freed the graph: "The graph was freed by t_backward(loss),
 * train.c:31". */
static bool fail_freed(const Record *r) {
    static const char sentence[] =
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed). Saved intermediate values of the graph are freed when you call t_backward() or t_grad(). Specify "
        ".retain_graph = true if you need to backward through the graph a second time or if you need to access saved "
        "tensors after calling backward.";
    const t_Site *by = r->freed_by;
    if (!by) return tg_fail("%s", sentence);
    return tg_fail("%s The graph was freed by %s, %s:%d", sentence, by->text, by->file, by->line);
}

/* Whether this backward is called by the rule of r itself, or by an unpack hook for it, in an enclosing one, which goes
 * on to use what r saves, and frees it. */
static bool runs_outside(const Backward *run, const Record *r) {
    const Backward *outer = run->outer;
    while (outer && outer->running != r) outer = outer->outer;
    return outer != NULL;
}

/* The gradient rule, or in forward mode the transposed jvp. */
static void call_rule(const Backward *run, Record *r, Tensor *dy, Tensor **dx) {
    if (r->op->jvp && run->forward_mode)
        tg_transpose_jvp(r, dy, dx);
    else if (r->op->backward)
        r->op->backward(r, dy, dx);
    else
        tg_fail("%s: You must implement either the backward or vjp method for your custom autograd.Function to use it "
                "with backward mode AD.",
                r->op->name);
}

/* The rule of a record of float16 or bfloat16 computes in float32: it gets dy and saved tensors in float32, and its dx
 * are rounded once, when they are added to the inputs' gradients. One that takes_half gets them as they are. */
static bool run_rule(Backward *run, Record *r, Tensor *dy, Tensor **dx) {
    if (r->freed) return fail_freed(r);
    if (tg_is_half(r->dtype) && !r->op->takes_half && !(dy = t_to(dy, t_float32))) return false;
    int64_t failures = tg_thread.failures;
    bool grad_enabled = tg_thread.grad_enabled, once = grad_enabled && r->op->once_differentiable;
    if (once) t_set_grad_enabled(false);
    const int profiled = tg_profile_begin(tg_range_rule, r);
    run->running = r;
    call_rule(run, r, dy, dx);
    run->running = NULL;
    tg_profile_end(profiled);
    if (!runs_outside(run, r)) tg_forget_unpacked(r);
    t_set_grad_enabled(grad_enabled);
    for (int i = 0; once && !tg_failed_since(failures) && i < r->inputs; i++) {
        if (dx[i]) dx[i] = tg_alias(dx[i]); /* dx[i] may be dy or a saved tensor, which must not get the record */
        if (dx[i]) tg_attach_error_record(r, dy, dx[i]);
    }
    return !tg_failed_since(failures);
}

static bool check_shape(const Record *r, int i, const Tensor *g) {
    const Edge *edge = &r->edges[i];
    int extra = g->ndim - edge->ndim;
    bool fits = extra >= 0;
    for (int d = 0; fits && d < edge->ndim; d++) fits = edge->shape[d] == 1 || edge->shape[d] == g->shape[d + extra];
    return fits || tg_fail("Function %s returned an invalid gradient at index %d - got %s but expected shape "
                           "compatible with %s",
                           r->op->grad_fn, i, tg_shape_of(g), tg_shape_text(edge->shape, edge->ndim));
}

static bool add_to_inputs(Backward *run, Record *r, Tensor **dx) {
    for (int i = 0; i < r->inputs; i++) {
        const Edge *edge = &r->edges[i];
        if (!tg_edge_needs_gradient(run, edge)) {
            dx[i] = NULL;
            continue;
        }
        if (dx[i] &&
            (!tg_check_any(dx[i], i + 1) || !check_shape(r, i, dx[i]) || !(dx[i] = to_input_shape(edge, dx[i]))))
            return false;
        if (dx[i] && tg_thread.anomaly.check_nan && !tg_check_backward(r, i, dx[i])) return false;
        if (dx[i] && !add_to_input(run, edge, dx[i])) return false;
        if (!leaf_received(run, edge->leaf)) return false;
    }
    return true;
}

static bool save_step_gradients(StepGradients *step, Record *r, Tensor *dy, Tensor **dx) {
    step->bytes = (size_t)(r->inputs + 1) * sizeof *dx;
    step->dx = tg_alloc(step->bytes);
    if (!step->dx) return false;
    step->record = r;
    step->dy = t_retain(dy);
    for (int i = 0; i < r->inputs; i++) step->dx[i] = t_retain(dx[i]);
    return true;
}

static void release_dx(Backward *run) {
    if (!run->dx) return;
    tg_free(run->dx, run->dx_bytes);
    run->dx = NULL;
}

static bool run_record(Backward *run, Record *r, Tensor *dy) {
    enum { FEW = 8 };
    Tensor *few[FEW] = {NULL}, **dx = few;
    if (r->inputs > FEW) {
        run->dx_bytes = (size_t)r->inputs * sizeof *dx;
        dx = run->dx = tg_alloc(run->dx_bytes);
    }
    bool ok = dx && run_rule(run, r, dy, dx) && add_to_inputs(run, r, dx) &&
              (!run->step_gradients || save_step_gradients(run->step_gradients, r, dy, dx));
    release_dx(run);
    if (ok && !run->retain_graph && !runs_outside(run, r)) tg_record_free_saved(r);
    return ok;
}

/* Called when the gradient of r's output is complete: runs its hooks, then stores it for retain_grad and captures. (The
 * capture of a record whose rule is needed for another input stores the gradient before the hooks, as in PyTorch.)
 * Returns the gradient for the rule. */
static Tensor *run_output_hooks(Backward *run, Record *r, Tensor *dy) {
    Tensor *g = r->hooks ? tg_run_hooks(run, r->hooks, dy) : dy;
    if (!g || (r->retainer && !accumulate_pending(&run->retained, r->retainer, g))) return NULL;
    for (int64_t i = 0; r->captured && i < run->capture_count; i++)
        if (run->captures[i].record == r) tg_replace(&run->captures[i].gradient, r->needed ? dy : g);
    return g;
}

/* Returns 1 if r's rule was run, 0 if it is not needed, -1 on an error. */
static int visit_record(Backward *run, Record *r) {
    run->dy = r->pending;
    r->pending = NULL;
    run->pending_count--;
    const int profiled = tg_profile_begin(tg_range_evaluate, r);
    const bool grad_enabled = tg_thread.grad_enabled;
    int depth = tg_scope_open_around_callback(), result = -1;
    Tensor *g = depth ? run_output_hooks(run, r, run->dy) : NULL;
    if (g && run->selective && !r->needed) result = 0;
    else if (g && run_record(run, r, g)) result = 1;
    tg_scope_close(depth);
    tg_thread.grad_enabled = grad_enabled; /* a user's rule may have changed it */
    t_release(run->dy);
    run->dy = NULL;
    tg_profile_end(profiled);
    return result;
}

/* ---- traversal ---- */

/* The initial gradient of output i: the given one, or 1. */
static Tensor *initial_gradient(const Request *request, int64_t i) {
    Tensor *y = request->outputs[i], *g = request->gradients ? request->gradients[i] : NULL;
    if (!y->requires_grad)
        return tg_fail("element %lld of tensors does not require grad and does not have a grad_fn", (long long)i);
    if (g && tg_same_shape(g, y)) return g;
    if (g)
        return tg_fail("Mismatch in shape: grad_output[%lld] has a shape of torch.Size(%s) and output[%lld] has a "
                       "shape of torch.Size(%s).", (long long)i, tg_shape_of(g), (long long)i, tg_shape_of(y));
    if (tg_numel(y) != 1) return tg_fail("grad can be implicitly created only for scalar outputs");
    return t_ones_like(y);
}

static bool add_initial_gradients(Backward *run, const Request *request) {
    for (int64_t i = 0; i < request->output_count; i++) {
        Tensor *y = request->outputs[i], *g = initial_gradient(request, i);
        Edge edge = {.record = y->record, .leaf = y->record ? NULL : y, .dtype = y->dtype, .ndim = y->ndim};
        memcpy(edge.shape, y->shape, sizeof y->shape);
        if (!g || !(g = to_input_shape(&edge, g))) return false;
        if (!tg_edge_needs_gradient(run, &edge)) continue;
        if (!add_to_input(run, &edge, g) || !leaf_received(run, edge.leaf)) return false;
        if (y->record && (!run->newest || y->record->number > run->newest->number)) run->newest = y->record;
    }
    return true;
}

/* References to the outputs' records, in case a hook releases or overwrites the outputs. */
static bool hold_roots(Backward *run, const Request *request) {
    run->roots = tg_alloc((size_t)request->output_count * sizeof *run->roots);
    if (!run->roots) return false;
    run->root_count = request->output_count;
    for (int64_t i = 0; i < request->output_count; i++) {
        run->roots[i] = request->outputs[i]->record;
        tg_record_retain(run->roots[i]);
    }
    return true;
}

Backward *tg_backward_begin(const Request *request) {
    Context *thread = tg_context();
    if (request->gradients && request->gradient_count != request->output_count)
        return tg_fail("got %lld tensors and %lld gradients", (long long)request->output_count,
                       (long long)request->gradient_count);
    Backward *run = tg_alloc(sizeof *run);
    if (!run) return NULL;
    if (thread->backward && !tg_backward_suspend(thread->backward)) {
        tg_free(run, sizeof *run);
        return NULL;
    }
    run->site = thread->site;
    run->outer = thread->backward;
    thread->backward = run;
    run->preview = request->preview;
    run->retain_graph = request->retain_graph || request->create_graph || tg_running_preview();
    run->create_graph = request->create_graph;
    run->accumulate = request->accumulate;
    run->forward_mode = request->forward_mode;
    run->grad_enabled_before = thread->grad_enabled;
    run->autocast_before = thread->autocast;
    thread->autocast = 0;
    thread->grad_enabled = request->create_graph;
    if (hold_roots(run, request) && tg_backward_plan(run, request) && add_initial_gradients(run, request)) return run;
    tg_backward_end(run);
    return NULL;
}

/* Loads the next record into the cache while this one runs. */
static void prefetch(const Record *r) {
    enum { LINE = 64, LINES = 7 };
    for (int i = 0; r && i < LINES; i++) __builtin_prefetch((const char *)r + i * LINE);
}

int tg_backward_next(Backward *run) {
    for (Record *r = run->done ? run->done->older : run->newest; r && run->pending_count; r = run->done->older) {
        run->done = r;
        prefetch(r->older);
        int result = r->pending ? visit_record(run, r) : 0;
        if (result) return result;
    }
    return 0;
}

bool tg_backward_finish(Backward *run) {
    return tg_run_late_hooks(run) && tg_accumulate_grads(run) && (tg_running_preview() || tg_run_grad_hooks(run));
}

void tg_backward_at_end(BackwardCallback *callback, void (*call)(BackwardCallback *callback), void *context) {
    tg_backward_forget_callback(callback);
    BackwardCallback **list = &tg_thread.backward->at_end;
    *callback = (BackwardCallback){*list, list, call, context};
    *list = callback;
}

void tg_backward_forget_callback(BackwardCallback *callback) {
    BackwardCallback **at = callback->list;
    while (at && *at != callback) at = &(*at)->next;
    if (at) *at = callback->next;
    callback->list = NULL;
}

static void call_at_end(Backward *run) {
    for (BackwardCallback *callback; (callback = run->at_end);) {
        tg_backward_forget_callback(callback);
        callback->call(callback);
    }
}

static void leave_thread(Backward *run) {
    Backward **link = &tg_thread.backward;
    bool innermost = *link == run;
    while (*link != run) link = &(*link)->outer;
    *link = run->outer;
    if (innermost) {
        for (Record *r = run->pending_count ? tg_thread.tape : NULL; r; r = r->older) {
            t_release(r->pending);
            r->pending = NULL;
        }
        tg_backward_set_flags(run, false);
        tg_discard_pending(&run->leaves);
        tg_discard_pending(&run->retained);
        tg_thread.grad_enabled = run->grad_enabled_before;
        tg_thread.autocast = run->autocast_before;
        if (run->outer) tg_backward_resume(run->outer);
    } else {
        tg_backward_forget(run);
    }
}

void tg_backward_end(Backward *run) {
    if (!run) return;
    if (run->done) tg_forget_unpacked(run->done);
    leave_thread(run);
    call_at_end(run);
    tg_restore_grads(run);
    t_release(run->hook);
    t_release(run->dy);
    release_dx(run);
    if (run->owner) *run->owner = NULL;
    for (int64_t i = 0; i < run->capture_count; i++) {
        t_release(run->captures[i].x);
        tg_record_release(run->captures[i].record);
        t_release(run->captures[i].gradient);
    }
    tg_free(run->captures, (size_t)run->capture_count * sizeof *run->captures);
    tg_free(run->hooked, (size_t)run->hooked_capacity * sizeof *run->hooked);
    tg_free(run->plan, tg_reachable_bytes(run->planned));
    for (int64_t i = 0; i < run->root_count; i++) tg_record_release(run->roots[i]);
    tg_free(run->roots, (size_t)run->root_count * sizeof *run->roots);
    tg_free(run, sizeof *run);
}
