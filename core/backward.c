/* core/backward.c: t_backward rewinds the tape.
 *
 * Records are in order of execution, so walking from the loss to the oldest meets every record after all records that
 * used its output: its gradient is complete by then. No sort and no recursion is needed. Leaf gradients are gathered
 * aside and added to the leaves' grad at the very end, so that a failure changes none of them. */
#include "core/ops/pointwise.h"

typedef struct Backward {
    Tensor *leaves; /* that have a pending gradient, linked by next_pending */
    int waiting;    /* records that have one and were not reached yet */
    bool retain_graph;
} Backward;

/* ---- gathering ---- */

static bool is_exclusive(const Tensor *g) {
    return g->object.refs == 1 && g->storage->refs == 1 && !tg_overlaps_itself(g);
}

Tensor *tg_gathered(const Record *r, int i) {
    const Edge *edge = &r->edges[i];
    Tensor *sum = edge->record ? edge->record->pending : edge->leaf ? edge->leaf->pending : NULL;
    return sum && !tg_thread.grad_enabled && is_exclusive(sum) ? sum : NULL;
}

/* *slot += g. Where nobody else can see the sum so far it is added in place. */
static bool gather(Tensor **slot, Tensor *g) {
    if (!*slot) {
        *slot = t_retain(g);
    } else if (!tg_thread.grad_enabled && is_exclusive(*slot)) {
        tg_add_into(*slot, g);
    } else {
        Tensor *sum = t_retain(t_add(*slot, g));
        if (!sum) return false;
        t_release(*slot);
        *slot = sum;
    }
    return true;
}

/* Sends g along an edge, after bringing it to the input's shape (the sum over broadcast dims) and dtype, in this order, as
 * PyTorch does. */
static bool send(Backward *run, const Edge *edge, Tensor *g) {
    g = tg_sum_to(g, edge->shape, edge->ndim);
    if (g && g->dtype != edge->dtype) g = t_to(g, edge->dtype);
    if (!g) return false;
    if (edge->record) {
        run->waiting += edge->record->pending == NULL;
        return gather(&edge->record->pending, g);
    }
    if (!edge->leaf->pending) {
        edge->leaf->next_pending = run->leaves;
        run->leaves = edge->leaf;
    }
    return gather(&edge->leaf->pending, g);
}

/* ---- one record ---- */

static bool step(Backward *run, Record *r) {
    enum { FEW = 8 };
    Tensor *few[FEW] = {NULL}, **dx = few, *dy = r->pending;
    size_t bytes = (size_t)r->inputs * sizeof *dx;
    r->pending = NULL;
    run->waiting--;
    int64_t failures = tg_thread.failures;
    int depth = t_scope_open();
    if (r->inputs > FEW) dx = tg_alloc(bytes);
    if (r->freed)
        tg_fail("Trying to backward through the graph a second time (or directly access saved tensors after they have "
                "already been freed). Saved intermediate values of the graph are freed when you call t_backward(). "
                "Specify .retain_graph = true if you need to backward through the graph a second time or if you need "
                "to access saved tensors after calling backward.");
    else if (depth && dx) r->op->backward(r, dy, dx);
    bool ok = failures == tg_thread.failures;
    for (int i = 0; ok && i < r->inputs; i++)
        if (dx[i] && tg_needs(r, i)) ok = send(run, &r->edges[i], dx[i]);
    if (dx != few) tg_free(dx, bytes);
    t_scope_close(depth);
    t_release(dy);
    if (ok && !run->retain_graph) tg_record_free_saved(r);
    return ok;
}

/* ---- the leaves ---- */

/* The layout that a leaf's grad has: the leaf's own where that is dense, else contiguous. */
static bool has_grad_layout(const Tensor *g, const Tensor *leaf) {
    if (!tg_is_dense(leaf)) return tg_is_contiguous(g);
    for (int d = 0; d < g->ndim; d++)
        if (g->shape[d] > 1 && g->strides[d] != leaf->strides[d]) return false;
    return true;
}

