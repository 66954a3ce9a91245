/* core/autograd/leaf_hooks.c: leaves with hooks. A leaf's hooks run once, when all edges that lead to it have sent their part: so these
 * edges are counted before the walk. */
#include "core/autograd/backward.h"

#include "core/autograd/hooks.h"

static HookedLeaf *entry_of(Backward *run, const Tensor *leaf) {
    for (int64_t i = 0; i < run->hooked_count; i++)
        if (run->hooked[i].leaf == leaf) return &run->hooked[i];
    return NULL;
}

/* ---- before the walk ---- */

/* One more edge to this leaf. The first pass has no entries and counts how many there may be. */
static void await(Backward *run, const Edge *edge, int64_t *entries) {
    Tensor *leaf = edge->leaf;
    if (!leaf || !leaf->hooks || !tg_edge_counts(run, edge)) return;
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
    hooked->awaited++;
}

static int64_t await_all(Backward *run, const Request *request) {
    int64_t entries = 0;
    for (int64_t i = 0; i < request->output_count; i++) {
        Tensor *y = request->outputs[i];
        if (!y->record) await(run, &(Edge){.leaf = y}, &entries);
    }
    for (int64_t n = 0; n < run->planned; n++) {
        Record *r = run->plan[n];
        for (int i = 0; (!run->selective || r->needed) && i < r->inputs; i++) await(run, &r->edges[i], &entries);
    }
    return entries;
}

bool tg_leaves_await(Backward *run, const Request *request) {
    int64_t entries = tg_thread.leaf_hooks ? await_all(run, request) : 0;
    if (entries == 0) return true;
    run->hooked = tg_alloc((size_t)entries * sizeof *run->hooked);
    run->hooked_room = entries;
    if (!run->hooked) return false;
    await_all(run, request);
    return true;
}

/* ---- on the way, and at its end ---- */

/* Runs the hooks on what was gathered, once; not where nothing was. */
static bool complete(Backward *run, HookedLeaf *hooked) {
    Tensor *leaf = hooked->leaf;
    if (hooked->turn || !leaf->pending) return true;
    hooked->turn = ++run->turns;
    int depth = tg_scope_open_around_callback();
    Tensor *g = depth ? tg_run_hooks(run, leaf->hooks, leaf->pending) : NULL;
    if (g) tg_replace(&leaf->pending, g);
    tg_scope_close(depth);
    return g != NULL;
}

bool tg_leaf_heard(Backward *run, const Tensor *leaf) {
    HookedLeaf *hooked = entry_of(run, leaf);
    return !hooked || --hooked->awaited > 0 || complete(run, hooked);
}

bool tg_run_late_hooks(Backward *run) {
    for (int64_t i = 0; i < run->hooked_count; i++)
        if (!complete(run, &run->hooked[i])) return false;
    return true;
}

bool tg_run_grad_hooks(Backward *run) {
    for (int64_t turn = 1; run->accumulate && turn <= run->turns; turn++)
        for (int64_t i = 0; i < run->hooked_count; i++)
            if (run->hooked[i].turn == turn && !tg_run_post_hooks(run, run->hooked[i].leaf)) return false;
    return true;
}
