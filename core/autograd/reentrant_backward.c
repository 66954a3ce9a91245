/* core/autograd/reentrant_backward.c: a backward that a hook or a user's op calls during another one. The pending
 * gradients of the outer one are set aside until the inner one has ended. */
#include "core/autograd/backward.h"

struct Suspended {
    Record *record; /* with a pending gradient, or */
    Tensor *tensor; /* a tensor with one, and */
    Tensor **list;  /* the list that it was in */
    Tensor *pending;
};

/* With a NULL `to` it only counts. */
static int64_t take_from_list(Tensor **list, struct Suspended *to) {
    int64_t count = 0;
    for (Tensor *x = *list, *next; x; x = next, count++) {
        next = x->next_pending;
        if (!to) continue;
        to[count] = (struct Suspended){.tensor = x, .list = list, .pending = x->pending};
        x->pending = NULL;
        x->next_pending = NULL;
    }
    if (to) *list = NULL;
    return count;
}

static int64_t move_pending(Backward *run, struct Suspended *to) {
    int64_t count = take_from_list(&run->leaves, to);
    count += take_from_list(&run->retained, to ? to + count : NULL);
    for (Record *r = run->pending_count ? tg_thread.tape : NULL; r; r = r->older) {
        if (!r->pending) continue;
        if (to) {
            to[count] = (struct Suspended){.record = r, .pending = r->pending};
            r->pending = NULL;
            tg_record_retain(r);
        }
        count++;
    }
    return count;
}

bool tg_backward_suspend(Backward *run) {
    int64_t count = move_pending(run, NULL);
    run->suspended = tg_alloc((size_t)(count + 1) * sizeof *run->suspended);
    if (!run->suspended) return false;
    run->suspended_count = count;
    move_pending(run, run->suspended);
    tg_backward_set_flags(run, false);
    return true;
}

static void free_suspended(Backward *run) {
    tg_free(run->suspended, (size_t)(run->suspended_count + 1) * sizeof *run->suspended);
    run->suspended = NULL;
}

void tg_backward_resume(Backward *run) {
    for (int64_t i = 0; i < run->suspended_count; i++) {
        struct Suspended *s = &run->suspended[i];
        if (s->record) {
            s->record->pending = s->pending;
            tg_record_release(s->record);
        } else {
            s->tensor->pending = s->pending;
            s->tensor->next_pending = *s->list;
            *s->list = s->tensor;
        }
    }
    free_suspended(run);
    tg_backward_set_flags(run, true);
}

void tg_backward_forget(Backward *run) {
    for (int64_t i = 0; i < run->suspended_count; i++) {
        t_release(run->suspended[i].pending);
        t_release(run->suspended[i].tensor);
        tg_record_release(run->suspended[i].record);
    }
    free_suspended(run);
}