/* What a leaf without a grad gets: the gathered tensor itself if nobody else holds it, else a copy. */
static bool settle_new(Tensor *leaf) {
    Tensor *g = leaf->pending;
    if (is_exclusive(g) && has_grad_layout(g, leaf)) return true;
    Tensor *copy = tg_empty_like(leaf, leaf->dtype);
    if (!copy) return false;
    if (tg_thread.grad_enabled) {
        if (!t_copy_(copy, g)) return false;
    } else {
        tg_copy_into(copy, g);
    }
    leaf->pending = t_retain(copy);
    t_release(g);
    return true;
}

/* With create_graph the sum is recorded, which makes a new tensor. */
static bool settle_recorded_sum(Tensor *leaf) {
    Tensor *sum = t_retain(t_add(leaf->grad, leaf->pending));
    if (!sum) return false;
    t_release(leaf->pending);
    leaf->pending = sum;
    return true;
}

/* First everything that can fail, then everything that cannot. */
static bool settle(Backward *run) {
    for (Tensor *leaf = run->leaves; leaf; leaf = leaf->next_pending)
        if (!(!leaf->grad ? settle_new(leaf) : !tg_thread.grad_enabled || settle_recorded_sum(leaf))) return false;
    for (Tensor *leaf = run->leaves; leaf; leaf = leaf->next_pending) {
        if (leaf->grad && !tg_thread.grad_enabled) {
            tg_add_into(leaf->grad, leaf->pending);
            tg_bump(leaf->grad);
        } else {
            t_release(leaf->grad);
            leaf->grad = t_retain(leaf->pending);
        }
    }
    return true;
}

static void clean_up(Backward *run) {
    for (Tensor *leaf = run->leaves, *next; leaf; leaf = next) {
        next = leaf->next_pending;
        leaf->next_pending = NULL;
        t_release(leaf->pending);
        leaf->pending = NULL;
    }
    for (Record *r = run->waiting ? tg_thread.tape : NULL; r; r = r->older) {
        t_release(r->pending);
        r->pending = NULL;
    }
}

/* ---- the walk ---- */

static Tensor *seed(Tensor *loss, Tensor *gradient) {
    if (gradient) {
        if (tg_same_shape(gradient, loss)) return gradient;
        return tg_fail("Mismatch in shape: grad_output[0] has a shape of torch.Size(%s) and output[0] has a shape of "
                       "torch.Size(%s).", tg_shape_text(gradient->shape, gradient->ndim),
                       tg_shape_text(loss->shape, loss->ndim));
    }
    if (tg_numel(loss) != 1) return tg_fail("grad can be implicitly created only for scalar outputs");
    return t_ones_like(loss);
}

static bool walk(Backward *run, Tensor *loss, Tensor *gradient) {
    Edge root = {.record = loss->record, .leaf = loss->record ? NULL : loss, .dtype = loss->dtype, .ndim = loss->ndim};
    for (int d = 0; d < loss->ndim; d++) root.shape[d] = loss->shape[d];
    Tensor *g = seed(loss, gradient);
    if (!g || !send(run, &root, g)) return false;
    Record *newest = loss->record;
    for (Record *r = newest; r && run->waiting; r = r->older)
        if (r->pending && !step(run, r)) return false;
    return settle(run);
}

bool t_backward(Tensor *loss, const t_BackwardOptions *options) {
    t_BackwardOptions o = {.size = sizeof o};
    Context *thread = tg_context();
    if (!tg_take_options(&o, options, sizeof o)) return false;
    if (!tg_check(loss, 1) || !tg_check_optional(o.gradient, 2)) return false;
    if (!loss->requires_grad) {
        tg_fail("element 0 of tensors does not require grad and does not have a grad_fn");
        return false;
    }
    bool grad_enabled = thread->grad_enabled;
    int depth = t_scope_open();
    if (!depth) return false;
    thread->grad_enabled = o.create_graph;
    Backward run = {.retain_graph = o.retain_graph || o.create_graph};
    bool ok = walk(&run, loss, o.gradient);
    clean_up(&run);
    thread->grad_enabled = grad_enabled;
    t_scope_close(depth);
    return ok;
}
