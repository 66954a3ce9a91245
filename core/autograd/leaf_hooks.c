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

/* Counts one more edge to a leaf with hooks. The first pass, before run->hooked is allocated, counts the possible
 * entries. */
static void count_edge(Backward *run, const Edge *edge, int64_t *entries) {
    Tensor *leaf = edge->leaf;
    if (!leaf || !leaf->hooks || !tg_edge_needs_gradient(run, edge)) return;
    if (!run->hooked) {
        ++*entries;
        return;
    }
    HookedLeaf *hooked = entry_of(run, leaf);
    if (!hooked) {
        hooked = &run->hooked[*entries];
        hooked->leaf = leaf;
        ++*entries;
        run->hooked_count = *entries;
    }
    hooked->dependencies++;
}

static int64_t count_edges(Backward *run, const Request *request) {
    int64_t entries = 0;
    for (int64_t i = 0; i < request->output_count; i++) {
        Tensor *y = request->outputs[i];
        if (!y->record) count_edge(run, &(Edge){.leaf = y}, &entries);
    }
    for (int64_t n = 0; n < run->planned; n++) {
        Record *r = run->plan[n];
        for (int i = 0; (!run->selective || r->needed) && i < r->inputs; i++) count_edge(run, &r->edges[i], &entries);
    }
    return entries;
}

bool tg_count_leaf_edges(Backward *run, const Request *request) {
    int64_t entries = tg_thread.leaf_hooks ? count_edges(run, request) : 0;
    if (entries == 0) return true;
    run->hooked = tg_alloc((size_t)entries * sizeof *run->hooked);
    run->hooked_capacity = entries;
    if (!run->hooked) return false;
    count_edges(run, request);
    return true;
}

/* ---- during the traversal and at its end ---- */

/* Calls the hooks on the accumulated gradient, once; not if there is none. */
static bool complete(Backward *run, HookedLeaf *hooked) {
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
    return !hooked || --hooked->dependencies > 0 || complete(run, hooked);
}

bool tg_run_late_hooks(Backward *run) {
    for (int64_t i = 0; i < run->hooked_count; i++)
        if (!complete(run, &run->hooked[i])) return false;
    return true;
}

bool tg_run_grad_hooks(Backward *run) {
    for (int64_t n = 1; run->accumulate && n <= run->completed_leaves; n++)
        for (int64_t i = 0; i < run->hooked_count; i++)
            if (run->hooked[i].completion_order == n && !tg_run_post_hooks(run, run->hooked[i].leaf)) return false;
    return true;
}
