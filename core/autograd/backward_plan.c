/* core/autograd/backward_plan.c: the records that a backward visits: those that are reachable from its outputs, and
 * with `inputs`, or hooks of leaves (leaf_hooks.c), the ones that are needed for these. */
#include "core/autograd/backward.h"

#include <string.h>

/* ---- reachable records ---- */

size_t tg_reachable_bytes(int64_t count) {
    return (size_t)(count + 1) * sizeof(Record *);
}

static int64_t mark(Record *r) {
    if (!r || r->seen) return 0;
    r->seen = true;
    return 1;
}

/* One pass over the tape from the newest root: the users of a record are visited before it. list NULL: only counts. */
static int64_t list_reachable(Record *const *roots, int64_t root_count, Record **list) {
    Record *newest = NULL;
    int64_t marked = 0, found = 0;
    for (int64_t i = 0; i < root_count; i++) {
        marked += mark(roots[i]);
        if (roots[i] && (!newest || roots[i]->number > newest->number)) newest = roots[i];
    }
    for (Record *r = newest; r && marked; r = r->older) {
        if (!r->seen) continue;
        r->seen = false;
        marked--;
        if (list) list[found] = r;
        found++;
        for (int i = 0; i < r->inputs; i++) marked += mark(r->edges[i].record);
    }
    return found;
}

Record **tg_reachable(Record *const *roots, int64_t root_count, int64_t *count) {
    *count = list_reachable(roots, root_count, NULL);
    Record **list = tg_alloc(tg_reachable_bytes(*count));
    if (list) list_reachable(roots, root_count, list);
    else *count = 0;
    return list;
}

/* ---- inputs ---- */

static bool capture_inputs(Backward *run, const t_TensorList *inputs) {
    run->captures = tg_alloc((size_t)inputs->len * sizeof *run->captures);
    if (!run->captures) return false;
    run->capture_count = inputs->len;
    for (int64_t i = 0; i < inputs->len; i++) {
        Tensor *x = inputs->items[i];
        run->captures[i] = (Capture){t_retain(x), x->record, NULL};
        tg_record_retain(x->record);
        if (x->record) x->record->captured = true;
        else x->captured = true;
    }
    return true;
}

/* Oldest first: a record is needed if one of its inputs is captured, or needed itself. */
static void find_needed(Backward *run) {
    for (int64_t n = run->planned - 1; n >= 0; n--) {
        Record *r = run->plan[n];
        for (int i = 0; i < r->inputs && !r->needed; i++) r->needed = tg_edge_needs_gradient(run, &r->edges[i]);
    }
}

/* ---- the plan ---- */

bool tg_backward_list(Backward *run) {
    if (!run->plan) run->plan = tg_reachable(run->roots, run->root_count, &run->planned);
    return run->plan != NULL;
}

bool tg_backward_plan(Backward *run, const Request *request) {
    run->selective = request->inputs != NULL;
    if (request->inputs && !capture_inputs(run, request->inputs)) return false;
    if (!request->inputs && tg_thread.leaf_hooks == 0) return true;
    if (!tg_backward_list(run)) return false;
    if (run->selective) find_needed(run);
    return tg_count_leaf_edges(run, request);
}

void tg_backward_set_flags(Backward *run, bool on) {
    for (int64_t i = 0; i < run->capture_count; i++) {
        if (run->captures[i].record) run->captures[i].record->captured = on;
        else run->captures[i].x->captured = on;
    }
    if (!on)
        for (int64_t n = 0; n < run->planned; n++) run->plan[n]->needed = false;
    else if (run->selective)
        find_needed(run);
}
