/* core/autograd/leaf_hooks.c: hooks of leaves. They are called once, when all edges to the leaf have contributed to its
 * gradient; so the edges are counted before the traversal. */
#include "core/autograd/backward.h"

#include "core/autograd/hooks.h"

static HookedLeaf *entry_of(Backward *run, const Tensor *leaf) {
    for (int64_t i = 0; i < run->hooked_count; i++)
        if (run->hooked[i].leaf == leaf) return &run->hooked[i];
    return NULL;
}

/* ---- before the traversal ---- */

static bool has_hooked_leaf(const Backward *run, const Edge *edge) {
    return edge->leaf && edge->leaf->hooks && tg_edge_needs_gradient(run, edge);
}

/* An upper bound of the number of entries. */
static void count_capacity(Backward *run, const Edge *edge) {
    run->hooked_capacity += has_hooked_leaf(run, edge);
}

static void count_dependency(Backward *run, const Edge *edge) {
    if (!has_hooked_leaf(run, edge)) return;
    HookedLeaf *hooked = entry_of(run, edge->leaf);
    if (!hooked) {
        hooked = &run->hooked[run->hooked_count++];
        hooked->leaf = edge->leaf;
    }
    hooked->dependencies++;
}

/* Calls visit for each edge that this backward will traverse, the one to an output that is a leaf included. */
static void for_each_edge(Backward *run, const Request *request, void (*visit)(Backward *, const Edge *)) {
    for (int64_t i = 0; i < request->output_count; i++) {
        Tensor *y = request->outputs[i];
        if (!y->record) visit(run, &(Edge){.leaf = y});
    }
    for (int64_t n = 0; n < run->planned; n++) {
        const Record *r = run->plan[n];
        for (int i = 0; (!run->selective || r->needed) && i < r->inputs; i++) visit(run, &r->edges[i]);
    }
}

bool tg_count_leaf_edges(Backward *run, const Request *request) {
    if (tg_thread.leaf_hooks == 0) return true;
    for_each_edge(run, request, count_capacity);
    if (run->hooked_capacity == 0) return true;
    run->hooked = tg_alloc((size_t)run->hooked_capacity * sizeof *run->hooked);
    if (!run->hooked) return false;
    for_each_edge(run, request, count_dependency);
    return true;
}

/* ---- during the traversal and at its end ---- */

/* Calls the hooks on the accumulated gradient, once; not if there is none. */
static bool run_leaf_hooks(Backward *run, HookedLeaf *hooked) {
    Tensor *leaf = hooked->leaf;
    if (hooked->completion_order || !leaf->pending) return true;
    hooked->completion_order = ++run->completed_leaves;
    int depth = tg_scope_open_around_callback();
    Tensor *g = depth ? tg_run_hooks(run, leaf->hooks, leaf->pending) : NULL;
    if (g) tg_replace(&leaf->pending, g);
    tg_scope_close(depth);
    return g != NULL;
}

bool tg_leaf_received(Backward *run, const Tensor *leaf) {
    HookedLeaf *hooked = entry_of(run, leaf);
    return !hooked || --hooked->dependencies > 0 || run_leaf_hooks(run, hooked);
}

bool tg_run_late_hooks(Backward *run) {
    for (int64_t i = 0; i < run->hooked_count; i++)
        if (!run_leaf_hooks(run, &run->hooked[i])) return false;
    return true;
}

bool tg_run_grad_hooks(Backward *run) {
    for (int64_t n = 1; run->accumulate && n <= run->completed_leaves; n++)
        for (int64_t i = 0; i < run->hooked_count; i++)
            if (run->hooked[i].completion_order == n && !tg_run_post_hooks(run, run->hooked[i].leaf)) return false;
    return true;
}
